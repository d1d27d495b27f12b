#!/usr/bin/env bash
# labels: unsanitized
# The pictures of the rules in docs/design/fuse.md: what each allows is one kernel, and what it refuses is kept apart by
# that rule. Arguments: source folder, quern binary.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$source/tests/support/script.sh"
cd "$work" || exit 1
declarations=$'input A, C, D: matrix(n, n)\ninput u, v, w, x, y, r, d: vector(n); input b: scalar'

# explain DECLARATIONS STEPS: a script in which every result is used.
explain() {
  printf 'sequence s\n%s\n%s\n' "$1" "$2" >s.qf
  "$quern" fuse explain s.qf >out.txt 2>err.txt || { fail "$2"; cat err.txt; }
}
allows() { # allows DECLARATIONS STEPS
  explain "$@"
  head -n 1 out.txt | grep -q ' in 1 kernel' || { fail "one kernel: $2"; cat out.txt; }
}
refuses() { # refuses RULE DECLARATIONS STEPS
  explain "$2" "$3"
  grep -q ": $1, " out.txt || { fail "$1: $3"; cat out.txt; }
}
rows='input A: matrix(m, n); input p, r, d: vector(n); input u: vector(m); input b: scalar'

allows "$rows"$'\noutput q, t: vector(m)' 'q = A*p; t = q + u'
refuses R1 "$rows"$'\ninput B: matrix(k, m)\noutput q: vector(m); output t: vector(k)' 'q = A*p; t = B*q'
allows "$rows"$'\noutput q: vector(m); output s: vector(n)' "q = A*p; s = A'*q"
refuses R3 "$rows"$'\noutput z: vector(m)' 'q = A*p; e = dot(q, q); z = q/e'
allows "$declarations"$'\noutput B: matrix(n, n); output q: vector(n)' 'B = A + C; q = B*x'
refuses R4 "$declarations"$'\noutput B, E: matrix(n, n)' "B = A + C; E = B' + B"
allows "$rows"$'\noutput p2: vector(n); output q: vector(m)' 'p2 = r + b*d; q = A*p2'
refuses R5 "$declarations"$'\noutput q: vector(n)' 's = A*x; p = s + d; q = C*p'
allows "$declarations"$'\ninout z: vector(n)\noutput e: scalar' 'e = dot(z, x); z = z + b*v'
refuses R6 "$declarations"$'\ninout z: vector(n)\noutput q: vector(n)' 'q = A*z; z = z + q'
allows "$rows"$'\noutput q: vector(m); output s: vector(n)' "q = A*p; s = A'*u"
refuses R7 $'input x, y: vector(n); input v, w: vector(m)\noutput t, e: scalar' 't = dot(x, y); e = dot(v, w)'
products='output a, b2, c, d2, e: vector(n)'
allows "${declarations}"$'\noutput a, b2, c, d2: vector(n)' 'a = A*x; b2 = A*y; c = A*u; d2 = A*v'
refuses R8 "$declarations"$'\n'"$products" 'a = A*x; b2 = A*y; c = A*u; d2 = A*v; e = A*w'
# R2: e and t need s, and s comes between q and t
refuses R2 "$rows"$'\noutput t: vector(n)' "q = A*p; s = A'*q; e = dot(s, s); t = e*s"
[ $failures -eq 0 ]
