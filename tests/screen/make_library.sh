#!/usr/bin/env bash
# make_library.sh SDF COUNT SEED [EVERY]: write a library of COUNT molecules to standard output, made from the molecules
# of SDF: rotated at random, their atoms moved a little, and renamed M00000, M00001 … One in EVERY (default 100) is
# broken, in one of ten ways in turn, and called BROKEN_<way>_<number>. The same arguments give the same bytes.
set -eu
export LC_ALL=C
awk -v count="$2" -v seed="$3" -v every="${4:-100}" '
function noise() { # in (-0.5, 0.5); the generator of Park and Miller, the same on every machine, unlike rand()
    state = (state * 16807) % 2147483647
    return state / 2147483647 - 0.5
}
function turn(    a, b, c, d, n) { # a rotation matrix from a random quaternion
    do { a = 2 * noise(); b = 2 * noise(); c = 2 * noise(); d = 2 * noise(); n = a * a + b * b + c * c + d * d } while (n > 1 || n < 0.01)
    n = sqrt(n); a /= n; b /= n; c /= n; d /= n
    r[0] = a * a + b * b - c * c - d * d; r[1] = 2 * (b * c - a * d); r[2] = 2 * (b * d + a * c)
    r[3] = 2 * (b * c + a * d); r[4] = a * a - b * b + c * c - d * d; r[5] = 2 * (c * d - a * b)
    r[6] = 2 * (b * d - a * c); r[7] = 2 * (c * d + a * b); r[8] = a * a - b * b - c * c + d * d
}
function atom(line, way, number,    x, y, z, i, p) {
    x = substr(line, 1, 10); y = substr(line, 11, 10); z = substr(line, 21, 10)
    for (i = 0; i < 3; i++) p[i] = r[3 * i] * x + r[3 * i + 1] * y + r[3 * i + 2] * z + 0.04 * noise()
    if (way == 3 && number == 2) return sprintf("%10.4f%10s%10.4f%s", p[0], "1.2.3", p[2], substr(line, 31))
    if (way == 4 && number == 1) return sprintf("%10.4f%10.4f%10s%s", p[0], p[1], "nan", substr(line, 31))
    if (way == 5) p[2] = 0
    if (way == 6) return sprintf("%10.4f%10.4f%10.4f H  %s", p[0], p[1], p[2], substr(line, 35))
    return sprintf("%10.4f%10.4f%10.4f%s", p[0], p[1], p[2], substr(line, 31))
}
function put(from, name, way,    i, atoms, bonds, line) {
    turn()
    for (i = 1; i <= lines[from]; i++) {
        line = text[from, i]
        if (i == 4) { atoms = substr(line, 1, 3) + 0; bonds = substr(line, 4, 3) + 0 }
        if (i == 1) line = name
        if (i == 2 && way == 5) line = "" # the line would state three dimensions
        if (i == 4 && way == 0) line = "no counts here"
        if (i == 4 && way == 1) line = sprintf("%3d%s", atoms + 40, substr(line, 4)) # more atoms than the record has
        if (i == 4 && way == 2) line = "  0  0" substr(line, 7)
        if (i > 4 && i <= 4 + atoms && way == 2) continue
        if (i > 4 + atoms && i <= 4 + atoms + bonds && way == 2) continue
        if (i > 4 && i <= 4 + atoms) line = atom(line, way, i - 4)
        if (i == 5 + atoms && way == 7) line = sprintf("%3d%3d%s", 1, 900, substr(line, 7)) # a bond to an atom that does not exist
        if (i == 5 + atoms && way == 8) line = sprintf("%s  7%s", substr(line, 1, 6), substr(line, 10)) # an unknown order
        if (i == 5 + int(atoms / 2) && way == 9) break # cut off within its atoms
        print line
    }
    print "$$$$"
}
BEGIN { state = seed % 2147483646 + 1; molecules = 0; line_count = 0 }
/^\$\$\$\$/ { lines[molecules++] = line_count; line_count = 0; next }
{ sub(/\r$/, ""); text[molecules, ++line_count] = $0 }
END {
    for (m = 0; m < count; m++) {
        way = m % every == int(0.37 * every) ? int(m / every) % 10 : -1
        put(m % molecules, way < 0 ? sprintf("M%05d", m) : sprintf("BROKEN_%d_%05d", way, m), way)
    }
}' "$1"
