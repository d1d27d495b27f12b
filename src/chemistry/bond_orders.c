#include "chemistry/bond_orders.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "chemistry/matching.h"

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

/* Without the drawn-aromatic bonds, which count as single here. */
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

/* What an atom of drawn-aromatic bonds wants: a double bond among them. */
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

/* Phosphates, sulfonates and the like whose terminal oxygens are drawn aromatic: as many double bonds as the central
 * atom's highest valence leaves. */
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

/* PRODRG gives both oxygens of a carboxylate a double bond; the second becomes a single one. */
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
        end->drawn_aromatic = true; /* an anion's as much as one that is drawn so */
    }
}

static qn_status settle_aromatic(const qn_compound *compound, qn_bond_orders *orders)
{
    qn_matching_wish *wishes = NULL;
    qn_matching_edge *edges = NULL;
    int *edge_bond = NULL, *partner_edge = NULL;
    size_t count = 0;
    qn_status status = qn_allocate(compound->atom_count, sizeof *wishes, (void **)&wishes);
    if (status == QN_OK) status = qn_allocate(compound->bond_count, sizeof *edges, (void **)&edges);
    if (status == QN_OK) status = qn_allocate(compound->bond_count, sizeof *edge_bond, (void **)&edge_bond);
    if (status == QN_OK) status = qn_allocate(compound->atom_count, sizeof *partner_edge, (void **)&partner_edge);
    if (status == QN_OK) {
        for (size_t i = 0; i < compound->atom_count; i++) {
            wishes[i] = wish_of(&compound->atoms[i], &orders->atoms[i]);
            partner_edge[i] = -1;
        }
        for (size_t i = 0; i < compound->bond_count; i++)
            if (compound->bonds[i].order == QN_BOND_AROMATIC) {
                edges[count] = (qn_matching_edge){compound->bonds[i].first, compound->bonds[i].second};
                edge_bond[count++] = (int)i;
            }
        status = qn_matching_find(compound->atom_count, wishes, count, edges, partner_edge);
    }
    for (size_t i = 0; status == QN_OK && i < compound->atom_count; i++)
        if (partner_edge[i] >= 0 && edges[partner_edge[i]].first == (int)i)
            set_double(compound, orders, (size_t)edge_bond[partner_edge[i]]);
    qn_release(&wishes);
    qn_release(&edges);
    qn_release(&edge_bond);
    qn_release(&partner_edge);
    return status;
}

/* Whether all hydrogens are atoms of the compound: some are, and either one is on an atom that is no carbon or all
 * carbons have their four bonds. A file with polar hydrogens only has them where it matters. */
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
            QN_FAIL(QN_BAD_FORMAT, "%s: bond %zu (atoms %d and %d) has no order", compound->name, i + 1,
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
        status = settle_aromatic(compound, orders);
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
