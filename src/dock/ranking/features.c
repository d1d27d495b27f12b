#include "dock/ranking/features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/ranking/consensus.h"

/* Least contacts (atom pairs) and area (Å²) that a share refers to, so that glancing poses have no extreme shares. */
static const double contacts_least = 50, area_least = 100;

/* A rank counts as log((rank + 10) / 10): the first ten are nearly equal. */
static const double rank_scale = 10;

/* Poses with this rank have half the weight of the first in the consensus. */
static const double consensus_rank = 200;

const char *const qn_pose_feature_names[QN_POSE_FEATURES] = {
    "core",
    "attraction",
    "electrostatic",
    "pair",
    "mask",
    "contacts",
    "near_contacts",
    "overlaps_slight",
    "overlaps_moderate",
    "overlaps_deep",
    "dispersion",
    "repulsion",
    "pair_full",
    "pair_near",
    "bonds_backbone",
    "bonds_mixed",
    "bonds_side",
    "bridges",
    "bridges_far",
    "like_charges",
    "unsatisfied_polar",
    "unsatisfied_charged",
    "area_apolar",
    "area_aromatic",
    "area_polar",
    "area_positive",
    "area_negative",
    "residues_receptor",
    "residues_ligand",
    "residue_pairs",
    "loop_share",
    "area",
    "pair_full_share",
    "pair_near_share",
    "repulsion_share",
    "dispersion_share",
    "overlaps_deep_share",
    "area_apolar_share",
    "area_aromatic_share",
    "area_polar_share",
    "area_positive_share",
    "area_negative_share",
    "electrostatic_share",
    "near_share",
    "rank_best",
    "rank_mean",
    "rank_sets",
    "consensus",
    "consensus_log",
    "consensus_receptor",
    "consensus_ligand",
};

typedef struct feature_job {
    const qn_surface *receptor, *ligand;
    const qn_ranking_poses *poses;
    double (*values)[QN_POSE_FEATURES];
    qn_interface_scratch **scratch; /* of each worker */
    qn_interface *interfaces;
    qn_residue_contacts *contacts;
} feature_job;

static void add_shares(const double *measures, double electrostatic, double *scores)
{
    const double contacts = fmax(measures[QN_INTERFACE_CONTACTS], contacts_least);
    double area = 0;
    for (int kind = 0; kind < QN_SURFACE_KINDS; kind++) area += measures[QN_INTERFACE_AREA_APOLAR + kind];
    scores[QN_POSE_AREA] = area;
    area = fmax(area, area_least);
    scores[QN_POSE_PAIR_SHARE] = measures[QN_INTERFACE_PAIR] / contacts;
    scores[QN_POSE_PAIR_NEAR_SHARE] = measures[QN_INTERFACE_PAIR_NEAR] / contacts;
    scores[QN_POSE_REPULSION_SHARE] = measures[QN_INTERFACE_REPULSION] / contacts;
    scores[QN_POSE_DISPERSION_SHARE] = measures[QN_INTERFACE_DISPERSION] / contacts;
    scores[QN_POSE_DEEP_SHARE] = measures[QN_INTERFACE_OVERLAPS_DEEP] / contacts;
    for (int kind = 0; kind < QN_SURFACE_KINDS; kind++)
        scores[QN_POSE_AREA_SHARES + kind] = measures[QN_INTERFACE_AREA_APOLAR + kind] / area;
    scores[QN_POSE_ELECTROSTATIC_SHARE] = electrostatic / area;
    scores[QN_POSE_NEAR_SHARE] = measures[QN_INTERFACE_NEAR_CONTACTS] / contacts;
}

/* Add the features of the ranks in the sets. Returns the weight of the pose in the consensus. */
static double add_ranks(const qn_ranking_poses *poses, size_t index, double *scores)
{
    double best = INFINITY, sum = 0, sets = 0, weight = 0;
    for (size_t set = 0; set < poses->set_count; set++) {
        const size_t found = poses->ranks[index * poses->set_count + set];
        const bool is_kept = found < poses->kept;
        const double rank = (double)(is_kept ? found : poses->kept), logarithm = log((rank + rank_scale) / rank_scale);
        best = fmin(best, logarithm);
        sum += logarithm;
        sets += is_kept;
        weight += is_kept ? 1 / (1 + rank / consensus_rank) : 0;
    }
    scores[QN_POSE_RANK_BEST] = best;
    scores[QN_POSE_RANK_MEAN] = sum / (double)poses->set_count;
    scores[QN_POSE_RANK_SETS] = sets;
    return weight;
}

static qn_status measure(size_t index, int worker, void *user)
{
    const feature_job *job = user;
    const qn_placement *placement = &job->poses->placements[index];
    const double *terms = job->poses->terms[index];
    double *scores = job->values[index];
    qn_interface *interface = &job->interfaces[worker];
    QN_TRY(qn_interface_measure_pose(job->receptor, job->ligand, placement->matrix, placement->translation_angstrom,
                                     job->scratch[worker], interface));
    memcpy(scores, terms, QN_RANKING_TERMS * sizeof(double));
    memcpy(scores + QN_POSE_MEASURES, interface->measures, sizeof interface->measures);
    add_shares(interface->measures, terms[QN_RANKING_ELECTROSTATIC], scores);
    const double weight = add_ranks(job->poses, index, scores);
    return qn_residue_contacts_set(&job->contacts[index], weight, interface->pairs, interface->pair_count);
}

static qn_status measure_all(feature_job *job, qn_pool *pool)
{
    const size_t count = job->poses->count, threads = (size_t)(pool ? qn_pool_threads(pool) : 1);
    void *memory;
    QN_TRY(qn_allocate(threads, sizeof *job->scratch, &memory));
    job->scratch = memory;
    QN_TRY(qn_allocate(threads, sizeof *job->interfaces, &memory));
    job->interfaces = memory;
    QN_TRY(qn_allocate(count, sizeof *job->contacts, &memory));
    job->contacts = memory;
    for (size_t i = 0; i < threads; i++)
        QN_TRY(qn_interface_scratch_create(job->receptor, job->ligand, &job->scratch[i]));
    QN_TRY(qn_pool_run(pool, count, measure, job));
    return qn_consensus_measure(job->contacts, count, QN_POSE_FEATURES, job->values[0] + QN_POSE_CONSENSUS);
}

static void clear_job(feature_job *job, qn_pool *pool)
{
    const size_t threads = (size_t)(pool ? qn_pool_threads(pool) : 1);
    for (size_t i = 0; job->scratch && i < threads; i++) qn_interface_scratch_destroy(&job->scratch[i]);
    for (size_t i = 0; job->interfaces && i < threads; i++) qn_interface_clear(&job->interfaces[i]);
    for (size_t i = 0; job->contacts && i < job->poses->count; i++) qn_release(&job->contacts[i].pairs);
    qn_release(&job->scratch);
    qn_release(&job->interfaces);
    qn_release(&job->contacts);
}

qn_status qn_pose_features_compute(const qn_surface *receptor, const qn_surface *ligand, const qn_ranking_poses *poses,
                                   qn_pool *pool, double (*values)[QN_POSE_FEATURES])
{
    feature_job job = {.receptor = receptor, .ligand = ligand, .poses = poses, .values = values};
    if (poses->count == 0) return QN_OK;
    const qn_status status = measure_all(&job, pool);
    clear_job(&job, pool);
    return status;
}
