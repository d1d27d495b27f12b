#include "chemistry/torsions.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "chemistry/conformers.h"
#include "math/vector.h"

/* Usual minima of a torsion, by the kinds of atoms at the ends of its bond. Around sp3-sp2 bonds the barriers are low,
 * and sixfold or twofold depending on the groups at the sp3 end, so all angles are drawn; aryls lie in plane or
 * twisted, depending on their ortho groups. */
static const qn_torsion_kind staggered = {"sp3-sp3", 3, {60, 180, 300}, 20, false};
static const qn_torsion_kind twelvefold = {
    "sp3-sp2", 12, {0, 30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 330}, 15, false};
static const qn_torsion_kind planar = {"sp2-sp2", 2, {0, 180}, 30, false};
static const qn_torsion_kind biaryl = {"aryl-aryl", 8, {0, 40, 90, 140, 180, 220, 270, 320}, 20, false};
static const qn_torsion_kind disulfide = {"disulfide", 2, {90, 270}, 20, false};
static const qn_torsion_kind rod = {"sp", 12, {0, 30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 330}, 15, true};

typedef struct graph_view {
    const qn_compound *compound;
    const qn_compound_neighbours *near;
    const qn_rings *rings;
} graph_view;

static bool is_element(const graph_view *view, int atom, const char *element)
{
    return strcmp(view->compound->atoms[atom].element, element) == 0;
}

static bool is_heavy(const graph_view *view, int atom)
{
    return !qn_compound_atom_is_hydrogen(&view->compound->atoms[atom]);
}

/* A heavy neighbour of `atom` other than `besides`, the first in file order; −1: none. */
static int other_heavy(const graph_view *view, int atom, int besides)
{
    int found = -1;
    for (size_t k = view->near->start[atom]; k < view->near->start[atom + 1]; k++) {
        const int neighbour = view->near->neighbour[k];
        if (neighbour != besides && is_heavy(view, neighbour) && (found < 0 || neighbour < found)) found = neighbour;
    }
    return found;
}

static int count_bonds(const graph_view *view, int atom, qn_bond_order order)
{
    int count = 0;
    for (size_t k = view->near->start[atom]; k < view->near->start[atom + 1]; k++)
        count += view->compound->bonds[view->near->bond[k]].order == order;
    return count;
}

/* Whether an atom is a carbon or nitrogen with a triple bond, or a carbon with two double bonds: its neighbours then
 * lie on a line. */
static bool is_linear(const graph_view *view, int atom)
{
    if (!is_element(view, atom, "C") && !is_element(view, atom, "N")) return false;
    if (view->near->start[atom + 1] - view->near->start[atom] > 2) return false;
    return count_bonds(view, atom, QN_BOND_TRIPLE) > 0 ||
           (is_element(view, atom, "C") && count_bonds(view, atom, QN_BOND_DOUBLE) > 1);
}

/* Whether an atom with a multiple bond lies in one plane with its neighbours; false for tetrahedral S and P. */
static bool has_multiple_bond(const graph_view *view, int atom)
{
    if (view->rings->atom_aromatic[atom]) return true;
    if (!is_element(view, atom, "C") && !is_element(view, atom, "N") && !is_element(view, atom, "B")) return false;
    return count_bonds(view, atom, QN_BOND_DOUBLE) + count_bonds(view, atom, QN_BOND_AROMATIC) > 0;
}

/* Whether an atom has a multiple bond, or is a nitrogen or oxygen whose lone pair conjugates with `other` (aniline,
 * enol ether). */
static bool is_conjugated(const graph_view *view, int atom, int other)
{
    if (has_multiple_bond(view, atom)) return true;
    const bool lone_pair =
        is_element(view, atom, "O") || (is_element(view, atom, "N") && view->compound->atoms[atom].charge_e <= 0 &&
                                        view->near->start[atom + 1] - view->near->start[atom] <= 3);
    return lone_pair && has_multiple_bond(view, other);
}

/* Whether a nitrogen without a multiple bond is flat because a carbonyl or similar group other than `besides` is bound
 * to it. */
static bool is_flat_nitrogen(const graph_view *view, int atom, int besides)
{
    if (!is_element(view, atom, "N")) return false;
    for (size_t k = view->near->start[atom]; k < view->near->start[atom + 1]; k++) {
        const int neighbour = view->near->neighbour[k];
        if (neighbour != besides && has_multiple_bond(view, neighbour)) return true;
    }
    return false;
}

/* Whether carbon, in no aromatic ring, has a double bond to `element`. */
static bool has_double_bonded(const graph_view *view, int carbon, const char *element)
{
    if (!is_element(view, carbon, "C") || view->rings->atom_aromatic[carbon]) return false;
    for (size_t k = view->near->start[carbon]; k < view->near->start[carbon + 1]; k++)
        if (view->compound->bonds[view->near->bond[k]].order == QN_BOND_DOUBLE &&
            is_element(view, view->near->neighbour[k], element))
            return true;
    return false;
}

static bool is_amide(const graph_view *view, int carbon, int nitrogen)
{
    return is_element(view, nitrogen, "N") && !has_multiple_bond(view, nitrogen) &&
           (has_double_bonded(view, carbon, "O") || has_double_bonded(view, carbon, "S"));
}

/* Whether a torsion keeps its angle: esters (nearly always Z), amidines and guanidines (a partial double bond). */
static bool stays(const graph_view *view, int carbon, int other)
{
    if (is_element(view, other, "O") || is_element(view, other, "S"))
        return has_double_bonded(view, carbon, "O") || has_double_bonded(view, carbon, "S");
    return is_element(view, other, "N") && !has_multiple_bond(view, other) && has_double_bonded(view, carbon, "N");
}

/* Whether a bond that ends in a linear atom is the rotatable bond of its line. The line is followed to its other end,
 * where an atom must lie off the axis. Of the bonds at both ends, the one that comes first in the file is the rotatable
 * one. */
static bool turns_past_line(const graph_view *view, int bond, int from, int linear)
{
    for (size_t steps = 0; steps < view->compound->atom_count; steps++) {
        const int next = other_heavy(view, linear, from);
        if (next < 0) return false;
        from = linear;
        linear = next;
        if (is_linear(view, linear)) continue;
        if (other_heavy(view, linear, from) < 0) return false;
        for (size_t k = view->near->start[linear]; k < view->near->start[linear + 1]; k++)
            if (view->near->neighbour[k] == from) return view->near->bond[k] > bond;
    }
    return false;
}

static bool is_rotatable(const graph_view *view, int bond)
{
    const qn_compound_bond *b = &view->compound->bonds[bond];
    if (b->order != QN_BOND_SINGLE || view->rings->bond_in_ring[bond]) return false;
    if (!is_heavy(view, b->first) || !is_heavy(view, b->second)) return false;
    if (other_heavy(view, b->first, b->second) < 0 || other_heavy(view, b->second, b->first) < 0) return false;
    if (is_amide(view, b->first, b->second) || is_amide(view, b->second, b->first)) return false;
    if (is_linear(view, b->first) && !turns_past_line(view, bond, b->second, b->first)) return false;
    return !is_linear(view, b->second) || turns_past_line(view, bond, b->first, b->second);
}

static const qn_torsion_kind *kind_of(const graph_view *view, int a, int b)
{
    if (is_linear(view, a) || is_linear(view, b)) return &rod;
    if (is_element(view, a, "S") && is_element(view, b, "S")) return &disulfide;
    if (view->rings->atom_aromatic[a] && view->rings->atom_aromatic[b]) return &biaryl;
    if (is_conjugated(view, a, b) && is_conjugated(view, b, a)) {
        /* Two aryls on one atom cannot both lie in its plane. */
        const bool bridged = (is_element(view, a, "O") && has_multiple_bond(view, other_heavy(view, a, b))) ||
                             (is_element(view, b, "O") && has_multiple_bond(view, other_heavy(view, b, a)));
        return bridged ? &biaryl : &planar;
    }
    const bool flat_a = has_multiple_bond(view, a) || is_flat_nitrogen(view, a, b);
    const bool flat_b = has_multiple_bond(view, b) || is_flat_nitrogen(view, b, a);
    return flat_a || flat_b ? &twelvefold : &staggered;
}

qn_status qn_torsions_find(const qn_compound *compound, const qn_compound_neighbours *neighbours, const qn_rings *rings,
                           qn_torsion **torsions, size_t *count)
{
    const graph_view view = {compound, neighbours, rings};
    void *memory;
    *count = 0;
    QN_TRY(qn_allocate(compound->bond_count, sizeof(qn_torsion), &memory));
    *torsions = memory;
    for (int bond = 0; bond < (int)compound->bond_count; bond++) {
        const int a = compound->bonds[bond].first, b = compound->bonds[bond].second;
        if (!is_rotatable(&view, bond) || stays(&view, a, b) || stays(&view, b, a)) continue;
        const qn_torsion_kind *kind = kind_of(&view, a, b);
        (*torsions)[(*count)++] = (qn_torsion){
            bond,
            {kind->relative ? -1 : other_heavy(&view, a, b), a, b, kind->relative ? -1 : other_heavy(&view, b, a)},
            kind};
    }
    return QN_OK;
}

qn_status qn_conformers_rotatable_bonds(const qn_compound *compound, int *bonds, size_t *count)
{
    qn_compound_neighbours neighbours;
    qn_rings rings;
    *count = 0;
    QN_TRY(qn_compound_find_neighbours(compound, &neighbours));
    const qn_status status = qn_rings_find(compound, &neighbours, &rings);
    if (status == QN_OK) {
        const graph_view view = {compound, &neighbours, &rings};
        for (int bond = 0; bond < (int)compound->bond_count; bond++)
            if (is_rotatable(&view, bond)) bonds[(*count)++] = bond;
        qn_rings_clear(&rings);
    }
    qn_compound_neighbours_clear(&neighbours);
    return status;
}

double qn_torsion_angle_degrees(const int atom[4], const double *positions)
{
    double along[3][3], left[3], right[3];
    for (int i = 0; i < 3; i++)
        for (int axis = 0; axis < 3; axis++)
            along[i][axis] = positions[3 * atom[i + 1] + axis] - positions[3 * atom[i] + axis];
    qn_vector_cross(along[0], along[1], left);
    qn_vector_cross(along[1], along[2], right);
    const double sine = sqrt(qn_vector_dot(along[1], along[1])) * qn_vector_dot(along[0], right),
                 cosine = qn_vector_dot(left, right);
    const double angle = atan2(sine, cosine) * (180 / 3.14159265358979323846);
    return angle < 0 ? angle + 360 : angle;
}
