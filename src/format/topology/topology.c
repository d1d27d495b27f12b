#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/gzip.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/topology/topology_format.h"
#include "runtime/context.h"

/* The first format that recognises the content reads it. */
static const qn_topology_format *const formats[] = {
    &qn_topology_tpr,   &qn_topology_psf, &qn_topology_parm7,
    &qn_topology_table, &qn_topology_gro, &qn_topology_structure,
};

static bool is_tng(const char *data, size_t size)
{
    static const char first_block[] = "GENERAL INFO"; /* after three 64-bit numbers and an MD5 sum */
    return size >= 40 + sizeof first_block && memcmp(data + 40, first_block, sizeof first_block) == 0;
}

static qn_status choose_format(const char *path, const char *data, size_t size, const qn_topology_format **format)
{
    if (size == 0)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: is empty; expected TPR, PSF, Amber parm7, GRO, PDB, mmCIF or a table of atoms", path);
    if (is_tng(data, size))
        return QN_FAIL(QN_UNSUPPORTED,
                       "%s: is a TNG file, which is not read; expected the TPR of the run, or a GRO file made by \"gmx "
                       "trjconv -o frame.gro\"",
                       path);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        *format = formats[i];
        if (formats[i]->recognise(data, size)) return QN_OK;
    }
    static const char *const of_trajectories[] = {".xtc", ".trr", ".dcd", ".nc", ".h5md", ".h5"};
    for (size_t i = 0; i < sizeof of_trajectories / sizeof *of_trajectories; i++)
        if (qn_text_ends_in(path, of_trajectories[i]))
            return QN_FAIL(
                QN_BAD_FORMAT,
                "%s: is a trajectory by its name; expected a topology before it: TPR, PSF, Amber parm7, GRO, "
                "PDB, mmCIF or a table of atoms",
                path);
    return QN_FAIL(
        QN_BAD_FORMAT,
        "%s: is not a topology (it begins with \"%s\"); expected TPR, PSF, Amber parm7, GRO, PDB, mmCIF or a table of "
        "atoms",
        path, qn_quote(data, size < 12 ? size : 12).text);
}

qn_record_lines qn_topology_lines(const char *path, const char *data, size_t size)
{
    return (qn_record_lines){.path = path, .number = 0, .step = 1, .next = data, .end = data + size};
}

void qn_topology_complete_elements(qn_topology *topology)
{
    bool masses = topology->masses == QN_MASSES_FROM_FILE;
    for (size_t i = 0; i < topology->atom_count; i++) {
        qn_topology_atom *atom = &topology->atoms[i];
        if (atom->element[0]) continue;
        qn_topology_deduce_element(atom, &topology->residues[atom->residue], masses ? atom->mass_u : -1, atom->element);
    }
}

qn_status qn_topology_read_memory(const char *path, const char *data, size_t size, qn_topology **out)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    const qn_topology_format *format;
    qn_topology *topology;
    *out = NULL;
    if (size >= 3 && memcmp(data, byte_order_mark, 3) == 0) data += 3, size -= 3;
    QN_TRY(choose_format(path, data, size, &format));
    QN_TRY(qn_topology_create(path, &topology));
    qn_status status = format->read(path, data, size, topology);
    if (status == QN_OK) {
        qn_topology_complete_elements(topology);
        status = qn_topology_finish(topology, format->molecules);
    }
    if (status != QN_OK) {
        qn_topology_destroy(&topology);
        return status;
    }
    *out = topology;
    return QN_OK;
}

static qn_status read_topology(const char *path, qn_topology **topology)
{
    const size_t most_bytes = (size_t)8 << 30;
    char *data = NULL, *plain = NULL;
    size_t size = 0;
    *topology = NULL;
    QN_TRY(qn_file_read(path, &data, &size));
    qn_status status = QN_OK;
    if (qn_is_gzip(data, size)) {
        status = qn_gzip_unpack(path, data, size, most_bytes, &plain, &size);
        qn_release(&data);
        data = plain;
    }
    if (status == QN_OK) status = qn_topology_read_memory(path, data, size, topology);
    qn_release(&data);
    return status;
}

qn_status qn_topology_read(qn_context *context, const char *path, qn_topology **topology)
{
    const qn_log_scope outer = qn_context_enter_log(context);
    const qn_status status = read_topology(path, topology);
    qn_log_return(outer);
    return status;
}
