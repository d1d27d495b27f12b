#!/usr/bin/env bash
# check_summary.sh SOURCE QUERN BUILD: the lines that quern dock prints at its end say what its tables hold: how many
# poses are in clusters, and the lowest energy of each coefficient set, since energies of several sets have no common
# scale.
set -u
source=$1 quern=$2
receptor=$source/examples/1ppe/1PPE_r_u.pdb ligand=$source/examples/1ppe/1PPE_l_u_rnd.pdb
. "$1/tests/support/script.sh"
dock() { # dock FOLDER OPTIONS…
  "$quern" dock "$receptor" "$ligand" --spacing 2 --device host --no-refinement --tune off -o "$work/$1" "${@:2}" \
    >"$work/$1.out" 2>"$work/$1.log" || fail "quern dock ${*:2}: $(cat "$work/$1.log")"
}
says() { # says FOLDER LINE: the summary of a run has the line
  grep -qxF "$2" "$work/$1.out" || fail "the summary of $1 lacks \"$2\": $(cat "$work/$1.out")"
}
column() { # column FILE NAME: the values of a column of a table
  awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' "$1"
}
lowest() { printf '%.3f' "$(column "$1" energy | sort -g | head -n 1)"; }

dock sets --rotations 60 --clusters 3
poses=$(column "$work/sets/poses.csv" rank | wc -l) clustered=$(column "$work/sets/poses.csv" cluster | grep -c .)
[ "$clustered" -lt "$poses" ] || fail "all $poses poses are in clusters; expected fewer"
says sets "$poses poses, $clustered of them in 3 clusters"
says sets "lowest energy of balanced $(lowest "$work/sets/balanced/poses.csv"), electrostatic $(lowest "$work/sets/electrostatic/poses.csv"), neutral $(lowest "$work/sets/neutral/poses.csv"); those of different sets cannot be compared"
grep -q 'best energy' "$work/sets.out" && fail "a best energy over several sets: $(cat "$work/sets.out")"

dock one --rotations 1 --coefficients balanced --threads 1 --batch 1
says one "1 pose, 1 of them in 1 cluster"
says one "lowest energy of balanced $(lowest "$work/one/poses.csv")"
grep -hE '(^|[^0-9./])1 (atoms|clusters|poses|models|rotations|sets|grids|residues|threads|POSES)\b' "$work/one.out" "$work/one.log" \
  "$work/one/report.html" "$work/one/cluster_01.pdb" && fail "a plural after 1"
[ $failures -eq 0 ]
