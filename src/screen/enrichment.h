/* How well a screen finds known actives: ROC area, enrichment factors, BEDROC, and the labels that these need.
 *
 * Lower scores are better. Ties are no order: an active and an inactive of equal score count half a success, and the
 * places that equals share are shared evenly by them.
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
    double auc_low, auc_high; /* 95 % interval (DeLong, DeLong, Clarke-Pearson 1988); NaN with one of a kind */
    double factor[QN_ENRICHMENT_FACTORS]; /* actives among the best ⌈share · count⌉, over what chance would put there */
    double most[QN_ENRICHMENT_FACTORS]; /* the factor when all actives come first */
    double bedroc; /* Truchon and Bayly 2007, equation 36, α = 20: 1 when all actives come first */
} qn_enrichment;

/* QN_INVALID_ARGUMENT: no active or no inactive, a score that is not a number. */
QN_MUST_CHECK qn_status qn_enrichment_measure(const double *scores, const bool *active, size_t count,
                                              qn_enrichment *enrichment);

/* Where the curves go through: after each group of equal scores, and (0, 0, 0) before the first. */
typedef struct qn_enrichment_point {
    double all, actives, inactives; /* shares of each kind with this score or a better one */
} qn_enrichment_point;

/* *points is released with qn_release. Errors as above. */
QN_MUST_CHECK qn_status qn_enrichment_curve(const double *scores, const bool *active, size_t count,
                                            qn_enrichment_point **points, size_t *point_count);

/* Which molecules are active. Thread rule: one that no thread changes may be read by all. */
typedef struct qn_screen_labels qn_screen_labels;

/* `source`: a file of names, one a line (blank lines and lines that begin with # do not count); or,
 * where there is no such file, "item=value": the value of an SDF data item. Errors: QN_NOT_FOUND, QN_IO_ERROR,
 * QN_BAD_FORMAT (a file without a name). */
QN_MUST_CHECK qn_status qn_screen_labels_read(const char *source, qn_screen_labels **labels);
void qn_screen_labels_destroy(qn_screen_labels **labels);

bool qn_screen_labels_is_active(const qn_screen_labels *labels, const qn_compound *compound);

/* By name alone; false when labels are values of a data item. */
bool qn_screen_labels_has_name(const qn_screen_labels *labels, const char *name);

/* How many different names the file has; 0 when labels are values of a data item. */
size_t qn_screen_labels_name_count(const qn_screen_labels *labels);

#endif
