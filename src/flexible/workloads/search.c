#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "flexible/energy.h"
#include "flexible/workloads/scene.h"

#include <quern/workload.h>

enum { POINTS = 64, ATOMS_OF_PIECE = 4, CHAINS = 64 };
static const double tolerance = 2e-3; /* relative to the energy, or in kcal/mol */

typedef struct search_state {
    qn_score_receptor receptor;
    qn_flexible_frame frame;
    qn_flexible_tree tree;
    qn_flexible_batch batch;
    int map_of[QN_VINA_TYPES], ligands, steps;
    qn_buffer *maps, *states, *counters, *legs;
} search_state;

static void destroy(void **pointer)
{
    search_state *state = *pointer;
    if (!state) return;
    qn_buffer_release(&state->maps);
    qn_buffer_release(&state->states);
    qn_buffer_release(&state->counters);
    qn_buffer_release(&state->legs);
    qn_flexible_batch_clear(&state->batch);
    qn_flexible_tree_clear(&state->tree);
    qn_score_receptor_clear(&state->receptor);
    qn_release(pointer);
}

static qn_status allocate_tree(int torsions, qn_flexible_tree *tree)
{
    const size_t atoms = (size_t)ATOMS_OF_PIECE * (size_t)(torsions + 1);
    *tree = (qn_flexible_tree){.atom_count = (int)atoms,
                               .heavy_count = (int)atoms,
                               .piece_count = torsions + 1,
                               .ligand_count = (int)atoms,
                               .moving_count = (int)atoms,
                               .ligand_pieces = torsions + 1};
    QN_TRY(qn_allocate((size_t)torsions + 1, sizeof *tree->pieces, (void **)&tree->pieces));
    QN_TRY(qn_allocate(atoms, sizeof(int), (void **)&tree->atom));
    QN_TRY(qn_allocate(atoms, sizeof(int), (void **)&tree->piece));
    QN_TRY(qn_allocate(atoms, sizeof(int), (void **)&tree->type));
    QN_TRY(qn_allocate(3 * atoms, sizeof(double), (void **)&tree->local));
    return qn_allocate(atoms * atoms, sizeof *tree->pairs, (void **)&tree->pairs);
}

/* A zigzag of pieces of four atoms, each turning about the bond to the one before; all pairs two pieces apart count. */
static qn_status make_tree(int torsions, qn_flexible_tree *tree)
{
    QN_TRY(allocate_tree(torsions, tree));
    for (int i = 0; i < tree->heavy_count; i++) {
        const int piece = i / ATOMS_OF_PIECE, of_piece = i % ATOMS_OF_PIECE;
        tree->atom[i] = i;
        tree->piece[i] = piece;
        tree->type[i] = scene_types[i % SCENE_TYPES];
        tree->local[3 * i] = 1.2 * of_piece;
        tree->local[3 * i + 1] = of_piece % 2 ? 0.8 : 0;
        for (int j = 0; j < i; j++)
            if (piece - j / ATOMS_OF_PIECE > 1) tree->pairs[tree->pair_count++] = (qn_flexible_pair){j, i};
    }
    for (int k = 0; k <= torsions; k++)
        tree->pieces[k] = (qn_flexible_piece){.parent = k - 1,
                                              .near = ATOMS_OF_PIECE * k - 1,
                                              .far = ATOMS_OF_PIECE * k,
                                              .first = ATOMS_OF_PIECE * k,
                                              .end = ATOMS_OF_PIECE * (k + 1),
                                              .behind = tree->heavy_count,
                                              .axis = {0.83205029433784, -0.55470019622523, 0},
                                              .offset = {4.8, 0, k % 2 ? 0.3 : -0.3}};
    tree->gyration_angstrom = 2 + 1.2 * torsions;
    return QN_OK;
}

static qn_status make_batch(search_state *state, qn_queue *queue)
{
    const qn_flexible_tree *trees[1024];
    uint32_t numbers[1024];
    for (int i = 0; i < state->ligands; i++) trees[i] = &state->tree, numbers[i] = (uint32_t)i;
    return qn_flexible_batch_create(queue, trees, numbers, state->ligands, CHAINS, state->map_of, &state->frame.grid,
                                    &state->batch);
}

static qn_status make_legs(search_state *state, qn_queue *queue)
{
    const size_t chains = (size_t)CHAINS * (size_t)state->ligands;
    qn_flexible_leg *legs = NULL;
    QN_TRY(qn_allocate(chains, sizeof *legs, (void **)&legs));
    for (size_t c = 0; c < chains; c++) legs[c] = (qn_flexible_leg){(int32_t)c, 0, state->steps, 0};
    const qn_status status = qn_workload_make_buffer(queue, legs, chains * sizeof *legs, &state->legs);
    qn_release(&legs);
    return status;
}

static qn_status fill(search_state *state, qn_queue *queue, int torsions, uint64_t seed)
{
    static const double centre[3] = {0, 0, 0};
    const double side = QN_FLEXIBLE_SPACING_ANGSTROM * (POINTS - 1), sides[3] = {side, side, side};
    const size_t chains = (size_t)CHAINS * (size_t)state->ligands;
    for (int t = 0; t < SCENE_TYPES; t++) state->map_of[scene_types[t]] = t;
    for (int d = 0; d < 3; d++) state->frame.box_low_angstrom[d] = -5, state->frame.box_high_angstrom[d] = 5;
    state->frame.confined = true;
    state->frame.seed = seed;
    QN_TRY(scene_receptor(side + 16, seed, &state->receptor));
    QN_TRY(qn_flexible_grid_of(centre, sides, &state->frame.grid));
    QN_TRY(make_tree(torsions, &state->tree));
    QN_TRY(make_batch(state, queue));
    QN_TRY(qn_workload_make_buffer(queue, NULL, sizeof(float) * SCENE_TYPES * POINTS * POINTS * POINTS, &state->maps));
    QN_TRY(qn_workload_make_buffer(queue, NULL, chains * 2 * QN_FLEXIBLE_STATE * sizeof(float), &state->states));
    QN_TRY(qn_workload_make_buffer(queue, NULL, chains * 2 * sizeof(int32_t), &state->counters));
    QN_TRY(make_legs(state, queue));
    return qn_flexible_maps(queue, NULL, &state->receptor, &state->frame.grid, scene_types, SCENE_TYPES, state->maps,
                            NULL);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    QN_TRY(qn_workload_check_size("flexible/search", "molecules", sizes[0], 1, 1024, 1));
    QN_TRY(qn_workload_check_size("flexible/search", "torsions", sizes[1], 0, QN_FLEXIBLE_TORSIONS_MAX, 1));
    QN_TRY(qn_workload_check_size("flexible/search", "steps", sizes[2], 1, 1000, 1));
    QN_TRY(qn_allocate(1, sizeof(search_state), out));
    search_state *state = *out;
    state->ligands = sizes[0];
    state->steps = sizes[2];
    qn_status status = fill(state, queue, sizes[1], seed);
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((search_state *)pointer)->states, 0xff);
}

/* A walk from new starts. */
static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    search_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    QN_TRY(qn_workload_fill(queue, state->states, 0));
    QN_TRY(qn_workload_fill(queue, state->counters, 0));
    qn_status status = qn_flexible_walk(queue, configuration, &state->batch, &state->frame, state->maps, state->legs, 0,
                                        CHAINS * state->ligands, state->states, state->counters, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

/* The energies of some chains' best poses are those of the poses by the reference. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    search_state *state = pointer;
    const size_t values = (size_t)SCENE_TYPES * POINTS * POINTS * POINTS,
                 chains = (size_t)CHAINS * (size_t)state->ligands;
    float *maps = NULL;
    *largest_error = 0;
    QN_TRY(qn_allocate(values, sizeof *maps, (void **)&maps));
    qn_status status = qn_workload_read(queue, state->maps, 0, maps, values * sizeof *maps);
    for (size_t c = 0; c < chains && status == QN_OK; c += chains / 32) {
        float best[QN_FLEXIBLE_STATE];
        qn_flexible_pose pose;
        status = qn_workload_read(queue, state->states, (2 * c + 1) * sizeof best, best, sizeof best);
        qn_flexible_state_pose(&state->tree, best, &state->frame.grid, &pose);
        const double energy = qn_flexible_search_reference(&state->tree, maps, state->map_of, &state->frame, &pose,
                                                           QN_FLEXIBLE_HARD, NULL);
        *largest_error = qn_workload_larger_error(*largest_error,
                                                  fabs((double)best[7] - energy) / (tolerance * fmax(1, fabs(energy))));
    }
    qn_release(&maps);
    return status;
}

/* One evaluation of each step, and no more: how many follow is not known. */
static void work(const void *pointer, qn_work *least)
{
    const search_state *state = pointer;
    const double times = (double)state->steps * CHAINS;
    *least = (qn_work){.multiply_adds =
                           times * (44 * state->batch.atoms + 34 * state->batch.pairs + 60 * state->batch.pieces)};
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    const int pieces = sizes[1] + 1;
    snprintf(text, 64, "chains=2^%ld atoms=2^%ld pieces=2^%ld", lround(log2((double)sizes[0] * CHAINS)),
             lround(log2(ATOMS_OF_PIECE * pieces)), lround(log2(pieces)));
}

extern const qn_workload qn_flexible_search_workload;
const qn_workload qn_flexible_search_workload = {
    .name = "flexible/search",
    .summary = "64 chains of a flexible molecule each, on maps of a receptor",
    .family = &qn_flexible_search_family,
    .size_names = {"molecules", "torsions", "steps"},
    .gpu_sizes = {64, 7, 8},
    .cpu_sizes = {1, 7, 4},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
};
