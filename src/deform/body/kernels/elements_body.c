/* The arrays of a body on a device. */
#include "base/error.h"
#include "base/memory.h"
#include "deform/body/kernels/elements.h"
#include "runtime/filled_buffer.h"
#include "runtime/prelude/prelude_host.h"

#include "deform/body/kernels/elements.dev.h"

/* Indices are int32, and an element shares one with two of its nodes. */
static const size_t ELEMENTS_MAX = (size_t)1 << (31 - ELEMENTS_PAIR_BITS);

static qn_status write_bytes(qn_queue *queue, const void *data, size_t bytes, qn_buffer **buffer)
{
    QN_TRY(qn_buffer_create_filled(queue, data, bytes, buffer));
    return qn_queue_finish(queue);
}

static qn_status write_floats(qn_queue *queue, const double *numbers, size_t count, qn_buffer **buffer)
{
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(float), &memory));
    for (size_t k = 0; k < count; k++) ((float *)memory)[k] = (float)numbers[k];
    const qn_status status = write_bytes(queue, memory, count * sizeof(float), buffer);
    qn_release(&memory);
    return status;
}

static qn_status write_indices(qn_queue *queue, const uint32_t *indices, size_t count, qn_buffer **buffer)
{
    return write_bytes(queue, indices, count * sizeof *indices, buffer);
}

/* For each block the elements that have both its nodes, ascending: start[blocks + 1] and the packed pairs. */
static void find_pairs(const qn_body *body, size_t blocks, uint32_t *start, uint32_t *pairs)
{
    const int nodes = body->element_nodes;
    const size_t places = (size_t)QN_PAIR(nodes, 0), elements = body->mesh->element_count;
    for (size_t k = 0; k < elements * places; k++) start[body->pair_blocks[k] + 1]++;
    for (size_t k = 0; k < blocks; k++) start[k + 1] += start[k];
    for (size_t e = 0; e < elements; e++) {
        const uint32_t *corners = body->mesh->elements + e * (size_t)nodes;
        for (int a = 0; a < nodes; a++)
            for (int b = 0; b <= a; b++) {
                const uint32_t block = body->pair_blocks[e * places + (size_t)QN_PAIR(a, b)];
                const int row = corners[a] < corners[b] ? b : a, column = a + b - row;
                pairs[start[block]++] = (uint32_t)(e << ELEMENTS_PAIR_BITS) | (uint32_t)(row << 4 | column);
            }
    }
    for (size_t k = blocks; k > 0; k--) start[k] = start[k - 1];
    start[0] = 0;
}

static qn_status write_pairs(qn_queue *queue, qn_elements *e)
{
    const size_t blocks = (size_t)e->block_count;
    const size_t pairs = e->body->mesh->element_count * (size_t)QN_PAIR(e->body->element_nodes, 0);
    void *memory;
    QN_TRY(qn_allocate(blocks + 1 + pairs, sizeof(uint32_t), &memory));
    uint32_t *start = memory, *list = start + blocks + 1;
    find_pairs(e->body, blocks, start, list);
    qn_status status = write_indices(queue, start, blocks + 1, &e->pair_start);
    if (status == QN_OK) status = write_indices(queue, list, pairs, &e->pairs);
    qn_release(&memory);
    return status;
}

static qn_status write_all(qn_queue *queue, qn_elements *e)
{
    const qn_body *body = e->body;
    const qn_block_pattern *pattern = &body->pattern;
    const size_t elements = body->mesh->element_count, nodes = body->mesh->node_count;
    const size_t width = (size_t)body->element_nodes, points = elements * (size_t)body->point_count;
    QN_TRY(write_indices(queue, body->mesh->elements, elements * width, &e->nodes));
    QN_TRY(write_indices(queue, pattern->first_freedom, nodes + 1, &e->first_freedom));
    QN_TRY(write_floats(queue, body->gradients, 3 * points * width, &e->gradients));
    QN_TRY(write_floats(queue, body->weights, points, &e->weights));
    QN_TRY(write_indices(queue, body->incident_start, nodes + 1, &e->incident_start));
    QN_TRY(write_indices(queue, body->incident, elements * width, &e->incident));
    QN_TRY(write_indices(queue, pattern->block_start, (size_t)e->block_count + 1, &e->block_start));
    return write_pairs(queue, e);
}

qn_status qn_elements_create(qn_queue *queue, const qn_body *body, qn_elements **out)
{
    const size_t blocks = body->pattern.row_start[body->pattern.node_count];
    void *memory;
    *out = NULL;
    if (body->mesh->element_count >= ELEMENTS_MAX || body->pattern.block_start[blocks] > INT32_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "deform/elements: %zu elements with a matrix of %u values; expected fewer than %zu and %d",
                       body->mesh->element_count, body->pattern.block_start[blocks], ELEMENTS_MAX, INT32_MAX);
    QN_TRY(qn_allocate(1, sizeof(qn_elements), &memory));
    qn_elements *elements = memory;
    elements->body = body;
    elements->block_count = (int)blocks;
    const qn_status status = write_all(queue, elements);
    if (status != QN_OK) qn_elements_destroy(&elements);
    *out = elements;
    return status;
}

void qn_elements_destroy(qn_elements **pointer)
{
    qn_elements *e = *pointer;
    if (!e) return;
    qn_buffer **buffers[] = {&e->nodes,    &e->first_freedom, &e->gradients, &e->weights,    &e->incident_start,
                             &e->incident, &e->pair_start,    &e->pairs,     &e->block_start};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) qn_buffer_release(buffers[k]);
    qn_release(pointer);
}
