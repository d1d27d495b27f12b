#define _GNU_SOURCE /* RTLD_DEEPBIND */
#include "deform/factor/mumps.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/module.h"
#include "deform/factor/mumps/mumps_functions.h"
#include "deform/factor/plan.h"

static const char library_name[] = "libquern_mumps.so";

/* MUMPS has global data. */
static pthread_mutex_t mumps_lock = PTHREAD_MUTEX_INITIALIZER;

struct qn_mumps {
    const qn_factor_plan *plan;
    const qn_mumps_functions *functions;
    void *state;
    int *rows, *columns; /* of each entry, from 1 */
    double *values;
    double *sides;         /* of one right side */
    size_t negative_count; /* of the plan's pivots */
};

/* Its own names and those of the libraries that it needs come before the program's: a real MPI may be loaded, too. */
static qn_status find_functions(const qn_mumps_functions **functions)
{
    void *library = qn_module_load(library_name, "QUERN_MUMPS_LIBRARY", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (!library) {
        const char *reason = dlerror();
        return QN_FAIL(QN_NOT_FOUND, "%s cannot be loaded (%s): install the sequential MUMPS and build again",
                       library_name, reason ? reason : "not found");
    }
    const qn_mumps_functions *(*get)(void);
    *(void **)&get = dlsym(library, "qn_mumps_functions_get");
    if (!get || get()->version != QN_MUMPS_FUNCTIONS_VERSION)
        return QN_FAIL(QN_NOT_FOUND, "%s belongs to another version; expected that of this build", library_name);
    *functions = get();
    return QN_OK; /* the library stays loaded, because Fortran's libraries cannot be unloaded safely */
}

/* MUMPS's rows are our places, from 1. */
static void fill_entries(qn_mumps *mumps)
{
    const qn_factor_plan *plan = mumps->plan;
    for (size_t f = 0; f < plan->front_count; f++) {
        const qn_factor_front *front = &plan->fronts[f];
        const size_t end = f + 1 < plan->front_count ? front[1].entries : plan->entry_count;
        for (size_t e = front->entries; e < end; e++) {
            uint32_t row, column;
            qn_factor_entry_places(plan, front, plan->entry[e].place, &row, &column);
            mumps->rows[e] = (int)row + 1;
            mumps->columns[e] = (int)column + 1;
        }
    }
    for (size_t p = 0; p < plan->free_count; p++) mumps->negative_count += plan->sign[p] < 0;
}

static qn_status allocate(qn_mumps *mumps)
{
    const qn_factor_plan *plan = mumps->plan;
    QN_TRY(qn_allocate(plan->entry_count, sizeof(int), (void **)&mumps->rows));
    QN_TRY(qn_allocate(plan->entry_count, sizeof(int), (void **)&mumps->columns));
    QN_TRY(qn_allocate(plan->entry_count, sizeof(double), (void **)&mumps->values));
    return qn_allocate(plan->free_count, sizeof(double), (void **)&mumps->sides);
}

static qn_status open_mumps(qn_mumps *mumps)
{
    char message[QN_MUMPS_MESSAGE_BYTES];
    QN_TRY(allocate(mumps));
    fill_entries(mumps);
    pthread_mutex_lock(&mumps_lock);
    qn_status status = find_functions(&mumps->functions);
    if (status == QN_OK &&
        mumps->functions->open(&mumps->state, (int)mumps->plan->free_count, (int64_t)mumps->plan->entry_count,
                               mumps->rows, mumps->columns, message) != 0)
        status = QN_FAIL(QN_INTERNAL, "a matrix of %zu rows: %s", mumps->plan->free_count, message);
    pthread_mutex_unlock(&mumps_lock);
    return status;
}

qn_status qn_mumps_create(const qn_factor_plan *plan, qn_mumps **mumps)
{
    void *memory;
    *mumps = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_mumps), &memory));
    *mumps = memory;
    (*mumps)->plan = plan;
    const qn_status status = open_mumps(*mumps);
    if (status != QN_OK) qn_mumps_destroy(mumps);
    return status;
}

void qn_mumps_destroy(qn_mumps **mumps)
{
    qn_mumps *old = *mumps;
    if (!old) return;
    if (old->state) {
        pthread_mutex_lock(&mumps_lock);
        old->functions->close(old->state);
        pthread_mutex_unlock(&mumps_lock);
    }
    qn_release(&old->rows);
    qn_release(&old->columns);
    qn_release(&old->values);
    qn_release(&old->sides);
    qn_release(mumps);
}

qn_status qn_mumps_compute(qn_mumps *mumps, const double *values, size_t *wrong_pivots)
{
    const qn_factor_plan *plan = mumps->plan;
    char message[QN_MUMPS_MESSAGE_BYTES];
    int negative = -1;
    *wrong_pivots = SIZE_MAX;
    for (size_t e = 0; e < plan->entry_count; e++) mumps->values[e] = values[plan->entry[e].value];
    pthread_mutex_lock(&mumps_lock);
    const int failed = mumps->functions->factor(mumps->state, mumps->values, &negative, message);
    pthread_mutex_unlock(&mumps_lock);
    if (failed) return QN_FAIL(QN_INTERNAL, "a matrix of %zu rows: %s", plan->free_count, message);
    if (negative >= 0) {
        const size_t found = (size_t)negative, expected = mumps->negative_count;
        *wrong_pivots = found > expected ? found - expected : expected - found;
    }
    return QN_OK;
}

static qn_status solve_side(qn_mumps *mumps, const double *b, double *x)
{
    const qn_factor_plan *plan = mumps->plan;
    char message[QN_MUMPS_MESSAGE_BYTES];
    for (size_t p = 0; p < plan->free_count; p++) mumps->sides[p] = b[plan->freedom[p]];
    pthread_mutex_lock(&mumps_lock);
    const int failed = mumps->functions->solve(mumps->state, mumps->sides, 1, message);
    pthread_mutex_unlock(&mumps_lock);
    if (failed) return QN_FAIL(QN_INTERNAL, "a matrix of %zu rows: %s", plan->free_count, message);
    memset(x, 0, plan->freedom_count * sizeof(double));
    for (size_t p = 0; p < plan->free_count; p++) x[plan->freedom[p]] = mumps->sides[p];
    return QN_OK;
}

qn_status qn_mumps_solve(qn_mumps *mumps, const double *b, int count, double *x)
{
    const size_t freedoms = mumps->plan->freedom_count;
    for (size_t side = 0; side < (size_t)count; side++)
        QN_TRY(solve_side(mumps, b + side * freedoms, x + side * freedoms));
    return QN_OK;
}
