/* A miniBUDE deck in memory: a ligand, a receptor, a force field, poses and, if the deck has them, the reference
 * energies of its authors. */
#ifndef QN_SCORE_DECK_H
#define QN_SCORE_DECK_H

#include <quern/queue.h>

#include "score/bude.h"
#include "score/kernels/score_poses_near.h"

#define QN_DECK_TOLERANCE 2.5e-4 /* of |energy − reference| / max(1, |reference|) */

/* Hardness and distances of all types in the benchmark, which are not in the files of a deck. */
#define QN_DECK_HARDNESS 38.0f
#define QN_DECK_NONPOLAR_ANGSTROM 5.5f
#define QN_DECK_POLAR_ANGSTROM 1.0f

typedef struct qn_deck {
    qn_bude_type *types;
    int type_count, ligand_count, receptor_count, pose_count, reference_count;
    qn_score_poses_atom *ligand; /* ordered by type */
    double *receptor_positions;  /* receptor_count × 3 */
    int *receptor_types;
    float *poses;      /* six rows of pose_count: angles a, b, c, translation x, y, z */
    double *reference; /* energies of the first reference_count poses; NULL: the deck has none */
} qn_deck;

/* Read a deck. Errors: QN_NOT_FOUND; QN_BAD_FORMAT, with file, record, value and the expected value in the message. */
QN_MUST_CHECK qn_status qn_deck_read(const char *folder, qn_deck *deck);
void qn_deck_clear(qn_deck *deck);

/* Compute the rows of [R | t], R = Rz(c) Ry(b) Rx(a), of the first `poses` poses for qn_score_poses: twelve rows of
 * `padded` ≥ poses floats, padded with the last pose. */
void qn_deck_transforms(const qn_deck *deck, int poses, int padded, float *transforms);

/* Make a deck of random atoms with the density of proteins. Ligand and receptor are balls, which touch or overlap in
 * all poses. The force field is "2013"; there are no reference energies. */
QN_MUST_CHECK qn_status qn_deck_draw(int receptor_atoms, int ligand_atoms, int poses, uint64_t seed, qn_deck *deck);

/* Device buffers for scoring the first poses of a deck. */
typedef struct qn_deck_run {
    qn_queue *queue;
    qn_score_poses_receptor *receptor;
    qn_score_poses_near *near; /* NULL: no culling */
    qn_score_poses_room *room;
    qn_buffer *jobs, *atoms, *transforms, *energies;
    float *transforms_here; /* by qn_deck_transforms, for problem.poses poses */
    qn_score_poses_problem problem;
} qn_deck_run;

QN_MUST_CHECK qn_status qn_deck_run_create(qn_device *device, const qn_deck *deck, int poses, bool exact, bool cull,
                                           qn_deck_run *run);
void qn_deck_run_clear(qn_deck_run *run);
/* Score and wait. `configuration` NULL: chosen by the tuner. *seconds: device time of all commands. */
QN_MUST_CHECK qn_status qn_deck_run_score(qn_deck_run *run, const qn_configuration *configuration, double *seconds);

/* Compute the energies of the first `poses` poses; *seconds: device time. */
QN_MUST_CHECK qn_status qn_deck_score(qn_device *device, const qn_deck *deck, int poses, bool exact, bool cull,
                                      float *energies, double *seconds);

#endif
