/* Interface between the kernel of convolution and its launch function. */
#ifndef QN_BENCHMARK_CONVOLUTION_DEV_H
#define QN_BENCHMARK_CONVOLUTION_DEV_H

/* Arguments of `convolution`, in order. */
enum { CONVOLUTION_IN, CONVOLUTION_FILTER, CONVOLUTION_OUT, CONVOLUTION_SCALARS, CONVOLUTION_ARGUMENTS };

typedef struct convolution_scalars {
    int width, height;               /* of the result */
    int filter_width, filter_height; /* for the host kernel; the device's text has them as definitions */
} convolution_scalars;

#endif
