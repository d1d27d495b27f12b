#include "fuse/program/choose.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* ---- operations ---- */

void qn_point_slots(const qn_point *point, int slots[QN_PIPES])
{
    static const char roots[] = " SQRT RSQRT EXP LOG SIN COS ";
    char word[24];
    for (int i = 0; i < qn_point_child_count(point); i++) qn_point_slots(point->children[i], slots);
    switch (point->kind) {
    case QN_POINT_NUMBER:
    case QN_POINT_INPUT:
    case QN_POINT_NEGATE: return;
    case QN_POINT_DIVIDE: slots[QN_PIPE_ROOT]++; return;
    case QN_POINT_WORD:
        snprintf(word, sizeof word, " %s ", qn_point_words[point->slot].name);
        slots[strstr(roots, word) ? QN_PIPE_ROOT : QN_PIPE_MULTIPLY_ADD]++;
        return;
    default: slots[QN_PIPE_MULTIPLY_ADD]++;
    }
}

static void slots_of(const qn_function *function, const qn_implementation *implementation, int slots[QN_PIPES])
{
    memset(slots, 0, QN_PIPES * sizeof *slots);
    for (int i = 0; implementation && i < QN_PIPES; i++) slots[i] = implementation->slots[i];
    if (implementation && implementation->has_slots) return;
    for (int i = 0; i < function->output_count; i++) {
        qn_point_slots(function->meanings[i].term, slots);
        slots[QN_PIPE_MULTIPLY_ADD] += function->meanings[i].reduction != QN_REDUCE_NONE;
    }
}

/* ---- conditions ---- */

/* Words of conditions: what a kernel's shape has on every device, and the implementation's tunables. */
enum { SHAPE_WORDS = 3 };
typedef struct words {
    qn_tunable tunables[SHAPE_WORDS + QN_IMPLEMENTATION_TUNABLES_MAX];
    qn_configuration configuration;
    qn_family family;
} words;

static void list_words(const qn_implementation *of, const qn_device_info *info, words *into)
{
    const qn_shape shape = qn_program_default_shape(info);
    const int values[SHAPE_WORDS] = {shape.group_x, shape.group_y, shape.elements};
    static const char *const names[SHAPE_WORDS] = {"GROUP_X", "GROUP_Y", "ELEMENTS"};
    *into = (words){.family = {.name = of->name}};
    for (int i = 0; i < SHAPE_WORDS; i++) {
        into->tunables[i].name = names[i];
        into->configuration.value[i] = values[i];
    }
    for (int i = 0; i < of->tunable_count; i++) into->tunables[SHAPE_WORDS + i].name = of->tunables[i].name;
    into->family.tunables = into->tunables;
    into->family.tunable_count = SHAPE_WORDS + of->tunable_count;
}

/* Whether all conditions hold for a choice; `reason` gets the first that does not. */
static qn_status check_conditions(const qn_function *function, const qn_implementation *of, const qn_device_info *info,
                                  words *with, bool *holds, char reason[320])
{
    *holds = true;
    for (int i = 0; i < of->need_count + 2 && *holds; i++) {
        const int axis = i - of->need_count; /* of the threads; below 0: a need */
        const qn_implementation_need *need = axis < 0 ? &of->needs[i] : &of->threads[axis];
        char text[320];
        const char *const constraint = text;
        if (!need->text) continue;
        snprintf(text, sizeof text,
                 axis < 0    ? "%.300s"
                 : axis == 0 ? "GROUP_X == (%.280s)"
                             : "GROUP_Y == (%.280s)",
                 need->text);
        with->family.constraints = &constraint;
        with->family.constraint_count = 1;
        if (qn_family_allows(&with->family, info, &with->configuration, holds, NULL) != QN_OK)
            return QN_SOURCE_FAIL(function->source, need->offset,
                                  "found \"%.60s\", which cannot be computed: %.300s; expected an expression over "
                                  "tunables and the device",
                                  need->text, qn_error_message());
        if (axis < 0)
            snprintf(reason, 320, "it needs %.200s, which does not hold on %s", need->text, info->identifier);
        else
            snprintf(reason, 320, "it has groups of %.200s work-items along %s, and kernels on %s have %d", need->text,
                     axis == 0 ? "x" : "y", info->identifier, with->configuration.value[axis]);
    }
    return QN_OK;
}

/* The next choice of tunables' values; false: that was the last. */
static bool next_choice(const qn_implementation *of, int *places)
{
    for (int i = 0; i < of->tunable_count; i++) {
        if (++places[i] < of->tunables[i].value_count) return true;
        places[i] = 0;
    }
    return false;
}

/* ---- one implementation ---- */

/* On a device whose tuner is free, every choice must be right; on the host there is one. */
static qn_status try_choices(const qn_chooser *chooser, const qn_function *function, qn_candidate *made)
{
    const qn_implementation *of = made->of;
    const bool is_host = strcmp(chooser->info->driver, "host") == 0;
    int places[QN_IMPLEMENTATION_TUNABLES_MAX] = {0};
    words with;
    list_words(of, chooser->info, &with);
    do {
        int choices[QN_IMPLEMENTATION_TUNABLES_MAX] = {0};
        bool holds;
        qn_judgement judgement = {.is_right = function->is_shipped};
        for (int i = 0; i < of->tunable_count; i++)
            with.configuration.value[SHAPE_WORDS + i] = choices[i] = of->tunables[i].values[places[i]];
        QN_TRY(check_conditions(function, of, chooser->info, &with, &holds, made->reason));
        if (!holds) continue;
        if (!function->is_shipped && !chooser->device)
            snprintf(judgement.reason, sizeof judgement.reason, "no device compares it with point");
        else if (!function->is_shipped)
            QN_TRY(qn_implementation_judge(chooser->device, chooser->library, function, of, choices, &judgement));
        if (!judgement.is_right) {
            made->is_usable = false;
            made->is_faulty = true;
            snprintf(made->reason, sizeof made->reason, "%s", judgement.reason);
            return QN_OK;
        }
        if (!made->is_usable) memcpy(made->choices, choices, sizeof choices);
        made->is_usable = true;
        if (is_host) return QN_OK;
    } while (next_choice(of, places));
    return QN_OK;
}

qn_status qn_implementation_try(const qn_chooser *chooser, const qn_function *function,
                                const qn_implementation *implementation, qn_candidate *candidate)
{
    *candidate = (qn_candidate){.of = implementation};
    return try_choices(chooser, function, candidate);
}

/* Measured rates decide, or else operations. */
static bool is_better(const qn_chooser *chooser, const qn_function *function, const qn_implementation *of,
                      const qn_implementation *best)
{
    const double own = chooser->rate_of ? chooser->rate_of(chooser->user, function, of) : 0,
                 other = chooser->rate_of ? chooser->rate_of(chooser->user, function, best) : 0;
    int slots[QN_PIPES], best_slots[QN_PIPES];
    if (own > 0 && other > 0) return own > other;
    if (best) return false; /* the first one of the library */
    slots_of(function, of, slots);
    slots_of(function, best, best_slots);
    for (int pipe = 0; pipe < QN_PIPES; pipe++)
        if (slots[pipe] > best_slots[pipe]) return false;
    return true;
}

static qn_status choose_for(const qn_chooser *chooser, const qn_function *function, qn_candidate *best, qn_text *notes,
                            qn_text *faults)
{
    *best = (qn_candidate){.of = NULL};
    for (const qn_implementation *of = function->implementations; of; of = of->following) {
        qn_candidate made;
        QN_TRY(qn_implementation_try(chooser, function, of, &made));
        if (!made.is_usable)
            QN_TRY(qn_text_append(notes, "%s by %s is not used: %s\n", function->name, of->name, made.reason));
        if (made.is_faulty)
            QN_TRY(qn_text_append(faults, "%s by %s is not used: %s\n", function->name, of->name, made.reason));
        if (made.is_usable && is_better(chooser, function, of, best->of)) *best = made;
    }
    return QN_OK;
}

/* ---- all calls ---- */

static void count_slots(qn_call *call)
{
    memset(call->slots, 0, sizeof call->slots);
    if (call->function)
        slots_of(call->function, call->implementation, call->slots);
    else
        qn_point_slots(call->meanings[0].term, call->slots);
}

/* Tunables and conditions of all implementations that the graph has so far. */
static bool has_room(const qn_graph *graph)
{
    int tunables = 0, conditions = 0;
    for (int call = 0; call < graph->call_count; call++) {
        const qn_implementation *of = graph->calls[call].implementation;
        if (!qn_body_is_first(graph, call)) continue;
        tunables += of->tunable_count;
        conditions += of->need_count + (of->threads[0].text ? 2 : 0);
    }
    return tunables <= QN_BODY_TUNABLES_MAX && conditions <= QN_BODY_NEEDS_MAX;
}

/* Give a call an implementation, if its places fit those of a kernel of its own. */
static qn_status give(qn_graph *graph, int call, const qn_candidate *best, qn_text *notes)
{
    qn_call *own = &graph->calls[call];
    qn_scope scope;
    qn_layout layout;
    qn_refusal refusal;
    if (!best->of) return QN_OK;
    own->implementation = best->of;
    memcpy(own->choices, best->choices, sizeof own->choices);
    qn_scope_make(graph, own->section, &scope);
    const bool is_legal = qn_rules_allow(&scope, qn_calls_one(call), &layout, &refusal);
    if (is_legal && has_room(graph)) return QN_OK;
    own->implementation = NULL;
    return qn_text_append(notes, "%s by %s is not used: %s\n", own->text, best->of->name,
                          is_legal ? "other implementations of the sequence have too many tunables or conditions"
                                   : refusal.reason);
}

qn_status qn_implementations_choose(const qn_chooser *chooser, qn_graph *graph, qn_text *notes, qn_text *faults)
{
    for (int call = 0; call < graph->call_count; call++) graph->calls[call].implementation = NULL;
    for (int call = 0; call < graph->call_count; call++) {
        const qn_function *function = graph->calls[call].function;
        bool is_first = function && function->implementations;
        qn_candidate best;
        for (int other = 0; is_first && other < call; other++) is_first = graph->calls[other].function != function;
        if (!is_first) continue;
        QN_TRY(choose_for(chooser, function, &best, notes, faults));
        for (int other = call; other < graph->call_count; other++)
            if (graph->calls[other].function == function) QN_TRY(give(graph, other, &best, notes));
    }
    for (int call = 0; call < graph->call_count; call++) {
        qn_call *own = &graph->calls[call];
        count_slots(own);
        if (own->function && chooser->rate_of)
            own->bytes_per_s = chooser->rate_of(chooser->user, own->function, own->implementation);
    }
    return QN_OK;
}
