/* Rescored energies, the energy between voxels, and its minimisation. If all sites lie on voxels, it is equal to the
 * rescored energy of the search; else it is interpolated from such energies. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "dock/pose_energy.h"
#include "dock/search/ligand.h"
#include "dock/search/rescorer.h"
#include "math/random.h"
#include "math/rotation.h"

enum { ATOMS = 60, LIGAND_ATOMS = 24, CELLS = 54, BOX_CENTRE = 8, SETS = 2, PAIR_TERMS = 4 };

static qn_dock_site sites[ATOMS], ligand_sites[LIGAND_ATOMS];
static const qn_dock_partner receptor = {.sites = sites, .site_count = ATOMS};
static const qn_dock_partner ligand = {.sites = ligand_sites, .site_count = LIGAND_ATOMS};
static const qn_coefficients sets[SETS] = {
    {"one", 0.4, -0.4, 250, 1, 4.8, 4, 125, INFINITY, false},
    {"two", 0.5, -0.3, 100, 0.7, 3.1, 2.5, 60, 9, true},
};
static const double receptor_mask[4] = {0, 1.5, 0, -0.25}, ligand_mask[3] = {0, 0.75, -0.5};
static const bool cdrs[4] = {true, false, true, false};
static const qn_dock_masks masks = {receptor_mask, ligand_mask, cdrs, 2, NULL};

/* Cells of 1.5 Å, whose multiples are exact numbers. */
static const qn_dock_grid grid = {.spacing_angstrom = 1.5,
                                  .origin_angstrom = {-24, -36, -30},
                                  .cells = {CELLS, CELLS - 1, CELLS - 4},
                                  .box = 2 * BOX_CENTRE + 2,
                                  .box_centre = BOX_CENTRE,
                                  .centre_angstrom = {30, -90, 7.5},
                                  .first_shift = {-8, -8, -8},
                                  .last_shift = {CELLS - 10, CELLS - 11, CELLS - 14}};

static qn_dock_energy energy;
static qn_dock_ligand integers;
static qn_dock_cells cells;

/* Make a receptor of atoms in the middle of the grid, and a ligand whose atoms are at multiples of a cell from its
 * centre.
 */
static void make_partners(void)
{
    static const double middle[3] = {15, 3, 6};
    for (uint64_t i = 0; i < ATOMS; i++) {
        for (uint64_t axis = 0; axis < 3; axis++)
            sites[i].position_angstrom[axis] = middle[axis] + 14 * (qn_random_uniform(5, i, axis) - 0.5);
        sites[i].heavy = i % 7 != 3;
        sites[i].type = sites[i].heavy ? (int)(i % 19) - 1 : -1;
        sites[i].radius_angstrom = sites[i].heavy ? 1.5f + 0.2f * (float)(i % 4) : 0;
        sites[i].charge_e = 2 * qn_random_uniform(5, i, 3) - 1;
        sites[i].residue = i % 4;
    }
    for (uint64_t i = 0; i < LIGAND_ATOMS; i++) {
        for (uint64_t axis = 0; axis < 3; axis++)
            ligand_sites[i].position_angstrom[axis] =
                grid.centre_angstrom[axis] + 1.5 * (floor(7 * qn_random_uniform(6, i, axis)) - 3);
        ligand_sites[i].heavy = i % 5 != 4;
        ligand_sites[i].type = ligand_sites[i].heavy ? (int)(i * 7 % 18) : -1;
        ligand_sites[i].radius_angstrom = 1.8f;
        ligand_sites[i].charge_e = qn_random_uniform(6, i, 3) - 0.5;
        ligand_sites[i].residue = i % 3;
    }
    CHECK_OK(qn_dock_energy_piper(&receptor, &ligand, sets, SETS, PAIR_TERMS, &masks, &energy));
    CHECK_OK(qn_dock_energy_fill(&energy, &receptor, &grid, NULL));
    CHECK_OK(qn_dock_ligand_create(&ligand, &energy, &grid, &integers));
    CHECK_OK(qn_dock_cells_create(&energy, &grid, NULL, &cells));
}

/* Make one of the 24 rotations that map the lattice onto itself. */
static void lattice_rotation(int index, double matrix[9])
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    const int *order = orders[index / 4];
    double sign[3] = {index & 1 ? -1 : 1, index & 2 ? -1 : 1, 1};
    sign[2] = sign[0] * sign[1] * (index / 4 < 3 ? 1 : -1);
    for (int i = 0; i < 9; i++) matrix[i] = i % 3 == order[i / 3] ? sign[i / 3] : 0;
}

/* Tolerance of the rescoring. Integers are rounded by half of 1/2^20 for each weight of each site, times the largest
 * value of its layer; layers that are weighted and summed before interpolation are in single precision. */
static double tolerance(size_t set)
{
    double sum = 0;
    for (size_t l = 0; l < energy.layer_count; l++) {
        double largest = 0, weight = energy.sets[set].scale[l] * energy.sets[set].weight[energy.layers[l].term];
        for (size_t cell = 0; cell < qn_dock_grid_volume(&grid); cell++)
            largest = fmax(largest, fabs((double)energy.layers[l].values[cell]));
        sum += fabs(weight) * largest * LIGAND_ATOMS * (0.5 / 1048576 + 2e-7);
    }
    return sum;
}

static long cell_of(const int shift[3])
{
    return shift[0] + (long)grid.cells[0] * (shift[1] + (long)grid.cells[1] * shift[2]);
}

/* Choose a shift that leaves the whole ligand on the grid; most shifts are in contact with the receptor. */
static void some_shift(uint64_t pose, int shift[3])
{
    for (uint64_t axis = 0; axis < 3; axis++) shift[axis] = 6 + (int)(21 * qn_random_uniform(7, pose, axis));
}

static void random_pose(uint64_t seed, double matrix[9], double translation[3])
{
    double turned[3];
    int shift[3];
    qn_rotation_from_seed(seed + 1, matrix);
    some_shift(seed, shift);
    qn_rotation_apply(matrix, grid.centre_angstrom, turned);
    for (uint64_t axis = 0; axis < 3; axis++)
        translation[axis] = grid.origin_angstrom[axis] +
                            1.5 * (BOX_CENTRE + shift[axis] + qn_random_uniform(9, seed, axis)) - turned[axis];
}

static void energy_on_voxels_equals_the_rescored_energy(void)
{
    for (size_t set = 0; set < SETS; set++) {
        qn_dock_pose_energy of;
        const double near = tolerance(set);
        size_t in_contact = 0;
        CHECK(near < 0.01); /* of energies of hundreds */
        CHECK_OK(qn_dock_pose_energy_create(&ligand, &energy, &grid, &cells, set, &of));
        for (uint64_t pose = 0; pose < 240; pose++) {
            double matrix[9], translation[3], terms[QN_DOCK_TERMS_MAX], expected[QN_DOCK_TERMS_MAX];
            int32_t rotation[9];
            int shift[3];
            lattice_rotation((int)(pose % 24), matrix);
            CHECK(qn_rotation_error(matrix) == 0);
            qn_dock_rotation_to_integers(matrix, rotation);
            some_shift(pose, shift);
            qn_dock_grid_translation(&grid, cell_of(shift), matrix, translation);
            double rescored = qn_dock_rescore(&grid, &energy, set, &integers, rotation, cell_of(shift), expected);
            CHECK_NEAR(qn_dock_pose_energy_at(matrix, translation, &of), rescored, near);
            CHECK_NEAR(qn_dock_pose_energy_terms(&of, matrix, translation, terms), rescored, near);
            for (int term = 0; term < QN_DOCK_TERMS_MAX; term++)
                CHECK_NEAR(terms[term] * energy.sets[set].weight[term], expected[term] * energy.sets[set].weight[term],
                           near);
            in_contact += terms[1] > 0;
        }
        CHECK(in_contact > 100);
        qn_dock_pose_energy_clear(&of);
        CHECK(!of.values);
    }
}

/* Cells of any shift, also where the ligand's box passes the end of the circular grid. */
static void fast_rescoring_has_the_same_bits(void)
{
    qn_dock_rescorer rescorer;
    size_t in_contact = 0;
    CHECK_OK(qn_dock_rescorer_create(&grid, &energy, &integers, &cells, &rescorer));
    for (uint64_t pose = 0; pose < 600; pose++) {
        double matrix[9], terms[QN_DOCK_TERMS_MAX], expected[QN_DOCK_TERMS_MAX];
        int32_t rotation[9];
        const size_t set = pose % SETS;
        const long cell = (long)(qn_random_uniform(10, pose, 0) * (double)qn_dock_grid_volume(&grid));
        int shift[3];
        qn_rotation_from_seed(pose + 1, matrix);
        qn_dock_rotation_to_integers(matrix, rotation);
        some_shift(pose, shift);
        const long at = pose % 3 ? cell_of(shift) : cell;
        const double total = qn_dock_rescore(&grid, &energy, set, &integers, rotation, at, expected);
        CHECK(qn_dock_rescorer_score(&rescorer, set, rotation, at, terms) == total);
        CHECK(memcmp(terms, expected, sizeof terms) == 0);
        in_contact += terms[1] > 0;
    }
    CHECK(in_contact > 200 && in_contact < 500);
    qn_dock_rescorer_clear(&rescorer);
    CHECK(!rescorer.weights);
}

/* Interpolate the weighted layers of one ligand grid at one place, in the grid's whole volume. */
static double slow_interpolation(const float *values, const double place[3])
{
    double sum = 0, fraction[3];
    long low[3];
    for (int axis = 0; axis < 3; axis++) {
        const double at = (place[axis] - grid.origin_angstrom[axis]) / grid.spacing_angstrom;
        if (!(at >= 0 && at < grid.cells[axis] - 1)) return 0;
        low[axis] = (long)at;
        fraction[axis] = at - (double)low[axis];
    }
    for (int corner = 0; corner < 8; corner++) {
        double share = 1;
        int cell[3];
        for (int axis = 0; axis < 3; axis++) {
            cell[axis] = (int)low[axis] + (corner >> axis & 1);
            share *= corner >> axis & 1 ? fraction[axis] : 1 - fraction[axis];
        }
        sum += share * (double)values[cell_of(cell)];
    }
    return sum;
}

/* Site by site and ligand grid by ligand grid, from the layers of the whole grid. */
static void energy_has_the_bits_of_the_plain_sum(void)
{
    const size_t volume = qn_dock_grid_volume(&grid);
    void *memory;
    CHECK_OK(qn_allocate((size_t)energy.grid_count * volume, sizeof(float), &memory));
    for (size_t set = 0; set < SETS; set++) {
        qn_dock_pose_energy of;
        CHECK_OK(qn_dock_pose_energy_create(&ligand, &energy, &grid, &cells, set, &of));
        for (int g = 0; g < energy.grid_count; g++)
            qn_dock_energy_combine(&energy, set, g, 0, volume, (float *)memory + (size_t)g * volume);
        for (uint64_t pose = 0; pose < 200; pose++) {
            double matrix[9], translation[3], place[3], sum = 0;
            random_pose(pose, matrix, translation);
            for (size_t i = 0; i < LIGAND_ATOMS; i++) {
                qn_rotation_apply(matrix, ligand_sites[i].position_angstrom, place);
                for (int axis = 0; axis < 3; axis++) place[axis] += translation[axis];
                for (size_t g = 0; g < (size_t)energy.grid_count; g++)
                    sum += energy.ligand_weights[g * LIGAND_ATOMS + i] *
                           slow_interpolation((const float *)memory + g * volume, place);
            }
            CHECK(qn_dock_pose_energy_at(matrix, translation, &of) == sum);
        }
        qn_dock_pose_energy_clear(&of);
    }
    qn_release(&memory);
}

/* A shift by part of a cell moves all sites by the same part, so that the energy is interpolated from those of the 8
 * lattice poses around. */
static void energy_between_voxels_is_interpolated(void)
{
    qn_dock_pose_energy of;
    const double near = tolerance(1);
    CHECK_OK(qn_dock_pose_energy_create(&ligand, &energy, &grid, &cells, 1, &of));
    for (uint64_t pose = 0; pose < 60; pose++) {
        double matrix[9], corner[3], part[3], translation[3], expected = 0;
        int shift[3];
        lattice_rotation((int)(pose % 24), matrix);
        some_shift(pose, shift);
        qn_dock_grid_translation(&grid, cell_of(shift), matrix, corner);
        for (uint64_t axis = 0; axis < 3; axis++) part[axis] = qn_random_uniform(8, pose, axis);
        for (int c = 0; c < 8; c++) {
            double at[3], share = 1;
            for (int axis = 0; axis < 3; axis++) {
                at[axis] = corner[axis] + (c >> axis & 1) * 1.5;
                share *= c >> axis & 1 ? part[axis] : 1 - part[axis];
            }
            expected += share * qn_dock_pose_energy_at(matrix, at, &of);
        }
        for (int axis = 0; axis < 3; axis++) translation[axis] = corner[axis] + 1.5 * part[axis];
        CHECK_NEAR(qn_dock_pose_energy_at(matrix, translation, &of), expected, near);
    }
    qn_dock_pose_energy_clear(&of);
}

static void total_is_the_weighted_sum_of_terms(void)
{
    for (size_t set = 0; set < SETS; set++) {
        qn_dock_pose_energy of;
        const double near = tolerance(set);
        size_t in_contact = 0;
        CHECK_OK(qn_dock_pose_energy_create(&ligand, &energy, &grid, &cells, set, &of));
        for (uint64_t pose = 0; pose < 100; pose++) {
            const double weights[] = {sets[set].repulsion, sets[set].attraction, sets[set].electrostatic,
                                      sets[set].pair, 1};
            double matrix[9], translation[3], terms[QN_DOCK_TERMS_MAX], sum = 0;
            random_pose(pose, matrix, translation);
            double total = qn_dock_pose_energy_terms(&of, matrix, translation, terms);
            for (int term = 0; term < QN_DOCK_TERMS_MAX; term++) sum += weights[term] * terms[term];
            CHECK_NEAR(total, sum, 1e-9);
            CHECK_NEAR(qn_dock_pose_energy_at(matrix, translation, &of), total, near);
            in_contact += terms[1] > 0;
        }
        CHECK(in_contact > 50);
        qn_dock_pose_energy_clear(&of);
    }
}

static void energy_outside_the_grid_is_zero(void)
{
    static const double shifts[][3] = {{1e4, 0, 0}, {0, -1e4, 0}, {0, 0, 1e300}, {-85, 0, 0}, {0, 90, 0}, {NAN, 0, 0}};
    qn_dock_pose_energy of;
    CHECK_OK(qn_dock_pose_energy_create(&ligand, &energy, &grid, &cells, 0, &of));
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
        double matrix[9], translation[3], terms[QN_DOCK_TERMS_MAX] = {1, 2, 3, 4, 5};
        const int middle[3] = {CELLS / 2 - 8, CELLS / 2 - 8, CELLS / 2 - 8};
        lattice_rotation(0, matrix);
        qn_dock_grid_translation(&grid, cell_of(middle), matrix, translation);
        for (int axis = 0; axis < 3; axis++) translation[axis] += shifts[i][axis];
        CHECK(qn_dock_pose_energy_at(matrix, translation, &of) == 0);
        CHECK(qn_dock_pose_energy_terms(&of, matrix, translation, terms) == 0);
        for (int term = 0; term < QN_DOCK_TERMS_MAX; term++) CHECK(terms[term] == 0);
    }
    qn_dock_pose_energy_clear(&of);
}

static void centre_of(const double matrix[9], const double translation[3], double centre[3])
{
    qn_rotation_apply(matrix, grid.centre_angstrom, centre);
    for (int axis = 0; axis < 3; axis++) centre[axis] += translation[axis];
}

static void minima_are_lower_and_within_the_limits(void)
{
    enum { POSES = 40 };
    static qn_dock_pose poses[2][POSES];
    qn_dock_pose_energy of;
    qn_pool *pool;
    size_t lowered = 0;
    const double near = tolerance(0);
    CHECK_OK(qn_pool_create(2, &pool));
    CHECK_OK(qn_dock_pose_energy_create(&ligand, &energy, &grid, &cells, 0, &of));
    for (uint64_t i = 0; i < POSES; i++) {
        random_pose(100 + i, poses[0][i].matrix, poses[0][i].translation_angstrom);
        poses[0][i].energy = 1e9; /* the energy before is ignored */
    }
    memcpy(poses[1], poses[0], sizeof poses[0]);
    CHECK_OK(qn_dock_pose_energy_minimise(&of, pool, poses[0], POSES));
    CHECK_OK(qn_dock_pose_energy_minimise(&of, NULL, poses[1], POSES));
    CHECK(memcmp(poses[0], poses[1], sizeof poses[0]) == 0);
    for (uint64_t i = 0; i < POSES; i++) {
        const qn_dock_pose *pose = &poses[0][i];
        double matrix[9], translation[3], from[3], to[3], terms[QN_DOCK_TERMS_MAX], squared = 0;
        random_pose(100 + i, matrix, translation);
        double before = qn_dock_pose_energy_at(matrix, translation, &of);
        CHECK(pose->energy <= before + near); /* the energy is the sum of the terms; that of the weighted grids fell */
        CHECK(qn_dock_pose_energy_at(pose->matrix, pose->translation_angstrom, &of) <= before);
        CHECK(qn_dock_pose_energy_terms(&of, pose->matrix, pose->translation_angstrom, terms) == pose->energy);
        CHECK(memcmp(terms, pose->terms, sizeof terms) == 0);
        centre_of(matrix, translation, from);
        centre_of(pose->matrix, pose->translation_angstrom, to);
        for (int axis = 0; axis < 3; axis++) squared += pow(to[axis] - from[axis], 2);
        CHECK(sqrt(squared) <= 2 + 1e-7);
        CHECK(qn_rotation_angle_degrees(matrix, pose->matrix) <= 10 + 1e-4);
        CHECK(qn_rotation_error(pose->matrix) < 1e-12);
        lowered += pose->energy < before - 1;
    }
    CHECK(lowered > POSES / 2);
    qn_dock_pose_energy_clear(&of);
    qn_pool_destroy(&pool);
}

int main(void)
{
    make_partners();
    RUN(energy_on_voxels_equals_the_rescored_energy);
    RUN(fast_rescoring_has_the_same_bits);
    RUN(energy_has_the_bits_of_the_plain_sum);
    RUN(energy_between_voxels_is_interpolated);
    RUN(total_is_the_weighted_sum_of_terms);
    RUN(energy_outside_the_grid_is_zero);
    RUN(minima_are_lower_and_within_the_limits);
    qn_dock_cells_clear(&cells);
    qn_dock_ligand_clear(&integers);
    qn_dock_energy_clear(&energy);
    return check_finish();
}
