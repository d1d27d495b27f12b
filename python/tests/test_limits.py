"""Calls leak nothing, cost little, leave other threads running, and end cleanly whatever is given."""

import ctypes
import gc
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
import unittest
from pathlib import Path
from unittest import mock

import numpy as np
import quern
from quern import _call
from quern._library import lib
from support import EXAMPLES, Case, has_opencl

CALLS = 10_000
WATER = str(EXAMPLES / "water/water.tpr"), str(EXAMPLES / "water/water.xtc")


def resident():
    """Memory of the process that is resident, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Calls(Case):
    def setUp(self):
        super().setUp()
        self.frames = np.random.default_rng(0).normal(size=(80, 4, 3)).astype(np.float32)

    def call(self):
        """A call with an array in, a result out, and one that fails."""
        space = quern.tune.Space({"x": [1, 2]})
        self.assertEqual(space.find({"x": 2}), 1)
        molecule = self.molecule.copy()
        self.assertEqual(len(molecule.positions_angstrom), 50)
        self.assertRaises(quern.InvalidArgument, quern.tune.Space, {"x": [1]}, ["x >"])

    def test_ten_thousand_calls_leak_nothing(self):
        lines = [f"ATOM  {i + 1:5d}  C{i:<2d} GLY A   1    {i:8.3f}   0.000   0.000  1.00  0.00           C" for i in range(50)]
        (self.folder / "atoms.pdb").write_text("\n".join([*lines, "END", ""]))
        self.molecule = quern.Molecule.read(self.folder / "atoms.pdb")
        for _ in range(500):
            self.call()
        gc.collect()
        before = resident()
        for _ in range(CALLS // 4):  # four calls of the library each
            self.call()
        gc.collect()
        grown = resident() - before
        print(f"{CALLS} calls: {grown / 1024:.0f} KiB more are resident")
        self.assertLess(grown, 1 << 20)
        tracemalloc.start()
        self.call()
        gc.collect()
        first = tracemalloc.get_traced_memory()[0]
        for _ in range(200):
            self.call()
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - first
        tracemalloc.stop()
        self.assertLess(grown, 8192)

    def test_programs_leak_nothing(self):
        """The same for a program with an array in and arrays out."""
        for _ in range(20):
            quern.distances(self.frames, measure="rmsd", unit="nm", threads=0)
        gc.collect()
        before = resident()
        for _ in range(300):
            self.assertEqual(len(quern.distances(self.frames, measure="rmsd", unit="nm").distances), 3160)
        gc.collect()
        grown = resident() - before
        print(f"300 programs: {grown / 1024:.0f} KiB more are resident")
        self.assertLess(grown, 1 << 20)

    def test_a_call_costs_little(self):
        """What Python adds to a call of a program: filling the options, the helper thread, making the result."""
        times = []
        watch = _call.Watch()
        for _ in range(200):
            _call.run(lambda: 0, (), watch)
        for _ in range(5):
            begin = time.process_time()
            for _ in range(1000):
                _call.run(lambda: 0, (), watch)
            times.append((time.process_time() - begin) / 1000)
        print(f"a call that may take long: {1e6 * min(times):.1f} µs of the processor")
        self.assertLess(min(times), 200e-6)
        space, seconds = quern.tune.Space({"x": [1, 2]}), []
        for _ in range(5):
            begin = time.process_time()
            for _ in range(1000):
                len(space)
            seconds.append((time.process_time() - begin) / 1000)
        print(f"a call that is short: {1e6 * min(seconds):.1f} µs of the processor")
        self.assertLess(min(seconds), 200e-6)

    def test_a_signal_at_the_end_of_a_call(self):
        """It may come when the lock that says so was taken: the call then ends all the same, and so does the next."""
        helper = _call._Helper()

        class Taken:
            """A lock whose taking is followed by a signal."""

            def __init__(self, lock):
                self.lock, self.release = lock, lock.release

            def acquire(self, blocking=True):
                taken = self.lock.acquire(blocking)
                if blocking:
                    raise KeyboardInterrupt
                return taken

        calls, lock = [], helper._done
        for _ in range(3):
            helper._done = Taken(lock)
            found = []
            one = threading.Thread(target=lambda: found.append(helper.make(lambda: calls.append(1), list)), daemon=True)
            one.start()
            one.join(10)
            self.assertIsInstance(found[0] if found else None, KeyboardInterrupt)
            helper._done = lock
            self.assertIsNone(helper.make(lambda: calls.append(2), list))
        self.assertEqual(calls, [1, 2] * 3)

    def test_other_threads_run_meanwhile(self):
        """The interpreter's lock is given up: another thread of Python counts while a run lasts."""
        counted, done = [0], threading.Event()

        def count():
            while not done.is_set():
                counted[0] += 1
                time.sleep(0.001)

        other = threading.Thread(target=count)
        other.start()
        try:
            frames = np.random.default_rng(0).normal(size=(400, 60, 3)).astype(np.float32)
            before, begin = counted[0], time.monotonic()
            quern.distances(frames, measure="drmsd")
            seconds = time.monotonic() - begin
        finally:
            done.set()
            other.join()
        self.assertGreater(counted[0] - before, 50 * min(seconds, 1))


class Handles(Case):
    """What the package opens in the library it gives back, once, however its use ends."""

    PAIRS = {"qn_device_open": "device", "qn_tune_file_device": "device", "qn_device_release": "device",
             "qn_context_create": "context", "qn_context_destroy": "context", "qn_collective_create": "collective",
             "qn_collective_destroy": "collective", "qn_space_create": "space", "qn_space_destroy": "space",
             "qn_tuner_create": "tuner", "qn_tuner_destroy": "tuner", "qn_tune_store_open": "store",
             "qn_tune_store_close": "store"}  # fmt: skip

    def setUp(self):
        super().setUp()
        quern.current_context()  # which the package keeps
        self.opened, self.held = dict.fromkeys(self.PAIRS.values(), 0), {}
        for name, kind in self.PAIRS.items():
            watched = mock.patch.object(lib, name, self.watched(getattr(lib, name), name, kind), create=True)
            watched.start()
            self.addCleanup(watched.stop)

    def watched(self, function, name, kind):
        """A function of the library that notes the object that its last argument points to."""
        ends = name.endswith(("release", "destroy", "close"))

        def call(*arguments):
            place = arguments[-1]._obj
            if ends and place:
                self.assertEqual(self.held.pop(ctypes.cast(place, ctypes.c_void_p).value, None), kind, name)
            status = function(*arguments)
            if not ends and place:
                self.held[ctypes.cast(place, ctypes.c_void_p).value] = kind
                self.opened[kind] += 1
            return status

        return call

    def check_all_is_given_back(self, **opened):
        gc.collect()
        self.assertEqual(self.held, {})
        self.assertEqual({kind: count for kind, count in self.opened.items() if count}, opened)

    def test_devices(self):
        with quern.Context(threads=1) as context:
            with quern.Device("host", context) as device:
                self.assertIn("device", self.held.values())
            device.close()
            quern.Device("host", context).close()
            quern.Device("host", context)
            self.message(quern.NoDevice, quern.Device, "cuda:99", context)
            with self.assertRaises(KeyError), quern.Device("host", context):
                raise KeyError("mine")
        self.check_all_is_given_back(context=1, device=4)

    def test_collectives(self):
        with quern.Context(threads=1) as context:
            references = np.random.default_rng(0).normal(size=(3, 6, 3))
            path = quern.Collective(references, device=quern.Device("host", context))
            self.assertEqual(len(path.evaluate(references[0])["rmsd"]), 3)
            self.message(quern.InvalidArgument, quern.Collective, references[:, :2], device=quern.Device("host", context))
            del path
        self.check_all_is_given_back(context=1, device=2, collective=1)

    def test_tuning(self):
        with quern.Context(threads=1) as context:
            tune = {"device": "host", "tests": 2, "most_repeats": 1, "context": context}
            quern.tune.workload("benchmark/transpose", [32, 16], store=self.folder / "store", **tune)
            self.message(quern.Error, quern.tune.workload, "benchmark/transpose", [2**31 - 1] * 2, **tune)
            self.message(quern.Error, quern.tune.workload, "benchmark/transpose", [32, 16], store=__file__, **tune)
            tuner = quern.tune.Tuner({"x": [1, 2, 4]}, tests=2)
            for point in tuner:
                tuner.tell(point, 1.0)
            del tuner
        self.check_all_is_given_back(context=1, device=3, space=1, tuner=1, store=1)

    def test_tuning_of_a_source(self):
        if not has_opencl():
            self.skipTest("no OpenCL device")
        source = "__kernel void one(__global float *x) { x[get_global_id(0)] = T; }"
        with quern.Context(threads=1) as context:
            found = quern.tune.kernel(source, "one", [np.zeros(4, "f4")], {"T": [1, 2]}, group=4, groups=1, device="opencl:0",
                                      answer=[np.ones(4, "f4")], most_repeats=1, worker=False, context=context)  # fmt: skip
        self.assertEqual(sorted(one["outcome"] for one in found.tests), ["correct", "wrong"])
        self.check_all_is_given_back(context=1, device=1)


class Inputs(Case):
    """Wrong and odd inputs: a clear exception, nothing lost."""

    def test_arrays(self):
        good = np.random.default_rng(0).normal(size=(4, 5, 3)).astype(np.float32)
        expected = quern.distances(good, measure="rmsd").distances
        reads = good.copy()
        reads.flags.writeable = False
        wide = np.zeros((4, 10, 6), np.float32)
        wide[:, ::2, 1::2] = good
        for odd in (reads, wide[:, ::2, 1::2], np.asfortranarray(good), good.astype(">f4"), good.astype(np.float64),
                    good.tolist(), memoryview(good)):  # fmt: skip
            np.testing.assert_array_equal(quern.distances(odd, measure="rmsd").distances, expected)
        for bad in (good[:, :, :2], good[:0], good[:, :0], good[0, 0], good.astype(complex), np.full(good.shape, "a"),
                    np.full(good.shape, None), [[1, 2], [3]], 5):  # fmt: skip
            self.message((TypeError, ValueError), quern.distances, bad, measure="rmsd")
        for number in (np.nan, np.inf):
            broken = good.copy()
            broken[2, 1, 0] = number
            self.assertIn("frame 2", self.message(quern.InvalidArgument, quern.distances, broken, measure="rmsd"))
        np.testing.assert_array_equal(quern.distances(good, measure="rmsd").distances, expected)

    def test_volumes(self):
        good = np.random.default_rng(0).normal(size=(2, 12, 12, 12)).astype(np.float32)
        expected = quern.fsc(good[0], good[1]).curve
        for odd in (good[:, :, :, ::-1][:, :, :, ::-1], np.asfortranarray(good), good.astype(np.float64)):
            np.testing.assert_array_equal(quern.fsc(odd[0], odd[1]).curve, expected)
        self.message(quern.InvalidArgument, quern.fsc, good[0], good[1, :10])
        self.message(quern.Error, quern.fsc, good[0] * np.nan, good[1])
        self.message(ValueError, quern.fsc, good[0, 0], good[1])
        self.message(TypeError, quern.fsc, good[0].astype(complex), good[1])

    def test_hosts_arrays_of_other_packages(self):
        """Arrays that export themselves by DLPack only."""
        good = np.random.default_rng(0).normal(size=(4, 5, 3)).astype(np.float32)

        class Exporter:
            def __init__(self, array):
                self._array = array

            def __dlpack__(self, **named):
                return self._array.__dlpack__(**named)

            def __dlpack_device__(self):
                return self._array.__dlpack_device__()

        found = quern.distances(Exporter(good), measure="rmsd").distances
        np.testing.assert_array_equal(found, quern.distances(good, measure="rmsd").distances)

        class OnDevice(Exporter):
            def __dlpack__(self, **named):
                raise BufferError("no")

            def __dlpack_device__(self):
                return (2, 0)

        self.assertIn("GPU", self.message(TypeError, quern.distances, OnDevice(good), measure="rmsd"))

    def test_streams_that_raise_in_the_middle(self):
        """Hits of the molecules before come first, then the exception."""
        records = (EXAMPLES / "1iep/kinase_inhibitors.sdf").read_text().split("$$$$\n")[:3]

        def molecules():
            yield from records
            raise KeyError("mine")

        stream = quern.screen_stream(EXAMPLES / "1iep/1iep_receptor.pdb", molecules(), batch=2, walkers=4, effort=0.02,
                                     site=str(EXAMPLES / "1iep/1iep_ligand.sdf"))  # fmt: skip
        hits = []
        with self.assertRaises(KeyError):
            for hit in stream:
                hits.append(hit)
        self.assertEqual([hit.index for hit in hits], [0, 1, 2])
        names = [record.split("\n")[0] for record in records]
        self.assertEqual([hit.name for hit in hits], names)
        self.assertTrue(all(np.isfinite(hit.energy) and len(hit.poses) for hit in hits))
        library = "".join(record + "$$$$\n" for record in records).encode()
        whole = quern.screen(EXAMPLES / "1iep/1iep_receptor.pdb", [library], walkers=4, effort=0.02,
                             site=str(EXAMPLES / "1iep/1iep_ligand.sdf"))  # fmt: skip
        self.assertEqual({hit.name for hit in hits}, set(whole.molecules["name"].tolist()))
        self.message(TypeError, next, quern.screen_stream(EXAMPLES / "1iep/1iep_receptor.pdb", [5]))
        self.message(ValueError, next, quern.screen_stream(EXAMPLES / "1iep/1iep_receptor.pdb", [], batch=0))
        self.assertEqual(list(quern.screen_stream(EXAMPLES / "1iep/1iep_receptor.pdb", [])), [])


class Surroundings(Case):
    def python(self, text):
        return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)

    def test_import(self):
        """Importing needs NumPy alone of other packages, and little time."""
        text = ("import sys, time; import numpy; known = set(sys.modules); begin = time.process_time(); import quern; "
                "print(time.process_time() - begin); "
                "print(*sorted({one.split('.')[0] for one in set(sys.modules) - known} - set(sys.stdlib_module_names) "
                "if hasattr(sys, 'stdlib_module_names') else ['quern']))")  # fmt: skip
        seconds, names = self.python(text).stdout.split("\n")[:2]
        print(f"import quern: {1e3 * float(seconds):.0f} ms of the processor")
        self.assertEqual(names, "quern")
        self.assertLess(float(seconds), 1)

    def test_interrupt_of_a_script(self):
        """Ctrl-C in a script that runs a program ends it with KeyboardInterrupt, soon."""
        text = ("import os, signal, threading, numpy as np, quern\n"
                "frames = np.random.default_rng(0).normal(size=(9000, 100, 3)).astype('f4')\n"
                "quern.distances(frames[:2])\n"
                "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
                "try:\n    quern.distances(frames, measure='drmsd', threads=1)\n"
                "except KeyboardInterrupt:\n    print('interrupted')\n"
                "print(quern.distances(frames[:2]).count)\n")  # fmt: skip
        begin = time.monotonic()
        made = self.python(text)
        self.assertEqual(made.stdout.split(), ["interrupted", "2"], made.stderr)
        self.assertLess(time.monotonic() - begin, 20)

    def test_another_signal_that_raises(self):
        """A handler that raises, such as that of a time limit, stops the run; the next call is right."""
        text = ("import signal, numpy as np, quern\n"
                "def late(number, frame):\n    raise TimeoutError('late')\n"
                "signal.signal(signal.SIGALRM, late)\n"
                "frames = np.random.default_rng(0).normal(size=(9000, 100, 3)).astype('f4')\n"
                "signal.setitimer(signal.ITIMER_REAL, 0.3)\n"
                "try:\n    quern.distances(frames, measure='drmsd', threads=1)\n"
                "except TimeoutError:\n    print('late')\n"
                "print(quern.distances(frames[:2]).count)\n")  # fmt: skip
        made = self.python(text)
        self.assertEqual(made.stdout.split(), ["late", "2"], made.stderr)

    def test_threads_that_are_no_main_thread(self):
        found = []
        thread = threading.Thread(target=lambda: found.append(quern.distances(np.eye(9).reshape(3, 9, 3)[:, :3]).count))
        thread.start()
        thread.join()
        self.assertEqual(found, [3])

    def test_a_bar_appears_in_a_notebook(self):
        """The shell of a notebook is imitated: a run without `progress` then shows a bar of HTML."""
        text = ("import sys, types\n"
                "shown = []\n"
                "class HTML(str):\n    pass\n"
                "class Handle:\n    def update(self, one): shown.append(one)\n"
                "def display(one, display_id=None):\n    shown.append(one)\n    return Handle()\n"
                "class ZMQInteractiveShell:\n    pass\n"
                "made = types.ModuleType('IPython'); made.get_ipython = ZMQInteractiveShell\n"
                "made.display = types.ModuleType('IPython.display')\n"
                "made.display.HTML, made.display.display = HTML, display\n"
                "sys.modules['IPython'], sys.modules['IPython.display'] = made, made.display\n"
                "import numpy as np, quern\n"
                "quern.distances(np.random.default_rng(0).normal(size=(300, 30, 3)))\n"
                "print(len(shown) > 0, any('<progress' in one for one in shown))\n"
                "shown.clear(); quern.distances(np.random.default_rng(0).normal(size=(300, 30, 3)), progress=False)\n"
                "print(len(shown))\n")  # fmt: skip
        made = self.python(text)
        self.assertEqual(made.stdout.split(), ["True", "True", "0"], made.stderr)

    def test_fork(self):
        """A child process of fork, as multiprocessing makes them, can call programs."""
        quern.distances(np.random.default_rng(0).normal(size=(3, 4, 3)))
        child = os.fork()
        if child == 0:
            try:
                with quern.Context(threads=1) as context:
                    good = quern.distances(np.random.default_rng(0).normal(size=(3, 4, 3)), context=context).count == 3
            except BaseException:
                good = False
            os._exit(0 if good else 1)
        end = time.monotonic() + 20
        while True:
            found, status = os.waitpid(child, os.WNOHANG)
            if found:
                break
            if time.monotonic() > end:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                self.fail("the child hangs")
            time.sleep(0.01)
        self.assertEqual(status, 0)

    def test_warnings_are_messages(self):
        volume = np.random.default_rng(0).normal(size=(12, 12, 12)).astype(np.float32)
        with self.assertLogs("quern", logging.WARNING) as caught:
            quern.fsc(volume, volume, pixel_angstrom=1)
        self.assertIn("the maps are the same", caught.output[0])


if __name__ == "__main__":
    unittest.main()
