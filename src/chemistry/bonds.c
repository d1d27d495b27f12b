#include "chemistry/bonds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "chemistry/bond_orders.h"
#include "model/neighbour_grid.h"

/* Two atoms are bound up to this distance (Å) beyond the sum of their radii, the uncertainty of crystal structures.
 * Positions of hydrogens are more accurate, or computed. */
static const double TOLERANCE = 0.45, HYDROGEN_TOLERANCE = 0.30;
/* Atoms nearer than this (Å) are alternate places of one atom. */
static const double SMALLEST_DISTANCE = 0.5;
/* Average number of pairs examined for each atom; input with more is not a molecule. */
enum { PAIRS_MAX = 200 };

typedef struct element_entry {
    char element[4];
    float radius_angstrom;
    signed char most_bonds;
} element_entry;

/* Covalent radii: Cordero et al. 2008, Dalton Trans. 2832. Bonds: the largest number found in organic molecules. */
static const element_entry elements[] = {
    {"H", 0.31F, 1},   {"D", 0.31F, 1},  {"T", 0.31F, 1},  {"B", 0.84F, 6},  {"C", 0.76F, 4},  {"N", 0.71F, 4},
    {"O", 0.66F, 2},   {"F", 0.57F, 1},  {"SI", 1.11F, 6}, {"P", 1.07F, 6},  {"S", 1.05F, 6},  {"CL", 1.02F, 4},
    {"GE", 1.20F, 6},  {"AS", 1.19F, 6}, {"SE", 1.20F, 6}, {"BR", 1.20F, 4}, {"SB", 1.39F, 6}, {"TE", 1.38F, 6},
    {"I", 1.39F, 4},   {"AL", 1.21F, 8}, {"TI", 1.60F, 8}, {"V", 1.53F, 8},  {"CR", 1.39F, 8}, {"MN", 1.39F, 8},
    {"FE", 1.32F, 12}, {"CO", 1.26F, 8}, {"NI", 1.24F, 8}, {"CU", 1.32F, 8}, {"ZN", 1.22F, 8}, {"MO", 1.54F, 8},
    {"RU", 1.46F, 12}, {"RH", 1.42F, 8}, {"PD", 1.39F, 8}, {"AG", 1.45F, 8}, {"CD", 1.44F, 8}, {"SN", 1.39F, 8},
    {"W", 1.62F, 8},   {"RE", 1.51F, 8}, {"OS", 1.44F, 8}, {"IR", 1.41F, 8}, {"PT", 1.36F, 8}, {"AU", 1.36F, 8},
    {"HG", 1.32F, 8},
};

/* Return the entry of an element; NULL: it is never bound (alkali and alkaline earth ions, noble gases, unknown
 * elements). */
static const element_entry *entry_of(const char *element)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (strcmp(elements[i].element, element) == 0) return &elements[i];
    return NULL;
}

typedef struct found_bond {
    int first, second;
    float excess_angstrom; /* distance − sum of radii */
} found_bond;

typedef struct connector {
    const qn_compound *compound;
    const double *positions;
    const element_entry **entries; /* per atom */
    bool *metal;
    found_bond *bonds;
    size_t count, capacity, pairs;
    size_t atom;      /* the atom whose neighbours are being visited */
    qn_status status; /* status of the visits */
} connector;

static void visit(size_t other, void *user)
{
    connector *c = user;
    c->pairs++;
    if (other <= c->atom || c->status != QN_OK) return;
    const element_entry *a = c->entries[c->atom], *b = c->entries[other];
    if (!a || !b || (c->metal[c->atom] && c->metal[other])) return;
    bool hydrogen_a = a->radius_angstrom < 0.4F, hydrogen_b = b->radius_angstrom < 0.4F;
    if (hydrogen_a && hydrogen_b) return;
    if ((hydrogen_a || hydrogen_b) && (c->metal[c->atom] || c->metal[other])) return;
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double difference = c->positions[3 * other + (size_t)k] - c->positions[3 * c->atom + (size_t)k];
        square += difference * difference;
    }
    double excess = sqrt(square) - (double)(a->radius_angstrom + b->radius_angstrom);
    double tolerance = hydrogen_a || hydrogen_b ? HYDROGEN_TOLERANCE : TOLERANCE;
    if (excess > tolerance || square < SMALLEST_DISTANCE * SMALLEST_DISTANCE) return;
    void *bonds = c->bonds;
    c->status = qn_grow(&bonds, &c->capacity, c->count + 1, sizeof *c->bonds);
    c->bonds = bonds;
    if (c->status == QN_OK) c->bonds[c->count++] = (found_bond){(int)c->atom, (int)other, (float)excess};
}

static qn_status find_pairs(connector *c)
{
    size_t atoms = c->compound->atom_count;
    double largest = 0;
    for (size_t i = 0; i < atoms; i++)
        if (c->entries[i] && c->entries[i]->radius_angstrom > largest) largest = (double)c->entries[i]->radius_angstrom;
    qn_neighbour_grid *grid;
    QN_TRY(qn_neighbour_grid_create(c->positions, atoms, 2 * largest + TOLERANCE, &grid));
    for (c->atom = 0; c->atom < atoms && c->status == QN_OK && c->pairs <= PAIRS_MAX * (atoms + 100); c->atom++)
        if (c->entries[c->atom]) qn_neighbour_grid_each(grid, c->positions + 3 * c->atom, visit, c);
    qn_neighbour_grid_destroy(&grid);
    if (c->status == QN_OK && c->pairs > PAIRS_MAX * (atoms + 100))
        return QN_FAIL(QN_BAD_FORMAT, "%s: %zu atoms lie too close to each other to find their bonds",
                       c->compound->name, atoms);
    return c->status;
}

static int compare_excess(const void *a, const void *b)
{
    const found_bond *x = a, *y = b;
    if (x->excess_angstrom != y->excess_angstrom) return x->excess_angstrom < y->excess_angstrom ? -1 : 1;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return x->second < y->second ? -1 : x->second > y->second;
}

/* Give each atom no more bonds than its element can have, and keep the shortest ones relative to the sums of radii.
 * Bonds to metals are not counted for the other atom. The kept bonds are sorted by their atoms. */
static qn_status keep_possible(connector *c, qn_compound *compound)
{
    unsigned char *degree = NULL;
    qn_status status = qn_allocate(compound->atom_count, 1, (void **)&degree);
    if (status == QN_OK && c->count > 0) {
        qsort(c->bonds, c->count, sizeof *c->bonds, compare_excess);
        size_t kept = 0;
        for (size_t i = 0; i < c->count; i++) {
            found_bond bond = c->bonds[i];
            int a = bond.first, b = bond.second;
            bool metal = c->metal[a] || c->metal[b];
            if (degree[a] >= c->entries[a]->most_bonds && !c->metal[b]) continue;
            if (degree[b] >= c->entries[b]->most_bonds && !c->metal[a]) continue;
            degree[a] = (unsigned char)(degree[a] + !metal);
            degree[b] = (unsigned char)(degree[b] + !metal);
            c->bonds[kept++] = bond;
        }
        c->count = kept;
        for (size_t i = 0; i < kept; i++) c->bonds[i].excess_angstrom = 0;
        qsort(c->bonds, kept, sizeof *c->bonds, compare_excess);
    }
    qn_release(&degree);
    return status;
}

static qn_status store_bonds(const connector *c, qn_compound *compound)
{
    void *bonds;
    QN_TRY(qn_allocate(c->count, sizeof *compound->bonds, &bonds));
    qn_release(&compound->bonds);
    compound->bonds = bonds;
    compound->bond_count = c->count;
    for (size_t i = 0; i < c->count; i++)
        compound->bonds[i] = (qn_compound_bond){c->bonds[i].first, c->bonds[i].second, QN_BOND_UNKNOWN};
    return QN_OK;
}

qn_status qn_bonds_connect(qn_compound *compound)
{
    if (compound->bond_count > 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: already has %zu bonds", compound->name, compound->bond_count);
    if (compound->conformer_count == 0 || compound->atom_count == 0) return QN_OK;
    connector c = {.compound = compound, .positions = qn_compound_positions(compound, 0), .status = QN_OK};
    qn_status status = qn_allocate(compound->atom_count, sizeof *c.entries, (void **)&c.entries);
    if (status == QN_OK) status = qn_allocate(compound->atom_count, sizeof *c.metal, (void **)&c.metal);
    if (status == QN_OK) {
        for (size_t i = 0; i < compound->atom_count; i++) {
            c.entries[i] = entry_of(compound->atoms[i].element);
            c.metal[i] = qn_element_is_metal(compound->atoms[i].element);
        }
        status = find_pairs(&c);
    }
    if (status == QN_OK) status = keep_possible(&c, compound);
    if (status == QN_OK) status = store_bonds(&c, compound);
    qn_release(&c.entries);
    qn_release(&c.metal);
    qn_release(&c.bonds);
    return status;
}

qn_status qn_bonds_from_molecule(const qn_molecule *molecule, const size_t *atoms, size_t count, qn_compound **out)
{
    qn_compound *compound;
    QN_TRY(qn_compound_create(molecule->name ? molecule->name : "", count, 0, 1, &compound));
    double *positions = qn_compound_positions(compound, 0);
    for (size_t i = 0; i < count; i++) {
        const qn_atom *atom = &molecule->atoms[atoms[i]];
        memcpy(compound->atoms[i].element, atom->element, sizeof atom->element);
        memcpy(compound->atoms[i].name, atom->name, sizeof atom->name);
        compound->atoms[i].charge_e = atom->charge_e;
        memcpy(positions + 3 * i, atom->position_angstrom, 3 * sizeof *positions);
    }
    qn_status status = qn_bonds_connect(compound);
    if (status != QN_OK) qn_compound_destroy(&compound);
    *out = compound;
    return status;
}
