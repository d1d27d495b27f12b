#include "chemistry/conformer_checks.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/vector.h"

double qn_van_der_waals_angstrom(const char *element)
{
    static const struct {
        char element[4];
        double radius;
    } table[] = {{"H", 1.10},  {"D", 1.10},  {"T", 1.10},  {"C", 1.70},  {"N", 1.55},
                 {"O", 1.52},  {"F", 1.47},  {"SI", 2.10}, {"P", 1.80},  {"S", 1.80},
                 {"CL", 1.75}, {"AS", 1.85}, {"SE", 1.90}, {"BR", 1.85}, {"I", 1.98}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(element, table[i].element) == 0) return table[i].radius;
    return 2;
}

static bool is_one_of(const qn_compound *compound, int atom, const char *letters)
{
    const char *element = compound->atoms[atom].element;
    return element[0] && !element[1] && strchr(letters, element[0]);
}

/* Whether an atom takes part in checks. Hydrogens of hydroxyls and thiols do not: they can rotate at almost no cost,
 * but here they keep their place relative to their bond. */
static bool counts(const qn_compound *compound, const qn_compound_neighbours *near, int atom)
{
    if (!qn_compound_atom_is_hydrogen(&compound->atoms[atom])) return true;
    for (size_t k = near->start[atom]; k < near->start[atom + 1]; k++)
        if (is_one_of(compound, near->neighbour[k], "OS")) return false;
    return true;
}

/* Whether a hydrogen on nitrogen and an acceptor may come near each other, as in a hydrogen bond. */
static bool may_bond(const qn_compound *compound, const qn_compound_neighbours *near, int hydrogen, int acceptor)
{
    if (!qn_compound_atom_is_hydrogen(&compound->atoms[hydrogen]) || !is_one_of(compound, acceptor, "NOFS"))
        return false;
    for (size_t k = near->start[hydrogen]; k < near->start[hydrogen + 1]; k++)
        if (is_one_of(compound, near->neighbour[k], "N")) return true;
    return false;
}

typedef struct pair_maker {
    const qn_compound *compound;
    const qn_compound_neighbours *near;
    const int *part;
    const bool *turns;
    double clash_share;
    int *bonds_away; /* per atom: 1 if it is at most two bonds from the current atom, otherwise 0 */
    qn_conformer_checks *checks;
} pair_maker;

/* Whether two atoms lie in one rigid part or on the axes of its bonds, so that their distance is constant. */
static bool is_fixed(const pair_maker *maker, int a, int b)
{
    const qn_compound_neighbours *near = maker->near;
    if (maker->part[a] == maker->part[b]) return true;
    for (size_t k = near->start[a]; k < near->start[a + 1]; k++) {
        if (!maker->turns[near->bond[k]]) continue;
        const int part = maker->part[near->neighbour[k]];
        if (part == maker->part[b]) return true;
        for (size_t l = near->start[b]; l < near->start[b + 1]; l++)
            if (maker->turns[near->bond[l]] && maker->part[near->neighbour[l]] == part) return true;
    }
    for (size_t l = near->start[b]; l < near->start[b + 1]; l++)
        if (maker->turns[near->bond[l]] && maker->part[near->neighbour[l]] == maker->part[a]) return true;
    return false;
}

/* Write `value` at the atoms one and two bonds from `atom`. */
static void mark_near(const pair_maker *maker, int atom, int value)
{
    const qn_compound_neighbours *near = maker->near;
    for (size_t k = near->start[atom]; k < near->start[atom + 1]; k++) {
        const int next = near->neighbour[k];
        maker->bonds_away[next] = value;
        for (size_t l = near->start[next]; l < near->start[next + 1]; l++)
            maker->bonds_away[near->neighbour[l]] = value;
    }
}

static qn_status add_pairs_of(const pair_maker *maker, int a)
{
    const qn_compound *compound = maker->compound;
    qn_conformer_checks *checks = maker->checks;
    if (maker->part[a] < 0 || !counts(compound, maker->near, a)) return QN_OK;
    for (int b = a + 1; b < (int)compound->atom_count; b++) {
        if (maker->part[b] < 0 || maker->bonds_away[b] || !counts(compound, maker->near, b)) continue;
        if (may_bond(compound, maker->near, a, b) || may_bond(compound, maker->near, b, a)) continue;
        if (is_fixed(maker, a, b)) continue;
        const double limit = maker->clash_share * (qn_van_der_waals_angstrom(compound->atoms[a].element) +
                                                   qn_van_der_waals_angstrom(compound->atoms[b].element));
        void *memory = checks->pairs;
        const qn_status status =
            qn_grow(&memory, &checks->pair_capacity, checks->pair_count + 1, sizeof *checks->pairs);
        checks->pairs = memory;
        QN_TRY(status);
        checks->pairs[checks->pair_count++] = (qn_near_pair){a, b, limit * limit};
    }
    return QN_OK;
}

static qn_status add_pairs(pair_maker *maker)
{
    void *memory;
    QN_TRY(qn_allocate(maker->compound->atom_count, sizeof(int), &memory));
    maker->bonds_away = memory;
    qn_status status = QN_OK;
    for (int a = 0; a < (int)maker->compound->atom_count && status == QN_OK; a++) {
        mark_near(maker, a, 1);
        status = add_pairs_of(maker, a);
        mark_near(maker, a, 0);
    }
    qn_release(&memory);
    return status;
}

static bool is_at_ring(const qn_ring *ring, const qn_compound_bond *bond)
{
    for (int i = 0; i < ring->size; i++)
        if (ring->atoms[i] == bond->first || ring->atoms[i] == bond->second) return true;
    return false;
}

static qn_status add_ring_bonds(const pair_maker *maker)
{
    const qn_compound *compound = maker->compound;
    qn_conformer_checks *checks = maker->checks;
    for (size_t r = 0; r < checks->rings->count; r++)
        for (size_t b = 0; b < compound->bond_count; b++) {
            const qn_ring *ring = &checks->rings->rings[r];
            const qn_compound_bond *bond = &compound->bonds[b];
            const int home = maker->part[ring->atoms[0]];
            if (home < 0 || maker->part[bond->first] < 0) continue;
            if (qn_compound_atom_is_hydrogen(&compound->atoms[bond->first]) ||
                qn_compound_atom_is_hydrogen(&compound->atoms[bond->second]))
                continue;
            if (maker->part[bond->first] == home || maker->part[bond->second] == home || is_at_ring(ring, bond))
                continue;
            void *memory = checks->ring_bonds;
            const qn_status status =
                qn_grow(&memory, &checks->ring_bond_capacity, checks->ring_bond_count + 1, sizeof *checks->ring_bonds);
            checks->ring_bonds = memory;
            QN_TRY(status);
            checks->ring_bonds[checks->ring_bond_count++] = (qn_ring_bond){(int)r, (int)b};
        }
    return QN_OK;
}

qn_status qn_conformer_checks_create(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                                     const qn_rings *rings, const int *part, const bool *turns, double clash_share,
                                     qn_conformer_checks *checks)
{
    *checks = (qn_conformer_checks){.compound = compound, .rings = rings};
    pair_maker maker = {compound, neighbours, part, turns, clash_share, NULL, checks};
    qn_status status = add_pairs(&maker);
    if (status == QN_OK) status = add_ring_bonds(&maker);
    if (status != QN_OK) qn_conformer_checks_clear(checks);
    return status;
}

void qn_conformer_checks_clear(qn_conformer_checks *checks)
{
    qn_release(&checks->pairs);
    qn_release(&checks->ring_bonds);
    *checks = (qn_conformer_checks){0};
}

static void subtract(const double *a, const double *b, double difference[3])
{
    for (int axis = 0; axis < 3; axis++) difference[axis] = a[axis] - b[axis];
}

/* Whether the segment from `p` to `q` crosses the triangle a, b, c (Möller and Trumbore 1997). */
static bool crosses_triangle(const double *p, const double *q, const double *a, const double *b, const double *c)
{
    double along[3], side[3], other[3], normal[3], offset[3], turned[3];
    subtract(q, p, along);
    subtract(b, a, side);
    subtract(c, a, other);
    qn_vector_cross(along, other, normal);
    const double determinant = qn_vector_dot(side, normal);
    if (fabs(determinant) < 1e-12) return false;
    subtract(p, a, offset);
    const double u = qn_vector_dot(offset, normal) / determinant;
    qn_vector_cross(offset, side, turned);
    const double v = qn_vector_dot(along, turned) / determinant, t = qn_vector_dot(other, turned) / determinant;
    return u >= 0 && v >= 0 && u + v <= 1 && t >= 0 && t <= 1;
}

/* Whether a segment crosses a ring's face, the fan of triangles from the ring's middle to its bonds. */
static bool crosses_ring(const qn_ring *ring, const double *positions, const double *p, const double *q)
{
    double middle[3] = {0, 0, 0};
    for (int i = 0; i < ring->size; i++)
        for (int axis = 0; axis < 3; axis++) middle[axis] += positions[3 * ring->atoms[i] + axis] / ring->size;
    for (int i = 0; i < ring->size; i++) {
        const double *a = positions + 3 * ring->atoms[i], *b = positions + 3 * ring->atoms[(i + 1) % ring->size];
        if (crosses_triangle(p, q, middle, a, b)) return true;
    }
    return false;
}

bool qn_conformer_checks_find(const qn_conformer_checks *checks, const double *positions, int atoms[2])
{
    for (size_t i = 0; i < checks->pair_count; i++) {
        const qn_near_pair *pair = &checks->pairs[i];
        double apart[3];
        subtract(positions + 3 * pair->first, positions + 3 * pair->second, apart);
        if (qn_vector_dot(apart, apart) >= pair->limit_square) continue;
        atoms[0] = pair->first;
        atoms[1] = pair->second;
        return true;
    }
    for (size_t i = 0; i < checks->ring_bond_count; i++) {
        const qn_ring *ring = &checks->rings->rings[checks->ring_bonds[i].ring];
        const qn_compound_bond *bond = &checks->compound->bonds[checks->ring_bonds[i].bond];
        if (!crosses_ring(ring, positions, positions + 3 * bond->first, positions + 3 * bond->second)) continue;
        atoms[0] = ring->atoms[0];
        atoms[1] = bond->first;
        return true;
    }
    return false;
}
