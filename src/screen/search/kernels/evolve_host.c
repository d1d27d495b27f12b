/* Host kernels of evolve: drawing in blocks of poses, selection job by job, on the pool. */
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"
#include "screen/search/kernels/evolve.h"

#include "screen/search/kernels/evolve.dev.h"

/* Poses of a piece of work. Neighbours are few, and starting another thread takes as long as several hundred poses. */
enum { BLOCK = 256, NEIGHBOUR_BLOCK = 1024 };

typedef struct draw_job {
    uint32_t *words;
    float *transforms;
    const uint32_t *parents;
    const int32_t *counts;
    const uint32_t *keys;
    const float *frame;
    int poses, all, keep, generation, kind, spread_angle, spread[3];
} draw_job;

static qn_status draw_piece(size_t index, int worker, void *user)
{
    const draw_job *job = user;
    const size_t all = (size_t)job->all, first = index * BLOCK, end = MIN(first + BLOCK, all);
    (void)worker;
    for (size_t pose = first; pose < end; pose++) {
        int ligand = (int)pose / job->poses, child = (int)pose - ligand * job->poses;
        uint32_t random[4] = {(uint32_t)child, (uint32_t)job->generation, 0, 0}, numbers[3];
        float transform[12];
        random_block(random, job->keys[2 * ligand], job->keys[2 * ligand + 1]);
        if (job->kind == QN_EVOLVE_EVENLY) {
            pose_draw(random, numbers);
        } else {
            const uint32_t *parent =
                job->parents + 4 * ((size_t)ligand * (size_t)job->keep + (size_t)(child % job->counts[ligand]));
            for (int k = 0; k < 3; k++) numbers[k] = parent[1 + k];
            if (job->kind == QN_EVOLVE_NEAR || child >= job->counts[ligand])
                pose_mutate(random, job->spread_angle, job->spread, numbers);
        }
        pose_transform(numbers, job->frame, transform);
        for (size_t k = 0; k < 3; k++) job->words[k * all + pose] = numbers[k];
        for (size_t k = 0; k < 12; k++) job->transforms[k * all + pose] = transform[k];
    }
    return QN_OK;
}

static qn_status draw(const qn_host_launch *launch)
{
    const draw_scalars *s = launch->arguments[DRAW_SCALARS];
    void *const *a = launch->arguments;
    draw_job job = {.words = a[DRAW_WORDS],
                    .transforms = a[DRAW_TRANSFORMS],
                    .parents = a[DRAW_PARENTS],
                    .counts = a[DRAW_COUNTS],
                    .keys = a[DRAW_KEYS],
                    .frame = a[DRAW_FRAME]};
    job.poses = s->poses;
    job.all = s->jobs * job.poses;
    job.keep = s->keep;
    job.generation = s->generation;
    job.kind = s->kind;
    job.spread_angle = s->spread_angle;
    for (int axis = 0; axis < 3; axis++) job.spread[axis] = s->spread[axis];
    return qn_pool_run(launch->pool, ((size_t)job.all + BLOCK - 1) / BLOCK, draw_piece, &job);
}

typedef struct kept_pose {
    uint32_t word[4]; /* key of the energy, then the numbers */
} kept_pose;

static int compare(const kept_pose *a, const kept_pose *b)
{
    for (int k = 0; k < 4; k++)
        if (a->word[k] != b->word[k]) return a->word[k] < b->word[k] ? -1 : 1;
    return 0;
}

static void sift_down(kept_pose *heap, size_t count, size_t at)
{
    kept_pose moved = heap[at];
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && compare(&heap[child], &heap[child + 1]) < 0) child++;
        if (compare(&moved, &heap[child]) >= 0) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

static void sort_poses(kept_pose *poses, size_t count)
{
    for (size_t at = count / 2; at-- > 0;) sift_down(poses, count, at);
    for (size_t left = count; left-- > 1;) {
        kept_pose largest = poses[0];
        poses[0] = poses[left];
        poses[left] = largest;
        sift_down(poses, left, 0);
    }
}

/* A list that is cut to its best `keep` poses whenever it is full. After that, worse poses are not added. */
typedef struct best_list {
    kept_pose *poses;
    size_t count, capacity, keep;
    kept_pose limit; /* poses after it are not among the best */
} best_list;

static void cut_list(best_list *list)
{
    size_t kept = 0;
    sort_poses(list->poses, list->count);
    for (size_t i = 0; i < list->count && kept < list->keep; i++)
        if (i == 0 || compare(&list->poses[i], &list->poses[i - 1]) != 0) list->poses[kept++] = list->poses[i];
    list->count = kept;
    if (kept == list->keep) list->limit = list->poses[kept - 1];
}

static void offer(best_list *list, const kept_pose *pose)
{
    if (compare(pose, &list->limit) > 0) return;
    if (list->count == list->capacity) {
        cut_list(list);
        if (compare(pose, &list->limit) > 0) return;
    }
    list->poses[list->count++] = *pose;
}

typedef struct best_job {
    const uint32_t *words, *energies, *old;
    const int32_t *old_counts;
    uint32_t *best;
    int32_t *counts;
    kept_pose *lists; /* [threads][capacity] */
    size_t all, poses, old_keep, keep, capacity;
} best_job;

static void offer_new(const best_job *job, size_t ligand, best_list *list)
{
    for (size_t at = ligand * job->poses, end = at + job->poses; at < end; at++) {
        uint32_t key = energy_key(job->energies[at]);
        if (key > list->limit.word[0]) continue;
        offer(list, &(kept_pose){{key, job->words[at], job->words[job->all + at], job->words[2 * job->all + at]}});
    }
}

static qn_status best_piece(size_t ligand, int worker, void *user)
{
    const best_job *job = user;
    best_list list = {job->lists + (size_t)worker * job->capacity, 0, job->capacity, job->keep, {{0}}};
    for (int k = 0; k < 4; k++) list.limit.word[k] = UINT32_MAX;
    const size_t old_count = job->old_keep ? (size_t)job->old_counts[ligand] : 0;
    for (size_t i = 0; i < old_count; i++) {
        const uint32_t *old = job->old + 4 * (ligand * job->old_keep + i);
        offer(&list, &(kept_pose){{energy_key(old[0]), old[1], old[2], old[3]}});
    }
    if (job->poses && list.count >= list.keep) cut_list(&list);
    offer_new(job, ligand, &list);
    cut_list(&list);
    for (size_t place = 0; place < job->keep; place++) {
        const kept_pose *from = &list.poses[place % list.count];
        uint32_t *to = job->best + 4 * (ligand * job->keep + place);
        to[0] = energy_bits(from->word[0]);
        for (int k = 1; k < 4; k++) to[k] = from->word[k];
    }
    job->counts[ligand] = (int32_t)list.count;
    return QN_OK;
}

static qn_status choose_best(const qn_host_launch *launch)
{
    const best_scalars *s = launch->arguments[BEST_SCALARS];
    void *const *a = launch->arguments, *memory;
    best_job job = {.words = a[BEST_WORDS],
                    .energies = a[BEST_ENERGIES],
                    .old = a[BEST_OLD],
                    .old_counts = a[BEST_OLD_COUNTS],
                    .best = a[BEST_BEST],
                    .counts = a[BEST_COUNTS]};
    const size_t jobs = (size_t)s->jobs;
    job.poses = (size_t)s->poses;
    job.old_keep = (size_t)s->old_keep;
    job.keep = (size_t)s->keep;
    job.all = jobs * job.poses;
    job.capacity = MAX(job.keep, job.old_keep) + MAX(job.keep, (size_t)64);
    QN_TRY(qn_allocate((size_t)qn_pool_threads(launch->pool) * job.capacity, sizeof(kept_pose), &memory));
    job.lists = memory;
    qn_status status = qn_pool_run(launch->pool, jobs, best_piece, &job);
    qn_release(&memory);
    return status;
}

enum { CHOSEN = QN_EVOLVE_PARENTS_MAX };

/* The chosen poses, prepared as pose_weigh does: along = the rows of R S, then the translation. */
typedef struct chosen_poses {
    float along[9][CHOSEN], shift[3][CHOSEN];
} chosen_poses;

typedef struct apart_job {
    const uint32_t *parents;
    const int32_t *counts;
    const float *moments, *frame;
    uint32_t *chosen;
    int32_t *chosen_counts, *levels;
    size_t keep, winners;
    float apart2;
    bool fill;
    chosen_poses *memory; /* one for each thread */
} apart_job;

static void copy_pose(const uint32_t *from, uint32_t *to)
{
    for (int k = 0; k < 4; k++) to[k] = from[k];
}

static void note_chosen(const float transform[12], const float m[6], size_t at, chosen_poses *chosen)
{
    for (int row = 0; row < 3; row++) {
        const float x = transform[4 * row], y = transform[4 * row + 1], z = transform[4 * row + 2];
        chosen->along[3 * row][at] = FMA(x, m[0], FMA(y, m[3], z * m[4]));
        chosen->along[3 * row + 1][at] = FMA(x, m[3], FMA(y, m[1], z * m[5]));
        chosen->along[3 * row + 2][at] = FMA(x, m[4], FMA(y, m[5], z * m[2]));
        chosen->shift[row][at] = transform[4 * row + 3];
    }
}

/* Whether a pose is near any of the chosen poses. Computes pose_distance2, with the same bits, for many at once. */
static bool near_chosen(const chosen_poses *chosen, size_t count, const float t[12], float trace, float apart2)
{
    enum { BLOCK_OF_CHOSEN = 64 };
    for (size_t begin = 0; begin < count; begin += BLOCK_OF_CHOSEN) {
        const size_t end = MIN(begin + BLOCK_OF_CHOSEN, count);
        int near = 0;
#pragma omp simd reduction(| : near)
        for (size_t i = begin; i < end; i++) {
            float turned = 0, apart = 0;
            for (int row = 0; row < 3; row++) {
                const float shift = chosen->shift[row][i] - t[4 * row + 3];
                const float z = FMA(chosen->along[3 * row + 2][i], t[4 * row + 2], turned);
                turned =
                    FMA(chosen->along[3 * row][i], t[4 * row], FMA(chosen->along[3 * row + 1][i], t[4 * row + 1], z));
                apart = FMA(shift, shift, apart);
            }
            near |= FMA(2.0f, trace - turned, apart) < apart2;
        }
        if (near) return true;
    }
    return false;
}

static qn_status apart_piece(size_t ligand, int worker, void *user)
{
    const apart_job *job = user;
    const size_t count = (size_t)job->counts[ligand];
    const uint32_t *own = job->parents + 4 * ligand * job->keep;
    const float *moments = job->moments + 6 * ligand, trace = moments[0] + moments[1] + moments[2];
    uint32_t *out = job->chosen + 4 * ligand * job->winners;
    chosen_poses *chosen = job->memory + worker;
    bool taken[CHOSEN] = {false};
    size_t picked = 0;
    for (size_t at = 0; at < count && picked < job->winners; at++) {
        float transform[12];
        pose_transform(own + 4 * at + 1, job->frame, transform);
        if (near_chosen(chosen, picked, transform, trace, job->apart2)) continue;
        note_chosen(transform, moments, picked, chosen);
        taken[at] = true;
        copy_pose(own + 4 * at, out + 4 * picked++);
    }
    job->chosen_counts[ligand] = (int32_t)(job->fill ? job->winners : picked);
    for (size_t rank = picked, at = 0; rank < job->winners; rank++) {
        static const uint32_t nothing[4] = {0x7f800000u, 0, 0, 0};
        while (job->fill && at < count && taken[at]) at++;
        copy_pose(job->fill ? own + 4 * (at % count) : nothing, out + 4 * rank);
        at++;
    }
    for (size_t rank = 0; rank < job->winners; rank++) job->levels[ligand * job->winners + rank] = 0;
    return QN_OK;
}

static qn_status choose_apart(const qn_host_launch *launch)
{
    const apart_scalars *s = launch->arguments[APART_SCALARS];
    void *const *a = launch->arguments, *memory;
    apart_job job = {.parents = a[APART_PARENTS],
                     .counts = a[APART_COUNTS],
                     .moments = a[APART_MOMENTS],
                     .frame = a[APART_FRAME],
                     .chosen = a[APART_CHOSEN],
                     .chosen_counts = a[APART_CHOSEN_COUNTS],
                     .levels = a[APART_LEVELS],
                     .keep = (size_t)s->keep,
                     .winners = (size_t)s->winners,
                     .apart2 = s->apart2,
                     .fill = s->fill != 0};
    QN_TRY(qn_allocate((size_t)qn_pool_threads(launch->pool), sizeof(chosen_poses), &memory));
    job.memory = memory;
    qn_status status =
        qn_pool_run(launch->pool, launch->geometry.items[0] / launch->geometry.group[0], apart_piece, &job);
    qn_release(&memory);
    return status;
}

typedef struct neighbour_job {
    float *transforms;
    const uint32_t *chosen;
    const int32_t *levels;
    const float *frame;
    int winners, poses, all, last_level, step_angle, step[3];
} neighbour_job;

static qn_status neighbour_piece(size_t index, int worker, void *user)
{
    const neighbour_job *job = user;
    const size_t all = (size_t)job->all, first = index * NEIGHBOUR_BLOCK, end = MIN(first + NEIGHBOUR_BLOCK, all);
    (void)worker;
    for (size_t pose = first; pose < end; pose++) {
        int ligand = (int)pose / job->poses, n = (int)pose - ligand * job->poses, winner = n / POSE_NEIGHBOURS;
        size_t at = (size_t)ligand * (size_t)job->winners + (size_t)(winner < job->winners ? winner : 0);
        int level = job->levels[at];
        uint32_t words[3];
        float transform[12];
        for (size_t k = 0; k < 3; k++) words[k] = job->chosen[4 * at + 1 + k];
        if (winner < job->winners && level < job->last_level)
            pose_neighbour(n - winner * POSE_NEIGHBOURS, level, job->step_angle, job->step, words);
        pose_transform(words, job->frame, transform);
        for (size_t k = 0; k < 12; k++) job->transforms[k * all + pose] = transform[k];
    }
    return QN_OK;
}

static qn_status neighbours(const qn_host_launch *launch)
{
    const neighbour_scalars *s = launch->arguments[NEIGHBOURS_SCALARS];
    void *const *a = launch->arguments;
    neighbour_job job = {.transforms = a[NEIGHBOURS_TRANSFORMS],
                         .chosen = a[NEIGHBOURS_CHOSEN],
                         .levels = a[NEIGHBOURS_LEVELS],
                         .frame = a[NEIGHBOURS_FRAME]};
    job.winners = s->winners;
    job.poses = s->poses;
    job.all = s->jobs * job.poses;
    job.last_level = s->last_level;
    job.step_angle = s->step_angle;
    for (int axis = 0; axis < 3; axis++) job.step[axis] = s->step[axis];
    return qn_pool_run(launch->pool, ((size_t)job.all + NEIGHBOUR_BLOCK - 1) / NEIGHBOUR_BLOCK, neighbour_piece, &job);
}

static qn_status descend(const qn_host_launch *launch)
{
    const neighbour_scalars *s = launch->arguments[DESCEND_SCALARS];
    uint32_t *chosen = launch->arguments[DESCEND_CHOSEN];
    int32_t *levels = launch->arguments[DESCEND_LEVELS];
    const uint32_t *energies = launch->arguments[DESCEND_ENERGIES];
    const int winners = s->winners, poses = s->poses, last_level = s->last_level;
    for (int at = 0, all = s->jobs * winners; at < all; at++) {
        const int level = levels[at];
        if (level >= last_level) continue;
        const uint32_t *own = energies + (size_t)(at / winners) * (size_t)poses + at % winners * POSE_NEIGHBOURS;
        uint32_t best = energy_key(chosen[4 * at]);
        int taken = -1;
        for (int n = 0; n < POSE_NEIGHBOURS; n++) {
            uint32_t key = energy_key(own[n]);
            if (key >= best) continue;
            best = key;
            taken = n;
        }
        if (taken < 0) {
            levels[at] = level + 1;
            continue;
        }
        pose_neighbour(taken, level, s->step_angle, s->step, chosen + 4 * at + 1);
        chosen[4 * at] = energy_bits(best);
    }
    return QN_OK;
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_screen_evolve_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_screen_evolve_host)[] = {draw, choose_best, choose_apart, neighbours, descend};
