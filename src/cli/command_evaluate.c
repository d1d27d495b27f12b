/* quern evaluate: comparison of docking models with the known complex. */
#include <quern/evaluate.h>
#include <quern/version.h>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/output.h"

#include <string.h>

typedef struct settings {
    qn_evaluate_options evaluate;
    cli_files files;
} settings;

static const qn_option file_rows[] = {{.like = &cli_csv_row}, {.like = &cli_json_row}, {0}};
static const qn_option_table file_table = {"evaluate", sizeof(cli_files), file_rows, NULL};

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = qn_evaluate_option_table(), .offset = offsetof(settings, evaluate)};
    parts[1] = (cli_part){.table = &file_table, .offset = offsetof(settings, files)};
}

static bool is_right(const qn_evaluate_model *model)
{
    return model->capri != QN_CAPRI_INCORRECT;
}

static void print_summary(const qn_evaluate_result *result)
{
    size_t right = 0, first = 0, best = 0;
    for (size_t i = 0; i < result->model_count; i++) {
        if (is_right(&result->models[i]) && right++ == 0) first = i;
        if (result->models[i].dockq > result->models[best].dockq) best = i;
    }
    printf("\nAcceptable or better: %zu of %zu %s", right, result->model_count,
           cli_plural(result->model_count, "model", "models"));
    if (right > 0) printf("; the first is number %zu, %s", first + 1, result->models[first].name);
    printf(".\nHighest DockQ: %.3f, %s.\n", result->models[best].dockq, result->models[best].name);
}

static void print_table(const qn_evaluate_result *result)
{
    int width = 5;
    for (size_t i = 0; i < result->model_count; i++) {
        int length = (int)strlen(result->models[i].name);
        if (length > width) width = length;
    }
    printf("%-*s  %6s  %10s  %10s  %6s  %s\n", width, "Model", "Fnat", "i-RMSD (Å)", "L-RMSD (Å)", "DockQ", "CAPRI");
    for (size_t i = 0; i < result->model_count; i++) {
        const qn_evaluate_model *model = &result->models[i];
        printf("%-*s  %6.3f  %10.2f  %10.2f  %6.3f  %s\n", width, model->name, model->fnat,
               model->interface_rmsd_angstrom, model->ligand_rmsd_angstrom, model->dockq,
               qn_capri_class_name(model->capri));
    }
    if (result->model_count > 0) print_summary(result);
}

static int write_csv(const char *path, const qn_evaluate_result *result)
{
    cli_document document;
    int exit_code = cli_document_open(&document, path);
    if (exit_code != CLI_DONE) return exit_code;
    fputs("model,fnat,interface_rmsd_angstrom,ligand_rmsd_angstrom,dockq,capri\n", document.stream);
    for (size_t i = 0; i < result->model_count; i++) {
        const qn_evaluate_model *model = &result->models[i];
        cli_csv_text(document.stream, model->name);
        fprintf(document.stream, ",%.6f,%.4f,%.4f,%.6f,%s\n", model->fnat, model->interface_rmsd_angstrom,
                model->ligand_rmsd_angstrom, model->dockq, qn_capri_class_name(model->capri));
    }
    return cli_document_close(&document);
}

static int write_json(const char *path, const qn_evaluate_result *result)
{
    cli_document document;
    int exit_code = cli_document_open(&document, path);
    if (exit_code != CLI_DONE) return exit_code;
    FILE *stream = document.stream;
    fprintf(stream, "{\"quern\": \"%s\",\n \"models\": [", qn_version());
    for (size_t i = 0; i < result->model_count; i++) {
        const qn_evaluate_model *model = &result->models[i];
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
        fprintf(stream, ", \"capri\": \"%s\"}", qn_capri_class_name(model->capri));
    }
    fputs("\n ]}\n", stream);
    return cli_document_close(&document);
}

static int run(void *memory)
{
    const settings *chosen = memory;
    const cli_files *files = &chosen->files;
    qn_context *context = NULL;
    qn_evaluate_result *result = NULL;
    int exit_code = cli_report(
        qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .log = cli_log_warning}, &context));
    if (exit_code == CLI_DONE) exit_code = cli_report(qn_evaluate_run(context, &chosen->evaluate, &result));
    if (exit_code == CLI_DONE && !cli_files_are_output(files)) print_table(result);
    if (exit_code == CLI_DONE && files->csv) exit_code = write_csv(files->csv, result);
    if (exit_code == CLI_DONE && files->json) exit_code = write_json(files->json, result);
    qn_evaluate_result_destroy(&result);
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
    .list_parts = list_parts,
    .settings_bytes = sizeof(settings),
    .run = run,
};
