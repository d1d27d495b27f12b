/* BFGS and chains of flexible/search on the host, 16 chains of a molecule at once. Each lane goes its own way from one
 * evaluation to the next: where its minimisation ends, it begins the next pass at once, and where its step ends, it
 * takes a step of the leg that is furthest behind. So all lanes have work nearly to the end. */
#ifndef QN_FLEXIBLE_SEARCH_CHAINS_H
#define QN_FLEXIBLE_SEARCH_CHAINS_H

#include "flexible/kernels/search_lanes.h"

/* A step of a chain in a lane. */
typedef struct lane_step {
    int leg;   /* of the task; −1: the lane is idle */
    int place; /* of the chain among all chains */
    int step, pass, accepted, promising, evaluations;
} lane_step;

/* Legs of chains of a molecule that a task walks. */
typedef struct search_walk {
    const search_scalars *scalars;
    float *states;       /* [chain][2][QN_SEARCH_POSE] */
    int *counters;       /* [chain][2] */
    const qn_int4 *legs; /* chain, first step, steps */
    int leg_count;
    int *left;   /* [leg] steps that have not ended; below 0: a lane has the chain */
    int walking; /* lanes that are not idle */
    lane_step lane_steps[QN_SEARCH_WIDTH];
    search_lanes lanes;
} search_walk;

/* ---- BFGS ---- */

/* trial ← pose moved by `way` times `direction`; torsions stay in −π … π. */
static inline void lanes_move(const search_lanes *v)
{
    const float *from = v->pose, *direction = v->direction, *way = v->way;
    float *to = v->trial;
    EACH_LANE(lane) search_move_root(from + lane, direction + lane, way[lane], to + lane);
    for (int k = 0; k + 1 < v->pieces; k++) {
        const int at = SEARCH_AT(QN_SEARCH_TORSIONS + k);
        const float *step = direction + SEARCH_AT(6 + k);
        EACH_LANE(lane) to[at + lane] = search_turned(from[at + lane], step[lane], way[lane]);
    }
}

/* to ← from in the lanes that are `wanted`. */
static inline void lanes_copy(const int *wanted, const float *from, float *to, int count)
{
    for (int i = 0; i < count; i++) EACH_LANE(lane)
        {
            const int at = SEARCH_AT(i) + lane;
            to[at] = wanted[lane] ? from[at] : to[at];
        }
}

/* The inverse becomes a multiple of the unit matrix in the lanes that are `wanted`. */
static inline void lanes_diagonal(const search_lanes *v, const int *wanted, const float *value)
{
    float *row = v->inverse;
    for (int i = 0; i < v->freedoms; row += SEARCH_AT(++i))
        for (int j = 0; j <= i; j++) EACH_LANE(lane)
            {
                const float element = i == j ? value[lane] : 0.0f;
                row[SEARCH_AT(j) + lane] = wanted[lane] ? element : row[SEARCH_AT(j) + lane];
            }
}

/* image ← factor · inverse · vector. */
static inline void lanes_apply(const search_lanes *v, const float *vector, float factor, float *image)
{
    const float *row = v->inverse;
    for (int i = 0; i < v->freedoms; row += SEARCH_AT(++i)) {
        float sum[QN_SEARCH_WIDTH] = {0};
        for (int j = 0; j < i; j++)
            EACH_LANE(lane) sum[lane] = FMA(row[SEARCH_AT(j) + lane], vector[SEARCH_AT(j) + lane], sum[lane]);
        const float *element = row + SEARCH_AT(i);
        for (int j = i; j < v->freedoms; element += SEARCH_AT(++j))
            EACH_LANE(lane) sum[lane] = FMA(element[lane], vector[SEARCH_AT(j) + lane], sum[lane]);
        EACH_LANE(lane) image[SEARCH_AT(i) + lane] = factor * sum[lane];
    }
}

/* Add the change of BFGS to the inverse in the lanes that are `wanted`. */
static inline void lanes_add_change(const search_lanes *v, const int *wanted, const float *factor, const float *inverse)
{
    float *row = v->inverse;
    const float *image = v->image, *step = v->step;
    for (int i = 0; i < v->freedoms; row += SEARCH_AT(++i))
        for (int j = 0; j <= i; j++) EACH_LANE(lane)
            {
                const int a = SEARCH_AT(i) + lane, b = SEARCH_AT(j) + lane;
                const float mixed = image[a] * step[b] + step[a] * image[b];
                const float more = row[b] + FMA(factor[lane], step[a] * step[b], -(inverse[lane] * mixed));
                row[b] = wanted[lane] ? more : row[b];
            }
}

/* The update of BFGS in the lanes that are `wanted`, with step s, `way` times `direction`, and change of gradient y,
 * `next` − `gradient`; the inverse is scaled before the first one. */
static inline void lanes_update(const search_lanes *v, const int *wanted)
{
    const float *direction = v->direction, *next = v->next, *gradient = v->gradient, *way = v->way;
    const int *round = v->round;
    float *step = v->step, *change = v->change;
    float sy[QN_SEARCH_WIDTH], yy[QN_SEARCH_WIDTH], inverse[QN_SEARCH_WIDTH], value[QN_SEARCH_WIDTH];
    int curved[QN_SEARCH_WIDTH], first[QN_SEARCH_WIDTH], any_first = 0;
    for (int i = 0; i < v->freedoms; i++) EACH_LANE(lane)
        {
            const int at = SEARCH_AT(i) + lane;
            step[at] = direction[at] * way[lane];
            change[at] = next[at] - gradient[at];
        }
    lanes_product(v, step, change, sy);
    lanes_product(v, change, change, yy);
    EACH_LANE(lane)
    {
        curved[lane] = wanted[lane] & (sy[lane] > 1e-12f);
        first[lane] = curved[lane] & (round[lane] == 0);
        inverse[lane] = exact_reciprocal(FMAX(sy[lane], 1e-12f));
        value[lane] = sy[lane] * exact_reciprocal(FMAX(yy[lane], 1e-24f));
    }
    for (int lane = 0; lane < QN_SEARCH_WIDTH; lane++) any_first |= first[lane];
    if (any_first) lanes_diagonal(v, first, value);
    lanes_apply(v, change, 1.0f, v->image);
    lanes_product(v, change, v->image, value);
    EACH_LANE(lane) value[lane] = FMA(value[lane], inverse[lane], 1.0f) * inverse[lane];
    lanes_add_change(v, curved, value, inverse);
}

/* The next directions, and what the slopes are there. A lane whose energy did not fall has the same gradient and
 * inverse as before, and so gets the same direction. */
static inline void lanes_direct(const search_lanes *v, float *square)
{
    const int *round = v->round;
    float value[QN_SEARCH_WIDTH];
    int first[QN_SEARCH_WIDTH], any_first = 0;
    lanes_product(v, v->gradient, v->gradient, square);
    EACH_LANE(lane)
    {
        first[lane] = round[lane] < 0;
        value[lane] = FMIN(1.0f, 0.3f * exact_rsqrt(FMAX(square[lane], 1e-12f)));
    }
    for (int lane = 0; lane < QN_SEARCH_WIDTH; lane++) any_first |= first[lane];
    if (any_first) lanes_diagonal(v, first, value);
    lanes_apply(v, v->gradient, -1.0f, v->direction);
    lanes_product(v, v->direction, v->gradient, v->slope);
}

/* One evaluation of each chain, and what follows from it up to the next one. */
static inline void lanes_advance(search_lanes *v, const search_scalars *s)
{
    float *reached = v->reached, *energy = v->energy, *slope = v->slope, *way = v->way, square[QN_SEARCH_WIDTH];
    int lower[QN_SEARCH_WIDTH], updated[QN_SEARCH_WIDTH], last[QN_SEARCH_WIDTH], any_updated = 0;
    int *round = v->round, *halvings = v->halvings, *going = v->going;
    const int rounds = v->rounds, exact = v->receptor != NULL;
    const int most = exact ? QN_SEARCH_EXACT_HALVINGS : QN_SEARCH_HALVINGS;
    lanes_move(v);
    lanes_evaluate(v, s, v->trial, v->next);
    EACH_LANE(lane)
    {
        lower[lane] = (round[lane] < 0) | (reached[lane] - energy[lane] < 1e-4f * way[lane] * slope[lane]);
        updated[lane] = lower[lane] & (round[lane] >= 0);
        last[lane] = exact & (round[lane] >= 0) & (energy[lane] - reached[lane] < QN_SEARCH_LEAST_FALL);
    }
    for (int lane = 0; lane < QN_SEARCH_WIDTH; lane++) any_updated |= updated[lane];
    if (any_updated) lanes_update(v, updated);
    lanes_copy(lower, v->next, v->gradient, v->freedoms);
    lanes_copy(lower, v->trial, v->pose, QN_SEARCH_TORSIONS - 1 + v->pieces);
    lanes_direct(v, square);
    EACH_LANE(lane)
    {
        const int fell = lower[lane];
        energy[lane] = fell ? reached[lane] : energy[lane];
        round[lane] += fell;
        way[lane] = fell ? 1.0f : 0.5f * way[lane];
        halvings[lane] = fell ? 0 : halvings[lane] + 1;
        going[lane] = fell ? (round[lane] < rounds) & (square[lane] > 1e-10f) & !last[lane] : halvings[lane] <= most;
    }
}

/* ---- Chains ---- */

static inline void lane_load(const float *from, float *to, int lane, int count)
{
    for (int i = 0; i < count; i++) to[SEARCH_AT(i) + lane] = from[i];
}

static inline void lane_store(const float *from, int lane, float *to, int count)
{
    for (int i = 0; i < count; i++) to[i] = from[SEARCH_AT(i) + lane];
}

static inline void lane_begin_minimisation(search_lanes *v, int lane, float bend)
{
    v->bend[lane] = bend;
    v->way[lane] = 1.0f;
    v->round[lane] = -1;
    v->halvings[lane] = 0;
    for (int i = 0; i < v->freedoms; i++) v->direction[SEARCH_AT(i) + lane] = 0.0f;
}

static inline void lane_begin_pass(search_walk *walk, int lane, int pass)
{
    walk->lane_steps[lane].pass = pass;
    lane_begin_minimisation(&walk->lanes, lane, pass == 0 ? QN_SEARCH_SOFT : QN_SEARCH_HARD);
}

/* The leg with the most steps left of those whose chain is in no lane; −1: none has any. */
static inline int walk_find_leg(const search_walk *walk)
{
    int found = -1, most = 0;
    for (int i = 0; i < walk->leg_count; i++)
        if (walk->left[i] > most) found = i, most = walk->left[i];
    return found;
}

/* Give a lane the next step of a leg, if there is one. */
static inline void lane_begin_step(search_walk *walk, int lane)
{
    search_lanes *v = &walk->lanes;
    const search_scalars *s = walk->scalars;
    const int found = walk_find_leg(walk);
    lane_step *step = &walk->lane_steps[lane];
    step->leg = found;
    if (found < 0) return;
    const qn_int4 leg = walk->legs[found];
    const int number = leg.x % s->chains;
    *step = (lane_step){.leg = found, .place = leg.x, .step = leg.y + leg.z - walk->left[found]};
    walk->left[found] = -walk->left[found];
    walk->walking++;
    lane_begin_pass(walk, lane, 0);
    lane_load(walk->states + 2 * QN_SEARCH_POSE * (size_t)leg.x, v->pose, lane, QN_SEARCH_TORSIONS - 1 + v->pieces);
    if (step->step == 0)
        search_draw_start(s, v->molecule, v->pieces, number, v->pose + lane);
    else
        search_draw_step(s, v->molecule, v->pieces, v->turn, number, step->step, v->pose + lane, v->direction + lane);
}

static inline void lane_end_step(search_walk *walk, int lane)
{
    const search_lanes *v = &walk->lanes;
    const lane_step *step = &walk->lane_steps[lane];
    const int count = QN_SEARCH_TORSIONS - 1 + v->pieces;
    float *current = walk->states + 2 * QN_SEARCH_POSE * (size_t)step->place, *best = current + QN_SEARCH_POSE;
    const float energy = v->energy[lane];
    v->pose[SEARCH_AT(QN_SEARCH_TORSIONS - 1) + lane] = energy;
    if (step->accepted) lane_store(v->pose, lane, current, count);
    if (step->promising && (step->step == 0 || energy < best[QN_SEARCH_TORSIONS - 1]))
        lane_store(v->pose, lane, best, count);
    walk->counters[2 * step->place] += step->evaluations;
    walk->counters[2 * step->place + 1] += step->accepted;
    walk->left[step->leg] = -walk->left[step->leg] - 1;
    walk->walking--;
}

/* The minimisation of a lane has ended: a promising pose is minimised again, with the hard bend; else the step ends. */
static inline void lane_end_pass(search_walk *walk, int lane)
{
    const search_lanes *v = &walk->lanes;
    lane_step *step = &walk->lane_steps[lane];
    const float *current = walk->states + 2 * QN_SEARCH_POSE * (size_t)step->place, *best = current + QN_SEARCH_POSE;
    const int starts = step->step == 0, energy_at = QN_SEARCH_TORSIONS - 1;
    if (step->pass == 0) {
        step->accepted = starts || search_accepts(walk->scalars, v->molecule, step->place % walk->scalars->chains,
                                                  step->step, current[energy_at], v->energy[lane]);
        step->promising = step->accepted && (starts || v->energy[lane] < best[energy_at]);
        if (step->promising) {
            lane_begin_pass(walk, lane, 1);
            return;
        }
    }
    lane_end_step(walk, lane);
    lane_begin_step(walk, lane);
}

/* Walk all legs. */
static inline void search_walk_run(search_walk *walk)
{
    for (int i = 0; i < walk->leg_count; i++) walk->left[i] = walk->legs[i].z;
    for (int lane = 0; lane < QN_SEARCH_WIDTH; lane++) lane_begin_step(walk, lane);
    while (walk->walking > 0) {
        lanes_advance(&walk->lanes, walk->scalars);
        for (int lane = 0; lane < QN_SEARCH_WIDTH; lane++) {
            if (walk->lane_steps[lane].leg < 0) continue;
            walk->lane_steps[lane].evaluations++;
            if (!walk->lanes.going[lane]) lane_end_pass(walk, lane);
        }
    }
}

#endif
