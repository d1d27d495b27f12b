/* Warnings about doubtful resolutions. */
#include <math.h>

#include "base/error.h"
#include "fsc/run.h"

/* Number of consecutive shells above the threshold, beyond the crossing, that are unlikely by chance. */
enum { SHELLS_BACK = 4 };

/* Find the first of SHELLS_BACK consecutive shells above the threshold beyond the crossing; 0: none. */
static int find_return(const qn_fsc *fsc, const double *curve)
{
    int above = 0;
    for (int s = fsc->at_0_143.shell + 1; fsc->at_0_143.shell > 0 && s < fsc->shells; s++) {
        above = curve[s] >= fsc->at_0_143.threshold ? above + 1 : 0;
        if (above == SHELLS_BACK) return s - SHELLS_BACK + 1;
    }
    return 0;
}

static double lowest_of(const double *curve, int shells)
{
    double lowest = 1;
    for (int s = 1; s < shells; s++) lowest = fmin(lowest, curve[s]);
    return lowest;
}

qn_status qn_fsc_find_warnings(qn_fsc_state *run)
{
    const qn_fsc *fsc = run->fsc;
    qn_job *job = run->job;
    const double *curve = fsc->corrected ? fsc->corrected : fsc->unmasked;
    const int shell = fsc->at_0_143.shell, back = find_return(fsc, curve);
    if (lowest_of(fsc->unmasked, fsc->shells) > 0.9999)
        QN_TRY(qn_job_warn(job, "the maps are the same: their correlation is 1 in every shell and says nothing about "
                                "resolution"));
    else if (shell == 0)
        QN_TRY(qn_job_warn(job,
                           "the correlation never falls below 0.143: the resolution is limited by the voxels (2 × %.4g "
                           "Å), or the maps share more than the signal",
                           fsc->voxel_angstrom));
    if (shell == 1)
        QN_TRY(qn_job_warn(job, "the correlation is below 0.143 from the first shell on: the maps have nothing in "
                                "common"));
    if (back > 1)
        QN_TRY(qn_job_warn(job,
                           "the correlation rises above 0.143 again at %.3g Å, beyond the resolution of %.3g Å: the "
                           "maps share something there that may not be signal",
                           1 / fsc->frequency_per_angstrom[back], fsc->resolution_angstrom));
    if (fsc->randomised_from > 0 && fsc->randomised && shell >= fsc->randomised_from + 2 &&
        fsc->randomised[shell] > 0.143)
        QN_TRY(qn_job_warn(job,
                           "maps with randomised phases correlate by %.2f at the resolution, by the mask alone: a "
                           "wider or softer mask gives a more reliable resolution",
                           fsc->randomised[shell]));
    return QN_OK;
}
