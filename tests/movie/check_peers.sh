#!/usr/bin/env bash
# labels: unsanitized
# check_peers.sh SOURCE QUERN BUILD: RELION's motion correction takes a folder of quern movie as its own, with the same
# accumulated motion and hot pixels, and MRC and TIFF give the same bytes. Skipped without relion_run_motioncorr or the
# reference data.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$source/tests/support/script.sh"
command -v relion_run_motioncorr >/dev/null || { echo "relion_run_motioncorr is not installed"; exit 77; }
data=$(realpath -m "${QUERN_REFERENCE_DATA:-$source/../shared/data}/cryoem/synthetic/movie_768")
[ -f "$data/movie_lzw.tif" ] || { echo "$data/movie_lzw.tif does not exist"; exit 77; }
python=python3
! /usr/bin/python3 -c 'import mrcfile' 2>/dev/null || python=/usr/bin/python3
command -v $python >/dev/null || { echo "python3 is not installed"; exit 77; }
export LC_ALL=C QUERN_TUNE=off XDG_CACHE_HOME=${XDG_CACHE_HOME:-$work/cache}
cd "$work" || exit 1
"$python" "$source/tests/movie/peers.py" "$quern" "$data" || fail "results differ"
[ $failures -eq 0 ]
