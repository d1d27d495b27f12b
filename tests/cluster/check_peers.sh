#!/usr/bin/env bash
# labels: unsanitized
# check_peers.sh SOURCE QUERN BUILD: made sets have the same merges and clusters as in scipy, and the same clusters and
# middle structures as in GROMACS, where these are installed.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
for python in python3 /usr/bin/python3 ''; do
  "${python:-false}" -c 'import scipy' 2>/dev/null && break
done
[ -n "$python" ] || { echo "python3 with scipy is not installed"; exit 77; }
. "$source/tests/support/script.sh"
cd "$work" || exit 1
"$python" "$source/tests/cluster/peers.py" "$quern" || fail "clusters differ"
[ "$failures" = 0 ]
