#!/usr/bin/env bash
# labels: unsanitized
# Where commands write and what they read: outputs that are links, pipes, device nodes, descriptors or inputs; inputs that
# are pipes; limits on the size of files. check_outputs.sh has more outputs, check_hostile.sh has what must be refused.
# Arguments: source folder, quern binary, build folder.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2") build=$(cd "$3" && pwd)
. "$source/tests/support/script.sh"
cd "$work" || exit 1
export QUERN_TUNING_STORE=off QUERN_TUNE=off
examples=$source/examples

# refused CODE SENTENCE COMMAND...: the exit code, and one line on standard error that holds the sentence.
refused() {
  local code=$1 sentence=$2
  shift 2
  timeout 100 "$quern" "$@" >out 2>err
  local got=$?
  [ $got = "$code" ] || { fail "$*: exit code $got; expected $code"; cat err; }
  grep -qF -- "$sentence" err || { fail "$*: no sentence with: $sentence"; cat err; }
  [ "$(wc -l <err)" = 1 ] || { fail "$*: more than one sentence"; cat err; }
}
done_by() { timeout 100 "$quern" "$@" >out 2>err || { fail "$*: exit code $?"; cat err; }; }
no_partial() { ! find . -name '*.partial*' | grep . || fail "$1 leaves a partial file"; }

# Small inputs.
receptor=$examples/1ppe/1PPE_r_b-matched.pdb ligand=$examples/1ppe/1PPE_l_b-matched.pdb
{ grep '^ATOM' "$receptor"; echo TER; grep '^ATOM' "$ligand"; echo END; } >model.pdb
cp "$examples/water/water.xtc" water.xtc
cp "$examples/water/water.gro" water.gro
awk '{print} /^\$\$\$\$/ {if (++n == 3) exit}' "$examples/1iep/kinase_inhibitors.sdf" >library.sdf
gunzip -c "$source/tests/data/tune/coulomb3d_RTX_2080_Ti_ktt.json.gz" >space.json
gunzip -c "$examples/particle/map.mrc.gz" >map.mrc
evaluate=(evaluate model.pdb --reference "$receptor" "$ligand")
simulate=(tune simulate space.json --searcher random --repeats 3)
done_by "${evaluate[@]}" --csv plain.csv
done_by project map.mrc --views 3 -o views.mrcs --quiet

# ---- outputs go to what the path names ----
mkdir far
ln -s far/table.csv link.csv
for turn in absent present; do
  done_by "${evaluate[@]}" --csv link.csv
  [ -L link.csv ] && cmp -s far/table.csv plain.csv || fail "a link to an $turn file should stay and lead to the table"
done
ln -s far/space.csv space-link.csv
done_by "${simulate[@]}" --csv space-link.csv
[ -L space-link.csv ] && [ -s far/space.csv ] || fail "tune simulate --csv should follow a link"
ln -s far/library.qnl packed-link
done_by screen pack library.sdf -o packed-link --quiet
[ -L packed-link ] && [ -s far/library.qnl ] || fail "screen pack should follow a link"
ln -s far/frames.xtc frames-link.xtc
done_by trajectory convert water.xtc -o frames-link.xtc --quiet
[ -L frames-link.xtc ] && [ -s far/frames.xtc ] || fail "trajectory convert should follow a link"
ln -s far/stack.mrcs stack.mrcs
touch far/stack.mrcs
done_by project map.mrc --views 3 -o stack.mrcs --overwrite --quiet
[ -L stack.mrcs ] && cmp -s far/stack.mrcs views.mrcs || fail "project --overwrite should follow a link"

ln -s /dev/stdout to-stdout
"$quern" "${evaluate[@]}" --csv to-stdout >appended 2>err || { fail "--csv to a link to /dev/stdout"; cat err; }
[ -L to-stdout ] && grep -qxFf plain.csv appended || fail "--csv to a link to /dev/stdout should print the table"
echo above >appended
"$quern" "${evaluate[@]}" --csv to-stdout >>appended 2>err || { fail "--csv to a link to /dev/stdout, redirected"; cat err; }
[ "$(head -n 1 appended)" = above ] && grep -qxFf plain.csv appended ||
  fail "--csv to a link to /dev/stdout should append to the file that it is redirected to"
"$quern" "${evaluate[@]}" --csv >(cat >substituted) >out 2>err || { fail "--csv >(cat)"; cat err; }
for _ in 1 2 3 4 5 6 7 8 9 10; do cmp -s substituted plain.csv && break; sleep 0.2; done
cmp -s substituted plain.csv || fail "--csv >(cat) should write the table into the pipe"
mkfifo fifo.csv
cat fifo.csv >through &
done_by "${evaluate[@]}" --csv fifo.csv
wait $!
[ -p fifo.csv ] && cmp -s through plain.csv || fail "--csv to a FIFO should write into it"
done_by screen pack library.sdf -o library.qnl --quiet
"$quern" screen pack library.sdf -o - 2>err | cmp -s - library.qnl || fail "screen pack -o - should print the library alone"
mkfifo fifo.xtc
cat fifo.xtc >through.xtc &
done_by trajectory convert water.xtc -o fifo.xtc --quiet
wait $!
cmp -s through.xtc far/frames.xtc || fail "trajectory convert should write into a FIFO"
if mknod null c 1 3 2>/dev/null && : 2>/dev/null >null; then # as root, where device nodes are not disabled
  done_by "${evaluate[@]}" --csv null
  done_by "${simulate[@]}" --csv null
  done_by screen pack library.sdf -o null --quiet
  [ -c null ] || fail "a device node should stay"
  [ ! -e null.rejected.csv ] || fail "nothing should be written beside a device node"
else
  echo "without device nodes: they need root and a file system that has them"
fi
ln -s /dev/full full
refused 1 "full: cannot write: No space left on device" "${evaluate[@]}" --csv full
refused 1 "full: cannot write: No space left on device" screen pack library.sdf -o full
[ -L full ] || fail "the link to a full device should stay"
# ---- an input is never an output ----
words="which is an input or another output too; expected a file of its own"
sums() { sha256sum model.pdb water.xtc water.gro library.sdf space.json map.mrc | sha256sum; }
before=$(sums)
ln -s water.xtc alias.xtc
ln library.sdf hard.sdf
ln -s model.pdb alias.pdb
refused 2 "\"alias.xtc\", $words" trajectory convert water.xtc -o alias.xtc --stride 5
refused 2 "\"./water.xtc\", $words" trajectory convert alias.xtc -o ./water.xtc
refused 2 "\"water.gro\", $words" trajectory convert water.xtc --topology water.gro -o water.gro
refused 2 "\"hard.sdf\", $words" screen pack library.qnl library.sdf -o hard.sdf
refused 2 "\"model.pdb\", $words" "${evaluate[@]}" --csv model.pdb
refused 2 "\"alias.pdb\", $words" "${evaluate[@]}" --json alias.pdb
cp "$receptor" known.pdb
refused 2 "\"known.pdb\", $words" evaluate model.pdb --reference known.pdb:A "$ligand" --csv known.pdb
refused 2 "\"space.json\", $words" "${simulate[@]}" --csv space.json
refused 2 "\"both\", $words" "${evaluate[@]}" --csv both --json both
[ "$(sums)" = "$before" ] || fail "a refused command should leave its inputs as they were"

# ---- pipes are read once ----
digest_of() { sha256sum "$1" | cut -d' ' -f1; }
dock=(dock --rotations 10 --spacing 3 --keep 20 --clusters 2 --no-refinement --device host --quiet)
done_by "${dock[@]}" "$receptor" <(cat "$ligand") -o piped
grep -q "$(digest_of "$ligand")" piped/run.json || fail "run.json should have the digest of what the pipe gave"
done_by "${dock[@]}" "$receptor" "$ligand" -o filed
cmp -s <(grep -v '^REMARK\|^#' piped/poses.csv) <(grep -v '^REMARK\|^#' filed/poses.csv) ||
  fail "a pipe should give the poses of its file"
timeout 100 "$quern" "${dock[@]}" "$receptor" <(sed 's/ 1\./ 2./' "$ligand") -o piped --resume >out 2>err &&
  fail "--resume should refuse another ligand in a pipe"
gzip -c "$ligand" >ligand.gz
done_by evaluate <(cat model.pdb) --reference <(cat "$receptor") <(cat ligand.gz) --csv piped.csv
[ "$(cut -d, -f2- piped.csv)" = "$(cut -d, -f2- plain.csv)" ] || fail "evaluate should read pipes as their files"
done_by fsc <(cat map.mrc) <(gzip -c map.mrc) -o curve --quiet
grep -q "$(digest_of map.mrc)" curve/run.json || fail "fsc should state the digest of a pipe"
done_by project <(cat map.mrc) --views 3 -o again.mrcs --quiet
cmp -s again.mrcs views.mrcs || fail "project should read a map from a pipe"
cp views.star copy.star
done_by reconstruct <(cat copy.star) -o copy.mrc --quiet --device host
done_by tune simulate <(cat space.json) --searcher random --repeats 3
done_by trajectory rdf <(cat water.gro) water.xtc --select 'name OW' -o rdf --quiet
grep -q "$(digest_of water.gro)" rdf/run.json || fail "trajectory should state the digest of a topology from a pipe"
site=$examples/1iep/1iep_ligand.sdf
done_by screen "$examples/1iep/1iep_receptor.pdb" library.sdf --site <(cat "$site") -o screened --quiet --device host \
  --rigid --score bude --poses 64 --generations 2
grep -q "$(digest_of "$site")" screened/run.json || fail "screen should state the digest of a site from a pipe"

cat library.sdf /dev/zero 2>/dev/null | timeout 100 "$quern" screen pack - -o endless.qnl >out 2>err
grep -q 'standard input:[0-9]*: the molecule does not end within 1024 MiB' err || { fail "a molecule without end"; cat err; }
[ ! -e endless.qnl ] || fail "an endless library should leave no packed one"

if use_mpi "$build"; then # two processes would each get some of the bytes
  mkfifo shared.pdb
  cat "$ligand" >shared.pdb 2>/dev/null &
  writer=$!
  timeout 100 "${mpirun[@]}" -n 2 "$quern" "${dock[@]}" "$receptor" shared.pdb -o shared >out 2>err &&
    fail "two processes should not share a pipe"
  grep -q 'shared.pdb: is a pipe, which 2 processes cannot share; expected a file' err ||
    { fail "two processes and a pipe: no sentence"; cat err; }
  kill $writer 2>/dev/null
  wait $writer 2>/dev/null
fi

# ---- limits on the size of files ----
limited() { (ulimit -f 4; timeout 100 "$quern" "$@" >out 2>err); }
for command in "project map.mrc --views 30 -o large.mrcs --quiet" "trajectory convert water.xtc -o large.xtc --quiet" \
  "screen pack $examples/1iep/kinase_inhibitors.sdf -o large.qnl --quiet"; do
  # shellcheck disable=SC2086
  limited $command
  code=$?
  [ $code = 1 ] && grep -q 'large\..*: cannot write: File too large$' err || { fail "$command: exit code $code"; cat err; }
  no_partial "$command"
  ! find . -name 'large*' | grep . || fail "$command should leave no file"
done

[ "$failures" = 0 ] && echo "files: done"
exit "$((failures > 0))"
