#!/usr/bin/env bash
# labels: unsanitized
# Output and files of the commands when they succeed, and when a run is asked to stop. Arguments: source folder, quern
# binary, build folder.
set -u
input=$1/examples/1ppe
quern=$2
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0
fail() { echo "failed: $*"; failures=$((failures + 1)); }

# quern evaluate: the known complex against itself is perfect, by definition of the measures.
{ grep '^ATOM' "$input/1PPE_r_b-matched.pdb"; echo TER; grep '^ATOM' "$input/1PPE_l_b-matched.pdb"; echo END; } >'a, "b".pdb'
reference="--reference $input/1PPE_r_b-matched.pdb $input/1PPE_l_b-matched.pdb"
# shellcheck disable=SC2086
evaluate() { "$quern" evaluate 'a, "b".pdb' $reference "$@"; }
evaluate >table.txt || fail "evaluate"
grep -qE '^a, "b"\.pdb +1\.000 +0\.00 +0\.00 +1\.000  high$' table.txt || fail "the table of evaluate: $(cat table.txt)"
grep -q '^Acceptable or better: 1 of 1 model; the first is number 1, a, "b".pdb.$' table.txt || fail "its summary"
evaluate --csv quality.csv --json quality.json >both.txt || fail "evaluate --csv --json"
cmp -s table.txt both.txt || fail "writing files should not change the table"
[ "$(sed -n 1p quality.csv)" = "model,fnat,interface_rmsd_angstrom,ligand_rmsd_angstrom,dockq,capri" ] || fail "CSV header"
grep -qE '^"a, ""b""\.pdb",1\.000000,0\.0000,0\.0000,1\.000000,high$' quality.csv || fail "CSV row: $(cat quality.csv)"
[ "$(wc -l <quality.csv)" = 2 ] || fail "CSV lines"
evaluate --csv - | cmp -s - quality.csv || fail "--csv - should print the file and nothing else"
evaluate --json - | cmp -s - quality.json || fail "--json - should print the file and nothing else"
evaluate --csv absent/quality.csv >/dev/null 2>error.txt
[ $? = 1 ] && grep -q '^quern: absent/quality.csv: cannot create: ' error.txt || fail "a CSV file that cannot be written"

# A name that is not UTF-8 (Latin 1) is escaped in JSON, which must be UTF-8.
cp 'a, "b".pdb' $'caf\xe9.pdb'
# shellcheck disable=SC2086
"$quern" evaluate $'caf\xe9.pdb' $reference --json latin.json >/dev/null || fail "a name that is not UTF-8"
grep -qF '"caf\\xE9.pdb"' latin.json && iconv -f UTF-8 -t UTF-8 latin.json >/dev/null || fail "its JSON: $(cat latin.json)"

# quern devices.
"$quern" devices >devices.txt || fail "devices"
grep -qE '^host +CPU +[0-9.]+ GiB ' devices.txt || fail "the host is not in the table: $(cat devices.txt)"
"$quern" devices --device host >host.txt || fail "devices --device"
[ "$(wc -l <host.txt)" = 2 ] || fail "devices --device host should list one device: $(cat host.txt)"
"$quern" devices --device host --measure >measured.txt || fail "devices --measure"
awk '/^Measured/ { seen = 1 } seen && $1 == "host" { good = NF == 6 && $2 > 0 && $3 > 0 && $4 > 0 && $5 > 0 && $6 > 0 }
    END { exit !good }' measured.txt || fail "measured rates: $(cat measured.txt)"
"$quern" devices --json devices.json --device host --measure >/dev/null || fail "devices --json"
if command -v jq >/dev/null; then
    jq -e '.models[0] | .model == "a, \"b\".pdb" and .fnat == 1 and .capri == "high"' quality.json >/dev/null ||
        fail "JSON of evaluate: $(cat quality.json)"
    jq -e '.devices | length == 1 and .[0].usable and .[0].memory_bytes > 0 and .[0].rates.copy_bytes_per_s > 0' \
        devices.json >/dev/null || fail "JSON of devices: $(cat devices.json)"
fi

# quern dock: only the summary is on standard output; --quiet prints nothing.
dock() { "$quern" dock "$input/1PPE_r_u.pdb" "$input/1PPE_l_u_rnd.pdb" --device host --spacing 2 "$@"; }
dock -n 40 -o loud >out.txt 2>err.txt || fail "dock: $(cat err.txt)"
grep -q '^device: host ' err.txt || fail "the device is not named: $(cat err.txt)"
[ "$(head -n 1 err.txt | cut -c1-6)" = device ] || fail "the device is not named first: $(cat err.txt)"
grep -q '^docking  100 %  40/40 rotations' err.txt || fail "no progress: $(cat err.txt)"
grep -q 'report in loud/report.html$' out.txt || fail "the report is not named: $(cat out.txt)"
# The manual names every file and every column of the output (r12 … r32 and centre_… by their endings).
manual=$1/docs/commands/dock.md
for file in loud/*; do
    case $file in loud/cluster_*) continue ;; esac
    grep -qF "\`${file#loud/}\`" "$manual" || fail "docs/commands/dock.md does not name the file $file"
done
for column in $(head -qn 1 loud/poses.csv loud/clusters.csv | tr , '\n' | grep -vE '^(r[1-3][1-3]|centre_(attraction|electrostatic|pair))$'); do
    grep -qF "\`$column\`" "$manual" || fail "docs/commands/dock.md does not name the column $column"
done
cp "$input/1PPE_l_u_rnd.pdb" $'liga\xf1d.pdb'
"$quern" dock "$input/1PPE_r_u.pdb" $'liga\xf1d.pdb' --device host --spacing 2 --seed 18446744073709551615 -n 40 \
    -o quiet --quiet >out.txt 2>err.txt || fail "dock --quiet"
[ ! -s out.txt ] && [ ! -s err.txt ] || fail "--quiet prints: $(cat out.txt err.txt)"
grep -qF '"liga\\xF1d.pdb"' quiet/run.json || fail "a name that is not UTF-8 in run.json: $(grep liga quiet/run.json)"
grep -qF '"seed": "18446744073709551615"' quiet/run.json || fail "the seed in run.json: $(grep seed quiet/run.json)"

# A run that gets a signal (from Ctrl-C or a batch system) stops cleanly, and the command that it prints resumes it to
# the end.
mkfifo progress.pipe
"$quern" dock "$input/1PPE_r_u.pdb" "$input/1PPE_l_u_rnd.pdb" --device host --spacing 2 --score rpsc -n 3000 --clusters 2 \
    -o "it's here" >out.txt 2>progress.pipe &
runner=$!
: >err.txt
while IFS= read -r text; do
    echo "$text" >>err.txt
    case $text in docking*) kill -TERM $runner 2>/dev/null ;; esac
done <progress.pipe
wait $runner
[ $? = 143 ] || fail "a run that got SIGTERM should exit 143"
grep -q '^quern: stopped after [0-9]* of 3000 rotations' err.txt || fail "the interruption is not reported: $(tail -n 3 err.txt)"
command=$(sed -n 's/^quern: go on with: //p' err.txt)
case $command in *"it'\\''s here' --resume") ;; *) fail "the command to go on with: $command" ;; esac
eval "$command" >out.txt 2>err.txt || fail "$command: $(tail -n 2 err.txt)"
[ -s "it's here/poses.csv" ] || fail "the resumed run wrote no poses.csv"

[ "$failures" = 0 ]
