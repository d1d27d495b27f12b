#!/usr/bin/env bash
# labels: unsanitized
# check_space_devices.sh SOURCE QUERN BUILD: a configuration space that a device solves in batches has the same bytes for
# any size of batches, any number of threads, and after a kill; states without a balance in single precision come from the
# host; and its forces are those of a space that the host solves.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2") build=$(cd "$3" && pwd)
"$quern" deform -h >/dev/null 2>&1 || { echo "this build has no deform command"; exit 77; }
. "$1/tests/support/script.sh"
export LC_ALL=C
cd "$work" || exit 1
loud=("$source/examples/deform/lobe.msh" --fix tag:held --material svk:10000,0.45 --contact 'x>0.1' --checks 2)
body=("${loud[@]}" --quiet)
grid=(--step 0.004 --reach 0:0.004,0:0.004,0:0.004)
far=(--step 0.03 --reach 0:0.06,0:0,0:0)
space() { "$quern" deform space "${body[@]}" --device checking:host "$@" 2>log || { cat log; fail "$*"; }; }
same() { # same A B: states of two spaces are equal
  local name
  for name in .qcs _states.csv; do cmp "$1$name" "$2$name" || fail "$1$name and $2$name differ"; done
}
space "${grid[@]}" --batch 12 --threads 1 -o wide.qcs
space "${grid[@]}" --batch 3 --threads 2 -o narrow.qcs
same wide narrow
[ "$(tail -n +2 wide_states.csv | wc -l)" -eq 8 ] || fail "states.csv has not 8 rows"

# Forces of all states beside those of the host, in columns 4 to 6.
"$quern" deform space "${body[@]}" "${grid[@]}" -o host.qcs || fail "a run on the host"
paste -d, host_states.csv wide_states.csv | awk -F, 'NR > 1 { far = f = 0
    for (i = 4; i <= 6; i++) { far += ($(i + 13) - $i) ^ 2; f += $i ^ 2 }
    if (far > (1e-3) ^ 2 * f) wrong++
    if (($10 - $(10 + 13)) ^ 2 > 1e-8) wrong++ } END { exit !(NR == 9 && !wrong) }' ||
  fail "forces or least stretches of the device are not those of the host"

# Where the device has no memory for all states at once, batches are smaller, unless their size is asked for.
plane=("${loud[@]}" --step 0.002 --reach 0:0.004,0:0.004,0:0 --device checking:host --threads 2)
"$quern" deform space "${plane[@]}" -o roomy.qcs >log 2>&1 || fail "roomy: $(cat log)"
grep -q 'has no memory' log && fail "roomy: $(cat log)"
export QUERN_CHECKING_MEMORY_MIB=3
"$quern" deform space "${plane[@]}" -o cramped.qcs >log 2>&1 || fail "cramped: $(cat log)"
grep -q '^checking:host has no memory for 9 states at once, so it works on 4$' log || fail "cramped: $(cat log)"
same roomy cramped
"$quern" deform space "${plane[@]}" --batch 9 -o asked.qcs >log 2>&1 && fail "asked: exit code 0"
grep -q '^quern: checking:host: a buffer of [0-9]* bytes was asked for; [0-9]* bytes are left$' log || fail "asked: $(cat log)"
[ ! -e asked.qcs ] || fail "asked: there is a result"
unset QUERN_CHECKING_MEMORY_MIB

# The way along x begins with states that the device finds; after that the body collapses, and the host tells.
space "${far[@]}" --threads 2 -o far.qcs
tail -n +2 far_states.csv | grep -q '^0.06,0,0,.*unsolved$' || fail "a state far away has a balance: $(cat far_states.csv)"

# A region without a balance behind others: the host tells of states before it knows of their parents, and the bytes are
# those of one thread.
bent=(--step 0.03 --reach 0:0.09,0:0.06,0:0)
space "${bent[@]}" --threads 1 -o bent1.qcs
unsolved=$(grep -c 'unsolved$' bent1_states.csv)
[ "$unsolved" -ge 4 ] || fail "$unsolved states of the bent grid have no balance; expected 4 or more: $(cat bent1_states.csv)"
for threads in 2 5; do
  space "${bent[@]}" --threads $threads --batch 2 -o bent$threads.qcs
  same bent1 bent$threads
done

# A kill after some records, then the rest.
LD_PRELOAD=$build/tests/signal_at_write.so QUERN_TEST_SIGNAL="$(kill -l KILL) 9 killed_unfinished/journal.0" \
  "$quern" deform space "${body[@]}" "${grid[@]}" --device checking:host --batch 3 --threads 2 -o killed.qcs >log 2>&1
[ $? -eq 137 ] || fail "a kill was expected: $(cat log)"
[ ! -e killed.qcs ] || fail "there is a result after a kill"
space "${grid[@]}" --batch 12 --threads 1 --resume -o killed.qcs
same wide killed
grep -q '"resumed": 0,' killed_run.json && fail "nothing was resumed after a kill"
ls ./*.partial.* >log 2>&1 && fail "files of the killed run are left: $(cat log)"

# The same in the region without a balance, where the host records states while others wait for them.
for writes in 6 9; do
  LD_PRELOAD=$build/tests/signal_at_write.so QUERN_TEST_SIGNAL="$(kill -l KILL) $writes bent_killed_unfinished/journal.0" \
    "$quern" deform space "${body[@]}" "${bent[@]}" --device checking:host --batch 2 --threads 5 -o bent_killed.qcs >log 2>&1
  [ $? -eq 137 ] || fail "a kill at write $writes was expected: $(cat log)"
  space "${bent[@]}" --threads 2 --resume -o bent_killed.qcs
  same bent1 bent_killed
  rm -r bent_killed*
done
[ $failures -eq 0 ]
