#!/usr/bin/env bash
# labels: unsanitized
# The library never prints, exits or aborts: none of its objects may import a symbol that does.
# Arguments: source folder, quern binary, build folder.
set -u
build=$3
library=
for candidate in "$build/libquern.so" "$build/libquern.a"; do [ -f "$candidate" ] && library=$candidate; done
[ -n "$library" ] || { echo "no libquern in $build"; exit 1; }
command -v nm >/dev/null || { echo "nm is not installed"; exit 77; }

forbidden='printf vprintf __printf_chk __vprintf_chk puts putchar putc putchar_unlocked perror psignal stdout stderr
stdin err errx warn warnx exit _exit _Exit quick_exit abort raise kill system getchar gets scanf'

# Exceptions: "object symbol", each with its reason. (assert is for our own bugs; its __assert_fail is not listed above.)
# gemmi_bridge.cpp.o abort (libquern.so when shared): gemmi's headers call abort in switch branches that no enum value
# reaches.
# t1_worker.c.o kill (libquern.so when shared): a tuning ends its own worker, a process that hangs in a user's kernel.
exceptions='gemmi_bridge.cpp.o abort
libquern.so abort
t1_worker.c.o kill
libquern.so kill'

case $library in
*.a) imports=$(nm -A --undefined-only "$library" | awk '{ split($1, part, ":"); print part[2], $NF }') ;;
*) imports=$(nm -D --undefined-only "$library" | awk '{ print "libquern.so", $NF }') ;;
esac
[ -n "$imports" ] || { echo "nm shows no imports of $library"; exit 1; }
found=$(awk -v forbidden="$forbidden" -v exceptions="$exceptions" '
    BEGIN {
        count = split(forbidden, words, /[ \n]+/)
        for (i = 1; i <= count; i++) bad[words[i]] = 1
        count = split(exceptions, lines, "\n")
        for (i = 1; i <= count; i++) allowed[lines[i]] = 1
    }
    { sub(/@.*/, "", $2) }
    ($2 in bad) && !(($1 " " $2) in allowed) { print $1 " imports " $2 }' <<<"$imports")
[ -z "$found" ] || echo "$found"
[ -z "$found" ]
