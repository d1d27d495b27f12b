/* The gain that is still expected of more tuning steps, to decide when to stop. docs/design/tuning.md has the
 * equations. */
#ifndef QN_TUNE_STOP_H
#define QN_TUNE_STOP_H

#include <quern/status.h>
#include <stdbool.h>
#include <stdint.h>

/* Steps after which a random search has found, with probability `probability`, one of the well-performing
 * configurations, which are a share `well_share` of all: ceil(ln(1 - P) / ln(1 - w)) (Olha et al. 2020). 0 when the
 * share is 0. */
uint64_t qn_stop_steps(double well_share, double probability);

enum { QN_STOP_IMPROVEMENTS = 64, QN_STOP_SAMPLES = 64 };

/* The best objective so far against the number of steps, and a sample of all objectives. */
typedef struct qn_stop_curve {
    uint64_t steps;
    int improvements; /* at most QN_STOP_IMPROVEMENTS; the oldest are dropped */
    uint64_t step[QN_STOP_IMPROVEMENTS];
    double best[QN_STOP_IMPROVEMENTS];
    double sample[QN_STOP_SAMPLES]; /* of correct objectives, the latest */
    uint64_t correct;
} qn_stop_curve;

/* Add a step that ended with this objective; infinite: it failed. */
void qn_stop_add(qn_stop_curve *curve, double objective);

/* Fit best(n) = b n^-a + c to the curve. False while there are fewer than 5 steps or no correct one. */
bool qn_stop_fit(const qn_stop_curve *curve, double *a, double *b, double *c);

/* The share by which `more` further steps are expected to lower the best objective, 0 ... 1. `well_share`: from
 * history; 0: not known. The result is the weighted mean of the estimates from the curve and from history; their
 * weights are the number of steps, and 20. 1 while nothing is known. */
double qn_stop_gain(const qn_stop_curve *curve, double well_share, uint64_t more);

#endif
