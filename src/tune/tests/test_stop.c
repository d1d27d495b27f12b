/* Estimates of the gain of further steps, on constructed curves. */
#include "check.h"

#include <math.h>
#include <stdio.h>

#include "tune/stop.h"

static void steps_from_history(void)
{
    /* by hand: ln(0.1)/ln(0.9) = 21.85, ln(0.05)/ln(0.99) = 298.07 */
    CHECK(qn_stop_steps(0.1, 0.9) == 22);
    CHECK(qn_stop_steps(0.01, 0.95) == 299);
    CHECK(qn_stop_steps(1, 0.9) == 1);
    CHECK(qn_stop_steps(0, 0.9) == 0);
}

/* A curve b n^-a + c with an improvement at every step is fitted. The samples are rounded to steps, hence the tolerance
 * of 5 %. */
static void a_power_law_is_fitted(void)
{
    qn_stop_curve curve = {0};
    double a, b, c;
    for (int n = 1; n <= 60; n++) qn_stop_add(&curve, 3 * pow(n, -0.8) + 2);
    if (!CHECK(qn_stop_fit(&curve, &a, &b, &c))) return;
    CHECK_NEAR(c, 2, 0.1);
    CHECK_NEAR(b * pow(60, -a) + c, 3 * pow(60, -0.8) + 2, 0.05);
    /* from 60 to 120 steps, by the law itself */
    double now = 3 * pow(60, -0.8) + 2, later = 3 * pow(120, -0.8) + 2;
    CHECK_NEAR(qn_stop_gain(&curve, 0, 60), (now - later) / now, 0.01);
}

static void a_flat_curve_promises_no_gain(void)
{
    qn_stop_curve curve = {0};
    CHECK(qn_stop_gain(&curve, 0, 10) == 1);
    qn_stop_add(&curve, INFINITY);
    CHECK(qn_stop_gain(&curve, 0, 10) == 1);
    qn_stop_add(&curve, 9);
    qn_stop_add(&curve, 4);
    double early = qn_stop_gain(&curve, 0, 10);
    for (int n = 0; n < 200; n++) qn_stop_add(&curve, 5);
    CHECK(qn_stop_gain(&curve, 0, 200) < 0.02);
    CHECK(qn_stop_gain(&curve, 0, 200) < early);
}

/* With few well-performing configurations the expected gain is larger than with many. */
static void history_changes_the_estimate(void)
{
    qn_stop_curve curve = {0};
    for (int n = 0; n < 10; n++) qn_stop_add(&curve, n == 0 ? 6 : 10);
    double few = qn_stop_gain(&curve, 0.01, 100), many = qn_stop_gain(&curve, 0.3, 100);
    CHECK(few > many);
    CHECK(few <= 0.4 + 1e-12); /* the best is 40 % below the median */
}

static void many_improvements_do_not_overflow(void)
{
    qn_stop_curve curve = {0};
    for (int n = 0; n < 1000; n++) qn_stop_add(&curve, 2000 - n);
    CHECK(curve.improvements == QN_STOP_IMPROVEMENTS && curve.best[QN_STOP_IMPROVEMENTS - 1] == 1001);
    double gain = qn_stop_gain(&curve, 0, 1000);
    CHECK(gain >= 0 && gain <= 1);
}

int main(void)
{
    RUN(steps_from_history);
    RUN(a_power_law_is_fitted);
    RUN(a_flat_curve_promises_no_gain);
    RUN(history_changes_the_estimate);
    RUN(many_improvements_do_not_overflow);
    return check_finish();
}
