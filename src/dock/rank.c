/* The main answer's order by the ranking model, or by weight. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/ranking/ranking.h"
#include "dock/run.h"

/* Poses of all sets, each once, as the ranking takes them. */
typedef struct unique_poses {
    size_t *first; /* of each: its first index in the answer */
    size_t *of;    /* of each pose of the answer: its unique pose; SIZE_MAX: its rank is not among the best */
    qn_placement *placements;
    double (*terms)[QN_RANKING_TERMS];
    size_t *ranks;
    size_t count;
} unique_poses;

/* Weights of poses fall by √e for one standard deviation of the energies of their set (docs/performance.md). */
static const double weight_steepness = 0.5;

/* The model does not help with antibodies (docs/performance.md), so that they are ranked by weight. */
static qn_dock_ranking ranking_of(const qn_dock_state *run)
{
    if (run->options->ranking != QN_DOCK_RANKING_AUTO) return run->options->ranking;
    if (run->options->score != QN_DOCK_PIPER) return QN_DOCK_RANKING_SIZE;
    for (size_t s = 0; s < run->energy.set_count; s++)
        if (run->coefficients[s].cdrs_only) return QN_DOCK_RANKING_WEIGHT;
    return QN_DOCK_RANKING_MODEL;
}

static int by_place(const void *left, const void *right)
{
    const qn_dock_pose *a = *(const qn_dock_pose *const *)left, *b = *(const qn_dock_pose *const *)right;
    if (a->rotation != b->rotation) return a->rotation < b->rotation ? -1 : 1;
    if (a->cell != b->cell) return a->cell < b->cell ? -1 : 1;
    return (a > b) - (a < b);
}

/* Take a pose of a set over. Its terms do not depend on the set, except for the core. */
static void add_pose(const qn_dock_state *run, const qn_dock_pose *pose, size_t index, unique_poses *unique)
{
    const qn_coefficients *set = &run->coefficients[pose->set];
    qn_placement *placement = &unique->placements[unique->count];
    memcpy(placement->matrix, pose->matrix, sizeof placement->matrix);
    memcpy(placement->translation_angstrom, pose->translation_angstrom, sizeof placement->translation_angstrom);
    memcpy(unique->terms[unique->count], pose->terms, sizeof *unique->terms);
    unique->terms[unique->count][QN_RANKING_CORE] = set->core > 0 ? pose->terms[QN_RANKING_CORE] / set->core : 0;
    for (size_t s = 0; s < run->energy.set_count; s++)
        unique->ranks[unique->count * run->energy.set_count + s] = SIZE_MAX;
    unique->first[unique->count++] = index;
}

static qn_status allocate_unique(size_t poses, size_t sets, unique_poses *unique)
{
    void *memory;
    QN_TRY(qn_allocate(poses, sizeof *unique->first, &memory));
    unique->first = memory;
    QN_TRY(qn_allocate(poses, sizeof *unique->of, &memory));
    unique->of = memory;
    QN_TRY(qn_allocate(poses, sizeof *unique->placements, &memory));
    unique->placements = memory;
    QN_TRY(qn_allocate(poses, sizeof *unique->terms, &memory));
    unique->terms = memory;
    QN_TRY(qn_allocate(poses * sets, sizeof *unique->ranks, &memory));
    unique->ranks = memory;
    return QN_OK;
}

static void clear_unique(unique_poses *unique)
{
    qn_release(&unique->first);
    qn_release(&unique->of);
    qn_release(&unique->placements);
    qn_release(&unique->terms);
    qn_release(&unique->ranks);
}

/* List the poses of the answer that are among the best of a set, each once, in the order of rotations and cells. The
 * answer's poses of a set are in the order of their ranks in the set. */
static qn_status list_unique(const qn_dock_state *run, const qn_dock_answer *answer, unique_poses *unique)
{
    const size_t sets = run->energy.set_count;
    void *order = NULL, *ranks = NULL;
    size_t seen[QN_COEFFICIENTS_MAX] = {0};
    qn_status status = qn_allocate(answer->pose_count, sizeof(qn_dock_pose *), &order);
    if (status == QN_OK) status = qn_allocate(answer->pose_count, sizeof(size_t), &ranks);
    if (status == QN_OK) status = allocate_unique(answer->pose_count, sets, unique);
    for (size_t i = 0; i < answer->pose_count && status == QN_OK; i++) {
        ((const qn_dock_pose **)order)[i] = &answer->poses[i];
        ((size_t *)ranks)[i] = seen[answer->poses[i].set]++;
        unique->of[i] = SIZE_MAX;
    }
    if (status == QN_OK && answer->pose_count) qsort(order, answer->pose_count, sizeof(qn_dock_pose *), by_place);
    const qn_dock_pose *last = NULL;
    for (size_t k = 0; k < answer->pose_count && status == QN_OK; k++) {
        const qn_dock_pose *pose = ((const qn_dock_pose *const *)order)[k];
        const size_t index = (size_t)(pose - answer->poses), rank = ((size_t *)ranks)[index];
        if (rank >= (size_t)run->ranking.poses) continue;
        if (!last || last->rotation != pose->rotation || last->cell != pose->cell) add_pose(run, pose, index, unique);
        last = pose;
        unique->of[index] = unique->count - 1;
        unique->ranks[(unique->count - 1) * sets + pose->set] = rank;
    }
    qn_release(&order);
    qn_release(&ranks);
    return status;
}

/* Make the ranked poses the centres of the answer's clusters. */
static qn_status take_over(const unique_poses *unique, const qn_ranking *ranking, qn_dock_answer *answer)
{
    void *memory;
    QN_TRY(qn_allocate(ranking->count, sizeof *answer->scores, &memory));
    answer->scores = memory;
    answer->cluster_count = ranking->count;
    for (size_t i = 0; i < ranking->count; i++) {
        answer->clusters[i] = (qn_cluster){.centre = unique->first[ranking->chosen[i]]};
        answer->scores[i] = ranking->scores[i];
    }
    for (size_t i = 0; i < answer->pose_count; i++) {
        const size_t cluster = unique->of[i] == SIZE_MAX ? SIZE_MAX : ranking->owners[unique->of[i]];
        answer->assignment[i] = cluster;
        if (cluster != SIZE_MAX) answer->clusters[cluster].size++;
    }
    return QN_OK;
}

static qn_status rank_by_model(qn_dock_state *run, const unique_poses *unique, qn_ranking *ranking)
{
    const size_t kept = (size_t)(run->options->keep < run->ranking.poses ? run->options->keep : run->ranking.poses);
    const qn_ranking_poses poses = {.placements = unique->placements,
                                    .terms = (const double(*)[QN_RANKING_TERMS])unique->terms,
                                    .ranks = unique->ranks,
                                    .count = unique->count,
                                    .set_count = run->energy.set_count,
                                    .kept = kept};
    qn_surface surfaces[2] = {{0}};
    qn_status status = qn_surface_create(&run->receptor, &surfaces[0]);
    if (status == QN_OK) status = qn_surface_create(&run->ligand, &surfaces[1]);
    if (status == QN_OK)
        status =
            qn_ranking_create(&run->ranking, &surfaces[0], &surfaces[1], run->ligand.molecule, &poses,
                              run->options->radius_angstrom, (size_t)run->options->clusters, run->job->pool, ranking);
    for (int i = 0; i < 2; i++) qn_surface_clear(&surfaces[i]);
    return status;
}

/* Replace energies by weights: exp(−s z) / Σ exp(−s z), with the standard score z of an energy and the steepness s. */
static void weigh(double *energies, size_t count)
{
    double mean = 0, variance = 0, sum = 0;
    for (size_t i = 0; i < count; i++) mean += energies[i] / (double)count;
    for (size_t i = 0; i < count; i++) variance += (energies[i] - mean) * (energies[i] - mean) / (double)count;
    for (size_t i = 0; i < count; i++) {
        energies[i] = exp(variance > 0 ? -weight_steepness * (energies[i] - mean) / sqrt(variance) : 0);
        sum += energies[i];
    }
    for (size_t i = 0; i < count; i++) energies[i] /= sum;
}

/* Compute the weights of unique poses: the mean over the sets of a pose's weight in the set. They sum to 1. */
static qn_status weigh_unique(const qn_dock_state *run, const qn_dock_answer *answer, const unique_poses *unique,
                              double *weights)
{
    const size_t sets = run->energy.set_count;
    void *memory;
    QN_TRY(qn_allocate(answer->pose_count, sizeof(double), &memory));
    double *of_set = memory;
    for (size_t set = 0; set < sets; set++) {
        size_t count = 0, next = 0;
        for (size_t i = 0; i < answer->pose_count; i++)
            if (answer->poses[i].set == set && unique->of[i] != SIZE_MAX) of_set[count++] = answer->poses[i].energy;
        weigh(of_set, count);
        for (size_t i = 0; i < answer->pose_count; i++)
            if (answer->poses[i].set == set && unique->of[i] != SIZE_MAX)
                weights[unique->of[i]] += of_set[next++] / (double)sets;
    }
    qn_release(&memory);
    return QN_OK;
}

static qn_status rank_by_weight(qn_dock_state *run, const qn_dock_answer *answer, const unique_poses *unique,
                                qn_ranking *ranking)
{
    void *weights = NULL;
    qn_status status = qn_allocate(unique->count, sizeof(double), &weights);
    if (status == QN_OK) status = weigh_unique(run, answer, unique, weights);
    if (status == QN_OK)
        status = qn_ranking_create_by_weight(run->ligand.molecule, unique->placements, weights, unique->count,
                                             run->options->radius_angstrom, (size_t)run->options->clusters,
                                             run->job->pool, ranking);
    qn_release(&weights);
    return status;
}

qn_status qn_dock_rank_main_answer(qn_dock_state *run)
{
    const qn_dock_ranking way = ranking_of(run);
    qn_dock_answer *answer = qn_dock_main_answer(run);
    if (way == QN_DOCK_RANKING_SIZE) return QN_OK;
    unique_poses unique = {0};
    qn_ranking ranking = {0};
    qn_status status = list_unique(run, answer, &unique);
    if (status == QN_OK)
        status = way == QN_DOCK_RANKING_MODEL ? rank_by_model(run, &unique, &ranking)
                                              : rank_by_weight(run, answer, &unique, &ranking);
    answer->by_weight = way == QN_DOCK_RANKING_WEIGHT;
    if (status == QN_OK) status = take_over(&unique, &ranking, answer);
    qn_ranking_clear(&ranking);
    clear_unique(&unique);
    return status;
}
