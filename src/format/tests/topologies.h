/* Helpers for the tests of topologies. */
#ifndef QN_FORMAT_TESTS_TOPOLOGIES_H
#define QN_FORMAT_TESTS_TOPOLOGIES_H

#include <math.h>
#include <quern/topology.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

/* Read a reference topology; NULL where the reference data is absent or unreadable. */
static inline qn_topology *read_reference(const char *name)
{
    qn_topology *topology = NULL;
    const char *path = check_reference_data(name);
    if (path) CHECK_OK(qn_topology_read(NULL, path, &topology));
    return topology;
}

enum {
    COMPARE_NAMES = 1, /* and residue numbers, of which GRO has five digits */
    COMPARE_RESIDUE_NAMES = 32,
    COMPARE_ELEMENTS = 2,
    COMPARE_TYPES = 4,
    COMPARE_MASSES = 8,  /* 1e-4 relative: the reference table has six digits */
    COMPARE_CHARGES = 16 /* 1e-5 e */
};

static inline int same_atom(const qn_topology *a, const qn_topology *b, size_t i, int what)
{
    const qn_topology_atom *one = &a->atoms[i], *other = &b->atoms[i];
    const qn_topology_residue *home = &a->residues[one->residue], *other_home = &b->residues[other->residue];
    if ((what & COMPARE_NAMES) &&
        (strcmp(one->name, other->name) != 0 || home->number % 100000 != other_home->number % 100000))
        return 0;
    if ((what & COMPARE_RESIDUE_NAMES) && strcmp(home->name, other_home->name) != 0) return 0;
    if ((what & COMPARE_ELEMENTS) && strcmp(one->element, other->element) != 0) return 0;
    if ((what & COMPARE_TYPES) && strcmp(one->type, other->type) != 0) return 0;
    if ((what & COMPARE_MASSES) && !(fabs(one->mass_u - other->mass_u) <= 1e-4 * one->mass_u)) return 0;
    if ((what & COMPARE_CHARGES) && !(fabs(one->charge_e - other->charge_e) <= 1e-5)) return 0;
    return 1;
}

/* Number of atoms that differ; prints the first. Both topologies have the same number of atoms. */
static inline size_t count_differences(const qn_topology *a, const qn_topology *b, int what)
{
    size_t count = 0;
    for (size_t i = 0; i < a->atom_count; i++) {
        if (same_atom(a, b, i, what) || count++ > 0) continue;
        const qn_topology *both[] = {a, b};
        for (int k = 0; k < 2; k++) {
            const qn_topology_atom *atom = &both[k]->atoms[i];
            const qn_topology_residue *home = &both[k]->residues[atom->residue];
            fprintf(stderr, "  atom %zu: %s %s %s of %s %d, %g u, %g e\n", i, atom->name, atom->type, atom->element,
                    home->name, home->number, atom->mass_u, atom->charge_e);
        }
    }
    return count;
}

#endif
