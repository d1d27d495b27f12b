/* Bodies of implementations as functions of the kernel language: one for each output, one for each load and store.
 *
 *     implementation fast compute { y = FMA(A, x, y); }    of gemv(A(i,j), x(j)) -> y(i)
 *
 *     DEVICE_FN float gemv_fast_y(float A, float x, float y) { … return y; } */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "fuse/emit/emitter.h"

static bool is_letter(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_';
}

/* Whether a word occurs in a body. */
static bool has_word(const qn_source *source, const qn_body *body, const char *word)
{
    const size_t length = strlen(word);
    for (size_t at = body->begin; at + length <= body->end; at++)
        if (memcmp(source->text + at, word, length) == 0 && (at == 0 || !is_letter(source->text[at - 1])) &&
            !is_letter(source->text[at + length]))
            return true;
    return false;
}

/* ---- tunables and conditions ---- */

static void name_tunable(const qn_function *function, const qn_implementation *of, int tunable, char name[96])
{
    snprintf(name, 96, "%.30s_%.30s_%.30s", function->name, of->name, of->tunables[tunable].name);
    for (char *letter = name; *letter; letter++) *letter = (char)toupper((unsigned char)*letter);
}

bool qn_body_is_first(const qn_graph *graph, int call)
{
    const qn_implementation *of = graph->calls[call].implementation;
    for (int other = 0; other < call; other++)
        if (graph->calls[other].implementation == of) return false;
    return of != NULL;
}

int qn_body_tunables(const qn_graph *graph, qn_body_tunable tunables[QN_BODY_TUNABLES_MAX])
{
    int count = 0;
    for (int call = 0; call < graph->call_count; call++) {
        const qn_call *own = &graph->calls[call];
        if (!qn_body_is_first(graph, call)) continue;
        for (int i = 0; i < own->implementation->tunable_count && count < QN_BODY_TUNABLES_MAX; i++) {
            tunables[count].of = &own->implementation->tunables[i];
            tunables[count].choice = own->choices[i];
            name_tunable(own->function, own->implementation, i, tunables[count++].name);
        }
    }
    return count;
}

/* A condition with the tunables' long names. */
static qn_status rename_tunables(const qn_function *function, const qn_implementation *of, const char *from,
                                 qn_text *text)
{
    while (*from) {
        size_t length = 0;
        char name[96];
        while (is_letter(from[length])) length++;
        int tunable = 0;
        while (tunable < of->tunable_count &&
               (strlen(of->tunables[tunable].name) != length || memcmp(from, of->tunables[tunable].name, length) != 0))
            tunable++;
        if (tunable < of->tunable_count) {
            name_tunable(function, of, tunable, name);
            QN_TRY(qn_text_append(text, "%s", name));
        } else {
            length = length > 0 ? length : 1;
            QN_TRY(qn_text_append_bytes(text, from, length));
        }
        from += length;
    }
    return QN_OK;
}

qn_status qn_body_conditions(const qn_function *function, const qn_implementation *of, qn_arena *arena,
                             const char *conditions[QN_IMPLEMENTATION_CONDITIONS_MAX], int *count)
{
    static const char *const begins[] = {"GROUP_X == ", "GROUP_Y == "};
    *count = 0;
    for (int i = 0; i < of->need_count + 2; i++) {
        const char *from = i < of->need_count ? of->needs[i].text : of->threads[i - of->need_count].text;
        qn_text text = {0};
        if (!from) continue;
        qn_status status = QN_OK;
        if (i >= of->need_count) status = qn_text_append(&text, "%s(", begins[i - of->need_count]);
        if (status == QN_OK) status = rename_tunables(function, of, from, &text);
        if (status == QN_OK && i >= of->need_count) status = qn_text_append(&text, ")");
        if (status == QN_OK) status = qn_arena_copy_text(arena, text.data, text.length, &conditions[(*count)++]);
        qn_text_clear(&text);
        QN_TRY(status);
    }
    return QN_OK;
}

/* ---- the functions ---- */

/* The body's lines as they are, with a mark that names their place; or indented, without empty lines. */
static qn_status write_lines(const qn_graph *graph, const qn_source *source, const qn_body *body, qn_text *text)
{
    const char *at = source->text + body->begin, *end = source->text + body->end;
    if (graph->marks_bodies) {
        int line, column;
        qn_source_place(source, body->begin, &line, &column);
        QN_TRY(qn_text_append(text, "#line %d \"" QN_BODY_FILE "\"\n%*s", line, column - 1, ""));
        QN_TRY(qn_text_append_bytes(text, at, (size_t)(end - at)));
        return qn_text_append(text, "\n#line 1 \"kernels\"\n");
    }
    while (at < end) {
        const char *line = at, *next = memchr(at, '\n', (size_t)(end - at));
        at = next ? next + 1 : end;
        const char *last = next ? next : end;
        while (line < last && isspace((unsigned char)*line)) line++;
        while (last > line && isspace((unsigned char)last[-1])) last--;
        if (line == last) continue;
        QN_TRY(qn_text_append(text, "    "));
        QN_TRY(qn_text_append_bytes(text, line, (size_t)(last - line)));
        QN_TRY(qn_text_append(text, "\n"));
    }
    return QN_OK;
}

/* Within a body a tunable has its own name; outside, that of its implementation before it. */
static qn_status write_tunables(const qn_function *function, const qn_implementation *of, bool begins, qn_text *text)
{
    for (int i = 0; i < of->tunable_count; i++) {
        char name[96];
        name_tunable(function, of, i, name);
        if (begins)
            QN_TRY(qn_text_append(text, "#define %s %s\n", of->tunables[i].name, name));
        else
            QN_TRY(qn_text_append(text, "#undef %s\n", of->tunables[i].name));
    }
    return QN_OK;
}

static qn_status write_unused(const qn_source *source, const qn_body *body, const char *name, qn_text *text)
{
    return has_word(source, body, name) ? QN_OK : qn_text_append(text, "    (void)%s;\n", name);
}

/* A function that computes one output; others that the body assigns are left behind. */
static qn_status write_compute(const qn_graph *graph, const qn_function *function, const qn_implementation *of,
                               int output, qn_text *text)
{
    const qn_source *source = function->source;
    const bool reduces = function->meanings[output].reduction != QN_REDUCE_NONE;
    const char *own = function->outputs[output].name;
    QN_TRY(qn_text_append(text, "\n/* %s by %s. */\nDEVICE_FN float %s_%s_%s(", function->name, of->name,
                          function->name, of->name, own));
    for (int i = 0; i < function->input_count; i++)
        QN_TRY(qn_text_append(text, "%sfloat %s", i > 0 ? ", " : "", function->inputs[i].name));
    QN_TRY(qn_text_append(text, reduces ? ", float %s)\n{\n" : ")\n{\n", own));
    for (int i = 0; i < function->output_count; i++)
        if (i != output || !reduces) QN_TRY(qn_text_append(text, "    float %s = 0.0f;\n", function->outputs[i].name));
    for (int i = 0; i < function->input_count; i++)
        QN_TRY(write_unused(source, &of->compute, function->inputs[i].name, text));
    QN_TRY(write_lines(graph, source, &of->compute, text));
    for (int i = 0; i < function->output_count; i++)
        if (i != output) QN_TRY(qn_text_append(text, "    (void)%s;\n", function->outputs[i].name));
    return qn_text_append(text, "    return %s;\n}\n", own);
}

static qn_status write_moves(const qn_graph *graph, const qn_function *function, const qn_implementation *of,
                             qn_text *text)
{
    char pointer[96];
    for (int i = 0; i < function->input_count; i++) {
        const char *name = function->inputs[i].name;
        if (of->loads[i].end == 0) continue;
        QN_TRY(qn_text_append(text,
                              "\n/* Load %s of %s by %s. */\nDEVICE_FN float %s_%s_load_%s(GLOBAL const float "
                              "*%s_at)\n{\n    float %s = 0.0f;\n",
                              name, function->name, of->name, function->name, of->name, name, name, name));
        snprintf(pointer, sizeof pointer, "%.80s_at", name);
        QN_TRY(write_unused(function->source, &of->loads[i], pointer, text));
        QN_TRY(write_lines(graph, function->source, &of->loads[i], text));
        QN_TRY(qn_text_append(text, "    return %s;\n}\n", name));
    }
    for (int i = 0; i < function->output_count; i++) {
        const char *name = function->outputs[i].name;
        if (of->stores[i].end == 0) continue;
        QN_TRY(qn_text_append(text,
                              "\n/* Store %s of %s by %s. */\nDEVICE_FN void %s_%s_store_%s(GLOBAL float "
                              "*%s_at, float %s)\n{\n",
                              name, function->name, of->name, function->name, of->name, name, name, name));
        snprintf(pointer, sizeof pointer, "%.80s_at", name);
        QN_TRY(write_unused(function->source, &of->stores[i], pointer, text));
        QN_TRY(write_unused(function->source, &of->stores[i], name, text));
        QN_TRY(write_lines(graph, function->source, &of->stores[i], text));
        QN_TRY(qn_text_append(text, "}\n"));
    }
    return QN_OK;
}

qn_status qn_bodies_emit(const qn_graph *graph, qn_text *text)
{
    for (int call = 0; call < graph->call_count; call++) {
        const qn_implementation *of = graph->calls[call].implementation;
        if (!qn_body_is_first(graph, call)) continue;
        const qn_function *function = graph->calls[call].function;
        QN_TRY(write_tunables(function, of, true, text));
        for (int i = 0; i < function->output_count; i++) QN_TRY(write_compute(graph, function, of, i, text));
        QN_TRY(write_moves(graph, function, of, text));
        QN_TRY(write_tunables(function, of, false, text));
    }
    return QN_OK;
}

/* ---- their uses ---- */

qn_status qn_body_write(const qn_emitter *at, int call, int output, const char *const *names, const char *into,
                        qn_text *text)
{
    const qn_call *of = &at->graph->calls[call];
    if (!of->implementation) return qn_point_write(of->meanings[output].term, names, text);
    QN_TRY(qn_text_append(text, "%s_%s_%s(", of->function->name, of->implementation->name,
                          of->function->outputs[output].name));
    for (int i = 0; i < of->input_count; i++) QN_TRY(qn_text_append(text, "%s%s", i > 0 ? ", " : "", names[i]));
    return qn_text_append(text, into ? ", %s)" : ")", into);
}

qn_status qn_body_reduce(const qn_emitter *at, qn_site *site, int call, int output, const char *into, const char *value)
{
    const qn_call *of = &at->graph->calls[call];
    if (of->implementation) return qn_site_put(site, "%s = %s;", into, value);
    return qn_put_combine(site, of->meanings[output].reduction, into, value);
}

bool qn_body_moves(const qn_emitter *at, int value)
{
    for (int call = 0; call < at->graph->call_count; call++) {
        const qn_call *of = &at->graph->calls[call];
        if (!of->implementation || !qn_emitter_has(at, call)) continue;
        for (int i = 0; i < of->input_count; i++)
            if (of->inputs[i].value == value && of->implementation->loads[i].end > 0) return true;
        for (int i = 0; i < of->output_count; i++)
            if (of->outputs[i].value == value && of->implementation->stores[i].end > 0) return true;
    }
    return false;
}

qn_status qn_body_load(const qn_emitter *at, int value, const char *address, qn_text *text)
{
    for (int call = 0; call < at->graph->call_count; call++) {
        const qn_call *of = &at->graph->calls[call];
        if (!of->implementation || !qn_emitter_has(at, call)) continue;
        for (int i = 0; i < of->input_count; i++)
            if (of->inputs[i].value == value && of->implementation->loads[i].end > 0)
                return qn_text_append(text, "%s_%s_load_%s(&%s)", of->function->name, of->implementation->name,
                                      of->function->inputs[i].name, address);
    }
    return qn_text_append(text, "%s", address);
}

qn_status qn_body_store(const qn_emitter *at, qn_site *site, int call, int output, const char *address,
                        const char *value)
{
    const qn_call *of = &at->graph->calls[call];
    if (!of->implementation || of->implementation->stores[output].end == 0)
        return qn_site_put(site, "%s = %s;", address, value);
    return qn_site_put(site, "%s_%s_store_%s(&%s, %s);", of->function->name, of->implementation->name,
                       of->function->outputs[output].name, address, value);
}
