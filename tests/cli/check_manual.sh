#!/usr/bin/env bash
# Every command has a page in docs/commands whose options block is exactly what the program prints, and every page
# has a command. Arguments: source folder, quern binary, build folder.
set -u
source=$1
quern=$2
failures=0
commands=$("$quern" -h | sed -n '/^Commands:$/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ -n "$commands" ] || { echo "quern -h lists no command"; exit 1; }
for command in $commands; do
    page=$source/docs/commands/$command.md
    if [ ! -f "$page" ]; then
        echo "docs/commands/$command.md is missing"
        failures=$((failures + 1))
    elif ! diff -u --label "docs/commands/$command.md" --label "quern $command -h" \
        <(awk '/^```text$/ { inside = 1; next } inside && /^```$/ { exit } inside' "$page") <("$quern" "$command" -h); then
        failures=$((failures + 1))
    fi
done
for page in "$source"/docs/commands/*.md; do
    name=$(basename "$page" .md)
    grep -qx "$name" <<<"$commands" || { echo "docs/commands/$name.md describes no command"; failures=$((failures + 1)); }
done
[ "$failures" = 0 ]
