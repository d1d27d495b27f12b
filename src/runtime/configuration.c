#include "runtime/configuration.h"

#include <string.h>

#include "base/error.h"
#include "runtime/constraint.h"

qn_configuration qn_family_fallback(const qn_family *family)
{
    qn_configuration configuration = {{0}};
    for (int i = 0; i < family->tunable_count; i++) configuration.value[i] = family->tunables[i].fallback;
    return configuration;
}

qn_status qn_family_allows(const qn_family *family, const qn_device_info *device, const qn_configuration *configuration,
                           bool *allowed, const char **broken)
{
    *allowed = true;
    if (broken) *broken = NULL;
    for (int i = 0; i < family->constraint_count; i++) {
        int64_t value;
        QN_TRY(qn_constraint_evaluate(family->constraints[i], family, configuration, device, &value));
        if (value) continue;
        *allowed = false;
        if (broken) *broken = family->constraints[i];
        return QN_OK;
    }
    return QN_OK;
}

/* The smallest, fallback and largest value of a tunable; fewer than three if they coincide. Returns their number. */
static int corner_values(const qn_tunable *tunable, int values[3])
{
    int low = tunable->values[0], high = tunable->values[0], count = 0;
    for (int i = 1; i < tunable->value_count; i++) {
        if (tunable->values[i] < low) low = tunable->values[i];
        if (tunable->values[i] > high) high = tunable->values[i];
    }
    values[count++] = low;
    if (tunable->fallback != low && tunable->fallback != high) values[count++] = tunable->fallback;
    if (high != low) values[count++] = high;
    return count;
}

qn_status qn_family_corners(const qn_family *family, const qn_device_info *device,
                            qn_status (*visit)(const qn_configuration *configuration, void *user), void *user)
{
    int values[QN_TUNABLE_MAX][3], counts[QN_TUNABLE_MAX], digits[QN_TUNABLE_MAX] = {0};
    for (int i = 0; i < family->tunable_count; i++) counts[i] = corner_values(&family->tunables[i], values[i]);
    for (;;) {
        qn_configuration configuration = {{0}};
        bool allowed;
        for (int i = 0; i < family->tunable_count; i++) configuration.value[i] = values[i][digits[i]];
        QN_TRY(qn_family_allows(family, device, &configuration, &allowed, NULL));
        if (allowed) QN_TRY(visit(&configuration, user));
        int place = 0;
        while (place < family->tunable_count && ++digits[place] == counts[place]) digits[place++] = 0;
        if (place == family->tunable_count) return QN_OK;
    }
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Corners are numbered. The step is their count divided by the golden ratio, made coprime to the count, so that the
 * steps reach every corner and the visited corners are evenly spread at any time. */
qn_status qn_family_sample_corners(const qn_family *family, const qn_device_info *device, int most,
                                   qn_status (*visit)(const qn_configuration *configuration, void *user), void *user)
{
    int values[QN_TUNABLE_MAX][3], counts[QN_TUNABLE_MAX];
    const qn_configuration fallback = qn_family_fallback(family);
    uint64_t corners = 1, place = 0;
    int visited = 0;
    for (int i = 0; i < family->tunable_count; i++)
        corners *= (uint64_t)(counts[i] = corner_values(&family->tunables[i], values[i]));
    uint64_t step = (uint64_t)(0.6180339887498949 * (double)corners) | 1;
    while (greatest_common_divisor(step, corners) != 1) step += 2;
    for (uint64_t tried = 0; tried <= corners && visited < most; tried++) {
        qn_configuration configuration = fallback;
        bool allowed;
        uint64_t digits = place;
        for (int i = 0; tried > 0 && i < family->tunable_count; digits /= (uint64_t)counts[i++])
            configuration.value[i] = values[i][digits % (uint64_t)counts[i]];
        if (tried > 0) place = (place + step) % corners;
        if (tried > 0 && memcmp(&configuration, &fallback, sizeof fallback) == 0) continue;
        QN_TRY(qn_family_allows(family, device, &configuration, &allowed, NULL));
        if (!allowed) continue;
        visited++;
        QN_TRY(visit(&configuration, user));
    }
    return QN_OK;
}
