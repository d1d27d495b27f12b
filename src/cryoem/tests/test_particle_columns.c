/* Sets of particles from columns in memory: strides, defaults, matrices, refusals. */
#include <math.h>
#include <quern/particles.h>
#include <stdlib.h>

#include "check.h"
#include "cryoem/view.h"

enum { COUNT = 4, WIDTH = 6 };

/* rot, tilt, psi, x, y, defocus of each particle. */
static const double table[COUNT][WIDTH] = {
    {10, 20, 30, 1.5, -2, 12000}, {-170, 90, 0, 0, 0, 13000}, {45, 5, -100, 3, 4, 9000}, {0, 180, 60, -1, 0.5, 20000}};

static qn_column column_of(int column)
{
    return (qn_column){&table[0][column], sizeof table[0]};
}

static qn_particle_columns all_columns(void)
{
    return (qn_particle_columns){.count = COUNT,
                                 .pixel_angstrom = 1.25,
                                 .voltage_kv = 300,
                                 .spherical_aberration_mm = 2.7,
                                 .amplitude_contrast = 0.1,
                                 .rot_degrees = column_of(0),
                                 .tilt_degrees = column_of(1),
                                 .psi_degrees = column_of(2),
                                 .origin_x_angstrom = column_of(3),
                                 .origin_y_angstrom = column_of(4),
                                 .defocus_u_angstrom = column_of(5)};
}

static void columns_of_one_table_fill_particles(void)
{
    static const double subsets[COUNT] = {1, 2, 2, 1};
    qn_particle_columns columns = all_columns();
    qn_particle_set *set;
    columns.subset.values = subsets;
    if (!CHECK_OK(qn_particle_set_from_columns(&columns, &set))) return;
    CHECK(set->particle_count == COUNT && set->optics_count == 1 && set->stack_count == 0);
    CHECK(set->has_angles && set->has_ctf && set->has_subsets && !set->has_images);
    CHECK(set->optics[0].pixel_angstrom == 1.25 && set->optics[0].voltage_kv == 300);
    for (size_t i = 0; i < COUNT; i++) {
        const qn_particle *particle = &set->particles[i];
        CHECK(particle->rot_degrees == table[i][0] && particle->tilt_degrees == table[i][1]);
        CHECK(particle->psi_degrees == table[i][2] && particle->origin_angstrom[0] == table[i][3]);
        CHECK(particle->origin_angstrom[1] == table[i][4] && particle->defocus_u_angstrom == table[i][5]);
        CHECK(particle->defocus_v_angstrom == table[i][5]); /* the default is defocus U */
        CHECK(particle->weight == 1 && particle->subset == (int)subsets[i]);
        CHECK(particle->image == i && particle->row == i + 1);
    }
    qn_particle_set_destroy(&set);
    CHECK(set == NULL);
}

static void matrices_replace_angles(void)
{
    double matrices[COUNT][9], backwards[COUNT][9];
    qn_particle_columns columns = {.count = COUNT, .pixel_angstrom = 1, .matrices = {&backwards[COUNT - 1][0], -72}};
    qn_particle_set *set;
    for (int i = 0; i < COUNT; i++) {
        qn_view_matrix(table[i][0], table[i][1], table[i][2], matrices[i]);
        for (int k = 0; k < 9; k++) backwards[COUNT - 1 - i][k] = matrices[i][k];
    }
    if (!CHECK_OK(qn_particle_set_from_columns(&columns, &set))) return;
    CHECK(!set->has_ctf && !set->has_subsets);
    for (int i = 0; i < COUNT; i++) {
        double again[9];
        const qn_particle *particle = &set->particles[i];
        qn_view_matrix(particle->rot_degrees, particle->tilt_degrees, particle->psi_degrees, again);
        for (int k = 0; k < 9; k++) CHECK_NEAR(again[k], matrices[i][k], 1e-12);
    }
    qn_particle_set_destroy(&set);
}

static void expect_refusal(const qn_particle_columns *columns, const char *sentence)
{
    qn_particle_set *set;
    CHECK_FAILS(qn_particle_set_from_columns(columns, &set), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS(sentence);
    CHECK(set == NULL);
}

static void wrong_columns_are_refused(void)
{
    static const double ninths[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, infinite[COUNT] = {0, 0, INFINITY, 0};
    static const double thirds[COUNT] = {1, 2, 3, 1};
    qn_particle_columns columns = all_columns();
    columns.psi_degrees.values = NULL;
    expect_refusal(&columns, "2 of the angles rot, tilt and psi are given and no matrices");
    columns = all_columns();
    columns.matrices.values = ninths;
    expect_refusal(&columns, "3 of the angles rot, tilt and psi are given and matrices");
    columns = all_columns();
    columns.pixel_angstrom = 0;
    expect_refusal(&columns, "the pixel size of the particles' images is 0 Å");
    columns = all_columns();
    columns.voltage_kv = 0;
    expect_refusal(&columns, "a voltage of 0 kV");
    columns = all_columns();
    columns.weight.values = infinite;
    expect_refusal(&columns, "column weight: particle 3 has inf");
    columns = all_columns();
    columns.subset.values = thirds;
    expect_refusal(&columns, "column subset: particle 3 has 3");
    columns = all_columns();
    columns.count = 0;
    expect_refusal(&columns, "a set of 0 particles");
    columns = (qn_particle_columns){.count = 1, .pixel_angstrom = 1, .matrices.values = ninths};
    expect_refusal(&columns, "column matrices: particle 1 has a matrix that is");
}

int main(void)
{
    RUN(columns_of_one_table_fill_particles);
    RUN(matrices_replace_angles);
    RUN(wrong_columns_are_refused);
    return check_finish();
}
