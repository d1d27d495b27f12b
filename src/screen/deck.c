#include "screen/deck.h"

#include <math.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "job/tuning.h"
#include "runtime/device.h"

void qn_screen_deck_check(const qn_deck *deck, int poses, const float *energies, qn_screen_deck_result *result)
{
    result->best_pose = 0;
    result->worst_difference = 0;
    result->failed = 0;
    result->checked = poses < deck->reference_count ? poses : deck->reference_count;
    for (int i = 0; i < poses; i++)
        if (energies[i] < energies[result->best_pose]) result->best_pose = i;
    result->best_energy = (double)energies[result->best_pose];
    for (int i = 0; i < result->checked; i++) {
        const double reference = deck->reference[i];
        double difference = fabs((double)energies[i] - reference) / fmax(1, fabs(reference));
        if (isnan(difference)) difference = INFINITY;
        result->worst_difference = fmax(result->worst_difference, difference);
        result->failed += difference > QN_DECK_TOLERANCE;
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

/* Score with the known configurations of the kernel, or by the tuner of the context if there is one. */
static qn_status score_tuned(qn_device *device, const qn_deck *deck, int poses, bool exact, bool cull, float *scored,
                             double *seconds)
{
    qn_context *context = qn_device_context(device);
    qn_tuning tuning = {0};
    if (!qn_context_configuration_source(context)->choose)
        QN_TRY(qn_tuning_start(context, QN_TUNE_KNOWN, NULL, 0, &tuning));
    qn_status status = qn_deck_score(device, deck, poses, exact, cull, scored, seconds);
    qn_tuning_finish(&tuning);
    qn_tuning_clear(&tuning);
    return status;
}

/* A result with the memory that it points into. */
typedef struct owned_deck_result {
    qn_screen_deck_result result; /* the caller has its address */
    float *energies;
} owned_deck_result;

static qn_status score_poses(qn_device *device, const qn_screen_deck_options *options, const qn_deck *deck,
                             owned_deck_result *owned)
{
    qn_screen_deck_result *result = &owned->result;
    const int poses = options->poses > 0 ? options->poses : deck->pose_count;
    if (poses > deck->pose_count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %d %s; expected 0 to the deck's %d", options->folder, poses,
                       poses == 1 ? "pose" : "poses", deck->pose_count);
    QN_TRY(qn_allocate((size_t)poses, sizeof *owned->energies, (void **)&owned->energies));
    result->energies = owned->energies;
    result->pose_count = poses;
    result->receptor_atoms = deck->receptor_count;
    result->ligand_atoms = deck->ligand_count;
    QN_TRY(score_tuned(device, deck, poses, options->exact, options->cull, owned->energies, &result->seconds));
    qn_screen_deck_check(deck, poses, owned->energies, result);
    if (result->seconds > 0)
        result->interactions_per_s = (double)deck->receptor_count * deck->ligand_count * poses / result->seconds;
    return options->energies ? write_energies(options->energies, owned->energies, poses) : QN_OK;
}

static qn_status score_deck(qn_device *device, const qn_screen_deck_options *options, qn_screen_deck_result **result)
{
    qn_deck deck;
    void *memory;
    QN_TRY(qn_option_check(qn_screen_deck_option_table(), options));
    QN_TRY(qn_deck_read(options->folder, &deck));
    qn_status status = qn_allocate(1, sizeof(owned_deck_result), &memory);
    if (status == QN_OK) {
        owned_deck_result *owned = memory;
        *result = &owned->result;
        status = score_poses(device, options, &deck, owned);
    }
    qn_deck_clear(&deck);
    return status;
}

qn_status qn_screen_deck(qn_device *device, const qn_screen_deck_options *options, qn_screen_deck_result **result)
{
    qn_screen_deck_result *made = NULL;
    qn_screen_deck_options own;
    if (result) *result = NULL;
    QN_TRY(qn_option_take(qn_screen_deck_option_table(), options, &own));
    const qn_log_scope outer = qn_context_enter_log(qn_device_context(device));
    const qn_status status = score_deck(device, &own, &made);
    if (status == QN_OK && result)
        *result = made;
    else
        qn_screen_deck_result_destroy(&made);
    qn_log_return(outer);
    return status;
}

void qn_screen_deck_result_destroy(qn_screen_deck_result **result)
{
    owned_deck_result *owned = (owned_deck_result *)*result;
    if (!owned) return;
    qn_release(&owned->energies);
    qn_release(&owned);
    *result = NULL;
}
