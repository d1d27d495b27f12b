/* Particle sets: real RELION files compared with an independent parser, both ways of writing optics, Xmipp's metadata,
 * the search for stacks, refused files, writing. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <quern/particles.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "check.h"
#include "format/image/image_stack.h"

enum { ANGLES = 1, CTF = 2, SUBSETS = 4, ASSUMED = 8 };

/* Counts and sums of columns were computed by a few lines of Python (str.split). Origins in pixels are converted by
 * hand, with a pixel size of 10000 · 5 / 37369.207031 = 1.338 Å, or of 1 Å where that is the group's. */
static const struct {
    const char *name;
    size_t particles, optics, stacks;
    int kind;
    double pixel_angstrom, rot, tilt, psi, x, y, u, v, angle, phase, subset;
    uint64_t images, first_line;
} real[] = {
    {"synthetic/c1_48_400/particles.star", 400, 1, 1, ANGLES | CTF | SUBSETS, 3, -2774.14579, 37478.93944, 16.06491,
     23.49485, -4.03034, 5664198.24, 5569548.33, 34853.48, 0, 600, 80200, 35},
    {"synthetic/d4_48_300_ctf/particles.star", 300, 1, 1, ANGLES | CTF | SUBSETS, 3, -52.44566, 27152.2479, 1305.05426,
     -124.67829, 158.97865, 4127598.68, 4050065.76, 25842.97, 0, 450, 45150, 35},
    {"particles/hand/hand_relion31.star", 100, 1, 1, ANGLES | SUBSETS, 1, -294.96651, 9180.06884, -72.91604, 0, 0, 0, 0,
     0, 0, 150, 5050, 27},
    {"particles/toy/toy_projections.star", 1000, 1, 1, CTF | ASSUMED, 1, 0, 0, 0, 0, 0, 0, 0, 0, 90000, 0, 500500, 13},
    {"particles/empiar10076_7/empiar_10076_7.star", 7, 1, 1, CTF, 50000 / 38168.0, 0, 0, 0, 0, 0, 106785.9, 104093.3,
     36.96, 0, 0, 28, 14},
    {"particles/relion31/relion31.star", 5, 1, 1, ANGLES | CTF | SUBSETS, 2.806, 20.827573, 407.968392, 652.272573,
     -1.231666, -0.286804, 63976.50971, 62664.00971, -801.95, 0, 5, 15, 50},
    {"particles/rln_proj/rln_proj_64.star", 5, 1, 1, ANGLES | ASSUMED, 1, 738.277259, 471.988997, 807.628778, 0, 0, 0,
     0, 0, 0, 0, 15, 14},
    {"particles/rln_proj/rln_proj_64_shifted.star", 4, 1, 1, ANGLES, 1, 586.689245, 321.237784, 529.362423, -5, 13, 0,
     0, 0, 0, 0, 10, 29},
    {"star/sample_particles_relion30.star", 17, 2, 1, ANGLES | CTF | SUBSETS, 50000 / 37369.207031, 1530.988608,
     1527.727666, -511.639159, 0.8932 * 50000 / 37369.207031, 0.8932 * 50000 / 37369.207031, 360175.679696,
     363172.859375, 127.093632, 0, 24, 153, 33},
    {"star/sample_particles_relion31.star", 17, 2, 1, ANGLES | CTF | SUBSETS, 1.4, 1514.969615, 1561.250607,
     -576.447938, 0.8932, 0.3932, 360175.679696, 363172.859375, 127.093632, 0, 24, 153, 44},
    {"star/sample_relion_symmetry_group_D4.star", 17, 2, 1, ANGLES | CTF | SUBSETS, 50000 / 37369.207031, 1530.988608,
     1527.727666, -511.639159, 0.8932 * 50000 / 37369.207031, 0.8932 * 50000 / 37369.207031, 360175.679696,
     363172.859375, 127.093632, 0, 24, 153, 34},
};

static void check_sums(const qn_particle_set *set, size_t i)
{
    double s[10] = {0};
    uint64_t images = 0;
    for (size_t k = 0; k < set->particle_count; k++) {
        const qn_particle *p = &set->particles[k];
        const double values[10] = {p->rot_degrees,         p->tilt_degrees,
                                   p->psi_degrees,         p->origin_angstrom[0],
                                   p->origin_angstrom[1],  p->defocus_u_angstrom,
                                   p->defocus_v_angstrom,  p->defocus_angle_degrees,
                                   p->phase_shift_degrees, p->subset};
        for (int f = 0; f < 10; f++) s[f] += values[f];
        images += p->image + 1;
        CHECK(p->row == k + 1 && p->weight == 1 && !p->flipped && p->stack < set->stack_count);
    }
    const double expected[10] = {real[i].rot, real[i].tilt, real[i].psi,   real[i].x,     real[i].y,
                                 real[i].u,   real[i].v,    real[i].angle, real[i].phase, real[i].subset};
    for (int f = 0; f < 10; f++) CHECK_NEAR(s[f], expected[f], 1e-6);
    CHECK(images == real[i].images);
}

static void real_sets_are_read(void)
{
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        char name[128];
        qn_particle_set *set;
        snprintf(name, sizeof name, "cryoem/%s", real[i].name);
        const char *path = check_reference_data(name);
        CHECK(1); /* nothing to read without the reference data */
        if (!path || !CHECK_OK(qn_particle_set_read(path, &set))) return;
        CHECK(set->particle_count == real[i].particles && set->optics_count == real[i].optics);
        CHECK(set->stack_count == real[i].stacks && set->particles[0].line == real[i].first_line);
        CHECK(set->has_angles == !!(real[i].kind & ANGLES) && set->has_ctf == !!(real[i].kind & CTF));
        CHECK(set->has_subsets == !!(real[i].kind & SUBSETS));
        CHECK(set->optics[0].pixel_assumed == !!(real[i].kind & ASSUMED));
        CHECK_NEAR(set->optics[0].pixel_angstrom, real[i].pixel_angstrom, 1e-9);
        check_sums(set, i);
        if (strncmp(real[i].name, "star/", 5) != 0) { /* the stacks of these files lie beside the files */
            qn_image_stack *stack;
            CHECK_OK(qn_image_stack_open(set->stacks[0], &stack));
            qn_image_stack_close(&stack);
        }
        qn_particle_set_destroy(&set);
        CHECK(set == NULL);
    }
}

static void optics_groups_are_distinguished(void)
{
    qn_particle_set *set;
    const char *path = check_reference_data("cryoem/star/sample_particles_relion31.star");
    CHECK(1);
    if (!path || !CHECK_OK(qn_particle_set_read(path, &set))) return;
    int second = 0;
    for (size_t i = 0; i < set->particle_count; i++) second += set->particles[i].optics == 1;
    CHECK(second == 26 - 17); /* 17 particles, whose group numbers, 1 and 2, have the sum 26 */
    CHECK_TEXT(set->optics[1].name, "opticsGroup2");
    CHECK(set->optics[0].voltage_kv == 300 && set->optics[1].voltage_kv == 200 && set->optics[1].number == 2);
    CHECK(set->optics[1].spherical_aberration_mm == 2.7 && set->optics[1].amplitude_contrast == 0.1);
    qn_particle_set_destroy(&set);
    path = check_reference_data("cryoem/star/relion31.6opticsgroups.star");
    CHECK_FAILS(qn_particle_set_read(path, &set), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("row 1 of data_optics): _rlnBeamTiltX is \"0.657334\"; expected 0: beam tilt is not corrected");
    CHECK_FAILS(qn_particle_set_read(check_reference_data("cryoem/star/xmipp_ref_i3h_sampling.xmd"), &set),
                QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("no table has a column _rlnImageName (RELION) or _image (Xmipp)");
}

static const char *save(const char *name, const char *text)
{
    static char path[800];
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
    CHECK_OK(qn_file_write(path, text, strlen(text)));
    return path;
}

static qn_particle_set *read_text(const char *text)
{
    qn_particle_set *set;
    CHECK_OK(qn_particle_set_read(save("set.star", text), &set));
    return set;
}

#define OPTICS "data_optics\nloop_\n_rlnOpticsGroup\n_rlnImagePixelSize\n7 2.0\n9 4.0\n\n"

/* Particles before optics; origins in pixels of each group's own size; default values where columns are absent. */
static void tables_may_come_in_any_order(void)
{
    qn_particle_set *set =
        read_text("data_particles\nloop_\n_rlnOriginX\n_rlnOriginY\n_rlnOpticsGroup\n_rlnImageName\n_rlnAngleRot\n"
                  "_rlnParticleFigureOfMerit\n3 0 9 2@a.mrcs 10 0.5\n3 0 7 1@b.mrcs 20 -1\n\n" OPTICS);
    if (!set) return;
    CHECK(set->particle_count == 2 && set->optics_count == 2 && set->stack_count == 2 && !set->has_angles);
    CHECK(set->particles[0].optics == 1 && set->particles[0].origin_angstrom[0] == 12);
    CHECK(set->particles[1].optics == 0 && set->particles[1].origin_angstrom[0] == 6);
    CHECK(set->particles[0].image == 1 && set->particles[0].stack == 0 && set->particles[1].stack == 1);
    CHECK(set->particles[0].weight == 0.5 && set->particles[1].weight == -1 && set->particles[0].subset == 0);
    CHECK(set->particles[1].row == 2 && set->particles[1].line == 10 && !set->has_ctf && !set->has_subsets);
    qn_particle_set_destroy(&set);
}

/* RELION 3.0: rows of the same optics share a group. 10000 · 14 / 100000 = 1.4. */
static void rows_with_their_own_optics_share_groups(void)
{
    qn_particle_set *set = read_text(
        "data_\nloop_\n_rlnImageName\n_rlnVoltage\n_rlnDefocusU\n_rlnSphericalAberration\n"
        "_rlnAmplitudeContrast\n_rlnMagnification\n_rlnDetectorPixelSize\n_rlnOriginX\n_rlnOriginY\n"
        "1@s 300 9000 2.7 0.1 100000 14 0 2\n2@s 200 8000 2.7 0.1 100000 14 0 2\n3@s 300 7000 2.7 0.1 100000 14 0 0\n"
        "alone.mrc 300 1 2.7 0.1 50000 14 0 -2\n");
    if (!set) return;
    CHECK(set->optics_count == 3 && set->has_ctf && set->particles[2].optics == 0 && set->particles[1].optics == 1);
    CHECK_NEAR(set->optics[1].pixel_angstrom, 1.4, 1e-12);
    CHECK_NEAR(set->particles[0].origin_angstrom[1], 2.8, 1e-12);
    CHECK_NEAR(set->particles[3].origin_angstrom[1], -5.6, 1e-12);
    CHECK(set->particles[1].defocus_v_angstrom == 8000 && set->particles[3].image == 0 && set->stack_count == 2);
    qn_particle_set_destroy(&set);
}

static void xmipp_metadata_is_read(void)
{
    qn_particle_set *set =
        read_text("# XMIPP_STAR_1 * \n# \ndata_noname\nloop_\n _enabled\n _image\n _angleRot\n _angleTilt\n"
                  " _anglePsi\n _shiftX\n _shiftY\n _flip\n _weight\n _other\n"
                  " 1 000003@a/b.stk:mrcs 10 20 30 1.5 -2 1 0.25 x\n -1 000004@a/b.stk 0 0 0 0 0 0 1 x\n"
                  " 1 000005@a/b.stk 0 0 0 0 0 0 1 x\n");
    if (!set) return;
    CHECK(set->particle_count == 2 && set->stack_count == 1 && set->has_angles && !set->has_ctf);
    CHECK(set->particles[0].flipped && !set->particles[1].flipped && set->particles[0].weight == 0.25);
    CHECK(set->particles[0].image == 2 && set->particles[1].row == 3);
    CHECK(set->particles[0].tilt_degrees == 20 && set->particles[0].origin_angstrom[1] == -2);
    CHECK(set->optics[0].pixel_assumed && set->optics[0].pixel_angstrom == 1);
    CHECK(strstr(set->stacks[0], "/a/b.stk") && !strchr(set->stacks[0], ':'));
    qn_particle_set_destroy(&set);
}

#define HEAD "data_particles\nloop_\n_rlnImageName\n_rlnAngleRot\n_rlnOpticsGroup\n_rlnRandomSubset\n"

static void broken_sets_are_refused(void)
{
    static const struct {
        const char *text, *message;
        qn_status status;
    } faults[] = {
        {OPTICS HEAD "1@s nan 7 1\n",
         "set.star: line 14 (row 1 of data_particles): _rlnAngleRot is \"nan\"; expected a number", QN_BAD_FORMAT},
        {OPTICS HEAD "1@s 1 7 1\n2@s 1e 7 1\n", "line 15 (row 2 of data_particles): _rlnAngleRot is \"1e\"",
         QN_BAD_FORMAT},
        {OPTICS HEAD "1@s inf 7 1\n", "_rlnAngleRot is \"inf\"", QN_BAD_FORMAT},
        {OPTICS HEAD "0@s 1 7 1\n", "_rlnImageName is \"0@s\"; expected such as", QN_BAD_FORMAT},
        {OPTICS HEAD "-1@s 1 7 1\n", "_rlnImageName is \"-1@s\"", QN_BAD_FORMAT},
        {OPTICS HEAD "1@ 1 7 1\n", "_rlnImageName is \"1@\"", QN_BAD_FORMAT},
        {OPTICS HEAD "99999999999999999999@s 1 7 1\n", "_rlnImageName", QN_BAD_FORMAT},
        {OPTICS HEAD "1@s 1 8 1\n", "line 14 (row 1): _rlnOpticsGroup is \"8\", which data_optics does not have",
         QN_BAD_FORMAT},
        {OPTICS HEAD "1@s 1 1.5 1\n", "_rlnOpticsGroup is \"1.5\"; expected a number from 1 on", QN_BAD_FORMAT},
        {OPTICS HEAD "1@s 1 7 3\n", "_rlnRandomSubset is \"3\"; expected 1 or 2", QN_BAD_FORMAT},
        {OPTICS HEAD "1@s 1 7\n", "has 3 values; expected 4", QN_BAD_FORMAT},
        {OPTICS HEAD, "holds no particles", QN_BAD_FORMAT},
        {OPTICS "data_particles\nloop_\n_rlnAngleRot\n1\n", "data_particles at line 9 has no column _rlnImageName",
         QN_BAD_FORMAT},
        {OPTICS "data_particles\nloop_\n_rlnImageName\n1@s\n", "has 2 optics groups, but no column _rlnOpticsGroup",
         QN_BAD_FORMAT},
        {OPTICS OPTICS, "second table data_optics", QN_BAD_FORMAT},
        {"data_optics\nloop_\n_rlnImagePixelSize\n1\n\n", "data_optics at line 2 has no column _rlnOpticsGroup",
         QN_BAD_FORMAT},
        {"data_optics\nloop_\n_rlnOpticsGroup\n_rlnImagePixelSize\n1 0\n",
         "_rlnImagePixelSize is \"0\"; expected a number above 0", QN_BAD_FORMAT},
        {"data_optics\nloop_\n_rlnOpticsGroup\n1\n1\n", "_rlnOpticsGroup is \"1\"; expected each number once",
         QN_BAD_FORMAT},
        {"data_optics\nloop_\n_rlnOpticsGroup\n_rlnImageDimensionality\n1 3\n", "_rlnImageDimensionality is \"3\"",
         QN_UNSUPPORTED},
        {"data_optics\nloop_\n_rlnOpticsGroup\n_rlnMagMat01\n1 0.01\n", "_rlnMagMat01 is \"0.01\"", QN_UNSUPPORTED},
        {"data_optics\nloop_\n_rlnOpticsGroup\n_rlnOddZernike\n1 [0,0,0.5]\n", "_rlnOddZernike is \"[0,0,0.5]\"",
         QN_UNSUPPORTED},
        {"data_optics\nloop_\n_rlnOpticsGroup\n_rlnEvenZernike\n1 [0,x]\n", "_rlnEvenZernike is \"[0,x]\"",
         QN_BAD_FORMAT},
        {"data_optics\nloop_\n_rlnOpticsGroup\n_rlnCtfDataAreCtfPremultiplied\n1 1\n", "multiplied with their CTF",
         QN_UNSUPPORTED},
        {"data_\nloop_\n_rlnImageName\n_rlnMagnification\n_rlnDetectorPixelSize\n1@s -5 1\n",
         "_rlnMagnification is \"-5\"", QN_BAD_FORMAT},
        {"data_a\nloop_\n_image\n1@s\n\ndata_b\nloop_\n_image\n2@s\n", "another table of images at line 7 (data_b)",
         QN_UNSUPPORTED},
        {"", "no table has a column", QN_BAD_FORMAT},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        qn_particle_set *set;
        CHECK_FAILS(qn_particle_set_read(save("set.star", faults[i].text), &set), faults[i].status);
        CHECK(set == NULL);
        CHECK_MESSAGE_HAS(faults[i].message);
        CHECK_MESSAGE_HAS("set.star: ");
    }
    qn_particle_set *set;
    CHECK_FAILS(qn_particle_set_read("/nowhere/at/all.star", &set), QN_NOT_FOUND);
}

/* Aberrations of zero are accepted. */
static void zero_aberrations_are_accepted(void)
{
    qn_particle_set *set =
        read_text("data_optics\nloop_\n_rlnOpticsGroup\n_rlnBeamTiltX\n_rlnOddZernike\n_rlnMagMat00\n"
                  "_rlnMagMat01\n_rlnImagePixelSize\n_rlnImageSize\n1 0.000 [0,0.0,-0] 1.0 0 1.1 64\n\n"
                  "data_particles\nloop_\n_rlnImageName\n1@s\n");
    if (!set) return;
    CHECK(set->optics[0].image_size == 64 && set->particles[0].optics == 0);
    qn_particle_set_destroy(&set);
}

static void make_folder(const char *name)
{
    char path[800];
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
    CHECK_OK(qn_folder_create(path));
}

static void check_stack(const char *file, const char *ending)
{
    char path[800];
    qn_particle_set *set;
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), file);
    if (!CHECK_OK(qn_particle_set_read(path, &set))) return;
    const size_t length = strlen(set->stacks[0]), end = strlen(ending);
    if (!CHECK(length >= end && strcmp(set->stacks[0] + length - end, ending) == 0)) puts(set->stacks[0]);
    qn_particle_set_destroy(&set);
}

/* Search beside the file, then from the working folder, then from the folders above the file's folder. */
static void stacks_are_searched_beside_and_above_the_file(void)
{
    static const char text[] = "data_\nloop_\n_rlnImageName\n1@Extract/job1/s.mrcs\n";
    char here[800], work[800];
    make_folder("project/Refine/job2/Extract/job1");
    make_folder("project/Extract/job1");
    make_folder("work/Extract/job1");
    save("project/Refine/job2/run.star", text);
    check_stack("project/Refine/job2/run.star",
                "/project/Refine/job2/Extract/job1/s.mrcs"); /* not found: the path beside the file */
    save("project/Extract/job1/s.mrcs", "");
    check_stack("project/Refine/job2/run.star", "/project/Extract/job1/s.mrcs");
    save("work/Extract/job1/s.mrcs", "");
    snprintf(work, sizeof work, "%s/work", check_scratch_folder());
    CHECK(getcwd(here, sizeof here) && chdir(work) == 0);
    check_stack("project/Refine/job2/run.star", "Extract/job1/s.mrcs");
    qn_particle_set *set;
    if (CHECK_OK(qn_particle_set_read("../project/Refine/job2/run.star", &set)))
        CHECK_TEXT(set->stacks[0], "Extract/job1/s.mrcs");
    qn_particle_set_destroy(&set);
    save("project/Refine/job2/Extract/job1/s.mrcs", "");
    if (CHECK_OK(qn_particle_set_read("../project/Refine/job2/run.star", &set)))
        CHECK_TEXT(set->stacks[0], "../project/Refine/job2/Extract/job1/s.mrcs");
    qn_particle_set_destroy(&set);
    CHECK(chdir(here) == 0);
    save("project/absolute.star", "data_\nloop_\n_rlnImageName\n1@/no/where.mrcs\n");
    check_stack("project/absolute.star", "/no/where.mrcs");
}

/* Pixel sizes that the file does not state come from the stack's header. */
static void missing_pixel_sizes_come_from_stack_headers(void)
{
    char path[800];
    const float values[4] = {0};
    qn_image_stack_writer *writer;
    snprintf(path, sizeof path, "%s/sized.mrcs", check_scratch_folder());
    CHECK_OK(qn_image_stack_writer_create(path, 2, 2, 1.75, NULL, &writer));
    CHECK_OK(qn_image_stack_writer_append(writer, values));
    CHECK_OK(qn_image_stack_writer_finish(&writer));
    qn_particle_set *set = read_text("data_\nloop_\n_rlnImageName\n_rlnOriginX\n_rlnOriginY\n1@sized.mrcs 2 0\n");
    if (!set) return;
    CHECK(!set->optics[0].pixel_assumed);
    CHECK_NEAR(set->optics[0].pixel_angstrom, 1.75, 1e-7);
    CHECK_NEAR(set->particles[0].origin_angstrom[0], 3.5, 1e-6);
    qn_particle_set_destroy(&set);
}

static void check_same(const qn_particle_set *a, const qn_particle_set *b)
{
    if (!CHECK(a->particle_count == b->particle_count && a->optics_count == b->optics_count)) return;
    CHECK(a->has_ctf == b->has_ctf && a->has_angles == b->has_angles && a->has_subsets == b->has_subsets);
    for (size_t i = 0; i < a->particle_count; i++) {
        const qn_particle *p = &a->particles[i], *q = &b->particles[i];
        CHECK(p->image == q->image && p->optics == q->optics && p->subset == q->subset);
        CHECK_NEAR(p->rot_degrees, q->rot_degrees, 6e-7);
        CHECK_NEAR(p->tilt_degrees, q->tilt_degrees, 6e-7);
        CHECK_NEAR(p->psi_degrees, q->psi_degrees, 6e-7);
        for (int k = 0; k < 2; k++) CHECK_NEAR(p->origin_angstrom[k], q->origin_angstrom[k], 6e-7);
        CHECK_NEAR(p->defocus_u_angstrom, q->defocus_u_angstrom, 6e-7);
        CHECK_NEAR(p->defocus_v_angstrom, q->defocus_v_angstrom, 6e-7);
        CHECK_NEAR(p->defocus_angle_degrees, q->defocus_angle_degrees, 6e-7);
        CHECK_NEAR(p->phase_shift_degrees, q->phase_shift_degrees, 6e-7);
        CHECK_NEAR(p->b_factor_angstrom2, q->b_factor_angstrom2, 6e-7);
        CHECK_NEAR(p->weight, q->weight, 6e-7);
    }
    for (size_t i = 0; i < a->optics_count; i++) {
        const qn_optics_group *g = &a->optics[i], *h = &b->optics[i];
        CHECK(g->number == h->number && g->image_size == h->image_size && g->pixel_assumed == h->pixel_assumed);
        CHECK_NEAR(g->pixel_angstrom, h->pixel_angstrom, 6e-7);
        CHECK_NEAR(g->voltage_kv, h->voltage_kv, 6e-7);
    }
}

static void sets_are_written_and_read_back(void)
{
    CHECK(1);
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        char name[128], path[800];
        qn_particle_set *set, *back;
        snprintf(name, sizeof name, "cryoem/%s", real[i].name);
        const char *from = check_reference_data(name);
        if (!from || !CHECK_OK(qn_particle_set_read(from, &set))) return;
        snprintf(path, sizeof path, "%s/back.star", check_scratch_folder());
        CHECK_OK(qn_particle_set_write(set, path));
        if (CHECK_OK(qn_particle_set_read(path, &back))) check_same(set, back);
        if (strncmp(real[i].name, "star/", 5) != 0 && back) { /* the stack is found from the new place too */
            qn_image_stack *stack;
            CHECK_OK(qn_image_stack_open(back->stacks[0], &stack));
            qn_image_stack_close(&stack);
        }
        qn_particle_set_destroy(&back);
        qn_particle_set_destroy(&set);
    }
}

static void written_files_match_relion(void)
{
    char path[800], *bytes;
    size_t size;
    qn_particle particle = {.image = 41,
                            .rot_degrees = -10.25,
                            .tilt_degrees = 1e-7,
                            .psi_degrees = 180,
                            .weight = 0.5,
                            .origin_angstrom = {-0.0000005, 2}};
    qn_optics_group group = {.name = "two words", .number = 3, .pixel_angstrom = 1.25, .image_size = 64};
    char stack[900], *stacks[1] = {stack};
    const qn_particle_set set = {.particles = &particle,
                                 .particle_count = 1,
                                 .optics = &group,
                                 .optics_count = 1,
                                 .stacks = stacks,
                                 .stack_count = 1,
                                 .has_angles = true};
    make_folder("out/job");
    make_folder("in");
    snprintf(path, sizeof path, "%s/out/job/set.star", check_scratch_folder());
    snprintf(stack, sizeof stack, "%s/in/100%% s.mrcs", check_scratch_folder());
    CHECK_OK(qn_particle_set_write(&set, path));
    if (!CHECK_OK(qn_file_read(path, &bytes, &size))) return;
    CHECK_TEXT(bytes,
               "\n# version 30001\n\ndata_optics\n\nloop_\n_rlnOpticsGroup #1\n_rlnOpticsGroupName #2\n"
               "_rlnImagePixelSize #3\n_rlnImageSize #4\n_rlnImageDimensionality #5\n"
               "3 \"two words\" 1.250000 64 2\n\n\n# version 30001\n\ndata_particles\n\nloop_\n_rlnImageName #1\n"
               "_rlnOpticsGroup #2\n_rlnAngleRot #3\n_rlnAngleTilt #4\n_rlnAnglePsi #5\n_rlnOriginXAngst #6\n"
               "_rlnOriginYAngst #7\n_rlnParticleFigureOfMerit #8\n\"000042@../../in/100% s.mrcs\" 3 -10.250000 "
               "0.000000 180.000000 -0.000001 2.000000 0.500000\n\n");
    free(bytes);
    qn_particle_set *back;
    if (CHECK_OK(qn_particle_set_read(path, &back))) {
        CHECK(strstr(back->stacks[0], "/out/job/../../in/100% s.mrcs") != NULL);
        CHECK_TEXT(back->optics[0].name, "two words");
        qn_particle_set_destroy(&back);
    }
    particle.psi_degrees = NAN;
    CHECK_FAILS(qn_particle_set_write(&set, path), QN_INVALID_ARGUMENT);
    particle.psi_degrees = 0;
    strcpy(stack, "both \"kinds' of quotes");
    CHECK_FAILS(qn_particle_set_write(&set, path), QN_INVALID_ARGUMENT);
    particle.stack = 1;
    CHECK_FAILS(qn_particle_set_write(&set, path), QN_INVALID_ARGUMENT);
    particle.stack = 0;
    strcpy(stack, "s");
    CHECK_FAILS(qn_particle_set_write(&set, "/nowhere/at/all.star"), QN_NOT_FOUND);
}

/* A = Rz(psi) Ry(tilt) Rz(rot), passive, each as [c s; −s c] (about y: [c 0 −s; 0 1 0; s 0 c]). */
static void pose(const qn_particle *p, double a[9])
{
    const double d = 3.14159265358979323846 / 180;
    const double cr = cos(p->rot_degrees * d), sr = sin(p->rot_degrees * d), ct = cos(p->tilt_degrees * d),
                 st = sin(p->tilt_degrees * d), cp = cos(p->psi_degrees * d), sp = sin(p->psi_degrees * d);
    const double z[9] = {cp, sp, 0, -sp, cp, 0, 0, 0, 1}, y[9] = {ct, 0, -st, 0, 1, 0, st, 0, ct},
                 x[9] = {cr, sr, 0, -sr, cr, 0, 0, 0, 1};
    double zy[9] = {0};
    memset(a, 0, 9 * sizeof *a);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) zy[3 * i + j] += z[3 * i + k] * y[3 * k + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) a[3 * i + j] += zy[3 * i + k] * x[3 * k + j];
}

/* The place of a volume's point in the stored image, (A·v − origin), mirrored along x if flipped, must be the same
 * after writing without flips. */
static void mirrored_images_are_written_as_rotations(void)
{
    const double point[3] = {3, -5, 7};
    char path[800];
    qn_particle particle = {.rot_degrees = 33,
                            .tilt_degrees = 71,
                            .psi_degrees = -123,
                            .weight = 1,
                            .flipped = true,
                            .origin_angstrom = {4, -9}};
    qn_optics_group group = {.number = 1, .pixel_angstrom = 1};
    char *stacks[1] = {"s.mrcs"};
    const qn_particle_set set = {.particles = &particle,
                                 .particle_count = 1,
                                 .optics = &group,
                                 .optics_count = 1,
                                 .stacks = stacks,
                                 .stack_count = 1,
                                 .has_angles = true};
    qn_particle_set *back;
    snprintf(path, sizeof path, "%s/flipped.star", check_scratch_folder());
    CHECK_OK(qn_particle_set_write(&set, path));
    if (!CHECK_OK(qn_particle_set_read(path, &back))) return;
    const qn_particle *p[2] = {&particle, &back->particles[0]};
    double a[9], place[2][2];
    for (int i = 0; i < 2; i++) {
        pose(p[i], a);
        for (int k = 0; k < 2; k++)
            place[i][k] =
                a[3 * k] * point[0] + a[3 * k + 1] * point[1] + a[3 * k + 2] * point[2] - p[i]->origin_angstrom[k];
    }
    CHECK(!back->particles[0].flipped && fabs(place[0][0]) > 0.1);
    CHECK_NEAR(place[1][0], -place[0][0], 1e-9);
    CHECK_NEAR(place[1][1], place[0][1], 1e-9);
    qn_particle_set_destroy(&back);
}

/* 200,000 rows of 1,000 stacks: each stack is listed once. */
static void large_sets_are_read(void)
{
    enum { ROWS = 200000 };
    qn_text text = {0};
    struct timespec begin, end;
    qn_particle_set *set;
    CHECK_OK(qn_text_append(&text, "%s",
                            OPTICS "data_particles\nloop_\n_rlnImageName\n_rlnAngleRot\n_rlnAngleTilt\n"
                                   "_rlnAnglePsi\n_rlnOriginXAngst\n_rlnOriginYAngst\n_rlnDefocusU\n"
                                   "_rlnDefocusV\n_rlnDefocusAngle\n_rlnOpticsGroup\n_rlnMicrographName\n"));
    for (int i = 0; i < ROWS; i++)
        CHECK_OK(
            qn_text_append(&text,
                           "%06d@Extract/job012/Micrographs/stack_%04d.mrcs %d.250000 %d.500000 -%d.125000 1.000000 "
                           "-2.000000 12345.678901 12345.678901 45.000000 %d MotionCorr/job002/Micrographs/m.mrc\n",
                           i + 1, i / 200, i % 360, i % 180, i % 90, i % 2 ? 7 : 9));
    const char *path = save("large.star", text.data);
    const double megabytes = (double)text.length / 1e6;
    qn_text_clear(&text);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    if (!CHECK_OK(qn_particle_set_read(path, &set))) return;
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%d rows, %.1f MB: %.3f s\n", ROWS, megabytes,
           (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
    CHECK(set->particle_count == ROWS && set->stack_count == 1000);
    double sum = 0, tilt = 0;
    for (size_t i = 0; i < ROWS; i++) {
        sum += (double)set->particles[i].image;
        tilt += set->particles[i].tilt_degrees;
        if (set->particles[i].stack != i / 200 || set->particles[i].optics != (i % 2 ? 0u : 1u)) CHECK(0);
    }
    CHECK(sum == 0.5 * ROWS * (ROWS - 1.0));
    /* 1111 times 0 … 179, then 0 … 19, and 0.5 in every row */
    CHECK_NEAR(tilt, 1111 * 16110.0 + 190 + 0.5 * ROWS, 1e-6);
    snprintf(text.data = malloc(800), 800, "%s/large_back.star", check_scratch_folder());
    CHECK_OK(qn_particle_set_write(set, text.data));
    free(text.data);
    qn_particle_set_destroy(&set);
}

int main(void)
{
    RUN(real_sets_are_read);
    RUN(optics_groups_are_distinguished);
    RUN(tables_may_come_in_any_order);
    RUN(rows_with_their_own_optics_share_groups);
    RUN(xmipp_metadata_is_read);
    RUN(broken_sets_are_refused);
    RUN(zero_aberrations_are_accepted);
    RUN(stacks_are_searched_beside_and_above_the_file);
    RUN(missing_pixel_sizes_come_from_stack_headers);
    RUN(sets_are_written_and_read_back);
    RUN(written_files_match_relion);
    RUN(mirrored_images_are_written_as_rotations);
    RUN(large_sets_are_read);
    return check_finish();
}
