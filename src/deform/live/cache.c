#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "deform/live/cache.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

/* A state with its place in the order of use. The state is the first member, so that a pointer to it leads to its slot.
 * The arrays of the state follow the slot in the same memory. */
typedef struct slot {
    qn_grid_state state;
    int holders;
    uint64_t pass;              /* in which it was used last */
    struct slot *older, *newer; /* published slots, by their last use; unused ones are linked by `older` */
} slot;

struct qn_cache {
    qn_grid grid;
    size_t freedom_count, slot_bytes, capacity, made, count, removed;
    _Atomic(const qn_grid_state *) *table; /* by number of the point */
    slot **slots;                          /* all that were made */
    slot *unused, *oldest, *newest;
    uint64_t pass;
    double hand_m[3];            /* the place of the hand when the pass began */
    atomic_uint_least64_t phase; /* odd while the loop is inside of a tick */
};

enum { SHELLS = 3, ALIGNMENT = 64, EXAMINED_MAX = 512 };

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t qn_cache_state_bytes(size_t freedom_count)
{
    return aligned(sizeof(slot)) + aligned(4 * sizeof(float) * freedom_count);
}

qn_status qn_cache_create(const qn_grid *grid, size_t freedom_count, double limit_bytes, size_t least_states,
                          qn_cache **cache)
{
    void *memory;
    *cache = NULL;
    const size_t points = qn_grid_point_count(grid);
    if (points > QN_CACHE_POINTS_MAX)
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "the configuration space has %zu points; expected at most %d for a live hand: a larger step or a "
            "smaller reach",
            points, QN_CACHE_POINTS_MAX);
    const size_t bytes = qn_cache_state_bytes(freedom_count);
    const size_t most = points + least_states; /* more would never be used */
    const double fitting = limit_bytes / (double)bytes;
    const size_t capacity = fitting < (double)most ? (size_t)fitting : most;
    if (capacity < least_states)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "the cache of %.3g MiB has room for %s of %zu bytes; expected at least %zu (%.3g MiB)",
                       limit_bytes / 1048576, qn_count_of(capacity, "state").text, bytes, least_states,
                       (double)least_states * (double)bytes / 1048576);
    QN_TRY(qn_allocate(1, sizeof **cache, &memory));
    *cache = memory;
    **cache =
        (qn_cache){.grid = *grid, .freedom_count = freedom_count, .slot_bytes = bytes, .capacity = capacity, .pass = 2};
    qn_status status = qn_allocate(points, sizeof *(*cache)->table, &memory);
    (*cache)->table = memory;
    if (status == QN_OK) status = qn_allocate(capacity, sizeof(slot *), &memory);
    if (status == QN_OK) {
        (*cache)->slots = memory;
        memset((void *)(*cache)->table, 0, points * sizeof *(*cache)->table); /* the loop must not meet new pages */
    } else {
        qn_cache_destroy(cache);
    }
    return status;
}

void qn_cache_destroy(qn_cache **cache)
{
    if (!*cache) return;
    for (size_t i = 0; i < (*cache)->made; i++) qn_release(&(*cache)->slots[i]);
    qn_release(&(*cache)->slots);
    qn_release(&(*cache)->table);
    qn_release(cache);
}

const qn_grid_state *qn_cache_find(const qn_cache *cache, const int32_t index[3])
{
    if (!qn_grid_has(&cache->grid, index)) return NULL;
    return atomic_load(&cache->table[qn_grid_number(&cache->grid, index)]);
}

void qn_cache_cell(const qn_cache *cache, const int32_t index[3], qn_cell *cell)
{
    qn_cell_begin(&cache->grid, index, cell);
    for (int corner = 0; corner < 8; corner++) {
        int32_t at[3];
        cell->corners[corner] = qn_cell_corner(cell, corner, at) ? qn_cache_find(cache, at) : NULL;
    }
}

static int64_t square_distance(const int32_t a[3], const int32_t b[3])
{
    int64_t sum = 0;
    for (int axis = 0; axis < 3; axis++) sum += (int64_t)(a[axis] - b[axis]) * (a[axis] - b[axis]);
    return sum;
}

/* Keep the nearer of two states, the first by number of equals. */
static void keep_nearer(const qn_cache *cache, const int32_t index[3], const qn_grid_state *state,
                        const qn_grid_state **nearest)
{
    if (!state || qn_grid_state_flags(state) & QN_GRID_UNSOLVED) return;
    if (*nearest) {
        const int64_t now = square_distance(state->index, index), best = square_distance((*nearest)->index, index);
        if (now > best || (now == best && qn_grid_number(&cache->grid, state->index) >=
                                              qn_grid_number(&cache->grid, (*nearest)->index)))
            return;
    }
    *nearest = state;
}

const qn_grid_state *qn_cache_nearest(const qn_cache *cache, const int32_t index[3])
{
    const qn_grid_state *nearest = NULL;
    int32_t at[3];
    for (at[2] = index[2] - SHELLS; at[2] <= index[2] + SHELLS; at[2]++)
        for (at[1] = index[1] - SHELLS; at[1] <= index[1] + SHELLS; at[1]++)
            for (at[0] = index[0] - SHELLS; at[0] <= index[0] + SHELLS; at[0]++)
                keep_nearer(cache, index, qn_cache_find(cache, at), &nearest);
    /* Everything outside of the shells is farther than SHELLS. */
    if (nearest && square_distance(nearest->index, index) <= (int64_t)SHELLS * SHELLS) return nearest;
    for (const slot *each = cache->oldest; each; each = each->newer) keep_nearer(cache, index, &each->state, &nearest);
    return nearest;
}

/* ---- the loop ---- */

void qn_cache_begin_tick(qn_cache *cache)
{
    atomic_fetch_add(&cache->phase, 1);
}

void qn_cache_end_tick(qn_cache *cache)
{
    atomic_fetch_add(&cache->phase, 1);
}

/* Return when no tick runs that began before. A tick takes microseconds. */
static void wait_for_tick(const qn_cache *cache)
{
    const struct timespec pause = {.tv_nsec = 20000};
    const uint64_t phase = atomic_load(&cache->phase);
    while (phase % 2 == 1 && atomic_load(&cache->phase) == phase) nanosleep(&pause, NULL);
}

/* ---- room ---- */

static void unlink_slot(qn_cache *cache, slot *removed)
{
    *(removed->older ? &removed->older->newer : &cache->oldest) = removed->newer;
    *(removed->newer ? &removed->newer->older : &cache->newest) = removed->older;
    removed->older = removed->newer = NULL;
}

static void link_newest(qn_cache *cache, slot *added)
{
    added->older = cache->newest;
    added->newer = NULL;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = added;
    cache->newest = added;
    added->pass = cache->pass;
}

static bool is_rest(const qn_grid_state *state)
{
    return state->index[0] == 0 && state->index[1] == 0 && state->index[2] == 0;
}

static double square_distance_from_hand(const qn_cache *cache, const qn_grid_state *state)
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double difference = cache->grid.step * state->index[axis] - cache->hand_m[axis];
        sum += difference * difference;
    }
    return sum;
}

/* The state to remove next: among those that were used least recently the farthest from the hand, of equals the one
 * that was used least recently; NULL where all are in use. */
static slot *find_farthest(const qn_cache *cache)
{
    slot *farthest = NULL;
    double most = -1;
    int examined = 0;
    for (slot *each = cache->oldest; each && each->pass + 1 < cache->pass && examined < EXAMINED_MAX;
         each = each->newer, examined++) {
        if (each->holders > 0 || is_rest(&each->state)) continue;
        const double distance = square_distance_from_hand(cache, &each->state);
        if (distance <= most) continue;
        most = distance;
        farthest = each;
    }
    return farthest;
}

double qn_cache_farthest_m(const qn_cache *cache)
{
    const slot *farthest = find_farthest(cache);
    return farthest ? sqrt(square_distance_from_hand(cache, &farthest->state)) : 0;
}

static slot *remove_farthest(qn_cache *cache)
{
    slot *const removed = find_farthest(cache);
    if (!removed) return NULL;
    atomic_store(&cache->table[qn_grid_number(&cache->grid, removed->state.index)], NULL);
    wait_for_tick(cache);
    unlink_slot(cache, removed);
    cache->count--;
    cache->removed++;
    return removed;
}

static qn_status make_slot(qn_cache *cache, slot **made)
{
    void *memory;
    QN_TRY(qn_allocate(1, cache->slot_bytes, &memory));
    *made = memory;
    cache->slots[cache->made++] = *made;
    return QN_OK;
}

void qn_cache_empty_spare(const qn_cache *cache, qn_grid_state *spare)
{
    memset(spare, 0, cache->slot_bytes);
    spare->x = (float *)((char *)spare + aligned(sizeof(slot)));
    spare->change = spare->x + cache->freedom_count;
}

qn_status qn_cache_make_spare(const qn_cache *cache, qn_grid_state **spare)
{
    void *memory;
    QN_TRY(qn_allocate(1, cache->slot_bytes, &memory));
    *spare = memory;
    qn_cache_empty_spare(cache, *spare);
    return QN_OK;
}

qn_status qn_cache_take(qn_cache *cache, qn_grid_state **state)
{
    slot *taken = cache->unused;
    *state = NULL;
    if (taken)
        cache->unused = taken->older;
    else if (cache->made < cache->capacity)
        QN_TRY(make_slot(cache, &taken));
    else
        taken = remove_farthest(cache);
    if (!taken) return QN_OK;
    *state = &taken->state;
    qn_cache_empty_spare(cache, *state);
    return QN_OK;
}

void qn_cache_put(qn_cache *cache, qn_grid_state *state)
{
    slot *const put = (slot *)state;
    link_newest(cache, put);
    cache->count++;
    atomic_store(&cache->table[qn_grid_number(&cache->grid, state->index)], state);
}

void qn_cache_give_back(qn_cache *cache, qn_grid_state *state)
{
    slot *const unused = (slot *)state;
    unused->older = cache->unused;
    cache->unused = unused;
}

void qn_cache_begin_pass(qn_cache *cache, const double hand_m[3])
{
    cache->pass++;
    memcpy(cache->hand_m, hand_m, sizeof cache->hand_m);
}

void qn_cache_touch(qn_cache *cache, const int32_t index[3])
{
    slot *const used = (slot *)qn_cache_find(cache, index);
    if (!used) return;
    unlink_slot(cache, used);
    link_newest(cache, used);
}

void qn_cache_hold(const qn_grid_state *state)
{
    ((slot *)state)->holders++;
}

void qn_cache_release(const qn_grid_state *state)
{
    ((slot *)state)->holders--;
}

qn_cache_facts qn_cache_facts_of(const qn_cache *cache)
{
    return (qn_cache_facts){cache->count, cache->capacity, cache->removed};
}
