"""The other programs: files and arrays in, the command's numbers out."""

import subprocess
import unittest

import numpy as np
import quern
from support import COMMAND, DATA, EXAMPLES, Case

MAP = EXAMPLES / "particle/map.mrc.gz"


def command(*words):
    subprocess.run([COMMAND, *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def rmsd(a, b):
    """Least root-mean-square deviation, by Kabsch's method."""
    a, b = a - a.mean(0), b - b.mean(0)
    values = np.linalg.svd(a.T @ b)[1] * [1, 1, np.sign(np.linalg.det(a.T @ b))]
    return np.sqrt(max((a**2).sum() + (b**2).sum() - 2 * values.sum(), 0) / len(a))


class Structures(Case):
    def setUp(self):
        super().setUp()
        generator = np.random.default_rng(3)
        centres = generator.normal(size=(3, 1, 15, 3)) * 5
        self.frames = (centres + generator.normal(size=(3, 8, 15, 3)) * 0.1).reshape(24, 15, 3)

    def test_distances(self):
        found = quern.distances(self.frames, measure="rmsd")
        row, column = np.triu_indices(24, 1)
        expected = [rmsd(self.frames[i], self.frames[j]) for i, j in zip(row, column)]
        np.testing.assert_allclose(found.distances, expected, atol=2e-4)
        np.testing.assert_array_equal(found.square()[column, row], np.asarray(found))
        in_nm = quern.distances((self.frames / 10).astype(np.float32), unit="nm", measure="rmsd")
        np.testing.assert_allclose(in_nm.distances, expected, atol=2e-4)

    def test_strided_frames(self):
        wide = np.zeros((24, 15, 4), np.float32)
        wide[:, :, :3] = self.frames / 10
        views = quern.distances(wide[::-1, :, :3], unit="nm", measure="drmsd")
        packed = quern.distances(np.ascontiguousarray(wide[::-1, :, :3]), unit="nm", measure="drmsd")
        np.testing.assert_array_equal(views.distances, packed.distances)

    def test_clusters(self):
        for method in ("average", "gromos"):
            found = quern.cluster(self.frames, method=method, cutoff=2.0, measure="rmsd")
            self.assertEqual(found.cluster_count, 3)
            for first in range(0, 24, 8):
                self.assertEqual(len(set(found.labels[first : first + 8].tolist())), 1)
        tree = quern.cluster(self.frames, method="average", clusters=3, measure="rmsd").linkage
        self.assertEqual(tree.shape, (23, 4))
        self.assertEqual(tree[-1, 3], 24)

    def test_refusals(self):
        self.assertIn("frames × atoms × 3", self.message(ValueError, quern.distances, np.zeros((4, 5))))
        self.assertIn("frames × atoms × 3", self.message(ValueError, quern.distances, np.zeros((0, 5, 3))))
        self.assertIn("expected \"angstrom\"", self.message(ValueError, quern.distances, self.frames, unit="m"))
        bad = self.frames.copy()
        bad[3, 2, 1] = np.nan
        self.message(quern.Error, quern.distances, bad)
        self.message(quern.InvalidArgument, quern.distances, self.frames[:1])


class Maps(Case):
    def test_fsc(self):
        volume = quern.Volume.read(MAP)
        noise = np.random.default_rng(1).normal(size=(2, *volume.values.shape)).astype(np.float32)
        halves = np.asarray(volume.values) + noise * volume.values.std()
        found = quern.fsc(halves[0], halves[1], pixel_angstrom=3.0)
        for place in range(2):
            quern.Volume.from_array(halves[place], 3.0).write(self.folder / f"{place}.mrc")
        command("fsc", self.folder / "0.mrc", self.folder / "1.mrc", "-o", self.folder / "out", "-q")
        rows = np.genfromtxt(self.folder / "out/fsc.csv", delimiter=",", names=True)
        self.assertEqual(len(rows), found.shells)
        np.testing.assert_allclose(found.curve, rows["fsc_unmasked"], atol=1e-5)
        side, spectra = volume.values.shape[0], [np.fft.fftn(half.astype(float)) for half in halves]
        index = np.rint(np.sqrt(sum(one**2 for one in np.meshgrid(*[np.fft.fftfreq(side) * side] * 3)))).astype(int)
        for shell in (1, 5, 20):
            a, b = (one[index == shell] for one in spectra)
            expected = (a * b.conj()).sum().real / np.sqrt((abs(a) ** 2).sum() * (abs(b) ** 2).sum())
            self.assertAlmostEqual(found.curve[shell], expected, places=4)

    def test_project_and_reconstruct(self):
        volume = quern.Volume.read(MAP)
        views = quern.project(volume, views=80)
        self.assertEqual(views.images.shape, (80, 48, 48))
        made = quern.reconstruct(views.particle_set, images=views.images, halves=True)
        self.assertGreater(np.corrcoef(made.volume.ravel(), volume.values.ravel())[0, 1], 0.98)
        self.assertEqual(made.resolution, made.fsc.resolution)
        one = views.particle_set.particles
        columns = {name: one[name] for name in ("rot_degrees", "tilt_degrees", "psi_degrees")}
        mine = quern.ParticleSet.from_columns(made.voxel_angstrom, **columns)
        again = quern.reconstruct(mine, images=np.asarray(views.images)[:, :, :], halves=False)
        self.assertIsNone(again.fsc)
        self.assertIsNone(again.resolution)
        np.testing.assert_allclose(again.volume, made.volume, atol=1e-4 * np.abs(made.volume).max())
        self.assertIn("square", self.message(ValueError, quern.reconstruct, mine, images=np.zeros((2, 3, 4))))
        self.assertIn("expected an array", self.message(TypeError, quern.reconstruct, mine, images="stack.mrcs"))


class Others(Case):
    def test_every_program_refuses_in_words(self):
        """Without inputs each program says what it needs."""
        for call in (quern.dock, quern.evaluate, quern.fsc, quern.project, quern.reconstruct, quern.screen, quern.tunnel,
                     quern.transport, quern.potential, quern.movie, quern.distances, quern.cluster, quern.deform.solve,
                     quern.deform.space, quern.deform.simulate, quern.fuse.run, quern.fuse.explain, quern.fuse.write):  # fmt: skip
            self.assertGreater(len(self.message(quern.Error, call)), 10)
            self.assertIn("Options:", call.__doc__)

    def test_potential(self):
        receptor = next((DATA / "potential").rglob("*.pdbqt*"))
        found = quern.potential(receptor, types="C,OA", centre="auto", npts=[10, 8, 6])
        self.assertEqual([one.name for one in found.maps], ["C", "OA", "e", "d"])
        for one in found.maps:
            self.assertEqual(one.values.shape, (7, 9, 11))
            self.assertAlmostEqual(float(one.values.min()), one.least, places=3)

    def test_fuse(self):
        self.assertIn("axpy", quern.fuse.functions().text)

    def test_deform(self):
        grid = np.stack(np.meshgrid(*[np.arange(3) * 0.01] * 3, indexing="ij"), -1).reshape(-1, 3)
        self.message(quern.Error, quern.deform.solve, quern.Mesh.from_arrays(grid[[0, 1, 3, 9]], [[0, 1, 2, 3]]))


if __name__ == "__main__":
    unittest.main()
