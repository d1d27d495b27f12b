#!/usr/bin/env bash
# labels: unsanitized
# check_tuning.sh SOURCE QUERN BUILD: a docking run has the same results, byte for byte, in every tuning mode; the
# tuner's best configurations are stored and used later; wrong options are refused.
set -u
source=$1 quern=$2
receptor=$source/examples/1ppe/1PPE_r_u.pdb ligand=$source/examples/1ppe/1PPE_l_u_rnd.pdb
. "$1/tests/support/script.sh"
cd "$work" || exit 1
export QUERN_TUNING_STORE="$work/tuning.db"
dock() { # dock NAME options…
  local name=$1
  shift
  "$quern" dock "$receptor" "$ligand" --spacing 3 --rotations 100 --keep 50 --no-refinement --batch 1 -o "$name" "$@" \
    >"$name.log" 2>&1 || { fail "the run $name"; tail -n 5 "$name.log"; }
}
same() { # same A B: every file without times is equal
  local file
  for file in "$1"/*.csv "$1"/*/*.csv "$1"/*.pdb "$1"/*/*.pdb; do
    [ -f "$file" ] || continue
    cmp -s "$file" "$2/${file#"$1"/}" || fail "${file#"$1"/} differs between $1 and $2"
  done
  [ -s "$1/poses.csv" ] || fail "$1 has no poses"
}

for device in host opencl:0; do
  "$quern" devices 2>/dev/null | grep -q "^${device%:0} *\|^$device " || continue
  plain=plain-${device%:0}
  fft=own
  [ $device = host ] || fft=auto
  dock "$plain" --tune off --device $device --fft $fft
  grep -q '^tuned' "$plain.log" && fail "tuning is off, but the log reports tuning"
  dock "online-$device" --tune online --tune-budget 50% --device $device --fft $fft
  same "$plain" "online-$device"
  # compiling for an OpenCL CPU can take longer than this short run
  [ $device != host ] || grep -q 'tuned dock/' "online-$device.log" || { fail "online tuning on $device reports nothing"; tail -n 5 "online-$device.log"; }
  dock "again-$device" --tune online --device $device --fft $fft --explain
  same "$plain" "again-$device"
  grep -q 'dock/.*(tuned here)\|dock/.*(found on\|dock/.*(shipped for this device)\|dock/.*(fallback)' "again-$device.log" || fail "the origin is not explained on $device"
  dock "known-$device" --tune known --device $device --fft $fft --explain
  same "$plain" "known-$device"
  grep -q '(tuned here)' "known-$device.log" || fail "the stored configuration of $device is not used"
  grep -q 'tuned dock/' "known-$device.log" && fail "--tune known still explores"
done
dock first --tune offline --device host --fft own
same plain-host first
QUERN_TUNE=off dock environment --explain --device host --fft own
grep -q '(tuned here)' environment.log && fail "QUERN_TUNE=off is ignored"

wrong() { # wrong WORDS options…: refused with a message that has the words
  local words=$1
  shift
  "$quern" dock "$receptor" "$ligand" -o refused "$@" >wrong.log 2>&1 && fail "$* is accepted"
  grep -q -- "$words" wrong.log || { fail "$*: the message lacks \"$words\""; cat wrong.log; }
}
wrong '--tune-budget is "5 apples"' --tune-budget '5 apples'
wrong '--tune-budget is "0"' --tune-budget 0
QUERN_TUNE=never wrong 'QUERN_TUNE: --tune is "never"'
[ $failures -eq 0 ]
