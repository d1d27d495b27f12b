/* An interactive view of a density map in a report: its surface at a level that the reader moves. The page makes the
 * surface and draws it with WebGL 2 (pages/density.js); browsers without it show a sentence.
 *
 *     qn_density_view view = {.title = "Surface", .values = map->values, .counts = {n, n, n}, .end = {n, n, n}, …};
 *     QN_TRY(qn_report_density(report, &view));
 *
 * The page has a byte for each voxel. A box of more than QN_DENSITY_VOXELS voxels is averaged down to at most as many:
 * then a voxel of the view is a cube of voxels of the map. */
#ifndef QN_REPORT_DENSITY_H
#define QN_REPORT_DENSITY_H

#include "report/html.h"

/* The most voxels of a view: it takes less than 0.9 MiB of the page. */
enum { QN_DENSITY_VOXELS = 600000 };

typedef struct qn_density_view {
    const char *title, *caption;
    const float *values;                       /* [z][y][x]; finite */
    int counts[3];                             /* along x, y, z */
    double voxel_angstrom, origin_angstrom[3]; /* origin: centre of the first voxel */
    int first[3], end[3];                      /* the box that is shown: first … end − 1 */
    double lowest;                             /* the lowest level that readers can choose; lower values become it */
    double level;                              /* shown first */
    double mean, deviation;                    /* of all voxels, to state levels in σ; deviation 0: not stated */
} qn_density_view;

/* The side of the cube of voxels that is averaged to one: 1 if the box has at most QN_DENSITY_VOXELS voxels. */
int qn_density_cube(const int first[3], const int end[3]);

/* The mean of the voxels of a cube at the place `at`, in cubes, from `first` on, that lie before `end`. */
double qn_density_mean(const float *values, const int counts[3], const int first[3], const int end[3], int cube,
                       const int at[3]);

/* QN_INVALID_ARGUMENT: the box is not within the map; no averaged value is above the lowest level. */
QN_MUST_CHECK qn_status qn_report_density(qn_report *report, const qn_density_view *view);

#endif
