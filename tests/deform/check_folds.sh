#!/usr/bin/env bash
# labels: unsanitized
# check_folds.sh SOURCE QUERN BUILD: a curved strip, clamped at both ends and pushed down by a hinge at a quarter of its
# length, snaps through. The space flags the neighbours on both sides of the snap, and a hand gets no force across it that
# is interpolated, whether the states come from the file or are solved on the way.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2") build=$(cd "$3" && pwd)
"$quern" deform -h >/dev/null 2>&1 || { echo "this build has no deform command"; exit 77; }
. "$1/tests/support/script.sh"
export LC_ALL=C
cd "$work" || exit 1
awk -v cells=24 -v height=0.03 -f "$source/tests/deform/arch.awk" >arch.msh
body=(arch.msh --order 2 --fix nodes:1-4,97-100 --contact nodes:25,27 --material svk:10000,0.3 --tolerance 1e-8)
grid=(--step 0.002 --reach 0:0,0:0,-0.036:0)

# The column of z where a flag of --step 0.002 stands: the lower neighbour.
"$quern" deform space "${body[@]}" "${grid[@]}" --checks 20 -o arch.qcs >said 2>log || fail "the space: $(cat log)"
folds=$(awk -F, 'NR > 1 && $NF != "" { printf "%s at %g;", $NF, $3 }' arch_states.csv)
[ "$folds" = "z at -0.028;" ] || fail "folds are \"$folds\"; expected one between -0.028 and -0.026 m"
grep -q '^0 unsolved, 1 fold' said || fail "the space says $(cat said)"
grep -q 'the body snaps' log || fail "no warning of the fold: $(cat log)"
awk -F, 'NR > 1 && $3 > -0.028 && $3 < -0.026 { exit 1 }' arch_checks.csv || fail "forces are checked across the fold"
[ "$(wc -l <arch_checks.csv)" -gt 15 ] || fail "only $(wc -l <arch_checks.csv) lines of checks"

# Ranks tell each other of the folds that they find.
if use_mpi "$build"; then
  ranks 3 "$quern" deform space "${body[@]}" "${grid[@]}" --checks 20 --threads 1 --quiet -o ranks.qcs 2>log || fail "three ranks: $(cat log)"
  cmp arch.qcs ranks.qcs && cmp arch_states.csv ranks_states.csv || fail "three ranks find another space"
fi

# Steps of a quarter meet the snap, as a fold or a state without a balance, between the same places and nowhere else.
"$quern" deform space "${body[@]}" --step 0.0005 --reach 0:0,0:0,-0.03:0 --checks 0 --quiet -o fine.qcs 2>log || fail "fine steps: $(cat log)"
awk -F, 'NR > 1 && $NF != "" { if ($3 >= -0.0281 && $3 <= -0.0259) good++; else bad++ } END { exit !(good && !bad) }' fine_states.csv ||
  fail "fine steps break at: $(awk -F, 'NR > 1 && $NF != "" { print $3, $NF }' fine_states.csv | tr '\n' ' ')"

# A hand that goes over the snap and back.
printf 't,x,y,z\n0,0,0,-0.020\n0.5,0,0,-0.034\n1,0,0,-0.020\n' >hand.csv
feel() {
  "$quern" deform simulate "${body[@]}" --hand hand.csv --clock simulated --checks 10 --quiet -o "$@" 2>log || fail "a hand: $(cat log)"
}
feel solved "${grid[@]}"
feel file --space arch.qcs
cmp solved/ticks.csv.gz file/ticks.csv.gz || fail "the hand feels other forces with states of the file"
for run in solved file; do
  zcat $run/ticks.csv.gz | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { inside = $at["z_m"] > -0.028 && $at["z_m"] < -0.026; crossed += inside
      if ($at["fold"] != inside || $at["extrapolated"] != inside) wrong++ }
    END { if (wrong || crossed < 50) { print wrong + 0, crossed + 0; exit 1 } }' || fail "$run: ticks that are flagged wrongly, and ticks in the fold"
done
[ $failures -eq 0 ]
