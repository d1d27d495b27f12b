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
    double effort;                  /* factor of the number of steps and of kicks */
    bool settle_all;                /* all walkers' poses settle with exact energies; else 16 of a molecule */
    uint64_t seed;
} qn_flexible_search_options;

typedef struct qn_flexible_searcher qn_flexible_searcher;

QN_MUST_CHECK qn_status qn_flexible_searcher_create(qn_device *device, const qn_score_receptor *receptor,
                                                    const qn_flexible_search_options *options,
                                                    qn_flexible_searcher **searcher);
void qn_flexible_searcher_destroy(qn_flexible_searcher **searcher);

/* Memory of a searcher (bytes). Maps are on its device; of chains and poses there is a copy in the process too. */
typedef struct qn_flexible_memory {
    double receptor;        /* of the receptor's atoms and lists of near ones, on the device */
    double map;             /* of a type of atoms */
    double molecule;        /* of a molecule among those searched together, on the device */
    double molecule_copies; /* and in the process */
    int together;           /* molecules that are searched together, at most */
} qn_flexible_memory;

qn_flexible_memory qn_flexible_searcher_memory(const qn_flexible_searcher *searcher);

/* Search `count` trees. 4 W chains start for W walkers; after a tenth of the steps the W best go on, after three tenths
 * the W/4 best of these. The best poses of all chains settle with exact energies, 16 of a molecule, those over 1 Å
 * apart first, or with `settle_all` W; then kicks look for lower ones near the best. poses, energies (kcal/mol, bent
 * hard): [tree][walkers], best first; the energy of a pose that there is not is INFINITY. *evaluations (NULL: not
 * wanted) gets the number of energies computed. */
QN_MUST_CHECK qn_status qn_flexible_searcher_run(qn_flexible_searcher *searcher, const qn_flexible_tree *const *trees,
                                                 int count, qn_flexible_pose *poses, double *energies,
                                                 double *evaluations);

/* Steps of the longest chains. */
int qn_flexible_steps(const qn_flexible_tree *tree, double effort);

/* Of up to `count` found poses, best first and with their energies as above, converge those in double precision that
 * are at least `diversity_angstrom` from the ones before (qn_flexible_rmsd_angstrom), and keep up to `most`, best
 * first. poses are reordered. */
QN_MUST_CHECK qn_status qn_flexible_refine(const qn_flexible_tree *tree, const qn_flexible_symmetry *symmetry,
                                           const qn_flexible_receptor *receptor, qn_flexible_pose *poses,
                                           double *energies, int count, double diversity_angstrom, int most,
                                           qn_flexible_result *results, int *kept);

#endif
