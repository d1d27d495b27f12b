#!/usr/bin/env bash
# labels: unsanitized
# The sequential MUMPS has names of MPI of its own. Beside a real MPI both must work: the test of MUMPS in two ranks.
# Arguments: source folder, quern binary, build folder.
set -u
. "$1/tests/support/script.sh"
test=$3/tests/test_deform_factor_mumps
export QUERN_MUMPS_LIBRARY=$3/libquern_mumps.so
[ -f "$QUERN_MUMPS_LIBRARY" ] || { echo "built without MUMPS"; exit 77; }
use_mpi "$3" || exit 77
[ -x "$test" ] || { echo "$test is not built"; exit 1; }
timeout 100 "${mpirun[@]}" -n 2 "$test" >"$work/out" 2>&1 || fail "the test of MUMPS in two ranks: $(cat "$work/out")"
[ "$(grep -c '^2 ranks$' "$work/out")" = 2 ] || fail "two ranks were expected: $(cat "$work/out")"
[ "$(grep -c ' 0 failed$' "$work/out")" = 2 ] || fail "two tests were expected: $(cat "$work/out")"
exit $((failures > 0))
