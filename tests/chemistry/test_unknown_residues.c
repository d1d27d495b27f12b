/* Residues with unknown names are typed by geometry: residues of a crystal structure of trypsin, renamed, must get the
 * same types as under their own names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "chemistry/residue_types.h"

/* Rename every `step`-th residue from `first` to UNK and its atoms to X1, X2 …. Histidine, tryptophan and lysine are
 * skipped: their templates contain more than geometry shows (src/chemistry/residue_templates.c). */
static void rename_residues(qn_molecule *molecule, size_t first, size_t step, bool *renamed)
{
    for (size_t r = first; r < molecule->residue_count; r += step) {
        qn_residue *residue = &molecule->residues[r];
        if (strcmp(residue->name, "HIS") == 0 || strcmp(residue->name, "TRP") == 0 ||
            strcmp(residue->name, "LYS") == 0 || residue->hetero)
            continue;
        strcpy(residue->name, "UNK");
        for (size_t i = 0; i < residue->atom_count; i++) {
            qn_atom *atom = &molecule->atoms[residue->first_atom + i];
            snprintf(atom->name, sizeof atom->name, "X%zu", i + 1);
            renamed[residue->first_atom + i] = true;
        }
    }
}

static void compare_renamed(size_t first, size_t step, size_t *compared, size_t *different)
{
    qn_molecule *molecule = NULL;
    const char *path = check_data("../../examples/1ppe/1PPE_r_u.pdb");
    if (!CHECK_OK(qn_molecule_read(NULL, path,
                                   &(qn_molecule_options){.size = sizeof(qn_molecule_options), .drop_hydrogens = true},
                                   &molecule)))
        return;
    size_t atoms = molecule->atom_count, unknown = 99;
    qn_sybyl_type *expected = calloc(atoms, sizeof *expected), *found = calloc(atoms, sizeof *found);
    bool *renamed = calloc(atoms, sizeof *renamed);
    if (CHECK(expected && found && renamed)) {
        CHECK_OK(qn_residue_sybyl_types(molecule, expected, NULL));
        rename_residues(molecule, first, step, renamed);
        CHECK_OK(qn_residue_sybyl_types(molecule, found, &unknown));
        CHECK(unknown == 0);
    }
    for (size_t i = 0; i < atoms; i++) {
        *compared += renamed[i];
        *different += renamed[i] && expected[i] != found[i];
        if (!renamed[i]) CHECK(expected[i] == found[i]);
    }
    free(expected);
    free(found);
    free(renamed);
    qn_molecule_destroy(&molecule);
}

/* Seven or eight atoms of residues 162 to 165 of the entry, where a C-N bond is 0.82 Å long, get other types. */
static void residues_among_known_ones_keep_their_types(void)
{
    size_t compared = 0, different = 0;
    for (size_t first = 1; first < 5; first++) compare_renamed(first, 4, &compared, &different);
    CHECK(compared > 1300);
    CHECK(different <= 8);
}

/* The first residue keeps its name, because geometry does not show the ammonium at the start of a chain. */
static void a_whole_chain_keeps_its_types(void)
{
    size_t compared = 0, different = 0;
    compare_renamed(1, 1, &compared, &different);
    CHECK(compared > 1300);
    CHECK(different <= 8);
}

int main(void)
{
    RUN(residues_among_known_ones_keep_their_types);
    RUN(a_whole_chain_keeps_its_types);
    return check_finish();
}
