"""A longer check, run by hand: 1e5 frames are clustered without being copied. Prints the peak of resident memory.

    PYTHONPATH=build/dev/python python3 python/tests/check_large.py [FRAMES [ATOMS]]
"""

import resource
import sys
import time

import numpy as np
import quern


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main(frame_count=100_000, atom_count=100):
    generator = np.random.default_rng(0)
    centres = generator.normal(size=(50, atom_count, 3)).astype(np.float32) * 10
    frames = np.empty((frame_count, atom_count, 3), np.float32)
    for place in range(frame_count):
        frames[place] = centres[place % 50] + generator.normal(size=(atom_count, 3), scale=0.3)
    before, begin, used = peak(), time.monotonic(), time.process_time()
    found = quern.cluster(frames, method="kmedoids", clusters=50, measure="rmsd", matrix="none", start="sample")
    grown = peak() - before
    print(f"{frame_count} frames of {atom_count} atoms, {frames.nbytes / 2**20:.0f} MiB of coordinates in Å")
    print(f"peak of resident memory: {before / 2**20:.0f} MiB before the call, {grown / 2**20:.0f} MiB more by it")
    print(f"{time.monotonic() - begin:.1f} s, {time.process_time() - used:.1f} s of the processors")
    for label in range(50):
        assert len(set(found.labels[label::50].tolist())) == 1, label
    assert found.cluster_count == 50


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
