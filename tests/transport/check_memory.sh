#!/usr/bin/env bash
# labels: unsanitized
# check_memory.sh SOURCE QUERN BUILD: a run takes the memory that --explain tells, within a tenth, also with many
# ligands; one that would take more than --memory is refused before it searches.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$source/tests/support/script.sh"
[ -x /usr/bin/time ] || { echo "/usr/bin/time is not installed"; exit 77; }
export LC_ALL=C QUERN_TUNE=off
cd "$work" || exit 1
awk -v models=1 -v shake=0 -f "$source/tests/tunnel/shell.awk" >shell.pdb
awk -v count=24 -f "$source/tests/transport/guests.awk" >guests.sdf
sed '/^\$\$\$\$/q' guests.sdf >one.sdf
awk 'BEGIN { for (z = 9; z > -0.1; z -= 0.6) printf "0 0 %.1f 0 0 1 1.5\n", z }' >way.dsd
transport() { # transport LIGANDS OPTION...: sets status and peak (MiB)
  rm -rf out
  /usr/bin/time -o peak -f %M "$quern" transport shell.pdb "$1" --tunnel way.dsd --direction in --rounds 0 --explain -o out \
    "${@:2}" >output 2>message
  status=$?
  peak=$(awk 'END { print $1 / 1024 }' peak)
  estimate=$(sed -n 's/.* take about \([0-9.]*\) MiB;.*/\1/p' message)
}
fits() { # fits LIGANDS OPTION...
  transport "$@"
  [ "$status" -eq 0 ] || fail "$*: $(cat message)"
  awk -v e="$estimate" -v p="$peak" 'BEGIN { exit !(e > 0.9 * p && e < 1.1 * p) }' ||
    fail "$* takes $peak MiB, but $estimate MiB were estimated"
}
fits guests.sdf --effort 0.05 --poses 3
fits one.sdf --effort 20 --bound lower
transport one.sdf --poses 1000 --memory 0.02
[ "$status" -eq 1 ] && grep -q 'expected at most the 20.5 MiB of --memory: fewer --poses, less --effort or fewer --threads take less' message ||
  fail "with --memory: exit code $status, $(cat message)"
[ ! -e out ] || fail "a refused run left its folder"
[ $failures -eq 0 ]
