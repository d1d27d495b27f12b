#!/usr/bin/env bash
# parts: displacements pressures
# labels: unsanitized
# check_space.sh SOURCE QUERN BUILD PART: a configuration space has the same bytes for any number of threads and ranks and
# after kills, and so has what a hand feels with a simulated clock, whether its states are solved or come from a file.
# displacements: St Venant-Kirchhoff; pressures: Mooney-Rivlin with pressures, and a tool that moves a mean.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2") build=$(cd "$3" && pwd) part=$4
"$quern" deform -h >/dev/null 2>&1 || { echo "this build has no deform command"; exit 77; }
. "$1/tests/support/script.sh"
export LC_ALL=C
cd "$work" || exit 1
body=("$source/examples/deform/lobe.msh" --fix tag:held --tolerance 1e-8)
if [ "$part" = displacements ]; then
  body+=(--material svk:10000,0.45 --contact 'x>0.1')
  grid=(--step 0.004 --reach 0:0.008,-0.008:0.008,-0.008:0.004) states=60
else
  body+=(--material mooney-rivlin:1400,280,2e5 --contact 'mean:x>0.1')
  grid=(--step 0.005 --reach 0:0.01,0:0.01,-0.01:0) states=27
fi
space() { "$quern" deform space "${body[@]}" "${grid[@]}" --checks 6 "$@"; } # space OPTION...
same() { # same A B: every file of two spaces, except those that contain times, is equal
  local name
  for name in .qcs _states.csv _checks.csv; do
    cmp "$1$name" "$2$name" || fail "$1$name and $2$name differ"
  done
}

# ---- threads, ranks, kills ----

space --threads 1 -o one.qcs >said 2>log || { cat log; fail "a run on one thread"; exit 1; }
[ "$(tail -n +2 one_states.csv | wc -l)" -eq $states ] || fail "states.csv has not $states rows"
[ "$(tail -n +2 one_checks.csv | wc -l)" -eq 6 ] || fail "checks.csv has not 6 rows"
for threads in 2 3; do
  space --threads $threads --quiet -o threads$threads.qcs || fail "a run on $threads threads"
  same one threads$threads
done
if use_mpi "$build"; then
  for count in 2 3; do
    ranks $count "$quern" deform space "${body[@]}" "${grid[@]}" --checks 6 --threads 1 --quiet -o ranks$count.qcs >log 2>&1 ||
      { fail "$count ranks"; tail -n 5 log; }
    same one ranks$count
  done
  "$quern" deform solve "${body[@]}" --move 0.003,0.002,-0.004 --quiet -o solved 2>log || fail "a state: $(cat log)"
  ranks 2 "$quern" deform solve "${body[@]}" --move 0.003,0.002,-0.004 --quiet -o solved2 >log 2>&1 || fail "a state in two ranks: $(cat log)"
  for name in state.vtu nodes.csv; do cmp solved/$name solved2/$name || fail "$name differs in two ranks"; done
fi

# Six kills: after a record, or between the head of a record and its bytes.
kills=0
for writes in 6 5 9 4 7 8; do
  LD_PRELOAD=$build/tests/signal_at_write.so QUERN_TEST_SIGNAL="$(kill -l KILL) $writes killed_unfinished/journal.0" \
    ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" \
    "$quern" deform space "${body[@]}" "${grid[@]}" --checks 6 --threads 2 --quiet --resume -o killed.qcs >log 2>&1
  [ $? -eq 137 ] && kills=$((kills + 1))
  [ ! -e killed.qcs ] || fail "there is a result after $kills kills"
done 2>/dev/null
[ $kills -eq 6 ] || fail "six kills were expected; there were $kills"
space --threads 2 --quiet --resume -o killed.qcs || fail "a run after $kills kills"
same one killed
grep -q '"resumed": 0,' killed_run.json && fail "nothing was resumed after $kills kills"

# A finished run tells its facts again.
space --threads 1 --resume -o one.qcs >again 2>log || fail "a finished run resumed: $(cat log)"
[ "$(grep -v ', [0-9.]* m\?s$' again)" = "$(grep -v ', [0-9.]* m\?s$' said)" ] || fail "a finished run says $(cat again); expected $(cat said)"

# ---- refusals ----

printf 'x' | dd of=threads3.qcs bs=1 seek=700 conv=notrunc status=none
for file in threads3.qcs one_states.csv; do
  "$quern" deform simulate "${body[@]}" --hand min-jerk:1,0.03,0.004 --duration 0.1 --space $file --quiet -o refused >log 2>&1 && fail "$file is accepted"
  grep -q "^quern: $file: .* expected" log || fail "$file: $(cat log)"
done

# A byte of the last state's shape.
cp one.qcs damaged.qcs
printf 'x' | dd of=damaged.qcs bs=1 seek=$(($(stat -c %s damaged.qcs) - 2000)) conv=notrunc status=none
"$quern" deform simulate "${body[@]}" --hand min-jerk:1,0.03,0.004 --duration 0.1 --space damaged.qcs --quiet -o refused >log 2>&1 && fail "a damaged shape is accepted"
grep -q "^quern: damaged.qcs: the checksum of the arrays of state $((states - 1)), .* is wrong; expected an undamaged file" log ||
  fail "a damaged shape: $(cat log)"

# The same material and sets in other words, and others.
if [ "$part" = displacements ]; then
  words() { # words CONTACT MATERIAL
    "$quern" deform simulate "$source/examples/deform/lobe.msh" --tolerance 1e-8 --fix 'tag:held' --contact "$1" --material "$2" \
      --hand min-jerk:1,0.03,0.004 --duration 0.1 --clock simulated --checks 0 --space one.qcs --quiet --overwrite -o words >log 2>&1
  }
  words 'x>0.10' svk:1e4,.45 || fail "other words are refused: $(cat log)"
  words 'x>0.1&x>0.09' svk:10000,0.45 || fail "another way to the same nodes is refused: $(cat log)"
  words 'x>0.11' svk:1e4,.45 && fail "another contact is accepted"
  grep -q '^quern: one.qcs: was made with contact=x>0.1; expected x>0.11 as in this run' log || fail "another contact: $(cat log)"
  words 'mean:x>0.1' svk:1e4,.45 && fail "a mean is accepted"
  grep -q '^quern: one.qcs: was made with contact=x>0.1; expected mean:x>0.1 as in this run' log || fail "a mean: $(cat log)"
  words 'x>0.1' svk:1e4,.451 && fail "another material is accepted"
  grep -q '^quern: one.qcs: was made with material=svk:10000,0.45; expected svk:1e4,.451 as in this run' log || fail "another material: $(cat log)"
fi

# ---- a hand with a simulated clock ----

awk 'BEGIN { print "t,x,y,z"; for (i = 0; i <= 50; i++) { a = 6.283185307 * i / 50 # inside of both grids
  printf "%.2f,%.6f,%.6f,%.6f\n", i / 50, 0.004 + 0.0035 * sin(a), 0.004 + 0.0035 * sin(2 * a), -0.004 + 0.0035 * cos(3 * a) } }' >hand.csv
feel() { # feel NAME OPTION...
  "$quern" deform simulate "${body[@]}" --hand hand.csv --duration 1 --clock simulated --checks 5 --quiet -o "$@" ||
    fail "a hand: $*"
}
felt_alike() {
  local name
  for name in ticks.csv.gz states.csv; do cmp "$1/$name" "$2/$name" || fail "$name differs between $1 and $2"; done
}
feel hand1 "${grid[@]}" --threads 1
feel hand2 "${grid[@]}" --threads 2
feel hand3 "${grid[@]}" --threads 3
feel file1 --space one.qcs --threads 1
feel file3 --space one.qcs --threads 3
for name in hand2 hand3 file1 file3; do felt_alike hand1 $name; done
grep -q '"clamped": 0,' hand1/run.json || fail "the hand left the grid"
[ "$(zcat hand1/ticks.csv.gz | wc -l)" -eq 1002 ] || fail "ticks.csv.gz has $(zcat hand1/ticks.csv.gz | wc -l) lines; expected a head and the ticks from 0 to 1 s"

# ---- a step of its own choice ----

# The gradient way has no error at the centres of cells; a step that is chosen there alone is 10 mm, with an error of 1.5 %.
if [ "$part" = displacements ]; then
  chosen=("$source/examples/deform/lobe.msh" --fix tag:held --interpolation gradient --checks 30 --quiet)
  "$quern" deform space "${chosen[@]}" --contact near:0.08,0.035,0.02,0.015 --material svk:10000,0.45 --reach 0:0.01,-0.01:0.01,-0.01:0.01 \
    --accuracy 0.005 -o chosen.qcs 2>log || fail "a step is not chosen: $(cat log)"
  tr -d ' \n' <chosen_run.json | sed 's/.*"step_m":\([^,]*\),.*"error_gradient":\([^,]*\),.*/\1 \2/' |
    awk '{ exit !(NF == 2 && $1 >= 0.0025 && $2 <= 0.005) }' || fail "a chosen step and its error: $(grep -e step_m -e error_ chosen_run.json)"
  grep -q accuracy log && fail "a warning of an exact step: $(cat log)"
  "$quern" deform space "${chosen[@]}" --contact 'x>0.1' --material mooney-rivlin:1400,280,2e5 --reach 0.03 --accuracy 0.1 -o wide.qcs 2>log
  grep -q 'error of forces at the checked places is 0.11, and --accuracy is 0.1: a --step below 0.03 m' log || fail "a wide step: $(cat log)"
fi

# ---- a grid of one layer ----

if [ "$part" = displacements ]; then
  "$quern" deform space "${body[@]}" --step 0.004 --reach 0:0,-0.004:0.004,0:0.004 --checks 6 --quiet -o flat.qcs || fail "a flat grid"
  [ "$(tail -n +2 flat_checks.csv | wc -l)" -eq 6 ] || fail "a flat grid has $(tail -n +2 flat_checks.csv | wc -l) checks; expected 6"
  awk -F, 'NR > 1 { for (i = 4; i <= 6; i++) { d += ($(i + 3) - $i) ^ 2; f += $i ^ 2 } if (!(d <= 1e-4 * f)) exit 1 }' flat_checks.csv ||
    fail "forces of a flat grid are more than 1 % off"
fi
[ $failures -eq 0 ]
