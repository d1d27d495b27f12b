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


def opencl():
    return any(one["usable"] and one["identifier"] == "opencl:0" for one in quern.devices())


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
        if not opencl():
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
        for name in ("verify", "metrics", "observers", "smem_args"):
            self.assertIn(name, self.message(NotImplementedError, tune, *usual, **{name: {"a": 1}}))
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


if __name__ == "__main__":
    unittest.main()
