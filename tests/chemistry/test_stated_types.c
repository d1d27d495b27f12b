/* Compare types atom by atom with those in MOL2 files of other programs. Every difference is listed with its reason. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "chemistry/bonds.h"
#include "chemistry/sybyl.h"
#include "format/compound/compound_stream.h"

typedef struct stated_file {
    const char *name;
    size_t molecules, heavy_atoms;
    const char *differences; /* "molecule atom stated ours; …", molecules from 1 */
} stated_file;

static const stated_file files[] = {
    /* Corina and SYBYL. Corina gives C.cat to the carbon between the nitrogens of any amidinium; Tripos only to that of
     * guanidinium */
    {"chemistry/corina.mol2", 5, 39, "5 C9 C.cat C.2"},
    /* PRODRG: N.3 for a nitrogen with four carbons (acetylcholine) */
    {"chemistry/prodrg.mol2", 8, 76, "3 NAD N.3 N.4"},
    /* Relibase's ligands of crystal structures. The file mistypes the sulfone of 1HPV and a carbon with four single
     * bonds in 1XL5; it describes 1US0's thioamide as an amine and a thiol */
    {"chemistry/crystal_ligands.mol2", 6, 198, "2 S1 S.3 S.o2; 5 C23 C.2 C.3; 6 S16 S.3 S.2; 6 N17 N.pl3 N.am"},
};

static void note_differences(const qn_compound *compound, size_t molecule, char *text, size_t room, size_t *heavy)
{
    qn_sybyl_type types[256];
    if (!CHECK(compound->atom_count <= 256) || !CHECK_OK(qn_sybyl_find_types(compound, types))) return;
    for (size_t i = 0; i < compound->atom_count; i++) {
        const qn_compound_atom *atom = &compound->atoms[i];
        if (!qn_compound_atom_is_hydrogen(atom)) (*heavy)++;
        if (qn_sybyl_from_name(atom->type) == types[i]) continue;
        size_t length = strlen(text);
        snprintf(text + length, room - length, "%s%zu %s %s %s", length ? "; " : "", molecule, atom->name, atom->type,
                 qn_sybyl_name(types[i]));
    }
}

static void types_agree_with_those_in_files(void)
{
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        qn_compound **compounds;
        char text[512] = "";
        size_t count, heavy = 0;
        if (!CHECK_OK(qn_compound_read_file(check_data(files[k].name), &compounds, &count))) continue;
        CHECK(count == files[k].molecules);
        for (size_t i = 0; i < count; i++) {
            note_differences(compounds[i], i + 1, text, sizeof text, &heavy);
            qn_compound_destroy(&compounds[i]);
        }
        qn_release(&compounds);
        CHECK(heavy == files[k].heavy_atoms);
        CHECK_TEXT(text, files[k].differences);
    }
}

/* The ligand of BUDE's benchmark (miniBUDE, data/bm1/ligand.in, Apache-2.0): only heavy atoms and their types; the
 * first letter of a type is the element. */
static const struct {
    const char *type;
    double position_angstrom[3];
} dioxopurine[] = {
    {"C.3", {0.6321, 6.2599, 1.9018}},    {"C.3", {0.4683, 5.7798, 0.4584}},     {"C.3", {0.0177, 4.3176, 0.4553}},
    {"C.3", {-0.1461, 3.8375, -0.9882}},  {"N.pl3", {-0.5776, 2.4375, -0.9911}}, {"C.2", {-1.8846, 1.9887, -0.9811}},
    {"C.2", {-1.8665, 0.6590, -0.9884}},  {"N.pl3", {-0.5472, 0.2415, -1.0032}}, {"C.2", {0.2428, 1.3405, -1.0049}},
    {"N.2", {1.5137, 0.9657, -1.0190}},   {"C.2", {1.5949, -0.3621, -1.0269}},   {"C.2", {0.2932, -0.8615, -1.0172}},
    {"C.2", {0.0934, -2.2517, -1.0223}},  {"O.2", {-1.0354, -2.7113, -1.0144}},  {"N.am", {1.1632, -3.0732, -1.0378}},
    {"C.2", {2.4146, -2.5828, -1.0467}},  {"O.2", {3.3540, -3.3548, -1.0598}},   {"N.am", {2.6536, -1.2577, -1.0418}},
    {"C.3", {4.0322, -0.7621, -1.0518}},  {"C.3", {0.9578, -4.5237, -1.0436}},   {"C.3", {0.8995, -5.0363, 0.3968}},
    {"O.3", {-0.2506, -4.4942, 1.0491}},  {"C.3", {-0.3997, -4.9127, 2.4073}},   {"C.3", {-1.6567, -4.2750, 3.0024}},
    {"C.3", {-3.0762, -0.2397, -0.9812}}, {"C.3", {-3.1169, 2.8560, -0.9702}}};

static void the_benchmark_ligand_gets_the_types_of_its_deck(void)
{
    enum { COUNT = sizeof dioxopurine / sizeof *dioxopurine };
    qn_compound *compound = NULL;
    qn_sybyl_type types[COUNT];
    if (!CHECK_OK(qn_compound_create("deck", COUNT, 0, 1, &compound))) return;
    for (size_t i = 0; i < COUNT; i++) {
        memcpy(compound->positions_angstrom + 3 * i, dioxopurine[i].position_angstrom, 3 * sizeof(double));
        compound->atoms[i].element[0] = dioxopurine[i].type[0];
    }
    if (CHECK_OK(qn_bonds_connect(compound)) && CHECK_OK(qn_bonds_find_orders(compound)) &&
        CHECK_OK(qn_sybyl_find_types(compound, types)))
        for (size_t i = 0; i < COUNT; i++) CHECK_TEXT(qn_sybyl_name(types[i]), dioxopurine[i].type);
    qn_compound_destroy(&compound);
}

int main(void)
{
    RUN(types_agree_with_those_in_files);
    RUN(the_benchmark_ligand_gets_the_types_of_its_deck);
    return check_finish();
}
