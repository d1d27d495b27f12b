"""Objects of other packages, where these are installed; and a running simulation."""

import importlib
import socket
import struct
import threading
import unittest
import warnings

import numpy as np
import quern
from quern._memory import as_array
from support import EXAMPLES, Case

WATER = str(EXAMPLES / "water/water.tpr"), str(EXAMPLES / "water/water.xtc")
KINASE, IMATINIB = EXAMPLES / "1iep/1iep_receptor.pdb", EXAMPLES / "1iep/1iep_ligand.sdf"
QUICK = {"walkers": 4, "effort": 0.02}


def companion(name):
    """A package that may be absent."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module(name)
        except ImportError:
            raise unittest.SkipTest(f"{name} is not installed") from None


class Trajectories(Case):
    @classmethod
    def setUpClass(cls):
        cls.files = quern.Trajectory(*WATER)
        cls.rdf = cls.files.rdf("name OW", "name OW", max=0.8)

    def make_pdb(self):
        """The topology as a PDB file, which all packages read."""
        atoms, positions = self.files.topology.atoms, self.files.frames(last=0).positions_nm[0] * 10
        lines = [f"ATOM  {i + 1:5d} {one['name']:>4s} SOL A{one['residue'] + 1:4d}    {x:8.3f}{y:8.3f}{z:8.3f}  1.00  0.00"
                 f"          {one['element'].strip().capitalize():>2s}" for i, (one, (x, y, z)) in enumerate(zip(atoms, positions))]  # fmt: skip
        path = self.folder / "water.pdb"
        path.write_text("\n".join([*lines, "END", ""]))
        return str(path)

    def test_mdanalysis(self):
        """A Universe gives what the files give, up to the rounding of its Å."""
        package = companion("MDAnalysis")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            universe = package.Universe(self.make_pdb(), WATER[1])
            t = quern.Trajectory.from_mdanalysis(universe)
            for _ in range(2):  # each run reads the frames anew
                found = t.rdf("name OW", "name OW", max=0.8)
                np.testing.assert_allclose(found.g, self.rdf.g, atol=0.02)
            np.testing.assert_array_equal(found.r, self.rdf.r)
            np.testing.assert_allclose(t.gyration("resid 1", whole=False).time, self.files.gyration("resid 1").time, rtol=1e-6)
            positions = t.frames().positions_nm
        np.testing.assert_allclose(positions, self.files.frames().positions_nm, atol=2e-6)
        self.assertEqual(t.topology.residue_count, self.files.topology.residue_count)

    def test_mdtraj(self):
        package = companion("mdtraj")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loaded = package.load(WATER[1], top=self.make_pdb())
        t = quern.Trajectory.from_mdtraj(loaded)
        self.assertTrue(np.shares_memory(t._array[1][0], loaded.xyz))
        np.testing.assert_array_equal(t.rdf("name OW" if "OW" in {a.name for a in loaded.topology.atoms} else "name O",
                                            max=0.8).g, self.files.rdf("name OW", max=0.8).g)  # fmt: skip
        ours = quern.distances(loaded.xyz[:, :300], measure="rmsd", unit="nm").square() * 0.1
        theirs = package.rmsd(loaded.atom_slice(range(300)), loaded.atom_slice(range(300)), 4)
        np.testing.assert_allclose(ours[4], theirs, atol=2e-5)

    def test_live(self):
        """A simulation that speaks IMD, version 2, imitated here: its frames give what the same frames in memory give."""
        frames = np.random.default_rng(0).normal(size=(6, 4, 3)).astype(np.float32)
        topology = quern.Topology.from_arrays(["CA"] * 4, elements=["C"] * 4, masses_u=[12, 13, 14, 15])
        listener = socket.create_server(("127.0.0.1", 0))
        listener.settimeout(20)
        heard = []

        def simulate():
            client, _ = listener.accept()
            with client:
                client.settimeout(20)
                client.sendall(struct.pack(">i", 4) + struct.pack("<i", 2))  # greeting: version 2, in this machine's order
                heard.append(struct.unpack(">ii", client.recv(8, socket.MSG_WAITALL))[0])
                for frame in frames:
                    client.sendall(struct.pack(">ii", 2, len(frame)) + (frame * 10).astype("<f4").tobytes())  # in Å
                client.sendall(struct.pack(">ii", 0, 0))  # goodbye

        thread = threading.Thread(target=simulate)
        thread.start()
        t = quern.Trajectory.live(f"127.0.0.1:{listener.getsockname()[1]}", topology, live_step=2)
        found = t.gyration(whole=False)
        thread.join()
        listener.close()
        self.assertEqual(heard, [3])  # go
        held = quern.Trajectory(topology, frames).gyration(whole=False)
        np.testing.assert_allclose(found.rg, held.rg, rtol=1e-6)


class Molecules(Case):
    def setUp(self):
        super().setUp()
        companion("rdkit")
        self.chem = companion("rdkit.Chem")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            supplier = self.chem.SDMolSupplier(str(EXAMPLES / "1iep/kinase_inhibitors.sdf"), removeHs=False)
            self.molecules = [supplier[i] for i in range(3)]
        self.site = self.chem.SDMolSupplier(str(IMATINIB), removeHs=False)[0]

    def test_a_screen_of_molecules(self):
        """Molecules of RDKit are scored as the records that they were read from."""
        held = quern.screen(KINASE, [self.site, *self.molecules], score_only=True)
        of_files = quern.screen(KINASE, [IMATINIB, EXAMPLES / "1iep/kinase_inhibitors.sdf"], score_only=True)
        self.assertEqual(held.molecules["name"].tolist(), of_files.molecules["name"][:4].tolist())
        np.testing.assert_allclose(held.molecules["energy"], of_files.molecules["energy"][:4], rtol=1e-5)
        self.assertLess(held.molecules["energy"][0], -8)  # imatinib in its place

    def test_a_stream(self):
        hits = list(quern.screen_stream(KINASE, iter(self.molecules), batch=2, site=self.site, **QUICK))
        self.assertEqual([hit.index for hit in hits], [0, 1, 2])
        self.assertEqual([hit.name for hit in hits], [one.GetProp("_Name") for one in self.molecules])
        box = self.site.GetConformer().GetPositions().mean(0)
        for hit, molecule in zip(hits, self.molecules):
            centre = hit.poses[0].positions_angstrom.mean(0)
            self.assertLess(np.abs(centre - box).max(), 10)
            self.assertGreater(molecule.GetNumAtoms() + 1, len(hit.poses[0].positions_angstrom))

    def test_molecules_that_are_none(self):
        """A supplier gives None for a record that it cannot read."""
        hits = quern.screen_stream(KINASE, [self.molecules[0], None], site=self.site, **QUICK)
        self.assertEqual(next(hits).index, 0)
        self.assertIn("None", self.message(TypeError, next, hits))


class Arrays(Case):
    def tensors(self, make):
        """Arrays of a package give what the same numbers in NumPy give, whatever their strides and kind of number."""
        frames = np.random.default_rng(0).normal(size=(6, 5, 3)).astype(np.float32)
        expected = quern.distances(frames, measure="rmsd").distances
        wide = np.zeros((6, 10, 6), np.float32)
        wide[:, ::2, 1::2] = frames
        turned = np.ascontiguousarray(frames.transpose(2, 1, 0))
        for tensor in (make(frames), make(wide)[:, ::2, 1::2], make(turned).swapaxes(0, 2), make(frames.astype(np.float64))):
            self.assertEqual(tuple(tensor.shape), frames.shape)
            self.assertNotIsInstance(tensor, np.ndarray)
            np.testing.assert_array_equal(quern.distances(tensor, measure="rmsd").distances, expected)
        halves = np.random.default_rng(1).normal(size=(2, 12, 12, 12)).astype(np.float32)
        found = quern.fsc(make(halves[0]), make(halves[1]), pixel_angstrom=1)
        np.testing.assert_array_equal(found.curve, quern.fsc(halves[0], halves[1], pixel_angstrom=1).curve)
        path = quern.Collective(make(frames.astype(np.float64)), weights=make(np.arange(1, 6)))
        of_numpy = quern.Collective(frames, weights=np.arange(1, 6)).evaluate(frames[2])
        self.assertEqual(path.evaluate(make(frames[2]))["s"], of_numpy["s"])
        topology = quern.Topology.from_arrays(["CA"] * 5, elements=["C"] * 5, masses_u=make(np.arange(12.0, 17)))
        of_tensor = quern.Trajectory(topology, make(frames)).gyration(whole=False).rg
        np.testing.assert_array_equal(of_tensor, quern.Trajectory(topology, frames).gyration(whole=False).rg)
        self.assertIn("frames × atoms × 3", self.message(ValueError, quern.distances, make(frames[:, :, :2])))
        bad = frames.copy()
        bad[2, 1, 0] = np.nan
        self.assertIn("frame 2", self.message(quern.InvalidArgument, quern.distances, make(bad), measure="rmsd"))

    def test_torch(self):
        torch = companion("torch")
        self.tensors(lambda array: torch.from_numpy(array.copy()))
        frames = torch.randn(6, 5, 3)
        self.assertEqual(as_array(frames, np.float32, "frames").ctypes.data, frames.data_ptr())  # no copy
        learned = torch.randn(6, 5, 3, requires_grad=True)
        self.assertIn("grad", self.message(Exception, quern.distances, learned, measure="rmsd"))
        found = quern.distances(learned.detach(), measure="rmsd").distances
        np.testing.assert_array_equal(found, quern.distances(learned.detach().numpy(), measure="rmsd").distances)

    def test_torch_on_a_gpu(self):
        torch = companion("torch")
        if not torch.cuda.is_available():
            self.skipTest("torch has no GPU")
        self.on_a_gpu(lambda array: torch.from_numpy(array).cuda())

    def test_cupy(self):
        cupy = companion("cupy")
        try:
            cupy.zeros(1)
        except Exception as error:  # its own classes, by what is missing
            self.skipTest(f"CuPy has no GPU: {error}")
        self.on_a_gpu(cupy.asarray)

    def on_a_gpu(self, make):
        """Arrays of a GPU are copied, or refused in words."""
        frames = np.random.default_rng(0).normal(size=(6, 5, 3)).astype(np.float32)
        try:
            found = quern.distances(make(frames), measure="rmsd").distances
        except TypeError as error:
            self.assertIn("GPU", str(error))
        else:
            np.testing.assert_array_equal(found, quern.distances(frames, measure="rmsd").distances)

    def test_pandas(self):
        companion("pandas")
        found = quern.Trajectory(*WATER).rdf("name OW", max=0.8)
        frame = found.to_pandas()
        self.assertEqual(list(frame.columns), list(found.table.dtype.names))
        np.testing.assert_array_equal(frame["g"], found.g)
        groups = quern.cluster(np.random.default_rng(0).normal(size=(9, 5, 3)), clusters=3, measure="rmsd")
        self.assertEqual(int(groups.clusters.to_pandas()["size"].sum()), 9)
        volume = np.random.default_rng(0).normal(size=(2, 12, 12, 12)).astype(np.float32)
        table = quern.fsc(volume[0], volume[1], pixel_angstrom=1).to_pandas()
        self.assertEqual(list(table.columns), ["frequency_per_angstrom", "unmasked"])
        columns = quern.Trajectory(*WATER).topology.atoms.to_pandas()  # columns of a DataFrame are inputs, too
        again = quern.Topology.from_arrays(columns["name"], residues=columns["residue"], masses_u=columns["mass_u"])
        self.assertEqual(again.atom_count, len(columns))

    def test_tqdm(self):
        tqdm = companion("tqdm")
        bars = []

        class Bar(tqdm.tqdm):
            def __init__(self, *arguments, **named):
                super().__init__(*arguments, file=open("/dev/null", "w"), **named)
                bars.append(self)

            def close(self):
                super().close()
                if not self.fp.closed:
                    self.fp.close()

        quern.distances(np.random.default_rng(0).normal(size=(400, 30, 3)), progress=Bar)
        self.assertTrue(bars)
        self.assertTrue(any(bar.total and bar.n == bar.total for bar in bars))


if __name__ == "__main__":
    unittest.main()
