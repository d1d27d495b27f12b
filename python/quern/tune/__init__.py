"""The tuner: `Tuner` asks and is told, `kernel` tunes a kernel of the user's own, `tune_kernel` is called as Kernel
Tuner's function of that name, `simulate` compares searchers on records."""

from .._programs import program
from .._results import Result
from .kernel_tuner import tune_kernel
from .kernels import KernelResult, kernel, run_file, workload, workloads
from .space import Space, Tuner, searchers

simulate = program("tune_simulate", Result, None, "Compare searchers on recorded spaces.", called="simulate")
__all__ = ["KernelResult", "Space", "Tuner", "kernel", "run_file", "searchers", "simulate", "tune_kernel", "workload",
           "workloads"]  # fmt: skip
