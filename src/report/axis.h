/* A linear axis with ticks at round numbers: their positions and labels. */
#ifndef QN_REPORT_AXIS_H
#define QN_REPORT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct qn_axis {
    double first;       /* the lowest tick, in steps: its value is first · mantissa · 10^exponent */
    int mantissa;       /* 1, 2 or 5 */
    int exponent;       /* power of ten of the step */
    size_t ticks;       /* at least 2; the axis extends from the first tick to the last */
    int label_exponent; /* labels are written as m×10^label_exponent; 0: as plain numbers */
    int label_decimals; /* decimals of the plain number or of m */
} qn_axis;

/* Values an axis can show: finite and at most this large. */
#define QN_AXIS_MAX 1e300
bool qn_axis_accepts(double value);

/* Fit the finest axis of at most `most_ticks` (at least 3) ticks that covers low … high. A range is widened if it is a
 * single value, or narrower than 1e-9 of the values: double precision has no room for ticks in it. */
void qn_axis_fit(double low, double high, size_t most_ticks, qn_axis *axis);

/* Value of tick 0 … ticks-1. */
double qn_axis_tick(const qn_axis *axis, size_t tick);

/* Position of a value as a fraction of the axis: 0 at the first tick, 1 at the last. */
double qn_axis_fraction(const qn_axis *axis, double value);

/* Write the label of a tick in UTF-8, with a minus sign rather than a hyphen, and as "2.5×10⁶" if plain numbers would
 * be long. Returns the number of characters (not bytes). */
#define QN_AXIS_LABEL_BYTES 96
size_t qn_axis_label(const qn_axis *axis, size_t tick, char label[QN_AXIS_LABEL_BYTES]);

#endif
