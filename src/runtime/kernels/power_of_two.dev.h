/* Powers of two in single precision, from FMA and bits alone, so that every device gives the same bits. */
#ifndef QN_RUNTIME_POWER_OF_TWO_DEV_H
#define QN_RUNTIME_POWER_OF_TWO_DEV_H

/* 2^x for −100 ≤ x ≤ 0, relative error below 3e-7: 2 to the nearest integer by its bits, times a polynomial of degree 5
 * for 2^f, |f| ≤ 1/2, with the smallest possible largest relative error (1.5e-7). */
DEVICE_FN float qn_power_of_two(float x)
{
    const float shifted = x + 12582912.0f; /* 1.5 · 2^23: the last bits of the sum are the nearest integer */
    const float f = x - (shifted - 12582912.0f);
    float p = FMA(f, 0.0013276472454890609f, 0.009675540961325169f);
    p = FMA(f, p, 0.05550713092088699f);
    p = FMA(f, p, 0.24022120237350464f);
    p = FMA(f, p, 0.6931469440460205f);
    p = FMA(f, p, 1.0000001192092896f);
    return BITS_FLOAT(FLOAT_BITS(p) + (FLOAT_BITS(shifted) << 23));
}

#endif
