#!/usr/bin/env bash
# check_project.sh SOURCE QUERN BUILD: output, messages and files of quern project.
set -u
quern=$2
. "$1/tests/support/script.sh"
cd "$work" || exit 1

word() { printf "\\x$(printf %02x $(($1 & 255)))\\x$(printf %02x $(($1 >> 8 & 255)))\\0\\0"; }
# write_map SIDE DEPTH: signed bytes that change along all axes, in cells of 2 Å
write_map() {
  for number in "$1" "$1" "$2" 0 0 0 0 "$1" "$1" "$2"; do word "$number"; done
  for number in "$1" "$1" "$2"; do
    case $number in 16) printf '\0\0\0\x42' ;; 12) printf '\0\0\xc0\x41' ;; esac # 32 and 24 as floats
  done
  head -c 156 /dev/zero
  printf 'MAP DA\0\0'
  head -c 808 /dev/zero
  awk -v count=$(($1 * $1 * $2)) 'BEGIN { for (i = 0; i < count; i++) printf "%c", 32 + (i * 37 + int(i / 256) * 11) % 90 }'
}
write_map 16 16 >map.mrc
write_map 16 12 >flat.mrc
[ "$(wc -c <map.mrc)" = 5120 ] || fail "the map that was made has $(wc -c <map.mrc) bytes"
project() { "$quern" project map.mrc --device host --tune off "$@"; }

# A stack with its metadata, and the reported speed.
out=$(project --views 9 -o views.mrcs 2>progress) || fail "9 views: exit code $?"
case $out in "9 images of 16 x 16 pixels of 2 Å in views.mrcs, "*" images/s") ;; *) fail "said: $out" ;; esac
grep -q "projecting .*9/9 images" progress || fail "no progress: $(cat progress)"
[ "$(wc -c <views.mrcs)" = $((1024 + 9 * 16 * 16 * 4)) ] || fail "views.mrcs has $(wc -c <views.mrcs) bytes"
[ "$(grep -c '@views.mrcs' views.star)" = 9 ] || fail "views.star does not name 9 images"
[ "$(ls)" = $'flat.mrc\nmap.mrc\nprogress\nviews.mrcs\nviews.star\nviews_run.json' ] || fail "other files were left: $(ls)"

# The written stack can be read from any folder, and the same views give the same images.
mkdir -p below
project --angles views.star -o below/again.mrcs --quiet >out 2>&1 || fail "its own metadata: $(cat out)"
[ ! -s out ] || fail "--quiet said: $(cat out)"
project --angles views.star -o same.mrcs --quiet --threads 1 || fail "one thread"
cmp -s <(tail -c +1025 same.mrcs) <(tail -c +1025 below/again.mrcs) || fail "the same angles give different images"
project --angles views.star -o noisy.mrcs --noise 2 --seed 5 --quiet || fail "noise"
cmp -s <(tail -c +1025 same.mrcs) <(tail -c +1025 noisy.mrcs) && fail "noise changed nothing"

# One sentence for each error, and nothing written.
refused() { # refused CODE PART ARGUMENTS…
  local code=$1 part=$2 status
  shift 2
  "$quern" project "$@" --device host --quiet >out 2>message
  status=$?
  [ $status = "$code" ] || fail "$*: exit code $status, expected $code"
  case $(cat message) in "quern: "*"$part"*) ;; *) fail "$*: unexpected message: $(cat message)" ;; esac
  [ "$(wc -l <message)" = 1 ] && [ ! -s out ] || fail "$*: not one sentence: $(cat out message)"
  [ -z "$(find . -name 'wrong*')" ] || fail "$*: left $(find . -name 'wrong*')"
}
sed 's/^_rlnAngleTilt.*/_rlnAngleTurn #4/' views.star >untilted.star
sed '/@views.mrcs/s/@views.mrcs 1 [^ ]*/@views.mrcs 1 nan/' views.star >nan.star
refused 2 "expected one of them" map.mrc -o wrong.mrcs
refused 2 "expected one of them" map.mrc --views 3 --angles views.star -o wrong.mrcs
refused 2 "--noise" map.mrc --views 3 --noise nan -o wrong.mrcs
refused 2 "--noise" map.mrc --views 3 --noise -1 -o wrong.mrcs
refused 2 "--output" map.mrc --views 3
refused 1 "absent.mrc" absent.mrc --views 3 -o wrong.mrcs
refused 1 "16 x 16 x 12 voxels; expected a cube" flat.mrc --views 3 -o wrong.mrcs
refused 1 "absent.star" map.mrc --angles absent.star -o wrong.mrcs
refused 1 "untilted.star" map.mrc --angles untilted.star -o wrong.mrcs
refused 1 "nan" map.mrc --angles nan.star -o wrong.mrcs
refused 1 "expected rlnDefocusU, rlnVoltage, rlnSphericalAberration, rlnAmplitudeContrast" map.mrc --angles views.star --ctf -o wrong.mrcs
refused 2 "--ctf is of particles" map.mrc --views 3 --ctf -o wrong.mrcs
refused 1 "the folder absent is not there" map.mrc --views 3 -o absent/wrong.mrcs
refused 2 "ends in .mrcs" map.mrc --views 3 -o wrong.mrc
refused 2 '--padding is "1.2"; expected one of: 1 1.5 2' map.mrc --views 3 --padding 1.2 -o wrong.mrcs
refused 2 "none of the inputs" map.mrc --angles views.star -o views.mrcs
refused 1 "views.mrcs: holds a finished run; --overwrite replaces it" map.mrc --views 3 -o views.mrcs
touch unlike.star
refused 1 "unlike.star: exists already" map.mrc --views 3 -o unlike.mrcs
[ ! -s unlike.star ] && [ ! -e unlike.mrcs ] || fail "an existing file was overwritten"
head -c 4000 map.mrc >short.mrc
refused 1 "short.mrc" short.mrc --views 3 -o wrong.mrcs

# A pixel size that differs gives a warning.
sed '/^1 opticsGroup1/s/2\.000000/2.100000/' views.star >larger.star
project --angles larger.star -o other.mrcs --quiet 2>message || fail "pixels of another size"
grep -q "^warning: .*pixels of 2.1 Å, the map voxels of 2 Å" message || fail "no warning of pixels: $(cat message)"

# Voxel sizes that a user states, and a map that states none.
for name in --pixel --angpix; do
  out=$(project --views 1 $name 3 -o pixel.mrcs --overwrite 2>message) || fail "$name: $(cat message)"
  case $out in "1 image of 16 x 16 pixels of 3 Å in "*) ;; *) fail "$name 3 said: $out" ;; esac
  grep -qF "warning: map.mrc: has voxels of 2 Å; --pixel 3 is used instead" message || fail "$name 3: $(cat message)"
done
{ head -c 40 map.mrc && head -c 12 /dev/zero && tail -c +53 map.mrc; } >sizeless.mrc
"$quern" project sizeless.mrc --views 3 -o sizeless.mrcs --device host --quiet 2>message || fail "no voxel size: $(cat message)"
grep -q "^warning: sizeless.mrc: does not state the size of its voxels; 1 Å is assumed" message || fail "no voxel size: $(cat message)"
grep -q "does not state the size of its voxels" sizeless_run.json || fail "no voxel size: no warning in run.json"
"$quern" project sizeless.mrc --views 3 --pixel 2 -o sizeless.mrcs --device host --quiet --overwrite >message 2>&1 || fail "--pixel"
[ ! -s message ] || fail "--pixel said: $(cat message)"
project --angles views.star --last 40 -o other.mrcs --quiet --overwrite 2>message || fail "--last 40"
grep -q "^warning: .*views.star: --last is 40, but the last particle is 9" message || fail "--last 40: $(cat message)"

# An interrupted run leaves no file.
"$quern" project map.mrc --views 300000 -o wrong.mrcs --device host --quiet 2>message &
pid=$!
for _ in $(seq 100); do
  [ -n "$(find . -name 'wrong.mrcs*')" ] && break
  sleep 0.1
done
kill -TERM $pid # treated like SIGINT, which shells block for background processes
wait $pid
[ $? = 143 ] || fail "a run that got SIGTERM did not end with 143"
grep -q "stopped after .* of 300000 images" message || fail "an interrupted run said: $(cat message)"
grep -q resume message && fail "an interrupted run offers to resume: $(cat message)"
[ -z "$(find . -name 'wrong*')" ] || fail "an interrupted run left $(find . -name 'wrong*')"

[ $failures -eq 0 ]
