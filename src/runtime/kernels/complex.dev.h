/* Complex numbers, qn_complex {x + i y}, in the kernel language; part of every prelude. Products round the same way on
 * every device: one real product is rounded and the other is fused into the sum; COMPLEX_FMA fuses both. */
#ifndef QN_RUNTIME_COMPLEX_DEV_H
#define QN_RUNTIME_COMPLEX_DEV_H

#define COMPLEX_ADD(a, b) qn_complex_add((a), (b))
#define COMPLEX_SUBTRACT(a, b) qn_complex_subtract((a), (b))
#define COMPLEX_SCALE(a, factor) qn_complex_scale((a), (factor)) /* times a float */
#define COMPLEX_CONJUGATE(a) qn_complex_conjugate(a)
#define COMPLEX_MUL(a, b) qn_complex_mul((a), (b))                     /* a b */
#define COMPLEX_MUL_CONJUGATE(a, b) qn_complex_mul_conjugate((a), (b)) /* a conj(b) */
#define COMPLEX_FMA(a, b, c) qn_complex_fma((a), (b), (c))             /* a b + c */
#define COMPLEX_NORM(a) qn_complex_norm(a)                             /* |a|^2 */

DEVICE_FN qn_complex qn_complex_add(qn_complex a, qn_complex b)
{
    return COMPLEX_MAKE(a.x + b.x, a.y + b.y);
}

DEVICE_FN qn_complex qn_complex_subtract(qn_complex a, qn_complex b)
{
    return COMPLEX_MAKE(a.x - b.x, a.y - b.y);
}

DEVICE_FN qn_complex qn_complex_scale(qn_complex a, float factor)
{
    return COMPLEX_MAKE(a.x * factor, a.y * factor);
}

DEVICE_FN qn_complex qn_complex_conjugate(qn_complex a)
{
    return COMPLEX_MAKE(a.x, -a.y);
}

DEVICE_FN qn_complex qn_complex_mul(qn_complex a, qn_complex b)
{
    return COMPLEX_MAKE(FMA(a.x, b.x, -(a.y * b.y)), FMA(a.x, b.y, a.y * b.x));
}

DEVICE_FN qn_complex qn_complex_mul_conjugate(qn_complex a, qn_complex b)
{
    return COMPLEX_MAKE(FMA(a.x, b.x, a.y * b.y), FMA(a.y, b.x, -(a.x * b.y)));
}

DEVICE_FN qn_complex qn_complex_fma(qn_complex a, qn_complex b, qn_complex c)
{
    return COMPLEX_MAKE(FMA(-a.y, b.y, FMA(a.x, b.x, c.x)), FMA(a.y, b.x, FMA(a.x, b.y, c.y)));
}

DEVICE_FN float qn_complex_norm(qn_complex a)
{
    return FMA(a.x, a.x, a.y * a.y);
}

#endif
