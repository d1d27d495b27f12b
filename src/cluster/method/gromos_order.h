/* The order of items by their number of neighbours, for gromos.c. */
#ifndef QN_CLUSTER_METHOD_GROMOS_ORDER_H
#define QN_CLUSTER_METHOD_GROMOS_ORDER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qn_gromos_entry {
    uint32_t item, count;
} qn_gromos_entry;

/* Sort by falling count with std::sort. */
#ifdef __cplusplus
void qn_gromos_sort(qn_gromos_entry *entries, size_t count) noexcept;
#else
void qn_gromos_sort(qn_gromos_entry *entries, size_t count);
#endif

#ifdef __cplusplus
}
#endif
#endif
