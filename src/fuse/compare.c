#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "fuse/compare.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "fuse/blas/runner.h"
#include "math/median.h"

enum {
    COMPARED_MAX = 1 << 26, /* numbers of all results */
    COMPARED_ROUNDS = 4     /* of loops, before rounding errors have grown */
};

/* A peer that runs: a program, or calls of a BLAS. */
typedef struct contender {
    qn_fuse_peer *peer;
    qn_program *program;
    qn_blas_runner *blas;
    double *seconds; /* of each turn */
} contender;

typedef struct contest {
    const qn_comparison *what;
    qn_arena *arena;
    qn_fuse_peer *peers;
    size_t peer_count;
    contender contenders[QN_COMPARE_PEERS_MAX];
    int count;
    qn_blas_given given;
    float *expected, *found; /* a result of the fused sequence, and of a peer */
} contest;

qn_status qn_compare_read(const char *text, bool *unfused, bool *blas)
{
    *unfused = *blas = false;
    if (strcmp(text, "none") == 0) return QN_OK;
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, ",");
        if (length == 7 && strncmp(at, "unfused", 7) == 0)
            *unfused = true;
        else if (length == 4 && strncmp(at, "blas", 4) == 0)
            *blas = true;
        else
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "--compare is \"%s\"; expected unfused, blas, both with a comma, or none", text);
        at += length;
        at += *at == ',';
    }
    return QN_OK;
}

/* ---- who takes part ---- */

static qn_status add(contest *at, const char *name, contender **added)
{
    qn_fuse_peer *peer = &at->peers[at->peer_count++];
    *peer = (qn_fuse_peer){.difference = NAN};
    QN_TRY(qn_arena_copy_text(at->arena, name, strlen(name), &peer->name));
    *added = &at->contenders[at->count];
    **added = (contender){.peer = peer};
    return qn_allocate((size_t)at->what->repeat, sizeof(double), (void **)&(*added)->seconds);
}

static qn_status add_program(contest *at, const char *name, qn_program *program, int kernels, double bytes)
{
    contender *added;
    QN_TRY(add(at, name, &added));
    added->program = program;
    added->peer->calls = kernels;
    added->peer->bytes = bytes;
    at->count++;
    return QN_OK;
}

/* The calls of a BLAS; what cannot be run gets a reason. */
static qn_status add_blas(contest *at, const char *name, qn_blas_way way)
{
    const qn_comparison *what = at->what;
    contender *added;
    QN_TRY(add(at, name, &added));
    const qn_status status = qn_blas_runner_create(&what->sequence->graph, what->device, way, &what->sequence->sizes,
                                                   what->sequence->stored, &at->given, &added->blas);
    if (status == QN_OK) {
        qn_blas_runner_count(added->blas, what->result->rounds, &added->peer->calls, &added->peer->bytes);
        at->count++;
        return QN_OK;
    }
    qn_release(&added->seconds);
    if (status != QN_UNSUPPORTED && status != QN_OUT_OF_MEMORY) return status;
    const qn_status copied =
        qn_arena_copy_text(at->arena, qn_error_message(), strlen(qn_error_message()), &added->peer->reason);
    qn_error_clear();
    return copied;
}

static qn_status add_all(contest *at)
{
    const qn_comparison *what = at->what;
    const qn_blas_library *library = qn_blas_library_of(what->device);
    QN_TRY(add_program(at, "fused", what->fused, what->result->kernel_count, what->result->bytes));
    if (what->unfused)
        QN_TRY(
            add_program(at, "unfused", what->unfused, what->result->unfused_kernel_count, what->result->unfused_bytes));
    if (!what->with_blas) return QN_OK;
    QN_TRY(add_blas(at, library->name, QN_BLAS_BY_LEGACY));
    const char *name;
    if (library->best) {
        QN_TRY(qn_arena_format(at->arena, &name, "%s, %s", library->name, library->best));
        QN_TRY(add_blas(at, name, QN_BLAS_BY_BEST));
    }
    if (library->record) {
        QN_TRY(qn_arena_format(at->arena, &name, "%s, graph", library->name));
        QN_TRY(add_blas(at, name, QN_BLAS_BY_GRAPH));
    }
    return QN_OK;
}

/* ---- running ---- */

static qn_status run(const contest *at, const contender *one, int64_t most_rounds, double *seconds)
{
    int64_t rounds;
    QN_TRY(one->program ? qn_inputs_restore(at->what->inputs, &at->what->sequence->graph, one->program)
                        : qn_blas_runner_restore(one->blas, &at->given));
    const double start_s = qn_clock_s();
    QN_TRY(one->program ? qn_program_run(one->program, most_rounds, &rounds, NULL)
                        : qn_blas_runner_run(one->blas, most_rounds, &rounds));
    *seconds = qn_clock_s() - start_s;
    return QN_OK;
}

/* Let the threads of a library come to rest before another peer runs. */
static void settle(const contest *at, const contender *one)
{
    const double seconds = one->blas ? qn_blas_library_of(at->what->device)->settle_s : 0;
    const struct timespec pause = {.tv_nsec = (long)(1e9 * seconds)};
    if (seconds > 0) nanosleep(&pause, NULL);
}

static qn_status read_value(const contender *one, int value, float *numbers)
{
    return one->program ? qn_program_read(one->program, value, numbers)
                        : qn_blas_runner_read(one->blas, value, numbers);
}

/* The largest difference of a result as a share of its largest number. */
static double difference_of(const float *expected, const float *found, size_t count)
{
    double largest = 0, difference = 0;
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(expected[k]) && !isfinite(found[k])) continue;
        largest = fmax(largest, fabs((double)expected[k]));
        difference = fmax(difference, isfinite(found[k]) ? fabs((double)found[k] - (double)expected[k]) : INFINITY);
    }
    return difference > 0 ? difference / largest : 0;
}

static qn_status compare_value(const contest *at, int value, size_t count)
{
    const contender *fused = &at->contenders[0];
    QN_TRY(read_value(fused, value, at->expected));
    for (int i = 1; i < at->count; i++) {
        qn_fuse_peer *peer = at->contenders[i].peer;
        const qn_status status = read_value(&at->contenders[i], value, at->found);
        if (status == QN_UNSUPPORTED) { /* a scalar that stays on the device */
            qn_error_clear();
            continue;
        }
        QN_TRY(status);
        peer->difference =
            fmax(isnan(peer->difference) ? 0 : peer->difference, difference_of(at->expected, at->found, count));
    }
    return QN_OK;
}

static qn_status compare(contest *at)
{
    const qn_sequence *sequence = at->what->sequence;
    size_t all = 0, largest = 0;
    for (int value = 0; value < sequence->graph.value_count; value++) {
        const size_t count = qn_value_elements(&sequence->graph, value, &sequence->sizes, 0);
        if (!sequence->graph.values[value].is_result) continue;
        all += count;
        largest = count > largest ? count : largest;
    }
    double ignored;
    for (int i = 0; i < at->count; i++) {
        QN_TRY(run(at, &at->contenders[i], COMPARED_ROUNDS, &ignored));
        settle(at, &at->contenders[i]);
    }
    if (all > COMPARED_MAX) return QN_OK;
    QN_TRY(qn_allocate(largest, sizeof(float), (void **)&at->expected));
    QN_TRY(qn_allocate(largest, sizeof(float), (void **)&at->found));
    for (int value = 0; value < sequence->graph.value_count; value++)
        if (sequence->graph.values[value].is_result)
            QN_TRY(compare_value(at, value, qn_value_elements(&sequence->graph, value, &sequence->sizes, 0)));
    return QN_OK;
}

static qn_status take_turns(contest *at)
{
    const int repeat = at->what->repeat;
    for (int turn = 0; turn < repeat; turn++)
        for (int i = 0; i < at->count; i++) {
            QN_TRY(run(at, &at->contenders[i], 0, &at->contenders[i].seconds[turn]));
            settle(at, &at->contenders[i]);
        }
    for (int i = 0; i < at->count; i++) {
        qn_fuse_peer *peer = at->contenders[i].peer;
        peer->seconds = qn_median(at->contenders[i].seconds, (size_t)repeat);
        peer->least_seconds = peer->seconds;
        for (int turn = 0; turn < repeat; turn++)
            peer->least_seconds = fmin(peer->least_seconds, at->contenders[i].seconds[turn]);
    }
    return QN_OK;
}

qn_status qn_fuse_compare(const qn_comparison *what, qn_arena *arena, qn_fuse_peer *peers, size_t *count)
{
    contest at = {.what = what,
                  .arena = arena,
                  .peers = peers,
                  .given = {what->inputs->floats, what->inputs->starts, what->inputs->columns}};
    qn_status status = add_all(&at);
    if (status == QN_OK) status = compare(&at);
    if (status == QN_OK) status = take_turns(&at);
    for (int i = 0; i < QN_COMPARE_PEERS_MAX; i++) {
        qn_blas_runner_destroy(&at.contenders[i].blas);
        qn_release(&at.contenders[i].seconds);
    }
    qn_release(&at.expected), qn_release(&at.found);
    *count = at.peer_count;
    return status;
}
