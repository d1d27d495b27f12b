#!/usr/bin/env bash
# labels: unsanitized
# check_solvers.sh SOURCE QUERN BUILD: the residuals of CG and BiCGStab as fused loops follow those of scipy's solvers
# for 50 steps, where scipy is installed.
set -u
source=$(cd "$1" && pwd) build=$(cd "$3" && pwd)
for python in python3 /usr/bin/python3 ''; do
  "${python:-false}" -c 'import scipy' 2>/dev/null && break
done
[ -n "$python" ] || { echo "python3 with scipy is not installed"; exit 77; }
. "$source/tests/support/script.sh"
"$build/tests/test_fuse_program_solvers" host "$work/history" || fail "the solvers do not run"
"$python" "$source/tests/fuse/solvers.py" "$work/history" || fail "residuals differ from scipy's"
[ "$failures" = 0 ]
