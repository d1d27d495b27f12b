"""Make models.pdb.gz: python3 make_models.py (numpy). Two helices of 15 alanines on a hinge: 18 models are closed, 12
half open, 6 open, in mixed order, each turned and moved at random, with a little noise on every atom."""
import gzip

import numpy

random = numpy.random.RandomState(11)
# name, radius in Å, angle in degrees, height in Å, of an ideal α-helix
ATOMS = (("N", 1.55, -27.7, -0.87), ("CA", 2.28, 0.0, 0.0), ("C", 1.66, 26.3, 1.12), ("O", 2.02, 19.0, 2.33))


def helix(residues):
    points = []
    for residue in range(residues):
        for _, radius, angle, height in ATOMS:
            turn = numpy.radians(100 * residue + angle)
            points.append((radius * numpy.cos(turn), radius * numpy.sin(turn), 1.5 * residue + height))
    return numpy.array(points)


def rotation(axis, degrees):
    angle, axis = numpy.radians(degrees), numpy.array(axis) / numpy.linalg.norm(axis)
    cross = numpy.cross(numpy.eye(3), axis)
    return numpy.eye(3) + numpy.sin(angle) * cross + (1 - numpy.cos(angle)) * cross @ cross


def model(opening):
    first, second = helix(15), helix(15)
    top = numpy.array([5.0, 0, 23.5])
    second = second @ rotation((0, 1, 0), opening - 180).T  # the second helix runs back beside the first
    second += top + numpy.array([5.0, 0, 0]) - second[:4].mean(axis=0)
    points = numpy.vstack([first, second]) + random.normal(0, 0.08, (120, 3))
    turn = numpy.linalg.qr(random.normal(size=(3, 3)))[0]
    turn *= numpy.sign(numpy.linalg.det(turn))
    return points @ turn.T + random.uniform(-20, 20, 3)


states = [(20, 18), (70, 12), (120, 6)]  # degrees between the helices, models
openings = numpy.concatenate([random.normal(mean, 5, count) for mean, count in states])
with gzip.GzipFile("models.pdb.gz", "wb", mtime=0) as file:
    for number, opening in enumerate(random.permutation(openings), 1):
        file.write(f"MODEL     {number:4d}\n".encode())
        for i, (x, y, z) in enumerate(model(opening)):
            name = ATOMS[i % 4][0]
            file.write(f"ATOM  {i + 1:5d}  {name:<3s} ALA A{i // 4 + 1:4d}    {x:8.3f}{y:8.3f}{z:8.3f}"
                       f"  1.00{opening:6.2f}          {name[0]:>2s}\n".encode())
        file.write(b"ENDMDL\n")
