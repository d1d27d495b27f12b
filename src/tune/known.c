/* Known configurations before a run: from the user's store, the shipped results, and the fallback. */
#include "tune/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "runtime/device.h"
#include "tune/session.h"
#include "tune/shipped.h"

typedef struct entry {
    qn_tune_known known;
    double distance;
    size_t order; /* in which it was found: the store's first */
} entry;

typedef struct listing {
    const qn_family *family; /* NULL: a kernel of the user's own, with this space */
    const qn_space *space;
    const qn_device_info *device;
    const qn_tune_key *key;
    bool every_class;
    void *entries;
    size_t count, capacity;
} listing;

void qn_tune_origin_text(qn_tune_origin origin, qn_tune_nearness nearness, const char *found_on, char *text,
                         size_t capacity)
{
    static const char *const words[] = {[QN_TUNE_ORIGIN_FALLBACK] = "fallback",
                                        [QN_TUNE_ORIGIN_SHIPPED] = "shipped for this device",
                                        [QN_TUNE_ORIGIN_STORE] = "tuned here",
                                        [QN_TUNE_ORIGIN_RUN] = "found in this run"};
    const bool known = origin >= QN_TUNE_ORIGIN_FALLBACK && origin <= QN_TUNE_ORIGIN_RUN;
    if (nearness != QN_TUNE_THIS_DEVICE && found_on[0])
        snprintf(text, capacity, "found on %s, of the same %s", found_on,
                 nearness == QN_TUNE_SAME_ARCHITECTURE ? "architecture" : "vendor");
    else
        snprintf(text, capacity, "%s", known ? words[origin] : "unknown");
}

/* Set `use`. A result that is not a configuration of the family any more is stale. A result of another device may break
 * a constraint, because this device has less local memory, for example. */
static void judge(const listing *to, const char *text, bool stale, qn_tune_known *known)
{
    bool allowed = false;
    qn_point point;
    known->use = QN_TUNE_STALE;
    if (to->space) {
        if (!stale && qn_tune_point_read(to->space, text, &point)) known->use = QN_TUNE_USABLE;
        return;
    }
    if (!qn_tune_configuration_read(to->family, text, &known->configuration) || stale) return;
    if (qn_family_allows(to->family, to->device, &known->configuration, &allowed, NULL) != QN_OK) qn_error_clear();
    if (allowed)
        known->use = QN_TUNE_USABLE;
    else if (known->nearness != QN_TUNE_THIS_DEVICE)
        known->use = QN_TUNE_MISFIT;
}

static qn_status add(listing *to, const char *text, const char *problem_class, bool stale, double distance,
                     const qn_tune_known *known)
{
    if (!to->every_class && strcmp(problem_class, to->key->problem_class) != 0) return QN_OK;
    QN_TRY(qn_grow(&to->entries, &to->capacity, to->count + 1, sizeof(entry)));
    entry *added = (entry *)to->entries + to->count;
    *added = (entry){.known = *known, .distance = distance, .order = to->count};
    to->count++;
    snprintf(added->known.text, sizeof added->known.text, "%s", text);
    snprintf(added->known.problem_class, sizeof added->known.problem_class, "%s", problem_class);
    judge(to, text, stale, &added->known);
    return QN_OK;
}

static qn_status add_stored(listing *to, qn_tune_store *store)
{
    const qn_tune_key *key = to->key;
    qn_tune_best *best;
    size_t count;
    QN_TRY(qn_tune_store_best(store, key, &best, &count));
    qn_status status = QN_OK;
    for (size_t i = 0; i < count && status == QN_OK; i++) {
        const qn_tune_best *row = &best[i];
        qn_tune_known known = {.origin = QN_TUNE_ORIGIN_STORE,
                               .nearness = row->nearness,
                               .seconds = row->row.test.objective,
                               .tests = row->tests,
                               .time = row->time};
        qn_hardware_name(&row->hardware, known.found_on);
        status = add(to, row->row.configuration, row->problem_class, strcmp(row->source, key->source) != 0,
                     qn_hardware_distance(&key->hardware, &row->hardware), &known);
    }
    qn_release(&best);
    return status;
}

static qn_status add_shipped(listing *to)
{
    const qn_tune_key *key = to->key;
    qn_shipped_result *results;
    size_t count;
    QN_TRY(qn_shipped_find(key, &results, &count));
    qn_status status = QN_OK;
    for (size_t i = 0; i < count && status == QN_OK; i++) {
        const qn_shipped_result *result = &results[i];
        qn_tune_known known = {
            .origin = QN_TUNE_ORIGIN_SHIPPED, .nearness = result->nearness, .seconds = result->seconds};
        qn_hardware_name(&result->hardware, known.found_on);
        status = add(to, result->configuration, result->problem_class, strcmp(result->source, key->source) != 0,
                     qn_hardware_distance(&key->hardware, &result->hardware), &known);
    }
    qn_release(&results);
    return status;
}

static int compare_entries(const void *first, const void *second)
{
    const entry *a = first, *b = second;
    const int classes = strcmp(a->known.problem_class, b->known.problem_class);
    if (classes != 0) return classes;
    if (a->known.nearness != b->known.nearness) return a->known.nearness < b->known.nearness ? -1 : 1;
    if (a->known.nearness != QN_TUNE_THIS_DEVICE && a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static qn_status find(listing *to, qn_tune_store *store)
{
    if (store) QN_TRY(add_stored(to, store));
    if (to->family) QN_TRY(add_shipped(to));
    if (to->count > 1) qsort(to->entries, to->count, sizeof(entry), compare_entries);
    return QN_OK;
}

/* List the known configurations and, last, the fallback. Releases the entries. */
static qn_status list(listing *to, qn_tune_store *store, const qn_tune_known *fallback, qn_tune_known *known,
                      size_t capacity, size_t *count)
{
    *count = 0;
    qn_status status = find(to, store);
    for (size_t i = 0; i < to->count && i < capacity && status == QN_OK; i++)
        known[i] = ((entry *)to->entries)[i].known;
    if (status == QN_OK && to->count < capacity) known[to->count] = *fallback;
    if (status == QN_OK) *count = to->count + 1;
    qn_release(&to->entries);
    return status;
}

qn_status qn_known_of_space(qn_tune_store *store, const qn_tune_key *key, const qn_space *space, const char *fallback,
                            qn_tune_known *known, size_t capacity, size_t *count)
{
    listing to = {.space = space, .key = key, .every_class = true};
    qn_tune_known last = {.origin = QN_TUNE_ORIGIN_FALLBACK};
    snprintf(last.text, sizeof last.text, "%s", fallback);
    return list(&to, store, &last, known, capacity, count);
}

static qn_status look_up(qn_device *device, qn_tune_store *store, const qn_family *family, const char *problem_class,
                         qn_tune_known *known, size_t capacity, size_t *count)
{
    qn_tune_key key;
    listing to = {
        .family = family, .device = qn_device_get_info(device), .key = &key, .every_class = problem_class == NULL};
    const qn_configuration fallback = qn_family_fallback(family);
    qn_tune_known last = {.origin = QN_TUNE_ORIGIN_FALLBACK};
    *count = 0;
    QN_TRY(qn_tune_key_make(family, device, problem_class, &key));
    last.configuration = fallback;
    qn_tune_configuration_text(family, &fallback, last.text, sizeof last.text);
    snprintf(last.problem_class, sizeof last.problem_class, "%s", problem_class ? problem_class : "");
    return list(&to, store, &last, known, capacity, count);
}

qn_status qn_tune_lookup(qn_device *device, qn_tune_store *store, const qn_family *family, const char *problem_class,
                         qn_tune_known *known, size_t capacity, size_t *count)
{
    const qn_log_scope outer = qn_context_enter_log(qn_device_context(device));
    const qn_status status = look_up(device, store, family, problem_class, known, capacity, count);
    qn_log_return(outer);
    return status;
}
