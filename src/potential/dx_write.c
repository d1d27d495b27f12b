#include "potential/dx_write.h"

#include "base/error.h"
#include "base/text.h"
#include "base/written_file.h"
#include "report/number.h"

enum { CHUNK_BYTES = 1 << 20, DIGITS = 6, NUMBERS_PER_LINE = 3 };

static qn_status append_number(double value, const char *before, qn_text *text)
{
    char number[QN_NUMBER_LENGTH];
    qn_number_format(value, QN_NUMBER_GENERAL, DIGITS, number);
    return qn_text_append(text, "%s%s", before, number);
}

static qn_status append_header(const char *title, const qn_potential_grid *grid, qn_text *text)
{
    const int *n = grid->points;
    QN_TRY(qn_text_append(text, "# %s\nobject 1 class gridpositions counts %d %d %d\norigin", title, n[0], n[1], n[2]));
    for (int k = 0; k < 3; k++) {
        char number[QN_NUMBER_LENGTH];
        qn_number_format(grid->centre_angstrom[k] + qn_potential_grid_offset(grid, k, 0), QN_NUMBER_GENERAL, 10,
                         number);
        QN_TRY(qn_text_append(text, " %s", number));
    }
    for (int k = 0; k < 3; k++) {
        QN_TRY(qn_text_append(text, "\ndelta"));
        for (int axis = 0; axis < 3; axis++) QN_TRY(append_number(axis == k ? grid->spacing_angstrom : 0, " ", text));
    }
    return qn_text_append(text,
                          "\nobject 2 class gridconnections counts %d %d %d\n"
                          "object 3 class array type double rank 0 items %zu data follows\n",
                          n[0], n[1], n[2], qn_potential_grid_size(grid));
}

static qn_status flush(qn_text *text, size_t limit, qn_written_file *file)
{
    if (text->length < limit) return QN_OK;
    const qn_status status = qn_written_file_write(file, text->data, text->length);
    text->length = 0;
    return status;
}

static qn_status write_values(const qn_potential_grid *grid, const float *values, qn_text *text, qn_written_file *file)
{
    const size_t nx = (size_t)grid->points[0], ny = (size_t)grid->points[1], nz = (size_t)grid->points[2];
    size_t written = 0;
    for (size_t x = 0; x < nx; x++)
        for (size_t y = 0; y < ny; y++) {
            for (size_t z = 0; z < nz; z++, written++)
                QN_TRY(append_number((double)values[(z * ny + y) * nx + x],
                                     written == 0                 ? ""
                                     : written % NUMBERS_PER_LINE ? " "
                                                                  : "\n",
                                     text));
            QN_TRY(flush(text, CHUNK_BYTES, file));
        }
    return qn_text_append(text, "\nattribute \"dep\" string \"positions\"\nobject \"map\" class field\n"
                                "component \"positions\" value 1\ncomponent \"connections\" value 2\n"
                                "component \"data\" value 3\n");
}

qn_status qn_dx_write(const char *path, const char *title, const qn_potential_grid *grid, const float *values)
{
    qn_written_file file;
    qn_text text = {0};
    QN_TRY(qn_written_file_open(path, false, &file));
    qn_status status = append_header(title, grid, &text);
    if (status == QN_OK) status = write_values(grid, values, &text, &file);
    if (status == QN_OK) status = flush(&text, 0, &file);
    if (status == QN_OK)
        status = qn_written_file_finish(&file);
    else
        qn_written_file_discard(&file);
    qn_text_clear(&text);
    return status;
}
