"""Collective variables of a running simulation: distances of a frame to references, and path variables."""

import ctypes

import numpy as np

from ._generated import qn_collective, qn_collective_options, qn_collective_values
from ._library import check, lib
from ._memory import as_array, pointer
from ._results import enum_words
from .context import Handle, current_context

_ARRAYS = {"s_gradient": 1, "z_gradient": 1, "rmsd": 0, "rmsd_gradients": 2, "drmsd": 0, "drmsd_gradients": 2}


def _path(word):
    words = {name: number for number, name in enum_words("qn_path_distance").items()}
    if word is not None and word not in words:
        raise ValueError(f"path is {word!r}; expected one of {', '.join(words)}")
    return words["none" if word is None else word]


class Collective(Handle):
    """Compares frames with references, an array (references × atoms × 3). Lengths may be in any unit.

        path = quern.Collective(references, weights=masses)
        values = path.evaluate(positions, gradients=True)
        values["s"], values["z"], values["s_gradient"]

    `path` is the distance of the path variables: "rmsd_squared", "rmsd", "drmsd_squared", "drmsd", or "none". Other
    arguments are members of qn_collective_options: `deviation_weights`, `lambda_`, `neighbours`, `neighbour_stride`. A
    `device` computes the distances to many references. One thread uses it at a time.
    """

    def __init__(self, references, weights=None, *, path="rmsd_squared", drmsd=False, lambda_=0.0, neighbours=0,
                 neighbour_stride=20, device=None, deviation_weights=None, context=None):  # fmt: skip
        references = as_array(references, np.float64, "references", 3, packed=True)
        if references.shape[2] != 3 or 0 in references.shape:
            raise ValueError(f"references has the shape {references.shape}; expected references × atoms × 3")
        self.reference_count, self.atom_count = references.shape[:2]
        options = qn_collective_options(size=ctypes.sizeof(qn_collective_options), drmsd=bool(drmsd), neighbours=neighbours,
                                        neighbour_stride=neighbour_stride, path=_path(path))  # fmt: skip
        setattr(options, "lambda", lambda_)
        options.references = pointer(references, ctypes.c_double)
        options.reference_count, options.atom_count = references.shape[:2]
        keep = []
        for name, value in (("weights", weights), ("deviation_weights", deviation_weights)):
            if value is not None:
                keep.append(as_array(value, np.float64, name, 1, packed=True))
                if len(keep[-1]) != self.atom_count:
                    raise ValueError(f"{name} has {len(keep[-1])} numbers; expected {self.atom_count}, one for each atom")
                setattr(options, name, pointer(keep[-1], ctypes.c_double))
        if device is not None:
            options.device = device.pointer
        self._device, self._context = device, context or (device.context if device else current_context())  # both outlive it
        self._has_path, self._has_drmsd = path not in (None, "none"), drmsd or str(path).startswith("drmsd")
        made = ctypes.POINTER(qn_collective)()
        check(lib.qn_collective_create(self._context.pointer, ctypes.byref(options), ctypes.byref(made)))
        super().__init__(made, lambda one: lib.qn_collective_destroy(ctypes.byref(one)))

    @property
    def lambda_(self):
        """λ as it was given or found, in 1 / unit of the distance; NaN without path variables."""
        return lib.qn_collective_lambda(self.pointer)

    def evaluate(self, positions, gradients=False):
        """Compare a frame, atoms × 3: a dictionary with `s` and `z`, `rmsd` and, where it was planned, `drmsd`. With
        `gradients` also their derivatives by the positions."""
        positions = as_array(positions, np.float64, "positions", 2, packed=True)
        if positions.shape != (self.atom_count, 3):
            raise ValueError(f"positions has the shape {positions.shape}; expected {(self.atom_count, 3)}")
        values, made = qn_collective_values(size=ctypes.sizeof(qn_collective_values)), {}
        for name, axes in _ARRAYS.items():
            wanted = self._has_path if axes == 1 else self._has_drmsd if name.startswith("drmsd") else True
            if wanted and (gradients or axes == 0):
                shape = {0: (self.reference_count,), 1: positions.shape, 2: (self.reference_count, *positions.shape)}[axes]
                made[name] = np.empty(shape)
                setattr(values, name, pointer(made[name], ctypes.c_double))
        check(lib.qn_collective_evaluate(self.pointer, pointer(positions, ctypes.c_double), ctypes.byref(values)))
        return {**({"s": values.s, "z": values.z} if self._has_path else {}), **made}

    def __repr__(self):
        return f"<quern.Collective, {self.reference_count} references of {self.atom_count} atoms>"
