/* labels: long */
/* The tunnel p1 of LinB beside that of CAVER 3.02, and 100 frames with noise. Needs reference data. */
#include "check.h"

#include <math.h>
#include <quern/tunnel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/tunnel/tunnel_file.h"
#include "math/random.h"

enum { FRAMES = 100 };

static const double noise_angstrom = 0.2;
static qn_context *context;
static char linb[1024];

static qn_tunnel_options options_of_linb(void)
{
    qn_tunnel_options options = qn_tunnel_default_options();
    options.structure = linb;
    options.start = "20.122,33.892,2.164";
    options.run.quiet = true;
    return options;
}

/* CAVER's radii err by up to 0.09 Å, since it stands for each atom by balls of one size. Its first spheres lead from
 * its own start to the line. */
static void compare_with_caver(const qn_tunnel *tunnel)
{
    enum { AT_THE_START = 2 };
    qn_tunnel_file caver;
    if (!CHECK_OK(qn_tunnel_file_read(check_reference_data("transport/linb_caver302_tunnel.pdb"), &caver))) return;
    double narrowest = INFINITY;
    for (int s = AT_THE_START; s < caver.sphere_count; s++) {
        const qn_tunnel_sphere *sphere = &caver.spheres[s];
        double nearest = INFINITY, radius_there = 0;
        for (size_t i = 0; i < tunnel->point_count; i++) {
            const double *place = tunnel->places_angstrom + 3 * i;
            const double distance = sqrt(pow(place[0] - sphere->place[0], 2) + pow(place[1] - sphere->place[1], 2) +
                                         pow(place[2] - sphere->place[2], 2));
            if (distance >= nearest) continue;
            nearest = distance;
            radius_there = tunnel->radii_angstrom[i];
        }
        CHECK_NEAR(nearest, 0, 0.3);
        CHECK_NEAR(radius_there, sphere->radius, 0.1);
        narrowest = fmin(narrowest, sphere->radius);
    }
    CHECK_NEAR(tunnel->bottleneck_angstrom, narrowest, 0.1);
    qn_tunnel_file_release(&caver);
}

/* Floods of a 0.1 Å grid give 1.29 Å, and 1.46 Å without hydrogens; they err by up to 0.07 Å, downwards. */
static void tunnel_of_the_crystal(void)
{
    qn_tunnel_options options = options_of_linb();
    qn_tunnel_result *result;
    if (!CHECK_OK(qn_tunnel_run(context, &options, &result))) return;
    CHECK_NEAR(result->tunnels[0].bottleneck_angstrom, 1.30, 0.02);
    CHECK_NEAR(result->widest_way_angstrom, 1.30, 0.02);
    compare_with_caver(&result->tunnels[0]);
    qn_tunnel_result_destroy(&result);
    options.hydrogens = false;
    if (!CHECK_OK(qn_tunnel_run(context, &options, &result))) return;
    CHECK_NEAR(result->tunnels[0].bottleneck_angstrom, 1.46 + 0.035, 0.035);
    qn_tunnel_result_destroy(&result);
}

/* CAVER's configuration gives a start in an atom, 19,32,4. On a grid of 0.15 Å the widest place within 3 Å of it has a
 * radius of 1.63 Å, 2.9 Å away; there is no vertex of the power diagram. */
static void tunnel_from_a_start_in_an_atom(void)
{
    qn_tunnel_options options = options_of_linb();
    qn_tunnel_result *result;
    options.start = "19,32,4";
    if (!CHECK_OK(qn_tunnel_run(context, &options, &result))) return;
    CHECK_NEAR(result->start_radius_angstrom, 1.63, 0.05);
    CHECK_NEAR(result->start_moved_angstrom, 2.95, 0.05);
    CHECK_NEAR(result->tunnels[0].bottleneck_angstrom, 1.30, 0.02);
    compare_with_caver(&result->tunnels[0]);
    qn_tunnel_result_destroy(&result);
}

/* The molecule without alternate locations but A, as frames have it. */
static qn_molecule *read_linb(void)
{
    qn_molecule_options reading = qn_molecule_default_options();
    qn_molecule *all, *molecule;
    reading.keep_alternates = true;
    if (!CHECK_OK(qn_molecule_read(NULL, linb, &reading, &all))) exit(1);
    if (!CHECK_OK(qn_molecule_create("linb", &molecule))) exit(1);
    for (size_t i = 0, residue = SIZE_MAX; i < all->atom_count; i++) {
        qn_atom atom = all->atoms[i];
        if (atom.alternate != '\0' && atom.alternate != 'A') continue;
        if (residue != (size_t)atom.residue)
            CHECK_OK(qn_molecule_append_residue(molecule, &all->residues[atom.residue]));
        residue = (size_t)atom.residue;
        atom.alternate = '\0';
        CHECK_OK(qn_molecule_append_atom(molecule, &atom));
    }
    qn_molecule_destroy(&all);
    return molecule;
}

/* Two normal numbers by Box and Muller. */
static double normal(uint64_t stream, uint64_t index)
{
    const double radius = sqrt(-2 * log(1 - qn_random_uniform(1, stream, 2 * index)));
    return radius * cos(6.283185307179586 * qn_random_uniform(1, stream, 2 * index + 1));
}

static void frames_with_noise_have_the_tunnel(void)
{
    qn_molecule *molecule = read_linb();
    const size_t atoms = molecule->atom_count;
    float *positions = calloc(FRAMES * atoms * 3, sizeof *positions);
    qn_tunnel_result *result;
    for (size_t frame = 0; frame < FRAMES; frame++)
        for (size_t i = 0; i < 3 * atoms; i++)
            positions[frame * 3 * atoms + i] =
                (float)(0.1 * (molecule->atoms[i / 3].position_angstrom[i % 3] + noise_angstrom * normal(frame, i)));
    const qn_frame_array frames = {.positions_nm = positions, .frame_count = FRAMES, .atom_count = atoms};
    qn_tunnel_options options = options_of_linb();
    options.structure = NULL;
    options.molecule = molecule;
    options.frame_array = &frames;
    if (CHECK_OK(qn_tunnel_run(context, &options, &result))) {
        CHECK(result->frame_count == FRAMES);
        CHECK_NEAR(result->clusters[0].occupancy, 1, 1e-9);
        CHECK_NEAR(result->clusters[0].mean_bottleneck_angstrom, 1.3, 0.1);
        for (size_t c = 1; c < result->cluster_count; c++) CHECK(result->clusters[c].occupancy < 0.5);
    }
    qn_tunnel_result_destroy(&result);
    free(positions);
    qn_molecule_destroy(&molecule);
}

int main(void)
{
    const qn_context_options options = {.size = sizeof options};
    const char *path = check_reference_data("transport/linb_wt.pdb");
    if (!path) check_skip("reference data", "LinB is not there");
    snprintf(linb, sizeof linb, "%s", path);
    CHECK_OK(qn_context_create(&options, &context));
    RUN(tunnel_of_the_crystal);
    RUN(tunnel_from_a_start_in_an_atom);
    RUN_LONG(frames_with_noise_have_the_tunnel);
    qn_context_destroy(&context);
    return check_finish();
}
