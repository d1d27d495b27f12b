#include "tune/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "tune/session.h"

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void qn_measure_summarise(double *seconds, int count, double *middle, double *spread)
{
    qsort(seconds, (size_t)count, sizeof *seconds, compare);
    *middle = count % 2 ? seconds[count / 2] : 0.5 * (seconds[count / 2 - 1] + seconds[count / 2]);
    if (count < 2) {
        *spread = INFINITY;
        return;
    }
    /* ranks of the median's 95 % interval, normal approximation of the binomial */
    int low = (int)floor((count - 1.96 * sqrt(count)) / 2), high = (int)ceil((count + 1.96 * sqrt(count)) / 2);
    if (low < 0) low = 0;
    if (high > count - 1) high = count - 1;
    *spread = 0.5 * (seconds[high] - seconds[low]);
}

static void fail(qn_test *test, qn_test_outcome outcome)
{
    test->outcome = outcome;
    test->objective = INFINITY;
    test->spread = 0;
}

/* Run once and check the result. */
static qn_status try_once(const qn_workload *workload, void *state, qn_queue *queue,
                          const qn_configuration *configuration, qn_test *test, char reason[QN_MEASURE_REASON_BYTES])
{
    double error = INFINITY;
    qn_status status = workload->clear(state, queue);
    if (status == QN_OK) status = workload->run(state, queue, configuration, NULL);
    if (status == QN_OK) status = workload->check(state, queue, &error);
    if (status != QN_OK) {
        snprintf(reason, QN_MEASURE_REASON_BYTES, "%s", qn_error_message());
        fail(test, qn_tune_outcome_of(status));
        if (status == QN_DEVICE_LOST || status == QN_CANCELLED) return status;
        qn_error_clear();
    } else if (!(error <= 1)) {
        snprintf(reason, QN_MEASURE_REASON_BYTES, "the result is wrong by %g times the tolerance", error);
        fail(test, QN_TEST_WRONG);
    }
    return QN_OK;
}

/* Whether more repeats are useless: the interval is narrow enough, or all times are clearly above the best. */
static bool is_known(const qn_test *test, int count, const double *sorted, const qn_measure_limits *limits)
{
    enum { LEAST = 3 };
    const qn_test *best = limits->best;
    if (count >= 2 && best && test->objective > 3 * best->objective && sorted[0] > 2 * best->objective) return true;
    if (count < LEAST) return false;
    if (best && sorted[0] > best->objective + best->spread) return true;
    return test->spread <= limits->precision * test->objective;
}

/* Measure the energy of a run. Energy counters tick every 1 to 100 ms, so runs are repeated from one tick to another at
 * least 0.3 s later, and the device runs nothing else. The average power of that time, times the seconds of a run, is
 * the energy of a run. */
static qn_status measure_energy(const qn_workload *workload, void *state, qn_queue *queue,
                                const qn_configuration *configuration, const qn_tune_meter *meter, qn_test *test)
{
    static const double least_s = 0.3, most_s = 5;
    double first, begun = 0, begun_s = 0, now, start_s = qn_clock_s(), now_s = start_s;
    QN_TRY(meter->read(meter->user, &first));
    for (double last = first; now_s - start_s < most_s || begun_s > 0; last = now) {
        QN_TRY(workload->run(state, queue, configuration, NULL));
        QN_TRY(meter->read(meter->user, &now));
        now_s = qn_clock_s();
        if (now == last && !(begun_s > 0 && now_s - begun_s > most_s)) continue;
        if (begun_s > 0 && now_s - begun_s >= least_s) {
            test->joules = (now - begun) / (now_s - begun_s) * test->objective;
            if (now > begun) return QN_OK;
            break;
        }
        if (begun_s > 0) continue;
        begun = now;
        begun_s = now_s;
    }
    return QN_FAIL(QN_UNSUPPORTED, "the energy counter of the device stands still");
}

qn_status qn_measure_configuration(const qn_workload *workload, void *state, qn_queue *queue,
                                   const qn_configuration *configuration, const qn_measure_limits *limits,
                                   qn_test *test, char reason[QN_MEASURE_REASON_BYTES])
{
    double times[QN_MEASURE_REPEATS], start_s = qn_clock_s();
    int most = limits->most_repeats < QN_MEASURE_REPEATS ? limits->most_repeats : QN_MEASURE_REPEATS, count = 0;
    qn_status status = QN_OK;
    test->outcome = QN_TEST_CORRECT;
    QN_TRY(try_once(workload, state, queue, configuration, test, reason));
    while (test->outcome == QN_TEST_CORRECT && count < most) {
        double seconds = 0, began_s = qn_clock_s();
        status = workload->run(state, queue, configuration, &seconds);
        if (status != QN_OK) {
            snprintf(reason, QN_MEASURE_REASON_BYTES, "%s", qn_error_message());
            fail(test, qn_tune_outcome_of(status));
            break;
        }
        if (limits->timeout_s > 0 && (seconds > limits->timeout_s || qn_clock_s() - began_s > 2 * limits->timeout_s)) {
            snprintf(reason, QN_MEASURE_REASON_BYTES, "a run took %.3g s; %.3g s are allowed", seconds,
                     limits->timeout_s);
            fail(test, QN_TEST_TIMEOUT);
            break;
        }
        times[count++] = seconds;
        qn_measure_summarise(times, count, &test->objective, &test->spread);
        if (is_known(test, count, times, limits)) break;
    }
    if (test->outcome == QN_TEST_CORRECT && limits->meter)
        QN_TRY(measure_energy(workload, state, queue, configuration, limits->meter, test));
    test->run_seconds = qn_clock_s() - start_s;
    if (!isfinite(test->spread)) test->spread = test->objective;
    if (status == QN_DEVICE_LOST || status == QN_CANCELLED) return status;
    if (status != QN_OK) qn_error_clear();
    return QN_OK;
}
