/* Grid parameter files: every keyword, and the sentence for every mistake. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "potential/gpf.h"

static const char whole[] = "parameter_file types.dat # comment\n"
                            "npts 40 42 44\n"
                            "gridfld r.maps.fld\n"
                            "SPACING 0.4\n"
                            "\n"
                            "receptor_types A C HD   # types\n"
                            "ligand_types C HD\n"
                            "receptor r.pdbqt\n"
                            "gridcenter 1.5 -2.25 3e1\n"
                            "smooth 0.3\n"
                            "map r.C.map\n"
                            "map r.HD.map\n"
                            "elecmap r.e.map\n"
                            "dsolvmap r.d.map\n"
                            "dielectric 4.0\n"
                            "nbp_r_eps 3.0 0.5 12 6 C HD\n"
                            "nbp_coeffs 1000 20 10 4 A C\n"
                            "qasp 0.02\n"
                            "constant 1\n"
                            "covalentmap 2 500 1 2 3\n"
                            "fmap r.f.map\n"
                            "# end\n";

static void every_keyword_is_read(void)
{
    qn_gpf gpf = {0};
    CHECK_OK(qn_gpf_parse("run.gpf", whole, strlen(whole), &gpf));
    const qn_potential_settings *settings = &gpf.settings;
    CHECK_TEXT(gpf.parameter_file, "types.dat");
    CHECK(gpf.npts[0] == 40 && gpf.npts[1] == 42 && gpf.npts[2] == 44);
    CHECK_TEXT(gpf.field, "r.maps.fld");
    CHECK_NEAR(settings->grid.spacing_angstrom, 0.4, 0);
    CHECK(gpf.receptor_types.count == 3 && qn_gpf_names_have(&gpf.receptor_types, "HD"));
    CHECK(settings->probe_count == 2);
    CHECK_TEXT(settings->probes[1], "HD");
    CHECK_TEXT(gpf.receptor, "r.pdbqt");
    CHECK(!gpf.centre_is_auto && settings->grid.centre_angstrom[1] == -2.25 && settings->grid.centre_angstrom[2] == 30);
    CHECK_NEAR(settings->smooth_angstrom, 0.3, 0);
    CHECK(gpf.maps.count == 2);
    CHECK_TEXT(gpf.maps.names[1], "r.HD.map");
    CHECK_TEXT(gpf.electrostatic_map, "r.e.map");
    CHECK_TEXT(gpf.desolvation_map, "r.d.map");
    CHECK_TEXT(gpf.distance_map, "r.f.map");
    CHECK_NEAR(settings->dielectric, 4, 0);
    CHECK_NEAR(settings->charge_solvation, 0.02, 0);
    CHECK(settings->override_count == 2);
    CHECK_NEAR(settings->overrides[0].pair.repulsion, 0.5 * 531441, 1e-6); /* ε R¹² and 2 ε R⁶ */
    CHECK_NEAR(settings->overrides[0].pair.attraction, 729, 1e-9);
    CHECK_TEXT(settings->overrides[1].types[0], "A");
    CHECK(settings->overrides[1].pair.repulsion_power == 10 && settings->overrides[1].pair.attraction_power == 4);
    CHECK(settings->covalent_half_width_angstrom == 2 && settings->covalent_barrier == 500);
    CHECK(settings->covalent_centre_angstrom[2] == 3);
    CHECK(gpf.unknown.data == NULL);
    qn_gpf_clear(&gpf);
}

/* The file with the line that begins with `keyword` replaced by `line`. */
static const char *change(const char *keyword, const char *line)
{
    static char text[2048];
    const char *begin = strstr(whole, keyword), *end = strchr(begin, '\n');
    snprintf(text, sizeof text, "%.*s%s%s", (int)(begin - whole), whole, line, end);
    return text;
}

static void check_refused(const char *text, const char *part)
{
    qn_gpf gpf = {0};
    CHECK_FAILS(qn_gpf_parse("run.gpf", text, strlen(text), &gpf), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS(part);
    qn_gpf_clear(&gpf);
}

static void every_mistake_is_named(void)
{
    static const char *const mistakes[][3] = {
        {"parameter_file", "parameter_file # none", "run.gpf:1: parameter_file lacks a value"},
        {"npts", "npts 40 x 40", "run.gpf:2: npts has \"x\"; expected three even numbers of spacings from 2 to 2048"},
        {"npts", "npts 40 40", "npts lacks a value; expected three even numbers of spacings"},
        {"npts", "npts 40 4000 40", "npts has \"4000\"; expected three even numbers of spacings from 2 to 2048"},
        {"npts", "npts 0 4 4", "npts has \"0\""},
        {"gridfld", "gridfld", "gridfld lacks a value; expected the name of the .fld file"},
        {"SPACING", "spacing -0.375", "spacing has \"-0.375\""},
        {"SPACING", "spacing wide", "spacing has \"wide\""},
        {"receptor_types", "receptor_types", "receptor_types lacks a value"},
        {"ligand_types", "ligand_types Carbonate", "ligand_types has \"Carbonate\""},
        {"receptor r", "receptor", "receptor lacks a value; expected the name of the receptor's PDBQT file"},
        {"gridcenter", "gridcenter 1 2", "gridcenter lacks a value; expected auto, or x, y and z"},
        {"gridcenter", "gridcenter automatic", "gridcenter has \"automatic\""},
        {"smooth", "smooth -1", "smooth has \"-1\""},
        {"map r.C", "map", "map lacks a value"},
        {"elecmap", "elecmap", "elecmap lacks a value"},
        {"dsolvmap", "dsolvmap", "dsolvmap lacks a value"},
        {"dielectric", "dielectric 0", "dielectric has \"0\""},
        {"dielectric", "dielectric 1e-300", "dielectric has \"1e-300\"; expected a constant from 0.001 on"},
        {"nbp_r_eps", "nbp_r_eps 3 0.5 12 6 C", "nbp_r_eps lacks a value; expected four numbers and two atom types"},
        {"nbp_r_eps", "nbp_r_eps 3 0.5 6 12 C HD", "nbp_r_eps has \"6\"; expected a power of repulsion above"},
        {"nbp_r_eps", "nbp_r_eps 0 0.5 12 6 C HD", "nbp_r_eps has \"0\""},
        {"nbp_coeffs", "nbp_coeffs 1000 20 10.5 4 A C", "nbp_coeffs has \"10.5\"; expected powers of r"},
        {"qasp", "qasp none", "qasp has \"none\""},
        {"constant", "constant", "constant lacks a value"},
        {"covalentmap", "covalentmap 0 500 1 2 3", "covalentmap has \"0\""},
        {"covalentmap", "covalentmap 2 500 1 2", "expected x, y and z of the attachment"},
        {"fmap", "fmap", "fmap lacks a value"},
        {"npts", "# nothing", "run.gpf: lacks a line \"npts NX NY NZ\""},
        {"gridfld", "", "lacks a line \"gridfld NAME.maps.fld\""},
        {"ligand_types", "", "lacks a line \"ligand_types TYPE ...\""},
        {"elecmap", "", "lacks a line \"elecmap NAME.e.map\""},
        {"dsolvmap", "", "lacks a line \"dsolvmap NAME.d.map\""},
        {"map r.C", "", "has 1 line \"map NAME\" and 2 ligand types"},
        {"qasp", "ligand_types C", "run.gpf:18: ligand_types has \"C\"; expected the keyword once only"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        check_refused(change(mistakes[i][0], mistakes[i][1]), mistakes[i][2]);
}

static void other_lines_are_reported(void)
{
    qn_gpf gpf = {0};
    const char *text = change("npts", "npts 41 42 44\noutlev 1");
    CHECK_OK(qn_gpf_parse("run.gpf", text, strlen(text), &gpf));
    CHECK(gpf.npts[0] == 40);
    CHECK(gpf.unknown.data && strstr(gpf.unknown.data, "run.gpf:2: npts 41 is odd; 40 is used"));
    CHECK(gpf.unknown.data && strstr(gpf.unknown.data, "run.gpf:3: \"outlev\" is no keyword"));
    qn_gpf_clear(&gpf);
}

static void defaults_are_those_of_autogrid(void)
{
    qn_gpf gpf = {0};
    static const char text[] = "npts 2 2 2\ngridfld r.fld\nligand_types C\nmap C.map\nelecmap e.map\ndsolvmap d.map\n";
    CHECK_OK(qn_gpf_parse("run.gpf", text, strlen(text), &gpf));
    CHECK(gpf.settings.grid.spacing_angstrom == 0.375 && gpf.settings.smooth_angstrom == 0.5);
    CHECK(gpf.settings.dielectric < 0 && gpf.settings.charge_solvation == 0.01097);
    CHECK(!gpf.centre_is_given && gpf.settings.grid.centre_angstrom[0] == 0);
    CHECK(!gpf.receptor_types.line && !gpf.parameter_file);
    qn_gpf_clear(&gpf);
    CHECK_FAILS(qn_gpf_read("/nowhere/run.gpf", &gpf), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("/nowhere/run.gpf");
    qn_gpf_clear(&gpf);
}

int main(void)
{
    RUN(every_keyword_is_read);
    RUN(every_mistake_is_named);
    RUN(other_lines_are_reported);
    RUN(defaults_are_those_of_autogrid);
    return check_finish();
}
