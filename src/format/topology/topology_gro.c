/* GROMACS' GRO as a topology: the first frame's names and positions. Columns as in the format's description
 * (manual.gromacs.org, "gro file format"): residue number 5, residue name 5, atom name 5, atom number 5, then three
 * positions in nm, whose width is the distance between their decimal points. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "format/topology/topology_format.h"

enum { NAME_COLUMNS = 20 };

/* The width of a position: the distance from one decimal point to the next; 0 where the line has no positions. */
static size_t position_width(const qn_record_lines *lines)
{
    if (lines->length <= NAME_COLUMNS) return 0;
    const char *begin = lines->text + NAME_COLUMNS, *end = lines->text + lines->length;
    const char *first = memchr(begin, '.', (size_t)(end - begin));
    const char *second = first ? memchr(first + 1, '.', (size_t)(end - first - 1)) : NULL;
    return second ? (size_t)(second - first) : 0;
}

static bool parse_position(const qn_record_lines *lines, size_t width, double position_nm[3])
{
    const double largest_nm = 1e6;
    for (size_t axis = 0; axis < 3; axis++) {
        qn_word word = qn_record_columns(lines, NAME_COLUMNS + axis * width + 1, NAME_COLUMNS + (axis + 1) * width);
        if (!qn_number_parse(word.text, word.length, &position_nm[axis])) return false;
        if (!(fabs(position_nm[axis]) <= largest_nm)) return false;
    }
    return true;
}

static bool parse_count(const qn_record_lines *lines, int *count)
{
    return qn_number_parse_whole(lines->text, lines->length, count) && *count > 0;
}

/* Whether the second line is a number of atoms and the third line an atom. */
static bool recognise(const char *data, size_t size)
{
    qn_record_lines lines = qn_topology_lines("", data, size);
    int count, number;
    double position_nm[3];
    if (!qn_record_lines_next(&lines) || !qn_record_lines_next(&lines) || !parse_count(&lines, &count)) return false;
    if (!qn_record_lines_next(&lines)) return true; /* cut off: the reader reports it */
    size_t width = position_width(&lines);
    qn_word residue = qn_record_columns(&lines, 1, 5);
    return width > 0 && qn_number_parse_whole(residue.text, residue.length, &number) &&
           parse_position(&lines, width, position_nm);
}

static qn_status read_atom(const qn_record_lines *lines, size_t width, qn_topology *topology)
{
    qn_topology_residue residue = {0};
    qn_topology_atom atom = {0};
    double position_nm[3];
    qn_word number = qn_record_columns(lines, 1, 5), name = qn_record_columns(lines, 6, 10),
            atom_name = qn_record_columns(lines, 11, 15);
    if (!qn_number_parse_whole(number.text, number.length, &residue.number))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: residue number \"%s\" is not a whole number (columns 1-5)", lines->path,
                       lines->number, qn_quote(number.text, number.length).text);
    if (width == 0 || !parse_position(lines, width, position_nm))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\" is not an atom; expected three positions in nm from column 21 on",
                       lines->path, lines->number, qn_quote(lines->text, lines->length).text);
    qn_topology_set_name(residue.name, sizeof residue.name, name.text, name.length);
    qn_topology_set_name(atom.name, sizeof atom.name, atom_name.text, atom_name.length);
    const qn_topology_residue *last = topology->residue_count ? &topology->residues[topology->residue_count - 1] : NULL;
    if (!last || last->number != residue.number || strcmp(last->name, residue.name) != 0)
        QN_TRY(qn_topology_append_residue(topology, &residue));
    QN_TRY(qn_topology_append_atom(topology, &atom));
    return qn_topology_append_position(topology, position_nm);
}

/* Read the box: v1x v2y v3z and, for a triclinic box, v1y v1z v2x v2z v3x v3y. */
static qn_status read_box(qn_record_lines *lines, double box_nm[9])
{
    static const int places[9] = {0, 4, 8, 1, 2, 3, 5, 6, 7};
    size_t at = 0, count = 0;
    if (!qn_record_lines_next(lines))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the file ends before the line of the box", lines->path, lines->number);
    for (; count < 9; count++) {
        qn_word word = qn_record_word(lines, &at);
        if (word.length == 0) break;
        if (!qn_number_parse(word.text, word.length, &box_nm[places[count]]))
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\" of the box is not a number", lines->path, lines->number,
                           qn_quote(word.text, word.length).text);
    }
    if (count != 3 && count != 9)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the box has %zu numbers; expected 3 or 9", lines->path, lines->number,
                       count);
    return QN_OK;
}

static qn_status read(const char *path, const char *data, size_t size, qn_topology *topology)
{
    qn_record_lines lines = qn_topology_lines(path, data, size);
    int count = 0;
    size_t width = 0;
    qn_record_lines_next(&lines);
    qn_record_lines_next(&lines);
    if (!parse_count(&lines, &count))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\" is not a number of atoms", path, lines.number,
                       qn_quote(lines.text, lines.length).text);
    for (int i = 0; i < count; i++) {
        if (!qn_record_lines_next(&lines))
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the file ends after %d of %d atoms", path, lines.number, i, count);
        if (i == 0) width = position_width(&lines);
        QN_TRY(read_atom(&lines, width, topology));
    }
    return read_box(&lines, topology->box_nm);
}

const qn_topology_format qn_topology_gro = {"GRO", recognise, read, QN_MOLECULES_OF_BONDS};
