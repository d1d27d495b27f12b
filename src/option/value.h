/* One option's value: read from text, judged, written as text. */
#ifndef QN_OPTION_VALUE_H
#define QN_OPTION_VALUE_H

#include <quern/option.h>

/* As it lies in the options. */
typedef union qn_option_value {
    bool flag;
    int integer, sizes[QN_OPTION_SIZES_MAX];
    uint64_t whole[2];
    double number[6];
    const char *text;
    const char *pair[2];
} qn_option_value;

enum { QN_OPTION_TEXT_MAX = 256 }; /* bytes of a value of numbers, written as text */

/* Bytes of a value in the options. QN_OPTION_TEXTS has none: it is a pointer and a count. */
size_t qn_option_bytes(const qn_option *row);

/* Whether the value is a text that the options only point to. */
bool qn_option_is_text(qn_option_kind kind);

/* False for a text that is no value of the row's kind. Ranges are not looked at. */
bool qn_option_read(const qn_option *row, const char *text, qn_option_value *value);

/* Whether the value is within the row's range. */
bool qn_option_is_within(const qn_option *row, const qn_option_value *value);

/* The value as a user would write it. Returns the length that it needs. */
size_t qn_option_write(const qn_option *row, const qn_option_value *value, char *text, size_t bytes);

/* QN_INVALID_ARGUMENT: `text` is refused, and the sentence says what is expected instead. */
qn_status qn_option_refuse(const qn_option *row, const char *text);

/* "5%" or "0.05": a share above 0, at most 1. */
bool qn_share_read(const char *text, double *share);

#endif
