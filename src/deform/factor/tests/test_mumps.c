/* labels: unsanitized */
/* MUMPS against our own factor. Under mpirun, tests/deform/check_mumps.sh runs it again, beside a real MPI. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <stdio.h>

#include "deform/factor/mumps.h"
#include "deform/factor/tests/patterns.h"
#include "job/ranks.h"

static qn_ranks *ranks;

/* Without the module the test is skipped. */
static bool create(const qn_factor_plan *plan, qn_mumps **mumps)
{
    const qn_status status = qn_mumps_create(plan, mumps);
    if (status == QN_NOT_FOUND) check_skip("mumps", qn_error_message());
    return CHECK_OK(status);
}

static void compare(int nx, int ny, int nz, bool mixed, int sides)
{
    qn_factor_box box = box_create(nx, ny, nz, mixed, 5);
    const size_t n = box.freedoms;
    qn_factor_plan *plan = NULL;
    qn_factor *factor = NULL;
    qn_mumps *mumps = NULL;
    size_t wrong = 1;
    double *x = calloc((size_t)sides * n, sizeof(double)), *y = calloc((size_t)sides * n, sizeof(double)), worst = 0;
    for (int s = 0; s < sides; s++) box_draw_vector(&box, (uint64_t)s, x + (size_t)s * n);
    if (CHECK_OK(qn_factor_plan_create(&box.pattern, box.is_free, box.sign, &plan)) &&
        CHECK_OK(qn_factor_create(plan, &factor)) && create(plan, &mumps)) {
        CHECK_OK(qn_factor_compute(factor, box.values, &wrong));
        CHECK(wrong == SIZE_MAX);
        for (int again = 0; again < 2; again++) CHECK_OK(qn_mumps_compute(mumps, box.values, &wrong));
        CHECK(wrong == 0);
        CHECK_OK(qn_mumps_solve(mumps, x, sides, y));
        qn_factor_solve(factor, x, sides, x);
        for (size_t i = 0; i < (size_t)sides * n; i++) worst = fmax(worst, fabs(x[i] - y[i]));
        CHECK(worst <= 1e-10);
        CHECK(!isnan(y[0]));
    }
    qn_mumps_destroy(&mumps);
    qn_factor_destroy(&factor);
    qn_factor_plan_destroy(&plan);
    free(x);
    free(y);
    qn_factor_box_release(&box);
}

static void solutions_agree(void)
{
    compare(3, 3, 3, false, 1);
    compare(7, 6, 5, true, 3);
    compare(9, 9, 8, false, 2);
}

static void wrong_signs_are_counted(void)
{
    qn_factor_box box = box_create(4, 4, 3, true, 3);
    const qn_block_pattern *p = &box.pattern;
    qn_factor_plan *plan = NULL;
    qn_mumps *mumps = NULL;
    size_t wrong = 0;
    if (CHECK_OK(qn_factor_plan_create(p, box.is_free, box.sign, &plan)) && create(plan, &mumps)) {
        /* the last value of a diagonal block is that of a pressure */
        for (uint32_t node = 21; node <= 22; node++) box.values[p->block_start[p->row_start[node + 1]] - 1] = 1e4;
        CHECK_OK(qn_mumps_compute(mumps, box.values, &wrong));
        CHECK(wrong == 2);
        for (size_t v = 0; v < box.value_count; v++) box.values[v] = 0;
        CHECK_OK(qn_mumps_compute(mumps, box.values, &wrong));
        CHECK(wrong == SIZE_MAX);
    }
    qn_mumps_destroy(&mumps);
    qn_factor_plan_destroy(&plan);
    qn_factor_box_release(&box);
}

static void a_missing_module_is_reported(void)
{
    qn_factor_box box = box_create(2, 2, 2, false, 1);
    qn_factor_plan *plan = NULL;
    qn_mumps *mumps = NULL;
    CHECK_OK(qn_factor_plan_create(&box.pattern, box.is_free, box.sign, &plan));
    char *library = getenv("QUERN_MUMPS_LIBRARY"), *before = library ? strdup(library) : NULL;
    setenv("QUERN_MUMPS_LIBRARY", "/nowhere/libquern_mumps.so", 1);
    CHECK_FAILS(qn_mumps_create(plan, &mumps), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("/nowhere/");
    CHECK(!mumps);
    if (before) setenv("QUERN_MUMPS_LIBRARY", before, 1);
    free(before);
    qn_factor_plan_destroy(&plan);
    qn_factor_box_release(&box);
}

/* A real MPI works before and after MUMPS has used its own. */
static void ranks_go_on(void)
{
    uint64_t first = 99;
    CHECK_OK(qn_ranks_fetch_add(ranks, 1, &first));
    CHECK(first < (uint64_t)qn_ranks_count(ranks));
    CHECK_OK(qn_ranks_barrier(ranks));
}

/* Tests are built into a folder beside the modules. */
static void name_module(const char *program, const char *variable, const char *name)
{
    char path[4096];
    const char *slash = strrchr(program, '/');
    if (getenv(variable) || !slash) return;
    snprintf(path, sizeof path, "%.*s/../%s", (int)(slash - program), program, name);
    FILE *file = fopen(path, "rb");
    if (file) fclose(file);
    if (file) setenv(variable, path, 1);
}

int main(int argc, char **argv)
{
    name_module(argc > 0 ? argv[0] : "", "QUERN_MUMPS_LIBRARY", "libquern_mumps.so");
    name_module(argc > 0 ? argv[0] : "", "QUERN_MPI_LIBRARY", "libquern_mpi.so");
    if (!CHECK_OK(qn_ranks_open(&ranks))) return check_finish();
    printf("%d ranks\n", qn_ranks_count(ranks));
    RUN(solutions_agree);
    RUN(wrong_signs_are_counted);
    RUN(a_missing_module_is_reported);
    RUN(ranks_go_on);
    qn_ranks_close(&ranks);
    return check_finish();
}
