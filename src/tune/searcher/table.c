#include "tune/searcher/table.h"

#include "tune/searcher/searcher.h"

const qn_searcher_table qn_searcher_settings = {
    /* Kernel Tuner's greedy_ils. */
    .climb = {.walk = 0.3, .rounds_without_gain = 50},
    /* KTT's McmcSearcher. */
    .mcmc = {.boot = 10, .differences = 2, .escape = 0.02},
    /* Kernel Tuner's simulated_annealing; its temperatures are relative to objectives of about 1. */
    .anneal = {.start = 0.1, .end = 0.0001, .cooling = 0.9975},
    /* Xiang, Sun, Fan, Gong 1997, as in SciPy's dual_annealing. */
    .dual = {.visiting = 2.62, .acceptance = -5, .restart = 2e-5},
    /* Population as Kernel Tuner's genetic_algorithm, rounded down to suit small budgets; one mutation per child is the
     * usual rate (Mühlenbein 1992). */
    .genetic = {.population = 20, .mutation = 1, .tournament = 2},
    /* best/1/bin: Storn and Price 1997; weight and crossover as Kernel Tuner's diff_evo. */
    .evolution = {.population = 16, .weight = 0.7, .crossover = 0.6},
    /* Clerc and Kennedy 2002, constriction. */
    .swarm = {.particles = 16, .inertia = 0.7298, .own = 1.49618, .social = 1.49618},
    /* Wales and Doye 1997; acceptance on relative differences. */
    .basin = {.temperature = 0.1, .hop = 3},
    /* Trees: Breiman 2001 and SMAC's (Hutter et al. 2011), grown to leaves of one point. trees, whole, pool, fresh,
     * climbs, rebuild_tests and predictions bound the cost of a step. All numbers are first guesses; none was
     * optimised. On four or five of the seven recorded spaces of docs/performance.md, with a few runs each, these were
     * compared: the target (rank, its logarithm, its root, log(objective), best / objective), explore 0.03, 0.05 and
     * 0.1, no local steps, doubt 0.1 and 0.3, expected improvement and a drawn confidence bound; offline also the kind
     * of model (extremely random trees, forest, boosting, Gaussian process). Only the target and the model made a
     * difference above the noise. */
    .bayes = {.forest = {.trees = 30, .parameters = 0.5, .smallest_node = 2},
              .first = 10,
              .explore = 0.05,
              .doubt = 0.1,
              .whole = 20000,
              .pool = 2000,
              .fresh = 100,
              .expand = 5,
              .climbs = 3,
              .rebuild_tests = 60,
              .predictions = 20000},
    .automatic = {.forest = {.trees = 30, .parameters = 0.5, .smallest_node = 2},
                  .first = 15,
                  .explore = 0.1,
                  .local = 0.2,
                  .doubt = 0.1,
                  .whole = 20000,
                  .pool = 2000,
                  .fresh = 100,
                  .expand = 5,
                  .climbs = 3,
                  .rebuild_tests = 60,
                  .predictions = 20000},
    /* Discounted upper confidence bound: Garivier and Moulines 2011. */
    .portfolio = {.explore = 0.3, .forget = 0.98},
};

extern const qn_searcher_class qn_searcher_auto, qn_searcher_full, qn_searcher_random, qn_searcher_climb,
    qn_searcher_mcmc, qn_searcher_anneal, qn_searcher_dual, qn_searcher_basin, qn_searcher_genetic,
    qn_searcher_evolution, qn_searcher_swarm, qn_searcher_bayes, qn_searcher_portfolio;

const qn_searcher_class *const qn_searcher_classes[] = {
    &qn_searcher_auto,   &qn_searcher_full,  &qn_searcher_random,    &qn_searcher_climb,   &qn_searcher_mcmc,
    &qn_searcher_anneal, &qn_searcher_dual,  &qn_searcher_basin,     &qn_searcher_genetic, &qn_searcher_evolution,
    &qn_searcher_swarm,  &qn_searcher_bayes, &qn_searcher_portfolio, &qn_searcher_profile, NULL};

/* The searchers' names once more, because C does not allow pointers from the classes in a constant initialiser. A test
 * compares both lists. */
static const char *const names[] = {"auto",  "full",    "random",    "climb", "mcmc",  "anneal",    "dual",
                                    "basin", "genetic", "evolution", "swarm", "bayes", "portfolio", "profile"};
static const char *const meanings[] = {
    "the default: forest, local steps and random tests mixed",
    "every point, in order",
    "points drawn uniformly, none twice",
    "greedy hill climbing, perturbed and restarted",
    "Markov chain that seldom accepts a worse point (as KTT)",
    "simulated annealing",
    "dual annealing",
    "basin hopping",
    "genetic search, the worst replaced",
    "differential evolution",
    "particle swarm",
    "expected improvement by a forest of random trees",
    "bandit over the others: searchers with recent gains ask more often",
    "tries configurations that relieve the bottleneck which counters or a static model show"};

size_t qn_tune_searchers(const char *const **out_names, const char *const **out_meanings)
{
    *out_names = names;
    *out_meanings = meanings;
    return sizeof(names) / sizeof(names[0]);
}
