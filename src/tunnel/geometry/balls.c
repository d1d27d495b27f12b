#include "tunnel/geometry/balls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Least side of a cell in Å. Proteins with hydrogens have about 0.1 atoms in 1 Å³, so a cell has about three. */
static const double least_side = 3;

enum { CELLS_A_BALL = 64, CELLS_LEAST = 4096 }; /* where balls are far apart, cells are larger instead of more */

static int cell_of(const qn_balls *balls, double coordinate, int axis)
{
    const double cell = floor((coordinate - balls->low[axis]) / balls->side), last = balls->cells[axis] - 1;
    return (int)fmin(fmax(cell, 0), last);
}

static size_t cell_number(const qn_balls *balls, const int cell[3])
{
    return ((size_t)cell[2] * (size_t)balls->cells[1] + (size_t)cell[1]) * (size_t)balls->cells[0] + (size_t)cell[0];
}

static size_t cell_of_place(const qn_balls *balls, const double place[3])
{
    const int cell[3] = {cell_of(balls, place[0], 0), cell_of(balls, place[1], 1), cell_of(balls, place[2], 2)};
    return cell_number(balls, cell);
}

static void find_bounds(const qn_ball *given, size_t count, qn_balls *balls)
{
    for (int k = 0; k < 3; k++) {
        balls->low[k] = INFINITY, balls->high[k] = -INFINITY;
        for (size_t i = 0; i < count; i++) {
            balls->low[k] = fmin(balls->low[k], given[i].place[k]);
            balls->high[k] = fmax(balls->high[k], given[i].place[k]);
        }
        if (count == 0) balls->low[k] = balls->high[k] = 0;
    }
    for (size_t i = 0; i < count; i++) balls->radius_most = fmax(balls->radius_most, given[i].radius);
}

/* Choose cells, as many as there is use for. */
static void choose_cells(qn_balls *balls)
{
    double cells = INFINITY;
    for (balls->side = least_side; cells > (double)CELLS_A_BALL * (double)balls->count + CELLS_LEAST;
         balls->side *= 2) {
        cells = 1;
        for (int k = 0; k < 3; k++) cells *= floor((balls->high[k] - balls->low[k]) / balls->side) + 1;
    }
    balls->side *= 0.5; /* the last one that was tried */
    for (int k = 0; k < 3; k++) balls->cells[k] = (int)floor((balls->high[k] - balls->low[k]) / balls->side) + 1;
}

/* Sort by counting, which keeps the order of the balls in each cell. */
static void sort_balls(const qn_ball *given, qn_balls *balls)
{
    const size_t cells = (size_t)balls->cells[0] * (size_t)balls->cells[1] * (size_t)balls->cells[2];
    for (size_t i = 0; i < balls->count; i++) balls->first[cell_of_place(balls, given[i].place) + 1]++;
    for (size_t i = 0; i < cells; i++) balls->first[i + 1] += balls->first[i];
    for (size_t i = balls->count; i-- > 0;) {
        const uint32_t place = --balls->first[cell_of_place(balls, given[i].place) + 1];
        balls->sorted[place] = given[i];
        balls->index[place] = (uint32_t)i;
    }
    memmove(balls->first, balls->first + 1, cells * sizeof *balls->first);
    balls->first[cells] = (uint32_t)balls->count;
}

qn_status qn_balls_create(const qn_ball *given, size_t count, qn_balls **created)
{
    qn_balls *balls;
    *created = NULL;
    QN_TRY(qn_allocate(1, sizeof *balls, (void **)&balls));
    balls->count = count;
    find_bounds(given, count, balls);
    choose_cells(balls);
    const size_t cells = (size_t)balls->cells[0] * (size_t)balls->cells[1] * (size_t)balls->cells[2];
    qn_status status = qn_allocate(count, sizeof *balls->sorted, (void **)&balls->sorted);
    if (status == QN_OK) status = qn_allocate(count, sizeof *balls->index, (void **)&balls->index);
    if (status == QN_OK) status = qn_allocate(cells + 2, sizeof *balls->first, (void **)&balls->first);
    if (status == QN_OK) sort_balls(given, balls);
    if (status != QN_OK) qn_balls_destroy(&balls);
    *created = balls;
    return status;
}

void qn_balls_destroy(qn_balls **pointer)
{
    qn_balls *balls = *pointer;
    if (!balls) return;
    qn_release(&balls->sorted);
    qn_release(&balls->index);
    qn_release(&balls->first);
    qn_release(pointer);
}

static double surface_distance(const qn_ball *ball, const double place[3])
{
    const double x = place[0] - ball->place[0], y = place[1] - ball->place[1], z = place[2] - ball->place[2];
    return sqrt(x * x + y * y + z * z) - ball->radius;
}

/* ---- the nearest ball ---- */

typedef struct search {
    const qn_balls *balls;
    const double *place;
    double least;
    uint32_t nearest;
} search;

static void search_cells(search *self, size_t first_cell, size_t last_cell)
{
    const qn_balls *balls = self->balls;
    for (size_t i = balls->first[first_cell]; i < balls->first[last_cell + 1]; i++) {
        const double distance = surface_distance(&balls->sorted[i], self->place);
        if (distance > self->least) continue;
        if (distance == self->least && balls->index[i] > self->nearest) continue;
        self->least = distance;
        self->nearest = balls->index[i];
    }
}

/* Search the cells whose larger distance along an axis from `middle` is `ring`, row by row. */
static void search_ring(search *self, const int middle[3], int ring)
{
    const int *cells = self->balls->cells;
    const int low = middle[0] - ring, high = middle[0] + ring;
    for (int z = middle[2] - ring; z <= middle[2] + ring; z++) {
        if (z < 0 || z >= cells[2]) continue;
        for (int y = middle[1] - ring; y <= middle[1] + ring; y++) {
            if (y < 0 || y >= cells[1]) continue;
            const int row[3] = {0, y, z};
            const size_t start = cell_number(self->balls, row);
            const bool whole = abs(z - middle[2]) == ring || abs(y - middle[1]) == ring;
            const int first = low < 0 ? 0 : low, last = high >= cells[0] ? cells[0] - 1 : high;
            if (whole && first <= last) search_cells(self, start + (size_t)first, start + (size_t)last);
            if (whole) continue;
            if (low >= 0) search_cells(self, start + (size_t)low, start + (size_t)low);
            if (high < cells[0]) search_cells(self, start + (size_t)high, start + (size_t)high);
        }
    }
}

/* A place outside of the cells is at least as far from every ball as its projection onto the box of the cells, so the
 * distance that rings state holds for it too. */
double qn_balls_clearance(const qn_balls *balls, const double place[3], uint32_t *nearest)
{
    search self = {.balls = balls, .place = place, .least = INFINITY};
    int middle[3], rings = 0;
    for (int k = 0; k < 3; k++) {
        middle[k] = cell_of(balls, place[k], k);
        const int far = balls->cells[k] - 1 - middle[k];
        rings = middle[k] > rings ? middle[k] : rings;
        rings = far > rings ? far : rings;
    }
    for (int ring = 0; ring <= rings && balls->count > 0; ring++) {
        if ((ring - 1) * balls->side - balls->radius_most > self.least) break;
        search_ring(&self, middle, ring);
    }
    if (nearest) *nearest = self.nearest;
    return self.least;
}

/* ---- lists ---- */

static qn_status make_room(qn_ball_list *list, size_t count)
{
    void *memory = list->balls;
    qn_status status = QN_OK;
    if (count > list->capacity) status = qn_grow(&memory, &list->capacity, count, sizeof *list->balls);
    list->balls = memory;
    QN_TRY(status);
    memory = list->index;
    if (count > list->index_capacity) status = qn_grow(&memory, &list->index_capacity, count, sizeof *list->index);
    list->index = memory;
    for (int i = 0; i < 2 && status == QN_OK; i++) {
        memory = list->distances[i];
        if (count > list->distance_capacity[i])
            status = qn_grow(&memory, &list->distance_capacity[i], count, sizeof **list->distances);
        list->distances[i] = memory;
    }
    return status;
}

static qn_status append_ball(qn_ball_list *list, const qn_ball *ball, uint32_t index)
{
    if (list->count >= list->capacity) QN_TRY(make_room(list, list->count + 1));
    list->balls[list->count] = *ball;
    list->index[list->count++] = index;
    return QN_OK;
}

qn_status qn_balls_near(const qn_balls *balls, const double place[3], double reach, qn_ball_list *list)
{
    const double far = reach + balls->radius_most;
    int low[3], high[3];
    list->count = 0;
    if (balls->count == 0 || far < 0) return QN_OK;
    for (int k = 0; k < 3; k++) {
        low[k] = cell_of(balls, place[k] - far, k);
        high[k] = cell_of(balls, place[k] + far, k);
    }
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++) {
            const int from[3] = {low[0], y, z}, to[3] = {high[0], y, z};
            const size_t end = balls->first[cell_number(balls, to) + 1];
            for (size_t i = balls->first[cell_number(balls, from)]; i < end; i++)
                if (surface_distance(&balls->sorted[i], place) <= reach)
                    QN_TRY(append_ball(list, &balls->sorted[i], balls->index[i]));
        }
    return QN_OK;
}

void qn_ball_list_clear(qn_ball_list *list)
{
    qn_release(&list->balls);
    qn_release(&list->index);
    for (int i = 0; i < 2; i++) qn_release(&list->distances[i]);
    *list = (qn_ball_list){0};
}

double qn_ball_list_measure(const qn_ball_list *list, const double place[3], double *distances)
{
    double least = INFINITY;
    for (size_t i = 0; i < list->count; i++) distances[i] = surface_distance(&list->balls[i], place);
    for (size_t i = 0; i < list->count; i++) least = distances[i] < least ? distances[i] : least;
    return least;
}
