/* Compare selections with lists of atoms made by hand; refusals; the sharing of nodes. */
#include "check.h"

#include <stdlib.h>

#include "base/file.h"
#include "selection/network.h"
#include "selection/tests/small_system.h"

typedef struct text_case {
    const char *text, *expected; /* atoms, or part of the message */
} text_case;

/* Format ascending numbers, with runs of two or more joined: "0-4 7". */
static const char *list_text(const uint32_t *atoms, size_t count)
{
    static char text[1024];
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && length < sizeof text - 32;) {
        size_t last = i;
        while (last + 1 < count && atoms[last + 1] == atoms[last] + 1) last++;
        length +=
            (size_t)sprintf(text + length, i == last ? "%s%u" : "%s%u-%u", length ? " " : "", atoms[i], atoms[last]);
        i = last + 1;
    }
    return text;
}

static void check_selects(qn_selections *selections, const char *text, const char *expected)
{
    int node;
    const uint32_t *atoms;
    size_t count;
    if (!CHECK_OK(qn_selections_add(selections, text, &node))) {
        printf("    in: %s\n", text);
        return;
    }
    CHECK(qn_selections_is_fixed(selections, node));
    qn_selections_fixed_atoms(selections, node, &atoms, &count);
    if (!CHECK_TEXT(list_text(atoms, count), expected)) printf("    in: %s\n", text);
}

static const text_case selected_by_words[] = {
    {"all", "0-27"},
    {"none", ""},
    {"protein", "0-12"},
    {"backbone", "0-3 5-6 8-11"},
    {"protein and backbone", "0-3 5-6 8-11"},
    {"nucleic", "13-16"},
    {"nucleicbackbone", "13-14"},
    {"water", "17-22"},
    {"waters", "17-22"},
    {"ion", "23-24"},
    {"ions", "23-24"},
    {"hydrogen", "4 18-19 21-22 26"},
    {"noh", "0-3 5-17 20 23-25 27"},
    {"name CA", "1 6 11"},
    {"name CA CB", "1 6-7 11"},
    {"name CA, CB", "1 6-7 11"},
    {"name CA or name CB", "1 6-7 11"},
    {"atomname CA", "1 6 11"},
    {"name == CA", "1 6 11"},
    {"name != CA and protein", "0 2-5 7-10 12"},
    {"name ca", ""},
    {"name H*", "4 18-19 21-22"},
    {"name ?A", "1 6 11 23"},
    {"name C*", "1-2 6-8 11 15 24-25 27"},
    {"name C?", "1 6-7 11 24-25"},
    {"name C[AB]", "1 6-7 11"},
    {"name C[!AB]", "24-25"},
    {"name C[0-9]", "25"},
    {"name *1", "4 18 21 25 27"},
    {"name O5'", "14"},
    {"name 'C1*'", "15"},
    {"name C1\\*", "15"},
    {"name \"C1*\"", "15 25"},
    {"name \"C 1\"", "27"},
    {"name 'C 1'", "27"},
    {"name \"and\"", "26"},
    {"name ''", ""},
    {"type t1 t2", "0-1 5-6 10-11 15-16 25 27"},
    {"atomtype t?", "0-27"},
    {"element C", "1-2 6-8 11 15 25 27"},
    {"element Na CL", "23-24"},
    {"resname SOL and name OW", "17 20"},
    {"resname NA+", "23"},
    {"resname SOL LIG", "17-22 25-27"},
    {"chain A", "0-12"},
    {"chain x", "13-16"},
    {"chainID A x", "0-16"},
    {"chain ''", "17-27"},
    {"segid WAT", "17-22"},
    {"segname ION", "23-24"},
    {"segment PROT", "0-12"},
    {"resid 1", "5-9"},
    {"resid 1A", "10-12"},
    {"resid -1", "0-4"},
    {"resid -1 1", "0-9"},
    {"resid 1-2", "5-16"},
    {"resid 1:2", "5-16"},
    {"resid 1 to 2", "5-16"},
    {"resid 1A-2", "10-16"},
    {"resid -1-1", "0-9"},
    {"resid -1:-1", "0-4"},
    {"resid -5--1", "0-4"},
    {"resid -5 to -1", "0-4"},
    {"resid -1 to 1A", "0-12"},
    {"resid 1,2,5", "5-9 13-16 23"},
    {"resid > 1", "13-27"},
    {"resid >= 1", "5-27"},
    {"resid < 1", "0-4"},
    {"resid <= 1", "0-12"},
    {"resid == 1", "5-12"},
    {"resid != 1", "0-4 13-27"},
    {"1 < resid", "13-27"},
    {"1 <= resid < 3", "5-16"},
    {"resnr 7", "25-27"},
    {"resnum 7", "25-27"},
    {"resindex 0", "0-4"},
    {"resindex 0 to 1", "0-9"},
    {"molecule 0", "0-12"},
    {"molnum 0 1", "0-16"},
    {"molindex 1", "0-12"},
    {"fragment 2 3", "17-22"},
    {"index 0 to 4", "0-4"},
    {"index 0:4", "0-4"},
    {"index 0-4 7", "0-4 7"},
    {"index > 25", "26-27"},
    {"index 5000", ""},
    {"serial 1", "0"},
    {"serial 1 to 3", "0-2"},
    {"bynum 5:10", "4-9"},
    {"atomnr 28", "27"},
    {"serial <= 2", "0-1"},
    {"mass > 30", "13 24"},
    {"prop mass > 30", "13 24"},
    {"mass 12.011", "1-2 6-8 11 15 25 27"},
    {"mass == 12.011", "1-2 6-8 11 15 25 27"},
    {"mass != 12.011 and resid 7", "26"},
    {"mass 20 to 31", "13 23"},
    {"mass 20:31", "13 23"},
    {"charge < -0.6", "12 17 20 24"},
    {"charge -1 to -0.7", "12 17 20 24"},
    {"charge 1.2", "13"},
    {"charge = 1", "23"},
    {"abs charge >= 1", "13 23-24"},
    {"abs(charge) >= 1", "13 23-24"},
    {"prop abs charge >= 1", "13 23-24"},
    {"abs charge < 0.05", "15-16 25-27"},
    {"abs charge < -1", ""},
    {"-0.6 <= charge <= -0.5", "0 3 5 9-10 14"},
    {"same residue as name CB", "5-9"},
    {"byres name CB", "5-9"},
    {"same residue as name OG H1", "0-4 10-12"},
    {"same molecule as name CB", "0-12"},
    {"same fragment as index 18", "17-19"},
    {"same chain as name P", "13-16"},
    {"same segid as index 17", "17-22"},
    {"same name as index 1", "1 6 11"},
    {"same resname as index 20", "17-22"},
    {"same element as index 13", "13"},
    {"same mass as index 23", "23"},
    {"same type as index 10 23", "0 5 10 16 23-24"},
    {"same residue as none", ""},
    {"bonded to name CB", "6"},
    {"bonded name CA", "0 2 5 7-8 10 12"},
    {"bonded to resname SOL", "17-22"},
    {"name HW1 and bonded name OW", "18 21"},
    {"name CA or name CB and resid 1", "1 6-7 11"},
    {"(name CA or name CB) and resid 1", "6-7"},
    {"not name CA and resid 1", "5 7-9"},
    {"not (name CA and resid 1)", "0-5 7-27"},
    {"! name CA && resid 1 || name P", "5 7-9 13"},
    {"not not name CA", "1 6 11"},
    {"not not not protein", "13-27"},
    {"byres name CB or name OW", "5-9 17-22"},
    {"(byres name CB) or name OW", "5-9 17 20"},
    {"byres name CA and resid 1", "5-9"},
    {"name N and same residue as name CB or name OG", "5 10"},
    {"  (\tprotein\n) ", "0-12"},
    {"protein and not all", ""},
};

static void selections_give_the_expected_atoms(void)
{
    qn_selections *selections;
    qn_topology *topology = small_system();
    if (!topology || !CHECK_OK(qn_selections_create(topology, 1, true, &selections))) return;
    for (size_t i = 0; i < sizeof selected_by_words / sizeof selected_by_words[0]; i++)
        check_selects(selections, selected_by_words[i].text, selected_by_words[i].expected);
    qn_selections_destroy(&selections);
    qn_topology_destroy(&topology);
}

static const text_case refused[] = {
    {"", "column 1: it ends where a selection, such as \"name CA\""},
    {"  ", "column 3: it ends where a selection"},
    {"name", "column 5: it ends where a name is expected"},
    {"name CA and", "column 12: it ends where a selection"},
    {"name CA and resnam SOL", "column 13: \"resnam\" is not understood; expected a selection, such as \"name CA\""},
    {"name CA and resnam SOL", "did you mean \"resname\"?"},
    {"protien", "column 1: \"protien\" is not understood"},
    {"protien", "did you mean \"protein\"?"},
    {"Protein", "did you mean \"protein\"?"},
    {"temperature > 3", "column 1: \"temperature\" is not understood"},
    {"protein name CA", "column 9: \"name\" is not understood; expected and, or, or the end"},
    {"name CA CB protein", "column 12: \"protein\" is a word of the language"},
    {"name CA AND name CB", "column 9: \"AND\" is written \"and\""},
    {"name CA OR", "column 9: \"OR\" is written \"or\""},
    {"name CA to CB", "column 9: \"to\" is a word of the language"},
    {"name CA,", "column 9: it ends where a name after the comma"},
    {"name < CA", "column 6: \"<\" is not understood; expected names, == or !="},
    {"name 'CA", "column 6: the quotation mark is not closed"},
    {"(name CA", "column 9: it ends where and, or, or \")\" is expected"},
    {"name CA)", "column 8: \")\" is not understood; expected and, or, or the end"},
    {"()", "column 2: \")\" is not understood; expected a selection"},
    {"and", "column 1: \"and\" is not understood; expected a selection"},
    {"resid", "column 6: it ends where a residue number or a range such as 3-9 is expected"},
    {"resid CA", "column 7: \"CA\" is not understood; expected a residue number"},
    {"resid 1-", "column 7: \"1-\" is not understood"},
    {"resid 1AB", "column 7: \"1AB\" is not understood"},
    {"resid 1 to", "column 11: it ends where the last number of the range"},
    {"resid 1 to 2-3", "column 12: \"2-3\" is not understood; expected the last number"},
    {"resid 9-3", "column 7: the range counts down; expected the smaller number first"},
    {"resid 12345678901", "column 7: \"12345678901\" is not understood"},
    {"index 1.5", "column 7: \"1.5\" is not understood; expected a whole number"},
    {"index < 1.5", "column 9: \"1.5\" is not understood; expected a whole number to compare with"},
    {"mass > heavy", "column 8: \"heavy\" is not understood; expected a number to compare with"},
    {"mass", "column 5: it ends where a number or a range such as \"1.5 to 3\" is expected"},
    {"mass nan", "column 6: \"nan\" is not understood"},
    {"mass 1e40", "column 6: \"1e40\" is not understood"},
    {"5 protein", "column 3: \"protein\" is not understood; expected a comparison such as < after a number"},
    {"5 < protein", "column 5: \"protein\" is not understood; expected a property that is a number"},
    {"prop name CA", "column 6: \"name\" is not understood; expected a property that is a number"},
    {"abs x 5", "column 7: \"5\" is not understood; expected a comparison such as < 5"},
    {"abs(x < 5", "column 7: \"<\" is not understood; expected \")\""},
    {"within of protein", "column 8: \"of\" is not understood; expected a radius"},
    {"within 0.5 protein", "column 12: \"protein\" is not understood; expected \"of\" and a selection"},
    {"within -1 of protein", "column 8: the radius is -1; expected 0 or more"},
    {"around 5 of protein", "column 10: \"of\" is not understood; expected a selection"},
    {"same colour as protein", "column 6: \"colour\" is not understood; expected residue, molecule, fragment"},
    {"same x as protein", "column 6: \"x\" is not understood; expected residue"},
    {"same residue protein", "column 14: \"protein\" is not understood; expected \"as\" and a selection"},
    {"residue 5", "column 1: \"residue\" is not understood; expected resid for the numbers of the file or resindex"},
    {"sidechain", "expected \"protein and not backbone\""},
    {"group Protein", "column 7: there is no group \"Protein\", as no index file was given"},
    {"name CA & name CB", "column 9: \"&\" is not understood"},
    {"name CA; protein", ""},
};

static void invalid_texts_are_refused_with_their_place(void)
{
    qn_selections *selections;
    qn_topology *topology = small_system();
    int node;
    if (!topology || !CHECK_OK(qn_selections_create(topology, 1, true, &selections))) return;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (!CHECK_FAILS(qn_selections_add(selections, refused[i].text, &node), QN_INVALID_ARGUMENT) ||
            !CHECK_MESSAGE_HAS(refused[i].expected))
            printf("    in: %s\n", refused[i].text);
        CHECK_MESSAGE_HAS("selection \"");
    }
    char deep[400] = "";
    for (int i = 0; i < 70; i++) strcat(deep, "(");
    CHECK_FAILS(qn_selections_add(selections, deep, &node), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("column 65: more than 64 selections within each other");
    qn_selections_destroy(&selections);
    qn_topology_destroy(&topology);
}

/* Messages show at most 160 bytes of the text, and only complete characters. */
static void long_texts_are_cut_in_messages(void)
{
    char text[400] = "name  ", expected[400] = "selection \"name  ";
    qn_selections *selections;
    qn_topology *topology = small_system();
    int node;
    if (!topology || !CHECK_OK(qn_selections_create(topology, 1, true, &selections))) return;
    for (int i = 0; i < 100; i++) strcat(text, i == 0 ? "a\u00e4" : "\u00e4");
    for (int i = 0; i < 76; i++) strcat(expected, i == 0 ? "a\u00e4" : "\u00e4");
    strcat(text, " (");
    strcat(expected, "...\", column 209: \"(\" is not understood");
    CHECK_FAILS(qn_selections_add(selections, text, &node), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS(expected);
    qn_selections_destroy(&selections);
    qn_topology_destroy(&topology);
}

static const text_case lacking[] = {
    {"name CA and type t1", "column 13: small.top holds no atom types; TPR, PSF and parm7 files do"},
    {"mass > 1", "column 1: small.top holds no masses"},
    {"prop abs charge > 1", "column 10: small.top holds no charges"},
    {"bonded to name CA", "column 1: small.top holds no bonds"},
    {"fragment 0", "column 1: small.top holds no bonds"},
    {"same fragment as name CA", "column 6: small.top holds no bonds"},
    {"chain A", "column 1: small.top holds no chain names; PDB and mmCIF files do"},
    {"segid A", "column 1: small.top holds no segment names"},
};

static void properties_that_the_topology_lacks_are_refused(void)
{
    qn_selections *selections;
    qn_topology *topology = small_system();
    int node;
    if (!topology || !CHECK_OK(qn_selections_create(topology, 1, true, &selections))) return;
    topology->has_bonds = topology->has_charges = topology->has_types = false;
    topology->masses = QN_MASSES_ABSENT;
    for (size_t i = 0; i < topology->residue_count; i++)
        topology->residues[i].chain[0] = topology->residues[i].segment[0] = '\0';
    for (size_t i = 0; i < sizeof lacking / sizeof lacking[0]; i++) {
        CHECK_FAILS(qn_selections_add(selections, lacking[i].text, &node), QN_INVALID_ARGUMENT);
        CHECK_MESSAGE_HAS(lacking[i].expected);
    }
    CHECK_OK(qn_selections_add(selections, "same molecule as name CA", &node));
    qn_selections_destroy(&selections);
    qn_topology_destroy(&topology);
}

/* ---- The network ---- */

static const char *const equal[][2] = {
    {"name CA and resid 1", "resid 1 and name CA"},
    {"name CA", "not not name CA"},
    {"name CA", "not (not (name CA))"},
    {"name CA", "(name CA)"},
    {"name CA", "name 'CA'"},
    {"name CA", "name CA CA"},
    {"name CA", "name CA and name CA"},
    {"name CA", "name CA or none"},
    {"name CA", "all and name CA"},
    {"all", "name CA or all"},
    {"none", "name CA and none"},
    {"none", "not all"},
    {"name CA CB", "name CB or name CA"},
    {"name CA CB N", "name CB or (name CA or name N)"},
    {"(name CA and resid 1) and protein", "name CA and (protein and resid 1)"},
    {"index 1 2 3", "index 1-3"},
    {"index 1-3 or index 2-5", "index 1 to 5"},
    {"serial 2", "index 1"},
    {"resid 1 2", "resid 2 or resid 1"},
    {"mass > 3", "3 < mass"},
    {"within 0.5 of name CA", "within 0.50 of (name CA)"},
    {"around 0.5 name CA", "(within 0.5 of name CA) and not name CA"},
    {"byres name CA", "same residue as name CA"},
    {"x > 1 and name CA and resid 1", "name CA and x > 1 and resid 1"},
    {"chain A && ! water", "not water and chain A"},
    {"charge < 0.0", "charge < -0.0"},
};
static const char *const different[][2] = {
    {"name CA", "name CB"},
    {"name CA", "type CA"},
    {"name 'C*'", "name C*"},
    {"name CA and resid 1", "name CA or resid 1"},
    {"not name CA", "name CA"},
    {"mass > 3", "mass >= 3"},
    {"within 0.5 of name CA", "within 0.6 of name CA"},
    {"within 0.5 of name CA and resid 1", "(within 0.5 of name CA) and resid 1"},
    {"resid 1 2", "resid 1-2"}, /* 1A lies between them */
    {"same residue as name CA", "same molecule as name CA"},
};

static void equal_selections_are_one_node(void)
{
    qn_topology *topology = small_system();
    if (!topology) return;
    for (size_t i = 0; i < sizeof equal / sizeof equal[0]; i++) {
        qn_selections *selections;
        int first = -1, second = -2;
        if (!CHECK_OK(qn_selections_create(topology, 1, true, &selections))) break;
        CHECK_OK(qn_selections_add(selections, equal[i][0], &first));
        CHECK_OK(qn_selections_add(selections, equal[i][1], &second));
        if (!CHECK(first == second)) printf("    in: %s | %s\n", equal[i][0], equal[i][1]);
        qn_selections_destroy(&selections);
    }
    for (size_t i = 0; i < sizeof different / sizeof different[0]; i++) {
        qn_selections *selections;
        int first = -1, second = -1;
        if (!CHECK_OK(qn_selections_create(topology, 1, true, &selections))) break;
        CHECK_OK(qn_selections_add(selections, different[i][0], &first));
        CHECK_OK(qn_selections_add(selections, different[i][1], &second));
        if (!CHECK(first != second)) printf("    in: %s | %s\n", different[i][0], different[i][1]);
        qn_selections_destroy(&selections);
    }
    qn_topology_destroy(&topology);
}

/* Nodes of 100 selections that differ in one range: protein, name CA, 100 ranges and 100 conjunctions, each evaluated
 * once. */
static void selections_share_fixed_nodes(void)
{
    qn_selections *selections;
    qn_topology *topology = small_system();
    int node, first[100];
    if (!topology || !CHECK_OK(qn_selections_create(topology, 1, true, &selections))) return;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 100; i++) {
            char text[80];
            snprintf(text, sizeof text,
                     round ? "resid 1-%d and (name CA and protein)" : "protein and name CA and resid 1-%d", i + 1);
            CHECK_OK(qn_selections_add(selections, text, &node));
            if (round == 0) first[i] = node;
            CHECK(node == first[i]);
        }
    CHECK(qn_selections_node_count(selections) == 202);
    for (size_t i = 0; i < selections->node_count; i++) CHECK(selections->nodes[i].evaluations == 1);
    qn_selections_destroy(&selections);
    qn_topology_destroy(&topology);
}

/* The neighbours of the protein are found once per frame for 100 selections. Nodes: protein, within, water, name OW,
 * 100 ranges, 100 conjunctions of fixed nodes, 100 conjunctions with the geometric node. */
static void selections_share_geometric_nodes(void)
{
    qn_selections *selections;
    qn_selection_atoms *atoms;
    qn_topology *topology = small_system();
    int node;
    float positions[SMALL_SYSTEM_ATOMS * 3] = {0};
    if (!topology || !CHECK_OK(qn_selections_create(topology, 1, false, &selections))) return;
    for (int i = 0; i < 100; i++) {
        char text[120];
        snprintf(text, sizeof text, "water and name OW and index 0-%d and within 0.5 of protein", i);
        CHECK_OK(qn_selections_add(selections, text, &node));
    }
    CHECK(qn_selections_node_count(selections) == 304);
    qn_trajectory_frame frame = {.atom_count = SMALL_SYSTEM_ATOMS, .positions_nm = positions};
    if (CHECK_OK(qn_selection_atoms_create(selections, &atoms))) {
        for (int i = 0; i < 3; i++) CHECK_OK(qn_selection_atoms_evaluate(atoms, &frame));
        int geometric = 0;
        for (size_t i = 0; i < selections->node_count; i++) {
            const qn_selection_node *of = &selections->nodes[i];
            geometric += !of->fixed;
            CHECK(of->evaluations == (of->fixed ? 1 : 0) && atoms->evaluations[i] == (of->fixed ? 0 : 3));
        }
        CHECK(geometric == 101);
        qn_selection_atoms_destroy(&atoms);
    }
    qn_selections_destroy(&selections);
    qn_topology_destroy(&topology);
}

/* ---- Groups ---- */

static const text_case selected_by_groups[] = {
    {"group Protein-H", "0-2"},
    {"group \"Protein-H\"", "0-2"},
    {"group 'two words'", "4 27"},
    {"group 0", "0-2"},
    {"group 1", "6"},
    {"group 4", "1"},
    {"group twice_same", "2-3"},
    {"group empty", ""},
    {"group Protein-H and name CA", "1"},
    {"not group empty", "0-27"},
};

static void groups_of_index_files_are_selected(void)
{
    static const char first[] = "[ Protein-H ]\n1 2 3\n\n[ two words ]\n28 5 5\n[ 1 ]\n7\n[ twice ]\n1\n[ twice ]\n2\n";
    static const char second[] = "[ empty ]\n[ twice_same ]\n3 4\n[ twice_same ]\n3 4\n";
    char path[512];
    qn_selections *selections;
    qn_topology *topology = small_system();
    int node;
    if (!topology || !CHECK_OK(qn_selections_create(topology, 1, true, &selections))) return;
    snprintf(path, sizeof path, "%s/first.ndx", check_scratch_folder());
    CHECK_OK(qn_file_write(path, first, sizeof first - 1));
    CHECK_OK(qn_selections_add_index_file(selections, path));
    snprintf(path, sizeof path, "%s/second.ndx", check_scratch_folder());
    CHECK_OK(qn_file_write(path, second, sizeof second - 1));
    CHECK_OK(qn_selections_add_index_file(selections, path));
    for (size_t i = 0; i < sizeof selected_by_groups / sizeof selected_by_groups[0]; i++)
        check_selects(selections, selected_by_groups[i].text, selected_by_groups[i].expected);
    CHECK_FAILS(qn_selections_add(selections, "group twice", &node), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("two groups are called \"twice\" and hold different atoms");
    CHECK_MESSAGE_HAS("first.ndx, line 8");
    CHECK_MESSAGE_HAS("expected one of the numbers 3 and 4");
    CHECK_FAILS(qn_selections_add(selections, "name CA and group Water", &node), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("column 19: there is no group \"Water\"");
    CHECK_MESSAGE_HAS("Protein-H, two words, 1, twice, twice, empty");
    CHECK_FAILS(qn_selections_add(selections, "group 8", &node), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_selections_add(selections, "group \"0\"", &node), QN_INVALID_ARGUMENT);
    qn_selections_destroy(&selections);
    qn_topology_destroy(&topology);
}

int main(void)
{
    RUN(selections_give_the_expected_atoms);
    RUN(invalid_texts_are_refused_with_their_place);
    RUN(long_texts_are_cut_in_messages);
    RUN(properties_that_the_topology_lacks_are_refused);
    RUN(equal_selections_are_one_node);
    RUN(selections_share_fixed_nodes);
    RUN(selections_share_geometric_nodes);
    RUN(groups_of_index_files_are_selected);
    return check_finish();
}
