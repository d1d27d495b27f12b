#include "tune/searcher/searcher.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "tune/searcher/moves.h"

/* A point that was handed out or told, and its result. */
typedef struct entry {
    qn_point point; /* EMPTY: slot not used */
    bool told;
    qn_test test; /* without counters, which are passed on once */
} entry;

static const qn_point EMPTY = UINT64_MAX;

/* A class may propose known points again and again. After PATIENCE of them a random point that was not handed out is
 * tested instead; every class must accept results that it did not ask for. */
enum { PATIENCE = 100, RANDOM_TRIES = 32 };

struct qn_searcher {
    const qn_searcher_class *class;
    void *state;
    qn_moves moves;
    entry *entries; /* open addressing, a power of two, at most half full */
    size_t slots, used;
};

static size_t slot_of(const qn_searcher *searcher, qn_point point)
{
    size_t mask = searcher->slots - 1;
    size_t slot = (size_t)((point + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & mask;
    while (searcher->entries[slot].point != EMPTY && searcher->entries[slot].point != point) slot = (slot + 1) & mask;
    return slot;
}

static bool is_known(const qn_searcher *searcher, qn_point point)
{
    return searcher->entries[slot_of(searcher, point)].point == point;
}

static qn_status resize(qn_searcher *searcher, size_t slots)
{
    entry *old = searcher->entries, *entries;
    size_t old_slots = searcher->slots;
    QN_TRY(qn_allocate(slots, sizeof(*entries), (void **)&entries));
    for (size_t i = 0; i < slots; i++) entries[i].point = EMPTY;
    searcher->entries = entries;
    searcher->slots = slots;
    for (size_t i = 0; i < old_slots; i++)
        if (old[i].point != EMPTY) entries[slot_of(searcher, old[i].point)] = old[i];
    qn_release(&old);
    return QN_OK;
}

static qn_status note(qn_searcher *searcher, qn_point point, const qn_test *test)
{
    if (2 * (searcher->used + 1) > searcher->slots) QN_TRY(resize(searcher, 2 * searcher->slots));
    entry *known = &searcher->entries[slot_of(searcher, point)];
    if (known->point == EMPTY) searcher->used++;
    known->point = point;
    if (test) {
        known->told = true;
        known->test = *test;
        known->test.counters = NULL;
        known->test.counter_count = 0;
    }
    return QN_OK;
}

static qn_status find_class(const char *name, const qn_searcher_class **class)
{
    qn_text names = {0};
    qn_status status = QN_OK;
    for (size_t i = 0; qn_searcher_classes[i]; i++)
        if (strcmp(qn_searcher_classes[i]->name, name) == 0) {
            *class = qn_searcher_classes[i];
            return QN_OK;
        }
    for (size_t i = 0; qn_searcher_classes[i] && status == QN_OK; i++)
        status = qn_text_append(&names, "%s%s", i ? ", " : "", qn_searcher_classes[i]->name);
    if (status == QN_OK)
        status = qn_error_set(QN_NOT_FOUND, __FILE__, __LINE__, "there is no searcher \"%s\"; there are %s", name,
                              names.data);
    qn_text_clear(&names);
    return status;
}

qn_status qn_searcher_create(const char *class_name, const qn_searcher_problem *problem, qn_searcher **searcher)
{
    const qn_searcher_class *class = NULL;
    void *memory;
    *searcher = NULL;
    QN_TRY(find_class(class_name, &class));
    QN_TRY(qn_allocate(1, sizeof(qn_searcher), &memory));
    qn_searcher *made = memory;
    made->class = class;
    /* The wrapper's own draws must not be those of the class. */
    qn_moves_start(&made->moves, problem->space, problem->seed ^ UINT64_C(0x5751415050455221));
    qn_status status = resize(made, 64);
    if (status == QN_OK) status = class->create(problem, &made->state);
    if (status != QN_OK)
        qn_searcher_destroy(&made);
    else
        *searcher = made;
    return status;
}

/* Return a point that was not handed out. There is one. */
static qn_point untested(qn_searcher *searcher)
{
    qn_point point = qn_moves_point(&searcher->moves);
    for (int i = 0; i < RANDOM_TRIES && is_known(searcher, point); i++) point = qn_moves_point(&searcher->moves);
    while (is_known(searcher, point)) point = (point + 1) % searcher->moves.size;
    return point;
}

qn_status qn_searcher_ask(qn_searcher *searcher, qn_point *point, bool *found)
{
    *found = searcher->used < searcher->moves.size;
    if (!*found) return QN_OK;
    for (int i = 0; i < PATIENCE; i++) {
        QN_TRY(searcher->class->ask(searcher->state, point));
        entry *known = &searcher->entries[slot_of(searcher, *point)];
        if (known->point == EMPTY) return note(searcher, *point, NULL);
        if (known->told) QN_TRY(searcher->class->tell(searcher->state, *point, &known->test));
    }
    *point = untested(searcher);
    return note(searcher, *point, NULL);
}

qn_status qn_searcher_tell(qn_searcher *searcher, qn_point point, const qn_test *test)
{
    qn_test told = *test;
    /* The objective of a failed test is infinite, whatever the caller gave. */
    if (told.outcome != QN_TEST_CORRECT || !(told.objective < (double)INFINITY)) told.objective = INFINITY;
    QN_TRY(note(searcher, point, &told));
    return searcher->class->tell(searcher->state, point, &told);
}

bool qn_searcher_was_told(const qn_searcher *searcher, qn_point point)
{
    const entry *known = &searcher->entries[slot_of(searcher, point)];
    return known->point == point && known->told;
}

bool qn_searcher_best(const qn_searcher *searcher, qn_point *point, qn_test *test)
{
    const entry *best = NULL;
    for (size_t i = 0; i < searcher->slots; i++) {
        const entry *known = &searcher->entries[i];
        if (known->point == EMPTY || !known->told || !(known->test.objective < (double)INFINITY)) continue;
        if (best && known->test.objective > best->test.objective) continue;
        if (best && known->test.objective == best->test.objective && known->point > best->point) continue;
        best = known;
    }
    if (!best) return false;
    *point = best->point;
    *test = best->test;
    return true;
}

uint64_t qn_searcher_reruns(const qn_searcher *searcher)
{
    return searcher->class->reruns ? searcher->class->reruns(searcher->state) : 0;
}

void qn_searcher_destroy(qn_searcher **searcher)
{
    if (!*searcher) return;
    if ((*searcher)->state) (*searcher)->class->destroy(&(*searcher)->state);
    qn_release(&(*searcher)->entries);
    qn_release(searcher);
}
