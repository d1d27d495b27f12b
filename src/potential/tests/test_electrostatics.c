/* devices: host opencl:0 cuda:0 checking:host */
/* Electrostatic maps on one device, compared with the sum over all pairs in double and with AutoGrid's maps. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "check_workload.h"
#include "potential/maps/electrostatics.h"
#include "potential/maps/kernels/electrostatics.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { ATOMS_MAX = 3000, ENTRIES = 16384, CORNERS_MAX = 8 };

static qn_device *device, *host;
static qn_queue *queue, *host_queue;
static double screening[ENTRIES], positions[3 * ATOMS_MAX], charges[ATOMS_MAX];

/* Mehler and Solmajer 1991, with AutoDock's weight of electrostatics; dielectric > 0: constant. */
static void make_screening(double dielectric)
{
    for (int i = 0; i < ENTRIES; i++) {
        const double r = 0.01 * i, distance_dependent = -8.5525 + 86.9525 / (1 + 7.7839 * exp(-0.003627 * 86.9525 * r));
        screening[i] = 0.1406 * 332 / (dielectric > 0 ? dielectric : i ? distance_dependent : 1);
    }
}

/* As dense as a protein, in a cube around the centre, with three decimals; or with all decimals that a double has. */
static void make_atoms(size_t count, bool decimals)
{
    const double side = cbrt((double)count / 0.063);
    for (size_t i = 0; i < 3 * count; i++) {
        positions[i] = 0.5 * side * (double)qn_workload_input(3, i);
        if (decimals) positions[i] = 1e-3 * (double)lround(1e3 * positions[i]);
    }
    for (size_t i = 0; i < count; i++) charges[i] = 0.4 * (double)qn_workload_input(4, i);
}

static qn_electrostatics_input input_of(const qn_potential_grid *grid, size_t atoms)
{
    return (qn_electrostatics_input){.grid = *grid,
                                     .atom_count = atoms,
                                     .positions_angstrom = positions,
                                     .charges_e = charges,
                                     .screening = screening,
                                     .entries = ENTRIES,
                                     .planes_max = grid->points[2]};
}

/* Compute `count` planes at a time. */
static void compute(qn_queue *on, const qn_electrostatics_input *input, const qn_configuration *configuration,
                    int count, float *map)
{
    const size_t plane = (size_t)input->grid.points[0] * (size_t)input->grid.points[1];
    qn_electrostatics *electrostatics = NULL;
    qn_buffer *potential = NULL;
    if (!CHECK_OK(qn_electrostatics_create(on, input, &electrostatics))) return;
    qn_electrostatics_configure(electrostatics, configuration);
    CHECK_OK(qn_buffer_create(qn_queue_device(on), plane * (size_t)count * sizeof(float), &potential));
    for (int first = 0; first < input->grid.points[2]; first += count) {
        const int here = input->grid.points[2] - first < count ? input->grid.points[2] - first : count;
        CHECK_OK(qn_workload_fill(on, potential, 0xff));
        CHECK_OK(qn_electrostatics_planes(electrostatics, first, here, potential, NULL));
        CHECK_OK(qn_workload_read(on, potential, 0, map + (size_t)first * plane, plane * (size_t)here * sizeof(float)));
    }
    qn_buffer_release(&potential);
    qn_electrostatics_destroy(&electrostatics);
    CHECK(electrostatics == NULL);
}

static double expected_at(const qn_electrostatics_input *input, size_t i)
{
    const qn_potential_grid *grid = &input->grid;
    const size_t nx = (size_t)grid->points[0], ny = (size_t)grid->points[1];
    const double at[3] = {qn_potential_grid_offset(grid, 0, (int)(i % nx)),
                          qn_potential_grid_offset(grid, 1, (int)(i / nx % ny)),
                          qn_potential_grid_offset(grid, 2, (int)(i / nx / ny))};
    return qn_electrostatics_reference(input->atom_count, positions, charges, screening, ENTRIES, at);
}

/* Largest difference from the reference, at every `stride`-th point. */
static double largest_difference(const qn_electrostatics_input *input, const float *map, size_t stride)
{
    double largest = 0;
    for (size_t i = 0; i < qn_potential_grid_size(&input->grid); i += stride)
        largest = qn_workload_larger_error(largest, fabs(map[i] - expected_at(input, i)));
    return largest;
}

/* Two charges, one of them nearer than 0.5 Å. */
static void reference_is_the_definition(void)
{
    const double at[6] = {0.9, 1.2, 0.05, 0, 0, 0.305}, two[2] = {0.25, -0.5}, origin[3] = {0};
    make_screening(-1);
    CHECK_NEAR(qn_electrostatics_reference(2, at, two, screening, ENTRIES, origin),
               0.25 * screening[150] / sqrt(2.2525) - 0.5 * screening[30] / 0.5, 1e-12);
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    static float map[21 * 13 * 11];
    const qn_potential_grid grid = {{21, 13, 11}, 0.375, {0}};
    const qn_electrostatics_input input = input_of(&grid, 700);
    ++*(int *)user;
    compute(queue, &input, configuration, 11, map);
    const double worst = largest_difference(&input, map, 1);
    CHECK(worst < 2e-4); /* the table's steps beyond 12 Å: 1e-4 for this density of charges */
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    int corners = 0;
    make_screening(-1);
    make_atoms(700, true);
    CHECK_OK(qn_family_sample_corners(&qn_potential_electrostatics_family, qn_device_get_info(device),
                                      corners_to_visit(qn_device_get_info(device), CORNERS_MAX), check_corner,
                                      &corners));
    CHECK(corners >= 1);
}

/* Without steps of the table, what remains is the error of the interpolation and of the polynomials. */
static void smooth_tables_have_small_errors(void)
{
    static float map[31 * 31 * 9];
    const qn_potential_grid grid = {{31, 31, 9}, 0.7, {0}};
    const qn_electrostatics_input input = input_of(&grid, 2000);
    make_screening(40);
    make_atoms(2000, true);
    compute(queue, &input, NULL, 9, map);
    CHECK(largest_difference(&input, map, 3) < 3e-5);
    make_screening(1); /* the same error, 40 times as large */
    compute(queue, &input, NULL, 9, map);
    CHECK(largest_difference(&input, map, 3) < 1.2e-3);
}

/* The host's bits, for whole maps and for slabs of any number of planes; for positions with many decimals too. */
static void bits_are_equal_everywhere(void)
{
    static float first[35 * 17 * 13], second[35 * 17 * 13];
    const qn_potential_grid grid = {{35, 17, 13}, 0.377, {0}};
    const qn_electrostatics_input input = input_of(&grid, 900);
    make_screening(-1);
    for (int decimals = 0; decimals < 2; decimals++) {
        make_atoms(900, decimals);
        compute(host_queue, &input, NULL, 13, first);
        for (int planes = 13; planes > 0; planes -= 4) {
            memset(second, 0xff, sizeof second);
            compute(queue, &input, NULL, planes, second);
            CHECK(memcmp(first, second, sizeof first) == 0);
        }
        CHECK(largest_difference(&input, first, 5) < 2e-4);
    }
}

/* Without atoms, with one that lies on a point, and with all of them far from the points. */
static void unusual_receptors_are_right(void)
{
    static float map[5 * 3 * 3];
    const qn_potential_grid grid = {{5, 3, 3}, 1, {0}};
    make_screening(-1);
    make_atoms(50, true);
    qn_electrostatics_input input = input_of(&grid, 0);
    compute(queue, &input, NULL, 3, map);
    for (size_t i = 0; i < sizeof map / sizeof *map; i++) CHECK(map[i] == 0);
    input.atom_count = 1;
    positions[0] = positions[1] = positions[2] = 0;
    compute(queue, &input, NULL, 3, map);
    CHECK(largest_difference(&input, map, 1) < 1e-5);
    input.atom_count = 50;
    for (int i = 0; i < 50; i++) positions[3 * i] += 300;
    compute(queue, &input, NULL, 3, map);
    CHECK(largest_difference(&input, map, 1) < 1e-5);
}

static void impossible_inputs_are_refused(void)
{
    qn_electrostatics *electrostatics = NULL;
    qn_buffer *potential = NULL;
    const qn_potential_grid grid = {{5, 3, 3}, 1, {0}};
    qn_electrostatics_input input = input_of(&grid, 2);
    input.planes_max = 2;
    make_atoms(2, true);
    CHECK_OK(qn_buffer_create(device, 1024, &potential));
    if (CHECK_OK(qn_electrostatics_create(queue, &input, &electrostatics))) {
        CHECK_FAILS(qn_electrostatics_planes(electrostatics, 0, 3, potential, NULL), QN_INVALID_ARGUMENT);
        CHECK_FAILS(qn_electrostatics_planes(electrostatics, 2, 2, potential, NULL), QN_INVALID_ARGUMENT);
        CHECK_MESSAGE_HAS("planes 2 to 3");
    }
    qn_electrostatics_destroy(&electrostatics);
    positions[4] = 30000;
    CHECK_FAILS(qn_electrostatics_create(queue, &input, &electrostatics), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("atom 2 is 30000 Å");
    input.grid.spacing_angstrom = 25000;
    CHECK_FAILS(qn_electrostatics_create(queue, &input, &electrostatics), QN_INVALID_ARGUMENT);
    CHECK(electrostatics == NULL);
    qn_buffer_release(&potential);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "potential/electrostatics", (const int[]){31, 400, 0}, &work);
    CHECK_NEAR(work.bytes_written, 31.0 * 31 * 31 * 4, 0);
    CHECK(work.reciprocal_roots > 1e6);
}

/* ---- AutoGrid's maps ---- */

/* Read a file of the reference data; NULL: a check failed. */
static char *read_reference(const char *name)
{
    char file[128], *text = NULL;
    size_t size;
    snprintf(file, sizeof file, "maps/%s", name);
    const char *path = check_reference_data(file);
    return CHECK(path != NULL) && CHECK_OK(qn_file_read(path, &text, &size)) ? text : NULL;
}

static double field(const char *line, int begin, int size)
{
    char text[16] = "";
    memcpy(text, line + begin, (size_t)size);
    return atof(text);
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

/* Read positions, relative to `centre`, and charges. Returns the number of atoms. */
static size_t read_receptor(const char *text, const double centre[3])
{
    size_t count = 0;
    for (const char *line = text; *line && count < ATOMS_MAX; line = next_line(line)) {
        if (strncmp(line, "ATOM", 4) != 0 && strncmp(line, "HETATM", 6) != 0) continue;
        for (int axis = 0; axis < 3; axis++)
            positions[3 * count + (size_t)axis] = field(line, 30 + 8 * axis, 8) - centre[axis];
        charges[count++] = field(line, 70, 6);
    }
    return count;
}

/* Compare with a map of AutoGrid, whose numbers have three decimals. */
static void compare_with_autogrid(const char *receptor, const char *map, double dielectric, int points,
                                  const double centre[3])
{
    char *atoms = read_reference(receptor), *text = read_reference(map);
    const size_t size = (size_t)points * (size_t)points * (size_t)points;
    const qn_potential_grid grid = {{points, points, points}, 0.375, {centre[0], centre[1], centre[2]}};
    static float values[41 * 41 * 41];
    size_t equal = 0;
    double largest = 0;
    if (atoms && text) {
        make_screening(dielectric);
        const qn_electrostatics_input input = input_of(&grid, read_receptor(atoms, centre));
        CHECK(input.atom_count > 100);
        compute(queue, &input, NULL, points, values);
        const char *line = text;
        for (int header = 0; header < 6; header++) line = next_line(line);
        for (size_t i = 0; i < size; i++, line = next_line(line)) {
            char printed[32];
            snprintf(printed, sizeof printed, "%.3f", values[i]);
            equal += fabs(atof(printed) - atof(line)) < 1e-6;
            largest = qn_workload_larger_error(largest, fabs(values[i] - atof(line)));
        }
        printf("%s: %.2f %% of %zu numbers are equal, largest difference %.5f\n", map,
               100 * (double)equal / (double)size, size, largest);
        CHECK((double)equal > 0.97 * (double)size);
        CHECK(largest < 0.001); /* half a unit of its last decimal, and as much for ours */
    }
    free(atoms);
    free(text);
}

static void maps_are_those_of_autogrid(void)
{
    static const double kinase[3] = {15.190, 53.903, 16.917}, protease[3] = {2.5, 6.5, -7.5};
    compare_with_autogrid("1iep_receptor.pdbqt", "1iep_receptor.e.map", -1, 41, kinase);
    compare_with_autogrid("1iep_receptor.pdbqt", "1iep_receptor_const.e.map", 40, 41, kinase);
    compare_with_autogrid("hsg1_sm/hsg1_sm.pdbqt", "hsg1_sm/hsg1_sm.e.map", -1, 5, protease);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    if (!CHECK_OK(qn_device_open(context, "host", &host)) || !CHECK_OK(qn_queue_create(host, &host_queue)))
        return check_finish();
    RUN(reference_is_the_definition);
    RUN(sampled_corners_are_right);
    RUN(smooth_tables_have_small_errors);
    RUN(bits_are_equal_everywhere);
    RUN(unusual_receptors_are_right);
    RUN(impossible_inputs_are_refused);
    RUN(workload_passes_its_check);
    if (check_reference_data("maps/1iep_receptor.e.map")) RUN(maps_are_those_of_autogrid);
    qn_queue_destroy(&queue);
    qn_queue_destroy(&host_queue);
    qn_device_release(&device);
    qn_device_release(&host);
    qn_context_destroy(&context);
    return check_finish();
}
