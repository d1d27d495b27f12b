/* Comma-separated tables (RFC 4180 quoting, UTF-8, lines end in "\n"), the same under every locale.
 *
 *     qn_text csv = {0};
 *     QN_TRY(qn_csv_row(&csv, 2, (const char *const[]){"model", "score_kcal_per_mol"}));
 *     QN_TRY(qn_csv_text(&csv, "model, first"));
 *     QN_TRY(qn_csv_number(&csv, -12.3456, 2));
 *     QN_TRY(qn_csv_end_row(&csv));                       // "model, first",-12.35
 *     QN_TRY(qn_csv_write(&csv, "out/scores.csv"));
 *     qn_text_clear(&csv);
 *
 * Errors: QN_OUT_OF_MEMORY; qn_csv_write also those of qn_file_write.
 */
#ifndef QN_REPORT_CSV_H
#define QN_REPORT_CSV_H

#include "base/text.h"

/* A text field, quoted when it holds a comma, a quotation mark, a line break or spaces at an end; NULL is empty. */
QN_MUST_CHECK qn_status qn_csv_text(qn_text *csv, const char *field);

/* A number as "%.<decimals>f"; NaN is an empty field, infinities are "inf" and "-inf". */
QN_MUST_CHECK qn_status qn_csv_number(qn_text *csv, double value, int decimals);

/* A number as "%.<digits>g", for columns whose range is not known beforehand. */
QN_MUST_CHECK qn_status qn_csv_general(qn_text *csv, double value, int digits);

QN_MUST_CHECK qn_status qn_csv_integer(qn_text *csv, long long value);

QN_MUST_CHECK qn_status qn_csv_end_row(qn_text *csv);

/* `count` text fields and the end of the row: headers. */
QN_MUST_CHECK qn_status qn_csv_row(qn_text *csv, size_t count, const char *const *fields);

/* Write through qn_file_write; the file is complete or absent. */
QN_MUST_CHECK qn_status qn_csv_write(const qn_text *csv, const char *path);

#endif
