/* run.json: the search, its counts and times. */
#include "report/json.h"
#include "report/options.h"
#include "screen/output.h"

static json_t *describe_vector(const double vector[3])
{
    return json_pack("[f, f, f]", vector[0], vector[1], vector[2]);
}

/* The parameters of the search, which follow from options, box and devices. */
static json_t *describe_search(const qn_screen_state *run)
{
    const qn_screen_search_options *search = &run->search;
    return json_pack("{s:s, s:o, s:o, s:i, s:i, s:i, s:i, s:i}", "energy_unit", qn_screen_energy_unit(run->score.kind),
                     "box_centre_angstrom", describe_vector(search->box_centre_angstrom), "box_side_angstrom",
                     describe_vector(search->box_side_angstrom), "generations", search->generations, "poses",
                     search->poses, "winners", search->winners, "minimiser_steps", search->minimiser_steps, "rounds",
                     search->rounds);
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

/* scoring_share is that of the devices of this process. */
qn_status qn_screen_write_run_json(const qn_screen_state *run)
{
    const double search_s = run->timings.search_s, searched = (double)(run->molecules - run->resumed);
    json_t *json = json_pack("{s:I, s:o, s:o, s:o, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:o}",
                             "receptor_atoms", (json_int_t)run->receptor.atom_count, "options",
                             qn_json_options(qn_screen_option_table(), run->options), "search", describe_search(run),
                             "library_damage", qn_json_text(qn_screen_damage(run)), "batch", run->batch, "molecules",
                             (json_int_t)run->molecules, "scored", (json_int_t)run->row_count, "rejected",
                             (json_int_t)run->rejection_count, "resumed", (json_int_t)run->resumed, "conformers",
                             (json_int_t)run->conformers, "unsettled_conformers", (json_int_t)run->unsettled,
                             "interactions", run->interactions, "molecules_per_s", per_second(searched, search_s),
                             "interactions_per_s", per_second(run->interactions_here, search_s), "scoring_share",
                             qn_screen_scoring_share(run), "timings", describe_timings(run));
    return qn_job_facts(run->job, json);
}
