/* Residuals and tangents of many states of one body. Numbers of a batch are [entry][state]; neighbouring work-items
 * have neighbouring states, and read what all states share (gradients, indices) together.
 *
 * Every sum has one owner, which adds in a fixed order: a node's force over its elements, a block of the tangent over
 * the elements that have both its nodes, by rising element. So a state's results depend on no other state and on no
 * tunable. FUSED: an owner forms the displacement gradient of a point of an element from displacements; else it reads
 * the one that `points` stored. */
#include "deform/body/kernels/elements.dev.h"

#ifndef STATES
#error "STATES: states of a group"
#endif
#ifndef OWNERS
#error "OWNERS: elements, nodes or blocks of a group"
#endif
#ifndef FUSED
#error "FUSED: 1: owners form displacement gradients; 0: they read them"
#endif
#ifndef ORDER
#error "ORDER: of the elements, 1 or 2"
#endif
#ifndef MIXED
#error "MIXED: 1: corners have pressures"
#endif
#ifndef MOONEY
#error "MOONEY: 0: St Venant-Kirchhoff; 1: Mooney-Rivlin"
#endif

#define NODES (ORDER == 1 ? 4 : 10)
#define POINTS (ORDER == 1 ? 1 : 4)
#define STORED (9 + MIXED)

/* The batch as a work-item sees it: x and stored begin at its state. */
typedef struct elements_view {
    elements_numbers n;
    GLOBAL const int *nodes, *first;
    GLOBAL const float *gradients, *weights, *x, *stored;
} elements_view;

DEVICE_FN float freedom(const elements_view *v, int node, int component)
{
    return v->x[(qn_int64)(v->first[node] + component) * v->n.stride];
}

/* G at a point of an element, and in the mixed form the pressure there, from displacements. */
DEVICE_FN void form_gradient(const elements_view *v, int element, int point, float *g, float *pressure)
{
    UNROLL
    for (int k = 0; k < 9; k++) g[k] = 0.0f;
    *pressure = 0.0f;
    for (int a = 0; a < NODES; a++) {
        const int node = v->nodes[element * NODES + a];
        GLOBAL const float *from = v->gradients + 3 * (qn_int64)((element * POINTS + point) * NODES + a);
        const float gradient[3] = {from[0], from[1], from[2]};
        const float u[3] = {freedom(v, node, 0), freedom(v, node, 1), freedom(v, node, 2)};
        elements_add_gradient(u, gradient, g);
#if MIXED
        const float shape = ORDER == 1 ? 0.25f : elements_shape(point, a);
        if (a < 4) *pressure = FMA(shape, freedom(v, node, 3), *pressure);
#endif
    }
}

DEVICE_FN void find_gradient(const elements_view *v, int element, int point, float *g, float *pressure)
{
#if FUSED
    form_gradient(v, element, point, g, pressure);
#else
    GLOBAL const float *from = v->stored + (qn_int64)(element * POINTS + point) * STORED * v->n.stride;
    UNROLL
    for (int k = 0; k < 9; k++) g[k] = from[(qn_int64)k * v->n.stride];
    *pressure = MIXED ? from[(qn_int64)(STORED - 1) * v->n.stride] : 0.0f;
#endif
}

DEVICE_FN void read_gradient(const elements_view *v, int element, int point, int node, float *gradient)
{
    GLOBAL const float *from = v->gradients + 3 * (qn_int64)((element * POINTS + point) * NODES + node);
    UNROLL
    for (int j = 0; j < 3; j++) gradient[j] = from[j];
}

/* Energy density of a point and J − 1. */
DEVICE_FN float find_energy(const elements_numbers *n, const float *g, float pressure, float *change)
{
#if MOONEY
    elements_mooney m;
    elements_mooney_make(n, g, &m);
    *change = m.change;
    const float energy = elements_mooney_energy(n, &m);
    return MIXED ? FMA(pressure, m.change, energy) : FMA(0.5f * n->kappa * m.change, m.change, energy);
#else
    *change = elements_volume_change(g);
    return elements_svk_energy(n, g);
#endif
}

/* Minus half of an element's pressures times their matrix, over the weight of the point. */
DEVICE_FN float pressure_energy(const elements_view *v, int element, float pressure)
{
    if (ORDER == 2) return -0.5f * v->n.inverse_kappa * pressure * pressure;
    const float sum = 4.0f * pressure;
    float square = 0.0f;
    for (int a = 0; a < 4; a++) {
        const float p = freedom(v, v->nodes[element * NODES + a], 3);
        square = FMA(p, p, square);
    }
    return -0.5f * FMA(v->n.each * sum, sum, v->n.same * square);
}

/* Store the displacement gradients and pressures of points: [element][point][STORED][stride], and the measures of
 * elements: [2][element][stride], energy and least J. */
KERNEL GROUP_LIMIT(STATES, OWNERS, 1) void points(elements_numbers n, GLOBAL const int *RESTRICT nodes,
                                                  GLOBAL const int *RESTRICT first,
                                                  GLOBAL const float *RESTRICT gradients,
                                                  GLOBAL const float *RESTRICT weights, GLOBAL const float *RESTRICT x,
                                                  GLOBAL float *RESTRICT stored, GLOBAL float *RESTRICT measures)
{
    const int state = GLOBAL_ID(0), element = GLOBAL_ID(1);
    if (state >= n.stride || element >= n.elements) return;
    const elements_view v = {n, nodes, first, gradients, weights, x + state, stored + state};
    const bool used = state < n.count;
    float energy = 0.0f, least = 0.0f;
    for (int q = 0; q < POINTS; q++) {
        float g[9] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f}, pressure = 0.0f;
        GLOBAL float *to = stored + (qn_int64)(element * POINTS + q) * STORED * n.stride + state;
        if (used) {
            float change;
            form_gradient(&v, element, q, g, &pressure);
            float density = find_energy(&v.n, g, pressure, &change);
            if (MIXED) density = density + pressure_energy(&v, element, pressure);
            energy = FMA(weights[element * POINTS + q], density, energy);
            least = q == 0 ? 1.0f + change : FMIN(least, 1.0f + change);
        }
        UNROLL
        for (int k = 0; k < 9; k++) to[(qn_int64)k * n.stride] = g[k];
        if (MIXED) to[(qn_int64)(STORED - 1) * n.stride] = pressure;
    }
    measures[(qn_int64)element * n.stride + state] = energy;
    measures[(qn_int64)(n.elements + element) * n.stride + state] = least;
}

/* Measures of states, [2][stride], of those of elements. A chunk of elements is added up in order, then the chunks. */
KERNEL GROUP_LIMIT(ELEMENTS_MEASURED, ELEMENTS_CHUNKS, 1) void measure(elements_numbers n,
                                                                       GLOBAL const float *RESTRICT measures,
                                                                       GLOBAL float *RESTRICT result)
{
    LOCAL float energies[ELEMENTS_CHUNKS * ELEMENTS_MEASURED];
    LOCAL float volumes[ELEMENTS_CHUNKS * ELEMENTS_MEASURED];
    const int state = GLOBAL_ID(0), lane = LOCAL_ID(0), own = LOCAL_ID(1);
    const int end = state < n.stride ? MIN((own + 1) * n.chunk, n.elements) : 0;
    float energy = 0.0f, least = FLOAT_MAXIMUM;
    for (int element = own * n.chunk; element < end; element++) {
        energy = energy + measures[(qn_int64)element * n.stride + state];
        least = FMIN(least, measures[(qn_int64)(n.elements + element) * n.stride + state]);
    }
    energies[own * ELEMENTS_MEASURED + lane] = energy;
    volumes[own * ELEMENTS_MEASURED + lane] = least;
    LOCAL_BARRIER();
    if (own != 0 || state >= n.stride) return;
    energy = 0.0f;
    for (int chunk = 0; chunk < ELEMENTS_CHUNKS; chunk++) {
        energy = energy + energies[chunk * ELEMENTS_MEASURED + lane];
        least = FMIN(least, volumes[chunk * ELEMENTS_MEASURED + lane]);
    }
    result[state] = energy;
    result[n.stride + state] = least;
}

/* ---- Residual ---- */

/* Add the force of a node at a point of an element, and J − 1 and the pressure there for its equation. */
DEVICE_FN void add_force(const elements_view *v, int element, int point, int node, float own, float *part)
{
    const float weight = v->weights[element * POINTS + point];
    float g[9], gradient[3], s[6], force[3], pressure;
    find_gradient(v, element, point, g, &pressure);
    read_gradient(v, element, point, node, gradient);
#if MOONEY
    elements_mooney m;
    float cofactor[9], h[3];
    elements_mooney_make(&v->n, g, &m);
    elements_mooney_stress(&m, MIXED ? pressure : v->n.kappa * m.change, s);
    elements_cofactor(g, cofactor);
    elements_times_shared(cofactor, gradient, h);
    elements_symmetric_times(s, h, force);
#if MIXED && ORDER == 1
    const float matrix = FMA(v->n.each, 4.0f * pressure, v->n.same * own);
    part[3] = FMA(weight, FMA(0.25f, m.change, -matrix), part[3]);
#elif MIXED
    const float sum = FMA(-v->n.inverse_kappa, pressure, m.change);
    if (node < 4) part[3] = FMA(weight * elements_shape(point, node), sum, part[3]);
#endif
#else
    elements_svk_stress(&v->n, g, s);
    elements_svk_force(g, s, gradient, force);
#endif
    UNROLL
    for (int i = 0; i < 3; i++) part[i] = FMA(weight, force[i], part[i]);
}

/* r of a node: [freedom][stride]. incident: of the elements of each node, element << ELEMENTS_NODE_BITS | node. */
KERNEL GROUP_LIMIT(STATES, OWNERS, 1) void residual(elements_numbers n, GLOBAL const int *RESTRICT nodes,
                                                    GLOBAL const int *RESTRICT first,
                                                    GLOBAL const float *RESTRICT gradients,
                                                    GLOBAL const float *RESTRICT weights,
                                                    GLOBAL const float *RESTRICT x, GLOBAL const float *RESTRICT stored,
                                                    GLOBAL const int *RESTRICT incident_start,
                                                    GLOBAL const int *RESTRICT incident, GLOBAL float *RESTRICT r)
{
    const int state = GLOBAL_ID(0), node = GLOBAL_ID(1);
    if (state >= n.stride || node >= n.nodes) return;
    const elements_view v = {n, nodes, first, gradients, weights, x + state, stored + state};
    const int row = first[node], size = first[node + 1] - row;
    float total[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    if (state < n.count) {
        const float own = size == 4 ? freedom(&v, node, 3) : 0.0f;
        for (int k = incident_start[node]; k < incident_start[node + 1]; k++) {
            const int element = incident[k] >> ELEMENTS_NODE_BITS, place = incident[k] & 15;
            float part[4] = {0.0f, 0.0f, 0.0f, 0.0f};
            for (int q = 0; q < POINTS; q++) add_force(&v, element, q, place, own, part);
            UNROLL
            for (int i = 0; i < 4; i++) total[i] = total[i] + part[i];
        }
    }
    for (int i = 0; i < size; i++) r[(qn_int64)(row + i) * n.stride + state] = total[i];
}

/* ---- Tangent ---- */

/* Parts of a block: nine of displacements, three of the row's displacements with the column's pressure, three the other
 * way round, one of both pressures. */
#define PARTS (MIXED ? 16 : 9)

DEVICE_FN void add_block(const elements_view *v, int element, int point, int row, int column, float *part)
{
    const float weight = v->weights[element * POINTS + point];
    float g[9], row_gradient[3], column_gradient[3], pressure;
    find_gradient(v, element, point, g, &pressure);
    read_gradient(v, element, point, row, row_gradient);
    read_gradient(v, element, point, column, column_gradient);
#if MOONEY
    elements_mooney m;
    elements_tangent t;
    elements_node a, b;
    float cofactor[9];
    elements_mooney_make(&v->n, g, &m);
    const float volume = 1.0f + m.change, own = MIXED ? pressure : v->n.kappa * m.change;
    elements_tangent_make(&m, weight, own, v->n.kappa * volume, &t);
    elements_cofactor(g, cofactor);
    elements_node_make(g, cofactor, m.inverse, t.x, row_gradient, &a);
    elements_node_make(g, cofactor, m.inverse, t.x, column_gradient, &b);
    elements_mooney_block(&t, row_gradient, column_gradient, &a, &b, part);
#if MIXED
    const float scale = weight * volume; /* cof F g = J F⁻ᵀ g */
    const float row_shape = ORDER == 1 ? 0.25f : elements_shape(point, row);
    const float column_shape = ORDER == 1 ? 0.25f : elements_shape(point, column);
    UNROLL
    for (int i = 0; i < 3; i++) {
        part[9 + i] = FMA(scale * column_shape, a.y[i], part[9 + i]);
        part[12 + i] = FMA(scale * row_shape, b.y[i], part[12 + i]);
    }
    const float entry = ORDER == 1 ? v->n.each + (row == column ? v->n.same : 0.0f)
                                   : v->n.inverse_kappa * row_shape * column_shape;
    part[15] = FMA(-weight, entry, part[15]);
#endif
#else
    float s[6], left[6], a[3], b[3], stress[3];
    elements_svk_stress(&v->n, g, s);
    elements_left_strain(g, left);
    UNROLL
    for (int k = 0; k < 3; k++) left[k] = left[k] + 1.0f;
    elements_deform(g, row_gradient, a);
    elements_deform(g, column_gradient, b);
    elements_symmetric_times_shared(s, column_gradient, stress);
    elements_svk_block(&v->n, weight, left, row_gradient, column_gradient, a, b, stress, part);
#endif
}

/* K's blocks: [value][stride], those of a block row by row from block_start. pairs: of each block, the elements that
 * have both its nodes. */
KERNEL GROUP_LIMIT(STATES, OWNERS, 1) void tangent(elements_numbers n, GLOBAL const int *RESTRICT nodes,
                                                   GLOBAL const int *RESTRICT first,
                                                   GLOBAL const float *RESTRICT gradients,
                                                   GLOBAL const float *RESTRICT weights, GLOBAL const float *RESTRICT x,
                                                   GLOBAL const float *RESTRICT stored,
                                                   GLOBAL const int *RESTRICT pair_start,
                                                   GLOBAL const int *RESTRICT pairs,
                                                   GLOBAL const int *RESTRICT block_start, GLOBAL float *RESTRICT values)
{
    const int state = GLOBAL_ID(0), block = GLOBAL_ID(1);
    if (state >= n.stride || block >= n.blocks) return;
    const elements_view v = {n, nodes, first, gradients, weights, x + state, stored + state};
    const int begin = pair_start[block], end = pair_start[block + 1];
    float total[PARTS];
    UNROLL
    for (int i = 0; i < PARTS; i++) total[i] = 0.0f;
    for (int k = begin; state < n.count && k < end; k++) {
        const int element = pairs[k] >> ELEMENTS_PAIR_BITS, row = pairs[k] >> 4 & 15, column = pairs[k] & 15;
        float part[PARTS];
        UNROLL
        for (int i = 0; i < PARTS; i++) part[i] = 0.0f;
        for (int q = 0; q < POINTS; q++) add_block(&v, element, q, row, column, part);
        UNROLL
        for (int i = 0; i < PARTS; i++) total[i] = total[i] + part[i];
    }
    GLOBAL float *to = values + (qn_int64)block_start[block] * n.stride + state;
#if MIXED
    const bool row_corner = begin < end && (pairs[begin] >> 4 & 15) < 4;
    const bool column_corner = begin < end && (pairs[begin] & 15) < 4;
    const int width = column_corner ? 4 : 3;
#else
    const int width = 3;
#endif
    UNROLL
    for (int i = 0; i < 3; i++) {
        UNROLL
        for (int j = 0; j < 3; j++) to[(qn_int64)(i * width + j) * n.stride] = total[3 * i + j];
    }
#if MIXED
    UNROLL
    for (int i = 0; i < 3; i++) {
        if (column_corner) to[(qn_int64)(i * width + 3) * n.stride] = total[9 + i];
        if (row_corner) to[(qn_int64)(3 * width + i) * n.stride] = total[12 + i];
    }
    if (row_corner && column_corner) to[(qn_int64)(3 * width + 3) * n.stride] = total[15];
#endif
}
