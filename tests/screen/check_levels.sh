#!/usr/bin/env bash
# Energies are right, and culling changes none of their bits, with the host kernels of every instruction set that this
# processor has, not only with its best. Arguments: source folder, quern binary, build folder.
set -u
build=$3
failures=0
for level in 2 3; do
    for name in score_poses score_poses_near; do
        [ -x "$build/tests/test_screen_$name" ] || { echo "$build/tests/test_screen_$name is not built"; exit 77; }
        QUERN_HOST_LEVEL=$level "$build/tests/test_screen_$name" host || failures=$((failures + 1))
    done
done
exit $((failures > 0))
