#include "deform/factor/order.h"

#include <metis.h>
#include <pthread.h>

#include "base/error.h"
#include "base/memory.h"

_Static_assert(sizeof(idx_t) == sizeof(uint32_t), "graphs are passed to METIS as they are");

/* METIS seeds and draws the random numbers of the C library, which all threads share. */
static pthread_mutex_t metis_lock = PTHREAD_MUTEX_INITIALIZER;

void qn_factor_graph_release(qn_factor_graph *graph)
{
    qn_release(&graph->start);
    qn_release(&graph->neighbour);
    qn_release(&graph->weight);
}

static qn_status dissect(const qn_factor_graph *graph, uint32_t *order, idx_t *place)
{
    idx_t count = (idx_t)graph->node_count, options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_NSEPS] = 3; /* the best of three separators each time */
    pthread_mutex_lock(&metis_lock);
    const int answer = METIS_NodeND(&count, (idx_t *)graph->start, (idx_t *)graph->neighbour, (idx_t *)graph->weight,
                                    options, (idx_t *)order, place);
    pthread_mutex_unlock(&metis_lock);
    if (answer == METIS_ERROR_MEMORY)
        return QN_FAIL(QN_OUT_OF_MEMORY, "METIS has no memory to order a graph of %zu nodes", graph->node_count);
    if (answer != METIS_OK)
        return QN_FAIL(QN_INTERNAL, "METIS returned %d for a graph of %zu nodes; expected %d", answer,
                       graph->node_count, METIS_OK);
    return QN_OK;
}

qn_status qn_factor_order(const qn_factor_graph *graph, uint32_t *order)
{
    void *place;
    /* METIS refuses graphs without edges. */
    if (graph->start[graph->node_count] == 0) {
        for (size_t i = 0; i < graph->node_count; i++) order[i] = (uint32_t)i;
        return QN_OK;
    }
    QN_TRY(qn_allocate(graph->node_count, sizeof(idx_t), &place));
    const qn_status status = dissect(graph, order, place);
    qn_release(&place);
    return status;
}
