"""vina_energies.py DATA OURS SCORING=PREFIX ...: AutoDock Vina's energies of poses in maps of quern and in others.

DATA: folder with a receptor, a ligand and docked poses; OURS: prefix of maps of quern. Each other argument is a scoring,
"vina" or "ad4", and the prefix of the maps to compare with; "vina=" makes Vina's own. Prints a line for each pose, and
exits with 1 if two energies differ by more than 0.005 kcal/mol.
"""
import sys

from vina import Vina

data, ours = sys.argv[1:3]
tolerance = 0.005


def poses():
    """The crystal ligand, then each docked pose, as PDBQT text."""
    yield "crystal", open(data + "/1iep_ligand.pdbqt").read()
    text, number = [], 0
    for line in open(data + "/1iep_ligand_vina123_seed1_out.pdbqt"):
        if line.startswith("MODEL"):
            text, number = [], number + 1
        elif line.startswith("ENDMDL"):
            yield "pose %d" % number, "".join(text)
        else:
            text.append(line)


def energies(scoring, prefix):
    v = Vina(sf_name=scoring, verbosity=0)
    v.load_maps(prefix)
    found = []
    for name, text in poses():
        v.set_ligand_from_string(text)
        found.append((name, v.score()[0]))
    return found


def write_own(prefix):
    v = Vina(sf_name="vina", verbosity=0)
    v.set_receptor(data + "/1iep_receptor.pdbqt")
    v.set_ligand_from_file(data + "/1iep_ligand.pdbqt")
    v.compute_vina_maps(center=[15.190, 53.903, 16.917], box_size=[30, 30, 30], spacing=0.375, force_even_voxels=True)
    v.write_maps(prefix, overwrite=True)


failed = False
for argument in sys.argv[3:]:
    scoring, prefix = argument.split("=")
    if not prefix:
        prefix = ours + "_own"
        write_own(prefix)
    worst = 0
    for (name, theirs), (_, energy) in zip(energies(scoring, prefix), energies(scoring, ours)):
        print("%-4s %-8s %9.3f, in maps of quern %9.3f" % (scoring, name, theirs, energy))
        worst = max(worst, abs(theirs - energy))
    print("%s: largest difference %.4f kcal/mol" % (scoring, worst))
    failed |= worst > tolerance
sys.exit(1 if failed else 0)
