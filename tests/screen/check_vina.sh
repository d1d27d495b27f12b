#!/usr/bin/env bash
# labels: long unsanitized
# check_vina.sh SOURCE QUERN BUILD: energies of poses beside those that AutoDock Vina prints, with and without side
# chains that turn, and poses in hits.pdbqt scored by Vina. Skipped where Vina or the reference data are absent.
set -u
quern=$2
data=${QUERN_REFERENCE_DATA:-$1/../shared/data}/docking/ligand
command -v vina >/dev/null || { echo "vina is not installed"; exit 77; }
[ -d "$data" ] || { echo "no reference data in $data"; exit 77; }
. "$1/tests/support/script.sh"

# split RECEPTOR "A315 A317": the rigid receptor and its flexible residues, as AutoDock splits them: Cα is the root of a
# flexible residue and not in the rigid receptor.
split() {
  awk -v wanted=" $2 " -v name="$work/split" '
    BEGIN {
      chi["THR"] = "CB OG1 CG2"; chi["SER"] = "CB OG"; chi["VAL"] = "CB CG1 CG2"; chi["ASP"] = "CB|CG OD1 OD2"
      chi["PHE"] = "CB|CG CD1 CD2 CE1 CE2 CZ"; chi["GLU"] = "CB|CG|CD OE1 OE2"; chi["MET"] = "CB|CG|SD CE"
      chi["TRP"] = "CB|CG CD1 CD2 NE1 CE2 CE3 CZ2 CZ3 CH2"; chi["LYS"] = "CB|CG|CD|CE NZ"; chi["ILE"] = "CB CG2|CG1 CD1"
      printf "" >name "_flex.pdbqt"
    }
    function word(text, from, to) { text = substr(text, from, to); gsub(/ /, "", text); return text }
    function put(line) { printf "%s%5d%s\n", substr(line, 1, 6), ++serial, substr(line, 12) >name "_flex.pdbqt" }
    function finish(  pieces, count, k, atoms, many, i, near, far) {
      if (key == "") return
      printf "BEGIN_RES %s\nROOT\n", label >name "_flex.pdbqt"
      serial = 0; put(at["CA"]); near = serial
      print "ENDROOT" >name "_flex.pdbqt"
      count = split(chi[residue], pieces, "|")
      for (k = 1; k <= count; k++) {
        far = serial + 1; ends[k] = near " " far
        printf "BRANCH %3d %3d\n", near, far >name "_flex.pdbqt"
        many = split(pieces[k], atoms, " ")
        for (i = 1; i <= many; i++) put(at[atoms[i]])
        near = far
      }
      for (i = 1; i <= hydrogens; i++) put(hydrogen[i])
      for (k = count; k >= 1; k--) print "ENDBRANCH " ends[k] >name "_flex.pdbqt"
      printf "END_RES %s\n", label >name "_flex.pdbqt"
      key = ""
    }
    !/^(ATOM|HETATM)/ { next }
    {
      here = word($0, 22, 1) word($0, 23, 4)
      if (here != key) finish()
      if (!index(wanted, " " here " ")) { print >name "_rigid.pdbqt"; next }
      if (key == "") { key = here; residue = word($0, 18, 3); label = substr($0, 18, 9); hydrogens = 0; delete at }
      atom = word($0, 13, 4)
      atoms_of = " CA " chi[residue] " "
      gsub(/\|/, " ", atoms_of)
      if (index(atoms_of, " " atom " ")) at[atom] = $0
      else if (word($0, 78, 2) == "HD" && atom ~ /^H[DEGZH]/) hydrogen[++hydrogens] = $0
      else print >name "_rigid.pdbqt"
    }
    END { finish() }' "$1"
}

# score RIGID FLEX LIGAND: what Vina prints, "inter intra divisor", where the divisor is 1 + 0.05846 N.
score() {
  vina --receptor "$1" ${2:+--flex "$2"} --ligand "$3" --score_only --autobox --cpu 1 >"$work/log" 2>&1 ||
    { fail "vina on $3"; tail -n 3 "$work/log"; }
  awk '{ sub(/\(kcal.*/, "") } /^\(1\)/ { inter = $NF } /^\(2\)/ { intra = $NF } /^\(4\)/ { unbound = $NF }
    /^Estimated/ { sub(/ *\(.*/, ""); energy = $NF } END { print inter, intra, (inter + intra - unbound) / energy }' "$work/log"
}
column() { awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at; exit }' "$1"; }
near() { # near NAME A B: within 0.02 kcal/mol
  awk -v a="$2" -v b="$3" 'BEGIN { exit !(a != "" && b != "" && a - b <= 0.02 && b - a <= 0.02) }' || fail "$1: $2, Vina $3"
}

# compare NAME RECEPTOR LIGAND FLEX "RESIDUES" TYPES OPTION…: scored as given, then docked with these options and scored
# by Vina from hits.pdbqt.
compare() {
  local name=$1 receptor=$2 ligand=$3 flex=$4 residues=$5 types=$6 inter intra divisor unused
  split "$receptor" "$residues"
  local options=("$receptor" "$ligand" --types "$types" --device host --quiet ${flex:+--flex "$flex"})
  flex=${flex:+$work/split_flex.pdbqt}
  if [ "$types" = file ]; then
    "$quern" screen "${options[@]}" --score-only -o "$work/$name" || fail "$name"
    read -r inter intra divisor < <(score "$work/split_rigid.pdbqt" "$flex" "$ligand")
    near "$name, inter as given" "$(column "$work/$name/scores.csv" inter_kcal_per_mol)" "$inter"
    near "$name, intra as given" "$(column "$work/$name/scores.csv" intra_kcal_per_mol)" "$intra"
    near "$name, energy as given" "$(column "$work/$name/scores.csv" energy_kcal_per_mol)" "$(awk -v a="$inter" -v b="$divisor" 'BEGIN { print a / b }')"
  fi
  "$quern" screen "${options[@]}" "${@:7}" -o "$work/$name" --overwrite || fail "$name"
  awk -v name="$work/pose" '/^ENDMDL/ { exit } /^BEGIN_RES/ { side = 1 } !/^(MODEL|REMARK)/ { print >name (side ? "_flex.pdbqt" : ".pdbqt") }' "$work/$name/hits.pdbqt"
  # Vina forgets pairs of the ligand with Cα and Cβ of side chains that turn, so all atoms are the rigid receptor here.
  flex=${flex:+$work/pose_flex.pdbqt}
  { cat "$work/split_rigid.pdbqt"; [ -z "$flex" ] || grep '^ATOM' "$flex"; } >"$work/whole.pdbqt"
  read -r inter unused divisor < <(score "$work/whole.pdbqt" "" "$work/pose.pdbqt")
  read -r unused intra unused < <(score "$work/split_rigid.pdbqt" "$flex" "$work/pose.pdbqt")
  near "$name, inter of hits.pdbqt" "$(column "$work/$name/scores.csv" inter_kcal_per_mol)" "$inter"
  near "$name, energy of hits.pdbqt" "$(column "$work/$name/scores.csv" energy_kcal_per_mol)" "$(awk -v a="$inter" -v b="$divisor" 'BEGIN { print a / b }')"
  near "$name, torsions" "$(column "$work/$name/scores.csv" torsions)" "$(awk -v b="$divisor" 'BEGIN { print (b - 1) / 0.05846 }')"
  near "$name, intra of hits.pdbqt" "$(column "$work/$name/scores.csv" intra_kcal_per_mol)" "$intra"
}

abl=$data/1iep/1iep streptavidin=$data/1stp/1stp
compare abl "${abl}_receptor.pdbqt" "${abl}_ligand.pdbqt" "" "" file --local-only
compare abl_flex "${abl}_receptor.pdbqt" "${abl}_ligand.pdbqt" A:THR315,A:PHE317 "A315 A317" file --local-only
compare streptavidin_flex "${streptavidin}_protein.pdbqt" "${streptavidin}_ligand.pdbqt" A:45,A:TRP79,A:108 "A45 A79 A108" file --local-only
compare abl_own "${abl}_receptor.pdbqt" "${abl}_ligand.sdf" A:THR315 "A315" own --local-only
# A hydroxyl counts half a torsion, by a branch in hits.pdbqt that the search has not.
awk '/^ZINC01641925/ { on = 1 } on { print } on && /^\$\$\$\$/ { exit }' "$1/examples/1iep/kinase_inhibitors.sdf" >"$work/hydroxyl.sdf"
compare hydroxyl "${abl}_receptor.pdbqt" "$work/hydroxyl.sdf" "" "" own --box 15.2,53.9,16.9,6 --walkers 4 --effort 0.01 --keep 1
exit $((failures > 0))
