/* Hückel's rule: a planar ring of atoms that each have a p orbital is aromatic with 4n + 2 electrons in them.
 *
 * An atom gives one electron when it has a double bond within candidate rings (so within the ring or into one fused to
 * it), two with a lone pair (pyrrole's N, furan's O, an anion), none with an empty orbital (a cation, boron). An atom
 * with a double bond that leaves the rings is not a candidate: quinones, pyridone, uracil and similar compounds are not
 * aromatic. That is debatable for pyridone, but all known SYBYL typings and scoring functions that distinguish donors
 * from acceptors treat its N as an amide's and its C=O as a carbonyl. Only rings of 5 to 7 atoms are examined: smaller
 * and larger ones are not planar or do not occur. Orbitals follow from bonds, not positions, so a drawing and a crystal
 * structure of one molecule give the same result. */
#include "chemistry/rings.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "chemistry/bond_orders.h"
#include "chemistry/ring_search.h"

enum { SMALLEST = 5, MAX = 7, RINGS_MAX = 3, ATOMS_MAX = RINGS_MAX * MAX, NO_ORBITAL = -1 };

typedef struct aromatic_search {
    const qn_compound *compound;
    const qn_compound_neighbours *neighbours;
    const qn_bond_orders *orders;
    qn_rings *rings;
    signed char *electrons; /* per atom; NO_ORBITAL */
    bool *candidate;        /* per ring: every atom has an orbital */
    int *double_bond;       /* per atom: its double bond; −1 */
    bool *bond_in_candidate;
    int (*bond_rings)[2]; /* per bond: two of the candidate rings it lies in; −1 */
} aromatic_search;

static bool is_element(const qn_compound_atom *atom, const char *element)
{
    return strcmp(atom->element, element) == 0;
}

/* Electrons that an atom without a double bond gives. */
static int lone_electrons(const qn_compound_atom *atom, const qn_atom_bonds *bonds)
{
    int connections = bonds->heavy + bonds->hydrogens;
    if (is_element(atom, "C")) {
        if (connections > 3) return NO_ORBITAL;
        if (atom->charge_e < 0) return 2;
        if (atom->charge_e > 0) return 0;
        return NO_ORBITAL;
    }
    if (is_element(atom, "N")) return connections > 3 || atom->charge_e > 0 ? NO_ORBITAL : 2;
    if (is_element(atom, "O") || is_element(atom, "S") || is_element(atom, "SE") || is_element(atom, "TE"))
        return connections > 2 || atom->charge_e > 0 ? NO_ORBITAL : 2;
    if (is_element(atom, "B")) return connections > 3 ? NO_ORBITAL : 0;
    return NO_ORBITAL;
}

/* Electrons of a carbon that the file draws in a ring of aromatic bonds but that got no double bond because a charge is
 * missing: the number that makes a ring of this size aromatic (the anion of cyclopentadienyl, the cation of
 * tropylium). */
static int drawn_electrons(const aromatic_search *search, int atom, int ring_size)
{
    const qn_atom_bonds *bonds = &search->orders->atoms[atom];
    if (!bonds->drawn_aromatic || !is_element(&search->compound->atoms[atom], "C")) return NO_ORBITAL;
    if (bonds->doubles + bonds->triples > 0 || bonds->heavy + bonds->hydrogens > 3) return NO_ORBITAL;
    return ring_size == 5 ? 2 : ring_size == 7 ? 0 : NO_ORBITAL;
}

static void find_electrons(aromatic_search *search)
{
    const qn_compound *compound = search->compound;
    for (size_t i = 0; i < compound->atom_count; i++) {
        const qn_atom_bonds *bonds = &search->orders->atoms[i];
        search->double_bond[i] = -1;
        for (size_t k = search->neighbours->start[i]; k < search->neighbours->start[i + 1]; k++) {
            int bond = search->neighbours->bond[k];
            if (search->orders->order[bond] != 2) continue;
            /* of two double bonds (N-oxides drawn with five bonds) the one in a ring is taken */
            if (search->double_bond[i] < 0 || search->rings->bond_in_ring[bond]) search->double_bond[i] = bond;
        }
        bool pentavalent = is_element(&compound->atoms[i], "N") && bonds->doubles == 2 && bonds->order_sum == 5;
        if (bonds->triples > 0 || (bonds->doubles > 1 && !pentavalent))
            search->electrons[i] = NO_ORBITAL;
        else if (bonds->doubles > 0)
            search->electrons[i] = bonds->heavy + bonds->hydrogens > 3 ? NO_ORBITAL : 1;
        else
            search->electrons[i] = (signed char)lone_electrons(&compound->atoms[i], bonds);
    }
    for (size_t r = 0; r < search->rings->count; r++) {
        const qn_ring *ring = &search->rings->rings[r];
        for (int i = 0; i < ring->size; i++)
            if (search->electrons[ring->atoms[i]] == NO_ORBITAL)
                search->electrons[ring->atoms[i]] = (signed char)drawn_electrons(search, ring->atoms[i], ring->size);
    }
}

/* Find rings of atoms with orbitals, without those that have a double bond leading out of such rings. Removing a ring
 * may make another ring's double bond lead outside; each pass removes at least one ring. */
static void find_candidates(aromatic_search *search)
{
    qn_rings *rings = search->rings;
    for (size_t r = 0; r < rings->count; r++) {
        const qn_ring *ring = &rings->rings[r];
        search->candidate[r] = ring->size >= SMALLEST && ring->size <= MAX;
        for (int i = 0; i < ring->size; i++)
            if (search->electrons[ring->atoms[i]] == NO_ORBITAL) search->candidate[r] = false;
    }
    for (bool changed = true; changed;) {
        changed = false;
        memset(search->bond_in_candidate, 0, search->compound->bond_count);
        for (size_t r = 0; r < rings->count; r++)
            for (int i = 0; search->candidate[r] && i < rings->rings[r].size; i++)
                search->bond_in_candidate[rings->rings[r].bonds[i]] = true;
        for (size_t r = 0; r < rings->count; r++) {
            const qn_ring *ring = &rings->rings[r];
            for (int i = 0; search->candidate[r] && i < ring->size; i++) {
                int bond = search->double_bond[ring->atoms[i]];
                if (bond < 0 || search->bond_in_candidate[bond]) continue;
                search->candidate[r] = false;
                changed = true;
            }
        }
    }
}

/* Whether the atoms of some rings together, each counted once, obey the rule. More than two electrons beyond one for
 * each atom are adjacent lone pairs, as in rings of sulfur, which are puckered. */
static bool obeys_rule(const aromatic_search *search, const int *members, int count)
{
    int atoms[ATOMS_MAX], atom_count = 0, electrons = 0;
    for (int m = 0; m < count; m++) {
        const qn_ring *ring = &search->rings->rings[members[m]];
        for (int i = 0; i < ring->size; i++) {
            bool known = false;
            for (int k = 0; k < atom_count; k++) known |= atoms[k] == ring->atoms[i];
            if (known) continue;
            atoms[atom_count++] = ring->atoms[i];
            electrons += search->electrons[ring->atoms[i]];
        }
    }
    return electrons % 4 == 2 && electrons <= atom_count + 2;
}

/* The other candidate ring that shares this bond of ring `r`, or −1. */
static int ring_across(const aromatic_search *search, int r, int bond)
{
    const int *rings = search->bond_rings[bond];
    return rings[0] == r ? rings[1] : rings[0];
}

/* Try ring `r`, which is not aromatic alone, together with one or two more rings that are fused to it or to each other.
 */
static void try_fused(aromatic_search *search, int r)
{
    qn_ring *ring = &search->rings->rings[r];
    for (int extra = 1; extra < RINGS_MAX; extra++)
        for (int i = 0; i < ring->size; i++) {
            int second = ring_across(search, r, ring->bonds[i]);
            if (second < 0) continue;
            if (extra == 1) {
                if (obeys_rule(search, (int[]){r, second}, 2)) {
                    ring->aromatic = search->rings->rings[second].aromatic = true;
                    return;
                }
                continue;
            }
            const qn_ring *between = &search->rings->rings[second];
            for (int k = 0; k < ring->size + between->size; k++) {
                int bond = k < ring->size ? ring->bonds[k] : between->bonds[k - ring->size];
                int third = ring_across(search, k < ring->size ? r : second, bond);
                if (third < 0 || third == r || third == second) continue;
                if (!obeys_rule(search, (int[]){r, second, third}, 3)) continue;
                ring->aromatic = search->rings->rings[second].aromatic = search->rings->rings[third].aromatic = true;
                return;
            }
        }
}

static void apply_rule(aromatic_search *search)
{
    qn_rings *rings = search->rings;
    for (size_t i = 0; i < search->compound->bond_count; i++) search->bond_rings[i][0] = search->bond_rings[i][1] = -1;
    for (size_t r = 0; r < rings->count; r++) {
        if (!search->candidate[r]) continue;
        rings->rings[r].aromatic = obeys_rule(search, (int[]){(int)r}, 1);
        for (int i = 0; i < rings->rings[r].size; i++) {
            int *pair = search->bond_rings[rings->rings[r].bonds[i]];
            if (pair[0] < 0)
                pair[0] = (int)r;
            else
                pair[1] = (int)r;
        }
    }
    for (size_t r = 0; r < rings->count; r++)
        if (search->candidate[r] && !rings->rings[r].aromatic) try_fused(search, (int)r);
    for (size_t r = 0; r < rings->count; r++)
        for (int i = 0; rings->rings[r].aromatic && i < rings->rings[r].size; i++) {
            rings->bond_aromatic[rings->rings[r].bonds[i]] = true;
            rings->atom_aromatic[rings->rings[r].atoms[i]] = true;
        }
}

static qn_status find_aromatic(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                               const qn_bond_orders *orders, qn_rings *rings)
{
    aromatic_search search = {.compound = compound, .neighbours = neighbours, .orders = orders, .rings = rings};
    size_t atoms = compound->atom_count, bonds = compound->bond_count;
    qn_status status = qn_allocate(atoms, 1, (void **)&search.electrons);
    if (status == QN_OK) status = qn_allocate(rings->count, sizeof(bool), (void **)&search.candidate);
    if (status == QN_OK) status = qn_allocate(atoms, sizeof(int), (void **)&search.double_bond);
    if (status == QN_OK) status = qn_allocate(bonds, sizeof(bool), (void **)&search.bond_in_candidate);
    if (status == QN_OK) status = qn_allocate(bonds, sizeof *search.bond_rings, (void **)&search.bond_rings);
    if (status == QN_OK && rings->count > 0) {
        find_electrons(&search);
        find_candidates(&search);
        apply_rule(&search);
    }
    qn_release(&search.electrons);
    qn_release(&search.candidate);
    qn_release(&search.double_bond);
    qn_release(&search.bond_in_candidate);
    qn_release(&search.bond_rings);
    return status;
}

static qn_status fill_rings(const qn_compound *compound, const qn_compound_neighbours *neighbours, qn_rings *rings)
{
    QN_TRY(qn_allocate(compound->bond_count, sizeof(bool), (void **)&rings->bond_in_ring));
    QN_TRY(qn_allocate(compound->bond_count, sizeof(bool), (void **)&rings->bond_aromatic));
    QN_TRY(qn_allocate(compound->atom_count, sizeof(bool), (void **)&rings->atom_aromatic));
    QN_TRY(qn_ring_search(compound, neighbours, rings));
    for (size_t r = 0; r < rings->count; r++)
        for (int i = 0; i < rings->rings[r].size; i++) rings->bond_in_ring[rings->rings[r].bonds[i]] = true;
    qn_bond_orders orders;
    QN_TRY(qn_bond_orders_find(compound, neighbours, &orders));
    qn_status status = find_aromatic(compound, neighbours, &orders, rings);
    qn_bond_orders_clear(&orders);
    return status;
}

qn_status qn_rings_find(const qn_compound *compound, const qn_compound_neighbours *neighbours, qn_rings *rings)
{
    *rings = (qn_rings){0};
    qn_status status = fill_rings(compound, neighbours, rings);
    if (status != QN_OK) qn_rings_clear(rings);
    return status;
}

void qn_rings_clear(qn_rings *rings)
{
    for (size_t r = 0; r < rings->count; r++) {
        qn_release(&rings->rings[r].atoms);
        qn_release(&rings->rings[r].bonds);
    }
    qn_release(&rings->rings);
    qn_release(&rings->bond_in_ring);
    qn_release(&rings->bond_aromatic);
    qn_release(&rings->atom_aromatic);
    *rings = (qn_rings){0};
}
