/* run.json: what went in, what came out, how long it took. */
#include <math.h>

#include "base/error.h"
#include "fsc/run.h"
#include "job/input.h"
#include "report/json.h"

/* Larger files are not read once more for a checksum. */
static const uint64_t most_hashed_bytes = (uint64_t)1 << 26;

static json_t *number_of(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *describe_file(const char *path)
{
    qn_input_facts facts;
    if (qn_input_look_at(path, most_hashed_bytes, &facts) != QN_OK) qn_error_clear(); /* a pipe, or gone by now */
    return json_pack("{s:o, s:I, s:s?, s:s?}", "file", qn_json_text(path), "bytes", (json_int_t)facts.bytes, "modified",
                     facts.modified[0] ? facts.modified : NULL, "sha256", facts.digest[0] ? facts.digest : NULL);
}

static json_t *describe_mask(const qn_fsc_job *job)
{
    if (!job->mask) return json_null();
    const qn_mask_report *made = &job->made;
    json_t *json =
        job->mask_made
            ? json_pack("{s:s, s:f, s:f, s:f, s:f, s:o, s:o, s:I, s:I}", "file", "mask.mrc", "low_pass_angstrom",
                        made->options.low_pass_angstrom, "threshold", made->options.threshold, "extend_voxels",
                        made->options.extend_voxels, "soft_edge_voxels", made->options.soft_edge_voxels, "background",
                        number_of(made->background), "noise", number_of(made->noise), "parts_found",
                        (json_int_t)made->parts_found, "parts_kept", (json_int_t)made->parts_kept)
            : describe_file(job->options->mask);
    json_object_set_new(json, "made", json_boolean(job->mask_made));
    json_object_set_new(json, "share", json_real(job->fsc->mask_share));
    return json;
}

static json_t *describe_crossing(const qn_fsc_crossing *crossing)
{
    return json_pack("{s:f, s:i, s:f, s:f}", "threshold", crossing->threshold, "shell", crossing->shell,
                     "shell_angstrom", crossing->shell_angstrom, "crossing_angstrom", crossing->crossing_angstrom);
}

static json_t *describe_warnings(const qn_fsc_job *job)
{
    json_t *list = json_array();
    for (int i = 0; i < job->warning_count; i++) json_array_append_new(list, qn_json_text(job->warnings[i]));
    return list;
}

qn_status qn_fsc_write_run_json(const qn_fsc_job *job)
{
    const qn_fsc *fsc = job->fsc;
    const double below = job->options->fsc.randomise_below;
    json_t *json = json_pack(
        "{s:s, s:o, s:o, s:o, s:i, s:f, s:o, s:f, s:i, s:f, s:o, s:o, s:o, s:i, s:{s:f, s:f, s:f, s:f}}", "quern",
        QN_VERSION, "half_1", describe_file(job->options->half_1), "half_2", describe_file(job->options->half_2),
        "mask", describe_mask(job), "side", fsc->side, "voxel_angstrom", fsc->voxel_angstrom, "seed",
        qn_json_unsigned(job->options->fsc.seed), "randomise_below", below > 0 ? below : 0.8, "randomised_from_shell",
        fsc->randomised_from, "resolution_angstrom", fsc->resolution_angstrom, "at_0_5",
        describe_crossing(&fsc->at_0_5), "at_0_143", describe_crossing(&fsc->at_0_143), "warnings",
        describe_warnings(job), "threads", qn_context_threads(job->context), "timings", "read_s", job->read_s, "mask_s",
        job->mask_s, "fsc_s", job->fsc_s, "total_s", job->total_s);
    return qn_json_write(json, job->options->output, "run.json");
}
