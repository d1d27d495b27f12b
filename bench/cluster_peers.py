#!/usr/bin/env python3
"""Sets of models with known clusters, and the peers that bench/cluster compares quern with.

    cluster_peers.py make COUNT ATOMS SEED FOLDER [CLUSTERS]
        FOLDER/models.dcd with FOLDER/models.pdb as its topology, and FOLDER/truth.npy: the cluster of each model. Each
        cluster has a chain of its own with bonds of 3.8 Å; its members are displaced by noise of 0.3 to 1 Å for each
        coordinate, and turned and moved at random. The models of a larger COUNT begin with those of a smaller one.
    cluster_peers.py numpy-drmsd FOLDER [ROWS]
        dRMSD of all pairs with one NumPy expression for each row of the matrix; ROWS rows spread over the matrix are
        timed, and the time of all rows is their mean times the number of rows. Prints seconds and pairs/s.
    cluster_peers.py mdtraj-rmsd FOLDER
        RMSD of all pairs with mdtraj.rmsd, one call for each row, after one centering. Prints seconds and pairs/s.
    cluster_peers.py compare FOLDER MATRIX MEASURE
        the largest difference of 200 pairs of MATRIX (.npy) from NumPy in double precision; MEASURE: drmsd or rmsd.
    cluster_peers.py scipy FOLDER MATRIX METHOD
        the adjusted Rand index of scipy's clusters from MATRIX with the truth.
"""
import os
import struct
import sys
import time

import numpy as np


def chain(rng, atoms):
    """A compact chain: steps of 3.8 Å that are drawn back to the middle."""
    positions = np.zeros((atoms, 3))
    for i in range(1, atoms):
        step = rng.normal(size=3) - 0.15 * positions[i - 1] / (1 + np.linalg.norm(positions[i - 1]) / 8)
        positions[i] = positions[i - 1] + 3.8 * step / np.linalg.norm(step)
    return positions


def rotations(rng, count):
    """Uniform rotation matrices, from normalised quaternions."""
    w, x, y, z = (lambda q: q / np.linalg.norm(q, axis=0))(rng.normal(size=(4, count)))
    return np.stack([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]).transpose(2, 0, 1)


BLOCK = 1000  # models of one generator, so that a set begins like a smaller one


def blocks(count, atoms, seed, clusters):
    centres = [chain(np.random.default_rng([seed, 0, k]), atoms) for k in range(clusters)]
    for first in range(0, count, BLOCK):
        rng = np.random.default_rng([seed, 1, first])
        labels = rng.integers(clusters, size=BLOCK)
        noise = rng.normal(size=(BLOCK, atoms, 3)) * rng.uniform(0.3, 1, size=(BLOCK, 1, 1))
        models = np.stack([centres[k] for k in labels]) + noise
        models = np.einsum("nij,naj->nai", rotations(rng, BLOCK), models) + rng.uniform(-20, 20, size=(BLOCK, 1, 3))
        keep = min(BLOCK, count - first)
        yield models[:keep].astype(np.float32), labels[:keep]


def record(data):
    return struct.pack("<i", len(data)) + data + struct.pack("<i", len(data))


def make(count, atoms, seed, folder, clusters=10):
    count, atoms, seed, clusters = int(count), int(atoms), int(seed), int(clusters)
    os.makedirs(folder, exist_ok=True)
    truth = []
    with open(os.path.join(folder, "models.dcd"), "wb") as dcd:
        header = [count, 1, 1, count] + [0] * 5 + [0] + [0] * 9 + [24]
        dcd.write(record(b"CORD" + struct.pack("<20i", *header)))
        dcd.write(record(struct.pack("<i", 1) + b"models with known clusters".ljust(80)))
        dcd.write(record(struct.pack("<i", atoms)))
        for models, labels in blocks(count, atoms, seed, clusters):
            truth.append(labels)
            for model in models:
                dcd.write(b"".join(record(model[:, axis].tobytes()) for axis in range(3)))
    np.save(os.path.join(folder, "truth.npy"), np.concatenate(truth))
    first = next(blocks(1, atoms, seed, clusters))[0][0]
    with open(os.path.join(folder, "models.pdb"), "w") as pdb:
        for i, (x, y, z) in enumerate(first):
            pdb.write(f"ATOM  {(i + 1) % 100000:5d}  CA  ALA A{(i + 1) % 10000:4d}    {x:8.3f}{y:8.3f}{z:8.3f}"
                      "  1.00  0.00           C\n")
        pdb.write("END\n")


def read(folder):
    """Positions [models][atoms][3] in Å, as float32."""
    data = np.fromfile(os.path.join(folder, "models.dcd"), dtype="<i4")
    position, counts = 0, []
    for _ in range(3):
        length = data[position] // 4
        counts.append(data[position + 1:position + 1 + length])
        position += length + 2
    atoms = int(counts[2][0])
    frames = data[position:].reshape(-1, 3, atoms + 2)[:, :, 1:-1].view("<f4")
    return np.ascontiguousarray(frames.transpose(0, 2, 1))


def distance_vectors(positions):
    first, second = np.triu_indices(positions.shape[1], 1)
    return np.stack([np.linalg.norm(model[first] - model[second], axis=1) for model in positions])


def report(name, seconds, pairs):
    print(f"{name}: {seconds:.3f} s, {pairs / seconds:.4g} pairs/s")


def numpy_drmsd(folder, rows="40"):
    positions = read(folder)
    count = len(positions)
    started = time.perf_counter()
    vectors = distance_vectors(positions)
    prepared = time.perf_counter() - started
    chosen = np.linspace(0, count - 2, min(int(rows), count - 1)).astype(int)
    started = time.perf_counter()
    for i in chosen:
        np.sqrt(np.mean((vectors[i + 1:] - vectors[i]) ** 2, axis=1))
    timed = time.perf_counter() - started
    pairs = count * (count - 1) // 2
    report("NumPy, a row at a time", prepared + timed * pairs / np.sum(count - 1 - chosen), pairs)
    chosen = chosen[:4]
    started = time.perf_counter()
    done = 0
    for i in chosen:
        for j in range(i + 1, min(i + 501, count)):
            np.sqrt(np.mean((vectors[j] - vectors[i]) ** 2))
            done += 1
    timed = time.perf_counter() - started
    report("NumPy, a pair at a time", prepared + timed * pairs / done, pairs)


def mdtraj_rmsd(folder):
    import mdtraj
    trajectory = mdtraj.load(os.path.join(folder, "models.dcd"), top=os.path.join(folder, "models.pdb"))
    started = time.perf_counter()
    trajectory.center_coordinates()
    for i in range(trajectory.n_frames):
        mdtraj.rmsd(trajectory, trajectory, i, precentered=True)
    pairs = trajectory.n_frames * (trajectory.n_frames - 1) // 2
    report("MDTraj " + mdtraj.version.version, time.perf_counter() - started, pairs)


def superposed_rmsd(a, b):
    a, b = a - a.mean(0), b - b.mean(0)
    u, s, v = np.linalg.svd(a.T @ b)
    s[2] *= np.sign(np.linalg.det(u) * np.linalg.det(v))
    return np.sqrt(max(0, ((a * a).sum() + (b * b).sum() - 2 * s.sum()) / len(a)))


def compare(folder, matrix, measure):
    positions = read(folder).astype(np.float64)
    values = np.load(matrix, mmap_mode="r")
    step = 0.001 if values.dtype == np.uint16 else 1
    count, rng, worst = len(positions), np.random.default_rng(5), 0
    for _ in range(200):
        i, j = sorted(rng.choice(count, 2, replace=False))
        if measure == "drmsd":
            first, second = distance_vectors(positions[[i, j]])
            right = np.sqrt(np.mean((first - second) ** 2))
        else:
            right = superposed_rmsd(positions[i], positions[j])
        worst = max(worst, abs(float(values[count * i - i * (i + 1) // 2 + j - i - 1]) * step - right))
    print(f"largest difference from NumPy in double precision: {worst:.2e} Å")


def scipy_clusters(folder, matrix, method):
    from scipy.cluster import hierarchy
    truth = np.load(os.path.join(folder, "truth.npy"))
    labels = hierarchy.fcluster(hierarchy.linkage(np.load(matrix), method), truth.max() + 1, "maxclust")
    table = np.zeros((labels.max() + 1, truth.max() + 1))
    np.add.at(table, (labels, truth), 1)
    choose = lambda n: (n * (n - 1) / 2).sum()
    both, rows, columns, all_pairs = choose(table), choose(table.sum(1)), choose(table.sum(0)), choose(np.array([len(truth)]))
    expected = rows * columns / all_pairs
    print(f"adjusted Rand index: {(both - expected) / ((rows + columns) / 2 - expected):.4f}")


ACTIONS = {"make": make, "numpy-drmsd": numpy_drmsd, "mdtraj-rmsd": mdtraj_rmsd, "compare": compare,
           "scipy": scipy_clusters}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ACTIONS:
        sys.exit(__doc__)
    ACTIONS[sys.argv[1]](*sys.argv[2:])
