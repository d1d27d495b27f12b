"""Tuning of a kernel of the user's own, in OpenCL C or CUDA C, with arrays in memory."""

import ctypes
import json
import operator
import re
import sys
import tempfile
from pathlib import Path

import numpy as np

from .. import _call
from .._generated import (
    CONSTANTS, qn_device, qn_tune_options, qn_tune_result, qn_tune_store, qn_workload,
)  # fmt: skip
from .._library import check, lib, path_bytes, text
from .._results import enum_words
from ..context import current_context
from ..errors import Cancelled
from .space import point_of, tuner_options

_TYPES = {"int8": "int8", "uint8": "uint8", "int16": "int16", "uint16": "uint16", "int32": "int32", "uint32": "uint32",
          "int64": "int64", "uint64": "uint64", "float16": "half", "float32": "float", "float64": "double"}  # fmt: skip
_WORKER = "from quern._library import lib; lib.qn_tune_serve()"
_AXES = "XYZ"


def language_of(source):
    """The language of a kernel's text."""
    if re.search(r"\b__global__\b", source):
        return "CUDA"
    if re.search(r"\b(__)?kernel\b", source):
        return "OpenCL"
    raise ValueError("the source has neither __global__ nor __kernel; expected a kernel in CUDA C or OpenCL C")


def outputs_of(source, name):
    """For each parameter of a kernel whether it is a pointer to what the kernel may write."""
    plain = re.sub(r"/\*.*?\*/|//[^\n]*", " ", source, flags=re.DOTALL)
    found = re.search(rf"(?:__global__|\b(?:__)?kernel\b)[^;{{}}]*?\b{re.escape(name)}\s*\(([^)]*)\)", plain)
    if not found:
        raise ValueError(f"the source has no kernel {name}")
    parameters = [one for one in found.group(1).split(",") if one.strip() not in ("", "void")]
    return ["*" in one and not re.search(r"\bconst\b[^*]*\*", one) for one in parameters]


def _type(value, place):
    name = _TYPES.get(value.dtype.name)
    if name is None:
        raise TypeError(f"argument {place} has the type {value.dtype}; expected one of {', '.join(_TYPES)}")
    return name


def _argument(place, value, is_output, answer, tolerances, folder):
    """An argument as a T1 file describes it. Arrays are written into files beside it."""
    name = f"argument_{place}"
    if isinstance(value, (bool, int)):
        value = np.int32(value)
    elif isinstance(value, float):
        value = np.float32(value)
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return {"Name": name, "Type": _type(value, place), "MemoryType": "Scalar", "AccessType": "ReadOnly",
                "FillValue": value.item()}, None  # fmt: skip
    array = np.ascontiguousarray(value)
    if array.size == 0:
        raise ValueError(f"argument {place} is an empty array")
    array.tofile(folder / f"{name}.raw")
    made = {"Name": name, "Type": _type(array, place), "MemoryType": "Vector", "FillType": "BinaryRaw",
            "DataSource": f"{name}.raw", "Size": array.size, "AccessType": "ReadWrite" if is_output else "ReadOnly"}  # fmt: skip
    if not is_output:
        return made, None
    made["Output"] = 1
    if answer is None:
        return {**made, **tolerances}, None
    expected = np.ascontiguousarray(answer, dtype=array.dtype)
    if expected.shape != array.shape:
        raise ValueError(f"the answer of argument {place} has the shape {expected.shape}; expected {array.shape}")
    expected.tofile(folder / f"{name}_answer.raw")
    return made, {"Name": f"{name}_answer", "TargetName": name, "FillType": "BinaryRaw",
                  "DataSource": f"{name}_answer.raw", **tolerances}  # fmt: skip


def _parameter(name, values):
    values = [one.item() if isinstance(one, np.generic) else one for one in values]
    kinds = {type(one) for one in values}
    kind = ("string" if kinds == {str} else "bool" if kinds == {bool} else "int" if kinds <= {int, bool}
            else "float" if kinds <= {int, float, bool} else None)  # fmt: skip
    if not values or kind is None:
        raise TypeError(f"the values of {name} are {values!r}; expected numbers, or texts, or True and False")
    return {"Name": name, "Type": kind, "Values": values}


def _sizes(value, name):
    """Up to three expressions along X, Y and Z."""
    value = [value] if isinstance(value, (str, int, np.integer)) else list(value)
    if not 1 <= len(value) <= 3:
        raise ValueError(f"{name} has {len(value)} axes; expected 1 to 3")
    texts = [str(one) for one in value]
    return dict(zip(_AXES, texts + ["1"] * (3 - len(texts))))


class Kernel:
    """A kernel with its arguments and its space, as a T1 file in a folder."""

    def __init__(self, folder, source, name, arguments, tune, constraints=(), group=None, groups=None, items=None,
                 problem_size=None, divisors=(None, None, None), outputs=None, answer=None, atol=None, rtol=None,
                 options=(), language=None, defaults=None):  # fmt: skip
        self.folder, self.name = Path(folder), name
        source = _read(source)
        written = outputs_of(source, name)
        if len(written) != len(arguments):
            raise ValueError(f"the kernel {name} has {len(written)} parameters and was given {len(arguments)} arguments")
        if outputs is not None:
            written = [place in set(outputs) for place in range(len(arguments))]
        answers = list(answer) if answer is not None else [None] * len(arguments)
        if len(answers) != len(arguments):
            raise ValueError(f"answer has {len(answers)} elements; expected one for each of {len(arguments)} arguments, or None")
        tolerances = {key: value for key, value in (("AbsoluteTolerance", atol), ("RelativeTolerance", rtol)) if value is not None}
        made = [_argument(place, value, written[place], answers[place], tolerances, self.folder)
                for place, value in enumerate(arguments)]  # fmt: skip
        language = language or language_of(source)
        (self.folder / "kernel.source").write_text(source, encoding="utf-8")
        specification = {
            "Language": language, "CompilerOptions": list(options), "KernelName": name, "KernelFile": "kernel.source",
            "Arguments": [one for one, _ in made], **_geometry(tune, group, groups, items, problem_size, divisors, language),
        }  # fmt: skip
        references = [one for _, one in made if one is not None]
        if references:
            specification["ReferenceArguments"] = references
        parameters = [_parameter(key, list(values)) for key, values in tune.items()]
        for one in parameters:
            if defaults and one["Name"] in defaults:
                one["Default"] = defaults[one["Name"]]
        conditions = [{"Expression": _condition(one)} for one in ([constraints] if isinstance(constraints, str) else constraints)]
        self.description = {
            "General": {"BenchmarkName": name},
            "ConfigurationSpace": {"TuningParameters": parameters, "Conditions": conditions},
            "KernelSpecification": specification,
        }
        self.path = self.folder / f"{name}.json"
        self.path.write_text(json.dumps(self.description, indent=1), encoding="utf-8")


def _condition(one):
    if not isinstance(one, str):
        raise TypeError(f"a constraint is {one!r}; expected a text such as \"x * y <= 1024\"")
    return one


def _read(source):
    """A kernel's text; `source` is the text or a path."""
    if hasattr(source, "__fspath__") or (isinstance(source, str) and "\n" not in source and "(" not in source):
        return Path(source).read_text(encoding="utf-8")
    if not isinstance(source, str):
        raise TypeError(f"the source is {source!r}; expected a text or a path")
    return source


def _geometry(tune, group, groups, items, problem_size, divisors, language):
    """The launch: sizes of a group, and of all groups or work-items."""
    if group is None:
        names = [f"block_size_{axis.lower()}" for axis in _AXES]
        if names[0] not in tune:
            raise ValueError('the size of a group is not known; give group, such as group=("TILE", "TILE"), or a parameter block_size_x')  # fmt: skip
        group = [name if name in tune else 1 for name in names]
    made = {"LocalSize": _sizes(group, "group")}
    given = [one for one in (groups, items, problem_size) if one is not None]
    if len(given) != 1:
        raise ValueError(f"{len(given)} of groups, items and problem_size are given; expected one of them")
    if problem_size is None:
        made["GlobalSizeType"] = "CUDA" if groups is not None else "OpenCL"
        made["GlobalSize"] = _sizes(given[0], "groups" if groups is not None else "items")
        return made
    sizes = [problem_size] if isinstance(problem_size, (int, np.integer)) else list(problem_size)
    made.update(GlobalSizeType="CUDA", ProblemSize=[int(one) for one in sizes])
    for axis, divisor in zip(_AXES, divisors):
        if divisor is not None:
            made[f"GridDiv{axis}"] = [str(one) for one in ([divisor] if isinstance(divisor, str) else divisor)]
    return made


class KernelResult:
    """`best` is the fastest configuration and `seconds` its time; `tests` are all, as dictionaries in the order in which
    they were made; `fallback_seconds` is the time of the first values, `finished` why the tuning ended."""

    def __init__(self, struct, tests, device):
        self.tests, self.device = tests, device
        self.best, self.seconds = None, struct.best.objective
        self.text, self.finished, self.pipe = text(struct.text), text(struct.finished), text(struct.pipe)
        self.fallback_seconds, self.limit_seconds = struct.fallback.objective, struct.limit_seconds
        for one in tests:
            if _words(one["configuration"]) == self.text:
                self.best = one["configuration"]

    def to_pandas(self):
        """The tests as a DataFrame, with a column for each parameter."""
        import pandas

        return pandas.DataFrame([{**one["configuration"], **{k: v for k, v in one.items() if k != "configuration"}}
                                 for one in self.tests])  # fmt: skip

    def __repr__(self):
        return f"<quern.tune.KernelResult {self.text}: {self.seconds:.6g} s, {len(self.tests)} tests>"


def _words(configuration):
    def word(value):
        return str(value).lower() if isinstance(value, bool) else str(value)

    return " ".join(f"{name}={word(value)}" for name, value in configuration.items())


class _Tests(list):
    """The tests of a tuning, as dictionaries in the order in which they were made."""

    def __init__(self, options, progress, watch):
        super().__init__()
        words = enum_words("qn_test_outcome")

        def note(state, user):
            try:
                one = state.contents
                test = {"configuration": point_of(one.space, one.point), "outcome": words[one.test.contents.outcome],
                        "seconds": one.test.contents.objective, "reason": text(one.reason)}  # fmt: skip
                self.append(test)
                if progress is not None and progress(test) is False:
                    watch.stop()
            except BaseException as error:  # it must not pass through the library; run() raises it
                watch.raised = error
                watch.stop()
            return int(watch.stopped)

        options.progress = dict(qn_tune_options._fields_)["progress"](note)


def _tune(opened, function, subject, options, context, progress, store, export=None):
    """Tune `subject` on an open device, which is released."""
    watch, held = _call.Watch(), ctypes.POINTER(qn_tune_store)()
    tests = _Tests(options, progress, watch)
    try:
        if store is not None:
            check(lib.qn_tune_store_open(context.pointer, path_bytes(store, "store"), ctypes.byref(held)))
            options.store = held
        result = qn_tune_result()
        with context.lock:
            try:
                _call.run(function, (opened, subject, ctypes.byref(options), ctypes.byref(result)), watch)
            except Cancelled:
                if not tests:
                    raise
        if export is not None:
            check(lib.qn_tune_export_file(opened, held, subject, CONSTANTS["QN_TUNE_KERNEL_TUNER"], path_bytes(export, "cache")))
        info = lib.qn_device_get_info(opened).contents
        return KernelResult(result, tests, {"identifier": text(info.identifier), "name": text(info.name)})
    finally:
        lib.qn_tune_store_close(ctypes.byref(held))
        lib.qn_device_release(ctypes.byref(opened))


def run_file(path, device="auto", context=None, progress=None, store=None, worker=True, export=None, **settings):
    """Tune the kernel of a T1 file. `progress` is called with each test, a dictionary, and may return False to stop.
    `worker` tests in a process of its own, which may crash or hang without harm. `export` is a path for the results
    as Kernel Tuner's cache. Others: searcher, seed, tests, seconds, fraction, target, remaining_gain, objective,
    precision, most_repeats, timeout_seconds, compile_threads, model."""
    context, (options, keep) = context or current_context(), _options(settings, worker)
    opened, name = ctypes.POINTER(qn_device)(), path_bytes(path, "path")
    check(lib.qn_tune_file_device(context.pointer, name, path_bytes(device, "device"), ctypes.byref(opened)))
    found = _tune(opened, lib.qn_tune_run_file, name, options, context, progress, store, export)
    keep.clear()
    return found


def workloads():
    """The names of the library's workloads and what each computes."""
    count = ctypes.c_size_t()
    rows = lib.qn_workload_list(ctypes.byref(count))
    return {text(rows[i].contents.name): text(rows[i].contents.summary) for i in range(count.value)}


def workload(name, sizes=None, device="auto", context=None, progress=None, store=None, **settings):
    """Tune a kernel family of the library with one of its workloads, such as "benchmark/gemm". `sizes` are numbers in
    the workload's order or {name: number}; what is not given is chosen for the device. Others: see run_file."""
    context, (options, keep) = context or current_context(), _options(settings, False)
    found = ctypes.POINTER(qn_workload)()
    check(lib.qn_workload_find(path_bytes(name, "name"), ctypes.byref(found)))
    names = [text(one) for one in found.contents.size_names if one]
    given = sizes if isinstance(sizes, dict) else dict(zip(names, sizes or ()))
    if not isinstance(sizes, dict) and len(sizes or ()) > len(names) or not set(given) <= set(names):
        raise ValueError(f"sizes is {sizes!r}; the workload {name} has {', '.join(names)}")
    for place, one in enumerate(names):
        options.sizes[place] = operator.index(given.get(one, 0))
    opened = ctypes.POINTER(qn_device)()
    check(lib.qn_device_open(context.pointer, path_bytes(device, "device"), ctypes.byref(opened)))
    result = _tune(opened, lib.qn_tune_run, found, options, context, progress, store)
    keep.clear()
    return result


def _options(settings, worker):
    options, keep = qn_tune_options(size=ctypes.sizeof(qn_tune_options)), []
    conditions = ("searcher", "seed", "tests", "seconds", "fraction", "target", "remaining_gain")
    options.tuner = tuner_options(**{one: settings.pop(one) for one in conditions if one in settings})
    known = {"objective", "precision", "most_repeats", "timeout_seconds", "compile_threads", "model", "restart",
             "worker_memory_bytes"}  # fmt: skip
    for name, value in settings.items():
        if name not in known:
            raise TypeError(f"there is no setting {name!r}; expected one of {', '.join(sorted([*known, *conditions]))}")
        setattr(options, name, path_bytes(value, name) if isinstance(value, str) else value)
    if worker:
        words = [sys.executable.encode(), b"-c", _WORKER.encode(), None]
        keep.append((ctypes.c_char_p * len(words))(*words))
        options.worker = ctypes.cast(keep[-1], ctypes.POINTER(ctypes.c_char_p))
    return options, keep


def kernel(source, name, arguments, tune, constraints=(), *, group=None, groups=None, items=None, problem_size=None,
           outputs=None, answer=None, atol=None, rtol=None, options=(), defaults=None, device="auto", context=None,
           progress=None, **settings):  # fmt: skip
    """Find the fastest configuration of a kernel.

    `source` is OpenCL C or CUDA C, a text or a path, in which parameters are macros. `arguments` are arrays and scalars
    of NumPy (an int is 32-bit, a float is single). `tune` is {parameter: values}. `group` is the size of a group along
    up to three axes, as numbers or expressions of parameters; without it, block_size_x, _y, _z. `groups`, `items` or
    `problem_size` say how many there are: of groups, of work-items, or of elements that groups share. `outputs` are the
    places of arguments that the kernel writes; without them, pointers that are not const. They are compared with
    `answer`, a list with the right array for each output and None for others; without it, with what the first values give.
    Others: see run_file.
    """
    with tempfile.TemporaryDirectory(prefix="quern-tune-") as folder:
        if groups is None and items is None and problem_size is None:
            largest = max((np.asarray(one) for one in arguments), key=lambda one: one.size)
            problem_size = largest.shape[::-1][:3]
        made = Kernel(folder, source, name, arguments, tune, constraints, group, groups, items, problem_size,
                      _divisors(group, problem_size), outputs, answer, atol, rtol, options, None, defaults)  # fmt: skip
        return run_file(made.path, device, context, progress, **settings)


def _divisors(group, problem_size):
    """Along each axis the size of a group, which shares the elements of the problem."""
    if group is None or problem_size is None:
        return (None, None, None)
    sizes = [group] if isinstance(group, (str, int)) else list(group)
    return tuple([str(one)] for one in sizes) + (None,) * (3 - len(sizes))


__all__ = ["KernelResult", "kernel", "run_file", "workload", "workloads"]
