#include "movie/motion/motion.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum {
    DEGREE = 3,
    INTERVALS_MAX = 3,
    KNOTS_MAX = INTERVALS_MAX + 2 * DEGREE + 1,
    SPACE_INTERVALS = QN_MOTION_SIDE - DEGREE
};

_Static_assert(INTERVALS_MAX + DEGREE - 1 <= QN_MOTION_TIME_KNOTS_MAX, "room for the B-splines in time");

qn_status qn_motion_allocate(int frame_count, int width, int height, qn_motion *motion)
{
    void *memory;
    *motion = (qn_motion){.frame_count = frame_count, .width = width, .height = height};
    if (frame_count < 1 || width < 2 || height < 2)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "motion of %d frames of %d × %d pixels; expected at least one frame of 2 × 2", frame_count,
                       width, height);
    QN_TRY(
        qn_allocate((size_t)frame_count * 2 + QN_MOTION_TIME_KNOTS_MAX * 2 * QN_MOTION_PLANE, sizeof(double), &memory));
    motion->global_px = memory;
    motion->local_px = motion->global_px + 2 * (size_t)frame_count;
    return QN_OK;
}

void qn_motion_release(qn_motion *motion)
{
    qn_release(&motion->global_px);
    *motion = (qn_motion){0};
}

static int intervals_of(int frame_count)
{
    const int count = (frame_count - 1) / 4;
    return count < 1 ? 1 : count > INTERVALS_MAX ? INTERVALS_MAX : count;
}

int qn_motion_time_count(int frame_count)
{
    return intervals_of(frame_count) + DEGREE - 1;
}

/* Returns the number of intervals. */
static int make_knots(int frame_count, double knots[KNOTS_MAX])
{
    const int intervals = intervals_of(frame_count), count = intervals + DEGREE;
    for (int i = 0; i <= count + DEGREE; i++) {
        const int inner = i < DEGREE ? 0 : i > count ? intervals : i - DEGREE;
        const double part = (double)inner / intervals;
        knots[i] = part * part;
    }
    return intervals;
}

/* The coefficients are the polynomial's blossom at the three inner knots of each B-spline (Ramshaw 1989). */
void qn_motion_time_polynomial(int frame_count, int degree, double coefficients[QN_MOTION_TIME_KNOTS_MAX])
{
    double knots[KNOTS_MAX];
    const int count = make_knots(frame_count, knots) + DEGREE - 1;
    for (int m = 0; m < count; m++) {
        const double a = knots[m + 2], b = knots[m + 3], c = knots[m + 4];
        coefficients[m] = degree == 1 ? (a + b + c) / 3 : degree == 2 ? (a * b + a * c + b * c) / 3 : a * b * c;
    }
}

/* The recursion of Cox and de Boor, upwards from the interval that holds t. */
void qn_motion_time_basis(int frame_count, int frame, double values[QN_MOTION_TIME_KNOTS_MAX])
{
    double knots[KNOTS_MAX], all[KNOTS_MAX] = {0};
    const int intervals = make_knots(frame_count, knots), count = intervals + DEGREE;
    const double t = frame_count > 1 ? (double)frame / (frame_count - 1) : 0;
    int interval = DEGREE;
    while (interval < count - 1 && t >= knots[interval + 1]) interval++;
    all[interval] = 1;
    for (int degree = 1; degree <= DEGREE; degree++)
        for (int i = interval - degree; i <= interval; i++) {
            const double left = knots[i + degree] - knots[i], right = knots[i + degree + 1] - knots[i + 1];
            const double rising = left > 0 ? (t - knots[i]) / left * all[i] : 0;
            all[i] = rising + (right > 0 ? (knots[i + degree + 1] - t) / right * all[i + 1] : 0);
        }
    memset(values, 0, QN_MOTION_TIME_KNOTS_MAX * sizeof *values);
    memcpy(values, all + 1, (size_t)(count - 1) * sizeof *values);
}

void qn_motion_space_basis(double v, double values[QN_MOTION_SIDE])
{
    const double place = SPACE_INTERVALS * (v > 0 ? v < 1 ? v : 1 : 0);
    const int first = place < SPACE_INTERVALS - 1 ? (int)place : SPACE_INTERVALS - 1;
    const double f = place - first, rest = 1 - f;
    memset(values, 0, QN_MOTION_SIDE * sizeof *values);
    values[first] = rest * rest * rest / 6;
    values[first + 1] = (3 * f * f * f - 6 * f * f + 4) / 6;
    values[first + 2] = (3 * rest * rest * rest - 6 * rest * rest + 4) / 6;
    values[first + 3] = f * f * f / 6;
}

void qn_motion_frame_coefficients(const qn_motion *motion, int frame, double coefficients[2 * QN_MOTION_PLANE])
{
    double basis[QN_MOTION_TIME_KNOTS_MAX];
    qn_motion_time_basis(motion->frame_count, frame, basis);
    memset(coefficients, 0, 2 * QN_MOTION_PLANE * sizeof *coefficients);
    for (int m = 0; m < motion->time_count; m++)
        for (int k = 0; k < 2 * QN_MOTION_PLANE; k++)
            coefficients[k] += basis[m] * motion->local_px[m * 2 * QN_MOTION_PLANE + k];
}

void qn_motion_at(const qn_motion *motion, int frame, double x, double y, double displacement_px[2])
{
    double coefficients[2 * QN_MOTION_PLANE], along_x[QN_MOTION_SIDE], along_y[QN_MOTION_SIDE];
    qn_motion_frame_coefficients(motion, frame, coefficients);
    qn_motion_space_basis(x / (motion->width - 1), along_x);
    qn_motion_space_basis(y / (motion->height - 1), along_y);
    for (int axis = 0; axis < 2; axis++) {
        double sum = motion->global_px[2 * frame + axis];
        for (int i = 0; i < QN_MOTION_SIDE; i++)
            for (int j = 0; j < QN_MOTION_SIDE; j++)
                sum += along_y[i] * along_x[j] * coefficients[2 * (QN_MOTION_SIDE * i + j) + axis];
        displacement_px[axis] = sum;
    }
}

bool qn_motion_stays(const qn_motion *motion, int *frame, double *moved_px)
{
    double coefficients[2 * QN_MOTION_PLANE];
    for (*frame = 0; *frame < motion->frame_count; ++*frame) {
        qn_motion_frame_coefficients(motion, *frame, coefficients);
        for (int i = 0; i < 2 * QN_MOTION_PLANE; i++) {
            *moved_px = fabs(motion->global_px[2 * *frame + i % 2]) + fabs(coefficients[i]);
            if (!(*moved_px <= 0.5 * (i % 2 == 0 ? motion->width : motion->height))) return false;
        }
    }
    return true;
}
