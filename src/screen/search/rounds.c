#include "screen/search/rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "screen/search/kernels/evolve.h"

/* Largest difference of energies that count as the same minimum: a share of the lowest energy, and the least. */
static const double same_share = 0.01, same_energy = 0.1;

void qn_screen_rounds_restart(qn_screen_rounds *rounds)
{
    rounds->done = 0;
    rounds->count = 0;
}

void qn_screen_rounds_add(qn_screen_rounds *rounds, const qn_screen_pose *poses, int count)
{
    rounds->lowest[rounds->done++] = poses[0].energy;
    for (int i = 0; i < count && (i == 0 || isfinite(poses[i].energy)); i++) rounds->poses[rounds->count++] = poses[i];
    if (!isfinite(poses[0].energy)) rounds->poses[rounds->count - 1].energy = INFINITY; /* NaN cannot be sorted */
}

int qn_screen_rounds_agreeing(const qn_screen_rounds *rounds)
{
    double lowest = INFINITY;
    int agreeing = 0;
    for (int i = 0; i < rounds->done; i++) lowest = fmin(lowest, (double)rounds->lowest[i]);
    const double highest = lowest + fmax(same_share * fabs(lowest), same_energy);
    for (int i = 0; i < rounds->done; i++) agreeing += (double)rounds->lowest[i] <= highest;
    return agreeing;
}

void qn_screen_poses_pack(const qn_screen_pose *poses, int count, uint32_t *words)
{
    for (int i = 0; i < count; i++) {
        const uint16_t *number = poses[i].number;
        memcpy(words + 4 * i, &poses[i].energy, sizeof(float));
        for (int k = 0; k < 3; k++) words[4 * i + 1 + k] = (uint32_t)number[2 * k] << 16 | number[2 * k + 1];
    }
}

void qn_screen_poses_unpack(const uint32_t *words, int count, qn_screen_pose *poses)
{
    for (int i = 0; i < count; i++) {
        memcpy(&poses[i].energy, words + 4 * i, sizeof(float));
        for (int k = 0; k < 6; k++) poses[i].number[k] = (uint16_t)(words[4 * i + 1 + k / 2] >> (k % 2 ? 0 : 16));
    }
}

static int compare_poses(const void *a, const void *b)
{
    const qn_screen_pose *first = a, *second = b;
    if (first->energy != second->energy) return first->energy < second->energy ? -1 : 1;
    for (int i = 0; i < 6; i++)
        if (first->number[i] != second->number[i]) return first->number[i] < second->number[i] ? -1 : 1;
    return 0;
}

void qn_screen_rounds_sort(qn_screen_rounds *rounds)
{
    if (rounds->count) qsort(rounds->poses, (size_t)rounds->count, sizeof *rounds->poses, compare_poses);
}

void qn_screen_rounds_list(const qn_screen_rounds *rounds, const qn_screen_pose *minimised, int minimised_count,
                           const float *frame, const float moments[6], float apart_angstrom,
                           qn_screen_pose minima[QN_SCREEN_MINIMA])
{
    int count = 0, from_minimised = 0, from_rounds = 0, rounds_count = rounds->count;
    while (minimised_count > 0 && !isfinite(minimised[minimised_count - 1].energy)) minimised_count--;
    while (rounds_count > 0 && !isfinite(rounds->poses[rounds_count - 1].energy)) rounds_count--;
    while (count < QN_SCREEN_MINIMA && (from_minimised < minimised_count || from_rounds < rounds_count)) {
        const qn_screen_pose *one = from_minimised < minimised_count ? &minimised[from_minimised] : NULL;
        const qn_screen_pose *other = from_rounds < rounds_count ? &rounds->poses[from_rounds] : NULL;
        const bool takes_one = one && (!other || compare_poses(one, other) <= 0);
        const qn_screen_pose *next = takes_one ? one : other;
        bool unlike = true;
        from_minimised += takes_one;
        from_rounds += !takes_one;
        for (int i = 0; i < count && unlike; i++)
            unlike =
                qn_evolve_distance2(frame, moments, minima[i].number, next->number) >= apart_angstrom * apart_angstrom;
        if (unlike) minima[count++] = *next;
    }
    for (; count < QN_SCREEN_MINIMA; count++) minima[count] = (qn_screen_pose){.energy = INFINITY};
}
