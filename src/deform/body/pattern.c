#include "deform/body/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Numbers of nodes, elements and values of K that 32 bits hold, with an element's node in the lowest four. */
static const size_t ELEMENTS_MAX = UINT32_MAX / QN_INCIDENT, VALUES_MAX = UINT32_MAX;

static qn_status allocate_indices(size_t count, uint32_t **indices)
{
    void *memory;
    QN_TRY(qn_allocate(count, sizeof **indices, &memory));
    *indices = memory;
    return QN_OK;
}

static qn_status find_incident(qn_body *body)
{
    const size_t nodes = body->mesh->node_count, width = (size_t)body->element_nodes;
    const size_t places = body->mesh->element_count * width;
    const uint32_t *elements = body->mesh->elements;
    QN_TRY(allocate_indices(nodes + 1, &body->incident_start));
    QN_TRY(allocate_indices(places, &body->incident));
    uint32_t *start = body->incident_start;
    for (size_t k = 0; k < places; k++) start[elements[k] + 1]++;
    for (size_t i = 0; i < nodes; i++) start[i + 1] += start[i];
    for (size_t k = 0; k < places; k++)
        body->incident[start[elements[k]]++] = (uint32_t)(k / width * QN_INCIDENT + k % width);
    memmove(start + 1, start, nodes * sizeof *start);
    start[0] = 0;
    return QN_OK;
}

/* Sizes of nodes: a corner has a pressure in the mixed form. */
static qn_status make_freedoms(qn_body *body)
{
    qn_block_pattern *pattern = &body->pattern;
    const size_t nodes = body->mesh->node_count, width = (size_t)body->element_nodes;
    void *memory;
    pattern->node_count = nodes;
    QN_TRY(qn_allocate(nodes, sizeof *pattern->size, &memory));
    pattern->size = memory;
    QN_TRY(allocate_indices(nodes + 1, &pattern->first_freedom));
    memset(pattern->size, 3, nodes);
    for (size_t e = 0; body->mixed && e < body->mesh->element_count; e++)
        for (size_t a = 0; a < 4; a++) pattern->size[body->mesh->elements[e * width + a]] = 4;
    for (size_t i = 0; i < nodes; i++) pattern->first_freedom[i + 1] = pattern->first_freedom[i] + pattern->size[i];
    body->freedom_count = pattern->first_freedom[nodes];
    return QN_OK;
}

static int compare_indices(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

/* The nodes j ≤ i that share an element with i, ascending. `seen[j]` is i + 1 if j is among them. */
static size_t find_row(const qn_body *body, uint32_t i, uint32_t *seen, uint32_t *row)
{
    const size_t width = (size_t)body->element_nodes;
    size_t count = 0;
    for (uint32_t k = body->incident_start[i]; k < body->incident_start[i + 1]; k++) {
        const uint32_t *corners = body->mesh->elements + body->incident[k] / QN_INCIDENT * width;
        for (size_t a = 0; a < width; a++) {
            const uint32_t j = corners[a];
            if (j > i || seen[j] == i + 1) continue;
            seen[j] = i + 1;
            row[count++] = j;
        }
    }
    if (count == 0) row[count++] = i; /* a node of no element has an empty diagonal block */
    qsort(row, count, sizeof *row, compare_indices);
    return count;
}

/* Columns of every row, into a list that grows. */
static qn_status find_columns(const qn_body *body, uint32_t *seen, uint32_t *row, uint32_t **columns)
{
    const qn_block_pattern *pattern = &body->pattern;
    void *memory = NULL;
    size_t capacity = 0, total = 0;
    qn_status status = QN_OK;
    for (size_t i = 0; i < pattern->node_count && status == QN_OK; i++) {
        const size_t count = find_row(body, (uint32_t)i, seen, row);
        status = qn_grow(&memory, &capacity, total + count, sizeof(uint32_t));
        if (status == QN_OK) memcpy((uint32_t *)memory + total, row, count * sizeof *row);
        total += count;
        pattern->row_start[i + 1] = (uint32_t)total;
    }
    *columns = memory;
    return status;
}

static qn_status make_rows(qn_body *body)
{
    qn_block_pattern *pattern = &body->pattern;
    const size_t nodes = pattern->node_count;
    uint32_t *seen = NULL, *row = NULL;
    QN_TRY(allocate_indices(nodes + 1, &pattern->row_start));
    qn_status status = allocate_indices(nodes, &seen);
    if (status == QN_OK) status = allocate_indices(nodes, &row);
    if (status == QN_OK) status = find_columns(body, seen, row, &pattern->column);
    qn_release(&seen);
    qn_release(&row);
    QN_TRY(status);
    size_t values = 0;
    QN_TRY(allocate_indices((size_t)pattern->row_start[nodes] + 1, &pattern->block_start));
    for (size_t i = 0; i < nodes; i++)
        for (uint32_t k = pattern->row_start[i]; k < pattern->row_start[i + 1]; k++) {
            values += (size_t)pattern->size[i] * pattern->size[pattern->column[k]];
            if (values > VALUES_MAX)
                return QN_FAIL(QN_INVALID_ARGUMENT, "%zu nodes give a matrix of more than %zu values; expected fewer",
                               nodes, VALUES_MAX);
            pattern->block_start[k + 1] = (uint32_t)values;
        }
    return QN_OK;
}

/* The block of row i and column j ≤ i, by bisection. */
static uint32_t find_block(const qn_block_pattern *pattern, uint32_t i, uint32_t j)
{
    uint32_t low = pattern->row_start[i], high = pattern->row_start[i + 1] - 1;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (pattern->column[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static qn_status make_pairs(qn_body *body)
{
    const int width = body->element_nodes, pairs = QN_PAIR(width, 0);
    QN_TRY(allocate_indices(body->mesh->element_count * (size_t)pairs, &body->pair_blocks));
    for (size_t e = 0; e < body->mesh->element_count; e++) {
        const uint32_t *corners = body->mesh->elements + e * (size_t)width;
        uint32_t *blocks = body->pair_blocks + e * (size_t)pairs;
        for (int a = 0; a < width; a++)
            for (int b = 0; b <= a; b++) {
                const uint32_t i = corners[a] > corners[b] ? corners[a] : corners[b];
                const uint32_t j = corners[a] + corners[b] - i;
                blocks[QN_PAIR(a, b)] = find_block(&body->pattern, i, j);
            }
    }
    return QN_OK;
}

qn_status qn_pattern_make(qn_body *body)
{
    if (body->mesh->element_count > ELEMENTS_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "a mesh of %zu elements; expected at most %zu", body->mesh->element_count,
                       ELEMENTS_MAX);
    QN_TRY(find_incident(body));
    QN_TRY(make_freedoms(body));
    QN_TRY(make_rows(body));
    return make_pairs(body);
}

void qn_pattern_clear(qn_body *body)
{
    qn_block_pattern *pattern = &body->pattern;
    qn_release(&pattern->size);
    qn_release(&pattern->first_freedom);
    qn_release(&pattern->row_start);
    qn_release(&pattern->column);
    qn_release(&pattern->block_start);
    qn_release(&body->pair_blocks);
    qn_release(&body->incident_start);
    qn_release(&body->incident);
}
