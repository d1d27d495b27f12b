"""peers.py QUERN DATA: in an empty folder, results of `quern movie` on the movie in folder DATA against RELION.

TIFF: movie.mrcs and movie_lzw.tif, which RELION made of it, give the same bytes. Hot pixels are those of RELION. A
folder of quern is one of RELION's own: with --only_do_unfinished it takes all micrographs as they are and finds the
same accumulated motion in their metadata. MRC files are valid, if the package mrcfile is there to say so."""
import filecmp
import glob
import os
import subprocess
import sys

QUERN, DATA = sys.argv[1:]
DOSE = 1.2
failures = 0


def check(right, *what):
    global failures
    failures += not right
    print("ok    " if right else "FAILED", *what)


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    return result.returncode, result.stdout + result.stderr


def quern(out, *arguments):
    code, said = run(QUERN, "movie", *arguments, "-o", out, "--device", "host", "--quiet")
    if code:
        sys.exit("quern movie -o %s: %s" % (out, said))


def relion(out, star, *arguments):
    # RELION fails at its plots if Ghostscript is not installed, after all that is needed here is written
    said = run("relion_run_motioncorr", "--use_own", "--i", star, "--o", out + "/", "--j", "1", "--dose_weighting",
               "--save_noDW", "--gainref", "gain.mrc", *arguments)[1]
    if not os.path.exists(out + "/corrected_micrographs.star"):
        sys.exit("relion_run_motioncorr --o %s: %s" % (out, said))


def table(path, block):
    """Rows of a table as dictionaries; the values of a block without a loop are one row."""
    columns, rows, here, loop = [], [], False, False
    for words in (line.split() for line in open(path)):
        if not words or words[0][0] == "#":
            continue
        if words[0].startswith("data_"):
            here, loop = words[0] == "data_" + block, False
        elif here and words[0] == "loop_":
            loop = True
        elif here and words[0][0] == "_" and loop:
            columns.append(words[0][1:])
        elif here and words[0][0] == "_":
            rows = [dict(*rows, **{words[0][1:]: words[1]})]
        elif here:
            rows.append(dict(zip(columns, words)))
    return rows


def write_star(name, movies, voltage=300):
    with open(name, "w") as out:
        out.write("data_optics\n\nloop_\n_rlnOpticsGroupName\n_rlnOpticsGroup\n_rlnMicrographOriginalPixelSize\n"
                  "_rlnVoltage\n_rlnSphericalAberration\n_rlnAmplitudeContrast\ng 1 1.5 %d 2.7 0.1\n\n\n" % voltage)
        out.write("data_movies\n\nloop_\n_rlnMicrographMovieName\n_rlnOpticsGroup\n")
        out.writelines(movie + " 1\n" for movie in movies)
        out.write("\n")


def compare_formats():
    quern("mrc", "movie.mrcs", "--pixel", "1.5", "--dose", str(DOSE), "--gain", "gain.mrc", "--even-odd")
    quern("tif", "movie.tif", "--pixel", "1.5", "--dose", str(DOSE), "--gain", "gain.mrc", "--even-odd")
    for end in ("", "_noDW", "_EVN", "_ODD", "_PS"):
        name = "movie%s.mrc" % end
        check(filecmp.cmp("mrc/" + name, "tif/" + name, False), name, "of MRC and TIFF")
    lines = [[line for line in open(folder + "/movie.star") if "MovieName" not in line] for folder in ("mrc", "tif")]
    check(lines[0] == lines[1], "movie.star of MRC and TIFF")


def compare_hot_pixels():
    write_star("one.star", ["movie.mrcs"])
    relion("theirs", "one.star", "--dose_per_frame", str(DOSE), "--patch_x", "1", "--patch_y", "1")
    found = [sorted((float(row["rlnCoordinateX"]), float(row["rlnCoordinateY"]))
                    for row in table(folder + "/movie.star", "hot_pixels")) for folder in ("theirs", "mrc")]
    check(found[0] == found[1] and len(found[0]) > 10, len(found[0]), "hot pixels")
    ours, theirs = (table(folder + "/movie.star", "general")[0] for folder in ("mrc", "theirs"))
    for label, value in theirs.items():
        same = label in ours and (ours[label] == value or abs(float(ours[label]) - float(value)) < 1e-4)
        if label not in ("rlnMotionModelVersion", "rlnMicrographDefectFile", "rlnMicrographMovieName",
                         "rlnMicrographGainName"):
            check(same, label, "is", ours.get(label), "and of RELION", value)


def compare_folder(name, quern_arguments, relion_arguments):
    """RELION goes on in the folder `name`."""
    movies = ["raw/a.mrcs", "raw/b.c.tif", "raw/more/d.tif"]
    write_star(name + ".star", movies)
    quern(name, name + ".star", "--gain", "gain.mrc", *quern_arguments)
    ours = table(name + "/corrected_micrographs.star", "micrographs")
    images = sorted(glob.glob(name + "/raw/**/*.mrc", recursive=True))
    before = {image: open(image, "rb").read() for image in images}
    os.rename(name + "/corrected_micrographs.star", "ours.star")
    relion(name, name + ".star", "--only_do_unfinished", *relion_arguments)
    check(all(open(image, "rb").read() == data for image, data in before.items()), name, "images stay")
    theirs = table(name + "/corrected_micrographs.star", "micrographs")
    check(len(ours) == 3 and len(theirs) == 3, name, len(theirs), "micrographs")
    labels = ["rlnMicrographName", "rlnMicrographMetadata", "rlnOpticsGroup"]
    for label in labels + [label for label in ("rlnMicrographNameNoDW", "rlnCtfPowerSpectrum") if label in theirs[0]]:
        values = [sorted(row[label] for row in rows) for rows in (ours, theirs)]
        check(values[0] == values[1], name, label)
    theirs = {row["rlnMicrographName"]: row for row in theirs}
    for label in ("rlnAccumMotionTotal", "rlnAccumMotionEarly", "rlnAccumMotionLate"):
        worst = max(abs(float(row[label]) - float(theirs[row["rlnMicrographName"]][label])) for row in ours)
        check(worst < 1e-4, name, label, "differs by", worst)
    optics = [table(star, "optics")[0] for star in ("ours.star", name + "/corrected_micrographs.star")]
    for label, value in optics[1].items():
        same = optics[0].get(label) == value or abs(float(optics[0][label]) - float(value)) < 1e-6
        check(same, name, "optics:", label)


def compare_folders():
    os.makedirs("raw/more")
    os.symlink("../movie.mrcs", "raw/a.mrcs")
    os.symlink("../movie.tif", "raw/b.c.tif")
    os.symlink("../../movie.tif", "raw/more/d.tif")
    spectrum = ["--grouping_for_ps", "4"]
    compare_folder("plain", ["--dose", "1.2"], ["--dose_per_frame", "1.2", *spectrum])
    compare_folder("before", ["--dose", "0.7", "--pre-dose", "1.5"],
                   ["--dose_per_frame", "0.7", "--preexposure", "1.5", *spectrum])
    compare_folder("later", ["--dose", "0.5", "--frames", "4-13"],
                   ["--dose_per_frame", "0.5", "--first_frame_sum", "4", "--last_frame_sum", "13", *spectrum])
    compare_folder("binned", ["--dose", "1.2", "--bin", "2", "--patches", "none"],
                   ["--dose_per_frame", "1.2", "--bin_factor", "2", *spectrum])


def validate():
    try:
        import mrcfile
    except ImportError:
        return print("without mrcfile, which is not installed")
    quern("half", "movie.tif", "--pixel", "1.5", "--gain", "gain.mrc", "--float16")
    for image in sorted(glob.glob("mrc/*.mrc")):
        with open("problems", "w") as problems:
            check(mrcfile.validate(image, problems), image, "is valid", open("problems").read().strip())
    # mrcfile adds up 2-byte floats as such, and so cannot validate them
    with mrcfile.open("half/movie.mrc") as half, mrcfile.open("tif/movie_noDW.mrc") as whole:
        error = abs(half.data - whole.data) / (1 + abs(whole.data))
        check(half.data.dtype == "float16" and error.max() < 2e-3, "2-byte floats, errors up to", error.max())
        check(half.is_single_image() and abs(float(half.voxel_size.x) - 1.5) < 1e-5, "their pixel size")


for source, target in (("movie.mrcs",) * 2, ("movie_lzw.tif", "movie.tif"), ("gain.mrc",) * 2):
    os.symlink(os.path.join(DATA, source), target)
compare_formats()
compare_hot_pixels()
compare_folders()
validate()
sys.exit(failures > 0)
