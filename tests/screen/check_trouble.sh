#!/usr/bin/env bash
# check_trouble.sh SOURCE QUERN BUILD: what a screen does about odd names, other devices, and inputs that go wrong on the
# way, and whether its files say where a molecule is from.
set -u
source=$1 quern=$2
"$quern" screen -h >/dev/null 2>&1 || { echo "this build has no screen command"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/quern-trouble-XXXXXX")
trap 'rm -rf "$work"' EXIT
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

examples=$source/examples/1iep
awk '/^ATOM/ { x = substr($0, 31, 8) - 15.2; y = substr($0, 39, 8) - 53.9; z = substr($0, 47, 8) - 16.9
       if (x * x + y * y + z * z < 64) print } END { print "END" }' "$examples/1iep_receptor.pdb" >"$work/pocket.pdb"
bash "$source/tests/screen/make_library.sh" "$examples/kinase_inhibitors.sdf" 40 7 1000 >"$work/library.sdf"
options=(--box 15.2,53.9,16.9,4 --poses 64 --generations 1 --keep 1 --device host --tune off --quiet --threads 2)
screen() { "$quern" screen "$work/pocket.pdb" "${options[@]}" "$@"; }
refused() { # refused NAME PART COMMAND…
  local name=$1 part=$2 message
  shift 2
  message=$("$@" 2>&1 >/dev/null) && fail "$name: accepted"
  case $message in *"$part"*) ;; *) fail "$name: unexpected message: $message" ;; esac
}
value() { python3 -c 'import json, sys
found = json.load(open(sys.argv[1]))
for key in sys.argv[2:]: found = found[int(key)] if isinstance(found, list) else found[key]
print(found)' "$@"; }

# Names that are not UTF-8, and a seed of 64 bits, in run.json; checksums are those of the files.
odd=$work/caf$'\xe9' # Latin 1
mkdir "$odd"
cp "$work/pocket.pdb" "$odd/r$'\xe9'ceptor.pdb"
head -n "$(grep -n '^\$\$\$\$' "$work/library.sdf" | sed -n '10s/:.*//p')" "$work/library.sdf" >"$odd/ten.sdf"
"$quern" screen "$odd/r$'\xe9'ceptor.pdb" "$odd/ten.sdf" "${options[@]}" --seed 18446744073709551615 -o "$odd/hits" ||
  fail "a folder whose name is not UTF-8"
if [ -f "$odd/hits/run.json" ]; then
  [ "$(value "$odd/hits/run.json" libraries 0 file)" = "$work/caf\\xE9/ten.sdf" ] || fail "the library's name in run.json"
  [ "$(value "$odd/hits/run.json" libraries 0 sha256)" = "$(sha256sum <"$odd/ten.sdf" | cut -d' ' -f1)" ] || fail "the library's checksum"
  [ "$(value "$odd/hits/run.json" libraries 0 bytes)" = "$(wc -c <"$odd/ten.sdf")" ] || fail "the library's size"
  [ "$(value "$odd/hits/run.json" libraries 0 modified)" = "$(date -u -r "$odd/ten.sdf" +%Y-%m-%dT%H:%M:%SZ)" ] || fail "the library's time"
  [ "$(value "$odd/hits/run.json" options seed)" = 18446744073709551615 ] || fail "the seed in run.json"
fi

# Where a molecule of two files stands in them.
cp "$odd/ten.sdf" "$work/first.sdf"
gzip -c "$odd/ten.sdf" >"$work/second.sdf.gz"
screen "$work/first.sdf" "$work/second.sdf.gz" -o "$work/two" || fail "two files"
column() { awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' "$1"; }
paste -d' ' <(column "$work/two/scores.csv" name) <(column "$work/two/scores.csv" index) <(column "$work/two/scores.csv" file) \
  <(column "$work/two/scores.csv" line) >"$work/places"
[ "$(wc -l <"$work/places")" -eq 20 ] || fail "not 20 places"
while read -r name index file line; do
  [ "$file" = "$work/$([ "$index" -lt 10 ] && echo first.sdf || echo second.sdf.gz)" ] || fail "molecule $index is said to be in $file"
  [ "$(zcat -f "$file" | sed -n "${line}p")" = "$name" ] || fail "$name is not in line $line of $file"
done <"$work/places"
grep -A1 '^> <quern_file>' "$work/two/hits.sdf" | grep -v -e '^>' -e '^--' | cmp -s - <(cut -d' ' -f3 "$work/places") || fail "files in hits.sdf"
grep -A1 '^> <quern_line>' "$work/two/hits.sdf" | grep -v -e '^>' -e '^--' | cmp -s - <(cut -d' ' -f4 "$work/places") || fail "lines in hits.sdf"

# Another instruction set sums in vectors of another length.
levels=$(QUERN_HOST_LEVEL=2 "$quern" devices 2>/dev/null | grep -c x86-64-v2)
if [ "$levels" -gt 0 ]; then
  refused "another instruction set" "may round otherwise" env QUERN_HOST_LEVEL=2 "$quern" screen "$work/pocket.pdb" \
    "$work/first.sdf" "$work/second.sdf.gz" "${options[@]}" -o "$work/two" --resume
fi
refused "more parents than poses" "number of parents is 65; expected at most 64" screen "$work/first.sdf" --parents 65 -o "$work/parents"

[ $failures -eq 0 ]
