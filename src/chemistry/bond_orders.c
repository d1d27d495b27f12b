#include "chemistry/bond_orders.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "chemistry/matching.h"

/* Kinds of nitrogens with two neighbours and drawn-aromatic bonds, by their preference for a double bond. */
typedef enum ring_nitrogen { TAKES_DOUBLE, TAKES_WHAT_IS_LEFT, MAY_HAVE_HYDROGEN, BESIDE_CARBONYL } ring_nitrogen;

enum { NEIGHBOURS_MAX = 4 }; /* of an atom of an aromatic ring */

typedef struct ring_walk {
    const qn_compound *compound;
    const qn_compound_neighbours *neighbours;
    const qn_bond_orders *orders;
    int home; /* the atom at which the ring begins */
} ring_walk;

bool qn_element_is_metal(const char *element)
{
    static const char *const others[] = {"H",  "D",  "T", "HE", "B",  "C",  "N",  "O",  "F",  "NE",
                                         "SI", "P",  "S", "CL", "AR", "GE", "AS", "SE", "BR", "KR",
                                         "SB", "TE", "I", "XE", "AT", "RN", "X",  ""};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(element, others[i]) == 0) return false;
    return true;
}

static bool is_element(const qn_compound_atom *atom, const char *element)
{
    return strcmp(atom->element, element) == 0;
}

/* Count bonds; drawn-aromatic ones count as single here. */
static void count_bonds(const qn_compound *compound, qn_bond_orders *orders)
{
    for (size_t i = 0; i < compound->atom_count; i++)
        orders->atoms[i].metal = qn_element_is_metal(compound->atoms[i].element);
    for (size_t i = 0; i < compound->bond_count; i++) {
        const qn_compound_bond *bond = &compound->bonds[i];
        int order = orders->order[i];
        for (int side = 0; side < 2; side++) {
            int at = side ? bond->second : bond->first, other = side ? bond->first : bond->second;
            qn_atom_bonds *atom = &orders->atoms[at];
            atom->drawn_aromatic |= bond->order == QN_BOND_AROMATIC;
            if (orders->atoms[other].metal) continue;
            if (qn_compound_atom_is_hydrogen(&compound->atoms[other]))
                atom->hydrogens++;
            else
                atom->heavy++;
            atom->order_sum += order;
            atom->doubles += order == 2;
            atom->triples += order == 3;
        }
    }
    for (size_t i = 0; i < compound->atom_count; i++)
        if (compound->atoms[i].hydrogens > 0) orders->atoms[i].hydrogens += compound->atoms[i].hydrogens;
}

/* Priority for a double bond of an atom with drawn-aromatic bonds. */
static qn_matching_wish wish_of(const qn_compound_atom *atom, const qn_atom_bonds *bonds)
{
    int connections = bonds->heavy + bonds->hydrogens;
    if (!bonds->drawn_aromatic || bonds->doubles + bonds->triples > 0) return QN_MATCHING_NEVER;
    if (is_element(atom, "C")) {
        if (connections > 3) return QN_MATCHING_NEVER;
        return atom->charge_e == 0 ? QN_MATCHING_MUST : QN_MATCHING_RELUCTANT;
    }
    if (is_element(atom, "N") || is_element(atom, "P") || is_element(atom, "AS")) {
        if (connections > 3 || atom->charge_e < 0) return QN_MATCHING_NEVER;
        if (connections == 3) return atom->charge_e > 0 ? QN_MATCHING_MUST : QN_MATCHING_RELUCTANT;
        return QN_MATCHING_GLAD;
    }
    if (is_element(atom, "O") || is_element(atom, "S") || is_element(atom, "SE") || is_element(atom, "TE")) {
        if (connections > 2 || atom->charge_e < 0) return QN_MATCHING_NEVER;
        if (connections == 2) return atom->charge_e > 0 ? QN_MATCHING_MUST : QN_MATCHING_RELUCTANT;
        return QN_MATCHING_GLAD;
    }
    if (is_element(atom, "B") || is_element(atom, "SI") || is_element(atom, "X"))
        return connections > 3 ? QN_MATCHING_NEVER : QN_MATCHING_RELUCTANT;
    return QN_MATCHING_NEVER;
}

static void set_double(const qn_compound *compound, qn_bond_orders *orders, size_t bond)
{
    orders->order[bond] = 2;
    for (int side = 0; side < 2; side++) {
        qn_atom_bonds *atom = &orders->atoms[side ? compound->bonds[bond].second : compound->bonds[bond].first];
        atom->doubles++;
        atom->order_sum++;
    }
}

/* Set the double bonds of phosphates, sulfonates and similar groups whose terminal oxygens are drawn aromatic: as many
 * as the highest valence of the central atom allows. */
static void settle_oxoanions(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                             qn_bond_orders *orders)
{
    for (size_t i = 0; i < compound->atom_count; i++) {
        const qn_compound_atom *atom = &compound->atoms[i];
        qn_atom_bonds *bonds = &orders->atoms[i];
        int connections = bonds->heavy + bonds->hydrogens;
        bool phosphorus = is_element(atom, "P") && connections == 4, sulfur = is_element(atom, "S") && connections >= 3;
        if (!bonds->drawn_aromatic || !(phosphorus || sulfur)) continue;
        int wanted = phosphorus ? 1 : connections - 2;
        for (size_t k = neighbours->start[i]; k < neighbours->start[i + 1] && bonds->doubles < wanted; k++) {
            int other = neighbours->neighbour[k], bond = neighbours->bond[k];
            const qn_atom_bonds *end = &orders->atoms[other];
            bool terminal = end->heavy + end->hydrogens == 1;
            if (compound->bonds[bond].order == QN_BOND_AROMATIC && terminal) set_double(compound, orders, (size_t)bond);
        }
    }
}

/* PRODRG gives both oxygens of a carboxylate a double bond; the second bond becomes single. */
static void settle_double_carboxylates(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                                       qn_bond_orders *orders)
{
    for (size_t i = 0; i < compound->atom_count; i++) {
        qn_atom_bonds *bonds = &orders->atoms[i];
        if (!is_element(&compound->atoms[i], "C") || bonds->order_sum != 5 || bonds->doubles != 2) continue;
        int kept = 0, second = -1;
        for (size_t k = neighbours->start[i]; k < neighbours->start[i + 1]; k++) {
            const qn_atom_bonds *end = &orders->atoms[neighbours->neighbour[k]];
            bool oxygen =
                is_element(&compound->atoms[neighbours->neighbour[k]], "O") && end->heavy + end->hydrogens == 1;
            if (!oxygen || orders->order[neighbours->bond[k]] != 2) continue;
            if (kept++ == 1) second = (int)k;
        }
        if (second < 0) continue;
        qn_atom_bonds *end = &orders->atoms[neighbours->neighbour[second]];
        orders->order[neighbours->bond[second]] = 1;
        bonds->doubles--, bonds->order_sum--, end->doubles--, end->order_sum--;
        end->drawn_aromatic = true; /* treat the anion's bond like a drawn-aromatic one */
    }
}

/* Whether `steps` drawn-aromatic bonds lead from `at` back to `home` without reversing. With `donors` they must also
 * pass an atom that certainly gives the ring a pair of electrons. */
static bool leads_home(const ring_walk *walk, int from, int at, int steps, bool donors)
{
    const qn_atom_bonds *bonds = &walk->orders->atoms[at];
    const qn_compound_atom *atom = &walk->compound->atoms[at];
    const bool gives = is_element(atom, "N") ? bonds->heavy + bonds->hydrogens == 3 || atom->charge_e < 0
                                             : is_element(atom, "O") || is_element(atom, "S") || is_element(atom, "SE");
    donors &= !gives; /* from here on, whether such an atom must still be passed */
    if (walk->neighbours->start[at + 1] - walk->neighbours->start[at] > NEIGHBOURS_MAX) return false;
    for (size_t k = walk->neighbours->start[at]; k < walk->neighbours->start[at + 1]; k++) {
        const int next = walk->neighbours->neighbour[k];
        if (next == from || walk->compound->bonds[walk->neighbours->bond[k]].order != QN_BOND_AROMATIC) continue;
        if (steps == 1 ? next == walk->home && !donors
                       : next != walk->home && leads_home(walk, at, next, steps - 1, donors))
            return true;
    }
    return false;
}

/* Kind of an atom. If the file does not state which nitrogens of rings have a hydrogen, nitrogens beside a carbonyl
 * have one (quinazolinone), otherwise nitrogens in a five-membered ring in which no other atom gives a pair of
 * electrons (imidazole, purines). */
static ring_nitrogen kind_of(const ring_walk *walk)
{
    const int atom = walk->home;
    bool beside_nitrogen = false;
    if (!is_element(&walk->compound->atoms[atom], "N")) return TAKES_DOUBLE;
    for (size_t k = walk->neighbours->start[atom]; k < walk->neighbours->start[atom + 1]; k++) {
        const int other = walk->neighbours->neighbour[k];
        const qn_atom_bonds *bonds = &walk->orders->atoms[other];
        if (is_element(&walk->compound->atoms[other], "C") && bonds->doubles > 0) return BESIDE_CARBONYL;
        beside_nitrogen |= is_element(&walk->compound->atoms[other], "N") && bonds->heavy + bonds->hydrogens == 2;
    }
    if (!leads_home(walk, -1, atom, 5, false) || leads_home(walk, -1, atom, 5, true)) return TAKES_DOUBLE;
    return beside_nitrogen ? TAKES_WHAT_IS_LEFT : MAY_HAVE_HYDROGEN;
}

/* The wish of an atom in one of three passes, each of which keeps the pairs of the passes before. Nitrogens that may
 * have a hydrogen are paired after those without one, nitrogens beside a carbonyl later, and atoms that a double bond
 * would charge last. */
static qn_matching_wish wish_in_pass(qn_matching_wish wish, ring_nitrogen kind, int pass)
{
    if (wish == QN_MATCHING_RELUCTANT && pass < 2) return QN_MATCHING_NEVER;
    if (wish != QN_MATCHING_GLAD || kind == TAKES_DOUBLE || (kind == TAKES_WHAT_IS_LEFT && pass > 0)) return wish;
    return kind == BESIDE_CARBONYL && pass == 0 ? QN_MATCHING_NEVER : QN_MATCHING_RELUCTANT;
}

typedef struct aromatic_matching {
    qn_matching_wish *wishes;
    unsigned char *kinds; /* ring_nitrogen of each atom with the wish GLAD */
    qn_matching_edge *edges;
    int *edge_bond, *partner_edge;
    size_t edge_count;
} aromatic_matching;

static qn_status match(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                       const qn_bond_orders *orders, aromatic_matching *matching)
{
    for (size_t i = 0; i < compound->atom_count; i++) {
        const ring_walk walk = {compound, neighbours, orders, (int)i};
        const qn_matching_wish wish = wish_of(&compound->atoms[i], &orders->atoms[i]);
        if (wish == QN_MATCHING_GLAD) matching->kinds[i] = (unsigned char)kind_of(&walk);
        matching->partner_edge[i] = -1;
    }
    for (size_t i = 0; i < compound->bond_count; i++)
        if (compound->bonds[i].order == QN_BOND_AROMATIC) {
            matching->edges[matching->edge_count] =
                (qn_matching_edge){compound->bonds[i].first, compound->bonds[i].second};
            matching->edge_bond[matching->edge_count++] = (int)i;
        }
    for (int pass = 0; pass < 3; pass++) {
        for (size_t i = 0; i < compound->atom_count; i++)
            matching->wishes[i] =
                wish_in_pass(wish_of(&compound->atoms[i], &orders->atoms[i]), (ring_nitrogen)matching->kinds[i], pass);
        QN_TRY(qn_matching_find(compound->atom_count, matching->wishes, matching->edge_count, matching->edges,
                                matching->partner_edge));
    }
    return QN_OK;
}

static qn_status settle_aromatic(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                                 qn_bond_orders *orders)
{
    aromatic_matching m = {0};
    const size_t atoms = compound->atom_count, bonds = compound->bond_count;
    qn_status status = qn_allocate(atoms, sizeof *m.wishes, (void **)&m.wishes);
    if (status == QN_OK) status = qn_allocate(atoms, sizeof *m.kinds, (void **)&m.kinds);
    if (status == QN_OK) status = qn_allocate(bonds, sizeof *m.edges, (void **)&m.edges);
    if (status == QN_OK) status = qn_allocate(bonds, sizeof *m.edge_bond, (void **)&m.edge_bond);
    if (status == QN_OK) status = qn_allocate(atoms, sizeof *m.partner_edge, (void **)&m.partner_edge);
    if (status == QN_OK) status = match(compound, neighbours, orders, &m);
    for (size_t i = 0; status == QN_OK && i < atoms; i++)
        if (m.partner_edge[i] >= 0 && m.edges[m.partner_edge[i]].first == (int)i)
            set_double(compound, orders, (size_t)m.edge_bond[m.partner_edge[i]]);
    qn_release(&m.wishes);
    qn_release(&m.kinds);
    qn_release(&m.edges);
    qn_release(&m.edge_bond);
    qn_release(&m.partner_edge);
    return status;
}

/* Whether all hydrogens are atoms of the compound. This is assumed if a hydrogen is on an atom other than carbon, or if
 * there are hydrogens and all uncharged carbons have four bonds. A file with polar hydrogens only has the hydrogens
 * that matter.
 */
static bool has_hydrogens(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                          const qn_bond_orders *orders)
{
    bool any = false, carbons_full = true;
    for (size_t i = 0; i < compound->atom_count; i++) {
        const qn_compound_atom *atom = &compound->atoms[i];
        if (is_element(atom, "C") && orders->atoms[i].order_sum < 4 && atom->charge_e == 0) carbons_full = false;
        if (!qn_compound_atom_is_hydrogen(atom)) continue;
        any = true;
        for (size_t k = neighbours->start[i]; k < neighbours->start[i + 1]; k++)
            if (!is_element(&compound->atoms[neighbours->neighbour[k]], "C")) return true;
    }
    return any && carbons_full;
}

qn_status qn_bond_orders_find(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                              qn_bond_orders *orders)
{
    *orders = (qn_bond_orders){0};
    for (size_t i = 0; i < compound->bond_count; i++)
        if (compound->bonds[i].order == QN_BOND_UNKNOWN)
            return QN_FAIL(QN_BAD_FORMAT, "%s: bond %zu (atoms %d and %d) has no order", compound->name, i + 1,
                           compound->bonds[i].first + 1, compound->bonds[i].second + 1);
    QN_TRY(qn_allocate(compound->bond_count, 1, (void **)&orders->order));
    qn_status status = qn_allocate(compound->atom_count, sizeof *orders->atoms, (void **)&orders->atoms);
    if (status == QN_OK) {
        for (size_t i = 0; i < compound->bond_count; i++) {
            qn_bond_order order = compound->bonds[i].order;
            orders->order[i] = order == QN_BOND_DOUBLE ? 2 : order == QN_BOND_TRIPLE ? 3 : 1;
        }
        count_bonds(compound, orders);
        settle_double_carboxylates(compound, neighbours, orders);
        settle_oxoanions(compound, neighbours, orders);
        status = settle_aromatic(compound, neighbours, orders);
        orders->hydrogens_present = has_hydrogens(compound, neighbours, orders);
    }
    if (status != QN_OK) qn_bond_orders_clear(orders);
    return status;
}

void qn_bond_orders_clear(qn_bond_orders *orders)
{
    qn_release(&orders->order);
    qn_release(&orders->atoms);
    *orders = (qn_bond_orders){0};
}
