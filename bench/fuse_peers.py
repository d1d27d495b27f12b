#!/usr/bin/env python3
"""Sequences of examples/fuse with numpy, torch.compile and jax.jit, those that are installed.

    bench/fuse_peers.py SEQUENCE [--size N] [--repeat COUNT] [--device cpu|cuda] [--only NAME]

A line for each: its name, the median seconds of a run and the least; or why it did not run. bench/fuse calls it in turns with
quern fuse. numpy uses its BLAS (numpy.show_config() names it) with OMP_NUM_THREADS threads.
"""
import argparse
import statistics
import sys
import time


def outer(u, v):
    return u[:, None] * v[None, :]


def gemver(A, u1, v1, u2, v2, y, z):
    B = A + outer(u1, v1) + outer(u2, v2)
    x = 3.0 * (B.T @ y) + z
    return B, x, 2.0 * (B @ x)


def gemvt(A, y, z):
    x = 3.0 * (A.T @ y) + z
    return x, 2.0 * (A @ x)


def axpydot(w, v, u):
    z = w - 2.0 * v
    return z, (z * u).sum() if not hasattr(z, "dot") else z.dot(u)


def jacobi(A, b, d, x):
    g = b - A @ x
    return x + g / d, (g * g).sum()


def power(A, x):
    y = A @ x
    norm = (y * y).sum() ** 0.5
    return y / norm, norm


# name: ranks of the arrays, the function, and how often a loop runs it
SEQUENCES = {
    "axpydot": ("111", axpydot, 1),
    "vadd": ("111", lambda w, y, z: w + y + z, 1),
    "waxpby": ("11", lambda x, y: 2.0 * x + 3.0 * y, 1),
    "bicgk": ("211", lambda A, p, r: (A @ p, A.T @ r), 1),
    "mvt": ("21111", lambda A, x1, x2, y1, y2: (x1 + A @ y1, x2 + A.T @ y2), 1),
    "atax": ("21", lambda A, x: A.T @ (A @ x), 1),
    "gesummv": ("221", lambda A, B, x: 2.0 * (A @ x) + 3.0 * (B @ x), 1),
    "madd": ("22", lambda A, B: A + B, 1),
    "gemver": ("2111111", gemver, 1),
    "gemvt": ("211", gemvt, 1),
    "jacobi": ("2111", jacobi, 100),
    "power": ("21", power, 100),
}
REPLACED = {"jacobi": 3, "power": 1}  # the array that a loop replaces by the function's first result


def shapes(name, n):
    return [(n, n) if rank == "2" else (n,) for rank in SEQUENCES[name][0]]


def with_numpy(name, n, device):
    import numpy
    if device != "cpu":
        raise ImportError("it has no GPU")
    arrays = [numpy.random.rand(*shape).astype("f4") for shape in shapes(name, n)]
    return SEQUENCES[name][1], arrays, lambda result: None


def with_torch(name, n, device):
    import torch
    arrays = [torch.rand(*shape, device=device) for shape in shapes(name, n)]
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    return torch.compile(SEQUENCES[name][1]), arrays, lambda result: wait()


def with_jax(name, n, device):
    import jax
    where = jax.devices("gpu" if device == "cuda" else "cpu")[0]
    keys = jax.random.split(jax.random.PRNGKey(1), len(shapes(name, n)))
    arrays = [jax.device_put(jax.random.uniform(key, shape), where) for key, shape in zip(keys, shapes(name, n))]
    return jax.jit(SEQUENCES[name][1]), arrays, jax.block_until_ready


PEERS = {"numpy": with_numpy, "torch.compile": with_torch, "jax.jit": with_jax}


def measure(name, n, repeat, made):
    function, arrays, wait = made
    seconds = []
    for _ in range(repeat + 2):  # the first ones compile
        own = list(arrays)
        start = time.perf_counter()
        for _ in range(SEQUENCES[name][2]):
            result = function(*own)
            if name in REPLACED:
                own[REPLACED[name]] = result[0]
        wait(result)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds[2:]), min(seconds[2:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sequence", choices=SEQUENCES)
    parser.add_argument("--size", type=int, default=8192)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--only", choices=PEERS)
    options = parser.parse_args()
    for name, make in PEERS.items():
        if options.only and name != options.only:
            continue
        try:
            median, least = measure(options.sequence, options.size, options.repeat,
                                    make(options.sequence, options.size, options.device))
            print(f"{name}\t{median:.6g}\t{least:.6g}", flush=True)
        except ImportError as error:
            print(f"{name} did not run: {error}", file=sys.stderr)
        except Exception as error:  # of a library that cannot use this machine
            print(f"{name} did not run: {str(error).splitlines()[0] if str(error) else type(error)}", file=sys.stderr)


main()
