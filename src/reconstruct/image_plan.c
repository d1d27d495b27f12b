/* Assignment of images to halves and batches. Two passes go over the particles by the same rules, the first to count
 * and the second to place them, so that no list of particles is kept besides the result. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/random.h"
#include "reconstruct/images.h"

enum { SPLIT_STREAM = 0x73706c74 }; /* stream of the random numbers that split images */
enum { NO_HALF = 2 };

typedef struct planner {
    const qn_particle_set *set;
    bool halves, split; /* `split`: there are two halves, and the file has no subsets */
    int subset;
    uint64_t first, last, seed;
    size_t batch;
    uint8_t *half;    /* half of each particle; NO_HALF: left out */
    uint64_t *images; /* hash table of images: index + 1 of the first particle that names an image; 0: empty */
    size_t slot_count, split_count;
    bool turned; /* whether the halves of the current pair of images are swapped */
    qn_image_plan *plan;
    size_t batch_capacity;
    size_t *open;   /* [optics][2]: index + 1 of the batch that is filled now; 0: none */
    size_t *placed; /* [optics][2]: number of particles placed in the open batch */
} planner;

static qn_status check_options(const planner *p)
{
    if (p->batch < 1) return QN_FAIL(QN_INVALID_ARGUMENT, "batches of 0 images; expected 1 or more");
    if (p->subset < 0 || p->subset > 2)
        return QN_FAIL(QN_INVALID_ARGUMENT, "subset is %d; expected 1, 2 or 0 (all)", p->subset);
    if (p->subset != 0 && p->halves)
        return QN_FAIL(QN_INVALID_ARGUMENT, "subset %d and halves are both requested; expected one of them", p->subset);
    if (p->subset != 0 && !p->set->has_subsets)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: has no column _rlnRandomSubset, so it has no subset %d", p->set->name,
                       p->subset);
    if (p->first < 1 || p->first > p->last)
        return QN_FAIL(QN_INVALID_ARGUMENT, "particles %llu to %llu; expected a range that begins at 1 or later",
                       (unsigned long long)p->first, (unsigned long long)p->last);
    return QN_OK;
}

/* Find the first particle that names the same image; it may be the particle itself. */
static size_t first_of_image(planner *p, size_t index)
{
    const qn_particle *particle = &p->set->particles[index];
    uint64_t h = (particle->image + 1) * 0x9e3779b97f4a7c15u ^ (uint64_t)(particle->stack + 1) * 0xc2b2ae3d27d4eb4fu;
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
    size_t slot = (size_t)(h ^ h >> 32) & (p->slot_count - 1);
    for (; p->images[slot] != 0; slot = (slot + 1) & (p->slot_count - 1)) {
        const qn_particle *other = &p->set->particles[p->images[slot] - 1];
        if (other->stack == particle->stack && other->image == particle->image) return p->images[slot] - 1;
    }
    p->images[slot] = index + 1;
    return index;
}

/* Half of a particle's image. Distinct images are numbered; of images 2k and 2k + 1 one goes to each half. */
static uint8_t split(planner *p, size_t index)
{
    const size_t first = first_of_image(p, index);
    if (first < index) return p->half[first];
    const size_t number = p->split_count++;
    if (number % 2 == 0) p->turned = qn_random_uniform(p->seed, SPLIT_STREAM, number / 2) < 0.5;
    return (uint8_t)(number % 2) ^ (uint8_t)p->turned;
}

/* Choose the half of a particle, or NO_HALF if the options leave the particle out. */
static qn_status choose_half(planner *p, size_t index)
{
    const qn_particle *particle = &p->set->particles[index];
    p->half[index] = NO_HALF;
    if (particle->row < p->first || particle->row > p->last) return QN_OK;
    if (p->subset != 0 && particle->subset != p->subset) return QN_OK;
    if (!(particle->weight > 0)) {
        p->plan->skipped++;
        return QN_OK;
    }
    if (p->split)
        p->half[index] = split(p, index);
    else if (!p->halves)
        p->half[index] = 0;
    else if (particle->subset == 1 || particle->subset == 2)
        p->half[index] = (uint8_t)(particle->subset - 1);
    else
        return QN_FAIL(QN_BAD_FORMAT, "%s: %s: _rlnRandomSubset is %d; expected 1 or 2 for half maps", p->set->name,
                       qn_particle_place_of(particle).text, particle->subset);
    return QN_OK;
}

static qn_status choose_halves(planner *p)
{
    size_t counts[3] = {0};
    for (size_t i = 0; i < p->set->particle_count; i++) {
        QN_TRY(choose_half(p, i));
        counts[p->half[i]]++;
    }
    p->plan->image_count = counts[0] + counts[1];
    if (p->plan->image_count == 0)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: no particle is left of %zu to reconstruct from (%zu were of weight 0 or less)",
                       p->set->name, p->set->particle_count, p->plan->skipped);
    for (int half = 0; half < 2 && p->halves; half++)
        if (counts[half] == 0)
            return QN_FAIL(QN_BAD_FORMAT, "%s: of %zu particle%s none is of half %d; expected some of both",
                           p->set->name, p->plan->image_count, p->plan->image_count == 1 ? "" : "s", half + 1);
    return QN_OK;
}

/* Count a particle in its batch. A new batch begins if there is none or it is full. */
static qn_status fill_batch(planner *p, size_t index)
{
    qn_image_plan *plan = p->plan;
    const uint32_t optics = p->set->particles[index].optics;
    size_t *open = &p->open[2 * optics + p->half[index]];
    if (*open == 0 || plan->batches[*open - 1].count == p->batch) {
        void *memory = plan->batches;
        qn_status status = qn_grow(&memory, &p->batch_capacity, plan->batch_count + 1, sizeof *plan->batches);
        plan->batches = memory;
        QN_TRY(status);
        plan->batches[plan->batch_count++] = (qn_image_batch_plan){.optics = optics, .half = p->half[index]};
        *open = plan->batch_count;
    }
    plan->batches[*open - 1].count++;
    return QN_OK;
}

static qn_status make_batches(planner *p)
{
    qn_image_plan *plan = p->plan;
    size_t next_of_group = 0;
    for (size_t i = 0; i < p->set->particle_count; i++)
        if (p->half[i] != NO_HALF) QN_TRY(fill_batch(p, i));
    for (size_t b = 0; b < plan->batch_count; b++) {
        plan->batches[b].first = next_of_group;
        next_of_group += plan->batches[b].count;
    }
    return QN_OK;
}

/* Place particles in the order in which fill_batch counted them, so that batches begin at the same particles. */
static void place_particles(planner *p)
{
    size_t begun = 0;
    memset(p->open, 0, 2 * p->set->optics_count * sizeof *p->open);
    for (size_t i = 0; i < p->set->particle_count; i++) {
        if (p->half[i] == NO_HALF) continue;
        const size_t kind = 2 * p->set->particles[i].optics + p->half[i];
        if (p->open[kind] == 0 || p->placed[kind] == p->batch) {
            p->open[kind] = ++begun;
            p->placed[kind] = 0;
        }
        p->plan->order[p->plan->batches[p->open[kind] - 1].first + p->placed[kind]++] = i;
    }
}

static qn_status make_room(planner *p)
{
    void *memory;
    QN_TRY(qn_allocate(p->set->particle_count, 1, &memory));
    p->half = memory;
    QN_TRY(qn_allocate(2 * p->set->optics_count, sizeof *p->open, &memory));
    p->open = memory;
    QN_TRY(qn_allocate(2 * p->set->optics_count, sizeof *p->placed, &memory));
    p->placed = memory;
    if (!p->split) return QN_OK;
    for (p->slot_count = 64; p->slot_count < 2 * p->set->particle_count;) p->slot_count *= 2;
    QN_TRY(qn_allocate(p->slot_count, sizeof *p->images, &memory));
    p->images = memory;
    return QN_OK;
}

static qn_status make_plan(planner *p)
{
    void *memory;
    QN_TRY(check_options(p));
    QN_TRY(make_room(p));
    QN_TRY(choose_halves(p));
    QN_TRY(make_batches(p));
    QN_TRY(qn_allocate(p->plan->image_count, sizeof *p->plan->order, &memory));
    p->plan->order = memory;
    place_particles(p);
    return QN_OK;
}

qn_status qn_image_plan_create(const qn_particle_set *set, bool halves, int subset, uint64_t first, uint64_t last,
                               uint64_t seed, size_t batch, qn_image_plan *plan)
{
    planner p = {.set = set,
                 .halves = halves,
                 .split = halves && !set->has_subsets,
                 .subset = subset,
                 .first = first,
                 .last = last,
                 .seed = seed,
                 .batch = batch,
                 .plan = plan};
    *plan = (qn_image_plan){0};
    const qn_status status = make_plan(&p);
    qn_release(&p.half);
    qn_release(&p.open);
    qn_release(&p.placed);
    qn_release(&p.images);
    if (status != QN_OK) qn_image_plan_clear(plan);
    return status;
}

void qn_image_plan_clear(qn_image_plan *plan)
{
    qn_release(&plan->order);
    qn_release(&plan->batches);
    *plan = (qn_image_plan){0};
}
