/* Parts of report.html. */
#ifndef QN_MOVIE_OUTPUT_REPORT_H
#define QN_MOVIE_OUTPUT_REPORT_H

#include "movie/run.h"
#include "report/html.h"

/* A short text for tables and facts. */
typedef struct qn_movie_said {
    char text[64];
} qn_movie_said;

QN_PRINTF_LIKE(1, 2) qn_movie_said qn_movie_say(const char *format, ...);

/* Limit of the total motion beyond which a movie is an outlier: median plus five deviations, those from the median of
 * the distances to the median. */
double qn_movie_motion_limit(const qn_movie_state *run, double *median_px);

/* Motion, filter and power spectra of some movies: those beyond the limit, then the first ones. */
QN_MUST_CHECK qn_status qn_movie_report_details(const qn_movie_state *run, double limit_px, qn_report *report);

/* An SVG picture of a movie: the thumbnail with arrows of the local motion, and the track of the global motion coloured
 * by dose. */
QN_MUST_CHECK qn_status qn_movie_draw(const qn_movie_facts *facts, qn_text *svg);

#endif
