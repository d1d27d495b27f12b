/* Read the results of a finished run from its files, for a caller that resumes the run and takes the results in memory.
 */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "reconstruct/run.h"

/* Read a volume; if the file is absent and may be, *volume is NULL. Cubes get the voxel size of the run, since
 * headers have a rounded one. */
static qn_status read_volume(const qn_reconstruct_state *run, const char *name, bool may_be_absent, qn_volume **volume)
{
    char *path;
    qn_volume_destroy(volume);
    QN_TRY(qn_output_path(&run->place.output, name, &path));
    qn_status status = QN_OK;
    if (!may_be_absent || qn_file_exists(path)) status = qn_volume_read(path, volume);
    qn_release(&path);
    if (status == QN_OK && *volume && (*volume)->counts[0] == run->map_side)
        for (int k = 0; k < 3; k++) (*volume)->voxel_angstrom[k] = run->voxel_angstrom;
    return status;
}

/* JSON's null stands for a number that is not finite. */
static double number_in(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* This run has read the inputs too, and found the same warnings there. */
static bool is_known(const qn_job *job, const char *text)
{
    for (size_t i = 0; i < job->warnings.count; i++)
        if (strcmp(job->warnings.text[i], text) == 0) return true;
    return false;
}

static qn_status take_warnings(qn_reconstruct_state *run, const json_t *warnings)
{
    const qn_log_scope outer = qn_log_turn_off(); /* the run that found the warnings logged them */
    qn_status status = QN_OK;
    for (size_t i = 0; i < json_array_size(warnings) && status == QN_OK; i++) {
        const char *text = json_string_value(json_array_get(warnings, i));
        if (text && !is_known(run->job, text)) status = qn_job_warn(run->job, "%s", text);
    }
    qn_log_return(outer);
    return status;
}

static qn_status read_facts(qn_reconstruct_state *run)
{
    json_error_t error;
    char *path;
    QN_TRY(qn_output_path(&run->place.output, "run.json", &path));
    json_t *json = json_load_file(path, 0, &error);
    qn_status status = QN_OK;
    if (!json) status = qn_error_raise(QN_BAD_FORMAT, "%s: line %d: %s", path, error.line, error.text);
    qn_release(&path);
    QN_TRY(status);
    const json_t *map = json_object_get(json, "map");
    run->result.finish.iterations = (int)json_integer_value(json_object_get(map, "weight_iterations"));
    run->result.finish.unevenness = number_in(map, "unevenness_of_views");
    run->result.finish.untouched_share = number_in(map, "untouched_share");
    status = take_warnings(run, json_object_get(json, "warnings"));
    json_decref(json);
    return status;
}

qn_status qn_reconstruct_read_back(qn_reconstruct_state *run)
{
    qn_reconstruction *result = &run->result;
    QN_TRY(read_facts(run));
    run->resumed = run->plan.image_count;
    QN_TRY(read_volume(run, run->place.map, false, &result->map));
    if (run->options->write_weights) QN_TRY(read_volume(run, "weights.mrc", true, &result->weight));
    if (run->halves < 2) return QN_OK;
    QN_TRY(read_volume(run, run->place.halves[0], false, &result->half[0]));
    QN_TRY(read_volume(run, run->place.halves[1], false, &result->half[1]));
    QN_TRY(read_volume(run, "mask.mrc", true, &result->mask));
    return qn_reconstruct_correlate(run);
}
