/* A search for the fastest values of some parameters on a device. What was measured is kept in the tuning store.
 *
 * Life cycle: open → run → best → close. Thread rule: one thread at a time. */
#ifndef QN_FUSE_SEARCH_SEARCH_H
#define QN_FUSE_SEARCH_SEARCH_H

#include <quern/device.h>

enum { QN_SEARCH_PARAMETERS_MAX = 16, QN_SEARCH_VALUES_MAX = 64 };

typedef struct qn_search_parameter {
    const char *name;
    int64_t values[QN_SEARCH_VALUES_MAX]; /* the first is the usual one */
    int count;
} qn_search_parameter;

/* The problem under whose name, source and class of sizes results are kept. */
typedef struct qn_search_problem {
    const char *name;   /* "fuse/bicgk" */
    const char *source; /* a text; its hash is part of the key */
    const char *sizes;  /* class */
    qn_search_parameter parameters[QN_SEARCH_PARAMETERS_MAX];
    int parameter_count;
    const char *const
        *constraints; /* of parameters and device.local_memory_bytes, .largest_group, .subgroup_size, .is_host */
    int constraint_count;
} qn_search_problem;

typedef struct qn_search qn_search;

/* Read what is kept. The problem must outlive the search. Errors: QN_INVALID_ARGUMENT (no values obey the
 * constraints), those of the store. */
QN_MUST_CHECK qn_status qn_search_open(const qn_search_problem *problem, qn_device *device, qn_search **search);
void qn_search_close(qn_search **search);

/* The seconds that a test measures with these values; it should give up where it is slower than `limit_s` by far. A
 * failure is a fact about the values. */
typedef qn_status (*qn_search_test)(void *user, const int64_t *values, double limit_s, double *seconds);

/* Whether there is anything to measure: no search of these parameters came to its end. */
bool qn_search_is_open(const qn_search *search);

/* Test values until more tests are not expected to gain 1 %, or `budget_s` are over: first each value of parameter 0
 * with the usual others. */
QN_MUST_CHECK qn_status qn_search_run(qn_search *search, double budget_s, uint64_t seed, qn_search_test test,
                                      void *user);

/* The fastest values; false: none are known. *tests gets how many were tested, in all and since open. */
bool qn_search_best(const qn_search *search, int64_t *values, uint64_t *tests, uint64_t *new_tests);

#endif
