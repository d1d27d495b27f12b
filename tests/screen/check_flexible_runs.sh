#!/usr/bin/env bash
# parts: search sides
# labels: unsanitized@search
# check_flexible_runs.sh SOURCE QUERN BUILD PART: screens of flexible molecules from the command line give the same bytes for
# any number of threads and ranks, and after kills. search: chains; sides: side chains that turn, from the
# poses of the library.
set -u
source=$1 quern=$2 build=$(cd "$3" && pwd) part=$4
"$quern" screen -h >/dev/null 2>&1 || { echo "this build has no screen command"; exit 77; }
. "$1/tests/support/script.sh"

# 64 molecules, eight pieces of the journal, in two files, one of them gzipped.
examples=$source/examples/1iep
bash "$source/tests/screen/make_library.sh" "$examples/kinase_inhibitors.sdf" 64 7 10 >"$work/all.sdf"
awk '{ print > (done < 21 ? "'"$work"'/first.sdf" : "'"$work"'/second.sdf") } /^\$\$\$\$/ { done++ }' "$work/all.sdf"
gzip "$work/second.sdf"
awk '/^ATOM/ { x = substr($0, 31, 8) - 15.2; y = substr($0, 39, 8) - 53.9; z = substr($0, 47, 8) - 16.9
       if (x * x + y * y + z * z < 81) print } END { print "END" }' "$examples/1iep_receptor.pdb" >"$work/pocket.pdb"
options=("$work/pocket.pdb" "$work/first.sdf" "$work/second.sdf.gz" --flexible --keep 2 --top 20 --device host --tune off --quiet)
if [ "$part" = search ]; then
  options+=(--box 15.2,53.9,16.9,4 --walkers 4 --effort 0.01)
else
  options+=(--local-only --flex A:ASP381,A:VAL299 --flex A:382)
fi
screen() { "$quern" screen "${options[@]}" "$@"; }
same() { # same A B: every result file, except those that contain times, is equal
  local name
  for name in scores.csv hits.sdf hits.pdbqt rejected.csv; do
    cmp "$work/$1/$name" "$work/$2/$name" || fail "$name differs between $1 and $2"
  done
}

screen -o "$work/one" --threads 1 || fail "a run on one thread"
broken=$(grep -c '^BROKEN' "$work/all.sdf")
[ "$(tail -n +2 "$work/one/scores.csv" | wc -l)" -eq $((64 - broken)) ] || fail "scores.csv has not $((64 - broken)) lines"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
  function term(name) { return $at[name "_kcal_per_mol"] }
  { off = term("energy") * (1 + 0.05846 * $at["torsions"]) - term("inter") - term("intra") - term("unbound") }
  !at["torsions"] || off > 0.001 || off < -0.001 { exit 1 }' "$work/one/scores.csv" || fail "torsions and energies do not go together"
records=$(grep -c '^\$\$\$\$' "$work/one/hits.sdf")
[ "$records" -ge 20 ] || fail "hits.sdf has $records records"
[ "$(grep -c '^MODEL' "$work/one/hits.pdbqt")" -eq "$records" ] || fail "hits.pdbqt has not $records models"
sides=$([ "$part" = sides ] && echo 3 || echo 0)
[ "$(grep -c '^BEGIN_RES' "$work/one/hits.pdbqt")" -eq $((sides * records)) ] || fail "hits.pdbqt has not $sides side chains a model"
screen -o "$work/two" --threads 2 || fail "a run on two threads"
same one two

# Three kills, each after more was recorded, then a run to the end.
recorded() { stat -c %s "$work/$1/journal.0" 2>/dev/null || echo 0; }
kills=0
while [ $kills -lt 3 ] && [ "$(recorded killed)" -lt "$(recorded one)" ]; do
  before=$(recorded killed)
  "$quern" screen "${options[@]}" --threads 1 -o "$work/killed" --resume &
  running=$!
  while kill -0 $running 2>/dev/null && [ "$(recorded killed)" -le "$before" ]; do sleep 0.01; done
  { kill -KILL $running; wait $running; } 2>/dev/null
  [ $? -eq 137 ] || break
  kills=$((kills + 1))
done
echo "killed $kills times, the journal has $(recorded killed) of $(recorded one) bytes"
[ $kills -gt 0 ] || fail "the run was over before it could be killed once"
screen -o "$work/killed" --threads 2 --resume || fail "the run after $kills kills"
same one killed
grep -q '"resumed": 0,' "$work/killed/run.json" && fail "nothing was resumed after $kills kills"

# A finished run says that it is.
cp -r "$work/one" "$work/again"
said=$("$quern" screen "${options[@]/--quiet/--explain}" -o "$work/again" --resume 2>"$work/log") ||
  fail "a finished run resumed: $(cat "$work/log")"
case $said in *"every molecule had been searched before"*) ;; *) fail "a finished run says $said" ;; esac
grep -q 'from an earlier run that was finished\.' "$work/again/report.html" || fail "the report of a finished run"
grep -q 'from an earlier run that was not finished\.' "$work/killed/report.html" || fail "the report of a resumed run"
same one again

refused=$(screen -o "$work/one" --resume --seed 99 2>&1) && fail "the journal of another seed is accepted"
case $refused in *"seed="*) ;; *) fail "another seed: unexpected message: $refused" ;; esac

if use_mpi "$build"; then
  for count in 1 2 3; do
    ranks "$count" "$quern" screen "${options[@]}" --threads 1 -o "$work/ranks$count" >"$work/log" 2>&1 ||
      { fail "$count ranks"; tail -n 5 "$work/log"; }
    same one "ranks$count"
  done
fi
exit $((failures > 0))
