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

# planted [WHAT SENTENCE]...: the layers' test fails and reports each fault with its sentence.
planted() {
    local told
    if told=$(bash "$source/tests/house/check_layers.sh" "$work"); then
        echo "FAILED: $1 passes"
        failures=$((failures + 1))
        return
    fi
    for (( ; $# > 0; )); do
        grep -qF -- "$2" <<<"$told" || { printf 'FAILED: %s is not reported as "%s" but as:\n%s\n' "$1" "$2" "$told"; failures=$((failures + 1)); }
        shift 2
    done
}
restore() { cp "$source/src/LAYERS" "$work/src/LAYERS"; }
# plant NAME TEXT: a source with this text in a folder of its own.
plant() { mkdir -p "$work/src/$1" && printf '%s\n' "$2" >"$work/src/$1/$1.c" &&
    printf '%s 6 base\n' "$1" >>"$work/src/LAYERS"; }

restore
sed -i 's/^math .*/& expression/; s/^chemistry .*/& runtime/; /^quern\/volume.h/d' "$work/src/LAYERS"
echo "reduce 4 base" >>"$work/src/LAYERS"
plant program '#include "base/error.h"
#include <quern/dock.h>'
plant file '#include "base/error.h"
#include "fsc/run.h"'
planted "a permission on the same floor" "math may not include expression" \
    "a permission that nothing uses" "chemistry never includes runtime" \
    "a row without a folder" "reduce: no such folder" \
    "a public header without an owner" "include/quern/volume.h: no row" \
    "a program that includes another's public header" "program may not include <quern/dock.h>, of dock" \
    "a program that includes another's file" "file may not include fsc/run.h, of fsc"
rm -r "$work/src/program" "$work/src/file"
restore
sed -i '/^chemistry /d' "$work/src/LAYERS"
planted "a folder without a row" "src/chemistry/bonds.c: no row of src/LAYERS has it"
[ $failures -eq 0 ]
