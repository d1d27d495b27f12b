#include "cryoem/memory_inputs.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "model/particle_set.h"

/* Of larger arrays only the first and the last image are hashed, as only the ends of large files are. */
static const uint64_t hashed_bytes_max = (uint64_t)1 << 28;

qn_status qn_input_is_one(const char *what, const char *path, const void *in_memory)
{
    if (path && in_memory)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: given as the file %s and in memory; expected one of the two", what,
                       path);
    if (!path && !in_memory)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: not given; expected a file or an object in memory", what);
    return QN_OK;
}

/* ---- volumes ---- */

qn_status qn_volume_view(const qn_volume *given, const char *name, qn_volume *view)
{
    *view = *given;
    if (!view->name) view->name = (char *)(uintptr_t)name; /* no code writes through a view */
    if (!given->values) return QN_FAIL(QN_INVALID_ARGUMENT, "%s: has no values", view->name);
    for (int k = 0; k < 3; k++) {
        if (given->counts[k] < 1)
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: has %d x %d x %d voxels; expected 1 or more along each axis",
                           view->name, given->counts[0], given->counts[1], given->counts[2]);
        if (!(given->voxel_angstrom[k] > 0) || !isfinite(given->voxel_angstrom[k]))
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: has voxels of %g x %g x %g Å; expected more than 0", view->name,
                           given->voxel_angstrom[0], given->voxel_angstrom[1], given->voxel_angstrom[2]);
    }
    return QN_OK;
}

void qn_volume_digest(const qn_volume *volume, uint64_t *bytes, char digest[65])
{
    const size_t voxels = (size_t)volume->counts[0] * (size_t)volume->counts[1] * (size_t)volume->counts[2];
    qn_hash hash;
    qn_hash_start(&hash);
    qn_hash_add(&hash, volume->counts, sizeof volume->counts);
    qn_hash_add(&hash, volume->voxel_angstrom, sizeof volume->voxel_angstrom);
    qn_hash_add(&hash, volume->values, voxels * sizeof *volume->values);
    qn_hash_finish(&hash, digest);
    *bytes = voxels * sizeof *volume->values;
}

/* ---- particles ---- */

static qn_status check_optics(const qn_particle_set *set)
{
    for (size_t i = 0; i < set->optics_count; i++) {
        const double pixel = set->optics[i].pixel_angstrom;
        if (!(pixel > 0) || !isfinite(pixel))
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: optics group %zu has pixels of %g Å; expected more than 0",
                           set->name, i + 1, pixel);
    }
    return QN_OK;
}

static qn_status check_particle(const qn_particle_set *set, size_t index)
{
    const qn_particle *p = &set->particles[index];
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"rot", p->rot_degrees},
                   {"tilt", p->tilt_degrees},
                   {"psi", p->psi_degrees},
                   {"origin x", p->origin_angstrom[0]},
                   {"origin y", p->origin_angstrom[1]},
                   {"defocus U", p->defocus_u_angstrom},
                   {"defocus V", p->defocus_v_angstrom},
                   {"defocus angle", p->defocus_angle_degrees},
                   {"phase shift", p->phase_shift_degrees},
                   {"B factor", p->b_factor_angstrom2},
                   {"weight", p->weight}};
    if (p->optics >= set->optics_count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: particle %zu is of optics group %u, counted from 0; there are %zu",
                       set->name, index + 1, p->optics, set->optics_count);
    if (set->stack_count > 0 && p->stack >= set->stack_count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: particle %zu is of stack %u, counted from 0; there are %zu", set->name,
                       index + 1, p->stack, set->stack_count);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!isfinite(numbers[i].value))
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: particle %zu has %s = %g; expected a finite number", set->name,
                           index + 1, numbers[i].name, numbers[i].value);
    return QN_OK;
}

static qn_status complete(qn_particle_set *set)
{
    if (!set->name) QN_TRY(qn_text_copy("the particles in memory", &set->name));
    for (size_t i = 0; i < set->particle_count; i++) {
        if (set->particles[i].row == 0) set->particles[i].row = i + 1;
        if (!set->has_images) set->particles[i].image = i;
    }
    return QN_OK;
}

static qn_status check_set(const qn_particle_set *set)
{
    QN_TRY(check_optics(set));
    for (size_t i = 0; i < set->particle_count; i++) QN_TRY(check_particle(set, i));
    return QN_OK;
}

qn_status qn_particle_set_take(const qn_particle_set *given, qn_particle_set **own)
{
    *own = NULL;
    if (given->particle_count < 1 || given->optics_count < 1 || !given->particles || !given->optics)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "the particles in memory: %zu particles in %zu optics groups; expected at least one of both",
                       given->particle_count, given->optics_count);
    QN_TRY(qn_particle_set_copy(given, own));
    qn_status status = complete(*own);
    if (status == QN_OK) status = check_set(*own);
    if (status != QN_OK) qn_particle_set_destroy(own);
    return status;
}

/* Fields are hashed one by one, since the padding between them is undefined. */
static void add_particle(qn_hash *hash, const qn_particle *p)
{
    const double numbers[] = {p->rot_degrees,         p->tilt_degrees,       p->psi_degrees,
                              p->origin_angstrom[0],  p->origin_angstrom[1], p->weight,
                              p->defocus_u_angstrom,  p->defocus_v_angstrom, p->defocus_angle_degrees,
                              p->phase_shift_degrees, p->b_factor_angstrom2};
    const uint64_t whole[] = {p->stack, p->image, p->row, p->flipped, p->optics, (uint64_t)p->subset};
    qn_hash_add(hash, numbers, sizeof numbers);
    qn_hash_add(hash, whole, sizeof whole);
}

static void add_optics(qn_hash *hash, const qn_optics_group *group)
{
    const double numbers[] = {group->pixel_angstrom, group->voltage_kv, group->spherical_aberration_mm,
                              group->amplitude_contrast, group->image_size};
    qn_hash_add(hash, numbers, sizeof numbers);
}

void qn_particle_set_digest(const qn_particle_set *set, uint64_t *bytes, char digest[65])
{
    const uint64_t facts[] = {set->particle_count, set->optics_count, set->has_ctf, set->has_subsets, set->has_angles};
    qn_hash hash;
    qn_hash_start(&hash);
    qn_hash_add(&hash, facts, sizeof facts);
    for (size_t i = 0; i < set->optics_count; i++) add_optics(&hash, &set->optics[i]);
    if (set->classes) qn_hash_add(&hash, set->classes, set->particle_count * sizeof *set->classes);
    for (size_t i = 0; i < set->particle_count; i++) add_particle(&hash, &set->particles[i]);
    qn_hash_finish(&hash, digest);
    *bytes = set->particle_count * sizeof(qn_particle);
}

/* ---- images ---- */

typedef struct image_strides {
    ptrdiff_t image, row, pixel; /* distances in bytes */
} image_strides;

static image_strides strides_of(const qn_image_array *images)
{
    const ptrdiff_t row = (ptrdiff_t)sizeof(float) * images->side;
    if (images->image_stride_bytes || images->row_stride_bytes || images->pixel_stride_bytes)
        return (image_strides){images->image_stride_bytes, images->row_stride_bytes, images->pixel_stride_bytes};
    return (image_strides){row * images->side, row, sizeof(float)};
}

void qn_image_array_copy(const qn_image_array *images, size_t index, float *values)
{
    const image_strides strides = strides_of(images);
    const size_t side = (size_t)images->side;
    const char *image = (const char *)images->values + strides.image * (ptrdiff_t)index;
    for (size_t y = 0; y < side; y++) {
        const char *row = image + strides.row * (ptrdiff_t)y;
        if (strides.pixel == sizeof(float))
            memcpy(values + y * side, row, side * sizeof(float));
        else
            for (size_t x = 0; x < side; x++)
                memcpy(values + y * side + x, row + strides.pixel * (ptrdiff_t)x, sizeof(float));
    }
}

static void add_image(qn_hash *hash, const qn_image_array *images, size_t index)
{
    const image_strides strides = strides_of(images);
    const char *image = (const char *)images->values + strides.image * (ptrdiff_t)index;
    for (ptrdiff_t y = 0; y < images->side; y++) {
        const char *row = image + strides.row * y;
        if (strides.pixel == sizeof(float))
            qn_hash_add(hash, row, (size_t)images->side * sizeof(float));
        else
            for (ptrdiff_t x = 0; x < images->side; x++) qn_hash_add(hash, row + strides.pixel * x, sizeof(float));
    }
}

void qn_image_array_digest(const qn_image_array *images, uint64_t *bytes, char digest[65])
{
    const uint64_t shape[] = {images->count, (uint64_t)images->side};
    qn_hash hash;
    *bytes = images->count * shape[1] * shape[1] * sizeof(float);
    qn_hash_start(&hash);
    qn_hash_add(&hash, shape, sizeof shape);
    const size_t step = *bytes <= hashed_bytes_max || images->count < 2 ? 1 : images->count - 1;
    for (size_t i = 0; i < images->count; i += step) add_image(&hash, images, i);
    qn_hash_finish(&hash, digest);
}
