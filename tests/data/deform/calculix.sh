# Functions for decks that quern deform solve writes for CalculiX; scripts source this file.

# calculix_force DECK.inp: run CalculiX on a deck, and print the tool's force on the body at the end of the step: the total
# of the fixed nodes' reactions with the opposite sign.
calculix_force() {
  local name=${1%.inp}
  (cd "$(dirname "$1")" && OMP_NUM_THREADS=1 ccx "$(basename "$name")" >"$(basename "$name").log" 2>&1) # it leaves files
  awk '/total force .* for set FIXED and time/ { time = $NF; getline; getline; x = -$1; y = -$2; z = -$3; there = 1 }
    END { if (!there || time != 1) exit 1; printf "%.6e %.6e %.6e\n", x, y, z }' "$name.dat"
}

# Run as a program: make the table of forces again, from the cases of the old one.
#     bash calculix.sh QUERN FOLDER_OF_MESHES... <calculix.txt >new.txt
if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  set -eu
  quern=$1 work=$(mktemp -d)
  shift
  while read -r mesh order material fix contact move rest; do
    [ "${mesh#\#}" = "$mesh" ] || { echo "$mesh $order $material $fix $contact $move $rest"; continue; }
    path=$(find "$@" -name "$mesh" | head -n 1)
    "$quern" deform solve "$path" --order "$order" --material "$material" --mixed no --fix "$fix" --contact "$contact" \
      --move "$move" --calculix "$work/deck.inp" --overwrite --quiet -o "$work/out" 2>/dev/null
    echo "$mesh $order $material $fix $contact $move $(calculix_force "$work/deck.inp")"
  done
  rm -r "$work"
fi
