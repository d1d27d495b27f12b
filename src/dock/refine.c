#include "dock/refine.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "math/random.h"
#include "math/rotation.h"

static const double pi = 3.14159265358979323846;

/* Steps are in units of the limits, so that shifts and turns are comparable. The first step is half the limit. */
static const double first_step = 0.5, finest_shift_angstrom = 0.01, finest_turn_degrees = 0.05;

/* Six unknowns: shift / limit and rotation vector / limit. Both vectors have lengths of at most 1. */
enum { UNKNOWNS = 6 };

/* Largest number of starts, and of consecutive starts that find no lower energy. */
enum { STARTS_MAX = 8, IDLE_MAX = 2 };

typedef struct refinement {
    qn_dock_refine_energy energy;
    void *user;
    const double *pivot;
    double most_shift, most_turn; /* Å, radians */
    double matrix[9];             /* of the start */
    double place[3];              /* where the start puts the pivot */
    int evaluations, unknowns;    /* number of unknowns that may move */
    int unknown[UNKNOWNS];        /* which */
    double directions[UNKNOWNS][UNKNOWNS];
    double best[UNKNOWNS], best_energy;
} refinement;

static double norm(const double *v, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

/* R ← R·(3 − RᵀR)/2 converges quadratically to the nearest rotation: two iterations reduce an error of 1e-6 to rounding
 * errors. */
static void make_orthonormal(double r[9])
{
    for (int round = 0; round < 2; round++) {
        double transposed[9], correction[9];
        for (int i = 0; i < 9; i++) transposed[i] = r[3 * (i % 3) + i / 3];
        qn_rotation_multiply(transposed, r, correction);
        for (int i = 0; i < 9; i++) correction[i] = ((i % 4 == 0 ? 3 : 0) - correction[i]) / 2;
        qn_rotation_multiply(r, correction, r);
    }
}

/* Compute the pose of a point of the search. */
static void pose_of(const refinement *run, const double x[UNKNOWNS], double matrix[9], double translation[3])
{
    double vector[3], quaternion[4], turn[9], turned[3];
    for (int i = 0; i < 3; i++) vector[i] = x[3 + i] * run->most_turn;
    double angle = norm(vector, 3), scale = angle > 0 ? sin(angle / 2) / angle : 0.5;
    quaternion[0] = cos(angle / 2);
    for (int i = 0; i < 3; i++) quaternion[1 + i] = scale * vector[i];
    qn_rotation_from_quaternion(quaternion, turn);
    qn_rotation_multiply(turn, run->matrix, matrix);
    qn_rotation_apply(matrix, run->pivot, turned);
    for (int i = 0; i < 3; i++) translation[i] = run->place[i] + x[i] * run->most_shift - turned[i];
}

/* Move a point outside the limits back to them, so that the search can move along the limits. */
static void confine(double x[UNKNOWNS])
{
    for (int part = 0; part < UNKNOWNS; part += 3) {
        double length = norm(x + part, 3);
        /* slightly less than 1, so that rounding never exceeds the limit */
        if (length > 1 - 1e-12)
            for (int i = part; i < part + 3; i++) x[i] *= (1 - 1e-12) / length;
    }
}

/* Move to best + step · direction if the energy is lower there. Returns whether it is. */
static bool try_move(refinement *run, double step, const double direction[UNKNOWNS])
{
    double x[UNKNOWNS], matrix[9], translation[3], change = 0;
    if (run->evaluations >= QN_DOCK_REFINE_EVALUATIONS) return false;
    for (int i = 0; i < UNKNOWNS; i++) x[i] = run->best[i] + step * direction[i];
    confine(x);
    for (int i = 0; i < UNKNOWNS; i++) change = fmax(change, fabs(x[i] - run->best[i]));
    if (change < 1e-9) return false; /* the limits leave nothing of the step */
    pose_of(run, x, matrix, translation);
    double energy = run->energy(matrix, translation, run->user);
    run->evaluations++;
    if (!isfinite(energy) || energy >= run->best_energy) return false;
    run->best_energy = energy;
    memcpy(run->best, x, sizeof x);
    return true;
}

/* Make orthonormal directions, the first along `first`, from `first` and the present directions by the Gram-Schmidt
 * process. The present direction that is most parallel to `first` is left out. */
static void turn_directions(refinement *run, const double first[UNKNOWNS])
{
    double old[UNKNOWNS][UNKNOWNS], length = norm(first, UNKNOWNS);
    int nearest = 0;
    double most = -1;
    memcpy(old, run->directions, sizeof old);
    for (int k = 0; k < run->unknowns; k++) {
        double along = 0;
        for (int i = 0; i < UNKNOWNS; i++) along += old[k][i] * first[i];
        if (fabs(along) > most) {
            most = fabs(along);
            nearest = k;
        }
    }
    for (int i = 0; i < UNKNOWNS; i++) run->directions[0][i] = first[i] / length;
    for (int k = 0, count = 1; k < run->unknowns; k++) {
        if (k == nearest) continue;
        double *direction = run->directions[count];
        memcpy(direction, old[k], sizeof old[k]);
        for (int round = 0; round < 2; round++) /* twice is enough (Kahan) */
            for (int j = 0; j < count; j++) {
                double along = 0;
                for (int i = 0; i < UNKNOWNS; i++) along += direction[i] * run->directions[j][i];
                for (int i = 0; i < UNKNOWNS; i++) direction[i] -= along * run->directions[j][i];
            }
        length = norm(direction, UNKNOWNS);
        for (int i = 0; i < UNKNOWNS; i++) direction[i] /= length;
        count++;
    }
}

/* Choose the directions of the n-th start: the axes for the first one, else axes turned towards pseudo-random vectors.
 */
static void choose_directions(refinement *run, int start)
{
    memset(run->directions, 0, sizeof run->directions);
    for (int k = 0; k < run->unknowns; k++) run->directions[k][run->unknown[k]] = 1;
    for (int turns = 0; start > 0 && turns < 3; turns++) {
        double towards[UNKNOWNS] = {0};
        for (int k = 0; k < run->unknowns; k++)
            towards[run->unknown[k]] = qn_random_uniform(1, (uint64_t)start, (uint64_t)(UNKNOWNS * turns + k)) - 0.5;
        turn_directions(run, towards);
    }
}

/* Try a step along each direction, in both senses, first the sense that lowered the energy before. */
static bool sweep(refinement *run, double step, int sense[UNKNOWNS])
{
    bool moved = false;
    for (int k = 0; k < run->unknowns; k++) {
        if (try_move(run, sense[k] * step, run->directions[k])) {
            moved = true;
        } else if (try_move(run, -sense[k] * step, run->directions[k])) {
            sense[k] = -sense[k];
            moved = true;
        }
    }
    return moved;
}

/* Lower the energy from the best point, beginning with steps of the length `step`. */
static void descend(refinement *run, double step)
{
    int sense[UNKNOWNS] = {1, 1, 1, 1, 1, 1};
    while (run->evaluations < QN_DOCK_REFINE_EVALUATIONS && (step * run->most_shift >= finest_shift_angstrom ||
                                                             step * run->most_turn >= finest_turn_degrees * pi / 180)) {
        double before[UNKNOWNS], progress[UNKNOWNS];
        memcpy(before, run->best, sizeof before);
        if (!sweep(run, step, sense)) {
            step /= 2;
            continue;
        }
        for (int i = 0; i < UNKNOWNS; i++) progress[i] = run->best[i] - before[i];
        if (norm(progress, UNKNOWNS) == 0) continue;
        try_move(run, 1, progress);
        turn_directions(run, progress);
        for (int k = 0; k < UNKNOWNS; k++) sense[k] = 1;
    }
}

static qn_status check_input(double most_shift_angstrom, double most_turn_degrees, const double matrix[9])
{
    if (!(most_shift_angstrom >= 0) || !isfinite(most_shift_angstrom))
        return QN_FAIL(QN_INVALID_ARGUMENT, "refinement may shift by %g Å; expected a finite number from 0",
                       most_shift_angstrom);
    if (!(most_turn_degrees >= 0 && most_turn_degrees <= 180))
        return QN_FAIL(QN_INVALID_ARGUMENT, "refinement may turn by %g degrees; expected 0 to 180", most_turn_degrees);
    for (int i = 0; i < 9; i++)
        if (!isfinite(matrix[i]))
            return QN_FAIL(QN_INVALID_ARGUMENT, "the matrix to refine holds %g; expected a rotation", matrix[i]);
    double error = qn_rotation_error(matrix);
    if (!(error < 1e-6))
        return QN_FAIL(QN_INVALID_ARGUMENT, "the matrix to refine is %g from a rotation; expected less than 1e-6",
                       error);
    return QN_OK;
}

qn_status qn_dock_refine(qn_dock_refine_energy energy, void *user, const double pivot_angstrom[3],
                         double most_shift_angstrom, double most_turn_degrees, double matrix[9], double translation[3],
                         double *refined_energy)
{
    QN_TRY(check_input(most_shift_angstrom, most_turn_degrees, matrix));
    refinement run = {.energy = energy,
                      .user = user,
                      .pivot = pivot_angstrom,
                      .most_shift = most_shift_angstrom,
                      .most_turn = most_turn_degrees * pi / 180};
    memcpy(run.matrix, matrix, sizeof run.matrix);
    if (qn_rotation_error(matrix) > 1e-13) make_orthonormal(run.matrix);
    qn_rotation_apply(run.matrix, pivot_angstrom, run.place);
    for (int i = 0; i < 3; i++) run.place[i] += translation[i];
    run.best_energy = energy(run.matrix, translation, user);
    run.evaluations = 1;
    if (!isfinite(run.best_energy))
        return QN_FAIL(QN_INVALID_ARGUMENT, "the pose to refine has energy %g; expected a finite one", run.best_energy);
    for (int i = 0; i < UNKNOWNS; i++)
        if ((i < 3 ? run.most_shift : run.most_turn) > 0) run.unknown[run.unknowns++] = i;
    double start_energy = run.best_energy;
    for (int start = 0, idle = 0; start < STARTS_MAX && idle < IDLE_MAX && run.unknowns > 0; start++) {
        double before = run.best_energy;
        choose_directions(&run, start);
        descend(&run, first_step);
        idle = run.best_energy < before ? 0 : idle + 1;
    }
    memcpy(matrix, run.matrix, sizeof run.matrix);
    if (run.best_energy < start_energy) pose_of(&run, run.best, matrix, translation);
    *refined_energy = run.best_energy;
    return QN_OK;
}
