/* Every word of the prelude that a pure function may use, by number. The same text runs on devices and, through
 * prelude_host.h, as C; test_prelude.c computes each value again without the prelude. */
#ifndef QN_TESTS_PRELUDE_WORDS_DEV_H
#define QN_TESTS_PRELUDE_WORDS_DEV_H

#define INTEGER_WORDS 14
#define EXACT_WORDS 17
#define ROUGH_WORDS 11
#define COMPLEX_WORDS 8

CONSTANT int table_of_primes[4] = {2, 3, 5, 7};

DEVICE_FN int look_up(CONSTANT_PTR int *table, int i)
{
    return table[i & 3];
}

DEVICE_FN qn_int64 integer_word(int word, int a, int b)
{
    qn_uint64 wide = ((qn_uint64)0x9E3779B9u << 32 | 0x7F4A7C15u) * (qn_uint32)a;
    switch (word) {
    case 0: return MUL_HIGH_INT32(a, b);
    case 1: return MUL_HIGH_UINT32(a, b);
    case 2: return (qn_int64)MUL_HIGH_UINT64(wide, (qn_uint64)(qn_uint32)b << 31 | 12345u);
    case 3: return BIT_COUNT(a);
    case 4: return LEADING_ZEROS(a);
    case 5: return FLOAT_BITS((float)a);
    case 6: return ((qn_int64)a * b + ((qn_int64)1 << 19)) >> 20; /* fixed point, rounded */
    case 7: return ROUND_INT((float)a * 0x1p-9f);
    case 8: return MIN(a, b);
    case 9: return MAX(a, b);
    case 10: return CLAMP(a, -1000, 1000);
    case 11: return (qn_int64)((qn_uint32)a * (qn_uint32)b);
    case 12: return look_up(table_of_primes, b);
    default: return (qn_int64)(wide ^ wide >> 29) + (qn_uint8)a + INT4_MAKE(a, b, 1, 2).y;
    }
}

DEVICE_FN float exact_word(int word, float a, float b, float c)
{
    qn_float4 four = FLOAT4_MAKE(a, b, c, 1.0f);
    qn_float2 two = FLOAT2_MAKE(four.w, four.z);
    switch (word) {
    case 0: return FMA(a, b, c);
    case 1: return a * b + c; /* two roundings: the compiler must not contract them into one fma */
    case 2: return a - b * c;
    case 3: return FLOOR(a);
    case 4: return ROUND(a);
    case 5: return ABS(a);
    case 6: return FMIN(a, b);
    case 7: return FMAX(a, b);
    case 8: return MIN(a, b);
    case 9: return MAX(a, b);
    case 10: return CLAMP(a, -0.5f, 0.25f);
    case 11: return BITS_FLOAT(FLOAT_BITS(a) ^ 0x80000000u);
    case 12: return a < FLOAT_MAXIMUM && a < FLOAT_INFINITY ? FLOAT_PI : 0.0f;
    case 13: return two.x + two.y;
    case 14: return (a + b) + c;
    case 15: return SATURATE(FMA(a, b, c));
    default: return (float)(int)a;
    }
}

/* x > 0 */
DEVICE_FN float rough_word(int word, float x)
{
    switch (word) {
    case 0: return SQRT(x);
    case 1: return RSQRT(x);
    case 2: return EXP(x - 8.0f);
    case 3: return LOG(x + 1.5f);
    case 4: return SIN(x);
    case 5: return COS(x);
    case 6: return FAST_EXP(x - 8.0f);
    case 7: return FAST_RSQRT(x);
    case 8: return FAST_DIVIDE(3.0f, x);
    case 9: return NORMAL_SQRT(x);
    default: return 3.0f / x;
    }
}

DEVICE_FN qn_complex complex_word(int word, qn_complex a, qn_complex b, qn_complex c)
{
    switch (word) {
    case 0: return COMPLEX_ADD(a, b);
    case 1: return COMPLEX_SUBTRACT(a, b);
    case 2: return COMPLEX_SCALE(a, b.x);
    case 3: return COMPLEX_CONJUGATE(a);
    case 4: return COMPLEX_MUL(a, b);
    case 5: return COMPLEX_MUL_CONJUGATE(a, b);
    case 6: return COMPLEX_FMA(a, b, c);
    default: return COMPLEX_MAKE(COMPLEX_NORM(a), b.y);
    }
}

#endif
