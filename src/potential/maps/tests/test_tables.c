/* Parameters, pair tables, bond directions and the text of maps against hand calculation and printf. */
#include "check.h"

#include <math.h>
#include <quern/file.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "potential/maps/map_text.h"
#include "potential/maps/model.h"

static qn_potential_parameters parameters;

static int type(const char *name)
{
    return qn_potential_type_find(&parameters, name, strlen(name));
}

/* AutoGrid 4.2.6 prints these coefficients for its own table. */
static void coefficients_are_those_that_autogrid_prints(void)
{
    static const struct {
        const char *receptor, *probe;
        double repulsion, attraction;
        int power;
    } pairs[] = {{"C", "A", 418256.0, 204.2, 6},   {"C", "HD", 4837.8, 13.3, 6},    {"C", "OA", 136402.3, 125.3, 6},
                 {"C", "I", 2252661.1, 655.9, 6},  {"C", "Fe", 772.0, 4.5, 6},      {"C", "Mg", 7221.6, 41.7, 6},
                 {"SA", "A", 482960.4, 235.8, 6},  {"C", "Zn", 8548.0, 40.4, 6},    {"C", "P", 649528.1, 273.5, 6},
                 {"C", "Br", 1094035.8, 419.2, 6}, {"C", "Cl", 648863.7, 296.3, 6}, {"C", "Ca", 24373.2, 68.2, 6}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const qn_potential_pair pair = qn_potential_pair_of(&parameters, type(pairs[i].receptor), type(pairs[i].probe));
        CHECK_NEAR(pair.repulsion, pairs[i].repulsion, 0.051);
        CHECK_NEAR(pair.attraction, pairs[i].attraction, 0.051);
        CHECK(pair.repulsion_power == 12 && pair.attraction_power == pairs[i].power && !pair.is_bond);
    }
}

static void bonds_have_the_acceptors_well(void)
{
    static const struct {
        const char *donor, *acceptor;
        double distance, depth;
    } pairs[] = {{"HD", "OA", 1.9, 5}, {"HS", "NA", 1.9, 5}, {"HD", "SA", 2.5, 1}, {"HD", "NS", 1.9, 5}};
    double table[QN_POTENTIAL_ENTRIES];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const qn_potential_pair pair = qn_potential_pair_of(&parameters, type(pairs[i].acceptor), type(pairs[i].donor));
        CHECK(pair.is_bond && pair.attraction_power == 10);
        qn_potential_pair_table(&pair, 0, table);
        CHECK_NEAR(table[(int)lrint(100 * pairs[i].distance)], -0.1209 * pairs[i].depth, 1e-12);
    }
    CHECK(!qn_potential_pair_of(&parameters, type("HD"), type("HS")).is_bond);
    CHECK(!qn_potential_pair_of(&parameters, type("OA"), type("NA")).is_bond);
}

static void tables_are_clamped_and_smoothed(void)
{
    double sharp[QN_POTENTIAL_ENTRIES], smooth[QN_POTENTIAL_ENTRIES];
    const qn_potential_pair pair = qn_potential_pair_with_well(4, 0.15, 12, 6);
    qn_potential_pair_table(&pair, 0, sharp);
    qn_potential_pair_table(&pair, 0.5, smooth);
    CHECK_NEAR(sharp[400], -0.15, 1e-12);
    CHECK_NEAR(sharp[600], 0.15 * (pow(4 / 6.0, 12) - 2 * pow(4 / 6.0, 6)), 1e-12);
    CHECK(sharp[0] == QN_POTENTIAL_CLAMP && sharp[50] == QN_POTENTIAL_CLAMP);
    CHECK(sharp[QN_POTENTIAL_ENTRIES - 1] == 0);
    CHECK_NEAR(smooth[300], sharp[325], 0); /* repulsive: the end of the window */
    CHECK_NEAR(smooth[380], -0.15, 1e-12);  /* the well lies in the window */
    CHECK_NEAR(smooth[500], sharp[475], 0);
}

static void other_tables_have_known_values(void)
{
    double values[QN_POTENTIAL_ENTRIES], *dielectric;
    CHECK_OK(qn_allocate(QN_POTENTIAL_DIELECTRIC_ENTRIES, sizeof *dielectric, (void **)&dielectric));
    qn_potential_desolvation_table(0.1322, values);
    CHECK(values[0] == 0);
    CHECK_NEAR(values[360], 0.1322 * exp(-0.5), 1e-12);
    qn_potential_dielectric_table(dielectric);
    CHECK(dielectric[0] == 1);
    CHECK_NEAR(dielectric[50], 2.82, 0.005); /* as AutoGrid prints it */
    CHECK_NEAR(dielectric[500], 24.78, 0.005);
    qn_release(&dielectric);
}

/* ---- parameter files ---- */

static const char *write_file(const char *name, const char *text)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
    CHECK_OK(qn_file_write(path, text, strlen(text)));
    return path;
}

static void parameter_files_add_and_replace_types(void)
{
    qn_potential_parameters own = {0};
    CHECK_OK(qn_potential_parameters_start(&own));
    const size_t before = own.type_count;
    CHECK_OK(qn_potential_parameters_read(
        write_file("good.dat",
                   "# comment\nFE_coeff_vdW 0.2\natom_par Si 4.10 0.200 35.8235 -0.00143 0.0 0.0 0 -1 -1 6 # x\n"
                   "atom_par C 4.00 0.300 33.5103 -0.00143 0.0 0.0 0 -1 -1 0\n"),
        &own));
    CHECK(own.type_count == before + 1);
    CHECK_NEAR(own.types[qn_potential_type_find(&own, "C", 1)].depth, 0.06, 1e-12);
    CHECK_NEAR(own.types[qn_potential_type_find(&own, "N", 1)].depth, 0.16 * 0.1662, 1e-12); /* of the built-in table */
    qn_potential_parameters_clear(&own);
}

static void broken_parameter_files_are_refused(void)
{
    static const struct {
        const char *text, *part;
    } files[] = {{"atom_par C 4.00 deep 33.5 0 0 0 0 -1 -1 0\n", "bad.dat:1: the well depth epsii is \"deep\""},
                 {"\natom_par C\n", "bad.dat:2: the van der Waals diameter Rii is \"\""},
                 {"atom_par Carbonate 4 0.1 3 0 0 0 0 -1 -1 0\n", "the atom type is \"Carbonate\""},
                 {"atom_par C 4 0.1 3 0 0 0 9 -1 -1 0\n", "the role in hydrogen bonds is \"9\""},
                 {"atom_par C -4 0.1 3 0 0 0 0 -1 -1 0\n", "expected a diameter above 0"},
                 {"# nothing\n", "bad.dat: holds no parameters"},
                 {"FE_coeff_vdW much\n", "FE_coeff_vdW is \"much\""},
                 {"atom_parameter C\n", "\"atom_parameter\"; expected atom_par"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        qn_potential_parameters own = {0};
        CHECK_OK(qn_potential_parameters_start(&own));
        CHECK_FAILS(qn_potential_parameters_read(write_file("bad.dat", files[i].text), &own), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS(files[i].part);
        qn_potential_parameters_clear(&own);
    }
}

/* ---- directions ---- */

typedef struct placed_atom {
    const char *type;
    double x, y, z;
} placed_atom;

/* Direction of the first atom. */
static qn_potential_direction direction_of(const placed_atom *placed, size_t count)
{
    qn_potential_atom atoms[32] = {0};
    qn_potential_direction directions[32];
    int types[32];
    for (size_t i = 0; i < count; i++) {
        atoms[i].position_angstrom[0] = placed[i].x;
        atoms[i].position_angstrom[1] = placed[i].y;
        atoms[i].position_angstrom[2] = placed[i].z;
        types[i] = type(placed[i].type);
    }
    const qn_potential_receptor receptor = {.atoms = atoms, .atom_count = count};
    qn_potential_directions_find(&receptor, types, &parameters, directions);
    return directions[0];
}

static void check_vector(const double vector[3], double x, double y, double z)
{
    CHECK_NEAR(vector[0], x, 1e-12);
    CHECK_NEAR(vector[1], y, 1e-12);
    CHECK_NEAR(vector[2], z, 1e-12);
}

static void hydrogens_point_away_from_their_atom(void)
{
    const placed_atom amide[] = {{"HD", 1, 0, 0}, {"N", 0, 0, 0}}, hydroxyl[] = {{"HD", 0, 0.9, 0}, {"OA", 0, 0, 0}};
    const placed_atom far[] = {{"HD", 1.4, 0, 0}, {"N", 0, 0, 0}}, spherical[] = {{"HD", 1, 0, 0}, {"OS", 0, 0, 0}};
    check_vector(direction_of(amide, 2).axis, 1, 0, 0);
    CHECK(direction_of(amide, 2).power == 2);
    check_vector(direction_of(hydroxyl, 2).axis, 0, 1, 0);
    CHECK(direction_of(hydroxyl, 2).power == 4);
    check_vector(direction_of(far, 2).axis, 0, 0, 0);
    CHECK(direction_of(spherical, 2).power == 2);
}

static void acceptors_point_away_from_their_neighbours(void)
{
    const placed_atom carbonyl[] = {{"OA", 1.2, 0, 0}, {"C", 0, 0, 0}, {"N", -0.7, 1.1, 0}, {"C", -0.7, -1.1, 0.2}};
    const placed_atom ether[] = {{"OA", 0, 0, 0}, {"C", 1, 1, 0}, {"C", -1, 1, 0}};
    const placed_atom imine[] = {{"NA", 0, 0, 0}, {"A", 1, 0.8, 0}, {"A", -1, 0.8, 0}};
    check_vector(direction_of(carbonyl, 4).axis, 1, 0, 0);
    /* the last neighbour gives the plane: x × (−0.7, −1.1, 0.2) */
    const double length = sqrt(1.1 * 1.1 + 0.2 * 0.2);
    check_vector(direction_of(carbonyl, 4).normal, 0, -0.2 / length, -1.1 / length);
    check_vector(direction_of(ether, 3).axis, 0, -1, 0);
    check_vector(direction_of(ether, 3).normal, -1, 0, 0);
    check_vector(direction_of(imine, 3).axis, 0, -1, 0);
}

/* Neighbours count if they are at most 20 places away in the file, from the oxygen also for those of its carbon. */
static void only_neighbours_in_the_file_count(void)
{
    placed_atom placed[32] = {{"OA", 1.2, 0, 0}, {"C", 0, 0, 0}};
    for (int i = 2; i < 32; i++) placed[i] = (placed_atom){"C", 100 + 5.0 * i, 0, 0};
    placed[20] = (placed_atom){"N", -0.7, 1.1, 0};
    check_vector(direction_of(placed, 32).normal, 0, 0, 1);
    placed[21] = placed[20];
    placed[20] = placed[22];
    check_vector(direction_of(placed, 32).normal, 0, 0, 0);
    placed[21] = placed[1];
    placed[1] = placed[22];
    check_vector(direction_of(placed, 32).axis, 0, 0, 0);
}

/* ---- text ---- */

static void lines_are_those_of_printf(void)
{
    static const double values[] = {0,       1,        -1,         0.001,      -0.001,    0.999,      9.9995, 123.456,
                                    -99.999, 16384.21, 100215.195, -1e6 / 3.0, 2000000.0, 1234567890, 3e12,   -4e20};
    char text[QN_MAP_LINE_MAX + 1], expected[QN_MAP_LINE_MAX + 1];
    for (size_t i = 0; i < 20000; i++) {
        const double raw =
            i < sizeof values / sizeof *values ? values[i] : sin((double)i) * pow(10, (double)(i % 9) - 3);
        const float value = qn_map_value_round(raw);
        text[qn_map_text_write(&value, 1, text)] = '\0';
        snprintf(expected, sizeof expected, "%.3f\n", (double)value);
        if (value == 0) strcpy(expected, "0.\n");
        if (strcmp(expected, "-0.000\n") == 0) strcpy(expected, "0.000\n");
        if (strcmp(text, expected) != 0) CHECK_TEXT(text, expected);
    }
    const float small[] = {qn_map_value_round(0.00009), qn_map_value_round(-0.00049), qn_map_value_round(-0.00051)};
    text[qn_map_text_write(small, 2, text)] = '\0';
    CHECK_TEXT(text, "0.\n0.000\n");
    text[qn_map_text_write(small + 2, 1, text)] = '\0';
    CHECK_TEXT(text, "-0.001\n");
}

static qn_status create_with(const qn_potential_settings *settings)
{
    qn_potential_atom atom = {.type = "C"};
    const qn_potential_receptor receptor = {.atoms = &atom, .atom_count = 1};
    qn_potential_model *model;
    const qn_status status = qn_potential_model_create(settings, &parameters, &receptor, &model);
    qn_potential_model_destroy(&model);
    return status;
}

static void energies_that_would_overflow_are_refused(void)
{
    static char probes[1][QN_POTENTIAL_NAME_MAX] = {"OA"};
    const qn_potential_override deep = {
        .types = {"C", "OA"},
        .pair = {.repulsion = 0, .attraction = 1e300, .repulsion_power = 12, .attraction_power = 6}};
    qn_potential_settings settings = qn_potential_settings_default();
    settings.probes = probes, settings.probe_count = 1;
    for (int k = 0; k < 3; k++) settings.grid.points[k] = 3;
    CHECK_OK(create_with(&settings));
    settings.charge_solvation = 1e300;
    CHECK_FAILS(create_with(&settings), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("qasp is 1e+300");
    settings.charge_solvation = 0, settings.overrides = &deep, settings.override_count = 1;
    CHECK_FAILS(create_with(&settings), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("an atom of type C and a probe OA have -");
}

int main(void)
{
    CHECK_OK(qn_potential_parameters_start(&parameters));
    RUN(coefficients_are_those_that_autogrid_prints);
    RUN(bonds_have_the_acceptors_well);
    RUN(tables_are_clamped_and_smoothed);
    RUN(other_tables_have_known_values);
    RUN(parameter_files_add_and_replace_types);
    RUN(broken_parameter_files_are_refused);
    RUN(hydrogens_point_away_from_their_atom);
    RUN(acceptors_point_away_from_their_neighbours);
    RUN(only_neighbours_in_the_file_count);
    RUN(lines_are_those_of_printf);
    RUN(energies_that_would_overflow_are_refused);
    qn_potential_parameters_clear(&parameters);
    return check_finish();
}
