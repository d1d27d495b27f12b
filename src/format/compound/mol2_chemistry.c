#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/compound/mol2.h"
#include "format/element.h"

static bool stands_for_no_element(qn_word type)
{
    static const char *const types[] = {"Du", "LP", "Lp", "Any", "Hal", "Het", "Hev"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (qn_word_is(type, types[i])) return true;
    return false;
}

/* A type in capitals may be a type of Amber's force fields, where CA is an aromatic carbon: it counts as an element
 * only when the atom's name agrees. */
static bool name_agrees(qn_word type, qn_word name)
{
    return name.length >= 2 && toupper((unsigned char)name.text[0]) == type.text[0] &&
           toupper((unsigned char)name.text[1]) == type.text[1];
}

bool qn_mol2_element(qn_word type, qn_word name, char element[4])
{
    qn_word stem = type;
    const char *point = memchr(type.text, '.', type.length);
    if (point) stem.length = (size_t)(point - type.text);
    if (stands_for_no_element(stem)) {
        strcpy(element, "X");
        return true;
    }
    if (stem.length > 0 && islower((unsigned char)stem.text[0])) {
        bool two_letters = qn_word_is(stem, "cl") || qn_word_is(stem, "br");
        return qn_element_find(stem.text, two_letters ? 2 : 1, element);
    }
    if (!point && stem.length == 2 && isupper((unsigned char)stem.text[1]) && !name_agrees(stem, name)) return false;
    return qn_element_find(stem.text, stem.length, element);
}

/* Whether the n-th neighbour of an atom is bound aromatically and has a type that begins with `type`; `end`: it must
 * have no other bond.
 */
static bool leads_to(const qn_compound *compound, const qn_compound_neighbours *neighbours, size_t n, const char *type,
                     bool end)
{
    size_t other = (size_t)neighbours->neighbour[n];
    bool is_end = neighbours->start[other + 1] - neighbours->start[other] == 1;
    return compound->bonds[neighbours->bond[n]].order == QN_BOND_AROMATIC && (is_end || !end) &&
           strncmp(compound->atoms[other].type, type, strlen(type)) == 0;
}

/* Distribute double bonds to oxygens: sulfur binds one of two oxygens by a double bond, and two of three or more;
 * carbon and phosphorus bind one. */
static void settle_oxygens(qn_compound *compound, const qn_compound_neighbours *neighbours, size_t atom)
{
    int oxygens = 0;
    for (size_t n = neighbours->start[atom]; n < neighbours->start[atom + 1]; n++)
        oxygens += leads_to(compound, neighbours, n, "O.co2", true);
    int doubles = strcmp(compound->atoms[atom].element, "S") == 0 && oxygens > 2 ? 2 : 1;
    for (size_t n = neighbours->start[atom]; n < neighbours->start[atom + 1]; n++) {
        if (!leads_to(compound, neighbours, n, "O.co2", true)) continue;
        qn_compound_atom *oxygen = &compound->atoms[neighbours->neighbour[n]];
        bool is_single = doubles <= 0 || oxygen->charge_e == -1;
        compound->bonds[neighbours->bond[n]].order = is_single ? QN_BOND_SINGLE : QN_BOND_DOUBLE;
        if (is_single)
            oxygen->charge_e = -1;
        else
            doubles--;
    }
}

static void settle_guanidinium(qn_compound *compound, const qn_compound_neighbours *neighbours, size_t atom)
{
    qn_bond_order order = QN_BOND_DOUBLE;
    for (size_t n = neighbours->start[atom]; n < neighbours->start[atom + 1]; n++) {
        if (!leads_to(compound, neighbours, n, "N.", false)) continue;
        compound->bonds[neighbours->bond[n]].order = order;
        order = QN_BOND_SINGLE;
    }
}

static int bonds_within(const qn_compound *compound, const qn_compound_neighbours *neighbours, size_t atom)
{
    int orders = compound->atoms[atom].hydrogens > 0 ? compound->atoms[atom].hydrogens : 0;
    for (size_t n = neighbours->start[atom]; n < neighbours->start[atom + 1]; n++) {
        qn_bond_order order = compound->bonds[neighbours->bond[n]].order;
        if (order == QN_BOND_UNKNOWN || order == QN_BOND_AROMATIC) return -1;
        orders += (int)order;
    }
    return orders;
}

qn_status qn_mol2_settle_bonds(qn_compound *compound)
{
    qn_compound_neighbours neighbours;
    QN_TRY(qn_compound_find_neighbours(compound, &neighbours));
    for (size_t i = 0; i < compound->atom_count; i++) {
        settle_oxygens(compound, &neighbours, i);
        if (strcmp(compound->atoms[i].type, "C.cat") == 0) settle_guanidinium(compound, &neighbours, i);
    }
    for (size_t i = 0; i < compound->atom_count; i++) {
        qn_compound_atom *atom = &compound->atoms[i];
        if (atom->charge_e != 0) continue;
        if (neighbours.start[i + 1] == neighbours.start[i] && fabsf(atom->partial_charge_e) < 8)
            atom->charge_e = (signed char)lroundf(atom->partial_charge_e); /* an ion */
        if (strcmp(atom->type, "N.4") == 0 ||
            (strcmp(atom->element, "N") == 0 && bonds_within(compound, &neighbours, i) == 4))
            atom->charge_e = 1;
    }
    qn_compound_neighbours_clear(&neighbours);
    return QN_OK;
}

bool qn_mol2_is_lone_pair(const qn_compound_atom *atom)
{
    return strcmp(atom->type, "LP") == 0 || strcmp(atom->type, "Lp") == 0;
}

/* Turn hydrogens bound to an atom into implicit hydrogens of that atom. */
static void make_implicit(qn_compound *compound)
{
    if (compound->bond_count == 0) return; /* without bonds it is unknown which atom a hydrogen belongs to */
    for (size_t i = 0; i < compound->atom_count; i++) compound->atoms[i].hydrogens = 0;
    for (size_t b = 0; b < compound->bond_count; b++)
        for (int side = 0; side < 2; side++) {
            const int hydrogen = side ? compound->bonds[b].first : compound->bonds[b].second;
            const int other = side ? compound->bonds[b].second : compound->bonds[b].first;
            signed char *count = &compound->atoms[other].hydrogens;
            if (qn_compound_atom_is_hydrogen(&compound->atoms[hydrogen]) && *count < SCHAR_MAX) ++*count;
        }
}

qn_status qn_mol2_drop_atoms(qn_compound *compound, bool hydrogens)
{
    void *memory;
    bool all = true;
    QN_TRY(qn_allocate(compound->atom_count, sizeof(bool), &memory));
    bool *kept = memory;
    if (hydrogens) make_implicit(compound);
    for (size_t i = 0; i < compound->atom_count; i++) {
        const qn_compound_atom *atom = &compound->atoms[i];
        kept[i] = !qn_mol2_is_lone_pair(atom) && !(hydrogens && qn_compound_atom_is_hydrogen(atom));
        all &= kept[i];
    }
    qn_status status = all ? QN_OK : qn_compound_keep_atoms(compound, kept);
    qn_release(&memory);
    return status;
}
