/* Dibromoethane in LinB beside CaverDock's lower bound, with both bounds and both directions. Needs reference data. */
#include "check.h"

#include <math.h>
#include <quern/transport.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/compound/compound_stream.h"

enum { DISCS = 34 };
static qn_context *context;
static char receptor[512], ligand[512], tunnel[512], reference[512];

static qn_transport_result *run_linb(const char *direction, qn_transport_schedule schedule, const char *output)
{
    const char *const inputs[] = {receptor, ligand}, *const tunnels[] = {tunnel};
    qn_transport_options options = qn_transport_default_options();
    qn_transport_result *result;
    options.inputs = inputs, options.input_count = 2;
    options.tunnels = tunnels, options.tunnel_count = 1;
    options.types = QN_TRANSPORT_TYPES_FILE;
    options.extend_angstrom = 0;
    options.direction = direction;
    options.schedule = schedule;
    options.output = output;
    if (!CHECK_OK(qn_transport_run(context, &options, &result))) exit(1);
    return result;
}

/* CaverDock's poses, as Vina scores them; they fall by 0.02 to 0.23 kcal/mol when minimised. Its distances are printed.
 */
static void the_lower_bound_is_below_caverdocks(const qn_transport_passage *passage)
{
    char line[128];
    FILE *stream = fopen(reference, "r");
    double fall = 0;
    int below = 0;
    if (!CHECK(stream && fgets(line, sizeof line, stream) && passage->disc_count == DISCS)) exit(1);
    for (int i = 0; i < DISCS && fgets(line, sizeof line, stream); i++) {
        double energy;
        CHECK(sscanf(line, "%*d,%*f,%lf", &energy) == 1);
        below += passage->lower[i] <= energy + 0.005; /* of Vina's table */
        fall += (energy - passage->lower[i]) / DISCS;
    }
    fclose(stream);
    CHECK(below == DISCS);
    CHECK_NEAR(fall, 0.13, 0.03);
    CHECK_NEAR(passage->distances_angstrom[2], 0.33000683761, 1e-6);
}

/* No atom of the trajectory moves farther than 0.8 Å in a step; files have four digits. */
static void steps_are_short(const char *folder)
{
    char path[700];
    qn_compound **poses = NULL;
    size_t count = 0;
    double farthest = 0;
    snprintf(path, sizeof path, "%s/upper.sdf", folder);
    if (!CHECK_OK(qn_compound_read_file(path, &poses, &count)) || !CHECK(count >= DISCS)) exit(1);
    for (size_t i = 1; i < count; i++)
        for (size_t a = 0; a < 3 * poses[i]->atom_count; a += 3) {
            const double *to = poses[i]->positions_angstrom + a, *from = poses[i - 1]->positions_angstrom + a;
            const double d[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
            farthest = fmax(farthest, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
        }
    CHECK(farthest <= 0.8 + 2e-4 && farthest > 0.1);
    for (size_t i = 0; i < count; i++) qn_compound_destroy(&poses[i]);
    free(poses);
}

/* Distance of the heavy atoms of a residue, "PRO144:A", from those of a pose, by the receptor's file itself. */
static double nearest_in_file(const char *label, const qn_compound *pose)
{
    char line[256], name[8] = "", chain[4] = "";
    int number = 0;
    double nearest = INFINITY;
    FILE *stream = fopen(receptor, "r");
    if (!CHECK(stream && sscanf(label, "%3[A-Z]%d:%3s", name, &number, chain) == 3)) exit(1);
    while (fgets(line, sizeof line, stream)) {
        double at[3];
        if (strncmp(line, "ATOM", 4) != 0 || strncmp(line + 17, name, 3) != 0 || line[21] != chain[0] ||
            atoi(line + 22) != number || line[77] == 'H' || sscanf(line + 30, "%8lf%8lf%8lf", at, at + 1, at + 2) != 3)
            continue;
        for (size_t i = 0; i < pose->atom_count; i++) {
            const double *to = pose->positions_angstrom + 3 * i;
            const double square = pow(at[0] - to[0], 2) + pow(at[1] - to[1], 2) + pow(at[2] - to[2], 2);
            if (strcmp(pose->atoms[i].element, "H") != 0) nearest = fmin(nearest, sqrt(square));
        }
    }
    fclose(stream);
    return nearest;
}

/* Residues at the highest pose of the trajectory, those that resist most first. */
static void the_bottleneck_is_named(const char *folder)
{
    char path[700], line[256], label[32];
    qn_compound **poses = NULL;
    size_t count = 0, highest = 0, rows = 0;
    double before = INFINITY;
    snprintf(path, sizeof path, "%s/upper.sdf", folder);
    if (!CHECK_OK(qn_compound_read_file(path, &poses, &count))) exit(1);
    for (size_t i = 1; i < count; i++)
        if (atof(qn_compound_property_value(poses[i], "energy")) >
            atof(qn_compound_property_value(poses[highest], "energy")))
            highest = i;
    snprintf(path, sizeof path, "%s/bottlenecks.csv", folder);
    FILE *stream = fopen(path, "r");
    if (!CHECK(stream && fgets(line, sizeof line, stream))) exit(1);
    for (; fgets(line, sizeof line, stream); rows++) {
        double positive, energy, nearest;
        CHECK(sscanf(line, "%31[^,],%lf,%lf,%lf", label, &positive, &energy, &nearest) == 4);
        CHECK(positive > 0 && positive <= before && positive >= energy);
        CHECK_NEAR(nearest, nearest_in_file(label, poses[highest]), 0.002);
        before = positive;
    }
    CHECK(rows >= 3);
    fclose(stream);
    for (size_t i = 0; i < count; i++) qn_compound_destroy(&poses[i]);
    free(poses);
}

static void linb_in_both_directions(void)
{
    char folder[600];
    snprintf(folder, sizeof folder, "%s/in", check_scratch_folder());
    qn_transport_result *in = run_linb("in", QN_TRANSPORT_ROADMAP, folder);
    qn_transport_result *out = run_linb("out", QN_TRANSPORT_ROADMAP, NULL);
    qn_transport_result *published = run_linb("in", QN_TRANSPORT_PUBLISHED, NULL);
    steps_are_short(folder);
    the_bottleneck_is_named(folder);
    CHECK(in->passages[0].highest <= published->passages[0].highest + 0.005);
    const qn_transport_passage *passage = &in->passages[0], *back = &out->passages[0];
    the_lower_bound_is_below_caverdocks(passage);
    CHECK(passage->highest <= 0.25);
    for (int i = 0; i < DISCS; i++) {
        CHECK(passage->upper_least[i] >= passage->lower[i] && passage->upper_most[i] >= passage->upper_least[i]);
        CHECK_NEAR(back->lower[DISCS - 1 - i], passage->lower[i], 0.05);
        CHECK_NEAR(back->upper_most[DISCS - 1 - i], passage->upper_most[i], 0.05);
    }
    double lowest = INFINITY; /* inwards from the highest disc */
    for (int i = DISCS - 1; i >= 0; i--) {
        lowest = fmin(lowest, passage->lower[i]);
        if (passage->upper_most[i] == passage->highest) break;
    }
    CHECK(passage->bound == lowest && passage->surface == passage->lower[0]);
    CHECK(passage->upper_least[0] > passage->lower[0] + 0.1); /* so the way's own end would be another answer */
    CHECK_NEAR(back->bound, passage->bound, 0.05);
    CHECK_NEAR(back->highest, passage->highest, 0.05);
    CHECK_NEAR(passage->gap, passage->highest + 0.21, 0.05);
    qn_transport_result_destroy(&in);
    qn_transport_result_destroy(&out);
    qn_transport_result_destroy(&published);
}

int main(void)
{
    static const char *const names[] = {"transport/linb_wt_receptor.pdbqt", "transport/dbe_ligand.pdbqt",
                                        "transport/linb_caverweb_tunnel.dsd",
                                        "transport/linb_ref_lb_vina_score_only.csv"};
    char *const paths[] = {receptor, ligand, tunnel, reference};
    const qn_context_options options = {.size = sizeof options, .threads = 2};
    for (int i = 0; i < 4; i++) {
        const char *found = check_reference_data(names[i]);
        if (!found) return check_finish();
        snprintf(paths[i], 512, "%s", found);
    }
    if (!CHECK_OK(qn_context_create(&options, &context))) return check_finish();
    RUN(linb_in_both_directions);
    qn_context_destroy(&context);
    return check_finish();
}
