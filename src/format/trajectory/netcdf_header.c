#include "format/trajectory/netcdf_header.h"

#include <string.h>

#include "base/error.h"

enum { TAG_DIMENSION = 10, TAG_VARIABLE = 11, TAG_ATTRIBUTE = 12, NAME_MAX = 256, ATTRIBUTES_MAX = 4096 };

/* Every size in a header is below this limit, so that sums and products of sizes do not overflow. */
static const uint64_t largest_bytes = (uint64_t)1 << 60;

typedef struct netcdf_scan {
    const char *path;
    qn_byte_source *source;
    qn_netcdf_header *header;
    int version; /* 1, 2, 5 */
    uint64_t at; /* bytes taken */
    int dimension_count;
    uint64_t dimensions[QN_NETCDF_DIMENSIONS_MAX]; /* lengths; 0: the record axis */
} netcdf_scan;

bool qn_netcdf_recognise(const char *head, size_t size)
{
    return size >= 4 && memcmp(head, "CDF", 3) == 0 && (head[3] == 1 || head[3] == 2 || head[3] == 5);
}

static qn_status take_bytes(netcdf_scan *scan, void *data, size_t size)
{
    size_t copied;
    QN_TRY(qn_byte_source_copy(scan->source, data, size, &copied));
    scan->at += copied;
    if (copied < size)
        return QN_FAIL(QN_BAD_FORMAT, "%s: the file ends at byte %llu, inside the NetCDF header", scan->path,
                       (unsigned long long)scan->at);
    return QN_OK;
}

static uint64_t big_endian(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) value = value << 8 | bytes[i];
    return value;
}

static qn_status take_number(netcdf_scan *scan, size_t size, uint64_t *value)
{
    unsigned char bytes[8];
    QN_TRY(take_bytes(scan, bytes, size));
    *value = big_endian(bytes, size);
    return QN_OK;
}

/* Take a length or a count: 64 bits in CDF-5. */
static qn_status take_size(netcdf_scan *scan, uint64_t most, const char *what, uint64_t *value)
{
    QN_TRY(take_number(scan, scan->version == 5 ? 8 : 4, value));
    if (*value > most)
        return QN_FAIL(*value < largest_bytes ? QN_UNSUPPORTED : QN_BAD_FORMAT,
                       "%s: byte %llu of the NetCDF header says %llu %s; expected at most %llu", scan->path,
                       (unsigned long long)scan->at, (unsigned long long)*value, what, (unsigned long long)most);
    return QN_OK;
}

static uint64_t padded(uint64_t size)
{
    return (size + 3) / 4 * 4;
}

static qn_status skip_bytes(netcdf_scan *scan, uint64_t size)
{
    uint64_t advanced;
    QN_TRY(qn_byte_source_advance(scan->source, size, &advanced));
    scan->at += advanced;
    if (advanced < size)
        return QN_FAIL(QN_BAD_FORMAT, "%s: the file ends at byte %llu, inside the NetCDF header", scan->path,
                       (unsigned long long)scan->at);
    return QN_OK;
}

/* Take a text of `length` bytes and its padding; text beyond the capacity is dropped. */
static qn_status take_text(netcdf_scan *scan, uint64_t length, char *text, size_t room)
{
    const size_t kept = length < room ? (size_t)length : room - 1;
    memset(text, 0, room);
    QN_TRY(take_bytes(scan, text, kept));
    return skip_bytes(scan, padded(length) - kept);
}

static qn_status take_name(netcdf_scan *scan, char *name, size_t room)
{
    uint64_t length;
    QN_TRY(take_size(scan, NAME_MAX, "characters of a name", &length));
    return take_text(scan, length, name, room);
}

/* Take the head of a list; *count is 0 for an absent list. */
static qn_status take_list(netcdf_scan *scan, uint64_t expected_tag, uint64_t most, const char *what, uint64_t *count)
{
    uint64_t tag;
    QN_TRY(take_number(scan, 4, &tag));
    QN_TRY(take_size(scan, most, what, count));
    if (tag != expected_tag && (tag != 0 || *count != 0))
        return QN_FAIL(QN_BAD_FORMAT, "%s: byte %llu of the NetCDF header holds tag %llu; expected %llu for %s",
                       scan->path, (unsigned long long)scan->at, (unsigned long long)tag,
                       (unsigned long long)expected_tag, what);
    return QN_OK;
}

static qn_status take_type(netcdf_scan *scan, int *type, uint64_t *bytes)
{
    static const unsigned char sizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
    uint64_t value;
    QN_TRY(take_number(scan, 4, &value));
    if (value < 1 || value >= sizeof sizes)
        return QN_FAIL(QN_BAD_FORMAT, "%s: byte %llu of the NetCDF header holds type %llu; expected 1 to 11",
                       scan->path, (unsigned long long)scan->at, (unsigned long long)value);
    *type = (int)value;
    *bytes = sizes[value];
    return QN_OK;
}

double qn_netcdf_number(const qn_netcdf_variable *variable, const char *data, size_t index)
{
    double value;
    if (variable->type == QN_NETCDF_DOUBLE) {
        const uint64_t bits = big_endian((const unsigned char *)data + 8 * index, 8);
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    float single;
    const uint32_t bits = (uint32_t)big_endian((const unsigned char *)data + 4 * index, 4);
    memcpy(&single, &bits, sizeof single);
    return (double)single;
}

/* Take the attributes of a variable, or of the file (`variable` NULL). */
static qn_status take_attributes(netcdf_scan *scan, qn_netcdf_variable *variable)
{
    uint64_t count, length, bytes;
    char name[64], number[8];
    QN_TRY(take_list(scan, TAG_ATTRIBUTE, ATTRIBUTES_MAX, "attributes", &count));
    for (uint64_t i = 0; i < count; i++) {
        qn_netcdf_variable value = {.type = 0};
        QN_TRY(take_name(scan, name, sizeof name));
        QN_TRY(take_type(scan, &value.type, &bytes));
        QN_TRY(take_size(scan, largest_bytes / 8, "values of an attribute", &length));
        if (variable && strcmp(name, "units") == 0 && bytes == 1) {
            QN_TRY(take_text(scan, length, variable->units, sizeof variable->units));
        } else if (variable && strcmp(name, "scale_factor") == 0 && length == 1 &&
                   (value.type == QN_NETCDF_FLOAT || value.type == QN_NETCDF_DOUBLE)) {
            QN_TRY(take_bytes(scan, number, (size_t)bytes));
            variable->scale_factor = qn_netcdf_number(&value, number, 0);
        } else {
            QN_TRY(skip_bytes(scan, padded(length * bytes)));
        }
    }
    return QN_OK;
}

static qn_status take_dimensions(netcdf_scan *scan)
{
    uint64_t count;
    char name[64];
    QN_TRY(take_list(scan, TAG_DIMENSION, QN_NETCDF_DIMENSIONS_MAX, "dimensions", &count));
    for (uint64_t i = 0; i < count; i++) {
        QN_TRY(take_name(scan, name, sizeof name));
        QN_TRY(take_size(scan, UINT32_MAX, "elements of a dimension", &scan->dimensions[i]));
    }
    scan->dimension_count = (int)count;
    return QN_OK;
}

/* Take the axes of a variable, the first of which may be the record axis; *elements: elements of one record. */
static qn_status take_axes(netcdf_scan *scan, qn_netcdf_variable *variable, uint64_t *elements)
{
    uint64_t count, dimension;
    *elements = 1;
    QN_TRY(take_size(scan, QN_NETCDF_AXES_MAX, "axes of a variable", &count));
    for (uint64_t i = 0; i < count; i++) {
        QN_TRY(take_number(scan, scan->version == 5 ? 8 : 4, &dimension));
        if (dimension >= (uint64_t)scan->dimension_count || (i > 0 && scan->dimensions[dimension] == 0))
            return QN_FAIL(QN_BAD_FORMAT,
                           "%s: byte %llu of the NetCDF header: axis %llu of variable %s is dimension %llu; "
                           "expected one of %d, that of records first",
                           scan->path, (unsigned long long)scan->at, (unsigned long long)i, variable->name,
                           (unsigned long long)dimension, scan->dimension_count);
        if (scan->dimensions[dimension] == 0) {
            variable->per_record = true;
            continue;
        }
        variable->axes[variable->axis_count++] = scan->dimensions[dimension];
        if (*elements > largest_bytes / 8 / scan->dimensions[dimension])
            return QN_FAIL(QN_BAD_FORMAT, "%s: variable %s has too many elements", scan->path, variable->name);
        *elements *= scan->dimensions[dimension];
    }
    return QN_OK;
}

static qn_status take_variable(netcdf_scan *scan, qn_netcdf_variable *variable)
{
    uint64_t elements, element_bytes, stated;
    variable->scale_factor = 1;
    QN_TRY(take_name(scan, variable->name, sizeof variable->name));
    QN_TRY(take_axes(scan, variable, &elements));
    QN_TRY(take_attributes(scan, variable));
    QN_TRY(take_type(scan, &variable->type, &element_bytes));
    QN_TRY(
        take_number(scan, scan->version == 5 ? 8 : 4, &stated)); /* too small for large variables, therefore not used */
    QN_TRY(take_number(scan, scan->version == 1 ? 4 : 8, &variable->begin));
    variable->bytes = elements * element_bytes;
    if (variable->begin > largest_bytes)
        return QN_FAIL(QN_BAD_FORMAT, "%s: variable %s begins at byte %llu; expected one of the file", scan->path,
                       variable->name, (unsigned long long)variable->begin);
    return QN_OK;
}

/* A record holds one part of each variable, padded to four bytes (a single variable is not padded, but numbers in
 * single or double precision need no padding). */
static qn_status measure_records(netcdf_scan *scan)
{
    qn_netcdf_header *header = scan->header;
    header->record_begin = UINT64_MAX;
    for (int i = 0; i < header->variable_count; i++) {
        const qn_netcdf_variable *variable = &header->variables[i];
        if (!variable->per_record) continue;
        header->record_bytes += padded(variable->bytes);
        if (variable->begin < header->record_begin) header->record_begin = variable->begin;
        if (header->record_bytes > largest_bytes)
            return QN_FAIL(QN_BAD_FORMAT, "%s: records are too large", scan->path);
    }
    for (int i = 0; i < header->variable_count; i++) {
        const qn_netcdf_variable *variable = &header->variables[i];
        const bool inside =
            !variable->per_record || variable->begin - header->record_begin <= header->record_bytes - variable->bytes;
        if (variable->begin < header->header_bytes || !inside)
            return QN_FAIL(QN_BAD_FORMAT,
                           "%s: variable %s begins at byte %llu, inside the header or outside its record", scan->path,
                           variable->name, (unsigned long long)variable->begin);
    }
    return QN_OK;
}

qn_status qn_netcdf_header_read(const char *path, qn_byte_source *source, qn_netcdf_header *header)
{
    netcdf_scan scan = {.path = path, .source = source, .header = header};
    unsigned char magic[4];
    uint64_t count;
    memset(header, 0, sizeof *header);
    QN_TRY(take_bytes(&scan, magic, sizeof magic));
    scan.version = magic[3];
    const size_t size = scan.version == 5 ? 8 : 4;
    QN_TRY(take_number(&scan, size, &header->record_count));
    if (header->record_count == (size == 4 ? UINT32_MAX : UINT64_MAX)) header->record_count = UINT64_MAX;
    QN_TRY(take_dimensions(&scan));
    QN_TRY(take_attributes(&scan, NULL));
    QN_TRY(take_list(&scan, TAG_VARIABLE, QN_NETCDF_DIMENSIONS_MAX, "variables", &count));
    for (uint64_t i = 0; i < count; i++) QN_TRY(take_variable(&scan, &header->variables[i]));
    header->variable_count = (int)count;
    header->header_bytes = scan.at;
    return measure_records(&scan);
}

const qn_netcdf_variable *qn_netcdf_find(const qn_netcdf_header *header, const char *name)
{
    for (int i = 0; i < header->variable_count; i++)
        if (strcmp(header->variables[i].name, name) == 0) return &header->variables[i];
    return NULL;
}
