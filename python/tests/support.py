"""What tests share: places, a scratch folder, and the message of an exception."""

import contextlib
import os
import shutil
import signal
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("QUERN_SOURCE", Path(__file__).resolve().parents[2]))
EXAMPLES, DATA = SOURCE / "examples", SOURCE / "tests" / "data"
COMMAND = os.environ.get("QUERN_COMMAND", "quern")

# A shell that starts a job in the background lets it ignore Ctrl-C, and Python and the processes of tests keep that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@contextlib.contextmanager
def inside(folder):
    """Work in a folder."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def has_opencl():
    import quern

    return any(one["usable"] and one["identifier"] == "opencl:0" for one in quern.devices())


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="quern-python-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def message(self, exception, call, *arguments, **named):
        """The text of the exception that a call must raise."""
        with self.assertRaises(exception) as caught:
            call(*arguments, **named)
        return str(caught.exception)
