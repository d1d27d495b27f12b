#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/compound/compound_stream.h"

enum { SERIAL_MOST = 99999 };
static const double coordinate_most_angstrom = 9999.999, charge_most_e = 99.999;

typedef struct pdbqt_writer {
    const qn_compound *compound;
    const double *positions;
    const qn_residue *residue;
    int *serial; /* of each atom, in the order of the file */
    int written;
    qn_text *text;
} pdbqt_writer;

static qn_status write_atom(pdbqt_writer *writer, int index)
{
    const qn_compound_atom *atom = &writer->compound->atoms[index];
    const double *at = writer->positions + 3 * (size_t)index;
    const double charge =
        fmax(-charge_most_e, fmin(charge_most_e, atom->has_partial_charge ? (double)atom->partial_charge_e : 0));
    const char *name = atom->name[0] ? atom->name : atom->element;
    const qn_residue *residue = writer->residue;
    for (int d = 0; d < 3; d++)
        if (!(fabs(at[d]) <= coordinate_most_angstrom))
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: coordinate %g of atom %d does not fit into a PDBQT",
                           writer->compound->name, at[d], index + 1);
    writer->serial[index] = ++writer->written;
    return qn_text_append(writer->text,
                          "%-6s%5d %s%-*.4s %3.3s %1.1s%4d%c   %8.3f%8.3f%8.3f  1.00  0.00    %6.3f %-2.2s\n",
                          residue->hetero ? "HETATM" : "ATOM", writer->serial[index], strlen(name) < 4 ? " " : "",
                          strlen(name) < 4 ? 3 : 4, name, residue->name, residue->chain, residue->number,
                          residue->insertion ? residue->insertion : ' ', at[0], at[1], at[2], charge,
                          atom->type[0] ? atom->type : atom->element);
}

/* Whether an atom is a hydrogen that AutoDock merges into its carbon. */
static bool is_merged(const qn_compound *compound, int index)
{
    const qn_compound_tree *tree = &compound->tree;
    for (size_t b = 0; b + 1 < tree->piece_count; b++)
        if (tree->branches[b].first == index || tree->branches[b].second == index) return false;
    return strcmp(compound->atoms[index].type, "H") == 0;
}

/* The atoms of a piece; an atom by which a branch enters it comes first. */
static qn_status write_atoms(pdbqt_writer *writer, int piece, int first)
{
    const qn_compound *compound = writer->compound;
    if (first >= 0) QN_TRY(write_atom(writer, first));
    for (int i = 0; i < (int)compound->atom_count; i++)
        if (i != first && (compound->tree.piece_count == 0 || compound->tree.piece[i] == piece) &&
            !is_merged(compound, i))
            QN_TRY(write_atom(writer, i));
    return QN_OK;
}

/* Branches are nested: those of a piece lie between its atoms and its end. */
static qn_status write_branches(pdbqt_writer *writer)
{
    const qn_compound_tree *tree = &writer->compound->tree;
    int *next; /* of each open piece: the branch to look at */
    int *open, depth = 1;
    QN_TRY(qn_allocate(2 * tree->piece_count, sizeof *next, (void **)&next));
    open = next + tree->piece_count;
    qn_status status = QN_OK;
    while (depth > 0 && status == QN_OK) {
        const int piece = open[depth - 1], b = next[piece]++;
        if (b + 1 >= (int)tree->piece_count) {
            const qn_compound_branch *own = piece > 0 ? &tree->branches[piece - 1] : NULL;
            if (own)
                status = qn_text_append(writer->text, "ENDBRANCH %3d %3d\n", writer->serial[own->first],
                                        writer->serial[own->second]);
            depth--;
            continue;
        }
        const qn_compound_branch *branch = &tree->branches[b];
        if (tree->piece[branch->first] != piece) continue;
        status = qn_text_append(writer->text, "BRANCH %3d %3d\n", writer->serial[branch->first], writer->written + 1);
        if (status == QN_OK) status = write_atoms(writer, b + 1, branch->second);
        open[depth++] = b + 1;
    }
    qn_release(&next);
    return status;
}

static qn_status write_tree(pdbqt_writer *writer)
{
    const qn_compound_tree *tree = &writer->compound->tree;
    QN_TRY(qn_text_append(writer->text, "ROOT\n"));
    QN_TRY(write_atoms(writer, 0, -1));
    QN_TRY(qn_text_append(writer->text, "ENDROOT\n"));
    return tree->piece_count > 1 ? write_branches(writer) : QN_OK;
}

static qn_status write(const qn_compound *compound, const double *positions, const qn_residue *residue, qn_text *text)
{
    pdbqt_writer writer = {.compound = compound,
                           .positions = positions ? positions : qn_compound_positions(compound, 0),
                           .residue = residue,
                           .text = text};
    if (compound->atom_count > SERIAL_MOST)
        return QN_FAIL(QN_UNSUPPORTED, "%s: %zu atoms; a PDBQT holds at most %d", compound->name, compound->atom_count,
                       SERIAL_MOST);
    QN_TRY(qn_allocate(compound->atom_count, sizeof *writer.serial, (void **)&writer.serial));
    const qn_status status = write_tree(&writer);
    qn_release(&writer.serial);
    return status;
}

qn_status qn_compound_write_pdbqt(const qn_compound *compound, const double *positions, const char *residue,
                                  qn_text *text)
{
    const qn_compound_tree *tree = &compound->tree;
    qn_residue ligand = {.number = 1, .hetero = true};
    snprintf(ligand.name, sizeof ligand.name, "%s", residue);
    QN_TRY(write(compound, positions, &ligand, text));
    return qn_text_append(text, "TORSDOF %zu\n", tree->piece_count > 0 ? tree->piece_count - 1 : 0);
}

qn_status qn_compound_write_pdbqt_side(const qn_compound *compound, const double *positions, const qn_residue *residue,
                                       qn_text *text)
{
    const char insertion[2] = {residue->insertion, '\0'};
    char label[32];
    snprintf(label, sizeof label, "%3.3s %1.1s%4d%s", residue->name, residue->chain, residue->number, insertion);
    QN_TRY(qn_text_append(text, "BEGIN_RES %s\n", label));
    QN_TRY(write(compound, positions, residue, text));
    return qn_text_append(text, "END_RES %s\n", label);
}
