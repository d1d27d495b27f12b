#include "math/symmetric.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { SWEEPS_MAX = 50 }; /* an iteration converges in about six */

typedef struct iteration {
    int size;
    double matrix[QN_SYMMETRIC_MAX][QN_SYMMETRIC_MAX];
    double vectors[QN_SYMMETRIC_MAX][QN_SYMMETRIC_MAX]; /* one eigenvector in each row */
} iteration;

/* Zero matrix[p][q] by a plane rotation. */
static void rotate(iteration *work, int p, int q)
{
    double(*n)[QN_SYMMETRIC_MAX] = work->matrix, *vp = work->vectors[p], *vq = work->vectors[q];
    double theta = (n[q][q] - n[p][p]) / (2 * n[p][q]);
    double tangent = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    double cosine = 1 / sqrt(tangent * tangent + 1), sine = tangent * cosine;
    for (int k = 0; k < work->size; k++) {
        double kp = n[k][p], kq = n[k][q];
        n[k][p] = cosine * kp - sine * kq;
        n[k][q] = sine * kp + cosine * kq;
    }
    for (int k = 0; k < work->size; k++) {
        double pk = n[p][k], qk = n[q][k], p_old = vp[k], q_old = vq[k];
        n[p][k] = cosine * pk - sine * qk;
        n[q][k] = sine * pk + cosine * qk;
        vp[k] = cosine * p_old - sine * q_old;
        vq[k] = sine * p_old + cosine * q_old;
    }
}

static bool sweep(iteration *work)
{
    bool done = true;
    for (int p = 0; p < work->size - 1; p++)
        for (int q = p + 1; q < work->size; q++)
            if (fabs(work->matrix[p][q]) > 1e-17 * (fabs(work->matrix[p][p]) + fabs(work->matrix[q][q]))) {
                rotate(work, p, q);
                done = false;
            }
    return done;
}

void qn_symmetric_eigen(const double *matrix, int size, double *values, double *vectors)
{
    iteration work = {.size = size};
    int order[QN_SYMMETRIC_MAX];
    for (int i = 0; i < size; i++) {
        memcpy(work.matrix[i], matrix + i * size, (size_t)size * sizeof(double));
        work.vectors[i][i] = 1;
    }
    for (int k = 0; k < SWEEPS_MAX && !sweep(&work); k++) continue;
    for (int k = 0; k < size; k++) {
        int place = k;
        for (; place > 0 && work.matrix[order[place - 1]][order[place - 1]] > work.matrix[k][k]; place--)
            order[place] = order[place - 1];
        order[place] = k;
    }
    for (int k = 0; k < size; k++) {
        const double *vector = work.vectors[order[k]];
        double norm = 0;
        for (int i = 0; i < size; i++) norm += vector[i] * vector[i];
        for (int i = 0; i < size; i++) vectors[k * size + i] = vector[i] / sqrt(norm);
        values[k] = work.matrix[order[k]][order[k]];
    }
}
