#include "format/structure/residue_item.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "format/number.h"

enum { COLONS_MOST = 2 };

bool qn_residue_item_read(const char *text, size_t length, qn_residue_item *item)
{
    char *const parts[] = {item->chain, item->residue, item->atom};
    const size_t room[] = {sizeof item->chain, sizeof item->residue, sizeof item->atom};
    int part = 0;
    *item = (qn_residue_item){{0}};
    snprintf(item->text, sizeof item->text, "%.*s", (int)length, text);
    for (size_t i = 0, at = 0; i < length; i++) {
        if (text[i] == ':') {
            if (++part > COLONS_MOST) return false;
            at = 0;
        } else {
            if (at + 1 >= room[part]) return false;
            parts[part][at++] = text[i];
        }
    }
    return part > 0 && item->residue[0] && (part < COLONS_MOST || item->atom[0]);
}

/* The last number of a text such as "ASP108", "108", "-3" or "52A": its place in the text, and the letter behind it.
 * Returns false if there is none. */
static bool split_number(const char *text, size_t *begin, int *number, char *insertion)
{
    size_t end = strlen(text);
    *insertion = '\0';
    if (end > 1 && isalpha((unsigned char)text[end - 1]) && isdigit((unsigned char)text[end - 2]))
        *insertion = text[--end];
    *begin = end;
    while (*begin > 0 && isdigit((unsigned char)text[*begin - 1])) (*begin)--;
    if (*begin == end) return false;
    if (*begin > 0 && text[*begin - 1] == '-') (*begin)--;
    return qn_number_parse_whole(text + *begin, end - *begin, number);
}

/* The residues of the item's chain whose name is the item's text; *found is the first of them. */
static size_t count_named(const qn_molecule *molecule, const qn_residue_item *item, size_t *found)
{
    size_t count = 0;
    for (size_t r = 0; r < molecule->residue_count; r++) {
        const qn_residue *residue = &molecule->residues[r];
        if (strcmp(residue->chain, item->chain) != 0 || strcmp(residue->name, item->residue) != 0) continue;
        if (count++ == 0) *found = r;
    }
    return count;
}

static qn_status refuse_absent(const qn_residue_item *item, const qn_molecule *molecule, const char *option,
                               const char *file)
{
    char chains[64] = "";
    bool has_chain = false;
    size_t length = 0;
    for (size_t r = 0; r < molecule->residue_count; r++) {
        const char *chain = molecule->residues[r].chain;
        has_chain |= strcmp(chain, item->chain) == 0;
        if (r > 0 && strcmp(chain, molecule->residues[r - 1].chain) == 0) continue;
        if (length + strlen(chain) + 3 < sizeof chains)
            length += (size_t)snprintf(chains + length, sizeof chains - length, "%s%s", length ? ", " : "",
                                       chain[0] ? chain : "\"\"");
    }
    if (!has_chain)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s has \"%s\", but %s has no chain \"%s\"; expected one of %s", option,
                       item->text, file, item->chain, chains);
    return QN_FAIL(QN_INVALID_ARGUMENT,
                   "%s has \"%s\", but chain %s of %s has no residue \"%s\"; expected one by its number, or by its "
                   "name if no other has it",
                   option, item->text, item->chain, file, item->residue);
}

qn_status qn_residue_item_find(const qn_residue_item *item, const qn_molecule *molecule, const char *option,
                               const char *file, size_t *found)
{
    size_t begin;
    int number;
    char insertion;
    const size_t named = count_named(molecule, item, found), first_named = *found;
    const bool has_number = split_number(item->residue, &begin, &number, &insertion);
    if (named == 1 && !(has_number && begin == 0)) return QN_OK;
    if (has_number)
        for (size_t r = 0; r < molecule->residue_count; r++) {
            const qn_residue *residue = &molecule->residues[r];
            if (strcmp(residue->chain, item->chain) != 0 || residue->number != number ||
                residue->insertion != insertion)
                continue;
            *found = r;
            if (begin == 0 || (strlen(residue->name) == begin && strncmp(residue->name, item->residue, begin) == 0))
                return QN_OK;
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s has \"%s\", but residue %d of chain %s of %s is %s", option,
                           item->text, number, item->chain, file, residue->name);
        }
    if (named > 1)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s has \"%s\", but chain %s of %s has %zu residues of this name; expected one by its "
                       "number, such as %s:%s%d",
                       option, item->text, item->chain, file, named, item->chain, item->residue,
                       molecule->residues[first_named].number);
    *found = first_named;
    return named == 1 ? QN_OK : refuse_absent(item, molecule, option, file);
}
