#!/usr/bin/env bash
# labels: threads@dock threads@screen threads@trajectory threads@reconstruct threads@movie threads@cluster threads@deform
# parts: dock screen trajectory reconstruct reconstruct-map project movie cluster distance potential tunnel transport cluster-large fsc deform
# check_situations.sh SOURCE QUERN BUILD [PROGRAM...]: every program that writes results behaves alike in the same
# situation: folders with other files, finished and unfinished runs, two runs at once, bad devices and inputs, kills,
# signals, several devices and processes, a full disk. Prints one line for each program and situation: "ok" or "FAILED".
# QUERN_TEST_QUICK=1 tries only the situations in which threads share data, QUERN_TEST_RANKS=1 only those of many
# processes.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2") build=$(cd "$3" && pwd)
. "$1/tests/support/script.sh"
. "$1/tests/support/inputs.sh"
export LC_ALL=C QUERN_TUNE=off
set -m # otherwise background processes ignore Ctrl-C

# The programs. Every run has several pieces, but as little work as possible. `command`: the command to run in the
# folder of the inputs. `target`: the output's name in its folder, "" if the output is the folder. `device`: the option for devices, "" if the program has none. `journal`: the journal of
# rank 0, "" if the program has none. `other`: an option that makes it another run; `differs`: how the journal's key
# names that option. `several`: "devices" and "ranks" if the program can use several. `appearing`: files, as a pattern, that
# are there when their piece is done, before the run is finished.
describe() {
  target='' device=host journal=journal.0 appearing='' other=(--seed 7) differs=seed= several="devices ranks"
  case $1 in
  dock)
    command=(dock receptor.pdb ligand.pdb --rotations 60 --spacing 4 --keep 10 --clusters 2 --fft own)
    other=(--rotations 30) differs=rotations= ;;
  screen)
    several=ranks
    command=(screen pocket.pdb library.sdf --rigid --score bude --box 15.2,53.9,16.9,4 --poses 64 --generations 1 --rounds 1 --keep 1) ;;
  screen-flexible)
    several=ranks
    command=(screen pocket.pdb library.sdf --box 15.2,53.9,16.9,4 --effort 0.02 --keep 1) ;;
  trajectory)
    command=(trajectory rdf water.tpr water.xtc --select 'name OW' --keep-overlaps) other=(--stride 2) differs=stride= ;;
  reconstruct)
    journal=unfinished/journal.0 other=(--symmetry C2) differs=symmetry=
    command=(reconstruct particles.star --checkpoint 1e-6 --batch 64) ;; # after each batch
  reconstruct-map)
    describe reconstruct
    target=map.mrc journal=map_unfinished/journal.0 ;;
  project)
    target=stack.mrcs journal='' several=''
    command=(project half1.mrc --views 3000) ;;
  movie)
    other=(--bin 2) differs=bin= appearing='m[0-9]*'
    command=(movie movies.star --dose 1.5 --gain gain.mrc --spectrum-size 64) ;;
  distance)
    target=matrix.npy journal=matrix_unfinished/journal.0 other=(--stride 2) differs=structures=
    command=(distance water.tpr water.xtc --select 'name OW and resid 1 to 90') ;;
  cluster)
    journal=unfinished/journal.0 other=(--clusters 3) differs=clusters=
    command=(cluster water.tpr water.xtc --select 'name OW and resid 1 to 50' --clusters 4) ;;
  potential)
    journal=unfinished/journal.0 other=(--smooth 0.3) differs=smooth=
    command=(potential pocket.pdbqt --npts 254x254x10 --spacing 0.25 --types C) ;; # two slabs
  tunnel)
    journal=unfinished/journal.0 device='' other=(--probe 1) differs=probe= several=ranks
    command=(tunnel shell.pdb --frames shell_frames.pdb --start 0,0,0) ;;
  transport)
    journal=unfinished/journal.0 device='' several=ranks
    command=(transport shell.pdb guests.sdf --tunnel way.dsd --direction in --effort 0.1 --poses 4 --rounds 1) ;;
  cluster-large)
    describe cluster
    command=(cluster water.tpr water.xtc --select 'name OW and resid 1 to 200' --measure rmsd --method gromos)
    command+=(--cutoff 15.4 --matrix none) other=(--cutoff 15) differs=cutoff= ;;
  deform)
    target=body.qcs journal=body_unfinished/journal.0 device='' several=ranks other=(--tolerance 1e-6) differs=tolerance=
    command=(deform space lobe.msh --material svk:10000,0.45 --fix tag:held --contact 'x>0.1' --step 0.005)
    command+=(--reach 0:0.005,-0.005:0.005,0:0.005 --checks 3) ;;
  fsc)
    journal='' several='' device=''
    command=(fsc half1.mrc half2.mrc --mask auto) ;;
  esac
}

# Folders good, changed, broken: the same file names with the normal inputs, with other inputs, and with bad inputs.
make_folders() {
  local folder
  mkdir good && cd good && make_inputs 2 && cd .. || exit 1
  for folder in changed broken; do mkdir $folder && ln -s "$work"/good/* $folder/ || exit 1; done
  change() { rm "$1/$2" && "${@:3}" "good/$2" >"$1/$2"; }
  change changed ligand.pdb sed '$d'
  change changed library.sdf sed '1,/^\$\$\$\$/d'
  change changed water.xtc cat good/water.xtc
  change changed particles.star sed '$d'
  change broken ligand.pdb sed '20s/^\(.\{30\}\).\{8\}/\1    here/'
  change changed pocket.pdbqt sed '$d'
  change broken pocket.pdbqt sed '20s/^\(.\{30\}\).\{8\}/\1    here/'
  change changed guests.sdf sed '1,/^\$\$\$\$/d'
  change broken guests.sdf head -c 0
  change changed shell_frames.pdb sed '1,/^ENDMDL/d'
  change broken shell_frames.pdb sed '20s/^\(.\{30\}\).\{8\}/\1    here/'
  change changed gain.mrc cat && printf '\0' | dd of=changed/gain.mrc bs=1 seek=9000 conv=notrunc status=none
  change broken gain.mrc head -c 2000
  change broken library.sdf head -c 0
  change broken water.xtc head -c 60
  change changed lobe.msh sed 's/^5 0.052500 /5 0.052501 /'
  change broken lobe.msh sed '/^\$Nodes/,/^\$EndNodes/s/^20 .*/20 0.01 here 0/'
  not_a_number() { change broken "$1" cat && printf '\0\0\xc0\x7f' | dd of="broken/$1" bs=1 seek=5000 conv=notrunc status=none; }
  not_a_number stack.mrcs
  not_a_number half1.mrc
}

# ---- a run and the files that it leaves ----

fail() { echo "  $program: $*"; failures=$((failures + 1)); }
now=$work/now
# programs create an output folder, but not the folder of an output file
fresh() { rm -rf "$now" && if [ -n "$target" ]; then mkdir "$now"; fi; }
from() { rm -rf "$now" && cp -r "$1" "$now"; } # from STATE: copy the folder `finished` or `unfinished`
inputs=good binary=$quern launcher=()
launch() { # launch OPTION...: replace this shell by the program
  cd "$work/$inputs" || exit 1
  exec "${launcher[@]}" "$binary" "${command[@]}" ${device:+--device "$device"} --threads 2 --quiet -o "$now/$target" "$@"
}
run() { (launch "$@"); }
listing() { (cd "$now" 2>/dev/null && find . -printf '%p %y %s\n' -type f -exec cksum {} + | sort); }
values() { od -An -v -t f4 -w4 -j 1024 "$1"; }
same_file() { # leave out times; compare maps within 1e-6, because their order of addition varies
  case $1 in
  *run.json | *report.html) [ -s "$2" ] ;;
  ./m[0-9]*.mrc) cmp -s "$1" "$2" ;; # micrographs have the same bits in every run
  *.mrc) paste <(values "$1") <(values "$2") | awk '{ d = $1 - $2; s += d * d; t += $1 * $1 } END { exit !(s <= 1e-12 * t) }' ;;
  *.mrcs) cmp -s <(tail -c +1025 "$1") <(tail -c +1025 "$2") ;;
  *) cmp -s "$1" "$2" ;;
  esac
}
results() { (cd "$1" && find . -type f ! -path '*journal.*' ! -path '*unfinished/*' | sort); }
same() { # same WHEN [OTHER_FILE]: the folder holds the results of the finished run, and OTHER_FILE
  local name
  for name in $(results finished); do same_file "finished/$name" "$now/$name" || fail "$1: $name differs"; done
  [ "$(results "$now" | grep -vxF "./${2:-}")" = "$(results finished)" ] || fail "$1: other files: $(comm -3 <(results "$now") <(results finished) | tr -s '\t\n' ' ')"
}
no_results() { # no_results WHEN: no file has a final name
  local name
  for name in $(results finished); do
    [ ! -e "$now/$name" ] || [[ -n $appearing && ${name#./} == $appearing ]] || fail "$1: left $name"
  done
}
nothing() { [ -z "$(ls -A "$now" 2>/dev/null)" ] || fail "$1: left $(ls -A "$now")"; }
no_folder() { if [ -z "$target" ] && [ -e "$now" ]; then fail "$1: left its folder"; fi; nothing "$1"; }
no_temporaries() { # no_temporaries WHEN
  local found
  found=$(find "$now/" -name '*.partial*' 2>/dev/null)
  [ -z "$found" ] || fail "$1: left $found"
}
sentence() { # sentence WHEN WORD...: standard error is one sentence that contains each WORD
  local word
  sed -i '/^warning: /d' message
  [ "$(grep -vc '^quern: go on with: ' message)" -eq 1 ] && [[ $(cat message) == "quern: "* ]] || fail "$1: not one sentence: $(head -n 5 message)"
  for word in "${@:2}"; do grep -qF -- "$word" message || fail "$1: lacks \"$word\": $(head -n 3 message)"; done
}
refused() { # refused WHEN WORD... -- OPTION...: exit code 1, one sentence, and an unchanged folder
  local when=$1 words=() before code
  shift
  while [ "$1" != -- ]; do words+=("$1"); shift; done
  before=$(listing)
  run "${@:2}" >output 2>message
  code=$?
  [ $code -eq 1 ] || fail "$when: exit code $code"
  sentence "$when" "${words[@]}"
  [ "$(listing)" = "$before" ] || fail "$when: the folder has changed: $(diff <(echo "$before") <(listing) | grep '^[<>]' | head -n 3)"
}
succeeds() { # succeeds WHEN OPTION...
  run "${@:2}" >output 2>message || fail "$1: $(head -n 3 message)"
}
begin() { # begin OPTION...: start a run in the background that stops itself (SIGSTOP) after its first record; sets $running
  local writes="4 /$journal" # the magic word, the key, and the head and the bytes of a record
  [ -n "$journal" ] || writes="2 .partial" # the head and the first values of an output
  # a shell in the background ignores SIGINT, and so would its programs
  launcher=(env --default-signal=INT LD_PRELOAD="$build/tests/signal_at_write.so"
    QUERN_TEST_SIGNAL="$(kill -l STOP) $writes" ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0")
  launch "$@" >output 2>message &
  running=$!
  launcher=()
  local since=$SECONDS
  while grep -q '^State:[[:space:]]*[^T[:space:]]' /proc/$running/task/*/status 2>/dev/null; do # every thread
    [ $((SECONDS - since)) -lt 120 ] || { fail "no stop at the first record in two minutes: $(states)"; finish KILL; return 1; }
    sleep 0.005
  done
  kill -0 $running 2>/dev/null || { fail "the run was over before its first record: $(head -n 3 message)"; return 1; }
}
states() { grep -Hs '^State:' /proc/$running/task/*/status | tr -s '\t\n' ' '; } # of the threads of the run
finish() { # finish SIGNAL: end the run that `begin` started; sets $code
  local since=$SECONDS
  kill "-$1" -$running
  kill -CONT -$running 2>/dev/null
  { while kill -0 $running && [ $((SECONDS - since)) -lt 120 ]; do sleep 0.005; done; } 2>/dev/null
  ! kill -0 $running 2>/dev/null || { fail "two minutes after $1 the run goes on: $(states)"; kill -KILL -$running; }
  { wait -f $running; } 2>/dev/null
  code=$?
}

# ---- the situations; each prepares the folder `now` itself ----

an_empty_folder() {
  fresh
  mkdir -p "$now"
  succeeds "an empty folder"
  same "an empty folder"
}
nothing_to_resume() {
  fresh
  succeeds "an absent folder" --resume
  grep -qF "holds nothing to resume; the run begins at its start" message || fail "no warning: $(head -n 3 message)"
  same "an absent folder"
}
files_of_others() {
  local name=notes.txt flag
  fresh
  mkdir -p "$now"
  echo "not a result" >"$now/${target:-$name}"
  echo "not a result" >"$now/$name" # does not matter if the output is a file
  for flag in '' $resume; do refused "files of others $flag" "$now" "${target:-$name}" -- $flag; done
  if [ -z "$target" ]; then
    refused "files of others --overwrite" "$now" "$name" -- --overwrite
    printf '{"program": "evaluate", "files": ["notes.txt"]}\n' >"$now/run.json"
    refused "another program's run" "$now" -- --overwrite
  else
    succeeds "an output file --overwrite" --overwrite
    same "an output file --overwrite" $name
  fi
}
a_finished_run() {
  from finished
  refused "a finished run" "$now" --overwrite --
}
a_finished_run_overwritten() {
  local old=${target%.*}${target:+_}old.csv
  from finished
  echo "of the user" >"$now/notes.txt"
  echo "of the old run" >"$now/$old"
  sed -i 's/"files": *\[/&"'$old'", /' "$now"/*run.json
  grep -q "$old" "$now"/*run.json || fail "run.json does not list the files of a run"
  succeeds "a finished run --overwrite" --overwrite
  same "a finished run --overwrite" notes.txt
}
a_finished_run_resumed() {
  from finished
  succeeds "a finished run --resume" --resume
  same "a finished run --resume"
}
# Files that killed processes left beside the results; those of living processes, of other files and folders stay.
leftovers_of_killed_runs() {
  local result mine dead kept
  from finished
  mine=$(basename "$(find "$now" -maxdepth 1 -type f ! -name '*.json' ! -name '*journal*' | sort | head -n 1)")
  dead=$(bash -c 'echo $$')
  for result in $(results finished); do echo half >"$now/$result.partial.$dead"; done
  kept="$mine.partial.$$ $mine.partial.x notes.txt.partial.$dead"
  for result in $kept; do echo "of others" >"$now/$result"; done
  succeeds "leftovers of killed runs" --resume
  [ "$(cd "$now" && find . -name '*.partial*' | sort)" = "$(printf './%s\n' $kept | sort)" ] ||
    fail "leftovers of killed runs: there are $(cd "$now" && find . -name '*.partial*' | sort | tr '\n' ' ')"
}
a_finished_run_resumed_otherwise() {
  from finished
  refused "a finished run --resume ${other[*]}" "$differs" -- --resume "${other[@]}"
}
a_bad_device() {
  fresh
  refused "a bad device" cuda -- --device cuda:77
  no_folder "a bad device"
}
a_broken_input() {
  inputs=broken
  fresh
  refused "a broken input" --
  no_folder "a broken input"
}
a_killed_run() { # makes the folder `unfinished`
  fresh
  begin || return
  finish KILL
  no_results "a kill"
  cp -r "$now" unfinished
  succeeds "--resume after a kill" --resume
  same "--resume after a kill"
  no_temporaries "--resume after a kill"
}
an_unfinished_run() {
  from unfinished
  refused "an unfinished run" "$now" --resume --overwrite --
}
an_unfinished_run_resumed_otherwise() {
  from unfinished
  refused "an unfinished run --resume ${other[*]}" "$differs" -- --resume "${other[@]}"
  inputs=changed
  refused "an unfinished run --resume with another input" = -- --resume
}
an_unfinished_run_of_another_version() {
  from unfinished
  inputs=good binary=$work/quern
  sed "s/$version/9.9.9/g" "$quern" >"$binary" && chmod +x "$binary"
  if "$binary" --version | grep -q 9.9.9; then
    refused "another version --resume" version= 9.9.9 -- --resume
  else
    echo "  $program: the command holds no version that can be changed"
  fi
}
an_unfinished_run_overwritten() {
  from unfinished
  succeeds "an unfinished run --overwrite" --overwrite "${other[@]}"
  refused "an unfinished run that was overwritten" "$differs" -- --resume
}
two_runs_at_once() {
  local flag
  fresh
  begin || return
  for flag in '' $resume --overwrite; do refused "in use $flag" "in use by another run" -- $flag; done
  finish KILL
}
a_signal() {
  local signal
  for signal in TERM INT; do
    fresh
    begin || return
    finish $signal
    [ $code -eq $((128 + $(kill -l $signal))) ] || fail "$signal: exit code $code"
    sentence $signal stopped
    no_results $signal
    no_temporaries $signal
    if [ -n "$journal" ]; then
      grep -q '^quern: go on with: .* --resume' message || fail "$signal: no advice how to go on: $(cat message)"
    else
      nothing $signal
    fi
  done
  [ -n "$journal" ] || return
  succeeds "--resume after a signal" --resume
  same "--resume after a signal"
}
two_devices() {
  device=host,checking:host
  fresh
  succeeds "two devices"
  same "two devices"
}
two_processes() {
  fresh
  launcher=("${mpirun[@]}" -n 2)
  succeeds "two processes"
  same "two processes"
}
a_killed_process() {
  local attempt
  # The second rank dies once its journal has a record.
  cat >killed.sh <<'END'
journal=$1
shift
[ "$OMPI_COMM_WORLD_RANK" = 1 ] || exec "$@"
"$@" & running=$!
while kill -0 $running 2>/dev/null && [ ! -s "$journal" ]; do sleep 0.01; done
kill -KILL $running
wait $running
END
  launcher=("${mpirun[@]}" -n 3 bash "$work/killed.sh" "$now/${journal%.0}.1")
  # The signal may come after the process has done its part; then the results are whole, and the run is made again.
  for attempt in 1 2 3 4 5; do
    fresh
    run >output 2>message && fail "a killed process: exit code 0"
    [ -z "$(comm -23 <(results finished) <(results "$now"))" ] || break
    same "a signal after the last step"
  done
  # no sentence at all if the launcher ends a process that waits for the others
  [ "$(grep -E '^(quern|warning): ' message | grep -vc '^quern: go on with: ')" -le 1 ] || fail "not one sentence: $(grep -E '^(quern|warning): ' message)"
  no_results "a killed process"
  launcher=()
  succeeds "--resume after a process was killed" --resume
  same "--resume after a process was killed"
}
eight_processes() {
  fresh
  launcher=("${mpirun[@]}" -n 8)
  succeeds "eight processes"
  same "eight processes"
}
at_write() { # at_write NUMBER: what QUERN_TEST_SIGNAL describes happens to the second of two processes at its first record
  cat >at_write.sh <<'END'
[ "$OMPI_COMM_WORLD_RANK" = 1 ] || exec "$@"
echo $$ >"$PLACE"
export LD_PRELOAD=$LIBRARY
exec "$@"
END
  rm -f place
  launcher=(env PLACE="$work/place" LIBRARY="$build/tests/signal_at_write.so" QUERN_TEST_SIGNAL="$1 /${journal%.0}.1"
    ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" "${mpirun[@]}" -n 2 bash "$work/at_write.sh")
}
is_stopped() { grep -q '^State:[[:space:]]*T' "/proc/$1/status" 2>/dev/null; }
a_full_disk_of_a_process() {
  local attempt failed=''
  # The first process may be so fast that the second gets nothing to record.
  for attempt in 1 2 3 4 5; do
    fresh
    at_write "-28 3"
    run >output 2>message || { failed=1 && break; }
    same "a full disk of a process that recorded nothing"
  done
  [ -n "$failed" ] || { echo "  $program: the second process recorded nothing in five runs" && return; }
  [ "$(grep -c '^quern: .*journal.1.*No space left on device' message)" -eq 1 ] || fail "a full disk of a process: $(grep '^quern' message)"
  [ "$(grep '^quern: ' message | grep -vc '^quern: go on with: ')" -eq 1 ] || fail "not one sentence: $(grep '^quern' message)"
  no_results "a full disk of a process"
  no_temporaries "a full disk of a process"
  launcher=()
  succeeds "--resume after a full disk of a process" --resume
  same "--resume after a full disk of a process"
}
begin_stopped() { # start a run whose second process stops itself at its first record; sets $running and $slow, fails if it did not
  local attempt
  for attempt in 1 2 3 4 5; do
    fresh
    at_write "$(kill -l STOP) 4"
    launch >output 2>message &
    running=$! slow=''
    while kill -0 $running 2>/dev/null; do
      [ ! -s place ] || slow=$(cat place)
      [ -z "$slow" ] || ! is_stopped "$slow" || return 0
      sleep 0.01
    done
    { wait $running; } 2>/dev/null
  done
  echo "  $program: the second process recorded nothing in five runs"
  return 1
}
a_slow_process() { # others go on; the run ends once the slow process does
  begin_stopped || return 0
  sleep 1
  no_results "a slow process"
  while kill -CONT "$slow" 2>/dev/null; do sleep 0.05; done # again, lest it stopped only after the first
  { wait -f $running; } 2>/dev/null || fail "a slow process: exit code $?"
  same "a slow process"
}
a_process_that_hangs() { # a warning names it, and the run can be stopped and resumed
  begin_stopped || return 0
  for _ in $(seq 400); do # the warning comes after 20 s
    ! grep -q '^warning: waited' message || break
    sleep 0.1
  done
  grep -q "^warning: waited 20 s for process 1 on $(uname -n), of 2 processes; .*--resume" message || fail "a process that hangs: no warning: $(head -n 3 message)"
  kill -KILL "$slow"
  { wait -f $running; } 2>/dev/null && fail "a process that hangs: exit code 0"
  no_results "a process that hangs"
  launcher=()
  succeeds "--resume after a process that hung" --resume
  same "--resume after a process that hung"
}
a_full_disk() { # ulimit -f limits files to some KiB
  local kib code name failed=''
  for kib in 1 4 16 64; do
    fresh
    (ulimit -f $kib && launch) >output 2>message
    code=$?
    [ $code -ne 0 ] || { same "a disk of $kib KiB"; continue; }
    failed=$kib
    [ $code -eq 1 ] || fail "a disk of $kib KiB: exit code $code"
    sentence "a disk of $kib KiB" "$now/"
    for name in $(results finished); do
      [ ! -e "$now/$name" ] || same_file "finished/$name" "$now/$name" || fail "a disk of $kib KiB: half of $name"
    done
    no_temporaries "a disk of $kib KiB"
  done
  [ -n "$failed" ] || fail "every file is too small for this test"
}

# ---- all programs and situations ----

situations() { # list the situations that apply to $program
  if [ -n "${QUERN_TEST_QUICK:-}" ]; then # under sanitizers only situations in which threads share data
    [ "$program" = fsc ] || echo a_signal
    [[ $several != *devices* ]] || echo two_devices
    return
  fi
  if [ -n "${QUERN_TEST_RANKS:-}" ]; then
    echo eight_processes a_full_disk_of_a_process a_slow_process
    [[ $program != @(dock|reconstruct|deform) ]] || echo a_process_that_hangs
    return
  fi
  echo an_empty_folder files_of_others a_finished_run a_finished_run_overwritten a_broken_input a_full_disk
  [ -z "$device" ] || echo a_bad_device
  [ "$program" = fsc ] || echo a_signal # fsc ends before a signal can reach it
  [ -z "$journal" ] || echo nothing_to_resume a_finished_run_resumed leftovers_of_killed_runs a_finished_run_resumed_otherwise a_killed_run an_unfinished_run \
    an_unfinished_run_resumed_otherwise an_unfinished_run_of_another_version an_unfinished_run_overwritten two_runs_at_once
  [[ $several != *devices* ]] || echo two_devices
  [[ $several != *ranks* ]] || [ -z "$with_ranks" ] || echo two_processes a_killed_process
}
with_ranks=
! use_mpi "$build" || with_ranks=1
cd "$work" || exit 1
(make_folders) || { echo "FAILED: making the inputs"; exit 1; }
version=$("$quern" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)
bad=0
programs=("${@:4}")
[ ${#programs[@]} -gt 0 ] || read -ra programs < <(sed -n 's/^# parts: //p' "$source/tests/job/check_situations.sh")
for program in "${programs[@]}"; do
  describe "$program"
  resume=${journal:+--resume}
  rm -rf finished unfinished
  fresh
  succeeds "a first run"
  mv "$now" finished || exit 1
  for situation in $(situations); do
    failures=0 started=$SECONDS
    describe "$program"
    inputs=good binary=$quern launcher=()
    $situation
    if [ $failures -eq 0 ]; then verdict=ok; else verdict=FAILED; bad=$((bad + 1)); fi
    printf '%-6s  %-15s  %s  (%d s)\n' $verdict "$program" "${situation//_/ }" $((SECONDS - started))
  done
done
echo "$bad failed"
[ $bad -eq 0 ]
