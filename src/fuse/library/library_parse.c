#include <stdio.h>
#include <string.h>

#include "base/nearest_word.h"
#include "fuse/library/library.h"

const qn_function *qn_library_find(const qn_library *library, const char *name)
{
    for (const qn_function *function = library->functions; function; function = function->following)
        if (strcmp(function->name, name) == 0) return function;
    return NULL;
}

const char *qn_library_nearest(const qn_library *library, const char *name)
{
    const char *names[256];
    size_t count = 0;
    for (const qn_function *function = library->functions; function && count < 256; function = function->following)
        names[count++] = function->name;
    return qn_nearest_word(name, names, count);
}

bool qn_function_is_map(const qn_function *function)
{
    return function->index_count == 0 && function->output_count == 1;
}

/* ---- formals ---- */

static qn_status parse_index(qn_lexer *lexer, bool may_add, qn_function *function, qn_formal *formal)
{
    qn_token name;
    QN_TRY(qn_lexer_take_name(lexer, "the name of an index", &name));
    int index = 0;
    while (index < function->index_count && strcmp(function->indices[index], name.text) != 0) index++;
    if (index == function->index_count) {
        if (!may_add)
            return QN_SOURCE_FAIL(lexer->source, name.offset,
                                  "found the index %s of an output; expected one of the "
                                  "inputs' indices",
                                  name.text);
        if (index == QN_SPACE_MAX)
            return QN_SOURCE_FAIL(lexer->source, name.offset, "found a third index %s; expected at most two",
                                  name.text);
        function->indices[function->index_count++] = name.text;
    }
    if (formal->index_count == QN_SPACE_MAX)
        return QN_SOURCE_FAIL(lexer->source, name.offset, "found a third index of %s; expected at most two",
                              formal->name);
    if (formal->index_count == 1 && formal->indices[0] == index)
        return QN_SOURCE_FAIL(lexer->source, name.offset, "found %s(%s,%s); expected two different indices",
                              formal->name, name.text, name.text);
    formal->indices[formal->index_count++] = index;
    return QN_OK;
}

int qn_formal_find(const qn_formal *formals, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(formals[i].name, name) == 0) return i;
    return -1;
}

static qn_status parse_formal(qn_lexer *lexer, bool is_input, qn_function *function)
{
    const int most = is_input ? QN_FUNCTION_INPUTS_MAX : QN_FUNCTION_OUTPUTS_MAX;
    int *count = is_input ? &function->input_count : &function->output_count;
    qn_formal formal = {0};
    qn_token name;
    bool more;
    QN_TRY(qn_lexer_take_name(lexer, "the name of a formal", &name));
    if (*count == most)
        return QN_SOURCE_FAIL(lexer->source, name.offset, "found \"%s\"; expected at most %d %s", name.text, most,
                              is_input ? "inputs" : "outputs");
    if (qn_formal_find(function->inputs, function->input_count, name.text) >= 0 ||
        qn_formal_find(function->outputs, function->output_count, name.text) >= 0)
        return QN_SOURCE_FAIL(lexer->source, name.offset, "found \"%s\" twice; expected formals of different names",
                              name.text);
    formal.name = name.text;
    QN_TRY(qn_lexer_expect(lexer, "("));
    while (!qn_lexer_is(lexer, ")")) {
        QN_TRY(parse_index(lexer, is_input, function, &formal));
        QN_TRY(qn_lexer_take(lexer, ",", &more));
        if (!more) break;
    }
    QN_TRY(qn_lexer_expect(lexer, ")"));
    (is_input ? function->inputs : function->outputs)[(*count)++] = formal;
    return QN_OK;
}

static qn_status parse_formals(qn_lexer *lexer, bool is_input, qn_function *function)
{
    bool more;
    do {
        QN_TRY(parse_formal(lexer, is_input, function));
        QN_TRY(qn_lexer_take(lexer, ",", &more));
    } while (more);
    return QN_OK;
}

/* ---- functions ---- */

static qn_status parse_function(qn_lexer *lexer, const qn_library *library, qn_function *function)
{
    qn_token name;
    QN_TRY(qn_lexer_expect(lexer, "function"));
    QN_TRY(qn_lexer_take_name(lexer, "the name of the function", &name));
    if (qn_library_find(library, name.text))
        return QN_SOURCE_FAIL(lexer->source, name.offset, "found a second function \"%s\"; expected another name",
                              name.text);
    function->source = lexer->source;
    function->name = name.text;
    function->offset = name.offset;
    QN_TRY(qn_lexer_expect(lexer, "("));
    QN_TRY(parse_formals(lexer, true, function));
    QN_TRY(qn_lexer_expect(lexer, ")"));
    QN_TRY(qn_lexer_expect(lexer, "->"));
    QN_TRY(parse_formals(lexer, false, function));
    QN_TRY(qn_lexer_expect(lexer, "point"));
    QN_TRY(qn_lexer_expect(lexer, "{"));
    function->point_begin = lexer->token.offset;
    QN_TRY(qn_point_parse(lexer, function));
    function->point_end = lexer->token.offset;
    QN_TRY(qn_lexer_expect(lexer, "}"));
    return qn_implementations_parse(lexer, function);
}

qn_status qn_library_parse(const qn_source *source, qn_arena *arena, qn_library *library)
{
    qn_lexer lexer;
    qn_function **end = &library->functions;
    while (*end) end = &(*end)->following;
    QN_TRY(qn_lexer_start(source, true, arena, &lexer));
    while (lexer.token.kind != QN_TOKEN_END) {
        void *memory;
        QN_TRY(qn_arena_take(arena, sizeof **end, &memory));
        qn_function *function = memory;
        QN_TRY(parse_function(&lexer, library, function));
        *end = function; /* only now can it be found */
        end = &function->following;
    }
    return QN_OK;
}
