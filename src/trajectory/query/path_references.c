#include "trajectory/query/path_references.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/trajectory/trajectory_stream.h"
#include "frames/whole.h"

/* A file that is being read. */
typedef struct reference_file {
    const char *path;
    const qn_topology *topology;
    const qn_structure_atoms *atoms;
    qn_trajectory_stream *stream;
    qn_frame_bytes bytes;
    qn_trajectory_frame frame;
    qn_whole_plan *whole; /* NULL: frames are taken as they are */
} reference_file;

void qn_path_references_clear(qn_path_references *references)
{
    qn_release(&references->positions);
}

/* The first frame says how many atoms there are. */
static qn_status prepare(reference_file *file)
{
    const size_t count = qn_trajectory_stream_atom_count(file->stream), all = file->topology->atom_count;
    void *memory;
    if (count != all && count != file->atoms->count)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: structures of %s; expected the %zu atoms of %s, or the %zu that are selected", file->path,
                       qn_count_of(count, "atom").text, all,
                       file->topology->name ? file->topology->name : "the topology", file->atoms->count);
    QN_TRY(qn_allocate(count, 3 * sizeof(float), &memory));
    file->frame.atom_count = count;
    file->frame.positions_nm = memory;
    return count == all && file->topology->has_bonds ? qn_whole_plan_create(file->topology, &file->whole) : QN_OK;
}

static qn_status take_frame(reference_file *file, qn_path_references *references)
{
    const size_t numbers = 3 * file->atoms->count;
    void *memory = references->positions;
    QN_TRY(qn_trajectory_stream_decode(file->stream, &file->bytes, &file->frame));
    if (file->whole) QN_TRY(qn_whole_apply(file->whole, &file->frame));
    QN_TRY(qn_grow(&memory, &references->capacity, references->count + 1, numbers * sizeof(double)));
    references->positions = memory;
    double *positions = references->positions + references->count++ * numbers;
    if (file->frame.atom_count == file->topology->atom_count) {
        qn_structure_atoms_gather(file->atoms, file->frame.positions_nm, positions);
    } else {
        for (size_t i = 0; i < numbers; i++) positions[i] = (double)file->frame.positions_nm[i];
    }
    return QN_OK;
}

static qn_status read_frames(reference_file *file, qn_path_references *references)
{
    for (bool end = false;;) {
        QN_TRY(qn_trajectory_stream_read(file->stream, &file->bytes, &end));
        if (end) break;
        if (references->count == 0) QN_TRY(prepare(file));
        QN_TRY(take_frame(file, references));
    }
    if (qn_trajectory_stream_ending(file->stream))
        return QN_FAIL(QN_BAD_FORMAT, "%s: %s; expected complete structures", file->path,
                       qn_trajectory_stream_ending(file->stream));
    if (references->count == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s has no structures; expected at least one", file->path);
    return QN_OK;
}

qn_status qn_path_references_read(const char *path, const qn_topology *topology, const qn_structure_atoms *atoms,
                                  qn_path_references *references)
{
    reference_file file = {.path = path, .topology = topology, .atoms = atoms};
    *references = (qn_path_references){0};
    QN_TRY(qn_trajectory_stream_open(path, 0, &file.stream));
    const qn_status status = read_frames(&file, references);
    qn_whole_plan_destroy(&file.whole);
    qn_frame_bytes_clear(&file.bytes);
    qn_release(&file.frame.positions_nm);
    qn_trajectory_stream_close(&file.stream);
    return status;
}
