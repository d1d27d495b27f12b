"""libquern.so: finding it, loading it, and calling its functions."""

import ctypes
import os
from pathlib import Path

from . import errors
from ._generated import CONSTANTS, FUNCTIONS

_STATUS = None


def library_path():
    """The library that the environment variable QUERN_LIBRARY names, the one beside this package, or the system's."""
    chosen = os.environ.get("QUERN_LIBRARY")
    if chosen:
        return chosen
    folder = Path(__file__).resolve().parent
    versioned = f"libquern.so.{CONSTANTS['QN_VERSION_MAJOR']}.{CONSTANTS['QN_VERSION_MINOR']}"
    for name in ("libquern.so", versioned):
        if (folder / name).exists():
            return str(folder / name)
    return versioned  # the loader looks in the system's folders


class _Library:
    """Functions of the library, with the prototypes of the headers. A name is looked up when it is used first."""

    def __init__(self):
        try:
            self._handle = ctypes.CDLL(library_path())
        except OSError as error:
            raise ImportError(f"libquern.so cannot be loaded ({error}); set QUERN_LIBRARY to its path") from None
        version = self._handle.qn_version
        version.restype = ctypes.c_char_p
        built, found = "{QN_VERSION_MAJOR}.{QN_VERSION_MINOR}".format(**CONSTANTS), version().decode()
        if found.rsplit(".", 1)[0] != built:
            raise ImportError(f"{library_path()} is version {found}; this package was made for version {built}")

    def __getattr__(self, name):
        if name not in FUNCTIONS:
            raise AttributeError(f"libquern has no function {name}")
        function = getattr(self._handle, name)
        function.restype, function.argtypes = FUNCTIONS[name]()
        setattr(self, name, function)
        return function


lib = _Library()


def check(status):
    """Raise an exception unless the status is QN_OK."""
    if status:
        errors.raise_last(lib, status)


def text(value):
    """A text of the library; None where there is none."""
    return None if value is None else value.decode("utf-8", "replace")


def path_bytes(value, name):
    """A path or another text as the library takes it."""
    try:
        made = os.fsencode(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; expected a text or a path") from None
    if b"\0" in made:
        raise ValueError(f"{name} has a zero byte; expected a text without one")
    return made
