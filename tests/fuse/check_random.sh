#!/usr/bin/env bash
# labels: long unsanitized
# check_random.sh SOURCE QUERN BUILD: 250 random scripts mean the same fused. A failure prints the script and its seed;
# QUERN_FUSE_SEED and QUERN_FUSE_SCRIPTS=1 run it again, and other seeds and numbers run more.
set -u
export QUERN_FUSE_SEED=${QUERN_FUSE_SEED:-10000} QUERN_FUSE_SCRIPTS=${QUERN_FUSE_SCRIPTS:-250}
exec "$3/tests/test_fuse_program_random" host
