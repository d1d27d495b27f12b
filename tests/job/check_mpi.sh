#!/usr/bin/env bash
# check_mpi.sh SOURCE QUERN BUILD: pieces are dealt to 1, 2 and 4 processes, each piece to one process; one process
# reports a failure.
set -u
build=$(cd "$3" && pwd)
program=$build/tests/test_job_ranks agreeing=$build/tests/test_job_agreement
[ -x "$program" ] && [ -x "$agreeing" ] || { echo "$program or $agreeing is not built"; exit 77; }
. "$1/tests/support/script.sh"
use_mpi "$build" || exit 77

for count in 1 2 4; do
  mkdir "$work/$count"
  ranks "$count" "$program" deal "$work/$count" 200 >"$work/log" 2>&1 || { fail "$count processes"; tail -n 20 "$work/log"; }
  for round in 0 1; do
    files=$(find "$work/$count" -name "$round.*" | wc -l)
    [ "$files" -eq "$count" ] || fail "$count processes: $files of them took part in round $round"
    cmp -s <(cat "$work/$count/$round".* | sort -n) <(seq 0 199) || fail "$count processes: pieces were lost or dealt twice"
    for file in "$work/$count/$round".*; do
      sort -nc "$file" || fail "$count processes: pieces do not come in order"
      [ -s "$file" ] || fail "$count processes: one of them got no piece"
    done
  done
done

for count in 2 4; do
  ranks "$count" "$agreeing" together >"$work/log" 2>&1 || { fail "$count processes do not agree"; tail -n 20 "$work/log"; }
done

# A launcher without the library: refused, because every process would do the same work.
QUERN_MPI_LIBRARY=/nowhere.so ranks 2 "$program" deal "$work" 5 >"$work/log" 2>&1 && fail "two processes without the library"

[ $failures -eq 0 ]
