#include "score/surroundings.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/atom.h"
#include "model/neighbour_grid.h"

/* Non-metals with their covalent radii (Å). Docking programs use these; those of crystallography are longer. */
static const struct {
    char symbol[4];
    double radius_angstrom;
} nonmetals[] = {
    {"H", 0.37},  {"D", 0.37}, {"T", 0.37},  {"C", 0.77},  {"N", 0.75}, {"O", 0.73}, {"F", 0.71},  {"SI", 1.18},
    {"P", 1.06},  {"S", 1.02}, {"CL", 0.99}, {"BR", 1.14}, {"I", 1.33}, {"B", 0.90}, {"SE", 1.16}, {"AS", 1.19},
    {"TE", 1.36}, {"AT", 1.4}, {"HE", 0},    {"NE", 0},    {"AR", 0},   {"KR", 0},   {"XE", 0},    {"RN", 0},
};
static const double most_reach_angstrom = QN_BOND_ALLOWANCE * 2 * 1.4;

double qn_covalent_radius_angstrom(const char *element)
{
    for (size_t i = 0; i < sizeof nonmetals / sizeof nonmetals[0]; i++)
        if (strcmp(element, nonmetals[i].symbol) == 0) return nonmetals[i].radius_angstrom;
    return 0;
}

/* Whether an atom of this type has a hydrogen, used where the file has no hydrogens and states none. */
static bool has_hydrogen_by_type(qn_sybyl_type type, int heavy, int charge_e)
{
    switch (type) {
    case QN_SYBYL_N_4: return heavy < 4;
    case QN_SYBYL_N_3:
    case QN_SYBYL_N_AM:
    case QN_SYBYL_N_PL3: return heavy < (charge_e < 0 ? 2 : 3);
    case QN_SYBYL_N_2: return heavy < 2 && charge_e >= 0;
    case QN_SYBYL_O_3:
    case QN_SYBYL_S_3: return heavy < 2 && charge_e >= 0;
    default: return false;
    }
}

/* Add one neighbour to the surroundings of an atom. */
static void add_neighbour(qn_surroundings *atom, const char *element)
{
    if (qn_element_is_hydrogen(element)) {
        atom->hydrogen = true;
    } else if (qn_covalent_radius_angstrom(element) > 0) {
        atom->heavy++;
        atom->hetero |= strcmp(element, "C") != 0;
    }
}

static void set_charge(qn_surroundings *atom, qn_sybyl_type type, int charge_e, int neighbours_charge_e)
{
    atom->cation = charge_e > 0 || type == QN_SYBYL_N_4;
    atom->anion = charge_e < 0 && charge_e + neighbours_charge_e < 0;
}

/* Whether the compound has all its polar hydrogens: one is on an atom other than carbon, or there are more than those
 * that mark chiral centres. */
static bool draws_hydrogens(const qn_compound *compound, const qn_compound_neighbours *neighbours)
{
    size_t hydrogens = 0, carbons = 0;
    for (size_t i = 0; i < compound->atom_count; i++) {
        carbons += strcmp(compound->atoms[i].element, "C") == 0;
        if (!qn_compound_atom_is_hydrogen(&compound->atoms[i])) continue;
        hydrogens++;
        for (size_t k = neighbours->start[i]; k < neighbours->start[i + 1]; k++)
            if (strcmp(compound->atoms[neighbours->neighbour[k]].element, "C") != 0) return true;
    }
    return hydrogens > 0 && 2 * hydrogens >= carbons;
}

static void find_of_compound(const qn_compound *compound, const qn_sybyl_type *types,
                             const qn_compound_neighbours *neighbours, qn_surroundings *surroundings)
{
    const bool drawn = draws_hydrogens(compound, neighbours);
    for (size_t i = 0; i < compound->atom_count; i++) {
        const qn_compound_atom *atom = &compound->atoms[i];
        int neighbours_charge_e = 0;
        surroundings[i] = (qn_surroundings){0};
        for (size_t k = neighbours->start[i]; k < neighbours->start[i + 1]; k++) {
            const qn_compound_atom *other = &compound->atoms[neighbours->neighbour[k]];
            add_neighbour(&surroundings[i], other->element);
            if (other->charge_e > 0) neighbours_charge_e += other->charge_e;
        }
        if (atom->hydrogens > 0)
            surroundings[i].hydrogen = true;
        else if (!drawn && atom->hydrogens < 0)
            surroundings[i].hydrogen = has_hydrogen_by_type(types[i], surroundings[i].heavy, atom->charge_e);
        set_charge(&surroundings[i], types[i], atom->charge_e, neighbours_charge_e);
    }
}

qn_status qn_surroundings_of_compound(const qn_compound *compound, const qn_sybyl_type *types,
                                      qn_surroundings *surroundings)
{
    qn_compound_neighbours neighbours = {0};
    QN_TRY(qn_compound_find_neighbours(compound, &neighbours));
    find_of_compound(compound, types, &neighbours, surroundings);
    qn_compound_neighbours_clear(&neighbours);
    return QN_OK;
}

/* Both nitrogens have one type in a histidine whose name does not say which of them has the hydrogen. NE2 is assumed,
 * as it is most often the donor. */
static bool is_histidines_donor(const qn_residue *residue, const qn_atom *atom)
{
    return strcmp(residue->name, "HIS") == 0 && strcmp(atom->name, "NE2") == 0;
}

typedef struct visit_context {
    const qn_molecule *molecule;
    size_t atom;
    qn_surroundings *found;
    int neighbours_charge_e;
} visit_context;

static void visit(size_t index, void *user)
{
    visit_context *context = user;
    const qn_atom *atom = &context->molecule->atoms[context->atom], *other = &context->molecule->atoms[index];
    double square = 0, reach = qn_covalent_radius_angstrom(atom->element) + qn_covalent_radius_angstrom(other->element);
    if (index == context->atom) return;
    for (int d = 0; d < 3; d++) {
        double difference = atom->position_angstrom[d] - other->position_angstrom[d];
        square += difference * difference;
    }
    if (sqrt(square) >= QN_BOND_ALLOWANCE * reach) return;
    if (qn_covalent_radius_angstrom(atom->element) == 0 || qn_covalent_radius_angstrom(other->element) == 0) return;
    add_neighbour(context->found, other->element);
    if (other->charge_e > 0) context->neighbours_charge_e += other->charge_e;
}

static void find_of_molecule(const qn_molecule *molecule, const qn_sybyl_type *types, const qn_neighbour_grid *grid,
                             qn_surroundings *surroundings)
{
    for (size_t r = 0; r < molecule->residue_count; r++) {
        const qn_residue *residue = &molecule->residues[r];
        bool drawn = false;
        for (size_t i = residue->first_atom; i < residue->first_atom + residue->atom_count; i++)
            drawn |= qn_atom_is_hydrogen(&molecule->atoms[i]);
        for (size_t i = residue->first_atom; i < residue->first_atom + residue->atom_count; i++) {
            const qn_atom *atom = &molecule->atoms[i];
            visit_context context = {.molecule = molecule, .atom = i, .found = &surroundings[i]};
            surroundings[i] = (qn_surroundings){0};
            qn_neighbour_grid_each(grid, atom->position_angstrom, visit, &context);
            if (!drawn)
                surroundings[i].hydrogen = is_histidines_donor(residue, atom) ||
                                           has_hydrogen_by_type(types[i], surroundings[i].heavy, atom->charge_e);
            set_charge(&surroundings[i], types[i], atom->charge_e, context.neighbours_charge_e);
        }
    }
}

qn_status qn_surroundings_of_molecule(const qn_molecule *molecule, const qn_sybyl_type *types,
                                      qn_surroundings *surroundings)
{
    double *positions = NULL;
    qn_neighbour_grid *grid = NULL;
    QN_TRY(qn_allocate(3 * molecule->atom_count, sizeof *positions, (void **)&positions));
    for (size_t i = 0; i < molecule->atom_count; i++)
        memcpy(positions + 3 * i, molecule->atoms[i].position_angstrom, 3 * sizeof *positions);
    qn_status status = qn_neighbour_grid_create(positions, molecule->atom_count, most_reach_angstrom, &grid);
    if (status == QN_OK) find_of_molecule(molecule, types, grid, surroundings);
    qn_neighbour_grid_destroy(&grid);
    qn_release(&positions);
    return status;
}
