#!/usr/bin/env bash
# labels: unsanitized
# The layers test detects faults: it must report a fault planted in a copy of src/LAYERS, or an additional bad file in
# the tree. Argument: source folder.
set -u
source=$(cd "$1" && pwd)
. "$1/tests/support/script.sh"
mkdir "$work/src"
ln -s "$source/include" "$source/tests" "$work"
for entry in "$source"/src/*; do [ -d "$entry" ] && ln -s "$entry" "$work/src"; done

# planted WHAT SENTENCE: the layers' test fails with the sentence.
planted() {
    local told
    if told=$(bash "$source/tests/house/check_layers.sh" "$work"); then
        echo "FAILED: $1 passes"
    elif ! grep -qF -- "$2" <<<"$told"; then
        printf 'FAILED: %s is not reported as "%s" but as:\n%s\n' "$1" "$2" "$told"
    else
        return
    fi
    failures=$((failures + 1))
}
restore() { cp "$source/src/LAYERS" "$work/src/LAYERS"; }
# plant FOLDER TEXT: a source with this text in a folder of its own within the row.
plant() { mkdir -p "$work/src/planted" && printf '%s\n' "$2" >"$work/src/planted/planted.c" &&
    printf 'planted 6 %s\n' "$1" >>"$work/src/LAYERS"; }

restore
bash "$source/tests/house/check_layers.sh" "$work" || { echo "FAILED: the tree as it is"; failures=1; }
sed -i 's/^math .*/& expression/' "$work/src/LAYERS"
planted "a permission on the same floor" "math may not include expression"
restore
sed -i 's/^chemistry .*/& runtime/' "$work/src/LAYERS"
planted "a permission that nothing uses" "chemistry never includes runtime"
restore
echo "reduce 4 base" >>"$work/src/LAYERS"
planted "a row without a folder" "reduce: no such folder"
restore
sed -i '/^chemistry /d' "$work/src/LAYERS"
planted "a folder without a row" "src/chemistry/bonds.c: no row of src/LAYERS has it"
restore
sed -i '/^quern\/volume.h/d' "$work/src/LAYERS"
planted "a public header without an owner" "include/quern/volume.h: no row"
restore
plant base '#include "base/error.h"
#include <quern/dock.h>'
planted "a program that includes another's public header" "planted may not include <quern/dock.h>, of dock"
restore
plant base '#include "base/error.h"
#include "fsc/run.h"'
planted "a program that includes another's file" "planted may not include fsc/run.h, of fsc"
rm -r "$work/src/planted"
[ $failures -eq 0 ]
