#include "deform/live/hand.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "format/record_lines.h"
#include "math/random.h"

typedef struct hand_row {
    double time_s, place[3];
} hand_row;

struct qn_hand {
    hand_row *rows; /* NULL: min-jerk */
    size_t row_count;
    size_t span; /* rows[span] and the next one had the last time */

    uint64_t seed;
    double speed, reach;
    uint64_t move; /* that had the last time: from place number `move` to the next */
    double begin_s, end_s, from[3], to[3];
};

static const double least_move = 0.25; /* of the reach */
static const char min_jerk[] = "min-jerk:";

/* ---- random moves ---- */

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* Place number `number` > 0: the first draw of its stream that lies in the ball and far enough from the place before.
 * More than half of the draws are in the ball and at most 1/64 of the ball is too near, so 200 draws never run out. */
static void draw_place(const qn_hand *hand, uint64_t number, const double before[3], double place[3])
{
    static const double rest[3];
    for (uint64_t attempt = 0; attempt < 200; attempt++) {
        for (uint64_t axis = 0; axis < 3; axis++)
            place[axis] = hand->reach * (2 * qn_random_uniform(hand->seed, number, 3 * attempt + axis) - 1);
        if (distance(place, rest) <= hand->reach && distance(place, before) >= least_move * hand->reach) return;
    }
}

static void begin_move(qn_hand *hand, uint64_t move, double begin_s)
{
    hand->move = move;
    hand->begin_s = begin_s;
    if (move == 0) memset(hand->from, 0, sizeof hand->from);
    draw_place(hand, move + 1, hand->from, hand->to);
    hand->end_s = begin_s + distance(hand->from, hand->to) / hand->speed;
}

static void place_of_move(qn_hand *hand, double time_s, double place[3])
{
    if (time_s < hand->begin_s) begin_move(hand, 0, 0);
    while (time_s >= hand->end_s) {
        memcpy(hand->from, hand->to, sizeof hand->from);
        begin_move(hand, hand->move + 1, hand->end_s);
    }
    const double t = fmax(0, (time_s - hand->begin_s) / (hand->end_s - hand->begin_s));
    const double part = t * t * t * (10 + t * (6 * t - 15));
    for (int axis = 0; axis < 3; axis++) place[axis] = hand->from[axis] + part * (hand->to[axis] - hand->from[axis]);
}

/* Read the next of the three numbers after "min-jerk:", which ends at `end`; false unless the text is one. */
static bool next_number(const char **at, char end, double *value)
{
    const char *const stop = end ? strchr(*at, end) : *at + strlen(*at);
    if (!stop || !qn_number_parse(*at, (size_t)(stop - *at), value)) return false;
    *at = stop + (end != '\0');
    return true;
}

static qn_status read_moves(const char *text, qn_hand *hand)
{
    double seed = 0;
    const char *at = text + strlen(min_jerk);
    if (!next_number(&at, ',', &seed) || !next_number(&at, ',', &hand->speed) || !next_number(&at, '\0', &hand->reach))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "the hand \"%s\" does not have three numbers; expected min-jerk:SEED,SPEED,REACH, such as "
                       "min-jerk:1,0.1,0.03",
                       text);
    if (!(seed >= 0 && seed <= 0x1p53 && floor(seed) == seed))
        return QN_FAIL(QN_INVALID_ARGUMENT, "the hand \"%s\" has the seed %g; expected a whole number from 0 to 2^53",
                       text, seed);
    if (!(hand->speed >= 1e-6 && hand->speed <= 100))
        return QN_FAIL(QN_INVALID_ARGUMENT, "the hand \"%s\" has the speed %g m/s; expected 1e-6 to 100", text,
                       hand->speed);
    if (!(hand->reach >= 1e-6 && hand->reach <= 100))
        return QN_FAIL(QN_INVALID_ARGUMENT, "the hand \"%s\" has the reach %g m; expected 1e-6 to 100", text,
                       hand->reach);
    hand->seed = (uint64_t)seed;
    begin_move(hand, 0, 0);
    return QN_OK;
}

/* ---- tables ---- */

static qn_status read_row(const qn_record_lines *lines, hand_row *row)
{
    static const char *const names[4] = {"t", "x", "y", "z"};
    double values[4];
    const char *at = lines->text, *const end = lines->text + lines->length;
    for (int column = 0; column < 4; column++) {
        const char *const comma = memchr(at, ',', (size_t)(end - at)), *const stop = comma ? comma : end;
        if ((comma == NULL) != (column == 3))
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the line \"%s\" does not have four columns; expected t,x,y,z",
                           lines->path, lines->number, qn_quote(lines->text, lines->length).text);
        if (!qn_number_parse(at, (size_t)(stop - at), &values[column]))
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %s is \"%s\"; expected a number", lines->path, lines->number,
                           names[column], qn_quote(at, (size_t)(stop - at)).text);
        at = stop + (comma != NULL);
    }
    *row = (hand_row){values[0], {values[1], values[2], values[3]}};
    if (!(row->time_s >= 0))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the time is %.9g s; expected 0 or more", lines->path, lines->number,
                       row->time_s);
    return QN_OK;
}

static qn_status read_rows(qn_record_lines *lines, qn_hand *hand)
{
    size_t capacity = 0;
    bool is_first = true;
    while (qn_record_lines_next(lines)) {
        if (qn_word_is_blank((qn_word){lines->text, lines->length}) || lines->text[0] == '#') continue;
        const bool is_header = is_first && qn_line_begins(lines, "t,x,y,z");
        is_first = false;
        if (is_header) continue;
        void *memory = hand->rows;
        const qn_status status = qn_grow(&memory, &capacity, hand->row_count + 1, sizeof(hand_row));
        hand->rows = memory;
        QN_TRY(status);
        hand_row *const row = &hand->rows[hand->row_count];
        QN_TRY(read_row(lines, row));
        if (hand->row_count > 0 && !(row->time_s > row[-1].time_s))
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the time %.9g s follows %.9g s; expected times that rise",
                           lines->path, lines->number, row->time_s, row[-1].time_s);
        hand->row_count++;
    }
    if (hand->row_count == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: holds no row; expected lines t,x,y,z in s and m", lines->path);
    return QN_OK;
}

static qn_status read_table(const char *path, qn_hand *hand)
{
    char *data;
    size_t size;
    QN_TRY(qn_file_read(path, &data, &size));
    qn_record_lines lines = {.path = path, .step = 1, .next = data, .end = data + size};
    const qn_status status = read_rows(&lines, hand);
    qn_release(&data);
    return status;
}

/* Slope at a row of the parabola through it and its neighbours; at an end, that of the parabola of the first or last
 * three rows; of two rows, their line. */
static double slope_at(const qn_hand *hand, size_t row, int axis)
{
    const size_t last = hand->row_count - 1, middle = row == 0 ? 1 : row == last ? last - 1 : row;
    const hand_row *const rows = hand->rows;
    if (last == 1) return (rows[1].place[axis] - rows[0].place[axis]) / (rows[1].time_s - rows[0].time_s);
    const double before_s = rows[middle].time_s - rows[middle - 1].time_s,
                 after_s = rows[middle + 1].time_s - rows[middle].time_s;
    const double before = (rows[middle].place[axis] - rows[middle - 1].place[axis]) / before_s,
                 after = (rows[middle + 1].place[axis] - rows[middle].place[axis]) / after_s;
    const double curve = (after - before) / (before_s + after_s);
    const double slope = before + curve * before_s;
    return slope + 2 * curve * (rows[row].time_s - rows[middle].time_s);
}

static void place_of_table(qn_hand *hand, double time_s, double place[3])
{
    const hand_row *const rows = hand->rows, *const last = &rows[hand->row_count - 1];
    const hand_row *const end = !(time_s > rows[0].time_s) ? rows : time_s >= last->time_s ? last : NULL;
    if (end) {
        memcpy(place, end->place, sizeof end->place);
        return;
    }
    if (time_s < rows[hand->span].time_s) hand->span = 0;
    while (time_s >= rows[hand->span + 1].time_s) hand->span++;
    const hand_row *const a = &rows[hand->span], *const b = a + 1;
    const double length_s = b->time_s - a->time_s, t = (time_s - a->time_s) / length_s, u = 1 - t;
    for (int axis = 0; axis < 3; axis++)
        place[axis] =
            u * u * (1 + 2 * t) * a->place[axis] + t * t * (1 + 2 * u) * b->place[axis] +
            t * u * length_s * (u * slope_at(hand, hand->span, axis) - t * slope_at(hand, hand->span + 1, axis));
}

/* ---- life cycle ---- */

qn_status qn_hand_create(const char *text, qn_hand **hand)
{
    void *memory;
    *hand = NULL;
    QN_TRY(qn_allocate(1, sizeof **hand, &memory));
    *hand = memory;
    const qn_status status =
        strncmp(text, min_jerk, strlen(min_jerk)) == 0 ? read_moves(text, *hand) : read_table(text, *hand);
    if (status != QN_OK) qn_hand_destroy(hand);
    return status;
}

void qn_hand_destroy(qn_hand **hand)
{
    if (!*hand) return;
    qn_release(&(*hand)->rows);
    qn_release(hand);
}

double qn_hand_duration_s(const qn_hand *hand)
{
    return hand->rows ? hand->rows[hand->row_count - 1].time_s : (double)INFINITY;
}

void qn_hand_place(qn_hand *hand, double time_s, double place[3])
{
    if (hand->rows)
        place_of_table(hand, time_s, place);
    else
        place_of_move(hand, time_s, place);
}
