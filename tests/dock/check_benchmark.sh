#!/usr/bin/env bash
# check_benchmark.sh SOURCE QUERN BUILD: bench/docking-benchmark with a stand-in for quern, whose models have classes that
# this script knows: tables, parts, devices, resuming after a kill, a complex that fails, a time limit, restraints, other
# options. Last, one complex with the real program.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$1/tests/support/script.sh"
command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
benchmark=$source/bench/docking-benchmark
cd "$work" || exit 1

# The stand-in notes its calls. It docks in no time, but waits in a complex named by SLOW, and fails in that named by
# BAD. The classes of a complex's models are in $work/classes/NAME.
cat >fake <<'FAKE'
#!/usr/bin/env bash
here=$(dirname "$0")
[ "$1" = --version ] && { echo "quern fake"; exit 0; }
echo "$*" >>"$here/calls"
if [ "$1" = dock ]; then
  while [ $# -gt 0 ]; do
    [ "$1" = -o ] && run=$2
    [ "$1" = --device ] && device=$2
    shift
  done
  name=$(basename "$(dirname "$run")")
  mkdir -p "$run"
  [ "$name" = "${BAD:-}" ] && { echo "a note" >&2; echo "error: no atoms, or \"none\"" >&2; exit 1; }
  if [ "$name" = "${SLOW:-}" ]; then
    trap 'kill $!; echo half >"$run/journal.0"; exit 1' TERM
    echo begun >"$here/begun"
    sleep 30 & wait $! # so that the trap acts at once
  fi
  echo '{"version": "fake", "seconds": 2.5, "grid": [8, 9, 10], "coefficient_sets": [{"cdrs_only": '"$([ "$name" = 1AAA ] && echo true || echo false)"'}], "devices": [{"name": "'"$device"'", "driver_version": "1"}]}' >"$run/run.json"
else
  table=${*: -1} run=$2
  name=$(basename "$(dirname "$run")")
  { echo model,fnat,interface_rmsd_angstrom,ligand_rmsd_angstrom,dockq,capri
    n=0
    for class in $(cat "$here/classes/$name"); do n=$((n + 1)); echo "cluster_$n.pdb,0.$n,$n,$n,0.$n,$class"; done
  } >"$table"
fi
FAKE
chmod +x fake
mkdir classes
make_complex() { # make_complex NAME CLASS…
  mkdir -p "set/$1"
  for part in r_u l_u_rnd r_b-matched l_b-matched; do echo "ATOM" >"set/$1/$1_$part.pdb"; done
  gzip -f "set/$1/$1_l_u_rnd.pdb"
  echo "${*:2}" >"classes/$1"
}
i=incorrect a=acceptable
echo $i >classes/1PPE
make_complex 1AAA $a $i $i
make_complex 1BBB $i $i $i $i medium $a
make_complex 1CCC $i $i $a $i $i high
make_complex 1DDD $i $i $i
printf 'id,category,difficulty\n1AAA,AA,rigid\n1BBB,EI,rigid\n1CCC,EI,difficult\n1DDD,OX,medium\n' >set/cases.csv
run() { local out=$1; shift; python3 "$benchmark" set -o "$out" --quern ./fake "$@" >"$out.txt" 2>"$out.err"; }
row() { grep -qF -- "$2" "$1/report.md" || { fail "$1/report.md has no line: $2"; grep -F "${2%%|*}" "$1/report.md"; }; }
calls() { grep -c "^dock .*$1" calls; }

# Tables. Wilson's intervals are those of a table: 1 of 4 is 4.6 to 69.9 %, 3 of 4 is 30.1 to 95.4 %, 1 of 2 9.5 to 90.5 %.
run all --models 6 --devices one,two --workers 2 -- --rotations 7 || fail "a run of four complexes"
row all '| all | 4 | 1 (25 %, 5–70) | 3 (75 %, 30–95) |'
row all '| enzyme-inhibitor (EI) | 2 | 0 (0 %, 0–66) | 2 (100 %, 34–100) |'
row all '| rigid | 2 | 1 (50 %, 9–91) | 2 (100 %, 34–100) |'
row all '| antibodies found by quern | 1 | 1 (100 %, 21–100) | 1 (100 %, 21–100) |'
row all '| all | 4 | 0 (0 %, 0–49) | 1 (25 %, 5–70) |' # medium or better
row all '- Options: --rotations 7; restraints: none'
row all '- Time of all runs: 10 s'
row all '| best of four programs | the 55 new complexes of Docking Benchmark 5 | none |  |  | 38 % |'
grep -q '^1CCC,EI,difficult,done,6,3,6,6,0.3,3,3,0.3,acceptable,2.5,8 x 9 x 10,no,$' all/complexes.csv || fail "the row of 1CCC"
grep -q '^1DDD,OX,medium,done,3,,,,,,,,,2.5,8 x 9 x 10,no,$' all/complexes.csv || fail "the row of 1DDD"
grep -q -- '--resume --quiet --device \(one\|two\) --clusters 6 --rotations 7$' calls || fail "the options of quern dock"
grep -q '<polyline' all/success.svg || fail "no plot"
python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' all/success.svg || fail "the plot is no XML"

# A second call docks nothing; other options are refused.
before=$(wc -l <calls)
run all --models 6 -- --rotations 7 || fail "a second call"
[ "$(wc -l <calls)" -eq "$before" ] || fail "a second call docks or judges again"
run all --models 6 -- --rotations 8 && fail "other options are taken"
grep -q "other settings (options: \['--rotations', '7'\], now \['--rotations', '8'\])" all.err || fail "the refusal of other options"
cp -r set other && echo ATOM >>other/1BBB/1BBB_r_u.pdb
python3 "$benchmark" other -o all --quern ./fake --models 6 -- --rotations 7 >out 2>&1 && fail "other files are taken"
grep -q 'made from other files' out || fail "the refusal of other files"

# A complex that fails is named, counts as missed, and is tried again.
BAD=1AAA run bad && fail "a failure ends with 0"
grep -qx 'failed: 1AAA: exit code 1: error: no atoms, or "none"' bad.err || fail "the failed complex is not named"
row bad '4 of 4 complexes; 1 failed and count as missed.'
row bad '| all | 4 | 0 (0 %, 0–49) | 2 (50 %, 15–85) |'
grep -q '^1AAA,AA,rigid,failed,.*"exit code 1: error: no atoms, or ""none"""$' bad/complexes.csv || fail "the row of a failed complex"
: >calls
run bad || fail "a failed complex is not tried again"
[ "$(calls .)" -eq 1 ] || fail "other complexes than the failed one are docked again"
row bad '| all | 4 | 1 (25 %, 5–70) | 3 (75 %, 30–95) | 3 (75 %, 30–95) | 3 (75 %, 30–95) | 3 (75 %, 30–95) |'

# A killed benchmark stops quern, keeps finished complexes and goes on with the interrupted one.
rm -f begun calls
SLOW=1DDD python3 "$benchmark" set -o killed --quern ./fake >killed.txt 2>killed.err &
process=$!
for _ in $(seq 100); do [ -e begun ] && break; sleep 0.1; done
kill -TERM $process
wait $process
[ $? -eq 1 ] || fail "a stopped benchmark ends with $?"
grep -q 'the same command goes on' killed.err || fail "a stopped benchmark says nothing"
[ -e killed/1DDD/dock/journal.0 ] || fail "quern was not stopped"
[ ! -e killed/report.md ] || fail "a stopped benchmark writes a report"
: >calls
run killed || fail "going on after a kill"
[ "$(calls .)" -eq 1 ] && grep -q '1DDD.*--resume' calls || fail "going on docks $(calls .) complexes"
row killed '4 of 4 complexes.'

# A time limit.
rm -f begun
SLOW=1BBB run slow --timeout 1 && fail "a complex over the time limit ends with 0"
grep -qx 'failed: 1BBB: stopped after the time limit of 1 s' slow.err || fail "the time limit is not named"

# Parts: each docks its own, the last one has all in its tables. A launcher's variables are parts too.
run parts --part 1/3 || fail "the first part"
[ "$(ls -d parts/1???)" = "$(printf 'parts/1AAA\nparts/1DDD')" ] || fail "the first part docks $(ls parts)"
grep -q '^2 complexes are left to other parts$' parts.txt || fail "the first part says nothing of the others"
row parts '2 of 4 complexes; **2 are not finished**.'
OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=3 run parts || fail "the second part"
run parts --part 3/3 || fail "the third part"
cmp -s parts/complexes.csv killed/complexes.csv || fail "parts have other results than one call"

# Under a launcher only the last process says that a complex failed, because the launcher would end the others.
BAD=1AAA OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 run launched || fail "a launcher is told of a failure too early"
grep -q '^failed: 1AAA' launched.err || fail "a launched process does not name its failed complex"
OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 run launched && fail "the last launched process ends with 0"
BAD=1AAA run launched2 --part 1/2 && fail "a part with a failure ends with 0"
run parts --part 4/3 && fail "part 4 of 3 is taken"
grep -q -- '--part 4/3: expected I/N' parts.err || fail "the refusal of a part"

# Models of antibodies: chains by name, restraints.
mkdir -p models/9zzz
printf 'ATOM      1  CA  ALA %s   1\n' H L >models/9zzz/antibody_model.pdb
printf 'ATOM      1  CA  ALA %s   1\n' A >models/9zzz/antigen_model_rnd.pdb
printf 'ATOM      1  CA  ALA %s   1\n' E H L B >models/9zzz/true_complex.pdb
printf 'chain,number,residue\nH,25,Ala\nH,26,Ser\nL,30A,Ser\n' >models/9zzz/cdr.csv
printf 'chain,number,residue\nA,6,Met\nA,8,Tyr\n' >models/9zzz/vague_epitope.csv
echo medium >classes/9zzz
: >calls
python3 "$benchmark" models -o guided --quern ./fake --restraints attract >guided.txt 2>&1 || fail "models of antibodies"
grep -q -- '--attract receptor:H:25,26 --attract receptor:L:30A --attract ligand:A:6,8$' calls || fail "restraints: $(head -1 calls)"
grep -q -- '--reference models/9zzz/true_complex.pdb:HL models/9zzz/true_complex.pdb:BE' calls || fail "chains of the complex"
row guided '| HADDOCK3 | 82 models of antibodies and antigens | CDR and vague epitope | 23.2 % | 42.7 % | 54.9 % |'
: >calls
python3 "$benchmark" models -o blind --quern ./fake >blind.txt 2>&1 || fail "models of antibodies, blind"
grep -q attract calls && fail "restraints in a blind run"

# The real program, with a ligand that is turned here: distances stay, places do not, and each call turns in the same way.
mkdir -p real/1PPE && cp "$source"/examples/1ppe/1PPE_*.pdb real/1PPE/
mv real/1PPE/1PPE_l_u_rnd.pdb real/1PPE/1PPE_l_u.pdb
python3 "$benchmark" real -o once --quern "$quern" --devices host --models 3 \
  -- --rotations 60 --spacing 2 --coefficients balanced >once.txt 2>&1 || { fail "a real run"; cat once.txt; }
grep -q '^1PPE,,,done,3,.* x .*,no,$' once/complexes.csv || fail "the row of a real run: $(tail -1 once/complexes.csv)"
python3 - real/1PPE/1PPE_l_u.pdb once/1PPE/1PPE_l_u_rnd.pdb <<'PYTHON' || fail "the turned ligand"
import math, sys
atoms = [[tuple(float(line[k:k + 8]) for k in (30, 38, 46)) for line in open(path) if line.startswith("ATOM")]
         for path in sys.argv[1:]]
assert len(atoms[0]) == len(atoms[1]) > 200
# all distances from four atoms that are not in a plane, and the sign of their volume, fix a rotation
pairs = [(i, j) for i in (0, 50, 120, 200) for j in range(len(atoms[0]))]
assert all(abs(math.dist(atoms[0][i], atoms[0][j]) - math.dist(atoms[1][i], atoms[1][j])) < 2e-3 for i, j in pairs)
def volume(p):
    a, b, c = ([p[k][x] - p[0][x] for x in range(3)] for k in (50, 120, 200))
    return sum(a[x] * (b[x - 2] * c[x - 1] - b[x - 1] * c[x - 2]) for x in range(3))
assert abs(volume(atoms[0]) - volume(atoms[1])) < 1e-3 * abs(volume(atoms[0])) > 0.1
centre = [sum(axis) / len(axis) for axis in zip(*atoms[1])]
assert max(map(abs, centre)) < 0.01
PYTHON
cp once/1PPE/1PPE_l_u_rnd.pdb first.pdb
python3 "$benchmark" real -o twice --quern ./fake >/dev/null 2>&1
cmp -s first.pdb twice/1PPE/1PPE_l_u_rnd.pdb || fail "a second call turns the ligand in another way"
exit $((failures > 0))
