#include "tune/searcher_table.h"

#include "tune/searcher.h"

const qn_searcher_table qn_searcher_settings = {
    /* Kernel Tuner's greedy_ils. */
    .climb = {.walk = 0.3, .rounds_without_gain = 50},
    /* KTT's McmcSearcher. */
    .mcmc = {.boot = 10, .differences = 2, .escape = 0.02},
    /* Kernel Tuner's simulated_annealing; its temperatures are relative to objectives of about 1. */
    .anneal = {.start = 0.1, .end = 0.0001, .cooling = 0.9975},
};

extern const qn_searcher_class qn_searcher_full, qn_searcher_random, qn_searcher_climb, qn_searcher_mcmc,
    qn_searcher_anneal, qn_searcher_profile;

const qn_searcher_class *const qn_searcher_classes[] = {&qn_searcher_full,
                                                        &qn_searcher_random,
                                                        &qn_searcher_climb,
                                                        &qn_searcher_mcmc,
                                                        &qn_searcher_anneal,
                                                        &qn_searcher_profile,
                                                        NULL};

/* The same words again: pointers into the classes are not constants of the language. The tests hold them together. */
static const char *const names[] = {"full", "random", "climb", "mcmc", "anneal", "profile"};
static const char *const meanings[] = {
    "every point, in order",
    "points drawn evenly, none twice",
    "greedy hill climbing, perturbed and restarted",
    "Markov chain that seldom accepts a worse point (as KTT)",
    "simulated annealing",
    "follows the bottlenecks that counters or a static model show, by predicted counts"};

size_t qn_tune_searchers(const char *const **out_names, const char *const **out_meanings)
{
    *out_names = names;
    *out_meanings = meanings;
    return sizeof(names) / sizeof(names[0]);
}
