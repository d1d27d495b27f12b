/* AutoDock 4's types of atoms (Huey et al. 2007; the rules of AutoDockTools' manual). */
#include <string.h>

#include "chemistry/bond_orders.h"
#include "score/autodock/graph.h"
#include "score/vina.h"

/* Rings up to this size count as aromatic where all their atoms are planar. */
enum { LARGEST_RING = 7 };

/* Whether an atom may be part of a planar ring: planar itself, or O or S with two bonds. */
static bool fits_planar_ring(const qn_autodock_graph *graph, int atom)
{
    const qn_sybyl_type type = graph->types[atom];
    if (type == QN_SYBYL_O_3 || type == QN_SYBYL_S_3) return graph->heavy[atom] == 2;
    return qn_autodock_is_planar(type);
}

/* Whether a path of planar atoms leads from the end of `path` back to its start. */
static bool closes_ring(const qn_autodock_graph *graph, int *path, int length)
{
    const qn_compound_neighbours *n = &graph->neighbours;
    const int end = path[length - 1];
    for (size_t k = n->start[end]; k < n->start[end + 1]; k++) {
        const int next = n->neighbour[k];
        bool visited = false;
        if (next == path[0] && length >= 5) return true;
        for (int i = 0; i < length; i++) visited |= path[i] == next;
        if (visited || length == LARGEST_RING || !fits_planar_ring(graph, next)) continue;
        path[length] = next;
        if (closes_ring(graph, path, length + 1)) return true;
    }
    return false;
}

bool qn_autodock_in_planar_ring(const qn_autodock_graph *graph, size_t atom)
{
    int path[LARGEST_RING] = {(int)atom};
    return graph->types[atom] == QN_SYBYL_C_AR || (fits_planar_ring(graph, (int)atom) && closes_ring(graph, path, 1));
}

/* AutoDockTools calls a carbon aromatic in a planar ring, whatever its electrons: also in uracil and pyridone. */
static bool is_aromatic(const qn_autodock_graph *graph, size_t atom)
{
    const qn_sybyl_type type = graph->types[atom];
    return (type == QN_SYBYL_C_AR || type == QN_SYBYL_C_2) && qn_autodock_in_planar_ring(graph, atom);
}

/* Thiols, thiolates, thioethers and thiones accept hydrogen bonds; sulfur of thiophenes, sulfoxides and sulfones does
 * not. */
static bool sulfur_accepts(const qn_autodock_graph *graph, size_t atom)
{
    const qn_sybyl_type type = graph->types[atom];
    return type != QN_SYBYL_S_O && type != QN_SYBYL_S_O2 && !qn_autodock_in_planar_ring(graph, atom);
}

static bool accepts(const qn_autodock_graph *graph, size_t atom)
{
    const double charge_e = graph->formal_charge_e[atom];
    const qn_surroundings around = {.heavy = graph->heavy[atom],
                                    .hydrogen = graph->hydrogens[atom] > 0,
                                    .anion = charge_e<0, .cation = charge_e> 0};
    return qn_vina_nitrogen_accepts(graph->types[atom], &around);
}

static bool is_polar(const char *element)
{
    return strcmp(element, "N") == 0 || strcmp(element, "O") == 0 || strcmp(element, "S") == 0;
}

static const char *type_of_hydrogen(const qn_autodock_graph *graph, size_t atom)
{
    const qn_compound_neighbours *n = &graph->neighbours;
    for (size_t k = n->start[atom]; k < n->start[atom + 1]; k++)
        if (is_polar(graph->compound->atoms[n->neighbour[k]].element)) return "HD";
    return "H";
}

const char *qn_autodock_type(const qn_autodock_graph *graph, size_t atom)
{
    static const struct {
        char element[4], type[4];
    } plain[] = {{"O", "OA"},  {"F", "F"},   {"P", "P"},   {"CL", "Cl"}, {"BR", "Br"}, {"I", "I"}, {"MG", "Mg"},
                 {"CA", "Ca"}, {"MN", "Mn"}, {"FE", "Fe"}, {"ZN", "Zn"}, {"SI", "Si"}, {"B", "B"}};
    const char *element = graph->compound->atoms[atom].element;
    if (qn_compound_atom_is_hydrogen(&graph->compound->atoms[atom])) return type_of_hydrogen(graph, atom);
    if (strcmp(element, "C") == 0) return is_aromatic(graph, atom) ? "A" : "C";
    if (strcmp(element, "N") == 0) return accepts(graph, atom) ? "NA" : "N";
    if (strcmp(element, "S") == 0 || strcmp(element, "SE") == 0) return sulfur_accepts(graph, atom) ? "SA" : "S";
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(plain[i].element, element) == 0) return plain[i].type;
    return NULL;
}
