/* Any text as an expression of three variables: it is parsed, evaluated, and split into its parts, which must agree
 * with the whole. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "expression/expression.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"x", "y", "s"};
    const qn_value values[] = {qn_value_integer(7), qn_value_real(-2.5), qn_value_text("row")};
    const qn_expression_list lists[] = {{"x", values, 2}, {"P", values, 3}};
    qn_expression *expression;
    qn_value *elements, value;
    size_t count;
    bool whole = false, parts = true, part = true;
    char text[4096];
    if (size >= sizeof text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    if (qn_expression_create_with_lists(text, "in", names, 3, lists, 2, &expression) != QN_OK) return 0;
    if (qn_expression_evaluate(expression, values, &value) == QN_OK && value.kind == QN_TEXT &&
        strlen(value.as.text) > size + 3)
        abort();
    if (qn_expression_evaluate_list(expression, values, &elements, &count) == QN_OK) qn_release(&elements);
    for (size_t i = 0; i < qn_expression_part_count(expression) && parts; i++)
        if (qn_expression_part_holds(expression, i, values, &part) == QN_OK)
            parts = part;
        else
            break;
    if (qn_expression_holds(expression, values, &whole) == QN_OK && whole != parts) abort();
    qn_expression_destroy(&expression);
    return 0;
}
