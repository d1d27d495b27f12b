#!/usr/bin/env bash
# check_vina.sh SOURCE QUERN BUILD: AutoDock Vina gives poses the same energies in maps of quern potential as in its own,
# and with AutoDock 4's scoring as in AutoGrid's. Skipped where the Python module vina (VINA_PYTHON: the interpreter that
# has it) or the reference data are absent.
set -u
quern=$2
. "$1/tests/support/script.sh"
python=${VINA_PYTHON:-python3} data=${QUERN_REFERENCE_DATA:-$1/../shared/data}/maps
"$python" -c 'import vina' 2>/dev/null || { echo "the Python module vina is not installed"; exit 77; }
[ -f "$data/1iep_receptor.pdbqt" ] || { echo "$data/1iep_receptor.pdbqt does not exist"; exit 77; }
center=15.190,53.903,16.917
potential() { "$quern" potential "$data/1iep_receptor.pdbqt" --center "$center" --device host --tune off -q "$@"; }

potential --npts 40 -o "$work/small" || fail "maps like AutoGrid's: exit code $?"
"$python" "$1/tests/potential/vina_energies.py" "$data" "$work/small/1iep_receptor" "ad4=$data/1iep_receptor" ||
  fail "AutoDock's maps"

# A box that holds the whole ligand.
potential --size 30x30x30 --score both -o "$work/large" || fail "maps for both programs: exit code $?"
others=(vina=)
if command -v autogrid4 >/dev/null; then
  mkdir "$work/autogrid" && cp "$work/large/1iep_receptor.gpf" "$data/1iep_receptor.pdbqt" "$work/autogrid"
  sed -i 's/^receptor .*/receptor 1iep_receptor.pdbqt/' "$work/autogrid/1iep_receptor.gpf"
  (cd "$work/autogrid" && autogrid4 -p 1iep_receptor.gpf -l log) >/dev/null 2>&1 || fail "autogrid4: exit code $?"
  others+=("ad4=$work/autogrid/1iep_receptor")
fi
"$python" "$1/tests/potential/vina_energies.py" "$data" "$work/large/1iep_receptor" "${others[@]}" || fail "Vina's maps"
[ $failures -eq 0 ]
