/* Any bytes as a portable model: refused with a message, or a model that gives the same text after it was
 * written and read again. */
#include <stdlib.h>
#include <string.h>

#include "tune/model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    qn_tuning_model *model = NULL, *again = NULL;
    qn_text first = {0}, second = {0};
    if (qn_tuning_model_read_memory("in", (const char *)data, size, &model) != QN_OK) {
        if (model || !qn_error_message()[0]) abort();
        return 0;
    }
    if (qn_tuning_model_append(model, &first) != QN_OK ||
        qn_tuning_model_read_memory("out", first.data, first.length, &again) != QN_OK ||
        qn_tuning_model_append(again, &second) != QN_OK || strcmp(first.data, second.data) != 0)
        abort();
    qn_text_clear(&first);
    qn_text_clear(&second);
    qn_tuning_model_destroy(&model);
    qn_tuning_model_destroy(&again);
    return 0;
}
