#include "model/residue_selection.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

enum {
    SHOWN_MAX = 60,        /* characters of the user's text in a message */
    CHAINS_LISTED_MAX = 40 /* names of chains in a message */
};

static const char syntax[] = "expected partner:chain or partner:chain:residues, such as receptor:A:30-40,52A";

typedef struct residue_name {
    int number;
    char insertion;
    char text[16];
} residue_name;

/* A parsed text, except for its residues. */
typedef struct selection {
    const qn_molecule *molecule;
    const char *partner; /* "receptor" or "ligand" */
    bool of_ligand;
    char chain[8];
    const char *residues; /* after the second colon; NULL: the whole chain */
} selection;

static int shown(size_t length)
{
    return (int)(length < SHOWN_MAX ? length : SHOWN_MAX);
}

static void write_name(int number, char insertion, residue_name *name)
{
    name->number = number;
    name->insertion = insertion;
    int length = snprintf(name->text, sizeof name->text, "%d", number);
    name->text[length] = insertion;
    name->text[length + 1] = '\0';
}

/* Parse "30", "52A" or "-3" at the start of [at, end). Returns the place after it; NULL: there is none. */
static const char *parse_name(const char *at, const char *end, residue_name *name)
{
    bool negative = at < end && *at == '-';
    if (negative) at++;
    const char *digits = at;
    long long value = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        value = 10 * value + (*at - '0');
        if (value > INT_MAX) return NULL;
    }
    if (at == digits) return NULL;
    char insertion = '\0';
    if (at < end && ((*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z'))) insertion = *at++;
    write_name((int)(negative ? -value : value), insertion, name);
    return at;
}

static bool in_chain(const selection *chosen, size_t residue)
{
    return strcmp(chosen->molecule->residues[residue].chain, chosen->chain) == 0;
}

/* Describe the consecutive residues of the chain whose numbers are nearest to `wanted`. If the number exists with
 * other insertion codes, describe those residues. */
static void nearest_range(const selection *chosen, const residue_name *wanted, char *text, size_t size)
{
    const qn_residue *first = NULL, *last = NULL, *best_first = NULL, *best_last = NULL;
    long long best = LLONG_MAX;
    for (size_t r = 0; r < chosen->molecule->residue_count; r++) {
        if (!in_chain(chosen, r)) continue;
        const qn_residue *residue = &chosen->molecule->residues[r];
        bool same_number = residue->number == wanted->number;
        bool goes_on = last && (residue->number == last->number || residue->number == last->number + 1LL);
        if (!goes_on || (last->number == wanted->number) != same_number) first = residue;
        last = residue;
        long long below = first->number - (long long)wanted->number, above = wanted->number - (long long)last->number;
        long long distance = below > above ? below : above;
        if (distance < 0) distance = 0;
        if (distance < best || (distance == best && best_first == first)) {
            best = distance;
            best_first = first;
            best_last = last;
        }
    }
    residue_name from, to;
    write_name(best_first->number, best_first->insertion, &from);
    write_name(best_last->number, best_last->insertion, &to);
    if (best_first == best_last)
        snprintf(text, size, "the nearest there is %s", from.text);
    else
        snprintf(text, size, "the nearest there are %s-%s", from.text, to.text);
}

static qn_status find_residue(const selection *chosen, const residue_name *name, size_t *residue)
{
    size_t found = 0;
    for (size_t r = 0; r < chosen->molecule->residue_count; r++) {
        const qn_residue *candidate = &chosen->molecule->residues[r];
        if (!in_chain(chosen, r) || candidate->number != name->number || candidate->insertion != name->insertion)
            continue;
        if (found++ == 0) *residue = r;
        if (found == 2)
            return QN_FAIL(
                QN_INVALID_ARGUMENT,
                "chain %s of the %s has residue %s twice (%s and %s); expected a number that stands for one residue",
                chosen->chain, chosen->partner, name->text, chosen->molecule->residues[*residue].name, candidate->name);
    }
    if (found) return QN_OK;
    char nearest[64];
    nearest_range(chosen, name, nearest, sizeof nearest);
    return QN_FAIL(QN_NOT_FOUND, "chain %s of the %s has no residue %s; %s", chosen->chain, chosen->partner, name->text,
                   nearest);
}

static qn_status mark_piece(const selection *chosen, const char *piece, const char *end, bool *marks)
{
    if (piece == end)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "a residue is missing after \"%c\"; expected a number such as 30 or a range", piece[-1]);
    residue_name first, last;
    const char *at = parse_name(piece, end, &first);
    bool valid = at != NULL;
    last = first;
    if (valid && at < end) {
        at = *at == '-' ? parse_name(at + 1, end, &last) : NULL;
        valid = at == end;
    }
    if (!valid)
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "\"%.*s\" is neither a residue nor a range; expected a number such as 30, 52A or -3, or two of them "
            "such as 30-40",
            shown((size_t)(end - piece)), piece);
    size_t from, to;
    QN_TRY(find_residue(chosen, &first, &from));
    QN_TRY(find_residue(chosen, &last, &to));
    if (from > to)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "the range %.*s is reversed, as %s comes after %s in chain %s of the %s; expected %s-%s",
                       shown((size_t)(end - piece)), piece, first.text, last.text, chosen->chain, chosen->partner,
                       last.text, first.text);
    for (size_t r = from; r <= to; r++)
        if (in_chain(chosen, r)) marks[r] = true;
    return QN_OK;
}

static qn_status absent_chain(const selection *chosen, const char *name, size_t length)
{
    const qn_molecule *molecule = chosen->molecule;
    qn_text list = {0};
    qn_status status = QN_OK;
    size_t listed = 0;
    for (size_t r = 0; r < molecule->residue_count && status == QN_OK && listed <= CHAINS_LISTED_MAX; r++) {
        const char *chain = molecule->residues[r].chain;
        bool known = false; /* chains come in long runs, so the previous residue nearly always decides */
        for (size_t before = r; before-- > 0 && !known;) known = strcmp(molecule->residues[before].chain, chain) == 0;
        if (known) continue;
        if (listed++ == CHAINS_LISTED_MAX)
            status = qn_text_append(&list, " and more");
        else
            status = qn_text_append(&list, "%s%s", listed > 1 ? ", " : "", chain[0] ? chain : "one without a name");
    }
    if (status == QN_OK)
        status = qn_error_set(QN_NOT_FOUND, __FILE__, __LINE__,
                              "the %s has no chain \"%.*s\"; expected one of its chains: %s", chosen->partner,
                              shown(length), name, list.data ? list.data : "none");
    qn_text_clear(&list);
    return status;
}

static qn_status parse(const char *text, const qn_molecule *receptor, const qn_molecule *ligand, selection *chosen)
{
    size_t partner = strcspn(text, ":");
    if (text[0] == '\0') return QN_FAIL(QN_INVALID_ARGUMENT, "it is empty; %s", syntax);
    if (partner == strlen("receptor") && memcmp(text, "receptor", partner) == 0)
        *chosen = (selection){.molecule = receptor, .partner = "receptor"};
    else if (partner == strlen("ligand") && memcmp(text, "ligand", partner) == 0)
        *chosen = (selection){.molecule = ligand, .partner = "ligand", .of_ligand = true};
    else
        return QN_FAIL(QN_INVALID_ARGUMENT, "the partner \"%.*s\" is unknown; expected receptor or ligand, then :chain",
                       shown(partner), text);
    if (text[partner] == '\0') return QN_FAIL(QN_INVALID_ARGUMENT, "no chain is named after \"%s\"; %s", text, syntax);
    const char *chain = text + partner + 1;
    size_t length = strcspn(chain, ":");
    if (chain[length] == ':') chosen->residues = chain + length + 1;
    bool present = false;
    if (length < sizeof chosen->chain) {
        memcpy(chosen->chain, chain, length);
        for (size_t r = 0; r < chosen->molecule->residue_count && !present; r++) present = in_chain(chosen, r);
    }
    return present ? QN_OK : absent_chain(chosen, chain, length);
}

static qn_status mark(const char *text, const qn_molecule *receptor, const qn_molecule *ligand, bool *receptor_residues,
                      bool *ligand_residues)
{
    selection chosen;
    QN_TRY(parse(text, receptor, ligand, &chosen));
    bool *marks = chosen.of_ligand ? ligand_residues : receptor_residues;
    if (!chosen.residues)
        for (size_t r = 0; r < chosen.molecule->residue_count; r++) marks[r] |= in_chain(&chosen, r);
    for (const char *piece = chosen.residues; piece;) {
        const char *end = piece + strcspn(piece, ",");
        QN_TRY(mark_piece(&chosen, piece, end, marks));
        piece = *end ? end + 1 : NULL;
    }
    return QN_OK;
}

static qn_status name_text(qn_status status, const char *text)
{
    if (status == QN_OK) return QN_OK;
    return qn_error_add_context(status, "selection \"%.*s%s\"", SHOWN_MAX, text, strlen(text) > SHOWN_MAX ? "..." : "");
}

qn_status qn_residue_selection_mark(const char *text, const qn_molecule *receptor, const qn_molecule *ligand,
                                    bool *receptor_residues, bool *ligand_residues)
{
    return name_text(mark(text, receptor, ligand, receptor_residues, ligand_residues), text);
}

static qn_status only_marked(const bool *marks, size_t count, size_t *residue)
{
    size_t marked = 0;
    for (size_t r = count; r-- > 0;) {
        if (!marks[r]) continue;
        *residue = r;
        marked++;
    }
    if (marked != 1) return QN_FAIL(QN_INVALID_ARGUMENT, "it names %zu residues; expected a single one", marked);
    return QN_OK;
}

qn_status qn_residue_selection_residue(const char *text, const qn_molecule *receptor, const qn_molecule *ligand,
                                       bool *of_ligand, size_t *residue)
{
    /* One array serves both partners, because the text names only one of them. */
    size_t most = receptor->residue_count > ligand->residue_count ? receptor->residue_count : ligand->residue_count;
    selection chosen;
    void *marks;
    QN_TRY(name_text(parse(text, receptor, ligand, &chosen), text));
    QN_TRY(qn_allocate(most, sizeof(bool), &marks));
    qn_status status = mark(text, receptor, ligand, marks, marks);
    if (status == QN_OK) status = only_marked(marks, chosen.molecule->residue_count, residue);
    qn_release(&marks);
    if (status == QN_OK) *of_ligand = chosen.of_ligand;
    return name_text(status, text);
}
