/* From options to a model: the grid parameter file, or its values from the command line, the parameters, the receptor.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "format/number.h"
#include "potential/run.h"

/* ---- values of options ---- */

/* Read three numbers with `separator` between them. */
static qn_status read_list(const char *option, const char *text, char separator, const char *expected, double values[3])
{
    const char *place = text;
    for (int i = 0; i < 3; i++) {
        const char *end = i < 2 ? strchr(place, separator) : place + strlen(place);
        if (!end || !qn_number_parse(place, (size_t)(end - place), &values[i]))
            return QN_FAIL(QN_INVALID_ARGUMENT, "--%s is \"%s\"; expected %s", option, text, expected);
        place = end + 1;
    }
    return QN_OK;
}

static qn_status take_centre(const char *text, qn_gpf *gpf)
{
    gpf->centre_is_given = true;
    gpf->centre_is_auto = strcmp(text, "auto") == 0;
    return gpf->centre_is_auto
               ? QN_OK
               : read_list("center", text, ',', "auto, or x,y,z in Å", gpf->settings.grid.centre_angstrom);
}

/* Round an extent up to an even number of spacings. `text` is where it comes from, for the message. */
static qn_status round_extent(const char *option, const char *text, const double extent_angstrom[3], qn_gpf *gpf)
{
    for (int k = 0; k < 3; k++) {
        const double pairs = ceil(extent_angstrom[k] / gpf->settings.grid.spacing_angstrom / 2 - 1e-9);
        if (!(pairs >= 1 && 2 * pairs <= QN_POTENTIAL_NPTS_MAX))
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "--%s is \"%s\", and the spacing is %g Å; expected 2 to %d spacings along each axis", option,
                           text, gpf->settings.grid.spacing_angstrom, QN_POTENTIAL_NPTS_MAX);
        gpf->npts[k] = 2 * (int)pairs;
    }
    return QN_OK;
}

static qn_status take_extent(const char *text, qn_gpf *gpf)
{
    double extent[3];
    QN_TRY(read_list("size", text, 'x', "three lengths in Å such as 60x60x60", extent));
    return round_extent("size", text, extent, gpf);
}

static qn_status take_site(qn_potential_run_state *run)
{
    return round_extent("site", run->options->site, run->site_extent_angstrom, &run->gpf);
}

static qn_status take_npts(const int npts[3], qn_gpf *gpf)
{
    for (int k = 0; k < 3; k++) {
        gpf->npts[k] = k > 0 && npts[k] == 0 ? gpf->npts[k - 1] : npts[k];
        if (gpf->npts[k] % 2)
            return QN_FAIL(QN_INVALID_ARGUMENT, "--npts has %d; expected even numbers of spacings", gpf->npts[k]);
    }
    return QN_OK;
}

static qn_status add_type(const char *types, const char *name, size_t length, qn_gpf *gpf)
{
    qn_text copy = {0};
    if (length == 0 || length >= QN_POTENTIAL_NAME_MAX || gpf->ligand_types.count == QN_POTENTIAL_PROBES_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--types is \"%s\"; expected up to %d atom types of at most %d characters with commas between "
                       "them, such as A,C,HD,N,NA,OA",
                       types, QN_POTENTIAL_PROBES_MAX, QN_POTENTIAL_NAME_MAX - 1);
    QN_TRY(qn_text_append_bytes(&copy, name, length));
    if (qn_gpf_names_have(&gpf->ligand_types, copy.data)) {
        qn_text_clear(&copy);
        return QN_FAIL(QN_INVALID_ARGUMENT, "--types is \"%s\"; expected each type once", types);
    }
    gpf->ligand_types.names[gpf->ligand_types.count++] = copy.data;
    return QN_OK;
}

static qn_status take_types(const char *types, qn_gpf *gpf)
{
    for (const char *place = types, *end; place; place = *end ? end + 1 : NULL) {
        end = place + strcspn(place, ",");
        QN_TRY(add_type(types, place, (size_t)(end - place), gpf));
    }
    const int count = gpf->ligand_types.count;
    QN_TRY(qn_allocate((size_t)count, sizeof *gpf->probes, (void **)&gpf->probes));
    for (int i = 0; i < count; i++)
        memcpy(gpf->probes[i], gpf->ligand_types.names[i], strlen(gpf->ligand_types.names[i]));
    gpf->settings.probes = gpf->probes;
    gpf->settings.probe_count = count;
    return QN_OK;
}

/* Fill `gpf` from the options, as if a file had been read. */
static qn_status gpf_from_options(qn_potential_run_state *run)
{
    const qn_potential_options *options = run->options;
    qn_gpf *gpf = &run->gpf;
    gpf->settings = qn_potential_settings_default();
    gpf->settings.grid.spacing_angstrom = options->spacing_angstrom;
    gpf->settings.smooth_angstrom = options->smooth_angstrom;
    gpf->settings.dielectric = options->dielectric;
    QN_TRY(qn_potential_site_find(run));
    QN_TRY(qn_potential_types_find(run));
    QN_TRY(take_centre(options->centre, gpf));
    if (options->extent)
        QN_TRY(take_extent(options->extent, gpf));
    else
        QN_TRY(options->npts[0] || !options->site ? take_npts(options->npts, gpf) : take_site(run));
    if (options->site && gpf->centre_is_auto) {
        gpf->centre_is_auto = false;
        memcpy(gpf->settings.grid.centre_angstrom, run->site_centre_angstrom, sizeof run->site_centre_angstrom);
    }
    if (options->parameters) QN_TRY(qn_text_copy(options->parameters, &gpf->parameter_file));
    return run->types.data ? take_types(run->types.data, gpf) : QN_OK;
}

/* ---- receptor ---- */

/* AutoGrid computes wrong maps or stops where the receptor has a type that receptor_types lacks. */
static qn_status check_types(const qn_potential_run_state *run)
{
    const qn_gpf_names *known = &run->gpf.receptor_types;
    for (size_t i = 0; i < run->receptor.atom_count; i++) {
        const qn_potential_atom *atom = &run->receptor.atoms[i];
        if (qn_potential_type_find(&run->parameters, atom->type, strlen(atom->type)) < 0)
            return QN_FAIL(
                QN_BAD_FORMAT,
                "%s:%zu: atom type \"%s\" has no parameters; expected one of AutoDock's, or a parameter_file "
                "with a line \"atom_par %s ...\"",
                run->receptor_path, atom->line, atom->type, atom->type);
        if (!known->line || qn_gpf_names_have(known, atom->type)) continue;
        qn_text line = {0};
        qn_status status = qn_text_append(&line, "receptor_types");
        for (int k = 0; k < known->count && status == QN_OK; k++)
            status = qn_text_append(&line, " %s", known->names[k]);
        if (status == QN_OK)
            status = QN_FAIL(
                QN_BAD_FORMAT, "%s:%zu: receptor_types lacks type %s of line %zu of %s; expected the line \"%s %s\"",
                run->options->gpf, known->line, atom->type, atom->line, run->receptor_path, line.data, atom->type);
        qn_text_clear(&line);
        return status;
    }
    return QN_OK;
}

/* Refuse probes without parameters here, because the model does not know which file they come from. */
static qn_status check_probes(const qn_potential_run_state *run)
{
    const qn_gpf *gpf = &run->gpf;
    const qn_potential_options *options = run->options;
    qn_text place = {0};
    qn_status status;
    if (options->gpf)
        status = qn_text_append(&place, "%s:%zu: ligand_types has", options->gpf, gpf->ligand_types.line);
    else if (options->ligand)
        status = qn_text_append(&place, "--ligand %s gives", options->ligand);
    else
        status = qn_text_append(&place, "--types has");
    for (int i = 0; i < gpf->settings.probe_count && status == QN_OK; i++) {
        const char *name = gpf->probes[i];
        if (qn_potential_type_find(&run->parameters, name, strlen(name)) < 0)
            status =
                QN_FAIL(QN_BAD_FORMAT,
                        "%s \"%s\", which has no parameters; expected one of AutoDock's types, or a parameter file "
                        "with a line \"atom_par %s ...\"",
                        place.data, name, name);
        else if (strcmp(name, QN_POTENTIAL_COVALENT_NAME) == 0 && !gpf->well_is_given)
            status =
                QN_FAIL(QN_BAD_FORMAT,
                        "%s \"%s\", the probe of a covalent map, whose well is not given; expected --gpf with a line "
                        "\"covalentmap HALF_WIDTH BARRIER X Y Z\"",
                        place.data, name);
    }
    qn_text_clear(&place);
    return status;
}

/* The path on the command line comes first; a file that the grid parameter file names is looked for in the working
 * folder, as AutoGrid does. */
static qn_status read_receptor(qn_potential_run_state *run)
{
    const char *given = run->options->receptor, *named = run->gpf.receptor;
    if (!given && !named)
        return QN_FAIL(QN_BAD_FORMAT, "%s: lacks a line \"receptor NAME.pdbqt\", and no receptor is given",
                       run->options->gpf);
    if (given && named && !qn_file_is_same(given, named))
        QN_TRY(qn_job_warn(run->job, "%s names the receptor %s; %s is used instead", run->options->gpf, named, given));
    QN_TRY(qn_text_copy(given ? given : named, &run->receptor_path));
    QN_TRY(qn_potential_receptor_load(run));
    bool has_charges = false;
    for (size_t i = 0; i < run->receptor.atom_count; i++) has_charges |= run->receptor.atoms[i].charge_e != 0;
    if (!has_charges)
        QN_TRY(qn_job_warn(run->job, "%s: no atom has a partial charge, so that the electrostatic map is 0",
                           run->receptor_path));
    return check_types(run);
}

static void find_mean(const qn_potential_receptor *receptor, double mean[3])
{
    for (int k = 0; k < 3; k++) {
        mean[k] = 0;
        for (size_t i = 0; i < receptor->atom_count; i++) mean[k] += receptor->atoms[i].position_angstrom[k];
        mean[k] /= (double)receptor->atom_count;
    }
}

/* ---- model ---- */

static qn_status report_unknown(qn_potential_run_state *run)
{
    const char *place = run->gpf.unknown.data;
    while (place && *place) {
        const size_t length = strcspn(place, "\n");
        QN_TRY(qn_job_warn(run->job, "%.*s", (int)length, place));
        place += length + 1;
    }
    return QN_OK;
}

/* Such a line has no effect: a misspelt type would go unnoticed. */
static qn_status report_unused(qn_potential_run_state *run)
{
    for (size_t i = 0; i < run->gpf.settings.override_count && run->field_count > 0; i++) {
        const qn_potential_override *override = &run->gpf.overrides[i];
        if (!qn_potential_model_takes(run->model, override))
            QN_TRY(qn_job_warn(run->job,
                               "%s:%zu: no map is of %s or %s around atoms of the other type; the line is not used",
                               run->options->gpf, override->line, override->types[0], override->types[1]));
    }
    return QN_OK;
}

static void name_maps(qn_potential_run_state *run)
{
    const int probes = run->gpf.settings.probe_count;
    for (int i = 0; i < probes; i++) run->map_names[i] = run->gpf.probes[i];
    run->map_names[probes] = "e";
    run->map_names[probes + 1] = "d";
    run->map_names[probes + 2] = "f";
    run->field_count = probes + (run->gpf.distance_map ? 3 : 2);
    if (run->options->score == QN_POTENTIAL_VINA) run->field_count = 0;
    run->map_count = run->field_count;
    if (run->options->coulomb) {
        run->field_count = run->map_count = 0;
        run->map_names[run->map_count++] = "coulomb";
    }
    for (int i = 0; i < run->vina_count; i++) run->map_names[run->map_count++] = qn_vina_row_name(run->vina_probes[i]);
}

/* Vina derives its types from AutoDock's. */
static qn_status make_vina_model(qn_potential_run_state *run)
{
    const size_t count = run->receptor.atom_count;
    qn_vina_source_atom *atoms = NULL;
    int *rows = NULL;
    qn_status status = qn_allocate(count, sizeof *atoms, (void **)&atoms);
    if (status == QN_OK) status = qn_allocate(count, sizeof *rows, (void **)&rows);
    for (size_t i = 0; i < count && status == QN_OK; i++) {
        memcpy(atoms[i].position_angstrom, run->receptor.atoms[i].position_angstrom, 3 * sizeof(double));
        memcpy(atoms[i].type, run->receptor.atoms[i].type, sizeof atoms[i].type);
    }
    if (status == QN_OK) status = qn_vina_rows_of(run->receptor_path, atoms, count, rows);
    if (status == QN_OK)
        status = qn_vina_model_create(atoms, rows, count, run->vina_probes, run->vina_count, &run->vina);
    qn_release(&atoms);
    qn_release(&rows);
    return status;
}

qn_status qn_potential_plan(qn_potential_run_state *run)
{
    const qn_potential_options *options = run->options;
    qn_gpf *gpf = &run->gpf;
    QN_TRY(options->gpf ? qn_gpf_read(options->gpf, gpf) : gpf_from_options(run));
    QN_TRY(qn_potential_formats_find(run));
    if (options->gpf) QN_TRY(qn_potential_types_find(run));
    QN_TRY(report_unknown(run));
    QN_TRY(qn_potential_parameters_start(&run->parameters));
    if (gpf->parameter_file) QN_TRY(qn_potential_parameters_read(gpf->parameter_file, &run->parameters));
    QN_TRY(check_probes(run));
    QN_TRY(read_receptor(run));
    if (gpf->centre_is_auto) find_mean(&run->receptor, gpf->settings.grid.centre_angstrom);
    for (int k = 0; k < 3; k++) gpf->settings.grid.points[k] = gpf->npts[k] + 1;
    name_maps(run);
    if (run->vina_count > 0) QN_TRY(make_vina_model(run));
    QN_TRY(qn_potential_model_create(&gpf->settings, &run->parameters, &run->receptor, &run->model));
    return report_unused(run);
}
