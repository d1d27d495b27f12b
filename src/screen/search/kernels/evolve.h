/* Kernels of the evolutionary search: draw poses, keep the best, minimise them. Scoring has separate kernels.
 *
 * A pose on the device is three words (evolve.dev.h); a kept pose has the bits of its energy before its words. Buffers
 * and their shapes:
 *
 *   - words [3][jobs · poses], transforms [12][jobs · poses], energies [jobs · poses]: a generation;
 *   - parents [jobs][parents][4], counts [jobs]: the best poses so far by (energy, words), each once; their number;
 *   - winners [jobs][winners][4], counts [jobs], levels [jobs][winners]: poses that are minimised; their number; the
 *     level of each winner, see pose_neighbour;
 *   - keys [jobs][2]: keys of random numbers;
 *   - moments [jobs][6]: of the ligand, see pose_weigh;
 *   - frame: QN_EVOLVE_FRAME floats, see evolve.dev.h.
 *
 * Results have the same bits on all devices and for all values of the tunables.
 */
#ifndef QN_SCREEN_SEARCH_EVOLVE_H
#define QN_SCREEN_SEARCH_EVOLVE_H

#include <quern/family.h>

enum {
    QN_EVOLVE_TABLE = 65536,
    QN_EVOLVE_FRAME = QN_EVOLVE_TABLE + 6,
    QN_EVOLVE_PARENTS_MAX = 1024,
    QN_EVOLVE_NEIGHBOURS = 12,
    QN_EVOLVE_GROUP_SIZE = 0 /* index of the tunable */
};

extern const qn_family qn_screen_evolve_family;

typedef struct qn_evolve_problem {
    int jobs, poses; /* of a generation */
    int parents;     /* length of the longest list, at most QN_EVOLVE_PARENTS_MAX */
    int winners;     /* at most parents */
} qn_evolve_problem;

/* Origin of the poses of a generation. */
typedef enum qn_evolve_kind {
    QN_EVOLVE_EVENLY, /* drawn from the whole box, on a coarse grid */
    QN_EVOLVE_NEAR,   /* each drawn near a parent; parents take turns */
    QN_EVOLVE_AGAIN   /* the parents themselves, then poses near them */
} qn_evolve_kind;

typedef struct qn_evolve_generation {
    int number; /* part of the key of random numbers */
    qn_evolve_kind kind;
    int spread_angle, spread_places[3]; /* largest distance of a child from its parent, below 2^15; each child uses
                                         * this distance, a half, a quarter or an eighth of it */
} qn_evolve_generation;

/* Steps of the minimiser. They are halved with every second level; at last_level (at most 32) a winner stops. */
typedef struct qn_evolve_steps {
    int angle, places[3], last_level;
} qn_evolve_steps;

/* Fill the frame: sines and the box. */
void qn_evolve_frame(const double box_centre_angstrom[3], const double box_side_angstrom[3],
                     float frame[QN_EVOLVE_FRAME]);

/* Compute the key of the random numbers of one population of a job. */
void qn_evolve_key(uint64_t seed, uint64_t hash, int conformer, int population, uint32_t key[2]);

/* Compute the rows of [R | t] of a pose, with the same bits as on the device. */
void qn_evolve_pose_transform(const double box_centre_angstrom[3], const double box_side_angstrom[3],
                              const uint16_t numbers[6], float transform[12]);

/* Mean square distance (Å²) of a ligand's atoms in two poses, with the bits of choose_apart. */
float qn_evolve_distance2(const float frame[QN_EVOLVE_FRAME], const float moments[6], const uint16_t first[6],
                          const uint16_t second[6]);

/* Number of poses of each job in a launch of neighbours: winners · 12, rounded up to a multiple of 64. */
int qn_evolve_neighbour_poses(const qn_evolve_problem *problem);

/* A list of poses on the device. */
typedef struct qn_evolve_list {
    qn_buffer *poses, *counts; /* [jobs][places][4], [jobs] */
    int places;                /* 0: no list, but the buffers must exist */
} qn_evolve_list;

/* Draw a generation. `parents` is read for kinds that have parents; its counts are the numbers of parents. */
QN_MUST_CHECK qn_status qn_evolve_draw(qn_queue *queue, const qn_configuration *configuration,
                                       const qn_evolve_problem *problem, const qn_evolve_generation *generation,
                                       qn_buffer *words, qn_buffer *transforms, const qn_evolve_list *parents,
                                       qn_buffer *keys, qn_buffer *frame, qn_event **event);

/* Select the best of `poses` new poses of each job (0: none) and of `old`, which must be sorted when there are new
 * poses. Unused places repeat the list from its start. */
QN_MUST_CHECK qn_status qn_evolve_choose_best(qn_queue *queue, const qn_configuration *configuration,
                                              const qn_evolve_problem *problem, int poses, qn_buffer *words,
                                              qn_buffer *energies, const qn_evolve_list *old,
                                              const qn_evolve_list *best, qn_event **event);

/* Choose the poses of a sorted list that are at least `apart_angstrom` (RMSD) from every better chosen one. Unused
 * places get the best other poses with `fill`, else poses of infinite energy, which are not counted. Levels become 0.
 */
QN_MUST_CHECK qn_status qn_evolve_choose_apart(qn_queue *queue, const qn_configuration *configuration,
                                               const qn_evolve_problem *problem, const qn_evolve_list *from,
                                               qn_buffer *moments, qn_buffer *frame, float apart_angstrom, bool fill,
                                               const qn_evolve_list *chosen, qn_buffer *levels, qn_event **event);

/* Write the transforms [12][jobs · qn_evolve_neighbour_poses] of the neighbours of winners. */
QN_MUST_CHECK qn_status qn_evolve_neighbours(qn_queue *queue, const qn_configuration *configuration,
                                             const qn_evolve_problem *problem, const qn_evolve_steps *steps,
                                             qn_buffer *transforms, qn_buffer *winners, qn_buffer *levels,
                                             qn_buffer *frame, qn_event **event);

/* Move each winner to its best neighbour if that is better, else raise its level. */
QN_MUST_CHECK qn_status qn_evolve_descend(qn_queue *queue, const qn_configuration *configuration,
                                          const qn_evolve_problem *problem, const qn_evolve_steps *steps,
                                          qn_buffer *winners, qn_buffer *levels, qn_buffer *energies, qn_event **event);

/* References of the kernels. `old` may be NULL with old_places 0. */
void qn_evolve_draw_reference(const qn_evolve_problem *problem, const qn_evolve_generation *generation, int places,
                              const uint32_t *parents, const int32_t *counts, const uint32_t *keys, uint32_t *words);
void qn_evolve_transform_reference(const double box_centre_angstrom[3], const double box_side_angstrom[3],
                                   const uint32_t words[3], double transform[12]);
QN_MUST_CHECK qn_status qn_evolve_choose_best_reference(const qn_evolve_problem *problem, int poses,
                                                        const uint32_t *words, const float *energies, int old_places,
                                                        const uint32_t *old, const int32_t *old_counts, int places,
                                                        uint32_t *best, int32_t *counts);
/* Takes positions [jobs][atoms][3] instead of moments. */
void qn_evolve_choose_apart_reference(const qn_evolve_problem *problem, const double box_centre_angstrom[3],
                                      const double box_side_angstrom[3], const double *positions, int atoms,
                                      const uint32_t *list, const int32_t *counts, int places, double apart_angstrom,
                                      bool fill, uint32_t *chosen, int32_t *chosen_counts);
/* `words`: [jobs][qn_evolve_neighbour_poses][3]. */
void qn_evolve_neighbours_reference(const qn_evolve_problem *problem, const qn_evolve_steps *steps,
                                    const uint32_t *winners, const int32_t *levels, uint32_t *words);
void qn_evolve_descend_reference(const qn_evolve_problem *problem, const qn_evolve_steps *steps, uint32_t *winners,
                                 int32_t *levels, const float *energies);

#endif
