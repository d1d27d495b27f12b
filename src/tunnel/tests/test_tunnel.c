/* labels: threads */
/* Runs in memory on a hollow sphere of atoms with round holes, whose bottlenecks are known by construction. */
#include "check.h"
#include "discs/discs.h"

#include <math.h>
#include <quern/tunnel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/tunnel/tunnel_file.h"

enum { ATOMS = 150, RING = 14 };

static const double pi = 3.14159265358979323846, radius = 6, carbon = 1.7;
static qn_context *context;

static void append(qn_molecule *molecule, const char *residue_name, double x, double y, double z)
{
    const int number = (int)molecule->residue_count + 1;
    qn_residue residue = {.number = number, .hetero = true, .chain = "A"};
    qn_atom atom = {.position_angstrom = {x, y, z}, .occupancy = 1, .serial = number, .name = "C", .element = "C"};
    snprintf(residue.name, sizeof residue.name, "%s", residue_name);
    CHECK_OK(qn_molecule_append_residue(molecule, &residue));
    CHECK_OK(qn_molecule_append_atom(molecule, &atom));
}

/* A sphere of atoms with a hole around +z and one around −z through which spheres of `up` and `down` Å fit. */
static qn_molecule *make_shell(double up, double down)
{
    qn_molecule *molecule;
    const double rings[] = {up + carbon, down + carbon};
    if (!CHECK_OK(qn_molecule_create("shell", &molecule))) exit(1);
    for (int hole = 0; hole < 2; hole++)
        for (int i = 0; i < RING; i++) {
            const double angle = 2 * pi * i / RING, height = sqrt(radius * radius - rings[hole] * rings[hole]);
            append(molecule, "SHL", rings[hole] * cos(angle), rings[hole] * sin(angle), hole == 0 ? height : -height);
        }
    for (int i = 0; i < ATOMS; i++) { /* points of a spiral are spread evenly */
        const double z = radius * (1 - (2 * i + 1.0) / ATOMS), across = sqrt(radius * radius - z * z);
        const double angle = pi * (3 - sqrt(5)) * i;
        if (across < rings[z < 0] + 0.9) continue;
        append(molecule, "SHL", across * cos(angle), across * sin(angle), z);
    }
    return molecule;
}

static qn_tunnel_options options_for(const qn_molecule *molecule)
{
    qn_tunnel_options options = qn_tunnel_default_options();
    options.molecule = molecule;
    options.start = "0,0,0";
    options.run.quiet = true;
    return options;
}

static void holes_have_their_radii(void)
{
    qn_molecule *shell = make_shell(1.5, 1.2);
    qn_tunnel_options options = options_for(shell);
    qn_tunnel_result *result;
    if (CHECK_OK(qn_tunnel_run(context, &options, &result))) {
        CHECK(result->cluster_count == 2 && result->tunnel_count >= 2);
        CHECK(result->frame_count == 1 && result->open_frame_count == 1);
        CHECK_NEAR(result->widest_way_angstrom, 1.5, 0.005);
        CHECK_NEAR(result->clusters[0].best_bottleneck_angstrom, 1.5, 0.005);
        CHECK_NEAR(result->clusters[1].best_bottleneck_angstrom, 1.2, 0.005);
        const qn_tunnel *tunnel = &result->tunnels[0];
        CHECK(tunnel->first && tunnel->cluster == 0);
        CHECK_NEAR(tunnel->bottleneck_place_angstrom[0], 0, 0.1);
        CHECK_NEAR(tunnel->bottleneck_place_angstrom[2], sqrt(radius * radius - 3.2 * 3.2), 0.2);
        CHECK_NEAR(tunnel->widest_angstrom, radius - carbon, 0.05);
        CHECK_NEAR(tunnel->curvature, 1, 0.01);
    }
    qn_tunnel_result_destroy(&result);
    qn_molecule_destroy(&shell);
}

/* Along the axis the clearance is that of the ring or of the far side, so cost and length follow by integration. */
static void profiles_follow_the_axis(void)
{
    qn_molecule *shell = make_shell(1.5, 0.5);
    qn_tunnel_options options = options_for(shell);
    qn_tunnel_result *result;
    if (CHECK_OK(qn_tunnel_run(context, &options, &result))) {
        const qn_tunnel *tunnel = &result->tunnels[0];
        const double height = sqrt(radius * radius - 3.2 * 3.2);
        double cost = 0;
        for (size_t i = 0; i < tunnel->point_count; i++) {
            const double *place = tunnel->places_angstrom + 3 * i, z = place[2];
            if (z > 2 && z < height) {
                CHECK_NEAR(place[0], 0, 0.1);
                CHECK_NEAR(tunnel->radii_angstrom[i], sqrt((z - height) * (z - height) + 3.2 * 3.2) - carbon, 0.05);
            }
            if (i == 0) continue;
            const double step =
                sqrt(pow(place[0] - place[-3], 2) + pow(place[1] - place[-2], 2) + pow(place[2] - place[-1], 2));
            const double middle = 0.5 * (tunnel->radii_angstrom[i] + tunnel->radii_angstrom[i - 1]);
            CHECK(step < 0.11);
            cost += step / (middle * middle);
        }
        CHECK_NEAR(tunnel->cost, cost, 0.01 * cost);
    }
    qn_tunnel_result_destroy(&result);
    qn_molecule_destroy(&shell);
}

static void closed_ways_say_how_wide_they_are(void)
{
    qn_molecule *shell = make_shell(0.7, 0.4);
    qn_tunnel_options options = options_for(shell);
    CHECK_FAILS(qn_tunnel_run(context, &options, NULL), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("no way out of 0,0,0 wider than 0.9 Å: the widest has 0.70 Å at");
    options.probe_angstrom = 0.6;
    CHECK_OK(qn_tunnel_run(context, &options, NULL));
    options.start = "0,0,-5.62";
    options.start_reach_angstrom = 0.5;
    CHECK_FAILS(qn_tunnel_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("has no void of 0.6 Å within 0.5 Å");
    options.start = "5.9,0,0.3";
    CHECK_FAILS(qn_tunnel_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("is inside atom C of SHL");
    options.start = "0,0,30";
    CHECK_FAILS(qn_tunnel_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("is outside");
    qn_molecule_destroy(&shell);
}

/* With no reach tunnels begin where the user says, with what fits there: up to the ring of the upper hole. */
static void starts_stay_without_reach(void)
{
    qn_molecule *shell = make_shell(1.5, 0.5);
    qn_tunnel_options options = options_for(shell);
    qn_tunnel_result *result;
    options.start = "0,0,3.5";
    options.start_reach_angstrom = 0;
    if (CHECK_OK(qn_tunnel_run(context, &options, &result))) {
        const double ring = sqrt(radius * radius - 3.2 * 3.2);
        CHECK_NEAR(result->start_moved_angstrom, 0, 0);
        CHECK_NEAR(result->tunnels[0].places_angstrom[2], 3.5, 1e-12);
        CHECK_NEAR(result->start_radius_angstrom, sqrt((ring - 3.5) * (ring - 3.5) + 3.2 * 3.2) - carbon, 1e-9);
        CHECK_NEAR(result->start_radius_angstrom, result->tunnels[0].radii_angstrom[0], 0);
    }
    qn_tunnel_result_destroy(&result);
    options.start_reach_angstrom = 4; /* the middle is the widest place */
    if (CHECK_OK(qn_tunnel_run(context, &options, &result))) {
        CHECK_NEAR(result->start_moved_angstrom, 3.5, 0.3);
        CHECK_NEAR(result->start_radius_angstrom, radius - carbon, 0.02);
    }
    qn_tunnel_result_destroy(&result);
    qn_molecule_destroy(&shell);
}

/* A ligand in the middle would fill the void, but as the start it is no wall; water never is. */
static void starts_and_walls(void)
{
    qn_molecule *shell = make_shell(1.5, 0.5);
    qn_tunnel_result *result = NULL;
    append(shell, "LIG", 0.3, 0, 0);
    append(shell, "HOH", 0, 0, -4);
    qn_tunnel_options options = options_for(shell);
    options.start = "A:LIG";
    if (CHECK_OK(qn_tunnel_run(context, &options, &result))) {
        CHECK(result->atom_count == shell->atom_count - 2);
        CHECK_NEAR(result->tunnels[0].widest_angstrom, radius - carbon, 0.05);
    }
    qn_tunnel_result_destroy(&result);
    options.start = "A:LIG:C"; /* an atom is named, not the ligand */
    if (CHECK_OK(qn_tunnel_run(context, &options, &result))) {
        CHECK(result->atom_count == shell->atom_count - 1);
        CHECK(result->tunnels[0].radii_angstrom[0] < radius - 2 * carbon);
    }
    qn_tunnel_result_destroy(&result);
    options.walls = "SHL,LIG,HOH";
    options.start = "0,3,1";
    if (CHECK_OK(qn_tunnel_run(context, &options, &result))) CHECK(result->atom_count == shell->atom_count);
    qn_tunnel_result_destroy(&result);
    options.walls = "SHL,XYZ";
    CHECK_FAILS(qn_tunnel_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--walls names \"XYZ\"");
    qn_molecule_destroy(&shell);
}

static void bad_starts_are_refused(void)
{
    static const char *const refusals[][2] = {{"A:ALA5", "residue 5 of chain A of shell is SHL"},
                                              {"B:5", "has no chain \"B\"; expected one of A"},
                                              {"A:9999", "has no residue \"9999\""},
                                              {"A:SHL", "residues of this name"},
                                              {"A:5:CA", "has no atom CA"},
                                              {"1,2", "expected a chain, a residue"},
                                              {"A:5:C:X", "expected a chain, a residue"},
                                              {"A:", "expected a chain, a residue"}};
    qn_molecule *shell = make_shell(1.5, 0.5);
    qn_tunnel_options options = options_for(shell);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        options.start = refusals[i][0];
        CHECK_FAILS(qn_tunnel_run(context, &options, NULL), QN_INVALID_ARGUMENT);
        CHECK_MESSAGE_HAS(refusals[i][1]);
    }
    qn_molecule_destroy(&shell);
}

/* Frames that are turned and moved give the tunnels of the structure, in its place. */
static void frames_are_superposed(void)
{
    enum { FRAMES = 6 };
    qn_molecule *shell = make_shell(1.5, 1.2);
    const size_t atoms = shell->atom_count;
    float *positions = calloc(FRAMES * atoms * 3, sizeof *positions);
    qn_tunnel_result *result;
    for (size_t frame = 0; frame < FRAMES; frame++)
        for (size_t i = 0; i < atoms; i++) {
            const double *at = shell->atoms[i].position_angstrom, angle = 0.7 * (double)frame;
            float *to = positions + 3 * (frame * atoms + i);
            to[0] = (float)(0.1 * (cos(angle) * at[0] - sin(angle) * at[2]) + 0.3);
            to[1] = (float)(0.1 * at[1] - 0.2 * (double)frame);
            to[2] = (float)(0.1 * (sin(angle) * at[0] + cos(angle) * at[2]));
        }
    qn_frame_array frames = {.positions_nm = positions, .frame_count = FRAMES, .atom_count = atoms};
    qn_tunnel_options options = options_for(shell);
    options.frame_array = &frames;
    options.shell_depth_angstrom = 0.5; /* else tunnels may end before the bottleneck, which is near the outside */
    if (CHECK_OK(qn_tunnel_run(context, &options, &result))) {
        CHECK(result->frame_count == FRAMES && result->open_frame_count == FRAMES);
        CHECK(result->cluster_count == 2);
        for (size_t c = 0; c < result->cluster_count; c++) {
            CHECK_NEAR(result->clusters[c].occupancy, 1, 1e-9);
            CHECK_NEAR(result->clusters[c].mean_bottleneck_angstrom, c == 0 ? 1.5 : 1.2, 0.01);
        }
        for (size_t i = 0; i < result->tunnel_count; i++)
            CHECK_NEAR(result->tunnels[i].bottleneck_place_angstrom[0], 0, 0.2);
    }
    qn_tunnel_result_destroy(&result);
    free(positions);
    qn_molecule_destroy(&shell);
}

/* The tunnel, which leads along z, lies horizontally in PyMOL's view: numbers 6 and 8 of set_view are the parts of z to
 * the right and towards the viewer. */
static void check_view(const char *folder)
{
    char path[1200], line[512] = "";
    double v[9];
    snprintf(path, sizeof path, "%s/view.pml", folder);
    FILE *script = fopen(path, "r");
    if (!CHECK(script != NULL)) return;
    while (fgets(line, sizeof line, script) && strncmp(line, "set_view", 8) != 0) continue;
    fclose(script);
    CHECK(sscanf(line, "set_view (%lf, %lf, %lf, %lf, %lf, %lf, %lf, %lf, %lf,", &v[0], &v[1], &v[2], &v[3], &v[4],
                 &v[5], &v[6], &v[7], &v[8]) == 9);
    CHECK_NEAR(fabs(v[6]), 1, 0.01);
    CHECK_NEAR(v[8], 0, 0.01);
}

/* Files of a tunnel are read as spheres and discs: spheres from the start on, discs from the mouth on with normals
 * against their order, whose rims are at most 0.3 Å apart. */
static void files_have_the_tunnel(void)
{
    char folder[1024], path[1200];
    qn_molecule *shell = make_shell(1.5, 0.5);
    qn_tunnel_options options = options_for(shell);
    qn_tunnel_result *result;
    qn_tunnel_file spheres, discs;
    snprintf(folder, sizeof folder, "%s/out", check_scratch_folder());
    options.output = folder;
    if (!CHECK_OK(qn_tunnel_run(context, &options, &result))) exit(1);
    const qn_tunnel *tunnel = &result->tunnels[0];
    const double *mouth = tunnel->places_angstrom + 3 * (tunnel->point_count - 1);
    snprintf(path, sizeof path, "%s/tunnel_01_1.pdb", folder);
    if (CHECK_OK(qn_tunnel_file_read(path, &spheres))) {
        CHECK(spheres.sphere_count == (int)ceil((double)(tunnel->point_count - 1) / 10) + 1);
        CHECK_NEAR(spheres.spheres[0].place[2], tunnel->places_angstrom[2], 0.001);
        CHECK_NEAR(spheres.spheres[spheres.sphere_count - 1].place[2], mouth[2], 0.001);
        CHECK_NEAR(spheres.spheres[0].radius, tunnel->radii_angstrom[0], 0.001);
        qn_tunnel_file_release(&spheres);
    }
    snprintf(path, sizeof path, "%s/tunnel_01_1.dsd", folder);
    if (CHECK_OK(qn_tunnel_file_read(path, &discs))) {
        CHECK_NEAR(discs.discs[0].centre[2], mouth[2], 1e-9);
        CHECK(discs.disc_count > 10);
        for (int i = 1; i < discs.disc_count; i++) {
            const qn_tunnel_disc *before = &discs.discs[i - 1], *disc = &discs.discs[i];
            double along = 0;
            for (int k = 0; k < 3; k++) along += (disc->centre[k] - before->centre[k]) * disc->normal[k];
            CHECK(along < 0 && qn_disc_step_angstrom(before, disc) <= 0.301);
        }
        qn_tunnel_file_release(&discs);
    }
    check_view(folder);
    const size_t tunnels = result->tunnel_count, clusters = result->cluster_count;
    CHECK_FAILS(qn_tunnel_run(context, &options, NULL), QN_ALREADY_EXISTS);
    qn_tunnel_result_destroy(&result);
    options.run.resume = true; /* the run is finished */
    if (CHECK_OK(qn_tunnel_run(context, &options, &result))) {
        CHECK(result->tunnel_count == 0 && result->earlier_tunnel_count == tunnels);
        CHECK(result->earlier_cluster_count == clusters && result->frame_count == 1);
        CHECK_NEAR(result->widest_way_angstrom, 1.5, 0.005);
    }
    qn_tunnel_result_destroy(&result);
    qn_molecule_destroy(&shell);
}

int main(void)
{
    const qn_context_options options = {.size = sizeof options, .threads = 2};
    CHECK_OK(qn_context_create(&options, &context));
    RUN(holes_have_their_radii);
    RUN(profiles_follow_the_axis);
    RUN_LONG(closed_ways_say_how_wide_they_are);
    RUN(starts_stay_without_reach);
    RUN(starts_and_walls);
    RUN(bad_starts_are_refused);
    RUN_LONG(frames_are_superposed);
    RUN(files_have_the_tunnel);
    qn_context_destroy(&context);
    return check_finish();
}
