/* Results of a run in memory. */
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "reconstruct/run.h"

static qn_status name_files(const qn_reconstruct_state *run, qn_reconstruct_result *result)
{
    char report[4096];
    qn_job_report_path(run->job, QN_OK, report, sizeof report);
    if (!report[0]) return QN_OK;
    QN_TRY(qn_text_copy(report, &result->report_path));
    return qn_output_path(&run->place.output, run->place.map, &result->map_path);
}

static void state_facts(const qn_reconstruct_state *run, qn_reconstruct_result *result)
{
    const qn_reconstruction *found = &run->result;
    result->images = run->plan.image_count;
    result->skipped = run->plan.skipped;
    result->resumed = run->resumed;
    result->image_side = run->map_side;
    result->padded_side = run->side;
    result->operators = run->operator_count;
    result->voxel_angstrom = run->voxel_angstrom;
    result->resolution_angstrom = found->fsc ? found->fsc->resolution_angstrom : 0;
    result->seconds = qn_clock_s() - run->job->started_s;
    if (found->times.insert_s > 0)
        result->images_per_s = (double)(run->plan.image_count - run->resumed) / found->times.insert_s;
    result->memory_bytes = found->memory_bytes;
    result->weight_iterations = found->finish.iterations;
    result->unevenness = found->finish.unevenness;
    result->untouched_share = found->finish.untouched_share;
}

static qn_volume *move_volume(qn_volume **from)
{
    qn_volume *volume = *from;
    *from = NULL;
    return volume;
}

static void move_volumes(qn_reconstruction *found, qn_reconstruct_result *result)
{
    result->map = move_volume(&found->map);
    result->half_1 = move_volume(&found->half[0]);
    result->half_2 = move_volume(&found->half[1]);
    result->mask = move_volume(&found->mask);
    result->weights = move_volume(&found->weight);
    result->fsc = found->fsc;
    found->fsc = NULL;
    result->view_counts = found->views.counts;
    result->view_rows = found->views.rows;
    found->views.counts = NULL;
}

qn_status qn_reconstruct_make_result(qn_reconstruct_state *run, qn_reconstruct_result **out)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_reconstruct_result *result = *out = memory;
    state_facts(run, result);
    QN_TRY(name_files(run, result));
    QN_TRY(qn_job_copy_warnings(run->job, &result->warnings, &result->warning_count));
    move_volumes(&run->result, result);
    result->page = run->page.data;
    run->page = (qn_text){0};
    return QN_OK;
}

void qn_reconstruct_result_destroy(qn_reconstruct_result **pointer)
{
    qn_reconstruct_result *result = *pointer;
    if (!result) return;
    for (size_t i = 0; i < result->warning_count; i++) qn_release(&result->warnings[i]);
    qn_release(&result->warnings);
    qn_release(&result->map_path);
    qn_release(&result->report_path);
    qn_release(&result->page);
    qn_volume_destroy(&result->map);
    qn_volume_destroy(&result->half_1);
    qn_volume_destroy(&result->half_2);
    qn_volume_destroy(&result->mask);
    qn_volume_destroy(&result->weights);
    qn_fsc_destroy(&result->fsc);
    qn_release(&result->view_counts);
    qn_release(pointer);
}
