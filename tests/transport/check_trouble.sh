#!/usr/bin/env bash
# labels: unsanitized
# check_trouble.sh SOURCE QUERN BUILD: each trouble of tunnels and ligands has a sentence that names it.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$source/tests/support/script.sh"
export LC_ALL=C QUERN_TUNE=off
cd "$work" || exit 1

awk -v models=1 -v shake=0 -f "$source/tests/tunnel/shell.awk" >shell.pdb
awk -v count=2 -f "$source/tests/transport/guests.awk" >guests.sdf
sed '/^\$\$\$\$/q' guests.sdf >one.sdf
discs() { awk -v x="$1" -v y=0 -v radius="${2:-1.5}" 'BEGIN { for (z = 9; z > -0.1; z -= 0.6) print x, y, z, 0, 0, 1, radius }'; }
discs 0 >way.dsd
spheres() { awk '{ printf "ATOM  %5d  H   FIL T   1    %8.3f%8.3f%8.3f       %5.2f\n", NR, $1, $2, $3, $4 }'; }
chain() { # chain COUNT LINK: an SDF of COUNT atoms; LINK 0: the bond in its middle is missing
  awk -v n="$1" -v link="$2" 'BEGIN {
    middle = int(n / 2)
    printf "chain\n  by hand\n\n%3d%3d  0  0  0  0  0  0  0  0999 V2000\n", n, link ? n - 1 : n - 2
    for (i = 0; i < n; i++) printf "%10.4f%10.4f%10.4f %-3s 0  0\n", 1.27 * i, 0.85 * (i % 2), 0.3 * (i % 5), "C"
    for (i = 1; i < n; i++) if (link || i != middle) printf "%3d%3d  1  0\n", i, i + 1
    print "M  END\n$$$$"
  }'
}

transport() { rm -rf out; "$quern" transport "$@" --effort 0.05 --poses 2 --rounds 0 --quiet -o out >output 2>message; }
says() { # says CODE WORDS ARGUMENT...: the command ends with this code, and one line of its messages has the words
  transport "${@:3}"
  local code=$?
  [ $code -eq "$1" ] || fail "\"$2\": exit code $code: $(cat message)"
  grep -qF -- "$2" message || fail "lacks \"$2\": $(cat message)"
  [ "$1" -eq 0 ] || [ "$(grep -vc '^warning: ' message)" -eq 1 ] || fail "\"$2\": not one sentence: $(cat message)"
  [ "$1" -eq 0 ] || [ -e out/run.json ] || [ ! -e out ] || fail "\"$2\": left its folder"
}
way=(--tunnel way.dsd --direction in)

# Tunnels.
printf '0 0 9 1.5\n0 0 4 1.5\n0 0 1 1.5\n' | spheres >apart.pdb
says 1 'apart.pdb:2: spheres 1 (radius 1.5) and 2 (radius 1.5) are apart: 2.00 Å lie between them; expected neighbours that' \
  shell.pdb one.sdf --tunnel apart.pdb --direction in
printf '0 0 9 1.5\n0 0 8 1.5\n0 0 8.2 0.4\n0 0 7 1.5\n0 0 6 1.5\n' | spheres >inner.pdb
says 0 'sphere 3 (radius 0.40 Å) of the tunnel lies inside sphere 2 (radius 1.50 Å), their centres 0.20 Å apart' \
  shell.pdb one.sdf --tunnel inner.pdb --direction in
discs 90 >far.dsd
says 2 'neither end of the tunnel is within 10 Å of an atom of shell.pdb' shell.pdb one.sdf --tunnel far.dsd --direction in
# The shell is 6 Å around the middle: a tunnel along its wall goes through its atoms, one in a wide sphere has no wall.
awk 'BEGIN { for (i = 0; i <= 40; i++) { a = i * 0.07; printf "%.4f %.4f 0 %.4f %.4f 0 1.2\n", 6 * cos(a), 6 * sin(a), -sin(a), cos(a) } }' >wall.dsd
says 0 'wall.dsd: of 41 discs, atoms of shell.pdb are in the way of 4' shell.pdb one.sdf --tunnel wall.dsd --direction in
awk '/^(ATOM|HETATM)/ { printf "%s%8.3f%8.3f%8.3f%s\n", substr($0, 1, 30), 1.6 * substr($0, 31, 8), 1.6 * substr($0, 39, 8), 1.6 * substr($0, 47, 8), substr($0, 55) }' shell.pdb >wide.pdb
says 0 'way.dsd: of 16 discs, atoms of wide.pdb are in the way of 0, and 1' wide.pdb one.sdf "${way[@]}"
transport shell.pdb one.sdf "${way[@]}" || fail "a run: $(cat message)"
grep -q 'way.dsd: of' message && fail "a tunnel of the structure: $(cat message)"
sed '3s/^0/nan/' way.dsd >nan.dsd
says 1 'nan.dsd:3: ' shell.pdb one.sdf --tunnel nan.dsd --direction in
mkdir empty
says 1 'empty: no .dsd is in this folder; expected one of quern tunnel' shell.pdb one.sdf --tunnel empty --direction in
cp way.dsd twice.dsd && mkdir other && cp way.dsd other
says 2 'two tunnels have the name "way"' shell.pdb one.sdf --tunnel way.dsd --tunnel other/way.dsd --direction in
sed '1s/   0.000   0.000/   0.000     nan/' apart.pdb >nan_sphere.pdb
says 1 'nan_sphere.pdb:1: y coordinate "     nan" is not a number' shell.pdb one.sdf --tunnel nan_sphere.pdb --direction in
says 2 '--direction WAY is missing' shell.pdb one.sdf --tunnel way.dsd
says 2 '--direction is "up"; expected in or out' shell.pdb one.sdf --tunnel way.dsd --direction up
says 0 'no way in steps of 0.05 Å was found' shell.pdb one.sdf "${way[@]}" --continuity 0.05

# Ligands.
says 2 '--drag is "C77", but the ligand has no such atom' shell.pdb one.sdf "${way[@]}" --drag C77
printf '@<TRIPOS>MOLECULE\nnamed\n 4 3\nSMALL\nNO_CHARGES\n@<TRIPOS>ATOM\n' >named.mol2
printf '%s\n' '1 Cl 0 0 0 Cl' '2 C1 1.3 .9 0 C.3' '3 C2 2.5 0 .3 C.3' '4 Cl 3.8 .9 0 Cl' >>named.mol2
printf '@<TRIPOS>BOND\n1 1 2 1\n2 2 3 1\n3 3 4 1\n' >>named.mol2
says 2 '--drag is "Cl", the name of 2 atoms; expected one of their numbers: 1, 4' shell.pdb named.mol2 "${way[@]}" --drag Cl
for drag in 4 C2; do transport shell.pdb named.mol2 "${way[@]}" --drag $drag || fail "--drag $drag: $(cat message)"; done
chain 12 0 >pieces.sdf
says 0 'pieces.sdf:1: a ligand in pieces:' shell.pdb pieces.sdf "${way[@]}"
says 2 'which is in a molecule that is left out' shell.pdb pieces.sdf "${way[@]}" --drag 12
chain 60 1 >long.sdf
says 1 'more than 48 torsions' shell.pdb long.sdf "${way[@]}"
chain 300 1 >large.sdf
says 1 'heavy atoms; expected at most 256' shell.pdb large.sdf "${way[@]}"
sed '5s/^ *[-0-9.]*/       nan/' one.sdf >nan.sdf
says 1 'nan.sdf:5' shell.pdb nan.sdf "${way[@]}"
sed 's/^guest2/guest1/' guests.sdf >twins.sdf
says 2 'two ligands have the name "guest1"' shell.pdb twins.sdf "${way[@]}"
awk -v zeros="$(printf '%0300d' 0)" '/^guest/ { $0 = "guest" zeros (++n) } 1' guests.sdf >titles.sdf
transport shell.pdb titles.sdf "${way[@]}" || fail "long titles: $(cat message)"
names=$(cd out/shell/way && ls)
[ "$(echo "$names" | wc -l)" -eq 2 ] || fail "long titles that begin alike: folders $names"
for name in $names; do [ ${#name} -eq 100 ] || fail "the name $name has ${#name} letters"; done
cat one.sdf long.sdf >mixed.sdf
says 0 'a ligand is left out' shell.pdb mixed.sdf "${way[@]}"
[ "$(wc -l <out/rejected.csv)" -eq 2 ] || fail "rejected.csv: $(cat out/rejected.csv)"
says 1 '1 ligand left out; the first' shell.pdb mixed.sdf "${way[@]}" --strict
sed '5s/ Cl / Xx /' one.sdf >unknown.sdf
says 1 'unknown.sdf:5: atom 1 is "Xx"; expected the symbol of an element' shell.pdb unknown.sdf "${way[@]}"
nested=$source/tests/fuzz/seeds/branches/nested.pdbqt pocket=$source/tests/data/potential/pocket.pdbqt
sed 's/^\(ATOM      7.*\) A $/\1 Qq/' "$nested" >type.pdbqt
says 1 'type.pdbqt:11: atom 7 has type "Qq"; expected one of AutoDock' "$pocket" type.pdbqt "${way[@]}" --types file
sed '3s/..$/Qq/' "$pocket" >pocket_type.pdbqt
says 1 'pocket_type.pdbqt:3: atom 3 has type "Qq"; expected one of AutoDock' pocket_type.pdbqt "$nested" "${way[@]}" --types file
sed 's/^\(ATOM      7.*\) A $/\1 G0/' "$nested" >glue.pdbqt
says 1 'glue atoms (types G, CG) hold an opened ring together' "$pocket" glue.pdbqt "${way[@]}" --types file

# Receptors.
says 2 'two receptors have the name "shell"' shell.pdb ./shell.pdb one.sdf "${way[@]}"
sed '3s/^\(.\{30\}\)......../\1     nan/' shell.pdb >nan.pdb
says 1 'nan.pdb:3: x coordinate "     nan" is not a number' nan.pdb one.sdf "${way[@]}"
says 2 'all inputs are ligands; expected a receptor' one.sdf "${way[@]}"
says 1 'inputs cannot be standard input' - one.sdf "${way[@]}"
[ $failures -eq 0 ]
