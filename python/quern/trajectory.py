"""Trajectories: every frame is read once and pushed through all queries."""

import ctypes
import inspect
import re

import numpy as np

from . import queries as q
from ._generated import (
    CONSTANTS, ENUMS, qn_next_frame, qn_trajectory_parameter, qn_trajectory_query, qn_trajectory_result_query,
)  # fmt: skip
from ._library import lib, path_bytes, text
from ._memory import as_array, is_array_like, view
from ._programs import Program
from ._results import Record, Records, Result, Table
from .data import Topology, frames_of
from .docking import report_of
from .errors import Error, status_of


def _slug(label):
    """A column's name: "coordination number" gives coordination_number, "g(r)" gives g."""
    return re.sub(r"\W+", "_", label.split("(")[0].strip()).strip("_").lower() or "value"


def _distinct(names):
    seen = {}
    return [name if seen.setdefault(name, place) == place else f"{name}_{place}" for place, name in enumerate(names)]


class QueryResult:
    """What a query found. Columns of its main table are attributes: `g.r`, `g.g`. `tables`, `grids` and `numbers` are
    dictionaries; `units` has the unit of each column."""

    def __init__(self, record):
        self._record = record
        struct = record._struct
        self.name, self.query_class = text(struct.name), text(struct.query_class)
        self.tables = {text(one.name): self._table(one) for one in struct.tables[: struct.table_count]}
        self.grids = {text(struct.grids[i].name): Record(struct.grids[i], record._owner, record._root)
                      for i in range(struct.grid_count)}  # fmt: skip
        self.numbers = {text(one.label): one.value for one in struct.numbers[: struct.number_count]}
        main = struct.tables[0] if struct.table_count else None
        columns = [main.columns[i] for i in range(main.column_count)] if main else []
        self.units = dict(zip(_distinct([_slug(text(one.label)) for one in columns]), (text(one.unit) for one in columns)))

    def _table(self, one):
        names = _distinct([_slug(text(one.columns[i].label)) for i in range(one.column_count)])
        address = ctypes.cast(one.values, ctypes.c_void_p).value
        dtype = np.dtype([(name, np.float64) for name in names])
        return view(address, (one.row_count,), dtype, self._record._owner).view(Table)

    @property
    def table(self):
        """The main table."""
        return next(iter(self.tables.values())) if self.tables else None

    def to_pandas(self):
        """The main table as a DataFrame."""
        return self.table.to_pandas()

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if self.table is not None and name in self.table.dtype.names:
            return np.asarray(self.table[name])
        if name in {one for one, _ in qn_trajectory_result_query._fields_}:
            return getattr(self._record, name)
        columns = ", ".join(self.table.dtype.names) if self.table is not None else "none"
        raise AttributeError(f"the query {self.name} has no {name!r}; its columns are {columns}")

    def _scalars(self):
        return self._record._scalars()

    def __repr__(self):
        return f"<quern.QueryResult {self.name}: {', '.join(self.units)}>"

    def _repr_html_(self):
        return self.table._repr_html_() if self.table is not None else repr(self)


class TrajectoryResult(Result):
    """Results of all queries, by their names: `res.rdf` or `res["rdf"]`."""

    @property
    def queries(self):
        """All results, in the order of the queries."""
        made = self.__dict__.get("_queries")
        if made is None:
            struct = self._struct
            made = Records(QueryResult(Record(struct.queries[i], self._owner, self)) for i in range(struct.query_count))
            self.__dict__["_queries"] = made
        return made

    @property
    def report(self):
        """The report of the run: `report.save("report.html")`, also without an output folder."""
        return report_of(self, self._value("report", None))

    def __getitem__(self, name):
        for one in self.queries:
            if one.name == name:
                return one
        raise KeyError(f"no query is named {name!r}; there are {', '.join(one.name for one in self.queries)}")

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name.startswith("_"):
                raise
            try:
                return self[name]
            except KeyError as error:
                raise AttributeError(error.args[0]) from None


def _next_frame(make, atom_count, failure):
    """A qn_next_frame over an iterable of frames: positions in nm, or (positions, time in ps, box in nm)."""
    frames = iter(make())

    def fill(frame, end, user):
        try:
            found = next(frames, None)
            if found is None:
                end[0] = True
                return CONSTANTS["QN_OK"]
            positions, time, box = (*found, None, None)[:3] if isinstance(found, tuple) else (found, None, None)
            array = as_array(positions, np.float32, "positions", 2)
            if array.shape != (atom_count, 3):
                raise ValueError(f"a frame has the shape {array.shape}; expected {(atom_count, 3)}, as the topology has")
            one = frame.contents
            np.ctypeslib.as_array(one.positions_nm, (atom_count, 3))[...] = array
            if time is not None:
                one.time_ps = float(time)
            if box is not None:
                one.box_nm[:] = as_array(box, np.float64, "box").reshape(9).tolist()
            return CONSTANTS["QN_OK"]
        except BaseException as error:  # it must not pass through the library; the caller raises it
            failure.append(error)
            return lib.qn_error_raise(status_of(error), b"%s", str(error).encode() or b"the frames failed")

    return qn_next_frame(fill)


class _Run(Program):
    """Programs of trajectories, whose inputs are a Trajectory."""

    def over(self, trajectory, members, given):
        keep, failure = [], []
        prepared = {**trajectory._members(keep, failure), **members}
        self._prepare = lambda *unused: prepared
        try:
            return self(**given)
        except Error:
            if failure:
                raise failure[0] from None
            raise
        finally:
            self._prepare = None


class ConvertResult(Result):
    """Frames in memory: `positions_nm` (frames × atoms × 3), `boxes_nm` (frames × 3 × 3), `times_ps`."""


class Trajectory:
    """The frames of a simulation, of files or of arrays.

    `topology` is a file or a Topology. `frames` are files; an array, frames × atoms × 3 in nm, with `times_ps` and
    `boxes_nm`, whose memory is used without a copy; or a function that returns an iterator of frames: positions in nm, or
    tuples of positions, time in ps and box in nm. Without frames, the positions of the topology are the only frame.

    Every class of queries is a method, `t.rdf("name OW", "name OW", max=1.2)`; `analyse` answers several in one reading.
    Further arguments are options of the run: `begin_ps`, `stride`, `output`, `device`, `progress` …
    """

    def __init__(self, topology, *frames, times_ps=None, boxes_nm=None, **options):
        self._topology, self._files, self._array, self._make, self._options = topology, [], None, None, options
        if len(frames) == 1 and callable(frames[0]):
            self._make = frames[0]
        elif len(frames) == 1 and is_array_like(frames[0]) and not _are_paths(frames[0]):
            self._array = frames_of(frames[0], times_ps, boxes_nm, "frames")
        else:
            self._files = [one for part in frames for one in (part if isinstance(part, (list, tuple)) else [part])]
        if self._array is None and (times_ps is not None or boxes_nm is not None):
            raise TypeError("times_ps and boxes_nm belong to frames that are an array")

    @classmethod
    def live(cls, address, topology, **options):
        """A running simulation at "host:8888"."""
        return cls(topology, live=address, **options)

    @classmethod
    def from_mdanalysis(cls, universe, **options):
        """The frames and the topology of a Universe of MDAnalysis. Each run reads the frames anew."""
        atoms = universe.atoms

        def column(name):
            return getattr(atoms, name) if hasattr(atoms, name) else None

        first = np.unique(atoms.resindices, return_index=True)[1]
        bonds = universe.bonds.indices if hasattr(universe, "bonds") and len(universe.bonds) else None
        topology = Topology.from_arrays(
            column("names"), residues=np.searchsorted(np.unique(atoms.resindices), atoms.resindices),
            residue_names=atoms.resnames[first] if hasattr(atoms, "resnames") else "UNK",
            residue_numbers=atoms.resids[first] if hasattr(atoms, "resids") else None,
            segments=atoms.segids[first] if hasattr(atoms, "segids") else None,
            chains=atoms.chainIDs[first] if hasattr(atoms, "chainIDs") else None, elements=column("elements"),
            types=column("types"), masses_u=column("masses"), charges_e=column("charges"), bonds=bonds,
            name="the universe",
        )  # fmt: skip

        def frames():
            for step in universe.trajectory:
                box = None if step.dimensions is None else np.asarray(step.triclinic_dimensions, np.float64) * 0.1
                yield step.positions * np.float32(0.1), step.time, box

        return cls(topology, frames, **options)

    @classmethod
    def from_mdtraj(cls, trajectory, **options):
        """A trajectory of mdtraj; its positions are not copied."""
        residues = [atom.residue for atom in trajectory.topology.atoms]
        every = list(trajectory.topology.residues)
        topology = Topology.from_arrays(
            [atom.name for atom in trajectory.topology.atoms], residues=[one.index for one in residues],
            residue_names=[one.name for one in every], residue_numbers=[one.resSeq for one in every],
            elements=[atom.element.symbol if atom.element is not None else "X" for atom in trajectory.topology.atoms],
            bonds=[(one[0].index, one[1].index) for one in trajectory.topology.bonds] or None,
            name="the trajectory of mdtraj",
        )  # fmt: skip
        boxes = trajectory.unitcell_vectors
        return cls(topology, trajectory.xyz, times_ps=trajectory.time, boxes_nm=boxes, **options)

    @property
    def topology(self):
        """The topology, read when it is asked for."""
        if not isinstance(self._topology, Topology):
            self._topology = Topology.read(self._topology)
        return self._topology

    def _members(self, keep, failure, topology="topology_in_memory"):
        """Members of the options: where topology and frames are."""
        made = {}
        if isinstance(self._topology, Topology):
            made[topology] = self._topology._pointer
        else:
            keep.append(path_bytes(self._topology, "topology"))
            made["topology"] = keep[-1]
        if self._array is not None:
            made["frames"] = ctypes.pointer(self._array[0])
        elif self._make is not None:
            keep.append(_next_frame(self._make, self.topology.atom_count, failure))
            made["next_frame"] = keep[-1]
        elif self._files:
            names = [path_bytes(one, "frames") for one in self._files]
            keep.append((ctypes.c_char_p * len(names))(*names))
            made["trajectories"] = ctypes.cast(keep[-1], ctypes.POINTER(ctypes.c_char_p))
            made["trajectory_count"] = len(names)
        return made

    def _structures(self, keep):
        """Members of the options of distances and clusters."""
        if self._array is None and self._make is None and not isinstance(self._topology, Topology):
            pointer, count = keep.texts([self._topology, *self._files], "structures")
            return {"structures.files": pointer, "structures.file_count": count}
        struct, arrays = self._array if self._array is not None else frames_of(self.frames().positions_nm)
        keep.extend((struct, arrays, self))
        return {"structures.topology": self.topology._pointer, "structures.frames": ctypes.pointer(struct)}

    def frames(self, select=None, **options):
        """Frames in memory, of all atoms or of a selection."""
        given = {name: value for name, value in self._options.items() if name not in ("periodic", "units")}
        return _Run("trajectory_convert", ConvertResult).over(self, {}, {**given, "select": select, **options})

    def write(self, path, select=None, **options):
        """Write frames as XTC or DCD, as the ending says."""
        _Run("trajectory_convert", ConvertResult).over(self, {}, {**self._options, "select": select, "output": path, **options})

    def analyse(self, **given):
        """Answer queries, `rdf=quern.q.rdf("name OW")`, in one reading of the frames. Other arguments are options of the
        run. The result has each query under its name."""
        wanted = {name: value for name, value in given.items() if isinstance(value, q.Query)}
        options = {**self._options, **{name: value for name, value in given.items() if name not in wanted}}
        if not wanted:
            raise TypeError("analyse() got no query; expected for instance rg=quern.q.gyration()")
        keep, array = [], (qn_trajectory_query * len(wanted))()
        for place, (name, query) in enumerate(wanted.items()):
            _fill_query(array[place], name, query, keep)
        members = {"queries": ctypes.cast(array, ctypes.POINTER(qn_trajectory_query)), "query_count": len(wanted)}
        return _Run("trajectory", TrajectoryResult).over(self, members, options)

    def __repr__(self):
        frames = f"{len(self._files)} files" if self._files else "frames in memory" if self._array else "frames"
        return f"<quern.Trajectory {self._topology!r}, {frames}>"


def _are_paths(value):
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(one, str) or hasattr(one, "__fspath__") for one in value)


def _fill_query(struct, name, query, keep):
    choices = ENUMS["qn_trajectory_choice"]
    words = {one: None if value is None else path_bytes(value, one)
             for one, value in (("name", name), ("select", query.select), ("with", query.other))}  # fmt: skip
    pairs = [(key.encode(), q.text_of(value).encode()) for key, value in query.parameters.items()]
    parameters = (qn_trajectory_parameter * max(len(pairs), 1))(*pairs)
    keep.extend((words, pairs, parameters))
    struct.size, struct.query_class = ctypes.sizeof(qn_trajectory_query), query.query_class.encode()
    for one, value in words.items():
        setattr(struct, one, value)
    struct.whole = choices["QN_AS_USUAL" if query.whole is None else "QN_YES" if query.whole else "QN_NO"]
    struct.parameters, struct.parameter_count = parameters, len(pairs)


def _method(name, query_class):
    def ask(self, select=None, other=None, *, whole=None, **given):
        parameters, options = q.split(query_class, given)
        query = q.Query(query_class, select, other, whole, parameters)
        return self.analyse(**options, **{name: query}).queries[0]

    ask.__name__, ask.__qualname__ = name, f"Trajectory.{name}"
    first = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    made = q.signature(query_class, first)
    options = inspect.Parameter("options", inspect.Parameter.VAR_KEYWORD)
    ask.__signature__ = made.replace(parameters=[*made.parameters.values(), options])
    ask.__doc__ = q.help_of(query_class) + "\n\nFurther arguments are options of the run, see Trajectory."
    return ask


for _name, _query_class in q.NAMES.items():
    setattr(Trajectory, _name, _method(_name, _query_class))
