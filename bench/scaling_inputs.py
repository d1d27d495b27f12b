"""Inputs of bench/scaling: made from the tree's examples and from a fixed seed, in seconds, as large as asked for.

Every function writes the files that one program reads into a folder, and keeps those that are there.
"""
import os
import subprocess
import sys

import numpy as np

SEED = 20261127


def generator(name):
    """Random numbers that depend on nothing but the name."""
    return np.random.default_rng([SEED, *name.encode()])


def keep(path, write):
    """Write a file, complete or not at all, unless it exists."""
    if not os.path.exists(path):
        partial = f"{path}.{os.getpid()}.partial"
        write(partial)
        os.replace(partial, path)
    return path


def write_lines(path, lines):
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


# ---- molecules ----

def library(folder, examples, count):
    """`count` molecules: those of the example in turn, renamed."""
    def write(path):
        with open(os.path.join(examples, "1iep", "kinase_inhibitors.sdf"), encoding="ascii") as file:
            records = [record.lstrip("\n") for record in file.read().replace("\r", "").split("$$$$\n") if record.strip()]
        bodies = [record.split("\n", 1)[1] for record in records]
        with open(path, "w", encoding="ascii") as file:
            for number in range(count):
                file.write(f"M{number:07d}\n{bodies[number % len(bodies)]}$$$$\n")
    return keep(os.path.join(folder, f"library-{count}.sdf"), write)


def shell(folder):
    """A receptor with a tunnel: atoms on a sphere of 6 Å with a round hole of 3.2 Å around z."""
    points = [(3.2 * np.cos(np.pi * i / 10), 3.2 * np.sin(np.pi * i / 10), np.sqrt(36 - 3.2 ** 2)) for i in range(20)]
    for i in range(150):
        z = 6 * (1 - (2 * i + 1) / 150)
        across, turn = np.sqrt(36 - z * z), 2.39996323 * i
        if z < 0 or across > 4.1:
            points.append((across * np.cos(turn), across * np.sin(turn), z))
    lines = ["HETATM%5d  C   SHL A%4d    %8.3f%8.3f%8.3f  1.00  0.00           C" % (n, n, *point)
             for n, point in enumerate(points, 1)]
    return keep(os.path.join(folder, "shell.pdb"), lambda path: write_lines(path, lines + ["END"]))


def way(folder):
    """The discs of a tunnel along z, from outside the shell to its middle: place, normal, radius."""
    lines = [f"0 0 {0.3 * k:.1f} 0 0 1 1.5" for k in range(30, -1, -1)]
    return keep(os.path.join(folder, "way.dsd"), lambda path: write_lines(path, lines))


def guests(folder, count):
    """`count` chains of four to eight carbons with a chlorine at both ends, in zigzag, each a little different."""
    def write(path):
        lines = []
        for guest in range(count):
            atoms = 6 + guest % 5
            lines += [f"guest{guest + 1}", "  by hand", "", "%3d%3d  0  0  0  0  0  0  0  0999 V2000" % (atoms, atoms - 1)]
            for i in range(atoms):
                element = "Cl" if i in (0, atoms - 1) else "C"
                lines.append("%10.4f%10.4f%10.4f %-3s 0  0  0  0  0  0  0  0  0  0  0  0" % (
                    1.27 * i, 0.85 * (i % 2), 0.1 * i * (1 + guest % 97) / 97, element))
            lines += ["%3d%3d  1  0" % (i, i + 1) for i in range(1, atoms)] + ["M  END", "$$$$"]
        write_lines(path, lines)
    return keep(os.path.join(folder, f"guests-{count}.sdf"), write)


# ---- meshes ----

def lobe(folder, examples, cells):
    """The example's lobe in `cells` cells, along its three edges."""
    def write(path):
        with open(path, "wb") as file:
            subprocess.run([sys.executable, os.path.join(examples, "deform", "make_lobe.py"), *map(str, cells)], check=True,
                           stdout=file)
    return keep(os.path.join(folder, "lobe-" + "x".join(map(str, cells)) + ".msh"), write)


# ---- trajectories ----

def write_dcd(path, frames, atoms, make, box_angstrom):
    """A DCD of `frames` frames. `make(first, count)` returns positions in Å, [count][atoms][3]."""
    cell = [("c0", "<i4"), ("cell", "<f8", 6), ("c1", "<i4")] if box_angstrom else []
    frame = np.dtype(cell + [(f"{name}{end}", *kind) for name in "xyz" for end, kind in
                             (("0", ("<i4",)), ("v", ("<f4", atoms)), ("1", ("<i4",)))])
    control = np.zeros(20, "<i4")
    control[[0, 1, 2, 3, 10, 19]] = frames, 1, 1, frames, 1 if box_angstrom else 0, 24
    control[9:10].view("<f4")[0] = 1.0
    title = b"made by bench/scaling".ljust(80)
    with open(path, "wb") as file:
        for record in (b"CORD" + control.tobytes(), np.int32(1).tobytes() + title, np.int32(atoms).tobytes()):
            mark = np.int32(len(record)).tobytes()
            file.write(mark + record + mark)
        batch = max(1, (32 << 20) // frame.itemsize)
        for first in range(0, frames, batch):
            count = min(batch, frames - first)
            block, positions = np.zeros(count, frame), make(first, count)
            if box_angstrom:
                block["c0"] = block["c1"] = 48
                block["cell"] = [box_angstrom, 90, box_angstrom, 90, 90, box_angstrom]
            for axis, name in enumerate("xyz"):
                block[name + "0"] = block[name + "1"] = 4 * atoms
                block[name + "v"] = positions[:, :, axis]
            block.tofile(file)


def water(folder, molecules, frames):
    """A box of waters that lie and turn at random, with the density of water: a GRO and a DCD."""
    side_nm = (molecules / 33.4) ** (1 / 3)
    rng, stem = generator("water"), os.path.join(folder, f"water-{molecules}x{frames}")
    places = rng.random((molecules, 1, 3)) * side_nm
    turned = rng.standard_normal((molecules, 2, 3)) * (0.1 / np.sqrt(3))
    start = (places + np.concatenate([np.zeros((molecules, 1, 3)), turned], 1)).reshape(-1, 3)

    def write_gro(path):
        names = ("   OW", "  HW1", "  HW2")
        lines = ["made by bench/scaling", str(3 * molecules)]
        lines += ["%5dSOL  %s%5d%8.3f%8.3f%8.3f" % ((i // 3 + 1) % 100000, names[i % 3], (i + 1) % 100000, *p)
                  for i, p in enumerate(start.tolist())]
        write_lines(path, lines + [("%10.5f" * 3) % (side_nm, side_nm, side_nm)])

    def make(_, count):
        moved = rng.standard_normal((count, molecules, 1, 3), dtype=np.float32) * np.float32(0.05)
        return 10 * (start.reshape(1, molecules, 3, 3).astype(np.float32) + moved).reshape(count, -1, 3)

    return (keep(stem + ".gro", write_gro),
            keep(stem + ".dcd", lambda path: write_dcd(path, frames, 3 * molecules, make, 10 * side_nm)))


def turns(rng, count):
    """Random rotation matrices, [count][3][3]."""
    w, x, y, z = (lambda q: (q / np.linalg.norm(q, axis=1, keepdims=True)).T)(rng.standard_normal((count, 4)))
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return np.array(rows).transpose(2, 0, 1).astype(np.float32)


def shapes(folder, frames, atoms):
    """Frames around 20 random chains of Cα atoms, turned, with noise of about 1.5 Å between two of a chain."""
    rng, stem = generator("shapes"), os.path.join(folder, f"shapes-{frames}x{atoms}")
    chains = np.zeros((20, atoms, 3), np.float32)
    for atom in range(1, atoms):
        step = rng.standard_normal((20, 3)) - 0.03 * chains[:, atom - 1]
        chains[:, atom] = chains[:, atom - 1] + 3.8 * step / np.linalg.norm(step, axis=1, keepdims=True)

    def make(first, count):
        cluster = np.minimum((20 * rng.random(count) ** 1.5).astype(int), 19)
        noise = rng.standard_normal((count, atoms, 3), dtype=np.float32) * np.float32(1.5 / np.sqrt(6))
        return np.matmul(chains[cluster] + noise, turns(rng, count))

    def write_pdb(path):
        write_lines(path, ["ATOM  %5d  CA  ALA A%4d    %8.3f%8.3f%8.3f  1.00  0.00           C" % (i + 1, i + 1, *p)
                           for i, p in enumerate(chains[0].tolist())] + ["END"])
    return (keep(stem + ".pdb", write_pdb),
            keep(stem + ".dcd", lambda path: write_dcd(path, frames, atoms, make, 0)))


# ---- images ----

def mrc_header(nx, ny, nz, mode, pixel_angstrom):
    header = np.zeros(256, "<i4")
    header[:4] = nx, ny, nz, mode
    header[7:10] = nx, ny, nz
    header[10:16].view("<f4")[:] = nx * pixel_angstrom, ny * pixel_angstrom, nz * pixel_angstrom, 90, 90, 90
    header[16:19] = 1, 2, 3
    header[52] = int.from_bytes(b"MAP ", "little")
    header[53] = 0x4444
    return header.tobytes()


def particles(folder, side, images, rows):
    """A stack of noisy images of blobs, and a table in which each image has many rows with other random views."""
    rng = generator("particles")
    stack = os.path.join(folder, f"stack-{side}x{images}.mrcs")

    def write_stack(path):
        axis = np.arange(side, dtype=np.float32) - side // 2
        with open(path, "wb") as file:
            file.write(mrc_header(side, side, images, 2, 1.5))
            for _ in range(images):
                image = rng.standard_normal((side, side), dtype=np.float32)
                for x, y in rng.standard_normal((5, 2)) * side / 8:
                    image += np.outer(np.exp(-(axis - y) ** 2 / 8), np.exp(-(axis - x) ** 2 / 8))
                image.tofile(file)

    def write_star(path):
        views = generator("views").random((rows, 5)) * [360, 2, 360, 4, 4] - [180, 1, 180, 2, 2]
        views[:, 1] = np.degrees(np.arccos(views[:, 1]))
        head = ["data_optics", "loop_", "_rlnOpticsGroup", "_rlnImagePixelSize", "1 1.5", "", "data_particles", "loop_",
                "_rlnImageName", "_rlnOpticsGroup", "_rlnAngleRot", "_rlnAngleTilt", "_rlnAnglePsi", "_rlnOriginXAngst",
                "_rlnOriginYAngst"]
        name = os.path.basename(stack)
        write_lines(path, head + ["%06d@%s 1 %.3f %.3f %.3f %.3f %.3f" % (i % images + 1, name, *view)
                                  for i, view in enumerate(views.tolist())])
    keep(stack, write_stack)
    return keep(os.path.join(folder, f"particles-{side}-{rows}.star"), write_star)


def movies(folder, width, height, frames, count):
    """One movie of counted electrons, one byte each, that drifts; and a table of `count` links to it."""
    rng = generator("movie")
    movie = os.path.join(folder, f"movie-{width}x{height}x{frames}.mrc")

    def write_movie(path):
        margin = 32
        scene = np.full((height + 2 * margin, width + 2 * margin), 60, np.uint8)  # 60/256 electrons in a pixel
        for y, x in zip(rng.integers(0, scene.shape[0] - 24, 400), rng.integers(0, scene.shape[1] - 24, 400)):
            scene[y:y + 24, x:x + 24] = rng.integers(30, 110, (24, 24), np.uint8)
        with open(path, "wb") as file:
            file.write(mrc_header(width, height, frames, 0, 0.83))
            for frame in range(frames):
                y, x = margin + frame // 4, margin - frame // 5
                part = scene[y:y + height, x:x + width]
                draw = np.frombuffer(rng.bytes(width * height), np.uint8).reshape(height, width)
                (draw < part).astype(np.uint8).tofile(file)

    def write_star(path):
        lines = ["data_optics", "loop_", "_rlnOpticsGroup", "_rlnMicrographOriginalPixelSize", "1 0.83", "", "data_movies",
                 "loop_", "_rlnMicrographMovieName", "_rlnOpticsGroup"]
        write_lines(path, lines + [f"{os.path.splitext(os.path.basename(movie))[0]}-{i:04d}.mrc 1" for i in range(count)])
    keep(movie, write_movie)
    for i in range(count):
        link = f"{os.path.splitext(movie)[0]}-{i:04d}.mrc"
        if not os.path.lexists(link):
            os.symlink(os.path.basename(movie), link)
    return keep(os.path.join(folder, f"movies-{width}x{height}x{frames}-{count}.star"), write_star)
