#include "trajectory/query/setup.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "trajectory/query/atom_weights.h"

static const qn_query_parameter parameters[] = {
    {"max", QN_PARAMETER_LENGTH, NULL, 0.01, 100, NULL, "largest distance in nm"},
    {"bin", QN_PARAMETER_LENGTH, "0.002", 1e-6, 10, NULL, "width of a bin in nm"},
    {"cutoff", QN_PARAMETER_LENGTH, "", 0, 0, NULL, "largest distance of neighbours in nm"},
    {"temperature", QN_PARAMETER_NUMBER, "300", 0, 0, NULL, "temperature in K"},
    {"bins", QN_PARAMETER_INTEGER, "100", 1, 1000000, NULL, "number of bins"},
    {"exclude", QN_PARAMETER_FLAG, "no", 0, 0, NULL, "leave out pairs of one molecule"},
    {"axis", QN_PARAMETER_CHOICE, "z", 0, 0, "x y z", "axis of the profile"},
    {"reference", QN_PARAMETER_TEXT, "", 0, 0, NULL, "file of reference positions"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

static const qn_query_class query_class = {.size = sizeof(qn_query_class), .name = "rdf", .parameters = parameters};

static qn_status read_one(const char *name, const char *value, double unit_nm, qn_query_setup *setup)
{
    const qn_trajectory_parameter given[] = {{"max", "1.5"}, {name, value}};
    const bool is_max = strcmp(name, "max") == 0;
    return qn_query_setup_read("OW-OW", &query_class, is_max ? given + 1 : given, is_max ? 1 : 2, unit_nm, setup);
}

static void values_are_read_by_kind(void)
{
    const qn_trajectory_parameter given[] = {
        {"max", "12"}, {"bins", "500"}, {"exclude", "yes"}, {"axis", "x"}, {"temperature", "310.15"}};
    qn_query_setup setup;
    if (!CHECK_OK(qn_query_setup_read("OW-OW", &query_class, given, 5, 0.1, &setup))) return;
    CHECK_NEAR(qn_query_setup_number(&setup, "max"), 1.2, 1e-15);
    CHECK(qn_query_setup_integer(&setup, "bins") == 500);
    CHECK(qn_query_setup_flag(&setup, "exclude"));
    CHECK_TEXT(qn_query_setup_text(&setup, "axis"), "x");
    CHECK_NEAR(qn_query_setup_number(&setup, "temperature"), 310.15, 1e-12);
    qn_query_setup_clear(&setup);
}

static void fallbacks_are_in_nm_whatever_the_unit(void)
{
    qn_query_setup setup;
    if (!CHECK_OK(read_one("max", "5", 0.1, &setup))) return;
    CHECK_NEAR(qn_query_setup_number(&setup, "max"), 0.5, 1e-15);
    CHECK_NEAR(qn_query_setup_number(&setup, "bin"), 0.002, 1e-15);
    CHECK(isnan(qn_query_setup_number(&setup, "cutoff")));
    CHECK_NEAR(qn_query_setup_number(&setup, "temperature"), 300, 0);
    CHECK(qn_query_setup_integer(&setup, "bins") == 100);
    CHECK(!qn_query_setup_flag(&setup, "exclude"));
    CHECK_TEXT(qn_query_setup_text(&setup, "axis"), "z");
    CHECK_TEXT(qn_query_setup_text(&setup, "reference"), "");
    qn_query_setup_clear(&setup);
}

static void mistakes_name_query_value_and_what_was_expected(void)
{
    const qn_trajectory_parameter twice[] = {{"max", "1"}, {"max", "2"}};
    qn_query_setup setup;
    CHECK_FAILS(read_one("maxx", "1", 1, &setup), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("query OW-OW: \"maxx\" is not a parameter of rdf; expected one of: max bin");
    CHECK_MESSAGE_HAS("(did you mean \"max\"?)");
    CHECK_FAILS(read_one("colour", "1", 1, &setup), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("expected one of:");
    CHECK_FAILS(qn_query_setup_read("OW-OW", &query_class, NULL, 0, 1, &setup), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--max is missing; expected largest distance in nm");
    CHECK_FAILS(qn_query_setup_read("OW-OW", &query_class, twice, 2, 1, &setup), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("max is given twice, as \"1\" and \"2\"");
    CHECK_FAILS(read_one("max", "2000", 0.1, &setup), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--max is \"2000\"; expected a number from 0.1 to 1000 Å");
    CHECK_FAILS(read_one("max", "1,2", 1, &setup), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--max is \"1,2\"; expected a number from 0.01 to 100 nm");
    CHECK_FAILS(read_one("max", "", 1, &setup), QN_INVALID_ARGUMENT);
    CHECK_FAILS(read_one("temperature", "warm", 1, &setup), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--temperature is \"warm\"; expected a number");
    CHECK_FAILS(read_one("bins", "1.5", 1, &setup), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--bins is \"1.5\"; expected a whole number from 1 to 1000000");
    CHECK_FAILS(read_one("exclude", "perhaps", 1, &setup), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("expected yes or no");
    CHECK_FAILS(read_one("axis", "w", 1, &setup), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--axis is \"w\"; expected one of: x y z");
    CHECK_FAILS(read_one("axis", "x y", 1, &setup), QN_INVALID_ARGUMENT);
}

static void atoms_of_varying_selections_are_not_given(void)
{
    const uint32_t indices[] = {3, 4};
    qn_query_setup setup;
    bool fixed;
    const uint32_t *atoms;
    size_t count;
    if (!CHECK_OK(read_one("max", "1", 1, &setup))) return;
    setup.atoms[1] = (qn_query_atoms){true, indices, 2};
    setup.atoms[0] = (qn_query_atoms){false, indices, 2};
    qn_query_setup_atoms(&setup, 1, &fixed, &atoms, &count);
    CHECK(fixed && atoms == indices && count == 2);
    qn_query_setup_atoms(&setup, 0, &fixed, &atoms, &count);
    CHECK(!fixed && !atoms && count == 0);
    qn_query_setup_clear(&setup);
}

/* Weights are shared in the run if the list of atoms and the kind of weight are the same; else each query has its own.
 */
static void weights_of_the_same_atoms_are_shared(void)
{
    qn_topology_atom described[] = {{.mass_u = 16, .charge_e = -0.8}, {.mass_u = 1, .charge_e = 0.4}, {.mass_u = 2}};
    const qn_topology topology = {
        .atoms = described, .atom_count = 3, .masses = QN_MASSES_FROM_FILE, .has_charges = true};
    const uint32_t some[] = {1, 2}, others[] = {1, 2};
    qn_shared_weights shared = {0};
    qn_atom_weights all[3], few[5];
    qn_query_setup setup;
    if (!CHECK_OK(read_one("max", "1", 1, &setup))) return;
    setup.topology = &topology;
    setup.shared_weights = &shared;
    for (int i = 0; i < 2; i++) CHECK_OK(qn_atom_weights_create(&setup, QN_ALL_ATOMS, QN_WEIGHT_MASS, &all[i]));
    setup.atoms[0] = (qn_query_atoms){true, some, 2};
    for (int i = 0; i < 2; i++) CHECK_OK(qn_atom_weights_create(&setup, 0, QN_WEIGHT_MASS, &few[i]));
    CHECK_OK(qn_atom_weights_create(&setup, 0, QN_WEIGHT_CHARGE, &few[2]));
    setup.atoms[0].indices = others;
    CHECK_OK(qn_atom_weights_create(&setup, 0, QN_WEIGHT_MASS, &few[3]));
    setup.shared_weights = NULL;
    CHECK_OK(qn_atom_weights_create(&setup, QN_ALL_ATOMS, QN_WEIGHT_MASS, &all[2]));
    CHECK_OK(qn_atom_weights_create(&setup, 0, QN_WEIGHT_MASS, &few[4]));
    CHECK(all[0].values == all[1].values && all[0].values != all[2].values && all[0].values[2] == 2);
    CHECK(few[0].values == few[1].values && few[0].values != few[2].values && few[0].values != all[0].values);
    CHECK(few[0].values != few[3].values && few[3].values != few[4].values);
    CHECK(few[0].values[0] == 1 && few[0].values[1] == 2 && few[0].values[2] == 0);
    CHECK(few[2].values[0] == 0.4 && few[3].values[1] == 2 && few[4].values[1] == 2);
    for (int i = 0; i < 3; i++) qn_atom_weights_clear(&all[i]);
    for (int i = 0; i < 5; i++) qn_atom_weights_clear(&few[i]);
    qn_shared_weights_clear(&shared);
    qn_query_setup_clear(&setup);
}

int main(void)
{
    RUN(values_are_read_by_kind);
    RUN(fallbacks_are_in_nm_whatever_the_unit);
    RUN(mistakes_name_query_value_and_what_was_expected);
    RUN(atoms_of_varying_selections_are_not_given);
    RUN(weights_of_the_same_atoms_are_shared);
    return check_finish();
}
