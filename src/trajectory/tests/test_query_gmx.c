/* One-body queries compared with GROMACS 2022.5 at the precision that it prints: gyrate, traj -com, dipoles, density,
 * rms, msd. Its commands are in ref/commands.txt beside each result, or below. */
#include <math.h>

#include "trajectory/query/queries.h"
#include "trajectory/tests/reference_results.h"
#include "trajectory/tests/reference_system.h"

static const reference_columns *columns_of(const reference_system *system, const char *name)
{
    static reference_columns columns;
    char relative[128];
    snprintf(relative, sizeof relative, "ref/%s.xvg", name);
    reference_read(system_path(system, relative), &columns);
    CHECK(columns.rows > 1);
    return &columns;
}

static void check_comparison(const char *name, const reference_comparison *all)
{
    if (!CHECK(reference_holds(all)))
        fprintf(stderr, "%s: %g off; expected %g at most\n", name, all->difference, all->allowed);
}

static void compare(const reference_system *system, const char *file, const query_run *run, const char *table,
                    size_t first, size_t count, double scale, double tolerance)
{
    reference_comparison all = {0};
    reference_compare_columns(columns_of(system, file), query_table(run, table), first, count, scale, tolerance, &all);
    check_comparison(file, &all);
}

static void compare_moments(const reference_system *system, const query_run *inertia)
{
    reference_comparison all = {0};
    reference_compare_moments(columns_of(system, "gmx_moments_of_inertia"), query_table(inertia, ""), &all);
    check_comparison("gmx_moments_of_inertia", &all);
}

static void compare_distribution(const reference_system *system, const query_run *dipole)
{
    reference_comparison all = {0};
    const reference_columns *expected = columns_of(system, "gmx_dipdist");
    CHECK(expected->rows == 501 && query_table(dipole, "distribution")->row_count == 1002);
    reference_compare_distribution(expected, query_table(dipole, "distribution"), &all);
    check_comparison("gmx_dipdist", &all);
}

typedef double slab_edges[REFERENCE_SLABS][REFERENCE_EDGE_KINDS];

static void compare_density(const reference_system *system, const char *file, const query_run *density,
                            slab_edges edges, int kind, size_t frames)
{
    reference_comparison all = {0};
    reference_compare_density(columns_of(system, file), query_table(density, ""), edges, kind, frames, &all);
    check_comparison(file, &all);
}

enum { GYRATION, INERTIA, DIPOLE, MASS_DENSITY, NUMBER_DENSITY, CHARGE_DENSITY, QUERIES };

static void start(const reference_system *system, query_run runs[QUERIES])
{
    runs[GYRATION] = system_query(system, &qn_query_gyration, "all", "");
    runs[INERTIA] = system_query(system, &qn_query_inertia, "all", "");
    runs[DIPOLE] = system_query(system, &qn_query_dipole, "resname SOL", REFERENCE_DIPOLE_PARAMETERS);
    runs[MASS_DENSITY] = system_query(system, &qn_query_density, "all", "bins=50");
    runs[NUMBER_DENSITY] = system_query(system, &qn_query_density, "all", "bins=50 quantity=number");
    runs[CHARGE_DENSITY] = system_query(system, &qn_query_density, "all", "bins=50 quantity=charge");
}

static void check_whole(const char *folder, const char *topology, const char *trajectory)
{
    reference_system system;
    query_run runs[QUERIES];
    size_t frames = 0;
    slab_edges edges = {{0}};
    if (!system_open(&system, folder, topology, trajectory, true)) {
        system_close(&system);
        return;
    }
    for (; system_next(&system); frames++) {
        if (frames == 0) start(&system, runs);
        reference_add_edges(system.topology, &system.frame, edges);
        for (int k = 0; k < QUERIES; k++) query_push(&runs[k], &system.frame);
    }
    for (int k = 0; k < QUERIES; k++) query_finish(&runs[k]);
    compare(&system, "gmx_gyrate", &runs[GYRATION], "", 1, 4, reference_mass_rounding(system.topology), 2e-5);
    compare_moments(&system, &runs[INERTIA]);
    compare(&system, "gmx_Mtot", &runs[DIPOLE], "", 5, 4, 1, 1e-4);
    compare_distribution(&system, &runs[DIPOLE]);
    compare_density(&system, "gmx_density_z", &runs[MASS_DENSITY], edges, 0, frames);
    compare_density(&system, "gmx_density_number_z", &runs[NUMBER_DENSITY], edges, 1, frames);
    compare_density(&system, "gmx_density_charge_z", &runs[CHARGE_DENSITY], edges, 2, frames);
    compare(&system, "gmx_epsilon", &runs[DIPOLE], "epsilon", 1, 3, 1, 2e-3);
    for (int k = 0; k < QUERIES; k++) query_end(&runs[k]);
    system_close(&system);
}

static void check_raw_centre(const char *folder, const char *topology, const char *trajectory)
{
    reference_system system;
    query_run com = {0};
    if (system_open(&system, folder, topology, trajectory, false)) {
        while (system_next(&system)) {
            if (!com.state) com = system_query(&system, &qn_query_com, "all", "");
            query_push(&com, &system.frame);
        }
        query_finish(&com);
        compare(&system, "gmx_com", &com, "", 1, 3, 1, 2e-5);
        query_end(&com);
    }
    system_close(&system);
}

/* Displacements add up steps to nearest images. GROMACS takes the image nearest to the unwrapped position, which drifts
 * if boxes change, as here: the first step agrees within 1e-5, later ones within 5e-3.
 *
 * echo "C-alpha C-alpha" | gmx rms -s adk_oplsaa.tpr; echo "C-alpha Protein" | …; gmx msd -s adk_oplsaa.tpr -sel
 * 'name OW' -trestart 10000. One row per frame, compared with the first frame: RMSD of Cα atoms and of the protein in
 * nm, MSD in nm². */
static const double memory_results[10][3] = {
    {0.0005119, 0.0005103, 0},       {0.1124474, 0.1484255, 2.07878}, {0.1668056, 0.2037017, 4.03326},
    {0.1971883, 0.2273383, 5.99268}, {0.1948969, 0.2262275, 7.90762}, {0.1598570, 0.2001140, 9.94486},
    {0.1589371, 0.1919245, 11.7779}, {0.1783641, 0.2138275, 13.7748}, {0.1840938, 0.2179449, 15.7913},
    {0.1621212, 0.2020403, 17.8756},
};

static void deviations_and_displacements_of_adenylate_kinase(void)
{
    reference_system system;
    query_run runs[3] = {{0}};
    if (system_open(&system, "adk_oplsaa", "adk_oplsaa.tpr", "adk_oplsaa.xtc", true)) {
        while (system_next(&system)) {
            if (!runs[0].state) {
                runs[0] = system_query(&system, &qn_query_rmsd, "protein and name CA", "reference=topology");
                runs[1] = system_query(&system, &qn_query_rmsd, "protein", "reference=topology");
                query_end(&runs[1]);
                runs[1].atoms[1] = runs[0].atoms[0];
                CHECK_OK(query_create(&runs[1], "reference=topology"));
                runs[2] = system_query(&system, &qn_query_msd, "name OW", "");
            }
            for (int k = 0; k < 3; k++) query_push(&runs[k], &system.frame);
        }
        for (int k = 0; k < 3; k++) query_finish(&runs[k]);
        for (size_t row = 0; row < 10; row++)
            for (int k = 0; k < 3; k++)
                CHECK_NEAR(query_value(&runs[k], "", row, 1), memory_results[row][k],
                           k < 2 ? 2e-6 : (row == 1 ? 1e-5 : 5e-3) * memory_results[row][k]);
        CHECK_NEAR(query_number(&runs[2], "diffusion coefficient"), 3.2557, 0.01 * 3.2557);
        for (int k = 0; k < 3; k++) query_end(&runs[k]);
    }
    system_close(&system);
}

static void water(void)
{
    check_whole("water3k", "water3k.tpr", "water3k.xtc");
    check_raw_centre("water3k", "water3k.tpr", "water3k.xtc");
}

static void more_water(void)
{
    check_whole("water98k", "water98k.tpr", "water98k_10fr.xtc");
    check_raw_centre("water98k", "water98k.tpr", "water98k_10fr.xtc");
}

static void adenylate_kinase_in_a_dodecahedron(void)
{
    check_whole("adk_oplsaa", "adk_oplsaa.tpr", "adk_oplsaa.xtc");
    check_raw_centre("adk_oplsaa", "adk_oplsaa.tpr", "adk_oplsaa.xtc");
}

static void cobrotoxin(void)
{
    check_whole("cobrotoxin", "cobrotoxin.tpr", "cobrotoxin.trr");
    check_raw_centre("cobrotoxin", "cobrotoxin.tpr", "cobrotoxin.trr");
}

/* gmx msd -sel 'name OW' -trestart 10 on the same frames with times 1 ps apart (gmx trjconv -timestep 1). In the file
 * they are 0.04 ps apart, so starting frames are 0.4 ps apart. In a constant box both ways to unwrap agree. */
static void displacement_of_water_from_many_starts(void)
{
    static const double expected[][2] = {{1, 0.000604588}, {11, 0.0127817}, {21, 0.0216842}, {31, 0.0301053},
                                         {41, 0.0382136},  {49, 0.044909},  {50, 0.0453133}};
    reference_system system;
    query_run msd = {0};
    if (system_open(&system, "water3k", "water3k.tpr", "water3k.xtc", false)) {
        while (system_next(&system)) {
            if (!msd.state) msd = system_query(&system, &qn_query_msd, "name OW", "restart=0.4");
            query_push(&msd, &system.frame);
        }
        query_finish(&msd);
        for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
            CHECK_NEAR(query_value(&msd, "", (size_t)expected[k][0], 1), expected[k][1], 1e-5 * expected[k][1]);
        CHECK_NEAR(query_number(&msd, "diffusion coefficient"), 0.1433 / 0.04, 6e-5 / 0.04);
        query_end(&msd);
    }
    system_close(&system);
}

/* Expected values: numpy in double precision on positions from MDAnalysis 2.4.2, with d = x − x_before;
 * d −= L rint(d / L); moved += d. */
static void displacement_of_argon_at_constant_pressure(void)
{
    reference_system system;
    query_run msd = {0};
    if (system_open(&system, "argon_tng", "argon.gro", "argon_from_tng.xtc", false)) {
        while (system_next(&system)) {
            if (!msd.state) msd = system_query(&system, &qn_query_msd, "all", "");
            query_push(&msd, &system.frame);
        }
        query_finish(&msd);
        CHECK_NEAR(query_value(&msd, "", 0, 1), 0, 0);
        CHECK_NEAR(query_value(&msd, "", 1, 1), 0.1362560452997348, 1e-6);
        CHECK_NEAR(query_value(&msd, "", 2, 1), 0.25621864137009576, 1e-6);
        CHECK_NEAR(query_value(&msd, "", 100, 1), 12.32706369548299, 1e-5);
        query_end(&msd);
    }
    system_close(&system);
}

int main(void)
{
    RUN(water);
    RUN(more_water);
    RUN(adenylate_kinase_in_a_dodecahedron);
    RUN(cobrotoxin);
    RUN(deviations_and_displacements_of_adenylate_kinase);
    RUN(displacement_of_water_from_many_starts);
    RUN(displacement_of_argon_at_constant_pressure);
    return check_finish();
}
