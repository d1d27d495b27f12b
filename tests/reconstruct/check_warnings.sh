#!/usr/bin/env bash
# check_warnings.sh SOURCE QUERN: quern reconstruct prints on standard error everything that makes a map doubtful, and
# assumes nothing without a word: pixel sizes, classes, stacks and ranges of another length, origins and columns that are
# missing. A failed run leaves neither a report nor run.json.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$1/tests/support/script.sh"
cd "$work" || exit 1
export LC_ALL=C # for tools that handle bytes

bash "$source/tests/reconstruct/make_particles.sh" . 12 16
cp stack.mrcs sized.mrcs
head -c 12 /dev/zero | dd of=stack.mrcs bs=1 seek=40 conv=notrunc status=none # no pixel size
# star COLUMNS VALUES: the twelve images with origins in pixels and more columns, in RELION's 3.0 format.
star() {
  printf 'data_\nloop_\n_rlnImageName\n_rlnAngleRot\n_rlnAngleTilt\n_rlnAnglePsi\n_rlnOriginX\n_rlnOriginY\n%b' "$1"
  awk -v more="$2" '{ printf "%06d@stack.mrcs %s %s %s %s %s %s\n", NR, $1, $2, $3, $4 / 2, $5 / 2, more }' rows
}
lens='_rlnVoltage\n_rlnSphericalAberration\n_rlnAmplitudeContrast\n'
star '' '' >plain.star
star "_rlnDefocusU\n_rlnDefocusV\n_rlnDefocusAngle\n$lens" '12000 11000 30 300 2.7 0.1' >ctf.star
star '_rlnPixelSize\n' 2 >sized.star
star '_rlnClassNumber\n' 1 | awk '/@/ { $NF = 1 + n++ % 3 } { print }' >classes.star

reconstruct() { rm -rf out && mkdir out && "$quern" reconstruct "$@" -o out/map.mrc --device host --tune off --quiet --threads 2; }
# warns NAME SENTENCE ARGUMENT…: the run succeeds, prints the warning once, and writes it into run.json and the report.
warns() {
  local name=$1 sentence=$2
  shift 2
  reconstruct "$@" >said 2>message || fail "$name: failed: $(cat message)"
  [ ! -s said ] || fail "$name: on standard output: $(cat said)"
  [ "$(grep -cF "warning: $sentence" message)" = 1 ] || fail "$name: not one warning \"$sentence\": $(cat message)"
  grep -qF -e "$sentence" out/map_run.json || fail "$name: not in run.json"
}
silent() { # silent NAME SENTENCE ARGUMENT…: the run succeeds without that warning
  local name=$1 sentence=$2
  shift 2
  reconstruct "$@" >said 2>message || fail "$name: failed: $(cat message)"
  ! grep -qF -e "$sentence" message || fail "$name: $(cat message)"
}
# refused CODE NAME SENTENCE ARGUMENT…: the run fails with one sentence that ends in SENTENCE, and leaves nothing.
refused() {
  local code=$1 name=$2 sentence=$3 status
  shift 3
  reconstruct "$@" >said 2>message
  status=$?
  [ $status = "$code" ] || fail "$name: exit code $status, expected $code"
  grep -q "^quern: .*$sentence" message || fail "$name: $(cat message)"
  [ "$(wc -l <message)" = 1 ] || fail "$name: more than one sentence: $(cat message)"
  [ -z "$(ls out)" ] || fail "$name: left $(ls out)"
}
values() { tail -c +1025 "$1"; }
voxel() { python3 -c 'import struct, sys; print("%g" % (struct.unpack_from("<f", open(sys.argv[1], "rb").read(1024), 40)[0] / 16))' "$1"; }

# Pixel sizes.
warns "no pixel size" "plain.star: states no pixel size, and nor do its stacks; 1 Å is assumed" plain.star
refused 1 "a CTF without a pixel size" "ctf.star: states no pixel size.*--pixel$" ctf.star --ctf
reconstruct sized.star --deterministic || fail "a stated pixel size"
cp out/map.mrc sized.mrc
for name in --pixel --angpix; do
  silent "$name" "pixel" plain.star $name 2 --deterministic
  [ "$(voxel out/map.mrc)" = 2 ] || fail "$name 2: voxels of $(voxel out/map.mrc) Å"
  cmp <(values out/map.mrc) <(values sized.mrc) || fail "$name 2: not the map of a file that states 2 Å"
done
reconstruct ctf.star --ctf --pixel 2 || fail "a CTF with --pixel"
warns "another pixel size" "sized.star: optics group 1 has pixels of 2 Å; --pixel 3 is used instead" sized.star --pixel 3 --deterministic
[ "$(voxel out/map.mrc)" = 3 ] || fail "--pixel 3: voxels of $(voxel out/map.mrc) Å"
cmp <(values out/map.mrc) <(values sized.mrc) || fail "--pixel 3: the images were shifted by another number of pixels"
silent "the same pixel size" "--pixel" sized.star --pixel 2
refused 2 "a pixel of 0" '--pixel is "0"; expected a number from 0.001 to 10000' plain.star --pixel 0

# Other warnings.
warns "a resolution beyond the pixels" "--max-resolution is 3 Å, and pixels of 2 Å have no detail finer than 4 Å" sized.star --max-resolution 3
silent "a resolution of two pixels" "no detail finer" sized.star --max-resolution 4
warns "a defocus without --ctf" "the particles have a defocus, but there is no --ctf" ctf.star
warns "weights of 0" "1 particle of weight 0 or less was left out" <(star '_rlnParticleFigureOfMerit\n' 1 | sed '/^000003@/s/1$/0/') --pixel 2
reconstruct ctf.star --pixel 2 2>first || fail "a run"
"$quern" reconstruct ctf.star --pixel 2 -o out/map.mrc --device host --tune off --quiet --resume 2>message || fail "resuming"
[ "$(grep -c defocus first)" = 1 ] || fail "a run: $(cat first)"

# Classes.
warns "classes" "classes.star: particles of several classes are merged into one map (rlnClassNumber 1, 2, 3); --class selects classes" \
  classes.star --pixel 2
warns "two classes" "classes.star: particles of several classes are merged into one map (rlnClassNumber 1, 3)" classes.star --pixel 2 --class 1,3
silent "one class" "class" classes.star --pixel 2 --class 2 --deterministic
cp out/map.mrc class.mrc
awk '!/@/ || $NF == 2' classes.star >second.star
silent "particles of one class" "class" second.star --pixel 2 --deterministic
cmp out/map.mrc class.mrc || fail "--class 2: not the map of the particles of class 2"
refused 2 "an empty class" "classes.star: no particle is of class 4;" classes.star --pixel 2 --class 1,4
refused 2 "no classes" "plain.star: has no column _rlnClassNumber, which --class needs" plain.star --pixel 2 --class 1
for list in one 1, ,1 1,,2 -1 1.5 99999999999; do
  refused 2 "--class $list" "--class is \"$list\"; expected numbers of classes" classes.star --class=$list
done

# Lengths.
silent "a whole stack" "follow" plain.star
cp stack.mrcs whole.mrcs && head -c 100 /dev/zero >>stack.mrcs
warns "a stack that is too long" "stack.mrcs: 100 bytes follow the images of its header and are not read" plain.star
head -c 13000 whole.mrcs >stack.mrcs
refused 1 "a stack that is too short" "stack.mrcs: has 13000 bytes; expected 13312" plain.star --pixel 2
mv whole.mrcs stack.mrcs
warns "rows past the end" "plain.star: --particles ends at row 40, but the last particle is in row 12" plain.star --particles 5-40
silent "rows up to the end" "--particles" plain.star --particles 5-12

# Columns.
sed '/^_rlnOriginX$/d; /@/s/^\([^ ]* [^ ]* [^ ]* [^ ]*\) [^ ]*/\1/' plain.star >bad.star
refused 1 "no x of the origins" "bad.star: table data_ at line 2 has column _rlnOriginY, but not _rlnOriginX; expected both" bad.star
sed 's/^_rlnOriginX$/&Angst/' plain.star >bad.star
refused 1 "x in Å" "has column _rlnOriginXAngst, but not _rlnOriginYAngst; expected both" bad.star
sed 's/^_rlnAngleTilt$/_rlnAngleTurn/' plain.star >bad.star
refused 1 "no tilt" "bad.star: has no angles; expected rlnAngleTilt$" bad.star
sed 's/^_rlnVoltage$/_rlnVolts/' ctf.star >bad.star
refused 1 "no voltage" "bad.star: lacks what --ctf needs for the contrast transfer function; expected rlnVoltage$" bad.star --ctf --pixel 2
sed 's/^_rlnDefocusU$/_rlnFocus/; s/^_rlnVoltage$/_rlnVolts/' ctf.star >bad.star
refused 1 "no defocus and no voltage" "expected rlnDefocusU, rlnVoltage$" bad.star --ctf --pixel 2

# One image.
rm -rf out && mkdir out
"$quern" reconstruct plain.star --particles 3-3 --pixel 2 -o out/map.mrc --device host --tune off >said 2>&1 || fail "one image: $(cat said)"
grep -q '^1 image of 16 x 16 pixels' said || fail "one image: $(cat said)"
! grep -qE '(^|[^/])\b1 (images|rows|particles)\b' said || fail "one image: $(cat said)"

# A disk that is full when the map is written: its voxels take more than a report.
mkdir large && bash "$source/tests/reconstruct/make_particles.sh" large 12 48
sed 's/stack\.mrcs/large\/stack.mrcs/' plain.star >large.star
reconstruct large.star --pixel 2 --checkpoint 0 2>/dev/null || fail "large images"
bytes=$(wc -c <out/map_report.html) kib=$(($(wc -c <out/map_report.html) / 1024 + 8))
[ "$(wc -c <out/map.mrc)" -gt $((kib * 1024)) ] || fail "a report of $bytes bytes is as large as the map"
(trap '' XFSZ; ulimit -f $kib; reconstruct large.star --pixel 2 --checkpoint 0) >said 2>&1 && fail "a full disk went unnoticed"
[ -z "$(ls out)" ] || fail "a full disk: without a map there is $(ls out)"

[ $failures -eq 0 ]
