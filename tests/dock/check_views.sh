#!/usr/bin/env bash
# The scripts for PyMOL and ChimeraX show the first model with its interface towards the viewer, and colour residues by
# contacts.csv. Neither program is needed: the numbers of the views are read and applied to the model's coordinates.
# Arguments: source folder, quern binary, build folder.
# labels: unsanitized
set -u
source=$(realpath "$1")
quern=$(realpath "$2")
. "$source/tests/support/script.sh"
out=$work/out
"$quern" dock "$source/examples/1ppe/1PPE_r_u.pdb" "$source/examples/1ppe/1PPE_l_u_rnd.pdb" --output "$out" --rotations 24 \
    --spacing 1.6 --coefficients balanced --clusters 3 --device host --tune off --quiet || fail "quern dock"

# axes FILE: nine numbers, the viewer's right, up and towards, each as a vector of the scene.
axes_of_pymol() {
    sed -n 's/^set_view (\(.*\))$/\1/p' "$1" | tr -d ' ' | awk -F, '{ for (r = 1; r <= 3; r++) for (c = 0; c < 3; c++) printf "%s ", $(3 * c + r) }'
}
axes_of_chimerax() {
    sed -n 's/^view matrix camera //p' "$1" | awk -F, '{ for (c = 1; c <= 3; c++) for (r = 0; r < 3; r++) printf "%s ", $(4 * r + c) }'
}
pymol=$(axes_of_pymol "$out/view.pml")
[ "$(wc -w <<<"$pymol")" = 9 ] || fail "view.pml has no view: $pymol"
[ "$pymol" = "$(axes_of_chimerax "$out/view.cxc")" ] || fail "PyMOL looks along $pymol, ChimeraX along $(axes_of_chimerax "$out/view.cxc")"

# The receptor is chain A and the ligand chain B here. Places are those of Cα; residues nearer than 10 Å are the interface.
awk -v axes="$pymol" '
function height(x, y, z) { return x * a[7] + y * a[8] + z * a[9] }
BEGIN { split(axes, a, " ") }
/^ATOM/ && substr($0, 13, 4) == " CA " {
    l = substr($0, 22, 1) == "B"; n = ++count[l]
    for (k = 0; k < 3; k++) { place[l, n, k] = substr($0, 31 + 8 * k, 8) + 0; mean[l, k] += place[l, n, k] }
}
END {
    for (l = 0; l < 2; l++) for (k = 0; k < 3; k++) mean[l, k] /= count[l]
    for (i = 1; i <= count[0]; i++) for (j = 1; j <= count[1]; j++) {
        d = 0
        for (k = 0; k < 3; k++) d += (place[0, i, k] - place[1, j, k]) ^ 2
        if (d > 100) continue
        for (k = 0; k < 3; k++) middle[k] += place[0, i, k] + place[1, j, k]
        pairs += 2
    }
    if (pairs == 0) { print "the partners do not touch"; exit 1 }
    for (k = 0; k < 3; k++) { middle[k] = middle[k] / pairs - mean[0, k]; length2 += middle[k] ^ 2 }
    cosine = height(middle[0], middle[1], middle[2]) / sqrt(length2)
    ahead = height(mean[1, 0] - mean[0, 0], mean[1, 1] - mean[0, 1], mean[1, 2] - mean[0, 2])
    if (cosine < 0.99999) { print "the interface is turned away: cosine " cosine; exit 1 }
    if (ahead <= 0) { print "the ligand is " -ahead " Å behind the receptor"; exit 1 }
}' "$out/cluster_01.pdb" || fail "the view of cluster_01.pdb"

# Each residue with at least a quarter of the largest share has a colour, the more frequent ones a warmer one.
wanted() {
    awk -F, 'NR > 1 { share[NR] = $6; key[NR] = $2 ":" $3 $4; if ($6 > most) most = $6 }
        END { for (i in share) if (share[i] >= 0.25 * most - 1e-9) print key[i], (share[i] >= 0.75 * most ? "red" : share[i] >= 0.5 * most ? "orange" : "gold") }' \
        <(sed 's/^ligand,[^,]*/ligand,B/' "$out/contacts.csv") | sort
}
coloured() {
    sed -n 's,^color /\(.*\):\([0-9].*\) \(.*\)$,\1 \2 \3,p' "$out/view.cxc" |
        awk '{ n = split($2, residues, ","); for (i = 1; i <= n; i++) print $1 ":" residues[i], $3 }' | sort
}
# Shares in the table have four decimals, so one at a limit may differ.
differing=$(diff <(wanted) <(coloured) | grep -c '^[<>]')
[ "$(coloured | wc -l)" -gt 10 ] && [ "$differing" -le 2 ] || fail "colours: $(diff <(wanted) <(coloured))"
sed -n 's/^color \([a-z]*\), chain \(.*\) and resi \(.*\)$/\2 \3 \1/p' "$out/view.pml" | sed 's/yelloworange/gold/' |
    awk '{ n = split($2, residues, "+"); for (i = 1; i <= n; i++) print $1 ":" residues[i], $3 }' | sort | cmp - <(coloured) ||
    fail "PyMOL and ChimeraX get different colours"
[ "$failures" = 0 ]
