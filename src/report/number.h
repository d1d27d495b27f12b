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

/* Write a value for readers, rounded to significant digits, with a minus sign: "2.35", "12300", "1.2×10⁻⁵" below 10⁻⁴
 * and from 10⁷ on; "–" if it is not finite. */
void qn_number_read(double value, int digits, char text[QN_NUMBER_LENGTH]);

/* Write a value with its error, which gets one digit, or two if it begins with 1; the value ends at the same decimal:
 * "0.913 ± 0.002", "34.1 ± 1.2", "(2.2 ± 0.4)×10⁻⁵". An error that is not finite or not above 1e-9 of the value is left
 * out, and the value gets four digits. */
void qn_number_read_with_error(double value, double error, char text[QN_NUMBER_LENGTH]);

/* Append "×10⁻⁵"; returns the number of characters (not bytes). */
size_t qn_number_append_power(int exponent, char *text);

/* Whether the whole of `text` is a decimal number such as "12", "-0.5", "1e-3", "+.5" or "12 %". */
bool qn_number_is(const char *text);

/* Whether `text` stands for a missing number: "", "-", "–", "—", "n/a" or "nan", in any case and with any sign. */
bool qn_number_is_missing(const char *text);

#endif
