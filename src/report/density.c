#include "report/density.h"

#include <math.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/document.h"
#include "report/markup.h"

/* The averaged voxels of a view. */
typedef struct density_grid {
    int cube, counts[3];
    double highest; /* of the averages */
    float *averages;
    unsigned char *bytes;
} density_grid;

static size_t blocks_of(const int first[3], const int end[3], int cube, int counts[3])
{
    size_t all = 1;
    for (int k = 0; k < 3; k++) {
        counts[k] = (end[k] - first[k] + cube - 1) / cube;
        all *= (size_t)counts[k];
    }
    return all;
}

int qn_density_cube(const int first[3], const int end[3])
{
    int counts[3], cube = 1;
    while (blocks_of(first, end, cube, counts) > QN_DENSITY_VOXELS) cube++;
    return cube;
}

static qn_status check_box(const qn_density_view *view)
{
    for (int k = 0; k < 3; k++)
        if (view->first[k] < 0 || view->end[k] <= view->first[k] || view->end[k] > view->counts[k])
            return QN_FAIL(QN_INVALID_ARGUMENT, "the view's box has voxels %d to %d along %c; expected some of 0 to %d",
                           view->first[k], view->end[k] - 1, "xyz"[k], view -> counts[k] - 1);
    return QN_OK;
}

double qn_density_mean(const float *values, const int counts[3], const int first[3], const int end[3], int cube,
                       const int at[3])
{
    int from[3], to[3];
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        from[k] = first[k] + at[k] * cube;
        to[k] = from[k] + cube < end[k] ? from[k] + cube : end[k];
    }
    for (int z = from[2]; z < to[2]; z++)
        for (int y = from[1]; y < to[1]; y++) {
            const size_t row = ((size_t)z * (size_t)counts[1] + (size_t)y) * (size_t)counts[0];
            for (int x = from[0]; x < to[0]; x++) sum += (double)values[row + (size_t)x];
        }
    return sum / ((double)(to[0] - from[0]) * (to[1] - from[1]) * (to[2] - from[2]));
}

static qn_status fill_grid(const qn_density_view *view, density_grid *grid)
{
    void *memory;
    grid->cube = qn_density_cube(view->first, view->end);
    grid->highest = -INFINITY;
    const size_t all = blocks_of(view->first, view->end, grid->cube, grid->counts);
    QN_TRY(qn_allocate(all, sizeof(float), &memory));
    grid->averages = memory;
    QN_TRY(qn_allocate(all, 1, &memory));
    grid->bytes = memory;
    size_t i = 0;
    for (int z = 0; z < grid->counts[2]; z++)
        for (int y = 0; y < grid->counts[1]; y++)
            for (int x = 0; x < grid->counts[0]; x++) {
                const double value = qn_density_mean(view->values, view->counts, view->first, view->end, grid->cube,
                                                     (const int[3]){x, y, z});
                grid->averages[i++] = (float)value;
                grid->highest = fmax(grid->highest, value);
            }
    const double range = grid->highest - view->lowest;
    if (!(range > 0))
        return QN_FAIL(QN_INVALID_ARGUMENT, "the view's highest voxel is %g; expected more than its lowest level, %g",
                       grid->highest, view->lowest);
    for (i = 0; i < all; i++)
        grid->bytes[i] =
            (unsigned char)lround(255 * fmax(0, fmin(1, ((double)grid->averages[i] - view->lowest) / range)));
    return QN_OK;
}

static qn_status append_grid(qn_text *text, const qn_density_view *view, const density_grid *grid)
{
    const int *n = grid->counts;
    QN_TRY(qn_text_append(text,
                          "<div class=\"grid\" hidden=\"\" data-size=\"%d %d %d\" data-step=\"%.9g\" data-origin=\"",
                          n[0], n[1], n[2], grid->cube * view->voxel_angstrom));
    for (int k = 0; k < 3; k++) {
        const double place = view->first[k] + 0.5 * (grid->cube - 1);
        QN_TRY(qn_text_append(text, "%s%.6f", k ? " " : "", view->origin_angstrom[k] + place * view->voxel_angstrom));
    }
    QN_TRY(qn_text_append(text, "\" data-range=\"%.9g %.9g\" data-level=\"%.9g\"", view->lowest, grid->highest,
                          view->level));
    if (view->deviation > 0)
        QN_TRY(qn_text_append(text, " data-statistics=\"%.9g %.9g\"", view->mean, view->deviation));
    QN_TRY(qn_text_append(text, " data-values=\""));
    QN_TRY(qn_markup_base64(text, grid->bytes, (size_t)n[0] * (size_t)n[1] * (size_t)n[2]));
    return qn_text_append(text, "\"></div>\n");
}

static qn_status append_figure(qn_report *report, const qn_density_view *view, const density_grid *grid)
{
    qn_text *text = &report->body;
    report->densities++;
    QN_TRY(qn_text_append(text, "<figure class=\"scene density\" data-label=\""));
    QN_TRY(qn_markup_text(text, view->title));
    QN_TRY(qn_text_append(text, "\">\n"));
    QN_TRY(qn_markup_caption(text, view->title, view->caption));
    QN_TRY(qn_text_append(text, "</figcaption>\n<p class=\"fallback\">The surface is not drawn, because this browser "
                                "runs no scripts or has no WebGL 2.</p>\n"));
    QN_TRY(append_grid(text, view, grid));
    return qn_text_append(text, "</figure>\n");
}

qn_status qn_report_density(qn_report *report, const qn_density_view *view)
{
    density_grid grid = {0};
    QN_TRY(check_box(view));
    qn_status status = fill_grid(view, &grid);
    if (status == QN_OK) status = append_figure(report, view, &grid);
    qn_release(&grid.averages);
    qn_release(&grid.bytes);
    return status;
}
