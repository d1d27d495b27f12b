/* Start configuration of online tuning: the first known configuration that fits the device, else the fallback. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "runtime/device.h"
#include "tune/online.h"

enum { KNOWN_MAX = 64 };

static void add(qn_online_family *family, const qn_tune_known *known)
{
    qn_online_start *start = &family->starts[family->start_count++];
    *start =
        (qn_online_start){.configuration = known->configuration, .origin = known->origin, .nearness = known->nearness};
    snprintf(start->found_on, sizeof start->found_on, "%s", known->found_on);
    qn_tune_origin_text(known->origin, known->nearness, known->found_on, start->text, sizeof start->text);
}

/* Tell the user that a result of this device became useless when the kernel changed. */
static void warn_of_stale(const qn_online_family *family, const qn_tune_known *known)
{
    if (known->use != QN_TUNE_STALE || known->nearness != QN_TUNE_THIS_DEVICE) return;
    qn_log(QN_LOG_WARNING, "%s on %s: the tuning result of the %s is of another version of the kernel and is not used",
           family->family->name, qn_device_get_info(family->device)->identifier,
           known->origin == QN_TUNE_ORIGIN_STORE ? "store" : "shipped files");
}

qn_status qn_online_find_starts(qn_online_family *family, const qn_family_launch *launch)
{
    const qn_tune_known fallback = {.configuration = qn_family_fallback(family->family)};
    void *memory;
    size_t count = 0;
    QN_TRY(qn_allocate(KNOWN_MAX, sizeof(qn_tune_known), &memory));
    const qn_tune_known *known = memory;
    qn_status status = qn_tune_lookup(family->device, family->store, family->family, family->key.problem_class, memory,
                                      KNOWN_MAX, &count);
    for (size_t i = 0; status == QN_OK && i + 1 < count && i < KNOWN_MAX; i++) {
        if (family->start_count == 0) warn_of_stale(family, &known[i]);
        if (known[i].use == QN_TUNE_USABLE && family->start_count < QN_ONLINE_STARTS_MAX - 1) add(family, &known[i]);
    }
    qn_release(&memory);
    add(family, &fallback);
    qn_online_take_start(family, launch, 0);
    return status;
}

/* A result of this device is known to run here. A result of another device is built first, to test that it can run. */
void qn_online_take_start(qn_online_family *family, const qn_family_launch *launch, int first)
{
    const int last = family->start_count - 1;
    for (family->start = first < last ? first : last; family->start < last; family->start++) {
        const qn_online_start *start = &family->starts[family->start];
        if (start->nearness == QN_TUNE_THIS_DEVICE) break;
        if (qn_family_fits(family->family, family->device, &start->configuration, launch->definitions,
                           launch->problem) == QN_OK)
            break;
        qn_log(QN_LOG_DEBUG, "%s on %s: the tuning result of %s does not fit: %s", family->family->name,
               qn_device_get_info(family->device)->identifier, start->found_on, qn_error_message());
        qn_error_clear();
    }
    family->best = family->starts[family->start].configuration;
    family->found = false;
    family->speedup = 1;
}
