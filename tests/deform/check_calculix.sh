#!/usr/bin/env bash
# parts: lobe liver
# labels: long@liver unsanitized
# check_calculix.sh SOURCE QUERN BUILD PART: forces of displacement elements agree with CalculiX's within 1e-6. Where CalculiX
# is installed, it solves the decks that quern writes; its forces must also be those of tests/data/deform/calculix.txt,
# with which quern is always compared. liver: meshes of the reference data.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2") part=$4
. "$1/tests/support/script.sh"
. "$source/tests/data/deform/calculix.sh"
reference=${QUERN_REFERENCE_DATA:-$source/../shared/data}/haptic
case $part in
lobe) meshes=$source/examples/deform ;;
liver) meshes=$reference
  [ -e "$meshes/liver_tet_small.msh" ] || { echo "$meshes has no liver_tet_small.msh"; exit 77; } ;;
esac
cd "$work" || exit 1
near() { # near WHAT FORCE OTHER: the forces, as three numbers each, agree
  echo "$2 $3" | awk '{ for (i = 1; i <= 3; i++) { d += ($i - $(i + 3)) ^ 2; f += $(i + 3) ^ 2 }
    exit !(NF == 6 && sqrt(d) <= 1e-6 * sqrt(f)) }' || fail "$1: $2 N; expected $3 N"
}
installed=
command -v ccx >/dev/null && installed=1
[ -n "$installed" ] || echo "CalculiX is not installed; its forces of earlier are used"
cases=0 solved=0
while read -r mesh order material fix contact move x y z; do
  [ -e "$meshes/$mesh" ] || continue
  name="$mesh order $order, $material, $contact"
  "$quern" deform solve "$meshes/$mesh" --order "$order" --material "$material" --mixed no --fix "$fix" --contact "$contact" \
    --move "$move" --calculix deck.inp --overwrite --quiet -o out 2>log || { fail "$name: $(cat log)"; continue; }
  force=$(tr -d ' \n' <out/run.json | sed 's/.*"force_N":\[\([^]]*\)\].*/\1/; s/,/ /g')
  near "$name" "$force" "$x $y $z"
  cases=$((cases + 1))
  # CalculiX takes seconds to a minute for each of the larger bodies, whose decks are like those of the smaller ones
  case "$installed$mesh $order $material $contact" in
  1lobe.msh\ 1\ * | 1liver_tet_small.msh\ 1\ * | 1lobe.msh\ 2\ svk*\ x*) ;;
  *) continue ;;
  esac
  near "CalculiX of $name" "$(calculix_force deck.inp)" "$x $y $z"
  solved=$((solved + 1))
done < <(grep -v '^#' "$source/tests/data/deform/calculix.txt")
echo "$cases forces compared, $solved of them solved by CalculiX now"
[ $cases -ge 7 ] || fail "too few cases"
[ $failures -eq 0 ]
