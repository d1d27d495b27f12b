/* Path variables of each frame, along references of a file (docs/design/collective.md). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "collective/plan.h"
#include "trajectory/query/path_references.h"
#include "trajectory/query/queries.h"
#include "trajectory/query/series.h"
#include "trajectory/query/setup.h"

typedef struct path_state {
    qn_series series;
    qn_structure_atoms atoms;
    qn_path_distance distance;
    size_t reference_count;
    qn_collective *collective; /* shared by the workers */
} path_state;

/* A worker's own. */
typedef struct path_scratch {
    qn_collective *collective;
    double *positions; /* of the selected atoms */
    double *distances; /* to each reference, nm */
} path_scratch;

static const qn_query_parameter parameters[] = {
    {"references", QN_PARAMETER_FILE, NULL, 0, 0, NULL,
     "structures along the path, in its order: models of a PDB file or frames of a trajectory, with the atoms of the "
     "topology or those of the selection"},
    {"distance", QN_PARAMETER_CHOICE, "rmsd-squared", 0, 0, "rmsd-squared rmsd drmsd-squared drmsd",
     "distance d to a reference"},
    {"lambda", QN_PARAMETER_NUMBER, "0", 0, 1e15, NULL,
     "smoothing of the path, in 1/nm² for squared distances, else in 1/nm; 0: 2.3 over the mean distance between "
     "successive references"},
    {"weights", QN_PARAMETER_CHOICE, "none", 0, 0, "none mass", "weights of atoms in the fit and in the RMSD"},
    {0},
};

enum { VALUES = 4 };

static const qn_query_column squared_columns[] = {
    {"s", "", 0}, {"z", "nm²", 2}, {"nearest reference", "", 0}, {"distance to it", "nm", 1}};
static const qn_query_column plain_columns[] = {
    {"s", "", 0}, {"z", "nm", 1}, {"nearest reference", "", 0}, {"distance to it", "nm", 1}};

static const char note[] = "s is the place along the path, from 1 at the first reference; z is the distance from the "
                           "path, which can be slightly negative";
static const qn_series_layout squared_layout = {{{"", "Path variables", squared_columns, VALUES, 1, note}}};
static const qn_series_layout plain_layout = {{{"", "Path variables", plain_columns, VALUES, 1, note}}};

static bool is_squared(qn_path_distance distance)
{
    return distance == QN_PATH_RMSD_SQUARED || distance == QN_PATH_DRMSD_SQUARED;
}

static bool is_of_rmsd(qn_path_distance distance)
{
    return distance == QN_PATH_RMSD_SQUARED || distance == QN_PATH_RMSD;
}

static void destroy(void *state)
{
    path_state *path = state;
    qn_series_clear(&path->series);
    qn_structure_atoms_clear(&path->atoms);
    qn_collective_destroy(&path->collective);
    qn_release(&path);
}

static qn_path_distance distance_of(const char *word)
{
    static const char *const words[] = {[QN_PATH_RMSD_SQUARED] = "rmsd-squared",
                                        [QN_PATH_RMSD] = "rmsd",
                                        [QN_PATH_DRMSD_SQUARED] = "drmsd-squared",
                                        [QN_PATH_DRMSD] = "drmsd"};
    size_t place = 0;
    while (place < QN_PATH_DRMSD && strcmp(words[place], word) != 0) place++;
    return (qn_path_distance)place;
}

static qn_status fill(const qn_query_setup *setup, void *state)
{
    path_state *path = state;
    const char *file = qn_query_setup_text(setup, "references");
    qn_collective_options options = qn_collective_default_options();
    qn_path_references references = {0};
    path->distance = distance_of(qn_query_setup_text(setup, "distance"));
    qn_series_start(&path->series, is_squared(path->distance) ? &squared_layout : &plain_layout);
    QN_TRY(qn_structure_atoms_take(setup, 0, &path->atoms));
    QN_TRY(qn_structure_atoms_check(&path->atoms));
    qn_status status = qn_path_references_read(file, qn_query_setup_topology(setup), &path->atoms, &references);
    if (status == QN_OK) {
        options.references = references.positions;
        options.reference_count = path->reference_count = references.count;
        options.atom_count = path->atoms.count;
        options.weights = path->atoms.weights;
        options.path = path->distance;
        options.lambda = qn_query_setup_number(setup, "lambda");
        status = qn_collective_create(NULL, &options, &path->collective);
        if (status != QN_OK) status = qn_error_add_context(status, "%s", file);
    }
    qn_path_references_clear(&references);
    return status;
}

static qn_status create(const qn_query_setup *setup, void **state)
{
    return qn_query_state_create(setup, sizeof(path_state), fill, destroy, state);
}

static void scratch_destroy(void *memory)
{
    path_scratch *scratch = memory;
    qn_collective_destroy(&scratch->collective);
    qn_release(&scratch->positions);
    qn_release(&scratch->distances);
    qn_release(&scratch);
}

static qn_status scratch_create(const path_state *path, void **out)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(path_scratch), out));
    path_scratch *scratch = *out;
    QN_TRY(qn_allocate(path->atoms.count, 3 * sizeof(double), &memory));
    scratch->positions = memory;
    QN_TRY(qn_allocate(path->reference_count, sizeof(double), &memory));
    scratch->distances = memory;
    return qn_collective_share(path->collective, &scratch->collective);
}

/* The partial result: s, z, the nearest reference from 1, and the distance to it. */
static qn_status measure(const void *state, const qn_query_frame *frame, double *partial)
{
    const path_state *path = state;
    if (!*frame->scratch) QN_TRY(scratch_create(path, frame->scratch));
    path_scratch *scratch = *frame->scratch;
    qn_collective_values values = {.size = sizeof values};
    *(is_of_rmsd(path->distance) ? &values.rmsd : &values.drmsd) = scratch->distances;
    qn_structure_atoms_gather(&path->atoms, frame->frame->positions_nm, scratch->positions);
    QN_TRY(qn_collective_evaluate(scratch->collective, scratch->positions, &values));
    size_t nearest = 0;
    for (size_t n = 1; n < path->reference_count; n++)
        if (scratch->distances[n] < scratch->distances[nearest]) nearest = n;
    partial[0] = values.s;
    partial[1] = values.z;
    partial[2] = (double)(nearest + 1);
    partial[3] = scratch->distances[nearest];
    return QN_OK;
}

static qn_status finish(const void *state, qn_query_tables *tables)
{
    const path_state *path = state;
    const bool squared = is_squared(path->distance);
    QN_TRY(qn_query_tables_number(tables, "references", (double)path->reference_count, "", 0));
    QN_TRY(qn_query_tables_number(tables, "lambda", qn_collective_lambda(path->collective), squared ? "1/nm²" : "1/nm",
                                  squared ? -2 : -1));
    return qn_series_finish(state, tables);
}

const qn_query_class qn_query_path = {
    .size = sizeof(qn_query_class),
    .name = "path",
    .meaning = "place along a path of reference structures and distance from it",
    .parameters = parameters,
    .selections = 1,
    .needs = QN_QUERY_FIXED_ATOMS,
    .create = create,
    .partial_count = qn_series_partial_count,
    .measure = measure,
    .scratch_destroy = scratch_destroy,
    .collect = qn_series_collect,
    .finish = finish,
    .destroy = destroy,
};
