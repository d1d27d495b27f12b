/* The grid parameter file that a run without one writes, so that AutoGrid can repeat the run. */
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "potential/run.h"

static qn_status describe(const qn_potential_run_state *run, qn_text *text)
{
    const qn_potential_model *model = run->model;
    const qn_potential_settings *settings = &model->settings;
    const qn_potential_grid *grid = &settings->grid;
    const int probes = settings->probe_count;
    if (run->gpf.parameter_file) QN_TRY(qn_text_append(text, "parameter_file %s\n", run->gpf.parameter_file));
    QN_TRY(qn_text_append(text, "npts %d %d %d\ngridfld %s\nspacing %.10g\nreceptor_types", grid->points[0] - 1,
                          grid->points[1] - 1, grid->points[2] - 1, run->names.field, grid->spacing_angstrom));
    for (int i = 0; i < model->kind_count; i++)
        QN_TRY(qn_text_append(text, " %s", model->parameters->types[model->kind_types[i]].name));
    QN_TRY(qn_text_append(text, "\nligand_types"));
    for (int i = 0; i < probes; i++) QN_TRY(qn_text_append(text, " %s", run->map_names[i]));
    QN_TRY(qn_text_append(text, "\nreceptor %s\ngridcenter %.10g %.10g %.10g\nsmooth %.10g\n",
                          run->names.prepared ? run->names.prepared : run->receptor_path, grid->centre_angstrom[0],
                          grid->centre_angstrom[1], grid->centre_angstrom[2], settings->smooth_angstrom));
    for (int i = 0; i < probes; i++) QN_TRY(qn_text_append(text, "map %s\n", run->names.maps[i]));
    return qn_text_append(text, "elecmap %s\ndsolvmap %s\ndielectric %.10g\n", run->names.maps[probes],
                          run->names.maps[probes + 1], settings->dielectric);
}

qn_status qn_potential_write_gpf(qn_potential_run_state *run)
{
    qn_text text = {0};
    char *path = NULL;
    qn_status status = describe(run, &text);
    if (status == QN_OK) status = qn_job_path(run->job, run->names.gpf, &path);
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_release(&path);
    qn_text_clear(&text);
    return status;
}
