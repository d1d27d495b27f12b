#include "report/colour.h"

#include <math.h>

/* Nine points of "viridis" (S. van der Walt and N. Smith 2015, in the public domain). */
static const unsigned char colours[9][3] = {{0x44, 0x01, 0x54}, {0x47, 0x2d, 0x7b}, {0x3b, 0x52, 0x8b},
                                            {0x2c, 0x72, 0x8e}, {0x21, 0x91, 0x8c}, {0x28, 0xae, 0x80},
                                            {0x5e, 0xc9, 0x62}, {0xad, 0xdc, 0x30}, {0xfd, 0xe7, 0x25}};

void qn_report_colour(double share, unsigned char colour[3])
{
    const double place = 8 * fmin(fmax(share, 0), 1);
    const int before = place < 8 ? (int)place : 7;
    for (int i = 0; i < 3; i++) {
        const double from = colours[before][i], to = colours[before + 1][i];
        colour[i] = (unsigned char)lround(from + (place - before) * (to - from));
    }
}
