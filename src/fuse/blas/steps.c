#include "fuse/blas/steps.h"

#include <string.h>

#include "base/error.h"

/* Facts of the calls, found before the steps are written. */
typedef struct mapping {
    qn_blas_steps *made;
    const qn_graph *graph;
    qn_blas_kinds kinds;
    int runs_at[QN_GRAPH_CALLS_MAX]; /* the call at whose place a call is done: its own, or the sum it is added to */
} mapping;

static bool is_product(const qn_call *call)
{
    return call->output_count == 1 &&
           (strcmp(call->name, "gemv") == 0 || strcmp(call->name, "gemtv") == 0 || strcmp(call->name, "spmv") == 0);
}

static bool is_scalar_map(const qn_call *call)
{
    return call->space_count == 0 && call->output_count == 1;
}

/* ---- which products are added to a sum ---- */

static int count_readers(const qn_graph *graph, int value)
{
    int readers = 0;
    for (int call = 0; call < graph->call_count; call++)
        for (int i = 0; i < graph->calls[call].input_count; i++) readers += graph->calls[call].inputs[i].value == value;
    return readers;
}

static qn_status find_places(mapping *at)
{
    const qn_graph *graph = at->graph;
    qn_blas_term terms[QN_BLAS_TERMS_MAX];
    int count;
    for (int call = 0; call < graph->call_count; call++) at->runs_at[call] = call;
    for (int call = 0; call < graph->call_count; call++) {
        if (is_scalar_map(&graph->calls[call])) continue;
        QN_TRY(qn_blas_expand(graph, &graph->calls[call], terms, &count));
        for (int i = 0; i < count; i++) {
            const int producer = graph->values[terms[i].x].producer;
            if (producer < 0 || terms[i].y >= 0 || !is_product(&graph->calls[producer])) continue;
            if (graph->values[terms[i].x].is_made && count_readers(graph, terms[i].x) == 1 &&
                graph->calls[producer].section == graph->calls[call].section)
                at->runs_at[producer] = call;
        }
    }
    return QN_OK;
}

/* ---- memory ---- */

/* Whether a call reads a value at each element's own place alone, so that the result may take the value's memory. */
static qn_status reads_in_place(const mapping *at, int call, int value, bool *in_place)
{
    const qn_call *of = &at->graph->calls[call];
    qn_blas_term terms[QN_BLAS_TERMS_MAX];
    int count, uses = 0;
    *in_place = !qn_call_reads(of, value) || is_scalar_map(of);
    if (*in_place) return QN_OK;
    QN_TRY(qn_blas_expand(at->graph, of, terms, &count));
    *in_place = count >= 0;
    for (int i = 0; i < count; i++) {
        if (terms[i].x == value && terms[i].y < 0) uses++;
        if (terms[i].y >= 0 && (terms[i].x == value || terms[i].y == value)) *in_place = false;
    }
    *in_place = *in_place && uses <= 1;
    return QN_OK;
}

static qn_status choose_memory(mapping *at)
{
    const qn_graph *graph = at->graph;
    qn_blas_steps *made = at->made;
    for (int value = 0; value < graph->value_count; value++) {
        const int old = graph->values[value].old, producer = graph->values[value].producer;
        made->memory[value] = value;
        if (old < 0 || producer < 0) continue;
        bool in_place;
        QN_TRY(reads_in_place(at, producer, old, &in_place));
        for (int call = 0; call < graph->call_count; call++)
            if (call != producer && qn_call_reads(&graph->calls[call], old) &&
                graph->calls[call].section == graph->calls[producer].section && at->runs_at[call] >= producer)
                in_place = false;
        if (in_place) made->memory[value] = made->memory[old];
    }
    for (int value = 0; value < graph->value_count; value++) {
        const int producer = graph->values[value].producer;
        const bool is_made = producer >= 0 && at->runs_at[producer] == producer;
        if (graph->values[value].is_given || is_made) made->in_memory[made->memory[value]] = true;
    }
    return QN_OK;
}

/* ---- steps ---- */

static qn_status add(mapping *at, const qn_blas_step *step)
{
    if (!(at->kinds >> step->kind & 1) && at->made->refused < 0) at->made->refused = step->call;
    if (at->made->count == QN_BLAS_STEPS_MAX)
        return QN_FAIL(QN_UNSUPPORTED, "%s: found more than %d BLAS calls; expected a shorter sequence",
                       at->graph->name, QN_BLAS_STEPS_MAX);
    at->made->steps[at->made->count++] = *step;
    return QN_OK;
}

/* A product into a value, with a factor whose inputs are those of `call`. */
static qn_status add_product(mapping *at, int product, int call, const qn_point *factor, int into, bool is_added)
{
    const qn_call *of = &at->graph->calls[product];
    const qn_value *matrix = &at->graph->values[of->inputs[0].value];
    const qn_blas_step step = {.kind = of->is_sparse ? QN_BLAS_SPMV : QN_BLAS_GEMV,
                               .call = call,
                               .alpha = factor,
                               .is_added = is_added,
                               .transposed = (strcmp(of->name, "gemtv") == 0) != matrix->column,
                               .matrix = of->inputs[0].value,
                               .x = of->inputs[1].value,
                               .y = -1,
                               .into = into};
    return add(at, &step);
}

static bool is_deferred(const mapping *at, const qn_blas_term *term)
{
    const int producer = term->y < 0 ? at->graph->values[term->x].producer : -1;
    return producer >= 0 && at->runs_at[producer] != producer;
}

/* The term that the target begins as: the value whose memory it takes, or a vector without a factor, or any vector; -1:
 * all are products. */
static int choose_base(const mapping *at, const qn_blas_term *terms, int count, int into)
{
    int base = -1;
    for (int i = 0; i < count; i++) {
        if (terms[i].y >= 0 || is_deferred(at, &terms[i])) continue;
        if (at->made->memory[terms[i].x] == at->made->memory[into]) return i;
        if (base < 0 || (terms[base].factor && !terms[i].factor)) base = i;
    }
    return base;
}

/* Begin the target with one term, or with two where the library adds two: *second is the other one; -1: none. */
static qn_status add_base(mapping *at, int call, const qn_blas_term *terms, int count, int base, int *second)
{
    const int into = at->graph->calls[call].outputs[0].value;
    const bool in_place = at->made->memory[terms[base].x] == at->made->memory[into];
    qn_blas_step step = {.kind = QN_BLAS_GEAM,
                         .call = call,
                         .alpha = terms[base].factor,
                         .matrix = -1,
                         .y = -1,
                         .x = terms[base].x,
                         .into = into};
    *second = -1;
    if (in_place && !terms[base].factor) return QN_OK;
    if (at->kinds & QN_BLAS_HAS(GEAM)) {
        for (int i = 0; i < count && *second < 0; i++)
            if (i != base && terms[i].y < 0 && !is_deferred(at, &terms[i])) *second = i;
        if (*second >= 0) step.y = terms[*second].x, step.beta = terms[*second].factor;
        if (*second >= 0 || terms[base].factor) return add(at, &step);
    }
    step.kind = QN_BLAS_COPY;
    step.alpha = NULL;
    if (!in_place) QN_TRY(add(at, &step));
    step.kind = QN_BLAS_SCAL;
    step.alpha = terms[base].factor;
    return step.alpha ? add(at, &step) : QN_OK;
}

/* Add two outer products at once where the library can, the term and the next one; *other is that one, -1: none. */
static qn_status add_pair(mapping *at, int call, const qn_blas_term *terms, int count, int term, int *other)
{
    *other = -1;
    if (!(at->kinds & QN_BLAS_HAS(GER2)) || terms[term].y < 0) return QN_OK;
    for (int i = term + 1; i < count && *other < 0; i++)
        if (terms[i].y >= 0) *other = i;
    if (*other < 0) return QN_OK;
    const qn_blas_step step = {.kind = QN_BLAS_GER2,
                               .call = call,
                               .alpha = terms[term].factor,
                               .beta = terms[*other].factor,
                               .matrix = -1,
                               .x = terms[term].x,
                               .y = terms[term].y,
                               .x2 = terms[*other].x,
                               .y2 = terms[*other].y,
                               .into = at->graph->calls[call].outputs[0].value};
    return add(at, &step);
}

static qn_status add_sum(mapping *at, int call, const qn_blas_term *terms, int count)
{
    const int into = at->graph->calls[call].outputs[0].value, base = choose_base(at, terms, count, into);
    bool done[QN_BLAS_TERMS_MAX] = {false};
    int second = -1;
    bool begun = base >= 0;
    if (begun) QN_TRY(add_base(at, call, terms, count, base, &second));
    for (int i = 0; i < count; i++) {
        const qn_blas_term *term = &terms[i];
        int other;
        if (i == base || i == second || done[i]) continue;
        if (!begun && !is_deferred(at, term)) at->made->refused = call; /* nothing to add to */
        QN_TRY(add_pair(at, call, terms, count, i, &other));
        if (other >= 0) {
            done[other] = true;
            continue;
        }
        const qn_blas_step step = {.kind = term->y >= 0 ? QN_BLAS_GER : QN_BLAS_AXPY,
                                   .call = call,
                                   .alpha = term->factor,
                                   .matrix = -1,
                                   .x = term->x,
                                   .y = term->y,
                                   .into = into};
        QN_TRY(is_deferred(at, term)
                   ? add_product(at, at->graph->values[term->x].producer, call, term->factor, into, begun)
                   : add(at, &step));
        begun = true;
    }
    return QN_OK;
}

/* Sums of products of two vectors, and of magnitudes. */
static qn_status add_reduction(mapping *at, int call, bool *done)
{
    const qn_call *of = &at->graph->calls[call];
    const qn_point *term = of->meanings[0].term;
    const qn_point *const *parts = term->children;
    qn_blas_step step = {.call = call, .matrix = -1, .y = -1, .into = of->outputs[0].value};
    *done = of->output_count == 1 && of->space_count == 1 && of->outputs[0].index_count == 0 &&
            of->meanings[0].reduction == QN_REDUCE_SUM && !of->is_sparse;
    if (!*done) return QN_OK;
    if (term->kind == QN_POINT_MULTIPLY && parts[0]->kind == QN_POINT_INPUT && parts[1]->kind == QN_POINT_INPUT) {
        step.kind = QN_BLAS_DOT;
        step.x = of->inputs[parts[0]->slot].value;
        step.y = of->inputs[parts[1]->slot].value;
        *done = at->graph->values[step.x].kind == QN_VECTOR && at->graph->values[step.y].kind == QN_VECTOR;
    } else if (term->kind == QN_POINT_WORD && strcmp(qn_point_words[term->slot].name, "ABS") == 0 &&
               parts[0]->kind == QN_POINT_INPUT) {
        step.kind = QN_BLAS_ASUM;
        step.x = of->inputs[parts[0]->slot].value;
    } else {
        *done = false;
    }
    return *done ? add(at, &step) : QN_OK;
}

static qn_status add_call(mapping *at, int call)
{
    const qn_call *of = &at->graph->calls[call];
    qn_blas_term terms[QN_BLAS_TERMS_MAX];
    int count;
    bool done;
    if (is_product(of))
        return at->runs_at[call] == call ? add_product(at, call, call, NULL, of->outputs[0].value, false) : QN_OK;
    if (is_scalar_map(of)) {
        const qn_blas_step step = {.kind = QN_BLAS_HOST,
                                   .call = call,
                                   .alpha = of->meanings[0].term,
                                   .matrix = -1,
                                   .x = -1,
                                   .y = -1,
                                   .into = of->outputs[0].value};
        return add(at, &step);
    }
    QN_TRY(add_reduction(at, call, &done));
    if (done) return QN_OK;
    QN_TRY(qn_blas_expand(at->graph, of, terms, &count));
    if (count < 0 && at->made->refused < 0) at->made->refused = call;
    return count < 0 ? QN_OK : add_sum(at, call, terms, count);
}

qn_status qn_blas_steps_make(const qn_graph *graph, qn_blas_kinds kinds, qn_blas_steps *steps)
{
    mapping at = {.made = steps, .graph = graph, .kinds = kinds | QN_BLAS_HAS(HOST)};
    *steps = (qn_blas_steps){.graph = graph, .refused = -1};
    QN_TRY(find_places(&at));
    QN_TRY(choose_memory(&at));
    for (int section = 0; section < graph->section_count; section++) {
        const qn_section *of = &graph->sections[section];
        steps->first[section] = steps->count;
        for (int i = 0; i < of->call_count; i++) QN_TRY(add_call(&at, of->first_call + i));
    }
    steps->first[graph->section_count] = steps->count;
    return QN_OK;
}

/* ---- words ---- */

double qn_blas_step_words(const qn_blas_steps *steps, const qn_blas_step *step, const qn_sizes *sizes,
                          const double *stored)
{
    const qn_graph *graph = steps->graph;
    const double rows = step->matrix >= 0 ? (double)sizes->of[graph->values[step->matrix].extents[0]] : 0;
    const double x = step->x >= 0 ? (double)qn_value_elements(graph, step->x, sizes, 0) : 0;
    const double y = step->y >= 0 ? (double)qn_value_elements(graph, step->y, sizes, 0) : 0;
    const double into = (double)qn_value_elements(graph, step->into, sizes, 0);
    switch (step->kind) {
    case QN_BLAS_COPY: return x + into;
    case QN_BLAS_SCAL: return 2 * into;
    case QN_BLAS_AXPY: return x + 2 * into;
    case QN_BLAS_GEAM: return x + y + into;
    case QN_BLAS_DOT: return step->x == step->y ? x : x + y;
    case QN_BLAS_ASUM: return x;
    case QN_BLAS_GEMV:
        return (double)qn_value_elements(graph, step->matrix, sizes, 0) + x + (step->is_added ? 2 : 1) * into;
    case QN_BLAS_GER: return x + y + 2 * into;
    case QN_BLAS_GER2: return 2 * (x + y) + 2 * into;
    case QN_BLAS_SPMV: return 2 * stored[step->matrix] + rows + x + (step->is_added ? 2 : 1) * into;
    case QN_BLAS_HOST: break;
    }
    return 0;
}
