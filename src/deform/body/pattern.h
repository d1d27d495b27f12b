/* The pattern of K of a body, and where elements add to it. */
#ifndef QN_DEFORM_BODY_PATTERN_H
#define QN_DEFORM_BODY_PATTERN_H

#include "deform/body/body.h"

/* Set body->pattern, freedom_count, pair_blocks, incident_start and incident from its mesh. */
QN_MUST_CHECK qn_status qn_pattern_make(qn_body *body);
void qn_pattern_clear(qn_body *body);

#endif
