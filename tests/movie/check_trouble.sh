#!/usr/bin/env bash
# check_trouble.sh SOURCE QUERN BUILD: movies that are damaged, do not fit or cannot be written are left out with a
# sentence in movies.csv, and the rest of the run goes on; what is doubtful is remarked there.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$1/tests/support/script.sh"
export LC_ALL=C QUERN_TUNE=off XDG_CACHE_HOME=${XDG_CACHE_HOME:-$work/cache}
cd "$work" || exit 1
example=$source/examples/movie
cp "$example/movie.tif" a.tif && cp "$example/gain.mrc" . || exit 1
run() { "$quern" movie "$@" --device host --threads 2 --quiet >output 2>message; }
goes_on() { # goes_on FOLDER ARGUMENT...: the run succeeds, and a.tif is in its results
  run "${@:2}" -o "$1" || fail "$1: $(cat message)"
  [ -s "$1/a.mrc" ] && [ -s "$1/a.star" ] && [ -s "$1/run.json" ] || fail "$1: a.tif was not processed"
}
says() { # says FOLDER MOVIE PATTERN: the movie was left out with this reason, and no file of it is there
  local name=${2%.*}
  grep "^$2,$name,,,,,,,,,,,,,,,\"\?$2: $3" "$1/movies.csv" | grep -q . || fail "$1: $2: $(grep "^$2" "$1/movies.csv")"
  [ -z "$(find "$1" -name "$name.*" -o -name "${name}_*")" ] || fail "$1: $2 left $(find "$1" -name "$name*")"
}
remarks() { # remarks FOLDER MOVIE PATTERN
  grep "^$2,${2%.*},[0-9]" "$1/movies.csv" | grep -q ",,.*$3" || fail "$1: $2: $(grep "^$2" "$1/movies.csv")"
}
le() { local n; for n; do printf '%b' "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $((n & 255)) $((n >> 8 & 255)) $((n >> 16 & 255)) $((n >> 24 & 255)))"; done; }
# mrc WIDTH HEIGHT FRAMES MODE [CELL]: an MRC file of the samples of standard input; CELL: bits of its width in Å
mrc() { le "$1" "$2" "$3" "$4" 0 0 0 "$1" "$2" 1 "${5:-0}" "${5:-0}" "${5:-0}"; head -c 972 /dev/zero; cat; }
# tiff COMPRESSION SIDE...: a TIFF file with a square page of zeros for each side
tiff() {
  local place=8 at side
  printf 'II*\0'
  at=8
  for side in "${@:2}"; do
    place=$((at + side * side))
    le "$place"
    head -c $((side * side)) /dev/zero
    # nine entries: width, height, bits, compression, white is 1, place and number of rows and bytes
    printf '\x08\0'
    le $((256 | 4 << 16)) 1 "$side" $((257 | 4 << 16)) 1 "$side" $((258 | 3 << 16)) 1 8 $((259 | 3 << 16)) 1 "$1"
    le $((262 | 3 << 16)) 1 1 $((273 | 4 << 16)) 1 $at $((278 | 4 << 16)) 1 "$side" $((279 | 4 << 16)) 1 $((side * side))
    at=$((place + 2 + 8 * 12 + 4))
  done
  le 0
}
noise() { head -c "$1" <(tail -c +1000 a.tif; tail -c +2000 a.tif); } # bytes that are compressed are noise

# ---- movies that cannot be used ----

head -c 200000 a.tif >cut.tif
noise 300000 | mrc 320 256 4 0 | head -c 200000 >short_of_bytes.mrc
noise 20480 | mrc 64 80 4 0 >other_size.mrc
noise 327680 | mrc 256 320 4 0 >turned.mrc
noise 163840 | mrc 320 256 2 0 >two_frames.mrc
noise 80 | mrc 4 5 4 0 >tiny.mrc
head -c 491520 /dev/zero | mrc 320 256 3 1 >dark.mrc
{ head -c 20000 /dev/zero; printf '\0\0\300\177'; head -c 963036 /dev/zero; } | mrc 320 256 3 2 >not_a_number.mrc
tiff 7 64 64 64 >compression.tif
tiff 1 64 64 80 >sizes.tif
echo 'no movie' >text.mrc
cp a.tif a.tiff
cp a.tif a_PS.tif
cp a.tif corrected_micrographs.tif
movies=(a.tif cut.tif short_of_bytes.mrc other_size.mrc turned.mrc two_frames.mrc tiny.mrc dark.mrc not_a_number.mrc)
movies+=(compression.tif sizes.tif text.mrc a.tiff a_PS.tif corrected_micrographs.tif none.mrc)
goes_on out "${movies[@]}" --pixel 1.5 --dose 1.5 --gain gain.mrc
[ "$(grep -c '^out/' out/corrected_micrographs.star)" -eq 1 ] || fail "rows of the table: $(cat out/corrected_micrographs.star)"
says out cut.tif 'is cut off or damaged: [0-9]* frames* can be found, and the next cannot be read'
says out short_of_bytes.mrc 'is cut off: it holds 2 whole frames; expected 4 of 320 x 256 pixels'
says out other_size.mrc 'gain.mrc: the gain has 320 x 256 pixels, and the frames 64 x 80; expected as many, a quarter, half or'
says out turned.mrc 'gain.mrc: the gain has 320 x 256 pixels, and the frames 256 x 320; with --gain-rotate 1 or 3 it fits'
says out two_frames.mrc 'has 2 frames; expected at least 3'
says out tiny.mrc 'has frames of 4 x 5 pixels; expected at least 64 each way'
says out dark.mrc 'all counts are 0'
says out not_a_number.mrc 'frame 1 has nan at column 200, row 15 (from 0); expected a finite number'
says out compression.tif "frame 1 is compressed by TIFF's scheme 7; expected none, LZW"
says out sizes.tif 'frame 3 has 80 x 80 pixels; expected 64 x 64 as frame 1'
says out text.mrc 'is no movie; expected MRC'
says out none.mrc 'cannot open'
named() { grep -F "$1" out/movies.csv | grep -q "$2" || fail "out: $1: $(grep -F "$1" out/movies.csv)"; }
named a.tiff,a, 'a.tiff: its files would be named a, as those of a.tif; expected different names'
named a_PS.tif,a_PS, 'a_PS.tif: a file of it would be named a_PS.mrc, as one of a.tif; expected different names'
named corrected_micrographs.tif 'would be named corrected_micrographs, as one of the run; expected another name'
[ -z "$(find out -name 'a_PS_*' -o -name 'corrected_micrographs*mrc')" ] || fail "files of refused movies: $(ls out)"

# ---- what is kept and remarked ----

noise 163840 | mrc 160 256 4 0 >noise.mrc
{ noise 81920; head -c 81920 /dev/zero; noise 163840 | tail -c 81920; noise 81920; } | mrc 320 256 4 0 >blank.mrc
noise 20480 | mrc 64 80 4 0 >little.mrc
goes_on kept a.tif noise.mrc little.mrc blank.mrc --pixel 1.5 --dose 1.5 --voltage 250
remarks kept noise.mrc 'the alignment did not converge: its last step moved a frame by [0-9.]* px'
remarks kept little.mrc 'frames are added up as recorded, since frame [0-9]* would move by [0-9]* px;.* no signal: sums of the even'
remarks kept blank.mrc '1 frame, the first is frame 2, correlates with no other and lies between its neighbours'
remarks kept a.tif 'weights are known for 100, 200 and 300 kV, and for 250 kV interpolated'
for file in kept/*.mrc; do [ "$(tail -c +1025 "$file" | od -An -v -t f4 | grep -ci nan)" -eq 0 ] || fail "$file has NaN"; done

{ head -c 41024 gain.mrc; printf '\0\0\300\177'; tail -c +41029 gain.mrc; } >nan_gain.mrc
goes_on nan_gain a.tif --pixel 1.5 --gain nan_gain.mrc
remarks nan_gain a.tif '1 value of the gain is not finite'
grep -q '^warning: nan_gain.mrc: 1 value of the gain is not finite; its pixel is not used' message || fail "NaN in the gain: $(cat message)"

# ---- defects ----

cp little.mrc small.mrc
echo '300 200 10 10' >defects.txt
goes_on defects a.tif small.mrc --pixel 1.5 --defects defects.txt
says defects small.mrc 'defects.txt: line 1: the rectangle x 300, y 200, w 10, h 10 is not in the frame; expected one inside 64 x 80 pixels'
printf 'CameraSizeX 320\nCameraSizeY 256\nBadRows 3\n' >serialem.txt
run a.tif -o serialem --pixel 1.5 --defects serialem.txt && fail "SerialEM's defects: exit code 0"
grep -q "serialem.txt: line 1 is \"CameraSizeX 320\": this is SerialEM's list of defects; make a map of it with IMOD (clip" message ||
  fail "SerialEM's defects: $(cat message)"

# ---- patches ----

goes_on single a.tif --patches 1x1
goes_on whole a.tif --patches none
cmp -s single/a.mrc whole/a.mrc && ! grep -q 'local motion' single/movies.csv || fail "one patch is not the whole frame"
run a.tif -o crowded --patches 20x20 && fail "too many patches: exit code 0"
grep -q 'a.tif: 20 x 20 patches of a frame of 320 x 256 pixels lie too close together; expected fewer$' message ||
  fail "too many patches: $(cat message)"

# ---- memory ----

head -c 3145728 /dev/zero | tr '\0' '\1' | mrc 1024 1024 3 0 >large.mrc
goes_on memory a.tif large.mrc --pixel 1.5 --memory 12MiB
says memory large.mrc 'takes about [0-9]* MiB; expected at most the 12 MiB of --memory'
run a.tif -o more --pixel 1.5 && cmp -s memory/a.mrc more/a.mrc || fail "memory: the micrograph depends on --memory"

# Where other programs use the device's memory, two movies at once do not fit: they go one by one, with the same bytes.
for name in b c d; do cp a.tif $name.tif; done
share() { # share FOLDER MIB
  QUERN_CHECKING_MEMORY_MIB=$2 "$quern" movie a.tif b.tif c.tif d.tif -o "$1" --pixel 1.5 --dose 1.5 --voltage 250 \
    --device checking:host --threads 2 >output 2>message || fail "$1: $(cat message)"
}
share roomy 1000
grep 'no memory for two' message && fail "roomy: $(cat message)"
share cramped 24
grep -q 'no memory for two movies at once' message || fail "cramped: $(cat message)"
for name in a b c d; do
  cmp roomy/$name.mrc cramped/$name.mrc || fail "cramped: $name.mrc depends on the memory: $(cat message)"
done
grep -q 'weights are known.*weights are known' cramped/movies.csv && fail "cramped: a remark stands twice: $(cat cramped/movies.csv)"

# ---- pixel sizes and optics ----

noise 16384 | mrc 64 64 4 0 >unknown.mrc
noise 16384 | mrc 64 64 4 0 $((0x42800000)) >one.mrc # 64 Å wide
noise 16384 | mrc 64 64 4 0 $((0x43000000)) >two.mrc
run one.mrc unknown.mrc two.mrc -o pixels --patches none || fail "pixel sizes: $(cat message)"
says pixels unknown.mrc 'states no pixel size; expected --pixel'
awk '$1 ~ /^opticsGroup/ { print $1, $2, $3, $5 } $1 ~ /^pixels\/two/ { print $4 }' pixels/corrected_micrographs.star |
  tr '\n' ' ' | grep -q '^opticsGroup1 1 1.000000 1.000000 opticsGroup2 2 2.000000 2.000000 2 $' ||
  fail "pixel sizes: $(cat pixels/corrected_micrographs.star)"
goes_on stated a.tif --pixel 15 --frames 2-30
remarks stated a.tif 'the file states pixels of 1.5 Å, and --pixel is 15'
remarks stated a.tif '\-\-frames goes to 30, and the movie has 8'
grep -q '^warning: a.tif: states pixels of 1.5 Å, and --pixel is 15, which is taken$' message || fail "pixel sizes: $(cat message)"
optics() { # optics PIXEL KV: a STAR file
  printf 'data_optics\nloop_\n_rlnOpticsGroup\n_rlnMicrographOriginalPixelSize\n_rlnVoltage\n1 1.5 300\n2 %s %s\n\n' "$1" "$2"
  printf 'data_movies\nloop_\n_rlnMicrographMovieName\n_rlnOpticsGroup\na.tif 1\nsmall.mrc 2\n'
}
optics 1.5 300000 >volts.star
goes_on volts volts.star
says volts small.mrc 'its voltage is 300000 kV; expected at most 3000'
optics 1.5e-10 300 >metres.star
goes_on metres metres.star
says metres small.mrc 'its pixel size is 1.5e-10 Å; expected 0.001 to 1000'
optics none 300 >word.star
goes_on word word.star
says word small.mrc 'word.star: row 2 of the optics: _rlnMicrographOriginalPixelSize is "*none"*; expected a number above 0'

# ---- writing ----

# The images of a.tif take 321 KiB, those of small.mrc 20.
goes_off() { (trap '' XFSZ; ulimit -f 200; "$quern" movie "$@" --device host --threads 2 --quiet >output 2>message); }
goes_off a.tif small.mrc -o full --pixel 1.5 --spectrum-size 64 || fail "a full disk: $(cat message)"
[ -s full/small.mrc ] && [ -s full/run.json ] || fail "a full disk: small.mrc was not written: $(cat message)"
says full a.tif 'full/a.mrc: cannot write: '
run a.tif small.mrc -o full --pixel 1.5 --spectrum-size 64 --resume --strict || fail "after a full disk: $(cat message)"
[ -s full/a.mrc ] && [ "$(grep -c '^full/' full/corrected_micrographs.star)" -eq 2 ] || fail "after a full disk: no a.mrc"

# STAR cannot hold a name with a line end; the images are removed again.
cp small.mrc $'line\nend.mrc'
goes_on names a.tif $'line\nend.mrc' --pixel 1.5
[ "$(find names -name 'line*' | wc -l)" -eq 0 ] || fail "a name with a line end: left $(ls names)"
cp a.tif $'b c.d µ"\'.tif'
run a.tif $'b c.d µ"\'.tif' -o quotes --pixel 1.5 || fail "a name with quotes and blanks: $(cat message)"
cp a.tif 'b c.d µ.tif'
run 'b c.d µ.tif' -o 'out d.1/µ' --pixel 1.5 || fail "names with blanks: $(cat message)"
grep -q '^"out d.1/µ/b c_d µ.mrc" "out d.1/µ/b c_d µ_PS.mrc" "out d.1/µ/b c_d µ.star" 1 ' 'out d.1/µ/corrected_micrographs.star' ||
  fail "names with blanks: $(cat 'out d.1/µ/corrected_micrographs.star')"

# ---- refused before a run ----

run --watch nofolder -o watched --pixel 1.5 && fail "no folder to watch: exit code 0"
grep -q '^quern: nofolder: does not exist; expected a folder to watch' message || fail "no folder to watch: $(cat message)"
mkdir mine && cp a.tif mine/a.mrc
run mine/a.mrc -o mine --pixel 1.5 && fail "an output of a user's own: exit code 0"
cmp -s a.tif mine/a.mrc || fail "a user's file was replaced"
[ $failures -eq 0 ]
