#include "dock/known/haddock_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/atom.h"

enum {
    SHOWN_MAX = 40,   /* characters of a bad word in a message */
    DEPTH_MAX = 32,   /* parentheses inside each other */
    KEYWORD = 4,      /* letters of a keyword that count */
    CHAINS_SHOWN = 12 /* in a message */
};

#define MAXIMUM_ANGSTROM_MAX 1000.0

static const char blanks[] = " \t\r\n\v\f";

/* A parenthesis or a word; a text in quotes is a word. */
typedef struct token {
    const char *text;
    int length; /* 0: the end of the file */
    size_t line;
} token;

typedef struct parser {
    const char *path, *at;
    size_t line;
    token next;
    const qn_molecule *const *molecules;
    int depth;
    bool names_residue; /* the conjunction at hand has a resid */
    size_t absent;      /* conjunctions with a resid that name no atom */
} parser;

/* Skip blanks and comments: ! to the end of the line, and braces. */
static void skip(const char **at, size_t *line)
{
    for (;;) {
        while (**at && strchr(blanks, **at)) *line += *(*at)++ == '\n';
        if (**at == '!') {
            *at += strcspn(*at, "\n");
        } else if (**at == '{') {
            for (; **at && **at != '}'; (*at)++) *line += **at == '\n';
            if (**at) (*at)++;
        } else {
            return;
        }
    }
}

static bool begins(const char *text, int length, const char *keyword)
{
    return length >= KEYWORD && strncasecmp(text, keyword, KEYWORD) == 0;
}

bool qn_haddock_table_is(const char *text)
{
    size_t line = 1;
    skip(&text, &line);
    return strncasecmp(text, "assign", KEYWORD) == 0;
}

static void advance(parser *p)
{
    skip(&p->at, &p->line);
    p->next = (token){p->at, 0, p->line};
    if (*p->at == '"') {
        const int length = (int)strcspn(p->at + 1, "\"\n");
        p->next = (token){p->at + 1, length, p->line};
        while (p->next.length > 0 && p->next.text[p->next.length - 1] == ' ') p->next.length--;
        p->at += 1 + length + (p->at[1 + length] == '"');
        if (p->next.length == 0) p->next = (token){"\"\"", 2, p->line}; /* no chain has this name */
    } else if (*p->at == '(' || *p->at == ')') {
        p->next.length = 1;
        p->at++;
    } else {
        p->next.length = (int)strcspn(p->at, " \t\r\n\v\f()!{\"");
        p->at += p->next.length;
    }
}

static bool is(const parser *p, const char *word)
{
    return p->next.length == (int)strlen(word) && strncasecmp(p->next.text, word, strlen(word)) == 0;
}

/* Refuse the next token, where `expected` was expected. */
static qn_status refuse(const parser *p, const char *expected)
{
    if (p->next.length == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the file ends; expected %s", p->path, p->next.line, expected);
    return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%.*s\"; expected %s", p->path, p->next.line,
                   p->next.length < SHOWN_MAX ? p->next.length : SHOWN_MAX, p->next.text, expected);
}

/* ---- selections ---- */

/* Marks of the receptor's atoms, then of the ligand's. */
static size_t atom_count(const parser *p)
{
    return p->molecules[0]->atom_count + p->molecules[1]->atom_count;
}

typedef struct residue_number {
    int number;
    char insertion;
} residue_number;

/* Read "30", "-3" or "52A" in [text, end). Returns the place behind it; NULL: there is none. */
static const char *read_number(const char *text, const char *end, residue_number *number)
{
    char digits[12];
    size_t length = 0;
    const char *at = text;
    if (at < end && *at == '-') digits[length++] = *at++;
    while (at < end && *at >= '0' && *at <= '9' && length < 10) digits[length++] = *at++;
    digits[length] = '\0';
    if (length == 0 || digits[length - 1] == '-') return NULL;
    number->number = (int)strtol(digits, NULL, 10);
    number->insertion = '\0';
    if (at < end && ((*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z'))) number->insertion = *at++;
    return at;
}

/* One keyword with its value. */
typedef struct condition {
    enum { RESID, CHAIN, RESIDUE_NAME, ATOM_NAME } kind;
    residue_number first, last; /* RESID; equal: one residue */
    char name[16];
} condition;

static bool holds(const condition *c, const qn_residue *residue, const qn_atom *atom)
{
    switch (c->kind) {
    case RESID:
        if (c->first.number == c->last.number)
            return residue->number == c->first.number && residue->insertion == c->first.insertion;
        return residue->number >= c->first.number && residue->number <= c->last.number;
    case CHAIN: return strcmp(residue->chain, c->name) == 0;
    case RESIDUE_NAME: return strcasecmp(residue->name, c->name) == 0;
    case ATOM_NAME: return strcasecmp(atom->name, c->name) == 0;
    }
    return false;
}

static void mark(const parser *p, const condition *c, bool *marks)
{
    for (int side = 0; side < 2; side++) {
        const qn_molecule *molecule = p->molecules[side];
        for (size_t i = 0; i < molecule->atom_count; i++)
            *marks++ = holds(c, &molecule->residues[molecule->atoms[i].residue], &molecule->atoms[i]);
    }
}

static qn_status read_resid(parser *p, condition *c)
{
    static const char expected[] = "a residue after resid, such as 30, 52A or 30:40";
    const char *end = p->next.text + p->next.length, *at = read_number(p->next.text, end, &c->first);
    c->last = c->first;
    if (at && at < end && *at == ':') at = read_number(at + 1, end, &c->last);
    if (at != end || p->next.length == 0 || c->last.number < c->first.number) return refuse(p, expected);
    p->names_residue = true;
    return QN_OK;
}

static qn_status read_name(parser *p, const char *expected, condition *c)
{
    if (p->next.length == 0 || p->next.length >= (int)sizeof c->name || is(p, "(") || is(p, ")"))
        return refuse(p, expected);
    memcpy(c->name, p->next.text, (size_t)p->next.length);
    return QN_OK;
}

static qn_status parse_condition(parser *p, bool *marks)
{
    condition c = {.kind = RESID};
    const token keyword = p->next;
    advance(p);
    if (begins(keyword.text, keyword.length, "resid")) {
        QN_TRY(read_resid(p, &c));
    } else if (begins(keyword.text, keyword.length, "segid") || begins(keyword.text, keyword.length, "chain")) {
        c.kind = CHAIN;
        QN_TRY(read_name(p, "the name of a chain", &c));
    } else if (begins(keyword.text, keyword.length, "resn")) {
        c.kind = RESIDUE_NAME;
        QN_TRY(read_name(p, "the name of a residue", &c));
    } else if (begins(keyword.text, keyword.length, "name")) {
        c.kind = ATOM_NAME;
        QN_TRY(read_name(p, "the name of an atom", &c));
    } else {
        p->next = keyword;
        return refuse(p, "resid, segid, chain, resn, name, not or a parenthesis");
    }
    mark(p, &c, marks);
    advance(p);
    return QN_OK;
}

static qn_status parse_alternatives(parser *p, bool *marks);

/* Parse a selection in parentheses. */
static qn_status parse_group(parser *p, bool *marks)
{
    if (!is(p, "(")) return refuse(p, "a selection in parentheses, such as (resid 30 and segid A)");
    if (++p->depth > DEPTH_MAX) return refuse(p, "at most 32 parentheses inside each other");
    advance(p);
    QN_TRY(parse_alternatives(p, marks));
    if (!is(p, ")")) return refuse(p, "and, or or a closing parenthesis");
    p->depth--;
    advance(p);
    return QN_OK;
}

static qn_status parse_term(parser *p, bool *marks)
{
    bool inverted = false;
    for (; is(p, "not"); advance(p)) inverted = !inverted;
    QN_TRY(is(p, "(") ? parse_group(p, marks) : parse_condition(p, marks));
    for (size_t i = 0; inverted && i < atom_count(p); i++) marks[i] = !marks[i];
    return QN_OK;
}

/* Parse terms with `word` between them: those of and, or the conjunctions of or. */
static qn_status parse_list(parser *p, const char *word, qn_status (*parse)(parser *, bool *), bool *marks)
{
    const bool both = strcmp(word, "and") == 0;
    void *memory = NULL;
    qn_status status = parse(p, marks);
    while (status == QN_OK && is(p, word)) {
        advance(p);
        if (!memory) status = qn_allocate(atom_count(p), sizeof(bool), &memory);
        if (status == QN_OK) status = parse(p, memory);
        const bool *others = memory;
        for (size_t i = 0; status == QN_OK && i < atom_count(p); i++)
            marks[i] = both ? marks[i] && others[i] : marks[i] || others[i];
    }
    qn_release(&memory);
    return status;
}

static qn_status parse_conjunction(parser *p, bool *marks)
{
    p->names_residue = false;
    QN_TRY(parse_list(p, "and", parse_term, marks));
    if (p->names_residue && !memchr(marks, true, atom_count(p) * sizeof *marks)) p->absent++;
    p->names_residue = false;
    return QN_OK;
}

static qn_status parse_alternatives(parser *p, bool *marks)
{
    return parse_list(p, "or", parse_conjunction, marks);
}

/* ---- statements ---- */

/* Number of heavy atoms among the marked ones of a molecule. */
static size_t count_heavy(const qn_molecule *molecule, const bool *marks)
{
    size_t count = 0;
    for (size_t i = 0; i < molecule->atom_count; i++) count += marks[i] && !qn_atom_is_hydrogen(&molecule->atoms[i]);
    return count;
}

static void list_chains(const qn_molecule *molecule, char text[16 * CHAINS_SHOWN])
{
    const char *last = NULL;
    int shown = 0;
    text[0] = '\0';
    for (size_t r = 0; r < molecule->residue_count && shown < CHAINS_SHOWN; r++) {
        const char *chain = molecule->residues[r].chain;
        if (last && strcmp(last, chain) == 0) continue;
        const size_t length = strlen(text);
        snprintf(text + length, 16 * CHAINS_SHOWN - length, "%s%s", shown++ ? ", " : "", *chain ? chain : "\"\"");
        last = chain;
    }
}

/* Parse a selection, whose atoms must be heavy atoms of one partner. */
static qn_status parse_selection(parser *p, const char *which, bool *marks, int *side)
{
    const size_t line = p->next.line, receptor_atoms = p->molecules[0]->atom_count;
    QN_TRY(parse_group(p, marks));
    const size_t of_receptor = count_heavy(p->molecules[0], marks);
    const size_t of_ligand = count_heavy(p->molecules[1], marks + receptor_atoms);
    *side = of_receptor ? 0 : 1;
    if (of_receptor && of_ligand)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s:%zu: the %s selection names atoms of both partners; expected chains whose names differ",
                       p->path, line, which);
    if (!of_receptor && !of_ligand) {
        char receptor[16 * CHAINS_SHOWN], ligand[16 * CHAINS_SHOWN];
        list_chains(p->molecules[0], receptor);
        list_chains(p->molecules[1], ligand);
        return QN_FAIL(QN_NOT_FOUND,
                       "%s:%zu: the %s selection names no heavy atom; expected residues of the receptor's chains (%s) "
                       "or of the ligand's (%s)",
                       p->path, line, which, receptor, ligand);
    }
    return QN_OK;
}

static qn_status parse_distance(parser *p, const char *which, double *angstrom)
{
    char text[24] = "", expected[80], *end = text;
    snprintf(expected, sizeof expected, "%s in Å, a number from 0 to %g", which, MAXIMUM_ANGSTROM_MAX);
    if (p->next.length > 0 && p->next.length < (int)sizeof text &&
        strspn(p->next.text, "0123456789+-.eE") >= (size_t)p->next.length) { /* neither hexadecimal nor nan */
        memcpy(text, p->next.text, (size_t)p->next.length);
        *angstrom = strtod(text, &end);
    }
    if (end == text || *end || !(*angstrom >= 0 && *angstrom <= MAXIMUM_ANGSTROM_MAX)) return refuse(p, expected);
    advance(p);
    return QN_OK;
}

/* Mark the residue of each side that has one alone, in a restraint that asks for contact. */
static void mark_attracting(const parser *p, const qn_dock_ambiguous_restraint *added, const bool *const atoms[2],
                            bool *const attracting[2])
{
    if (!added->contact) return;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < p->molecules[side]->atom_count && added->count[side] == 1; i++)
            if (atoms[side][i]) attracting[side][p->molecules[side]->atoms[i].residue] = true;
}

static qn_status parse_statement(parser *p, bool *marks, bool *other_marks, qn_dock_ambiguous *restraints,
                                 bool *const attracting[2])
{
    int sides[2];
    double distance, below, above;
    const size_t line = p->next.line, receptor_atoms = p->molecules[0]->atom_count;
    if (!begins(p->next.text, p->next.length, "assign")) return refuse(p, "an assign statement");
    advance(p);
    QN_TRY(parse_selection(p, "first", marks, &sides[0]));
    QN_TRY(parse_selection(p, "second", other_marks, &sides[1]));
    if (sides[0] == sides[1])
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: both selections are of the %s; expected one of each partner", p->path,
                       line, sides[0] ? "ligand" : "receptor");
    QN_TRY(parse_distance(p, "the distance", &distance));
    QN_TRY(parse_distance(p, "the part below the distance (dminus)", &below));
    QN_TRY(parse_distance(p, "the part above the distance (dplus)", &above));
    if (!(distance + above > 0 && distance + above <= MAXIMUM_ANGSTROM_MAX))
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s:%zu: the upper bound, distance + dplus, is %g Å; expected more than 0 and at most %g Å",
                       p->path, line, distance + above, MAXIMUM_ANGSTROM_MAX);
    const bool *atoms[2] = {sides[0] == 0 ? marks : other_marks,
                            (sides[0] == 0 ? other_marks : marks) + receptor_atoms};
    QN_TRY(qn_dock_ambiguous_add(p->molecules, atoms, distance + above, restraints));
    mark_attracting(p, &restraints->list[restraints->count - 1], atoms, attracting);
    return QN_OK;
}

qn_status qn_haddock_table_parse(const char *path, const char *text, const qn_molecule *const molecules[2],
                                 qn_dock_ambiguous *restraints, bool *const attracting[2])
{
    parser p = {.path = path, .at = text, .line = 1, .molecules = molecules};
    void *marks, *other_marks;
    QN_TRY(qn_allocate(atom_count(&p), sizeof(bool), &marks));
    qn_status status = qn_allocate(atom_count(&p), sizeof(bool), &other_marks);
    if (status != QN_OK) {
        qn_release(&marks);
        return status;
    }
    advance(&p);
    while (p.next.length > 0 && status == QN_OK)
        status = parse_statement(&p, marks, other_marks, restraints, attracting);
    if (status == QN_OK && p.absent)
        qn_log(QN_LOG_NOTE, "%s: %zu %s residues that are not in the structures", path, p.absent,
               qn_plural(p.absent, "part of a selection names", "parts of selections name"));
    qn_release(&marks);
    qn_release(&other_marks);
    return status;
}
