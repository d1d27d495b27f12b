/* Properties of every topology that a reader accepts. Each target that reads topologies includes this file. */
#ifndef QN_TESTS_FUZZ_TOPOLOGY_TRIP_H
#define QN_TESTS_FUZZ_TOPOLOGY_TRIP_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/topology/topology_format.h"

static inline void demand(bool holds)
{
    if (!holds) abort();
}

static inline void demand_atoms(const qn_topology *topology)
{
    size_t next = 0, molecules = 0;
    for (size_t r = 0; r < topology->residue_count; r++) {
        const qn_topology_residue *residue = &topology->residues[r];
        demand(residue->first_atom == next && residue->atom_count > 0);
        for (; next < residue->first_atom + residue->atom_count; next++) {
            const qn_topology_atom *atom = &topology->atoms[next];
            demand(atom->residue == r && atom->molecule <= molecules && atom->element[0]);
            demand(memchr(atom->name, '\0', sizeof atom->name) && memchr(atom->type, '\0', sizeof atom->type));
            demand(isfinite(atom->mass_u) && atom->mass_u >= 0 && isfinite(atom->charge_e));
            if (atom->molecule == molecules) molecules++;
        }
    }
    demand(next == topology->atom_count && molecules == topology->molecule_count);
}

static inline void demand_topology(const qn_topology *topology)
{
    demand(topology->atom_count > 0);
    demand_atoms(topology);
    for (size_t i = 0; i < topology->bond_count; i++) {
        const uint32_t *bond = topology->bonds[i], *last = topology->bonds[i ? i - 1 : 0];
        demand(bond[0] < bond[1] && bond[1] < topology->atom_count);
        demand(i == 0 || last[0] < bond[0] || (last[0] == bond[0] && last[1] < bond[1]));
        demand(topology->atoms[bond[0]].molecule == topology->atoms[bond[1]].molecule);
    }
    for (size_t i = 0; topology->positions_nm && i < 3 * topology->atom_count; i++)
        demand(isfinite(topology->positions_nm[i]) != 0);
    for (int i = 0; i < 9; i++) demand(isfinite(topology->box_nm[i]) != 0);
}

/* Read `data` as one format. */
static inline void try_topology(const qn_topology_format *format, const uint8_t *data, size_t size)
{
    qn_topology *topology;
    if (!format->recognise((const char *)data, size)) return;
    if (qn_topology_read_memory("in", (const char *)data, size, &topology) == QN_OK)
        demand_topology(topology);
    else
        demand(!topology && strncmp(qn_error_message(), "in", 2) == 0);
    qn_topology_destroy(&topology);
}

#endif
