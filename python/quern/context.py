"""Contexts and devices."""

import ctypes
import logging
import threading
import weakref

from ._generated import (
    ENUMS, qn_context, qn_context_options, qn_device_listing, qn_device_rates, qn_log_callback, qn_device,
)  # fmt: skip
from ._library import check, lib, path_bytes, text

logger = logging.getLogger("quern")
_LEVELS = {
    ENUMS["qn_log_level"]["QN_LOG_DEBUG"]: logging.DEBUG,
    ENUMS["qn_log_level"]["QN_LOG_NOTE"]: logging.INFO,
    ENUMS["qn_log_level"]["QN_LOG_WARNING"]: logging.WARNING,
}


@qn_log_callback
def _on_log(level, message, user):
    logger.log(_LEVELS.get(level, logging.INFO), "%s", text(message))


def _destroy(pointer):
    lib.qn_context_destroy(ctypes.byref(pointer))


class Handle:
    """An object of the library. It is freed with its last reference, or at the end of a `with` block."""

    def __init__(self, pointer, destroy):
        self._pointer = pointer
        self._finalizer = weakref.finalize(self, destroy, pointer)
        self._finalizer.atexit = False

    def close(self):
        """Free it now. A second call does nothing."""
        self._pointer = None
        self._finalizer()

    @property
    def pointer(self):
        if self._pointer is None:
            raise ValueError(f"this {type(self).__name__} is closed")
        return self._pointer

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


class Context(Handle):
    """The threads, the log and the settings of calls. Each thread of Python needs one of its own while it runs a
    program; without an argument `context`, calls take one that the package keeps for the thread.

    `threads` 0: every processor that the process may use. Messages go to `logging.getLogger("quern")`.
    """

    def __init__(self, threads=0, explain=False, kernel_folder=None, without_kernel_cache=False):
        options = qn_context_options(size=ctypes.sizeof(qn_context_options), threads=threads, explain=bool(explain))
        options.without_kernel_cache = bool(without_kernel_cache)
        if kernel_folder is not None:
            options.kernel_folder = path_bytes(kernel_folder, "kernel_folder")
        options.log = _on_log
        pointer = ctypes.POINTER(qn_context)()
        check(lib.qn_context_create(ctypes.byref(options), ctypes.byref(pointer)))
        super().__init__(pointer, _destroy)
        self.lock = threading.RLock()  # programs of a context run one at a time

    @property
    def threads(self):
        """How many threads work."""
        return lib.qn_context_threads(self.pointer)

    def __repr__(self):
        return "<quern.Context, closed>" if self._pointer is None else f"<quern.Context, {self.threads} threads>"


_kept = threading.local()


def current_context():
    """The context that this thread's calls take when they are given none."""
    context = getattr(_kept, "context", None)
    if context is None or context._pointer is None:
        context = _kept.context = Context()
    return context


def _release(pointer):
    lib.qn_device_release(ctypes.byref(pointer))


class Device(Handle):
    """One CPU or GPU: "host", "opencl:0", "cuda:0" or "auto". Its facts are attributes: `name`, `memory_bytes`, …"""

    def __init__(self, identifier="auto", context=None):
        self.context = context or current_context()
        pointer = ctypes.POINTER(qn_device)()
        check(lib.qn_device_open(self.context.pointer, path_bytes(identifier, "identifier"), ctypes.byref(pointer)))
        super().__init__(pointer, _release)
        self.__dict__.update(_facts(lib.qn_device_get_info(pointer).contents))

    def measure(self):
        """Rates of the device, as a dictionary."""
        rates = qn_device_rates()
        check(lib.qn_device_measure(self.pointer, ctypes.byref(rates)))
        return {name: getattr(rates, name) for name, _ in rates._fields_}

    def __repr__(self):
        return f"<quern.Device {self.identifier}: {self.name}>"


def _facts(info):
    kinds = {number: name[len("QN_DEVICE_"):].lower() for name, number in ENUMS["qn_device_kind"].items()}
    facts = {name: getattr(info, name) for name, _ in info._fields_}
    facts = {name: text(value) if isinstance(value, bytes) else value for name, value in facts.items()}
    return {**facts, "kind": kinds.get(info.kind, info.kind)}


def devices(context=None):
    """All devices, and drivers that cannot be used, as dictionaries; `reason` says why one is not `usable`."""
    count, context = ctypes.c_size_t(), context or current_context()
    check(lib.qn_device_list(context.pointer, None, 0, ctypes.byref(count)))
    listings = (qn_device_listing * count.value)()
    check(lib.qn_device_list(context.pointer, listings, count.value, ctypes.byref(count)))
    return [{"usable": one.usable, "reason": text(one.reason), **_facts(one.info)} for one in listings]
