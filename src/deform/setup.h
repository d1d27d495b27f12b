/* The common beginning of every action: mesh, sets, material, body and problem of the options. */
#ifndef QN_DEFORM_SETUP_H
#define QN_DEFORM_SETUP_H

#include <quern/deform.h>

#include "deform/state/state.h"
#include "job/job.h"
#include "model/mesh.h"

/* A set of nodes as indices, ascending. */
typedef struct qn_node_set {
    uint32_t *nodes;
    size_t count;
} qn_node_set;

typedef struct qn_deform_setup {
    const qn_deform_options *options;
    const char *name; /* of the mesh, in messages */
    qn_mesh *own;     /* as it was read; NULL: it is in memory */
    const qn_mesh *given;
    qn_mesh *mesh; /* refined, and of the order `order` */
    int order;
    qn_mesh_surface surface;
    qn_material material;
    bool mixed, mean;
    qn_node_set fixed, held;
    qn_body *body;
    qn_problem *problem;
    double size[3]; /* of the mesh along each axis, m */
} qn_deform_setup;

/* Read and check everything that the options name, and add it to the key of the job. Errors as of qn_deform_solve.
 * qn_deform_setup_clear must be called after a failure too. */
QN_MUST_CHECK qn_status qn_deform_setup_make(qn_job *job, const qn_deform_options *options, qn_deform_setup *setup);

/* The same with a given order of the mesh, without a job: for the comparison of orders. */
QN_MUST_CHECK qn_status qn_deform_setup_other_order(const qn_deform_setup *from, int order, qn_deform_setup *setup);

/* SHA-256 of positions and elements. */
void qn_deform_mesh_digest(const qn_mesh *mesh, char digest[65]);

void qn_deform_setup_clear(qn_deform_setup *setup);

/* Read "X,Y,Z" of an option. QN_INVALID_ARGUMENT. */
QN_MUST_CHECK qn_status qn_deform_read_place(const char *option, const char *text, double place[3]);

#endif
