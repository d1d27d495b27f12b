#include "flexible/kernels/search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "flexible/kernels/search.dev.h"

extern const char qn_flexible_search_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_flexible_search_host);

enum { SCORE, WALK, SETTLE, KERNELS };
enum { RESIDENT, PAIRS, TUNABLES };

typedef struct search_problem {
    const qn_flexible_batch *batch;
    int groups;
    double near; /* atoms of the receptor near one of the ligand; 0: maps are used */
} search_problem;

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    (void)configuration;
    return (qn_geometry){{(size_t)((const search_problem *)user)->groups * QN_SEARCH_PARTS, 1, 1},
                         {QN_SEARCH_PARTS, 1, 1}};
}

/* Of an evaluation: an atom on maps about 44 multiply-adds, a pair 34, also with the receptor, a piece 60. How many a
 * walk needs is not known in advance: one for each group at least. */
static void work(const void *user, qn_work *least)
{
    const search_problem *problem = user;
    const qn_flexible_batch *batch = problem->batch;
    const double groups = problem->groups, share = groups / batch->ligands;
    const double of_atom = problem->near > 0 ? 34 * problem->near : 44;
    *least = (qn_work){.bytes_read = 4 * QN_SEARCH_POSE * groups,
                       .bytes_written = 4 * QN_SEARCH_POSE * groups,
                       .multiply_adds = share * (of_atom * batch->atoms + 34 * batch->pairs + 60 * batch->pieces)};
}

static size_t local_room(int kernel, const qn_configuration *configuration, const void *user)
{
    const qn_flexible_batch *batch = ((const search_problem *)user)->batch;
    (void)kernel;
    (void)configuration;
    return sizeof(float) * (size_t)QN_SEARCH_ROOM(batch->most_atoms, batch->most_pieces, batch->most_pairs);
}

static qn_status host_score(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_flexible_search_host)[SCORE](launch);
}

static qn_status host_walk(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_flexible_search_host)[WALK](launch);
}

static qn_status host_settle(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_flexible_search_host)[SETTLE](launch);
}

_Static_assert(sizeof(search_scalars) == 24 * 4, "no padding");
_Static_assert((int)QN_SEARCH_POSE == (int)QN_FLEXIBLE_STATE, "states are poses of the kernel");
_Static_assert(QN_SEARCH_TORSIONS + QN_FLEXIBLE_TORSIONS_MAX <= QN_SEARCH_POSE, "a pose has room for all torsions");

#define TREES                                                                                                 \
    [SEARCH_HEADS] = {"heads", QN_IN, QN_INT32}, [SEARCH_ATOMS] = {"atoms", QN_IN, QN_FLOAT32},               \
    [SEARCH_LINKS] = {"links", QN_IN, QN_INT32}, [SEARCH_PARTNERS] = {"partners", QN_IN, QN_INT32},           \
    [SEARCH_PIECES] = {"pieces", QN_IN, QN_FLOAT32}, [SEARCH_PIECE_LINKS] = {"piece_links", QN_IN, QN_INT32}, \
    [SEARCH_PAIRS] = {"pairs", QN_IN, QN_INT32}, [SEARCH_PAIR_PARAMETERS] = {"pair_parameters", QN_IN, QN_FLOAT32}

static const qn_argument_declaration score_arguments[SEARCH_ARGUMENTS] = {
    TREES,
    [SEARCH_MAPS] = {"maps", QN_IN, QN_FLOAT32},
    [SEARCH_POSES] = {"poses", QN_IN, QN_FLOAT32},
    [SEARCH_RESULTS] = {"results", QN_OUT, QN_FLOAT32},
    [SEARCH_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(search_scalars)},
};

static const qn_argument_declaration walk_arguments[SEARCH_WALK_ARGUMENTS] = {
    TREES,
    [SEARCH_MAPS] = {"maps", QN_IN, QN_FLOAT32},
    [SEARCH_POSES] = {"states", QN_INOUT, QN_FLOAT32},
    [SEARCH_RESULTS] = {"counters", QN_INOUT, QN_INT32},
    [SEARCH_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(search_scalars)},
    [SEARCH_LEGS] = {"legs", QN_IN, QN_INT32},
};

static const qn_argument_declaration settle_arguments[SEARCH_SETTLE_ARGUMENTS] = {
    TREES,
    [SEARCH_RECEPTOR] = {"receptor", QN_IN, QN_FLOAT32},
    [SEARCH_POSES] = {"states", QN_INOUT, QN_FLOAT32},
    [SEARCH_RESULTS] = {"counters", QN_INOUT, QN_INT32},
    [SEARCH_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(search_scalars)},
    [SEARCH_LEGS] = {"legs", QN_IN, QN_INT32},
    [SEARCH_NEAR_STARTS] = {"near_starts", QN_IN, QN_INT32},
    [SEARCH_NEAR] = {"near_atoms", QN_IN, QN_INT32},
    [SEARCH_NEAR_PAIRS] = {"near_pairs", QN_IN, QN_FLOAT32},
};

static const qn_kernel_declaration kernels[KERNELS] = {
    [SCORE] = {"score", score_arguments, SEARCH_ARGUMENTS, geometry, host_score, work},
    [WALK] = {"walk", walk_arguments, SEARCH_WALK_ARGUMENTS, geometry, host_walk, work},
    [SETTLE] = {"settle", settle_arguments, SEARCH_SETTLE_ARGUMENTS, geometry, host_settle, work},
};

static const qn_tunable tunables[TUNABLES] = {
    [RESIDENT] = {"RESIDENT", {1, 8, 16, 24, 32}, 5, 32, "groups at once on a compute unit, at least"},
    [PAIRS] = {"PAIRS", {1, 2, 4}, 3, 1, "pairs of a work-item at once"},
};

static const char *const constraints[] = {
    "!device.is_host || (RESIDENT == 32 && PAIRS == 1)",
    "!device.is_opencl || (RESIDENT == 32 && PAIRS == 1)", /* OpenCL ignores them */
};

const qn_family qn_flexible_search_family = {
    .name = "flexible/search",
    .source = qn_flexible_search_source,
    .source_path = "flexible/kernels/search.cl",
    .kernels = kernels,
    .kernel_count = KERNELS,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
    .local_room = local_room,
};

static search_scalars scalars_of(const qn_flexible_batch *batch, const qn_flexible_frame *frame)
{
    search_scalars s = {.group_count = batch->ligands * batch->chains,
                        .chains = batch->chains,
                        .nx = frame->grid.points[0],
                        .ny = frame->grid.points[1],
                        .nz = frame->grid.points[2],
                        .confined = frame->confined,
                        .seed0 = (qn_uint32)frame->seed,
                        .seed1 = (qn_uint32)(frame->seed >> 32),
                        .spacing = (float)QN_FLEXIBLE_SPACING_ANGSTROM,
                        .points_per_angstrom = (float)(1 / QN_FLEXIBLE_SPACING_ANGSTROM)};
    for (int d = 0; d < 3; d++) {
        s.corner[d] = (float)(-0.5 * QN_FLEXIBLE_SPACING_ANGSTROM * (frame->grid.points[d] - 1));
        s.box_low[d] = (float)frame->box_low_angstrom[d];
        s.box_high[d] = (float)frame->box_high_angstrom[d];
    }
    return s;
}

/* A launch of a kernel: its arguments, and the batch that it works on. */
typedef struct search_launch {
    int kernel, arguments;
    const qn_flexible_batch *batch;
    search_scalars scalars;
    qn_buffer *maps, *poses, *results, *legs;
    const qn_flexible_near *near; /* in place of maps */
} search_launch;

static qn_status launch(qn_queue *queue, const qn_configuration *configuration, const search_launch *l,
                        qn_event **event)
{
    const qn_flexible_batch *batch = l->batch;
    const qn_flexible_near none = {0}, *near = l->near ? l->near : &none;
    const search_problem problem = {batch, l->scalars.group_count, near->mean};
    char problem_class[96];
    const qn_argument values[SEARCH_SETTLE_ARGUMENTS] = {
        [SEARCH_HEADS] = qn_argument_buffer(batch->heads),
        [SEARCH_ATOMS] = qn_argument_buffer(batch->tree_atoms),
        [SEARCH_LINKS] = qn_argument_buffer(batch->links),
        [SEARCH_PARTNERS] = qn_argument_buffer(batch->partners),
        [SEARCH_PIECES] = qn_argument_buffer(batch->pieces_places),
        [SEARCH_PIECE_LINKS] = qn_argument_buffer(batch->piece_links),
        [SEARCH_PAIRS] = qn_argument_buffer(batch->pair_list),
        [SEARCH_PAIR_PARAMETERS] = qn_argument_buffer(batch->pair_parameters),
        [SEARCH_MAPS] = qn_argument_buffer(l->near ? near->atoms : l->maps),
        [SEARCH_POSES] = qn_argument_buffer(l->poses),
        [SEARCH_RESULTS] = qn_argument_buffer(l->results),
        [SEARCH_SCALARS] = qn_argument_struct(&l->scalars, sizeof l->scalars),
        [SEARCH_LEGS] = qn_argument_buffer(l->legs),
        [SEARCH_NEAR_STARTS] = qn_argument_buffer(near->starts),
        [SEARCH_NEAR] = qn_argument_buffer(near->list),
        [SEARCH_NEAR_PAIRS] = qn_argument_buffer(near->pairs),
    };
    snprintf(problem_class, sizeof problem_class, "chains=2^%ld atoms=2^%ld pieces=2^%ld",
             lround(log2(l->scalars.group_count)), lround(log2(batch->atoms / batch->ligands)),
             lround(log2(batch->pieces / batch->ligands)));
    const qn_family_call call = {.kernel = l->kernel,
                                 .arguments = values,
                                 .argument_count = l->arguments,
                                 .problem = &problem,
                                 .problem_class = problem_class,
                                 .configuration = configuration};
    return qn_family_run(&qn_flexible_search_family, queue, &call, event);
}

qn_status qn_flexible_score(qn_queue *queue, const qn_configuration *configuration, const qn_flexible_batch *batch,
                            const qn_flexible_frame *frame, qn_buffer *maps, double bend, qn_buffer *poses,
                            qn_buffer *results)
{
    search_launch l = {.kernel = SCORE,
                       .arguments = SEARCH_ARGUMENTS,
                       .batch = batch,
                       .scalars = scalars_of(batch, frame),
                       .maps = maps,
                       .poses = poses,
                       .results = results};
    l.scalars.bend = (float)bend;
    return launch(queue, configuration, &l, NULL);
}

qn_status qn_flexible_walk(qn_queue *queue, const qn_configuration *configuration, const qn_flexible_batch *batch,
                           const qn_flexible_frame *frame, qn_buffer *maps, qn_buffer *legs, int first_leg,
                           int leg_count, qn_buffer *states, qn_buffer *counters, qn_event **event)
{
    search_launch l = {.kernel = WALK,
                       .arguments = SEARCH_WALK_ARGUMENTS,
                       .batch = batch,
                       .scalars = scalars_of(batch, frame),
                       .maps = maps,
                       .poses = states,
                       .results = counters,
                       .legs = legs};
    if (event) *event = NULL;
    if (leg_count < 1) return QN_OK;
    l.scalars.group_count = leg_count;
    l.scalars.first_leg = first_leg;
    return launch(queue, configuration, &l, event);
}

qn_status qn_flexible_settle(qn_queue *queue, const qn_configuration *configuration, const qn_flexible_batch *batch,
                             const qn_flexible_frame *frame, const qn_flexible_near *near, qn_buffer *legs,
                             int first_leg, int leg_count, qn_buffer *states, qn_buffer *counters, qn_event **event)
{
    search_launch l = {.kernel = SETTLE,
                       .arguments = SEARCH_SETTLE_ARGUMENTS,
                       .batch = batch,
                       .scalars = scalars_of(batch, frame),
                       .poses = states,
                       .results = counters,
                       .legs = legs,
                       .near = near};
    if (event) *event = NULL;
    if (leg_count < 1) return QN_OK;
    l.scalars.group_count = leg_count;
    l.scalars.first_leg = first_leg;
    l.scalars.near_side = near->side;
    l.scalars.near_x = near->cells[0];
    l.scalars.near_y = near->cells[1];
    return launch(queue, configuration, &l, event);
}
