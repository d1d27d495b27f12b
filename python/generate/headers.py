"""Reads the public headers of libquern: structs, unions, enums, typedefs and functions, with their comments.

The headers are plain C17 without function-like macros (the test house/headers), so a small reader is enough. It refuses
what it does not know, and the test python/layouts compares what it found with the layout of the compiler.
"""

import re
from dataclasses import dataclass, field
from typing import Optional

TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<preprocessor>^[ \t]*\#[^\n]*)|(?P<space>\s+)
    |(?P<text>"(?:[^"\\]|\\.)*")|(?P<character>'(?:[^'\\]|\\.)*')
    |(?P<number>0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?[uUlLfF]*)|(?P<word>[A-Za-z_]\w*)|(?P<dots>\.\.\.)
    |(?P<shift><<|>>)|(?P<sign>[-+*/%&|^~!<>=?:;,.()\[\]{}])""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
IGNORED = {"QN_MUST_CHECK", "const", "extern", "volatile", "restrict"}
BASE = {
    "void", "bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "unsigned int",
    "long", "unsigned long", "long long", "float", "double", "size_t", "ptrdiff_t", "int8_t", "uint8_t", "int16_t",
    "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "intptr_t", "uintptr_t",
}  # fmt: skip


@dataclass(frozen=True)
class Type:
    """A C type. kind: base, name, pointer, array, function; `of` is what it points to, holds or returns."""

    kind: str
    name: str = ""
    of: Optional["Type"] = None
    count: int = 0
    parameters: tuple = ()
    variadic: bool = False


@dataclass
class Field:
    name: str
    type: Type
    comment: str = ""


@dataclass
class Record:
    """A struct or a union; without fields it is opaque."""

    name: str
    kind: str
    fields: list = field(default_factory=list)
    comment: str = ""


@dataclass
class Function:
    name: str
    result: Type
    parameters: list
    variadic: bool
    comment: str = ""


@dataclass
class Headers:
    records: dict = field(default_factory=dict)
    enums: dict = field(default_factory=dict)  # name: {member: number}
    enum_comments: dict = field(default_factory=dict)
    constants: dict = field(default_factory=dict)
    typedefs: dict = field(default_factory=dict)
    functions: dict = field(default_factory=dict)
    comments: dict = field(default_factory=dict)  # of headers, by their names


@dataclass
class Token:
    kind: str
    text: str
    line: int
    before: list = field(default_factory=list)  # comments on lines of their own
    after: list = field(default_factory=list)  # comments behind it on its line


def plain(comment):
    """The words of a comment, without its marks."""
    body = re.sub(r"^/\*|\*/$", "", comment.strip())
    return re.sub(r"\s+", " ", re.sub(r"^[ \t]*\* ?", "", body, flags=re.MULTILINE)).strip()


def tokens_of(text, name):
    tokens, comments, place, line = [], [], 0, 1
    while place < len(text):
        match = TOKEN.match(text, place)
        if not match:
            raise SyntaxError(f"{name}:{line}: unknown character {text[place]!r}")
        kind, body = match.lastgroup, match.group()
        if kind == "comment":
            if tokens and tokens[-1].line == line:
                tokens[-1].after.append(body)
            else:
                comments.append(body)
        elif kind == "preprocessor":
            comments = []
        elif kind != "space":
            tokens.append(Token(kind, body, line, comments))
            comments = []
        elif body.count("\n") > 1:
            comments = []
        line += body.count("\n")
        place = match.end()
    return tokens


class Reader:
    """Reads the tokens of one header into `headers`."""

    def __init__(self, tokens, name, headers):
        self.tokens, self.name, self.headers, self.place = tokens, name, headers, 0

    def peek(self, ahead=0):
        place = self.place + ahead
        return self.tokens[place].text if place < len(self.tokens) else ""

    def next(self, expected=None):
        token = self.tokens[self.place]
        if expected and token.text != expected:
            raise SyntaxError(f"{self.name}:{token.line}: found {token.text!r}; expected {expected!r}")
        self.place += 1
        return token

    def skip_block(self, opening, closing):
        depth = 0
        while True:
            text = self.next().text
            depth += (text == opening) - (text == closing)
            if depth == 0:
                return

    def read(self):
        while self.place < len(self.tokens):
            token = self.tokens[self.place]
            comment = plain(token.before[-1]) if token.before else ""
            if token.text == "extern" and self.peek(1) == '"C"':
                self.place += 3
            elif token.text in ("}", ";"):
                self.next()
            elif token.text == "static":
                while self.peek() != "{":
                    self.next()
                self.skip_block("{", "}")
            elif token.text == "typedef":
                self.next()
                self.typedef(comment)
            else:
                self.declaration(comment)

    def typedef(self, comment):
        base = self.specifier(comment)
        while True:
            name, type = self.declarator(base)
            if not (type.kind == "name" and type.name == name):
                self.headers.typedefs[name] = type
            if self.next().text == ";":
                return

    def declaration(self, comment):
        base = self.specifier(comment)
        if self.peek() == ";":
            self.next()
            return
        name, type = self.declarator(base)
        while self.peek() != ";":  # attributes of functions
            self.next()
        self.next()
        if type.kind != "function":
            raise SyntaxError(f"{self.name}: {name} is no function")
        self.headers.functions[name] = Function(name, type.of, list(type.parameters), type.variadic, comment)

    def specifier(self, comment=""):
        words = []
        while True:
            text = self.peek()
            if text in IGNORED:
                self.next()
            elif text in ("struct", "union"):
                return self.record(comment)
            elif text == "enum":
                return self.enum(comment)
            elif not words and self.tokens[self.place].kind == "word" and text not in BASE | {"signed", "long", "unsigned"}:
                self.next()
                while self.peek() in IGNORED:
                    self.next()
                return Type("name", text)
            elif text in ("unsigned", "signed", "long", "short", "int", "char") or (not words and text in BASE):
                words.append(self.next().text)
            else:
                return Type("base", " ".join(words))

    def record(self, comment):
        kind = self.next().text
        name = self.next().text if self.peek() != "{" else f"anonymous_{len(self.headers.records)}"
        if self.peek() != "{":
            self.headers.records.setdefault(name, Record(name, kind))
            return Type("name", name)
        self.next("{")
        record = Record(name, kind, [], comment)
        while self.peek() != "}":
            base = self.specifier()
            first = len(record.fields)
            while True:
                field_name, type = self.declarator(base)
                record.fields.append(Field(field_name, type))
                if self.peek() != ",":
                    break
                self.next()
            end = self.next(";")
            for one in record.fields[first:]:
                one.comment = plain(end.after[0]) if end.after else ""
        self.next("}")
        self.headers.records[name] = record
        return Type("name", name)

    def enum(self, comment):
        self.next("enum")
        name = self.next().text if self.peek() != "{" else ""
        if self.peek() != "{":
            return Type("base", "int") if not name else Type("name", name)
        self.next("{")
        members, number = {}, 0
        while self.peek() != "}":
            member = self.next().text
            if self.peek() == "=":
                self.next()
                number = self.constant((",", "}"))
            members[member] = number
            self.headers.constants[member] = number
            number += 1
            if self.peek() == ",":
                self.next()
        self.next("}")
        if name:
            self.headers.enums[name] = members
            self.headers.enum_comments[name] = comment
        return Type("name", name) if name else Type("base", "int")

    def constant(self, ends):
        words = []
        while self.peek() not in ends:
            token = self.next()
            known = self.headers.constants.get(token.text)
            words.append(str(known) if known is not None else token.text.rstrip("uUlL"))
        return int(eval(" ".join(words), {"__builtins__": {}}))  # numbers and signs of a public header

    def declarator(self, base):
        """Returns the name ("" for none) and the type."""
        while self.peek() in ("*", *IGNORED):
            if self.next().text == "*":
                base = Type("pointer", of=base)
        inner_place = None
        name = ""
        if self.peek() == "(" and self.peek(1) in ("*",):
            inner_place = self.place
            self.skip_block("(", ")")
        elif self.tokens[self.place].kind == "word":
            name = self.next().text
        base = self.suffix(base)
        if inner_place is not None:
            end = self.place
            self.place = inner_place + 1
            name, base = self.declarator(base)
            self.next(")")
            self.place = end
        return name, base

    def suffix(self, base):
        if self.peek() == "[":
            self.next()
            count = self.constant(("]",)) if self.peek() != "]" else 0
            self.next("]")
            return Type("array", of=self.suffix(base), count=count)
        if self.peek() == "(":
            self.next()
            parameters, variadic = [], False
            while self.peek() != ")":
                if self.peek() == "...":
                    self.next()
                    variadic = True
                else:
                    name, type = self.declarator(self.specifier())
                    type = Type("pointer", of=type.of) if type.kind == "array" else type
                    if not (type == Type("base", "void")):
                        parameters.append((name, type))
                if self.peek() == ",":
                    self.next()
            self.next(")")
            return Type("function", of=base, parameters=tuple(parameters), variadic=variadic)
        return base


def includes_first(folder):
    """The headers of a folder, each after those that it includes."""
    order = []

    def visit(path):
        if path in order:
            return
        for name in re.findall(r"#include <quern/([a-z_]+\.h)>", path.read_text(encoding="utf-8")):
            visit(folder / name)
        order.append(path)

    for path in sorted(folder.glob("*.h")):
        visit(path)
    return order


def read_headers(folder):
    headers = Headers()
    for path in includes_first(folder):
        text = path.read_text(encoding="utf-8")
        for name, number in re.findall(r"^#define (QN_\w+) (\d+|UINT32_MAX)$", text, flags=re.MULTILINE):
            headers.constants[name] = 0xFFFFFFFF if number == "UINT32_MAX" else int(number)
        headers.comments[path.stem] = plain(re.match(r"/\*.*?\*/", text, re.DOTALL).group())
        Reader(tokens_of(text, path.name), path.name, headers).read()
    return headers
