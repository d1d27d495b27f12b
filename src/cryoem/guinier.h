/* The Guinier plot of a map: the logarithm of the amplitudes of its transform against the square of the spatial
 * frequency, and the B factor of their fall (Rosenthal and Henderson 2003, doi 10.1016/j.jmb.2003.07.013).
 *
 * Thread rule: one thread, which uses the context's pool.
 */
#ifndef QN_CRYOEM_GUINIER_H
#define QN_CRYOEM_GUINIER_H

#include <quern/resolution.h>

typedef struct qn_guinier {
    size_t count;         /* shells 1 … N/2 */
    double *square;       /* 1/d², 1/Å² */
    double *amplitude;    /* ln F, F the root mean square amplitude of the shell; NaN where F is 0 */
    double *weighted;     /* ln (C F), C = √(2 FSC / (1 + FSC)); NaN where FSC ≤ 0; NULL: no FSC */
    size_t fit_from, fit; /* index of the first shell of the fit, and their number; 0: too few shells for a fit */
    double intercept, b_square_angstrom; /* ln (C F) = intercept − B / 4 · 1/d² in these shells */
} qn_guinier;

/* Compute the plot of a map, multiplied by `mask` if that is not NULL; `fsc` may be NULL. The fit goes from 10 Å to the
 * resolution of the FSC, if at least 5 shells lie there. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_guinier_compute(qn_context *context, const qn_volume *map, const qn_volume *mask,
                                           const qn_fsc *fsc, qn_guinier **guinier);
void qn_guinier_destroy(qn_guinier **guinier);

#endif
