/* Recursive descent over the grammar of docs/design/fuse.md. */
#include <string.h>

#include "fuse/language/script.h"

static qn_status parse_expr(qn_lexer *lexer, int depth, qn_script_expr *expr);

/* Words with a meaning of their own, which name no value. */
static bool is_reserved(const char *text)
{
    static const char *const words[] = {"sequence", "input",  "inout",  "output", "next", "repeat", "until",
                                        "every",    "scalar", "vector", "matrix", "csr",  "column"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0) return true;
    return false;
}

static qn_status take_name(qn_lexer *lexer, const char *meaning, qn_script_name *name)
{
    qn_token token;
    if (lexer->token.kind == QN_TOKEN_NAME && is_reserved(lexer->token.text)) return qn_lexer_fail(lexer, meaning);
    QN_TRY(qn_lexer_take_name(lexer, meaning, &token));
    *name = (qn_script_name){token.text, token.offset};
    return QN_OK;
}

static qn_status skip_line_ends(qn_lexer *lexer)
{
    while (lexer->token.kind == QN_TOKEN_LINE_END) QN_TRY(qn_lexer_advance(lexer));
    return QN_OK;
}

/* An item ends with a line end, the brace of its body, or the file. */
static qn_status expect_item_end(qn_lexer *lexer, bool in_body)
{
    if (lexer->token.kind == QN_TOKEN_LINE_END) return skip_line_ends(lexer);
    if (lexer->token.kind == QN_TOKEN_END || (in_body && qn_lexer_is(lexer, "}"))) return QN_OK;
    return qn_lexer_fail(lexer, "an operator or the end of the line");
}

static qn_status parse_names(qn_lexer *lexer, const char *meaning, qn_script_item *item)
{
    bool more;
    do {
        if (item->name_count == QN_SCRIPT_NAMES_MAX) return qn_lexer_fail(lexer, "at most 16 names in one item");
        QN_TRY(take_name(lexer, meaning, &item->names[item->name_count]));
        item->name_count++;
        QN_TRY(qn_lexer_take(lexer, ",", &more));
    } while (more);
    return QN_OK;
}

static qn_status parse_extent(qn_lexer *lexer, const char *meaning, qn_script_extent *extent)
{
    *extent = (qn_script_extent){.offset = lexer->token.offset};
    if (lexer->token.kind == QN_TOKEN_NUMBER) {
        const double number = lexer->token.number;
        if (number < 1 || number > 2147483647 || number != (double)(long long)number)
            return qn_lexer_fail(lexer, "a whole number from 1 to 2147483647");
        extent->number = (long long)number;
        return qn_lexer_advance(lexer);
    }
    qn_script_name name;
    QN_TRY(take_name(lexer, meaning, &name));
    extent->name = name.text;
    return QN_OK;
}

static qn_status parse_type(qn_lexer *lexer, qn_script_type *type)
{
    static const struct {
        const char *name;
        int extents;
    } kinds[] = {
        [QN_SCALAR] = {"scalar", 0}, [QN_VECTOR] = {"vector", 1}, [QN_MATRIX] = {"matrix", 2}, [QN_CSR] = {"csr", 2}};
    size_t kind = 0;
    while (kind < 4 && !qn_lexer_is(lexer, kinds[kind].name)) kind++;
    if (kind == 4) return qn_lexer_fail(lexer, "a type: scalar, vector(n), matrix(m, n) or csr(m, n)");
    type->kind = (qn_shape_kind)kind;
    QN_TRY(qn_lexer_advance(lexer));
    for (int i = 0; i < kinds[kind].extents; i++) {
        QN_TRY(qn_lexer_expect(lexer, i == 0 ? "(" : ","));
        QN_TRY(parse_extent(lexer, "an extent: a name or a number", &type->extents[i]));
    }
    if (kinds[kind].extents > 0) QN_TRY(qn_lexer_expect(lexer, ")"));
    const bool column = qn_lexer_is(lexer, "column");
    if (column && kind != QN_MATRIX)
        return qn_lexer_fail(lexer, "the end of the line: only a matrix(m, n) may be stored by columns");
    if (column) QN_TRY(qn_lexer_advance(lexer));
    type->column = column;
    return QN_OK;
}

/* ---- expressions ---- */

static qn_status new_children(qn_lexer *lexer, qn_script_expr *expr, size_t count)
{
    void *memory;
    QN_TRY(qn_arena_take(lexer->arena, count * sizeof *expr, &memory));
    expr->children = memory;
    expr->child_count = count;
    return QN_OK;
}

/* Put `expr` under a new operator; its other children are the caller's to parse. */
static qn_status wrap(qn_lexer *lexer, qn_script_operator kind, size_t offset, size_t count, qn_script_expr *expr)
{
    const qn_script_expr inner = *expr;
    *expr = (qn_script_expr){.kind = kind, .offset = offset};
    QN_TRY(new_children(lexer, expr, count));
    expr->children[0] = inner;
    return QN_OK;
}

static qn_status parse_arguments(qn_lexer *lexer, int depth, qn_script_expr *expr)
{
    qn_script_expr arguments[QN_SCRIPT_NAMES_MAX];
    size_t count = 0;
    bool more;
    QN_TRY(qn_lexer_expect(lexer, "("));
    if (!qn_lexer_is(lexer, ")")) do {
            if (count == QN_SCRIPT_NAMES_MAX) return qn_lexer_fail(lexer, "at most 16 arguments");
            QN_TRY(parse_expr(lexer, depth + 1, &arguments[count]));
            count++;
            QN_TRY(qn_lexer_take(lexer, ",", &more));
        } while (more);
    QN_TRY(qn_lexer_expect(lexer, ")"));
    QN_TRY(new_children(lexer, expr, count));
    for (size_t i = 0; i < count; i++) expr->children[i] = arguments[i];
    return QN_OK;
}

static qn_status parse_value(qn_lexer *lexer, int depth, qn_script_expr *expr)
{
    bool taken;
    *expr = (qn_script_expr){.offset = lexer->token.offset};
    if (lexer->token.kind == QN_TOKEN_NUMBER) {
        expr->number = lexer->token.number;
        return qn_lexer_advance(lexer);
    }
    QN_TRY(qn_lexer_take(lexer, "(", &taken));
    if (taken) {
        QN_TRY(parse_expr(lexer, depth + 1, expr));
        return qn_lexer_expect(lexer, ")");
    }
    QN_TRY(qn_lexer_take(lexer, "next", &expr->is_next));
    qn_script_name name;
    QN_TRY(
        take_name(lexer, expr->is_next ? "the name of a carried inout" : "a value: a number, a name or \"(\"", &name));
    expr->kind = QN_EXPR_NAME;
    expr->name = name.text;
    if (expr->is_next || !qn_lexer_is(lexer, "(")) return QN_OK;
    expr->kind = QN_EXPR_CALL;
    return parse_arguments(lexer, depth, expr);
}

static qn_status parse_factor(qn_lexer *lexer, int depth, qn_script_expr *expr)
{
    bool negative, transposed;
    const size_t sign = lexer->token.offset;
    QN_TRY(qn_lexer_take(lexer, "-", &negative));
    QN_TRY(parse_value(lexer, depth, expr));
    const size_t prime = lexer->token.offset;
    QN_TRY(qn_lexer_take(lexer, "'", &transposed));
    if (transposed) QN_TRY(wrap(lexer, QN_EXPR_TRANSPOSE, prime, 1, expr));
    return negative ? wrap(lexer, QN_EXPR_NEGATE, sign, 1, expr) : QN_OK;
}

typedef struct operator_sign {
    const char *sign;
    qn_script_operator kind;
} operator_sign;

/* A chain of operators of one precedence, from left to right. */
static qn_status parse_chain(qn_lexer *lexer, int depth, const operator_sign *signs, size_t sign_count,
                             qn_status (*parse)(qn_lexer *, int, qn_script_expr *), qn_script_expr *expr)
{
    QN_TRY(parse(lexer, depth, expr));
    for (int length = depth;; length++) {
        size_t i = 0;
        while (i < sign_count && !qn_lexer_is(lexer, signs[i].sign)) i++;
        if (i == sign_count) return QN_OK;
        /* A chain is as deep a tree as parentheses are. */
        if (length > QN_SCRIPT_DEPTH_MAX) return qn_lexer_fail(lexer, "at most 100 operators in a row");
        QN_TRY(wrap(lexer, signs[i].kind, lexer->token.offset, 2, expr));
        QN_TRY(qn_lexer_advance(lexer));
        QN_TRY(parse(lexer, depth, &expr->children[1]));
    }
}

static qn_status parse_term(qn_lexer *lexer, int depth, qn_script_expr *expr)
{
    static const operator_sign signs[] = {
        {"*", QN_EXPR_MULTIPLY}, {".*", QN_EXPR_MULTIPLY_ELEMENT}, {"/", QN_EXPR_DIVIDE}};
    return parse_chain(lexer, depth, signs, 3, parse_factor, expr);
}

static qn_status parse_expr(qn_lexer *lexer, int depth, qn_script_expr *expr)
{
    static const operator_sign signs[] = {{"+", QN_EXPR_ADD}, {"-", QN_EXPR_SUBTRACT}};
    if (depth > QN_SCRIPT_DEPTH_MAX) return qn_lexer_fail(lexer, "at most 100 parentheses inside each other");
    return parse_chain(lexer, depth, signs, 2, parse_term, expr);
}

/* ---- items ---- */

static qn_status parse_declaration(qn_lexer *lexer, qn_script_role role, qn_script_item *item)
{
    item->kind = QN_ITEM_DECLARE;
    item->role = role;
    QN_TRY(qn_lexer_advance(lexer));
    QN_TRY(parse_names(lexer, "a name to declare", item));
    QN_TRY(qn_lexer_expect(lexer, ":"));
    return parse_type(lexer, &item->type);
}

static qn_status parse_assignment(qn_lexer *lexer, qn_script_item *item)
{
    item->kind = QN_ITEM_ASSIGN;
    QN_TRY(qn_lexer_take(lexer, "next", &item->is_next));
    QN_TRY(parse_names(lexer, "a name to assign", item));
    QN_TRY(qn_lexer_expect(lexer, "="));
    return parse_expr(lexer, 0, &item->expr);
}

static qn_status parse_until(qn_lexer *lexer, qn_script_item *item)
{
    bool taken;
    QN_TRY(qn_lexer_take(lexer, "until", &item->has_until));
    item->every = 1;
    if (!item->has_until) return QN_OK;
    QN_TRY(parse_expr(lexer, 0, &item->left));
    QN_TRY(qn_lexer_take(lexer, "<", &item->until_less));
    if (!item->until_less) {
        QN_TRY(qn_lexer_take(lexer, ">", &taken));
        if (!taken) return qn_lexer_fail(lexer, "\"<\" or \">\"");
    }
    QN_TRY(parse_expr(lexer, 0, &item->right));
    QN_TRY(qn_lexer_take(lexer, "every", &taken));
    if (!taken) return QN_OK;
    qn_script_extent every;
    if (lexer->token.kind != QN_TOKEN_NUMBER) return qn_lexer_fail(lexer, "a number of rounds");
    QN_TRY(parse_extent(lexer, "a number of rounds", &every));
    item->every = (int)every.number;
    return QN_OK;
}

static qn_status new_item(qn_lexer *lexer, qn_script_item ***end, qn_script_item **item)
{
    void *memory;
    QN_TRY(qn_arena_take(lexer->arena, sizeof **item, &memory));
    *item = memory;
    (*item)->offset = lexer->token.offset;
    **end = *item;
    *end = &(*item)->following;
    return QN_OK;
}

static qn_status parse_repeat(qn_lexer *lexer, qn_script_item *item)
{
    qn_script_item **end = &item->body, *inner;
    bool closed;
    item->kind = QN_ITEM_REPEAT;
    QN_TRY(qn_lexer_advance(lexer));
    QN_TRY(parse_extent(lexer, "a number of rounds, or its name", &item->rounds));
    QN_TRY(parse_until(lexer, item));
    QN_TRY(qn_lexer_expect(lexer, "{"));
    for (;;) {
        QN_TRY(skip_line_ends(lexer));
        QN_TRY(qn_lexer_take(lexer, "}", &closed));
        if (closed) return QN_OK;
        QN_TRY(new_item(lexer, &end, &inner));
        QN_TRY(parse_assignment(lexer, inner));
        QN_TRY(expect_item_end(lexer, true));
    }
}

static qn_status parse_item(qn_lexer *lexer, qn_script_item *item)
{
    static const char *const roles[] = {
        [QN_ROLE_INPUT] = "input", [QN_ROLE_INOUT] = "inout", [QN_ROLE_OUTPUT] = "output"};
    for (int role = 0; role < 3; role++)
        if (qn_lexer_is(lexer, roles[role])) return parse_declaration(lexer, (qn_script_role)role, item);
    if (qn_lexer_is(lexer, "repeat")) return parse_repeat(lexer, item);
    return parse_assignment(lexer, item);
}

qn_status qn_script_parse(const qn_source *source, qn_arena *arena, qn_script *script)
{
    qn_lexer lexer;
    qn_script_name name;
    *script = (qn_script){.source = source};
    qn_script_item **end = &script->items, *item;
    QN_TRY(qn_lexer_start(source, false, arena, &lexer));
    QN_TRY(skip_line_ends(&lexer));
    if (!qn_lexer_is(&lexer, "sequence")) return qn_lexer_fail(&lexer, "\"sequence\" and a name");
    QN_TRY(qn_lexer_advance(&lexer));
    QN_TRY(take_name(&lexer, "the name of the sequence", &name));
    script->name = name.text;
    QN_TRY(expect_item_end(&lexer, false));
    while (lexer.token.kind != QN_TOKEN_END) {
        QN_TRY(new_item(&lexer, &end, &item));
        QN_TRY(parse_item(&lexer, item));
        QN_TRY(expect_item_end(&lexer, false));
    }
    return QN_OK;
}
