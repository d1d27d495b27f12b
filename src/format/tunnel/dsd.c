/* CaverDock's discs (.dsd): a line for each, of seven numbers: centre, normal, radius. */
#include <math.h>
#include <quern/file.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/tunnel/tunnel_formats.h"

static const double normal_tolerance = 0.01; /* of its length: a normal written with two digits passes */

static qn_status read_normal(const qn_record_lines *lines, size_t *at, double normal[3])
{
    double squares = 0;
    for (int axis = 0; axis < 3; axis++) {
        const qn_word word = qn_record_word(lines, at);
        if (!qn_number_parse(word.text, word.length, &normal[axis]))
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %c component \"%s\" of the normal is not a number", lines->path,
                           lines->number, 'x' + axis, qn_quote(word.text, word.length).text);
        squares += normal[axis] * normal[axis];
    }
    const double length = sqrt(squares);
    if (!(fabs(length - 1) <= normal_tolerance))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the normal (words 4 to 6) has length %.4g; expected 1", lines->path,
                       lines->number, length);
    for (int axis = 0; axis < 3; axis++) normal[axis] /= length;
    return QN_OK;
}

static qn_status read_disc(const qn_record_lines *lines, qn_tunnel_disc *disc)
{
    size_t at = 0, count = 0;
    while (qn_record_word(lines, &at).length > 0) count++;
    if (count != 7)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: holds %s; expected seven (centre, normal, radius)", lines->path,
                       lines->number, qn_count_of(count, "word").text);
    at = 0;
    for (int axis = 0; axis < 3; axis++)
        QN_TRY(qn_record_coordinate(lines, axis, qn_record_word(lines, &at), &disc->centre[axis]));
    QN_TRY(read_normal(lines, &at, disc->normal));
    return qn_tunnel_radius(lines, qn_record_word(lines, &at), &disc->radius);
}

qn_status qn_tunnel_discs_read(qn_record_lines lines, qn_tunnel_file *file)
{
    size_t capacity = 0;
    while (qn_record_lines_next(&lines)) {
        if (qn_word_is_blank((qn_word){lines.text, lines.length})) continue;
        if (file->disc_count == QN_TUNNEL_MOST)
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: holds more than %d discs", lines.path, lines.number, QN_TUNNEL_MOST);
        void *memory = file->discs;
        const qn_status status = qn_grow(&memory, &capacity, (size_t)file->disc_count + 1, sizeof(qn_tunnel_disc));
        file->discs = memory;
        QN_TRY(status);
        QN_TRY(read_disc(&lines, &file->discs[file->disc_count]));
        file->disc_count++;
    }
    return QN_OK;
}

static qn_status append_discs(const char *path, const qn_tunnel_disc *discs, int count, qn_text *text)
{
    for (int i = 0; i < count; i++) {
        const double *c = discs[i].centre, *n = discs[i].normal;
        const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        bool valid = fabs(length - 1) < 1e-6 && discs[i].radius > 0 && discs[i].radius <= QN_TUNNEL_RADIUS_MOST;
        for (int axis = 0; axis < 3; axis++) valid &= fabs(c[axis]) <= 1e5;
        if (!valid)
            return QN_FAIL(
                QN_INVALID_ARGUMENT,
                "%s: disc %d has radius %g Å, a normal of length %g and the centre %g,%g,%g; expected a radius "
                "up to %d Å, length 1 and a centre within 1e5 Å",
                path, i + 1, discs[i].radius, length, c[0], c[1], c[2], QN_TUNNEL_RADIUS_MOST);
        QN_TRY(qn_text_append(text, "%.15g %.15g %.15g %.15g %.15g %.15g %.15g\n", c[0], c[1], c[2], n[0], n[1], n[2],
                              discs[i].radius));
    }
    return QN_OK;
}

qn_status qn_tunnel_discs_write(const char *path, const qn_tunnel_disc *discs, int count)
{
    qn_text text = {0};
    if (count < 1 || count > QN_TUNNEL_MOST)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %d discs; expected 1 to %d", path, count, QN_TUNNEL_MOST);
    qn_status status = append_discs(path, discs, count, &text);
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_text_clear(&text);
    return status;
}
