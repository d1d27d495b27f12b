#!/usr/bin/env python3
"""Forces of mixed elements (displacements and pressures, Mooney-Rivlin) by scikit-fem, with tangents by complex steps.

    python3 mixed.py QUERN FOLDER_OF_MESHES... <mixed.txt >new.txt

Nodes and sets come from decks that quern writes. The forms, with J = det F, over the body at rest:
    order 2: quadratic displacements, linear pressures:  (P_iso + p cof F) : grad v = 0,  q (J - 1 - p / kappa) = 0
    order 1: both linear, and - (1 / mu) (p - mean p) (q - mean q), means over each element, mu = 2 (c10 + c01)
"""
import glob
import subprocess
import sys
import tempfile

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import spsolve
from scipy.spatial import cKDTree
from skfem import (Basis, BilinearForm, ElementTetP0, ElementTetP1, ElementTetP2, ElementVector, LinearForm, MeshTet)

STEP = 1e-30
I = np.eye(3)[:, :, None, None]


def cofactor(f):
    c = np.empty_like(f)
    for i in range(3):
        for j in range(3):
            a, b, k, m = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
            c[i, j] = f[a, k] * f[b, m] - f[a, m] * f[b, k]
    return c


def determinant(f):
    return np.einsum("j...,j...->...", f[0], cofactor(f)[0])


def stress(f, c10, c01):
    """dW/dF of W = c10 (J^-2/3 I1 - 3) + c01 (J^-4/3 I2 - 3)."""
    c = np.einsum("ki...,kj...->ij...", f, f)
    i1 = c[0, 0] + c[1, 1] + c[2, 2]
    i2 = 0.5 * (i1**2 - np.einsum("ij...,ij...->...", c, c))
    j, co = determinant(f), cofactor(f)
    by_i1 = 2 * f * j**(-2 / 3) - 2 / 3 * i1 * j**(-5 / 3) * co
    by_i2 = 2 * (i1 * f - np.einsum("ik...,kj...->ij...", f, c)) * j**(-4 / 3) - 4 / 3 * i2 * j**(-7 / 3) * co
    return c10 * by_i1 + c01 * by_i2


def read_deck(path):
    lines = open(path).read().split("\n")

    def rows(head, kind):
        at = next(i for i, line in enumerate(lines) if line.startswith(head)) + 1
        found = []
        while not lines[at].startswith("*"):
            found.append([kind(word) for word in lines[at].split(",") if word.strip()])
            at += 1
        return found

    places = np.array([row[1:] for row in rows("*NODE, NSET=NALL", float)])
    elements = np.array([row[1:] for row in rows("*ELEMENT", int)]) - 1
    sets = [np.array(sum(rows(f"*NSET, NSET={name}", int), [])) - 1 for name in ("FIXED", "TOOL")]
    return places, elements, sets


def freedoms_at(basis, places):
    """Freedoms of a vector basis at places: [place][axis]. The three of a place are found in their order."""
    distance, found = cKDTree(basis.doflocs.T).query(places, k=3)
    assert distance.max() < 1e-9
    return np.sort(found, axis=1)


def solve(deck, order, c10, c01, kappa, move):
    places, elements, (fixed, held) = read_deck(deck)
    corners, numbers = np.unique(elements[:, :4], return_inverse=True)
    mesh = MeshTet(places[corners].T, numbers.reshape(-1, 4).T)
    bu = Basis(mesh, ElementVector(ElementTetP2() if order == 2 else ElementTetP1()), intorder=2)
    bp = bu.with_element(ElementTetP1())
    count, mu = bu.N, 2 * (c10 + c01)
    fixed_at, held_at = freedoms_at(bu, places[fixed]), freedoms_at(bu, places[held])
    mass = BilinearForm(lambda p, q, w: p * q).assemble(bp)
    stabilizer = 0 * mass
    if order == 1:
        b0 = bu.with_element(ElementTetP0())
        to_mean = BilinearForm(lambda p, q, w: p * q).assemble(bp, b0)
        volumes = LinearForm(lambda q, w: q).assemble(b0)
        stabilizer = (mass - to_mean.T @ sparse.diags(1 / volumes) @ to_mean) / mu
    lower = mass / kappa + stabilizer

    def total(f, p):
        return stress(f, c10, c01) + p * cofactor(f)

    @LinearForm
    def forces(v, w):
        return np.einsum("ij...,ij...->...", total(w["u"].grad + I, w["p"].value), v.grad)

    @LinearForm
    def volumes_off(q, w):
        return q * (determinant(w["u"].grad + I) - 1)

    @BilinearForm
    def stiffness(d, v, w):
        f = w["u"].grad + I + 1j * STEP * d.grad
        return np.einsum("ij...,ij...->...", total(f, w["p"].value).imag / STEP, v.grad)

    @BilinearForm
    def coupling(d, q, w):
        return q * np.einsum("ij...,ij...->...", cofactor(w["u"].grad + I), d.grad)

    x = np.zeros(count + bp.N)
    bound = np.concatenate([fixed_at.ravel(), held_at.ravel()])
    free = np.setdiff1d(np.arange(len(x)), bound)
    target = np.zeros(len(x))
    target[held_at] = move
    for step in range(40):
        u, p = bu.interpolate(x[:count]), bp.interpolate(x[count:])
        residual = np.concatenate([forces.assemble(bu, u=u, p=p), volumes_off.assemble(bp, u=u, p=p) - lower @ x[count:]])
        if step > 0 and np.linalg.norm(residual[free]) <= 1e-11 * np.linalg.norm(residual[bound]):
            return residual[held_at].sum(axis=0)
        b = coupling.assemble(bu, bp, u=u, p=p)
        k = sparse.bmat([[stiffness.assemble(bu, u=u, p=p), b.T], [b, -lower]]).tocsc()
        change = np.zeros(len(x))
        if step == 0:
            change[bound] = target[bound]
        change[free] = spsolve(k[free][:, free], -(residual + k @ change)[free])
        x += change
    raise SystemExit(f"{deck}: no balance")


def main():
    quern, folders = sys.argv[1], sys.argv[2:]
    for line in sys.stdin:
        if line.startswith("#"):
            print(line, end="")
            continue
        name, order, material, fix, contact, move = line.split()[:6]
        path = next(found for folder in folders for found in glob.glob(f"{folder}/{name}"))
        c10, c01, kappa = (float(number) for number in material.split(":")[1].split(","))
        with tempfile.TemporaryDirectory() as work:  # any compressible material: the deck is for nodes and sets
            deck = f"{work}/deck.inp"
            subprocess.run([quern, "deform", "solve", path, "--order", order, "--material", "svk:1000,0.1", "--fix", fix,
                            "--contact", contact, "--move", "0,0,1e-6", "--calculix", deck, "-o", f"{work}/out", "--quiet"],
                           check=True, stderr=subprocess.DEVNULL)
            force = solve(deck, int(order), c10, c01, kappa, [float(part) for part in move.split(",")])
        print(name, order, material, fix, contact, move, *(f"{part:.9e}" for part in force), flush=True)


main()
