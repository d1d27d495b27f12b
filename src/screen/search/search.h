/* Evolutionary Monte Carlo over rigid poses on one device: many ligands at once, the whole loop on the device.
 *
 * A pose is six 16-bit numbers: angles a, b, c in 1/65536 of a turn, R = Rz(c) Ry(b) Rx(a) about the ligand's centroid,
 * and the position of the centroid in 1/65536 of the box side along x, y and z. Sines and cosines come from a table
 * made on the host. Random numbers are Philox blocks keyed by (seed, hash of the molecule, conformer, generation,
 * child), and selection goes by (energy, numbers), so a result does not depend on batch, order, threads or ranks.
 *
 * The first generations are drawn evenly from the box. Later generations are drawn near parents: the best poses found
 * that are 1 to 1.5 Å from every better one. At first all poses of a population may be parents, in the end a sixteenth
 * of them. During the first 60 % of the generations the receptor is soft, with a tenth of its hardness, so that ways
 * into narrow pockets are open. A generation of many poses is divided into populations of about 256 poses,
 * which evolve separately. The best poses of all populations are minimised.
 *
 * That is one round. A job is searched again in further rounds with other random numbers, until four rounds have found
 * the lowest energy (rounds.h). At the end the best poses of all rounds are minimised until their steps have become
 * smallest. So the effort depends on the job, and not on its batch, device or rank.
 *
 * Life cycle: create → submit / collect in turn (two slots) → destroy. Thread rule: one thread.
 */
#ifndef QN_SCREEN_SEARCH_SEARCH_H
#define QN_SCREEN_SEARCH_SEARCH_H

#include <quern/device.h>
#include <stdint.h>

#include "score/ligand.h"
#include "score/receptor.h"

enum {
    QN_SCREEN_SLOTS = 2,
    QN_SCREEN_ROUNDS_MAX = 64,
    QN_SCREEN_MINIMA = 64 /* poses of a job that are reported */
};

typedef struct qn_screen_search_options {
    double box_centre_angstrom[3], box_side_angstrom[3]; /* for the ligand's centroid */
    int generations;     /* default 55: the first 16 are drawn evenly, the first 33 are scored with a soft receptor */
    int poses;           /* of a generation and job, a multiple of 64; 0: qn_screen_search_default_poses */
    int winners;         /* poses of a round that are minimised, 2 Å apart where possible; default 16 */
    int minimiser_steps; /* of a round, and between two checks of the last minimisation; default 30 */
    uint64_t seed;
    bool exact;
    bool cull;  /* leave out receptor atoms beyond reach, which changes no energy; default true */
    int batch;  /* jobs of a launch; 0: chosen from the memory of the device */
    int rounds; /* of a job, at most QN_SCREEN_ROUNDS_MAX; default 12 */
} qn_screen_search_options;

qn_screen_search_options qn_screen_search_default_options(void);

/* Number of populations of a generation. All have the same size, at least 256 poses if `poses` is that large. */
int qn_screen_search_populations(int poses);

/* Default number of poses of a generation: 256 for each 7500 Å³ of the box, at most 16 × 256. */
int qn_screen_search_default_poses(const double box_side_angstrom[3]);

typedef struct qn_screen_pose {
    float energy;
    uint16_t number[6]; /* a, b, c, x, y, z */
} qn_screen_pose;

/* Get the row-major rotation and the translation (Å) of a pose, from the table that the device uses. */
void qn_screen_pose_transform(const qn_screen_search_options *options, const qn_screen_pose *pose, double rotation[9],
                              double translation_angstrom[3]);

typedef struct qn_screen_search qn_screen_search;

QN_MUST_CHECK qn_status qn_screen_search_create(qn_device *device, const qn_score_receptor *receptor,
                                                const qn_screen_search_options *options, qn_screen_search **search);
void qn_screen_search_destroy(qn_screen_search **search);

int qn_screen_search_batch(const qn_screen_search *search); /* jobs that one submit takes, at most */

/* One job: a ligand in one of its conformers. */
typedef struct qn_screen_job {
    const qn_score_ligand *ligand; /* must live until collected */
    int conformer;
} qn_screen_job;

/* Enqueue up to a batch of jobs in a slot whose previous jobs have been collected. */
QN_MUST_CHECK qn_status qn_screen_search_submit(qn_screen_search *search, const qn_screen_job *jobs, int count,
                                                int slot);

/* Finish the jobs of a slot: wait, search in further rounds, minimise. Fill `poses` [count][QN_SCREEN_MINIMA], best
 * first, no two within 0.5 Å of each other; unused places have infinite energy. *interactions (may be NULL) gets the
 * number of pairs scored. */
QN_MUST_CHECK qn_status qn_screen_search_collect(qn_screen_search *search, int slot, qn_screen_pose *poses,
                                                 double *interactions);

/* Whether too few rounds of a job found the lowest energy; `job`: index in the batch that was last collected from the
 * slot. Always false when so few rounds were allowed that this could not be known. */
bool qn_screen_search_is_unsettled(const qn_screen_search *search, int slot, int job);

/* Seconds that kernels of scoring took on the device in all batches collected so far. */
double qn_screen_search_scoring_seconds(const qn_screen_search *search);

/* Seconds that all other kernels took. */
double qn_screen_search_evolving_seconds(const qn_screen_search *search);

#endif
