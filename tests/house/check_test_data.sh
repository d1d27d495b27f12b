#!/usr/bin/env bash
# A test that does not find its data fails and names the file; it does not crash. Arguments: source folder, quern binary,
# build folder.
set -u
. "$1/tests/support/script.sh"
build=$3 tested=0
for test in screen_run screen_redock format_pdb; do
  program=$build/tests/test_$test
  [ -x "$program" ] || continue
  tested=$((tested + 1))
  TMPDIR=$work QUERN_TEST_DATA=$work/elsewhere "$program" host >"$work/out" 2>&1
  code=$?
  [ $code -eq 1 ] || fail "$test without its data ends with $code; expected 1"
  grep -q "^$work/elsewhere/.*: this data of the test is missing; expected" "$work/out" || fail "$test does not name its missing data"
done
[ $tested -gt 0 ] || { echo "no test is built"; exit 1; }
exit $((failures > 0))
