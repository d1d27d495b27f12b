#!/usr/bin/env bash
# The scripts for PyMOL and ChimeraX show the hits from the side of the receptor on which they are: the numbers of the
# views are read and applied to the coordinates, without either program. Arguments: source folder, quern binary, build
# folder.
# labels: unsanitized
set -u
source=$(realpath "$1")
quern=$(realpath "$2")
. "$source/tests/support/script.sh"
cd "$work" || exit 1
cp "$source/examples/1iep/1iep_receptor.pdb" receptor.pdb
ligand=$source/examples/1iep/1iep_ligand.sdf
common=(--site "$ligand" --device host --tune off --quiet)
"$quern" screen receptor.pdb:A "$ligand" -o flexible --effort 0.02 "${common[@]}" || fail "flexible"
"$quern" screen receptor.pdb "$ligand" -o rigid --rigid --generations 2 --rounds 1 --poses 64 "${common[@]}" || fail "rigid"

for out in flexible rigid; do
    grep -qxF "load $work/receptor.pdb, receptor" $out/view.pml || fail "$out: $(grep ^load $out/view.pml)"
    grep -qxF "open \"$work/receptor.pdb\"" $out/view.cxc || fail "$out: $(grep ^open $out/view.cxc)"
    pymol=$(sed -n 's/^set_view (\(.*\))$/\1/p' $out/view.pml | tr -d ' ' | awk -F, '{ print $3, $6, $9 }')
    chimerax=$(sed -n 's/^view matrix camera //p' $out/view.cxc | awk -F, '{ print $3, $7, $11 }')
    [ -n "$pymol" ] && [ "$pymol" = "$chimerax" ] || fail "$out: PyMOL looks from $pymol, ChimeraX from $chimerax"
    # Heavy atoms of the receptor; all atoms of the first pose.
    awk -v towards="$pymol" 'BEGIN { split(towards, t, " ") }
        FILENAME ~ /pdb$/ { if (/^(ATOM|HETATM)/ && !/HOH/ && substr($0, 77, 2) !~ /H$/) {
            n++; for (k = 0; k < 3; k++) from[k] += substr($0, 31 + 8 * k, 8) } next }
        /^\$\$\$\$/ { exit }
        NF >= 10 && $4 ~ /^[A-Z][a-z]?$/ { m++; for (k = 0; k < 3; k++) to[k] += $(k + 1) }
        END { for (k = 0; k < 3; k++) { d[k] = to[k] / m - from[k] / n; square += d[k] ^ 2; along += d[k] * t[k + 1] }
            cosine = along / sqrt(square)
            if (cosine < 0.9999) { print "the hits are turned away: cosine " cosine; exit 1 } }' receptor.pdb $out/hits.sdf ||
        fail "the view of $out"
done
[ "$failures" = 0 ]
