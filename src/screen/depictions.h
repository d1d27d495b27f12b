/* Drawings of molecules by Open Babel (`obabel`), which is a program of its own that may be there or not. */
#ifndef QN_SCREEN_DEPICTIONS_H
#define QN_SCREEN_DEPICTIONS_H

#include "model/compound.h"

enum { QN_DEPICTION_TIMEOUT_S = 60 }; /* for all of them; usual is a second */

/* SVG documents of compounds, drawn flat by one process: svg[i] (released with qn_release) is that of compounds[i],
 * NULL where none came. *why is NULL, or in a few words why there are none at all ("is not installed"); that is no
 * error. Names of compounds go nowhere near the drawings. */
QN_MUST_CHECK qn_status qn_screen_depict(qn_compound *const *compounds, size_t count, char **svg, const char **why);

#endif
