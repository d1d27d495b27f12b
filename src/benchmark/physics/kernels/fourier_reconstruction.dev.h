/* The Kaiser-Bessel blob of order 0 (Lewitt 1990, doi 10.1364/JOSAA.7.001834) as a function of the squared distance:
 * BLOB_RADIUS in pixels, BLOB_ALPHA its taper. */
/* Arguments of `reconstruct`, in order. */
enum {
    RECONSTRUCT_IMAGES,
    RECONSTRUCT_MATRICES,
    RECONSTRUCT_BLOB,
    RECONSTRUCT_SUMS,
    RECONSTRUCT_WEIGHTS,
    RECONSTRUCT_SIDE,
    RECONSTRUCT_PROJECTIONS,
    RECONSTRUCT_ARGUMENTS
};

#define BLOB_RADIUS 1.9f
#define BLOB_ALPHA 15.0f
#define BLOB_TABLE_SIZE 4096 /* intervals of the table, equal in the squared distance; it has two entries more */
#define BLOB_TABLE_SCALE (BLOB_TABLE_SIZE / (BLOB_RADIUS * BLOB_RADIUS))

/* I0(15) */
#define BLOB_BESSEL_OF_ALPHA 339649.37f

/* Modified Bessel function I0 of x >= 0 with a relative error below 3e-7: Abramowitz and Stegun, 9.8.1 and 9.8.2. */
DEVICE_FN float bessel_i0(float x)
{
    if (x < 3.75f) {
        const float t = x * x * (1.0f / 14.0625f);
        float sum = FMA(t, 0.0045813f, 0.0360768f);
        sum = FMA(t, sum, 0.2659732f);
        sum = FMA(t, sum, 1.2067492f);
        sum = FMA(t, sum, 3.0899424f);
        sum = FMA(t, sum, 3.5156229f);
        return FMA(t, sum, 1.0f);
    }
    const float t = 3.75f / x;
    float sum = FMA(t, 0.00392377f, -0.01647633f);
    sum = FMA(t, sum, 0.02635537f);
    sum = FMA(t, sum, -0.02057706f);
    sum = FMA(t, sum, 0.00916281f);
    sum = FMA(t, sum, -0.00157565f);
    sum = FMA(t, sum, 0.00225319f);
    sum = FMA(t, sum, 0.01328592f);
    sum = FMA(t, sum, 0.39894228f);
    return EXP(x) * RSQRT(x) * sum;
}

/* Value of the blob at a squared distance of at most BLOB_RADIUS^2 */
DEVICE_FN float blob_at(float squared)
{
    const float inside = 1.0f - squared * (1.0f / (BLOB_RADIUS * BLOB_RADIUS));
    return bessel_i0(BLOB_ALPHA * SQRT(FMAX(inside, 0.0f))) * (1.0f / BLOB_BESSEL_OF_ALPHA);
}
