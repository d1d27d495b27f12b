/* A body: a mesh with a material, discretised by finite elements (total Lagrangian), in double precision.
 *
 * Unknowns ("freedoms") are numbered node by node: three displacements (m), then, in the mixed form at the corners of
 * elements, a pressure (Pa). A state is an array of freedom_count numbers.
 *
 * Potential whose gradient is the residual r and whose second derivatives are the tangent K (symmetric):
 *   displacements only: Π = ∫ W(F);
 *   mixed:              Π = ∫ [W_iso(F) + p (J − 1) − p²/(2κ)] − α/(2μ) ∫ (p − p̄)² (order 1 only; α = 1, p̄ the mean
 *                       over the element).
 * Points of integration: 1 in order 1, where F is constant in an element and integrals of pressures have closed forms;
 * 4 in order 2 (barycentric 0.5854101966249685 and 0.1381966011250105; a quarter of the volume each where the element
 * is straight). In order 2 the pressure is linear. docs/design/deform_forms.md derives residual and tangent. */
#ifndef QN_DEFORM_BODY_BODY_H
#define QN_DEFORM_BODY_BODY_H

#include <quern/mesh.h>
#include <stdint.h>

#include "deform/body/material.h"

/* Which blocks of the symmetric matrix K are stored. Row i has the blocks of node i with its neighbours j ≤ i in
 * ascending order, the diagonal block last and complete. A block has size[i] × size[j] values, row by row. */
typedef struct qn_block_pattern {
    size_t node_count;
    uint8_t *size;           /* freedoms of each node: 3 or 4 */
    uint32_t *first_freedom; /* node_count + 1 */
    uint32_t *row_start;     /* node_count + 1: first block of a row */
    uint32_t *column;        /* of each block */
    uint32_t *block_start;   /* block_count + 1: first value of each block */
} qn_block_pattern;

typedef struct qn_body {
    const qn_mesh *mesh; /* stays the caller's, and outlives the body */
    qn_material material;
    bool mixed;
    int element_nodes; /* 4 or 10 */
    int point_count;   /* points of integration in an element: 1 or 4 */
    size_t freedom_count;
    double *gradients; /* [element][point][node][3]: ∂N/∂X, 1/m */
    double *weights;   /* [element][point]: m³ */
    double volume;     /* m³ */
    qn_block_pattern pattern;
    signed char *sign; /* of each freedom's pivot: 1 displacement, −1 pressure */
    /* The block of two nodes of an element: [element][QN_PAIR(a, b)], a ≥ b, an index into pattern.column. The block's
     * row is the node with the greater index. */
    uint32_t *pair_blocks;
    uint32_t *incident_start; /* node_count + 1 */
    uint32_t *incident;       /* of each node, elements ascending: element * QN_INCIDENT + node of the element */
} qn_body;

enum { QN_INCIDENT = 16, QN_BODY_NODES_MAX = 10, QN_BODY_POINTS_MAX = 4 };

/* Index of a pair of an element's nodes, a ≥ b. */
#define QN_PAIR(a, b) ((a) * ((a) + 1) / 2 + (b))

/* Barycentric coordinates of the four points of integration in order 2: values of the pressure's shape functions. */
extern const double qn_body_points[QN_BODY_POINTS_MAX][4];

/* QN_INVALID_ARGUMENT: κ infinite without pressures, svk with pressures (it has no mixed form), an element whose volume
 * is not positive. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_body_create(const qn_mesh *mesh, const qn_material *material, bool mixed, qn_body **body);
void qn_body_destroy(qn_body **body);

typedef struct qn_body_measures {
    double energy;        /* Π, J: ∫ W without pressures; at equilibrium the stored energy in both forms */
    double least_volume;  /* least J = det F at a point of integration */
    double least_stretch; /* least principal stretch at a point of integration */
} qn_body_measures;

/* r[freedom_count] (N; m³ for pressures) of state x; `measures` may be NULL. A state with J ≤ 0 somewhere gives
 * residuals that need not be finite, and no failure. */
void qn_body_residual(const qn_body *body, const double *x, double *r, qn_body_measures *measures);

/* Least principal stretch of F = I + g, g row by row: within 1e-7, since equal stretches lose half the digits. */
double qn_body_least_stretch(const double g[9]);

/* Least principal stretch at a point of integration of state x in single precision, as qn_body_residual measures it. */
double qn_body_state_stretch(const qn_body *body, const float *x);

/* K's values [pattern.block_start[last]] at state x. */
void qn_body_tangent(const qn_body *body, const double *x, double *values);

#endif
