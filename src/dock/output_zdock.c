#include "dock/output_zdock.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "math/rotation.h"
#include "report/number.h"

/* Digits after the decimal point. ZDOCK writes 6 for angles and 3 for centres. With more digits the file is as exact as
 * the grid; readers accept any number of digits. */
enum { ANGLE_DECIMALS = 9, CENTRE_DECIMALS = 6, SCORE_DECIMALS = 6, SPACING_DIGITS = 12 };

/* The shift (in cells) from which the file counts translations, and the side N of the file's grid. A reader takes a
 * translation t < N/2 as t, and any other as t − N. Tools disagree on t = N/2 and on odd N. Therefore N is even, and
 * translations are counted from the middle of the shifts searched, so that all of them are shorter than N/2. */
typedef struct zdock_frame {
    int middle[3];
    int side;
} zdock_frame;

static zdock_frame choose_frame(const qn_dock_grid *grid)
{
    zdock_frame frame = {.side = 0};
    for (int axis = 0; axis < 3; axis++) {
        int count = grid->last_shift[axis] - grid->first_shift[axis] + 1;
        frame.middle[axis] = grid->first_shift[axis] + count / 2;
        int least = 2 * ((grid->cells[axis] > count ? grid->cells[axis] : count) / 2 + 1);
        if (least > frame.side) frame.side = least;
    }
    return frame;
}

/* Find the angles of R = Rz(angles[0]) · Rx(angles[1]) · Rz(angles[2]), in radians. The third angle is computed from
 * Rz(−angles[0]) · R. So it compensates for an arbitrary first angle near angles[1] = 0 and π, where only the sum or
 * the difference of the two matters. */
static void find_angles(const double r[9], double angles[3])
{
    const double upright = 1e-12; /* below this sine of angles[1], the first angle is only rounding errors */
    angles[0] = hypot(r[2], r[5]) < upright ? 0 : atan2(r[2], -r[5]);
    double cosine = cos(angles[0]), sine = sin(angles[0]);
    angles[1] = atan2(fmax(0, sine * r[2] - cosine * r[5]), r[8]);
    angles[2] = atan2(-(cosine * r[1] + sine * r[4]), cosine * r[0] + sine * r[3]);
}

static qn_status add_number(qn_text *text, double value, qn_number_style style, int precision, char end)
{
    char digits[QN_NUMBER_LENGTH];
    qn_number_format(value, style, precision, digits);
    return qn_text_append(text, "%s%c", digits, end);
}

static qn_status add_triple(qn_text *text, const double values[3], int decimals, char end)
{
    for (int i = 0; i < 3; i++) QN_TRY(add_number(text, values[i], QN_NUMBER_FIXED, decimals, i < 2 ? '\t' : end));
    return QN_OK;
}

/* Append a line with name and centre of a partner. */
static qn_status add_partner(qn_text *text, const char *name, const double centre[3])
{
    for (const char *c = name; *c; c++) QN_TRY(qn_text_append(text, "%c", strchr(" \t\n\v\f\r", *c) ? '_' : *c));
    QN_TRY(qn_text_append(text, "\t"));
    return add_triple(text, centre, CENTRE_DECIMALS, '\n');
}

/* Append the header. Both initial rotations are 0, because receptor and ligand have the orientations of their files. */
static qn_status add_header(qn_text *text, const qn_dock_grid *grid, const zdock_frame *frame,
                            const char *receptor_name, const char *ligand_name)
{
    const double none[3] = {0};
    double centre[3];
    for (int axis = 0; axis < 3; axis++)
        centre[axis] = grid->origin_angstrom[axis] + grid->spacing_angstrom * (grid->box_centre + frame->middle[axis]);
    QN_TRY(qn_text_append(text, "%d\t", frame->side));
    QN_TRY(add_number(text, grid->spacing_angstrom, QN_NUMBER_GENERAL, SPACING_DIGITS, '\t'));
    QN_TRY(qn_text_append(text, "0\n")); /* the ligand is the partner that moves */
    QN_TRY(add_triple(text, none, ANGLE_DECIMALS, '\n'));
    QN_TRY(add_triple(text, none, ANGLE_DECIMALS, '\n'));
    QN_TRY(add_partner(text, receptor_name, centre));
    return add_partner(text, ligand_name, grid->centre_angstrom);
}

static qn_status add_pose(qn_text *text, const qn_dock_grid *grid, const zdock_frame *frame, const qn_dock_pose *pose,
                          size_t rank)
{
    long cell = pose->cell;
    if (cell < 0 || (size_t)cell >= qn_dock_grid_volume(grid))
        return QN_FAIL(QN_INVALID_ARGUMENT, "pose %zu has cell %ld; expected 0 to %zu", rank, cell,
                       qn_dock_grid_volume(grid) - 1);
    if (!isfinite(pose->energy))
        return QN_FAIL(QN_INVALID_ARGUMENT, "pose %zu has energy %g; expected a finite one", rank, pose->energy);
    double error = qn_rotation_error(pose->matrix);
    if (!(error < 1e-6))
        return QN_FAIL(QN_INVALID_ARGUMENT, "the matrix of pose %zu is %g from a rotation; expected less than 1e-6",
                       rank, error);
    double angles[3];
    find_angles(pose->matrix, angles);
    QN_TRY(add_triple(text, angles, ANGLE_DECIMALS, '\t'));
    for (int axis = 0; axis < 3; axis++) {
        int shift = qn_dock_grid_shift(grid, axis, (int)(cell % grid->cells[axis]));
        if (shift < grid->first_shift[axis])
            return QN_FAIL(QN_INVALID_ARGUMENT, "pose %zu is shifted by %d cells along %c; expected %d to %d", rank,
                           shift, 'x' + axis, grid->first_shift[axis], grid->last_shift[axis]);
        cell /= grid->cells[axis];
        /* Translations have the opposite sign, because readers subtract them. */
        int translation = frame->middle[axis] - shift;
        QN_TRY(qn_text_append(text, "%d\t", translation < 0 ? translation + frame->side : translation));
    }
    return add_number(text, -pose->energy, QN_NUMBER_FIXED, SCORE_DECIMALS, '\n');
}

qn_status qn_dock_write_zdock(const char *path, const qn_dock_grid *grid, const char *receptor_name,
                              const char *ligand_name, const qn_dock_pose *poses, size_t count)
{
    if (!receptor_name || !*receptor_name || !ligand_name || !*ligand_name)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: the %s has no name; expected one", path,
                       receptor_name && *receptor_name ? "ligand" : "receptor");
    zdock_frame frame = choose_frame(grid);
    qn_text text = {0};
    qn_status status = add_header(&text, grid, &frame, receptor_name, ligand_name);
    for (size_t i = 0; i < count && status == QN_OK; i++) status = add_pose(&text, grid, &frame, &poses[i], i + 1);
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_text_clear(&text);
    return status;
}
