"""The command `quern` of a wheel: the program beside this module takes the place of the interpreter."""

import os
import sys
from pathlib import Path


def command_path():
    """The program of the wheel."""
    return Path(__file__).resolve().parent / "bin" / "quern"


def main():
    path = command_path()
    if not path.exists():
        sys.exit(f"quern: the program is not in {path.parent}; this package was installed without it")
    os.execv(path, ["quern", *sys.argv[1:]])
