/* The blob of cryoem/blob.h in single precision, as a function of inside = 1 − d² / r², at most 1. */
#define BLOB_TABLE_INTERVALS 4096.0f

/* I0(15 √t) / I0(15) for 0 ≤ t ≤ 1: the sum of the first Chebyshev polynomials on [0, 1], good to 2e-7; 0 for t <= 0.
 */
DEVICE_FN float blob_polynomial(float t)
{
    const float inside = SATURATE(t); /* which GPUs do in passing */
    float sum = FMA(inside, 0.810138066f, -2.25563701f);
    sum = FMA(inside, sum, 3.88903892f);
    sum = FMA(inside, sum, -3.1735309f);
    sum = FMA(inside, sum, 2.10275821f);
    sum = FMA(inside, sum, -0.575692405f);
    sum = FMA(inside, sum, 0.204267875f);
    sum = FMA(inside, sum, -0.00509471278f);
    sum = FMA(inside, sum, 0.00361584311f);
    sum = FMA(inside, sum, 0.000132864104f);
    sum = FMA(inside, sum, 3.0815639e-06f);
    return inside > 0.0f ? sum : 0.0f;
}
