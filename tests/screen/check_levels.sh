#!/usr/bin/env bash
# Energies agree with the reference, and culling changes none of their bits, with the host kernels of instruction set
# levels 2 and 3. Arguments: source folder, quern binary, build folder.
set -u
build=$3
failures=0
for level in 2 3; do
    for name in score_poses score_poses_near; do
        [ -x "$build/tests/test_score_$name" ] || { echo "$build/tests/test_score_$name is not built"; exit 1; }
        QUERN_HOST_LEVEL=$level "$build/tests/test_score_$name" host || failures=$((failures + 1))
    done
done
exit $((failures > 0))
