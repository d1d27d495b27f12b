#!/usr/bin/env bash
# labels: unsanitized
# check_runs.sh SOURCE QUERN BUILD: quern transport writes the same bytes with one, two and three threads and processes,
# on every level of processors, with its ligands in one file or in several, and after six kills at different places with
# --resume.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2") build=$(cd "$3" && pwd)
. "$source/tests/support/script.sh"
export LC_ALL=C QUERN_TUNE=off
cd "$work" || exit 1

awk -v models=1 -v shake=0 -f "$source/tests/tunnel/shell.awk" >shell.pdb
awk -v models=1 -v shake=0.05 -f "$source/tests/tunnel/shell.awk" >shaken.pdb
awk -v count=3 -f "$source/tests/transport/guests.awk" >guests.sdf
awk 'BEGIN { for (z = 9; z > -0.1; z -= 0.6) printf "0 0 %.1f 0 0 1 1.5\n", z }' >way.dsd
sed '/^\$\$\$\$/q' guests.sdf >one.sdf
sed '1,/^\$\$\$\$/d' guests.sdf >others.sdf

transport() { # transport FOLDER OPTION...
  "${launcher[@]}" "$quern" transport shell.pdb shaken.pdb "${ligands[@]}" --tunnel way.dsd --direction in --effort 0.1 \
    --poses 4 --rounds 1 --quiet -o "$@"
}
launcher=() ligands=(guests.sdf)
# Files that do not depend on times; messages have none of them.
results() { (cd "$1" && find . -type f ! -path './unfinished/*' ! -name run.json ! -name report.html | sort); }
same() { # same FOLDER WHEN
  local file
  [ "$(results "$1")" = "$(results whole)" ] || fail "$2: other files: $(diff <(results whole) <(results "$1"))"
  for file in $(results whole); do cmp -s "$1/$file" "whole/$file" || fail "$2: $file differs"; done
  [ -s "$1/run.json" ] && [ -s "$1/report.html" ] || fail "$2: no run.json or report.html"
}

transport whole --threads 2 || fail "a run"
[ "$(wc -l <whole/results.csv)" -eq 7 ] || fail "results.csv has not six passages"
for threads in 1 3; do transport "threads$threads" --threads $threads && same "threads$threads" "$threads threads"; done
for level in 2 3; do
  QUERN_HOST_LEVEL=$level transport "level$level" --threads 2 && same "level$level" "level $level of processors"
done
ligands=(one.sdf others.sdf)
transport split --threads 2 && same split "several files"
ligands=(guests.sdf)
if use_mpi "$build"; then
  for count in 2 3; do
    launcher=("${mpirun[@]}" -n $count)
    transport "ranks$count" --threads 1 && same "ranks$count" "$count processes"
  done
  launcher=()
fi

# Both barriers are told, whatever the direction: those of results.csv.
"$quern" transport shell.pdb one.sdf --tunnel way.dsd --direction in --effort 0.1 --poses 4 --rounds 1 -o told >said 2>message ||
  fail "a run that talks: $(cat message)"
barriers=$(awk -F, 'NR == 2 { printf "%.2f %.2f", $10, $9 }' told/results.csv)
[ "$(awk 'NR == 3 { print $4, $5 }' said)" = "$barriers" ] || fail "barriers are not $barriers: $(cat said)"
[ "$(awk 'NR == 2 { print $4, $5, $6, $7 }' said)" = "barrier in barrier out" ] || fail "the head of barriers: $(cat said)"
[ "$(head -n 1 said)" = "energies in kcal/mol" ] || fail "no unit of energies: $(cat said)"
grep -q 'Barrier in</th>' told/report.html && grep -q 'Barrier out</th>' told/report.html || fail "the report's barriers"

# On a screen of 420 pixels, the first 450 units of the profile's drawing are in sight, and its legend is among them.
drawing=$(grep -o 'base64,[^"]*' told/report.html | head -n 1 | cut -d, -f2 | base64 -d)
legend=$(grep -o '<text x="[0-9]*"[^>]*>[^<]*<tspan.*bound</tspan></text>' <<<"$drawing")
[[ $legend == *"upper bound"*"lower bound"* ]] || fail "the drawing has no legend"
start=$(sed 's/<text x="\([0-9]*\)".*/\1/' <<<"$legend") letters=$(sed 's/<[^>]*>//g' <<<"$legend" | wc -m)
[[ $legend != *text-anchor* ]] && [ $((start + 7 * letters)) -lt 450 ] || fail "the legend is out of sight: $legend"

# A finished run says what it has.
said=$("$quern" transport shell.pdb shaken.pdb guests.sdf --tunnel way.dsd --direction in --effort 0.1 --poses 4 --rounds 1 \
  --resume -o whole 2>message) || fail "a finished run resumed: $(cat message)"
[ "$said" = "6 passages in whole, found by the earlier run" ] || fail "a finished run says \"$said\""

# Kills: after two records, after another one, in the middle of one, and while files are written.
kills=0
for place in "9 6 /journal.0" "9 2 /journal.0" "9 3 /journal.0" "9 1 profile.csv" "9 2 upper.sdf" "9 1 results.csv"; do
  LD_PRELOAD="$build/tests/signal_at_write.so" QUERN_TEST_SIGNAL="$place" ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" \
    transport killed --threads 2 --resume 2>message
  code=$?
  [ $code -eq 137 ] && kills=$((kills + 1)) || fail "\"$place\" did not end the run: exit code $code, $(cat message)"
  [ ! -e killed/run.json ] || fail "\"$place\": run.json is early"
  for file in $(results killed | grep -v '\.partial'); do
    cmp -s "killed/$file" "whole/$file" || fail "\"$place\": $file is not whole"
  done
done
transport killed --threads 2 --resume 2>message || fail "--resume after $kills kills: $(cat message)"
same killed "after $kills kills"
[ -z "$(find killed -name '*.partial*')" ] || fail "left $(find killed -name '*.partial*')"
[ $failures -eq 0 ]
