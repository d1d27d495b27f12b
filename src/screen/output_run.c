/* run.json: what went in, what it ran on, how long it took. */
#include <jansson.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "screen/output.h"

static json_t *describe_receptor(const qn_screen_state *run)
{
    return json_pack("{s:s, s:s, s:I}", "file", run->options->receptor, "sha256", run->receptor_hash, "heavy_atoms",
                     (json_int_t)run->receptor.atom_count);
}

static json_t *describe_libraries(const qn_screen_options *options)
{
    json_t *list = json_array();
    for (size_t i = 0; i < options->library_count; i++) json_array_append_new(list, json_string(options->libraries[i]));
    if (json_array_size(list) == options->library_count) return list;
    json_decref(list); /* a text is not valid UTF-8 */
    return NULL;
}

static json_t *describe_vector(const double vector[3])
{
    return json_pack("[f, f, f]", vector[0], vector[1], vector[2]);
}

static json_t *describe_options(const qn_screen_state *run)
{
    const qn_screen_options *options = run->options;
    const qn_screen_search_options *search = &run->search;
    return json_pack("{s:s, s:s, s:s?, s:s?, s:f, s:o, s:o, s:i, s:i, s:i, s:i, s:i, s:f, s:i, s:i, s:i, s:f, s:i, "
                     "s:s?, s:I, s:b, s:b, s:b, s:b}",
                     "score", options->score, "energy_unit", qn_screen_energy_unit(run->score.kind), "site",
                     options->site, "pocket", options->pocket, "margin_angstrom", options->margin_angstrom,
                     "box_centre_angstrom", describe_vector(search->box_centre_angstrom), "box_side_angstrom",
                     describe_vector(search->box_side_angstrom), "conformers", options->conformers, "generations",
                     search->generations, "fine_generations", search->fine_generations, "poses", search->poses,
                     "parents", search->parents, "mutation_rate", search->mutation_rate, "winners", search->winners,
                     "minimiser_steps", search->minimiser_steps, "keep", options->keep, "diversity_angstrom",
                     options->diversity_angstrom, "top", options->top, "actives", options->actives, "seed",
                     (json_int_t)options->seed, "exact", options->exact, "cull", options->cull, "strict",
                     options->strict, "resume", options->resume);
}

static json_t *describe_devices(const qn_screen_state *run)
{
    json_t *list = json_array();
    for (int i = 0; i < run->device_count; i++) {
        const qn_device_info *info = qn_device_get_info(run->devices[i]);
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:i}", "identifier", info->identifier, "name",
                                              info->name, "driver", info->driver, "driver_version",
                                              info->driver_version, "compute_units", info->compute_units));
    }
    return list;
}

static json_t *describe_timings(const qn_screen_state *run)
{
    const qn_screen_timings *timings = &run->timings;
    return json_pack("{s:f, s:f, s:f, s:f, s:f}", "prepare_s", timings->prepare_s, "search_s", timings->search_s,
                     "scoring_s", run->scoring_s, "write_s", timings->write_s, "total_s", timings->total_s);
}

static double per_second(double amount, double seconds)
{
    return seconds > 0 ? amount / seconds : 0;
}

/* Scoring's share is that of this process's devices. */
static json_t *describe_run(const qn_screen_state *run)
{
    const double search_s = run->timings.search_s, searched = (double)(run->molecules - run->resumed);
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:o}", "quern",
        QN_VERSION, "receptor", describe_receptor(run), "libraries", describe_libraries(run->options), "options",
        describe_options(run), "devices", describe_devices(run), "ranks", qn_ranks_count(run->ranks), "threads",
        qn_context_threads(run->context), "batch", run->batch, "molecules", (json_int_t)run->molecules, "scored",
        (json_int_t)run->row_count, "rejected", (json_int_t)run->rejection_count, "resumed", (json_int_t)run->resumed,
        "conformers", (json_int_t)run->conformers, "interactions", run->interactions, "molecules_per_s",
        per_second(searched, search_s), "interactions_per_s", per_second(run->interactions_here, search_s),
        "scoring_share", qn_screen_scoring_share(run), "timings", describe_timings(run));
}

qn_status qn_screen_write_run_json(const qn_screen_state *run)
{
    char *path;
    json_t *json = describe_run(run);
    char *text = json ? json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(json);
    if (!text) QN_FAIL(QN_INTERNAL, "cannot write run.json: a text is not valid UTF-8");
    qn_text content = {0};
    qn_status status = qn_text_append(&content, "%s\n", text);
    free(text);
    if (status == QN_OK) status = qn_path_join(run->options->output, "run.json", &path);
    if (status == QN_OK) {
        status = qn_file_write(path, content.data, content.length);
        qn_release(&path);
    }
    qn_text_clear(&content);
    return status;
}
