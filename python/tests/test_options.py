"""Options of programs are those of the option tables, and wrong ones are refused in words."""

import ast
import inspect
import unittest

import numpy as np
import quern
from quern import _generated
from quern._generated import PROGRAMS
from quern._programs import Program, _Keep
from support import SOURCE, Case


class Options(Case):
    def test_every_default(self):
        """Setting the default that the table states changes nothing in the struct."""
        for name in PROGRAMS:
            program = Program(name)
            for row in PROGRAMS[name]["options"]:
                if row["fallback"] and row["kind"] not in ("texts", "pair", "text", "path", "share", "plain"):
                    value = {"flag": row["fallback"] == "yes", "unless": row["fallback"] == "yes"}.get(row["kind"], row["fallback"])
                    made = program._fill({row["name"]: value}, _Keep())
                    self.assertEqual(bytes(made), program._defaults, (name, row["name"]))

    def test_every_number_arrives(self):
        """A number that is not the default changes the member that has the option's name."""
        for name in PROGRAMS:
            program = Program(name)
            for row in PROGRAMS[name]["options"]:
                if row["kind"] in ("integer", "whole", "number", "seconds", "bytes"):
                    member = program._fill({row["name"]: 7}, _Keep())
                    for one in row["path"]:
                        member = getattr(member, one)
                    self.assertEqual(member, 7, (name, row["name"]))

    def test_names_of_the_command_line(self):
        dock = quern.dock.program
        by_member = dock._fill({"spacing_angstrom": 1.25, "pair_terms": 3}, _Keep())
        by_command = dock._fill({"spacing": 1.25, "terms": "3"}, _Keep())
        self.assertEqual(bytes(by_member), bytes(by_command))
        self.assertEqual(by_member.spacing_angstrom, 1.25)

    def test_numbers_for_texts(self):
        solve = quern.deform.solve.program
        for value in ("0,0,-0.001", (0, 0, -0.001), np.array([0, 0, -0.001])):
            made = solve._fill({"move": value}, _Keep()).move.decode()
            self.assertEqual([float(one) for one in made.split(",")], [0, 0, -0.001])
        reach = quern.deform.space.program._fill({"reach": np.float64(0.004)}, _Keep()).reach
        self.assertEqual(reach, b"0.004")
        self.message(TypeError, solve._fill, {"move": [None]}, _Keep())
        self.message(TypeError, solve._fill, {"move": True}, _Keep())

    def test_refusals(self):
        dock = quern.dock
        self.assertIn("did you mean rotations", self.message(TypeError, dock, rotation=3))
        self.assertIn("which are one option", self.message(TypeError, dock, spacing=1, spacing_angstrom=2))
        self.assertIn("expected an integer", self.message(TypeError, dock, "a", "b", rotations=1.5))
        self.assertIn("expected a number", self.message(TypeError, dock, "a", "b", spacing=[1]))
        self.assertIn("expected True or False", self.message(TypeError, dock, "a", "b", refinement="maybe" and 1.5))
        self.assertIn("one of piper, rpsc", self.message(TypeError, dock, "a", "b", score=1))
        self.assertIn("expected one of: piper rpsc", self.message(quern.InvalidArgument, dock, "a", "b", score="x"))
        self.assertIn("--rotations", self.message(quern.InvalidArgument, dock, "a", "b", rotations=-1))
        self.assertIn("expected 0 to", self.message(ValueError, dock, "a", "b", seed=-1))
        self.assertIn("zero byte", self.message(ValueError, dock, "a\0b", "b"))
        self.assertIn("expected a text or a path", self.message(TypeError, dock, 5, "b"))
        self.assertIn("receptor twice", self.message(TypeError, dock, "a", receptor="b"))
        self.assertIn("at most 2 inputs", self.message(TypeError, dock, "a", "b", "c"))

    def test_signature_and_help(self):
        signature = inspect.signature(quern.dock)
        self.assertEqual(list(signature.parameters)[:2], ["receptor", "ligand"])
        rows = {row["name"]: row for row in PROGRAMS["dock"]["options"]}
        self.assertEqual(signature.parameters["rotations"].default, int(rows["rotations"]["fallback"]))
        for row in rows.values():
            self.assertIn(row["meaning"], quern.dock.__doc__)
        self.assertNotIn("quiet", signature.parameters)

    def test_every_status_has_a_class(self):
        for name, number in _generated.ENUMS["qn_status"].items():
            if number:
                made = getattr(quern, "".join(word.capitalize() for word in name.split("_")[1:]))
                self.assertTrue(issubclass(made, quern.Error))
        self.assertTrue(issubclass(quern.NotFound, FileNotFoundError))

    def test_source_is_of_python_3_9(self):
        for path in sorted((SOURCE / "python").rglob("*.py")):
            ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 9))
            self.assertLessEqual(path.read_text(encoding="utf-8").count("\n"), 800, path)


if __name__ == "__main__":
    unittest.main()
