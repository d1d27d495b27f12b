#include "collective/neighbours.h"

#include <stdbool.h>

static bool is_nearer(const double *distances, size_t a, size_t b)
{
    return distances[a] < distances[b] || (distances[a] == distances[b] && a < b);
}

/* Let places[root] sink in the heap whose root is the farthest place. */
static void sink(const double *distances, size_t *places, size_t count, size_t root)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && is_nearer(distances, places[child], places[child + 1])) child++;
        if (!is_nearer(distances, places[root], places[child])) return;
        const size_t place = places[root];
        places[root] = places[child];
        places[child] = place;
    }
}

/* Shell sort, which needs no memory. */
static void sort(size_t *places, size_t kept)
{
    for (size_t gap = kept / 2; gap > 0; gap /= 2)
        for (size_t i = gap; i < kept; i++) {
            const size_t place = places[i];
            size_t at = i;
            for (; at >= gap && places[at - gap] > place; at -= gap) places[at] = places[at - gap];
            places[at] = place;
        }
}

void qn_collective_nearest(const double *distances, size_t count, size_t kept, size_t *places)
{
    for (size_t i = 0; i < kept; i++) places[i] = i;
    for (size_t root = kept / 2; root-- > 0;) sink(distances, places, kept, root);
    for (size_t i = kept; i < count; i++)
        if (is_nearer(distances, i, places[0])) {
            places[0] = i;
            sink(distances, places, kept, 0);
        }
    sort(places, kept);
}
