#!/usr/bin/env bash
# labels: unsanitized
# check_trouble.sh SOURCE QUERN BUILD: unusual file names, other devices, inputs that fail during the run, and the file
# and line of each molecule in the output.
set -u
source=$1 quern=$2 build=$(cd "$3" && pwd)
"$quern" screen -h >/dev/null 2>&1 || { echo "this build has no screen command"; exit 77; }
. "$1/tests/support/script.sh"

examples=$source/examples/1iep
awk '/^ATOM/ { x = substr($0, 31, 8) - 15.2; y = substr($0, 39, 8) - 53.9; z = substr($0, 47, 8) - 16.9
       if (x * x + y * y + z * z < 64) print } END { print "END" }' "$examples/1iep_receptor.pdb" >"$work/pocket.pdb"
bash "$source/tests/screen/make_library.sh" "$examples/kinase_inhibitors.sdf" 40 7 1000 >"$work/library.sdf"
options=(--rigid --score bude --box 15.2,53.9,16.9,4 --poses 64 --generations 1 --rounds 1 --keep 1 --device host --tune off --quiet --threads 2)
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
  [ "$(value "$odd/hits/run.json" inputs 1 file)" = "$work/caf\\xE9/ten.sdf" ] || fail "the library's name in run.json"
  [ "$(value "$odd/hits/run.json" inputs 1 sha256)" = "$(sha256sum <"$odd/ten.sdf" | cut -d' ' -f1)" ] || fail "the library's checksum"
  [ "$(value "$odd/hits/run.json" inputs 1 bytes)" = "$(wc -c <"$odd/ten.sdf")" ] || fail "the library's size"
  [ "$(value "$odd/hits/run.json" inputs 1 modified)" = "$(date -u -r "$odd/ten.sdf" +%Y-%m-%dT%H:%M:%SZ)" ] || fail "the library's time"
  [ "$(value "$odd/hits/run.json" options seed)" = 18446744073709551615 ] || fail "the seed in run.json"
fi

# The output names the file and the line of each molecule, here of two library files.
cp "$odd/ten.sdf" "$work/first.sdf"
gzip -c "$odd/ten.sdf" >"$work/second.sdf.gz"
screen "$work/first.sdf" "$work/second.sdf.gz" -o "$work/two" || fail "two files"
column() { awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' "$1"; }
paste -d' ' <(column "$work/two/scores.csv" name) <(column "$work/two/scores.csv" index) <(column "$work/two/scores.csv" file) \
  <(column "$work/two/scores.csv" line) >"$work/places"
[ "$(wc -l <"$work/places")" -eq 20 ] || fail "scores.csv does not name 20 places"
while read -r name index file line; do
  [ "$file" = "$work/$([ "$index" -lt 10 ] && echo first.sdf || echo second.sdf.gz)" ] || fail "molecule $index is said to be in $file"
  [ "$(zcat -f "$file" | sed -n "${line}p")" = "$name" ] || fail "$name is not in line $line of $file"
done <"$work/places"
grep -A1 '^> <quern_file>' "$work/two/hits.sdf" | grep -v -e '^>' -e '^--' | cmp -s - <(cut -d' ' -f3 "$work/places") || fail "files in hits.sdf"
grep -A1 '^> <quern_line>' "$work/two/hits.sdf" | grep -v -e '^>' -e '^--' | cmp -s - <(cut -d' ' -f4 "$work/places") || fail "lines in hits.sdf"

# The singular is used for one molecule.
awk '{ print } /^\$\$\$\$/ { exit }' "$work/library.sdf" >"$work/one.sdf"
"$quern" screen "$work/pocket.pdb" "$work/one.sdf" "${options[@]/--quiet/--explain}" -o "$work/one" >"$work/log" 2>&1 || fail "one molecule"
grep -q '^1 molecule scored in 1 conformer, 0 rejected, best energy -[0-9.]* kJ/mol$' "$work/log" || fail "one molecule: $(tail -n 3 "$work/log")"
echo nobody >"$work/nobody"
"$quern" screen "$work/pocket.pdb" "$work/one.sdf" "${options[@]/--quiet/--explain}" -o "$work/one" --resume --actives "$work/nobody" >"$work/log" 2>&1 ||
  fail "one molecule again"
grep -q '^resuming: 1 molecule is done$' "$work/log" || fail "one molecule again: $(cat "$work/log")"
grep -q '^every molecule had been searched before' "$work/log" || fail "one molecule again: $(cat "$work/log")"
grep -q '^warning: .*nobody: none of its known actives is among the scored molecules' "$work/log" || fail "no active: $(cat "$work/log")"

# Another instruction set sums in vectors of another length, so energies may differ in rounding.
levels=$(QUERN_HOST_LEVEL=2 "$quern" devices 2>/dev/null | grep -c x86-64-v2)
if [ "$levels" -gt 0 ]; then
  refused "another instruction set" "may round otherwise" env QUERN_HOST_LEVEL=2 "$quern" screen "$work/pocket.pdb" \
    "$work/first.sdf" "$work/second.sdf.gz" "${options[@]}" -o "$work/two" --resume
fi


# A library cut within its compressed data: molecules before the cut get results, and the rest follows once the file can
# be read; no molecule is searched twice.
gzip -c "$work/library.sdf" >"$work/whole.sdf.gz"
cut_library() { head -c $(($(wc -c <"$work/whole.sdf.gz") * 2 / 3)) "$work/whole.sdf.gz" >"$work/cut.sdf.gz"; }
cut_library
refused "a cut library" "cut.sdf.gz" screen "$work/cut.sdf.gz" -o "$work/cut"
seen=$(gzip -dc "$work/cut.sdf.gz" 2>/dev/null | grep -c '^\$\$\$\$')
[ $((seen % 8)) -ne 0 ] || fail "the cut is not within a piece, so this test is void"
message=$(screen "$work/cut.sdf.gz" -o "$work/cut" --resume 2>&1)
[ "$(printf '%s\n' "$message" | wc -l)" -eq 1 ] || fail "a cut library: more than one sentence: $message"
case $message in *"has the results of the $seen molecules before that place"*) ;; *) fail "a cut library: $message, not of $seen" ;; esac
[ "$(tail -n +2 "$work/cut/scores.csv" | wc -l)" -eq "$seen" ] || fail "a cut library: scores.csv has not $seen lines"
screen "$work/library.sdf" -o "$work/library" || fail "the whole library"
cmp -s <(tail -n +2 "$work/cut/scores.csv" | cut -d, -f2-5 | sort) \
  <(tail -n +2 "$work/library/scores.csv" | awk -F, -v seen="$seen" '$3 < seen' | cut -d, -f2-5 | sort) || fail "a cut library: other scores"
grep -q '"library_damage": "' "$work/cut/run.json" || fail "run.json does not mention the damage"
grep -q 'not read to its end' "$work/cut/report.html" || fail "report.html does not mention the damage"
grep -q '"library_damage": null' "$work/library/run.json" || fail "run.json mentions damage of an undamaged library"
cp "$work/whole.sdf.gz" "$work/cut.sdf.gz"
refused "a library mended since" "there library=cut.sdf.gz" screen "$work/cut.sdf.gz" -o "$work/cut" --resume

# A temporary fault, of a network file system for example: the same file, whose middle becomes readable. The file has
# three compressed parts, the second with a broken header, so that every byte read before the fault is right. Each
# molecule has a note of random letters, so that a few are longer than the ends of a file that are hashed.
for part in 1 2 3; do
  bash "$source/tests/screen/make_library.sh" "$examples/kinase_inhibitors.sdf" 30 $part 1000 |
    awk -v seed=$part 'BEGIN { srand(seed) }
      /^\$\$\$\$/ { print "> <note>"; for (i = 0; i < 40; i++) { for (k = 0; k < 70; k++) printf "%c", 65 + 26 * rand(); print "" } print "" }
      { print }' >"$work/part$part.sdf"
done
gzip -c --fast "$work/part1.sdf" >"$work/good.sdf.gz"
head=$(wc -c <"$work/good.sdf.gz")
gzip -c --fast "$work/part2.sdf" "$work/part3.sdf" >>"$work/good.sdf.gz"
[ "$head" -gt 65536 ] || fail "the fault is among the bytes that are hashed: $head"
cp "$work/good.sdf.gz" "$work/passing.sdf.gz"
printf '\7' | dd of="$work/passing.sdf.gz" bs=1 seek=$((head + 2)) conv=notrunc 2>/dev/null
refused "a library broken in the middle" "before that place" screen "$work/passing.sdf.gz" -o "$work/passing"
first=$(stat -c %s "$work/passing/journal.0")
cp "$work/good.sdf.gz" "$work/passing.sdf.gz"
screen "$work/passing.sdf.gz" -o "$work/passing" --resume || fail "the library that can be read again"
screen "$work/good.sdf.gz" -o "$work/good" || fail "the library without damage"
for file in scores.csv hits.sdf rejected.csv; do
  cmp <(sed 's/passing.sdf.gz/good.sdf.gz/' "$work/passing/$file") "$work/good/$file" || fail "$file after trouble that passed"
done
[ "$(stat -c %s "$work/passing/journal.0")" -lt $(($(stat -c %s "$work/good/journal.0") + first)) ] || fail "finished molecules were searched again"
grep -q '"resumed": 0,' "$work/passing/run.json" && fail "nothing was resumed after trouble that passed"

# A library whose bytes change outside the hashed ends, between a run and its resumption.
cat "$work/part1.sdf" "$work/part2.sdf" "$work/part3.sdf" >"$work/long.sdf"
screen "$work/long.sdf" -o "$work/long" --top 100 || fail "a long library"
middle=$(grep -n '^M00015$' "$work/long.sdf" | sed -n '2s/:.*//p') # the molecule of the second part
sed -i "${middle}s/M/N/" "$work/long.sdf"
refused "a library that changed" 'molecule 45 was "M00015" and is "N00015" now' screen "$work/long.sdf" -o "$work/long" --top 100 --resume

# A disk that fills up while a library is packed: no file is left.
mkdir "$work/packed"
refused "packing on a full disk" "cannot write" bash -c "trap '' XFSZ; ulimit -f 4; exec \"\$@\"" pack "$quern" screen pack "$work/library.sdf" -o "$work/packed/a.qlib"
[ -z "$(ls "$work/packed")" ] || fail "packing on a full disk left $(ls "$work/packed")"

# Known actives may be given once the run is over, by names or by a data item.
awk '/^\$\$\$\$/ { n++; printf "> <activity>\n%d\n\n", n % 4 == 1 } { print }' "$work/library.sdf" >"$work/labelled.sdf"
screen "$work/labelled.sdf" -o "$work/labelled" || fail "a labelled library"
cp "$work/labelled/scores.csv" "$work/before.csv"
size=$(stat -c %s "$work/labelled/journal.0")
awk -F, 'NR > 1 && $3 % 4 == 0 { print $2 }' "$work/before.csv" >"$work/names.txt" # molecules of one name count together
for which in "$work/names.txt" activity=1; do
  screen "$work/labelled.sdf" -o "$work/labelled" --resume --actives "$which" || fail "--actives $which of a run that is over"
  [ "$(stat -c %s "$work/labelled/journal.0")" -eq "$size" ] || fail "--actives $which: molecules were searched again"
  cut -d, -f1-15 "$work/labelled/scores.csv" | cmp - "$work/before.csv" || fail "--actives $which: other scores"
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "active") at = i; next } $at != ($3 % 4 == 0) { exit 1 }' "$work/labelled/scores.csv" ||
    fail "--actives $which: other actives"
  grep -q 'ROC area' "$work/labelled/report.html" || fail "--actives $which: no ROC area"
done
screen "$work/labelled.sdf" -o "$work/labelled" --resume || fail "without --actives again"
cmp -s "$work/labelled/scores.csv" "$work/before.csv" || fail "scores.csv keeps the actives of an earlier run"

# Only one of several processes prints.
if use_mpi "$build"; then
  three() { ranks 3 "$@" >"$work/log" 2>&1; }
  once() { [ "$(grep -c "$1" "$work/log")" -eq 1 ] || { fail "$2: not once but $(grep -c "$1" "$work/log") times: $1"; cat "$work/log"; }; }
  loud=("${options[@]/--quiet/--explain}")
  three "$quern" screen "$work/pocket.pdb" "$work/library.sdf" "${loud[@]}" -o "$work/ranks" || fail "three processes"
  for note in '^device:' '^box for centroids:' 'conformers a batch' '^3 processes' '^results in'; do once "$note" "three processes"; done
  three "$quern" screen "$work/pocket.pdb" "$work/library.sdf" "${loud[@]}" -o "$work/ranks" && fail "three processes into results"
  once '^quern: ' "a folder with results"
  cut_library
  three "$quern" screen "$work/pocket.pdb" "$work/cut.sdf.gz" "${loud[@]}" -o "$work/cutranks" && fail "three processes and a cut library"
  once '^quern: ' "a cut library"
  grep -q "has the results of the $seen molecules before" "$work/log" || fail "a cut library: another sentence: $(grep quern: "$work/log")"
  cmp -s <(cut -d, -f2-5 "$work/cut/scores.csv") <(cut -d, -f2-5 "$work/cutranks/scores.csv") || fail "a cut library: other scores of three processes"
  # One process is asked to stop; one finds the disk full. The others end too and print no advice.
  three bash -c '[ "$OMPI_COMM_WORLD_RANK" = 1 ] || exec "$@"
      "$@" & running=$!
      while kill -0 $running 2>/dev/null && [ ! -s "$0/journal.1" ]; do sleep 0.01; done
      kill -TERM $running; wait $running' "$work/stopped" \
    "$quern" screen "$work/pocket.pdb" "$work/good.sdf.gz" "${options[@]}" --poses 2048 -o "$work/stopped" && fail "not stopped"
  once '^quern: stopped after' "one of three is asked to stop"
  once '^quern: go on with' "one of three is asked to stop"
  [ ! -e "$work/stopped/scores.csv" ] || fail "one of three is asked to stop: it wrote results"
  # shellcheck disable=SC2016
  three bash -c 'trap "" XFSZ; [ "$OMPI_COMM_WORLD_RANK" != 2 ] || ulimit -f 1; exec "$@"' rank \
    "$quern" screen "$work/pocket.pdb" "$work/good.sdf.gz" "${options[@]}" --poses 2048 -o "$work/full" && fail "a full disk"
  once '^quern: ' "one of three has a full disk"
  grep -q '^quern: .*journal.2: cannot write' "$work/log" || fail "one of three has a full disk: $(grep quern: "$work/log")"
fi

[ $failures -eq 0 ]
