#!/usr/bin/env bash
# labels: unsanitized
# check_runs.sh SOURCE QUERN BUILD: whole reconstructions from the command line. The map equals the projected volume;
# runs agree within 1e-6 (deterministic ones to the bit) for any number of threads and ranks, stored types, and after
# kills. A kill before the end leaves no map. QUERN_TEST_IMAGES: number of images of the runs that are killed (default 20000).
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2") build=$(cd "$3" && pwd)
"$quern" reconstruct -h >/dev/null 2>&1 || { echo "this build has no reconstruct command"; exit 77; }
. "$1/tests/support/script.sh"
cd "$work" || exit 1
export LC_ALL=C # for tools that handle bytes
images=${QUERN_TEST_IMAGES:-20000}

mkdir set short
bash "$source/tests/reconstruct/make_particles.sh" set 240 32
bash "$source/tests/reconstruct/make_particles.sh" short 240 32 1
# star STACK TIMES [COLUMNS VALUES]: RELION 3.1 of all images, TIMES over; VALUES: an awk expression of n, the row from 0
star() {
  printf 'data_optics\nloop_\n_rlnOpticsGroup\n_rlnImagePixelSize\n1 2.0\n\ndata_particles\nloop_\n_rlnImageName\n_rlnOpticsGroup\n'
  printf '_rlnAngleRot\n_rlnAngleTilt\n_rlnAnglePsi\n_rlnOriginXAngst\n_rlnOriginYAngst\n%b' "${3:-}"
  for ((i = 0; i < $2; i++)); do cat set/rows; done | awk -v stack="$1" '{ n = NR - 1
    printf "%06d@%s 1 %s %s\n", n % 240 + 1, stack, $0, '"${4:-\"\"}"' }'
  echo
}
star set/stack.mrcs 1 >set.star
options=(--device host --tune off --quiet)
reconstruct() { "$quern" reconstruct "${options[@]}" "$@"; }
values() { od -An -v -t f4 -w4 -j 1024 "$1"; }
difference() { # norm of the difference of two maps, relative to the norm of the first
  paste <(values "$1") <(values "$2") | awk '{ d = $1 - $2; s += d * d; t += $1 * $1 } END { printf "%.3e", t > 0 ? sqrt(s / t) : 9 }'
}
within() { # within NAME LIMIT A B
  local found
  found=$(difference "$3" "$4")
  awk -v found="$found" -v limit="$2" 'BEGIN { exit !(found <= limit) }' || fail "$1: $3 and $4 differ by $found, expected at most $2"
}
same_values() { cmp <(tail -c +1025 "$2") <(tail -c +1025 "$3") || fail "$1: the values differ"; }

# The map equals the projected volume: a Gaussian of sigma 1.5 pixels at each blob.
reconstruct set.star -o map.mrc --threads 2 || fail "a run"
cat set/blobs <(values map.mrc) | awk 'NF == 4 { x[n] = $1; y[n] = $2; z[n] = $3; height[n++] = $4; next }
  { i = v % 32 - 16; j = int(v / 32) % 32 - 16; k = int(v / 1024) - 16; truth = 0; v++
    for (b = 0; b < n; b++) truth += height[b] * exp(-((i - x[b]) ^ 2 + (j - y[b]) ^ 2 + (k - z[b]) ^ 2) / 4.5)
    # a projected Gaussian has the same width and sqrt(2 pi) sigma = 3.76 times the height
    st += truth; sm += $1; tt += truth ^ 2; mm += $1 ^ 2; tm += truth * $1 }
  END { cc = (tm - st * sm / v) / sqrt((tt - st ^ 2 / v) * (mm - sm ^ 2 / v)); scale = tm / tt * 3.76
    printf "correlation with what was projected %.5f, scale %.4f\n", cc, scale
    exit !(v == 32768 && cc > 0.995 && scale > 0.97 && scale < 1.03) }' || fail "the map differs from the projected volume"
for file in map_run.json map_report.html; do [ -s "$file" ] || fail "$file is missing"; done

# The same again; with other numbers of threads; deterministic.
reconstruct set.star -o again.mrc --threads 1 || fail "a run on one thread"
within "two runs" 1e-6 map.mrc again.mrc
for threads in 1 2 3; do
  reconstruct set.star -o "bits$threads.mrc" --deterministic --threads $threads || fail "a deterministic run on $threads threads"
  same_values "$threads threads" bits1.mrc "bits$threads.mrc"
done
within "a deterministic run" 1e-6 map.mrc bits1.mrc
reconstruct set.star -o batch.mrc --batch 7 || fail "seven images a batch"
within "seven images a batch" 1e-6 map.mrc batch.mrc
for device in checking:host opencl:0; do
  "$quern" devices 2>/dev/null | grep -q '^ *opencl:0' || [ $device != opencl:0 ] || continue
  rm -f device* hundred*
  "$quern" reconstruct set.star -o device.mrc --device $device --tune off --quiet --particles 1-100 || fail "$device"
  reconstruct set.star -o hundred.mrc --particles 1-100 || fail "a hundred particles"
  within "$device" 1e-5 hundred.mrc device.mrc
done

# The same particles in other forms: 16-bit numbers, many stacks, from another folder, mirrored by Xmipp.
star short/stack.mrcs 1 >short.star
reconstruct short.star -o short.mrc || fail "16-bit numbers"
values short.mrc >short.values
paste <(values map.mrc) short.values | awk '{ d = 10000 * $1 - $2; s += d * d; t += $2 * $2 } END { exit !(sqrt(s / t) < 1e-3) }' ||
  fail "16-bit numbers give a different map"
mkdir -p project/stacks
for ((i = 0; i < 120; i++)); do # two images each
  { head -c 8 set/stack.mrcs; printf '\x02\x00\x00\x00'; head -c 1024 set/stack.mrcs | tail -c +13
    tail -c +$((1025 + 8192 * i)) set/stack.mrcs | head -c 8192; } >"project/stacks/$i.mrcs"
done
awk '/@/ { i = n++; sub(/^[^ ]*/, sprintf("%d@stacks/%d.mrcs", i % 2 + 1, int(i / 2))) } { print }' set.star >project/set.star
reconstruct project/set.star -o stacks.mrc --deterministic || fail "many stacks"
same_values "many stacks" bits1.mrc stacks.mrc
{ head -c 1024 set/stack.mrcs # x becomes 32 - x; pixel 0 stays
  od -An -v -t x1 -w128 -j 1024 set/stack.mrcs | awk '{ line = $1 $2 $3 $4
    for (i = 31; i > 0; i--) line = line $(4 * i + 1) $(4 * i + 2) $(4 * i + 3) $(4 * i + 4)
    gsub(/../, "\\x&", line); print line }' | while IFS= read -r line; do printf '%b' "$line"; done; } >mirrored.mrcs
{ printf '# XMIPP_STAR_1 *\ndata_noname\nloop_\n _image\n _angleRot\n _angleTilt\n _anglePsi\n _shiftX\n _shiftY\n _flip\n'
  awk '{ printf "%06d@mirrored.mrcs %s %s %s %.6f %.6f 1\n", NR, $1, $2, $3, $4 / 2, $5 / 2 }' set/rows; } >set.xmd
reconstruct set.xmd -o flipped.mrc --deterministic || fail "flipped images"
within "flipped images" 1e-6 bits1.mrc flipped.mrc

# Halves by subset are the maps of the subsets; without subsets they are split by the seed; together they are the map.
star set/stack.mrcs 1 '_rlnRandomSubset\n' '1 + int(n / 2) % 2' >subsets.star
reconstruct subsets.star --halves -o halves/ || fail "halves"
for half in 1 2; do
  reconstruct subsets.star --subset $half -o "subset$half.mrc" || fail "subset $half"
  within "half $half" 1e-6 "halves/half$half.mrc" "subset$half.mrc"
done
within "the map of both halves" 1e-6 map.mrc halves/map.mrc
for file in fsc.csv fsc.star report.html run.json; do [ -s "halves/$file" ] || fail "halves/$file is missing"; done
# With RELION's names half maps are the same files, in a folder and beside a map; quern fsc finds them, and a finished run
# is read back.
reconstruct subsets.star --halves --relion-names -o named/ --deterministic || fail "names of RELION"
reconstruct subsets.star --halves --relion-names -o run.mrc --deterministic || fail "names of RELION beside a map"
for half in 1 2; do
  within "half $half by RELION's name" 1e-6 "halves/half$half.mrc" "named/run_half${half}_class001_unfil.mrc"
  cmp -s "named/run_half${half}_class001_unfil.mrc" "run_half${half}_class001_unfil.mrc" || fail "half $half beside a map"
done
[ ! -e named/half1.mrc ] || fail "names of RELION: half1.mrc is there as well"
"$quern" fsc named >fsc_named 2>&1 && grep -q '^FSC 0.143' fsc_named || fail "quern fsc named: $(cat fsc_named)"
reconstruct subsets.star --halves --relion-names -o named/ --deterministic --resume || fail "names of RELION: a finished run"
reconstruct subsets.star --halves -o named/ --deterministic --resume 2>/dev/null && fail "a run with other names was resumed"
reconstruct subsets.star --relion-names -o nameless/ 2>/dev/null && fail "--relion-names without --halves"
for seed in 1 1 2; do
  [ ! -d split ] || { rm -rf "split.before"; mv split split.before; }
  reconstruct set.star --halves --seed $seed -o split/ || fail "a split by seed $seed"
  [ $seed = 2 ] || [ ! -d split.before ] || within "the same split" 1e-6 split/half1.mrc split.before/half1.mrc
done
cmp -s split/half1.mrc split.before/half1.mrc && fail "two seeds make the same halves"
within "the map of split halves" 1e-6 map.mrc split/map.mrc

# Ranks share the images.
reconstruct_ranks() { ranks "$1" "$quern" reconstruct "${@:2}" "${options[@]}"; }
with_ranks=
if use_mpi "$build"; then
  with_ranks=1
  for count in 2 3; do
    reconstruct_ranks $count subsets.star --halves -o "ranks$count/" --threads 1 --batch 16 >log 2>&1 || { fail "$count ranks"; tail -n 5 log; }
    for name in map half1 half2; do within "$count ranks" 1e-6 "halves/$name.mrc" "ranks$count/$name.mrc"; done
  done
  # Three devices on two ranks: batches may not depend on the number of devices of a rank.
  if "$quern" devices | grep -q '^opencl:0'; then
    for how in "" --deterministic; do
      ranks 2 "$quern" reconstruct set.star -o "unequal$how.mrc" $how \
        --device host,opencl:0,checking:host --threads 1 --tune off --quiet >log 2>&1 || { fail "unequal ranks $how"; tail -n 5 log; }
      within "unequal ranks $how" 1e-6 map.mrc "unequal$how.mrc"
    done
  fi
fi

# Several kills, each after one more sum was saved; no map exists before the run is over. The last run completes.
star set/stack.mrcs $((images / 240)) >long.star
long=(long.star --batch 64 --checkpoint 0.0001 --threads 2)
started=$(date +%s.%N)
reconstruct "${long[@]}" -o long.mrc || fail "a long run"
echo "$images images in $(awk -v a="$started" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }') s"
recorded() { stat -c %s "$1_unfinished/journal.0" 2>/dev/null || echo 0; }
kills=0
while [ $kills -lt 6 ]; do
  before=$(recorded killed)
  "$quern" reconstruct "${long[@]}" "${options[@]}" -o killed.mrc --resume 2>>log &
  running=$!
  while kill -0 $running 2>/dev/null && [ "$(recorded killed)" -le $((before + 3000)) ]; do sleep 0.01; done
  { kill -KILL $running; wait $running; } 2>/dev/null
  [ $? -eq 137 ] && [ ! -e killed.mrc ] || break # with a map, the run had no more to do than to write its other files
  kills=$((kills + 1))
  for file in killed_report.html killed_run.json; do [ ! -e $file ] || fail "$file exists after a kill"; done
done
echo "killed $kills times"
[ $kills -gt 0 ] || fail "the run was over before it could be killed once"
if [ -e killed_unfinished ]; then
  message=$(reconstruct "${long[@]}" -o killed.mrc 2>&1) && fail "an unfinished run was started again from the beginning"
  case $message in *"killed.mrc: holds an unfinished run; --resume goes on with it"*) ;; *) fail "an unfinished run: $message" ;; esac
  message=$(reconstruct "${long[@]}" -o killed.mrc --resume --symmetry C2 2>&1) && fail "an unfinished run of another symmetry"
  case $message in *symmetry=C1*) ;; *) fail "an unfinished run of another symmetry: $message" ;; esac
  cp -r killed_unfinished damaged_unfinished
  for file in damaged_unfinished/sums.*; do printf '\x41\x42\x43' | dd of="$file" bs=1 seek=4321 conv=notrunc status=none; done
  before=$(recorded damaged)
  message=$(reconstruct "${long[@]}" -o damaged.mrc --resume 2>&1) && fail "damaged sums were used"
  case $message in *damaged_unfinished/sums.*checksum*) ;; *) fail "damaged sums: $message" ;; esac
  [ "$(recorded damaged)" -eq "$before" ] || fail "damaged sums were found late"
  if [ -n "$with_ranks" ]; then # wrong options leave nothing beside the files of the right run
    cp -r killed_unfinished other_unfinished
    reconstruct_ranks 2 "${long[@]}" -o other.mrc --resume --symmetry C2 >log 2>&1 && fail "two ranks went on with another symmetry's sums"
    [ ! -e other_unfinished/journal.1 ] || fail "a journal of another symmetry was left"
    reconstruct long.star -o other.mrc --resume || fail "going on after a mistaken --resume"
    within "after a mistaken --resume" 1e-6 long.mrc other.mrc
  fi
  # the same batches, although no option sets them
  reconstruct long.star -o killed.mrc --resume || fail "the run after $kills kills"
  grep -q '"resumed": *0\b' killed_run.json && fail "nothing was resumed after $kills kills"
fi
within "after $kills kills" 1e-6 long.mrc killed.mrc
[ ! -e killed_unfinished ] || fail "a complete run left its journals"
[ -z "$(find . -name '*.partial*')" ] || fail "temporary files were left behind"

# Ctrl-C: finished work is saved, even where nothing was saved before.
set -m # otherwise background processes ignore Ctrl-C
"$quern" reconstruct "${long[@]}" "${options[@]}" --checkpoint 10 -o stopped.mrc 2>log &
running=$!
set +m
while kill -0 $running 2>/dev/null && [ ! -e stopped_unfinished/journal.0 ]; do sleep 0.01; done
sleep 0.1
kill -INT $running 2>/dev/null
wait $running
code=$?
if [ -e stopped.mrc ]; then
  echo "the run was over before it could be stopped"
else
  [ $code -eq 130 ] || fail "a run that got SIGINT ends with $code"
  grep -q -e '--resume' log || fail "a stopped run does not say how to go on: $(cat log)"
  reconstruct "${long[@]}" -o stopped.mrc --resume || fail "the run after it was stopped"
  within "after a stop" 1e-6 long.mrc stopped.mrc
fi

# One process of two is killed; one process resumes alone.
if [ -n "$with_ranks" ]; then
  # shellcheck disable=SC2016
  ranks 2 bash -c 'journal=$1; shift; [ "$OMPI_COMM_WORLD_RANK" = 1 ] || exec "$@"
      "$@" & running=$!
      while kill -0 $running 2>/dev/null && [ "$(stat -c %s "$journal" 2>/dev/null || echo 0)" -lt 500 ]; do sleep 0.01; done
      kill -KILL $running; wait $running' rank ranks_unfinished/journal.1 \
    "$quern" reconstruct "${long[@]}" "${options[@]}" --threads 1 -o ranks.mrc >log 2>&1 && fail "a rank was not killed"
  [ ! -e ranks.mrc ] || fail "a map exists after a rank was killed"
  reconstruct long.star -o ranks.mrc --resume || fail "one rank after one of two was killed"
  within "one rank after one of two was killed" 1e-6 long.mrc ranks.mrc
fi

[ $failures -eq 0 ]
