/* Clusters of frames in one pass over the trajectory, by RMSD from their centres. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "collective/leader.h"
#include "trajectory/query/queries.h"
#include "trajectory/query/series.h"
#include "trajectory/query/setup.h"
#include "trajectory/query/structure_atoms.h"

typedef struct cluster_state {
    qn_series series; /* cluster from 1, RMSD from its centre */
    qn_structure_atoms atoms;
    qn_leader *leader;
} cluster_state;

static const qn_query_parameter parameters[] = {
    {"cutoff", QN_PARAMETER_LENGTH, NULL, 0, 1e6, NULL, "largest RMSD of a frame from the centre of its cluster"},
    {"join", QN_PARAMETER_CHOICE, "nearest", 0, 0, "nearest first",
     "centre that a frame joins if several are within the cut-off"},
    {"weights", QN_PARAMETER_CHOICE, "none", 0, 0, "none mass", "weights of atoms in the fit and in the RMSD"},
    {0},
};

static const qn_query_column columns[] = {{"cluster", "", 0}, {"RMSD from its centre", "nm", 1}};
static const qn_series_layout layout = {{{"", "Clusters of frames", columns, 2, 1, NULL}}};

static const qn_query_column centre_columns[] = {
    {"cluster", "", 0}, {"frames", "", 0},      {"frame of the centre", "", 0}, {"time of the centre", "ps", 0},
    {"share", "", 0},   {"mean RMSD", "nm", 1}, {"largest RMSD", "nm", 1}};

enum { CENTRE_COLUMNS = sizeof centre_columns / sizeof *centre_columns };

static void destroy(void *state)
{
    cluster_state *cluster = state;
    qn_series_clear(&cluster->series);
    qn_structure_atoms_clear(&cluster->atoms);
    qn_leader_destroy(&cluster->leader);
    qn_release(&cluster);
}

static qn_status fill(const qn_query_setup *setup, void *state)
{
    cluster_state *cluster = state;
    const bool nearest = strcmp(qn_query_setup_text(setup, "join"), "nearest") == 0;
    qn_series_start(&cluster->series, &layout);
    QN_TRY(qn_structure_atoms_take(setup, 0, &cluster->atoms));
    QN_TRY(qn_structure_atoms_check(&cluster->atoms));
    return qn_leader_create(cluster->atoms.count, cluster->atoms.weights, qn_query_setup_number(setup, "cutoff"),
                            nearest, &cluster->leader);
}

static qn_status create(const qn_query_setup *setup, void **state)
{
    return qn_query_state_create(setup, sizeof(cluster_state), fill, destroy, state);
}

/* A frame's part is its positions: which centres there are is known in the order of frames only. */
static size_t partial_count(const void *state)
{
    return 3 * ((const cluster_state *)state)->atoms.count;
}

static qn_status measure(const void *state, const qn_query_frame *frame, double *partial)
{
    const cluster_state *cluster = state;
    qn_structure_atoms_gather(&cluster->atoms, frame->frame->positions_nm, partial);
    return QN_OK;
}

static qn_status collect(void *state, const qn_trajectory_frame *frame, const double *partial)
{
    cluster_state *cluster = state;
    size_t place;
    double values[2];
    QN_TRY(qn_leader_add(cluster->leader, partial, &place, &values[1]));
    values[0] = (double)(place + 1);
    return qn_series_collect(state, frame, values);
}

static qn_status finish(const void *state, qn_query_tables *tables)
{
    const cluster_state *cluster = state;
    const qn_query_table table = {.name = "centres",
                                  .title = "Clusters and their centres",
                                  .columns = centre_columns,
                                  .column_count = CENTRE_COLUMNS,
                                  .plotted = 1};
    size_t count;
    uint64_t largest = 0;
    const qn_leader_cluster *clusters = qn_leader_clusters(cluster->leader, &count);
    const double frames = (double)cluster->series.row_count;
    QN_TRY(qn_series_finish(state, tables));
    QN_TRY(qn_query_tables_begin(tables, &table));
    for (size_t k = 0; k < count; k++) {
        const double size = (double)clusters[k].size;
        const double row[CENTRE_COLUMNS] = {(double)(k + 1),
                                            size,
                                            qn_series_frame_number(&cluster->series, clusters[k].centre),
                                            qn_series_time_ps(&cluster->series, clusters[k].centre),
                                            size / frames,
                                            clusters[k].rmsd_sum / size,
                                            clusters[k].largest_rmsd};
        QN_TRY(qn_query_tables_row(tables, row));
        if (clusters[k].size > largest) largest = clusters[k].size;
    }
    QN_TRY(qn_query_tables_number(tables, "clusters", (double)count, "", 0));
    return qn_query_tables_number(tables, "share of the largest cluster", frames > 0 ? (double)largest / frames : 0, "",
                                  0);
}

const qn_query_class qn_query_cluster = {
    .size = sizeof(qn_query_class),
    .name = "cluster",
    .meaning = "clusters of frames within a cut-off of their centres, in one pass",
    .parameters = parameters,
    .tables = "centres",
    .selections = 1,
    .needs = QN_QUERY_FIXED_ATOMS,
    .create = create,
    .partial_count = partial_count,
    .measure = measure,
    .collect = collect,
    .finish = finish,
    .destroy = destroy,
};
