/* Docking through the C API: dock_two_proteins RECEPTOR LIGAND FOLDER [ROTATIONS].
 *
 * Shows the life cycle of a context, how options start from their defaults, how errors are reported and how a long call
 * is watched. */
#include <quern/dock.h>
#include <stdio.h>
#include <stdlib.h>

static int on_progress(const qn_progress *state, void *user)
{
    (void)user;
    fprintf(stderr, "%s: %zu of %zu %s\n", state->stage, state->done, state->total, state->unit);
    return 0; /* nonzero would stop the run; it could be resumed later */
}

static void on_log(qn_log_level level, const char *message, void *user)
{
    (void)user;
    if (level == QN_LOG_WARNING) fprintf(stderr, "warning: %s\n", message);
}

int main(int count, char **arguments)
{
    if (count < 4) {
        fprintf(stderr, "usage: %s RECEPTOR LIGAND FOLDER [ROTATIONS]\n", arguments[0]);
        return 2;
    }
    qn_dock_options options = qn_dock_default_options();
    options.receptor = arguments[1];
    options.ligand = arguments[2];
    options.output = arguments[3];
    if (count > 4) options.rotations = atoi(arguments[4]);
    options.run.progress = on_progress;

    qn_context *context = NULL;
    qn_dock_summary summary;
    qn_status status = qn_context_create(&(qn_context_options){.log = on_log}, &context);
    if (status == QN_OK) status = qn_dock_run(context, &options, &summary);
    if (status == QN_OK)
        printf("%zu poses in %zu clusters, best energy %.3f; see %s\n", summary.pose_count, summary.cluster_count,
               summary.best_energy, summary.report);
    else
        fprintf(stderr, "%s: %s\n", qn_status_name(status), qn_error_message());
    qn_context_destroy(&context);
    return status == QN_OK ? 0 : 1;
}
