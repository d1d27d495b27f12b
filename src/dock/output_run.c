/* run.json: partners, options, coefficient sets, devices, grid and times of a run. */
#include <math.h>

#include "dock/run.h"
#include "report/json.h"
#include "report/options.h"

/* Describe a partner; `path` is NULL for a molecule in memory. */
static json_t *describe_partner(const char *path, const qn_dock_partner *partner)
{
    const double net_charge_e = round(1e4 * partner->summary.net_charge_e) / 1e4; /* of charges with four decimals */
    return json_pack("{s:o, s:o, s:I, s:I, s:I, s:I, s:f, s:I}", "file", qn_json_text(path), "name",
                     qn_json_text(partner->molecule->name), "residues", (json_int_t)partner->molecule->residue_count,
                     "heavy_atoms", (json_int_t)partner->summary.heavy_atoms, "hydrogens_built",
                     (json_int_t)partner->built_hydrogens, "waters_dropped",
                     (json_int_t)partner->molecule->dropped_waters, "net_charge_e", net_charge_e,
                     "atoms_without_table_entry", (json_int_t)partner->summary.without_entry);
}

static json_t *describe_selections(const char *const *selections, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, qn_json_text(selections[i]));
    return list;
}

/* Describe what the user knows of the interface: masks and their energies, restraints. */
static json_t *describe_knowledge(const qn_dock_state *run)
{
    const qn_dock_options *options = run->options;
    return json_pack(
        "{s:o, s:o, s:f, s:f, s:o, s:I, s:I, s:o, s:o, s:o, s:o}", "block",
        describe_selections(options->blocked, options->blocked_count), "attract",
        describe_selections(options->attracted, options->attracted_count), "block_penalty", options->block_penalty,
        "attract_bonus", options->attract_bonus, "restraints_file", qn_json_text(options->restraints_file),
        "restraints", (json_int_t)(run->restraints.count + run->restraints.ambiguous.count), "restraints_required",
        (json_int_t)run->restraints.required, "active", describe_selections(options->active, options->active_count),
        "passive", describe_selections(options->passive, options->passive_count), "antibody",
        describe_selections(options->antibodies, options->antibody_count), "plddt",
        describe_selections(options->plddt, options->plddt_count));
}

static json_t *describe_devices(const qn_dock_state *run)
{
    json_t *list = json_array();
    for (int i = 0; i < run->job->device_count; i++) {
        const qn_dock_worker *worker = &run->workers[i];
        json_t *device = qn_job_describe_device(run->job->devices[i]);
        json_t *own = json_pack("{s:I, s:s, s:i}", "bytes_used", (json_int_t)worker->device_bytes, "fft_engine",
                                worker->transforms, "batch", worker->batch);
        json_object_update(device, own);
        json_decref(own);
        json_array_append_new(list, device);
    }
    return list;
}

/* Describe a number that may be infinite. JSON has no infinity; null is written instead. */
static json_t *describe_limit(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Describe name, weights and other numbers of each coefficient set. */
static json_t *describe_sets(const qn_dock_state *run)
{
    json_t *list = json_array();
    for (size_t s = 0; s < run->energy.set_count; s++) {
        json_t *set = json_pack("{s:o}", "name", qn_json_text(run->energy.sets[s].name));
        for (int term = 0; term < run->energy.term_count; term++)
            json_object_set_new(set, run->energy.term_names[term], json_real(run->energy.sets[s].weight[term]));
        if (run->coefficients) {
            const qn_coefficients *from = &run->coefficients[s];
            json_object_set_new(set, "reach_angstrom", json_real(from->reach_angstrom));
            json_object_set_new(set, "length_angstrom", json_real(from->length_angstrom));
            json_object_set_new(set, "core", json_real(from->core));
            json_object_set_new(set, "cap", describe_limit(from->cap));
            json_object_set_new(set, "cdrs_only", json_boolean(from->cdrs_only));
        }
        json_array_append_new(list, set);
    }
    return list;
}

static json_t *describe_timings(const qn_dock_timings *timings)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "prepare_s", timings->prepare_s, "search_s", timings->search_s,
                     "rank_s", timings->rank_s, "cluster_s", timings->cluster_s, "refine_s", timings->refine_s,
                     "write_s", timings->write_s);
}

qn_status qn_dock_write_run_json(const qn_dock_state *run)
{
    const int searched = run->rotation_count - run->resumed_rotations;
    json_t *json =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:[iii], s:i, s:f, s:i, s:i, s:f, s:o}", "receptor",
                  describe_partner(run->options->receptor, &run->receptor), "ligand",
                  describe_partner(run->options->ligand, &run->ligand), "options",
                  qn_json_options(qn_dock_option_table(), run->options), "known_beforehand", describe_knowledge(run),
                  "coefficient_sets", describe_sets(run), "devices", describe_devices(run), "grids_per_rotation",
                  run->energy.grid_count, "grid", run->grid.cells[0], run->grid.cells[1], run->grid.cells[2],
                  "rotations", run->rotation_count, "rotation_step_degrees", run->neighbour_degrees, "exclusion_cells",
                  run->exclusion_cells, "resumed_rotations", run->resumed_rotations, "rotations_per_s",
                  searched > 0 ? searched / run->timings.search_s : 0.0, "timings", describe_timings(&run->timings));
    return qn_job_facts(run->job, json);
}
