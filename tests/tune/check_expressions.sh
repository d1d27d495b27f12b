#!/usr/bin/env bash
# Random expressions have the same values as in Python. Arguments: source folder, quern binary, build folder.
set -u
evaluate=$3/tests/test_expression_expression
[ -x "$evaluate" ] || { echo "no $evaluate"; exit 1; }
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cat >"$folder/make.py" <<'EOF'
import random, sys
seed = int(sys.argv[1])
random.seed(seed)
# The variables of src/expression/tests/test_expression.c.
names = {"x": 7, "y": -3, "z": 2.5, "big": 9007199254740993, "flag": True, "nought": 0, "tile": [1, 2, 4, 8]}
binary = ["+", "-", "*", "/", "//", "%", "<", "<=", ">", ">=", "==", "!=", "and", "or", "&", "|", "^", ">>"]

def expression(depth):
    kind = random.random()
    if depth == 0 or kind < 0.15:
        return random.choice(["x", "y", "z", "big", "flag", "nought", "0.5", "True", str(random.randint(-20, 20)),
                              str(random.randint(0, 2**40)), "tile[%d]" % random.randint(-4, 3), "1e-3"])
    a, b = expression(depth - 1), expression(depth - 1)
    if kind < 0.70:
        return "%s %s %s" % (a, random.choice(binary), b)
    if kind < 0.74:
        return "(%s)" % a
    if kind < 0.78: # small exponents only: Python would compute others for hours
        return random.choice(["%s ** %d" % (a, random.randint(-3, 5)), "(%s << %d)" % (a, random.randint(0, 9))])
    if kind < 0.82:
        return "%s if %s else %s" % (a, b, expression(depth - 1))
    if kind < 0.88:
        return "%s %s" % (random.choice(["-", "+", "~", "not"]), a)
    if kind < 0.94:
        return "%s(%s, %s)" % (random.choice(["min", "max"]), a, b)
    return random.choice(["abs(%s)", "int(%s)", "round(%s)", "sum([%s, 1])", "%s in tile", "len([%s])",
                          "sum(i for i in tile if i < %s)", "max([i * 2 for i in tile] + [%s])"]) % a

for number in range(4000):
    text = expression(4)
    if text.count("**") > 2: # a tower of powers
        continue
    try:
        compile(text, "", "eval")
    except Exception:
        continue
    try:
        value = eval(text, dict(names))
    except OverflowError:
        continue
    except Exception as error:
        value = error
    if isinstance(value, complex): continue
    if isinstance(value, int) and abs(value) >= 2**63 or isinstance(value, float) and value - value != 0: continue
    if isinstance(value, Exception):
        shown = "error"
    elif isinstance(value, bool):
        shown = "boolean %d" % value
    elif isinstance(value, int):
        shown = "integer %d" % value
    else:
        shown = "real " + value.hex()
    print(text, shown, sep="\t")
EOF
cat >"$folder/compare.py" <<'EOF'
import sys
wrong = compared = 0
for wanted, got in zip(open(sys.argv[1]), open(sys.argv[2])):
    text, wanted = wanted.rstrip("\n").split("\t")
    got = got.rstrip("\n")
    # Intermediate numbers may exceed 64 bits, which is an error here but not in Python.
    if "64 bits" in got or "too large" in got or "negative number" in got and wanted != "error": continue
    compared += 1
    same = got.startswith("error") if wanted == "error" else \
        got == wanted if not wanted.startswith("real") else \
        got.startswith("real") and float.fromhex(got[5:]).hex() == wanted[5:]
    if not same:
        wrong += 1
        print("%s\n  python: %s\n  quern:  %s" % (text, wanted, got))
print("%d of %d differ" % (wrong, compared))
sys.exit(wrong > 0 or compared < 500)
EOF
seed=${QUERN_TEST_SEED:-$RANDOM}
echo "seed $seed (QUERN_TEST_SEED repeats it)"
python3 -W ignore "$folder/make.py" "$seed" >"$folder/wanted" || exit 1
cut -f1 "$folder/wanted" | "$evaluate" evaluate >"$folder/got" || exit 1
python3 "$folder/compare.py" "$folder/wanted" "$folder/got"
