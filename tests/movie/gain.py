"""gain.py TEST DATA: RELION's motion correction of made movies, and of the movies in folder DATA if they are there,
against TEST, the program test_movie_correct_detector.

Turns: all frames of a movie are the same, so that nothing moves, and the average over the frame is the gain as RELION
applied it. Hot pixels: pixels between 1 and 8 times the mean, so that some lie near the limit."""
import os
import struct
import subprocess
import sys

import numpy

TEST = sys.argv[1]
STAR = """
data_optics

loop_
_rlnOpticsGroupName #1
_rlnOpticsGroup #2
_rlnMicrographOriginalPixelSize #3
_rlnVoltage #4
_rlnSphericalAberration #5
_rlnAmplitudeContrast #6
opticsGroup1 1 1.0 300.0 2.7 0.1

data_movies

loop_
_rlnMicrographMovieName #1
_rlnOpticsGroup #2
movie.mrcs 1
"""


def write_mrc(name, data):
    mode = {"int16": 1, "float32": 2}[data.dtype.name]
    stack = data if data.ndim == 3 else data[None]
    count, height, width = stack.shape
    header = bytearray(1024)
    struct.pack_into("<4i", header, 0, width, height, count, mode)
    struct.pack_into("<3i", header, 28, width, height, 1)
    struct.pack_into("<6f", header, 40, width, height, 1, 90, 90, 90)
    struct.pack_into("<3i", header, 64, 1, 2, 3)
    struct.pack_into("<i", header, 108, 20140)
    header[208:216] = b"MAP DD\0\0"
    with open(name, "wb") as out:
        out.write(header + stack.tobytes())


def read_mrc(name):
    data = open(name, "rb").read()
    width, height = struct.unpack_from("<2i", data)
    start = 1024 + struct.unpack_from("<i", data, 92)[0]
    return numpy.frombuffer(data, "<f4", width * height, start).reshape(height, width)


def relion(out, *options):
    command = ["relion_run_motioncorr", "--use_own", "--i", "movies.star", "--o", out, "--j", "1", "--angpix", "1",
               "--voltage", "300", "--patch_x", "1", "--patch_y", "1", *options]
    # RELION fails at its plots if Ghostscript is not installed, after all that is needed here is written
    result = subprocess.run(command, capture_output=True, text=True)
    if not os.path.exists(out + "/movie.mrc"):
        sys.exit(" ".join(command) + "\n" + result.stdout + result.stderr)


def check_turns(random):
    width, height, frames = 192, 128, 3
    frame = random.poisson(20, (height, width)).astype(numpy.int16)
    frame[frame == 0] = 1
    write_mrc("movie.mrcs", numpy.repeat(frame[None], frames, 0))
    for turn in range(2):
        shape = (width, height) if turn else (height, width)
        write_mrc(f"gain{turn}.mrc", numpy.clip(random.normal(1, 0.1, shape), 0.5, 2).astype(numpy.float32))
    for rotate in range(4):
        for flip in range(3):
            gain, out = f"gain{rotate % 2}.mrc", f"turn{rotate}{flip}"
            relion(out, "--gainref", gain, "--gain_rot", str(rotate), "--gain_flip", str(flip), "--skip_defect")
            applied = read_mrc(out + "/movie.mrc") / frame
            subprocess.run([TEST, "apply", gain, str(width), str(height), str(rotate), str(flip), out + ".mrc"],
                           check=True, capture_output=True)
            error = numpy.abs(applied / frames / read_mrc(out + ".mrc") - 1).max()
            if not error < 1e-5:
                sys.exit(f"--gain-rotate {rotate} --gain-flip {flip} differs from RELION's by {error}")
    print("twelve turns of a gain are equal")


def compare_hot(name, movie, gain, defects):
    options = ["--defect_file", defects] if defects else []
    relion(name, "--gainref", gain, *options)
    block = open(name + "/movie.star").read().split("data_hot_pixels")[1].split("data_")[0]
    rows = [line.split() for line in block.splitlines() if line[:1] != "_" and len(line.split()) == 2]
    theirs = sorted((int(float(x)), int(float(y))) for x, y in rows)
    subprocess.run([TEST, "bad", movie, gain, defects or "-", name + ".txt"], check=True, capture_output=True)
    ours = sorted(tuple(map(int, line.split())) for line in open(name + ".txt"))
    if ours != theirs or len(ours) < 50:
        sys.exit(f"{name}: {len(ours)} hot pixels; RELION has {len(theirs)}, {len(set(ours) & set(theirs))} are the same")
    print(f"{name}: {len(ours)} hot pixels are equal")


def check_hot(random):
    width, height, frames = 256, 192, 8
    gain = numpy.clip(random.normal(1, 0.1, (height, width)), 0.5, 2).astype(numpy.float32)
    gain[50:60, 20:50] = 0
    gain[5, 7] = 0
    counts = random.poisson(4, (frames, height * width))
    for pixel, level in zip(random.integers(0, height * width, 300), numpy.linspace(4, 30, 300)):
        counts[:, pixel] = random.poisson(level, frames)
    write_mrc("movie.mrcs", counts.astype(numpy.int16).reshape(frames, height, width))
    write_mrc("gain.mrc", gain)
    with open("defects.txt", "w") as out:
        out.write("30 30 25 14\n250 0 2 3\n0 100 256 1\n")
    compare_hot("plain", "movie.mrcs", "gain.mrc", None)
    compare_hot("defects", "movie.mrcs", "gain.mrc", "defects.txt")


def check_tiff(folder):
    """Rows of TIFF are turned over before defects are named."""
    movie = os.path.join(folder, "movie_lzw.tif")
    if not os.path.exists(movie):
        return print(movie, "does not exist: without TIFF")
    os.symlink(movie, "movie.tif")
    open("movies.star", "w").write(STAR.replace("movie.mrcs", "movie.tif"))
    with open("defects.txt", "w") as out:
        out.write("100 0 50 300\n0 600 768 10\n")
    compare_hot("tiff", "movie.tif", os.path.join(folder, "gain.mrc"), "defects.txt")


open("movies.star", "w").write(STAR)
check_turns(numpy.random.default_rng(1))
check_hot(numpy.random.default_rng(3))
check_tiff(sys.argv[2])
