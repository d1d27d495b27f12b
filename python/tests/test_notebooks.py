"""The notebooks of docs/notebooks run, and print the figures that they hold.

`test_notebooks.py --write` runs them and puts their output into the files.
"""

import ast
import contextlib
import io
import json
import math
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "notebooks"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def run(path):
    """The text that each cell of code prints, in order."""
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    names, printed, here = {"__name__": "__main__"}, [], os.getcwd()
    os.chdir(path.parent)  # where a notebook runs
    scratch = tempfile.TemporaryDirectory()
    tempfile.tempdir = scratch.name  # of temporary folders that a notebook makes
    try:
        for number, cell in enumerate(cells):
            code = ast.parse("".join(cell["source"]), f"{path.name}, cell {number + 1}")
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(compile(code, f"{path.name}, cell {number + 1}", "exec"), names)
            printed.append(output.getvalue())
    finally:
        os.chdir(here)
        tempfile.tempdir = None
        scratch.cleanup()
    return printed


def held(cell):
    """The text that a notebook holds as the output of a cell."""
    return "".join(line for output in cell["outputs"] for line in output["text"])


def same(one, two):
    """Whether two texts are the same, with numbers within 1 %."""
    numbers = [[float(value) for value in NUMBER.findall(text)] for text in (one, two)]
    return NUMBER.sub("#", one) == NUMBER.sub("#", two) and all(
        math.isclose(a, b, rel_tol=0.01, abs_tol=1e-6) for a, b in zip(*numbers))


class Notebooks(unittest.TestCase):
    def check(self, name):
        path = FOLDER / f"{name}.ipynb"
        cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
        for cell, printed in zip(cells, run(path)):
            self.assertTrue(held(cell), f"{path.name}: a cell holds no output; run this file with --write")
            self.assertTrue(same(printed, held(cell)), f"{path.name} prints\n{printed}but holds\n{held(cell)}")

    def test_all_are_here(self):
        tests = {name[len("test_run_"):] for name in dir(self) if name.startswith("test_run_")}
        self.assertEqual({path.stem for path in FOLDER.glob("*.ipynb")}, tests)

    def test_differences_are_seen(self):
        self.assertTrue(same("3 poses at 1.000 Å", "3 poses at 1.005 Å"))
        self.assertFalse(same("3 poses at 1.0 Å", "3 poses at 1.1 Å"))
        self.assertFalse(same("3 poses", "3 models"))

    def test_run_dock(self):
        self.check("dock")

    def test_run_trajectory(self):
        self.check("trajectory")

    def test_run_reconstruct(self):
        self.check("reconstruct")

    def test_run_tune(self):
        self.check("tune")


def write():
    for path in sorted(FOLDER.glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for number, (cell, printed) in enumerate(zip(cells, run(path))):
            cell["execution_count"] = number + 1
            cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": printed.splitlines(keepends=True)}]
            print(f"{path.name} {number + 1}: {printed}", end="")
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        unittest.main()
