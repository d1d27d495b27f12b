/* The start of tunnels, as users write it: residues or atoms of a chain, or a place. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/number.h"
#include "model/atom.h"
#include "tunnel/structure.h"

/* An item such as "A:ASP108" or "A:145:SG". */
typedef struct start_item {
    char text[64]; /* for messages */
    char chain[8];
    char residue[16];
    char atom[8]; /* "": the whole residue */
} start_item;

enum { COLONS_MOST = 2 };

/* ---- places ---- */

static bool read_place(const char *text, double place[3])
{
    for (int k = 0; k < 3; k++) {
        const size_t length = strcspn(text, ",");
        if (!qn_number_parse(text, length, &place[k])) return false;
        if ((text[length] == ',') != (k < 2)) return false;
        text += length + 1;
    }
    return true;
}

/* ---- items ---- */

static qn_status refuse_item(const start_item *item)
{
    return QN_FAIL(
        QN_INVALID_ARGUMENT,
        "--start has \"%s\"; expected a chain, a residue and perhaps an atom, such as A:ASP108, A:108, A:HEM "
        "or A:145:SG, or a place x,y,z in Å",
        item->text);
}

static qn_status read_item(const char *text, size_t length, start_item *item)
{
    char *const parts[] = {item->chain, item->residue, item->atom};
    const size_t room[] = {sizeof item->chain, sizeof item->residue, sizeof item->atom};
    int part = 0;
    *item = (start_item){{0}};
    snprintf(item->text, sizeof item->text, "%.*s", (int)length, text);
    for (size_t i = 0, at = 0; i < length; i++) {
        if (text[i] == ':') {
            if (++part > COLONS_MOST) return refuse_item(item);
            at = 0;
        } else {
            if (at + 1 >= room[part]) return refuse_item(item);
            parts[part][at++] = text[i];
        }
    }
    if (part == 0 || !item->residue[0] || (part == COLONS_MOST && !item->atom[0])) return refuse_item(item);
    return QN_OK;
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
static size_t count_named(const qn_molecule *molecule, const start_item *item, size_t *found)
{
    size_t count = 0;
    for (size_t r = 0; r < molecule->residue_count; r++) {
        const qn_residue *residue = &molecule->residues[r];
        if (strcmp(residue->chain, item->chain) != 0 || strcmp(residue->name, item->residue) != 0) continue;
        if (count++ == 0) *found = r;
    }
    return count;
}

static qn_status refuse_absent(const qn_tunnel_structure *structure, const start_item *item)
{
    char chains[64] = "";
    const qn_molecule *molecule = structure->molecule;
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
        return QN_FAIL(QN_INVALID_ARGUMENT, "--start has \"%s\", but %s has no chain \"%s\"; expected one of %s",
                       item->text, structure->name, item->chain, chains);
    return QN_FAIL(
        QN_INVALID_ARGUMENT,
        "--start has \"%s\", but chain %s of %s has no residue \"%s\"; expected one by its number, or by its "
        "name if no other has it",
        item->text, item->chain, structure->name, item->residue);
}

/* Find the residue of an item: by its number, where a name before it must agree; or by its name. */
static qn_status find_residue(const qn_tunnel_structure *structure, const start_item *item, size_t *found)
{
    const qn_molecule *molecule = structure->molecule;
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
            return QN_FAIL(QN_INVALID_ARGUMENT, "--start has \"%s\", but residue %d of chain %s of %s is %s",
                           item->text, number, item->chain, structure->name, residue->name);
        }
    if (named > 1)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--start has \"%s\", but chain %s of %s has %zu residues of this name; expected one by its "
                       "number, such as %s:%s%d",
                       item->text, item->chain, structure->name, named, item->chain, item->residue,
                       molecule->residues[first_named].number);
    *found = first_named;
    return named == 1 ? QN_OK : refuse_absent(structure, item);
}

/* Give the atoms of an item equal weights, whose sum is 1: an atom, or the heavy atoms of a residue. */
static qn_status weigh(qn_tunnel_structure *structure, const start_item *item, bool *names_residue)
{
    size_t found = 0, count = 0;
    QN_TRY(find_residue(structure, item, &found));
    const qn_residue *residue = &structure->molecule->residues[found];
    const qn_atom *atoms = structure->molecule->atoms + residue->first_atom;
    double *weights = structure->start_weights + residue->first_atom;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < residue->atom_count; i++) {
            const bool is_meant =
                item->atom[0] ? strcmp(atoms[i].name, item->atom) == 0 : !qn_atom_is_hydrogen(&atoms[i]);
            if (is_meant && pass == 0) count++;
            if (is_meant && pass == 1) weights[i] += 1.0 / (double)count;
        }
    if (!item->atom[0]) names_residue[found] = true;
    if (count > 0) return QN_OK;
    return QN_FAIL(QN_INVALID_ARGUMENT, "--start has \"%s\", but %s has no atom %s", item->text,
                   qn_tunnel_residue_say(residue).text, item->atom[0] ? item->atom : "that is heavy");
}

qn_status qn_tunnel_start_find(const qn_tunnel_options *options, qn_tunnel_structure *structure, bool *names_residue)
{
    const qn_molecule *molecule = structure->molecule;
    int items = 0;
    if (read_place(options->start, structure->start)) return QN_OK;
    QN_TRY(qn_allocate(molecule->atom_count, sizeof *structure->start_weights, (void **)&structure->start_weights));
    for (const char *word = options->start; word; items++) {
        const size_t length = strcspn(word, ",");
        start_item item;
        QN_TRY(read_item(word, length, &item));
        QN_TRY(weigh(structure, &item, names_residue));
        word = word[length] == ',' ? word + length + 1 : NULL;
    }
    for (size_t i = 0; i < molecule->atom_count; i++) {
        structure->start_weights[i] /= items;
        for (int k = 0; k < 3; k++)
            structure->start[k] += structure->start_weights[i] * molecule->atoms[i].position_angstrom[k];
    }
    return QN_OK;
}
