/* devices: host opencl:0 cuda:0 checking:host */
/* Contacts and shared contacts on one device, compared with the reference, and the measure with hand calculation. */
#include "check.h"

#include "check_workload.h"
#include "cluster/measure/contact.h"
#include "cluster/measure/kernels/contacts.h"
#include "cluster/measure/tests/models.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { COUNT = 37, ATOMS_MAX = 150, CORNERS_MAX = 12, SEPARATION = 3 };

static qn_device *device;
static qn_queue *queue;
static int32_t shared[COUNT * COUNT];
static uint32_t counts[COUNT];

/* Models whose coordinates are multiples of 1/64 Å, so that the precision does not matter. */
static float *make_exact(size_t atoms)
{
    float *models = make_models(COUNT, atoms, 2);
    if (CHECK(models != NULL))
        for (size_t i = 0; i < COUNT * 3 * atoms; i++) models[i] = rintf(64 * models[i]) / 64;
    return models;
}

static qn_status run(const qn_configuration *configuration, const qn_contact_problem *problem, const float *models,
                     int first_column)
{
    const size_t floats = 3 * (size_t)problem->atoms, words = (size_t)problem->words;
    int32_t *list = calloc(2 * words, sizeof *list);
    qn_buffer *positions = NULL, *places = NULL, *bits[2] = {NULL, NULL}, *found = NULL, *out = NULL;
    qn_contact_problem all = *problem;
    all.structures = COUNT;
    CHECK(list && qn_contact_places(problem->atoms, SEPARATION, list) == problem->words);
    CHECK_OK(qn_workload_make_buffer(queue, models, COUNT * floats * sizeof(float), &positions));
    CHECK_OK(qn_workload_make_buffer(queue, list, 2 * words * sizeof *list, &places));
    CHECK_OK(qn_workload_make_buffer(queue, NULL, COUNT * words * 4, &bits[0]));
    CHECK_OK(qn_workload_make_buffer(queue, NULL, COUNT * words * 4, &bits[1]));
    CHECK_OK(qn_workload_make_buffer(queue, NULL, sizeof counts, &found));
    CHECK_OK(qn_workload_make_buffer(queue, NULL, sizeof shared, &out));
    CHECK_OK(qn_contact_find(queue, configuration, &all, positions, places, bits[0], found, NULL));
    CHECK_OK(qn_queue_copy(queue, bits[0], (size_t)first_column * words * 4, bits[1], 0,
                           (COUNT - (size_t)first_column) * words * 4, NULL));
    CHECK_OK(qn_contact_share(queue, configuration, problem, bits[0], bits[1], out, NULL));
    CHECK_OK(qn_workload_read(queue, found, 0, counts, sizeof counts));
    CHECK_OK(qn_workload_read(queue, out, 0, shared, sizeof shared));
    qn_buffer_release(&positions);
    qn_buffer_release(&places);
    qn_buffer_release(&bits[0]);
    qn_buffer_release(&bits[1]);
    qn_buffer_release(&found);
    qn_buffer_release(&out);
    free(list);
    return QN_OK;
}

static void compare(const qn_configuration *configuration, int rows, int columns, int atoms)
{
    float *models = make_exact((size_t)atoms);
    const qn_contact_problem problem = {.structures = rows,
                                        .columns = columns,
                                        .atoms = atoms,
                                        .words = qn_contact_places(atoms, SEPARATION, NULL),
                                        .square_cutoff = 64,
                                        .triangle = columns == COUNT};
    const int first_column = COUNT - columns;
    int wrong = 0;
    if (!models) return;
    CHECK_OK(run(configuration, &problem, models, first_column));
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++) {
            size_t of_row, of_column, expected;
            if (problem.triangle && row > column) continue;
            qn_contact_reference(atoms, SEPARATION, 8, models + row * 3 * atoms,
                                 models + (first_column + column) * 3 * atoms, &of_row, &of_column, &expected);
            wrong += shared[row * columns + column] != (int32_t)expected || counts[row] != of_row ||
                     counts[first_column + column] != of_column;
        }
    CHECK(wrong == 0);
    free(models);
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    ++*(int *)user;
    compare(configuration, 19, 11, 70);
    compare(configuration, COUNT, COUNT, 33);
    return QN_OK;
}

static void corners_agree_with_the_reference(void)
{
    int corners = 0;
    CHECK_OK(qn_family_sample_corners(&qn_cluster_contacts_family, qn_device_get_info(device),
                                      corners_to_visit(qn_device_get_info(device), CORNERS_MAX), check_corner,
                                      &corners));
    CHECK(corners >= 1);
}

static void sizes_agree_with_the_reference(void)
{
    compare(NULL, COUNT, COUNT, ATOMS_MAX);
    compare(NULL, 1, 36, 4);
    compare(NULL, 36, 1, 36);
}

static double value_of(const float *positions, size_t atoms, const qn_measure_settings *settings)
{
    const qn_structures structures = {.count = 2, .atom_count = atoms, .positions_angstrom = positions};
    const qn_measure_setup setup = {&structures, settings, queue, NULL, 1};
    const qn_measure_tile whole = {{0, 1}, {1, 1}, (float[1]){-1}};
    void *session = NULL;
    CHECK_OK(qn_measure_contact.check(&structures, settings));
    CHECK_OK(qn_measure_contact.begin(&setup, &session));
    CHECK_OK(qn_measure_contact.start(session, &whole));
    CHECK_OK(qn_measure_contact.values(session, &whole));
    qn_measure_contact.end(&session);
    CHECK_NEAR(qn_measure_contact.pair(&structures, settings, 0, 1), (double)whole.values[0], 1e-6);
    return (double)whole.values[0];
}

/* Five atoms on a line, 4 Å apart, and the same atoms folded: then atoms 0 and 4, and 1 and 3, are 8 Å apart, the
 * cut-off itself, but 0 and 3, and 1 and 4, are √73 Å apart. */
static void overlaps_calculated_by_hand(void)
{
    const float positions[2][3][5] = {{{0, 4, 8, 12, 16}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}},
                                      {{0, 0, 4, 8, 8}, {0, 3, 5, 3, 0}, {0, 0, 0, 0, 0}}};
    const float *line = &positions[0][0][0];
    qn_measure_settings settings = {8, 3, QN_CONTACT_UNION};
    CHECK_NEAR(value_of(line, 5, &settings), 0, 0); /* none of 1: (0,4) */
    settings.contact_separation = 1;                /* (0,1) (1,2) (2,3) (3,4) (0,2) (1,3) (2,4) of these and (0,4) */
    CHECK_NEAR(value_of(line, 5, &settings), 7.0 / 8, 1e-6);
    settings.contact_share = QN_CONTACT_REFERENCE;
    CHECK_NEAR(value_of(line, 5, &settings), 7.0 / 8, 1e-6);
    settings.contact_cutoff_angstrom = 4.5;
    settings.contact_share = QN_CONTACT_UNION; /* the line has 4 contacts, the folded one (0,1) (1,2) (2,3) (3,4) */
    CHECK_NEAR(value_of(line, 5, &settings), 1, 0);
    settings.contact_cutoff_angstrom = 1; /* no contacts at all */
    CHECK_NEAR(value_of(line, 5, &settings), 1, 0);
    settings.contact_separation = 5;
    CHECK_FAILS(qn_measure_contact.check(&(qn_structures){2, 5, line, NULL}, &settings), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("expected 6 to");
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "cluster/contacts", (const int[]){40, 50, 0}, &work);
    CHECK(work.multiply_adds > 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(overlaps_calculated_by_hand);
    RUN(sizes_agree_with_the_reference);
    RUN(corners_agree_with_the_reference);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
