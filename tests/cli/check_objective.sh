#!/usr/bin/env bash
# labels: unsanitized
# quern tune run --objective: the Pareto front of several objectives, a clear message where the device does not count
# energy, and refused combinations of options. Arguments: source folder, quern binary, build folder.
set -u
quern=$2
failures=0
fail() {
    echo "$1"
    failures=$((failures + 1))
}
run() { "$quern" tune run reduction --device host --size 65536 --tests 3 --seed 1 --store off "$@" 2>&1; }

# 1 / seconds is worst where seconds is best, so every configuration is on the front (except for equal times)
front=$(run --quiet --objective "seconds, 1 / seconds" | sed -n '/^Pareto front/,/^$/p' | grep -c GROUP_SIZE=)
[ "$front" -ge 2 ] || fail "the front has $front configurations, expected 3"
run --objective "seconds * jules" | grep -q "jules" || fail "an unknown word of an objective is not named"
run --objective joules >/dev/null
case $? in
0) ;; # this machine counts energy, and the user may read it
1) run --objective joules | grep -q "energy of host: " || fail "no reason is given where energy is not counted" ;;
*) fail "--objective joules ended with another exit code than 0 or 1" ;;
esac
run --objective joules --target 1 >/dev/null
[ $? = 2 ] || fail "--target with --objective is not refused"
run --searcher profile --model /nowhere/a.model | grep -q "/nowhere/a.model" || fail "a missing model is not named"
[ "$failures" = 0 ]
