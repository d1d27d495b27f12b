#include "frames/whole.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/box.h"

/* Steps from an atom that is in place to an atom bound to it, in an order in which they can be taken. */
struct qn_whole_plan {
    size_t atom_count, step_count;
    uint32_t (*steps)[2]; /* from, to */
};

/* Lists of bound atoms: those of atom i are to[starts[i]] … to[starts[i + 1] − 1]. Each bond is in two lists. */
typedef struct bond_ends {
    size_t *starts;
    uint32_t *to;
    bool *reached;
} bond_ends;

static void bond_ends_clear(bond_ends *ends)
{
    qn_release(&ends->starts);
    qn_release(&ends->to);
    qn_release(&ends->reached);
}

/* Find a partner for a virtual site without bonds, which some files have: the first other atom of its residue. Returns
 * false for other atoms. */
static bool find_partner(const qn_topology *topology, size_t atom, const size_t *bond_counts, uint32_t *partner)
{
    if (bond_counts[atom] > 0 || topology->atoms[atom].mass_u > 0) return false;
    const qn_topology_residue *residue = &topology->residues[topology->atoms[atom].residue];
    if (residue->atom_count < 2) return false;
    *partner = (uint32_t)(residue->first_atom == atom ? atom + 1 : residue->first_atom);
    return topology->atoms[*partner].molecule == topology->atoms[atom].molecule;
}

/* Replace counts by their exclusive prefix sums: the start of each atom's list. */
static void sum_starts(size_t *counts, size_t atom_count)
{
    size_t sum = 0;
    for (size_t i = 0; i <= atom_count; i++) {
        size_t own = counts[i];
        counts[i] = sum;
        sum += own;
    }
}

/* List the bonds of the topology, then those that join virtual sites to their partners. */
static qn_status list_bonds(const qn_topology *topology, uint32_t (**bonds)[2], size_t *bond_count)
{
    void *memory = NULL, *counts_memory = NULL;
    size_t count = topology->bond_count;
    QN_TRY(qn_allocate(topology->atom_count + count, sizeof **bonds, &memory));
    uint32_t(*list)[2] = memory;
    qn_status status = qn_allocate(topology->atom_count, sizeof(size_t), &counts_memory);
    if (status != QN_OK) {
        qn_release(&memory);
        return status;
    }
    size_t *counts = counts_memory;
    for (size_t k = 0; k < count; k++) {
        memcpy(list[k], topology->bonds[k], sizeof *list);
        counts[list[k][0]]++;
        counts[list[k][1]]++;
    }
    for (size_t i = 0; i < topology->atom_count; i++) {
        uint32_t partner;
        if (find_partner(topology, i, counts, &partner)) {
            list[count][0] = partner;
            list[count++][1] = (uint32_t)i;
        }
    }
    qn_release(&counts_memory);
    *bonds = list;
    *bond_count = count;
    return QN_OK;
}

static qn_status connect(const qn_topology *topology, bond_ends *ends)
{
    uint32_t(*bonds)[2] = NULL;
    size_t bond_count = 0, n = topology->atom_count;
    void *starts = NULL, *to = NULL, *reached = NULL;
    QN_TRY(list_bonds(topology, &bonds, &bond_count));
    qn_status status = qn_allocate(n + 2, sizeof *ends->starts, &starts);
    if (status == QN_OK) status = qn_allocate(2 * bond_count + 1, sizeof *ends->to, &to);
    if (status == QN_OK) status = qn_allocate(n + 1, sizeof *ends->reached, &reached);
    *ends = (bond_ends){starts, to, reached};
    if (status == QN_OK) {
        /* The counts are one place further on, so that filling the lists moves each start to its final place. */
        size_t *places = ends->starts + 1;
        for (size_t k = 0; k < bond_count; k++)
            for (int end = 0; end < 2; end++) places[bonds[k][end]]++;
        sum_starts(places, n);
        for (size_t k = 0; k < bond_count; k++)
            for (int end = 0; end < 2; end++) ends->to[places[bonds[k][end]]++] = bonds[k][1 - end];
    }
    qn_release(&bonds);
    return status;
}

/* Search breadth-first from the first atom of each connected part, so that few steps lead to any other atom. The list
 * of steps serves as the queue. */
static void plan_steps(const bond_ends *ends, qn_whole_plan *plan)
{
    for (size_t root = 0; root < plan->atom_count; root++) {
        if (ends->reached[root]) continue;
        ends->reached[root] = true;
        size_t next = plan->step_count;
        for (uint32_t atom = (uint32_t)root;; atom = plan->steps[next++][1]) {
            for (size_t k = ends->starts[atom]; k < ends->starts[atom + 1]; k++) {
                uint32_t to = ends->to[k];
                if (ends->reached[to]) continue;
                ends->reached[to] = true;
                plan->steps[plan->step_count][0] = atom;
                plan->steps[plan->step_count++][1] = to;
            }
            if (next == plan->step_count) break;
        }
    }
}

static qn_status fill_plan(const qn_topology *topology, qn_whole_plan *plan)
{
    void *memory;
    bond_ends ends = {0};
    plan->atom_count = topology->atom_count;
    QN_TRY(qn_allocate(topology->atom_count, sizeof *plan->steps, &memory));
    plan->steps = memory;
    qn_status status = connect(topology, &ends);
    if (status == QN_OK) plan_steps(&ends, plan);
    bond_ends_clear(&ends);
    return status;
}

qn_status qn_whole_plan_create(const qn_topology *topology, qn_whole_plan **plan)
{
    void *memory;
    *plan = NULL;
    if (!topology->has_bonds)
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "%s has no bonds, so molecules cannot be made whole; expected a TPR, PSF or Amber parm7 topology",
            topology->name ? topology->name : "the topology");
    QN_TRY(qn_allocate(1, sizeof **plan, &memory));
    *plan = memory;
    qn_status status = fill_plan(topology, *plan);
    if (status != QN_OK) qn_whole_plan_destroy(plan);
    return status;
}

void qn_whole_plan_destroy(qn_whole_plan **plan)
{
    if (!*plan) return;
    qn_release(&(*plan)->steps);
    qn_release(plan);
}

static void move_to_image(const qn_box *box, const float *from, float *to)
{
    const double start[3] = {from[0], from[1], from[2]}, end[3] = {to[0], to[1], to[2]};
    double nearest[3];
    qn_box_displacement(box, start, end, nearest);
    /* Add the lattice vector only, so that an atom that is not moved keeps every bit. */
    for (int axis = 0; axis < 3; axis++) {
        double shift = nearest[axis] - (end[axis] - start[axis]);
        if (fabs(shift) > 1e-9) to[axis] = (float)(end[axis] + shift);
    }
}

qn_status qn_whole_apply(const qn_whole_plan *plan, qn_trajectory_frame *frame)
{
    qn_box box;
    if (frame->atom_count != plan->atom_count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "frame %llu has %s; expected %zu as in the topology",
                       (unsigned long long)frame->number, qn_count_of(frame->atom_count, "atom").text,
                       plan->atom_count);
    qn_status status = qn_box_from_vectors(frame->box_nm, &box);
    if (status != QN_OK) return qn_error_add_context(status, "frame %llu", (unsigned long long)frame->number);
    if (box.shape == QN_BOX_NONE) return QN_OK;
    /* A vector within the inscribed sphere is the nearest image already; nearly all bonds are. The sphere is a little
     * smaller because of single precision. */
    const float safe = (float)(0.999 * box.inscribed_radius_nm * box.inscribed_radius_nm);
    for (size_t k = 0; k < plan->step_count; k++) {
        const float *from = frame->positions_nm + 3 * (size_t)plan->steps[k][0];
        float *to = frame->positions_nm + 3 * (size_t)plan->steps[k][1];
        float x = to[0] - from[0], y = to[1] - from[1], z = to[2] - from[2];
        if (!(x * x + y * y + z * z < safe)) move_to_image(&box, from, to);
    }
    return QN_OK;
}

/* ---- molecules without an end ---- */

bool qn_whole_find_endless(const qn_topology *topology, const qn_trajectory_frame *frame, size_t *bond)
{
    qn_box box;
    if (qn_box_from_vectors(frame->box_nm, &box) != QN_OK) qn_error_clear(); /* then it was refused before */
    if (box.shape == QN_BOX_NONE) return false;
    for (size_t k = 0; k < topology->bond_count; k++) {
        double ends[2][3], nearest[3], square = 0;
        for (int end = 0; end < 2; end++)
            for (int axis = 0; axis < 3; axis++)
                ends[end][axis] = frame->positions_nm[3 * (size_t)topology->bonds[k][end] + (size_t)axis];
        qn_box_displacement(&box, ends[0], ends[1], nearest);
        for (int axis = 0; axis < 3; axis++) {
            const double shift = ends[1][axis] - ends[0][axis] - nearest[axis];
            square += shift * shift;
        }
        /* the shift is 0 or a vector of the lattice, which is at least twice this long */
        if (square < box.inscribed_radius_nm * box.inscribed_radius_nm) continue;
        *bond = k;
        return true;
    }
    return false;
}

qn_endless_text qn_whole_describe_endless(const qn_topology *topology, size_t bond)
{
    qn_endless_text endless;
    const qn_topology_atom *atoms[2];
    const qn_topology_residue *residues[2];
    for (int end = 0; end < 2; end++) {
        atoms[end] = &topology->atoms[topology->bonds[bond][end]];
        residues[end] = &topology->residues[atoms[end]->residue];
    }
    snprintf(
        endless.text, sizeof endless.text,
        "%s: molecule %lu is bonded to its own image through the periodic box (atoms %s %s %d and %s %s %d), so it "
        "cannot be made whole; its dipole, centre and size depend on where it is cut and mean nothing",
        topology->name ? topology->name : "the topology in memory", (unsigned long)atoms[0]->molecule + 1,
        residues[0]->name, atoms[0]->name, residues[0]->number, residues[1]->name, atoms[1]->name, residues[1]->number);
    return endless;
}
