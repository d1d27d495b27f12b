#include "movie/warp/power_spectrum.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* The number at (x, y), any signs; false if there is none. */
static bool number_at(const qn_power_source *source, int x, int y, double *number)
{
    if (x < 0) x = -x, y = -y;
    if (x > source->limit[0] || abs(y) > source->limit[1] || (x == 0 && y == 0)) return false;
    *number = (double)source->power[(size_t)(y + source->limit[1]) * (size_t)(source->limit[0] + 1) + (size_t)x];
    return true;
}

/* Mean of the numbers of the columns and rows from `low` to below `high`. */
static bool mean_of(const qn_power_source *source, const int low[2], const int high[2], double *mean)
{
    double sum = 0, number;
    int count = 0;
    for (int y = low[1]; y < high[1]; y++)
        for (int x = low[0]; x < high[0]; x++)
            if (number_at(source, x, y, &number)) sum += number, count++;
    *mean = count > 0 ? sum / count : 0;
    return count > 0;
}

static double interpolate(const qn_power_source *source, const double place[2])
{
    const int x = (int)floor(place[0]), y = (int)floor(place[1]);
    double sum = 0, weights = 0, number;
    for (int i = 0; i < 4; i++) {
        const double along = i % 2 ? place[0] - x : x + 1 - place[0], up = i / 2 ? place[1] - y : y + 1 - place[1];
        if (along * up > 0 && number_at(source, x + i % 2, y + i / 2, &number))
            sum += along * up * number, weights += along * up;
    }
    return weights > 0 ? sum / weights : 0;
}

typedef struct drawing {
    const qn_power_source *source;
    int side;
    double step, scale;
    float *image;
} drawing;

static float pixel_at(const drawing *d, int column, int row)
{
    const int at[2] = {column, row};
    double place[2], mean;
    int low[2], high[2];
    for (int a = 0; a < 2; a++) {
        const double frequency = (at[a] - d->side / 2) * d->step;
        place[a] = frequency / d->source->step[a];
        low[a] = (int)ceil((frequency - d->step / 2) / d->source->step[a]);
        high[a] = (int)ceil((frequency + d->step / 2) / d->source->step[a]);
    }
    if (!mean_of(d->source, low, high, &mean)) mean = interpolate(d->source, place);
    return (float)(d->scale * mean);
}

static qn_status draw_row(size_t row, int worker, void *user)
{
    const drawing *d = user;
    (void)worker;
    for (int column = 0; column < d->side; column++)
        d->image[row * (size_t)d->side + (size_t)column] = pixel_at(d, column, (int)row);
    return QN_OK;
}

qn_status qn_power_spectrum_make(const qn_power_source *source, int side, double step, double scale, qn_pool *pool,
                                 float *image)
{
    drawing work = {.source = source, .side = side, .step = step, .scale = scale, .image = image};
    return qn_pool_run(pool, (size_t)side, draw_row, &work);
}
