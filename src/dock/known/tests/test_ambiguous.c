/* Ambiguous restraints against sums over all pairs of atoms. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "dock/known/ambiguous.h"
#include "math/random.h"
#include "math/rotation.h"

enum { RESIDUES = 9, ATOMS = 5 }; /* of each molecule; the last atom of a residue is a hydrogen */

static double random_number(uint64_t *at)
{
    return qn_random_uniform(7, 0, (*at)++);
}

/* Residues with atoms within 2 Å of points in a cube of 20 Å. */
static qn_molecule *make_molecule(uint64_t *at)
{
    qn_molecule *molecule;
    CHECK_OK(qn_molecule_create("m", &molecule));
    for (int r = 0; r < RESIDUES; r++) {
        qn_residue residue = {.number = r + 1, .chain = "A", .name = "ALA"};
        double centre[3];
        for (int axis = 0; axis < 3; axis++) centre[axis] = 20 * random_number(at);
        CHECK_OK(qn_molecule_append_residue(molecule, &residue));
        for (int i = 0; i < ATOMS; i++) {
            qn_atom atom = {.name = "C"};
            strcpy(atom.element, i == ATOMS - 1 ? "H" : "C");
            for (int axis = 0; axis < 3; axis++)
                atom.position_angstrom[axis] = centre[axis] + 2 * random_number(at) - 1;
            CHECK_OK(qn_molecule_append_atom(molecule, &atom));
        }
    }
    return molecule;
}

/* The effective distance over all pairs of marked heavy atoms. */
static double effective(const qn_molecule *const molecules[2], const bool *const atoms[2], const double matrix[9],
                        const double translation[3])
{
    double sum = 0;
    for (size_t i = 0; i < molecules[0]->atom_count; i++)
        for (size_t j = 0; j < molecules[1]->atom_count; j++) {
            const double *a = molecules[0]->atoms[i].position_angstrom, *x = molecules[1]->atoms[j].position_angstrom;
            double squared = 0;
            if (!atoms[0][i] || !atoms[1][j] || i % ATOMS == ATOMS - 1 || j % ATOMS == ATOMS - 1) continue;
            for (int axis = 0; axis < 3; axis++) {
                const double *row = matrix + 3 * axis;
                squared += pow(row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + translation[axis] - a[axis], 2);
            }
            sum += pow(sqrt(squared), -6);
        }
    return pow(sum, -1.0 / 6);
}

/* Distances within 1 % of the maximum may be judged either way, because far residues are summed
 * through their centres. */
static void satisfaction_is_that_of_all_pairs(void)
{
    uint64_t at = 0;
    size_t yes = 0, no = 0;
    for (int trial = 0; trial < 400; trial++) {
        bool marks[2][RESIDUES * ATOMS] = {{false}};
        const bool *atoms[2] = {marks[0], marks[1]};
        const qn_molecule *molecules[2] = {make_molecule(&at), make_molecule(&at)};
        qn_dock_ambiguous restraints = {0};
        double matrix[9], translation[3];
        const double maximum = trial % 2 ? 4.5 + 2 * random_number(&at) : 6 + 15 * random_number(&at);
        qn_rotation_from_seed((uint64_t)trial + 1, matrix);
        for (int axis = 0; axis < 3; axis++)
            translation[axis] = (trial % 2 ? 10 : 70) * random_number(&at) - (trial % 2 ? 5 : 20);
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < RESIDUES * ATOMS; i++) marks[side][i] = i < ATOMS || random_number(&at) < 0.4;
        CHECK_OK(qn_dock_ambiguous_add(molecules, atoms, maximum - trial % 5, &restraints));
        const double distance = effective(molecules, atoms, matrix, translation);
        const bool satisfied = qn_dock_ambiguous_satisfied(&restraints, 0, trial % 5, matrix, translation);
        if (fabs(distance / maximum - 1) > 0.01 && !CHECK(satisfied == (distance <= maximum)))
            printf("distance %g, maximum %g\n", distance, maximum);
        *(satisfied ? &yes : &no) += 1;
        qn_dock_ambiguous_clear(&restraints);
        for (int side = 0; side < 2; side++) qn_molecule_destroy((qn_molecule **)&molecules[side]);
    }
    printf("%zu satisfied, %zu not\n", yes, no);
    CHECK(yes > 100 && no > 100);
}

/* Two atoms of one residue at 3 Å and 4 Å: (3^-6 + 4^-6)^(-1/6) = 2.914 Å. */
static void effective_distances_are_those_of_hand_calculation(void)
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, none[3] = {0, 0, 0};
    bool one[1] = {true}, two[3] = {true, true, true};
    const bool *atoms[2] = {one, two};
    qn_molecule *receptor, *ligand;
    qn_dock_ambiguous restraints = {0};
    CHECK_OK(qn_molecule_create("r", &receptor));
    CHECK_OK(qn_molecule_create("l", &ligand));
    CHECK_OK(qn_molecule_append_residue(receptor, &(qn_residue){.number = 1}));
    CHECK_OK(qn_molecule_append_residue(ligand, &(qn_residue){.number = 1}));
    CHECK_OK(qn_molecule_append_atom(receptor, &(qn_atom){.name = "C", .element = "C"}));
    CHECK_OK(qn_molecule_append_atom(ligand, &(qn_atom){{3, 0, 0}, .name = "C", .element = "C"}));
    CHECK_OK(qn_molecule_append_atom(ligand, &(qn_atom){{0, 4, 0}, .name = "O", .element = "O"}));
    CHECK_OK(qn_molecule_append_atom(ligand, &(qn_atom){{0, 0, 1}, .name = "H", .element = "H"}));
    const qn_molecule *molecules[2] = {receptor, ligand};
    CHECK_OK(qn_dock_ambiguous_add(molecules, atoms, 2.92, &restraints));
    CHECK_OK(qn_dock_ambiguous_add(molecules, atoms, 2.91, &restraints));
    CHECK(restraints.count == 2 && restraints.list[0].single);
    CHECK(qn_dock_ambiguous_satisfied(&restraints, 0, 0, identity, none));
    CHECK(!qn_dock_ambiguous_satisfied(&restraints, 1, 0, identity, none));
    CHECK(qn_dock_ambiguous_satisfied(&restraints, 1, 0.01, identity, none));
    /* Atoms at the same place are close. */
    CHECK(qn_dock_ambiguous_satisfied(&restraints, 1, 0, identity, (double[3]){-3, 0, 0}));
    qn_dock_ambiguous_clear(&restraints);
    CHECK(restraints.count == 0 && !restraints.list);
    qn_molecule_destroy(&receptor);
    qn_molecule_destroy(&ligand);
}

int main(void)
{
    RUN(effective_distances_are_those_of_hand_calculation);
    RUN(satisfaction_is_that_of_all_pairs);
    return check_finish();
}
