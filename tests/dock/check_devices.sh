#!/usr/bin/env bash
# labels: unsanitized
# check_devices.sh SOURCE QUERN BUILD: the same run on every available device and with all transforms of the host. Poses
# may differ only where rounding decides between equal energies, so nearly all must be the same, and equal poses must
# have the same rescored energy to the last digit. A run has the three default coefficient sets; poses are compared
# within their set, because each set has its own energy.
set -u
source=$1 quern=$2
receptor=$source/examples/1ppe/1PPE_r_u.pdb ligand=$source/examples/1ppe/1PPE_l_u_rnd.pdb
. "$1/tests/support/script.sh"
per_rotation=2 keep=150
dock() { # dock NAME options…
  local name=$1
  shift
  "$quern" dock "$receptor" "$ligand" --rotations 120 --spacing 2 --per-rotation $per_rotation --keep $keep --quiet -o "$work/$name" "$@" ||
    fail "the run $name"
}
compare() { # compare NAME [OTHER]: set by set with the run OTHER (default: the run with the host's own transform)
  awk -F, -v name="$1" -v keep=$keep '
    { key = $16 "," $3 "," $13 "," $14 "," $15 }
    NR == FNR { energy[key] = $17; next }
    FNR > 1 { n[$16]++; if (key in energy) { same[$16]++; if (energy[key] != $17) other[$16]++ } }
    END {
      for (set in n) {
        printf "%s, %s: %d of %d poses are the same, %d of them with another energy\n", name, set, same[set], n[set], other[set]
        good += n[set] == keep && same[set] >= 0.98 * n[set] && other[set] == 0
        sets++
      }
      exit !(sets == 3 && good == 3) }' "$work/${2:-host}/poses.csv" "$work/$1/poses.csv" ||
    fail "$1 differs from ${2:-host}"
}
same() { # same NAME NAME: both runs wrote the same bytes
  cmp -s "$work/$1/poses.csv" "$work/$2/poses.csv" || fail "$2 differs from $1"
}
dock host --device host --fft own
dock checking --device checking:host --fft own
same host checking
dock fused --device host --fft fused && compare fused
dock auto --device host && same fused auto
names=$(grep -ho '"fft_engine": "[a-z]*"' "$work"/{host,fused,auto}/run.json | cut -d'"' -f4 | tr '\n' ' ')
[ "$names" = "own fused fused " ] || fail "run.json names the transforms $names"
if "$quern" dock "$receptor" "$ligand" --rotations 1 --spacing 3 --device host --fft fftw --quiet -o "$work/try" 2>/dev/null >&2; then
  dock fftw --device host --fft fftw && compare fftw
fi
for device in $("$quern" devices 2>/dev/null | grep -oE '^(opencl|cuda):[0-9]+ +(GPU|CPU)' | grep -oE '^[a-z]+:[0-9]+'); do
  dock "${device/:/-}" --device "$device" && compare "${device/:/-}"
done

# Searches with one pose for each rotation use other kernels than searches with several.
per_rotation=1 keep=100
dock one --device host --fft own
dock one-fused --device host --fft fused && compare one-fused one
dock one-auto --device host && same one-fused one-auto
dock one-checking --device checking:host && same one-fused one-checking
[ $failures -eq 0 ]
