#!/usr/bin/env bash
# labels: unsanitized
# check_runs.sh SOURCE QUERN BUILD: runs of quern movie as a user makes them: several movies of which some cannot be
# used, runs that go on, options of the output, folders that are watched, and RELION, if it is installed, going on in the
# folder.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$1/tests/support/script.sh"
export LC_ALL=C QUERN_TUNE=off XDG_CACHE_HOME=${XDG_CACHE_HOME:-$work/cache}
cd "$work" || exit 1
cp "$source/examples/movie/gain.mrc" .
mkdir data
for name in a b.c d; do cp "$source/examples/movie/movie.tif" data/$name.tif; done
run() { "$quern" movie "$@" --device host --threads 2 --quiet >output 2>message; }
common=(--pixel 1.5 --dose 1.5 --gain gain.mrc)
same() { cmp -s "$1" "$2" || fail "$3: $1 and $2 differ"; }
row() { grep "^data/$1" out/movies.csv; }
values() { od -An -v -t f4 -w4 -j 1024 "$1"; }

# ---- movies that cannot be used ----

head -c 200000 data/a.tif >data/cut.tif
cp data/a.tif data/b_c.tif
run data/*.tif data/none.tif -o out "${common[@]}" || fail "a run: $(cat message)"
for file in a b_c d; do
  for ending in .mrc _noDW.mrc _PS.mrc .star; do [ -s out/$file$ending ] || fail "a run: no $file$ending"; done
done
[ "$(wc -l <out/movies.csv)" -eq 7 ] || fail "a run: $(wc -l <out/movies.csv) lines of movies.csv"
row b_c.tif | grep -q 'its files would be named b_c, as those of data/b.c.tif' || fail "two movies of one name: $(row b_c.tif)"
row cut.tif | grep -q 'data/cut.tif: is cut off' || fail "a movie that is cut: $(row cut.tif)"
row none.tif | grep -q 'data/none.tif: ' || fail "a movie that is not there: $(row none.tif)"
[ "$(grep -c '^out/' out/corrected_micrographs.star)" -eq 3 ] || fail "a run: $(cat out/corrected_micrographs.star)"
same out/a.mrc out/d.mrc "movies that are the same"
for part in 'Global motion of each movie' 'Micrograph and motion' 'Displacement along y' 'Power spectra' 'Thon rings' \
  'Ring correlation' '<td class="v">is cut off'; do
  grep -q "$part" out/report.html || fail "report.html lacks: $part"
done
run data/*.tif data/none.tif -o strict "${common[@]}" --strict && fail "--strict: exit code 0"
grep -q '^quern: 3 of 6 movies were left out, see strict/movies.csv; the first because: ' message || fail "--strict: $(cat message)"
[ -s strict/run.json ] || fail "--strict: no results"
le() { local n=$1; for _ in 1 2 3 4; do printf '%b' "\\x$(printf %02x $((n % 256)))"; n=$((n / 256)); done; }
{ for n in 64 64 3 6 0 0 0 64 64 3; do le $n; done; head -c 984 /dev/zero; head -c $((64 * 64 * 6)) data/a.tif; } >plain.mrc
run plain.mrc plain.mrc -o x --dose 1.5 && fail "without a pixel size: exit code 0"
grep -q '^quern: none of 2 movies could be used, the first because: plain.mrc: states no pixel size; expected --pixel' message ||
  fail "without a pixel size: $(cat message)"
run data/a.tif -o turned "${common[@]}" --gain-flip 2 && fail "a gain that is turned: exit code 0"
grep -q -- '--gain-flip 0' message || fail "a gain that is turned: $(cat message)"
[ ! -e turned ] || fail "a gain that is turned: left its folder"

# ---- going on ----

cp -p out/a.mrc a.mrc
touch -d '2001-01-01' out/a.mrc out/d.mrc
rm out/b_c_noDW.mrc data/cut.tif
cp data/d.tif data/e.tif
run data/*.tif -o out "${common[@]}" --resume || fail "--resume: $(cat message)"
[ "$(date -r out/a.mrc +%Y)" = 2001 ] || fail "--resume: a.mrc was written again"
[ -s out/b_c_noDW.mrc ] && [ -s out/e.mrc ] || fail "--resume: a file was not written"
same a.mrc out/e.mrc "--resume"
[ "$(wc -l <out/movies.csv)" -eq 6 ] || fail "--resume: $(cat out/movies.csv)"
touch -d '2002-02-02' data/a.tif # another second than that of its making, however fast the runs before were
run data/a.tif -o out "${common[@]}" --resume || fail "a movie of another date: $(cat message)"
[ "$(date -r out/a.mrc +%Y)" != 2001 ] || fail "a movie of another date: was skipped"
run data/a.tif -o out "${common[@]}" --resume --bin 2 && fail "--resume --bin 2: exit code 0"
grep -q 'bin=' message || fail "--resume --bin 2: $(cat message)"

# ---- outputs ----

run data/a.tif -o sums --pixel 1.5 --gain gain.mrc --even-odd --spectrum-size 0 --threads 1 || fail "sums: $(cat message)"
[ ! -e sums/a_noDW.mrc ] && [ ! -e sums/a_PS.mrc ] || fail "sums: files that were not asked for"
same_sum() { # the second and the third add up to the first, within rounding
  paste <(values "$1") <(values "$2") <(values "$3") |
    awk '{ d = $1 - $2 - $3; s += d * d; t += $1 * $1 } END { exit !(s <= 1e-10 * t) }'
}
same_sum sums/a.mrc sums/a_EVN.mrc sums/a_ODD.mrc || fail "even and odd sums"
paste <(values sums/a.mrc) <(values out/a_noDW.mrc) | awk '{ d = $1 - $2; s += d * d; t += $1 * $1 } END { exit !(s <= 1e-10 * t) }' ||
  fail "the sum without weights depends on the weights"
run data/a.tif -o half "${common[@]}" --float16 --bin 1.5 || fail "--float16: $(cat message)"
[ "$(stat -c %s half/a.mrc)" -eq $((1024 + 2 * 213 * 170)) ] || fail "--float16 --bin 1.5: $(stat -c %s half/a.mrc) bytes"
run data/a.tif -o few "${common[@]}" --frames 3-6 || fail "--frames: $(cat message)"
[ "$(grep -c -- '-9999' few/a.star)" -eq 4 ] || fail "--frames: unused frames have shifts"
grep -q '^_rlnMicrographStartFrame 3' few/a.star || fail "--frames: another first frame"
printf '4 2 1.5\n4 1 1.5\n' >fractions.txt
run data/a.tif -o groups --pixel 1.5 --gain gain.mrc --fractions fractions.txt || fail "--fractions: $(cat message)"
grep -q ',6,1.5,300,12.000,' groups/movies.csv || fail "--fractions: $(cat groups/movies.csv)"

# A gain of 1 whose first pixel is dead: flipped, the last pixel of the first row is.
{ for n in 320 256 1 2 0 0 0 320 256 1; do le $n; done; head -c 984 /dev/zero; printf '\0\0\0\0'
  printf '\0\0\200\077%.0s' $(seq $((320 * 256 - 1))); } >ones.mrc
run data/a.tif -o flipped --pixel 1.5 --gain ones.mrc --gain-flip 2 || fail "--gain-flip: $(cat message)"
[ "$(values flipped/gain_320x256.mrc | awk '$1 == 0 { print NR }')" = 320 ] || fail "--gain-flip: another gain was written"
grep -q '^_rlnMicrographGainName flipped/gain_320x256.mrc' flipped/a.star || fail "--gain-flip: $(grep Gain flipped/a.star)"
grep -q '"gain_320x256.mrc"' flipped/run.json || fail "--gain-flip: run.json lacks the gain"

# ---- a folder that is watched ----

# A copy that stands still for 12 seconds is incomplete first and processed again; a link leads into a circle.
mkdir -p watched/deep
cp data/a.tif watched/deep
ln -s .. watched/deep/circle
head -c 100000 data/d.tif >watched/slow.tif
"$quern" movie --watch watched -o watch "${common[@]}" --idle 14 --device host --quiet >output 2>message &
running=$!
sleep 2
cp data/d.tif watched/.copying.tif
cp data/d.tif watched/late.tif
sleep 10
cp data/d.tif watched/slow.tif
wait $running || fail "--watch: $(cat message)"
[ -s watch/deep/a.mrc ] && [ -s watch/late.mrc ] && [ -s watch/run.json ] || fail "--watch: $(find watch)"
[ "$(grep -c '^watch' watch/movies.csv)" -eq 3 ] || fail "--watch: $(cat watch/movies.csv)"
grep -q 'left out: watched/slow.tif: is cut off' message || fail "--watch: an incomplete file was no trouble: $(cat message)"
same watch/late.mrc a.mrc "--watch"
same watch/slow.mrc a.mrc "--watch, a file that grew"

# ---- RELION ----

if command -v relion_run_motioncorr >/dev/null; then
  { printf 'data_optics\n\nloop_\n_rlnOpticsGroupName\n_rlnOpticsGroup\n_rlnMicrographOriginalPixelSize\n_rlnVoltage\n'
    printf '_rlnSphericalAberration\n_rlnAmplitudeContrast\ng 1 1.5 300 2.7 0.1\n\n\ndata_movies\n\nloop_\n'
    printf '_rlnMicrographMovieName\n_rlnOpticsGroup\ndata/a.tif 1\ndata/d.tif 1\n\n'; } >movies.star
  run movies.star -o job --dose 1.5 --gain gain.mrc || fail "a STAR file: $(cat message)"
  same job/data/a.mrc a.mrc "a STAR file"
  cksum job/data/*.mrc >before
  relion_run_motioncorr --use_own --i movies.star --o job/ --j 1 --dose_weighting --dose_per_frame 1.5 --save_noDW \
    --gainref gain.mrc --only_do_unfinished >relion 2>&1 || fail "RELION: $(tail -n 3 relion)"
  cksum job/data/*.mrc | cmp -s - before || fail "RELION made the micrographs again"
  [ "$(grep -c 'job/data/.*\.mrc' job/corrected_micrographs.star)" -eq 2 ] || fail "RELION: $(cat job/corrected_micrographs.star)"
else
  echo "without RELION, which is not installed"
fi
[ $failures -eq 0 ]
