#include "frames/frame_array.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"

static const uint64_t hashed_bytes_max = (uint64_t)256 << 20;

qn_status qn_frame_array_view(const qn_frame_array *given, size_t atom_count, const char *topology_name,
                              qn_frame_array *view)
{
    *view = *given;
    if (!view->name) view->name = "the frames in memory";
    if (view->frame_count == 0 || !view->positions_nm)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: there are %zu frames%s; expected positions of at least one",
                       view->name, view->frame_count, view->positions_nm ? "" : " at NULL");
    if (view->atom_count != atom_count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: a frame has %s; expected %zu, as %s has", view->name,
                       qn_count_of(view->atom_count, "atom").text, atom_count, topology_name);
    if (!view->frame_stride_bytes && !view->atom_stride_bytes && !view->axis_stride_bytes) {
        view->axis_stride_bytes = sizeof(float);
        view->atom_stride_bytes = 3 * sizeof(float);
        view->frame_stride_bytes = (ptrdiff_t)(3 * sizeof(float) * atom_count);
    }
    if (view->nm_per_unit == 0) view->nm_per_unit = 1;
    if (!isfinite(view->nm_per_unit) || view->nm_per_unit < 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: nm_per_unit is %g; expected a positive number, or 0 for nm",
                       view->name, view->nm_per_unit);
    return QN_OK;
}

/* Strides are in bytes, so the floats need not be aligned. */
static void copy_positions(const qn_frame_array *view, size_t index, float *to)
{
    const char *frame = (const char *)view->positions_nm + (ptrdiff_t)index * view->frame_stride_bytes;
    const bool packed = view->axis_stride_bytes == sizeof(float) && view->atom_stride_bytes == 3 * sizeof(float);
    if (packed) {
        memcpy(to, frame, 3 * view->atom_count * sizeof(float));
        return;
    }
    for (size_t atom = 0; atom < view->atom_count; atom++)
        for (int axis = 0; axis < 3; axis++)
            memcpy(&to[3 * atom + (size_t)axis],
                   frame + (ptrdiff_t)atom * view->atom_stride_bytes + axis * view->axis_stride_bytes, sizeof(float));
}

static qn_status refuse_position(const char *name, const qn_trajectory_frame *frame)
{
    size_t place = 0;
    while (isfinite(frame->positions_nm[place])) place++;
    return QN_FAIL(QN_INVALID_ARGUMENT, "%s: frame %llu: coordinate %c of atom %zu is %g nm; expected a finite number",
                   name, (unsigned long long)frame->number, "xyz"[place % 3], place / 3,
                   (double)frame->positions_nm[place]);
}

qn_status qn_frame_check(const char *name, const qn_trajectory_frame *frame)
{
    float sum = 0; /* NaN if any number is not finite, as 0 times it is NaN; compilers vectorise this sum */
    for (size_t i = 0; i < 3 * frame->atom_count; i++) sum += 0.0f * frame->positions_nm[i];
    if (!isfinite(sum)) return refuse_position(name, frame);
    for (int i = 0; i < 9; i++)
        if (!isfinite(frame->box_nm[i]))
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "%s: frame %llu: the box has the component %g nm; expected finite "
                           "numbers",
                           name, (unsigned long long)frame->number, frame->box_nm[i]);
    if (isinf(frame->time_ps))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s: frame %llu: its time is %g ps; expected a finite number, or NaN for "
                       "none",
                       name, (unsigned long long)frame->number, frame->time_ps);
    return QN_OK;
}

qn_status qn_frame_array_copy(const qn_frame_array *view, size_t index, qn_trajectory_frame *frame)
{
    frame->step = -1;
    frame->time_ps = view->times_ps ? view->times_ps[index] : NAN;
    frame->atom_count = view->atom_count;
    memset(frame->box_nm, 0, sizeof frame->box_nm);
    if (view->boxes_nm) memcpy(frame->box_nm, view->boxes_nm + 9 * index, sizeof frame->box_nm);
    copy_positions(view, index, frame->positions_nm);
    if (view->nm_per_unit != 1) {
        const float scale = (float)view->nm_per_unit;
        for (size_t i = 0; i < 3 * view->atom_count; i++) frame->positions_nm[i] *= scale;
    }
    return qn_frame_check(view->name, frame);
}

static void hash_frame(const qn_frame_array *view, size_t index, qn_hash *hash)
{
    const char *frame = (const char *)view->positions_nm + (ptrdiff_t)index * view->frame_stride_bytes;
    for (size_t atom = 0; atom < view->atom_count; atom++) {
        const char *place = frame + (ptrdiff_t)atom * view->atom_stride_bytes;
        float position[3];
        for (int axis = 0; axis < 3; axis++) memcpy(&position[axis], place + axis * view->axis_stride_bytes, 4);
        qn_hash_add(hash, position, sizeof position);
    }
}

void qn_frame_array_digest(const qn_frame_array *view, uint64_t *bytes, char digest[65])
{
    const uint64_t facts[] = {view->frame_count, view->atom_count, view->boxes_nm != NULL, view->times_ps != NULL};
    const uint64_t all = 3 * sizeof(float) * (uint64_t)view->atom_count * view->frame_count;
    qn_hash hash;
    qn_hash_start(&hash);
    qn_hash_add(&hash, facts, sizeof facts);
    if (view->nm_per_unit != 1) qn_hash_add(&hash, &view->nm_per_unit, sizeof view->nm_per_unit);
    const size_t step = all <= hashed_bytes_max || view->frame_count < 2 ? 1 : view->frame_count - 1;
    for (size_t i = 0; i < view->frame_count; i += step) hash_frame(view, i, &hash);
    if (view->boxes_nm) qn_hash_add(&hash, view->boxes_nm, 9 * view->frame_count * sizeof(double));
    if (view->times_ps) qn_hash_add(&hash, view->times_ps, view->frame_count * sizeof(double));
    qn_hash_finish(&hash, digest);
    *bytes = all;
}
