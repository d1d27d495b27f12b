#!/usr/bin/env bash
# labels: unsanitized
# Every C and C++ file is formatted as .clang-format says. Other versions of the tool disagree on details, so only
# version 14 (Debian 12) is used. Argument: source folder.
set -u
cd "$1" || exit 1
for tool in clang-format-14 clang-format; do
    "$tool" --version 2>/dev/null | grep -q 'version 14\.' || continue
    # files that quern fuse wrote have a layout of their own
    find src include tests examples -path 'examples/fuse/*/*' -prune -o -name '*.[ch]' -print -o -name '*.cpp' -print | sort |
        xargs "$tool" --dry-run --Werror --ferror-limit=1 2>&1 | grep -E 'error|warning' && exit 1
    exit 0
done
echo "clang-format 14 is not installed"
exit 77
