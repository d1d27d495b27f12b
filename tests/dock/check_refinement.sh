#!/usr/bin/env bash
# check_refinement.sh SOURCE QUERN BUILD: models of the main answer are refined. Ranked by size, each is the centre of a
# cluster of a set, whose minimum it has; ranked by the model, a centre may be of no set's cluster and is refined too.
set -u
source=$1 quern=$2
. "$1/tests/support/script.sh"
for how in size model; do
  "$quern" dock "$source/examples/1ppe/1PPE_r_u.pdb" "$source/examples/1ppe/1PPE_l_u_rnd.pdb" --spacing 2 --rotations 60 \
    --clusters 8 --ranking $how --device host --tune off --quiet -o "$work/$how" || fail "--ranking $how: exit code $?"
done

# rows FILE: set, energy of the centre, energy of the minimum of each cluster
rows() {
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
           { print $at["coefficients"], $at["centre_energy"], $at["refined_energy"] }' "$1"
}
while read -r set centre minimum; do
  rows "$work/size/$set/clusters.csv" | grep -qxF "$set $centre $minimum" ||
    fail "--ranking size: the centre of $set with energy $centre has the minimum $minimum; expected that of the set"
done < <(rows "$work/size/clusters.csv")
[ "$(rows "$work/size/clusters.csv" | wc -l)" -eq 8 ] || fail "--ranking size: $(cat "$work/size/clusters.csv")"

alone=0
while read -r set centre minimum; do
  [ "$centre" != "$minimum" ] || fail "--ranking model: the centre of $set with energy $centre was not moved"
  rows "$work/model/$set/clusters.csv" | grep -q "^$set $centre " || alone=$((alone + 1))
done < <(rows "$work/model/clusters.csv")
[ $alone -gt 0 ] || fail "--ranking model: each centre is one of a set's; expected others too"
[ $failures -eq 0 ]
