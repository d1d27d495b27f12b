/* Lists of a schedule on a device. */
#include "base/error.h"
#include "deform/factor/kernels/factor.h"
#include "runtime/filled_buffer.h"

static qn_status copy_list(qn_queue *queue, const int *list, size_t count, qn_buffer **buffer)
{
    return qn_buffer_create_filled(queue, list, count * sizeof(int), buffer);
}

static qn_status copy_lists(qn_queue *queue, qn_factor_lists *lists)
{
    const qn_factor_schedule *s = lists->schedule;
    const size_t tiles = (size_t)s->tile_count, stored = (size_t)s->stored_count, block = (size_t)s->block;
    QN_TRY(copy_list(queue, s->panels, (size_t)s->panel_count * QN_PANEL_INTS, &lists->panels));
    QN_TRY(copy_list(queue, s->signs, tiles, &lists->signs));
    QN_TRY(copy_list(queue, s->freedoms, tiles * block, &lists->freedoms));
    QN_TRY(copy_list(queue, s->tile_panel, tiles, &lists->tile_panel));
    QN_TRY(copy_list(queue, s->below, (size_t)s->row_count, &lists->below));
    QN_TRY(copy_list(queue, s->row_panel, (size_t)s->row_count, &lists->row_panel));
    QN_TRY(copy_list(queue, s->map, stored * block * block, &lists->map));
    QN_TRY(copy_list(queue, s->run_start, stored + 1, &lists->run_start));
    QN_TRY(copy_list(queue, s->runs, 4 * (size_t)s->run_count, &lists->runs));
    QN_TRY(copy_list(queue, s->gather_start, tiles + 1, &lists->gather_start));
    QN_TRY(copy_list(queue, s->gathers, 4 * (size_t)s->gather_start[tiles], &lists->gathers));
    QN_TRY(copy_list(queue, s->walk_start, (size_t)s->walk_count + 1, &lists->walk_start));
    QN_TRY(copy_list(queue, s->walk_panel, (size_t)s->walk_start[s->walk_count], &lists->walk_panel));
    QN_TRY(copy_list(queue, s->level_tile, (size_t)s->level_count + 1, &lists->level_tile));
    QN_TRY(copy_list(queue, s->level_panel, (size_t)s->level_count + 1, &lists->level_panel));
    return qn_queue_finish(queue);
}

qn_status qn_factor_lists_create(qn_queue *queue, const qn_factor_schedule *schedule, qn_factor_lists *lists)
{
    *lists = (qn_factor_lists){.schedule = schedule};
    const qn_status status = copy_lists(queue, lists);
    if (status != QN_OK) qn_factor_lists_release(lists);
    return status;
}

void qn_factor_lists_release(qn_factor_lists *lists)
{
    qn_buffer_release(&lists->panels);
    qn_buffer_release(&lists->signs);
    qn_buffer_release(&lists->freedoms);
    qn_buffer_release(&lists->tile_panel);
    qn_buffer_release(&lists->below);
    qn_buffer_release(&lists->row_panel);
    qn_buffer_release(&lists->map);
    qn_buffer_release(&lists->run_start);
    qn_buffer_release(&lists->runs);
    qn_buffer_release(&lists->gather_start);
    qn_buffer_release(&lists->gathers);
    qn_buffer_release(&lists->walk_start);
    qn_buffer_release(&lists->walk_panel);
    qn_buffer_release(&lists->level_tile);
    qn_buffer_release(&lists->level_panel);
}
