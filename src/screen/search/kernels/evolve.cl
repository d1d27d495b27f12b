/* The evolutionary search around the scoring kernel: drawing, selecting and minimising poses.
 *
 * Shapes: words [3][jobs · poses] and transforms [12][jobs · poses] of a generation; poses kept [job][keep][4], each its
 * energy's bits and its three words; how many of those are real [job]; moments [job][6]; keys [job][2]. Order: lower
 * energy, then lower words; a pose stands in a list once. Nothing here depends on how the work is divided. */

#include "screen/search/kernels/evolve.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef CAPACITY
#error "CAPACITY: candidates sorted at once, a power of two of at least twice the poses kept"
#endif

#define DIGIT_BINS 2048  /* of 11 bits */
#define DIGITS 12        /* of an energy and three words: 11, 11 and 10 bits each */
#define ALL_ONES 0xffffffffu

/* One work-item: one pose of a generation, of the kinds of qn_evolve_kind. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void draw(GLOBAL qn_uint32 *RESTRICT words, GLOBAL float *RESTRICT transforms,
                                               GLOBAL const qn_uint32 *RESTRICT parents,
                                               GLOBAL const int *RESTRICT counts, GLOBAL const qn_uint32 *RESTRICT keys,
                                               GLOBAL const float *RESTRICT frame, int jobs, int poses, int keep,
                                               int generation, int kind, int spread_angle, int spread_x, int spread_y,
                                               int spread_z)
{
    const int pose = GLOBAL_ID(0), all = jobs * poses;
    if (pose >= all) return;
    const int job = pose / poses, child = pose - job * poses;
    const int spread[3] = {spread_x, spread_y, spread_z};
    qn_uint32 random[4] = {(qn_uint32)child, (qn_uint32)generation, 0u, 0u}, numbers[3];
    float transform[12];
    random_block(random, keys[2 * job], keys[2 * job + 1]);
    if (kind == 0) {
        pose_draw(random, numbers);
    } else {
        GLOBAL const qn_uint32 *parent = parents + 4 * (job * keep + child % counts[job]);
        for (int k = 0; k < 3; k++) numbers[k] = parent[1 + k];
        if (kind == 1 || child >= counts[job]) pose_mutate(random, spread_angle, spread, numbers);
    }
    pose_transform(numbers, frame, transform);
    for (int k = 0; k < 3; k++) words[(qn_int64)k * all + pose] = numbers[k];
    for (int k = 0; k < 12; k++) transforms[(qn_int64)k * all + pose] = transform[k];
}

/* What one group selects from: a job's new poses, then its old ones. */
typedef struct candidate_set {
    GLOBAL const qn_uint32 *words, *energies, *old; /* energies and old: this job's */
    qn_int64 stride;                                /* between rows of words */
    int poses, count;                               /* new ones, all */
    qn_uint32 limit;                                /* keys of energies beyond it are not among the best */
    qn_uint32 last[4];                              /* only what comes after this one counts, if any counts */
    int resumed;                                    /* last is set */
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

/* −1, 0, 1: the candidate comes before, is, or comes after `other`. */
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

/* Whether a candidate has the first `digits` digits of `prefix`, whose others are 0. */
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

/* found[0]: the bin before which at most `room` are, DIGIT_BINS if that is all; found[1]: how many those are. */
DEVICE_FN void cut_bins(LOCAL_PTR const int *bins, LOCAL_PTR int *partial, int room, LOCAL_PTR int *found)
{
    const int item = LOCAL_ID(0), share = DIGIT_BINS / GROUP_SIZE;
    int own = 0, before = 0;
    for (int k = 0; k < share; k++) own += bins[item * share + k];
    partial[item] = own;
    LOCAL_BARRIER();
    for (int other = 0; other < item; other++) before += partial[other];
    if (before <= room && before + own > room) { /* at most one work-item's share goes past the room */
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

/* Which candidates are taken in a round: all, or those before `key` and, with `copy`, one that is `key`. */
typedef struct cut_point {
    qn_uint32 key[4];
    int all, copy;
} cut_point;

/* A cut with at least `wanted` and at most CAPACITY candidates before it, by the digits of energies and words from the
 * highest. Only identical poses can keep it from `wanted`. */
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
        if (bin == DIGIT_BINS) cut->all = 1; /* only at the first digit: later ones divide what was too much */
        else cut->key[digit / 3] |= (qn_uint32)bin << digit_shift(digit);
        going = cut->all == 0 && before < wanted && digit < DIGITS - 1;
        LOCAL_BARRIER();
    }
    cut->copy = cut->all == 0 && before < wanted;
}

/* Put those before the cut into keys and order; returns how many. found[2 … 3] are used. */
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

/* Whether entry a comes after entry b; places without one (order −1) come last. */
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

/* Write each pose of the sorted entries once, from place `begin` of `best` on, up to `keep`; returns how many poses
 * there are. */
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

/* One group: the best `keep` of a job's `poses` new and its old poses (of `old_keep` places, sorted if there are new
 * ones), each once; places left over repeat them from the first on. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void choose_best(GLOBAL const qn_uint32 *RESTRICT words,
                                                      GLOBAL const qn_uint32 *RESTRICT energies,
                                                      GLOBAL const qn_uint32 *RESTRICT old,
                                                      GLOBAL const int *RESTRICT old_counts,
                                                      GLOBAL qn_uint32 *RESTRICT best, GLOBAL int *RESTRICT counts,
                                                      int jobs, int poses, int old_keep, int keep)
{
    LOCAL int bins[DIGIT_BINS];
    LOCAL qn_uint32 keys[CAPACITY];
    LOCAL int order[CAPACITY];
    LOCAL int partial[GROUP_SIZE];
    LOCAL int found[4];
    const int job = GROUP_ID(0), old_count = old_keep > 0 ? old_counts[job] : 0;
    GLOBAL qn_uint32 *own = best + 4 * job * keep;
    candidate_set set;
    cut_point cut;
    int kept = 0, going = 1;
    set.words = words + (qn_int64)job * poses;
    set.energies = energies + (qn_int64)job * poses;
    set.old = old + 4 * job * old_keep;
    set.stride = (qn_int64)jobs * poses;
    set.poses = poses;
    set.count = poses + old_count;
    set.limit = ALL_ONES;
    set.resumed = 0;
    if (poses > 0 && old_count >= keep) set.limit = energy_key(set.old[4 * (keep - 1)]);
    while (going) {
        find_cut(&set, keep - kept, bins, partial, found, &cut);
        int count = gather(&set, &cut, keys, order, found);
        sort_entries(&set, keys, order, count);
        kept += emit(&set, keys, order, count, kept, keep, partial, own);
        if (count > 0)
            for (int word = 0; word < 4; word++) set.last[word] = candidate_word(&set, order[count - 1], word);
        set.resumed = 1;
        going = kept < keep && cut.all == 0;
        LOCAL_BARRIER();
    }
    kept = MIN(kept, keep);
    if (LOCAL_ID(0) == 0) counts[job] = kept;
    GLOBAL_BARRIER();
    for (int place = kept + LOCAL_ID(0); place < keep; place += GROUP_SIZE)
        for (int word = 0; word < 4; word++) own[4 * place + word] = own[4 * (place % kept) + word];
}

#define BLOCK 32   /* poses of a list that are decided on together */
#define SEGMENTS 8 /* of a row of the block's pairs: work for BLOCK · SEGMENTS work-items */
#define MOST_LISTED (CAPACITY / 2)
#define OWN ((MOST_LISTED + GROUP_SIZE - 1) / GROUP_SIZE) /* poses of a list whose transforms a work-item holds */

/* Which poses of a block are near which earlier ones of it: bit c of near[row · SEGMENTS + segment]. */
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

/* By one work-item: choose those of a block that are free and not near one chosen before, in order, up to `room`;
 * taken[] are their places in it. Returns how many. */
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

/* By one work-item: what goes into the places from `picked` on, see choose_apart. */
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

/* One group: the poses of a job's list that are at least `apart` from every better one of them, up to `winners`. What
 * is left over: with `fill` the best of the others, over again if need be; else poses of infinite energy.
 *
 * A block of the list after the other: which of its poses are near each other is found for all pairs at once, then one
 * work-item chooses, then all give up what is near the chosen ones in the rest of the list. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void choose_apart(GLOBAL const qn_uint32 *RESTRICT parents,
                                                       GLOBAL const int *RESTRICT counts,
                                                       GLOBAL const float *RESTRICT moments,
                                                       GLOBAL const float *RESTRICT frame,
                                                       GLOBAL qn_uint32 *RESTRICT chosen,
                                                       GLOBAL int *RESTRICT chosen_counts, GLOBAL int *RESTRICT levels,
                                                       int keep, int winners, float apart2, int fill)
{
    LOCAL int state[MOST_LISTED]; /* 0 free, 1 too near, 2 chosen */
    LOCAL float block[12 * BLOCK];
    LOCAL qn_uint32 near[BLOCK * SEGMENTS];
    LOCAL int taken[BLOCK];
    LOCAL int found[1];
    const int job = GROUP_ID(0), item = LOCAL_ID(0), count = counts[job];
    GLOBAL const qn_uint32 *own = parents + 4 * job * keep;
    GLOBAL qn_uint32 *out = chosen + 4 * job * winners;
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
    for (int first = 0; first < count && picked < winners; first += BLOCK) {
        const int size = MIN(BLOCK, count - first);
        UNROLL
        for (int slot = 0; slot < OWN; slot++) {
            const int at = item + slot * GROUP_SIZE - first;
            if (at >= 0 && at < BLOCK)
                for (int k = 0; k < 12; k++) block[12 * at + k] = transforms[slot][k];
        }
        LOCAL_BARRIER();
        block_pairs(block, size, moment, apart2, near);
        LOCAL_BARRIER();
        if (item == 0) found[0] = decide_block(near, size, winners - picked, state + first, taken);
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
                if (pose_distance2(weighed, transforms[slot], trace) < apart2) state[pose] = 1;
            }
        }
        picked += more;
        LOCAL_BARRIER();
    }
    if (item == 0) {
        chosen_counts[job] = fill ? winners : picked;
        fill_places(own, state, count, picked, winners, fill, out);
    }
    for (int rank = item; rank < winners; rank += GROUP_SIZE) levels[job * winners + rank] = 0;
}

/* One work-item: the transform of one neighbour of a winner; places past 12 · winners are the first winner itself. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void neighbours(GLOBAL float *RESTRICT transforms,
                                                     GLOBAL const qn_uint32 *RESTRICT chosen,
                                                     GLOBAL const int *RESTRICT levels,
                                                     GLOBAL const float *RESTRICT frame, int jobs, int winners,
                                                     int poses, int last_level, int step_angle, int step_x, int step_y,
                                                     int step_z)
{
    const int pose = GLOBAL_ID(0), all = jobs * poses;
    if (pose >= all) return;
    const int job = pose / poses, n = pose - job * poses, winner = n / POSE_NEIGHBOURS;
    const int at = job * winners + (winner < winners ? winner : 0), level = levels[at];
    const int step[3] = {step_x >> level, step_y >> level, step_z >> level};
    qn_uint32 words[3];
    float transform[12];
    for (int k = 0; k < 3; k++) words[k] = chosen[4 * at + 1 + k];
    if (winner < winners && level < last_level)
        pose_neighbour(n - winner * POSE_NEIGHBOURS, step_angle >> level, step, words);
    pose_transform(words, frame, transform);
    for (int k = 0; k < 12; k++) transforms[(qn_int64)k * all + pose] = transform[k];
}

/* One work-item: move a winner to its best neighbour if that is better, else halve its step. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void descend(GLOBAL qn_uint32 *RESTRICT chosen, GLOBAL int *RESTRICT levels,
                                                  GLOBAL const qn_uint32 *RESTRICT energies, int jobs, int winners,
                                                  int poses, int last_level, int step_angle, int step_x, int step_y,
                                                  int step_z)
{
    const int at = GLOBAL_ID(0);
    if (at >= jobs * winners) return;
    const int job = at / winners, level = levels[at];
    if (level >= last_level) return;
    const int step[3] = {step_x >> level, step_y >> level, step_z >> level};
    GLOBAL const qn_uint32 *own = energies + (qn_int64)job * poses + (at - job * winners) * POSE_NEIGHBOURS;
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
    pose_neighbour(taken, step_angle >> level, step, words);
    chosen[4 * at] = energy_bits(best);
    for (int k = 0; k < 3; k++) chosen[4 * at + 1 + k] = words[k];
}
