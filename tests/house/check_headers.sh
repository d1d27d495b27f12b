#!/usr/bin/env bash
# labels: unsanitized
# Each public header compiles alone, as C17 and as C++17, without a warning, and defines no function-like macro.
# Argument: source folder.
set -u
cd "$1" || exit 1
failures=0
empty=$(mktemp) || exit 1
trap 'rm -f "$empty"' EXIT
flags="-fsyntax-only -Wall -Wextra -Wpedantic -Werror -Iinclude"
for header in include/quern/*.h; do
    # shellcheck disable=SC2086
    "${CC:-cc}" -x c -std=c17 $flags -include "$header" "$empty" || { echo "$header: not valid C17"; failures=1; }
    # shellcheck disable=SC2086
    "${CXX:-c++}" -x c++ -std=c++17 $flags -include "$header" "$empty" || { echo "$header: not valid C++17"; failures=1; }
done
if grep -nE '^[[:space:]]*#[[:space:]]*define[[:space:]]+[A-Za-z_0-9]+\(' include/quern/*.h | grep -v 'QN_PRINTF_LIKE('; then
    echo "public headers hold plain declarations, no function-like macros"
    failures=1
fi
[ "$failures" = 0 ]
