/* NAME.star: the motion of one movie, as RELION reads it, and exactly. */
#include <math.h>

#include "base/error.h"
#include "format/image/star_write.h"
#include "movie/motion/polynomial.h"
#include "movie/output.h"

enum { DIGITS = 9 };

static const double not_observed = -9999; /* RELION's shift of a frame that is not used */
static const double early_dose = 4;       /* e/Å² */

void qn_movie_measure_track(const qn_movie_run_options *options, const qn_movie_frame_plan *plan,
                            const qn_motion *motion, double *total_px, double *early_px)
{
    const double a_frame = plan->dose / plan->count, last = (early_dose - options->pre_dose) / a_frame;
    *total_px = *early_px = 0;
    for (int t = 1; t < plan->count; t++) {
        const double *from = motion->global_px + 2 * (t - 1), *to = motion->global_px + 2 * t;
        const double step = hypot(to[0] - from[0], to[1] - from[1]);
        *total_px += step;
        if (plan->start + t + 1 <= last * (1 + 1e-9)) *early_px += step;
    }
    if (!plan->has_dose) *early_px = NAN;
}

static qn_status put_whole(qn_star_writer *star, const char *name, int value)
{
    QN_TRY(qn_star_put_name(star, name));
    return qn_star_put_whole(star, value);
}

static qn_status put_number(qn_star_writer *star, const char *name, double value)
{
    QN_TRY(qn_star_put_name(star, name));
    return qn_star_put_number(star, value);
}

static qn_status put_text(qn_star_writer *star, const char *name, const char *value)
{
    if (!value) return QN_OK;
    QN_TRY(qn_star_put_name(star, name));
    return qn_star_put_text(star, value);
}

static qn_status put_general(const qn_movie_metadata *m, qn_star_writer *star)
{
    const qn_movie_numbers *n = &m->facts->numbers;
    QN_TRY(qn_star_begin_values(star, "general"));
    QN_TRY(put_whole(star, "rlnImageSizeX", n->frame_width));
    QN_TRY(put_whole(star, "rlnImageSizeY", n->frame_height));
    QN_TRY(put_whole(star, "rlnImageSizeZ", n->all_frames));
    QN_TRY(put_text(star, "rlnMicrographMovieName", m->facts->texts[QN_MOVIE_PATH]));
    QN_TRY(put_text(star, "rlnMicrographGainName", m->gain));
    QN_TRY(put_text(star, "rlnMicrographDefectFile", m->options->defects));
    QN_TRY(put_number(star, "rlnMicrographBinning", n->pixel_angstrom / n->frame_pixel_angstrom));
    QN_TRY(put_number(star, "rlnMicrographOriginalPixelSize", n->frame_pixel_angstrom));
    if (n->has_dose) QN_TRY(put_number(star, "rlnMicrographDoseRate", n->dose / n->frame_count));
    QN_TRY(put_number(star, "rlnMicrographPreExposure", m->options->pre_dose));
    QN_TRY(put_number(star, "rlnVoltage", n->voltage_kv));
    QN_TRY(put_whole(star, "rlnMicrographStartFrame", m->plan->start + 1));
    if (m->eer_group > 0) {
        QN_TRY(put_whole(star, "rlnEERUpsampling", (int)m->options->eer_upsampling));
        QN_TRY(put_whole(star, "rlnEERGrouping", m->eer_group));
    }
    return put_whole(star, "rlnMotionModelVersion", m->motion->time_count > 0);
}

/* Shifts correct the motion, so they are displacements with the other sign. */
static qn_status put_global_shift(const qn_movie_metadata *m, qn_star_writer *star)
{
    static const char *const columns[] = {"rlnMicrographFrameNumber", "rlnMicrographShiftX", "rlnMicrographShiftY"};
    QN_TRY(qn_star_begin_loop(star, "global_shift", columns, 3));
    for (int i = 0; i < m->plan->all; i++) {
        const int t = i - m->plan->start;
        const bool used = t >= 0 && t < m->plan->count;
        QN_TRY(qn_star_put_whole(star, i + 1));
        for (int axis = 0; axis < 2; axis++)
            QN_TRY(qn_star_put_number(star, used ? 0 - m->motion->global_px[2 * t + axis] : not_observed));
        QN_TRY(qn_star_end_row(star));
    }
    return QN_OK;
}

static qn_status put_local_model(const qn_movie_metadata *m, qn_star_writer *star)
{
    static const char *const columns[] = {"rlnMotionModelCoeffsIdx", "rlnMotionModelCoeff"};
    double coefficients[2][QN_MOTION_POLYNOMIAL_COEFFICIENTS];
    QN_TRY(qn_motion_polynomial(m->motion, coefficients, NULL));
    QN_TRY(qn_star_begin_loop(star, "local_motion_model", columns, 2));
    for (int i = 0; i < 2 * QN_MOTION_POLYNOMIAL_COEFFICIENTS; i++) {
        QN_TRY(qn_star_put_whole(star, i));
        QN_TRY(qn_star_put_exact(
            star, -coefficients[i / QN_MOTION_POLYNOMIAL_COEFFICIENTS][i % QN_MOTION_POLYNOMIAL_COEFFICIENTS], DIGITS));
        QN_TRY(qn_star_end_row(star));
    }
    return QN_OK;
}

static qn_status put_hot_pixels(const qn_movie_metadata *m, qn_star_writer *star)
{
    static const char *const columns[] = {"rlnCoordinateX", "rlnCoordinateY"};
    if (m->facts->numbers.hot_pixels == 0) return QN_OK;
    QN_TRY(qn_star_begin_loop(star, "hot_pixels", columns, 2));
    for (int i = 0; i < m->facts->numbers.hot_pixels; i++) {
        QN_TRY(qn_star_put_number(star, m->hot[i] % m->facts->numbers.frame_width));
        QN_TRY(qn_star_put_number(star, m->hot[i] / m->facts->numbers.frame_width)); /* NOLINT: whole rows */
        QN_TRY(qn_star_end_row(star));
    }
    return QN_OK;
}

/* The local part of the motion at the middles of the patches. */
static qn_status put_local_shift(const qn_movie_metadata *m, qn_star_writer *star)
{
    static const char *const columns[] = {"rlnMicrographFrameNumber", "rlnCoordinateX", "rlnCoordinateY",
                                          "rlnMicrographShiftX", "rlnMicrographShiftY"};
    const int *patches = m->facts->numbers.patches, count = patches[0] * patches[1];
    QN_TRY(qn_star_begin_loop(star, "local_shift", columns, 5));
    for (int i = 0; i < count * m->plan->count; i++) {
        const int patch = i / m->plan->count, t = i % m->plan->count;
        const double x = (patch % patches[0] + 0.5) * m->motion->width / patches[0] - 0.5;
        const double y = (patch / patches[0] + 0.5) * m->motion->height / patches[1] - 0.5; /* NOLINT */
        double u[2];
        qn_motion_at(m->motion, t, x, y, u);
        QN_TRY(qn_star_put_whole(star, m->plan->start + t + 1));
        QN_TRY(qn_star_put_number(star, x));
        QN_TRY(qn_star_put_number(star, y));
        for (int axis = 0; axis < 2; axis++)
            QN_TRY(qn_star_put_number(star, m->motion->global_px[2 * t + axis] - u[axis]));
        QN_TRY(qn_star_end_row(star));
    }
    return QN_OK;
}

/* The local motion as it was used: coefficients of the B-splines in time, y and x (docs/design/movie.md). */
static qn_status put_field(const qn_movie_metadata *m, qn_star_writer *star)
{
    static const char *const columns[] = {"quernSplineTime", "quernSplineY", "quernSplineX", "quernCoefficientX",
                                          "quernCoefficientY"};
    QN_TRY(qn_star_begin_loop(star, "quern_motion_field", columns, 5));
    for (int i = 0; i < m->motion->time_count * QN_MOTION_PLANE; i++) {
        QN_TRY(qn_star_put_whole(star, i / QN_MOTION_PLANE + 1)); /* spline 0 is dropped */
        QN_TRY(qn_star_put_whole(star, i % QN_MOTION_PLANE / QN_MOTION_SIDE));
        QN_TRY(qn_star_put_whole(star, i % QN_MOTION_SIDE));
        for (int axis = 0; axis < 2; axis++)
            QN_TRY(qn_star_put_exact(star, m->motion->local_px[2 * (size_t)i + (size_t)axis], DIGITS));
        QN_TRY(qn_star_end_row(star));
    }
    return QN_OK;
}

static qn_status put_all(const qn_movie_metadata *m, qn_star_writer *star)
{
    QN_TRY(put_general(m, star));
    QN_TRY(put_global_shift(m, star));
    if (m->motion->time_count > 0) QN_TRY(put_local_model(m, star));
    QN_TRY(put_hot_pixels(m, star));
    if (m->motion->time_count == 0) return qn_star_write(star);
    QN_TRY(put_local_shift(m, star));
    QN_TRY(put_field(m, star));
    return qn_star_write(star);
}

qn_status qn_movie_metadata_write(const qn_movie_metadata *metadata)
{
    qn_star_writer star = {.path = metadata->path};
    qn_status status = put_all(metadata, &star);
    qn_star_writer_clear(&star);
    return status;
}
