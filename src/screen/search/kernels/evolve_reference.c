#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/random.h"
#include "screen/search/kernels/evolve.h"

static const double turn = 6.283185307179586;

static void numbers_of(const uint32_t words[3], int numbers[6])
{
    for (int k = 0; k < 6; k++) numbers[k] = (int)(k % 2 ? words[k / 2] % 65536 : words[k / 2] / 65536);
}

/* Pack six numbers: angles are wrapped to [0, 65536) with b within a quarter turn of 0, translations limited to the
 * box. */
static void words_of(int numbers[6], uint32_t words[3])
{
    for (int k = 0; k < 3; k++) numbers[k] = ((numbers[k] % 65536) + 65536) % 65536;
    if (numbers[1] > 16384 && numbers[1] < 49152) {
        numbers[0] = (numbers[0] + 32768) % 65536;
        numbers[1] = (32768 - numbers[1] + 65536) % 65536;
        numbers[2] = (numbers[2] + 32768) % 65536;
    }
    for (int k = 3; k < 6; k++) numbers[k] = numbers[k] < 0 ? 0 : numbers[k] > 65535 ? 65535 : numbers[k];
    for (int k = 0; k < 3; k++) words[k] = (uint32_t)numbers[2 * k] * 65536 + (uint32_t)numbers[2 * k + 1];
}

/* Draw the middle of one of 64 levels; for b, levels are equal intervals of sin b. */
static int coarse_number(int k, int random)
{
    int level = random / 1024;
    if (k != 1) return 1024 * level + 512;
    long number = lround(asin((2 * level + 1) / 64.0 - 1) / turn * 65536);
    return (int)(number < 0 ? number + 65536 : number);
}

/* Draw a change of at most `step` from 16 random bits. */
static int change_of(int step, int bits)
{
    return (int)((int64_t)bits * (2 * step + 1) / 65536) - step;
}

static void draw_pose(const qn_evolve_generation *generation, const uint32_t *parent, const uint32_t key[2], int child,
                      uint32_t words[3])
{
    uint32_t counter[4] = {(uint32_t)child, (uint32_t)generation->number, 0, 0}, random[4];
    int numbers[6];
    qn_random_block(counter, key, random);
    if (parent) numbers_of(parent, numbers);
    for (int k = 0; k < 6; k++) {
        int bits = (int)(k % 2 ? random[1 + k / 2] % 65536 : random[1 + k / 2] / 65536);
        int spread = k < 3 ? generation->spread_angle : generation->spread_places[k - 3];
        for (uint32_t halvings = random[0] / (1u << 30); halvings > 0; halvings--) spread /= 2;
        if (parent)
            numbers[k] += change_of(spread, bits);
        else
            numbers[k] = coarse_number(k, bits);
    }
    words_of(numbers, words);
}

void qn_evolve_draw_reference(const qn_evolve_problem *problem, const qn_evolve_generation *generation, int places,
                              const uint32_t *parents, const int32_t *counts, const uint32_t *keys, uint32_t *words)
{
    const size_t poses = (size_t)problem->poses, all = poses * (size_t)problem->jobs;
    for (size_t pose = 0; pose < all; pose++) {
        const size_t job = pose / poses, child = pose % poses;
        const uint32_t *parent = NULL;
        uint32_t drawn[3];
        if (generation->kind != QN_EVOLVE_EVENLY)
            parent = parents + 4 * (job * (size_t)places + child % (size_t)counts[job]) + 1;
        draw_pose(generation, parent, keys + 2 * job, (int)child, drawn);
        const bool again = generation->kind == QN_EVOLVE_AGAIN && child < (size_t)counts[job];
        for (size_t k = 0; k < 3; k++) words[k * all + pose] = again ? parent[k] : drawn[k];
    }
}

void qn_evolve_transform_reference(const double box_centre_angstrom[3], const double box_side_angstrom[3],
                                   const uint32_t words[3], double transform[12])
{
    int numbers[6];
    double s[3], c[3];
    numbers_of(words, numbers);
    for (int k = 0; k < 3; k++) {
        s[k] = sin(turn * numbers[k] / 65536);
        c[k] = cos(turn * numbers[k] / 65536);
    }
    const double x[3][3] = {{1, 0, 0}, {0, c[0], -s[0]}, {0, s[0], c[0]}};
    const double y[3][3] = {{c[1], 0, s[1]}, {0, 1, 0}, {-s[1], 0, c[1]}};
    const double z[3][3] = {{c[2], -s[2], 0}, {s[2], c[2], 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            transform[4 * i + j] = 0;
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++) transform[4 * i + j] += z[i][k] * y[k][l] * x[l][j];
        }
        transform[4 * i + 3] = box_centre_angstrom[i] + box_side_angstrom[i] * (numbers[3 + i] / 65536.0 - 0.5);
    }
}

typedef struct scored_pose {
    float energy;
    uint32_t words[3];
} scored_pose;

static int by_energy_then_words(const void *left, const void *right)
{
    const scored_pose *a = left, *b = right;
    if (isnan(a->energy) != isnan(b->energy)) return isnan(a->energy) ? 1 : -1;
    if (a->energy < b->energy || a->energy > b->energy) return a->energy < b->energy ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (a->words[k] != b->words[k]) return a->words[k] < b->words[k] ? -1 : 1;
    return 0;
}

static float float_of(uint32_t bits)
{
    union {
        uint32_t bits;
        float value;
    } both = {.bits = bits};
    return both.value;
}

static uint32_t bits_of(float value)
{
    union {
        float value;
        uint32_t bits;
    } both = {.value = isnan(value) ? NAN : value == 0 ? 0.0f : value};
    return isnan(value) ? 0x7fc00000u : both.bits;
}

static void store_pose(const scored_pose *pose, uint32_t to[4])
{
    to[0] = bits_of(pose->energy);
    for (int k = 0; k < 3; k++) to[1 + k] = pose->words[k];
}

qn_status qn_evolve_choose_best_reference(const qn_evolve_problem *problem, int poses, const uint32_t *words,
                                          const float *energies, int old_places, const uint32_t *old,
                                          const int32_t *old_counts, int places, uint32_t *best, int32_t *counts)
{
    const size_t jobs = (size_t)problem->jobs, new_count = (size_t)poses, all = jobs * new_count;
    scored_pose *sorted;
    QN_TRY(qn_allocate(new_count + (size_t)old_places + 1, sizeof *sorted, (void **)&sorted));
    for (size_t job = 0; job < jobs; job++) {
        size_t count = 0, kept = 0;
        for (size_t i = job * new_count; i < (job + 1) * new_count; i++)
            sorted[count++] = (scored_pose){energies[i], {words[i], words[all + i], words[2 * all + i]}};
        for (size_t i = 0; old_places && i < (size_t)old_counts[job]; i++) {
            const uint32_t *from = old + 4 * (job * (size_t)old_places + i);
            sorted[count++] = (scored_pose){float_of(from[0]), {from[1], from[2], from[3]}};
        }
        qsort(sorted, count, sizeof *sorted, by_energy_then_words);
        for (size_t i = 0; i < count && kept < (size_t)places; i++)
            if (i == 0 || by_energy_then_words(&sorted[i], &sorted[i - 1]) != 0) sorted[kept++] = sorted[i];
        for (size_t i = 0; i < (size_t)places; i++)
            store_pose(&sorted[i % kept], best + 4 * (job * (size_t)places + i));
        counts[job] = (int32_t)kept;
    }
    qn_release(&sorted);
    return QN_OK;
}

/* Compute the RMSD without superposition, atom by atom. */
static double distance_of(const double centre[3], const double side[3], const double *positions, int atoms,
                          const uint32_t *first, const uint32_t *second)
{
    double a[12], b[12], sum = 0;
    qn_evolve_transform_reference(centre, side, first, a);
    qn_evolve_transform_reference(centre, side, second, b);
    for (int atom = 0; atom < atoms; atom++)
        for (int row = 0; row < 3; row++) {
            double difference = a[4 * row + 3] - b[4 * row + 3];
            for (int k = 0; k < 3; k++) difference += (a[4 * row + k] - b[4 * row + k]) * positions[3 * atom + k];
            sum += difference * difference;
        }
    return sqrt(sum / atoms);
}

void qn_evolve_choose_apart_reference(const qn_evolve_problem *problem, const double box_centre_angstrom[3],
                                      const double box_side_angstrom[3], const double *positions, int atoms,
                                      const uint32_t *list, const int32_t *counts, int places, double apart_angstrom,
                                      bool fill, uint32_t *chosen, int32_t *chosen_counts)
{
    for (int job = 0; job < problem->jobs; job++) {
        const uint32_t *own = list + 4 * job * places;
        uint32_t *out = chosen + 4 * job * problem->winners;
        bool taken[QN_EVOLVE_PARENTS_MAX] = {false};
        int picked = 0, placed = 0;
        for (int i = 0; i < counts[job] && picked < problem->winners; i++) {
            bool near = false;
            for (int j = 0; j < picked && !near; j++)
                near = distance_of(box_centre_angstrom, box_side_angstrom, positions + 3 * job * atoms, atoms,
                                   own + 4 * i + 1, out + 4 * j + 1) < apart_angstrom;
            if (near) continue;
            for (int k = 0; k < 4; k++) out[4 * picked + k] = own[4 * i + k];
            picked++;
            taken[i] = true;
        }
        placed = picked;
        for (int i = 0; fill && i < counts[job] && placed < problem->winners; i++) {
            if (taken[i]) continue;
            for (int k = 0; k < 4; k++) out[4 * placed + k] = own[4 * i + k];
            placed++;
        }
        chosen_counts[job] = fill ? problem->winners : picked;
        for (int i = 0; placed < problem->winners; i++, placed++)
            for (int k = 0; k < 4; k++)
                out[4 * placed + k] = fill ? own[4 * (i % counts[job]) + k] : k ? 0 : 0x7f800000u;
    }
}

static void neighbour_of(const qn_evolve_steps *steps, int level, int n, const uint32_t from[3], uint32_t to[3])
{
    const uint32_t key[2] = {0, 0}, counter[4] = {from[0], from[1], from[2], (uint32_t)(12 * level + n / 2)};
    uint32_t random[4];
    int numbers[6];
    qn_random_block(counter, key, random);
    numbers_of(from, numbers);
    for (int k = 0; k < 6; k++) {
        const int step = (k < 3 ? steps->angle : steps->places[k - 3]) / (1 << level / 2);
        const int bits = (int)(k % 2 ? random[1 + k / 2] % 65536 : random[1 + k / 2] / 65536);
        int change = k == n / 2 ? step : 0;
        if (level % 2) change = change_of(step, bits);
        numbers[k] += n % 2 ? change : -change;
    }
    words_of(numbers, to);
}

void qn_evolve_neighbours_reference(const qn_evolve_problem *problem, const qn_evolve_steps *steps,
                                    const uint32_t *winners, const int32_t *levels, uint32_t *words)
{
    const int poses = qn_evolve_neighbour_poses(problem);
    for (int job = 0; job < problem->jobs; job++)
        for (int i = 0; i < poses; i++) {
            int place = i / 12 < problem->winners ? i / 12 : 0, at = job * problem->winners + place;
            uint32_t *to = words + 3 * (job * poses + i);
            for (int k = 0; k < 3; k++) to[k] = winners[4 * at + 1 + k];
            if (i / 12 == place && levels[at] < steps->last_level)
                neighbour_of(steps, levels[at], i % 12, winners + 4 * at + 1, to);
        }
}

void qn_evolve_descend_reference(const qn_evolve_problem *problem, const qn_evolve_steps *steps, uint32_t *winners,
                                 int32_t *levels, const float *energies)
{
    const int poses = qn_evolve_neighbour_poses(problem);
    for (int at = 0; at < problem->jobs * problem->winners; at++) {
        const float *own = energies + at / problem->winners * poses + at % problem->winners * 12;
        scored_pose best = {float_of(winners[4 * at]), {0}};
        int taken = -1;
        if (levels[at] >= steps->last_level) continue;
        for (int n = 0; n < 12; n++) {
            scored_pose other = {own[n], {0}};
            if (by_energy_then_words(&other, &best) >= 0) continue;
            best = other;
            taken = n;
        }
        if (taken >= 0) {
            neighbour_of(steps, levels[at], taken, winners + 4 * at + 1, winners + 4 * at + 1);
            winners[4 * at] = bits_of(best.energy);
        } else {
            levels[at]++;
        }
    }
}
