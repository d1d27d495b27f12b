#define _DEFAULT_SOURCE /* setenv */
/* The search for the fastest values: it finds a planted one, keeps it for later, and never takes values that fail. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "check.h"
#include "fuse/search/search.h"

static qn_context *context;
static qn_device *device;

/* Seconds of a sequence that is fastest with CANDIDATE 22, WIDTH 4 and LINES 16; CANDIDATE 33 would be faster and is
 * wrong. */
static qn_status planted(void *user, const int64_t *values, double limit_s, double *seconds)
{
    int *calls = user;
    ++*calls;
    (void)limit_s;
    if (values[0] == 33) return QN_FAIL(QN_CHECK_FAILED, "it is wrong");
    *seconds = 1 + (values[0] != 22) + (double)llabs(values[1] - 4) + (double)llabs(values[2] - 16) / 16;
    return QN_OK;
}

static const char *const constraints[] = {"LINES % WIDTH == 0"};

static qn_search_problem problem_of(const char *source)
{
    return (qn_search_problem){
        .name = "fuse/planted",
        .source = source,
        .sizes = "n~2^10",
        .parameters = {{"CANDIDATE", {11, 22, 33}, 3}, {"WIDTH", {1, 2, 4, 8}, 4}, {"LINES", {8, 4, 16, 32, 2}, 5}},
        .parameter_count = 3,
        .constraints = constraints,
        .constraint_count = 1};
}

static bool is_planted(const int64_t *values)
{
    return values[0] == 22 && values[1] == 4 && values[2] == 16;
}

static void the_fastest_is_found_and_kept(void)
{
    const qn_search_problem problem = problem_of("a"), other = problem_of("b");
    qn_search *search;
    int64_t values[QN_SEARCH_PARAMETERS_MAX];
    uint64_t tests, new_tests;
    int calls = 0;
    if (!CHECK_OK(qn_search_open(&problem, device, &search))) return;
    CHECK(qn_search_is_open(search) && !qn_search_best(search, values, &tests, &new_tests) && tests == 0);
    CHECK_OK(qn_search_run(search, 60, 1, planted, &calls));
    CHECK(qn_search_best(search, values, &tests, &new_tests) && is_planted(values));
    CHECK((int)tests == calls && tests == new_tests && !qn_search_is_open(search));
    qn_search_close(&search);

    if (!CHECK_OK(qn_search_open(&problem, device, &search))) return;
    CHECK(qn_search_best(search, values, &tests, &new_tests) && is_planted(values));
    CHECK((int)tests == calls && new_tests == 0 && !qn_search_is_open(search));
    qn_search_close(&search);

    /* another script has results of its own */
    if (!CHECK_OK(qn_search_open(&other, device, &search))) return;
    CHECK(!qn_search_best(search, values, &tests, &new_tests) && qn_search_is_open(search));
    qn_search_close(&search);
}

static void other_candidates_are_searched_again(void)
{
    qn_search_problem problem = problem_of("a");
    qn_search *search;
    int64_t values[QN_SEARCH_PARAMETERS_MAX];
    uint64_t tests, new_tests;
    problem.parameters[0].values[1] = 44;
    if (!CHECK_OK(qn_search_open(&problem, device, &search))) return;
    CHECK(qn_search_is_open(search) && qn_search_best(search, values, &tests, &new_tests) && values[0] == 11);
    qn_search_close(&search);
}

/* The candidates come first, so that a short budget compares them. */
static void a_short_budget_compares_the_candidates(void)
{
    const qn_search_problem problem = problem_of("c");
    qn_search *search;
    int64_t values[QN_SEARCH_PARAMETERS_MAX];
    uint64_t tests, new_tests;
    int calls = 0;
    if (!CHECK_OK(qn_search_open(&problem, device, &search))) return;
    CHECK_OK(qn_search_run(search, 1e-9, 1, planted, &calls));
    CHECK(calls == 0 && !qn_search_best(search, values, &tests, &new_tests));
    qn_search_close(&search);
}

static void constraints_that_nothing_obeys_are_refused(void)
{
    static const char *const never[] = {"WIDTH > 100"};
    qn_search_problem problem = problem_of("d");
    qn_search *search;
    problem.constraints = never;
    CHECK_FAILS(qn_search_open(&problem, device, &search), QN_INVALID_ARGUMENT);
}

int main(void)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tuning.db", check_scratch_folder());
    setenv("QUERN_TUNING_STORE", path, 1);
    CHECK_OK(qn_context_create(NULL, &context));
    CHECK_OK(qn_device_open(context, "host", &device));
    RUN(the_fastest_is_found_and_kept);
    RUN(other_candidates_are_searched_again);
    RUN(a_short_budget_compares_the_candidates);
    RUN(constraints_that_nothing_obeys_are_refused);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
