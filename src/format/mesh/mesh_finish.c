/* A mesh of what a builder has: numbers of the file become indices, nodes that no tetrahedron uses are left out. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/mesh/mesh_builder.h"
#include "model/mesh.h"

typedef struct labelled {
    uint64_t label;
    uint32_t index;
} labelled;

/* Nodes in ascending order of their labels. */
typedef struct lookup {
    labelled *nodes;
    size_t count;
    bool dense; /* every label follows the one before */
} lookup;

static int compare_labels(const void *a, const void *b)
{
    const uint64_t x = ((const labelled *)a)->label, y = ((const labelled *)b)->label;
    return (x > y) - (x < y);
}

static qn_status make_lookup(const qn_mesh_builder *builder, lookup *table)
{
    const uint64_t *labels = builder->labels;
    void *memory;
    bool ascending = true;
    *table = (lookup){.count = builder->node_count, .dense = true};
    if (builder->node_count >= UINT32_MAX)
        return QN_FAIL(QN_UNSUPPORTED, "%s: has %zu nodes; expected fewer than %u", builder->path, builder->node_count,
                       UINT32_MAX);
    QN_TRY(qn_allocate(builder->node_count, sizeof(labelled), &memory));
    table->nodes = memory;
    for (size_t i = 0; i < builder->node_count; i++) {
        table->nodes[i] = (labelled){labels[i], (uint32_t)i};
        ascending &= i == 0 || labels[i] > labels[i - 1];
    }
    if (!ascending) qsort(table->nodes, table->count, sizeof *table->nodes, compare_labels);
    for (size_t i = 1; i < table->count; i++) {
        if (table->nodes[i].label == table->nodes[i - 1].label)
            return QN_FAIL(QN_BAD_FORMAT, "%s: node %" PRIu64 " is there twice; expected each number once",
                           builder->path, table->nodes[i].label);
        table->dense &= table->nodes[i].label == table->nodes[i - 1].label + 1;
    }
    return QN_OK;
}

/* Index of a node in the file; UINT32_MAX: there is none of that number. */
static uint32_t find(const lookup *table, uint64_t label)
{
    size_t low = 0, high = table->count;
    if (table->count == 0 || label < table->nodes[0].label) return UINT32_MAX;
    if (table->dense)
        return label - table->nodes[0].label < high ? table->nodes[label - table->nodes[0].label].index : UINT32_MAX;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (table->nodes[middle].label == label) return table->nodes[middle].index;
        if (table->nodes[middle].label < label)
            low = middle + 1;
        else
            high = middle;
    }
    return UINT32_MAX;
}

/* ---- tetrahedra ---- */

typedef struct repeated {
    uint64_t nodes[4];
    size_t element;
} repeated;

static int compare_elements(const void *a, const void *b)
{
    const repeated *x = a, *y = b;
    for (int i = 0; i < 4; i++)
        if (x->nodes[i] != y->nodes[i]) return x->nodes[i] < y->nodes[i] ? -1 : 1;
    return (x->element > y->element) - (x->element < y->element);
}

/* Keep the first of tetrahedra with the same nodes. */
static qn_status drop_repeats(qn_mesh_builder *builder)
{
    const size_t stride = builder->order == 2 ? 10 : 4, count = builder->element_count;
    uint64_t *elements = builder->elements, *labels = builder->element_labels;
    void *memory, *flags = NULL;
    size_t kept = 0;
    QN_TRY(qn_allocate(count, sizeof(repeated), &memory));
    repeated *sorted = memory;
    for (size_t i = 0; i < count; i++) {
        sorted[i].element = i;
        memcpy(sorted[i].nodes, elements + stride * i, sizeof sorted[i].nodes);
    }
    qsort(sorted, count, sizeof *sorted, compare_elements);
    qn_status status = qn_allocate(count, sizeof(bool), &flags);
    bool *repeat = flags;
    for (size_t i = 1; status == QN_OK && i < count; i++)
        repeat[sorted[i].element] = memcmp(sorted[i].nodes, sorted[i - 1].nodes, sizeof sorted[i].nodes) == 0;
    for (size_t i = 0; status == QN_OK && i < count; i++) {
        if (repeat[i]) continue;
        memmove(elements + stride * kept, elements + stride * i, stride * sizeof *elements);
        labels[kept++] = labels[i];
    }
    if (status == QN_OK) builder->element_count = kept;
    qn_release(&memory);
    qn_release(&flags);
    return status;
}

static bool has_groups_of_tetrahedra(const qn_mesh_builder *builder)
{
    const qn_mesh_building_group *groups = builder->groups;
    int count = 0;
    for (size_t i = 0; i < builder->group_count; i++) count += groups[i].dimension == 3;
    return count > 1;
}

/* Replace labels by indices in the file; numbers[index] becomes 0 for nodes that are used. */
static qn_status resolve_elements(qn_mesh_builder *builder, const lookup *table, uint32_t *numbers)
{
    const size_t stride = builder->order == 2 ? 10 : 4;
    uint64_t *elements = builder->elements;
    for (size_t i = 0; i < stride * builder->element_count; i++) {
        const uint32_t index = find(table, elements[i]);
        if (index == UINT32_MAX)
            return QN_FAIL(
                QN_BAD_FORMAT, "%s: element %" PRIu64 " has node %" PRId64 "; expected one of the file's %zu nodes",
                builder->path, ((uint64_t *)builder->element_labels)[i / stride], (int64_t)elements[i], table->count);
        elements[i] = index;
        numbers[index] = 0;
    }
    return QN_OK;
}

static void fill_mesh(const qn_mesh_builder *builder, const uint32_t *numbers, qn_mesh *mesh)
{
    const size_t stride = builder->order == 2 ? 10 : 4;
    const uint64_t *elements = builder->elements;
    for (size_t i = 0; i < builder->node_count; i++) {
        if (numbers[i] == UINT32_MAX) continue;
        mesh->node_labels[numbers[i]] = ((uint64_t *)builder->labels)[i];
        memcpy(mesh->positions + 3 * (size_t)numbers[i], (double *)builder->places + 3 * i, 3 * sizeof(double));
    }
    for (size_t i = 0; i < stride * builder->element_count; i++) mesh->elements[i] = numbers[elements[i]];
    memcpy(mesh->element_labels, builder->element_labels, builder->element_count * sizeof(uint64_t));
}

/* ---- groups ---- */

static uint32_t number_of(const lookup *table, const uint32_t *numbers, uint64_t label)
{
    const uint32_t index = find(table, label);
    return index == UINT32_MAX ? UINT32_MAX : numbers[index];
}

/* Elements with a node that no tetrahedron has are left out. */
static qn_status fill_group(const qn_mesh_building_group *from, const lookup *table, const uint32_t *numbers,
                            bool *marked, qn_mesh_group *group)
{
    const size_t corners = (size_t)from->dimension + 1;
    char number[24];
    void *memory;
    snprintf(number, sizeof number, "%" PRId64, from->tag);
    group->dimension = from->dimension;
    QN_TRY(qn_text_copy(from->name ? from->name : number, &group->name));
    QN_TRY(qn_allocate(corners * from->element_count, sizeof(uint32_t), &memory));
    group->elements = memory;
    for (size_t i = 0; i < from->element_count; i++) {
        uint32_t *to = group->elements + corners * group->element_count;
        bool whole = true;
        for (size_t corner = 0; corner < corners; corner++) {
            to[corner] = number_of(table, numbers, ((uint64_t *)from->corners)[corners * i + corner]);
            whole &= to[corner] != UINT32_MAX;
            if (to[corner] != UINT32_MAX) marked[to[corner]] = true;
        }
        group->element_count += whole;
    }
    for (size_t i = 0; i < from->other_count; i++) {
        const uint32_t node = number_of(table, numbers, ((uint64_t *)from->others)[i]);
        if (node != UINT32_MAX) marked[node] = true;
    }
    return QN_OK;
}

static qn_status fill_groups(const qn_mesh_builder *builder, const lookup *table, const uint32_t *numbers,
                             qn_mesh *mesh)
{
    void *marked;
    QN_TRY(qn_mesh_allocate_groups(mesh, builder->group_count));
    QN_TRY(qn_allocate(mesh->node_count, sizeof(bool), &marked));
    qn_status status = QN_OK;
    for (size_t i = 0; status == QN_OK && i < builder->group_count; i++) {
        memset(marked, 0, mesh->node_count * sizeof(bool));
        status = fill_group((qn_mesh_building_group *)builder->groups + i, table, numbers, marked, &mesh->groups[i]);
        if (status == QN_OK) status = qn_mesh_group_collect(&mesh->groups[i], marked, mesh->node_count);
    }
    qn_release(&marked);
    return status;
}

/* ---- all ---- */

static qn_status make_mesh(qn_mesh_builder *builder, const lookup *table, uint32_t *numbers, qn_mesh **mesh)
{
    uint32_t used = 0;
    if (builder->repeats && has_groups_of_tetrahedra(builder)) QN_TRY(drop_repeats(builder));
    for (size_t i = 0; i < builder->node_count; i++) numbers[i] = UINT32_MAX;
    QN_TRY(resolve_elements(builder, table, numbers));
    for (size_t i = 0; i < builder->node_count; i++)
        if (numbers[i] == 0) numbers[i] = used++;
    QN_TRY(qn_mesh_allocate(builder->order, used, builder->element_count, mesh));
    fill_mesh(builder, numbers, *mesh);
    QN_TRY(fill_groups(builder, table, numbers, *mesh));
    return qn_text_copy(builder->path, &(*mesh)->name);
}

qn_status qn_mesh_builder_finish(qn_mesh_builder *builder, qn_mesh **mesh)
{
    lookup table = {0};
    void *numbers = NULL;
    *mesh = NULL;
    if (builder->element_count == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: holds no tetrahedron; expected tetrahedra of 4 or 10 nodes", builder->path);
    qn_status status = make_lookup(builder, &table);
    if (status == QN_OK) status = qn_allocate(builder->node_count, sizeof(uint32_t), &numbers);
    if (status == QN_OK) status = make_mesh(builder, &table, numbers, mesh);
    if (status != QN_OK) qn_mesh_destroy(mesh);
    qn_release(&table.nodes);
    qn_release(&numbers);
    return status;
}
