/* Doubtful curves get warnings; other curves get none. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "fsc/run.h"

enum { SHELLS = 12 };

static qn_context *context;
static qn_job job;

static double frequency[SHELLS], unmasked[SHELLS], corrected[SHELLS], randomised[SHELLS];

/* Make a run whose corrected curve is `judged`, with phases randomised from shell 3. */
static qn_fsc_state run_of(const double judged[SHELLS], int crossing_shell)
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
    return (qn_fsc_state){.fsc = &fsc, .job = &job};
}

/* Number of warnings of a run; `first` gets the first one. */
static size_t find_warnings(qn_fsc_state *run, char first[400])
{
    static const qn_run_options options = {.device = "host"};
    CHECK_OK(qn_job_open(context, "fsc", &options, &job));
    CHECK_OK(qn_fsc_find_warnings(run));
    const size_t count = job.warnings.count;
    snprintf(first, 400, "%s", count ? job.warnings.text[0] : "");
    CHECK_OK(qn_job_close(&job, QN_OK));
    return count;
}

static void check_only(qn_fsc_state *run, const char *part)
{
    char first[400];
    CHECK(find_warnings(run, first) == 1);
    CHECK(strstr(first, part) != NULL);
}

static void falling_curves_get_no_warnings(void)
{
    const double falls[SHELLS] = {1, 1, 0.9, 0.7, 0.4, 0.1, 0.2, 0, 0.15, 0.15, 0.15, 0};
    char first[400];
    qn_fsc_state run = run_of(falls, 5);
    CHECK(find_warnings(&run, first) == 0);
}

static void doubtful_curves_get_warnings(void)
{
    const double stays[SHELLS] = {1, 1, 0.9, 0.7, 0.6, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    const double returns[SHELLS] = {1, 1, 0.9, 0.7, 0.4, 0.1, 0.1, 0.2, 0.2, 0.2, 0.2, 0};
    const double at_once[SHELLS] = {1, 0.1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const double falls[SHELLS] = {1, 1, 0.9, 0.7, 0.4, 0.1, 0, 0, 0, 0, 0, 0};
    qn_fsc_state run = run_of(stays, 0);
    check_only(&run, "never falls below 0.143: the resolution is limited by the voxels (2 × 2.5 Å)");
    run = run_of(returns, 5);
    check_only(&run, "rises above 0.143 again at 14.3 Å, beyond the resolution of 20 Å");
    run = run_of(at_once, 1);
    check_only(&run, "below 0.143 from the first shell on");
    run = run_of(falls, 5);
    randomised[5] = 0.3;
    check_only(&run, "maps with randomised phases correlate by 0.30 at the resolution");
    run = run_of(stays, 0);
    for (int s = 0; s < SHELLS; s++) unmasked[s] = 1;
    check_only(&run, "the maps are the same");
}

int main(void)
{
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 1}, &context)))
        return check_finish();
    RUN(falling_curves_get_no_warnings);
    RUN(doubtful_curves_get_warnings);
    qn_context_destroy(&context);
    return check_finish();
}
