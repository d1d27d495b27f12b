#!/usr/bin/env bash
# labels: unsanitized
# check_runs.sh SOURCE QUERN BUILD: whole screens from the command line. The results have the same bytes for any number
# of threads, ranks and conformers in a batch, and after kills; exactly the broken molecules are listed.
# QUERN_TEST_MOLECULES: number of molecules in the library (default 60); 10000 takes about half an hour.
set -u
source=$1 quern=$2 build=$(cd "$3" && pwd)
"$quern" screen -h >/dev/null 2>&1 || { echo "this build has no screen command"; exit 77; }
. "$1/tests/support/script.sh"
molecules=${QUERN_TEST_MOLECULES:-60}
every=$((molecules < 1000 ? molecules / 10 : 100)) # one in so many is broken, in ten ways

# Inputs: two library files, one with a third of the molecules, the other gzipped, and the receptor's atoms around its
# site.
examples=$source/examples/1iep
bash "$source/tests/screen/make_library.sh" "$examples/kinase_inhibitors.sdf" "$molecules" 7 "$every" >"$work/all.sdf"
awk -v limit=$((molecules / 3)) '{ print > (done < limit ? "'"$work"'/first.sdf" : "'"$work"'/second.sdf") } /^\$\$\$\$/ { done++ }' "$work/all.sdf"
gzip "$work/second.sdf"
awk '/^ATOM/ { x = substr($0, 31, 8) - 15.2; y = substr($0, 39, 8) - 53.9; z = substr($0, 47, 8) - 16.9
       if (x * x + y * y + z * z < 81) print } END { print "END" }' "$examples/1iep_receptor.pdb" >"$work/pocket.pdb"
options=(--rigid --score bude --box 15.2,53.9,16.9,4 --poses 64 --generations 2 --rounds 2 --keep 2 --top 20 --device host --tune off --quiet)
inputs=("$work/pocket.pdb" "$work/first.sdf" "$work/second.sdf.gz")
screen() { "$quern" screen "${inputs[@]}" "${options[@]}" "$@"; }
same() { # same A B: every result file, except those that contain times, is equal
  local name
  for name in scores.csv hits.sdf rejected.csv; do
    cmp "$work/$1/$name" "$work/$2/$name" || fail "$name differs between $1 and $2"
  done
}

screen -o "$work/one" --threads 1 || fail "a run on one thread"
broken=$(grep -c '^BROKEN' "$work/all.sdf")
[ "$(tail -n +2 "$work/one/scores.csv" | wc -l)" -eq $((molecules - broken)) ] || fail "scores.csv has not $((molecules - broken)) lines"
cmp -s <(tail -n +2 "$work/one/rejected.csv" | cut -d, -f4) <(grep '^BROKEN' "$work/all.sdf") || fail "rejected.csv does not name the broken molecules"
cmp -s <(tail -n +2 "$work/one/rejected.csv" | cut -d, -f1) \
  <(grep -n -A1 '^\$\$\$\$' "$work/all.sdf" | grep -v '^--' | awk -F- '/^[0-9]+-/ { n++; if ($2 ~ /^BROKEN/) print n }') ||
  fail "rejected.csv has wrong indices"
# Sorted by energy; molecules are numbered as in the library.
tail -n +2 "$work/one/scores.csv" | cut -d, -f4 | sort -gc || fail "scores.csv is not in the order of energies"
tail -n +2 "$work/one/scores.csv" | awk -F, '$2 != sprintf("M%05d", $3) { exit 1 }' || fail "names and indices do not go together"
[ "$(grep -c '^\$\$\$\$' "$work/one/hits.sdf")" -ge 20 ] || fail "hits.sdf has fewer than 20 records"
cmp -s <(sed -n '2,21p' "$work/one/scores.csv" | cut -d, -f2) <(awk 'NR == 1 || last ~ /^\$\$\$\$/ { if ($0 != name) print; name = $0 } { last = $0 }' "$work/one/hits.sdf") ||
  fail "hits.sdf has other molecules than the top of scores.csv"
for file in run.json report.html; do [ -s "$work/one/$file" ] || fail "$file is missing"; done

screen -o "$work/two" --threads 2 || fail "a run on two threads"
same one two
screen -o "$work/batch" --threads 2 --batch 7 || fail "a run with seven conformers a batch"
same one batch

# Five kills, each after more was recorded, then a run to the end. Results exist once every molecule is done, even in a
# run that is killed while it writes them, and never before.
recorded() { stat -c %s "$work/$1/journal.0" 2>/dev/null || echo 0; }
kills=0
while [ $kills -lt 5 ] && [ "$(recorded killed)" -lt "$(recorded one)" ]; do
  before=$(recorded killed)
  "$quern" screen "${inputs[@]}" "${options[@]}" --threads 1 -o "$work/killed" --resume &
  running=$!
  while kill -0 $running 2>/dev/null && [ "$(recorded killed)" -le "$before" ]; do sleep 0.01; done
  { kill -KILL $running; wait $running; } 2>/dev/null
  [ $? -eq 137 ] || break
  kills=$((kills + 1))
  [ "$(recorded killed)" -lt "$(recorded one)" ] || break
  for file in scores.csv hits.sdf rejected.csv run.json report.html; do
    [ ! -e "$work/killed/$file" ] || fail "$file exists before the run is over"
  done
done
echo "killed $kills times, the journal has $(recorded killed) of $(recorded one) bytes"
[ $kills -gt 0 ] || fail "the run was over before it could be killed once"
screen -o "$work/killed" --threads 2 --resume || fail "the run after $kills kills"
same one killed
grep -q '"resumed": 0,' "$work/killed/run.json" && fail "nothing was resumed after $kills kills"
[ "$(recorded one)" -eq "$(recorded killed)" ] ||
  fail "molecules were searched twice: journals of $(recorded one) and $(recorded killed) bytes"
screen -o "$work/killed" --resume || fail "resuming a run that is over"
same one killed

# Ranks; one of them is killed, and another number of ranks does the rest.
if use_mpi "$build"; then
  for count in 1 2 4; do
    ranks "$count" "$quern" screen "${inputs[@]}" "${options[@]}" --threads 1 -o "$work/ranks$count" >"$work/log" 2>&1 ||
      { fail "$count ranks"; tail -n 5 "$work/log"; }
    same one "ranks$count"
    [ "$(find "$work/ranks$count" -name 'journal.*' | wc -l)" -eq "$count" ] || fail "$count ranks have not $count journals"
  done
  # The second of three ranks dies once its journal has a record.
  ranks 3 bash -c 'journal=$1; shift; [ "$OMPI_COMM_WORLD_RANK" = 1 ] || exec "$@"
      "$@" & running=$!
      while kill -0 $running 2>/dev/null && [ ! -s "$journal" ]; do sleep 0.01; done
      kill -KILL $running; wait $running' rank "$work/ranks/journal.1" \
    "$quern" screen "${inputs[@]}" "${options[@]}" --threads 1 -o "$work/ranks" >"$work/log" 2>&1 && fail "a rank was not killed"
  ranks 2 "$quern" screen "${inputs[@]}" "${options[@]}" --threads 1 -o "$work/ranks" --resume >"$work/log" 2>&1 ||
    { fail "two ranks after one of three was killed"; tail -n 5 "$work/log"; }
  same one ranks

  # Ranks whose inputs differ from those of the first fail with a message before they search.
  differing() { # differing NAME PART A B OPTION…: the first rank has the option A, the other B
    local name=$1 part=$2
    # shellcheck disable=SC2016
    ranks 2 bash -c 'mine=$1; [ "$OMPI_COMM_WORLD_RANK" = 0 ] || mine=$2; exec "${@:3}" $mine' rank "$3" "$4" \
      "$quern" screen "${inputs[@]}" "${options[@]}" --threads 1 -o "$work/differing" "${@:5}" >"$work/log" 2>&1 &&
      fail "$name: accepted"
    grep -q "$part" "$work/log" || { fail "$name: no message with $part"; tail -n 5 "$work/log"; }
    [ ! -e "$work/differing" ] || fail "$name: a folder was made"
  }
  differing "two seeds" 'the first has "seed=1", this one "seed=2"' "--seed 1" "--seed 2"
  if "$quern" devices 2>/dev/null | grep -q '^ *opencl:0'; then
    differing "two devices" 'the first has "device=.*", this one "device=opencl .*, or exact' "--device host" "--device opencl:0"
  fi
fi

# Failures with one sentence each, and the files that they leave.
refused() { # refused NAME PART COMMAND…
  local name=$1 part=$2 message
  shift 2
  message=$("$@" 2>&1 >/dev/null) && fail "$name: accepted"
  case $message in *"$part"*) ;; *) fail "$name: unexpected message: $message" ;; esac
}
refused "a folder with results" "--overwrite replaces it" screen -o "$work/one"
refused "another run's journal" "there seed=" screen -o "$work/one" --resume --seed 99
refused "a box nowhere" "away from the receptor" screen --box 500,500,500,4 -o "$work/nowhere"
refused "a library that is absent" "absent.sdf" "$quern" screen "$work/pocket.pdb" "$work/absent.sdf" "${options[@]}" -o "$work/nowhere"
[ ! -e "$work/nowhere" ] || fail "a folder was made for nothing"
: >"$work/empty.sdf"
refused "an empty library" "empty.sdf" "$quern" screen "$work/pocket.pdb" "$work/empty.sdf" "${options[@]}" -o "$work/empty"
[ ! -e "$work/empty" ] || fail "a run of no molecules left a folder"
mkfifo "$work/pipe.sdf"
mkfifo "$work/pipe.pdb"
scores() { cut -d, -f1-11 "$1/scores.csv"; } # without the name of the file
from_pipes() { # from_pipes LIBRARY OPTION…: receptor and library come through pipes, which a run reads several times
  timeout 5 cat "$work/pocket.pdb" >"$work/pipe.pdb" &
  timeout 5 cat "$1" >"$work/pipe.sdf" &
  timeout 60 "$quern" screen "$work/pipe.pdb" "$work/pipe.sdf" "${options[@]}" "${@:2}"
}
from_pipes "$work/first.sdf" -o "$work/piped" || fail "receptor and library from pipes"
"$quern" screen "$work/pocket.pdb" "$work/first.sdf" "${options[@]}" -o "$work/unpiped" || fail "a screen of files"
cmp -s <(scores "$work/piped") <(scores "$work/unpiped") || fail "pipes and files give other scores"
sed '1,/^\$\$\$\$/d' "$work/first.sdf" >"$work/other.sdf"
refused "other molecules through the pipe" "library=" from_pipes "$work/other.sdf" -o "$work/piped" --resume
refused "rejected molecules" "rejected, see" screen -o "$work/one" --resume --strict
same two one

# A disk that fills up, with the journal and then with the results: files may not grow past 16 and 64 KiB.
full() { # full NAME KIB COMMAND…: fails with one sentence, leaves no result behind
  local name=$1 kib=$2 message file
  shift 2
  message=$( (trap '' XFSZ; ulimit -f "$kib"; "$@") 2>&1) && fail "$name: a full disk went unnoticed"
  [ "$(printf '%s\n' "$message" | wc -l)" -eq 1 ] || fail "$name: more than one sentence: $message"
}
full "the journal" 16 screen -o "$work/full"
[ "$(ls "$work/full")" = journal.0 ] || fail "a full disk left behind $(ls "$work/full")"
screen -o "$work/full" --resume || fail "the run after the disk was full"
same one full
rm "$work/full/hits.sdf"
full "the hits" 64 screen -o "$work/full" --resume
[ ! -e "$work/full/hits.sdf" ] || fail "half of hits.sdf was left behind"
[ -z "$(find "$work/full" -name '*.partial.*')" ] || fail "temporary files were left behind"

[ $failures -eq 0 ]
