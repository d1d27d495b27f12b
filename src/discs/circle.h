/* The smallest circle around circles in a plane. */
#ifndef QN_DISCS_CIRCLE_H
#define QN_DISCS_CIRCLE_H

typedef struct qn_circle {
    double centre[2], radius;
} qn_circle;

/* The smallest circle that holds `count` circles, at least one. It is exact up to rounding: at most three circles touch
 * it from inside and determine it. Every circle is inside within rounding of the last bits. */
qn_circle qn_circle_around(const qn_circle *circles, int count);

#endif
