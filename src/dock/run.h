/* A docking run while it is under way: what its stages hand on to each other. */
#ifndef QN_DOCK_RUN_H
#define QN_DOCK_RUN_H

#include <quern/dock.h>

#include "base/text.h"
#include "compare/cluster.h"
#include "dock/pose.h"

typedef struct qn_dock_timings {
    double prepare_s, search_s, rank_s, cluster_s, write_s, total_s;
} qn_dock_timings;

typedef struct qn_dock_state {
    const qn_dock_options *options;
    qn_context *context;
    qn_device *device;
    qn_pool *pool;
    qn_dock_partner receptor, ligand;
    qn_dock_grid grid;
    float *receptor_grids; /* [QN_RPSC_TERMS][volume] */
    qn_dock_ligand ligand_atoms;
    int rotation_count;
    double *matrices;         /* rotation_count × 9 */
    int32_t *rotations;       /* the same in 1/2^30 */
    double neighbour_degrees; /* mean angle between neighbouring rotations */
    int exclusion_cells;
    qn_fft_engine engine;
    int batch;
    size_t device_bytes;
    int resumed_rotations; /* taken from the journal */
    qn_dock_hit *hits;     /* rotation_count × per_rotation */
    qn_dock_pose *poses;
    size_t pose_count;
    qn_cluster *clusters;
    size_t cluster_count;                      /* at most options->clusters */
    size_t *assignment;                        /* cluster of each pose or SIZE_MAX */
    double *receptor_contact, *ligand_contact; /* per residue: share of the poses that have it in the interface */
    bool models_as_mmcif;                      /* PDB columns do not suffice */
    qn_dock_timings timings;
    double started_s;
} qn_dock_state;

/* rotations.c: fill matrices, rotations, rotation_count, neighbour_degrees. */
QN_MUST_CHECK qn_status qn_dock_make_rotations(qn_dock_state *run);

/* search_loop.c: all rotations through the device, journal and progress; fills hits. */
QN_MUST_CHECK qn_status qn_dock_search_all(qn_dock_state *run);

/* contacts.c: interface frequencies of residues (heavy atoms within 5 Å) over the poses. */
QN_MUST_CHECK qn_status qn_dock_count_contacts(qn_dock_state *run);

/* output_*.c: one file or kind of file each, complete or absent. */
QN_MUST_CHECK qn_status qn_dock_write_tables(const qn_dock_state *run);
QN_MUST_CHECK qn_status qn_dock_write_models(qn_dock_state *run);
QN_MUST_CHECK qn_status qn_dock_write_run_json(const qn_dock_state *run);
QN_MUST_CHECK qn_status qn_dock_write_report(const qn_dock_state *run);

/* Name of a cluster's model file: "cluster_01.pdb" or ".cif", known once the models are written. */
void qn_dock_model_name(const qn_dock_state *run, size_t cluster, char name[32]);

/* Names of the energy terms in files: "shape", "electrostatic". */
extern const char *const qn_dock_term_names[QN_RPSC_TERMS];

double qn_dock_clock_s(void);

#endif
