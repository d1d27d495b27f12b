/* Screening with inputs and results in memory: screen_in_memory RECEPTOR LIBRARY LIGAND [EFFORT].
 *
 * The receptor is a qn_molecule. The library and the ligand in the site are texts, as a program that uses RDKit or Open
 * Babel has them. The best energies are printed, and no file is written. */
#include <quern/screen.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const char *message)
{
    fprintf(stderr, "%s\n", message);
    return 1;
}

/* Read a file into memory; `bytes` is NULL if that fails. */
static qn_screen_content read_content(const char *path)
{
    qn_screen_content content = {.name = path};
    FILE *file = fopen(path, "rb");
    if (!file) return content;
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    void *bytes = size > 0 ? malloc((size_t)size) : NULL;
    rewind(file);
    if (bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size) {
        content.bytes = bytes;
        content.size = (size_t)size;
    } else {
        free(bytes);
    }
    fclose(file);
    return content;
}

static void print_result(const qn_screen_result *result)
{
    for (size_t i = 0; i < result->molecule_count && i < 5; i++) {
        const qn_screen_result_molecule *molecule = &result->molecules[result->ranking[i]];
        printf("%zu. %s: %.2f %s\n", i + 1, molecule->name, molecule->energy, result->energy_unit);
    }
    if (result->pose_count > 0) { /* poses of the best molecule come first */
        const qn_screen_result_pose *pose = &result->poses[0];
        printf("the first of %zu atoms of the best pose is at %.3f, %.3f, %.3f\n", pose->atom_count,
               pose->positions_angstrom[0], pose->positions_angstrom[1], pose->positions_angstrom[2]);
    }
    for (size_t i = 0; i < result->rejection_count; i++)
        printf("rejected %s: %s\n", result->rejections[i].name, result->rejections[i].reason);
}

static qn_status screen(qn_context *context, const qn_molecule *receptor, const qn_screen_content *library,
                        const qn_screen_content *ligand, double effort)
{
    qn_screen_options options = qn_screen_default_options();
    qn_screen_result *result;
    options.receptor_molecule = receptor;
    options.library_contents = library;
    options.library_content_count = 1;
    options.site_content = ligand;
    if (effort > 0) options.effort = effort;
    const qn_status status = qn_screen_run(context, &options, &result);
    if (status == QN_OK) print_result(result);
    qn_screen_result_destroy(&result);
    return status;
}

int main(int count, char **arguments)
{
    if (count < 4) {
        fprintf(stderr, "usage: %s RECEPTOR LIBRARY LIGAND [EFFORT]\n", arguments[0]);
        return 2;
    }
    const qn_screen_content library = read_content(arguments[2]), ligand = read_content(arguments[3]);
    if (!library.bytes || !ligand.bytes) return fail("the library or the ligand cannot be read");
    qn_context *context = NULL;
    qn_molecule *receptor = NULL;
    qn_status status = qn_context_create(NULL, &context);
    if (status == QN_OK) status = qn_molecule_read(context, arguments[1], NULL, &receptor);
    if (status == QN_OK) status = screen(context, receptor, &library, &ligand, count > 4 ? atof(arguments[4]) : 0);
    if (status != QN_OK) fprintf(stderr, "%s: %s\n", qn_status_name(status), qn_error_message());
    qn_molecule_destroy(&receptor);
    qn_context_destroy(&context);
    free((void *)library.bytes);
    free((void *)ligand.bytes);
    return status == QN_OK ? 0 : 1;
}
