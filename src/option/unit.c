#include "option/unit.h"

#include <string.h>

typedef struct unit {
    const char *name;
    double size;
} unit;

static const unit bytes[] = {{"B", 1}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {0}};
static const unit seconds[] = {{"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}, {"days", 86400}, {0}};

double qn_option_unit(const qn_option *row, const char *name)
{
    const bool is_size = row->kind == QN_OPTION_BYTES;
    if (!*name) name = row->unit ? row->unit : is_size ? "B" : "s";
    for (const unit *one = is_size ? bytes : seconds; one->name; one++)
        if (strcmp(one->name, name) == 0) return one->size;
    return 0;
}
