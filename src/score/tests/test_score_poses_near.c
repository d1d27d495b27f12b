/* devices: host opencl:0 cuda:0 checking:host */
/* Culled energies have the same bits as energies of all pairs on the same device: for ligand atoms of every type,
 * within and beyond reach, at borders of cells, for launches in one and in several parts, with a sample of the extreme
 * values of the tunables. */
#include "check.h"

#include <quern/workload.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/random.h"
#include "math/rotation.h"
#include "runtime/configuration.h"
#include "score/deck.h"

enum { RECEPTOR_ATOMS = 1403, JOBS = 3, ATOMS = 97, POSES = 320, ALL = JOBS * POSES, CORNERS_MAX = 24 };

static qn_context *context;
static qn_device *device;
static qn_queue *queue;
static qn_score_poses_receptor *receptor;
static qn_score_poses_near *near;
static qn_score_poses_room *room;
static qn_buffer *buffers[4]; /* jobs, atoms, transforms, energies */
static const qn_bude_force_field *force_field;
static double positions[3 * RECEPTOR_ATOMS];
static int types[RECEPTOR_ATOMS];
static qn_score_poses_atom atoms[ATOMS];
static float transforms[12 * ALL], expected[2][ALL], energies[ALL];
static int corners;
/* The middle job has one atom; atoms are not in the order of the jobs. */
static const qn_score_poses_job jobs[JOBS] = {{46, 51}, {45, 1}, {0, 45}};

static double uniform(uint64_t stream, uint64_t index)
{
    return qn_random_uniform(11, stream, index);
}

static qn_score_poses_problem problem_of(bool exact)
{
    return (qn_score_poses_problem){.receptor_atoms = RECEPTOR_ATOMS,
                                    .ligand_types = force_field->type_count,
                                    .jobs = JOBS,
                                    .poses = POSES,
                                    .ligand_atoms = ATOMS,
                                    .exact = exact};
}

/* Make a ball of atoms of all types with the density of proteins. */
static void make_receptor(void)
{
    for (int j = 0; j < RECEPTOR_ATOMS; j++) {
        types[j] = j % force_field->type_count;
        double squared = 1e9;
        for (uint64_t try = 0; squared > 19.0 * 19; try++) {
            squared = 0;
            for (int axis = 0; axis < 3; axis++) {
                const double at = 38 * uniform(try, (uint64_t)(3 * j + axis)) - 19;
                positions[3 * j + axis] = 40 + at;
                squared += at * at;
            }
        }
    }
}

/* Make a pose. A third of the poses is in and around the receptor, a third in its middle. Of the others some have atoms
 * on a lattice whose spacing is the side of a cell. One pose of each job has an atom exactly at a receptor atom, and
 * one is far away. */
static void make_pose(int i)
{
    double rotation[9];
    const bool straight = i % 3 == 2;
    qn_rotation_from_seed(straight ? 0 : (uint64_t)i + 1, rotation);
    for (int axis = 0; axis < 3; axis++) {
        double shift = 40 + (i % 3 == 0 ? 60 : 20) * (uniform(100, (uint64_t)(3 * i + axis)) - 0.5);
        if (straight) shift = 2.5 * floor(shift / 2.5);
        if (i % POSES == 5) shift = positions[axis] - (&atoms[jobs[i / POSES].first_atom].x)[axis];
        if (i % POSES == 6) shift += 500;
        for (int k = 0; k < 3; k++) transforms[(4 * axis + k) * ALL + i] = (float)rotation[3 * axis + k];
        transforms[(4 * axis + 3) * ALL + i] = (float)shift;
    }
}

static void make_problem(void)
{
    force_field = qn_bude_find("2016");
    make_receptor();
    for (int a = 0; a < ATOMS; a++) {
        atoms[a].type = a % 45 % force_field->type_count;
        atoms[a].x = (float)(2.5 * floor(5 * uniform(101, (uint64_t)(3 * a)) - 2.5));
        atoms[a].y = (float)(12 * uniform(101, (uint64_t)(3 * a + 1)) - 6);
        atoms[a].z = (float)(12 * uniform(101, (uint64_t)(3 * a + 2)) - 6);
    }
    for (int i = 0; i < ALL; i++) make_pose(i);
}

static qn_buffer *upload(const void *data, size_t bytes)
{
    qn_buffer *buffer = NULL;
    if (CHECK_OK(qn_buffer_create(device, bytes, &buffer)))
        CHECK_OK(qn_queue_write(queue, buffer, 0, data, bytes, NULL));
    CHECK_OK(qn_queue_finish(queue));
    return buffer;
}

static void read_energies(float *to)
{
    CHECK_OK(qn_queue_read(queue, buffers[3], 0, to, ALL * sizeof *to, NULL));
    CHECK_OK(qn_queue_finish(queue));
}

static void prepare(void)
{
    make_problem();
    CHECK_OK(qn_score_poses_receptor_create(device, force_field, positions, types, RECEPTOR_ATOMS, &receptor));
    CHECK_OK(qn_score_poses_near_create(device, receptor, force_field, positions, types, RECEPTOR_ATOMS, &near));
    CHECK_OK(qn_score_poses_room_create(device, near, (double)ATOMS * POSES, &room));
    buffers[0] = upload(jobs, sizeof jobs);
    buffers[1] = upload(atoms, sizeof atoms);
    buffers[2] = upload(transforms, sizeof transforms);
    buffers[3] = upload(expected, sizeof energies);
    for (int exact = 0; exact < 2; exact++) {
        const qn_score_poses_problem problem = problem_of(exact);
        CHECK_OK(qn_score_poses(queue, NULL, &problem, receptor, buffers[0], buffers[1], buffers[2], buffers[3], NULL));
        read_energies(expected[exact]);
    }
}

static void check_same(qn_score_poses_room *in, const qn_configuration *configuration, bool exact)
{
    const qn_score_poses_problem problem = problem_of(exact);
    CHECK_OK(qn_queue_fill(queue, buffers[3], 0, sizeof energies, 0xff, NULL));
    CHECK_OK(qn_score_poses_in_reach(queue, configuration, &problem, receptor, near, in, buffers[0], buffers[1],
                                     buffers[2], buffers[3], NULL));
    read_energies(energies);
    CHECK(memcmp(expected[exact], energies, sizeof energies) == 0);
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    (void)user;
    corners++;
    check_same(room, configuration, false);
    check_same(room, configuration, true);
    return QN_OK;
}

/* OpenCL compilers for CPUs take seconds for each configuration; the host has only one configuration. */
static void culling_changes_no_bit(void)
{
    const qn_configuration suits_cpus = {{1, 2, 8, 0, 1}};
    const qn_device_info *info = qn_device_get_info(device);
    const bool is_slow = info->kind == QN_DEVICE_CPU && strstr(info->identifier, "opencl");
    const char *wanted = getenv("QUERN_TEST_CORNERS");
    int zeros = 0;
    for (int i = 0; i < ALL; i++) zeros += expected[0][i] == 0;
    CHECK(zeros > JOBS && zeros < ALL / 4);
    CHECK_OK(check_corner(NULL, NULL));
    if (is_slow) CHECK_OK(check_corner(&suits_cpus, NULL));
    if (info->kind == QN_DEVICE_CPU && !(is_slow && wanted)) return;
    CHECK_OK(qn_family_sample_corners(&qn_score_score_poses_near_family, info, wanted ? atoi(wanted) : CORNERS_MAX,
                                      check_corner, NULL));
    CHECK(corners > 1);
}

static void culling_computes_few_pairs(void)
{
    const qn_score_poses_problem problem = problem_of(false);
    const double all = (double)ATOMS * POSES * RECEPTOR_ATOMS;
    const double pairs = qn_score_poses_near_pairs(near, &problem, jobs, atoms, transforms);
    CHECK(pairs > all / 100 && pairs < all / 5);
}

/* Launches with more items than fit are divided; when 64 poses of each job do not fit, all pairs are computed. */
static void launches_in_parts_give_the_same_bits(void)
{
    const double items[3] = {ATOMS * 128, ATOMS * 64, ATOMS * 64 - 1};
    for (int i = 0; i < 3; i++) {
        qn_score_poses_room *small = NULL;
        if (!CHECK_OK(qn_score_poses_room_create(device, near, items[i], &small))) return;
        check_same(small, NULL, false);
        check_same(small, NULL, true);
        qn_score_poses_room_destroy(&small);
    }
}

/* A job with more items of one type than QN_NEAR_PART, the most that the host kernel scores together. */
static void culling_changes_no_bit_of_large_ligands(void)
{
    enum { LIGAND = 6000, SOME = 192, MANY = 500 };
    static float all[SOME], culled[SOME];
    qn_deck deck;
    double seconds;
    if (!CHECK_OK(qn_deck_draw(MANY, LIGAND, SOME, 3, &deck))) return;
    for (int a = 0; a < LIGAND; a++) deck.ligand[a].type = a < LIGAND / 2 ? 2 : deck.ligand[a].type;
    CHECK_OK(qn_deck_score(device, &deck, SOME, false, false, all, &seconds));
    CHECK_OK(qn_deck_score(device, &deck, SOME, false, true, culled, &seconds));
    CHECK(seconds > 0 && memcmp(all, culled, sizeof all) == 0);
    qn_deck_clear(&deck);
}

/* Neither failed nor earlier launches change the energies of a launch. */
static void launches_do_not_depend_on_each_other(void)
{
    qn_score_poses_problem problem = problem_of(false);
    const int failed = problem.poses;
    problem.poses = 100;
    CHECK_FAILS(qn_score_poses_in_reach(queue, NULL, &problem, receptor, near, room, buffers[0], buffers[1], buffers[2],
                                        buffers[3], NULL),
                QN_INVALID_ARGUMENT);
    problem.poses = failed;
    problem.ligand_atoms = 0;
    CHECK_FAILS(qn_score_poses_in_reach(queue, NULL, &problem, receptor, near, room, buffers[0], buffers[1], buffers[2],
                                        buffers[3], NULL),
                QN_INVALID_ARGUMENT);
    for (int i = 0; i < 3; i++) check_same(room, NULL, i == 1);
}

/* The workload's check fails for cleared outputs and passes after a run. */
static void workload_passes_its_check(void)
{
    const int sizes[QN_WORKLOAD_SIZES] = {192, 9, 203}, odd[QN_WORKLOAD_SIZES] = {100, 9, 203};
    const qn_workload *workload = NULL;
    void *state = NULL;
    double error = 0, seconds = 0;
    if (!CHECK_OK(qn_workload_find("score/score_poses_near", &workload))) return;
    CHECK_FAILS(workload->create(queue, odd, 1, &state), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("score/score_poses_near");
    if (!CHECK_OK(workload->create(queue, sizes, 11, &state))) return;
    CHECK_OK(workload->clear(state, queue));
    CHECK_OK(workload->check(state, queue, &error));
    CHECK(error > 1);
    CHECK_OK(workload->run(state, queue, NULL, &seconds));
    CHECK_OK(workload->check(state, queue, &error));
    CHECK(error <= 1 && seconds > 0);
    workload->destroy(&state);
    CHECK(state == NULL);
}

int main(int argc, char **argv)
{
    const char *identifier = argc > 1 ? argv[1] : "host";
    if (qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 3}, &context) != QN_OK)
        return 1;
    if (qn_device_open(context, identifier, &device) != QN_OK) check_skip(identifier, qn_error_message());
    CHECK_OK(qn_queue_create(device, &queue));
    prepare();
    RUN(culling_changes_no_bit);
    RUN(culling_computes_few_pairs);
    RUN(launches_in_parts_give_the_same_bits);
    RUN(culling_changes_no_bit_of_large_ligands);
    RUN(launches_do_not_depend_on_each_other);
    RUN(workload_passes_its_check);
    for (int i = 0; i < 4; i++) qn_buffer_release(&buffers[i]);
    qn_score_poses_room_destroy(&room);
    qn_score_poses_near_destroy(&near);
    qn_score_poses_receptor_destroy(&receptor);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
