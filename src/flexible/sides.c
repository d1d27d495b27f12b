#include "flexible/sides.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "flexible/stated.h"
#include "format/structure/residue_item.h"
#include "model/atom.h"
#include "model/residue_names.h"
#include "score/surroundings.h"

static const double hydrogen_reach_angstrom = 1.5; /* more than the longest bond to a hydrogen, S-H */

enum { ATOMS_MAX = 32 /* of a side chain, with hydrogens */ };

typedef struct side_atom {
    char name[8], element[4], type[8]; /* type: AutoDock's */
    double position[3], charge_e;
    size_t atom;    /* of the molecule; not of hydrogens */
    int row, piece; /* of Vina's table, −1: a hydrogen; of the side chain */
} side_atom;

/* A side chain while it is taken. */
typedef struct side_making {
    qn_score_receptor *receptor;
    const char *option, *file;
    const qn_autodock_atoms *stated; /* of the receptor; NULL: they follow from the chemistry */
    const qn_residue *residue;
    side_atom atoms[ATOMS_MAX]; /* Cα, the heavy atoms, hydrogens */
    int count, heavy, piece_count;
    bool *taken; /* of each atom of the receptor */
    char text[32];
} side_making;

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* ---- The atoms ---- */

/* The atom of the residue with a name, one of those that slashes separate; returns false if there is none. */
static bool find_atom(const side_making *making, const char *names, size_t length, size_t *found)
{
    const qn_molecule *molecule = making->receptor->molecule;
    for (size_t from = 0; from < length; from++) {
        size_t end = from;
        while (end < length && names[end] != '/') end++;
        for (size_t i = 0; i < making->residue->atom_count; i++) {
            *found = making->residue->first_atom + i;
            const char *name = molecule->atoms[*found].name;
            if (strlen(name) == end - from && strncmp(name, names + from, end - from) == 0) return true;
        }
        from = end;
    }
    return false;
}

/* Take an atom of the receptor out; *row gets its type. Returns false if the receptor lacks it. */
static bool take_out(side_making *making, size_t atom, int *row)
{
    const qn_score_receptor *receptor = making->receptor;
    const qn_atom *wanted = &receptor->molecule->atoms[atom];
    for (size_t i = 0; i < receptor->atom_count; i++) {
        if (receptor->residues[i] != wanted->residue || making->taken[i] ||
            memcmp(receptor->positions_angstrom + 3 * i, wanted->position_angstrom, 3 * sizeof(double)) != 0)
            continue;
        making->taken[i] = true;
        *row = receptor->types[i];
        return true;
    }
    return false;
}

static qn_status add_heavy(side_making *making, const char *names, size_t length, int piece)
{
    side_atom *to = &making->atoms[making->count];
    *to = (side_atom){.piece = piece};
    if (!find_atom(making, names, length, &to->atom) || !take_out(making, to->atom, &to->row))
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s has \"%s\", but this residue of %s has no atom %.*s; expected a complete side "
                       "chain",
                       making->option, making->text, making->file, (int)strcspn(names, " |/"), names);
    const qn_atom *from = &making->receptor->molecule->atoms[to->atom];
    memcpy(to->name, from->name, sizeof to->name);
    memcpy(to->element, from->element, sizeof to->element);
    memcpy(to->position, from->position_angstrom, sizeof to->position);
    making->count++;
    return QN_OK;
}

static qn_status add_side_chain(side_making *making, const char *pieces)
{
    QN_TRY(add_heavy(making, "CA", 2, 0));
    making->piece_count = 2;
    for (const char *at = pieces; *at;) {
        const size_t length = strcspn(at, " |");
        QN_TRY(add_heavy(making, at, length, making->piece_count - 1));
        making->piece_count += at[length] == '|';
        at += length + (at[length] != '\0');
    }
    making->heavy = making->count;
    return QN_OK;
}

static bool is_backbone(const char *name)
{
    static const char *const names[] = {"N", "CA", "C", "O", "OXT", "OT1", "OT2", "OC1", "OC2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* ---- AutoDock's types, charges and polar hydrogens, which are written ---- */

static void describe_atom(side_making *making, const qn_autodock_atom *from)
{
    for (int k = 0; k < making->heavy; k++) {
        side_atom *atom = &making->atoms[k];
        const double away = distance(atom->position, from->position_angstrom);
        if (strcmp(from->type, "HD") == 0 && k > 0 && strcmp(atom->element, "C") != 0 &&
            away < hydrogen_reach_angstrom && making->count < ATOMS_MAX) {
            side_atom *to = &making->atoms[making->count++];
            *to =
                (side_atom){.element = "H", .type = "HD", .charge_e = from->charge_e, .row = -1, .piece = atom->piece};
            memcpy(to->name, from->name, sizeof to->name);
            memcpy(to->position, from->position_angstrom, sizeof to->position);
            return;
        }
        if (away > 0) continue;
        snprintf(atom->type, sizeof atom->type, "%s", from->type);
        atom->charge_e = from->charge_e;
        return;
    }
}

/* The residue with those beside it, which its charges depend on; *own is its index. */
static qn_status copy_residues(const side_making *making, qn_molecule *molecule, size_t *own)
{
    const qn_molecule *from = making->receptor->molecule;
    const size_t index = (size_t)(making->residue - from->residues), first = index ? index - 1 : 0;
    *own = index - first;
    for (size_t r = first; r <= index + 1 && r < from->residue_count; r++) {
        const qn_residue *residue = &from->residues[r];
        QN_TRY(qn_molecule_append_residue(molecule, residue));
        for (size_t i = 0; i < residue->atom_count; i++)
            QN_TRY(qn_molecule_append_atom(molecule, &from->atoms[residue->first_atom + i]));
    }
    return QN_OK;
}

/* Without notes on hydrogens that are built for these residues only. */
static qn_status prepare_residue(const side_making *making, qn_autodock_atoms *atoms, size_t *own)
{
    qn_molecule *some;
    *atoms = (qn_autodock_atoms){0};
    QN_TRY(qn_molecule_create(making->text, &some));
    qn_status status = copy_residues(making, some, own);
    const qn_log_scope outer = qn_log_turn_off();
    if (status == QN_OK) status = qn_autodock_receptor_prepare(some, atoms);
    qn_log_return(outer);
    qn_molecule_destroy(&some);
    return status;
}

static qn_status describe(side_making *making)
{
    qn_autodock_atoms prepared = {0};
    const qn_autodock_atoms *atoms = making->stated ? making->stated : &prepared;
    size_t residue = (size_t)(making->residue - making->receptor->molecule->residues);
    if (!making->stated) QN_TRY(prepare_residue(making, &prepared, &residue));
    for (size_t i = 0; i < atoms->count; i++)
        if (atoms->items[i].residue == residue) describe_atom(making, &atoms->items[i]);
    qn_autodock_atoms_clear(&prepared);
    return QN_OK;
}

/* ---- Bonds ---- */

static bool is_taken(const side_making *making, size_t atom)
{
    for (int k = 0; k < making->heavy; k++)
        if (making->atoms[k].atom == atom) return true;
    return false;
}

/* Every heavy atom of the residue is one of the backbone or of the side chain, and no bond but Cα-Cβ leads out of
 * it: a disulphide bridge or a sugar would break. */
static qn_status check_bonds(const side_making *making)
{
    const qn_molecule *molecule = making->receptor->molecule;
    for (size_t i = 0; i < molecule->atom_count; i++) {
        const qn_atom *other = &molecule->atoms[i];
        const qn_residue *residue = &molecule->residues[other->residue];
        if (qn_atom_is_hydrogen(other) || is_taken(making, i)) continue;
        if (residue == making->residue && !is_backbone(other->name))
            return QN_FAIL(QN_BAD_FORMAT,
                           "%s has \"%s\", whose atom %s in %s is not one of %s; expected atoms with the names of the "
                           "PDB",
                           making->option, making->text, other->name, making->file, residue->name);
        for (int k = 1; k < making->heavy; k++) {
            const side_atom *own = &making->atoms[k];
            const double first = qn_covalent_radius_angstrom(own->element),
                         second = qn_covalent_radius_angstrom(other->element);
            if (first == 0 || second == 0 ||
                distance(own->position, other->position_angstrom) >= QN_BOND_ALLOWANCE * (first + second))
                continue;
            return QN_FAIL(QN_BAD_FORMAT,
                           "%s has \"%s\", whose %s is bound to %s of %s:%s%d in %s; expected a side chain that turns "
                           "freely",
                           making->option, making->text, own->name, other->name, residue->chain, residue->name,
                           residue->number, making->file);
        }
    }
    return QN_OK;
}

/* ---- The compound and its tree ---- */

static void fill_compound(const side_making *making, qn_compound *compound)
{
    int first[ATOMS_MAX] = {0}; /* atom of each piece */
    for (int i = making->heavy - 1; i >= 0; i--) first[making->atoms[i].piece] = i;
    for (int i = 0; i < making->count; i++) {
        const side_atom *from = &making->atoms[i];
        qn_compound_atom *to = &compound->atoms[i];
        memcpy(to->element, from->element, sizeof from->element);
        memcpy(to->name, from->name, sizeof from->name);
        memcpy(to->type, from->type, sizeof from->type);
        to->partial_charge_e = (float)from->charge_e;
        to->has_partial_charge = true;
        memcpy(compound->positions_angstrom + 3 * i, from->position, sizeof from->position);
        compound->tree.piece[i] = from->piece;
    }
    for (int k = 1; k < making->piece_count; k++)
        compound->tree.branches[k - 1] = (qn_compound_branch){first[k - 1], first[k]};
    compound->tree.piece_count = (size_t)making->piece_count;
}

static qn_status make_side(const side_making *making, qn_flexible_types types, qn_flexible_side *side)
{
    int rows[ATOMS_MAX];
    side->residue = *making->residue;
    for (int i = 0; i < making->count; i++) rows[i] = making->atoms[i].row;
    QN_TRY(qn_compound_create(making->text, (size_t)making->count, 0, 1, &side->compound));
    qn_compound_tree *tree = &side->compound->tree;
    QN_TRY(qn_allocate((size_t)making->count, sizeof *tree->piece, (void **)&tree->piece));
    QN_TRY(qn_allocate((size_t)making->piece_count, sizeof *tree->branches, (void **)&tree->branches));
    fill_compound(making, side->compound);
    QN_TRY(qn_flexible_stated_bonds(side->compound));
    return qn_flexible_tree_create_known(side->compound, types, rows, 0, &side->tree);
}

static qn_status find_pieces(const side_making *making, const char **pieces)
{
    const char *name = making->residue->name;
    *pieces = qn_flexible_side_pieces(name);
    if (*pieces) return QN_OK;
    if (!qn_is_amino_acid(name))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s has \"%s\", but %s is no amino acid; expected one with a side chain",
                       making->option, making->text, name);
    return QN_FAIL(QN_INVALID_ARGUMENT,
                   "%s has \"%s\", but %s has no side chain that turns, or its atoms are not known; expected another "
                   "residue",
                   making->option, making->text, name);
}

static qn_status take_side(side_making *making, qn_flexible_types types, const char *text, size_t length,
                           qn_flexible_sides *sides)
{
    qn_residue_item item;
    size_t found;
    const char *pieces;
    const bool is_item = qn_residue_item_read(text, length, &item);
    making->count = making->heavy = 0;
    snprintf(making->text, sizeof making->text, "%.*s", (int)length, text);
    if (!is_item || item.atom[0])
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s has \"%s\"; expected a chain and a residue, such as A:TRP177 or A:177",
                       making->option, item.text);
    QN_TRY(qn_residue_item_find(&item, making->receptor->molecule, making->option, making->file, &found));
    making->residue = &making->receptor->molecule->residues[found];
    for (int s = 0; s < sides->count; s++)
        if (sides->sides[s].residue.first_atom == making->residue->first_atom)
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s names residue %s:%s%d twice", making->option,
                           making->residue->chain, making->residue->name, making->residue->number);
    if (sides->count == QN_FLEXIBLE_SIDES_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s has \"%s\" after %d side chains; expected at most %d", making->option,
                       making->text, sides->count, QN_FLEXIBLE_SIDES_MAX);
    QN_TRY(find_pieces(making, &pieces));
    QN_TRY(add_side_chain(making, pieces));
    QN_TRY(check_bonds(making));
    QN_TRY(describe(making));
    return make_side(making, types, &sides->sides[sides->count++]);
}

static qn_status take_all(side_making *making, qn_flexible_types types, const char *const *texts, size_t count,
                          qn_flexible_sides *sides)
{
    for (size_t t = 0; t < count; t++)
        for (const char *word = texts[t]; word;) {
            const size_t length = strcspn(word, ",");
            QN_TRY(take_side(making, types, word, length, sides));
            word = word[length] == ',' ? word + length + 1 : NULL;
        }
    qn_score_receptor_leave_out(making->receptor, making->taken);
    return making->receptor->atom_count
               ? QN_OK
               : QN_FAIL(QN_BAD_FORMAT, "%s: no atoms besides the side chains of %s; expected a receptor", making->file,
                         making->option);
}

qn_status qn_flexible_sides_take(qn_score_receptor *receptor, const qn_autodock_atoms *stated, const char *const *texts,
                                 size_t count, const char *option, const char *file, qn_flexible_sides *sides)
{
    const qn_flexible_types types = stated ? QN_FLEXIBLE_TYPES_FILE : QN_FLEXIBLE_TYPES_OWN;
    side_making making = {.receptor = receptor, .stated = stated, .option = option, .file = file};
    *sides = (qn_flexible_sides){0};
    if (count == 0) return QN_OK;
    if (!receptor->molecule)
        return QN_FAIL(QN_BAD_FORMAT, "%s has \"%s\", but %s names no residues; expected PDB, mmCIF or PDBQT", option,
                       texts[0], file);
    QN_TRY(qn_allocate(receptor->atom_count, sizeof *making.taken, (void **)&making.taken));
    const qn_status status = take_all(&making, types, texts, count, sides);
    qn_release(&making.taken);
    if (status != QN_OK) qn_flexible_sides_clear(sides);
    return status;
}

void qn_flexible_sides_clear(qn_flexible_sides *sides)
{
    for (int i = 0; i < sides->count; i++) {
        qn_flexible_tree_clear(&sides->sides[i].tree);
        qn_compound_destroy(&sides->sides[i].compound);
    }
    *sides = (qn_flexible_sides){0};
}
