#!/usr/bin/env bash
# check_scene.sh SOURCE QUERN BUILD PART: the view of the models in the report of quern dock.
# parts: data browser
#   data     its coordinates and poses are those of the models' files, the report has links to them and a column of scores
#   browser  Chromium draws it from the file: its triangles, residues in contact, other models, at two widths
# labels: unsanitized@browser
set -u
quern=$2 part=$4
receptor=$1/examples/1ppe/1PPE_r_u.pdb ligand=$1/examples/1ppe/1PPE_l_u_rnd.pdb
. "$1/tests/support/script.sh"
command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }
if [ "$part" = browser ]; then
  chromium=$(command -v chromium || command -v chromium-browser) || { echo "skipped: chromium is not installed"; exit 77; }
fi
"$quern" dock "$receptor" "$ligand" --spacing 2 --rotations 60 --clusters 3 --device host --tune off -o "$work/run" \
  >"$work/out" 2>"$work/log" || fail "quern dock: $(cat "$work/log")"
[ "$(wc -c <"$work/run/report.html")" -le 2097152 ] || fail "the report has more than 2 MiB"

cat >"$work/read.py" <<'PYTHON'
import base64, html.parser, math, struct, sys

class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.bodies, self.models, self.links, self.figure = [], [], [], {}
    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if values.get("class") == "body": self.bodies.append(values)
        if "data-pose" in values: self.models.append([float(x) for x in values["data-pose"].split()])
        if tag == "a": self.links.append(values.get("href"))
        if values.get("class") == "scene": self.figure = values

def read(path):
    page = Page()
    page.feed(open(path, encoding="utf-8").read())
    return page

def places(body):
    count, origin = int(body["data-atoms"]), [float(x) for x in body["data-origin"].split()]
    numbers = struct.unpack(f"<{3 * count}h", base64.b64decode(body["data-places"]))
    return [[origin[k] + float(body["data-step"]) * numbers[3 * i + k] for k in range(3)] for i in range(count)]

def model(path):
    "Heavy atoms of both partners as (residue, place), from the file."
    lines = open(path).read().splitlines()
    chain = next(line for line in lines if "QUERN LIGAND CHAINS" in line).split()[-1]
    atoms = [(l[17:27], [float(l[k:k + 8]) for k in (30, 38, 46)], l[21]) for l in lines
             if l[:6] in ("ATOM  ", "HETATM") and l[76:78].strip() != "H"]
    return [[a for a in atoms if (a[2] == chain) == ligand] for ligand in (False, True)]

def contacts(partners):
    near = [(a[0], b[0]) for a in partners[0] for b in partners[1] if math.dist(a[1], b[1]) <= 5]
    return " ".join(str(len({pair[k] for pair in near})) for k in (0, 1))
PYTHON

# The files have three decimals, so a place may differ by 0.0005 Å, and by half a step of the view.
cat >"$work/data.py" <<'PYTHON'
from read import *
page = read("run/report.html")
assert len(page.models) == 3 and len(page.bodies) == 2, (len(page.models), len(page.bodies))
for number, pose in enumerate(page.models, 1):
    name = f"cluster_{number:02}.pdb"
    assert page.links.count(name) == 2, (name, page.links)
    for which, atoms in enumerate(model(f"run/{name}")):
        body = page.bodies[which]
        seen = places(body)
        assert len(seen) == len(atoms), (name, which, len(seen), len(atoms))
        for place, (_, other, _) in zip(seen, atoms):
            if which:
                place = [sum(pose[3 * k + j] * place[j] for j in range(3)) + pose[9 + k] for k in range(3)]
            assert math.dist(place, other) < 0.002 + float(body["data-step"]), (name, place, other)
text = open("run/report.html", encoding="utf-8").read()
assert "<th scope=\"col\" class=\"n\">Score</th>" in text, "the table has no scores"
assert ">Weighted repulsion</th>" in text, "weighted terms are not named so"
PYTHON

# Headless Chromium draws on the processor. A frame of 390 pixels stands for a phone.
show() { # show FILE WIDTH: the page after its scripts
  timeout 120 "$chromium" --headless --no-sandbox --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader \
    --user-data-dir="$work/profile" --virtual-time-budget=20000 --window-size="$2",900 --dump-dom "file://$1" 2>/dev/null
}
cat >"$work/browser.py" <<'PYTHON'
from read import *
page, number = read(sys.argv[1]), int(sys.argv[2])
assert "data-failure" not in page.figure, page.figure["data-failure"]
assert float(page.figure["data-triangles"]) > 20000, page.figure
expected = contacts(model(f"run/cluster_{number:02}.pdb"))
assert page.figure["data-residues"] == expected, (page.figure["data-residues"], expected)
PYTHON
cd "$work" || exit 1
export PYTHONDONTWRITEBYTECODE=1 HOME=$work
case $part in
data) python3 data.py || fail "the data of the view" ;;
browser)
  show "$work/run/report.html" 1400 >wide.html
  grep -q 'data-triangles' wide.html || { echo "skipped: chromium draws no WebGL 2 here"; grep -o 'data-failure="[^"]*"' wide.html; exit 77; }
  python3 browser.py wide.html 1 || fail "the view of model 1"
  # a click into the second row chooses the second model
  sed 's|</body>|<script>document.querySelectorAll("tr.choice")[1].cells[0].click()</script></body>|' run/report.html >run/second.html
  show "$work/run/second.html" 390 >second_seen.html
  python3 browser.py second_seen.html 2 || fail "the view of model 2"
  grep -oE '(src|href)="(https?:)?//[^"]*' run/report.html && fail "the report loads something" ;;
*) fail "part $part" ;;
esac
[ $failures -eq 0 ]
