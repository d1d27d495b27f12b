/* quern evaluate: how close docking models come to the known complex. */
#include <quern/evaluate.h>
#include <quern/version.h>

#include "cli/commands.h"
#include "cli/output.h"

#include <string.h>

typedef struct settings {
    cli_list models;
    const char *reference[2]; /* receptor, ligand */
    const char *receptor_chains, *ligand_chains;
    const char *csv, *json;
} settings;

static const cli_positional positionals[] = {
    {.name = "MODELS",
     .offset = offsetof(settings, models),
     .many = true,
     .help = "output folders of quern dock, whose cluster models are judged, or model files (PDB, mmCIF)"},
    {0}};

static const cli_option options[] = {
    {.name = "reference",
     .letter = 'r',
     .type = CLI_PAIR,
     .argument = "RECEPTOR LIGAND",
     .offset = offsetof(settings, reference),
     .required = true,
     .help = "structures of the two partners in the known complex, each FILE or FILE:CHAINS"},
    {.name = "receptor-chains",
     .type = CLI_TEXT,
     .argument = "CHAINS",
     .offset = offsetof(settings, receptor_chains),
     .default_text = "the file's own remarks, else the reference's chain names",
     .help = "which chains of a model file are the receptor: AB, or A,BB for long names"},
    {.name = "ligand-chains",
     .type = CLI_TEXT,
     .argument = "CHAINS",
     .offset = offsetof(settings, ligand_chains),
     .default_text = "likewise",
     .help = "which chains of a model file are the ligand"},
    {.name = "csv",
     .type = CLI_TEXT,
     .argument = "FILE",
     .offset = offsetof(settings, csv),
     .default_text = "",
     .help = "write the table to FILE as comma-separated values; - prints that instead of the table"},
    {.name = "json",
     .type = CLI_TEXT,
     .argument = "FILE",
     .offset = offsetof(settings, json),
     .default_text = "",
     .help = "write the table to FILE as JSON; - prints that instead of the table"},
    {0}};

static void set_defaults(void *memory)
{
    *(settings *)memory = (settings){0};
}

static bool is_right(const qn_evaluate_model *model)
{
    return strcmp(model->capri, "incorrect") != 0;
}

static void print_summary(const qn_evaluate_report *report)
{
    size_t right = 0, first = 0, best = 0;
    for (size_t i = 0; i < report->model_count; i++) {
        if (is_right(&report->models[i]) && right++ == 0) first = i;
        if (report->models[i].dockq > report->models[best].dockq) best = i;
    }
    printf("\nAcceptable or better: %zu of %zu models", right, report->model_count);
    if (right > 0) printf("; the first is number %zu, %s", first + 1, report->models[first].name);
    printf(".\nHighest DockQ: %.3f, %s.\n", report->models[best].dockq, report->models[best].name);
}

static void print_table(const qn_evaluate_report *report)
{
    int width = 5;
    for (size_t i = 0; i < report->model_count; i++) {
        int length = (int)strlen(report->models[i].name);
        if (length > width) width = length;
    }
    printf("%-*s  %6s  %10s  %10s  %6s  %s\n", width, "Model", "Fnat", "i-RMSD (Å)", "L-RMSD (Å)", "DockQ", "CAPRI");
    for (size_t i = 0; i < report->model_count; i++) {
        const qn_evaluate_model *model = &report->models[i];
        printf("%-*s  %6.3f  %10.2f  %10.2f  %6.3f  %s\n", width, model->name, model->fnat,
               model->interface_rmsd_angstrom, model->ligand_rmsd_angstrom, model->dockq, model->capri);
    }
    if (report->model_count > 0) print_summary(report);
}

static int write_csv(const char *path, const qn_evaluate_report *report)
{
    cli_document document;
    int exit_code = cli_document_open(&document, path);
    if (exit_code != CLI_DONE) return exit_code;
    fputs("model,fnat,interface_rmsd_angstrom,ligand_rmsd_angstrom,dockq,capri\n", document.stream);
    for (size_t i = 0; i < report->model_count; i++) {
        const qn_evaluate_model *model = &report->models[i];
        cli_csv_text(document.stream, model->name);
        fprintf(document.stream, ",%.6f,%.4f,%.4f,%.6f,%s\n", model->fnat, model->interface_rmsd_angstrom,
                model->ligand_rmsd_angstrom, model->dockq, model->capri);
    }
    return cli_document_close(&document);
}

static int write_json(const char *path, const qn_evaluate_report *report)
{
    cli_document document;
    int exit_code = cli_document_open(&document, path);
    if (exit_code != CLI_DONE) return exit_code;
    FILE *stream = document.stream;
    fprintf(stream, "{\"quern\": \"%s\",\n \"models\": [", qn_version());
    for (size_t i = 0; i < report->model_count; i++) {
        const qn_evaluate_model *model = &report->models[i];
        fprintf(stream, "%s\n    {\"model\": ", i ? "," : "");
        cli_json_text(stream, model->name);
        fputs(", \"fnat\": ", stream);
        cli_json_number(stream, model->fnat);
        fputs(", \"interface_rmsd_angstrom\": ", stream);
        cli_json_number(stream, model->interface_rmsd_angstrom);
        fputs(", \"ligand_rmsd_angstrom\": ", stream);
        cli_json_number(stream, model->ligand_rmsd_angstrom);
        fputs(", \"dockq\": ", stream);
        cli_json_number(stream, model->dockq);
        fprintf(stream, ", \"capri\": \"%s\"}", model->capri);
    }
    fputs("\n ]}\n", stream);
    return cli_document_close(&document);
}

static int run(void *memory)
{
    const settings *chosen = memory;
    qn_context *context = NULL;
    qn_evaluate_report *report = NULL;
    qn_evaluate_options request = {.models = chosen->models.items,
                                   .model_count = chosen->models.count,
                                   .receptor_reference = chosen->reference[0],
                                   .ligand_reference = chosen->reference[1],
                                   .receptor_chains = chosen->receptor_chains,
                                   .ligand_chains = chosen->ligand_chains};
    bool to_output = (chosen->csv && strcmp(chosen->csv, "-") == 0) || (chosen->json && strcmp(chosen->json, "-") == 0);
    int exit_code = cli_report(qn_context_create(&(qn_context_options){.log = cli_log_warning}, &context));
    if (exit_code == CLI_DONE) exit_code = cli_report(qn_evaluate_run(context, &request, &report));
    if (exit_code == CLI_DONE && !to_output) print_table(report);
    if (exit_code == CLI_DONE && chosen->csv) exit_code = write_csv(chosen->csv, report);
    if (exit_code == CLI_DONE && chosen->json) exit_code = write_json(chosen->json, report);
    qn_evaluate_report_destroy(&report);
    qn_context_destroy(&context);
    return exit_code;
}

const cli_command cli_evaluate = {
    .name = "evaluate",
    .summary = "judge docking models against the known complex (Fnat, RMSD, DockQ, CAPRI class)",
    .description = "Compare docking models with the known complex: the fraction of "
                   "native contacts (Fnat), interface and ligand RMSD, "
                   "DockQ and the CAPRI class of each model. Residues are matched by "
                   "author numbering, else by sequence alignment.",
    .positionals = positionals,
    .options = options,
    .settings_bytes = sizeof(settings),
    .set_defaults = set_defaults,
    .run = run,
};
