/* Reading a mesh of any format, which is recognised by its first bytes. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/gzip.h"
#include "base/locale.h"
#include "base/memory.h"
#include "format/mesh/mesh_formats.h"
#include "format/number.h"

/* Meshes have some 100 bytes for each node. */
static const size_t most_plain_bytes = (size_t)1 << 34;

static bool begins(const qn_mesh_cursor *cursor, const char *mark)
{
    const size_t length = strlen(mark);
    return (size_t)(cursor->end - cursor->begin) >= length && memcmp(cursor->begin, mark, length) == 0;
}

static qn_status read_content(qn_mesh_cursor *cursor, qn_mesh_builder *builder)
{
    if (begins(cursor, "$")) return qn_gmsh_read(cursor, builder);
    if (begins(cursor, "# vtk DataFile")) return qn_vtk_legacy_read(cursor, builder);
    if (begins(cursor, "<")) return qn_vtu_read(cursor, builder);
    const qn_word word = qn_mesh_cursor_peek(cursor);
    return QN_FAIL(QN_BAD_FORMAT,
                   "%s:1: begins with \"%s\"; expected Gmsh ($MeshFormat or $NOD), VTK legacy (# vtk DataFile) or VTU "
                   "(<VTKFile)",
                   cursor->path, qn_quote(word.text, word.length).text);
}

static qn_status read_bytes(const char *path, double scale, const char *data, size_t size, qn_mesh **mesh)
{
    qn_mesh_cursor cursor = {.path = path, .begin = data, .at = data, .end = data + size, .line = 1};
    qn_mesh_builder builder = {.path = path, .scale = scale};
    qn_status status = read_content(&cursor, &builder);
    if (status == QN_OK) status = qn_mesh_builder_finish(&builder, mesh);
    qn_mesh_builder_clear(&builder);
    return status;
}

qn_status qn_mesh_read(const char *path, double scale, qn_mesh **mesh)
{
    char *data = NULL, *plain = NULL;
    size_t size;
    *mesh = NULL;
    if (!isfinite(scale) || scale <= 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "scale %g of a mesh; expected a number above 0", scale);
    QN_TRY(qn_file_read(path, &data, &size));
    qn_status status = QN_OK;
    if (qn_is_gzip(data, size)) {
        status = qn_gzip_unpack(path, data, size, most_plain_bytes, &plain, &size);
        qn_release(&data);
        data = plain;
    }
    const qn_locale outer = qn_locale_enter();
    if (status == QN_OK) status = read_bytes(path, scale, data, size, mesh);
    qn_locale_return(outer);
    qn_release(&data);
    return status;
}
