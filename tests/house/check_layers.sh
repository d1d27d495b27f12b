#!/usr/bin/env bash
# labels: unsanitized
# The house rules of src/: who includes whom (src/LAYERS), how includes are written, limits on the size of folders,
# files and functions, and forbidden folder names. Argument: source folder.
set -u
cd "$1/src" || exit 1
failures=$(mktemp) || exit 1
trap 'rm -f "$failures"' EXIT

find -L . -type d \( -name utils -o -name util -o -name misc -o -name common -o -name helpers -o -name old \) \
    -printf 'src/%P: a folder name should say what is in it\n' >>"$failures"

# Sources outside tests, counted by folder: kernels/ and workloads/ count by themselves.
find -L . \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.cl' -o -name '*.cu' \) -not -path '*/tests/*' -printf '%h\n' |
    sort | uniq -c | awk '$1 > 40 { printf "src/%s: %d sources; a folder of more than 40 must be split into rooms\n", substr($2, 3), $1 }' \
    >>"$failures"

# First read src/LAYERS, then every include of src/ and of the public headers.
{
    find -L . -name '*.[ch]' -o -name '*.cpp' -o -name '*.cl' -o -name '*.cu' | sed 's|^\./||'
    find ../include/quern -name '*.h'
} | sort | xargs awk '
    function row_of(path,    parts, count, i, row, longest) { # the longest row that the path lies in
        count = split(path, parts, "/")
        for (i = 1; i < count; i++) {
            row = i == 1 ? parts[1] : row "/" parts[i]
            if (row in floor) longest = row
        }
        return longest
    }
    function folder_of(row) { sub(/\/.*/, "", row); return row }
    function may(from, to) { return from == to || (from, to) in line_of_permission }
    function wrong(message) { printf "%s:%d: %s\n", shown, FNR, message }
    function wrong_layers(line, message) { printf "src/LAYERS:%d: %s\n", line, message }
    function read_layers(    text, words, count, number, i) {
        while ((getline text < "LAYERS") > 0) {
            number++
            count = split(text, words, " ")
            if (count < 2 || words[1] ~ /^#/) continue
            if (words[1] ~ /^quern\//) { owner[words[1]] = words[2]; owner_line[words[1]] = number; continue }
            floor[words[1]] = words[2] + 0
            row_line[words[1]] = number
            for (i = 3; i <= count; i++) line_of_permission[words[1], words[i]] = number
        }
        close("LAYERS")
    }
    function check_layers(    key, pair, row, header, text) {
        for (row in floor) if (system("test -d " row) != 0) wrong_layers(row_line[row], row ": no such folder")
        for (header in owner) {
            if (!(owner[header] in floor)) wrong_layers(owner_line[header], owner[header] " is no row")
            if ((getline text < ("../include/" header)) < 0) wrong_layers(owner_line[header], header ": no such header")
            close("../include/" header)
        }
        for (key in line_of_permission) {
            split(key, pair, SUBSEP)
            if (!(pair[2] in floor)) wrong_layers(line_of_permission[key], pair[2] " is no row")
            else if (floor[pair[2]] > floor[pair[1]] || (floor[pair[2]] == floor[pair[1]] &&
                     (folder_of(pair[1]) != folder_of(pair[2]) || row_line[pair[2]] > row_line[pair[1]])))
                wrong_layers(line_of_permission[key], pair[1] " may not include " pair[2] \
                             ", which is not on a lower floor nor a room above it")
        }
    }
    # `row`: the row of the included file.
    function check_include(target, row) {
        if (row == "") { wrong(target " lies in no row of src/LAYERS"); return }
        if (is_test) {
            if (floor[row] >= floor[from] && folder_of(row) != folder_of(from))
                wrong("a test of " from " may not include " target ", of floor " floor[row])
            return
        }
        used[from, row] = 1
        if (!may(from, row)) wrong(from " may not include " target ", of " row)
    }
    BEGIN { read_layers(); check_layers() }
    FNR == 1 {
        begin = 0
        is_public = FILENAME ~ /^\.\.\/include\//
        shown = is_public ? substr(FILENAME, 4) : "src/" FILENAME
        is_test = FILENAME ~ /\/tests\//
        header = "quern/" FILENAME
        sub(/.*quern\//, "quern/", header)
        from = is_public ? owner[header] : row_of(FILENAME)
        if (from == "") printf "%s: no row of src/LAYERS has it\n", shown
    }
    /^[ \t]*#[ \t]*include[ \t]*<quern\// {
        target = $0
        sub(/.*</, "", target)
        sub(/>.*/, "", target)
        check_include("<" target ">", owner[target])
    }
    # Includes with quotes are written from src/. Drivers are behind runtime/driver.h, and cli uses public headers only.
    # Tests may include files of tests/support.
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, quoted, "\"")
        target = quoted[2]
        slashes = split(target, to, "/")
        if (is_test && system("test -f ../tests/support/" target) == 0) next
        if (slashes < 2 || target ~ /\.\./) { wrong("\"" target "\" is not written from src/"); next }
        check_include(target, row_of(target))
        if (from == "cli" && to[1] != "cli") wrong("cli includes public headers only, not " target)
        if (to[1] == "runtime" && to[2] ~ /^(host|opencl|cuda|checking)$/) {
            split(FILENAME, place, "/")
            inside = from == "runtime" && (place[2] == to[2] || FILENAME == "runtime/drivers.c" || is_test)
            if (!inside) wrong(target " belongs to a driver; use runtime/driver.h")
        }
    }
    # A function of ours begins with a line "{" and ends with a line "}".
    /^\{$/ { begin = FNR }
    /^\}/ { if (begin && FNR - begin + 1 > 60) wrong("a function of " FNR - begin + 1 " lines ends here; 60 at most")
            begin = 0 }
    FNR == 801 { wrong("a file of more than 800 lines; 800 at most") }
    END {
        for (key in line_of_permission) {
            split(key, pair, SUBSEP)
            if (!(key in used)) wrong_layers(line_of_permission[key], pair[1] " never includes " pair[2])
        }
    }
' >>"$failures"

sort "$failures"
[ ! -s "$failures" ]
