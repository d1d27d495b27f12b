/* Measures of how early known actives come in a ranking: ROC area, enrichment factors, BEDROC; and the list of actives.
 *
 * Lower scores are better. An active and an inactive molecule with equal scores count as half a correct pair, and
 * molecules with equal scores share their places evenly.
 */
#ifndef QN_SCREEN_ENRICHMENT_H
#define QN_SCREEN_ENRICHMENT_H

#include "model/compound.h"

enum { QN_ENRICHMENT_FACTORS = 3 };
extern const double qn_enrichment_shares[QN_ENRICHMENT_FACTORS]; /* 0.01, 0.05, 0.1 */
#define QN_ENRICHMENT_BEDROC_ALPHA 20.0

typedef struct qn_enrichment {
    size_t count, actives;
    double auc;               /* area under the ROC curve; 0.5 is chance */
    double auc_low, auc_high; /* 95 % interval (DeLong, DeLong, Clarke-Pearson 1988); NaN: one active or one inactive */
    double factor[QN_ENRICHMENT_FACTORS]; /* actives among the best ⌈share · count⌉, divided by the expected number */
    double most[QN_ENRICHMENT_FACTORS]; /* factor when all actives come first */
    double bedroc; /* Truchon and Bayly 2007, equation 36, α = 20: 1 when all actives come first */
} qn_enrichment;

/* Compute all measures. QN_INVALID_ARGUMENT: no active or no inactive, a score that is not a number. */
QN_MUST_CHECK qn_status qn_enrichment_measure(const double *scores, const bool *active, size_t count,
                                              qn_enrichment *enrichment);

/* A point of the curves: (0, 0, 0), then one point after each group of equal scores. */
typedef struct qn_enrichment_point {
    double all, actives, inactives; /* shares of molecules with this score or a better one */
} qn_enrichment_point;

/* Compute the points of the curves. *points is released with qn_release. Errors: those of qn_enrichment_measure. */
QN_MUST_CHECK qn_status qn_enrichment_curve(const double *scores, const bool *active, size_t count,
                                            qn_enrichment_point **points, size_t *point_count);

/* The known actives. Thread rule: any threads may read labels that no thread changes. */
typedef struct qn_screen_labels qn_screen_labels;

/* Read the known actives. `source`: a file of names, one per line (blank lines and lines that begin with # are
 * ignored); or, if there is no such file, "item=value": the value of an SDF data item. Errors: QN_NOT_FOUND,
 * QN_IO_ERROR, QN_BAD_FORMAT (a file without a name). */
QN_MUST_CHECK qn_status qn_screen_labels_read(const char *source, qn_screen_labels **labels);

/* Make labels of names in memory. QN_INVALID_ARGUMENT: a name is NULL or "". */
QN_MUST_CHECK qn_status qn_screen_labels_of_names(const char *const *names, size_t count, qn_screen_labels **labels);
void qn_screen_labels_destroy(qn_screen_labels **labels);

bool qn_screen_labels_is_active(const qn_screen_labels *labels, const qn_compound *compound);

/* Whether the list of names has this name; false if labels are values of a data item. */
bool qn_screen_labels_has_name(const qn_screen_labels *labels, const char *name);

/* Number of different names; 0 if labels are values of a data item. */
size_t qn_screen_labels_name_count(const qn_screen_labels *labels);

#endif
