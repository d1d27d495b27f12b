/* A linear axis with round ticks: where they lie and how they are written. */
#ifndef QN_REPORT_AXIS_H
#define QN_REPORT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct qn_axis {
    double first;       /* the lowest tick in steps: it lies at first · mantissa · 10^exponent */
    int mantissa;       /* 1, 2 or 5 */
    int exponent;       /* power of ten of the step */
    size_t ticks;       /* at least 2; the axis reaches from the first to the last */
    int label_exponent; /* labels are written as m×10^label_exponent; 0: as plain numbers */
    int label_decimals; /* of the plain number or of m */
} qn_axis;

/* Values an axis can show: finite and at most this large. */
#define QN_AXIS_LIMIT 1e300
bool qn_axis_accepts(double value);

/* The finest axis of at most `most_ticks` (at least 3) ticks that covers low … high. A single value gets room around
 * it, as does a range too narrow for doubles to hold ticks within (below 1e-9 of the values). */
void qn_axis_fit(double low, double high, size_t most_ticks, qn_axis *axis);

/* Value of tick 0 … ticks-1. */
double qn_axis_tick(const qn_axis *axis, size_t tick);

/* Position of a value as a fraction of the axis: 0 at the first tick, 1 at the last. */
double qn_axis_fraction(const qn_axis *axis, double value);

/* Text of a tick in UTF-8: a minus sign rather than a hyphen, "2.5×10⁶" where plain numbers would be long. Returns
 * the number of characters (not bytes). */
#define QN_AXIS_LABEL_BYTES 96
size_t qn_axis_label(const qn_axis *axis, size_t tick, char label[QN_AXIS_LABEL_BYTES]);

#endif
