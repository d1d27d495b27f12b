#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chemistry/conformer_checks.h"
#include "chemistry/conformers.h"
#include "chemistry/symmetry.h"
#include "chemistry/torsions.h"
#include "math/random.h"
#include "math/superpose.h"

static const double degree = 3.14159265358979323846 / 180;

/* An atom given by the bond, the angle and the torsion to three earlier ones, and the order of the bond. */
typedef struct built_atom {
    const char *element;
    int bound, angle_to, torsion_to;
    double bond_angstrom, angle_degrees, torsion_degrees;
    qn_bond_order order;
} built_atom;

static void cross(const double a[3], const double b[3], double product[3])
{
    for (int i = 0; i < 3; i++) product[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void normalise(double v[3])
{
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++) v[i] /= length;
}

/* Compute the position of an atom in the frame of three others (the natural extension reference frame of Parsons et al.
 * 2005). */
static void place(const built_atom *atom, const double *positions, double *place)
{
    const double *b = positions + 3 * atom->bound, *a = positions + 3 * atom->angle_to;
    const double *t = positions + 3 * atom->torsion_to;
    double along[3], before[3], normal[3], third[3];
    for (int i = 0; i < 3; i++) along[i] = b[i] - a[i], before[i] = a[i] - t[i];
    normalise(along);
    cross(before, along, normal);
    normalise(normal);
    cross(normal, along, third);
    const double r = atom->bond_angstrom, theta = atom->angle_degrees * degree, phi = atom->torsion_degrees * degree;
    for (int i = 0; i < 3; i++)
        place[i] = b[i] - r * cos(theta) * along[i] + r * sin(theta) * (cos(phi) * third[i] + sin(phi) * normal[i]);
}

/* Build a chain or tree; the first three atoms use only those of bond, angle and torsion that are defined. There is
 * room for `extra` more bonds. */
static qn_compound *build(const built_atom *atoms, size_t count, size_t extra)
{
    qn_compound *compound = NULL;
    if (!CHECK_OK(qn_compound_create("built", count, count - 1 + extra, 1, &compound))) exit(check_finish());
    double *x = qn_compound_positions(compound, 0);
    for (size_t i = 0; i < count; i++) {
        strcpy(compound->atoms[i].element, atoms[i].element);
        if (i == 1) x[3] = atoms[1].bond_angstrom;
        if (i == 2) {
            const double sign = atoms[2].bound == 1 ? -1 : 1;
            x[6] = x[3 * atoms[2].bound] + sign * atoms[2].bond_angstrom * cos(atoms[2].angle_degrees * degree);
            x[7] = atoms[2].bond_angstrom * sin(atoms[2].angle_degrees * degree);
        }
        if (i > 2) place(&atoms[i], x, x + 3 * i);
        if (i > 0) compound->bonds[i - 1] = (qn_compound_bond){atoms[i].bound, (int)i, atoms[i].order};
    }
    return compound;
}

#define BUILD(atoms) build(atoms, sizeof(atoms) / sizeof((atoms)[0]), 0)

#define SINGLE QN_BOND_SINGLE

static const built_atom butane[] = {{"C", 0, 0, 0, 0, 0, 0, 0},
                                    {"C", 0, 0, 0, 1.53, 0, 0, SINGLE},
                                    {"C", 1, 0, 0, 1.53, 112, 0, SINGLE},
                                    {"C", 2, 1, 0, 1.53, 112, 180, SINGLE}};

static void distance_is(const double *x, int a, int b, double expected)
{
    double square = 0;
    for (int i = 0; i < 3; i++) square += (x[3 * a + i] - x[3 * b + i]) * (x[3 * a + i] - x[3 * b + i]);
    CHECK_NEAR(sqrt(square), expected, 1e-9);
}

static void torsions_are_measured_with_their_sign(void)
{
    static const double square[] = {0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1}; /* a, b, c, d, with d at +z */
    static const int atoms[] = {0, 1, 2, 3};
    double mirrored[12];
    memcpy(mirrored, square, sizeof square);
    mirrored[11] = -1;
    /* Seen along b → c (+x) with a up (+y), +z is on the right: clockwise, positive. */
    CHECK_NEAR(qn_torsion_angle_degrees(atoms, square), 90, 1e-9);
    CHECK_NEAR(qn_torsion_angle_degrees(atoms, mirrored), 270, 1e-9);
    qn_compound *compound = BUILD(butane);
    const double *x = qn_compound_positions(compound, 0);
    CHECK_NEAR(qn_torsion_angle_degrees(atoms, x), 180, 1e-6);
    /* Along the middle bond b (1 − 2 cos θ), across it 2 b sin θ. */
    distance_is(x, 0, 3, hypot(1.53 * (1 - 2 * cos(112 * degree)), 2 * 1.53 * sin(112 * degree)));
    qn_compound_destroy(&compound);
}

static void butane_has_its_three_minima(void)
{
    static const int atoms[] = {0, 1, 2, 3};
    qn_compound *compound = BUILD(butane);
    const qn_conformer_options options = {.count = 3, .seed = 5, .diversity_angstrom = 0.3};
    CHECK_OK(qn_conformers_make(compound, &options));
    int found[3] = {0, 0, 0};
    CHECK(compound->conformer_count == 3);
    for (size_t c = 0; c < compound->conformer_count; c++) {
        const double angle = qn_torsion_angle_degrees(atoms, qn_compound_positions(compound, c));
        for (int k = 0; k < 3; k++) found[k] += fabs(angle - (60 + 120 * k)) <= 20;
    }
    CHECK(found[0] == 1 && found[1] == 1 && found[2] == 1);
    qn_compound_destroy(&compound);
}

/* 3-Bromo-2-chloroheptanol with hydrogens on the stereocentres and the oxygen only. */
static const built_atom branched[] = {{"C", 0, 0, 0, 0, 0, 0, 0},
                                      {"C", 0, 0, 0, 1.53, 0, 0, SINGLE},
                                      {"C", 1, 0, 0, 1.53, 112, 0, SINGLE},
                                      {"C", 2, 1, 0, 1.53, 112, 170, SINGLE},
                                      {"C", 3, 2, 1, 1.53, 111, 65, SINGLE},
                                      {"O", 0, 1, 2, 1.43, 109, 60, SINGLE},
                                      {"CL", 1, 2, 3, 1.79, 109, 60, SINGLE},
                                      {"BR", 2, 3, 4, 1.95, 109, 190, SINGLE},
                                      {"H", 1, 2, 3, 1.09, 109, -60, SINGLE},
                                      {"H", 2, 3, 4, 1.09, 109, 305, SINGLE},
                                      {"H", 5, 0, 1, 0.97, 108, 180, SINGLE},
                                      {"C", 4, 3, 2, 1.53, 111, 175, SINGLE},
                                      {"C", 11, 4, 3, 1.53, 111, 178, SINGLE}};

static double volume(const double *x, int centre, int a, int b, int c)
{
    double u[3], v[3], w[3], normal[3];
    for (int i = 0; i < 3; i++) {
        u[i] = x[3 * a + i] - x[3 * centre + i];
        v[i] = x[3 * b + i] - x[3 * centre + i];
        w[i] = x[3 * c + i] - x[3 * centre + i];
    }
    cross(u, v, normal);
    return normal[0] * w[0] + normal[1] * w[1] + normal[2] * w[2];
}

/* Lengths and angles are compared as distances over one and two bonds, chirality as signed volumes. */
static void lengths_angles_and_chirality_are_kept(void)
{
    qn_compound *compound = BUILD(branched);
    const qn_conformer_options options = {.count = 30, .seed = 1, .diversity_angstrom = 0.3};
    qn_compound_neighbours near;
    double worst = 0, farthest = 0;
    CHECK_OK(qn_conformers_make(compound, &options));
    CHECK(compound->conformer_count > 10);
    CHECK_OK(qn_compound_find_neighbours(compound, &near));
    const double *first = qn_compound_positions(compound, 0);
    for (size_t c = 1; c < compound->conformer_count; c++) {
        const double *x = qn_compound_positions(compound, c);
        for (int atom = 0; atom < (int)compound->atom_count; atom++)
            for (size_t k = near.start[atom]; k < near.start[atom + 1]; k++)
                for (size_t l = near.start[atom]; l <= k; l++) {
                    const int pairs[2][2] = {{atom, near.neighbour[k]}, {near.neighbour[k], near.neighbour[l]}};
                    for (int p = 0; p < 2; p++) {
                        const size_t a = 3 * (size_t)pairs[p][0], b = 3 * (size_t)pairs[p][1];
                        worst = fmax(worst, fabs(hypot(hypot(x[a] - x[b], x[a + 1] - x[b + 1]), x[a + 2] - x[b + 2]) -
                                                 hypot(hypot(first[a] - first[b], first[a + 1] - first[b + 1]),
                                                       first[a + 2] - first[b + 2])));
                    }
                }
        worst = fmax(worst, fabs(volume(x, 1, 0, 2, 6) - volume(first, 1, 0, 2, 6)));
        worst = fmax(worst, fabs(volume(x, 2, 1, 3, 7) - volume(first, 2, 1, 3, 7)));
        worst = fmax(worst, fabs(volume(x, 2, 1, 3, 9) - volume(first, 2, 1, 3, 9)));
        for (size_t i = 0; i < 3 * compound->atom_count; i++) farthest = fmax(farthest, fabs(x[i] - first[i]));
    }
    CHECK_NEAR(worst, 0, 1e-6);
    CHECK(farthest > 1); /* some atom moved */
    qn_compound_neighbours_clear(&near);
    qn_compound_destroy(&compound);
}

static void the_first_conformer_is_kept_and_a_seed_is_reproducible(void)
{
    enum { RUNS = 4 };
    qn_compound *compounds[RUNS];
    const qn_conformer_options options[RUNS] = {{.count = 8, .seed = 7, .stream = 3},
                                                {.count = 8, .seed = 7, .stream = 3},
                                                {.count = 8, .seed = 8, .stream = 3},
                                                {.count = 8, .seed = 7, .stream = 4}};
    const size_t size = sizeof branched / sizeof *branched * 3 * sizeof(double);
    qn_compound *untouched = BUILD(branched);
    for (int i = 0; i < RUNS; i++) {
        compounds[i] = BUILD(branched);
        CHECK_OK(qn_conformers_make(compounds[i], &options[i]));
        CHECK(compounds[i]->conformer_count == 8);
        CHECK(memcmp(compounds[i]->positions_angstrom, untouched->positions_angstrom, size) == 0);
    }
    CHECK(memcmp(compounds[0]->positions_angstrom, compounds[1]->positions_angstrom, 8 * size) == 0);
    CHECK(memcmp(compounds[0]->positions_angstrom, compounds[2]->positions_angstrom, 8 * size) != 0);
    CHECK(memcmp(compounds[0]->positions_angstrom, compounds[3]->positions_angstrom, 8 * size) != 0);
    for (int i = 0; i < RUNS; i++) qn_compound_destroy(&compounds[i]);
    qn_compound_destroy(&untouched);
}

/* A chain of 16 carbons with all torsions at 180°: n-hexadecane, carbons only. */
static qn_compound *build_chain(void)
{
    built_atom atoms[16];
    memcpy(atoms, butane, sizeof butane);
    for (int i = 4; i < 16; i++) atoms[i] = (built_atom){"C", i - 1, i - 2, i - 3, 1.53, 112, 180, SINGLE};
    return build(atoms, 16, 0);
}

static void conformers_differ_and_have_no_clashes(void)
{
    enum { COUNT = 40, ATOMS = 16 };
    const double limit = 0.75 * 3.4, apart = 1.0;
    qn_compound *compound = build_chain();
    const qn_conformer_options options = {.count = COUNT, .seed = 2, .diversity_angstrom = apart};
    CHECK_OK(qn_conformers_make(compound, &options));
    CHECK(compound->conformer_count == COUNT);
    double nearest = 100, closest = 100;
    for (size_t c = 0; c < compound->conformer_count; c++) {
        const double *x = qn_compound_positions(compound, c);
        for (int i = 0; i < ATOMS; i++)
            for (int j = i + 3; j < ATOMS; j++)
                nearest = fmin(nearest, hypot(hypot(x[3 * i] - x[3 * j], x[3 * i + 1] - x[3 * j + 1]),
                                              x[3 * i + 2] - x[3 * j + 2]));
        for (size_t d = 0; d < c; d++) {
            const double *y = qn_compound_positions(compound, d);
            double backwards[3 * ATOMS], rotation[9], translation[3], rmsd[2];
            for (int i = 0; i < ATOMS; i++) memcpy(backwards + 3 * i, y + 3 * (ATOMS - 1 - i), 3 * sizeof(double));
            CHECK_OK(qn_superpose(x, y, ATOMS, rotation, translation, &rmsd[0]));
            CHECK_OK(qn_superpose(x, backwards, ATOMS, rotation, translation, &rmsd[1]));
            closest = fmin(closest, fmin(rmsd[0], rmsd[1]));
        }
    }
    CHECK(nearest >= limit);
    CHECK(closest >= apart);
    qn_compound_destroy(&compound);
}

/* Perfluoroethane: rotating it by 120° changes only the numbering of fluorines. */
static void rotating_equivalent_atoms_gives_no_new_conformer(void)
{
    static const built_atom atoms[] = {{"C", 0, 0, 0, 0, 0, 0, 0},
                                       {"C", 0, 0, 0, 1.55, 0, 0, SINGLE},
                                       {"F", 1, 0, 0, 1.33, 110, 0, SINGLE},
                                       {"F", 0, 1, 2, 1.33, 110, 60, SINGLE},
                                       {"F", 0, 1, 2, 1.33, 110, 180, SINGLE},
                                       {"F", 0, 1, 2, 1.33, 110, 300, SINGLE},
                                       {"F", 1, 0, 3, 1.33, 110, 180, SINGLE},
                                       {"F", 1, 0, 3, 1.33, 110, 300, SINGLE}};
    qn_compound *compound = BUILD(atoms);
    int bonds[8];
    size_t count;
    CHECK_OK(qn_conformers_rotatable_bonds(compound, bonds, &count));
    CHECK(count == 1);
    CHECK_OK(qn_conformers_make(compound, &(qn_conformer_options){.count = 10, .diversity_angstrom = 0.6}));
    CHECK(compound->conformer_count == 1);
    qn_compound_destroy(&compound);
}

static void rigid_molecules_keep_one_conformer(void)
{
    enum { RING = 12 };
    qn_compound *ring;
    const qn_conformer_options options = {.count = 10};
    CHECK_OK(qn_compound_create("cyclododecane", RING, RING, 1, &ring));
    for (int i = 0; i < RING; i++) {
        strcpy(ring->atoms[i].element, "C");
        ring->bonds[i] = (qn_compound_bond){i, (i + 1) % RING, QN_BOND_SINGLE};
        double *x = qn_compound_positions(ring, 0) + 3 * i;
        x[0] = 2.6 * cos(30 * degree * i);
        x[1] = 2.6 * sin(30 * degree * i);
        x[2] = i % 2 ? 0.4 : -0.4;
    }
    int bonds[RING];
    size_t count = 9;
    CHECK_OK(qn_conformers_rotatable_bonds(ring, bonds, &count));
    CHECK(count == 0);
    CHECK_OK(qn_conformers_make(ring, &options));
    CHECK(ring->conformer_count == 1);
    qn_compound_destroy(&ring);
    qn_compound *chain = build_chain();
    CHECK_OK(qn_conformers_make(chain, &(qn_conformer_options){.count = 1}));
    CHECK(chain->conformer_count == 1);
    qn_compound_destroy(&chain);
}

/* A compound of one-letter elements with bonds of given orders, for tests that depend on the graph alone. */
typedef struct drawn_bond {
    int first, second, order;
} drawn_bond;

static size_t count_rotatable(const char *elements, const drawn_bond *bonds, size_t bond_count, int *list)
{
    qn_compound *compound;
    const size_t atoms = strlen(elements);
    size_t count = 99;
    if (!CHECK_OK(qn_compound_create("drawn", atoms, bond_count, 1, &compound))) exit(check_finish());
    for (size_t i = 0; i < atoms; i++) compound->atoms[i].element[0] = elements[i];
    for (size_t i = 0; i < bond_count; i++)
        compound->bonds[i] = (qn_compound_bond){bonds[i].first, bonds[i].second, (qn_bond_order)bonds[i].order};
    CHECK_OK(qn_conformers_rotatable_bonds(compound, list, &count));
    qn_compound_destroy(&compound);
    return count;
}

#define ROTATABLE(elements, bonds) count_rotatable(elements, bonds, sizeof(bonds) / sizeof((bonds)[0]), list)

static void rotatable_bonds_are_the_usual_ones(void)
{
    int list[32];
    static const drawn_bond chain[] = {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 4, 1}, {4, 5, 1}};
    static const drawn_bond amide[] = {{0, 1, 1}, {1, 2, 2}, {1, 3, 1}, {3, 4, 1}, {4, 5, 1}};
    static const drawn_bond nitrile[] = {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 4, 3}};
    static const drawn_bond hexyne[] = {{0, 1, 1}, {1, 2, 1}, {2, 3, 3}, {3, 4, 1}, {4, 5, 1}};
    static const drawn_bond butyne[] = {{0, 1, 1}, {1, 2, 3}, {2, 3, 1}};
    static const drawn_bond alkene[] = {{0, 1, 1}, {1, 2, 2}, {2, 3, 1}};
    static const drawn_bond biphenyl[] = {{0, 1, 4},   {1, 2, 4},  {2, 3, 4}, {3, 4, 4}, {4, 5, 4},
                                          {5, 0, 4},   {6, 7, 4},  {7, 8, 4}, {8, 9, 4}, {9, 10, 4},
                                          {10, 11, 4}, {11, 6, 4}, {0, 6, 1}};
    static const drawn_bond drawn_with_hydrogen[] = {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}};
    CHECK(ROTATABLE("CCCCCC", chain) == 3 && list[0] == 1 && list[2] == 3);
    CHECK(ROTATABLE("CCONCC", amide) == 1 && list[0] == 3); /* N-ethylacetamide: not C-N of the amide */
    CHECK(ROTATABLE("CCOOCC", amide) == 2); /* ethyl acetate: an ester's bond counts, although it keeps its torsion */
    CHECK(ROTATABLE("CCCCN", nitrile) == 1 && list[0] == 1);
    CHECK(ROTATABLE("CCCCCC", hexyne) == 1 && list[0] == 1); /* only one of the two ends of the line */
    CHECK(ROTATABLE("CCCC", butyne) == 0);
    CHECK(ROTATABLE("CCCC", alkene) == 0);
    CHECK(ROTATABLE("CCCCCCCCCCCC", biphenyl) == 1 && list[0] == 12);
    CHECK(ROTATABLE("CCOH", drawn_with_hydrogen) == 0); /* ethanol */
}

/* Isopropyl acetate, Z: the ester's torsion is not drawn. */
static void esters_keep_their_torsion(void)
{
    static const built_atom ester[] = {{"C", 0, 0, 0, 0, 0, 0, 0},
                                       {"C", 0, 0, 0, 1.50, 0, 0, SINGLE},
                                       {"O", 1, 0, 0, 1.34, 111, 0, SINGLE},
                                       {"O", 1, 2, 0, 1.21, 125, 180, QN_BOND_DOUBLE},
                                       {"C", 2, 1, 3, 1.45, 117, 4, SINGLE},
                                       {"C", 4, 2, 1, 1.51, 107, 150, SINGLE},
                                       {"C", 5, 4, 2, 1.51, 112, 180, SINGLE}};
    static const int carbonyl[] = {3, 1, 2, 4}, alkyl[] = {1, 2, 4, 5};
    qn_compound *compound = BUILD(ester);
    CHECK_OK(qn_conformers_make(compound, &(qn_conformer_options){.count = 6, .diversity_angstrom = 0.3}));
    CHECK(compound->conformer_count == 6);
    double turned = 0;
    for (size_t c = 0; c < compound->conformer_count; c++) {
        const double *x = qn_compound_positions(compound, c);
        CHECK_NEAR(qn_torsion_angle_degrees(carbonyl, x), 4, 1e-6);
        turned = fmax(turned, fabs(qn_torsion_angle_degrees(alkyl, x) - 150));
    }
    CHECK(turned > 20);
    qn_compound_destroy(&compound);
}

/* A ring of radius 3.2 Å in the plane z = 0, and a bond along z that passes through the ring or beside it. */
static void a_bond_through_a_ring_is_found(void)
{
    enum { RING = 14 };
    qn_compound *compound;
    int part[RING + 2] = {0}, atoms[2] = {-1, -1}, around[RING], along[RING];
    bool turns[RING + 1] = {false}, bond_in_ring[RING + 1] = {false};
    qn_ring ring = {around, along, RING, false};
    const qn_rings rings = {&ring, 1, bond_in_ring, bond_in_ring, bond_in_ring};
    qn_compound_neighbours near;
    qn_conformer_checks checks;
    CHECK_OK(qn_compound_create("loop", RING + 2, RING + 1, 1, &compound));
    double *x = qn_compound_positions(compound, 0);
    for (int i = 0; i < RING + 2; i++) strcpy(compound->atoms[i].element, "C");
    for (int i = 0; i < RING; i++) {
        compound->bonds[i] = (qn_compound_bond){i, (i + 1) % RING, QN_BOND_SINGLE};
        around[i] = along[i] = i;
        x[3 * i] = 3.2 * cos(2 * 180 * degree * i / RING);
        x[3 * i + 1] = 3.2 * sin(2 * 180 * degree * i / RING);
    }
    compound->bonds[RING] = (qn_compound_bond){RING, RING + 1, QN_BOND_SINGLE};
    part[RING] = part[RING + 1] = 1;
    CHECK_OK(qn_compound_find_neighbours(compound, &near));
    CHECK_OK(qn_conformer_checks_create(compound, &near, &rings, part, turns, 0.75, &checks));
    CHECK(checks.ring_bond_count == 1 && checks.pair_count == 2 * RING);
    for (int beside = 0; beside < 2; beside++) {
        x[3 * RING] = x[3 * RING + 3] = beside ? 6 : 0.3;
        x[3 * RING + 1] = x[3 * RING + 4] = -0.2;
        x[3 * RING + 2] = -0.7;
        x[3 * RING + 5] = 0.8;
        CHECK(qn_conformer_checks_find(&checks, x, atoms) == !beside);
    }
    CHECK(part[atoms[0]] != part[atoms[1]]);
    x[3 * RING] = x[3 * RING + 3] = 0.3; /* through the middle, but above the plane */
    x[3 * RING + 2] = 0.2;
    CHECK(!qn_conformer_checks_find(&checks, x, atoms));
    x[3 * RING] = x[3 * RING + 3] = 3.2 + 2.5; /* 2.5 Å from the ring's first atom: a clash, as the limit is 2.55 Å */
    x[3 * RING + 1] = x[3 * RING + 4] = x[3 * RING + 2] = 0;
    CHECK(qn_conformer_checks_find(&checks, x, atoms) && atoms[0] == 0 && atoms[1] == RING);
    qn_conformer_checks_clear(&checks);
    qn_compound_neighbours_clear(&near);
    qn_compound_destroy(&compound);
}

static void molecules_without_positions_are_refused(void)
{
    qn_compound *compound = BUILD(butane);
    const qn_conformer_options options = {.count = 4};
    compound->flat = true;
    CHECK_FAILS(qn_conformers_make(compound, &options), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("flat");
    compound->flat = false;
    compound->positions_angstrom[4] = NAN;
    CHECK_FAILS(qn_conformers_make(compound, &options), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("atom 2");
    qn_compound_destroy(&compound);
    CHECK_OK(qn_compound_create("nothing", 0, 0, 1, &compound));
    CHECK_OK(qn_conformers_make(compound, &options));
    CHECK(compound->conformer_count == 1);
    qn_compound_destroy(&compound);
}

int main(void)
{
    RUN(torsions_are_measured_with_their_sign);
    RUN(butane_has_its_three_minima);
    RUN(lengths_angles_and_chirality_are_kept);
    RUN(the_first_conformer_is_kept_and_a_seed_is_reproducible);
    RUN(conformers_differ_and_have_no_clashes);
    RUN(rotating_equivalent_atoms_gives_no_new_conformer);
    RUN(rigid_molecules_keep_one_conformer);
    RUN(rotatable_bonds_are_the_usual_ones);
    RUN(esters_keep_their_torsion);
    RUN(a_bond_through_a_ring_is_found);
    RUN(molecules_without_positions_are_refused);
    return check_finish();
}
