"""Programs of the library as functions of Python. Their options, defaults and help come from the option tables."""

import ctypes
import inspect
import numbers
import operator

from . import _call, _generated
from ._generated import PROGRAMS, qn_option
from ._library import check, lib, path_bytes
from ._results import Owner, Result
from .context import Context, current_context

_TEXT_KINDS = ("text", "path", "share")


class _Keep(list):
    """What must live until the call of the library returns."""

    def texts(self, value, name):
        """An array of texts for the library, and how many."""
        if isinstance(value, (str, bytes)) or hasattr(value, "__fspath__"):
            value = [value]
        made = [path_bytes(one, name) for one in value]
        array = (ctypes.c_char_p * max(len(made), 1))(*made)
        self.append((made, array))
        return ctypes.cast(array, ctypes.POINTER(ctypes.c_char_p)), len(made)


def _refuse(row, value, expected):
    return TypeError(f"{row['name']} is {value!r}; expected {expected}")


def _number(row, value):
    if isinstance(value, numbers.Real) or hasattr(value, "__float__"):
        return float(value)
    raise _refuse(row, value, "a number")


def _integer(row, value):
    try:
        made = operator.index(value)
    except TypeError:
        raise _refuse(row, value, "an integer") from None
    least, most = (0, 2**64 - 1) if row["kind"] in ("whole", "bytes") else (-(2**31), 2**31 - 1)
    if not least <= made <= most:
        raise ValueError(f"{row['name']} is {made}; expected {least} to {most}")
    return made


def _flag(row, value):
    if isinstance(value, (bool, int)) or type(value).__name__ in ("bool_", "bool"):
        return bool(value)
    raise _refuse(row, value, "True or False")


def _number_text(value):
    """Numbers as an option of the kind text has them, "0,0,-0.001"; other values as they are."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return repr(value.item() if hasattr(value, "item") else value)
    if hasattr(value, "__array__") or isinstance(value, (list, tuple)) and all(isinstance(one, numbers.Real) for one in value):
        return ",".join(_number_text(one) for one in value)
    return value


class Option:
    """An option of a program: it sets a value in the program's struct of options."""

    def __init__(self, table, row):
        self._table, self.row, self._option = table, row, None
        self.name, self.kind = row["name"], row["kind"]

    def set(self, options, value, keep):
        row, kind = self.row, self.kind
        if kind in _TEXT_KINDS:
            if kind == "share" and not isinstance(value, str):
                value = repr(_number(row, value))
            elif kind == "text" and row["group"] != "argument":
                value = _number_text(value)
            self._store(options, path_bytes(value, self.name))
        elif kind in ("flag", "unless"):
            self._store(options, _flag(row, value))
        elif kind == "texts":
            pointer, count = keep.texts(value, self.name)
            self._store(options, pointer)
            self._store(options, count, row["count_path"])
        elif isinstance(value, str):
            self._set_text(options, value, keep)
        elif kind in ("integer", "whole", "bytes"):
            self._store(options, _integer(row, value))
        elif kind in ("number", "seconds"):
            self._store(options, _number(row, value))
        elif kind == "enum":
            raise _refuse(row, value, "one of " + ", ".join(row["choices"].split()))
        elif kind == "pair":
            self._set_texts(options, value, keep)
        elif kind == "plain" and isinstance(value, (bytes,)) or hasattr(value, "__fspath__"):
            self._store(options, path_bytes(value, self.name))
        else:
            self._set_numbers(options, value, keep)

    def _store(self, options, value, path=None):
        path = path or self.row["path"]
        for name in path[:-1]:
            options = getattr(options, name)
        setattr(options, path[-1], value)

    def _row(self):
        if self._option is None:
            self._option = qn_option()
            lib.qn_option_find(self._table, self.row["command_name"].encode(), ctypes.byref(self._option))
        return ctypes.byref(self._option)

    def _set_text(self, options, value, keep):
        if not self.row["command_name"]:
            return self._store(options, path_bytes(value, self.name))
        given = path_bytes(value, self.name)
        keep.append(given)
        check(lib.qn_option_set(self._row(), given, ctypes.byref(options)))

    def _set_texts(self, options, value, keep):
        pointer, count = keep.texts(value, self.name)
        check(lib.qn_option_set_texts(self._row(), pointer, count, ctypes.byref(options)))

    def _set_numbers(self, options, value, keep):
        """Several numbers: a range, a box, sizes, percents, or an array of the struct."""
        row = self.row
        if "path" not in row or self.kind in ("range", "box", "percents", "sizes"):
            try:
                words = [str(one) for one in value]
            except TypeError:
                words = [str(value)]
            sign = {"range": "-", "sizes": "x"}.get(self.kind, ",")
            return self._set_text(options, sign.join(words), keep)
        target = options
        for name in row["path"][:-1]:
            target = getattr(target, name)
        held = getattr(target, row["path"][-1])
        if not isinstance(held, ctypes.Array):
            return setattr(target, row["path"][-1], operator.index(value) if isinstance(held, int) else _number(row, value))
        value = list(value)
        if len(value) != len(held):
            raise ValueError(f"{self.name} has {len(value)} numbers; expected {len(held)}")
        for place, one in enumerate(value):
            held[place] = one

    def parameter(self, kind):
        return inspect.Parameter(self.name, kind, default=_default(self.row))

    def describe(self):
        row = self.row
        words = row["meaning"] + "."
        if row["choices"]:
            words += f" One of {', '.join(row['choices'].split())}."
        if row["fallback"] and row["fallback_meaning"] != "":
            words += f" Default {row['fallback_meaning'] or row['fallback']}."
        elif row["fallback"]:
            words += f" Default {row['fallback']}."
        unit = f" [{row['unit']}]" if row["unit"] else ""
        return f"{self.name}{unit}: {words}"


def _default(row):
    """The default of a row as a value of Python."""
    fallback, kind = row["fallback"], row["kind"]
    if kind in ("flag", "unless"):
        return fallback == "yes" or (kind == "unless" and fallback in ("", "yes"))
    if not fallback:
        return 0 if kind in ("integer", "whole", "number", "seconds", "bytes") else None
    if kind in ("integer", "whole", "number"):
        try:
            return float(fallback) if kind == "number" else int(fallback)
        except ValueError:
            return fallback
    return fallback


class Program:
    """A program as a function. `forms` are inputs that can be objects in memory instead of files: {option: form}, a
    form being a function of (value, keep) that returns {member: pointer}, or None for a value that is no such object.
    `extra` are arguments {name: (default, meaning)} for `prepare`, a function of (given, keep) that takes them out of
    what is given and returns members to set.
    """

    def __init__(self, name, result=Result, forms=None, doc="", leading=(), extra=None, prepare=None, called=None):
        facts = PROGRAMS[name]
        self._extra, self._prepare, self._called = extra or {}, prepare, called or name
        self.name = self._called
        self._facts, self._result, self._forms, self._doc, self._leading = facts, result, forms or {}, doc, leading
        self._struct = getattr(_generated, facts["options_struct"])
        self._has_run = any(one == "run" for one, _ in self._struct._fields_)
        self._options, self._defaults = None, None

    @property
    def options(self):
        """Options by their names, as members of the struct and as on the command line with _ for -."""
        if self._options is None:
            table = getattr(lib, self._facts["table"])()
            made = {row["name"]: Option(table, row) for row in self._facts["options"]}
            for row in self._facts["options"]:
                made.setdefault(row["command_name"].replace("-", "_") or row["name"], made[row["name"]])
            self._options = made
        return self._options

    def _fresh(self):
        if self._defaults is None:
            made, table = self._struct(), getattr(lib, self._facts["table"])()
            lib.qn_option_defaults(table, ctypes.byref(made), ctypes.sizeof(made))
            self._defaults = bytes(made)
        return self._struct.from_buffer_copy(self._defaults)

    def _fill(self, given, keep):
        options, known, used = self._fresh(), self.options, {}
        if self._prepare:
            given = dict(given)
            _set_members(options, self._prepare(given, keep))
        for name, value in given.items():
            form, option = self._forms.get(name), known.get(name)
            if form is None and option is None:
                raise TypeError(f"{self.name}() has no option {name!r}{self._nearest(name)}")
            if option is not None and used.setdefault(option.name, name) != name:
                raise TypeError(f"{self.name}() got {name} and {used[option.name]}, which are one option")
            if value is None:
                continue
            members = form(value, keep) if form else None
            if members is not None:
                _set_members(options, members)
            elif option is None:
                raise TypeError(f"{name} is {value!r}, which {self.name}() cannot use")
            else:
                option.set(options, value, keep)
        return options

    def _nearest(self, name):
        import difflib

        found = difflib.get_close_matches(name, [*self.options, *self._forms, *self._extra, "context", "progress"], 1)
        return f"; did you mean {found[0]}?" if found else ""

    def _bind(self, arguments, given):
        names = self._positional()
        if len(arguments) > len(names):
            raise TypeError(f"{self.name}() takes at most {len(names)} inputs by position ({', '.join(names)})")
        for name, value in zip(names, arguments):
            if name in given:
                raise TypeError(f"{self.name}() got {name} twice")
            given = {name: value, **given}
        return given

    def _positional(self):
        names = [row["name"] for row in self._facts["options"] if row["group"] == "argument" and "parts" not in row]
        return [*self._leading, *(name for name in names if name not in self._leading)]

    def __call__(self, *arguments, context=None, progress=None, **given):
        keep = _Keep()
        options = self._fill(self._bind(arguments, given) if arguments else given, keep)
        own = None
        if context is None and self._has_run and (options.run.threads or options.run.explain):
            context = own = Context(threads=options.run.threads, explain=options.run.explain)
        try:
            return self._run(context or current_context(), options, progress, keep)
        finally:
            if own is not None:
                own.close()

    def _run(self, context, options, progress, keep):
        watch = _call.watch_of(progress)
        if self._has_run:
            options.run.progress = watch.callback
        made = ctypes.POINTER(getattr(_generated, self._facts["result_struct"]))()
        with context.lock:
            _call.run(getattr(lib, self._facts["run"]), (context.pointer, ctypes.byref(options), ctypes.byref(made)), watch)
        keep.clear()
        owner = Owner(made, getattr(lib, self._facts["destroy"]))
        return self._result(made.contents, owner)

    def function(self):
        """The program as a function with a signature and help of its own."""

        def call(*arguments, **given):
            return self(*arguments, **given)

        call.__name__ = call.__qualname__ = self.name
        call.__module__, call.__doc__, call.__signature__, call.program = "quern", self.help(), self.signature(), self
        return call

    def signature(self):
        seen, positional, named = set(), [], []
        rows = {row["name"]: row for row in self._facts["options"]}
        for name in self._positional():
            default = _default(rows[name]) if name in rows else self._extra.get(name, (None,))[0]
            positional.append(inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default))
            seen.add(name)
        options = (row["name"] for row in self._facts["options"])
        for name in [*self._extra, *self._forms, *options, "context", "progress"]:
            if name not in seen:
                seen.add(name)
                default = _default(rows[name]) if name in rows else self._extra.get(name, (None,))[0]
                named.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default))
        return inspect.Signature(positional + named)

    def help(self):
        seen, lines = set(), [self._doc or self._facts["comment"], "", "Options:"]
        lines += [f"    {name}: {meaning}." for name, (_, meaning) in self._extra.items()]
        for row in self._facts["options"]:
            if row["name"] not in seen:
                seen.add(row["name"])
                lines.append("    " + Option(None, row).describe())
        lines += ["    context: a quern.Context; None: the one of this thread.",
                  "    progress: a function, a class like tqdm, False, or None: a bar in notebooks."]  # fmt: skip
        return "\n".join(lines)

    def __repr__(self):
        return f"<program quern.{self.name}>"


def _set_members(options, members):
    for path, value in members.items():
        target, names = options, path.split(".")
        for name in names[:-1]:
            target = getattr(target, name)
        setattr(target, names[-1], value)


def program(name, *arguments, **named):
    """A function for a program, see Program."""
    return Program(name, *arguments, **named).function()
