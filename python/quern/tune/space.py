"""Tuning spaces and the tuner that is asked and told."""

import ctypes
import math
import operator
import weakref

import numpy as np

from .._generated import (
    ENUMS, SEARCHERS, qn_space, qn_test, qn_tuner, qn_tuner_options, qn_value,
)  # fmt: skip
from .._library import check, lib, path_bytes, text
from .._results import enum_words
from ..context import Handle

_KINDS = ENUMS["qn_value_kind"]
OUTCOMES = {word: number for number, word in enum_words("qn_test_outcome").items()}


def to_value(value, name):
    """A value of Python as the library's; texts must outlive it."""
    made = qn_value()
    inner = getattr(made, "as")
    if isinstance(value, (bool, np.bool_)):
        made.kind, inner.boolean = _KINDS["QN_BOOLEAN"], bool(value)
    elif isinstance(value, str):
        made.kind, inner.text = _KINDS["QN_TEXT"], path_bytes(value, name)
    elif isinstance(value, (float, np.floating)):
        made.kind, inner.real = _KINDS["QN_REAL"], float(value)
    else:
        try:
            made.kind, inner.integer = _KINDS["QN_INTEGER"], operator.index(value)
        except TypeError:
            raise TypeError(f"{name} has the value {value!r}; expected a number, a text, True or False") from None
    return made


def from_value(value):
    inner = getattr(value, "as")
    if value.kind == _KINDS["QN_INTEGER"]:
        return inner.integer
    if value.kind == _KINDS["QN_REAL"]:
        return inner.real
    return inner.boolean if value.kind == _KINDS["QN_BOOLEAN"] else text(inner.text)


def point_of(space, point):
    """The values of a point of a qn_space, as a dictionary."""
    count = lib.qn_space_parameter_count(space)
    numbers = (ctypes.c_uint16 * max(count, 1))()
    lib.qn_space_get(space, point, numbers)
    return {text(lib.qn_space_parameter_name(space, i)): from_value(lib.qn_space_value(space, i, numbers[i]).contents)
            for i in range(count)}  # fmt: skip


class Space(Handle):
    """All combinations of values that the constraints allow. `len(space)` counts them, `space[i]` is one.

    `parameters` is {name: values}, `constraints` are texts, "TILE * TILE <= 1024", `constants` {name: value} are names that
    constraints may use, `usual` is what a user who does not tune would take; where it has no value, the first counts.
    """

    def __init__(self, parameters, constraints=(), constants=None, usual=None, name="space"):
        pointer = ctypes.POINTER(qn_space)()
        check(lib.qn_space_create(path_bytes(name, "name"), ctypes.byref(pointer)))
        super().__init__(pointer, lambda one: lib.qn_space_destroy(ctypes.byref(one)))
        for key, values in parameters.items():
            self._add(key, list(values), (usual or {}).get(key))
        for key, value in (constants or {}).items():
            check(lib.qn_space_set_constant(pointer, path_bytes(key, "a constant"), to_value(value, key)))
        for one in [constraints] if isinstance(constraints, str) else constraints:
            if not isinstance(one, str):
                raise TypeError(f"a constraint is {one!r}; expected a text such as \"x * y <= 1024\"")
            check(lib.qn_space_add_constraint(pointer, one.encode()))
        check(lib.qn_space_solve(pointer))

    def _add(self, key, values, usual):
        if not values:
            raise ValueError(f"{key} has no values")
        made = [to_value(value, key) for value in values]
        chosen = made[0] if usual is None else to_value(usual, key)
        check(lib.qn_space_add(self._pointer, path_bytes(key, "a name"), (qn_value * len(made))(*made), len(made), chosen))

    def __len__(self):
        return lib.qn_space_size(self.pointer)

    def __getitem__(self, place):
        place = place + len(self) if place < 0 else place
        if not 0 <= place < len(self):
            raise IndexError(f"the space has {len(self)} points")
        return point_of(self.pointer, place)

    @property
    def raw_size(self):
        """Combinations without constraints."""
        return lib.qn_space_raw_size(self.pointer)

    def find(self, point):
        """The number of a point; KeyError if it is not one."""
        count = lib.qn_space_parameter_count(self.pointer)
        names = [text(lib.qn_space_parameter_name(self.pointer, i)) for i in range(count)]
        if set(names) != set(point):
            raise KeyError(f"the point names {', '.join(point)}; expected {', '.join(names)}")
        values = [to_value(point[name], name) for name in names]
        number = ctypes.c_uint64()
        if not lib.qn_space_find_values(self.pointer, (qn_value * max(count, 1))(*values), ctypes.byref(number)):
            raise KeyError(f"{dict(point)} is no point of the space")
        return number.value

    def __contains__(self, point):
        try:
            self.find(point)
        except (KeyError, TypeError):
            return False
        return True

    def __repr__(self):
        return f"<quern.tune.Space of {len(self)} points>"


def tuner_options(searcher="auto", seed=0, tests=0, seconds=0.0, fraction=0.0, target=0.0, remaining_gain=0.0):
    """A qn_tuner_options."""
    options = qn_tuner_options(size=ctypes.sizeof(qn_tuner_options), seed=seed, tests=tests, seconds=seconds,
                               fraction=fraction, target=target, remaining_gain=remaining_gain)  # fmt: skip
    options.searcher = path_bytes(searcher, "searcher")
    return options


class Tuner(Handle):
    """Finds the best point of a space by asking for tests.

        tuner = quern.tune.Tuner({"x": [1, 2, 4]}, tests=20)
        for point in tuner:
            tuner.tell(point, seconds_of(point))
        print(tuner.best, tuner.best_objective)

    The first of the conditions `tests`, `seconds`, `fraction`, `target` and `remaining_gain` that is met ends it; 0 is none.
    `quern.tune.searchers` lists the searchers. `parameters` is a Space or {name: values} with `constraints`.
    """

    def __init__(self, parameters, constraints=(), searcher="auto", **conditions):
        self.space = parameters if isinstance(parameters, Space) else Space(parameters, constraints)
        options, pointer = tuner_options(searcher, **conditions), ctypes.POINTER(qn_tuner)()
        check(lib.qn_tuner_create(self.space.pointer, ctypes.byref(options), ctypes.byref(pointer)))
        super().__init__(pointer, lambda one: lib.qn_tuner_destroy(ctypes.byref(one)))
        weakref.finalize(self, lambda space: None, self.space)  # the space outlives the tuner
        self._number = ctypes.c_uint64()

    def ask(self):
        """The next point to try; after the end, the best one."""
        check(lib.qn_tuner_next(self.pointer, ctypes.byref(self._number)))
        return point_of(self.space.pointer, self._number.value)

    def tell(self, point, objective, spread=0.0, outcome=None):
        """What a test of a point gave: a number to be made small. A point that failed has the objective None, or an
        `outcome`: "wrong", "build", "launch", "timeout", "limits" or "crash"."""
        if objective is None or (isinstance(objective, float) and not math.isfinite(objective)):
            outcome = outcome or "launch"
        if outcome is not None and outcome not in OUTCOMES:
            raise ValueError(f"outcome is {outcome!r}; expected one of {', '.join(OUTCOMES)}")
        failed = outcome not in (None, "correct")
        test = qn_test(outcome=OUTCOMES[outcome or "correct"], objective=math.inf if failed else float(objective), spread=spread)
        check(lib.qn_tuner_tell(self.pointer, self.space.find(point), ctypes.byref(test)))

    def __iter__(self):
        while self.finished is None:
            yield self.ask()

    @property
    def finished(self):
        """Why the tuning ended; None while it goes on."""
        return text(lib.qn_tuner_finished(self.pointer))

    @property
    def tests(self):
        """How many tests it was told."""
        return lib.qn_tuner_test_count(self.pointer)

    def _best(self):
        test = qn_test()
        known = lib.qn_tuner_best(self.pointer, ctypes.byref(self._number), ctypes.byref(test))
        return (point_of(self.space.pointer, self._number.value), test.objective) if known else (None, None)

    @property
    def best(self):
        """The best point; None while none is known."""
        return self._best()[0]

    @property
    def best_objective(self):
        """The objective of the best point; None while none is known."""
        return self._best()[1]

    def __repr__(self):
        return f"<quern.tune.Tuner, {self.tests} tests, best {self.best}>"


searchers = dict(SEARCHERS)
