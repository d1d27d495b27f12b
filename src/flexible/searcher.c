#include "flexible/searcher.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "flexible/settle.h"
#include "score/ligand_types.h"

enum {
    LAUNCH_STEPS = 16,      /* of a launch, so that none takes long */
    CPU_LAUNCH_STEPS = 64,  /* all chains are awaited after a launch */
    SETTLED = 16,           /* poses of a molecule that settle with exact energies */
    KICK_ROUNDS = 24,       /* with an effort of 1 */
    BATCH = 256,            /* molecules that are searched together */
    STARTS_OF_A_WALKER = 4, /* chains that start for each that goes on */
    STAGES = 3              /* 4 W chains start, the best W go on, the best W/4 of these end */
};
static const double stage_shares[STAGES] = {0, 0.1, 0.3}; /* of all steps, at which stages begin */
static const double reach_angstrom = 10;                  /* of atoms from the centroid, for the maps */
static const double side_angstrom = 8;                    /* from Cα to the end of the longest side chain */
static const double settled_above = 4;                    /* kcal/mol above the best pose on maps, at most */
static const double alike_angstrom = 1;                   /* chains whose best poses are nearer are alike */

struct qn_flexible_searcher {
    qn_queue *queue;
    const qn_score_receptor *receptor;
    qn_flexible_search_options options;
    qn_flexible_frame frame;
    int map_of[QN_VINA_TYPES], types[QN_VINA_TYPES], type_count;
    qn_buffer *maps; /* of these types */
    qn_flexible_near near;
};

/* Extend maps along an axis to where side chains reach from their Cα. low, high: from the centre of the box. */
static void cover_sides(const qn_flexible_search_options *options, int d, double *low, double *high)
{
    for (int s = 0; options->sides && s < options->sides->count; s++) {
        const double alpha = options->sides->sides[s].compound->positions_angstrom[d] - options->box_centre_angstrom[d];
        *low = fmin(*low, alpha - side_angstrom);
        *high = fmax(*high, alpha + side_angstrom);
    }
}

static qn_status set_frame(qn_flexible_searcher *searcher)
{
    const qn_flexible_search_options *options = &searcher->options;
    qn_flexible_frame *frame = &searcher->frame;
    double side[3], centre[3];
    for (int d = 0; d < 3; d++) {
        const double half = 0.5 * options->box_side_angstrom[d], beyond = options->confine_atoms ? 0 : reach_angstrom;
        double low = -half - beyond, high = half + beyond;
        cover_sides(options, d, &low, &high);
        side[d] = high - low;
        centre[d] = options->box_centre_angstrom[d] + 0.5 * (low + high);
        frame->box_low_angstrom[d] = -half - 0.5 * (low + high);
        frame->box_high_angstrom[d] = half - 0.5 * (low + high);
    }
    frame->confined = !options->confine_atoms;
    frame->seed = options->seed;
    return qn_flexible_grid_of(centre, side, &frame->grid);
}

qn_status qn_flexible_searcher_create(qn_device *device, const qn_score_receptor *receptor,
                                      const qn_flexible_search_options *options, qn_flexible_searcher **searcher)
{
    *searcher = NULL;
    QN_TRY(qn_allocate(1, sizeof **searcher, (void **)searcher));
    (*searcher)->receptor = receptor;
    (*searcher)->options = *options;
    for (int i = 0; i < QN_VINA_TYPES; i++) (*searcher)->map_of[i] = -1;
    qn_status status = set_frame(*searcher);
    if (status == QN_OK) status = qn_queue_create(device, &(*searcher)->queue);
    if (status == QN_OK)
        status = qn_flexible_near_create((*searcher)->queue, receptor, &(*searcher)->frame.grid, &(*searcher)->near);
    if (status != QN_OK) qn_flexible_searcher_destroy(searcher);
    return status;
}

void qn_flexible_searcher_destroy(qn_flexible_searcher **searcher)
{
    if (!*searcher) return;
    qn_buffer_release(&(*searcher)->maps);
    qn_flexible_near_clear(&(*searcher)->near);
    qn_queue_destroy(&(*searcher)->queue);
    qn_release(searcher);
}

/* Poses of a molecule that settle. */
static int settled_most(const qn_flexible_search_options *options)
{
    return options->settle_all || options->walkers < SETTLED ? options->walkers : SETTLED;
}

qn_flexible_memory qn_flexible_searcher_memory(const qn_flexible_searcher *searcher)
{
    const int *points = searcher->frame.grid.points;
    const double walkers = searcher->options.walkers, chains = STARTS_OF_A_WALKER * walkers,
                 chain = 2 * QN_FLEXIBLE_STATE * sizeof(float) + 2 * sizeof(int32_t) + sizeof(qn_flexible_leg);
    const int most = settled_most(&searcher->options);
    const double settled = qn_flexible_settle_bytes(most);
    return (qn_flexible_memory){.receptor = searcher->near.bytes,
                                .map = sizeof(float) * (double)points[0] * points[1] * points[2],
                                .molecule = chains * chain + settled,
                                .molecule_copies = chains * (chain + sizeof(int)) + settled +
                                                   most * QN_FLEXIBLE_STATE * sizeof(float) +
                                                   walkers * (sizeof(qn_flexible_pose) + sizeof(double)),
                                .together = BATCH};
}

/* Kernels count values of maps in 32 bits. */
static qn_status check_maps(const qn_flexible_searcher *searcher)
{
    const int *points = searcher->frame.grid.points;
    const double values = (double)searcher->type_count * points[0] * points[1] * points[2];
    const double *side = searcher->options.box_side_angstrom;
    if (values <= INT32_MAX) return QN_OK;
    return QN_FAIL(QN_INVALID_ARGUMENT,
                   "the maps of a box of %g x %g x %g Å for %d types of atoms have %.3g values; expected at most %.3g: "
                   "a smaller box, or fewer molecules in one run",
                   side[0], side[1], side[2], searcher->type_count, values, (double)INT32_MAX);
}

/* Make the maps of all types so far, if the trees have new ones. */
static qn_status make_maps(qn_flexible_searcher *searcher, const qn_flexible_tree *const *trees, int count)
{
    const int *points = searcher->frame.grid.points, before = searcher->type_count;
    for (int t = 0; t < count; t++)
        for (int i = 0; i < trees[t]->moving_count; i++) {
            const int type = trees[t]->type[i];
            if (searcher->map_of[type] >= 0) continue;
            searcher->map_of[type] = searcher->type_count;
            searcher->types[searcher->type_count++] = type;
        }
    if (searcher->type_count == before) return QN_OK;
    QN_TRY(check_maps(searcher));
    qn_buffer_release(&searcher->maps);
    QN_TRY(qn_buffer_create(qn_queue_device(searcher->queue),
                            sizeof(float) * (size_t)searcher->type_count * (size_t)points[0] * (size_t)points[1] *
                                (size_t)points[2],
                            &searcher->maps));
    return qn_flexible_maps(searcher->queue, NULL, searcher->receptor, &searcher->frame.grid, searcher->types,
                            searcher->type_count, searcher->maps, NULL);
}

int qn_flexible_steps(const qn_flexible_tree *tree, double effort)
{
    return (int)fmax(STAGES, effort * (170 + 8.5 * tree->ligand_count + 135 * (tree->piece_count - 1)));
}

/* Part of a molecule's random numbers, which does not depend on its place in a library. */
static uint32_t number_of(const qn_flexible_tree *tree)
{
    const size_t atoms = (size_t)tree->heavy_count;
    return (uint32_t)qn_ligand_hash(tree->type, atoms * sizeof *tree->type, tree->local, 3 * atoms * sizeof(double));
}

/* ---- A batch of molecules ---- */

/* Chains of a batch: those of a stage are listed in `walking`. */
typedef struct chain_batch {
    const qn_flexible_tree *const *trees;
    int count, starts, stage_chains; /* trees; chains of each at first, and in this stage */
    int *walking;                    /* [tree][starts]: chains of the stage, by number within the molecule */
    float *states;                   /* [tree][starts][2][QN_FLEXIBLE_STATE] */
    int32_t *counters;
    qn_flexible_leg *legs;
    qn_buffer *state_buffer, *counter_buffer, *leg_buffer;
    qn_flexible_batch batch;
} chain_batch;

static size_t chains_of(const chain_batch *b)
{
    return (size_t)b->count * (size_t)b->starts;
}

static size_t state_bytes(const chain_batch *b)
{
    return chains_of(b) * 2 * QN_FLEXIBLE_STATE * sizeof(float);
}

static float *best_of(const chain_batch *b, int tree, int chain)
{
    return b->states + (2 * ((size_t)tree * (size_t)b->starts + (size_t)chain) + 1) * QN_FLEXIBLE_STATE;
}

static qn_status copy_trees(qn_flexible_searcher *searcher, chain_batch *b)
{
    uint32_t *numbers = NULL;
    QN_TRY(qn_allocate((size_t)b->count, sizeof *numbers, (void **)&numbers));
    for (int t = 0; t < b->count; t++) numbers[t] = number_of(b->trees[t]);
    const qn_status status = qn_flexible_batch_create(searcher->queue, b->trees, numbers, b->count, b->starts,
                                                      searcher->map_of, &searcher->frame.grid, &b->batch);
    qn_release(&numbers);
    return status;
}

static qn_status open_batch(qn_flexible_searcher *searcher, chain_batch *b)
{
    const size_t chains = chains_of(b), counter_bytes = 2 * chains * sizeof(int32_t);
    qn_device *device = qn_queue_device(searcher->queue);
    QN_TRY(qn_allocate(chains, sizeof *b->walking, (void **)&b->walking));
    QN_TRY(qn_allocate(state_bytes(b), 1, (void **)&b->states));
    QN_TRY(qn_allocate(counter_bytes, 1, (void **)&b->counters));
    QN_TRY(qn_allocate(chains, sizeof *b->legs, (void **)&b->legs));
    QN_TRY(qn_buffer_create(device, state_bytes(b), &b->state_buffer));
    QN_TRY(qn_buffer_create(device, counter_bytes, &b->counter_buffer));
    QN_TRY(qn_buffer_create(device, chains * sizeof *b->legs, &b->leg_buffer));
    QN_TRY(qn_queue_fill(searcher->queue, b->state_buffer, 0, state_bytes(b), 0, NULL));
    QN_TRY(qn_queue_fill(searcher->queue, b->counter_buffer, 0, counter_bytes, 0, NULL));
    for (int t = 0; t < b->count; t++)
        for (int c = 0; c < b->starts; c++) b->walking[t * b->starts + c] = c;
    b->stage_chains = b->starts;
    return copy_trees(searcher, b);
}

static void close_batch(chain_batch *b)
{
    qn_flexible_batch_clear(&b->batch);
    qn_buffer_release(&b->state_buffer);
    qn_buffer_release(&b->counter_buffer);
    qn_buffer_release(&b->leg_buffer);
    qn_release(&b->walking);
    qn_release(&b->states);
    qn_release(&b->counters);
    qn_release(&b->legs);
}

/* First step of a stage of a molecule; of the stage after the last: the number of its steps. */
static int stage_begin(const qn_flexible_searcher *searcher, const qn_flexible_tree *tree, int stage)
{
    const int steps = qn_flexible_steps(tree, searcher->options.effort);
    return stage == STAGES ? steps : (int)fmax(stage, floor(stage_shares[stage] * steps));
}

/* Walk all chains of a stage, some steps at a time. */
static qn_status walk_stage(qn_flexible_searcher *searcher, chain_batch *b, int stage)
{
    const bool cpu = qn_device_get_info(qn_queue_device(searcher->queue))->kind == QN_DEVICE_CPU;
    const int most = cpu ? CPU_LAUNCH_STEPS : LAUNCH_STEPS;
    for (int done = 0;; done += most) {
        int legs = 0;
        for (int t = 0; t < b->count; t++) {
            const int first = stage_begin(searcher, b->trees[t], stage) + done;
            const int left = stage_begin(searcher, b->trees[t], stage + 1) - first;
            for (int c = 0; c < b->stage_chains && left > 0; c++)
                b->legs[legs++] = (qn_flexible_leg){t * b->starts + b->walking[t * b->starts + c], first,
                                                    left < most ? left : most, 0};
        }
        if (legs == 0) return QN_OK;
        QN_TRY(qn_queue_write(searcher->queue, b->leg_buffer, 0, b->legs, (size_t)legs * sizeof *b->legs, NULL));
        QN_TRY(qn_flexible_walk(searcher->queue, NULL, &b->batch, &searcher->frame, searcher->maps, b->leg_buffer, 0,
                                legs, b->state_buffer, b->counter_buffer, NULL));
        QN_TRY(qn_queue_finish(searcher->queue)); /* the legs are written anew */
    }
}

/* Poses and energies of a molecule's chains of the stage, best first, those unlike the ones before at first; `order`:
 * their places in the list of the stage. */
static qn_status rank_chains(const qn_flexible_searcher *searcher, const chain_batch *b, int tree, int most, int *order)
{
    qn_flexible_pose *poses = NULL;
    double *energies = NULL;
    qn_status status = qn_allocate((size_t)b->stage_chains, sizeof *poses, (void **)&poses);
    if (status == QN_OK) status = qn_allocate((size_t)b->stage_chains, sizeof *energies, (void **)&energies);
    for (int c = 0; c < b->stage_chains && status == QN_OK; c++) {
        const float *best = best_of(b, tree, b->walking[tree * b->starts + c]);
        qn_flexible_state_pose(b->trees[tree], best, &searcher->frame.grid, &poses[c]);
        energies[c] = (double)best[7];
    }
    if (status == QN_OK)
        status = qn_flexible_choose(b->trees[tree], poses, energies, b->stage_chains, alike_angstrom, most, order);
    qn_release(&poses);
    qn_release(&energies);
    return status;
}

/* Keep the best chains for the next stage, which goes on from their best poses. */
static qn_status choose_chains(qn_flexible_searcher *searcher, chain_batch *b, int keep)
{
    int *order = NULL;
    QN_TRY(qn_queue_read(searcher->queue, b->state_buffer, 0, b->states, state_bytes(b), NULL));
    QN_TRY(qn_queue_finish(searcher->queue));
    QN_TRY(qn_allocate((size_t)keep, sizeof *order, (void **)&order));
    qn_status status = QN_OK;
    for (int t = 0; t < b->count && status == QN_OK; t++) {
        int *walking = b->walking + t * b->starts;
        status = rank_chains(searcher, b, t, keep, order);
        for (int c = 0; c < keep && status == QN_OK; c++) order[c] = walking[order[c]];
        for (int c = 0; c < keep && status == QN_OK; c++) {
            float *best = best_of(b, t, order[c]);
            walking[c] = order[c];
            memcpy(best - QN_FLEXIBLE_STATE, best, QN_FLEXIBLE_STATE * sizeof *best);
        }
    }
    b->stage_chains = keep;
    qn_release(&order);
    return status == QN_OK ? qn_queue_write(searcher->queue, b->state_buffer, 0, b->states, state_bytes(b), NULL)
                           : status;
}

static qn_status walk_all(qn_flexible_searcher *searcher, chain_batch *b)
{
    const int walkers = searcher->options.walkers, kept[STAGES] = {b->starts, walkers, (walkers + 3) / 4};
    for (int stage = 0; stage < STAGES; stage++) {
        if (stage > 0) QN_TRY(choose_chains(searcher, b, kept[stage]));
        QN_TRY(walk_stage(searcher, b, stage));
    }
    QN_TRY(qn_queue_read(searcher->queue, b->state_buffer, 0, b->states, state_bytes(b), NULL));
    return qn_queue_finish(searcher->queue);
}

/* ---- Poses that settle ---- */

enum { ENERGY = 7 }; /* its place in a state */

/* Take the best poses of a molecule's chains of all stages: the last stage's chains are among the walkers that the
 * middle stage kept. order: room for them. */
static qn_status take_best(const qn_flexible_searcher *searcher, chain_batch *b, int tree, int *order, float *states,
                           int *count)
{
    const int most = settled_most(&searcher->options);
    float lowest = INFINITY;
    b->stage_chains = b->starts;
    for (int c = 0; c < b->starts; c++) {
        b->walking[tree * b->starts + c] = c;
        lowest = fminf(lowest, best_of(b, tree, c)[ENERGY]);
    }
    QN_TRY(rank_chains(searcher, b, tree, most, order));
    *count = 0;
    for (int c = 0; c < most; c++) {
        const float *best = best_of(b, tree, order[c]);
        if (searcher->options.settle_all || best[ENERGY] <= lowest + settled_above)
            memcpy(states + (*count)++ * QN_FLEXIBLE_STATE, best, QN_FLEXIBLE_STATE * sizeof *states);
    }
    return QN_OK;
}

/* Give the settled poses of a molecule. */
static void give_poses(const qn_flexible_searcher *searcher, const qn_flexible_tree *tree, const float *states,
                       int count, qn_flexible_pose *poses, double *energies)
{
    for (int w = 0; w < searcher->options.walkers; w++, states += QN_FLEXIBLE_STATE) {
        memset(&poses[w], 0, sizeof *poses);
        energies[w] = INFINITY;
        if (w >= count) continue;
        qn_flexible_state_pose(tree, states, &searcher->frame.grid, &poses[w]);
        energies[w] = (double)states[ENERGY];
    }
}

/* states: [tree][settled_most]; counts: [tree]; order: [settled_most]. */
static qn_status settle_batch(qn_flexible_searcher *searcher, chain_batch *b, float *states, int *counts, int *order,
                              double *evaluations)
{
    const qn_flexible_settling how = {&b->batch, &searcher->frame, &searcher->near, settled_most(&searcher->options),
                                      (int)ceil(KICK_ROUNDS * searcher->options.effort)};
    for (int t = 0; t < b->count; t++)
        QN_TRY(take_best(searcher, b, t, order, states + (size_t)t * (size_t)how.most * QN_FLEXIBLE_STATE, &counts[t]));
    return qn_flexible_settle_poses(searcher->queue, &how, states, counts, evaluations);
}

static qn_status settle_all(qn_flexible_searcher *searcher, chain_batch *b, qn_flexible_pose *poses, double *energies,
                            double *evaluations)
{
    const int walkers = searcher->options.walkers;
    const size_t count = (size_t)b->count, most = (size_t)settled_most(&searcher->options);
    float *states = NULL;
    int *counts = NULL, *order = NULL;
    qn_status status = qn_allocate(count * most * QN_FLEXIBLE_STATE, sizeof *states, (void **)&states);
    if (status == QN_OK) status = qn_allocate(count, sizeof *counts, (void **)&counts);
    if (status == QN_OK) status = qn_allocate(most, sizeof *order, (void **)&order);
    if (status == QN_OK) status = settle_batch(searcher, b, states, counts, order, evaluations);
    for (int t = 0; t < b->count && status == QN_OK; t++)
        give_poses(searcher, b->trees[t], states + (size_t)t * most * QN_FLEXIBLE_STATE, counts[t], poses + t * walkers,
                   energies + t * walkers);
    qn_release(&states);
    qn_release(&counts);
    qn_release(&order);
    return status;
}

static qn_status count_evaluations(qn_flexible_searcher *searcher, chain_batch *b, double *evaluations)
{
    QN_TRY(qn_queue_read(searcher->queue, b->counter_buffer, 0, b->counters, 2 * chains_of(b) * sizeof(int32_t), NULL));
    QN_TRY(qn_queue_finish(searcher->queue));
    for (size_t c = 0; c < chains_of(b); c++) *evaluations += b->counters[2 * c];
    return QN_OK;
}

static qn_status search_batch(qn_flexible_searcher *searcher, chain_batch *b, qn_flexible_pose *poses, double *energies,
                              double *evaluations)
{
    QN_TRY(open_batch(searcher, b));
    QN_TRY(walk_all(searcher, b));
    QN_TRY(settle_all(searcher, b, poses, energies, evaluations));
    return evaluations ? count_evaluations(searcher, b, evaluations) : QN_OK;
}

qn_status qn_flexible_searcher_run(qn_flexible_searcher *searcher, const qn_flexible_tree *const *trees, int count,
                                   qn_flexible_pose *poses, double *energies, double *evaluations)
{
    const int walkers = searcher->options.walkers;
    if (evaluations) *evaluations = 0;
    QN_TRY(make_maps(searcher, trees, count));
    for (int done = 0; done < count; done += BATCH) {
        const size_t first = (size_t)done * (size_t)walkers;
        chain_batch b = {.trees = trees + done,
                         .count = count - done < BATCH ? count - done : BATCH,
                         .starts = STARTS_OF_A_WALKER * walkers};
        const qn_status status = search_batch(searcher, &b, poses + first, energies + first, evaluations);
        const qn_status ended = qn_queue_finish(searcher->queue);
        close_batch(&b);
        QN_TRY(status);
        QN_TRY(ended);
    }
    return QN_OK;
}
