"""Calls that take long: progress, messages, and Ctrl-C.

ctypes gives up the interpreter's lock in every call. A call that the main thread makes is made by a helper thread,
so that the main thread can take a signal meanwhile: Ctrl-C then asks the run to stop through its progress callback,
and KeyboardInterrupt is raised when the run has kept what can be resumed.
"""

import _signal
import ctypes
import os
import sys
import threading
import time
from collections import namedtuple

from . import errors
from ._generated import qn_progress_callback
from ._library import lib, text

Progress = namedtuple("Progress", "stage unit done total seconds bytes")
Progress.__doc__ = """State of a run: `done` of `total` `unit`s. `total` is None where it is not known."""

_UNKNOWN = ctypes.c_size_t(-1).value


class _Helper:
    """A thread that makes the main thread's calls, one at a time."""

    def __init__(self):
        self._work, self._asked, self._done = None, threading.Lock(), threading.Lock()  # a Semaphore is slower
        self._asked.acquire()
        self._done.acquire()
        self._thread = threading.Thread(target=self._serve, name="quern", daemon=True)
        self._thread.start()

    def _serve(self):
        while True:
            self._asked.acquire()
            work, self._work = self._work, None
            work[0]()
            work[0] = None
            self._done.release()
            work.append(True)
            work = None

    def make(self, work, on_interrupt):
        """Have a function called. Returns the exception of a signal's handler that came meanwhile, or None."""
        self._work = work = [work]
        self._asked.release()
        try:
            self._done.acquire()
            return None
        except BaseException as signalled:
            return self._finish(work, signalled, on_interrupt)

    def _finish(self, work, interrupt, on_interrupt):
        """Wait for the end after a signal. It may have come when the lock was taken, so the mark in `work` counts."""
        while True:
            try:
                on_interrupt()
                while len(work) == 1:
                    time.sleep(0.001)
                self._done.acquire(False)
                return interrupt
            except BaseException as signalled:
                interrupt = signalled


_helper = None


def _forget_helper():
    global _helper
    _helper = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_helper)


def _takes_signals():
    """Whether this is the main thread, and Python has a handler for Ctrl-C. `signal.getsignal` takes longer."""
    return threading.get_ident() == threading.main_thread().ident and callable(_signal.getsignal(_signal.SIGINT))


def run(function, arguments, watch):
    """Call a function of the library that returns a status, and raise what went wrong. `watch` is its Watch."""
    global _helper
    failure = []

    def work():
        try:
            status = function(*arguments)
            if status:
                errors.raise_last(lib, status)
        except BaseException as error:
            failure.append(error)

    interrupt = None
    if _takes_signals():
        if _helper is None:
            _helper = _Helper()
        interrupt = _helper.make(work, watch.stop)
    else:
        work()
    error = failure.pop() if failure else None
    raised = watch.raised or interrupt
    watch.close()
    if raised is not None and (interrupt or isinstance(error, errors.Cancelled)):
        raise raised from None
    if error is not None:
        try:
            raise error
        finally:
            error = None


class Watch:
    """The progress callback of a run. `shown` gets each state; without it the callback only stops the run."""

    def __init__(self, shown=None):
        self._shown, self._stopped, self.raised, self._lock = shown, False, None, threading.Lock()
        self.callback = qn_progress_callback(self._on_progress)

    def stop(self):
        self._stopped = True

    @property
    def stopped(self):
        return self._stopped

    def _on_progress(self, state, user):
        if self._shown is not None and not self._stopped:
            try:
                with self._lock:
                    one = state.contents
                    total = None if one.total == _UNKNOWN else one.total
                    made = Progress(text(one.stage), text(one.unit), one.done, total, one.seconds, one.bytes)
                    if self._shown(made) is False:
                        self._stopped = True
            except BaseException as error:  # it must not pass through the library; run() raises it
                self.raised, self._stopped = error, True
        return int(self._stopped)

    def close(self):
        close = getattr(self._shown, "close", None)
        if close is not None:
            close()


class _Bar:
    """Progress as a bar with tqdm's protocol, a new one for each stage."""

    def __init__(self, make):
        self._make, self._bar, self._stage = make, None, None

    def __call__(self, state):
        if state.total == 0:
            return
        if self._stage != state.stage:
            self.close()
            self._stage = state.stage
            self._bar = self._make(total=state.total, desc=state.stage, unit=" " + state.unit)
        self._bar.update(state.done - self._bar.n)

    def close(self):
        if self._bar is not None:
            self._bar.close()
        self._bar = None


class NotebookBar:
    """A bar of HTML in a notebook."""

    def __init__(self, total=None, desc="", unit=""):
        from IPython.display import HTML, display

        self.n, self._total, self._text, self._unit, self._html = 0, total, desc, unit, HTML
        self._shown = display(self._render(), display_id=True)

    def _render(self):
        share = f' value="{self.n}" max="{self._total}"' if self._total else ""
        of = f" of {self._total}" if self._total else ""
        return self._html(f"{self._text} <progress{share}></progress> {self.n}{of}{self._unit}")

    def update(self, more):
        self.n += more
        if self._shown is not None:
            self._shown.update(self._render())

    def close(self):
        pass


def _in_notebook():
    interactive = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


def watch_of(progress):
    """The Watch of an argument `progress`: None (a bar in a notebook, else nothing), False (nothing), a function that
    is called with each Progress and may return False to stop the run, or tqdm or another class with its protocol."""
    if progress is None:
        return Watch(_Bar(NotebookBar) if _in_notebook() else None)
    if progress is False:
        return Watch()
    if hasattr(progress, "update") and hasattr(progress, "close") and callable(progress):
        return Watch(_Bar(progress))
    if callable(progress):
        return Watch(progress)
    raise TypeError(f"progress is {progress!r}; expected a function, a class like tqdm, False or None")
