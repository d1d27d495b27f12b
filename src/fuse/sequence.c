#include "fuse/sequence.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/nearest_word.h"

enum { ASSUMED_SIZE = 8192, ASSUMED_ROW = 5 };

/* ---- sizes ---- */

static qn_status set_size(qn_sequence *sequence, const char *name, size_t length, const char *digits)
{
    const qn_graph *graph = &sequence->graph;
    const char *names[QN_GRAPH_EXTENTS_MAX];
    char word[64], *end;
    size_t count = 0;
    const double size = strtod(digits, &end);
    const size_t used = length < sizeof word ? length : sizeof word - 1;
    memcpy(word, name, used);
    word[used] = '\0';
    if (end == digits || (*end && *end != ',') || size < 1 || size > 2147483647 || size != (double)(int64_t)size)
        return QN_FAIL(QN_INVALID_ARGUMENT, "--size has \"%s=%.20s\"; expected a whole number from 1 to 2147483647",
                       word, digits);
    for (int i = 0; i < graph->extent_count; i++) {
        if (graph->extents[i].number > 0) continue;
        names[count++] = graph->extents[i].name;
        if (strcmp(graph->extents[i].name, word) != 0) continue;
        sequence->sizes.of[i] = (int64_t)size;
        sequence->has_size[i] = true;
        return QN_OK;
    }
    return QN_FAIL(QN_INVALID_ARGUMENT, "--size names \"%s\", which no value of %s has; %s", word, graph->name,
                   qn_expect_words(word, names, count).text);
}

/* "m=100,n=200" */
static qn_status read_sizes(const char *text, qn_sequence *sequence)
{
    for (const char *at = text; at && *at;) {
        const size_t length = strcspn(at, "=,");
        if (at[length] != '=')
            return QN_FAIL(QN_INVALID_ARGUMENT, "--size is \"%s\"; expected NAME=NUMBER, several separated by commas",
                           text);
        QN_TRY(set_size(sequence, at, length, at + length + 1));
        at += length + 1;
        at += strcspn(at, ",");
        at += *at == ',';
    }
    return QN_OK;
}

static qn_status choose_sizes(const char *text, qn_sequence *sequence)
{
    const qn_graph *graph = &sequence->graph;
    for (int i = 0; i < graph->extent_count; i++) {
        sequence->has_size[i] = graph->extents[i].number > 0;
        sequence->sizes.of[i] = sequence->has_size[i] ? graph->extents[i].number : ASSUMED_SIZE;
    }
    QN_TRY(read_sizes(text, sequence));
    for (int value = 0; value < graph->value_count; value++)
        if (graph->values[value].kind == QN_CSR)
            sequence->stored[value] = (double)ASSUMED_ROW * (double)sequence->sizes.of[graph->values[value].extents[0]];
    return QN_OK;
}

qn_status qn_sequence_check_sizes(const qn_sequence *sequence)
{
    const qn_graph *graph = &sequence->graph;
    for (int i = 0; i < graph->extent_count; i++)
        if (!sequence->has_size[i])
            return QN_FAIL(QN_INVALID_ARGUMENT, "the size of %s, which %s has, is not given; expected --size %s=NUMBER",
                           graph->extents[i].name, graph->extents[i].where, graph->extents[i].name);
    return QN_OK;
}

/* ---- fusion ---- */

static qn_status find_result(const qn_graph *graph, const char *name, size_t length, qn_calls *calls)
{
    const char *names[QN_GRAPH_VALUES_MAX];
    char word[64];
    size_t count = 0;
    const size_t used = length < sizeof word ? length : sizeof word - 1;
    memcpy(word, name, used);
    word[used] = '\0';
    for (int value = 0; value < graph->value_count; value++) {
        const qn_value *of = &graph->values[value];
        if (of->producer < 0) continue;
        names[count++] = strncmp(of->name, "next ", 5) == 0 ? of->name + 5 : of->name;
        if (strcmp(names[count - 1], word) != 0) continue;
        *calls |= qn_calls_one(of->producer);
        return QN_OK;
    }
    return QN_FAIL(QN_INVALID_ARGUMENT, "--fusion names \"%s\", which is no result of %s; %s", word, graph->name,
                   qn_expect_words(word, names, count).text);
}

/* "auto", "none", or results that share a kernel: "a+b,c+d" */
static qn_status read_fusion(const char *text, const qn_graph *graph, qn_plan_options *options)
{
    options->fusion = text && strcmp(text, "none") == 0 ? QN_FUSION_NONE : QN_FUSION_AUTO;
    if (!text || strcmp(text, "auto") == 0 || strcmp(text, "none") == 0) return QN_OK;
    for (const char *at = text; *at;) {
        if (options->forced_count == QN_PLAN_FORCED_MAX)
            return QN_FAIL(QN_INVALID_ARGUMENT, "--fusion has more than %d kernels; expected fewer",
                           QN_PLAN_FORCED_MAX);
        qn_calls *calls = &options->forced[options->forced_count++];
        for (bool more = true; more;) {
            const size_t length = strcspn(at, "+,");
            QN_TRY(find_result(graph, at, length, calls));
            at += length;
            more = *at == '+';
            at += *at != '\0';
        }
    }
    return QN_OK;
}

/* ---- all of it ---- */

qn_status qn_sequence_library(const char *folder, qn_arena *arena, qn_library *library)
{
    QN_TRY(qn_library_add_shipped(arena, library));
    return folder ? qn_library_add_folder(folder, arena, library) : QN_OK;
}

static qn_status read_script(const qn_fuse_options *options, qn_sequence *sequence)
{
    char *data;
    size_t size;
    const char *text = NULL;
    qn_script script;
    QN_TRY(qn_file_read(options->script, &data, &size));
    qn_status status = qn_arena_copy_text(&sequence->arena, data, size, &text);
    qn_release(&data);
    QN_TRY(status);
    if (strlen(text) != size)
        return QN_FAIL(QN_BAD_FORMAT, "%s: found a zero byte at offset %zu; expected text", options->script,
                       strlen(text));
    sequence->source = qn_source_make(options->script, text, size);
    QN_TRY(qn_sequence_library(options->library, &sequence->arena, &sequence->library));
    QN_TRY(qn_script_parse(&sequence->source, &sequence->arena, &script));
    return qn_graph_make(&script, &sequence->library, &sequence->arena, &sequence->graph);
}

static qn_status fill(const qn_fuse_options *options, qn_sequence *sequence)
{
    QN_TRY(read_script(options, sequence));
    QN_TRY(choose_sizes(options->sizes, sequence));
    /* Rates of a large GPU: what is compared is words and launches. */
    sequence->plan_options = (qn_plan_options){.launch_s = 4e-6,
                                               .bytes_per_s = 2e12,
                                               .slots_per_s = {[QN_PIPE_MULTIPLY_ADD] = 2e13, [QN_PIPE_ROOT] = 2e12},
                                               .sizes = &sequence->sizes,
                                               .stored = sequence->stored,
                                               .panel_bytes = QN_PLAN_PANEL_BYTES};
    QN_TRY(read_fusion(options->fusion, &sequence->graph, &sequence->plan_options));
    return qn_sequence_plan(sequence);
}

qn_status qn_sequence_plan(qn_sequence *sequence)
{
    return qn_plan_make(&sequence->graph, &sequence->plan_options, &sequence->plan);
}

qn_status qn_sequence_open(const qn_fuse_options *options, qn_sequence **sequence)
{
    QN_TRY(qn_allocate(1, sizeof **sequence, (void **)sequence));
    const qn_status status = fill(options, *sequence);
    if (status != QN_OK) qn_sequence_close(sequence);
    return status;
}

void qn_sequence_close(qn_sequence **sequence)
{
    if (!*sequence) return;
    qn_text_clear(&(*sequence)->notes);
    qn_arena_clear(&(*sequence)->arena);
    qn_release(sequence);
}
