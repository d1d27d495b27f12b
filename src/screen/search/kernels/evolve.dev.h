/* Poses and how new ones are drawn. The code is shared by all devices and the host and gives the same bits everywhere.
 *
 * A pose is six 16-bit numbers a, b, c, x, y, z (screen/search/search.h) in three words, the first of each pair in the
 * upper half, so that words compare as the numbers do. b is kept between −¼ and ¼ turn, where cos b ≥ 0: the rotations
 * (a, b, c) and (a + ½, ½ − b, c + ½) turns are equal, and one of the two has such a b.
 *
 * Frame: 65,536 sines, then the corner of the box (Å, x y z), then the box sides / 65536. */
#ifndef QN_SCREEN_EVOLVE_DEV_H
#define QN_SCREEN_EVOLVE_DEV_H

#include "runtime/kernels/random.dev.h"

/* Arguments of `draw`, `choose_best`, `choose_apart`, `neighbours` and `descend`, in order. */
enum { DRAW_WORDS, DRAW_TRANSFORMS, DRAW_PARENTS, DRAW_COUNTS, DRAW_KEYS, DRAW_FRAME, DRAW_SCALARS, DRAW_ARGUMENTS };
enum { BEST_WORDS, BEST_ENERGIES, BEST_OLD, BEST_OLD_COUNTS, BEST_BEST, BEST_COUNTS, BEST_SCALARS, BEST_ARGUMENTS };
enum {
    APART_PARENTS,
    APART_COUNTS,
    APART_MOMENTS,
    APART_FRAME,
    APART_CHOSEN,
    APART_CHOSEN_COUNTS,
    APART_LEVELS,
    APART_SCALARS,
    APART_ARGUMENTS
};
enum {
    NEIGHBOURS_TRANSFORMS,
    NEIGHBOURS_CHOSEN,
    NEIGHBOURS_LEVELS,
    NEIGHBOURS_FRAME,
    NEIGHBOURS_SCALARS,
    NEIGHBOURS_ARGUMENTS
};
enum { DESCEND_CHOSEN, DESCEND_LEVELS, DESCEND_ENERGIES, DESCEND_SCALARS, DESCEND_ARGUMENTS };

typedef struct draw_scalars {
    int jobs, poses;
    int keep; /* parents of a job */
    int generation;
    int kind;         /* of qn_evolve_kind */
    int spread_angle; /* 65536 to the turn */
    int spread[3];    /* along x, y, z; 65536 to the side of the box */
} draw_scalars;

typedef struct best_scalars {
    int jobs, poses;
    int old_keep; /* places of the old poses of a job */
    int keep;     /* places of the best ones */
} best_scalars;

typedef struct apart_scalars {
    int keep;     /* poses of a job's list, at most */
    int winners;  /* places of the chosen ones */
    float apart2; /* squared distance (square angstrom) */
    int fill;     /* 1: fill the unused places with poses that are nearer */
} apart_scalars;

typedef struct neighbour_scalars {
    int jobs, winners;
    int poses; /* neighbours of a job's winners, with padding */
    int last_level;
    int step_angle; /* of level 0; 65536 to the turn */
    int step[3];    /* of level 0, along x, y, z; 65536 to the side of the box */
} neighbour_scalars;

#define POSE_FULL 65536    /* a turn, a box side */
#define POSE_GRID_BITS 10  /* coarse draws are multiples of 2^10: 64 levels for each number */
#define POSE_NEIGHBOURS 12 /* one step forth and one back along each of six directions */

/* Values of b at the centres of 64 equal intervals of sin b: with uniform a and c they make rotations uniform. */
CONSTANT qn_uint32 pose_inclination[64] = {
    50998, 52358, 53302, 54076, 54751, 55359, 55918, 56441, 56934, 57403, 57852, 58284, 58701, 59106, 59501, 59885,
    60262, 60631, 60993, 61350, 61702, 62049, 62392, 62732, 63068, 63402, 63734, 64064, 64393, 64720, 65047, 65373,
    163,   489,   816,   1143,  1472,  1802,  2134,  2468,  2804,  3144,  3487,  3834,  4186,  4543,  4905,  5274,
    5651,  6035,  6430,  6835,  7252,  7684,  8133,  8602,  9095,  9618,  10177, 10785, 11460, 12234, 13178, 14538};

/* An integer that compares as the energy does: −0 equals 0, NaN comes last. */
DEVICE_FN qn_uint32 energy_key(qn_uint32 bits)
{
    qn_uint32 size = bits & 0x7fffffffu;
    if (size > 0x7f800000u) return 0xffffffffu;
    if (size == 0u) return 0x80000000u;
    return (bits & 0x80000000u) ? ~bits : (bits | 0x80000000u);
}

DEVICE_FN qn_uint32 energy_bits(qn_uint32 key)
{
    if (key == 0xffffffffu) return 0x7fc00000u;
    return (key & 0x80000000u) ? (key & 0x7fffffffu) : ~key;
}

DEVICE_FN void pose_unpack(const qn_uint32 words[3], int numbers[6])
{
    UNROLL
    for (int k = 0; k < 3; k++) {
        numbers[2 * k] = (int)(words[k] >> 16);
        numbers[2 * k + 1] = (int)(words[k] & 0xffffu);
    }
}

/* Pack six numbers into words: angles are wrapped into the kept form, translations are limited to the box. */
DEVICE_FN void pose_pack(int numbers[6], qn_uint32 words[3])
{
    int inclination = numbers[1] & (POSE_FULL - 1);
    int turn = inclination > POSE_FULL / 4 && inclination < 3 * POSE_FULL / 4 ? POSE_FULL / 2 : 0;
    if (turn) inclination = (POSE_FULL / 2 - inclination) & (POSE_FULL - 1);
    numbers[0] = (numbers[0] + turn) & (POSE_FULL - 1);
    numbers[1] = inclination;
    numbers[2] = (numbers[2] + turn) & (POSE_FULL - 1);
    UNROLL
    for (int k = 3; k < 6; k++) numbers[k] = CLAMP(numbers[k], 0, POSE_FULL - 1);
    UNROLL
    for (int k = 0; k < 3; k++) words[k] = ((qn_uint32)numbers[2 * k] << 16) | (qn_uint32)numbers[2 * k + 1];
}

/* Number k on the coarse grid, from 16 random bits. */
DEVICE_FN int pose_coarse(int k, qn_uint32 random)
{
    int level = (int)(random >> POSE_GRID_BITS);
    if (k == 1) return (int)pose_inclination[level];
    return (level << POSE_GRID_BITS) + (1 << (POSE_GRID_BITS - 1));
}

/* Draw a number at most `spread` (below 2^15) away from `number`, from 16 random bits. */
DEVICE_FN int pose_near(int number, int spread, qn_uint32 random)
{
    return number + (int)((random * (2u * (qn_uint32)spread + 1u)) >> 16) - spread;
}

/* Draw a pose anywhere in the box, from a random block. */
DEVICE_FN void pose_draw(const qn_uint32 random[4], qn_uint32 words[3])
{
    int numbers[6];
    UNROLL
    for (int k = 0; k < 6; k++)
        numbers[k] = pose_coarse(k, (k & 1) ? (random[1 + k / 2] & 0xffffu) : (random[1 + k / 2] >> 16));
    pose_pack(numbers, words);
}

/* Turn a parent into its child: draw all numbers near those of the parent, on one of four scales, each half of the
 * previous one. */
DEVICE_FN void pose_mutate(const qn_uint32 random[4], int spread_angle, const int spread[3], qn_uint32 words[3])
{
    int numbers[6], halvings = (int)(random[0] >> 30);
    pose_unpack(words, numbers);
    UNROLL
    for (int k = 0; k < 6; k++)
        numbers[k] = pose_near(numbers[k], (k < 3 ? spread_angle : spread[k - 3]) >> halvings,
                               (k & 1) ? (random[1 + k / 2] & 0xffffu) : (random[1 + k / 2] >> 16));
    pose_pack(numbers, words);
}

/* Compute the n-th neighbour, n = 0 … 11, of a pose at a level of the minimiser; steps are halved with every second
 * level. At even levels number n / 2 changes by one step. At odd levels all numbers change by up to a step, along one
 * of six random directions: a pose at a kink of the energy may have lower neighbours, but none along a single number.
 * The directions depend on the pose and the level only. Odd n go the opposite way. */
DEVICE_FN void pose_neighbour(int n, int level, int step_angle, const int step[3], qn_uint32 words[3])
{
    int numbers[6];
    qn_uint32 random[4] = {words[0], words[1], words[2], (qn_uint32)(level * POSE_NEIGHBOURS + n / 2)};
    random_block(random, 0u, 0u);
    pose_unpack(words, numbers);
    UNROLL
    for (int k = 0; k < 6; k++) {
        int size = (k < 3 ? step_angle : step[k - 3]) >> (level / 2), along = k == n / 2 ? size : 0;
        if (level & 1) along = pose_near(0, size, (k & 1) ? (random[1 + k / 2] & 0xffffu) : (random[1 + k / 2] >> 16));
        numbers[k] += (n & 1) ? along : -along;
    }
    pose_pack(numbers, words);
}

/* Compute R = Rz(c) Ry(b) Rx(a), in the first three columns of `transform`, which has rows of four. */
DEVICE_FN void pose_matrix(const float sines[3], const float cosines[3], float transform[12])
{
    float across = cosines[2] * sines[1], along = sines[2] * sines[1];
    transform[0] = cosines[2] * cosines[1];
    transform[1] = FMA(across, sines[0], -(sines[2] * cosines[0]));
    transform[2] = FMA(across, cosines[0], sines[2] * sines[0]);
    transform[4] = sines[2] * cosines[1];
    transform[5] = FMA(along, sines[0], cosines[2] * cosines[0]);
    transform[6] = FMA(along, cosines[0], -(cosines[2] * sines[0]));
    transform[8] = -sines[1];
    transform[9] = cosines[1] * sines[0];
    transform[10] = cosines[1] * cosines[0];
}

/* Compute the rows of [R | t]. */
DEVICE_FN void pose_transform(const qn_uint32 words[3], GLOBAL const float *frame, float transform[12])
{
    int numbers[6];
    float sines[3], cosines[3];
    pose_unpack(words, numbers);
    UNROLL
    for (int k = 0; k < 3; k++) {
        sines[k] = frame[numbers[k]];
        cosines[k] = frame[(numbers[k] + POSE_FULL / 4) & (POSE_FULL - 1)];
    }
    pose_matrix(sines, cosines, transform);
    UNROLL
    for (int k = 0; k < 3; k++)
        transform[4 * k + 3] = FMA((float)numbers[3 + k], frame[POSE_FULL + 3 + k], frame[POSE_FULL + k]);
}

/* Prepare the first pose of pose_distance2: the rows of R S, each followed by the translation along it. `moments` are
 * the elements of S: the means over the atoms of xx, yy, zz, xy, xz, yz about the centroid. */
DEVICE_FN void pose_weigh(const float transform[12], const float moments[6], float weighed[12])
{
    UNROLL
    for (int row = 0; row < 3; row++) {
        float x = transform[4 * row], y = transform[4 * row + 1], z = transform[4 * row + 2];
        weighed[4 * row] = FMA(x, moments[0], FMA(y, moments[3], z * moments[4]));
        weighed[4 * row + 1] = FMA(x, moments[3], FMA(y, moments[1], z * moments[5]));
        weighed[4 * row + 2] = FMA(x, moments[4], FMA(y, moments[5], z * moments[2]));
        weighed[4 * row + 3] = transform[4 * row + 3];
    }
}

/* Mean square distance (Å²) of the atoms in two poses, the first one prepared by pose_weigh; `trace` is the trace of S:
 * |Δt|² + 2 (tr S − tr(P S Qᵀ)). */
DEVICE_FN float pose_distance2(const float weighed[12], const float second[12], float trace)
{
    float turned = 0.0f, apart = 0.0f;
    UNROLL
    for (int row = 0; row < 3; row++) {
        float shift = weighed[4 * row + 3] - second[4 * row + 3];
        float along_z = FMA(weighed[4 * row + 2], second[4 * row + 2], turned);
        turned = FMA(weighed[4 * row], second[4 * row], FMA(weighed[4 * row + 1], second[4 * row + 1], along_z));
        apart = FMA(shift, shift, apart);
    }
    return FMA(2.0f, trace - turned, apart);
}

#endif
