"""use.py FOLDER: check an installed wheel. FOLDER has this file and the two proteins of examples/1ppe."""

import filecmp
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

IMPORTS = "import time; t = time.process_time(); import quern; print(time.process_time() - t)"
LIMIT_SECONDS = 0.3
TIMED = {"report.html", "run.json"}  # these files hold times


def import_seconds():
    """CPU time of `import quern`, NumPy included, the least of five."""
    runs = [subprocess.run([sys.executable, "-c", IMPORTS], check=True, capture_output=True) for _ in range(5)]
    return min(float(run.stdout) for run in runs)


def expected_level():
    """The level of x86-64 whose kernels the host should run, by /proc/cpuinfo."""
    flags = set(re.search(r"^flags\s*:(.*)", Path("/proc/cpuinfo").read_text(), re.MULTILINE).group(1).split())
    if not {"avx2", "fma", "bmi2"} <= flags:
        return "x86-64-v2"
    return "x86-64-v4" if {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"} <= flags else "x86-64-v3"


def level_of_host():
    """The level that the command says it runs on the host."""
    told = subprocess.run(["quern", "devices", "--json", "-"], check=True, capture_output=True).stdout
    return next(device["architecture"] for device in json.loads(told)["devices"] if device["identifier"] == "host")


def dock(folder):
    """Dock with Python and with the command; give the number of files that are the same, byte for byte."""
    import quern

    proteins = [str(folder / name) for name in ("1PPE_r_u.pdb", "1PPE_l_u_rnd.pdb")]
    options = {"rotations": 20, "spacing": 2, "clusters": 2, "keep": 20, "coefficients": "balanced", "device": "host"}
    mine, command = folder / "mine", folder / "command"
    for old in (mine, command):
        shutil.rmtree(old, ignore_errors=True)
    result = quern.dock(*proteins, output=mine, **options)
    words = [text for name, value in options.items() for text in (f"--{name}", str(value))]
    subprocess.run(["quern", "dock", *proteins, "-o", str(command), "-q", *words], check=True)
    names = sorted(path.name for path in command.iterdir())
    if sorted(path.name for path in mine.iterdir()) != names:
        sys.exit(f"the command wrote {names}; Python wrote {sorted(path.name for path in mine.iterdir())}")
    same, other, errors = filecmp.cmpfiles(mine, command, [name for name in names if name not in TIMED], shallow=False)
    if other or errors or len(same) < 5 or len(result.poses) != 20:
        sys.exit(f"differ: {other}; unreadable: {errors}; same: {same}; poses: {len(result.poses)}, expected 20")
    return len(same)


def main():
    folder = Path(sys.argv[1])
    for compiler in ("cc", "gcc", "clang", "ld", "as"):
        if shutil.which(compiler):
            sys.exit(f"{compiler} is on PATH; expected a PATH without compilers")
    if "LD_LIBRARY_PATH" in os.environ:
        sys.exit("LD_LIBRARY_PATH is set; expected an environment without it")
    seconds = import_seconds()
    if seconds > LIMIT_SECONDS:
        sys.exit(f"import quern took {seconds:.3f} s of CPU; expected at most {LIMIT_SECONDS} s")
    level = level_of_host()
    if level != expected_level():
        sys.exit(f"the host runs kernels for {level}; expected {expected_level()}")
    same = dock(folder)
    print(f"imports in {seconds:.3f} s of CPU, runs kernels for {level}, docks as its command does ({same} same files)")


if __name__ == "__main__":
    main()
