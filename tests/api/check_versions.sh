#!/usr/bin/env bash
# labels: unsanitized
# Programs that were built with headers of another version run with this library. Older headers are made from those of
# today by removing the last members of every struct of options, newer headers by adding members. All programs print the
# same digits. A newer program that sets an option which this library does not know fails with a message.
# Arguments: source folder, quern binary, build folder.
set -u
source=$(cd "$1" && pwd) build=$(cd "$3" && pwd)
. "$source/tests/support/script.sh"
cd "$work" || exit 1
for candidate in "$build" "$build/shared"; do [ -f "$candidate/libquern.so" ] && library=$candidate; done
[ -n "${library:-}" ] || { echo "no libquern.so in $build"; exit 1; }
export LD_LIBRARY_PATH="$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" QUERN_TUNING_STORE=off QUERN_TUNE=off LC_ALL=C

# change MEMBERS ADDED FOLDER: copy the headers without comments, each struct of a program's options with the last
# MEMBERS members left out and the text ADDED at its end. A query always has the members that it has today.
change() {
  mkdir -p "$3/quern"
  for header in "$source"/include/quern/*.h; do
    "${CC:-cc}" -fpreprocessed -dD -E -P "$header" 2>/dev/null | awk -v members="$1" -v added="$2" '
      /^typedef struct .* \{$/ {name = $3; count = 0; print; inside = 1; next}
      inside && /^}/ {
        sized = lines[1] ~ /size_t size;/ && name ~ /^qn_(context|dock|evaluate|screen|trajectory|project|potential|reconstruct|fsc_run)_(options|query)$/
        last = sized && name ~ /options$/ ? count - members : count
        for (i = 1; i <= last; i++) print lines[i]
        if (sized) print added
        inside = 0
      }
      inside {lines[++count] = $0; next}
      {print}' >"$3/quern/$(basename "$header")"
  done
}
change 3 "" older
change 0 "    double added_number; const char *added_text;" newer
compile() { # compile NAME FOLDER FLAGS...: with the headers of a folder
  local name=$1 folder=$2
  shift 2
  "${CC:-cc}" -std=c17 -I "$folder" "$@" -o "$name" "$source/tests/api/program_of_a_version.c" -L"$library" -lquern -lm ||
    { echo "the program does not compile with the headers of $folder"; exit 1; }
}
compile with_today "$source/include"
compile with_older older
compile with_newer newer
compile with_unknown newer -DSETS_ADDED_OPTION

./with_today >sizes_today
./with_older >sizes_older
./with_newer >sizes_newer
paste -d ' ' sizes_older sizes_today sizes_newer | while read -r name older _ today _ newer; do
  echo "$name: $older, $today and $newer bytes"
  { [ "$older" -lt "$today" ] || [ "$name" = qn_trajectory_query ]; } && [ "$today" -lt "$newer" ] || touch same_size
done
[ ! -e same_size ] || fail "a struct above does not grow from version to version"

examples=$source/examples
awk '{print} /^\$\$\$\$/ {exit}' "$examples/1iep/kinase_inhibitors.sdf" >library.sdf
sed -E '/^(ATOM|HETATM|TER)/s/^(.{21})./\1A/' "$examples/1ppe/1PPE_l_u_rnd.pdb" >receptor.pdb # chain A, as the ligand is B
inputs=(receptor.pdb "$examples/1ppe/1PPE_l_b-matched.pdb" "$examples/1iep/1iep_receptor.pdb"
  "$examples/1iep/1iep_ligand.sdf" library.sdf "$examples/water/water.tpr" "$examples/water/water.xtc")
./with_today "${inputs[@]}" >digits_today || fail "the program of today does not run"
[ "$(wc -l <digits_today)" = 7 ] || fail "the program printed $(wc -l <digits_today) lines; expected 7"
for version in older newer; do
  ./with_$version "${inputs[@]}" >digits_$version || fail "the $version program does not run"
  cmp digits_today digits_$version || fail "the $version program prints other digits"
done
./with_unknown "${inputs[@]}" >unknown 2>refusal && fail "an option that the library does not know is accepted"
grep -q 'does not know' refusal || fail "the refusal does not say why: $(cat refusal)"
[ "$failures" = 0 ]
