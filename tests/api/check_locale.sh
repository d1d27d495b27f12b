#!/usr/bin/env bash
# labels: unsanitized
# A program that has set a locale with a decimal comma gets the same results and the same files as in the locale "C", and
# its own locale is as it was after each call. Arguments: source folder, quern binary, build folder.
set -u
source=$(cd "$1" && pwd) build=$(cd "$3" && pwd)
. "$source/tests/support/script.sh"
cd "$work" || exit 1
for candidate in "$build" "$build/shared"; do [ -f "$candidate/libquern.so" ] && library=$candidate; done
[ -n "${library:-}" ] || { echo "no libquern.so in $build"; exit 1; }
mkdir locales
localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 2>/dev/null || { echo "localedef cannot make de_DE.UTF-8"; exit 77; }
export LOCPATH=$work/locales LD_LIBRARY_PATH="$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" QUERN_TUNING_STORE=off
[ "$(LC_ALL=de_DE.UTF-8 printf '%.1f' 1)" = "1,0" ] || { echo "the locale has no decimal comma"; exit 77; }
"${CC:-cc}" -std=c17 -I "$source/include" -o program "$source/tests/api/program_of_a_version.c" -L"$library" -lquern -lm ||
  exit 1
examples=$source/examples
awk '{print} /^\$\$\$\$/ {exit}' "$examples/1iep/kinase_inhibitors.sdf" >library.sdf
sed -E '/^(ATOM|HETATM|TER)/s/^(.{21})./\1A/' "$examples/1ppe/1PPE_l_u_rnd.pdb" >receptor.pdb # chain A, as the ligand is B
inputs=(receptor.pdb "$examples/1ppe/1PPE_l_b-matched.pdb" "$examples/1iep/1iep_receptor.pdb"
  "$examples/1iep/1iep_ligand.sdf" library.sdf "$examples/water/water.tpr" "$examples/water/water.xtc")
LC_ALL=C ./program "${inputs[@]}" point >digits_point || fail "the program does not run in the locale C"
LC_ALL=de_DE.UTF-8 ./program "${inputs[@]}" comma >digits_comma || fail "the program does not run in the locale de_DE"
grep -q , digits_comma || fail "the program's own locale is not in effect any more"
tr ',' . <digits_comma | cmp digits_point - || fail "the digits differ"
for file in point/*/*; do
  case $file in *run.json | *report.html) continue ;; esac # these have times
  [ -d "$file" ] || cmp "$file" "comma/${file#point/}" || fail "${file#point/} differs"
done
[ -s point/dock/cluster_01.pdb ] && [ -s point/screen/hits.sdf ] || fail "the program has written no models or no hits"
for file in comma/*/run.json; do
  grep -nE '": -?[0-9]+,[0-9]' "$file" && fail "$file has a decimal comma"
done
[ "$failures" = 0 ]
