#!/usr/bin/env bash
# labels: long unsanitized
# check_hostile.sh SOURCE QUERN BUILD [COMMAND...]: every command reads every input from hostile files, and writes to
# hostile outputs. One verdict for all: the command ends soon, with exit code 1 or 2 and one sentence, and leaves neither
# an output nor a changed input; where a file can be used after all, it ends with 0 and without a sentence. Prints one
# line for each command.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$source/tests/support/script.sh"
. "$source/tests/support/inputs.sh"
export LC_ALL=C QUERN_TUNE=off QUERN_LOAD=0 # a busy machine is warned of
limit_s=200                 # a command that takes longer hangs; a busy machine is slow
memory_kib=$((12 << 20)) # address space: inputs here need much less
programs=("${@:4}")
[ ${#programs[@]} -gt 0 ] || programs=(dock screen pack deck rdf plan convert reconstruct fsc project potential tunnel transport evaluate tune simulate import)

# The commands: `command` with the names of inputs in the current folder, `inputs` that are replaced one by one,
# `output`: what the command writes, "" if nothing; `option` names the output.
describe() {
  local quick=(--device host --threads 2 --quiet)
  option=-o output=out
  case $1 in
  dock) command=(dock receptor.pdb ligand.pdb --rotations 10 --spacing 2.5 --fft own --clusters 1 "${quick[@]}") inputs=(receptor.pdb ligand.pdb) ;;
  screen)
    command=(screen pocket.pdb library.sdf --rigid --score bude --box 15.2,53.9,16.9,4 --poses 64 --generations 2 "${quick[@]}")
    inputs=(pocket.pdb library.sdf) ;;
  pack) command=(screen pack library.sdf --quiet) inputs=(library.sdf) output=out.qlib ;;
  deck) command=(screen deck deck --device host --quiet) inputs=(deck) output='' ;;
  rdf) command=(trajectory rdf water.tpr water.xtc --select 'name OW' "${quick[@]}") inputs=(water.tpr water.xtc) ;;
  plan) command=(trajectory run plan.yaml "${quick[@]}") inputs=(plan.yaml) ;;
  convert) command=(trajectory convert water.xtc --quiet) inputs=(water.xtc) output=out.xtc ;;
  reconstruct) command=(reconstruct particles.star "${quick[@]}") inputs=(particles.star stack.mrcs) output=out.mrc ;;
  fsc) command=(fsc half1.mrc half2.mrc --quiet) inputs=(half1.mrc half2.mrc) ;;
  project) command=(project half1.mrc --views 10 "${quick[@]}") inputs=(half1.mrc) output=out.mrcs ;;
  potential)
    command=(potential pocket.pdbqt --gpf run.gpf "${quick[@]}") inputs=(pocket.pdbqt run.gpf types.dat) ;;
  tunnel) command=(tunnel shell.pdb --frames shell_frames.pdb --start 0,0,0 --quiet) inputs=(shell.pdb shell_frames.pdb) ;;
  transport)
    command=(transport shell.pdb guests.sdf --tunnel way.dsd --direction in --effort 0.1 --poses 4 --rounds 1 --quiet)
    inputs=(shell.pdb guests.sdf way.dsd) ;;
  evaluate)
    command=(evaluate model.pdb --reference receptor.pdb ligand.pdb --receptor-chains A --ligand-chains B)
    inputs=(model.pdb receptor.pdb ligand.pdb) output=out.csv option=--csv ;;
  tune) command=(tune run row_sums.json --device opencl:0 --store off --quiet -n 2) inputs=(row_sums.json row_sums.cl) output=out.csv option=--csv ;;
  simulate) command=(tune simulate space.json --searcher random --repeats 2) inputs=(space.json) output=out.csv option=--csv ;;
  import) command=(tune import gemm results.json --device host --store store.db) inputs=(results.json) output='' ;;
  esac
}

make_good() {
  make_inputs 1 || return
  printf 'topology: water.tpr\ntrajectory: water.xtc\nqueries:\n  - volume\n' >plan.yaml
  { grep '^ATOM' receptor.pdb | cut -c1-21 | paste -d '' - <(grep '^ATOM' receptor.pdb | sed 's/^.\{21\}./A/'); } >model.pdb
  { grep '^ATOM' ligand.pdb | cut -c1-21 | paste -d '' - <(grep '^ATOM' ligand.pdb | sed 's/^.\{21\}./B/'); } >>model.pdb
  cp "$source/examples/tune_your_kernel"/row_sums.cl .
  sed 's/range(0, 9)/range(5, 7)/; s/\[1, 2, 4, 8, 16\]/[1]/' "$source/examples/tune_your_kernel/row_sums.json" >row_sums.json # few
  cp "$source/tests/data/tune/small_t4.json" space.json
  cp space.json results.json
  mkdir deck
  printf 'atom_par Si 4.10 0.200 35.8235 -0.00143 0.0 0.0 0 -1 -1 6\n' >types.dat
  printf '%s\n' 'parameter_file types.dat' 'npts 20 20 20' 'gridfld pocket.maps.fld' 'receptor pocket.pdbqt' \
    'ligand_types C OA' 'map pocket.C.map' 'map pocket.OA.map' 'elecmap pocket.e.map' 'dsolvmap pocket.d.map' \
    'gridcenter auto' >run.gpf
}

# ---- hostile inputs ----

# be_hostile KIND FILE GOOD: put the hostile FILE of a KIND; GOOD is the good one.
kinds=(absent empty folder random zeros text line half cut_gzip broken_gzip bomb endless null loop silent_pipe)
be_hostile() {
  case $1 in
  absent) ;;
  empty) : >"$2" ;;
  folder) mkdir "$2" ;;
  random) head -c 20000 "$work/random" >"$2" ;;
  zeros) head -c 1000000 /dev/zero >"$2" ;;
  text) printf 'Dear diary,\n\ntoday I was a file.\n' >"$2" ;;
  line) tr '\0' A </dev/zero | head -c 30000000 >"$2" ;;
  half) head -c $(($(stat -Lc %s "$3") / 2)) "$3" >"$2" ;;
  cut_gzip) gzip -c "$3" | head -c $(($(gzip -c "$3" | wc -c) / 2)) >"$2" ;;
  broken_gzip) { printf '\037\213\010\0\0\0\0\0\0\3'; head -c 20000 "$work/random"; } >"$2" ;;
  bomb) ln -s "$work/bomb.gz" "$2" ;;
  endless) ln -s /dev/zero "$2" ;;
  null) ln -s /dev/null "$2" ;;
  loop) ln -s "$(basename "$2")" "$2" ;;
  silent_pipe) mkfifo "$2" ;;
  esac
}

run() { # run ARGUMENT...: sets $code
  (ulimit -v $memory_kib && exec timeout -k 5 $limit_s "$quern" "$@") >"$work/stdout" 2>"$work/stderr" </dev/null
  code=$?
}
wrong() { fail "$program: $case_name: $*: $(tail -n 2 "$work/stderr" | cut -c1-300)"; }
sentences() { grep -c '^quern: ' "$work/stderr"; }
refuses() { # the verdict for a command that must fail
  [ $code -eq 1 ] || [ $code -eq 2 ] || { wrong "exit code $code"; return; }
  [ "$(grep -v '^warning: ' "$work/stderr" | wc -l)" -eq 1 ] && [ "$(sentences)" -eq 1 ] || wrong "not one sentence"
  ! grep -qiE 'out of memory|bug in quern' "$work/stderr" || wrong "a wrong reason"
}
# A screen without a usable molecule keeps rejected.csv, which says why; a run that was cut short says what it kept.
leaves_nothing() {
  [ "$program" != screen ] || [[ $case_name != library.sdf* ]] || return
  ! grep -q "$output has the results" "$work/stderr" || return
  [ -z "$output" ] || { [ ! -e $output ] && [ ! -L $output ]; } || wrong "left $output"
  [ -z "$(find . -name '*.partial*' -o -name '*unfinished*')" ] || wrong "left $(find . -name '*.partial*' -o -name '*unfinished*')"
}
fresh() { # a folder with links to the good inputs
  cd "$work" && rm -rf now && mkdir now && cd now && ln -s ../good/* .
}

hostile_inputs() {
  local input kind
  for input in "${inputs[@]}"; do
    for kind in "${kinds[@]}"; do
      [ -d "../good/$input" ] && [[ $kind == half || $kind == *gzip || $kind == folder ]] && continue
      # 4 GiB take their time: one input for each way of reading gzipped files
      [ "$kind" != bomb ] || [[ " dock:receptor.pdb rdf:water.tpr pack:library.sdf " == *" $program:$input "* ]] || continue
      case_name="$input is ${kind//_/ }"
      fresh
      rm "$input"
      be_hostile "$kind" "$input" "../good/$input"
      if [ "$kind" = silent_pipe ]; then
        silent
        continue
      fi
      run "${command[@]}" ${output:+$option $output}
      # half of a file may still be a shorter file of the kind
      if [ "$kind" = half ] && [ $code -eq 0 ]; then [ "$(sentences)" -eq 0 ] || wrong "succeeds with a sentence"; else
        refuses
        leaves_nothing
      fi
    done
  done
}

# A pipe that nobody writes: the command waits, and SIGINT ends it.
silent() {
  timeout -s INT -k 10 1 "$quern" "${command[@]}" ${output:+$option $output} >"$work/stdout" 2>"$work/stderr" </dev/null
  code=$?
  [ $code -eq 124 ] || { refuses; return; } # 124: ended by the signal, in time
  leaves_nothing
}

# ---- hostile outputs ----

hostile_outputs() {
  [ -n "$output" ] || return
  fresh
  case_name="the output's folder is a file"
  : >file
  run "${command[@]}" $option file/$output
  refuses
  [ ! -s file ] || wrong "wrote into the file above it"

  case_name="the disk is full"
  if [[ $output == *.* ]]; then
    fresh
    ln -s /dev/full $output
    run "${command[@]}" $option $output
    refuses
    [ -c /dev/full ] && [ -L $output ] || wrong "replaced a device"
  fi

  local input sum
  for input in "${inputs[@]}"; do
    [ -f "../good/$input" ] || continue
    case_name="the output is $input"
    fresh
    sum=$(cksum <"../good/$input")
    rm "$input" && cp "../good/$input" "$input"
    ln "$input" again.${output##*.} # another name of the same file
    for name in "$input" again.${output##*.}; do
      run "${command[@]}" $option "$name"
      refuses
      [ "$(cksum <"$input")" = "$sum" ] || { wrong "the input was changed"; cp "../good/$input" "$input"; }
    done
  done
}

cd "$work" || exit 1
mkdir good && (cd good && make_good) || { echo "FAILED: making the inputs"; exit 1; }
awk 'BEGIN { srand(1); for (i = 0; i < 20000; i++) printf "%c", int(rand() * 256) }' >random
head -c 100000000 /dev/zero | gzip -1 >part.gz
for _ in {1..45}; do cat part.gz; done >bomb.gz # unpacks to more than what is read whole
for program in "${programs[@]}"; do
  if [ "$program" = tune ] && ! "$quern" devices 2>/dev/null | grep -q '^ *opencl:0'; then
    echo "without an OpenCL device: $program"
    continue
  fi
  describe "$program"
  before=$failures
  fresh
  case_name="good inputs"
  if [ "$program" != deck ] && [ "$program" != import ]; then
    run "${command[@]}" ${output:+$option $output}
    [ $code -eq 0 ] || wrong "exit code $code"
  fi
  hostile_inputs
  hostile_outputs
  if [ $failures -eq "$before" ]; then echo "ok      $program"; else echo "FAILED  $program"; fi
done
[ $failures -eq 0 ]
