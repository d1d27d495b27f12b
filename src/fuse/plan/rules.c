#include "fuse/plan/rules.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A check in progress. */
typedef struct check {
    const qn_scope *scope;
    const qn_graph *graph;
    qn_calls calls;
    qn_layout *layout;
    qn_refusal *refusal;
} check;

/* Note which rule forbids the set, and return false. */
static bool refuse(const check *at, int rule, const char *format, ...) QN_PRINTF_LIKE(3, 4);
static bool refuse(const check *at, int rule, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    at->refusal->rule = rule;
    vsnprintf(at->refusal->reason, sizeof at->refusal->reason, format, arguments);
    va_end(arguments);
    return false;
}

static const char *value_name(const check *at, int value)
{
    return at->graph->values[value].name;
}

static const char *extent_name(const check *at, int extent)
{
    return at->graph->extents[extent].name;
}

/* Whether index k of a call is the one whose neighbours lie side by side in the memory of its first matrix. */
static bool is_fast(const qn_graph *graph, const qn_call *call, int index)
{
    for (int i = 0; i < call->input_count + call->output_count; i++) {
        const qn_use *use = i < call->input_count ? &call->inputs[i] : &call->outputs[i - call->input_count];
        if (use->index_count == 2) return use->indices[graph->values[use->value].column ? 0 : 1] == index;
    }
    return index == 1;
}

int qn_layout_axis(const qn_graph *graph, const qn_layout *layout, int call, const qn_use *use)
{
    const bool is_gathered = graph->calls[call].is_sparse && use->indices[0] == 1;
    if (use->index_count == 0 || is_gathered) return -1;
    return layout->axes[call][use->indices[0]];
}

/* ---- R1 and R7: one space ---- */

/* Whether two calls of a set have to do with each other: one reads the other's results, or both read a value. */
static bool are_related(const qn_graph *graph, int a, int b)
{
    const qn_call *first = &graph->calls[a], *second = &graph->calls[b];
    for (int i = 0; i < first->output_count; i++)
        if (qn_call_reads(second, first->outputs[i].value)) return true;
    for (int i = 0; i < second->output_count; i++)
        if (qn_call_reads(first, second->outputs[i].value)) return true;
    for (int i = 0; i < first->input_count; i++)
        if (first->inputs[i].index_count > 0 && qn_call_reads(second, first->inputs[i].value)) return true;
    return false;
}

static void write_space(const check *at, int call, char text[96])
{
    const qn_call *of = &at->graph->calls[call];
    if (qn_call_dimensions(of) == 1)
        snprintf(text, 96, "%.40s", extent_name(at, of->space[0]));
    else
        snprintf(text, 96, "%.40s × %.40s", extent_name(at, of->space[0]), extent_name(at, of->space[1]));
}

static bool refuse_spaces(const check *at, int a, int b)
{
    char first[96], second[96];
    write_space(at, a, first);
    write_space(at, b, second);
    const char *one = value_name(at, at->graph->calls[a].outputs[0].value);
    const char *other = value_name(at, at->graph->calls[b].outputs[0].value);
    if (are_related(at->graph, a, b))
        return refuse(at, 1, "the space of %s is %s, that of %s is %s", one, first, other, second);
    return refuse(at, 7, "%s (%s) and %s (%s) are independent calls of unequal spaces", one, first, other, second);
}

/* The call whose space is that of the kernel: the first with the most dimensions. */
static int largest_call(const check *at)
{
    int largest = -1, most = 0;
    for (int call = 0; call < at->graph->call_count; call++) {
        const int dimensions = qn_call_dimensions(&at->graph->calls[call]);
        if (!qn_calls_have(at->calls, call) || dimensions <= most) continue;
        largest = call;
        most = dimensions;
    }
    return largest;
}

static bool lay_out_spaces(const check *at, qn_calls *free_axis)
{
    const int largest = largest_call(at);
    qn_layout *layout = at->layout;
    *free_axis = 0;
    if (largest < 0) return true;
    const qn_call *of = &at->graph->calls[largest];
    layout->dimensions = qn_call_dimensions(of);
    const bool swapped = layout->dimensions == 2 && is_fast(at->graph, of, 0);
    for (int k = 0; k < layout->dimensions; k++) layout->extents[swapped ? 1 - k : k] = of->space[k];
    for (int call = 0; call < at->graph->call_count; call++) {
        const qn_call *own = &at->graph->calls[call];
        const int dimensions = qn_call_dimensions(own);
        if (!qn_calls_have(at->calls, call) || dimensions == 0) continue;
        if (own->is_sparse && layout->dimensions == 2) return refuse_spaces(at, largest, call);
        int *axes = layout->axes[call];
        if (dimensions == 2) {
            const int fast = is_fast(at->graph, own, 0) ? 0 : 1;
            axes[fast] = 1, axes[1 - fast] = 0;
            if (own->space[fast] != layout->extents[1] || own->space[1 - fast] != layout->extents[0])
                return refuse_spaces(at, largest, call);
            continue;
        }
        axes[0] = own->space[0] == layout->extents[0] ? 0 : 1;
        if (own->space[0] != layout->extents[axes[0]] || axes[0] >= layout->dimensions)
            return refuse_spaces(at, largest, call);
        if (layout->dimensions == 2 && layout->extents[0] == layout->extents[1]) *free_axis |= qn_calls_one(call);
    }
    return true;
}

/* ---- R2: no way out and back ---- */

static bool is_convex(const check *at)
{
    for (int outside = 0; outside < at->graph->call_count; outside++) {
        if (!qn_calls_have(at->scope->all & ~at->calls, outside)) continue;
        const qn_calls above = at->scope->ancestors[outside] & at->calls;
        for (int call = 0; above && call < at->graph->call_count; call++)
            if (qn_calls_have(at->calls, call) && qn_calls_have(at->scope->ancestors[call], outside))
                return refuse(at, 2, "%s is computed between %s and %s",
                              value_name(at, at->graph->calls[outside].outputs[0].value),
                              value_name(at, at->graph->calls[__builtin_ctzll(above)].outputs[0].value),
                              value_name(at, at->graph->calls[call].outputs[0].value));
    }
    return true;
}

/* ---- R3 to R5: where a value is when it is read ---- */

/* Whether a call of the set overwrites `value` outside of a loop, where it has no second buffer. */
static bool is_overwritten(const check *at, int value)
{
    if (at->graph->sections[at->scope->section].is_loop) return false;
    for (int call = 0; call < at->graph->call_count; call++)
        for (int i = 0; qn_calls_have(at->calls, call) && i < at->graph->calls[call].output_count; i++)
            if (at->graph->values[at->graph->calls[call].outputs[i].value].old == value) return true;
    return false;
}

/* R5: a map may be computed again at another index if all that it reads is known there. */
static bool can_recompute(const check *at, int value, int reader, int depth)
{
    const int producer = at->graph->values[value].producer;
    const qn_call *of = &at->graph->calls[producer];
    if (depth > 32)
        return refuse(at, 5, "%s is computed from too many steps to compute them again", value_name(at, value));
    for (int i = 0; i < of->input_count; i++) {
        const int input = of->inputs[i].value, maker = at->graph->values[input].producer;
        if (is_overwritten(at, input))
            return refuse(at, 5,
                          "%s reads %s at another index than its own, and cannot compute it again there, because "
                          "%s is overwritten",
                          value_name(at, reader), value_name(at, value), value_name(at, input));
        if (maker < 0 || !qn_calls_have(at->calls, maker) || of->inputs[i].index_count == 0) continue;
        if (qn_call_reduces(&at->graph->calls[maker], qn_call_output_of(&at->graph->calls[maker], input)))
            return refuse(at, 5,
                          "%s reads %s at another index than its own, and cannot compute it again there, because "
                          "%s is reduced in the same kernel",
                          value_name(at, reader), value_name(at, value), value_name(at, input));
        if (!can_recompute(at, input, reader, depth + 1)) return false;
    }
    return true;
}

static bool check_reduced(const check *at, int producer, int output, int reader, const qn_use *use)
{
    const qn_call *of = &at->graph->calls[producer];
    const char *name = value_name(at, use->value);
    const char *by = value_name(at, at->graph->calls[reader].outputs[0].value);
    if (use->index_count == 0)
        return refuse(at, 3, "%s is reduced to a scalar, which is complete at the kernel's end; %s reads it", name, by);
    const int axis = at->layout->axes[producer][of->outputs[output].indices[0]];
    if (at->layout->dimensions == 2 && axis == 1)
        return refuse(at, 3,
                      "%s is reduced over %s, along which groups divide the work, and is complete at the kernel's "
                      "end; %s reads it",
                      name, extent_name(at, at->layout->extents[0]), by);
    if (qn_layout_axis(at->graph, at->layout, reader, use) != 0)
        return refuse(
            at, 3, "%s is reduced over %s, so it is known at its own index alone; %s reads it at others", name,
            of->space_count == 2 ? extent_name(at, of->space[1 - of->outputs[output].indices[0]]) : "a row", by);
    return true;
}

static bool check_read(const check *at, int reader, const qn_use *use)
{
    const int producer = at->graph->values[use->value].producer;
    if (producer < 0 || !qn_calls_have(at->calls, producer)) return true;
    const qn_call *of = &at->graph->calls[producer];
    const int output = qn_call_output_of(of, use->value);
    const char *by = value_name(at, at->graph->calls[reader].outputs[0].value);
    if (qn_call_reduces(of, output)) return check_reduced(at, producer, output, reader, use);
    if (use->index_count == 2) {
        const qn_use *made = &of->outputs[output];
        for (int k = 0; k < 2; k++)
            if (at->layout->axes[producer][made->indices[k]] != at->layout->axes[reader][use->indices[k]])
                return refuse(at, 4, "%s reads %s transposed, from other work-items", by, value_name(at, use->value));
        return true;
    }
    if (use->index_count == 0) return true;
    const int own = at->layout->axes[producer][0], read = qn_layout_axis(at->graph, at->layout, reader, use);
    if (own == read) return true;
    return can_recompute(at, use->value, at->graph->calls[reader].outputs[0].value, 0);
}

/* A call begins when the sweeps are over that complete what it reads. */
static void find_levels(const check *at)
{
    qn_layout *layout = at->layout;
    layout->sweeps = 0;
    for (int call = 0; call < at->graph->call_count; call++) {
        if (!qn_calls_have(at->calls, call)) continue;
        layout->levels[call] = 0;
        for (int i = 0; i < at->graph->calls[call].input_count; i++) {
            const int value = at->graph->calls[call].inputs[i].value, producer = at->graph->values[value].producer;
            if (producer < 0 || !qn_calls_have(at->calls, producer)) continue;
            const qn_call *of = &at->graph->calls[producer];
            const bool by_sweep = qn_call_dimensions(of) == 2 && qn_call_reduces(of, qn_call_output_of(of, value));
            const int level = layout->levels[producer] + (by_sweep ? 1 : 0);
            if (level > layout->levels[call]) layout->levels[call] = level;
        }
        if (qn_call_dimensions(&at->graph->calls[call]) == 2 && layout->levels[call] >= layout->sweeps)
            layout->sweeps = layout->levels[call] + 1;
    }
}

/* ---- R6: what is overwritten ---- */

qn_calls qn_rules_recomputed(const qn_graph *graph, qn_calls calls, const qn_layout *layout)
{
    qn_calls found = 0;
    for (int call = graph->call_count - 1; call >= 0; call--) { /* readers come after producers */
        const qn_call *of = &graph->calls[call];
        for (int i = 0; qn_calls_have(calls, call) && i < of->input_count; i++) {
            const qn_use *use = &of->inputs[i];
            const int producer = graph->values[use->value].producer;
            if (use->index_count != 1 || producer < 0 || !qn_calls_have(calls, producer)) continue;
            if (qn_call_reduces(&graph->calls[producer], qn_call_output_of(&graph->calls[producer], use->value)))
                continue;
            if (qn_calls_have(found, call) || qn_layout_axis(graph, layout, call, use) != layout->axes[producer][0])
                found |= qn_calls_one(producer);
        }
    }
    return found;
}

/* When a call runs in its kernel: values of lines are computed before the sweep of their level, matrices' calls and
 * vectors along axis 1 in it. */
static int moment_of(const qn_graph *graph, const qn_layout *layout, int call)
{
    const qn_call *of = &graph->calls[call];
    if (layout->dimensions < 2 || of->space_count == 0) return 0;
    const bool is_line = qn_call_dimensions(of) == 1 && layout->axes[call][0] == 0;
    return 2 * layout->levels[call] + (is_line ? 0 : 1);
}

bool qn_rules_in_place(const qn_scope *scope, qn_calls calls, const qn_layout *layout, int call, int output)
{
    const qn_graph *graph = scope->graph;
    const qn_use *made = &graph->calls[call].outputs[output];
    const int old = graph->values[made->value].old;
    const qn_calls recomputed = qn_rules_recomputed(graph, calls, layout);
    for (int other = 0; other < graph->call_count; other++) {
        const qn_call *of = &graph->calls[other];
        for (int i = 0; qn_calls_have(calls, other) && i < of->input_count; i++) {
            const qn_use *use = &of->inputs[i];
            if (use->value != old) continue;
            if (moment_of(graph, layout, other) > moment_of(graph, layout, call)) return false;
            if (use->index_count > 0 && qn_calls_have(recomputed, other)) return false;
            if (use->index_count == 0) continue;
            if (of->is_sparse && use->indices[0] == 1) return false;
            for (int k = 0; k < use->index_count; k++)
                if (layout->axes[other][use->indices[k]] != layout->axes[call][made->indices[k]]) return false;
            /* In two dimensions every group reads a vector along axis 1, and one of them writes it. */
            if (layout->dimensions == 2 && use->index_count == 1 && layout->axes[other][use->indices[0]] == 1)
                return false;
        }
    }
    return true;
}

static bool check_writes(const check *at)
{
    if (at->graph->sections[at->scope->section].is_loop) return true; /* double-buffered where it must be */
    if (!(at->calls & (at->calls - 1))) return true;                  /* so is what one call alone overwrites */
    for (int call = 0; call < at->graph->call_count; call++)
        for (int i = 0; qn_calls_have(at->calls, call) && i < at->graph->calls[call].output_count; i++) {
            const int value = at->graph->calls[call].outputs[i].value;
            if (at->graph->values[value].old < 0 || at->graph->values[value].kind == QN_SCALAR) continue;
            if (!qn_rules_in_place(at->scope, at->calls, at->layout, call, i))
                return refuse(at, 6, "%s is overwritten, and read at other indices or later", value_name(at, value));
        }
    return true;
}

/* ---- R4: places of implementations ---- */

/* The dimension of a group along an axis: the last axis runs along x. */
static qn_where where_of(const qn_layout *layout, int axis)
{
    return layout->dimensions == 2 && axis == 0 ? QN_WHERE_Y : QN_WHERE_X;
}

static bool fits_place(const check *at, int call, const qn_formal *formal, const qn_where *places)
{
    const qn_call *of = &at->graph->calls[call];
    for (int k = 0; k < formal->index_count; k++) {
        const int index = formal->indices[k];
        if (places[k] == QN_WHERE_ANY || (of->is_sparse && index == 1)) continue;
        if (where_of(at->layout, at->layout->axes[call][index]) == places[k]) continue;
        return refuse(at, 4, "%s by %s holds %s of %s along %s, and the kernel along %s",
                      value_name(at, of->outputs[0].value), of->implementation->name, of->function->indices[index],
                      formal->name, places[k] == QN_WHERE_X ? "x" : "y", places[k] == QN_WHERE_X ? "y" : "x");
    }
    return true;
}

static bool check_places(const check *at)
{
    for (int call = 0; call < at->graph->call_count; call++) {
        const qn_call *of = &at->graph->calls[call];
        if (!qn_calls_have(at->calls, call) || !of->implementation) continue;
        for (int i = 0; i < of->input_count; i++)
            if (!fits_place(at, call, &of->function->inputs[i], of->implementation->input_places[i])) return false;
        for (int i = 0; i < of->output_count; i++)
            if (!fits_place(at, call, &of->function->outputs[i], of->implementation->output_places[i])) return false;
    }
    return true;
}

/* ---- R8: the device ---- */

/* Sums along lines take 64 · 33 floats each of the 48 KiB of local memory that every GPU has. */
enum { ARGUMENTS_MAX = 24, ROW_SUMS_MAX = 4 };

static bool fits_device(const check *at)
{
    bool reads[QN_GRAPH_VALUES_MAX], writes[QN_GRAPH_VALUES_MAX];
    int arguments = at->layout->dimensions, row_sums = 0; /* sizes */
    qn_calls_traffic(at->scope, at->calls, reads, writes);
    for (int value = 0; value < at->graph->value_count; value++) {
        const qn_value *of = &at->graph->values[value];
        if (!reads[value] && !writes[value]) continue;
        arguments += of->kind == QN_CSR ? 3 : of->kind == QN_MATRIX ? 2 : 1;
        arguments +=
            reads[value] && qn_value_reduction(at->graph, value) != QN_REDUCE_NONE; /* the number of its parts */
    }
    for (int call = 0; call < at->graph->call_count; call++)
        for (int i = 0; qn_calls_have(at->calls, call) && i < at->graph->calls[call].output_count; i++)
            row_sums += qn_call_dimensions(&at->graph->calls[call]) == 2 &&
                        qn_call_reduces(&at->graph->calls[call], i) &&
                        at->graph->calls[call].outputs[i].index_count == 1;
    if (arguments > ARGUMENTS_MAX)
        return refuse(at, 8, "the kernel would have %d arguments, and can have %d", arguments, ARGUMENTS_MAX);
    if (row_sums > ROW_SUMS_MAX)
        return refuse(at, 8, "the kernel would add up %d vectors in local memory, which holds %d", row_sums,
                      ROW_SUMS_MAX);
    return true;
}

/* ---- all of them ---- */

/* In a square matrix's kernel a vector call may lie along either axis. */
typedef struct axes_search {
    const check *at;
    qn_calls free;
    int calls[QN_GRAPH_CALLS_MAX], count; /* the free ones */
    int tries;                            /* of choices for all calls */
} axes_search;

/* Check what calls of `readers` read of those of `makers`. If they cannot, *conflict gets the free makers. */
static bool check_reads(const check *at, qn_calls readers, qn_calls makers, qn_calls *conflict)
{
    for (int call = 0; call < at->graph->call_count; call++)
        for (int i = 0; qn_calls_have(readers, call) && i < at->graph->calls[call].input_count; i++) {
            const qn_use *use = &at->graph->calls[call].inputs[i];
            const int producer = at->graph->values[use->value].producer;
            if (producer < 0 || !qn_calls_have(makers, producer) || check_read(at, call, use)) continue;
            *conflict = qn_calls_one(producer);
            return false;
        }
    return true;
}

/* Choose axes of the free calls from number `k` on, rows first. If there are none, *conflict gets the calls before
 * whose axes are to blame, so that no other call is tried again for nothing. */
static bool choose_axes(axes_search *of, int k, qn_calls *conflict)
{
    enum { TRIES_MAX = 64 };
    const check *at = of->at;
    *conflict = of->free;
    if (k == of->count) {
        of->tries++;
        return check_writes(at) && check_places(at);
    }
    const qn_calls own = qn_calls_one(of->calls[k]);
    qn_calls blamed = 0;
    for (int axis = 0; axis < 2 && of->tries < TRIES_MAX; axis++) {
        qn_calls below = 0;
        at->layout->axes[of->calls[k]][0] = axis;
        if (check_reads(at, own, at->calls, &below) && check_reads(at, at->calls & ~of->free, own, &below)) {
            if (choose_axes(of, k + 1, &below)) return true;
            if (!(below & own)) {
                *conflict = below;
                return false;
            }
        }
        blamed |= below & of->free & ~own;
    }
    *conflict = blamed;
    return false;
}

static bool check_axes(const check *at, qn_calls free_axis)
{
    axes_search search = {.at = at, .free = free_axis};
    qn_calls conflict;
    find_levels(at);
    if (check_reads(at, at->calls, at->calls, &conflict) && check_writes(at) && check_places(at)) return true;
    const qn_refusal first = *at->refusal;
    for (int call = 0; call < at->graph->call_count; call++)
        if (qn_calls_have(free_axis, call)) search.calls[search.count++] = call;
    at->refusal->rule = 0;
    if (search.count > 0 && check_reads(at, at->calls & ~free_axis, at->calls & ~free_axis, &conflict) &&
        choose_axes(&search, 0, &conflict)) {
        at->refusal->rule = 0;
        return true;
    }
    *at->refusal = first;
    return false;
}

bool qn_rules_allow(const qn_scope *scope, qn_calls calls, qn_layout *layout, qn_refusal *refusal)
{
    qn_refusal unused;
    qn_calls free_axis;
    const check at = {scope, scope->graph, calls, layout, refusal ? refusal : &unused};
    memset(layout, 0, sizeof *layout);
    at.refusal->rule = 0;
    return is_convex(&at) && lay_out_spaces(&at, &free_axis) && check_axes(&at, free_axis) && fits_device(&at);
}
