/* Reading expressions: operator precedence climbing into a tree. */
#include "expression/tree.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

typedef struct reader {
    qn_expression *expression;
    const char *at;
    const char *const *names;
    size_t name_count;
    const qn_expression_list *lists;
    size_t list_count;
    const qn_value **list_values; /* copies of the lists' elements, their texts owned by the expression */
    const char *locals[QN_TREE_LOCALS];
    int local_lengths[QN_TREE_LOCALS];
    int local_count;
    int nesting;
    int smallest_integer; /* node of a literal 2^63, valid only after a minus; -1: none */
} reader;

/* Binding strength of operators, loosest first, as in Python. */
enum {
    BIND_OR = 1,
    BIND_AND,
    BIND_NOT,
    BIND_COMPARE,
    BIND_BIT_OR,
    BIND_BIT_XOR,
    BIND_BIT_AND,
    BIND_SHIFT,
    BIND_SUM,
    BIND_PRODUCT
};

static const struct binary {
    const char *word;
    int binding;
    qn_tree_operation operation;
} binaries[] = {
    /* longer words come before words that they begin with */
    {"or", BIND_OR, QN_TREE_OR},
    {"||", BIND_OR, QN_TREE_OR},
    {"and", BIND_AND, QN_TREE_AND},
    {"&&", BIND_AND, QN_TREE_AND},
    {"<<", BIND_SHIFT, QN_TREE_SHIFT_LEFT},
    {">>", BIND_SHIFT, QN_TREE_SHIFT_RIGHT},
    {"<=", BIND_COMPARE, QN_TREE_LESS_EQUAL},
    {">=", BIND_COMPARE, QN_TREE_GREATER_EQUAL},
    {"==", BIND_COMPARE, QN_TREE_EQUAL},
    {"!=", BIND_COMPARE, QN_TREE_UNEQUAL},
    {"<", BIND_COMPARE, QN_TREE_LESS},
    {">", BIND_COMPARE, QN_TREE_GREATER},
    {"in", BIND_COMPARE, QN_TREE_IN},
    {"not in", BIND_COMPARE, QN_TREE_NOT_IN},
    {"|", BIND_BIT_OR, QN_TREE_BIT_OR},
    {"^", BIND_BIT_XOR, QN_TREE_BIT_XOR},
    {"&", BIND_BIT_AND, QN_TREE_BIT_AND},
    {"+", BIND_SUM, QN_TREE_ADD},
    {"-", BIND_SUM, QN_TREE_SUBTRACT},
    {"//", BIND_PRODUCT, QN_TREE_FLOOR_DIVIDE},
    {"*", BIND_PRODUCT, QN_TREE_MULTIPLY},
    {"/", BIND_PRODUCT, QN_TREE_DIVIDE},
    {"%", BIND_PRODUCT, QN_TREE_MODULO},
};

static const char *const functions[QN_TREE_FUNCTION_COUNT] = {
    [QN_TREE_MIN] = "min",     [QN_TREE_MAX] = "max",     [QN_TREE_ABS] = "abs",   [QN_TREE_LEN] = "len",
    [QN_TREE_SUM] = "sum",     [QN_TREE_ROUND] = "round", [QN_TREE_INT] = "int",   [QN_TREE_FLOAT] = "float",
    [QN_TREE_CEIL] = "ceil",   [QN_TREE_FLOOR] = "floor", [QN_TREE_LOG2] = "log2", [QN_TREE_SQRT] = "sqrt",
    [QN_TREE_RANGE] = "range", [QN_TREE_TO_LIST] = "list"};

static qn_status read_ternary(reader *r, int *node);
static qn_status read_unary(reader *r, int *node);
static qn_status read_binary(reader *r, int least, int *node);

/* ---- Words ---- */

static bool is_name_byte(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || (unsigned char)byte >= 0x80;
}

static void skip_space(reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

static int column_of(const reader *r, const char *place)
{
    return (int)(place - r->expression->text) + 1;
}

static qn_status not_understood(const reader *r, const char *place, int length, const char *expected)
{
    const qn_expression *e = r->expression;
    if (length <= 0 || length > 40) length = 12;
    return QN_FAIL(QN_INVALID_ARGUMENT, "%s \"%.200s\", column %d: \"%.*s\" is not understood; expected %s", e->what,
                   e->text, column_of(r, place), length, place, expected);
}

static qn_status syntax_error(reader *r, const char *expected)
{
    skip_space(r);
    return not_understood(r, r->at, 0, expected);
}

/* Returns the length of `word` in the text if the text continues with it, else 0; a blank in `word` matches any white
 * space. */
static size_t next_is(reader *r, const char *word)
{
    skip_space(r);
    const char *at = r->at;
    for (const char *byte = word; *byte; byte++) {
        if (*byte == ' ') {
            if (!isspace((unsigned char)*at)) return 0;
            at += strspn(at, " \t\r\n");
        } else if (*at++ != *byte)
            return 0;
    }
    if (isalpha((unsigned char)word[0]) && is_name_byte(*at)) return 0;
    return (size_t)(at - r->at);
}

static bool take(reader *r, const char *word)
{
    size_t length = next_is(r, word);
    r->at += length;
    return length > 0;
}

/* Returns the length of the name at the reading position, dots included; 0: there is no name. */
static int name_length(reader *r)
{
    skip_space(r);
    const char *at = r->at;
    if (!is_name_byte(*at) || isdigit((unsigned char)*at)) return 0;
    while (is_name_byte(*at) || (*at == '.' && is_name_byte(at[1]))) at++;
    return (int)(at - r->at);
}

static bool is_text(const char *place, int length, const char *text)
{
    return (int)strlen(text) == length && memcmp(place, text, (size_t)length) == 0;
}

/* ---- Nodes ---- */

static int height_of(const reader *r, int node)
{
    return r->expression->nodes[node].height;
}

/* Add a node with up to three children (-1: none) and the list entries from `begin` on. */
static qn_status add_node(reader *r, qn_tree_node node, int *number)
{
    qn_expression *e = r->expression;
    void *memory = e->nodes;
    int height = 0;
    for (int i = 0; i < 3; i++)
        if (node.child[i] >= 0 && height_of(r, node.child[i]) > height) height = height_of(r, node.child[i]);
    for (int i = 0; i < node.list_count; i++)
        if (height_of(r, e->lists[node.list_begin + i]) > height) height = height_of(r, e->lists[node.list_begin + i]);
    node.height = height + 1;
    if (node.height > QN_TREE_HEIGHT)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s \"%.200s\", column %d: more than %d operations in a row; expected a simpler one", e->what,
                       e->text, node.column, QN_TREE_HEIGHT);
    qn_status status = qn_grow(&memory, &e->node_capacity, e->node_count + 1, sizeof *e->nodes);
    e->nodes = memory;
    QN_TRY(status);
    *number = (int)e->node_count;
    e->nodes[e->node_count++] = node;
    return QN_OK;
}

static qn_tree_node node_at(const reader *r, const char *place, qn_tree_operation operation)
{
    return (qn_tree_node){.operation = operation, .column = column_of(r, place), .child = {-1, -1, -1}};
}

static qn_status add_operation(reader *r, const char *place, qn_tree_operation operation, int first, int second,
                               int third, int *number)
{
    qn_tree_node node = node_at(r, place, operation);
    node.child[0] = first, node.child[1] = second, node.child[2] = third;
    return add_node(r, node, number);
}

static qn_status add_constant(reader *r, const char *place, qn_value value, int *number)
{
    qn_tree_node node = node_at(r, place, QN_TREE_CONSTANT);
    node.value = value;
    return add_node(r, node, number);
}

/* Node numbers collected while their count is not known. */
typedef struct gathered {
    int *nodes;
    size_t count, capacity;
} gathered;

static qn_status gather(gathered *g, int node)
{
    void *memory = g->nodes;
    qn_status status = qn_grow(&memory, &g->capacity, g->count + 1, sizeof *g->nodes);
    g->nodes = memory;
    QN_TRY(status);
    g->nodes[g->count++] = node;
    return QN_OK;
}

static qn_status add_list(reader *r, const char *place, qn_tree_operation operation, int slot, const gathered *g,
                          int *number)
{
    qn_expression *e = r->expression;
    void *memory = e->lists;
    qn_status status = qn_grow(&memory, &e->list_capacity, e->list_count + g->count, sizeof *e->lists);
    e->lists = memory;
    QN_TRY(status);
    qn_tree_node node = node_at(r, place, operation);
    node.slot = slot;
    node.list_begin = (int)e->list_count;
    node.list_count = (int)g->count;
    if (g->count) memcpy(e->lists + e->list_count, g->nodes, g->count * sizeof *g->nodes);
    e->list_count += g->count;
    return add_node(r, node, number);
}

/* ---- Literals and names ---- */

static qn_status read_whole(reader *r, const char *start, int base, int *node)
{
    char digits[80];
    size_t count = 0;
    const char *at = start + (base == 10 ? 0 : 2);
    for (; isalnum((unsigned char)*at) || *at == '_'; at++)
        if (*at != '_' && count < sizeof digits - 1) digits[count++] = *at;
    digits[count] = 0;
    char *end;
    errno = 0;
    uint64_t value = strtoull(digits, &end, base);
    bool leading_zero = base == 10 && digits[0] == '0' && strspn(digits, "0") != count;
    if (*end || !count || leading_zero || at[-1] == '_') return not_understood(r, start, (int)(at - start), "a number");
    if (errno == ERANGE || value > (uint64_t)1 << 63 || (value == (uint64_t)1 << 63 && r->smallest_integer >= 0))
        return not_understood(r, start, (int)(at - start), "a number of at most 64 bits");
    r->at = at;
    bool smallest = value == (uint64_t)1 << 63;
    QN_TRY(add_constant(r, start, qn_value_integer(smallest ? INT64_MIN : (int64_t)value), node));
    if (smallest) r->smallest_integer = *node;
    return QN_OK;
}

static qn_status read_number(reader *r, int *node)
{
    const char *start = r->at;
    int letter = start[0] == '0' ? tolower((unsigned char)start[1]) : 0;
    if (letter == 'x' || letter == 'b' || letter == 'o')
        return read_whole(r, start, letter == 'x' ? 16 : letter == 'b' ? 2 : 8, node);
    size_t length = strspn(start, "0123456789_");
    if (start[length] != '.' && tolower((unsigned char)start[length]) != 'e') return read_whole(r, start, 10, node);
    char *end;
    double value = strtod(start, &end);
    if (end == start || is_name_byte(*end) || *end == '.' || !isfinite(value))
        return not_understood(r, start, 0, "a number");
    r->at = end;
    return add_constant(r, start, qn_value_real(value), node);
}

static qn_status read_text(reader *r, int *node)
{
    static const char escapes[] = "\\\\''\"\"n\nt\t";
    qn_expression *e = r->expression;
    const char *start = r->at;
    char *text = e->literals + e->literals_length;
    size_t length = 0;
    for (r->at++; *r->at != *start; r->at++) {
        char byte = *r->at;
        if (byte == '\\') {
            byte = 0;
            for (const char *pair = escapes; *pair; pair += 2)
                if (pair[0] == r->at[1]) byte = pair[1];
            if (!byte) return not_understood(r, r->at, 2, "\\\\, \\', \\\", \\n or \\t");
            r->at++;
        }
        if (!byte) return not_understood(r, start, 0, "a text that ends with the quotation mark it begins with");
        text[length++] = byte;
    }
    r->at++;
    text[length] = 0;
    e->literals_length += length + 1;
    return add_constant(r, start, qn_value_text(text), node);
}

static qn_status add_given_list(reader *r, const char *place, size_t list, int *node)
{
    gathered g = {0};
    qn_status status = QN_OK;
    for (size_t i = 0; i < r->lists[list].count && status == QN_OK; i++) {
        int element;
        status = add_constant(r, place, r->list_values[list][i], &element);
        if (status == QN_OK) status = gather(&g, element);
    }
    if (status == QN_OK) status = add_list(r, place, QN_TREE_LIST, 0, &g, node);
    qn_release(&g.nodes);
    return status;
}

/* Read a name that is not a function: a variable of a comprehension, a given variable, a given list, or True and
 * False. */
static qn_status read_name(reader *r, int length, bool list_first, int *node)
{
    const char *start = r->at;
    qn_tree_node name = node_at(r, start, QN_TREE_UNKNOWN);
    name.length = length;
    r->at += length;
    for (int i = 0; i < r->local_count; i++)
        if (r->local_lengths[i] == length && memcmp(r->locals[i], start, (size_t)length) == 0)
            name.operation = QN_TREE_LOCAL, name.slot = i;
    for (int pass = 0; pass < 2 && name.operation == QN_TREE_UNKNOWN; pass++) {
        if ((pass == 0) == list_first)
            for (size_t i = 0; i < r->list_count; i++)
                if (is_text(start, length, r->lists[i].name)) return add_given_list(r, start, i, node);
        if ((pass == 0) != list_first)
            for (size_t i = 0; i < r->name_count && name.operation == QN_TREE_UNKNOWN; i++)
                if (is_text(start, length, r->names[i])) name.operation = QN_TREE_VARIABLE, name.slot = (int)i;
    }
    if (name.operation == QN_TREE_UNKNOWN) {
        bool yes = is_text(start, length, "True") || is_text(start, length, "true");
        if (yes || is_text(start, length, "False") || is_text(start, length, "false"))
            return add_constant(r, start, qn_value_boolean(yes), node);
    }
    skip_space(r);
    if (name.operation == QN_TREE_UNKNOWN && *r->at == '(')
        return not_understood(r, start, length,
                              "one of min max abs len sum round int float ceil floor log2 sqrt range list");
    return add_node(r, name, node);
}

/* ---- Lists, comprehensions, calls ---- */

/* Resolve the names in an element, from node `begin` on: the element was read before its variable was known. */
static void bind_names(reader *r, size_t begin, int outer_locals, int slot)
{
    qn_expression *e = r->expression;
    for (size_t i = begin; i < e->node_count; i++) {
        qn_tree_node *node = &e->nodes[i];
        bool bindable = node->operation == QN_TREE_VARIABLE || node->operation == QN_TREE_UNKNOWN ||
                        (node->operation == QN_TREE_LOCAL && node->slot < outer_locals);
        if (!bindable || node->length != r->local_lengths[slot] ||
            memcmp(e->text + node->column - 1, r->locals[slot], (size_t)node->length) != 0)
            continue;
        node->operation = QN_TREE_LOCAL;
        node->slot = slot;
    }
}

/* Read `for` and `if` after an element whose nodes begin at `begin`; its last node is the first of `g`. */
static qn_status read_clauses(reader *r, const char *place, size_t begin, gathered *g, int *node)
{
    int outer_locals = r->local_count;
    size_t element_end = r->expression->node_count;
    for (;;) {
        qn_tree_node clause = node_at(r, r->at, QN_TREE_IF);
        if (take(r, "for")) {
            int length = name_length(r), slot = r->local_count;
            if (!length) return syntax_error(r, "the name of a variable");
            if (slot == QN_TREE_LOCALS) return syntax_error(r, "fewer variables");
            const char *name = r->at;
            r->at += length;
            if (!take(r, "in")) return syntax_error(r, "\"in\"");
            clause.operation = QN_TREE_FOR;
            clause.slot = slot;
            QN_TRY(read_binary(r, BIND_OR, &clause.child[0]));
            r->locals[slot] = name;
            r->local_lengths[slot] = length;
            r->local_count++;
            size_t all = r->expression->node_count;
            r->expression->node_count = element_end;
            bind_names(r, begin, outer_locals, slot);
            r->expression->node_count = all;
        } else if (g->count > 1 && take(r, "if")) {
            QN_TRY(read_binary(r, BIND_OR, &clause.child[0]));
        } else
            break;
        int number;
        QN_TRY(add_node(r, clause, &number));
        QN_TRY(gather(g, number));
    }
    r->local_count = outer_locals;
    return add_list(r, place, QN_TREE_COMPREHENSION, 0, g, node);
}

/* Read elements up to `end`, or one element with its clauses. */
static qn_status read_elements(reader *r, const char *place, const char *end, gathered *g, bool *comprehension,
                               int *node)
{
    *comprehension = false;
    while (!take(r, end)) {
        int element;
        size_t begin = r->expression->node_count;
        QN_TRY(read_ternary(r, &element));
        QN_TRY(gather(g, element));
        if (g->count == 1 && next_is(r, "for")) {
            *comprehension = true;
            QN_TRY(read_clauses(r, place, begin, g, node));
            return take(r, end) ? QN_OK : syntax_error(r, *end == ']' ? "\"]\"" : "\")\"");
        }
        if (!take(r, ",") && !next_is(r, end))
            return syntax_error(r, *end == ']' ? "\",\" or \"]\"" : "\",\" or \")\"");
    }
    return QN_OK;
}

static qn_status read_list(reader *r, int *node)
{
    gathered g = {0};
    bool comprehension;
    const char *start = r->at++;
    qn_status status = read_elements(r, start, "]", &g, &comprehension, node);
    if (status == QN_OK && !comprehension) status = add_list(r, start, QN_TREE_LIST, 0, &g, node);
    qn_release(&g.nodes);
    return status;
}

/* Read (a), or a tuple as in Python, (a, b), which is a list. */
static qn_status read_parenthesis(reader *r, int *node)
{
    const char *start = r->at++;
    QN_TRY(read_ternary(r, node));
    if (take(r, ")")) return QN_OK;
    if (!next_is(r, ",")) return syntax_error(r, "\")\"");
    gathered g = {0};
    qn_status status = gather(&g, *node);
    bool comprehension;
    r->at++;
    if (status == QN_OK) status = read_elements(r, start, ")", &g, &comprehension, node);
    if (status == QN_OK) status = add_list(r, start, QN_TREE_LIST, 0, &g, node);
    qn_release(&g.nodes);
    return status;
}

static qn_status check_argument_count(const reader *r, const char *place, int function, size_t count)
{
    static const struct {
        size_t least, most;
        const char *expected;
    } counts[QN_TREE_FUNCTION_COUNT] = {
        [QN_TREE_MIN] = {1, SIZE_MAX, "a list or at least two values"},
        [QN_TREE_MAX] = {1, SIZE_MAX, "a list or at least two values"},
        [QN_TREE_SUM] = {1, 2, "a list and optionally a start"},
        [QN_TREE_RANGE] = {1, 3, "one to three numbers"},
    };
    size_t least = counts[function].expected ? counts[function].least : 1;
    size_t most = counts[function].expected ? counts[function].most : 1;
    if (count >= least && count <= most) return QN_OK;
    const char *expected = counts[function].expected ? counts[function].expected : "one value";
    return QN_FAIL(QN_INVALID_ARGUMENT, "%s \"%.200s\", column %d: %s of %zu values; expected %s", r->expression->what,
                   r->expression->text, column_of(r, place), functions[function], count, expected);
}

static qn_status read_call(reader *r, const char *place, int function, int *node)
{
    gathered g = {0};
    bool comprehension = false;
    qn_status status = QN_OK;
    r->at++;
    int length = name_length(r);
    const char *behind = r->at + length + strspn(r->at + length, " \t\r\n");
    if (length && *behind == ')') {
        int argument;
        status = read_name(r, length, true, &argument);
        if (status == QN_OK) status = gather(&g, argument);
        if (status == QN_OK) status = take(r, ")") ? QN_OK : QN_INTERNAL;
    } else {
        status = read_elements(r, place, ")", &g, &comprehension, node);
        if (status == QN_OK && comprehension) g.nodes[0] = *node, g.count = 1;
    }
    if (status == QN_OK) status = check_argument_count(r, place, function, g.count);
    if (status == QN_OK) status = add_list(r, place, QN_TREE_CALL, function, &g, node);
    qn_release(&g.nodes);
    return status;
}

static qn_status read_word(reader *r, int length, int *node)
{
    static const char *const reserved[] = {"and", "or", "not", "in", "if", "else", "for", "is", "lambda"};
    const char *start = r->at;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (is_text(start, length, reserved[i])) return syntax_error(r, "a value");
    bool given = false;
    for (size_t i = 0; i < r->name_count; i++) given |= is_text(start, length, r->names[i]);
    bool prefixed = length > 5 && memcmp(start, "math.", 5) == 0;
    int skipped = prefixed ? 5 : 0;
    for (int f = 0; f < QN_TREE_FUNCTION_COUNT && !given; f++) {
        if (!is_text(start + skipped, length - skipped, functions[f])) continue;
        r->at += length;
        skip_space(r);
        return *r->at == '(' ? read_call(r, start, f, node) : syntax_error(r, "\"(\"");
    }
    return read_name(r, length, false, node);
}

/* ---- Operators ---- */

static qn_status read_atom(reader *r, int *node)
{
    skip_space(r);
    int length = name_length(r);
    if (length) return read_word(r, length, node);
    if (isdigit((unsigned char)*r->at) || (*r->at == '.' && isdigit((unsigned char)r->at[1])))
        return read_number(r, node);
    if (*r->at == '"' || *r->at == '\'') return read_text(r, node);
    if (*r->at == '[') return read_list(r, node);
    if (*r->at == '(') return read_parenthesis(r, node);
    return syntax_error(r, "a value");
}

/* value[index]… ** exponent; the exponent may have a sign. */
static qn_status read_power(reader *r, int *node)
{
    int other;
    QN_TRY(read_atom(r, node));
    for (;;) {
        const char *place = (skip_space(r), r->at);
        if (take(r, "[")) {
            QN_TRY(read_ternary(r, &other));
            if (!take(r, "]")) return syntax_error(r, "\"]\"");
            QN_TRY(add_operation(r, place, QN_TREE_INDEX, *node, other, -1, node));
        } else if (take(r, "**")) {
            QN_TRY(read_unary(r, &other));
            return add_operation(r, place, QN_TREE_POWER, *node, other, -1, node);
        } else
            return QN_OK;
    }
}

static qn_status read_unary_inside(reader *r, int *node)
{
    static const struct {
        const char *word;
        qn_tree_operation operation;
    } signs[] = {{"-", QN_TREE_NEGATE}, {"+", QN_TREE_PLUS}, {"~", QN_TREE_INVERT}, {"!", QN_TREE_NOT}};
    const char *place = (skip_space(r), r->at);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (!take(r, signs[i].word)) continue;
        QN_TRY(read_unary(r, node));
        if (signs[i].operation == QN_TREE_NEGATE && *node == r->smallest_integer) {
            r->smallest_integer = -1; /* -9223372036854775808 is a number */
            return QN_OK;
        }
        return add_operation(r, place, signs[i].operation, *node, -1, -1, node);
    }
    return read_power(r, node);
}

static qn_status read_unary(reader *r, int *node)
{
    if (++r->nesting > 6 * QN_TREE_NESTING) return syntax_error(r, "fewer nested parentheses");
    qn_status status = read_unary_inside(r, node);
    r->nesting--;
    return status;
}

static const struct binary *next_binary(reader *r, int least)
{
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (next_is(r, binaries[i].word)) return binaries[i].binding >= least ? &binaries[i] : NULL;
    return NULL;
}

/* a < b <= c becomes a < b and b <= c; nodes may have several parents. */
static qn_status read_comparisons(reader *r, int *node)
{
    int left = *node, chain = -1;
    for (const struct binary *next; (next = next_binary(r, BIND_COMPARE)) && next->binding == BIND_COMPARE;) {
        const char *place = r->at;
        int right, compared;
        r->at += next_is(r, next->word);
        QN_TRY(read_binary(r, BIND_COMPARE + 1, &right));
        QN_TRY(add_operation(r, place, next->operation, left, right, -1, &compared));
        if (chain < 0)
            chain = compared;
        else
            QN_TRY(add_operation(r, place, QN_TREE_AND, chain, compared, -1, &chain));
        left = right;
    }
    *node = chain;
    return QN_OK;
}

static qn_status read_binary(reader *r, int least, int *node)
{
    const char *place = (skip_space(r), r->at);
    if (least <= BIND_NOT && take(r, "not")) {
        if (++r->nesting > 6 * QN_TREE_NESTING) return syntax_error(r, "fewer nested parentheses");
        QN_TRY(read_binary(r, BIND_NOT, node));
        r->nesting--;
        QN_TRY(add_operation(r, place, QN_TREE_NOT, *node, -1, -1, node));
    } else
        QN_TRY(read_unary(r, node));
    for (const struct binary *next; (next = next_binary(r, least));) {
        int right;
        place = r->at;
        if (next->binding == BIND_COMPARE) {
            QN_TRY(read_comparisons(r, node));
            continue;
        }
        r->at += next_is(r, next->word);
        QN_TRY(read_binary(r, next->binding + 1, &right));
        QN_TRY(add_operation(r, place, next->operation, *node, right, -1, node));
    }
    return QN_OK;
}

static qn_status read_ternary_inside(reader *r, int *node)
{
    int condition, other;
    QN_TRY(read_binary(r, BIND_OR, node));
    const char *place = (skip_space(r), r->at);
    if (take(r, "if")) {
        QN_TRY(read_binary(r, BIND_OR, &condition));
        if (!take(r, "else")) return syntax_error(r, "\"else\"");
        QN_TRY(read_ternary(r, &other));
        return add_operation(r, place, QN_TREE_SELECT, condition, *node, other, node);
    }
    if (!take(r, "?")) return QN_OK;
    condition = *node;
    QN_TRY(read_ternary(r, node));
    if (!take(r, ":")) return syntax_error(r, "\":\"");
    QN_TRY(read_ternary(r, &other));
    return add_operation(r, place, QN_TREE_SELECT, condition, *node, other, node);
}

static qn_status read_ternary(reader *r, int *node)
{
    r->nesting += 6;
    if (r->nesting > 6 * QN_TREE_NESTING) return syntax_error(r, "fewer nested parentheses");
    qn_status status = read_ternary_inside(r, node);
    r->nesting -= 6;
    return status;
}

/* ---- The whole expression ---- */

static qn_status unknown_name(const reader *r, const qn_tree_node *name)
{
    qn_text known = {0};
    qn_status status = qn_text_append(&known, r->name_count + r->list_count ? "one of" : "a number or text");
    for (size_t i = 0; i < r->name_count && known.length < 300 && status == QN_OK; i++)
        status = qn_text_append(&known, " %s", r->names[i]);
    for (size_t i = 0; i < r->list_count && known.length < 300 && status == QN_OK; i++)
        status = qn_text_append(&known, " %s", r->lists[i].name);
    if (status == QN_OK && known.length >= 300) status = qn_text_append(&known, " …");
    if (status == QN_OK) status = not_understood(r, r->expression->text + name->column - 1, name->length, known.data);
    qn_text_clear(&known);
    return status;
}

/* Replace nodes without variables by their values. Nodes that fail are left to evaluation, which may never reach
 * them. */
static void fold(qn_expression *e)
{
    for (size_t i = 0; i < e->node_count; i++) {
        qn_tree_node *node = &e->nodes[i];
        bool constant = node->operation >= QN_TREE_INDEX && node->operation != QN_TREE_CONSTANT;
        qn_value value;
        for (int k = 0; k < 3; k++)
            constant = constant && (node->child[k] < 0 || e->nodes[node->child[k]].operation == QN_TREE_CONSTANT);
        for (int k = 0; k < node->list_count; k++)
            constant = constant && e->nodes[e->lists[node->list_begin + k]].operation == QN_TREE_CONSTANT;
        if (!constant) continue;
        if (qn_tree_evaluate(e, (int)i, NULL, &value) == QN_OK)
            *node = (qn_tree_node){.operation = QN_TREE_CONSTANT,
                                   .column = node->column,
                                   .child = {-1, -1, -1},
                                   .height = 1,
                                   .value = value};
        else
            qn_error_clear();
    }
}

static qn_status add_parts(qn_expression *e, int node)
{
    if (e->nodes[node].operation == QN_TREE_AND) {
        QN_TRY(add_parts(e, e->nodes[node].child[0]));
        return add_parts(e, e->nodes[node].child[1]);
    }
    void *memory = e->parts;
    qn_status status = qn_grow(&memory, &e->part_capacity, e->part_count + 1, sizeof *e->parts);
    e->parts = memory;
    QN_TRY(status);
    e->parts[e->part_count++] = node;
    return QN_OK;
}

static void mark(const qn_expression *e, int number, bool *marks)
{
    const qn_tree_node *node = &e->nodes[number];
    for (int i = 0; i < 3; i++)
        if (node->child[i] >= 0) marks[node->child[i]] = true;
    for (int i = 0; i < node->list_count; i++) marks[e->lists[node->list_begin + i]] = true;
}

/* Note which variables occur in which part; children come before parents in the array. */
static qn_status note_uses(qn_expression *e)
{
    void *memory;
    QN_TRY(qn_allocate(e->part_count * e->name_count, sizeof *e->uses, &memory));
    e->uses = memory;
    QN_TRY(qn_allocate(e->node_count, sizeof(bool), &memory));
    bool *marks = memory;
    for (size_t part = 0; part < e->part_count; part++) {
        memset(marks, 0, e->node_count * sizeof *marks);
        marks[e->parts[part]] = true;
        for (int i = e->parts[part]; i >= 0; i--) {
            if (!marks[i]) continue;
            if (e->nodes[i].operation == QN_TREE_VARIABLE)
                e->uses[part * e->name_count + (size_t)e->nodes[i].slot] = true;
            mark(e, i, marks);
        }
    }
    qn_release(&memory);
    return QN_OK;
}

static qn_status read_all(reader *r)
{
    qn_expression *e = r->expression;
    const qn_tree_node *unknown = NULL;
    QN_TRY(read_ternary(r, &e->root));
    skip_space(r);
    if (*r->at) return syntax_error(r, "an operator or the end");
    for (size_t i = 0; i < e->node_count; i++)
        if (e->nodes[i].operation == QN_TREE_UNKNOWN && (!unknown || e->nodes[i].column < unknown->column))
            unknown = &e->nodes[i];
    if (unknown) return unknown_name(r, unknown);
    if (r->smallest_integer >= 0)
        return not_understood(r, e->text + e->nodes[r->smallest_integer].column - 1, 19, "a number of at most 64 bits");
    fold(e);
    QN_TRY(add_parts(e, e->root));
    return note_uses(e);
}

/* Copy the lists' values, so that their texts live as long as the expression. */
static qn_status copy_lists(reader *r, qn_value **copies)
{
    qn_expression *e = r->expression;
    size_t bytes = strlen(e->text) + 1, count = 0;
    void *memory;
    for (size_t i = 0; i < r->list_count; i++) {
        count += r->lists[i].count;
        for (size_t k = 0; k < r->lists[i].count; k++)
            if (r->lists[i].values[k].kind == QN_TEXT) bytes += strlen(r->lists[i].values[k].as.text) + 1;
    }
    QN_TRY(qn_allocate(bytes, 1, &memory));
    e->literals = memory;
    QN_TRY(qn_allocate(count + 1, sizeof **copies, &memory));
    qn_value *copy = *copies = memory;
    QN_TRY(qn_allocate(r->list_count + 1, sizeof *r->list_values, &memory));
    r->list_values = memory;
    for (size_t i = 0; i < r->list_count; i++) {
        r->list_values[i] = copy;
        for (size_t k = 0; k < r->lists[i].count; k++, copy++) {
            *copy = r->lists[i].values[k];
            if (copy->kind != QN_TEXT) continue;
            size_t length = strlen(copy->as.text) + 1;
            memcpy(e->literals + e->literals_length, copy->as.text, length);
            copy->as.text = e->literals + e->literals_length;
            e->literals_length += length;
        }
    }
    return QN_OK;
}

qn_status qn_tree_read(qn_expression *expression, const char *const *names, size_t name_count,
                       const qn_expression_list *lists, size_t list_count)
{
    reader r = {.expression = expression,
                .at = expression->text,
                .names = names,
                .name_count = name_count,
                .lists = lists,
                .list_count = list_count,
                .smallest_integer = -1};
    qn_value *copies = NULL;
    qn_status status = copy_lists(&r, &copies);
    if (status == QN_OK) status = read_all(&r);
    qn_release(&copies);
    qn_release(&r.list_values);
    return status;
}
