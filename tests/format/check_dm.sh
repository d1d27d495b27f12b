#!/usr/bin/env bash
# check_dm.sh SOURCE QUERN BUILD: images of DM3 and DM4 files are those that Python's ncempy reads from them, with their
# rows turned over. Skipped without ncempy (DM_PYTHON: the interpreter that has it).
set -u
. "$1/tests/support/script.sh"
test=$3/tests/test_format_movie_gain_file
for python in "${DM_PYTHON:-python3}" /usr/bin/python3 ''; do
  "${python:-false}" -c 'import ncempy.io.dm, numpy' 2>/dev/null && break
done
[ -n "$python" ] || { echo "Python's ncempy is not installed"; exit 77; }
[ -x "$test" ] || { echo "$test is not built"; exit 77; }
"$test" write "$work" >"$work/out" 2>&1 || fail "files are not written: $(cat "$work/out")"
"$python" - "$work" <<'CODE' || fail "images differ"
import sys, glob
import numpy, ncempy.io.dm
files = sorted(glob.glob(sys.argv[1] + '/*.dm[34]'))
assert len(files) == 16, files
for name in files:
    image = ncempy.io.dm.dmReader(name)['data']
    ours = numpy.fromfile(name + '.floats', numpy.float32).reshape(image.shape)
    assert (ours == numpy.flipud(image).astype(numpy.float32)).all(), (name, ours, image)
print(len(files), 'files are equal')
CODE
[ $failures -eq 0 ]
