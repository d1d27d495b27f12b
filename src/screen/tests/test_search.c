/* devices: host opencl:0 cuda:0 checking:host */
/* labels: unsanitized@checking */
/* The search with invented energies, whose minima are known and whose bits are the same on every device. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/random.h"
#include "math/rotation.h"
#include "score/kernels/score_poses.h"
#include "screen/search/scorer.h"

enum { JOBS = 5, ATOMS = 12, WINNERS = 8, MINIMA = QN_SCREEN_MINIMA, AT_ONCE = 4 /* rounds of a job */ };

static const char *identifier;
static qn_context *context;
static qn_device *device;

static float positions[JOBS * ATOMS * 3];
static int types[ATOMS];
static qn_score_ligand ligands[JOBS - 1]; /* the second has two conformers */
static qn_screen_job jobs[JOBS];

static double uniform(uint64_t stream, uint64_t index)
{
    return qn_random_uniform(23, stream, index);
}

static void make_ligands(void)
{
    for (int job = 0; job < JOBS; job++)
        for (int axis = 0; axis < 3; axis++) {
            double mean = 0;
            float *own = positions + 3 * job * ATOMS + axis;
            for (int i = 0; i < ATOMS; i++) own[3 * i] = (float)(6 * uniform((uint64_t)job, (uint64_t)(3 * i + axis)));
            for (int i = 0; i < ATOMS; i++) mean += (double)own[3 * i] / ATOMS;
            for (int i = 0; i < ATOMS; i++) own[3 * i] -= (float)mean;
        }
    for (int i = 0; i < JOBS - 1; i++)
        ligands[i] = (qn_score_ligand){.hash = 77 + (uint64_t)i,
                                       .atom_count = ATOMS - (i == 3),
                                       .conformer_count = 1 + (i == 1),
                                       .type = types,
                                       .positions_angstrom = positions + 3 * ATOMS * (i + (i > 1))};
    for (int job = 0; job < JOBS; job++) jobs[job] = (qn_screen_job){&ligands[job < 2 ? job : job - 1], job == 2};
}

/* Two pockets, each with slopes all around and one best pose for any ligand; the first is deeper. */
static const double pocket_place[2][3] = {{13, 2, -3}, {7, -3, 1}};

static float pocket_energy(const qn_score_poses_atom *atoms, int count, const float *transform, size_t stride)
{
    double energy = 0;
    for (int pocket = 0; pocket < 2; pocket++) {
        double matrix[9], sum = 0;
        qn_rotation_from_seed(5 + (uint64_t)pocket, matrix);
        for (int i = 0; i < count; i++) {
            const double p[3] = {(double)atoms[i].x, (double)atoms[i].y, (double)atoms[i].z};
            for (int row = 0; row < 3; row++) {
                double apart = (double)transform[(size_t)(4 * row + 3) * stride] - pocket_place[pocket][row];
                for (int k = 0; k < 3; k++)
                    apart += ((double)transform[(size_t)(4 * row + k) * stride] - matrix[3 * row + k]) * p[k];
                sum += apart * apart;
            }
        }
        energy = fmin(energy, -(pocket ? 8 : 10) / (1 + 0.1 * sum / count));
    }
    return (float)energy;
}

static qn_status stub_create(qn_device *on, const qn_score_receptor *receptor, const qn_screen_search_options *options,
                             double hardness, void **state)
{
    (void)on, (void)receptor, (void)options;
    QN_TRY(qn_allocate(1, sizeof hardness, state));
    memcpy(*state, &hardness, sizeof hardness);
    return QN_OK;
}

static void stub_destroy(void **state)
{
    qn_release(state);
}

static const float soft_shift = 1000;
static int soft_launches;
static bool rugged; /* energies are random, so that each search ends elsewhere */

static float rugged_energy(const float *transform, size_t stride)
{
    uint64_t bits = 0;
    for (size_t k = 0; k < 12; k++) {
        uint32_t word;
        memcpy(&word, transform + k * stride, 4);
        bits = (bits ^ word) * 0x9e3779b97f4a7c15u;
    }
    return (float)(20 * log(1e-9 + uniform(9, bits)));
}

/* Score on the host for any device: read the transforms, write energies. */
static qn_status stub_score(qn_queue *queue, const void *state, const qn_screen_scoring *scoring,
                            qn_score_poses_events *events)
{
    static qn_score_poses_job ranges[JOBS * AT_ONCE];
    static qn_score_poses_atom atoms[JOBS * ATOMS * AT_ONCE];
    const size_t poses = (size_t)scoring->poses, all = (size_t)scoring->jobs * poses;
    float *transforms = NULL, *energies = NULL;
    /* Energies of the soft receptor are far lower, and must not be among the results. */
    const float shift = *(const double *)state < 1 ? -soft_shift : 0;
    soft_launches += shift < 0;
    QN_TRY(qn_allocate(all * 12, sizeof(float), (void **)&transforms));
    QN_TRY(qn_allocate(all, sizeof(float), (void **)&energies));
    QN_TRY(qn_queue_read(queue, scoring->job_ranges, 0, ranges, (size_t)scoring->jobs * sizeof *ranges, NULL));
    QN_TRY(qn_queue_read(queue, scoring->atoms, 0, atoms, (size_t)scoring->ligand_atoms * sizeof *atoms, NULL));
    QN_TRY(qn_queue_read(queue, scoring->transforms, 0, transforms, all * 48, NULL));
    QN_TRY(qn_queue_finish(queue));
    for (size_t i = 0; i < all; i++) {
        const qn_score_poses_job *range = &ranges[i / poses];
        energies[i] = rugged ? rugged_energy(transforms + i, all)
                             : pocket_energy(atoms + range->first_atom, range->atom_count, transforms + i, all) + shift;
    }
    QN_TRY(qn_queue_write(queue, scoring->energies, 0, energies, all * 4, &events->events[events->count++]));
    QN_TRY(qn_queue_finish(queue));
    qn_release(&transforms);
    qn_release(&energies);
    return QN_OK;
}

static const qn_screen_scorer stub = {stub_create, stub_destroy, stub_score, NULL};

static qn_screen_search_options options_of(void)
{
    qn_screen_search_options options = qn_screen_search_default_options();
    for (int axis = 0; axis < 3; axis++) {
        options.box_centre_angstrom[axis] = (double[]){10, 0, -1}[axis];
        options.box_side_angstrom[axis] = (double[]){16, 12, 15}[axis];
    }
    options.poses = 512; /* two populations */
    options.generations = 20;
    options.winners = WINNERS;
    options.minimiser_steps = 30;
    return options;
}

/* Search all jobs in batches, in both slots in turn; with `backwards` from the last job to the first. */
static void search_all(qn_device *on, const qn_screen_search_options *options, bool backwards, qn_screen_pose *poses)
{
    const qn_score_receptor receptor = {.atom_count = 10};
    qn_screen_job ordered[JOBS];
    qn_screen_pose found[JOBS * MINIMA];
    qn_screen_search *search = NULL;
    if (!CHECK_OK(qn_screen_search_create_with(on, &stub, &receptor, options, &search))) return;
    const int batch = qn_screen_search_batch(search) < JOBS ? qn_screen_search_batch(search) : JOBS;
    for (int i = 0; i < JOBS; i++) ordered[i] = jobs[backwards ? JOBS - 1 - i : i];
    for (int first = 0, slot = 0, waiting = -1; first < JOBS || waiting >= 0; slot ^= 1) {
        int count = JOBS - first < batch ? JOBS - first : batch;
        if (count > 0) CHECK_OK(qn_screen_search_submit(search, ordered + first, count, slot));
        if (waiting >= 0) {
            double interactions;
            CHECK_OK(qn_screen_search_collect(search, slot ^ 1, found + waiting * MINIMA, &interactions));
            CHECK(interactions > 0);
        }
        waiting = count > 0 ? first : -1;
        first += count > 0 ? count : 0;
    }
    for (int i = 0; i < JOBS; i++)
        memcpy(poses + i * MINIMA, found + (backwards ? JOBS - 1 - i : i) * MINIMA, MINIMA * sizeof *poses);
    CHECK(qn_screen_search_scoring_seconds(search) >= 0 && qn_screen_search_evolving_seconds(search) > 0);
    qn_screen_search_destroy(&search);
    CHECK(search == NULL);
}

static bool same(const qn_screen_pose *a, const qn_screen_pose *b)
{
    return memcmp(a, b, JOBS * MINIMA * sizeof *a) == 0;
}

static double rmsd_to_pocket(const qn_screen_search_options *options, const qn_screen_pose *pose, int job, int pocket)
{
    double rotation[9], translation[3], matrix[9], sum = 0;
    const qn_score_ligand *ligand = jobs[job].ligand;
    const float *p = ligand->positions_angstrom + 3 * jobs[job].conformer * ligand->atom_count;
    qn_screen_pose_transform(options, pose, rotation, translation);
    qn_rotation_from_seed(5 + (uint64_t)pocket, matrix);
    for (int i = 0; i < ligand->atom_count; i++)
        for (int row = 0; row < 3; row++) {
            double apart = translation[row] - pocket_place[pocket][row];
            for (int k = 0; k < 3; k++) apart += (rotation[3 * row + k] - matrix[3 * row + k]) * (double)p[3 * i + k];
            sum += apart * apart;
        }
    return sqrt(sum / ligand->atom_count);
}

static qn_screen_pose usual[JOBS * MINIMA];

static void the_search_finds_the_deeper_pocket(void)
{
    const qn_screen_search_options options = options_of();
    soft_launches = 0;
    search_all(device, &options, false, usual);
    CHECK(soft_launches > 0 && soft_launches % 12 == 0); /* 60 % of 20 generations */
    for (int job = 0; job < JOBS; job++) {
        const qn_screen_pose *own = usual + job * MINIMA;
        CHECK(own[0].energy > -11);
        CHECK(rmsd_to_pocket(&options, own, job, 0) < 0.05);
        for (int i = 0; i + 1 < MINIMA; i++) CHECK(own[i].energy <= own[i + 1].energy);
    }
}

static void results_depend_on_the_seed_and_not_on_batch_or_order(void)
{
    qn_screen_search_options options = options_of();
    qn_screen_pose poses[JOBS * MINIMA];
    for (int i = 0; i < 3; i++) {
        options.batch = (int[]){1, 2, 5}[i];
        search_all(device, &options, i == 1, poses);
        CHECK(same(poses, usual));
    }
    options.seed++;
    search_all(device, &options, false, poses);
    for (int job = 0; job < JOBS; job++) CHECK(memcmp(poses + job * MINIMA, usual + job * MINIMA, 16) != 0);
}

static void devices_and_threads_agree(void)
{
    const qn_screen_search_options options = options_of();
    for (int threads = 1; threads < 4; threads += 2) {
        qn_screen_pose poses[JOBS * MINIMA];
        qn_context *other = NULL;
        qn_device *host = NULL;
        CHECK_OK(
            qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = threads}, &other));
        CHECK_OK(qn_device_open(other, "host", &host));
        search_all(host, &options, false, poses);
        CHECK(same(poses, usual));
        qn_device_release(&host);
        qn_context_destroy(&other);
    }
}

/* With BUDE's energies in exact arithmetic, results have the same bytes on the device and on the host. */
static void exact_searches_agree(void)
{
    enum { RECEPTOR_ATOMS = 150 };
    static double places[RECEPTOR_ATOMS * 3];
    static int receptor_types[RECEPTOR_ATOMS];
    qn_screen_pose own[2 * MINIMA], other[2 * MINIMA];
    qn_score_receptor receptor = {.score = {QN_SCORE_BUDE, qn_bude_find("2016")},
                                  .atom_count = RECEPTOR_ATOMS,
                                  .positions_angstrom = places,
                                  .types = receptor_types};
    qn_screen_search_options options = options_of();
    qn_context *second = NULL;
    qn_device *host = NULL;
    options.exact = true;
    for (int i = 0; i < RECEPTOR_ATOMS; i++) {
        receptor_types[i] = (int)(uniform(50, (uint64_t)i) * receptor.score.force_field->type_count);
        for (int d = 0; d < 3; d++) places[3 * i + d] = 24 * uniform(51, (uint64_t)(3 * i + d)) - (d ? 12 : 2);
    }
    for (int i = 0; i < ATOMS; i++) types[i] = i / 2;
    CHECK_OK(qn_context_create(NULL, &second));
    CHECK_OK(qn_device_open(second, "host", &host));
    for (int i = 0; i < 2; i++) {
        qn_screen_search *search = NULL;
        CHECK_OK(qn_screen_search_create(i ? host : device, &receptor, &options, &search));
        CHECK_OK(qn_screen_search_submit(search, jobs, 2, 1));
        CHECK_OK(qn_screen_search_collect(search, 1, i ? other : own, NULL));
        qn_screen_search_destroy(&search);
    }
    CHECK(memcmp(own, other, sizeof own) == 0);
    CHECK(own[0].energy < 0 && own[0].energy < own[1].energy);
    qn_device_release(&host);
    qn_context_destroy(&second);
}

/* Search the first job alone. Returns the number of pairs scored, and whether the search is unsettled. */
static double search_one(const qn_screen_search_options *options, qn_screen_pose poses[MINIMA], bool *unsettled)
{
    const qn_score_receptor receptor = {.atom_count = 10};
    qn_screen_search *search = NULL;
    double interactions = 0;
    if (!CHECK_OK(qn_screen_search_create_with(device, &stub, &receptor, options, &search))) return 0;
    CHECK_OK(qn_screen_search_submit(search, jobs, 1, 0));
    CHECK_OK(qn_screen_search_collect(search, 0, poses, &interactions));
    *unsettled = qn_screen_search_is_unsettled(search, 0, 0);
    qn_screen_search_destroy(&search);
    return interactions;
}

/* Four rounds are enough for the pocket, which every round finds; so it does not matter how many more are allowed.
 * Where energies are drawn at random, no two rounds agree, and all rounds are searched. */
static void rounds_end_when_four_have_found_the_lowest_energy(void)
{
    qn_screen_search_options options = options_of();
    qn_screen_pose few[MINIMA], many[MINIMA];
    bool unsettled = true;
    options.minimiser_steps = 0; /* so that all work is that of the rounds */
    options.generations = 40;
    options.rounds = 4;
    const double four = search_one(&options, few, &unsettled);
    CHECK(!unsettled);
    options.rounds = 12;
    CHECK(search_one(&options, many, &unsettled) == four && !unsettled);
    CHECK(memcmp(few, many, sizeof few) == 0);
    options.rounds = 1;
    CHECK(search_one(&options, few, &unsettled) == four / 4 && !unsettled);
    CHECK(few[0].energy >= many[0].energy);
    rugged = true;
    options.rounds = 4;
    CHECK(search_one(&options, few, &unsettled) == four && unsettled);
    options.rounds = 11;
    CHECK(search_one(&options, many, &unsettled) == four / 4 * 11 && unsettled);
    CHECK(many[0].energy <= few[0].energy);
    rugged = false;
}

/* Three steps are too few for the minimiser; at the end it goes on until its steps have become smallest. */
static void the_last_minimisation_converges(void)
{
    qn_screen_search_options options = options_of();
    qn_screen_pose poses[MINIMA];
    bool unsettled;
    options.generations = 4; /* few, so that the poses are far from their minima */
    options.minimiser_steps = 3;
    options.rounds = 1;
    CHECK(search_one(&options, poses, &unsettled) > 0);
    const int pocket = rmsd_to_pocket(&options, poses, 0, 0) < rmsd_to_pocket(&options, poses, 0, 1) ? 0 : 1;
    CHECK(rmsd_to_pocket(&options, poses, 0, pocket) < 0.02);
}

/* The last generation is scored with the hard receptor, however few generations there are. */
static void the_last_generation_has_the_hard_receptor(void)
{
    qn_screen_search_options options = options_of();
    for (options.generations = 1; options.generations < 5; options.generations++) {
        qn_screen_pose poses[JOBS * MINIMA];
        soft_launches = 0;
        search_all(device, &options, false, poses);
        CHECK((soft_launches > 0) == (options.generations > 1));
        for (int i = 0; i < JOBS * MINIMA; i++) CHECK(poses[i].energy > -11);
    }
}

/* For any number of poses, the populations have one size and hold all poses. */
static void populations_have_equal_sizes(void)
{
    CHECK(qn_screen_search_populations(64) == 1 && qn_screen_search_populations(256) == 1);
    CHECK(qn_screen_search_populations(512) == 2 && qn_screen_search_populations(65536) == 256);
    for (int poses = 64; poses <= 1 << 20; poses += 64) {
        int count = qn_screen_search_populations(poses);
        if (!CHECK(count >= 1 && poses % count == 0 && (count == 1 || poses / count >= 256))) return;
    }
    const double sides[][3] = {{12, 12, 12}, {24, 24, 24}, {30, 30, 30}, {1000, 1000, 1000}, {1e-3, 1, 1}};
    for (int i = 0; i < 5; i++) {
        const int populations = (int[]){1, 2, 4, 16, 1}[i];
        CHECK(qn_screen_search_default_poses(sides[i]) == 256 * populations);
    }
}

/* Limits of options, and messages beyond them. */
static void options_are_checked(void)
{
    const qn_score_receptor receptor = {.atom_count = 10};
    qn_screen_search *search = NULL;
    qn_screen_search_options options = options_of();
    options.poses = 100;
    CHECK_FAILS(qn_screen_search_create_with(device, &stub, &receptor, &options, &search), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("100 poses");
    options = options_of();
    options.winners = 1025;
    CHECK_FAILS(qn_screen_search_create_with(device, &stub, &receptor, &options, &search), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("1025 winners");
    options = options_of();
    options.generations = 0;
    CHECK_FAILS(qn_screen_search_create_with(device, &stub, &receptor, &options, &search), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("0 generations");
    options = options_of();
    options.rounds = 65;
    CHECK_FAILS(qn_screen_search_create_with(device, &stub, &receptor, &options, &search), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("65 rounds");
    options = options_of();
    options.box_side_angstrom[1] = NAN;
    CHECK_FAILS(qn_screen_search_create_with(device, &stub, &receptor, &options, &search), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("axis 1");
    options = options_of();
    options.poses = 1 << 20;
    options.batch = 1024;
    CHECK_FAILS(qn_screen_search_create_with(device, &stub, &receptor, &options, &search), QN_OUT_OF_MEMORY);
    CHECK_MESSAGE_HAS("bytes");
    options = options_of();
    CHECK_OK(qn_screen_search_create_with(device, &stub, &receptor, &options, &search));
    CHECK_FAILS(qn_screen_search_collect(search, 0, usual, NULL), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_screen_search_submit(search, jobs, 0, 0), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_screen_search_submit(search, jobs, 1, 2), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_screen_search_submit(search, &(qn_screen_job){&ligands[0], 1}, 1, 0), QN_INVALID_ARGUMENT);
    CHECK_OK(qn_screen_search_submit(search, jobs, 1, 0));
    CHECK_FAILS(qn_screen_search_submit(search, jobs, 1, 0), QN_INVALID_ARGUMENT);
    qn_screen_search_destroy(&search); /* with a submitted batch */
}

int main(int argc, char **argv)
{
    identifier = argc > 1 ? argv[1] : "host";
    CHECK_OK(qn_context_create(NULL, &context));
    if (qn_device_open(context, identifier, &device) != QN_OK) check_skip(identifier, qn_error_message());
    make_ligands();
    RUN(the_search_finds_the_deeper_pocket);
    RUN(results_depend_on_the_seed_and_not_on_batch_or_order);
    RUN(devices_and_threads_agree);
    RUN(the_last_generation_has_the_hard_receptor);
    RUN(populations_have_equal_sizes);
    RUN(exact_searches_agree);
    RUN(rounds_end_when_four_have_found_the_lowest_energy);
    RUN(the_last_minimisation_converges);
    RUN(options_are_checked);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
