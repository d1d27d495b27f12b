#include "fuse/suit.h"

#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "fuse/program/choose.h"

qn_device_info qn_device_of_large_gpu(void)
{
    return (qn_device_info){.identifier = "a large GPU",
                            .driver = "cuda",
                            .kind = QN_DEVICE_GPU,
                            .compute_units = 132,
                            .local_memory_bytes = 49152,
                            .local_room_bytes = 227 << 10,
                            .largest_group = 1024,
                            .subgroup_size = 32};
}

static double rate_of(const void *user, const qn_function *function, const qn_implementation *implementation)
{
    return qn_rates_get(user, function, implementation);
}

/* The rates of the whole device: of a copy, and of a launch. Operations have assumed rates, because what is measured
 * includes them. */
static void take_rates(const qn_rates *rates, qn_sequence *sequence)
{
    const qn_function *copy = qn_library_find(&sequence->library, "copy");
    const double bytes_per_s = copy ? qn_rates_get(rates, copy, NULL) : 0, launch_s = qn_rates_launch_s(rates);
    if (bytes_per_s <= 0 || launch_s <= 0) return;
    sequence->plan_options.bytes_per_s = bytes_per_s;
    sequence->plan_options.launch_s = launch_s;
    memset(sequence->plan_options.slots_per_s, 0, sizeof sequence->plan_options.slots_per_s);
    sequence->has_rates = true;
}

static bool needs_trial(const qn_graph *graph)
{
    for (int call = 0; call < graph->call_count; call++) {
        const qn_function *function = graph->calls[call].function;
        if (function && function->implementations && !function->is_shipped) return true;
    }
    return false;
}

static void warn(const qn_text *faults)
{
    for (const char *line = faults->length > 0 ? faults->data : ""; *line;) {
        const size_t length = strcspn(line, "\n");
        qn_log(QN_LOG_WARNING, "%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

static qn_status choose(qn_sequence *sequence, qn_context *context, const qn_rates *rates, qn_device *device,
                        const qn_device_info *info)
{
    qn_chooser chooser = {.library = &sequence->library, .info = info, .user = rates};
    qn_device *host = NULL;
    qn_text faults = {0};
    if (sequence->has_rates) chooser.rate_of = rate_of;
    if (!device && needs_trial(&sequence->graph)) QN_TRY(qn_device_open(context, "host", &host));
    chooser.device = device ? device : host;
    const qn_status status = qn_implementations_choose(&chooser, &sequence->graph, &sequence->notes, &faults);
    qn_device_release(&host);
    warn(&faults);
    qn_text_clear(&faults);
    return status;
}

qn_status qn_sequence_suit(qn_sequence *sequence, qn_context *context, qn_device *device, const qn_device_info *info)
{
    qn_rates *rates = NULL;
    qn_status status = QN_OK;
    bool changes;
    if (device) status = qn_rates_open(device, &rates);
    if (status == QN_OK && rates) take_rates(rates, sequence);
    if (status == QN_OK) status = choose(sequence, context, rates, device, info ? info : qn_device_get_info(device));
    qn_rates_close(&rates);
    QN_TRY(status);
    changes = sequence->has_rates;
    for (int call = 0; call < sequence->graph.call_count; call++)
        changes |= sequence->graph.calls[call].implementation != NULL;
    return changes ? qn_sequence_plan(sequence) : QN_OK;
}
