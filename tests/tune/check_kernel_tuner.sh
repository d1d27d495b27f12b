#!/usr/bin/env bash
# labels: long unsanitized
# Kernel Tuner reads the T1 file of examples/tune_your_kernel, finds the same number of configurations, and measures
# every one. Python of QUERN_KERNEL_TUNER (default python3) must have kernel_tuner and pyopencl. Arguments: source folder,
# quern binary.
set -u
. "$1/tests/support/script.sh"
quern=$2 python=${QUERN_KERNEL_TUNER:-python3}
"$python" -c 'import kernel_tuner, pyopencl' 2>/dev/null ||
  { echo "Kernel Tuner is not installed (pip install kernel_tuner pyopencl; QUERN_KERNEL_TUNER names the Python)"; exit 77; }
"$quern" devices 2>/dev/null | grep -q 'opencl:0' || { echo "there is no OpenCL device"; exit 77; }
cp "$1"/examples/tune_your_kernel/row_sums.* "$work" && cd "$work" || exit 1
# a part of the space on a small problem, because every configuration is compiled twice
sed -i 's/"ProblemSize": \[2048\]/"ProblemSize": [64]/; s/range(0, 9)/range(5, 7)/' row_sums.json

cat >kt.py <<'END'
import json, pathlib, sys
import kernel_tuner
from kernel_tuner.backends.opencl import OpenCLFunctions
# Kernel Tuner 1.5 copies an empty list of constant memory too, which its OpenCL backend refuses.
OpenCLFunctions.copy_constant_memory_args = lambda self, arguments: None
_, results = kernel_tuner.tune_kernel_T1(pathlib.Path("row_sums.json"), device=0, strategy="brute_force", iterations=1)
tests = results["results"]
for test in tests:
    if test["invalidity"] != "correct":
        print("Kernel Tuner: %s: %s" % (test["configuration"], test["invalidity"]))
print(len(tests), sum(test["invalidity"] == "correct" for test in tests), file=open("kt.txt", "w"))
END
"$python" kt.py >kt.log 2>&1 || { fail "Kernel Tuner does not run the file: $(tail -5 kt.log)"; exit 1; }
read -r all correct <kt.txt
QUERN_TUNING_STORE=off "$quern" tune run row_sums.json --device opencl:0 --searcher full --budget 10min --precision 1 \
  --csv tests.csv --quiet >run.txt || fail "quern: $(cat run.txt)"
ours=$(tail -n +2 tests.csv | cut -d, -f5 | sort -u | wc -l)
[ "$ours" = "$all" ] || fail "$ours configurations here, $all in Kernel Tuner"
[ "$correct" = "$all" ] || fail "Kernel Tuner measures $correct of $all configurations: $(grep 'Kernel Tuner' kt.log | head -3)"
exit $((failures > 0))
