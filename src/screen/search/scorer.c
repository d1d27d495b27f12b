#include "screen/search/scorer.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "score/kernels/score_poses.h"
#include "score/kernels/score_poses_receptor.h"
#include "score/kernels/score_poses_vina.h"

typedef struct bude_state {
    qn_score_poses_receptor *receptor;
    qn_score_poses_near *near; /* NULL: no culling */
    qn_score_poses_room *rooms[QN_SCREEN_SLOTS];
} bude_state;

static void destroy_bude(void **pointer)
{
    bude_state *state = *pointer;
    if (!state) return;
    for (int i = 0; i < QN_SCREEN_SLOTS; i++) qn_score_poses_room_destroy(&state->rooms[i]);
    qn_score_poses_near_destroy(&state->near);
    qn_score_poses_receptor_destroy(&state->receptor);
    qn_release(pointer);
}

static qn_status create_parts(qn_device *device, const qn_score_receptor *from, const qn_screen_search_options *options,
                              bude_state *state)
{
    QN_TRY(qn_score_poses_receptor_create(device, from->score.force_field, from->positions_angstrom, from->types,
                                          from->atom_count, &state->receptor));
    if (!options->cull) return QN_OK;
    QN_TRY(qn_score_poses_near_create(device, state->receptor, from->score.force_field, from->positions_angstrom,
                                      from->types, from->atom_count, &state->near));
    for (int i = 0; i < QN_SCREEN_SLOTS; i++)
        QN_TRY(qn_score_poses_room_create(device, state->near, INFINITY, &state->rooms[i]));
    return QN_OK;
}

static qn_status create_bude(qn_device *device, const qn_score_receptor *receptor,
                             const qn_screen_search_options *options, double hardness, void **state)
{
    qn_bude_force_field field = *receptor->score.force_field;
    qn_score_receptor softened = *receptor;
    const size_t count = (size_t)field.type_count;
    qn_bude_type *types;
    *state = NULL;
    QN_TRY(qn_allocate(count, sizeof *types, (void **)&types));
    memcpy(types, field.types, count * sizeof *types);
    for (size_t i = 0; i < count; i++) types[i].hardness *= (float)hardness;
    field.types = types;
    softened.score.force_field = &field;
    qn_status status = qn_allocate(1, sizeof(bude_state), state);
    if (status == QN_OK) status = create_parts(device, &softened, options, *state);
    if (status != QN_OK) destroy_bude(state);
    qn_release(&types);
    return status;
}

/* The place for the event of the next command; NULL: there is no room. */
static qn_event **next_event(qn_score_poses_events *events)
{
    return events->count < events->most ? &events->events[events->count++] : NULL;
}

static qn_status score_bude(qn_queue *queue, const void *pointer, const qn_screen_scoring *scoring,
                            qn_score_poses_events *events)
{
    const bude_state *state = pointer;
    const qn_score_poses_problem problem = {.receptor_atoms = state->receptor->atom_count,
                                            .ligand_types = state->receptor->type_count,
                                            .jobs = scoring->jobs,
                                            .poses = scoring->poses,
                                            .ligand_atoms = scoring->ligand_atoms,
                                            .exact = scoring->exact};
    if (!state->near)
        return qn_score_poses(queue, NULL, &problem, state->receptor, scoring->job_ranges, scoring->atoms,
                              scoring->transforms, scoring->energies, next_event(events));
    return qn_score_poses_in_reach(queue, NULL, &problem, state->receptor, state->near, state->rooms[scoring->slot],
                                   scoring->job_ranges, scoring->atoms, scoring->transforms, scoring->energies, events);
}

static qn_status create_vina(qn_device *device, const qn_score_receptor *receptor,
                             const qn_screen_search_options *options, double hardness, void **state)
{
    (void)options;
    return qn_score_poses_vina_receptor_create(device, receptor->positions_angstrom, receptor->types,
                                               receptor->atom_count, hardness, (qn_score_poses_vina_receptor **)state);
}

static void destroy_vina(void **state)
{
    qn_score_poses_vina_receptor_destroy((qn_score_poses_vina_receptor **)state);
}

static qn_status score_vina(qn_queue *queue, const void *state, const qn_screen_scoring *scoring,
                            qn_score_poses_events *events)
{
    const qn_score_poses_vina_problem problem = {
        .jobs = scoring->jobs, .poses = scoring->poses, .ligand_atoms = scoring->ligand_atoms};
    return qn_score_poses_vina(queue, NULL, &problem, state, scoring->job_ranges, scoring->shares, scoring->atoms,
                               scoring->transforms, scoring->energies, next_event(events));
}

static float share_of_vina(const qn_score_ligand *ligand)
{
    return qn_score_poses_vina_share(ligand->rotatable_bonds);
}

static const qn_screen_scorer scorers[] = {
    [QN_SCORE_BUDE] = {create_bude, destroy_bude, score_bude, NULL},
    [QN_SCORE_VINA] = {create_vina, destroy_vina, score_vina, share_of_vina},
};

qn_status qn_screen_scorer_find(qn_ligand_score_kind kind, const qn_screen_scorer **scorer)
{
    *scorer = NULL;
    if ((size_t)kind >= sizeof scorers / sizeof *scorers || !scorers[kind].score)
        return QN_FAIL(QN_UNSUPPORTED, "score %d has no kernels; expected bude or vina", (int)kind);
    *scorer = &scorers[kind];
    return QN_OK;
}
