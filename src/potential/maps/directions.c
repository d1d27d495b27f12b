#include "potential/maps/directions.h"

#include <math.h>
#include <string.h>

enum { WINDOW = 20 }; /* atoms before and after in the file that may be bonded */

/* Squared distances in Å² below which two atoms are bonded. */
static const double donor_reach2 = 1.90, oxygen_reach2 = 3.61, nitrogen_reach2 = 2.89, hydrogen_reach2 = 1.69;

typedef struct structure {
    const qn_potential_atom *atoms;
    const int *types;
    const qn_potential_type *table;
    int count;
} structure;

static const qn_potential_type *type_of(const structure *of, int atom)
{
    return &of->table[of->types[atom]];
}

static void difference(const structure *of, int from, int to, double vector[3])
{
    for (int k = 0; k < 3; k++) vector[k] = of->atoms[to].position_angstrom[k] - of->atoms[from].position_angstrom[k];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double distance2(const structure *of, int one, int other)
{
    double vector[3];
    difference(of, one, other, vector);
    return dot(vector, vector);
}

static void normalise(double vector[3])
{
    const double length = sqrt(dot(vector, vector));
    for (int k = 0; k < 3; k++) vector[k] = length > 0 ? vector[k] / length : 0;
}

static void cross(const double a[3], const double b[3], double product[3])
{
    for (int k = 0; k < 3; k++) product[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static bool has_name(const structure *of, int atom, const char *one, const char *other)
{
    const char *name = type_of(of, atom)->name;
    return strcmp(name, one) == 0 || strcmp(name, other) == 0;
}

/* Neighbours of an atom among those near `place` in file order; returns their number, at most `most`. Hydrogens, which
 * AutoGrid knows by name, must be nearer. */
static int find_bonds(const structure *of, int atom, int place, double reach2, const char *hydrogen, int most,
                      int bonds[])
{
    int count = 0;
    const int last = place + WINDOW < of->count ? place + WINDOW : of->count - 1;
    for (int i = place > WINDOW ? place - WINDOW : 0; i <= last && count < most; i++) {
        const double reach = has_name(of, i, "HD", hydrogen) ? hydrogen_reach2 : reach2;
        if (i != atom && distance2(of, atom, i) < reach) bonds[count++] = i;
    }
    return count;
}

static void find_donor(const structure *of, int atom, qn_potential_direction *direction)
{
    const int last = atom + WINDOW < of->count ? atom + WINDOW : of->count - 1;
    for (int i = atom > WINDOW ? atom - WINDOW : 0; i <= last; i++) {
        if (i == atom || distance2(of, atom, i) >= donor_reach2) continue;
        direction->power = has_name(of, i, "OA", "SA") ? 4 : 2; /* AutoGrid knows these types by name too */
        difference(of, i, atom, direction->axis);
        normalise(direction->axis);
        return;
    }
}

/* A nitrogen points away from the mean of its neighbours. */
static void find_nitrogen(const structure *of, int atom, qn_potential_direction *direction)
{
    int bonds[3];
    const int count = find_bonds(of, atom, atom, nitrogen_reach2, "H", 3, bonds);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            direction->axis[k] +=
                (of->atoms[atom].position_angstrom[k] - of->atoms[bonds[i]].position_angstrom[k]) / count;
    normalise(direction->axis);
}

/* An atom with one neighbour, such as a carbonyl oxygen: its lone pairs lie in the plane of a second neighbour of that
 * neighbour. */
static void find_carbonyl(const structure *of, int atom, int carbon, qn_potential_direction *direction)
{
    double side[3];
    int bonds[2 * WINDOW]; /* near the oxygen in the file, not near the carbon, as AutoGrid takes them */
    difference(of, carbon, atom, direction->axis);
    normalise(direction->axis);
    const int count = find_bonds(of, carbon, atom, nitrogen_reach2, "HD", 2 * WINDOW, bonds);
    for (int i = count - 1; i >= 0; i--) {
        if (bonds[i] == atom) continue;
        difference(of, carbon, bonds[i], side);
        normalise(side);
        cross(direction->axis, side, direction->normal);
        normalise(direction->normal);
        return;
    }
}

/* An atom between two neighbours: its lone pairs lie in the plane normal to the line between these. */
static void find_ether(const structure *of, int atom, const int bonds[2], qn_potential_direction *direction)
{
    double side[3];
    difference(of, bonds[0], bonds[1], direction->normal);
    normalise(direction->normal);
    difference(of, bonds[0], atom, side);
    const double along = dot(side, direction->normal);
    for (int k = 0; k < 3; k++) direction->axis[k] = side[k] - along * direction->normal[k];
    normalise(direction->axis);
}

static void find_lone_pairs(const structure *of, int atom, qn_potential_direction *direction)
{
    int bonds[2];
    const int count = find_bonds(of, atom, atom, oxygen_reach2, "H", 2, bonds);
    if (count == 1) find_carbonyl(of, atom, bonds[0], direction);
    if (count == 2) find_ether(of, atom, bonds, direction);
}

void qn_potential_directions_find(const qn_potential_receptor *receptor, const int *types,
                                  const qn_potential_parameters *parameters, qn_potential_direction *directions)
{
    const structure of = {receptor->atoms, types, parameters->types, (int)receptor->atom_count};
    for (int i = 0; i < of.count; i++) {
        directions[i] = (qn_potential_direction){.power = 2};
        const qn_potential_role role = type_of(&of, i)->role;
        if (role == QN_POTENTIAL_DONOR) find_donor(&of, i, &directions[i]);
        if (role == QN_POTENTIAL_ACCEPTOR_ONE) find_nitrogen(&of, i, &directions[i]);
        if (role == QN_POTENTIAL_ACCEPTOR_TWO) find_lone_pairs(&of, i, &directions[i]);
    }
}
