"""Results and data: every array has a length, tables hold what structs hold, and wrong arrays are refused."""

import ctypes
import gc
import unittest

import numpy as np
import quern
from quern import _generated, _shapes
from quern._generated import PROGRAMS
from quern._memory import as_array, dtype_of, view
from quern._results import count_of, enum_words, is_table, table_of
from support import EXAMPLES, Case


class Lengths(Case):
    def pointers(self, struct, seen):
        """All members of a struct, and of those that it points to, which are pointers."""
        if struct in seen:
            return
        seen.add(struct)
        for name, type in struct._fields_:
            if hasattr(type, "contents") and not issubclass(type, ctypes._CFuncPtr):
                yield struct, name, type._type_
                if hasattr(type._type_, "_fields_"):
                    yield from self.pointers(type._type_, seen)
            elif hasattr(type, "_fields_"):
                yield from self.pointers(type, seen)

    def test_every_pointer_of_a_result(self):
        seen = set()
        data = ["qn_molecule", "qn_topology", "qn_volume", "qn_particle_set", "qn_mesh"]
        for name in [*(one["result_struct"] for one in PROGRAMS.values()), *data]:
            for struct, member, target in self.pointers(getattr(_generated, name), seen):
                key = struct.__name__, member
                known = key in _shapes.SINGLE or key in _shapes.SHAPES or count_of(struct, member)
                self.assertTrue(known, f"the length of {key} is not known")

    def test_no_shape_is_left_over(self):
        for struct, member in [*_shapes.SHAPES, *_shapes.SINGLE, *_shapes.MATRICES, *_shapes.COLUMNS]:
            self.assertIn(member, dict(getattr(_generated, struct)._fields_), struct)

    def test_words_of_enums(self):
        self.assertEqual(list(enum_words("qn_capri_class").values()), ["incorrect", "acceptable", "medium", "high"])
        self.assertEqual(enum_words("qn_test_outcome")[0], "correct")
        for name in _generated.ENUMS:
            words = enum_words(name)
            self.assertEqual(len(set(words.values())), len(words), name)


class Tables(Case):
    def test_a_table_has_what_the_structs_have(self):
        struct = _generated.qn_evaluate_model
        names = [b"one", None, "drei ä".encode()]
        rows = (struct * 3)(*(struct(names[i], 0.5 * i, i, 2 * i, 0.25 * i, i) for i in range(3)))
        made = table_of(struct, ctypes.addressof(rows), 3, rows, None)
        self.assertEqual(made["name"].tolist(), ["one", None, "drei ä"])
        self.assertEqual(made["capri"].tolist(), ["incorrect", "acceptable", "medium"])
        np.testing.assert_array_equal(made["fnat"], [0, 0.5, 1])
        with self.assertRaises(ValueError):
            made["fnat"][0] = 1

    def test_a_table_of_numbers_is_a_view(self):
        struct = _generated.qn_tunnel_cluster
        rows = (struct * 2)()
        made = table_of(struct, ctypes.addressof(rows), 2, rows, None)
        rows[1].mean_cost = 4
        self.assertEqual(made["mean_cost"].tolist(), [0, 4])

    def test_dtypes_have_the_layout_of_structs(self):
        for name in ("qn_atom", "qn_residue", "qn_topology_atom", "qn_particle", "qn_dock_result_cluster"):
            struct = getattr(_generated, name)
            made = dtype_of(struct)
            self.assertEqual(made.itemsize, ctypes.sizeof(struct))
            for member, _ in struct._fields_:
                self.assertEqual(made.fields[member][1], getattr(struct, member).offset)

    def test_a_view_keeps_its_owner(self):
        freed = []

        class Owner:
            def __del__(self):
                freed.append(True)

        memory = (ctypes.c_double * 3)(1, 2, 3)
        array = view(ctypes.addressof(memory), (3,), "f8", Owner())
        part = array[1:]
        del array
        gc.collect()
        self.assertEqual(freed, [])
        np.testing.assert_array_equal(part, [2, 3])
        del part
        gc.collect()
        self.assertEqual(freed, [True])

    def test_ragged_structs_are_records(self):
        self.assertFalse(is_table(_generated.qn_tunnel))
        self.assertFalse(is_table(_generated.qn_screen_result_pose))
        self.assertTrue(is_table(_generated.qn_dock_result_cluster))

    def test_empty_table(self):
        made = table_of(_generated.qn_evaluate_model, 0, 0, None, None)
        self.assertEqual((len(made), made.dtype.names[0]), (0, "name"))
        self.assertIn("0 rows", made._repr_html_())


class Arrays(Case):
    def test_no_copy_where_none_is_needed(self):
        array = np.zeros((4, 3), np.float32)
        self.assertTrue(np.shares_memory(as_array(array, np.float32, "a"), array))
        self.assertTrue(np.shares_memory(as_array(memoryview(array), np.float32, "a"), array))
        self.assertTrue(np.shares_memory(as_array(array[:, ::-1], np.float32, "a"), array))
        self.assertTrue(as_array(array[:, ::-1], np.float32, "a", packed=True).flags.c_contiguous)
        array.flags.writeable = False
        self.assertTrue(np.shares_memory(as_array(array, np.float32, "a"), array))

    def test_conversions(self):
        self.assertEqual(as_array([[1, 2]], np.float32, "a").dtype, np.float32)
        swapped = np.arange(3, dtype=">f4")
        np.testing.assert_array_equal(as_array(swapped, np.float32, "a"), [0, 1, 2])
        np.testing.assert_array_equal(as_array(np.arange(3), np.uint32, "a"), [0, 1, 2])

    def test_dlpack(self):
        class Exporter:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **named):
                return self.array.__dlpack__()

            def __dlpack_device__(self):
                return (1, 0)

        array = np.arange(6, dtype=np.float32)
        self.assertTrue(np.shares_memory(as_array(Exporter(array), np.float32, "a"), array))

    def test_arrays_of_a_gpu_are_refused_in_words(self):
        class OnGpu:
            __cuda_array_interface__ = {}

        self.assertIn("on a GPU", self.message(TypeError, as_array, OnGpu(), np.float32, "frames"))

    def test_refusals(self):
        self.assertIn("axes", self.message(ValueError, as_array, np.zeros(3), np.float32, "a", 2))
        self.assertIn("expected float32", self.message(TypeError, as_array, ["a"], np.float32, "a"))
        self.assertIn("expected float32", self.message(TypeError, as_array, np.zeros(2, complex), np.float32, "a"))
        self.assertIn("expected uint32", self.message(TypeError, as_array, [1.5], np.uint32, "a"))
        self.assertIn("do not fit", self.message(ValueError, as_array, [-1], np.uint32, "a"))
        self.assertIn("no array", self.message(ValueError, as_array, [[1], [1, 2]], np.float32, "a"))


class Data(Case):
    def test_volume(self):
        array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
        volume = quern.Volume.from_array(array, 1.5)
        self.assertTrue(np.shares_memory(np.asarray(volume), array))
        volume.write(self.folder / "map.mrc", "a label")
        again = quern.Volume.read(self.folder / "map.mrc")
        np.testing.assert_array_equal(again.values, array)
        np.testing.assert_allclose(again.voxel_angstrom, 1.5)
        self.message(quern.NotFound, quern.Volume.read, self.folder / "none.mrc")
        self.assertIn("3 axes", self.message(ValueError, quern.Volume.from_array, np.zeros(3)))

    def test_molecule(self):
        path = EXAMPLES / "1ppe/1PPE_l_u_rnd.pdb"
        molecule = quern.Molecule.read(path)
        lines = [line for line in path.read_text().split("\n") if line.startswith(("ATOM", "HETATM"))]
        self.assertEqual(molecule.atom_count, len(lines))
        places = [[float(line[30 + 8 * i : 38 + 8 * i]) for i in range(3)] for line in lines]
        np.testing.assert_allclose(molecule.positions_angstrom, places, atol=1e-9)
        self.assertEqual(molecule.atoms["name"].tolist(), [line[12:16].strip() for line in lines])
        copy = molecule.copy()
        molecule.close()
        self.assertIn("closed", self.message(ValueError, molecule.write, "x.pdb"))
        copy.write(self.folder / "copy.pdb")
        np.testing.assert_allclose(quern.Molecule.read(self.folder / "copy.pdb").positions_angstrom, places, atol=1e-3)

    def test_topology(self):
        made = quern.Topology.from_arrays(
            ["OW", "HW1", "HW2", "OW", "HW1", "HW2"], residues=[0, 0, 0, 1, 1, 1], residue_names="SOL",
            bonds=[[0, 1], [0, 2], [3, 4], [5, 3]], charges_e=[-0.8, 0.4, 0.4] * 2,
        )  # fmt: skip
        self.assertEqual((made.atom_count, made.residue_count, made.molecule_count, made.bond_count), (6, 2, 2, 4))
        self.assertEqual(made.atoms["element"].tolist(), ["O", "H", "H"] * 2)
        self.assertEqual(made.bonds.tolist(), [[0, 1], [0, 2], [3, 4], [3, 5]])
        self.assertAlmostEqual(made.atoms["mass_u"][0], 15.999, places=2)
        self.message(quern.BadFormat, quern.Topology.from_arrays, ["A", "B"], bonds=[[0, 5]])
        self.message(ValueError, quern.Topology.from_arrays, [])
        self.message(ValueError, quern.Topology.from_arrays, ["A", "B"], residues=[1, 0])

    def test_particles(self):
        made = quern.ParticleSet.from_columns(1.5, rot_degrees=[1, 2], tilt_degrees=[3, 4], psi_degrees=[5, 6])
        self.assertEqual(made.particles["psi_degrees"].tolist(), [5, 6])
        self.assertEqual(made.optics["pixel_angstrom"].tolist(), [1.5])
        self.assertIn("no column", self.message(TypeError, quern.ParticleSet.from_columns, 1, other=[1]))
        columns = {"rot_degrees": [1, 2], "tilt_degrees": [3], "psi_degrees": [5, 6]}
        self.assertIn("same number", self.message(ValueError, quern.ParticleSet.from_columns, 1.5, **columns))
        nan = {**columns, "tilt_degrees": [float("nan"), 1]}
        self.assertIn("tilt", self.message(quern.InvalidArgument, quern.ParticleSet.from_columns, 1.5, **nan))

    def test_mesh(self):
        positions = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        mesh = quern.Mesh.from_arrays(positions, [[0, 1, 2, 3]])
        np.testing.assert_array_equal(mesh.positions, positions)
        self.assertEqual(mesh.elements.tolist(), [[0, 1, 2, 3]])
        self.message(quern.InvalidArgument, quern.Mesh.from_arrays, positions, [[0, 1, 2, 9]])

    def test_devices(self):
        self.assertIn("host", [one["identifier"] for one in quern.devices() if one["usable"]])
        with quern.Device("host") as device:
            self.assertEqual(device.kind, "cpu")
            self.assertGreater(device.memory_bytes, 0)
        self.assertIn("closed", self.message(ValueError, lambda: device.pointer))
        self.message(quern.NoDevice, quern.Device, "cuda:99")


if __name__ == "__main__":
    unittest.main()
