/* Vina's maps of Abl against maps that AutoDock Vina 1.2.7 wrote (run through its Python interface; four significant
 * digits), and the types of a receptor's atoms. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "potential/vina/vina_model.h"

enum { MOST = 4096, LINES = 200 };

static double column(const char *line, int first, int length)
{
    char text[16] = {0};
    memcpy(text, line + first, (size_t)length);
    return strtod(text, NULL);
}

static size_t read_receptor(const char *path, qn_vina_source_atom *atoms)
{
    char line[128];
    size_t count = 0;
    FILE *file = fopen(path, "r");
    if (!file) exit(1);
    while (count < MOST && fgets(line, sizeof line, file)) {
        if (strncmp(line, "ATOM", 4) != 0) continue;
        qn_vina_source_atom *a = &atoms[count++];
        for (int k = 0; k < 3; k++) a->position_angstrom[k] = column(line, 30 + 8 * k, 8);
        sscanf(line + 77, "%7s", a->type);
    }
    fclose(file);
    return count;
}

/* Half a unit of the fourth significant digit. */
static double precision_of(double value)
{
    return value == 0 ? 1e-9 : 0.5 * pow(10, floor(log10(fabs(value))) - 3);
}

/* The file has a sample of the points of 18 maps: name of the map, i, j, k, value. */
static void abl_has_the_values_of_vina(void)
{
    static qn_vina_source_atom atoms[MOST];
    static int rows[MOST];
    int probes[QN_VINA_PROBES_MAX], point[3];
    const char *path = check_reference_data("maps/1iep_receptor.pdbqt");
    const qn_potential_grid grid = {{41, 41, 41}, 0.375, {15.190, 53.903, 16.917}};
    const size_t points = qn_potential_grid_size(&grid);
    qn_vina_model *model = NULL;
    qn_vina_device *on_device = NULL;
    qn_context *context = NULL;
    qn_device *device = NULL;
    qn_queue *queue = NULL;
    if (!path) return;
    const size_t count = read_receptor(path, atoms);
    for (int i = 0; i < 18; i++) probes[i] = i;
    float *values = malloc(18 * points * sizeof *values);
    if (!CHECK_OK(qn_vina_rows_of("1iep", atoms, count, rows)) || !CHECK(values != NULL) ||
        !CHECK_OK(qn_vina_model_create(atoms, rows, count, probes, 18, &model)) ||
        !CHECK_OK(qn_context_create(NULL, &context)) || !CHECK_OK(qn_device_open(context, "host", &device)) ||
        !CHECK_OK(qn_queue_create(device, &queue)) ||
        !CHECK_OK(qn_vina_device_create(model, &grid, queue, &on_device)) ||
        !CHECK_OK(qn_vina_device_compute(on_device, 0, 41, values)))
        return;
    char name[16];
    double expected, worst = 0;
    int lines = 0;
    FILE *file = fopen(check_data("autodock/abl_vina_maps.txt"), "r");
    while (file && fscanf(file, "%15s %d %d %d %lf", name, &point[0], &point[1], &point[2], &expected) == 5) {
        const int row = qn_vina_row_find(name);
        if (!CHECK(row >= 0)) continue;
        const double value =
            (double)values[(size_t)row * points + ((size_t)point[2] * 41 + (size_t)point[1]) * 41 + (size_t)point[0]];
        worst = fmax(worst, fabs(value - expected) / precision_of(expected));
        if (!CHECK(fabs(value - expected) <= 1.01 * precision_of(expected) + 1e-6)) /* sums in single precision */
            printf("  %s (%d %d %d): %.5f, Vina: %g\n", name, point[0], point[1], point[2], value, expected);
        lines++;
    }
    CHECK(lines == 18 * LINES);
    printf("largest difference: %.3f of half a unit of Vina's last digit\n", worst);
    if (file) fclose(file);
    free(values);
    qn_vina_device_destroy(&on_device);
    qn_vina_model_destroy(&model);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
}

/* A slab has the values of the same layers of the whole, also where a device computes one after the other. */
static void slabs_are_parts_of_the_whole(void)
{
    const qn_vina_source_atom atoms[2] = {{{0, 0, 0}, "C"}, {{1.2, 0.4, 2.5}, "OA"}};
    const qn_potential_grid grid = {{5, 7, 9}, 0.5, {0.1, 0.2, 0.3}};
    const int probes[2] = {0, qn_vina_row_find("o_da")};
    float whole[2 * 5 * 7 * 9], part[2 * 5 * 7 * 4];
    int rows[2];
    qn_vina_model *model = NULL;
    qn_vina_device *on_device = NULL;
    qn_context *context = NULL;
    qn_device *device = NULL;
    qn_queue *queue = NULL;
    if (!CHECK_OK(qn_vina_rows_of("two", atoms, 2, rows)) ||
        !CHECK_OK(qn_vina_model_create(atoms, rows, 2, probes, 2, &model)) ||
        !CHECK_OK(qn_context_create(NULL, &context)) || !CHECK_OK(qn_device_open(context, "host", &device)) ||
        !CHECK_OK(qn_queue_create(device, &queue)) || !CHECK_OK(qn_vina_device_create(model, &grid, queue, &on_device)))
        return;
    CHECK_OK(qn_vina_device_compute(on_device, 0, 9, whole));
    CHECK_OK(qn_vina_device_compute(on_device, 5, 4, part));
    for (int p = 0; p < 2; p++)
        CHECK(memcmp(whole + p * 5 * 7 * 9 + 5 * 5 * 7, part + p * 5 * 7 * 4, 5 * 7 * 4 * sizeof(float)) == 0);
    qn_vina_device_destroy(&on_device);
    qn_vina_model_destroy(&model);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
}

/* Formamide with its hydrogens, a water's oxygen without, zinc, and a carbon alone. */
static void types_follow_from_neighbours(void)
{
    const qn_vina_source_atom atoms[] = {{{0, 0, 0}, "C"},       {{1.22, 0, 0}, "OA"},   {{-0.7, 1.15, 0}, "N"},
                                         {{-0.2, 2.0, 0}, "HD"}, {{-0.6, -0.9, 0}, "H"}, {{9, 0, 0}, "OA"},
                                         {{20, 0, 0}, "Zn"},     {{30, 0, 0}, "A"},      {{40, 0, 0}, "NA"}};
    static const char *const expected[] = {"C_P", "O_A", "N_D", NULL, NULL, "O_A", "Met_D", "C_H", "N_A"};
    int rows[9];
    if (!CHECK_OK(qn_vina_rows_of("formamide", atoms, 9, rows))) return;
    for (int i = 0; i < 9; i++)
        if (expected[i])
            CHECK_TEXT(qn_vina_row_name(rows[i]), expected[i]);
        else
            CHECK(rows[i] == -1);
    const qn_vina_source_atom neon = {{0, 0, 0}, "Ne"};
    CHECK_FAILS(qn_vina_rows_of("bulb", &neon, 1, rows), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("bulb: atom 1 has type Ne");
}

int main(void)
{
    if (check_reference_data("maps/1iep_receptor.pdbqt")) RUN(abl_has_the_values_of_vina);
    RUN(slabs_are_parts_of_the_whole);
    RUN(types_follow_from_neighbours);
    return check_finish();
}
