#include "chemistry/bond_evidence.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/vector.h"

static const double DEGREE = 57.29577951308232;

/* Usual lengths (Å) of single bonds between tetrahedral atoms and of double ones: Allen et al. 1987, J. Chem. Soc.
 * Perkin Trans. 2, S1. */
static const struct {
    char a[4], b[4];
    double single, twofold;
} lengths[] = {{"C", "C", 1.53, 1.34}, {"C", "N", 1.47, 1.28}, {"C", "O", 1.43, 1.22}, {"C", "S", 1.82, 1.66},
               {"N", "N", 1.43, 1.25}, {"N", "O", 1.42, 1.21}, {"N", "S", 1.70, 1.54}, {"O", "S", 1.58, 1.44},
               {"O", "P", 1.62, 1.48}, {"P", "S", 2.10, 1.94}, {"C", "P", 1.85, 1.68}, {"C", "SE", 1.96, 1.80},
               {"N", "P", 1.67, 1.56}, {"O", "SE", 1.78, 1.62}};

static double vector_between(const double *positions, int from, int to, double vector[3])
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        vector[k] = positions[3 * to + k] - positions[3 * from + k];
        square += vector[k] * vector[k];
    }
    return sqrt(square);
}

static double angle_degrees(const double *positions, int a, int centre, int b)
{
    double u[3], v[3];
    double lengths_product = vector_between(positions, centre, a, u) * vector_between(positions, centre, b, v);
    if (!(lengths_product > 0)) return 0;
    double cosine = (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]) / lengths_product;
    return acos(cosine > 1 ? 1 : cosine < -1 ? -1 : cosine) * DEGREE;
}

/* Absolute torsion angle about b-c, 0 to 180°. */
static double torsion_degrees(const double *positions, int a, int b, int c, int d)
{
    double u[3], v[3], w[3], m[3], n[3];
    vector_between(positions, a, b, u);
    vector_between(positions, b, c, v);
    vector_between(positions, c, d, w);
    qn_vector_cross(u, v, m);
    qn_vector_cross(v, w, n);
    double product = sqrt((m[0] * m[0] + m[1] * m[1] + m[2] * m[2]) * (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]));
    if (!(product > 0)) return 180;
    double cosine = (m[0] * n[0] + m[1] * n[1] + m[2] * n[2]) / product;
    return acos(cosine > 1 ? 1 : cosine < -1 ? -1 : cosine) * DEGREE;
}

static double shortness_of(const qn_compound *compound, const qn_compound_bond *bond, const double *positions)
{
    double vector[3], length = vector_between(positions, bond->first, bond->second, vector);
    const char *a = compound->atoms[bond->first].element, *b = compound->atoms[bond->second].element;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        bool same = strcmp(lengths[i].a, a) == 0 && strcmp(lengths[i].b, b) == 0;
        bool swapped = strcmp(lengths[i].a, b) == 0 && strcmp(lengths[i].b, a) == 0;
        if (same || swapped) return (lengths[i].single - length) / (lengths[i].single - lengths[i].twofold);
    }
    return 0;
}

static double clamp(double value)
{
    return value < 0 ? 0 : value > 1 ? 1 : value;
}

/* Planarity of an atom from its angles: three of 109.5° add up to 328.5°, three of 120° to 360°. */
static void look_at_atom(const qn_compound_neighbours *neighbours, const double *positions, int atom,
                         qn_bond_evidence *evidence)
{
    const int *other = neighbours->neighbour + neighbours->start[atom];
    size_t count = neighbours->start[atom + 1] - neighbours->start[atom];
    if (count == 2) {
        double angle = angle_degrees(positions, other[0], atom, other[1]);
        evidence->linear[atom] = angle > 155;
        evidence->planarity[atom] = (float)clamp((angle - 111) / 9);
    } else if (count == 3) {
        double sum = 0;
        for (int k = 0; k < 3; k++) sum += angle_degrees(positions, other[k], atom, other[(k + 1) % 3]);
        evidence->planarity[atom] = (float)clamp((sum - 330) / 28);
    }
}

/* Flatness of a ring from its torsions: rings of trigonal atoms have torsions near 0, chairs 55°, envelopes up to
 * 40°. */
static void look_at_ring(const qn_ring *ring, const double *positions, qn_bond_evidence *evidence)
{
    if (ring->size < 5 || ring->size > 7) return;
    double sum = 0;
    for (int i = 0; i < ring->size; i++) {
        const int *atoms = ring->atoms;
        int n = ring->size;
        sum += torsion_degrees(positions, atoms[i], atoms[(i + 1) % n], atoms[(i + 2) % n], atoms[(i + 3) % n]);
    }
    if (sum / ring->size > (ring->size == 5 ? 9 : 13)) return;
    for (int i = 0; i < ring->size; i++) {
        evidence->in_flat_ring[ring->atoms[i]] = true;
        evidence->flat_ring_bond[ring->bonds[i]] = true;
    }
}

/* Set the planarity of atoms in small rings, where angles say little: the planarity follows from the flatness of the
 * ring. */
static void mind_small_rings(const qn_compound_neighbours *neighbours, const qn_rings *rings,
                             qn_bond_evidence *evidence)
{
    for (size_t r = 0; r < rings->count; r++) {
        const qn_ring *ring = &rings->rings[r];
        for (int i = 0; i < ring->size && ring->size <= 6; i++) {
            int atom = ring->atoms[i];
            bool two = neighbours->start[atom + 1] - neighbours->start[atom] == 2;
            if (!two) continue;
            if (ring->size < 5)
                evidence->planarity[atom] = 0.4F;
            else if (ring->size == 5)
                evidence->planarity[atom] = evidence->in_flat_ring[atom] ? 0.65F : 0;
            else if (evidence->in_flat_ring[atom] && evidence->planarity[atom] < 0.7F)
                evidence->planarity[atom] = 0.7F;
        }
    }
}

qn_status qn_bond_evidence_find(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                                const qn_rings *rings, qn_bond_evidence *evidence)
{
    *evidence = (qn_bond_evidence){0};
    size_t atoms = compound->atom_count, bonds = compound->bond_count;
    qn_status status = qn_allocate(bonds, sizeof(float), (void **)&evidence->shortness);
    if (status == QN_OK) status = qn_allocate(atoms, sizeof(float), (void **)&evidence->planarity);
    if (status == QN_OK) status = qn_allocate(atoms, sizeof(bool), (void **)&evidence->linear);
    if (status == QN_OK) status = qn_allocate(atoms, sizeof(bool), (void **)&evidence->in_flat_ring);
    if (status == QN_OK) status = qn_allocate(bonds, sizeof(bool), (void **)&evidence->flat_ring_bond);
    if (status != QN_OK) {
        qn_bond_evidence_clear(evidence);
        return status;
    }
    if (compound->conformer_count == 0) return QN_OK;
    const double *positions = qn_compound_positions(compound, 0);
    for (size_t i = 0; i < bonds; i++)
        evidence->shortness[i] = (float)shortness_of(compound, &compound->bonds[i], positions);
    for (size_t i = 0; i < atoms; i++) look_at_atom(neighbours, positions, (int)i, evidence);
    for (size_t r = 0; r < rings->count; r++) look_at_ring(&rings->rings[r], positions, evidence);
    mind_small_rings(neighbours, rings, evidence);
    return QN_OK;
}

void qn_bond_evidence_clear(qn_bond_evidence *evidence)
{
    qn_release(&evidence->shortness);
    qn_release(&evidence->planarity);
    qn_release(&evidence->linear);
    qn_release(&evidence->in_flat_ring);
    qn_release(&evidence->flat_ring_bond);
}

/* The bonds of a trigonal carbon have a total shortness above 1 (1.5 in benzene), those of a tetrahedral one near 0.
 * One bond nearly as short as a double bond is enough if a small ring bends the angles (norbornene). */
double qn_bond_evidence_trigonal(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                                 const qn_bond_evidence *evidence, int atom)
{
    double sum = 0, best = 0;
    size_t count = neighbours->start[atom + 1] - neighbours->start[atom];
    for (size_t k = neighbours->start[atom]; k < neighbours->start[atom + 1]; k++) {
        double shortness = (double)evidence->shortness[neighbours->bond[k]];
        if (qn_compound_atom_is_hydrogen(&compound->atoms[neighbours->neighbour[k]]) || shortness <= 0) continue;
        sum += shortness;
        if (shortness > best) best = shortness;
    }
    if (count > 3) return 0;
    if (count < 2) return clamp(sum) * 0.8;
    double together = 0.5 * clamp(sum / 1.2) + 0.5 * (double)evidence->planarity[atom];
    return best > 0.9 && together < 0.5 ? 0.5 : together;
}
