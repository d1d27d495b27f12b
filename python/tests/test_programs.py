"""The other programs: files and arrays in, the command's numbers out."""

import itertools
import subprocess
import time
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


class Movies(Case):
    def test_a_known_motion(self):
        """Frames are windows of a scene that move by whole pixels; the micrograph is their number times the scene."""
        generator, side, margin = np.random.default_rng(2), 128, 16
        size = side + 2 * margin
        frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(size), np.fft.fftfreq(size)))
        scene = np.fft.ifft2(np.fft.fft2(generator.normal(size=(size, size))) * np.exp(-((frequency / 0.15) ** 2))).real
        scene = 10 + 2 * scene / scene.std()
        track = np.array([(0, 0), (2, -1), (3, -3), (5, -4), (6, -6), (6, -8), (7, -9), (8, -9)])
        frames = np.stack([scene[margin + y : margin + y + side, margin + x : margin + x + side] for x, y in track])
        frames += generator.normal(size=frames.shape) * 0.5
        quern.Volume.from_array(frames.astype(np.float32), 1.0).write(self.folder / "movie.mrc")
        movie = (self.folder / "movie.mrc").rename(self.folder / "movie.mrcs")  # a stack, not a volume
        found = quern.movie([movie], output=self.folder / "out", patches="none", spectrum_size=0, hot_pixels=0, pixel=1.0)
        self.assertEqual(found.movies["frame_count"].tolist(), [8])
        self.assertAlmostEqual(found.movies["motion_total_px"][0], np.hypot(*np.diff(track, axis=0).T).sum(), delta=0.2)
        rows = (self.folder / "out/movie.star").read_text().split("_rlnMicrographShiftY #3\n")[1].split("\n\n")[0]
        shifts = np.array([row.split() for row in rows.splitlines()], float)
        np.testing.assert_array_equal(shifts[:, 0], np.arange(1, 9))
        np.testing.assert_allclose(shifts[:, 1:], track, atol=0.15)  # of a pixel, by the noise
        inner = slice(margin + 24, margin + side - 24)  # without what moved in from outside
        micrograph = np.squeeze(quern.Volume.read(self.folder / "out/movie.mrc").values)[24:-24, 24:-24]
        error = micrograph - 8 * scene[inner, inner]
        self.assertAlmostEqual(error.mean(), 0, delta=0.15)
        self.assertAlmostEqual(error.std(), 0.5 * np.sqrt(8), delta=0.15)  # that of the frames' noise


class Passages(Case):
    """A carbon atom goes along the axis of a tube of carbon atoms, from its middle to beyond its mouth."""

    RADIUS = 3.3

    def tube(self):
        places = [(radius * np.cos(angle), radius * np.sin(angle), z)
                  for z in range(-12, 13, 2) for radius in (5.0, 7.5)
                  for angle in 2 * np.pi * (np.arange(16) + 0.5 * (z // 2 % 2)) / 16]  # fmt: skip
        return np.round(places, 3)

    def write(self, name, places, format):
        lines = [format.format(place + 1, *one) for place, one in enumerate(places)]
        (self.folder / name).write_text("\n".join([*lines, "END", ""]))
        return self.folder / name

    def energies(self, atoms, points):
        """AutoDock Vina's energy of a hydrophobic carbon among others, both with a radius of 1.9 Å: kcal/mol."""
        apart = np.linalg.norm(points[:, None] - atoms, axis=-1)
        gap = apart - 2 * 1.9
        terms = (-0.035579 * np.exp(-((gap / 0.5) ** 2)) - 0.005156 * np.exp(-(((gap - 3) / 2) ** 2))
                 + 0.840245 * np.minimum(gap, 0) ** 2 - 0.035069 * np.clip(1.5 - gap, 0, 1))  # fmt: skip
        return np.where(apart < 8, terms, 0).sum(1)

    def lowest(self, atoms, z, radius):
        """The least energy on a disc about the axis, on a polar grid that is made finer around its best points."""
        steps = np.array([radius / 20, 2 * np.pi / 96])
        polar = np.stack(np.meshgrid(np.arange(21), np.arange(96)), -1).reshape(-1, 2) * steps
        near = np.stack(np.meshgrid(*[np.linspace(-1, 1, 7)] * 2), -1).reshape(-1, 2)
        for _ in range(5):
            distance = np.minimum(np.abs(polar[:, 0]), radius)
            points = np.c_[distance * np.cos(polar[:, 1]), distance * np.sin(polar[:, 1]), np.full(len(polar), z)]
            energies = self.energies(atoms, points)
            best = np.argsort(energies)[:20]
            polar, steps = (polar[best, None] + near * steps).reshape(-1, 2), steps / 3
        return energies.min()

    def test_energies_of_a_carbon(self):
        atoms, start = self.tube(), 0.5
        atom = "ATOM  {0:5d}  C   GLY A{0:4d}    {1:8.3f}{2:8.3f}{3:8.3f}  1.00  0.00           C"
        receptor = self.write("tube.pdb", atoms, atom)
        axis = [(0, 0, z, self.RADIUS) for z in np.arange(start, 13, 0.5)]
        tunnel = self.write("tunnel.pdb", axis, "ATOM  {0:5d}  H   FIL T   1    {1:8.3f}{2:8.3f}{3:8.3f}{4:6.2f}")
        (self.folder / "carbon.sdf").write_text("carbon\n  made\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n"
                                                "    0.0000    0.0000    0.0000 C   0  0\nM  END\n$$$$\n")  # fmt: skip
        moved = quern.transport([receptor, self.folder / "carbon.sdf"], tunnel=[tunnel], direction="out")
        self.assertEqual(len(moved.passages), 1)
        one = moved.passages[0]
        self.assertEqual((one.receptor, one.ligand), ("tube", "carbon"))
        self.assertEqual(one.distances_angstrom[0], 0)
        self.assertGreater(one.distances_angstrom[-1], axis[-1][2] - start + 1)  # it goes on beyond the mouth
        places, some = start + one.distances_angstrom, slice(None, None, 5)
        lower = one.lower[some]
        expected = np.array([self.lowest(atoms, z, radius) for z, radius in zip(places[some], one.radii_angstrom[some])])
        self.assertGreater(expected.max() - expected.min(), 0.7)  # the way out costs energy
        np.testing.assert_allclose(lower, expected, atol=0.01)  # each atom at the cut-off is a step of 0.0036 kcal/mol
        self.assertGreaterEqual((one.upper_least - one.lower).min(), -1e-6)
        self.assertAlmostEqual(one.highest, one.upper_least.max(), delta=0.02)
        self.assertAlmostEqual(one.surface, self.lowest(atoms, places[-1], one.radii_angstrom[-1]), delta=0.02)
        self.assertAlmostEqual(one.bound, expected.min(), delta=0.02)
        self.assertAlmostEqual(one.gap, one.highest - one.lower.max(), places=6)


class Others(Case):
    def test_every_program_refuses_in_words(self):
        """Without inputs each program says what it needs."""
        for call in (quern.dock, quern.evaluate, quern.fsc, quern.project, quern.reconstruct, quern.screen, quern.tunnel,
                     quern.transport, quern.potential, quern.movie, quern.distances, quern.cluster, quern.deform.solve,
                     quern.deform.space, quern.deform.simulate, quern.screen_pack, quern.fuse.run, quern.fuse.explain, quern.fuse.write):  # fmt: skip
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

        found = quern.fuse.run(str(EXAMPLES / "fuse/axpydot.qf"), size="n=1000", device="host")
        self.assertEqual((found.kernel_count, found.unfused_kernel_count), (1, 3))  # a step is added, multiplied, summed
        self.assertIn("axpydot", quern.fuse.explain(str(EXAMPLES / "fuse/axpydot.qf"), size="n=1000").text)


class Deform(Case):
    def body(self):
        """A bar of 1 × 1 × 4 cm of tetrahedra, held at its lower end."""
        axes = np.arange(3) * 0.005, np.arange(3) * 0.005, np.arange(9) * 0.005
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), -1)
        numbers = np.arange(grid[..., 0].size).reshape(grid.shape[:3])
        tetrahedra = []
        for i, j, k in np.ndindex(2, 2, 8):
            corner = numbers[i : i + 2, j : j + 2, k : k + 2]
            for order in itertools.permutations(range(3)):  # Kuhn's six tetrahedra of a cube
                place, nodes = [0, 0, 0], [corner[0, 0, 0]]
                for axis in order:
                    place[axis] = 1
                    nodes.append(corner[tuple(place)])
                sides = grid.reshape(-1, 3)[nodes[1:]] - grid.reshape(-1, 3)[nodes[0]]
                tetrahedra.append(nodes if np.linalg.det(sides) > 0 else [nodes[1], nodes[0], *nodes[2:]])
        mesh = quern.Mesh.from_arrays(grid.reshape(-1, 3), tetrahedra)
        return mesh, {"material": "svk:10000,0", "fix": "z<0.001", "contact": "z>0.039"}

    def test_a_bar_is_pulled(self):
        """With Poisson's ratio 0 a bar that is stretched by λ takes the force E A (λ³ − λ) / 2 (St Venant-Kirchhoff)."""
        mesh, held = self.body()
        for stretch in (0.9, 1.1):
            found = quern.deform.solve(mesh, move=(0, 0, 0.04 * (stretch - 1)), **held)
            self.assertAlmostEqual(found.force[2], 1e4 * 1e-4 * (stretch**3 - stretch) / 2, places=6)
            np.testing.assert_allclose(found.force[:2], 0, atol=1e-8)
            np.testing.assert_allclose(found.displacements[:, 2], mesh.positions[:, 2] * (stretch - 1), atol=1e-9)

    def test_a_server(self):
        """A hand feels the opposite of the force of the tool, as interpolated between states."""
        mesh, held = self.body()
        expected = quern.deform.solve(mesh, move=(0, 0, -0.002), **held).force
        with quern.deform.serve(mesh, step=0.002, reach=0.004, rate=200, slew=1e6, **held) as server:
            self.assertTrue(server.address.startswith("unix:"))
            end, felt = time.monotonic() + 20, None
            while time.monotonic() < end and (felt is None or felt.flags):
                felt = server.feed((0, 0, -0.002))
                time.sleep(0.005)
            np.testing.assert_allclose(felt.force, -expected, atol=1e-4)
            self.assertIn("clamped", server.feed((0, 0, -0.01)).flags)
            self.assertIn("free", server.feed((0, 0, -0.002), grab=False).flags)
            self.message(ValueError, server.feed, (0, 0, np.nan))
            with quern.deform.Hand(server.address) as other:
                self.assertIn("another hand", self.message(ConnectionError, other.feed, (0, 0, 0)))
            server.let_go()
            end = time.monotonic() + 5
            while True:  # the server sees that the hand has gone at its next tick
                try:
                    with quern.deform.Hand(server.address) as hand:
                        self.assertEqual(len(hand.feed((0, 0, 0)).force), 3)
                    break
                except ConnectionError:
                    self.assertLess(time.monotonic(), end)
        self.assertGreater(server.result.ticks, 0)
        self.assertIs(server.stop(), server.result)
        self.message((OSError, ConnectionError), quern.deform.Hand, server.address)

    def test_a_server_that_cannot_begin(self):
        mesh, held = self.body()
        self.message(quern.InvalidArgument, quern.deform.serve, mesh, **{**held, "contact": "z>1"})
        self.assertIn("of its own", self.message(TypeError, quern.deform.serve, mesh, progress=print, **held))
        self.assertIn("no option", self.message(TypeError, quern.deform.serve, mesh, materiel=1))


class Collectives(Case):
    def setUp(self):
        super().setUp()
        self.references = np.random.default_rng(4).normal(size=(3, 6, 3))
        self.place = self.references[1] + np.random.default_rng(5).normal(size=(6, 3)) * 0.2

    def test_values(self):
        """RMSD by Kabsch's method, and the path variables of Branduardi, Gervasio and Parrinello."""
        path = quern.Collective(self.references, drmsd=True)
        found = path.evaluate(self.place)
        expected = np.array([rmsd(self.place, one) for one in self.references])
        np.testing.assert_allclose(found["rmsd"], expected, rtol=1e-9)
        weights = np.exp(-path.lambda_ * expected**2)
        self.assertAlmostEqual(found["s"], (weights * [1, 2, 3]).sum() / weights.sum(), places=9)
        self.assertAlmostEqual(found["z"], -np.log(weights.sum()) / path.lambda_, places=9)
        of_rmsd = quern.Collective(self.references, path="rmsd", lambda_=2.0)
        self.assertAlmostEqual(of_rmsd.evaluate(self.place)["z"], -np.log(np.exp(-2 * expected).sum()) / 2, places=9)
        pairs = [np.linalg.norm(one[:, None] - one, axis=-1)[np.triu_indices(6, 1)] for one in (self.place, *self.references)]
        np.testing.assert_allclose(found["drmsd"], [np.sqrt(((pairs[0] - one) ** 2).mean()) for one in pairs[1:]], rtol=1e-9)
        self.assertNotIn("s_gradient", found)

    def test_gradients(self):
        path = quern.Collective(self.references, weights=[1, 2, 3, 4, 5, 6])
        found, step = path.evaluate(self.place, gradients=True), 1e-6
        for name in ("s", "z"):
            for atom, axis in ((0, 1), (5, 2)):
                moved = [self.place.copy(), self.place.copy()]
                moved[0][atom, axis] -= step
                moved[1][atom, axis] += step
                low, high = (path.evaluate(one)[name] for one in moved)
                self.assertAlmostEqual(found[f"{name}_gradient"][atom, axis], (high - low) / (2 * step), places=5)
        self.assertEqual(found["rmsd_gradients"].shape, (3, 6, 3))

    def test_refusals(self):
        path = quern.Collective(self.references, path="none")
        self.assertEqual(sorted(path.evaluate(self.place)), ["rmsd"])
        self.assertIn("expected (6, 3)", self.message(ValueError, path.evaluate, self.place[:4]))
        self.message(quern.InvalidArgument, path.evaluate, self.place * np.nan)
        self.assertIn("one for each atom", self.message(ValueError, quern.Collective, self.references, weights=[1, 2]))
        self.assertIn("expected one of", self.message(ValueError, quern.Collective, self.references, path="odd"))
        self.message(quern.InvalidArgument, quern.Collective, self.references[:, :2])
        path.close()
        self.assertIn("closed", self.message(ValueError, path.evaluate, self.place))


if __name__ == "__main__":
    unittest.main()
