#!/usr/bin/env bash
# labels: unsanitized
# check_scaling.sh SOURCE QUERN BUILD: bench/scaling makes its inputs, measures one and two ranks, compares their files,
# keeps finished cells, and says which cells failed.
set -u
build=$(cd "$3" && pwd)
. "$1/tests/support/script.sh"
use_mpi "$build" || exit 77
python=/usr/bin/python3
"$python" -c 'import numpy' 2>/dev/null || { echo "$python has no NumPy"; exit 77; }
export LC_ALL=C
scaling() { "$python" "$1" "$build" "$work/out" --quick --by ranks --counts 1,2 --repeats 1 "${@:2}" >"$work/table" 2>"$work/log"; }

scaling "$1/bench/scaling" --devices host --programs reconstruct,potential ||
  fail "the bench failed: $(tail -n 5 "$work/log")"
[ "$(wc -l <"$work/out/scaling.csv")" -eq 7 ] || fail "not a head and six rows: $(cat "$work/out/scaling.csv")"
[ "$(grep -c '^potential.*ranks *fixed *2 .* yes$' "$work/table")" -eq 1 ] || fail "two ranks have other bytes: $(cat "$work/table")"
# the parts of a run, less those within work, add up to its seconds
"$python" - "$work/out/scaling.csv" <<'END' || fail "seconds do not add up"
import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    parts = sum(float(row[name] or 0) for name in ("start", "prepare", "work", "reduce", "finish", "write", "rest"))
    assert abs(parts - float(row["seconds"])) < 0.01 and float(row["rest"]) > -0.01, row
    assert float(row["cpu"]) > 0 and row["n"] in ("1", "2"), row
    assert row["kind"] != "per-device" or int(row["size"]) >= 1, row
END
cells=$(cd "$work/out/cells" && stat -c '%n %Y %i' ./*.json | sort)
scaling "$1/bench/scaling" --devices host --programs reconstruct,potential || fail "a second call failed"
[ "$cells" = "$(cd "$work/out/cells" && stat -c '%n %Y %i' ./*.json | sort)" ] || fail "a second call ran finished cells again"

scaling "$1/bench/scaling" --devices cuda:77 --programs potential && fail "a device that is not there: exit code 0"
grep -q '^potential .*exit status 1: quern: .*cuda' "$work/table" || fail "no reason: $(cat "$work/table")"
scaling "$1/bench/scaling" --devices host --programs potential,nothing
[ $? -eq 2 ] || fail "a program that does not exist: not exit code 2"
[ $failures -eq 0 ]
