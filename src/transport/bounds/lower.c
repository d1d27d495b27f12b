#include "transport/bounds/lower.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/random.h"
#include "transport/bounds/hold.h"

/* DRAWS: random poses, the lowest of which is a start; SOFT_ROUNDS: of BFGS with the soft bend, which lets atoms pass
 * each other; SETTLED: lowest soft minima of a disc that go on; HANDED: best minima that a disc hands to its
 * neighbours; KICKS: of the best minimum. */
enum { STARTS = 16, STARTS_A_TORSION = 4, DRAWS = 6, SOFT_ROUNDS = 50, SETTLED = 24, HANDED = 8, KICKS = 8 };
static const double kick_angstrom = 0.3; /* of place and, at the radius of gyration, rotation; of torsions likewise */
static const uint64_t kick_stream = (uint64_t)1 << 40; /* beyond those of starts */

typedef struct lower_search {
    const qn_bounds_scene *scene;
    int starts, settled; /* of a disc */
    int most;            /* minima that are kept */
    qn_disc_pose *found; /* of each start, disc by disc */
    int *counts;         /* soft minima of each disc that go on */
    qn_layers *layers;
    qn_receptor_near *lists; /* of each thread */
    int from, to;            /* discs, while one hands minima to the other */
} lower_search;

/* The lowest of some random poses: most have atoms within those of the receptor, and lead nowhere. */
static void draw_start(const lower_search *search, size_t index, int worker, const qn_tunnel_disc *disc,
                       qn_flexible_pose *pose)
{
    const qn_bounds_scene *scene = search->scene;
    double lowest = INFINITY;
    for (uint64_t i = 0; i < DRAWS; i++) {
        qn_flexible_pose drawn;
        qn_flexible_energy energy;
        qn_disc_draw_pose(scene->tree, disc, scene->seed, index * DRAWS + i, &drawn);
        qn_flexible_evaluate_roughly(scene->tree, scene->receptor, &search->lists[worker], &drawn, QN_FLEXIBLE_SOFT,
                                     &energy, NULL);
        if (energy.bent < lowest) *pose = drawn, lowest = energy.bent;
    }
}

static qn_status search_start(size_t index, int worker, void *user)
{
    const lower_search *search = user;
    const qn_bounds_scene *scene = search->scene;
    qn_disc_pose *pose = &search->found[index];
    pose->disc = (int)(index / (size_t)search->starts);
    const qn_tunnel_disc *disc = &scene->discs->discs[pose->disc];
    qn_flexible_energy energy;
    qn_receptor_near_forget(&search->lists[worker]);
    draw_start(search, index, worker, disc, &pose->pose);
    qn_disc_minimise(scene->tree, scene->receptor, &search->lists[worker], disc, QN_FLEXIBLE_SOFT, SOFT_ROUNDS,
                     &pose->pose, &energy);
    qn_disc_pose_take(&energy, pose);
    return QN_OK;
}

/* Many starts end at one soft minimum: the distinct ones are enough, and the lowest of them go on to hard minima. */
static qn_status thin(size_t disc, int worker, void *user)
{
    lower_search *search = user;
    qn_disc_pose *found = search->found + disc * (size_t)search->starts;
    (void)worker;
    search->counts[disc] = qn_disc_poses_choose(search->scene->tree, found, search->starts, search->settled);
    return QN_OK;
}

static qn_status settle_start(size_t index, int worker, void *user)
{
    const lower_search *search = user;
    if (index % (size_t)search->starts >= (size_t)search->counts[index / (size_t)search->starts]) return QN_OK;
    qn_receptor_near_forget(&search->lists[worker]);
    qn_disc_pose_settle(search->scene, &search->lists[worker], &search->found[index]);
    return QN_OK;
}

/* Keep the distinct minima of a disc. */
static qn_status choose(size_t disc, int worker, void *user)
{
    const lower_search *search = user;
    qn_layer *layer = &search->layers->layers[disc];
    qn_disc_pose *found = search->found + disc * (size_t)search->starts;
    (void)worker;
    layer->count = qn_disc_poses_choose(search->scene->tree, found, search->counts[disc], search->most);
    memcpy(layer->poses, found, (size_t)layer->count * sizeof *found);
    return QN_OK;
}

static qn_status hand_one(size_t index, int worker, void *user)
{
    const lower_search *search = user;
    const qn_layer *from = &search->layers->layers[search->from], *to = &search->layers->layers[search->to];
    qn_disc_pose *pose = &to->poses[(size_t)to->count + index];
    *pose = from->poses[index];
    pose->disc = search->to;
    qn_receptor_near_forget(&search->lists[worker]);
    qn_disc_pose_settle(search->scene, &search->lists[worker], pose);
    return QN_OK;
}

static qn_status hand(lower_search *search, int from, int to)
{
    const qn_layer *giver = &search->layers->layers[from];
    qn_layer *taker = &search->layers->layers[to];
    const int count = giver->count < HANDED ? giver->count : HANDED;
    search->from = from, search->to = to;
    QN_TRY(qn_pool_run(search->scene->pool, (size_t)count, hand_one, search));
    taker->count = qn_disc_poses_choose(search->scene->tree, taker->poses, taker->count + count, search->most);
    return QN_OK;
}

/* Minimise from places near the best minimum, which takes each lower one that is found: along kinks of Vina's ramps,
 * minimisations end before the lowest place. */
static qn_status kick(size_t disc, int worker, void *user)
{
    const lower_search *search = user;
    const qn_bounds_scene *scene = search->scene;
    const qn_flexible_tree *tree = scene->tree;
    qn_disc_pose *best = &search->layers->layers[disc].poses[0];
    const double turn = kick_angstrom / fmax(0.5, tree->gyration_angstrom);
    qn_receptor_near_forget(&search->lists[worker]);
    for (int k = 0; k < KICKS; k++) {
        double step[6 + QN_FLEXIBLE_TORSIONS_MAX];
        qn_disc_pose moved = *best;
        for (int i = 0; i < qn_flexible_freedoms(tree); i++) {
            const uint64_t draw = (uint64_t)k * (6 + QN_FLEXIBLE_TORSIONS_MAX) + (uint64_t)i;
            const double reach = i < 3 ? kick_angstrom : turn;
            step[i] = reach * (2 * qn_random_uniform(scene->seed, kick_stream + disc, draw) - 1);
        }
        qn_flexible_pose_step(tree, &best->pose, step, 1, &moved.pose);
        qn_disc_pose_settle(scene, &search->lists[worker], &moved);
        if (qn_disc_pose_energy(&moved) < qn_disc_pose_energy(best)) *best = moved;
    }
    qn_disc_pose_evaluate(scene, best);
    return QN_OK;
}

static qn_status search_discs(lower_search *search)
{
    const int discs = search->scene->discs->count;
    const size_t starts = (size_t)discs * (size_t)search->starts;
    QN_TRY(qn_pool_run(search->scene->pool, starts, search_start, search));
    QN_TRY(qn_pool_run(search->scene->pool, (size_t)discs, thin, search));
    QN_TRY(qn_pool_run(search->scene->pool, starts, settle_start, search));
    QN_TRY(qn_pool_run(search->scene->pool, (size_t)discs, choose, search));
    for (int i = 1; i < discs; i++) QN_TRY(hand(search, i - 1, i));
    for (int i = discs - 2; i >= 0; i--) QN_TRY(hand(search, i + 1, i));
    return qn_pool_run(search->scene->pool, (size_t)discs, kick, search);
}

static qn_status allocate(lower_search *search)
{
    const size_t discs = (size_t)search->scene->discs->count, room = (size_t)search->most + HANDED;
    qn_layers *layers = search->layers;
    QN_TRY(qn_bounds_lists_create(search->scene, &search->lists));
    QN_TRY(qn_allocate(discs * (size_t)search->starts, sizeof *search->found, (void **)&search->found));
    QN_TRY(qn_allocate(discs, sizeof *search->counts, (void **)&search->counts));
    QN_TRY(qn_allocate(discs, sizeof *layers->layers, (void **)&layers->layers));
    QN_TRY(qn_allocate(discs * room, sizeof *layers->memory, (void **)&layers->memory));
    layers->count = (int)discs;
    for (size_t i = 0; i < discs; i++) layers->layers[i].poses = layers->memory + i * room;
    return QN_OK;
}

static int times_effort(int count, double effort)
{
    return (int)fmax(1, round(effort * count));
}

int qn_lower_bound_starts(int torsions, double effort)
{
    return times_effort(STARTS + STARTS_A_TORSION * torsions, effort);
}

qn_status qn_lower_bound(const qn_bounds_scene *scene, int most, double effort, qn_layers *layers)
{
    lower_search search = {.scene = scene,
                           .starts = qn_lower_bound_starts(scene->tree->piece_count - 1, effort),
                           .settled = times_effort(SETTLED, effort),
                           .most = most,
                           .layers = layers};
    *layers = (qn_layers){0};
    qn_status status = allocate(&search);
    if (status == QN_OK) status = search_discs(&search);
    qn_release(&search.found);
    qn_release(&search.counts);
    qn_bounds_lists_destroy(scene, &search.lists);
    if (status != QN_OK) qn_layers_clear(layers);
    return status;
}

void qn_layers_clear(qn_layers *layers)
{
    qn_release(&layers->layers);
    qn_release(&layers->memory);
    *layers = (qn_layers){0};
}
