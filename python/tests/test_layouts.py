"""The structs, enums and functions that the generator found are those of the compiler."""

import ctypes
import os
import re
import subprocess
import unittest

from quern import _generated
from quern._library import lib
from support import SOURCE, Case


def records():
    return [one for one in vars(_generated).values()
            if isinstance(one, type) and issubclass(one, (ctypes.Structure, ctypes.Union)) and hasattr(one, "_fields_")
            and one.__name__.startswith("qn_")]  # fmt: skip


class Layouts(Case):
    def compiled(self, lines):
        """What a C program prints that includes all headers."""
        headers = "".join(f"#include <quern/{path.name}>\n" for path in sorted((SOURCE / "include/quern").glob("*.h")))
        text = headers + "#include <stdio.h>\nint main(void)\n{\n" + "\n".join(lines) + "\nreturn 0;\n}\n"
        (self.folder / "program.c").write_text(text)
        subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-w", "-O0", "-I", str(SOURCE / "include"), "-c", "-o",
                        str(self.folder / "program.o"), str(self.folder / "program.c")], check=True)  # fmt: skip
        # default options of headers call the library; the program here never does
        subprocess.run([os.environ.get("CC", "cc"), "-o", str(self.folder / "program"), str(self.folder / "program.o"),
                        "-Wl,--unresolved-symbols=ignore-all"], check=True)  # fmt: skip
        return subprocess.run([str(self.folder / "program")], capture_output=True, text=True, check=True).stdout

    def test_structs(self):
        lines, mine = [], []
        for one in records():
            lines.append(f'printf("{one.__name__} %zu\\n", sizeof({one.__name__}));')
            mine.append(f"{one.__name__} {ctypes.sizeof(one)}")
            for name, type in one._fields_:
                member = f"(({one.__name__} *)0)->{name}"
                lines.append(f'printf("{one.__name__}.{name} %zu %zu\\n", offsetof({one.__name__}, {name}), sizeof {member});')
                mine.append(f"{one.__name__}.{name} {getattr(one, name).offset} {ctypes.sizeof(type)}")
        self.assertGreater(len(records()), 100)
        self.assertEqual(self.compiled(lines).split("\n")[:-1], mine)

    def test_kinds_of_members(self):
        """Floats are floats and signed numbers signed, which sizes do not tell."""
        words = {"f": "'f'", "d": "'d'", "?": "'?'"}
        select = ("_Generic((X), float: 'f', double: 'd', _Bool: '?', int: 'i', long: 'l', unsigned: 'I', "
                  "unsigned long: 'L', default: '-')")  # fmt: skip
        codes = {ctypes.c_float: "f", ctypes.c_double: "d", ctypes.c_bool: "?", ctypes.c_int32: "iI", ctypes.c_long: "l",
                 ctypes.c_uint32: "I", ctypes.c_ulong: "L"}  # fmt: skip
        lines, mine = [], []
        for one in records():
            for name, type in one._fields_:
                if type in codes:
                    lines.append(f'printf("%c", {select.replace("X", f"(({one.__name__} *)0)->{name}")});')
                    mine.append((f"{one.__name__}.{name}", codes[type]))
        printed = self.compiled(lines)
        self.assertEqual(len(printed), len(mine))
        self.assertEqual([name for (name, code), found in zip(mine, printed) if found not in code], [], words)

    def test_constants(self):
        names = [name for name in _generated.CONSTANTS if name not in ("QN_PRINTF_LIKE", "QN_MUST_CHECK")]
        printed = self.compiled([f'printf("%lld\\n", (long long){name});' for name in names])
        self.assertEqual([int(one) for one in printed.split()], [_generated.CONSTANTS[name] for name in names])

    def test_every_function(self):
        """Each function that the headers declare has a prototype with as many arguments, and is in the library."""
        headers = "".join(path.read_text() for path in sorted((SOURCE / "include/quern").glob("*.h")))
        headers = re.sub(r"/\*.*?\*/", "", headers, flags=re.DOTALL)
        headers = re.sub(r"static inline [^{]*\{.*?\n\}", "", headers, flags=re.DOTALL)
        found = dict(re.findall(r"^(?!typedef)[A-Za-z][\w *]*?\b(qn_\w+)\(((?:[^()]|\([^()]*\))*)\)[^;{]*;", headers, flags=re.M))
        self.assertEqual(sorted(found), sorted(_generated.FUNCTIONS))
        for name, arguments in found.items():
            function = getattr(lib, name)
            count = 0 if arguments.strip() == "void" else arguments.replace(", ...", "").count(",") + 1
            self.assertEqual(len(function.argtypes), count, name)


if __name__ == "__main__":
    unittest.main()
