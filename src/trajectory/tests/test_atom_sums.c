/* Sums over blocks of atoms: compared with plain sums for various selections, and the same bits at all levels of
 * instruction sets. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trajectory/query/molecules.h"
#include "trajectory/query/moments.h"
#include "trajectory/query/slabs.h"

enum { ATOMS = 1500, SLABS_MAX = 7 };

static float positions[3 * ATOMS];
static double masses[ATOMS + QN_SUM_LANES], charges[ATOMS + QN_SUM_LANES];
static uint32_t atoms[ATOMS], molecule_of[ATOMS];
static size_t count;
static qn_trajectory_frame frame = {.atom_count = ATOMS, .positions_nm = positions};

/* Select every step-th atom from atom `first` on, at most `most` atoms; step 1: contiguous atoms. */
static void select_atoms(size_t first, size_t step, size_t most)
{
    count = 0;
    for (size_t i = first; i < ATOMS && count < most; i += step) atoms[count++] = (uint32_t)i;
}

static void make_atoms(void)
{
    for (size_t i = 0; i < ATOMS; i++) {
        for (size_t k = 0; k < 3; k++) positions[3 * i + k] = (float)(5 * sin(1.7 * (double)(3 * i + k)) + 4);
        masses[i] = 1 + fmod(0.37 * (double)i, 15);
        charges[i] = cos(2.1 * (double)i);
    }
}

static qn_query_frame query_frame(void **scratch)
{
    return (qn_query_frame){.frame = &frame, .atoms = {atoms}, .atom_count = {count}, .scratch = scratch};
}

static bool near(double value, double expected, double scale)
{
    return fabs(value - expected) <= 1e-12 * scale;
}

/* ---- moments ---- */

static void check_moments(void)
{
    static const int rows[6] = {0, 0, 0, 1, 1, 2}, columns[6] = {0, 1, 2, 1, 2, 2};
    const qn_atom_weights weights = {.values = masses};
    const qn_query_frame of = query_frame(NULL);
    double weight = 0, first[3] = {0}, second[6] = {0};
    qn_moments moments;
    for (size_t i = 0; i < count; i++) {
        double d[3];
        weight += masses[atoms[i]];
        for (int k = 0; k < 3; k++) d[k] = (double)positions[3 * atoms[i] + k] - positions[3 * atoms[0] + k];
        for (int k = 0; k < 3; k++) first[k] += masses[atoms[i]] * d[k];
        for (int k = 0; k < 6; k++) second[k] += masses[atoms[i]] * d[rows[k]] * d[columns[k]];
    }
    qn_moments_sum(&of, 0, &weights, QN_MOMENTS_ZEROTH, &moments);
    CHECK(near(moments.weight, weight, weight) && moments.first[0] == 0);
    qn_moments_sum(&of, 0, &weights, QN_MOMENTS_FIRST, &moments);
    for (int k = 0; k < 3; k++) CHECK(near(moments.first[k], first[k], 10 * weight) && moments.second[k] == 0);
    qn_moments_sum(&of, 0, &weights, QN_MOMENTS_SECOND, &moments);
    for (int k = 0; k < 3; k++) CHECK(near(moments.first[k], first[k], 10 * weight));
    for (int k = 0; k < 6; k++) CHECK(near(moments.second[k], second[k], 100 * weight));
}

static void moments_equal_plain_sums_for_any_selection(void)
{
    static const size_t most[] = {1, 2, 3, 4, 5, 255, 256, 257, 600, ATOMS};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        select_atoms(0, 1, most[i]);
        check_moments();
        select_atoms(3, 2, most[i]);
        check_moments();
    }
    select_atoms(ATOMS - 5, 1, 5); /* nothing is read beyond the last atom */
    check_moments();
}

/* ---- slabs ---- */

static void slabs_of_blocks_equal_those_of_single_atoms(void)
{
    static const double vectors[9] = {3, 0, 0, 0.4, 2.7, 0, -0.8, 0.5, 2.9};
    const qn_atom_sums *sums = QN_HOST_SELECT(qn_atom_sums_host);
    int32_t found[QN_ATOM_BLOCK];
    qn_box box;
    if (!CHECK_OK(qn_box_from_vectors(vectors, &box))) return;
    positions[3 * 5] = NAN;
    positions[3 * 6 + 2] = INFINITY;
    positions[3 * 7 + 1] = 3e30F;
    for (int axis = 0; axis < 3; axis++) {
        const qn_slabs slabs = {.axis = axis, .count = SLABS_MAX};
        const qn_slab_rule rule = qn_slabs_rule(&slabs, &box, 0.3);
        for (size_t step = 1; step < 4; step++) {
            select_atoms(1, step, QN_ATOM_BLOCK - 1);
            sums->find_slabs(&(qn_atom_block){positions, atoms, masses, count}, &rule, found);
            size_t wrong = 0;
            for (size_t i = 0; i < count; i++) {
                const float *p = positions + 3 * (size_t)atoms[i];
                const int slab = qn_slabs_find(&slabs, &box, 0.3, (const double[3]){p[0], p[1], p[2]});
                wrong += found[i] != (slab < 0 ? SLABS_MAX : slab);
            }
            CHECK(wrong == 0);
        }
    }
    make_atoms();
}

/* ---- molecules ---- */

/* Make molecules of 3 atoms and one of 800 atoms, which is longer than three blocks. If shuffled, the atoms of a
 * molecule are not contiguous. */
static void make_molecules(bool shuffled)
{
    for (uint32_t i = 0; i < ATOMS; i++) {
        molecule_of[i] = i < 300 ? i / 3 : i < 1100 ? 100 : 101 + (i - 1100) / 3;
        if (shuffled) molecule_of[i] = i % 200;
    }
}

static void check_walk(bool shuffled)
{
    qn_molecules molecules = {.count = 240,
                              .atoms = molecule_of,
                              .ordered = !shuffled,
                              .masses = {.values = masses},
                              .charges = {.values = charges},
                              .sums = QN_HOST_SELECT(qn_atom_sums_host)};
    void *scratch = NULL, *room = NULL;
    const qn_query_frame of = query_frame(&scratch), listing = query_frame(&room);
    const qn_molecule_sums *sums;
    qn_molecule_sums *all;
    qn_molecule_walk walk;
    double dipoles[QN_ATOM_BLOCK];
    size_t place = 0, wrong = 0;
    if (!CHECK_OK(qn_molecules_sum(&molecules, &listing, &all))) return;
    for (size_t i = 0; i < count; i++) all[molecule_of[atoms[i]]].mass -= masses[atoms[i]];
    for (size_t k = 0; k < molecules.count; k++) CHECK(near(all[k].mass, 0, 1e4));
    for (size_t i = 0; i < count; i++) all[molecule_of[atoms[i]]].mass += masses[atoms[i]];
    if (!CHECK_OK(qn_molecule_walk_start(&molecules, &of, &walk))) return;
    for (size_t block; (block = qn_molecule_walk_next(&walk, &sums)) > 0;) {
        CHECK(block <= QN_ATOM_BLOCK);
        molecules.sums->find_dipoles(sums, block, dipoles);
        for (size_t k = 0; k < block; k++, place++) {
            double centre[3], dipole[3];
            while (!shuffled && place < molecules.count && all[place].mass <= 0)
                place++; /* none of its atoms selected */
            if (!CHECK(place < molecules.count)) return;
            const qn_molecule_sums *expected = &all[place];
            wrong += !near(sums[k].mass, expected->mass, 1e4) || !near(sums[k].charge, expected->charge, 1e3);
            for (int axis = 0; axis < 3; axis++)
                wrong += !near(sums[k].mass_moment[axis], expected->mass_moment[axis], 1e5) ||
                         !near(sums[k].charge_moment[axis], expected->charge_moment[axis], 1e4);
            if (qn_molecule_centre(&sums[k], centre))
                wrong += !near(dipoles[k], qn_molecule_dipole(&sums[k], centre, dipole), 1e3);
            else
                wrong += dipoles[k] != -1;
        }
    }
    while (!shuffled && place < molecules.count && all[place].mass <= 0) place++;
    CHECK(wrong == 0 && place == molecules.count);
    qn_molecules_scratch_destroy(scratch);
    qn_molecules_scratch_destroy(room);
}

static void walks_visit_every_molecule_once(void)
{
    static const size_t most[] = {1, 300, 301, 556, 1000, ATOMS};
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        make_molecules(shuffled);
        for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
            select_atoms(0, 1, most[i]);
            check_walk(shuffled);
            select_atoms(2, 5, most[i]);
            check_walk(shuffled);
        }
    }
    select_atoms(0, 1, 0);
    make_molecules(false);
    check_walk(false);
}

/* ---- levels ---- */

typedef struct level_results {
    qn_moment_lanes lanes;
    int32_t slabs[QN_ATOM_BLOCK];
    qn_molecule_sums sums[QN_ATOM_BLOCK];
    double dipoles[QN_ATOM_BLOCK];
} level_results;

static void work_at(const char *level, level_results *results)
{
    static const double origin[3] = {1.1, -0.3, 2.2};
    static const qn_slab_rule rule = {.normal = {0.1, 0.03, 0.29}, .shift = 0.2, .count = 97};
    uint32_t of[QN_ATOM_BLOCK];
    setenv("QUERN_HOST_LEVEL", level, 1);
    const qn_atom_sums *sums = QN_HOST_SELECT(qn_atom_sums_host);
    const qn_atom_block block = {positions, atoms, masses, count};
    memset(results, 0, sizeof *results);
    sums->add_moments(&block, 2, origin, &results->lanes);
    sums->find_slabs(&block, &rule, results->slabs);
    const size_t runs = sums->sum_runs(&block, charges, molecule_of, results->sums, of);
    sums->find_dipoles(results->sums, runs, results->dipoles);
    unsetenv("QUERN_HOST_LEVEL");
}

static void all_levels_give_the_same_bits(void)
{
    static level_results low, high;
    make_molecules(false);
    for (size_t step = 1; step < 3; step++) {
        select_atoms(0, step, 250);
        memset(masses + count, 0, QN_SUM_LANES * sizeof *masses);
        work_at("2", &low);
        work_at("3", &high);
        CHECK(memcmp(&low, &high, sizeof low) == 0);
        work_at("4", &high);
        CHECK(memcmp(&low, &high, sizeof low) == 0);
        make_atoms();
    }
}

int main(void)
{
    make_atoms();
    RUN(moments_equal_plain_sums_for_any_selection);
    RUN(slabs_of_blocks_equal_those_of_single_atoms);
    RUN(walks_visit_every_molecule_once);
    RUN(all_levels_give_the_same_bits);
    return check_finish();
}
