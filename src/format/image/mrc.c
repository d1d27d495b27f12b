/* Volumes in MRC and CCP4 files. */
#include <quern/volume.h>

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/byte_source.h"
#include "format/image/mrc_write.h"

/* Check the size before memory is allocated: a plain file must hold all values of its header, and a gzipped byte
 * unpacks to at most 1032 bytes (the check allows 1040). A pipe cannot be checked. */
static qn_status check_size(const char *name, const qn_byte_source *source, const qn_mrc_header *header,
                            uint64_t file_bytes)
{
    const uint64_t most_unpacked = 1040, expected = header->data_offset + qn_mrc_data_bytes(header);
    uint64_t done, stored;
    if (file_bytes > 0) return qn_mrc_check_size(name, header, file_bytes);
    qn_byte_source_progress(source, &done, &stored);
    if (stored > 0 && expected / most_unpacked > stored)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has %llu gzipped bytes, which cannot unpack to the %llu of its header", name,
                       (unsigned long long)stored, (unsigned long long)expected);
    return QN_OK;
}

static qn_status read_header(qn_byte_source *source, const char *name, qn_mrc_header *header)
{
    unsigned char bytes[QN_MRC_HEADER_BYTES];
    uint64_t file_bytes;
    size_t got;
    const bool is_plain = qn_byte_source_remaining(source, &file_bytes);
    QN_TRY(qn_byte_source_copy(source, bytes, sizeof bytes, &got));
    if (got < sizeof bytes)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has %zu bytes; expected an MRC header of %d", name, got,
                       QN_MRC_HEADER_BYTES);
    QN_TRY(qn_mrc_header_parse(name, bytes, header));
    if (header->volumes > 1)
        return QN_FAIL(QN_UNSUPPORTED, "%s: holds %d volumes; expected one", name, header->volumes);
    return check_size(name, source, header, is_plain ? file_bytes : 0);
}

static qn_status describe(const qn_mrc_header *header, const char *name, qn_volume **volume)
{
    int counts[3];
    for (int k = 0; k < 3; k++) counts[header->axes[k]] = header->counts[k];
    QN_TRY(qn_volume_create(counts, 1, volume));
    qn_volume *v = *volume;
    v->voxel_assumed = !(header->voxel_angstrom[0] > 0);
    for (int k = 0; k < 3; k++) {
        v->start[header->axes[k]] = header->start[k];
        if (header->voxel_angstrom[k] > 0) v->voxel_angstrom[k] = header->voxel_angstrom[k];
        v->origin_angstrom[k] = header->origin_angstrom[k];
    }
    return qn_text_copy(name, &v->name);
}

typedef struct row_buffer {
    unsigned char *bytes;
    float *values;
} row_buffer;

/* Read the rows and put each where the header's axes place it. */
static qn_status read_rows(qn_byte_source *source, const qn_mrc_header *header, const row_buffer *row,
                           qn_volume *volume)
{
    const size_t columns = (size_t)header->counts[0];
    size_t stride[3];
    const size_t of_axis[3] = {1, (size_t)volume->counts[0], (size_t)volume->counts[0] * (size_t)volume->counts[1]};
    for (int k = 0; k < 3; k++) stride[k] = of_axis[header->axes[k]];
    for (size_t section = 0; section < (size_t)header->counts[2]; section++) {
        for (size_t r = 0; r < (size_t)header->counts[1]; r++) {
            size_t got;
            QN_TRY(qn_byte_source_copy(source, row->bytes, header->row_bytes, &got));
            if (got < header->row_bytes)
                return QN_FAIL(QN_BAD_FORMAT, "%s: ends inside row %zu of section %zu; expected %d rows of %d sections",
                               volume->name, r + 1, section + 1, header->counts[1], header->counts[2]);
            qn_mrc_decode(header, row->bytes, 1, row->values);
            float *values = volume->values + section * stride[2] + r * stride[1];
            for (size_t i = 0; i < columns; i++) values[i * stride[0]] = row->values[i];
        }
    }
    return QN_OK;
}

static qn_status read_values(qn_byte_source *source, const qn_mrc_header *header, qn_volume *volume)
{
    row_buffer row = {0};
    uint64_t passed, extended = header->data_offset - QN_MRC_HEADER_BYTES;
    void *memory;
    QN_TRY(qn_byte_source_advance(source, extended, &passed));
    if (passed < extended)
        return QN_FAIL(QN_BAD_FORMAT, "%s: ends inside its extended header of %llu bytes", volume->name,
                       (unsigned long long)extended);
    qn_status status = qn_allocate(header->row_bytes, 1, &memory);
    row.bytes = memory;
    if (status == QN_OK) status = qn_allocate((size_t)header->counts[0], sizeof *row.values, &memory);
    if (status == QN_OK) {
        row.values = memory;
        status = read_rows(source, header, &row, volume);
    }
    qn_release(&row.bytes);
    qn_release(&row.values);
    return status;
}

qn_status qn_volume_read(const char *path, qn_volume **volume)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    qn_byte_source *source;
    qn_mrc_header header;
    *volume = NULL;
    QN_TRY(qn_byte_source_open(path, &source));
    qn_status status = read_header(source, name, &header);
    if (status == QN_OK) status = describe(&header, name, volume);
    if (status == QN_OK) status = read_values(source, &header, *volume);
    if (status != QN_OK) qn_volume_destroy(volume);
    qn_byte_source_close(&source);
    return status;
}

qn_status qn_volume_write(const qn_volume *volume, const char *label, const char *path)
{
    qn_mrc_writer *writer;
    qn_mrc_description description = {.label = label};
    const size_t section = (size_t)volume->counts[0] * (size_t)volume->counts[1];
    for (int k = 0; k < 3; k++) {
        description.counts[k] = volume->counts[k];
        description.start[k] = volume->start[k];
        description.voxel_angstrom[k] = volume->voxel_angstrom[k];
        description.origin_angstrom[k] = volume->origin_angstrom[k];
    }
    QN_TRY(qn_mrc_writer_create(path, false, &writer));
    qn_status status = QN_OK;
    for (size_t z = 0; z < (size_t)volume->counts[2] && status == QN_OK; z++)
        status = qn_mrc_writer_append(writer, volume->values + z * section, section);
    if (status == QN_OK) return qn_mrc_writer_finish(&writer, &description);
    qn_mrc_writer_discard(&writer);
    return status;
}
