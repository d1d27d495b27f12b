/* CAVER's PDB of a tunnel: a sphere is an ATOM or HETATM record, "H FIL T", whose residue number is that of the tunnel.
 *
 *     ATOM      1  H   FIL T   1      20.122  33.892   2.164        1.32
 *     CONECT    1    2
 *
 * Its words are ATOM, serial number, name, residue, chain, residue number, x, y, z, radius. Words that run into each
 * other, as large numbers do, are read by their columns: x 31-38, y 39-46, z 47-54, radius 55-66. */
#include <math.h>
#include <quern/file.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/tunnel/tunnel_formats.h"

enum { TUNNEL = 5, FIRST = 6, RADIUS = 9, WORDS = 11 };

/* CAVER rounds to 0.001 Å and radii to 0.01 Å. Its radii err by up to 0.09 Å, so a sphere of a funnel may lie inside
 * its neighbour by that much. */
static const double rounding_angstrom = 0.02, depth_to_warn_angstrom = 0.1;

static bool is_sphere(const qn_record_lines *lines)
{
    return qn_line_begins(lines, "ATOM") || qn_line_begins(lines, "HETATM");
}

bool qn_caver_recognise(qn_record_lines lines)
{
    while (qn_record_lines_next(&lines))
        if (is_sphere(&lines)) return true;
    return false;
}

static bool is_number(qn_word word)
{
    double number;
    return word.length > 0 && qn_number_parse(word.text, word.length, &number);
}

/* Find x, y, z, radius and the tunnel's number, by words where words 6 to 10 are numbers, else by columns. */
static qn_status split(const qn_record_lines *lines, qn_word fields[4], qn_word *tunnel)
{
    qn_word words[WORDS];
    size_t at = 0;
    int whole;
    for (int i = 0; i < WORDS; i++) words[i] = qn_record_word(lines, &at);
    bool by_words = words[TUNNEL].length > 0 && qn_number_parse_whole(words[TUNNEL].text, words[TUNNEL].length, &whole);
    for (int i = FIRST; i <= RADIUS; i++) by_words &= is_number(words[i]);
    if (by_words && is_number(words[RADIUS + 1]))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: two numbers, \"%s\" and \"%s\", come after z; expected the radius alone",
                       lines->path, lines->number, qn_quote(words[RADIUS].text, words[RADIUS].length).text,
                       qn_quote(words[RADIUS + 1].text, words[RADIUS + 1].length).text);
    *tunnel = by_words ? words[TUNNEL] : qn_record_columns(lines, 23, 26);
    for (size_t i = 0; i < 3; i++)
        fields[i] = by_words ? words[FIRST + i] : qn_record_columns(lines, 31 + 8 * i, 38 + 8 * i);
    fields[3] = by_words ? words[RADIUS] : qn_record_columns(lines, 55, 66);
    return QN_OK;
}

static qn_status read_sphere(const qn_record_lines *lines, int *tunnel, qn_tunnel_sphere *sphere)
{
    qn_word fields[4] = {{0}}, number = {0};
    QN_TRY(split(lines, fields, &number));
    if (!qn_number_parse_whole(number.text, number.length, tunnel))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the tunnel's number \"%s\" (residue number) is not a whole number",
                       lines->path, lines->number, qn_quote(number.text, number.length).text);
    for (int axis = 0; axis < 3; axis++) QN_TRY(qn_record_coordinate(lines, axis, fields[axis], &sphere->place[axis]));
    return qn_tunnel_radius(lines, fields[3], &sphere->radius);
}

/* Neighbours must touch, or something between them is missing. */
static qn_status check_neighbours(const qn_record_lines *lines, const qn_tunnel_sphere *spheres, int count)
{
    if (count < 2) return QN_OK;
    const qn_tunnel_sphere *a = &spheres[count - 2], *b = &spheres[count - 1];
    double squares = 0;
    for (int axis = 0; axis < 3; axis++) squares += pow(a->place[axis] - b->place[axis], 2);
    const double distance = sqrt(squares), gap = distance - a->radius - b->radius;
    const double depth = fabs(a->radius - b->radius) - distance;
    const int inner = a->radius < b->radius ? count - 1 : count, outer = 2 * count - 1 - inner;
    if (gap > rounding_angstrom)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s:%zu: spheres %d (radius %g) and %d (radius %g) are apart: %.2f Å lie between them; expected "
                       "neighbours that overlap",
                       lines->path, lines->number, count - 1, a->radius, count, b->radius, gap);
    if (depth > depth_to_warn_angstrom)
        qn_log(QN_LOG_WARNING, "%s:%zu: sphere %d lies inside sphere %d (radii %g and %g Å), %.2f Å from its surface",
               lines->path, lines->number, inner, outer, fmin(a->radius, b->radius), fmax(a->radius, b->radius), depth);
    return QN_OK;
}

static qn_status add_sphere(const qn_record_lines *lines, size_t *capacity, qn_tunnel_file *file, int *tunnel)
{
    int number;
    if (file->sphere_count == QN_TUNNEL_MOST)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: holds more than %d spheres", lines->path, lines->number, QN_TUNNEL_MOST);
    void *memory = file->spheres;
    const qn_status status = qn_grow(&memory, capacity, (size_t)file->sphere_count + 1, sizeof(qn_tunnel_sphere));
    file->spheres = memory;
    QN_TRY(status);
    QN_TRY(read_sphere(lines, &number, &file->spheres[file->sphere_count]));
    if (file->sphere_count > 0 && number != *tunnel)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: tunnel %d begins after tunnel %d; expected one tunnel a file",
                       lines->path, lines->number, number, *tunnel);
    *tunnel = number;
    file->sphere_count++;
    return check_neighbours(lines, file->spheres, file->sphere_count);
}

qn_status qn_caver_read(qn_record_lines lines, qn_tunnel_file *file)
{
    size_t capacity = 0;
    int tunnel = 0;
    while (qn_record_lines_next(&lines)) {
        if (qn_line_begins(&lines, "MODEL") && file->sphere_count > 0)
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: a second model begins; expected one tunnel a file", lines.path,
                           lines.number);
        if (is_sphere(&lines)) QN_TRY(add_sphere(&lines, &capacity, file, &tunnel));
    }
    return QN_OK;
}

static qn_status append_spheres(const char *path, int tunnel, const qn_tunnel_sphere *spheres, int count, qn_text *text)
{
    for (int i = 0; i < count; i++) {
        const double *p = spheres[i].place, radius = spheres[i].radius;
        bool fits = radius >= 0.001 && radius < 99.9995;
        for (int axis = 0; axis < 3; axis++) fits &= p[axis] > -999.9995 && p[axis] < 9999.9995;
        if (!fits)
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "%s: sphere %d at %g,%g,%g with radius %g Å does not fit into a PDB; expected -999.999 to "
                           "9999.999 and radii of 0.001 to 99.999",
                           path, i + 1, p[0], p[1], p[2], radius);
        QN_TRY(qn_text_append(text, "ATOM  %5d  H   FIL T%4d    %8.3f%8.3f%8.3f      %6.3f\n", i + 1, tunnel, p[0],
                              p[1], p[2], radius));
        if (i > 0) QN_TRY(qn_text_append(text, "CONECT%5d%5d\n", i, i + 1));
    }
    return QN_OK;
}

qn_status qn_tunnel_spheres_write(const char *path, int tunnel, const qn_tunnel_sphere *spheres, int count)
{
    qn_text text = {0};
    if (count < 1 || count > 99999 || tunnel < 1 || tunnel > 9999)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s: tunnel %d with %d spheres does not fit into a PDB; expected numbers of 1 to 9999 and 1 to "
                       "99999 spheres",
                       path, tunnel, count);
    qn_status status = append_spheres(path, tunnel, spheres, count, &text);
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_text_clear(&text);
    return status;
}
