/* Bond orders from geometry. The first step decides which atoms take part in a double bond: by valence if the
 * hydrogens exist, otherwise by angles, flatness and bond lengths (bond_evidence.h). The second step sets the orders of
 * groups that are drawn by convention (nitro, sulfone, phosphate, carbonyl, azide, nitrile). The last step distributes
 * double bonds over the remaining atoms as a matching that leaves as few atoms as possible unpaired and prefers short
 * bonds. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "chemistry/bond_evidence.h"
#include "chemistry/bond_orders.h"
#include "chemistry/bonds.h"
#include "chemistry/matching.h"
#include "chemistry/ring_search.h"

/* Shortness from which a bond may be double although no atom needs it: C-C up to 1.42 Å. */
static const double LIKELY_DOUBLE = 0.55;

typedef struct order_search {
    qn_compound *compound;
    qn_compound_neighbours neighbours;
    qn_rings rings;
    qn_bond_evidence evidence;
    unsigned char *degree;    /* per atom: bonds to non-metals, including stated hydrogens */
    unsigned char *hydrogens; /* the hydrogens among them */
    signed char *room;        /* per atom: double bonds it can take part in */
    qn_matching_wish *wish;   /* per atom: the wish for double bonds */
    bool *in_flat_six;
    bool carbons_have_hydrogens, polar_have_hydrogens;
} order_search;

static bool is_element(const order_search *s, int atom, const char *element)
{
    return strcmp(s->compound->atoms[atom].element, element) == 0;
}

static bool is_metal(const order_search *s, int atom)
{
    return qn_element_is_metal(s->compound->atoms[atom].element);
}

static bool is_chalcogen(const order_search *s, int atom)
{
    return is_element(s, atom, "O") || is_element(s, atom, "S") || is_element(s, atom, "SE");
}

static size_t first_bond(const order_search *s, int atom)
{
    return s->neighbours.start[atom];
}
static size_t end_bond(const order_search *s, int atom)
{
    return s->neighbours.start[atom + 1];
}
static int other_at(const order_search *s, size_t k)
{
    return s->neighbours.neighbour[k];
}
static int bond_at(const order_search *s, size_t k)
{
    return s->neighbours.bond[k];
}
static double shortness(const order_search *s, int bond)
{
    return (double)s->evidence.shortness[bond];
}
static bool is_open(const order_search *s, int bond)
{
    return s->compound->bonds[bond].order == QN_BOND_UNKNOWN;
}

static void settle(order_search *s, int bond, qn_bond_order order)
{
    int a = s->compound->bonds[bond].first, b = s->compound->bonds[bond].second;
    int used = order == QN_BOND_TRIPLE ? 2 : order == QN_BOND_DOUBLE ? 1 : 0;
    s->compound->bonds[bond].order = order;
    s->room[a] = (signed char)(s->room[a] > used ? s->room[a] - used : 0);
    s->room[b] = (signed char)(s->room[b] > used ? s->room[b] - used : 0);
}

static void charge(order_search *s, int atom, int charge_e)
{
    if (s->compound->atoms[atom].charge_e == 0) s->compound->atoms[atom].charge_e = (signed char)charge_e;
}

/* Whether an atom is an oxygen, sulfur or selenium with one neighbour. */
static bool is_terminal(const order_search *s, int atom)
{
    return is_chalcogen(s, atom) && s->degree[atom] == 1;
}

/* Return the first neighbour of an atom that is neither a hydrogen nor a metal; −1: there is none. */
static int only_neighbour(const order_search *s, int atom, int *bond)
{
    for (size_t k = first_bond(s, atom); k < end_bond(s, atom); k++) {
        int other = other_at(s, k);
        if (qn_compound_atom_is_hydrogen(&s->compound->atoms[other]) || is_metal(s, other)) continue;
        *bond = bond_at(s, k);
        return other;
    }
    return -1;
}

static void count_neighbours(order_search *s)
{
    const qn_compound *compound = s->compound;
    for (size_t i = 0; i < compound->atom_count; i++) {
        size_t degree = 0, hydrogens = 0;
        for (size_t k = first_bond(s, (int)i); k < end_bond(s, (int)i); k++) {
            const qn_compound_atom *other = &compound->atoms[other_at(s, k)];
            bool hydrogen = qn_compound_atom_is_hydrogen(other);
            degree += hydrogen || !qn_element_is_metal(other->element);
            hydrogens += hydrogen;
        }
        int stated = compound->atoms[i].hydrogens;
        if (stated > 0) {
            degree += (size_t)stated;
            hydrogens += (size_t)stated;
        }
        s->degree[i] = (unsigned char)(degree > 200 ? 200 : degree);
        s->hydrogens[i] = (unsigned char)(hydrogens > 200 ? 200 : hydrogens);
        bool carbon = is_element(s, (int)i, "C");
        s->carbons_have_hydrogens |= carbon && (hydrogens > 0 || stated >= 0);
        s->polar_have_hydrogens |= !carbon && !qn_compound_atom_is_hydrogen(&compound->atoms[i]) && hydrogens > 0;
    }
    s->polar_have_hydrogens |= s->carbons_have_hydrogens;
}

/* Largest shortness of the atom's bonds to non-metals that have no order yet; −1: there are none. */
static double shortest_of(const order_search *s, int atom)
{
    double best = -1;
    for (size_t k = first_bond(s, atom); k < end_bond(s, atom); k++)
        if (is_open(s, bond_at(s, k)) && !is_metal(s, other_at(s, k)) && shortness(s, bond_at(s, k)) > best)
            best = shortness(s, bond_at(s, k));
    return best;
}

/* Sum of (order − 1) over the bonds of known order; 1 for an aromatic bond. */
static int known_extra(const order_search *s, int atom)
{
    int extra = 0;
    for (size_t k = first_bond(s, atom); k < end_bond(s, atom); k++) {
        qn_bond_order order = s->compound->bonds[bond_at(s, k)].order;
        extra += order == QN_BOND_TRIPLE ? 2 : order == QN_BOND_DOUBLE || order == QN_BOND_AROMATIC ? 1 : 0;
    }
    return extra;
}

static bool beside_linear(const order_search *s, int atom)
{
    int bond, other = only_neighbour(s, atom, &bond);
    return other >= 0 && s->evidence.linear[other];
}

static void wish_carbon(order_search *s, int atom)
{
    int degree = s->degree[atom], room = 4 - degree - known_extra(s, atom) - abs(s->compound->atoms[atom].charge_e);
    bool linear = s->evidence.linear[atom] && degree == 2;
    if (degree == 0 || room <= 0) return;
    s->wish[atom] = QN_MATCHING_MUST;
    if (s->carbons_have_hydrogens && (room == 1 || linear)) {
        s->room[atom] = (signed char)room;
        return;
    }
    if (linear || (degree == 1 && shortest_of(s, atom) > 1.5) ||
        (degree == 1 && beside_linear(s, atom) && shortest_of(s, atom) > 1.3))
        s->room[atom] = 2;
    else if (qn_bond_evidence_trigonal(s->compound, &s->neighbours, &s->evidence, atom) >= 0.5)
        s->room[atom] = 1;
}

/* Whether an atom is bound to an oxygen or sulfur with two neighbours, as in isoxazole or thiadiazole. */
static bool beside_chalcogen(const order_search *s, int atom)
{
    for (size_t k = first_bond(s, atom); k < end_bond(s, atom); k++)
        if (is_chalcogen(s, other_at(s, k)) && s->degree[other_at(s, k)] == 2) return true;
    return false;
}

/* A nitrogen with three neighbours gets a double bond only if a carbon needs it (and is then charged). With two
 * neighbours it gets one if it is known or likely to have no hydrogen. With one neighbour beside a linear carbon it is
 * a nitrile's. */
static void wish_nitrogen(order_search *s, int atom)
{
    int degree = s->degree[atom];
    if (known_extra(s, atom) > 0 || s->compound->atoms[atom].charge_e < 0 || degree == 0 || degree > 3) return;
    double best = shortest_of(s, atom);
    bool flat = s->evidence.in_flat_ring[atom];
    s->room[atom] = 1;
    if (degree == 3) {
        bool planar = (double)s->evidence.planarity[atom] > 0.6 || flat || s->hydrogens[atom] > 0;
        s->wish[atom] = planar && best > 0.3 ? QN_MATCHING_RELUCTANT : QN_MATCHING_NEVER;
    } else if (degree == 2) {
        if (s->evidence.linear[atom]) s->room[atom] = 2;
        bool sure = s->polar_have_hydrogens || s->in_flat_six[atom] || (flat && beside_chalcogen(s, atom));
        s->wish[atom] = sure || best > 0.85  ? QN_MATCHING_GLAD
                        : flat || best > 0.3 ? QN_MATCHING_RELUCTANT
                                             : QN_MATCHING_NEVER;
    } else if (beside_linear(s, atom) && best > 1.1) {
        s->room[atom] = 2;
        s->wish[atom] = QN_MATCHING_MUST;
    } else {
        s->wish[atom] = s->polar_have_hydrogens || best > 0.9 ? QN_MATCHING_GLAD
                        : best > 0.3                          ? QN_MATCHING_RELUCTANT
                                                              : QN_MATCHING_NEVER;
    }
}

static void wish_chalcogen(order_search *s, int atom)
{
    if (known_extra(s, atom) > 0 || s->compound->atoms[atom].charge_e < 0) return;
    double best = shortest_of(s, atom);
    int degree = s->degree[atom];
    s->room[atom] = 1;
    if (degree == 1)
        s->wish[atom] = s->polar_have_hydrogens || best > 0.45 ? QN_MATCHING_GLAD
                        : best > 0.2                           ? QN_MATCHING_RELUCTANT
                                                               : QN_MATCHING_NEVER;
    else if (degree == 2 && s->evidence.in_flat_ring[atom] && s->compound->atoms[atom].charge_e > 0)
        s->wish[atom] = QN_MATCHING_RELUCTANT;
}

/* List the bonds without an order from `atom` to terminal oxygens (or sulfurs), shortest first. Returns their number.
 */
static size_t terminal_bonds(const order_search *s, int atom, int bonds[4])
{
    size_t count = 0;
    for (size_t k = first_bond(s, atom); k < end_bond(s, atom) && count < 4; k++)
        if (is_terminal(s, other_at(s, k)) && is_open(s, bond_at(s, k))) {
            size_t place = count++;
            for (; place > 0 && shortness(s, bonds[place - 1]) < shortness(s, bond_at(s, k)); place--)
                bonds[place] = bonds[place - 1];
            bonds[place] = bond_at(s, k);
        }
    return count;
}

/* Set the orders of a sulfone, phosphate, perchlorate or nitro group: the first `doubles` terminal oxygens get a double
 * bond, the others a single bond and a charge. */
static void settle_oxo(order_search *s, int atom, size_t doubles)
{
    int bonds[4];
    size_t count = terminal_bonds(s, atom, bonds);
    for (size_t i = 0; i < count; i++) {
        const qn_compound_bond *bond = &s->compound->bonds[bonds[i]];
        int oxygen = bond->first == atom ? bond->second : bond->first;
        bool anion = s->compound->atoms[oxygen].charge_e < 0;
        settle(s, bonds[i], i < doubles && !anion ? QN_BOND_DOUBLE : QN_BOND_SINGLE);
        if (i >= doubles) charge(s, oxygen, -1);
        s->room[oxygen] = 0;
    }
}

static void settle_oxo_groups(order_search *s)
{
    for (size_t i = 0; i < s->compound->atom_count; i++) {
        int atom = (int)i, degree = s->degree[i], bonds[4];
        if (degree < 3 || degree > 4 || known_extra(s, atom) > 0) continue;
        size_t terminals = terminal_bonds(s, atom, bonds);
        if (terminals == 0) continue;
        if (is_element(s, atom, "P") || is_element(s, atom, "AS"))
            settle_oxo(s, atom, 1);
        else if (is_element(s, atom, "S") || is_element(s, atom, "SE"))
            settle_oxo(s, atom, degree == 4 ? 2 : 1);
        else if (is_element(s, atom, "CL") || is_element(s, atom, "BR") || is_element(s, atom, "I"))
            settle_oxo(s, atom, (size_t)degree - 1);
        else if (is_element(s, atom, "N") && degree == 3 && terminals >= 2)
            settle_oxo(s, atom, 1);
        else if (is_element(s, atom, "N") && degree == 3 && s->evidence.in_flat_ring[i]) {
            settle_oxo(s, atom, 0); /* an N-oxide; the ring gives the nitrogen its double bond */
            if (s->polar_have_hydrogens || s->in_flat_six[i]) s->wish[i] = QN_MATCHING_GLAD;
        }
    }
}

/* Shortness from which the bond of a carbon to a terminal oxygen is a carbonyl. It is low for carboxylates and for
 * lactams, which are preferred to their hydroxy forms, as in crystals. It is high for rings, since a phenol's bond is
 * short, too. */
static double carbonyl_shortness(const order_search *s, int atom, size_t terminals)
{
    if (terminals > 1) return 0.2;
    if (!s->evidence.in_flat_ring[atom]) return s->polar_have_hydrogens ? -1 : 0.5;
    for (size_t k = first_bond(s, atom); k < end_bond(s, atom) && !s->polar_have_hydrogens; k++)
        if (s->evidence.flat_ring_bond[bond_at(s, k)] && is_element(s, other_at(s, k), "N")) return 0.25;
    return 0.65;
}

/* Set the orders of trigonal carbons' bonds to terminal oxygens (or sulfurs). */
static void settle_carbonyls(order_search *s)
{
    for (size_t i = 0; i < s->compound->atom_count; i++) {
        int atom = (int)i, bonds[4];
        if (!is_element(s, atom, "C") || s->room[i] != 1) continue;
        size_t count = terminal_bonds(s, atom, bonds);
        if (count == 0) continue;
        const qn_compound_bond *best = &s->compound->bonds[bonds[0]];
        int oxygen = best->first == atom ? best->second : best->first;
        if (s->wish[oxygen] == QN_MATCHING_NEVER || s->compound->atoms[oxygen].charge_e < 0) continue;
        if (shortness(s, bonds[0]) < carbonyl_shortness(s, atom, count)) continue;
        settle(s, bonds[0], QN_BOND_DOUBLE);
        for (size_t k = 1; k < count; k++) {
            const qn_compound_bond *bond = &s->compound->bonds[bonds[k]];
            int anion = bond->first == atom ? bond->second : bond->first;
            settle(s, bonds[k], QN_BOND_SINGLE);
            if (is_element(s, anion, "O") || s->polar_have_hydrogens) charge(s, anion, -1);
            s->room[anion] = 0;
        }
    }
}

/* The lone pair of an amide's nitrogen conjugates with the carbonyl, so the nitrogen gets a double bond only if a
 * carbon needs it. */
static void mind_amides(order_search *s)
{
    for (size_t i = 0; i < s->compound->atom_count && !s->polar_have_hydrogens; i++) {
        if (!is_element(s, (int)i, "N") || s->wish[i] != QN_MATCHING_GLAD) continue;
        for (size_t k = first_bond(s, (int)i); k < end_bond(s, (int)i); k++) {
            int other = other_at(s, k);
            if (is_element(s, other, "C") && known_extra(s, other) > 0) s->wish[i] = QN_MATCHING_RELUCTANT;
        }
    }
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

/* Set two double bonds at a linear atom (azide, isocyanate, allene, carbon dioxide); false: it has none. */
static bool settle_cumulene(order_search *s, int atom)
{
    int bonds[2], others[2], count = 0;
    for (size_t k = first_bond(s, atom); k < end_bond(s, atom) && count < 2; k++) {
        if (!is_open(s, bond_at(s, k)) || s->room[other_at(s, k)] < 1) continue;
        bonds[count] = bond_at(s, k);
        others[count++] = other_at(s, k);
    }
    if (count < 2) return false;
    bool nitrogens = is_element(s, atom, "N") && (is_element(s, others[0], "N") || is_element(s, others[1], "N"));
    bool terminal = is_terminal(s, others[0]) || is_terminal(s, others[1]);
    bool bent = s->room[others[0]] == 1 && s->room[others[1]] == 1;
    if (!nitrogens && !terminal && !bent) return false;
    for (int k = 0; k < 2; k++) {
        settle(s, bonds[k], QN_BOND_DOUBLE);
        if (nitrogens && is_element(s, others[k], "N") && s->degree[others[k]] == 1) charge(s, others[k], -1);
        s->room[others[k]] = 0;
    }
    if (is_element(s, atom, "N")) charge(s, atom, 1);
    return true;
}

/* Set cumulated double bonds, then triple bonds between atoms that can each take part in two double bonds, shortest
 * first. */
static qn_status settle_linear(order_search *s)
{
    size_t bonds = s->compound->bond_count, count = 0;
    for (size_t i = 0; i < s->compound->atom_count; i++)
        if (s->room[i] >= 2 && s->evidence.linear[i]) settle_cumulene(s, (int)i);
    double(*list)[2] = NULL; /* shortness, index */
    QN_TRY(qn_allocate(bonds, sizeof *list, (void **)&list));
    for (size_t i = 0; i < bonds; i++) {
        const qn_compound_bond *bond = &s->compound->bonds[i];
        if (!is_open(s, (int)i) || s->room[bond->first] < 2 || s->room[bond->second] < 2) continue;
        list[count][0] = shortness(s, (int)i);
        list[count++][1] = (double)i;
    }
    if (count > 0) qsort(list, count, sizeof *list, compare_doubles);
    for (size_t i = 0; i < count; i++) {
        int bond = (int)list[i][1];
        if (s->room[s->compound->bonds[bond].first] < 2 || s->room[s->compound->bonds[bond].second] < 2) continue;
        settle(s, bond, QN_BOND_TRIPLE);
    }
    qn_release(&list);
    return QN_OK;
}

typedef struct ranked_bond {
    double preference;
    int bond;
} ranked_bond;

static int compare_ranked(const void *a, const void *b)
{
    const ranked_bond *x = a, *y = b;
    if (x->preference != y->preference) return x->preference > y->preference ? -1 : 1;
    return x->bond < y->bond ? -1 : x->bond > y->bond;
}

/* Set a double bond between two adjacent nitrogens of a flat ring that got none: triazoles, tetrazoles, thiadiazoles.
 */
static void settle_azoles(order_search *s)
{
    for (size_t i = 0; i < s->compound->bond_count; i++) {
        int ends[2] = {s->compound->bonds[i].first, s->compound->bonds[i].second};
        bool free = is_open(s, (int)i) && s->evidence.flat_ring_bond[i];
        for (int k = 0; k < 2 && free; k++) {
            free = is_element(s, ends[k], "N") && s->degree[ends[k]] == 2 && known_extra(s, ends[k]) == 0;
            for (size_t l = first_bond(s, ends[k]); l < end_bond(s, ends[k]) && free; l++)
                for (size_t m = first_bond(s, other_at(s, l)); m < end_bond(s, other_at(s, l)); m++)
                    if (is_terminal(s, other_at(s, m))) free = false; /* next to a carbonyl */
        }
        if (free && s->hydrogens[ends[0]] + s->hydrogens[ends[1]] == 0) s->compound->bonds[i].order = QN_BOND_DOUBLE;
    }
}

/* Distribute double bonds to the atoms that still need one. Bonds of flat rings come before their substituents; bonds
 * as long as those between two aromatic rings come last. */
static qn_status deal_doubles(order_search *s, ranked_bond *ranked, qn_matching_edge *edges, int *partner_edge)
{
    size_t count = 0;
    const qn_compound *compound = s->compound;
    for (size_t i = 0; i < compound->atom_count; i++)
        if (s->room[i] < 1) s->wish[i] = QN_MATCHING_NEVER;
    for (size_t i = 0; i < compound->bond_count; i++) {
        int a = compound->bonds[i].first, b = compound->bonds[i].second;
        if (!is_open(s, (int)i) || s->wish[a] == QN_MATCHING_NEVER || s->wish[b] == QN_MATCHING_NEVER) continue;
        double preference = shortness(s, (int)i) + (s->evidence.flat_ring_bond[i] ? 0.3 : 0);
        if (preference < 0.1 && !s->carbons_have_hydrogens) continue;
        ranked[count++] = (ranked_bond){preference, (int)i};
    }
    if (count > 0) qsort(ranked, count, sizeof *ranked, compare_ranked);
    for (size_t i = 0; i < count; i++)
        edges[i] = (qn_matching_edge){compound->bonds[ranked[i].bond].first, compound->bonds[ranked[i].bond].second};
    size_t likely = 0;
    while (likely < count && ranked[likely].preference > LIKELY_DOUBLE) likely++;
    for (size_t i = 0; i < compound->atom_count; i++) partner_edge[i] = -1;
    QN_TRY(qn_matching_find(compound->atom_count, s->wish, likely, edges, partner_edge));
    QN_TRY(qn_matching_find(compound->atom_count, s->wish, count, edges, partner_edge));
    for (size_t i = 0; i < compound->atom_count; i++)
        if (partner_edge[i] >= 0 && edges[partner_edge[i]].first == (int)i)
            compound->bonds[ranked[partner_edge[i]].bond].order = QN_BOND_DOUBLE;
    settle_azoles(s);
    for (size_t i = 0; i < compound->bond_count; i++)
        if (is_open(s, (int)i)) compound->bonds[i].order = QN_BOND_SINGLE;
    return QN_OK;
}

static qn_status settle_rest(order_search *s)
{
    ranked_bond *ranked = NULL;
    qn_matching_edge *edges = NULL;
    int *partner_edge = NULL;
    qn_status status = qn_allocate(s->compound->bond_count, sizeof *ranked, (void **)&ranked);
    if (status == QN_OK) status = qn_allocate(s->compound->bond_count, sizeof *edges, (void **)&edges);
    if (status == QN_OK) status = qn_allocate(s->compound->atom_count, sizeof *partner_edge, (void **)&partner_edge);
    if (status == QN_OK) status = deal_doubles(s, ranked, edges, partner_edge);
    qn_release(&ranked);
    qn_release(&edges);
    qn_release(&partner_edge);
    return status;
}

/* Whether a trigonal carbon's nitrogens are those of an amidine or guanidine that is charged at pH 7: in no ring, and
 * no nitrogen on another atom that draws electrons (an acyl, nitro or cyano group, an aromatic ring). */
static bool is_strong_base(const order_search *s, int atom)
{
    int nitrogens = 0, carbons = 0, ends = 0;
    if (!is_element(s, atom, "C") || s->degree[atom] != 3) return false;
    for (size_t k = first_bond(s, atom); k < end_bond(s, atom); k++) {
        int other = other_at(s, k);
        if (s->rings.bond_in_ring[bond_at(s, k)]) return false;
        carbons += is_element(s, other, "C");
        if (!is_element(s, other, "N")) continue;
        nitrogens++;
        ends += s->degree[other] == 1;
        for (size_t l = first_bond(s, other); l < end_bond(s, other); l++) {
            int far = other_at(s, l);
            if (far == atom) continue;
            if (!is_element(s, far, "C") || known_extra(s, far) > 0) return false;
        }
    }
    return nitrogens == 3 || (nitrogens == 2 && ends == 2 && carbons == 1);
}

static void charge_nitrogen(order_search *s, int atom)
{
    int sum = s->degree[atom] + known_extra(s, atom);
    if (sum == 4) charge(s, atom, 1);
    if (sum == 2 && s->carbons_have_hydrogens && s->degree[atom] == 2) charge(s, atom, -1);
    if (s->polar_have_hydrogens || sum > 3 || known_extra(s, atom) != 1) return;
    for (size_t k = first_bond(s, atom); k < end_bond(s, atom); k++)
        if (s->compound->bonds[bond_at(s, k)].order == QN_BOND_DOUBLE && is_strong_base(s, other_at(s, k)))
            charge(s, atom, 1);
}

/* Charge a terminal oxygen or sulfur with a single bond and no hydrogen if the hydrogens are known or it is an
 * N-oxide's. */
static void charge_terminal(order_search *s, int atom)
{
    int bond, other = only_neighbour(s, atom, &bond);
    if (known_extra(s, atom) > 0 || other < 0 || s->compound->atoms[atom].hydrogens > 0) return;
    bool oxide = is_element(s, other, "N") && s->degree[other] + known_extra(s, other) >= 4;
    if (s->polar_have_hydrogens || oxide) charge(s, atom, -1);
}

static void set_charges(order_search *s)
{
    for (size_t i = 0; i < s->compound->atom_count; i++) {
        if (is_element(s, (int)i, "N")) charge_nitrogen(s, (int)i);
        if (is_terminal(s, (int)i)) charge_terminal(s, (int)i);
        if (is_element(s, (int)i, "B") && s->degree[i] == 4) charge(s, (int)i, -1);
        if (is_element(s, (int)i, "P") && s->degree[i] == 4 && known_extra(s, (int)i) == 0) charge(s, (int)i, 1);
    }
}

static qn_status prepare(order_search *s)
{
    qn_compound *compound = s->compound;
    QN_TRY(qn_compound_find_neighbours(compound, &s->neighbours));
    QN_TRY(qn_ring_search(compound, &s->neighbours, &s->rings));
    QN_TRY(qn_allocate(compound->bond_count, sizeof(bool), (void **)&s->rings.bond_in_ring));
    for (size_t r = 0; r < s->rings.count; r++)
        for (int i = 0; i < s->rings.rings[r].size; i++) s->rings.bond_in_ring[s->rings.rings[r].bonds[i]] = true;
    QN_TRY(qn_bond_evidence_find(compound, &s->neighbours, &s->rings, &s->evidence));
    QN_TRY(qn_allocate(compound->atom_count, 1, (void **)&s->degree));
    QN_TRY(qn_allocate(compound->atom_count, 1, (void **)&s->hydrogens));
    QN_TRY(qn_allocate(compound->atom_count, 1, (void **)&s->room));
    QN_TRY(qn_allocate(compound->atom_count, sizeof *s->wish, (void **)&s->wish));
    QN_TRY(qn_allocate(compound->atom_count, sizeof(bool), (void **)&s->in_flat_six));
    for (size_t r = 0; r < s->rings.count; r++)
        for (int i = 0; i < s->rings.rings[r].size && s->rings.rings[r].size == 6; i++)
            if (s->evidence.flat_ring_bond[s->rings.rings[r].bonds[0]])
                s->in_flat_six[s->rings.rings[r].atoms[i]] = true;
    count_neighbours(s);
    for (size_t i = 0; i < compound->atom_count; i++) {
        if (is_element(s, (int)i, "C")) wish_carbon(s, (int)i);
        if (is_element(s, (int)i, "N")) wish_nitrogen(s, (int)i);
        if (is_chalcogen(s, (int)i)) wish_chalcogen(s, (int)i);
    }
    return QN_OK;
}

qn_status qn_bonds_find_orders(qn_compound *compound)
{
    order_search s = {.compound = compound};
    qn_status status = prepare(&s);
    if (status == QN_OK) {
        settle_oxo_groups(&s);
        settle_carbonyls(&s);
        mind_amides(&s);
        status = settle_linear(&s);
    }
    if (status == QN_OK) status = settle_rest(&s);
    if (status == QN_OK) set_charges(&s);
    qn_compound_neighbours_clear(&s.neighbours);
    qn_rings_clear(&s.rings);
    qn_bond_evidence_clear(&s.evidence);
    qn_release(&s.degree);
    qn_release(&s.hydrogens);
    qn_release(&s.room);
    qn_release(&s.wish);
    qn_release(&s.in_flat_six);
    return status;
}
