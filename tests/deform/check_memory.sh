#!/usr/bin/env bash
# labels: unsanitized
# check_memory.sh SOURCE QUERN BUILD: a configuration space takes the memory that --explain tells, within a tenth, whether
# states or solvers take most of it; one that would take more than --memory is refused.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$source/tests/support/script.sh"
[ -x /usr/bin/time ] || { echo "/usr/bin/time is not installed"; exit 77; }
export LC_ALL=C
cd "$work" || exit 1
space() { # space OPTION...: sets status, peak and estimate (MiB)
  /usr/bin/time -o peak -f %M "$quern" deform space "$source/examples/deform/lobe.msh" --fix tag:held --contact 'x>0.1' \
    --material svk:10000,0.45 --checks 2 --explain --overwrite -o out.qcs "$@" >output 2>message
  status=$?
  peak=$(awk 'END { print $1 / 1024 }' peak)
  estimate=$(sed -n 's/.* will take about \([0-9.]*\) MiB.*/\1/p' message)
}
fits() { # fits OPTION...
  space "$@"
  [ "$status" -eq 0 ] || fail "$*: $(cat message)"
  echo "$*: $estimate MiB estimated, $peak MiB taken"
  awk -v e="$estimate" -v p="$peak" 'BEGIN { exit !(e > 0.9 * p && e < 1.1 * p) }' ||
    fail "$* takes $peak MiB, but $estimate MiB were estimated"
}
fits --step 0.001 --reach 0:0.01,0:0.01,0:0.01 --threads 1 --tolerance 1e-3
fits --refine 1 --step 0.005 --reach 0:0.005,0:0.005,0:0.005 --threads 3
space --step 0.001 --reach 0.01 --memory 0.03
[ "$status" -eq 1 ] && grep -q '^quern: 9261 states of 648 unknowns take about [0-9.]* MiB; expected at most the 30.7 MiB of --memory: a larger --step' message ||
  fail "with --memory: exit code $status, $(cat message)"
[ $failures -eq 0 ]
