#!/usr/bin/env python3
"""Writes expressions.txt, a table of expressions with the values that Python gives them (also with C's operators put
in Python's words by hand). Run it only to add a line:  python3 expressions.py > expressions.txt"""
import math
from math import ceil, floor, log2, sqrt

VARIABLES = {"x": 7, "y": -3, "z": 2.5, "big": 9007199254740993, "layout": "row", "flag": True, "nought": 0,
             "device.local_memory_bytes": 49152}
LISTS = {"ProblemSize": [4096, 2048, 1], "tile": [1, 2, 4, 8]}
AS_WRITTEN = """
1 + 2 * 3
(1 + 2) * 3
10 - 3 - 2
7 / 2
-7 / 2
7 // 2
-7 // 2
7 // -2
-7 // -2
7 % 4
-7 % 4
7 % -4
-7 % -4
7.5 // 2
-7.5 // 2
7.5 % 2
-7.5 % 2
7.5 % -2
-0.0 // 3
5.0 % 5
1e300 * 1e7 // 1e300
0.1 + 0.2
0.3 // 0.1
1 // 0.1
2 ** 10
2 ** -1
-2 ** 2
(-2) ** 3
2 ** 3 ** 2
2 ** 0.5
0 ** 0
1 ** 1000000
(-1) ** 1000001
4 ** 2 * 3
-x ** 2
x / y
x // y
x % y
x * z
z // 2
z % 1
x // z
x % z
True + True
flag + 1
flag * x
flag == 1
flag == 1.0
flag and x
x and nought and y
nought or layout
nought or 0.0 or ''
not x
not nought
not x == 7
not x == 8 or nought
1 < 2 < 3
1 < 3 < 2
1 < x < 10
32 <= x * x <= 1024
3 > 2 > 1 == 1
1 == 1.0
1 == True
0 == False
0.0 == -0.0
big == 9007199254740992.0
big > 9007199254740992.0
big < 9007199254740994.0
big != 9007199254740993
big / 3
9223372036854775807 / 9223372036854775806
9223372036854775807 / 3
1 / 9223372036854775807
-9223372036854775808
-9223372036854775808 / 7
-9223372036854775808 % 10
-9223372036854775808 // 10
9223372036854775807 == 9223372036854775808.0
9223372036854775807 < 9223372036854775808.0
'row' == layout
layout == "column"
layout != 3
layout == 3
"a" < "b"
"b" < "ab"
'ro' in layout
layout in ["row", "tile"]
layout not in ["row", "tile"]
x in [1, 7]
x in (1, 2)
7.0 in [x]
x in [1] + [7]
x not in range(3)
x in range(0, 10, 7)
len(layout)
len("")
len([1, 2, 3])
len(tile)
min(3, 2)
max(3, 2, 9)
min(x, z, y)
max(tile)
min([4, 2, 3])
max(i % 5 for i in range(20))
max(1, 1.0)
max(1.0, 1)
min("b", "a")
abs(y)
abs(-2.5)
abs(True)
sum(tile)
sum([0.5, 1], 2)
sum(i * i for i in range(5))
sum([])
round(2.5)
round(3.5)
round(-2.5)
round(2.4)
round(7)
int(2.9)
int(-2.9)
int("12")
int(True)
float(3)
float("1.5")
ceil(2.1)
ceil(-2.1)
floor(-2.1)
floor(3)
ceil(x / 2)
log2(1024)
int(log2(48))
sqrt(2)
math.ceil(4.01)
math.sqrt(16)
ProblemSize[0] // 8
ProblemSize[-1]
ProblemSize[0] * ProblemSize[1]
[1, 2, 3][1]
[[1, 2], [3]][0][1]
(262144 // x) // 2
(ProblemSize[0]+max(tile)-1) * (ProblemSize[1]+len(tile)-1)
1 if x > 3 else 2
1 if x > 30 else 2 if z > 2 else 3
"half" if x == 16 else "float"
(1 if nought else 2) + 3
x & 3
x | 8
x ^ 2
~x
1 << 10
-1 >> 1
-8 >> 70
x & x - 1 == 0
x & (x - 1)
1 | 2 ^ 3 & 4 << 1
True & False
True | 2
+x
--x
- -x
+True
0x1F
0b101
0o17
1_000
1e3
.5
5.
1.5e-3
device.local_memory_bytes // 4
4 * x <= device.local_memory_bytes
nought == 0 or x % nought == 0
nought != 0 and x % nought == 0
[1, 2] == [1, 2.0]
[1, 2] != [1, 2]
[1] == 1
[] or 5
not []
x%4==3
x>3 and x<9
(x)
((x) + ((y)))
"it's"
'a\\nb'
'say "x"'
2**i if False else 3
""".strip("\n").replace("2**i if False else 3", "3").splitlines()
LIST_VALUED = """
[16, 32, 64]
[]
range(3)
range(2, 11, 3)
range(5, 0, -2)
list(range(2))
[2**i for i in range(4, 10)]
[1, 2, 4, 8, 16] + list(range(32, 1024+1, 32))
[i for i in range(1, 10+1)]
[i for i in range(20) if i % 2 == 0 if i % 3 == 0]
[i * 10 + j for i in range(1, 4) for j in range(i)]
[x for x in [1, 2]]
[[i, i + 1][1] for i in tile]
[max(j for j in range(i + 1)) for i in range(3)]
[i for i in [k * 2 for k in range(3)]]
[i for i in tile if i > x // 2]
["row", 'tile']
[True, False]
[0.5, 1, 1.5]
[0] * 3
3 * [1, 2]
[1, 2,]
(1, 2)
[i if i else 5 for i in range(2)]
5
""".strip("\n").splitlines()
IN_C = {"x > 3 && y < 0": "x > 3 and y < 0", "x < 3 || y < 0": "x < 3 or y < 0", "!nought + !x": "(not nought) + (not x)",
        "!x == 0": "(not x) == 0", "x > 3 ? 1 : 2": "1 if x > 3 else 2", "nought ? 1 : x ? 2 : 3": "2",
        "!(x > 3 && y > 0)": "not (x > 3 and y > 0)", "true || false": "True or False", "1 || 0 && 0": "1 or 0 and 0"}


class Device:
    local_memory_bytes = 49152


def value_of(text):
    names = dict(VARIABLES, **LISTS)
    names["device"] = Device
    names.update({f.__name__: f for f in (ceil, floor, log2, sqrt)}, math=math)
    return eval(text, names)


def show(value):
    if isinstance(value, bool):
        return "boolean %d" % value
    if isinstance(value, int):
        return "integer %d" % value
    if isinstance(value, float):
        return "real " + value.hex()
    return "text " + repr(value)[1:-1]


if __name__ == "__main__":
    print("# Made by expressions.py: expression, tab, kind and value (reals as exact hexadecimal, of lists every element).")
    for text in AS_WRITTEN:
        print(text, show(value_of(text)), sep="\t")
    for text, meaning in IN_C.items():
        print(text, show(value_of(meaning)), sep="\t")
    for text in LIST_VALUED:
        value = value_of(text)
        elements = [value] if isinstance(value, int) else list(value)
        print(text, *(show(element) for element in elements), sep="\t")
