/* Bessel functions. */
#ifndef QN_MATH_BESSEL_H
#define QN_MATH_BESSEL_H

/* The modified Bessel function of the first kind and order 0, by its power series; exact to rounding for |x| up to
 * 100. */
double qn_bessel_i0(double x);

#endif
