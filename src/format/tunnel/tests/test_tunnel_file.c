/* Tunnels in files: both forms by content, CAVER's columns and words, every refusal, round trips. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "format/tunnel/tunnel_file.h"

static char path[512];

static const char *text_file(const char *text)
{
    snprintf(path, sizeof path, "%s/tunnel", check_scratch_folder());
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    return path;
}

#define SPHERE "ATOM      1  H   FIL T   1      20.122  33.892   2.164        1.32              \n"

static void spheres_are_read(void)
{
    qn_tunnel_file file;
    if (!CHECK_OK(qn_tunnel_file_read(text_file("REMARK tunnel\n" SPHERE
                                                "ATOM      2  H   FIL T   1      20.391  34.632   2.518        1.90\n"
                                                "CONECT    1    2\nEND\n"),
                                      &file)))
        return;
    CHECK(file.sphere_count == 2 && file.disc_count == 0);
    CHECK(file.spheres[0].place[0] == 20.122 && file.spheres[0].place[1] == 33.892 &&
          file.spheres[0].place[2] == 2.164);
    CHECK(file.spheres[0].radius == 1.32 && file.spheres[1].place[2] == 2.518 && file.spheres[1].radius == 1.90);
    qn_tunnel_file_release(&file);
    CHECK(file.spheres == NULL && file.sphere_count == 0);
}

/* Numbers that fill their columns run into each other; other programs write words with single blanks. */
static void columns_and_words_are_read(void)
{
    static const char *const texts[] = {
        "HETATM12345  H   FIL T1000    -100.123-200.456-300.789       12.34           H\n",
        "ATOM  12345  H   FIL T1000    -100.123-200.456-300.789       12.34\n",
        "ATOM 1 H FIL T 1000 -100.123 -200.456 -300.789 12.34\n",
        "ATOM 1 H FIL T 1000 -100.123 -200.456 -300.789 12.34 H\r\n",
        "ATOM      1  H   FIL T1000    -100.123-200.456-300.789 12.34\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        qn_tunnel_file file;
        if (!CHECK_OK(qn_tunnel_file_read(text_file(texts[i]), &file))) continue;
        CHECK(file.sphere_count == 1 && file.spheres[0].place[0] == -100.123 && file.spheres[0].place[1] == -200.456);
        CHECK(file.spheres[0].place[2] == -300.789 && file.spheres[0].radius == 12.34);
        qn_tunnel_file_release(&file);
    }
}

static void discs_are_read(void)
{
    qn_tunnel_file file;
    if (!CHECK_OK(qn_tunnel_file_read(text_file("\n1 2 3 0 0.6 0.8 1.5\n\n4 5 6 0 0 -1.001 2e-1\n"), &file))) return;
    CHECK(file.sphere_count == 0 && file.disc_count == 2);
    CHECK(file.discs[0].centre[2] == 3 && file.discs[0].radius == 1.5 && file.discs[1].radius == 0.2);
    CHECK_NEAR(file.discs[0].normal[1], 0.6, 1e-15);
    CHECK_NEAR(file.discs[1].normal[2], -1, 1e-15); /* made a unit vector */
    qn_tunnel_file_release(&file);
}

static const struct {
    const char *text, *message;
} refusals[] = {
    {"", "is empty"},
    {" \n\n", "holds nothing but blank lines; expected the spheres or discs of a tunnel"},
    {"HEADER protein\n", "\"HEADER\" begins no tunnel"},
    {"0 0 0 0 0 1 1\n0 0 0 0 0 1\n", ":2: holds 6 words; expected seven"},
    {"0 0 0 0 0 1 1 1\n", ":1: holds 8 words"},
    {"0 nan 0 0 0 1 1\n", ":1: y coordinate \"nan\" is not a number"},
    {"0 0 2e5 0 0 1 1\n", "z coordinate \"2e5\" is out of range"},
    {"0 0 0 0 inf 1 1\n", "y component \"inf\" of the normal"},
    {"0 0 0 0 0 0 1\n", "length 0; expected 1"},
    {"0 0 0 0 0 2 1\n", "length 2; expected 1"},
    {"0 0 0 0 0 1 0\n", "radius \"0\""},
    {"0 0 0 0 0 1 -1\n", "radius \"-1\"; expected a number above 0"},
    {"0 0 0 0 0 1 nan\n", "radius \"nan\""},
    {SPHERE "ATOM      2  H   FIL T   1      20.391  37.632   2.518        1.90\n", ":2: spheres 1 (radius 1.32) and 2 "
                                                                                    "(radius 1.9) are apart: 0.5"},
    {SPHERE "ATOM      2  H   FIL T   2      20.391  34.632   2.518        1.90\n", "tunnel 2 begins after tunnel 1"},
    {"MODEL        1\n" SPHERE "ENDMDL\nMODEL        2\n" SPHERE, ":4: a second model begins"},
    {"ATOM      1  H   FIL T   1      20.122  33.892   2.164  1.00  1.32\n", "two numbers, \"1.00\" and \"1.32\""},
    {"ATOM      1  H   FIL T   1      20.122  33.892     nan        1.32\n", "z coordinate \"     nan\""},
    {"ATOM      1  H   FIL T   1      20.122  33.892   2.164         NaN\n", "radius \""},
    {"ATOM      1  H   FIL T   1      20.122  33.892   2.164       -1.32\n", "radius \"-1.32\""},
    {"ATOM      1  H   FIL T   1      20.122  33.892   2.164\n", "radius \"\""},
    {"ATOM      1  H   FIL T   x      20.122  33.892   2.164        1.32\n", "number \"   x\""},
    {"ATOM\n", "(residue number) is not a whole number"},
};

static void broken_files_are_refused(void)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        qn_tunnel_file file;
        CHECK_FAILS(qn_tunnel_file_read(text_file(refusals[i].text), &file), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS(refusals[i].message);
        CHECK(file.spheres == NULL && file.discs == NULL && file.sphere_count == 0 && file.disc_count == 0);
    }
    qn_tunnel_file file;
    CHECK_FAILS(qn_tunnel_file_read("/no/such/tunnel.pdb", &file), QN_NOT_FOUND);
}

static void spheres_survive_a_round_trip(void)
{
    const qn_tunnel_sphere spheres[] = {
        {{-999.999, 9999.999, 0}, 99.999}, {{-950, 9990, 0.0004}, 1.2345}, {{-949.5, 9990.25, -0.5}, 0.9}};
    const char *written = text_file("");
    char line[128];
    qn_tunnel_file file;
    CHECK_OK(qn_tunnel_spheres_write(written, 7, spheres, 3));
    FILE *stream = fopen(written, "r");
    CHECK(fgets(line, sizeof line, stream) != NULL);
    CHECK_TEXT(line, "ATOM      1  H   FIL T   7    -999.9999999.999   0.000      99.999\n");
    CHECK(fgets(line, sizeof line, stream) && strncmp(line + 60, " 1.234", 6) == 0); /* columns 61-66 */
    CHECK(fgets(line, sizeof line, stream) && strcmp(line, "CONECT    1    2\n") == 0);
    fclose(stream);
    if (!CHECK_OK(qn_tunnel_file_read(written, &file))) return;
    CHECK(file.sphere_count == 3);
    for (int i = 0; i < 3 && i < file.sphere_count; i++) {
        CHECK_NEAR(file.spheres[i].radius, spheres[i].radius, 0.000501);
        for (int axis = 0; axis < 3; axis++) CHECK_NEAR(file.spheres[i].place[axis], spheres[i].place[axis], 0.000501);
    }
    qn_tunnel_file_release(&file);
}

static void discs_survive_a_round_trip(void)
{
    qn_tunnel_disc discs[2] = {{{1.0 / 3, -2.0 / 3, 1e-7}, {0.36, 0.48, 0.8}, 1.0 / 7}, {{-7e4, 0, 1}, {0, 0, -1}, 2}};
    const char *written = text_file("");
    qn_tunnel_file file;
    CHECK_OK(qn_tunnel_discs_write(written, discs, 2));
    if (!CHECK_OK(qn_tunnel_file_read(written, &file))) return;
    CHECK(file.disc_count == 2);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(file.discs[i].radius, discs[i].radius, 1e-14);
        for (int axis = 0; axis < 3; axis++) {
            CHECK_NEAR(file.discs[i].centre[axis], discs[i].centre[axis], 1e-14 * 7e4);
            CHECK_NEAR(file.discs[i].normal[axis], discs[i].normal[axis], 1e-14);
        }
    }
    qn_tunnel_file_release(&file);
}

static void writers_refuse_what_does_not_fit(void)
{
    const char *written = text_file("before");
    qn_tunnel_sphere sphere = {{0, 0, -1000}, 1};
    qn_tunnel_disc disc = {{0, 0, 0}, {0, 0, 1.1}, 1};
    CHECK_FAILS(qn_tunnel_spheres_write(written, 1, &sphere, 1), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("sphere 1 at 0,0,-1000");
    sphere = (qn_tunnel_sphere){{0, 0, 0}, NAN};
    CHECK_FAILS(qn_tunnel_spheres_write(written, 1, &sphere, 1), QN_INVALID_ARGUMENT);
    sphere.radius = 1;
    CHECK_FAILS(qn_tunnel_spheres_write(written, 0, &sphere, 1), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_tunnel_spheres_write(written, 1, &sphere, 0), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_tunnel_discs_write(written, &disc, 1), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("a normal of length 1.1");
    disc.normal[2] = 1, disc.centre[0] = NAN;
    CHECK_FAILS(qn_tunnel_discs_write(written, &disc, 1), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_tunnel_discs_write(written, &disc, 0), QN_INVALID_ARGUMENT);
    char text[16] = "";
    FILE *stream = fopen(written, "r");
    CHECK(fgets(text, sizeof text, stream) && strcmp(text, "before") == 0);
    fclose(stream);
}

/* Files of CaverDock and CAVER: counts and lines as a text editor shows them. */
static void reference_files_are_read(void)
{
    qn_tunnel_file file;
    char name[512];
    const char *discs = check_reference_data("transport/linb_caverweb_tunnel.dsd");
    if (!discs) return;
    if (CHECK_OK(qn_tunnel_file_read(discs, &file))) {
        CHECK(file.disc_count == 34 && file.sphere_count == 0);
        CHECK(file.discs[33].centre[0] == 19.423 && file.discs[33].centre[2] == 2.835);
        CHECK_NEAR(file.discs[33].radius, 2.32, 1e-12);
        qn_tunnel_file_release(&file);
    }
    snprintf(name, sizeof name, "%s", check_reference_data("transport/linb_caver302_tunnel.pdb"));
    if (CHECK_OK(qn_tunnel_file_read(name, &file))) {
        CHECK(file.sphere_count == 9 && file.disc_count == 0);
        CHECK(file.spheres[8].place[0] == 23.242 && file.spheres[8].place[2] == -2.095);
        CHECK(file.spheres[8].radius == 1.73 && file.spheres[6].radius == 1.34);
        qn_tunnel_file_release(&file);
    }
}

int main(void)
{
    RUN(spheres_are_read);
    RUN(columns_and_words_are_read);
    RUN(discs_are_read);
    RUN(broken_files_are_refused);
    RUN(spheres_survive_a_round_trip);
    RUN(discs_survive_a_round_trip);
    RUN(writers_refuse_what_does_not_fit);
    RUN(reference_files_are_read);
    return check_finish();
}
