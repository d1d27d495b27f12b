#!/usr/bin/env bash
# labels: unsanitized
# quern fuse run beside its peers, in turns: a kernel for each call, and the device's BLAS if it is installed, with the
# same results. Arguments: source folder, quern binary, build folder.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$source/tests/support/script.sh"
cd "$work" || exit 1
export QUERN_TUNING_STORE=off XDG_CACHE_HOME=$work/cache
run() { # run SEQUENCE OPTIONS...
  local script=$source/examples/fuse/$1.qf
  shift
  "$quern" fuse run "$script" -d host --repeat 2 --budget 0 "$@" >run.txt || fail "run $*"
}
row() { # row NAME CALLS: signs have exact sums, so there is no difference
  grep -Eq "^$1 +$2 .* 0\$" run.txt && return
  fail "there is no row $1 with $2 calls that agrees"
  cat run.txt
}
run gesummv --size m=200,n=300 --values signs
row unfused 3
if grep -q "OpenBLAS is not installed" run.txt; then
  echo "OpenBLAS is left out: it is not installed"
else
  row OpenBLAS 2
  run gesummv --size m=200,n=300 --values signs --compare blas
  row OpenBLAS 2
  grep -q '^unfused' run.txt && fail "the kernels for each call should be left out"
  # a loop: the library's calls of all rounds
  run power --size n=100
  grep -Eq '^OpenBLAS +400 ' run.txt || fail "power has four calls in each of 100 rounds: $(cat run.txt)"
  run image --size n=1000 2>error
  grep -q '^OpenBLAS did not run: image: "t[0-9]* = sum(v)" has no call in OpenBLAS$' run.txt ||
    fail "what has no call should be named: $(cat run.txt)"
fi
run gesummv --size m=200,n=300 --compare none
grep -Eq '^(unfused|OpenBLAS|in turns)' run.txt && fail "nothing should be compared: $(cat run.txt)"
"$quern" fuse run "$source/examples/fuse/gesummv.qf" --size m=2,n=3 --compare mkl 2>error
[ $? = 2 ] && grep -q -- '--compare is "mkl"; expected unfused, blas, both with a comma, or none' error ||
  fail "another peer should be refused: $(cat error)"
[ $failures -eq 0 ]
