/* Every searcher's hyper-parameters, in one table; searcher_table.c says where each comes from. */
#ifndef QN_TUNE_SEARCHER_TABLE_H
#define QN_TUNE_SEARCHER_TABLE_H

#include "tune/searcher/forest.h"

typedef struct qn_surrogate_settings {
    qn_forest_options forest;
    size_t first;         /* random tests before the first model */
    double explore;       /* share of later tests that are random: no belief is safe from being refuted */
    double local;         /* share of later tests among the neighbours of the best alone */
    double doubt;         /* least doubt of a prediction, of the standard deviation of all data */
    size_t whole;         /* in spaces of up to so many points all are candidates */
    size_t pool;          /* in larger ones so many are */
    size_t fresh;         /* of them replaced by random points in a step */
    size_t expand;        /* best points whose neighbours are candidates, at most QN_SURROGATE_EXPAND */
    size_t climbs;        /* times that the neighbours of the best candidate are added in a step */
    size_t rebuild_tests; /* up to so many tests all trees are regrown in a step, later a share that keeps the cost */
    size_t predictions;   /* about so many candidates are predicted anew in a step by then */
} qn_surrogate_settings;

enum { QN_SURROGATE_EXPAND = 8 };

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
    struct {
        double visiting;   /* q_v of generalised annealing */
        double acceptance; /* q_a */
        double restart;    /* share of the start's temperature at which it starts again */
    } dual;
    struct {
        size_t population;
        double mutation; /* probability that a child's parameter is drawn anew is this over the parameter count */
        int tournament;
    } genetic;
    struct {
        size_t population;
        double weight, crossover;
    } evolution;
    struct {
        size_t particles;
        double inertia, own, social;
    } swarm;
    struct {
        double temperature; /* relative to the objective */
        int hop;            /* parameters that a hop changes */
    } basin;
    qn_surrogate_settings bayes, automatic;
    struct {
        double explore; /* upper confidence bound's weight */
        double forget;  /* factor a test on what was gained before */
    } portfolio;
} qn_searcher_table;

extern const qn_searcher_table qn_searcher_settings;

#endif
