"""`tune_kernel` with the arguments of Kernel Tuner, so that a script of theirs runs with another import."""

import tempfile
from pathlib import Path

import numpy as np

from .kernels import Kernel, run_file
from .space import searchers

# Their names of strategies, and the searcher here that follows the same idea.
STRATEGIES = {
    "brute_force": "full", "random_sample": "random", "genetic_algorithm": "genetic", "simulated_annealing": "anneal",
    "bayes_opt": "bayes", "basinhopping": "basin", "dual_annealing": "dual", "pso": "swarm", "diff_evo": "evolution",
    "mls": "climb", "greedy_mls": "climb", "ordered_greedy_mls": "climb", "greedy_ils": "climb",
}  # fmt: skip

_REFUSED = ("verify", "smem_args", "cmem_args", "texmem_args", "compiler", "defines", "simulation_mode",
            "observers", "objective", "objective_higher_is_better", "parallel_workers")  # fmt: skip
_USUAL = {"objective": ("time",), "simulation_mode": (False,), "objective_higher_is_better": (False,)}
# Kernel Tuner reports why a configuration failed in place of its time.
_FAILED = {"build": "CompilationFailedConfig", "limits": "InvalidConfig"}


def _words(value, name):
    """A divisor of the grid or the restrictions as texts."""
    if value is None:
        return None
    values = [value] if isinstance(value, str) or callable(value) else list(value)
    for one in values:
        if not isinstance(one, (str, int, np.integer)):
            raise NotImplementedError(f"{name} has {one!r}; only texts of expressions are supported")
    return [str(one) for one in values]


def _searcher(strategy, strategy_options):
    settings = {}
    if strategy not in STRATEGIES and strategy not in searchers and strategy is not None:
        known = ", ".join([*STRATEGIES, *searchers])
        raise NotImplementedError(f"the strategy {strategy!r} is not supported; expected one of {known}")
    settings["searcher"] = STRATEGIES.get(strategy, strategy) or "full"
    names = {"max_fevals": "tests", "time_limit": "seconds", "fraction": "fraction"}
    for name, value in (strategy_options or {}).items():
        if name not in names:
            raise NotImplementedError(f"the strategy option {name!r} is not supported; expected one of {', '.join(names)}")
        settings[names[name]] = value
    return settings


def _device(language, device, platform):
    if isinstance(device, str):
        return device
    if device == 0 and platform == 0:
        return "auto"
    if platform:
        raise NotImplementedError(f"platform {platform} is not supported; name a device, such as device=\"opencl:1\"")
    return f"{'cuda' if language == 'CUDA' else 'opencl'}:{device}"


def tune_kernel(kernel_name, kernel_source, problem_size, arguments, tune_params, grid_div_x=None, grid_div_y=None,
                grid_div_z=None, restrictions=None, answer=None, atol=1e-6, verify=None, verbose=False, lang=None,
                device=0, platform=0, smem_args=None, cmem_args=None, texmem_args=None, compiler=None,
                compiler_options=None, defines=None, log=None, iterations=7, block_size_names=None, quiet=False,
                strategy=None, strategy_options=None, cache=None, metrics=None, simulation_mode=False, observers=None,
                objective=None, objective_higher_is_better=None, parallel_workers=None, **quern_settings):  # fmt: skip
    """Tune a kernel; returns (results, environment) as Kernel Tuner does: a dictionary for each configuration with its
    parameters and its `time` in milliseconds, or the name of a failure.

    `metrics` are functions of such a dictionary, {name: function}. What is not supported is refused by name: functions
    as restrictions, `verify`, memory of other kinds, metrics that are texts, observers, other objectives. `device` may also be a text, such as "opencl:0". Further arguments are settings of
    quern.tune.run_file.
    """
    given = locals()
    for name in _REFUSED:
        if given[name] is not None and given[name] not in _USUAL.get(name, ()):
            raise NotImplementedError(f"{name} is not supported by quern.tune.tune_kernel")
    for key, function in (metrics or {}).items():
        if not callable(function):
            raise NotImplementedError(f"metrics[{key!r}] is {function!r}; only functions are supported")
    languages = {None: None, "CUDA": "CUDA", "CUPY": "CUDA", "NVCUDA": "CUDA", "OPENCL": "OpenCL"}
    if (lang.upper() if isinstance(lang, str) else lang) not in languages:
        raise NotImplementedError(f"the language {lang!r} is not supported; expected CUDA or OpenCL")
    if callable(kernel_source) or isinstance(kernel_source, (list, tuple)):
        raise NotImplementedError("kernel_source is no text and no path, which is not supported")
    if callable(problem_size) or isinstance(problem_size, str):
        raise NotImplementedError("problem_size is no number and no tuple of numbers, which is not supported")
    names = list(block_size_names or []) + ["block_size_x", "block_size_y", "block_size_z"][len(block_size_names or []):]
    group = [name if name in tune_params else 1 for name in names]
    if group == [1, 1, 1]:
        group = [256, 1, 1]
    divisors = [_words(one, name) for one, name in ((grid_div_x, "grid_div_x"), (grid_div_y, "grid_div_y"), (grid_div_z, "grid_div_z"))]
    divisors = [one if one is not None or name not in tune_params else [name] for one, name in zip(divisors, names)]
    divisors = [one or None for one in divisors]
    source = Path(kernel_source) if "\n" not in str(kernel_source) and Path(kernel_source).is_file() else kernel_source
    with tempfile.TemporaryDirectory(prefix="quern-tune-") as folder:
        made = Kernel(folder, source, kernel_name, arguments, tune_params, _words(restrictions, "restrictions") or (),
                      group=group, problem_size=problem_size, divisors=divisors, answer=answer,
                      atol=atol if answer is not None else None, options=compiler_options or (),
                      language=languages[lang.upper() if isinstance(lang, str) else lang])  # fmt: skip
        language = made.description["KernelSpecification"]["Language"]
        found = run_file(made.path, _device(language, device, platform), most_repeats=max(int(iterations), 1),
                         store=Path(folder) / "store.db" if cache else None, export=cache,
                         **{**_searcher(strategy, strategy_options), **quern_settings})  # fmt: skip
    results = [{**one["configuration"], "time": one["seconds"] * 1e3 if one["outcome"] == "correct"
                else _FAILED.get(one["outcome"], "RuntimeFailedConfig")} for one in found.tests]  # fmt: skip
    for one in results:
        if isinstance(one["time"], float):
            for key, function in (metrics or {}).items():
                one[key] = function(one)
    return results, {"device_name": found.device["name"], "iterations": iterations, "kernel_name": kernel_name}
