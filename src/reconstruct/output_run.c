/* run.json: what went in, what it ran on, what came out, how long it took. */
#include <math.h>
#include <quern/version.h>

#include "base/error.h"
#include "base/memory.h"
#include "job/input.h"
#include "reconstruct/output_parts.h"
#include "report/json.h"

/* Metadata up to this size are read once more for a checksum, which takes a moment; of stacks the two ends are, and of
 * very many not even those. */
static const uint64_t most_hashed_bytes = (uint64_t)1 << 28;
enum { MOST_SAMPLED_STACKS = 256 };

/* JSON has no word for what is not finite: null. */
static json_t *number_of(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* A file that was read; what is not known of it is null or left out. */
static json_t *describe_file(const char *path, uint64_t most_bytes)
{
    qn_input_facts facts;
    if (qn_input_look_at(path, most_bytes, &facts) != QN_OK) qn_error_clear(); /* it is gone by now */
    return json_pack("{s:o, s:o, s:s?, s:s*}", "file", qn_json_text(path), "bytes", qn_json_unsigned(facts.bytes),
                     "modified", facts.modified[0] ? facts.modified : NULL, "sha256",
                     facts.digest[0] ? facts.digest : NULL);
}

static json_t *describe_particles(const qn_reconstruction *run)
{
    const qn_particle_set *set = run->particles;
    json_t *json = describe_file(run->options->particles, most_hashed_bytes);
    json_t *rest =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:b}", "rows", qn_json_unsigned(set->particle_count), "used",
                  qn_json_unsigned(run->used_count), "skipped", qn_json_unsigned(run->skipped), "resumed",
                  qn_json_unsigned(run->resumed), "optics_groups", qn_json_unsigned(set->optics_count), "has_ctf",
                  set->has_ctf, "has_subsets", set->has_subsets);
    json_object_update(json, rest);
    json_decref(rest);
    return json;
}

static json_t *describe_stacks(const qn_particle_set *set)
{
    json_t *list = json_array();
    for (size_t i = 0; i < set->stack_count; i++) {
        json_t *stack = describe_file(set->stacks[i], 0);
        uint64_t bytes;
        char digest[65];
        if (set->stack_count <= MOST_SAMPLED_STACKS) {
            if (qn_input_sample(set->stacks[i], &bytes, digest) == QN_OK)
                json_object_set_new(stack, "sha256_of_both_ends", json_string(digest));
            else
                qn_error_clear();
        }
        json_array_append_new(list, stack);
    }
    return list;
}

static const char *name_of_weights(qn_reconstruct_weights weights)
{
    switch (weights) {
    case QN_RECONSTRUCT_WEIGHTS_AUTO: return "auto";
    case QN_RECONSTRUCT_WEIGHTS_PLAIN: return "plain";
    case QN_RECONSTRUCT_WEIGHTS_ITERATED: return "iterated";
    }
    return NULL;
}

static json_t *describe_options(const qn_reconstruct_options *options)
{
    return json_pack("{s:o, s:b, s:b, s:i, s:o, s:f, s:f, s:s?, s:b, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:i, s:b, "
                     "s:f}",
                     "symmetry", qn_json_text(options->symmetry), "ctf", options->ctf, "halves", options->halves,
                     "subset", options->subset, "mask", qn_json_text(options->mask), "max_resolution_angstrom",
                     options->max_resolution_angstrom, "padding", options->padding, "weights",
                     name_of_weights(options->weights), "fast", options->fast, "deterministic", options->deterministic,
                     "write_weights", options->write_weights, "first", qn_json_unsigned(options->first), "last",
                     options->last == UINT64_MAX ? json_null() : qn_json_unsigned(options->last), "seed",
                     qn_json_unsigned(options->run.seed), "device", qn_json_text(options->run.device), "memory_bytes",
                     qn_json_unsigned(options->run.memory_bytes), "batch", options->run.batch, "resume",
                     options->run.resume, "checkpoint_s", options->checkpoint_s);
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

static json_t *describe_devices(const qn_reconstruction *run)
{
    json_t *list = json_array();
    for (int i = 0; i < run->device_count; i++) {
        const qn_device_info *info = run->devices[i];
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o, s:i}", "identifier", qn_json_text(info->identifier),
                                              "name", qn_json_text(info->name), "driver", qn_json_text(info->driver),
                                              "driver_version", qn_json_text(info->driver_version), "compute_units",
                                              info->compute_units));
    }
    return list;
}

static json_t *describe_timings(const qn_reconstruction_times *times)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:{s:f, s:f, s:f, s:f}}", "metadata_s", times->metadata_s,
                     "insert_s", times->insert_s, "reduce_s", times->reduce_s, "finish_s", times->finish_s, "fsc_s",
                     times->fsc_s, "total_s", times->total_s, "within_insert", "read_s", times->read_s, "transform_s",
                     times->transform_s, "prepare_s", times->prepare_s, "kernel_s", times->kernel_s);
}

static json_t *describe_warnings(const qn_reconstruction *run)
{
    qn_reconstruct_warnings warnings;
    json_t *list = json_array();
    qn_reconstruct_list_warnings(run, &warnings);
    for (size_t i = 0; i < warnings.count; i++) json_array_append_new(list, qn_json_text(warnings.text[i]));
    return list;
}

/* Files of an earlier run may lie beside these. */
static json_t *describe_files(const qn_reconstruction *run)
{
    const char *names[QN_RECONSTRUCT_MOST_FILES];
    const size_t count = qn_reconstruct_list_files(run, names);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        char *path = NULL;
        if (qn_reconstruct_path(run->options->output, names[i], &path) != QN_OK) qn_error_clear();
        json_array_append_new(list, qn_json_text(path));
        qn_release(&path);
    }
    return list;
}

qn_status qn_reconstruct_write_run_json(const qn_reconstruction *run)
{
    char *path;
    QN_TRY(qn_reconstruct_path(run->options->output, "run.json", &path));
    json_t *json = json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "quern", qn_version(),
        "particles", describe_particles(run), "stacks", describe_stacks(run->particles), "options",
        describe_options(run->options), "map", describe_map(run), "halves", describe_halves(run), "devices",
        describe_devices(run), "threads", run->threads, "ranks", run->ranks, "slabs", run->slabs,
        "memory_bytes_estimated", qn_json_unsigned(run->memory_bytes), "device_memory_bytes_estimated",
        qn_json_unsigned(run->device_memory_bytes), "images_per_s", number_of(qn_reconstruct_images_per_s(run)),
        "share_of_the_device_limit", run->limit_share > 0 ? number_of(run->limit_share) : json_null(), "timings",
        describe_timings(&run->times), "warnings", describe_warnings(run), "files", describe_files(run));
    qn_status status = qn_json_write_file(json, path);
    qn_release(&path);
    return status;
}
