/* Convolution of an image with a small filter, in single precision. */
#ifndef QN_BENCHMARK_PHYSICS_CONVOLUTION_H
#define QN_BENCHMARK_PHYSICS_CONVOLUTION_H

#include <quern/family.h>

enum { QN_CONVOLUTION_FILTER_MAX = 17 };

extern const qn_family qn_benchmark_convolution_family;

typedef struct qn_convolution_problem {
    int width, height;               /* of the result */
    int filter_width, filter_height; /* 1 … QN_CONVOLUTION_FILTER_MAX */
} qn_convolution_problem;

/* out [height][width] = sum over j, i of in [y + j][x + i] · filter [j][i]; `in` is larger than `out` by the filter's
 * size minus one. configuration NULL: chosen as for any family. Errors: QN_INVALID_ARGUMENT for impossible sizes and
 * buffers that are too small. */
QN_MUST_CHECK qn_status qn_convolution(qn_queue *queue, const qn_configuration *configuration,
                                       const qn_convolution_problem *problem, qn_buffer *in, qn_buffer *filter,
                                       qn_buffer *out, qn_event **event);

/* One number of the result in double. */
double qn_convolution_reference(const qn_convolution_problem *problem, const float *in, const float *filter, int x,
                                int y);

#endif
