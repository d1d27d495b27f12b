"""Programs that write files write the command's files, byte for byte, and give in memory what the files hold."""

import csv
import filecmp
import gzip
import subprocess
import unittest
from pathlib import Path

import numpy as np
import quern
from support import COMMAND, EXAMPLES, Case, inside

TIMED = {"report.html", "run.json"}  # they state times, and are compared by their names alone
WATER = [EXAMPLES / "water/water.tpr", EXAMPLES / "water/water.xtc"]
BODY = {"material": "svk:10000,0.45", "fix": "tag:held", "contact": "near:0.092,0.025,0.011,0.012"}


def words_of(options):
    """Options as the command line has them."""
    words = []
    for name, value in options.items():
        words.append(f"--{name.replace('_', '-')}")
        words += [] if value is True else [str(value)]
    return words


def files_of(path):
    return {str(one.relative_to(path)): one for one in sorted(path.rglob("*")) if one.is_file()} if path.is_dir() else {path.name: path}


class Bytes(Case):
    def command(self, *words, folder=None):
        made = subprocess.run([COMMAND, *map(str, words), "-q"], cwd=folder, capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr)

    def compare(self, call, action, inputs, options, output="out", timed=TIMED):
        """Run the program in both ways; returns the result and the folder of the package's files."""
        mine, theirs = self.folder / "mine", self.folder / "command"
        for one in (mine, theirs):
            one.mkdir(exist_ok=True)
        with inside(mine):  # files that state their places then state the same
            result = call(*inputs, output=output, **options)
        flat = [one for part in inputs for one in (part if isinstance(part, list) else [part])]
        self.command(*action.split(), *flat, *words_of(options), "-o", output, folder=theirs)
        made, expected = files_of(mine / output), files_of(theirs / output)
        self.assertEqual(list(made), list(expected))
        same = [name for name in made if Path(name).name not in timed]
        self.assertTrue(same)
        for name in same:
            self.assertTrue(filecmp.cmp(made[name], expected[name], shallow=False), name)
        return result, mine / output

    def rows(self, path):
        with open(path, newline="") as stream:
            return list(csv.DictReader(line for line in stream if not line.startswith("#")))

    def test_screen(self):
        text = (EXAMPLES / "1iep/kinase_inhibitors.sdf").read_text().split("$$$$\n")
        library = self.folder / "library.sdf"
        library.write_text("".join(one + "$$$$\n" for one in text[:2]))
        inputs = [EXAMPLES / "1iep/1iep_receptor.pdb", library]
        options = {"site": EXAMPLES / "1iep/1iep_ligand.sdf", "walkers": 4, "effort": 0.05}
        found, folder = self.compare(quern.screen, "screen", inputs, options)
        rows = self.rows(folder / "scores.csv")
        self.assertEqual([row["name"] for row in rows], found.molecules["name"][found.ranking].tolist())
        np.testing.assert_allclose(found.molecules["energy"][found.ranking], [float(row["energy_kcal_per_mol"]) for row in rows], atol=6e-4)
        held = quern.screen(quern.Molecule.read(inputs[0]), library.read_bytes(), **options)
        np.testing.assert_array_equal(held.molecules["energy"], found.molecules["energy"])
        packed = quern.screen_pack(library, output=self.folder / "library.qlib")
        in_memory = quern.screen_pack([library.read_bytes()])
        self.assertEqual((packed.molecule_count, packed.bytes), (2, None))
        self.assertEqual(in_memory.bytes, (self.folder / "library.qlib").read_bytes())
        again = quern.screen(inputs[0], [("library.qlib", in_memory.bytes)], **options)
        np.testing.assert_array_equal(again.molecules["energy"], found.molecules["energy"])

    def test_trajectory(self):
        t = quern.Trajectory(*WATER)
        mine, theirs = self.folder / "mine", self.folder / "command"
        found = t.rdf("name OW", "name OW", max=0.8, output=mine, format="csv")
        words = ["rdf", *map(str, WATER), "--select", "name OW", "--with", "name OW", "--max", "0.8", "--format", "csv"]
        self.command("trajectory", *words, "-o", theirs)
        names = sorted(one.name for one in theirs.iterdir())
        self.assertEqual(sorted(one.name for one in mine.iterdir()), names)
        self.assertEqual(filecmp.cmpfiles(mine, theirs, [one for one in names if one not in TIMED], shallow=False)[1:], ([], []))
        self.assertGreater(len(found.g), 10)
        t.write(mine / "part.xtc", stride=5)
        self.command("trajectory", "convert", WATER[1], "--stride", 5, "-o", theirs / "part.xtc")
        self.assertTrue(filecmp.cmp(mine / "part.xtc", theirs / "part.xtc", shallow=False))

    def test_maps(self):
        volume = EXAMPLES / "particle/map.mrc.gz"
        views, stack = self.compare(quern.project, "project", [volume], {"views": 30, "noise": 0.5}, "views.mrcs")
        self.assertEqual(views.image_count, 30)
        star = stack.with_suffix(".star")
        made, folder = self.compare(quern.reconstruct, "reconstruct", [star], {"halves": True, "deterministic": True}, "map.mrc", TIMED | {"map.json"})
        np.testing.assert_array_equal(made.volume, quern.Volume.read(folder).values)
        views = quern.project(volume, views=30, noise=0.5)
        held = quern.reconstruct(views.particle_set, images=views.images, halves=True)
        np.testing.assert_allclose(held.volume, made.volume, atol=2e-3 * np.abs(made.volume).max())
        halves = sorted(one for one in folder.parent.glob("*half*.mrc"))
        correlated, out = self.compare(quern.fsc, "fsc", halves, {"mask": "auto"}, "fsc")
        rows = self.rows(out / "fsc.csv")
        np.testing.assert_allclose(correlated.unmasked, [float(row["fsc_unmasked"]) for row in rows], atol=1e-5)
        arrays = [np.asarray(quern.Volume.read(one)) for one in halves]
        of_arrays = quern.fsc(*arrays, pixel_angstrom=float(quern.Volume.read(halves[0]).voxel_angstrom[0]), mask="auto")
        np.testing.assert_array_equal(of_arrays.curve, correlated.curve)

    def test_structures(self):
        models = self.folder / "models.pdb"
        models.write_bytes(gzip.decompress((EXAMPLES / "hinge/models.pdb.gz").read_bytes()))
        found, path = self.compare(quern.distances, "distance", [models], {"measure": "rmsd"}, "matrix.npy")
        held = quern.distances(models, measure="rmsd")
        np.testing.assert_array_equal(np.load(path).ravel(), held.distances if np.load(path).ndim == 1 else held.square().ravel())
        self.assertEqual(found.count, held.count)
        groups, folder = self.compare(quern.cluster, "cluster", [models], {"clusters": 3, "measure": "drmsd"}, "groups")
        self.assertEqual(len(self.rows(folder / "clusters.csv")), 3)
        self.assertEqual(int(groups.clusters["size"].sum()), groups.count)

    def test_tunnels_and_transport(self):
        """A tube of atoms, which is open on both sides."""
        lines, number = [], 0
        for z in range(-12, 13, 2):
            for ring, radius in ((0, 5.0), (1, 7.5)):
                for k in range(16):
                    angle = 2 * np.pi * (k + 0.5 * (z // 2 % 2)) / 16
                    number += 1
                    x, y = radius * np.cos(angle), radius * np.sin(angle)
                    lines.append(f"ATOM  {number:5d}  C   GLY A{number:4d}    {x:8.3f}{y:8.3f}{z:8.3f}  1.00  0.00           C")
        (self.folder / "tube.pdb").write_text("\n".join([*lines, "END", ""]))
        found, folder = self.compare(quern.tunnel, "tunnel", [self.folder / "tube.pdb"],
                                     {"start": "0,0,0", "shell_radius": 12, "shell_depth": 2}, "tunnels")  # fmt: skip
        self.assertGreater(len(found.tunnels), 0)
        self.assertAlmostEqual(min(float(one.radii_angstrom.min()) for one in found.tunnels), 5.0 - 1.7, delta=0.5)
        held = quern.tunnel(quern.Molecule.read(self.folder / "tube.pdb"), start="0,0,0", shell_radius=12, shell_depth=2)
        np.testing.assert_array_equal(held.tunnels[0].radii_angstrom, found.tunnels[0].radii_angstrom)
        methane = self.folder / "methane.sdf"
        methane.write_text("methane\n  made\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n"
                           "    0.0000    0.0000    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0\nM  END\n$$$$\n")  # fmt: skip
        moved, _ = self.compare(quern.transport, "transport", [[self.folder / "tube.pdb", methane]],
                                {"tunnel": folder, "direction": "out"}, "passages")  # fmt: skip
        self.assertGreater(len(moved.passages), 0)
        one = moved.passages[0]
        self.assertEqual(len(one.distances_angstrom), len(one.lower))
        self.assertTrue((np.diff(one.distances_angstrom) >= 0).all())

    def test_movie(self):
        source = EXAMPLES / "movie"
        options = {"gain": source / "gain.mrc", "pixel": 1.0, "dose": 1.0}
        found, folder = self.compare(quern.movie, "movie", [source / "movie.tif"], options, "aligned",
                                     TIMED | {"journal.0"})  # it states times, too
        self.assertEqual(len(found.movies), 1)
        micrographs = [quern.Volume.read(one) for one in folder.rglob("*.mrc")]
        self.assertTrue(micrographs and all(np.isfinite(one.values).all() for one in micrographs))

    def test_deform(self):
        lobe = EXAMPLES / "deform/lobe.msh"
        solved, _ = self.compare(quern.deform.solve, "deform solve", [lobe], {**BODY, "move": "0,0,-0.001"}, "state")
        held = quern.deform.solve(quern.Mesh.read(lobe), move="0,0,-0.001", **{**BODY, "fix": "x<0.001"})
        self.assertEqual(held.positions.shape, (216, 3))
        np.testing.assert_allclose(solved.reactions.sum(0), 0, atol=1e-6)
        self.assertGreater(-solved.force[2], 0)
        grid = {**BODY, "step": 0.002, "reach": 0.002, "checks": 1}
        states, file = self.compare(quern.deform.space, "deform space", [lobe], grid, "body.qcs")
        self.assertEqual(states.state_count, 27)
        moves = {**BODY, "space": file, "clock": "simulated", "hand": "min-jerk:1,0.01,0.002", "duration": 0.2}
        ticks, _ = self.compare(quern.deform.simulate, "deform simulate", [lobe], moves, "run")
        self.assertEqual(ticks.ticks, 201)  # at both ends of 0.2 s, too

    def test_fuse(self):
        script = EXAMPLES / "fuse/axpydot.qf"
        found, folder = self.compare(quern.fuse.write, "fuse", [script], {"language": "c"}, "written")
        self.assertGreater(len(files_of(folder)), 0)


if __name__ == "__main__":
    unittest.main()
