/* Records of journals: the poses of a passage as numbers. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "transport/run.h"

/* RIGID: numbers of a pose without its torsions: disc, inter, intra, place, rotation. */
enum { RIGID = 10 };

typedef struct record_head {
    uint64_t disc_count, lower_count, way_count, torsion_count;
} record_head;

static size_t torsions_of(const qn_transport_state *run)
{
    return (size_t)run->reader.tree.piece_count - 1;
}

static qn_status append_poses(const qn_disc_pose *poses, size_t count, size_t torsions, qn_text *record)
{
    for (size_t i = 0; i < count; i++) {
        const qn_disc_pose *pose = &poses[i];
        double numbers[RIGID] = {pose->disc, pose->inter, pose->intra};
        memcpy(numbers + 3, pose->pose.place, sizeof pose->pose.place);
        memcpy(numbers + 6, pose->pose.rotation, sizeof pose->pose.rotation);
        QN_TRY(qn_text_append_bytes(record, numbers, sizeof numbers));
        QN_TRY(qn_text_append_bytes(record, pose->pose.torsions, torsions * sizeof(double)));
    }
    return QN_OK;
}

qn_status qn_passage_record(const qn_transport_state *run, uint64_t piece, const qn_passage *passage)
{
    const size_t torsions = torsions_of(run), discs = (size_t)passage->disc_count;
    const record_head head = {discs, passage->lower ? discs : 0, (uint64_t)passage->way_count, torsions};
    qn_text record = {0};
    qn_status status = qn_text_append_bytes(&record, &head, sizeof head);
    if (status == QN_OK) status = append_poses(passage->lower, head.lower_count, torsions, &record);
    if (status == QN_OK) status = append_poses(passage->way, head.way_count, torsions, &record);
    if (status == QN_OK) status = qn_job_record(run->job, piece, record.data, record.length);
    qn_text_clear(&record);
    return status;
}

static void take_poses(const unsigned char *from, size_t count, size_t torsions, qn_disc_pose *poses)
{
    const size_t bytes = (RIGID + torsions) * sizeof(double);
    for (size_t i = 0; i < count; i++) {
        double numbers[RIGID];
        memcpy(numbers, from + i * bytes, sizeof numbers);
        poses[i] = (qn_disc_pose){.disc = (int)numbers[0], .inter = numbers[1], .intra = numbers[2]};
        memcpy(poses[i].pose.place, numbers + 3, sizeof poses[i].pose.place);
        memcpy(poses[i].pose.rotation, numbers + 6, sizeof poses[i].pose.rotation);
        memcpy(poses[i].pose.torsions, from + i * bytes + sizeof numbers, torsions * sizeof(double));
    }
}

qn_status qn_passage_read(const qn_transport_state *run, const void *data, size_t size, qn_passage *passage)
{
    record_head head;
    *passage = (qn_passage){0};
    if (size < sizeof head)
        return QN_FAIL(QN_BAD_FORMAT, "a record of a passage is damaged; expected a journal of this version");
    memcpy(&head, data, sizeof head);
    const size_t bytes = (RIGID + (size_t)head.torsion_count) * sizeof(double);
    if (head.torsion_count != torsions_of(run) || head.disc_count > QN_TUNNEL_MOST ||
        (head.lower_count > 0 && head.lower_count != head.disc_count) || head.way_count > size / bytes ||
        size != sizeof head + (head.lower_count + head.way_count) * bytes)
        return QN_FAIL(QN_BAD_FORMAT, "a record of a passage has another size; expected a journal of this version");
    const unsigned char *from = (const unsigned char *)data + sizeof head;
    passage->disc_count = (int)head.disc_count;
    passage->way_count = (int)head.way_count;
    if (head.lower_count > 0) QN_TRY(qn_allocate(head.lower_count, sizeof *passage->lower, (void **)&passage->lower));
    if (head.way_count > 0) QN_TRY(qn_allocate(head.way_count, sizeof *passage->way, (void **)&passage->way));
    take_poses(from, head.lower_count, head.torsion_count, passage->lower);
    take_poses(from + head.lower_count * bytes, head.way_count, head.torsion_count, passage->way);
    return QN_OK;
}
