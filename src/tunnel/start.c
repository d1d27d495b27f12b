/* The start of tunnels, as users write it: residues or atoms of a chain, or a place. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/number.h"
#include "format/structure/residue_item.h"
#include "model/atom.h"
#include "model/residue_text.h"
#include "tunnel/structure.h"

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

static qn_status refuse_item(const qn_residue_item *item)
{
    return QN_FAIL(
        QN_INVALID_ARGUMENT,
        "--start has \"%s\"; expected a chain, a residue and perhaps an atom, such as A:ASP108, A:108, A:HEM "
        "or A:145:SG, or a place x,y,z in Å",
        item->text);
}

/* Give the atoms of an item equal weights, whose sum is 1: an atom, or the heavy atoms of a residue. */
static qn_status weigh(qn_tunnel_structure *structure, const qn_residue_item *item, bool *names_residue)
{
    size_t found = 0, count = 0;
    QN_TRY(qn_residue_item_find(item, structure->molecule, "--start", structure->name, &found));
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
                   qn_residue_say(residue).text, item->atom[0] ? item->atom : "that is heavy");
}

qn_status qn_tunnel_start_find(const qn_tunnel_options *options, qn_tunnel_structure *structure, bool *names_residue)
{
    const qn_molecule *molecule = structure->molecule;
    int items = 0;
    if (read_place(options->start, structure->start)) return QN_OK;
    QN_TRY(qn_allocate(molecule->atom_count, sizeof *structure->start_weights, (void **)&structure->start_weights));
    for (const char *word = options->start; word; items++) {
        const size_t length = strcspn(word, ",");
        qn_residue_item item;
        if (!qn_residue_item_read(word, length, &item)) return refuse_item(&item);
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
