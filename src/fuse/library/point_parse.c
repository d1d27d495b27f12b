/* The body of a meaning: statements "output += expression;" and "output = expression;" over names of formals. */
#include <string.h>

#include "base/nearest_word.h"
#include "fuse/library/library.h"

enum { DEEPEST = 100 };

typedef struct body {
    qn_lexer *lexer;
    const qn_function *function;
    int self; /* the output that the statement assigns */
} body;

static qn_status parse_sum(const body *at, int depth, const qn_point **point);

static int find_word(const char *name)
{
    for (int i = 0; i < qn_point_word_count; i++)
        if (strcmp(qn_point_words[i].name, name) == 0) return i;
    return -1;
}

static qn_status fail_name(const body *at, const qn_token *name)
{
    const char *words[64];
    size_t count = 0;
    for (int i = 0; i < at->function->input_count; i++) words[count++] = at->function->inputs[i].name;
    for (int i = 0; i < at->function->output_count; i++) words[count++] = at->function->outputs[i].name;
    for (int i = 0; i < qn_point_word_count; i++) words[count++] = qn_point_words[i].name;
    return QN_SOURCE_FAIL(at->lexer->source, name->offset, "found the unknown name \"%s\"; %s", name->text,
                          qn_expect_words(name->text, words, count).text);
}

static qn_status parse_word(const body *at, int depth, const qn_token *name, const qn_point **point)
{
    const qn_point *children[QN_POINT_CHILDREN_MAX];
    const int word = find_word(name->text);
    if (word < 0) return fail_name(at, name);
    for (int i = 0; i < qn_point_words[word].arity; i++) {
        QN_TRY(qn_lexer_expect(at->lexer, i == 0 ? "(" : ","));
        QN_TRY(parse_sum(at, depth + 1, &children[i]));
    }
    QN_TRY(qn_lexer_expect(at->lexer, ")"));
    return qn_point_make(at->lexer->arena, QN_POINT_WORD, word, children, point);
}

/* Slots are the inputs, and behind them the output that the statement assigns. */
static qn_status parse_name(const body *at, int depth, const qn_point **point)
{
    qn_token name;
    const qn_function *function = at->function;
    QN_TRY(qn_lexer_take_name(at->lexer, "a value: a number, a name or \"(\"", &name));
    if (qn_lexer_is(at->lexer, "(")) return parse_word(at, depth, &name, point);
    const int input = qn_formal_find(function->inputs, function->input_count, name.text);
    if (input >= 0) return qn_point_make_input(at->lexer->arena, input, point);
    if (strcmp(function->outputs[at->self].name, name.text) == 0)
        return qn_point_make_input(at->lexer->arena, function->input_count, point);
    return fail_name(at, &name);
}

static qn_status parse_factor(const body *at, int depth, const qn_point **point)
{
    bool taken;
    if (depth > DEEPEST) return qn_lexer_fail(at->lexer, "at most 100 parentheses inside each other");
    QN_TRY(qn_lexer_take(at->lexer, "-", &taken));
    if (taken) {
        const qn_point *inner;
        QN_TRY(parse_factor(at, depth + 1, &inner));
        return qn_point_make(at->lexer->arena, QN_POINT_NEGATE, 0, &inner, point);
    }
    if (at->lexer->token.kind == QN_TOKEN_NUMBER) {
        const double number = at->lexer->token.number;
        QN_TRY(qn_lexer_advance(at->lexer));
        return qn_point_make_number(at->lexer->arena, number, point);
    }
    QN_TRY(qn_lexer_take(at->lexer, "(", &taken));
    if (!taken) return parse_name(at, depth, point);
    QN_TRY(parse_sum(at, depth + 1, point));
    return qn_lexer_expect(at->lexer, ")");
}

static qn_status parse_product(const body *at, int depth, const qn_point **point)
{
    QN_TRY(parse_factor(at, depth, point));
    for (int length = depth;; length++) {
        const bool times = qn_lexer_is(at->lexer, "*");
        if (!times && !qn_lexer_is(at->lexer, "/")) return QN_OK;
        if (length > DEEPEST) return qn_lexer_fail(at->lexer, "at most 100 operators in a row");
        const qn_point *children[2] = {*point};
        QN_TRY(qn_lexer_advance(at->lexer));
        QN_TRY(parse_factor(at, depth, &children[1]));
        QN_TRY(qn_point_make(at->lexer->arena, times ? QN_POINT_MULTIPLY : QN_POINT_DIVIDE, 0, children, point));
    }
}

static qn_status parse_sum(const body *at, int depth, const qn_point **point)
{
    QN_TRY(parse_product(at, depth, point));
    for (int length = depth;; length++) {
        const bool plus = qn_lexer_is(at->lexer, "+");
        if (!plus && !qn_lexer_is(at->lexer, "-")) return QN_OK;
        if (length > DEEPEST) return qn_lexer_fail(at->lexer, "at most 100 operators in a row");
        const qn_point *children[2] = {*point};
        QN_TRY(qn_lexer_advance(at->lexer));
        QN_TRY(parse_product(at, depth, &children[1]));
        QN_TRY(qn_point_make(at->lexer->arena, plus ? QN_POINT_ADD : QN_POINT_SUBTRACT, 0, children, point));
    }
}

/* "r = FMIN(r, x)": whether the tree is a minimum or maximum of the output itself and a term without it. */
static bool is_extreme(const qn_point *point, int self, qn_reduction *reduction, const qn_point **term)
{
    if (point->kind != QN_POINT_WORD) return false;
    const char *name = qn_point_words[point->slot].name;
    const bool least = strcmp(name, "FMIN") == 0 || strcmp(name, "MIN") == 0;
    if (!least && strcmp(name, "FMAX") != 0 && strcmp(name, "MAX") != 0) return false;
    const qn_point *first = point->children[0], *second = point->children[1];
    const bool is_first = first->kind == QN_POINT_INPUT && first->slot == self;
    *term = is_first ? second : first;
    const qn_point *own = is_first ? first : second;
    if (own->kind != QN_POINT_INPUT || own->slot != self || qn_point_reads(*term, self)) return false;
    *reduction = least ? QN_REDUCE_MINIMUM : QN_REDUCE_MAXIMUM;
    return true;
}

/* Whether the output lacks an index of the space. */
static bool is_reduced(const qn_function *function, int output)
{
    return function->outputs[output].index_count < function->index_count;
}

static qn_status parse_reduction(const body *at, const qn_token *name, bool adds, const qn_point *point,
                                 qn_meaning *meaning)
{
    const int self = at->function->input_count;
    if (adds) {
        if (qn_point_reads(point, self))
            return QN_SOURCE_FAIL(at->lexer->source, name->offset,
                                  "found \"%s\" on both sides of +=; expected a term without it", name->text);
        meaning->term = point;
        meaning->reduction = QN_REDUCE_SUM;
        return QN_OK;
    }
    if (is_extreme(point, self, &meaning->reduction, &meaning->term)) return QN_OK;
    return QN_SOURCE_FAIL(at->lexer->source, name->offset,
                          "found no reduction of \"%s\", which lacks an index; expected %s += …, %s = FMIN(%s, …) or "
                          "%s = FMAX(%s, …)",
                          name->text, name->text, name->text, name->text, name->text, name->text);
}

static qn_status parse_statement(body *at, qn_function *function)
{
    qn_token name;
    bool adds;
    const qn_point *point;
    QN_TRY(qn_lexer_take_name(at->lexer, "the name of an output, or \"}\"", &name));
    at->self = qn_formal_find(function->outputs, function->output_count, name.text);
    if (at->self < 0)
        return QN_SOURCE_FAIL(at->lexer->source, name.offset, "found \"%s\"; expected the name of an output of %s",
                              name.text, function->name);
    qn_meaning *meaning = &function->meanings[at->self];
    const int self = function->input_count;
    QN_TRY(qn_lexer_take(at->lexer, "+=", &adds));
    if (!adds) QN_TRY(qn_lexer_expect(at->lexer, "="));
    QN_TRY(parse_sum(at, 0, &point));
    QN_TRY(qn_lexer_expect(at->lexer, ";"));
    if (!meaning->term && is_reduced(function, at->self)) return parse_reduction(at, &name, adds, point, meaning);
    if (!meaning->term && (adds || qn_point_reads(point, self)))
        return QN_SOURCE_FAIL(at->lexer->source, name.offset,
                              "found \"%s\" read before it is assigned; it has all indices, so %s = … is expected",
                              name.text, name.text);
    if (meaning->finish || (meaning->term && (adds || !is_reduced(function, at->self))))
        return QN_SOURCE_FAIL(at->lexer->source, name.offset, "found a further assignment of \"%s\"; expected %s",
                              name.text, meaning->finish ? "\"}\"" : "one for each output");
    if (meaning->term)
        meaning->finish = point;
    else
        meaning->term = point;
    return QN_OK;
}

/* After a reduction only what is known without the reduced indices can be read. */
static qn_status check_finish(const qn_lexer *lexer, const qn_function *function, int output)
{
    const qn_point *finish = function->meanings[output].finish;
    for (int i = 0; finish && i < function->input_count; i++)
        if (function->inputs[i].index_count > function->outputs[output].index_count && qn_point_reads(finish, i))
            return QN_SOURCE_FAIL(lexer->source, function->offset,
                                  "found \"%s\" read after the reduction of \"%s\" in %s; expected values without the "
                                  "reduced index",
                                  function->inputs[i].name, function->outputs[output].name, function->name);
    return QN_OK;
}

qn_status qn_point_parse(qn_lexer *lexer, qn_function *function)
{
    body at = {.lexer = lexer, .function = function};
    while (!qn_lexer_is(lexer, "}")) QN_TRY(parse_statement(&at, function));
    for (int i = 0; i < function->output_count; i++) {
        if (!function->meanings[i].term)
            return QN_SOURCE_FAIL(lexer->source, lexer->token.offset,
                                  "found no assignment of \"%s\"; expected one in "
                                  "the meaning of %s",
                                  function->outputs[i].name, function->name);
        QN_TRY(check_finish(lexer, function, i));
    }
    return QN_OK;
}
