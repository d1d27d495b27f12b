# awk -v loose=0 -f compare_printed.awk EXPECTED ACTUAL: whether a page's lines stand in the output of its commands, in
# their order. The words must be the same; numbers must agree within 2 %, or one in their last place, except times,
# speeds, memory and the device. loose=1: the run was smaller than the page's, so numbers may differ, and lines of tables
# are left out. A line "…" stands for any lines. Prints the page's lines with the output's numbers on standard output, and
# on standard error what is wrong.
function shape(line) {
    gsub(/[0-9]+(\.[0-9]+)?(e[-+][0-9]+)?/, "#", line)
    gsub(/-#/, "#", line)
    gsub(/[ \t]+/, " ", line)
    sub(/ $/, "", line)
    return line
}
function is_of_machine(line) { return line ~ /^(device|host|opencl:[0-9]+|cuda:[0-9]+): / }
function is_of_time(line) { return line ~ /\/s|\/min| [0-9.]+ s( |$)| in all|memory|GiB|GB/ }
function is_of_table(line) { return line ~ /^ *-?[0-9]|\.pdb|^(receptor|ligand),|^lowest energy/ }
# The numbers of a line into `numbers`, their decimals into `decimals`; returns how many.
function numbers_of(line, numbers, decimals, count, text) {
    count = 0
    while (match(line, /[0-9]+(\.[0-9]+)?(e[-+][0-9]+)?/)) {
        text = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        numbers[++count] = text + 0
        decimals[count] = index(text, ".") ? length(text) - index(text, ".") : 0
    }
    return count
}
function agree(a, b, i, count, x, y, dx, dy, step, off) {
    count = numbers_of(a, x, dx)
    numbers_of(b, y, dy)
    for (i = 1; i <= count; i++) {
        step = 1.001 * 10 ^ -dx[i]
        off = x[i] - y[i]; if (off < 0) off = -off
        if (off > step && off > 0.02 * (x[i] < 0 ? -x[i] : x[i])) return 0
    }
    return 1
}
function wrong(text) { print text >"/dev/stderr"; bad = 1 }
function same_words(i, n, words, seen) { # of listings, which have columns on a page
    for (i = 1; i <= actual_count; i++) { n = split(actual[i], words); while (n > 0) seen[words[n--]] = 1 }
    for (i = 1; i <= expected_count; i++) { n = split(expected[i], words); while (n > 0) if (!(words[n--] in seen)) return 0 }
    return 1
}
FNR == NR { expected[++expected_count] = $0; next }
{ sub(/\r$/, ""); actual[++actual_count] = $0 }
END {
    at = 1
    if (same_words()) { for (i = 1; i <= expected_count; i++) print expected[i]; exit 0 }
    for (i = 1; i <= expected_count; i++) {
        line = expected[i]
        if (line == "…" || is_of_machine(line) || (loose && is_of_table(line))) { print line; continue }
        for (j = at; j <= actual_count && shape(actual[j]) != shape(line); j++);
        if (j > actual_count) {
            wrong("is not printed (any more): " line)
            print line
            continue
        }
        at = j + 1
        if (!loose && !is_of_time(line) && !agree(line, actual[j])) wrong("the page says: " line "\n  printed is: " actual[j])
        print actual[j]
    }
    exit bad
}
