/* Host kernels of flexible/search: a task is a chain, with the code of the device (search.dev.h), whose items are
 * lanes. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-pre") /* it moves parts of a minimum or maximum into branches: no vectors */
#endif
#include "base/error.h"
#include "base/memory.h"
#include "flexible/kernels/search.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "flexible/kernels/search.dev.h"

typedef struct search_job {
    void *const *arguments;
    const search_scalars *s;
} search_job;

static void set_room(search_view *v, float *room)
{
    float **const parts[] = {&v->x, &v->y, &v->z, &v->gx, &v->gy, &v->gz, &v->energies};
    v->scratch = room;
    v->pose = room + QN_SEARCH_LANES;
    v->trial = v->pose + QN_SEARCH_POSE;
    v->current = v->trial + QN_SEARCH_POSE;
    v->best = v->current + QN_SEARCH_POSE;
    room = v->best + QN_SEARCH_POSE;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++, room += v->atoms) *parts[i] = room;
    v->frames = room;
    v->sums = v->frames + 12 * v->pieces;
    v->gradient = v->sums + 6 * v->pieces;
    v->next = v->gradient + v->freedoms;
    v->direction = v->next + v->freedoms;
    v->image = v->direction + v->freedoms;
    v->inverse = v->image + v->freedoms;
}

/* List each pair once, by rising atoms. */
static void list_pairs(search_view *v, int *flat)
{
    v->flat = flat;
    v->pair_count = 0;
    for (int i = 0; i < v->atoms; i++)
        for (int p = v->links[i].z; p < v->links[i].w; p++) {
            if (v->partners[2 * p] < i) continue;
            *flat++ = i;
            *flat++ = v->partners[2 * p];
            *flat++ = v->partners[2 * p + 1];
            v->pair_count++;
        }
}

static qn_status open_view(const search_job *job, int ligand, search_view *v, void **memory)
{
    const int *head = (const int *)job->arguments[SEARCH_HEADS] + QN_SEARCH_HEAD * ligand;
    *v = (search_view){.atoms = head[0],
                       .pieces = head[1],
                       .depth = head[2],
                       .rounds = head[6],
                       .molecule = (qn_uint32)head[7],
                       .turn = BITS_FLOAT((qn_uint32)head[8]),
                       .freedoms = 5 + head[1],
                       .stride = (5 + head[1]) | 1,
                       .places = (const qn_float4 *)job->arguments[SEARCH_ATOMS] + head[3],
                       .links = (const qn_int4 *)job->arguments[SEARCH_LINKS] + head[3],
                       .partners = (const int *)job->arguments[SEARCH_PARTNERS] + 2 * head[5],
                       .piece_places = (const qn_float4 *)job->arguments[SEARCH_PIECES] + 2 * head[4],
                       .piece_links = (const qn_int4 *)job->arguments[SEARCH_PIECE_LINKS] + 2 * head[4],
                       .pairs = job->arguments[SEARCH_PAIRS],
                       .maps = job->arguments[SEARCH_MAPS]};
    const size_t room = (size_t)QN_SEARCH_ROOM(v->atoms, v->pieces);
    const size_t pairs = v->atoms > 0 ? (size_t)v->links[v->atoms - 1].w : 0; /* both ways, so twice as many */
    QN_TRY(qn_allocate(room + 5 * pairs, sizeof(float), memory));
    float *at = *memory;
    set_room(v, at);
    v->pair_energies = at + room;
    v->pair_factors = v->pair_energies + pairs;
    list_pairs(v, (int *)(v->pair_factors + pairs));
    return QN_OK;
}

static qn_status score_chain(size_t chain, int worker, void *user)
{
    const search_job *job = user;
    const float *pose = (const float *)job->arguments[SEARCH_POSES] + QN_SEARCH_POSE * chain;
    float *result = (float *)job->arguments[SEARCH_RESULTS] + QN_SEARCH_POSE * chain;
    void *memory;
    search_view v;
    (void)worker;
    QN_TRY(open_view(job, (int)chain / job->s->chains, &v, &memory));
    memcpy(v.pose, pose, QN_SEARCH_POSE * sizeof *pose);
    result[0] = search_evaluate(&v, job->s, job->s->bend, v.pose, v.gradient);
    for (int i = 1; i < QN_SEARCH_POSE; i++) result[i] = i <= v.freedoms ? v.gradient[i - 1] : 0.0f;
    qn_release(&memory);
    return QN_OK;
}

static qn_status walk_leg(size_t group, int worker, void *user)
{
    const search_job *job = user;
    const qn_int4 leg = ((const qn_int4 *)job->arguments[SEARCH_LEGS])[(size_t)job->s->first_leg + group];
    const size_t chain = (size_t)leg.x;
    float *state = (float *)job->arguments[SEARCH_POSES] + 2 * QN_SEARCH_POSE * chain;
    int *counters = (int *)job->arguments[SEARCH_RESULTS] + 2 * chain;
    void *memory;
    search_view v;
    (void)worker;
    QN_TRY(open_view(job, (int)chain / job->s->chains, &v, &memory));
    memcpy(v.current, state, QN_SEARCH_POSE * sizeof *state);
    memcpy(v.best, state + QN_SEARCH_POSE, QN_SEARCH_POSE * sizeof *state);
    for (int number = leg.y; number < leg.y + leg.z; number++)
        counters[1] += search_step(&v, job->s, (int)chain % job->s->chains, number);
    memcpy(state, v.current, QN_SEARCH_POSE * sizeof *state);
    memcpy(state + QN_SEARCH_POSE, v.best, QN_SEARCH_POSE * sizeof *state);
    counters[0] += v.evaluations;
    qn_release(&memory);
    return QN_OK;
}

static qn_status score(const qn_host_launch *launch)
{
    search_job job = {launch->arguments, launch->arguments[SEARCH_SCALARS]};
    return qn_host_parallel(launch, (size_t)job.s->group_count, score_chain, &job);
}

static qn_status walk(const qn_host_launch *launch)
{
    search_job job = {launch->arguments, launch->arguments[SEARCH_SCALARS]};
    return qn_host_parallel(launch, (size_t)job.s->group_count, walk_leg, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_flexible_search_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_flexible_search_host)[] = {score, walk};
