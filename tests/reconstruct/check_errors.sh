#!/usr/bin/env bash
# check_errors.sh SOURCE QUERN: errors in particles, stacks, options and outputs are reported in one sentence that names
# the place; the command ends with 1 (2 for wrong usage), and leaves nothing at the output's place.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
"$quern" reconstruct -h >/dev/null 2>&1 || { echo "this build has no reconstruct command"; exit 77; }
. "$1/tests/support/script.sh"
cd "$work" || exit 1
export LC_ALL=C # for tools that handle bytes

mkdir good out
bash "$source/tests/reconstruct/make_particles.sh" good 12 16
cp good/stack.mrcs stack.mrcs
# star NAME [ROW TEXT]: RELION's 3.1 table of the twelve images with TEXT in place of a row (from 1); $header and $optics
# may hold more columns, $row their values.
header='' row='' optics_header='' optics_row=''
star() {
  { printf 'data_optics\nloop_\n_rlnOpticsGroup\n_rlnImagePixelSize\n_rlnImageSize\n%b1 2.0 %s %s\n\n' "$optics_header" "${size:-16}" "$optics_row"
    printf 'data_particles\nloop_\n_rlnImageName\n_rlnOpticsGroup\n_rlnAngleRot\n_rlnAngleTilt\n_rlnAnglePsi\n_rlnOriginXAngst\n_rlnOriginYAngst\n%b' "$header"
    awk -v changed="${2:-0}" -v text="${3:-}" -v more="$row" '
      NR == changed { print text; next } { printf "%06d@stack.mrcs 1 %s %s\n", NR, $0, more }' good/rows
    echo; } >"$1"
}
options=(--device host --tune off --quiet --threads 2)
reconstruct() { "$quern" reconstruct "${options[@]}" "$@"; }
# refused NAME PART… [-- ARGUMENT…]: a run fails with each PART, with 1, or 2 where an argument is wrong; default arguments: bad.star -o out/map.mrc
refused() {
  local name=$1 message code part parts=()
  shift
  while [ $# -gt 0 ] && [ "$1" != -- ]; do parts+=("$1"); shift; done
  shift
  [ $# -gt 0 ] || set -- bad.star -o out/map.mrc
  message=$(reconstruct "$@" 2>&1 >/dev/null)
  code=$?
  [ $code -eq 1 ] || [ $code -eq 2 ] || fail "$name: the exit code is $code"
  for part in "${parts[@]}"; do
    case $message in *"$part"*) ;; *) fail "$name: lacks \"$part\": $message" ;; esac
  done
  case $message in "quern: "*) ;; *) fail "$name: does not begin with quern: $message" ;; esac
  [ "$(printf '%s\n' "$message" | wc -l)" -eq 1 ] || fail "$name: more than one sentence: $message"
  [ -z "$(ls -A out)" ] || { fail "$name: left $(ls -A out)"; rm -rf out; mkdir out; }
}
usage() { # usage NAME PART ARGUMENT…
  local name=$1 part=$2 message code
  shift 2
  message=$(reconstruct "$@" 2>&1 >/dev/null)
  code=$?
  [ $code -eq 2 ] || fail "$name: the exit code is $code"
  case $message in *"$part"*) ;; *) fail "$name: unexpected message: $message" ;; esac
  [ -z "$(ls -A out)" ] || { fail "$name: left $(ls -A out)"; rm -rf out; mkdir out; }
}
good_row="0 0 0 0 0"

star good.star
reconstruct good.star -o out/map.mrc || fail "good particles"
[ -s out/map.mrc ] || fail "no map of good particles"
mkdir kept && cp out/map.mrc kept/ && rm -rf out && mkdir out

# Rows and the stacks that they name. The table's first row is line 17.
at="bad.star: line 20 (row 4"
star bad.star 4 "000004@missing.mrcs 1 $good_row"
refused "a missing stack" "$at)" "missing.mrcs: cannot open: No such file"
star bad.star 4 "000013@stack.mrcs 1 $good_row"
refused "an image past the end" "$at)" "stack.mrcs: has no image 13; expected 1 to 12"
star bad.star 4 "000000@stack.mrcs 1 $good_row"
refused "image 0" "$at of data_particles)" '_rlnImageName is "000000@stack.mrcs"' "counting from 1"
star bad.star 4 "x@stack.mrcs 1 $good_row"
refused "an image that is not a number" "$at" '"x@stack.mrcs"'
for value in nan NaN -inf 1e999 here; do
  star bad.star 4 "000004@stack.mrcs 1 0 $value 0 0 0"
  refused "an angle of $value" "$at" "_rlnAngleTilt is \"$value\"; expected a number"
done
star bad.star 4 "000004@stack.mrcs 1 0 0 0 0 nan"
refused "an origin of nan" "$at" '_rlnOriginYAngst is "nan"'
star bad.star 4 "000004@stack.mrcs 1 0 0"
refused "a row too short" "bad.star:" "line 20"
star bad.star 4 "000004@stack.mrcs 3 $good_row"
refused "an absent optics group" "$at" '_rlnOpticsGroup is "3"'

mkdir other
bash "$source/tests/reconstruct/make_particles.sh" other 4 20
mv other/stack.mrcs larger.mrcs
star bad.star 4 "000002@larger.mrcs 1 $good_row"
refused "another size" "$at)" "larger.mrcs: has images of 20 x 20 pixels; expected 16 x 16" "optics group 1"
size=24 star bad.star
refused "a size that differs from the file's" "line 17 (row 1)" "stack.mrcs: has images of 16 x 16 pixels; expected 24 x 24 as _rlnImageSize"
number() { local n=$1; printf '%b' "$(printf '\\x%02x\\x%02x\\x00\\x00' $((n % 256)) $((n / 256 % 256)))"; }
patch() { dd of="$1" bs=1 seek="$2" conv=notrunc status=none; } # the bytes come from standard input
cp stack.mrcs oblong.mrcs
number 8 | patch oblong.mrcs 4
star bad.star 4 "000004@oblong.mrcs 1 $good_row"
refused "oblong images" "$at)" "oblong.mrcs: has images of 16 x 8 pixels; expected square ones"
head -c 9000 stack.mrcs >cut.mrcs
star bad.star 4 "000004@cut.mrcs 1 $good_row"
refused "a stack that is cut" "$at)" "cut.mrcs: has 9000 bytes; expected 13312"
head -c 600 stack.mrcs >cut.mrcs
refused "a header that is cut" "$at)" "cut.mrcs: has 600 bytes"
gzip -c stack.mrcs >cut.mrcs
refused "a packed stack" "$at)" "is gzipped" "gunzip"
cp stack.mrcs complex.mrcs
number 4 | patch complex.mrcs 12
star bad.star 4 "000004@complex.mrcs 1 $good_row"
refused "complex values" "$at)" "complex.mrcs"
mkdir folder.mrcs
star bad.star 4 "000004@folder.mrcs 1 $good_row"
refused "a folder for a stack" "$at)" "folder.mrcs: is not a plain file"
mkfifo pipe.mrcs
star bad.star 4 "000004@pipe.mrcs 1 $good_row"
refused "a pipe for a stack" "$at)" "pipe.mrcs: is not a plain file"
cp stack.mrcs spoilt.mrcs
printf '\x00\x00\xc0\x7f' | patch spoilt.mrcs $((1024 + 4 * (5 * 256 + 3 * 16 + 7)))
sed 's/stack\.mrcs/spoilt.mrcs/' good.star >bad.star
refused "a pixel of nan" "bad.star: line 22 (row 6)" "spoilt.mrcs: image 6 has the value nan at pixel x = 7, y = 3"

# Tables.
refused "an absent file" "absent.star" -- absent.star -o out/map.mrc
printf 'hello\n' >bad.star
refused "no table" "bad.star"
: >bad.star
refused "an empty file" "bad.star"
refused "a stack for particles" "stack.mrcs" -- stack.mrcs -o out/map.mrc
grep -v '@' good.star >bad.star
refused "no rows" "bad.star: holds no particles"
grep -v rlnAngleTilt good.star | awk '/@/ { $4 = "" } { print }' >bad.star
refused "no tilt angles" "bad.star" "rlnAngleTilt"
optics_header='_rlnBeamTiltX\n' optics_row=0.5 star bad.star
refused "beam tilt" "_rlnBeamTiltX is \"0.5\"" "not corrected"
refused "no defocus for --ctf" "good.star" "rlnDefocusU" -- good.star --ctf -o out/map.mrc
header='_rlnDefocusU\n_rlnDefocusV\n_rlnDefocusAngle\n' row='12000 11000 30' star bad.star
refused "no voltage for --ctf" "bad.star" "rlnVoltage" -- bad.star --ctf -o out/map.mrc

# Weights: rows of weight 0 or less are skipped and counted.
header='_rlnParticleFigureOfMerit\n' row=1 star weighted.star
awk '/@/ { n++; if (n == 2) $NF = 0; if (n == 5) $NF = -3; if (n == 9) $NF = "0.0" } { print }' weighted.star >some.star
awk '/@/ { n++; if (n == 2 || n == 5 || n == 9) next } { print }' weighted.star >fewer.star
quiet=("${options[@]}")
options=(--device host --tune off --threads 2)
reconstruct some.star -o kept/some.mrc >log 2>&1 || fail "rows of weight 0: $(cat log)"
grep -q '^9 images of 16 x 16 pixels, 3 left out for weights of 0 or less' log || fail "rows of weight 0 are not counted: $(cat log)"
options=("${quiet[@]}")
rm kept/some*
reconstruct some.star -o kept/some.mrc --deterministic || fail "rows of weight 0"
reconstruct fewer.star -o kept/fewer.mrc --deterministic || fail "without rows of weight 0"
cmp <(tail -c +1025 kept/some.mrc) <(tail -c +1025 kept/fewer.mrc) || fail "rows of weight 0 changed the map"
awk '/@/ { $NF = -1 } { print }' weighted.star >bad.star
refused "no weights at all" "bad.star: no particle is left of 12" "12 were of weight 0 or less"
awk '/@/ { n++; if (n == 4) $NF = "nan" } { print }' weighted.star >bad.star
refused "a weight of nan" '(row 4 of data_particles)' '_rlnParticleFigureOfMerit is "nan"'

# Subsets.
refused "a subset without the column" "good.star: has no column _rlnRandomSubset" -- good.star --subset 1 -o out/map.mrc
header='_rlnRandomSubset\n' row=1 star bad.star
refused "one half without the other" "bad.star" "none is of half 2" -- bad.star --halves -o out/map.mrc
refused "an empty subset" "bad.star: no particle is left" -- bad.star --subset 2 -o out/map.mrc
awk '/@/ { n++; $NF = n == 7 ? 3 : 1 + n % 2 } { print }' bad.star >worse.star
refused "subset 3" "worse.star: line 24 (row 7 of data_particles): _rlnRandomSubset is \"3\"; expected 1 or 2" -- worse.star -o out/map.mrc
sed 's/ 3$/ 0/' worse.star >bad.star
refused "subset 0 in a half" "bad.star: line 24 (row 7): _rlnRandomSubset is 0; expected 1 or 2" -- bad.star --halves -o out/map.mrc
refused "rows past the end" "no particle is left" -- good.star --particles 13-20 -o out/map.mrc

# Optics groups: different pixel sizes are accepted if the file states them, and refused if only the stacks state them.
sed 's/^1 2\.0 16/&\n2 2.5 20/' good.star | awk '/^000003@/ { print "000002@larger.mrcs 2 10 20 30 0 0"; next } { print }' >groups.star
reconstruct groups.star -o kept/groups.mrc || fail "two optics groups"
{ printf 'data_\nloop_\n_rlnImageName\n_rlnAngleRot\n_rlnAngleTilt\n_rlnAnglePsi\n'
  printf '000001@stack.mrcs 0 0 0\n000002@coarse.mrcs 10 20 30\n'; } >bad.star
cp stack.mrcs coarse.mrcs
printf '\x00\x00\x20\x42' | patch coarse.mrcs 40 # 40 Å, not 32
refused "two sizes of pixels" "bad.star: line 8 (row 2)" "coarse.mrcs: has pixels of 2.5 Å, but the first stack of optics group 1 has 2 Å" "_rlnImagePixelSize"

# Options.
for group in Q7 C0 I5 D C1x; do
  refused "symmetry \"$group\"" "symmetry" -- good.star --symmetry "$group" -o out/map.mrc
done
refused "too little memory" "memory" -- good.star --memory 0.0001 -o out/map.mrc
refused "an absent device" "cuda" -- good.star --device cuda:77 -o out/map.mrc
refused "an absent mask" "absent.mrc" -- good.star --halves --mask absent.mrc -o out/map.mrc
refused "a mask of another size" "mask" -- good.star --halves --mask larger.mrcs -o out/map.mrc
# shellcheck disable=SC2046
{ head -c 1024 kept/map.mrc && printf '\000\000\000\100%.0s' $(seq 4096); } >twos.mrc
refused "a mask of other values" "twos.mrc" "from 2 to 2" "a mask of 0 to 1" -- good.star --halves --mask twos.mrc -o out/map.mrc
sed 's/^1 2.0 .*$/&\n2 20.0 16/; s/^000003@stack.mrcs 1 /000003@stack.mrcs 2 /' good.star >wide.star
refused "pixels ten times as large" "wide.star" "optics group 2" "320 Å wide" -- wide.star -o out/map.mrc
usage "no output" "output" good.star
usage "no particles" "PARTICLES" -o out/map.mrc
usage "two inputs" "good.star" good.star good.star -o out/map.mrc
usage "an unknown option" "--symetry" good.star --symetry C2 -o out/map.mrc
usage "subset 3" "--subset" good.star --subset 3 -o out/map.mrc
usage "subset and halves" "--halves are of both subsets; expected one of the two" good.star --subset 1 --halves -o out/map.mrc
usage "a mask without halves" "--halves" good.star --mask auto -o out/map.mrc
usage "padding 1.7" "expected one of: 1 1.5 2" good.star --padding 1.7 -o out/map.mrc
usage "rows backwards" "--particles" good.star --particles 9-3 -o out/map.mrc
usage "row 0" "--particles" good.star --particles 0-3 -o out/map.mrc
usage "unknown weights" "--weights" good.star --weights heavy -o out/map.mrc
usage "resolution nan" "--max-resolution" good.star --max-resolution nan -o out/map.mrc

# Outputs: impossible ones are refused before the images are read. Here one image is spoilt, so reading it would fail.
sed 's/stack\.mrcs/spoilt.mrcs/' good.star >bad.star
: >file
for saved in 0 10; do
  refused "a file in the folder's place" "file" -- bad.star -o file/ --checkpoint $saved
  refused "a file above the map" "file" -- bad.star -o file/map.mrc --checkpoint $saved
  refused "a folder that takes no files" "/proc" -- bad.star -o /proc/map.mrc --checkpoint $saved
  refused "a stack for a map" "map.mrcs" -- bad.star -o out/map.mrcs --checkpoint $saved
  refused "a folder that a failed run does not make" "spoilt.mrcs: image 6" -- bad.star -o out/new/ --checkpoint $saved
done
mkdir map.mrc # a folder with a map's name
reconstruct good.star -o map.mrc || fail "a folder with a map's name"
[ -s map.mrc/map.mrc ] || fail "no map in a folder with a map's name"
reconstruct good.star -o "out/deep/er/map.mrc" || fail "folders that do not exist yet"
[ -s out/deep/er/map.mrc ] || fail "no map in folders that did not exist"
rm -rf out && mkdir out
if [ "$(id -u)" -ne 0 ]; then
  mkdir locked && chmod a-w locked
  refused "a folder that is locked" "Permission denied" -- good.star -o locked/map.mrc
  chmod u+w locked
fi
# A disk that fills up: files may not grow past some KiB.
for kib in 1 8; do
  message=$( (trap '' XFSZ; ulimit -f $kib; reconstruct good.star -o out/map.mrc) 2>&1) && fail "a disk of $kib KiB went unnoticed"
  [ "$(printf '%s\n' "$message" | wc -l)" -eq 1 ] || fail "a disk of $kib KiB: more than one sentence: $message"
  [ ! -e out/map.mrc ] || fail "a disk of $kib KiB: half of a map"
  [ -z "$(find out -name '*.partial*')" ] || fail "a disk of $kib KiB left $(ls -A out)"
  rm -rf out && mkdir out
done

# Existing results are not overwritten: neither a map of another program nor a finished run.
cp kept/map.mrc out/map.mrc
for how in "" --resume; do
  # shellcheck disable=SC2086
  message=$(reconstruct good.star -o out/map.mrc $how 2>&1) && fail "an existing map was overwritten"
  case $message in *"out/map.mrc: exists already; --overwrite replaces it"*) ;; *) fail "an existing map: $message" ;; esac
done
cmp kept/map.mrc out/map.mrc && [ "$(ls out)" = map.mrc ] || fail "an existing map was changed: $(ls out)"
rm -rf out/* && : >out/notes
reconstruct good.star -o out/map.mrc || fail "a map beside other files"
message=$(reconstruct good.star -o out/map.mrc --halves 2>&1) && fail "a finished run was overwritten"
case $message in *"out/map.mrc: holds a finished run; --overwrite replaces it"*) ;; *) fail "a finished run: $message" ;; esac
message=$(reconstruct good.star -o out/ 2>&1) && fail "a folder of other files was used"
case $message in *"out/: the output folder holds map.mrc, which is not of a run of quern reconstruct"*) ;; *) fail "other files: $message" ;; esac
reconstruct good.star -o out/map.mrc --resume || fail "resuming a finished run"
message=$(reconstruct good.star -o out/map.mrc --resume --symmetry C2 2>&1) && fail "resuming a finished run of another symmetry"
case $message in *"there symmetry=C1, here symmetry=C2"*) ;; *) fail "a finished run of another symmetry: $message" ;; esac
[ ! -e out/map_unfinished ] && [ "$(ls out | tr '\n' ' ')" = "map.mrc map_report.html map_run.json notes " ] ||
  fail "the files are not those of a run: $(ls out)"

[ $failures -eq 0 ]
