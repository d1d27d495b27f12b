#!/usr/bin/env bash
# check_inputs.sh SOURCE QUERN BUILD: wrong inputs that steer a docking run (coefficient sets, selections, restraints,
# devices) get one clear sentence on stderr and exit status 1 (2 where an option or a selection is wrong); nothing is written.
set -u
source=$1 quern=$2
receptor=$source/examples/1ppe/1PPE_r_u.pdb ligand=$source/examples/1ppe/1PPE_l_u_rnd.pdb
. "$1/tests/support/script.sh"
cd "$work" || exit 1
number=0
dock() { "$quern" dock "$receptor" "$ligand" --rotations 10 --spacing 3 --quiet -o "out$number" "$@"; }
expect() { # expect STATUS "part of the message" arguments…
  local code=$1 part=$2 output status
  shift 2
  number=$((number + 1))
  output=$(dock --device host "$@" 2>&1 >stdout)
  status=$?
  if [ $status -ne "$code" ] || [ "$(printf '%s\n' "$output" | grep -c .)" -ne 1 ] || [[ "$output" != *"$part"* ]] || [ -s stdout ]; then
    fail "quern dock $*"
    echo "  exit $status, expected $code and one sentence with: $part"
    printf '%s\n' "$output" | sed 's/^/  /' | head -n 5
  fi
  [ ! -e "out$number" ] || fail "output was left behind by: $*"
}

# Weights files and names of coefficient sets.
printf '# nothing but words\n\n' >none.txt
printf 'good 0.4 -0.4 250 1 4.8 4 125 none\n' >good.txt
printf '# a set\nshort 0.4 -0.4 250\n' >short.txt
printf '\nlong 0.4 -0.4 250 1 4.8 4 125 none 1\n' >long.txt
printf 'word 0.4 -0.4 strong 1 4.8 4 125 none\n' >word.txt
printf 'nan 0.4 nan 250 1 4.8 4 125 none\n' >nan.txt
printf 'far 0.4 -0.4 250 1 40 4 125 none\n' >far.txt
printf '../up 0.4 -0.4 250 1 4.8 4 125 none\n' >up.txt
printf 'good 0.4 -0.4 250 1 4.8 4 125 none\n\ngood 0.4 -0.4 250 1 4.8 4 125 none\r\n' >twice.txt
for i in $(seq 65); do echo "set$i 0.4 -0.4 250 1 4.8 4 125 none"; done >many.txt
expect 1 'none.txt: no coefficient set; expected lines of name' -w none.txt
expect 1 'short.txt:2: the line ends before w_pair; expected name' -w short.txt
expect 1 'long.txt:2: "1" follows cap; expected nothing' -w long.txt
expect 1 'word.txt:1: w_elec is "strong"; expected a number from' -w word.txt
expect 1 'nan.txt:1: w_attr is "nan"; expected a number from' -w nan.txt
expect 1 'far.txt:1: reach is "40"; expected a number from 0 to 12' -w far.txt
expect 1 'up.txt:1: the name of the set is "../up"; expected' -w up.txt
expect 2 'twice.txt:3: coefficient set "good" is given twice; expected' -w twice.txt
expect 2 'many.txt:65: more than 64 coefficient sets; expected' -w many.txt
expect 2 'good.txt:1: coefficient set "good" is given twice' -w good.txt,good.txt
expect 2 'coefficients are "balancd"; expected balanced' -w balancd
expect 2 'coefficients are "absent.txt"; expected balanced' -w absent.txt
expect 2 'coefficients are "balanced,"; expected names or a file' -w balanced,
expect 2 'coefficients are ",balanced"; expected names or a file' -w ,balanced
expect 2 '"balanced" is given twice' -w balanced,balanced
expect 2 'but --score rpsc has none; expected' -w neutral -s rpsc
expect 2 '1PPE_r_u.pdb, 1PPE_l_u_rnd.pdb: no antibody variable domain was found' -w antibody
expect 2 'coefficients is empty' -w ''

# The default set depends on the partners: a single heavy domain (cAb-Lys3) of Cα atoms in turns of 3.8 Å, as receptor
# or as ligand, against the same sequence reversed, which is not an antibody.
alphas() { # alphas FILE CHAIN SEQUENCE
  awk -v chain="$2" -v sequence="$3" 'BEGIN {
    count = split("A ALA R ARG N ASN D ASP C CYS Q GLN E GLU G GLY H HIS I ILE L LEU K LYS M MET F PHE P PRO S SER T THR " \
                  "W TRP Y TYR V VAL", words, " ")
    for (i = 1; i < count; i += 2) names[words[i]] = words[i + 1]
    for (i = 0; i < length(sequence); i++) {
      row = int(i / 5); x = row % 2 ? 4 - i % 5 : i % 5; layer = int(row / 5); y = layer % 2 ? 4 - row % 5 : row % 5
      printf "ATOM  %5d  CA  %s %s%4d    %8.3f%8.3f%8.3f  1.00  0.00           C\n", i + 1,
             names[substr(sequence, i + 1, 1)], chain, i + 1, 3.8 * x, 3.8 * y, 3.8 * layer
    }
    print "END" }' >"$1"
}
vhh=DVQLQASGGGSVQAGGSLRLSCAASGYTIGPYCMGWFRQAPGKEREGVAAINMGGGITYYADSVKGRFTISQDNAKNTVYLLMNSLEPEDTAIYYCAADSTIYASYYECGHG
vhh=${vhh}LSTGGYGYDSWGQGTQVTVSS
alphas vhh.pdb H $vhh
alphas backwards.pdb A "$(rev <<<$vhh)"
automatic() { # automatic FAMILY CDRS_ONLY RECEPTOR LIGAND options…: check the log and run.json
  local family=$1 only=$2
  number=$((number + 1))
  "$quern" dock "$3" "$4" --rotations 2 --spacing 3 --device host -o "out$number" "${@:5}" >stdout 2>stderr ||
    fail "the run of $3 and $4: $(tail -n 1 stderr)"
  [ "$(grep '^coefficients: ' stderr)" = "${family:+coefficients: $family}" ] || fail "$3 and $4: $(grep '^coefficients' stderr)"
  [ "$(grep -c "\"cdrs_only\": $only" "out$number/run.json")" -eq 3 ] || fail "run.json of $3 and $4: cdrs_only is not $only"
  [ "$(grep -c '"cdrs_only"' "out$number/run.json")" -eq 3 ] || fail "run.json of $3 and $4 has not three sets"
}
automatic antibody true vhh.pdb backwards.pdb
automatic antibody true backwards.pdb vhh.pdb
automatic others false backwards.pdb backwards.pdb -w auto
automatic others false "$receptor" "$ligand"
automatic '' false vhh.pdb backwards.pdb -w others # an explicit choice is kept

# The manual's numbers of the shipped sets are right: as a weights file they give the same poses.
grep -E '^    (balanced|electrostatic|neutral) ' "$source/docs/commands/dock.md" >manual.txt
number=$((number + 1))
dock --device host --no-refinement || fail "the shipped sets"
dock --device host --no-refinement -w manual.txt -o manual || fail "the manual's sets"
cmp -s "out$number/poses.csv" manual/poses.csv || fail "docs/commands/dock.md has other numbers than the shipped sets"

# run.json records the inputs that steered the run.
printf 'odd 0.5 -0.25 300 1 5.5 3.5 90 7\n' >odd.txt
printf 'receptor:A:30 ligand:B:3 1000\nreceptor:A:40 ligand:B:3 1000\n' >wide.txt
number=$((number + 1))
dock --device host -w odd.txt,neutral --no-refinement --restraints wide.txt --restraints-required 1 --block receptor:A:30-32 \
  --block ligand:B:7 --attract receptor:A:40 --block-penalty 2.5 --attract-bonus 0.5 || fail "a run with all these options"
recorded=$(tr -d ' \n' <"out$number/run.json")
for part in '"block":["receptor:A:30-32","ligand:B:7"],"attract":["receptor:A:40"],"block_penalty":2.5,"attract_bonus":0.5' \
  '"restraints_file":"wide.txt","restraints":2,"restraints_required":1' '"refinement":false' \
  '"reach_angstrom":5.5,"length_angstrom":3.5,"core":90.0,"cap":7.0,"cdrs_only":false' '"cap":null'; do
  [[ "$recorded" == *"$part"* ]] || fail "run.json lacks $part"
done
number=$((number + 1))
dock --device host --score rpsc || fail "a run with rpsc"
recorded=$(tr -d ' \n' <"out$number/run.json")
for part in '"block":[],"attract":[]' '"restraints_file":null,"restraints":0,"restraints_required":0' '"refinement":true'; do
  [[ "$recorded" == *"$part"* ]] || fail "run.json of a plain run lacks $part"
done
[[ "$recorded" != *reach_angstrom* ]] || fail "rpsc has no coefficients, but run.json has"

# Residue selections, wherever they are accepted.
for option in --block --attract --active; do
  expect 2 'selection "A:30": the partner "A" is unknown; expected receptor or ligand' $option A:30
  expect 2 'selection "receptor": no chain is named' $option receptor
  expect 1 'selection "receptor:Q:30": the receptor has no chain "Q"; expected one of its chains: A' $option receptor:Q:30
  expect 1 'selection "ligand:A": the ligand has no chain "A"; expected one of its chains: B' $option ligand:A
  expect 1 'selection "receptor:A:500": chain A of the receptor has no residue 500; the nearest' $option receptor:A:500
  expect 2 'selection "ligand:B:9-4": the range 9-4 is reversed' $option ligand:B:9-4
  expect 2 'selection "receptor:A:x": "x" is neither a residue nor a range; expected' $option receptor:A:x
  expect 2 'selection "receptor:A:30,": a residue is missing after ","; expected' $option receptor:A:30,
  expect 2 'selection "ligand:B:x"' $option receptor:A:30 $option ligand:B:x
  expect 2 "$option is empty" $option ''
done
expect 1 'selection "ligand:B:77"' --block receptor:A:30 --attract ligand:B:77

# Restraints.
printf '# words alone\n' >blank.txt
printf 'receptor:A:30 ligand:B:3 25 # good\nreceptor:A:30 ligand:B:3\n' >fields.txt
printf 'receptor:A:30 ligand:B:3 near\n' >near.txt
printf 'receptor:A:30 ligand:B:3 -5\n' >minus.txt
printf '\n\nreceptor:A:30 receptor:A:40 25\n' >same.txt
printf 'receptor:A:30-32 ligand:B:3 25\n' >several.txt
printf 'receptor:A:30 ligand:B:333 25\n' >nowhere.txt
printf 'receptor:A:30 ligand:B:3 25\nreceptor:A:30 ligand:B:7 25\n' >two.txt
expect 1 'blank.txt: there is no restraint in it; expected' --restraints blank.txt
expect 1 'fields.txt:2: 2 fields, the first "receptor:A:30"; expected 3' --restraints fields.txt
expect 1 'near.txt:1: the distance "near" is not a number; expected' --restraints near.txt
expect 1 'minus.txt:1: the distance -5 is out of range; expected' --restraints minus.txt
expect 1 'same.txt:3: both "receptor:A:30" and "receptor:A:40" are of the receptor; expected' --restraints same.txt
expect 2 'several.txt:1: selection "receptor:A:30-32": it names 3 residues; expected a single one' --restraints several.txt
expect 1 'nowhere.txt:1: selection "ligand:B:333"' --restraints nowhere.txt
expect 1 'absent.txt: cannot open' --restraints absent.txt
expect 2 'two.txt: 3 restraints are required of 2; expected at most that many' --restraints two.txt --restraints-required 3
expect 2 'no restraints file: 1 restraint is required of 0' --restraints-required 1
expect 2 'restraints-required is "-1"; expected' --restraints two.txt --restraints-required=-1

# Tables of HADDOCK, active and passive residues, shares.
printf 'assign (resid 30 and segid A)\n (resid 3 and segid Q) 2 2 0\n' >chain.tbl
printf 'assign (resid 30 and segid A) (resid 3 and segid B) 2 2\nassign\n' >short.tbl
expect 1 'chain.tbl:2: the second selection names no heavy atom; expected residues of the receptor'"'"'s chains (A) or of the ligand'"'"'s (B)' \
  --restraints chain.tbl
expect 1 'short.tbl:2: "assign"; expected the part above the distance (dplus) in Å' --restraints short.tbl
expect 2 'the residues "receptor:A:30" are passive, and none is active; expected' --passive receptor:A:30
expect 2 '--passive is empty' --passive ''
expect 2 'the active residues: 4 restraints are required of 3; expected' --active receptor:A:30-32 --restraints-required 4
expect 2 'restraints-required is "150%"; expected a whole number from 0 to 1000000, or a share from 1% to 100%' \
  --active receptor:A:30 --restraints-required 150%
expect 2 'no restraints file: 50 % of the restraints are required of 0' --restraints-required 50%

# Chains of antibodies, and predicted structures.
expect 2 'the antibody "A" is no list of chains; expected such as receptor:H,L' --antibody A
expect 1 'selection "ligand:Q": the ligand has no chain "Q"' --antibody ligand:Q
expect 2 'no variable domain of an antibody can be aligned with the chain "receptor:A"' --antibody receptor:A
expect 2 '"receptor:A" is named as an antibody, but no coefficient set masks antibodies; expected' --antibody receptor:A -w balanced
expect 2 '"receptor:A" is named as an antibody, but no coefficient set masks antibodies; expected' --antibody receptor:A -s rpsc
expect 2 'the pLDDT "101" is no limit; expected a number above 0 and up to 100' --plddt 101
expect 1 "receptor: $receptor: residue" --plddt 50

# Restraints that no pose satisfies are detected only after the search. The journal of the search is kept, so a run with
# other restraints resumes from it.
printf 'receptor:A:30 ligand:B:3 0.01\nreceptor:A:30 ligand:B:7 1000\n' >tight.txt
number=$((number + 1))
tight=out$number
message=$(dock --device host --restraints tight.txt 2>&1)
[ $? -eq 1 ] && [ "$(printf '%s\n' "$message" | wc -l)" -eq 1 ] || fail "restraints that no pose satisfies: $message"
[[ "$message" == *"tight.txt: no pose of the set balanced satisfies 2 of the 2 restraints; expected"*"--resume"* ]] || fail "$message"
[ "$(ls -A "$tight")" = journal.0 ] || fail "more than the journal was left behind: $(ls -A "$tight")"
dock --device host --restraints tight.txt --restraints-required 1 --resume || fail "going on with fewer restraints"
# One pose for each rotation for each of the default's three sets, or for the single set that is requested.
for set in balanced electrostatic neutral; do
  [ "$(cut -d, -f16 "$tight/poses.csv" | grep -cx "$set")" -eq 10 ] || fail "poses of $set that satisfy one of two restraints"
  [ "$(grep -c . "$tight/$set/poses.csv")" -eq 11 ] || fail "poses in the folder of $set that satisfy one of two restraints"
done
[ "$(grep -c . "$tight/poses.csv")" -eq 31 ] || fail "poses that satisfy one of two restraints"
number=$((number + 1))
dock --device host --restraints tight.txt --restraints-required 1 -w neutral || fail "one set with restraints"
[ "$(grep -c . "out$number/poses.csv")" -eq 11 ] || fail "poses of a single set that satisfy one of two restraints"
grep -q '"resumed_rotations": 10' "$tight/run.json" || fail "the search was not kept"

# More chains than PDB has names of one letter: models are mmCIF, and hold every atom of both partners.
many() { # many FILE COUNT: an alanine's heavy atoms in each of COUNT chains, 6 Å apart
  awk -v count="$2" 'BEGIN {
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    split("N CA C O CB", names, " "); split("0 1.5 2.1 1.4 2.0", x, " "); split("0 0 1.4 2.4 -0.8", y, " ")
    for (chain = 0; chain < count; chain++) for (i = 1; i <= 5; i++)
      printf "ATOM  %5d  %-3s ALA %s%4d    %8.3f%8.3f%8.3f  1.00  0.00           %s\n", ++serial, names[i],
             substr(letters, chain + 1, 1), chain + 1, x[i] + 6 * (chain % 4), y[i] + 6 * (int(chain / 4) % 4),
             6 * int(chain / 16) + (i == 5) * 1.2, substr(names[i], 1, 1)
    print "END" }' >"$1"
}
many many.pdb 32
many one-more.pdb 31
for partner in 'one-more.pdb pdb' 'many.pdb cif'; do # 31 + 31 chains have names; 32 + 31 do not
  set -- $partner
  number=$((number + 1))
  message=$("$quern" dock "$1" one-more.pdb -n 5 --spacing 2 -c 2 -w balanced --device host -q -o "out$number" 2>&1 >stdout) ||
    fail "docking $1: $message"
  [ -s "out$number/cluster_01.$2" ] || fail "$1: no cluster_01.$2: $(ls "out$number")"
  [ "$(grep -cE '^ATOM' "out$number/cluster_01.$2")" -eq $(($(grep -c '^ATOM' "$1") + 155)) ] || fail "$1: atoms of the model"
  [ "$(grep -c 'the models are written as mmCIF: receptor and ligand have more chains' <<<"$message")" -eq $([ "$2" = cif ] && echo 1 || echo 0) ] ||
    fail "$1: the warning of mmCIF models: $message"
done

# Devices.
expect 2 'device host is named twice; expected each device once' --device host,host
expect 2 'device "floppy": expected auto, host' --device host,floppy
expect 2 'device "": expected auto, host' --device host,
expect 2 'device "host,all": all means every GPU; expected it alone' --device host,all
expect 1 'cuda' --device host,cuda:63
if "$quern" devices 2>/dev/null | grep -q '^opencl:0 '; then
  expect 2 'device opencl:0 is named twice' --device opencl:0,host,opencl:0
fi

[ $failures -eq 0 ]
