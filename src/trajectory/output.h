/* The files of a run, each complete or absent, and how they say numbers and units. */
#ifndef QN_TRAJECTORY_OUTPUT_H
#define QN_TRAJECTORY_OUTPUT_H

#include "base/text.h"
#include "trajectory/results.h"

/* The unit of lengths that the user chose. */
bool qn_output_in_angstrom(const qn_trajectory_results *results);

/* What values with this power of nm in their unit are multiplied by. */
double qn_output_factor(const qn_trajectory_results *results, int length_power);

/* A unit as the user wants it: "nm²" or "Å²". Appends. */
QN_MUST_CHECK qn_status qn_output_unit(const qn_trajectory_results *results, const char *unit, qn_text *text);

/* "radius of gyration (nm)", without parentheses where there is no unit; the first letter is raised on demand. */
QN_MUST_CHECK qn_status qn_output_label(const qn_trajectory_results *results, const char *label, const char *unit,
                                        bool capital, qn_text *text);

/* "name.xvg", "name_part.xvg". */
QN_MUST_CHECK qn_status qn_output_name(const qn_query_result *query, const char *part, const char *extension,
                                       qn_text *name);

/* A number with as many digits as it has, up to 10; counts with all of theirs. */
void qn_output_number(double value, char text[32]);

/* Texts of the user's that were appended behind `from` may not end the line that they stand in. */
void qn_output_keep_in_line(qn_text *text, size_t from);

/* What a query measured, as one line: "rdf of "name OW" (1054 atoms) with …, max 1.2 nm, whole molecules". */
QN_MUST_CHECK qn_status qn_output_describe(const qn_trajectory_results *results, const qn_query_result *query,
                                           qn_text *text);

/* The value a parameter has in this run, in the user's unit; "" when it was left out. */
QN_MUST_CHECK qn_status qn_output_parameter(const qn_trajectory_results *results, const qn_query_result *query,
                                            const qn_query_parameter *parameter, qn_text *text);

/* Write `content` as a file of the output folder. */
QN_MUST_CHECK qn_status qn_output_write_file(const qn_trajectory_results *results, const char *name,
                                             const qn_text *content);

/* Columns behind x that a plot shows. */
size_t qn_output_plotted(const qn_query_table *table);

/* The columns from `first` on, up to `end`, that share its unit; returns one past the last. */
size_t qn_output_same_unit(const qn_query_table *table, size_t first, size_t end);

QN_MUST_CHECK qn_status qn_output_write_xvg(const qn_trajectory_results *results, const qn_query_result *query,
                                            const qn_query_filled_table *table);
QN_MUST_CHECK qn_status qn_output_write_csv(const qn_trajectory_results *results, const qn_query_result *query,
                                            const qn_query_filled_table *table);
QN_MUST_CHECK qn_status qn_output_write_grid(const qn_trajectory_results *results, const qn_query_result *query,
                                             const qn_query_grid *grid);
QN_MUST_CHECK qn_status qn_output_write_run_json(const qn_trajectory_results *results);
QN_MUST_CHECK qn_status qn_output_write_report(const qn_trajectory_results *results);

/* Which tables the user wants; both may be true. */
bool qn_output_wants(const qn_trajectory_results *results, const char *format);

#endif
