/* The best molecules with their kept poses, for hits.sdf, hits.pdbqt and results in memory. */
#ifndef QN_SCREEN_HITS_H
#define QN_SCREEN_HITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct qn_screen_state;

/* A molecule and its poses, best first. */
typedef struct qn_screen_hit {
    size_t place; /* in run->rows */
    uint64_t index;
    struct qn_screen_kept *poses;
    struct qn_flexible_pose *states; /* of a flexible molecule, one for each pose; NULL: rigid */
    int pose_count;
    size_t library, line;
    char *made; /* record that Open Babel made (molecule.h); NULL: the record is in the library */
    size_t made_size;
    size_t atom_count;
    double *positions; /* [pose_count][atom_count][3] (Å) */
    qn_text *records;  /* pose_count SDF records */
    qn_text *models;   /* of a flexible molecule, pose_count PDBQT texts, between MODEL and ENDMDL */
} qn_screen_hit;

typedef struct qn_screen_hits {
    qn_screen_hit *hits; /* best first */
    size_t count;
} qn_screen_hits;

/* Find the poses of the first options->top rows. Reads these molecules from the libraries a second time. Clear `hits`
 * after a failure too. QN_INVALID_ARGUMENT: the libraries changed during the run. */
QN_MUST_CHECK qn_status qn_screen_hits_make(const struct qn_screen_state *run, qn_screen_hits *hits);
void qn_screen_hits_clear(qn_screen_hits *hits);

#endif
