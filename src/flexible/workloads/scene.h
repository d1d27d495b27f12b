/* A receptor and a molecule for the workloads of flexible/maps and flexible/search. */
#ifndef QN_FLEXIBLE_WORKLOADS_SCENE_H
#define QN_FLEXIBLE_WORKLOADS_SCENE_H

#include "base/memory.h"
#include "flexible/kernels/search.h"
#include "score/vina.h"
#include "score/vina_rows.h"
#include "tune/workload_inputs.h"

enum { SCENE_TYPES = 5 };

static const int scene_types[SCENE_TYPES] = {C_H, C_P, N_D, O_A, O_DA};
static const double scene_atoms_per_cubic_angstrom = 0.05; /* heavy atoms in a protein */

/* Fill a receptor with atoms of all these types in a cube around the origin, `side` Å wide. */
static inline qn_status scene_receptor(double side, uint64_t seed, qn_score_receptor *receptor)
{
    *receptor = (qn_score_receptor){.score = {.kind = QN_SCORE_VINA}};
    receptor->atom_count = (size_t)(scene_atoms_per_cubic_angstrom * side * side * side) + 1;
    QN_TRY(qn_allocate(3 * receptor->atom_count, sizeof(double), (void **)&receptor->positions_angstrom));
    QN_TRY(qn_allocate(receptor->atom_count, sizeof(int), (void **)&receptor->types));
    for (size_t i = 0; i < receptor->atom_count; i++) {
        receptor->types[i] = scene_types[i % SCENE_TYPES];
        for (size_t d = 0; d < 3; d++)
            receptor->positions_angstrom[3 * i + d] = 0.5 * side * (double)qn_workload_input(seed, 3 * i + d);
    }
    return QN_OK;
}

#endif
