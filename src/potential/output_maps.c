/* The maps as files, formatted by all threads; and the .fld and .xyz files that say where they are. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/written_file.h"
#include "potential/maps/map_text.h"
#include "potential/run.h"
#include "potential/vina/vina_text.h"

_Static_assert((int)QN_VINA_LINE_MAX <= (int)QN_MAP_LINE_MAX, "lines of Vina's maps fit");

enum { CHUNK = 1 << 12, CHUNKS_PER_MAP = 8 }; /* values of a chunk; chunks of a map in a round */

/* Rounds of formatting and writing: in each, the next chunks of all maps are formatted, and then written, map by map.
 */
typedef struct map_writing {
    qn_potential_run_state *run;
    qn_written_file *files; /* one a map */
    char *text;             /* [map][chunk of the round] */
    size_t *lengths;        /* likewise */
    float *least, *most;    /* likewise: of the values of a chunk */
    size_t points;          /* of a map in the window */
    size_t first, end;      /* values of this round */
} map_writing;

static size_t chunks_of(const map_writing *writing)
{
    return (writing->end - writing->first + CHUNK - 1) / CHUNK;
}

static qn_status format_chunk(size_t index, int worker, void *user)
{
    map_writing *writing = user;
    const size_t chunks = chunks_of(writing), map = index / chunks, chunk = index % chunks;
    const size_t first = writing->first + chunk * CHUNK, left = writing->end - first;
    const float *values = writing->run->values + map * writing->points + first;
    const size_t place = map * CHUNKS_PER_MAP + chunk, count = left < CHUNK ? left : CHUNK;
    float least = values[0], most = values[0];
    (void)worker;
    for (size_t i = 1; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    writing->least[place] = least, writing->most[place] = most;
    char *text = writing->text + place * CHUNK * QN_MAP_LINE_MAX;
    writing->lengths[place] = (int)map < writing->run->field_count ? qn_map_text_write(values, count, text)
                                                                   : qn_vina_text_write(values, count, text);
    return QN_OK;
}

static qn_status write_map(size_t map, int worker, void *user)
{
    map_writing *writing = user;
    (void)worker;
    for (size_t chunk = 0; chunk < chunks_of(writing); chunk++) {
        const size_t place = map * CHUNKS_PER_MAP + chunk;
        QN_TRY(qn_written_file_write(&writing->files[map], writing->text + place * CHUNK * QN_MAP_LINE_MAX,
                                     writing->lengths[place]));
        writing->run->least[map] = fmin(writing->run->least[map], writing->least[place]);
        writing->run->most[map] = fmax(writing->run->most[map], writing->most[place]);
    }
    return QN_OK;
}

static qn_status write_header(const qn_potential_run_state *run, qn_written_file *file)
{
    qn_text text = {0};
    const qn_potential_grid *grid = &run->model->settings.grid;
    qn_status status =
        qn_text_append(&text,
                       "GRID_PARAMETER_FILE %s\nGRID_DATA_FILE %s\nMACROMOLECULE %s\nSPACING %.3f\nNELEMENTS %d %d "
                       "%d\nCENTER %.3f %.3f "
                       "%.3f\n",
                       run->names.gpf_label, run->names.field_label, run->names.receptor_label, grid->spacing_angstrom,
                       grid->points[0] - 1, grid->points[1] - 1, grid->points[2] - 1, grid->centre_angstrom[0],
                       grid->centre_angstrom[1], grid->centre_angstrom[2]);
    if (status == QN_OK) status = qn_written_file_write(file, text.data, text.length);
    qn_text_clear(&text);
    return status;
}

static qn_status open_map(const qn_potential_run_state *run, int map, qn_written_file *file)
{
    char *path;
    QN_TRY(qn_job_path(run->job, run->names.maps[map], &path));
    const qn_status status = qn_written_file_open(path, false, file);
    qn_release(&path);
    QN_TRY(status);
    return write_header(run, file);
}

static qn_status finish_map(size_t map, int worker, void *user)
{
    map_writing *writing = user;
    (void)worker;
    return qn_written_file_finish(&writing->files[map]);
}

static qn_status write_window(map_writing *writing)
{
    const size_t maps = (size_t)writing->run->map_count, round = (size_t)CHUNK * CHUNKS_PER_MAP;
    qn_pool *pool = writing->run->job->pool;
    for (size_t first = 0; first < writing->points; first = writing->end) {
        writing->first = first;
        writing->end = writing->points - first < round ? writing->points : first + round;
        QN_TRY(qn_pool_run(pool, maps * chunks_of(writing), format_chunk, writing));
        QN_TRY(qn_pool_run(pool, maps, write_map, writing));
    }
    return QN_OK;
}

static qn_status write_windows(map_writing *writing)
{
    qn_potential_run_state *run = writing->run;
    for (int map = 0; map < run->map_count; map++) QN_TRY(open_map(run, map, &writing->files[map]));
    for (int slab = 0; slab < run->slab_count; slab += run->window_slabs) {
        QN_TRY(qn_potential_gather(run, slab));
        writing->points = qn_potential_slab_points(run, slab, run->window_slabs);
        QN_TRY(write_window(writing));
    }
    return qn_pool_run(run->job->pool, (size_t)run->map_count, finish_map, writing);
}

static qn_status write_values(qn_potential_run_state *run)
{
    map_writing writing = {.run = run};
    const size_t maps = (size_t)run->map_count, chunks = maps * CHUNKS_PER_MAP;
    QN_TRY(qn_allocate(maps, sizeof *writing.files, (void **)&writing.files));
    for (size_t i = 0; i < maps; i++) {
        writing.files[i] = (qn_written_file){.descriptor = -1, .target = -1};
        run->least[i] = INFINITY, run->most[i] = -INFINITY;
    }
    qn_status status = qn_allocate(chunks, (size_t)CHUNK * QN_MAP_LINE_MAX, (void **)&writing.text);
    if (status == QN_OK) status = qn_allocate(chunks, sizeof *writing.lengths, (void **)&writing.lengths);
    if (status == QN_OK) status = qn_allocate(chunks, sizeof *writing.least, (void **)&writing.least);
    if (status == QN_OK) status = qn_allocate(chunks, sizeof *writing.most, (void **)&writing.most);
    if (status == QN_OK) status = write_windows(&writing);
    for (size_t i = 0; i < maps; i++) qn_written_file_discard(&writing.files[i]);
    qn_release(&writing.files);
    qn_release(&writing.text);
    qn_release(&writing.lengths);
    qn_release(&writing.least);
    qn_release(&writing.most);
    return status;
}

/* ---- .fld and .xyz ---- */

static const char *const other_labels[] = {"Electrostatics", "Desolvation", "Floating_Grid"};

static qn_status describe_maps(const qn_potential_run_state *run, qn_text *text)
{
    const int probes = run->model->settings.probe_count;
    for (int i = 0; i < 3; i++)
        QN_TRY(qn_text_append(text, "coord %d file=%s filetype=ascii offset=%d\n", i + 1, run->names.extrema_label,
                              2 * i));
    for (int i = 0; i < probes; i++)
        QN_TRY(
            qn_text_append(text, "label=%s-affinity\t# component label for variable %d\n", run->map_names[i], i + 1));
    for (int i = probes; i < run->field_count; i++) /* AutoGrid 4.2.6 numbers these one too low */
        QN_TRY(qn_text_append(text, "label=%s\t# component label for variable %d\n", other_labels[i - probes], i));
    QN_TRY(qn_text_append(text, "#\n# location of affinity grid files and how to read them\n#\n"));
    for (int i = 0; i < run->field_count; i++)
        QN_TRY(qn_text_append(text, "variable %d file=%s filetype=ascii skip=6\n", i + 1, run->names.labels[i]));
    return QN_OK;
}

static qn_status describe_field(const qn_potential_run_state *run, qn_text *text)
{
    const qn_potential_grid *grid = &run->model->settings.grid;
    const int *points = grid->points;
    const double *centre = grid->centre_angstrom;
    QN_TRY(qn_text_append(text,
                          "# AVS field file\n#\n# AutoDock Atomic Affinity and Electrostatic Grids\n#\n# Created by "
                          "quern potential.\n#\n#SPACING %.3f\n#NELEMENTS %d %d %d\n#CENTER %.3f %.3f %.3f\n"
                          "#MACROMOLECULE %s\n#GRID_PARAMETER_FILE %s\n#\n",
                          (double)(float)grid->spacing_angstrom, points[0] - 1, points[1] - 1, points[2] - 1, centre[0],
                          centre[1], centre[2], run->names.receptor_label, run->names.gpf_label));
    QN_TRY(qn_text_append(text,
                          "ndim=3\t\t\t# number of dimensions in the field\ndim1=%d\t\t\t# number of x-elements\n"
                          "dim2=%d\t\t\t# number of y-elements\ndim3=%d\t\t\t# number of z-elements\n"
                          "nspace=3\t\t# number of physical coordinates per point\n"
                          "veclen=%d\t\t# number of affinity values at each point\n"
                          "data=float\t\t# data type (byte, integer, float, double)\n"
                          "field=uniform\t\t# field type (uniform, rectilinear, irregular)\n",
                          points[0], points[1], points[2], run->field_count));
    return describe_maps(run, text);
}

static qn_status describe_extrema(const qn_potential_run_state *run, qn_text *text)
{
    const qn_potential_grid *grid = &run->model->settings.grid;
    for (int k = 0; k < 3; k++)
        QN_TRY(qn_text_append(text, "%.3f %.3f\n", grid->centre_angstrom[k] + qn_potential_grid_offset(grid, k, 0),
                              grid->centre_angstrom[k] + qn_potential_grid_offset(grid, k, grid->points[k] - 1)));
    return QN_OK;
}

static qn_status write_text(qn_potential_run_state *run, const char *name,
                            qn_status (*describe)(const qn_potential_run_state *run, qn_text *text))
{
    qn_text text = {0};
    char *path;
    QN_TRY(qn_job_path(run->job, name, &path));
    qn_status status = describe(run, &text);
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_release(&path);
    qn_text_clear(&text);
    return status;
}

uint64_t qn_potential_writing_bytes(int map_count)
{
    return (uint64_t)map_count * CHUNKS_PER_MAP * CHUNK * QN_MAP_LINE_MAX;
}

qn_status qn_potential_write_maps(qn_potential_run_state *run)
{
    if (!(run->formats & QN_POTENTIAL_FORMAT_MAP)) return qn_potential_gather(run, 0);
    if (run->field_count > 0) {
        QN_TRY(write_text(run, run->names.field, describe_field));
        QN_TRY(write_text(run, run->names.extrema, describe_extrema));
    }
    return write_values(run);
}
