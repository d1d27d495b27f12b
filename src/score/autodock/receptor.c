/* Receptors for AutoDock: which hydrogens atoms have, where the missing polar ones are, and what is merged. */
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "chemistry/bond_orders.h"
#include "chemistry/bonds.h"
#include "chemistry/residue_types.h"
#include "model/atom.h"
#include "model/residue_names.h"
#include "score/atom_table.h"
#include "score/autodock/atoms.h"
#include "score/autodock/graph.h"
#include "score/polar_hydrogens.h"

typedef struct preparation {
    const qn_molecule *molecule;
    qn_compound *compound; /* all atoms of the molecule */
    qn_sybyl_type *types;
    qn_autodock_graph graph;
    qn_table_names names;
    double *charges_e, *hydrogen_charges_e;
    int *drawn; /* hydrogens of the file on each atom */
    qn_hydrogen_list built;
    qn_autodock_atoms *atoms;
} preparation;

static bool is_polar(const char *element)
{
    return strcmp(element, "N") == 0 || strcmp(element, "O") == 0 || strcmp(element, "S") == 0;
}

static bool has_metal_neighbour(const preparation *p, size_t atom)
{
    const qn_compound_neighbours *n = &p->graph.neighbours;
    for (size_t k = n->start[atom]; k < n->start[atom + 1]; k++)
        if (qn_element_is_metal(p->molecule->atoms[n->neighbour[k]].element)) return true;
    return false;
}

/* Enter a histidine into the atom table's names by the hydrogens that its types imply. A histidine whose types imply
 * none gets one on NE2, or on ND1 where a metal is bound to NE2. */
static void settle_histidine(preparation *p, size_t residue)
{
    const long nd1 = qn_table_names_find(&p->names, residue, "ND1"),
               ne2 = qn_table_names_find(&p->names, residue, "NE2");
    if (nd1 < 0 || ne2 < 0) return;
    if (p->types[nd1] == QN_SYBYL_N_AR && p->types[ne2] == QN_SYBYL_N_AR) {
        if (!has_metal_neighbour(p, (size_t)ne2))
            p->types[ne2] = QN_SYBYL_N_PL3;
        else if (!has_metal_neighbour(p, (size_t)nd1))
            p->types[nd1] = QN_SYBYL_N_PL3;
    }
    const bool at_delta = p->types[nd1] == QN_SYBYL_N_PL3, at_epsilon = p->types[ne2] == QN_SYBYL_N_PL3;
    qn_table_residue *entries = &p->names.residues[residue];
    entries->count = qn_atom_table_residue(at_delta && at_epsilon ? "HSC"
                                           : at_epsilon           ? "HSD"
                                                                  : "HIS",
                                           &entries->first);
}

static bool is_histidine(const preparation *p, size_t residue)
{
    const qn_table_residue *entries = &p->names.residues[residue];
    const char *name = entries->count ? qn_atom_table[entries->first].residue : "";
    return strcmp(name, "HIS") == 0 || strcmp(name, "HSD") == 0 || strcmp(name, "HSC") == 0;
}

/* Number of hydrogens that an atom has although its residue has none in the file. */
static int missing_hydrogens(const preparation *p, size_t atom)
{
    const qn_atom *a = &p->molecule->atoms[atom];
    const char *residue = p->molecule->residues[a->residue].name;
    const qn_sybyl_type type = p->types[atom];
    const int wanted = qn_autodock_hydrogens_by_type(type, p->graph.heavy[atom]);
    if (qn_is_amino_acid(residue)) {
        /* an atom of the backbone that lacks a neighbour is at a gap of the chain */
        if (strcmp(a->name, "C") == 0) return 0;
        if (strcmp(a->name, "N") == 0 && type == QN_SYBYL_N_AM) return strcmp(residue, "PRO") != 0 && wanted > 0;
        if (strcmp(residue, "CYM") == 0 && strcmp(a->name, "SG") == 0) return 0;
        if (strcmp(residue, "TYM") == 0 && strcmp(a->name, "OH") == 0) return 0;
    }
    if ((type == QN_SYBYL_S_3 || type == QN_SYBYL_O_3) && has_metal_neighbour(p, atom)) return 0;
    return wanted;
}

static bool is_heavy_without_metals(const preparation *p, size_t atom)
{
    return !qn_atom_is_hydrogen(&p->molecule->atoms[atom]) && !qn_element_is_metal(p->molecule->atoms[atom].element);
}

/* Complete the numbers of hydrogens. Files may have polar hydrogens and lack those of carbons. */
static void complete_residue(preparation *p, size_t index)
{
    const qn_residue *residue = &p->molecule->residues[index];
    const size_t end = residue->first_atom + residue->atom_count;
    bool any = false, on_carbon = false;
    for (size_t i = residue->first_atom; i < end; i++) {
        if (!is_heavy_without_metals(p, i)) continue;
        any |= p->drawn[i] > 0;
        on_carbon |= p->drawn[i] > 0 && !is_polar(p->molecule->atoms[i].element);
    }
    if (is_histidine(p, index) && !any) settle_histidine(p, index);
    for (size_t i = residue->first_atom; i < end; i++) {
        const bool polar = is_polar(p->molecule->atoms[i].element);
        if (!is_heavy_without_metals(p, i) || (polar ? any : on_carbon)) continue;
        const int all = missing_hydrogens(p, i);
        if (all > p->graph.hydrogens[i]) p->graph.hydrogens[i] = all;
    }
}

/* Build the missing hydrogens of a polar atom. Those of the table have consecutive rules. */
static qn_status build_hydrogens(preparation *p, size_t atom)
{
    const size_t residue = (size_t)p->molecule->atoms[atom].residue;
    int missing = p->graph.hydrogens[atom] - p->drawn[atom];
    for (size_t k = 0; missing > 0; k++) {
        qn_built_hydrogen hydrogen = {.parent = atom};
        bool placed = false;
        const char *name = qn_polar_hydrogen_name(&p->names, residue, p->names.atoms[atom], k);
        if (!name) break;
        qn_polar_hydrogen_place(&p->names, residue, name, &p->built, hydrogen.position_angstrom, &placed);
        if (!placed) continue;
        strncpy(hydrogen.name, name, sizeof hydrogen.name - 1);
        void *items = p->built.items;
        QN_TRY(qn_grow(&items, &p->built.capacity, p->built.count + 1, sizeof hydrogen));
        p->built.items = items;
        p->built.items[p->built.count++] = hydrogen;
        missing--;
    }
    return QN_OK;
}

static qn_status add_atom(preparation *p, size_t source, const char *name, const double position[3], const char *type,
                          double charge_e)
{
    void *items = p->atoms->items;
    QN_TRY(qn_grow(&items, &p->atoms->capacity, p->atoms->count + 1, sizeof *p->atoms->items));
    p->atoms->items = items;
    qn_autodock_atom *atom = &p->atoms->items[p->atoms->count++];
    *atom = (qn_autodock_atom){.charge_e = charge_e, .residue = (size_t)p->molecule->atoms[source].residue};
    memcpy(atom->position_angstrom, position, sizeof atom->position_angstrom);
    strncpy(atom->type, type, sizeof atom->type - 1);
    strncpy(atom->name, name, sizeof atom->name - 1);
    return QN_OK;
}

static bool is_alkali(const char *element)
{
    static const char *const alkali[] = {"LI", "NA", "K", "RB", "CS"};
    for (size_t i = 0; i < sizeof alkali / sizeof *alkali; i++)
        if (strcmp(element, alkali[i]) == 0) return true;
    return false;
}

static qn_status refuse(const preparation *p, size_t i)
{
    const qn_atom *atom = &p->molecule->atoms[i];
    const qn_residue *residue = &p->molecule->residues[atom->residue];
    return QN_FAIL(QN_BAD_FORMAT,
                   "%s: atom %s of residue %s %d of chain %s is of element %s, for which AutoDock 4 has no type; "
                   "expected H, C, N, O, F, Mg, Si, P, S, Cl, Ca, Mn, Fe, Zn, Se, Br, B or I: leave the residue out of "
                   "the file, or give a PDBQT with a type of your choice",
                   p->molecule->name ? p->molecule->name : "receptor", atom->name, residue->name, residue->number,
                   residue->chain, atom->element);
}

/* Add the polar hydrogens of an atom: those of the file, then built ones, which `next` walks over. They follow their
 * atom, because AutoGrid looks for the bonds of an atom among those that are near it in the file. */
static qn_status add_hydrogens(preparation *p, size_t i, size_t *next)
{
    const qn_compound_neighbours *n = &p->graph.neighbours;
    const double charge_e = p->hydrogen_charges_e[i];
    for (size_t k = n->start[i]; k < n->start[i + 1]; k++) {
        const qn_atom *atom = &p->molecule->atoms[n->neighbour[k]];
        if (qn_atom_is_hydrogen(atom)) QN_TRY(add_atom(p, i, atom->name, atom->position_angstrom, "HD", charge_e));
    }
    for (; *next < p->built.count && p->built.items[*next].parent == i; (*next)++)
        QN_TRY(add_atom(p, i, p->built.items[*next].name, p->built.items[*next].position_angstrom, "HD", charge_e));
    return QN_OK;
}

static int count_built(const preparation *p, size_t i, size_t next)
{
    int count = 0;
    while (next < p->built.count && p->built.items[next++].parent == i) count++;
    return count;
}

/* Add a heavy atom with the hydrogens that are merged into it, then its polar hydrogens. */
static qn_status add_heavy(preparation *p, size_t i, size_t *next)
{
    const qn_atom *atom = &p->molecule->atoms[i];
    const char *type = qn_autodock_type(&p->graph, i);
    const bool polar = is_polar(atom->element);
    int merged = p->graph.hydrogens[i];
    if (!type && is_alkali(atom->element)) {
        p->atoms->left_out++;
        return QN_OK;
    }
    if (!type) return refuse(p, i);
    if (polar) {
        merged -= p->drawn[i] + count_built(p, i, *next);
        p->atoms->unplaced += (size_t)merged;
    }
    QN_TRY(
        add_atom(p, i, atom->name, atom->position_angstrom, type, p->charges_e[i] + merged * p->hydrogen_charges_e[i]));
    return polar ? add_hydrogens(p, i, next) : QN_OK;
}

static qn_status add_atoms(preparation *p)
{
    size_t next = 0;
    for (size_t i = 0; i < p->molecule->atom_count; i++) {
        const qn_atom *atom = &p->molecule->atoms[i];
        if (qn_is_water(p->molecule->residues[atom->residue].name)) continue;
        if (!qn_atom_is_hydrogen(atom)) QN_TRY(add_heavy(p, i, &next));
    }
    p->atoms->built = p->built.count;
    if (p->atoms->count == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: no atoms besides those of waters; expected a receptor",
                       p->molecule->name ? p->molecule->name : "receptor");
    return QN_OK;
}

static qn_status prepare(preparation *p)
{
    const qn_molecule *molecule = p->molecule;
    QN_TRY(qn_residue_sybyl_types(molecule, p->types, NULL));
    QN_TRY(qn_autodock_graph_create(p->compound, p->types, &p->graph));
    memcpy(p->drawn, p->graph.hydrogens, molecule->atom_count * sizeof *p->drawn);
    for (size_t r = 0; r < molecule->residue_count; r++)
        if (!qn_is_water(molecule->residues[r].name)) complete_residue(p, r);
    for (size_t i = 0; i < molecule->atom_count; i++)
        if (is_polar(molecule->atoms[i].element)) QN_TRY(build_hydrogens(p, i));
    qn_autodock_formal_charges(&p->graph);
    QN_TRY(qn_autodock_charges(&p->graph, p->charges_e, p->hydrogen_charges_e));
    return add_atoms(p);
}

static qn_status make_compound(const qn_molecule *molecule, qn_compound **compound)
{
    size_t *all = NULL;
    QN_TRY(qn_allocate(molecule->atom_count, sizeof *all, (void **)&all));
    for (size_t i = 0; i < molecule->atom_count; i++) all[i] = i;
    qn_status status = qn_bonds_from_molecule(molecule, all, molecule->atom_count, compound);
    qn_release(&all);
    return status;
}

static void write_notes(const preparation *p)
{
    const char *name = p->molecule->name ? p->molecule->name : "receptor";
    const qn_autodock_atoms *atoms = p->atoms;
    for (size_t i = 0; i < p->molecule->atom_count; i++) {
        const qn_atom *atom = &p->molecule->atoms[i];
        const qn_residue *residue = &p->molecule->residues[atom->residue];
        if (!qn_element_is_metal(atom->element)) continue;
        if (is_alkali(atom->element))
            qn_log(QN_LOG_WARNING, "%s: %s %s %d is left out, since AutoDock 4 has no type for it", name, atom->name,
                   residue->chain, residue->number);
        else
            qn_log(QN_LOG_NOTE, "%s: %s %s %d has charge %+g", name, atom->name, residue->chain, residue->number,
                   p->graph.formal_charge_e[i]);
    }
    if (atoms->built > 0)
        qn_log(QN_LOG_NOTE, "%s: %s built where the file has none", name,
               qn_count_of(atoms->built, "polar hydrogen").text);
    if (atoms->unplaced > 0)
        qn_log(QN_LOG_WARNING,
               "%s: %s missing in the file, and no rule places %s, so %s counts as part of the atom it is bound to; a "
               "file with hydrogens is more exact",
               name, qn_count_of(atoms->unplaced, "polar hydrogen").text, atoms->unplaced == 1 ? "it" : "them",
               atoms->unplaced == 1 ? "it" : "each");
}

qn_status qn_autodock_receptor_prepare(const qn_molecule *molecule, qn_autodock_atoms *atoms)
{
    const size_t count = molecule->atom_count;
    preparation p = {.molecule = molecule, .atoms = atoms};
    *atoms = (qn_autodock_atoms){0};
    qn_status status = make_compound(molecule, &p.compound);
    if (status == QN_OK) status = qn_table_names_create(molecule, &p.names);
    if (status == QN_OK) status = qn_allocate(count, sizeof *p.types, (void **)&p.types);
    if (status == QN_OK) status = qn_allocate(count, sizeof *p.drawn, (void **)&p.drawn);
    if (status == QN_OK) status = qn_allocate(count, sizeof *p.charges_e, (void **)&p.charges_e);
    if (status == QN_OK) status = qn_allocate(count, sizeof *p.hydrogen_charges_e, (void **)&p.hydrogen_charges_e);
    if (status == QN_OK) status = prepare(&p);
    if (status == QN_OK) write_notes(&p);
    qn_autodock_graph_clear(&p.graph);
    qn_table_names_clear(&p.names);
    qn_compound_destroy(&p.compound);
    qn_release(&p.types);
    qn_release(&p.drawn);
    qn_release(&p.charges_e);
    qn_release(&p.hydrogen_charges_e);
    qn_release(&p.built.items);
    if (status != QN_OK) qn_autodock_atoms_clear(atoms);
    return status;
}

void qn_autodock_atoms_clear(qn_autodock_atoms *atoms)
{
    qn_release(&atoms->items);
    *atoms = (qn_autodock_atoms){0};
}
