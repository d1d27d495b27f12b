/* Receptor grids against sums over atoms written straight from the definitions, and where the grids lie. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "dock/receptor_grids.h"
#include "math/random.h"
#include "score/rpsc.h"

enum { ATOMS = 80 };

static qn_atom atoms[ATOMS];
static qn_residue residue = {.name = "ALA", .atom_count = ATOMS};
static qn_atom_parameters parameters[ATOMS];
static qn_molecule molecule = {.atom_count = ATOMS, .residue_count = 1, .atoms = atoms, .residues = &residue};
static qn_dock_partner partner = {.molecule = &molecule, .parameters = parameters};

/* A loose shell of atoms around a hollow, so that there is a void. */
static void make_partner(void)
{
    for (uint64_t i = 0; i < ATOMS; i++) {
        double z = 1 - (2 * (double)i + 1) / ATOMS, angle = 2.39996323 * (double)i; /* evenly: golden angle */
        double radius = 4.8 + 0.4 * qn_random_uniform(3, 0, 4 * i + 2);
        atoms[i].position_angstrom[0] = 11 + radius * sqrt(1 - z * z) * cos(angle);
        atoms[i].position_angstrom[1] = -3 + radius * sqrt(1 - z * z) * sin(angle);
        atoms[i].position_angstrom[2] = 5 + radius * z;
        strcpy(atoms[i].element, i % 7 == 3 ? "H" : "C");
        parameters[i].heavy = i % 7 != 3;
        parameters[i].type = (int)(i % 19) - 1;
        parameters[i].radius_angstrom = parameters[i].heavy ? 1.5f + 0.2f * (float)(i % 4) : 0;
        parameters[i].charge_e = 2 * qn_random_uniform(3, 0, 4 * i + 3) - 1;
    }
}

static int even(int least, void *user)
{
    (void)user;
    return least + least % 2;
}

static void plan(double spacing, qn_dock_grid *grid)
{
    CHECK_OK(
        qn_dock_grid_plan(&molecule, &molecule, spacing, qn_dock_contact_angstrom(&partner), 12, 0, even, NULL, grid));
}

static double distance_to(const qn_dock_grid *grid, int x, int y, int z, int atom)
{
    double dx = grid->origin_angstrom[0] + grid->spacing_angstrom * x - atoms[atom].position_angstrom[0];
    double dy = grid->origin_angstrom[1] + grid->spacing_angstrom * y - atoms[atom].position_angstrom[1];
    double dz = grid->origin_angstrom[2] + grid->spacing_angstrom * z - atoms[atom].position_angstrom[2];
    return sqrt(dx * dx + dy * dy + dz * dz);
}

/* The paper's formula and a switch whose value and slope are 0 at 12 Å and continuous at 10 Å. */
static double potential(double r)
{
    double value = 1 / sqrt(r * r + 16 * exp(-r * r / 64));
    double s = r < 10 ? 0 : (r - 10) / 2;
    return r >= 12 ? 0 : value * (1 - 10 * pow(s, 3) + 15 * pow(s, 4) - 6 * pow(s, 5));
}

static void every_voxel_equals_its_sum(void)
{
    qn_dock_grid grid;
    qn_pool *pool;
    float *grids;
    size_t cores = 0, attracting = 0, voids = 0;
    plan(0.9, &grid);
    CHECK_OK(qn_pool_create(3, &pool));
    CHECK_OK(qn_dock_receptor_grids(&partner, &grid, pool, &grids));
    double worst_potential = 0, worst_shape = 0;
    size_t cell = 0, volume = qn_dock_grid_volume(&grid);
    for (int z = 0; z < grid.cells[2]; z++)
        for (int y = 0; y < grid.cells[1]; y++)
            for (int x = 0; x < grid.cells[0]; x++, cell++) {
                double electrostatic = 0, attraction = 0, surface = 1e9;
                for (int i = 0; i < ATOMS; i++) {
                    double r = distance_to(&grid, x, y, z, i);
                    int type = parameters[i].type;
                    electrostatic += 300 * parameters[i].charge_e * potential(r);
                    if (!parameters[i].heavy) continue;
                    surface = fmin(surface, r - (double)parameters[i].radius_angstrom);
                    if (r < (double)parameters[i].radius_angstrom + 3.6)
                        attraction += 1 - 0.8 * (type < 0 ? 0 : qn_rpsc_contact_energy[type]);
                }
                worst_potential = fmax(worst_potential, fabs(grids[volume + cell] - electrostatic));
                bool core = grids[cell] == 45;
                cores += core;
                attracting += grids[cell] < 0;
                voids += core && surface > 0;
                if (surface <= 0) CHECK(core);
                if (!core) worst_shape = fmax(worst_shape, fabs(grids[cell] + attraction));
            }
    /* float storage of sums of some tens */
    CHECK(worst_potential < 1e-4);
    CHECK(worst_shape < 1e-5);
    CHECK(cores > 200 && attracting > 1000 && voids > 20);
    /* The hollow's middle cannot be reached from outside. */
    int middle[3];
    for (int axis = 0; axis < 3; axis++)
        middle[axis] = (int)lround(((double[]){11, -3, 5}[axis] - grid.origin_angstrom[axis]) / 0.9);
    CHECK(grids[middle[0] + grid.cells[0] * (middle[1] + grid.cells[1] * middle[2])] == 45);
    qn_release(&grids);
    qn_pool_destroy(&pool);
}

static void threads_do_not_change_a_bit(void)
{
    qn_dock_grid grid;
    float *one, *two;
    qn_pool *pool;
    plan(1.2, &grid);
    CHECK_OK(qn_pool_create(2, &pool));
    CHECK_OK(qn_dock_receptor_grids(&partner, &grid, NULL, &one));
    CHECK_OK(qn_dock_receptor_grids(&partner, &grid, pool, &two));
    CHECK(memcmp(one, two, QN_RPSC_TERMS * qn_dock_grid_volume(&grid) * sizeof(float)) == 0);
    qn_release(&one);
    qn_release(&two);
    qn_pool_destroy(&pool);
}

/* For every translation searched, every voxel of the ligand box meets the receptor's own voxel there or nothing. */
static void nothing_wraps(void)
{
    for (double spacing = 0.7; spacing < 2; spacing += 0.3) {
        qn_dock_grid grid;
        plan(spacing, &grid);
        for (int axis = 0; axis < 3; axis++) {
            int reach_last = (int)ceil(24 / spacing) + 100, n = grid.cells[axis];
            double high = -1e9;
            for (int i = 0; i < ATOMS; i++) high = fmax(high, atoms[i].position_angstrom[axis]);
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

static void too_small_a_cube_is_refused(void)
{
    qn_dock_grid grid;
    CHECK_FAILS(qn_dock_grid_plan(&molecule, &molecule, 1.2, 6, 12, 24, even, NULL, &grid), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("24 cells a side is too small");
    CHECK_OK(qn_dock_grid_plan(&molecule, &molecule, 1.2, 6, 12, 77, even, NULL, &grid));
    CHECK(grid.cells[0] == 77 && grid.cells[1] == 77 && grid.cells[2] == 77);
}

int main(void)
{
    make_partner();
    RUN(every_voxel_equals_its_sum);
    RUN(threads_do_not_change_a_bit);
    RUN(nothing_wraps);
    RUN(too_small_a_cube_is_refused);
    return check_finish();
}
