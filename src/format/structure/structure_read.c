#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/gzip.h"
#include "base/memory.h"
#include "base/sized_struct.h"
#include "base/text.h"
#include "format/structure/formats.h"
#include "format/structure/structure.h"
#include "runtime/context.h"

/* Files of small molecules are often given by mistake, and the reader of PDB would stop at a line of theirs that means
 * something else. NULL: `data` is of neither format. */
static const char *format_of_molecules(const char *data, size_t size)
{
    static const char mol2[] = "@<TRIPOS>";
    const char *line = data, *end = data + size;
    for (int number = 1; number <= 4 && line < end; number++) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        const size_t length = (size_t)((stop ? stop : end) - line);
        /* "V2000" or "V3000" ends at column 39 of the fourth line of an SDF */
        if (number == 4 && length >= 39 && (memcmp(line + 34, "V2000", 5) == 0 || memcmp(line + 34, "V3000", 5) == 0))
            return "an SDF";
        line += length + 1;
    }
    for (line = data; line < end; line++) {
        if ((size_t)(end - line) >= sizeof mol2 - 1 && memcmp(line, mol2, sizeof mol2 - 1) == 0) return "a MOL2";
        if (*line != '#' && !isspace((unsigned char)*line)) return NULL;
        line = memchr(line, '\n', (size_t)(end - line));
        if (!line) return NULL;
    }
    return NULL;
}

static qn_status check_text(const char *name, const char *data, size_t size)
{
    size_t blank = 0;
    while (blank < size && isspace((unsigned char)data[blank])) blank++;
    if (blank == size) return QN_FAIL(QN_BAD_FORMAT, "%s: is empty; expected a PDB or mmCIF file", name);
    const char *zero = memchr(data, '\0', size);
    if (zero)
        return QN_FAIL(QN_BAD_FORMAT, "%s: is not text (byte %zu is 0); expected a PDB or mmCIF file", name,
                       (size_t)(zero - data));
    if (data[blank] == '<')
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: is a web page, perhaps of a download that failed, or XML; expected a PDB or mmCIF file",
                       name);
    const char *other = format_of_molecules(data, size);
    if (other)
        return QN_FAIL(QN_BAD_FORMAT, "%s: is %s file of small molecules; expected a PDB or mmCIF file", name, other);
    return QN_OK;
}

qn_status qn_structure_read_memory(const char *name, const char *data, size_t size, const char *chains,
                                   const qn_molecule_options *options, qn_molecule **molecule)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    *molecule = NULL;
    if (size >= 3 && memcmp(data, byte_order_mark, 3) == 0) data += 3, size -= 3;
    QN_TRY(check_text(name, data, size));
    qn_structure_builder builder;
    qn_status status = qn_structure_builder_start(&builder, name, chains, options);
    if (status == QN_OK) status = qn_structure_reader_for(data, size)->read(&builder, data, size);
    if (status == QN_OK) status = qn_structure_builder_finish(&builder, molecule);
    qn_structure_builder_clear(&builder);
    return status;
}

/* Split "path:chains", unless a file with this whole name exists. *chains is NULL without a selection. */
static qn_status split_path(const char *path, char **file, char **chains)
{
    *chains = NULL;
    QN_TRY(qn_text_copy(path, file));
    char *colon = qn_file_exists(path) ? NULL : strrchr(*file, ':');
    if (!colon || strchr(colon, '/')) return QN_OK;
    *colon = '\0';
    if (colon[1] == '\0')
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s: no chain is named after the colon; expected letters (:AB) or names with a comma (:A,BB)",
                       path);
    return qn_text_copy(colon + 1, chains);
}

/* Replace gzipped data by the unpacked data. */
static qn_status unpack(const char *name, char **data, size_t *size)
{
    const size_t most_bytes = (size_t)4 << 30;
    char *plain;
    size_t plain_size;
    QN_TRY(qn_gzip_unpack(name, *data, *size, most_bytes, &plain, &plain_size));
    qn_release(data);
    *data = plain;
    *size = plain_size;
    return QN_OK;
}

qn_status qn_structure_load(const char *path, char **file, char **chains, char **data, size_t *size)
{
    *file = *chains = *data = NULL;
    qn_status status = split_path(path, file, chains);
    if (status == QN_OK) status = qn_file_read(*file, data, size);
    if (status == QN_OK && qn_is_gzip(*data, *size)) status = unpack(*file, data, size);
    if (status != QN_OK) {
        qn_release(file);
        qn_release(chains);
        qn_release(data);
    }
    return status;
}

static qn_status read_molecule(const char *path, const qn_molecule_options *options, qn_molecule **molecule)
{
    char *file, *chains, *data;
    size_t size;
    *molecule = NULL;
    QN_TRY(qn_structure_load(path, &file, &chains, &data, &size));
    const qn_status status = qn_structure_read_memory(file, data, size, chains, options, molecule);
    qn_release(&file);
    qn_release(&chains);
    qn_release(&data);
    return status;
}

qn_status qn_molecule_read(qn_context *context, const char *path, const qn_molecule_options *options,
                           qn_molecule **molecule)
{
    qn_molecule_options own = qn_molecule_default_options();
    *molecule = NULL;
    QN_TRY(qn_sized_struct_copy(&own, sizeof own, options, "molecule"));
    const qn_log_scope outer = qn_context_enter_log(context);
    const qn_status status = read_molecule(path, &own, molecule);
    qn_log_return(outer);
    return status;
}
