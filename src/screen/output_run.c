/* run.json: the search, its counts and times. */
#include <stdio.h>

#include "flexible/kernels/maps.h"
#include "report/json.h"
#include "report/options.h"
#include "screen/output.h"

static json_t *describe_vector(const double vector[3])
{
    return json_pack("[f, f, f]", vector[0], vector[1], vector[2]);
}

/* The parameters of a search of rigid molecules, which follow from options, box and devices. */
static json_t *describe_rigid(const qn_screen_search_options *search)
{
    return json_pack("{s:s, s:o, s:o, s:i, s:i, s:i, s:i, s:i}", "method", "evolution", "box_centre_angstrom",
                     describe_vector(search->box_centre_angstrom), "box_side_angstrom",
                     describe_vector(search->box_side_angstrom), "generations", search->generations, "poses",
                     search->poses, "winners", search->winners, "minimiser_steps", search->minimiser_steps, "rounds",
                     search->rounds);
}

/* The side chains that turn, such as "A:TRP177". */
static json_t *list_sides(const qn_flexible_sides *sides)
{
    json_t *list = json_array();
    for (int i = 0; i < sides->count; i++) {
        const qn_residue *residue = &sides->sides[i].residue;
        char name[48];
        snprintf(name, sizeof name, "%s:%s%d%.1s", residue->chain, residue->name, residue->number, &residue->insertion);
        json_array_append_new(list, qn_json_text(name));
    }
    return list;
}

/* The parameters of flexible molecules: the poses of the library have no box and no chains. */
static json_t *describe_flexible(const qn_screen_state *run)
{
    const qn_screen_options *options = run->options;
    const bool given = options->score_only || options->local_only;
    json_t *search = json_pack("{s:s, s:s, s:o}", "method",
                               options->score_only   ? "score only"
                               : options->local_only ? "local only"
                                                     : "chains",
                               "types", options->types == QN_SCREEN_TYPES_FILE ? "file" : "own", "side_chains",
                               list_sides(&run->sides));
    if (given) return search;
    json_t *chains = json_pack("{s:o, s:o, s:b, s:i, s:f, s:s, s:f}", "box_centre_angstrom",
                               describe_vector(run->search.box_centre_angstrom), "box_side_angstrom",
                               describe_vector(run->search.box_side_angstrom), "confine_atoms", options->confine_atoms,
                               "walkers", options->walkers, "effort", options->effort, "receptor_energy",
                               options->receptor_energy == QN_SCREEN_RECEPTOR_EXACT ? "exact" : "maps",
                               "map_spacing_angstrom", QN_FLEXIBLE_SPACING_ANGSTROM);
    json_object_update_missing(search, chains);
    json_decref(chains);
    return search;
}

/* The parameters of the search that was used. */
static json_t *describe_search(const qn_screen_state *run)
{
    json_t *search = run->options->rigid ? describe_rigid(&run->search) : describe_flexible(run);
    json_object_set_new(search, "energy_unit", json_string(qn_screen_energy_unit(run->score.kind)));
    return search;
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
    json_t *json = json_pack(
        "{s:I, s:o, s:o, s:o, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:o}", "receptor_atoms",
        (json_int_t)run->receptor.atom_count, "options", qn_json_options(qn_screen_option_table(), run->options),
        "search", describe_search(run), "library_damage", qn_json_text(qn_screen_damage(run)), "batch", run->batch,
        "molecules", (json_int_t)run->molecules, "scored", (json_int_t)run->row_count, "rejected",
        (json_int_t)run->rejection_count, "resumed", (json_int_t)run->resumed, "conformers",
        (json_int_t)run->conformers, "far_from_receptor", (json_int_t)run->far, "unsettled_conformers",
        (json_int_t)run->unsettled, "interactions", run->interactions, "molecules_per_s",
        per_second(searched, search_s), "interactions_per_s", per_second(run->interactions_here, search_s),
        "scoring_share", qn_screen_scoring_share(run), "timings", describe_timings(run));
    return qn_job_facts(run->job, json);
}
