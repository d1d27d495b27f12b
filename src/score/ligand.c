#include "score/ligand.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "chemistry/bonds.h"
#include "chemistry/fragments.h"
#include "score/ligand_types.h"
#include "score/vina.h"

qn_status qn_score_ligand_prepare(qn_compound *compound)
{
    const bool has_bonds = compound->bond_count > 0;
    bool unknown = false;
    if (compound->bond_count == 0 && compound->atom_count > 1 && !compound->flat) QN_TRY(qn_bonds_connect(compound));
    for (size_t i = 0; i < compound->bond_count; i++) unknown |= compound->bonds[i].order == QN_BOND_UNKNOWN;
    if (unknown) QN_TRY(qn_bonds_find_orders(compound));
    return has_bonds ? qn_fragments_keep_main(compound, QN_LIGAND_LEFT_OUT) : QN_OK;
}

static const char *name_of(const qn_compound *compound)
{
    return compound->name && compound->name[0] ? compound->name : "a molecule without a name";
}

/* No atom of a real molecule is farther from the first one than this. */
static const double most_extent_angstrom = 1000;

/* Atoms nearer than this have no real positions, or the record has them twice. */
static const double least_distance_angstrom = 0.1;

static qn_status check_distances(const qn_compound *compound, size_t conformer)
{
    const double *positions = qn_compound_positions(compound, conformer);
    for (size_t i = 0; i < compound->atom_count; i++) {
        if (qn_compound_atom_is_hydrogen(&compound->atoms[i])) continue;
        for (size_t k = 0; k < i; k++) {
            double square = 0;
            for (size_t d = 0; d < 3; d++)
                square += (positions[3 * i + d] - positions[3 * k + d]) * (positions[3 * i + d] - positions[3 * k + d]);
            if (square < least_distance_angstrom * least_distance_angstrom &&
                !qn_compound_atom_is_hydrogen(&compound->atoms[k]))
                return QN_FAIL(QN_BAD_FORMAT,
                               "%s: atoms %zu and %zu of conformer %zu are %.2f Å apart; expected two places",
                               name_of(compound), k + 1, i + 1, conformer + 1, sqrt(square));
        }
    }
    return QN_OK;
}

qn_status qn_score_ligand_check(const qn_compound *compound, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < compound->atom_count; i++) *count += !qn_compound_atom_is_hydrogen(&compound->atoms[i]);
    if (*count == 0) return QN_FAIL(QN_BAD_FORMAT, "%s: no heavy atoms", name_of(compound));
    if (*count > QN_SCORE_LIGAND_ATOMS)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %zu heavy atoms; expected at most %d", name_of(compound), *count,
                       QN_SCORE_LIGAND_ATOMS);
    if (compound->atom_count > 8 * QN_SCORE_LIGAND_ATOMS)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %zu atoms; expected at most %d", name_of(compound), compound->atom_count,
                       8 * QN_SCORE_LIGAND_ATOMS);
    if (compound->conformer_count == 0) return QN_FAIL(QN_BAD_FORMAT, "%s: no positions", name_of(compound));
    if (compound->flat && *count > 1)
        return QN_FAIL(QN_BAD_FORMAT, "%s: a flat drawing (all z are 0); expected positions in three dimensions",
                       name_of(compound));
    for (size_t conformer = 0; conformer < compound->conformer_count; conformer++) {
        const double *positions = qn_compound_positions(compound, conformer);
        for (size_t i = 0; i < 3 * compound->atom_count; i++)
            if (!isfinite(positions[i]))
                return QN_FAIL(QN_BAD_FORMAT, "%s: atom %zu of conformer %zu has a position that is not finite",
                               name_of(compound), i / 3 + 1, conformer + 1);
            else if (fabs(positions[i] - positions[i % 3]) > most_extent_angstrom)
                return QN_FAIL(QN_BAD_FORMAT, "%s: atom %zu is %.0f Å away from atom 1; expected at most %.0f Å",
                               name_of(compound), i / 3 + 1, fabs(positions[i] - positions[i % 3]),
                               most_extent_angstrom);
        QN_TRY(check_distances(compound, conformer));
    }
    return QN_OK;
}

/* Find the type of each atom (−1: a hydrogen) and the number of rotatable bonds. */
static qn_status find_types(const qn_compound *compound, const qn_ligand_score *score, int *types,
                            double *rotatable_bonds)
{
    qn_sybyl_type *sybyl = NULL;
    qn_surroundings *around = NULL;
    qn_status status = qn_allocate(compound->atom_count, sizeof *sybyl, (void **)&sybyl);
    if (status == QN_OK) status = qn_allocate(compound->atom_count, sizeof *around, (void **)&around);
    if (status == QN_OK) status = qn_sybyl_find_types(compound, sybyl);
    if (status == QN_OK) status = qn_surroundings_of_compound(compound, sybyl, around);
    if (status == QN_OK) status = qn_vina_rotatable_bonds_of(compound, sybyl, around, rotatable_bonds);
    for (size_t i = 0; status == QN_OK && i < compound->atom_count; i++) {
        types[i] = qn_ligand_type_of(score, compound->atoms[i].element, sybyl[i], &around[i]);
        if (types[i] < -1)
            status = qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__,
                                  "%s: atom %zu (%s) is of an element that the score has no type for",
                                  name_of(compound), i + 1, compound->atoms[i].element);
    }
    qn_release(&sybyl);
    qn_release(&around);
    return status;
}

/* Sort heavy atoms by type; atoms of one type keep the order of the compound. */
static void order_atoms(const qn_compound *compound, const int *types, qn_score_ligand *ligand)
{
    int most = 0, next = 0;
    for (size_t i = 0; i < compound->atom_count; i++) most = types[i] > most ? types[i] : most;
    for (int type = 0; type <= most; type++)
        for (size_t i = 0; i < compound->atom_count; i++) {
            if (types[i] != type) continue;
            ligand->atom[next] = (int)i;
            ligand->type[next++] = type;
        }
}

static void place_conformer(const qn_compound *compound, int conformer, qn_score_ligand *ligand)
{
    const double *positions = qn_compound_positions(compound, (size_t)conformer);
    const size_t count = (size_t)ligand->atom_count;
    float *to = ligand->positions_angstrom + 3 * count * (size_t)conformer;
    double *centroid = ligand->centroid_angstrom + 3 * (size_t)conformer;
    for (int d = 0; d < 3; d++) {
        double sum = 0;
        for (size_t i = 0; i < count; i++) sum += positions[3 * (size_t)ligand->atom[i] + (size_t)d];
        centroid[d] = sum / (double)count;
        for (size_t i = 0; i < count; i++)
            to[3 * i + (size_t)d] = (float)(positions[3 * (size_t)ligand->atom[i] + (size_t)d] - centroid[d]);
    }
}

static qn_status allocate_ligand(qn_score_ligand *ligand, size_t atoms, size_t conformers)
{
    ligand->atom_count = (int)atoms;
    ligand->conformer_count = (int)conformers;
    QN_TRY(qn_allocate(atoms, sizeof *ligand->atom, (void **)&ligand->atom));
    QN_TRY(qn_allocate(atoms, sizeof *ligand->type, (void **)&ligand->type));
    QN_TRY(qn_allocate(3 * atoms * conformers, sizeof(float), (void **)&ligand->positions_angstrom));
    return qn_allocate(3 * conformers, sizeof(double), (void **)&ligand->centroid_angstrom);
}

static qn_status fill_ligand(const qn_compound *compound, const qn_ligand_score *score, int *types,
                             qn_score_ligand *ligand)
{
    QN_TRY(find_types(compound, score, types, &ligand->rotatable_bonds));
    order_atoms(compound, types, ligand);
    for (int c = 0; c < ligand->conformer_count; c++) place_conformer(compound, c, ligand);
    const size_t atoms = (size_t)ligand->atom_count;
    ligand->hash = qn_ligand_hash(ligand->type, atoms * sizeof *ligand->type, ligand->positions_angstrom,
                                  3 * atoms * sizeof(float));
    return QN_OK;
}

qn_status qn_score_ligand_create(const qn_compound *compound, const qn_ligand_score *score, qn_score_ligand *ligand)
{
    size_t atoms;
    int *types = NULL;
    *ligand = (qn_score_ligand){0};
    QN_TRY(qn_score_ligand_check(compound, &atoms));
    qn_status status = qn_allocate(compound->atom_count, sizeof *types, (void **)&types);
    if (status == QN_OK) status = allocate_ligand(ligand, atoms, compound->conformer_count);
    if (status == QN_OK) status = fill_ligand(compound, score, types, ligand);
    if (status != QN_OK) qn_score_ligand_clear(ligand);
    qn_release(&types);
    return status;
}

void qn_score_ligand_clear(qn_score_ligand *ligand)
{
    qn_release(&ligand->atom);
    qn_release(&ligand->type);
    qn_release(&ligand->positions_angstrom);
    qn_release(&ligand->centroid_angstrom);
    *ligand = (qn_score_ligand){0};
}
