/* A loop's body as a ring: late calls of a round run together with the early calls of the next one. */
#include <string.h>

#include "base/memory.h"
#include "fuse/graph/graph.h"

typedef struct rotation {
    const qn_graph *from;
    qn_graph *to;
    int section;
    uint64_t late;
    int copies[QN_GRAPH_VALUES_MAX];  /* in the ring, of what a round makes; -1: none */
    int befores[QN_GRAPH_VALUES_MAX]; /* what a value was in the round before; -1: nobody reads that */
    bool is_full;
} rotation;

int qn_section_next(const qn_graph *graph, int section, int value)
{
    for (int next = 0; next < graph->value_count; next++)
        if (graph->values[next].old == value && qn_section_has(&graph->sections[section], graph->values[next].producer))
            return next;
    return -1;
}

static bool is_late(const rotation *at, int call)
{
    return at->late >> call & 1;
}

static bool is_in_loop(const rotation *at, int call)
{
    return qn_section_has(&at->from->sections[at->section], call);
}

static bool is_early(const rotation *at, int call)
{
    return is_in_loop(at, call) && !is_late(at, call);
}

/* ---- values ---- */

static int add_value(rotation *at, int like, int copy_of, int before_of)
{
    qn_graph *to = at->to;
    if (to->value_count == QN_GRAPH_VALUES_MAX) {
        at->is_full = true;
        return like;
    }
    qn_value *made = &to->values[to->value_count];
    *made = at->from->values[like];
    made->is_given = made->is_result = made->is_carried = false;
    made->old = made->producer = -1;
    made->copy_of = copy_of;
    made->before_of = before_of;
    return to->value_count++;
}

/* The value of the round before. That of next x lies where x does. */
static int before(rotation *at, int value)
{
    const int old = at->from->values[value].old;
    const bool is_next = old >= 0 && is_in_loop(at, at->from->values[value].producer);
    if (at->befores[value] < 0) at->befores[value] = add_value(at, is_next ? old : value, is_next ? old : -1, value);
    return at->befores[value];
}

/* The value that a late call of the ring reads for `value` of its round. */
static int late_reads(rotation *at, int value)
{
    const int producer = at->from->values[value].producer, next = qn_section_next(at->from, at->section, value);
    if (producer >= 0 && is_late(at, producer)) return at->copies[value];
    if (producer >= 0 && is_early(at, producer)) return before(at, value);
    return next >= 0 && is_early(at, at->from->values[next].producer) ? before(at, value) : value;
}

static int early_reads(rotation *at, int value)
{
    const int producer = at->from->values[value].producer, next = qn_section_next(at->from, at->section, value);
    if (producer >= 0 && is_early(at, producer)) return at->copies[value];
    if (next < 0) return value;
    return is_late(at, at->from->values[next].producer) ? at->copies[next] : before(at, next);
}

/* Whether one of some calls reads a value. */
static bool are_reading(const rotation *at, uint64_t calls, int value)
{
    for (int call = 0; call < at->from->call_count; call++)
        if ((calls >> call & 1) && qn_call_reads(&at->from->calls[call], value)) return true;
    return false;
}

/* Whether x of `next x` is read by late calls, which need it after the early ones. */
static bool is_old_awaited(const rotation *at, int value)
{
    const int old = at->from->values[value].old;
    return old >= 0 && are_reading(at, at->late, old);
}

static bool is_in_condition(const qn_graph *graph, int value)
{
    for (int i = 0; i < graph->section_count; i++)
        for (int k = 0; k < graph->sections[i].until.use_count; k++)
            if (graph->sections[i].until.uses[k].value == value) return true;
    return false;
}

/* Calls of a section, as bits. */
static uint64_t calls_of(const qn_section *section)
{
    return (section->call_count < 64 ? (UINT64_C(1) << section->call_count) - 1 : ~UINT64_C(0)) << section->first_call;
}

/* Whether a value that an early call makes is read after all early calls. */
static bool is_kept(const rotation *at, int value)
{
    const qn_value *of = &at->from->values[value];
    const uint64_t early = calls_of(&at->from->sections[at->section]) & ~at->late;
    return of->is_result || of->old >= 0 || is_in_condition(at->from, value) || are_reading(at, ~early, value);
}

/* ---- calls ---- */

/* Late calls without those that only the tail needs. */
static uint64_t find_needed(const rotation *at)
{
    const uint64_t early = calls_of(&at->from->sections[at->section]) & ~at->late;
    uint64_t needed = 0;
    for (int call = at->from->call_count - 1; call >= 0; call--)
        for (int i = 0; is_late(at, call) && i < at->from->calls[call].output_count; i++) {
            const int value = at->from->calls[call].outputs[i].value, old = at->from->values[value].old;
            if (is_old_awaited(at, value) || are_reading(at, needed, value) ||
                (old >= 0 && are_reading(at, early, old)))
                needed |= UINT64_C(1) << call;
        }
    return needed;
}

static qn_section *add_section(rotation *at, const qn_section *like, qn_section_part part)
{
    qn_section *made = &at->to->sections[at->to->section_count++];
    *made = *like;
    made->part = part;
    made->first_call = at->to->call_count;
    made->call_count = 0;
    return made;
}

static qn_call *add_call(rotation *at, qn_section *section, int like)
{
    qn_call *made = &at->to->calls[at->to->call_count++];
    *made = at->from->calls[like];
    made->section = (int)(section - at->to->sections);
    section->call_count++;
    return made;
}

/* Move calls of the old graph into a section. */
static void move_calls(rotation *at, qn_section *section, uint64_t calls)
{
    for (int call = 0; call < at->from->call_count; call++) {
        if (!(calls >> call & 1)) continue;
        const int number = at->to->call_count;
        const qn_call *made = add_call(at, section, call);
        for (int i = 0; i < made->output_count; i++) at->to->values[made->outputs[i].value].producer = number;
    }
}

static void copy_outputs(rotation *at, qn_section *ring, uint64_t calls)
{
    for (int call = 0; call < at->from->call_count; call++) {
        if (!(calls >> call & 1)) continue;
        const int number = at->to->call_count;
        qn_call *made = add_call(at, ring, call);
        for (int i = 0; i < made->output_count; i++) {
            const int value = made->outputs[i].value, copy = add_value(at, value, value, -1);
            at->to->values[copy].producer = number;
            at->to->values[copy].is_awaited = is_late(at, call) ? is_old_awaited(at, value) : is_kept(at, value);
            at->copies[value] = made->outputs[i].value = copy;
        }
    }
}

/* Let the ring's calls read what the ring makes, and values that are replaced be those that the ring reads. */
static void connect(rotation *at, const qn_section *ring, int late_count)
{
    for (int i = 0; i < ring->call_count; i++) {
        qn_call *call = &at->to->calls[ring->first_call + i];
        for (int k = 0; k < call->input_count; k++)
            call->inputs[k].value =
                i < late_count ? late_reads(at, call->inputs[k].value) : early_reads(at, call->inputs[k].value);
    }
    for (int value = 0; value < at->from->value_count; value++) {
        if (at->copies[value] < 0) continue;
        qn_value *copy = &at->to->values[at->copies[value]];
        const int old = at->from->values[value].old;
        const bool is_early_value = is_early(at, at->from->values[value].producer);
        copy->old = is_early_value ? at->befores[value] : old;
        if (at->befores[value] >= 0) at->to->values[at->befores[value]].is_awaited = is_old_awaited(at, value);
    }
}

static void fill(rotation *at)
{
    const uint64_t needed = find_needed(at);
    at->to->call_count = at->to->section_count = 0;
    for (int i = 0; i < at->from->section_count; i++) {
        const qn_section *section = &at->from->sections[i];
        const uint64_t calls = calls_of(section);
        if (i != at->section) {
            move_calls(at, add_section(at, section, section->part), calls);
            continue;
        }
        move_calls(at, add_section(at, section, QN_SECTION_HEAD), calls & ~at->late);
        qn_section *ring = add_section(at, section, QN_SECTION_RING);
        copy_outputs(at, ring, needed);
        const int late_count = ring->call_count;
        copy_outputs(at, ring, calls & ~at->late);
        connect(at, ring, late_count);
        move_calls(at, add_section(at, section, QN_SECTION_TAIL), at->late);
    }
}

qn_status qn_graph_rotate(const qn_graph *graph, int section, uint64_t late, qn_graph **rotated)
{
    rotation at = {.from = graph, .section = section, .late = late};
    *rotated = NULL;
    if (graph->call_count + graph->sections[section].call_count > QN_GRAPH_CALLS_MAX ||
        graph->section_count + 2 > QN_GRAPH_SECTIONS_MAX)
        return QN_OK;
    for (int value = 0; value < QN_GRAPH_VALUES_MAX; value++) at.copies[value] = at.befores[value] = -1;
    QN_TRY(qn_allocate(1, sizeof *at.to, (void **)&at.to));
    *at.to = *graph;
    fill(&at);
    if (at.is_full) qn_release(&at.to);
    *rotated = at.to;
    return QN_OK;
}
