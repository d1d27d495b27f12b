/* corrected_micrographs.star and movies.csv. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "format/image/star_write.h"
#include "movie/run.h"
#include "report/csv.h"

enum { COLUMNS_MAX = 16 };

/* ---- corrected_micrographs.star ---- */

static const char micrograph_pixel[] = "rlnMicrographPixelSize";
static const char original_pixel[] = "rlnMicrographOriginalPixelSize";

/* A row of processed movies with this row of the optics; NULL: none. */
static const qn_movie_numbers *numbers_of(const qn_movie_state *run, size_t optics)
{
    for (size_t i = 0; i < run->row_count; i++)
        if (!run->rows[i]->numbers.failed && run->rows[i]->numbers.optics == (int)optics) return &run->rows[i]->numbers;
    return NULL;
}

/* Whether the optics of the input are written as they are in this column. */
static bool is_copied(const char *column)
{
    return strcmp(column, micrograph_pixel) != 0 && strcmp(column, original_pixel) != 0 &&
           strcmp(column, "rlnVoltage") != 0 && strcmp(column, "rlnOpticsGroup") != 0 &&
           strcmp(column, "rlnOpticsGroupName") != 0;
}

static qn_status put_group(const qn_movie_state *run, qn_star_writer *star, size_t row)
{
    const qn_movie_optics *optics = &run->inputs.optics;
    const qn_movie_numbers *numbers = numbers_of(run, row);
    const char *number = qn_movie_optics_value(optics, row, "rlnOpticsGroup");
    const char *name = qn_movie_optics_value(optics, row, "rlnOpticsGroupName");
    char made[32], made_name[48];
    if (!numbers) return QN_OK; /* no movie of this group was processed */
    snprintf(made, sizeof made, "%zu", row + 1);
    snprintf(made_name, sizeof made_name, "opticsGroup%s", number ? number : made);
    QN_TRY(qn_star_put_text(star, name ? name : made_name));
    QN_TRY(qn_star_put_text(star, number ? number : made));
    QN_TRY(qn_star_put_number(star, numbers->frame_pixel_angstrom));
    QN_TRY(qn_star_put_number(star, numbers->voltage_kv));
    for (size_t i = 0; i < optics->column_count; i++)
        if (is_copied(optics->columns[i]))
            QN_TRY(qn_star_put_text(star, optics->values[row * optics->column_count + i]));
    QN_TRY(qn_star_put_number(star, numbers->pixel_angstrom));
    return qn_star_end_row(star);
}

static qn_status put_optics(const qn_movie_state *run, qn_star_writer *star)
{
    const qn_movie_optics *optics = &run->inputs.optics;
    const char **columns;
    size_t count = 4;
    void *memory;
    QN_TRY(qn_allocate(optics->column_count + 5, sizeof *columns, &memory));
    columns = memory;
    columns[0] = "rlnOpticsGroupName", columns[1] = "rlnOpticsGroup";
    columns[2] = original_pixel, columns[3] = "rlnVoltage";
    for (size_t i = 0; i < optics->column_count; i++)
        if (is_copied(optics->columns[i])) columns[count++] = optics->columns[i];
    columns[count++] = micrograph_pixel;
    qn_status status = qn_star_begin_loop(star, "optics", columns, count);
    qn_release(&memory);
    for (size_t row = 0; row < (optics->count ? optics->count : 1) && status == QN_OK; row++)
        status = put_group(run, star, row);
    return status;
}

/* The columns of files, in the order of qn_movie_output. */
static const char *const file_columns[QN_MOVIE_OUTPUTS] = {"rlnMicrographName",     "rlnMicrographNameNoDW",
                                                           "rlnMicrographNameEven", "rlnMicrographNameOdd",
                                                           "rlnCtfPowerSpectrum",   "rlnMicrographMetadata"};

/* A path from the working folder. */
static qn_status put_file(const qn_movie_state *run, qn_star_writer *star, const qn_movie_facts *row,
                          qn_movie_output output)
{
    char *name, *path = NULL;
    QN_TRY(qn_movie_file_name(row->texts[QN_MOVIE_NAME], output, &name));
    qn_status status = qn_path_join(run->options->output, name, &path);
    if (status == QN_OK) status = qn_star_put_text(star, path);
    qn_release(&name);
    qn_release(&path);
    return status;
}

static qn_status put_micrograph(const qn_movie_state *run, qn_star_writer *star, const qn_movie_facts *row,
                                const bool *present, bool has_dose)
{
    const qn_movie_numbers *n = &row->numbers;
    const char *group = qn_movie_optics_value(&run->inputs.optics, (size_t)n->optics, "rlnOpticsGroup");
    char made[32];
    snprintf(made, sizeof made, "%d", n->optics + 1);
    for (int k = 0; k < QN_MOVIE_OUTPUTS; k++)
        if (present[k]) QN_TRY(put_file(run, star, row, (qn_movie_output)k));
    QN_TRY(qn_star_put_text(star, group ? group : made));
    QN_TRY(qn_star_put_number(star, n->motion_total_px));
    if (has_dose) {
        QN_TRY(qn_star_put_number(star, n->has_dose ? n->motion_early_px : 0));
        QN_TRY(qn_star_put_number(star, n->motion_total_px - (n->has_dose ? n->motion_early_px : 0)));
    }
    return qn_star_end_row(star);
}

static qn_status put_micrographs(const qn_movie_state *run, qn_star_writer *star)
{
    const char *columns[COLUMNS_MAX];
    bool present[QN_MOVIE_OUTPUTS] = {false}, has_dose = false;
    size_t count = 0;
    for (size_t i = 0; i < run->row_count; i++) {
        const qn_movie_numbers *n = &run->rows[i]->numbers;
        for (int k = 0; k < QN_MOVIE_OUTPUTS && !n->failed; k++) present[k] |= n->file_bytes[k] > 0;
        has_dose |= !n->failed && n->has_dose;
    }
    for (int k = 0; k < QN_MOVIE_OUTPUTS; k++)
        if (present[k]) columns[count++] = file_columns[k];
    columns[count++] = "rlnOpticsGroup", columns[count++] = "rlnAccumMotionTotal";
    if (has_dose) columns[count++] = "rlnAccumMotionEarly", columns[count++] = "rlnAccumMotionLate";
    QN_TRY(qn_star_begin_loop(star, "micrographs", columns, count));
    for (size_t i = 0; i < run->row_count; i++)
        if (!run->rows[i]->numbers.failed) QN_TRY(put_micrograph(run, star, run->rows[i], present, has_dose));
    return QN_OK;
}

qn_status qn_movie_write_micrographs(qn_movie_state *run)
{
    char *path;
    QN_TRY(qn_job_path(run->job, "corrected_micrographs.star", &path));
    qn_star_writer star = {.path = path};
    qn_status status = put_optics(run, &star);
    if (status == QN_OK) status = put_micrographs(run, &star);
    if (status == QN_OK) status = qn_star_write(&star);
    qn_star_writer_clear(&star);
    qn_release(&path);
    return status;
}

/* ---- movies.csv ---- */

static const char *const table_columns[] = {"movie",           "name",
                                            "width",           "height",
                                            "frames",          "pixel_angstrom",
                                            "voltage_kv",      "dose_per_angstrom2",
                                            "motion_total_px", "motion_early_px",
                                            "local_motion_px", "filter_px2",
                                            "smoothness",      "hot_pixels",
                                            "bad_pixels",      "mean_count",
                                            "left_out",        "remark"};

static qn_status put_row_numbers(qn_text *csv, const qn_movie_numbers *n)
{
    const double unknown = NAN;
    QN_TRY(qn_csv_integer(csv, n->width));
    QN_TRY(qn_csv_integer(csv, n->height));
    QN_TRY(qn_csv_integer(csv, n->frame_count));
    QN_TRY(qn_csv_general(csv, n->pixel_angstrom, 6));
    QN_TRY(qn_csv_general(csv, n->voltage_kv, 6));
    QN_TRY(qn_csv_number(csv, n->has_dose ? n->dose : unknown, 3));
    QN_TRY(qn_csv_number(csv, n->motion_total_px, 3));
    QN_TRY(qn_csv_number(csv, n->has_dose ? n->motion_early_px : unknown, 3));
    QN_TRY(qn_csv_number(csv, n->has_local ? n->local_px : unknown, 3));
    QN_TRY(qn_csv_general(csv, n->filter_px2, 4));
    QN_TRY(qn_csv_general(csv, n->has_local ? n->smoothness : unknown, 4));
    QN_TRY(qn_csv_integer(csv, n->hot_pixels));
    QN_TRY(qn_csv_integer(csv, n->bad_pixels));
    return qn_csv_general(csv, n->counts, 6);
}

static qn_status put_row(qn_text *csv, const qn_movie_facts *row)
{
    enum { NUMBERS = 14 };
    QN_TRY(qn_csv_text(csv, row->texts[QN_MOVIE_PATH]));
    QN_TRY(qn_csv_text(csv, row->texts[QN_MOVIE_NAME]));
    if (!row->numbers.failed)
        QN_TRY(put_row_numbers(csv, &row->numbers));
    else
        for (int i = 0; i < NUMBERS; i++) QN_TRY(qn_csv_text(csv, NULL));
    QN_TRY(qn_csv_text(csv, row->texts[QN_MOVIE_REASON]));
    QN_TRY(qn_csv_text(csv, row->texts[QN_MOVIE_REMARK]));
    return qn_csv_end_row(csv);
}

qn_status qn_movie_write_table(qn_movie_state *run)
{
    qn_text csv = {0};
    char *path;
    QN_TRY(qn_job_path(run->job, "movies.csv", &path));
    qn_status status = qn_csv_row(&csv, sizeof table_columns / sizeof *table_columns, table_columns);
    for (size_t i = 0; i < run->row_count && status == QN_OK; i++) status = put_row(&csv, run->rows[i]);
    if (status == QN_OK) status = qn_csv_write(&csv, path);
    qn_text_clear(&csv);
    qn_release(&path);
    return status;
}
