#!/usr/bin/env bash
# labels: long unsanitized
# quern tune run with kernels of the user's own that are wrong: they never win, never end the command, and one sentence
# says what is wrong. Arguments: source folder, quern binary.
set -u
. "$1/tests/support/script.sh"
quern=$2
export QUERN_TUNING_STORE=off
"$quern" devices 2>/dev/null | grep -q 'opencl:0' || { echo "there is no OpenCL device"; exit 77; }
cd "$work" || exit 1

# problem KERNEL_TEXT [PYTHON]: writes k.cl and k.json. The kernel k(y, x, n) has the parameters block_size_x and WAY; the
# default is WAY 1. PYTHON changes the problem, `p`.
problem() {
  printf '%s\n' "$1" >k.cl
  python3 - "${2:-}" <<'END' || exit 1
import json, sys
p = {"General": {"BenchmarkName": "k"},
     "ConfigurationSpace": {
         "TuningParameters": [{"Name": "block_size_x", "Type": "int", "Values": "[64]", "Default": 64},
                              {"Name": "WAY", "Type": "int", "Values": "[1, 2, 3]", "Default": 1}],
         "Conditions": []},
     "KernelSpecification": {
         "Language": "OpenCL", "KernelName": "k", "KernelFile": "k.cl", "GlobalSizeType": "OpenCL",
         "ProblemSize": [4096], "LocalSize": {"X": "block_size_x"}, "GlobalSize": {"X": "4096"},
         "Arguments": [
             {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "FillType": "Constant",
              "FillValue": 0, "Size": 4096},
             {"Name": "x", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "FillType": "Generator",
              "DataSource": "i + 1", "Size": 4096},
             {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "AccessType": "ReadOnly", "FillValue": 4096}]}}
kernel, space = p["KernelSpecification"], p["ConfigurationSpace"]
y, x, n = kernel["Arguments"]
exec(sys.argv[1])
json.dump(p, open("k.json", "w"))
END
}

# tune ARGUMENTS: tunes k.json; sets $code and writes out.txt and tests.csv
tune() {
  rm -f tests.csv
  timeout 120 "$quern" tune run k.json --device opencl:0 --budget 60s --searcher random --csv tests.csv "$@" >out.txt 2>&1
  code=$?
}
# expect CODE NAME PATTERN...: every pattern is in the output
expect() {
  local wanted=$1 name=$2 pattern
  [ "$code" = "$wanted" ] || fail "$name: exit code $code, expected $wanted: $(tail -3 out.txt)"
  grep -qi 'bug in quern' out.txt && fail "$name: said to be a bug"
  for pattern in "${@:3}"; do grep -qE -- "$pattern" out.txt || fail "$name: no '$pattern' in: $(cat out.txt)"; done
}
# expect_test OUTCOME CONFIGURATION [PATTERN]: the table has this outcome, with a reason
expect_test() {
  grep "$2" tests.csv | grep -q ",$1," || fail "$2 is not '$1': $(cat tests.csv)"
  [ -z "${3:-}" ] || grep "$2" tests.csv | grep -qE -- "$3" || fail "$2: no '$3' in $(cat tests.csv)"
}

head='__kernel void k(__global float *y, __global const float *x, int n) { int i = get_global_id(0);'

# ---- what may be the reference ----
problem "$head if (WAY == 2) y[i] = 2 * x[i]; if (WAY == 3) y[i] = 0; }"
tune; expect 1 "nothing written" 'k.json: the default configuration of kernel k .*WAY=1.*does not write y\[0\]'
problem "$head if (WAY > 1 || i != 77) y[i] = 2 * x[i]; }"
tune; expect 1 "an element is not written" 'does not write y\[77\]; expected that it writes every element'
problem "$head y[i] = WAY == 1 && i == 5 ? NAN : x[i]; }"
tune; expect 1 "not a number" 'gives nan in y\[5\]; expected finite numbers'
problem "$head y[i] += x[i] + 0 * WAY; }" # it reads what the output held
tune; expect 1 "depends on the output" 'y\[0\] is -?nan after one run and 1 after another; expected equal'
problem "$head if (i % 2) y[i] += x[i]; if (WAY == 3) y[i] = 1; }" 'y["AccessType"] = "ReadWrite"'
tune; expect 0 "kept elements" 'WAY=[12]'; expect_test wrong WAY=3 'y\[[0-9]+\] is 1 and the reference'
problem "$head if (WAY == 4) y[i] = x[i]; }" 'y["AccessType"] = "ReadWrite"'
tune; expect 1 "nothing changed" 'changes nothing in y'
problem "$head y[i] = x[i] * (WAY ? 1 : 1); }" 'kernel["Arguments"].insert(1, dict(y, Name="z", AccessType="ReadWrite"))'
sed -i 's/float \*y,/float *y, __global float *z,/' k.cl
tune; expect 0 "one output is unchanged" 'warning: k.json: the kernel changes nothing in z' 'Best:'

# a kernel and a file as references
more='__kernel void right(__global float *y, __global const float *x, int n) { y[get_global_id(0)] = 2 * x[get_global_id(0)]; }'
problem "$head if (WAY > 1) y[i] = (4 - WAY) * x[i]; } $more" \
  'kernel["ReferenceKernel"] = {"KernelName": "right", "LocalSize": {"X": "64"}, "GlobalSize": {"X": 4096}}'
tune; expect 0 "a reference kernel" 'Best:.*WAY=2'; expect_test wrong WAY=1; expect_test wrong WAY=3
problem "$head y[i] = WAY * x[i]; }" \
  'import array; array.array("f", [3 * (i + 1) for i in range(4096)]).tofile(open("y.bin", "wb"))
kernel["ReferenceArguments"] = [{"Name": "r", "TargetName": "y", "FillType": "BinaryRaw", "DataSource": "y.bin"}]'
tune; expect 0 "a reference file" 'Best:.*WAY=3'; expect_test wrong WAY=1 'times the tolerance'

# ---- tolerances: y is 1000 off by 0, 0.5 and 20 ----
kernel_off="$head y[i] = 1000 + (WAY == 2 ? 0.5f : WAY == 3 ? 20 : 0); }"
check_tolerance() { # NAME PYTHON OUTCOME_2 OUTCOME_3
  problem "$kernel_off" "$2"
  tune; expect 0 "$1" 'Best:'; expect_test "$3" WAY=2; expect_test "$4" WAY=3
}
check_tolerance "no tolerance given" '' wrong wrong
check_tolerance "an absolute tolerance" 'y["AbsoluteTolerance"] = 1' correct wrong
check_tolerance "a relative tolerance" 'y["RelativeTolerance"] = 0.1' correct correct
reference='kernel["ReferenceArguments"] = [{"Name": "r", "TargetName": "y", "FillType": "Constant", "FillValue": 1000, '
check_tolerance "ValidationThreshold" "$reference\"ValidationThreshold\": 1}]" correct wrong
check_tolerance "a relative threshold" \
  "$reference\"ValidationMethod\": \"SideBySideRelativeComparison\", \"ValidationThreshold\": 0.01}]" correct wrong
check_tolerance "a threshold for the sum" \
  "$reference\"ValidationMethod\": \"AbsoluteDifference\", \"ValidationThreshold\": 4096}]" correct wrong

# ---- kernels that fail ----
problem "$head y[i] = x[i]; if (WAY == 2) *(volatile __global float *)((__global char *)y + (1UL << 46)) = 1; }"
tune; expect 0 "a crash" 'Best:.*WAY=[13]' '1 failed: crash 1'; expect_test crash WAY=2 'signal 11 \(segmentation fault\)'
[ "$(wc -l <tests.csv)" = 4 ] || fail "a crash: $(cat tests.csv)"
problem "$head y[i] = x[i]; if (WAY == 1) *(volatile __global float *)((__global char *)y + (1UL << 46)) = 1; }"
tune; expect 0 "the default crashes" 'Best:.*WAY=[23]' 'the reference is the result of .*because the default configuration fails:.*signal 11'
grep -qw inf out.txt && fail "the default crashes: $(grep -w inf out.txt)"
problem "$head if (WAY == 2 && i == 0) for (volatile int k = 0; k < 1; k *= 2); y[i] = x[i]; }"
tune --timeout 0.5s; expect 0 "a kernel that hangs" 'Best:.*WAY=[13]'; expect_test timeout WAY=2 'did not end within 6 s'
problem "$head y[i] = x[i];
#if WAY > 1
y[i] = no_such_word;
#endif
}"
tune --report r.html; expect 0 "a kernel that does not compile" 'Best:.*WAY=1' 'build 2'
expect_test build WAY=2 no_such_word
grep -q no_such_word r.html || fail "the report does not show the compiler's message"
tune --memory 1MiB; expect 1 "too little memory" 'took more than .* GiB of memory'
problem "$head y[i] = WAY * x[i] + no_such_word; }"
tune; expect 1 "nothing compiles" 'none of 3 configurations runs, so there is no reference result.*no_such_word'
problem "$head y[i] = x[i]; }" "space['TuningParameters'][1]['Values'] = '[1]'
$reference\"ValidationThreshold\": 1e-6}]"
tune --report r.html; expect 1 "nothing is correct" 'none of 1 configurations is correct: wrong 1; the first: wrong: y\['
[ -s tests.csv ] && [ -s r.html ] || fail "no table or report where nothing is correct"

# ---- mistakes in the file ----
right="$head y[i] = x[i] * (WAY ? 1 : 1); }"
refuse() { # NAME PYTHON PATTERN
  problem "$right" "$2"
  tune; expect 1 "$1" "$3"
}
refuse "an argument too few" 'kernel["Arguments"].pop()' "k.json: KernelSpecification.*kernel 'k' takes 3 arguments; 2 are declared"
refuse "an argument too many" 'kernel["Arguments"].append(n)' "kernel 'k' takes 3 arguments; 4 are declared"
refuse "two arguments too many" 'kernel["Arguments"] += [n, n]' "kernel 'k' takes 3 arguments; 5 are declared"
refuse "Constraints" 'space["Constraints"] = []' 'k.json: there is no key ConfigurationSpace.Constraints; expected one of TuningParameters Conditions'
refuse "a misspelt key" 'y["AcessType"] = 1' 'no key KernelSpecification.Arguments\[0\].AcessType; did you mean AccessType'
refuse "OutputFile" 'p["General"]["OutputFile"] = "o"' 'General.OutputFile is set; expected no such key'
refuse "a default" 'space["TuningParameters"][1]["Default"] = 7' 'Default 7 of parameter WAY is not one of its Values'
refuse "an access" 'y["AccessType"] = "Write"' 'argument 1 y: AccessType "Write"; expected ReadOnly, WriteOnly or ReadWrite'
refuse "SharedMemory" 'kernel["SharedMemory"] = 64' 'SharedMemory; expected 0'
refuse "a budget" 'p["Budget"] = [{"Type": "Money", "BudgetValue": 1}]' 'Budget\[0\].Type "Money"; expected TuningDuration'
refuse "a method" 'y["ValidationMethod"] = "Look"' 'argument 1 y: ValidationMethod "Look"'
refuse "a threshold" 'y["ValidationThreshold"] = -1' 'argument 1 y: ValidationThreshold; expected a number of at least 0'

# ---- what a file may have ----
problem "$right" 'p["Budget"] = [{"Type": "ConfigurationCount", "BudgetValue": 2}]
p["Search"] = {"Name": "brute_force"}'
tune; expect 0 "Budget" '2 tests are done' 'keys for other tuners are not used: Search'
mkdir part
echo '#define FACTOR 2' >part/factor.h
echo '#include "factor.h"' >part/more.h
problem "#include \"part/more.h\"
$head y[i] = FACTOR * x[i] * (WAY ? 1 : 1); }"
mkdir -p elsewhere && cd elsewhere || exit 1
"$quern" tune run ../k.json --device auto --budget 10s >../out.txt 2>&1; code=$?
cd .. || exit 1
expect 0 "an include, and --device auto" 'Best:' 'on opencl:0'
problem "$right" 'kernel["Language"] = "CUDA"'
tune; expect 1 "another language" 'the kernel is in CUDA and opencl:0 does not run that'
exit $((failures > 0))
