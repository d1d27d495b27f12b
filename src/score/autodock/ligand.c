/* Ligands for AutoDock. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/atom.h"
#include "score/autodock/atoms.h"
#include "score/autodock/graph.h"
#include "score/ligand.h"
#include "score/surroundings.h"

static qn_status add_atom(const qn_compound *compound, size_t i, const char *type, double charge_e,
                          qn_autodock_atoms *atoms)
{
    const qn_compound_atom *source = &compound->atoms[i];
    qn_autodock_atom *atom = &atoms->items[atoms->count++];
    *atom = (qn_autodock_atom){.charge_e = charge_e};
    if (compound->conformer_count > 0)
        memcpy(atom->position_angstrom, qn_compound_positions(compound, 0) + 3 * i, sizeof atom->position_angstrom);
    strncpy(atom->type, type, sizeof atom->type - 1);
    memcpy(atom->name, source->name, sizeof atom->name);
    return QN_OK;
}

/* Whether the file is a PDBQT: every atom has a charge and a type, and bonds are unknown. */
static bool is_prepared(const qn_compound *compound)
{
    for (size_t i = 0; i < compound->atom_count; i++)
        if (!compound->atoms[i].has_partial_charge || compound->atoms[i].type[0] == '\0') return false;
    return compound->bond_count == 0;
}

/* Complete the numbers of hydrogens: by what the file states, else, in a file without them, by type. */
static void complete_hydrogens(const qn_compound *compound, const qn_surroundings *around, qn_autodock_graph *graph)
{
    bool drawn = false;
    for (size_t i = 0; i < compound->atom_count; i++) drawn |= qn_compound_atom_is_hydrogen(&compound->atoms[i]);
    for (size_t i = 0; i < compound->atom_count; i++) {
        const qn_compound_atom *atom = &compound->atoms[i];
        const bool carbon = strcmp(atom->element, "C") == 0;
        if (qn_compound_atom_is_hydrogen(atom) || graph->hydrogens[i] > 0) continue;
        if (atom->hydrogens > 0)
            graph->hydrogens[i] = atom->hydrogens;
        else if (carbon ? !drawn : around[i].hydrogen)
            graph->hydrogens[i] = qn_autodock_hydrogens_by_type(graph->types[i], graph->heavy[i]);
        if (!carbon && around[i].hydrogen && graph->hydrogens[i] == 0) graph->hydrogens[i] = 1;
    }
}

typedef struct work {
    qn_sybyl_type *types;
    qn_surroundings *around;
    int *drawn;
    double *charges_e, *hydrogen_charges_e;
    qn_autodock_graph graph;
} work;

static qn_status prepare(const qn_compound *compound, work *w)
{
    const size_t count = compound->atom_count;
    QN_TRY(qn_allocate(count, sizeof *w->types, (void **)&w->types));
    QN_TRY(qn_allocate(count, sizeof *w->around, (void **)&w->around));
    QN_TRY(qn_allocate(count, sizeof *w->drawn, (void **)&w->drawn));
    QN_TRY(qn_allocate(count, sizeof *w->charges_e, (void **)&w->charges_e));
    QN_TRY(qn_allocate(count, sizeof *w->hydrogen_charges_e, (void **)&w->hydrogen_charges_e));
    QN_TRY(qn_sybyl_find_types(compound, w->types));
    QN_TRY(qn_surroundings_of_compound(compound, w->types, w->around));
    QN_TRY(qn_autodock_graph_create(compound, w->types, &w->graph));
    memcpy(w->drawn, w->graph.hydrogens, count * sizeof *w->drawn);
    complete_hydrogens(compound, w->around, &w->graph);
    qn_autodock_formal_charges(&w->graph);
    return qn_autodock_charges(&w->graph, w->charges_e, w->hydrogen_charges_e);
}

static void clear(work *w)
{
    qn_autodock_graph_clear(&w->graph);
    qn_release(&w->types);
    qn_release(&w->around);
    qn_release(&w->drawn);
    qn_release(&w->charges_e);
    qn_release(&w->hydrogen_charges_e);
}

/* Type and charge of an atom; hydrogens of other atoms than N, O and S, of type H, are merged. *missing gets how many
 * hydrogens of N, O or S the file lacks. */
static qn_status describe(const work *w, size_t i, const char **type, double *charge_e, size_t *missing)
{
    const qn_autodock_graph *graph = &w->graph;
    const qn_compound *compound = graph->compound;
    const qn_compound_neighbours *n = &graph->neighbours;
    const char *element = compound->atoms[i].element;
    *type = qn_autodock_type(graph, i);
    *missing = 0;
    if (!*type)
        return QN_FAIL(QN_BAD_FORMAT, "%s: atom %zu is of element %s, for which AutoDock 4 has no type",
                       compound->name[0] ? compound->name : "a molecule without a name", i + 1, element);
    if (qn_compound_atom_is_hydrogen(&compound->atoms[i])) {
        *charge_e = strcmp(*type, "HD") == 0 ? w->hydrogen_charges_e[n->neighbour[n->start[i]]] : 0;
        return QN_OK;
    }
    const bool polar = strcmp(element, "N") == 0 || strcmp(element, "O") == 0 || strcmp(element, "S") == 0;
    const int merged = graph->hydrogens[i] - (polar ? w->drawn[i] : 0);
    if (polar) *missing = (size_t)merged;
    *charge_e = w->charges_e[i] + merged * w->hydrogen_charges_e[i];
    return QN_OK;
}

static qn_status emit(const work *w, qn_autodock_atoms *atoms)
{
    const qn_compound *compound = w->graph.compound;
    QN_TRY(qn_allocate(compound->atom_count, sizeof *atoms->items, (void **)&atoms->items));
    for (size_t i = 0; i < compound->atom_count; i++) {
        const char *type;
        double charge_e;
        size_t missing;
        QN_TRY(describe(w, i, &type, &charge_e, &missing));
        atoms->unplaced += missing;
        if (strcmp(type, "H") != 0) QN_TRY(add_atom(compound, i, type, charge_e, atoms));
    }
    return QN_OK;
}

static qn_status copy_prepared(const qn_compound *compound, qn_autodock_atoms *atoms)
{
    QN_TRY(qn_allocate(compound->atom_count, sizeof *atoms->items, (void **)&atoms->items));
    for (size_t i = 0; i < compound->atom_count; i++)
        QN_TRY(add_atom(compound, i, compound->atoms[i].type, (double)compound->atoms[i].partial_charge_e, atoms));
    return QN_OK;
}

qn_status qn_autodock_ligand_prepare(qn_compound *compound, qn_autodock_atoms *atoms)
{
    work w = {0};
    *atoms = (qn_autodock_atoms){0};
    if (is_prepared(compound)) return copy_prepared(compound, atoms);
    qn_status status = qn_score_ligand_prepare(compound);
    if (status == QN_OK) status = prepare(compound, &w);
    if (status == QN_OK) status = emit(&w, atoms);
    clear(&w);
    if (status != QN_OK) qn_autodock_atoms_clear(atoms);
    return status;
}

static qn_status label(const work *w, qn_compound *compound)
{
    for (size_t i = 0; i < compound->atom_count; i++) {
        qn_compound_atom *atom = &compound->atoms[i];
        const char *type;
        double charge_e;
        size_t missing;
        QN_TRY(describe(w, i, &type, &charge_e, &missing));
        snprintf(atom->type, sizeof atom->type, "%s", type);
        atom->partial_charge_e = (float)charge_e;
        atom->has_partial_charge = true;
    }
    return QN_OK;
}

qn_status qn_autodock_ligand_label(qn_compound *compound)
{
    work w = {0};
    qn_status status = prepare(compound, &w);
    if (status == QN_OK) status = label(&w, compound);
    clear(&w);
    return status;
}
