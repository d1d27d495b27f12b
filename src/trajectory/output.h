/* The files of a run, each complete or absent, and the format of numbers and units in them. */
#ifndef QN_TRAJECTORY_OUTPUT_H
#define QN_TRAJECTORY_OUTPUT_H

#include "base/text.h"
#include "trajectory/results.h"

/* Whether the user chose Å as the unit of lengths, not nm. */
bool qn_output_in_angstrom(const qn_trajectory_results *results);

/* Factor from nm to the user's unit of length, to the power `length_power`. */
double qn_output_factor(const qn_trajectory_results *results, int length_power);

/* Append a unit with the user's unit of length: "nm²" or "Å²". */
QN_MUST_CHECK qn_status qn_output_unit(const qn_trajectory_results *results, const char *unit, qn_text *text);

/* Append "radius of gyration (nm)", without parentheses if there is no unit. `capital`: the first letter of a word is
 * upper case. */
QN_MUST_CHECK qn_status qn_output_label(const qn_trajectory_results *results, const char *label, const char *unit,
                                        bool capital, qn_text *text);

/* Append the name of a query's file: "name.xvg" or "name_part.xvg". */
QN_MUST_CHECK qn_status qn_output_name(const qn_query_result *query, const char *part, const char *extension,
                                       qn_text *name);

/* Write a number with up to 10 significant digits; whole numbers up to 2^53 with all their digits. */
void qn_output_number(double value, char text[32]);

/* Replace line breaks and other control characters from `from` on by spaces, as texts of the user may contain them. */
void qn_output_keep_in_line(qn_text *text, size_t from);

/* Append a description of the query in one line: "rdf of "name OW" (1054 atoms) with …, max 1.2 nm, molecules made
 * whole". */
QN_MUST_CHECK qn_status qn_output_describe(const qn_trajectory_results *results, const qn_query_result *query,
                                           qn_text *text);

/* Append the value of a parameter in this run, in the user's unit: its fallback, which may be "", if it was left out.
 */
QN_MUST_CHECK qn_status qn_output_parameter(const qn_trajectory_results *results, const qn_query_result *query,
                                            const qn_query_parameter *parameter, qn_text *text);

/* Write `content` as a file of the output folder. */
QN_MUST_CHECK qn_status qn_output_write_file(const qn_trajectory_results *results, const char *name,
                                             const qn_text *content);

/* Number of columns after x that a plot shows. */
size_t qn_output_plotted(const qn_query_table *table);

/* Find the columns from `first` up to `end` that have the unit of column `first`; returns one past the last of them. */
size_t qn_output_same_unit(const qn_query_table *table, size_t first, size_t end);

QN_MUST_CHECK qn_status qn_output_write_xvg(const qn_trajectory_results *results, const qn_query_result *query,
                                            const qn_query_filled_table *table);
QN_MUST_CHECK qn_status qn_output_write_csv(const qn_trajectory_results *results, const qn_query_result *query,
                                            const qn_query_filled_table *table);
QN_MUST_CHECK qn_status qn_output_write_grid(const qn_trajectory_results *results, const qn_query_result *query,
                                             const qn_query_grid *grid);
QN_MUST_CHECK qn_status qn_output_write_run_json(const qn_trajectory_results *results);
QN_MUST_CHECK qn_status qn_output_write_report(const qn_trajectory_results *results);

/* Whether the user asked for tables in this format, XVG or CSV. */
bool qn_output_wants(const qn_trajectory_results *results, qn_trajectory_format format);

/* The path of the topology, or its name in memory. */
const char *qn_output_topology_name(const qn_trajectory_results *results);

#endif
