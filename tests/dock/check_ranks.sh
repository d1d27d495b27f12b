#!/usr/bin/env bash
# labels: unsanitized
# check_ranks.sh SOURCE QUERN BUILD: a run of several processes writes the same bytes as a run of one, even when one of
# them was killed or stopped and another number of processes resumes the run.
set -u
source=$1 quern=$2 build=$(cd "$3" && pwd)
. "$1/tests/support/script.sh"
use_mpi "$build" || exit 77
inputs=("$source/examples/1ppe/1PPE_r_u.pdb" "$source/examples/1ppe/1PPE_l_u_rnd.pdb")
rotations=300
# Fix the transform engine: the automatic choice measures, so two runs may differ in it.
options=(--spacing 2.5 --keep 60 --clusters 8 --fft own --device host --tune off --quiet)
dock() { "$quern" dock "${inputs[@]}" --rotations $rotations "${options[@]}" "$@"; }
dock_ranks() { ranks "$1" "$quern" dock "${inputs[@]}" --rotations $rotations "${options[@]}" "${@:2}" >"$work/log" 2>&1; }
results() { (cd "$work/$1" && find . -type f ! -name 'journal.*' | sort); }
same() { # same NAME: every result file, except those that contain times, equals the file of one process
  local name
  for name in $(results one); do
    case $name in *run.json|*report.html) continue ;; esac
    cmp -s "$work/one/$name" "$work/$1/$name" || fail "$1: $name differs from that of one process"
  done
  [ "$(results one)" = "$(results "$1")" ] || fail "$1: the files are not those of one process"
}
unfinished() { # unfinished NAME: journals and nothing else
  [ -z "$(results "$1")" ] || fail "$1: an unfinished run left $(results "$1")"
  [ -n "$(ls "$work/$1")" ] || fail "$1: there are no journals"
}
says() { # says NAME WORDS: once, as an extended regular expression
  local times
  times=$(grep -Ec "$2" "$work/log")
  [ "$times" -eq 1 ] || { fail "$1: $times times \"$2\""; tail -n 20 "$work/log"; }
}

dock -o "$work/one" --threads 2 || fail "one process"
grep -q '"ranks": 1,' "$work/one/run.json" || fail "one process: run.json"
for count in 2 4; do
  dock_ranks $count -o "$work/of$count" --threads $((4 / count)) || { fail "$count processes"; tail -n 5 "$work/log"; }
  same "of$count"
  [ "$(find "$work/of$count" -name 'journal.*' | wc -l)" -eq $count ] || fail "$count processes have not $count journals"
  grep -q "\"ranks\": $count," "$work/of$count/run.json" || fail "$count processes: run.json"
done
# Without --quiet only the first rank prints.
options=("${options[@]/--quiet/--explain}")
dock_ranks 3 -o "$work/of3" --threads 1 || { fail "three processes"; tail -n 5 "$work/log"; }
options=("${options[@]/--explain/--quiet}")
same of3
for words in '^3 processes, of which the first logs messages' '^receptor:' 'poses, .* in .* clusters' '^results in'; do
  says "three processes" "$words"
done
[ -z "$(awk '/^docking/ { print int($2 / 10) }' "$work/log" | sort | uniq -d)" ] || fail "several ranks show progress"

# All ranks use the same automatically chosen transform engine, also after a resume. For sides of 55 cells (5 · 11) the
# engine is chosen by measurement.
options=("${options[@]/#own/auto}")
dock_ranks 3 -o "$work/chosen" --grid 55 --threads 1 || { fail "three processes that choose"; tail -n 5 "$work/log"; }
[ "$(grep -aoh '^transforms=[a-z]*$' "$work/chosen/journal".* | sort | uniq -c | awk '{ print $1 }')" = 3 ] ||
  fail "the processes use different transforms"
grep -aq '^transforms=auto$' "$work/chosen/journal.0" && fail "the journal does not say which transforms"
cp -r "$work/chosen" "$work/again"
rm "$work/again/journal.0"
dock -o "$work/again" --grid 55 --resume || fail "resuming with the transform engine of the other ranks"
for name in poses.csv clusters.csv cluster_01.pdb; do
  cmp -s "$work/chosen/$name" "$work/again/$name" || fail "chosen transforms: $name differs after a resume"
done
cp -r "$work/of2" "$work/kept"
dock -o "$work/kept" --resume || fail "resuming with the transform engine that an option named"
same kept
options=("${options[@]/#auto/own}")

# Disturb one rank: `told NUMBER JOURNAL SHELL_COMMANDS PROGRAM…` runs the shell commands on rank NUMBER once JOURNAL
# has about ten records. $running is the process of that rank.
told='number=$1 journal=$2 commands=$3; shift 3; [ "$OMPI_COMM_WORLD_RANK" = "$number" ] || exec "$@"
  "$@" & running=$!
  while kill -0 $running 2>/dev/null && [ "$(stat -c %s "$journal" 2>/dev/null || echo 0)" -lt 1500 ]; do sleep 0.01; done
  eval "$commands"; wait $running'
treat() { # treat COUNT NUMBER COMMANDS NAME ROTATIONS
  ranks "$1" bash -c "$told" rank "$2" "$work/$4/journal.$2" "$3" "$quern" dock "${inputs[@]}" --rotations "$5" \
    "${options[@]}" --threads 1 -o "$work/$4" >"$work/log" 2>&1 && fail "$4: exit code 0"
}
many=50000 # so that no rank finishes before the launcher notices the kill

# The second of three ranks is killed. The first one reports the progress, and the launcher ends all of them.
treat 3 1 'kill -KILL $running' killed $many
unfinished killed
says killed "stopped after [1-9][0-9]* of $many rotations; continue with --resume"

# Finished pieces are kept, whatever the number of processes before and after.
treat 3 1 'kill -KILL $running' dead $rotations
unfinished dead
cp -r "$work/dead" "$work/alone"
rm "$work/alone/journal.0" # the other ranks' records are kept
dock -o "$work/alone" --resume || fail "one process after one of three was killed"
same alone
grep -q '"resumed_rotations": 0,' "$work/alone/run.json" && fail "nothing was resumed"
dock_ranks 3 -o "$work/dead" --threads 1 --resume || { fail "three processes after a kill"; tail -n 5 "$work/log"; }
same dead
"$quern" dock "${inputs[@]}" --rotations $many "${options[@]}" -o "$work/killed" --resume --seed 3 >"$work/log" 2>&1 &&
  fail "another run went on from these journals"
says "another run" 'journal\.0: this run cannot go on from another one: there rotations='

# A journal is lost: the remaining journals must not be taken for the whole run.
treat 2 1 'rm "$journal"' lost $rotations
unfinished lost
says lost "$work/lost: its journals have [1-9][0-9]* of $rotations rotations; expected all: continue with --resume"
dock_ranks 4 -o "$work/lost" --threads 1 --resume || { fail "four processes after a journal was lost"; tail -n 5 "$work/log"; }
same lost

# Ctrl-C at one process stops all of them and is reported once. One process starts a run, two resume it.
treat 3 2 'kill -TERM $running' stopped $many
unfinished stopped
says stopped "stopped after [1-9][0-9]* of $many rotations; continue with --resume"
[ "$(cat "$work/stopped/journal".* | wc -c)" -lt 500000 ] || fail "the others did not stop"
says stopped '^quern: stopped'
timeout -s TERM 0.6 "$quern" dock "${inputs[@]}" --rotations $rotations "${options[@]}" --threads 1 -o "$work/begun" >"$work/log" 2>&1
mkdir -p "$work/begun" # on a slow machine the run may not have begun
dock_ranks 2 -o "$work/begun" --threads 1 --resume || { fail "two processes after one"; tail -n 5 "$work/log"; }
same begun

# Ranks whose inputs differ from those of the first fail with a message before they search.
ranks 2 bash -c 'exec "$@" --seed $((1 + OMPI_COMM_WORLD_RANK))' rank "$quern" dock "${inputs[@]}" --rotations $rotations \
  "${options[@]}" -o "$work/differing" >"$work/log" 2>&1 && fail "two seeds: accepted"
says "two seeds" 'the first has "rotations=.*", this one "rotations='
[ ! -e "$work/differing" ] || fail "two seeds: a folder was made"

[ $failures -eq 0 ]
