#include <math.h>

#include "math/window.h"
#include "project/kernels/project_slices.h"

/* value += factor · sample (x, y, z) of the periodic spectrum. */
static void add_sample(const float *spectrum, int side, const int place[3], double factor, double value[2])
{
    int at[3];
    for (int axis = 0; axis < 3; axis++) at[axis] = ((place[axis] % side) + side) % side;
    const bool mirrored = at[0] > side / 2;
    for (int axis = 0; axis < 3 && mirrored; axis++) at[axis] = (side - at[axis]) % side;
    const size_t row = (size_t)at[2] * (size_t)side + (size_t)at[1];
    const float *from = spectrum + 2 * (row * (size_t)(side / 2 + 1) + (size_t)at[0]);
    value[0] += factor * from[0];
    value[1] += factor * (mirrored ? -from[1] : from[1]);
}

static void add_around(const qn_slices_problem *problem, const qn_window *window, const float *spectrum,
                       const double p[3], double value[2])
{
    const int taps = problem->taps;
    int low[3];
    double weight[3][QN_WINDOW_TAPS_MAX];
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = (int)floor(p[axis]) + 1 - taps / 2;
        for (int tap = 0; tap < taps; tap++) weight[axis][tap] = qn_window_at(window, p[axis] - (low[axis] + tap));
    }
    for (int z = 0; z < taps; z++)
        for (int y = 0; y < taps; y++)
            for (int x = 0; x < taps; x++)
                add_sample(spectrum, problem->side, (const int[]){low[0] + x, low[1] + y, low[2] + z},
                           weight[2][z] * weight[1][y] * weight[0][x], value);
}

static void multiply(double value[2], double re, double im)
{
    const double first = value[0] * re - value[1] * im;
    value[1] = value[0] * im + value[1] * re;
    value[0] = first;
}

/* The value at a place with x < 0 is the conjugate of the value at the opposite place. This matters if a place is
 * exactly on a sample: then one side has one tap more, whose weight is that of the window's end. */
void qn_project_slices_reference(const qn_slices_problem *problem, const qn_window *window, const float *spectrum,
                                 double scale, const float steps[6], const qn_slice_image *image, double *slice)
{
    const int side = problem->image_side, columns = side / 2 + 1;
    const double most = (double)problem->most, pi = 3.14159265358979323846, length = side * image->pixel_angstrom;
    for (int row = 0; row < side; row++)
        for (int x = 0; x < columns; x++) {
            const int y = row < side - side / 2 ? row : row - side;
            double *value = slice + 2 * ((size_t)row * (size_t)columns + (size_t)x), p[3];
            value[0] = value[1] = 0;
            if ((double)x * x + (double)y * y > most * most) continue;
            for (int axis = 0; axis < 3; axis++) p[axis] = (double)steps[axis] * x + (double)steps[3 + axis] * y;
            const double sign = p[0] < 0 ? -1 : 1;
            for (int axis = 0; axis < 3; axis++) p[axis] *= sign;
            add_around(problem, window, spectrum, p, value);
            value[1] *= sign;
            const double shift = x * (side / 2 - image->origin_pixels[0]) + y * (side / 2 - image->origin_pixels[1]);
            const double angle = -2 * pi * fmod(shift, side) / side;
            const double ctf = problem->ctf && image->ctf ? qn_ctf_at(image->ctf, x / length, y / length) : 1;
            multiply(value, scale * image->weight * ctf * cos(angle), scale * image->weight * ctf * sin(angle));
        }
}
