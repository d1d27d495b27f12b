/* The matrix of distances of a run: its tiles are dealt to the devices of all ranks, recorded in the job's journal, and
 * stored in one file, which ranks on several machines share.
 *
 *     QN_TRY(qn_matrix_key(&request));                in read_inputs, beside qn_models_key
 *     …qn_job_output, qn_job_journal…
 *     QN_TRY(qn_matrix_compute(&request, &matrix));   every rank calls
 *     …on the first rank: qn_matrix_distances, then qn_matrix_write…
 *     qn_matrix_destroy(&matrix);
 */
#ifndef QN_CLUSTER_MATRIX_MATRIX_H
#define QN_CLUSTER_MATRIX_MATRIX_H

#include "cluster/measure/measure.h"
#include "cluster/method/distance_matrix.h"
#include "job/job.h"

/* Beginning of the name of the file of values in the journals' folder: `aside` of the job's output. */
#define QN_MATRIX_ASIDE "values."

typedef struct qn_matrix_request {
    qn_job *job;
    const qn_structures *structures;
    size_t first_count; /* rows; the other structures are the references, which are the columns. All: pairs i < j */
    const qn_measure *measure;
    const qn_measure_settings *settings;
    bool sixteen_bits; /* store multiples of measure->step */
    bool as_distances; /* store 1 − value of a similarity */
} qn_matrix_request;

typedef struct qn_matrix {
    size_t count, reference_count; /* rows; columns, 0: pairs i < j */
    uint64_t value_count;
    const float *values;   /* one of the two is NULL; on ranks other than 0 both are */
    const uint16_t *steps; /* value / step */
    float step;
    float self;             /* value of a structure to itself: 0, or 1 where similarities are stored */
    uint64_t resumed_pairs; /* on rank 0: of earlier runs */
    double seconds;         /* of measuring */
    struct qn_tile_store *store;
} qn_matrix;

/* Refuse structures that the measure cannot use, and put what the values depend on into the key. */
QN_MUST_CHECK qn_status qn_matrix_key(const qn_matrix_request *request);

/* Open the devices that the measure needs. */
QN_MUST_CHECK qn_status qn_matrix_devices(qn_job *job, const qn_measure *measure);

/* Estimate the seconds of the whole matrix on the job's devices, for qn_job_tune. */
double qn_matrix_expected_seconds(const qn_matrix_request *request);

/* Compute all values. Without an output they are in memory, else in a file in the journals' folder, mapped into memory.
 * Every rank must call. QN_CANCELLED (resumable where there is an output), QN_OUT_OF_MEMORY, QN_DEVICE_LOST,
 * QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_matrix_compute(const qn_matrix_request *request, qn_matrix **matrix);
void qn_matrix_destroy(qn_matrix **matrix);

/* The pairs i < j, for methods. */
qn_distance_matrix qn_matrix_distances(const qn_matrix *matrix);

/* Value number `place` in the order of the file. */
static inline float qn_matrix_value(const qn_matrix *matrix, uint64_t place)
{
    return matrix->values ? matrix->values[place] : (float)matrix->steps[place] * matrix->step;
}

/* Give the file of values its final name, such as "matrix.npy" (see qn_job_path). On the first rank only. The values
 * stay valid. */
QN_MUST_CHECK qn_status qn_matrix_write(const qn_matrix *matrix, qn_job *job, const char *name);

/* Least, mean and largest of the values. */
typedef struct qn_matrix_range {
    double smallest, mean, largest;
} qn_matrix_range;
QN_MUST_CHECK qn_status qn_matrix_find_range(const qn_matrix *matrix, qn_pool *pool, qn_matrix_range *range);

/* Write the matrix as a table with the names of rows and columns: all pairs of rows as a full square. On the first rank
 * only. `corner`: the first cell; `names`: of the rows, then of the references. */
QN_MUST_CHECK qn_status qn_matrix_write_csv(const qn_matrix *matrix, qn_job *job, const char *name, const char *corner,
                                            char *const *names);

#endif
