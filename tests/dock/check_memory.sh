#!/usr/bin/env bash
# labels: unsanitized
# check_memory.sh SOURCE QUERN BUILD: a run that would take more memory than is allowed is refused before it computes a
# grid, and its estimate is the memory that the run really takes.
set -u
source=$1 quern=$2
receptor=$source/examples/1ppe/1PPE_r_u.pdb ligand=$source/examples/1ppe/1PPE_l_u_rnd.pdb
. "$1/tests/support/script.sh"
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
cat >"$work/peak.py" <<'END'
# peak.py PROGRAM ARGUMENTS…: run it, and print its exit status and its peak memory in MiB
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
END
dock() { # dock OPTIONS…: sets status, peak (MiB) and message
  read -r status peak < <(python3 "$work/peak.py" "$quern" dock "$receptor" "$ligand" -n 2 --device host --tune off --quiet \
    -o "$work/out" "$@" 2>"$work/message")
  message=$(cat "$work/message")
}
refused() { # refused OPTIONS…: with one sentence, before the grids and the output are made
  dock "$@"
  [ "$status" -eq 1 ] && [ "$(grep -c . "$work/message")" -eq 1 ] && [[ "$message" == *"; expected a larger --spacing, a smaller --grid"* ]] ||
    fail "exit $status of dock $*: $message"
  [ "$peak" -lt 100 ] || fail "dock $* took $peak MiB before it was refused"
  [ ! -e "$work/out" ] || fail "dock $* left an output"
}
refused --grid 1024 --memory 1
for options in "" "--coefficients balanced" "--fft own"; do
  refused --grid 128 --memory 0.05 $options
  [[ "$message" == *"and 0.05 GiB are allowed by --memory"* ]] || fail "the limit in: $message"
  estimate=$(sed -n 's/.* takes about \([0-9.]*\) GiB .*/\1/p' "$work/message")
  dock --grid 128 $options
  [ "$status" -eq 0 ] || fail "dock --grid 128 $options: $message"
  rm -rf "$work/out"
  awk -v estimate="$estimate" -v peak="$peak" 'BEGIN { share = 1024 * estimate / peak; exit !(share > 0.9 && share < 1.2) }' ||
    fail "dock --grid 128 $options takes $peak MiB, but $estimate GiB were estimated"
done
[ $failures -eq 0 ]
