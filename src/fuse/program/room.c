/* The values of a plan that lie in a device's memory. */
#include <string.h>

#include "base/error.h"
#include "fuse/program/parts.h"

void qn_program_find_values(const qn_plan *plan, bool *in_memory)
{
    qn_exchange exchanges[QN_EXCHANGES_MAX];
    memset(in_memory, 0, QN_GRAPH_VALUES_MAX * sizeof *in_memory);
    for (int value = 0; value < plan->graph->value_count; value++)
        in_memory[qn_plan_root(plan, value)] |= plan->graph->values[value].is_given;
    for (int k = 0; k < plan->kernel_count; k++)
        for (int value = 0; value < plan->graph->value_count; value++)
            in_memory[qn_plan_root(plan, value)] |= plan->kernels[k].writes[value];
    for (int section = 0; section < 2 * plan->graph->section_count; section++) {
        const int count = qn_plan_exchanges(plan, section / 2, section % 2 == 0, exchanges);
        for (int i = 0; i < count; i++) {
            const int one = exchanges[i].one, other = exchanges[i].other;
            if (!exchanges[i].are_sums) in_memory[one] = in_memory[other] = in_memory[one] || in_memory[other];
        }
    }
}

/* Bytes of a value; a csr matrix also has columns and starts of rows. Sizes up to 2^31 by 2^31 fit a double. */
static double bytes_of(const qn_plan *plan, int value, const qn_sizes *sizes, const double *stored)
{
    const qn_value *of = &plan->graph->values[value];
    double words = 1;
    if (of->kind == QN_CSR) return 4 * (2 * stored[value] + (double)sizes->of[of->extents[0]] + 1);
    for (int k = 0; k < (int)of->kind; k++) words *= (double)sizes->of[of->extents[k]];
    return 4 * words;
}

qn_status qn_program_check_room(const qn_plan *plan, const qn_device_info *device, const qn_sizes *sizes,
                                const double *stored)
{
    bool in_memory[QN_GRAPH_VALUES_MAX];
    double all = 0, most = 0;
    int largest = 0;
    qn_program_find_values(plan, in_memory);
    for (int value = 0; value < plan->graph->value_count; value++) {
        const double bytes = in_memory[value] ? bytes_of(plan, value, sizes, stored) : 0;
        all += bytes;
        if (bytes > most) most = bytes, largest = value;
    }
    const qn_value *of = &plan->graph->values[largest];
    const double buffer = (double)device->largest_buffer_bytes, memory = (double)device->memory_bytes;
    if (buffer > 0 && most > buffer)
        return QN_SOURCE_FAIL(plan->graph->source, of->offset,
                              "found %s, a %s of %.6g GB; expected at most %.6g GB, the largest buffer of %s", of->name,
                              qn_value_shape(plan->graph, of).text, 1e-9 * most, 1e-9 * buffer, device->identifier);
    if (memory > 0 && all > memory)
        return QN_SOURCE_FAIL(plan->graph->source, of->offset,
                              "found values of %.6g GB, of which %s, a %s, has most; expected at most %.6g GB, the "
                              "memory of %s",
                              1e-9 * all, of->name, qn_value_shape(plan->graph, of).text, 1e-9 * memory,
                              device->identifier);
    return QN_OK;
}
