#!/usr/bin/env bash
# check_gain.sh SOURCE QUERN BUILD: all twelve turns of a gain, and the hot pixels of a movie, are those of RELION's motion
# correction. Skipped without relion_run_motioncorr, or without a Python that has numpy (MOVIE_PYTHON: the interpreter).
set -u
source=$(cd "$1" && pwd) build=$(cd "$3" && pwd)
. "$source/tests/support/script.sh"
command -v relion_run_motioncorr >/dev/null || { echo "relion_run_motioncorr is not installed"; exit 77; }
for python in "${MOVIE_PYTHON:-python3}" /usr/bin/python3 ''; do
  "${python:-false}" -c 'import numpy' 2>/dev/null && break
done
[ -n "$python" ] || { echo "python3 with numpy is not installed"; exit 77; }
test=$build/tests/test_movie_correct_detector
[ -x "$test" ] || { echo "$test is not built"; exit 77; }
data=${QUERN_REFERENCE_DATA:-$source/../shared/data}/cryoem/synthetic/movie_768
cd "$work" || exit 1
"$python" "$source/tests/movie/gain.py" "$test" "$data" || fail "gains or hot pixels differ"
[ $failures -eq 0 ]
