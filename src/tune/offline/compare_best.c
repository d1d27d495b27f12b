#include "tune/offline/compare_best.h"

#include <math.h>

#include "base/error.h"

enum { TURNS = 3, MOST = 16 };

typedef struct entry {
    qn_point point;
    qn_test before; /* the last known test */
    qn_test turns[TURNS];
    qn_test test; /* of the comparison */
} entry;

static entry *find(entry *entries, size_t count, qn_point point)
{
    for (size_t i = 0; i < count; i++)
        if (entries[i].point == point) return &entries[i];
    return NULL;
}

static void add(entry *entries, size_t *count, qn_point point, const qn_test *before)
{
    if (!find(entries, *count, point)) entries[(*count)++] = (entry){.point = point, .before = *before};
}

/* Return the turn with the median objective, or one that failed. */
static const qn_test *middle(const qn_test turns[TURNS])
{
    const qn_test *low = &turns[0], *high = &turns[1], *last = &turns[2];
    for (int i = 0; i < TURNS; i++)
        if (turns[i].outcome != QN_TEST_CORRECT) return &turns[i];
    if (low->objective > high->objective) {
        const qn_test *other = low;
        low = high;
        high = other;
    }
    return last->objective < low->objective ? low : last->objective > high->objective ? high : last;
}

static qn_status measure_in_turn(const qn_comparison *with, entry *entries, size_t count)
{
    for (int turn = 0; turn < TURNS; turn++)
        for (size_t i = 0; i < count; i++) {
            entries[i].turns[turn] = (qn_test){.objective = INFINITY};
            QN_TRY(with->measure(with->user, entries[i].point, &entries[i].turns[turn]));
        }
    for (size_t i = 0; i < count; i++) {
        entries[i].test = *middle(entries[i].turns);
        entries[i].test.counters = NULL;
        entries[i].test.counter_count = 0;
        QN_TRY(with->note(with->user, entries[i].point, &entries[i].test));
    }
    return QN_OK;
}

static const entry *fastest(const entry *entries, size_t count)
{
    const entry *best = &entries[0];
    for (size_t i = 1; i < count; i++)
        if (entries[i].test.objective < best->test.objective) best = &entries[i];
    return best;
}

qn_status qn_compare_best(const qn_comparison *with, qn_compared *tested, size_t count, qn_compared *best)
{
    entry entries[MOST];
    size_t known = 0;
    qn_point point = 0;
    qn_test test = {.outcome = QN_TEST_WRONG, .objective = INFINITY};
    for (size_t i = 0; i < count; i++) add(entries, &known, tested[i].point, &tested[i].test);
    if (qn_tuner_best(with->tuner, &point, &test)) add(entries, &known, point, &test);
    if (known < 2) {
        *best = (qn_compared){point, test};
        return QN_OK;
    }
    QN_TRY(measure_in_turn(with, entries, known));
    while (known < MOST && qn_tuner_best(with->tuner, &point, &test) && !find(entries, known, point)) {
        add(entries, &known, point, &test);
        QN_TRY(measure_in_turn(with, &entries[known - 1], 1));
    }
    const entry *winner = fastest(entries, known);
    *best = (qn_compared){winner->point, winner->test};
    for (size_t i = 0; i < count; i++) tested[i].test = find(entries, known, tested[i].point)->test;
    /* Times of earlier runs that were not checked must not displace the winner: its earlier time was better still. */
    if (qn_tuner_best(with->tuner, &point, NULL) && !find(entries, known, point))
        return with->note(with->user, winner->point, &winner->before);
    return QN_OK;
}
