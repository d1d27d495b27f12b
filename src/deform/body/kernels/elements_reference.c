#include "base/error.h"
#include "base/memory.h"
#include "deform/body/kernels/elements.h"

qn_status qn_elements_reference(const qn_body *body, const float *x, int stride, int state, double *r, double *values,
                                qn_body_measures *measures)
{
    void *memory;
    QN_TRY(qn_allocate(2 * body->freedom_count, sizeof(double), &memory));
    double *exact = memory, *residual = r ? r : exact + body->freedom_count;
    for (size_t k = 0; k < body->freedom_count; k++) exact[k] = (double)x[k * (size_t)stride + (size_t)state];
    qn_body_residual(body, exact, residual, measures);
    if (values) qn_body_tangent(body, exact, values);
    qn_release(&memory);
    return QN_OK;
}
