"""Distances between structures, and their clusters."""

import ctypes

import numpy as np

from ._programs import program
from ._results import Result
from .data import Topology, frames_of

_UNITS = {"angstrom": 0.1, "nm": 1.0}
_EXTRA = {
    "structures": (None, "files of models or a topology with trajectories, a Trajectory, or an array: frames × atoms × 3"),
    "topology": (None, "of an array: a Topology, or a file; None: atoms without names, all of which are compared"),
    "unit": ("angstrom", 'of an array: "angstrom" or "nm"'),
}  # fmt: skip


def beads(count):
    """A topology of atoms without names, each a residue of its own."""
    return Topology.from_arrays(np.full(count, "CA"), residue_names="GLY", elements=np.full(count, "C"))


def _is_files(value):
    if isinstance(value, (str, bytes)) or hasattr(value, "__fspath__"):
        return True
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(one, str) or hasattr(one, "__fspath__") for one in value)


def _prepare(given, keep):
    """The members for `structures`, and the rest of what is given."""
    value, topology, unit = (given.pop(name, None) for name in ("structures", "topology", "unit"))
    if value is None:
        return {}
    if hasattr(value, "_structures"):
        return value._structures(keep)
    if _is_files(value):
        files, count = keep.texts(value, "structures")
        return {"structures.files": files, "structures.file_count": count}
    if unit not in (None, *_UNITS):
        raise ValueError(f'unit is {unit!r}; expected "angstrom" or "nm"')
    frames, arrays = frames_of(value, name="structures", scale=_UNITS[unit or "angstrom"])
    if topology is None:
        topology = beads(frames.atom_count)
        if given.get("select") is None:
            given["select"] = "all"
    elif not isinstance(topology, Topology):
        topology = Topology.read(topology)
    keep.extend((frames, arrays, topology))
    return {"structures.topology": topology._pointer, "structures.frames": ctypes.pointer(frames)}


class DistanceResult(Result):
    """Distances of all pairs, in the order of scipy's pdist, or of each structure to each reference, in rows."""

    @property
    def distances(self):
        """The distances as numbers: (pairs,), or (structures, references)."""
        if self.values is None and self.steps is None:
            return None
        values = self.values if self.values is not None else self.steps * np.float32(self.step)
        return values.reshape(self.count, self.reference_count) if self.reference_count else values

    def square(self):
        """The symmetric matrix of all pairs."""
        if self.reference_count:
            raise ValueError("these are distances to references, which have no symmetric matrix")
        made = np.zeros((self.count, self.count), np.float32)
        row, column = np.triu_indices(self.count, 1)
        made[row, column] = made[column, row] = self.distances
        return made

    def __array__(self, dtype=None, copy=None):
        values = np.asarray(self.distances)
        return values.astype(dtype or values.dtype) if copy or dtype not in (None, values.dtype) else values


class ClusterResult(Result):
    """`labels` is the cluster of each structure, `clusters` the table of clusters; largest first."""

    @property
    def medoids(self):
        """The structure in the middle of each cluster."""
        return np.asarray(self.clusters["medoid"])

    @property
    def linkage(self):
        """The merges as scipy's hierarchy has them: two clusters, their distance, their structures."""
        if self.merges is None or len(self.merges) == 0:
            return None
        return np.stack([np.asarray(self.merges[name], np.float64) for name in ("first", "second", "height", "size")], 1)


def _references(value, keep):
    """`to` is an option of files; arrays are not taken there."""
    if _is_files(value):
        return None
    raise TypeError("to is no file or list of files; put references in memory in front of the structures instead")


distances = program(
    "distance", DistanceResult, {"to": _references}, "Measure distances between structures, all with all or with references.",
    ("structures",), _EXTRA, _prepare, "distances",
)  # fmt: skip
cluster = program(
    "cluster", ClusterResult, None, "Group structures by the distances between them.", ("structures",), _EXTRA, _prepare,
)  # fmt: skip


