"""Every block of code in docs/python.md runs, on the examples of the tree and with smaller numbers."""

import ast
import importlib.util
import re
import shutil
import unittest

import numpy as np
import quern
from support import EXAMPLES, SOURCE, Case, has_opencl, inside

QUICKER = {
    "rotations=70_000": "rotations=20, spacing=2", "flexible=True": "flexible=True, walkers=4, effort=0.02",
    'site="imatinib.sdf"):': 'site="imatinib.sdf", walkers=4, effort=0.02):', "max=1.2": "max=0.8",
    "tests=10)": "tests=2, most_repeats=2, sizes=[64, 64], device='host')",
    "device=\"opencl:0\"": "device=\"opencl:0\", most_repeats=2", "reach=0.004": "reach=0.002",
}  # fmt: skip
NEEDS = {"pandas": "to_pandas()", "opencl": "tune.kernel(", "openbabel": "phenol"}
TRANSPOSE = """
__kernel void transpose(__global float *out, __global const float *in)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[x * 64 + y] = in[y * 64 + x];
}
"""


def blocks(name):
    return re.findall(r"^```python\n(.*?)^```", (SOURCE / name).read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


class Documentation(Case):
    def prepare(self):
        links = {"receptor.pdb": "1ppe/1PPE_r_u.pdb", "ligand.pdb": "1ppe/1PPE_l_u_rnd.pdb", "lobe.msh": "deform/lobe.msh",
                 "receptor_bound.pdb": "1ppe/1PPE_r_b-matched.pdb", "ligand_bound.pdb": "1ppe/1PPE_l_b-matched.pdb",
                 "kinase.pdb": "1iep/1iep_receptor.pdb", "imatinib.sdf": "1iep/1iep_ligand.sdf",
                 "topol.tpr": "water/water.tpr", "traj.xtc": "water/water.xtc"}  # fmt: skip
        for name, file in links.items():
            (self.folder / name).symlink_to(EXAMPLES / file)
        records = (EXAMPLES / "1iep/kinase_inhibitors.sdf").read_text().split("$$$$\n")
        (self.folder / "library.sdf").write_text(records[0] + "$$$$\n")
        quern.project(EXAMPLES / "particle/map.mrc.gz", angles=EXAMPLES / "particle/particles.star", ctf=True, output="particles.mrcs")
        generator = np.random.default_rng(1)
        return {"first_array": generator.random((16, 16, 16)), "second_array": generator.random((16, 16, 16)),
                "coordinates": generator.normal(size=(8, 12, 3)) * 5, "seconds_of": lambda point: 1 / point["x"],
                "source": TRANSPOSE, "a": generator.random((64, 64)).astype(np.float32),
                "b": np.zeros((64, 64), np.float32)}  # fmt: skip

    def test_blocks(self):
        found, quicker = blocks("docs/python.md"), dict(QUICKER)
        self.assertGreater(len(found), 5)
        for old in quicker:
            self.assertTrue(any(old in one for one in found), old)
        absent = [word for need, word in NEEDS.items() if not self.has(need)]
        with inside(self.folder):
            names = self.prepare()
            for place, text in enumerate(found):
                for old, new in quicker.items():
                    text = text.replace(old, new)
                for word in absent:
                    text = self.without(text, word)
                exec(compile(text, f"docs/python.md, block {place + 1}", "exec"), names)
        self.assertEqual(names["tuner"].best, {"x": 4})
        self.assertGreater(len(names["docked"].poses), 0)
        self.assertGreater(names["server"].result.ticks, 0)

    def has(self, need):
        if need == "opencl":
            return has_opencl()
        return shutil.which("obabel") is not None if need == "openbabel" else importlib.util.find_spec(need) is not None

    def without(self, text, word):
        """The block without the statement that needs what is absent."""
        lines, kept = text.split("\n"), []
        for node in ast.parse(text).body:
            part = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            if word not in part:
                kept.append(part)
        return "\n".join(kept)


if __name__ == "__main__":
    unittest.main()
