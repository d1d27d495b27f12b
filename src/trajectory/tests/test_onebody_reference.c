/* One-body queries on every reference system, compared with double-precision sums from onebody.json, which MDAnalysis'
 * readers and numpy computed from the coordinates in the files. */
#include "trajectory/query/queries.h"
#include "trajectory/tests/reference_results.h"
#include "trajectory/tests/reference_system.h"

enum { SELECTIONS_MAX = 4 };

typedef struct selection_runs {
    reference_onebody expected;
    query_run runs[REFERENCE_ONEBODY];
    double *dipole_scales; /* Σ|q||r − com| of each frame */
} selection_runs;

static void push_frame(const reference_system *system, size_t row, selection_runs *selection)
{
    const qn_query_atoms *atoms = &selection->runs[REFERENCE_COM].atoms[0];
    for (int k = 0; k < REFERENCE_ONEBODY; k++) query_push(&selection->runs[k], &system->frame);
    selection->dipole_scales[row] =
        reference_dipole_scale(system->topology, &system->frame, atoms->indices, atoms->count);
}

static void compare_selection(const json_t *frames, selection_runs *selection)
{
    reference_comparison all[REFERENCE_ONEBODY] = {{0}};
    for (int k = 0; k < REFERENCE_ONEBODY; k++) {
        query_finish(&selection->runs[k]);
        selection->expected.tables[k] = query_table(&selection->runs[k], "");
    }
    for (size_t row = 0; row < json_array_size(frames); row++)
        reference_compare_onebody(&selection->expected, json_array_get(frames, row), row, selection->dipole_scales[row],
                                  all);
    for (int k = 0; k < REFERENCE_ONEBODY; k++) {
        const bool is_there = all[k].count > 0 || k == REFERENCE_CHARGE || k == REFERENCE_DIPOLE;
        if (!CHECK(is_there && all[k].share <= 1))
            fprintf(stderr, "%s of %s: %g off; expected %g at most\n", reference_onebody_classes[k],
                    selection->expected.selection, all[k].difference, all[k].allowed);
        query_end(&selection->runs[k]);
    }
    free(selection->dipole_scales);
}

static size_t start_selections(const reference_system *system, const json_t *reference, selection_runs *selections)
{
    static const qn_query_class *const classes[REFERENCE_ONEBODY] = {
        &qn_query_mass,    &qn_query_charge,   &qn_query_com,   &qn_query_cog,
        &qn_query_inertia, &qn_query_gyration, &qn_query_dipole};
    size_t count = 0;
    const char *name;
    json_t *selection;
    json_object_foreach(json_object_get(reference, "selections"), name, selection)
    {
        selection_runs *runs = &selections[count++];
        const char *text = json_string_value(json_object_get(selection, "expr"));
        *runs = (selection_runs){
            .expected = {.selection = name, .mass = json_number_value(json_object_get(selection, "mass"))}};
        for (int k = 0; k < REFERENCE_ONEBODY; k++) runs->runs[k] = system_query(system, classes[k], text, "");
        CHECK(runs->runs[REFERENCE_COM].atoms[0].count ==
              (size_t)json_integer_value(json_object_get(selection, "natoms")));
        runs->dipole_scales = calloc(json_array_size(json_object_get(reference, "frames")), sizeof(double));
    }
    return count;
}

static void check_system(reference_system *system)
{
    json_t *reference = json_load_file(system_path(system, "ref/onebody.json"), 0, NULL);
    const json_t *frames = json_object_get(reference, "frames");
    selection_runs selections[SELECTIONS_MAX];
    size_t count = 0, row = 0;
    CHECK(reference != NULL);
    for (; row < json_array_size(frames) && CHECK(system_next(system)); row++) {
        if (row == 0) count = start_selections(system, reference, selections);
        for (size_t k = 0; k < count; k++) push_frame(system, row, &selections[k]);
    }
    CHECK(row > 0 && !system_next(system));
    for (size_t k = 0; k < count; k++) compare_selection(frames, &selections[k]);
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

/* The topology is a table of atoms: GRO files have no masses, and masses from elements differ from the reference's. */
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
