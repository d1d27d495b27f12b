/* BUDE's energies against pairs computed by hand from the tables and energies of a published deck, and the folded form
 * against the definition. */
#include "check.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "score/bude.h"

static qn_bude_energy pair_energy(const qn_bude_force_field *force_field, int ligand, int receptor, double r)
{
    double a[3] = {1, 2, 3}, b[3] = {1 + r * 0.6, 2, 3 - r * 0.8};
    qn_bude_energy energy;
    qn_bude_energy_of(force_field, a, &ligand, 1, b, &receptor, 1, &energy);
    return energy;
}

static const struct {
    const char *field, *ligand, *receptor;
    double r, steric, charge, desolvation;
} by_hand[] = {
    {"2016", "C.3", "C.3", 2.0, 30 * (1 - 2.0 / 2.84), 0, -0.15007},
    {"2016", "C.3", "C.3", 5.0, 0, 0, -0.15007 * (1 - 2.16 / 6.5)},
    {"2016", "C.3", "C.3", 9.35, 0, 0, 0},
    {"2016", "N.4", "O.co2", 3.0, 30 * (1 - 3.0 / 3.28), -11.25, 0},
    {"2016", "N.4", "O.co2", 4.28, 0, -11.25 * 0.75, 0},
    {"2016", "O.co2", "O.co2", 6.1, 0, 5.625 * 0.25, 0},
    {"2016", "N.4", "O.co2", 7.3, 0, 0, 0},
    {"2016", "O.3", "N.4", 4.24, 0, -22.5 * 0.2599 * 0.5, 0},
    {"2016", "O.2", "O.3", 3.93, 0, -22.5 * 0.3562 * 0.2599 * 0.5, 0},
    {"2016", "O.2", "N.am", 3.84, 0, -22.5 * 0.3562 * 0.5389 * 0.5, 0},
    {"2016", "O.2", "O.2", 3.84, 0, 22.5 * 0.3562 * 0.3562 * 0.5, 0},
    {"2016", "C.3", "O.2", 3.49, 0, 0, 0.5 * (0.15007 + 0.06971) * 0.5},
    {"2016", "O.2", "C.3", 3.49, 0, 0, 0.5 * (0.15007 + 0.06971) * 0.5},
    {"2016", "Zn", "C.3", 2.49, 0, 0, -0.5 * 0.15007 * 0.5},
    {"2016", "C.3", "Zn", 2.49, 0, 0, 0},
    {"2016", "Zn", "O.2", 1.0, 30 * (1 - 1.0 / 1.84), -22.5 * 2 * 0.3562, 0},
    {"2013", "C.3", "C.2", 5.59, 0, 0, -0.5 * (0.4736 + 0.7887) * 0.5},
    {"2013", "C.3", "C.3", 1.42, 19, 0, -0.4736},
    {"2013", "Br", "N.4", 4.13, 0, -22.5 * 0.0349 * 0.75, 0.5 * (0.594 + 2.2987) * 0.5},
};

/* Numbers of the tables are floats: the relative error of energies up to 90 kJ/mol is 1e-7. */
static void pairs_agree_with_hand_calculation(void)
{
    for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; i++) {
        const qn_bude_force_field *field = qn_bude_find(by_hand[i].field);
        int ligand = qn_bude_type_named(field, by_hand[i].ligand);
        int receptor = qn_bude_type_named(field, by_hand[i].receptor);
        if (!CHECK(ligand >= 0 && receptor >= 0)) continue;
        qn_bude_energy energy = pair_energy(field, ligand, receptor, by_hand[i].r);
        CHECK_NEAR(energy.steric, by_hand[i].steric, 1e-5);
        CHECK_NEAR(energy.charge, by_hand[i].charge, 1e-5);
        CHECK_NEAR(energy.desolvation, by_hand[i].desolvation, 1e-5);
        CHECK_NEAR(energy.total, energy.steric + energy.charge + energy.desolvation, 1e-12);
    }
}

static double saturated(double y)
{
    return fmin(1, fmax(0, y));
}

static double folded(const qn_bude_pair *pair, double r)
{
    return pair->steric * fmax(0, 1 - r / pair->radius_angstrom) +
           pair->charge * saturated(pair->charge_offset - r * pair->charge_slope) +
           pair->desolvation * saturated(pair->desolvation_offset - r * pair->desolvation_slope);
}

/* Find the largest difference over all pairs of types and distances, and the distance beyond which energies are 0. */
static void compare(const qn_bude_force_field *field, double *difference, double *reach)
{
    *difference = *reach = 0;
    for (int i = 0; i < field->type_count; i++)
        for (int j = 0; j < field->type_count; j++) {
            qn_bude_pair pair = qn_bude_pair_of(&field->types[i], &field->types[j]);
            for (double r = 0.01; r < 12; r += 0.13) {
                double energy = pair_energy(field, i, j, r).total;
                *difference = fmax(*difference, fabs(folded(&pair, r) - energy));
                if (energy != 0) *reach = fmax(*reach, r);
            }
        }
}

/* An offset near 5 has a rounding error of 2.4e-7; times charge terms of 90 kJ/mol this is 2.1e-5. */
static void folded_pairs_agree_with_the_definition(void)
{
    const char *names[] = {"2016", "2013"};
    int counts[] = {44, 34};
    double farthest[] = {2.1 + 2.1 + 6.5, 2.1 + 2.1 + 5.5}; /* two iodines */
    for (int k = 0; k < 2; k++) {
        const qn_bude_force_field *field = qn_bude_find(names[k]);
        double difference, reach;
        if (!CHECK(field != NULL)) continue;
        CHECK(field->type_count == counts[k]);
        compare(field, &difference, &reach);
        CHECK(difference < 3e-5);
        CHECK_NEAR(qn_bude_reach_angstrom(field), farthest[k], 1e-5);
        CHECK(reach <= qn_bude_reach_angstrom(field) && reach > qn_bude_reach_angstrom(field) - 0.14);
    }
    CHECK(qn_bude_find("2014") == NULL);
}

static void check_type(const char *field_name, qn_sybyl_type type, bool hydroxyl, const char *expected)
{
    const qn_bude_force_field *field = qn_bude_find(field_name);
    int index = qn_bude_type_of(field, type, hydroxyl);
    if (CHECK(index >= 0 && index < field->type_count)) CHECK_TEXT(field->types[index].name, expected);
}

static void sybyl_types_have_rows(void)
{
    check_type("2016", QN_SYBYL_C_AR, false, "C.ar");
    check_type("2016", QN_SYBYL_O_3, false, "O.3");
    check_type("2016", QN_SYBYL_O_3, true, "O.3h");
    check_type("2016", QN_SYBYL_S_O2, false, "S.o2");
    check_type("2016", QN_SYBYL_MN, false, "Fe.2");
    check_type("2013", QN_SYBYL_MN, false, "Zn");
    check_type("2016", QN_SYBYL_ZN, false, "Zn");
    check_type("2013", QN_SYBYL_MG, false, "Ca");
    check_type("2016", QN_SYBYL_K, false, "K");
    check_type("2013", QN_SYBYL_K, false, "Any");
    check_type("2013", QN_SYBYL_SE, false, "S.3");
    check_type("2016", QN_SYBYL_ANY, false, "Any");
    for (int i = 0; i < 2; i++) {
        const qn_bude_force_field *field = qn_bude_find(i ? "2016" : "2013");
        CHECK(qn_bude_type_of(field, QN_SYBYL_H, false) == -1);
        for (int type = 0; type < QN_SYBYL_TYPES; type++)
            if (type != QN_SYBYL_H) CHECK(qn_bude_type_of(field, (qn_sybyl_type)type, false) >= 0);
        CHECK(qn_bude_type_named(field, "N.ani") == (i ? 12 : -1));
    }
}

enum { DECK_TYPES = 34, DECK_POSES = 65536, ATOMS_MAX = 1024 };

typedef struct deck_atoms {
    double positions[3 * ATOMS_MAX];
    int types[ATOMS_MAX];
    size_t count;
} deck_atoms;

static char *read_deck(const char *name, size_t *size)
{
    char path[128], *data = NULL;
    snprintf(path, sizeof path, "docking/bude_bm1/%s", name);
    const char *full = check_reference_data(path);
    if (full) CHECK_OK(qn_file_read(full, &data, size));
    return data;
}

static bool read_deck_atoms(const char *name, deck_atoms *atoms)
{
    size_t size;
    char *data = read_deck(name, &size);
    if (!data) return false;
    atoms->count = size / 16;
    for (size_t i = 0; i < atoms->count && CHECK(atoms->count <= ATOMS_MAX); i++) {
        float position[3];
        int32_t type;
        memcpy(position, data + 16 * i, 12);
        memcpy(&type, data + 16 * i + 12, 4);
        for (int d = 0; d < 3; d++) atoms->positions[3 * i + (size_t)d] = position[d];
        atoms->types[i] = type;
    }
    qn_release(&data);
    return atoms->count > 0;
}

static bool read_deck_types(qn_bude_type types[DECK_TYPES])
{
    size_t size;
    char *data = read_deck("forcefield.in", &size);
    if (!data || !CHECK(size == (size_t)16 * DECK_TYPES)) return false;
    for (int i = 0; i < DECK_TYPES; i++) {
        float figures[3];
        memcpy(figures, data + 16 * i + 4, sizeof figures);
        types[i] = (qn_bude_type){"", data[16 * i], figures[0], figures[1], 38.0f, 5.5f, 1.0f, figures[2]};
    }
    qn_release(&data);
    return true;
}

/* R = Rz(c) Ry(b) Rx(a), then the shift. */
static void move(const deck_atoms *ligand, const float pose[6], double *moved)
{
    double ca = cos(pose[0]), sa = sin(pose[0]), cb = cos(pose[1]), sb = sin(pose[1]), cc = cos(pose[2]),
           sc = sin(pose[2]);
    for (size_t i = 0; i < ligand->count; i++) {
        const double *p = ligand->positions + 3 * i;
        double y = ca * p[1] - sa * p[2], z = sa * p[1] + ca * p[2];
        double x = cb * p[0] + sb * z;
        moved[3 * i + 2] = -sb * p[0] + cb * z + pose[5];
        moved[3 * i] = cc * x - sc * y + pose[3];
        moved[3 * i + 1] = sc * x + cc * y + pose[4];
    }
}

/* The energies of the deck are sums of 24388 pairs in single precision, so a few of the 64 differ by more than 2e-6.
 * */
static void deck_energies_agree_with_the_published_ones(void)
{
    static deck_atoms ligand, receptor;
    static double moved[3 * ATOMS_MAX];
    qn_bude_type types[DECK_TYPES];
    size_t size, stated_size;
    if (!read_deck_types(types) || !read_deck_atoms("ligand.in", &ligand) || !read_deck_atoms("protein.in", &receptor))
        return;
    char *poses = read_deck("poses.in", &size), *stated = read_deck("ref_energies.out", &stated_size), *next = stated;
    qn_bude_force_field field = {"deck", types, DECK_TYPES};
    if (!poses || !stated || !CHECK(size == (size_t)24 * DECK_POSES)) return;
    double worst = 0;
    int close = 0;
    for (size_t i = 0; i < 64; i++) {
        double expected = strtod(next, &next);
        float pose[6];
        for (size_t k = 0; k < 6; k++) memcpy(&pose[k], poses + 4 * (k * DECK_POSES + i), 4);
        qn_bude_energy energy;
        move(&ligand, pose, moved);
        qn_bude_energy_of(&field, moved, ligand.types, ligand.count, receptor.positions, receptor.types, receptor.count,
                          &energy);
        double difference = fabs(energy.total - expected) / fmax(1, fabs(expected));
        worst = fmax(worst, difference);
        close += difference < 2e-6;
    }
    printf("deck bm1: 64 energies differ by at most %.1e of their size, %d of them by less than 2e-6\n", worst, close);
    CHECK(worst < 4e-6 && close >= 56);
    qn_release(&poses);
    qn_release(&stated);
}

int main(void)
{
    RUN(pairs_agree_with_hand_calculation);
    RUN_LONG(folded_pairs_agree_with_the_definition);
    RUN(sybyl_types_have_rows);
    if (check_reference_data("docking/bude_bm1")) RUN(deck_energies_agree_with_the_published_ones);
    return check_finish();
}
