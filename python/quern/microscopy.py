"""Cryo-EM: reconstruction of maps, their resolution, projections and movies."""

import ctypes

from ._memory import is_array_like
from ._programs import program
from ._results import Result
from .data import Data, ParticleSet, data_form, images_of, volume_form
from .docking import report_of


class Fsc(Data):
    """A Fourier shell correlation. `curve` is the corrected curve, or the unmasked one where there is no mask."""

    @property
    def curve(self):
        return self.unmasked if self.corrected is None else self.corrected

    @property
    def resolution(self):
        """Where the curve falls below 0.143, in Å."""
        return self.resolution_angstrom

    def to_pandas(self):
        """All curves as a DataFrame, a row for each shell."""
        import pandas

        names = ("frequency_per_angstrom", "unmasked", "masked", "randomised", "corrected")
        return pandas.DataFrame({name: getattr(self, name) for name in names if getattr(self, name) is not None})


Result._data_types["qn_fsc"] = Fsc


class ReconstructResult(Result):
    """`map` is a Volume and `volume` its numbers; with halves, `fsc` is their correlation."""

    @property
    def volume(self):
        """The map as an array with the axes z, y, x, a view."""
        return self.map.values

    @property
    def resolution(self):
        """Of the half maps at 0.143, in Å; None without halves."""
        return self.resolution_angstrom if self.fsc is not None else None

    @property
    def report(self):
        """The report of the run: `report.save("report.html")`, also without an output folder."""
        return report_of(self, self.report_path)


def _images(value, keep):
    if not is_array_like(value):
        raise TypeError(f"images is a {type(value).__name__}; expected an array, images × side × side")
    struct, array = images_of(value)
    keep.extend((struct, array))
    return {"images": ctypes.pointer(struct)}


fsc = program(
    "fsc", Fsc,
    {"half_1": volume_form("half_1_volume"), "half_2": volume_form("half_2_volume"), "mask": volume_form("mask_volume")},
    "Correlate two half maps. Maps and mask are files, Volumes, or arrays with the axes z, y, x.",
    ("half_1", "half_2"),
)  # fmt: skip
reconstruct = program(
    "reconstruct", ReconstructResult,
    {"particles": data_form("particle_set", ParticleSet), "images": _images, "mask": volume_form("mask_volume")},
    "Reconstruct a map from images whose orientations are known. `particles` is a file or a ParticleSet; `images` is an "
    "array in place of the stacks that the particles name.",
)  # fmt: skip


class ProjectResult(Result):
    """`images` is an array, images × side × side; `particle_set` says what each shows."""


project = program(
    "project", ProjectResult, {"map": volume_form("map_volume"), "angles": data_form("particle_set", ParticleSet)},
    "Project a map. `map` is a file, a Volume or an array; `angles` is a file or a ParticleSet.", ("map",),
)  # fmt: skip


class MovieResult(Result):
    """`movies` is a table with the facts of each movie; micrographs are files in the output folder."""

    @property
    def report(self):
        """The report of the run."""
        return report_of(self, self._value("report", None))


movie = program("movie", MovieResult, None, "Make micrographs of movies: align frames, weigh them by exposure, add up.")
