/* quern fuse explain and quern fuse list. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "fuse/sequence.h"

typedef struct owned_explanation {
    qn_fuse_explanation explanation;
    qn_text text;
} owned_explanation;

/* Sums over all sections, one round of each loop. */
static void count(const qn_sequence *sequence, qn_fuse_explanation *explanation)
{
    const qn_plan *plan = &sequence->plan;
    const qn_plan_options *options = &sequence->plan_options;
    explanation->call_count = sequence->graph.call_count;
    qn_plan_count(plan, &explanation->kernel_count, &explanation->fold_count);
    for (int section = 0; section < plan->graph->section_count; section++) {
        qn_words fused, unfused;
        const qn_section_part part = plan->graph->sections[section].part;
        qn_plan_words(plan, section, &fused);
        qn_unfused_words(plan->graph, section, &unfused);
        if (part == QN_SECTION_WHOLE || part == QN_SECTION_RING)
            explanation->words_fused += qn_words_count(&fused, options->sizes, options->stored);
        if (part != QN_SECTION_RING)
            explanation->words_unfused += qn_words_count(&unfused, options->sizes, options->stored);
    }
}

static qn_status explain(const qn_fuse_options *options, owned_explanation *own)
{
    qn_sequence *sequence;
    QN_TRY(qn_option_check(qn_fuse_explain_option_table(), options));
    QN_TRY(qn_sequence_open(options, &sequence));
    qn_plan_share_launches(&sequence->plan_options, &sequence->plan);
    const qn_status status = qn_plan_explain(&sequence->plan, &sequence->plan_options, &own->text);
    count(sequence, &own->explanation);
    own->explanation.text = own->text.data;
    qn_sequence_close(&sequence);
    return status;
}

qn_status qn_fuse_explain(qn_context *context, const qn_fuse_options *options, qn_fuse_explanation **explanation)
{
    qn_fuse_options own;
    owned_explanation *made;
    (void)context;
    *explanation = NULL;
    QN_TRY(qn_option_take(qn_fuse_explain_option_table(), options, &own));
    QN_TRY(qn_allocate(1, sizeof *made, (void **)&made));
    *explanation = &made->explanation;
    const qn_status status = explain(&own, made);
    if (status != QN_OK) qn_fuse_explanation_destroy(explanation);
    return status;
}

void qn_fuse_explanation_destroy(qn_fuse_explanation **explanation)
{
    owned_explanation *own = (owned_explanation *)*explanation;
    if (!own) return;
    qn_text_clear(&own->text);
    qn_release(explanation);
}

/* ---- the library ---- */

typedef struct owned_listing {
    qn_fuse_listing listing;
    qn_text text;
} owned_listing;

static qn_status write_formals(const qn_function *function, const qn_formal *formals, int count_of, qn_text *text)
{
    for (int i = 0; i < count_of; i++) {
        QN_TRY(qn_text_append(text, "%s%s(", i > 0 ? ", " : "", formals[i].name));
        for (int k = 0; k < formals[i].index_count; k++)
            QN_TRY(qn_text_append(text, "%s%s", k > 0 ? "," : "", function->indices[formals[i].indices[k]]));
        QN_TRY(qn_text_append(text, ")"));
    }
    return QN_OK;
}

static qn_status write_function(const qn_function *function, bool with_meaning, qn_text *text)
{
    QN_TRY(qn_text_append(text, "%s(", function->name));
    QN_TRY(write_formals(function, function->inputs, function->input_count, text));
    QN_TRY(qn_text_append(text, ") -> "));
    QN_TRY(write_formals(function, function->outputs, function->output_count, text));
    if (with_meaning) {
        size_t length = function->point_end - function->point_begin;
        const char *body = function->source->text + function->point_begin;
        while (length > 0 && strchr(" \t\r\n", body[length - 1])) length--;
        QN_TRY(qn_text_append(text, "\n  point { %.*s }", (int)length, body));
        for (const qn_implementation *one = function->implementations; one; one = one->following)
            QN_TRY(qn_text_append(text, "\n  implementation %s", one->name));
    }
    return qn_text_append(text, "\n");
}

static qn_status list(const qn_fuse_options *options, owned_listing *own)
{
    qn_arena arena = {0};
    qn_library library = {0};
    qn_status status = qn_sequence_library(options->library, &arena, &library);
    for (const qn_function *function = library.functions; function && status == QN_OK; function = function->following) {
        if (options->function && strcmp(options->function, function->name) != 0) continue;
        own->listing.function_count++;
        status = write_function(function, options->function != NULL, &own->text);
    }
    if (status == QN_OK && own->listing.function_count == 0) {
        const char *nearest = qn_library_nearest(&library, options->function);
        status =
            nearest
                ? QN_FAIL(QN_NOT_FOUND, "there is no function \"%s\"; did you mean %s?", options->function, nearest)
                : QN_FAIL(QN_NOT_FOUND, "there is no function \"%s\"; expected one of the library", options->function);
    }
    own->listing.text = own->text.data;
    qn_arena_clear(&arena);
    return status;
}

qn_status qn_fuse_list(qn_context *context, const qn_fuse_options *options, qn_fuse_listing **listing)
{
    qn_fuse_options own;
    owned_listing *made;
    (void)context;
    *listing = NULL;
    QN_TRY(qn_option_take(qn_fuse_list_option_table(), options, &own));
    QN_TRY(qn_allocate(1, sizeof *made, (void **)&made));
    *listing = &made->listing;
    const qn_status status = list(&own, made);
    if (status != QN_OK) qn_fuse_listing_destroy(listing);
    return status;
}

void qn_fuse_listing_destroy(qn_fuse_listing **listing)
{
    owned_listing *own = (owned_listing *)*listing;
    if (!own) return;
    qn_text_clear(&own->text);
    qn_release(listing);
}
