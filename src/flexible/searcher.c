#include "flexible/searcher.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "score/ligand_types.h"

enum {
    LAUNCH_STEPS = 8, /* of a launch, so that none takes long */
    REFINED_MAX = 16  /* poses of a molecule that are refined */
};
static const double refined_above = 4;   /* kcal/mol above the best one, at most */
static const double reach_angstrom = 10; /* of atoms from the centroid, for the maps */
static const double alike_angstrom = 1;  /* poses nearer than this are one before refinement */

struct qn_flexible_searcher {
    qn_queue *queue;
    const qn_score_receptor *receptor;
    qn_flexible_search_options options;
    qn_flexible_frame frame;
    int map_of[QN_VINA_TYPES], types[QN_VINA_TYPES], type_count;
    qn_buffer *maps; /* of these types */
};

static qn_status set_frame(qn_flexible_searcher *searcher)
{
    const qn_flexible_search_options *options = &searcher->options;
    qn_flexible_frame *frame = &searcher->frame;
    double side[3];
    for (int d = 0; d < 3; d++) {
        side[d] = options->box_side_angstrom[d] + (options->confine_atoms ? 0 : 2 * reach_angstrom);
        frame->box_low_angstrom[d] = -0.5 * options->box_side_angstrom[d];
        frame->box_high_angstrom[d] = 0.5 * options->box_side_angstrom[d];
    }
    frame->confined = !options->confine_atoms;
    frame->seed = options->seed;
    return qn_flexible_grid_of(options->box_centre_angstrom, side, &frame->grid);
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
    if (status != QN_OK) qn_flexible_searcher_destroy(searcher);
    return status;
}

void qn_flexible_searcher_destroy(qn_flexible_searcher **searcher)
{
    if (!*searcher) return;
    qn_buffer_release(&(*searcher)->maps);
    qn_queue_destroy(&(*searcher)->queue);
    qn_release(searcher);
}

/* Make the maps of all types so far, if the trees have new ones. */
static qn_status make_maps(qn_flexible_searcher *searcher, const qn_flexible_tree *const *trees, int count)
{
    const int *points = searcher->frame.grid.points, before = searcher->type_count;
    for (int t = 0; t < count; t++)
        for (int i = 0; i < trees[t]->heavy_count; i++) {
            const int type = trees[t]->type[i];
            if (searcher->map_of[type] >= 0) continue;
            searcher->map_of[type] = searcher->type_count;
            searcher->types[searcher->type_count++] = type;
        }
    if (searcher->type_count == before) return QN_OK;
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
    return (int)fmax(1, effort * (10 + 0.5 * tree->heavy_count + 8 * (tree->piece_count - 1)));
}

/* Part of a molecule's random numbers, which does not depend on its place in a library. */
static uint32_t number_of(const qn_flexible_tree *tree)
{
    const size_t atoms = (size_t)tree->heavy_count;
    return (uint32_t)qn_ligand_hash(tree->type, atoms * sizeof *tree->type, tree->local, 3 * atoms * sizeof(double));
}

/* Memory that the search of one molecule reads and writes. */
typedef struct chain_memory {
    float *states; /* [chain][2][QN_FLEXIBLE_STATE] */
    int32_t *counters;
    qn_buffer *state_buffer, *counter_buffer;
    qn_flexible_batch batch;
} chain_memory;

static qn_status open_memory(qn_flexible_searcher *searcher, const qn_flexible_tree *tree, chain_memory *memory)
{
    const size_t chains = (size_t)searcher->options.walkers;
    const size_t state_bytes = chains * 2 * QN_FLEXIBLE_STATE * sizeof(float);
    const uint32_t number = number_of(tree);
    qn_device *device = qn_queue_device(searcher->queue);
    QN_TRY(qn_allocate(state_bytes, 1, (void **)&memory->states));
    QN_TRY(qn_allocate(2 * chains, sizeof(int32_t), (void **)&memory->counters));
    QN_TRY(qn_buffer_create(device, state_bytes, &memory->state_buffer));
    QN_TRY(qn_buffer_create(device, 2 * chains * sizeof(int32_t), &memory->counter_buffer));
    QN_TRY(qn_queue_fill(searcher->queue, memory->state_buffer, 0, state_bytes, 0, NULL));
    QN_TRY(qn_queue_fill(searcher->queue, memory->counter_buffer, 0, 2 * chains * sizeof(int32_t), 0, NULL));
    return qn_flexible_batch_create(searcher->queue, &tree, &number, 1, searcher->options.walkers, searcher->map_of,
                                    &searcher->frame.grid, &memory->batch);
}

static qn_status queue_walk(qn_flexible_searcher *searcher, const qn_flexible_tree *tree, chain_memory *memory)
{
    const size_t chains = (size_t)searcher->options.walkers;
    const int steps = qn_flexible_steps(tree, searcher->options.effort);
    for (int step = 0; step < steps; step += LAUNCH_STEPS)
        QN_TRY(qn_flexible_walk(searcher->queue, NULL, &memory->batch, &searcher->frame, searcher->maps, step,
                                steps - step < LAUNCH_STEPS ? steps - step : LAUNCH_STEPS, memory->state_buffer,
                                memory->counter_buffer, NULL));
    QN_TRY(qn_queue_read(searcher->queue, memory->state_buffer, 0, memory->states,
                         chains * 2 * QN_FLEXIBLE_STATE * sizeof(float), NULL));
    return qn_queue_read(searcher->queue, memory->counter_buffer, 0, memory->counters, 2 * chains * sizeof(int32_t),
                         NULL);
}

static void take_poses(const qn_flexible_searcher *searcher, const qn_flexible_tree *tree, const chain_memory *memory,
                       qn_flexible_pose *poses, double *energies, double *evaluations)
{
    for (int c = 0; c < searcher->options.walkers; c++) {
        const float *best = memory->states + (2 * (size_t)c + 1) * QN_FLEXIBLE_STATE;
        qn_flexible_state_pose(tree, best, &searcher->frame.grid, &poses[c]);
        energies[c] = (double)best[7];
        if (evaluations) *evaluations += memory->counters[2 * c];
    }
}

static void clear_memory(chain_memory *memory)
{
    qn_flexible_batch_clear(&memory->batch);
    qn_buffer_release(&memory->state_buffer);
    qn_buffer_release(&memory->counter_buffer);
    qn_release(&memory->states);
    qn_release(&memory->counters);
}

qn_status qn_flexible_searcher_run(qn_flexible_searcher *searcher, const qn_flexible_tree *const *trees, int count,
                                   qn_flexible_pose *poses, double *energies, double *evaluations)
{
    const size_t walkers = (size_t)searcher->options.walkers;
    chain_memory *memories = NULL;
    if (evaluations) *evaluations = 0;
    QN_TRY(make_maps(searcher, trees, count));
    QN_TRY(qn_allocate((size_t)count, sizeof *memories, (void **)&memories));
    qn_status status = QN_OK;
    for (int t = 0; t < count && status == QN_OK; t++) {
        status = open_memory(searcher, trees[t], &memories[t]);
        if (status == QN_OK) status = queue_walk(searcher, trees[t], &memories[t]);
    }
    const qn_status ended = qn_queue_finish(searcher->queue);
    if (status == QN_OK) status = ended;
    for (int t = 0; t < count; t++) {
        if (status == QN_OK)
            take_poses(searcher, trees[t], &memories[t], poses + (size_t)t * walkers, energies + (size_t)t * walkers,
                       evaluations);
        clear_memory(&memories[t]);
    }
    qn_release(&memories);
    return status;
}

/* ---- Refinement ---- */

static double distance_of(const qn_flexible_tree *tree, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < 3 * tree->heavy_count; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum / tree->heavy_count);
}

static void heavy_positions(const qn_flexible_tree *tree, const qn_flexible_pose *pose, double *positions)
{
    double origins[3 * QN_FLEXIBLE_PIECES_MAX], rotations[9 * QN_FLEXIBLE_PIECES_MAX];
    qn_flexible_frames(tree, pose, origins, rotations);
    qn_flexible_positions(tree, origins, rotations, tree->heavy_count, positions);
}

static void sort_poses(qn_flexible_pose *poses, double *energies, int count)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && energies[j] < energies[j - 1]; j--) {
            const qn_flexible_pose pose = poses[j];
            const double energy = energies[j];
            poses[j] = poses[j - 1];
            energies[j] = energies[j - 1];
            poses[j - 1] = pose;
            energies[j - 1] = energy;
        }
}

/* Keep the first of poses that are alike, up to `most`; returns their number. `positions`: room for most + 1 poses. */
static int drop_alike(const qn_flexible_tree *tree, qn_flexible_pose *poses, double *energies, int count, double apart,
                      int most, double *positions)
{
    const size_t floats = 3 * (size_t)tree->heavy_count;
    int kept = 0;
    for (int i = 0; i < count && kept < most; i++) {
        bool unlike = true;
        heavy_positions(tree, &poses[i], positions + (size_t)kept * floats);
        for (int j = 0; j < kept && unlike; j++)
            unlike = distance_of(tree, positions + (size_t)j * floats, positions + (size_t)kept * floats) > apart;
        if (!unlike) continue;
        poses[kept] = poses[i];
        energies[kept++] = energies[i];
    }
    return kept;
}

void qn_flexible_refine(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor, qn_flexible_pose *poses,
                        double *energies, int count, double diversity_angstrom, int most, qn_flexible_result *results,
                        int *kept)
{
    double positions[(REFINED_MAX + 1) * 3 * QN_FLEXIBLE_ATOMS_MAX];
    sort_poses(poses, energies, count);
    count = drop_alike(tree, poses, energies, count, alike_angstrom, REFINED_MAX, positions);
    while (count > 1 && energies[count - 1] > energies[0] + refined_above) count--;
    for (int i = 0; i < count; i++) {
        qn_flexible_energy energy;
        qn_flexible_converge(tree, receptor, &poses[i], &energy);
        energies[i] = energy.bent;
    }
    sort_poses(poses, energies, count);
    *kept = drop_alike(tree, poses, energies, count, diversity_angstrom, most < REFINED_MAX ? most : REFINED_MAX,
                       positions);
    for (int i = 0; i < *kept; i++) {
        qn_flexible_energy energy;
        qn_flexible_evaluate(tree, receptor, &poses[i], QN_FLEXIBLE_HARD, &energy, NULL);
        results[i] = (qn_flexible_result){
            .pose = poses[i], .inter = energy.inter_bent, .intra = energy.bent - energy.inter_bent};
        qn_flexible_result_finish(tree, results[0].intra, &results[i]);
    }
}
