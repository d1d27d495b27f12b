"""quern.dock and quern.evaluate: the command's bytes, results as arrays, exceptions, Ctrl-C."""

import csv
import filecmp
import logging
import os
import signal
import subprocess
import threading
import unittest

import numpy as np
import quern
from support import COMMAND, EXAMPLES, Case

RECEPTOR, LIGAND = str(EXAMPLES / "1ppe/1PPE_r_u.pdb"), str(EXAMPLES / "1ppe/1PPE_l_u_rnd.pdb")
SMALL = {"rotations": 20, "spacing": 2, "clusters": 2, "keep": 20, "coefficients": "balanced"}
LINKS = [(40, 20, 25.0), (192, 5, 12.0), (150, 20, 25.0), (99, 5, 20.0)]


class Docking(Case):
    @classmethod
    def setUpClass(cls):
        cls.result = quern.dock(RECEPTOR, LIGAND, threads=2, **SMALL)

    def test_bytes_of_the_command(self):
        mine, command = self.folder / "mine", self.folder / "command"
        result = quern.dock(RECEPTOR, LIGAND, output=mine, **SMALL)
        words = [text for name, value in SMALL.items() for text in (f"--{name}", str(value))]
        subprocess.run([COMMAND, "dock", RECEPTOR, LIGAND, "-o", str(command), "-q", *words], check=True)
        names = sorted(path.name for path in command.iterdir())
        self.assertEqual(sorted(path.name for path in mine.iterdir()), names)
        timed = ["report.html", "run.json"]
        same, other, errors = filecmp.cmpfiles(mine, command, [name for name in names if name not in timed], shallow=False)
        self.assertEqual((other, errors), ([], []))
        self.assertGreater(len(same), 5)
        self.assertEqual(result.report.path, mine / "report.html")
        result.report.save(self.folder / "copy.html")
        self.assertTrue(filecmp.cmp(self.folder / "copy.html", mine / "report.html", shallow=False))
        self.assertIn("iframe", result.report._repr_html_())
        self.compare_with_files(result, mine)

    def compare_with_files(self, result, folder):
        with open(folder / "poses.csv") as stream:
            rows = list(csv.DictReader(stream))
        self.assertEqual(len(rows), len(result.poses))
        energies = [float(row["energy"]) for row in rows]
        np.testing.assert_allclose(result.poses["energy"], energies, rtol=1e-5, atol=1e-3)

    def test_poses_are_placed_as_models_are(self):
        """A model is the receptor and the ligand moved by R·x + t."""
        model, cluster = self.result.models[0], self.result.clusters[0]["model"]
        ligand = self.result.ligand
        moved = ligand.transformed(cluster["rotation"], cluster["translation_angstrom"]).positions_angstrom
        expected = ligand.positions_angstrom @ cluster["rotation"].T + cluster["translation_angstrom"]
        np.testing.assert_allclose(moved, expected, atol=1e-9)
        np.testing.assert_allclose(model.positions_angstrom[-len(moved):], expected, atol=1e-9)
        self.assertEqual(len(self.result.models), self.result.cluster_count)
        self.assertRaises(IndexError, lambda: self.result.models[99])

    def test_molecules_in_memory(self):
        again = quern.dock(quern.Molecule.read(RECEPTOR), quern.Molecule.read(LIGAND), **SMALL)
        np.testing.assert_array_equal(again.poses["energy"], self.result.poses["energy"])
        np.testing.assert_array_equal(again.poses["terms"], self.result.poses["terms"])
        self.assertEqual(again.poses["terms"].shape, (20, len(again.term_names)))

    def test_evaluate(self):
        bound = str(EXAMPLES / "1ppe/1PPE_r_b-matched.pdb"), str(EXAMPLES / "1ppe/1PPE_l_b-matched.pdb")
        found = self.result.evaluate(*bound)
        for place, model in enumerate(self.result.models):
            model.write(self.folder / f"model{place}.pdb")
        chains = {"receptor_chains": "A", "ligand_chains": "B"}
        files = [str(self.folder / f"model{place}.pdb") for place in range(len(found.models))]
        of_files = quern.evaluate(files, *bound, **chains)
        np.testing.assert_allclose(found.models["dockq"], of_files.models["dockq"], atol=1e-4)
        np.testing.assert_allclose(found.models["ligand_rmsd_angstrom"], of_files.models["ligand_rmsd_angstrom"], atol=2e-3)
        self.assertTrue(set(found.models["capri"]) <= {"incorrect", "acceptable", "medium", "high"})

    def test_arrays_outlive_results(self):
        result = quern.dock(RECEPTOR, LIGAND, **SMALL)
        contacts, positions = result.receptor_contacts, result.receptor.positions_angstrom
        kept = contacts.copy(), positions.copy()
        with result:
            pass
        del result
        quern.dock(RECEPTOR, LIGAND, **SMALL)
        np.testing.assert_array_equal(contacts, kept[0])
        np.testing.assert_array_equal(positions, kept[1])
        self.assertFalse(contacts.flags.writeable)

    def test_closed_result(self):
        result = quern.dock(RECEPTOR, LIGAND, **SMALL)
        result.close()
        self.assertIn("closed", self.message(ValueError, lambda: result.poses))

    def test_exceptions(self):
        text = self.message(quern.NotFound, quern.dock, "missing.pdb", LIGAND)
        self.assertIn("missing.pdb", text)
        self.message(FileNotFoundError, quern.dock, "missing.pdb", LIGAND)
        self.message(quern.BadFormat, quern.dock, __file__, LIGAND)
        self.message(quern.NoDevice, quern.dock, RECEPTOR, LIGAND, device="cuda:99")

    def test_a_report_without_a_folder(self):
        self.result.report.save(self.folder / "report.html")
        page = (self.folder / "report.html").read_text(encoding="utf-8")
        self.assertIn("1PPE", page)
        self.assertTrue(page.endswith("</html>\n"))
        self.assertIn("iframe", self.result.report._repr_html_())
        self.assertIn("no path", self.message(TypeError, os.fspath, self.result.report))

    def test_messages(self):
        with self.assertLogs("quern", logging.INFO) as caught:
            quern.dock(RECEPTOR, LIGAND, **SMALL)
        self.assertTrue(any("grid:" in line for line in caught.output))

    def test_progress(self):
        states = []
        quern.dock(RECEPTOR, LIGAND, progress=states.append, **SMALL)
        self.assertIn(20, [one.done for one in states if one.unit == "rotations"])
        self.assertRaises(quern.Cancelled, quern.dock, RECEPTOR, LIGAND, progress=lambda state: False, **SMALL)

        def broken(state):
            raise KeyError("mine")

        self.assertRaises(KeyError, quern.dock, RECEPTOR, LIGAND, progress=broken, **SMALL)

    def test_progress_bars(self):
        bars = []

        class Bar:
            def __init__(self, total, desc, unit):
                self.total, self.n, self.closed = total, 0, False
                bars.append(self)

            def update(self, more):
                self.n += more

            def close(self):
                self.closed = True

        quern.dock(RECEPTOR, LIGAND, progress=Bar, **SMALL)
        self.assertTrue(bars and all(bar.closed for bar in bars))
        self.assertIn((20, 20), [(bar.n, bar.total) for bar in bars])

    def test_interrupt_keeps_the_journal(self):
        """Ctrl-C ends the run; the run that resumes it has the same result."""
        output = self.folder / "run"
        many = {**SMALL, "rotations": 400}

        def interrupt(state):
            if state.unit == "rotations" and state.done >= 20:
                os.kill(os.getpid(), signal.SIGINT)

        self.assertRaises(KeyboardInterrupt, quern.dock, RECEPTOR, LIGAND, output=output, batch=8, progress=interrupt, **many)
        resumed = quern.dock(RECEPTOR, LIGAND, output=output, resume=True, batch=8, **many)
        whole = quern.dock(RECEPTOR, LIGAND, **many)
        np.testing.assert_array_equal(resumed.poses["energy"], whole.poses["energy"])

    def test_threads(self):
        """Four threads with four contexts give four right answers."""
        energies = [None] * 4

        def work(place):
            with quern.Context(threads=1) as context:
                energies[place] = quern.dock(RECEPTOR, LIGAND, context=context, **SMALL).poses["energy"].copy()

        threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        for one in energies:
            np.testing.assert_array_equal(one, self.result.poses["energy"])

    def test_shows_itself(self):
        self.assertIn("<table>", self.result._repr_html_())
        self.assertIn("energy", self.result.poses._repr_html_())
        self.assertIn("pose_count=20", repr(self.result))


class Restraints(Case):
    def test_counts_of_the_command(self):
        """Restraints that each cluster's model satisfies, as clusters.csv has them."""
        links = self.folder / "links.txt"
        links.write_text("".join(f"receptor:A:{one} ligand:B:{other} {most}\n" for one, other, most in LINKS))
        named = {"restraints": links, "restraints-required": 1, **SMALL}
        words = [text for name, value in named.items() for text in (f"--{name}", str(value))]
        subprocess.run([COMMAND, "dock", RECEPTOR, LIGAND, "-o", str(self.folder / "out"), "-q", *words], check=True)
        with open(self.folder / "out/clusters.csv") as stream:
            rows = list(csv.DictReader(stream))
        named = {name.replace("-", "_"): value for name, value in named.items()}
        result = quern.dock(RECEPTOR, LIGAND, **named)
        counts = [int(row["restraints_satisfied"]) for row in rows]
        self.assertEqual(result.restraints_satisfied.tolist(), counts)
        np.testing.assert_allclose(result.restraints_share, [float(row["restraints_share"]) for row in rows], atol=1e-4)
        self.assertEqual(counts, [self.satisfied(model) for model in result.models])
        self.assertEqual((len(set(counts)), result.restraint_total), (2, len(LINKS)), counts)

    def satisfied(self, model):
        """Count the links whose two Cα are near enough in a model."""
        atoms, place = model.atoms, model.positions_angstrom
        alpha = {}
        for atom, one in zip(atoms, place):
            residue = model.residues[atom["residue"]]
            if atom["name"] == "CA":
                alpha[residue["chain"], int(residue["number"])] = one
        return sum(np.linalg.norm(alpha["A", one] - alpha["B", other]) <= most for one, other, most in LINKS)

    def test_no_restraints(self):
        result = quern.dock(RECEPTOR, LIGAND, **SMALL)
        self.assertIsNone(result.restraints_satisfied)
        self.assertIsNone(result.restraints_share)


if __name__ == "__main__":
    unittest.main()
