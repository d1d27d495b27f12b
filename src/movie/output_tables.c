/* corrected_micrographs.star and movies.csv. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "format/image/star_write.h"
#include "format/number.h"
#include "movie/run.h"
#include "report/csv.h"

enum { COLUMNS_MAX = 16 };

/* ---- corrected_micrographs.star ---- */

static const char micrograph_pixel[] = "rlnMicrographPixelSize";
static const char original_pixel[] = "rlnMicrographOriginalPixelSize";

/* An optics group of the output: movies with a row of the optics and one pixel size. Where the optics state no pixel
 * size, the movies of a row may differ in it. */
typedef struct optics_group {
    const qn_movie_numbers *numbers; /* of its first movie */
    long long new_number;            /* 0: the number of the input, or 1 */
} optics_group;

typedef struct optics_groups {
    optics_group *groups;
    size_t count, capacity;
} optics_groups;

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-5 * b;
}

static const optics_group *find_group(const optics_groups *list, const qn_movie_numbers *n)
{
    for (size_t i = 0; i < list->count; i++) {
        const qn_movie_numbers *first = list->groups[i].numbers;
        if (first->optics == n->optics && is_near(n->frame_pixel_angstrom, first->frame_pixel_angstrom) &&
            is_near(n->pixel_angstrom, first->pixel_angstrom))
            return &list->groups[i];
    }
    return NULL;
}

/* The largest number of a group in the input. */
static int largest_number(const qn_movie_optics *optics)
{
    int largest = optics->count > 0 ? (int)optics->count : 1;
    for (size_t row = 0; row < optics->count; row++) {
        const char *text = qn_movie_optics_value(optics, row, "rlnOpticsGroup");
        int number;
        if (text && qn_number_parse_whole(text, strlen(text), &number) && number > largest) largest = number;
    }
    return largest;
}

static qn_status collect_groups(const qn_movie_state *run, optics_groups *list)
{
    long long number = largest_number(&run->inputs.optics);
    for (size_t i = 0; i < run->row_count; i++) {
        const qn_movie_numbers *n = &run->rows[i]->numbers;
        void *memory = list->groups;
        bool known = false;
        if (n->failed || find_group(list, n)) continue;
        for (size_t k = 0; k < list->count; k++) known |= list->groups[k].numbers->optics == n->optics;
        qn_status status = qn_grow(&memory, &list->capacity, list->count + 1, sizeof *list->groups);
        list->groups = memory;
        QN_TRY(status);
        list->groups[list->count++] = (optics_group){.numbers = n, .new_number = known ? ++number : 0};
    }
    return QN_OK;
}

/* Whether the optics of the input are written as they are in this column. */
static bool is_copied(const char *column)
{
    return strcmp(column, micrograph_pixel) != 0 && strcmp(column, original_pixel) != 0 &&
           strcmp(column, "rlnVoltage") != 0 && strcmp(column, "rlnOpticsGroup") != 0 &&
           strcmp(column, "rlnOpticsGroupName") != 0;
}

static qn_status put_number_of_group(const qn_movie_state *run, qn_star_writer *star, const optics_group *group)
{
    const size_t row = (size_t)group->numbers->optics;
    const char *number = qn_movie_optics_value(&run->inputs.optics, row, "rlnOpticsGroup");
    if (group->new_number > 0) return qn_star_put_whole(star, group->new_number);
    return number ? qn_star_put_text(star, number) : qn_star_put_whole(star, (long long)row + 1);
}

static qn_status put_name_of_group(const qn_movie_state *run, qn_star_writer *star, const optics_group *group)
{
    const size_t row = (size_t)group->numbers->optics;
    const char *number = qn_movie_optics_value(&run->inputs.optics, row, "rlnOpticsGroup");
    const char *name = qn_movie_optics_value(&run->inputs.optics, row, "rlnOpticsGroupName");
    const long long new_number = group->new_number;
    qn_text text = {0};
    qn_status status = name ? qn_text_append(&text, "%s", name) : qn_text_append(&text, "opticsGroup");
    if (status == QN_OK && new_number > 0)
        status = qn_text_append(&text, "%s%lld", name ? "_" : "", new_number);
    else if (status == QN_OK && !name)
        status = number ? qn_text_append(&text, "%s", number) : qn_text_append(&text, "%zu", row + 1);
    if (status == QN_OK) status = qn_star_put_text(star, text.data);
    qn_text_clear(&text);
    return status;
}

static qn_status put_group(const qn_movie_state *run, qn_star_writer *star, const optics_group *group)
{
    const qn_movie_optics *optics = &run->inputs.optics;
    const qn_movie_numbers *numbers = group->numbers;
    const size_t row = (size_t)numbers->optics;
    QN_TRY(put_name_of_group(run, star, group));
    QN_TRY(put_number_of_group(run, star, group));
    QN_TRY(qn_star_put_number(star, numbers->frame_pixel_angstrom));
    QN_TRY(qn_star_put_number(star, numbers->voltage_kv));
    for (size_t i = 0; i < optics->column_count && row < optics->count; i++)
        if (is_copied(optics->columns[i]))
            QN_TRY(qn_star_put_text(star, optics->values[row * optics->column_count + i]));
    QN_TRY(qn_star_put_number(star, numbers->pixel_angstrom));
    return qn_star_end_row(star);
}

static qn_status put_optics(const qn_movie_state *run, qn_star_writer *star, const optics_groups *list)
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
    for (size_t i = 0; i < list->count && status == QN_OK; i++) status = put_group(run, star, &list->groups[i]);
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
                                const optics_group *group, const bool *present, bool has_dose)
{
    const qn_movie_numbers *n = &row->numbers;
    for (int k = 0; k < QN_MOVIE_OUTPUTS; k++)
        if (present[k]) QN_TRY(put_file(run, star, row, (qn_movie_output)k));
    QN_TRY(put_number_of_group(run, star, group));
    QN_TRY(qn_star_put_number(star, n->motion_total_px));
    if (has_dose) {
        QN_TRY(qn_star_put_number(star, n->has_dose ? n->motion_early_px : 0));
        QN_TRY(qn_star_put_number(star, n->motion_total_px - (n->has_dose ? n->motion_early_px : 0)));
    }
    return qn_star_end_row(star);
}

static qn_status put_micrographs(const qn_movie_state *run, qn_star_writer *star, const optics_groups *list)
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
    for (size_t i = 0; i < run->row_count; i++) {
        const optics_group *group = find_group(list, &run->rows[i]->numbers);
        if (!run->rows[i]->numbers.failed) QN_TRY(put_micrograph(run, star, run->rows[i], group, present, has_dose));
    }
    return QN_OK;
}

qn_status qn_movie_write_micrographs(qn_movie_state *run)
{
    char *path;
    QN_TRY(qn_job_path(run->job, "corrected_micrographs.star", &path));
    qn_star_writer star = {.path = path};
    optics_groups list = {.count = 0};
    qn_status status = collect_groups(run, &list);
    if (status == QN_OK) status = put_optics(run, &star, &list);
    if (status == QN_OK) status = put_micrographs(run, &star, &list);
    qn_release(&list.groups);
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
