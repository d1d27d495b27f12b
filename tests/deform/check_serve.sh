#!/usr/bin/env bash
# labels: unsanitized
# alone: it depends on times, which other tests would disturb
# check_serve.sh SOURCE QUERN BUILD: quern deform serve from the command line, with the clients of examples/deform: the same
# forces as a simulated hand's, a second hand, a viewer, hands that are killed, stall or send lies; Ctrl-C ends it cleanly.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
"$quern" deform -h >/dev/null 2>&1 || { echo "this build has no deform command"; exit 77; }
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
. "$1/tests/support/script.sh"
export LC_ALL=C
set -m # otherwise background processes ignore Ctrl-C
cd "$work" || exit 1
body=("$source/examples/deform/lobe.msh" --fix tag:held --contact 'x>0.1' --material svk:10000,0.45 --step 0.005 --reach -0.01:0.01,0:0.01,0:0.01)
"$quern" deform serve "${body[@]}" --listen unix:"$work/hand" >said 2>log &
server=$!
for _ in $(seq 200); do [ ! -S hand ] || break; sleep 0.05; done
[ -S hand ] || { cat log; fail "no socket after 10 s"; kill -KILL $server; exit 1; }
alive() { kill -0 $server 2>/dev/null || { cat log; fail "the server has ended after $1"; exit 1; }; }

# The circle of the clients, as a hand's file: the largest force must be the same.
awk 'BEGIN { print "t,x,y,z"; for (i = 0; i <= 500; i++) { a = 6.283185307179586 * i / 500
  printf "%.4f,%.9g,%.9g,0\n", i / 500, 0.005 * sin(a), 0.005 * (1 - cos(a)) } }' >circle.csv
"$quern" deform simulate "${body[@]}" --hand circle.csv --clock simulated --checks 0 --quiet -o circle 2>simulated || fail "the circle: $(cat simulated)"
expected=$(sed -n 's/.*"largest_force_N": \([0-9.e-]*\).*/\1/p' circle/run.json)
check_hand() { # check_hand FILE: what a client printed
  awk -v e="$expected" '/answers,/ { f = $(NF - 1); d = f - e; if ($1 == 2000 && d * d < 1e-6 * e * e) good = 1 } END { exit !good }' "$1" ||
    fail "$1: $(tail -n 1 "$1"); expected 2000 answers and $expected N"
}

# A hand in Python. Then one that holds on until it is told, while a viewer comes, and a second hand, which is dismissed.
client=$source/examples/deform/client.py
python3 "$client" unix:hand >first 2>&1 || fail "a hand: $(cat first)"
check_hand first
python3 - <<'END' &
import os, socket, struct, time
server = socket.socket(socket.AF_UNIX)
server.connect("hand")
number = 0
while not os.path.exists("enough"):
    number += 1
    server.sendall(struct.pack("<4sIQ4dII8x", b"QHP1", 64, number, 0, 0.001, 0.001, 0.001, 0, 1))
    if b"QHF1" in server.recv(65536):
        open("holding", "w").close()
    time.sleep(0.01)
END
holder=$!
for _ in $(seq 200); do [ ! -e holding ] || break; sleep 0.05; done
python3 "$client" unix:hand >second 2>&1 && fail "a second hand was not dismissed"
grep -q 'another hand' second || fail "a second hand: $(cat second)"
python3 "$client" --shape unix:hand >shapes 2>&1 || fail "a viewer: $(cat shapes)"
touch enough
wait $holder
[ "$(grep -c 'the largest displacement is' shapes)" -eq 10 ] || fail "a viewer saw $(cat shapes)"
alive "two hands and a viewer"

# A hand in C, which a second one in its place follows after a kill.
if cc -O1 -o client "$source/examples/deform/client.c" -lm 2>made; then
  ./client unix:hand >killed 2>&1 &
  killed=$!
  sleep 0.3
  { kill -KILL $killed; wait $killed; } 2>/dev/null
  for _ in $(seq 10); do # until the server has seen that the other is gone
    if ./client unix:hand >third 2>&1; then break; fi
    sleep 0.2
  done
  check_hand third
  alive "a hand was killed"
else
  fail "client.c: $(head -n 3 made)"
fi

# Lies: what is no frame, a size, a place that is no number, a frame that is cut short. Each is told why; then a good hand.
python3 - >lies 2>&1 <<'END' || fail "lies: $(cat lies)"
import json, socket, struct, time
HAND = struct.Struct("<4sIQ4dII8x")
def connect():
    server = socket.socket(socket.AF_UNIX)
    server.settimeout(5)
    server.connect("hand")
    stream = server.makefile("rb")
    json.loads(stream.readline())
    return server, stream
def dismissal(frame):
    server, stream = connect()
    server.sendall(frame)
    while True: # forces may come before it
        first = stream.read(1)
        if first == b"{":
            return json.loads(first + stream.readline())["error"]
        if not first:
            return ""
        stream.read(63)
for frame in (b"GET / HTTP/1.1\r\n" + 48 * b" ", HAND.pack(b"QHP1", 65, 1, 0, 0, 0, 0, 0, 1),
              HAND.pack(b"QHP1", 64, 1, 0, float("nan"), 0, 0, 0, 1),
              HAND.pack(b"QHP1", 64, 2, 0, 0, 0, 0, 0, 1) + HAND.pack(b"QHP1", 64, 2, 0, 0, 0, 0, 0, 1)):
    told = dismissal(frame)
    assert "expected" in told, (frame, told)
server, stream = connect()
server.sendall(HAND.pack(b"QHP1", 64, 1, 0, 0, 0, 0, 0, 1)[:20])
server.close()
time.sleep(0.3)
# a hand that stalls feels nothing after 0.2 s, and far outside of the reach a force with flags
server, stream = connect()
place = (1.0, -1e300, 0.005)
server.sendall(HAND.pack(b"QHP1", 64, 1, 0, *place, 0, 1))
flags = set()
for _ in range(300):
    magic, size, number, time_s, *force, flag, age, i, j, k = struct.unpack("<4sIQ4dII3h2x", stream.read(64))
    assert all(abs(f) < 1e3 for f in force), force
    flags.add(flag & 16)
assert 16 in flags and flag & 64 and force == [0, 0, 0], (flags, flag, force)
END
alive "lies"

# Another server at the same socket is refused; Ctrl-C ends this one.
"$quern" deform serve "${body[@]}" --listen unix:"$work/hand" --quiet >other 2>&1 && fail "two servers at one socket"
grep -q '^quern: .*hand' other && grep -q 'in use\|another' other || fail "a second server: $(cat other)"
alive "another server"
kill -INT $server
for _ in $(seq 100); do kill -0 $server 2>/dev/null || break; sleep 0.05; done
kill -0 $server 2>/dev/null && { kill -KILL $server; fail "Ctrl-C did not end the server in 5 s"; }
wait $server
code=$?
[ $code -eq 0 ] || [ $code -eq 130 ] || fail "Ctrl-C: exit code $code, $(cat log)"
[ ! -e hand ] || fail "the socket is still there"
grep -q ' ticks, ' said || fail "the server says $(cat said), $(cat log)"
[ $failures -eq 0 ]
