#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized_struct.h"
#include "collective/neighbours.h"
#include "collective/path.h"
#include "collective/plan.h"
#include "runtime/context.h"

/* Shares of a sum below this do not change it. */
static const double negligible = 1e-20;

/* References whose shares are at least this, by distances in single precision, are compared again in double
 * precision. */
static const double worth_comparing = 1e-12;

static bool is_of_rmsd(qn_path_distance path)
{
    return path == QN_PATH_RMSD_SQUARED || path == QN_PATH_RMSD;
}

static bool is_of_drmsd(qn_path_distance path)
{
    return path == QN_PATH_DRMSD_SQUARED || path == QN_PATH_DRMSD;
}

static bool is_squared(qn_path_distance path)
{
    return path == QN_PATH_RMSD_SQUARED || path == QN_PATH_DRMSD_SQUARED;
}

void qn_collective_destroy(qn_collective **pointer)
{
    qn_collective *collective = pointer ? *pointer : NULL;
    if (!collective) return;
    qn_collective_screen_destroy(&collective->screen);
    if (collective->owns_references) qn_collective_references_destroy(&collective->references);
    qn_release(&collective->frame);
    qn_release(&collective->weighted);
    qn_release(&collective->deviating);
    qn_release(&collective->turns);
    qn_release(&collective->places);
    qn_release(&collective->rotations);
    qn_release(&collective->rmsd);
    qn_release(&collective->drmsd);
    qn_release(&collective->distances);
    qn_release(&collective->shares);
    qn_release(&collective->factors);
    qn_release(&collective->scratch);
    qn_release(&collective->sums);
    qn_release(&collective->pairs.distance);
    qn_release(&collective->pairs.inverse);
    qn_release(&collective->worker_pairs.distance);
    qn_release(&collective->worker_pairs.inverse);
    qn_release(&collective->pair_sums);
    qn_release(pointer);
}

double qn_collective_lambda(const qn_collective *collective)
{
    return collective->lambda;
}

qn_status qn_collective_run(qn_collective *collective, size_t tasks, double steps, qn_pool_task task, void *user)
{
    const double worth_waking_threads = 1e5;
    return qn_pool_run(steps < worth_waking_threads ? NULL : collective->pool, tasks, task, user);
}

static qn_status take_frame(qn_collective *collective, const double *positions)
{
    const qn_collective_references *references = collective->references;
    const size_t stride = references->stride;
    double squares = 0;
    if (!positions) return QN_FAIL(QN_INVALID_ARGUMENT, "the frame is NULL; expected positions");
    QN_TRY(qn_collective_centre(positions, references->weights, references->weight_sum, references->atom_count, stride,
                                "the frame", collective->frame));
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < stride; i++) {
            const double x = collective->frame[k * stride + i], weighted = references->weights[i] * x;
            collective->weighted[k * stride + i] = weighted;
            squares += weighted * x;
        }
    collective->frame_size = sqrt(squares / references->weight_sum);
    for (size_t k = 0; references->deviation_means && k < 3; k++) {
        collective->frame_deviation[k] = 0;
        for (size_t i = 0; i < stride; i++) {
            const double weighted = references->deviation_weights[i] * collective->frame[k * stride + i];
            collective->deviating[k * stride + i] = weighted;
            collective->frame_deviation[k] += weighted;
        }
    }
    return QN_OK;
}

static double path_distance(const qn_collective *collective, size_t place)
{
    const double d = (is_of_rmsd(collective->path) ? collective->rmsd : collective->drmsd)[place];
    return is_squared(collective->path) ? d * d : d;
}

/* ---- planning ---- */

static qn_status allocate(size_t count, double **memory)
{
    void *allocated;
    QN_TRY(qn_allocate(count, sizeof(double), &allocated));
    *memory = allocated;
    return QN_OK;
}

/* Allocate everything that calls need. */
static qn_status allocate_all(qn_collective *collective)
{
    const qn_collective_references *references = collective->references;
    const size_t count = references->count, rows = qn_collective_rows(references);
    const bool turns = references->deviation_means != NULL;
    void *memory;
    QN_TRY(qn_allocate(count, sizeof *collective->places, &memory));
    collective->places = memory;
    QN_TRY(allocate(rows, &collective->frame));
    QN_TRY(allocate(rows, &collective->weighted));
    QN_TRY(allocate((size_t)qn_pool_threads(collective->pool) * rows, &collective->scratch));
    QN_TRY(allocate((turns ? 4 : 2) * rows, &collective->sums));
    QN_TRY(allocate(turns ? rows : 0, &collective->deviating));
    QN_TRY(qn_allocate(turns ? count : 0, sizeof *collective->turns, &memory));
    collective->turns = memory;
    QN_TRY(allocate(9 * count, &collective->rotations));
    QN_TRY(allocate(count, &collective->rmsd));
    QN_TRY(allocate(count, &collective->drmsd));
    QN_TRY(allocate(count, &collective->distances));
    QN_TRY(allocate(count, &collective->shares));
    QN_TRY(allocate(2 * count, &collective->factors));
    const size_t places = references->pair_places, threads = (size_t)qn_pool_threads(collective->pool);
    const size_t measured = references->distances ? 0 : threads * places; /* in calls */
    QN_TRY(allocate(places, &collective->pairs.distance));
    QN_TRY(allocate(places, &collective->pairs.inverse));
    QN_TRY(allocate(measured, &collective->worker_pairs.distance));
    QN_TRY(allocate(measured, &collective->worker_pairs.inverse));
    return allocate(2 * places, &collective->pair_sums);
}

static qn_status check(const qn_collective_options *options)
{
    if ((int)options->path < QN_PATH_RMSD_SQUARED || options->path > QN_PATH_NONE)
        return QN_FAIL(QN_INVALID_ARGUMENT, "path is %d; expected one of qn_path_distance", (int)options->path);
    if (!(options->lambda >= 0) || !isfinite(options->lambda))
        return QN_FAIL(QN_INVALID_ARGUMENT, "lambda is %g; expected a number above 0, or 0 to choose it",
                       options->lambda);
    if (options->neighbours > options->reference_count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%zu neighbours of %zu references; expected at most all of them",
                       options->neighbours, options->reference_count);
    if (options->device && options->deviation_weights)
        return QN_FAIL(QN_UNSUPPORTED, "deviation_weights with the device %s; expected one of them",
                       qn_device_get_info(options->device)->identifier);
    if (options->neighbours && options->neighbour_stride < 1)
        return QN_FAIL(QN_INVALID_ARGUMENT, "neighbour_stride is 0; expected at least 1 call between searches");
    return QN_OK;
}

/* Set λ to 2.3 over the mean distance between successive references, so that a step along the path changes a share by a
 * factor of ten (Branduardi et al. 2007). */
static qn_status choose_lambda(qn_collective *collective, const qn_collective_options *options)
{
    const size_t count = options->reference_count;
    double sum = 0;
    if (count == 1) {
        collective->lambda = 1; /* s and z do not depend on it */
        return QN_OK;
    }
    collective->active = 1;
    for (size_t n = 1; n < count; n++) {
        collective->places[0] = n;
        QN_TRY(take_frame(collective, options->references + (n - 1) * 3 * options->atom_count));
        QN_TRY(is_of_rmsd(options->path) ? qn_collective_measure_rmsd(collective, NULL)
                                         : qn_collective_measure_drmsd(collective, NULL));
        sum += path_distance(collective, n);
    }
    collective->lambda = 2.3 * (double)(count - 1) / sum;
    if (!isfinite(collective->lambda))
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "the mean distance between %zu successive references is %g, so lambda cannot be chosen; expected "
            "references that differ, or a lambda",
            count, sum / (double)(count - 1));
    return QN_OK;
}

static qn_status fill(qn_context *context, const qn_collective_options *options, qn_collective *collective)
{
    const bool drmsd = options->drmsd || is_of_drmsd(options->path);
    QN_TRY(check(options));
    QN_TRY(qn_collective_references_create(options, drmsd, &collective->references));
    collective->owns_references = true;
    collective->pool = context ? qn_context_pool(context) : NULL;
    collective->loops = QN_HOST_SELECT(qn_collective_loops_host);
    collective->path = options->path;
    collective->lambda = options->path == QN_PATH_NONE ? NAN : options->lambda;
    QN_TRY(allocate_all(collective));
    if (options->path != QN_PATH_NONE && options->lambda == 0) QN_TRY(choose_lambda(collective, options));
    collective->neighbours = options->neighbours;
    collective->neighbour_stride = options->neighbour_stride;
    collective->calls = 0;
    if (!options->device) return QN_OK;
    return qn_collective_screen_create(options->device, collective->references, &collective->screen);
}

qn_status qn_collective_create(qn_context *context, const qn_collective_options *given, qn_collective **collective)
{
    qn_collective_options options = qn_collective_default_options();
    void *memory;
    *collective = NULL;
    QN_TRY(qn_sized_struct_copy(&options, sizeof options, given, "collective"));
    QN_TRY(qn_allocate(1, sizeof(qn_collective), &memory));
    *collective = memory;
    const qn_status status = fill(context, &options, *collective);
    if (status != QN_OK) qn_collective_destroy(collective);
    return status;
}

qn_status qn_collective_share(const qn_collective *other, qn_collective **collective)
{
    void *memory;
    *collective = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_collective), &memory));
    *collective = memory;
    **collective = (qn_collective){.references = other->references,
                                   .loops = other->loops,
                                   .path = other->path,
                                   .lambda = other->lambda,
                                   .neighbours = other->neighbours,
                                   .neighbour_stride = other->neighbour_stride};
    const qn_status status = allocate_all(*collective);
    if (status != QN_OK) qn_collective_destroy(collective);
    return status;
}

/* ---- one frame ---- */

static bool is_search(const qn_collective *collective)
{
    return !collective->neighbours || collective->calls % collective->neighbour_stride == 0;
}

/* Compare all references in calls that search for the nearest, else those found last. */
static void choose_active(qn_collective *collective)
{
    if (!is_search(collective)) return;
    collective->active = collective->references->count;
    for (size_t k = 0; k < collective->active; k++) collective->places[k] = k;
}

static void find_nearest(qn_collective *collective)
{
    if (!collective->neighbours || !is_search(collective)) return;
    for (size_t k = 0; k < collective->active; k++) collective->distances[k] = path_distance(collective, k);
    collective->active = collective->neighbours;
    qn_collective_nearest(collective->distances, collective->references->count, collective->active, collective->places);
}

static qn_path_point point_of_active(qn_collective *collective)
{
    for (size_t k = 0; k < collective->active; k++)
        collective->distances[k] = path_distance(collective, collective->places[k]);
    return qn_path_point_of(collective->distances, collective->places, collective->active, collective->lambda,
                            collective->shares);
}

/* Keep the references that matter by their distances in single precision, and compare these again. */
static qn_status keep_near(qn_collective *collective)
{
    size_t kept = 0;
    (void)point_of_active(collective);
    for (size_t k = 0; k < collective->active; k++)
        if (collective->shares[k] >= worth_comparing) collective->places[kept++] = collective->places[k];
    collective->active = kept;
    return is_of_rmsd(collective->path) ? qn_collective_measure_rmsd(collective, NULL)
                                        : qn_collective_measure_drmsd(collective, NULL);
}

/* ∂d/∂x = w (x − R y) times this, or for dRMSD the rows of differentiate_pairs times this. */
static double factor_of_distance(const qn_collective *collective, size_t place)
{
    const qn_collective_references *references = collective->references;
    const bool of_rmsd = is_of_rmsd(collective->path);
    const double scale = of_rmsd ? 1 / references->deviation_sum : references->pair_inverse;
    if (is_squared(collective->path)) return 2 * scale;
    const double d = (of_rmsd ? collective->rmsd : collective->drmsd)[place];
    const double size = of_rmsd ? collective->frame_size + references->sizes[place] : references->pair_sizes[place];
    return d <= QN_COLLECTIVE_SAME * size ? 0 : scale / d;
}

static qn_status follow_path(qn_collective *collective, bool screened, qn_collective_values *values)
{
    values->s = values->z = NAN;
    if (collective->path == QN_PATH_NONE) return QN_OK;
    find_nearest(collective);
    if (screened) QN_TRY(keep_near(collective));
    const qn_path_point point = point_of_active(collective);
    values->s = point.s;
    values->z = point.z;
    if (!values->s_gradient && !values->z_gradient) return QN_OK;
    for (size_t k = 0; k < collective->active; k++) {
        const size_t place = collective->places[k];
        const double share = collective->shares[k] < negligible ? 0 : collective->shares[k];
        const double factor = share * factor_of_distance(collective, place);
        collective->factors[2 * k] = -collective->lambda * ((double)(place + 1) - point.s) * factor;
        collective->factors[2 * k + 1] = factor;
    }
    return is_of_rmsd(collective->path)
               ? qn_collective_path_of_rmsd(collective, values->s_gradient, values->z_gradient)
               : qn_collective_path_of_drmsd(collective, values->s_gradient, values->z_gradient);
}

/* Give the caller distances of all references, NaN for those that were not compared. */
static void give_distances(const qn_collective *collective, const double *distances, double *given, double *gradients)
{
    const size_t count = collective->references->count, numbers = 3 * collective->references->atom_count;
    for (size_t n = 0, k = 0; n < count; n++) {
        const bool compared = k < collective->active && collective->places[k] == n;
        k += compared;
        if (given) given[n] = compared ? distances[n] : NAN;
        for (size_t i = 0; gradients && !compared && i < numbers; i++) gradients[n * numbers + i] = NAN;
    }
}

qn_status qn_collective_evaluate(qn_collective *collective, const double *positions, qn_collective_values *values)
{
    qn_collective_values wanted = {.size = sizeof wanted};
    QN_TRY(qn_sized_struct_copy(&wanted, sizeof wanted, values, "collective values"));
    const bool rmsd = wanted.rmsd || wanted.rmsd_gradients, drmsd = wanted.drmsd || wanted.drmsd_gradients;
    if (drmsd && collective->references->pair_places == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "dRMSD is asked for but was not planned; expected the option drmsd");
    QN_TRY(take_frame(collective, positions));
    choose_active(collective);
    const bool searches = collective->screen && is_search(collective);
    const bool screen_rmsd = searches && !wanted.rmsd_gradients, screen_drmsd = searches && !wanted.drmsd_gradients;
    if (rmsd || is_of_rmsd(collective->path))
        QN_TRY(screen_rmsd
                   ? qn_collective_screen_measure(collective->screen, false, collective->frame, collective->rmsd)
                   : qn_collective_measure_rmsd(collective, wanted.rmsd_gradients));
    if (drmsd || is_of_drmsd(collective->path))
        QN_TRY(screen_drmsd
                   ? qn_collective_screen_measure(collective->screen, true, collective->frame, collective->drmsd)
                   : qn_collective_measure_drmsd(collective, wanted.drmsd_gradients));
    if (rmsd) give_distances(collective, collective->rmsd, wanted.rmsd, wanted.rmsd_gradients);
    if (drmsd) give_distances(collective, collective->drmsd, wanted.drmsd, wanted.drmsd_gradients);
    QN_TRY(follow_path(collective, is_of_rmsd(collective->path) ? screen_rmsd : screen_drmsd, &wanted));
    values->s = wanted.s;
    values->z = wanted.z;
    collective->calls++;
    return QN_OK;
}
