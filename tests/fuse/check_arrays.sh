#!/usr/bin/env bash
# labels: unsanitized
# quern fuse run with arrays of NumPy's format: what comes out is what files in C and OpenCL make of the same arrays, bit
# by bit, and what numpy and scipy make of them, if they are there. The report. What is refused.
# Arguments: source folder, quern binary, build folder.
set -u
source=$(cd "$1" && pwd) quern=$(realpath "$2")
. "$source/tests/support/script.sh"
cd "$work" || exit 1
export QUERN_TUNING_STORE=off XDG_CACHE_HOME=$work/cache POCL_CACHE_DIR=$work/pocl

once=(--repeat 1 --budget 0)

# Random arrays, made as results.
cat >made.qf <<'END'
sequence made
input a: matrix(m, n); input b: vector(n); input c: vector(m); input d: scalar
output A: matrix(m, n); output F: matrix(m, n) column; output p: vector(n); output r: vector(m); output t: scalar
A = 2*a; F = 2*a; p = 3*b; r = 5*c; t = 7*d
END
"$quern" fuse run made.qf --size m=331,n=1037 "${once[@]}" -d host -o A=A.npy -o F=F.npy -o p=p.npy -o r=r.npy -o t=t.npy \
  >made.txt || fail "no arrays are made"
cmp A.npy F.npy || fail "a matrix should be written by rows, however it is stored"

# The sizes come from the arrays.
run() { # run DEVICE: bicgk of the arrays
  "$quern" fuse run "$source/examples/fuse/bicgk.qf" "${once[@]}" -d "$1" --input A=A.npy --input p=p.npy --input r=r.npy \
    --output q=q.npy --output s=s.npy --overwrite >run.txt || fail "bicgk of arrays on $1"
}
same() { # same LANGUAGE FLAGS...: the files of a language give the same bits
  local language=$1
  shift
  rm -rf files
  "$quern" fuse "$source/examples/fuse/bicgk.qf" -o files --language "$language" --device "$device" \
    --size m=331,n=1037 --quiet
  cp "$source/tests/fuse/output/bits_main.c" "$source/tests/fuse/output/common.h" files
  cp "$source/tests/fuse/output/bridge_$language.h" files/bridge.h
  ${CC:-cc} -std=c17 -Wall -Wextra -Werror "$@" files/bicgk.c files/bits_main.c -o bits "${link[@]}" &&
    ./bits >bits.txt || { fail "$language differs"; cat bits.txt; }
}
device=host link=(-lm)
run host
same c -O3 -march=native -fopenmp-simd -ffp-contract=off -fno-math-errno -fno-trapping-math
library=$(PATH=$PATH:/sbin ldconfig -p | sed -n 's/.*libOpenCL\.so\.1 (libc6,x86-64) => //p' | head -n 1)
if "$quern" devices 2>/dev/null | grep -q '^opencl:0' && [ -n "$library" ]; then
  device=opencl:0 link=(-lm "$library")
  run opencl:0
  with=()
  echo '#include <CL/cl.h>' | ${CC:-cc} -E - >/dev/null 2>&1 || with=(-I "$source/tests/fuse/stub")
  same opencl -O1 "${with[@]}"
else
  echo "opencl is left out: there is no device"
fi

# numpy and scipy
cat >peers.py <<'END'
import numpy, scipy.sparse
numpy.random.seed(1)
A, p, r = (numpy.load(n + ".npy").astype(float) for n in "Apr")
q, s = numpy.load("q.npy"), numpy.load("s.npy")
assert abs(q - A @ p).max() < 1e-4 * abs(q).max() and abs(s - A.T @ r).max() < 1e-4 * abs(s).max()
numpy.save("fortran.npy", numpy.asfortranarray(A))
numpy.save("scalar.npy", numpy.float64(0.5))
n = 400
B = scipy.sparse.random(n, n, 0.05, "csr") + 4 * scipy.sparse.identity(n, format="csr")
numpy.save("B.npy", B.data), numpy.save("starts.npy", B.indptr), numpy.save("columns.npy", B.indices.astype("i8"))
x = numpy.random.rand(n)
numpy.save("x.npy", x), numpy.save("y_expected.npy", B @ x)
END
cat >sparse.qf <<'END'
sequence sparse
input B: csr(n, n); input x: vector(n); input a: scalar
output y: vector(n)
y = a*(B*x)
END
python=/usr/bin/python3
if $python -c 'import numpy, scipy.sparse' 2>/dev/null; then
  $python peers.py || fail "numpy gets other results"
  "$quern" fuse run "$source/examples/fuse/bicgk.qf" "${once[@]}" -d host --input A=fortran.npy --input p=p.npy \
    --input r=r.npy --output q=q2.npy >run.txt || fail "an array by columns"
  "$quern" fuse run sparse.qf "${once[@]}" -d host --input B=B.npy --input B_starts=starts.npy \
    --input B_columns=columns.npy --input x=x.npy --input a=scalar.npy -o y=y.npy >run.txt || fail "a sparse matrix"
  $python -c 'import numpy as n; assert abs(2*n.load("y.npy") - n.load("y_expected.npy")).max() < 1e-5' ||
    fail "scipy gets another product"
  run host
  $python -c 'import numpy as n; assert (n.load("q2.npy") == n.load("q.npy")).all()' ||
    fail "an array by columns gives another product"
else
  echo "numpy and scipy are left out: $python has none"
fi

# The report: kernels of the graph, words of B before and after, and times.
"$quern" fuse run "$source/examples/fuse/gemver.qf" --size n=100 "${once[@]}" -d host --report report.html >run.txt ||
  fail "no report"
tr -d '\n' <report.html | sed 's/<tr>/\n/g' | grep '>B<' | grep '>3n²<' | grep -q '>2n²<' ||
  fail "B has 3n² words apart and 2n² fused"
picture=$(grep -o 'data:image/svg+xml;base64,[A-Za-z0-9+/=]*' report.html | sed 's/.*,//' | base64 -d)
[ "$(grep -c '<rect' <<<"$picture")" = 3 ] && grep -q 't10 = gemtv(B, y)' <<<"$picture" || fail "the graph has 3 kernels"
for word in limit predicted fused unfused; do
  grep -q ">$word</text>" report.html || fail "the report should have a bar $word"
done

# Refusals.
refused() { # refused CODE SENTENCE ARGUMENTS...
  local code=$1 sentence=$2
  shift 2
  "$quern" fuse run "$source/examples/fuse/bicgk.qf" "${once[@]}" -d host "$@" >out.txt 2>err.txt
  [ $? -eq "$code" ] && grep -q -- "$sentence" err.txt && [ "$(wc -l <err.txt)" = 1 ] ||
    { fail "expected $sentence"; cat err.txt; }
}
refused 2 '--input is "A"; expected NAME=FILE.npy' --input A
refused 2 '--input names "q", which bicgk is not given; expected one of: A p r' --input q=A.npy
refused 2 '--output names "A", which is no result of bicgk; expected one of: q s' --input A=A.npy -o A=B.npy
refused 1 'p.npy: has 1 dimensions; expected 2 for A, a matrix(m, n)' --input A=p.npy
refused 1 'p.npy: has a size of 1037 for m; expected 331' --input A=A.npy --input r=p.npy
refused 1 'A.npy: has a size of 331 for m; expected 5' --size m=5 --input A=A.npy
refused 2 '--input gives p twice, by p.npy and ./p.npy' --input p=p.npy --input p=./p.npy
refused 2 'the size of m, which A has, is not given; expected --size m=NUMBER' --input p=p.npy
refused 1 'made.qf: is no array of NumPy' --input A=made.qf
refused 1 'none.npy' --input A=none.npy
[ $failures -eq 0 ]
