"""Run one strategy of Kernel Tuner in simulation on a cache that quern_bench_tuning exported.

Writes the strategy's unique tests in order as CSV, failed ones included. The search space holds every recorded
configuration: Kernel Tuner's own tune_cache leaves failed ones out, which would reveal them to the strategy."""

import importlib
import math
import os
import random
import sys
import warnings

import numpy
from constraint import FunctionConstraint
from kernel_tuner import util
from kernel_tuner.interface import Options, strategy_map
from kernel_tuner.runners.simulation import SimulationRunner
from kernel_tuner.searchspace import Searchspace

warnings.filterwarnings("ignore")
folder, name, points, valid, optimum, budget, peer, repeats = sys.argv[1:]
points, valid, budget, repeats, optimum = int(points), int(valid), int(budget), int(repeats), float(optimum)
path = f"{folder}/{name}.json"
data = util.read_cache(path, open_cache=False)
cache, parameters, keys = data["cache"], data["tune_params"], data["tune_params_keys"]
number = {key: i for i, key in enumerate(cache)}
objectives = [math.inf if "__error__" in entry else 1e-3 * entry["time"] for entry in cache.values()]  # ms
recorded = {tuple(entry[key] for key in keys) for entry in cache.values()}


def is_recorded(*values):
    return values in recorded


space = Searchspace(parameters, [FunctionConstraint(is_recorded)], 10**9)
found = sum(value < math.inf for value in objectives)
assert space.size == points and found == valid, f"{name}: {space.size} points, {found} valid, expected {points}, {valid}"
assert math.isclose(min(objectives), optimum, rel_tol=1e-12), f"{name}: optimum {min(objectives)}, expected {optimum}"
module = strategy_map[peer]
module = importlib.import_module(module) if isinstance(module, str) else module

with open(f"{folder}/{name}.{peer}.csv.part", "w") as out:
    out.write("repeat,test,point,objective_s\n")
    for repeat in range(repeats):
        random.seed(1 + repeat)
        numpy.random.seed(1 + repeat)
        runner = SimulationRunner(None, Options(kernel_name=name), Options(quiet=True, verbose=False), 1, [])
        options = Options(
            cache=cache, cachefile=path, strategy_options=Options(max_fevals=budget), tune_params=parameters,
            verbose=False, objective=["time"], objective_higher_is_better=[False], metrics=None, restrictions=None,
            max_fevals=budget, time_limit=None, simulated_time=0, simulation_mode=True,
            budget=util.TuningBudget(None, min(budget, space.size)),
        )
        tests = dict.fromkeys(",".join(str(entry[key]) for key in keys) for entry in module.tune(space, runner, options))
        for test, key in enumerate(list(tests)[:budget]):
            out.write(f"{repeat},{test},{number[key]},{objectives[number[key]]!r}\n")
os.rename(f"{folder}/{name}.{peer}.csv.part", f"{folder}/{name}.{peer}.csv")
