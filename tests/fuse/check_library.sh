#!/usr/bin/env bash
# labels: unsanitized
# Functions of users with implementations: what is used, what is not and why, what does not compile; and measured rates.
# Arguments: source folder, quern binary.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$source/tests/support/script.sh"
cd "$work" || exit 1
export QUERN_TUNING_STORE=$work/store.db XDG_CACHE_HOME=$work/cache

mkdir right broken
cat >right/mine.qel <<'END_OF_LIBRARY'
function residual(A(i,j), x(j)) -> y(i) point { y += A * x; }
implementation wrong
  compute { y += A; }
implementation many
  threads 512, 3
  compute { y += A * x; }
implementation fused
  tunable STEPS 1 2
  place A(i: y, j: x) register
  load x { x = *x_at; }
  compute {
    /* the same as point, rounded once */
    y = FMA(A, x, y) * (STEPS / STEPS);
  }
function blend(a(), x(i), y(i)) -> z(i), r() point { z = a * x + y; r += x; }
implementation both
  tunable STEPS 2
  compute { z = FMA(a, x, y); r += (float)STEPS * x / STEPS; }
  store z { *z_at = z; }
END_OF_LIBRARY
cat >s.qf <<'END_OF_SCRIPT'
sequence s
input A: matrix(m, n); input x, y: vector(n); input a: scalar
output q: vector(m); output z: vector(n); output r: scalar
q = residual(A, x)
z, r = blend(a, x, y)
END_OF_SCRIPT

# explain names implementations, and why others are not used.
"$quern" fuse explain s.qf --library right >explain.txt 2>err.txt || fail "explain"
has() { grep -q -- "$1" "$2" || { fail "$2 lacks: $1"; cat "$2"; }; }
has '^  q = residual(A, x)  *over m × n, by fused$' explain.txt
has '^  z, r = blend(a, x, y)  *over n, by both$' explain.txt
has '^residual by wrong is not used: it differs from point: [-0-9.]* where that is [-0-9.]*$' explain.txt
has '^residual by many is not used: it has groups of 512 work-items along x, and kernels on a large GPU have 32$' explain.txt
has '^rates assumed, not measured, on a large GPU: 4 µs a launch, 2000 GB/s of a copy$' explain.txt

# Kernels with bodies are right, and fused with other calls.
"$quern" fuse run s.qf --library right --size m=301,n=1003 --repeat 1 --budget 0 -d host >run.txt 2>err.txt ||
  { fail "a run"; cat err.txt; }
has '^z: 0 of 1003 beyond rounding' run.txt

# Files in C have the bodies as functions, compile, and give the same bits.
cat >main.c <<'END_OF_PROGRAM'
#include <math.h>
#include <stdio.h>

#include "s.h"
enum { M = 33, N = 70 };
int main(void)
{
    static float A[M * N], x[N], y[N], a = 0.5f, q[M], z[N], r;
    const s_sizes sizes = {.m = M, .n = N, .A_step = N};
    const s_arguments arguments = {.A = A, .x = x, .y = y, .a = &a, .q = q, .z = z, .r = &r};
    s_plan *plan;
    double sum = 0;
    for (int i = 0; i < M * N; i++) A[i] = (float)(i % 7 - 3);
    for (int j = 0; j < N; j++) x[j] = (float)(j % 5 - 2), y[j] = (float)(j % 3);
    int code = s_create(1, &sizes, &plan);
    if (code == S_OK) code = s_run(plan, &arguments, NULL);
    for (int i = 0; i < M; i++) {
        double expected = 0;
        for (int j = 0; j < N; j++) expected += (double)A[i * N + j] * x[j];
        if (q[i] != (float)expected) return printf("q[%d] is %g, expected %g\n", i, q[i], expected), 1;
    }
    for (int j = 0; j < N; j++) {
        sum += x[j];
        if (z[j] != a * x[j] + y[j]) return printf("z[%d] is %g\n", j, z[j]), 1;
    }
    s_destroy(&plan);
    return code != S_OK || r != (float)sum;
}
END_OF_PROGRAM
"$quern" fuse s.qf --library right -o files --language c --quiet 2>err.txt || { fail "files in C"; cat err.txt; }
has 'residual_fused_y(' files/s.c
has 'blend_both_store_z(&' files/s.c
cp main.c files
${CC:-cc} -std=c17 -Wall -Wextra -Werror -O2 files/s.c files/main.c -lm -o main && ./main || fail "the files in C"
for language in opencl cuda quern; do
  "$quern" fuse s.qf --library right -o "files_$language" --language $language --quiet 2>err.txt ||
    { fail "files in $language"; cat err.txt; }
done
has '#define RESIDUAL_FUSED_STEPS 1' files_opencl/s.cl

# Without a compiler a body of a user is not compared, so it is not used.
QUERN_CC=/nowhere/cc "$quern" fuse explain s.qf --library right >explain.txt 2>err.txt || fail "explain without a compiler"
has 'residual by fused is not used: it cannot be compared with point: .*/nowhere/cc' explain.txt

# A body that does not compile is refused at its own line and column.
cat >broken/b.qel <<'END_OF_LIBRARY'
function f(x(i)) -> y(i) point { y = 2*x; }
implementation a
  compute {
    y = 2.0f * x + zz;
  }
END_OF_LIBRARY
printf 'sequence b\ninput x: vector(n)\noutput y: vector(n)\ny = f(x)\n' >b.qf
"$quern" fuse explain b.qf --library broken >out.txt 2>err.txt && fail "a broken body is used"
has '^quern: broken/b.qel:4:20: found a body of f by a that does not compile: .*zz.*; expected the kernel language$' err.txt
sed -i 's/compute {/needs WIDTH > 1\n  compute {/; s/ + zz//' broken/b.qel
"$quern" fuse explain b.qf --library broken >out.txt 2>err.txt && fail "a condition without a tunable holds"
has '^quern: broken/b.qel:3:9: found "WIDTH > 1", which cannot be computed: .*WIDTH' err.txt

# Measured rates decide from then on, on the device that they were measured on.
measure() { "$quern" fuse measure "$1" --library right -d host --repeat 1 >measure.txt 2>err.txt || { fail "measure $1"; cat err.txt; }; }
"$quern" fuse explain s.qf --library right -d host >explain.txt 2>err.txt
has '^rates assumed, not measured, on host' explain.txt
measure copy
has '^copy  *point  *[0-9.]* ms  *[0-9.]* GB/s$' measure.txt
measure residual
has '^residual  *wrong  *not used: it differs from point' measure.txt
has '^residual  *fused  *[0-9.]* ms  *[0-9.]* GB/s$' measure.txt
rate() { awk -v by="$1" '$1 == "residual" && $2 == by { print $5 }' measure.txt; }
expected=$(awk -v point="$(rate point)" -v fused="$(rate fused)" 'BEGIN { print (fused > point ? ", by fused" : "") }')
"$quern" fuse explain s.qf --library right -d host >explain.txt 2>err.txt
has '^rates measured on host: [0-9.e-]* µs a launch, [0-9.]* GB/s of a copy$' explain.txt
[ "$(rate point)" = "$(rate fused)" ] || has "^  q = residual(A, x)  *over m × n$expected\$" explain.txt
has '^  q = residual(A, x)  *[0-9.]* GB/s$' explain.txt
"$quern" fuse measure copi -d host >out.txt 2>err.txt && fail "copi is no function"
has '^quern: there is no function "copi"; did you mean copy' err.txt
[ $failures -eq 0 ]
