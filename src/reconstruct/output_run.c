/* Write run.json: particles, options, map, halves and times. */
#include <math.h>

#include "reconstruct/output_parts.h"
#include "report/json.h"
#include "report/options.h"

/* JSON has no numbers that are not finite; null stands for them. */
static json_t *number_of(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *describe_particles(const qn_reconstruction *run)
{
    const qn_particle_set *set = run->particles;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:b}", "rows", qn_json_unsigned(set->particle_count), "used",
                     qn_json_unsigned(run->used_count), "skipped", qn_json_unsigned(run->skipped), "resumed",
                     qn_json_unsigned(run->resumed), "optics_groups", qn_json_unsigned(set->optics_count), "has_ctf",
                     set->has_ctf, "has_subsets", set->has_subsets);
}

static json_t *describe_crossing(const qn_fsc_crossing *crossing)
{
    return json_pack("{s:f, s:i, s:o, s:o}", "threshold", crossing->threshold, "shell", crossing->shell,
                     "shell_angstrom", number_of(crossing->shell_angstrom), "crossing_angstrom",
                     number_of(crossing->crossing_angstrom));
}

static json_t *describe_halves(const qn_reconstruction *run)
{
    const qn_fsc *fsc = run->fsc;
    if (!fsc) return json_null();
    return json_pack("{s:o, s:o, s:b, s:i, s:o, s:o}", "split_by", qn_json_text(run->split), "resolution_angstrom",
                     number_of(fsc->resolution_angstrom), "masked", fsc->corrected != NULL,
                     "phases_randomised_from_shell", fsc->randomised_from, "at_0_143",
                     describe_crossing(&fsc->at_0_143), "at_0_5", describe_crossing(&fsc->at_0_5));
}

static json_t *describe_map(const qn_reconstruction *run)
{
    return json_pack("{s:i, s:i, s:o, s:o, s:o, s:i, s:i, s:o, s:o}", "image_side", run->image_side, "padded_side",
                     run->padded_side, "voxel_angstrom", number_of(run->voxel_angstrom), "max_resolution_angstrom",
                     number_of(run->max_resolution_angstrom), "symmetry", qn_json_text(run->symmetry), "operators",
                     run->operator_count, "weight_iterations", run->finish.iterations, "unevenness_of_views",
                     number_of(run->finish.unevenness), "untouched_share", number_of(run->finish.untouched_share));
}

static json_t *describe_timings(const qn_reconstruction_times *times)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:{s:f, s:f, s:f, s:f}}", "metadata_s", times->metadata_s,
                     "insert_s", times->insert_s, "reduce_s", times->reduce_s, "finish_s", times->finish_s, "fsc_s",
                     times->fsc_s, "total_s", times->total_s, "within_insert", "read_s", times->read_s, "transform_s",
                     times->transform_s, "prepare_s", times->prepare_s, "kernel_s", times->kernel_s);
}

qn_status qn_reconstruct_write_run_json(const qn_reconstruction *run)
{
    json_t *json = json_pack(
        "{s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o}", "particles", describe_particles(run), "options",
        qn_json_options(qn_reconstruct_option_table(), run->options), "map", describe_map(run), "halves",
        describe_halves(run), "slabs", run->slabs, "memory_bytes_estimated", qn_json_unsigned(run->memory_bytes),
        "device_memory_bytes_estimated", qn_json_unsigned(run->device_memory_bytes), "images_per_s",
        number_of(qn_reconstruct_images_per_s(run)), "share_of_the_device_limit",
        run->limit_share > 0 ? number_of(run->limit_share) : json_null(), "timings", describe_timings(&run->times));
    return qn_job_facts(run->job, json);
}
