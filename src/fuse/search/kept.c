#include "fuse/search/kept.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "runtime/device.h"
#include "tune/session.h"

struct qn_kept {
    qn_device *device;
    qn_tune_store *store;
};

qn_status qn_kept_open(qn_device *device, qn_kept **kept)
{
    QN_TRY(qn_allocate(1, sizeof **kept, (void **)kept));
    (*kept)->device = qn_device_retain(device);
    if (qn_tune_store_open(qn_device_context(device), NULL, &(*kept)->store) == QN_OK) return QN_OK;
    qn_log(QN_LOG_WARNING, "measured rates are not known: %s", qn_error_message());
    qn_error_clear();
    return QN_OK;
}

void qn_kept_close(qn_kept **kept)
{
    if (!*kept) return;
    qn_tune_store_close(&(*kept)->store);
    qn_device_release(&(*kept)->device);
    qn_release(kept);
}

qn_device *qn_kept_device(const qn_kept *kept)
{
    return kept->device;
}

static void make_key(const qn_kept *kept, const char *name, const char *text, qn_tune_key *key)
{
    qn_hash hash;
    char digest[65];
    qn_tune_key_of_device(kept->device, key);
    snprintf(key->family, sizeof key->family, "%s", name);
    qn_hash_start(&hash);
    qn_hash_add(&hash, text, strlen(text));
    qn_hash_finish(&hash, digest);
    snprintf(key->source, sizeof key->source, "%.*s", QN_TUNE_SOURCE_DIGITS, digest);
}

double qn_kept_find(const qn_kept *kept, const char *name, const char *text)
{
    qn_tune_key key;
    qn_tune_best *best = NULL;
    size_t count = 0;
    double found = 0;
    if (!kept->store) return 0;
    make_key(kept, name, text, &key);
    if (qn_tune_store_best(kept->store, &key, &best, &count) != QN_OK) qn_error_clear();
    for (size_t i = 0; i < count && found == 0; i++)
        if (best[i].nearness == QN_TUNE_THIS_DEVICE && strcmp(best[i].source, key.source) == 0)
            found = best[i].row.test.objective;
    qn_release(&best);
    return found;
}

qn_status qn_kept_put(qn_kept *kept, const char *name, const char *text, double number, double seconds)
{
    const qn_test test = {.outcome = QN_TEST_CORRECT, .objective = number, .run_seconds = seconds};
    qn_tune_key key;
    int64_t problem;
    if (!kept->store) return QN_OK;
    make_key(kept, name, text, &key);
    QN_TRY(qn_tune_store_problem(kept->store, &key, &problem));
    QN_TRY(qn_tune_store_forget(kept->store, problem));
    return qn_tune_store_finish(kept->store, problem, "MEASURED=1", &test, 0);
}
