"""Quern: a compute kit for structural biology.

Programs are functions: `quern.dock`, `quern.screen`, `quern.reconstruct` and others. Their inputs are files or objects in
memory, their results are in memory, and are also written where `output` names a place. `help(quern.dock)` lists the
options of a program.
"""

from . import errors
from ._library import lib as _lib
from .context import Context, Device, current_context, devices
from .data import Mesh, Molecule, ParticleSet, Topology, Volume
from .docking import dock, evaluate
from .errors import *  # noqa: F403

__version__ = _lib.qn_version().decode()
__all__ = [
    "Context", "Device", "Mesh", "Molecule", "ParticleSet", "Topology", "Volume", "current_context", "devices", "dock",
    "errors", "evaluate", *errors.__all__,
]  # fmt: skip
