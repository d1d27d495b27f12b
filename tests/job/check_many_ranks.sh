#!/usr/bin/env bash
# labels: long unsanitized
# parts: dock screen screen-flexible trajectory reconstruct movie cluster distance potential tunnel transport cluster-large deform
# check_many_ranks.sh SOURCE QUERN BUILD [PROGRAM...]: eight processes give the results of one; a disk that is full for one
# process, a process that is slow and one that hangs end in a sentence, and the run can be resumed. The situations are
# those of check_situations.sh.
. "$1/tests/support/script.sh"
use_mpi "$3" || exit 77
QUERN_TEST_RANKS=1 bash "$1/tests/job/check_situations.sh" "$@"
