#!/usr/bin/env bash
# check_commands.sh SOURCE QUERN BUILD: quern trajectory from a user's side, on the water of examples: every query by
# its short form and in a plan, output files, refusals, damaged and piped input, conversion.
set -u
quern=$2
water=$(cd "$1/examples/water" && pwd)
. "$1/tests/support/script.sh"
cd "$work" || exit 1
export QUERN_TUNE=off
trajectory() { "$quern" trajectory "$@" --quiet 2>err; }
rows() { grep -v '^[#@]' "$1"; }
# near FILE FILE TOLERANCE: both files have the same number of values, which agree within the tolerance.
near() {
    paste -d ' ' <(rows "$1") <(rows "$2") | awk -v tolerance="$3" '
        { for (i = 1; i <= NF / 2; i++) { d = $i - $(i + NF / 2); if (d < 0) d = -d; if (!(d <= tolerance)) bad++ } }
        NF % 2 { bad++ } END { exit bad > 0 || NR == 0 }'
}
# expect CODE TEXT arguments...: the command exits with CODE, and its one line on standard error contains TEXT.
expect() {
    local code=$1 text=$2 actual
    shift 2
    "$quern" trajectory "$@" >out 2>err </dev/null
    actual=$?
    [ $actual = "$code" ] || fail "exit code $actual, expected $code: $*: $(cat err)"
    grep -qF -- "$text" err || fail "no \"$text\" from: $*: $(cat err)"
}
pair=("$water/water.tpr" "$water/water.xtc")

# Every query alone and all of them in one plan: the same numbers, and a report and run.json that name them.
queries=$("$quern" trajectory list | sed -n 's/^\([a-z-]*\): .*/\1/p')
[ "$(wc -l <<<"$queries")" -ge 10 ] || fail "quern trajectory list prints only: $queries"
# Inputs that a query needs, as a line of a plan: "references: water.xtc".
required() {
    case $1 in
    path) echo "references: $water/water.xtc" ;;
    cluster) echo "cutoff: 0.5" ;;
    esac
}
{
    echo "topology: $water/water.tpr"
    echo "trajectory: $water/water.xtc"
    echo "queries:"
    for query in $queries; do
        echo "  - query: $query"
        required "$query" | sed 's/^/    /'
    done
} >all.yaml
trajectory run all.yaml || fail "a plan of all queries: $(cat err)"
for query in $queries; do
    # shellcheck disable=SC2046
    trajectory "$query" "${pair[@]}" $(required "$query" | sed 's/^/--/; s/://') --output "alone_$query" || { fail "$query by itself: $(cat err)"; continue; }
    files=$(cd "alone_$query" && ls | grep -E '\.(xvg|dx)$')
    [ -n "$files" ] || fail "$query gives no table"
    for file in $files; do
        cmp -s <(grep -v '^#' "alone_$query/$file") <(grep -v '^#' "all/$file") || fail "$file differs by itself and in a plan"
        grep -q "\"$file\"" all/run.json || fail "run.json lacks $file"
        grep -q "$file" all/report.html || fail "report.html lacks $file"
    done
done
python3 -m json.tool all/run.json >/dev/null 2>err || [ ! -x "$(command -v python3)" ] || fail "run.json is not JSON: $(cat err)"
grep -q "diffusion coefficient.* × 10⁻⁵ cm²/s" all/report.html || fail "the diffusion coefficient in report.html: $(grep -o "diffusion coefficient.\{60\}" all/report.html)"

# The centre of all atoms of the .gro file, by awk.
awk -v OFMT=%.9g 'NR == 2 { n = $1 } NR > 2 && NR <= n + 2 { x += substr($0, 21, 8); y += substr($0, 29, 8); z += substr($0, 37, 8) }
    END { print 0, x / n, y / n, z / n }' "$water/water.gro" >expected
trajectory cog "$water/water.gro" --output cog || fail "a topology's own frame: $(cat err)"
near cog/cog.xvg expected 1e-6 || fail "the centre of water.gro: $(rows cog/cog.xvg), expected $(cat expected)"
# In Å all lengths are ten times as large, also those in selections.
trajectory cog "$water/water.gro" --units angstrom --select "x > 12.005" --output angstrom || fail "units: $(cat err)"
trajectory cog "$water/water.gro" --select "x > 1.2005" --output nanometres || fail "units: $(cat err)"
near <(rows angstrom/cog.xvg) <(rows nanometres/cog.xvg | awk -v OFMT=%.9g '{ print $1, 10 * $2, 10 * $3, 10 * $4 }') 1e-5 || fail "cog in Å"
grep -q '(\\cE\\C)' angstrom/cog.xvg || fail "no Å in $(grep axis angstrom/cog.xvg)"

# The same bytes for any number of threads; tables as CSV; frames chosen by number and time.
trajectory run all.yaml --threads 1 --output one || fail "one thread: $(cat err)"
for file in all/*.xvg all/*.dx; do cmp -s "$file" "one/${file#all/}" || fail "$file depends on threads"; done
trajectory volume "${pair[@]}" --format csv --begin 1 --end 3 --stride 2 --output chosen || fail "chosen frames: $(cat err)"
[ -e chosen/volume.xvg ] && fail "xvg where csv was asked for"
[ "$(cut -d, -f1 chosen/volume.csv | paste -sd ' ')" = "time (ps) 1 1.4 1.8 2.2 2.6 3" ] || fail "chosen frames: $(cut -d, -f1 chosen/volume.csv | paste -sd ' ')"
trajectory volume "${pair[@]}" --first 19 --output late && [ "$(rows late/volume.xvg | wc -l)" = 2 ] || fail "--first 19"

# Frames that are their own references lie at their places on the path. A plan's files are relative to its folder, and
# records belong to the content of the files.
[ "$(rows all/path.xvg | awk '{ print $4 }' | paste -sd ' ')" = "$(seq 1 21 | paste -sd ' ')" ] || fail "nearest references: $(rows all/path.xvg)"
mkdir -p plans/files
cp "$water/water.gro" plans/files/one.gro
printf 'topology: %s\nqueries:\n  - query: path\n    references: files/one.gro\n' "$water/water.gro" >plans/path.yaml
trajectory run plans/path.yaml --output relative || fail "references relative to a plan: $(cat err)"
[ "$(rows relative/path.xvg | awk '{ print $2 }')" = 1 ] || fail "s of the only reference: $(rows relative/path.xvg)"
sed -i "s/0.338   0.671/0.339   0.671/" plans/files/one.gro
expect 1 "other" run plans/path.yaml --output relative --resume

# From a pipe; cut in the last frame; damaged in the middle.
trajectory dipole "$water/water.tpr" - --output piped <"$water/water.xtc" || fail "standard input: $(cat err)"
cmp -s <(rows piped/dipole.xvg) <(rows all/dipole.xvg) || fail "dipole from a pipe"
head -c 105000 "$water/water.xtc" >cut.xtc
trajectory dipole "$water/water.tpr" cut.xtc --output cut || fail "a file that is cut: $(cat err)"
grep -q 'warning: cut.xtc: .*frame 20' err || fail "no warning of the cut: $(cat err)"
cmp -s <(rows cut/dipole.xvg) <(rows all/dipole.xvg | head -n 20) || fail "frames before a cut"
grep -q 'cut.xtc' cut/report.html && grep -q '"ending": "' cut/run.json || fail "report and run.json do not mention the cut"

# Converted to DCD and back: positions that XTC rounded to 0.001 nm change by the last bit at most in floats of Å.
trajectory convert "$water/water.xtc" --output copy.dcd || fail "to DCD: $(cat err)"
trajectory com "$water/water.tpr" copy.dcd --output from_dcd || fail "from DCD: $(cat err)"
near from_dcd/com.xvg all/com.xvg 2e-6 || fail "com of the DCD"
trajectory convert copy.dcd --output back.xtc --first 3 --last 8 || fail "to XTC: $(cat err)"
trajectory com "$water/water.tpr" back.xtc --output from_xtc || fail "from XTC: $(cat err)"
near from_xtc/com.xvg <(rows all/com.xvg | sed -n 4,9p) 2e-6 || fail "com of XTC, DCD, XTC"
trajectory convert "$water/water.xtc" --topology "$water/water.tpr" --select "name OW" --output oxygens.xtc || fail "oxygens: $(cat err)"
expect 1 "466 atoms" cog "$water/water.tpr" oxygens.xtc --output no
expect 1 ".gro" convert "$water/water.xtc" --output copy.gro
expect 2 "--select needs --topology" convert "$water/water.xtc" --select "name OW" --output copy.xtc
mkfifo pipe
cat "$water/water.xtc" >pipe &
trajectory convert "$water/water.xtc" --output unpiped.xtc || fail "to XTC: $(cat err)"
trajectory convert pipe --output piped.xtc && cmp -s piped.xtc unpiped.xtc || fail "convert from a pipe: $(cat err)"
expect 1 "none of its frames" convert "$water/water.xtc" --output none.xtc --first 21
[ ! -e none.xtc ] || fail "a conversion of nothing leaves a file"

# Options without effect are named; counts of one have no plural.
"$quern" trajectory volume "${pair[@]}" --last 0 --live-step 0.002 --output idle >out 2>err || fail "--live-step without --live: $(cat err)"
grep -q 'warning: --live-step is "0.002" and has no effect' err || fail "no warning of --live-step: $(cat err)"
grep -q '^1 frame of 1398 atoms, 1 query' out || fail "plurals: $(cat out)"
head -n 2 "$water/water.gro" | sed '2s/.*/1/' >one.gro
sed -n '3p;$p' "$water/water.gro" >>one.gro
"$quern" trajectory cog one.gro --output one_atom >out 2>err || fail "one atom: $(cat err)"
grep -q '^1 frame of 1 atom, 1 query' out && grep -q '"all" (1 atom)' one_atom/cog.xvg || fail "plurals: $(cat out one_atom/cog.xvg)"


# A DCD file whose head promises more frames than there are, and a chain that is closed through the box.
cp copy.dcd promised.dcd
printf '\144\000\000\000' | dd of=promised.dcd bs=1 seek=8 conv=notrunc status=none
trajectory volume "$water/water.tpr" promised.dcd --output promised || fail "a head that promises too much: $(cat err)"
grep -q 'warning: promised.dcd: its head promises 100 frames, but only 21 are there' err || fail "no warning of missing frames: $(cat err)"
{
    printf 'PSF\n\n       1 !NTITLE\n REMARKS chain\n\n       4 !NATOM\n'
    for i in 1 2 3 4; do printf '%8d A    1    MOL  C%d   C   %10.6f %13.4f %11d\n' $i $i "$((i % 2 * 2 - 1))" 12.011 0; done
    printf '\n       4 !NBOND: bonds\n       1       2       2       3       3       4       4       1\n\n'
} >chain.psf
{
    printf 'chain\n4\n'
    for i in 1 2 3 4; do printf '%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n' 1 MOL C$i $i $i.0 1 1; done
    printf '%10.5f%10.5f%10.5f\n' 4 4 4
} >chain.gro
trajectory dipole chain.psf chain.gro --output chain || fail "a chain without an end: $(cat err)"
grep -q 'warning: chain.psf: molecule 1 is bonded to its own image through the periodic box' err || fail "no warning of the chain: $(cat err)"
grep -q 'its own image' chain/report.html || fail "the report has no warning of the chain"
trajectory convert chain.gro --topology chain.psf --whole --output chain.xtc && grep -q 'warning: chain.psf: molecule 1' err || fail "no warning of the chain in a conversion: $(cat err)"
trajectory dipole chain.psf chain.gro --output cut_chain --whole no && [ ! -s err ] || fail "a chain that need not be whole: $(cat err)"

# Refused input, and its messages.
expect 1 "nowhere.tpr" cog nowhere.tpr "$water/water.xtc" --output no
expect 1 "nowhere.xtc" cog "$water/water.tpr" nowhere.xtc --output no
expect 2 'nmae' cog "${pair[@]}" --select "nmae OW" --output no
expect 2 "charges" dipole "$water/water.gro" --output no
expect 1 "all" cog "${pair[@]}" --output all
expect 2 "--references FILE is missing" path "${pair[@]}" --output no
expect 1 "none.pdb" path "${pair[@]}" --references none.pdb --output no
expect 2 "structures of 2 atoms; expected at least 3" path "${pair[@]}" --references "$water/water.gro" --select "index<2" --output no
expect 2 "--cutoff is \"-1\"; expected a number from 0" cluster "${pair[@]}" --cutoff -1 --output no
expect 2 "--bins is \"0\"; expected a whole number from 1" density "${pair[@]}" --bins 0
expect 2 "--axis is \"w\"; expected one of: x y z" density "${pair[@]}" --axis w
expect 2 "did you mean --quantity?" density "${pair[@]}" --quantty mass
expect 2 "unknown option --select" volume "${pair[@]}" --select all
expect 2 "--live is \"localhost:1\" beside the trajectory" cog "${pair[@]}" --live localhost:1
expect 2 'unknown action "densty"; did you mean density?' densty "${pair[@]}"
expect 1 "did you mean gyration?" list gyraton
expect 1 "missing.yaml" run missing.yaml
printf 'topology: %s\ntrajectory: %s\nqueries:\n  - query: density\n    bns: 3\n' "${pair[@]}" >wrong.yaml
expect 2 "wrong.yaml:5: " run wrong.yaml
for file in all/*_*.xvg; do # further tables of queries
    name=$(basename "$file" .xvg)
    { cat all.yaml; echo "  - {query: com, name: $name}"; } >wrong.yaml
    expect 2 "a query is named \"$name\", but the table ${name#*_} of the query ${name%%_*} would have the same file" run wrong.yaml --output no
done
[ "${name:-}" = inertia_axes ] || fail "the last table is $name"
printf 'topology: %s\ntrajectory: {}\nqueries: [com]\n' "$water/water.gro" >wrong.yaml
expect 2 "wrong.yaml:2: trajectory is a table" run wrong.yaml --output no
printf 'topology: %s\nlive-timeout: -5\nqueries: [com]\n' "$water/water.gro" >wrong.yaml
expect 2 "--live-timeout is \"-5\"; expected a time from 0.1" run wrong.yaml --output no
OMPI_COMM_WORLD_SIZE=2 QUERN_MPI_LIBRARY=/nowhere.so expect 1 "/nowhere.so" cog "${pair[@]}" --output no
printf 'topology: %s\nqueries: [volume]\nbegni: 3\n' "$water/water.tpr" >wrong.yaml
expect 2 "begin" run wrong.yaml
printf 'topology: %s\nqueries: [com]\n---\nstride: 2\n' "$water/water.tpr" >wrong.yaml
expect 2 "wrong.yaml:3: a second document begins here" run wrong.yaml --output no
expect 2 "lags from 0 to" msd "${pair[@]}" --fit-begin 1e9 --output no_lags
[ ! -e no ] || fail "a refused run leaves its folder: $(ls no)"
[ $failures -eq 0 ]
