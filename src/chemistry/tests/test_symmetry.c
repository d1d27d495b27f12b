#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chemistry/symmetry.h"
#include "math/random.h"

/* Make a compound of one-letter elements ("CCO") with bonds as pairs of atom indices. */
static qn_compound *make(const char *elements, const int (*bonds)[2], size_t bond_count)
{
    const size_t atoms = strlen(elements);
    qn_compound *compound = NULL;
    if (!CHECK_OK(qn_compound_create("", atoms, bond_count, 1, &compound))) exit(check_finish());
    for (size_t i = 0; i < atoms; i++) compound->atoms[i].element[0] = elements[i];
    for (size_t i = 0; i < bond_count; i++)
        compound->bonds[i] = (qn_compound_bond){bonds[i][0], bonds[i][1], QN_BOND_SINGLE};
    return compound;
}

#define MAKE(elements, bonds) make(elements, bonds, sizeof(bonds) / sizeof((bonds)[0]))

static size_t count_and_destroy(qn_compound *compound)
{
    qn_symmetry symmetry;
    bool complete = false;
    CHECK_OK(qn_symmetry_find(compound, 1000, &symmetry, &complete));
    CHECK(complete);
    const size_t count = symmetry.count;
    qn_symmetry_clear(&symmetry);
    qn_compound_destroy(&compound);
    return count;
}

static const int ring[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}};

static void benzene_has_twelve_mappings_with_or_without_hydrogens(void)
{
    static const int drawn[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5},  {5, 0},
                                   {0, 6}, {1, 7}, {2, 8}, {3, 9}, {4, 10}, {5, 11}};
    CHECK(count_and_destroy(MAKE("CCCCCC", ring)) == 12);
    CHECK(count_and_destroy(MAKE("CCCCCCHHHHHH", drawn)) == 12);
    CHECK(count_and_destroy(MAKE("NCCCCC", ring)) == 2); /* pyridine: identity and reflection */
}

static void groups_of_equivalent_atoms_are_permuted(void)
{
    static const int star[][2] = {{0, 1}, {1, 2}, {1, 3}, {1, 4}};
    static const int fork[][2] = {{0, 1}, {1, 2}, {1, 3}};
    static const int rings[][2] = {{0, 1}, {1, 2}, {2, 3},  {3, 4},   {4, 5},  {5, 0}, {6, 7},
                                   {7, 8}, {8, 9}, {9, 10}, {10, 11}, {11, 6}, {0, 6}};
    CHECK(count_and_destroy(MAKE("CCOO", fork)) == 2);          /* acetate */
    CHECK(count_and_destroy(MAKE("OCCCC", star)) == 6);         /* tert-butanol */
    CHECK(count_and_destroy(MAKE("CCFFF", star)) == 6);         /* trifluoroethane */
    CHECK(count_and_destroy(MAKE("CCFFO", star)) == 2);         /* two of three */
    CHECK(count_and_destroy(MAKE("CCCCCCCCCCCC", rings)) == 8); /* biphenyl: each ring flips, and the rings swap */
    CHECK(count_and_destroy(MAKE("NCCCCCCCCCCC", rings)) ==
          4); /* the nitrogen of one ring is bound to the other: both flip */
    CHECK(count_and_destroy(MAKE("CNCCCCCCCCCC", rings)) == 2); /* phenylpyridine: only the phenyl flips */
}

/* Of methylpiperazinylmethyl, phenylene, amide, methylphenyl, amine, pyrimidine and pyridine, the phenylene and the
 * piperazine flip. */
static void imatinib_has_four_mappings(void)
{
    static const int bonds[][2] = {
        {0, 1},   {1, 2},   {2, 3},   {3, 4},   {4, 5},   {5, 6},   {6, 1},   {4, 7},   {7, 8},   {8, 9},   {9, 10},
        {10, 11}, {11, 12}, {12, 13}, {13, 8},  {11, 14}, {14, 15}, {14, 16}, {16, 17}, {17, 18}, {18, 19}, {19, 20},
        {20, 21}, {21, 22}, {22, 17}, {20, 23}, {21, 24}, {24, 25}, {25, 26}, {26, 27}, {27, 28}, {28, 29}, {29, 30},
        {30, 25}, {27, 31}, {31, 32}, {32, 33}, {33, 34}, {34, 35}, {35, 36}, {36, 31}};
    CHECK(count_and_destroy(MAKE("CNCCNCCCCCCCCCCONCCCCCCCNCNCCCNCCNCCC", bonds)) == 4);
}

static void cages_have_their_symmetry(void)
{
    static const int cube[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                  {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    CHECK(count_and_destroy(MAKE("CCCCCCCC", cube)) == 48);

    /* Buckminsterfullerene: vertices are the even permutations of three kinds of points, with edges of length 2 (in
     * units of half an edge); its group has 120 elements. */
    const double golden = (1 + sqrt(5.0)) / 2;
    const double kinds[3][3] = {{0, 1, 3 * golden}, {1, 2 + golden, 2 * golden}, {2, 1 + 2 * golden, golden}};
    double corner[60][3];
    int count = 0, bonds[90][2], bond_count = 0;
    char elements[61] = {0};
    for (int kind = 0; kind < 3; kind++)
        for (int turn = 0; turn < 3; turn++)
            for (int signs = kind == 0 ? 1 : 0; signs < 8; signs += kind == 0 ? 2 : 1) {
                for (int axis = 0; axis < 3; axis++)
                    corner[count][(axis + turn) % 3] = kinds[kind][axis] * ((signs >> axis) & 1 ? 1 : -1);
                elements[count++] = 'C';
            }
    for (int i = 0; i < 60; i++)
        for (int j = i + 1; j < 60; j++) {
            double square = 0;
            for (int axis = 0; axis < 3; axis++) square += pow(corner[i][axis] - corner[j][axis], 2);
            if (square > 4.01 || bond_count == 90) continue;
            bonds[bond_count][0] = i;
            bonds[bond_count++][1] = j;
        }
    CHECK(count == 60 && bond_count == 90);
    CHECK(count_and_destroy(MAKE(elements, bonds)) == 120);
}

static void equal_molecules_are_swapped_and_hydrogen_has_one_mapping(void)
{
    static const int two[][2] = {{0, 1}, {1, 2}, {1, 3}, {4, 5}, {5, 6}, {5, 7}};
    static const int hydrogen[][2] = {{0, 1}};
    CHECK(count_and_destroy(MAKE("CCOOCCOO", two)) == 8);
    CHECK(count_and_destroy(make("OOO", NULL, 0)) == 6);
    CHECK(count_and_destroy(MAKE("HH", hydrogen)) == 1);
    CHECK(count_and_destroy(make("", NULL, 0)) == 1);
}

static bool is_automorphism(const qn_compound *compound, const int *mapping, bool bound[8][8])
{
    for (size_t i = 0; i < compound->atom_count; i++) {
        if (compound->atoms[i].element[0] != compound->atoms[mapping[i]].element[0]) return false;
        for (size_t j = 0; j < i; j++)
            if (bound[i][j] != bound[mapping[i]][mapping[j]]) return false;
    }
    return true;
}

/* Make the next permutation in lexicographic order; false: it was the last. */
static bool permute(int *values, int count)
{
    int i = count - 2, j = count - 1;
    while (i >= 0 && values[i] > values[i + 1]) i--;
    if (i < 0) return false;
    while (values[j] < values[i]) j--;
    int kept = values[i];
    values[i] = values[j];
    values[j] = kept;
    for (int low = i + 1, high = count - 1; low < high; low++, high--) {
        kept = values[low];
        values[low] = values[high];
        values[high] = kept;
    }
    return true;
}

static void small_graphs_agree_with_trying_all_permutations(void)
{
    enum { ATOMS = 7 };
    for (uint64_t trial = 0; trial < 60; trial++) {
        int bonds[21][2], bond_count = 0, mapping[ATOMS];
        char elements[ATOMS + 1] = {0};
        bool bound[8][8] = {{false}};
        for (int i = 0; i < ATOMS; i++) {
            mapping[i] = i;
            elements[i] = qn_random_uniform(1, trial, (uint64_t)i) < 0.85 ? 'C' : 'N';
            for (int j = 0; j < i; j++) {
                if (qn_random_uniform(2, trial, (uint64_t)(8 * i + j)) > 0.15 * (double)(1 + trial % 5)) continue;
                bound[i][j] = bound[j][i] = true;
                bonds[bond_count][0] = i;
                bonds[bond_count++][1] = j;
            }
        }
        qn_compound *compound = make(elements, bonds, (size_t)bond_count);
        size_t expected = 0;
        do {
            expected += is_automorphism(compound, mapping, bound);
        } while (permute(mapping, ATOMS));
        qn_symmetry symmetry;
        bool complete = false, right = true;
        CHECK_OK(qn_symmetry_find(compound, 6000, &symmetry, &complete));
        CHECK(complete && symmetry.count == expected);
        for (size_t m = 0; m < symmetry.count; m++) {
            right = right && is_automorphism(compound, symmetry.mappings + m * ATOMS, bound);
            right = right && (m == 0 || memcmp(symmetry.mappings + m * ATOMS, symmetry.mappings + (m - 1) * ATOMS,
                                               ATOMS * sizeof(int)) != 0);
        }
        for (int i = 0; i < ATOMS; i++) right = right && symmetry.mappings[i] == i;
        CHECK(right);
        qn_symmetry_clear(&symmetry);
        qn_compound_destroy(&compound);
    }
}

static void mappings_and_search_steps_are_bounded(void)
{
    qn_compound *benzene = MAKE("CCCCCC", ring), *salt = make("OOOOOOOOOOOO", NULL, 0);
    qn_symmetry symmetry;
    bool complete = true;
    CHECK_OK(qn_symmetry_find(benzene, 5, &symmetry, &complete));
    CHECK(symmetry.count == 5 && !complete);
    for (int i = 0; i < 6; i++) CHECK(symmetry.mappings[i] == i);
    qn_symmetry_clear(&symmetry);
    CHECK_OK(qn_symmetry_find(benzene, 12, &symmetry, &complete));
    CHECK(symmetry.count == 12 && complete);
    qn_symmetry_clear(&symmetry);
    CHECK_OK(qn_symmetry_find(salt, (size_t)-1, &symmetry, &complete)); /* 12! = 479001600 of them */
    CHECK(symmetry.count > 0 && symmetry.count < 2000000 && !complete);
    qn_symmetry_clear(&symmetry);
    qn_compound_destroy(&benzene);
    qn_compound_destroy(&salt);
}

static void rmsd_takes_the_best_mapping_of_heavy_atoms(void)
{
    static const int bonds[][2] = {{0, 1}, {1, 2}, {1, 3}, {0, 4}};
    static const double acetate[] = {0, 0, 0, 1.5, 0, 0, 2.1, 1.1, 0, 2.1, -1.1, 0, -1, 0, 0};
    static const double swapped[] = {0, 0, 0, 1.5, 0, 0, 2.1, -1.1, 0, 2.1, 1.1, 0, 9, 9, 9};
    qn_compound *compound = MAKE("CCOOH", bonds);
    qn_symmetry symmetry;
    double moved[15];
    CHECK_OK(qn_symmetry_find(compound, 100, &symmetry, NULL));
    CHECK(symmetry.atom_count == 4);
    CHECK_NEAR(qn_symmetry_rmsd_angstrom(&symmetry, acetate, swapped), 0, 1e-12);
    for (int i = 0; i < 15; i++) moved[i] = swapped[i] + (i % 3 == 0 ? 0.3 : i % 3 == 1 ? 0.4 : 0);
    CHECK_NEAR(qn_symmetry_rmsd_angstrom(&symmetry, acetate, moved), 0.5, 1e-12);
    for (int i = 0; i < 15; i++) moved[i] = acetate[i] + (i % 3 == 0 ? 0.3 : i % 3 == 1 ? 0.4 : 0);
    CHECK_NEAR(qn_symmetry_rmsd_angstrom(&symmetry, acetate, moved), 0.5, 1e-12); /* the other mapping is worse */
    /* With the identity mapping the oxygens cost 2 · 2.2² = 9.68 Å² over 4 atoms. */
    symmetry.count = 1;
    CHECK_NEAR(qn_symmetry_rmsd_angstrom(&symmetry, acetate, swapped), sqrt(9.68 / 4), 1e-12);
    qn_symmetry_clear(&symmetry);
    CHECK(symmetry.mappings == NULL && symmetry.atoms == NULL);
    qn_compound_destroy(&compound);
}

/* Phenylpyridine, and the same with its atoms in another order and hydrogens between them. */
static void molecules_are_matched_in_any_order(void)
{
    static const int bonds[][2] = {{0, 1}, {1, 2}, {2, 3},  {3, 4},   {4, 5},  {5, 0}, {6, 7},
                                   {7, 8}, {8, 9}, {9, 10}, {10, 11}, {11, 6}, {0, 6}};
    static const int place[] = {7, 3, 12, 0, 9, 2, 5, 11, 1, 8, 4, 10}; /* of atom i; 6 and 13 are hydrogens */
    int shuffled[15][2], mapping[12], heavy[14] = {0};
    char elements[15] = "CCCCCCHCCCCCCH";
    bool found = false;
    for (int i = 0; i < 13; i++)
        for (int end = 0; end < 2; end++) shuffled[i][end] = place[bonds[i][end]];
    shuffled[13][0] = 6, shuffled[13][1] = place[3];
    shuffled[14][0] = 13, shuffled[14][1] = place[9];
    elements[place[1]] = 'N';
    for (int i = 0, count = 0; i < 14; i++) heavy[i] = elements[i] == 'H' ? -1 : count++;
    qn_compound *first = MAKE("CNCCCCCCCCCC", bonds), *second = MAKE(elements, shuffled);
    qn_compound *other = MAKE("CCNCCCCCCCCC", bonds), *shorter = MAKE("CNCCCCCCCCC", ring);
    CHECK_OK(qn_symmetry_match(first, second, mapping, &found));
    if (CHECK(found)) {
        CHECK(mapping[0] == heavy[place[0]] && mapping[1] == heavy[place[1]] && mapping[5] == heavy[place[5]]);
        CHECK(mapping[7] == heavy[place[7]] || mapping[7] == heavy[place[11]]); /* the phenyl may flip */
    }
    CHECK_OK(qn_symmetry_match(second, first, mapping, &found));
    CHECK(found && mapping[heavy[place[1]]] == 1);
    CHECK_OK(qn_symmetry_match(first, other, mapping, &found));
    CHECK(!found);
    CHECK_OK(qn_symmetry_match(first, shorter, mapping, &found));
    CHECK(!found);
    qn_compound_destroy(&first);
    qn_compound_destroy(&second);
    qn_compound_destroy(&other);
    qn_compound_destroy(&shorter);
}

int main(void)
{
    RUN(benzene_has_twelve_mappings_with_or_without_hydrogens);
    RUN(groups_of_equivalent_atoms_are_permuted);
    RUN(imatinib_has_four_mappings);
    RUN(cages_have_their_symmetry);
    RUN(equal_molecules_are_swapped_and_hydrogen_has_one_mapping);
    RUN(small_graphs_agree_with_trying_all_permutations);
    RUN(mappings_and_search_steps_are_bounded);
    RUN(rmsd_takes_the_best_mapping_of_heavy_atoms);
    RUN(molecules_are_matched_in_any_order);
    return check_finish();
}
