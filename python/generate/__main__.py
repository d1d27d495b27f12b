"""python3 -m generate HEADERS LIBRARY OUTPUT: write the module quern._generated.

HEADERS is the folder include/quern, LIBRARY is libquern.so, whose option tables are read. Only the standard library is
needed.
"""

import ctypes
import os
import sys
from pathlib import Path

from .headers import read_headers
from .programs import programs_of, queries_of, searchers_of
from .structs import Writer, text


class Library:
    """The functions of libquern.so with the prototypes of the headers."""

    def __init__(self, path, functions):
        self._library, self._functions = ctypes.CDLL(str(path)), functions

    def __getattr__(self, name):
        function = getattr(self._library, name)
        function.restype, function.argtypes = self._functions[name]()
        return function


def write(headers_folder, library_path):
    headers = read_headers(Path(headers_folder))
    writer = Writer(headers)
    source = writer.write_types() + writer.write_functions() + writer.write_facts()
    namespace = {}
    exec(compile(source, "_generated.py", "exec"), namespace)
    library = Library(Path(library_path).resolve(), namespace["FUNCTIONS"])
    return source + "".join(
        f"\n{name} = {text(value)}\n"
        for name, value in {
            "PROGRAMS": programs_of(headers, library, namespace),
            "QUERIES": queries_of(library, namespace),
            "SEARCHERS": searchers_of(library),
        }.items()
    )


def main(arguments):
    if len(arguments) != 3:
        sys.exit(__doc__)
    headers, library, output = arguments
    source = write(headers, library)
    compile(source, output, "exec")
    part = f"{output}.{os.getpid()}"
    Path(part).write_text(source, encoding="utf-8")
    os.replace(part, output)


if __name__ == "__main__":
    main(sys.argv[1:])
