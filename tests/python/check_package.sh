#!/usr/bin/env bash
# labels: unsanitized
# parts: layouts options results docking programs trajectories tune notebooks bytes docs limits companions reports
# The package for Python, by the standard library's unittest: python/tests/test_<part>.py. Needs a Python with NumPy; the
# environment variable QUERN_PYTHON names another than the first that has it. Arguments: source folder, quern binary,
# build folder, part.
set -u
source=$1 part=$4
export QUERN_COMMAND=$2 QUERN_SOURCE=$1 PYTHONPATH=$3/python PYTHONDONTWRITEBYTECODE=1
[ -f "$3/python/quern/_generated.py" ] || { echo "the package for Python was not built"; exit 77; }
for python in ${QUERN_PYTHON:-python3 /usr/bin/python3}; do
    "$python" -c 'import numpy, sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || continue
    cd "$source/python/tests" || exit 1
    exec "$python" -m unittest -b "test_$part"
done
echo "no Python 3.9 or newer with NumPy"
exit 77
