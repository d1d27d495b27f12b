#!/usr/bin/env bash
# Results exported to any format can be imported again: the same best configuration, the same tests. Other files are
# refused in one sentence. Arguments: source folder, quern binary, build folder.
set -u
quern=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export QUERN_TUNING_STORE=$folder/first.db QUERN_TUNED_DIR=
workload=(benchmark/transpose --device host --size 96x128)
failures=0

fail() {
    echo "$*"
    failures=$((failures + 1))
}

# the configuration that explain prints for the store. (Times are compared to the last digit by exporting again;
# importing converts them for a size, which may change the last of four printed digits.)
best_of() {
    "$quern" tune explain benchmark/transpose --device host --store "$1" | awk '/^-> store/ { found = 1; print } END { exit !found }'
}

# refused CODE PART COMMAND…: the command must exit with CODE and print one sentence that contains PART
refused() {
    local code=$1 words=$2 said
    shift 2
    said=$("$quern" "$@" 2>&1 >/dev/null)
    [ $? = "$code" ] || fail "quern $*: did not exit with $code"
    [ "$(wc -l <<<"$said")" = 1 ] && grep -qF -- "$words" <<<"$said" || fail "quern $*: said \"$said\"; expected $words"
}

refused 1 "no tests of benchmark/transpose" tune export "${workload[@]}" --output none.json
"$quern" tune run "${workload[@]}" --tests 9 --searcher random --quiet >run.txt || { cat run.txt; exit 1; }
best=$(best_of first.db) || { echo "no result was stored"; exit 1; }
grep -qF "$(sed -n 's/^Best: //p' run.txt)" <<<"$best" || fail "the best stored is not the best found: $best"

for format in t4 kernel-tuner ktt quern; do
    "$quern" tune export "${workload[@]}" --format $format --output "$format.out" || fail "$format: not exported"
    tests=9
    [ $format = quern ] && tests=1
    said=$("$quern" tune import "${workload[@]}" --store $format.db "$format.out")
    [ "$said" = "$tests results taken" ] || fail "$format: \"$said\"; expected $tests results taken"
    [ "$(best_of $format.db)" = "$best" ] || fail "$format: the best is $(best_of $format.db); expected $best"
    # export again: the file is the same
    "$quern" tune export "${workload[@]}" --store $format.db --format $format --output again.out
    cmp "$format.out" again.out || fail "$format: the second export differs"
done

# the form of shipped results is accepted
mkdir tuned && cp quern.out tuned/here.txt
QUERN_TUNED_DIR=tuned QUERN_TUNING_STORE=off "$quern" tune explain benchmark/transpose --device host --store off |
    grep -qF -- "-> shipped" || fail "the exported text is not taken as a shipped result"

# of several other devices the nearest one's result is used, and explain names it; an unusable result is not listed
neighbour() { # neighbour UNITS ARCHITECTURE VENDOR: this machine's file under another name
    awk -F'\t' -v OFS='\t' -v units="$1" -v arch="$2" -v vendor="$3" \
        'NR == 1 { $2 = "Made Up"; if (arch) $3 = arch; if (vendor) $4 = vendor; $5 = units " threads" } { print }' ../quern.out
}
mkdir near && cd near || exit 1
neighbour 640 "" "" >far.txt
neighbour 64 "" "" >near.txt
neighbour 2 none Nobody >stranger.txt
cd .. || exit 1
QUERN_TUNED_DIR=near "$quern" tune explain benchmark/transpose --device host --store off --class "$(awk -F'\t' 'NR == 2 { print $3 }' quern.out)" >near.log
grep -A 2 -- '-> shipped' near.log | grep -q 'found on Made Up, x86-64-v[234], 64 threads, of the same architecture' ||
    { fail "the nearest device's result is not used or not named"; cat near.log; }
grep -q 'Made Up, none' near.log && fail "an unrelated device is listed"

# times are those of the requested size, also for imported tests: twice the elements of the same problem class
"$quern" tune export benchmark/transpose --device host --size 192x128 --store t4.db --format quern --output twice.out
awk -F'\t' 'FNR == 2 { seconds[FILENAME] = $5 } END { ratio = seconds["twice.out"] / seconds["quern.out"]
    exit !(ratio > 1.999 && ratio < 2.001) }' quern.out twice.out || fail "not twice the time for twice the elements"

# a configuration outside the kernel's space is left out; on a second import the file replaces the store's tests
sed -E 's/"GROUP_X": ?[0-9]+/"GROUP_X":77/' t4.out | sed -n '1,3p' >left.json
echo ']}' >>left.json
sed -i '3s/,$//' left.json
"$quern" tune import "${workload[@]}" --store t4.db left.json | grep -q "^0 results taken, 2 left out" ||
    fail "configurations outside the space were not left out"
sed -E 's/"objective":"time"/&/; s/"time":[0-9.e+-]+/"time":0.001/g' kernel-tuner.out >faster.json
"$quern" tune import "${workload[@]}" --store t4.db faster.json >/dev/null
"$quern" tune explain benchmark/transpose --device host --store t4.db | grep -qE '^ +1 µs' || fail "the tests that were imported last are not used"

# files that hold no results, or results of other parameters, another device or another size
echo 'results: none' >text.json
head -c 200 t4.out >torn.json
head -c 300 /dev/urandom >junk.json
echo '{"results": []}' >empty.json
sed 's/GROUP_Y/GROUP_Z/g' ktt.out >foreign.json
sed 's|^device host|&other|' quern.out >other.txt
printf 'device %s\nbenchmark/transpose\tnonsense\n' "$(sed -n 's/^device //p' quern.out)" >broken.txt
sed 's/\t[0-9a-f]\{16\}\t/\t0123456789abcdef\t/' quern.out >stale.txt
refused 1 "text.json:1: no JSON" tune import "${workload[@]}" text.json
refused 1 "torn.json:" tune import "${workload[@]}" torn.json
refused 1 "junk.json:" tune import "${workload[@]}" junk.json
refused 1 "empty.json: no configurations" tune import "${workload[@]}" empty.json
refused 2 "foreign.json: the parameters are GROUP_X, GROUP_Z" tune import "${workload[@]}" foreign.json
refused 2 "other.txt: no result of benchmark/transpose" tune import "${workload[@]}" other.txt
refused 1 "broken.txt:2: not a tuning result" tune import "${workload[@]}" broken.txt
refused 1 "missing.json" tune import "${workload[@]}" missing.json
refused 2 "quern.out: no result of benchmark/transpose" tune import benchmark/transpose --device host --size 4096x4096 quern.out
refused 2 "--format" tune export "${workload[@]}" --format csv --output none.csv
refused 1 "/nonexistent/folder/t4.json" tune export "${workload[@]}" --output /nonexistent/folder/t4.json
"$quern" tune import "${workload[@]}" --store t4.db stale.txt | grep -q "^0 results taken, 1 left out" ||
    fail "the result of another version of the kernel was taken"
[ "$(best_of first.db)" = "$best" ] || fail "refused files changed the store: $(best_of first.db)"
[ "$failures" = 0 ]
