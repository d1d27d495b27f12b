/* Lines of tunnels: places from the start to the mouth, a constant distance apart along the line, with the clearance at
 * each. */
#ifndef QN_TUNNEL_GEOMETRY_LINE_H
#define QN_TUNNEL_GEOMETRY_LINE_H

#include "tunnel/geometry/balls.h"

enum { QN_LINE_MARKS = 20 };

#define QN_LINE_STEP_ANGSTROM 0.1

typedef struct qn_line {
    size_t count;
    double (*places)[3];      /* Å */
    double *radii;            /* clearance in Å */
    double length;            /* Å */
    double cost;              /* ∫ radius⁻² ds in Å⁻¹ */
    size_t narrowest, widest; /* indexes of the places with the least and the largest radius */
} qn_line;

/* Make the line of a path of `count` vertices: places every 0.1 Å along it. Release with qn_line_clear. */
QN_MUST_CHECK qn_status qn_line_make(const double (*path)[3], size_t count, qn_line *line);
void qn_line_clear(qn_line *line);

/* Move the line to the ridge of the clearance: its places climb across the line and are spaced evenly again, in turns,
 * until they rest (the string method of E, Ren and Vanden-Eijnden 2007). The start stays. Then measure it. */
QN_MUST_CHECK qn_status qn_line_climb(const qn_balls *balls, qn_line *line);

/* Leave out the end of the line from the place on where all radii are at least `radius`: it is outside. The line was
 * measured, and is measured again. */
QN_MUST_CHECK qn_status qn_line_trim(const qn_balls *balls, double radius, qn_line *line);

/* Measure radii, length, cost and the extremes along the line as it is. */
void qn_line_measure(const qn_balls *balls, qn_line *line);

/* Find length, cost and the extremes of a line whose radii are known. */
void qn_line_sum(qn_line *line);

/* Twenty places, evenly spaced along the part of the line after the first 2 Å, which tunnels of one start share. Of a
 * line of less than 4 Å half is left out. */
void qn_line_mark(const qn_line *line, double marks[QN_LINE_MARKS][3]);

/* Mean distance in Å of the marks of two lines. */
double qn_line_distance(const double one[QN_LINE_MARKS][3], const double other[QN_LINE_MARKS][3]);

#endif
