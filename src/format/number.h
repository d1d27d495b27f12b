/* Numbers in text files: independent of the locale, and nothing that is not a number passes for one. */
#ifndef QN_FORMAT_NUMBER_H
#define QN_FORMAT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* A number that fills `text` but for blanks at its ends: sign, digits with at most one point, exponent (e, E, d, D).
 * Up to 15 digits are rounded correctly. Infinite and "nan" are no numbers. */
bool qn_number_parse(const char *text, size_t length, double *value);

/* Sign and digits, of at most 9 digits. */
bool qn_number_parse_whole(const char *text, size_t length, int *value);

/* A short copy of `text` for messages: what is not printable ASCII becomes '?', a longer one ends in "...". */
typedef struct qn_quotation {
    char text[44];
} qn_quotation;
qn_quotation qn_quote(const char *text, size_t length);

#endif
