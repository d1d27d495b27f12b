/* Checks that every workload must pass. Include it after check.h, in one file. */
#ifndef QN_TESTS_CHECK_WORKLOAD_H
#define QN_TESTS_CHECK_WORKLOAD_H

#include <quern/workload.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slow_compiler.h"

/* Print the configuration for which a check failed. */
__attribute__((unused)) static void name_configuration(const qn_family *family, const qn_configuration *configuration)
{
    for (int t = 0; t < family->tunable_count; t++)
        fprintf(stderr, " %s=%d", family->tunables[t].name, configuration->value[t]);
    fprintf(stderr, "\n");
}

/* Cleared outputs must fail the workload's check, a run's outputs must pass it, and outputs cleared again must fail.
 * *work receives the workload's stated least work. */
__attribute__((unused)) static void check_workload_sizes(qn_queue *queue, const char *name,
                                                         const int all[QN_WORKLOAD_SIZES], qn_work *work)
{
    const int nothing[QN_WORKLOAD_SIZES] = {0};
    const qn_workload *workload = NULL;
    void *state = NULL;
    char class_of_sizes[64] = "";
    double error = 0, seconds = -1;
    *work = (qn_work){0};
    if (!CHECK_OK(qn_workload_find(name, &workload))) return;
    CHECK_FAILS(workload->create(queue, nothing, 1, &state), QN_INVALID_ARGUMENT);
    if (!CHECK_OK(workload->create(queue, all, 11, &state))) return;
    const qn_configuration fallback = qn_family_fallback(workload->family);
    CHECK_OK(workload->clear(state, queue));
    CHECK_OK(workload->check(state, queue, &error));
    CHECK(error > 1);
    CHECK_OK(workload->run(state, queue, &fallback, &seconds));
    CHECK(seconds >= 0);
    CHECK_OK(workload->check(state, queue, &error));
    CHECK(error <= 1);
    CHECK_OK(workload->clear(state, queue));
    CHECK_OK(workload->check(state, queue, &error));
    CHECK(error > 1);
    CHECK_OK(workload->run(state, queue, NULL, NULL));
    CHECK_OK(workload->check(state, queue, &error));
    CHECK(error <= 1);
    workload->work(state, work);
    workload->problem_class(all, class_of_sizes);
    CHECK(class_of_sizes[0] != 0 && strlen(class_of_sizes) < 64);
    workload->destroy(&state);
    CHECK(state == NULL);
}

/* The same for a workload with up to three sizes. */
__attribute__((unused)) static void check_workload(qn_queue *queue, const char *name, const int *sizes, qn_work *work)
{
    check_workload_sizes(queue, name, (const int[QN_WORKLOAD_SIZES]){sizes[0], sizes[1], sizes[2]}, work);
}

#endif
