"""Soft tissue: a tool pushes a body of tetrahedra."""

import json
import math
import os
import shutil
import socket
import struct
import tempfile
import threading
import time
from collections import namedtuple

from . import errors
from ._programs import program
from ._results import Result
from .context import Context
from .data import Mesh, data_form

_FORMS = {"mesh": data_form("given_mesh", Mesh)}


class SolveResult(Result):
    """`force` and `stiffness` of the tool; positions, displacements and reactions of the nodes."""


solve = program("deform_solve", SolveResult, _FORMS, "Find the state of a body under a tool.", called="solve")
space = program("deform_space", Result, _FORMS, "Find the states of a grid of places of the tool.", called="space")
simulate = program("deform_simulate", Result, _FORMS, "Move a hand through a body and write what it feels.", called="simulate")
_serve = program("deform_serve", Result, _FORMS, "Serve the hand of another program through a socket.", called="serve")

Felt = namedtuple("Felt", "force flags age_s")
Felt.__doc__ = """An answer to a hand: the force that it feels in N, the names of its flags, and the age of its frame."""

_HAND, _FORCE = struct.Struct("<4sIQ4dII8x"), struct.Struct("<4sIQ4dII3h2x")  # docs/formats/haptic_protocol.md
_FLAGS = ("late", "extrapolated", "fold", "limited", "clamped", "blended", "free")


class Hand:
    """A hand at a server's address, "unix:PATH" or "tcp:HOST:PORT". `greeting` is what the server says of itself."""

    def __init__(self, address, timeout=10.0):
        kind, _, place = address.partition(":")
        if kind not in ("unix", "tcp"):
            raise ValueError(f'the address is {address!r}; expected "unix:PATH" or "tcp:HOST:PORT"')
        if kind == "unix":
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._socket.settimeout(timeout)
            try:
                self._socket.connect(place)
            except OSError:
                self._socket.close()
                raise
        else:
            host, _, port = place.rpartition(":")
            self._socket = socket.create_connection((host.strip("[]"), int(port)), timeout)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._stream, self._number, self._begin = self._socket.makefile("rb"), 0, time.monotonic()
        self.greeting = json.loads(self._stream.readline())

    def feed(self, place, grab=True):
        """Say where the tool is, (x, y, z) in m from rest, and get what it feels. `grab` False lets go of the body."""
        x, y, z = (float(one) for one in place)
        if not all(map(math.isfinite, (x, y, z))):
            raise ValueError(f"place is {(x, y, z)}; expected finite numbers")
        self._number += 1
        seconds = time.monotonic() - self._begin
        self._socket.sendall(_HAND.pack(b"QHP1", _HAND.size, self._number, seconds, x, y, z, 0, int(bool(grab))))
        while True:  # the server may have answered the frame before again while it waited
            data = self._stream.read(_FORCE.size)
            if data[:1] == b"{" or len(data) < _FORCE.size:
                line = data + (self._stream.readline() if data else b"")
                raise ConnectionError(line.decode("utf-8", "replace").strip() or "the server has closed the connection")
            _, _, number, _, *force, flags, age_us, _, _, _ = _FORCE.unpack(data)
            if number >= self._number:
                names = frozenset(name for place, name in enumerate(_FLAGS) if flags >> place & 1)
                return Felt(tuple(force), names, age_us * 1e-6)

    def close(self):
        self._stream.close()
        self._socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


class Server:
    """A body that waits for hands, until `stop` or the end of a `with` block.

        with quern.deform.serve("lobe.msh", material=..., fix=..., contact=...) as server:
            print(server.feed((0, 0, -0.001)).force)

    It runs in a thread with a context of its own. `address` is its socket; hands of other programs may use it.
    """

    def __init__(self, arguments, options, start_seconds):
        self._folder = None
        if options.get("listen") is None:
            self._folder = tempfile.mkdtemp(prefix="quern-hand-")
            options["listen"] = f"unix:{os.path.join(self._folder, 'hand')}"
        self.address, self.result = options["listen"], None
        self._stop, self._failure, self._hand = threading.Event(), None, None
        self._context = Context(threads=options.get("threads") or 0)
        self._thread = threading.Thread(target=self._run, args=(arguments, options), name="quern server", daemon=True)
        self._thread.start()
        try:
            self._connect(start_seconds)
        except BaseException:
            self._stop.set()
            self._end()
            raise

    def _run(self, arguments, options):
        try:
            self.result = _serve(*arguments, context=self._context, progress=lambda state: not self._stop.is_set(), **options)
        except BaseException as error:  # the thread that asks raises it
            self._failure = error

    def _connect(self, seconds):
        """Wait until the server listens, and be its first hand."""
        end = time.monotonic() + seconds
        while self._hand is None:
            try:
                self._hand = Hand(self.address)
            except (OSError, ValueError):
                self._thread.join(0.02)
                if not self._thread.is_alive():
                    raise self._failure or RuntimeError("the server has ended") from None
                if time.monotonic() > end:
                    raise TimeoutError(f"{self.address}: the server does not answer after {seconds:g} s") from None

    def feed(self, place, grab=True):
        """Move the server's own hand and get what it feels, see Hand.feed."""
        if self._hand is None:
            self._hand = Hand(self.address)
        return self._hand.feed(place, grab)

    def let_go(self):
        """End the server's own hand, so that another may come."""
        hand, self._hand = self._hand, None
        if hand is not None:
            hand.close()

    def _end(self):
        self.let_go()
        self._thread.join()
        self._context.close()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def stop(self):
        """End the server. Returns the facts of all ticks, as quern.deform.simulate does."""
        if not self._stop.is_set():
            self._stop.set()
            self._end()
        if self._failure is not None and not isinstance(self._failure, errors.Cancelled):
            raise self._failure
        return self.result

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.stop()


def serve(*arguments, start_seconds=600.0, **options):
    if "context" in options or "progress" in options:
        raise TypeError("serve() has a context and a progress function of its own")
    return Server(arguments, dict(options), start_seconds)


serve.__signature__, serve.program = _serve.__signature__, _serve.program
serve.__doc__ = f"""Start a Server of a body and wait until it listens, at most `start_seconds`. Without `listen` its
    socket is in a temporary folder.

    {_serve.__doc__}"""
