#!/usr/bin/env bash
# check_running.sh SOURCE QUERN BUILD: quern trajectory --live on simulations that test_frames_live imitates with
# the water of examples/. Checks that results equal those of the file, results during the run, endings and broken
# packets.
set -u
quern=$2 player=$3/tests/test_frames_live
water=$(cd "$1/examples/water" && pwd)
[ -x "$player" ] || { echo "test_frames_live is not built"; exit 1; }
. "$1/tests/support/script.sh"
cd "$work" || exit 1
export QUERN_TUNE=off
rows() { grep -v '^[#@]' "$1"; }
# Values of imd_server.h.
not_imd=2 more_atoms=8 cut=14

# play VERSION TROUBLE: a simulation that listens at $address and writes the client's messages into the file heard.
play() {
    rm -f heard
    "$player" serve "$water/water.xtc" "$1" "$2" >heard &
    playing=$!
    while [ ! -s heard ] && kill -0 $playing 2>/dev/null; do sleep 0.05; done
    address=localhost:$(head -n 1 heard)
}
# near FILE FILE TOLERANCE [FIRST COLUMN]
near() {
    paste -d ' ' <(rows "$1") <(rows "$2") | awk -v tolerance="$3" -v first="${4:-1}" '
        { for (i = first; i <= NF / 2; i++) { d = $i - $(i + NF / 2); if (d < 0) d = -d; if (!(d <= tolerance)) bad++ } }
        NF % 2 { bad++ } END { exit bad > 0 || NR == 0 }'
}

cat >plan.yaml <<EOF
topology: $water/water.tpr
trajectory: $water/water.xtc
queries:
  - com
  - query: msd
    of: molecules
    whole: yes
  - dipole
  - volume
EOF
"$quern" trajectory run plan.yaml --quiet --output file || fail "the file itself"

# Version 3 sends times and boxes: the results equal those of the file, except for the last digit of floats in Å (2e-7
# nm; volumes 5e-6 nm³).
play 3 0
"$quern" trajectory run plan.yaml --quiet --live "$address" --live-every 100 --output third 2>err || fail "version 3: $(cat err)"
wait $playing
for table in com msd volume; do near "third/$table.xvg" "file/$table.xvg" 1e-5 || fail "$table of version 3"; done
near third/dipole.xvg file/dipole.xvg 2e-4 || fail "dipole of version 3" # in e nm and D: a sum over 466 molecules
grep -q 'sent 21, rate 100,' heard || fail "the simulation heard: $(cat heard)"
grep -q '"received": 21' third/run.json && grep -q 'ended the connection after 21 frames' third/run.json || fail "run.json: $(grep -A 8 '"live": {' third/run.json)"

# Version 2 sends neither times nor boxes: rows have frame numbers, and the box comes from the topology.
play 2 0
"$quern" trajectory run plan.yaml --quiet --live "$address" --output second 2>err || fail "version 2: $(cat err)"
wait $playing
for table in com volume; do near "second/$table.xvg" "file/$table.xvg" 1e-5 2 || fail "$table of version 2"; done
[ "$(rows second/com.xvg | cut -d ' ' -f 1 | paste -sd ' ')" = "$(seq -s ' ' 0 20)" ] || fail "x of version 2: $(rows second/com.xvg | cut -d ' ' -f 1 | paste -sd ' ')"

# The short form of a query. A connection that is cut in frame 5 gives results of five frames and a warning.
play 3 $cut
"$quern" trajectory dipole "$water/water.tpr" --live "$address" --output cut >out 2>err || fail "a cut connection: $(cat err)"
wait $playing
near cut/dipole.xvg <(rows file/dipole.xvg | head -n 5) 2e-4 || fail "frames before a cut"
grep -q 'cut inside frame 5' err || fail "no warning of the cut: $(cat err)"
grep -q 'cut inside frame 5' cut/report.html || fail "the report does not mention the cut"

# Broken packets: results of the frames before, place and reason, exit code 1.
play 3 $more_atoms
"$quern" trajectory dipole "$water/water.tpr" --quiet --live "$address" --output broken >out 2>err
[ $? = 1 ] || fail "exit code of broken packets"
wait $playing
grep -q "$address: frame 5: coordinates of 1399 atoms came; expected 1398" err || fail "broken packets: $(cat err)"
near broken/dipole.xvg <(rows file/dipole.xvg | head -n 5) 2e-4 || fail "frames before broken packets"
play 2 $not_imd
"$quern" trajectory dipole "$water/water.tpr" --quiet --live "$address" --output none >out 2>err
[ $? = 1 ] && grep -q "$address: the first packet is of type 1213486160" err || fail "no IMD: $(cat err)"
wait $playing
[ ! -e none ] || fail "a refused simulation leaves a folder"
[ $failures -eq 0 ]
