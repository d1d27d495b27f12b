#!/usr/bin/env bash
# check_ranks.sh SOURCE QUERN BUILD: a run of several processes writes the same bytes as a run of one, even when one of
# them dies or all are stopped and other processes resume.
set -u
build=$(cd "$3" && pwd)
program=$build/tests/test_trajectory_engine
[ -x "$program" ] || { echo "$program is not built"; exit 77; }
. "$1/tests/support/script.sh"
use_mpi "$build" || exit 77
same() { cmp -s "$work/one.txt" "$work/$1.txt" || fail "$1: the results differ from those of one process"; }

"$program" make "$work" || fail "making files"
"$program" run "$work" "$work/one" fresh 2>"$work/log" || { fail "one process"; cat "$work/log"; }
[ "$(wc -l <"$work/one.txt")" -eq 1301 ] || fail "one process: $(wc -l <"$work/one.txt") lines"
for count in 2 3; do
  ranks "$count" "$program" run "$work" "$work/of$count" fresh >"$work/log" 2>&1 ||
    { fail "$count processes"; tail -n 5 "$work/log"; }
  same "of$count"
  [ "$(find "$work/of$count" -name 'journal.*' -size +1k | wc -l)" -eq "$count" ] ||
    fail "of $count processes not all have records"
done

# One process stops the run, and another number of processes resumes it.
STOP_AT=200 ranks 3 "$program" run "$work" "$work/stopped" fresh >"$work/log" 2>&1 && fail "was not stopped"
[ ! -f "$work/stopped.txt" ] || fail "a stopped run has results"
ranks 2 "$program" run "$work" "$work/stopped" resume >"$work/log" 2>&1 || { fail "resuming"; tail -n 5 "$work/log"; }
same stopped

# The second of three ranks dies once its journal has a record; one process does the rest.
ranks 3 bash -c 'journal=$1; shift; [ "$OMPI_COMM_WORLD_RANK" = 1 ] || exec "$@"
    "$@" & running=$!
    while kill -0 $running 2>/dev/null && [ ! -s "$journal" ]; do sleep 0.01; done
    kill -9 $running; wait $running' bash "$work/died/journal.1" "$program" run "$work" "$work/died" fresh \
  >"$work/log" 2>&1 && fail "the launcher did not notice that a process died"
"$program" run "$work" "$work/died" resume >"$work/log" 2>&1 || { fail "resuming alone"; tail -n 5 "$work/log"; }
same died

[ $failures -eq 0 ]
