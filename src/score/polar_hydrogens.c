#include "score/polar_hydrogens.h"

#include <math.h>
#include <string.h>

#include "math/vector.h"
#include "model/atom.h"
#include "score/atom_table.h"

enum { ON_ONE_PARENT_MAX = 3 };

#define DEGREE (3.14159265358979323846 / 180)

/* Bond lengths (Å), on which the CHARMM force fields agree within 0.01 Å. */
static const double n_h_angstrom = 1.01, o_h_angstrom = 0.96, s_h_angstrom = 1.33;

/* Bond angles at the parent in degrees: trigonal NH2, tetrahedral NH3+ and alcohols, thiols. */
static const double trigonal = 120, tetrahedral = 109.5, thiol = 96;

typedef enum placement {
    OPPOSITE, /* in the plane of the parent and its two neighbours, away from both: planar NH */
    TORSION,  /* torsion hydrogen – parent – neighbour – reference */
    FREE,     /* as TORSION, about a bond that turns freely: aligned with hydrogens of the file */
    FLANKS    /* on both sides of the plane of the parent and its two neighbours: NH2+ in a ring */
} placement;

typedef struct rule {
    const char *residue, *hydrogen; /* residue of the table; "*" any amino acid, "+" any nucleotide, "^" the
                                       amino end of a chain, "^P" that of proline */
    const char *parent;
    const char *neighbour; /* bonded to the parent; "-C" is C of the residue before */
    const char *reference; /* OPPOSITE, FLANKS: the parent's other neighbour; TORSION, FREE: bonded to the neighbour */
    placement how;
    int torsion_degrees; /* FLANKS: the sign selects the side */
} rule;

/* One hydrogen in each line.
 *  - Amide and guanidinium hydrogens: the first is cis to the named atom, the second trans; the charges are equal.
 *  - Bases: the first hydrogen of an amino group is on the Watson-Crick side, as CHARMM numbers them.
 *  - Serine, threonine, cysteine: anti to CA, the staggered position farthest from the backbone.
 *  - Tyrosine: the two planar positions differ only in the numbering of the ring; the rule uses the side of CE1.
 *  - O2': anti to C1', beside O3', its most frequent acceptor; O3' of a strand's end: anti to C2', away from O2'; O5'
 *    of a strand's end: anti to C4'.
 *  - Protonated acids: syn, as in carboxylic acids.
 *  - The single hydrogen on NH2 of neutral arginine: cis to NE, one of the two planar positions.
 *  - Backbone NH: the rule needs no more than C, N and CA, so the hydrogen is trans to O in trans peptides and cis to
 *    O in cis peptides. */
static const rule rules[] = {
    {"*", "H", "N", "-C", "CA", OPPOSITE, 0},
    {"^", "H1", "N", "CA", "C", FREE, 180},
    {"^", "H2", "N", "CA", "C", FREE, 60},
    {"^", "H3", "N", "CA", "C", FREE, -60},
    {"^P", "H1", "N", "CA", "CD", FLANKS, 1},
    {"^P", "H2", "N", "CA", "CD", FLANKS, -1},
    {"ARG", "HE", "NE", "CD", "CZ", OPPOSITE, 0},
    {"ARG", "HH11", "NH1", "CZ", "NE", TORSION, 0},
    {"ARG", "HH12", "NH1", "CZ", "NE", TORSION, 180},
    {"ARG", "HH21", "NH2", "CZ", "NE", TORSION, 0},
    {"ARG", "HH22", "NH2", "CZ", "NE", TORSION, 180},
    {"ARGN", "HE", "NE", "CD", "CZ", OPPOSITE, 0},
    {"ARGN", "HH11", "NH1", "CZ", "NE", TORSION, 0},
    {"ARGN", "HH12", "NH1", "CZ", "NE", TORSION, 180},
    {"ARGN", "HH21", "NH2", "CZ", "NE", TORSION, 0},
    {"ASN", "HD21", "ND2", "CG", "OD1", TORSION, 0},
    {"ASN", "HD22", "ND2", "CG", "OD1", TORSION, 180},
    {"ASPH", "HD", "OD2", "CG", "OD1", TORSION, 0},
    {"CYS", "HG", "SG", "CB", "CA", FREE, 180},
    {"GLN", "HE21", "NE2", "CD", "OE1", TORSION, 0},
    {"GLN", "HE22", "NE2", "CD", "OE1", TORSION, 180},
    {"GLUH", "HE", "OE2", "CD", "OE1", TORSION, 0},
    {"HIS", "HD1", "ND1", "CG", "CE1", OPPOSITE, 0},
    {"HSD", "HE2", "NE2", "CD2", "CE1", OPPOSITE, 0},
    {"HSC", "HD1", "ND1", "CG", "CE1", OPPOSITE, 0},
    {"HSC", "HE2", "NE2", "CD2", "CE1", OPPOSITE, 0},
    {"LYS", "HZ1", "NZ", "CE", "CD", FREE, 180},
    {"LYS", "HZ2", "NZ", "CE", "CD", FREE, 60},
    {"LYS", "HZ3", "NZ", "CE", "CD", FREE, -60},
    {"LYSN", "HZ1", "NZ", "CE", "CD", FREE, 180},
    {"LYSN", "HZ2", "NZ", "CE", "CD", FREE, 60},
    {"SER", "HG", "OG", "CB", "CA", FREE, 180},
    {"THR", "HG1", "OG1", "CB", "CA", FREE, 180},
    {"TRP", "HE1", "NE1", "CD1", "CE2", OPPOSITE, 0},
    {"TYR", "HH", "OH", "CZ", "CE1", TORSION, 0},
    {"A", "H61", "N6", "C6", "N1", TORSION, 0},
    {"A", "H62", "N6", "C6", "N1", TORSION, 180},
    {"C", "H41", "N4", "C4", "N3", TORSION, 0},
    {"C", "H42", "N4", "C4", "N3", TORSION, 180},
    {"G", "H1", "N1", "C2", "C6", OPPOSITE, 0},
    {"G", "H21", "N2", "C2", "N1", TORSION, 0},
    {"G", "H22", "N2", "C2", "N1", TORSION, 180},
    {"U", "H3", "N3", "C2", "C4", OPPOSITE, 0},
    {"+", "H2'", "O2'", "C2'", "C1'", FREE, 180},
    {"+", "H5T", "O5'", "C5'", "C4'", FREE, 180},
    {"+", "H3T", "O3'", "C3'", "C2'", FREE, 180},
};

static const size_t rule_count = sizeof rules / sizeof rules[0];

static const rule *find_rule(const char *table_residue, const char *hydrogen)
{
    const char *class = strlen(table_residue) == 1 ? "+" : "*";
    for (size_t i = 0; i < rule_count; i++)
        if (strcmp(rules[i].hydrogen, hydrogen) == 0 &&
            (strcmp(rules[i].residue, table_residue) == 0 || strcmp(rules[i].residue, class) == 0))
            return &rules[i];
    return NULL;
}

const char *qn_polar_hydrogen_parent(const char *table_residue, const char *hydrogen)
{
    const rule *found = find_rule(table_residue, hydrogen);
    return found ? found->parent : NULL;
}

/* Unit vector from a to b; false when they coincide. */
static bool direction(const double a[3], const double b[3], double unit[3])
{
    for (int i = 0; i < 3; i++) unit[i] = b[i] - a[i];
    double length = sqrt(qn_vector_dot(unit, unit));
    if (!(length > 1e-3)) return false;
    for (int i = 0; i < 3; i++) unit[i] /= length;
    return true;
}

static bool bonded(const double a[3], const double b[3])
{
    const double shortest = 0.5,
                 longest = 2.0; /* bonds of C, N, O have 1.2 to 1.6 Å; old crystal structures have down to 0.8 Å */
    double d2 = 0;
    for (int i = 0; i < 3; i++) d2 += (a[i] - b[i]) * (a[i] - b[i]);
    return d2 > shortest * shortest && d2 < longest * longest;
}

/* Axes of a torsion about neighbour → parent: `axis` along it, `cis` towards the reference, `side` = axis × cis. False
 * when the three atoms lie within a few degrees of a line. */
static bool torsion_axes(const double parent[3], const double neighbour[3], const double reference[3], double axis[3],
                         double cis[3], double side[3])
{
    static const double origin[3];
    double to_reference[3], perpendicular[3];
    if (!direction(neighbour, parent, axis) || !direction(neighbour, reference, to_reference)) return false;
    double along = qn_vector_dot(axis, to_reference);
    if (fabs(along) > 0.995) return false;
    for (int i = 0; i < 3; i++) perpendicular[i] = to_reference[i] - along * axis[i];
    if (!direction(origin, perpendicular, cis)) return false;
    qn_vector_cross(axis, cis, side);
    return true;
}

static bool place_by_torsion(const double atoms[3][3], double length, double angle_degrees, double torsion_radians,
                             double position[3])
{
    double axis[3], cis[3], side[3];
    if (!torsion_axes(atoms[0], atoms[1], atoms[2], axis, cis, side)) return false;
    double along = -length * cos(angle_degrees * DEGREE), across = length * sin(angle_degrees * DEGREE);
    for (int i = 0; i < 3; i++)
        position[i] =
            atoms[0][i] + along * axis[i] + across * (cos(torsion_radians) * cis[i] + sin(torsion_radians) * side[i]);
    return true;
}

/* Place a hydrogen away from both neighbours: in their plane (sign 0), or out of it by half the tetrahedral angle. */
static bool place_away(const double atoms[3][3], double length, int sign, double position[3])
{
    static const double origin[3];
    double to_a[3], to_b[3], sum[3], normal[3], away[3], up[3];
    if (!direction(atoms[0], atoms[1], to_a) || !direction(atoms[0], atoms[2], to_b)) return false;
    if (fabs(qn_vector_dot(to_a, to_b)) > 0.995) return false; /* collinear: there is no bisector */
    for (int i = 0; i < 3; i++) sum[i] = -(to_a[i] + to_b[i]);
    qn_vector_cross(to_a, to_b, normal);
    if (!direction(origin, sum, away) || !direction(origin, normal, up)) return false;
    double lean = sign ? 0.5 * tetrahedral * DEGREE : 0;
    for (int i = 0; i < 3; i++) position[i] = atoms[0][i] + length * (cos(lean) * away[i] + sign * sin(lean) * up[i]);
    return true;
}

/* Place a hydrogen by its rule; `shift_radians` is added to torsions. */
static bool place(const rule *by, const double atoms[3][3], double shift_radians, double position[3])
{
    const char element = by->parent[0];
    double length = element == 'O' ? o_h_angstrom : element == 'S' ? s_h_angstrom : n_h_angstrom;
    if (by->how == OPPOSITE) return place_away(atoms, length, 0, position);
    if (by->how == FLANKS) return place_away(atoms, length, by->torsion_degrees, position);
    bool planar_nitrogen = by->how == TORSION && element == 'N';
    return place_by_torsion(atoms, length,
                            planar_nitrogen  ? trigonal
                            : element == 'S' ? thiol
                                             : tetrahedral,
                            by->torsion_degrees * DEGREE + shift_radians, position);
}

static long find_named(const qn_table_names *names, size_t residue, const char *name)
{
    if (name[0] != '-') return qn_table_names_find(names, residue, name);
    if (qn_table_names_starts_chain(names, residue)) return -1;
    return qn_table_names_find(names, residue - 1, name + 1);
}

/* Find the parent, neighbour and reference of a rule; false when one is missing or not bonded (a cut chain). */
static bool find_frame(const qn_table_names *names, size_t residue, const rule *by, double atoms[3][3], long *parent)
{
    const char *wanted[3] = {by->parent, by->neighbour, by->reference};
    for (int i = 0; i < 3; i++) {
        long found = find_named(names, residue, wanted[i]);
        if (found < 0) return false;
        if (i == 0) *parent = found;
        memcpy(atoms[i], names->molecule->atoms[found].position_angstrom, 3 * sizeof(double));
    }
    bool around_parent = by->how == OPPOSITE || by->how == FLANKS;
    return bonded(atoms[0], atoms[1]) && bonded(atoms[around_parent ? 0 : 1], atoms[2]);
}

/* Collect the hydrogens on the parent: first those of the file within 1.3 Å, counted by *from_file, then built ones.
 * */
static size_t taken_places(const qn_table_names *names, size_t residue, long parent, const qn_hydrogen_list *built,
                           double taken[ON_ONE_PARENT_MAX][3], size_t *from_file)
{
    const double longest_bond_angstrom = 1.3;
    const qn_molecule *molecule = names->molecule;
    const qn_residue *of = &molecule->residues[residue];
    const double *centre = molecule->atoms[parent].position_angstrom;
    size_t count = 0;
    for (size_t i = of->first_atom; i < of->first_atom + of->atom_count && count < ON_ONE_PARENT_MAX; i++) {
        const double *at = molecule->atoms[i].position_angstrom;
        if (!qn_atom_is_hydrogen(&molecule->atoms[i])) continue;
        double d2 = 0;
        for (int axis = 0; axis < 3; axis++) d2 += (at[axis] - centre[axis]) * (at[axis] - centre[axis]);
        if (d2 < longest_bond_angstrom * longest_bond_angstrom) memcpy(taken[count++], at, 3 * sizeof(double));
    }
    *from_file = count;
    /* hydrogens of one parent are consecutive in `built` */
    for (size_t i = built->count; i > 0 && count < ON_ONE_PARENT_MAX; i--) {
        if (built->items[i - 1].parent != (size_t)parent) break;
        memcpy(taken[count++], built->items[i - 1].position_angstrom, 3 * sizeof(double));
    }
    return count;
}

/* Angle by which a group must turn so that its first position is that of a hydrogen in the file. */
static double turn_to(const rule *by, const double atoms[3][3], const double there[3])
{
    double axis[3], cis[3], side[3], towards[3];
    if (by->how != FREE || !torsion_axes(atoms[0], atoms[1], atoms[2], axis, cis, side)) return 0;
    for (int i = 0; i < 3; i++) towards[i] = there[i] - atoms[0][i];
    return atan2(qn_vector_dot(towards, side), qn_vector_dot(towards, cis)) - by->torsion_degrees * DEGREE;
}

/* Choose the position of the group that is farthest from its nearest hydrogen; false when none is free. */
static bool take_free_place(const rule *by, const double atoms[3][3], double (*taken)[3], size_t taken_count,
                            double position[3])
{
    double shift = turn_to(by, atoms, taken[0]), best = -1;
    for (const rule *r = rules; r < rules + rule_count; r++) {
        double candidate[3], nearest = INFINITY;
        if (strcmp(r->residue, by->residue) != 0 || strcmp(r->parent, by->parent) != 0) continue;
        if (!place(r, atoms, shift, candidate)) return false;
        for (size_t i = 0; i < taken_count; i++) {
            double d2 = 0;
            for (int axis = 0; axis < 3; axis++)
                d2 += (candidate[axis] - taken[i][axis]) * (candidate[axis] - taken[i][axis]);
            nearest = fmin(nearest, d2);
        }
        if (nearest <= best) continue;
        best = nearest;
        memcpy(position, candidate, sizeof candidate);
    }
    const double closest_angstrom = 1; /* hydrogens of one parent are 1.6 Å apart */
    return best > closest_angstrom * closest_angstrom;
}

const char *qn_polar_hydrogen_name(const qn_table_names *names, size_t residue, const char *parent, size_t index)
{
    const char *table_residue = qn_atom_table[names->residues[residue].first].residue;
    const char *class = strlen(table_residue) == 1 ? "+" : "*";
    if (names->residues[residue].count == 0) return NULL;
    if (strcmp(parent, "N") == 0 && qn_table_names_n_terminal(names, residue))
        class = table_residue = strcmp(table_residue, "PRO") == 0 ? "^P" : "^";
    for (size_t i = 0; i < rule_count; i++) {
        const rule *r = &rules[i];
        const bool applies = strcmp(r->residue, table_residue) == 0 || strcmp(r->residue, class) == 0;
        if (applies && strcmp(r->parent, parent) == 0 && index-- == 0) return r->hydrogen;
    }
    return NULL;
}

void qn_polar_hydrogen_place(const qn_table_names *names, size_t residue, const char *name,
                             const qn_hydrogen_list *built, double position_angstrom[3], bool *placed)
{
    const char *table_residue = qn_atom_table[names->residues[residue].first].residue;
    if (qn_table_names_n_terminal(names, residue) && strlen(name) == 2 && name[1] >= '1' && name[1] <= '3')
        table_residue = strcmp(table_residue, "PRO") == 0 ? "^P" : "^";
    const rule *by = find_rule(table_residue, name);
    double atoms[3][3], taken[ON_ONE_PARENT_MAX][3], position[3];
    long parent;
    *placed = false;
    if (!by || !find_frame(names, residue, by, atoms, &parent)) return;
    size_t from_file, count = taken_places(names, residue, parent, built, taken, &from_file);
    *placed = from_file ? take_free_place(by, atoms, taken, count, position) : place(by, atoms, 0, position);
    if (*placed) memcpy(position_angstrom, position, sizeof position);
}
