#include "model/box.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

/* Components smaller than this share of the box come from the rounding of single-precision numbers in files. */
static const double ROUNDING = 1.0 / (1 << 22);
/* Flatter cells are rejected: no simulation uses them, and the search for nearest images would take too long. */
static const double FLATTEST = 1e-5;

static double determinant(const double v[3][3])
{
    return v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) - v[0][1] * (v[1][0] * v[2][2] - v[1][2] * v[2][0]) +
           v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
}

static qn_status fail_box(const double v[9], const char *what, const char *expected)
{
    return QN_FAIL(QN_BAD_FORMAT, "box vectors (%g %g %g) (%g %g %g) (%g %g %g) nm %s; expected %s", v[0], v[1], v[2],
                   v[3], v[4], v[5], v[6], v[7], v[8], what, expected);
}

/* Order the three vectors and choose their signs so that the matrix is lower triangular with a positive diagonal. */
static bool order_vectors(const double given[3][3], double tolerance, double ordered[3][3])
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int k = 0; k < 6; k++) {
        for (int row = 0; row < 3; row++) memcpy(ordered[row], given[orders[k][row]], 3 * sizeof(double));
        if (fabs(ordered[0][1]) > tolerance || fabs(ordered[0][2]) > tolerance || fabs(ordered[1][2]) > tolerance)
            continue;
        ordered[0][1] = ordered[0][2] = ordered[1][2] = 0;
        for (int row = 0; row < 3; row++)
            if (ordered[row][row] < 0)
                for (int axis = 0; axis < 3; axis++) ordered[row][axis] = -ordered[row][axis];
        return true;
    }
    return false;
}

static void subtract(double vector[3], double count, const double lattice[3])
{
    for (int axis = 0; axis < 3; axis++) vector[axis] -= count * lattice[axis];
}

/* A component of exactly half an edge stays as it is, for either sign: nearbyint rounds 0.5 to 0. */
static void reduce(double v[3][3])
{
    subtract(v[2], nearbyint(v[2][1] / v[1][1]), v[1]);
    subtract(v[2], nearbyint(v[2][0] / v[0][0]), v[0]);
    subtract(v[1], nearbyint(v[1][0] / v[0][0]), v[0]);
}

/* Inverse, volume and inscribed sphere of a lower triangular matrix. The distance of two opposite faces is
 * 1 / |column of the inverse|. */
static void derive(qn_box *box)
{
    double(*v)[3] = box->vectors_nm, (*inverse)[3] = box->inverse;
    memset(inverse, 0, 9 * sizeof(double));
    for (int k = 0; k < 3; k++) inverse[k][k] = 1 / v[k][k];
    inverse[1][0] = -v[1][0] * inverse[0][0] * inverse[1][1];
    inverse[2][1] = -v[2][1] * inverse[1][1] * inverse[2][2];
    inverse[2][0] = (v[1][0] * v[2][1] - v[2][0] * v[1][1]) * inverse[0][0] * inverse[1][1] * inverse[2][2];
    box->volume_nm3 = v[0][0] * v[1][1] * v[2][2];
    double steepest = 0;
    for (int k = 0; k < 3; k++) steepest = fmax(steepest, hypot(hypot(inverse[0][k], inverse[1][k]), inverse[2][k]));
    box->inscribed_radius_nm = 0.5 / steepest;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double square(const double v[3])
{
    return dot(v, v);
}

static void cross(const double a[3], const double b[3], double product[3])
{
    for (int k = 0; k < 3; k++) product[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void normalise(double v[3])
{
    const double length = sqrt(square(v));
    for (int k = 0; k < 3; k++) v[k] /= length;
}

/* The rows of the rotation are the new axes: x along a, z along a × b. */
bool qn_box_turn(double vectors_nm[9], double rotation[3][3])
{
    double given[3][3], ordered[3][3], longest = 0;
    memcpy(given, vectors_nm, sizeof given);
    for (int k = 0; k < 9; k++) longest = fmax(longest, fabs(vectors_nm[k]));
    if (!isfinite(longest) || !(determinant(given) > FLATTEST * FLATTEST * FLATTEST * longest * longest * longest))
        return false;
    if (order_vectors(given, ROUNDING * longest, ordered)) return false;
    memcpy(rotation[0], given[0], sizeof rotation[0]);
    cross(given[0], given[1], rotation[2]);
    normalise(rotation[0]);
    normalise(rotation[2]);
    cross(rotation[2], rotation[0], rotation[1]);
    for (int row = 0; row < 3; row++)
        for (int axis = 0; axis < 3; axis++)
            vectors_nm[3 * row + axis] = axis > row ? 0 : dot(given[row], rotation[axis]);
    return true;
}

qn_status qn_box_from_vectors(const double vectors_nm[9], qn_box *box)
{
    memset(box, 0, sizeof *box);
    double given[3][3], longest = 0;
    memcpy(given, vectors_nm, sizeof given);
    for (int k = 0; k < 9; k++) {
        if (!isfinite(vectors_nm[k])) return fail_box(vectors_nm, "are not all finite", "nine finite numbers");
        longest = fmax(longest, fabs(vectors_nm[k]));
    }
    if (longest == 0) return QN_OK;
    double volume = determinant(given);
    if (fabs(volume) <= FLATTEST * FLATTEST * FLATTEST * longest * longest * longest)
        return fail_box(vectors_nm, "span no volume", "three vectors that are not in one plane, or nine zeros");
    if (volume < 0) return fail_box(vectors_nm, "are left-handed", "(a × b) · c above 0");
    if (!order_vectors(given, ROUNDING * longest, box->vectors_nm))
        return QN_FAIL(QN_UNSUPPORTED,
                       "box vectors (%g %g %g) (%g %g %g) (%g %g %g) nm: none of them lies along x with another in the "
                       "xy-plane; expected a cell turned so that a = (x, 0, 0) and b = (x, y, 0)",
                       given[0][0], given[0][1], given[0][2], given[1][0], given[1][1], given[1][2], given[2][0],
                       given[2][1], given[2][2]);
    double(*v)[3] = box->vectors_nm;
    for (int k = 0; k < 3; k++)
        if (v[k][k] < FLATTEST * longest)
            return fail_box(vectors_nm, "make too flat a cell", "edges of a similar size");
    reduce(v);
    box->shape = QN_BOX_TRICLINIC;
    if (fabs(v[1][0]) <= ROUNDING * v[0][0] && fabs(v[2][0]) <= ROUNDING * v[0][0] &&
        fabs(v[2][1]) <= ROUNDING * v[1][1]) {
        v[1][0] = v[2][0] = v[2][1] = 0;
        box->shape = QN_BOX_ORTHORHOMBIC;
    }
    derive(box);
    return QN_OK;
}

/* Exact for exact angles, so that a cell of 90° gets no skew of 1e-17. */
static double cosine_degrees(double angle)
{
    if (angle == 90) return 0;
    if (angle == 60) return 0.5;
    if (angle == 120) return -0.5;
    return cos(angle * (acos(-1) / 180));
}

qn_status qn_box_from_angles(const double lengths_nm[3], const double angles_degrees[3], double vectors_nm[9])
{
    memset(vectors_nm, 0, 9 * sizeof(double));
    if (lengths_nm[0] == 0 && lengths_nm[1] == 0 && lengths_nm[2] == 0) return QN_OK;
    for (int k = 0; k < 3; k++) {
        if (!(lengths_nm[k] > 0 && isfinite(lengths_nm[k])))
            return QN_FAIL(QN_BAD_FORMAT, "box edge %c is %g nm; expected a length above 0, or three zeros", "abc"[k],
                           lengths_nm[k]);
        if (!(angles_degrees[k] > 0 && angles_degrees[k] < 180))
            return QN_FAIL(QN_BAD_FORMAT, "box angle %s is %g degrees; expected one between 0 and 180",
                           k == 0   ? "alpha"
                           : k == 1 ? "beta"
                                    : "gamma",
                           angles_degrees[k]);
    }
    double alpha = cosine_degrees(angles_degrees[0]), beta = cosine_degrees(angles_degrees[1]);
    double gamma = cosine_degrees(angles_degrees[2]), sine = sqrt(1 - gamma * gamma);
    double y = (alpha - beta * gamma) / sine, z2 = 1 - beta * beta - y * y;
    if (!(z2 > FLATTEST * FLATTEST))
        return QN_FAIL(QN_BAD_FORMAT, "box angles %g, %g and %g degrees form no cell; expected ones that span a volume",
                       angles_degrees[0], angles_degrees[1], angles_degrees[2]);
    vectors_nm[0] = lengths_nm[0];
    vectors_nm[3] = lengths_nm[1] * gamma;
    vectors_nm[4] = lengths_nm[1] * sine;
    vectors_nm[6] = lengths_nm[2] * beta;
    vectors_nm[7] = lengths_nm[2] * y;
    vectors_nm[8] = lengths_nm[2] * sqrt(z2);
    return QN_OK;
}

/* Put the shortest of all images of `d` into `d`. The cell is triangular: lattice planes lie at distances z − k c_z,
 * lines in a plane at y − j b_y, and along a line the nearest image is known. Every image within the sphere of radius
 * |d| is examined (Fincke and Pohst 1985). */
static void search_images(const double v[3][3], double d[3])
{
    const double start[3] = {d[0], d[1], d[2]};
    double best = square(d), radius = sqrt(best);
    int first = (int)ceil((start[2] - radius) / v[2][2]), last = (int)floor((start[2] + radius) / v[2][2]);
    for (int k = first; k <= last; k++) {
        double plane[3] = {start[0], start[1], start[2]};
        subtract(plane, k, v[2]);
        double room = best - plane[2] * plane[2];
        if (room < 0) continue;
        double reach = sqrt(room);
        int first_line = (int)ceil((plane[1] - reach) / v[1][1]), last_line = (int)floor((plane[1] + reach) / v[1][1]);
        for (int j = first_line; j <= last_line; j++) {
            double image[3] = {plane[0], plane[1], plane[2]};
            subtract(image, j, v[1]);
            subtract(image, nearbyint(image[0] / v[0][0]), v[0]);
            double distance = square(image);
            if (distance < best) {
                best = distance;
                memcpy(d, image, sizeof image);
            }
        }
    }
}

void qn_box_displacement(const qn_box *box, const double from_nm[3], const double to_nm[3], double displacement_nm[3])
{
    double *d = displacement_nm;
    for (int axis = 0; axis < 3; axis++) d[axis] = to_nm[axis] - from_nm[axis];
    if (box->shape == QN_BOX_NONE) return;
    for (int k = 2; k >= 0; k--) subtract(d, nearbyint(d[k] * box->inverse[k][k]), box->vectors_nm[k]);
    if (box->shape == QN_BOX_ORTHORHOMBIC) return;
    /* Spheres in neighbouring cells do not overlap, because no lattice vector is shorter than two of their radii. */
    double distance = square(d);
    if (distance <= box->inscribed_radius_nm * box->inscribed_radius_nm) return;
    /* Positions so far away that a double no longer resolves their place in the cell have no nearest image. */
    double edges = square((const double[3]){box->vectors_nm[0][0], box->vectors_nm[1][1], box->vectors_nm[2][2]});
    if (distance <= edges) search_images((const double(*)[3])box->vectors_nm, d);
}
