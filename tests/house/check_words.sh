#!/usr/bin/env bash
# labels: unsanitized
# Texts of the tree must not contain broken links, paths of one particular machine, marks of unfinished work, or
# comments that begin with a question word, where a noun and a verb read better.
# Argument: source folder.
set -u
cd "$1" || exit 1
failures=$(mktemp) || exit 1
trap 'rm -f "$failures"' EXIT
files=$(find . \( -name .git -o -name .gpu -o -name 'build*' -o -path ./dist -o -path ./tests/data -o -path ./examples/1ppe \) -prune -o -type f -print |
    grep -vE '\.(png|gz|pdb|cif|mrc)$' | sort)

# Markdown links and pictures to files of the tree, relative to the page.
while IFS= read -r page; do
    grep -noE '\]\([^)#]+' "$page" | grep -vE '\]\((https?|mailto):' | while IFS= read -r hit; do
        target=${hit#*](}
        [ -e "$(dirname "$page")/$target" ] || echo "$page:${hit%%:*}: link to $target leads nowhere"
    done
done < <(grep '\.md$' <<<"$files") >>"$failures"

# The brackets keep this file from finding itself.
while IFS= read -r hit; do echo "$hit: a path of one machine"; done >>"$failures" \
    < <(xargs grep -nIE '(^|[^A-Za-z0-9_.}/-])/([w]ork|[h]ome|[r]oot|[U]sers|[m]nt)/' <<<"$files" | cut -c1-160)
while IFS= read -r hit; do echo "$hit: unfinished work"; done >>"$failures" \
    < <(xargs grep -nIE '\b([T]ODO|[F]IXME|[X]XX)\b' <<<"$files" | cut -c1-160)
while IFS= read -r hit; do echo "$hit: a comment that begins with a question word"; done >>"$failures" \
    < <(xargs grep -nIE '(^|[[:space:]])(/\*|//|#) ?[W]hat ' <<<"$files" | grep -vE '^[^:]*\.md:' | cut -c1-160)

cat "$failures"
[ ! -s "$failures" ]
