/* Kernels of the evolutionary search: draw, select and minimise poses. Scoring has separate kernels.
 *
 * Shapes: words [3][jobs · poses] and transforms [12][jobs · poses] of a generation; poses kept [job][keep][4], each the
 * bits of its energy and its three words; number of kept poses [job]; moments [job][6]; keys [job][2]. Poses are ordered
 * by energy, then by words; a list holds each pose once. Results do not depend on the division of work. */

#include "screen/search/kernels/evolve.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef CAPACITY
#error "CAPACITY: candidates sorted at once, a power of two of at least twice the poses kept"
#endif

#define DIGIT_BINS 2048  /* of 11 bits */
#define DIGITS 12        /* of an energy and three words: 11, 11 and 10 bits for each */
#define ALL_ONES 0xffffffffu

/* Draw the poses of a generation, one work-item for each; see qn_evolve_kind. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void draw(
    GLOBAL qn_uint32 *RESTRICT words, GLOBAL float *RESTRICT transforms, GLOBAL const qn_uint32 *RESTRICT parents,
    GLOBAL const int *RESTRICT counts, GLOBAL const qn_uint32 *RESTRICT keys, GLOBAL const float *RESTRICT frame,
    const draw_scalars s)
{
    const int pose = GLOBAL_ID(0), all = s.jobs * s.poses;
    if (pose >= all) return;
    const int job = pose / s.poses, child = pose - job * s.poses;
    const int spread[3] = {s.spread[0], s.spread[1], s.spread[2]};
    qn_uint32 random[4] = {(qn_uint32)child, (qn_uint32)s.generation, 0u, 0u}, numbers[3];
    float transform[12];
    random_block(random, keys[2 * job], keys[2 * job + 1]);
    if (s.kind == 0) {
        pose_draw(random, numbers);
    } else {
        GLOBAL const qn_uint32 *parent = parents + 4 * (job * s.keep + child % counts[job]);
        for (int k = 0; k < 3; k++) numbers[k] = parent[1 + k];
        if (s.kind == 1 || child >= counts[job]) pose_mutate(random, s.spread_angle, spread, numbers);
    }
    pose_transform(numbers, frame, transform);
    for (int k = 0; k < 3; k++) words[(qn_int64)k * all + pose] = numbers[k];
    for (int k = 0; k < 12; k++) transforms[(qn_int64)k * all + pose] = transform[k];
}

/* The candidates of one group: the new poses of a job, then its old ones. */
typedef struct candidate_set {
    GLOBAL const qn_uint32 *words, *energies, *old; /* energies and old: of this job */
    qn_int64 stride;                                /* between rows of words */
    int poses, count;                               /* number of new poses; of all candidates */
    qn_uint32 limit;                                /* candidates with larger keys of energy are not among the best */
    qn_uint32 last[4];                              /* with `resumed`: candidates up to this one are ignored */
    int resumed;                                    /* 1: `last` is set */
} candidate_set;

/* Word 0 of a candidate is the key of its energy; 1 … 3 are its numbers. */
DEVICE_FN qn_uint32 candidate_word(const candidate_set *set, int index, int word)
{
    if (index >= set->poses) {
        qn_uint32 bits = set->old[4 * (index - set->poses) + word];
        return word == 0 ? energy_key(bits) : bits;
    }
    return word == 0 ? energy_key(set->energies[index]) : set->words[(word - 1) * set->stride + index];
}

/* Returns −1, 0 or 1: the candidate comes before `other`, equals it, or comes after it. */
DEVICE_FN int candidate_compare(const candidate_set *set, int index, const qn_uint32 other[4])
{
    for (int word = 0; word < 4; word++) {
        qn_uint32 own = candidate_word(set, index, word);
        if (own != other[word]) return own < other[word] ? -1 : 1;
    }
    return 0;
}

DEVICE_FN bool candidate_counts(const candidate_set *set, int index)
{
    if (candidate_word(set, index, 0) > set->limit) return false;
    return set->resumed == 0 || candidate_compare(set, index, set->last) > 0;
}

DEVICE_FN int digit_shift(int digit)
{
    int part = digit % 3;
    return part == 0 ? 21 : (part == 1 ? 10 : 0);
}

DEVICE_FN int digit_of(qn_uint32 word, int digit)
{
    return (int)((word >> digit_shift(digit)) & (digit % 3 == 2 ? 1023u : 2047u));
}

/* Whether a candidate has the first `digits` digits of `prefix`, whose other digits are 0. */
DEVICE_FN bool has_prefix(const candidate_set *set, int index, const qn_uint32 prefix[4], int digits)
{
    for (int word = 0; word < digits / 3; word++)
        if (candidate_word(set, index, word) != prefix[word]) return false;
    int rest = digits % 3;
    if (rest == 0) return true;
    qn_uint32 mask = rest == 1 ? 0xffe00000u : 0xfffffc00u;
    return (candidate_word(set, index, digits / 3) & mask) == prefix[digits / 3];
}

DEVICE_FN void count_digits(const candidate_set *set, const qn_uint32 prefix[4], int digit, LOCAL_PTR int *bins)
{
    for (int bin = LOCAL_ID(0); bin < DIGIT_BINS; bin += GROUP_SIZE) bins[bin] = 0;
    LOCAL_BARRIER();
    for (int index = LOCAL_ID(0); index < set->count; index += GROUP_SIZE)
        if (candidate_counts(set, index) && has_prefix(set, index, prefix, digit))
            LOCAL_ATOMIC_ADD_INT(&bins[digit_of(candidate_word(set, index, digit / 3), digit)], 1);
    LOCAL_BARRIER();
}

/* found[0]: the last bin with at most `room` candidates in the bins before it; DIGIT_BINS: all candidates fit. found[1]:
 * number of candidates in these bins. */
DEVICE_FN void cut_bins(LOCAL_PTR const int *bins, LOCAL_PTR int *partial, int room, LOCAL_PTR int *found)
{
    const int item = LOCAL_ID(0), share = DIGIT_BINS / GROUP_SIZE;
    int own = 0, before = 0;
    for (int k = 0; k < share; k++) own += bins[item * share + k];
    partial[item] = own;
    LOCAL_BARRIER();
    for (int other = 0; other < item; other++) before += partial[other];
    if (before <= room && before + own > room) { /* true for one work-item at most */
        int at = item * share;
        while (before + bins[at] <= room) before += bins[at++];
        found[0] = at;
        found[1] = before;
    } else if (item == GROUP_SIZE - 1 && before + own <= room) {
        found[0] = DIGIT_BINS;
        found[1] = before + own;
    }
    LOCAL_BARRIER();
}

/* The candidates that are taken in a round: all, or those before `key` and, with `copy`, one that equals `key`. */
typedef struct cut_point {
    qn_uint32 key[4];
    int all, copy;
} cut_point;

/* Find a cut with at least `wanted` and at most CAPACITY candidates before it, digit by digit from the highest. There are
 * fewer than `wanted` only where poses are identical. */
DEVICE_FN void find_cut(const candidate_set *set, int wanted, LOCAL_PTR int *bins, LOCAL_PTR int *partial,
                        LOCAL_PTR int *found, cut_point *cut)
{
    int before = 0, going = 1;
    for (int word = 0; word < 4; word++) cut->key[word] = 0u;
    cut->all = 0;
    for (int digit = 0; going; digit++) {
        count_digits(set, cut->key, digit, bins);
        cut_bins(bins, partial, CAPACITY - before, found);
        int bin = found[0];
        before += found[1];
        if (bin == DIGIT_BINS) cut->all = 1; /* only at the first digit: later digits divide a bin that was too large */
        else cut->key[digit / 3] |= (qn_uint32)bin << digit_shift(digit);
        going = cut->all == 0 && before < wanted && digit < DIGITS - 1;
        LOCAL_BARRIER();
    }
    cut->copy = cut->all == 0 && before < wanted;
}

/* Copy the candidates before the cut into keys and order; returns their number. Overwrites found[2 … 3]. */
DEVICE_FN int gather(const candidate_set *set, const cut_point *cut, LOCAL_PTR qn_uint32 *keys, LOCAL_PTR int *order,
                     LOCAL_PTR int *found)
{
    if (LOCAL_ID(0) == 0) {
        found[2] = 0;
        found[3] = set->count;
    }
    LOCAL_BARRIER();
    for (int index = LOCAL_ID(0); index < set->count; index += GROUP_SIZE) {
        if (!candidate_counts(set, index)) continue;
        int compared = cut->all ? -1 : candidate_compare(set, index, cut->key);
        if (compared < 0) {
            int slot = LOCAL_ATOMIC_ADD_INT(&found[2], 1);
            keys[slot] = candidate_word(set, index, 0);
            order[slot] = index;
        } else if (compared == 0 && cut->copy) {
            LOCAL_ATOMIC_MIN_INT(&found[3], index);
        }
    }
    LOCAL_BARRIER();
    int count = found[2];
    if (cut->copy) {
        if (LOCAL_ID(0) == 0) {
            keys[count] = cut->key[0];
            order[count] = found[3];
        }
        count++;
    }
    LOCAL_BARRIER();
    return count;
}

/* Whether entry a comes after entry b; unused places (order −1) come last. */
DEVICE_FN bool entry_after(const candidate_set *set, LOCAL_PTR const qn_uint32 *keys, LOCAL_PTR const int *order, int a,
                           int b)
{
    if (order[a] < 0 || order[b] < 0) return order[b] >= 0;
    if (keys[a] != keys[b]) return keys[a] > keys[b];
    for (int word = 1; word < 4; word++) {
        qn_uint32 left = candidate_word(set, order[a], word), right = candidate_word(set, order[b], word);
        if (left != right) return left > right;
    }
    return false;
}

DEVICE_FN void sort_entries(const candidate_set *set, LOCAL_PTR qn_uint32 *keys, LOCAL_PTR int *order, int count)
{
    int padded = 2;
    while (padded < count) padded *= 2;
    for (int slot = count + LOCAL_ID(0); slot < padded; slot += GROUP_SIZE) order[slot] = -1;
    LOCAL_BARRIER();
    for (int size = 2; size <= padded; size *= 2) {
        for (int reach = size / 2; reach > 0; reach /= 2) {
            for (int pair = LOCAL_ID(0); pair < padded / 2; pair += GROUP_SIZE) {
                int low = 2 * pair - (pair & (reach - 1)), high = low + reach;
                int first = (low & size) ? high : low, second = (low & size) ? low : high;
                if (entry_after(set, keys, order, first, second)) {
                    qn_uint32 key = keys[first];
                    int index = order[first];
                    keys[first] = keys[second];
                    order[first] = order[second];
                    keys[second] = key;
                    order[second] = index;
                }
            }
            LOCAL_BARRIER();
        }
    }
}

/* Write each pose of the sorted entries once, into `best` from place `begin` up to `keep`; returns the number of poses
 * in `best`. */
DEVICE_FN int emit(const candidate_set *set, LOCAL_PTR const qn_uint32 *keys, LOCAL_PTR const int *order, int count,
                   int begin, int keep, LOCAL_PTR int *partial, GLOBAL qn_uint32 *best)
{
    const int item = LOCAL_ID(0), share = (count + GROUP_SIZE - 1) / GROUP_SIZE;
    const int first = MIN(item * share, count), end = MIN(first + share, count);
    int own = 0, place = begin, total = 0;
    for (int entry = first; entry < end; entry++)
        own += entry == 0 || entry_after(set, keys, order, entry, entry - 1) ? 1 : 0;
    partial[item] = own;
    LOCAL_BARRIER();
    for (int other = 0; other < GROUP_SIZE; other++) {
        int there = partial[other];
        if (other < item) place += there;
        total += there;
    }
    for (int entry = first; entry < end; entry++) {
        if (entry > 0 && !entry_after(set, keys, order, entry, entry - 1)) continue;
        if (place < keep) {
            best[4 * place] = energy_bits(keys[entry]);
            for (int word = 1; word < 4; word++) best[4 * place + word] = candidate_word(set, order[entry], word);
        }
        place++;
    }
    LOCAL_BARRIER();
    return total;
}

/* Select the best `keep` of the new and the old poses of a job, each once; one group for each job. The old list has
 * `old_keep` places and is sorted if there are new poses. Unused places repeat the list from its start. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void choose_best(
    GLOBAL const qn_uint32 *RESTRICT words, GLOBAL const qn_uint32 *RESTRICT energies,
    GLOBAL const qn_uint32 *RESTRICT old, GLOBAL const int *RESTRICT old_counts, GLOBAL qn_uint32 *RESTRICT best,
    GLOBAL int *RESTRICT counts, const best_scalars s)
{
    LOCAL int bins[DIGIT_BINS];
    LOCAL qn_uint32 keys[CAPACITY];
    LOCAL int order[CAPACITY];
    LOCAL int partial[GROUP_SIZE];
    LOCAL int found[4];
    const int job = GROUP_ID(0), old_count = s.old_keep > 0 ? old_counts[job] : 0;
    GLOBAL qn_uint32 *own = best + 4 * job * s.keep;
    candidate_set set;
    cut_point cut;
    int kept = 0, going = 1;
    set.words = words + (qn_int64)job * s.poses;
    set.energies = energies + (qn_int64)job * s.poses;
    set.old = old + 4 * job * s.old_keep;
    set.stride = (qn_int64)s.jobs * s.poses;
    set.poses = s.poses;
    set.count = s.poses + old_count;
    set.limit = ALL_ONES;
    set.resumed = 0;
    if (s.poses > 0 && old_count >= s.keep) set.limit = energy_key(set.old[4 * (s.keep - 1)]);
    while (going) {
        find_cut(&set, s.keep - kept, bins, partial, found, &cut);
        int count = gather(&set, &cut, keys, order, found);
        sort_entries(&set, keys, order, count);
        kept += emit(&set, keys, order, count, kept, s.keep, partial, own);
        if (count > 0)
            for (int word = 0; word < 4; word++) set.last[word] = candidate_word(&set, order[count - 1], word);
        set.resumed = 1;
        going = kept < s.keep && cut.all == 0;
        LOCAL_BARRIER();
    }
    kept = MIN(kept, s.keep);
    if (LOCAL_ID(0) == 0) counts[job] = kept;
    GLOBAL_BARRIER();
    for (int place = kept + LOCAL_ID(0); place < s.keep; place += GROUP_SIZE)
        for (int word = 0; word < 4; word++) own[4 * place + word] = own[4 * (place % kept) + word];
}

#define BLOCK 32   /* poses of a list that are handled together */
#define SEGMENTS 8 /* parts of a row of the pairs of a block: work for BLOCK · SEGMENTS work-items */
#define MOST_LISTED (CAPACITY / 2)
#define OWN ((MOST_LISTED + GROUP_SIZE - 1) / GROUP_SIZE) /* poses of a list whose transforms one work-item holds */

/* Find which earlier poses of a block are near each of its poses: bit c of near[row · SEGMENTS + segment]. */
DEVICE_FN void block_pairs(LOCAL_PTR const float *block, int size, const float moments[6], float apart2,
                           LOCAL_PTR qn_uint32 *near)
{
    const float trace = moments[0] + moments[1] + moments[2];
    float first[12], second[12], weighed[12];
    for (int pair = LOCAL_ID(0); pair < BLOCK * SEGMENTS; pair += GROUP_SIZE) {
        const int row = pair / SEGMENTS, segment = pair % SEGMENTS;
        qn_uint32 bits = 0u;
        for (int k = 0; k < 12; k++) first[k] = block[12 * row + k];
        pose_weigh(first, moments, weighed);
        for (int column = segment; column < size; column += SEGMENTS) {
            if (column <= row) continue;
            for (int k = 0; k < 12; k++) second[k] = block[12 * column + k];
            if (pose_distance2(weighed, second, trace) < apart2) bits |= 1u << column;
        }
        near[pair] = bits;
    }
}

/* Choose, in order and up to `room`, the free poses of a block that are not near a chosen one; taken[] gets their places
 * in the block. Returns their number. Called by one work-item. */
DEVICE_FN int decide_block(LOCAL_PTR const qn_uint32 *near, int size, int room, LOCAL_PTR int *state,
                           LOCAL_PTR int *taken)
{
    qn_uint32 blocked = 0u;
    int count = 0;
    for (int at = 0; at < size && count < room; at++) {
        if (state[at] != 0 || (blocked >> at & 1u)) continue;
        state[at] = 2;
        taken[count++] = at;
        for (int segment = 0; segment < SEGMENTS; segment++) blocked |= near[at * SEGMENTS + segment];
    }
    return count;
}

/* Fill the places from `picked` on, see choose_apart. Called by one work-item. */
DEVICE_FN void fill_places(GLOBAL const qn_uint32 *own, LOCAL_PTR const int *state, int count, int picked, int winners,
                           int fill, GLOBAL qn_uint32 *out)
{
    int at = 0;
    for (int rank = picked; rank < winners; rank++) {
        while (fill && at < count && state[at] == 2) at++;
        for (int k = 0; k < 4; k++)
            out[4 * rank + k] = fill ? own[4 * (at % count) + k] : (k == 0 ? 0x7f800000u : 0u);
        at++;
    }
}

/* Choose the poses of a list that are at least `apart` from every better chosen one, up to `winners`; one group for each
 * job. Unused places: with `fill` the best of the other poses, repeated if necessary; else poses of infinite energy.
 *
 * The list is handled block by block: all pairs of the block are compared in parallel, one work-item chooses, then all
 * work-items mark the poses in the rest of the list that are near the chosen ones. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void choose_apart(
    GLOBAL const qn_uint32 *RESTRICT parents, GLOBAL const int *RESTRICT counts, GLOBAL const float *RESTRICT moments,
    GLOBAL const float *RESTRICT frame, GLOBAL qn_uint32 *RESTRICT chosen, GLOBAL int *RESTRICT chosen_counts,
    GLOBAL int *RESTRICT levels, const apart_scalars s)
{
    LOCAL int state[MOST_LISTED]; /* 0 free, 1 too near, 2 chosen */
    LOCAL float block[12 * BLOCK];
    LOCAL qn_uint32 near[BLOCK * SEGMENTS];
    LOCAL int taken[BLOCK];
    LOCAL int found[1];
    const int job = GROUP_ID(0), item = LOCAL_ID(0), count = counts[job];
    GLOBAL const qn_uint32 *own = parents + 4 * job * s.keep;
    GLOBAL qn_uint32 *out = chosen + 4 * job * s.winners;
    float moment[6], transforms[OWN][12];
    int picked = 0;
    for (int k = 0; k < 6; k++) moment[k] = moments[6 * job + k];
    const float trace = moment[0] + moment[1] + moment[2];
    UNROLL
    for (int slot = 0; slot < OWN; slot++) {
        const int pose = item + slot * GROUP_SIZE;
        qn_uint32 words[3] = {0u, 0u, 0u};
        if (pose < MOST_LISTED) state[pose] = 0;
        if (pose < count)
            for (int k = 0; k < 3; k++) words[k] = own[4 * pose + 1 + k];
        pose_transform(words, frame, transforms[slot]);
    }
    for (int first = 0; first < count && picked < s.winners; first += BLOCK) {
        const int size = MIN(BLOCK, count - first);
        UNROLL
        for (int slot = 0; slot < OWN; slot++) {
            const int at = item + slot * GROUP_SIZE - first;
            if (at >= 0 && at < BLOCK)
                for (int k = 0; k < 12; k++) block[12 * at + k] = transforms[slot][k];
        }
        LOCAL_BARRIER();
        block_pairs(block, size, moment, s.apart2, near);
        LOCAL_BARRIER();
        if (item == 0) found[0] = decide_block(near, size, s.winners - picked, state + first, taken);
        LOCAL_BARRIER();
        const int more = found[0];
        for (int k = item; k < 4 * more; k += GROUP_SIZE)
            out[4 * picked + k] = own[4 * (first + taken[k / 4]) + k % 4];
        for (int rank = 0; rank < more; rank++) {
            float better[12], weighed[12];
            for (int k = 0; k < 12; k++) better[k] = block[12 * taken[rank] + k];
            pose_weigh(better, moment, weighed);
            UNROLL
            for (int slot = 0; slot < OWN; slot++) {
                const int pose = item + slot * GROUP_SIZE;
                if (pose < first + BLOCK || pose >= count) continue;
                if (pose_distance2(weighed, transforms[slot], trace) < s.apart2) state[pose] = 1;
            }
        }
        picked += more;
        LOCAL_BARRIER();
    }
    if (item == 0) {
        chosen_counts[job] = s.fill ? s.winners : picked;
        fill_places(own, state, count, picked, s.winners, s.fill, out);
    }
    for (int rank = item; rank < s.winners; rank += GROUP_SIZE) levels[job * s.winners + rank] = 0;
}

/* Write the transforms of the neighbours of winners, one work-item for each; places past 12 · winners get the first
 * winner itself. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void neighbours(
    GLOBAL float *RESTRICT transforms, GLOBAL const qn_uint32 *RESTRICT chosen, GLOBAL const int *RESTRICT levels,
    GLOBAL const float *RESTRICT frame, const neighbour_scalars s)
{
    const int pose = GLOBAL_ID(0), all = s.jobs * s.poses;
    if (pose >= all) return;
    const int job = pose / s.poses, n = pose - job * s.poses, winner = n / POSE_NEIGHBOURS;
    const int at = job * s.winners + (winner < s.winners ? winner : 0), level = levels[at];
    const int step[3] = {s.step[0], s.step[1], s.step[2]};
    qn_uint32 words[3];
    float transform[12];
    for (int k = 0; k < 3; k++) words[k] = chosen[4 * at + 1 + k];
    if (winner < s.winners && level < s.last_level)
        pose_neighbour(n - winner * POSE_NEIGHBOURS, level, s.step_angle, step, words);
    pose_transform(words, frame, transform);
    for (int k = 0; k < 12; k++) transforms[(qn_int64)k * all + pose] = transform[k];
}

/* Move each winner to its best neighbour if that is better, else raise its level; one work-item for each winner. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void descend(
    GLOBAL qn_uint32 *RESTRICT chosen, GLOBAL int *RESTRICT levels, GLOBAL const qn_uint32 *RESTRICT energies,
    const neighbour_scalars s)
{
    const int at = GLOBAL_ID(0);
    if (at >= s.jobs * s.winners) return;
    const int job = at / s.winners, level = levels[at];
    if (level >= s.last_level) return;
    const int step[3] = {s.step[0], s.step[1], s.step[2]};
    GLOBAL const qn_uint32 *own = energies + (qn_int64)job * s.poses + (at - job * s.winners) * POSE_NEIGHBOURS;
    qn_uint32 best = energy_key(chosen[4 * at]), words[3];
    int taken = -1;
    for (int n = 0; n < POSE_NEIGHBOURS; n++) {
        qn_uint32 key = energy_key(own[n]);
        if (key >= best) continue;
        best = key;
        taken = n;
    }
    if (taken < 0) {
        levels[at] = level + 1;
        return;
    }
    for (int k = 0; k < 3; k++) words[k] = chosen[4 * at + 1 + k];
    pose_neighbour(taken, level, s.step_angle, step, words);
    chosen[4 * at] = energy_bits(best);
    for (int k = 0; k < 3; k++) chosen[4 * at + 1 + k] = words[k];
}
