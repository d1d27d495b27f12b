#include "potential/maps/electrostatics_fit.h"

#include <math.h>

enum { STENCIL = 6, FIT_MAX = 16 };

static const double pi = 3.14159265358979323846;
static const double far = 12, near = 5; /* Å */

typedef struct fit_input {
    const double *screening;
    size_t entries;
    const float *inner;
} fit_input;

typedef double fitted(const fit_input *fit, double x);

/* The smooth function through the table's entries: entry n holds the value at n/100 Å. */
static double through_entries(const fit_input *fit, double r)
{
    const double place = 100 * r, last = (double)(fit->entries - 1);
    if (place >= last) return fit->screening[fit->entries - 1];
    size_t first = (size_t)place - STENCIL / 2 + 1;
    if (first + STENCIL > fit->entries) first = fit->entries - STENCIL;
    double sum = 0;
    for (size_t i = 0; i < STENCIL; i++) {
        double weight = 1;
        for (size_t j = 0; j < STENCIL; j++)
            if (j != i) weight *= (place - (double)(first + j)) / ((double)i - (double)j);
        sum += weight * fit->screening[first + i];
    }
    return sum;
}

/* Mean of E · r over the step of the table around r. */
static double mean_screening(const fit_input *fit, double r)
{
    return through_entries(fit, r - 0.005);
}

static double polynomial(const float *terms, int count, double x)
{
    double sum = 0;
    for (int k = count - 1; k >= 0; k--) sum = sum * x + (double)terms[k];
    return sum;
}

/* Interpolate `function` at the Chebyshev nodes of [low, high] and write the first `kept` of `count` coefficients. */
static void interpolate(const fit_input *fit, fitted *function, double low, double high, int count, int kept,
                        float *terms)
{
    double x[FIT_MAX], divided[FIT_MAX], sum[FIT_MAX] = {0};
    for (int i = 0; i < count; i++) {
        x[i] = 0.5 * (low + high) + 0.5 * (high - low) * cos(pi * (2 * i + 1) / (2 * count));
        divided[i] = function(fit, x[i]);
    }
    for (int order = 1; order < count; order++)
        for (int i = count - 1; i >= order; i--) divided[i] = (divided[i] - divided[i - 1]) / (x[i] - x[i - order]);
    /* Horner's rule on Newton's form: sum ← sum · (x − x_i) + divided_i */
    for (int i = count - 1; i >= 0; i--) {
        for (int k = count - 1; k > 0; k--) sum[k] = sum[k - 1] - x[i] * sum[k];
        sum[0] = divided[i] - x[i] * sum[0];
    }
    for (int k = 0; k < kept; k++) terms[k] = (float)sum[k];
}

/* E as a function of u = r² − far². */
static double inner_energy(const fit_input *fit, double u)
{
    const double r = sqrt(u + far * far);
    return mean_screening(fit, r) / r;
}

/* E · r / far as a function of v = 2 far / r − 1. */
static double outer_energy(const fit_input *fit, double v)
{
    return mean_screening(fit, 2 * far / (v + 1)) / far;
}

/* (E − S) / x as a function of x = far − r. */
static double mean_difference(const fit_input *fit, double x)
{
    const double r = far - x, smooth = polynomial(fit->inner, ELECTROSTATICS_INNER_TERMS, r * r - far * far);
    return (mean_screening(fit, r) / r - smooth) / x;
}

/* (E at the beginning of a step − E at its end) / x */
static double rise(const fit_input *fit, double x)
{
    const double r = far - x;
    return (mean_screening(fit, r - 0.005) - mean_screening(fit, r + 0.005)) / (r * x);
}

void qn_electrostatics_fit(const double *screening, size_t entries, electrostatics_model *model,
                           float table[ELECTROSTATICS_ENTRIES])
{
    const fit_input fit = {screening, entries, model->inner};
    /* The first coefficients of a longer polynomial around u = 0 are those of Taylor's series. */
    interpolate(&fit, inner_energy, -30, 30, 13, ELECTROSTATICS_INNER_TERMS, model->inner);
    interpolate(&fit, outer_energy, -1 + 1e-3, 1, ELECTROSTATICS_OUTER_TERMS, ELECTROSTATICS_OUTER_TERMS, model->outer);
    interpolate(&fit, mean_difference, 0, far - near, ELECTROSTATICS_MEAN_TERMS, ELECTROSTATICS_MEAN_TERMS,
                model->mean);
    /* Steps end where x is 0, so that D has no step there; the nodes begin where they are as high as they should. */
    interpolate(&fit, rise, 1, far - near, ELECTROSTATICS_RISE_TERMS, ELECTROSTATICS_RISE_TERMS, model->rise);
    for (size_t i = 0; i < ELECTROSTATICS_ENTRIES; i++) table[i] = (float)(1e3 * screening[i]);
}

void qn_electrostatics_weights(double t, float weights[ELECTROSTATICS_ORDER])
{
    for (int i = 0; i < ELECTROSTATICS_ORDER; i++) {
        double weight = 1;
        for (int j = 0; j < ELECTROSTATICS_ORDER; j++)
            if (j != i) weight *= (3 + t - j) / (i - j);
        weights[i] = (float)weight;
    }
}
