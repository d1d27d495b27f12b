/* A handle for distances and path variables: references, which several handles may share, and memory of its own for one
 * call at a time. */
#ifndef QN_COLLECTIVE_PLAN_H
#define QN_COLLECTIVE_PLAN_H

#include "base/thread_pool.h"
#include "collective/loops.h"
#include "collective/references.h"
#include "collective/screen.h"
#include "collective/turn.h"

/* Structures whose distance is below this share of their size are the same but for rounding. The root has no derivative
 * there, and 0 is given. */
#define QN_COLLECTIVE_SAME 1e-12

struct qn_collective {
    qn_collective_references *references;
    bool owns_references;
    qn_pool *pool; /* NULL: one thread */
    const qn_collective_loops *loops;
    qn_collective_screen *screen; /* on a device; NULL: none */
    qn_path_distance path;
    double lambda;
    size_t neighbours, neighbour_stride, calls;

    double *frame, *weighted; /* three rows each: the frame about its centre, and that times the weights */
    double frame_size;        /* √(Σ w |x|² / Σ w) */
    /* Only with weights of the deviation: the frame times them, its sum, and the turn of each reference. */
    double *deviating, frame_deviation[3];
    qn_collective_turn *turns;
    size_t *places;                       /* of the references that are compared, ascending */
    size_t active;                        /* number of them */
    double *rotations;                    /* of each reference onto the frame, 9 each */
    double *rmsd, *drmsd;                 /* of each reference */
    double *distances, *shares, *factors; /* of each active reference; two factors each: of ∂s/∂x and ∂z/∂x */
    double *scratch;                      /* three rows of each worker */
    double *sums;                         /* six rows; twelve with weights of the deviation */
    qn_collective_pairs pairs;            /* of the frame */
    qn_collective_pairs worker_pairs;     /* of references whose distances are not kept: those of each worker */
    double *pair_sums;                    /* 2 × pair_places */
};

/* A handle with the references and options of `other`, which must live longer, for one thread. */
QN_MUST_CHECK qn_status qn_collective_share(const qn_collective *other, qn_collective **collective);

/* Doubles of three rows with the room that loops may touch. */
static inline size_t qn_collective_rows(const qn_collective_references *references)
{
    return 3 * references->stride + QN_COLLECTIVE_LANES;
}

/* Run tasks on the pool, or on this thread alone if they are less than `steps` of about a nanosecond, as waking threads
 * takes longer. */
QN_MUST_CHECK qn_status qn_collective_run(qn_collective *collective, size_t tasks, double steps, qn_pool_task task,
                                          void *user);

/* Distances of the active references into collective->rmsd, or drmsd, and their gradients (NULL: not wanted). */
QN_MUST_CHECK qn_status qn_collective_measure_rmsd(qn_collective *collective, double *gradients);
QN_MUST_CHECK qn_status qn_collective_measure_drmsd(qn_collective *collective, double *gradients);

/* The gradients of s and z (each may be NULL) from collective->factors: Σ factor · ∂d/∂x over the active references. */
QN_MUST_CHECK qn_status qn_collective_path_of_rmsd(qn_collective *collective, double *s_gradient, double *z_gradient);
QN_MUST_CHECK qn_status qn_collective_path_of_drmsd(qn_collective *collective, double *s_gradient, double *z_gradient);

#endif
