/* quern transport on a tube of atoms: inputs of all kinds, passages, files, both directions, and what is refused. */
#include "check.h"

#include <math.h>
#include <quern/transport.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/compound/compound_stream.h"

static qn_context *context;
static const double pi = 3.14159265358979323846;
static char receptor[600], guests[600], mouth_first[600], inner_first[600];

/* ---- inputs ---- */

static FILE *create(const char *name, char path[600])
{
    snprintf(path, 600, "%s/%s", check_scratch_folder(), name);
    FILE *stream = fopen(path, "w");
    if (!CHECK(stream != NULL)) exit(1);
    return stream;
}

/* A tube around z that is closed at the bottom, z = −6, and open at the top. */
static void write_receptor(void)
{
    FILE *stream = create("tube.pdb", receptor);
    int serial = 0;
    for (int ring = 0; ring < 9; ring++)
        for (int i = 0; i < 18; i++) {
            const double radius = ring == 0 ? 3 : 5;
            fprintf(stream, "ATOM  %5d  CB  ALA A%4d    %8.3f%8.3f%8.3f  1.00  0.00           C\n", serial + 1,
                    serial + 1, radius * cos(2 * pi * i / 18), radius * sin(2 * pi * i / 18), 1.5 * ring - 6.0);
            serial++;
        }
    fputs("END\n", stream);
    fclose(stream);
}

/* Chains Cl-C-C-Cl and Cl-C-C-C-Cl. */
static void write_guests(const char *name, char path[600], const char *first, const char *second)
{
    FILE *stream = create(name, path);
    for (int guest = 0; guest < 2; guest++) {
        const int atoms = 4 + guest;
        fprintf(stream, "%s\n  by hand\n\n%3d%3d  0  0  0  0  0  0  0  0999 V2000\n", guest ? second : first, atoms,
                atoms - 1);
        for (int i = 0; i < atoms; i++)
            fprintf(stream, "%10.4f%10.4f%10.4f %-3s 0  0\n", 1.27 * i, 0.85 * (i % 2), 0.05 * i * i,
                    i == 0 || i == atoms - 1 ? "Cl" : "C");
        for (int i = 1; i < atoms; i++) fprintf(stream, "%3d%3d  1  0\n", i, i + 1);
        fputs("M  END\n$$$$\n", stream);
    }
    fclose(stream);
}

/* Discs along z from `from` on, `count` of them, with a step. */
static void write_discs(const char *name, char path[600], double from, double step, int count)
{
    FILE *stream = create(name, path);
    for (int i = 0; i < count; i++) fprintf(stream, "0 0 %.3f 0 0 1 1.4\n", from + i * step);
    fclose(stream);
}

static void write_inputs(void)
{
    write_receptor();
    write_guests("guests.sdf", guests, "first", "second guest");
    write_discs("down.dsd", mouth_first, 5, -0.5, 12);
    write_discs("up.dsd", inner_first, -0.5, 0.5, 12);
}

typedef struct setup {
    const char *inputs[4], *tunnels[2];
    qn_transport_options options;
} setup;

static void begin(setup *s)
{
    *s = (setup){.inputs = {receptor, guests}, .tunnels = {mouth_first, inner_first}};
    s->options = qn_transport_default_options();
    s->options.inputs = s->inputs, s->options.input_count = 2;
    s->options.tunnels = s->tunnels, s->options.tunnel_count = 1;
    s->options.direction = "in";
    s->options.extend_angstrom = 0.4;
    s->options.effort = 0.2;
    s->options.poses = 6;
}

static qn_transport_result *run(const qn_transport_options *options)
{
    qn_transport_result *result;
    if (!CHECK_OK(qn_transport_run(context, options, &result))) exit(1);
    return result;
}

/* ---- results ---- */

/* Every tunnel with every ligand; discs begin at the mouth, which is beyond the tube; a tunnel in the other order is
 * the same, and so is the way out. */
static void passages_do_not_depend_on_order_or_direction(void)
{
    enum { COUNT = 14 };
    setup s;
    begin(&s);
    s.options.tunnel_count = 2;
    qn_transport_result *in = run(&s.options);
    s.options.direction = "out";
    qn_transport_result *out = run(&s.options);
    CHECK(in->passage_count == 4 && in->receptor_count == 1 && in->tunnel_count == 2 && in->ligand_count == 2);
    CHECK_TEXT(in->passages[1].ligand, "second_guest");
    CHECK_TEXT(in->passages[2].tunnel, "up");
    for (int p = 0; p < 4; p++) {
        const qn_transport_passage *passage = &in->passages[p], *back = &out->passages[p], *same = &in->passages[p % 2];
        if (!CHECK(passage->disc_count == COUNT)) exit(1);
        CHECK_NEAR(passage->distances_angstrom[COUNT - 1], 5.9, 1e-9);
        for (int i = 0; i < COUNT; i++) {
            CHECK(passage->lower[i] == back->lower[COUNT - 1 - i] &&
                  passage->upper_most[i] == back->upper_most[COUNT - 1 - i]);
            CHECK(passage->lower[i] == same->lower[i]);
            CHECK(passage->upper_least[i] >= passage->lower[i] && passage->upper_most[i] >= passage->upper_least[i]);
        }
        CHECK(passage->bound == back->bound && passage->highest == back->highest && passage->surface == back->surface);
        CHECK(passage->gap >= 0 && passage->highest >= passage->bound);
        CHECK(passage->surface == passage->lower[0]);
        CHECK(passage->lower[COUNT - 1] < passage->lower[0]);
    }
    qn_transport_result_destroy(&in);
    qn_transport_result_destroy(&out);
}

static void bounds_can_be_had_alone(void)
{
    setup s;
    begin(&s);
    qn_transport_result *both = run(&s.options);
    s.options.bound = QN_TRANSPORT_LOWER;
    qn_transport_result *lower = run(&s.options);
    s.options.bound = QN_TRANSPORT_UPPER;
    qn_transport_result *upper = run(&s.options);
    CHECK(isnan(lower->passages[0].upper_most[0]) && isnan(lower->passages[0].gap));
    CHECK(isnan(upper->passages[0].lower[0]));
    for (size_t i = 0; i < both->passages[0].disc_count; i++) /* poses on their way may be lower */
        CHECK(both->passages[0].lower[i] <= lower->passages[0].lower[i]);
    /* The unbound energy is that of the best pose of all that are there, so profiles differ by a constant at most. */
    CHECK_NEAR(upper->passages[0].upper_most[3] - upper->passages[0].upper_most[7],
               both->passages[0].upper_most[3] - both->passages[0].upper_most[7], 1e-9);
    qn_transport_result_destroy(&both);
    qn_transport_result_destroy(&lower);
    qn_transport_result_destroy(&upper);
}

/* Poses in files lie on their discs, state their energies, and are molecules that can be read. */
static void files_have_the_passages(void)
{
    char folder[700], path[900];
    setup s;
    begin(&s);
    snprintf(folder, sizeof folder, "%s/out", check_scratch_folder());
    s.options.output = folder;
    qn_transport_result *result = run(&s.options);
    const qn_transport_passage *passage = &result->passages[1];
    snprintf(path, sizeof path, "%s/tube/down/second_guest/lower.sdf", folder);
    for (int file = 0; file < 2; file++) {
        qn_compound **compounds = NULL;
        size_t count = 0;
        if (!CHECK_OK(qn_compound_read_file(path, &compounds, &count)) || !CHECK(count == passage->disc_count)) exit(1);
        for (size_t i = 0; i < count; i++) {
            const double *at = compounds[i]->positions_angstrom + 3 * 2; /* the middle atom is dragged */
            CHECK(compounds[i]->atom_count == 5);
            CHECK_NEAR(at[2], i < 2 ? 5.4 - 0.2 * (double)i : 6 - 0.5 * (double)i, 0.001);
            CHECK(at[0] * at[0] + at[1] * at[1] < 1.6 * 1.6);
            if (file == 0)
                CHECK_NEAR(atof(qn_compound_property_value(compounds[i], "energy")), passage->lower[i], 6e-5);
            qn_compound_destroy(&compounds[i]);
        }
        free(compounds);
        snprintf(path, sizeof path, "%s/tube/down/second_guest/lower.pdbqt", folder);
    }
    CHECK_FAILS(qn_transport_run(context, &s.options, NULL), QN_ALREADY_EXISTS);
    qn_transport_result_destroy(&result);
}

/* ---- refusals ---- */

static void refuse(const setup *s, qn_status status, const char *words)
{
    CHECK_FAILS(qn_transport_run(context, &s->options, NULL), status);
    CHECK_MESSAGE_HAS(words);
}

static void wrong_inputs_are_named(void)
{
    char path[600];
    setup s;
    begin(&s);
    s.options.direction = "up";
    refuse(&s, QN_INVALID_ARGUMENT, "--direction is \"up\"; expected in or out");
    begin(&s);
    s.options.drag = "X9";
    refuse(&s, QN_INVALID_ARGUMENT, "the ligand has no such atom; expected a name of an atom, or a number from 1 to 4");
    begin(&s);
    s.options.input_count = 1;
    refuse(&s, QN_INVALID_ARGUMENT, "all inputs are receptors; expected a ligand");
    s.inputs[0] = guests;
    refuse(&s, QN_INVALID_ARGUMENT, "all inputs are ligands; expected a receptor");
    begin(&s);
    s.inputs[2] = receptor;
    s.options.input_count = 3;
    refuse(&s, QN_INVALID_ARGUMENT, "two receptors have the name \"tube\"");
    begin(&s);
    write_guests("twins.sdf", path, "twin", "twin");
    s.inputs[1] = path;
    refuse(&s, QN_INVALID_ARGUMENT, "two ligands have the name \"twin\"");
    begin(&s);
    write_discs("far.dsd", path, 90, 0.5, 5);
    s.tunnels[0] = path;
    refuse(&s, QN_INVALID_ARGUMENT, "neither end of the tunnel is within 10 Å of an atom of");
    begin(&s);
    s.tunnels[0] = check_scratch_folder();
    s.options.types = QN_TRANSPORT_TYPES_FILE;
    refuse(&s, QN_BAD_FORMAT, "tube.pdb");
}

int main(void)
{
    const qn_context_options options = {.size = sizeof options, .threads = 2};
    if (!CHECK_OK(qn_context_create(&options, &context))) return check_finish();
    write_inputs();
    RUN(passages_do_not_depend_on_order_or_direction);
    RUN(bounds_can_be_had_alone);
    RUN(files_have_the_passages);
    RUN(wrong_inputs_are_named);
    qn_context_destroy(&context);
    return check_finish();
}
