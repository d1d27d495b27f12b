/* labels: long */
/* Forces between the states of a liver: their error at random places, and the work of a hand that comes back to where
 * it was. */
#include <math.h>
#include <quern/deform.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "deform/space/cell.h"
#include "deform/space/space_file.h"
#include "math/random.h"

enum { LOOPS = 100, PARTS = 4000, STREAM = 77 };
static const double PI = 3.14159265358979323846;

/* The cell of a place; false where it is not whole. */
static bool find_cell(const qn_space_file *file, const double where[3], qn_cell *cell)
{
    const qn_grid *grid = &file->header.grid;
    double place[3];
    int32_t index[3];
    memcpy(place, where, sizeof place);
    if (!qn_grid_cell(grid, place, index)) return false;
    qn_cell_begin(grid, index, cell);
    for (int corner = 0; corner < 8; corner++)
        if (qn_cell_corner(cell, corner, index)) cell->corners[corner] = &file->states[qn_grid_number(grid, index)];
    return qn_cell_is_whole(cell);
}

/* A circle of 4 to 8 mm around a random place, in a random plane. */
static void place_on_loop(uint64_t loop, double reach, double angle, double place[3])
{
    double a[3], b[3];
    const double radius = 0.004 + 0.004 * qn_random_uniform(1, STREAM, 16 * loop);
    const double turn = 2 * PI * qn_random_uniform(1, STREAM, 16 * loop + 1);
    const double z = 2 * qn_random_uniform(1, STREAM, 16 * loop + 2) - 1, s = sqrt(1 - z * z);
    const double normal[3] = {s * cos(turn), s * sin(turn), z};
    for (int axis = 0; axis < 3; axis++)
        a[axis] = (axis == 0 && fabs(normal[0]) < 0.7) || (axis == 1 && fabs(normal[0]) >= 0.7);
    const double along = a[0] * normal[0] + a[1] * normal[1];
    for (int axis = 0; axis < 3; axis++) a[axis] -= along * normal[axis];
    const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int axis = 0; axis < 3; axis++) a[axis] /= length;
    for (int axis = 0; axis < 3; axis++)
        b[axis] = normal[(axis + 1) % 3] * a[(axis + 2) % 3] - normal[(axis + 2) % 3] * a[(axis + 1) % 3];
    for (int axis = 0; axis < 3; axis++)
        place[axis] = (2 * qn_random_uniform(1, STREAM, 16 * loop + 3 + (uint64_t)axis) - 1) * (reach - radius) +
                      radius * (a[axis] * cos(angle) + b[axis] * sin(angle));
}

/* |Work| of a loop over the largest W on it, the energy that the body stores there; NaN where it leaves the whole
 * cells. The places of the sums are the middles of PARTS arcs, so the sum itself is exact to 1e-6 in smooth cells. */
static double work_of_loop(const qn_space_file *file, qn_interpolation way, uint64_t loop)
{
    const double reach = file->header.grid.step * file->header.grid.most[0];
    double work = 0, most = 0, from[3], to[3];
    place_on_loop(loop, reach, 0, from);
    for (int part = 0; part < PARTS; part++) {
        double middle[3], force[3], of_energy[3];
        qn_cell cell;
        place_on_loop(loop, reach, 2 * PI * (part + 1) / PARTS, to);
        for (int axis = 0; axis < 3; axis++) middle[axis] = 0.5 * (from[axis] + to[axis]);
        if (!find_cell(file, middle, &cell)) return NAN;
        qn_cell_force(&cell, way, middle, force);
        for (int axis = 0; axis < 3; axis++) work += force[axis] * (to[axis] - from[axis]);
        most = fmax(most, qn_cell_energy(&cell, middle, of_energy));
        memcpy(from, to, sizeof from);
    }
    return fabs(work) / most;
}

static void check_loops(const char *path)
{
    static const char *const names[] = {"gradient", "energy"};
    qn_space_file *file;
    if (!CHECK_OK(qn_space_file_open(path, &file))) return;
    for (int way = QN_INTERPOLATION_GRADIENT; way <= QN_INTERPOLATION_ENERGY; way++) {
        double worst = 0, sum = 0;
        int loops = 0;
        for (uint64_t loop = 0; loops < LOOPS && loop < 3 * LOOPS; loop++) {
            const double work = work_of_loop(file, (qn_interpolation)way, loop);
            if (isnan(work)) continue;
            worst = fmax(worst, work);
            sum += work;
            loops++;
        }
        printf("  %d loops, %s: work %.2g %% of W at most, %.2g %% in the mean\n", loops, names[way], 100 * worst,
               100 * sum / loops);
        CHECK(loops == LOOPS);
        CHECK(worst <= (way == QN_INTERPOLATION_ENERGY ? 1e-6 : 3e-3)); /* the gradient way has no energy of its own */
        CHECK(sum / loops <= 1e-3);
    }
    qn_space_file_close(&file);
}

/* Largest shape error of checks.csv, its last column. */
static double largest_shape_error(const char *path)
{
    char line[1024];
    double largest = -1;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        double value;
        const char *comma = strrchr(line, ',');
        if (comma && sscanf(comma + 1, "%lf", &value) == 1) largest = fmax(largest, value);
    }
    if (file) fclose(file);
    return largest;
}

/* By the default way of interpolation, whose errors of forces are below a limit. */
static void fill_and_check(const char *material, qn_deform_mixed mixed, double limit)
{
    const char *mesh = check_reference_data("haptic/liver_tet_small.msh");
    char path[512], checks[512];
    qn_deform_space_result *result = NULL;
    qn_deform_options options = qn_deform_default_options();
    qn_context *context;
    if (!mesh) return;
    snprintf(path, sizeof path, "%s/liver.qcs", check_scratch_folder());
    snprintf(checks, sizeof checks, "%s/liver_checks.csv", check_scratch_folder());
    options.mesh = mesh, options.output = path, options.material = material, options.mixed = mixed;
    options.fix = "x>0.02", options.contact = "near:-0.06622422,0.10415821,0.0215251,0.03";
    options.step = 0.01, options.reach = "0.02", options.checks = 200;
    options.run.quiet = options.run.overwrite = true;
    CHECK_OK(qn_context_create(NULL, &context));
    if (CHECK_OK(qn_deform_space(context, &options, &result))) {
        printf("  %s%s: error of forces %.2g %%, of shapes %.2g %%\n", material,
               mixed == QN_DEFORM_MIXED_YES ? ", mixed" : "", 100 * result->error, 100 * largest_shape_error(checks));
        CHECK(result->error <= limit);
        CHECK(largest_shape_error(checks) > 0 && largest_shape_error(checks) <= 0.01);
        CHECK(result->unsolved_count <= 2 && result->fold_count == 0);
        check_loops(path);
    }
    qn_deform_space_result_destroy(&result);
    qn_context_destroy(&context);
}

static void svk(void)
{
    fill_and_check("svk:10000,0.45", QN_DEFORM_MIXED_NO, 2.5e-3);
}

static void mooney_rivlin(void)
{
    fill_and_check("mooney-rivlin:1400,280,20160", QN_DEFORM_MIXED_NO, 5e-4);
}

static void mooney_rivlin_mixed(void)
{
    fill_and_check("mooney-rivlin:1400,280,20160", QN_DEFORM_MIXED_YES, 5e-4);
}

int main(void)
{
    if (!check_reference_data("haptic/liver_tet_small.msh")) check_skip("haptic", "no reference data of livers");
    RUN(svk);
    RUN(mooney_rivlin);
    RUN(mooney_rivlin_mixed);
    return check_finish();
}
