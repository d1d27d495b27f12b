/* Parts of qn_fft_advise: candidates by estimate (advise.c), measuring (advise_measure.c), stored answers
 * (advise_cache.c). */
#ifndef QN_FFT_ADVISE_H
#define QN_FFT_ADVISE_H

#include "fft/estimate.h"

/* Number of engines that are compared: one, or those that AUTO chooses from. */
enum { QN_FFT_MODELS_MAX = 2 };

typedef struct qn_fft_question {
    qn_fft_advice_options options; /* checked options with defaults filled in; missing axes have length 1 */
    bool real;
    int threads;
    uint64_t memory_limit_bytes, buffer_limit_bytes;
    int low[3], high[3]; /* limits of each wanted axis */
    qn_fft_model models[QN_FFT_MODELS_MAX];
    int model_count;
    bool host_rule; /* qn_fft_is_for_own chooses the model, as AUTO does on the host */
} qn_fft_question;

/* Limits of one axis, with crop and grow in percent. Rounding never exceeds what is allowed. */
int qn_fft_lowest_size(int size, double crop_percent);
int qn_fft_highest_size(int size, double grow_percent);

/* Find the best `capacity` candidates by estimate, best first, without the wanted size; *considered is the number of
 * all compared sizes. */
QN_MUST_CHECK qn_status qn_fft_find_candidates(const qn_fft_question *question, size_t capacity, qn_fft_advice *rows,
                                               size_t *count, size_t *considered);

/* Estimate a size and set its passes, bytes, engine and usability. Returns the cost, negative if no engine transforms
 * the size. */
double qn_fft_estimate_row(const qn_fft_question *question, qn_fft_advice *row);

/* Mark a row as unusable and give the reason. */
void qn_fft_refuse_row(qn_fft_advice *row, const char *format, ...) QN_PRINTF_LIKE(2, 3);

/* Measure all usable rows in turns. Rows that fail become unusable, with the reason. Slow rows are given up, row
 * `wanted` only later than others. */
QN_MUST_CHECK qn_status qn_fft_measure_rows(qn_device *device, const qn_fft_question *question, qn_fft_advice *rows,
                                            size_t count, size_t wanted);

/* Stored answers. qn_fft_advice_take sets *found if there is an answer, and allocates its rows. A damaged file is
 * renamed with a warning; no failure of the store fails the advice. */
void qn_fft_advice_take(qn_device *device, const qn_fft_advice_options *options, qn_fft_advice_report *report,
                        bool *found);
void qn_fft_advice_keep(qn_device *device, const qn_fft_advice_options *options, const qn_fft_advice_report *report);

#endif
