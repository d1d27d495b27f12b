/* Arrays of VTK's XML format. Private to the reader's files. */
#ifndef QN_FORMAT_MESH_VTU_H
#define QN_FORMAT_MESH_VTU_H

#include "base/text.h"
#include "format/mesh/vtk_grid.h"

/* Types of DataArray; ends with a name of NULL. */
extern const qn_vtk_type qn_vtu_types[];

/* How binary arrays are stored. */
typedef struct qn_vtu_encoding {
    const char *path;
    int header_bytes; /* of a number in front of the data: 4 or 8 */
    bool swapped;     /* bytes of numbers are not in this machine's order */
    bool compressed;  /* by zlib, in blocks */
} qn_vtu_encoding;

/* Bytes that are stored, as they are or in base64. */
typedef struct qn_vtu_bytes {
    const char *at, *end;
    bool base64;
    unsigned char rest[2]; /* bytes of the last four characters that are not taken yet */
    int rest_count;
} qn_vtu_bytes;

/* Take the next bytes; false: there are fewer, or characters that are no base64. */
bool qn_vtu_take(qn_vtu_bytes *bytes, void *data, size_t size);

/* Read the data of an array, whose `name` goes into messages. QN_BAD_FORMAT. */
QN_MUST_CHECK qn_status qn_vtu_decode(const qn_vtu_encoding *encoding, const char *name, qn_vtu_bytes bytes,
                                      qn_text *data);

#endif
