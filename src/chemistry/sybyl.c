/* SYBYL atom types. docs/design/atom_typing.md explains the decisions in this file, with their sources. */
#include "chemistry/sybyl.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "chemistry/bond_orders.h"
#include "chemistry/rings.h"

typedef struct typing {
    const qn_compound *compound;
    qn_compound_neighbours neighbours;
    qn_rings rings;
    qn_bond_orders orders;
    bool *in_six; /* [atoms]: in an aromatic ring that SYBYL draws with aromatic bonds */
} typing;

static bool is_element(const typing *t, int atom, const char *element)
{
    return strcmp(t->compound->atoms[atom].element, element) == 0;
}

static bool is_chalcogen(const typing *t, int atom)
{
    return is_element(t, atom, "S") || is_element(t, atom, "SE") || is_element(t, atom, "TE");
}

static int connections(const typing *t, int atom)
{
    return t->orders.atoms[atom].heavy + t->orders.atoms[atom].hydrogens;
}

/* Neighbour and bond order of the k-th entry of the neighbour table. */
static int neighbour_at(const typing *t, size_t k)
{
    return t->neighbours.neighbour[k];
}
static int order_at(const typing *t, size_t k)
{
    return t->orders.order[t->neighbours.bond[k]];
}

/* Whether an atom bears a hydrogen: an explicit one, a stated implicit one, or, where the hydrogens are missing, one
 * that the valence leaves room for. */
static bool bears_hydrogen(const typing *t, int atom, int valence)
{
    const qn_atom_bonds *bonds = &t->orders.atoms[atom];
    const qn_compound_atom *data = &t->compound->atoms[atom];
    if (bonds->hydrogens > 0) return true;
    if (data->hydrogens >= 0 || bonds->drawn_aromatic || t->orders.hydrogens_present) return false;
    return bonds->order_sum < valence + data->charge_e;
}

/* Whether an atom is an oxygen (or sulfur) with one bond and no hydrogen. */
static bool is_terminal(const typing *t, int atom, const char *element)
{
    return is_element(t, atom, element) && t->orders.atoms[atom].heavy == 1 && !bears_hydrogen(t, atom, 2);
}

static int count_terminal_oxygens(const typing *t, int atom)
{
    int count = 0;
    for (size_t k = t->neighbours.start[atom]; k < t->neighbours.start[atom + 1]; k++)
        count += is_terminal(t, neighbour_at(t, k), "O");
    return count;
}

static bool has_double_to(const typing *t, int atom, const char *element)
{
    for (size_t k = t->neighbours.start[atom]; k < t->neighbours.start[atom + 1]; k++)
        if (order_at(t, k) == 2 && is_element(t, neighbour_at(t, k), element)) return true;
    return false;
}

/* Whether an atom is the carbon of a guanidine's cation: three nitrogens in no ring with the carbon, one of them with
 * four bonds. The file shows it by a charge, by the hydrogens, or by aromatic bonds. */
static bool is_guanidinium(const typing *t, int atom)
{
    if (!is_element(t, atom, "C") || connections(t, atom) != 3) return false;
    bool cation = t->compound->atoms[atom].charge_e > 0;
    for (size_t k = t->neighbours.start[atom]; k < t->neighbours.start[atom + 1]; k++) {
        int other = neighbour_at(t, k), bond = t->neighbours.bond[k];
        if (!is_element(t, other, "N") || t->rings.bond_in_ring[bond]) return false;
        bool drawn = t->compound->bonds[bond].order == QN_BOND_AROMATIC;
        if (order_at(t, k) == 2 && (drawn || t->compound->atoms[other].charge_e > 0 || connections(t, other) == 3))
            cation = true;
    }
    return cation;
}

static qn_sybyl_type type_of_carbon(const typing *t, int atom)
{
    const qn_atom_bonds *bonds = &t->orders.atoms[atom];
    if (bonds->triples > 0 || bonds->doubles > 1) return QN_SYBYL_C_1;
    if (t->in_six[atom]) return QN_SYBYL_C_AR;
    if (is_guanidinium(t, atom)) return QN_SYBYL_C_CAT;
    if (bonds->doubles > 0 || t->compound->atoms[atom].charge_e > 0 || t->rings.atom_aromatic[atom])
        return QN_SYBYL_C_2;
    return QN_SYBYL_C_3;
}

/* The type of a nitrogen with single bonds only: amide, conjugated, or amine. */
static qn_sybyl_type type_of_single_nitrogen(const typing *t, int atom)
{
    bool planar = t->rings.atom_aromatic[atom];
    for (size_t k = t->neighbours.start[atom]; k < t->neighbours.start[atom + 1]; k++) {
        int other = neighbour_at(t, k);
        const qn_atom_bonds *bonds = &t->orders.atoms[other];
        if (bonds->metal) continue;
        bool carbonyl = is_element(t, other, "C") && (has_double_to(t, other, "O") || has_double_to(t, other, "S"));
        bool sulfonyl = is_element(t, other, "S") && count_terminal_oxygens(t, other) >= 2;
        if (carbonyl || sulfonyl) return QN_SYBYL_N_AM;
        if (bonds->doubles + bonds->triples > 0 && !is_chalcogen(t, other) && !is_element(t, other, "P")) planar = true;
    }
    return planar ? QN_SYBYL_N_PL3 : QN_SYBYL_N_3;
}

static qn_sybyl_type type_of_nitrogen(const typing *t, int atom)
{
    const qn_atom_bonds *bonds = &t->orders.atoms[atom];
    const qn_compound_atom *data = &t->compound->atoms[atom];
    if (bonds->triples > 0 || (bonds->doubles > 1 && bonds->heavy == 2)) return QN_SYBYL_N_1;
    if (connections(t, atom) == 4 || (data->charge_e > 0 && bonds->doubles == 0)) return QN_SYBYL_N_4;
    if (bonds->doubles == 0) return type_of_single_nitrogen(t, atom);
    if (t->in_six[atom]) return QN_SYBYL_N_AR;
    if (count_terminal_oxygens(t, atom) >= 2) return QN_SYBYL_N_PL3;
    /* of guanidinium, amidinium, iminium */
    bool cation = data->charge_e > 0 || connections(t, atom) == 3;
    for (size_t k = t->neighbours.start[atom]; k < t->neighbours.start[atom + 1]; k++)
        if (order_at(t, k) == 2 && is_guanidinium(t, neighbour_at(t, k))) cation = true;
    return cation ? QN_SYBYL_N_PL3 : QN_SYBYL_N_2;
}

static qn_sybyl_type type_of_oxygen(const typing *t, int atom)
{
    const qn_atom_bonds *bonds = &t->orders.atoms[atom];
    if (!is_terminal(t, atom, "O")) return bonds->doubles > 0 ? QN_SYBYL_O_2 : QN_SYBYL_O_3;
    int other = -1;
    for (size_t k = t->neighbours.start[atom]; k < t->neighbours.start[atom + 1]; k++)
        if (!t->orders.atoms[neighbour_at(t, k)].metal) other = neighbour_at(t, k);
    int terminals = count_terminal_oxygens(t, other);
    bool carboxylate = is_element(t, other, "C") && connections(t, other) <= 3;
    if ((carboxylate || is_element(t, other, "P")) && terminals >= 2) return QN_SYBYL_O_CO2;
    if (is_element(t, other, "S") && terminals >= 3) return QN_SYBYL_O_CO2; /* as Corina and Open Babel do */
    if (bonds->doubles + bonds->triples > 0) return QN_SYBYL_O_2;
    /* the single bond of a nitro group, of a sulfoxide drawn with charges and the like counts as double */
    return is_element(t, other, "C") || is_element(t, other, "O") ? QN_SYBYL_O_3 : QN_SYBYL_O_2;
}

static qn_sybyl_type type_of_sulfur(const typing *t, int atom)
{
    const qn_atom_bonds *bonds = &t->orders.atoms[atom];
    int oxygens = count_terminal_oxygens(t, atom);
    if (oxygens >= 2 && bonds->heavy >= 3) return QN_SYBYL_S_O2;
    if (oxygens == 1 && bonds->heavy >= 3) return QN_SYBYL_S_O;
    return bonds->doubles > 0 ? QN_SYBYL_S_2 : QN_SYBYL_S_3;
}

static qn_sybyl_type type_of(const typing *t, int atom)
{
    if (is_element(t, atom, "C")) return type_of_carbon(t, atom);
    if (is_element(t, atom, "N")) return type_of_nitrogen(t, atom);
    if (is_element(t, atom, "O")) return type_of_oxygen(t, atom);
    if (is_element(t, atom, "S")) return type_of_sulfur(t, atom);
    if (is_element(t, atom, "CR") && t->neighbours.start[atom + 1] - t->neighbours.start[atom] == 4)
        return QN_SYBYL_CR_TH;
    return qn_sybyl_of_element(t->compound->atoms[atom].element);
}

/* Mark rings that SYBYL draws with aromatic bonds: rings of six and those of carbon alone (azulene). Five-membered
 * heterocycles are drawn with single and double bonds. */
static void mark_six(typing *t)
{
    for (size_t r = 0; r < t->rings.count; r++) {
        const qn_ring *ring = &t->rings.rings[r];
        if (!ring->aromatic) continue;
        bool carbons = true;
        for (int i = 0; i < ring->size; i++) carbons &= is_element(t, ring->atoms[i], "C");
        for (int i = 0; (ring->size == 6 || carbons) && i < ring->size; i++) t->in_six[ring->atoms[i]] = true;
    }
}

/* Refuse atoms with more bonds than their element can have, because no type of them would be reliable. The limits are
 * the largest sums of bond orders that occur. */
static qn_status check_valences(const typing *t)
{
    static const struct {
        char element[4];
        int most;
    } limits[] = {{"H", 1}, {"D", 1}, {"T", 1},  {"C", 4}, {"N", 5}, {"O", 3},
                  {"F", 1}, {"B", 4}, {"SI", 6}, {"P", 6}, {"S", 6}};
    for (size_t i = 0; i < t->compound->atom_count; i++)
        for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
            const char *name = t->compound->atoms[i].name;
            int sum = t->orders.atoms[i].order_sum;
            if (!is_element(t, (int)i, limits[k].element) || sum <= limits[k].most) continue;
            return QN_FAIL(QN_BAD_FORMAT, "%s: atom %zu%s%s (%s) has bonds of order %d together, expected at most %d",
                           t->compound->name, i + 1, *name ? " " : "", name, limits[k].element, sum, limits[k].most);
        }
    return QN_OK;
}

static qn_status find_types(typing *t, qn_sybyl_type *types)
{
    QN_TRY(qn_compound_find_neighbours(t->compound, &t->neighbours));
    QN_TRY(qn_bond_orders_find(t->compound, &t->neighbours, &t->orders));
    QN_TRY(check_valences(t));
    QN_TRY(qn_rings_find(t->compound, &t->neighbours, &t->rings));
    QN_TRY(qn_allocate(t->compound->atom_count, sizeof(bool), (void **)&t->in_six));
    mark_six(t);
    for (size_t i = 0; i < t->compound->atom_count; i++) types[i] = type_of(t, (int)i);
    return QN_OK;
}

qn_status qn_sybyl_find_types(const qn_compound *compound, qn_sybyl_type *types)
{
    typing t = {.compound = compound};
    qn_status status = find_types(&t, types);
    qn_compound_neighbours_clear(&t.neighbours);
    qn_rings_clear(&t.rings);
    qn_bond_orders_clear(&t.orders);
    qn_release(&t.in_six);
    return status;
}
