"""peers.py QUERN: clusters of made sets by quern cluster, scipy and, if it is installed, GROMACS. Run by check_peers.sh
in an empty folder; ends with an assertion where they differ."""
import csv
import json
import re
import shutil
import subprocess
import sys

import numpy
from scipy.cluster.hierarchy import cophenet, fcluster, linkage

quern = sys.argv[1]


def write_models(path, models):
    with open(path, "w") as file:
        for number, points in enumerate(models):
            file.write(f"TITLE     made t= {number:.5f}\nMODEL     {number + 1:4d}\n")  # GROMACS reads a time there
            for i, (x, y, z) in enumerate(points, 1):
                file.write(f"ATOM  {i:5d}  CA  ALA A{i:4d}    {x:8.3f}{y:8.3f}{z:8.3f}  1.00  0.00           C\n")
            file.write("ENDMDL\n")


def make_models(seed, count, atoms, groups, noise):
    random = numpy.random.RandomState(seed)
    chains = [numpy.cumsum(random.normal(0, 2.2, (atoms, 3)), axis=0) for _ in range(groups)]
    for _ in range(count):
        turn = numpy.linalg.qr(random.normal(size=(3, 3)))[0]
        turn *= numpy.sign(numpy.linalg.det(turn))
        yield (chains[random.randint(groups)] + random.normal(0, noise, (atoms, 3))) @ turn.T


def run(*arguments):
    done = subprocess.run([quern, *arguments, "--overwrite", "--quiet", "--tune", "off"], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stderr)


def read(name, column):
    with open("out/" + name) as file:
        return numpy.array([float(row[column]) for row in csv.DictReader(file)])


def same(labels, others):
    return ((labels[:, None] == labels) == (others[:, None] == others)).all()


def compare_scipy(models, distances):
    for method in ("single", "complete", "average", "ward"):
        tree = linkage(distances.astype(float), method)
        height = float(numpy.quantile(tree[:, 2], 0.9))
        for option, value, criterion in (("--clusters", 5, "maxclust"), ("--cutoff", height, "distance")):
            run("cluster", models, "--distances", "d.npy", "--method", method, option, str(value), "-o", "out")
            assert abs(read("linkage.csv", "height_angstrom") - tree[:, 2]).max() < 1e-4, method
            for column, name in enumerate(("first", "second", None, "size")):
                assert name is None or (read("linkage.csv", name) == tree[:, column]).all(), (method, name)
            assert same(read("assignments.csv", "cluster"), fcluster(tree, value, criterion)), (method, option)
        with open("out/run.json") as file:
            correlation = json.load(file)["cophenetic_correlation"]
        assert abs(correlation - cophenet(tree, distances)[0]) < 1e-4, method


def run_gromacs(models, method, cutoff):
    """Cluster of each structure, and the middle structure of each cluster, from the log of gmx cluster."""
    done = subprocess.run(["gmx", "cluster", "-f", models, "-s", models, "-method", method, "-cutoff", str(cutoff / 10),
                           "-g", "c.log", "-o", "c.xpm", "-dist", "c.xvg", "-cl", "c.pdb", "-nobackup"],
                          input="0 0", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-500:]
    clusters, middles, cluster = {}, {}, 0
    for line in open("c.log"):
        parts = line.split("|")
        if len(parts) != 4 or "cl." in line:
            continue
        if parts[0].strip():
            cluster = int(parts[0])
            middles[cluster] = int(float(parts[2].split()[0]))
        clusters.update((int(item), cluster) for item in re.findall(r"\d+", parts[3]))
    return numpy.array([clusters[item] for item in range(len(clusters))]), middles


def compare_gromacs(models, distances):
    for share in (0.05, 0.2, 0.5):
        cutoff = float(numpy.quantile(distances, share))
        for method, name in (("gromos", "gromos"), ("single", "linkage")):
            run("cluster", models, "--distances", "d.npy", "--method", method, "--cutoff", str(cutoff), "-o", "out")
            clusters, middles = run_gromacs(models, name, cutoff)
            labels = read("assignments.csv", "cluster")
            assert same(labels, clusters), (method, cutoff)
            assert (read("assignments.csv", "is_medoid") == 1)[list(middles.values())].all(), (method, cutoff)


for seed, shape in enumerate([(60, 20, 4, 1.0), (150, 30, 7, 1.5), (40, 15, 1, 0.5)]):
    write_models("models.pdb", make_models(seed, *shape))
    run("distance", "models.pdb", "--measure", "rmsd", "-o", "d.npy")
    measured = numpy.load("d.npy")
    compare_scipy("models.pdb", measured)
    if shutil.which("gmx"):
        compare_gromacs("models.pdb", measured)
print("equal to scipy", "and GROMACS" if shutil.which("gmx") else "(gmx is not installed)")
