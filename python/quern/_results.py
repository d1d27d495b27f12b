"""Results: structs of the library as Python objects, whose arrays are views of its memory where this is possible."""

import ctypes
import html
import keyword
import weakref

import numpy as np

from . import _shapes
from ._generated import ENUM_FIELDS, ENUMS, FIELD_COMMENTS
from ._library import text
from ._memory import dtype_of, is_pointer, number_code, view


def enum_words(enum):
    """The words of an enum by their numbers: what differs between the names of its members, in lower case."""
    names = list(ENUMS[enum])
    parts = [name.split("_") for name in names]
    common = 0
    while all(len(one) > common + 1 and one[: common + 1] == parts[0][: common + 1] for one in parts):
        common += 1
    return {number: "_".join(one[common:]).lower() for one, number in zip(parts, ENUMS[enum].values())}


class Owner:
    """A result of the library, freed with the last reference to it, to its records or to its arrays."""

    def __init__(self, pointer, destroy):
        self.pointer = pointer
        finalizer = weakref.finalize(self, lambda: destroy(ctypes.byref(pointer)))
        finalizer.atexit = False


class Table(np.ndarray):
    """A structured array. `to_pandas()` makes a DataFrame of it; in a notebook it shows its first rows."""

    def to_pandas(self):
        import pandas

        return pandas.DataFrame(dict(self._columns()))

    def _columns(self, prefix="", part=None):
        part = self if part is None else part
        for name in part.dtype.names:
            column = np.asarray(part[name])
            if column.dtype.names:
                yield from self._columns(f"{prefix}{name}.", column)
            elif column.ndim == 1:
                yield prefix + name, column
            else:
                flat = column.reshape(len(column), int(np.prod(column.shape[1:])))
                yield from ((f"{prefix}{name}_{i}", flat[:, i]) for i in range(flat.shape[1]))

    def _repr_html_(self, most=10):
        if self.dtype.names is None or self.ndim != 1:
            return f"<pre>{html.escape(repr(np.asarray(self)))}</pre>"
        columns = [(name, column) for name, column in self[:most]._columns()][:16]
        head = "".join(f"<th>{html.escape(name)}</th>" for name, _ in columns)
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_cell(column[i]))}</td>" for _, column in columns) + "</tr>"
            for i in range(min(most, len(self)))
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table><p>{len(self)} rows</p>"


def _cell(value):
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)


class Records(list):
    """Records of one kind. `to_pandas()` makes a DataFrame of their numbers and texts."""

    def to_pandas(self):
        import pandas

        return pandas.DataFrame([one._scalars() for one in self])

    def _repr_html_(self, most=10):
        rows = [one._scalars() for one in self[:most]]
        head = "".join(f"<th>{html.escape(name)}</th>" for name in (rows[0] if rows else ()))
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_cell(value))}</td>" for value in row.values()) + "</tr>" for row in rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{len(self)} rows</p>"


def count_of(struct, member):
    """The member that counts the elements of another: `pose_count` of `poses`. None: there is none."""
    names = {name for name, _ in struct._fields_}
    for end, less in (("ies", "y"), ("es", "e"), ("es", ""), ("_names", ""), ("s", "")):
        if member.endswith(end):
            name = member[: -len(end)] + less + "_count"
            if name in names:
                return name
    return None


def shape_of(record, member):
    """The shape of the array that a member points to."""
    known = _shapes.SHAPES.get((type(record._struct).__name__, member))
    if known:
        return known(record, record._root)
    count = count_of(type(record._struct), member)
    if count is None:
        raise LookupError(f"the length of {type(record._struct).__name__}.{member} is not known")
    return (getattr(record._struct, count),)


def is_table(ctype):
    """Whether an array of structs is a table: no array of an element is of its own length."""
    for name, type in ctype._fields_:
        if hasattr(type, "contents") and (ctype.__name__, name) not in _shapes.COLUMNS:
            return False
        if hasattr(type, "_fields_") and not is_table(type):
            return False
    return True


def _column_type(ctype, name, type, root):
    enum = ENUM_FIELDS.get(ctype.__name__, {}).get(name)
    if enum:
        return np.dtype(f"U{max(map(len, enum_words(enum).values()))}")
    if type is ctypes.c_char_p:
        return np.dtype(object)
    if hasattr(type, "contents"):
        return np.dtype((number_code(type._type_), _shapes.SHAPES[ctype.__name__, name](None, root)))
    if hasattr(type, "_fields_"):
        return _table_type(type, root)
    if type is ctypes.c_char:
        return np.dtype("U1")
    if issubclass(type, ctypes.Array) and type._type_ is ctypes.c_char:
        return np.dtype(f"U{type._length_}")
    return np.dtype((dtype_of(type).base, _shapes.MATRICES.get((ctype.__name__, name), dtype_of(type).shape)))


def _members(ctype):
    """The members that a table has as columns."""
    return [(name, type) for name, type in ctype._fields_
            if name != "reserved" and type is not ctypes.c_void_p and not issubclass(type, ctypes._CFuncPtr)]  # fmt: skip


def _table_type(ctype, root):
    return np.dtype([(name, _column_type(ctype, name, type, root)) for name, type in _members(ctype)])


def _fill(ctype, raw, made, root):
    for name, type in _members(ctype):
        column, enum = raw[name], ENUM_FIELDS.get(ctype.__name__, {}).get(name)
        if enum:
            words = enum_words(enum)
            made[name] = [words[number] for number in column.tolist()]
        elif type is ctypes.c_char_p:
            texts = {0: None}
            for address in set(column.tolist()) - {0}:
                texts[address] = text(ctypes.string_at(address))
            made[name] = [texts[address] for address in column.tolist()]
        elif hasattr(type, "contents"):
            inner = made.dtype[name]
            for place, address in enumerate(column.tolist()):
                made[name][place] = view(address, inner.shape, inner.base, None) if address else np.nan
        elif hasattr(type, "_fields_"):
            _fill(type, column, made[name], root)
        elif type is ctypes.c_char or issubclass(type, ctypes.Array) and type._type_ is ctypes.c_char:
            made[name] = [text(one) for one in column.tolist()]
        else:
            made[name] = column.reshape(made[name].shape)


def table_of(ctype, address, count, owner, root):
    """An array of structs as a table: a view if all members are numbers, else a copy."""
    if not count:
        return np.empty(0, _table_type(ctype, root)).view(Table)
    raw = view(address, (count,), dtype_of(ctype), owner)
    members = _members(ctype)
    plain = ctype.__name__ not in ENUM_FIELDS and len(members) == len(ctype._fields_) and all(
        number_code(type) not in (None, "S1") or (issubclass(type, ctypes.Array) and type._type_ is not ctypes.c_char
                              and (ctype.__name__, name) not in _shapes.MATRICES) for name, type in members)  # fmt: skip
    if not plain:
        made = np.empty(count, _table_type(ctype, root))
        _fill(ctype, raw, made, root)
        raw = made
    raw.flags.writeable = False
    return raw.view(Table)


class Record:
    """A struct of the library. Its members are attributes, made when they are used first."""

    _data_types = {}  # classes of structs that are data of their own: molecules, volumes …

    def __init__(self, struct, owner, root=None):
        self.__dict__.update(_struct=struct, _owner=owner, _parent=root)

    @property
    def _root(self):
        """The whole result. A record of its own has no parent, so that it is freed without the garbage collector."""
        return self if self._parent is None else self._parent

    def __dir__(self):
        return [*super().__dir__(), *self._names()]

    @classmethod
    def _public(cls, name):
        return name + "_" if keyword.iskeyword(name) else name

    def _names(self):
        return [self._public(name) for name, type in self._struct._fields_
                if name != "reserved" and not issubclass(type, ctypes._CFuncPtr)]  # fmt: skip

    def __getattr__(self, name):
        member = name[:-1] if name.endswith("_") and keyword.iskeyword(name[:-1]) else name
        struct = self.__dict__.get("_struct")
        if struct is None or name.startswith("_") or member not in dict(struct._fields_):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        value = self._value(member, dict(struct._fields_)[member])
        self.__dict__[name] = value
        return value

    def __setattr__(self, name, value):
        if not name.startswith("_") and name in self._names():
            raise AttributeError(f"{name} is a result and cannot be set")
        super().__setattr__(name, value)

    def _value(self, name, type):
        struct, kind = self._struct, self._struct.__class__.__name__
        enum = ENUM_FIELDS.get(kind, {}).get(name)
        value = getattr(struct, name)
        if enum and not isinstance(value, ctypes.Array):
            return enum_words(enum).get(value, value)
        if type is ctypes.c_char_p or isinstance(value, bytes):
            return text(value)
        if type is ctypes.c_void_p:
            return ctypes.string_at(value, struct.size) if value and hasattr(struct, "size") else None
        if isinstance(value, ctypes.Array):
            address = ctypes.addressof(struct) + getattr(struct.__class__, name).offset
            return view(address, _shapes.MATRICES.get((kind, name), dtype_of(type).shape), dtype_of(type).base, self._owner)
        if hasattr(type, "_fields_"):
            return Record(value, self._owner, self._root)
        if hasattr(type, "contents"):
            return self._pointed(name, type._type_, value)
        return value

    def _pointed(self, name, target, value):
        if not value:
            return Records() if hasattr(target, "_fields_") and count_of(type(self._struct), name) else None
        if hasattr(target, "_fields_") and (type(self._struct).__name__, name) in _shapes.SINGLE:
            made = self._data_types.get(target.__name__, Record)
            return made(value.contents, self._owner) if made is Record else made._borrowed(value, self._owner)
        shape = shape_of(self, name)
        address = ctypes.cast(value, ctypes.c_void_p).value
        if target is ctypes.c_char_p:
            return [text(value[i]) for i in range(shape[0])]
        if issubclass(target, ctypes.Array):
            return view(address, shape + dtype_of(target).shape, dtype_of(target).base, self._owner)
        if not hasattr(target, "_fields_"):
            return view(address, shape, number_code(target), self._owner)
        if is_table(target):
            return table_of(target, address, shape[0], self._owner, self._root)
        return Records(Record(value[i], self._owner, self._root) for i in range(shape[0]))

    def _scalars(self):
        kept = {}
        for name, type in self._struct._fields_:
            if name != "page" and (not is_pointer(type) or type is ctypes.c_char_p):  # a page is too long to be shown
                value = self._value(name, type)
                if isinstance(value, (str, int, float, bool, type_of_none)):
                    kept[name] = value
        return kept

    def _help(self, name):
        return FIELD_COMMENTS.get(self._struct.__class__.__name__, {}).get(name, "")

    def __repr__(self):
        rows = ", ".join(f"{name}={_cell(value)}" for name, value in list(self._scalars().items())[:8])
        return f"<quern.{type(self).__name__} {rows}>"

    def _repr_html_(self):
        rows = "".join(
            f"<tr><th>{html.escape(name)}</th><td>{html.escape(_cell(value))}</td><td>{html.escape(self._help(name))}</td></tr>"
            for name, value in self._scalars().items()
        )
        return f"<table>{rows}</table>"


type_of_none = type(None)


class Result(Record):
    """The result of a program. A `with` block ends the use of it; arrays that were taken from it stay valid."""

    @property
    def closed(self):
        return self._owner is None

    def close(self):
        """Give up the result. Its memory is freed with the last array that was taken from it."""
        self.__dict__.update(_owner=None, _struct=None)
        for name in [one for one in self.__dict__ if not one.startswith("_")]:
            del self.__dict__[name]

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def __getattr__(self, name):
        if self.__dict__.get("_owner") is None and not name.startswith("_"):
            raise ValueError(f"this {type(self).__name__} is closed")
        return super().__getattr__(name)

    def _repr_html_(self):
        parts = [super()._repr_html_()]
        for name, type in self._struct._fields_:
            value = getattr(self, self._public(name)) if hasattr(type, "contents") else None
            if isinstance(value, (Table, Records)) and len(value):
                parts.append(f"<h4>{html.escape(name)}</h4>{value._repr_html_()}")
        return "".join(parts)
