"""Docking of two proteins, and judging the models."""

import ctypes
import html
from pathlib import Path

from ._generated import qn_molecule
from ._library import check, lib
from ._programs import program
from ._results import Result
from .data import Molecule, data_form, molecules_form


class Report:
    """The report of a run, a page of HTML. `path` is its file in the output folder; None for a run without one."""

    def __init__(self, path, page=None):
        self.path, self._page = Path(path) if path else None, page

    @property
    def html(self):
        """The page as a text."""
        return self._page if self.path is None else self.path.read_text(encoding="utf-8")

    def save(self, path):
        """Write the page to a file."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self):
        return f'<iframe srcdoc="{html.escape(self.html, quote=True)}" width="100%" height="600"></iframe>'

    def __repr__(self):
        return f"<quern.Report {self.path or 'in memory'}>"

    def __fspath__(self):
        if self.path is None:
            raise TypeError("this report is in memory and has no path; save() writes it")
        return str(self.path)


def report_of(result, path):
    """The report at a path that a result states, or that a run without an output keeps as a page."""
    page = result._value("page", ctypes.c_char_p) if hasattr(type(result._struct), "page") else None
    if page is not None:
        return Report(None, page)
    if not path:
        raise ValueError(f"this {type(result).__name__} has no report: the run was given no output folder")
    return Report(path)


class _Models:
    """Models of the clusters, made when they are asked for."""

    def __init__(self, result):
        self._result = result

    def __len__(self):
        return self._result.cluster_count

    def __getitem__(self, place):
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        place = place + len(self) if place < 0 else place
        if not 0 <= place < len(self):
            raise IndexError(f"there are {len(self)} models")
        made = ctypes.POINTER(qn_molecule)()
        struct = self._result._struct
        cluster = ctypes.byref(struct.clusters[place])
        check(lib.qn_dock_result_model(ctypes.byref(struct), cluster, ctypes.byref(made)))
        return Molecule._owned(made)

    def __repr__(self):
        return f"<{len(self)} models>"


class DockResult(Result):
    """Poses and clusters, best first. `poses` and `clusters` are tables, `models` the complexes of the clusters."""

    @property
    def models(self):
        """The complex of each cluster, as a Molecule."""
        return _Models(self)

    @property
    def report(self):
        """The report of the run: `report.save("report.html")`, also without an output folder."""
        return report_of(self, self._value("report", None))

    @property
    def restraints_share(self):
        """The share of the restraints that each cluster's model satisfies; None where no restraint counts."""
        return None if self.restraints_satisfied is None else self.restraints_satisfied / self.restraint_total

    def evaluate(self, receptor_reference, ligand_reference, **options):
        """Compare all models with the known complex: see quern.evaluate."""
        models = list(self.models)
        receptor = self.receptor.chains
        chains = list(dict.fromkeys(name for one in models for name in one.chains))
        options.setdefault("receptor_chains", "," + ",".join(receptor))
        options.setdefault("ligand_chains", "," + ",".join(name for name in chains if name not in receptor))
        return evaluate(models, receptor_reference, ligand_reference, **options)


class EvaluateResult(Result):
    """Measures of each model: `models` is a table."""

    def to_pandas(self):
        """The table as a DataFrame."""
        return self.models.to_pandas()


dock = program(
    "dock",
    DockResult,
    {"receptor": data_form("receptor_molecule", Molecule), "ligand": data_form("ligand_molecule", Molecule)},
    "Dock two proteins. `receptor` and `ligand` are files or Molecules; the result has poses, clusters and models.",
)
evaluate = program(
    "evaluate",
    EvaluateResult,
    {
        "models": molecules_form("model_molecules", "model_molecule_count"),
        "receptor_reference": data_form("receptor_reference_molecule", Molecule),
        "ligand_reference": data_form("ligand_reference_molecule", Molecule),
    },
    "Judge models of a complex against the known one. Models and references are files or Molecules.",
    leading=("models", "receptor_reference", "ligand_reference"),
)
