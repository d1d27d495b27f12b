/* run.json: what went in, what it ran on, how long it took. */
#include "base/error.h"
#include "base/file.h"
#include "job/input.h"
#include "report/json.h"
#include "screen/output.h"

/* Larger libraries are not read once more for a checksum: of this size it takes some seconds. */
static const uint64_t most_hashed_bytes = (uint64_t)1 << 30;

static json_t *describe_receptor(const qn_screen_state *run)
{
    return json_pack("{s:o, s:s, s:I}", "file", qn_json_text(run->options->receptor), "sha256", run->receptor_hash,
                     "heavy_atoms", (json_int_t)run->receptor.atom_count);
}

/* A file that was read; what is not known of it is null. */
static json_t *describe_file(const char *path)
{
    qn_input_facts facts;
    if (qn_input_look_at(path, most_hashed_bytes, &facts) != QN_OK) qn_error_clear(); /* it is gone by now */
    return json_pack("{s:o, s:I, s:s?, s:s?}", "file", qn_json_text(path), "bytes", (json_int_t)facts.bytes, "modified",
                     facts.modified[0] ? facts.modified : NULL, "sha256", facts.digest[0] ? facts.digest : NULL);
}

static json_t *describe_libraries(const qn_screen_options *options)
{
    json_t *list = json_array();
    for (size_t i = 0; i < options->library_count; i++)
        json_array_append_new(list, describe_file(options->libraries[i]));
    return list;
}

static json_t *describe_vector(const double vector[3])
{
    return json_pack("[f, f, f]", vector[0], vector[1], vector[2]);
}

/* A file of names, or the data item that tells. */
static json_t *describe_actives(const char *actives)
{
    return actives && qn_file_exists(actives) ? describe_file(actives) : qn_json_text(actives);
}

static json_t *describe_options(const qn_screen_state *run)
{
    const qn_screen_options *options = run->options;
    const qn_screen_search_options *search = &run->search;
    return json_pack("{s:s, s:s, s:o, s:o, s:f, s:o, s:o, s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:i, "
                     "s:o, s:o, s:b, s:b, s:b, s:b}",
                     "score", options->score, "energy_unit", qn_screen_energy_unit(run->score.kind), "site",
                     options->site ? describe_file(options->site) : json_null(), "pocket",
                     qn_json_text(options->pocket), "margin_angstrom", options->margin_angstrom, "box_centre_angstrom",
                     describe_vector(search->box_centre_angstrom), "box_side_angstrom",
                     describe_vector(search->box_side_angstrom), "conformers", options->conformers, "generations",
                     search->generations, "poses", search->poses, "winners", search->winners, "minimiser_steps",
                     search->minimiser_steps, "keep", options->keep, "diversity_angstrom", options->diversity_angstrom,
                     "top", options->top, "actives", describe_actives(options->actives), "seed",
                     qn_json_unsigned(options->run.seed), "exact", options->exact, "cull", options->cull, "strict",
                     options->run.strict, "resume", options->run.resume);
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
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "prepare_s", timings->prepare_s, "search_s", timings->search_s,
                     "scoring_s", run->scoring_s, "evolving_s", run->evolving_s, "write_s", timings->write_s, "total_s",
                     timings->total_s);
}

static double per_second(double amount, double seconds)
{
    return seconds > 0 ? amount / seconds : 0;
}

/* Scoring's share is that of this process's devices. */
static json_t *describe_run(const qn_screen_state *run)
{
    const double search_s = run->timings.search_s, searched = (double)(run->molecules - run->resumed);
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:i, s:i, s:o, s:i, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:o}",
                     "quern", QN_VERSION, "receptor", describe_receptor(run), "libraries",
                     describe_libraries(run->options), "options", describe_options(run), "devices",
                     describe_devices(run), "ranks", qn_ranks_count(run->ranks), "threads",
                     qn_context_threads(run->context), "library_damage", qn_json_text(qn_screen_damage(run)), "batch",
                     run->batch, "molecules", (json_int_t)run->molecules, "scored", (json_int_t)run->row_count,
                     "rejected", (json_int_t)run->rejection_count, "resumed", (json_int_t)run->resumed, "conformers",
                     (json_int_t)run->conformers, "interactions", run->interactions, "molecules_per_s",
                     per_second(searched, search_s), "interactions_per_s", per_second(run->interactions_here, search_s),
                     "scoring_share", qn_screen_scoring_share(run), "timings", describe_timings(run));
}

qn_status qn_screen_write_run_json(const qn_screen_state *run)
{
    return qn_json_write(describe_run(run), run->options->output, "run.json");
}
