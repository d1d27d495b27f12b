#!/usr/bin/env bash
# labels: unsanitized
# quern fuse run measures candidates and shapes within its budget, keeps what is fastest in the tuning store, and takes
# it later, as files in C do. Arguments: source folder, quern binary, build folder.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$source/tests/support/script.sh"
cd "$work" || exit 1
export QUERN_TUNING_STORE=$work/tuning.db XDG_CACHE_HOME=$work/cache
script=$source/examples/fuse/bicgk.qf
run() { # run OPTIONS...
  "$quern" fuse run "$script" -d host --size m=200,n=300 --values signs --repeat 1 "$@" >run.txt || fail "run $*"
  [ "$(grep -c ': all .* equal$' run.txt)" = 2 ] || { fail "run $* gives other results"; cat run.txt; }
}
run --budget 0
grep -q '^kernels 1 of 2 candidates; not measured$' run.txt || fail "nothing is to be measured: $(cat run.txt)"
run --budget 4s
grep -q '^kernels [12] of 2 candidates; [0-9]* measured in .* s$' run.txt || fail "nothing was measured: $(cat run.txt)"
tests=$(sed -n 's/.*candidates; \([0-9]*\) measured.*/\1/p' run.txt)
[ "${tests:-0}" -ge 2 ] || fail "each candidate should be measured: $tests"
run
grep -q "^kernels [12] of 2 candidates; of $tests measured earlier\$" run.txt || fail "it was measured: $(cat run.txt)"

# Files take the kept shape.
"$quern" fuse "$script" -o after --language c --device host --size m=200,n=300 --quiet || fail "no files"
python3 - "$QUERN_TUNING_STORE" >best.txt <<'END'
import sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute("select configuration, objective from test where outcome = 0")
print(min(rows, key=lambda row: row[1])[0])
END
[ -s best.txt ] && for word in ELEMENTS TILE PANEL; do
  value=$(grep -o "$word=[0-9]*" best.txt | cut -d= -f2)
  grep -q "define $word $value " after/bicgk.c || fail "the files have another $word than $(cat best.txt)"
done
"$quern" fuse explain "$script" -d host --size m=200,n=300 >explain.txt || fail "explain"
grep -q "^kernels: number [12] of 2 candidates, the fastest of $tests tests on host\$" explain.txt ||
  fail "explain should say what was chosen: $(cat explain.txt)"
"$quern" fuse explain "$script" -d host --size m=20000,n=30000 >explain.txt || fail "explain"
grep -q '^kernels: the best of 2 candidates by their costs; none is measured on host$' explain.txt ||
  fail "other sizes were not measured: $(cat explain.txt)"
run --candidates 1 --budget 0
grep -q '^kernels 1 of 1 candidates' run.txt || fail "one candidate is enough: $(cat run.txt)"
export QUERN_TUNING_STORE=off
run --budget 0
grep -q 'not measured$' run.txt || fail "without a store nothing is known: $(cat run.txt)"
[ $failures -eq 0 ]
