#include "screen/deck.h"

#include <math.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "job/tuning.h"
#include "runtime/device.h"

void qn_screen_deck_check(const qn_deck *deck, int poses, const float *energies, qn_screen_deck_summary *summary)
{
    summary->best_pose = 0;
    summary->worst_difference = 0;
    summary->failed = 0;
    summary->checked = poses < deck->reference_count ? poses : deck->reference_count;
    for (int i = 0; i < poses; i++)
        if (energies[i] < energies[summary->best_pose]) summary->best_pose = i;
    summary->best_energy = (double)energies[summary->best_pose];
    for (int i = 0; i < summary->checked; i++) {
        const double reference = deck->reference[i];
        double difference = fabs((double)energies[i] - reference) / fmax(1, fabs(reference));
        if (isnan(difference)) difference = INFINITY;
        summary->worst_difference = fmax(summary->worst_difference, difference);
        summary->failed += difference > QN_DECK_TOLERANCE;
    }
}

static qn_status write_energies(const char *path, const float *energies, int count)
{
    qn_text text = {0};
    qn_status status = QN_OK;
    for (int i = 0; i < count && status == QN_OK; i++) status = qn_text_append(&text, "%.6f\n", (double)energies[i]);
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_text_clear(&text);
    return status;
}

/* With what is known of the kernel's configurations, if the context has no tuner yet. */
static qn_status score_tuned(qn_device *device, const qn_deck *deck, int poses, bool exact, bool cull, float *scored,
                             double *seconds)
{
    qn_context *context = qn_device_context(device);
    qn_tuning tuning = {0};
    if (!qn_context_configuration_source(context)->choose) QN_TRY(qn_tuning_start(context, "known", NULL, 0, &tuning));
    qn_status status = qn_deck_score(device, deck, poses, exact, cull, scored, seconds);
    qn_tuning_finish(&tuning);
    return status;
}

static qn_status score_deck(qn_device *device, const qn_screen_deck_options *options, qn_screen_deck_summary *summary)
{
    qn_deck deck;
    float *scored = NULL;
    *summary = (qn_screen_deck_summary){0};
    QN_TRY(qn_option_check(qn_screen_deck_option_table(), options));
    QN_TRY(qn_deck_read(options->folder, &deck));
    const int poses = options->poses > 0 ? options->poses : deck.pose_count;
    summary->receptor_atoms = deck.receptor_count;
    summary->ligand_atoms = deck.ligand_count;
    summary->poses = poses;
    qn_status status = QN_OK;
    if (poses > deck.pose_count)
        status = qn_error_set(QN_INVALID_ARGUMENT, __FILE__, __LINE__, "%s: %d poses; expected 0 to the deck's %d",
                              options->folder, poses, deck.pose_count);
    if (status == QN_OK) status = qn_allocate((size_t)poses, sizeof *scored, (void **)&scored);
    if (status == QN_OK)
        status = score_tuned(device, &deck, poses, options->exact, options->cull, scored, &summary->seconds);
    if (status == QN_OK) {
        qn_screen_deck_check(&deck, poses, scored, summary);
        if (summary->seconds > 0)
            summary->interactions_per_s = (double)deck.receptor_count * deck.ligand_count * poses / summary->seconds;
        if (options->energies) status = write_energies(options->energies, scored, poses);
    }
    qn_release(&scored);
    qn_deck_clear(&deck);
    return status;
}

qn_status qn_screen_deck(qn_device *device, const qn_screen_deck_options *options, qn_screen_deck_summary *summary)
{
    const qn_log_scope outer = qn_context_enter_log(qn_device_context(device));
    const qn_status status = score_deck(device, options, summary);
    qn_log_return(outer);
    return status;
}
