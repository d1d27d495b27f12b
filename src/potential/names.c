/* Names of the files of a run: in a folder of its own, or where a grid parameter file says. */
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "potential/run.h"

/* Make a name of the first `length` characters of `base` and of `ending`. */
static qn_status join(const char *base, size_t length, const char *ending, char **name)
{
    qn_text text = {0};
    QN_TRY(qn_text_append(&text, "%.*s%s", (int)length, base, ending));
    *name = text.data;
    return QN_OK;
}

/* Length of a name without its last ending. */
static size_t without_ending(const char *name)
{
    const char *dot = strrchr(qn_path_name(name), '.');
    return dot && dot != qn_path_name(name) ? (size_t)(dot - name) : strlen(name);
}

/* Name of the file of grid extrema: that of the field with another ending, as AutoGrid makes it. */
static qn_status name_extrema(const char *field, char **name)
{
    return join(field, without_ending(field), ".xyz", name);
}

/* Name of a map's file as the grid parameter file gives it. */
static const char *name_in_gpf(const qn_potential_run_state *run, int map)
{
    const qn_gpf *gpf = &run->gpf;
    const char *const others[] = {gpf->electrostatic_map, gpf->desolvation_map, gpf->distance_map};
    return map < gpf->maps.count ? gpf->maps.names[map] : others[map - gpf->maps.count];
}

/* ---- a folder ---- */

static qn_status name_in_folder(qn_potential_run_state *run)
{
    qn_potential_names *names = &run->names;
    const qn_gpf *gpf = &run->gpf;
    const char *receptor = qn_path_name(run->receptor_path);
    const size_t stem = without_ending(receptor);
    const char *field = gpf->field ? qn_path_name(gpf->field) : NULL;
    names->output.folder = run->options->output;
    names->output.journal_folder = "unfinished";
    QN_TRY(field ? qn_text_copy(field, &names->field) : join(receptor, stem, ".maps.fld", &names->field));
    QN_TRY(name_extrema(names->field, &names->extrema));
    QN_TRY(join(receptor, stem, ".glg", &names->log));
    if (!run->options->gpf && run->field_count > 0) QN_TRY(join(receptor, stem, ".gpf", &names->gpf));
    if (run->prepared.data) QN_TRY(join(receptor, stem, ".pdbqt", &names->prepared));
    for (int i = 0; i < run->map_count; i++) {
        qn_text name = {0};
        QN_TRY(run->options->gpf && i < run->field_count
                   ? qn_text_append(&name, "%s", qn_path_name(name_in_gpf(run, i)))
                   : qn_text_append(&name, "%.*s.%s.map", (int)stem, receptor, run->map_names[i]));
        names->maps[i] = name.data;
        QN_TRY(qn_text_copy(name.data, &names->labels[i]));
    }
    QN_TRY(qn_text_copy(names->field, &names->field_label));
    return qn_text_copy(names->extrema, &names->extrema_label);
}

/* ---- beside other files ---- */

/* Cut the stem from a path, as qn_job_path joins both: "x.A.map" gives ".A.map", and "x_A.map" gives "A.map". */
static qn_status cut_stem(const qn_potential_run_state *run, const char *path, char **name)
{
    const size_t length = strlen(run->names.stem);
    const char *rest = path + length;
    if (strncmp(path, run->names.stem, length) != 0 || (rest[0] != '.' && rest[0] != '_') || rest[1] == '\0' ||
        strchr(rest, '/'))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s: the file %s is to lie beside the files that begin with %s; expected a name that begins so, "
                       "or --output with a folder for all files",
                       run->options->gpf, path, run->names.stem);
    return qn_text_copy(rest[0] == '_' ? rest + 1 : rest, name);
}

static qn_status name_vina(const qn_potential_run_state *run, int map, char **name)
{
    qn_text text = {0};
    QN_TRY(qn_text_append(&text, "%s.%s.map", run->names.stem, run->map_names[map]));
    *name = text.data;
    return QN_OK;
}

static qn_status name_beside(qn_potential_run_state *run)
{
    qn_potential_names *names = &run->names;
    const char *field = run->gpf.field;
    QN_TRY(join(field,
                qn_text_ends_in(field, ".maps.fld") ? strlen(field) - strlen(".maps.fld") : without_ending(field), "",
                &names->stem));
    names->output.stem = names->stem;
    names->output.journal_folder = "unfinished";
    QN_TRY(cut_stem(run, field, &names->field));
    QN_TRY(name_extrema(names->field, &names->extrema));
    QN_TRY(qn_text_copy(".glg", &names->log));
    for (int i = 0; i < run->map_count; i++) {
        QN_TRY(i < run->field_count ? qn_text_copy(name_in_gpf(run, i), &names->labels[i])
                                    : name_vina(run, i, &names->labels[i]));
        QN_TRY(cut_stem(run, names->labels[i], &names->maps[i]));
    }
    QN_TRY(qn_text_copy(field, &names->field_label));
    return name_extrema(field, &names->extrema_label);
}

/* The one file of --coulomb: "x.mrc" is ".mrc" of the stem "x". */
static qn_status name_coulomb(qn_potential_run_state *run)
{
    qn_potential_names *names = &run->names;
    const char *path = run->options->output, *ending = strrchr(path, '.');
    QN_TRY(join(path, (size_t)(ending - path), "", &names->stem));
    names->output.stem = names->stem;
    names->output.journal_folder = "unfinished";
    return qn_text_copy(ending, run->formats & QN_POTENTIAL_FORMAT_DX ? &names->dx[0] : &names->mrc[0]);
}

/* "1iep.A.map" with another ending. */
static qn_status replace_ending(const char *name, const char *ending, char **replaced)
{
    return join(name, qn_text_ends_in(name, ".map") ? strlen(name) - strlen(".map") : strlen(name), ending, replaced);
}

static qn_status name_volumes(qn_potential_run_state *run)
{
    qn_potential_names *names = &run->names;
    for (int i = 0; i < run->map_count; i++) {
        if (run->formats & QN_POTENTIAL_FORMAT_DX) QN_TRY(replace_ending(names->maps[i], ".dx", &names->dx[i]));
        if (run->formats & QN_POTENTIAL_FORMAT_MRC) QN_TRY(replace_ending(names->maps[i], ".mrc", &names->mrc[i]));
    }
    return QN_OK;
}

const char *qn_potential_map_name(const qn_potential_run_state *run, int map)
{
    if (run->formats & QN_POTENTIAL_FORMAT_MAP) return run->names.maps[map];
    return run->formats & QN_POTENTIAL_FORMAT_DX ? run->names.dx[map] : run->names.mrc[map];
}

/* List the files that the run writes, and no others: those of a user may have any other name. */
static qn_status list_all(qn_potential_run_state *run)
{
    qn_potential_names *names = &run->names;
    const bool writes_maps = run->formats & QN_POTENTIAL_FORMAT_MAP;
    int count = 0;
    QN_TRY(qn_allocate(3 * QN_POTENTIAL_MAPS_MAX + 7, sizeof *names->all, (void **)&names->all));
    if (run->field_count > 0 && writes_maps) {
        names->all[count++] = names->field;
        names->all[count++] = names->extrema;
    }
    if (run->field_count > 0) names->all[count++] = names->log;
    if (names->gpf) names->all[count++] = names->gpf;
    if (names->prepared) names->all[count++] = names->prepared;
    names->all[count++] = "run.json";
    for (int i = 0; i < run->map_count; i++) {
        if (writes_maps) names->all[count++] = names->maps[i];
        if (names->dx[i]) names->all[count++] = names->dx[i];
        if (names->mrc[i]) names->all[count++] = names->mrc[i];
    }
    names->output.names = names->output.stem ? names->all : NULL;
    return QN_OK;
}

/* Two maps of one name would overwrite each other. */
static qn_status check_names(const qn_potential_run_state *run)
{
    for (int i = 0; i < run->map_count; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(run->names.maps[i], run->names.maps[k]) == 0)
                return QN_FAIL(QN_BAD_FORMAT, "%s: two maps have the name %s; expected different names",
                               run->options->gpf, run->names.labels[i]);
    return QN_OK;
}

qn_status qn_potential_names_make(qn_potential_run_state *run)
{
    const qn_potential_options *options = run->options;
    qn_potential_names *names = &run->names;
    const char *receptor = run->gpf.receptor && !options->receptor ? run->gpf.receptor : run->receptor_path;
    if (options->in_memory || (!options->output && !options->gpf)) return QN_OK;
    if (options->coulomb) {
        QN_TRY(name_coulomb(run));
        return list_all(run);
    }
    QN_TRY(options->output ? name_in_folder(run) : name_beside(run));
    QN_TRY(qn_text_copy(options->gpf ? options->gpf : names->gpf ? names->gpf : "NULL", &names->gpf_label));
    QN_TRY(qn_text_copy(names->prepared ? names->prepared : receptor, &names->receptor_label));
    QN_TRY(check_names(run));
    QN_TRY(name_volumes(run));
    return list_all(run);
}

void qn_potential_names_clear(qn_potential_names *names)
{
    char **const texts[] = {&names->stem,          &names->field,     &names->extrema,
                            &names->log,           &names->gpf,       &names->field_label,
                            &names->extrema_label, &names->gpf_label, &names->receptor_label,
                            &names->prepared};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) qn_release(texts[i]);
    for (int i = 0; i < QN_POTENTIAL_MAPS_MAX; i++) {
        qn_release(&names->maps[i]);
        qn_release(&names->dx[i]);
        qn_release(&names->mrc[i]);
        qn_release(&names->labels[i]);
    }
    qn_release(&names->all);
}
