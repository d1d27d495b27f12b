#include "trajectory/run.h"

static qn_status write_output(const qn_trajectory_results *results, void *user)
{
    (void)user;
    return qn_trajectory_output_write(results);
}

qn_status qn_trajectory_run(qn_context *context, const qn_trajectory_options *options, qn_trajectory_result **result)
{
    return qn_trajectory_run_to(context, options, write_output, NULL, result);
}
