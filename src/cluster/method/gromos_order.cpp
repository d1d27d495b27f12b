#include "cluster/method/gromos_order.h"

#include <algorithm>

void qn_gromos_sort(qn_gromos_entry *entries, size_t count) noexcept
{
    std::sort(entries, entries + count,
              [](const qn_gromos_entry &a, const qn_gromos_entry &b) { return a.count > b.count; });
}
