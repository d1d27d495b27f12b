#include "movie/inputs.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/image/star.h"
#include "format/number.h"

/* ---- names ---- */

static bool is_part(const char *part, size_t length, const char *text)
{
    return length == strlen(text) && memcmp(part, text, length) == 0;
}

qn_status qn_movie_output_name(const char *path, char **name)
{
    qn_text text = {0};
    const char *last = qn_path_name(path);
    for (const char *part = path; part < last;) {
        const size_t length = strcspn(part, "/");
        if (length > 0 && !is_part(part, length, ".") && !is_part(part, length, "..")) {
            QN_TRY(qn_text_append_bytes(&text, part, length));
            QN_TRY(qn_text_append(&text, "/"));
        }
        part += length + 1;
    }
    const char *dot = strrchr(last, '.');
    const size_t begin = text.length;
    QN_TRY(qn_text_append_bytes(&text, last, dot && dot > last ? (size_t)(dot - last) : strlen(last)));
    for (size_t i = begin; i < text.length; i++)
        if (text.data[i] == '.') text.data[i] = '_';
    *name = text.data;
    return QN_OK;
}

/* ---- movies ---- */

/* Names of NAME.mrc and of the files beside it. NAME_PS.mrc may be the micrograph of another movie, NAME_PS.tif. */
static const char *const endings[] = {"", "_noDW", "_EVN", "_ODD", "_PS"};

/* Whether NAME.mrc or NAME.star would be a file of the run: corrected_micrographs.star, or gain_WxH.mrc. */
static bool is_of_run(const char *name)
{
    static const char gain[] = "gain_";
    if (strcmp(name, "corrected_micrographs") == 0) return true;
    if (strncmp(name, gain, strlen(gain)) != 0) return false;
    const char *width = name + strlen(gain), *cross = width + strspn(width, "0123456789");
    const char *rest = *cross == 'x' ? cross + 1 + strspn(cross + 1, "0123456789") : cross;
    return cross > width && rest > cross + 1 && (*rest == '\0' || strcmp(rest, "_eer") == 0);
}

/* The movie that has a file NAME ENDING.mrc, which is this one if no earlier movie has it. */
static qn_status find_owner(qn_movie_inputs *inputs, const char *name, const char *ending, size_t *owner)
{
    uint32_t index;
    void *memory = inputs->owners;
    qn_text text = {0};
    QN_TRY(qn_text_append(&text, "%s%s", name, ending));
    qn_status status = qn_stack_names_find(inputs->names, text.data, text.length, &index);
    qn_text_clear(&text);
    QN_TRY(status);
    *owner = index < inputs->owner_count ? inputs->owners[index] : inputs->count;
    if (index < inputs->owner_count) return QN_OK;
    status = qn_grow(&memory, &inputs->owner_capacity, inputs->owner_count + 1, sizeof *inputs->owners);
    inputs->owners = memory;
    if (status == QN_OK) inputs->owners[inputs->owner_count++] = inputs->count;
    return status;
}

static qn_status describe_rival(const qn_movie_input *movie, const qn_movie_input *rival, const char *ending,
                                qn_text *refusal)
{
    if (strcmp(rival->path, movie->path) == 0) return qn_text_append(refusal, "%s: is named twice", movie->path);
    if (strcmp(rival->name, movie->name) == 0)
        return qn_text_append(refusal, "%s: its files would be named %s, as those of %s; expected different names",
                              movie->path, movie->name, rival->path);
    return qn_text_append(refusal, "%s: a file of it would be named %s%s.mrc, as one of %s; expected different names",
                          movie->path, movie->name, ending, rival->path);
}

/* Refuse the movie if a file of it would have the name of another one. */
static qn_status check_name(qn_movie_inputs *inputs, qn_movie_input *movie)
{
    qn_text refusal = {0};
    if (is_of_run(movie->name))
        QN_TRY(qn_text_append(&refusal, "%s: its files would be named %s, as one of the run; expected another name",
                              movie->path, movie->name));
    for (size_t i = 0; i < sizeof endings / sizeof *endings && !refusal.data; i++) {
        size_t owner;
        QN_TRY(find_owner(inputs, movie->name, endings[i], &owner));
        if (owner < inputs->count) QN_TRY(describe_rival(movie, inputs->movies[owner], endings[i], &refusal));
    }
    movie->refusal = refusal.data;
    return QN_OK;
}

/* Give the names of an earlier entry of the file to the next entry. */
static qn_status replace(qn_movie_inputs *inputs, const char *path, const char *name)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t owner;
        QN_TRY(find_owner(inputs, name, endings[i], &owner));
        if (owner == inputs->count || strcmp(inputs->movies[owner]->path, path) != 0) continue;
        inputs->movies[owner]->is_old = true;
        for (size_t k = 0; k < inputs->owner_count; k++)
            if (inputs->owners[k] == owner) inputs->owners[k] = inputs->count;
    }
    return QN_OK;
}

static qn_status add(qn_movie_inputs *inputs, const char *path, const char *named, size_t optics, bool again)
{
    void *memory = inputs->movies;
    if (!inputs->names) QN_TRY(qn_stack_names_create("", &inputs->names));
    qn_status status = qn_grow(&memory, &inputs->capacity, inputs->count + 1, sizeof *inputs->movies);
    inputs->movies = memory;
    QN_TRY(status);
    QN_TRY(qn_allocate(1, sizeof **inputs->movies, &memory));
    qn_movie_input *movie = memory;
    movie->optics = optics;
    status = qn_text_copy(path, &movie->path);
    if (status == QN_OK) status = qn_movie_output_name(named, &movie->name);
    if (status == QN_OK && again) status = replace(inputs, path, movie->name);
    if (status == QN_OK) status = check_name(inputs, movie);
    inputs->movies[inputs->count++] = movie; /* cleared with the others after a failure */
    return status;
}

qn_status qn_movie_inputs_add(qn_movie_inputs *inputs, const char *path, const char *named)
{
    return add(inputs, path, named, 0, false);
}

qn_status qn_movie_inputs_add_again(qn_movie_inputs *inputs, const char *path, const char *named)
{
    return add(inputs, path, named, 0, true);
}

void qn_movie_inputs_clear(qn_movie_inputs *inputs)
{
    qn_movie_optics *optics = &inputs->optics;
    for (size_t i = 0; i < inputs->count; i++) {
        qn_release(&inputs->movies[i]->path);
        qn_release(&inputs->movies[i]->name);
        qn_release(&inputs->movies[i]->refusal);
        qn_release(&inputs->movies[i]);
    }
    for (size_t i = 0; i < optics->column_count; i++) qn_release(&optics->columns[i]);
    for (size_t i = 0; i < optics->count * optics->column_count; i++) qn_release(&optics->values[i]);
    qn_release(&optics->columns);
    qn_release(&optics->values);
    qn_release(&inputs->movies);
    qn_release(&inputs->owners);
    qn_stack_names_destroy(&inputs->names);
    *inputs = (qn_movie_inputs){.count = 0};
}

/* ---- optics ---- */

const char *qn_movie_optics_value(const qn_movie_optics *optics, size_t row, const char *column)
{
    for (size_t i = 0; row < optics->count && i < optics->column_count; i++)
        if (strcmp(optics->columns[i], column) == 0) return optics->values[row * optics->column_count + i];
    return NULL;
}

qn_status qn_movie_optics_number(const qn_movie_optics *optics, size_t row, const char *column, double *number)
{
    const char *text = qn_movie_optics_value(optics, row, column);
    *number = 0;
    if (!text || (qn_number_parse(text, strlen(text), number) && *number > 0)) return QN_OK;
    return QN_FAIL(QN_BAD_FORMAT, "row %zu of the optics: _%s is \"%s\"; expected a number above 0", row + 1, column,
                   text);
}

qn_status qn_movie_optics_get(const qn_movie_optics *optics, size_t row, double *pixel_angstrom, double *voltage_kv)
{
    double detector_um, magnification;
    QN_TRY(qn_movie_optics_number(optics, row, "rlnMicrographOriginalPixelSize", pixel_angstrom));
    QN_TRY(qn_movie_optics_number(optics, row, "rlnVoltage", voltage_kv));
    QN_TRY(qn_movie_optics_number(optics, row, "rlnDetectorPixelSize", &detector_um));
    QN_TRY(qn_movie_optics_number(optics, row, "rlnMagnification", &magnification));
    if (*pixel_angstrom == 0 && magnification > 0) *pixel_angstrom = 1e4 * detector_um / magnification; /* µm to Å */
    return QN_OK;
}

static qn_status copy_text(const char *text, size_t length, char **copy)
{
    qn_text made = {0};
    QN_TRY(qn_text_append(&made, "%.*s", (int)length, text));
    *copy = made.data;
    return QN_OK;
}

static qn_status add_column(qn_movie_optics *optics, const char *name)
{
    void *memory = optics->columns;
    qn_status status = qn_grow(&memory, &optics->column_capacity, optics->column_count + 1, sizeof *optics->columns);
    optics->columns = memory;
    QN_TRY(status);
    QN_TRY(qn_text_copy(name, &optics->columns[optics->column_count]));
    optics->column_count++;
    return QN_OK;
}

/* Add a row with the values of the columns `places` of the STAR table. */
static qn_status add_row(qn_movie_optics *optics, const qn_star_value *values, const size_t *places)
{
    void *memory = optics->values;
    const size_t used = optics->count * optics->column_count;
    qn_status status = qn_grow(&memory, &optics->value_capacity, used + optics->column_count, sizeof *optics->values);
    optics->values = memory;
    for (size_t i = 0; i < optics->column_count && status == QN_OK; i++) {
        const qn_star_value value = values[places[i]];
        status = copy_text(value.text, value.length, &optics->values[used + i]);
        for (size_t k = i; k-- > 0 && status != QN_OK;) qn_release(&optics->values[used + k]);
    }
    if (status == QN_OK) optics->count++;
    return status;
}

static qn_status read_optics(qn_star_reader *star, const qn_star_table *table, qn_movie_optics *optics)
{
    size_t places[QN_STAR_COLUMNS_MAX];
    const qn_star_value *values;
    if (optics->count > 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: line %llu begins a second table data_optics", qn_star_name(star),
                       (unsigned long long)table->line);
    if (qn_star_column(table, "rlnOpticsGroup") < 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: table data_optics at line %llu has no column _rlnOpticsGroup",
                       qn_star_name(star), (unsigned long long)table->line);
    for (size_t i = 0; i < table->column_count; i++) {
        places[i] = i;
        QN_TRY(add_column(optics, table->columns[i]));
    }
    for (;;) {
        QN_TRY(qn_star_next_row(star, &values));
        if (!values) return QN_OK;
        QN_TRY(add_row(optics, values, places));
    }
}

/* ---- the table of movies ---- */

/* Columns of optics that stand in the table of movies itself, as RELION 3.0 writes them. */
static const char *const own_optics[] = {
    "rlnMicrographOriginalPixelSize", "rlnDetectorPixelSize", "rlnMagnification", "rlnVoltage",
    "rlnSphericalAberration",         "rlnAmplitudeContrast"};

/* The columns of the table of movies. */
typedef struct movie_columns {
    size_t name;
    int group; /* -1: none */
    size_t own[sizeof own_optics / sizeof *own_optics];
    bool has_own; /* optics stand in the rows */
} movie_columns;

static qn_status find_columns(const qn_star_reader *star, const qn_star_table *table, qn_movie_inputs *inputs,
                              movie_columns *columns)
{
    const int name = qn_star_column(table, "rlnMicrographMovieName");
    size_t count = 0;
    columns->name = (size_t)name;
    columns->group = qn_star_column(table, "rlnOpticsGroup");
    columns->has_own = columns->group < 0;
    for (size_t i = 0; i < sizeof own_optics / sizeof *own_optics && columns->has_own; i++) {
        const int place = qn_star_column(table, own_optics[i]);
        if (place < 0) continue;
        if (inputs->optics.column_count <= count) QN_TRY(add_column(&inputs->optics, own_optics[i]));
        columns->own[count++] = (size_t)place;
    }
    if (columns->group >= 0 && inputs->optics.count == 0)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: table data_%s at line %llu has optics groups, but no table data_optics comes before it",
                       qn_star_name(star), table->block, (unsigned long long)table->line);
    return QN_OK;
}

/* The row of the optics that a movie names. */
static qn_status find_optics(const qn_star_reader *star, const qn_star_value group, const qn_movie_optics *optics,
                             size_t *row)
{
    for (*row = 0; *row < optics->count; ++*row) {
        const char *number = qn_movie_optics_value(optics, *row, "rlnOpticsGroup");
        if (strlen(number) == group.length && memcmp(number, group.text, group.length) == 0) return QN_OK;
    }
    return QN_FAIL(QN_BAD_FORMAT, "%s: line %llu: _rlnOpticsGroup is \"%s\"; expected a group of table data_optics",
                   qn_star_name(star), (unsigned long long)qn_star_line(star), qn_quote(group.text, group.length).text);
}

static bool same_optics(const qn_movie_optics *optics, size_t row, const qn_star_value *values, const size_t *places)
{
    for (size_t i = 0; i < optics->column_count; i++) {
        const char *text = optics->values[row * optics->column_count + i];
        const qn_star_value value = values[places[i]];
        if (strlen(text) != value.length || memcmp(text, value.text, value.length) != 0) return false;
    }
    return true;
}

/* The row of the optics with the values of this row, which is added if there is none. */
static qn_status keep_own_optics(qn_movie_optics *optics, const qn_star_value *values, const size_t *places,
                                 size_t *row)
{
    for (*row = 0; *row < optics->count; ++*row)
        if (same_optics(optics, *row, values, places)) return QN_OK;
    return optics->column_count > 0 ? add_row(optics, values, places) : QN_OK;
}

/* Movies with the names of the STAR file; `found` gets each name, to search for its path. */
static qn_status read_movies(qn_star_reader *star, const qn_star_table *table, qn_movie_inputs *inputs,
                             qn_stack_names *found)
{
    movie_columns columns;
    const qn_star_value *values;
    QN_TRY(find_columns(star, table, inputs, &columns));
    for (;;) {
        size_t optics = 0;
        uint32_t index;
        char *name;
        QN_TRY(qn_star_next_row(star, &values));
        if (!values) return QN_OK;
        if (columns.group >= 0) QN_TRY(find_optics(star, values[columns.group], &inputs->optics, &optics));
        if (columns.has_own) QN_TRY(keep_own_optics(&inputs->optics, values, columns.own, &optics));
        const qn_star_value value = values[columns.name];
        if (value.length == 0 || memchr(value.text, '\0', value.length))
            return QN_FAIL(QN_BAD_FORMAT,
                           "%s: line %llu: _rlnMicrographMovieName is \"%s\"; expected the name of a "
                           "movie",
                           qn_star_name(star), (unsigned long long)qn_star_line(star),
                           qn_quote(value.text, value.length).text);
        QN_TRY(copy_text(value.text, value.length, &name));
        qn_status status = qn_stack_names_find(found, name, strlen(name), &index);
        if (status == QN_OK) status = add(inputs, name, name, optics, false);
        qn_release(&name);
        QN_TRY(status);
    }
}

/* Replace the names of the STAR file by paths from the working folder. */
static qn_status find_paths(qn_movie_inputs *inputs, qn_stack_names *found)
{
    char **paths;
    size_t count;
    qn_status status = QN_OK;
    void *memory;
    QN_TRY(qn_allocate(inputs->count, sizeof(uint32_t), &memory));
    uint32_t *places = memory;
    for (size_t i = 0; i < inputs->count && status == QN_OK; i++)
        status = qn_stack_names_find(found, inputs->movies[i]->path, strlen(inputs->movies[i]->path), &places[i]);
    if (status == QN_OK) status = qn_stack_names_take(found, &paths, &count);
    if (status != QN_OK) {
        qn_release(&memory);
        return status;
    }
    for (size_t i = 0; i < inputs->count && status == QN_OK; i++) {
        char *path = NULL;
        status = qn_text_copy(paths[places[i]], &path);
        if (status != QN_OK) break;
        qn_release(&inputs->movies[i]->path);
        inputs->movies[i]->path = path;
    }
    for (size_t i = 0; i < count; i++) qn_release(&paths[i]);
    qn_release(&paths);
    qn_release(&memory);
    return status;
}

static qn_status read_tables(qn_star_reader *star, qn_movie_inputs *inputs, qn_stack_names *found)
{
    const qn_star_table *table;
    bool has_micrographs = false;
    for (;;) {
        QN_TRY(qn_star_next_table(star, &table));
        if (!table) break;
        has_micrographs = has_micrographs || qn_star_column(table, "rlnMicrographName") >= 0;
        if (strcmp(table->block, "optics") == 0)
            QN_TRY(read_optics(star, table, &inputs->optics));
        else if (qn_star_column(table, "rlnMicrographMovieName") >= 0)
            QN_TRY(read_movies(star, table, inputs, found));
    }
    if (inputs->count > 0) return QN_OK;
    return QN_FAIL(QN_BAD_FORMAT, "%s: no movies%s; expected a table with a column _rlnMicrographMovieName",
                   qn_star_name(star), has_micrographs ? ", but micrographs" : "");
}

static qn_status read_star(const char *path, qn_movie_inputs *inputs)
{
    qn_star_reader *star = NULL;
    qn_stack_names *found = NULL;
    inputs->of_star = true;
    qn_status status = qn_star_open(path, &star);
    if (status == QN_OK) status = qn_stack_names_create(path, &found);
    if (status == QN_OK) status = read_tables(star, inputs, found);
    if (status == QN_OK) status = find_paths(inputs, found);
    qn_stack_names_destroy(&found);
    qn_star_close(&star);
    return status;
}

qn_status qn_movie_inputs_read(const char *const *paths, size_t count, qn_movie_inputs *inputs)
{
    *inputs = (qn_movie_inputs){.count = 0};
    if (count == 1 && qn_text_ends_in(paths[0], ".star")) return read_star(paths[0], inputs);
    for (size_t i = 0; i < count; i++) {
        if (qn_text_ends_in(paths[i], ".star"))
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: a STAR file beside other movies; expected one STAR file alone",
                           paths[i]);
        QN_TRY(qn_movie_inputs_add(inputs, paths[i], qn_path_name(paths[i])));
    }
    return QN_OK;
}
