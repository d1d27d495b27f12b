#include "tune/searcher/candidates.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/random.h"

enum { NEIGHBOUR_TRIES = 600, STRANGER_TRIES = 60 };

static const qn_point NO_POINT = UINT64_MAX;

double qn_candidates_uniform(qn_candidates *c)
{
    return qn_random_uniform(c->seed, 0, c->draws++);
}

uint64_t qn_candidates_below(qn_candidates *c, uint64_t count)
{
    uint64_t number = (uint64_t)(qn_candidates_uniform(c) * (double)count);
    return number < count ? number : count - 1;
}

static size_t slot_of(const qn_candidates *c, qn_point point)
{
    size_t slot = (size_t)((point + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (c->slots - 1);
    while (c->seen[slot] != NO_POINT && c->seen[slot] != point) slot = (slot + 1) & (c->slots - 1);
    return slot;
}

bool qn_candidates_seen(const qn_candidates *c, qn_point point)
{
    return c->seen[slot_of(c, point)] == point;
}

static qn_status set_slots(qn_candidates *c, size_t slots)
{
    qn_point *old = c->seen, *seen;
    size_t old_slots = c->slots;
    QN_TRY(qn_allocate(slots, sizeof *seen, (void **)&seen));
    for (size_t i = 0; i < slots; i++) seen[i] = NO_POINT;
    c->seen = seen;
    c->slots = slots;
    for (size_t i = 0; i < old_slots; i++)
        if (old[i] != NO_POINT) c->seen[slot_of(c, old[i])] = old[i];
    qn_release(&old);
    return QN_OK;
}

qn_status qn_candidates_see(qn_candidates *c, qn_point point)
{
    if (qn_candidates_seen(c, point)) return QN_OK;
    if (2 * (c->used + 1) > c->slots) QN_TRY(set_slots(c, 2 * c->slots));
    c->seen[slot_of(c, point)] = point;
    c->used++;
    return QN_OK;
}

qn_status qn_candidates_start(qn_candidates *c, const qn_space *space, uint64_t seed)
{
    *c = (qn_candidates){.space = space, .seed = seed};
    return set_slots(c, 64);
}

void qn_candidates_clear(qn_candidates *c)
{
    qn_release(&c->seen);
}

/* Draw a parameter with a probability proportional to the number of its other values. */
static size_t draw_parameter(qn_candidates *c, uint64_t changes)
{
    uint64_t number = qn_candidates_below(c, changes);
    for (size_t i = 0;; i++) {
        uint64_t others = qn_space_value_count(c->space, i) - 1;
        if (number < others) return i;
        number -= others;
    }
}

static void change(qn_candidates *c, size_t parameter, uint16_t *numbers)
{
    uint64_t number = qn_candidates_below(c, qn_space_value_count(c->space, parameter) - 1);
    numbers[parameter] = (uint16_t)(number + (number >= numbers[parameter]));
}

/* Draw a combination that differs from the centre in one or two parameters, all with equal probability. It need not be
 * valid.
 */
static void draw_neighbour(qn_candidates *c, qn_point centre, uint64_t singles, double pairs, uint16_t *numbers)
{
    qn_space_get(c->space, centre, numbers);
    size_t first = draw_parameter(c, singles);
    if (qn_candidates_uniform(c) * ((double)singles + pairs) >= (double)singles) {
        size_t second = draw_parameter(c, singles);
        while (second == first) {
            first = draw_parameter(c, singles);
            second = draw_parameter(c, singles);
        }
        change(c, second, numbers);
    }
    change(c, first, numbers);
}

static void add(qn_candidates *c, qn_point point)
{
    if (c->count == QN_CANDIDATES || qn_candidates_seen(c, point)) return;
    for (size_t i = 0; i < c->count; i++)
        if (c->points[i] == point) return;
    c->points[c->count++] = point;
}

size_t qn_candidates_neighbours(qn_candidates *c, qn_point centre, size_t most)
{
    uint64_t singles = 0, squares = 0;
    for (size_t i = 0; i < qn_space_parameter_count(c->space); i++) {
        uint64_t others = qn_space_value_count(c->space, i) - 1;
        singles += others;
        squares += others * others;
    }
    double pairs = ((double)singles * (double)singles - (double)squares) / 2;
    size_t before = c->count;
    for (int i = 0; i < NEIGHBOUR_TRIES && c->count < before + most && singles; i++) {
        uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
        qn_point point;
        draw_neighbour(c, centre, singles, pairs, numbers);
        if (qn_space_find(c->space, numbers, &point)) add(c, point);
    }
    return c->count - before;
}

size_t qn_candidates_strangers(qn_candidates *c, size_t most)
{
    uint64_t size = qn_space_size(c->space);
    size_t before = c->count;
    for (int i = 0; i < STRANGER_TRIES && c->count < before + most; i++) add(c, qn_candidates_below(c, size));
    if (c->count || c->used >= size) return c->count - before;
    qn_point point = qn_candidates_below(c, size);
    while (qn_candidates_seen(c, point)) point = (point + 1) % size;
    add(c, point);
    return 1;
}
