/* mmCIF files with several models as trajectories: every row of _atom_site is an atom, in file order, and consecutive
 * rows with the same model number are a frame; the cell is the box of all frames. The file is parsed as a whole.
 */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/structure/formats.h"
#include "format/structure/gemmi_bridge.h"
#include "format/trajectory/trajectory_text.h"

enum column { X, Y, Z, MODEL, COLUMNS };
static const char *const columns[COLUMNS] = {
    [X] = "Cartn_x", [Y] = "Cartn_y", [Z] = "Cartn_z", [MODEL] = "pdbx_PDB_model_num"};
static const double angstrom_nm = 0.1;

typedef struct mmcif_state {
    qn_cif_table *table;
    double box_nm[9];
    size_t row; /* the next row */
} mmcif_state;

static bool recognise(const char *path, const char *head, size_t size)
{
    (void)path;
    return qn_mmcif_recognise(head, size);
}

static qn_status read_all(const char *path, qn_byte_source *source, qn_text *text)
{
    const size_t most_bytes = (size_t)4 << 30;
    for (;;) {
        const char *data;
        size_t size;
        QN_TRY(qn_byte_source_peek(source, QN_TEXT_SHOWN_BYTES, &data, &size));
        if (size == 0) return QN_OK;
        if (text->length + size > most_bytes)
            return QN_FAIL(QN_UNSUPPORTED, "%s: has more than %zu GiB; expected at most that of an mmCIF file", path,
                           most_bytes >> 30);
        QN_TRY(qn_text_append_bytes(text, data, size));
        qn_byte_source_take(source, size);
    }
}

/* Read the cell, where all its numbers exist. */
static qn_status read_cell(const char *path, const qn_text *text, double box_nm[9])
{
    static const char *const names[] = {"length_a", "length_b", "length_c", "angle_alpha", "angle_beta", "angle_gamma"};
    qn_cif_table *table;
    qn_cif_value value;
    double numbers[6];
    bool whole = true;
    if (qn_cif_table_read(path, text->data, text->length, "_cell", names, 6, &table) != QN_OK) {
        qn_error_clear(); /* the text was parsed before, so the category is absent */
        return QN_OK;
    }
    for (size_t i = 0; i < 6; i++)
        whole = whole && qn_cif_table_rows(table) > 0 && qn_cif_table_get(table, 0, i, &value) &&
                qn_cif_number(value, &numbers[i]);
    qn_cif_table_destroy(&table);
    if (!whole) return QN_OK;
    const qn_status status = qn_text_cell(numbers, numbers + 3, box_nm);
    return status == QN_OK ? QN_OK : qn_error_add_context(status, "%s: the unit cell", path);
}

static int model_of(const qn_cif_table *table, size_t row)
{
    qn_cif_value value;
    double number;
    return qn_cif_table_get(table, row, MODEL, &value) && qn_cif_number(value, &number) && number > -1e9 && number < 1e9
               ? (int)number
               : 1;
}

/* The row after the model that begins at `row`. */
static size_t model_end(const qn_cif_table *table, size_t row)
{
    const size_t rows = qn_cif_table_rows(table);
    if (row == rows) return row;
    const int model = model_of(table, row);
    while (row < rows && model_of(table, row) == model) row++;
    return row;
}

static qn_status parse(qn_trajectory_stream *stream, mmcif_state *state, const qn_text *text)
{
    QN_TRY(qn_cif_table_read(stream->path, text->data, text->length, "_atom_site", columns, COLUMNS, &state->table));
    for (size_t column = X; column <= Z; column++)
        if (!qn_cif_table_has(state->table, column))
            return QN_FAIL(QN_BAD_FORMAT, "%s:%d: the atom loop lacks the column _atom_site.%s", stream->path,
                           qn_cif_table_line(state->table), columns[column]);
    if (stream->atom_count == 0) stream->atom_count = model_end(state->table, 0);
    return read_cell(stream->path, text, state->box_nm);
}

static qn_status mmcif_open(qn_trajectory_stream *stream)
{
    qn_text text = {0};
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(mmcif_state), &memory));
    stream->state = memory;
    qn_status status = read_all(stream->path, stream->source, &text);
    if (status == QN_OK) status = parse(stream, memory, &text);
    qn_text_clear(&text);
    return status;
}

static qn_status read_coordinate(const qn_trajectory_stream *stream, size_t row, size_t column, float *position_nm)
{
    const qn_cif_table *table = ((const mmcif_state *)stream->state)->table;
    const double largest_angstrom = 1e7;
    qn_cif_value value = {"?", 1};
    double angstrom;
    if (!qn_cif_table_get(table, row, column, &value) || !qn_cif_number(value, &angstrom) ||
        angstrom > largest_angstrom || angstrom < -largest_angstrom)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: frame %llu: row %zu of _atom_site (loop at line %d): %s is \"%s\"; expected a "
                       "number of at most %.0f Å",
                       stream->path, (unsigned long long)stream->next, row + 1, qn_cif_table_line(table),
                       columns[column], qn_quote(value.text, value.length).text, largest_angstrom);
    *position_nm = (float)(angstrom_nm * angstrom);
    return QN_OK;
}

/* The bytes of a frame are its positions, because the table must not be used by several threads. */
static qn_status mmcif_read(qn_trajectory_stream *stream, qn_frame_bytes *bytes, bool *end)
{
    mmcif_state *state = stream->state;
    const size_t first = state->row, last = model_end(state->table, first);
    *end = first == last;
    if (*end) return QN_OK;
    if (last - first != stream->atom_count)
        return QN_FAIL(QN_BAD_FORMAT, "%s: frame %llu (model %d) has %s; expected %zu", stream->path,
                       (unsigned long long)stream->next, model_of(state->table, first),
                       qn_count_of(last - first, "atom").text, stream->atom_count);
    bytes->offset = (uint64_t)qn_cif_table_line(state->table) + first;
    bytes->size = (last - first) * 3 * sizeof(float);
    QN_TRY(qn_frame_bytes_room(bytes, bytes->size));
    for (size_t i = 0; i < 3 * (last - first); i++) {
        float value = 0;
        QN_TRY(read_coordinate(stream, first + i / 3, X + i % 3, &value));
        memcpy(bytes->data + i * sizeof value, &value, sizeof value);
    }
    state->row = last;
    return QN_OK;
}

static qn_status mmcif_decode(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes,
                              qn_trajectory_frame *frame)
{
    const mmcif_state *state = stream->state;
    memcpy(frame->box_nm, state->box_nm, sizeof state->box_nm);
    memcpy(frame->positions_nm, bytes->data, bytes->size);
    return QN_OK;
}

static void mmcif_close(qn_trajectory_stream *stream)
{
    mmcif_state *state = stream->state;
    if (state) qn_cif_table_destroy(&state->table);
    qn_release(&stream->state);
}

const qn_trajectory_format qn_trajectory_mmcif = {.name = "mmCIF",
                                                  .recognise = recognise,
                                                  .open = mmcif_open,
                                                  .read = mmcif_read,
                                                  .decode = mmcif_decode,
                                                  .close = mmcif_close};
