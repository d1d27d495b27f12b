#!/usr/bin/env python3
"""Write a mesh of a made organ's lobe: python3 make_lobe.py [NX NY NZ] >lobe.msh

A block of NX x NY x NZ cells (8 5 3) becomes a lobe of 12 x 8 x 4 cm: thick at one end, where it is held, and thin and
round at the other. Each cell is split into six tetrahedra around one diagonal, so that neighbours match. The file is
Gmsh's MSH 2.2 as text, in metre, with the physical groups "lobe" (tetrahedra), "held" and "top" (triangles).
"""
import sys
from itertools import permutations

nx, ny, nz = (int(word) for word in sys.argv[1:4]) if len(sys.argv) == 4 else (8, 5, 3)


def number(i, j, k):
    return 1 + i + (nx + 1) * (j + (ny + 1) * k)


def place(i, j, k):
    """Place of a corner of a cell, m."""
    u, v, w = i / nx, 2 * j / ny - 1, k / nz  # 0 to 1 from the held end, -1 to 1, 0 to 1 from below
    half_width = 0.040 * (1 - 0.55 * u ** 3)
    x = 0.120 * u - 0.015 * u * v * v  # the far end is round
    y = half_width * v
    thickness = 0.040 * (1 - 0.65 * u * u) * (1 - 0.45 * v * v)
    z = thickness * w + 0.012 * u * (1 - u) * 4 * (1 - w)  # hollow below
    return x, y, z


tetrahedra = []
for k in range(nz):
    for j in range(ny):
        for i in range(nx):
            for order in permutations(range(3)):
                corner = [i, j, k]
                path = [number(*corner)]
                for axis in order:
                    corner[axis] += 1
                    path.append(number(*corner))
                # an odd permutation has a negative volume
                odd = sum(order[a] > order[b] for a in range(3) for b in range(a + 1, 3)) % 2
                if odd:
                    path[2], path[3] = path[3], path[2]
                tetrahedra.append(path)

held = []
for k in range(nz):
    for j in range(ny):
        a, b = number(0, j, k), number(0, j + 1, k)
        c, d = number(0, j + 1, k + 1), number(0, j, k + 1)
        held += [(a, d, c), (a, c, b)]
top = []
for j in range(ny):
    for i in range(nx):
        a, b = number(i, j, nz), number(i + 1, j, nz)
        c, d = number(i + 1, j + 1, nz), number(i, j + 1, nz)
        top += [(a, b, c), (a, c, d)]

nodes = [place(i, j, k) for k in range(nz + 1) for j in range(ny + 1) for i in range(nx + 1)]
lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat"]
lines += ["$PhysicalNames", "3", '2 1 "held"', '2 2 "top"', '3 3 "lobe"', "$EndPhysicalNames"]
lines += ["$Nodes", str(len(nodes))]
lines += ["%d %.6f %.6f %.6f" % ((label,) + node) for label, node in enumerate(nodes, 1)]
lines += ["$EndNodes", "$Elements", str(len(held) + len(top) + len(tetrahedra))]
label = 0
for kind, group, elements in (2, 1, held), (2, 2, top), (4, 3, tetrahedra):
    for element in elements:
        label += 1
        lines.append("%d %d 2 %d %d %s" % (label, kind, group, group, " ".join(map(str, element))))
lines.append("$EndElements")
print("\n".join(lines))
