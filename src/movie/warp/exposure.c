#include "movie/warp/exposure.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/symmetric.h"

enum { BASIS_MAX = 14 }; /* directions that are found before the best ranks among them are chosen */
_Static_assert((int)BASIS_MAX <= (int)QN_SYMMETRIC_MAX && (int)QN_EXPOSURE_RANK_MAX < (int)BASIS_MAX, "a small matrix");

static const double ERROR_MAX = 2e-5;

double qn_exposure_voltage_factor(double voltage_kv, bool *known)
{
    static const double voltages[] = {100, 200, 300}, factors[] = {0.64, 0.8, 1};
    if (known) *known = false;
    for (int i = 0; i < 3 && known; i++) *known = *known || fabs(voltage_kv - voltages[i]) <= 1;
    if (voltage_kv <= voltages[0]) return factors[0];
    if (voltage_kv >= voltages[2]) return factors[2];
    const int low = voltage_kv < voltages[1] ? 0 : 1;
    return factors[low] + (factors[low + 1] - factors[low]) * (voltage_kv - voltages[low]) / 100;
}

double qn_exposure_critical(double frequency, double voltage_kv)
{
    if (frequency <= 0) return INFINITY;
    return (0.245 * pow(frequency, -1.665) + 2.81) * qn_exposure_voltage_factor(voltage_kv, NULL);
}

void qn_exposure_weights(const qn_exposure *exposure, double frequency, double *weights)
{
    const double critical = qn_exposure_critical(frequency, exposure->voltage_kv);
    double sum = 0;
    for (int t = 0; t < exposure->frame_count; t++) {
        /* relative to the first frame: a common factor cancels, and must not underflow after a large exposure */
        weights[t] = exp(-(exposure->dose[t] - exposure->dose[0]) / (2 * critical));
        sum += weights[t] * weights[t];
    }
    for (int t = 0; t < exposure->frame_count; t++) weights[t] /= sqrt(sum);
}

static qn_status check(const qn_exposure *exposure, double most)
{
    if (exposure->frame_count < 1)
        return QN_FAIL(QN_INVALID_ARGUMENT, "exposure of %d frames; expected at least 1", exposure->frame_count);
    if (!(exposure->voltage_kv > 0) || !(most > 0) || isinf(most))
        return QN_FAIL(QN_INVALID_ARGUMENT, "exposure at %g kV up to %g 1/Å; expected positive numbers",
                       exposure->voltage_kv, most);
    double before = 0;
    for (int t = 0; t < exposure->frame_count; t++) {
        if (!(exposure->dose[t] >= before) || isinf(exposure->dose[t]))
            return QN_FAIL(QN_INVALID_ARGUMENT, "exposure after frame %d is %g e/Å²; expected at least %g", t + 1,
                           exposure->dose[t], before);
        before = exposure->dose[t];
    }
    return QN_OK;
}

static double dot(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

/* Work on a table [frame][bin]. */
typedef struct table {
    int frames, directions;
    double *rest;     /* [frame][bin] weights less their components along the directions */
    double *basis;    /* [directions][bin] orthonormal directions */
    double *parts;    /* [frame][BASIS_MAX] components */
    double *column;   /* [frame] weights of one bin */
    double *original; /* [frame][bin] */
} table;

static void fill(const qn_exposure *exposure, double step, table *work)
{
    for (int bin = 0; bin < QN_EXPOSURE_BINS; bin++) {
        qn_exposure_weights(exposure, bin * step, work->column);
        for (int t = 0; t < work->frames; t++)
            work->original[(size_t)t * QN_EXPOSURE_BINS + (size_t)bin] =
                work->rest[(size_t)t * QN_EXPOSURE_BINS + (size_t)bin] = work->column[t];
    }
}

/* Gram-Schmidt with pivots: the direction of the frame that has the largest rest is next. */
static void find_basis(table *work)
{
    const int most = work->frames < BASIS_MAX ? work->frames : BASIS_MAX;
    for (work->directions = 0; work->directions < most; work->directions++) {
        double largest = 0;
        int pivot = 0;
        for (int t = 0; t < work->frames; t++) {
            const double *rest = work->rest + (size_t)t * QN_EXPOSURE_BINS;
            const double square = dot(rest, rest, QN_EXPOSURE_BINS);
            if (square > largest) largest = square, pivot = t;
        }
        if (largest < 1e-20) return; /* what is left is far below the error that is wanted */
        double *direction = work->basis + (size_t)work->directions * QN_EXPOSURE_BINS;
        for (int i = 0; i < QN_EXPOSURE_BINS; i++)
            direction[i] = work->rest[(size_t)pivot * QN_EXPOSURE_BINS + (size_t)i] / sqrt(largest);
        for (int t = 0; t < work->frames; t++) {
            double *rest = work->rest + (size_t)t * QN_EXPOSURE_BINS;
            const double part = dot(rest, direction, QN_EXPOSURE_BINS);
            work->parts[(size_t)t * BASIS_MAX + (size_t)work->directions] = part;
            for (int i = 0; i < QN_EXPOSURE_BINS; i++) rest[i] -= part * direction[i];
        }
    }
}

/* Singular vectors of parts · basis, the largest singular value first: ranks->frame gets [frame][directions],
 * ranks->frequency [directions][bin]. */
static void find_ranks(const table *work, qn_exposure_ranks *ranks)
{
    const int n = work->directions;
    double gram[BASIS_MAX * BASIS_MAX] = {0}, values[BASIS_MAX], vectors[BASIS_MAX * BASIS_MAX];
    for (int t = 0; t < work->frames; t++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                gram[i * n + j] +=
                    work->parts[(size_t)t * BASIS_MAX + (size_t)i] * work->parts[(size_t)t * BASIS_MAX + (size_t)j];
    qn_symmetric_eigen(gram, n, values, vectors);
    for (int r = 0; r < n; r++) {
        const double *vector = vectors + (n - 1 - r) * n;
        double *frequency = ranks->frequency + (size_t)r * QN_EXPOSURE_BINS;
        double square = 0;
        for (int t = 0; t < work->frames; t++) {
            const double value = dot(work->parts + (size_t)t * BASIS_MAX, vector, n);
            ranks->frame[(size_t)t * (size_t)n + (size_t)r] = value;
            square += value * value;
        }
        const double length = sqrt(square);
        for (int t = 0; t < work->frames; t++) ranks->frame[(size_t)t * (size_t)n + (size_t)r] /= length;
        for (int i = 0; i < n; i++)
            for (int bin = 0; bin < QN_EXPOSURE_BINS; bin++)
                frequency[bin] += length * vector[i] * work->basis[(size_t)i * QN_EXPOSURE_BINS + (size_t)bin];
    }
}

static double error_of(const table *work, const qn_exposure_ranks *ranks, int count)
{
    double worst = 0;
    for (int t = 0; t < work->frames; t++)
        for (int bin = 0; bin < QN_EXPOSURE_BINS; bin++) {
            double sum = work->original[(size_t)t * QN_EXPOSURE_BINS + (size_t)bin];
            for (int r = 0; r < count; r++)
                sum -= ranks->frame[(size_t)t * (size_t)work->directions + (size_t)r] *
                       ranks->frequency[(size_t)r * QN_EXPOSURE_BINS + (size_t)bin];
            worst = fmax(worst, fabs(sum));
        }
    return worst;
}

/* Keep as few ranks as the error allows. */
static void choose_count(const table *work, qn_exposure_ranks *ranks)
{
    const int most = work->directions < QN_EXPOSURE_RANK_MAX ? work->directions : QN_EXPOSURE_RANK_MAX;
    for (ranks->count = 1;; ranks->count++) {
        ranks->error = error_of(work, ranks, ranks->count);
        if (ranks->error <= ERROR_MAX || ranks->count == most) break;
    }
    for (int t = 0; t < work->frames; t++)
        memmove(ranks->frame + (size_t)t * (size_t)ranks->count, ranks->frame + (size_t)t * (size_t)work->directions,
                (size_t)ranks->count * sizeof(double));
}

qn_status qn_exposure_factorise(const qn_exposure *exposure, double most, qn_exposure_ranks *ranks)
{
    const size_t frames = (size_t)exposure->frame_count, bins = QN_EXPOSURE_BINS;
    void *memory = NULL, *frame = NULL, *frequency = NULL;
    memset(ranks, 0, sizeof *ranks);
    QN_TRY(check(exposure, most));
    qn_status status = qn_allocate(2 * frames * bins + BASIS_MAX * (bins + frames) + frames, sizeof(double), &memory);
    if (status == QN_OK) status = qn_allocate(frames * BASIS_MAX, sizeof(double), &frame);
    if (status == QN_OK) status = qn_allocate(BASIS_MAX * bins, sizeof(double), &frequency);
    ranks->frame = frame, ranks->frequency = frequency;
    if (status == QN_OK) {
        table work = {.frames = exposure->frame_count, .original = memory};
        work.rest = work.original + frames * bins;
        work.basis = work.rest + frames * bins;
        work.parts = work.basis + BASIS_MAX * bins;
        work.column = work.parts + BASIS_MAX * frames;
        ranks->frame_count = exposure->frame_count;
        ranks->step = most / (QN_EXPOSURE_BINS - 1);
        fill(exposure, ranks->step, &work);
        find_basis(&work);
        find_ranks(&work, ranks);
        choose_count(&work, ranks);
    } else
        qn_exposure_ranks_release(ranks);
    qn_release(&memory);
    return status;
}

void qn_exposure_ranks_release(qn_exposure_ranks *ranks)
{
    qn_release(&ranks->frame);
    qn_release(&ranks->frequency);
    memset(ranks, 0, sizeof *ranks);
}
