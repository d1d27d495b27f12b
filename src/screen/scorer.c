#include "screen/scorer.h"

#include "base/error.h"
#include "screen/kernels/score_poses.h"
#include "screen/kernels/score_poses_receptor.h"
#include "screen/kernels/score_poses_vina.h"

static qn_status create_bude(qn_device *device, const qn_screen_receptor *receptor, void **state)
{
    return qn_score_poses_receptor_create(device, receptor->score.force_field, receptor->positions_angstrom,
                                          receptor->types, receptor->atom_count, (qn_score_poses_receptor **)state);
}

static void destroy_bude(void **state)
{
    qn_score_poses_receptor_destroy((qn_score_poses_receptor **)state);
}

static qn_status score_bude(qn_queue *queue, const void *state, const qn_screen_scoring *scoring, qn_event **event)
{
    const qn_score_poses_receptor *receptor = state;
    const qn_score_poses_problem problem = {.receptor_atoms = receptor->atom_count,
                                            .ligand_types = receptor->type_count,
                                            .jobs = scoring->jobs,
                                            .poses = scoring->poses,
                                            .ligand_atoms = scoring->ligand_atoms,
                                            .exact = scoring->exact,
                                            .cull = scoring->cull};
    return qn_score_poses(queue, NULL, &problem, receptor, scoring->job_ranges, scoring->atoms, scoring->transforms,
                          scoring->energies, event);
}

static qn_status create_vina(qn_device *device, const qn_screen_receptor *receptor, void **state)
{
    return qn_score_poses_vina_receptor_create(device, receptor->positions_angstrom, receptor->types,
                                               receptor->atom_count, (qn_score_poses_vina_receptor **)state);
}

static void destroy_vina(void **state)
{
    qn_score_poses_vina_receptor_destroy((qn_score_poses_vina_receptor **)state);
}

static qn_status score_vina(qn_queue *queue, const void *state, const qn_screen_scoring *scoring, qn_event **event)
{
    const qn_score_poses_vina_problem problem = {
        .jobs = scoring->jobs, .poses = scoring->poses, .ligand_atoms = scoring->ligand_atoms};
    return qn_score_poses_vina(queue, NULL, &problem, state, scoring->job_ranges, scoring->shares, scoring->atoms,
                               scoring->transforms, scoring->energies, event);
}

static float share_of_vina(const qn_screen_ligand *ligand)
{
    return qn_score_poses_vina_share(ligand->rotatable_bonds);
}

static const qn_screen_scorer scorers[] = {
    [QN_SCREEN_BUDE] = {create_bude, destroy_bude, score_bude, NULL},
    [QN_SCREEN_VINA] = {create_vina, destroy_vina, score_vina, share_of_vina},
};

qn_status qn_screen_scorer_find(qn_screen_score_kind kind, const qn_screen_scorer **scorer)
{
    *scorer = NULL;
    if ((size_t)kind >= sizeof scorers / sizeof *scorers || !scorers[kind].score)
        QN_FAIL(QN_UNSUPPORTED, "score %d has no kernels; expected bude or vina", (int)kind);
    *scorer = &scorers[kind];
    return QN_OK;
}
