/* Receptor layers compared with sums over atoms from the definitions, their energies compared with sums over pairs of
 * atoms, and the geometry of the grids. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "dock/search/ligand.h"
#include "dock/search/receptor_grids.h"
#include "math/random.h"
#include "math/rotation.h"
#include "score/pair_potential.h"
#include "score/rpsc.h"

enum { ATOMS = 80, LIGAND_ATOMS = 30, PAIR_TERMS = 5 };

static qn_dock_site sites[ATOMS], ligand_sites[LIGAND_ATOMS];
static qn_dock_partner partner = {.sites = sites, .site_count = ATOMS};
static qn_dock_partner ligand = {.sites = ligand_sites, .site_count = LIGAND_ATOMS};

/* Make a receptor of a shell of atoms around a cavity. */
static void make_partner(void)
{
    for (uint64_t i = 0; i < ATOMS; i++) {
        double z = 1 - (2 * (double)i + 1) / ATOMS, angle = 2.39996323 * (double)i; /* golden angle: evenly spread */
        double radius = 4.8 + 0.4 * qn_random_uniform(3, 0, 4 * i + 2);
        sites[i].position_angstrom[0] = 11 + radius * sqrt(1 - z * z) * cos(angle);
        sites[i].position_angstrom[1] = -3 + radius * sqrt(1 - z * z) * sin(angle);
        sites[i].position_angstrom[2] = 5 + radius * z;
        sites[i].heavy = i % 7 != 3;
        sites[i].type = (int)(i % 19) - 1;
        sites[i].radius_angstrom = sites[i].heavy ? 1.5f + 0.2f * (float)(i % 4) : 0;
        sites[i].charge_e = 2 * qn_random_uniform(3, 0, 4 * i + 3) - 1;
        sites[i].residue = i % 4;
    }
}

/* Make a ligand of random sites in a cube with coordinates from −20 to −12 Å. */
static void make_ligand(void)
{
    for (uint64_t i = 0; i < LIGAND_ATOMS; i++) {
        for (uint64_t axis = 0; axis < 3; axis++)
            ligand_sites[i].position_angstrom[axis] = -20 + 8 * qn_random_uniform(3, 1, 4 * i + axis);
        ligand_sites[i].heavy = i % 5 != 4;
        ligand_sites[i].type = ligand_sites[i].heavy ? (int)(i * 7 % 18) : -1;
        ligand_sites[i].radius_angstrom = 1.8f;
        ligand_sites[i].charge_e = qn_random_uniform(3, 1, 4 * i + 3) - 0.5;
        ligand_sites[i].residue = i % 3;
    }
}

static int even(int least, void *user)
{
    (void)user;
    return least + least % 2;
}

static void plan(double spacing, qn_dock_grid *grid)
{
    CHECK_OK(qn_dock_grid_plan(&partner, &partner, spacing, 6.1, 12, 0, even, NULL, grid));
}

static double distance_to(const qn_dock_grid *grid, int x, int y, int z, int atom)
{
    double dx = grid->origin_angstrom[0] + grid->spacing_angstrom * x - sites[atom].position_angstrom[0];
    double dy = grid->origin_angstrom[1] + grid->spacing_angstrom * y - sites[atom].position_angstrom[1];
    double dz = grid->origin_angstrom[2] + grid->spacing_angstrom * z - sites[atom].position_angstrom[2];
    return sqrt(dx * dx + dy * dy + dz * dz);
}

/* The published formula, with a switching function whose value and slope are 0 at 12 Å and continuous at 10 Å. */
static double potential(double r, double length)
{
    double value = 1 / sqrt(r * r + length * length * exp(-r * r / (4 * length * length)));
    double s = r < 10 ? 0 : (r - 10) / 2;
    return r >= 12 ? 0 : value * (1 - 10 * pow(s, 3) + 15 * pow(s, 4) - 6 * pow(s, 5));
}

/* Two sets that differ in all numbers, the second with a cap, and masks of residues. */
static const qn_coefficients sets[2] = {
    {"one", 0.4, -0.4, 250, 1, 4.8, 4, 125, INFINITY, false},
    {"two", 0.5, -0.3, 100, 0.7, 3.1, 2.5, 60, 9, true},
};
static const double receptor_mask[4] = {0, 1.5, 0, -0.25}, ligand_mask[3] = {0, 0.75, -0.5};
static const bool cdrs[4] = {true, false, true, false};
static const qn_dock_masks masks = {receptor_mask, ligand_mask, cdrs, 2, NULL};

static void make_energy(const qn_dock_grid *grid, qn_pool *pool, qn_dock_energy *energy)
{
    CHECK_OK(qn_dock_energy_piper(&partner, &ligand, sets, 2, PAIR_TERMS, &masks, energy));
    CHECK_OK(qn_dock_energy_fill(energy, &partner, grid, pool));
}

/* Contribution of site i to a layer at distance r, from the definition. */
static double share_of_site(const qn_dock_layer *layer, int i, double r)
{
    double radius = (double)sites[i].radius_angstrom;
    if (layer->kind == QN_DOCK_POTENTIAL) return sites[i].charge_e * potential(r, layer->length_angstrom);
    if (layer->kind == QN_DOCK_NEAR) return r < 6.5 ? layer->weights[i] : 0;
    return sites[i].heavy && r < radius + layer->reach_angstrom ? layer->weights[i] : 0;
}

static void every_voxel_equals_its_sum(void)
{
    qn_dock_grid grid;
    qn_pool *pool;
    qn_dock_energy energy;
    plan(0.9, &grid);
    CHECK_OK(qn_pool_create(3, &pool));
    make_energy(&grid, pool, &energy);
    const float *core = energy.layers[0].values;
    size_t cores = 0, voids = 0, capped = 0, cell = 0;
    double worst = 0;
    CHECK(energy.layers[0].kind == QN_DOCK_CORE);
    for (int z = 0; z < grid.cells[2]; z++)
        for (int y = 0; y < grid.cells[1]; y++)
            for (int x = 0; x < grid.cells[0]; x++, cell++) {
                double surface = 1e9, sums[16] = {0};
                for (int i = 0; i < ATOMS; i++) {
                    double r = distance_to(&grid, x, y, z, i);
                    for (size_t l = 1; l < energy.layer_count; l++) sums[l] += share_of_site(&energy.layers[l], i, r);
                    if (sites[i].heavy) surface = fmin(surface, r - (double)sites[i].radius_angstrom);
                }
                bool inside = core[cell] == 1;
                cores += inside;
                voids += inside && surface > 0;
                if (surface <= 0) CHECK(inside);
                for (size_t l = 1; l < energy.layer_count; l++) {
                    const qn_dock_layer *layer = &energy.layers[l];
                    capped += layer->kind == QN_DOCK_COUNT && !inside && sums[l] > layer->cap;
                    if (layer->kind == QN_DOCK_COUNT) sums[l] = inside ? 0 : fmin(sums[l], layer->cap);
                    worst = fmax(worst, fabs((double)layer->values[cell] - sums[l]));
                }
            }
    CHECK(worst < 1e-5); /* sums of some tens are stored as floats */
    CHECK(cores > 200 && voids > 20 && capped > 20);
    /* The middle of the cavity is not reached from outside. */
    int middle[3];
    for (int axis = 0; axis < 3; axis++)
        middle[axis] = (int)lround(((double[]){11, -3, 5}[axis] - grid.origin_angstrom[axis]) / 0.9);
    CHECK(core[middle[0] + grid.cells[0] * (middle[1] + grid.cells[1] * middle[2])] == 1);
    qn_dock_energy_clear(&energy);
    qn_pool_destroy(&pool);
}

/* Flood a grid by sweeps over all cells until none changes. */
static void flood_by_sweeps(const qn_dock_grid *grid, const double *surface, bool *wet)
{
    const int nx = grid->cells[0], ny = grid->cells[1], nz = grid->cells[2];
    size_t changed = 1;
    wet[0] = true;
    while (changed) {
        size_t cell = 0;
        changed = 0;
        for (int z = 0; z < nz; z++)
            for (int y = 0; y < ny; y++)
                for (int x = 0; x < nx; x++, cell++) {
                    const size_t row = (size_t)nx, plane = (size_t)nx * (size_t)ny;
                    if (wet[cell] || surface[cell] <= 0.6) continue;
                    wet[cell] = (x > 0 && wet[cell - 1]) || (x + 1 < nx && wet[cell + 1]) ||
                                (y > 0 && wet[cell - row]) || (y + 1 < ny && wet[cell + row]) ||
                                (z > 0 && wet[cell - plane]) || (z + 1 < nz && wet[cell + plane]);
                    changed += wet[cell];
                }
    }
}

static bool touches_water(const qn_dock_grid *grid, const bool *wet, int x, int y, int z)
{
    for (int i = 0; i < 27; i++) {
        const int at[3] = {x + i % 3 - 1, y + i / 3 % 3 - 1, z + i / 9 - 1};
        bool within = true;
        for (int axis = 0; axis < 3; axis++) within &= at[axis] >= 0 && at[axis] < grid->cells[axis];
        if (within && wet[at[0] + grid->cells[0] * (at[1] + grid->cells[1] * at[2])]) return true;
    }
    return false;
}

/* A sponge has cavities, and tunnels that turn in all directions. */
static void core_of_a_sponge_is_not_flooded(void)
{
    enum { SPONGE = 700 };
    static qn_dock_site pores[SPONGE];
    const qn_dock_partner sponge = {.sites = pores, .site_count = SPONGE};
    qn_dock_grid grid;
    qn_dock_layer layer = {.kind = QN_DOCK_CORE};
    void *surface, *wet, *values;
    size_t caves = 0, cell = 0, wrong = 0;
    for (uint64_t i = 0; i < SPONGE; i++) {
        for (uint64_t axis = 0; axis < 3; axis++) pores[i].position_angstrom[axis] = 22 * qn_random_uniform(4, i, axis);
        pores[i].heavy = true;
        pores[i].radius_angstrom = 1.5f;
    }
    CHECK_OK(qn_dock_grid_plan(&sponge, &ligand, 0.7, 2, 4, 0, even, NULL, &grid));
    const size_t volume = qn_dock_grid_volume(&grid);
    CHECK_OK(qn_allocate(volume, sizeof(double), &surface));
    CHECK_OK(qn_allocate(volume, sizeof(bool), &wet));
    CHECK_OK(qn_allocate(volume, sizeof(float), &values));
    for (int z = 0; z < grid.cells[2]; z++)
        for (int y = 0; y < grid.cells[1]; y++)
            for (int x = 0; x < grid.cells[0]; x++, cell++) {
                double nearest = INFINITY;
                const int at[3] = {x, y, z};
                for (int i = 0; i < SPONGE; i++) {
                    double r2 = 0;
                    for (int axis = 0; axis < 3; axis++)
                        r2 += pow(grid.origin_angstrom[axis] + 0.7 * at[axis] - pores[i].position_angstrom[axis], 2);
                    nearest = fmin(nearest, r2);
                }
                ((double *)surface)[cell] = sqrt(nearest) - 1.5;
            }
    flood_by_sweeps(&grid, surface, wet);
    layer.values = values;
    CHECK_OK(qn_dock_receptor_grids(&sponge, &grid, NULL, &layer, 1));
    cell = 0;
    for (int z = 0; z < grid.cells[2]; z++)
        for (int y = 0; y < grid.cells[1]; y++)
            for (int x = 0; x < grid.cells[0]; x++, cell++) {
                const double u = ((const double *)surface)[cell];
                const bool core = !((const bool *)wet)[cell] && (u <= 0 || !touches_water(&grid, wet, x, y, z));
                wrong += layer.values[cell] != (core ? 1 : 0);
                caves += core && u > 0.6;
            }
    CHECK(wrong == 0);
    CHECK(caves > 30);
    qn_release(&surface);
    qn_release(&wet);
    qn_release(&values);
}

static void layers_do_not_depend_on_the_threads(void)
{
    qn_dock_grid grid;
    qn_dock_energy one, two;
    qn_pool *pool;
    plan(1.2, &grid);
    CHECK_OK(qn_pool_create(2, &pool));
    make_energy(&grid, NULL, &one);
    make_energy(&grid, pool, &two);
    CHECK(one.layer_count == two.layer_count);
    for (size_t l = 0; l < one.layer_count; l++)
        CHECK(memcmp(one.layers[l].values, two.layers[l].values, qn_dock_grid_volume(&grid) * sizeof(float)) == 0);
    qn_dock_energy_clear(&one);
    qn_dock_energy_clear(&two);
    qn_pool_destroy(&pool);
}

/* Sets share layers that do not differ between them: the core, the pair terms, and those of equal numbers. */
static void sets_share_layers(void)
{
    qn_dock_energy energy;
    qn_coefficients three[3] = {sets[0], sets[1], sets[0]};
    strcpy(three[2].name, "three");
    three[2].electrostatic = 77;
    CHECK_OK(qn_dock_energy_piper(&partner, &ligand, three, 3, 4, NULL, &energy));
    CHECK(energy.layer_count == 1 + 2 * 2 + 4);
    CHECK(energy.grid_count == 2 + 4);
    CHECK(qn_dock_energy_common_grids(&energy) == 0); /* the second set has another weight of the pair potential */
    qn_dock_energy_clear(&energy);
    three[1].pair = three[0].pair;
    CHECK_OK(qn_dock_energy_piper(&partner, &ligand, three, 3, 4, NULL, &energy));
    CHECK(qn_dock_energy_common_grids(&energy) == 4);
    qn_dock_energy_clear(&energy);
    CHECK_OK(qn_dock_energy_piper(&partner, &ligand, three, 1, 4, NULL, &energy));
    CHECK(qn_dock_energy_common_grids(&energy) == 0);
    qn_dock_energy_clear(&energy);
}

/* Compute the terms of a pose from pairs of atoms, for poses without atoms in the core. */
static void pair_sums(const double matrix[9], const double translation[3], double terms[QN_DOCK_TERMS_MAX])
{
    for (int term = 0; term < QN_DOCK_TERMS_MAX; term++) terms[term] = 0;
    for (int i = 0; i < LIGAND_ATOMS; i++) {
        double place[3];
        qn_rotation_apply(matrix, ligand_sites[i].position_angstrom, place);
        for (int j = 0; j < ATOMS; j++) {
            double r2 = 0;
            for (int axis = 0; axis < 3; axis++)
                r2 += pow(place[axis] + translation[axis] - sites[j].position_angstrom[axis], 2);
            double r = sqrt(r2), beyond = r - (double)sites[j].radius_angstrom;
            terms[2] += ligand_sites[i].charge_e * sites[j].charge_e * potential(r, 4);
            if (r < 6.5) terms[3] += qn_pair_energy(ligand_sites[i].type, sites[j].type, PAIR_TERMS);
            if (!ligand_sites[i].heavy || !sites[j].heavy) continue;
            terms[1] += beyond < 4.8;
            if (beyond < 3.6) terms[4] += receptor_mask[sites[j].residue] + ligand_mask[ligand_sites[i].residue];
        }
    }
}

/* The finer the grid is, the smaller are the differences between its energies and the sums over pairs. */
static void terms_approach_pair_sums(void)
{
    double errors[2][QN_DOCK_TERMS_MAX] = {{0}};
    const double spacings[2] = {1.0, 0.25};
    for (int s = 0; s < 2; s++) {
        qn_dock_grid grid;
        qn_dock_energy energy;
        qn_dock_ligand integers;
        CHECK_OK(qn_dock_grid_plan(&partner, &ligand, spacings[s], 6.9, 12, 0, even, NULL, &grid));
        make_energy(&grid, NULL, &energy);
        CHECK_OK(qn_dock_ligand_create(&ligand, &energy, &grid, &integers));
        for (int pose = 0; pose < 12; pose++) {
            double matrix[9], translation[3], expected[QN_DOCK_TERMS_MAX], terms[QN_DOCK_TERMS_MAX];
            int32_t rotation[9];
            qn_rotation_super_fibonacci((size_t)pose, 12, matrix);
            qn_dock_rotation_to_integers(matrix, rotation);
            /* beside the receptor, whose centre is at (11, −3, 5) and whose radius is 5 Å */
            int cell[3];
            for (int axis = 0; axis < 3; axis++) {
                double centre = (double[]){11, -3, 5}[axis] + (axis == pose % 3 ? 11.5 : 1.0);
                int shift = (int)lround((centre - grid.origin_angstrom[axis]) / spacings[s]) - grid.box_centre;
                cell[axis] = (shift + grid.cells[axis]) % grid.cells[axis];
            }
            long index = cell[0] + (long)grid.cells[0] * (cell[1] + (long)grid.cells[1] * cell[2]);
            qn_dock_grid_translation(&grid, index, matrix, translation);
            pair_sums(matrix, translation, expected);
            double total = qn_dock_rescore(&grid, &energy, 0, &integers, rotation, index, terms), sum = 0;
            const double weights[] = {0.4, -0.4, 250, 1, 1};
            for (int term = 0; term < QN_DOCK_TERMS_MAX; term++) {
                sum += weights[term] * terms[term];
                if (terms[0] == 0) errors[s][term] += fabs(terms[term] - expected[term]);
            }
            CHECK_NEAR(total, sum, 1e-9);
        }
        qn_dock_ligand_clear(&integers);
        qn_dock_energy_clear(&energy);
    }
    for (int term = 1; term < QN_DOCK_TERMS_MAX; term++) {
        CHECK(errors[1][term] < 0.6 * errors[0][term]);
        CHECK(errors[0][term] > 0);
    }
    CHECK(errors[1][2] < 0.02); /* trilinear electrostatics converge with the square of the spacing */
}

static void pair_potential_is_the_sum_over_eigenvectors(void)
{
    /* Eigenvectors are orthonormal and sorted by decreasing |eigenvalue|; four terms leave out less than 0.2 of the
     * Frobenius norm. */
    double squares = 0, kept = 0;
    for (int p = 0; p < QN_ATOM_TYPES; p++) {
        for (int q = 0; q < QN_ATOM_TYPES; q++) {
            double product = 0;
            for (int a = 0; a < QN_ATOM_TYPES; a++) product += qn_pair_eigenvector[p][a] * qn_pair_eigenvector[q][a];
            CHECK_NEAR(product, p == q, 1e-4); /* the table has seven digits */
        }
        if (p) CHECK(fabs(qn_pair_eigenvalue[p]) <= fabs(qn_pair_eigenvalue[p - 1]));
        squares += pow(qn_pair_eigenvalue[p], 2);
    }
    for (int a = 0; a < QN_ATOM_TYPES; a++)
        for (int b = 0; b < QN_ATOM_TYPES; b++) {
            CHECK_NEAR(qn_pair_energy(a, b, 18), qn_pair_energy(b, a, 18), 1e-12);
            kept += pow(qn_pair_energy(a, b, 18) - qn_pair_energy(a, b, 4), 2);
        }
    CHECK(sqrt(kept / squares) < 0.2);
    CHECK(qn_pair_energy(-1, 3, 18) == 0);
}

/* For all translations searched, a voxel of the ligand box meets the voxel of the receptor grid at its place, or a
 * voxel beyond the reach of the receptor. */
static void no_periodic_images_are_in_reach(void)
{
    for (double spacing = 0.7; spacing < 2; spacing += 0.3) {
        qn_dock_grid grid;
        plan(spacing, &grid);
        for (int axis = 0; axis < 3; axis++) {
            int reach_last = (int)ceil(24 / spacing) + 100, n = grid.cells[axis];
            double high = -1e9;
            for (int i = 0; i < ATOMS; i++) high = fmax(high, sites[i].position_angstrom[axis]);
            reach_last = (int)ceil((high + 12 - grid.origin_angstrom[axis]) / spacing);
            CHECK(reach_last < n);
            CHECK(grid.last_shift[axis] - grid.first_shift[axis] < n);
            for (int shift = grid.first_shift[axis]; shift <= grid.last_shift[axis]; shift++) {
                CHECK(qn_dock_grid_shift(&grid, axis, (shift + n) % n) == shift);
                for (int voxel = 0; voxel < grid.box; voxel++) {
                    int meets = (voxel + shift + n) % n, meant = voxel + shift;
                    if (meets != meant) CHECK(meets > reach_last);
                }
            }
        }
    }
}

static void too_small_cubes_are_refused(void)
{
    qn_dock_grid grid;
    CHECK_FAILS(qn_dock_grid_plan(&partner, &partner, 1.2, 6, 12, 24, even, NULL, &grid), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("24 cells a side is too small");
    CHECK_OK(qn_dock_grid_plan(&partner, &partner, 1.2, 6, 12, 77, even, NULL, &grid));
    CHECK(grid.cells[0] == 77 && grid.cells[1] == 77 && grid.cells[2] == 77);
}

int main(void)
{
    make_partner();
    make_ligand();
    RUN(pair_potential_is_the_sum_over_eigenvectors);
    RUN(sets_share_layers);
    RUN(terms_approach_pair_sums);
    RUN(every_voxel_equals_its_sum);
    RUN(core_of_a_sponge_is_not_flooded);
    RUN(layers_do_not_depend_on_the_threads);
    RUN(no_periodic_images_are_in_reach);
    RUN(too_small_cubes_are_refused);
    return check_finish();
}
