#include "trajectory/query/molecules.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

qn_status qn_molecules_create(const qn_query_setup *setup, bool charged, qn_molecules *molecules)
{
    const qn_topology *topology = qn_query_setup_topology(setup);
    void *memory;
    *molecules = (qn_molecules){.count = topology->molecule_count, .sums = QN_HOST_SELECT(qn_atom_sums_host)};
    qn_status status = qn_atom_weights_create(setup, 0, QN_WEIGHT_MASS, &molecules->masses);
    if (status == QN_OK)
        status = qn_atom_weights_create(setup, 0, charged ? QN_WEIGHT_CHARGE : QN_WEIGHT_ONE, &molecules->charges);
    if (status == QN_OK) status = qn_allocate(topology->atom_count, sizeof *molecules->atoms, &memory);
    if (status != QN_OK) {
        qn_molecules_clear(molecules);
        return status;
    }
    molecules->atoms = memory;
    molecules->ordered = true;
    for (size_t i = 0; i < topology->atom_count; i++) {
        molecules->atoms[i] = topology->atoms[i].molecule;
        molecules->ordered &= i == 0 || molecules->atoms[i - 1] <= molecules->atoms[i];
    }
    return QN_OK;
}

void qn_molecules_clear(qn_molecules *molecules)
{
    qn_atom_weights_clear(&molecules->masses);
    qn_atom_weights_clear(&molecules->charges);
    qn_release(&molecules->atoms);
}

void qn_molecules_scratch_destroy(void *scratch)
{
    qn_release(&scratch);
}

/* Sum the runs of the next block of selected atoms. sums[k] and of[k] are the sums and the molecule of run k. Advances
 * *next, and returns the number of runs. */
static size_t sum_block(const qn_molecules *molecules, const qn_query_frame *frame, size_t *next,
                        qn_molecule_sums sums[QN_ATOM_BLOCK], uint32_t of[QN_ATOM_BLOCK])
{
    const uint32_t *atoms = frame->atoms[0];
    const size_t begin = *next, left = frame->atom_count[0] - begin;
    const size_t count = left < QN_ATOM_BLOCK ? left : QN_ATOM_BLOCK;
    double mass_room[QN_ATOM_BLOCK], charge_room[QN_ATOM_BLOCK];
    if (count == 0) return 0;
    const double *masses = qn_atom_weights_view(&molecules->masses, atoms, begin, count, mass_room);
    const double *charges = qn_atom_weights_view(&molecules->charges, atoms, begin, count, charge_room);
    const qn_atom_block block = {frame->frame->positions_nm, atoms + begin, masses, count};
    *next += count;
    return molecules->sums->sum_runs(&block, charges, molecules->atoms, sums, of);
}

qn_status qn_molecules_sum(const qn_molecules *molecules, const qn_query_frame *frame, qn_molecule_sums **sums)
{
    qn_molecule_sums runs[QN_ATOM_BLOCK];
    uint32_t of[QN_ATOM_BLOCK];
    size_t next = 0;
    if (!*frame->scratch) QN_TRY(qn_allocate(molecules->count, sizeof **sums, frame->scratch));
    *sums = *frame->scratch;
    memset(*sums, 0, molecules->count * sizeof **sums);
    for (size_t count; (count = sum_block(molecules, frame, &next, runs, of)) > 0;)
        for (size_t i = 0; i < count; i++) qn_molecule_sums_add(&runs[i], &(*sums)[of[i]]);
    return QN_OK;
}

qn_status qn_molecule_walk_start(const qn_molecules *molecules, const qn_query_frame *frame, qn_molecule_walk *walk)
{
    walk->molecules = molecules;
    walk->frame = frame;
    walk->next = 0;
    walk->has_open = false;
    walk->is_listed = !molecules->ordered;
    return walk->is_listed ? qn_molecules_sum(molecules, frame, &walk->listed) : QN_OK;
}

/* The next block may have more atoms of the last molecule. So its sums are kept in open_sums, and returned before those
 * of the next block. */
size_t qn_molecule_walk_next(qn_molecule_walk *walk, const qn_molecule_sums **sums)
{
    qn_molecule_sums *room = walk->room;
    uint32_t of[QN_ATOM_BLOCK];
    if (walk->is_listed) {
        const size_t left = walk->molecules->count - walk->next, count = left < QN_ATOM_BLOCK ? left : QN_ATOM_BLOCK;
        *sums = walk->listed + walk->next;
        walk->next += count;
        return count;
    }
    for (size_t runs; (runs = sum_block(walk->molecules, walk->frame, &walk->next, room + 1, of)) > 0;) {
        const bool goes_on = walk->has_open && of[0] == walk->open;
        const size_t first = walk->has_open && !goes_on ? 0 : 1;
        if (goes_on) qn_molecule_sums_add(&walk->open_sums, &room[1]);
        if (first == 0) room[0] = walk->open_sums;
        walk->open_sums = room[runs];
        walk->open = of[runs - 1];
        walk->has_open = true;
        *sums = room + first;
        if (runs > first) return runs - first;
    }
    const size_t rest = walk->has_open ? 1 : 0;
    walk->has_open = false;
    *sums = &walk->open_sums;
    return rest;
}
