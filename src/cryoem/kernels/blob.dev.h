/* The blob of cryoem/blob.h in single precision, as a function of inside = 1 − d² / r², at most 1. */
#define BLOB_TABLE_INTERVALS 4096.0f

/* I0(15 √t) / I0(15) for 0 ≤ t ≤ 1: the square of the polynomial for which the largest error is least, 1.2e-7; 0 for
 * t <= 0. The root grows less steeply, so that a few terms do. */
DEVICE_FN float blob_polynomial(float t)
{
    const float inside = SATURATE(t); /* which GPUs do in passing */
    float root = FMA(inside, 0.0650061578f, -0.0656339119f);
    root = FMA(inside, root, 0.341531116f);
    root = FMA(inside, root, 0.113066041f);
    root = FMA(inside, root, 0.357444433f);
    root = FMA(inside, root, 0.142440445f);
    root = FMA(inside, root, 0.0443958453f);
    root = FMA(inside, root, 0.00174993229f);
    return inside > 0.0f ? root * root : 0.0f;
}
