#!/usr/bin/env bash
# parts: lobe liver
# labels: long@liver unsanitized
# check_mixed.sh SOURCE QUERN BUILD PART: forces of mixed elements are those of scikit-fem within 1e-6. Near
# incompressibility they hardly change, and Newton's method takes few steps. liver: a mesh of the reference data, also with
# the forces that other discretisations are known to give within 1 %.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2") part=$4
. "$1/tests/support/script.sh"
case $part in
lobe) meshes=$source/examples/deform ;;
liver) meshes=${QUERN_REFERENCE_DATA:-$source/../shared/data}/haptic
  [ -e "$meshes/liver_tet_small.msh" ] || { echo "$meshes has no liver_tet_small.msh"; exit 77; } ;;
esac
export LC_ALL=C
cd "$work" || exit 1
solve() { # solve OPTION...: sets $force (three numbers, N) and $steps
  rm -rf out
  "$quern" deform solve "$@" --quiet -o out 2>log || fail "$*: $(cat log)"
  force=$(tr -d ' \n' <out/run.json | sed 's/.*"force_N":\[\([^]]*\)\].*/\1/; s/,/ /g')
  steps=$(sed -n 's/.*"newton_steps": \([0-9]*\).*/\1/p' out/run.json)
}
compared=0
while read -r mesh order material fix contact move x y z; do
  [ -e "$meshes/$mesh" ] || continue
  solve "$meshes/$mesh" --order "$order" --material "$material" --mixed yes --fix "$fix" --contact "$contact" --move "$move"
  echo "$force $x $y $z" | awk '{ for (i = 1; i <= 3; i++) { d += ($i - $(i + 3)) ^ 2; f += $(i + 3) ^ 2 }
    exit !(NF == 6 && sqrt(d) <= 1e-6 * sqrt(f)) }' || fail "order $order, $material: $force N; expected $x $y $z N"
  [ "$steps" -le 6 ] || fail "order $order, $material: $steps steps of Newton's method; expected at most 6"
  compared=$((compared + 1))
done < <(grep -v '^#' "$source/tests/data/deform/mixed.txt")
echo "$compared forces compared with scikit-fem's"
[ $compared -ge 4 ] || fail "too few forces"

# Bulk moduli of 6 (the lobe, which is bent more: 60) to 6,000 shear moduli and infinite: the forces of a mixed form stay
# within 10 %.
kappas="20160 201600 2e6 2e7 inf"
[ "$part" = liver ] || kappas=${kappas#* }
if [ "$part" = lobe ]; then options=("$meshes/lobe.msh" --fix tag:held --contact 'x>0.1' --move 0.003,0.002,-0.01); else
  patch=-0.06622422,0.10415821,0.0215251,0.03
  options=("$meshes/liver_tet_small.msh" --fix 'x>0.02' --contact near:$patch --move -0.00374,0.00927,-0.00013)
fi
for order in 1 2; do
  [ "$part $order" != "liver 2" ] || continue # of the same code as the lobe
  : >forces
  for kappa in $kappas; do
    solve "${options[@]}" --order $order --material mooney-rivlin:1400,280,$kappa --mixed yes
    [ "$steps" -le 6 ] || fail "order $order, kappa $kappa: $steps steps of Newton's method; expected at most 6"
    echo "$force" >>forces
  done
  awk '{ f = sqrt($1 * $1 + $2 * $2 + $3 * $3); if (NR == 1 || f < least) least = f; if (f > most) most = f }
    END { printf "order '$order': from %.4g to %.4g N\n", least, most; exit !(NR > 3 && most < 1.1 * least) }' forces ||
    fail "order $order: forces depend on the bulk modulus by more than 10 %"
done

# Forces against the normal of the patch (N), of the usual and the mixed form in both orders: with the usual form of order 1
# the body is several times too stiff.
if [ "$part" = liver ]; then
  while read -r size kappa order mixed expected; do
    options[0]=$meshes/liver_tet_$size.msh
    solve "${options[@]}" --order "$order" --material mooney-rivlin:1400,280,"$kappa" --mixed "$mixed"
    echo "$force $expected" | awk '{ f = -($1 * 0.374 - $2 * 0.927 + $3 * 0.013); exit !(f > 0.99 * $4 && f < 1.01 * $4) }' ||
      fail "$size, order $order, kappa $kappa, mixed $mixed: $force N; expected $expected N along the normal"
  done <<'END'
small 2e4 1 no 0.55
small 2e5 1 no 1.08
small 2e6 1 no 2.72
small 2e4 1 yes 0.415
small 2e5 1 yes 0.443
small 2e6 1 yes 0.446
small 2e4 2 no 0.262
small 2e5 2 no 0.316
small 2e5 2 yes 0.257
small 2e6 2 yes 0.260
large 2e4 1 no 0.51
large 2e5 1 no 0.95
large 2e6 1 no 2.07
large 2e4 1 yes 0.401
large 2e5 1 yes 0.429
large 2e6 1 yes 0.433
END
  options[0]=$meshes/liver_tet_small.msh
  solve "${options[@]}" --refine 1 --material mooney-rivlin:1400,280,2e5 --mixed yes
  echo "$force" | awk '{ f = -($1 * 0.374 - $2 * 0.927 + $3 * 0.013); exit !(f > 0.99 * 0.305 && f < 1.01 * 0.305) }' ||
    fail "refined once: $force N; expected 0.305 N along the normal"
fi
[ $failures -eq 0 ]
