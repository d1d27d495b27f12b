/* devices: host opencl:0 cuda:0 checking:host */
/* The kernels of the evolutionary search against their reference on one device, with extreme values of the tunables. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/random.h"
#include "runtime/configuration.h"
#include "runtime/prelude/prelude_host.h"
#include "screen/search/kernels/evolve.h"

#include "runtime/kernels/random.dev.h"

enum { JOBS = 3, POSES = 704, PARENTS = 45, WINNERS = 7, ATOMS = 9, PLACES = 128 /* 7 · 12 → 128 */ };

static qn_context *context;
static qn_device *device;
static qn_queue *queue;
static qn_configuration corner;

static const qn_evolve_problem problem = {JOBS, POSES, PARENTS, WINNERS};
static const double centre[3] = {12.5, -3.25, 40}, side[3] = {20, 14.5, 9};
static float frame[QN_EVOLVE_FRAME];

static qn_status each_corner(const qn_configuration *configuration, void *user)
{
    corner = *configuration;
    (*(void (**)(void))user)();
    return QN_OK;
}

static void under_every_corner(void (*test)(void))
{
    CHECK_OK(qn_family_corners(&qn_screen_evolve_family, qn_device_get_info(device), each_corner, &test));
}

static qn_buffer *upload(const void *data, size_t bytes)
{
    qn_buffer *buffer = NULL;
    if (CHECK_OK(qn_buffer_create(device, bytes, &buffer))) {
        CHECK_OK(qn_queue_write(queue, buffer, 0, data, bytes, NULL));
        CHECK_OK(qn_queue_finish(queue));
    }
    return buffer;
}

static void download(qn_buffer *buffer, void *data, size_t bytes)
{
    CHECK_OK(qn_queue_read(queue, buffer, 0, data, bytes, NULL));
    CHECK_OK(qn_queue_finish(queue));
}

static void release(qn_buffer **buffers, size_t count)
{
    for (size_t i = 0; i < count; i++) qn_buffer_release(&buffers[i]);
}

static double uniform(uint64_t stream, uint64_t index)
{
    return qn_random_uniform(17, stream, index);
}

static uint32_t random_word(uint64_t stream, uint64_t index)
{
    return (uint32_t)(uniform(stream, index) * 4294967296.0);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Draw a pose in the form in which poses are kept: cos b ≥ 0. */
static void random_pose(uint64_t stream, uint64_t index, uint32_t words[3])
{
    for (uint64_t k = 0; k < 3; k++) words[k] = random_word(stream, 3 * index + k);
    if ((words[0] & 0xffff) > 16384 && (words[0] & 0xffff) < 49152) words[0] ^= 0x8000;
}

static void random_words_equal_the_hosts(void)
{
    for (uint64_t i = 0; i < 1000; i++) {
        uint32_t counter[4], key[2] = {random_word(1, 6 * i), random_word(1, 6 * i + 1)}, expected[4];
        for (uint64_t k = 0; k < 4; k++) counter[k] = random_word(1, 6 * i + 2 + k);
        qn_random_block(counter, key, expected);
        random_block(counter, key[0], key[1]);
        if (!CHECK(memcmp(counter, expected, sizeof expected) == 0)) return;
    }
}

static void sines_are_symmetric(void)
{
    double worst = 0;
    bool same = true;
    for (int i = 0; i < QN_EVOLVE_TABLE; i++) {
        worst = fmax(worst, fabs((double)frame[i] - sin(6.283185307179586 * i / QN_EVOLVE_TABLE)));
        same &= frame[i] == -frame[(QN_EVOLVE_TABLE - i) % QN_EVOLVE_TABLE];
        same &= frame[i] == frame[(QN_EVOLVE_TABLE / 2 - i + QN_EVOLVE_TABLE) % QN_EVOLVE_TABLE];
    }
    CHECK(worst <= 0x1p-25 + 1e-15); /* half a unit in the last place below 1 */
    CHECK(same && frame[0] == 0 && frame[QN_EVOLVE_TABLE / 4] == 1 && frame[QN_EVOLVE_TABLE / 2] == 0);
}

static uint32_t parents[JOBS * PARENTS * 4], keys[JOBS * 2];
static int32_t counts[JOBS] = {PARENTS, 1, 17};

static void make_parents(void)
{
    for (uint64_t i = 0; i < JOBS * PARENTS; i++) {
        parents[4 * i] = bits_of((float)(i % PARENTS) - 20);
        random_pose(2, i, parents + 4 * i + 1);
    }
    /* poses at the faces of the box and where angles wrap */
    for (int k = 1; k < 4; k++) parents[k] = 0;
    parents[5] = 0xffffffffu;
    parents[6] = parents[7] = 0xffffffffu;
    for (int job = 0; job < JOBS; job++) qn_evolve_key(5, 1000 + (uint64_t)job, job, 3 - job, keys + 2 * job);
}

/* Check that transforms agree with the reference to rounding, and with the host's function to the last bit. */
static void check_transforms(const uint32_t *words, size_t rows, size_t columns, size_t all, const float *transforms)
{
    double worst = 0;
    bool same = true;
    for (size_t pose = 0; pose < all; pose++) {
        uint32_t own[3];
        uint16_t numbers[6];
        double expected[12];
        float host[12];
        for (size_t k = 0; k < 3; k++) own[k] = words[k * rows + pose * columns];
        for (int k = 0; k < 6; k++) numbers[k] = (uint16_t)(own[k / 2] >> (k % 2 ? 0 : 16));
        qn_evolve_transform_reference(centre, side, own, expected);
        qn_evolve_pose_transform(centre, side, numbers, host);
        for (size_t k = 0; k < 12; k++) {
            worst = fmax(worst, fabs((double)transforms[k * all + pose] - expected[k]) / (k % 4 == 3 ? 40 : 1));
            same &= bits_of(transforms[k * all + pose]) == bits_of(host[k]);
        }
    }
    CHECK(worst < 3e-7); /* a few roundings of numbers up to 1; translations relative to 40 Å */
    CHECK(same);
}

static void draws_match(void)
{
    static uint32_t words[3 * JOBS * POSES], expected[3 * JOBS * POSES];
    static float transforms[12 * JOBS * POSES];
    static const qn_evolve_generation generations[] = {{0, QN_EVOLVE_EVENLY, 0, {0}},
                                                       {1, QN_EVOLVE_EVENLY, 0, {0}},
                                                       {2, QN_EVOLVE_NEAR, 3641, {6554, 9039, 14563}},
                                                       {6, QN_EVOLVE_AGAIN, 3641, {6554, 9039, 14563}},
                                                       {7, QN_EVOLVE_NEAR, 5, {1, 32767, 17}}};
    qn_buffer *buffers[6] = {upload(words, sizeof words),     upload(transforms, sizeof transforms),
                             upload(parents, sizeof parents), upload(counts, sizeof counts),
                             upload(keys, sizeof keys),       upload(frame, sizeof frame)};
    const qn_evolve_list list = {buffers[2], buffers[3], PARENTS};
    for (size_t i = 0; i < sizeof generations / sizeof *generations; i++) {
        CHECK_OK(qn_evolve_draw(queue, &corner, &problem, &generations[i], buffers[0], buffers[1], &list, buffers[4],
                                buffers[5], NULL));
        download(buffers[0], words, sizeof words);
        download(buffers[1], transforms, sizeof transforms);
        qn_evolve_draw_reference(&problem, &generations[i], PARENTS, parents, counts, keys, expected);
        CHECK(memcmp(words, expected, sizeof words) == 0);
        check_transforms(words, JOBS * POSES, 1, JOBS * POSES, transforms);
    }
    release(buffers, 6);
}

/* Even draws are equally frequent on all levels. Children lie within the spread, equally often on four scales and on
 * both sides. */
static void draws_have_even_distributions(void)
{
    static uint32_t words[3 * JOBS * POSES];
    enum { SPREAD = 8000, LEVELS = 64, ALL = JOBS * POSES };
    const qn_evolve_generation evenly = {3, QN_EVOLVE_EVENLY, 0, {0}};
    const qn_evolve_generation near = {3, QN_EVOLVE_NEAR, SPREAD, {SPREAD, SPREAD, SPREAD}};
    int seen[LEVELS] = {0}, within[4] = {0}, above = 0;
    uint32_t middle[4 * JOBS];
    const int32_t one[JOBS] = {1, 1, 1};
    qn_evolve_draw_reference(&problem, &evenly, PARENTS, parents, counts, keys, words);
    for (int pose = 0; pose < ALL; pose++) seen[words[2 * ALL + pose] % 65536 / 1024]++; /* along z */
    for (int level = 0; level < LEVELS; level++)
        CHECK_NEAR(seen[level], ALL / LEVELS, 27); /* 4.7 standard deviations */
    for (int k = 0; k < 4 * JOBS; k++) middle[k] = 0x80000000u + 0x8000u;
    for (int k = 0; k < JOBS; k++) middle[4 * k + 1] = 0x80000000u; /* b = 0 */
    qn_evolve_draw_reference(&problem, &near, 1, middle, one, keys, words);
    for (int pose = 0; pose < ALL; pose++) {
        const int apart = (int)(words[2 * ALL + pose] % 65536) - 32768;
        CHECK(abs(apart) <= SPREAD);
        above += apart > 0;
        for (int k = 0; k < 4; k++) within[k] += abs(apart) <= SPREAD >> k;
    }
    CHECK_NEAR(above, ALL / 2, 100); /* 4 standard deviations */
    /* On scale h = 0 … 3 a share of 1 / 2^(k − h) is within SPREAD / 2^k; if k ≤ h, all are. */
    CHECK(within[0] == ALL);
    for (int k = 1; k < 4; k++) {
        double share = 0;
        for (int h = 0; h < 4; h++) share += (h < k ? ldexp(1, h - k) : 1) / 4;
        CHECK_NEAR(within[k], ALL * share, 100);
    }
}

enum { CASES = 7 };

/* Energies of a case: random; few values; all equal; some NaN; subnormal and zero; infinite; falling. */
static float energy_of(int which, uint64_t i)
{
    float few = (float)(random_word(4, i) % 5);
    switch (which) {
    case 0: return (float)(1000 * uniform(3, i) - 200);
    case 1: return few - 3;
    case 2: return 7;
    case 3: return random_word(4, i) % 3 ? NAN : -few;
    case 4: return (random_word(4, i) % 2 ? 1.4e-45f : -1.4e-45f) * (few - 1) * (i % 7 ? 1 : 0);
    case 5: return i % 2 ? INFINITY : i % 3 ? -INFINITY : -few;
    default: return -(float)i;
    }
}

static uint32_t candidate_words[3 * JOBS * POSES];
static float candidate_energies[JOBS * POSES];

/* Make candidates, some of them twice; with `few` only five are different. */
static void make_candidates(int which, bool few)
{
    for (uint64_t i = 0; i < JOBS * POSES; i++) {
        uint64_t from = few ? i % 5 : i % 11 == 10 ? i - 10 : i;
        uint32_t words[3];
        random_pose(6, from, words);
        for (uint64_t k = 0; k < 3; k++) candidate_words[k * JOBS * POSES + i] = words[k];
        candidate_energies[i] = energy_of(which, from);
    }
}

static bool check_best(qn_buffer *const *buffers, int poses, int old_places, const uint32_t *old,
                       const int32_t *old_counts, int places)
{
    static uint32_t best[JOBS * PARENTS * 4], expected[JOBS * PARENTS * 4];
    int32_t best_counts[JOBS], expected_counts[JOBS];
    const qn_evolve_list from = {buffers[2], buffers[3], old_places}, to = {buffers[4], buffers[5], places};
    CHECK_OK(qn_evolve_choose_best(queue, &corner, &problem, poses, buffers[0], buffers[1], &from, &to, NULL));
    download(buffers[4], best, sizeof best);
    download(buffers[5], best_counts, sizeof best_counts);
    CHECK_OK(qn_evolve_choose_best_reference(&problem, poses, candidate_words, candidate_energies, old_places, old,
                                             old_counts, places, expected, expected_counts));
    return CHECK(memcmp(best_counts, expected_counts, sizeof best_counts) == 0) &&
           CHECK(memcmp(best, expected, (size_t)JOBS * (size_t)places * 16) == 0);
}

static void best_match(void)
{
    static uint32_t old[JOBS * PARENTS * 4];
    int32_t old_counts[JOBS];
    for (int which = 0; which < CASES; which++)
        for (int few = 0; few < 2; few++) {
            make_candidates(which + 10, few);
            for (int i = 0; i < JOBS * POSES; i++) candidate_energies[i] = energy_of(which, (uint64_t)i / 3);
            CHECK_OK(qn_evolve_choose_best_reference(&problem, POSES, candidate_words, candidate_energies, 0, NULL,
                                                     NULL, PARENTS, old, old_counts));
            make_candidates(which, few);
            qn_buffer *buffers[6] = {upload(candidate_words, sizeof candidate_words),
                                     upload(candidate_energies, sizeof candidate_energies),
                                     upload(old, sizeof old),
                                     upload(old_counts, sizeof old_counts),
                                     upload(parents, sizeof parents),
                                     upload(counts, sizeof counts)};
            bool good = check_best(buffers, POSES, 0, NULL, NULL, PARENTS) &&
                        check_best(buffers, POSES, PARENTS, old, old_counts, PARENTS) &&
                        check_best(buffers, 0, PARENTS, old, old_counts, WINNERS) &&
                        check_best(buffers, 64, 0, NULL, NULL, PARENTS);
            if (!good) printf("case %d %s\n", which, few ? "of few poses" : "");
            release(buffers, 6);
        }
}

/* Keep the largest possible number of more candidates than fit into one sort; a third of the candidates are copies. */
static void the_best_of_many_candidates_agree_with_the_reference(void)
{
    enum { MANY = 9984, MAX = QN_EVOLVE_PARENTS_MAX };
    static uint32_t words[3 * MANY], best[4 * MAX], expected[4 * MAX];
    static float energies[MANY];
    const qn_evolve_problem many = {1, MANY, MAX, WINNERS};
    int32_t count = 0, expected_count = 0;
    for (uint64_t i = 0; i < MANY; i++) {
        uint32_t own[3];
        random_pose(9, i % 3 ? i : i / 2, own);
        for (uint64_t k = 0; k < 3; k++) words[k * MANY + i] = own[k];
        energies[i] = energy_of(0, i % 3 ? i : i / 2);
    }
    qn_buffer *buffers[4] = {upload(words, sizeof words), upload(energies, sizeof energies), upload(best, sizeof best),
                             upload(&count, sizeof count)};
    const qn_evolve_list none = {buffers[1], buffers[1], 0}, to = {buffers[2], buffers[3], MAX};
    CHECK_OK(qn_evolve_choose_best(queue, NULL, &many, MANY, buffers[0], buffers[1], &none, &to, NULL));
    download(buffers[2], best, sizeof best);
    download(buffers[3], &count, sizeof count);
    CHECK_OK(
        qn_evolve_choose_best_reference(&many, MANY, words, energies, 0, NULL, NULL, MAX, expected, &expected_count));
    CHECK(count == MAX && expected_count == MAX && memcmp(best, expected, sizeof best) == 0);
    release(buffers, 4);
}

static void apart_match(void)
{
    static double positions[JOBS * ATOMS * 3];
    static float moments[JOBS * 6];
    static uint32_t list[JOBS * PARENTS * 4];
    uint32_t chosen[JOBS * WINNERS * 4], expected[JOBS * WINNERS * 4];
    int32_t levels[JOBS * WINNERS], chosen_counts[JOBS], expected_counts[JOBS];
    for (int job = 0; job < JOBS; job++)
        for (int axis = 0; axis < 3; axis++) {
            double mean = 0, *own = positions + 3 * job * ATOMS + axis;
            for (int i = 0; i < ATOMS; i++) own[3 * i] = 4 * uniform(8, (uint64_t)(job * 100 + 3 * i + axis));
            for (int i = 0; i < ATOMS; i++) mean += own[3 * i] / ATOMS;
            for (int i = 0; i < ATOMS; i++) own[3 * i] -= mean;
        }
    memset(moments, 0, sizeof moments);
    for (int i = 0; i < JOBS * ATOMS; i++) {
        const double *p = positions + 3 * i;
        const double products[6] = {p[0] * p[0], p[1] * p[1], p[2] * p[2], p[0] * p[1], p[0] * p[2], p[1] * p[2]};
        for (int k = 0; k < 6; k++) moments[6 * (i / ATOMS) + k] += (float)(products[k] / ATOMS);
    }
    memcpy(list, parents, sizeof list);
    for (int i = 1; i < PARENTS; i += 3) /* near the previous pose */
        for (int k = 1; k < 4; k++) list[4 * i + k] = list[4 * (i - 1) + k] ^ 0x00300030u;
    qn_buffer *buffers[7] = {upload(list, sizeof list),       upload(counts, sizeof counts),
                             upload(moments, sizeof moments), upload(frame, sizeof frame),
                             upload(chosen, sizeof chosen),   upload(chosen_counts, sizeof chosen_counts),
                             upload(levels, sizeof levels)};
    const qn_evolve_list from = {buffers[0], buffers[1], PARENTS}, to = {buffers[4], buffers[5], WINNERS};
    for (int which = 0; which < 6; which++) {
        const double apart = (double[]){0, 3.1, 9.3}[which % 3];
        const bool fill = which >= 3;
        CHECK_OK(qn_evolve_choose_apart(queue, &corner, &problem, &from, buffers[2], buffers[3], (float)apart, fill,
                                        &to, buffers[6], NULL));
        download(buffers[4], chosen, sizeof chosen);
        download(buffers[5], chosen_counts, sizeof chosen_counts);
        download(buffers[6], levels, sizeof levels);
        qn_evolve_choose_apart_reference(&problem, centre, side, positions, ATOMS, list, counts, PARENTS, apart, fill,
                                         expected, expected_counts);
        CHECK(memcmp(chosen, expected, sizeof chosen) == 0);
        CHECK(memcmp(chosen_counts, expected_counts, sizeof chosen_counts) == 0);
        for (int i = 0; i < JOBS * WINNERS; i++) CHECK(levels[i] == 0);
    }
    release(buffers, 7);
}

static void steps_match(void)
{
    static uint32_t words[JOBS * PLACES * 3];
    static float transforms[12 * JOBS * PLACES], energies[JOBS * PLACES];
    uint32_t winners[JOBS * WINNERS * 4], expected[JOBS * WINNERS * 4];
    int32_t levels[JOBS * WINNERS], expected_levels[JOBS * WINNERS];
    const qn_evolve_steps steps = {2000, {900, 70, 3}, 6};
    CHECK(qn_evolve_neighbour_poses(&problem) == PLACES);
    for (int which = 0; which < CASES; which++) {
        memcpy(winners, parents, sizeof winners);
        for (int i = 0; i < JOBS * WINNERS; i++) {
            levels[i] = i % 7; /* 6: at rest */
            winners[4 * i] = bits_of(i % 5 ? energy_of(which, (uint64_t)(777 + i)) : -3);
        }
        winners[0] = bits_of(-9e9f); /* no neighbour is better */
        for (int i = 0; i < JOBS * PLACES; i++) energies[i] = energy_of(which, (uint64_t)i);
        qn_buffer *buffers[5] = {upload(transforms, sizeof transforms), upload(winners, sizeof winners),
                                 upload(levels, sizeof levels), upload(frame, sizeof frame),
                                 upload(energies, sizeof energies)};
        CHECK_OK(qn_evolve_neighbours(queue, &corner, &problem, &steps, buffers[0], buffers[1], buffers[2], buffers[3],
                                      NULL));
        download(buffers[0], transforms, sizeof transforms);
        qn_evolve_neighbours_reference(&problem, &steps, winners, levels, words);
        check_transforms(words, 1, 3, JOBS * PLACES, transforms);
        memcpy(expected, winners, sizeof winners);
        memcpy(expected_levels, levels, sizeof levels);
        CHECK_OK(qn_evolve_descend(queue, &corner, &problem, &steps, buffers[1], buffers[2], buffers[4], NULL));
        download(buffers[1], winners, sizeof winners);
        download(buffers[2], levels, sizeof levels);
        qn_evolve_descend_reference(&problem, &steps, expected, expected_levels, energies);
        for (int i = 0; i < JOBS * WINNERS; i++) /* any NaN equals any other */
            if (isnan(energy_of(which, (uint64_t)(777 + i)))) winners[4 * i] = expected[4 * i];
        CHECK(memcmp(winners, expected, sizeof winners) == 0);
        CHECK(memcmp(levels, expected_levels, sizeof levels) == 0);
        CHECK((levels[0] == 1) == (which != 5)); /* in case 5 minus infinity is better */
        release(buffers, 5);
    }
}

static void all_kernels_match(void)
{
    draws_match();
    best_match();
    apart_match();
    steps_match();
}

static void kernels_agree_with_references_in_every_corner(void)
{
    under_every_corner(all_kernels_match);
}

int main(int argc, char **argv)
{
    const char *identifier = argc > 1 ? argv[1] : "host";
    CHECK_OK(qn_context_create(NULL, &context));
    if (qn_device_open(context, identifier, &device) != QN_OK) check_skip(identifier, qn_error_message());
    CHECK_OK(qn_queue_create(device, &queue));
    qn_evolve_frame(centre, side, frame);
    make_parents();
    RUN(random_words_equal_the_hosts);
    RUN(sines_are_symmetric);
    RUN(draws_have_even_distributions);
    RUN(kernels_agree_with_references_in_every_corner);
    RUN(the_best_of_many_candidates_agree_with_the_reference);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
