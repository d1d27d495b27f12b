#include "math/view.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/vector.h"

/* Distance of the viewer from the centre, in radii: the whole scene is in sight at PyMOL's angle of view, 20°, and
 * ChimeraX's, 30°, and the commands that follow in a script come closer. */
static const double distance_radii = 6;

static void find_centre(const double *points, size_t count, qn_view *view)
{
    memset(view, 0, sizeof *view);
    for (size_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) view->centre[axis] += points[3 * i + (size_t)axis] / (double)count;
    for (size_t i = 0; i < count; i++)
        view->radius = fmax(view->radius, qn_vector_distance(points + 3 * i, view->centre));
}

/* Any two unit vectors that make a right-handed system with `towards`. */
static void complete(qn_view *view)
{
    const double *towards = view->axes[2];
    double unit[3] = {0};
    int least = 0;
    for (int axis = 1; axis < 3; axis++)
        if (fabs(towards[axis]) < fabs(towards[least])) least = axis;
    unit[least] = 1;
    qn_vector_cross(unit, towards, view->axes[0]);
    const double length = qn_vector_length(view->axes[0]);
    for (int axis = 0; axis < 3; axis++) view->axes[0][axis] /= length;
    qn_vector_cross(towards, view->axes[0], view->axes[1]);
}

/* Turn the first two axes so that the points' covariance is largest along the first: by the angle θ with
 * tan 2θ = 2 Σ xy / (Σ x² − Σ y²). */
static void lay_flat(const double *points, size_t count, qn_view *view)
{
    double xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < count; i++) {
        double shift[3];
        for (int axis = 0; axis < 3; axis++) shift[axis] = points[3 * i + (size_t)axis] - view->centre[axis];
        const double x = qn_vector_dot(shift, view->axes[0]), y = qn_vector_dot(shift, view->axes[1]);
        xx += x * x, yy += y * y, xy += x * y;
    }
    const double angle = 0.5 * atan2(2 * xy, xx - yy);
    for (int axis = 0; axis < 3; axis++) {
        const double right = view->axes[0][axis], up = view->axes[1][axis];
        view->axes[0][axis] = cos(angle) * right + sin(angle) * up;
        view->axes[1][axis] = cos(angle) * up - sin(angle) * right;
    }
}

void qn_view_from(const double *points, size_t count, const double towards[3], qn_view *view)
{
    const double length = qn_vector_length(towards);
    find_centre(points, count, view);
    for (int axis = 0; axis < 3; axis++) view->axes[2][axis] = length > 0 ? towards[axis] / length : axis == 2;
    complete(view);
    lay_flat(points, count, view);
}

/* PyMOL's set_view: the rotation from the model's axes to the camera's, column by column; the centre in the camera's
 * axes, which look along −z; the centre in the model's axes; the planes in front and behind; perspective. */
qn_status qn_view_append_pymol(const qn_view *view, qn_text *script)
{
    const double distance = distance_radii * view->radius;
    QN_TRY(qn_text_append(script, "set_view ("));
    for (int column = 0; column < 3; column++)
        for (int row = 0; row < 3; row++) QN_TRY(qn_text_append(script, "%.6f, ", view->axes[row][column]));
    QN_TRY(qn_text_append(script, "0.0, 0.0, %.3f, %.3f, %.3f, %.3f, ", -distance, view->centre[0], view->centre[1],
                          view->centre[2]));
    return qn_text_append(script, "%.3f, %.3f, 0.0)\n", distance - 1.5 * view->radius, distance + 1.5 * view->radius);
}

/* ChimeraX's camera: three rows of the matrix from the camera's axes to the scene's, each with a coordinate of the
 * camera's place. */
qn_status qn_view_append_chimerax(const qn_view *view, qn_text *script)
{
    QN_TRY(qn_text_append(script, "view matrix camera "));
    for (int row = 0; row < 3; row++) {
        const double place = view->centre[row] + distance_radii * view->radius * view->axes[2][row];
        QN_TRY(qn_text_append(script, "%s%.6f,%.6f,%.6f,%.3f", row ? "," : "", view->axes[0][row], view->axes[1][row],
                              view->axes[2][row], place));
    }
    return qn_text_append(script, "\n");
}
