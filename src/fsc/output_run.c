/* Write run.json: options, mask, resolution and times. */
#include <math.h>

#include "fsc/run.h"
#include "report/json.h"
#include "report/options.h"

static json_t *number_of(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *describe_mask(const qn_fsc_state *run)
{
    if (!run->mask) return json_null();
    const qn_mask_report *made = &run->made;
    json_t *json =
        run->mask_made
            ? json_pack("{s:s, s:f, s:f, s:f, s:f, s:o, s:o, s:I, s:I}", "file", "mask.mrc", "low_pass_angstrom",
                        made->options.low_pass_angstrom, "threshold", made->options.threshold, "extend_voxels",
                        made->options.extend_voxels, "soft_edge_voxels", made->options.soft_edge_voxels, "background",
                        number_of(made->background), "noise", number_of(made->noise), "parts_found",
                        (json_int_t)made->parts_found, "parts_kept", (json_int_t)made->parts_kept)
            : json_pack("{s:o}", "file", qn_json_text(run->mask_name));
    json_object_set_new(json, "made", json_boolean(run->mask_made));
    json_object_set_new(json, "share", json_real(run->fsc->mask_share));
    return json;
}

static json_t *describe_crossing(const qn_fsc_crossing *crossing)
{
    return json_pack("{s:f, s:i, s:f, s:f}", "threshold", crossing->threshold, "shell", crossing->shell,
                     "shell_angstrom", crossing->shell_angstrom, "crossing_angstrom", crossing->crossing_angstrom);
}

qn_status qn_fsc_write_run_json(const qn_fsc_state *run)
{
    const qn_fsc *fsc = run->fsc;
    json_t *json =
        json_pack("{s:o, s:o, s:i, s:f, s:i, s:f, s:o, s:o, s:{s:f, s:f, s:f, s:f}}", "options",
                  qn_json_options(qn_fsc_option_table(), run->options), "mask", describe_mask(run), "side", fsc->side,
                  "voxel_angstrom", fsc->voxel_angstrom, "randomised_from_shell", fsc->randomised_from,
                  "resolution_angstrom", fsc->resolution_angstrom, "at_0_5", describe_crossing(&fsc->at_0_5),
                  "at_0_143", describe_crossing(&fsc->at_0_143), "timings", "read_s", run->read_s, "mask_s",
                  run->mask_s, "fsc_s", run->fsc_s, "total_s", run->total_s);
    return qn_job_facts(run->job, json);
}
