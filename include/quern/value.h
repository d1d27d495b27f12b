/* Values of tuning parameters: an integer, a real number, true or false, or a text. Plain data, copied freely; a text
 * belongs to the caller that made the value.
 *
 *     const qn_value integer = qn_value_integer(1), real = qn_value_real(1), text = qn_value_text("1");
 *     printf("1 and 1.0: %s\n", qn_value_equal(&integer, &real) ? "equal" : "different");
 *     printf("1 and \"1\": %s\n", qn_value_equal(&integer, &text) ? "equal" : "different");
 */
#ifndef QUERN_VALUE_H
#define QUERN_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

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

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
