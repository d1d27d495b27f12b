/* Answers of a run: rank and cluster the poses of each coefficient set, merge the clusters of all sets, refine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "dock/merge.h"
#include "dock/pose_energy.h"
#include "dock/run.h"

/* Allocate the answers. Files of the main answer are in the output folder itself; if there are several sets, each set's
 * files are in a folder below it. */
static qn_status create_answers(qn_dock_state *run)
{
    size_t sets = run->energy.set_count, count = sets > 1 ? sets + 1 : 1;
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(qn_dock_answer), &memory));
    run->answers = memory;
    run->answer_count = count;
    for (size_t i = 0; i < count; i++) {
        qn_dock_answer *answer = &run->answers[i];
        answer->name = i < sets ? run->energy.sets[i].name : "merged";
        if (i + 1 < count) snprintf(answer->folder, sizeof answer->folder, "%s/", answer->name);
    }
    return QN_OK;
}

qn_status qn_dock_answer_path(const qn_dock_state *run, const qn_dock_answer *answer, const char *name, char **path)
{
    char whole[80];
    snprintf(whole, sizeof whole, "%s%s", answer->folder, name);
    return qn_job_path(run->job, whole, path);
}

qn_status qn_dock_rank_answers(qn_dock_state *run)
{
    const size_t required = run->restraints.required;
    const qn_dock_candidates candidates = {
        .grid = &run->grid,
        .energy = &run->energy,
        .ligand = &run->ligand_sites,
        .cells = &run->cells,
        .matrices = run->matrices,
        .rotations = run->rotations,
        .rotation_count = run->rotation_count,
        .per_rotation = run->options->per_rotation,
        .hits = run->hits,
        .restraints = &run->restraints,
    };
    QN_TRY(create_answers(run));
    QN_TRY(qn_dock_cells_create(&run->energy, &run->grid, run->job->pool, &run->cells));
    for (size_t set = 0; set < run->energy.set_count; set++) {
        qn_dock_answer *answer = &run->answers[set];
        QN_TRY(qn_dock_poses_rank(&candidates, set, (size_t)run->options->keep, run->job->pool, &answer->poses,
                                  &answer->pose_count));
        if (required && answer->pose_count == 0)
            return QN_FAIL(
                QN_NOT_FOUND,
                "%s: no pose of the set %s satisfies %zu of the %zu restraints; expected larger distances or fewer "
                "required restraints (then --resume continues without a new search), or more poses of each rotation",
                qn_dock_restraints_source(run->options), answer->name, required,
                qn_dock_restraints_total(&run->restraints));
    }
    return QN_OK;
}

static qn_status allocate_clusters(const qn_dock_state *run, qn_dock_answer *answer)
{
    void *memory;
    QN_TRY(qn_allocate((size_t)run->options->clusters, sizeof(qn_cluster), &memory));
    answer->clusters = memory;
    QN_TRY(qn_allocate(answer->pose_count, sizeof(size_t), &memory));
    answer->assignment = memory;
    return QN_OK;
}

static qn_status cluster_poses(qn_dock_state *run, qn_dock_answer *answer)
{
    float *distances;
    QN_TRY(allocate_clusters(run, answer));
    QN_TRY(qn_dock_pose_distances(run->receptor.molecule, run->ligand.molecule, answer->poses, answer->pose_count,
                                  run->job->pool, &distances));
    qn_status status =
        qn_cluster_greedy(distances, answer->pose_count, (float)run->options->radius_angstrom,
                          (size_t)run->options->clusters, answer->clusters, &answer->cluster_count, answer->assignment);
    qn_release(&distances);
    return status;
}

/* A pose of one of the sets that goes into the merged answer. */
typedef struct merged_pose {
    const qn_dock_state *run;
    size_t set, rank, cluster; /* rank and cluster are those in the set */
} merged_pose;

/* Compare by rank, then by the name of the set, so that the result does not depend on the order of the sets. */
static int by_rank(const void *left, const void *right)
{
    const merged_pose *a = left, *b = right;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    return strcmp(a->run->energy.sets[a->set].name, b->run->energy.sets[b->set].name);
}

/* Put the poses of all sets into one list. */
static qn_status gather_poses(qn_dock_state *run, merged_pose *order, qn_dock_answer *merged)
{
    size_t count = 0;
    void *memory;
    for (size_t set = 0; set < run->energy.set_count; set++)
        for (size_t rank = 0; rank < run->answers[set].pose_count; rank++)
            order[count++] = (merged_pose){run, set, rank, run->answers[set].assignment[rank]};
    if (count) qsort(order, count, sizeof *order, by_rank);
    QN_TRY(qn_allocate(count, sizeof(qn_dock_pose), &memory));
    merged->poses = memory;
    merged->pose_count = count;
    for (size_t i = 0; i < count; i++) merged->poses[i] = run->answers[order[i].set].poses[order[i].rank];
    return allocate_clusters(run, merged);
}

/* Index of the first cluster of a set in a list of the clusters of all sets. If `set` is the number of sets, this is
 * the number of all clusters. */
static size_t first_cluster(const qn_dock_state *run, size_t set)
{
    size_t first = 0;
    for (size_t i = 0; i < set; i++) first += run->answers[i].cluster_count;
    return first;
}

/* List the clusters of all sets. `centre` is the index of the centre in the merged list of poses. */
static void gather_clusters(const qn_dock_state *run, const merged_pose *order, size_t pose_count,
                            qn_dock_set_cluster *clusters)
{
    size_t count = 0;
    for (size_t set = 0; set < run->energy.set_count; set++)
        for (size_t rank = 0; rank < run->answers[set].cluster_count; rank++)
            clusters[count++] =
                (qn_dock_set_cluster){run->energy.sets[set].name, rank, run->answers[set].clusters[rank].size, 0};
    for (size_t i = 0; i < pose_count; i++) {
        const size_t set = order[i].set, cluster = order[i].cluster;
        if (cluster != SIZE_MAX && run->answers[set].clusters[cluster].centre == order[i].rank)
            clusters[first_cluster(run, set) + cluster].centre = i;
    }
}

/* Merge the clusters. place[i] gets the index of the merged cluster that clusters[i] joined or became, or SIZE_MAX. */
static qn_status merge_clusters(const qn_dock_state *run, const qn_dock_set_cluster *clusters, size_t count,
                                qn_dock_answer *merged, size_t *place)
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

static qn_status merge_answers(qn_dock_state *run)
{
    const size_t sets = run->energy.set_count, count = first_cluster(run, sets);
    qn_dock_answer *merged = &run->answers[sets];
    size_t poses = 0;
    void *order = NULL, *clusters = NULL, *place = NULL;
    for (size_t set = 0; set < sets; set++) poses += run->answers[set].pose_count;
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

qn_status qn_dock_cluster_answers(qn_dock_state *run)
{
    for (size_t set = 0; set < run->energy.set_count; set++) QN_TRY(cluster_poses(run, &run->answers[set]));
    if (run->energy.set_count > 1) QN_TRY(merge_answers(run));
    QN_TRY(qn_dock_rank_main_answer(run));
    for (size_t i = 0; i < run->answer_count; i++) QN_TRY(qn_dock_count_contacts(run, &run->answers[i]));
    return QN_OK;
}

static bool is_same_pose(const qn_dock_pose *a, const qn_dock_pose *b)
{
    return a->set == b->set && a->rotation == b->rotation && a->cell == b->cell;
}

static size_t find_pose(const qn_dock_pose *poses, size_t count, const qn_dock_pose *pose)
{
    size_t i = 0;
    while (i < count && !is_same_pose(&poses[i], pose)) i++;
    return i;
}

/* Move the centres of all answers that a set found to minima nearby, each once: a centre of the main answer is often
 * one of the set's answer too. Moved poses keep their rotation and cell. */
static qn_status refine_set(qn_dock_state *run, size_t set, qn_dock_pose *moved)
{
    qn_dock_pose_energy energy;
    size_t count = 0;
    for (size_t a = 0; a < run->answer_count; a++)
        for (size_t i = 0; i < run->answers[a].cluster_count; i++) {
            const qn_dock_pose *centre = &run->answers[a].refined[i];
            if (centre->set == set && find_pose(moved, count, centre) == count) moved[count++] = *centre;
        }
    if (count == 0) return QN_OK;
    QN_TRY(qn_dock_pose_energy_create(&run->ligand, &run->energy, &run->grid, &run->cells, set, &energy));
    energy.restraints = &run->restraints;
    const qn_status status = qn_dock_pose_energy_minimise(&energy, run->job->pool, moved, count);
    qn_dock_pose_energy_clear(&energy);
    for (size_t a = 0; a < run->answer_count && status == QN_OK; a++)
        for (size_t i = 0; i < run->answers[a].cluster_count; i++) {
            qn_dock_pose *centre = &run->answers[a].refined[i];
            if (centre->set == set) *centre = moved[find_pose(moved, count, centre)];
        }
    return status;
}

qn_status qn_dock_refine_answers(qn_dock_state *run)
{
    size_t count = 0;
    void *memory;
    for (size_t a = 0; a < run->answer_count; a++) {
        qn_dock_answer *answer = &run->answers[a];
        QN_TRY(qn_allocate(answer->cluster_count, sizeof(qn_dock_pose), &memory));
        answer->refined = memory;
        for (size_t i = 0; i < answer->cluster_count; i++)
            answer->refined[i] = answer->poses[answer->clusters[i].centre];
        count += answer->cluster_count;
    }
    QN_TRY(qn_allocate(count, sizeof(qn_dock_pose), &memory));
    qn_status status = QN_OK;
    for (size_t set = 0; set < run->energy.set_count && status == QN_OK; set++) status = refine_set(run, set, memory);
    qn_release(&memory);
    return status;
}

double qn_dock_lowest_energy(const qn_dock_answer *answer, size_t cluster)
{
    const qn_dock_pose *centre = &answer->poses[answer->clusters[cluster].centre];
    double lowest = centre->energy;
    for (size_t i = 0; i < answer->pose_count; i++) {
        const qn_dock_pose *pose = &answer->poses[i];
        if (answer->assignment[i] == cluster && pose->set == centre->set && pose->energy < lowest)
            lowest = pose->energy;
    }
    return lowest;
}

void qn_dock_answers_clear(qn_dock_state *run)
{
    for (size_t i = 0; i < run->answer_count; i++) {
        qn_dock_answer *answer = &run->answers[i];
        qn_release(&answer->poses);
        qn_release(&answer->clusters);
        qn_release(&answer->assignment);
        qn_release(&answer->scores);
        qn_release(&answer->refined);
        qn_release(&answer->receptor_contact);
    }
    qn_release(&run->answers);
}
