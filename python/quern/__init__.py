"""Quern: a compute kit for structural biology.

Programs are functions: `quern.dock`, `quern.screen`, `quern.reconstruct` and others. Their inputs are files or objects in
memory, their results are in memory, and are also written where `output` names a place. `help(quern.dock)` lists the
options of a program.
"""

from . import deform, errors, fuse, tune
from . import queries as q
from ._library import lib as _lib
from .collective import Collective
from .context import Context, Device, current_context, devices
from .data import Mesh, Molecule, ParticleSet, Topology, Volume
from .docking import dock, evaluate
from .errors import *  # noqa: F403
from .ligands import potential, screen, screen_pack, screen_stream, transport, tunnel
from .microscopy import fsc, movie, project, reconstruct
from .structures import cluster, distances
from .trajectory import Trajectory

__version__ = _lib.qn_version().decode()
__all__ = [
    "Collective", "Context", "Device", "Mesh", "Molecule", "ParticleSet", "Topology", "Trajectory", "Volume", "cluster",
    "current_context", "deform", "devices", "distances", "dock", "errors", "evaluate", "fsc", "fuse", "movie", "potential",
    "project", "q", "reconstruct", "screen", "screen_pack", "screen_stream", "transport", "tune", "tunnel", *errors.__all__,
]  # fmt: skip
