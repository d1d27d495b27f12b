/* Records of a screening journal. Numbers have the byte order of the machine, since a journal stays on its machine. */
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "screen/results.h"

typedef struct entry_head {
    uint64_t index, line;
    uint32_t library;
    int32_t heavy_atoms, conformers, pose_count;
    uint32_t name_length, reason_length;
    uint32_t rejected;
    int32_t unsettled;
    uint64_t made_size; /* 0: none */
    int32_t torsions;   /* of a flexible molecule, whose poses have a state each; −1: rigid */
    int32_t spare;
    double torsion_count;
} entry_head;

/* Bytes of a pose's place, rotation and torsions, which begin its struct. */
static size_t state_bytes(int torsions)
{
    return offsetof(qn_flexible_pose, torsions) + (size_t)torsions * sizeof(double);
}

qn_status qn_screen_record_begin(const qn_screen_piece *piece, qn_text *record)
{
    record->length = 0;
    return qn_text_append_bytes(record, piece, sizeof *piece);
}

qn_status qn_screen_record_add(const qn_screen_entry *entry, qn_text *record)
{
    entry_head head = {.index = entry->index,
                       .line = entry->line,
                       .library = entry->library,
                       .heavy_atoms = entry->heavy_atoms,
                       .conformers = entry->conformers,
                       .pose_count = entry->reason ? 0 : entry->pose_count,
                       .name_length = (uint32_t)strlen(entry->name),
                       .reason_length = entry->reason ? (uint32_t)strlen(entry->reason) : 0,
                       .rejected = entry->reason != NULL,
                       .unsettled = entry->unsettled,
                       .made_size = entry->made ? entry->made_size : 0,
                       .torsions = entry->states && !entry->reason ? entry->torsions : -1,
                       .torsion_count = entry->torsion_count};
    QN_TRY(qn_text_append_bytes(record, &head, sizeof head));
    QN_TRY(qn_text_append_bytes(record, entry->name, head.name_length + 1));
    QN_TRY(qn_text_append_bytes(record, entry->reason ? entry->reason : "", head.reason_length + 1));
    QN_TRY(qn_text_append_bytes(record, entry->poses, (size_t)head.pose_count * sizeof *entry->poses));
    for (int i = 0; head.torsions >= 0 && i < head.pose_count; i++)
        QN_TRY(qn_text_append_bytes(record, &entry->states[i], state_bytes(head.torsions)));
    return head.made_size ? qn_text_append_bytes(record, entry->made, (size_t)head.made_size + 1) : QN_OK;
}

/* The part of a record that is not read yet. */
typedef struct record_rest {
    const char *at;
    size_t size;
} record_rest;

static bool take(record_rest *rest, void *to, size_t bytes)
{
    if (bytes > rest->size) return false;
    memcpy(to, rest->at, bytes);
    rest->at += bytes;
    rest->size -= bytes;
    return true;
}

/* Take a text of `length` bytes and its zero byte; returns a pointer into the record; NULL: the record is cut. */
static const char *take_text(record_rest *rest, size_t length)
{
    const char *text = rest->at;
    if (length >= rest->size || text[length] != '\0' || memchr(text, '\0', length)) return NULL;
    rest->at += length + 1;
    rest->size -= length + 1;
    return text;
}

/* Take the states of a flexible molecule's poses. */
static bool take_states(record_rest *rest, const entry_head *head, qn_flexible_pose *states)
{
    if (head->torsions > QN_FLEXIBLE_TORSIONS_MAX) return false;
    for (int i = 0; i < head->pose_count; i++) {
        memset(&states[i], 0, sizeof states[i]);
        if (!take(rest, &states[i], state_bytes(head->torsions))) return false;
    }
    return true;
}

static bool take_entry(record_rest *rest, qn_screen_entry *entry, qn_screen_kept poses[QN_SCREEN_KEPT_MAX],
                       qn_flexible_pose states[QN_SCREEN_KEPT_MAX])
{
    entry_head head;
    if (!take(rest, &head, sizeof head)) return false;
    *entry = (qn_screen_entry){.index = head.index,
                               .line = head.line,
                               .library = head.library,
                               .heavy_atoms = head.heavy_atoms,
                               .conformers = head.conformers,
                               .unsettled = head.unsettled,
                               .torsion_count = head.torsion_count,
                               .poses = poses,
                               .pose_count = head.pose_count};
    entry->name = take_text(rest, head.name_length);
    entry->reason = entry->name ? take_text(rest, head.reason_length) : NULL;
    if (!entry->reason || head.pose_count < 0 || head.pose_count > QN_SCREEN_KEPT_MAX ||
        (head.pose_count == 0) != (head.rejected != 0))
        return false;
    if (!head.rejected) entry->reason = NULL;
    if (!take(rest, poses, (size_t)head.pose_count * sizeof *poses)) return false;
    if (head.torsions >= 0) {
        if (!take_states(rest, &head, states)) return false;
        entry->states = states;
        entry->torsions = head.torsions;
    }
    if (head.made_size == 0) return true;
    entry->made_size = (size_t)head.made_size;
    entry->made = take_text(rest, entry->made_size);
    return entry->made != NULL;
}

qn_status qn_screen_record_read(uint64_t number, const void *data, size_t size, qn_screen_piece *piece,
                                qn_screen_entry_callback callback, void *user)
{
    qn_screen_kept poses[QN_SCREEN_KEPT_MAX];
    qn_flexible_pose states[QN_SCREEN_KEPT_MAX];
    qn_screen_entry entry;
    record_rest rest = {data, size};
    bool good =
        take(&rest, piece, sizeof *piece) && piece->number == number && piece->molecule_count <= QN_SCREEN_PIECE;
    for (uint32_t i = 0; good && callback && i < piece->molecule_count; i++) {
        good = take_entry(&rest, &entry, poses, states) && entry.index == number * QN_SCREEN_PIECE + i;
        if (good) QN_TRY(callback(&entry, user));
    }
    if (!good || (callback && rest.size != 0))
        return QN_FAIL(QN_BAD_FORMAT, "the record of piece %llu is not one that this version writes",
                       (unsigned long long)number);
    return QN_OK;
}
