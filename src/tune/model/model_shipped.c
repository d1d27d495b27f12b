/* Models that come with the library, in tuned/models. */
#include <string.h>

#include "tune/model/model.h"

/* Pairs of a model's name and its text, ended by NULL; made by CMake. */
extern const char *const qn_tuned_models[];

qn_status qn_tuning_model_find(const char *name, qn_tuning_model **model)
{
    for (size_t i = 0; qn_tuned_models[i]; i += 2)
        if (strcmp(qn_tuned_models[i], name) == 0)
            return qn_tuning_model_read_memory(name, qn_tuned_models[i + 1], strlen(qn_tuned_models[i + 1]), model);
    return qn_tuning_model_read(name, model);
}
