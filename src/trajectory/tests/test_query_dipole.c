/* Dipoles of two molecules, their distribution and their profile, and the dielectric constant from known fluctuations.
 */
#include <math.h>

#include "trajectory/query/queries.h"
#include "trajectory/tests/query_run.h"

/* Two diatomic molecules with ±0.5 e at a distance of 0.1 nm, so with dipoles of 0.05 e nm. The atoms of a molecule are
 * not neighbours in the list. */
static qn_topology_atom atoms[4] = {
    {.molecule = 0, .mass_u = 1, .charge_e = 0.5},
    {.molecule = 1, .mass_u = 1, .charge_e = 0.5},
    {.molecule = 0, .mass_u = 3, .charge_e = -0.5},
    {.molecule = 1, .mass_u = 1, .charge_e = -0.5},
};
static const qn_topology topology = {.atom_count = 4,
                                     .residue_count = 1,
                                     .molecule_count = 2,
                                     .atoms = atoms,
                                     .masses = QN_MASSES_FROM_FILE,
                                     .has_charges = true,
                                     .name = (char *)"hand"};
static float positions[12] = {0.1f, 0, 0, 1, 1.1f, 3, 0, 0, 0, 1, 1, 3}; /* dipoles along x and along y */
static qn_trajectory_frame frame = {
    .time_ps = 1, .box_nm = {2, 0, 0, 0, 2, 0, 0, 0, 4}, .atom_count = 4, .positions_nm = positions};
static const uint32_t all[4] = {0, 1, 2, 3}, positive[2] = {0, 1};
static const double DEBYE = 48.03204; /* D in 1 e nm */

static query_run start(const qn_query_class *query_class, const uint32_t *indices, size_t count, bool fixed,
                       const char *parameters)
{
    query_run run = {.query_class = query_class,
                     .topology = &topology,
                     .first_frame = &frame,
                     .atoms = {{fixed, indices, count}, {0}}};
    CHECK_OK(query_create(&run, parameters));
    return run;
}

static void dipole_and_distribution_of_two_molecules(void)
{
    for (int fixed = 0; fixed < 2; fixed++) {
        query_run run = start(&qn_query_dipole, all, 4, fixed, "max=5 bin=0.1");
        query_push(&run, &frame);
        query_finish(&run);
        const double expected[4] = {0.05, 0.05, 0, 0.05 * sqrt(2)};
        for (size_t k = 0; k < 4; k++) {
            CHECK_NEAR(query_value(&run, "", 0, 1 + k), expected[k], 3e-8);
            CHECK_NEAR(query_value(&run, "", 0, 5 + k), expected[k] * DEBYE, 2e-6);
        }
        /* 2.4016 D each */
        CHECK(query_table(&run, "distribution")->row_count == 50);
        for (size_t bin = 0; bin < 50; bin++) {
            CHECK_NEAR(query_value(&run, "distribution", bin, 0), 0.05 + 0.1 * (double)bin, 1e-12);
            CHECK_NEAR(query_value(&run, "distribution", bin, 1), bin == 24 ? 10 : 0, 1e-12);
            CHECK_NEAR(query_value(&run, "distribution", bin, 2), bin == 24 ? 2 : 0, 1e-12);
        }
        CHECK_NEAR(query_number(&run, "mean molecular dipole"), 0.05 * DEBYE, 1e-5);
        query_end(&run);
        run = start(&qn_query_dipole, all, 4, fixed, "max=2 bin=0.1");
        query_push(&run, &frame);
        query_finish(&run);
        CHECK_NEAR(query_number(&run, "molecules beyond the distribution, of all"), 1, 0);
        query_end(&run);
    }
}

/* Two equal charges, of masses 1 and 3: the dipole is 0 about the centre of geometry, but neither about zero nor about
 * the centre of mass. */
static void origins_matter_for_charged_selections(void)
{
    atoms[1].mass_u = 3;
    const struct {
        const char *parameters;
        double x;
    } cases[] = {{"origin=zero", 0.5 * 0.1 + 0.5 * 1}, {"origin=cog", 0}, {"", 0.55 - (0.1 + 3) / 4}};
    for (int k = 0; k < 3; k++) {
        query_run run = start(&qn_query_dipole, positive, 2, true, cases[k].parameters);
        query_push(&run, &frame);
        query_finish(&run);
        CHECK_NEAR(query_value(&run, "", 0, 1), cases[k].x, 1e-7);
        query_end(&run);
    }
    atoms[1].mass_u = 1;
}

/* Molecule 0 points to +x, then to −x; molecule 1 points to y in both frames: ⟨M²⟩ − ⟨M⟩² is (0.05 e nm)². */
static void dielectric_constant_of_a_turning_molecule(void)
{
    query_run run = start(&qn_query_dipole, all, 4, true, "temperature=250");
    query_push(&run, &frame);
    positions[0] = -0.1f;
    query_push(&run, &frame);
    positions[0] = 0.1f;
    query_finish(&run);
    const double moment = 0.05 * 1.602176634e-28, volume = 16e-27; /* C m, m³ */
    const double expected = 1 + moment * moment / (3 * 8.8541878128e-12 * volume * 1.380649e-23 * 250);
    CHECK_NEAR(query_value(&run, "epsilon", 0, 1), 1, 1e-12);
    CHECK_NEAR(query_value(&run, "epsilon", 1, 1), expected, 1e-6 * expected);
    CHECK_NEAR(query_number(&run, "dielectric constant"), expected, 1e-6 * expected);
    CHECK_NEAR(query_value(&run, "epsilon", 1, 2), 0.5, 1e-6); /* G_k: over the sum of two squared dipoles */
    CHECK_NEAR(query_value(&run, "epsilon", 1, 4), 0.005 * DEBYE * DEBYE, 1e-4);
    CHECK_NEAR(query_value(&run, "epsilon", 1, 5), 0.0025 * DEBYE * DEBYE, 1e-4);
    query_end(&run);
}

/* Molecule 0 points to ±x. With the mean m of the signs, ε − 1 is (1 − m²) times that of the test above. Ten frames are
 * ten blocks; the jackknife leaves out one after the other. */
static void the_dielectric_constant_has_an_error(void)
{
    static const int signs[10] = {1, 1, -1, 1, -1, 1, 1, 1, -1, 1};
    const double moment = 0.05 * 1.602176634e-28, volume = 16e-27;
    const double unit = moment * moment / (3 * 8.8541878128e-12 * volume * 1.380649e-23 * 250);
    double without[10], mean = 0, squares = 0;
    int sum = 0;
    query_run run = start(&qn_query_dipole, all, 4, true, "temperature=250");
    for (int i = 0; i < 10; i++) {
        positions[0] = signs[i] > 0 ? 0.1f : -0.1f;
        query_push(&run, &frame);
        sum += signs[i];
    }
    positions[0] = 0.1f;
    query_finish(&run);
    for (int i = 0; i < 10; i++) {
        const double m = (sum - signs[i]) / 9.0;
        without[i] = 1 + unit * (1 - m * m);
        mean += without[i] / 10;
    }
    for (int i = 0; i < 10; i++) squares += (without[i] - mean) * (without[i] - mean);
    const double expected = sqrt(0.9 * squares);
    CHECK_NEAR(query_number(&run, "error of dielectric constant"), expected, 1e-5 * expected);
    CHECK(query_number(&run, "error of Kirkwood factor G_k") > 0 &&
          query_number(&run, "error of Kirkwood factor g_k") > 0);
    query_end(&run);
}

static void frames_without_box_have_no_dielectric_constant(void)
{
    qn_trajectory_frame open = frame;
    memset(open.box_nm, 0, sizeof open.box_nm);
    query_run run = start(&qn_query_dipole, all, 4, true, "");
    query_push(&run, &open);
    query_finish(&run);
    for (size_t k = 0; k < run.tables->table_count; k++)
        CHECK(strcmp(run.tables->tables[k].table.name, "epsilon") != 0);
    query_end(&run);
}

static void dipoles_in_slabs(void)
{
    query_run run = start(&qn_query_dipole_profile, all, 4, true, "bins=4 axis=z");
    query_push(&run, &frame);
    query_push(&run, &frame);
    query_finish(&run);
    /* centres of mass at z 0 and 3, slabs of 1 nm and 4 nm³ */
    const double first[9] = {0.5, 0.05 / 4, 0, 0, 0.25, 0.05 * DEBYE, 0, 0, 0};
    const double last[9] = {3.5, 0, 0.05 / 4, 0, 0.25, 0, 0.05 * DEBYE, 0, 0};
    for (size_t k = 0; k < 9; k++) {
        CHECK_NEAR(query_value(&run, "", 0, k), first[k], 1e-5);
        CHECK_NEAR(query_value(&run, "", 3, k), last[k], 1e-5);
        if (k > 0) CHECK_NEAR(query_value(&run, "", 1, k), 0, 0);
    }
    query_end(&run);
    run = start(&qn_query_dipole_profile, all, 4, false, "bins=2 axis=x");
    query_push(&run, &frame);
    query_finish(&run);
    CHECK_NEAR(query_value(&run, "", 0, 8), 1, 1e-6); /* along x */
    CHECK_NEAR(query_value(&run, "", 1, 8), 0, 1e-6); /* across it, at x = 1 */
    query_end(&run);
}

static void too_fine_distributions_are_refused(void)
{
    query_run run = {.query_class = &qn_query_dipole, .topology = &topology};
    CHECK_FAILS(query_create(&run, "max=1000 bin=0.0001"), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("bins");
}

int main(void)
{
    RUN(dipole_and_distribution_of_two_molecules);
    RUN(origins_matter_for_charged_selections);
    RUN(dielectric_constant_of_a_turning_molecule);
    RUN(the_dielectric_constant_has_an_error);
    RUN(frames_without_box_have_no_dielectric_constant);
    RUN(dipoles_in_slabs);
    RUN(too_fine_distributions_are_refused);
    return check_finish();
}
