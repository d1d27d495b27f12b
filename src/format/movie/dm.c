#include "format/movie/dm.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

/* Sorts of tags, and codes of types in a tag's definition. */
enum { TAG_END = 0, TAG_GROUP = 20, TAG_DATA = 21 };
enum { TYPE_STRUCT = 15, TYPE_STRING = 18, TYPE_ARRAY = 20 };
enum { GROUPS_MAX = 64, DEFINITION_MAX = 1024, DIMENSIONS = 3, SIDE_MAX = 65536 };
static const uint64_t MOST_BYTES = UINT64_MAX >> 8; /* of one value: no file is larger, and sums do not overflow */

/* Groups that matter, by their place in the tree. */
typedef enum dm_place { ROOT, IMAGE_LIST, IMAGE, IMAGE_DATA, IMAGE_DIMENSIONS, ELSEWHERE } dm_place;

typedef struct dm_image {
    uint64_t size[DIMENSIONS];
    int dimensions; /* as the file counts them; may be above DIMENSIONS */
    int data_type;
    const unsigned char *data; /* NULL: none */
    uint64_t count, element_bytes;
} dm_image;

typedef struct dm_reader {
    const char *name;
    const unsigned char *begin, *next, *end;
    bool wide;          /* DM4: counts have eight bytes */
    bool little_endian; /* of data; the tree itself is big endian */
    int groups;         /* around the current tag */
    dm_image image;     /* the current one */
    dm_image chosen;    /* the last one that is no thumbnail */
    int chosen_count;
} dm_reader;

static qn_status cut_off(const dm_reader *reader)
{
    return QN_FAIL(QN_BAD_FORMAT, "%s: ends at byte %llu inside a tag", reader->name,
                   (unsigned long long)(reader->end - reader->begin));
}

static qn_status damaged(const dm_reader *reader, const char *field, uint64_t value, const char *expected)
{
    return QN_FAIL(QN_BAD_FORMAT, "%s: byte %llu: %s is %llu; expected %s", reader->name,
                   (unsigned long long)(reader->next - reader->begin), field, (unsigned long long)value, expected);
}

static uint64_t load(const unsigned char *bytes, int count, bool little_endian)
{
    uint64_t value = 0;
    for (int i = 0; i < count; i++) value |= (uint64_t)bytes[i] << 8 * (little_endian ? i : count - 1 - i);
    return value;
}

static qn_status skip(dm_reader *reader, uint64_t bytes)
{
    if ((uint64_t)(reader->end - reader->next) < bytes) return cut_off(reader);
    reader->next += bytes;
    return QN_OK;
}

/* A number of the tree. */
static qn_status take(dm_reader *reader, int bytes, uint64_t *value)
{
    QN_TRY(skip(reader, (uint64_t)bytes));
    *value = load(reader->next - bytes, bytes, false);
    return QN_OK;
}

static qn_status take_count(dm_reader *reader, uint64_t *value)
{
    return take(reader, reader->wide ? 8 : 4, value);
}

/* Bytes of a simple type; 0: not one. */
static uint64_t bytes_of_type(uint64_t type)
{
    switch (type) {
    case 8: /* boolean */
    case 9: /* character */
    case 10: /* octet */ return 1;
    case 2: /* short */
    case 4: /* unsigned short */ return 2;
    case 3: /* long */
    case 5: /* unsigned long */
    case 6: /* float */ return 4;
    case 7:  /* double */
    case 11: /* long long */
    case 12: /* unsigned long long */ return 8;
    default: return 0;
    }
}

/* The definition of a type in the numbers of a tag. */
typedef struct dm_definition {
    uint64_t number[DEFINITION_MAX];
    size_t count, at;
} dm_definition;

static qn_status next_number(const dm_reader *reader, dm_definition *definition, uint64_t *number)
{
    if (definition->at == definition->count)
        return damaged(reader, "the length of a definition", definition->count, "more");
    *number = definition->number[definition->at++];
    return QN_OK;
}

/* Bytes of the struct whose definition follows: length of its name, fields, and for each the length of its name and its
 * type. */
static qn_status size_of_struct(const dm_reader *reader, dm_definition *definition, uint64_t *bytes)
{
    uint64_t unused, fields = 0, type = 0;
    QN_TRY(next_number(reader, definition, &unused));
    QN_TRY(next_number(reader, definition, &fields));
    *bytes = 0;
    for (uint64_t i = 0; i < fields; i++) {
        QN_TRY(next_number(reader, definition, &unused));
        QN_TRY(next_number(reader, definition, &type));
        if (bytes_of_type(type) == 0) return damaged(reader, "the type of a struct's field", type, "2 to 12");
        *bytes += bytes_of_type(type);
    }
    return QN_OK;
}

/* Bytes of a value. `definition` may begin with any number of arrays: 20, the element, the length. */
static qn_status size_of(const dm_reader *reader, dm_definition *definition, uint64_t *bytes)
{
    uint64_t type = 0, arrays = 0, length = 0;
    QN_TRY(next_number(reader, definition, &type));
    for (; type == TYPE_ARRAY; arrays++) QN_TRY(next_number(reader, definition, &type));
    *bytes = bytes_of_type(type);
    if (type == TYPE_STRUCT)
        QN_TRY(size_of_struct(reader, definition, bytes));
    else if (type == TYPE_STRING)
        QN_TRY(next_number(reader, definition, bytes));
    else if (*bytes == 0)
        return damaged(reader, "the type of a tag", type, "2 to 12, 15, 18 or 20");
    for (; arrays > 0; arrays--) {
        QN_TRY(next_number(reader, definition, &length));
        if (*bytes > 0 && length > MOST_BYTES / *bytes)
            return damaged(reader, "the length of an array", length, "less");
        *bytes *= length;
    }
    return *bytes <= MOST_BYTES ? QN_OK : damaged(reader, "the size of a value", *bytes, "less");
}

static qn_status take_definition(dm_reader *reader, dm_definition *definition)
{
    uint64_t marks, count;
    QN_TRY(take(reader, 4, &marks));
    if (marks != 0x25252525) return damaged(reader, "the mark of a tag", marks, "%%%%");
    QN_TRY(take_count(reader, &count));
    if (count < 1 || count > DEFINITION_MAX) return damaged(reader, "the length of a definition", count, "1 to 1024");
    definition->count = (size_t)count;
    definition->at = 0;
    for (size_t i = 0; i < definition->count; i++) QN_TRY(take_count(reader, &definition->number[i]));
    return QN_OK;
}

static bool is_named(const unsigned char *text, uint64_t length, const char *name)
{
    return length == strlen(name) && memcmp(text, name, (size_t)length) == 0;
}

static qn_status read_data(dm_reader *reader, dm_place place, const unsigned char *name, uint64_t length)
{
    dm_definition definition;
    uint64_t bytes;
    QN_TRY(take_definition(reader, &definition));
    QN_TRY(size_of(reader, &definition, &bytes));
    QN_TRY(skip(reader, bytes));
    const unsigned char *data = reader->next - bytes;
    const uint64_t type = definition.number[0],
                   element = definition.count == 3 ? bytes_of_type(definition.number[1]) : 0;
    const bool is_whole = bytes_of_type(type) > 0 && type != 6 && type != 7;
    dm_image *image = &reader->image;
    if (place == IMAGE_DATA && is_named(name, length, "DataType") && is_whole)
        image->data_type = (int)(load(data, (int)bytes, reader->little_endian) & 0xffff);
    if (place == IMAGE_DATA && is_named(name, length, "Data") && type == TYPE_ARRAY && element > 0) {
        image->data = data;
        image->element_bytes = element;
        image->count = definition.number[2];
    }
    if (place == IMAGE_DIMENSIONS && is_whole) {
        if (image->dimensions < DIMENSIONS)
            image->size[image->dimensions] = load(data, (int)bytes, reader->little_endian);
        image->dimensions++;
    }
    return QN_OK;
}

static dm_place place_of_child(dm_place place, const unsigned char *name, uint64_t length)
{
    if (place == ROOT && is_named(name, length, "ImageList")) return IMAGE_LIST;
    if (place == IMAGE_LIST) return IMAGE;
    if (place == IMAGE && is_named(name, length, "ImageData")) return IMAGE_DATA;
    if (place == IMAGE_DATA && is_named(name, length, "Dimensions")) return IMAGE_DIMENSIONS;
    return ELSEWHERE;
}

/* Take over the image that has just been read, unless it is a thumbnail. */
static void choose_image(dm_reader *reader)
{
    const bool is_coloured = reader->image.data_type == 8 || reader->image.data_type == 23;
    if (!reader->image.data || is_coloured) return;
    reader->chosen = reader->image;
    reader->chosen_count++;
}

static qn_status read_group(dm_reader *reader, dm_place place);

static qn_status read_tag(dm_reader *reader, dm_place place)
{
    uint64_t sort, length, unused;
    QN_TRY(take(reader, 1, &sort));
    if (sort != TAG_GROUP && sort != TAG_DATA) return damaged(reader, "the sort of a tag", sort, "20 or 21");
    QN_TRY(take(reader, 2, &length));
    QN_TRY(skip(reader, length));
    const unsigned char *name = reader->next - length;
    if (reader->wide) QN_TRY(take(reader, 8, &unused)); /* bytes of the tag */
    if (sort == TAG_DATA) return read_data(reader, place, name, length);
    const dm_place child = place_of_child(place, name, length);
    if (child == IMAGE) reader->image = (dm_image){0};
    QN_TRY(read_group(reader, child));
    if (child == IMAGE) choose_image(reader);
    return QN_OK;
}

static qn_status read_group(dm_reader *reader, dm_place place)
{
    uint64_t flags, tags;
    QN_TRY(take(reader, 2, &flags));
    QN_TRY(take_count(reader, &tags));
    if (++reader->groups > GROUPS_MAX)
        return damaged(reader, "the number of groups in groups", GROUPS_MAX + 1, "at most 64");
    for (uint64_t i = 0; i < tags; i++) QN_TRY(read_tag(reader, place));
    reader->groups--;
    return QN_OK;
}

/* The numbers of an image by its DataType. */
typedef enum dm_numbers { UNKNOWN, SIGNED, UNSIGNED, FLOATING } dm_numbers;

static dm_numbers numbers_of(int data_type, uint64_t *bytes)
{
    static const struct {
        int data_type, bytes;
        dm_numbers numbers;
    } types[] = {{1, 2, SIGNED},    {2, 4, FLOATING},  {6, 1, UNSIGNED},  {7, 4, SIGNED},   {9, 1, SIGNED},
                 {10, 2, UNSIGNED}, {11, 4, UNSIGNED}, {12, 8, FLOATING}, {14, 1, UNSIGNED}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].data_type == data_type) {
            *bytes = (uint64_t)types[i].bytes;
            return types[i].numbers;
        }
    *bytes = 0;
    return UNKNOWN;
}

static float number_at(const unsigned char *at, int bytes, dm_numbers numbers, bool little_endian)
{
    const uint64_t bits = load(at, bytes, little_endian);
    if (numbers == FLOATING && bytes == 8) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return (float)value;
    }
    if (numbers == FLOATING) {
        const uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        return value;
    }
    const int unused = 64 - 8 * bytes;
    return numbers == SIGNED ? (float)((int64_t)(bits << unused) >> unused) : (float)bits;
}

static qn_status check_image(const dm_reader *reader, dm_numbers numbers, uint64_t bytes)
{
    const dm_image *image = &reader->chosen;
    if (reader->chosen_count != 1)
        return QN_FAIL(QN_BAD_FORMAT, "%s: holds %d images besides thumbnails; expected one", reader->name,
                       reader->chosen_count);
    if (image->dimensions != 2 && !(image->dimensions == 3 && image->size[2] == 1))
        return QN_FAIL(QN_UNSUPPORTED, "%s: its image has %d dimensions; expected 2", reader->name, image->dimensions);
    if (numbers == UNKNOWN)
        return QN_FAIL(QN_UNSUPPORTED,
                       "%s: its image has values of data type %d; expected real numbers (1, 2, 6, 7, 9 to 12 or 14)",
                       reader->name, image->data_type);
    for (int k = 0; k < 2; k++)
        if (image->size[k] < 1 || image->size[k] > SIDE_MAX)
            return QN_FAIL(QN_BAD_FORMAT, "%s: its image has %llu x %llu pixels; expected 1 to %d a side", reader->name,
                           (unsigned long long)image->size[0], (unsigned long long)image->size[1], SIDE_MAX);
    if (image->element_bytes != bytes || image->count != image->size[0] * image->size[1])
        return QN_FAIL(QN_BAD_FORMAT, "%s: its image has %llu values of %llu bytes; expected %llu x %llu of %llu bytes",
                       reader->name, (unsigned long long)image->count, (unsigned long long)image->element_bytes,
                       (unsigned long long)image->size[0], (unsigned long long)image->size[1],
                       (unsigned long long)bytes);
    return QN_OK;
}

bool qn_dm_is(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    if (size < 16) return false;
    const uint64_t version = load(bytes, 4, false), order = load(bytes + (version == 4 ? 12 : 8), 4, false);
    return (version == 3 || version == 4) && order <= 1;
}

qn_status qn_dm_parse(const char *name, const void *bytes, size_t size, int *width, int *height, float **values)
{
    dm_reader reader = {.name = name, .begin = bytes, .next = bytes, .end = (const unsigned char *)bytes + size};
    uint64_t version, length, order, element;
    void *memory;
    *values = NULL;
    *width = *height = 0;
    if (!qn_dm_is(bytes, size)) return QN_FAIL(QN_BAD_FORMAT, "%s: is no DM3 or DM4 file", name);
    QN_TRY(take(&reader, 4, &version));
    reader.wide = version == 4;
    QN_TRY(take_count(&reader, &length)); /* of the tree; the tree itself says where it ends */
    QN_TRY(take(&reader, 4, &order));
    reader.little_endian = order == 1;
    QN_TRY(read_group(&reader, ROOT));
    const dm_image *image = &reader.chosen;
    const dm_numbers numbers = numbers_of(image->data_type, &element);
    QN_TRY(check_image(&reader, numbers, element));
    QN_TRY(qn_allocate((size_t)image->count, sizeof **values, &memory));
    *values = memory;
    for (size_t i = 0; i < (size_t)image->count; i++)
        (*values)[i] = number_at(image->data + i * element, (int)element, numbers, reader.little_endian);
    *width = (int)image->size[0];
    *height = (int)image->size[1];
    return QN_OK;
}

qn_status qn_dm_read(const char *path, int *width, int *height, float **values)
{
    char *data;
    size_t size;
    *values = NULL;
    QN_TRY(qn_file_read(path, &data, &size));
    const qn_status status = qn_dm_parse(path, data, size, width, height, values);
    qn_release(&data);
    return status;
}
