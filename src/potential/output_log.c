/* The log: the content of AutoGrid's .glg file, with AutoGrid's words in the lines that users' scripts look for. */
#include <math.h>
#include <quern/version.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "potential/run.h"

static qn_status describe_types(const qn_potential_run_state *run, qn_text *text)
{
    const qn_potential_model *model = run->model;
    QN_TRY(qn_text_append(text, "Atom\tAtom\tNumber of this Type\nType\t ID \t in Receptor\n____\t____\t"
                                "___________________\n"));
    for (int kind = 0; kind < model->kind_count; kind++) {
        int count = 0;
        for (size_t i = 0; i < model->atom_count; i++) count += model->kinds[i] == kind;
        QN_TRY(qn_text_append(text, " %d\t %s\t\t%6d\n", kind, model->parameters->types[model->kind_types[kind]].name,
                              count));
    }
    return QN_OK;
}

static qn_status describe_receptor(const qn_potential_run_state *run, qn_text *text)
{
    const qn_potential_receptor *receptor = &run->receptor;
    double charge = 0, charges[2] = {INFINITY, -INFINITY}, low[3], high[3];
    for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
    for (size_t i = 0; i < receptor->atom_count; i++) {
        const qn_potential_atom *atom = &receptor->atoms[i];
        charge += atom->charge_e;
        charges[0] = fmin(charges[0], atom->charge_e), charges[1] = fmax(charges[1], atom->charge_e);
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], atom->position_angstrom[k]);
            high[k] = fmax(high[k], atom->position_angstrom[k]);
        }
    }
    QN_TRY(qn_text_append(text,
                          "Receptor Input File :\t%s\n\nMaximum partial atomic charge found = %+.3f e\n"
                          "Minimum partial atomic charge found = %+.3f e\n\n",
                          run->names.receptor_label, charges[1], charges[0]));
    QN_TRY(describe_types(run, text));
    return qn_text_append(
        text,
        "\nTotal number of atoms :\t\t%zu atoms \nTotal charge :\t\t\t%.2f e\n\n"
        "Maximum coordinates :\t\t(%.3f, %.3f, %.3f)\nMinimum coordinates :\t\t(%.3f, %.3f, %.3f)\n\n",
        receptor->atom_count, charge, high[0], high[1], high[2], low[0], low[1], low[2]);
}

static qn_status describe_grid(const qn_potential_run_state *run, qn_text *text)
{
    const qn_potential_settings *settings = &run->model->settings;
    const qn_potential_grid *grid = &settings->grid;
    for (int k = 0; k < 3; k++)
        QN_TRY(qn_text_append(text, "Number of grid points in %c-direction:\t%d\n", 'x' + k, grid->points[k]));
    QN_TRY(qn_text_append(text,
                          "\nGrid Spacing :\t\t\t%.3f Angstrom\n\nGrid maps are centered on (%.3f, %.3f, %.3f)\n\n"
                          "Potentials are smoothed by: %.3f Angstrom\n",
                          grid->spacing_angstrom, grid->centre_angstrom[0], grid->centre_angstrom[1],
                          grid->centre_angstrom[2], settings->smooth_angstrom));
    if (settings->dielectric < 0)
        QN_TRY(qn_text_append(text,
                              "Using *distance-dependent* dielectric function of Mehler and Solmajer, Prot.Eng.4, "
                              "903-910.\n"));
    else
        QN_TRY(qn_text_append(text, "Using a *constant* dielectric of:  %.2f\n", settings->dielectric));
    return qn_text_append(text, "Charge component of the atomic solvation parameter: %.5f\n\n",
                          settings->charge_solvation);
}

static qn_status describe_pairs(const qn_potential_run_state *run, qn_text *text)
{
    const qn_potential_model *model = run->model;
    const int probes = model->settings.probe_count;
    QN_TRY(qn_text_append(text, "Calculating Pairwise Interaction Energies\n\n"));
    for (int probe = 0; probe < probes; probe++)
        for (int kind = 0; kind < model->kind_count && probe != model->covalent_probe; kind++) {
            const qn_potential_pair *pair = &model->pairs[kind * probes + probe];
            QN_TRY(qn_text_append(text, "E %s, %s = %.1f / r^%d - %.1f / r^%d\n", run->map_names[probe],
                                  model->parameters->types[model->kind_types[kind]].name, pair->repulsion,
                                  pair->repulsion_power, pair->attraction, pair->attraction_power));
        }
    return qn_text_append(text, "\n");
}

static qn_status describe_maps(const qn_potential_run_state *run, qn_text *text)
{
    const int probes = run->model->settings.probe_count;
    static const char *const others[] = {"\tElectrostatic Potential", "\tDesolvation Potential",
                                         "\tDistance of an Atom"};
    QN_TRY(qn_text_append(text,
                          "Calculated %d grids over %zu elements, around %zu receptor atoms.\n\n"
                          "Grid\tAtom\tMinimum   \tMaximum\nMap \tType\tEnergy    \tEnergy \n"
                          "\t\t(kcal/mol)\t(kcal/mol)\n____\t____\t_____________\t_____________\n",
                          run->field_count, qn_potential_grid_size(&run->model->settings.grid),
                          run->model->atom_count));
    for (int i = 0; i < run->field_count; i++)
        QN_TRY(qn_text_append(text, " %d\t %s\t  %6.2f\t%9.2e%s\n", i + 1, run->map_names[i], run->least[i],
                              run->most[i], i < probes ? "" : others[i - probes]));
    return qn_text_append(text,
                          "\n\n * Note:  Every pairwise-atomic interaction was clamped at %.2f\n\n"
                          "quern potential: Successful Completion.\n",
                          QN_POTENTIAL_CLAMP);
}

static qn_status describe(const qn_potential_run_state *run, qn_text *text)
{
    QN_TRY(
        qn_text_append(text, "quern potential %s\n\nGrid parameter file: %s\n\n", qn_version(), run->names.gpf_label));
    QN_TRY(describe_grid(run, text));
    QN_TRY(describe_receptor(run, text));
    QN_TRY(describe_pairs(run, text));
    return describe_maps(run, text);
}

qn_status qn_potential_write_log(qn_potential_run_state *run)
{
    qn_text text = {0};
    char *path = NULL;
    qn_status status = describe(run, &text);
    if (status == QN_OK) status = qn_job_path(run->job, run->names.log, &path);
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_release(&path);
    qn_text_clear(&text);
    return status;
}
