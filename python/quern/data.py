"""Data: molecules, topologies, volumes, sets of particles and meshes, read from files, made of arrays, or in results."""

import ctypes

import numpy as np

from ._generated import (
    CONSTANTS, qn_frame_array, qn_image_array, qn_mesh, qn_molecule, qn_molecule_options, qn_particle_set, qn_topology,
    qn_topology_atom, qn_topology_residue, qn_volume,
)  # fmt: skip
from ._library import check, lib, path_bytes
from ._memory import as_array, dtype_of, is_array_like, pointer, view
from ._results import Owner, Result
from .context import current_context


class Data(Result):
    """An object of the library whose members are attributes, and whose arrays are views of its memory."""

    _ctype, _destroy = None, None

    @classmethod
    def _borrowed(cls, made, owner):
        """The object behind a pointer of a result."""
        return cls(made.contents, owner)

    @classmethod
    def _owned(cls, made):
        return cls(made.contents, Owner(made, getattr(lib, cls._destroy)))

    @property
    def _pointer(self):
        if self._struct is None:
            raise ValueError(f"this {type(self).__name__} is closed")
        return ctypes.pointer(self._struct)


def _out(ctype):
    made = ctypes.POINTER(ctype)()
    return made, ctypes.byref(made)


class Molecule(Data):
    """Atoms and residues of a structure. `atoms` and `residues` are tables, `positions_angstrom` is a view."""

    _ctype, _destroy = qn_molecule, "qn_molecule_destroy"

    @classmethod
    def read(cls, path, model=0, drop_water=False, drop_hydrogens=False, keep_alternates=False):
        """Read PDB, mmCIF or PDBQT, gzipped or not; "file:AB" picks chains. `model` 0: the first."""
        options = qn_molecule_options(ctypes.sizeof(qn_molecule_options), model, drop_water, drop_hydrogens, keep_alternates)
        made, out = _out(qn_molecule)
        check(lib.qn_molecule_read(current_context().pointer, path_bytes(path, "path"), ctypes.byref(options), out))
        return cls._owned(made)

    def write(self, path, remarks=None, format=None):
        """Write PDB or mmCIF, as the ending of `path` or `format` says; without either, PDB if it can hold it."""
        write_molecules(path, [self], remarks, format)

    def copy(self):
        """A molecule of its own with the same content."""
        made, out = _out(qn_molecule)
        check(lib.qn_molecule_copy(self._pointer, out))
        return Molecule._owned(made)

    def transformed(self, rotation, translation_angstrom):
        """A copy whose positions are R·x + t."""
        made = self.copy()
        rotation = as_array(rotation, np.float64, "rotation", packed=True)
        translation = as_array(translation_angstrom, np.float64, "translation_angstrom", packed=True)
        if rotation.size != 9 or translation.size != 3:
            raise ValueError(f"the shapes are {rotation.shape} and {translation.shape}; expected (3, 3) and (3,)")
        lib.qn_molecule_transform(made._pointer, pointer(rotation, ctypes.c_double), pointer(translation, ctypes.c_double))
        return made

    @property
    def positions_angstrom(self):
        """Positions of all atoms, a view."""
        address = ctypes.cast(self._struct.atoms, ctypes.c_void_p).value
        raw = view(address, (self.atom_count,), dtype_of(type(self._struct.atoms.contents)), self._owner)
        return raw["position_angstrom"]

    @property
    def chains(self):
        """Names of the chains, in the order of the residues."""
        return list(dict.fromkeys(self.residues["chain"].tolist()))


def write_molecules(path, molecules, remarks=None, format=None):
    """Write molecules into one file, as models of PDB or mmCIF."""
    ending = str(path).rsplit(".", 1)[-1].lower()
    format = format or {"cif": "mmcif", "mmcif": "mmcif", "pdb": "pdb", "ent": "pdb"}.get(ending, "pdb")
    if format not in ("pdb", "mmcif"):
        raise ValueError(f'format is {format!r}; expected "pdb" or "mmcif"')
    array = (ctypes.POINTER(qn_molecule) * max(len(molecules), 1))(*(one._pointer for one in molecules))
    check(lib.qn_molecule_write(path_bytes(path, "path"), CONSTANTS["QN_STRUCTURE_" + format.upper()], array,
                                len(molecules), None if remarks is None else remarks.encode()))  # fmt: skip


class Topology(Data):
    """Atoms of a simulation: names, masses, charges, residues, bonds."""

    _ctype, _destroy = qn_topology, "qn_topology_destroy"

    @classmethod
    def read(cls, path):
        """Read TPR, PSF, parm7, GRO, PDB, mmCIF or a table of atoms."""
        made, out = _out(qn_topology)
        check(lib.qn_topology_read(current_context().pointer, path_bytes(path, "path"), out))
        return cls._owned(made)

    @classmethod
    def from_arrays(cls, names, *, residues=None, residue_names="UNK", residue_numbers=None, elements=None, types=None,
                    chains=None, segments=None, masses_u=None, charges_e=None, bonds=None, name="the topology in memory"):  # fmt: skip
        """Make a topology of columns, one value for each atom. `residues` numbers the residue of each atom from 0,
        ascending; None: each atom is one. Columns of residues (names, numbers, chains, segments) have a value for each
        residue, or are one text for all. `bonds` are pairs of atoms from 0."""
        names = np.asarray(names, dtype="S16")
        count = len(names)
        of = np.arange(count) if residues is None else as_array(residues, np.int64, "residues", 1)
        if count == 0 or len(of) != count:
            raise ValueError(f"there are {count} names and residues of {len(of)} atoms; expected the same number, above 0")
        steps = np.diff(of, prepend=0)
        if of[0] != 0 or steps.min() < 0 or steps.max() > 1:
            raise ValueError("residues are not numbered from 0 in ascending order without gaps")
        made = _Made(count, int(of[-1]) + 1, name)
        atoms, residue = made.atoms, made.residues
        atoms["name"], atoms["residue"] = names, of
        atoms["element"] = b"" if elements is None else np.char.upper(np.asarray(elements, dtype="S3"))
        if types is not None:
            atoms["type"] = np.asarray(types, dtype="S15")
        atoms["mass_u"] = 0 if masses_u is None else as_array(masses_u, np.float64, "masses_u", 1)
        atoms["charge_e"] = 0 if charges_e is None else as_array(charges_e, np.float64, "charges_e", 1)
        first = np.flatnonzero(np.diff(of, prepend=-1))
        residue["first_atom"], residue["atom_count"] = first, np.diff(first, append=count)
        residue["number"] = np.arange(1, len(first) + 1) if residue_numbers is None else residue_numbers
        residue["name"] = np.asarray(residue_names, dtype="S15")
        residue["chain"] = b"" if chains is None else np.asarray(chains, dtype="S7")
        residue["segment"] = b"" if segments is None else np.asarray(segments, dtype="S15")
        return made.finish(bonds, masses_u is not None, charges_e is not None, types is not None)


class _Made:
    """A topology whose arrays belong to NumPy until the library has copied them."""

    def __init__(self, count, residue_count, name):
        self.atoms = np.zeros(count, dtype_of(qn_topology_atom))
        self.residues = np.zeros(residue_count, dtype_of(qn_topology_residue))
        self.name = name

    def finish(self, bonds, has_masses, has_charges, has_types):
        made, out = _out(qn_topology)
        check(lib.qn_topology_create(self.name.encode(), out))
        topology = Topology._owned(made)
        pairs = np.empty((0, 2), np.int64) if bonds is None else as_array(bonds, np.int64, "bonds", 2)
        base, size = self.atoms.ctypes.data, self.atoms.dtype.itemsize
        for place in range(len(self.residues)):
            one = qn_topology_residue.from_buffer(self.residues[place : place + 1])
            check(lib.qn_topology_append_residue(made, ctypes.byref(one)))
            for atom in range(one.first_atom, one.first_atom + one.atom_count):
                check(lib.qn_topology_append_atom(made, ctypes.cast(base + atom * size, ctypes.POINTER(qn_topology_atom))))
        for first, second in pairs.tolist():
            if first < 0 or second < 0:
                raise ValueError(f"a bond names the atoms {first} and {second}; expected numbers from 0")
            check(lib.qn_topology_append_bond(made, first, second))
        struct = made.contents
        struct.has_bonds, struct.has_charges, struct.has_types = bonds is not None, has_charges, has_types
        struct.masses = CONSTANTS["QN_MASSES_FROM_FILE" if has_masses else "QN_MASSES_ABSENT"]
        lib.qn_topology_complete_elements(made)
        check(lib.qn_topology_finish(made, CONSTANTS["QN_MOLECULES_OF_BONDS"]))
        return topology


class Volume(Data):
    """Values on a grid; `values` is a view with the axes z, y, x."""

    _ctype, _destroy = qn_volume, "qn_volume_destroy"

    @classmethod
    def read(cls, path):
        """Read MRC or CCP4, gzipped or not."""
        made, out = _out(qn_volume)
        check(lib.qn_volume_read(path_bytes(path, "path"), out))
        return cls._owned(made)

    @classmethod
    def from_array(cls, values, voxel_angstrom=None, name=None):
        """A volume over an array with the axes z, y, x, without a copy if its numbers are packed 32-bit floats.
        `voxel_angstrom` None: not known, 1 Å is assumed."""
        array = as_array(values, np.float32, name or "values", 3, packed=True)
        if 0 in array.shape:
            raise ValueError(f"{name or 'values'} has the shape {array.shape}; expected numbers")
        text = path_bytes(name, "name") if name else None
        struct = qn_volume(values=pointer(array, ctypes.c_float), name=text)
        struct.counts[:] = array.shape[::-1]
        struct.voxel_assumed = voxel_angstrom is None
        size = np.broadcast_to(np.asarray(1 if voxel_angstrom is None else voxel_angstrom, np.float64), (3,))
        struct.voxel_angstrom[:] = size.tolist()
        return cls(struct, (array, text))

    def write(self, path, label=None):
        """Write MRC2014, mode 2."""
        label = None if label is None else label.encode()
        check(lib.qn_volume_write(self._pointer, label, path_bytes(path, "path")))

    def __array__(self, dtype=None, copy=None):
        values = np.asarray(self.values)
        return values.astype(dtype or values.dtype) if copy or dtype not in (None, values.dtype) else values


class ParticleSet(Data):
    """Particles of cryo-EM; `particles` and `optics` are tables."""

    _ctype, _destroy = qn_particle_set, "qn_particle_set_destroy"

    @classmethod
    def read(cls, path):
        """Read RELION STAR or Xmipp metadata."""
        made, out = _out(qn_particle_set)
        check(lib.qn_particle_set_read(path_bytes(path, "path"), out))
        return cls._owned(made)

    def write(self, path):
        """Write RELION 3.1 STAR."""
        check(lib.qn_particle_set_write(self._pointer, path_bytes(path, "path")))

    @classmethod
    def from_columns(cls, pixel_angstrom, **columns):
        """Make a set of one optics group of columns, one number for each particle: `rot_degrees`, `tilt_degrees`,
        `psi_degrees`, or `matrices` of 3 × 3; `defocus_u_angstrom`, …, as qn_particle_columns has them."""
        from ._generated import qn_column, qn_particle_columns

        struct, keep, counts = qn_particle_columns(pixel_angstrom=pixel_angstrom), [], {}
        members = dict(qn_particle_columns._fields_)
        for name, value in columns.items():
            if name not in members or name == "count":
                raise TypeError(f"from_columns() has no column {name!r}; expected one of {', '.join(members)}")
            if members[name] is not qn_column:
                setattr(struct, name, value)
                continue
            array = as_array(value, np.float64, name, 3 if name == "matrices" else 1, packed=name == "matrices")
            keep.append(array)
            counts[name] = len(array)
            setattr(struct, name, qn_column(pointer(array, ctypes.c_double), array.strides[0] if len(array) else 0))
        if len(set(counts.values())) != 1:
            raise ValueError(f"columns have {counts} numbers; expected the same number in all")
        struct.count = next(iter(counts.values()))
        made, out = _out(qn_particle_set)
        check(lib.qn_particle_set_from_columns(ctypes.byref(struct), out))
        return cls._owned(made)


class Mesh(Data):
    """A mesh of tetrahedra; `positions` and `elements` are views."""

    _ctype, _destroy = qn_mesh, "qn_mesh_destroy"

    @classmethod
    def read(cls, path, scale=1.0):
        """Read Gmsh MSH, VTK or VTU. `scale` is in m per unit of the file."""
        made, out = _out(qn_mesh)
        check(lib.qn_mesh_read(path_bytes(path, "path"), scale, out))
        return cls._owned(made)

    @classmethod
    def from_arrays(cls, positions, elements):
        """Make a mesh of positions (n × 3, m) and elements (n × 4 or n × 10 nodes, from 0)."""
        positions = as_array(positions, np.float64, "positions", 2, packed=True)
        elements = as_array(elements, np.uint32, "elements", 2, packed=True)
        if positions.shape[1] != 3 or elements.shape[1] not in (4, 10):
            raise ValueError(f"the shapes are {positions.shape} and {elements.shape}; expected (n, 3) and (n, 4) or (n, 10)")
        made, out = _out(qn_mesh)
        check(lib.qn_mesh_create(2 if elements.shape[1] == 10 else 1, pointer(positions, ctypes.c_double), len(positions),
                                 pointer(elements, ctypes.c_uint32), len(elements), out))  # fmt: skip
        return cls._owned(made)


Result._data_types.update(qn_molecule=Molecule, qn_topology=Topology, qn_volume=Volume, qn_particle_set=ParticleSet,
                          qn_mesh=Mesh)  # fmt: skip


def frames_of(positions, times_ps=None, boxes_nm=None, name="positions", scale=1.0):
    """A qn_frame_array over an array (frames × atoms × 3), and what must live as long. Positions are multiplied by
    `scale` by the library to be in nm; an array of 32-bit floats is not copied."""
    array = as_array(positions, np.float32, name)
    array = array[None] if array.ndim == 2 else array
    if array.ndim != 3 or array.shape[2] != 3 or 0 in array.shape:
        raise ValueError(f"{name} has the shape {array.shape}; expected frames × atoms × 3")
    struct = qn_frame_array(positions_nm=ctypes.cast(array.ctypes.data, ctypes.POINTER(ctypes.c_float)),
                            frame_count=array.shape[0], atom_count=array.shape[1], nm_per_unit=scale)  # fmt: skip
    struct.frame_stride_bytes, struct.atom_stride_bytes, struct.axis_stride_bytes = array.strides
    keep = [array]
    for member, value, shape in (("times_ps", times_ps, (len(array),)), ("boxes_nm", boxes_nm, (len(array), 9))):
        if value is not None:
            column = as_array(value, np.float64, member, packed=True)
            if column.size != int(np.prod(shape)):
                raise ValueError(f"{member} has the shape {column.shape}; expected numbers for {len(array)} frames")
            keep.append(column)
            setattr(struct, member, pointer(column, ctypes.c_double))
    return struct, keep


def images_of(images, name="images"):
    """A qn_image_array over an array (images × side × side), and the array."""
    array = as_array(images, np.float32, name, 3)
    if array.shape[1] != array.shape[2] or 0 in array.shape:
        raise ValueError(f"{name} has the shape {array.shape}; expected square images")
    struct = qn_image_array(values=ctypes.cast(array.ctypes.data, ctypes.POINTER(ctypes.c_float)), count=len(array),
                            side=array.shape[1])  # fmt: skip
    struct.image_stride_bytes, struct.row_stride_bytes, struct.pixel_stride_bytes = array.strides
    return struct, array


# ---- inputs of programs as objects: functions of (value, keep) that return {member: pointer}, or None for files ----


def data_form(member, cls):
    """An input that may be a Molecule, a Mesh …"""

    def form(value, keep):
        if not isinstance(value, cls):
            return None
        keep.append(value)
        return {member: value._pointer}

    return form


def volume_form(member):
    """An input that may be a Volume or an array."""

    def form(value, keep):
        if is_array_like(value) and not isinstance(value, Volume):
            value = Volume.from_array(value, name=member)
        if not isinstance(value, Volume):
            return None
        keep.append(value)
        return {member: value._pointer}

    return form


def molecules_form(members, count):
    """An input that may be a Molecule, or several."""

    def form(value, keep):
        values = [value] if isinstance(value, Molecule) else value
        if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
            return None
        values = list(values)
        if not values or not all(isinstance(one, Molecule) for one in values):
            return None
        array = (ctypes.POINTER(qn_molecule) * len(values))(*(one._pointer for one in values))
        keep.extend((values, array))
        return {members: ctypes.cast(array, ctypes.POINTER(ctypes.POINTER(qn_molecule))), count: len(values)}

    return form
