/* run.json: topology, trajectories, frames, queries with their results, options, timings. */
#include <math.h>

#include "base/error.h"
#include "report/json.h"
#include "report/options.h"
#include "trajectory/output.h"

/* JSON has no numbers that are not finite: they become null. */
static json_t *number_of(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text_of(qn_text *text)
{
    json_t *json = qn_json_text(text->data ? text->data : "");
    qn_text_clear(text);
    return json;
}

static json_t *describe_topology(const qn_topology *topology)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:b, s:b}", "atoms", (json_int_t)topology->atom_count, "residues",
                     (json_int_t)topology->residue_count, "molecules", (json_int_t)topology->molecule_count, "bonds",
                     (json_int_t)topology->bond_count, "has_charges", topology->has_charges, "masses_from_elements",
                     topology->masses == QN_MASSES_FROM_ELEMENTS);
}

static json_t *describe_files(const qn_trajectory_results *results)
{
    json_t *list = json_array();
    for (size_t i = 0; i < results->file_count; i++) {
        const qn_frame_file_facts *file = &results->files[i];
        json_array_append_new(list, json_pack("{s:o, s:s?, s:o, s:o, s:o}", "file", qn_json_text(file->path), "format",
                                              file->format, "bytes", qn_json_unsigned(file->bytes), "frames",
                                              qn_json_unsigned(file->frames), "ending", qn_json_text(file->ending)));
    }
    return list;
}

static json_t *describe_live(const qn_trajectory_results *results)
{
    const qn_live_facts *live = results->live;
    if (!live) return json_null();
    return json_pack("{s:o, s:i, s:o, s:o, s:o, s:o}", "address", qn_json_text(results->options->live), "version",
                     live->version, "received", qn_json_unsigned(live->received), "pauses",
                     qn_json_unsigned(live->pauses), "dropped", qn_json_unsigned(live->dropped), "ending",
                     qn_json_text(live->ending));
}

static json_t *describe_selection(const char *text, size_t atoms, bool fixed)
{
    if (!text) return json_null();
    return json_pack("{s:o, s:I, s:b}", "text", qn_json_text(text), "atoms", (json_int_t)atoms, "fixed", fixed);
}

static json_t *describe_parameters(const qn_trajectory_results *results, const qn_query_result *query)
{
    json_t *json = json_object();
    const qn_query_parameter *parameter = query->query_class->parameters;
    for (; parameter && parameter->name; parameter++) {
        qn_text value = {0};
        if (qn_output_parameter(results, query, parameter, &value) != QN_OK) qn_error_clear();
        json_object_set_new(json, parameter->name, text_of(&value));
    }
    return json;
}

static json_t *describe_numbers(const qn_trajectory_results *results, const qn_query_tables *tables)
{
    json_t *list = json_array();
    for (size_t i = 0; i < tables->number_count; i++) {
        const qn_query_number *number = &tables->numbers[i];
        qn_text unit = {0};
        if (qn_output_unit(results, number->unit, &unit) != QN_OK) qn_error_clear();
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:o}", "label", qn_json_text(number->label), "value",
                                        number_of(number->value * qn_output_factor(results, number->length_power)),
                                        "unit", text_of(&unit)));
    }
    return list;
}

static void append_file(json_t *list, const qn_query_result *query, const char *part, const char *extension)
{
    qn_text name = {0};
    if (qn_output_name(query, part, extension, &name) != QN_OK) qn_error_clear();
    json_array_append_new(list, text_of(&name));
}

static json_t *describe_outputs(const qn_trajectory_results *results, const qn_query_result *query)
{
    json_t *list = json_array();
    const qn_query_tables *tables = query->tables;
    for (size_t i = 0; i < tables->table_count; i++) {
        if (qn_output_wants(results, QN_TRAJECTORY_XVG)) append_file(list, query, tables->tables[i].table.name, "xvg");
        if (qn_output_wants(results, QN_TRAJECTORY_CSV)) append_file(list, query, tables->tables[i].table.name, "csv");
    }
    for (size_t i = 0; i < tables->grid_count; i++) append_file(list, query, tables->grids[i].name, "dx");
    return list;
}

static json_t *describe_queries(const qn_trajectory_results *results)
{
    json_t *list = json_array();
    for (size_t i = 0; i < results->query_count; i++) {
        const qn_query_result *query = &results->queries[i];
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:o, s:o, s:b, s:o, s:s, s:f, s:o, s:o}", "name", query->name, "class",
                            query->query_class->name, "select",
                            describe_selection(query->select, query->atom_counts[0], query->fixed[0]), "with",
                            describe_selection(query->with, query->atom_counts[1], query->fixed[1]), "whole",
                            query->whole, "parameters", describe_parameters(results, query), "measured_by",
                            query->device[0] ? query->device : "threads", "seconds", query->seconds, "files",
                            describe_outputs(results, query), "numbers", describe_numbers(results, query->tables)));
    }
    return list;
}

static json_t *describe_frames(const qn_trajectory_results *results)
{
    const double seconds = results->analyse_s;
    const double analysed = (double)(results->frames - results->resumed);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f}", "analysed", qn_json_unsigned(results->frames),
                     "resumed", qn_json_unsigned(results->resumed), "overlapping",
                     qn_json_unsigned(results->overlapping), "first_ps", number_of(results->first_ps), "last_ps",
                     number_of(results->last_ps), "bytes", qn_json_unsigned(results->bytes), "per_s",
                     seconds > 0 ? analysed / seconds : 0.0, "megabytes_per_s",
                     seconds > 0 ? 1e-6 * (double)results->bytes / seconds : 0.0);
}

qn_status qn_output_write_run_json(const qn_trajectory_results *results)
{
    json_t *json =
        json_pack("{s:b, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:{s:f, s:f, s:f}}", "complete", results->complete,
                  "topology", describe_topology(results->topology), "trajectories", describe_files(results), "live",
                  describe_live(results), "frames", describe_frames(results), "queries", describe_queries(results),
                  "selection_nodes", (json_int_t)results->selection_nodes, "options",
                  qn_json_options(qn_trajectory_option_table(), results->options), "timings", "prepare_s",
                  results->prepare_s, "analyse_s", results->analyse_s, "total_s", results->total_s);
    return qn_job_facts(results->job, json);
}
