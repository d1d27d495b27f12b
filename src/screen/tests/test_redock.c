/* devices: host cuda:0 */
/* Imatinib, rotated at random, is docked into Abl kinase at its position in the crystal, and at a lower energy. Seeds
 * agree on the lowest energy of a ligand in a narrow pocket. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "chemistry/symmetry.h"
#include "format/compound/compound_stream.h"
#include "math/rotation.h"
#include "screen/search/search.h"

static qn_context *context;
static qn_device *device;
static qn_score_receptor receptor;
static qn_compound **compounds;
static size_t compound_count;

/* Path of a file in examples/, which is beside tests/. */
static const char *example(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/../../examples/%s", check_data("."), name);
    return path;
}

/* Compute the positions of all atoms of the compound in a pose. */
static void place(const qn_screen_search_options *options, const qn_screen_pose *pose, const qn_score_ligand *ligand,
                  const double *start, size_t count, double *placed)
{
    double rotation[9], translation[3];
    qn_screen_pose_transform(options, pose, rotation, translation);
    for (size_t i = 0; i < count; i++) {
        double about[3];
        for (int d = 0; d < 3; d++) about[d] = start[3 * i + (size_t)d] - ligand->centroid_angstrom[d];
        qn_rotation_apply(rotation, about, placed + 3 * i);
        for (int d = 0; d < 3; d++) placed[3 * i + (size_t)d] += translation[d];
    }
}

static double crystal_energy(const qn_score_ligand *ligand, const double *positions)
{
    double heavy[256 * 3];
    qn_bude_energy energy = {0};
    if (!CHECK(ligand->atom_count <= 256)) return 0;
    for (int i = 0; i < 3 * ligand->atom_count; i++) heavy[i] = positions[3 * ligand->atom[i / 3] + i % 3];
    qn_bude_energy_of(receptor.score.force_field, heavy, ligand->type, (size_t)ligand->atom_count,
                      receptor.positions_angstrom, receptor.types, receptor.atom_count, &energy);
    return energy.total;
}

static void check_best(const qn_screen_search_options *options, const qn_screen_pose *best,
                       const qn_score_ligand *turned, const double *crystal, double energy)
{
    const qn_compound *compound = compounds[0];
    qn_symmetry symmetry;
    double *placed = NULL;
    bool complete;
    CHECK_OK(qn_symmetry_find(compound, 1000, &symmetry, &complete));
    CHECK_OK(qn_allocate(3 * compound->atom_count, sizeof *placed, (void **)&placed));
    place(options, best, turned, qn_compound_positions(compound, 0), compound->atom_count, placed);
    CHECK(qn_symmetry_rmsd_angstrom(&symmetry, placed, crystal) < 1); /* the minimum of the score is 0.5 Å away */
    CHECK((double)best->energy < energy);
    qn_release(&placed);
    qn_symmetry_clear(&symmetry);
}

static void imatinib_is_docked_at_its_position_in_the_crystal(void)
{
    qn_compound *compound = compounds[0];
    const size_t count = 3 * compound->atom_count;
    double *crystal = NULL, matrix[9], *positions = qn_compound_positions(compound, 0);
    qn_screen_search_options options = qn_screen_search_default_options();
    qn_screen_pose poses[QN_SCREEN_MINIMA];
    qn_score_ligand ligand, turned;
    qn_screen_search *search = NULL;
    CHECK_OK(qn_allocate(count, sizeof *crystal, (void **)&crystal));
    memcpy(crystal, positions, count * sizeof *crystal);
    CHECK_OK(qn_score_ligand_create(compound, &receptor.score, &ligand));
    const double energy = crystal_energy(&ligand, crystal);
    qn_rotation_from_seed(3, matrix);
    for (size_t i = 0; i < compound->atom_count; i++) qn_rotation_apply(matrix, crystal + 3 * i, positions + 3 * i);
    CHECK_OK(qn_score_ligand_create(compound, &receptor.score, &turned));
    for (int d = 0; d < 3; d++) {
        options.box_centre_angstrom[d] = ligand.centroid_angstrom[d];
        options.box_side_angstrom[d] = 20;
    }
    if (CHECK_OK(qn_screen_search_create(device, &receptor, &options, &search))) {
        CHECK_OK(qn_screen_search_submit(search, &(qn_screen_job){&turned, 0}, 1, 0));
        CHECK_OK(qn_screen_search_collect(search, 0, poses, NULL));
        check_best(&options, &poses[0], &turned, crystal, energy);
    }
    qn_screen_search_destroy(&search);
    qn_score_ligand_clear(&ligand);
    qn_score_ligand_clear(&turned);
    qn_release(&crystal);
}

/* Ten seeds find the same lowest energy of chymase's inhibitor (2BM2), whose pocket is narrow: to 1 %, though few of
 * their rounds find it, and to 0.3 kJ/mol, to which the last minimisation converges. */
static void ten_seeds_find_the_same_minimum(void)
{
    enum { SEEDS = 10 };
    char receptor_file[1024], ligand_file[1024];
    qn_score_receptor narrow;
    qn_compound **read = NULL;
    size_t count = 0;
    qn_score_ligand ligand;
    qn_screen_search_options options = qn_screen_search_default_options();
    double energies[SEEDS] = {0}, lowest = 0;
    snprintf(receptor_file, sizeof receptor_file, "%s",
             check_reference_data("docking/flexible42/2bm2/protein.pdbqt.gz"));
    snprintf(ligand_file, sizeof ligand_file, "%s", check_reference_data("docking/flexible42/2bm2/flex-xray.pdbqt"));
    if (!CHECK_OK(qn_score_receptor_read(receptor_file, &receptor.score, &narrow))) return;
    if (!CHECK_OK(qn_compound_read_file(ligand_file, &read, &count))) return;
    CHECK_OK(qn_score_ligand_prepare(read[0]));
    CHECK_OK(qn_score_ligand_create(read[0], &receptor.score, &ligand));
    for (int d = 0; d < 3; d++) {
        options.box_centre_angstrom[d] = ligand.centroid_angstrom[d];
        options.box_side_angstrom[d] = 12;
    }
    for (int i = 0; i < SEEDS; i++) {
        qn_screen_search *search = NULL;
        qn_screen_pose poses[QN_SCREEN_MINIMA] = {{0}};
        options.seed = 1 + (uint64_t)i;
        if (!CHECK_OK(qn_screen_search_create(device, &narrow, &options, &search))) break;
        CHECK_OK(qn_screen_search_submit(search, &(qn_screen_job){&ligand, 0}, 1, 0));
        CHECK_OK(qn_screen_search_collect(search, 0, poses, NULL));
        energies[i] = (double)poses[0].energy;
        lowest = fmin(lowest, energies[i]);
        qn_screen_search_destroy(&search);
    }
    for (int i = 0; i < SEEDS; i++) CHECK_NEAR(energies[i], lowest, 0.3);
    for (size_t i = 0; i < count; i++) qn_compound_destroy(&read[i]);
    qn_release(&read);
    qn_score_ligand_clear(&ligand);
    qn_score_receptor_clear(&narrow);
}

int main(int argc, char **argv)
{
    const char *identifier = argc > 1 ? argv[1] : "host";
    const qn_ligand_score score = {QN_SCORE_BUDE, qn_bude_find("2016")};
    CHECK_OK(qn_context_create(NULL, &context));
    if (qn_device_open(context, identifier, &device) != QN_OK) check_skip(identifier, qn_error_message());
    if (CHECK_OK(qn_score_receptor_read(example("1iep/1iep_receptor.pdb"), &score, &receptor)) &&
        CHECK_OK(qn_compound_read_file(example("1iep/1iep_ligand.sdf"), &compounds, &compound_count)))
        RUN(imatinib_is_docked_at_its_position_in_the_crystal);
    if (check_reference_data("docking/flexible42/2bm2")) RUN_LONG(ten_seeds_find_the_same_minimum);
    for (size_t i = 0; i < compound_count; i++) qn_compound_destroy(&compounds[i]);
    qn_release(&compounds);
    qn_score_receptor_clear(&receptor);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
