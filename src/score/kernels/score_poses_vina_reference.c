#include <math.h>

#include "score/kernels/score_poses_vina.h"
#include "score/vina.h"

static const double border_angstrom = 1e-4;

double qn_score_poses_vina_reference(const double *positions, const int *types, size_t atom_count,
                                     const qn_score_poses_atom *atoms, int ligand_atoms, const float transform[12],
                                     double rotatable_bonds, double *doubt)
{
    double total = 0;
    if (doubt) *doubt = 0;
    for (int a = 0; a < ligand_atoms; a++) {
        const double place[3] = {atoms[a].x, atoms[a].y, atoms[a].z};
        const int type = atoms[a].type;
        double moved[3];
        qn_vina_energy energy;
        for (int d = 0; d < 3; d++) {
            const float *m = transform + 4 * d;
            moved[d] = m[0] * place[0] + m[1] * place[1] + m[2] * place[2] + m[3];
        }
        qn_vina_energy_of(moved, &type, 1, rotatable_bonds, positions, types, atom_count, &energy);
        total += energy.total;
        for (size_t j = 0; doubt && j < atom_count; j++) {
            double square = 0;
            for (int d = 0; d < 3; d++)
                square += (moved[d] - positions[3 * j + (size_t)d]) * (moved[d] - positions[3 * j + (size_t)d]);
            /* at the cut-off the energy of a pair is at most the weight of gauss2 */
            if (fabs(sqrt(square) - QN_VINA_CUTOFF_ANGSTROM) < border_angstrom)
                *doubt -= QN_VINA_GAUSS2 / (1 + QN_VINA_TORSION * rotatable_bonds);
        }
    }
    return total;
}
