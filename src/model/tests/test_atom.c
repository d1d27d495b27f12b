#include "model/atom.h"

#include "check.h"

static void deuterium_is_hydrogen_and_mercury_is_not(void)
{
    CHECK(qn_atom_is_hydrogen(&(qn_atom){.name = "HG", .element = "H"}));
    CHECK(qn_atom_is_hydrogen(&(qn_atom){.name = "DG", .element = "D"}));
    CHECK(!qn_atom_is_hydrogen(&(qn_atom){.name = "HG", .element = "HG"}));
    CHECK(!qn_atom_is_hydrogen(&(qn_atom){.name = "DY", .element = "DY"}));
    CHECK(!qn_atom_is_hydrogen(&(qn_atom){.name = "H", .element = "X"}));
}

static void calcium_is_not_a_c_alpha(void)
{
    CHECK(qn_atom_is_c_alpha(&(qn_atom){.name = "CA", .element = "C"}));
    CHECK(qn_atom_is_c_alpha(&(qn_atom){.name = "CA", .element = "X"})); /* the file states no element */
    CHECK(!qn_atom_is_c_alpha(&(qn_atom){.name = "CA", .element = "CA"}));
    CHECK(!qn_atom_is_c_alpha(&(qn_atom){.name = "CB", .element = "C"}));
}

/* An ion listed before the residue's own atoms, two Cα of alternate locations, and a residue without Cα. */
static void a_residue_gets_its_first_c_alpha(void)
{
    qn_atom atoms[] = {{.name = "CA", .element = "C"}, {.name = "CA", .element = "CA"}, {.name = "N", .element = "N"},
                       {.name = "CA", .element = "C"}, {.name = "CA", .element = "C"},  {.name = "P", .element = "P"},
                       {.name = "CA", .element = "C"}};
    const qn_molecule molecule = {.atom_count = 7, .atoms = atoms};
    CHECK(qn_residue_c_alpha(&molecule, &(qn_residue){.first_atom = 1, .atom_count = 4}) == &atoms[3]);
    CHECK(qn_residue_c_alpha(&molecule, &(qn_residue){.first_atom = 5, .atom_count = 1}) == NULL);
    CHECK(qn_residue_c_alpha(&molecule, &(qn_residue){.first_atom = 5, .atom_count = 0}) == NULL);
}

int main(void)
{
    RUN(deuterium_is_hydrogen_and_mercury_is_not);
    RUN(calcium_is_not_a_c_alpha);
    RUN(a_residue_gets_its_first_c_alpha);
    return check_finish();
}
