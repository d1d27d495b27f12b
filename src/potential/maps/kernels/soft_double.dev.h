/* Double precision in integers, for devices and words without it: squared distances with exactly the roundings of
 * AutoGrid's, so that table entries are the same where a distance is a multiple of 0.01 Å.
 *
 * A double is its 64 bits. Results are rounded to nearest, halves to even, as IEEE 754 demands. Numbers are zero or
 * normal and results do not overflow: coordinates in Å. */
#ifndef QN_POTENTIAL_SOFT_DOUBLE_DEV_H
#define QN_POTENTIAL_SOFT_DOUBLE_DEV_H

#define SOFT_MAGNITUDE 0x7fffffffffffffffUL
#define SOFT_HIDDEN 0x0010000000000000UL /* the leading bit of a mantissa, which is not stored */

DEVICE_FN int soft_exponent(qn_uint64 bits)
{
    return (int)(bits >> 52) & 0x7ff;
}

/* The mantissa with its leading bit and three more bits for rounding. */
DEVICE_FN qn_uint64 soft_mantissa(qn_uint64 bits)
{
    return bits == 0 ? 0 : ((bits & (SOFT_HIDDEN - 1)) | SOFT_HIDDEN) << 3;
}

/* Shift right; the last bit tells whether bits were lost. */
DEVICE_FN qn_uint64 soft_shift(qn_uint64 value, int count)
{
    if (count > 60) return value != 0;
    return (value >> count) | ((value & (((qn_uint64)1 << count) - 1)) != 0);
}

/* Round away the three bits; the mantissa lies between 2^55 and 2^56, or is 0. A carry raises the exponent. */
DEVICE_FN qn_uint64 soft_pack(int exponent, qn_uint64 mantissa)
{
    const qn_uint64 rounded = (mantissa + 3 + ((mantissa >> 3) & 1)) >> 3;
    return mantissa == 0 ? 0 : ((qn_uint64)(exponent - 1) << 52) + rounded;
}

DEVICE_FN int soft_leading_zeros(qn_uint64 value)
{
    const qn_uint32 high = (qn_uint32)(value >> 32);
    return high ? LEADING_ZEROS(high) : 32 + LEADING_ZEROS((qn_uint32)value);
}

/* |a| + |b| */
DEVICE_FN qn_uint64 soft_sum(qn_uint64 a, qn_uint64 b)
{
    const qn_uint64 one = a & SOFT_MAGNITUDE, other = b & SOFT_MAGNITUDE;
    const qn_uint64 large = MAX(one, other), small = MIN(one, other);
    const int exponent = soft_exponent(large);
    const qn_uint64 sum = soft_mantissa(large) + soft_shift(soft_mantissa(small), exponent - soft_exponent(small));
    const int carry = (int)(sum >> 56);
    return soft_pack(exponent + carry, soft_shift(sum, carry));
}

/* ||a| − |b|| */
DEVICE_FN qn_uint64 soft_gap(qn_uint64 a, qn_uint64 b)
{
    const qn_uint64 one = a & SOFT_MAGNITUDE, other = b & SOFT_MAGNITUDE;
    const qn_uint64 large = MAX(one, other), small = MIN(one, other);
    const int exponent = soft_exponent(large);
    const qn_uint64 gap = soft_mantissa(large) - soft_shift(soft_mantissa(small), exponent - soft_exponent(small));
    if (gap == 0) return 0;
    const int left = soft_leading_zeros(gap) - 8;
    return soft_pack(exponent - left, gap << left);
}

/* |a − b| */
DEVICE_FN qn_uint64 soft_difference(qn_uint64 a, qn_uint64 b)
{
    return (a ^ b) >> 63 ? soft_sum(a, b) : soft_gap(a, b);
}

DEVICE_FN qn_uint64 soft_square(qn_uint64 a)
{
    const qn_uint64 mantissa = soft_mantissa(a) << 4, doubled = mantissa << 1;
    const qn_uint64 product = MUL_HIGH_UINT64(mantissa, doubled) | (mantissa * doubled != 0);
    const int carry = (int)(product >> 56);
    return a == 0 ? 0 : soft_pack(2 * soft_exponent(a) - 1023 + carry, soft_shift(product, carry));
}

#endif
