/* Estimates of what further steps gain, on curves made for it. */
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

/* A curve that is b n^-a + c is found again: improvements at every step. Samples lie between steps, hence 5 %. */
static void a_power_law_is_found(void)
{
    qn_stop_curve curve = {0};
    double a, b, c;
    for (int n = 1; n <= 60; n++) qn_stop_add(&curve, 3 * pow(n, -0.8) + 2);
    if (!CHECK(qn_stop_fit(&curve, &a, &b, &c))) return;
    CHECK_NEAR(c, 2, 0.1);
    CHECK_NEAR(b * pow(60, -a) + c, 3 * pow(60, -0.8) + 2, 0.05);
    /* from 60 to 120 steps: by the law itself */
    double now = 3 * pow(60, -0.8) + 2, later = 3 * pow(120, -0.8) + 2;
    CHECK_NEAR(qn_stop_gain(&curve, 0, 60), (now - later) / now, 0.01);
}

static void a_flat_curve_has_no_more_to_gain(void)
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

/* With few well-performing configurations more is left to hope for than with many. */
static void history_is_mixed_in(void)
{
    qn_stop_curve curve = {0};
    for (int n = 0; n < 10; n++) qn_stop_add(&curve, n == 0 ? 6 : 10);
    double few = qn_stop_gain(&curve, 0.01, 100), many = qn_stop_gain(&curve, 0.3, 100);
    CHECK(few > many);
    CHECK(few <= 0.4 + 1e-12); /* the best gained 40 % over the ordinary */
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
    RUN(a_power_law_is_found);
    RUN(a_flat_curve_has_no_more_to_gain);
    RUN(history_is_mixed_in);
    RUN(many_improvements_do_not_overflow);
    return check_finish();
}
