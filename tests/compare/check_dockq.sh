#!/usr/bin/env bash
# labels: long unsanitized
# check_dockq.sh SOURCE QUERN BUILD: `quern evaluate` gives the numbers of the package DockQ on models of 20 complexes and
# on the unbound structures of all complexes of the reference data. It needs that data and a Python with DockQ 2.1.3:
#   python3 -m venv ENVIRONMENT && ENVIRONMENT/bin/pip install DockQ==2.1.3
#   QUERN_DOCKQ_PYTHON=ENVIRONMENT/bin/python ctest --preset all -R compare/dockq
# dockq_models.py says how DockQ is called. It takes about three minutes of one core, half of them in DockQ.
set -u
source=$1 quern=$2
. "$1/tests/support/script.sh"
data=${QUERN_REFERENCE_DATA:-$source/../shared/data}/docking
python=${QUERN_DOCKQ_PYTHON:-python3}
[ -d "$data/bm5" ] || { echo "skipped: no Docking Benchmark 5 files in $data"; exit 77; }
"$python" -c 'import DockQ, numpy' 2>/dev/null ||
  { echo "skipped: $python has no package DockQ; QUERN_DOCKQ_PYTHON names a Python that has it"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 "$python" "$source/tests/compare/dockq_models.py" "$quern" "$data" "$work" >"$work/out" 2>"$work/err" ||
  fail "quern and DockQ differ"
cat "$work/out"
[ $failures -eq 0 ] || tail -5 "$work/err"
exit $((failures > 0))
