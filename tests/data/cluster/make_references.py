"""Make the files of this folder: python3 make_references.py (numpy and scipy)."""
import numpy
from scipy.cluster.hierarchy import cophenet, fcluster, linkage
from scipy.spatial.distance import pdist

random = numpy.random.RandomState(7)
centres = random.uniform(-12, 12, (5, 4))
points = numpy.vstack([random.normal(centres[i % 5], 2.5, (1, 4)) for i in range(60)])
points[50:] = points[:10]                    # identical items
distances = numpy.round(pdist(points), 2)    # rounded, so that some are equal
numpy.savetxt("made_distances.csv", distances, "%.2f")
for method in ("single", "complete", "average", "ward"):
    tree = linkage(distances, method)
    numpy.savetxt(f"made_{method}.csv", tree, "%.7g", delimiter=",")
    rows = [cophenet(tree, distances)[0], *fcluster(tree, 6, "maxclust"), *fcluster(tree, 9, "distance")]
    numpy.savetxt(f"made_{method}_labels.csv", rows, "%.9g")

# Whole numbers: nearly all distances have equals, and no arithmetic rounds.
grid = random.randint(0, 7, (48, 3))
numpy.savetxt("tied_distances.csv", pdist(grid, "cityblock"), "%d")
for method in ("single", "complete"):
    numpy.savetxt(f"tied_{method}.csv", linkage(pdist(grid, "cityblock"), method), "%d", delimiter=",")
