/* Runs docking, screening, trajectory analysis and reconstruction and prints digits of the results. check_versions.sh
 * compiles this file with the headers of three versions and runs all of them with one library. It uses only options
 * that all of these headers have. check_locale.sh runs it under a locale with a decimal comma.
 *
 *     program_of_a_version RECEPTOR LIGAND KINASE SITE LIBRARY TOPOLOGY TRAJECTORY [OUTPUT]
 *
 * With OUTPUT, a folder, docking and screening also write files into folders below it. With any other number of
 * arguments the program prints the sizes of the structs of options. With the macro SETS_ADDED_OPTION it sets an option
 * that only the newest headers have.
 */
#include <locale.h>
#include <math.h>
#include <quern/dock.h>
#include <quern/evaluate.h>
#include <quern/fft.h>
#include <quern/fsc.h>
#include <quern/project.h>
#include <quern/reconstruct.h>
#include <quern/screen.h>
#include <quern/trajectory.h>
#include <quern/tune.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 16 };

/* Path of a folder below OUTPUT; NULL: nothing is written. */
static const char *output_folder(const char *output, const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", output ? output : "", name);
    return output ? path : NULL;
}

static void expect(qn_status status, const char *what)
{
    if (status == QN_OK) return;
    fprintf(stderr, "%s: %s\n", what, qn_error_message());
    exit(1);
}

static void dock(qn_context *context, const char *receptor, const char *ligand, const char *output)
{
    qn_molecule_options reading = qn_molecule_default_options();
    qn_dock_options options = qn_dock_default_options();
    qn_molecule *receptor_molecule, *ligand_molecule, *model;
    qn_dock_result *result;
    expect(qn_molecule_read(context, receptor, &reading, &receptor_molecule), "receptor");
    expect(qn_molecule_read(context, ligand, &reading, &ligand_molecule), "ligand");
    options.receptor_molecule = receptor_molecule;
    options.ligand_molecule = ligand_molecule;
    options.rotations = 20;
    options.spacing_angstrom = 1.75;
    options.output = output_folder(output, "dock");
    options.run.device = "host";
#ifdef SETS_ADDED_OPTION
    options.added_number = 1;
#endif
    expect(qn_dock_run(context, &options, &result), "dock");
    printf("dock %zu %zu %a\n", result->pose_count, result->cluster_count, result->best_energy);

    expect(qn_dock_result_model(result, &result->clusters[0], &model), "model");
    qn_evaluate_options judging = qn_evaluate_default_options();
    qn_evaluate_result *judged;
    judging.model_molecules = (const qn_molecule *const *)&model;
    judging.model_molecule_count = 1;
    judging.receptor_reference = receptor;
    judging.ligand_reference = ligand;
    expect(qn_evaluate_run(context, &judging, &judged), "evaluate");
    printf("evaluate %a %a\n", judged->models[0].dockq, judged->models[0].ligand_rmsd_angstrom);
    qn_evaluate_result_destroy(&judged);
    qn_molecule_destroy(&model);
    qn_dock_result_destroy(&result);
    qn_molecule_destroy(&receptor_molecule);
    qn_molecule_destroy(&ligand_molecule);
}

static void screen(qn_context *context, const char *receptor, const char *site, const char *library, const char *output)
{
    qn_screen_options options = qn_screen_default_options();
    qn_screen_result *result;
    options.receptor = receptor;
    options.site = site;
    options.libraries = &library;
    options.library_count = 1;
    options.output = output_folder(output, "screen");
    options.run.device = "host";
    expect(qn_screen_run(context, &options, &result), "screen");
    printf("screen %zu %a\n", result->molecule_count, result->best_energy);
    qn_screen_result_destroy(&result);
}

static void analyse(qn_context *context, const char *topology, const char *trajectory)
{
    const qn_trajectory_query queries[] = {{.size = sizeof queries[0], .query_class = "gyration"},
                                           {.size = sizeof queries[0], .query_class = "rdf", .select = "name OW"}};
    qn_trajectory_options options = qn_trajectory_default_options();
    qn_trajectory_result *result;
    options.topology = topology;
    options.trajectories = &trajectory;
    options.trajectory_count = 1;
    options.queries = queries;
    options.query_count = 2;
    options.run.device = "host";
    expect(qn_trajectory_run(context, &options, &result), "trajectory");
    for (size_t i = 0; i < result->query_count; i++) {
        const qn_trajectory_result_table *table = &result->queries[i].tables[0];
        double sum = 0;
        for (size_t k = 0; k < table->row_count * table->column_count; k++) sum += table->values[k];
        printf("trajectory %s %zu %a\n", result->queries[i].name, table->row_count, sum);
    }
    qn_trajectory_result_destroy(&result);
}

/* Project a blob, reconstruct it with two half maps, and correlate the map with itself. */
static void reconstruct(qn_context *context)
{
    qn_volume *blob;
    qn_project_options projecting = qn_project_default_options();
    qn_reconstruct_options options = qn_reconstruct_default_options();
    qn_fsc_run_options correlating = qn_fsc_default_run_options();
    qn_project_result *projected;
    qn_reconstruct_result *result;
    qn_fsc *fsc;
    expect(qn_volume_create((const int[]){SIDE, SIDE, SIDE}, 2, &blob), "volume");
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        const int at[] = {i % SIDE - SIDE / 2, i / SIDE % SIDE - SIDE / 2, i / SIDE / SIDE - SIDE / 2};
        blob->values[i] = (float)exp(-(at[0] * at[0] + 2 * at[1] * at[1] + 3 * at[2] * at[2]) / 12.0);
    }
    projecting.map_volume = blob;
    projecting.views = 50;
    projecting.snr = 2.5;
    projecting.run.device = "host";
    expect(qn_project_run(context, &projecting, &projected), "project");
    const qn_image_array images = {
        .values = projected->images, .count = (size_t)projected->image_count, .side = projected->image_side};
    options.particle_set = projected->particle_set;
    options.images = &images;
    options.halves = true;
    options.deterministic = true;
    options.run.device = "host";
    expect(qn_reconstruct_run(context, &options, &result), "reconstruct");
    printf("reconstruct %a %a\n", result->map->values[SIDE * SIDE * SIDE / 2], result->resolution_angstrom);
    correlating.half_1_volume = correlating.half_2_volume = result->map;
    expect(qn_fsc_run(context, &correlating, &fsc), "fsc");
    printf("fsc %a\n", fsc->unmasked[SIDE / 4]);
    qn_fsc_destroy(&fsc);
    qn_reconstruct_result_destroy(&result);
    qn_project_result_destroy(&projected);
    qn_volume_destroy(&blob);
}

static void print_sizes(void)
{
#define PRINT(type) printf("%s %zu\n", #type, sizeof(type))
    PRINT(qn_context_options);
    PRINT(qn_dock_options);
    PRINT(qn_evaluate_options);
    PRINT(qn_screen_options);
    PRINT(qn_trajectory_options);
    PRINT(qn_trajectory_query);
    PRINT(qn_project_options);
    PRINT(qn_reconstruct_options);
    PRINT(qn_fsc_run_options);
}

int main(int argc, char **argv)
{
    qn_context *context;
    qn_context_options options = qn_context_default_options();
    const char *output = argc == 9 ? argv[8] : NULL;
    setlocale(LC_ALL, "");
    if (argc != 8 && argc != 9) {
        print_sizes();
        return 0;
    }
    options.threads = 2;
    expect(qn_context_create(&options, &context), "context");
    dock(context, argv[1], argv[2], output);
    screen(context, argv[3], argv[4], argv[5], output);
    analyse(context, argv[6], argv[7]);
    reconstruct(context);
    qn_context_destroy(&context);
    return 0;
}
