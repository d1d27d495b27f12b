/* One option's value: reading it from text, checking it, writing it as text. */
#ifndef QN_OPTION_VALUE_H
#define QN_OPTION_VALUE_H

#include <quern/option.h>

/* A value as stored in the options. */
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

/* Returns whether the value is a text, to which the options only point. */
bool qn_option_is_text(qn_option_kind kind);

/* Read a value from text. Returns false for a text that is not a value of the row's kind; does not check ranges. */
bool qn_option_read(const qn_option *row, const char *text, qn_option_value *value);

/* Returns whether the value is within the row's range. */
bool qn_option_is_within(const qn_option *row, const qn_option_value *value);

/* Write the value as a user would write it. Returns the length of the whole text. */
size_t qn_option_write(const qn_option *row, const qn_option_value *value, char *text, size_t bytes);

/* Fail with QN_INVALID_ARGUMENT and a sentence that names `text` and the expected values. */
qn_status qn_option_refuse(const qn_option *row, const char *text);

/* Read "5%" or "0.05", a share above 0 and at most 1. Returns false for other texts. */
bool qn_share_read(const char *text, double *share);

#endif
