#!/usr/bin/env bash
# labels: unsanitized
# check_sharing.sh SOURCE QUERN BUILD: of two processes that search flexible molecules, one stops after its first piece.
# It has read no more than a few pieces ahead, so the other process searches nearly the whole library meanwhile.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2") build=$(cd "$3" && pwd)
. "$1/tests/support/script.sh"
use_mpi "$build" || exit 77
export LC_ALL=C QUERN_TUNE=off
cd "$work" || exit 1

awk '/^ATOM/ { x = substr($0, 31, 8) - 15.2; y = substr($0, 39, 8) - 53.9; z = substr($0, 47, 8) - 16.9
       if (x * x + y * y + z * z < 64) print } END { print "END" }' "$source/examples/1iep/1iep_receptor.pdb" >pocket.pdb
awk -v count=192 -f "$source/tests/transport/guests.awk" >library.sdf
cat >slow.sh <<'END'
[ "$OMPI_COMM_WORLD_RANK" = 1 ] || exec "$@"
echo $$ >place
export LD_PRELOAD=$LIBRARY QUERN_TEST_SIGNAL="19 4 /journal.1"
exec "$@"
END
export LIBRARY=$build/tests/signal_at_write.so
"${mpirun[@]}" -n 2 bash slow.sh "$quern" screen pocket.pdb library.sdf --box 15.2,53.9,16.9,4 --effort 0.05 --keep 1 \
  --device host --threads 1 --quiet -o out >log 2>&1 &
running=$!
size() { stat -c %s "out/journal.$1" 2>/dev/null || echo 0; }
before=-1 now=0
while [ "$now" -eq 0 ] || [ "$now" -ne "$before" ]; do # until the first process has done all that it can
  sleep 1
  before=$now now=$(size 0)
  kill -0 $running 2>/dev/null || break
done
kill -0 $running 2>/dev/null || fail "the second process did not stop"
one=$(size 1)
while kill -CONT "$(cat place)" 2>/dev/null; do sleep 0.05; done
wait $running || fail "the run failed: $(head -n 3 log)"

# A journal has the key and a record for each of the 24 pieces, which are about equally long. The second process had one.
all=$(($(size 0) + $(size 1) - now - one)) # of the records that were left
key=$(sed -n '/"key"/,/]/p' out/run.json | wc -c)
piece=$(((now + one + all - 2 * key) / 24))
echo "bytes of the first journal $now, of a piece about $piece: $(((now - key) / piece)) pieces"
[ $((now - key)) -ge $((18 * piece)) ] || fail "the first process has searched less than 18 of 24 pieces"
[ "$(wc -l <out/scores.csv)" -eq 193 ] || fail "not 192 scores: $(wc -l <out/scores.csv)"
[ $failures -eq 0 ]
