/* devices: host opencl:0 cuda:0 checking:host */
/* Energies of poses against the reference in double precision on one device, with a sample of the extreme values of the
 * tunables: the bits are the same with all of them, and in exact mode the same as on the host. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/random.h"
#include "math/rotation.h"
#include "runtime/configuration.h"
#include "score/deck.h"
#include "score/kernels/score_poses.h"

#include <quern/workload.h>

enum { RECEPTOR_ATOMS = 139, JOBS = 3, ATOMS = 24, POSES = 192, CORNERS_MAX = 40 };

typedef struct scorer {
    qn_context *context;
    qn_device *device;
    qn_queue *queue;
    qn_score_poses_receptor *receptor;
    qn_buffer *jobs, *atoms, *transforms, *energies;
} scorer;

static scorer tested, host;
static const qn_bude_force_field *force_field;
static double positions[3 * RECEPTOR_ATOMS];
static int types[RECEPTOR_ATOMS];
static qn_score_poses_atom atoms[ATOMS];
static float transforms[12 * JOBS * POSES];
static double expected[JOBS * POSES];
static int corners;
/* The middle job has one atom; atoms are not in the order of the jobs. */
static const qn_score_poses_job jobs[JOBS] = {{13, 11}, {12, 1}, {0, 12}};

static double uniform(uint64_t stream, uint64_t index)
{
    return qn_random_uniform(7, stream, index);
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

/* Make runs of one to nine atoms of one type; chlorine has both a charge and a desolvation term with polar atoms. */
static void make_atoms(void)
{
    static const char *const names[] = {"C.3", "N.4", "O.co2", "Cl"};
    static const int last_of_run[] = {8, 9, 11, 11, 12, 17, 20, 22, 23};
    for (int a = 0, run = 0; a < ATOMS; a++) {
        while (a > last_of_run[run]) run++;
        for (int type = 0; type < force_field->type_count; type++)
            if (strcmp(force_field->types[type].name, names[run % 4]) == 0) atoms[a].type = type;
        atoms[a].x = (float)(6 * uniform(1, (uint64_t)(3 * a)) - 3);
        atoms[a].y = (float)(6 * uniform(1, (uint64_t)(3 * a + 1)) - 3);
        atoms[a].z = (float)(6 * uniform(1, (uint64_t)(3 * a + 2)) - 3);
    }
}

/* Make random poses, one with an atom exactly at a receptor atom, and one far away. */
static void make_problem(void)
{
    force_field = qn_bude_find("2016");
    make_atoms();
    for (int j = 0; j < RECEPTOR_ATOMS; j++) {
        types[j] = (int)(uniform(2, (uint64_t)j) * force_field->type_count);
        for (int axis = 0; axis < 3; axis++)
            positions[3 * j + axis] = 0.125 * floor(160 * uniform(3, (uint64_t)(3 * j + axis)) - 80);
    }
    for (int i = 0; i < JOBS * POSES; i++) {
        double rotation[9];
        const bool onto = i % POSES == 5, away = i % POSES == 6;
        qn_rotation_from_seed(onto ? 0 : (uint64_t)i + 1, rotation);
        for (int axis = 0; axis < 3; axis++) {
            const double shift = 30 * uniform(4, (uint64_t)(3 * i + axis)) - 15 + (away ? 500 : 0);
            for (int k = 0; k < 3; k++) transforms[(4 * axis + k) * JOBS * POSES + i] = (float)rotation[3 * axis + k];
            transforms[(4 * axis + 3) * JOBS * POSES + i] = (float)shift;
        }
        if (!onto) continue;
        const qn_score_poses_atom *atom = &atoms[jobs[i / POSES].first_atom];
        transforms[3 * JOBS * POSES + i] = (float)positions[0] - atom->x;
        transforms[7 * JOBS * POSES + i] = (float)positions[1] - atom->y;
        transforms[11 * JOBS * POSES + i] = (float)positions[2] - atom->z;
    }
    const qn_score_poses_problem problem = problem_of(false);
    CHECK_OK(qn_score_poses_reference(&problem, force_field, positions, types, jobs, atoms, transforms, expected));
}

static qn_buffer *upload(scorer *one, const void *data, size_t bytes)
{
    qn_buffer *buffer = NULL;
    if (CHECK_OK(qn_buffer_create(one->device, bytes, &buffer)))
        CHECK_OK(qn_queue_write(one->queue, buffer, 0, data, bytes, NULL));
    CHECK_OK(qn_queue_finish(one->queue));
    return buffer;
}

static void prepare(scorer *one)
{
    CHECK_OK(
        qn_score_poses_receptor_create(one->device, force_field, positions, types, RECEPTOR_ATOMS, &one->receptor));
    one->jobs = upload(one, jobs, sizeof jobs);
    one->atoms = upload(one, atoms, sizeof atoms);
    one->transforms = upload(one, transforms, sizeof transforms);
    CHECK_OK(qn_buffer_create(one->device, JOBS * POSES * sizeof(float), &one->energies));
}

static void score(scorer *one, const qn_configuration *configuration, bool exact, float *energies)
{
    const qn_score_poses_problem problem = problem_of(exact);
    memset(energies, 0xff, JOBS * POSES * sizeof *energies);
    CHECK_OK(qn_score_poses(one->queue, configuration, &problem, one->receptor, one->jobs, one->atoms, one->transforms,
                            one->energies, NULL));
    CHECK_OK(qn_queue_read(one->queue, one->energies, 0, energies, JOBS * POSES * sizeof *energies, NULL));
    CHECK_OK(qn_queue_finish(one->queue));
}

/* Count energies with an error above the tolerance, which allows for sums of about a thousand pairs of a few kJ/mol, of
 * both signs, in single precision. */
static int count_wrong(const float *energies)
{
    int wrong = 0;
    for (int i = 0; i < JOBS * POSES; i++) {
        const double difference = fabs((double)energies[i] - expected[i]);
        if (!(difference <= 5e-5 * fmax(1, fabs(expected[i]))) && !wrong++ && corners == 1)
            fprintf(stderr, "pose %d of job %d: %.9g, expected %.9g\n", i % POSES, i / POSES, (double)energies[i],
                    expected[i]);
    }
    return wrong;
}

static float first[2][JOBS * POSES];

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    static float energies[JOBS * POSES];
    const int before = corners++;
    (void)user;
    for (int exact = 0; exact < 2; exact++) {
        score(&tested, configuration, exact, energies);
        CHECK(count_wrong(energies) == 0);
        if (before == 0) memcpy(first[exact], energies, sizeof energies);
        CHECK(memcmp(first[exact], energies, sizeof energies) == 0);
    }
    return QN_OK;
}

/* OpenCL compilers for CPUs take seconds for each configuration. With these only one corner and a suitable
 * configuration are tested, unless QUERN_TEST_CORNERS sets a number. */
static void every_corner_gives_the_same_bits_within_the_tolerance(void)
{
    const qn_configuration suits_cpus = {{1, 2, 2, 8, 0, 1, 0}};
    const qn_device_info *info = qn_device_get_info(tested.device);
    const char *wanted = getenv("QUERN_TEST_CORNERS");
    const bool is_slow = info->kind == QN_DEVICE_CPU && strstr(info->identifier, "opencl");
    const int most = wanted ? atoi(wanted) : is_slow ? 1 : CORNERS_MAX;
    double sum = 0;
    for (int i = 0; i < JOBS * POSES; i++) sum += fabs(expected[i]);
    CHECK(sum > JOBS * POSES && expected[6] == 0);
    CHECK_OK(qn_family_sample_corners(&qn_score_score_poses_family, info, most, check_corner, NULL));
    if (is_slow) CHECK_OK(check_corner(&suits_cpus, NULL));
    CHECK(corners > 1);
}

static void exact_energies_equal_those_of_the_host(void)
{
    static float here[JOBS * POSES], there[JOBS * POSES];
    score(&host, NULL, true, here);
    score(&tested, NULL, true, there);
    CHECK(memcmp(here, there, sizeof here) == 0);
}

/* Energies of a job do not depend on the other jobs of its launch. */
static void jobs_do_not_affect_each_other(void)
{
    static float all[JOBS * POSES], one[POSES];
    qn_score_poses_problem problem = problem_of(false);
    problem.jobs = 1;
    problem.ligand_atoms = jobs[JOBS - 1].atom_count;
    score(&tested, NULL, false, all);
    static float rows[12 * POSES];
    for (int k = 0; k < 12; k++)
        memcpy(rows + k * POSES, transforms + (k * JOBS + JOBS - 1) * POSES, POSES * sizeof *rows);
    qn_buffer *last_job = upload(&tested, &jobs[JOBS - 1], sizeof *jobs), *moved = upload(&tested, rows, sizeof rows);
    CHECK_OK(qn_score_poses(tested.queue, NULL, &problem, tested.receptor, last_job, tested.atoms, moved,
                            tested.energies, NULL));
    CHECK_OK(qn_queue_read(tested.queue, tested.energies, 0, one, sizeof one, NULL));
    CHECK_OK(qn_queue_finish(tested.queue));
    CHECK(memcmp(one, all + (JOBS - 1) * POSES, sizeof one) == 0);
    qn_buffer_release(&last_job);
    qn_buffer_release(&moved);
}

static void wrong_problems_are_refused(void)
{
    qn_score_poses_receptor *receptor = NULL;
    qn_score_poses_problem problem = problem_of(false);
    double place[3] = {0, NAN, 0};
    int type = force_field->type_count;
    problem.poses = 100;
    CHECK_FAILS(qn_score_poses(tested.queue, NULL, &problem, tested.receptor, tested.jobs, tested.atoms,
                               tested.transforms, tested.energies, NULL),
                QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("100 poses");
    problem = problem_of(false);
    problem.jobs = 65536;
    CHECK_FAILS(qn_score_poses(tested.queue, NULL, &problem, tested.receptor, tested.jobs, tested.atoms,
                               tested.transforms, tested.energies, NULL),
                QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("65536 jobs");
    problem = problem_of(false);
    problem.receptor_atoms--;
    CHECK_FAILS(qn_score_poses(tested.queue, NULL, &problem, tested.receptor, tested.jobs, tested.atoms,
                               tested.transforms, tested.energies, NULL),
                QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_score_poses_receptor_create(tested.device, force_field, place, &type, 1, &receptor),
                QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("type 44");
    type = 0;
    CHECK_FAILS(qn_score_poses_receptor_create(tested.device, force_field, place, &type, 1, &receptor),
                QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_score_poses_receptor_create(tested.device, force_field, place, &type, 0, &receptor),
                QN_INVALID_ARGUMENT);
    CHECK(receptor == NULL);
}

/* The workload's check fails for cleared outputs and passes after a run. */
static void workload_passes_its_check(void)
{
    const int sizes[QN_WORKLOAD_SIZES] = {192, 9, 203}, odd[QN_WORKLOAD_SIZES] = {100, 9, 203};
    const qn_workload *workload = NULL;
    const qn_configuration fallback = qn_family_fallback(&qn_score_score_poses_family);
    void *state = NULL;
    double error = 0;
    if (!CHECK_OK(qn_workload_find("score/score_poses", &workload))) return;
    CHECK_FAILS(workload->create(tested.queue, odd, 1, &state), QN_INVALID_ARGUMENT);
    if (!CHECK_OK(workload->create(tested.queue, sizes, 11, &state))) return;
    CHECK_OK(workload->clear(state, tested.queue));
    CHECK_OK(workload->check(state, tested.queue, &error));
    CHECK(error > 1);
    CHECK_OK(workload->run(state, tested.queue, &fallback, NULL));
    CHECK_OK(workload->check(state, tested.queue, &error));
    CHECK(error <= 1);
    qn_work work = {0};
    workload->work(state, &work);
    CHECK(work.multiply_adds >= 11.0 * 192 * 9 * 203 && work.reciprocal_roots == 192.0 * 9 * 203);
    workload->destroy(&state);
    CHECK(state == NULL);
}

static void release(scorer *one)
{
    qn_score_poses_receptor_destroy(&one->receptor);
    qn_buffer_release(&one->jobs);
    qn_buffer_release(&one->atoms);
    qn_buffer_release(&one->transforms);
    qn_buffer_release(&one->energies);
    qn_queue_destroy(&one->queue);
    qn_device_release(&one->device);
    qn_context_destroy(&one->context);
}

int main(int argc, char **argv)
{
    const char *identifier = argc > 1 ? argv[1] : "host";
    if (qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &tested.context) !=
        QN_OK)
        return 1;
    if (qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &host.context) !=
        QN_OK)
        return 1;
    if (qn_device_open(tested.context, identifier, &tested.device) != QN_OK) check_skip(identifier, qn_error_message());
    CHECK_OK(qn_device_open(host.context, "host", &host.device));
    CHECK_OK(qn_queue_create(tested.device, &tested.queue));
    CHECK_OK(qn_queue_create(host.device, &host.queue));
    make_problem();
    prepare(&tested);
    prepare(&host);
    RUN(every_corner_gives_the_same_bits_within_the_tolerance);
    RUN(exact_energies_equal_those_of_the_host);
    RUN(jobs_do_not_affect_each_other);
    RUN(wrong_problems_are_refused);
    RUN(workload_passes_its_check);
    release(&tested);
    release(&host);
    return check_finish();
}
