/* Lists of active and passive residues as restraints, and the energy by which active residues attract. */
#include "base/error.h"
#include "base/memory.h"
#include "dock/known/restraints.h"
#include "model/residue_selection.h"

/* Largest effective distance of an active residue, as HADDOCK has it (Dominguez et al. 2003). */
#define ACTIVE_ANGSTROM 2.0

/* The strength of attraction: in a typical interface, all of whose contacts are with attracting residues, it adds up to
 * TOTAL_ENERGY. The other numbers are medians of 41 antibodies and their antigens, in models placed as in the crystal:
 * pairs of heavy atoms in contact, and residues of a partner in contact. */
#define TOTAL_ENERGY 500.0
#define INTERFACE_PAIRS 1000.0
#define INTERFACE_RESIDUES 22.0

/* The energy of a pose that satisfies all restraints asking for contact, within a tolerance: partners are rigid. Of the
 * models above, placed as in the crystal, 15 % of the restraints are satisfied at 2 Å and 56 % at 4 Å. Both energies
 * were chosen by the ranks of acceptable models of these antibodies; docs/design/docking.md has the figures. */
#define SATISFIED_ENERGY 900.0
#define TOLERANCE_ANGSTROM 2.0

/* Residues of both partners by the lists; receptor, then ligand. */
typedef struct lists {
    bool *active[2], *target[2]; /* targets are the active and the passive ones */
} lists;

static qn_status allocate_marks(const qn_molecule *const molecules[2], bool *marks[2])
{
    for (int side = 0; side < 2; side++) {
        void *memory;
        QN_TRY(qn_allocate(molecules[side]->residue_count, sizeof(bool), &memory));
        marks[side] = memory;
    }
    return QN_OK;
}

static qn_status mark_all(const char *const *selections, size_t count, const qn_molecule *const molecules[2],
                          bool *const marks[2])
{
    for (size_t i = 0; i < count; i++)
        QN_TRY(qn_residue_selection_mark(selections[i], molecules[0], molecules[1], marks[0], marks[1]));
    return QN_OK;
}

/* Mark the atoms of the residues that `residues` marks; of all residues if it marks none. */
static void mark_atoms(const qn_molecule *molecule, const bool *residues, bool *atoms)
{
    bool any = false;
    for (size_t r = 0; r < molecule->residue_count; r++) any = any || residues[r];
    for (size_t i = 0; i < molecule->atom_count; i++) atoms[i] = !any || residues[molecule->atoms[i].residue];
}

/* Add a restraint for each active residue of one partner. `atoms` has room for the marks of both partners. */
static qn_status restrain_side(const lists *of, int side, const qn_molecule *const molecules[2], bool *const atoms[2],
                               qn_dock_restraints *restraints)
{
    const qn_molecule *molecule = molecules[side];
    const bool *both[2] = {atoms[0], atoms[1]};
    mark_atoms(molecules[!side], of->target[!side], atoms[!side]);
    for (size_t r = 0; r < molecule->residue_count; r++) {
        if (!of->active[side][r]) continue;
        const qn_residue *residue = &molecule->residues[r];
        for (size_t i = 0; i < molecule->atom_count; i++) atoms[side][i] = molecule->atoms[i].residue == (int)r;
        const size_t before = restraints->ambiguous.sides[side].point_count;
        QN_TRY(qn_dock_ambiguous_add(molecules, both, ACTIVE_ANGSTROM, &restraints->ambiguous));
        if (restraints->ambiguous.sides[side].point_count == before)
            return QN_FAIL(QN_BAD_FORMAT, "the active residue %s %d of the %s has no heavy atom; expected one",
                           residue->name, residue->number, side ? "ligand" : "receptor");
        restraints->attracting[side][r] = true;
    }
    return QN_OK;
}

static qn_status restrain(const lists *of, const qn_molecule *const molecules[2], qn_dock_restraints *restraints)
{
    void *memory;
    QN_TRY(qn_allocate(molecules[0]->atom_count + molecules[1]->atom_count, sizeof(bool), &memory));
    bool *const atoms[2] = {memory, (bool *)memory + molecules[0]->atom_count};
    qn_status status = QN_OK;
    if (!restraints->attracting[0]) status = allocate_marks(molecules, restraints->attracting);
    for (int side = 0; side < 2 && status == QN_OK; side++)
        status = restrain_side(of, side, molecules, atoms, restraints);
    qn_release(&memory);
    return status;
}

qn_status qn_dock_restraints_add_active(const char *const *active, size_t active_count, const char *const *passive,
                                        size_t passive_count, const qn_molecule *receptor, const qn_molecule *ligand,
                                        qn_dock_restraints *restraints)
{
    const qn_molecule *molecules[2] = {receptor, ligand};
    lists of = {0};
    if (active_count == 0 && passive_count == 0) return QN_OK;
    if (active_count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "the residues \"%s\" are passive, and none is active; expected active residues, which passive "
                       "ones are the targets of",
                       passive[0]);
    qn_status status = allocate_marks(molecules, of.active);
    if (status == QN_OK) status = allocate_marks(molecules, of.target);
    if (status == QN_OK) status = mark_all(active, active_count, molecules, of.active);
    if (status == QN_OK) status = mark_all(active, active_count, molecules, of.target);
    if (status == QN_OK) status = mark_all(passive, passive_count, molecules, of.target);
    if (status == QN_OK) status = restrain(&of, molecules, restraints);
    for (int side = 0; side < 2; side++) {
        qn_release(&of.active[side]);
        qn_release(&of.target[side]);
    }
    return status;
}

static size_t count_marks(const bool *marks, size_t count)
{
    size_t marked = 0;
    for (size_t i = 0; marks && i < count; i++) marked += marks[i];
    return marked;
}

/* Both partners' shares of the total are equal. A list of fewer residues than an interface has gets its share by fewer
 * contacts, so each of them gains more. */
void qn_dock_restraints_attract(const qn_dock_restraints *restraints, const qn_molecule *receptor,
                                const qn_molecule *ligand, double *of_receptor, double *of_ligand)
{
    const qn_molecule *molecules[2] = {receptor, ligand};
    double *const energies[2] = {of_receptor, of_ligand};
    size_t counts[2];
    for (int side = 0; side < 2; side++)
        counts[side] = count_marks(restraints->attracting[side], molecules[side]->residue_count);
    const int sides = (counts[0] > 0) + (counts[1] > 0);
    for (int side = 0; side < 2; side++) {
        if (counts[side] == 0) continue;
        const double share = counts[side] < INTERFACE_RESIDUES ? (double)counts[side] / INTERFACE_RESIDUES : 1;
        const double bonus = restraints->strength * TOTAL_ENERGY / (sides * INTERFACE_PAIRS * share);
        for (size_t r = 0; r < molecules[side]->residue_count; r++)
            if (restraints->attracting[side][r]) energies[side][r] -= bonus;
    }
}

double qn_dock_restraints_energy(const qn_dock_restraints *restraints, const double matrix[9],
                                 const double translation_angstrom[3])
{
    size_t satisfied = 0, contacts = 0;
    if (restraints->strength == 0) return 0;
    for (size_t i = 0; i < restraints->ambiguous.count; i++) {
        if (!restraints->ambiguous.list[i].contact) continue;
        contacts++;
        satisfied +=
            qn_dock_ambiguous_satisfied(&restraints->ambiguous, i, TOLERANCE_ANGSTROM, matrix, translation_angstrom);
    }
    return contacts ? -restraints->strength * SATISFIED_ENERGY * (double)satisfied / (double)contacts : 0;
}
