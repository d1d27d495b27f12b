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

void qn_power_spectrum_make(const qn_power_source *source, int side, double step, double scale, float *image)
{
    for (int row = 0; row < side; row++)
        for (int column = 0; column < side; column++) {
            const double frequency[2] = {(column - side / 2) * step, (row - side / 2) * step};
            double place[2], mean;
            int low[2], high[2];
            for (int d = 0; d < 2; d++) {
                place[d] = frequency[d] / source->step[d];
                low[d] = (int)ceil((frequency[d] - step / 2) / source->step[d]);
                high[d] = (int)ceil((frequency[d] + step / 2) / source->step[d]);
            }
            if (!mean_of(source, low, high, &mean)) mean = interpolate(source, place);
            image[(size_t)row * (size_t)side + (size_t)column] = (float)(scale * mean);
        }
}
