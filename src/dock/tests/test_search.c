/* devices: host opencl:0 cuda:0 checking:host */
/* labels: unsanitized@opencl unsanitized@checking */
/* The whole search of a small pair on one device, compared with sums by equation 1 of docs/design/docking.md: all
 * translations of all rotations, in double precision, without integers and without transforms. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dock/pose.h"
#include "dock/search/kernels/best_cells.h"
#include "dock/search/kernels/ligand_grids.h"
#include "dock/search/path.h"
#include "math/random.h"
#include "math/rotation.h"

enum { RECEPTOR_ATOMS = 50, LIGAND_ATOMS = 17, ROTATIONS = 7, PER_ROTATION = 3, SETS = 3, PAIR_TERMS = 3 };

/* A partner, and, for distances between poses, a molecule with the same atoms. */
typedef struct toy_molecule {
    qn_atom atoms[RECEPTOR_ATOMS];
    qn_dock_site sites[RECEPTOR_ATOMS];
    qn_residue residue;
    qn_molecule molecule;
    qn_dock_partner partner;
} toy_molecule;

static toy_molecule receptor, ligand;
static qn_context *context;
static qn_device *device;
static const char *identifier;
static bool halves;
static qn_dock_grid grid;
static qn_dock_energy energy;
static qn_dock_ligand ligand_sites;
static double matrices[ROTATIONS * 9];
static int32_t rotations[ROTATIONS * 9];

static const qn_coefficients coefficients[SETS] = {
    {"one", 0.4, -0.4, 250, 1, 4.8, 4, 125, INFINITY, false},
    {"two", 0.2, -0.9, 50, 0.5, 3.6, 3, 60, 10, false},
    {"three", 0.4, -0.4, -250, 1, 4.8, 4, 45, INFINITY, false},
};

/* Make a partner of random atoms in a ball of `radius` Å around (30, −20, 10) · sign. */
static void make_toy(toy_molecule *toy, int count, double radius, double sign, uint64_t stream)
{
    for (uint64_t i = 0, draw = 0; i < (uint64_t)count; i++) {
        double place[3], length;
        qn_dock_site *site = &toy->sites[i];
        do {
            length = 0;
            for (int axis = 0; axis < 3; axis++) {
                place[axis] = radius * (2 * qn_random_uniform(17, stream, draw++) - 1);
                length += place[axis] * place[axis];
            }
        } while (length > radius * radius);
        for (int axis = 0; axis < 3; axis++)
            site->position_angstrom[axis] = place[axis] + sign * (double[]){30, -20, 10}[axis];
        memcpy(toy->atoms[i].position_angstrom, site->position_angstrom, sizeof site->position_angstrom);
        strcpy(toy->atoms[i].name, "CA");
        strcpy(toy->atoms[i].element, i % 6 == 5 ? "H" : "C");
        site->heavy = i % 6 != 5;
        site->type = (int)(i % 19) - 1;
        site->radius_angstrom = site->heavy ? 1.8f : 0;
        site->charge_e = qn_random_uniform(17, stream + 1, i) - 0.5;
    }
    toy->residue = (qn_residue){.name = "ALA", .chain = "A", .number = 1, .atom_count = (size_t)count};
    toy->molecule =
        (qn_molecule){.atom_count = (size_t)count, .residue_count = 1, .atoms = toy->atoms, .residues = &toy->residue};
    toy->partner = (qn_dock_partner){.molecule = &toy->molecule, .sites = toy->sites, .site_count = (size_t)count};
}

static int next_size(int least, void *user)
{
    (void)user;
    return qn_fft_next_fast_size(QN_FFT_AUTO, least);
}

static size_t cell_at(const int cell[3])
{
    int wrapped[3];
    for (int axis = 0; axis < 3; axis++)
        wrapped[axis] = (cell[axis] % grid.cells[axis] + grid.cells[axis]) % grid.cells[axis];
    return (size_t)wrapped[0] +
           (size_t)grid.cells[0] * ((size_t)wrapped[1] + (size_t)grid.cells[1] * (size_t)wrapped[2]);
}

/* Energy of a pose x' = R·x + T in a set, from the receptor's layers. */
static double energy_of(size_t set, const double matrix[9], const double translation[3])
{
    double total = 0;
    for (size_t i = 0; i < LIGAND_ATOMS; i++) {
        double place[3];
        int low[3], nearest[3];
        qn_rotation_apply(matrix, ligand.sites[i].position_angstrom, place);
        for (int axis = 0; axis < 3; axis++) {
            place[axis] = (place[axis] + translation[axis] - grid.origin_angstrom[axis]) / grid.spacing_angstrom;
            low[axis] = (int)floor(place[axis]);
            nearest[axis] = (int)floor(place[axis] + 0.5);
        }
        for (size_t l = 0; l < energy.layer_count; l++) {
            const qn_dock_layer *layer = &energy.layers[l];
            double weight = energy.sets[set].scale[l] * energy.sets[set].weight[layer->term] *
                            energy.ligand_weights[(size_t)layer->ligand_grid * LIGAND_ATOMS + i];
            if (layer->ligand_grid != energy.trilinear_grid) total += weight * (double)layer->values[cell_at(nearest)];
            for (int corner = 0; corner < 8 && layer->ligand_grid == energy.trilinear_grid; corner++) {
                double share = weight;
                int cell[3];
                for (int axis = 0; axis < 3; axis++) {
                    double fraction = place[axis] - low[axis];
                    share *= corner >> axis & 1 ? fraction : 1 - fraction;
                    cell[axis] = low[axis] + (corner >> axis & 1);
                }
                total += share * (double)layer->values[cell_at(cell)];
            }
        }
    }
    return total;
}

static void prepare(void)
{
    static const double receptor_mask[1] = {0.3}, ligand_mask[1] = {-0.2};
    const qn_dock_masks masks = {.receptor = receptor_mask, .ligand = ligand_mask};
    double contact, reach;
    make_toy(&receptor, RECEPTOR_ATOMS, 9, 1, 1);
    make_toy(&ligand, LIGAND_ATOMS, 5, -1, 5);
    CHECK_OK(qn_dock_energy_piper(&receptor.partner, &ligand.partner, coefficients, SETS, PAIR_TERMS, &masks, &energy));
    qn_dock_energy_reach(&energy, &receptor.partner, &contact, &reach);
    CHECK_NEAR(contact, 1.8 + 4.8, 1e-6);
    CHECK_NEAR(reach, 12, 0);
    CHECK_OK(qn_dock_grid_plan(&receptor.partner, &ligand.partner, 1.3, contact, reach, 0, next_size, NULL, &grid));
    CHECK_OK(qn_dock_energy_fill(&energy, &receptor.partner, &grid, NULL));
    CHECK_OK(qn_dock_ligand_create(&ligand.partner, &energy, &grid, &ligand_sites));
    for (int r = 0; r < ROTATIONS; r++) {
        qn_rotation_super_fibonacci((size_t)r, ROTATIONS, matrices + 9 * r);
        qn_dock_rotation_to_integers(matrices + 9 * r, rotations + 9 * r);
    }
}

enum { HITS = ROTATIONS * SETS * PER_ROTATION };

/* Search all rotations. Fills hits [ROTATIONS][SETS][per_rotation]. A rule chooses the engine, because engines round
 * differently, and measured times may choose another engine in the next search. */
static void run_search(qn_dock_path path, int batch, int per_rotation, qn_dock_hit *hits)
{
    qn_dock_search *search;
    qn_dock_search_options options = {.batch = batch,
                                      .per_rotation = per_rotation,
                                      .exclusion_cells = 2,
                                      .path = path,
                                      .halves = halves,
                                      .engine = qn_fft_engine_of(device)};
    const size_t each = (size_t)(SETS * per_rotation);
    qn_dock_hit found[16 * SETS * PER_ROTATION];
    if (!CHECK_OK(
            qn_dock_search_create(device, &grid, &energy, &ligand_sites, rotations, ROTATIONS, &options, &search)))
        return;
    for (int first = 0; first < ROTATIONS; first += batch) {
        int count = ROTATIONS - first < batch ? ROTATIONS - first : batch;
        CHECK_OK(qn_dock_search_submit(search, first, first / batch % 2));
        CHECK_OK(qn_dock_search_collect(search, first / batch % 2, found));
        memcpy(hits + (size_t)first * each, found, (size_t)count * each * sizeof *hits);
    }
    qn_dock_search_destroy(&search);
}

enum { PATHS = 2 };

static void search_equals_brute_force(void)
{
    static const qn_dock_path paths[PATHS] = {QN_DOCK_PATH_LIBRARY, QN_DOCK_PATH_FUSED};
    static qn_dock_hit hits[PATHS][HITS];
    qn_best_cells_problem problem = {.rotations = 1, .keep = PER_ROTATION, .radius = 2};
    void *memory;
    size_t volume = qn_dock_grid_volume(&grid);
    for (int axis = 0; axis < 3; axis++) {
        problem.cells[axis] = grid.cells[axis];
        problem.first_shift[axis] = grid.first_shift[axis];
        problem.last_shift[axis] = grid.last_shift[axis];
    }
    for (int path = 0; path < PATHS; path++) run_search(paths[path], 2, PER_ROTATION, hits[path]);
    CHECK_OK(qn_allocate(volume, sizeof(float), &memory));
    float *scores = memory;
    double lowest = 0;
    for (size_t r = 0; r < ROTATIONS; r++)
        for (size_t set = 0; set < SETS; set++) {
            float energies[PER_ROTATION];
            int32_t cells[PER_ROTATION];
            for (size_t cell = 0; cell < volume; cell++) {
                double translation[3];
                qn_dock_grid_translation(&grid, (long)cell, matrices + 9 * r, translation);
                scores[cell] = (float)energy_of(set, matrices + 9 * r, translation);
            }
            CHECK_OK(qn_best_cells_reference(&problem, scores, energies, cells));
            for (size_t i = 0; i < PATHS * PER_ROTATION; i++) {
                const size_t k = i % PER_ROTATION;
                const qn_dock_hit *hit = &hits[i / PER_ROTATION][(r * SETS + set) * PER_ROTATION + k];
                double terms[QN_DOCK_TERMS_MAX], total = 0;
                CHECK(hit->cell == cells[k]);
                /* positions are rounded to 1/4096 voxel, and transforms are in single precision */
                CHECK_NEAR((double)hit->energy, (double)energies[k], 0.05);
                CHECK_NEAR(qn_dock_rescore(&grid, &energy, set, &ligand_sites, rotations + 9 * r, hit->cell, terms),
                           (double)energies[k], 0.02);
                for (int term = 0; term < energy.term_count; term++)
                    total += energy.sets[set].weight[term] * terms[term];
                CHECK_NEAR(total, (double)energies[k], 0.02);
                lowest = fmin(lowest, (double)energies[k]);
            }
        }
    CHECK(lowest < -20);
    qn_release(&memory);
}

/* Cells do not depend on the batch; on the fused path, energies do not either. */
static void results_do_not_depend_on_the_batch(void)
{
    static qn_dock_hit one[HITS], other[HITS];
    for (int path = QN_DOCK_PATH_FUSED; path <= QN_DOCK_PATH_LIBRARY; path++) {
        run_search((qn_dock_path)path, 1, PER_ROTATION, one);
        for (int batch = 2; batch <= 8; batch += 3) {
            run_search((qn_dock_path)path, batch, PER_ROTATION, other);
            for (int i = 0; i < HITS; i++) {
                CHECK(one[i].cell == other[i].cell);
                CHECK(path == QN_DOCK_PATH_LIBRARY || one[i].energy == other[i].energy);
            }
        }
    }
}

/* The search for the single best cell within the last transform finds the first of the cells that are found from all
 * scores. */
static void single_best_cell_is_the_first_of_several(void)
{
    static qn_dock_hit several[HITS], alone[ROTATIONS * SETS];
    for (int path = QN_DOCK_PATH_FUSED; path <= QN_DOCK_PATH_LIBRARY; path++) {
        run_search((qn_dock_path)path, 4, PER_ROTATION, several);
        run_search((qn_dock_path)path, 4, 1, alone);
        for (int i = 0; i < ROTATIONS * SETS; i++) {
            CHECK(alone[i].cell == several[i * PER_ROTATION].cell);
            CHECK(alone[i].energy == several[i * PER_ROTATION].energy);
        }
    }
}

/* In half precision, errors of energies are about a thousandth of the largest terms, so that most best cells are the
 * same. */
static void half_precision_finds_mostly_the_same_cells(void)
{
    qn_dock_hit whole[ROTATIONS * SETS], half[ROTATIONS * SETS];
    int same = 0;
    if (strstr(identifier, "host")) {
        qn_dock_search *search = NULL;
        const qn_dock_search_options options = {
            .batch = 1, .per_rotation = 1, .path = QN_DOCK_PATH_FUSED, .halves = true};
        CHECK(qn_dock_search_create(device, &grid, &energy, &ligand_sites, rotations, ROTATIONS, &options, &search) ==
              QN_UNSUPPORTED);
        return;
    }
    run_search(QN_DOCK_PATH_FUSED, 4, 1, whole);
    halves = true;
    run_search(QN_DOCK_PATH_FUSED, 4, 1, half);
    halves = false;
    for (int i = 0; i < ROTATIONS * SETS; i++) {
        same += whole[i].cell == half[i].cell;
        CHECK_NEAR((double)half[i].energy, (double)whole[i].energy, 0.02 * fabs((double)whole[i].energy) + 0.5);
    }
    CHECK(same >= ROTATIONS * SETS * 2 / 3);
}

static void path_depends_on_sides_and_device(void)
{
    const bool cpu_of_opencl = qn_device_get_info(device)->kind == QN_DEVICE_CPU && strstr(identifier, "opencl");
    qn_dock_grid other = grid;
    CHECK(qn_search_fused_suits(device, &grid) == !cpu_of_opencl);
    other.cells[1] = 22;
    CHECK(!qn_search_fused_suits(device, &other));
    other.cells[1] = 525;
    CHECK(!qn_search_fused_suits(device, &other));
    other = grid;
    other.box = other.cells[0] + 1;
    CHECK(!qn_search_fused_suits(device, &other));
}

static void rank(const qn_dock_hit *hits, size_t set, const qn_dock_restraints *restraints, size_t keep,
                 qn_dock_pose **poses, size_t *count)
{
    qn_dock_cells cells;
    CHECK_OK(qn_dock_cells_create(&energy, &grid, NULL, &cells));
    const qn_dock_candidates candidates = {.grid = &grid,
                                           .energy = &energy,
                                           .ligand = &ligand_sites,
                                           .cells = &cells,
                                           .matrices = matrices,
                                           .rotations = rotations,
                                           .rotation_count = ROTATIONS,
                                           .per_rotation = PER_ROTATION,
                                           .hits = hits,
                                           .restraints = restraints};
    CHECK_OK(qn_dock_poses_rank(&candidates, set, keep, NULL, poses, count));
    qn_dock_cells_clear(&cells);
    CHECK(*count == keep);
}

static void poses_are_ranked_by_rescored_energy(void)
{
    static qn_dock_hit hits[HITS];
    run_search(QN_DOCK_PATH_AUTO, 4, PER_ROTATION, hits);
    for (size_t set = 0; set < SETS; set++) {
        qn_dock_pose *poses;
        size_t count;
        rank(hits, set, NULL, 9, &poses, &count);
        for (size_t i = 0; i < count; i++) {
            CHECK(poses[i].set == set);
            CHECK_NEAR(poses[i].energy, energy_of(set, poses[i].matrix, poses[i].translation_angstrom), 0.02);
            if (i) CHECK(poses[i - 1].energy <= poses[i].energy);
        }
        qn_release(&poses);
    }
}

/* Number of a set's hits with a lower energy of the grid than a pose. */
static size_t lower_hits(const qn_dock_hit *hits, size_t set, const qn_dock_pose *pose)
{
    const qn_dock_hit *own = hits + ((size_t)pose->rotation * SETS + set) * PER_ROTATION;
    size_t lower = 0;
    while (own->cell != pose->cell) own++;
    for (size_t r = 0; r < ROTATIONS; r++)
        for (size_t k = 0; k < PER_ROTATION; k++)
            lower += hits[(r * SETS + set) * PER_ROTATION + k].energy < own->energy;
    return lower;
}

/* Only the poses of lowest energy of the grid are rescored, four for each that is kept. These energies are random here,
 * so that poses which are left out would be better. */
static void poses_of_low_grid_energy_are_rescored(void)
{
    static qn_dock_hit hits[HITS];
    qn_dock_pose *all, *few;
    size_t count;
    run_search(QN_DOCK_PATH_AUTO, 4, PER_ROTATION, hits);
    for (uint64_t draw = 0; draw < 20; draw++) {
        const size_t keep = 1 + draw % 3;
        size_t found = 0;
        for (size_t i = 0; i < HITS; i++) hits[i].energy = (float)qn_random_uniform(5, draw, i);
        rank(hits, 1, NULL, (size_t)ROTATIONS * PER_ROTATION, &all, &count);
        rank(hits, 1, NULL, keep, &few, &count);
        for (size_t i = 0; i < (size_t)ROTATIONS * PER_ROTATION && found < keep; i++) {
            if (lower_hits(hits, 1, &all[i]) >= 4 * keep) continue;
            CHECK(few[found].rotation == all[i].rotation && few[found].cell == all[i].cell);
            found++;
        }
        CHECK(found == keep);
        qn_release(&few);
        qn_release(&all);
    }
}

/* Restraints that are not required leave no pose out; the satisfied share of them is energy of the masks' term. */
static void poses_gain_the_energy_of_restraints(void)
{
    static qn_dock_hit hits[HITS];
    const qn_molecule *const molecules[2] = {&receptor.molecule, &ligand.molecule};
    bool all[RECEPTOR_ATOMS];
    qn_dock_restraints restraints = {.strength = 1};
    qn_dock_pose *poses;
    size_t count, gaining = 0;
    run_search(QN_DOCK_PATH_AUTO, 4, PER_ROTATION, hits);
    memset(all, true, sizeof all);
    CHECK_OK(qn_dock_ambiguous_add(molecules, (const bool *const[2]){all, all}, 2, &restraints.ambiguous));
    rank(hits, 0, &restraints, 9, &poses, &count);
    for (size_t i = 0; i < count; i++) {
        const double gain = qn_dock_restraints_energy(&restraints, poses[i].matrix, poses[i].translation_angstrom);
        const double others = energy_of(0, poses[i].matrix, poses[i].translation_angstrom);
        CHECK_NEAR(poses[i].energy, others + energy.sets[0].weight[energy.term_count - 1] * gain, 0.02);
        if (gain < -1) gaining++;
        if (i) CHECK(poses[i - 1].energy <= poses[i].energy);
    }
    CHECK(gaining > 0);
    qn_release(&poses);
    qn_dock_restraints_clear(&restraints);
}

/* Compute the distances of all pairs from the definition. */
static void pose_distances_equal_their_definition(void)
{
    static qn_dock_hit hits[HITS];
    qn_dock_pose *poses;
    size_t count;
    float *distances;
    run_search(QN_DOCK_PATH_AUTO, 4, PER_ROTATION, hits);
    rank(hits, 0, NULL, 9, &poses, &count);
    CHECK_OK(qn_dock_pose_distances(&receptor.molecule, &ligand.molecule, poses, count, NULL, &distances));
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            double sum = 0;
            int used = 0;
            for (int atom = 0; atom < LIGAND_ATOMS; atom++) {
                double place[2][3], apart = 0;
                bool near_receptor = false;
                for (int k = 0; k < 2; k++) {
                    const qn_dock_pose *pose = &poses[k ? j : i];
                    qn_rotation_apply(pose->matrix, ligand.atoms[atom].position_angstrom, place[k]);
                    for (int axis = 0; axis < 3; axis++) place[k][axis] += pose->translation_angstrom[axis];
                    for (int other = 0; other < RECEPTOR_ATOMS; other++) {
                        double d2 = 0;
                        for (int axis = 0; axis < 3; axis++)
                            d2 += pow(place[k][axis] - receptor.atoms[other].position_angstrom[axis], 2);
                        if (d2 <= 100 && receptor.sites[other].heavy) near_receptor = true;
                    }
                }
                for (int axis = 0; axis < 3; axis++) apart += pow(place[0][axis] - place[1][axis], 2);
                /* All atoms are named CA, hydrogens too, so that all of them are used. */
                if (near_receptor) {
                    sum += apart;
                    used++;
                }
            }
            CHECK_NEAR((double)distances[i * count + j], used ? sqrt(sum / used) : INFINITY, 1e-4);
        }
    qn_release(&distances);
    qn_release(&poses);
}

int main(int argc, char **argv)
{
    identifier = argc > 1 ? argv[1] : "host";
    if (qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context) != QN_OK)
        return 1;
    if (qn_device_open(context, identifier, &device) != QN_OK) check_skip(identifier, qn_error_message());
    RUN(prepare);
    RUN_LONG(search_equals_brute_force);
    RUN(results_do_not_depend_on_the_batch);
    RUN(single_best_cell_is_the_first_of_several);
    RUN(half_precision_finds_mostly_the_same_cells);
    RUN(path_depends_on_sides_and_device);
    RUN(poses_are_ranked_by_rescored_energy);
    RUN(poses_of_low_grid_energy_are_rescored);
    RUN(poses_gain_the_energy_of_restraints);
    RUN(pose_distances_equal_their_definition);
    qn_dock_energy_clear(&energy);
    qn_dock_ligand_clear(&ligand_sites);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
