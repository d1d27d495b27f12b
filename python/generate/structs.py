"""Writes the types and functions of the headers as ctypes."""

BASE = {
    "bool": "c_bool", "char": "c_char", "signed char": "c_byte", "unsigned char": "c_ubyte", "short": "c_short",
    "unsigned short": "c_ushort", "int": "c_int", "unsigned": "c_uint", "unsigned int": "c_uint", "long": "c_long",
    "unsigned long": "c_ulong", "long long": "c_longlong", "float": "c_float", "double": "c_double",
    "size_t": "c_size_t", "ptrdiff_t": "c_ssize_t", "int8_t": "c_int8", "uint8_t": "c_uint8", "int16_t": "c_int16",
    "uint16_t": "c_uint16", "int32_t": "c_int32", "uint32_t": "c_uint32", "int64_t": "c_int64", "uint64_t": "c_uint64",
    "intptr_t": "c_ssize_t", "uintptr_t": "c_size_t",
}  # fmt: skip

HEAD = '''"""Made by python/generate of the public headers and the option tables of libquern. Not to be edited."""

from ctypes import (
    CFUNCTYPE, POINTER, Structure, Union, c_bool, c_byte, c_char, c_char_p, c_double, c_float, c_int, c_int8, c_int16,
    c_int32, c_int64, c_long, c_longlong, c_short, c_size_t, c_ssize_t, c_ubyte, c_uint, c_uint8, c_uint16, c_uint32,
    c_uint64, c_ulong, c_ushort, c_void_p,
)

inf, nan = float("inf"), float("nan")
'''


class Writer:
    def __init__(self, headers):
        self.headers = headers

    def resolve(self, type):
        """The type behind a typedef."""
        while type.kind == "name" and type.name in self.headers.typedefs:
            type = self.headers.typedefs[type.name]
        return type

    def ctype(self, type):
        type = self.resolve(type)
        if type.kind == "base":
            return "None" if type.name == "void" else BASE[type.name]
        if type.kind == "name":
            if type.name in self.headers.enums:
                return "c_int"
            if type.name in self.headers.records:
                return type.name
            raise KeyError(f"the type {type.name} is unknown")
        if type.kind == "array":
            return f"{self.ctype(type.of)} * {type.count}" if type.of.kind != "array" else f"({self.ctype(type.of)}) * {type.count}"
        if type.kind == "function":
            return self.function_type(type)
        target = self.resolve(type.of)
        if target.kind == "function":
            return self.function_type(target)
        if target.kind == "base" and target.name == "void":
            return "c_void_p"
        if target.kind == "base" and target.name == "char":
            return "c_char_p"
        return f"POINTER({self.ctype(target)})"

    def function_type(self, type):
        return f"CFUNCTYPE({', '.join([self.ctype(type.of), *(self.ctype(one) for _, one in type.parameters)])})"

    def enum_name(self, type):
        """The name of the enum that a type is, or is an array of; None: it is no enum."""
        type = self.resolve(type)
        while type.kind == "array":
            type = self.resolve(type.of)
        return type.name if type.kind == "name" and type.name in self.headers.enums else None

    def write_types(self):
        records = self.headers.records.values()
        lines = [HEAD]
        for record in records:
            base = "Structure" if record.kind == "struct" else "Union"
            lines.append(f"\nclass {record.name}({base}):\n    pass\n")
        for record in records:
            if record.fields:
                lines.append(f"\n{record.name}._fields_ = [")
                lines += [f'    ("{one.name}", {self.ctype(one.type)}),' for one in record.fields]
                lines.append("]")
        for name, type in self.headers.typedefs.items():
            lines.append(f"{name} = {self.ctype(type)}")
        return "\n".join(lines) + "\n"

    def write_functions(self):
        lines = ["\n# Result and arguments of each function, made when it is used first.", "FUNCTIONS = {"]
        for one in self.headers.functions.values():
            arguments = ", ".join(self.ctype(type) for _, type in one.parameters)
            lines.append(f'    "{one.name}": lambda: ({self.ctype(one.result)}, [{arguments}]),')
        return "\n".join(lines) + "\n}\n"

    def write_facts(self):
        records, enums = self.headers.records.values(), self.headers.enums
        fields = {r.name: {f.name: self.enum_name(f.type) for f in r.fields if self.enum_name(f.type)} for r in records}
        comments = {r.name: {f.name: f.comment for f in r.fields if f.comment} for r in records}
        functions = {one.name: one.comment for one in self.headers.functions.values() if one.comment}
        facts = {
            "CONSTANTS": self.headers.constants,
            "ENUMS": enums,
            "ENUM_FIELDS": {name: value for name, value in fields.items() if value},
            "FIELD_COMMENTS": {name: value for name, value in comments.items() if value},
            "FUNCTION_COMMENTS": functions,
            "HEADER_COMMENTS": self.headers.comments,
        }
        return "".join(f"\n{name} = {text(value)}\n" for name, value in facts.items())


def text(value, indent=""):
    """A constant as Python source, a member of a dictionary in each line."""
    if isinstance(value, dict) and value:
        inner = indent + "    "
        rows = "".join(f"{inner}{name!r}: {text(one, inner)},\n" for name, one in value.items())
        return "{\n" + rows + indent + "}"
    return repr(value)
