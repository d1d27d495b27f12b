#!/usr/bin/env bash
# labels: unsanitized
# quern distance is killed ten times at different moments and resumed; the bytes are those of a run without a kill. A
# file of values that lost some of them after a kill is completed, too. Arguments: source folder, quern binary, build
# folder.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$source/tests/support/script.sh"
cd "$work" || exit 1
export QUERN_TUNE=off

awk 'BEGIN { # 1,300 models of 120 atoms, at random places
  srand(3)
  for (k = 1; k <= 1300; k++) {
    printf "MODEL %8d\n", k % 10000
    for (i = 1; i <= 120; i++)
      printf "ATOM  %5d  CA  ALA A%4d    %8.3f%8.3f%8.3f  1.00  0.00           C\n", i, i, 30 * rand(), 30 * rand(), 30 * rand()
    print "ENDMDL"
  } }' >models.pdb
distance() { "$quern" distance models.pdb --device host --threads 1 --quiet "$@"; }
start() { # start OPTION...: in the background; sets $running
  "$quern" distance models.pdb --device host --threads 1 --quiet "$@" 2>/dev/null &
  running=$!
}
distance -o whole.npy || fail "a run without a kill"

kills=0 attempts=0
while [ $kills -lt 10 ] && [ $attempts -lt 60 ]; do
  attempts=$((attempts + 1))
  recorded=$(stat -c %s killed_unfinished/journal.0 2>/dev/null || echo 0)
  start -o killed.npy --resume
  while kill -0 $running 2>/dev/null && [ "$(stat -c %s killed_unfinished/journal.0 2>/dev/null || echo 0)" -le "$recorded" ]; do sleep 0.002; done
  sleep 0.00$((kills % 8))
  kill -KILL $running 2>/dev/null
  wait $running 2>/dev/null
  [ $? -eq 137 ] || { rm -f killed*.npy killed*.csv killed*.json; continue; } # it was over before
  kills=$((kills + 1))
  [ $kills -ne 5 ] || cp -r killed_unfinished lost_unfinished
done
[ $kills -eq 10 ] || fail "the run was killed $kills times only"
distance -o killed.npy --resume 2>message || fail "--resume after ten kills: $(cat message)"
cmp whole.npy killed.npy || fail "other bytes after ten kills"
[ ! -e killed_unfinished ] || fail "a finished run left its journal"

# Values that never reached the disk.
if [ -f lost_unfinished/values.npy ]; then
  dd if=/dev/zero of=lost_unfinished/values.npy bs=1000 seek=1 count=2 conv=notrunc status=none
  distance -o lost.npy --resume 2>message || fail "--resume with lost values: $(cat message)"
  grep -q 'recorded tile.* damaged in the file; computed again' message || fail "no warning of lost values: $(cat message)"
  cmp whole.npy lost.npy || fail "other bytes after values were lost"
else
  fail "a killed run left no values"
fi
[ $failures -eq 0 ]
