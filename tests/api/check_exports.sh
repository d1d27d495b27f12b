#!/usr/bin/env bash
# labels: unsanitized
# libquern.so exports the functions that public headers declare, and nothing else: no variable, no internal function, no
# instance of a C++ template. Arguments: source folder, quern binary, build folder.
set -u
source=$1 build=$3
library=
for candidate in "$build/libquern.so" "$build/shared/libquern.so"; do [ -f "$candidate" ] && library=$candidate; done
[ -n "$library" ] || { echo "no libquern.so in $build"; exit 1; }
command -v nm >/dev/null || { echo "nm is not installed"; exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

for header in "$source"/include/quern/*.h; do echo "#include <quern/$(basename "$header")>"; done >all.c
"${CC:-cc}" -std=c17 -E -P -I "$source/include" all.c >all.i || exit 1
# A declaration is a name in front of a parenthesis, up to a semicolon. Functions with a body are static inline: left out.
tr '\n' ' ' <all.i | sed 's/[;}]/&\n/g' | grep -v 'static inline\|typedef' | grep -E '\) *(__attribute__ *\(\(.*\)\))? *;$' |
    grep -oE '\bqn_[a-z0-9_]+\(' | tr -d '(' | sort -u >declared
nm -D --defined-only "$library" | awk '{sub(/@.*/, "", $NF); print $(NF - 1), $NF}' | sort -k 2 >symbols
awk '$1 == "T" {print $2}' symbols | sort -u >exported
failures=0
[ "$(wc -l <declared)" -gt 100 ] || { echo "only $(wc -l <declared) declarations were found"; failures=1; }
grep -v '^T ' symbols && { echo "the symbols above are not functions"; failures=1; }
comm -13 declared exported | grep . && { echo "the functions above are exported and in no public header"; failures=1; }
comm -23 declared exported | grep . && { echo "the functions above are declared and not exported"; failures=1; }
[ "$failures" = 0 ]
