/* Any text as a table of HADDOCK about two small molecules: it is refused with a place, or its restraints have atoms of
 * both partners and can be tested. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "dock/known/haddock_table.h"

enum { RESIDUES = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds) abort();
}

static qn_molecule *make_molecule(const char *chain)
{
    qn_molecule *molecule;
    demand(qn_molecule_create("m", &molecule) == QN_OK);
    for (int r = 0; r < RESIDUES; r++) {
        qn_residue residue = {.number = 30 + r / 2, .insertion = r % 2 ? 'A' : '\0', .name = "ALA"};
        strcpy(residue.chain, chain);
        demand(qn_molecule_append_residue(molecule, &residue) == QN_OK);
        demand(qn_molecule_append_atom(molecule, &(qn_atom){{r, 0, 0}, .name = "CA", .element = "C"}) == QN_OK);
        demand(qn_molecule_append_atom(molecule, &(qn_atom){{r, 1, 0}, .name = "HA", .element = "H"}) == QN_OK);
    }
    return molecule;
}

static void try_restraints(const qn_dock_ambiguous *restraints)
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, shift[3] = {0, 0, 3};
    for (size_t i = 0; i < restraints->count; i++) {
        const qn_dock_ambiguous_restraint *one = &restraints->list[i];
        demand(one->count[0] > 0 && one->count[0] <= RESIDUES && one->count[1] > 0 && one->count[1] <= RESIDUES);
        demand(one->maximum_angstrom > 0 && one->maximum_angstrom <= 1000);
        const bool satisfied = qn_dock_ambiguous_satisfied(restraints, i, 0, identity, shift);
        demand(satisfied || one->maximum_angstrom < 4.3); /* the farthest pair is √(3² + 3²) Å apart */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    qn_text text = {0};
    qn_molecule *receptor = make_molecule("A"), *ligand = make_molecule("B");
    const qn_molecule *molecules[2] = {receptor, ligand};
    bool marks[2][RESIDUES] = {{false}};
    bool *const attracting[2] = {marks[0], marks[1]};
    qn_dock_ambiguous restraints = {0};
    demand(qn_text_append_bytes(&text, "", 0) == QN_OK);
    demand(qn_text_append_bytes(&text, data, size) == QN_OK);
    qn_haddock_table_is(text.data);
    const qn_status status = qn_haddock_table_parse("f.tbl", text.data, molecules, &restraints, attracting);
    demand(status == QN_OK ||
           ((status == QN_BAD_FORMAT || status == QN_NOT_FOUND) && strncmp(qn_error_message(), "f.tbl:", 6) == 0));
    try_restraints(&restraints);
    qn_dock_ambiguous_clear(&restraints);
    qn_text_clear(&text);
    qn_molecule_destroy(&receptor);
    qn_molecule_destroy(&ligand);
    return 0;
}
