/* Factors K = G S Gᵀ of many states of one plan in single precision; deform/factor/schedule.h describes the tiles. */
#ifndef QN_DEFORM_FACTOR_KERNELS_FACTOR_H
#define QN_DEFORM_FACTOR_KERNELS_FACTOR_H

#include <quern/family.h>

#include "deform/factor/schedule.h"

extern const qn_family qn_deform_factor_family;

/* Tunables in the order of the family; BLOCK, PANEL and LEVELS decide the schedule. */
enum {
    QN_FACTOR_STATES,
    QN_FACTOR_WORKERS,
    QN_FACTOR_BLOCK,
    QN_FACTOR_PANEL,
    QN_FACTOR_LEVELS,
    QN_FACTOR_AHEAD,
    QN_FACTOR_TUNABLES
};

/* The configuration for factors of a plan on the queue's device: that of the context's source (the tuner), else the
 * fallback, with the columns of a whole tile ahead on GPUs. It is asked once for a schedule, since its tiles hold for
 * all launches. */
void qn_factor_configuration(qn_queue *queue, const qn_factor_plan *plan, int states, qn_configuration *configuration);

/* The schedule of a plan for a configuration of the family. */
QN_MUST_CHECK qn_status qn_factor_schedule_for(const qn_factor_plan *plan, const qn_configuration *configuration,
                                               qn_factor_schedule **schedule);

/* Lists of a schedule on a device. */
typedef struct qn_factor_lists {
    const qn_factor_schedule *schedule;
    qn_buffer *panels, *signs, *freedoms, *tile_panel, *below, *row_panel, *map, *run_start, *runs, *gather_start,
        *gathers, *walk_start, *walk_panel, *level_tile, *level_panel;
} qn_factor_lists;

/* Copies the lists; the schedule stays the caller's, and outlives them. */
QN_MUST_CHECK qn_status qn_factor_lists_create(qn_queue *queue, const qn_factor_schedule *schedule,
                                               qn_factor_lists *lists);
void qn_factor_lists_release(qn_factor_lists *lists);

/* Arrays of states, with room for `stride` of them. values: of K, [value][state]. tiles, diagonals: G, [tile][value]
 * [state]; diagonal tiles have 1 / G_kk on their diagonal. wrong [state]: the least place with a wrong pivot;
 * QN_FACTOR_NOTHING_WRONG: none. A wrong pivot counts as 1, and the state's factor is of no use. */
enum { QN_FACTOR_NOTHING_WRONG = 0x7f7f7f7f };

typedef struct qn_factor_arrays {
    int states, stride;
    qn_buffer *values, *tiles, *diagonals, *wrong;
} qn_factor_arrays;

/* Bytes of the arrays but values. */
size_t qn_factor_tiles_bytes(const qn_factor_schedule *schedule, int stride);
size_t qn_factor_diagonals_bytes(const qn_factor_schedule *schedule, int stride);

/* Key of tuning results: sizes of the plan, rounded. */
void qn_factor_class(double multiply_adds, int states, char text[64]);

/* Factor `states` states. `configuration` is that of the schedule. seconds (may be NULL): the queue is finished and the
 * device seconds of all kernels are summed. Errors: QN_INVALID_ARGUMENT for sizes and buffers that are too small; those
 * of qn_family_run. */
QN_MUST_CHECK qn_status qn_factor_states(qn_queue *queue, const qn_configuration *configuration,
                                         const qn_factor_lists *lists, const qn_factor_arrays *arrays, double *seconds);

/* The same in double precision for one state, slow and simple: tiles and diagonals as above with one state. */
void qn_factor_states_reference(const qn_factor_schedule *schedule, const double *values, double *tiles,
                                double *diagonals);

#endif
