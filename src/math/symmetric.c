#include "math/symmetric.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { SWEEPS_MAX = 50 }; /* an iteration converges in about six */

/* Rows of `size` numbers follow each other. */
typedef struct iteration {
    int size;
    double matrix[QN_SYMMETRIC_MAX * QN_SYMMETRIC_MAX];
    double vectors[QN_SYMMETRIC_MAX * QN_SYMMETRIC_MAX]; /* one eigenvector in each row */
} iteration;

/* Zero matrix[p][q] by a plane rotation. */
static void rotate(iteration *work, int p, int q)
{
    const int size = work->size;
    double *rp = work->matrix + p * size, *rq = work->matrix + q * size;
    double *vp = work->vectors + p * size, *vq = work->vectors + q * size;
    double theta = (rq[q] - rp[p]) / (2 * rp[q]);
    double tangent = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    double cosine = 1 / sqrt(tangent * tangent + 1), sine = tangent * cosine;
    for (double *row = work->matrix; row < work->matrix + size * size; row += size) {
        double kp = row[p], kq = row[q];
        row[p] = cosine * kp - sine * kq;
        row[q] = sine * kp + cosine * kq;
    }
    for (int k = 0; k < size; k++) {
        double pk = rp[k], qk = rq[k], p_old = vp[k], q_old = vq[k];
        rp[k] = cosine * pk - sine * qk;
        rq[k] = sine * pk + cosine * qk;
        vp[k] = cosine * p_old - sine * q_old;
        vq[k] = sine * p_old + cosine * q_old;
    }
}

static bool sweep(iteration *work)
{
    const double *n = work->matrix;
    const int size = work->size;
    bool done = true;
    for (int p = 0; p < size - 1; p++)
        for (int q = p + 1; q < size; q++)
            if (fabs(n[p * size + q]) > 1e-17 * (fabs(n[p * size + p]) + fabs(n[q * size + q]))) {
                rotate(work, p, q);
                done = false;
            }
    return done;
}

void qn_symmetric_eigen(const double *matrix, int size, double *values, double *vectors)
{
    iteration work;
    int order[QN_SYMMETRIC_MAX];
    work.size = size;
    memcpy(work.matrix, matrix, (size_t)(size * size) * sizeof(double));
    for (int i = 0; i < size * size; i++) work.vectors[i] = i % (size + 1) == 0;
    for (int k = 0; k < SWEEPS_MAX && !sweep(&work); k++) continue;
    for (int k = 0; k < size; k++) values[k] = work.matrix[k * (size + 1)];
    for (int k = 0; k < size; k++) {
        int place = k;
        for (; place > 0 && values[order[place - 1]] > values[k]; place--) order[place] = order[place - 1];
        order[place] = k;
    }
    for (int k = 0; k < size; k++) {
        const double *vector = work.vectors + order[k] * size;
        double norm = 0;
        for (int i = 0; i < size; i++) norm += vector[i] * vector[i];
        for (int i = 0; i < size; i++) vectors[k * size + i] = vector[i] / sqrt(norm);
        values[k] = work.matrix[order[k] * (size + 1)];
    }
}
