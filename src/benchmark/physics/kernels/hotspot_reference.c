#include "base/error.h"
#include "base/memory.h"
#include "benchmark/physics/kernels/hotspot.h"

/* The part of the grid that a cell depends on: up to `steps` cells away. */
typedef struct window {
    int first_x, first_y, width, height;
} window;

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

/* Temperature of a neighbour; the cell's own if there is none. Wrong values at the window's border do not matter,
 * because they cannot reach the wanted cell in the remaining steps. */
static double neighbour(const window *part, const double *from, int x, int y, int dx, int dy)
{
    return from[clamp(y + dy, 0, part->height - 1) * part->width + clamp(x + dx, 0, part->width - 1)];
}

static void step(const qn_hotspot_problem *problem, const window *part, const double *power, const double *from,
                 double *to)
{
    for (int y = 0; y < part->height; y++)
        for (int x = 0; x < part->width; x++) {
            const int place = y * part->width + x;
            const double t = from[place];
            const double sides = neighbour(part, from, x, y, -1, 0) + neighbour(part, from, x, y, 1, 0);
            const double ends = neighbour(part, from, x, y, 0, -1) + neighbour(part, from, x, y, 0, 1);
            to[place] = t + problem->across * (sides - 2 * t) + problem->down * (ends - 2 * t) +
                        problem->loss * (problem->air - t) + problem->heating * power[place];
        }
}

qn_status qn_hotspot_reference(const qn_hotspot_problem *problem, qn_hotspot_input input, const void *user, int x,
                               int y, double *temperature)
{
    const int steps = problem->steps;
    window part = {.first_x = clamp(x - steps, 0, x), .first_y = clamp(y - steps, 0, y)};
    part.width = clamp(x + steps, x, problem->width - 1) - part.first_x + 1;
    part.height = clamp(y + steps, y, problem->height - 1) - part.first_y + 1;
    const size_t cells = (size_t)part.width * (size_t)part.height;
    void *memory;
    QN_TRY(qn_allocate(3 * cells, sizeof(double), &memory));
    double *power = memory, *from = power + cells, *to = from + cells;
    for (int j = 0; j < part.height; j++)
        for (int i = 0; i < part.width; i++) {
            power[j * part.width + i] = input(0, part.first_x + i, part.first_y + j, user);
            from[j * part.width + i] = input(1, part.first_x + i, part.first_y + j, user);
        }
    for (int s = 0; s < steps; s++) {
        step(problem, &part, power, from, to);
        double *written = to;
        to = from;
        from = written;
    }
    *temperature = from[(y - part.first_y) * part.width + (x - part.first_x)];
    qn_release(&memory);
    return QN_OK;
}
