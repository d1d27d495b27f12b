#!/usr/bin/env bash
# labels: unsanitized
# check_memory.sh SOURCE QUERN BUILD: a screen of flexible molecules takes the memory that --explain tells, within a
# tenth, whether maps or chains take most of it; one that would take more than --memory is refused. What the smallest
# run takes depends on whether the system gives pages of 2 MiB, so 12 MiB of difference are allowed too.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$source/tests/support/script.sh"
[ -x /usr/bin/time ] || { echo "/usr/bin/time is not installed"; exit 77; }
export LC_ALL=C QUERN_TUNE=off
cd "$work" || exit 1
examples=$source/examples/1iep
awk '{ print } /^\$\$\$\$/ && ++records == 8 { exit }' "$examples/kinase_inhibitors.sdf" >library.sdf
screen() { # screen OPTION...: sets status, peak and estimate (MiB)
  rm -rf out
  /usr/bin/time -o peak -f %M "$quern" screen "$examples/1iep_receptor.pdb" library.sdf --device host --threads 2 \
    --explain -o out "$@" >output 2>message
  status=$?
  peak=$(awk 'END { print $1 / 1024 }' peak)
  estimate=$(sed -n 's/.* will take about \([0-9.]*\) MiB$/\1/p' message)
}
fits() { # fits OPTION...
  screen "$@"
  [ "$status" -eq 0 ] || fail "$*: $(cat message)"
  echo "$*: $estimate MiB estimated, $peak MiB taken"
  awk -v e="$estimate" -v p="$peak" 'BEGIN { exit !(e > 0.9 * p && (e < 1.1 * p || (p < 24 && e < p + 12))) }' ||
    fail "$* takes $peak MiB, but $estimate MiB were estimated"
}
fits --score-only
fits --box 15.2,53.9,16.9,25 --walkers 4 --effort 0.01
fits --box 15.2,53.9,16.9,4 --walkers 512 --effort 0.01
screen --box 15.2,53.9,16.9,25 --walkers 4 --memory 0.03
[ "$status" -eq 1 ] && grep -q 'expected at most the 30.7 MiB of --memory: a smaller box or fewer --walkers take less' message ||
  fail "with --memory: exit code $status, $(cat message)"
[ $failures -eq 0 ]
