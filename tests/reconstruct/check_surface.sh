#!/usr/bin/env bash
# check_surface.sh SOURCE QUERN BUILD PART: the view of the map's surface in the report of quern reconstruct.
# parts: data browser
#   data     its values are those of the map, its first level is half of the mean height above it
#   browser  Chromium draws it from the file, at the first level and at one that a reader chooses
# labels: unsanitized@browser
set -u
quern=$2 part=$4 particle=$1/examples/particle
. "$1/tests/support/script.sh"
command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }
if [ "$part" = browser ]; then
  chromium=$(command -v chromium || command -v chromium-browser) || { echo "skipped: chromium is not installed"; exit 77; }
fi
cd "$work" || exit 1
export PYTHONDONTWRITEBYTECODE=1 HOME=$work
"$quern" project "$particle/map.mrc.gz" --angles "$particle/particles.star" --noise 0.2 --device host -o images.mrcs \
  >out 2>log || fail "quern project: $(cat log)"
"$quern" reconstruct images.star --symmetry D4 --device host -o run/ >out 2>log || fail "quern reconstruct: $(cat log)"
cat >read.py <<'PYTHON'
import base64, html.parser, struct, sys

class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.grid, self.figure = {}, {}
    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if values.get("class") == "grid": self.grid = values
        if values.get("class") == "scene density": self.figure = values

def read(path):
    page = Page()
    page.feed(open(path, encoding="utf-8").read())
    return page

def numbers(grid, name):
    return [float(x) for x in grid["data-" + name].split()]

def values(grid):
    low, high = numbers(grid, "range")
    return [low + (high - low) * byte / 255 for byte in base64.b64decode(grid["data-values"])]

def volume(path):
    "Side and values of a cube of floats, by the header of MRC2014."
    data = open(path, "rb").read()
    nx, ny, nz, mode = struct.unpack("<4i", data[:16])
    extended, = struct.unpack("<i", data[92:96])
    assert mode == 2 and nx == ny == nz, (nx, ny, nz, mode)
    return nx, struct.unpack(f"<{nx * ny * nz}f", data[1024 + extended:])
PYTHON
# A byte is off by at most half of its step. The level comes from a histogram of 65,536 bins.
cat >data.py <<'PYTHON'
from read import *
grid = read("run/report.html").grid
side, map_values = volume("run/map.mrc")
nx, ny, nz = (int(n) for n in numbers(grid, "size"))
first = [round(place / 3) for place in numbers(grid, "origin")]  # the map begins at 0
low, high = numbers(grid, "range")
level = numbers(grid, "level")[0]
inside = 0
for i, value in enumerate(values(grid)):
    x, y, z = (first[0] + i % nx, first[1] + i // nx % ny, first[2] + i // nx // ny)
    true = map_values[(z * side + y) * side + x]
    assert abs(value - max(true, low)) <= 0.51 * (high - low) / 255, (x, y, z, value, true)
    inside += true > level
above = [value for value in map_values if value > level]
assert 0.98 * len(above) <= inside <= len(above), (inside, len(above))
assert abs(level - low - 0.5 * (sum(above) / len(above) - low)) < 0.01 * level, (level, low, sum(above) / len(above))
mean = sum(map_values) / len(map_values)
deviation = (sum((value - mean) ** 2 for value in map_values) / len(map_values)) ** 0.5
assert all(abs(a - b) < 1e-4 * deviation for a, b in zip(numbers(grid, "statistics"), (mean, deviation)))
PYTHON
cat >browser.py <<'PYTHON'
from read import *
page, share = read(sys.argv[1]), float(sys.argv[2])
assert "data-failure" not in page.figure, page.figure["data-failure"]
low, high = numbers(page.grid, "range")
level = low + share * (high - low) if share else numbers(page.grid, "level")[0]
count = sum(value >= level for value in values(page.grid))
assert int(page.figure["data-voxels"]) == count, (page.figure["data-voxels"], count)
assert float(page.figure["data-triangles"]) > 2000, page.figure
PYTHON
show() { # show FILE WIDTH: the page after its scripts
  timeout 120 "$chromium" --headless --no-sandbox --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader \
    --user-data-dir="$work/profile" --virtual-time-budget=20000 --window-size="$2",900 --dump-dom "file://$1" 2>/dev/null
}
case $part in
data) python3 data.py || fail "the data of the surface" ;;
browser)
  show "$work/run/report.html" 1400 >wide.html
  grep -q 'data-triangles' wide.html || { echo "skipped: chromium draws no WebGL 2 here"; grep -o 'data-failure="[^"]*"' wide.html; exit 77; }
  python3 browser.py wide.html 0 || fail "the surface at the first level"
  # a reader moves the slider to three eighths
  sed 's|</body>|<script>const s = document.querySelector(".density input"); s.value = 150; s.dispatchEvent(new Event("input"))</script></body>|' \
    run/report.html >run/moved.html
  show "$work/run/moved.html" 390 >moved_seen.html
  python3 browser.py moved_seen.html 0.375 || fail "the surface at another level"
  grep -oE '(src|href)="(https?:)?//[^"]*' run/report.html && fail "the report loads something" ;;
*) fail "part $part" ;;
esac
[ $failures -eq 0 ]
