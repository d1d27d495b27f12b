#include "base/error.h"
#include "base/memory.h"
#include "score/kernels/score_poses.h"

static void move_atom(const float *transform, size_t row, const qn_score_poses_atom *atom, double moved[3])
{
    const double at[3] = {atom->x, atom->y, atom->z};
    for (size_t axis = 0; axis < 3; axis++) {
        moved[axis] = transform[(4 * axis + 3) * row];
        for (size_t k = 0; k < 3; k++) moved[axis] += transform[(4 * axis + k) * row] * at[k];
    }
}

/* Score pose by pose by the definition. */
qn_status qn_score_poses_reference(const qn_score_poses_problem *problem, const qn_bude_force_field *force_field,
                                   const double *positions, const int *types, const qn_score_poses_job *jobs,
                                   const qn_score_poses_atom *atoms, const float *transforms, double *energies)
{
    const size_t poses = (size_t)problem->poses, row = (size_t)problem->jobs * poses;
    for (size_t job = 0; job < (size_t)problem->jobs; job++) {
        const size_t count = (size_t)jobs[job].atom_count;
        double *moved = NULL;
        int *ligand_types = NULL;
        QN_TRY(qn_allocate(3 * count, sizeof *moved, (void **)&moved));
        const qn_status status = qn_allocate(count, sizeof *ligand_types, (void **)&ligand_types);
        for (size_t pose = job * poses; status == QN_OK && pose < (job + 1) * poses; pose++) {
            qn_bude_energy energy;
            for (size_t a = 0; a < count; a++) {
                move_atom(transforms + pose, row, &atoms[(size_t)jobs[job].first_atom + a], moved + 3 * a);
                ligand_types[a] = atoms[(size_t)jobs[job].first_atom + a].type;
            }
            qn_bude_energy_of(force_field, moved, ligand_types, count, positions, types,
                              (size_t)problem->receptor_atoms, &energy);
            energies[pose] = energy.total;
        }
        qn_release(&moved);
        qn_release(&ligand_types);
        QN_TRY(status);
    }
    return QN_OK;
}
