"""Small molecules: screening, transport through tunnels, potential maps, tunnels."""

import ctypes

from ._generated import qn_screen_content
from ._programs import program
from ._results import Records, Result
from .data import Molecule, data_form, frames_of
from .docking import report_of
from .errors import BadFormat


def is_rdkit(value):
    """Whether a value is a molecule of RDKit, which is not imported to find that out."""
    return type(value).__module__.startswith("rdkit.") and hasattr(value, "GetNumAtoms")


def record_of(molecule, name):
    """A molecule as a record of a library: an SDF record, or a line of SMILES. Takes molecules of RDKit and texts."""
    if is_rdkit(molecule):
        from rdkit import Chem

        title = molecule.GetProp("_Name") if molecule.HasProp("_Name") else name
        if molecule.GetNumConformers() == 0:
            return f"{Chem.MolToSmiles(molecule)} {title}\n", "smi"
        lines = Chem.MolToMolBlock(molecule).split("\n")
        return "\n".join([title, *lines[1:]]).rstrip("\n") + "\n$$$$\n", "sdf"
    if isinstance(molecule, str):
        if "\n" not in molecule.strip():
            words = molecule.split(None, 1)
            if not words:
                raise ValueError(f"{name} is an empty text; expected SMILES or an SDF record")
            return f"{words[0]} {words[1] if len(words) > 1 else name}\n", "smi"
        return molecule.rstrip("\n").rstrip() + ("\n" if molecule.rstrip().endswith("$$$$") else "\n$$$$\n"), "sdf"
    raise TypeError(f"{name} is {molecule!r}; expected a molecule of RDKit, SMILES, or an SDF record")


def _content(data, name, keep):
    """A qn_screen_content over bytes."""
    keep.append(data)
    return qn_screen_content(name.encode(), ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data))


def contents_of(records):
    """Records, (text, format), as contents of files, (name, bytes): neighbours with the same format are in one."""
    parts = []
    for record, format in records:
        if parts and parts[-1][0] == format:
            parts[-1][1].append(record)
        else:
            parts.append((format, [record]))
    return [(f"molecules_{i + 1}.{format}", "".join(texts).encode()) for i, (format, texts) in enumerate(parts)]


def _is_content(value):
    return isinstance(value, (bytes, bytearray)) or is_rdkit(value) or (
        isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], (bytes, bytearray)))  # fmt: skip


def _libraries(value, keep):
    """Libraries in memory: bytes of files, (name, bytes), or molecules of RDKit. Texts and paths are files."""
    values = [value] if _is_content(value) else value
    if isinstance(values, str) or hasattr(values, "__fspath__") or not hasattr(values, "__iter__"):
        return None
    values = list(values)
    if not values or not all(_is_content(one) for one in values):
        return None
    contents = [one if isinstance(one, tuple) else (f"library_{place + 1}", bytes(one))
                for place, one in enumerate(values) if not is_rdkit(one)]  # fmt: skip
    molecules = [one for one in values if is_rdkit(one)]
    contents += contents_of(record_of(one, f"molecule_{place + 1}") for place, one in enumerate(molecules))
    array = (qn_screen_content * len(contents))(*(_content(data, name, keep) for name, data in contents))
    keep.append(array)
    return {"library_contents": ctypes.cast(array, ctypes.POINTER(qn_screen_content)), "library_content_count": len(contents)}


def _site(value, keep):
    if not isinstance(value, (bytes, bytearray)) and not is_rdkit(value):
        return None
    name, data = contents_of([record_of(value, "site")])[0] if is_rdkit(value) else ("site", bytes(value))
    content = _content(data, name, keep)
    keep.append(content)
    return {"site_content": ctypes.pointer(content)}


def _actives(value, keep):
    if isinstance(value, (str, bytes)) or hasattr(value, "__fspath__"):
        return None
    names, count = keep.texts(value, "actives")
    return {"active_names": names, "active_name_count": count}


class ScreenResult(Result):
    """`molecules` is a table, `ranking` their places from best to worst, `poses` the kept poses of the best."""

    def to_pandas(self):
        """The molecules as a DataFrame, best first."""
        return self.molecules.to_pandas().iloc[self.ranking]

    @property
    def report(self):
        """The report of the run: `report.save("report.html")`, also without an output folder."""
        return report_of(self, self._value("report", None))


def _screen_members(given, keep):
    return {"without_page": not given.pop("report", True)}


_FORMS = {"receptor": data_form("receptor_molecule", Molecule), "libraries": _libraries, "site": _site, "actives": _actives}
screen = program(
    "screen", ScreenResult, _FORMS,
    "Dock molecules into a receptor and rank them. `receptor` is a file or a Molecule; `libraries` are files, bytes of "
    "files, or molecules of RDKit; `site` is a file, bytes of one, or a molecule; `actives` is a file or names.",
    extra={"report": (True, "whether a run without an output makes a report, whose drawings may take a second")},
    prepare=_screen_members,
)  # fmt: skip


class PackResult(Result):
    """`molecule_count` molecules are packed; `rejections` is a table. `bytes` is the library, None if it is in a file."""


screen_pack = program(
    "screen_pack", PackResult, {"libraries": _libraries},
    "Pack libraries into one, which is smaller and read faster. `libraries` are files, bytes of files, or molecules of "
    "RDKit. Without `output` the result's `bytes` are the packed library, which `quern.screen` takes.",
)  # fmt: skip


class Hit:
    """A molecule that was screened: its `name`, `energy`, `index` in the stream, and `poses`, best first; or the
    `reason` why it was not."""

    def __init__(self, index, name, energy, poses, reason=None):
        self.index, self.name, self.energy, self.poses, self.reason = index, name, energy, poses, reason

    def __repr__(self):
        fact = f"rejected: {self.reason}" if self.reason else f"{self.energy:.6g}"
        return f"<quern.Hit {self.index} {self.name}: {fact}>"


def screen_stream(receptor, molecules, *, batch=32, **options):
    """Screen molecules from an iterable as they come, and yield a Hit for each, in their order.

    `molecules` are molecules of RDKit, SMILES, or SDF records. `batch` of them are docked at a time. Options are those of
    `quern.screen`. When `molecules` raises, the hits of those before come first, then the exception.
    """
    if batch < 1:
        raise ValueError(f"batch is {batch}; expected 1 or more")
    options.setdefault("top", batch)
    source, first, failure = iter(molecules), 0, None
    while failure is None:
        pending = []
        try:
            while len(pending) < batch:
                pending.append(record_of(next(source), f"molecule_{first + len(pending) + 1}"))
        except Exception as error:  # StopIteration ends it, others are raised after the hits
            failure = error
        if pending:
            yield from _screen_batch(receptor, pending, first, options)
        first += len(pending)
    if not isinstance(failure, StopIteration):
        raise failure


def _screen_batch(receptor, pending, first, options):
    try:
        found = screen(receptor, contents_of(pending), report=False, **options)
    except BadFormat as error:  # not one of them can be scored
        if len(pending) == 1:
            yield Hit(first, "", float("nan"), Records(), str(error))
            return
        for place, one in enumerate(pending):
            yield from _screen_batch(receptor, [one], first + place, options)
        return
    poses = {}
    for pose in found.poses:
        poses.setdefault(pose.molecule, Records()).append(pose)
    hits = {int(row["index"]): Hit(first + int(row["index"]), row["name"], float(row["energy"]), poses.get(place, Records()))
            for place, row in enumerate(found.molecules)}  # fmt: skip
    for row in found.rejections:
        hits[int(row["index"])] = Hit(first + int(row["index"]), row["name"], float("nan"), Records(), row["reason"])
    for index in sorted(hits):
        yield hits[index]


class TunnelResult(Result):
    """`tunnels` are records with places and radii, `clusters` is a table."""


def _tunnel_frames(value, keep):
    if isinstance(value, (str, bytes)) or hasattr(value, "__fspath__"):
        return None
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], (str, bytes)) or not hasattr(value, "__array__"):
        return None
    struct, arrays = frames_of(value, name="frames")
    keep.extend((struct, arrays))
    return {"frame_array": ctypes.pointer(struct)}


tunnel = program(
    "tunnel", TunnelResult, {"structure": data_form("molecule", Molecule), "frames": _tunnel_frames},
    "Find tunnels of a structure. `structure` is a file or a Molecule; `frames` are files or an array in nm.",
)  # fmt: skip


class TransportResult(Result):
    """`passages` are records with the energies on the way."""


transport = program("transport", TransportResult, None, "Move ligands through tunnels, and find the energies on the way.")


class PotentialResult(Result):
    """`maps` are records; `values` of each is an array with the axes z, y, x."""


potential = program("potential", PotentialResult, None, "Make maps of the interaction of a receptor with probe atoms.")
