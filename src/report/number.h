/* Numbers as text that reads the same under every setlocale(): CSV files and SVG coordinates must never get a decimal
 * comma. Thread safe as long as no other thread calls setlocale() meanwhile. */
#ifndef QN_REPORT_NUMBER_H
#define QN_REPORT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* printf's "%.<precision>f" (QN_NUMBER_FIXED) or "%.<precision>g" (QN_NUMBER_GENERAL) with a point. */
typedef enum qn_number_style { QN_NUMBER_FIXED, QN_NUMBER_GENERAL } qn_number_style;

/* Bytes that suffice for every double in both styles with up to 40 decimals. */
#define QN_NUMBER_LENGTH 400

/* Precision is clamped to 0 … 40. Values that are not finite become "nan", "inf" or "-inf"; "-0.00" is written as
 * "0.00". */
void qn_number_format(double value, qn_number_style style, int precision, char text[QN_NUMBER_LENGTH]);

/* Whether the whole of `text` is a decimal number such as "12", "-0.5", "1e-3", "+.5" or "12 %". */
bool qn_number_is(const char *text);

/* Whether `text` stands for a missing number: "", "-", "–", "—", "n/a" or "nan", in any case and with any sign. */
bool qn_number_is_missing(const char *text);

#endif
