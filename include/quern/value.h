/* Values of tuning parameters: an integer, a real number, true or false, or a text. Plain data, copied freely; a text
 * belongs to whoever made the value. */
#ifndef QUERN_VALUE_H
#define QUERN_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum qn_value_kind { QN_INTEGER, QN_REAL, QN_BOOLEAN, QN_TEXT } qn_value_kind;

typedef struct qn_value {
    qn_value_kind kind;
    union {
        int64_t integer;
        double real;
        bool boolean;
        const char *text;
    } as;
} qn_value;

qn_value qn_value_integer(int64_t integer);
qn_value qn_value_real(double real);
qn_value qn_value_boolean(bool boolean);
qn_value qn_value_text(const char *text); /* borrowed */

/* As Python compares: 1, 1.0 and true are equal; a text equals only the same text. */
bool qn_value_equal(const qn_value *a, const qn_value *b);

#ifdef __cplusplus
}
#endif
#endif
