#include "score/autodock/graph.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "chemistry/bond_orders.h"
#include "score/autodock/gasteiger.h"

static bool is_element(const qn_autodock_graph *graph, size_t atom, const char *element)
{
    return strcmp(graph->compound->atoms[atom].element, element) == 0;
}

static bool is_hydrogen(const qn_autodock_graph *graph, size_t atom)
{
    return qn_compound_atom_is_hydrogen(&graph->compound->atoms[atom]);
}

static void count_neighbours(qn_autodock_graph *graph)
{
    const qn_compound_neighbours *n = &graph->neighbours;
    for (size_t i = 0; i < graph->compound->atom_count; i++)
        for (size_t k = n->start[i]; k < n->start[i + 1]; k++) {
            const size_t other = (size_t)n->neighbour[k];
            if (is_hydrogen(graph, other))
                graph->hydrogens[i]++;
            else if (!qn_element_is_metal(graph->compound->atoms[other].element))
                graph->heavy[i]++;
        }
}

qn_status qn_autodock_graph_create(const qn_compound *compound, const qn_sybyl_type *types, qn_autodock_graph *graph)
{
    const size_t count = compound->atom_count;
    *graph = (qn_autodock_graph){.compound = compound, .types = types};
    qn_status status = qn_compound_find_neighbours(compound, &graph->neighbours);
    if (status == QN_OK) status = qn_allocate(count, sizeof *graph->heavy, (void **)&graph->heavy);
    if (status == QN_OK) status = qn_allocate(count, sizeof *graph->hydrogens, (void **)&graph->hydrogens);
    if (status == QN_OK) status = qn_allocate(count, sizeof *graph->formal_charge_e, (void **)&graph->formal_charge_e);
    if (status == QN_OK)
        count_neighbours(graph);
    else
        qn_autodock_graph_clear(graph);
    return status;
}

void qn_autodock_graph_clear(qn_autodock_graph *graph)
{
    qn_compound_neighbours_clear(&graph->neighbours);
    qn_release(&graph->heavy);
    qn_release(&graph->hydrogens);
    qn_release(&graph->formal_charge_e);
    *graph = (qn_autodock_graph){0};
}

int qn_autodock_hydrogens_by_type(qn_sybyl_type type, int heavy)
{
    int bonds = 0;
    switch (type) {
    case QN_SYBYL_C_3:
    case QN_SYBYL_N_4: bonds = 4; break;
    case QN_SYBYL_C_2:
    case QN_SYBYL_C_AR:
    case QN_SYBYL_C_CAT:
    case QN_SYBYL_N_3:
    case QN_SYBYL_N_AM:
    case QN_SYBYL_N_PL3: bonds = 3; break;
    case QN_SYBYL_C_1:
    case QN_SYBYL_N_2:
    case QN_SYBYL_O_3:
    case QN_SYBYL_S_3: bonds = 2; break;
    default: return 0;
    }
    return bonds > heavy ? bonds - heavy : 0;
}

bool qn_autodock_is_planar(qn_sybyl_type type)
{
    switch (type) {
    case QN_SYBYL_C_2:
    case QN_SYBYL_C_AR:
    case QN_SYBYL_C_CAT:
    case QN_SYBYL_N_2:
    case QN_SYBYL_N_AR:
    case QN_SYBYL_N_AM:
    case QN_SYBYL_N_PL3: return true;
    default: return false;
    }
}

static bool has_planar_neighbour(const qn_autodock_graph *graph, size_t atom)
{
    const qn_compound_neighbours *n = &graph->neighbours;
    for (size_t k = n->start[atom]; k < n->start[atom + 1]; k++) {
        const qn_sybyl_type type = graph->types[n->neighbour[k]];
        if (qn_autodock_is_planar(type) && type != QN_SYBYL_N_AM) return true;
    }
    return false;
}

static bool has_neighbour(const qn_autodock_graph *graph, size_t atom, const char *element)
{
    const qn_compound_neighbours *n = &graph->neighbours;
    for (size_t k = n->start[atom]; k < n->start[atom + 1]; k++)
        if (is_element(graph, (size_t)n->neighbour[k], element)) return true;
    return false;
}

/* Hybridisation follows from the type. An oxygen beside a planar atom counts as planar (phenol, ester, furan), a sulfur
 * in a planar ring, and the nitrogen of a sulfonamide if its other neighbour is planar. */
static qn_gasteiger_kind kind_of(const qn_autodock_graph *graph, size_t atom)
{
    switch (graph->types[atom]) {
    case QN_SYBYL_C_3: return QN_GASTEIGER_C_3;
    case QN_SYBYL_C_2:
    case QN_SYBYL_C_AR:
    case QN_SYBYL_C_CAT: return QN_GASTEIGER_C_2;
    case QN_SYBYL_C_1: return QN_GASTEIGER_C_1;
    case QN_SYBYL_N_4:
    case QN_SYBYL_N_3: return QN_GASTEIGER_N_3;
    case QN_SYBYL_N_AM:
        return has_neighbour(graph, atom, "S") && !has_planar_neighbour(graph, atom) ? QN_GASTEIGER_N_3
                                                                                     : QN_GASTEIGER_N_2;
    case QN_SYBYL_N_2:
    case QN_SYBYL_N_AR:
    case QN_SYBYL_N_PL3: return QN_GASTEIGER_N_2;
    case QN_SYBYL_N_1: return QN_GASTEIGER_N_1;
    case QN_SYBYL_O_3: return has_planar_neighbour(graph, atom) ? QN_GASTEIGER_O_2 : QN_GASTEIGER_O_3;
    case QN_SYBYL_O_2:
    case QN_SYBYL_O_CO2: return QN_GASTEIGER_O_2;
    case QN_SYBYL_S_3: return qn_autodock_in_planar_ring(graph, atom) ? QN_GASTEIGER_S_2 : QN_GASTEIGER_S_3;
    case QN_SYBYL_SE:
    case QN_SYBYL_S_O:
    case QN_SYBYL_S_O2: return QN_GASTEIGER_S_3;
    case QN_SYBYL_S_2: return QN_GASTEIGER_S_2;
    case QN_SYBYL_P_3: return QN_GASTEIGER_P;
    case QN_SYBYL_F: return QN_GASTEIGER_F;
    case QN_SYBYL_CL: return QN_GASTEIGER_CL;
    case QN_SYBYL_BR: return QN_GASTEIGER_BR;
    case QN_SYBYL_I: return QN_GASTEIGER_I;
    case QN_SYBYL_SI: return QN_GASTEIGER_SI;
    case QN_SYBYL_B: return QN_GASTEIGER_B;
    default: return QN_GASTEIGER_NONE;
    }
}

/* Share the charge of the terminal oxygens of one atom among them. Types tell how many negative charges an acid's
 * oxygens have: all but one of phosphorus and carbon, all but two of sulfur. Other oxygens (nitro groups) have what
 * the file states. */
static void charge_oxygens(qn_autodock_graph *graph, size_t centre)
{
    const qn_compound_neighbours *n = &graph->neighbours;
    int oxygens = 0, acid = 0;
    double charge_e = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = n->start[centre]; k < n->start[centre + 1]; k++) {
            const size_t atom = (size_t)n->neighbour[k];
            if (!is_element(graph, atom, "O") || graph->heavy[atom] != 1 || graph->hydrogens[atom] > 0) continue;
            if (pass == 1) {
                graph->formal_charge_e[atom] = charge_e / oxygens;
                continue;
            }
            oxygens++;
            acid += graph->types[atom] == QN_SYBYL_O_CO2;
            charge_e += graph->compound->atoms[atom].charge_e;
        }
        if (pass == 0 && acid > 0) charge_e = (is_element(graph, centre, "S") ? 2 : 1) - acid;
        if (pass == 0 && acid == 1) charge_e = -1; /* the other oxygen has a hydrogen, or is missing in the file */
        if (oxygens == 0) return;
    }
}

/* Share +1 among the nitrogens of a cationic group around this carbon: guanidinium (C.cat), and imidazolium, whose two
 * nitrogens both have a hydrogen or a third neighbour. */
static void charge_nitrogens(qn_autodock_graph *graph, size_t centre)
{
    const qn_compound_neighbours *n = &graph->neighbours;
    int nitrogens = 0, carbons = 0;
    double stated_e = 0;
    if (!qn_autodock_is_planar(graph->types[centre]) || !is_element(graph, centre, "C")) return;
    for (size_t k = n->start[centre]; k < n->start[centre + 1]; k++) {
        const size_t atom = (size_t)n->neighbour[k];
        if (is_hydrogen(graph, atom)) continue;
        const bool full = graph->types[atom] == QN_SYBYL_N_PL3 || graph->types[atom] == QN_SYBYL_N_AR;
        if (full && graph->heavy[atom] + graph->hydrogens[atom] == 3) {
            nitrogens++;
            stated_e += graph->compound->atoms[atom].charge_e;
        } else
            carbons++;
    }
    const bool guanidinium = graph->types[centre] == QN_SYBYL_C_CAT && nitrogens >= 2;
    const bool imidazolium = graph->types[centre] == QN_SYBYL_C_AR && nitrogens == 2 && carbons == 0;
    if (!guanidinium && !imidazolium && !(stated_e > 0 && nitrogens >= 2)) return;
    for (size_t k = n->start[centre]; k < n->start[centre + 1]; k++) {
        const size_t atom = (size_t)n->neighbour[k];
        if (is_element(graph, atom, "N") && graph->heavy[atom] + graph->hydrogens[atom] == 3)
            graph->formal_charge_e[atom] = 1.0 / nitrogens;
    }
}

int qn_autodock_ion_charge(const char *element)
{
    static const struct {
        char element[4];
        int charge_e;
    } ions[] = {{"MG", 2}, {"CA", 2}, {"MN", 2}, {"FE", 2}, {"ZN", 2}, {"NA", 1}, {"K", 1}, {"CU", 2},
                {"CO", 2}, {"NI", 2}, {"CD", 2}, {"HG", 2}, {"LI", 1}, {"RB", 1}, {"CS", 1}};
    for (size_t i = 0; i < sizeof ions / sizeof *ions; i++)
        if (strcmp(element, ions[i].element) == 0) return ions[i].charge_e;
    return 0;
}

static double charge_of_atom(const qn_autodock_graph *graph, size_t i)
{
    const qn_compound_atom *atom = &graph->compound->atoms[i];
    const qn_sybyl_type type = graph->types[i];
    const bool halogen = type == QN_SYBYL_F || type == QN_SYBYL_CL || type == QN_SYBYL_BR || type == QN_SYBYL_I;
    if (atom->charge_e != 0) return atom->charge_e;
    if (qn_element_is_metal(atom->element)) return qn_autodock_ion_charge(atom->element);
    if (halogen && graph->heavy[i] + graph->hydrogens[i] == 0) return -1;
    if (type == QN_SYBYL_N_4) return 1;
    const bool chalcogen = type == QN_SYBYL_S_3 || type == QN_SYBYL_O_3;
    return chalcogen && graph->heavy[i] == 1 && graph->hydrogens[i] == 0 ? -1 : 0;
}

void qn_autodock_formal_charges(qn_autodock_graph *graph)
{
    for (size_t i = 0; i < graph->compound->atom_count; i++)
        graph->formal_charge_e[i] = is_hydrogen(graph, i) ? 0 : charge_of_atom(graph, i);
    for (size_t i = 0; i < graph->compound->atom_count; i++) {
        if (is_hydrogen(graph, i)) continue;
        charge_oxygens(graph, i);
        charge_nitrogens(graph, i);
    }
}

static qn_status find_bonds(const qn_autodock_graph *graph, qn_gasteiger_bond **bonds, size_t *count)
{
    const qn_compound *compound = graph->compound;
    QN_TRY(qn_allocate(compound->bond_count, sizeof **bonds, (void **)bonds));
    *count = 0;
    for (size_t i = 0; i < compound->bond_count; i++) {
        const qn_compound_bond *bond = &compound->bonds[i];
        if (is_hydrogen(graph, (size_t)bond->first) || is_hydrogen(graph, (size_t)bond->second)) continue;
        (*bonds)[(*count)++] = (qn_gasteiger_bond){bond->first, bond->second};
    }
    return QN_OK;
}

qn_status qn_autodock_charges(const qn_autodock_graph *graph, double *charges_e, double *hydrogen_charges_e)
{
    const size_t count = graph->compound->atom_count;
    qn_gasteiger_atom *atoms = NULL;
    qn_gasteiger_bond *bonds = NULL;
    size_t bond_count = 0;
    QN_TRY(qn_allocate(count, sizeof *atoms, (void **)&atoms));
    for (size_t i = 0; i < count; i++)
        atoms[i] = (qn_gasteiger_atom){.kind = is_hydrogen(graph, i) ? QN_GASTEIGER_NONE : kind_of(graph, i),
                                       .hydrogens = graph->hydrogens[i],
                                       .charge_e = graph->formal_charge_e[i]};
    qn_status status = find_bonds(graph, &bonds, &bond_count);
    if (status == QN_OK) status = qn_gasteiger_charges(bonds, bond_count, atoms, count);
    for (size_t i = 0; i < count && status == QN_OK; i++) {
        charges_e[i] = atoms[i].charge_e;
        hydrogen_charges_e[i] = atoms[i].hydrogen_charge_e;
    }
    qn_release(&atoms);
    qn_release(&bonds);
    return status;
}
