/* DCD as CHARMM writes it, little endian: one title, a cell where the first frame has a box, lengths in Å. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/packed_bytes.h"
#include "format/trajectory/dcd_layout.h"
#include "format/trajectory/trajectory_write_format.h"

typedef struct dcd_writer {
    size_t atom_count;
    bool has_cell;
    uint64_t frames;
    int64_t step[2]; /* of the first two frames */
    double time_ps[2];
    char *record; /* one coordinate of all atoms */
} dcd_writer;

static void destroy(void *state)
{
    dcd_writer *d = state;
    qn_release(&d->record);
    qn_release(&state);
}

static qn_status create(const char *path, size_t atom_count, const qn_trajectory_write_options *options, void **state)
{
    void *memory;
    (void)options;
    if (atom_count > INT32_MAX / 4)
        return QN_FAIL(QN_UNSUPPORTED, "%s: DCD cannot hold %zu atoms; expected at most %d", path, atom_count,
                       INT32_MAX / 4);
    QN_TRY(qn_allocate(1, sizeof(dcd_writer), &memory));
    dcd_writer *d = *state = memory;
    d->atom_count = atom_count;
    QN_TRY(qn_allocate(atom_count, 4, &memory));
    d->record = memory;
    return QN_OK;
}

static void put32(uint32_t value, char *bytes)
{
    qn_packed_store(value, 4, (unsigned char *)bytes);
}

static void put_float(float value, char *bytes)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put32(bits, bytes);
}

static qn_status append_record(const void *data, size_t size, qn_text *bytes)
{
    QN_TRY(qn_packed_put(bytes, size, 4));
    QN_TRY(qn_text_append_bytes(bytes, data, size));
    return qn_packed_put(bytes, size, 4);
}

/* Find the first step, the number of steps between frames, and the time of one step (ps) that reproduce step and time
 * of the first two frames; DCD stores no other times. */
static void find_times(const dcd_writer *d, int64_t *first, int64_t *every, double *step_ps)
{
    const int64_t steps = d->step[1] - d->step[0];
    const double apart_ps = d->time_ps[1] - d->time_ps[0];
    *first = d->step[0] > 0 ? d->step[0] : 0;
    *every = 1;
    *step_ps = d->step[0] > 0 && d->time_ps[0] > 0 ? d->time_ps[0] / (double)d->step[0] : 0;
    if (d->frames < 2) return;
    if (d->step[0] >= 0 && steps > 0) {
        *every = steps;
        *step_ps = apart_ps > 0 ? apart_ps / (double)steps : 0;
    } else if (apart_ps > 0) {
        *first = (int64_t)fmin(round(d->time_ps[0] / apart_ps), INT32_MAX);
        *step_ps = apart_ps;
    }
}

static uint32_t fit32(int64_t value)
{
    return value < 0 || value > INT32_MAX ? 0 : (uint32_t)value;
}

static qn_status append_head(const dcd_writer *d, qn_text *bytes)
{
    enum { CHARMM_VERSION = 24 };
    char head[QN_DCD_HEAD_BYTES] = "CORD", titles[4 + QN_DCD_TITLE_BYTES] = {1}, atoms[4];
    int64_t first, every;
    double step_ps;
    find_times(d, &first, &every, &step_ps);
    put32(fit32((int64_t)d->frames), head + QN_DCD_FRAMES);
    put32(fit32(first), head + QN_DCD_FIRST_STEP);
    put32(fit32(every), head + QN_DCD_STEPS_A_FRAME);
    put32(fit32((int64_t)d->frames * every), head + QN_DCD_ALL_STEPS);
    put_float((float)(step_ps / QN_DCD_TIME_UNIT_PS), head + QN_DCD_TIME_STEP);
    put32(d->has_cell, head + QN_DCD_HAS_CELL);
    put32(CHARMM_VERSION, head + QN_DCD_VERSION);
    memset(titles + 4, ' ', QN_DCD_TITLE_BYTES);
    memcpy(titles + 4, "Written by Quern", 16);
    put32((uint32_t)d->atom_count, atoms);
    QN_TRY(append_record(head, sizeof head, bytes));
    QN_TRY(append_record(titles, sizeof titles, bytes));
    return append_record(atoms, sizeof atoms, bytes);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Append A, γ, B, β, α, C; all 0 without a box. */
static qn_status append_cell(const double box_nm[9], qn_text *bytes)
{
    const double *a = box_nm, *b = box_nm + 3, *c = box_nm + 6, degrees_a_radian = 57.295779513082320877;
    const double lengths[3] = {sqrt(dot(a, a)), sqrt(dot(b, b)), sqrt(dot(c, c))};
    double cell[6] = {0};
    unsigned char data[QN_DCD_CELL_BYTES];
    if (a[1] != 0 || a[2] != 0 || b[2] != 0)
        return QN_FAIL(QN_UNSUPPORTED,
                       "the box has its first vector not along x, or its second one not in the xy-plane; "
                       "DCD holds lengths and angles only");
    if (lengths[0] > 0 && lengths[1] > 0 && lengths[2] > 0) {
        cell[0] = 10 * lengths[0];
        cell[1] = degrees_a_radian * acos(dot(a, b) / (lengths[0] * lengths[1]));
        cell[2] = 10 * lengths[1];
        cell[3] = degrees_a_radian * acos(dot(a, c) / (lengths[0] * lengths[2]));
        cell[4] = degrees_a_radian * acos(dot(b, c) / (lengths[1] * lengths[2]));
        cell[5] = 10 * lengths[2];
    }
    for (int k = 0; k < 6; k++) {
        uint64_t bits;
        memcpy(&bits, &cell[k], sizeof bits);
        qn_packed_store(bits, 8, data + 8 * k);
    }
    return append_record(data, sizeof data, bytes);
}

static qn_status append(void *state, const qn_trajectory_frame *frame, qn_text *bytes)
{
    dcd_writer *d = state;
    if (d->frames == 0)
        for (int k = 0; k < 9; k++) d->has_cell = d->has_cell || frame->box_nm[k] != 0;
    if (d->frames < 2) {
        d->step[d->frames] = frame->step;
        d->time_ps[d->frames] = frame->time_ps;
    }
    if (d->frames == 0) QN_TRY(append_head(d, bytes));
    if (d->has_cell) QN_TRY(append_cell(frame->box_nm, bytes));
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < d->atom_count; i++) put_float(frame->positions_nm[3 * i + k] * 10.0f, d->record + 4 * i);
        QN_TRY(append_record(d->record, 4 * d->atom_count, bytes));
    }
    d->frames++;
    return QN_OK;
}

static qn_status finish(void *state, qn_text *bytes)
{
    return append_head(state, bytes);
}

const qn_trajectory_write_format qn_trajectory_write_dcd = {
    .ending = ".dcd", .create = create, .append = append, .finish = finish, .destroy = destroy};
