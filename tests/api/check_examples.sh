#!/usr/bin/env bash
# labels: unsanitized
# The example at the head of each public header compiles without a warning, runs, and prints the expected line. An example
# is the last indented block of the header's first comment: at most eight lines, the body of a function that returns an
# int. example_objects.h declares the objects that it may use by name.
# Arguments: source folder, quern binary, build folder.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2") build=$(cd "$3" && pwd)
. "$source/tests/support/script.sh"
cd "$work" || exit 1
for candidate in "$build" "$build/shared"; do [ -f "$candidate/libquern.so" ] && library=$candidate; done
[ -n "${library:-}" ] || { echo "no libquern.so in $build"; exit 1; }
export LD_LIBRARY_PATH="$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" QUERN_TUNING_STORE=off XDG_CACHE_HOME=$work/cache

# A line that each example prints, as an extended regular expression; none: no output is expected.
expected='
collective   s = 1\.91
cluster      2 clusters of 36 models
deform       [-]0\.[0-9]+ N
device       .*: [1-9][0-9]* compute units
distance     model 0 to model 1: [0-9]+\.[0-9]+ Å
dock         [1-9][0-9]* poses in [1-9][0-9]* clusters
evaluate     DockQ 1\.00
family       y\[1\] = 2
fft          transformed by (own|fftw)
file         the same file: 1
frame        2 frames of 2 atoms
fuse         2 calls in 1 kernel
fsc          [1-9][0-9.]* Å
log
mesh         216 nodes, 720 tetrahedra
molecule     222 atoms in 29 residues
movie        1 micrograph of 8 frames
option       spacing: 1\.2 angstrom
particles    60 particles, 3 Å a pixel
potential    C: -[0-9.]+ kcal/mol
project      20 images of side 48
query        rdf: .*
queue        1024 bytes are on the device
reconstruct  a map of 48 voxels a side
resolution   [1-9][0-9.]* Å
screen       .+: -[0-9.]+ kcal/mol
space        2 points
status       not found: missing\.pdb.*
topology     1398 atoms in 466 molecules
trajectory   [1-9][0-9]* rows of .+
tune         the space is exhausted
tunnel       bottleneck [12]\.[0-9] Å
transport    barrier [0-9.]+ kcal/mol
value        1 and "1": different
version      runs with [0-9]+\.[0-9]+\.[0-9]+
volume       48 x 48 x 48 voxels of 3 Å
workload     [0-9.e-]+ s, error [0-9.e-]+ of the tolerance'

# Input files by the names that the examples use.
examples=$source/examples
cp "$examples/1ppe/1PPE_l_u_rnd.pdb" ligand.pdb
sed -E '/^(ATOM|HETATM|TER)/s/^(.{21})./\1A/' ligand.pdb >receptor.pdb
cp "$examples/1ppe/1PPE_r_b-matched.pdb" receptor_bound.pdb
cp "$examples/1ppe/1PPE_l_b-matched.pdb" ligand_bound.pdb
{ grep -h '^ATOM' receptor_bound.pdb ligand_bound.pdb; echo END; } >model.pdb
cp "$examples/1iep/1iep_receptor.pdb" kinase.pdb
cp "$examples/deform/lobe.msh" .
cp "$examples/1iep/1iep_ligand.sdf" inhibitor.sdf
awk '{print} /^\$\$\$\$/ {exit}' "$examples/1iep/kinase_inhibitors.sdf" >library.sdf
cp "$examples/water/water.tpr" topol.tpr
cp "$examples/water/water.xtc" traj.xtc
cp "$examples/movie/movie.tif" "$examples/fuse/bicgk.qf" .
gunzip -c "$examples/hinge/models.pdb.gz" >models.pdb
cp "$source/tests/data/potential/pocket.pdbqt" receptor.pdbqt
gunzip -c "$examples/particle/map.mrc.gz" >map.mrc
awk -v models=1 -v shake=0 -f "$source/tests/tunnel/shell.awk" >host.pdb
awk -v count=1 -f "$source/tests/transport/guests.awk" >guest.sdf
awk 'BEGIN { for (z = 9; z > -0.1; z -= 0.6) printf "0 0 %.1f 0 0 1 1.5\n", z }' >tunnel.dsd
"$quern" project map.mrc --views 60 -o particles.mrcs --quiet >project.log 2>&1 || { cat project.log; exit 1; }
"$quern" reconstruct particles.star -o half.mrc --halves --quiet >reconstruct.log 2>&1 || { cat reconstruct.log; exit 1; }
cp half_half1.mrc half1.mrc
cp half_half2.mrc half2.mrc

flags="-std=c17 -Wall -Wextra -Wpedantic -Wno-missing-field-initializers -Werror -I$source/include -I$source/tests/api"
# shellcheck disable=SC2086
"${CC:-cc}" $flags -c -o main.o "$source/tests/api/header_examples.c" || exit 1
for header in "$source"/include/quern/*.h; do
  name=$(basename "$header" .h)
  awk '/^ \*\// {exit}
       /^ \*     / {if (!inside) block = ""; inside = 1; lines++; block = block substr($0, 4) "\n"; next}
       {inside = 0} END {printf "%s", block}' "$header" >body.c
  lines=$(wc -l <body.c)
  { [ "$lines" -ge 1 ] && [ "$lines" -le 8 ]; } || { fail "$name.h: the example has $lines lines; expected 1 to 8"; continue; }
  printf '#include <quern/%s.h>\n#include "example_objects.h"\nint example(void)\n{\n#line 1 "%s.h"\n%s\nreturn 0;\n}\n' \
    "$name" "$name" "$(cat body.c)" >example.c
  # shellcheck disable=SC2086
  "${CC:-cc}" $flags -o example example.c main.o -L"$library" -lquern -lm >log 2>&1 ||
    { fail "$name.h: the example does not compile"; head -n 10 log; continue; }
  ./example >output 2>log || { fail "$name.h: the example does not run"; head -n 10 log; continue; }
  line=$(sed -n -E "s/^$name +//p; /^$name$/s/.*//p" <<<"$expected")
  grep -q "^$name\b" <<<"$expected" || fail "$name.h: this script has no line for its example"
  [ -z "$line" ] || grep -q -x -E "$line" output || { fail "$name.h: expected $line"; cat output; }
done
[ "$failures" = 0 ]
