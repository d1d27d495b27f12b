"""Queries of trajectories, `quern.q`: a function for each class, made of the list of classes in the library.

    quern.q.rdf("name OW", "name OW", max=1.2)
"""

import inspect
import keyword

from ._generated import QUERIES


class Query:
    """A query that a Trajectory answers: its class, its selections and its parameters."""

    def __init__(self, query_class, select, other, whole, parameters):
        self.query_class, self.select, self.other, self.whole, self.parameters = query_class, select, other, whole, parameters

    def __repr__(self):
        words = [repr(one) for one in (self.select, self.other) if one is not None]
        words += [f"{name}={value!r}" for name, value in self.parameters.items()]
        return f"quern.q.{_python_name(self.query_class)}({', '.join(words)})"


def _python_name(name):
    name = name.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def text_of(value):
    """A parameter's value as a plan has it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else str(value)


def split(query_class, given):
    """The parameters of a query among what is given, and the rest."""
    known = {_python_name(one["name"]): one["name"] for one in QUERIES[query_class]["parameters"]}
    parameters = {known[name]: value for name, value in given.items() if name in known and value is not None}
    return parameters, {name: value for name, value in given.items() if name not in known}


def _default(row):
    if row["fallback"] is None:
        return inspect.Parameter.empty
    if row["kind"] == "flag":
        return row["fallback"] == "yes"
    try:
        return float(row["fallback"]) if "." in row["fallback"] else int(row["fallback"])
    except ValueError:
        return row["fallback"] or None


def signature(query_class, first=()):
    """The arguments of a query: selections by position, parameters by name."""
    facts, kinds = QUERIES[query_class], inspect.Parameter
    selections = [kinds(name, kinds.POSITIONAL_OR_KEYWORD, default=None)
                  for name in ("select", "other")[: facts["selections"]]]  # fmt: skip
    named = [kinds(_python_name(one["name"]), kinds.KEYWORD_ONLY, default=_default(one)) for one in facts["parameters"]]
    named.append(kinds("whole", kinds.KEYWORD_ONLY, default=None))
    return inspect.Signature([*first, *selections, *named])


def help_of(query_class):
    facts = QUERIES[query_class]
    lines = [facts["meaning"][:1].upper() + facts["meaning"][1:] + ".", ""]
    for one in facts["parameters"]:
        choices = f" One of {', '.join(one['choices'].split())}." if one["choices"] else ""
        lines.append(f"    {_python_name(one['name'])}: {one['meaning']}.{choices}")
    lines.append("    whole: True: molecules are made whole; False: they are; None: as the class needs.")
    return "\n".join(lines)


def _factory(query_class):
    def make(select=None, other=None, *, whole=None, **given):
        parameters, rest = split(query_class, given)
        if rest:
            raise TypeError(f"{make.__name__}() has no parameter {next(iter(rest))!r}; it has "
                            f"{', '.join(_python_name(one['name']) for one in QUERIES[query_class]['parameters']) or 'none'}")  # fmt: skip
        return Query(query_class, select, other, whole, parameters)

    make.__name__ = make.__qualname__ = _python_name(query_class)
    make.__doc__, make.__signature__ = help_of(query_class), signature(query_class)
    return make


NAMES = {_python_name(one): one for one in QUERIES}
globals().update({name: _factory(query_class) for name, query_class in NAMES.items()})
__all__ = list(NAMES)
