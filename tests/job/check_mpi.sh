#!/usr/bin/env bash
# check_mpi.sh SOURCE QUERN BUILD: pieces are dealt to 1, 2 and 4 processes, each piece to one of them; and of what stops
# them one speaks.
set -u
build=$(cd "$3" && pwd)
program=$build/tests/test_job_ranks agreeing=$build/tests/test_job_agreement library=$build/libquern_mpi.so
command -v mpirun >/dev/null || { echo "mpirun is not installed"; exit 77; }
[ -f "$library" ] || { echo "built without an MPI"; exit 77; }
[ -x "$program" ] && [ -x "$agreeing" ] || { echo "$program or $agreeing is not built"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/quern-ranks-XXXXXX")
trap 'rm -rf "$work"' EXIT
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
# What MPI itself keeps until the end is not ours to free.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" QUERN_MPI_LIBRARY=$library
export OMPI_MCA_btl_base_warn_component_unused=0
ranks() { mpirun -n "$1" --oversubscribe --allow-run-as-root "${@:2}"; }

for count in 1 2 4; do
  mkdir "$work/$count"
  ranks "$count" "$program" deal "$work/$count" 200 >"$work/log" 2>&1 || { fail "$count processes"; tail -n 20 "$work/log"; }
  for round in 0 1; do
    files=$(find "$work/$count" -name "$round.*" | wc -l)
    [ "$files" -eq "$count" ] || fail "$count processes: $files of them took part in round $round"
    cmp -s <(cat "$work/$count/$round".* | sort -n) <(seq 0 199) || fail "$count processes: pieces were lost or dealt twice"
    for file in "$work/$count/$round".*; do
      sort -nc "$file" || fail "$count processes: pieces do not come in order"
      [ -s "$file" ] || fail "$count processes: one got nothing to do"
    done
  done
done

for count in 2 4; do
  ranks "$count" "$agreeing" together >"$work/log" 2>&1 || { fail "$count processes do not agree"; tail -n 20 "$work/log"; }
done

# A launcher without the library: refused, not done twice.
QUERN_MPI_LIBRARY=/nowhere.so ranks 2 "$program" deal "$work" 5 >"$work/log" 2>&1 && fail "two processes without the library"

[ $failures -eq 0 ]
