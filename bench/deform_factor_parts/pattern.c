#include "deform_factor_parts/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static qn_status wrong_line(const char *path, const char *what)
{
    return QN_FAIL(QN_BAD_FORMAT, "%s: no %s where it should be", path, what);
}

static qn_status read_nodes(FILE *file, const char *path, size_t nodes, qn_factor_box *box)
{
    qn_block_pattern *p = &box->pattern;
    for (size_t i = 0; i < nodes; i++) {
        int freedoms, held;
        if (fscanf(file, "%d %d", &freedoms, &held) != 2 || freedoms < 3 || freedoms > 4)
            return wrong_line(path, "node");
        p->size[i] = (uint8_t)freedoms;
        p->first_freedom[i + 1] = p->first_freedom[i] + (uint32_t)freedoms;
        for (uint32_t a = 0; a < (uint32_t)freedoms; a++) {
            box->sign[p->first_freedom[i] + a] = a == 3 ? -1 : 1;
            box->is_free[p->first_freedom[i] + a] = a == 3 || !held;
        }
    }
    return QN_OK;
}

static qn_status read_blocks(FILE *file, const char *path, size_t blocks, qn_factor_box *box)
{
    qn_block_pattern *p = &box->pattern;
    for (size_t b = 0; b < blocks; b++) {
        unsigned i, j;
        if (fscanf(file, "%u %u", &i, &j) != 2 || j > i || i >= p->node_count) return wrong_line(path, "block");
        p->column[b] = j;
        p->row_start[i + 1] = (uint32_t)b + 1;
        p->block_start[b + 1] = p->block_start[b] + p->size[i] * p->size[j];
    }
    return QN_OK;
}

static qn_status read_pattern(FILE *file, const char *path, qn_factor_box *box)
{
    qn_block_pattern *p = &box->pattern;
    size_t nodes, blocks;
    if (fscanf(file, "%zu %zu", &nodes, &blocks) != 2) return wrong_line(path, "number of nodes and blocks");
    p->node_count = nodes;
    QN_TRY(qn_allocate(nodes, 1, (void **)&p->size));
    QN_TRY(qn_allocate(nodes + 1, sizeof(uint32_t), (void **)&p->first_freedom));
    QN_TRY(qn_allocate(nodes + 1, sizeof(uint32_t), (void **)&p->row_start));
    QN_TRY(qn_allocate(blocks, sizeof(uint32_t), (void **)&p->column));
    QN_TRY(qn_allocate(blocks + 1, sizeof(uint32_t), (void **)&p->block_start));
    QN_TRY(qn_allocate(4 * nodes, sizeof(signed char), (void **)&box->sign));
    QN_TRY(qn_allocate(4 * nodes, sizeof(bool), (void **)&box->is_free));
    QN_TRY(read_nodes(file, path, nodes, box));
    QN_TRY(read_blocks(file, path, blocks, box));
    box->freedoms = p->first_freedom[nodes];
    box->value_count = p->block_start[blocks];
    return qn_factor_box_draw(box);
}

qn_status bench_open_pattern(const char *path, qn_factor_box *box)
{
    if (strncmp(path, "box:", 4) == 0) {
        const int side = atoi(path + 4);
        return qn_factor_box_create((const int[]){side, side, side}, false, (uint32_t)side, box);
    }
    FILE *file = fopen(path, "r");
    if (!file) return QN_FAIL(QN_NOT_FOUND, "%s: cannot be opened", path);
    const qn_status status = read_pattern(file, path, box);
    fclose(file);
    return status;
}
