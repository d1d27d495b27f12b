#!/usr/bin/env bash
# labels: unsanitized
# The output of a tuning that goes on in a second run: as many tests as asked for, the failures and tests of the
# first run, a time of this run for the best; and the results of a kernel of the user's own, explained and exported.
# Arguments: source folder, quern binary, build folder.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$source/tests/support/script.sh"
cd "$work" || exit 1
# the load of this machine would decide which tests are made again; PoCL 3 aborts when it loads some kernels' binaries
export QUERN_TUNING_STORE=$work/store.db QUERN_TUNED_DIR= QUERN_LOAD=0 QUERN_KERNEL_CACHE=off
"$quern" devices | grep -q '^opencl:0' || { echo "no device opencl:0"; exit 77; }
cp "$source"/tests/data/tune/t1/scale.cl "$source"/tests/data/tune/t1/scale_cl.json .
kernel=(scale_cl.json --device opencl:0)

# refused CODE PART ARGUMENTS...: one sentence with PART
refused() {
    local code=$1 words=$2 said
    shift 2
    said=$("$quern" "$@" 2>&1 >/dev/null)
    [ $? = "$code" ] || fail "quern $*: did not exit with $code"
    [ "$(wc -l <<<"$said")" = 1 ] && grep -qF -- "$words" <<<"$said" || fail "quern $*: said \"$said\"; expected $words"
}

refused 1 "the store has no tests of scale_cl.json" tune export "${kernel[@]}" -o none.json
refused 1 "the store has no correct result of scale" tune export "${kernel[@]}" -f header -o none.h
"$quern" tune explain "${kernel[@]}" | grep -q -- '^-> fallback .*block_size_x=64 unroll=1 WAY=1' || fail "the default is not in use"

# -n 12 makes 12 tests, and the same command again makes none but those of the default and the best again
for run in 1 2 3; do
    "$quern" tune run "${kernel[@]}" --searcher random -n 12 --csv $run.csv >$run.txt 2>$run.err || { cat $run.err; fail "run $run"; }
    grep -q '^12 configurations in' $run.txt || { fail "run $run: other than 12 configurations"; tail -n 4 $run.txt; }
    [ "$(wc -l <$run.csv)" = 13 ] || fail "run $run: the table has $(wc -l <$run.csv) lines"
    [ "$(tail -n +2 $run.csv | cut -d, -f5 | sort -u | wc -l)" = 12 ] || fail "run $run: a configuration is listed twice"
    grep '^[0-9]* failed' $run.txt >$run.failed
    cmp $run.failed 1.failed || fail "run $run: other failures than the first run"
    cut -d, -f3,5 $run.csv | sort >$run.outcomes
    cmp $run.outcomes 1.outcomes || fail "run $run: other outcomes than the first run"
done
grep -q '^[1-9][0-9]* failed: wrong' 1.failed || fail "no failure to remember"
[ "$(grep -c ',this,' 1.csv)" = 12 ] || fail "the first run has tests of earlier runs"
[ "$(grep -c ',this,' 2.csv)" -le 9 ] && [ "$(grep -c ',earlier,' 2.csv)" -ge 3 ] || fail "tests of the first run are not marked"
# the best and the usual configuration are of the same run, so each is in the table with the time that is printed
best=$(sed -n 's/^Best: //p' 2.txt)
grep ",\"*$best\"*,this," 2.csv >/dev/null || fail "the best was not timed in the second run: $best"

# explain names the configuration and its device; after a change of the kernel it is stale
"$quern" tune explain "${kernel[@]}" >explained.txt
best=$(sed -n 's/^Best: //p' 3.txt)
grep -qF -- "$best" <(grep '^-> store' explained.txt) || { fail "explain shows another best than $best"; cat explained.txt; }
cp scale.cl kept.cl && echo '/* changed */' >>scale.cl
"$quern" tune explain "${kernel[@]}" >changed.txt
grep -q '^-> fallback' changed.txt && grep -q 'the kernel has changed' changed.txt || { fail "a changed kernel's results are not stale"; cat changed.txt; }
refused 1 "the store has no tests of scale_cl.json, as it is now" tune export "${kernel[@]}" -o none.json
cp kept.cl scale.cl
refused 2 'a T1 file has no problem classes' tune explain "${kernel[@]}" --class n=1

# every format of recorded spaces has all tests and can be replayed
for format in t4 kernel-tuner ktt; do
    "$quern" tune export "${kernel[@]}" -f $format -o $format.json || fail "$format: not exported"
    "$quern" tune simulate $format.json --searcher random --repeats 2 --csv $format.csv >/dev/null || fail "$format: no replay"
    cmp $format.csv t4.csv >/dev/null || sed 's/[a-z0-9-]*\.json//' $format.csv | cmp - <(sed 's/[a-z0-9-]*\.json//' t4.csv) || fail "$format: another space"
done
python3 - t4.json 1.csv <<'END' || fail "t4.json has other tests than the table"
import csv, json, sys
results = json.load(open(sys.argv[1]))["results"]
rows = {row["configuration"]: row["outcome"] for row in csv.DictReader(open(sys.argv[2]))}
found = {" ".join("%s=%s" % item for item in r["configuration"].items()): r["invalidity"] for r in results}
names = {"correct": "correct", "wrong": "correctness"}
sys.exit(found != {text: names[outcome] for text, outcome in rows.items()})
END

# the header has the best parameters for this device and the defaults for any other
"$quern" tune export "${kernel[@]}" -f header -o tuned.h || fail "header: not exported"
target=$(sed -n 's/^#if defined(\(TARGET_[A-Z0-9_]*\))$/\1/p' tuned.h)
printf '#include "tuned.h"\n#include <stdio.h>\nint main(void) { printf("block_size_x=%%d unroll=%%d WAY=%%d\\n", block_size_x, unroll, WAY); return 0; }\n' >main.c
"${CC:-cc}" -D "${target:-none}" main.c -o with && "${CC:-cc}" main.c -o without || fail "the header does not compile"
[ "$(./with)" = "$best" ] || fail "the header has $(./with) for $target; expected $best"
[ "$(./without)" = "block_size_x=64 unroll=1 WAY=1" ] || fail "the header's defaults are $(./without)"
refused 2 '--format is "quern"' tune export "${kernel[@]}" -f quern -o none.txt
refused 2 '--size is given' tune export "${kernel[@]}" --size 12 -o none.json
ls none.* >/dev/null 2>&1 && fail "a refused file was written: $(ls none.*)"

# a workload's header
"$quern" tune run benchmark/transpose --device host --size 96x128 -n 3 --searcher random --quiet >run.txt || fail "transpose"
"$quern" tune export benchmark/transpose --device host --size 96x128 -f header -o transpose.h || fail "transpose: no header"
for word in $(sed -n 's/^Best: //p' run.txt); do
    grep -q "^#define ${word%=*} ${word#*=}\$" transpose.h || fail "transpose.h lacks $word"
done
[ "$failures" = 0 ]
