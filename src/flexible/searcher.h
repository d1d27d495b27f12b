/* Searches of flexible molecules in one receptor on one device: maps, chains, and the poses that they find.
 *
 * Life cycle: create → run, again and again → destroy. Thread rule: one thread at a time. The same molecule gets the
 * same poses on every device, whatever else is searched.
 */
#ifndef QN_FLEXIBLE_SEARCHER_H
#define QN_FLEXIBLE_SEARCHER_H

#include <quern/device.h>

#include "flexible/alike.h"
#include "flexible/dock.h"
#include "flexible/kernels/search.h"
#include "flexible/sides.h"

typedef struct qn_flexible_search_options {
    double box_centre_angstrom[3], box_side_angstrom[3];
    bool confine_atoms;             /* all atoms stay in the box; else the centroid does */
    const qn_flexible_sides *sides; /* of the receptor, which turn: maps reach as far as they; NULL: none */
    int walkers;                    /* chains of a molecule that go on after the first stage */
    double effort;                  /* factor of the number of steps */
    uint64_t seed;
} qn_flexible_search_options;

typedef struct qn_flexible_searcher qn_flexible_searcher;

QN_MUST_CHECK qn_status qn_flexible_searcher_create(qn_device *device, const qn_score_receptor *receptor,
                                                    const qn_flexible_search_options *options,
                                                    qn_flexible_searcher **searcher);
void qn_flexible_searcher_destroy(qn_flexible_searcher **searcher);

/* Memory of a searcher (bytes). Maps are on its device; of chains and poses there is a copy in the process too. */
typedef struct qn_flexible_memory {
    double map;             /* of a type of atoms */
    double molecule;        /* of a molecule among those searched together, on the device */
    double molecule_copies; /* and in the process */
    int together;           /* molecules that are searched together, at most */
} qn_flexible_memory;

qn_flexible_memory qn_flexible_searcher_memory(const qn_flexible_searcher *searcher);

/* Search `count` trees. 4 W chains start for W walkers; after a tenth of the steps the W best go on, after three tenths
 * the W/4 best of these. poses: [tree][walkers], the best of all chains, those over 1 Å apart first; energies
 * (kcal/mol, on maps): the same shape. *evaluations (NULL: not wanted) gets the number of energies computed. */
QN_MUST_CHECK qn_status qn_flexible_searcher_run(qn_flexible_searcher *searcher, const qn_flexible_tree *const *trees,
                                                 int count, qn_flexible_pose *poses, double *energies,
                                                 double *evaluations);

/* Steps of the longest chains. */
int qn_flexible_steps(const qn_flexible_tree *tree, double effort);

/* Random steps from the best pose, with random numbers of a seed and a molecule. */
typedef struct qn_flexible_kicks {
    int count;
    uint64_t seed, stream;
} qn_flexible_kicks;

/* Those of an effort: 32 with an effort of 1. */
qn_flexible_kicks qn_flexible_kicks_of(const qn_flexible_tree *tree, double effort, uint64_t seed);

/* Refine the best of `count` poses with exact energies, look for lower ones near the best by kicks, and keep up to
 * `most` of them, best first, each at least `diversity_angstrom` from the others (qn_flexible_rmsd_angstrom). poses are
 * reordered. */
QN_MUST_CHECK qn_status qn_flexible_refine(const qn_flexible_tree *tree, const qn_flexible_symmetry *symmetry,
                                           const qn_flexible_receptor *receptor, qn_flexible_pose *poses,
                                           double *energies, int count, double diversity_angstrom, int most,
                                           const qn_flexible_kicks *kicks, qn_flexible_result *results, int *kept);

#endif
