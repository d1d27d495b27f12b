#include "fuse/plan/words.h"

#include <stdlib.h>

static void add_term(qn_words_term term, qn_words *words)
{
    if (term.b >= 0 && term.b < term.a) {
        const int swapped = term.a;
        term.a = term.b;
        term.b = swapped;
    }
    for (int i = 0; i < words->count; i++) {
        qn_words_term *own = &words->terms[i];
        if (own->a != term.a || own->b != term.b || own->matrix != term.matrix) continue;
        own->factor += term.factor;
        return;
    }
    if (words->count < QN_WORDS_TERMS_MAX) words->terms[words->count++] = term;
}

void qn_words_add_value(const qn_graph *graph, int value, double factor, qn_words *words)
{
    const qn_value *of = &graph->values[value];
    qn_words_term term = {-1, -1, -1, factor};
    switch (of->kind) {
    case QN_SCALAR: return; /* scalars are lost beside arrays */
    case QN_VECTOR: term.a = of->extents[0]; break;
    case QN_MATRIX: term.a = of->extents[0], term.b = of->extents[1]; break;
    case QN_CSR:
        add_term((qn_words_term){-1, -1, value, 2 * factor}, words);
        term.a = of->extents[0];
        break;
    }
    add_term(term, words);
}

void qn_words_add(const qn_words *more, qn_words *words)
{
    for (int i = 0; i < more->count; i++) add_term(more->terms[i], words);
}

double qn_words_count(const qn_words *words, const qn_sizes *sizes, const double *stored)
{
    double sum = 0;
    for (int i = 0; i < words->count; i++) {
        const qn_words_term *term = &words->terms[i];
        double product = term->factor;
        if (term->a >= 0) product *= (double)sizes->of[term->a];
        if (term->b >= 0) product *= (double)sizes->of[term->b];
        if (term->matrix >= 0) product *= stored[term->matrix];
        sum += product;
    }
    return sum;
}

/* Products of two extents, then stored elements, then single extents; each in the order of declaration. */
static int compare(const void *left, const void *right)
{
    const qn_words_term *a = left, *b = right;
    const int kind_a = a->b >= 0 ? 0 : a->matrix >= 0 ? 1 : 2, kind_b = b->b >= 0 ? 0 : b->matrix >= 0 ? 1 : 2;
    if (kind_a != kind_b) return kind_a - kind_b;
    if (a->a != b->a) return a->a - b->a;
    return a->b != b->b ? a->b - b->b : a->matrix - b->matrix;
}

static qn_status write_term(const qn_graph *graph, const qn_words_term *term, bool first, qn_text *text)
{
    const char *a = term->a >= 0 ? graph->extents[term->a].name : "",
               *b = term->b >= 0 ? graph->extents[term->b].name : "";
    const bool is_digit = *a >= '0' && *a <= '9';
    QN_TRY(qn_text_append(text, "%s", first ? "" : " + "));
    if (term->factor != 1) QN_TRY(qn_text_append(text, "%g%s", term->factor, is_digit ? "·" : ""));
    if (term->matrix >= 0)
        return qn_text_append(text, "%sstored(%s)", term->factor != 1 ? " " : "", graph->values[term->matrix].name);
    if (term->b >= 0 && term->a == term->b) return qn_text_append(text, "%s²", a);
    return qn_text_append(text, "%s%s%s", a, term->b >= 0 ? "·" : "", b);
}

qn_status qn_words_write(const qn_graph *graph, const qn_words *words, qn_text *text)
{
    qn_words sorted = *words;
    bool first = true;
    qsort(sorted.terms, (size_t)sorted.count, sizeof *sorted.terms, compare);
    for (int i = 0; i < sorted.count; i++) {
        if (sorted.terms[i].factor == 0) continue;
        QN_TRY(write_term(graph, &sorted.terms[i], first, text));
        first = false;
    }
    return first ? qn_text_append(text, "0") : QN_OK;
}
