#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/run.h"
#include "math/rotation.h"
#include "model/neighbour_grid.h"

static const double contact_angstrom = 5;

typedef struct contact_job {
    const qn_dock_state *run;
    qn_dock_answer *answer;
    const qn_neighbour_grid *receptor;
    const size_t *receptor_atom; /* index of the atom of each point of the neighbour grid */
    unsigned char *touched;      /* [poses][residues of the receptor, then of the ligand]: 1 if in the interface */
} contact_job;

typedef struct pose_touch {
    const contact_job *job;
    unsigned char *receptor;
    bool any;
} pose_touch;

static void touch_residue(size_t point, void *user)
{
    pose_touch *touch = user;
    const qn_molecule *molecule = touch->job->run->receptor.molecule;
    touch->receptor[molecule->atoms[touch->job->receptor_atom[point]].residue] = 1;
    touch->any = true;
}

static qn_status touch_pose(size_t index, int worker, void *user)
{
    const contact_job *job = user;
    const qn_dock_pose *pose = &job->answer->poses[index];
    const qn_molecule *receptor = job->run->receptor.molecule, *ligand = job->run->ligand.molecule;
    unsigned char *of_receptor = job->touched + index * (receptor->residue_count + ligand->residue_count);
    unsigned char *of_ligand = of_receptor + receptor->residue_count;
    (void)worker;
    for (size_t i = 0; i < ligand->atom_count; i++) {
        double place[3];
        pose_touch touch = {job, of_receptor, false};
        if (!job->run->ligand.sites[i].heavy) continue;
        qn_rotation_apply(pose->matrix, ligand->atoms[i].position_angstrom, place);
        for (int axis = 0; axis < 3; axis++) place[axis] += pose->translation_angstrom[axis];
        qn_neighbour_grid_each(job->receptor, place, touch_residue, &touch);
        if (touch.any) of_ligand[ligand->atoms[i].residue] = 1;
    }
    return QN_OK;
}

/* Compute the share of poses in which each residue is marked. */
static void add_up(contact_job *job, size_t residues, double *shares)
{
    for (size_t pose = 0; pose < job->answer->pose_count; pose++)
        for (size_t i = 0; i < residues; i++)
            shares[i] += job->touched[pose * residues + i] / (double)job->answer->pose_count;
}

qn_status qn_dock_count_contacts(qn_dock_state *run, qn_dock_answer *answer)
{
    const qn_molecule *receptor = run->receptor.molecule;
    size_t residues = receptor->residue_count + run->ligand.molecule->residue_count, points = 0;
    void *shares, *coordinates = NULL, *atoms = NULL, *touched = NULL;
    qn_neighbour_grid *neighbours = NULL;
    QN_TRY(qn_allocate(residues, sizeof(double), &shares));
    answer->receptor_contact = shares;
    answer->ligand_contact = answer->receptor_contact + receptor->residue_count;
    qn_status status = qn_allocate(3 * receptor->atom_count, sizeof(double), &coordinates);
    if (status == QN_OK) status = qn_allocate(receptor->atom_count, sizeof(size_t), &atoms);
    if (status == QN_OK) status = qn_allocate(answer->pose_count * residues, 1, &touched);
    for (size_t i = 0; status == QN_OK && i < receptor->atom_count; i++) {
        if (!run->receptor.sites[i].heavy) continue;
        memcpy((double *)coordinates + 3 * points, receptor->atoms[i].position_angstrom, 3 * sizeof(double));
        ((size_t *)atoms)[points++] = i;
    }
    if (status == QN_OK) status = qn_neighbour_grid_create(coordinates, points, contact_angstrom, &neighbours);
    if (status == QN_OK) {
        contact_job job = {run, answer, neighbours, atoms, touched};
        status = qn_pool_run(run->job->pool, answer->pose_count, touch_pose, &job);
        if (status == QN_OK) add_up(&job, residues, shares);
    }
    qn_neighbour_grid_destroy(&neighbours);
    qn_release(&coordinates);
    qn_release(&atoms);
    qn_release(&touched);
    return status;
}
