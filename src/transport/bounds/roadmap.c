#include "transport/bounds/roadmap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "transport/bounds/follow.h"
#include "transport/bounds/roads.h"

/* LEG: poses on one disc, at most, of one traveller; AROUND: discs on each side of the highest place; PAIRS: of poses
 * that are drawn to each other on a disc; MEETING: steps of one towards the other. */
enum { LEG = 12, AROUND = 5, PAIRS = 4, MEETING = 16 };
static const double worth_kcal_mol = 0.005; /* a smaller fall of an energy ends a series of steps */
static const double distinct_angstrom = 0.3, careful = 0.6;
static const double first_pull = 0.3, strongest_pull = 20; /* kcal/mol/Å² */

/* The published schedule: poses that travel, and when and how far it goes back. */
enum { HYPOTHESES = 4, BACK = 5 };
static const double backtrack_kcal_mol = 1;

/* A pose on its way, and the highest energy behind it. */
typedef struct traveller {
    qn_disc_pose pose;
    double highest;
} traveller;

/* A row of poses in steps within the continuity. */
typedef struct leg {
    int count;
    qn_disc_pose poses[MEETING];
} leg;

typedef struct meeting_pair {
    int from, to; /* nodes */
    double distance;
} meeting_pair;

typedef struct roadmap {
    const qn_bounds_scene *scene;
    const qn_roadmap_settings *settings;
    qn_layers *layers;
    qn_roads *roads;
    qn_receptor_near *lists;         /* of each thread */
    int most;                        /* travellers */
    traveller *travellers, *arrived; /* `most` of them; those that a disc chooses from */
    size_t arrived_capacity;
    int traveller_count;
    int disc; /* that travellers go to */
    leg *legs;
    meeting_pair *pairs;
    double highest; /* of the best way so far */
} roadmap;

static qn_status add_leg(roadmap *map, const leg *row)
{
    int node;
    for (int i = 0; i < row->count; i++) QN_TRY(qn_roads_add(map->roads, &row->poses[i], &node));
    return QN_OK;
}

/* ---- travelling ---- */

/* Step onto a disc; a step that is too long is tried once more with a shorter reach. */
static bool advance(const roadmap *map, qn_receptor_near *near, const qn_disc_pose *from, qn_disc_pose *to)
{
    const double continuity = map->settings->continuity_angstrom;
    const qn_follow usual = {.reference = from, .continuity_angstrom = continuity};
    const qn_follow shorter = {.reference = from, .continuity_angstrom = careful * continuity};
    *to = *from;
    to->disc = map->disc;
    if (qn_disc_pose_follow(map->scene, near, &usual, to)) return true;
    *to = *from;
    to->disc = map->disc;
    (void)qn_disc_pose_follow(map->scene, near, &shorter, to);
    return qn_disc_pose_step(map->scene->tree, from, to) <= continuity;
}

/* Go down on a disc step by step, until the energy falls no more. */
static void relax(const roadmap *map, qn_receptor_near *near, leg *row)
{
    while (row->count < LEG) {
        const qn_disc_pose *from = &row->poses[row->count - 1];
        qn_disc_pose next = *from;
        const qn_follow follow = {.reference = from, .continuity_angstrom = map->settings->continuity_angstrom};
        if (!qn_disc_pose_follow(map->scene, near, &follow, &next)) return;
        if (qn_disc_pose_energy(&next) > qn_disc_pose_energy(from) - worth_kcal_mol) return;
        row->poses[row->count++] = next;
    }
}

static qn_status travel_one(size_t index, int worker, void *user)
{
    roadmap *map = user;
    leg *row = &map->legs[index];
    qn_receptor_near *near = &map->lists[worker];
    qn_receptor_near_forget(near);
    row->count = 0;
    if (!advance(map, near, &map->travellers[index].pose, &row->poses[0])) return QN_OK;
    row->count = 1;
    relax(map, near, row);
    return QN_OK;
}

static int compare_travellers(const void *left, const void *right)
{
    const traveller *a = left, *b = right;
    const double energies[2] = {qn_disc_pose_energy(&a->pose), qn_disc_pose_energy(&b->pose)};
    if (a->highest != b->highest) return a->highest < b->highest ? -1 : 1;
    if (energies[0] != energies[1]) return energies[0] < energies[1] ? -1 : 1;
    return memcmp(&a->pose.pose, &b->pose.pose, sizeof a->pose.pose);
}

/* Choose the travellers among those that arrived. */
static void choose(roadmap *map, int count)
{
    const qn_flexible_tree *tree = map->scene->tree;
    map->traveller_count = 0;
    if (count > 0) qsort(map->arrived, (size_t)count, sizeof *map->arrived, compare_travellers);
    for (int i = 0; i < count && map->traveller_count < map->most; i++) {
        bool distinct = true;
        for (int j = 0; j < map->traveller_count && distinct; j++)
            distinct = qn_disc_pose_distance(tree, &map->arrived[i].pose, &map->travellers[j].pose) > distinct_angstrom;
        if (distinct) map->travellers[map->traveller_count++] = map->arrived[i];
    }
}

/* Those that arrive: the ends of legs, and the disc's minima that a leg's end can step to. */
static int list_arrived(roadmap *map)
{
    const qn_layer *layer = &map->layers->layers[map->disc];
    int count = 0;
    for (int i = 0; i < map->traveller_count; i++) {
        const leg *row = &map->legs[i];
        double highest = map->travellers[i].highest;
        if (row->count == 0) continue;
        for (int k = 0; k < row->count; k++) highest = fmax(highest, qn_disc_pose_energy(&row->poses[k]));
        const qn_disc_pose *end = &row->poses[row->count - 1];
        map->arrived[count++] = (traveller){*end, highest};
        for (int m = 0; m < layer->count; m++)
            if (qn_disc_pose_step(map->scene->tree, end, &layer->poses[m]) <= map->settings->continuity_angstrom)
                map->arrived[count++] =
                    (traveller){layer->poses[m], fmax(highest, qn_disc_pose_energy(&layer->poses[m]))};
    }
    return count;
}

/* Let the minima of a disc travel. */
static void start_from(roadmap *map, int disc)
{
    const qn_layer *start = &map->layers->layers[disc];
    map->traveller_count = start->count < map->most ? start->count : map->most;
    for (int i = 0; i < map->traveller_count; i++)
        map->travellers[i] = (traveller){start->poses[i], qn_disc_pose_energy(&start->poses[i])};
}

static qn_status travel_to(roadmap *map, int disc)
{
    map->disc = disc;
    QN_TRY(qn_pool_run(map->scene->pool, (size_t)map->traveller_count, travel_one, map));
    for (int i = 0; i < map->traveller_count; i++) QN_TRY(add_leg(map, &map->legs[i]));
    choose(map, list_arrived(map));
    return QN_OK;
}

static qn_status sweep(roadmap *map, int first, int step)
{
    start_from(map, first);
    for (int disc = first + step; disc >= 0 && disc < map->layers->count; disc += step) QN_TRY(travel_to(map, disc));
    return QN_OK;
}

/* ---- the published schedule ---- */

/* Choose the travellers among all poses of a disc that the first one is joined to. */
static qn_status gather_reached(roadmap *map, int disc)
{
    int on_disc, count = 0;
    const int *nodes = qn_roads_on_disc(map->roads, disc, &on_disc);
    double *heights;
    QN_TRY(qn_allocate((size_t)qn_roads_count(map->roads), sizeof *heights, (void **)&heights));
    qn_status status = qn_roads_climb(map->roads, 0, heights);
    void *memory = map->arrived;
    if (status == QN_OK) status = qn_grow(&memory, &map->arrived_capacity, (size_t)on_disc, sizeof *map->arrived);
    map->arrived = memory;
    for (int i = 0; i < on_disc && status == QN_OK; i++)
        if (heights[nodes[i]] < INFINITY)
            map->arrived[count++] = (traveller){*qn_roads_pose(map->roads, nodes[i]), heights[nodes[i]]};
    qn_release(&heights);
    if (status == QN_OK) choose(map, count);
    return status;
}

/* Go back from a disc's minima: where they meet poses that came, they are reached. */
static qn_status backtrack(roadmap *map, int disc)
{
    start_from(map, disc);
    for (int back = disc - 1; back >= 0 && back >= disc - BACK; back--) QN_TRY(travel_to(map, back));
    return gather_reached(map, disc);
}

static bool is_high(const roadmap *map, int disc)
{
    double least = INFINITY;
    for (int i = 0; i < map->traveller_count; i++) least = fmin(least, qn_disc_pose_energy(&map->travellers[i].pose));
    return least > qn_disc_pose_energy(&map->layers->layers[disc].poses[0]) + backtrack_kcal_mol;
}

/* Forward alone. */
static qn_status go_forward(roadmap *map)
{
    start_from(map, 0);
    for (int disc = 1; disc < map->layers->count; disc++) {
        QN_TRY(travel_to(map, disc));
        if (is_high(map, disc)) QN_TRY(backtrack(map, disc));
    }
    return QN_OK;
}

/* ---- converging ---- */

/* Go from one pose towards another below the present maximum: strongly held to the last pose, weakly drawn. */
static qn_status meet_one(size_t index, int worker, void *user)
{
    roadmap *map = user;
    leg *row = &map->legs[index];
    const qn_disc_pose *from = qn_roads_pose(map->roads, map->pairs[index].from);
    const qn_disc_pose *to = qn_roads_pose(map->roads, map->pairs[index].to);
    const double continuity = map->settings->continuity_angstrom;
    double left = qn_disc_pose_step(map->scene->tree, from, to);
    qn_follow follow = {.continuity_angstrom = continuity, .target = to, .pull = first_pull};
    qn_receptor_near *near = &map->lists[worker];
    qn_receptor_near_forget(near);
    row->count = 0;
    while (row->count < MEETING && left > continuity && follow.pull <= strongest_pull) {
        follow.reference = row->count > 0 ? &row->poses[row->count - 1] : from;
        qn_disc_pose next = *follow.reference;
        if (!qn_disc_pose_follow(map->scene, near, &follow, &next)) return QN_OK;
        if (qn_disc_pose_energy(&next) > map->highest - worth_kcal_mol) return QN_OK;
        const double before = left;
        left = qn_disc_pose_step(map->scene->tree, &next, to);
        if (left > 0.95 * before) follow.pull *= 2;
        row->poses[row->count++] = next;
    }
    return QN_OK;
}

static int compare_pairs(const void *left, const void *right)
{
    const meeting_pair *a = left, *b = right;
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    return a->from != b->from ? a->from - b->from : a->to - b->to;
}

/* The pairs of a disc that are nearest to each other, of a node below the maximum from either end. */
static qn_status add_pairs(roadmap *map, int disc, const double *const heights[2], int *count)
{
    int on_disc, found = 0;
    const int *nodes = qn_roads_on_disc(map->roads, disc, &on_disc);
    meeting_pair *nearest;
    QN_TRY(qn_allocate((size_t)on_disc + 1, sizeof *nearest, (void **)&nearest));
    for (int i = 0; i < on_disc; i++) {
        meeting_pair pair = {nodes[i], -1, INFINITY};
        for (int j = 0; j < on_disc && heights[0][nodes[i]] < map->highest; j++) {
            if (!(heights[1][nodes[j]] < map->highest)) continue;
            const double distance = qn_disc_pose_distance(map->scene->tree, qn_roads_pose(map->roads, nodes[i]),
                                                          qn_roads_pose(map->roads, nodes[j]));
            if (distance < pair.distance) pair = (meeting_pair){nodes[i], nodes[j], distance};
        }
        if (pair.to >= 0) nearest[found++] = pair;
    }
    if (found > 0) qsort(nearest, (size_t)found, sizeof *nearest, compare_pairs);
    for (int i = 0; i < found && i < PAIRS; i++) {
        map->pairs[(*count)++] = nearest[i];
        map->pairs[(*count)++] = (meeting_pair){nearest[i].to, nearest[i].from, nearest[i].distance};
    }
    qn_release(&nearest);
    return QN_OK;
}

/* Heights from both ends, and the least height of a whole way with a node of its highest place. */
static qn_status climb(const roadmap *map, double *heights[2], double *highest, int *node)
{
    const int count = qn_roads_count(map->roads);
    for (int side = 0; side < 2; side++) {
        qn_release(&heights[side]);
        QN_TRY(qn_allocate((size_t)count, sizeof(double), (void **)&heights[side]));
        QN_TRY(qn_roads_climb(map->roads, side == 0 ? 0 : map->layers->count - 1, heights[side]));
    }
    *highest = INFINITY;
    *node = -1;
    for (int i = 0; i < count; i++) *highest = fmin(*highest, fmax(heights[0][i], heights[1][i]));
    for (int i = 0; i < count && *node < 0; i++)
        if (qn_disc_pose_energy(qn_roads_pose(map->roads, i)) == *highest &&
            fmax(heights[0][i], heights[1][i]) == *highest)
            *node = i;
    return QN_OK;
}

static qn_status meet(roadmap *map, const double *const heights[2], int disc)
{
    int count = 0;
    for (int i = disc - AROUND; i <= disc + AROUND; i++)
        if (i >= 0 && i < map->layers->count) QN_TRY(add_pairs(map, i, heights, &count));
    QN_TRY(qn_pool_run(map->scene->pool, (size_t)count, meet_one, map));
    for (int i = 0; i < count; i++) QN_TRY(add_leg(map, &map->legs[i]));
    return QN_OK;
}

/* Draw poses to each other until the maximum falls no more. */
static qn_status converge(roadmap *map, double *heights[2])
{
    const int rounds = map->settings->published ? 0 : map->settings->rounds;
    int node;
    QN_TRY(climb(map, heights, &map->highest, &node));
    for (int round = 0; round < rounds && node >= 0; round++) {
        double highest;
        QN_TRY(meet(map, (const double *const *)heights, qn_roads_pose(map->roads, node)->disc));
        QN_TRY(climb(map, heights, &highest, &node));
        const bool has_fallen = highest < map->highest - worth_kcal_mol;
        map->highest = highest;
        if (!has_fallen) return QN_OK;
    }
    return QN_OK;
}

/* ---- all together ---- */

static qn_status allocate(roadmap *map)
{
    const size_t most = (size_t)map->most, meetings = 2 * PAIRS * (2 * AROUND + 1);
    QN_TRY(qn_bounds_lists_create(map->scene, &map->lists));
    QN_TRY(qn_roads_create(map->scene->tree, map->layers->count, map->settings->continuity_angstrom, &map->roads));
    QN_TRY(qn_allocate(most, sizeof *map->travellers, (void **)&map->travellers));
    map->arrived_capacity = most * ((size_t)map->settings->most + 1);
    QN_TRY(qn_allocate(map->arrived_capacity, sizeof *map->arrived, (void **)&map->arrived));
    QN_TRY(qn_allocate(most > meetings ? most : meetings, sizeof *map->legs, (void **)&map->legs));
    return qn_allocate(meetings, sizeof *map->pairs, (void **)&map->pairs);
}

static qn_status add_layers(roadmap *map)
{
    int node;
    for (int disc = 0; disc < map->layers->count; disc++)
        for (int i = 0; i < map->layers->layers[disc].count; i++)
            QN_TRY(qn_roads_add(map->roads, &map->layers->layers[disc].poses[i], &node));
    return QN_OK;
}

/* Where a travelling pose is lower than the best of its disc, it is the bound. */
static void lower_layer(const roadmap *map, const qn_disc_pose *pose)
{
    qn_disc_pose *best = &map->layers->layers[pose->disc].poses[0];
    if (qn_disc_pose_energy(pose) < qn_disc_pose_energy(best)) *best = *pose;
}

static qn_status take_way(const roadmap *map, qn_way *way)
{
    int *nodes;
    QN_TRY(qn_roads_find(map->roads, map->settings->by_sum ? INFINITY : map->highest, &nodes, &way->count));
    qn_status status = QN_OK;
    if (way->count > 0) status = qn_allocate((size_t)way->count, sizeof *way->poses, (void **)&way->poses);
    for (int i = 0; i < way->count && status == QN_OK; i++) way->poses[i] = *qn_roads_pose(map->roads, nodes[i]);
    qn_release(&nodes);
    return status;
}

/* The energies of bounds are in double precision, so that no pose of the way is below its disc's bound. */
static void finish(const roadmap *map, const qn_way *way)
{
    for (int i = 0; i < qn_roads_count(map->roads); i++) lower_layer(map, qn_roads_pose(map->roads, i));
    for (int i = 0; i < map->layers->count; i++) qn_disc_pose_evaluate(map->scene, &map->layers->layers[i].poses[0]);
    for (int i = 0; i < way->count; i++) {
        qn_disc_pose_evaluate(map->scene, &way->poses[i]);
        lower_layer(map, &way->poses[i]);
    }
}

/* The published schedule comes first, so that the roadmap has all its poses and is never worse. */
static qn_status make(roadmap *map, qn_way *way)
{
    double *heights[2] = {NULL, NULL};
    QN_TRY(allocate(map));
    QN_TRY(add_layers(map));
    const int most = map->most;
    map->most = most < HYPOTHESES ? most : HYPOTHESES;
    QN_TRY(go_forward(map));
    map->most = most;
    if (!map->settings->published) {
        QN_TRY(sweep(map, 0, 1));
        QN_TRY(sweep(map, map->layers->count - 1, -1));
    }
    const qn_status status = converge(map, heights);
    qn_release(&heights[0]);
    qn_release(&heights[1]);
    QN_TRY(status);
    QN_TRY(take_way(map, way));
    finish(map, way);
    return QN_OK;
}

qn_status qn_upper_bound(const qn_bounds_scene *scene, const qn_roadmap_settings *settings, qn_layers *layers,
                         qn_way *way)
{
    roadmap map = {.scene = scene, .settings = settings, .layers = layers, .most = settings->most};
    *way = (qn_way){0};
    const qn_status status = make(&map, way);
    qn_roads_destroy(&map.roads);
    qn_bounds_lists_destroy(scene, &map.lists);
    qn_release(&map.travellers);
    qn_release(&map.arrived);
    qn_release(&map.legs);
    qn_release(&map.pairs);
    if (status != QN_OK) qn_way_clear(way);
    return status;
}

void qn_way_clear(qn_way *way)
{
    qn_release(&way->poses);
    *way = (qn_way){0};
}

/* ---- memory ---- */

/* Nodes: one or two for each of the minima of a disc, more for ligands that turn and therefore travel in more steps, as
 * counted in LinB; lists of them have a third of their room to spare, and a node has about ten joints. Sorting
 * travellers takes room, too. */
double qn_bounds_bytes(int discs, int torsions, int atoms, int most, double effort, bool upper)
{
    const double pose = sizeof(qn_disc_pose), starts = qn_lower_bound_starts(torsions, effort);
    const double minima = fmin(most, starts), layers = discs * (minima + 8) * pose, found = discs * starts * pose;
    const double nodes = fmin(6, 1.3 + 0.9 * torsions) * discs * minima, node = 1.33 * (pose + 24 * atoms + 24) + 100;
    const double travellers = most * (most + 12.0) * sizeof(traveller), legs = fmax(most, 88) * sizeof(leg);
    return layers + fmax(found, upper ? nodes * node + travellers + legs : 0);
}
