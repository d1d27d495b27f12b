#include "format/tunnel/tunnel_file.h"

#include "base/error.h"
#include "base/file.h"
#include "base/gzip.h"
#include "base/memory.h"
#include "format/tunnel/tunnel_formats.h"

/* The first line with a word: the records of a PDB begin with a letter, a disc with a number. */
static qn_status read_text(const char *path, const char *data, size_t size, qn_tunnel_file *file)
{
    qn_record_lines lines = {.path = path, .step = 1, .next = data, .end = data + size};
    double number;
    qn_word word = {0};
    while (word.length == 0 && qn_record_lines_next(&lines)) {
        size_t at = 0;
        word = qn_record_word(&lines, &at);
    }
    if (word.length == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %s; expected the spheres or discs of a tunnel", path,
                       size == 0 ? "is empty" : "holds nothing but blank lines");
    const qn_record_lines all = {.path = path, .step = 1, .next = data, .end = data + size};
    if (qn_number_parse(word.text, word.length, &number)) return qn_tunnel_discs_read(all, file);
    if (qn_caver_recognise(all)) return qn_caver_read(all, file);
    return QN_FAIL(
        QN_BAD_FORMAT,
        "%s:%zu: \"%s\" begins no tunnel; expected ATOM records (CAVER's PDB) or discs of seven numbers (.dsd)", path,
        lines.number, qn_quote(word.text, word.length).text);
}

/* Files of tunnels have a line for every 0.1 to 1 Å. */
static const size_t most_plain_bytes = (size_t)1 << 28;

qn_status qn_tunnel_file_read(const char *path, qn_tunnel_file *file)
{
    char *data = NULL, *plain = NULL;
    size_t size;
    *file = (qn_tunnel_file){0};
    QN_TRY(qn_file_read(path, &data, &size));
    qn_status status = QN_OK;
    if (qn_is_gzip(data, size)) {
        status = qn_gzip_unpack(path, data, size, most_plain_bytes, &plain, &size);
        qn_release(&data);
        data = plain;
    }
    if (status == QN_OK) status = read_text(path, data, size, file);
    qn_release(&data);
    if (status != QN_OK) qn_tunnel_file_release(file);
    return status;
}

void qn_tunnel_file_release(qn_tunnel_file *file)
{
    qn_release(&file->spheres);
    qn_release(&file->discs);
    file->sphere_count = file->disc_count = 0;
}

qn_status qn_tunnel_radius(const qn_record_lines *lines, qn_word word, double *radius)
{
    if (!qn_number_parse(word.text, word.length, radius) || *radius <= 0 || *radius > QN_TUNNEL_RADIUS_MOST)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: radius \"%s\"; expected a number above 0 and up to %d Å", lines->path,
                       lines->number, qn_quote(word.text, word.length).text, QN_TUNNEL_RADIUS_MOST);
    return QN_OK;
}
