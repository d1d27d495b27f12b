"""Reports of runs in memory: they say what the command's report.html says, but for times, speeds and names of files."""

import base64
import difflib
import html
import os
import re
import subprocess
import sys
import unittest
from unittest import mock

import quern
from support import COMMAND, EXAMPLES, Case

RECEPTOR, LIGAND = str(EXAMPLES / "1ppe/1PPE_r_u.pdb"), str(EXAMPLES / "1ppe/1PPE_l_u_rnd.pdb")
DOCK = {"rotations": 20, "spacing": 2, "clusters": 2, "keep": 20, "coefficients": "balanced", "threads": 2}
KINASE, SITE = str(EXAMPLES / "1iep/1iep_receptor.pdb"), str(EXAMPLES / "1iep/1iep_ligand.sdf")
LIBRARY = EXAMPLES / "1iep/kinase_inhibitors.sdf"
SCREEN = {"walkers": 4, "effort": 0.02, "threads": 2}
WATER = str(EXAMPLES / "water/water.tpr"), str(EXAMPLES / "water/water.xtc")

OBABEL = f"""#!{sys.executable}
import sys
for place, record in enumerate(open(sys.argv[1]).read().split("$$$$\\n")[:-1], 1):
    lines = record.splitlines()
    x, y = lines[4].split()[:2]
    with open(sys.argv[6][:-4] + str(place) + ".svg", "w") as file:
        file.write(f'<svg width="9"><title>{{lines[0]}} - Drawing</title><svg x="0" viewBox="0 0 7 5">'
                   f'<line x1="{{x}}" y1="{{y}}"/></svg></svg>')
"""

# Sentences and parts of them that only a report in a folder has: they are about its files.
OF_FILES = (
    r" ?`?run\.json`? holds (every option and the inputs' SHA-256|every option|the options)\.",
    r" `hits\.sdf` has .*? has all molecules\.",
    r"; `?rejected\.csv`? has the sentence for each",
    r" The model files have both partners.*? ChimeraX\.",
    r"; contacts\.csv lists all residues",
    r"<p>Files: [^<]*</p>",
    r" VMD, PyMOL and ChimeraX show the file\.",
    r"<a href=\"cluster_\d+\.pdb\">|</a>",
    r"(?<=\">)[\w. ]+(?=</li>)",  # a model's file, or its number, below the view
    r"<p>The terms of the table add up .*? without weights\.</p>",
)
TIMES = (
    r"\d[\d.]* s in all(?: \(search [\d.]+ s\)|, of them [\d.]+ s)",
    r"\([\d.e+]+ MB/s\)",
    r"\b[A-Z_]+=\d+\b",  # of a kernel's configuration, which tuning varies
    r"<td>(?:fallback|found in this run|tuned here)</td>",  # the origin of the configuration
    r"insertion reached \d+ %",
    r"(<dt>(?:Search speed|Speed|Time|Images per second|frames per second)</dt> ?<dd)[^<]*",
    r"(<tr><td[^>]*>(?:metadata|insertion|insertion: \w+|sums of all devices|maps from the sums|correlation|all)</td>)"
    r"<td[^>]*>[\d.]+",
)


def facts(page):
    """A page without what differs between two runs of the same work."""
    page = re.sub(r"<(/?)code>", "`", page)
    page = re.sub(r"\s+", " ", html.unescape(page))
    for pattern in OF_FILES:
        page = re.sub(pattern, "", page)
    for pattern in TIMES:
        page = re.sub(pattern, lambda found: (found.group(1) if found.lastindex else "") + "…", page)
    return re.sub(r">\s*<", ">\n<", page).splitlines()


class Reports(Case):
    def command(self, *words, options=(), **named):
        """Run the command, and return the facts of its report."""
        words = [*words, *(text for name, value in named.items() for text in (f"--{name}", str(value))), *options]
        folder = self.folder / "command"
        subprocess.run([COMMAND, *map(str, words), "-o", str(folder), "-q"], check=True, capture_output=True)
        return facts((folder / "report.html").read_text(encoding="utf-8"))

    def compare(self, result, expected, least):
        """The report of a result in memory has the facts that are expected, and `least` lines of them."""
        report = result.report
        self.assertIsNone(report.path)
        found = facts(report.html)
        self.assertGreater(len(expected), least)
        difference = [*difflib.unified_diff(expected, found, n=0)]
        self.assertEqual(difference, [], "\n".join(difference))
        for word in (".csv", "hits.sdf", "run.json", ".xvg"):
            self.assertNotIn(word, report.html)
        self.assertNotIn("DOCTYPE", result._repr_html_())  # a result that shows itself leaves its report out
        report.save(self.folder / "kept.html")
        self.assertEqual((self.folder / "kept.html").read_text(encoding="utf-8"), report.html)

    def test_dock(self):
        self.compare(quern.dock(RECEPTOR, LIGAND, **DOCK), self.command("dock", RECEPTOR, LIGAND, **DOCK), 100)

    def library(self):
        """Two molecules of the example, and a record that is none."""
        broken = self.folder / "library.sdf"
        records = LIBRARY.read_text().split("$$$$\n")[:2]
        broken.write_text("$$$$\n".join([*records, "bad\n\n\n  x\n", ""]))
        return str(broken)

    def draw(self):
        """Put a program in the place of Open Babel that draws the place of each record's first atom."""
        (self.folder / "obabel").write_text(OBABEL)
        (self.folder / "obabel").chmod(0o755)
        path = mock.patch.dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}")
        path.start()
        self.addCleanup(path.stop)

    def test_screen(self):
        self.draw()
        library = self.library()
        result = quern.screen(KINASE, [library], site=SITE, **SCREEN)
        self.assertEqual(len(result.rejections), 1)
        self.compare(result, self.command("screen", KINASE, library, site=SITE, **SCREEN), 50)
        drawn = [base64.b64decode(one).decode() for one in re.findall(r"svg\+xml;base64,([^\"]*)", result.report.html)]
        for place, drawing in zip(result.ranking, drawn[-2:]):
            first = next(pose for pose in result.poses if pose.molecule == place).positions_angstrom[0]
            self.assertIn(f'x1="{first[0]:.4f}" y1="{first[1]:.4f}"', drawing)

    def test_screen_without_a_report(self):
        result = quern.screen(KINASE, [self.library()], site=SITE, report=False, score_only=True)
        self.assertIsNone(result.page)
        self.assertIn("no report", self.message(ValueError, lambda: result.report))

    def test_reconstruct(self):
        map = EXAMPLES / "particle/map.mrc.gz"
        subprocess.run([COMMAND, "project", map, "--views", "60", "-o", self.folder / "views.mrcs", "-q"], check=True)
        star = self.folder / "views.star"
        expected = self.command("reconstruct", star, options=["--halves"], threads=2)
        self.compare(quern.reconstruct(str(star), halves=True, threads=2), expected, 100)

    def test_trajectory(self):
        trajectory = quern.Trajectory(*WATER)
        result = trajectory.analyse(rdf=quern.q.rdf("name OW", max=0.8), threads=2)
        expected = self.command("trajectory", "rdf", *WATER, select="name OW", max=0.8, threads=2)
        self.compare(result, expected, 30)
        self.assertIn("<td>name OW</td>", result._repr_html_())  # a row for the query


if __name__ == "__main__":
    unittest.main()
