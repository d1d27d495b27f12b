#include "cluster/measure/kernels/contacts.h"

#include "base/error.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "cluster/measure/kernels/contacts.dev.h"

extern const char qn_cluster_contacts_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_cluster_contacts_host);

_Static_assert(sizeof(find_scalars) == 16 && sizeof(shared_scalars) == 16, "no padding");

enum { FIND, SHARE };
enum { GROUP_SIZE, SIDE, ITEM, WORDS };

static size_t round_up(size_t count, size_t step)
{
    return (count + step - 1) / step * step;
}

static qn_geometry find_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_contact_problem *problem = user;
    const size_t group = (size_t)configuration->value[GROUP_SIZE];
    return (qn_geometry){{round_up((size_t)problem->structures * (size_t)problem->words, group), 1, 1}, {group, 1, 1}};
}

static qn_geometry share_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_contact_problem *problem = user;
    const size_t side = (size_t)configuration->value[SIDE], tile = side * (size_t)configuration->value[ITEM];
    return (qn_geometry){{round_up((size_t)problem->columns, tile) / tile * side,
                          round_up((size_t)problem->structures, tile) / tile * side, 1},
                         {side, side, 1}};
}

/* Seven operations for each pair of atoms. */
static void find_work(const void *user, qn_work *least)
{
    const qn_contact_problem *problem = user;
    const double words = (double)problem->structures * problem->words;
    *least = (qn_work){.bytes_read = 12.0 * problem->structures * problem->atoms + 8.0 * problem->words,
                       .bytes_written = 4 * words,
                       .multiply_adds = 7 * 32 * words};
}

/* An and, a count and an addition for each word; issue slots of integers count as those of floats. */
static void share_work(const void *user, qn_work *least)
{
    const qn_contact_problem *problem = user;
    const double share = problem->triangle ? 0.5 : 1;
    const double pairs = share * problem->structures * problem->columns;
    *least = (qn_work){.bytes_read = 4.0 * problem->words * (problem->structures + problem->columns) * share,
                       .bytes_written = 4 * pairs,
                       .multiply_adds = 3 * pairs * problem->words};
}

static qn_status find_on_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_cluster_contacts_host)[FIND](launch);
}

static qn_status share_on_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_cluster_contacts_host)[SHARE](launch);
}

static const qn_argument_declaration find_arguments[FIND_ARGUMENTS] = {
    [FIND_POSITIONS] = {"positions", QN_IN, QN_FLOAT32},
    [FIND_PLACES] = {"places", QN_IN, QN_INT32},
    [FIND_BITS] = {"bits", QN_OUT, QN_UINT32},
    [FIND_COUNTS] = {"counts", QN_INOUT, QN_UINT32},
    [FIND_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(find_scalars)},
};

static const qn_argument_declaration share_arguments[SHARED_ARGUMENTS] = {
    [SHARED_ROWS] = {"rows", QN_IN, QN_UINT32},
    [SHARED_COLUMNS] = {"columns", QN_IN, QN_UINT32},
    [SHARED_COUNTS] = {"counts", QN_OUT, QN_INT32},
    [SHARED_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(shared_scalars)},
};

static const qn_kernel_declaration kernels[] = {
    [FIND] = {"find_contacts", find_arguments, FIND_ARGUMENTS, find_geometry, find_on_host, find_work},
    [SHARE] = {"count_shared", share_arguments, SHARED_ARGUMENTS, share_geometry, share_on_host, share_work},
};

static const qn_tunable tunables[] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {32, 64, 128, 256}, 4, 128, "work-items per group of find_contacts"},
    [SIDE] = {"SIDE", {4, 8, 16, 32}, 4, 16, "work-items along each side of a group of count_shared"},
    [ITEM] = {"ITEM", {1, 2, 4}, 3, 4, "rows, and columns, of a work-item of count_shared"},
    [WORDS] = {"WORDS", {8, 16, 32, 64}, 4, 32, "words in local memory at once"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group",
    "SIDE * SIDE <= device.largest_group",
    "8 * SIDE * ITEM * (WORDS + 1) <= device.local_memory_bytes",
    "!device.is_host || (GROUP_SIZE == 128 && SIDE == 16 && ITEM == 4 && WORDS == 32)",
};

const qn_family qn_cluster_contacts_family = {
    .name = "cluster/contacts",
    .source = qn_cluster_contacts_source,
    .source_path = "cluster/measure/kernels/contacts.cl",
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof *kernels,
    .tunables = tunables,
    .tunable_count = sizeof tunables / sizeof *tunables,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

int qn_contact_places(int atoms, int separation, int32_t *places)
{
    int words = 0;
    for (int a = 0; a < atoms; a++)
        for (int b = a + separation; b < atoms; b += CONTACT_WORD, words++) {
            if (!places) continue;
            places[2 * words] = a;
            places[2 * words + 1] = b;
        }
    return words;
}

static qn_status check(const qn_contact_problem *problem)
{
    if (problem->structures < 1 || problem->columns < 1 || problem->words < 1 ||
        (double)problem->structures * problem->words >= 0x7fffff00)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "cluster/contacts: %d × %d structures of %d words; expected 1 or more of each, and fewer than "
                       "2^31 words",
                       problem->structures, problem->columns, problem->words);
    return QN_OK;
}

qn_status qn_contact_find(qn_queue *queue, const qn_configuration *configuration, const qn_contact_problem *problem,
                          qn_buffer *positions, qn_buffer *places, qn_buffer *bits, qn_buffer *counts, qn_event **event)
{
    QN_TRY(check(problem));
    const find_scalars scalars = {problem->structures, problem->atoms, problem->words, problem->square_cutoff};
    const size_t structures = (size_t)problem->structures;
    const qn_argument values[FIND_ARGUMENTS] = {
        [FIND_POSITIONS] = qn_argument_buffer(positions),
        [FIND_PLACES] = qn_argument_buffer(places),
        [FIND_BITS] = qn_argument_range(bits, 0, 4 * structures * (size_t)problem->words),
        [FIND_COUNTS] = qn_argument_buffer(counts),
        [FIND_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const qn_family_call call = {.kernel = FIND,
                                 .arguments = values,
                                 .argument_count = FIND_ARGUMENTS,
                                 .problem = problem,
                                 .configuration = configuration};
    return qn_family_run(&qn_cluster_contacts_family, queue, &call, event);
}

qn_status qn_contact_share(qn_queue *queue, const qn_configuration *configuration, const qn_contact_problem *problem,
                           qn_buffer *rows, qn_buffer *columns, qn_buffer *counts, qn_event **event)
{
    QN_TRY(check(problem));
    const shared_scalars scalars = {problem->structures, problem->columns, problem->words, problem->triangle};
    const qn_argument values[SHARED_ARGUMENTS] = {
        [SHARED_ROWS] = qn_argument_buffer(rows),
        [SHARED_COLUMNS] = qn_argument_buffer(columns),
        [SHARED_COUNTS] = qn_argument_range(counts, 0, 4 * (size_t)problem->structures * (size_t)problem->columns),
        [SHARED_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const qn_family_call call = {.kernel = SHARE,
                                 .arguments = values,
                                 .argument_count = SHARED_ARGUMENTS,
                                 .problem = problem,
                                 .configuration = configuration};
    return qn_family_run(&qn_cluster_contacts_family, queue, &call, event);
}
