#include "tune/exchange/t1_stand.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "tune/session.h"

qn_status qn_t1_stand_open(const qn_t1 *t1, qn_device *device, uint64_t seed, const char *objective, qn_t1_stand *stand)
{
    *stand = (qn_t1_stand){0};
    QN_TRY(qn_goal_open(objective, device, 0, NULL, &stand->goal));
    QN_TRY(qn_queue_create(device, &stand->queue));
    return qn_t1_target_create(t1, stand->queue, seed, &stand->target);
}

void qn_t1_stand_close(qn_t1_stand *stand)
{
    qn_goal_close(&stand->goal);
    qn_queue_settle(stand->queue); /* it may use memory of the target */
    qn_t1_target_destroy(&stand->target);
    qn_queue_destroy(&stand->queue);
}

qn_status qn_t1_stand_reference(qn_t1_stand *stand, qn_point point)
{
    const qn_status status = qn_t1_target_reference(stand->target, point);
    qn_t1_target_forget(stand->target);
    return status;
}

static qn_status measure(qn_t1_stand *stand, const qn_measure_limits *limits, qn_test *test,
                         char reason[QN_MEASURE_REASON_BYTES])
{
    qn_measure_limits own = *limits;
    own.meter = stand->goal.meter;
    QN_TRY(qn_measure_configuration(&qn_t1_workload, stand->target, stand->queue, NULL, &own, test, reason));
    if (test->outcome == QN_TEST_WRONG)
        snprintf(reason, QN_MEASURE_REASON_BYTES, "%s", qn_t1_target_difference(stand->target));
    return QN_OK;
}

qn_status qn_t1_stand_test(qn_t1_stand *stand, qn_point point, const qn_measure_limits *limits, qn_test *test,
                           char reason[QN_MEASURE_REASON_BYTES])
{
    const double began_s = qn_clock_s();
    reason[0] = 0;
    *test = (qn_test){.objective = INFINITY};
    qn_status status = qn_t1_target_set(stand->target, point);
    const bool placed = status == QN_OK;
    if (placed) status = qn_t1_target_build(stand->target);
    test->build_seconds = qn_clock_s() - began_s;
    if (status == QN_OK) {
        status = measure(stand, limits, test, reason);
        qn_t1_target_forget(stand->target); /* thousands of programs would fill the memory */
        return status;
    }
    if (status == QN_DEVICE_LOST || status == QN_CANCELLED) return status;
    test->outcome = placed ? qn_tune_outcome_of(status) : QN_TEST_LIMITS;
    snprintf(reason, QN_MEASURE_REASON_BYTES, "%s", qn_error_message());
    qn_error_clear();
    return QN_OK;
}
