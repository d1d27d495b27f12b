#!/usr/bin/env bash
# check_satisfied.sh SOURCE QUERN BUILD: clusters.csv states for each model how many restraints it satisfies, and their
# share; the distances are measured here in the models' files. Without restraints both columns are empty.
set -u
source=$1 quern=$2
. "$1/tests/support/script.sh"
# A hundred restraints, so that the move of a model by its refinement changes their number.
for limit in $(seq 20 2 58); do
  printf "receptor:A:%s ligand:B:%s $limit\n" 30 3 100 5 189 10 57 20 220 27
done >"$work/links.txt"
dock() {
  "$quern" dock "$source/examples/1ppe/1PPE_r_u.pdb" "$source/examples/1ppe/1PPE_l_u_rnd.pdb" --spacing 2 --rotations 100 \
    --clusters 12 --device host --tune off --quiet "$@" || fail "quern dock $*: exit code $?"
}
dock -o "$work/guided" --restraints "$work/links.txt" --restraints-required 1
dock -o "$work/blind" --coefficients balanced
python3 - "$work" <<'PYTHON' || fail "clusters.csv has other restraints than the models"
import csv, math, sys
work, seen = sys.argv[1], set()
links = [line.split() for line in open(f"{work}/links.txt")]
for row in csv.DictReader(open(f"{work}/guided/clusters.csv")):
    places = {}
    for line in open(f"{work}/guided/{row['model']}"):
        if line.startswith("ATOM") and line[12:16].strip() == "CA":
            places[line[21], int(line[22:26])] = [float(line[i:i + 8]) for i in (30, 38, 46)]
    ends = [([places[word.split(":")[1], int(word.split(":")[2])] for word in link[:2]], float(link[2])) for link in links]
    least, most = (sum(math.dist(*pair) <= limit + slack for pair, limit in ends) for slack in (-0.002, 0.002))
    written, share = int(row["restraints_satisfied"]), float(row["restraints_share"])
    seen.add(written)
    print(f"model {row['cluster']}: {least} to {most}; written {written}, {share}")
    if not least <= written <= most or share != written / len(links):  # the files' digits blur the limits by 0.002 Å
        sys.exit(1)
blind = list(csv.DictReader(open(f"{work}/blind/clusters.csv")))
sys.exit(len(seen) < 2 or not blind or any(row["restraints_satisfied"] + row["restraints_share"] for row in blind))
PYTHON
[ $failures -eq 0 ]
