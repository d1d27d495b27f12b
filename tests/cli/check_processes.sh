#!/usr/bin/env bash
# labels: unsanitized
# check_processes.sh SOURCE QUERN BUILD: commands that do not share work among processes of MPI run in the first one
# alone: one table, one file, one sentence, and its exit code.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2") build=$(cd "$3" && pwd)
. "$source/tests/support/script.sh"
use_mpi "$build" || exit 77
water=$source/examples/water iep=$source/examples/1iep ppe=$source/examples/1ppe
cd "$work" || exit 1

alone() { # alone NAME ARGUMENT...: two processes print what one prints
  local name=$1 code_of_one code_of_two
  shift
  "$quern" "$@" >one.out 2>one.err
  code_of_one=$?
  ranks 2 "$quern" "$@" >two.out 2>two.err
  code_of_two=$?
  if [ $code_of_one -eq 0 ]; then [ $code_of_two -eq 0 ] || fail "$name: exit code $code_of_two"; fi
  if [ $code_of_one -ne 0 ]; then [ $code_of_two -ne 0 ] || fail "$name: two processes succeed, one fails"; fi
  cmp -s one.out two.out || fail "$name: $(diff one.out two.out | head -n 4)"
  [ "$(grep -c '^quern: ' one.err)" = "$(grep -c '^quern: ' two.err)" ] || fail "$name: $(grep '^quern: ' two.err)"
}
alone convert trajectory convert "$water/water.xtc" -o frames.xtc
alone pack screen pack "$iep/kinase_inhibitors.sdf" -o library.qlib
alone evaluate evaluate "$ppe/1PPE_r_u.pdb" --reference "$ppe/1PPE_r_b-matched.pdb" "$ppe/1PPE_l_b-matched.pdb"
alone "evaluate --csv" evaluate absent.pdb --reference "$ppe/1PPE_r_b-matched.pdb" "$ppe/1PPE_l_b-matched.pdb" --csv -
alone list trajectory list
alone simulate tune simulate "$source/tests/data/tune/small_t4.json" --searcher random --repeats 3 --csv -
[ "$(QUERN_MPI_LIBRARY=off ranks 2 "$quern" trajectory list | wc -l)" = "$(("$("$quern" trajectory list | wc -l)" * 2))" ] ||
  fail "QUERN_MPI_LIBRARY=off: two processes that have nothing to do with each other"
[ $failures -eq 0 ]
