/* Numbers in half precision (IEEE 754 binary16), for tests of kernels that read or write them. */
#ifndef HALVES_H
#define HALVES_H

#include <math.h>
#include <stdint.h>

/* Bits of the half-precision number `number`, −2047 to 2047. */
static inline uint16_t half_of(int number)
{
    const int size = number < 0 ? -number : number;
    int exponent = 0;
    if (size == 0) return 0;
    while (size >> (exponent + 1)) exponent++;
    return (uint16_t)((number < 0) << 15 | (exponent + 15) << 10 | ((size << (10 - exponent)) & 0x3ff));
}

/* Value of half-precision bits; NaN for infinities and NaN. */
static inline double number_of_half(unsigned bits)
{
    const int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    const double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return exponent == 31 ? NAN : bits & 0x8000 ? -size : size;
}

#endif
