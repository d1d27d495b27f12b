#include "trajectory/molecules.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { BLOCK = 256 };

qn_status qn_molecules_create(const qn_query_setup *setup, bool charged, qn_molecules *molecules)
{
    const qn_topology *topology = qn_query_setup_topology(setup);
    void *memory;
    *molecules = (qn_molecules){.count = topology->molecule_count};
    qn_status status = qn_atom_weights_create(setup, 0, QN_WEIGHT_MASS, &molecules->masses);
    if (status == QN_OK)
        status = qn_atom_weights_create(setup, 0, charged ? QN_WEIGHT_CHARGE : QN_WEIGHT_ONE, &molecules->charges);
    if (status == QN_OK) status = qn_allocate(topology->atom_count, sizeof *molecules->atoms, &memory);
    if (status != QN_OK) {
        qn_molecules_clear(molecules);
        return status;
    }
    molecules->atoms = memory;
    for (size_t i = 0; i < topology->atom_count; i++) molecules->atoms[i] = topology->atoms[i].molecule;
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

static void add(const qn_molecule_sums *part, qn_molecule_sums *sums)
{
    sums->mass += part->mass;
    sums->charge += part->charge;
    for (int axis = 0; axis < 3; axis++) {
        sums->mass_moment[axis] += part->mass_moment[axis];
        sums->charge_moment[axis] += part->charge_moment[axis];
    }
}

qn_status qn_molecules_sum(const qn_molecules *molecules, const qn_query_frame *frame, qn_molecule_sums **sums)
{
    const uint32_t *atoms = frame->atoms[0];
    const size_t atom_count = frame->atom_count[0];
    double mass_room[BLOCK], charge_room[BLOCK];
    if (!*frame->scratch) QN_TRY(qn_allocate(molecules->count, sizeof **sums, frame->scratch));
    *sums = *frame->scratch;
    memset(*sums, 0, molecules->count * sizeof **sums);
    for (size_t begin = 0; begin < atom_count; begin += BLOCK) {
        const size_t count = atom_count - begin < BLOCK ? atom_count - begin : BLOCK;
        const double *masses = qn_atom_weights_view(&molecules->masses, atoms, begin, count, mass_room);
        const double *charges = qn_atom_weights_view(&molecules->charges, atoms, begin, count, charge_room);
        /* Neighbours in the list are of one molecule as a rule, which is summed in registers. */
        for (size_t i = 0; i < count;) {
            const uint32_t molecule = molecules->atoms[atoms[begin + i]];
            qn_molecule_sums part = {0};
            for (; i < count && molecules->atoms[atoms[begin + i]] == molecule; i++) {
                const float *p = frame->frame->positions_nm + 3 * (size_t)atoms[begin + i];
                part.mass += masses[i];
                part.charge += charges[i];
                for (int axis = 0; axis < 3; axis++) {
                    part.mass_moment[axis] += masses[i] * p[axis];
                    part.charge_moment[axis] += charges[i] * p[axis];
                }
            }
            add(&part, &(*sums)[molecule]);
        }
    }
    return QN_OK;
}

bool qn_molecule_centre(const qn_molecule_sums *sums, double centre_nm[3])
{
    if (!(sums->mass > 0)) return false;
    const double inverse = 1 / sums->mass;
    for (int axis = 0; axis < 3; axis++) centre_nm[axis] = sums->mass_moment[axis] * inverse;
    return true;
}

double qn_molecule_dipole(const qn_molecule_sums *sums, const double centre_nm[3], double dipole[3])
{
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        dipole[axis] = sums->charge_moment[axis] - sums->charge * centre_nm[axis];
        square += dipole[axis] * dipole[axis];
    }
    return sqrt(square);
}
