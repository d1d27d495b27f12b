#!/usr/bin/env bash
# Every command has a page in docs/commands whose options blocks, one for the command and one for each of its actions,
# are exactly what the program prints, and every page has a command. Arguments: source folder, quern binary, build folder.
set -u
source=$1
quern=$2
failures=0
commands=$("$quern" -h | sed -n '/^Commands:$/,/^$/s/^  \([a-z-]*\) .*/\1/p')
[ -n "$commands" ] || { echo "quern -h lists no command"; exit 1; }

# compare "COMMAND [ACTION]": the block of $page that begins with its usage line
compare() {
    diff -u --label "$page" --label "quern $1 -h" \
        <(awk -v usage="Usage: quern $1 " '/^```text$/ { getline; inside = index($0, usage) == 1 } /^```$/ { if (inside) exit } inside' "$page") \
        <($quern $1 -h) || failures=$((failures + 1))
}

for command in $commands; do
    page=$source/docs/commands/$command.md
    if [ ! -f "$page" ]; then
        echo "docs/commands/$command.md is missing"
        failures=$((failures + 1))
        continue
    fi
    compare "$command"
    for action in $("$quern" "$command" -h | sed -n '/^Actions:$/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
        compare "$command $action"
        for part in $("$quern" "$command" "$action" -h | sed -n '/^Actions:$/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
            compare "$command $action $part"
        done
    done
done
for page in "$source"/docs/commands/*.md; do
    name=$(basename "$page" .md)
    grep -qx "$name" <<<"$commands" || { echo "docs/commands/$name.md describes no command"; failures=$((failures + 1)); }
done
[ "$failures" = 0 ]
