/* run.json: what went in, what it ran on, what came out, how long it took. */
#include <math.h>
#include <quern/version.h>

#include "base/error.h"
#include "job/input.h"
#include "report/json.h"
#include "trajectory/output.h"

/* Larger files are not read once more for a checksum: of this size it takes a moment. */
static const uint64_t most_hashed_bytes = (uint64_t)1 << 26;

/* JSON has no word for what is not finite: null. */
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

/* Partial results are written every few seconds: without checksums. */
static json_t *describe_path(const char *path, bool with_checksum)
{
    qn_input_facts facts;
    if (qn_input_look_at(path, 0, &facts) == QN_OK && with_checksum && facts.bytes > 0 &&
        facts.bytes <= most_hashed_bytes && qn_input_look_at(path, most_hashed_bytes, &facts) != QN_OK)
        qn_error_clear(); /* it is gone by now */
    return json_pack("{s:o, s:I, s:s?, s:s?}", "file", qn_json_text(path), "bytes", (json_int_t)facts.bytes, "modified",
                     facts.modified[0] ? facts.modified : NULL, "sha256",
                     with_checksum && facts.digest[0] ? facts.digest : NULL);
}

static json_t *describe_topology(const qn_trajectory_results *results)
{
    const qn_topology *topology = results->topology;
    json_t *json = describe_path(results->options->topology, results->complete);
    json_t *rest = json_pack("{s:I, s:I, s:I, s:I, s:b, s:b}", "atoms", (json_int_t)topology->atom_count, "residues",
                             (json_int_t)topology->residue_count, "molecules", (json_int_t)topology->molecule_count,
                             "bonds", (json_int_t)topology->bond_count, "has_charges", topology->has_charges,
                             "masses_from_elements", topology->masses == QN_MASSES_FROM_ELEMENTS);
    json_object_update(json, rest);
    json_decref(rest);
    return json;
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
        if (qn_output_wants(results, "xvg")) append_file(list, query, tables->tables[i].table.name, "xvg");
        if (qn_output_wants(results, "csv")) append_file(list, query, tables->tables[i].table.name, "csv");
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

static json_t *describe_options(const qn_trajectory_options *options)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:b, s:s, s:o, s:b}", "begin_ps",
                     number_of(options->begin_ps), "end_ps", number_of(options->end_ps), "first_frame",
                     qn_json_unsigned(options->first_frame), "last_frame",
                     options->last_frame == UINT64_MAX ? json_null() : qn_json_unsigned(options->last_frame), "stride",
                     qn_json_unsigned(options->stride), "keep_overlaps", options->keep_overlaps, "whole",
                     options->whole, "periodic", options->periodic, "length_unit", options->angstrom ? "Å" : "nm",
                     "index_file", qn_json_text(options->index_file), "resume", options->run.resume);
}

static json_t *describe_texts(const char *const *texts, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, qn_json_text(texts[i]));
    return list;
}

static json_t *describe_devices(const qn_trajectory_results *results)
{
    json_t *list = json_array();
    for (size_t i = 0; i < results->device_count; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s}", "identifier", results->devices[i], "name", results->device_names[i]));
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
    json_t *json = json_pack(
        "{s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:i, s:i, s:o, s:{s:f, s:f, s:f}}", "quern", QN_VERSION,
        "complete", results->complete, "topology", describe_topology(results), "trajectories", describe_files(results),
        "live", describe_live(results), "frames", describe_frames(results), "queries", describe_queries(results),
        "selection_nodes", (json_int_t)results->selection_nodes, "options", describe_options(results->options),
        "devices", describe_devices(results), "threads", results->threads, "ranks", results->ranks, "warnings",
        describe_texts(results->warnings, results->warning_count), "timings", "prepare_s", results->prepare_s,
        "analyse_s", results->analyse_s, "total_s", results->total_s);
    return qn_json_write(json, results->options->output, "run.json");
}
