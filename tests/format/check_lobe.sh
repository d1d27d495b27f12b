#!/usr/bin/env bash
# check_lobe.sh SOURCE: the example mesh is what its script writes. Skipped without python3.
set -u
. "$1/tests/support/script.sh"
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 "$1/examples/deform/make_lobe.py" >"$work/lobe.msh" || fail "make_lobe.py fails"
cmp "$work/lobe.msh" "$1/examples/deform/lobe.msh" || fail "lobe.msh differs"
python3 "$1/examples/deform/make_lobe.py" 4 3 2 | grep -qx 60 || fail "make_lobe.py takes no numbers of cells"
[ $failures -eq 0 ]
