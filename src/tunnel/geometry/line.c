#include "tunnel/geometry/line.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "tunnel/geometry/climb.h"

enum { SMOOTHINGS = 8, MOUTH_PLACES = 10 };

static const double start_zone = 2;                        /* Å, left out where lines are compared */
static const double least_step = 2e-3;                     /* Å */
static const double travels[] = {0.3, 0.2, 0.1, 0.1, 0.1}; /* Å, of a place in each turn */

static double distance_of(const double a[3], const double b[3])
{
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

static double length_of(const double (*path)[3], size_t count)
{
    double length = 0;
    for (size_t i = 1; i < count; i++) length += distance_of(path[i - 1], path[i]);
    return length;
}

/* Spread `wanted` places evenly over a path, from `begin` Å along it to its end. */
static void spread(const double (*path)[3], size_t count, double begin, size_t wanted, double (*places)[3])
{
    const double length = length_of(path, count);
    double passed = 0;
    size_t at = 0; /* the segment from path[at] on begins at `passed` */
    for (size_t i = 0; i < wanted; i++) {
        const double share = wanted > 1 ? (double)i / (double)(wanted - 1) : 0;
        const double target = begin + (length - begin) * share;
        double segment = count > 1 ? distance_of(path[at], path[at + (count > 1)]) : 0;
        while (at + 2 < count && passed + segment < target) {
            passed += segment;
            at++;
            segment = distance_of(path[at], path[at + 1]);
        }
        const double part = segment > 0 ? fmin(fmax((target - passed) / segment, 0), 1) : 0;
        for (int k = 0; k < 3; k++)
            places[i][k] = path[at][k] + (count > 1 ? part * (path[at + 1][k] - path[at][k]) : 0);
    }
}

static size_t places_for(double length)
{
    const double steps = ceil(length / QN_LINE_STEP_ANGSTROM);
    return steps < 1 ? 2 : (size_t)steps + 1;
}

/* Replace the places by as many as its length asks for. */
static qn_status set_places(const double (*path)[3], size_t count, qn_line *line)
{
    const size_t wanted = places_for(length_of(path, count));
    double(*places)[3] = NULL;
    double *radii = NULL;
    qn_status status = qn_allocate(wanted, sizeof *places, (void **)&places);
    if (status == QN_OK) status = qn_allocate(wanted, sizeof *radii, (void **)&radii);
    if (status != QN_OK) {
        qn_release(&places);
        return status;
    }
    spread(path, count, 0, wanted, places);
    qn_release(&line->places);
    qn_release(&line->radii);
    line->places = places;
    line->radii = radii;
    line->count = wanted;
    return QN_OK;
}

qn_status qn_line_make(const double (*path)[3], size_t count, qn_line *line)
{
    *line = (qn_line){0};
    return set_places(path, count, line);
}

void qn_line_clear(qn_line *line)
{
    qn_release(&line->places);
    qn_release(&line->radii);
    *line = (qn_line){0};
}

/* Direction of the line at a place after the first; at the mouth, of the last Å. */
static void direction_at(const qn_line *line, size_t i, double across[3])
{
    const size_t last = line->count - 1, back = i < last ? 1 : last < MOUTH_PLACES ? last : MOUTH_PLACES;
    const double *before = line->places[i - back], *after = line->places[i < last ? i + 1 : last];
    const double length = distance_of(before, after);
    for (int k = 0; k < 3; k++) across[k] = length > 0 ? (after[k] - before[k]) / length : k == 0;
}

/* Let every place after the start climb across the line, at most `travel` Å and half as far as it is from the start. */
static qn_status climb_places(const qn_balls *balls, const qn_line *line, double travel, qn_ball_list *list,
                              double (*places)[3])
{
    memcpy(places[0], line->places[0], sizeof places[0]);
    for (size_t i = 1; i < line->count; i++) {
        memcpy(places[i], line->places[i], sizeof places[i]);
        const double most = fmin(travel, 0.5 * (double)i * QN_LINE_STEP_ANGSTROM);
        const double clearance = qn_balls_clearance(balls, places[i], NULL);
        double across[3];
        direction_at(line, i, across);
        QN_TRY(qn_balls_near(balls, places[i], clearance + 2 * most, list));
        const qn_climbing climbing = {across, most, 0.5 * most, least_step, INFINITY};
        qn_climb(list, &climbing, places[i]);
    }
    return QN_OK;
}

/* Each place moves towards the middle of its neighbours, as corners of the graph and climbs to different ridges need
 * it. */
static void smooth(double (*places)[3], size_t count)
{
    double before[3];
    memcpy(before, places[0], sizeof before);
    for (size_t i = 1; i + 1 < count; i++)
        for (int k = 0; k < 3; k++) {
            const double here = places[i][k];
            places[i][k] = 0.5 * here + 0.25 * (before[k] + places[i + 1][k]);
            before[k] = here;
        }
}

qn_status qn_line_climb(const qn_balls *balls, qn_line *line)
{
    qn_ball_list list = {0};
    qn_status status = QN_OK;
    for (size_t turn = 0; turn < sizeof travels / sizeof *travels && status == QN_OK; turn++) {
        double(*places)[3];
        for (int i = 0; i < SMOOTHINGS; i++) smooth(line->places, line->count);
        status = qn_allocate(line->count, sizeof *places, (void **)&places);
        if (status == QN_OK) status = climb_places(balls, line, travels[turn], &list, places);
        if (status == QN_OK) {
            for (int i = 0; i < SMOOTHINGS; i++) smooth(places, line->count);
            status = set_places((const double(*)[3])places, line->count, line);
        }
        qn_release(&places);
    }
    qn_ball_list_clear(&list);
    if (status == QN_OK) qn_line_measure(balls, line);
    return status;
}

void qn_line_sum(qn_line *line)
{
    line->length = length_of((const double(*)[3])line->places, line->count);
    line->cost = 0;
    line->narrowest = line->widest = 0;
    for (size_t i = 0; i < line->count; i++) {
        if (line->radii[i] < line->radii[line->narrowest]) line->narrowest = i;
        if (line->radii[i] > line->radii[line->widest]) line->widest = i;
        if (i == 0) continue;
        const double before = line->radii[i - 1], here = line->radii[i];
        line->cost +=
            0.5 * distance_of(line->places[i - 1], line->places[i]) * (1 / (before * before) + 1 / (here * here));
    }
}

void qn_line_measure(const qn_balls *balls, qn_line *line)
{
    for (size_t i = 0; i < line->count; i++) line->radii[i] = qn_balls_clearance(balls, line->places[i], NULL);
    qn_line_sum(line);
}

qn_status qn_line_trim(const qn_balls *balls, double radius, qn_line *line)
{
    size_t count = line->count;
    while (count > 2 && line->radii[count - 2] >= radius) count--;
    if (count == line->count) return QN_OK;
    QN_TRY(set_places((const double(*)[3])line->places, count, line));
    qn_line_measure(balls, line);
    return QN_OK;
}

void qn_line_mark(const qn_line *line, double marks[QN_LINE_MARKS][3])
{
    const double length = length_of((const double(*)[3])line->places, line->count);
    spread((const double(*)[3])line->places, line->count, fmin(start_zone, 0.5 * length), QN_LINE_MARKS, marks);
}

double qn_line_distance(const double one[QN_LINE_MARKS][3], const double other[QN_LINE_MARKS][3])
{
    double sum = 0;
    for (int i = 0; i < QN_LINE_MARKS; i++) sum += distance_of(one[i], other[i]);
    return sum / QN_LINE_MARKS;
}
