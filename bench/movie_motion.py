"""Error of the motion of a movie: movie_motion.py TRUTH.csv MOVIE.star LABEL

TRUTH.csv has rows frame (from 0), x, y, dx, dy: the displacement of the content in pixels at places of a grid. The STAR
file has the global shifts, which are minus the displacement, and RELION's motion polynomial of version 1: the local
shift along each axis is (z, z², z³) × (1, x, x², y, y², xy) · coefficients with z = frame, x = X / width − 1/2; its
sign is that of the global shifts.
The root mean square of the length of the error over all rows is printed, after the mean difference is removed, because
no program can know the displacement before the first frame.
"""
import sys

import numpy as np


def read_star(path):
    tables, block, columns = {}, None, []
    for line in open(path):
        words = line.split()
        if not words or line.startswith("#") or words[0] == "loop_":
            continue
        if words[0].startswith("data_"):
            block, columns = words[0][5:], []
            tables[block] = {"columns": columns, "rows": [], "values": {}}
        elif words[0].startswith("_"):
            columns.append(words[0][1:])
            if len(words) > 1 and not words[1].startswith("#"):
                tables[block]["values"][words[0][1:]] = words[1]
        else:
            tables[block]["rows"].append(words)
    return tables


def main():
    truth = np.loadtxt(sys.argv[1], delimiter=",", comments="#")
    star = read_star(sys.argv[2])
    width = float(star["general"]["values"]["rlnImageSizeX"])
    height = float(star["general"]["values"]["rlnImageSizeY"])
    frame = truth[:, 0].astype(int)
    shifts = {int(row[0]): (float(row[1]), float(row[2])) for row in star["global_shift"]["rows"]}
    found = -np.array([shifts[f + 1] for f in frame])
    coefficients = [float(row[1]) for row in star.get("local_motion_model", {"rows": []})["rows"]]
    if len(coefficients) == 36:
        z, x, y = frame.astype(float), truth[:, 1] / width - 0.5, truth[:, 2] / height - 0.5
        space = np.stack([np.ones_like(x), x, x * x, y, y * y, x * y], 1)
        time = np.stack([z, z**2, z**3], 1)
        design = (space[:, :, None] * time[:, None, :]).reshape(len(frame), 18)
        found -= np.stack([design @ coefficients[:18], design @ coefficients[18:]], 1)
    error = truth[:, 3:5] - found
    error -= error.mean(0)
    length = np.hypot(*error.T)
    print(f"{sys.argv[3]:24s} {np.sqrt((length**2).mean()):.3f} px, 95 % below {np.percentile(length, 95):.3f} px")


main()
