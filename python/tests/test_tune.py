"""The tuner: spaces against enumeration, ask and tell, kernels with arrays, Kernel Tuner's arguments."""

import itertools
import json
import unittest

import numpy as np
import quern
from quern.tune.kernels import outputs_of
from support import Case

SOURCE = """
/* twice( is not the kernel */
__kernel void twice(__global float *out, __global const float *in, const int count)
{
    int first = get_group_id(0) * block_size_x * TILE + get_local_id(0);
    for (int i = 0; i < TILE; i++) {
        int place = first + i * block_size_x;
        if (place < count) out[place] = FACTOR * in[place];
    }
}
"""
TUNE = {"block_size_x": [32, 64], "TILE": [1, 2], "FACTOR": [2]}


def usable(identifier):
    return any(one["usable"] and one["identifier"] == identifier for one in quern.devices())


class Spaces(Case):
    def test_against_enumeration(self):
        parameters = {"x": [1, 2, 4, 8], "y": [16, 32], "z": ["a", "b"], "f": [False, True]}
        space = quern.tune.Space(parameters, ["x * y <= 128", "z == 'a' or x > 2"])
        expected = [dict(zip(parameters, one)) for one in itertools.product(*parameters.values())
                    if one[0] * one[1] <= 128 and (one[2] == "a" or one[0] > 2)]  # fmt: skip
        self.assertEqual(len(space), len(expected))
        key = str
        self.assertEqual(sorted((space[i] for i in range(len(space))), key=key), sorted(expected, key=key))
        self.assertEqual(space.raw_size, 32)
        self.assertIn(expected[0], space)
        self.assertNotIn({"x": 8, "y": 32, "z": "a", "f": True}, space)
        self.assertEqual([space.find(space[i]) for i in range(len(space))], list(range(len(space))))

    def test_refusals(self):
        self.assertIn("has no values", self.message(ValueError, quern.tune.Space, {"x": []}))
        self.assertIn("expected a number", self.message(TypeError, quern.tune.Space, {"x": [[1]]}))
        self.message(quern.InvalidArgument, quern.tune.Space, {"x": [1]}, ["x >"])
        self.message(quern.InvalidArgument, quern.tune.Space, {"x": [1]}, ["x > 1"])
        self.assertIn("expected x", self.message(KeyError, quern.tune.Space({"x": [1]}).find, {"y": 1}))


class AskAndTell(Case):
    def test_every_searcher(self):
        for searcher in ("auto", "full", "random", "genetic"):
            tuner = quern.tune.Tuner({"x": list(range(8)), "y": list(range(8))}, ["x + y < 12"], searcher=searcher, tests=60, seed=5)
            told = {}
            for point in tuner:
                told[str(point)] = (point["x"] - 5) ** 2 + (point["y"] - 2) ** 2
                tuner.tell(point, told[str(point)])
            self.assertEqual(tuner.best_objective, min(told.values()))
            self.assertEqual(told[str(tuner.best)], tuner.best_objective)
            self.assertTrue(tuner.finished)

    def test_failures(self):
        with quern.tune.Tuner({"x": [1, 2, 3]}, searcher="full") as tuner:
            self.assertIsNone(tuner.best)
            for point in tuner:
                tuner.tell(point, None if point["x"] == 1 else point["x"])
            self.assertEqual(tuner.best, {"x": 2})
            self.assertEqual(tuner.tests, 3)
            self.assertIn("expected one of", self.message(ValueError, tuner.tell, {"x": 1}, 1, outcome="odd"))
            self.message(KeyError, tuner.tell, {"x": 9}, 1)
        self.assertIn("closed", self.message(ValueError, tuner.ask))
        self.message(quern.NotFound, quern.tune.Tuner, {"x": [1]}, searcher="odd")


class Kernels(Case):
    def setUp(self):
        super().setUp()
        if not usable("opencl:0"):
            self.skipTest("no OpenCL device")
        self.given = np.random.default_rng(0).random(20000).astype(np.float32)
        self.arguments = [np.zeros_like(self.given), self.given, np.int32(self.given.size)]
        self.answer = [2 * self.given, None, None]

    def test_kernel(self):
        seen = []
        groups = f"({self.given.size} + block_size_x * TILE - 1) // (block_size_x * TILE)"
        found = quern.tune.kernel(SOURCE, "twice", self.arguments, TUNE, ["block_size_x * TILE <= 64"], groups=groups,
                                  answer=self.answer, device="opencl:0", most_repeats=3, progress=seen.append)  # fmt: skip
        points = {str(one["configuration"]) for one in found.tests}
        expected = [{"block_size_x": x, "TILE": t, "FACTOR": 2} for x, t in ((32, 1), (32, 2), (64, 1))]
        self.assertEqual(points, {str(one) for one in expected})
        self.assertEqual({one["outcome"] for one in found.tests}, {"correct"})
        self.assertIn(found.best, expected)
        self.assertGreater(found.seconds, 0)
        self.assertEqual(len(seen), len(found.tests))

    def test_wrong_results_are_found(self):
        """TILE 2 writes half of the elements where the groups are half as many."""
        tune = {**TUNE, "block_size_x": [32], "TILE": [1, 2], "FACTOR": [2, 3]}
        groups = f"({self.given.size} + block_size_x - 1) // block_size_x"
        found = quern.tune.kernel(SOURCE, "twice", self.arguments, tune, groups=groups, answer=self.answer,
                                  device="opencl:0", most_repeats=3, worker=False)  # fmt: skip
        self.assertEqual({one["outcome"] for one in found.tests if one["configuration"]["FACTOR"] == 3}, {"wrong"})
        self.assertEqual({one["outcome"] for one in found.tests if one["configuration"]["FACTOR"] == 2}, {"correct"})

    def test_tune_kernel(self):
        cache = self.folder / "cache.json"
        results, environment = quern.tune.tune_kernel(
            "twice", SOURCE, self.given.size, self.arguments, TUNE, grid_div_x=["block_size_x", "TILE"], answer=self.answer,
            restrictions=["block_size_x * TILE < 128"], device="opencl:0", iterations=3, cache=str(cache),
        )  # fmt: skip
        self.assertEqual(len(results), 3)
        self.assertTrue(all(isinstance(one["time"], float) and one["FACTOR"] == 2 for one in results))
        self.assertTrue(environment["device_name"])
        self.assertEqual(len(json.loads(cache.read_text())["cache"]), 3)

    def test_refusals(self):
        tune = quern.tune.tune_kernel
        usual = ("twice", SOURCE, 10, self.arguments, TUNE)
        for name in ("verify", "observers", "smem_args"):
            self.assertIn(name, self.message(NotImplementedError, tune, *usual, **{name: {"a": 1}}))
        self.assertIn("metrics", self.message(NotImplementedError, tune, *usual, metrics={"a": 1}))
        self.assertIn("only texts", self.message(NotImplementedError, tune, *usual, restrictions=lambda p: True))
        self.assertIn("strategy", self.message(NotImplementedError, tune, *usual, strategy="odd"))
        kernel = quern.tune.kernel
        self.assertIn("has 3 parameters", self.message(ValueError, kernel, SOURCE, "twice", [self.given], TUNE))
        self.assertIn("no kernel once", self.message(ValueError, kernel, SOURCE, "once", self.arguments, TUNE))
        self.assertIn("group is not known", self.message(ValueError, kernel, SOURCE, "twice", self.arguments, {"TILE": [1]}))
        self.assertIn("no kernel f", self.message(ValueError, kernel, "void f(int a) {\n}", "f", [1], TUNE))
        odd = [np.zeros(3, complex), self.given, 3]
        self.assertIn("complex", self.message(TypeError, kernel, SOURCE, "twice", odd, TUNE))

    def test_outputs_of_a_signature(self):
        self.assertEqual(outputs_of(SOURCE, "twice"), [True, False, False])
        cuda = 'extern "C" __global__ void k(const float *__restrict__ a, float *b, int n) {}'
        self.assertEqual(outputs_of(cuda, "k"), [False, True, False])


# Scripts for Kernel Tuner's tune_kernel, written from its documentation.
VECTOR_ADD = """
import numpy
import kernel_tuner

source = '''
__kernel void vector_add(__global float *sum, __global const float *left, __global const float *right, int length)
{
    int place = get_group_id(0) * block_size_x + get_local_id(0);
    if (place < length) sum[place] = left[place] + right[place];
}
'''
length = 20000
left, right = numpy.random.randn(length).astype(numpy.float32), numpy.random.randn(length).astype(numpy.float32)
total = numpy.zeros_like(left)
parameters = dict()
parameters["block_size_x"] = [1, 16, 64, 256, 1024]
results, environment = kernel_tuner.tune_kernel(
    "vector_add", source, length, [total, left, right, numpy.int32(length)], parameters,
    lang="OpenCL", answer=[left + right, None, None, None], iterations=5)
"""

CONVOLUTION = """
import numpy
import kernel_tuner

source = '''
__kernel void convolve(__global float *out, __global const float *in, __global const float *weights)
{
    int x0 = (get_group_id(0) * block_size_x + get_local_id(0)) * tile_size_x;
    int y0 = (get_group_id(1) * block_size_y + get_local_id(1)) * tile_size_y;
    float sum[tile_size_y][tile_size_x];
    for (int b = 0; b < tile_size_y; b++)
        for (int a = 0; a < tile_size_x; a++) sum[b][a] = 0.0f;
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++)
            for (int b = 0; b < tile_size_y; b++)
                for (int a = 0; a < tile_size_x; a++)
                    if (x0 + a < WIDTH && y0 + b < HEIGHT)
                        sum[b][a] += weights[j * SIDE + i] * in[(y0 + b + j) * (WIDTH + SIDE - 1) + x0 + a + i];
    for (int b = 0; b < tile_size_y; b++)
        for (int a = 0; a < tile_size_x; a++)
            if (x0 + a < WIDTH && y0 + b < HEIGHT) out[(y0 + b) * WIDTH + x0 + a] = sum[b][a];
}
'''
width, height, side = 128, 96, 5
generator = numpy.random.default_rng(2)
image = generator.random((height + side - 1, width + side - 1)).astype(numpy.float32)
weights = generator.random((side, side)).astype(numpy.float32)
expected = sum(weights[j, i] * image[j : j + height, i : i + width] for j in range(side) for i in range(side))
parameters = dict(block_size_x=[1, 8, 32], block_size_y=[1, 4], tile_size_x=[1, 4, 8], tile_size_y=[1, 2],
                  WIDTH=[width], HEIGHT=[height], SIDE=[side])
results, environment = kernel_tuner.tune_kernel(
    "convolve", source, (width, height), [numpy.zeros((height, width), numpy.float32), image, weights], parameters,
    grid_div_x=["block_size_x", "tile_size_x"], grid_div_y=["block_size_y", "tile_size_y"],
    restrictions=["block_size_x * block_size_y >= 8"], answer=[expected, None, None], atol=1e-4, iterations=3,
    metrics=dict(rate=lambda p: width * height * side**2 * 2 / p["time"] / 1e6), strategy=STRATEGY,
    strategy_options=OPTIONS)
"""


class Scripts(Case):
    """Scripts for another tuner run with the import changed."""

    needed = "opencl:0"

    def setUp(self):
        super().setUp()
        if not usable(self.needed):
            self.skipTest(f"no usable device {self.needed}")

    def run_script(self, text, **names):
        names["__name__"] = "script"
        exec(compile(text.replace("import kernel_tuner", "import quern.tune as kernel_tuner"), "script", "exec"), names)
        return names["results"]

    def test_vector_add(self):
        results = self.run_script(VECTOR_ADD)
        self.assertEqual(sorted(one["block_size_x"] for one in results), [1, 16, 64, 256, 1024])
        times = {one["block_size_x"]: one["time"] for one in results}
        if times[1024] == "InvalidConfig":  # some OpenCL drivers give a kernel at most 256 work items in a group
            del times[1024]
        self.assertTrue(all(isinstance(one, float) and one > 0 for one in times.values()), times)
        self.assertNotEqual(min(times, key=times.get), 1)  # a group for each element is far slower

    def test_convolution(self):
        """A search of half of the space tests half of the configurations, each once. Its best time is printed beside that
        of all and not compared: with other work on the machine, times of one configuration differ more than those of
        good configurations."""
        names = ("block_size_x", "block_size_y", "tile_size_x", "tile_size_y")
        every = self.run_script(CONVOLUTION, STRATEGY="brute_force", OPTIONS={})
        times = {tuple(one[name] for name in names): one["time"] for one in every}
        self.assertEqual((len(every), len(times)), (24, 24))
        self.assertTrue(all(abs(one["rate"] * one["time"] / (128 * 96 * 50 / 1e6) - 1) < 1e-9 for one in every))
        some = self.run_script(CONVOLUTION, STRATEGY="random_sample", OPTIONS={"max_fevals": 12})
        tested = {tuple(one[name] for name in names): one["time"] for one in some}
        self.assertEqual((len(some), len(tested)), (12, 12))
        self.assertLessEqual(set(tested), set(times))
        print("the best of all took", min(times.values()), "ms, that of the search", min(tested.values()), "ms")


class CudaScripts(Scripts):
    """The same scripts, their kernels in CUDA C, on the first CUDA device."""

    needed = "cuda:0"
    WORDS = {
        "__kernel void": 'extern "C" __global__ void', "__global ": "", 'lang="OpenCL"': 'lang="CUDA"',
        "get_group_id(0)": "blockIdx.x", "get_group_id(1)": "blockIdx.y",
        "get_local_id(0)": "threadIdx.x", "get_local_id(1)": "threadIdx.y",
    }  # fmt: skip

    def run_script(self, text, **names):
        for opencl, cuda in self.WORDS.items():
            text = text.replace(opencl, cuda)
        return super().run_script(text, **names)


class Workloads(Case):
    def test_workload(self):
        self.assertIn("benchmark/gemm", quern.tune.workloads())
        seen = []
        found = quern.tune.workload("benchmark/transpose", [64, 48], device="host", tests=3,
                                    most_repeats=2, progress=seen.append)  # fmt: skip
        self.assertEqual(len(found.tests), 3)
        self.assertEqual(len(seen), 3)
        self.assertIn(found.best, [one["configuration"] for one in found.tests])
        self.assertEqual({one["outcome"] for one in found.tests}, {"correct"})
        self.message(quern.NotFound, quern.tune.workload, "benchmark/nothing")
        self.message(quern.Error, quern.tune.workload, "benchmark/transpose", [2**31 - 1] * 2, device="host")
        self.assertIn("has", self.message(ValueError, quern.tune.workload, "benchmark/transpose", {"odd": 3}))
        self.assertIn("has", self.message(ValueError, quern.tune.workload, "benchmark/transpose", [1] * 6))


if __name__ == "__main__":
    unittest.main()
