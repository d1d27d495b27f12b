#include "cluster/method/linkage_chain.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum {
    PIECE = 2048,      /* slots that one task of the pool scans */
    PIECES_MAX = 256,  /* of a scan; larger sets are scanned by one thread */
    PACK_LEAST = 1024, /* fewer slots are not packed */
};

/* A slot holds a cluster, or is empty after its cluster was merged into another slot. Distances to an empty slot are
 * infinite. When a quarter of the slots is empty, the triangle is packed in its own memory, in the order of the slots.
 */
typedef struct chain {
    qn_linkage_method method;
    qn_pool *pool;
    size_t slots, filled;
    float *distance; /* working triangle of the slots */
    uint32_t *size;  /* items; 0: the slot is empty */
    uint32_t *item;  /* one of the cluster's items */
    uint32_t *links; /* slots of the chain */
    size_t length;
    uint32_t *moved; /* scratch: new places of the slots */
    bool scan_in_pieces;
} chain;

typedef struct nearest {
    float distance;
    size_t slot;
} nearest;

/* The first nearest of slots `from` … `to` − 1 that is nearer than `best`. Column elements are far apart; those of the
 * row follow each other, and are scanned in two steps that the compiler vectorises. */
static nearest scan(const chain *work, size_t slot, size_t from, size_t to, nearest best)
{
    const size_t end = to < slot ? to : slot;
    if (from < end) {
        size_t place = qn_distance_place(work->slots, from, slot);
        for (size_t j = from; j < end; place += work->slots - j - 2, j++)
            if (work->distance[place] < best.distance) best = (nearest){work->distance[place], j};
    }
    const size_t begin = from > slot + 1 ? from : slot + 1;
    if (begin >= to) return best;
    const float *row = work->distance + qn_distance_place(work->slots, slot, begin);
    float least = best.distance;
#pragma omp simd reduction(min : least)
    for (size_t j = 0; j < to - begin; j++) least = row[j] < least ? row[j] : least;
    if (!(least < best.distance)) return best;
    size_t j = 0;
    while (row[j] != least) j++;
    return (nearest){least, begin + j};
}

typedef struct pieces_task {
    chain *work;
    size_t slot, other;
    nearest *found; /* of each piece */
    nearest bound;
} pieces_task;

static size_t piece_end(const chain *work, size_t piece)
{
    const size_t end = (piece + 1) * PIECE;
    return end < work->slots ? end : work->slots;
}

static qn_status scan_piece(size_t piece, int worker, void *user)
{
    (void)worker;
    pieces_task *task = user;
    task->found[piece] = scan(task->work, task->slot, piece * PIECE, piece_end(task->work, piece), task->bound);
    return QN_OK;
}

/* The nearest slot. `best` has the slot before in the chain, which is kept among equals. */
static qn_status find_nearest(chain *work, size_t slot, nearest *best)
{
    if (!work->scan_in_pieces) {
        *best = scan(work, slot, 0, work->slots, *best);
        return QN_OK;
    }
    nearest found[PIECES_MAX];
    const size_t pieces = (work->slots + PIECE - 1) / PIECE;
    pieces_task task = {.work = work, .slot = slot, .found = found, .bound = *best};
    QN_TRY(qn_pool_run(work->pool, pieces, scan_piece, &task));
    for (size_t p = 0; p < pieces; p++)
        if (found[p].distance < best->distance) *best = found[p];
    return QN_OK;
}

/* Distance of slot i to the union of slots a and b (Lance and Williams 1967). In double: the result, rounded to float,
 * is never below the smaller of the two distances, and the chains rely on this. */
static float united(qn_linkage_method method, double to_a, double to_b, double between, double size_a, double size_b,
                    double size_i)
{
    if (method == QN_LINKAGE_COMPLETE) return (float)(to_a > to_b ? to_a : to_b);
    if (method == QN_LINKAGE_AVERAGE) return (float)((size_a * to_a + size_b * to_b) / (size_a + size_b));
    const double sum = (size_a + size_i) * to_a * to_a + (size_b + size_i) * to_b * to_b - size_i * between * between;
    return (float)sqrt(sum / (size_a + size_b + size_i));
}

/* Put the distances to the union of `slot` and `other` into `other`, for slots `from` … `to` − 1. */
static void unite(chain *work, size_t slot, size_t other, float between, size_t from, size_t to)
{
    const double size_a = work->size[slot], size_b = work->size[other];
    for (size_t i = from; i < to; i++) {
        if (work->size[i] == 0 || i == slot || i == other) continue;
        float *to_a = work->distance + qn_distance_place(work->slots, i, slot);
        float *to_b = work->distance + qn_distance_place(work->slots, i, other);
        *to_b = united(work->method, (double)*to_a, (double)*to_b, (double)between, size_a, size_b, work->size[i]);
        *to_a = INFINITY;
    }
}

static qn_status unite_piece(size_t piece, int worker, void *user)
{
    (void)worker;
    const pieces_task *task = user;
    unite(task->work, task->slot, task->other, task->bound.distance, piece * PIECE, piece_end(task->work, piece));
    return QN_OK;
}

/* Move the filled slots together. Every element moves to an earlier place or stays, so the order of moves is safe. */
static void pack(chain *work)
{
    size_t written = 0, kept = 0;
    for (size_t i = 0; i < work->slots; i++) {
        if (work->size[i] == 0) continue;
        const float *row = work->distance + (i + 1 < work->slots ? qn_distance_place(work->slots, i, i + 1) : 0);
        for (size_t j = i + 1; j < work->slots; j++)
            if (work->size[j] > 0) work->distance[written++] = row[j - i - 1];
    }
    for (size_t i = 0; i < work->slots; i++) {
        work->moved[i] = (uint32_t)kept;
        if (work->size[i] == 0) continue;
        work->size[kept] = work->size[i];
        work->item[kept++] = work->item[i];
    }
    for (size_t k = 0; k < work->length; k++) work->links[k] = work->moved[work->links[k]];
    work->slots = kept;
}

/* Merge the two slots, the earlier into the later. */
static qn_status merge_slots(chain *work, size_t a, size_t b, float between, qn_merge *merge)
{
    const size_t slot = a < b ? a : b, other = a < b ? b : a;
    *merge = (qn_merge){.first = work->item[slot], .second = work->item[other], .height = between};
    if (work->scan_in_pieces) {
        pieces_task task = {.work = work, .slot = slot, .other = other, .bound.distance = between};
        QN_TRY(qn_pool_run(work->pool, (work->slots + PIECE - 1) / PIECE, unite_piece, &task));
    } else {
        unite(work, slot, other, between, 0, work->slots);
    }
    work->distance[qn_distance_place(work->slots, slot, other)] = INFINITY;
    work->size[other] += work->size[slot];
    work->size[slot] = 0;
    work->filled--;
    return QN_OK;
}

static void choose_pieces(chain *work)
{
    work->scan_in_pieces = work->pool && qn_pool_threads(work->pool) > 1 && work->slots > 4 * PIECE &&
                           work->slots <= (size_t)PIECES_MAX * PIECE;
}

/* Follow nearest neighbours until two slots are each other's nearest, and merge these. */
static qn_status next_merge(chain *work, qn_merge *merge)
{
    if (work->length == 0) {
        uint32_t first = 0;
        while (work->size[first] == 0) first++;
        work->links[work->length++] = first;
    }
    for (;;) {
        const size_t slot = work->links[work->length - 1];
        const size_t before = work->length > 1 ? work->links[work->length - 2] : slot;
        nearest best = {INFINITY, before};
        if (before != slot) best.distance = work->distance[qn_distance_place(work->slots, slot, before)];
        QN_TRY(find_nearest(work, slot, &best));
        if (best.distance == INFINITY)
            return QN_FAIL(QN_INVALID_ARGUMENT, "distances are too large for linkage in single precision");
        if (work->length > 1 && best.slot == before) {
            work->length -= 2;
            return merge_slots(work, slot, before, best.distance, merge);
        }
        work->links[work->length++] = (uint32_t)best.slot;
    }
}

static qn_status run_chain(chain *work, size_t count, qn_merge *merges)
{
    choose_pieces(work);
    for (size_t k = 0; k + 1 < count; k++) {
        QN_TRY(next_merge(work, &merges[k]));
        if (work->slots >= PACK_LEAST && work->filled <= work->slots - work->slots / 4) {
            pack(work);
            choose_pieces(work);
        }
    }
    return QN_OK;
}

static void copy_triangle(const qn_distance_matrix *matrix, float *distance)
{
    const size_t pairs = matrix->count * (matrix->count - 1) / 2;
    if (matrix->values) {
        memcpy(distance, matrix->values, pairs * sizeof *distance);
        return;
    }
    for (size_t p = 0; p < pairs; p++) distance[p] = (float)matrix->steps[p] * matrix->step;
}

qn_status qn_linkage_chain(const qn_distance_matrix *matrix, qn_linkage_method method, qn_pool *pool, qn_merge *merges)
{
    const size_t count = matrix->count;
    chain work = {.method = method, .pool = pool, .slots = count, .filled = count};
    void *distance = NULL, *slots = NULL;
    qn_status status = qn_allocate(count * (count - 1) / 2, sizeof(float), &distance);
    if (status == QN_OK) status = qn_allocate(4 * count, sizeof(uint32_t), &slots);
    if (status == QN_OK) {
        work.distance = distance;
        work.size = slots, work.item = work.size + count, work.links = work.item + count;
        work.moved = work.links + count;
        for (size_t i = 0; i < count; i++) work.size[i] = 1, work.item[i] = (uint32_t)i;
        copy_triangle(matrix, distance);
        status = run_chain(&work, count, merges);
    }
    qn_release(&distance);
    qn_release(&slots);
    return status;
}
