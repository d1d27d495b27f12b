/* Every searcher's hyper-parameters, in one table. None was fitted to a space: each is the published or the usual
 * value, its source beside it. */
#ifndef QN_TUNE_SEARCHER_TABLE_H
#define QN_TUNE_SEARCHER_TABLE_H

#include <stddef.h>

typedef struct qn_searcher_table {
    struct {
        double walk;             /* share of the parameters that a perturbation changes */
        int rounds_without_gain; /* then a new random start */
    } climb;
    struct {
        int boot;        /* random tests before walking from the best of them */
        int differences; /* most parameters that a step changes */
        double escape;   /* probability of accepting a worse point */
    } mcmc;
    struct {
        double start, end; /* temperatures, relative to the objective */
        double cooling;    /* factor a step where the budget is not known */
    } anneal;
} qn_searcher_table;

extern const qn_searcher_table qn_searcher_settings;

#endif
