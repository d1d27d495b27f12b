#!/usr/bin/env bash
# labels: unsanitized
# The written files in examples/fuse are what the program writes. Arguments: source folder, quern binary, build folder.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$source/tests/support/script.sh"
compare() { # compare NAME LANGUAGE
  "$quern" fuse "$source/examples/fuse/$1.qf" -o "$work/$1" --language "$2" --quiet || fail "$1: quern fuse"
  diff -u -r "$source/examples/fuse/$1" "$work/$1" >"$work/difference" && return
  head -n 20 "$work/difference"
  fail "examples/fuse/$1 is old: quern fuse examples/fuse/$1.qf -o examples/fuse/$1 --language $2 --overwrite"
}
compare bicgk opencl
compare cg c
[ $failures -eq 0 ]
