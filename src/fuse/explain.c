/* quern fuse explain and quern fuse list. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "fuse/choice.h"
#include "fuse/suit.h"
#include "runtime/device.h"

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

/* Times by the rates: of the kernels, and of a kernel for each call. */
static qn_status write_times(const qn_sequence *sequence, qn_text *text)
{
    qn_plan_options options = sequence->plan_options;
    qn_plan *unfused;
    options.fusion = QN_FUSION_NONE;
    options.forced_count = 0;
    QN_TRY(qn_allocate(1, sizeof *unfused, (void **)&unfused));
    qn_status status = qn_plan_make(&sequence->graph, &options, unfused);
    if (status == QN_OK)
        status = qn_text_append(text, "\npredicted: %.4g ms fused, %.4g ms unfused\n", 1e3 * sequence->plan.seconds,
                                1e3 * unfused->seconds);
    qn_release(&unfused);
    return status;
}

/* Rates, and implementations that are not used. */
static qn_status write_rates(const qn_sequence *sequence, const char *device, qn_text *text)
{
    const qn_plan_options *options = &sequence->plan_options;
    QN_TRY(write_times(sequence, text));
    QN_TRY(qn_text_append(text, "rates %s on %s: %.3g µs a launch, %.4g GB/s of a copy\n",
                          sequence->has_rates ? "measured" : "assumed, not measured,", device, 1e6 * options->launch_s,
                          1e-9 * options->bytes_per_s));
    for (int call = 0; call < sequence->graph.call_count; call++) {
        const qn_call *of = &sequence->graph.calls[call];
        if (of->bytes_per_s > 0) QN_TRY(qn_text_append(text, "  %-44s %.4g GB/s\n", of->text, 1e-9 * of->bytes_per_s));
    }
    return sequence->notes.length > 0 ? qn_text_append(text, "\n%s", sequence->notes.data) : QN_OK;
}

/* The kernels that were found fastest on a device, if that is known; their launches are shared. */
static qn_status choose(qn_device *device, qn_sequence *sequence, qn_text *text)
{
    qn_choice *choice;
    qn_chosen chosen;
    QN_TRY(qn_choice_open(sequence, device, QN_CHOICE_CANDIDATES, true, &choice));
    qn_choice_get(choice, &chosen);
    sequence->plan = *chosen.plan;
    qn_choice_close(&choice);
    const char *name = qn_device_get_info(device)->identifier;
    if (!chosen.is_measured)
        return qn_text_append(text, "\nkernels: the best of %d candidates by their costs; none is measured on %s\n",
                              chosen.candidates, name);
    const qn_shape *shape = &chosen.shape;
    return qn_text_append(text,
                          "\nkernels: number %d of %d candidates, the fastest of %llu tests on %s\n"
                          "shape: groups of %d x %d, ELEMENTS %d, TILE %d, PANEL %d, PARTS %d, STRIP %d, ROWS %d, "
                          "VECTOR_WIDTH %d, TERMS %d\n",
                          chosen.number, chosen.candidates, (unsigned long long)chosen.tests, name, shape->group_x,
                          shape->group_y, shape->elements, shape->tile, shape->panel, shape->parts, shape->strip,
                          shape->rows, shape->vector_width, shape->terms);
}

static qn_status suit(qn_context *context, const char *wanted, qn_sequence *sequence, char name[48], qn_text *text)
{
    const qn_device_info gpu = qn_device_of_large_gpu();
    const qn_device_info *info = &gpu;
    qn_device *device = NULL;
    if (wanted && strcmp(wanted, "auto") != 0) QN_TRY(qn_device_open(context, wanted, &device));
    if (device) info = qn_device_get_info(device);
    snprintf(name, 48, "%s", info->identifier);
    qn_status status = qn_sequence_suit(sequence, context, device, info);
    if (status == QN_OK && device)
        status = choose(device, sequence, text);
    else
        qn_plan_share_launches(&sequence->plan_options, &sequence->plan);
    qn_device_release(&device);
    return status;
}

static qn_status explain(qn_context *context, const qn_fuse_options *options, owned_explanation *own)
{
    qn_sequence *sequence;
    char device[48] = "";
    QN_TRY(qn_option_check(qn_fuse_explain_option_table(), options));
    QN_TRY(qn_sequence_open(options, &sequence));
    qn_text choice = {0};
    qn_status status = suit(context, options->run.device, sequence, device, &choice);
    if (status == QN_OK) status = qn_plan_explain(&sequence->plan, &sequence->plan_options, &own->text);
    if (status == QN_OK && choice.length > 0) status = qn_text_append(&own->text, "%s", choice.data);
    if (status == QN_OK) status = write_rates(sequence, device, &own->text);
    qn_text_clear(&choice);
    count(sequence, &own->explanation);
    own->explanation.text = own->text.data;
    qn_sequence_close(&sequence);
    return status;
}

qn_status qn_fuse_explain(qn_context *context, const qn_fuse_options *options, qn_fuse_explanation **explanation)
{
    qn_fuse_options own;
    owned_explanation *made;
    *explanation = NULL;
    QN_TRY(qn_option_take(qn_fuse_explain_option_table(), options, &own));
    QN_TRY(qn_allocate(1, sizeof *made, (void **)&made));
    *explanation = &made->explanation;
    const qn_log_scope outer = qn_context_enter_log(context);
    const qn_status status = explain(context, &own, made);
    qn_log_return(outer);
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
