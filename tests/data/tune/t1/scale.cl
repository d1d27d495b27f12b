/* y = factor · x + shift, `unroll` elements a work-item; WAY 3 wrongly leaves every second one out. */
__kernel void scale(__global float *restrict y, __global const float *restrict x, float factor, __global int *restrict order,
                    int shift)
{
    int first = get_global_id(0) * unroll;
    for (int i = first; i < first + unroll; i++) {
        if (WAY == 3 && i % 2) continue;
        y[i] = factor * x[i] + shift;
        order[i] += (int)x[i];
    }
}
