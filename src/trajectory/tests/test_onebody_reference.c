/* One-body queries over every reference system, against double-precision sums that MDAnalysis' readers and numpy gave
 * on the coordinates as they are in the files (onebody.json). Differences may be 1e-6 of the quantity's scale: the box,
 * trace(I), Σ|q||r − com|. */
#include <jansson.h>
#include <math.h>

#include "trajectory/queries.h"
#include "trajectory/tests/reference_system.h"

enum { MOST_SELECTIONS = 4, QUERIES = 7 };
enum { MASS, CHARGE, COM, COG, INERTIA, GYRATION, DIPOLE };

typedef struct selection_runs {
    const char *name;
    double mass;
    query_run runs[QUERIES];
    double *dipole_scales; /* Σ|q||r − com| of each frame */
} selection_runs;

static double number_at(const json_t *array, size_t i)
{
    const json_t *value = json_array_get(array, i);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static double scale_of_dipole(const reference_system *system, const query_run *run, const double com[3])
{
    double scale = 0;
    for (size_t i = 0; i < run->atoms[0].count; i++) {
        const uint32_t atom = run->atoms[0].indices[i];
        double square = 0;
        for (int axis = 0; axis < 3; axis++)
            square += pow(system->frame.positions_nm[3 * (size_t)atom + axis] - com[axis], 2);
        scale += fabs(system->topology->atoms[atom].charge_e) * sqrt(square);
    }
    return scale;
}

static void push_frame(const reference_system *system, const json_t *frame, size_t row, selection_runs *selection)
{
    const json_t *expected = json_object_get(frame, selection->name);
    const json_t *com = json_object_get(expected, "com");
    const double centre[3] = {number_at(com, 0), number_at(com, 1), number_at(com, 2)};
    for (int k = 0; k < QUERIES; k++) query_push(&selection->runs[k], &system->frame);
    selection->dipole_scales[row] = scale_of_dipole(system, &selection->runs[COM], centre);
}

static void compare_frame(const json_t *frame, size_t row, const selection_runs *selection)
{
    static const size_t rows[6] = {0, 0, 0, 1, 1, 2}, columns[6] = {0, 1, 2, 1, 2, 2};
    const json_t *expected = json_object_get(frame, selection->name), *box = json_object_get(frame, "box9");
    const query_run *runs = selection->runs;
    const double rg = json_number_value(json_object_get(expected, "rg"));
    const double length = json_is_array(box) ? number_at(box, 0) : 4 * rg;
    const json_t *inertia = json_object_get(expected, "inertia");
    double trace = 0;
    for (size_t k = 0; k < 3; k++) trace += number_at(json_array_get(inertia, k), k);
    CHECK_NEAR(query_value(&runs[MASS], "", row, 1), selection->mass, 1e-6 * selection->mass);
    CHECK_NEAR(query_value(&runs[GYRATION], "", row, 1), rg, 1e-6 * rg);
    for (size_t k = 0; k < 3; k++) {
        CHECK_NEAR(query_value(&runs[COM], "", row, 1 + k), number_at(json_object_get(expected, "com"), k),
                   1e-6 * length);
        CHECK_NEAR(query_value(&runs[COG], "", row, 1 + k), number_at(json_object_get(expected, "cog"), k),
                   1e-6 * length);
        CHECK_NEAR(query_value(&runs[INERTIA], "", row, 1 + k),
                   number_at(json_object_get(expected, "principal_moments"), k), 1e-6 * trace);
    }
    for (size_t k = 0; k < 6; k++)
        CHECK_NEAR(query_value(&runs[INERTIA], "", row, 4 + k), number_at(json_array_get(inertia, rows[k]), columns[k]),
                   1e-6 * trace);
    if (!json_object_get(expected, "dipole_about_com")) return;
    const double scale = selection->dipole_scales[row];
    CHECK_NEAR(query_value(&runs[CHARGE], "", row, 1), json_number_value(json_object_get(expected, "charge")),
               1e-6 * scale / rg);
    for (size_t k = 0; k < 3; k++)
        CHECK_NEAR(query_value(&runs[DIPOLE], "", row, 1 + k),
                   number_at(json_object_get(expected, "dipole_about_com"), k), 1e-6 * scale);
}

static size_t start_selections(const reference_system *system, const json_t *reference, selection_runs *selections)
{
    static const qn_query_class *const classes[QUERIES] = {&qn_query_mass,  &qn_query_charge,  &qn_query_com,
                                                           &qn_query_cog,   &qn_query_inertia, &qn_query_gyration,
                                                           &qn_query_dipole};
    size_t count = 0;
    const char *name;
    json_t *selection;
    json_object_foreach(json_object_get(reference, "selections"), name, selection)
    {
        selection_runs *runs = &selections[count++];
        const char *text = json_string_value(json_object_get(selection, "expr"));
        *runs = (selection_runs){.name = name, .mass = json_number_value(json_object_get(selection, "mass"))};
        for (int k = 0; k < QUERIES; k++) runs->runs[k] = system_query(system, classes[k], text, "");
        CHECK(runs->runs[COM].atoms[0].count == (size_t)json_integer_value(json_object_get(selection, "natoms")));
        runs->dipole_scales = calloc(json_array_size(json_object_get(reference, "frames")), sizeof(double));
    }
    return count;
}

static void check_system(reference_system *system)
{
    json_t *reference = json_load_file(system_path(system, "ref/onebody.json"), 0, NULL);
    const json_t *frames = json_object_get(reference, "frames");
    selection_runs selections[MOST_SELECTIONS];
    size_t count = 0, row = 0;
    CHECK(reference != NULL);
    for (; row < json_array_size(frames) && CHECK(system_next(system)); row++) {
        if (row == 0) count = start_selections(system, reference, selections);
        for (size_t k = 0; k < count; k++) push_frame(system, json_array_get(frames, row), row, &selections[k]);
    }
    CHECK(row > 0 && !system_next(system));
    for (size_t k = 0; k < count; k++) {
        for (int query = 0; query < QUERIES; query++) query_finish(&selections[k].runs[query]);
        for (size_t i = 0; i < row; i++) compare_frame(json_array_get(frames, i), i, &selections[k]);
        for (int query = 0; query < QUERIES; query++) query_end(&selections[k].runs[query]);
        free(selections[k].dipole_scales);
    }
    json_decref(reference);
}

static void check_folder(const char *folder, const char *topology, const char *trajectory)
{
    reference_system system;
    if (system_open(&system, folder, topology, trajectory, false)) check_system(&system);
    system_close(&system);
}

static void water(void)
{
    check_folder("water3k", "water3k.tpr", "water3k.xtc");
}

static void more_water(void)
{
    check_folder("water98k", "water98k.tpr", "water98k_10fr.xtc");
}

static void adenylate_kinase_in_a_dodecahedron(void)
{
    check_folder("adk_oplsaa", "adk_oplsaa.tpr", "adk_oplsaa.xtc");
}

static void cobrotoxin(void)
{
    check_folder("cobrotoxin", "cobrotoxin.tpr", "cobrotoxin.trr");
}

/* Of a table of atoms: GRO files tell no masses, and those of elements are no longer those of the reference. */
static void argon(void)
{
    check_folder("argon_tng", "atoms.tsv.gz", "argon_from_tng.xtc");
}

static void adenylate_kinase_without_box(void)
{
    check_folder("adk_dims", "adk.psf", "adk_dims.dcd");
}

static void alanine_dipeptide_in_water(void)
{
    check_folder("ace_tip3p", "ace_tip3p.parm7", "ace_tip3p.nc");
}

int main(void)
{
    RUN(water);
    RUN(more_water);
    RUN(adenylate_kinase_in_a_dodecahedron);
    RUN(cobrotoxin);
    RUN(argon);
    RUN(adenylate_kinase_without_box);
    RUN(alanine_dipeptide_in_water);
    return check_finish();
}
