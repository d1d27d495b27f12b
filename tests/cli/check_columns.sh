#!/usr/bin/env bash
# Tables for people: every column of every CSV file has a unit in its name or is known to have none, and numbers of files
# of runs are written as people write them. Arguments: source folder, quern binary, build folder.
# labels: unsanitized
set -u
source=$(realpath "$1")
quern=$(realpath "$2")
examples=$source/examples
. "$source/tests/support/script.sh"
cd "$work" || exit 1
export QUERN_TUNE=off

# Columns without a unit: names, counts, shares, scores, matrices, and the energies of quern dock, which are arbitrary.
unitless='rank|name|index|file|line|reason|cluster|size|share|model|set|number|frame|frames|tunnels|discs|residues?|chain'
unitless+='|partner|insertion|share_of_poses|coefficients|rotation|r[1-3][1-3]|centre_rank|(centre_|lowest_|refined_)?energy'
unitless+='|(centre_)?(repulsion|attraction|electrostatic|pair|mask)|score|restraints_satisfied|restraints_share'
unitless+='|heavy_atoms|torsions|conformers?|clashes|occupancy|priority|throughput|curvature|bottleneck_residues|silhouette'
unitless+='|medoid|medoid_index|representative|is_medoid|first|second|fnat|dockq|capri|shell|fsc_[a-z]+|tm_score'
unitless+='|(error of )?g\(r\)|coordination number|pairs in all'
units='angstrom|kcal_per_mol|kj_per_mol|per_angstrom|ps'

check_heads() {
    local table column
    for table in $(find . -name '*.csv'); do
        tables=$((tables + 1))
        while read -r column; do
            grep -qxE "($unitless)|.*_($units)|.* \(.+\)|.*/.*#[0-9]+" <<<"$column" || fail "$table: \"$column\" has no unit"
        done < <(head -n 1 "$table" | tr ',' '\n')
    done
}

run() { "$quern" "$@" -q >log 2>&1 || fail "quern $*: $(cat log)"; }
kinase=$examples/1iep/1iep_receptor.pdb
imatinib=$examples/1iep/1iep_ligand.sdf
tables=0
run dock "$examples/1ppe/1PPE_r_u.pdb" "$examples/1ppe/1PPE_l_u_rnd.pdb" -o dock --rotations 12 --spacing 2 --coefficients balanced -d host
run screen "$kinase" "$imatinib" -o screen --score-only -d host
run screen "$kinase" "$imatinib" -o rigid --rigid --site "$imatinib" --generations 1 --rounds 1 --poses 64 -d host
run tunnel "$kinase" --start A:381 -o tunnels --probe 1.1
run trajectory density "$examples/water/water.tpr" "$examples/water/water.xtc" -o density --format csv
run trajectory rdf "$examples/water/water.tpr" "$examples/water/water.xtc" -o rdf --format csv --select "name OW" --max 0.4 --last 2
run cluster "$examples/hinge/models.pdb.gz" --clusters 3 -o cluster -d host
run distance "$examples/hinge/models.pdb.gz" -o drmsd.csv -d host
run distance "$examples/hinge/models.pdb.gz" -o tm.csv --measure tm-score --last 3 -d host
check_heads
[ "$tables" -ge 16 ] || fail "only $tables tables were made"
[ "$(head -c 15 drmsd.csv)" = "drmsd_angstrom," ] || fail "drmsd.csv begins with $(head -c 20 drmsd.csv)"
[ "$(head -c 9 tm.csv)" = "tm_score," ] || fail "tm.csv begins with $(head -c 20 tm.csv)"

# The box of the water is 2.4 nm as a float: 50 slabs lie at 0.024, 0.072 …
[ "$(sed -n '2,4s/,.*//p' density/density.csv | tr '\n' ' ')" = "0.024 0.072 0.12 " ] || fail "density.csv: places $(sed -n '2,4s/,.*//p' density/density.csv)"
grep -q '"probe=1.1"' tunnels/run.json || fail "tunnels/run.json: $(grep '"probe' tunnels/run.json)"
[ "$failures" = 0 ]
