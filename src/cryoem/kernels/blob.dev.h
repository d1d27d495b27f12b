/* The blob of cryoem/blob.h in single precision, as a function of inside = 1 − d² / r², at most 1. */
#define BLOB_TABLE_INTERVALS 4096.0f

/* I0(15 √t) / I0(15) for 0 ≤ t ≤ 1, and 0 for t ≤ 0. It is the square of a polynomial: the root is less steep, so a few
 * terms suffice. The polynomial is the one with the smallest largest error, 1.2e-7. */
DEVICE_FN float blob_polynomial(float t)
{
    const float inside = SATURATE(t); /* costs nothing on GPUs */
    float root = FMA(inside, 0.0650061578f, -0.0656339119f);
    root = FMA(inside, root, 0.341531116f);
    root = FMA(inside, root, 0.113066041f);
    root = FMA(inside, root, 0.357444433f);
    root = FMA(inside, root, 0.142440445f);
    root = FMA(inside, root, 0.0443958453f);
    root = FMA(inside, root, 0.00174993229f);
    return inside > 0.0f ? root * root : 0.0f;
}
