/* quern fuse measure: the rates of the library's functions on a device. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "fuse/program/choose.h"
#include "fuse/suit.h"
#include "runtime/device.h"

typedef struct owned_rates {
    qn_fuse_rates result;
    qn_arena arena;
    qn_fuse_rate *rates;
    size_t capacity;
} owned_rates;

typedef struct measuring {
    const qn_fuse_options *options;
    qn_library library;
    qn_chooser chooser;
    qn_rates *rates;
    owned_rates *own;
} measuring;

static qn_status copy_text(measuring *at, const char *text, const char **copy)
{
    return qn_arena_copy_text(&at->own->arena, text, strlen(text), copy);
}

static qn_status add_rate(measuring *at, const qn_function *function, const qn_implementation *of,
                          const qn_candidate *candidate, const qn_measured_rate *measured)
{
    owned_rates *own = at->own;
    QN_TRY(qn_grow((void **)&own->rates, &own->capacity, own->result.rate_count + 1, sizeof *own->rates));
    own->result.rates = own->rates;
    qn_fuse_rate *rate = &own->rates[own->result.rate_count];
    *rate = (qn_fuse_rate){.bytes = measured->bytes, .seconds = measured->seconds};
    QN_TRY(copy_text(at, function->name, &rate->function));
    QN_TRY(copy_text(at, of ? of->name : "point", &rate->implementation));
    if (!candidate->is_usable) QN_TRY(copy_text(at, candidate->reason, &rate->reason));
    own->result.rate_count++;
    return QN_OK;
}

static qn_status measure_one(measuring *at, const qn_function *function, const qn_implementation *of)
{
    qn_candidate candidate = {.is_usable = true};
    qn_measured_rate measured = {0};
    if (of) QN_TRY(qn_implementation_try(&at->chooser, function, of, &candidate));
    const qn_trial_call call = {
        .library = &at->library, .function = function, .implementation = of, .choices = candidate.choices};
    if (candidate.is_usable) QN_TRY(qn_rates_measure(at->rates, &call, at->options->repeat, &measured));
    return add_rate(at, function, of, &candidate, &measured);
}

static qn_status measure_functions(measuring *at)
{
    const char *wanted = at->options->function;
    const qn_function *function = at->library.functions;
    if (wanted && !qn_library_find(&at->library, wanted)) {
        const char *nearest = qn_library_nearest(&at->library, wanted);
        return QN_FAIL(QN_NOT_FOUND, "there is no function \"%s\"; %s%s", wanted,
                       nearest ? "did you mean " : "expected one of the library", nearest ? nearest : "");
    }
    QN_TRY(qn_rates_measure_launch(at->rates, &at->library, at->options->repeat, &at->own->result.launch_s));
    for (; function; function = function->following) {
        if (function->index_count == 0 || (wanted && strcmp(wanted, function->name) != 0)) continue;
        QN_TRY(measure_one(at, function, NULL));
        for (const qn_implementation *of = function->implementations; of; of = of->following)
            QN_TRY(measure_one(at, function, of));
    }
    return QN_OK;
}

static qn_status measure(qn_context *context, const qn_fuse_options *options, owned_rates *own)
{
    measuring at = {.options = options, .own = own};
    qn_arena arena = {0};
    qn_device *device = NULL;
    QN_TRY(qn_option_check(qn_fuse_measure_option_table(), options));
    qn_status status = qn_sequence_library(options->library, &arena, &at.library);
    if (status == QN_OK) status = qn_device_open(context, options->run.device, &device);
    if (status == QN_OK) status = copy_text(&at, qn_device_get_info(device)->identifier, &own->result.device);
    if (status == QN_OK) status = qn_rates_open(device, &at.rates);
    if (status == QN_OK) {
        at.chooser = (qn_chooser){.library = &at.library, .info = qn_device_get_info(device), .device = device};
        status = measure_functions(&at);
    }
    qn_rates_close(&at.rates);
    qn_device_release(&device);
    qn_arena_clear(&arena);
    return status;
}

qn_status qn_fuse_measure(qn_context *context, const qn_fuse_options *options, qn_fuse_rates **rates)
{
    qn_fuse_options own_options;
    owned_rates *own;
    *rates = NULL;
    QN_TRY(qn_option_take(qn_fuse_measure_option_table(), options, &own_options));
    QN_TRY(qn_allocate(1, sizeof *own, (void **)&own));
    *rates = &own->result;
    const qn_log_scope outer = qn_context_enter_log(context);
    const qn_status status = measure(context, &own_options, own);
    qn_log_return(outer);
    if (status != QN_OK) qn_fuse_rates_destroy(rates);
    return status;
}

void qn_fuse_rates_destroy(qn_fuse_rates **pointer)
{
    owned_rates *own = (owned_rates *)*pointer;
    if (!own) return;
    qn_arena_clear(&own->arena);
    qn_release(&own->rates);
    qn_release(pointer);
}
