#!/usr/bin/env bash
# labels: unsanitized
# quern tune model train: the shipped models are what it makes of the recorded spaces, a model guides the searcher
# profile, also on GPUs that it was not trained on, and other files are refused. Arguments: source folder, quern binary,
# build folder.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$source/tests/support/script.sh"
cd "$work" || exit 1
coulomb=$source/tests/data/tune/coulomb3d_RTX_2080_Ti_ktt.json.gz
reference=${QUERN_REFERENCE_DATA:-$source/../shared/data}/tuning

# refused CODE PART ARGUMENTS...: one sentence with PART
refused() {
    local code=$1 words=$2 said
    shift 2
    said=$("$quern" "$@" 2>&1 >/dev/null)
    [ $? = "$code" ] || fail "quern $*: did not exit with $code"
    [ "$(wc -l <<<"$said")" = 1 ] && grep -qF -- "$words" <<<"$said" || fail "quern $*: said \"$said\"; expected $words"
}

# tests_of SCORES.csv: mean number of tests to 1.1 times the best, of the first row
tests_of() { awk -F, 'NR == 2 { print $8 }' "$1"; }

said=$("$quern" tune model train "$coulomb" -o coulomb.model --trees 6) || fail "not trained"
grep -q '^coulomb.model: 38 counters of 8 parameters, learned from 210 configurations; ' <<<"$said" || fail "said: $said"
cmp coulomb.model "$source/tuned/models/ktt-coulomb3d.model" || fail "the shipped model is another one"
"$quern" tune model train "$coulomb" -o other.model --trees 6 --seed 2 >/dev/null
cmp -s coulomb.model other.model && fail "the seed has no effect"

# a shipped model by its name is the same as its file
for model in ktt-coulomb3d coulomb.model; do
    "$quern" tune simulate "$coulomb" --searcher profile --repeats 5 --model $model --csv $model.csv >/dev/null ||
        fail "$model: no simulation"
done
cmp ktt-coulomb3d.csv coulomb.model.csv || fail "the shipped model simulates otherwise than its file"

# files that no model can be made of, and kernels that a model is not of
"$quern" tune run benchmark/transpose --device host --size 96x128 --tests 4 --searcher random --quiet --store s.db >/dev/null &&
    "$quern" tune export benchmark/transpose --device host --size 96x128 --store s.db --output plain.json ||
    fail "no space to refuse"
refused 1 "plain.json: the recorded space has no hardware counters" tune model train plain.json -o none.model
refused 1 "absent.json" tune model train absent.json -o none.model
refused 1 "/nonexistent/m.model" tune model train "$coulomb" -o /nonexistent/m.model
refused 2 "WORK_GROUP_SIZE_X" tune simulate plain.json --searcher profile --model ktt-coulomb3d
refused 2 "SPACE is missing" tune model train -o none.model
refused 2 'unknown action "trian"; did you mean train?' tune model trian
[ -e none.model ] && fail "a refused file was written"

# With the recorded spaces: the convolution's model, and two GPUs that it was not trained on, whose kernel is another one
# of the same structure with other names. There profile needs a fifth less tests with the model than without.
if [ -d "$reference/ktt_counters" ]; then
    "$quern" tune model train "$reference/ktt_counters/convolution_RTX_2080_Ti_ktt.json.gz" -o convolution.model \
        --trees 6 --leaf 16 >/dev/null
    cmp convolution.model "$source/tuned/models/ktt-convolution.model" || fail "the shipped model is another one"
    sed -e 's/^parameter \(BLOCK_SIZE_.\|TILE_SIZE_.\|READ_ONLY\)$/parameter \L\1/; s/^parameter PADDING$/parameter use_padding/' \
        -e 's/^parameter HFS$/parameter filter_width/; s/^parameter IMAGE_WIDTH$/parameter filter_height/' \
        -e 's/^parameter IMAGE_HEIGHT$/parameter use_cmem/' convolution.model >renamed.model
    for gpu in A100 MI250X; do
        space=$reference/benchmark_hub/convolution_${gpu}_T4.json.gz
        "$quern" tune simulate "$space" --searcher profile --repeats 40 --model renamed.model --csv with.csv >/dev/null
        "$quern" tune simulate "$space" --searcher profile --repeats 40 --csv without.csv >/dev/null
        echo "$gpu: $(tests_of with.csv) tests with the model, $(tests_of without.csv) without"
        awk "BEGIN { exit !($(tests_of with.csv) < 0.8 * $(tests_of without.csv)) }" || fail "$gpu: the model gains too little"
    done
fi
[ "$failures" = 0 ]
