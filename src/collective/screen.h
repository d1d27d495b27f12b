/* RMSD or dRMSD of a frame from all references on a device, in single precision: tells which references are near.
 *
 * Life cycle: create (copies the references) → measure, frame after frame → destroy. Thread rule: one thread at a time.
 */
#ifndef QN_COLLECTIVE_SCREEN_H
#define QN_COLLECTIVE_SCREEN_H

#include "collective/references.h"

typedef struct qn_collective_screen qn_collective_screen;

QN_MUST_CHECK qn_status qn_collective_screen_create(qn_device *device, const qn_collective_references *references,
                                                    qn_collective_screen **screen);
void qn_collective_screen_destroy(qn_collective_screen **screen);

/* distances[n] becomes the RMSD or dRMSD from reference n; the error is about 1e-6 of the structures' size. `frame`:
 * three rows about the weighted centre. */
QN_MUST_CHECK qn_status qn_collective_screen_measure(qn_collective_screen *screen, bool drmsd, const double *frame,
                                                     double *distances);

#endif
