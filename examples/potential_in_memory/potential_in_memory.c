/* Potential maps in memory: potential_in_memory RECEPTOR LIGAND.
 *
 * Maps of the types of the ligand's atoms are made around its place in the receptor. For each map the program prints
 * where its least energy is, and how much of the box is favourable. No file is written. */
#include <quern/potential.h>
#include <stdio.h>

static void print_map(const qn_potential_result *result, const qn_potential_map *map)
{
    const size_t nx = (size_t)result->points[0], ny = (size_t)result->points[1], nz = (size_t)result->points[2];
    const double step = result->spacing_angstrom;
    size_t least = 0, favourable = 0;
    for (size_t i = 0; i < nx * ny * nz; i++) {
        if (map->values[i] < map->values[least]) least = i;
        favourable += map->values[i] < -0.3f;
    }
    const size_t point[3] = {least % nx, least / nx % ny, least / (nx * ny)};
    printf("%-5s %8.3f at", map->name, (double)map->values[least]);
    for (int k = 0; k < 3; k++)
        printf(" %.2f", result->centre_angstrom[k] + ((double)point[k] - (double)(result->points[k] / 2)) * step);
    printf(", %.1f cubic angstrom below -0.3\n", (double)favourable * step * step * step);
}

int main(int count, char **arguments)
{
    qn_context *context = NULL;
    qn_potential_result *result = NULL;
    if (count != 3) {
        fprintf(stderr, "usage: %s RECEPTOR LIGAND\n", arguments[0]);
        return 2;
    }
    qn_potential_options options = qn_potential_default_options();
    options.receptor = arguments[1];
    options.site = options.ligand = arguments[2];
    options.score = QN_POTENTIAL_BOTH;
    options.spacing_angstrom = 0.5;
    qn_status status = qn_context_create(NULL, &context);
    if (status == QN_OK) status = qn_potential_run(context, &options, &result);
    if (status == QN_OK) {
        printf("%d x %d x %d points\n", result->points[0], result->points[1], result->points[2]);
        for (size_t i = 0; i < result->map_count; i++) print_map(result, &result->maps[i]);
    } else
        fprintf(stderr, "%s\n", qn_error_message());
    qn_potential_result_destroy(&result);
    qn_context_destroy(&context);
    return status != QN_OK;
}
