/* The element of an atom of a force field. Names are ambiguous (SOD is sodium, CA calcium or a carbon), and so are
 * masses (hydrogens made heavier take 2 u from their atoms: a nitrogen of 11.99 u; united atoms are heavier), so both
 * must fit. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "format/element.h"
#include "format/topology/topology_format.h"
#include "model/element_mass.h"

/* Masses may differ from that of the element by less than this: a united atom has up to three hydrogens (3 u), and
 * repartitioning moves 2 u to each of up to three hydrogens (6 u). */
static const double largest_shift_u = 7;

/* Ions that CHARMM gives names of three letters. */
static const char *ion_of(const char *name)
{
    static const char *const ions[][2] = {{"SOD", "NA"}, {"POT", "K"},  {"CLA", "CL"}, {"CES", "CS"}, {"LIT", "LI"},
                                          {"RUB", "RB"}, {"CAL", "CA"}, {"BAR", "BA"}, {"CAD", "CD"}};
    for (size_t i = 0; i < sizeof ions / sizeof *ions; i++)
        if (strcmp(ions[i][0], name) == 0) return ions[i][1];
    return NULL;
}

/* Write the name as the four name columns of a PDB record. A name shorter than four letters begins in the second
 * column, unless the atom is alone in its residue, where two letters may be an element. */
static void name_columns(const char *name, bool alone, char columns[4])
{
    size_t length = strlen(name), first = length >= 4 || alone ? 0 : 1;
    if (length > 4) length = 4;
    memset(columns, ' ', 4);
    memcpy(columns + first, name, length);
}

static bool begins_alike(const char *name, const char *symbol)
{
    while (isdigit((unsigned char)*name)) name++;
    return toupper((unsigned char)*name) == symbol[0] && (!symbol[1] || toupper((unsigned char)name[1]) == symbol[1]);
}

void qn_topology_deduce_element(const qn_topology_atom *atom, const qn_topology_residue *residue, double mass_u,
                                char element[4])
{
    const double smallest_u = 0.5, same_u = 0.06; /* lighter particles are Drude particles */
    const bool alone = residue->atom_count == 1;
    char columns[4];
    strcpy(element, "X");
    if (mass_u >= 0 && mass_u < smallest_u) return;
    const char *by_mass = mass_u > 0 ? qn_element_of_mass(mass_u, same_u) : NULL;
    const char *ion = alone ? ion_of(atom->name) : NULL;
    if (ion || (by_mass && (alone || begins_alike(atom->name, by_mass)))) {
        strcpy(element, ion ? ion : by_mass);
        return;
    }
    name_columns(atom->name, alone, columns);
    qn_element_deduce(columns, residue->name, element);
    if (mass_u > 0 && !(fabs(qn_element_mass_u(element) - mass_u) < largest_shift_u)) strcpy(element, "X");
}
