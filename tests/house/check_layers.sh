#!/usr/bin/env bash
# The house rules of src/: who may include whom (src/LAYERS), how includes are written, how long files and functions
# may be, and folder names that say nothing. Argument: source folder.
set -u
cd "$1/src" || exit 1
failures=$(mktemp) || exit 1
trap 'rm -f "$failures"' EXIT

# src/LAYERS itself: "folder floor may-include…"; only lower floors are allowed.
awk '
    /^#/ || NF == 0 { next }
    { floor[$1] = $2; line[$1] = FNR; list[$1] = ""; for (i = 3; i <= NF; i++) list[$1] = list[$1] " " $i }
    END {
        for (folder in list) {
            count = split(list[folder], names, " ")
            for (i = 1; i <= count; i++) {
                if (!(names[i] in floor)) printf "LAYERS:%d: %s is no folder listed here\n", line[folder], names[i]
                else if (floor[names[i]] >= floor[folder])
                    printf "LAYERS:%d: %s (floor %s) may not include %s (floor %s)\n", line[folder], folder,
                           floor[folder], names[i], floor[names[i]]
            }
        }
    }' LAYERS >>"$failures"

for folder in */; do
    folder=${folder%/}
    grep -q "^$folder " LAYERS || echo "src/$folder has no line in src/LAYERS" >>"$failures"
done

find . -type d \( -name utils -o -name util -o -name misc -o -name common -o -name helpers -o -name old \) \
    -printf 'src/%P: a folder name should say what is in it\n' >>"$failures"

# Includes with quotes are written from src/ and follow LAYERS. The drivers are behind runtime/driver.h. Tests of any
# folder may use what lies in tests/support.
find . -name '*.[ch]' -o -name '*.cpp' -o -name '*.cl' -o -name '*.cu' | sed 's|^\./||' | sort | xargs awk '
    BEGIN {
        while ((getline text < "LAYERS") > 0) {
            count = split(text, words, " ")
            if (count < 2 || words[1] ~ /^#/) continue
            allowed[words[1], words[1]] = 1
            for (i = 3; i <= count; i++) allowed[words[1], words[i]] = 1
        }
    }
    function wrong(message) { printf "src/%s:%d: %s\n", FILENAME, FNR, message }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, quoted, "\"")
        target = quoted[2]
        split(FILENAME, from, "/")
        slashes = split(target, to, "/")
        if (FILENAME ~ /\/tests\// && system("test -f ../tests/support/" target) == 0) next
        if (slashes < 2 || target ~ /\.\./) { wrong("\"" target "\" is not written from src/"); next }
        if (!((from[1], to[1]) in allowed)) wrong(from[1] " may not include " target)
        if (to[1] == "runtime" && to[2] ~ /^(host|opencl|cuda|checking)$/) {
            inside = from[1] == "runtime" && (from[2] == to[2] || FILENAME == "runtime/drivers.c" || from[2] == "tests")
            if (!inside) wrong(target " belongs to a driver; use runtime/driver.h")
        }
    }
    # A function of ours begins with a line "{" and ends with a line "}".
    /^\{$/ { begin = FNR }
    /^\}/ { if (begin && FNR - begin + 1 > 60) wrong("a function of " FNR - begin + 1 " lines ends here; 60 at most")
            begin = 0 }
    FNR == 801 { wrong("a file of more than 800 lines wants splitting") }
    FNR == 1 { begin = 0 }
' >>"$failures"

cat "$failures"
[ ! -s "$failures" ]
