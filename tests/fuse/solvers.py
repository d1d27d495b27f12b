"""Compare residuals of fused CG and BiCGStab, as test_solvers writes them, with scipy's within 1e-4 of the first."""

import sys

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

rows = [line.split() for line in open(sys.argv[1])]
n = sum(row[0] == "b" for row in rows) // 2
right = np.array([float(row[1]) for row in rows if row[0] == "b"]).reshape(2, n)
side = int(np.sqrt(n))
index = np.arange(n)


def stencil(diagonal):
    matrix = scipy.sparse.lil_matrix((n, n))
    matrix[index, index] = diagonal
    for offset in (1, n - 1, side, n - side):
        matrix[index, (index + offset) % n] = -1
    return matrix.tocsr()


failed = False
for name, diagonal, b in (("cg", 4.0625, right[0]), ("bicgstab", 4.5, right[1])):
    matrix = stencil(diagonal)
    found = np.array([float(row[1]) for row in rows if row[0] == name])
    expected = []

    def note(x):
        expected.append(np.linalg.norm(b - matrix @ x) / np.linalg.norm(b))

    getattr(scipy.sparse.linalg, name)(matrix, b, tol=0, atol=0, maxiter=len(found), callback=note)
    steps = min(len(found), len(expected))
    difference = np.abs(found[:steps] - np.array(expected[:steps])).max()
    print(f"{name}: {steps} steps, largest difference {difference:.2g}")
    failed |= len(found) != 50 or steps < 50 or not difference <= 1e-4
sys.exit(failed)
