#!/usr/bin/env bash
# check_weights.sh SOURCE QUERN BUILD: weighted and plain sums and the power spectrum are those of RELION's motion
# correction. Skipped without relion_run_motioncorr, or without a Python that has numpy (MOVIE_PYTHON: the interpreter).
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$source/tests/support/script.sh"
command -v relion_run_motioncorr >/dev/null || { echo "relion_run_motioncorr is not installed"; exit 77; }
for python in "${MOVIE_PYTHON:-python3}" /usr/bin/python3 ''; do
  "${python:-false}" -c 'import numpy' 2>/dev/null && break
done
[ -n "$python" ] || { echo "python3 with numpy is not installed"; exit 77; }
cd "$work" || exit 1
"$python" "$source/tests/movie/weights.py" "$quern" || fail "weights or spectra differ"
[ $failures -eq 0 ]
