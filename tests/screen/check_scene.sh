#!/usr/bin/env bash
# check_scene.sh SOURCE QUERN BUILD PART: the view of the poses in the report of quern screen.
# parts: data browser
#   data     its coordinates are those of the receptor and of the first pose of each molecule in hits.sdf; the table of
#            contacts has the known hydrogen bonds
#   browser  Chromium draws it from the file and finds the residues of the pocket
# labels: unsanitized@browser
set -u
quern=$2 part=$4
receptor=$1/examples/1iep/1iep_receptor.pdb site=$1/examples/1iep/1iep_ligand.sdf
. "$1/tests/support/script.sh"
command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }
if [ "$part" = browser ]; then
  chromium=$(command -v chromium || command -v chromium-browser) || { echo "skipped: chromium is not installed"; exit 77; }
fi
cd "$work" || exit 1
export PYTHONDONTWRITEBYTECODE=1 HOME=$work
# two molecules, scored as they are: the known ligand, and the same 2 Å away
awk 'NR > 4 && length($0) > 60 && $4 ~ /^[A-Z]/ { printf "%10.4f%s\n", $1 + 2, substr($0, 11); next } { print }' "$site" >moved.sdf
"$quern" screen "$receptor" "$site" moved.sdf --score-only --device host --tune off -o run >out 2>log ||
  fail "quern screen: $(cat log)"
cat >read.py <<'PYTHON'
import base64, html.parser, math, struct, sys

class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.bodies, self.figure, self.models = [], {}, []
    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if values.get("class") == "body": self.bodies.append(values)
        if values.get("class") == "scene": self.figure = values
        if "data-pose" in values: self.models.append(values)

def read(path):
    page = Page()
    page.feed(open(path, encoding="utf-8").read())
    return page

def places(body):
    count, origin = int(body["data-atoms"]), [float(x) for x in body["data-origin"].split()]
    numbers = struct.unpack(f"<{3 * count}h", base64.b64decode(body["data-places"]))
    return [[origin[k] + float(body["data-step"]) * numbers[3 * i + k] for k in range(3)] for i in range(count)]

def receptor(path):
    return [(l[17:27], [float(l[k:k + 8]) for k in (30, 38, 46)]) for l in open(path)
            if l[:6] in ("ATOM  ", "HETATM") and l[76:78].strip() != "H" and not l[12:16].strip().startswith("H")]

def poses(path):
    "Heavy atoms of the first pose of each molecule."
    found = []
    for record in open(path).read().split("$$$$\n"):
        lines = record.splitlines()
        if len(lines) < 4 or lines[lines.index(next(l for l in lines if "<quern_pose>" in l)) + 1].strip() != "1": continue
        atoms = [line.split() for line in lines[4:4 + int(lines[3][:3])]]
        found.append([[float(x) for x in atom[:3]] for atom in atoms if atom[3] != "H"])
    return found
PYTHON
# The files have at most four decimals; half a step of the view is at most 0.001 Å here.
cat >data.py <<'PYTHON'
from read import *
page, expected = read("run/report.html"), [[place for _, place in receptor(sys.argv[1])], *poses("run/hits.sdf")]
assert len(page.bodies) == 3 and len(page.models) == 2 and len(expected) == 3, (len(page.bodies), len(expected))
for body, other in zip(page.bodies, expected):
    seen = places(body)
    assert len(seen) == len(other), (len(seen), len(other))
    assert all(math.dist(a, b) < 0.003 for a, b in zip(seen, other)), "a place differs"
assert [model["data-name"] for model in page.models] == ["1", "2"] and "kcal/mol" in page.models[0]["data-text"]
assert page.bodies[0]["data-elements"].count("X") == 0 and "S" in page.bodies[0]["data-elements"]
PYTHON
cat >browser.py <<'PYTHON'
from read import *
page, pose = read("seen.html"), poses("run/hits.sdf")[0]
assert "data-failure" not in page.figure, page.figure["data-failure"]
assert float(page.figure["data-triangles"]) > 20000, page.figure
near = {name for name, place in receptor(sys.argv[1]) if any(math.dist(place, other) <= 5 for other in pose)}
assert page.figure["data-residues"] == f"{len(near)} 1", (page.figure["data-residues"], len(near))
PYTHON
case $part in
data)
  python3 data.py "$receptor" || fail "the data of the view"
  # the hydrogen bonds of imatinib and the kinase (Nagar et al. 2002, Cancer Research 62, 4236)
  bonds=$(grep -o '<td class="n">1</td><td>A [A-Z]* [0-9]*</td><td>hydrogen bond' run/report.html |
    sed 's/.*<td>\(A [A-Z]* [0-9]*\)<.*/\1/' | sort | tr '\n' ',')
  [ "$bonds" = "A ASP 381,A GLU 286,A HIS 361,A ILE 360,A MET 318,A THR 315," ] || fail "hydrogen bonds: $bonds" ;;
browser)
  timeout 120 "$chromium" --headless --no-sandbox --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader \
    --user-data-dir="$work/profile" --virtual-time-budget=20000 --dump-dom "file://$work/run/report.html" >seen.html 2>/dev/null
  grep -q 'data-triangles' seen.html || { echo "skipped: chromium draws no WebGL 2 here"; grep -o 'data-failure="[^"]*"' seen.html; exit 77; }
  python3 browser.py "$receptor" || fail "the view" ;;
*) fail "part $part" ;;
esac
[ $failures -eq 0 ]
