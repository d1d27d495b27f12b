/* The facts of a movie that come from its motion, and the pictures of the report. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/movie_work.h"
#include "movie/output.h"

enum {
    PLACES = 9,          /* a side of the grid over which local motion is measured and drawn */
    THUMBNAIL_SIDE = 256 /* at most */
};

/* ---- motion ---- */

static void local_at(const qn_motion *motion, int frame, double x, double y, double local_px[2])
{
    qn_motion_at(motion, frame, x, y, local_px);
    for (int axis = 0; axis < 2; axis++) local_px[axis] -= motion->global_px[2 * frame + axis];
}

/* Arrows at a grid of places; *rms_px gets their root mean square. */
static qn_status note_arrows(qn_movie_work *w, double *rms_px)
{
    const qn_motion *motion = &w->motion;
    double sum = 0;
    *rms_px = 0;
    if (motion->time_count == 0) return QN_OK;
    QN_TRY(qn_movie_facts_make_series(w->facts, QN_MOVIE_ARROWS, 4 * PLACES * PLACES));
    float *arrow = w->facts->series[QN_MOVIE_ARROWS];
    for (int j = 0; j < PLACES; j++)
        for (int i = 0; i < PLACES; i++, arrow += 4) {
            const double x = (i + 0.5) / PLACES * (motion->width - 1), y = (j + 0.5) / PLACES * (motion->height - 1);
            double u[2];
            local_at(motion, motion->frame_count - 1, x, y, u);
            arrow[0] = (float)x, arrow[1] = (float)y, arrow[2] = (float)u[0], arrow[3] = (float)u[1];
            sum += u[0] * u[0] + u[1] * u[1];
        }
    *rms_px = sqrt(sum / (PLACES * PLACES));
    return QN_OK;
}

static qn_status note_track(qn_movie_work *w)
{
    const qn_motion *motion = &w->motion;
    const size_t frames = (size_t)motion->frame_count;
    QN_TRY(qn_movie_facts_make_series(w->facts, QN_MOVIE_TRACK, 2 * frames));
    QN_TRY(qn_movie_facts_make_series(w->facts, QN_MOVIE_DOSES, frames));
    QN_TRY(qn_movie_facts_make_series(w->facts, QN_MOVIE_CORNERS, 8 * frames));
    for (size_t t = 0; t < frames; t++) {
        w->facts->series[QN_MOVIE_DOSES][t] = (float)qn_movie_dose_after(&w->plan, (int)t);
        for (size_t axis = 0; axis < 2; axis++)
            w->facts->series[QN_MOVIE_TRACK][2 * t + axis] = (float)motion->global_px[2 * t + axis];
        for (int corner = 0; corner < 4; corner++) {
            double u[2];
            qn_motion_at(motion, (int)t, (corner % 2) * (motion->width - 1), (corner / 2) * (motion->height - 1), u);
            for (int axis = 0; axis < 2; axis++)
                w->facts->series[QN_MOVIE_CORNERS][8 * t + 2 * (size_t)corner + (size_t)axis] = (float)u[axis];
        }
    }
    return QN_OK;
}

/* B for which exp(−2Bk²) is nearest to the filter by least squares, in steps of 5 %. */
static double nearest_gaussian(const qn_align_facts *facts)
{
    double largest = 0, best = INFINITY, best_px2 = 0;
    for (int i = 0; i < QN_ALIGN_RINGS; i++) largest = fmax(largest, facts->filter[i]);
    if (!(largest > 0)) return 0;
    for (double px2 = 0.1; px2 < 1e5; px2 *= 1.05) {
        double sum = 0;
        for (int i = 0; i < QN_ALIGN_RINGS; i++) {
            const double k = (i + 0.5) * facts->ring_width;
            sum += pow(facts->filter[i] / largest - exp(-2 * px2 * k * k), 2);
        }
        if (sum < best) best = sum, best_px2 = px2;
    }
    return best_px2;
}

static qn_status note_rings(qn_movie_work *w)
{
    QN_TRY(qn_movie_facts_make_series(w->facts, QN_MOVIE_RINGS, QN_ALIGN_RINGS));
    QN_TRY(qn_movie_facts_make_series(w->facts, QN_MOVIE_FILTER, QN_ALIGN_RINGS));
    for (int i = 0; i < QN_ALIGN_RINGS; i++) {
        w->facts->series[QN_MOVIE_RINGS][i] = (float)w->aligned.ring_correlation[i];
        w->facts->series[QN_MOVIE_FILTER][i] = (float)w->aligned.filter[i];
    }
    return QN_OK;
}

qn_status qn_movie_note_motion(qn_movie_work *w)
{
    qn_movie_numbers *n = &w->facts->numbers;
    const double given_px2 = w->pipeline->run->choices.filter_px2;
    qn_movie_measure_track(w->pipeline->run->options, &w->plan, &w->motion, &n->motion_total_px, &n->motion_early_px);
    n->converged = w->aligned.converged;
    n->has_local = w->motion.time_count > 0;
    n->smoothness = w->aligned.motion.smoothness;
    n->patches[0] = w->aligned.patches[0], n->patches[1] = w->aligned.patches[1];
    n->ring_width = w->aligned.ring_width;
    n->filter_px2 = given_px2 > 0 ? given_px2 : nearest_gaussian(&w->aligned);
    QN_TRY(note_track(w));
    QN_TRY(note_arrows(w, &n->local_px));
    QN_TRY(note_rings(w));
    const int unseen = w->aligned.unseen_frames;
    if (unseen == w->plan.count)
        return qn_movie_facts_remark(w->facts, "the alignment did not converge: no frame correlates with the others");
    if (unseen > 0)
        QN_TRY(qn_movie_facts_remark(
            w->facts, "%s, the first is frame %d, %s with no other and %s between its neighbours",
            qn_count_of((unsigned long long)unseen, "frame").text, w->plan.start + w->aligned.first_unseen + 1,
            unseen == 1 ? "correlates" : "correlate", unseen == 1 ? "lies" : "lie"));
    if (!n->converged && w->aligned.change_px >= QN_ALIGN_CONVERGED_PX)
        QN_TRY(qn_movie_facts_remark(w->facts, "the alignment did not converge: its last step moved a frame by %.2f px",
                                     w->aligned.change_px));
    if (!w->aligned.signal)
        QN_TRY(qn_movie_facts_remark(w->facts,
                                     "no signal: sums of the even and of the odd frames agree by %.1f standard "
                                     "deviations, not more than noise",
                                     w->aligned.agreement));
    if (w->pipeline->run->choices.local && !n->has_local)
        QN_TRY(qn_movie_facts_remark(w->facts,
                                     "local motion is not used, because by cross-validation it predicts the patches no "
                                     "better than the global motion alone"));
    return QN_OK;
}

/* ---- pictures ---- */

static int compare_values(const void *a, const void *b)
{
    const float first = *(const float *)a, second = *(const float *)b;
    return (first > second) - (first < second);
}

qn_status qn_movie_find_range(const float *values, size_t count, const double shares[2], double range[2])
{
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(float), &memory));
    float *sorted = memory;
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_values);
    for (int i = 0; i < 2; i++) range[i] = sorted[(size_t)(shares[i] * (double)(count - 1))];
    qn_release(&memory);
    return QN_OK;
}

qn_status qn_movie_keep_picture(qn_movie_facts *facts, qn_movie_picture which, const float *values, const int size[2],
                                const double range[2])
{
    const size_t count = (size_t)size[0] * (size_t)size[1];
    const double scale = range[1] > range[0] ? 255 / (range[1] - range[0]) : 0;
    void *memory;
    QN_TRY(qn_allocate(count, 1, &memory));
    unsigned char *grey = facts->pictures[which] = memory;
    facts->picture_size[which][0] = (uint32_t)size[0], facts->picture_size[which][1] = (uint32_t)size[1];
    for (size_t i = 0; i < count; i++)
        grey[i] = (unsigned char)lround(fmin(255, fmax(0, (values[i] - range[0]) * scale)));
    return QN_OK;
}

/* Add up blocks of factor × factor values. */
static void shrink(const float *values, int columns, int factor, const int size[2], float *sums)
{
    for (int y = 0; y < size[1] * factor; y++) {
        const float *from = values + (size_t)y * (size_t)columns;
        float *to = sums + (size_t)(y / factor) * (size_t)size[0];
        for (int block = 0; block < size[0]; block++, from += factor) {
            float sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int x = 0; x < factor; x++) sum += from[x];
            to[block] += sum;
        }
    }
}

static qn_status note_thumbnail(qn_movie_facts *facts, const qn_micrographs *m)
{
    static const double shares[2] = {0.005, 0.995};
    const int longest = m->width > m->height ? m->width : m->height;
    const int factor = (longest + THUMBNAIL_SIDE - 1) / THUMBNAIL_SIDE;
    const int size[2] = {m->width / factor, m->height / factor};
    const size_t count = (size_t)size[0] * (size_t)size[1];
    double range[2];
    void *memory;
    if (count == 0) return QN_OK;
    QN_TRY(qn_allocate(count, sizeof(float), &memory));
    float *sums = memory;
    shrink(m->weighted ? m->weighted : m->plain, m->width, factor, size, sums);
    qn_status status = qn_movie_find_range(sums, count, shares, range);
    if (status == QN_OK) status = qn_movie_keep_picture(facts, QN_MOVIE_THUMBNAIL, sums, size, range);
    qn_release(&memory);
    return status;
}

qn_status qn_movie_note_pictures(qn_movie_work *w, const qn_micrographs *m)
{
    QN_TRY(note_thumbnail(w->facts, m));
    return qn_movie_note_spectra(w->facts, m);
}
