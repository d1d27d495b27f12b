/* Properties of every molecule that a reader accepts. Each target that reads structures includes this file. */
#ifndef QN_TESTS_FUZZ_ROUND_TRIP_H
#define QN_TESTS_FUZZ_ROUND_TRIP_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/structure/structure.h"

static inline void demand(bool holds)
{
    if (!holds) abort();
}

/* Demand that residues follow each other without a gap and that their atoms point back at them. */
static inline void demand_contract(const qn_molecule *molecule)
{
    size_t next = 0;
    demand(molecule->atom_count > 0 && molecule->residue_count > 0);
    for (size_t r = 0; r < molecule->residue_count; r++) {
        const qn_residue *residue = &molecule->residues[r];
        demand(residue->first_atom == next && residue->atom_count > 0);
        for (size_t i = next; i < next + residue->atom_count; i++) {
            const qn_atom *atom = &molecule->atoms[i];
            demand((size_t)atom->residue == r && atom->name[0] && atom->element[0]);
            for (int axis = 0; axis < 3; axis++) demand(fabs(atom->position_angstrom[axis]) <= 1e5);
        }
        next += residue->atom_count;
    }
    demand(next == molecule->atom_count && molecule->residues[molecule->residue_count - 1].chain_break);
}

static inline void demand_same(const qn_molecule *a, const qn_molecule *b, bool pdb)
{
    const double rounding = pdb ? 0.00051 : 0.00051 + 1e-10;
    demand(a->atom_count == b->atom_count && a->residue_count == b->residue_count);
    for (size_t r = 0; r < a->residue_count; r++) {
        const qn_residue *x = &a->residues[r], *y = &b->residues[r];
        demand(strcmp(x->name, y->name) == 0 && strcmp(x->chain, y->chain) == 0 && x->number == y->number);
        demand(x->insertion == y->insertion && x->hetero == y->hetero && x->chain_break == y->chain_break);
    }
    for (size_t i = 0; i < a->atom_count; i++) {
        const qn_atom *x = &a->atoms[i], *y = &b->atoms[i];
        demand(strcmp(x->name, y->name) == 0 && strcmp(x->element, y->element) == 0 && x->alternate == y->alternate);
        for (int axis = 0; axis < 3; axis++)
            demand(fabs(x->position_angstrom[axis] - y->position_angstrom[axis]) <= rounding);
    }
}

/* Demand that a molecule is the same after it was written and read again. `whole`: the reader dropped nothing of the
 * file. Where it did, two residues with the same number can become neighbours, which the second reading joins. */
static inline void round_trip(const qn_molecule *molecule, qn_structure_format format, bool whole)
{
    qn_text text = {0};
    qn_molecule *back = NULL;
    qn_molecule_options everything = {.size = sizeof everything, .keep_alternates = true};
    qn_status status = qn_structure_write_memory("out", format, &molecule, 1, "REMARK", &text);
    /* Some names do not fit into a format's columns. */
    demand(status == QN_OK || status == QN_UNSUPPORTED);
    if (status == QN_OK) {
        demand(qn_structure_read_memory("out", text.data, text.length, NULL, &everything, &back) == QN_OK);
        if (whole) demand_same(molecule, back, format == QN_STRUCTURE_PDB);
    }
    qn_molecule_destroy(&back);
    qn_text_clear(&text);
}

/* Check the outcome of one reading and destroy the molecule. */
static inline void check_outcome(qn_status status, bool whole, qn_molecule **molecule)
{
    demand(status == QN_OK ? *molecule != NULL : *molecule == NULL);
    demand(status == QN_OK || qn_error_message()[0] != '\0');
    demand(status == QN_OK || status == QN_BAD_FORMAT || status == QN_NOT_FOUND || status == QN_INVALID_ARGUMENT);
    if (status != QN_OK) return;
    demand_contract(*molecule);
    round_trip(*molecule, QN_STRUCTURE_MMCIF, whole);
    round_trip(*molecule, QN_STRUCTURE_PDB, whole);
    qn_molecule_destroy(molecule);
}

#endif
