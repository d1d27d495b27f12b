#include "report/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/number.h"

bool qn_axis_accepts(double value)
{
    return fabs(value) <= QN_AXIS_MAX;
}

/* count · 10^exponent. Negative exponents divide, because 3 / 10 is the double closest to 0.3 and 3 · 0.1 is not. */
static double scaled(double count, int exponent)
{
    return exponent < 0 ? count / pow(10, -exponent) : count * pow(10, exponent);
}

/* Number of the step that contains a value; a value that rounding moved off a tick counts as on the tick. */
static double step_below(double value, int mantissa, int exponent)
{
    double steps = value / scaled(mantissa, exponent), nearest = round(steps);
    return fabs(steps - nearest) <= 1e-12 * fmax(1, fabs(nearest)) ? nearest : floor(steps);
}

static void choose_label(qn_axis *axis)
{
    double lowest = qn_axis_tick(axis, 0), highest = qn_axis_tick(axis, axis->ticks - 1);
    double largest = fmax(fabs(lowest), fabs(highest));
    int magnitude = (int)floor(log10(largest) + 1e-12);
    int plain_decimals = axis->exponent < 0 ? -axis->exponent : 0;
    int plain = (magnitude > 0 ? magnitude : 0) + 1 + (plain_decimals ? 1 + plain_decimals : 0);
    int decimals = magnitude > axis->exponent ? magnitude - axis->exponent : 0;
    int scientific = 1 + (decimals ? 1 + decimals : 0) + 4;
    bool is_plain = plain <= 6 || plain <= scientific;
    axis->label_exponent = is_plain ? 0 : magnitude;
    axis->label_decimals = is_plain ? plain_decimals : decimals;
}

void qn_axis_fit(double low, double high, size_t most_ticks, qn_axis *axis)
{
    static const int mantissas[] = {1, 2, 5};
    double largest = fmax(fabs(low), fabs(high));
    /* Limit values that no axis can show, because the search below would not end. */
    if (!(largest >= 1e-290 && largest <= 2 * QN_AXIS_MAX)) {
        low = -1, high = 1;
    } else if (high - low < 1e-9 * largest) {
        /* Keep a single value away from the frame, and a single positive value on the positive side. */
        double room = 0.1 * largest;
        low -= room, high += room;
    }
    if (most_ticks < 3) most_ticks = 3;
    int exponent = (int)floor(log10((high - low) / (double)most_ticks)) - 1;
    for (size_t attempt = 0;; attempt++) {
        axis->mantissa = mantissas[attempt % 3];
        axis->exponent = exponent + (int)(attempt / 3);
        axis->first = step_below(low, axis->mantissa, axis->exponent);
        double last = -step_below(-high, axis->mantissa, axis->exponent);
        /* Two ticks always suffice in the end: a step beyond twice the values has ticks at -1, 0 and 1. */
        if (last - axis->first + 1 > (double)most_ticks) continue;
        axis->ticks = (size_t)(last - axis->first) + 1;
        break;
    }
    choose_label(axis);
}

double qn_axis_tick(const qn_axis *axis, size_t tick)
{
    return scaled((axis->first + (double)tick) * axis->mantissa, axis->exponent);
}

double qn_axis_fraction(const qn_axis *axis, double value)
{
    double low = qn_axis_tick(axis, 0), high = qn_axis_tick(axis, axis->ticks - 1);
    return (value - low) / (high - low);
}

size_t qn_axis_label(const qn_axis *axis, size_t tick, char label[QN_AXIS_LABEL_BYTES])
{
    double value = qn_axis_tick(axis, tick);
    if (value == 0) {
        strcpy(label, "0");
        return 1;
    }
    char number[QN_NUMBER_LENGTH];
    qn_number_format(scaled(value, -axis->label_exponent), QN_NUMBER_FIXED, axis->label_decimals, number);
    bool negative = number[0] == '-';
    snprintf(label, QN_AXIS_LABEL_BYTES - 32, "%s%s", negative ? "−" : "", number + negative);
    size_t characters = strlen(number);
    return axis->label_exponent ? characters + qn_number_append_power(axis->label_exponent, label) : characters;
}
