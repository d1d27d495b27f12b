/* From hits to answers: each coefficient set's ranked and clustered poses, and the sets' clusters merged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "dock/merge.h"
#include "dock/pose_energy.h"
#include "dock/run.h"

/* The main answer goes into the output folder itself, those of several sets into folders below it. */
static qn_status create_results(qn_dock_state *run)
{
    size_t sets = run->energy.set_count, count = sets > 1 ? sets + 1 : 1;
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(qn_dock_result), &memory));
    run->results = memory;
    run->result_count = count;
    for (size_t i = 0; i < count; i++) {
        qn_dock_result *result = &run->results[i];
        result->name = i < sets ? run->energy.sets[i].name : "merged";
        if (i + 1 < count) snprintf(result->folder, sizeof result->folder, "%s/", result->name);
    }
    return QN_OK;
}

qn_status qn_dock_result_path(const qn_dock_state *run, const qn_dock_result *result, const char *name, char **path)
{
    char whole[80];
    snprintf(whole, sizeof whole, "%s%s", result->folder, name);
    return qn_job_path(run->job, whole, path);
}

qn_status qn_dock_rank_results(qn_dock_state *run)
{
    const size_t required =
        run->options->restraints_required ? (size_t)run->options->restraints_required : run->restraints.count;
    const qn_dock_candidates candidates = {
        .grid = &run->grid,
        .energy = &run->energy,
        .ligand = &run->ligand_sites,
        .matrices = run->matrices,
        .rotations = run->rotations,
        .rotation_count = run->rotation_count,
        .per_rotation = run->options->per_rotation,
        .hits = run->hits,
        .restraints = &run->restraints,
        .restraints_required = required,
    };
    QN_TRY(create_results(run));
    for (size_t set = 0; set < run->energy.set_count; set++) {
        qn_dock_result *result = &run->results[set];
        QN_TRY(qn_dock_poses_rank(&candidates, set, (size_t)run->options->keep, run->job->pool, &result->poses,
                                  &result->pose_count));
        if (required && result->pose_count == 0)
            QN_FAIL(QN_NOT_FOUND,
                    "%s: no pose of the set %s satisfies %zu of the %zu restraints; expected larger distances or fewer "
                    "restraints required, with which --resume goes on without a new search, or more poses of each "
                    "rotation",
                    run->options->restraints_file, result->name, required, run->restraints.count);
    }
    return QN_OK;
}

static qn_status allocate_clusters(const qn_dock_state *run, qn_dock_result *result)
{
    void *memory;
    QN_TRY(qn_allocate((size_t)run->options->clusters, sizeof(qn_cluster), &memory));
    result->clusters = memory;
    QN_TRY(qn_allocate(result->pose_count, sizeof(size_t), &memory));
    result->assignment = memory;
    return QN_OK;
}

static qn_status cluster_poses(qn_dock_state *run, qn_dock_result *result)
{
    float *distances;
    QN_TRY(allocate_clusters(run, result));
    QN_TRY(qn_dock_pose_distances(run->receptor.molecule, run->ligand.molecule, result->poses, result->pose_count,
                                  run->job->pool, &distances));
    qn_status status =
        qn_cluster_greedy(distances, result->pose_count, (float)run->options->radius_angstrom,
                          (size_t)run->options->clusters, result->clusters, &result->cluster_count, result->assignment);
    qn_release(&distances);
    return status;
}

/* A pose of one of the sets on its way into the merged answer. */
typedef struct merged_pose {
    const qn_dock_state *run;
    size_t set, rank, cluster; /* all counted in the set */
} merged_pose;

/* Best ranks first, the sets taking turns in the order of their names: the order they were given in does not matter. */
static int by_rank(const void *left, const void *right)
{
    const merged_pose *a = left, *b = right;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    return strcmp(a->run->energy.sets[a->set].name, b->run->energy.sets[b->set].name);
}

/* The poses of all sets in one list. */
static qn_status gather_poses(qn_dock_state *run, merged_pose *order, qn_dock_result *merged)
{
    size_t count = 0;
    void *memory;
    for (size_t set = 0; set < run->energy.set_count; set++)
        for (size_t rank = 0; rank < run->results[set].pose_count; rank++)
            order[count++] = (merged_pose){run, set, rank, run->results[set].assignment[rank]};
    if (count) qsort(order, count, sizeof *order, by_rank);
    QN_TRY(qn_allocate(count, sizeof(qn_dock_pose), &memory));
    merged->poses = memory;
    merged->pose_count = count;
    for (size_t i = 0; i < count; i++) merged->poses[i] = run->results[order[i].set].poses[order[i].rank];
    return allocate_clusters(run, merged);
}

/* Where a set's clusters begin in a list of those of all sets; of the number of sets: how many there are. */
static size_t first_cluster(const qn_dock_state *run, size_t set)
{
    size_t first = 0;
    for (size_t i = 0; i < set; i++) first += run->results[i].cluster_count;
    return first;
}

/* All sets' clusters; their centres are poses of the merged list. */
static void gather_clusters(const qn_dock_state *run, const merged_pose *order, size_t pose_count,
                            qn_dock_set_cluster *clusters)
{
    size_t count = 0;
    for (size_t set = 0; set < run->energy.set_count; set++)
        for (size_t rank = 0; rank < run->results[set].cluster_count; rank++)
            clusters[count++] =
                (qn_dock_set_cluster){run->energy.sets[set].name, rank, run->results[set].clusters[rank].size, 0};
    for (size_t i = 0; i < pose_count; i++) {
        const size_t set = order[i].set, cluster = order[i].cluster;
        if (cluster != SIZE_MAX && run->results[set].clusters[cluster].centre == order[i].rank)
            clusters[first_cluster(run, set) + cluster].centre = i;
    }
}

/* `place` gets the merged cluster of each of `clusters`, SIZE_MAX where the limit came first. */
static qn_status merge_clusters(const qn_dock_state *run, const qn_dock_set_cluster *clusters, size_t count,
                                qn_dock_result *merged, size_t *place)
{
    void *memory;
    float *distances = NULL;
    QN_TRY(qn_allocate(count, sizeof(qn_dock_pose), &memory));
    qn_dock_pose *centres = memory;
    for (size_t i = 0; i < count; i++) centres[i] = merged->poses[clusters[i].centre];
    qn_status status = qn_dock_pose_distances(run->receptor.molecule, run->ligand.molecule, centres, count,
                                              run->job->pool, &distances);
    if (status == QN_OK)
        status =
            qn_dock_merge_clusters(clusters, count, distances, (float)run->options->radius_angstrom,
                                   (size_t)run->options->clusters, merged->clusters, &merged->cluster_count, place);
    qn_release(&distances);
    qn_release(&memory);
    return status;
}

static qn_status merge_results(qn_dock_state *run)
{
    const size_t sets = run->energy.set_count, count = first_cluster(run, sets);
    qn_dock_result *merged = &run->results[sets];
    size_t poses = 0;
    void *order = NULL, *clusters = NULL, *place = NULL;
    for (size_t set = 0; set < sets; set++) poses += run->results[set].pose_count;
    qn_status status = qn_allocate(poses, sizeof(merged_pose), &order);
    if (status == QN_OK) status = qn_allocate(count, sizeof(qn_dock_set_cluster), &clusters);
    if (status == QN_OK) status = qn_allocate(count, sizeof(size_t), &place);
    if (status == QN_OK) status = gather_poses(run, order, merged);
    if (status == QN_OK) {
        gather_clusters(run, order, poses, clusters);
        status = merge_clusters(run, clusters, count, merged, place);
    }
    for (size_t i = 0; i < poses && status == QN_OK; i++) {
        const merged_pose *from = (const merged_pose *)order + i;
        merged->assignment[i] =
            from->cluster == SIZE_MAX ? SIZE_MAX : ((size_t *)place)[first_cluster(run, from->set) + from->cluster];
    }
    qn_release(&order);
    qn_release(&clusters);
    qn_release(&place);
    return status;
}

qn_status qn_dock_cluster_results(qn_dock_state *run)
{
    for (size_t set = 0; set < run->energy.set_count; set++) QN_TRY(cluster_poses(run, &run->results[set]));
    if (run->energy.set_count > 1) QN_TRY(merge_results(run));
    for (size_t i = 0; i < run->result_count; i++) QN_TRY(qn_dock_count_contacts(run, &run->results[i]));
    return QN_OK;
}

/* Copies of a set's cluster centres, moved to the nearest minimum. */
static qn_status refine_set(qn_dock_state *run, qn_dock_result *result, size_t set)
{
    qn_dock_pose_energy energy;
    void *memory;
    QN_TRY(qn_allocate(result->cluster_count, sizeof(qn_dock_pose), &memory));
    result->refined = memory;
    for (size_t i = 0; i < result->cluster_count; i++) result->refined[i] = result->poses[result->clusters[i].centre];
    QN_TRY(qn_dock_pose_energy_create(&run->ligand, &run->energy, &run->grid, set, &energy));
    qn_status status = qn_dock_pose_energy_minimise(&energy, run->job->pool, result->refined, result->cluster_count);
    qn_dock_pose_energy_clear(&energy);
    return status;
}

static bool is_same_pose(const qn_dock_pose *a, const qn_dock_pose *b)
{
    return a->set == b->set && a->rotation == b->rotation && a->cell == b->cell;
}

/* The merged centres are centres of the sets: take their minima. */
static qn_status collect_refined(qn_dock_state *run, qn_dock_result *merged)
{
    void *memory;
    QN_TRY(qn_allocate(merged->cluster_count, sizeof(qn_dock_pose), &memory));
    merged->refined = memory;
    for (size_t i = 0; i < merged->cluster_count; i++) {
        const qn_dock_pose *centre = &merged->poses[merged->clusters[i].centre];
        const qn_dock_result *from = &run->results[centre->set];
        for (size_t j = 0; j < from->cluster_count; j++)
            if (is_same_pose(centre, &from->poses[from->clusters[j].centre])) merged->refined[i] = from->refined[j];
    }
    return QN_OK;
}

qn_status qn_dock_refine_results(qn_dock_state *run)
{
    for (size_t set = 0; set < run->energy.set_count; set++) QN_TRY(refine_set(run, &run->results[set], set));
    return run->energy.set_count > 1 ? collect_refined(run, qn_dock_main_result(run)) : QN_OK;
}

void qn_dock_results_clear(qn_dock_state *run)
{
    for (size_t i = 0; i < run->result_count; i++) {
        qn_dock_result *result = &run->results[i];
        qn_release(&result->poses);
        qn_release(&result->clusters);
        qn_release(&result->assignment);
        qn_release(&result->refined);
        qn_release(&result->receptor_contact);
    }
    qn_release(&run->results);
}
