/* Axes cover their data with few round ticks, and labels give the values of their ticks. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "report/axis.h"

static uint32_t state = 12345;

static double uniform(void)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) / 16777216.0;
}

/* The number that a label shows: "−2.5×10⁻³". */
static double read_label(const char *label)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char text[128] = "";
    size_t length = 0;
    while (*label && length < 100) {
        size_t digit = 0;
        while (digit < 10 && strncmp(label, raised[digit], strlen(raised[digit])) != 0) digit++;
        if (digit < 10) {
            text[length++] = (char)('0' + digit);
            label += strlen(raised[digit]);
        } else if (strncmp(label, "−", 3) == 0 || strncmp(label, "⁻", 3) == 0) {
            text[length++] = '-';
            label += 3;
        } else if (strncmp(label, "×10", 4) == 0) {
            text[length++] = 'e';
            label += 4;
        } else {
            text[length++] = *label++;
        }
    }
    char *end;
    double value = strtod(text, &end);
    return *end ? NAN : value;
}

static int is_round(double step)
{
    double mantissa = step / pow(10, floor(log10(step) + 1e-9));
    return fabs(mantissa - 1) < 1e-9 || fabs(mantissa - 2) < 1e-9 || fabs(mantissa - 5) < 1e-9;
}

static void check_axis(double low, double high, size_t most)
{
    qn_axis axis;
    qn_axis_fit(low, high, most, &axis);
    /* Steps grow by a factor of at most 2.5, so with a limit of 5 or more there are ticks between the ends. */
    CHECK(axis.ticks >= (most >= 5 ? 3 : 2) && axis.ticks <= most);
    double first = qn_axis_tick(&axis, 0), second = qn_axis_tick(&axis, 1);
    double last = qn_axis_tick(&axis, axis.ticks - 1), step = (last - first) / (double)(axis.ticks - 1);
    double slack = 1e-9 * step + 1e-15 * fmax(fabs(low), fabs(high));
    CHECK(first <= low + slack && last >= high - slack);
    /* The ends are closer than one step to the data, so there is no empty band. */
    if (high - low > 1e-8 * fmax(fabs(low), fabs(high))) CHECK(first > low - step && last < high + step);
    CHECK(fabs(first) > 1e6 * step || is_round(second - first));
    char label[QN_AXIS_LABEL_BYTES];
    for (size_t tick = 0; tick < axis.ticks; tick++) {
        double value = qn_axis_tick(&axis, tick), steps = value / step;
        CHECK_NEAR(steps, round(steps), 1e-6 + 1e-9 * fabs(steps));
        CHECK(qn_axis_label(&axis, tick, label) < 20);
        CHECK_NEAR(read_label(label) / step, value / step, 1e-6 + 1e-9 * fabs(steps));
    }
}

static void ordinary_ranges_get_round_ticks(void)
{
    check_axis(0.63, 39.2, 8);
    check_axis(-1153.2, -412, 8);
    check_axis(0, 1, 8);
    check_axis(0.1, 0.3, 8);
    check_axis(1, 5, 3);
    for (int i = 0; i < 3000; i++) {
        double size = pow(10, uniform() * 24 - 12), low = (uniform() - 0.5) * size;
        check_axis(low, low + size * uniform() * 0.7 + 1e-6 * size, 5 + (size_t)(uniform() * 6));
    }
}

static void extreme_ranges_still_have_ticks(void)
{
    check_axis(-1e300, 1e300, 8);
    check_axis(-1e300, 1, 8);
    check_axis(1e-280, 2e-280, 8);
    check_axis(1e6, 1e6 + 1e-2, 8);
}

static void an_axis_of_one_value_has_a_margin(void)
{
    static const double values[] = {0, 7, -42, 1e-300, 1e12, -3e-7};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        qn_axis axis;
        check_axis(values[i], values[i], 8);
        qn_axis_fit(values[i], values[i], 8, &axis);
        double fraction = qn_axis_fraction(&axis, values[i]);
        CHECK(fraction > 0.2 && fraction < 0.8);
        /* The axis is at least a tenth of the value long, so that the labels differ in their first digits. */
        CHECK(qn_axis_tick(&axis, axis.ticks - 1) - qn_axis_tick(&axis, 0) >= 0.1 * fabs(values[i]));
    }
}

static void labels_are_written_as_readers_expect(void)
{
    qn_axis axis;
    char label[QN_AXIS_LABEL_BYTES];
    qn_axis_fit(-1000, 0, 6, &axis);
    qn_axis_label(&axis, 0, label);
    CHECK_TEXT(label, "−1000");
    qn_axis_label(&axis, axis.ticks - 1, label);
    CHECK_TEXT(label, "0");
    qn_axis_fit(0, 1, 6, &axis);
    qn_axis_label(&axis, 1, label);
    CHECK_TEXT(label, "0.2");
    qn_axis_fit(0, 2e-9, 5, &axis);
    CHECK(qn_axis_label(&axis, 1, label) == 8);
    CHECK_TEXT(label, "0.5×10⁻⁹");
}

static void only_finite_values_are_accepted(void)
{
    CHECK(qn_axis_accepts(0) && qn_axis_accepts(-1e300));
    CHECK(!qn_axis_accepts(NAN) && !qn_axis_accepts(INFINITY) && !qn_axis_accepts(-INFINITY));
    CHECK(!qn_axis_accepts(1.7e308));
}

static void an_axis_without_values_is_valid(void)
{
    qn_axis axis;
    qn_axis_fit(INFINITY, -INFINITY, 8, &axis);
    CHECK(qn_axis_tick(&axis, 0) == -1 && qn_axis_tick(&axis, axis.ticks - 1) == 1);
    qn_axis_fit(NAN, NAN, 8, &axis);
    CHECK(qn_axis_tick(&axis, 0) == -1 && qn_axis_tick(&axis, axis.ticks - 1) == 1);
}

int main(void)
{
    RUN(ordinary_ranges_get_round_ticks);
    RUN(extreme_ranges_still_have_ticks);
    RUN(an_axis_of_one_value_has_a_margin);
    RUN(labels_are_written_as_readers_expect);
    RUN(an_axis_without_values_is_valid);
    RUN(only_finite_values_are_accepted);
    return check_finish();
}
