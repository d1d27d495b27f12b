#!/usr/bin/env bash
# check_runs.sh SOURCE QUERN BUILD: whole docking runs from the command line. The same bytes for any thread count and
# batch and after kills and resumes; nothing half-written under a final name.
set -u
source=$1 quern=$2
receptor=$source/examples/1ppe/1PPE_r_u.pdb ligand=$source/examples/1ppe/1PPE_l_u_rnd.pdb
work=$(mktemp -d "${TMPDIR:-/tmp}/quern-dock-XXXXXX")
trap 'rm -rf "$work"' EXIT
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
# One engine: the automatic choice measures, so two runs may differ in it.
options=(--rotations 3000 --spacing 1.8 --keep 200 --fft own --device host --quiet)
dock() { "$quern" dock "$receptor" "$ligand" "${options[@]}" "$@"; }
same() { # same A B: every result file but the timed ones is equal
  local name
  for name in "$1"/*; do
    name=$(basename "$name")
    case $name in run.json|report.html|journal.bin) continue ;; esac
    cmp -s "$1/$name" "$2/$name" || fail "$name differs between $1 and $2"
  done
  [ "$(ls "$1")" = "$(ls "$2")" ] || fail "$1 and $2 hold other files"
}

dock -o "$work/one" --threads 1 || fail "a run on one thread"
for file in poses.csv clusters.csv contacts.csv cluster_01.pdb run.json report.html view.pml view.cxc; do
  [ -s "$work/one/$file" ] || fail "$file is missing"
done
[ "$(wc -l < "$work/one/poses.csv")" -eq 201 ] || fail "poses.csv has $(wc -l < "$work/one/poses.csv") lines, expected 201"
dock -o "$work/two" --threads 2 || fail "a run on two threads"
same "$work/one" "$work/two"
dock -o "$work/batch" --threads 2 --batch 7 || fail "a run with batches of 7"
same "$work/one" "$work/batch"
dock -o "$work/seed" --threads 2 --seed 5 || fail "a run with another seed"
cmp -s "$work/one/poses.csv" "$work/seed/poses.csv" && fail "the seed changes nothing"

# Ten kills, a little later each time, then to the end.
kills=0
for attempt in 0 1 2 3 4 5 6 7 8 9; do
  { timeout -s KILL "0.3$attempt" "$quern" dock "$receptor" "$ligand" "${options[@]}" --threads 1 -o "$work/killed" --resume; } 2>/dev/null
  [ $? -eq 137 ] || break
  kills=$((kills + 1))
  for file in poses.csv clusters.csv report.html run.json; do
    [ -e "$work/killed/$file" ] && fail "$file stands there before the run is over"
  done
done
echo "killed $kills times, the journal has $(stat -c %s "$work/killed/journal.bin" 2>/dev/null || echo no) bytes"
[ $kills -eq 10 ] || echo "this machine is too fast for ten kills"
dock -o "$work/killed" --threads 2 --resume || fail "the run after $kills kills"
rm -f "$work"/killed/*.partial.*
same "$work/one" "$work/killed"

# A finished folder is not overwritten; another run cannot go on from its journal.
message=$(dock -o "$work/one" 2>&1) && fail "a folder with results was overwritten"
case $message in *"not empty"*) ;; *) fail "unexpected message: $message" ;; esac
message=$("$quern" dock "$receptor" "$ligand" --rotations 700 --spacing 1.8 --fft own --device host --quiet -o "$work/one" --resume 2>&1) &&
  fail "another run went on from the journal"
case $message in *"there rotations=3000"*) ;; *) fail "unexpected message: $message" ;; esac

# A disk that fills up: files may not grow past 16 KiB.
message=$( (trap '' XFSZ; ulimit -f 16; dock -o "$work/full") 2>&1) && fail "a full disk went unnoticed"
[ "$(printf '%s\n' "$message" | wc -l)" -eq 1 ] || fail "more than one sentence: $message"
for file in "$work"/full/*; do
  case $(basename "$file") in journal.bin|cluster_*.pdb|view.*) ;; *) fail "$(basename "$file") was left behind by a full disk" ;; esac
done

[ $failures -eq 0 ]
