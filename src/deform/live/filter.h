/* Where a hand is and where it goes: a filter of place, velocity and acceleration (α-β-γ).
 *
 * The gains are those of the fading memory (Morrison 1969): the best parabola through all places so far with weights
 * that fall by θ a sample, α = 1 − θ³, β = 3/2 (1 − θ)² (1 + θ), γ = ½ (1 − θ)³. So the three poles are equal, θ, and a
 * constant acceleration is followed without a lag. Each step has the gains of its length. */
#ifndef QN_DEFORM_LIVE_FILTER_H
#define QN_DEFORM_LIVE_FILTER_H

#include <stdbool.h>

typedef struct qn_hand_filter {
    double memory_s, step_s, alpha, beta, gamma; /* the gains are those of the step */
    bool is_started;
    double place[3], velocity[3], acceleration[3]; /* m, m/s, m/s² */
} qn_hand_filter;

/* A filter with θ = exp(−step / memory). */
qn_hand_filter qn_hand_filter_start(double memory_s);

/* Take the next place, `step_s` > 0 after the one before. After the first one the hand is taken to stand still. */
void qn_hand_filter_add(qn_hand_filter *filter, const double place[3], double step_s);

/* Where the hand will be. The acceleration is taken to last 50 ms, the velocity that it leads to for ever: a hand that
 * stops or turns would otherwise be expected far away. */
void qn_hand_filter_predict(const qn_hand_filter *filter, double ahead_s, double place[3]);

#endif
