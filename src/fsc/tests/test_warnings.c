/* What is said of curves that are doubtful, and nothing of those that are not. */
#include "check.h"

#include <string.h>

#include "fsc/run.h"

enum { SHELLS = 12 };

static double frequency[SHELLS], unmasked[SHELLS], corrected[SHELLS], randomised[SHELLS];

/* Of curves whose corrected one is `judged`, with phases randomised from shell 3 on. */
static qn_fsc_job job_of(const double judged[SHELLS], int crossing_shell)
{
    static qn_fsc fsc;
    for (int s = 0; s < SHELLS; s++) {
        frequency[s] = s / 100.0;
        corrected[s] = judged[s];
        unmasked[s] = 0.9 * judged[s];
        randomised[s] = s < 3 ? judged[s] : 0.01;
    }
    fsc = (qn_fsc){.shells = SHELLS,
                   .frequency_per_angstrom = frequency,
                   .unmasked = unmasked,
                   .masked = corrected,
                   .randomised = randomised,
                   .corrected = corrected,
                   .randomised_from = 3,
                   .at_0_143 = {.threshold = 0.143, .shell = crossing_shell},
                   .resolution_angstrom = 20,
                   .voxel_angstrom = 2.5};
    return (qn_fsc_job){.fsc = &fsc};
}

static void check_only(qn_fsc_job *job, const char *part)
{
    qn_fsc_find_warnings(job);
    CHECK(job->warning_count == 1);
    CHECK(strstr(job->warnings[0], part) != NULL);
}

static void a_curve_that_falls_is_not_warned_of(void)
{
    const double falls[SHELLS] = {1, 1, 0.9, 0.7, 0.4, 0.1, 0.2, 0, 0.15, 0.15, 0.15, 0};
    qn_fsc_job job = job_of(falls, 5);
    qn_fsc_find_warnings(&job);
    CHECK(job.warning_count == 0);
}

static void doubtful_curves_are_warned_of(void)
{
    const double stays[SHELLS] = {1, 1, 0.9, 0.7, 0.6, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    const double returns[SHELLS] = {1, 1, 0.9, 0.7, 0.4, 0.1, 0.1, 0.2, 0.2, 0.2, 0.2, 0};
    const double at_once[SHELLS] = {1, 0.1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const double falls[SHELLS] = {1, 1, 0.9, 0.7, 0.4, 0.1, 0, 0, 0, 0, 0, 0};
    qn_fsc_job job = job_of(stays, 0);
    check_only(&job, "never falls below 0.143: the resolution is limited by the voxels (2 × 2.5 Å)");
    job = job_of(returns, 5);
    check_only(&job, "rises above 0.143 again at 14.3 Å, beyond the resolution of 20 Å");
    job = job_of(at_once, 1);
    check_only(&job, "below 0.143 from the first shell on");
    job = job_of(falls, 5);
    randomised[5] = 0.3;
    check_only(&job, "maps with randomised phases correlate by 0.30 at the resolution");
    job = job_of(stays, 0);
    for (int s = 0; s < SHELLS; s++) unmasked[s] = 1;
    check_only(&job, "the maps are the same");
}

int main(void)
{
    RUN(a_curve_that_falls_is_not_warned_of);
    RUN(doubtful_curves_are_warned_of);
    return check_finish();
}
