/* Every searcher's hyper-parameters, in one table; table.c gives the source of each. */
#ifndef QN_TUNE_SEARCHER_TABLE_H
#define QN_TUNE_SEARCHER_TABLE_H

#include "tune/searcher/forest.h"

typedef struct qn_surrogate_settings {
    qn_forest_options forest;
    size_t first;         /* random tests before the first model */
    double explore;       /* share of later tests that are random, which corrects errors of the model */
    double local;         /* share of later tests that are neighbours of the best point */
    double doubt;         /* least uncertainty of a prediction, in standard deviations of all data */
    size_t whole;         /* in a space of up to this many points all are candidates */
    size_t pool;          /* number of candidates in a larger space */
    size_t fresh;         /* candidates that random points replace per step */
    size_t expand;        /* best points whose neighbours are candidates, at most QN_SURROGATE_EXPAND */
    size_t climbs;        /* times that the neighbours of the best candidate are added per step */
    size_t rebuild_tests; /* all trees are regrown per step up to this many tests, then fewer at equal cost */
    size_t predictions;   /* then about this many predictions are made per step */
} qn_surrogate_settings;

enum { QN_SURROGATE_EXPAND = 8 };

typedef struct qn_searcher_table {
    struct {
        double walk;             /* share of the parameters that a perturbation changes */
        int rounds_without_gain; /* rounds until a restart at a random point */
    } climb;
    struct {
        int boot;        /* random tests; the walk starts at the best of them */
        int differences; /* largest number of parameters that a step changes */
        double escape;   /* probability of accepting a worse point */
    } mcmc;
    struct {
        double start, end; /* temperatures, relative to the objective */
        double cooling;    /* factor per step if the budget is not known */
    } anneal;
    struct {
        double visiting;   /* q_v of generalised annealing */
        double acceptance; /* q_a */
        double restart;    /* share of the initial temperature at which the search restarts */
    } dual;
    struct {
        size_t population;
        double mutation; /* probability that a parameter mutates, times the number of parameters */
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
        double explore; /* weight of the upper confidence bound */
        double forget;  /* factor per test on earlier gains */
    } portfolio;
} qn_searcher_table;

extern const qn_searcher_table qn_searcher_settings;

#endif
