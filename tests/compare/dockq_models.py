#!/usr/bin/env python3
"""Compare `quern evaluate` with the package DockQ on models of Docking Benchmark 5; run by check_dockq.sh.

    dockq_models.py QUERN DATA WORK [COMPLEXES [MODELS [ROTATIONS]]]

DATA has folders bm5 and bm5_train, WORK is for models. Needs the packages DockQ 2.1.3 and numpy. Two sets are compared:
  models    of the COMPLEXES (20) smallest complexes: up to half of MODELS (30) from `quern dock` with ROTATIONS (500)
            rotations at 1.5 Å, the rest with the unbound partners in place and the ligand displaced at random, a little
            or far, so that all classes occur;
  in place  every complex, its unbound partners superposed on the bound ones.

    dockq_models.py case WORK

writes tests/data/compare/dockq_1ppe.csv to standard output, from examples/1ppe: poses of the ligand and DockQ's numbers.

How DockQ is called: `DockQ MODEL NATIVE --mapping AB:AB --no_align`, here as a library. Chain A is the receptor, chain B
the ligand; --no_align matches residues by number, which this benchmark makes equal. DockQ takes the partner with fewer
residues in the native as the ligand (chain A, if they have equally many), so quern is called with that partner as the
ligand. DockQ reads ATOM records only. Its --no_align writes each number as a character and aligns these, so that it
cannot have the number 0, which is its sign for a gap, and does not see insertion codes. Complexes with these, and those
whose residues of equal number have other names, are compared without --no_align, with DockQ's alignment of sequences.
"""
import csv
import glob
import gzip
import math
import os
import random
import subprocess
import sys

import numpy as np
from DockQ.DockQ import load_PDB, run_on_all_native_interfaces

TOLERANCE = 0.001  # of every number; DockQ computes in single precision
COLUMNS = ("fnat", "interface_rmsd_angstrom", "ligand_rmsd_angstrom", "dockq")


def read(path):
    """The ATOM and HETATM lines of a file that may be gzipped."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        return [line.rstrip("\n") for line in file if line.startswith(("ATOM", "HETATM"))]


def positions(lines):
    return np.array([[float(line[30 + 8 * k:38 + 8 * k]) for k in range(3)] for line in lines])


def c_alphas(lines):
    return {line[22:27]: i for i, line in enumerate(lines) if line.startswith("ATOM") and line[12:16] == " CA "}


def fit(x, y):
    """Rotation R and translation t with x R + t nearest to y (Kabsch 1976); x and y have points as rows."""
    u, _, vt = np.linalg.svd((x - x.mean(0)).T @ (y - y.mean(0)))
    rotation = u @ np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ vt))]) @ vt
    return rotation, y.mean(0) - x.mean(0) @ rotation


def superpose(moving, fixed):
    """The fit of `moving` on `fixed` by the Cα atoms that both have."""
    a, b = c_alphas(moving), c_alphas(fixed)
    common = [key for key in a if key in b]
    return fit(positions([moving[a[key]] for key in common]), positions([fixed[b[key]] for key in common]))


def displaced(x, rng, largest_degrees, largest_angstrom):
    axis = np.array([rng.gauss(0, 1) for _ in range(3)])
    axis /= np.linalg.norm(axis)
    angle = math.radians(rng.uniform(0, largest_degrees))
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    rotation = np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross
    shift = np.array([rng.gauss(0, 1) for _ in range(3)])
    shift *= rng.uniform(0, largest_angstrom) / np.linalg.norm(shift)
    return (x - x.mean(0)) @ rotation.T + x.mean(0) + shift


def write(path, partners):
    """A file of partners (lines, positions), named as chains A and B."""
    with open(path, "w") as file:
        for chain, (lines, xyz) in zip("AB", partners):
            for line, x in zip(lines, xyz):
                element = line[12:16].strip().lstrip("0123456789")[:1]  # some files have "H" for other elements
                file.write(f"{line[:21]}{chain}{line[22:30]}{x[0]:8.3f}{x[1]:8.3f}{x[2]:8.3f}{line[54:66]:22}"
                           f"{element:>2}\n")
            file.write("TER\n")
        file.write("END\n")


class Complex:
    def __init__(self, folder, work):
        self.name, self.folder, self.work = os.path.basename(folder).upper(), folder, work
        os.makedirs(work, exist_ok=True)
        self.unbound = [read(self.file("r_u")), read(self.file("l_u") or self.file("l_u_rnd"))]
        self.bound = [read(self.file("r_b-matched")), read(self.file("l_b-matched"))]
        self.size = sum(len(lines) for lines in self.unbound)
        counts = [len({line[22:27] for line in lines if line.startswith("ATOM")}) for lines in self.bound]
        self.swapped = counts[0] <= counts[1]  # DockQ takes the receptor as its ligand
        self.native = os.path.join(work, "native.pdb")
        self.by_number = self.numbers_match()

    def numbers_match(self):
        """Whether DockQ's --no_align can match the residues."""
        for unbound, bound in zip(self.unbound, self.bound):
            names = [{line[22:27]: line[17:20] for line in lines if line.startswith("ATOM")}
                     for lines in (unbound, bound)]
            numbers = [int(key[:4]) for part in names for key in part]
            gap = 45 - max(45, -min(numbers))  # DockQ's shift of numbers brings this one to the character "-"
            codes = any(key[4] != " " for part in names for key in part)
            if gap in numbers or codes or any(names[0].get(key, name) != name for key, name in names[1].items()):
                return False
        return True

    def file(self, part):
        found = glob.glob(os.path.join(glob.escape(self.folder), f"{self.name}_{part}.pdb*"))
        return found[0] if found else None

    def placed(self):
        fits = [superpose(self.unbound[k], self.bound[k]) for k in range(2)]
        return [positions(lines) @ rotation + shift for lines, (rotation, shift) in zip(self.unbound, fits)]

    def write_native(self):
        write(self.native, [(lines, positions(lines)) for lines in self.bound])

    def write_in_place(self):
        path = os.path.join(self.work, "in_place.pdb")
        write(path, list(zip(self.unbound, self.placed())))
        return [path]

    def write_models(self, quern, count, rotations):
        out, rng = os.path.join(self.work, "dock"), random.Random("dockq-" + self.name)
        if not os.path.exists(os.path.join(out, "run.json")):
            subprocess.run([quern, "dock", self.file("r_u"), self.file("l_u_rnd"), "-o", out, "--coefficients",
                            "balanced", "--rotations", str(rotations), "--spacing", "1.5", "--clusters",
                            str(count // 2), "--device", "host", "--quiet", "--overwrite"], check=True)
        models = sorted(path for path in glob.glob(os.path.join(glob.escape(out), "cluster_*.pdb")))[:count // 2]
        receptor, ligand = self.placed()
        while len(models) < count:  # three scales: high and medium, acceptable, incorrect
            degrees, angstrom = ((6, 1.5), (25, 6), (90, 15))[len(models) % 3]
            path = os.path.join(self.work, f"displaced_{len(models):02d}.pdb")
            write(path, list(zip(self.unbound, [receptor, displaced(ligand, rng, degrees, angstrom)])))
            models.append(path)
        return models

    def by_quern(self, quern, models):
        table = os.path.join(self.work, "quality.csv")
        references, chains = [self.file("r_b-matched"), self.file("l_b-matched")], ["A", "B"]
        if self.swapped:
            references.reverse(), chains.reverse()
        subprocess.run([quern, "evaluate", *models, "--reference", *references, "--receptor-chains", chains[0],
                        "--ligand-chains", chains[1], "--csv", table], check=True, stdout=subprocess.DEVNULL)
        with open(table, newline="") as file:
            return [([float(row[column]) for column in COLUMNS], row["capri"]) for row in csv.DictReader(file)]

    def by_dockq(self, models):
        native, results = load_PDB(self.native), []
        for path in models:
            found, _ = run_on_all_native_interfaces(load_PDB(path), native, chain_map={"A": "A", "B": "B"},
                                                    no_align=self.by_number)
            results.append([float(found["AB"][key]) for key in ("fnat", "iRMSD", "LRMSD", "DockQ")])
        return results


def capri(fnat, interface, ligand):
    """The class by the limits of capri_class of DockQ's version 1; version 2 gives none."""
    if fnat < 0.1 or (ligand > 10 and interface > 4):
        return "incorrect"
    if fnat >= 0.5 and (ligand <= 1 or interface <= 1):
        return "high"
    return "medium" if fnat >= 0.3 and (ligand <= 5 or interface <= 2) else "acceptable"


# Complexes whose L-RMSD differs, by at most 0.05 Å, for a known reason.
KNOWN = {
    "1AZS": "DockQ's alignment of numbers leaves out three residues that have equal numbers",
    "1FAK": "DockQ's alignment of sequences leaves out residues with other names; quern matches them",
}


def compare(title, complexes, models_of, quern):
    """Print the largest differences and return the number of models that differ without a known reason."""
    largest, classes, wrong, total = [0.0] * 4, {}, 0, 0
    for one in complexes:
        one.write_native()
        models = models_of(one)
        for path, (numbers, name), peer in zip(models, one.by_quern(quern, models), one.by_dockq(models)):
            total += 1
            classes[name] = classes.get(name, 0) + 1
            apart = [abs(a - b) for a, b in zip(numbers, peer)]
            allowed = [TOLERANCE, TOLERANCE, 0.05 if one.name in KNOWN else TOLERANCE, TOLERANCE]
            if name != capri(*peer[:3]) or any(a > b for a, b in zip(apart, allowed)):
                wrong += 1
                print(f"{one.name} {os.path.basename(path)}: quern {numbers} {name}, DockQ {peer} {capri(*peer[:3])}")
            elif one.name not in KNOWN:
                largest = [max(a, b) for a, b in zip(largest, apart)]
    print(f"{title}: {total} models of {len(complexes)} complexes; "
          + ", ".join(f"{classes[key]} {key}" for key in sorted(classes)))
    print("  largest difference: " + ", ".join(f"{column} {value:.2g}" for column, value in zip(COLUMNS, largest)))
    print("  without --no_align: " + (" ".join(one.name for one in complexes if not one.by_number) or "none"))
    for name in sorted(KNOWN.keys() & {one.name for one in complexes}):
        print(f"  {name}, L-RMSD within 0.05 Å: {KNOWN[name]}")
    return wrong


def write_case(example, work):
    """Print poses of the ligand, x' = R x + t of 1PPE_l_u_rnd.pdb beside 1PPE_r_u.pdb, with DockQ's numbers."""
    one, rng, poses, models = Complex(example, work), random.Random("case"), [], []
    one.write_native()
    start, (rotation, shift) = positions(one.unbound[1]), superpose(one.bound[0], one.unbound[0])
    in_place = one.placed()[1] @ rotation + shift
    for i in range(12):
        poses.append(displaced(in_place, rng, *((6, 1), (25, 5), (90, 12))[i % 3]))
        models.append(os.path.join(work, f"case_{i:02d}.pdb"))
        write(models[-1], [(one.unbound[0], positions(one.unbound[0])), (one.unbound[1], poses[-1])])
    print("r11,r12,r13,r21,r22,r23,r31,r32,r33,tx,ty,tz,fnat,interface_rmsd,ligand_rmsd,dockq")
    for pose, peer in zip(poses, one.by_dockq(models)):
        rotation, shift = fit(start, pose)
        print(",".join(f"{value:.9f}" for value in [*rotation.T.ravel(), *shift, *peer]))
    return 0


def main():
    if sys.argv[1] == "case":
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        return write_case(os.path.join(root, "examples", "1ppe"), sys.argv[2])
    quern, data, work = sys.argv[1:4]
    count, models, rotations = (list(map(int, sys.argv[4:7])) + [20, 30, 500][len(sys.argv) - 4:])[:3]
    folders = [folder.rstrip("/") for folder in sorted(glob.glob(os.path.join(data, "bm5*", "*", "")))]
    complexes = [Complex(folder, os.path.join(work, os.path.basename(folder))) for folder in folders]
    complexes.sort(key=lambda one: (one.size, one.name))
    wrong = compare("in place", complexes, Complex.write_in_place, quern)
    wrong += compare("models", complexes[:count], lambda one: one.write_models(quern, models, rotations), quern)
    print(f"{wrong} models differ by more than {TOLERANCE} without a known reason")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
