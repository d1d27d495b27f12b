#!/usr/bin/env bash
# labels: unsanitized
# check_runs.sh SOURCE QUERN BUILD: whole docking runs from the command line, with the three coefficient sets of the
# default and with one. The results have the same bytes for any number of threads, any batch, and after kills and
# resumes; no incomplete file has a final name.
set -u
source=$1 quern=$2 build=$(cd "$3" && pwd)
receptor=$source/examples/1ppe/1PPE_r_u.pdb ligand=$source/examples/1ppe/1PPE_l_u_rnd.pdb
. "$1/tests/support/script.sh"
# Fix the transform engine: the automatic choice measures, so two runs may differ in it.
common=(--spacing 1.8 --keep 200 --fft fused --device host --quiet)
rotations=320
options=(--rotations "$rotations" "${common[@]}")
sets="balanced electrostatic neutral"
dock() { "$quern" dock "$receptor" "$ligand" "${options[@]}" "$@"; }
dock_one_set() { "$quern" dock "$receptor" "$ligand" --rotations 220 --coefficients electrostatic "${common[@]}" "$@"; }
files() { (cd "$1" && find . | sort); }
same() { # same A B: every result file, except those that contain times, is equal, also in the sets' folders
  local name
  for name in $(cd "$1" && find . -type f); do
    case $(basename "$name") in run.json|report.html|journal.*) continue ;; esac
    cmp -s "$1/$name" "$2/$name" || fail "$name differs between $1 and $2"
  done
  [ "$(files "$1")" = "$(files "$2")" ] || fail "$1 and $2 hold different files"
}
holds() { # holds FOLDER LINES FILE…: the files are not empty, and poses.csv has LINES lines
  local folder=$1 lines=$2 file
  shift 2
  for file in poses.csv clusters.csv contacts.csv cluster_01.pdb report.html view.pml view.cxc "$@"; do
    [ -s "$folder/$file" ] || fail "$folder/$file is missing"
  done
  [ "$(wc -l <"$folder/poses.csv")" -eq "$lines" ] ||
    fail "$folder/poses.csv has $(wc -l <"$folder/poses.csv") lines, expected $lines"
}

dock -o "$work/one" --threads 1 || fail "a run on one thread"
# 200 poses of each set, in its folder and again in the merged answer.
holds "$work/one" 601 run.json journal.0
for set in $sets; do
  holds "$work/one/$set" 201
  for file in run.json journal.0; do [ ! -e "$work/one/$set/$file" ] || fail "$file does not belong to a set's folder"; done
done
[ "$(cd "$work/one" && echo */ | tr -d /)" = "$sets" ] || fail "the folders are not those of the sets: $(ls "$work/one")"
poses() { tail -qn +2 "$@" | cut -d, -f3- | sort; } # all columns except rank and cluster
cmp -s <(poses "$work/one/poses.csv") <(poses "$work"/one/*/poses.csv) || fail "the merged poses are not those of the sets"
dock -o "$work/two" --threads 2 || fail "a run on two threads"
same "$work/one" "$work/two"
dock -o "$work/batch" --threads 2 --batch 7 || fail "a run with batches of 7"
same "$work/one" "$work/batch"
dock -o "$work/seed" --threads 2 --seed 5 || fail "a run with another seed"
for set in . $sets; do
  cmp -s "$work/one/$set/poses.csv" "$work/seed/$set/poses.csv" && fail "the seed changes nothing in $set"
done

# One coefficient set: no folders but the output folder.
dock_one_set -o "$work/alone" --threads 1 || fail "a run with one set"
holds "$work/alone" 201 run.json journal.0
[ -z "$(find "$work/alone" -mindepth 1 -type d)" ] || fail "a single set has a folder of its own"
dock_one_set -o "$work/alone-two" --threads 2 --batch 5 || fail "a run with one set on two threads"
same "$work/alone" "$work/alone-two"

# Five kills, each after about fifty more rotations, two of them within a record of the journal; then a run to the end.
kills=0
for writes in 100 101 102 103 104; do
  { LD_PRELOAD=$build/tests/signal_at_write.so QUERN_TEST_SIGNAL="$(kill -l KILL) $writes /journal.0" \
    ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" dock -o "$work/killed" --threads 1 --batch 1 --resume; } 2>/dev/null
  [ $? -eq 137 ] || break
  kills=$((kills + 1))
  for file in poses.csv clusters.csv report.html run.json; do
    [ -z "$(find "$work/killed" -name "$file" 2>/dev/null)" ] || fail "$file exists before the run is over"
  done
done
echo "killed $kills times, the journal has $(stat -c %s "$work/killed/journal.0" 2>/dev/null || echo no) bytes"
[ $kills -eq 5 ] || fail "killed $kills times instead of 5"
dock -o "$work/killed" --threads 2 --resume || fail "the run after $kills kills"
find "$work/killed" -name '*.partial.*' -delete
same "$work/one" "$work/killed"

# A finished folder is not overwritten; another run cannot resume from its journal.
message=$(dock -o "$work/one" 2>&1) && fail "a folder with results was overwritten"
case $message in *"holds a finished run; --overwrite replaces it"*) ;; *) fail "unexpected message: $message" ;; esac
message=$("$quern" dock "$receptor" "$ligand" --rotations 700 --spacing 1.8 --fft fused --device host --quiet -o "$work/one" --resume 2>&1) &&
  fail "another run went on from the journal"
case $message in *"there rotations=$rotations"*) ;; *) fail "unexpected message: $message" ;; esac

# Files of others stay untouched, with --resume too: the user may have named the folder by mistake.
mkdir "$work/letters"
echo mine >"$work/letters/poses.csv"
message=$(dock -o "$work/letters" --resume 2>&1) && fail "a run was begun among files of others"
case $message in *"the output folder holds poses.csv, which is not of a run of quern dock"*) ;; *) fail "unexpected message: $message" ;; esac
[ "$(cat "$work/letters"/*)" = mine ] || fail "a file of others was written over: $(ls "$work/letters")"

# A disk that fills up: files may not grow past 16 KiB. Many rotations fill it with the journal, few with the models.
full() { # full NAME QUERN…
  local name=$1 message file
  shift
  message=$( (trap '' XFSZ; ulimit -f 16; "$@" -o "$work/$name") 2>&1) && fail "$name: a full disk went unnoticed"
  [ "$(printf '%s\n' "$message" | wc -l)" -eq 1 ] || fail "$name: more than one sentence: $message"
  for file in $(find "$work/$name" -type f); do
    case $(basename "$file") in journal.*|cluster_*.pdb|view.*) ;; *) fail "$file was left behind by a full disk" ;; esac
  done
}
full full-journal dock
full full-models "$quern" dock "$receptor" "$ligand" --rotations 100 "${common[@]}"
full full-single dock_one_set

[ $failures -eq 0 ]
