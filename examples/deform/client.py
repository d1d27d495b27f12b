#!/usr/bin/env python3
"""A hand for quern's server of deformable bodies: moves the tool along a circle for two seconds and prints the force
that it feels. With --shape it watches the body instead. The protocol is in docs/formats/haptic_protocol.md.

    client.py unix:/tmp/hand
    client.py --shape tcp:127.0.0.1:7391
"""
import json
import math
import socket
import struct
import sys
import time

HAND = struct.Struct("<4sIQ4dII8x")  # magic, size, number, time, place, buttons, flags
FORCE = struct.Struct("<4sIQ4dII3h2x")  # magic, size, number, time, force, flags, age, cell
RADIUS_M, TURNS_PER_S, SECONDS = 0.005, 1.0, 2.0


def connect(address):
    kind, _, place = address.partition(":")
    if kind == "unix":
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        server.connect(place)
        return server
    host, _, port = place.rpartition(":")
    server = socket.create_connection((host.strip("[]"), int(port)))
    server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return server


def read(stream, size):
    """Read `size` bytes. A line of JSON in their place is a dismissal."""
    data = stream.read(size)
    if data[:1] == b"{":
        sys.exit((data + stream.readline()).decode().strip())
    if len(data) < size:
        sys.exit("the server has closed the connection")
    return data


def move(server, stream):
    begin, largest, late, answers = time.monotonic(), 0.0, 0, 0
    for number in range(1, int(1000 * SECONDS) + 1):
        angle = 2 * math.pi * TURNS_PER_S * number / 1000
        place = RADIUS_M * math.sin(angle), RADIUS_M * (1 - math.cos(angle)), 0.0
        server.sendall(HAND.pack(b"QHP1", 64, number, number / 1000, *place, 0, 1))
        answered = 0
        while answered < number:  # the server may have answered the frame before again while it waited
            magic, _, answered, tick_s, *force, flags, age_us, i, j, k = FORCE.unpack(read(stream, 64))
            assert magic == b"QHF1"
        largest = max(largest, math.hypot(*force))
        late += flags & 1
        answers += 1
        if number % 200 == 0:
            print(f"{tick_s:.3f} s: " + " ".join(f"{f:8.5f}" for f in force) + f" N, flags {flags}")
        time.sleep(max(0.0, begin + number / 1000 - time.monotonic()))
    print(f"{answers} answers, {late} of them late, the largest force {largest:.6f} N")


def watch(server, stream, nodes):
    server.sendall(HAND.pack(b"QHS1", 64, 0, 0, 0, 0, 0, 0, 0))
    for shape in range(50):
        x = struct.unpack(f"<{3 * nodes}f", read(stream, 12 * nodes))
        farthest = max(math.hypot(*x[at:at + 3]) for at in range(0, 3 * nodes, 3))
        if shape % 5 == 4:
            print(f"shape {shape + 1}: the largest displacement is {1000 * farthest:.3f} mm")


def main():
    address = sys.argv[-1]
    server = connect(address)
    stream = server.makefile("rb")
    greeting = json.loads(stream.readline())
    print(greeting)
    if "--shape" in sys.argv:
        watch(server, stream, greeting["nodes"])
    else:
        move(server, stream)


main()
