/* Records of journals: what a frame gave, followed by its tunnels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "tunnel/run.h"

/* Residues with an atom whose surface is within this distance of the sphere of a place line it there. */
static const double lining_angstrom = 0.5;

typedef struct record_head {
    qn_found_frame frame;
    uint64_t tunnel_count;
} record_head;

typedef struct tunnel_head {
    uint64_t count, lining_count;
} tunnel_head;

/* ---- writing ---- */

static int compare_numbers(const void *left, const void *right)
{
    const uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
    return one < other ? -1 : one > other;
}

/* List the residues beside each place of a line, ascending. */
static qn_status find_lining(const qn_tunnel_state *run, const qn_line *line, const qn_balls *balls, uint32_t *ends,
                             qn_text *lining)
{
    const qn_tunnel_structure *structure = &run->structure;
    qn_ball_list list = {0};
    qn_status status = QN_OK;
    for (size_t i = 0; i < line->count && status == QN_OK; i++) {
        status = qn_balls_near(balls, line->places[i], line->radii[i] + lining_angstrom, &list);
        for (size_t b = 0; b < list.count; b++)
            list.index[b] = (uint32_t)structure->molecule->atoms[structure->walls[list.index[b]]].residue;
        if (status == QN_OK && list.count > 0) qsort(list.index, list.count, sizeof *list.index, compare_numbers);
        for (size_t b = 0; b < list.count && status == QN_OK; b++)
            if (b == 0 || list.index[b] != list.index[b - 1])
                status = qn_text_append_bytes(lining, &list.index[b], sizeof list.index[b]);
        ends[i] = (uint32_t)(lining->length / sizeof *list.index);
    }
    qn_ball_list_clear(&list);
    return status;
}

static qn_status append_line(const qn_tunnel_state *run, const qn_line *line, const qn_balls *balls, qn_text *record)
{
    qn_text lining = {0};
    uint32_t *ends = NULL;
    qn_status status = qn_allocate(line->count, sizeof *ends, (void **)&ends);
    if (status == QN_OK) status = find_lining(run, line, balls, ends, &lining);
    const tunnel_head head = {line->count, lining.length / sizeof *ends};
    if (status == QN_OK) status = qn_text_append_bytes(record, &head, sizeof head);
    if (status == QN_OK) status = qn_text_append_bytes(record, line->places, line->count * sizeof *line->places);
    if (status == QN_OK) status = qn_text_append_bytes(record, line->radii, line->count * sizeof *line->radii);
    if (status == QN_OK) status = qn_text_append_bytes(record, ends, line->count * sizeof *ends);
    if (status == QN_OK && lining.length > 0) status = qn_text_append_bytes(record, lining.data, lining.length);
    qn_release(&ends);
    qn_text_clear(&lining);
    return status;
}

qn_status qn_tunnel_record_write(const qn_tunnel_state *run, uint64_t frame, const qn_tunnels *tunnels,
                                 const qn_balls *balls)
{
    qn_text record = {0};
    record_head head;
    memset(&head, 0, sizeof head);
    head.frame.frame = frame;
    head.frame.outcome = tunnels->outcome;
    head.frame.start_radius = tunnels->start_radius;
    head.frame.start_moved = tunnels->start_moved;
    head.frame.way_radius = tunnels->way_radius;
    memcpy(head.frame.start, tunnels->start, sizeof tunnels->start);
    memcpy(head.frame.way_place, tunnels->way_place, sizeof tunnels->way_place);
    head.tunnel_count = tunnels->count;
    qn_status status = qn_text_append_bytes(&record, &head, sizeof head);
    for (size_t i = 0; i < tunnels->count && status == QN_OK; i++)
        status = append_line(run, &tunnels->lines[i], balls, &record);
    if (status == QN_OK) status = qn_job_record(run->job, frame, record.data, record.length);
    qn_text_clear(&record);
    return status;
}

/* ---- reading ---- */

typedef struct record_reader {
    const unsigned char *next, *end;
} record_reader;

static qn_status refuse_short(void)
{
    return QN_FAIL(QN_BAD_FORMAT, "a record of tunnels ends early; expected a journal of this version");
}

static qn_status take(record_reader *reader, void *to, size_t bytes)
{
    if ((size_t)(reader->end - reader->next) < bytes) return refuse_short();
    memcpy(to, reader->next, bytes);
    reader->next += bytes;
    return QN_OK;
}

static qn_status take_array(record_reader *reader, size_t count, size_t size, void **array)
{
    if (count == 0) return QN_OK;
    if (count > (size_t)(reader->end - reader->next) / size) return refuse_short();
    QN_TRY(qn_allocate(count, size, array));
    return take(reader, *array, count * size);
}

static qn_status read_tunnel(record_reader *reader, qn_found_tunnel *tunnel)
{
    tunnel_head head;
    QN_TRY(take(reader, &head, sizeof head));
    qn_line *line = &tunnel->line;
    if (head.count < 2) return refuse_short();
    line->count = head.count;
    QN_TRY(take_array(reader, head.count, sizeof *line->places, (void **)&line->places));
    QN_TRY(take_array(reader, head.count, sizeof *line->radii, (void **)&line->radii));
    QN_TRY(take_array(reader, head.count, sizeof *tunnel->lining_end, (void **)&tunnel->lining_end));
    QN_TRY(take_array(reader, head.lining_count, sizeof *tunnel->lining, (void **)&tunnel->lining));
    qn_line_sum(line);
    qn_line_mark(line, tunnel->marks);
    return QN_OK;
}

qn_status qn_tunnel_record_read(uint64_t frame, const void *data, size_t size, void *user)
{
    qn_tunnel_state *run = user;
    record_reader reader = {data, (const unsigned char *)data + size};
    record_head head;
    QN_TRY(take(&reader, &head, sizeof head));
    void *memory = run->frames;
    qn_status status = qn_grow(&memory, &run->frame_capacity, run->frame_count + 1, sizeof *run->frames);
    run->frames = memory;
    QN_TRY(status);
    run->frames[run->frame_count++] = head.frame;
    for (uint64_t i = 0; i < head.tunnel_count; i++) {
        memory = run->tunnels;
        status = qn_grow(&memory, &run->tunnel_capacity, run->tunnel_count + 1, sizeof *run->tunnels);
        run->tunnels = memory;
        QN_TRY(status);
        qn_found_tunnel *tunnel = &run->tunnels[run->tunnel_count++];
        memset(tunnel, 0, sizeof *tunnel);
        tunnel->frame = frame;
        QN_TRY(read_tunnel(&reader, tunnel));
    }
    return QN_OK;
}
