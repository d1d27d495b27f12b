/* Exposure: the weights that keep the signal of a movie as the beam destroys it.
 *
 * Grant and Grigorieff 2015 (doi 10.7554/eLife.06980), equations 3 to 9. A frame whose last electron arrives at an
 * exposure D_t (e/Å²) keeps the share q_t(k) = exp(−D_t / (2 N_e(k) v)) of its amplitude at frequency k (1/Å), with
 * N_e = 0.245 k^−1.665 + 2.81 and v = 1 at 300 kV, 0.8 at 200 kV, 0.64 at 100 kV. Its weight is
 * w_t = q_t / √(Σ_t q_t²), so that the sum of frames has the noise of one frame at every frequency.
 *
 * The table of weights, frames × frequencies, is nearly of rank 6: w_t(k) = Σ_r a_r(t) b_r(k). So frames need not be
 * transformed to be weighted: they are added into one sum for each r, and only the sums are.
 *
 * Thread rule: any thread. */
#ifndef QN_MOVIE_WARP_EXPOSURE_H
#define QN_MOVIE_WARP_EXPOSURE_H

#include <quern/status.h>
#include <stdbool.h>

enum { QN_EXPOSURE_RANK_MAX = 10, QN_EXPOSURE_BINS = 4096 };

typedef struct qn_exposure {
    int frame_count;
    const double *dose; /* [frame] e/Å² at the end of the frame, with the exposure before the movie; ascending */
    double voltage_kv;
} qn_exposure;

/* v of a voltage: 1, 0.8 and 0.64 at 300, 200 and 100 kV, linear between them and constant beyond. *known (may be NULL)
 * becomes whether the voltage is one of the three, within 1 kV; the caller warns if not. */
double qn_exposure_voltage_factor(double voltage_kv, bool *known);

/* N_e(k) · v in e/Å²: infinite at frequency 0. */
double qn_exposure_critical(double frequency, double voltage_kv);

/* weights[frame] = w_t at a frequency in 1/Å. */
void qn_exposure_weights(const qn_exposure *exposure, double frequency, double *weights);

/* w_t(k) = Σ_r frame[t][r] · frequency[r][k]. Columns of `frame` are orthonormal. Bin i is at the frequency i · step;
 * values between bins are linear. */
typedef struct qn_exposure_ranks {
    int count; /* smallest number of terms whose error is at most 2e-5 at every frame and bin */
    int frame_count;
    double step;       /* 1/Å */
    double error;      /* largest error at a bin */
    double *frame;     /* [frame_count][count] */
    double *frequency; /* [count][QN_EXPOSURE_BINS] */
} qn_exposure_ranks;

/* Factorise the weights of frequencies up to `most`, 1/Å. Errors: QN_INVALID_ARGUMENT for no frame, exposures that are
 * negative, descend or are not finite, a voltage or `most` ≤ 0; QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_exposure_factorise(const qn_exposure *exposure, double most, qn_exposure_ranks *ranks);
void qn_exposure_ranks_release(qn_exposure_ranks *ranks);

#endif
