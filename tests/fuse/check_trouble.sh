#!/usr/bin/env bash
# labels: unsanitized
# Trouble of quern fuse, kind by kind: one sentence each, with file, line and column, what was found and what is expected.
# Arguments: source folder, quern binary.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$source/tests/support/script.sh"
cd "$work" || exit 1
export QUERN_TUNING_STORE=off XDG_CACHE_HOME=$work/cache

# refused CODE SENTENCE ACTION...: with the script from stdin as s.qf; the sentence is the whole message.
refused() {
  local code=$1 sentence=$2
  shift 2
  cat >s.qf
  "$quern" fuse "$@" >out.txt 2>err.txt
  [ $? -eq "$code" ] && [ "$(cat err.txt)" = "quern: $sentence" ] || { fail "expected $sentence"; cat err.txt; }
}
script() { # script STEPS: values of all kinds, and steps
  printf 'sequence s\ninput A: matrix(m, n); input S: csr(n, n); input x, y: vector(n)\n'
  printf 'inout w: vector(n)\noutput z: vector(n)\n%b\n' "$1"
}

script 'z = alpa*x' | refused 1 's.qf:5:5: found the unknown name "alpa"; expected a declared or assigned name' explain s.qf
script 'alpha = dot(x, y); z = alpa*x' | refused 1 \
  's.qf:5:24: found the unknown name "alpa"; expected a declared or assigned name (did you mean "alpha"?)' explain s.qf
script 'z = axpi(2, x, y)' | refused 1 \
  's.qf:5:5: found the unknown function "axpi"; expected one of the library (did you mean "axpy"?)' explain s.qf
script 'z = A*z' | refused 1 \
  's.qf:5:7: found "z" in its own assignment, a cycle; expected values that are known before' explain s.qf
script 'q = A*x\nz = q + x' | refused 1 \
  's.qf:6:7: found vector(m) and vector(n) in a sum; expected equal shapes or a scalar' explain s.qf
script 'z = x\nz = y' | refused 1 's.qf:6:1: found a second assignment of "z", after line 5; expected one' explain s.qf
script 'z = a + x\na = 2*y' | refused 1 \
  's.qf:5:5: found "a" before line 6 assigns it; expected its assignment first' explain s.qf
script 'a = x + b\nb = 2*a\nz = b' | refused 1 \
  's.qf:5:9: found "b", which line 6 makes of "a", a cycle; expected values that are known before' explain s.qf
script 'z = x\nnext w = x' | refused 1 's.qf:6:6: found "next w" outside of repeat; expected "w" alone' explain s.qf
script "z = S'*x" | refused 1 's.qf:5:5: found csr(n, n) transposed; expected a csr matrix as A*x only' explain s.qf
script 'a = dot(x, y)' | refused 1 's.qf:4:8: found no assignment of the output "z"; expected one' explain s.qf

# sizes
script 'z = x' | refused 2 '--size has "n=0"; expected a whole number from 1 to 2147483647' explain s.qf --size n=0
script 'z = x' | refused 2 '--size has "n=-5"; expected a whole number from 1 to 2147483647' run s.qf --size m=1,n=-5
script 'z = x' | refused 2 '--size names "k", which no value of s has; expected one of: m n' explain s.qf --size k=5
printf 'sequence s\ninput x: vector(0)\n' | refused 1 \
  's.qf:2:17: found "0"; expected a whole number from 1 to 2147483647' explain s.qf

# devices too small
script 'z = x' | "$quern" fuse explain /dev/stdin >/dev/null || fail "a script that is right is refused"
script 'z = x' >s.qf
"$quern" fuse run s.qf --size m=2000000,n=2000000 -d host >out.txt 2>err.txt
grep -q '^quern: s.qf:2:7: found A, a matrix(m, n) of 16000 GB; expected at most [0-9.]* GB, the largest buffer of host$' \
  err.txt || { fail "a matrix larger than memory"; cat err.txt; }

# files of results
printf 'sequence s\ninput x: vector(n)\noutput y, z: vector(n)\ny = 2*x; z = 3*x\n' >s.qf
"$quern" fuse run s.qf --size n=10 --repeat 1 --budget 0 -d host -o y=y.npy >out.txt || fail "a result is not written"
cp s.qf same.qf
again() { refused 2 "$@" <same.qf; }
again 'y.npy exists; --overwrite replaces it' run s.qf --size n=10 -d host -o y=y.npy
again '--output writes z to ./y.npy, which is an input; expected another file' \
  run s.qf -d host --input x=y.npy -o z=./y.npy --overwrite
again '--output names a.npy twice; expected a file for each result' run s.qf --size n=10 -d host -o y=a.npy -o z=a.npy
again '--output and --report name a.npy; expected a file for each' \
  run s.qf --size n=10 -d host -o y=a.npy --report a.npy
"$quern" fuse run s.qf --size n=10 --repeat 1 --budget 0 -d host -o y=y.npy --overwrite >out.txt || fail "--overwrite is refused"
[ $failures -eq 0 ]
