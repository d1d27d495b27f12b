#include "job/ranks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/module.h"
#include "base/text.h"
#include "job/mpi/mpi_functions.h"

static const char library_name[] = "libquern_mpi.so";

struct qn_ranks {
    qn_mpi_place place;
    uint64_t next;                     /* the common counter of a run with one rank */
    const qn_mpi_functions *functions; /* NULL: there is one rank */
    void *state;
    double waited_s;
};

/* Environment variables that launchers of MPI programs set for the processes that they start. */
typedef struct launcher {
    const char *variable;
    bool is_size; /* its value is the number of processes */
} launcher;

static const launcher launchers[] = {{"OMPI_COMM_WORLD_SIZE", true},
                                     {"PMI_SIZE", true},
                                     {"MPI_LOCALNRANKS", false},
                                     {"PMIX_RANK", false},
                                     {"SLURM_STEP_NUM_TASKS", true}};

/* Number of processes that a launcher started, and the variable that has it: 1 without a launcher, 0 if unknown. */
static int launched_processes(const char **variable)
{
    int count = 1;
    *variable = NULL;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const char *value = getenv(launchers[i].variable);
        if (!value || !*value) continue;
        int said = launchers[i].is_size ? atoi(value) : 0;
        *variable = launchers[i].variable;
        if (launchers[i].is_size && said >= 1) return said;
        count = 0;
    }
    return count;
}

static qn_status find_functions(const char *variable, const qn_mpi_functions **functions)
{
    /* Its symbols are global, because plug-ins of Open MPI need them. */
    void *library = qn_module_load(library_name, "QUERN_MPI_LIBRARY", RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        const char *reason = dlerror();
        return QN_FAIL(
            QN_NOT_FOUND,
            "%s says that a launcher started several processes, but %s cannot be loaded (%s): install an MPI and "
            "build again, name the file in QUERN_MPI_LIBRARY, or set that to off if the processes have nothing to "
            "do with each other",
            variable, library_name, reason ? reason : "not found");
    }
    const qn_mpi_functions *(*get)(void);
    *(void **)&get = dlsym(library, "qn_mpi_functions_get");
    if (!get || get()->version != QN_MPI_FUNCTIONS_VERSION)
        return QN_FAIL(QN_NOT_FOUND, "%s belongs to another version; expected that of this build", library_name);
    *functions = get();
    return QN_OK; /* the library stays loaded, because MPI cannot be unloaded */
}

/* Seconds after which a run says whom it waits for. */
static const double patience_s = 20;

/* The operation goes on, so this is no failure. */
static void log_late(void *user, double seconds, int missing, int rank, const char *machine)
{
    const qn_ranks *ranks = user;
    char others[64] = "";
    if (missing > 1) snprintf(others, sizeof others, " and %s", qn_count_of((uint64_t)missing - 1, "other").text);
    qn_log(
        QN_LOG_WARNING,
        "waited %.0f s for process %d on %s%s, of %d processes; if its machine is slow or hangs, stop the run, and go "
        "on with --resume without that machine",
        seconds, rank, machine, others, ranks->place.count);
}

static qn_status open_mpi(qn_ranks *ranks, int launched, const char *variable)
{
    char message[QN_MPI_MESSAGE_BYTES];
    QN_TRY(find_functions(variable, &ranks->functions));
    if (ranks->functions->open(&ranks->state, &ranks->place, message) != 0) {
        ranks->functions = NULL;
        return QN_FAIL(QN_NOT_FOUND, "MPI cannot be initialised: %s", message);
    }
    if (launched > 1 && ranks->place.count == 1)
        return QN_FAIL(
            QN_NOT_FOUND,
            "%s says %d processes, but MPI sees one: the launcher belongs to another MPI than %s was built with",
            variable, launched, library_name);
    ranks->functions->watch(ranks->state, patience_s, log_late, ranks);
    return QN_OK;
}

qn_status qn_ranks_open(qn_ranks **out)
{
    const char *variable, *chosen = getenv("QUERN_MPI_LIBRARY");
    int launched = launched_processes(&variable);
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_ranks), &memory));
    qn_ranks *ranks = memory;
    ranks->place = (qn_mpi_place){.count = 1, .local_count = 1};
    qn_status status = QN_OK;
    if (launched != 1 && !(chosen && strcmp(chosen, "off") == 0)) status = open_mpi(ranks, launched, variable);
    if (status == QN_OK)
        *out = ranks;
    else
        qn_ranks_close(&ranks);
    return status;
}

void qn_ranks_close(qn_ranks **pointer)
{
    if (!*pointer) return;
    if ((*pointer)->functions) (*pointer)->functions->close((*pointer)->state);
    qn_release(pointer);
}

int qn_ranks_rank(const qn_ranks *ranks)
{
    return ranks->place.rank;
}

int qn_ranks_count(const qn_ranks *ranks)
{
    return ranks->place.count;
}

int qn_ranks_local_rank(const qn_ranks *ranks)
{
    return ranks->place.local_rank;
}

int qn_ranks_local_count(const qn_ranks *ranks)
{
    return ranks->place.local_count;
}

double qn_ranks_waited_s(const qn_ranks *ranks)
{
    return ranks->waited_s;
}

/* End an operation that began at `started_s`; `code` is not 0 if it failed. */
static qn_status end_operation(qn_ranks *ranks, double started_s, int code, const char *message)
{
    ranks->waited_s += qn_clock_s() - started_s;
    return code == 0 ? QN_OK : QN_FAIL(QN_IO_ERROR, "%s", message);
}

qn_status qn_ranks_fetch_add(qn_ranks *ranks, uint64_t count, uint64_t *first)
{
    char message[QN_MPI_MESSAGE_BYTES];
    const double started = qn_clock_s();
    if (ranks->functions)
        return end_operation(ranks, started, ranks->functions->next(ranks->state, count, first, message), message);
    *first = ranks->next;
    ranks->next += count;
    return QN_OK;
}

qn_status qn_ranks_barrier(qn_ranks *ranks)
{
    int any;
    return qn_ranks_any(ranks, 0, &any);
}

qn_status qn_ranks_any(qn_ranks *ranks, int value, int *any)
{
    return qn_ranks_max(ranks, value != 0, any);
}

qn_status qn_ranks_max(qn_ranks *ranks, int value, int *most)
{
    char message[QN_MPI_MESSAGE_BYTES];
    const double started = qn_clock_s();
    *most = value;
    if (!ranks->functions) return QN_OK;
    return end_operation(ranks, started, ranks->functions->most(ranks->state, value, most, message), message);
}

qn_status qn_ranks_broadcast(qn_ranks *ranks, void *data, size_t size)
{
    char message[QN_MPI_MESSAGE_BYTES];
    const double started = qn_clock_s();
    if (size > (size_t)1 << 30)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%zu bytes to broadcast; expected up to 1 GiB", size);
    if (!ranks->functions) return QN_OK;
    return end_operation(ranks, started, ranks->functions->tell(ranks->state, data, size, message), message);
}

qn_status qn_ranks_sum(qn_ranks *ranks, float *values, size_t count)
{
    const size_t most = (size_t)1 << 22; /* at a time, which limits the temporary memory of MPI */
    char message[QN_MPI_MESSAGE_BYTES];
    for (size_t first = 0; first < count && ranks->functions; first += most) {
        const size_t left = count - first, now = left < most ? left : most;
        const double started = qn_clock_s();
        QN_TRY(
            end_operation(ranks, started, ranks->functions->sum(ranks->state, values + first, now, message), message));
    }
    return QN_OK;
}

qn_status qn_ranks_gather(qn_ranks *ranks, void *all, const size_t *sizes)
{
    char message[QN_MPI_MESSAGE_BYTES];
    const double started = qn_clock_s();
    size_t sum = 0;
    for (int rank = 0; rank < ranks->place.count; rank++) sum += sizes[rank];
    if (sum > (size_t)1 << 30) return QN_FAIL(QN_INVALID_ARGUMENT, "%zu bytes to gather; expected up to 1 GiB", sum);
    if (!ranks->functions) return QN_OK;
    return end_operation(ranks, started, ranks->functions->gather(ranks->state, all, sizes, message), message);
}
