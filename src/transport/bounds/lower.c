#include "transport/bounds/lower.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "transport/bounds/hold.h"

/* SOFT_ROUNDS: of BFGS with the soft bend, which lets atoms pass each other; HANDED: best minima that a disc hands to
 * its neighbours. */
enum { STARTS = 32, STARTS_A_TORSION = 8, SOFT_ROUNDS = 25, HANDED = 8 };

typedef struct lower_search {
    const qn_bounds_scene *scene;
    int starts;          /* of a disc */
    int most;            /* minima that are kept */
    qn_disc_pose *found; /* of each start, disc by disc */
    int *counts;         /* distinct soft minima of each disc */
    qn_layers *layers;
    qn_receptor_near *lists; /* of each thread */
    int from, to;            /* discs, while one hands minima to the other */
} lower_search;

static qn_status search_start(size_t index, int worker, void *user)
{
    const lower_search *search = user;
    const qn_bounds_scene *scene = search->scene;
    qn_disc_pose *pose = &search->found[index];
    pose->disc = (int)(index / (size_t)search->starts);
    const qn_tunnel_disc *disc = &scene->discs->discs[pose->disc];
    qn_flexible_energy energy;
    qn_receptor_near_forget(&search->lists[worker]);
    qn_disc_draw_pose(scene->tree, disc, scene->seed, index, &pose->pose);
    qn_disc_minimise(scene->tree, scene->receptor, &search->lists[worker], disc, QN_FLEXIBLE_SOFT, SOFT_ROUNDS,
                     &pose->pose, &energy);
    qn_disc_pose_take(&energy, pose);
    return QN_OK;
}

/* Many starts end at one soft minimum: the distinct ones are enough, and go on to hard minima. */
static qn_status thin(size_t disc, int worker, void *user)
{
    lower_search *search = user;
    qn_disc_pose *found = search->found + disc * (size_t)search->starts;
    (void)worker;
    search->counts[disc] = qn_disc_poses_choose(search->scene->tree, found, search->starts, search->starts);
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
    for (int i = 0; i < discs; i++) qn_disc_pose_evaluate(search->scene, &search->layers->layers[i].poses[0]);
    return QN_OK;
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

int qn_lower_bound_starts(int torsions, double effort)
{
    return (int)fmax(1, round(effort * (STARTS + STARTS_A_TORSION * torsions)));
}

qn_status qn_lower_bound(const qn_bounds_scene *scene, int most, double effort, qn_layers *layers)
{
    lower_search search = {.scene = scene,
                           .starts = qn_lower_bound_starts(scene->tree->piece_count - 1, effort),
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
