#include "score/receptor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "chemistry/residue_types.h"
#include "format/compound/compound_stream.h"
#include "model/crowding.h"
#include "model/molecule_input.h"
#include "model/residue_names.h"
#include "score/kernels/score_poses.h"
#include "score/ligand_types.h"
#include "score/site.h"

/* Find out whether a file is MOL2, by its first record. */
static qn_status is_mol2(const char *path, bool *mol2)
{
    char *text = NULL;
    size_t size = 0;
    *mol2 = false;
    if (!qn_file_exists(path))
        return QN_OK; /* a path with chains, or a missing file, which the reader of structures reports */
    QN_TRY(qn_file_read(path, &text, &size));
    const char *record = strstr(text, "@<TRIPOS>");
    *mol2 = record != NULL && (record == text || record[-1] == '\n');
    qn_release(&text);
    return QN_OK;
}

static qn_status allocate_receptor(qn_score_receptor *receptor, size_t most)
{
    if (receptor->molecule) QN_TRY(qn_allocate(most, sizeof *receptor->residues, (void **)&receptor->residues));
    QN_TRY(qn_allocate(3 * most, sizeof(double), (void **)&receptor->positions_angstrom));
    return qn_allocate(most, sizeof *receptor->types, (void **)&receptor->types);
}

/* Add an atom unless it is a hydrogen. `number`: for messages, from 1. */
static qn_status add_atom(qn_score_receptor *receptor, const char *path, size_t number, const char *element,
                          const double position[3], int type)
{
    if (type == -1) return QN_OK;
    if (type < 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: atom %zu (%s) is of an element that the score has no type for", path, number,
                       element);
    memcpy(receptor->positions_angstrom + 3 * receptor->atom_count, position, 3 * sizeof(double));
    receptor->types[receptor->atom_count++] = type;
    return QN_OK;
}

static qn_status fill_from_molecule(const char *path, qn_score_receptor *receptor, qn_sybyl_type *types,
                                    qn_surroundings *around)
{
    const qn_molecule *molecule = receptor->molecule;
    QN_TRY(qn_residue_sybyl_types(molecule, types, NULL));
    QN_TRY(qn_surroundings_of_molecule(molecule, types, around));
    QN_TRY(allocate_receptor(receptor, molecule->atom_count));
    for (size_t i = 0; i < molecule->atom_count; i++) {
        const qn_atom *atom = &molecule->atoms[i];
        int type = qn_ligand_type_of(&receptor->score, atom->element, types[i], &around[i]);
        receptor->residues[receptor->atom_count] = atom->residue;
        QN_TRY(add_atom(receptor, path, i + 1, atom->element, atom->position_angstrom, type));
    }
    return QN_OK;
}

static qn_status use_molecule(const char *path, qn_score_receptor *receptor)
{
    qn_sybyl_type *types = NULL;
    qn_surroundings *around = NULL;
    QN_TRY(qn_molecule_check_crowding(receptor->molecule, path));
    const size_t count = receptor->molecule->atom_count;
    qn_status status = qn_allocate(count, sizeof *types, (void **)&types);
    if (status == QN_OK) status = qn_allocate(count, sizeof *around, (void **)&around);
    if (status == QN_OK) status = fill_from_molecule(path, receptor, types, around);
    qn_release(&types);
    qn_release(&around);
    return status;
}

static qn_status read_molecule(const char *path, qn_score_receptor *receptor)
{
    QN_TRY(qn_molecule_read(NULL, path, &(qn_molecule_options){.size = sizeof(qn_molecule_options), .drop_water = true},
                            &receptor->molecule));
    return use_molecule(path, receptor);
}

static qn_status copy_without_waters(const qn_molecule *molecule, const char *name, qn_molecule **copy)
{
    QN_TRY(qn_molecule_create(name, copy));
    for (size_t r = 0; r < molecule->residue_count; r++) {
        const qn_residue *residue = &molecule->residues[r];
        if (qn_is_water(residue->name)) continue;
        QN_TRY(qn_molecule_append_residue(*copy, residue));
        for (size_t i = 0; i < residue->atom_count; i++)
            QN_TRY(qn_molecule_append_atom(*copy, &molecule->atoms[residue->first_atom + i]));
    }
    return QN_OK;
}

/* Use the types that the file states where they are SYBYL types; find the others. */
static qn_status types_of_compound(const qn_compound *compound, qn_sybyl_type *types)
{
    bool own = false;
    for (size_t i = 0; i < compound->atom_count; i++) {
        types[i] = qn_sybyl_from_name(compound->atoms[i].type);
        own |= types[i] == QN_SYBYL_TYPES;
    }
    if (!own) return QN_OK;
    QN_TRY(qn_sybyl_find_types(compound, types));
    for (size_t i = 0; i < compound->atom_count; i++) {
        qn_sybyl_type stated = qn_sybyl_from_name(compound->atoms[i].type);
        if (stated != QN_SYBYL_TYPES) types[i] = stated;
    }
    return QN_OK;
}

/* A water is an oxygen bound to no heavy atom. Residue names of MOL2 differ between programs. */
static bool is_water(const qn_compound_atom *atom, const qn_surroundings *around)
{
    return strcmp(atom->element, "O") == 0 && around->heavy == 0;
}

static qn_status fill_from_compound(const char *path, const qn_compound *compound, qn_score_receptor *receptor,
                                    qn_sybyl_type *types, qn_surroundings *around)
{
    const double *positions = qn_compound_positions(compound, 0);
    QN_TRY(types_of_compound(compound, types));
    QN_TRY(qn_surroundings_of_compound(compound, types, around));
    QN_TRY(allocate_receptor(receptor, compound->atom_count));
    for (size_t i = 0; i < compound->atom_count; i++) {
        const qn_compound_atom *atom = &compound->atoms[i];
        if (is_water(atom, &around[i])) continue;
        int type = qn_ligand_type_of(&receptor->score, atom->element, types[i], &around[i]);
        QN_TRY(add_atom(receptor, path, i + 1, atom->element, positions + 3 * i, type));
    }
    return QN_OK;
}

static void describe_atom(size_t index, char *text, size_t size, const void *user)
{
    (void)user;
    snprintf(text, size, "heavy atom %zu", index + 1);
}

static qn_status use_compounds(const char *path, qn_compound *const *compounds, size_t count,
                               qn_score_receptor *receptor)
{
    qn_sybyl_type *types = NULL;
    qn_surroundings *around = NULL;
    if (count != 1) return QN_FAIL(QN_BAD_FORMAT, "%s: %zu molecules; expected the receptor as one", path, count);
    if (compounds[0]->conformer_count == 0) return QN_FAIL(QN_BAD_FORMAT, "%s: the receptor has no positions", path);
    qn_status status = qn_allocate(compounds[0]->atom_count, sizeof *types, (void **)&types);
    if (status == QN_OK) status = qn_allocate(compounds[0]->atom_count, sizeof *around, (void **)&around);
    if (status == QN_OK) status = fill_from_compound(path, compounds[0], receptor, types, around);
    if (status == QN_OK)
        status = qn_crowding_check(receptor->positions_angstrom, receptor->atom_count, path, describe_atom, NULL);
    qn_release(&types);
    qn_release(&around);
    return status;
}

static qn_status read_mol2(const char *path, qn_score_receptor *receptor)
{
    qn_compound **compounds = NULL;
    size_t count = 0;
    QN_TRY(qn_compound_read_file(path, &compounds, &count));
    qn_status status = use_compounds(path, compounds, count, receptor);
    for (size_t i = 0; i < count; i++) qn_compound_destroy(&compounds[i]);
    qn_release(&compounds);
    return status;
}

static void find_hash(qn_score_receptor *receptor)
{
    receptor->hash =
        qn_ligand_hash(receptor->types, receptor->atom_count * sizeof *receptor->types, receptor->positions_angstrom,
                       3 * receptor->atom_count * sizeof *receptor->positions_angstrom);
}

static qn_status finish(const char *path, qn_score_receptor *receptor)
{
    if (receptor->atom_count == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: no heavy atoms besides those of waters; expected a receptor", path);
    if (receptor->atom_count > QN_SCORE_POSES_ATOMS_MAX)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %zu heavy atoms; expected a receptor of at most %d", path,
                       receptor->atom_count, QN_SCORE_POSES_ATOMS_MAX);
    for (size_t i = 0; i < 3 * receptor->atom_count; i++)
        if (!(fabs(receptor->positions_angstrom[i]) <= QN_SCORE_POSES_FARTHEST_ANGSTROM))
            return QN_FAIL(QN_BAD_FORMAT, "%s: heavy atom %zu is at %c = %g; expected coordinates within %g Å", path,
                           i / 3 + 1, 'x' + (int)(i % 3), receptor->positions_angstrom[i],
                           QN_SCORE_POSES_FARTHEST_ANGSTROM);
    find_hash(receptor);
    return QN_OK;
}

qn_status qn_score_receptor_read(const char *path, const qn_ligand_score *score, qn_score_receptor *receptor)
{
    bool mol2;
    *receptor = (qn_score_receptor){.score = *score};
    QN_TRY(is_mol2(path, &mol2));
    qn_status status = mol2 ? read_mol2(path, receptor) : read_molecule(path, receptor);
    if (status == QN_OK) status = finish(path, receptor);
    if (status != QN_OK) qn_score_receptor_clear(receptor);
    return status;
}

qn_status qn_score_receptor_from_molecule(const qn_molecule *molecule, const qn_ligand_score *score,
                                          qn_score_receptor *receptor)
{
    const char *name = molecule->name ? molecule->name : "receptor";
    *receptor = (qn_score_receptor){.score = *score};
    QN_TRY(qn_molecule_check(molecule, "receptor"));
    qn_status status = copy_without_waters(molecule, name, &receptor->molecule);
    if (status == QN_OK) status = use_molecule(name, receptor);
    if (status == QN_OK) status = finish(name, receptor);
    if (status != QN_OK) qn_score_receptor_clear(receptor);
    return status;
}

/* Count the heavy atoms of each hetero residue, and those near the ligand. */
static void count_overlaps(const qn_score_receptor *receptor, const double *positions, size_t count, int *atoms,
                           int *near)
{
    for (size_t i = 0; i < receptor->atom_count; i++) {
        const int residue = receptor->residues[i];
        if (!receptor->molecule->residues[residue].hetero) continue;
        atoms[residue]++;
        if (qn_site_is_near(receptor->positions_angstrom + 3 * i, positions, count)) near[residue]++;
    }
}

void qn_score_receptor_leave_out(qn_score_receptor *receptor, const bool *marks)
{
    size_t kept = 0;
    for (size_t i = 0; i < receptor->atom_count; i++) {
        if (marks[i]) continue;
        memmove(receptor->positions_angstrom + 3 * kept, receptor->positions_angstrom + 3 * i, 3 * sizeof(double));
        receptor->types[kept] = receptor->types[i];
        if (receptor->residues) receptor->residues[kept] = receptor->residues[i];
        kept++;
    }
    receptor->atom_count = kept;
    find_hash(receptor);
}

/* Mark the atoms of residues of which at least half of the heavy atoms are near the ligand, and leave them out. */
static qn_status leave_out_overlaps(qn_score_receptor *receptor, const int *atoms, const int *near)
{
    bool *marks;
    QN_TRY(qn_allocate(receptor->atom_count, sizeof *marks, (void **)&marks));
    for (size_t i = 0; i < receptor->atom_count; i++) {
        const int residue = receptor->residues[i];
        marks[i] = near[residue] > 0 && 2 * near[residue] >= atoms[residue];
    }
    qn_score_receptor_leave_out(receptor, marks);
    qn_release(&marks);
    return QN_OK;
}

qn_status qn_score_receptor_make_room(qn_score_receptor *receptor, const double *positions, size_t count)
{
    void *memory;
    if (!receptor->molecule) {
        size_t inside = 0;
        for (size_t i = 0; i < receptor->atom_count; i++)
            inside += qn_site_is_near(receptor->positions_angstrom + 3 * i, positions, count);
        if (2 * inside >= count)
            return QN_FAIL(QN_BAD_FORMAT,
                           "the receptor has %zu %s where the site's ligand is, which has %zu, and its file names no "
                           "residues that could be left out; expected a receptor without that ligand",
                           inside, inside == 1 ? "atom" : "atoms", count);
        return QN_OK;
    }
    const size_t residues = receptor->molecule->residue_count;
    QN_TRY(qn_allocate(2 * residues, sizeof(int), &memory));
    int *atoms = memory, *near = atoms + residues;
    count_overlaps(receptor, positions, count, atoms, near);
    const qn_status status = leave_out_overlaps(receptor, atoms, near);
    for (size_t r = 0; r < residues; r++) {
        const qn_residue *residue = &receptor->molecule->residues[r];
        if (near[r] > 0 && 2 * near[r] >= atoms[r])
            qn_log(QN_LOG_NOTE, "receptor: %s %s %d lies where the site's ligand is and is left out", residue->name,
                   residue->chain, residue->number);
    }
    qn_release(&memory);
    QN_TRY(status);
    return receptor->atom_count ? QN_OK
                                : QN_FAIL(QN_BAD_FORMAT, "%s: nothing but the site's ligand; expected a receptor",
                                          receptor->molecule->name);
}

void qn_score_receptor_clear(qn_score_receptor *receptor)
{
    qn_molecule_destroy(&receptor->molecule);
    qn_release(&receptor->positions_angstrom);
    qn_release(&receptor->types);
    qn_release(&receptor->residues);
    *receptor = (qn_score_receptor){0};
}
