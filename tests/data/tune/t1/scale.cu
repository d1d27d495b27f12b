// y = factor * x + shift, `unroll` elements a thread; a kernel without extern "C", beside a template.
template <typename T> __device__ T scaled(T x, float factor, int shift)
{
    return factor * x + shift;
}

__global__ void scale(float *y, const float *x, float factor, int *order, int shift)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * unroll;
    for (int i = first; i < first + unroll; i++) {
        if (WAY == 3 && i % 2) continue;
        y[i] = scaled(x[i], factor, shift);
        order[i] += (int)x[i];
    }
}
