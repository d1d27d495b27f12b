/* Images of a particle set. Stacks are checked before the start, kept open a few at a time, and read in runs of
 * consecutive images; images of an array in memory are copied. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "base/memory.h"
#include "cryoem/memory_inputs.h"
#include "format/image/image_stack.h"
#include "reconstruct/images.h"

enum { OPEN_MAX = 64 };            /* open stacks; a process may usually open 1024 files */
enum { PIECE_BYTES = 512 * 1024 }; /* bytes of images that a thread reads at once: they stay in its cache */

typedef struct open_stack {
    qn_image_stack *file; /* NULL: this place is free */
    uint32_t stack;
    int users;      /* number of threads that are reading from the stack */
    uint64_t asked; /* number of the latest request, to find the least recently used stack */
} open_stack;

/* Buffer for values that need decoding. One thread uses it at a time. */
typedef struct read_scratch {
    struct read_scratch *next;
    void *data;
    size_t bytes;
} read_scratch;

typedef struct stack_shape {
    int side; /* 0: the stack has not been opened yet */
    uint64_t images;
    double pixel_angstrom;
} stack_shape;

struct qn_image_stacks {
    const qn_image_array *array; /* NULL: images are in stacks; otherwise the other fields are unused */
    stack_shape *shapes;         /* shape of each stack of the set */
    size_t longer_count;         /* number of stacks that are longer than their headers state */
    uint32_t longer_first;       /* the first of them */
    uint64_t longer_bytes;       /* its bytes beyond */
    pthread_mutex_t mutex;
    open_stack open[OPEN_MAX];
    uint64_t asked;
    read_scratch *idle;
};

/* An open stack on loan to a thread. */
typedef struct borrowed_stack {
    qn_image_stack *file;
    open_stack *place; /* NULL: no place was free, and the stack is closed after use */
} borrowed_stack;

static qn_status add_row(qn_status status, const qn_particle_set *set, const qn_particle *particle)
{
    if (status == QN_OK) return status;
    return qn_error_add_context(status, "%s: %s", set->name, qn_particle_place_of(particle).text);
}

static open_stack *find_open(qn_image_stacks *stacks, uint32_t stack)
{
    for (int i = 0; i < OPEN_MAX; i++) {
        open_stack *place = &stacks->open[i];
        if (!place->file || place->stack != stack) continue;
        place->users++;
        place->asked = ++stacks->asked;
        return place;
    }
    return NULL;
}

/* Find a free place, or the place of the least recently used stack among those that no thread is reading. NULL: all
 * stacks are being read. */
static open_stack *find_place(qn_image_stacks *stacks)
{
    open_stack *oldest = NULL;
    for (int i = 0; i < OPEN_MAX; i++) {
        open_stack *place = &stacks->open[i];
        if (!place->file) return place;
        if (place->users == 0 && (!oldest || place->asked < oldest->asked)) oldest = place;
    }
    return oldest;
}

/* Lend an open stack to a thread. A stack is opened outside the lock, since a file server may be slow. */
static qn_status borrow(const qn_particle_set *set, qn_image_stacks *stacks, uint32_t stack, borrowed_stack *borrowed)
{
    qn_image_stack *file, *closed;
    pthread_mutex_lock(&stacks->mutex);
    open_stack *place = find_open(stacks, stack);
    if (place) *borrowed = (borrowed_stack){place->file, place};
    pthread_mutex_unlock(&stacks->mutex);
    if (place) return QN_OK;
    QN_TRY(qn_image_stack_open(set->stacks[stack], &file));
    pthread_mutex_lock(&stacks->mutex);
    place = find_open(stacks, stack); /* another thread may have opened it meanwhile */
    closed = file;
    if (!place) {
        place = find_place(stacks);
        closed = place ? place->file : NULL;
        if (place) *place = (open_stack){file, stack, 1, ++stacks->asked};
    }
    *borrowed = (borrowed_stack){place ? place->file : file, place};
    pthread_mutex_unlock(&stacks->mutex);
    qn_image_stack_close(&closed);
    return QN_OK;
}

static void give_back(qn_image_stacks *stacks, borrowed_stack *borrowed)
{
    if (!borrowed->place) {
        qn_image_stack_close(&borrowed->file);
        return;
    }
    pthread_mutex_lock(&stacks->mutex);
    borrowed->place->users--;
    pthread_mutex_unlock(&stacks->mutex);
}

static void note_length(qn_image_stacks *stacks, uint32_t stack, uint64_t bytes_beyond)
{
    if (bytes_beyond == 0) return;
    if (stacks->longer_count++ > 0) return;
    stacks->longer_first = stack;
    stacks->longer_bytes = bytes_beyond;
}

static qn_status look_at(const qn_particle_set *set, qn_image_stacks *stacks, const qn_particle *particle)
{
    stack_shape *shape = &stacks->shapes[particle->stack];
    borrowed_stack borrowed;
    int width, height;
    QN_TRY(borrow(set, stacks, particle->stack, &borrowed));
    qn_image_stack_shape(borrowed.file, &shape->images, &width, &height);
    shape->pixel_angstrom = qn_image_stack_pixel_angstrom(borrowed.file);
    note_length(stacks, particle->stack, qn_image_stack_bytes_beyond(borrowed.file));
    give_back(stacks, &borrowed);
    if (width != height)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has images of %d x %d pixels; expected square ones",
                       set->stacks[particle->stack], width, height);
    shape->side = width;
    return QN_OK;
}

static qn_status check_pixel(const qn_particle_set *set, const qn_particle *particle, const stack_shape *shape)
{
    const qn_optics_group *group = &set->optics[particle->optics];
    /* Headers hold pixel sizes in single precision, some rounded to a few digits. */
    if (!group->pixel_of_stack || fabs(shape->pixel_angstrom - group->pixel_angstrom) <= 1e-3 * group->pixel_angstrom)
        return QN_OK;
    return QN_FAIL(
        QN_BAD_FORMAT,
        "%s: has pixels of %g Å, but the first stack of optics group %d has %g Å; expected the same, or the pixel "
        "size in the file (_rlnImagePixelSize)",
        set->stacks[particle->stack], shape->pixel_angstrom, group->number, group->pixel_angstrom);
}

static qn_status check_particle(const qn_particle_set *set, qn_image_stacks *stacks, const qn_particle *particle,
                                int *side)
{
    const stack_shape *shape = &stacks->shapes[particle->stack];
    const char *path = set->stacks[particle->stack];
    const qn_optics_group *group = &set->optics[particle->optics];
    const bool is_new = shape->side == 0;
    if (is_new) QN_TRY(look_at(set, stacks, particle));
    if (particle->image >= shape->images)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has no image %llu; expected 1 to %llu", path,
                       (unsigned long long)particle->image + 1, (unsigned long long)shape->images);
    if (*side == 0) *side = group->image_size > 0 ? group->image_size : shape->side;
    if (shape->side != *side)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has images of %d x %d pixels; expected %d x %d as %s of optics group %d",
                       path, shape->side, shape->side, *side, *side,
                       group->image_size > 0 ? "_rlnImageSize" : "in the first stack", group->number);
    return check_pixel(set, particle, shape);
}

/* ---- arrays ---- */

static qn_status check_in_array(const qn_particle_set *set, const qn_image_array *array, const qn_particle *particle)
{
    const qn_optics_group *group = &set->optics[particle->optics];
    if (particle->image >= array->count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "shows image %llu; expected 1 to %zu, as there are in memory",
                       (unsigned long long)particle->image + 1, array->count);
    if (group->image_size > 0 && group->image_size != array->side)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "the images in memory have %d x %d pixels; expected %d x %d as of optics group %d", array->side,
                       array->side, group->image_size, group->image_size, group->number);
    return QN_OK;
}

static qn_status check_array(const qn_particle_set *set, const qn_image_array *array, int *side)
{
    if (!array->values || array->side < 1)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the images in memory: %s, %d pixels a side; expected values and 1 or more",
                       array->values ? "values" : "no values", array->side);
    if (!set->has_images && array->count != set->particle_count)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "the images in memory: there are %zu; expected one for each of %zu particle%s", array->count,
                       set->particle_count, set->particle_count == 1 ? "" : "s");
    if (set->has_images && set->stack_count > 1)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s: names %zu stacks; expected one, since the images are one array in memory", set->name,
                       set->stack_count);
    for (size_t i = 0; i < set->particle_count; i++) {
        const qn_particle *particle = &set->particles[i];
        QN_TRY(add_row(check_in_array(set, array, particle), set, particle));
        side[particle->optics] = array->side;
    }
    return QN_OK;
}

/* ---- opening ---- */

static qn_status check_all(const qn_particle_set *set, qn_image_stacks *stacks, int *side)
{
    void *memory;
    if (stacks->array) return check_array(set, stacks->array, side);
    if (set->stack_count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: no stacks are named; expected stacks or images in memory", set->name);
    QN_TRY(qn_allocate(set->stack_count, sizeof *stacks->shapes, &memory));
    stacks->shapes = memory;
    for (size_t i = 0; i < set->particle_count; i++) {
        const qn_particle *particle = &set->particles[i];
        QN_TRY(add_row(check_particle(set, stacks, particle, &side[particle->optics]), set, particle));
    }
    return QN_OK;
}

qn_status qn_image_stacks_open(const qn_particle_set *set, const qn_image_array *array, qn_image_stacks **out,
                               int **side)
{
    void *memory;
    *out = NULL;
    *side = NULL;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_image_stacks *stacks = memory;
    stacks->array = array;
    pthread_mutex_init(&stacks->mutex, NULL);
    qn_status status = qn_allocate(set->optics_count, sizeof **side, &memory);
    if (status == QN_OK) {
        *side = memory;
        status = check_all(set, stacks, *side);
    }
    if (status != QN_OK) {
        qn_image_stacks_close(&stacks);
        qn_release(side);
    }
    *out = stacks;
    return status;
}

size_t qn_image_stacks_longer(const qn_image_stacks *stacks, uint32_t *first, uint64_t *bytes)
{
    *first = stacks->longer_first;
    *bytes = stacks->longer_bytes;
    return stacks->longer_count;
}

void qn_image_stacks_close(qn_image_stacks **pointer)
{
    qn_image_stacks *stacks = *pointer;
    if (!stacks) return;
    for (int i = 0; i < OPEN_MAX; i++) qn_image_stack_close(&stacks->open[i].file);
    for (read_scratch *scratch = stacks->idle, *next; scratch; scratch = next) {
        next = scratch->next;
        qn_release(&scratch->data);
        qn_release(&scratch);
    }
    pthread_mutex_destroy(&stacks->mutex);
    qn_release(&stacks->shapes);
    qn_release(pointer);
}

static qn_status take_scratch(qn_image_stacks *stacks, read_scratch **scratch)
{
    void *memory;
    pthread_mutex_lock(&stacks->mutex);
    *scratch = stacks->idle;
    if (*scratch) stacks->idle = (*scratch)->next;
    pthread_mutex_unlock(&stacks->mutex);
    if (*scratch) return QN_OK;
    QN_TRY(qn_allocate(1, sizeof **scratch, &memory));
    *scratch = memory;
    return QN_OK;
}

static void return_scratch(qn_image_stacks *stacks, read_scratch *scratch)
{
    pthread_mutex_lock(&stacks->mutex);
    scratch->next = stacks->idle;
    stacks->idle = scratch;
    pthread_mutex_unlock(&stacks->mutex);
}

typedef struct batch_reading {
    const qn_particle_set *set;
    const size_t *order; /* indices of the batch's particles */
    size_t count, piece; /* number of images of the batch; of a thread's piece */
    qn_image_stacks *stacks;
    int side;
    size_t pixels; /* side² */
    float *images;
} batch_reading;

/* Mirror an image along x about the centre pixel n/2: x becomes 2 (n/2) − x modulo n. The first column of an even image
 * stays in place. */
static void mirror(int side, float *image)
{
    for (int y = 0; y < side; y++) {
        float *row = image + (size_t)y * (size_t)side;
        for (int left = side % 2 == 0 ? 1 : 0, right = side - 1; left < right; left++, right--) {
            const float kept = row[left];
            row[left] = row[right];
            row[right] = kept;
        }
    }
}

static qn_status check_finite(const batch_reading *r, const qn_particle *particle, const float *image)
{
    const size_t at = qn_finite_count(image, r->pixels);
    if (at == r->pixels) return QN_OK;
    return QN_FAIL(QN_BAD_FORMAT, "%s: image %llu has the value %g at pixel x = %zu, y = %zu; expected finite values",
                   r->stacks->array ? "the images in memory" : r->set->stacks[particle->stack],
                   (unsigned long long)particle->image + 1, (double)image[at], at % (size_t)r->side,
                   at / (size_t)r->side);
}

/* Read `count` images. Values that need decoding are read into the scratch buffer first. */
static qn_status read_stored(const batch_reading *r, const qn_image_stack *file, const qn_particle *particle,
                             size_t count, read_scratch *scratch, float *images)
{
    uint64_t image_count;
    int width, height;
    qn_image_stack_shape(file, &image_count, &width, &height);
    if (width != r->side || height != r->side) /* the file may have changed since it was first opened */
        return QN_FAIL(QN_BAD_FORMAT, "%s: has images of %d x %d pixels; expected %d x %d as when the run began",
                       r->set->stacks[particle->stack], width, height, r->side, r->side);
    return qn_image_stack_read_run(file, particle->image, count, &scratch->data, &scratch->bytes, images);
}

/* Read consecutive images of one stack. */
static qn_status read_run(const batch_reading *r, const qn_image_stack *file, const size_t *order, size_t count,
                          read_scratch *scratch, float *images)
{
    const qn_particle *particle = &r->set->particles[order[0]];
    QN_TRY(add_row(read_stored(r, file, particle, count, scratch, images), r->set, particle));
    for (size_t i = 0; i < count; i++) {
        const qn_particle *one = &r->set->particles[order[i]];
        float *image = images + i * r->pixels;
        QN_TRY(add_row(check_finite(r, one, image), r->set, one));
        if (one->flipped) mirror(r->side, image);
    }
    return QN_OK;
}

/* Number of particles from the first on whose images are consecutive in one stack. */
static size_t run_length(const qn_particle_set *set, const size_t *order, size_t count)
{
    const qn_particle *first = &set->particles[order[0]];
    size_t length = 1;
    for (; length < count; length++) {
        const qn_particle *next = &set->particles[order[length]];
        if (next->stack != first->stack || next->image != first->image + length) break;
    }
    return length;
}

static qn_status copy_images(const batch_reading *r, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        const qn_particle *particle = &r->set->particles[r->order[i]];
        float *image = r->images + i * r->pixels;
        qn_image_array_copy(r->stacks->array, (size_t)particle->image, image);
        QN_TRY(add_row(check_finite(r, particle, image), r->set, particle));
        if (particle->flipped) mirror(r->side, image);
    }
    return QN_OK;
}

static qn_status read_runs(const batch_reading *r, size_t begin, size_t end, read_scratch *scratch)
{
    for (size_t i = begin; i < end;) {
        const qn_particle *particle = &r->set->particles[r->order[i]];
        const size_t length = run_length(r->set, r->order + i, end - i);
        borrowed_stack borrowed;
        QN_TRY(add_row(borrow(r->set, r->stacks, particle->stack, &borrowed), r->set, particle));
        const qn_status status = read_run(r, borrowed.file, r->order + i, length, scratch, r->images + i * r->pixels);
        give_back(r->stacks, &borrowed);
        QN_TRY(status);
        i += length;
    }
    return QN_OK;
}

static qn_status read_piece(size_t index, int worker, void *user)
{
    const batch_reading *r = user;
    const size_t begin = index * r->piece, end = begin + r->piece < r->count ? begin + r->piece : r->count;
    read_scratch *scratch;
    (void)worker; /* not unique: batches that are read at the same time have workers of the same numbers */
    if (r->stacks->array) return copy_images(r, begin, end);
    QN_TRY(take_scratch(r->stacks, &scratch));
    const qn_status status = read_runs(r, begin, end, scratch);
    return_scratch(r->stacks, scratch);
    return status;
}

qn_status qn_image_batch_read(const qn_particle_set *set, const qn_image_plan *plan, size_t batch,
                              qn_image_stacks *stacks, int side, qn_pool *pool, float *images)
{
    const qn_image_batch_plan *planned = &plan->batches[batch];
    const size_t pixels = (size_t)side * (size_t)side, fitting = PIECE_BYTES / (sizeof(float) * pixels);
    batch_reading reading = {.set = set,
                             .order = plan->order + planned->first,
                             .count = planned->count,
                             .piece = fitting > 0 ? fitting : 1,
                             .stacks = stacks,
                             .side = side,
                             .pixels = pixels,
                             .images = images};
    return qn_pool_run(pool, (planned->count + reading.piece - 1) / reading.piece, read_piece, &reading);
}
