"""Compare the sums of `quern movie` with those of RELION: weights.py QUERN, in an empty folder.

All frames of the movie are multiples of one image, so neither program shifts them by more than 1e-3 pixels. Then the
weighted sum is the plain one times a function of frequency in which every frame's weight counts differently.
"""
import struct
import subprocess
import sys

import numpy

QUERN = sys.argv[1]
WIDTH, HEIGHT, DOSE, PIXEL = 768, 640, 2.3, 1.0
MULTIPLES = numpy.array([1, 7, 1, 1, 3, 1, 1, 1, 9, 1, 1, 2])
TABLE = """
data_optics

loop_
_rlnOpticsGroupName #1
_rlnOpticsGroup #2
_rlnMicrographOriginalPixelSize #3
_rlnVoltage #4
_rlnSphericalAberration #5
_rlnAmplitudeContrast #6
opticsGroup1 1 %.1f %d 2.7 0.1

data_movies

loop_
_rlnMicrographMovieName #1
_rlnOpticsGroup #2
movie.mrcs 1
"""


def write_movie():
    image = numpy.random.default_rng(2).poisson(6, (HEIGHT, WIDTH))
    frames = (image[None] * MULTIPLES[:, None, None]).astype("<i2")
    header = bytearray(1024)
    struct.pack_into("<10i", header, 0, WIDTH, HEIGHT, len(frames), 1, 0, 0, 0, WIDTH, HEIGHT, 1)
    struct.pack_into("<6f", header, 40, WIDTH * PIXEL, HEIGHT * PIXEL, PIXEL, 90, 90, 90)
    struct.pack_into("<3i", header, 64, 1, 2, 3)
    struct.pack_into("<i", header, 108, 20140)
    header[208:212], header[212:216] = b"MAP ", bytes([0x44, 0x44, 0, 0])
    with open("movie.mrcs", "wb") as file:
        file.write(header)
        file.write(frames.tobytes())


def read(path):
    with open(path, "rb") as file:
        header = file.read(1024)
        width, height, _, mode = struct.unpack_from("<4i", header)
        assert mode == 2, path
        file.seek(1024 + struct.unpack_from("<i", header, 92)[0])
        return numpy.fromfile(file, "<f4", width * height).reshape(height, width).astype(float)


def run(command, name):
    with open(name + ".log", "w") as log:
        subprocess.run(command, stdout=log, stderr=log)  # RELION fails at its plots where Ghostscript is missing


def weights(factor):
    """Σ multiple · w_t / Σ multiple, by the published formula."""
    k = numpy.hypot(numpy.fft.fftfreq(HEIGHT, PIXEL)[:, None], numpy.fft.rfftfreq(WIDTH, PIXEL)[None])
    k[0, 0] = 1e-9
    critical = (0.245 * k**-1.665 + 2.81) * factor
    q = numpy.exp(-DOSE * numpy.arange(1, len(MULTIPLES) + 1)[:, None, None] / (2 * critical))
    w = q / numpy.sqrt((q * q).sum(0))
    return (MULTIPLES[:, None, None] * w).sum(0) / MULTIPLES.sum()


def ratio(folder):
    weighted, plain = (numpy.fft.rfft2(read("%s/movie%s.mrc" % (folder, end))) for end in ("", "_noDW"))
    strong = numpy.abs(plain) > numpy.median(numpy.abs(plain))
    return (weighted / plain).real, strong


def rings(image):
    side = len(image)
    radius = numpy.hypot(*numpy.mgrid[-(side // 2):side - side // 2, -(side // 2):side - side // 2]).astype(int)
    return numpy.bincount(radius.ravel(), image.ravel()) / numpy.bincount(radius.ravel())


def check(what, error, most):
    print("%s: %.2g, at most %.2g" % (what, error, most))
    return error <= most


def compare(voltage, factor):
    star, theirs, ours = "movies_%d.star" % voltage, "relion_%d" % voltage, "quern_%d" % voltage
    with open(star, "w") as file:
        file.write(TABLE % (PIXEL, voltage))
    run(["relion_run_motioncorr", "--use_own", "--i", star, "--o", theirs + "/", "--dose_weighting", "--save_noDW",
         "--dose_per_frame", str(DOSE), "--patch_x", "1", "--patch_y", "1", "--skip_defect",
         "--grouping_for_ps", "2", "--ps_size", "256"],
        theirs)
    run([QUERN, "movie", star, "-o", ours, "--dose", str(DOSE), "--patches", "none", "--hot-pixels", "1000",
         "--spectrum-size", "256", "--device", "host"], ours)
    expected, right = weights(factor), True
    for name in (theirs, ours):
        found, strong = ratio(name)
        right &= check("%s, weights" % name, numpy.abs(found - expected)[strong].max(), 1e-5)
    for end in ("", "_noDW"):
        a, b = read("%s/movie%s.mrc" % (theirs, end)), read("%s/movie%s.mrc" % (ours, end))
        inside = (slice(8, -8), slice(8, -8))  # RELION shifts frames by 6e-4 pixels, which changes noise by 1e-3
        right &= check("%d kV, sum%s" % (voltage, end), (a - b)[inside].std() / a.std(), 2e-3)
    a, b = (rings(read(name + "/movie_PS.mrc"))[10:120] for name in (theirs, ours))
    return right & check("%d kV, rings of the spectrum" % voltage, numpy.abs(a / b - 1).mean(), 0.03)


write_movie()
sys.exit(0 if all([compare(300, 1), compare(200, 0.8), compare(100, 0.64)]) else 1)
