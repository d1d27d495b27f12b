/* Maps in the formats of viewers, beside or instead of AutoGrid's. */
#include <string.h>

#include <quern/volume.h>

#include "base/error.h"
#include "base/memory.h"
#include "potential/dx_write.h"
#include "potential/run.h"

static const struct {
    const char *name;
    unsigned format;
} formats[] = {{"map", QN_POTENTIAL_FORMAT_MAP}, {"dx", QN_POTENTIAL_FORMAT_DX}, {"mrc", QN_POTENTIAL_FORMAT_MRC}};
enum { FORMATS = sizeof formats / sizeof *formats };

/* The one map of --coulomb has the format that the name of its file says. */
static qn_status find_coulomb_format(qn_potential_run_state *run)
{
    const char *path = run->options->output, *ending = path ? strrchr(path, '.') : ".mrc";
    run->formats = ending && strcmp(ending, ".mrc") == 0  ? QN_POTENTIAL_FORMAT_MRC
                   : ending && strcmp(ending, ".dx") == 0 ? QN_POTENTIAL_FORMAT_DX
                                                          : 0;
    if (run->formats) return QN_OK;
    return QN_FAIL(QN_INVALID_ARGUMENT,
                   "--output is %s; with --coulomb expected the name of a file that ends in .mrc "
                   "or .dx",
                   path);
}

qn_status qn_potential_formats_find(qn_potential_run_state *run)
{
    const char *text = run->options->format;
    if (run->options->coulomb) return find_coulomb_format(run);
    run->formats = 0;
    for (const char *place = text, *end; place; place = *end ? end + 1 : NULL) {
        unsigned format = 0;
        end = place + strcspn(place, ",");
        for (int i = 0; i < FORMATS; i++)
            if (strlen(formats[i].name) == (size_t)(end - place) &&
                strncmp(place, formats[i].name, (size_t)(end - place)) == 0)
                format = formats[i].format;
        if (format == 0)
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "--format is \"%s\"; expected map, dx or mrc, or several with commas between them", text);
        run->formats |= format;
    }
    return QN_OK;
}

static qn_status describe(const qn_potential_run_state *run, int map, qn_text *title)
{
    const char *name = run->map_names[map], *score = map < run->field_count ? "AutoDock 4" : "AutoDock Vina";
    if (strcmp(name, "coulomb") == 0) return qn_text_append(title, "Coulomb potential in kcal/mol/e");
    if (strcmp(name, "e") == 0) return qn_text_append(title, "electrostatic potential in kcal/mol/e");
    if (strcmp(name, "d") == 0) return qn_text_append(title, "desolvation of charges in kcal/mol/e");
    if (strcmp(name, "f") == 0) return qn_text_append(title, "distance of the nearest atom in A");
    return qn_text_append(title, "energy of a probe %s of %s in kcal/mol", name, score);
}

static qn_status write_mrc(const qn_potential_run_state *run, const char *title, const float *values, const char *path)
{
    const qn_potential_grid *grid = &run->model->settings.grid;
    qn_volume volume = {.values = (float *)values}; /* only read */
    for (int k = 0; k < 3; k++) {
        volume.counts[k] = grid->points[k];
        volume.voxel_angstrom[k] = grid->spacing_angstrom;
        volume.origin_angstrom[k] = grid->centre_angstrom[k] + qn_potential_grid_offset(grid, k, 0);
    }
    return qn_volume_write(&volume, title, path);
}

/* Write a map to the file `name`; NULL: not at all. */
static qn_status write_map(qn_potential_run_state *run, int map, unsigned format, const char *name)
{
    const float *values = run->values + (size_t)map * qn_potential_grid_size(&run->model->settings.grid);
    qn_text title = {0};
    char *path = NULL;
    if (!name) return QN_OK;
    qn_status status = describe(run, map, &title);
    if (status == QN_OK) status = qn_job_path(run->job, name, &path);
    if (status == QN_OK)
        status = format == QN_POTENTIAL_FORMAT_DX ? qn_dx_write(path, title.data, &run->model->settings.grid, values)
                                                  : write_mrc(run, title.data, values, path);
    qn_release(&path);
    qn_text_clear(&title);
    return status;
}

static qn_status write_one(size_t map, int worker, void *user)
{
    qn_potential_run_state *run = user;
    (void)worker;
    QN_TRY(write_map(run, (int)map, QN_POTENTIAL_FORMAT_DX, run->names.dx[map]));
    return write_map(run, (int)map, QN_POTENTIAL_FORMAT_MRC, run->names.mrc[map]);
}

qn_status qn_potential_write_volumes(qn_potential_run_state *run)
{
    if (!(run->formats & ~(unsigned)QN_POTENTIAL_FORMAT_MAP)) return QN_OK;
    return qn_pool_run(run->job->pool, (size_t)run->map_count, write_one, run);
}
