/* Numbers in text files: independent of the locale, and strict, so that other text is refused. */
#ifndef QN_FORMAT_NUMBER_H
#define QN_FORMAT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* Parse a number that fills `text` apart from blanks at its ends: sign, digits with at most one point, exponent (e, E,
 * d, D). Up to 15 digits times a power of 10 (1e-22 to 1e22) are rounded correctly. Infinity and NaN are refused. */
bool qn_number_parse(const char *text, size_t length, double *value);

/* Parse a sign and at most 9 digits. */
bool qn_number_parse_whole(const char *text, size_t length, int *value);

/* A short copy of `text` for messages: bytes that are not printable ASCII become '?', a long text is cut and ends in
 * "...". */
typedef struct qn_quotation {
    char text[44];
} qn_quotation;
qn_quotation qn_quote(const char *text, size_t length);

#endif
