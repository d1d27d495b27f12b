#!/usr/bin/env bash
# check_errors.sh SOURCE QUERN BUILD: bad input to quern dock gets one clear sentence on stderr and exit status 1, or 2 where an
# option is wrong.
set -u
source=$1 quern=$2
receptor=$source/examples/1ppe/1PPE_r_u.pdb ligand=$source/examples/1ppe/1PPE_l_u_rnd.pdb
. "$1/tests/support/script.sh"
number=0
expect() { # expect "part of the message" arguments…
  local part=$1 output status
  shift
  number=$((number + 1))
  output=$("$quern" dock --rotations 10 --spacing 2 --device host --quiet -o "$work/out$number" "$@" 2>&1 >"$work/stdout")
  status=$?
  if { [ $status -ne 1 ] && [ $status -ne 2 ]; } || [ "$(printf '%s\n' "$output" | grep -c .)" -ne 1 ] || [[ "$output" != *"$part"* ]]; then
    echo "FAILED: quern dock $*"
    echo "  exit $status, expected 1 or 2 and one sentence with: $part"
    printf '%s\n' "$output" | sed 's/^/  /' | head -n 5
    failures=$((failures + 1))
  fi
  if [ -e "$work/out$number" ] && [ -n "$(ls -A "$work/out$number")" ]; then
    echo "FAILED: output was left behind by: $*"
    failures=$((failures + 1))
  fi
}
: > "$work/empty.pdb"
head -c 39980 "$receptor" > "$work/cut.pdb"
sed '20s/^\(.\{30\}\).\{8\}/\1  12.3x5/' "$receptor" > "$work/junk.pdb"
sed '20s/^\(.\{38\}\).\{8\}/\1     nan/' "$receptor" > "$work/nan.pdb"
printf 'HETATM    9  O   HOH A 301       0.000   0.000   0.000  1.00  0.00           O  \n' > "$work/water.pdb"
printf 'data_x\nloop_\n_atom_site.id\n_atom_site.label_atom_id\n_atom_site.label_comp_id\n_atom_site.label_asym_id\n_atom_site.Cartn_x\n_atom_site.Cartn_z\n1 N GLY A 1 2\n' > "$work/columns.cif"
gzip -c "$receptor" | head -c 5000 > "$work/cut.pdb.gz"
head -c 3000 /dev/zero > "$work/binary.pdb"
grep '^ATOM' "$receptor" | cat - <(grep '^ATOM' "$receptor") > "$work/twice.pdb"
sed 's/^\(ATOM.\{26\}\).\{24\}/\1   1.000   2.000   3.000/' "$ligand" > "$work/point.pdb"

expect "receptor: $work/none.pdb: cannot open" "$work/none.pdb" "$ligand"
expect "ligand: $work/empty.pdb: is empty" "$receptor" "$work/empty.pdb"
expect "cut.pdb:" "$work/cut.pdb" "$ligand"
expect "junk.pdb:20: x coordinate \"  12.3x5\" is not a number (columns 31-38)" "$work/junk.pdb" "$ligand"
expect "nan.pdb:20: y coordinate" "$work/nan.pdb" "$ligand"
expect "water.pdb: no atom is left" "$receptor" "$work/water.pdb"
expect "lacks the column _atom_site.Cartn_y" "$receptor" "$work/columns.cif"
expect "damaged or cut off" "$work/cut.pdb.gz" "$ligand"
expect "receptor: $work/twice.pdb: over a tenth of its 3258 heavy atoms are less than 0.7 Å from another one" "$work/twice.pdb" "$ligand"
expect "ligand: $work/point.pdb: over a tenth of its 222 heavy atoms are less than 0.7 Å from another one" "$receptor" "$work/point.pdb"
grep -m1 "^ATOM" "$ligand" >"$work/one.pdb"
expect "one.pdb: 1 heavy atom; expected at least 3" "$receptor" "$work/one.pdb"
expect "is not text" "$work/binary.pdb" "$ligand"
expect "there is no chain Z; the file has A" "$receptor:Z" "$ligand"
expect "there is no model 3" "$receptor" "$ligand" --model 3
expect "too small" "$receptor" "$ligand" --grid 20
for poses in 1 3; do # these use different kernels
  expect "no fused transforms of a grid of 88 x 88 x 88 cells; expected sides of at most 512" "$receptor" "$ligand" \
    --grid 88 --fft fused --per-rotation $poses
done
expect "half precision is for OpenCL and CUDA devices, not host" "$receptor" "$ligand" --fft fused-half
printf '1 0 0 0 1 0 0 0 1\n1 0 0 0 1 0 0 0\n' > "$work/rotations.txt"
expect "rotations.txt:2: number 9 of the matrix is missing" "$receptor" "$ligand" --rotations-file "$work/rotations.txt"
printf '1 0 0 0 1 0 0 0 -1\n' > "$work/mirror.txt"
expect "mirror.txt:1: the matrix is not a rotation (it mirrors)" "$receptor" "$ligand" --rotations-file "$work/mirror.txt"
expect "cuda" "$receptor" "$ligand" --device cuda:63

# An output folder that cannot be created, because its parent is a file.
output=$("$quern" dock "$receptor" "$ligand" --rotations 10 --spacing 2 --device host --quiet -o "$work/empty.pdb/out" 2>&1)
[ $? -eq 2 ] && [[ "$output" == *"empty.pdb: is a file; expected a folder"* ]] || fail "unwritable output: $output"

[ $failures -eq 0 ]
