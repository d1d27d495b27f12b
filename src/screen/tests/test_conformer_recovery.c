/* Conformers that are made from random torsions come near the conformer of the crystal. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chemistry/conformers.h"
#include "chemistry/symmetry.h"
#include "format/compound/compound_stream.h"
#include "math/random.h"
#include "math/superpose.h"
#include "score/ligand.h"

static qn_compound *read_one(const char *path)
{
    qn_compound **compounds, *compound;
    size_t count;
    if (!CHECK_OK(qn_compound_read_file(path, &compounds, &count)) || count == 0) exit(check_finish());
    compound = compounds[0];
    for (size_t i = 1; i < count; i++) qn_compound_destroy(&compounds[i]);
    qn_release(&compounds);
    CHECK_OK(qn_score_ligand_prepare(compound)); /* PDBQT has no bonds */
    return compound;
}

/* Smallest heavy-atom RMSD after superposition, over all mappings of the symmetry. */
static double superposed_rmsd(const qn_symmetry *symmetry, const double *a, const double *b)
{
    enum { MAX = 100 };
    double best = INFINITY, x[3 * MAX], y[3 * MAX], rotation[9], translation[3], rmsd = INFINITY;
    const size_t count = symmetry->atom_count;
    if (!CHECK(count <= MAX)) return INFINITY;
    for (size_t m = 0; m < symmetry->count; m++) {
        for (size_t i = 0; i < count; i++) {
            memcpy(x + 3 * i, a + 3 * symmetry->atoms[i], 3 * sizeof(double));
            memcpy(y + 3 * i, b + 3 * symmetry->atoms[symmetry->mappings[m * count + i]], 3 * sizeof(double));
        }
        CHECK_OK(qn_superpose(x, y, count, rotation, translation, &rmsd));
        best = fmin(best, rmsd);
    }
    return best;
}

/* Turn the atoms beyond the bond from `tail` to `head` by Rodrigues' formula. These atoms are found by following bonds
 * from the head. */
static void turn(qn_compound *compound, int tail, int head, double angle)
{
    double *x = qn_compound_positions(compound, 0), axis[3], length = 0;
    bool beyond[200] = {false};
    if (!CHECK(compound->atom_count <= 200)) return;
    beyond[head] = true;
    for (bool grown = true; grown;) {
        grown = false;
        for (size_t i = 0; i < compound->bond_count; i++) {
            const int a = compound->bonds[i].first, b = compound->bonds[i].second;
            if (beyond[a] == beyond[b] || (a == tail && b == head) || (a == head && b == tail)) continue;
            beyond[a] = beyond[b] = grown = true;
        }
    }
    for (int k = 0; k < 3; k++) axis[k] = x[3 * head + k] - x[3 * tail + k];
    for (int k = 0; k < 3; k++) length += axis[k] * axis[k];
    for (int k = 0; k < 3; k++) axis[k] /= sqrt(length);
    for (size_t i = 0; i < compound->atom_count; i++) {
        double v[3], along = 0;
        if (!beyond[i]) continue;
        for (int k = 0; k < 3; k++) {
            v[k] = x[3 * i + k] - x[3 * head + k];
            along += v[k] * axis[k];
        }
        for (int k = 0; k < 3; k++) {
            const int l = (k + 1) % 3, m = (k + 2) % 3;
            x[3 * i + k] = x[3 * head + k] + v[k] * cos(angle) + (axis[l] * v[m] - axis[m] * v[l]) * sin(angle) +
                           axis[k] * along * (1 - cos(angle));
        }
    }
}

static void randomise_torsions(qn_compound *compound, uint64_t seed)
{
    int bonds[300];
    size_t count = 0;
    if (!CHECK(compound->bond_count <= 300)) return;
    CHECK_OK(qn_conformers_rotatable_bonds(compound, bonds, &count));
    for (size_t i = 0; i < count; i++) {
        const qn_compound_bond *bond = &compound->bonds[bonds[i]];
        turn(compound, bond->first, bond->second, 6.283185307179586 * qn_random_uniform(seed, 9, i));
    }
}

/* Check the RMSD from the crystal of the nearest of 20 and of the nearest of 100 conformers, as means over three
 * starts. */
static void recover(const char *name, const char *path, double of_20, double of_100)
{
    enum { STARTS = 3 };
    double start = 0, nearest[2] = {0, 0};
    qn_symmetry symmetry;
    qn_compound *crystal = read_one(path);
    CHECK_OK(qn_symmetry_find(crystal, 100, &symmetry, NULL));
    for (uint64_t seed = 1; seed <= STARTS; seed++) {
        qn_compound *compound = read_one(path);
        const double *x = qn_compound_positions(crystal, 0);
        double best = INFINITY;
        randomise_torsions(compound, seed);
        start += superposed_rmsd(&symmetry, x, qn_compound_positions(compound, 0)) / STARTS;
        CHECK_OK(qn_conformers_make(compound, &(qn_conformer_options){.count = 100, .seed = seed}));
        CHECK(compound->conformer_count >= 20);
        for (size_t i = 0; i < compound->conformer_count; i++) {
            best = fmin(best, superposed_rmsd(&symmetry, x, qn_compound_positions(compound, i)));
            if (i == 19) nearest[0] += best / STARTS;
        }
        nearest[1] += best / STARTS;
        qn_compound_destroy(&compound);
    }
    printf("%s: starts %.2f Å from the crystal, nearest of 20 %.2f Å, of 100 %.2f Å\n", name, start, nearest[0],
           nearest[1]);
    CHECK(nearest[0] < of_20);
    CHECK(nearest[1] < of_100);
    CHECK(nearest[0] < start);
    qn_symmetry_clear(&symmetry);
    qn_compound_destroy(&crystal);
}

static void imatinib_gets_twenty_distinct_conformers(void)
{
    qn_compound *compound = read_one(check_data("../../examples/1iep/1iep_ligand.sdf"));
    qn_symmetry symmetry;
    CHECK_OK(qn_symmetry_find(compound, 100, &symmetry, NULL));
    CHECK(symmetry.count == 4 && symmetry.atom_count == 37);
    CHECK_OK(qn_conformers_make(compound, &(qn_conformer_options){.count = 20, .seed = 1}));
    CHECK(compound->conformer_count == 20);
    double closest = INFINITY;
    for (size_t i = 0; i < compound->conformer_count; i++)
        for (size_t j = 0; j < i; j++)
            closest = fmin(closest, superposed_rmsd(&symmetry, qn_compound_positions(compound, i),
                                                    qn_compound_positions(compound, j)));
    CHECK(closest >= 0.8);
    qn_symmetry_clear(&symmetry);
    qn_compound_destroy(&compound);
}

/* Limits: RMSDs that random torsions without energies reach for ligands of this size, with a margin for other seeds. */
static void crystal_conformers_are_found_again(void)
{
    recover("imatinib of 1IEP", check_data("../../examples/1iep/1iep_ligand.sdf"), 1.9, 1.5);
    const char *biotin = check_reference_data("docking/ligand/1stp/1stp_ligand_crystal.sdf");
    if (biotin) recover("biotin of 1STP", biotin, 1.0, 0.8);
    const char *inhibitor = check_reference_data("docking/ligand/3ce3/3ce3_ligand.pdbqt");
    if (inhibitor) recover("inhibitor of 3CE3", inhibitor, 1.6, 1.4);
}

int main(void)
{
    RUN(imatinib_gets_twenty_distinct_conformers);
    RUN(crystal_conformers_are_found_again);
    return check_finish();
}
