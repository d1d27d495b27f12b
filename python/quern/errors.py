"""Exceptions: a class for each status of the library. Their text is the library's sentence."""

from ._generated import ENUMS

# Built-in classes that exceptions also belong to, so that code which knows nothing of Quern can handle them.
_BASES = {
    "QN_INVALID_ARGUMENT": (ValueError,),
    "QN_NOT_FOUND": (FileNotFoundError, LookupError),
    "QN_ALREADY_EXISTS": (FileExistsError,),
    "QN_IO_ERROR": (OSError,),
    "QN_BAD_FORMAT": (ValueError,),
    "QN_OUT_OF_MEMORY": (MemoryError,),
    "QN_UNSUPPORTED": (NotImplementedError,),
}


class Error(Exception):
    """A call of the library failed. `origin` is the place in the library's source, for bug reports."""

    status = None
    origin = ""


def _class_name(status):
    return "".join(word.capitalize() for word in status[len("QN_"):].split("_"))  # fmt: skip


_CLASSES = {}
for _name, _number in ENUMS["qn_status"].items():
    if _number:
        _made = type(_class_name(_name), (Error, *_BASES.get(_name, (RuntimeError,))),
                     {"status": _name[len("QN_"):].lower().replace("_", " "), "__module__": __name__,
                      "__doc__": f"The library returned {_name}."})  # fmt: skip
        _CLASSES[_number] = globals()[_made.__name__] = _made

__all__ = ["Error", *(one.__name__ for one in _CLASSES.values())]


def status_of(exception):
    """The number of the status that fits an exception, for functions that the library calls."""
    for number, one in _CLASSES.items():
        if isinstance(exception, one):
            return number
    numbers = ENUMS["qn_status"]
    if isinstance(exception, MemoryError):
        return numbers["QN_OUT_OF_MEMORY"]
    return numbers["QN_CANCELLED"] if isinstance(exception, KeyboardInterrupt) else numbers["QN_INVALID_ARGUMENT"]


def raise_last(library, status):
    """Raise the failure that the calling thread's last call left behind."""
    text = library.qn_error_message().decode("utf-8", "replace")
    error = _CLASSES.get(status, Error)(text or library.qn_status_name(status).decode())
    error.origin = library.qn_error_origin().decode()
    library.qn_error_clear()
    raise error
