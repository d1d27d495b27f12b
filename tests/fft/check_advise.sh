#!/usr/bin/env bash
# check_advise.sh SOURCE QUERN BUILD: quern fft advise. Bad input gets one clear sentence and the right exit status;
# tables, CSV and JSON agree; answers are cached, and a damaged cache is set aside with a warning.
set -u
quern=$2
. "$1/tests/support/script.sh"
export XDG_CACHE_HOME=$work/cache
refuses() { # refuses STATUS "part of the sentence" arguments…
  local expected=$1 part=$2 output status
  shift 2
  output=$("$quern" fft advise "$@" --device host --no-measure 2>&1 >"$work/stdout")
  status=$?
  [ $status -eq "$expected" ] || fail "quern fft advise $*: exit $status, expected $expected"
  [ "$(printf '%s\n' "$output" | grep -c .)" -eq 1 ] || fail "quern fft advise $*: more or less than one sentence: $output"
  [[ "$output" == *"$part"* ]] || fail "quern fft advise $*: \"$output\" lacks: $part"
  [ ! -s "$work/stdout" ] || fail "quern fft advise $*: something on standard output"
}
refuses 2 'SIZE is "0"; expected 1 to 3 whole numbers from 1 to 268435456 joined by x' 0
refuses 2 'SIZE is "64x0x64"; expected 1 to 3 whole numbers' 64x0x64
refuses 2 'SIZE is "-64"; expected 1 to 3 whole numbers' -64
refuses 2 'SIZE is "64x-4"; expected 1 to 3 whole numbers' 64x-4
refuses 2 'SIZE is "junk"; expected 1 to 3 whole numbers' junk
refuses 2 'SIZE is "64y64"; expected 1 to 3 whole numbers' 64y64
refuses 2 'SIZE is "64x"; expected 1 to 3 whole numbers' 64x
refuses 2 'SIZE is "12.5"; expected 1 to 3 whole numbers' 12.5
refuses 2 'SIZE is "99999999999999999999"; expected 1 to 3 whole numbers' 99999999999999999999
refuses 2 'SIZE is "268435457"; expected 1 to 3 whole numbers' 268435457
refuses 2 'SIZE is "4x4x4x4"; expected 1 to 3 whole numbers' 4x4x4x4
refuses 2 '--crop is "100%"; expected percents from 0 to 99.9' 64 --crop 100%
refuses 2 '--crop is "-5"; expected percents' 64 --crop -5
refuses 2 '--crop is "ten"; expected percents' 64 --crop ten
refuses 2 '--crop has 2 percentages, but the size has 1 axis; expected one for all axes or one for each' 64 --crop 5,5
refuses 2 '--crop has 2 percentages, but the size has 3 axes; expected one' 64x64x64 --crop 5,5
refuses 2 '--grow is "401"; expected percents from 0 to 400' 64 --grow 401
refuses 2 '--grow is "nan"; expected percents' 64 --grow nan
refuses 2 '--grow is "20%%"; expected percents' 64 --grow 20%%
refuses 2 '--engine is "fastest"; expected one of: auto own fftw vkfft cufft' 64 --engine fastest
refuses 2 '4093 x 1 x 1 may neither shrink nor grow (crop 0 %, grow 0 %), so there is nothing to choose' 4093 --crop 0 --grow 0
refuses 1 'no size allowed for 512 x 512 x 1 fits 0.01 MiB: the smallest, 461 x 512 x 1, needs' 512x512 --crop 10%,0 --memory 0.01
refuses 1 'the transform engine "cufft" does not run on host' 64 --engine cufft
refuses 2 'more points than any memory holds' 268435456x268435456

# A percentage for each axis applies to that axis: x shrinks only, y grows only, z keeps its size.
"$quern" fft advise 211x211x211 --crop 10%,0,0 --grow 0,20%,0 --no-measure -d host --csv "$work/axes.csv" >/dev/null || fail "percents by axis"
awk -F, 'NR > 1 && ($2 > 211 || $2 < 190 || $3 < 211 || $3 > 253 || $4 != 211) { bad = 1 } END { exit bad || NR < 9 }' \
  "$work/axes.csv" || fail "limits of one axis were used for another: $(cat "$work/axes.csv")"

# Measured: the last line names the size to use, which is the first row; CSV and JSON hold the same rows.
options=(211 --batch 16 --crop 10% --grow 20% --device host --engine own --candidates 3)
"$quern" fft advise "${options[@]}" --csv "$work/a.csv" --json "$work/a.json" >"$work/table" 2>"$work/err" || fail "a measured run: $(cat "$work/err")"
[ ! -s "$work/err" ] || fail "a measured run wrote to standard error: $(cat "$work/err")"
first=$(awk '$1 == 1 { print $2 }' "$work/table")
[ -n "$first" ] && tail -n 1 "$work/table" | grep -q "^Use $first[: ]" || fail "last line and first row disagree: $(cat "$work/table")"
[ "$(grep -c '(wanted)' "$work/table")" -eq 1 ] || fail "the wanted size is not once in the table"
[ "$(wc -l <"$work/a.csv")" -eq 5 ] || fail "CSV has $(wc -l <"$work/a.csv") lines, expected 5"
[ "$(cut -d, -f2 "$work/a.csv" | sed 1d | tr '\n' ' ')" = "$(sed -n 's/.*"size": \[\([0-9]*\),.*/\1/p' "$work/a.json" | tr '\n' ' ')" ] ||
  fail "CSV and JSON disagree"
[ "$("$quern" fft advise "${options[@]}" --json -)" = "$(sed 's/"from_cache": false/"from_cache": true/' "$work/a.json")" ] ||
  fail "the cached answer differs"
"$quern" fft advise "${options[@]}" --no-cache | grep -q 'earlier run' && fail "--no-cache used the cache"
"$quern" fft advise "${options[@]}" --fresh | grep -q 'earlier run' && fail "--fresh used the cache"

# A damaged cache: set aside with a warning, measured again, stored again.
kept=("$XDG_CACHE_HOME"/quern/fft-advice-*.json)
[ ${#kept[@]} -eq 1 ] && [ -f "${kept[0]}" ] || fail "no cached answers in $XDG_CACHE_HOME"
head -c 300 "${kept[0]}" >"$work/cut" && cp "$work/cut" "${kept[0]}"
"$quern" fft advise "${options[@]}" >"$work/table" 2>"$work/err" || fail "a damaged file of answers stopped the command"
grep -q "^warning: .*fft-advice-.*set aside as .*\.corrupt$" "$work/err" || fail "no warning about a damaged file: $(cat "$work/err")"
cmp -s "$work/cut" "${kept[0]}.corrupt" || fail "the damaged file was not set aside"
"$quern" fft advise "${options[@]}" | grep -q 'earlier run' || fail "the answer was not cached after a damaged file"

[ $failures -eq 0 ]
