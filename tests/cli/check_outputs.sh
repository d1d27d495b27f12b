#!/usr/bin/env bash
# check_outputs.sh SOURCE QUERN BUILD: outputs go to what their names lead to, and nothing that a user has is replaced
# unasked: descriptors, pipes, links, outputs that are inputs under another name, files of other runs, foreign files as
# stores.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$source/tests/support/script.sh"
export QUERN_TUNE=off QUERN_TUNING_STORE=off XDG_CACHE_HOME=$work/cache
ppe=$source/examples/1ppe inhibitors=$source/examples/1iep/kinase_inhibitors.sdf
cd "$work" || exit 1
refused() { # refused CODE PART FILE COMMAND…: FILE stays as it is, "" for none
  local code=$1 part=$2 file=$3 before='' status
  shift 3
  [ -z "$file" ] || before=$(cksum "$file")
  "$quern" "$@" >out 2>err
  status=$?
  [ $status -eq "$code" ] || fail "$*: exit code $status, expected $code: $(head -n 2 err)"
  [[ $(cat err) == "quern: "*"$part"* ]] && [ "$(wc -l <err)" -eq 1 ] || fail "$*: lacks \"$part\": $(cat err)"
  [ -z "$file" ] || [ "$(cksum "$file")" = "$before" ] || fail "$*: $file was changed"
}

# Descriptors are written at their present place; a library's header, which is written last, comes first.
{ echo first && "$quern" fft advise 64 --no-measure --device host --csv /dev/stdout && echo last; } >one.txt || fail "--csv /dev/stdout"
[ "$(head -n 1 one.txt)" = first ] && [ "$(tail -n 1 one.txt)" = last ] && grep -q ',' one.txt || fail "/dev/stdout: $(cat one.txt)"
"$quern" screen pack "$inhibitors" -o plain.qlib --quiet || fail "screen pack"
echo before >appended
"$quern" screen pack "$inhibitors" -o - --quiet >>appended || fail "screen pack -o -"
cmp -s <(tail -c +8 appended) plain.qlib || fail "a library that is appended"
"$quern" screen pack <(cat plain.qlib) -o again.qlib --quiet && cmp -s plain.qlib again.qlib || fail "a packed library from a pipe"

# A pipe without a reader is waited for until a signal.
mkfifo unread
timeout --foreground -s INT -k 10 1 "$quern" screen pack "$inhibitors" -o unread --quiet >out 2>err
[ $? -eq 124 ] || fail "a pipe without a reader"
grep -q 'unread: stopped while waiting for a reader' err || fail "a pipe without a reader: $(cat err)"

# One request to stop that arrives several times leaves nothing half written.
mkfifo silent.sdf
# A shell makes its background processes ignore SIGINT.
for _ in {1..10}; do # a later signal may come before or after the first one was handled
  env --default-signal=INT "$quern" screen pack silent.sdf -o twice.qlib --quiet >out 2>err &
  for _ in {1..200}; do [ ! -e twice.qlib.partial.$! ] || break; sleep 0.05; done
  for _ in {1..100}; do kill -INT $! 2>/dev/null || break; done
  wait $!
  [ $? -eq 130 ] && grep -q '^quern: .*stopped' err && [ -z "$(ls | grep twice)" ] || fail "several signals: $(ls | grep twice; cat err)"
done

# Outputs that are inputs, or one another.
cp "$inhibitors" k.sdf && ln k.sdf hard.qlib && ln -s k.sdf soft.qlib
refused 2 "hard.qlib" k.sdf screen pack k.sdf -o hard.qlib
refused 2 "soft.qlib" k.sdf screen pack k.sdf -o soft.qlib
ln -s k.sdf l.qlib.rejected.csv
refused 2 "l.qlib.rejected.csv: is an input" k.sdf screen pack k.sdf -o l.qlib
cp "$source/tests/data/tune/small_ktt.json" space.json
refused 2 "space.json" space.json tune model train space.json -o ./space.json
cp "$source/examples/tune_your_kernel"/row_sums.* .
refused 2 "row_sums.cl" row_sums.cl tune export row_sums.json -o row_sums.cl --store store.db --device host
refused 2 '--csv is "x"' '' fft advise 64 --no-measure --csv x --json ./x
mkdir models && cp "$ppe/1PPE_r_u.pdb" models/a.pdb
refused 2 "models/a.pdb" models/a.pdb evaluate models --reference "$ppe/1PPE_r_b-matched.pdb" "$ppe/1PPE_l_b-matched.pdb" --csv models/a.pdb

# A file that is not a store stays what it is.
cp "$source/README.md" doc.md
refused 1 "doc.md: is not a tuning store" doc.md tune list --store doc.md --device host

# --overwrite removes the files of this run, not those of a run whose run.json was copied.
gunzip -c "$source/examples/particle/map.mrc.gz" >map.mrc
"$quern" project map.mrc -n 2 -o a.mrcs --device host --quiet || fail "project"
for file in a.mrcs a.star a_run.json; do cp $file "${file/a/b}"; done
"$quern" project map.mrc -n 3 -o b.mrcs --device host --quiet --overwrite || fail "project --overwrite"
[ -s a.mrcs ] && [ -s a.star ] && [ -s a_run.json ] || fail "--overwrite removed files of another run: $(ls)"
[ $failures -eq 0 ]
