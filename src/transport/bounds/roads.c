#include "transport/bounds/roads.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct int_list {
    int *items;
    size_t count, capacity;
} int_list;

struct qn_roads {
    const qn_flexible_tree *tree;
    int disc_count;
    double continuity_angstrom;
    qn_disc_pose *poses;
    size_t pose_count, pose_capacity;
    double *places; /* of all atoms of each pose */
    size_t place_capacity;
    int_list *joints; /* of each pose */
    size_t joint_capacity;
    int_list *on_disc;
};

static qn_status append(int_list *list, int item)
{
    void *memory = list->items;
    const qn_status status = qn_grow(&memory, &list->capacity, list->count + 1, sizeof *list->items);
    list->items = memory;
    QN_TRY(status);
    list->items[list->count++] = item;
    return QN_OK;
}

qn_status qn_roads_create(const qn_flexible_tree *tree, int disc_count, double continuity_angstrom, qn_roads **roads)
{
    *roads = NULL;
    QN_TRY(qn_allocate(1, sizeof **roads, (void **)roads));
    **roads = (qn_roads){.tree = tree, .disc_count = disc_count, .continuity_angstrom = continuity_angstrom};
    const qn_status status = qn_allocate((size_t)disc_count, sizeof *(*roads)->on_disc, (void **)&(*roads)->on_disc);
    if (status != QN_OK) qn_roads_destroy(roads);
    return status;
}

void qn_roads_destroy(qn_roads **roads)
{
    qn_roads *self = *roads;
    if (!self) return;
    for (size_t i = 0; i < self->pose_count; i++) qn_release(&self->joints[i].items);
    for (int i = 0; i < self->disc_count && self->on_disc; i++) qn_release(&self->on_disc[i].items);
    qn_release(&self->poses);
    qn_release(&self->places);
    qn_release(&self->joints);
    qn_release(&self->on_disc);
    qn_release(roads);
}

/* ---- adding ---- */

static qn_status make_room(qn_roads *self)
{
    const size_t needed = self->pose_count + 1, numbers = 3 * (size_t)self->tree->atom_count;
    void *memory = self->poses;
    qn_status status = qn_grow(&memory, &self->pose_capacity, needed, sizeof *self->poses);
    self->poses = memory;
    QN_TRY(status);
    memory = self->places;
    status = qn_grow(&memory, &self->place_capacity, needed * numbers, sizeof *self->places);
    self->places = memory;
    QN_TRY(status);
    memory = self->joints;
    status = qn_grow(&memory, &self->joint_capacity, needed, sizeof *self->joints);
    self->joints = memory;
    return status;
}

static bool are_near(const qn_roads *self, size_t a, size_t b)
{
    const size_t numbers = 3 * (size_t)self->tree->atom_count;
    const double *x = self->places + a * numbers, *y = self->places + b * numbers;
    const double most = self->continuity_angstrom * self->continuity_angstrom;
    for (size_t i = 0; i < numbers; i += 3) {
        const double dx = x[i] - y[i], dy = x[i + 1] - y[i + 1], dz = x[i + 2] - y[i + 2];
        if (dx * dx + dy * dy + dz * dz > most) return false;
    }
    return true;
}

static qn_status join(qn_roads *self, size_t node, int disc)
{
    if (disc < 0 || disc >= self->disc_count) return QN_OK;
    for (size_t i = 0; i < self->on_disc[disc].count; i++) {
        const int other = self->on_disc[disc].items[i];
        if (!are_near(self, node, (size_t)other)) continue;
        QN_TRY(append(&self->joints[node], other));
        QN_TRY(append(&self->joints[other], (int)node));
    }
    return QN_OK;
}

qn_status qn_roads_add(qn_roads *self, const qn_disc_pose *pose, int *node)
{
    QN_TRY(make_room(self));
    const size_t index = self->pose_count;
    self->joints[index] = (int_list){0};
    self->poses[index] = *pose;
    self->pose_count++;
    *node = (int)index;
    qn_disc_pose_positions(self->tree, pose, self->tree->atom_count,
                           self->places + index * 3 * (size_t)self->tree->atom_count);
    for (int disc = pose->disc - 1; disc <= pose->disc + 1; disc++) QN_TRY(join(self, index, disc));
    return append(&self->on_disc[pose->disc], (int)index);
}

int qn_roads_count(const qn_roads *self)
{
    return (int)self->pose_count;
}

const qn_disc_pose *qn_roads_pose(const qn_roads *self, int node)
{
    return &self->poses[node];
}

const int *qn_roads_on_disc(const qn_roads *self, int disc, int *count)
{
    *count = (int)self->on_disc[disc].count;
    return self->on_disc[disc].items;
}

/* ---- Dijkstra's algorithm; a heap holds nodes whose keys may be out of date ---- */

typedef struct heap_item {
    double key;
    int node;
} heap_item;

typedef struct heap {
    heap_item *items;
    size_t count, capacity;
} heap;

static bool is_before(const heap_item *a, const heap_item *b)
{
    return a->key < b->key || (a->key == b->key && a->node < b->node);
}

static qn_status push(heap *queue, double key, int node)
{
    void *memory = queue->items;
    const qn_status status = qn_grow(&memory, &queue->capacity, queue->count + 1, sizeof *queue->items);
    queue->items = memory;
    QN_TRY(status);
    const heap_item item = {key, node};
    size_t at = queue->count++;
    for (; at > 0 && is_before(&item, &queue->items[(at - 1) / 2]); at = (at - 1) / 2)
        queue->items[at] = queue->items[(at - 1) / 2];
    queue->items[at] = item;
    return QN_OK;
}

static heap_item pop(heap *queue)
{
    const heap_item first = queue->items[0], last = queue->items[--queue->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < queue->count; at = child) {
        if (child + 1 < queue->count && is_before(&queue->items[child + 1], &queue->items[child])) child++;
        if (!is_before(&queue->items[child], &last)) break;
        queue->items[at] = queue->items[child];
    }
    if (queue->count > 0) queue->items[at] = last;
    return first;
}

typedef struct walk {
    const qn_roads *roads;
    bool sums; /* keys are sums of energies over `lowest`; else the highest energy */
    double ceiling, lowest;
    double *keys;
    int *before; /* node before each on its way; NULL: not wanted */
    heap queue;
} walk;

static double above_lowest(const walk *self, int node)
{
    return qn_disc_pose_energy(&self->roads->poses[node]) - self->lowest;
}

/* The key of a node that is reached from `from` (−1: the way begins there). Sums count both ends of steps to another
 * disc, so that a pose may go down on its disc, and a small weight on each step makes ways short. */
static double key_after(const walk *self, double key, int from, int node)
{
    static const double weight = 1e-3;
    const qn_disc_pose *poses = self->roads->poses;
    const double energy = qn_disc_pose_energy(&poses[node]);
    if (energy > self->ceiling) return INFINITY;
    if (!self->sums) return fmax(key, energy);
    if (from < 0) return above_lowest(self, node);
    const bool stays = poses[from].disc == poses[node].disc;
    return key + weight + (stays ? 0 : 0.5 * (above_lowest(self, from) + above_lowest(self, node)));
}

static qn_status reach(walk *self, double key, int from, int node)
{
    const double next = key_after(self, key, from, node);
    if (!(next < self->keys[node])) return QN_OK;
    self->keys[node] = next;
    if (self->before) self->before[node] = from;
    return push(&self->queue, next, node);
}

static qn_status walk_from(walk *self, int disc)
{
    const qn_roads *roads = self->roads;
    for (size_t i = 0; i < roads->pose_count; i++) self->keys[i] = INFINITY;
    for (size_t i = 0; i < roads->on_disc[disc].count; i++)
        QN_TRY(reach(self, self->sums ? 0 : -INFINITY, -1, roads->on_disc[disc].items[i]));
    while (self->queue.count > 0) {
        const heap_item item = pop(&self->queue);
        if (item.key > self->keys[item.node]) continue;
        const int_list *joints = &roads->joints[item.node];
        for (size_t i = 0; i < joints->count; i++) QN_TRY(reach(self, item.key, item.node, joints->items[i]));
    }
    return QN_OK;
}

qn_status qn_roads_climb(const qn_roads *roads, int disc, double *heights)
{
    walk self = {.roads = roads, .ceiling = INFINITY, .keys = heights};
    const qn_status status = walk_from(&self, disc);
    qn_release(&self.queue.items);
    return status;
}

/* List the nodes before the best of the last disc, from the first on. */
static qn_status trace(const walk *self, int **nodes, int *count)
{
    const int_list *last = &self->roads->on_disc[self->roads->disc_count - 1];
    double least = INFINITY;
    int best = -1;
    for (size_t i = 0; i < last->count; i++) {
        const double sum = self->keys[last->items[i]] + above_lowest(self, last->items[i]);
        if (!(sum < least)) continue;
        least = sum;
        best = last->items[i];
    }
    *count = 0;
    for (int node = best; node >= 0; node = self->before[node]) ++*count;
    if (best < 0) return QN_OK;
    QN_TRY(qn_allocate((size_t)*count, sizeof **nodes, (void **)nodes));
    int at = *count;
    for (int node = best; node >= 0; node = self->before[node]) (*nodes)[--at] = node;
    return QN_OK;
}

qn_status qn_roads_find(const qn_roads *roads, double ceiling, int **nodes, int *count)
{
    walk self = {.roads = roads, .sums = true, .ceiling = ceiling, .lowest = INFINITY};
    *nodes = NULL;
    *count = 0;
    if (roads->pose_count == 0) return QN_OK;
    for (size_t i = 0; i < roads->pose_count; i++)
        self.lowest = fmin(self.lowest, qn_disc_pose_energy(&roads->poses[i]));
    qn_status status = qn_allocate(roads->pose_count, sizeof *self.keys, (void **)&self.keys);
    if (status == QN_OK) status = qn_allocate(roads->pose_count, sizeof *self.before, (void **)&self.before);
    if (status == QN_OK) status = walk_from(&self, 0);
    if (status == QN_OK) status = trace(&self, nodes, count);
    qn_release(&self.keys);
    qn_release(&self.before);
    qn_release(&self.queue.items);
    return status;
}
