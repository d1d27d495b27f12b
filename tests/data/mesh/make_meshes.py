#!/usr/bin/env python3
"""Write the meshes of this folder from box.geo: python3 make_meshes.py, with gmsh, meshio and vtk installed."""
import os
import struct
import subprocess

import meshio
import vtk

os.chdir(os.path.dirname(os.path.abspath(__file__)))


def gmsh(name, *options):
    subprocess.run(["gmsh", "-3", "-v", "0", *options, "-o", name, "box.geo"], check=True)


class Swapper:
    """Copy a binary file of Gmsh, with the bytes of each number in the other order."""

    def __init__(self, data):
        self.data, self.at, self.out = data, 0, []

    def line(self):
        end = self.data.index(b"\n", self.at) + 1
        line = self.data[self.at:end]
        self.out.append(line)
        self.at = end
        return line.strip()

    def numbers(self, form, count=1):
        size = struct.calcsize("<" + form) * count
        values = struct.unpack("<%d%s" % (count, form), self.data[self.at:self.at + size])
        self.out.append(struct.pack(">%d%s" % (count, form), *values))
        self.at += size
        return values

    def number(self, form):
        return self.numbers(form)[0]


NODES = {1: 2, 2: 3, 4: 4, 8: 3, 9: 6, 11: 10, 15: 1}


def swap_22(s, section):
    count = int(s.line())
    if section == b"$Nodes":
        for _ in range(count):
            s.number("i"), s.numbers("d", 3)
    else:
        while count > 0:
            kind, block, tags = s.numbers("i", 3)
            s.numbers("i", block * (1 + tags + NODES[kind]))
            count -= block


def swap_41(s, section):
    if section == b"$Entities":
        for dimension, count in enumerate(s.numbers("Q", 4)):
            for _ in range(count):
                s.number("i"), s.numbers("d", 6 if dimension else 3), s.numbers("i", s.number("Q"))
                if dimension:
                    s.numbers("i", s.number("Q"))
        return
    for _ in range(s.numbers("Q", 4)[0]):
        dimension, _, third = s.numbers("i", 3)
        count = s.number("Q")
        if section == b"$Nodes":
            s.numbers("Q", count), s.numbers("d", count * (3 + (dimension if third else 0)))
        else:
            s.numbers("Q", count * (1 + NODES[third]))


def swap(source, target):
    with open(source, "rb") as file:
        s = Swapper(file.read())
    while s.at < len(s.data):
        line = s.line()
        if line == b"$MeshFormat":
            version = s.line().split()[0]
            s.number("i")
        elif line in (b"$Nodes", b"$Elements") or line == b"$Entities" and version == b"4.1":
            (swap_41 if version == b"4.1" else swap_22)(s, line)
    with open(target, "wb") as file:
        file.write(b"".join(s.out))


gmsh("box_1.msh", "-format", "msh1")
for order, box in (1, "box"), (2, "box2"):
    o = ["-order", str(order)]
    gmsh(box + "_22.msh", "-format", "msh2", *o)
    gmsh(box + "_41.msh", "-format", "msh41", *o)
    gmsh(box + ".vtk", "-format", "vtk", *o)
gmsh("box_22_binary.msh", "-format", "msh2", "-bin")
gmsh("box_22_parametric.msh", "-format", "msh2", "-parametric")
gmsh("box_22_parametric_binary.msh", "-format", "msh2", "-parametric", "-bin")
gmsh("box2_41_binary.msh", "-format", "msh41", "-bin", "-order", "2")
gmsh("box_41_binary.msh", "-format", "msh41", "-bin")
gmsh("box_41_parametric.msh", "-format", "msh41", "-parametric")
gmsh("box_41_parametric_binary.msh", "-format", "msh41", "-parametric", "-bin")
gmsh("box_binary.vtk", "-format", "vtk", "-bin")
swap("box_22_binary.msh", "box_22_swapped.msh")
swap("box_41_binary.msh", "box_41_swapped.msh")
swap("box_41_parametric_binary.msh", "box_41_parametric_swapped.msh")

# A file of meshio cannot have an element in two groups, so it has those of VTK's: "left end", "right end".
for box in "box", "box2":
    mesh = meshio.read(box + ".vtk")
    for binary in False, True:
        end = "_meshio_binary" if binary else "_meshio"
        meshio.write(box + end + ".vtk", mesh, file_format="vtk", binary=binary)
        meshio.vtu.write(box + end + ".vtu", mesh, binary=binary, compression=None)
    meshio.vtu.write(box + "_meshio_zlib.vtu", mesh, compression="zlib")
    if box == "box":
        meshio.write("box_meshio.msh", mesh, file_format="gmsh22", binary=False)
        meshio.write("box_meshio_42.vtk", mesh, file_format="vtk42", binary=True)

for box in "box", "box2":
    reader = vtk.vtkUnstructuredGridReader()
    reader.SetFileName(box + ".vtk")
    reader.ReadAllScalarsOn()
    reader.Update()
    grid = reader.GetOutput()
    forms = {"ascii": (0, 0, 0, 32, 1), "inline": (1, 0, 0, 64, 1), "inline_zlib": (1, 0, 1, 32, 1),
             "raw": (2, 0, 0, 64, 1), "raw_zlib": (2, 0, 1, 64, 1), "raw_big": (2, 0, 0, 32, 0),
             "base64": (2, 1, 0, 32, 1), "base64_zlib": (2, 1, 1, 64, 1)}
    for name, (mode, base64, zlib, bits, little) in forms.items():
        if box == "box2" and name not in ("ascii", "raw", "base64_zlib"):
            continue
        writer = vtk.vtkXMLUnstructuredGridWriter()
        writer.SetInputData(grid)
        writer.SetFileName("%s_vtk_%s.vtu" % (box, name))
        writer.SetDataMode(mode)
        writer.SetEncodeAppendedData(base64)
        writer.SetCompressorTypeToZLib() if zlib else writer.SetCompressorTypeToNone()
        writer.SetHeaderTypeToUInt32() if bits == 32 else writer.SetHeaderTypeToUInt64()
        writer.SetByteOrderToLittleEndian() if little else writer.SetByteOrderToBigEndian()
        if zlib:
            writer.SetBlockSize(1 << 8)
        writer.Write()
    for version in 42, 51:
        if box == "box2" and version == 42:
            continue
        writer = vtk.vtkUnstructuredGridWriter()
        writer.SetInputData(grid)
        writer.SetFileName("%s_vtk_%d.vtk" % (box, version))
        writer.SetFileVersion(version)
        writer.SetFileTypeToBinary() if version == 51 else writer.SetFileTypeToASCII()
        writer.Write()
