/* Residual and tangent of bodies in double precision: against closed forms, differences of each other and of the
 * potential, in both orders, both forms and both materials. */
#include "check.h"

#include <math.h>
#include <stdio.h>

#include "deform/body/body.h"
#include "deform/body/tests/box_mesh.h"
#include "math/rotation.h"
#include "math/symmetric.h"

enum { FREEDOMS_MAX = 4 * BOX_NODES_MAX };

typedef struct body_case {
    const char *material;
    int order;
    bool mixed;
} body_case;

static const body_case cases[] = {
    {"svk:10000,0.45", 1, false},
    {"svk:10000,0.45", 2, false},
    {"mooney-rivlin:1400,280,20000", 1, false},
    {"mooney-rivlin:1400,280,20000", 2, false},
    {"mooney-rivlin:1400,280,200000", 1, true},
    {"mooney-rivlin:1400,280,inf", 1, true},
    {"mooney-rivlin:1400,280,200000", 2, true},
};
enum { CASES = sizeof cases / sizeof *cases };

static box_mesh box;
static double x[FREEDOMS_MAX], r[FREEDOMS_MAX], other[FREEDOMS_MAX], shifted[FREEDOMS_MAX];

static qn_body *make_body(const body_case *c, const int counts[3], double side, double shift)
{
    qn_material material;
    qn_body *body = NULL;
    box_make(&box, counts, side, shift, c->order);
    CHECK_OK(qn_material_parse(c->material, &material));
    if (!CHECK_OK(qn_body_create(&box.mesh, &material, c->mixed, &body))) exit(check_finish());
    return body;
}

/* u = A X + t and a constant pressure. */
static void set_affine(const qn_body *body, const double a[9], const double t[3], double pressure)
{
    for (size_t k = 0; k < body->mesh->node_count; k++) {
        double *at = x + body->pattern.first_freedom[k];
        const double *place = body->mesh->positions + 3 * k;
        for (int i = 0; i < 3; i++)
            at[i] = t[i] + a[3 * i] * place[0] + a[3 * i + 1] * place[1] + a[3 * i + 2] * place[2];
        if (body->pattern.size[k] == 4) at[3] = pressure;
    }
}

/* A state with displacements up to `size` (m) and pressures up to `pressure` (Pa). */
static void set_random(const qn_body *body, double size, double pressure, double *to)
{
    for (size_t k = 0; k < body->freedom_count; k++) to[k] = box_random(5, k) * (body->sign[k] > 0 ? size : pressure);
}

static double determinant(const double m[9])
{
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

static const double gradient[9] = {0.11, 0.07, -0.05, 0.04, -0.09, 0.13, -0.02, 0.06, 0.08};

static double volume_ratio(const double g[9])
{
    double f[9];
    for (int k = 0; k < 9; k++) f[k] = g[k] + (k % 4 == 0);
    return determinant(f);
}

/* Equilibrium of inner nodes under an affine displacement, for any placement of them. */
static void affine_displacements_pass_the_patch_test(void)
{
    static const double shift[3] = {0.1, -0.2, 0.3};
    for (int c = 0; c < CASES; c++) {
        qn_body *body = make_body(&cases[c], (const int[]){3, 3, 3}, 0.02, 0.15);
        const double change = volume_ratio(gradient) - 1;
        double scale = 0, worst = 0, worst_volume = 0;
        const bool rigid = isinf(body->material.kappa);
        set_affine(body, gradient, shift, rigid ? 321 : body->material.kappa * change);
        qn_body_residual(body, x, r, NULL);
        for (size_t k = 0; k < body->mesh->node_count; k++) {
            const double *at = r + body->pattern.first_freedom[k];
            for (int i = 0; i < 3; i++) {
                scale = fmax(scale, fabs(at[i]));
                if (box.inner[k]) worst = fmax(worst, fabs(at[i]));
            }
            if (body->pattern.size[k] == 4 && !rigid) worst_volume = fmax(worst_volume, fabs(at[3]));
        }
        if (!CHECK(scale > 1e-3 && worst < 1e-12 * scale) || !CHECK(worst_volume < 1e-12 * body->volume))
            fprintf(stderr, "case %d: %g of %g, %g\n", c, worst, scale, worst_volume);
        qn_body_destroy(&body);
    }
}

static void rigid_motions_give_no_force(void)
{
    double rotation[9], g[9];
    qn_rotation_from_seed(3, rotation);
    for (int k = 0; k < 9; k++) g[k] = rotation[k] - (k % 4 == 0);
    for (int c = 0; c < CASES; c++) {
        qn_body *body = make_body(&cases[c], (const int[]){2, 2, 1}, 0.02, 0.1);
        const double scale = body->material.mu * pow(body->volume, 2.0 / 3);
        qn_body_measures measures;
        double worst = 0;
        set_affine(body, g, (const double[]){0.05, 0.02, -0.07}, 0);
        qn_body_residual(body, x, r, &measures);
        for (size_t k = 0; k < body->freedom_count; k++)
            worst = fmax(worst, fabs(r[k]) / (body->sign[k] > 0 ? scale : body->volume));
        if (!CHECK(worst < 1e-12)) fprintf(stderr, "case %d: %g\n", c, worst);
        CHECK_NEAR(measures.least_volume, 1, 1e-12);
        CHECK_NEAR(measures.least_stretch, 1, 1e-7);
        CHECK_NEAR(measures.energy, 0, 1e-12 * body->material.mu * body->volume);
        qn_body_destroy(&body);
    }
}

/* y = K d with the blocks of the lower triangle. */
static void multiply(const qn_body *body, const double *values, const double *d, double *y)
{
    const qn_block_pattern *pattern = &body->pattern;
    memset(y, 0, body->freedom_count * sizeof *y);
    for (size_t i = 0; i < pattern->node_count; i++)
        for (uint32_t k = pattern->row_start[i]; k < pattern->row_start[i + 1]; k++) {
            const size_t j = pattern->column[k];
            const double *block = values + pattern->block_start[k];
            for (size_t a = 0; a < pattern->size[i]; a++)
                for (size_t b = 0; b < pattern->size[j]; b++) {
                    const size_t row = pattern->first_freedom[i] + a, column = pattern->first_freedom[j] + b;
                    y[row] += block[a * pattern->size[j] + b] * d[column];
                    if (i != j) y[column] += block[a * pattern->size[j] + b] * d[row];
                }
        }
}

static double largest_difference(const qn_body *body, const double *a, const double *b, int sign)
{
    double largest = 0, scale = 0;
    for (size_t k = 0; k < body->freedom_count; k++) {
        if (body->sign[k] != sign) continue;
        scale = fmax(scale, fabs(b[k]));
        largest = fmax(largest, fabs(a[k] - b[k]));
    }
    return scale > 0 ? largest / scale : largest;
}

/* (r(x + h d) − r(x − h d)) / 2h for a direction d. */
static void difference_residual(const qn_body *body, const double *d, double h, double *out)
{
    for (size_t k = 0; k < body->freedom_count; k++) shifted[k] = x[k] + h * d[k];
    qn_body_residual(body, shifted, out, NULL);
    for (size_t k = 0; k < body->freedom_count; k++) shifted[k] = x[k] - h * d[k];
    qn_body_residual(body, shifted, r, NULL);
    for (size_t k = 0; k < body->freedom_count; k++) out[k] = (out[k] - r[k]) / (2 * h);
}

static void move_middles(const body_case *c)
{
    if (c->order != 2) return;
    for (size_t k = 0; k < 3 * box.mesh.node_count; k++) box.positions[k] += 0.0005 * box_random(9, k);
}

/* Displacements and pressures alone and together; the middles of edges are moved too, so that elements are curved. */
static void tangent_is_the_derivative_of_the_residual(void)
{
    static double d[FREEDOMS_MAX], product[FREEDOMS_MAX];
    for (int c = 0; c < CASES; c++) {
        qn_material material;
        qn_body *body = NULL;
        box_make(&box, (const int[]){2, 1, 2}, 0.02, 0.1, cases[c].order);
        move_middles(&cases[c]);
        CHECK_OK(qn_material_parse(cases[c].material, &material));
        if (!CHECK_OK(qn_body_create(&box.mesh, &material, cases[c].mixed, &body))) continue;
        const qn_block_pattern *pattern = &body->pattern;
        double *values = calloc(pattern->block_start[pattern->row_start[pattern->node_count]], sizeof *values);
        set_random(body, 0.002 / cases[c].order, 700, x);
        qn_body_tangent(body, x, values);
        for (int direction = 0; direction < 3; direction++) {
            for (size_t k = 0; k < body->freedom_count; k++)
                d[k] = body->sign[k] > 0 ? (direction == 1 ? 0 : 0.001 * box_random(6, k))
                                         : (direction == 2 ? 0 : 500 * box_random(6, k));
            multiply(body, values, d, product);
            difference_residual(body, d, 1e-4, other);
            const double error = largest_difference(body, product, other, 1);
            const double error_volume = largest_difference(body, product, other, -1);
            if (!CHECK(error < 1e-6 && error_volume < 1e-6))
                fprintf(stderr, "case %d, direction %d: %g, %g\n", c, direction, error, error_volume);
        }
        for (size_t i = 0; i < pattern->node_count; i++) {
            const double *block = values + pattern->block_start[pattern->row_start[i + 1] - 1];
            const int size = pattern->size[i];
            for (int a = 0; a < size; a++)
                for (int b = 0; b < a; b++)
                    CHECK_NEAR(block[a * size + b], block[b * size + a], 1e-11 * fabs(block[0]));
        }
        free(values);
        qn_body_destroy(&body);
    }
}

static void residual_is_the_derivative_of_the_potential(void)
{
    static double d[FREEDOMS_MAX];
    for (int c = 0; c < CASES; c++) {
        qn_body *body = make_body(&cases[c], (const int[]){2, 1, 2}, 0.02, 0.1);
        for (int part = 0; part < 2; part++) {
            const double h = 1e-4;
            qn_body_measures above, below;
            double slope = 0;
            set_random(body, 0.002 / cases[c].order, 700, x);
            for (size_t k = 0; k < body->freedom_count; k++)
                d[k] = body->sign[k] > 0 ? (part ? 0 : 0.001 * box_random(6, k)) : (part ? 500 * box_random(6, k) : 0);
            qn_body_residual(body, x, r, NULL);
            for (size_t k = 0; k < body->freedom_count; k++) slope += r[k] * d[k];
            for (size_t k = 0; k < body->freedom_count; k++) shifted[k] = x[k] + h * d[k];
            qn_body_residual(body, shifted, other, &above);
            for (size_t k = 0; k < body->freedom_count; k++) shifted[k] = x[k] - h * d[k];
            qn_body_residual(body, shifted, other, &below);
            CHECK_NEAR((above.energy - below.energy) / (2 * h), slope, 1e-6 * fabs(slope) + 1e-12);
        }
        qn_body_destroy(&body);
    }
}

static void both_forms_agree_where_pressure_is_uniform(void)
{
    const body_case one = {"mooney-rivlin:1400,280,30000", 1, false}, two = {"mooney-rivlin:1400,280,30000", 1, true};
    for (int order = 1; order <= 2; order++) {
        static double plain[FREEDOMS_MAX];
        qn_body_measures measures, mixed_measures;
        body_case c = one, m = two;
        c.order = m.order = order;
        qn_body *body = make_body(&c, (const int[]){2, 2, 2}, 0.02, 0.1);
        set_affine(body, gradient, (const double[]){0, 0, 0}, 0);
        qn_body_residual(body, x, plain, &measures);
        qn_body_destroy(&body);
        body = make_body(&m, (const int[]){2, 2, 2}, 0.02, 0.1);
        set_affine(body, gradient, (const double[]){0, 0, 0}, 30000 * (volume_ratio(gradient) - 1));
        qn_body_residual(body, x, r, &mixed_measures);
        for (size_t k = 0; k < box.mesh.node_count; k++)
            for (size_t i = 0; i < 3; i++) CHECK_NEAR(r[body->pattern.first_freedom[k] + i], plain[3 * k + i], 1e-12);
        CHECK_NEAR(mixed_measures.energy, measures.energy, 1e-12 * measures.energy);
        CHECK_NEAR(measures.least_volume, volume_ratio(gradient), 1e-12);
        qn_body_destroy(&body);
    }
}

/* Sum of r over the nodes of the face x = length; the box is 2 × 1 × 1 cubes of side 0.02. */
static void face_force(const qn_body *body, double force[3])
{
    memset(force, 0, 3 * sizeof *force);
    for (size_t k = 0; k < body->mesh->node_count; k++)
        if (box.grid[3 * k] > 0.04 - 1e-9)
            for (size_t i = 0; i < 3; i++) force[i] += r[body->pattern.first_freedom[k] + i];
}

/* An incompressible bar in tension: σ = 2 (λ² − 1/λ) (c10 + c01/λ), p = σ/3 so that its sides are free; the force is
 * σ/λ times the area before. W = c10 (I1 − 3) + c01 (I2 − 3). */
static void a_stretched_bar_has_its_closed_form(void)
{
    const double c10 = 1400, c01 = 280, area = 0.02 * 0.02;
    for (int order = 1; order <= 2; order++)
        for (double stretch = 0.7; stretch < 2; stretch += 0.4) {
            const body_case c = {"mooney-rivlin:1400,280,inf", order, true};
            qn_body *body = make_body(&c, (const int[]){2, 1, 1}, 0.02, 0);
            const double across = 1 / sqrt(stretch), square = stretch * stretch;
            const double stress = 2 * (square - 1 / stretch) * (c10 + c01 / stretch);
            const double energy = c10 * (square + 2 / stretch - 3) + c01 * (2 * stretch + 1 / square - 3);
            const double g[9] = {stretch - 1, 0, 0, 0, across - 1, 0, 0, 0, across - 1};
            qn_body_measures measures;
            double force[3];
            set_affine(body, g, (const double[]){0.1, 0, 0}, stress / 3);
            qn_body_residual(body, x, r, &measures);
            face_force(body, force);
            CHECK_NEAR(force[0], stress / stretch * area, 1e-11);
            CHECK_NEAR(force[1], 0, 1e-12);
            CHECK_NEAR(force[2], 0, 1e-12);
            CHECK_NEAR(measures.energy, energy * body->volume, 1e-12 * energy * body->volume + 1e-15);
            CHECK_NEAR(measures.least_stretch, fmin(stretch, across), 1e-7);
            for (size_t k = 0; k < body->freedom_count; k++)
                if (body->sign[k] < 0) CHECK_NEAR(r[k], 0, 1e-18);
            qn_body_destroy(&body);
        }
}

/* The stabilisation of an element is (1/μ) ∫ (N_a − ¼)(N_b − ¼): its trace is 4 (1/10 − 1/16) V/μ. Without it and in
 * order 2 the trace is ∫ Σ N_a² / κ = 4/10 V/κ. */
static void pressures_have_their_matrix(void)
{
    const double kappa = 5000, mu = 3360;
    for (int c = 0; c < 3; c++) {
        const body_case one = {c == 1 ? "mooney-rivlin:1400,280,inf" : "mooney-rivlin:1400,280,5000", c == 2 ? 2 : 1,
                               true};
        const double expected[3] = {0.15 / mu + 0.4 / kappa, 0.15 / mu, 0.4 / kappa};
        qn_body *body = make_body(&one, (const int[]){2, 1, 1}, 0.02, 0);
        const qn_block_pattern *pattern = &body->pattern;
        double *values = calloc(pattern->block_start[pattern->row_start[pattern->node_count]], sizeof *values);
        double trace = 0;
        memset(x, 0, sizeof x);
        qn_body_tangent(body, x, values);
        for (size_t i = 0; i < pattern->node_count; i++)
            if (pattern->size[i] == 4) trace += values[pattern->block_start[pattern->row_start[i + 1]] - 1];
        CHECK_NEAR(trace, -expected[c] * body->volume, 1e-12 * expected[c] * body->volume);
        free(values);
        qn_body_destroy(&body);
    }
}

/* svk under uniaxial strain: E11 = (s² − 1)/2, P11 = s (λ + 2μ) E11, W = (λ/2 + μ) E11². */
static void uniaxial_strain_of_svk_has_its_closed_form(void)
{
    const double young = 10000, poisson = 0.45, stretch = 0.8, strain = (stretch * stretch - 1) / 2;
    const double lambda = young * poisson / (1 + poisson) / (1 - 2 * poisson), mu = young / 2 / (1 + poisson);
    for (int order = 1; order <= 2; order++) {
        const body_case c = {"svk:10000,0.45", order, false};
        qn_body *body = make_body(&c, (const int[]){2, 1, 1}, 0.02, 0);
        const double g[9] = {stretch - 1};
        const double energy = (lambda / 2 + mu) * strain * strain * body->volume;
        qn_body_measures measures;
        double force[3];
        set_affine(body, g, (const double[]){0, 0, 0}, 0);
        qn_body_residual(body, x, r, &measures);
        face_force(body, force);
        CHECK_NEAR(force[0], stretch * (lambda + 2 * mu) * strain * 0.0004, 1e-11);
        CHECK_NEAR(measures.energy, energy, 1e-12 * energy);
        CHECK_NEAR(body->volume, 2 * 8e-6, 1e-17);
        qn_body_destroy(&body);
    }
}

/* At rest both materials are linear elasticity with the same Young's modulus and Poisson's ratio. */
static void materials_agree_at_rest(void)
{
    qn_material mooney, svk;
    CHECK_OK(qn_material_parse("mooney-rivlin:1400,280,20000", &mooney));
    const double poisson = qn_material_poisson(&mooney), young = 2 * mooney.mu * (1 + poisson);
    char text[100];
    snprintf(text, sizeof text, "svk:%.17g,%.17g", young, poisson);
    CHECK_OK(qn_material_parse(text, &svk));
    CHECK_NEAR(svk.lambda + 2.0 / 3 * svk.mu, 20000, 1e-6);
    for (int order = 1; order <= 2; order++) {
        qn_body *bodies[2];
        double *values[2], scale = 0;
        box_make(&box, (const int[]){2, 1, 1}, 0.02, 0.1, order);
        for (int b = 0; b < 2; b++) {
            CHECK_OK(qn_body_create(&box.mesh, b ? &svk : &mooney, false, &bodies[b]));
            const qn_block_pattern *pattern = &bodies[b]->pattern;
            values[b] = calloc(pattern->block_start[pattern->row_start[pattern->node_count]], sizeof(double));
            memset(x, 0, sizeof x);
            qn_body_tangent(bodies[b], x, values[b]);
        }
        const size_t count = bodies[0]->pattern.block_start[bodies[0]->pattern.row_start[box.mesh.node_count]];
        for (size_t k = 0; k < count; k++) scale = fmax(scale, fabs(values[1][k]));
        for (size_t k = 0; k < count; k++) CHECK_NEAR(values[0][k], values[1][k], 1e-12 * scale);
        for (int b = 0; b < 2; b++) {
            free(values[b]);
            qn_body_destroy(&bodies[b]);
        }
    }
}

static void least_stretch_is_that_of_the_eigenvalues(void)
{
    for (uint64_t k = 0; k < 200; k++) {
        double g[9], c[9], values[3], vectors[9];
        for (uint64_t i = 0; i < 9; i++) g[i] = box_random(20, 9 * k + i) * (k % 3 ? 0.3 : 1e-5);
        if (k == 7) memset(g, 0, sizeof g);
        if (k == 8) memset(g + 1, 0, 8 * sizeof *g);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                c[3 * i + j] = 0;
                for (int m = 0; m < 3; m++) c[3 * i + j] += (g[3 * m + i] + (m == i)) * (g[3 * m + j] + (m == j));
            }
        qn_symmetric_eigen(c, 3, values, vectors);
        CHECK_NEAR(qn_body_least_stretch(g), sqrt(fmax(values[0], 0)), 1e-7);
    }
}

/* The least of all points, most of which are passed over, of states in single precision. */
static void stretch_of_a_state_is_that_of_its_points(void)
{
    for (int c = 0; c < CASES; c++) {
        qn_body *body = make_body(&cases[c], (const int[]){3, 2, 2}, 0.02, 0.1);
        float *single = calloc(body->freedom_count, sizeof *single);
        for (uint64_t k = 0; k < 20; k++) {
            qn_body_measures measures;
            const double reach = k == 0 ? 0 : k % 2 ? 0.002 : 1e-6;
            for (size_t i = 0; i < body->freedom_count; i++) {
                single[i] = (float)(reach * box_random(21, k * body->freedom_count + i));
                x[i] = (double)single[i];
            }
            qn_body_residual(body, x, r, &measures);
            CHECK_NEAR(qn_body_state_stretch(body, single), measures.least_stretch, 1e-7);
        }
        free(single);
        qn_body_destroy(&body);
    }
}

/* Every pair of nodes of an element has one block, rows ascend, and the diagonal comes last. */
static void pattern_has_the_pairs_of_elements(void)
{
    static bool shared[400][400];
    qn_body *body = make_body(&cases[6], (const int[]){2, 2, 1}, 0.02, 0);
    const qn_block_pattern *pattern = &body->pattern;
    size_t pairs = 0;
    if (!CHECK(pattern->node_count <= 400)) return;
    for (size_t e = 0; e < box.mesh.element_count; e++)
        for (int a = 0; a < 10; a++)
            for (int b = 0; b < 10; b++) shared[box.elements[10 * e + a]][box.elements[10 * e + b]] = true;
    for (size_t i = 0; i < pattern->node_count; i++)
        for (size_t j = 0; j <= i; j++) pairs += shared[i][j];
    CHECK(pattern->row_start[pattern->node_count] == pairs);
    for (size_t i = 0; i < pattern->node_count; i++)
        for (uint32_t k = pattern->row_start[i]; k < pattern->row_start[i + 1]; k++) {
            const uint32_t j = pattern->column[k];
            CHECK(shared[i][j] && j <= i && (k == pattern->row_start[i] || pattern->column[k - 1] < j));
            CHECK(pattern->block_start[k + 1] - pattern->block_start[k] ==
                  (uint32_t)pattern->size[i] * pattern->size[j]);
            CHECK((j == i) == (k + 1 == pattern->row_start[i + 1]));
        }
    qn_body_destroy(&body);
}

static void impossible_bodies_are_refused(void)
{
    static const char *const wrong[] = {
        "svk:0,0.4", "svk:1,0.5", "svk:1", "svk:1,0.4,3",         "mooney-rivlin:1,-1,5", "neo:1,2",
        "svk:1,-1",  "svk:nan,0", "",      "mooney-rivlin:1,2,0", "svk:1e4,inf",          "mooney-rivlin:inf,1,2"};
    qn_material material;
    qn_body *body = NULL;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        CHECK_FAILS(qn_material_parse(wrong[k], &material), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_material_parse("svk:1000,0.6", &material), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("ratio of 0.6; expected");
    box_make(&box, (const int[]){1, 1, 1}, 0.02, 0, 1);
    CHECK_OK(qn_material_parse("svk:1000,0.4", &material));
    CHECK_FAILS(qn_body_create(&box.mesh, &material, true, &body), QN_INVALID_ARGUMENT);
    CHECK_OK(qn_material_parse("mooney-rivlin:1400,280,inf", &material));
    CHECK(qn_material_poisson(&material) == 0.5);
    CHECK_FAILS(qn_body_create(&box.mesh, &material, false, &body), QN_INVALID_ARGUMENT);
    const uint32_t held = box.elements[8];
    box.elements[8] = box.elements[9];
    box.elements[9] = held;
    CHECK_FAILS(qn_body_create(&box.mesh, &material, true, &body), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("element 3 has a volume of -");
    CHECK(body == NULL);
}

int main(void)
{
    RUN(affine_displacements_pass_the_patch_test);
    RUN(rigid_motions_give_no_force);
    RUN(tangent_is_the_derivative_of_the_residual);
    RUN(residual_is_the_derivative_of_the_potential);
    RUN(both_forms_agree_where_pressure_is_uniform);
    RUN(a_stretched_bar_has_its_closed_form);
    RUN(pressures_have_their_matrix);
    RUN(uniaxial_strain_of_svk_has_its_closed_form);
    RUN(materials_agree_at_rest);
    RUN(least_stretch_is_that_of_the_eigenvalues);
    RUN(stretch_of_a_state_is_that_of_its_points);
    RUN(pattern_has_the_pairs_of_elements);
    RUN(impossible_bodies_are_refused);
    return check_finish();
}
