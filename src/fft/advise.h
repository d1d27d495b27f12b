/* The parts of qn_fft_advise: candidates by estimate (advise.c), measuring (advise_measure.c), kept answers
 * (advise_cache.c). */
#ifndef QN_FFT_ADVISE_H
#define QN_FFT_ADVISE_H

#include "fft/estimate.h"

/* Engines an advice may be about: one, or those that AUTO chooses from. */
enum { QN_FFT_MODELS_MAX = 2 };

typedef struct qn_fft_question {
    qn_fft_advice_options options; /* checked, defaults filled in, axes of 1 for missing ones */
    bool real;
    int threads;
    uint64_t memory_limit_bytes, buffer_limit_bytes;
    int low[3], high[3]; /* of each wanted axis */
    qn_fft_model models[QN_FFT_MODELS_MAX];
    int model_count;
    bool host_rule; /* one model or the other by qn_fft_is_for_own, as AUTO does on the host */
} qn_fft_question;

/* Limits of one axis: crop and grow in percent. No rounding ever goes beyond what was allowed. */
int qn_fft_lowest_size(int size, double crop_percent);
int qn_fft_highest_size(int size, double grow_percent);

/* The best `capacity` candidates by estimate, best first, without the wanted size; *considered counts all compared. */
QN_MUST_CHECK qn_status qn_fft_find_candidates(const qn_fft_question *question, size_t capacity, qn_fft_advice *rows,
                                               size_t *count, size_t *considered);

/* Estimate a size: passes, bytes, engine, usable. Returns the cost, negative when no engine transforms it. */
double qn_fft_estimate_row(const qn_fft_question *question, qn_fft_advice *row);

/* Make a row unusable for a reason. */
void qn_fft_refuse_row(qn_fft_advice *row, const char *format, ...) QN_PRINTF_LIKE(2, 3);

/* Measure all usable rows in turns; rows that fail become unusable, with the reason. `wanted` is never given up early
 * for being slow. */
QN_MUST_CHECK qn_status qn_fft_measure_rows(qn_device *device, const qn_fft_question *question, qn_fft_advice *rows,
                                            size_t count, size_t wanted);

/* Kept answers. Take: *found tells whether there was one; its rows are allocated. A file that cannot be read is set
 * aside with a warning, and nothing of the cache ever fails. */
void qn_fft_advice_take(qn_device *device, const qn_fft_advice_options *options, qn_fft_advice_report *report,
                        bool *found);
void qn_fft_advice_keep(qn_device *device, const qn_fft_advice_options *options, const qn_fft_advice_report *report);

#endif
