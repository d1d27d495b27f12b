/* The language of selections: a lexer and a parser by recursive descent.
 *
 *     either  = both { or both }
 *     both    = negated { and negated }
 *     negated = { not } primary
 *     primary = ( either ) | CLASS | TEXT values | NUMBER values | NUMBER comparison | group NAME
 *             | within R of either | around R either | same PROPERTY as either | byres either | bonded to either
 *
 * The expression after `of`, `as`, `to` and similar words extends as far as possible, as in the programs that the
 * language follows. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/number.h"
#include "selection/words.h"

enum {
    NESTING_MAX = 64, /* bounds the stack that parsing and evaluation use */
    SHOWN_BYTES = 160 /* of the text in messages */
};

typedef enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_QUOTED, TOKEN_SYMBOL } token_kind;

typedef struct token {
    token_kind kind;
    const char *text; /* of quoted text: without the quotation marks */
    size_t length;
    const char *place;
} token;

typedef struct parser {
    const qn_selection_setting *setting;
    qn_selection_tree *tree;
    const char *text;
    token now;
    int nesting;
} parser;

static qn_status read_either(parser *p, int *term);

/* ---- Messages ---- */

/* `selection "…", column N`, which begins every message. */
typedef struct place_name {
    char text[SHOWN_BYTES + 64];
} place_name;

static place_name name_place(const parser *p, const char *place)
{
    place_name name;
    char shown[SHOWN_BYTES + 4];
    size_t length = 0;
    for (const char *at = p->text; *at && length < SHOWN_BYTES; at++)
        shown[length++] = iscntrl((unsigned char)*at) ? ' ' : *at;
    if (p->text[length]) {
        while (length && ((unsigned char)p->text[length] & 0xC0) == 0x80) length--; /* no half character */
        memcpy(shown + length, "...", 3);
        length += 3;
    }
    shown[length] = '\0';
    snprintf(name.text, sizeof name.text, "selection \"%s\", column %zu", shown, (size_t)(place - p->text) + 1);
    return name;
}

/* Refuse the current token. */
static qn_status refuse(const parser *p, const char *expected)
{
    place_name place = name_place(p, p->now.place);
    if (p->now.kind == TOKEN_END)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: it ends where %s is expected", place.text, expected);
    qn_quotation word = qn_quote(p->now.text, p->now.length);
    const char *nearest = NULL;
    if (p->now.kind == TOKEN_WORD && !qn_selection_word_find(p->now.text, p->now.length))
        nearest = qn_selection_word_nearest(p->now.text, p->now.length);
    if (nearest)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: \"%s\" is not understood; expected %s; did you mean \"%s\"?",
                       place.text, word.text, expected, nearest);
    return QN_FAIL(QN_INVALID_ARGUMENT, "%s: \"%s\" is not understood; expected %s", place.text, word.text, expected);
}

/* ---- Tokens ---- */

/* Whether `at` ends a word. '!' ends a word only in !=, because a word may contain [!AB]. */
static bool ends_word(const char *at)
{
    return *at == '\0' || isspace((unsigned char)*at) || strchr("()<>=,&|", *at) || (*at == '!' && at[1] == '=');
}

static qn_status next(parser *p)
{
    static const char *const symbols[] = {"<=", ">=", "==", "!=", "&&", "||"};
    const char *at = p->now.kind == TOKEN_QUOTED ? p->now.text + p->now.length + 1 : p->now.text + p->now.length;
    while (isspace((unsigned char)*at)) at++;
    p->now = (token){.kind = TOKEN_END, .text = at, .place = at};
    if (!*at) return QN_OK;
    if (*at == '"' || *at == '\'') {
        const char *end = strchr(at + 1, *at);
        if (!end) return QN_FAIL(QN_INVALID_ARGUMENT, "%s: the quotation mark is not closed", name_place(p, at).text);
        p->now = (token){TOKEN_QUOTED, at + 1, (size_t)(end - at) - 1, at};
        return QN_OK;
    }
    if (ends_word(at) || *at == '!') {
        p->now.kind = TOKEN_SYMBOL;
        p->now.length = 1;
        for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
            if (strncmp(at, symbols[i], 2) == 0) p->now.length = 2;
        return QN_OK;
    }
    p->now.kind = TOKEN_WORD;
    while (!ends_word(at + p->now.length)) p->now.length++;
    return QN_OK;
}

static bool is_symbol(const parser *p, const char *symbol)
{
    return p->now.kind == TOKEN_SYMBOL && strlen(symbol) == p->now.length &&
           memcmp(p->now.text, symbol, p->now.length) == 0;
}

/* The current token as a word of the language; NULL: the token is not such a word. */
static const qn_selection_word *word_here(const parser *p)
{
    return p->now.kind == TOKEN_WORD ? qn_selection_word_find(p->now.text, p->now.length) : NULL;
}

static bool is_role(const parser *p, qn_selection_role role)
{
    const qn_selection_word *word = word_here(p);
    return word && word->role == role;
}

static qn_status expect_role(parser *p, qn_selection_role role, const char *expected)
{
    if (!is_role(p, role)) return refuse(p, expected);
    return next(p);
}

static qn_status expect_symbol(parser *p, const char *symbol, const char *expected)
{
    if (!is_symbol(p, symbol)) return refuse(p, expected);
    return next(p);
}

/* ---- Requirements on the topology ---- */

static bool has_named(const qn_topology *topology, bool chains)
{
    for (size_t i = 0; i < topology->residue_count; i++)
        if (chains ? topology->residues[i].chain[0] : topology->residues[i].segment[0]) return true;
    return false;
}

static qn_status require(const parser *p, const char *place, int property)
{
    const qn_topology *topology = p->setting->topology;
    const char *lacks = NULL, *where = "";
    if (property == QN_PROPERTY_TYPE && !topology->has_types)
        lacks = "atom types", where = "; TPR, PSF and parm7 files do";
    else if (property == QN_PROPERTY_MASS && topology->masses == QN_MASSES_ABSENT)
        lacks = "masses";
    else if (property == QN_PROPERTY_CHARGE && !topology->has_charges)
        lacks = "charges", where = "; TPR, PSF and parm7 files do";
    else if (property == QN_PROPERTY_FRAGMENT && !topology->has_bonds)
        lacks = "bonds", where = "; TPR, PSF and parm7 files do";
    else if (property == QN_PROPERTY_CHAIN && !has_named(topology, true))
        lacks = "chain names", where = "; PDB and mmCIF files do";
    else if (property == QN_PROPERTY_SEGMENT && !has_named(topology, false))
        lacks = "segment names", where = "; PSF files do";
    if (!lacks) return QN_OK;
    return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %s holds no %s%s", name_place(p, place).text,
                   topology->name ? topology->name : "the topology", lacks, where);
}

/* ---- Numbers ---- */

static bool parse_number(const char *text, size_t length, double *value)
{
    return qn_number_parse(text, length, value) && fabs(*value) < 1e30;
}

static qn_status read_real(parser *p, const char *expected, double *value)
{
    if (p->now.kind != TOKEN_WORD || !parse_number(p->now.text, p->now.length, value)) return refuse(p, expected);
    return next(p);
}

/* Notation of a property's numbers. */
typedef struct number_form {
    int property;
    int first;    /* number of the first atom, residue … */
    double scale; /* one unit in nm (coordinates), else 1 */
    bool whole;
} number_form;

static number_form form_of(const parser *p, const qn_selection_word *word)
{
    bool length = word->what >= QN_PROPERTY_X;
    return (number_form){.property = word->what,
                         .first = word->first,
                         .scale = length ? p->setting->length_unit_nm : 1,
                         .whole = word->what < QN_PROPERTY_MASS};
}

/* Length of the whole number at the start of a word: sign, digits and, for residues, insertion code; 0: no number. */
static size_t whole_length(const number_form *form, const char *text, size_t length, double *value)
{
    size_t digits = length && text[0] == '-' ? 1 : 0;
    int number;
    while (digits < length && isdigit((unsigned char)text[digits])) digits++;
    if (!qn_number_parse_whole(text, digits, &number)) return 0;
    *value = number - form->first;
    if (form->property != QN_PROPERTY_RESID) return digits;
    *value = number * 256.0;
    if (digits < length && isalpha((unsigned char)text[digits])) *value += (unsigned char)text[digits++];
    return digits;
}

/* Parse a word that is one number, or two numbers with : or, if they are whole, - between them. */
static bool parse_range(const number_form *form, const char *text, size_t length, double ends[2], bool *single)
{
    *single = true;
    if (!form->whole) {
        const char *colon = memchr(text, ':', length);
        size_t first = colon ? (size_t)(colon - text) : length;
        *single = !colon;
        if (!parse_number(text, first, &ends[0])) return false;
        return *single || parse_number(colon + 1, length - first - 1, &ends[1]);
    }
    size_t first = whole_length(form, text, length, &ends[0]);
    if (first == 0 || first == length) return first > 0;
    *single = false;
    if (text[first] != '-' && text[first] != ':') return false;
    const char *rest = text + first + 1;
    size_t left = length - first - 1;
    return left > 0 && whole_length(form, rest, left, &ends[1]) == left;
}

/* Range of the numbers that equal `value` except for rounding, such as 12.0109997 (12.011 in single precision). */
static void around_value(double value, double ends[2])
{
    double tolerance = 1e-5 * fabs(value) + 1e-8;
    ends[0] = value - tolerance;
    ends[1] = value + tolerance;
}

/* Positions have single precision: round a bound in the same way, so that x <= 0.3 includes positions of 0.3. */
static double as_stored(const number_form *form, double value)
{
    value *= form->scale;
    return form->property >= QN_PROPERTY_X ? (double)(float)value : value;
}

static qn_status read_one_range(parser *p, const number_form *form, int term)
{
    const char *expected = form->property == QN_PROPERTY_RESID ? "a residue number or a range such as 3-9"
                           : form->whole                       ? "a whole number or a range such as 3-9"
                                                               : "a number or a range such as \"1.5 to 3\"";
    double ends[2];
    bool single;
    const char *place = p->now.place;
    if (p->now.kind != TOKEN_WORD || !parse_range(form, p->now.text, p->now.length, ends, &single))
        return refuse(p, expected);
    QN_TRY(next(p));
    if (single && is_role(p, QN_ROLE_TO)) {
        double last[2];
        QN_TRY(next(p));
        if (p->now.kind != TOKEN_WORD || !parse_range(form, p->now.text, p->now.length, last, &single) || !single)
            return refuse(p, "the last number of the range");
        ends[1] = last[0];
        single = false;
        QN_TRY(next(p));
    }
    if (single && form->whole)
        ends[1] = ends[0];
    else if (single)
        around_value(ends[0] * form->scale, ends);
    else
        for (int i = 0; i < 2; i++) ends[i] = form->whole ? ends[i] : as_stored(form, ends[i]);
    if (ends[0] > ends[1])
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: the range counts down; expected the smaller number first",
                       name_place(p, place).text);
    return qn_selection_tree_add_range(p->tree, term, ends[0], ends[1]);
}

typedef enum comparison { LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, EQUAL, UNEQUAL, NO_COMPARISON } comparison;

static comparison comparison_here(const parser *p)
{
    static const struct {
        const char *symbol;
        comparison meaning;
    } symbols[] = {{"<", LESS},   {"<=", LESS_EQUAL}, {">", GREATER}, {">=", GREATER_EQUAL},
                   {"==", EQUAL}, {"=", EQUAL},       {"!=", UNEQUAL}};
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
        if (is_symbol(p, symbols[i].symbol)) return symbols[i].meaning;
    return NO_COMPARISON;
}

static double after(const number_form *form, double value, double towards)
{
    if (form->property >= QN_PROPERTY_X) return (double)nextafterf((float)value, (float)towards);
    return nextafter(value, towards);
}

/* Find the one or two ranges of values that satisfy a comparison; returns their number. Residues are compared by
 * number, without insertion code. */
static int compare_ranges(const number_form *form, comparison how, double value, double ranges[2][2])
{
    double low = as_stored(form, value), high = low;
    if (form->property == QN_PROPERTY_RESID)
        low = value * 256, high = value * 256 + 255;
    else if (form->whole)
        low = high = value - form->first;
    double equal[2] = {low, high};
    if (!form->whole) around_value(value * form->scale, equal);
    ranges[0][0] = ranges[1][0] = -HUGE_VAL;
    ranges[0][1] = ranges[1][1] = HUGE_VAL;
    switch (how) {
    case LESS: ranges[0][1] = after(form, low, -HUGE_VAL); return 1;
    case LESS_EQUAL: ranges[0][1] = high; return 1;
    case GREATER: ranges[0][0] = after(form, high, HUGE_VAL); return 1;
    case GREATER_EQUAL: ranges[0][0] = low; return 1;
    case EQUAL: memcpy(ranges[0], equal, sizeof equal); return 1;
    default: break;
    }
    ranges[0][1] = after(form, equal[0], -HUGE_VAL);
    ranges[1][0] = after(form, equal[1], HUGE_VAL);
    return 2;
}

/* `absolute`: the comparison is with the absolute value of the property. */
static qn_status add_comparison(parser *p, const number_form *form, bool absolute, comparison how, double value,
                                int *term)
{
    double ranges[2][2];
    int count = compare_ranges(form, how, value, ranges);
    QN_TRY(qn_selection_tree_add(p->tree, QN_SELECTION_NUMBER, form->property, term));
    for (int i = 0; i < count; i++) {
        double first = ranges[i][0], last = ranges[i][1];
        if (!absolute)
            QN_TRY(qn_selection_tree_add_range(p->tree, *term, first, last));
        else if (last >= 0) {
            first = fmax(first, 0);
            QN_TRY(qn_selection_tree_add_range(p->tree, *term, first, last));
            QN_TRY(qn_selection_tree_add_range(p->tree, *term, -last, -first));
        }
    }
    return QN_OK;
}

static qn_status read_compared_number(parser *p, const number_form *form, double *value)
{
    const char *expected = form->whole ? "a whole number to compare with" : "a number to compare with";
    int whole;
    if (p->now.kind == TOKEN_WORD && form->whole && !qn_number_parse_whole(p->now.text, p->now.length, &whole))
        return refuse(p, expected);
    return read_real(p, expected, value);
}

/* Read a comparison, or numbers and ranges, after a property. */
static qn_status read_number_values(parser *p, const number_form *form, bool absolute, int *term)
{
    comparison how = comparison_here(p);
    if (how != NO_COMPARISON) {
        double value;
        QN_TRY(next(p));
        QN_TRY(read_compared_number(p, form, &value));
        return add_comparison(p, form, absolute, how, value, term);
    }
    if (absolute) return refuse(p, "a comparison such as < 5");
    QN_TRY(qn_selection_tree_add(p->tree, QN_SELECTION_NUMBER, form->property, term));
    QN_TRY(read_one_range(p, form, *term));
    while (is_symbol(p, ",") || (p->now.kind == TOKEN_WORD && !word_here(p))) {
        if (is_symbol(p, ",")) QN_TRY(next(p));
        QN_TRY(read_one_range(p, form, *term));
    }
    return QN_OK;
}

/* Read a numeric property, which may follow `prop` and `abs`; after `abs` it may be in parentheses. */
static qn_status read_number_property(parser *p, number_form *form, bool *absolute)
{
    bool parenthesis = false;
    if (is_role(p, QN_ROLE_PROPERTY_NEXT)) QN_TRY(next(p));
    *absolute = is_role(p, QN_ROLE_ABSOLUTE);
    if (*absolute) QN_TRY(next(p));
    if (*absolute && is_symbol(p, "(")) {
        parenthesis = true;
        QN_TRY(next(p));
    }
    const qn_selection_word *word = word_here(p);
    if (!word || word->role != QN_ROLE_NUMBER)
        return refuse(p, "a property that is a number, such as x, mass, charge or resid");
    QN_TRY(require(p, p->now.place, word->what));
    *form = form_of(p, word);
    QN_TRY(next(p));
    return parenthesis ? expect_symbol(p, ")", "\")\"") : QN_OK;
}

/* Read a comparison that begins with a number: 3 < x, 3 < x < 5. */
static qn_status read_number_first(parser *p, int *term)
{
    static const comparison turned[] = {
        [LESS] = GREATER, [LESS_EQUAL] = GREATER_EQUAL, [GREATER] = LESS, [GREATER_EQUAL] = LESS_EQUAL,
        [EQUAL] = EQUAL,  [UNEQUAL] = UNEQUAL};
    number_form form;
    bool absolute;
    double value;
    token number = p->now;
    QN_TRY(next(p));
    comparison how = comparison_here(p);
    if (how == NO_COMPARISON) return refuse(p, "a comparison such as < after a number");
    QN_TRY(next(p));
    QN_TRY(read_number_property(p, &form, &absolute));
    token here = p->now;
    p->now = number;
    QN_TRY(read_compared_number(p, &form, &value));
    p->now = here;
    QN_TRY(add_comparison(p, &form, absolute, turned[how], value, term));
    if (comparison_here(p) == NO_COMPARISON) return QN_OK;
    int second, both;
    QN_TRY(read_number_values(p, &form, absolute, &second));
    QN_TRY(qn_selection_tree_add(p->tree, QN_SELECTION_AND, 0, &both));
    QN_TRY(qn_selection_tree_add_child(p->tree, both, *term));
    QN_TRY(qn_selection_tree_add_child(p->tree, both, second));
    *term = both;
    return QN_OK;
}

/* ---- Names ---- */

/* Add a word or quoted text as a pattern; within single quotation marks every byte is literal. Elements become upper
 * case. */
static qn_status add_name(parser *p, int property, int term)
{
    qn_text pattern = {0};
    bool literal = p->now.kind == TOKEN_QUOTED && *p->now.place == '\'';
    qn_status status = qn_text_append_bytes(&pattern, "", 0);
    for (size_t i = 0; i < p->now.length && status == QN_OK; i++) {
        char byte = p->now.text[i];
        if (literal && strchr("*?[\\", byte)) status = qn_text_append_bytes(&pattern, "\\", 1);
        if (property == QN_PROPERTY_ELEMENT) byte = (char)toupper((unsigned char)byte);
        if (status == QN_OK) status = qn_text_append_bytes(&pattern, &byte, 1);
    }
    if (status == QN_OK) status = qn_selection_tree_add_pattern(p->tree, term, pattern.data ? pattern.data : "");
    qn_text_clear(&pattern);
    return status;
}

/* Refuse words of the language as names unless they are quoted. The words x, y and z are allowed, as names of
 * chains. */
static qn_status check_name(const parser *p)
{
    static const char *const logic[] = {"and", "or", "not"};
    if (p->now.kind == TOKEN_QUOTED || p->now.length == 1) return QN_OK;
    place_name place = name_place(p, p->now.place);
    qn_quotation word = qn_quote(p->now.text, p->now.length);
    if (word_here(p))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s: \"%s\" is a word of the language; expected a name, with quotation marks if it is one",
                       place.text, word.text);
    const char *nearest = qn_selection_word_nearest(p->now.text, p->now.length);
    for (size_t i = 0; nearest && i < sizeof logic / sizeof logic[0]; i++)
        if (strcmp(nearest, logic[i]) == 0 && strlen(nearest) == p->now.length &&
            tolower((unsigned char)p->now.text[0]) == nearest[0] && isupper((unsigned char)p->now.text[0]))
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: \"%s\" is written \"%s\"; a name needs quotation marks here",
                           place.text, word.text, nearest);
    return QN_OK;
}

static bool is_name_here(const parser *p)
{
    if (p->now.kind == TOKEN_QUOTED) return true;
    if (p->now.kind != TOKEN_WORD) return false;
    const qn_selection_word *word = word_here(p);
    return !word || (word->role != QN_ROLE_AND && word->role != QN_ROLE_OR && word->role != QN_ROLE_NOT);
}

static qn_status read_names(parser *p, int property, int *term)
{
    comparison how = comparison_here(p);
    if (how != NO_COMPARISON && how != EQUAL && how != UNEQUAL) return refuse(p, "names, == or !=");
    if (how != NO_COMPARISON) QN_TRY(next(p));
    QN_TRY(qn_selection_tree_add(p->tree, QN_SELECTION_TEXT, property, term));
    if (!is_name_here(p)) return refuse(p, "a name");
    while (is_name_here(p)) {
        QN_TRY(check_name(p));
        QN_TRY(add_name(p, property, *term));
        QN_TRY(next(p));
        if (!is_symbol(p, ",")) continue;
        QN_TRY(next(p));
        if (!is_name_here(p)) return refuse(p, "a name after the comma");
    }
    if (how != UNEQUAL) return QN_OK;
    int names = *term;
    QN_TRY(qn_selection_tree_add(p->tree, QN_SELECTION_NOT, 0, term));
    return qn_selection_tree_add_child(p->tree, *term, names);
}

/* ---- Groups of index files ---- */

static qn_status unknown_group(const parser *p)
{
    const qn_selection_setting *setting = p->setting;
    place_name place = name_place(p, p->now.place);
    qn_quotation word = qn_quote(p->now.text, p->now.length);
    qn_text names = {0};
    qn_status status = QN_OK;
    if (setting->group_count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: there is no group \"%s\", as no index file was given", place.text,
                       word.text);
    for (size_t i = 0; i < setting->group_count && i < 24 && status == QN_OK; i++)
        status = qn_text_append(&names, "%s%.40s", i ? ", " : "", setting->groups[i].name);
    if (status == QN_OK && setting->group_count > 24)
        status = qn_text_append(&names, " and %zu more", setting->group_count - 24);
    if (status == QN_OK)
        status = qn_error_set(QN_INVALID_ARGUMENT, __FILE__, __LINE__, "%s: there is no group \"%s\"; %s has %s",
                              place.text, word.text, setting->groups[0].path, names.data);
    qn_text_clear(&names);
    return status;
}

/* Find a group by name, or by number (from 0) where no group has that name. */
static qn_status read_group(parser *p, int *term)
{
    const qn_selection_setting *setting = p->setting;
    size_t found = setting->group_count;
    int number;
    if (p->now.kind != TOKEN_WORD && p->now.kind != TOKEN_QUOTED) return refuse(p, "the name of a group");
    for (size_t i = 0; i < setting->group_count; i++) {
        const qn_selection_group_name *group = &setting->groups[i];
        if (strlen(group->name) != p->now.length || memcmp(group->name, p->now.text, p->now.length) != 0) continue;
        if (found == setting->group_count)
            found = i;
        else if (!setting->groups_agree(setting->user, found, i))
            return QN_FAIL(
                QN_INVALID_ARGUMENT,
                "%s: two groups are called \"%s\" and hold different atoms (%s, line %zu; %s, line %zu); expected "
                "one of the numbers %zu and %zu",
                name_place(p, p->now.place).text, group->name, setting->groups[found].path, setting->groups[found].line,
                group->path, group->line, found, i);
    }
    if (found == setting->group_count && p->now.kind == TOKEN_WORD &&
        qn_number_parse_whole(p->now.text, p->now.length, &number) && number >= 0 &&
        (size_t)number < setting->group_count)
        found = (size_t)number;
    if (found == setting->group_count) return unknown_group(p);
    QN_TRY(next(p));
    return qn_selection_tree_add(p->tree, QN_SELECTION_GROUP, (int)found, term);
}

/* ---- Selections that depend on another one ---- */

/* Read a selection as the child of `term`. */
static qn_status read_child(parser *p, int term)
{
    int child;
    QN_TRY(read_either(p, &child));
    return qn_selection_tree_add_child(p->tree, term, child);
}

static qn_status read_within(parser *p, qn_selection_role role, int *term)
{
    double radius;
    int child, others, within;
    const char *place = p->now.place;
    QN_TRY(read_real(p, "a radius", &radius));
    if (!(radius >= 0))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: the radius is %g; expected 0 or more", name_place(p, place).text,
                       radius);
    if (role != QN_ROLE_AROUND) QN_TRY(expect_role(p, QN_ROLE_OF, "\"of\" and a selection"));
    QN_TRY(read_either(p, &child));
    QN_TRY(qn_selection_tree_add(p->tree, QN_SELECTION_WITHIN, 0, &within));
    p->tree->terms[within].radius_nm = radius * p->setting->length_unit_nm;
    QN_TRY(qn_selection_tree_add_child(p->tree, within, child));
    *term = within;
    if (role == QN_ROLE_WITHIN) return QN_OK;
    QN_TRY(qn_selection_tree_add(p->tree, QN_SELECTION_NOT, 0, &others));
    QN_TRY(qn_selection_tree_add_child(p->tree, others, child));
    QN_TRY(qn_selection_tree_add(p->tree, QN_SELECTION_AND, 0, term));
    QN_TRY(qn_selection_tree_add_child(p->tree, *term, within));
    return qn_selection_tree_add_child(p->tree, *term, others);
}

static qn_status read_same(parser *p, int *term)
{
    int property = p->now.kind == TOKEN_WORD ? qn_selection_same_find(p->now.text, p->now.length) : -1;
    if (property < 0) return refuse(p, "residue, molecule, fragment, chain, segment or another property of atoms");
    QN_TRY(require(p, p->now.place, property));
    QN_TRY(next(p));
    QN_TRY(expect_role(p, QN_ROLE_AS, "\"as\" and a selection"));
    QN_TRY(qn_selection_tree_add(p->tree, QN_SELECTION_SAME, property, term));
    return read_child(p, *term);
}

static qn_status read_bonded(parser *p, const char *place, int *term)
{
    QN_TRY(require(p, place, QN_PROPERTY_FRAGMENT));
    if (is_role(p, QN_ROLE_TO)) QN_TRY(next(p));
    QN_TRY(qn_selection_tree_add(p->tree, QN_SELECTION_BONDED, 0, term));
    return read_child(p, *term);
}

/* ---- Expressions ---- */

static qn_status read_class(parser *p, const qn_selection_word *word, int *term)
{
    int class;
    QN_TRY(qn_selection_tree_add(p->tree, QN_SELECTION_CLASS, word->what, &class));
    *term = class;
    if (word->role == QN_ROLE_CLASS) return QN_OK;
    QN_TRY(qn_selection_tree_add(p->tree, QN_SELECTION_NOT, 0, term));
    return qn_selection_tree_add_child(p->tree, *term, class);
}

/* Read a term that begins with a word of the language. The word itself has been read; `place` is its position. */
static qn_status read_word(parser *p, const qn_selection_word *word, const char *place, int *term)
{
    switch (word->role) {
    case QN_ROLE_ALL: return qn_selection_tree_add(p->tree, QN_SELECTION_ALL, 0, term);
    case QN_ROLE_NONE: return qn_selection_tree_add(p->tree, QN_SELECTION_NONE, 0, term);
    case QN_ROLE_CLASS:
    case QN_ROLE_NO_CLASS: return read_class(p, word, term);
    case QN_ROLE_TEXT: QN_TRY(require(p, place, word->what)); return read_names(p, word->what, term);
    case QN_ROLE_GROUP: return read_group(p, term);
    case QN_ROLE_WITHIN:
    case QN_ROLE_AROUND:
    case QN_ROLE_AROUND_OF: return read_within(p, word->role, term);
    case QN_ROLE_SAME: return read_same(p, term);
    case QN_ROLE_SAME_SHORT:
        QN_TRY(qn_selection_tree_add(p->tree, QN_SELECTION_SAME, word->what, term));
        return read_child(p, *term);
    case QN_ROLE_BONDED: return read_bonded(p, place, term);
    default: return QN_FAIL(QN_INTERNAL, "no selection begins with the word %s", word->word);
    }
}

static qn_status read_primary(parser *p, int *term)
{
    static const char expected[] = "a selection, such as \"name CA\", protein or \"within 0.5 of …\"";
    const qn_selection_word *word = word_here(p);
    const char *place = p->now.place;
    double value;
    if (is_symbol(p, "(")) {
        QN_TRY(next(p));
        QN_TRY(read_either(p, term));
        return expect_symbol(p, ")", "and, or, or \")\"");
    }
    if (p->now.kind == TOKEN_WORD && parse_number(p->now.text, p->now.length, &value))
        return read_number_first(p, term);
    if (!word) return refuse(p, expected);
    switch (word->role) {
    case QN_ROLE_FOREIGN: return refuse(p, word->hint);
    case QN_ROLE_AND:
    case QN_ROLE_OR:
    case QN_ROLE_TO:
    case QN_ROLE_OF:
    case QN_ROLE_AS: return refuse(p, expected);
    case QN_ROLE_NUMBER:
    case QN_ROLE_PROPERTY_NEXT:
    case QN_ROLE_ABSOLUTE: {
        number_form form;
        bool absolute;
        QN_TRY(read_number_property(p, &form, &absolute));
        return read_number_values(p, &form, absolute, term);
    }
    default: break;
    }
    QN_TRY(next(p));
    return read_word(p, word, place, term);
}

static qn_status read_negated(parser *p, int *term)
{
    bool negated = false;
    while (is_role(p, QN_ROLE_NOT) || is_symbol(p, "!")) {
        negated = !negated;
        QN_TRY(next(p));
    }
    QN_TRY(read_primary(p, term));
    if (!negated) return QN_OK;
    int child = *term;
    QN_TRY(qn_selection_tree_add(p->tree, QN_SELECTION_NOT, 0, term));
    return qn_selection_tree_add_child(p->tree, *term, child);
}

static bool is_joined(const parser *p, qn_selection_kind kind)
{
    if (kind == QN_SELECTION_AND) return is_role(p, QN_ROLE_AND) || is_symbol(p, "&&");
    return is_role(p, QN_ROLE_OR) || is_symbol(p, "||");
}

/* Read operands with one operator between them. A single operand is returned as it is. */
static qn_status read_joined(parser *p, qn_selection_kind kind, qn_status (*read)(parser *p, int *term), int *term)
{
    QN_TRY(read(p, term));
    if (!is_joined(p, kind)) return QN_OK;
    int joined, operand = *term;
    QN_TRY(qn_selection_tree_add(p->tree, kind, 0, &joined));
    QN_TRY(qn_selection_tree_add_child(p->tree, joined, operand));
    while (is_joined(p, kind)) {
        QN_TRY(next(p));
        QN_TRY(read(p, &operand));
        QN_TRY(qn_selection_tree_add_child(p->tree, joined, operand));
    }
    *term = joined;
    return QN_OK;
}

static qn_status read_both(parser *p, int *term)
{
    return read_joined(p, QN_SELECTION_AND, read_negated, term);
}

static qn_status read_either(parser *p, int *term)
{
    if (p->nesting == NESTING_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: more than %d selections within each other; expected fewer",
                       name_place(p, p->now.place).text, NESTING_MAX);
    p->nesting++;
    QN_TRY(read_joined(p, QN_SELECTION_OR, read_both, term));
    p->nesting--;
    return QN_OK;
}

qn_status qn_selection_parse(const qn_selection_setting *setting, const char *text, qn_selection_tree *tree)
{
    parser p = {.setting = setting, .tree = tree, .text = text, .now = {.kind = TOKEN_SYMBOL, .text = text}};
    QN_TRY(next(&p));
    QN_TRY(read_either(&p, &tree->root));
    if (p.now.kind != TOKEN_END) return refuse(&p, "and, or, or the end");
    return QN_OK;
}
