/* Host kernels of flexible/search: a task is some chains of a molecule, which share the lanes of vectors
 * (search_lanes.h, search_chains.h, search_settle.h). */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-pre") /* it moves parts of a minimum or maximum into branches: no vectors */
#endif
#include "base/error.h"
#include "base/memory.h"
#include "flexible/kernels/search.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "flexible/kernels/search_settle.h"

typedef struct search_job {
    void *const *arguments;
    const search_scalars *s;
    int groups; /* of `score`: tasks of a ligand */
    const qn_int4 *legs;
    const struct walk_task *tasks; /* of `walk` */
} search_job;

/* Deal `room` to the arrays: [number][QN_SEARCH_WIDTH] each. */
static void set_room(search_lanes *v, float *room)
{
    const int freedoms = v->freedoms;
    const struct {
        float **array;
        int count;
    } parts[] = {
        {&v->x, v->atoms},
        {&v->y, v->atoms},
        {&v->z, v->atoms},
        {&v->gx, v->atoms},
        {&v->gy, v->atoms},
        {&v->gz, v->atoms},
        {&v->parts, QN_SEARCH_PARTS},
        {&v->frames, 12 * v->pieces + 12},
        {&v->rotation, 9},
        {&v->piece_sums, 6 * v->pieces},
        {&v->sums, 6 * v->pieces},
        {&v->inverse, freedoms * (freedoms + 1) / 2},
        {&v->gradient, freedoms},
        {&v->next, freedoms},
        {&v->direction, freedoms},
        {&v->image, freedoms},
        {&v->step, freedoms},
        {&v->change, freedoms},
        {&v->pose, QN_SEARCH_POSE},
        {&v->trial, QN_SEARCH_POSE},
        {&v->bend, 1},
        {&v->energy, 1},
        {&v->reached, 1},
        {&v->slope, 1},
        {&v->way, 1},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i].array = room;
        room += SEARCH_AT(parts[i].count);
    }
}

static qn_status open_lanes(const search_job *job, int ligand, search_lanes *v, void **memory)
{
    const int *head = (const int *)job->arguments[SEARCH_HEADS] + QN_SEARCH_HEAD * ligand;
    *v = (search_lanes){.atoms = head[0],
                        .own = head[9],
                        .pieces = head[1],
                        .freedoms = 5 + head[1],
                        .rounds = head[6],
                        .molecule = (qn_uint32)head[7],
                        .turn = BITS_FLOAT((qn_uint32)head[8]),
                        .places = (const qn_float4 *)job->arguments[SEARCH_ATOMS] + head[3],
                        .links = (const qn_int4 *)job->arguments[SEARCH_LINKS] + head[3],
                        .piece_places = (const qn_float4 *)job->arguments[SEARCH_PIECES] + 2 * head[4],
                        .piece_links = (const qn_int4 *)job->arguments[SEARCH_PIECE_LINKS] + 2 * head[4],
                        .pair_count = head[11],
                        .pairs = (const int *)job->arguments[SEARCH_PAIRS] + head[10],
                        .pair_parameters = (const qn_float4 *)job->arguments[SEARCH_PAIR_PARAMETERS] + head[10],
                        .maps = job->arguments[SEARCH_MAPS]};
    QN_TRY(qn_allocate(SEARCH_AT((size_t)QN_LANES_ROOM(v->atoms, v->pieces)), sizeof(float), memory));
    set_room(v, *memory);
    return QN_OK;
}

static qn_status score_chains(size_t task, int worker, void *user)
{
    const search_job *job = user;
    const int group = (int)task % job->groups, ligand = (int)task / job->groups, chains = job->s->chains;
    const int begin = group * QN_SEARCH_WIDTH, count = MIN(chains - begin, QN_SEARCH_WIDTH);
    const size_t at = QN_SEARCH_POSE * ((size_t)ligand * (size_t)chains + (size_t)begin);
    const float *pose = (const float *)job->arguments[SEARCH_POSES] + at;
    float *result = (float *)job->arguments[SEARCH_RESULTS] + at;
    void *memory;
    search_lanes v;
    (void)worker;
    QN_TRY(open_lanes(job, ligand, &v, &memory));
    for (int lane = 0; lane < count; lane++) lane_load(pose + lane * QN_SEARCH_POSE, v.pose, lane, QN_SEARCH_POSE);
    for (int lane = 0; lane < QN_SEARCH_WIDTH; lane++) v.bend[lane] = job->s->bend;
    lanes_evaluate(&v, job->s, v.pose, v.gradient);
    for (int lane = 0; lane < count; lane++, result += QN_SEARCH_POSE) {
        memset(result, 0, QN_SEARCH_POSE * sizeof *result);
        result[0] = v.reached[lane];
        lane_store(v.gradient, lane, result + 1, v.freedoms);
    }
    qn_release(&memory);
    return QN_OK;
}

/* Legs of a molecule, which share the lanes. */
typedef struct walk_task {
    int begin, end;
} walk_task;

static qn_status walk_legs(size_t number, int worker, void *user)
{
    const search_job *job = user;
    const walk_task *task = &job->tasks[number];
    void *memory;
    search_walk walk = {.scalars = job->s,
                        .states = job->arguments[SEARCH_POSES],
                        .counters = job->arguments[SEARCH_RESULTS],
                        .legs = job->legs + task->begin,
                        .leg_count = task->end - task->begin};
    (void)worker;
    QN_TRY(open_lanes(job, job->legs[task->begin].x / job->s->chains, &walk.lanes, &memory));
    const qn_status status = qn_allocate((size_t)walk.leg_count, sizeof *walk.left, (void **)&walk.left);
    if (status == QN_OK) search_walk_run(&walk);
    qn_release(&walk.left);
    qn_release(&memory);
    return status;
}

/* Settle legs of a molecule. */
static qn_status settle_legs(size_t number, int worker, void *user)
{
    const search_job *job = user;
    const walk_task *part = &job->tasks[number];
    void *memory;
    settle_task task = {.scalars = job->s,
                        .states = job->arguments[SEARCH_POSES],
                        .counters = job->arguments[SEARCH_RESULTS],
                        .legs = job->legs + part->begin,
                        .leg_count = part->end - part->begin};
    (void)worker;
    QN_TRY(open_lanes(job, job->legs[part->begin].x / job->s->chains, &task.lanes, &memory));
    task.lanes.receptor = job->arguments[SEARCH_RECEPTOR];
    task.lanes.near_starts = job->arguments[SEARCH_NEAR_STARTS];
    task.lanes.near_atoms = job->arguments[SEARCH_NEAR];
    task.lanes.near_pairs = job->arguments[SEARCH_NEAR_PAIRS];
    settle_run(&task);
    qn_release(&memory);
    return QN_OK;
}

static qn_status score(const qn_host_launch *launch)
{
    search_job job = {launch->arguments, launch->arguments[SEARCH_SCALARS]};
    job.groups = (job.s->chains + QN_SEARCH_WIDTH - 1) / QN_SEARCH_WIDTH;
    return qn_host_parallel(launch, (size_t)(job.s->group_count / job.s->chains * job.groups), score_chains, &job);
}

/* Deal legs to tasks: those of a molecule follow each other. Lanes are full for longer where a task has more legs than
 * `fewest`; but all threads get a task. Returns their number. */
static int deal_legs(const search_job *job, int workers, int fewest, walk_task *tasks)
{
    const int count = job->s->group_count, chains = job->s->chains;
    int ligands = 0, dealt = 0;
    for (int i = 0; i < count; i++) ligands += i == 0 || job->legs[i].x / chains != job->legs[i - 1].x / chains;
    for (int begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && job->legs[end].x / chains == job->legs[begin].x / chains;) end++;
        const int legs = end - begin, most = (legs + fewest - 1) / fewest;
        const int parts = MIN(most, (workers + ligands - 1) / ligands);
        for (int part = 0; part < parts; part++)
            tasks[dealt++] = (walk_task){begin + (int)((int64_t)legs * part / parts),
                                         begin + (int)((int64_t)legs * (part + 1) / parts)};
    }
    return dealt;
}

/* Do the legs of a launch by a task for some of them each. */
static qn_status do_legs(const qn_host_launch *launch, int fewest, qn_host_task task)
{
    search_job job = {launch->arguments, launch->arguments[SEARCH_SCALARS]};
    walk_task *tasks = NULL;
    job.legs = (const qn_int4 *)launch->arguments[SEARCH_LEGS] + job.s->first_leg;
    QN_TRY(qn_allocate((size_t)job.s->group_count, sizeof *tasks, (void **)&tasks));
    job.tasks = tasks;
    const int count = deal_legs(&job, qn_host_workers(launch), fewest, tasks);
    const qn_status status = qn_host_parallel(launch, (size_t)count, task, &job);
    qn_release(&tasks);
    return status;
}

static qn_status walk(const qn_host_launch *launch)
{
    return do_legs(launch, QN_SEARCH_WIDTH, walk_legs);
}

/* Sums over near atoms, which take the most time, fill vectors for each chain alone. */
static qn_status settle(const qn_host_launch *launch)
{
    return do_legs(launch, 4, settle_legs);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_flexible_search_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_flexible_search_host)[] = {score, walk, settle};
