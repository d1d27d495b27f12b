/* devices: host opencl:0 cuda:0 checking:host */
/* The family score_poses_vina against its reference on one device, with all extreme values of its tunables. */
#include "check.h"

#include <quern/workload.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/random.h"
#include "math/rotation.h"
#include "runtime/configuration.h"
#include "runtime/prelude/prelude_host.h"
#include "score/kernels/score_poses_vina.h"
#include "score/vina.h"

#include "score/kernels/score_poses_vina.dev.h"

enum { RECEPTOR = 333, JOBS = 3, ATOMS = 1 + 23 + 8, POSES = 192, ALL = JOBS * POSES };

static qn_device *device;
static qn_queue *queue;
static double positions[3 * RECEPTOR];
static int types[RECEPTOR];
static const qn_score_poses_job jobs[JOBS] = {{0, 1}, {1, 23}, {24, 8}};
static const double rotatable_bonds[JOBS] = {0, 7, 2.5};
static qn_score_poses_atom atoms[ATOMS];
static float transforms[12 * ALL], shares[JOBS], energies[ALL], first_energies[ALL];
static double expected[ALL], doubts[ALL];
static int corners;

static double uniform(uint64_t stream, uint64_t index)
{
    return qn_random_uniform(5, stream, index);
}

/* Make a slab of atoms away from the origin with the density of proteins. */
static void make_receptor(void)
{
    static const double side[3] = {25, 19, 14}, corner[3] = {40, -35, 12};
    int count;
    qn_vina_type_table(&count);
    for (uint64_t i = 0; i < RECEPTOR; i++) {
        for (uint64_t d = 0; d < 3; d++) positions[3 * i + d] = corner[d] + side[d] * uniform(1, 3 * i + d);
        types[i] = (int)(uniform(2, i) * count);
    }
}

/* Make poses with centres in the slab and around it; every tenth pose is far away. */
static void make_poses(void)
{
    int count;
    qn_vina_type_table(&count);
    for (uint64_t a = 0; a < ATOMS; a++)
        atoms[a] = (qn_score_poses_atom){(float)(12 * uniform(3, 3 * a) - 6), (float)(10 * uniform(3, 3 * a + 1) - 5),
                                         (float)(4 * uniform(3, 3 * a + 2) - 2), (int)(uniform(4, a) * count)};
    for (int j = 0; j < JOBS; j++) shares[j] = qn_score_poses_vina_share(rotatable_bonds[j]);
    for (uint64_t p = 0; p < ALL; p++) {
        double matrix[9], centre[3] = {52, -25, 19};
        qn_rotation_from_seed(1000 + p, matrix);
        for (uint64_t d = 0; d < 3; d++) {
            centre[d] += (p % 10 == 9 ? 4000 : 36) * (uniform(5, 3 * p + d) - 0.5);
            for (uint64_t k = 0; k < 3; k++) transforms[(4 * d + k) * ALL + p] = (float)matrix[3 * d + k];
            transforms[(4 * d + 3) * ALL + p] = (float)centre[d];
        }
    }
}

static void make_expectations(void)
{
    for (int p = 0; p < ALL; p++) {
        const int j = p / POSES;
        float transform[12];
        for (int k = 0; k < 12; k++) transform[k] = transforms[k * ALL + p];
        expected[p] = qn_score_poses_vina_reference(positions, types, RECEPTOR, atoms + jobs[j].first_atom,
                                                    jobs[j].atom_count, transform, rotatable_bonds[j], &doubts[p]);
    }
}

/* Terms at known distances: a pose moves two carbons to 3.3 Å and 30 Å from the only atom of a receptor. */
static void the_reference_adds_the_published_terms(void)
{
    const double place[3] = {10, 20, 30};
    const qn_score_poses_atom two[2] = {{1, 0, 0, 0}, {0, 30, 0, 0}};
    const float turned[12] = {0, 0, 1, 10, 1, 0, 0, 22.3f, 0, 1, 0, 30}; /* (x, y, z) → (z, x, y) + … */
    const int carbon = 0;
    double doubt, one = -0.035579 * exp(-1) - 0.005156 * exp(-3.0625) + 0.840245 * 0.25 - 0.035069;
    CHECK_NEAR(qn_score_poses_vina_reference(place, &carbon, 1, two, 2, turned, 0, &doubt), one, 1e-6);
    CHECK_NEAR(qn_score_poses_vina_reference(place, &carbon, 1, two, 2, turned, 3, NULL), one / 1.17538, 1e-6);
    CHECK(doubt == 0);
}

static void powers_of_two_are_within_the_stated_error(void)
{
    double worst = 0;
    for (int i = 0; i <= 1000000; i++) {
        float x = -(float)i * 1e-4f;
        worst = fmax(worst, fabs(qn_power_of_two(x) / exp2(x) - 1));
    }
    CHECK(worst < 3e-7);
}

static qn_buffer *upload(const void *data, size_t bytes)
{
    qn_buffer *buffer = NULL;
    if (CHECK_OK(qn_buffer_create(device, bytes, &buffer))) {
        CHECK_OK(qn_queue_write(queue, buffer, 0, data, bytes, NULL));
        CHECK_OK(qn_queue_finish(queue));
    }
    return buffer;
}

/* Coordinates near 60 Å are rounded by 2e-6 Å, and energies of overlap change by up to 7 kcal/mol for each Å. All
 * configurations give the same bits. */
static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    const qn_score_poses_vina_problem problem = {JOBS, POSES, ATOMS};
    qn_score_poses_vina_receptor *receptor = user;
    qn_buffer *buffers[5] = {upload(jobs, sizeof jobs), upload(shares, sizeof shares), upload(atoms, sizeof atoms),
                             upload(transforms, sizeof transforms), upload(first_energies, sizeof energies)};
    CHECK_OK(qn_score_poses_vina(queue, configuration, &problem, receptor, buffers[0], buffers[1], buffers[2],
                                 buffers[3], buffers[4], NULL));
    CHECK_OK(qn_queue_read(queue, buffers[4], 0, energies, sizeof energies, NULL));
    CHECK_OK(qn_queue_finish(queue));
    double worst = 0;
    for (int p = 0; p < ALL; p++) {
        double error = fabs(energies[p] - expected[p]) - doubts[p], scale = fmax(1, fabs(expected[p]));
        worst = error / scale > worst || isnan(error) ? error / scale : worst;
    }
    CHECK(worst < 2e-5);
    if (corners++ == 0) memcpy(first_energies, energies, sizeof energies);
    CHECK(memcmp(first_energies, energies, sizeof energies) == 0);
    for (int i = 0; i < 5; i++) qn_buffer_release(&buffers[i]);
    return QN_OK;
}

static void every_corner_agrees_with_the_reference(void)
{
    qn_score_poses_vina_receptor *receptor = NULL;
    make_receptor();
    make_poses();
    make_expectations();
    int in_contact = 0, out_of_reach = 0;
    for (int p = 0; p < ALL; p++) {
        in_contact += expected[p] != 0;
        out_of_reach += expected[p] == 0;
    }
    CHECK(in_contact > ALL / 2 && out_of_reach > ALL / 20);
    if (!CHECK_OK(qn_score_poses_vina_receptor_create(device, positions, types, RECEPTOR, 1, &receptor))) return;
    CHECK_OK(qn_family_corners(&qn_score_score_poses_vina_family, qn_device_get_info(device), check_corner, receptor));
    CHECK(corners >= 1);
    CHECK_OK(check_corner(NULL, receptor));
    qn_score_poses_vina_receptor_destroy(&receptor);
}

/* A tenth of the hardness removes nine tenths of the repulsion. */
static void soft_receptors_repel_less(void)
{
    qn_score_poses_vina_receptor *receptor = NULL;
    double most = 0;
    make_expectations();
    for (int p = 0; p < ALL; p++) {
        const qn_score_poses_job *job = &jobs[p / POSES];
        double repulsion = 0;
        for (int a = job->first_atom; a < job->first_atom + job->atom_count; a++) {
            const double from[3] = {(double)atoms[a].x, (double)atoms[a].y, (double)atoms[a].z};
            double place[3];
            qn_vina_energy energy;
            for (int d = 0; d < 3; d++) {
                place[d] = (double)transforms[(4 * d + 3) * ALL + p];
                for (int k = 0; k < 3; k++) place[d] += (double)transforms[(4 * d + k) * ALL + p] * from[k];
            }
            qn_vina_energy_of(place, &atoms[a].type, 1, 0, positions, types, RECEPTOR, &energy);
            repulsion += energy.repulsion;
        }
        expected[p] -= 0.9 * repulsion * (double)shares[p / POSES];
        most = fmax(most, repulsion);
    }
    CHECK(most > 10);
    if (!CHECK_OK(qn_score_poses_vina_receptor_create(device, positions, types, RECEPTOR, 0.1, &receptor))) return;
    corners = 0;
    CHECK_OK(check_corner(NULL, receptor));
    qn_score_poses_vina_receptor_destroy(&receptor);
}

/* An atom a micrometre away must not make millions of cells; an atom farther away is refused. */
static void a_distant_atom_changes_nothing(void)
{
    qn_score_poses_vina_receptor *receptor = NULL;
    const double kept = positions[0];
    positions[0] = 1e4;
    make_expectations();
    if (CHECK_OK(qn_score_poses_vina_receptor_create(device, positions, types, RECEPTOR, 1, &receptor))) {
        corners = 0;
        CHECK_OK(check_corner(NULL, receptor));
    }
    qn_score_poses_vina_receptor_destroy(&receptor);
    positions[0] = 1.0001e4;
    CHECK_FAILS(qn_score_poses_vina_receptor_create(device, positions, types, RECEPTOR, 1, &receptor),
                QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("atom 0 is at 10001; expected coordinates within 10000 Å");
    positions[0] = kept;
}

static void impossible_problems_are_refused(void)
{
    qn_score_poses_vina_receptor *receptor = NULL;
    qn_buffer *buffer = upload(jobs, sizeof jobs);
    const int wrong = 32;
    CHECK_FAILS(qn_score_poses_vina_receptor_create(device, positions, &wrong, 1, 1, &receptor), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("type 32");
    CHECK_FAILS(qn_score_poses_vina_receptor_create(device, positions, types, 0, 1, &receptor), QN_INVALID_ARGUMENT);
    CHECK_OK(qn_score_poses_vina_receptor_create(device, positions, types, 5, 1, &receptor));
    CHECK_FAILS(qn_score_poses_vina(queue, NULL, &(qn_score_poses_vina_problem){1, 100, 1}, receptor, buffer, buffer,
                                    buffer, buffer, buffer, NULL),
                QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("1 jobs of 100 poses");
    CHECK_FAILS(qn_score_poses_vina(queue, NULL, &(qn_score_poses_vina_problem){65536, 64, 1}, receptor, buffer, buffer,
                                    buffer, buffer, buffer, NULL),
                QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("65536 jobs of 64 poses; expected 1 to 65535");
    qn_score_poses_vina_receptor_destroy(&receptor);
    qn_buffer_release(&buffer);
}

/* The workload's check fails for cleared outputs and passes after a run. */
static void workload_passes_its_check(void)
{
    const int sizes[QN_WORKLOAD_SIZES] = {500, 19, 128}, odd[QN_WORKLOAD_SIZES] = {500, 19, 100};
    const qn_workload *workload = NULL;
    void *state = NULL;
    double error = 0;
    if (!CHECK_OK(qn_workload_find("score/score_poses_vina", &workload))) return;
    CHECK_FAILS(workload->create(queue, odd, 1, &state), QN_INVALID_ARGUMENT);
    if (!CHECK_OK(workload->create(queue, sizes, 11, &state))) return;
    CHECK_OK(workload->clear(state, queue));
    CHECK_OK(workload->check(state, queue, &error));
    CHECK(error > 1);
    CHECK_OK(workload->run(state, queue, NULL, NULL));
    CHECK_OK(workload->check(state, queue, &error));
    CHECK(error <= 1);
    workload->destroy(&state);
    CHECK(state == NULL);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(the_reference_adds_the_published_terms);
    RUN(powers_of_two_are_within_the_stated_error);
    RUN(every_corner_agrees_with_the_reference);
    RUN(soft_receptors_repel_less);
    RUN(a_distant_atom_changes_nothing);
    RUN(impossible_problems_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
