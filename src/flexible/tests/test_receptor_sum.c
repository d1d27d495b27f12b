#define _POSIX_C_SOURCE 200809L
/* Sums over a receptor's atoms beside loops over all of them, for every type, inside and outside; the same bits on
 * every processor. */
#include "check.h"

#include <stdlib.h>

#include "flexible/receptor_sum.h"
#include "flexible/tests/chains.h"

enum { PLACES = 40 };

static void add_all(const qn_score_receptor *receptor, const double place[3], int type, qn_vina_energy *terms,
                    double gradient[3])
{
    *terms = (qn_vina_energy){0};
    memset(gradient, 0, 3 * sizeof *gradient);
    for (size_t i = 0; i < receptor->atom_count; i++) {
        double away[3], square = 0, slope;
        for (size_t d = 0; d < 3; d++) {
            away[d] = place[d] - receptor->positions_angstrom[3 * i + d];
            square += away[d] * away[d];
        }
        if (square >= QN_VINA_CUTOFF_ANGSTROM * QN_VINA_CUTOFF_ANGSTROM) continue;
        (void)qn_vina_add_pair(type, receptor->types[i], sqrt(square), terms, &slope);
        for (int d = 0; d < 3 && square > 0; d++) gradient[d] += slope * away[d] / sqrt(square);
    }
}

static void check_single(const qn_receptor_terms *sum, const qn_vina_energy *all, const double gradient[3])
{
    CHECK_NEAR(sum->gauss1, all->gauss1, 1e-5);
    CHECK_NEAR(sum->gauss2, all->gauss2, 1e-5);
    CHECK_NEAR(sum->repulsion, all->repulsion, 1e-5 * (1 + all->repulsion));
    CHECK_NEAR(sum->hydrophobic, all->hydrophobic, 1e-5);
    CHECK_NEAR(sum->hydrogen_bond, all->hydrogen_bond, 1e-5);
    for (int d = 0; d < 3; d++) CHECK_NEAR(sum->gradient[d], gradient[d], 2e-5 * (1 + all->repulsion));
}

/* near: of one atom, whose list is made 0.9 Å beside the place, so that it serves there. */
static void check_place(const qn_score_receptor *receptor, const qn_receptor_cells *cells, qn_receptor_near *near,
                        const double place[3], int type)
{
    const double beside[3] = {place[0], place[1] + 0.9, place[2]};
    qn_receptor_terms sum, single;
    qn_vina_energy all;
    double gradient[3];
    add_all(receptor, place, type, &all, gradient);
    qn_receptor_sum(cells, place, type, QN_RECEPTOR_SINGLE, &single);
    check_single(&single, &all, gradient);
    qn_receptor_sum_near(cells, near, 0, beside, type, &single);
    qn_receptor_sum_near(cells, near, 0, place, type, &single);
    check_single(&single, &all, gradient);
    qn_receptor_sum(cells, place, type, QN_RECEPTOR_DOUBLE, &sum);
    CHECK_NEAR(sum.gauss1, all.gauss1, 1e-11);
    CHECK_NEAR(sum.gauss2, all.gauss2, 1e-11);
    CHECK_NEAR(sum.repulsion, all.repulsion, 1e-11 * (1 + all.repulsion));
    CHECK_NEAR(sum.hydrophobic, all.hydrophobic, 1e-11);
    CHECK_NEAR(sum.hydrogen_bond, all.hydrogen_bond, 1e-11);
    for (int d = 0; d < 3; d++) CHECK_NEAR(sum.gradient[d], gradient[d], 1e-10 * (1 + all.repulsion));
}

static void sums_are_those_of_all_pairs(size_t atoms, double side)
{
    uint64_t drawn = 100 + atoms;
    qn_score_receptor receptor;
    qn_receptor_cells cells;
    if (!CHECK_OK(cloud_make(atoms, side, &drawn, &receptor)) || !CHECK_OK(qn_receptor_cells_create(&receptor, &cells)))
        exit(1);
    for (int type = 0; type < QN_VINA_ROWS; type++) {
        qn_receptor_near near;
        if (!CHECK_OK(qn_receptor_near_create(1, &near))) exit(1);
        for (int i = 0; i < PLACES; i++) {
            double place[3]; /* some beyond the atoms, and beyond their reach */
            for (int d = 0; d < 3; d++) place[d] = (side + 14) * (chain_draw(&drawn) - 0.5);
            if (i == 0) memcpy(place, receptor.positions_angstrom, sizeof place); /* on an atom */
            check_place(&receptor, &cells, &near, place, type);
        }
        qn_receptor_near_clear(&near);
    }
    qn_receptor_cells_clear(&cells);
    qn_score_receptor_clear(&receptor);
}

static void check_bits_on_every_processor(qn_receptor_precision precision)
{
    static const char *const levels[] = {"2", "3", "4"}; /* higher ones than the processor's are lowered */
    uint64_t drawn = 1;
    qn_score_receptor receptor;
    qn_receptor_terms sums[3];
    const double place[3] = {1.5, -0.25, 0.75};
    if (!CHECK_OK(cloud_make(500, 26, &drawn, &receptor))) exit(1);
    for (int i = 0; i < 3; i++) {
        qn_receptor_cells cells;
        setenv("QUERN_HOST_LEVEL", levels[i], 1);
        if (!CHECK_OK(qn_receptor_cells_create(&receptor, &cells))) exit(1);
        qn_receptor_sum(&cells, place, O_DA, precision, &sums[i]);
        qn_receptor_cells_clear(&cells);
        CHECK(memcmp(&sums[i], &sums[0], sizeof sums[0]) == 0);
    }
    unsetenv("QUERN_HOST_LEVEL");
    CHECK(sums[0].gauss1 < 0);
    qn_score_receptor_clear(&receptor);
}

static void sums_have_the_same_bits_on_every_processor(void)
{
    check_bits_on_every_processor(QN_RECEPTOR_DOUBLE);
    check_bits_on_every_processor(QN_RECEPTOR_SINGLE);
}

static void a_receptor_that_is_too_wide_is_refused(void)
{
    uint64_t drawn = 1;
    qn_score_receptor receptor;
    qn_receptor_cells cells;
    if (!CHECK_OK(cloud_make(9, 1e7, &drawn, &receptor))) exit(1);
    CHECK_FAILS(qn_receptor_cells_create(&receptor, &cells), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("expected a receptor of at most 2^30 cells");
    qn_score_receptor_clear(&receptor);
}

static void clouds(void)
{
    sums_are_those_of_all_pairs(900, 26);
    sums_are_those_of_all_pairs(1, 4);
    sums_are_those_of_all_pairs(60, 200); /* mostly empty cells */
}

int main(void)
{
    RUN(clouds);
    RUN(sums_have_the_same_bits_on_every_processor);
    RUN(a_receptor_that_is_too_wide_is_refused);
    return check_finish();
}
