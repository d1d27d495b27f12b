/* Implementations of a function: their items, and the bodies, which stay text. */
#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "base/nearest_word.h"
#include "fuse/library/library.h"

const char *const qn_pipe_names[QN_PIPES] = {[QN_PIPE_MULTIPLY_ADD] = "multiply_add", [QN_PIPE_ROOT] = "root"};

/* An implementation while it is parsed. */
typedef struct reading {
    qn_lexer *lexer;
    const qn_function *function;
    qn_implementation *into;
} reading;

static qn_status fail_twice(const reading *at, size_t offset, const char *what)
{
    return QN_SOURCE_FAIL(at->lexer->source, offset, "found a second %s of %s; expected one", what, at->into->name);
}

/* ---- tunables and conditions ---- */

/* Names of tunables are in capitals, and those of the kernels are taken. */
static bool is_tunable_name(const char *name)
{
    static const char *const taken[] = {"GROUP_X", "GROUP_Y", "ELEMENTS",     "TILE",    "PANEL",    "PARTS",
                                        "STRIP",   "ROWS",    "VECTOR_WIDTH", "ITEMS",   "COLUMNS",  "COLUMN",
                                        "PITCH",   "LANES",   "PLACE",        "SEGMENT", "SEGMENTS", "UNROLL",
                                        "BOTH",    "KERNEL",  "GLOBAL",       "LOCAL",   "TERMS",    "RESIDENT"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(name, taken[i]) == 0) return false;
    for (int i = 0; i < qn_point_word_count; i++)
        if (strcmp(name, qn_point_words[i].name) == 0) return false;
    if (!isupper((unsigned char)*name)) return false;
    for (; *name; name++)
        if (!isupper((unsigned char)*name) && !isdigit((unsigned char)*name) && *name != '_') return false;
    return true;
}

static qn_status take_integer(qn_lexer *lexer, const char *meaning, int least, int *value)
{
    const double number = lexer->token.number;
    if (lexer->token.kind != QN_TOKEN_NUMBER || number < least || number > INT_MAX ||
        number != (double)(long long)number)
        return qn_lexer_fail(lexer, meaning);
    *value = (int)number;
    return qn_lexer_advance(lexer);
}

static qn_status parse_tunable(const reading *at)
{
    qn_implementation *into = at->into;
    qn_token name;
    QN_TRY(qn_lexer_take_name(at->lexer, "the name of a tunable", &name));
    if (!is_tunable_name(name.text))
        return QN_SOURCE_FAIL(at->lexer->source, name.offset,
                              "found the tunable \"%s\"; expected a name of capitals, digits and \"_\" that kernels do "
                              "not use",
                              name.text);
    for (int i = 0; i < into->tunable_count; i++)
        if (strcmp(into->tunables[i].name, name.text) == 0) return fail_twice(at, name.offset, name.text);
    if (into->tunable_count == QN_IMPLEMENTATION_TUNABLES_MAX)
        return QN_SOURCE_FAIL(at->lexer->source, name.offset, "found one more tunable; expected at most %d",
                              QN_IMPLEMENTATION_TUNABLES_MAX);
    qn_implementation_tunable *tunable = &into->tunables[into->tunable_count++];
    tunable->name = name.text;
    do {
        if (tunable->value_count == QN_IMPLEMENTATION_VALUES_MAX)
            return qn_lexer_fail(at->lexer, "at most 8 values of a tunable");
        QN_TRY(take_integer(at->lexer, "a whole number from 1, a value of the tunable", 1,
                            &tunable->values[tunable->value_count]));
        tunable->value_count++;
    } while (at->lexer->token.kind == QN_TOKEN_NUMBER);
    return QN_OK;
}

/* The text up to the end of the line; "needs" alone on its line has none. */
static qn_status take_text(const reading *at, const char *meaning, qn_implementation_need *need)
{
    size_t begin, end;
    const size_t word = at->lexer->previous.offset;
    const char *text = at->lexer->source->text;
    const bool is_missing =
        at->lexer->token.kind == QN_TOKEN_END || memchr(text + word, '\n', at->lexer->token.offset - word) != NULL;
    if (is_missing) return QN_SOURCE_FAIL(at->lexer->source, word, "found nothing after it; expected %s", meaning);
    QN_TRY(qn_lexer_take_line(at->lexer, &begin, &end));
    const char *brace = memchr(text + begin, '{', end - begin);
    if (brace)
        return QN_SOURCE_FAIL(at->lexer->source, (size_t)(brace - text),
                              "found \"{\" after %s; expected the next item on another line", meaning);
    need->offset = begin;
    return qn_arena_copy_text(at->lexer->arena, text + begin, end - begin, &need->text);
}

static qn_status parse_need(const reading *at)
{
    qn_implementation *into = at->into;
    if (into->need_count == QN_IMPLEMENTATION_NEEDS_MAX)
        return qn_lexer_fail(at->lexer, "at most 4 conditions of an implementation");
    return take_text(at, "a condition over tunables and the device", &into->needs[into->need_count++]);
}

/* "GROUP, 2 * GROUP": a comma between parentheses is no end of the first text. */
static qn_status parse_threads(const reading *at)
{
    qn_implementation_need both, *threads = at->into->threads;
    int depth = 0;
    if (threads[0].text) return fail_twice(at, at->lexer->previous.offset, "\"threads\"");
    QN_TRY(take_text(at, "the work-items of a group along x and y, as 32, 8", &both));
    const char *comma = both.text;
    while (*comma && (*comma != ',' || depth > 0)) {
        depth += *comma == '(' ? 1 : *comma == ')' ? -1 : 0;
        comma++;
    }
    const char *second = *comma ? comma + 1 + strspn(comma + 1, " \t") : comma;
    if (comma == both.text || !*second)
        return QN_SOURCE_FAIL(at->lexer->source, both.offset,
                              "found \"%.60s\"; expected the work-items of a group along x and y, as 32, 8", both.text);
    threads[0].offset = both.offset;
    threads[1].offset = both.offset + (size_t)(second - both.text);
    QN_TRY(qn_arena_copy_text(at->lexer->arena, both.text, (size_t)(comma - both.text), &threads[0].text));
    return qn_arena_copy_text(at->lexer->arena, second, strlen(second), &threads[1].text);
}

static qn_status parse_slots(const reading *at)
{
    qn_token name;
    int pipe = 0;
    QN_TRY(qn_lexer_take_name(at->lexer, "the name of a pipe", &name));
    while (pipe < QN_PIPES && strcmp(qn_pipe_names[pipe], name.text) != 0) pipe++;
    if (pipe == QN_PIPES)
        return QN_SOURCE_FAIL(at->lexer->source, name.offset, "found the unknown pipe \"%s\"; %s", name.text,
                              qn_expect_words(name.text, qn_pipe_names, QN_PIPES).text);
    at->into->has_slots = true;
    return take_integer(at->lexer, "a whole number of operations at a point", 0, &at->into->slots[pipe]);
}

/* ---- formals ---- */

/* Take the name of a formal: its number, and whether it is an input. */
static qn_status take_formal(const reading *at, const char *expected, int *number, bool *is_input)
{
    const qn_function *function = at->function;
    qn_token name;
    QN_TRY(qn_lexer_take_name(at->lexer, expected, &name));
    *number = qn_formal_find(function->inputs, function->input_count, name.text);
    *is_input = *number >= 0;
    if (!*is_input) *number = qn_formal_find(function->outputs, function->output_count, name.text);
    if (*number >= 0) return QN_OK;
    const char *names[QN_FUNCTION_INPUTS_MAX + QN_FUNCTION_OUTPUTS_MAX];
    size_t count = 0;
    for (int i = 0; i < function->input_count; i++) names[count++] = function->inputs[i].name;
    for (int i = 0; i < function->output_count; i++) names[count++] = function->outputs[i].name;
    return QN_SOURCE_FAIL(at->lexer->source, name.offset, "found \"%s\", which is no formal of %s; %s", name.text,
                          function->name, qn_expect_words(name.text, names, count).text);
}

/* "i: x": where the work-items of a group hold an index of the formal. */
static qn_status parse_where(const reading *at, const qn_formal *formal, qn_where *places)
{
    qn_lexer *lexer = at->lexer;
    qn_token name;
    int index = 0;
    QN_TRY(qn_lexer_take_name(lexer, "an index of the formal", &name));
    while (index < formal->index_count && strcmp(at->function->indices[formal->indices[index]], name.text) != 0)
        index++;
    if (index == formal->index_count)
        return QN_SOURCE_FAIL(lexer->source, name.offset, "found \"%s\"; expected an index of %s", name.text,
                              formal->name);
    if (places[index] != QN_WHERE_ANY) return fail_twice(at, name.offset, "place of an index");
    QN_TRY(qn_lexer_expect(lexer, ":"));
    const bool is_x = qn_lexer_is(lexer, "x");
    if (qn_lexer_is(lexer, "serial") || qn_lexer_is(lexer, "all"))
        return qn_lexer_fail(lexer, "x or y: a body works on one element of each formal");
    if (!is_x && !qn_lexer_is(lexer, "y")) return qn_lexer_fail(lexer, "x or y, the work-items that hold the index");
    places[index] = is_x ? QN_WHERE_X : QN_WHERE_Y;
    return qn_lexer_advance(lexer);
}

static qn_status parse_place(const reading *at)
{
    qn_lexer *lexer = at->lexer;
    int number;
    bool is_input, more = true;
    QN_TRY(take_formal(at, "the name of a formal", &number, &is_input));
    const qn_formal *formal = is_input ? &at->function->inputs[number] : &at->function->outputs[number];
    qn_where *places = is_input ? at->into->input_places[number] : at->into->output_places[number];
    QN_TRY(qn_lexer_expect(lexer, "("));
    while (more && !qn_lexer_is(lexer, ")")) {
        QN_TRY(parse_where(at, formal, places));
        QN_TRY(qn_lexer_take(lexer, ",", &more));
    }
    QN_TRY(qn_lexer_expect(lexer, ")"));
    if (qn_lexer_is(lexer, "local"))
        return qn_lexer_fail(lexer, "register: a body works on one element of each formal, which a work-item holds");
    return qn_lexer_expect(lexer, "register");
}

static qn_status parse_move(const reading *at, bool is_load)
{
    const size_t offset = at->lexer->token.offset;
    int number;
    bool is_input;
    QN_TRY(take_formal(at, is_load ? "the name of an input" : "the name of an output", &number, &is_input));
    if (is_input != is_load)
        return QN_SOURCE_FAIL(at->lexer->source, offset, "found \"%s\"; expected %s of %s",
                              is_input ? at->function->inputs[number].name : at->function->outputs[number].name,
                              is_load ? "an input" : "an output", at->function->name);
    if (!is_load && at->function->meanings[number].reduction != QN_REDUCE_NONE)
        return QN_SOURCE_FAIL(at->lexer->source, offset,
                              "found \"%s\", which is reduced, so it is complete after the call; expected an output "
                              "with all indices",
                              at->function->outputs[number].name);
    if (is_load && at->function->inputs[number].index_count == 0)
        return QN_SOURCE_FAIL(at->lexer->source, offset,
                              "found \"%s\", a scalar, which each group loads once; expected an input with indices",
                              at->function->inputs[number].name);
    qn_body *body = is_load ? &at->into->loads[number] : &at->into->stores[number];
    if (body->end > 0) return fail_twice(at, offset, is_load ? "load" : "store");
    return qn_lexer_take_body(at->lexer, &body->begin, &body->end);
}

/* ---- all of them ---- */

static qn_status parse_item(const reading *at)
{
    static const char *const words[] = {"tunable", "needs", "threads", "slots", "place", "load", "store", "compute"};
    size_t word = 0;
    while (word < 8 && !qn_lexer_is(at->lexer, words[word])) word++;
    if (word == 8) return qn_lexer_fail(at->lexer, "an item of an implementation, \"implementation\" or \"function\"");
    const size_t offset = at->lexer->token.offset;
    QN_TRY(qn_lexer_advance(at->lexer));
    switch (word) {
    case 0: return parse_tunable(at);
    case 1: return parse_need(at);
    case 2: return parse_threads(at);
    case 3: return parse_slots(at);
    case 4: return parse_place(at);
    case 5: return parse_move(at, true);
    case 6: return parse_move(at, false);
    default: break;
    }
    if (at->into->compute.end > 0) return fail_twice(at, offset, "\"compute\"");
    return qn_lexer_take_body(at->lexer, &at->into->compute.begin, &at->into->compute.end);
}

static qn_status parse_implementation(qn_lexer *lexer, const qn_function *function, qn_implementation *into)
{
    const reading at = {lexer, function, into};
    qn_token name;
    QN_TRY(qn_lexer_advance(lexer));
    QN_TRY(qn_lexer_take_name(lexer, "the name of the implementation", &name));
    into->name = name.text;
    into->offset = name.offset;
    if (strcmp(name.text, "point") == 0)
        return QN_SOURCE_FAIL(lexer->source, name.offset,
                              "found the implementation \"point\", as the meaning is called; expected another name");
    for (const qn_implementation *other = function->implementations; other != into; other = other->following)
        if (strcmp(other->name, name.text) == 0)
            return QN_SOURCE_FAIL(lexer->source, name.offset,
                                  "found a second implementation \"%s\" of %s; expected another name", name.text,
                                  function->name);
    if (function->index_count == 0)
        return QN_SOURCE_FAIL(lexer->source, name.offset,
                              "found an implementation of %s, which has no index and becomes a part of expressions; "
                              "expected one of a function with indices",
                              function->name);
    while (lexer->token.kind != QN_TOKEN_END && !qn_lexer_is(lexer, "implementation") &&
           !qn_lexer_is(lexer, "function"))
        QN_TRY(parse_item(&at));
    if (into->compute.end > 0) return QN_OK;
    return QN_SOURCE_FAIL(lexer->source, name.offset, "found no \"compute\" of %s; expected one", name.text);
}

qn_status qn_implementations_parse(qn_lexer *lexer, qn_function *function)
{
    qn_implementation **end = &function->implementations;
    while (qn_lexer_is(lexer, "implementation")) {
        void *memory;
        QN_TRY(qn_arena_take(lexer->arena, sizeof **end, &memory));
        *end = memory;
        QN_TRY(parse_implementation(lexer, function, *end));
        end = &(*end)->following;
    }
    return QN_OK;
}
