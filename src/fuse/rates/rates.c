#include "fuse/rates/rates.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "fuse/search/kept.h"
#include "math/median.h"

enum { VECTOR = 1 << 25, ROWS = 1 << 12, COLUMNS = 1 << 13, SPARSE = 1 << 22 };

struct qn_rates {
    qn_kept *kept;
};

qn_status qn_rates_open(qn_device *device, qn_rates **rates)
{
    QN_TRY(qn_allocate(1, sizeof **rates, (void **)rates));
    const qn_status status = qn_kept_open(device, &(*rates)->kept);
    if (status != QN_OK) qn_rates_close(rates);
    return status;
}

void qn_rates_close(qn_rates **rates)
{
    if (!*rates) return;
    qn_kept_close(&(*rates)->kept);
    qn_release(rates);
}

/* ---- the store ---- */

/* A name, and a text that changes if the function or the implementation does. */
typedef struct key {
    char name[96];
    qn_text text;
} key;

static qn_status add_body(const qn_source *source, const qn_body *body, qn_text *text)
{
    QN_TRY(qn_text_append(text, "|"));
    return qn_text_append_bytes(text, source->text + body->begin, body->end - body->begin);
}

static qn_status make_key(const qn_function *function, const qn_implementation *implementation, key *made)
{
    const qn_body point = {function ? function->point_begin : 0, function ? function->point_end : 0};
    *made = (key){.text = {0}};
    snprintf(made->name, sizeof made->name, "fuse/rate/%.36s/%.36s", function ? function->name : "launch",
             implementation ? implementation->name : "point");
    if (!function) return qn_text_append(&made->text, "launch");
    QN_TRY(add_body(function->source, &point, &made->text));
    if (!implementation) return QN_OK;
    QN_TRY(add_body(function->source, &implementation->compute, &made->text));
    for (int i = 0; i < function->input_count; i++)
        QN_TRY(add_body(function->source, &implementation->loads[i], &made->text));
    for (int i = 0; i < function->output_count; i++)
        QN_TRY(add_body(function->source, &implementation->stores[i], &made->text));
    return QN_OK;
}

/* Seconds for a byte, or for a launch; 0: not known. */
static double find(const qn_rates *rates, const qn_function *function, const qn_implementation *implementation)
{
    key made;
    double found = 0;
    if (make_key(function, implementation, &made) == QN_OK)
        found = qn_kept_find(rates->kept, made.name, made.text.data);
    qn_text_clear(&made.text);
    return found;
}

static qn_status keep(qn_rates *rates, const qn_function *function, const qn_implementation *implementation,
                      double number, double seconds)
{
    key made;
    qn_status status = make_key(function, implementation, &made);
    if (status == QN_OK) status = qn_kept_put(rates->kept, made.name, made.text.data, number, seconds);
    qn_text_clear(&made.text);
    return status;
}

double qn_rates_get(const qn_rates *rates, const qn_function *function, const qn_implementation *implementation)
{
    const double seconds_per_byte = find(rates, function, implementation);
    return seconds_per_byte > 0 ? 1 / seconds_per_byte : 0;
}

double qn_rates_launch_s(const qn_rates *rates)
{
    return find(rates, NULL, NULL);
}

/* ---- measuring ---- */

/* The median time of the kernel that does the call. */
static qn_status time_call(const qn_trial *trial, int repeat, double *median)
{
    const int kernel = qn_trial_kernel(trial);
    double *seconds, before = 0;
    QN_TRY(qn_program_run(trial->program, 0, NULL, NULL)); /* it may compile */
    QN_TRY(qn_allocate((size_t)repeat, sizeof *seconds, (void **)&seconds));
    qn_status status = QN_OK;
    for (int i = 0; i < repeat && status == QN_OK; i++) {
        double all;
        status = qn_program_run(trial->program, 0, NULL, &all);
        /* the mean of all launches so far, times their number, less what they were before */
        const double after = (i + 1) * qn_program_kernel_seconds(trial->program, kernel);
        seconds[i] = after - before;
        before = after;
    }
    *median = status == QN_OK ? qn_median(seconds, (size_t)repeat) : 0;
    qn_release(&seconds);
    return status;
}

static qn_status try_sizes(const qn_rates *rates, const qn_trial_call *call, int repeat, qn_measured_rate *measured)
{
    qn_trial *trial;
    QN_TRY(qn_trial_open(call, qn_kept_device(rates->kept), &trial));
    const qn_status status = time_call(trial, repeat, &measured->seconds);
    measured->bytes = qn_program_kernel_bytes(trial->program, qn_trial_kernel(trial));
    qn_trial_close(&trial);
    return status;
}

qn_status qn_rates_measure(qn_rates *rates, const qn_trial_call *of, int repeat, qn_measured_rate *measured)
{
    const qn_function *function = of->function;
    const bool is_sparse = function->is_shipped && strcmp(function->name, "spmv") == 0;
    qn_trial_call call = *of;
    call.extents[0] = is_sparse ? SPARSE : function->index_count == 2 ? ROWS : VECTOR;
    call.extents[1] = is_sparse ? SPARSE : COLUMNS;
    qn_status status = try_sizes(rates, &call, repeat, measured);
    /* a small device gets a sixteenth */
    if (status == QN_OUT_OF_MEMORY || status == QN_BAD_FORMAT) {
        call.extents[0] /= 16;
        status = try_sizes(rates, &call, repeat, measured);
    }
    QN_TRY(status);
    return keep(rates, function, of->implementation, measured->seconds / measured->bytes, measured->seconds);
}

qn_status qn_rates_measure_launch(qn_rates *rates, const qn_library *library, int repeat, double *seconds)
{
    const qn_trial_call call = {.library = library, .function = qn_library_find(library, "copy"), .extents = {1, 1}};
    qn_measured_rate measured;
    QN_TRY(try_sizes(rates, &call, repeat, &measured));
    *seconds = measured.seconds;
    return keep(rates, NULL, NULL, measured.seconds, measured.seconds);
}
