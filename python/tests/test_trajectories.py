"""Trajectories: files, arrays and functions give the same; queries against numbers of their own."""

import subprocess
import types
import unittest

import numpy as np
import quern
from support import COMMAND, EXAMPLES, Case

WATER = str(EXAMPLES / "water/water.tpr"), str(EXAMPLES / "water/water.xtc")


class Queries(Case):
    @classmethod
    def setUpClass(cls):
        cls.files = quern.Trajectory(*WATER)
        cls.memory = cls.files.frames()

    def test_rdf_of_the_command(self):
        found = self.files.rdf("name OW", "name OW", max=0.8)
        words = ["rdf", *WATER, "--select", "name OW", "--with", "name OW", "--max", "0.8"]
        subprocess.run([COMMAND, "trajectory", *words, "--format", "csv", "-o", str(self.folder / "out"), "-q"], check=True)
        rows = np.genfromtxt(next((self.folder / "out").glob("rdf*.csv")), delimiter=",", skip_header=1)
        np.testing.assert_allclose(found.r, rows[:, 0], rtol=1e-5)
        np.testing.assert_allclose(found.g, rows[:, 1], rtol=1e-4, atol=1e-6)
        self.assertEqual(found.units["r"], "nm")

    def test_gyration(self):
        found = self.files.gyration("resid 1", whole=False)
        atoms = self.files.topology.atoms
        place = np.asarray(self.memory.positions_nm[:, np.asarray(atoms["residue"]) == 0], np.float64)
        mass = np.asarray(atoms["mass_u"])[np.asarray(atoms["residue"]) == 0]
        centre = (place * mass[:, None]).sum(1, keepdims=True) / mass.sum()
        expected = np.sqrt(((place - centre) ** 2 * mass[:, None]).sum((1, 2)) / mass.sum())
        np.testing.assert_allclose(found.rg, expected, rtol=2e-4)
        np.testing.assert_allclose(found.time, self.memory.times_ps, rtol=1e-6)

    def test_arrays_and_functions_give_the_same(self):
        frames = self.memory
        expected = self.files.rdf("name OW", max=0.8).g
        columns = {"times_ps": frames.times_ps, "boxes_nm": frames.boxes_nm}
        arrays = quern.Trajectory(WATER[0], frames.positions_nm, **columns)
        np.testing.assert_array_equal(arrays.rdf("name OW", max=0.8).g, expected)
        many = quern.Trajectory(self.files.topology, lambda: zip(frames.positions_nm, frames.times_ps, frames.boxes_nm))
        for _ in range(2):
            np.testing.assert_array_equal(many.rdf("name OW", max=0.8).g, expected)

    def test_analyse(self):
        found = self.files.analyse(a=quern.q.rdf("name OW", max=0.8), b=quern.q.gyration("resid 1"), stride=2)
        self.assertEqual(found.frame_count, 11)
        self.assertEqual([one.name for one in found.queries], ["a", "b"])
        np.testing.assert_array_equal(found.b.rg, found["b"].table["rg"])
        self.assertIn("no query is named 'c'", self.message(KeyError, lambda: found["c"]))
        self.assertRaises(AttributeError, lambda: found.c)
        self.assertIn("no query", self.message(TypeError, self.files.analyse, stride=2))

    def test_frames_that_raise(self):
        def broken():
            yield self.memory.positions_nm[0]
            raise KeyError("mine")

        self.assertRaises(KeyError, quern.Trajectory(WATER[0], broken).gyration)
        wrong = quern.Trajectory(WATER[0], lambda: [np.zeros((3, 3))])
        self.assertIn("expected (1398, 3)", self.message(ValueError, wrong.gyration))
        nan = quern.Trajectory(WATER[0], lambda: [np.full((1398, 3), np.nan)])
        self.message(quern.Error, nan.gyration)

    def test_refusals(self):
        self.assertIn("no parameter 'maximum'", self.message(TypeError, quern.q.rdf, maximum=1))
        self.assertIn("no option 'maximum'", self.message(TypeError, self.files.rdf, maximum=1))
        self.assertIn("max", self.message(quern.InvalidArgument, self.files.rdf, "name OW", max=-1))
        self.message(quern.InvalidArgument, self.files.rdf, "nonsense OW")
        self.assertIn("belong to frames", self.message(TypeError, quern.Trajectory, *WATER, times_ps=[1]))

    def test_every_class_is_a_method(self):
        for name in quern.q.NAMES:
            self.assertTrue(callable(getattr(self.files, name)) and callable(getattr(quern.q, name)))

    def test_write(self):
        self.files.write(self.folder / "part.dcd", select="name OW", stride=5)
        self.assertGreater((self.folder / "part.dcd").stat().st_size, 0)

    def test_universe(self):
        """An object with the attributes of MDAnalysis' Universe, whose lengths are in Å."""
        atoms, frames = self.files.topology.atoms, self.memory
        residues = np.asarray(atoms["residue"])
        step = [types.SimpleNamespace(positions=place * np.float32(10), dimensions=True, time=time, triclinic_dimensions=box * 10)
                for place, time, box in zip(frames.positions_nm, frames.times_ps, frames.boxes_nm)]  # fmt: skip
        group = types.SimpleNamespace(names=np.asarray(atoms["name"]), resindices=residues, masses=atoms["mass_u"],
                                      resnames=np.full(len(atoms), "SOL", object), resids=residues + 1)  # fmt: skip
        universe = types.SimpleNamespace(atoms=group, trajectory=step)
        found = quern.Trajectory.from_mdanalysis(universe).rdf("name OW", max=0.8)
        np.testing.assert_allclose(found.g, self.files.rdf("name OW", max=0.8).g, atol=0.02)

    def test_distances_of_a_trajectory(self):
        select = "name OW and resid 1 to 20"
        of_files = quern.distances(self.files, select=select, measure="rmsd", whole="no").distances
        columns = {"times_ps": self.memory.times_ps, "boxes_nm": self.memory.boxes_nm}
        arrays = quern.Trajectory(self.files.topology, self.memory.positions_nm, **columns)
        np.testing.assert_array_equal(quern.distances(arrays, select=select, measure="rmsd", whole="no").distances, of_files)


if __name__ == "__main__":
    unittest.main()
