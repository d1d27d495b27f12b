/* labels: threads */
/* Distances and path variables compared with the formulas in plain double precision, and gradients with differences. */
#include <malloc.h>
#include <math.h>
#include <quern/collective.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "collective/neighbours.h"
#include "math/random.h"
#include "math/rotation.h"
#include "math/superpose.h"

enum { ATOMS = 37, REFERENCES = 11, NUMBERS = 3 * ATOMS };

static qn_context *context;
static double references[REFERENCES * NUMBERS], frame[NUMBERS], weights[ATOMS], others[ATOMS];

/* The library's memory comes from this function of the C library, which is counted here. */
static size_t allocations;

void *aligned_alloc(size_t alignment, size_t bytes)
{
    allocations++;
    return memalign(alignment, bytes);
}

static double uniform(uint64_t index)
{
    return 2 * qn_random_uniform(7, 1, index) - 1;
}

/* A chain that bends from reference to reference, each somewhere else; the frame lies between the fifth and the sixth.
 * Lengths are of the order of 1. */
static void make_path(void)
{
    for (size_t n = 0; n < REFERENCES; n++) {
        double rotation[9];
        qn_rotation_from_seed(n + 1, rotation);
        for (size_t i = 0; i < ATOMS; i++) {
            const double t = (double)i / ATOMS, bend = 0.15 * (double)n;
            const double at[3] = {2 * t + 0.05 * uniform(9 * i), sin(6 * t) + bend * t * t + 0.05 * uniform(9 * i + 1),
                                  cos(5 * t) - bend * t + 0.02 * uniform(3000 + n * ATOMS + i)};
            qn_rotation_apply(rotation, at, references + n * NUMBERS + 3 * i);
            for (size_t k = 0; k < 3; k++) references[n * NUMBERS + 3 * i + k] += 3 * uniform(6000 + 3 * n + k);
        }
    }
    for (size_t i = 0; i < NUMBERS; i++) frame[i] = references[4 * NUMBERS + i] + 0.08 * uniform(9000 + i);
    for (size_t i = 0; i < ATOMS; i++) {
        weights[i] = i % 7 == 3 ? 0 : 1 + uniform(500 + i);
        others[i] = i % 5 == 3 ? 2 + uniform(700 + i) : 0;
    }
}

static double exact_rmsd(const double *x, const double *y, const double *by)
{
    double rotation[9], translation[3], rmsd = NAN;
    CHECK_OK(qn_superpose_weighted(x, y, by, ATOMS, rotation, translation, &rmsd));
    return rmsd;
}

static double exact_drmsd(const double *x, const double *y)
{
    double sum = 0;
    for (size_t a = 0; a < ATOMS; a++)
        for (size_t b = 0; b < a; b++) {
            const double d =
                hypot(hypot(x[3 * a] - x[3 * b], x[3 * a + 1] - x[3 * b + 1]), x[3 * a + 2] - x[3 * b + 2]);
            const double r =
                hypot(hypot(y[3 * a] - y[3 * b], y[3 * a + 1] - y[3 * b + 1]), y[3 * a + 2] - y[3 * b + 2]);
            sum += (d - r) * (d - r);
        }
    return sqrt(2 * sum / (ATOMS * (ATOMS - 1.0)));
}

static double exact_distance(qn_path_distance path, const double *x, const double *y, const double *by)
{
    const double d = path == QN_PATH_RMSD || path == QN_PATH_RMSD_SQUARED ? exact_rmsd(x, y, by) : exact_drmsd(x, y);
    return path == QN_PATH_RMSD_SQUARED || path == QN_PATH_DRMSD_SQUARED ? d * d : d;
}

/* s and z by the formulas as they stand, over the references `first` … `last`. */
static void exact_path(qn_path_distance path, double lambda, const double *x, const double *by, size_t first,
                       size_t last, double *s, double *z)
{
    double sum = 0, weighted = 0;
    for (size_t n = first; n <= last; n++) {
        const double share = exp(-lambda * exact_distance(path, x, references + n * NUMBERS, by));
        sum += share;
        weighted += (double)(n + 1) * share;
    }
    *s = weighted / sum;
    *z = -log(sum) / lambda;
}

static qn_collective_options options_of(const double *by, qn_path_distance path)
{
    qn_collective_options options = qn_collective_default_options();
    options.references = references;
    options.reference_count = REFERENCES;
    options.atom_count = ATOMS;
    options.weights = by;
    options.path = path;
    options.drmsd = true;
    return options;
}

static double lambda_of_references(qn_path_distance path, const double *by)
{
    double sum = 0;
    for (size_t n = 0; n + 1 < REFERENCES; n++)
        sum += exact_distance(path, references + n * NUMBERS, references + (n + 1) * NUMBERS, by);
    return 2.3 * (REFERENCES - 1) / sum;
}

static void values_are_those_of_the_formulas(void)
{
    for (int weighted = 0; weighted < 2; weighted++)
        for (qn_path_distance path = QN_PATH_RMSD_SQUARED; path < QN_PATH_NONE; path++) {
            const double *by = weighted ? weights : NULL;
            const qn_collective_options options = options_of(by, path);
            double rmsd[REFERENCES], drmsd[REFERENCES], s, z;
            qn_collective *collective;
            qn_collective_values values = {.size = sizeof values, .rmsd = rmsd, .drmsd = drmsd};
            if (!CHECK_OK(qn_collective_create(context, &options, &collective))) return;
            const double lambda = lambda_of_references(path, by);
            CHECK_NEAR(qn_collective_lambda(collective), lambda, 1e-12 * lambda);
            CHECK_OK(qn_collective_evaluate(collective, frame, &values));
            for (size_t n = 0; n < REFERENCES; n++) {
                CHECK_NEAR(rmsd[n], exact_rmsd(frame, references + n * NUMBERS, by), 1e-13);
                CHECK_NEAR(drmsd[n], exact_drmsd(frame, references + n * NUMBERS), 1e-13);
            }
            exact_path(path, lambda, frame, by, 0, REFERENCES - 1, &s, &z);
            CHECK_NEAR(values.s, s, 1e-11);
            CHECK_NEAR(values.z, z, 1e-12);
            CHECK(values.s > 4 && values.s < 6);
            qn_collective_destroy(&collective);
        }
}

/* Central differences of the exact functions with steps of 1e-5 have errors of about 1e-10. */
static void gradients_are_those_of_differences(void)
{
    static double rmsd_gradients[REFERENCES * NUMBERS], drmsd_gradients[REFERENCES * NUMBERS];
    const double step = 1e-5;
    for (int weighted = 0; weighted < 2; weighted++)
        for (qn_path_distance path = QN_PATH_RMSD_SQUARED; path < QN_PATH_NONE; path++) {
            const double *by = weighted ? weights : NULL;
            const qn_collective_options options = options_of(by, path);
            double s_gradient[NUMBERS], z_gradient[NUMBERS], x[NUMBERS], largest = 0;
            qn_collective *collective;
            qn_collective_values values = {.size = sizeof values,
                                           .s_gradient = s_gradient,
                                           .z_gradient = z_gradient,
                                           .rmsd_gradients = rmsd_gradients,
                                           .drmsd_gradients = drmsd_gradients};
            if (!CHECK_OK(qn_collective_create(context, &options, &collective))) return;
            const double lambda = qn_collective_lambda(collective);
            CHECK_OK(qn_collective_evaluate(collective, frame, &values));
            memcpy(x, frame, sizeof x);
            for (size_t i = 0; i < NUMBERS; i += 5) {
                double s[2], z[2], rmsd[2], drmsd[2];
                const size_t n = i % REFERENCES;
                for (int side = 0; side < 2; side++) {
                    x[i] = frame[i] + (side ? step : -step);
                    exact_path(path, lambda, x, by, 0, REFERENCES - 1, &s[side], &z[side]);
                    rmsd[side] = exact_rmsd(x, references + n * NUMBERS, by);
                    drmsd[side] = exact_drmsd(x, references + n * NUMBERS);
                }
                x[i] = frame[i];
                CHECK_NEAR(s_gradient[i], (s[1] - s[0]) / (2 * step), 1e-7);
                CHECK_NEAR(z_gradient[i], (z[1] - z[0]) / (2 * step), 1e-8);
                CHECK_NEAR(rmsd_gradients[n * NUMBERS + i], (rmsd[1] - rmsd[0]) / (2 * step), 1e-9);
                CHECK_NEAR(drmsd_gradients[n * NUMBERS + i], (drmsd[1] - drmsd[0]) / (2 * step), 1e-9);
                largest = fmax(largest, fabs(s_gradient[i]));
            }
            CHECK(largest > 0.01);
            qn_collective_destroy(&collective);
        }
}

/* A motion of the frame turns the gradients and changes nothing else. */
static void motions_turn_gradients_only(void)
{
    const qn_collective_options options = options_of(weights, QN_PATH_RMSD_SQUARED);
    double gradients[2][NUMBERS], moved[NUMBERS], rotation[9], turned[3];
    qn_collective *collective;
    qn_collective_values values[2] = {{.size = sizeof *values, .s_gradient = gradients[0]},
                                      {.size = sizeof *values, .s_gradient = gradients[1]}};
    if (!CHECK_OK(qn_collective_create(context, &options, &collective))) return;
    qn_rotation_from_seed(99, rotation);
    for (size_t i = 0; i < ATOMS; i++) qn_rotation_apply(rotation, frame + 3 * i, moved + 3 * i);
    for (size_t i = 0; i < NUMBERS; i++) moved[i] += 50;
    CHECK_OK(qn_collective_evaluate(collective, frame, &values[0]));
    CHECK_OK(qn_collective_evaluate(collective, moved, &values[1]));
    CHECK_NEAR(values[1].s, values[0].s, 1e-12);
    CHECK_NEAR(values[1].z, values[0].z, 1e-12);
    for (size_t i = 0; i < ATOMS; i++) {
        qn_rotation_apply(rotation, gradients[0] + 3 * i, turned);
        for (size_t k = 0; k < 3; k++) CHECK_NEAR(gradients[1][3 * i + k], turned[k], 1e-11);
    }
    qn_collective_destroy(&collective);
}

/* The frame is a moved reference: distances and their gradients are 0, and the path variables stay differentiable. */
static void identical_structures_have_no_gradient(void)
{
    static double rmsd_gradients[REFERENCES * NUMBERS], drmsd_gradients[REFERENCES * NUMBERS];
    const double *same = references + 3 * NUMBERS;
    double rotation[9], moved[NUMBERS], rmsd[REFERENCES], drmsd[REFERENCES], s_gradient[NUMBERS], s, z;
    qn_rotation_from_seed(5, rotation);
    for (size_t i = 0; i < ATOMS; i++) qn_rotation_apply(rotation, same + 3 * i, moved + 3 * i);
    for (qn_path_distance path = QN_PATH_RMSD_SQUARED; path < QN_PATH_NONE; path++) {
        const qn_collective_options options = options_of(NULL, path);
        qn_collective *collective;
        qn_collective_values values = {.size = sizeof values,
                                       .rmsd = rmsd,
                                       .drmsd = drmsd,
                                       .rmsd_gradients = rmsd_gradients,
                                       .drmsd_gradients = drmsd_gradients,
                                       .s_gradient = s_gradient};
        if (!CHECK_OK(qn_collective_create(context, &options, &collective))) return;
        CHECK_OK(qn_collective_evaluate(collective, moved, &values));
        CHECK_NEAR(rmsd[3], 0, 1e-14);
        CHECK_NEAR(drmsd[3], 0, 1e-14);
        for (size_t i = 0; i < NUMBERS; i++) {
            CHECK(rmsd_gradients[3 * NUMBERS + i] == 0 && drmsd_gradients[3 * NUMBERS + i] == 0);
            CHECK(isfinite(s_gradient[i]) && isfinite(rmsd_gradients[i]) && isfinite(drmsd_gradients[i]));
        }
        exact_path(path, qn_collective_lambda(collective), moved, NULL, 0, REFERENCES - 1, &s, &z);
        CHECK_NEAR(values.s, s, 1e-11);
        qn_collective_destroy(&collective);
    }
}

/* Nearly the same structure: the gradient is still that of the differences, which are w u / (W RMSD). */
static void small_deviations_keep_their_digits(void)
{
    const qn_collective_options options = options_of(NULL, QN_PATH_NONE);
    static double gradients[REFERENCES * NUMBERS];
    double rmsd[REFERENCES], x[NUMBERS], squares = 0;
    qn_collective *collective;
    qn_collective_values values = {.size = sizeof values, .rmsd = rmsd, .rmsd_gradients = gradients};
    if (!CHECK_OK(qn_collective_create(context, &options, &collective))) return;
    for (size_t i = 0; i < NUMBERS; i++) x[i] = references[i] + 1e-8 * uniform(20000 + i);
    CHECK_OK(qn_collective_evaluate(collective, x, &values));
    CHECK(isnan(values.s) && isnan(values.z));
    CHECK_NEAR(rmsd[0], exact_rmsd(x, references, NULL), 1e-14);
    /* |∂RMSD/∂x|² = 1 / m for equal weights, as S is the square of the deviation */
    for (size_t i = 0; i < NUMBERS; i++) squares += gradients[i] * gradients[i];
    CHECK_NEAR(squares * ATOMS, 1, 1e-6);
    qn_collective_destroy(&collective);
}

/* Collinear atoms, atoms at one place, a mirror image: all finite, with the distances of the definition. */
static void degenerate_frames_are_finite(void)
{
    static double gradients[2][REFERENCES * NUMBERS];
    double frames[4][NUMBERS] = {{0}}, rmsd[REFERENCES], drmsd[REFERENCES], s_gradient[NUMBERS];
    const qn_collective_options options = options_of(weights, QN_PATH_RMSD);
    qn_collective *collective;
    qn_collective_values values = {.size = sizeof values,
                                   .rmsd = rmsd,
                                   .drmsd = drmsd,
                                   .rmsd_gradients = gradients[0],
                                   .drmsd_gradients = gradients[1],
                                   .s_gradient = s_gradient};
    if (!CHECK_OK(qn_collective_create(context, &options, &collective))) return;
    for (size_t i = 0; i < ATOMS; i++) {
        frames[1][3 * i] = (double)i;
        for (size_t k = 0; k < 3; k++) {
            frames[2][3 * i + k] = -references[3 * i + k];
            frames[3][3 * i + k] = frame[3 * (i < 2 ? 0 : i) + k];
        }
    }
    for (size_t f = 0; f < 4; f++) {
        CHECK_OK(qn_collective_evaluate(collective, frames[f], &values));
        CHECK(isfinite(values.s) && isfinite(values.z));
        for (size_t n = 0; n < REFERENCES; n++) {
            CHECK_NEAR(rmsd[n], exact_rmsd(frames[f], references + n * NUMBERS, weights), 1e-11);
            CHECK_NEAR(drmsd[n], exact_drmsd(frames[f], references + n * NUMBERS), 1e-12);
        }
        for (size_t i = 0; i < REFERENCES * NUMBERS; i++) CHECK(isfinite(gradients[0][i]) && isfinite(gradients[1][i]));
        for (size_t i = 0; i < NUMBERS; i++) CHECK(isfinite(s_gradient[i]));
    }
    qn_collective_destroy(&collective);
}

/* exp(−λ d) is 0 for every reference here. */
static void far_frames_do_not_underflow(void)
{
    qn_collective_options options = options_of(NULL, QN_PATH_RMSD_SQUARED);
    double far[NUMBERS], rmsd[REFERENCES], z_gradient[NUMBERS], nearest = INFINITY;
    qn_collective *collective;
    qn_collective_values values = {.size = sizeof values, .rmsd = rmsd, .z_gradient = z_gradient};
    options.lambda = 1e6;
    if (!CHECK_OK(qn_collective_create(context, &options, &collective))) return;
    for (size_t i = 0; i < NUMBERS; i++) far[i] = 40 * uniform(30000 + i);
    CHECK_OK(qn_collective_evaluate(collective, far, &values));
    for (size_t n = 0; n < REFERENCES; n++) nearest = fmin(nearest, rmsd[n] * rmsd[n]);
    CHECK_NEAR(values.z, nearest, 1e-9);
    CHECK(values.s >= 1 && values.s <= REFERENCES);
    for (size_t i = 0; i < NUMBERS; i++) CHECK(isfinite(z_gradient[i]));
    qn_collective_destroy(&collective);
}

/* Five neighbours, searched in every third call. */
static void neighbour_lists_are_kept_between_searches(void)
{
    qn_collective_options options = options_of(NULL, QN_PATH_RMSD_SQUARED);
    static double gradients[REFERENCES * NUMBERS];
    double rmsd[REFERENCES], s, z;
    qn_collective *collective;
    qn_collective_values values = {.size = sizeof values, .rmsd = rmsd, .rmsd_gradients = gradients};
    options.neighbours = 5;
    options.neighbour_stride = 3;
    if (!CHECK_OK(qn_collective_create(context, &options, &collective))) return;
    const double lambda = qn_collective_lambda(collective);
    for (int call = 0; call < 7; call++) {
        const double *x = call < 2 ? frame : references + 9 * NUMBERS; /* near the 5th, then at the 10th */
        const size_t first = call < 3 ? 2 : 6;                         /* the list of call 0 holds until call 3 */
        CHECK_OK(qn_collective_evaluate(collective, x, &values));
        exact_path(QN_PATH_RMSD_SQUARED, lambda, x, NULL, first, first + 4, &s, &z);
        CHECK_NEAR(values.s, s, 1e-10);
        CHECK_NEAR(values.z, z, 1e-10);
        for (size_t n = 0; n < REFERENCES; n++) {
            const bool compared = call % 3 == 0 || (n >= first && n < first + 5);
            CHECK(isnan(rmsd[n]) == !compared && isnan(gradients[n * NUMBERS + 5]) == !compared);
        }
    }
    qn_collective_destroy(&collective);
}

static void nearest_places_are_those_of_a_sort(void)
{
    double distances[200];
    size_t places[200];
    for (size_t i = 0; i < 200; i++) distances[i] = floor(40 * qn_random_uniform(3, 0, i));
    for (size_t kept = 1; kept <= 200; kept += kept < 10 ? 1 : 37) {
        bool chosen[200] = {false};
        qn_collective_nearest(distances, 200, kept, places);
        for (size_t k = 0; k < kept; k++) {
            CHECK(k == 0 || places[k] > places[k - 1]);
            chosen[places[k]] = true;
        }
        for (size_t a = 0; a < 200; a++) {
            size_t before = 0;
            for (size_t b = 0; b < 200; b++)
                before += distances[b] < distances[a] || (distances[b] == distances[a] && b < a);
            CHECK(chosen[a] == (before < kept));
        }
    }
}

/* So many references that several threads work, whose number must not show. */
static void threads_do_not_change_results(void)
{
    enum { MANY = 400, LARGE = 301 };
    static double positions[MANY * 3 * LARGE], results[2][MANY + 6 * LARGE], gradients[2][2 * MANY * 3 * LARGE];
    for (size_t i = 0; i < sizeof positions / sizeof *positions; i++) positions[i] = uniform(i);
    for (qn_path_distance path = QN_PATH_RMSD_SQUARED; path < QN_PATH_NONE; path += 3) {
        for (int threads = 1; threads <= 3; threads += 2) {
            qn_context_options of_context = qn_context_default_options();
            qn_collective_options options = qn_collective_default_options();
            double *result = results[threads > 1], *gradient = gradients[threads > 1];
            qn_context *own = NULL;
            qn_collective *collective = NULL;
            qn_collective_values values = {.size = sizeof values,
                                           .rmsd = result,
                                           .s_gradient = result + MANY,
                                           .z_gradient = result + MANY + 3 * LARGE,
                                           .rmsd_gradients = gradient,
                                           .drmsd_gradients = gradient + MANY * 3 * LARGE};
            of_context.threads = threads;
            options.references = positions;
            options.reference_count = path == QN_PATH_DRMSD ? 40 : MANY;
            options.atom_count = LARGE;
            options.path = path;
            options.lambda = 1;
            if (path == QN_PATH_RMSD_SQUARED) values.drmsd_gradients = NULL;
            CHECK_OK(qn_context_create(&of_context, &own));
            CHECK_OK(qn_collective_create(own, &options, &collective));
            CHECK_OK(qn_collective_evaluate(collective, positions + 3 * LARGE * 7, &values));
            qn_collective_destroy(&collective);
            qn_context_destroy(&own);
        }
        CHECK(memcmp(results[0], results[1], sizeof results[0]) == 0);
        CHECK(memcmp(gradients[0], gradients[1], sizeof gradients[0]) == 0);
    }
}

/* √(Σ v |R y + t − x|² / Σ v) after the superposition with other weights. */
static double exact_deviation(const double *x, const double *y)
{
    double rotation[9], translation[3], moved[3], sum = 0, all = 0;
    CHECK_OK(qn_superpose_weighted(y, x, weights, ATOMS, rotation, translation, NULL));
    for (size_t i = 0; i < ATOMS; i++) {
        qn_rotation_apply(rotation, y + 3 * i, moved);
        all += others[i];
        for (size_t k = 0; k < 3; k++) sum += others[i] * pow(moved[k] + translation[k] - x[3 * i + k], 2);
    }
    return sqrt(sum / all);
}

static double exact_deviation_s(double lambda, const double *x)
{
    double sum = 0, weighted = 0;
    for (size_t n = 0; n < REFERENCES; n++) {
        const double share = exp(-lambda * pow(exact_deviation(x, references + n * NUMBERS), 2));
        sum += share;
        weighted += (double)(n + 1) * share;
    }
    return weighted / sum;
}

/* The superposition is on some atoms, the deviation of others: the change of the rotation counts. */
static void deviations_of_other_atoms_have_their_gradients(void)
{
    static double gradients[REFERENCES * NUMBERS];
    const double step = 1e-5;
    qn_collective_options options = options_of(weights, QN_PATH_RMSD_SQUARED);
    double rmsd[REFERENCES], s_gradient[NUMBERS], x[NUMBERS], largest = 0;
    qn_collective *collective;
    qn_collective_values values = {
        .size = sizeof values, .rmsd = rmsd, .rmsd_gradients = gradients, .s_gradient = s_gradient};
    options.deviation_weights = others;
    options.lambda = 20;
    if (!CHECK_OK(qn_collective_create(context, &options, &collective))) return;
    CHECK_OK(qn_collective_evaluate(collective, frame, &values));
    CHECK_NEAR(values.s, exact_deviation_s(20, frame), 1e-11);
    for (size_t n = 0; n < REFERENCES; n++)
        CHECK_NEAR(rmsd[n], exact_deviation(frame, references + n * NUMBERS), 1e-12);
    memcpy(x, frame, sizeof x);
    for (size_t i = 0; i < NUMBERS; i += 2) {
        const size_t n = i % REFERENCES;
        double moved[2], s[2];
        for (int side = 0; side < 2; side++) {
            x[i] = frame[i] + (side ? step : -step);
            moved[side] = exact_deviation(x, references + n * NUMBERS);
            s[side] = exact_deviation_s(20, x);
        }
        x[i] = frame[i];
        CHECK_NEAR(gradients[n * NUMBERS + i], (moved[1] - moved[0]) / (2 * step), 1e-8);
        CHECK_NEAR(s_gradient[i], (s[1] - s[0]) / (2 * step), 1e-7);
        if (others[i / 3] == 0) largest = fmax(largest, fabs(s_gradient[i]));
    }
    CHECK(largest > 1e-3); /* atoms of the superposition alone have forces, too */
    qn_collective_destroy(&collective);
}

static void calls_allocate_nothing(void)
{
    static double gradients[2][REFERENCES * NUMBERS];
    qn_collective_options options = options_of(weights, QN_PATH_DRMSD);
    double rmsd[REFERENCES], s_gradient[NUMBERS];
    qn_collective *collective;
    qn_collective_values values = {.size = sizeof values,
                                   .rmsd = rmsd,
                                   .rmsd_gradients = gradients[0],
                                   .drmsd_gradients = gradients[1],
                                   .s_gradient = s_gradient};
    options.deviation_weights = others;
    options.neighbours = 4;
    options.neighbour_stride = 2;
    allocations = 0;
    if (!CHECK_OK(qn_collective_create(context, &options, &collective))) return;
    CHECK(allocations > 5);
    allocations = 0;
    for (int call = 0; call < 5; call++) CHECK_OK(qn_collective_evaluate(collective, frame, &values));
    CHECK(allocations == 0);
    qn_collective_destroy(&collective);
}

static void impossible_options_are_refused(void)
{
    qn_collective_options options[9];
    static const char *const parts[9] = {"0 references",
                                         "of 2 atoms",
                                         "NULL",
                                         "weight of atom 3",
                                         "add up to 0",
                                         "lambda is -1",
                                         "12 neighbours of 11",
                                         "reference 3: y of atom 4",
                                         "differ, or a lambda"};
    double bad[ATOMS] = {0}, damaged[REFERENCES * NUMBERS];
    qn_collective *collective;
    for (int i = 0; i < 9; i++) options[i] = options_of(NULL, QN_PATH_RMSD_SQUARED);
    options[0].reference_count = 0;
    options[1].atom_count = 2;
    options[2].references = NULL;
    bad[2] = -1;
    options[3].weights = bad;
    options[5].lambda = -1;
    options[6].neighbours = 12;
    memcpy(damaged, references, sizeof damaged);
    damaged[2 * NUMBERS + 10] = NAN;
    options[7].references = damaged;
    for (int i = 0; i < 9; i++) {
        double same[2 * NUMBERS], none[ATOMS] = {0};
        if (i == 4) options[4].weights = none;
        if (i == 8) {
            memcpy(same, references, NUMBERS * sizeof *same);
            memcpy(same + NUMBERS, references, NUMBERS * sizeof *same);
            options[8].references = same;
            options[8].reference_count = 2;
            options[8].path = QN_PATH_DRMSD;
        }
        CHECK_FAILS(qn_collective_create(context, &options[i], &collective), QN_INVALID_ARGUMENT);
        CHECK_MESSAGE_HAS(parts[i]);
        CHECK(!collective);
    }
}

static void impossible_frames_are_refused(void)
{
    qn_collective_options options = options_of(NULL, QN_PATH_RMSD);
    double drmsd[REFERENCES], x[NUMBERS];
    qn_collective *collective;
    qn_collective_values values = {.size = sizeof values, .drmsd = drmsd};
    options.drmsd = false;
    if (!CHECK_OK(qn_collective_create(context, &options, &collective))) return;
    CHECK_FAILS(qn_collective_evaluate(collective, frame, &values), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("was not planned");
    values.drmsd = NULL;
    memcpy(x, frame, sizeof x);
    x[8] = INFINITY;
    CHECK_FAILS(qn_collective_evaluate(collective, x, &values), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the frame: z of atom 3 of 37 is inf");
    CHECK_FAILS(qn_collective_evaluate(collective, NULL, &values), QN_INVALID_ARGUMENT);
    CHECK_OK(qn_collective_evaluate(collective, frame, &values));
    qn_collective_destroy(&collective);
}

int main(void)
{
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    make_path();
    RUN(values_are_those_of_the_formulas);
    RUN(gradients_are_those_of_differences);
    RUN(motions_turn_gradients_only);
    RUN(identical_structures_have_no_gradient);
    RUN(small_deviations_keep_their_digits);
    RUN(degenerate_frames_are_finite);
    RUN(far_frames_do_not_underflow);
    RUN(neighbour_lists_are_kept_between_searches);
    RUN(nearest_places_are_those_of_a_sort);
    RUN(threads_do_not_change_results);
    RUN(deviations_of_other_atoms_have_their_gradients);
    RUN(calls_allocate_nothing);
    RUN(impossible_options_are_refused);
    RUN(impossible_frames_are_refused);
    qn_context_destroy(&context);
    return check_finish();
}
