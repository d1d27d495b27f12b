/* What is known before a run: the user's store, the shipped results, the fallback. */
#include <quern/tune.h>

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "runtime/device.h"
#include "tune/session.h"
#include "tune/shipped.h"

typedef struct listing {
    const qn_family *family;
    const qn_device_info *device;
    qn_tune_known *known;
    size_t capacity, count;
} listing;

/* Results that are no configuration of the family any more count as stale. */
static void add(listing *to, const char *origin, const char *text, const char *problem_class, bool stale,
                qn_tune_known *known)
{
    bool allowed = false;
    known->origin = origin;
    known->stale = stale;
    snprintf(known->text, sizeof known->text, "%s", text);
    snprintf(known->problem_class, sizeof known->problem_class, "%s", problem_class);
    if (!qn_tune_configuration_read(to->family, text, &known->configuration) ||
        qn_family_allows(to->family, to->device, &known->configuration, &allowed, NULL) != QN_OK || !allowed)
        known->stale = true;
    if (to->count < to->capacity) to->known[to->count] = *known;
    to->count++;
}

static qn_status add_stored(listing *to, qn_tune_store *store, const qn_tune_key *key, bool every_class)
{
    qn_tune_best *best;
    size_t count;
    QN_TRY(qn_tune_store_best(store, key, &best, &count));
    for (size_t i = 0; i < count; i++) {
        const qn_tune_best *row = &best[i];
        qn_tune_known known = {.seconds = row->row.test.objective, .tests = row->tests, .time = row->time};
        if (!every_class && strcmp(row->problem_class, key->problem_class) != 0) continue;
        add(to, "store", row->row.configuration, row->problem_class, strcmp(row->source, key->source) != 0, &known);
    }
    qn_release(&best);
    return QN_OK;
}

static qn_status add_shipped(listing *to, const qn_tune_key *key, bool every_class)
{
    qn_shipped_result *results;
    size_t count;
    QN_TRY(qn_shipped_find(key, &results, &count));
    for (size_t i = 0; i < count; i++) {
        qn_tune_known known = {.seconds = results[i].seconds};
        if (!every_class && strcmp(results[i].problem_class, key->problem_class) != 0) continue;
        add(to, "shipped", results[i].configuration, results[i].problem_class,
            strcmp(results[i].source, key->source) != 0, &known);
    }
    qn_release(&results);
    return QN_OK;
}

static qn_status look_up(qn_device *device, qn_tune_store *store, const qn_family *family, const char *problem_class,
                         qn_tune_known *known, size_t capacity, size_t *count)
{
    listing to = {.family = family, .device = qn_device_get_info(device), .known = known, .capacity = capacity};
    const qn_configuration fallback = qn_family_fallback(family);
    qn_tune_known last = {0};
    char text[sizeof last.text];
    qn_tune_key key;
    *count = 0;
    QN_TRY(qn_tune_key_make(family, device, problem_class, &key));
    if (store) QN_TRY(add_stored(&to, store, &key, !problem_class));
    QN_TRY(add_shipped(&to, &key, !problem_class));
    qn_tune_configuration_text(family, &fallback, text, sizeof text);
    add(&to, "fallback", text, problem_class ? problem_class : "", false, &last);
    *count = to.count;
    return QN_OK;
}

qn_status qn_tune_lookup(qn_device *device, qn_tune_store *store, const qn_family *family, const char *problem_class,
                         qn_tune_known *known, size_t capacity, size_t *count)
{
    const qn_log_scope outer = qn_context_enter_log(qn_device_context(device));
    const qn_status status = look_up(device, store, family, problem_class, known, capacity, count);
    qn_log_return(outer);
    return status;
}
