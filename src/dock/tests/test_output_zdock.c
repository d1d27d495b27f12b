/* Poses reconstructed from ZDOCK files by the format's published formula, compared with the poses that were written:
 *     x' = c_receptor − spacing · wrap(t) + Rz(a₁)·Rx(a₂)·Rz(a₃)·(x − c_ligand),  wrap(t) = t < N/2 ? t : t − N
 * with both initial rotations 0 (ZDOCK's page on its output format; weng-lab/libzdock's comments on its transforms). */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "dock/output_zdock.h"
#include "math/random.h"
#include "math/rotation.h"

static const double pi = 3.14159265358979323846;

enum { POSES_MAX = 64 };

typedef struct zdock_file {
    int side, flag, count;
    double spacing;
    char names[2][64];
    double rotations[2][3], centres[2][3];
    double angles[POSES_MAX][3], scores[POSES_MAX];
    int translations[POSES_MAX][3];
} zdock_file;

/* Read a file with scanf, which splits lines at white space as other readers do. */
static int read_zdock(const char *path, zdock_file *file)
{
    memset(file, 0, sizeof *file);
    FILE *stream = fopen(path, "r");
    if (!stream) return 0;
    int good = fscanf(stream, "%d %lf %d", &file->side, &file->spacing, &file->flag) == 3;
    for (int i = 0; i < 2; i++) {
        double *r = file->rotations[i];
        good = good && fscanf(stream, "%lf %lf %lf", &r[0], &r[1], &r[2]) == 3;
    }
    for (int i = 0; i < 2; i++) {
        double *c = file->centres[i];
        good = good && fscanf(stream, "%63s %lf %lf %lf", file->names[i], &c[0], &c[1], &c[2]) == 4;
    }
    while (good && file->count < POSES_MAX) {
        double *a = file->angles[file->count], *score = &file->scores[file->count];
        int *t = file->translations[file->count];
        int fields = fscanf(stream, "%lf %lf %lf %d %d %d %lf", &a[0], &a[1], &a[2], &t[0], &t[1], &t[2], score);
        if (fields == EOF) break;
        good = fields == 7;
        file->count++;
    }
    fclose(stream);
    return good;
}

static void turn(double v[3], int a, int b, double angle)
{
    double x = v[a], y = v[b];
    v[a] = cos(angle) * x - sin(angle) * y;
    v[b] = sin(angle) * x + cos(angle) * y;
}

static void reconstruct(const zdock_file *file, int pose, const double point[3], double result[3])
{
    for (int i = 0; i < 3; i++) result[i] = point[i] - file->centres[1][i];
    turn(result, 0, 1, file->angles[pose][2]);
    turn(result, 1, 2, file->angles[pose][1]);
    turn(result, 0, 1, file->angles[pose][0]);
    for (int i = 0; i < 3; i++) {
        int t = file->translations[pose][i];
        result[i] += file->centres[0][i] - file->spacing * (2 * t < file->side ? t : t - file->side);
    }
}

/* Make a grid with three different sides, one of them odd, of which one axis is searched completely, with coordinates
 * that short decimals do not hold. */
static qn_dock_grid oblong_grid(double spacing)
{
    return (qn_dock_grid){.spacing_angstrom = spacing,
                          .origin_angstrom = {-31.2345678, 12.0000004, 107.77777777},
                          .cells = {96, 125, 80},
                          .box = 42,
                          .box_centre = 20,
                          .centre_angstrom = {14.000244140625, -60.5, 3.25},
                          .first_shift = {-35, -41, -37},
                          .last_shift = {60, 66, 40}};
}

static int32_t cell_of(const qn_dock_grid *grid, const int shift[3])
{
    int cell[3];
    for (int i = 0; i < 3; i++) cell[i] = shift[i] < 0 ? shift[i] + grid->cells[i] : shift[i];
    return cell[0] + grid->cells[0] * (cell[1] + grid->cells[1] * cell[2]);
}

static void about_z(double angle, double m[9])
{
    memcpy(m, (double[]){cos(angle), -sin(angle), 0, sin(angle), cos(angle), 0, 0, 0, 1}, 9 * sizeof *m);
}

/* Make a matrix whose second Euler angle is `tilt` or π − `tilt`. */
static void upright(double angle, int upside_down, double tilt, double m[9])
{
    const double x[9] = {1, 0, 0, 0, cos(tilt), -sin(tilt), 0, sin(tilt), cos(tilt)};
    const double flip[9] = {1, 0, 0, 0, -1, 0, 0, 0, -1};
    about_z(angle, m);
    qn_rotation_multiply(m, x, m);
    if (upside_down) qn_rotation_multiply(m, flip, m);
}

static int make_poses(const qn_dock_grid *grid, qn_dock_pose poses[POSES_MAX])
{
    static const double tilts[] = {0, 1e-15, 1e-12, 1e-9, 3e-7, 1e-4};
    int count = 0;
    memset(poses, 0, POSES_MAX * sizeof *poses);
    for (int i = 0; i < 24; i++) upright(-3.1 + 0.27 * i, i % 2, tilts[i / 2 % 6], poses[count++].matrix);
    about_z(0, poses[count++].matrix);
    about_z(pi, poses[count++].matrix);
    while (count < POSES_MAX) {
        qn_rotation_from_seed((uint64_t)count, poses[count].matrix);
        count++;
    }
    for (int i = 0; i < count; i++) {
        int shift[3];
        for (int axis = 0; axis < 3; axis++) {
            int first = grid->first_shift[axis], last = grid->last_shift[axis];
            int corner = i >> axis & 1 ? last : first;
            double share = qn_random_uniform(3, (uint64_t)axis, (uint64_t)i);
            shift[axis] = i % 16 < 8 ? corner : first + (int)(share * (last - first + 1));
        }
        poses[i].cell = cell_of(grid, shift);
        poses[i].energy = -1000.25 + 31.5 * i;
    }
    return count;
}

/* The tolerance follows from the digits: both centres are rounded by 5e-7 Å on each axis, which gives √3 · 1e-6; the
 * three angles by 5e-10 each, times the distance from the centre; and 1e-11 for the arithmetic in double precision. */
static void check_grid(double spacing)
{
    static qn_dock_pose poses[POSES_MAX];
    static zdock_file file;
    char path[512];
    qn_dock_grid grid = oblong_grid(spacing);
    int count = make_poses(&grid, poses);
    snprintf(path, sizeof path, "%s/zdock.out", check_scratch_folder());
    if (!CHECK_OK(qn_dock_write_zdock(path, &grid, "my receptor.pdb", "ligand.cif", poses, (size_t)count))) return;
    if (!CHECK(read_zdock(path, &file))) return;
    CHECK(file.count == count);
    CHECK(file.flag == 0);
    CHECK_TEXT(file.names[0], "my_receptor.pdb");
    CHECK_TEXT(file.names[1], "ligand.cif");
    double worst = 0;
    for (int i = 0; i < count; i++)
        for (int atom = 0; atom < 8; atom++) {
            double point[3], expected[3], found[3], translation[3], error = 0, radius = 0;
            for (int k = 0; k < 3; k++) {
                point[k] = grid.centre_angstrom[k] + 60 * (2 * qn_random_uniform(5, (uint64_t)atom, (uint64_t)k) - 1);
                radius += (point[k] - grid.centre_angstrom[k]) * (point[k] - grid.centre_angstrom[k]);
            }
            qn_dock_grid_translation(&grid, poses[i].cell, poses[i].matrix, translation);
            qn_rotation_apply(poses[i].matrix, point, expected);
            reconstruct(&file, i, point, found);
            for (int k = 0; k < 3; k++)
                error += (found[k] - expected[k] - translation[k]) * (found[k] - expected[k] - translation[k]);
            double allowed = 1.7321e-6 + 1.5e-9 * sqrt(radius) + 1e-11;
            worst = fmax(worst, sqrt(error) / allowed);
        }
    CHECK_NEAR(worst, 0, 1);
}

static void readers_rebuild_the_poses(void)
{
    check_grid(1.0);
    check_grid(1.2);
    check_grid(1.0 / 3);
}

/* N is even, all translations are in 0 … N−1, and none is N/2, on which readers disagree; scores are negated energies.
 */
static void lines_follow_the_format(void)
{
    static qn_dock_pose poses[POSES_MAX];
    static zdock_file file;
    char path[512];
    qn_dock_grid grid = oblong_grid(1.2);
    int count = make_poses(&grid, poses);
    snprintf(path, sizeof path, "%s/lines.out", check_scratch_folder());
    if (!CHECK_OK(qn_dock_write_zdock(path, &grid, "r.pdb", "l.pdb", poses, (size_t)count))) return;
    if (!CHECK(read_zdock(path, &file))) return;
    CHECK(file.side % 2 == 0 && file.side >= 126);
    CHECK_NEAR(file.spacing, 1.2, 0);
    for (int i = 0; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            int t = file.translations[i][axis];
            CHECK(t >= 0 && t < file.side && 2 * t != file.side);
            CHECK(fabs(file.angles[i][axis]) < 3.14159266);
        }
        CHECK(file.angles[i][1] >= 0);
        CHECK_NEAR(file.scores[i], -poses[i].energy, 0);
    }
    char *text;
    size_t size, lines = 0;
    if (!CHECK_OK(qn_file_read(path, &text, &size))) return;
    for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
    CHECK(lines == 5 + (size_t)count);
    CHECK(strncmp(text, "126\t1.2\t0\n0.000000000\t0.000000000\t0.000000000\n0.0", 48) == 0);
    qn_release(&text);
}

static void invalid_poses_are_refused(void)
{
    static qn_dock_pose poses[POSES_MAX];
    char path[512];
    qn_dock_grid grid = oblong_grid(1.0);
    make_poses(&grid, poses);
    snprintf(path, sizeof path, "%s/refused.out", check_scratch_folder());
    CHECK_FAILS(qn_dock_write_zdock(path, &grid, "", "l.pdb", poses, 1), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("receptor");
    CHECK_FAILS(qn_dock_write_zdock(path, &grid, "r.pdb", NULL, poses, 1), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("ligand");
    poses[1].cell = -1;
    CHECK_FAILS(qn_dock_write_zdock(path, &grid, "r.pdb", "l.pdb", poses, 2), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("pose 2 has cell -1");
    poses[1].cell = cell_of(&grid, (int[]){0, -42, 0}); /* on the grid, below the shifts searched */
    CHECK_FAILS(qn_dock_write_zdock(path, &grid, "r.pdb", "l.pdb", poses, 2), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("along y");
    poses[1].cell = 0;
    poses[1].energy = NAN;
    CHECK_FAILS(qn_dock_write_zdock(path, &grid, "r.pdb", "l.pdb", poses, 2), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("energy");
    poses[1].energy = 0;
    poses[1].matrix[4] += 0.01;
    CHECK_FAILS(qn_dock_write_zdock(path, &grid, "r.pdb", "l.pdb", poses, 2), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("matrix");
    CHECK(!qn_file_exists(path));
    CHECK_OK(qn_dock_write_zdock(path, &grid, "r.pdb", "l.pdb", poses, 0));
}

int main(void)
{
    RUN(readers_rebuild_the_poses);
    RUN(lines_follow_the_format);
    RUN(invalid_poses_are_refused);
    return check_finish();
}
