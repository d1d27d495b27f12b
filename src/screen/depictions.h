/* Drawings of molecules by Open Babel (`obabel`), a separate program that may be missing. */
#ifndef QN_SCREEN_DEPICTIONS_H
#define QN_SCREEN_DEPICTIONS_H

#include "model/compound.h"

enum { QN_DEPICTION_TIMEOUT_S = 60 }; /* for all drawings; about one second is usual */

/* Draw compounds in 2D by one process: svg[i] is the SVG document of compounds[i], or NULL if it was not drawn; each is
 * released with qn_release. *why is NULL, or the reason why there are no drawings ("is not installed"), which is not an
 * error. The drawings do not contain the names of the compounds. */
QN_MUST_CHECK qn_status qn_screen_depict(qn_compound *const *compounds, size_t count, char **svg, const char **why);

#endif
