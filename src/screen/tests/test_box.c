#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "screen/box.h"

static qn_molecule *molecule;
static double atoms[3 * 4];
static qn_score_receptor receptor;
static double centre[3], side[3];

static void build(void)
{
    static const struct {
        const char *chain;
        int number;
        double at[3];
    } residues[] = {{"A", 30, {0, 0, 0}}, {"A", 31, {2, 4, 6}}, {"A", 77, {10, 0, -2}}, {"B", 30, {50, 50, 50}}};
    CHECK_OK(qn_molecule_create("receptor.pdb", &molecule));
    for (int i = 0; i < 4; i++) {
        qn_residue residue = {.number = residues[i].number, .name = "GLY"};
        qn_atom atom = {.name = "CA", .element = "C"};
        strcpy(residue.chain, residues[i].chain);
        memcpy(atom.position_angstrom, residues[i].at, sizeof residues[i].at);
        memcpy(atoms + 3 * i, residues[i].at, sizeof residues[i].at);
        CHECK_OK(qn_molecule_append_residue(molecule, &residue));
        CHECK_OK(qn_molecule_append_atom(molecule, &atom));
    }
    receptor = (qn_score_receptor){.molecule = molecule, .atom_count = 4, .positions_angstrom = atoms};
}

static qn_status find(const qn_screen_options *options)
{
    return qn_screen_box_find(options, &receptor, centre, side);
}

static void check_box(double x, double y, double z, double a, double b, double c)
{
    const double expected[6] = {x, y, z, a, b, c};
    for (int d = 0; d < 3; d++) {
        CHECK_NEAR(centre[d], expected[d], 1e-9);
        CHECK_NEAR(side[d], expected[3 + d], 1e-9);
    }
}

static void a_given_box_is_not_changed(void)
{
    qn_screen_options options = {
        .size = sizeof options, .box_centre_angstrom = {1, 2, 3}, .box_side_angstrom = {4, 5, 6}};
    CHECK_OK(find(&options));
    check_box(1, 2, 3, 4, 5, 6);
    options.box_side_angstrom[1] = -5;
    CHECK_FAILS(find(&options), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("along y");
    options.box_side_angstrom[1] = 1000;
    CHECK_FAILS(find(&options), QN_INVALID_ARGUMENT);
    options = (qn_screen_options){
        .size = sizeof(qn_screen_options), .box_centre_angstrom = {-100, 0, 0}, .box_side_angstrom = {20, 20, 20}};
    CHECK_FAILS(find(&options), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("90 Å away from the receptor");
}

static void exactly_one_of_box_site_and_pocket_is_required(void)
{
    CHECK_FAILS(find(&(qn_screen_options){.size = sizeof(qn_screen_options)}), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("none of box, site and pocket");
    CHECK_FAILS(find(&(qn_screen_options){.size = sizeof(qn_screen_options), .pocket = "A:30", .site = "x.sdf"}),
                QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("several of box");
}

static void a_pocket_gives_the_extent_of_its_residues(void)
{
    CHECK_OK(
        find(&(qn_screen_options){.size = sizeof(qn_screen_options), .pocket = "A:30-31,A:77", .margin_angstrom = 4}));
    check_box(5, 2, 2, 10, 4, 8);
    CHECK_OK(find(&(qn_screen_options){.size = sizeof(qn_screen_options), .pocket = "A:30,77"}));
    check_box(5, 0, -1, 10, 1, 2); /* at least 1 Å along each side */
    CHECK_FAILS(find(&(qn_screen_options){.size = sizeof(qn_screen_options), .pocket = "A:30,99"}), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("pocket \"A:30,99\"");
    CHECK_FAILS(find(&(qn_screen_options){.size = sizeof(qn_screen_options), .pocket = "A:x"}), QN_INVALID_ARGUMENT);
    receptor.molecule = NULL; /* as from MOL2 */
    CHECK_FAILS(find(&(qn_screen_options){.size = sizeof(qn_screen_options), .pocket = "A:30"}), QN_UNSUPPORTED);
    receptor.molecule = molecule;
}

static const char *write_site(const char *name, const char *text)
{
    static char path[700];
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
    CHECK_OK(qn_file_write(path, text, strlen(text)));
    return path;
}

/* Carbons at (1, 2, 3) and (3, 2, 1); the hydrogen at (9, 9, 9) is ignored. */
static void a_site_gives_a_box_around_the_centroid_of_its_ligand(void)
{
    static const char sdf[] = "ligand\n\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n"
                              "    1.0000    2.0000    3.0000 C   0  0\n"
                              "    3.0000    2.0000    1.0000 C   0  0\n"
                              "    9.0000    9.0000    9.0000 H   0  0\n"
                              "  1  2  1  0\n  2  3  1  0\nM  END\n$$$$\n";
    CHECK_OK(find(&(qn_screen_options){
        .size = sizeof(qn_screen_options), .site = write_site("site.sdf", sdf), .margin_angstrom = 2.5}));
    check_box(2, 2, 2, 5, 5, 5);
    /* a complex: its hetero groups except waters */
    static const char pdb[] = "ATOM      1  CA  GLY A   1     -20.000 -20.000 -20.000  1.00  0.00           C\n"
                              "HETATM    2  C1  LIG A   2       1.000   2.000   3.000  1.00  0.00           C\n"
                              "HETATM    3  C2  LIG A   2       3.000   2.000   1.000  1.00  0.00           C\n"
                              "HETATM    4  O   HOH A   3      30.000  30.000  30.000  1.00  0.00           O\n"
                              "END\n";
    CHECK_OK(find(&(qn_screen_options){
        .size = sizeof(qn_screen_options), .site = write_site("site.pdb", pdb), .margin_angstrom = 2.5}));
    check_box(2, 2, 2, 5, 5, 5);
    CHECK_FAILS(find(&(qn_screen_options){.size = sizeof(qn_screen_options), .site = "/nowhere/site.sdf"}),
                QN_NOT_FOUND);
}

int main(void)
{
    RUN(build);
    RUN(a_given_box_is_not_changed);
    RUN(exactly_one_of_box_site_and_pocket_is_required);
    RUN(a_pocket_gives_the_extent_of_its_residues);
    RUN(a_site_gives_a_box_around_the_centroid_of_its_ligand);
    qn_molecule_destroy(&molecule);
    return check_finish();
}
