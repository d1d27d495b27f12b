#include "screen/search/search.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "score/kernels/score_poses.h"
#include "screen/search/kernels/evolve.h"
#include "screen/search/rounds.h"
#include "screen/search/scorer.h"

enum {
    LIGAND_ATOMS = 1024,
    POSES_MAX = 1 << 20,
    POPULATION = 256,
    POPULATIONS_MAX = 16,     /* default limit */
    POPULATION_VOLUME = 7500, /* Å³ of the box that one population searches well */
    BATCH_MAX = 1024,
    GPU_POSES = 1 << 22, /* poses of a launch, at most: several for each work-item of a large GPU */
    LAUNCH_POSES_MAX = 1 << 26,
    LAUNCHES_MAX = 4096, /* launches of a round whose times are kept, at most */
    CHECKS_MAX = 20      /* parts of the last minimisation, at most */
};

/* Parameters of the search; shares are of the number of generations. docs/design/screening.md names the complexes
 * on which they were fitted. */
static const struct {
    double even_share;              /* generations drawn evenly from the box */
    double soft_share;              /* generations with a soft receptor, the even ones among them */
    double hardness;                /* of the soft receptor */
    double last_parents;            /* share of a population that are parents at the end; at the start all are */
    double first_apart, last_apart; /* Å of RMSD between parents */
    double spread_angle_degrees, spread_place_angstrom; /* largest distance of children from parents */
    double step_angle_degrees, step_place_angstrom;     /* first steps of the minimiser */
    int levels;                                         /* of the minimiser: two for each halving of the steps */
    float apart_angstrom;                               /* RMSD between poses that are minimised, where possible */
    float meet_angstrom;                                /* minima nearer than this count as one */
    int agreeing;                                       /* rounds that must find the lowest energy */
} course = {0.3, 0.6, 0.1, 1.0 / 16, 1.5, 1, 30, 2, 6, 0.6, 16, 2.0f, 0.5f, 4};

/* A round in the queue. */
typedef struct queued_round {
    int job; /* index in the batch */
    int round;
} queued_round;

/* A slot: device buffers of a batch, and host memory for its inputs and results. */
typedef struct search_slot {
    qn_queue *queue;
    qn_buffer *job_ranges, *shares, *atoms, *moments; /* of the ligands */
    qn_buffer *keys, *population_moments;             /* of populations; moments are those of their ligands */
    qn_buffer *words, *transforms, *energies;         /* of a generation */
    qn_evolve_list best[2], parents;                  /* of all populations */
    qn_evolve_list merged, winners, result;
    qn_buffer *merged_from;            /* number of poses in `best` of all populations of a job, for each job */
    qn_buffer *levels, *parent_levels; /* the levels of parents are not used */
    qn_score_poses_job *host_ranges;
    qn_score_poses_atom *host_atoms;
    float *host_shares, *host_moments, *host_population_moments;
    uint32_t *host_keys, *host_result;
    qn_event **scoring, **evolving; /* events of launches, up to LAUNCHES_MAX */
    int scoring_count, evolving_count;
    qn_event *done;
    int32_t *host_merged_from, *host_found_counts, *host_levels;
    uint32_t *host_found;
    qn_screen_job *batch; /* the jobs that were submitted */
    int batch_count;
    qn_screen_rounds *rounds; /* of these jobs */
    qn_screen_pose *found;    /* poses of their rounds */
    queued_round *queued;     /* what the kernels call jobs */
    int jobs, ligand_atoms;   /* of the queued rounds */
    double interactions;
    bool busy;
} search_slot;

struct qn_screen_search {
    qn_screen_search_options options;
    const qn_screen_scorer *scorer;
    void *receptor, *soft_receptor;
    size_t receptor_atoms;
    qn_buffer *frame;
    float *host_frame;
    double scoring_s, evolving_s;
    search_slot slots[QN_SCREEN_SLOTS];
};

qn_screen_search_options qn_screen_search_default_options(void)
{
    return (qn_screen_search_options){
        .generations = 55, .winners = 16, .minimiser_steps = 30, .seed = 1, .cull = true, .rounds = 12};
}

int qn_screen_search_populations(int poses)
{
    int count = poses < POPULATION ? 1 : poses / POPULATION;
    while (poses % count != 0) count--;
    return count;
}

int qn_screen_search_default_poses(const double box_side_angstrom[3])
{
    const double *side = box_side_angstrom;
    const double populations = fmin(ceil(side[0] * side[1] * side[2] / POPULATION_VOLUME), POPULATIONS_MAX);
    return POPULATION * (int)fmax(populations, 1);
}

static int population_size(const qn_screen_search_options *o)
{
    return o->poses / qn_screen_search_populations(o->poses);
}

/* Number of best poses of a population that the next parents are chosen from. */
static int best_places(const qn_screen_search_options *o)
{
    const int places = 2 * population_size(o);
    return places < QN_EVOLVE_PARENTS_MAX ? places : QN_EVOLVE_PARENTS_MAX;
}

/* Number of rounds of a job that are searched at once, at most. */
static int rounds_at_once(const qn_screen_search_options *o)
{
    return o->rounds < course.agreeing ? o->rounds : course.agreeing;
}

static qn_status check_options(const qn_screen_search_options *o)
{
    for (int axis = 0; axis < 3; axis++)
        if (!isfinite(o->box_centre_angstrom[axis]) ||
            !(o->box_side_angstrom[axis] > 0 && o->box_side_angstrom[axis] <= 1000))
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "search box along axis %d: centre %g, side %g Å; expected a side of up to 1000", axis,
                           o->box_centre_angstrom[axis], o->box_side_angstrom[axis]);
    if (o->generations < 1 || o->generations > 1000 || o->minimiser_steps < 0 || o->minimiser_steps > 1000)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%d generations and %d steps of the minimiser; expected 1 to 1000 and 0 to 1000", o->generations,
                       o->minimiser_steps);
    if (o->poses < 64 || o->poses > POSES_MAX || o->poses % 64 != 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%d poses of a generation; expected a multiple of 64 up to %d", o->poses,
                       POSES_MAX);
    if (o->winners < 1 || o->winners > best_places(o))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%d winners of %d poses; expected 1 to %d", o->winners, o->poses,
                       best_places(o));
    if (o->rounds < 1 || o->rounds > QN_SCREEN_ROUNDS_MAX || o->rounds * o->winners > QN_EVOLVE_PARENTS_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%d rounds of %d winners; expected 1 to %d, and up to %d winners in all",
                       o->rounds, o->winners, QN_SCREEN_ROUNDS_MAX, QN_EVOLVE_PARENTS_MAX);
    if (o->batch < 0 || o->batch > BATCH_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "a batch of %d conformers; expected up to %d", o->batch, BATCH_MAX);
    return QN_OK;
}

/* Number of poses of all rounds. */
static int found_places(const qn_screen_search_options *o)
{
    return o->rounds * o->winners;
}

/* Number of poses that the minimised poses are chosen from: the best of all populations, or those of all rounds. */
static int merged_places(const qn_screen_search_options *o)
{
    const int all = qn_screen_search_populations(o->poses) * best_places(o);
    const int places = all > found_places(o) ? all : found_places(o);
    return places < QN_EVOLVE_PARENTS_MAX ? places : QN_EVOLVE_PARENTS_MAX;
}

/* The problem of kernels that work on generations, in which each population is a job. */
static qn_evolve_problem populations_of(const qn_screen_search_options *o, int jobs)
{
    const int count = qn_screen_search_populations(o->poses);
    return (qn_evolve_problem){
        .jobs = jobs * count, .poses = o->poses / count, .parents = best_places(o), .winners = o->winners};
}

static qn_evolve_problem problem_of(const qn_screen_search_options *o, int jobs)
{
    return (qn_evolve_problem){.jobs = jobs, .poses = o->poses, .parents = merged_places(o), .winners = o->winners};
}

/* Number of poses of a job in its largest launch. */
static size_t most_poses(const qn_screen_search_options *o)
{
    const qn_evolve_problem problem = problem_of(o, 1);
    const int neighbours = qn_evolve_neighbour_poses(&problem);
    return (size_t)(o->poses > neighbours ? o->poses : neighbours);
}

/* Device bytes of one round of a job in one slot. */
static size_t round_bytes(const qn_screen_search_options *o)
{
    const size_t populations = (size_t)qn_screen_search_populations(o->poses);
    return most_poses(o) * (3 + 12 + 1) * 4 +
           populations * ((size_t)best_places(o) * 2 * 16 + (size_t)population_size(o) * 20 + 48) +
           (size_t)merged_places(o) * 16 + (size_t)o->winners * 36 + LIGAND_ATOMS * sizeof(qn_score_poses_atom) + 64;
}

/* Choose enough jobs to fill the device within half of its memory; on a CPU two for each core. */
static int choose_batch(const qn_device_info *info, const qn_screen_search_options *o)
{
    const size_t poses = most_poses(o) * (size_t)rounds_at_once(o), bytes = round_bytes(o) * (size_t)rounds_at_once(o);
    size_t batch = info->kind == QN_DEVICE_CPU ? (size_t)info->compute_units * 2 : GPU_POSES / poses;
    if (batch > BATCH_MAX) batch = BATCH_MAX;
    while (batch > 1 && (QN_SCREEN_SLOTS * batch * bytes > info->memory_bytes / 2 ||
                         batch * poses * 48 > info->largest_buffer_bytes || batch * poses > LAUNCH_POSES_MAX))
        batch /= 2;
    return batch > 0 ? (int)batch : 1;
}

static qn_status complete_options(qn_device *device, qn_screen_search_options *o)
{
    const qn_device_info *info = qn_device_get_info(device);
    if (o->poses == 0) o->poses = qn_screen_search_default_poses(o->box_side_angstrom);
    QN_TRY(check_options(o));
    if (o->batch == 0) o->batch = choose_batch(info, o);
    const size_t rounds = (size_t)o->batch * (size_t)rounds_at_once(o);
    const size_t needed = QN_SCREEN_SLOTS * rounds * round_bytes(o);
    if (needed > info->memory_bytes)
        return QN_FAIL(QN_OUT_OF_MEMORY, "%s: %d %s of %d poses at once %s %zu bytes; it has %llu", info->identifier,
                       o->batch, o->batch == 1 ? "conformer" : "conformers", o->poses * rounds_at_once(o),
                       o->batch == 1 ? "needs" : "need", needed, (unsigned long long)info->memory_bytes);
    if (rounds * most_poses(o) > LAUNCH_POSES_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%d conformers of %d poses at once; expected at most %d poses together",
                       o->batch, o->poses * rounds_at_once(o), LAUNCH_POSES_MAX);
    return QN_OK;
}

static qn_status create_list(qn_device *device, size_t jobs, int places, qn_evolve_list *list)
{
    list->places = places;
    QN_TRY(qn_buffer_create(device, jobs * (size_t)places * 16, &list->poses));
    return qn_buffer_create(device, jobs * 4, &list->counts);
}

static qn_status create_slot(qn_device *device, const qn_screen_search_options *o, search_slot *slot)
{
    const size_t jobs = (size_t)o->batch * (size_t)rounds_at_once(o), winners = (size_t)o->winners;
    const size_t poses = jobs * most_poses(o);
    const size_t populations = jobs * (size_t)qn_screen_search_populations(o->poses);
    QN_TRY(qn_queue_create(device, &slot->queue));
    QN_TRY(qn_buffer_create(device, jobs * sizeof(qn_score_poses_job), &slot->job_ranges));
    QN_TRY(qn_buffer_create(device, jobs * LIGAND_ATOMS * sizeof(qn_score_poses_atom), &slot->atoms));
    QN_TRY(qn_buffer_create(device, jobs * 4, &slot->shares));
    QN_TRY(qn_buffer_create(device, populations * 8, &slot->keys));
    QN_TRY(qn_buffer_create(device, jobs * 24, &slot->moments));
    QN_TRY(qn_buffer_create(device, populations * 24, &slot->population_moments));
    QN_TRY(qn_buffer_create(device, poses * 12, &slot->words));
    QN_TRY(qn_buffer_create(device, poses * 48, &slot->transforms));
    QN_TRY(qn_buffer_create(device, poses * 4, &slot->energies));
    for (int i = 0; i < 2; i++) QN_TRY(create_list(device, populations, best_places(o), &slot->best[i]));
    QN_TRY(create_list(device, populations, population_size(o), &slot->parents));
    QN_TRY(create_list(device, jobs, merged_places(o), &slot->merged));
    QN_TRY(qn_buffer_create(device, jobs * 4, &slot->merged_from));
    QN_TRY(create_list(device, jobs, o->winners, &slot->winners));
    QN_TRY(create_list(device, jobs, o->winners, &slot->result));
    QN_TRY(qn_buffer_create(device, jobs * winners * 4, &slot->levels));
    QN_TRY(qn_buffer_create(device, populations * (size_t)population_size(o) * 4, &slot->parent_levels));
    return QN_OK;
}

static qn_status allocate_slot(const qn_screen_search_options *o, search_slot *slot)
{
    const size_t batch = (size_t)o->batch, jobs = batch * (size_t)rounds_at_once(o);
    const size_t winners = (size_t)o->winners, found = (size_t)found_places(o);
    const size_t populations = jobs * (size_t)qn_screen_search_populations(o->poses);
    QN_TRY(qn_allocate(jobs, sizeof *slot->host_ranges, (void **)&slot->host_ranges));
    QN_TRY(qn_allocate(jobs * LIGAND_ATOMS, sizeof *slot->host_atoms, (void **)&slot->host_atoms));
    QN_TRY(qn_allocate(jobs, sizeof *slot->host_shares, (void **)&slot->host_shares));
    QN_TRY(qn_allocate(jobs * 6, sizeof(float), (void **)&slot->host_moments));
    QN_TRY(qn_allocate(populations * 6, sizeof(float), (void **)&slot->host_population_moments));
    QN_TRY(qn_allocate(populations * 2, sizeof *slot->host_keys, (void **)&slot->host_keys));
    QN_TRY(qn_allocate(jobs * winners * 4, sizeof *slot->host_result, (void **)&slot->host_result));
    QN_TRY(qn_allocate(jobs, sizeof *slot->host_merged_from, (void **)&slot->host_merged_from));
    QN_TRY(qn_allocate(jobs * winners, sizeof *slot->host_levels, (void **)&slot->host_levels));
    QN_TRY(qn_allocate(jobs, sizeof *slot->queued, (void **)&slot->queued));
    QN_TRY(qn_allocate(batch, sizeof *slot->batch, (void **)&slot->batch));
    QN_TRY(qn_allocate(batch, sizeof *slot->rounds, (void **)&slot->rounds));
    QN_TRY(qn_allocate(batch * found, sizeof *slot->found, (void **)&slot->found));
    QN_TRY(qn_allocate(batch, sizeof *slot->host_found_counts, (void **)&slot->host_found_counts));
    QN_TRY(qn_allocate(batch * found * 4, sizeof *slot->host_found, (void **)&slot->host_found));
    for (size_t i = 0; i < batch; i++) slot->rounds[i].poses = slot->found + i * found;
    QN_TRY(qn_allocate(LAUNCHES_MAX, sizeof(qn_event *), (void **)&slot->scoring));
    return qn_allocate(LAUNCHES_MAX, sizeof(qn_event *), (void **)&slot->evolving);
}

static void drop_events(search_slot *slot)
{
    for (int i = 0; i < slot->scoring_count; i++) qn_event_destroy(&slot->scoring[i]);
    for (int i = 0; i < slot->evolving_count; i++) qn_event_destroy(&slot->evolving[i]);
    qn_event_destroy(&slot->done);
    slot->scoring_count = slot->evolving_count = 0;
}

static void destroy_list(qn_evolve_list *list)
{
    qn_buffer_release(&list->poses);
    qn_buffer_release(&list->counts);
}

static void destroy_slot(search_slot *slot)
{
    qn_queue_destroy(&slot->queue); /* first, since it waits for commands that use the rest */
    drop_events(slot);
    qn_buffer **buffers[] = {&slot->job_ranges,
                             &slot->shares,
                             &slot->atoms,
                             &slot->moments,
                             &slot->keys,
                             &slot->words,
                             &slot->transforms,
                             &slot->energies,
                             &slot->levels,
                             &slot->merged_from,
                             &slot->population_moments,
                             &slot->parent_levels};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) qn_buffer_release(buffers[i]);
    destroy_list(&slot->best[0]);
    destroy_list(&slot->best[1]);
    destroy_list(&slot->parents);
    destroy_list(&slot->merged);
    destroy_list(&slot->winners);
    destroy_list(&slot->result);
    qn_release(&slot->host_ranges);
    qn_release(&slot->host_atoms);
    qn_release(&slot->host_shares);
    qn_release(&slot->host_moments);
    qn_release(&slot->host_population_moments);
    qn_release(&slot->host_keys);
    qn_release(&slot->host_merged_from);
    qn_release(&slot->host_levels);
    qn_release(&slot->batch);
    qn_release(&slot->queued);
    qn_release(&slot->rounds);
    qn_release(&slot->found);
    qn_release(&slot->host_found_counts);
    qn_release(&slot->host_found);
    qn_release(&slot->host_result);
    qn_release(&slot->scoring);
    qn_release(&slot->evolving);
}

void qn_screen_search_destroy(qn_screen_search **pointer)
{
    qn_screen_search *search = pointer ? *pointer : NULL;
    if (!search) return;
    for (int i = 0; i < QN_SCREEN_SLOTS; i++) destroy_slot(&search->slots[i]);
    if (search->receptor) search->scorer->destroy(&search->receptor);
    if (search->soft_receptor) search->scorer->destroy(&search->soft_receptor);
    qn_buffer_release(&search->frame);
    qn_release(&search->host_frame);
    qn_release(pointer);
}

static qn_status create_parts(qn_device *device, const qn_score_receptor *receptor, qn_screen_search *search)
{
    const qn_screen_search_options *o = &search->options;
    QN_TRY(qn_allocate(QN_EVOLVE_FRAME, sizeof(float), (void **)&search->host_frame));
    qn_evolve_frame(o->box_centre_angstrom, o->box_side_angstrom, search->host_frame);
    QN_TRY(qn_buffer_create(device, QN_EVOLVE_FRAME * sizeof(float), &search->frame));
    for (int i = 0; i < QN_SCREEN_SLOTS; i++) {
        search_slot *slot = &search->slots[i];
        QN_TRY(create_slot(device, o, slot));
        QN_TRY(allocate_slot(o, slot));
        /* the first generation needs a list as argument and does not read it */
        const qn_evolve_list *none = &slot->best[1];
        QN_TRY(qn_queue_fill(slot->queue, none->poses, 0, qn_buffer_bytes(none->poses), 0, NULL));
        QN_TRY(qn_queue_fill(slot->queue, none->counts, 0, qn_buffer_bytes(none->counts), 0, NULL));
    }
    QN_TRY(qn_queue_write(search->slots[0].queue, search->frame, 0, search->host_frame, QN_EVOLVE_FRAME * sizeof(float),
                          NULL));
    for (int i = 0; i < QN_SCREEN_SLOTS; i++) QN_TRY(qn_queue_finish(search->slots[i].queue));
    QN_TRY(search->scorer->create(device, receptor, o, 1, &search->receptor));
    return search->scorer->create(device, receptor, o, course.hardness, &search->soft_receptor);
}

qn_status qn_screen_search_create_with(qn_device *device, const qn_screen_scorer *scorer,
                                       const qn_score_receptor *receptor, const qn_screen_search_options *options,
                                       qn_screen_search **out)
{
    qn_screen_search *search;
    qn_screen_search_options completed = *options;
    *out = NULL;
    QN_TRY(complete_options(device, &completed));
    QN_TRY(qn_allocate(1, sizeof *search, (void **)&search));
    search->options = completed;
    search->scorer = scorer;
    search->receptor_atoms = receptor->atom_count;
    qn_status status = create_parts(device, receptor, search);
    if (status != QN_OK) {
        qn_screen_search_destroy(&search);
        return status;
    }
    *out = search;
    return QN_OK;
}

qn_status qn_screen_search_create(qn_device *device, const qn_score_receptor *receptor,
                                  const qn_screen_search_options *options, qn_screen_search **search)
{
    const qn_screen_scorer *scorer;
    *search = NULL;
    QN_TRY(qn_screen_scorer_find(receptor->score.kind, &scorer));
    return qn_screen_search_create_with(device, scorer, receptor, options, search);
}

int qn_screen_search_batch(const qn_screen_search *search)
{
    return search->options.batch;
}

double qn_screen_search_scoring_seconds(const qn_screen_search *search)
{
    return search->scoring_s;
}

double qn_screen_search_evolving_seconds(const qn_screen_search *search)
{
    return search->evolving_s;
}

void qn_screen_pose_transform(const qn_screen_search_options *options, const qn_screen_pose *pose, double rotation[9],
                              double translation_angstrom[3])
{
    float transform[12];
    qn_evolve_pose_transform(options->box_centre_angstrom, options->box_side_angstrom, pose->number, transform);
    for (int row = 0; row < 3; row++) {
        for (int k = 0; k < 3; k++) rotation[3 * row + k] = (double)transform[4 * row + k];
        translation_angstrom[row] = (double)transform[4 * row + 3];
    }
}

/* Copy the ligand of a queued round into the host memory of the slot. */
static void place_ligand(const qn_screen_search *search, search_slot *slot, int index)
{
    const queued_round *queued = &slot->queued[index];
    const qn_screen_job *job = &slot->batch[queued->job];
    const qn_score_ligand *ligand = job->ligand;
    const float *positions = ligand->positions_angstrom + 3 * (size_t)job->conformer * (size_t)ligand->atom_count;
    double moments[6] = {0};
    for (int atom = 0; atom < ligand->atom_count; atom++) {
        const float *p = positions + 3 * atom;
        const double x = (double)p[0], y = (double)p[1], z = (double)p[2];
        const double products[6] = {x * x, y * y, z * z, x * y, x * z, y * z};
        slot->host_atoms[slot->ligand_atoms + atom] = (qn_score_poses_atom){p[0], p[1], p[2], ligand->type[atom]};
        for (int k = 0; k < 6; k++) moments[k] += products[k] / ligand->atom_count;
    }
    for (int k = 0; k < 6; k++) slot->host_moments[6 * index + k] = (float)moments[k];
    slot->host_ranges[index] = (qn_score_poses_job){slot->ligand_atoms, ligand->atom_count};
    slot->host_shares[index] = search->scorer->share ? search->scorer->share(ligand) : 1.0f;
    const int populations = qn_screen_search_populations(search->options.poses);
    slot->host_merged_from[index] = populations * best_places(&search->options);
    for (int i = 0; i < populations; i++) {
        const int at = index * populations + i;
        qn_evolve_key(search->options.seed, ligand->hash, job->conformer, queued->round * populations + i,
                      slot->host_keys + 2 * at);
        memcpy(slot->host_population_moments + 6 * at, slot->host_moments + 6 * index, 24);
    }
    slot->ligand_atoms += ligand->atom_count;
}

static qn_status write_ligands(const qn_screen_search *search, search_slot *slot)
{
    const size_t n = (size_t)slot->jobs, populations = n * (size_t)qn_screen_search_populations(search->options.poses);
    slot->ligand_atoms = 0;
    for (int i = 0; i < slot->jobs; i++) place_ligand(search, slot, i);
    QN_TRY(qn_queue_write(slot->queue, slot->job_ranges, 0, slot->host_ranges, n * sizeof *slot->host_ranges, NULL));
    QN_TRY(qn_queue_write(slot->queue, slot->shares, 0, slot->host_shares, n * 4, NULL));
    QN_TRY(qn_queue_write(slot->queue, slot->keys, 0, slot->host_keys, populations * 8, NULL));
    QN_TRY(qn_queue_write(slot->queue, slot->population_moments, 0, slot->host_population_moments, populations * 24,
                          NULL));
    QN_TRY(qn_queue_write(slot->queue, slot->merged_from, 0, slot->host_merged_from, n * 4, NULL));
    QN_TRY(qn_queue_write(slot->queue, slot->moments, 0, slot->host_moments, n * 24, NULL));
    return qn_queue_write(slot->queue, slot->atoms, 0, slot->host_atoms,
                          (size_t)slot->ligand_atoms * sizeof *slot->host_atoms, NULL);
}

/* The place for the event of the next launch; NULL: there is no room. */
static qn_event **next_event(qn_event **events, int *count)
{
    return *count < LAUNCHES_MAX ? &events[(*count)++] : NULL;
}

static qn_event **next_evolving(search_slot *slot)
{
    return next_event(slot->evolving, &slot->evolving_count);
}

static qn_status score(const qn_screen_search *search, search_slot *slot, const void *receptor, int poses)
{
    const qn_screen_scoring scoring = {.slot = (int)(slot - search->slots),
                                       .jobs = slot->jobs,
                                       .poses = poses,
                                       .ligand_atoms = slot->ligand_atoms,
                                       .exact = search->options.exact,
                                       .job_ranges = slot->job_ranges,
                                       .shares = slot->shares,
                                       .atoms = slot->atoms,
                                       .transforms = slot->transforms,
                                       .energies = slot->energies};
    slot->interactions += (double)poses * slot->ligand_atoms * (double)search->receptor_atoms;
    qn_score_poses_events events = {slot->scoring, slot->scoring_count, LAUNCHES_MAX};
    const qn_status status = search->scorer->score(slot->queue, receptor, &scoring, &events);
    slot->scoring_count = events.count;
    return status;
}

/* Convert a length to 1/65536 of the box side: at least 1, less than half of the side. */
static int places_of(double angstrom, double side_angstrom)
{
    const double places = angstrom / side_angstrom * QN_EVOLVE_TABLE, most = QN_EVOLVE_TABLE / 2 - 1;
    return places < 1 ? 1 : places > most ? (int)most : (int)lround(places);
}

static int angle_of(double degrees)
{
    double numbers = degrees / 360 * QN_EVOLVE_TABLE;
    return numbers < 1 ? 1 : (int)lround(numbers);
}

/* Number of generations that are drawn evenly. */
static int even_generations(const qn_screen_search_options *o)
{
    const int count = (int)(course.even_share * o->generations + 1e-9);
    return count > 0 ? count : 1;
}

static int soft_generations(const qn_screen_search_options *o)
{
    const int count = (int)(course.soft_share * o->generations + 1e-9);
    return count > 0 || o->generations == 1 ? count : 1;
}

/* Enqueue a generation that is drawn evenly. */
static qn_status begin(const qn_screen_search *search, search_slot *slot, int number)
{
    const qn_screen_search_options *o = &search->options;
    const qn_evolve_problem problem = populations_of(o, slot->jobs);
    const qn_evolve_generation generation = {.number = number, .kind = QN_EVOLVE_EVENLY};
    const bool soft = number < soft_generations(o);
    qn_evolve_list old = slot->best[(number + 1) % 2];
    if (number == 0) old.places = 0;
    QN_TRY(qn_evolve_draw(slot->queue, NULL, &problem, &generation, slot->words, slot->transforms, &old, slot->keys,
                          search->frame, next_evolving(slot)));
    QN_TRY(score(search, slot, soft ? search->soft_receptor : search->receptor, o->poses));
    return qn_evolve_choose_best(slot->queue, NULL, &problem, problem.poses, slot->words, slot->energies, &old,
                                 &slot->best[number % 2], next_evolving(slot));
}

/* Enqueue a generation that is drawn near parents. In the first one with the hard receptor the parents are scored
 * again. */
static qn_status go_on(const qn_screen_search *search, search_slot *slot, int number)
{
    const qn_screen_search_options *o = &search->options;
    const qn_evolve_problem problem = populations_of(o, slot->jobs);
    const int even = even_generations(o), soft = soft_generations(o), rest = o->generations - even;
    const double progress = rest > 1 ? (number - even) / (rest - 1.0) : 1;
    const double apart = course.first_apart + progress * (course.last_apart - course.first_apart);
    const qn_evolve_list *best = &slot->best[number % 2];
    qn_evolve_list parents = slot->parents, old;
    qn_evolve_generation generation = {.number = number,
                                       .kind = number == soft ? QN_EVOLVE_AGAIN : QN_EVOLVE_NEAR,
                                       .spread_angle = angle_of(course.spread_angle_degrees)};
    for (int axis = 0; axis < 3; axis++)
        generation.spread_places[axis] = places_of(course.spread_place_angstrom, o->box_side_angstrom[axis]);
    parents.places = (int)lround(population_size(o) * pow(course.last_parents, progress));
    old = parents;
    if (number == soft) old.places = 0;
    QN_TRY(qn_evolve_choose_apart(slot->queue, NULL, &problem, &slot->best[(number + 1) % 2], slot->population_moments,
                                  search->frame, (float)apart, false, &parents, slot->parent_levels,
                                  next_evolving(slot)));
    QN_TRY(qn_evolve_draw(slot->queue, NULL, &problem, &generation, slot->words, slot->transforms, &parents, slot->keys,
                          search->frame, next_evolving(slot)));
    QN_TRY(score(search, slot, number < soft ? search->soft_receptor : search->receptor, o->poses));
    return qn_evolve_choose_best(slot->queue, NULL, &problem, problem.poses, slot->words, slot->energies, &old, best,
                                 next_evolving(slot));
}

/* Enqueue all generations, and collect the best poses of all populations in slot->merged. */
static qn_status evolve(const qn_screen_search *search, search_slot *slot)
{
    const qn_screen_search_options *o = &search->options;
    const qn_evolve_problem together = problem_of(o, slot->jobs);
    const int even = even_generations(o);
    for (int number = 0; number < o->generations; number++)
        QN_TRY(number < even ? begin(search, slot, number) : go_on(search, slot, number));
    qn_evolve_list all = slot->best[(o->generations + 1) % 2];
    all.counts = slot->merged_from;
    all.places = qn_screen_search_populations(o->poses) * best_places(o);
    return qn_evolve_choose_best(slot->queue, NULL, &together, 0, slot->words, slot->energies, &all, &slot->merged,
                                 next_evolving(slot));
}

/* Enqueue steps of the minimiser for slot->winners. */
static qn_status descend(const qn_screen_search *search, search_slot *slot)
{
    const qn_screen_search_options *o = &search->options;
    const qn_evolve_problem problem = problem_of(o, slot->jobs);
    qn_evolve_steps steps = {.angle = angle_of(course.step_angle_degrees), .last_level = course.levels};
    for (int axis = 0; axis < 3; axis++)
        steps.places[axis] = places_of(course.step_place_angstrom, o->box_side_angstrom[axis]);
    for (int step = 0; step < o->minimiser_steps; step++) {
        QN_TRY(qn_evolve_neighbours(slot->queue, NULL, &problem, &steps, slot->transforms, slot->winners.poses,
                                    slot->levels, search->frame, next_evolving(slot)));
        QN_TRY(score(search, slot, search->receptor, qn_evolve_neighbour_poses(&problem)));
        QN_TRY(qn_evolve_descend(slot->queue, NULL, &problem, &steps, slot->winners.poses, slot->levels, slot->energies,
                                 next_evolving(slot)));
    }
    return QN_OK;
}

/* Choose the poses of a list that are minimised. */
static qn_status choose_winners(const qn_screen_search *search, search_slot *slot, const qn_evolve_list *from)
{
    const qn_evolve_problem problem = problem_of(&search->options, slot->jobs);
    return qn_evolve_choose_apart(slot->queue, NULL, &problem, from, slot->moments, search->frame,
                                  course.apart_angstrom, true, &slot->winners, slot->levels, next_evolving(slot));
}

/* Enqueue the choice of the distinct minima among the winners, and read them. */
static qn_status read_minima(const qn_screen_search *search, search_slot *slot)
{
    const qn_screen_search_options *o = &search->options;
    const qn_evolve_problem problem = problem_of(o, slot->jobs);
    qn_evolve_list sorted = {slot->merged.poses, slot->merged.counts,
                             o->winners}; /* reuses buffers of poses that are no longer needed */
    QN_TRY(qn_evolve_choose_best(slot->queue, NULL, &problem, 0, slot->words, slot->energies, &slot->winners, &sorted,
                                 next_evolving(slot)));
    QN_TRY(qn_evolve_choose_apart(slot->queue, NULL, &problem, &sorted, slot->moments, search->frame,
                                  course.meet_angstrom, false, &slot->result, slot->levels, next_evolving(slot)));
    return qn_queue_read(slot->queue, slot->result.poses, 0, slot->host_result,
                         (size_t)slot->jobs * (size_t)o->winners * 16, &slot->done);
}

/* Choose the next rounds: as many of each job as the lowest energy must still be found. So no round is in vain, and a
 * single job has work for several cores. */
static void choose_rounds(const qn_screen_search *search, search_slot *slot)
{
    slot->jobs = 0;
    for (int i = 0; i < slot->batch_count; i++) {
        const qn_screen_rounds *rounds = &slot->rounds[i];
        const int left = search->options.rounds - rounds->done;
        const int missing = course.agreeing - qn_screen_rounds_agreeing(rounds);
        for (int k = 0; k < missing && k < left; k++) slot->queued[slot->jobs++] = (queued_round){i, rounds->done + k};
    }
}

static qn_status queue_rounds(const qn_screen_search *search, search_slot *slot)
{
    QN_TRY(write_ligands(search, slot));
    QN_TRY(evolve(search, slot));
    QN_TRY(choose_winners(search, slot, &slot->merged));
    QN_TRY(descend(search, slot));
    return read_minima(search, slot);
}

/* After a failure: commands in the queue must end before their memory is used again. */
static qn_status give_up(search_slot *slot, qn_status status)
{
    qn_queue_settle(slot->queue);
    drop_events(slot);
    return status;
}

qn_status qn_screen_search_submit(qn_screen_search *search, const qn_screen_job *jobs, int count, int index)
{
    if (index < 0 || index >= QN_SCREEN_SLOTS || search->slots[index].busy || count < 1 ||
        count > search->options.batch)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%d conformers into slot %d; expected 1 to %d into a slot that was collected", count, index,
                       search->options.batch);
    for (int i = 0; i < count; i++)
        if (jobs[i].ligand->atom_count < 1 || jobs[i].ligand->atom_count > LIGAND_ATOMS || jobs[i].conformer < 0 ||
            jobs[i].conformer >= jobs[i].ligand->conformer_count)
            return QN_FAIL(
                QN_INVALID_ARGUMENT, "conformer %d of a ligand of %d %s; expected one of %d, of up to %d atoms",
                jobs[i].conformer, jobs[i].ligand->atom_count, jobs[i].ligand->atom_count == 1 ? "atom" : "atoms",
                jobs[i].ligand->conformer_count, LIGAND_ATOMS);
    search_slot *slot = &search->slots[index];
    memcpy(slot->batch, jobs, (size_t)count * sizeof *jobs);
    slot->batch_count = count;
    slot->interactions = 0;
    for (int i = 0; i < count; i++) qn_screen_rounds_restart(&slot->rounds[i]);
    choose_rounds(search, slot);
    const qn_status status = queue_rounds(search, slot);
    slot->busy = status == QN_OK;
    return status == QN_OK ? QN_OK : give_up(slot, status);
}

static qn_status add_seconds(qn_event *const *events, int count, double *sum)
{
    for (int i = 0; i < count; i++) {
        double seconds = 0;
        if (events[i]) QN_TRY(qn_event_seconds(events[i], &seconds));
        *sum += seconds;
    }
    return QN_OK;
}

/* Wait for slot->done, and take the times of the launches before it. */
static qn_status wait_for_round(qn_screen_search *search, search_slot *slot)
{
    QN_TRY(qn_event_wait(slot->done));
    QN_TRY(add_seconds(slot->scoring, slot->scoring_count, &search->scoring_s));
    QN_TRY(add_seconds(slot->evolving, slot->evolving_count, &search->evolving_s));
    drop_events(slot);
    return QN_OK;
}

/* Finish all rounds; the first one is in the queue. */
static qn_status finish_rounds(qn_screen_search *search, search_slot *slot)
{
    const int winners = search->options.winners;
    qn_screen_pose poses[QN_EVOLVE_PARENTS_MAX];
    while (slot->jobs > 0) {
        QN_TRY(wait_for_round(search, slot));
        for (int i = 0; i < slot->jobs; i++) {
            qn_screen_poses_unpack(slot->host_result + 4 * i * winners, winners, poses);
            qn_screen_rounds_add(&slot->rounds[slot->queued[i].job], poses, winners);
        }
        choose_rounds(search, slot);
        if (slot->jobs > 0) QN_TRY(queue_rounds(search, slot));
    }
    return QN_OK;
}

/* Write the poses of all rounds of all jobs into slot->merged. */
static qn_status write_found(const qn_screen_search *search, search_slot *slot, qn_evolve_list *list)
{
    const size_t places = (size_t)found_places(&search->options), jobs = (size_t)slot->jobs;
    for (size_t job = 0; job < jobs; job++) {
        qn_screen_rounds *rounds = &slot->rounds[job];
        qn_screen_rounds_sort(rounds);
        qn_screen_poses_pack(rounds->poses, rounds->count, slot->host_found + 4 * job * places);
        slot->host_found_counts[job] = rounds->count;
    }
    *list = slot->merged;
    list->counts = slot->merged_from;
    list->places = (int)places;
    QN_TRY(qn_queue_write(slot->queue, slot->merged_from, 0, slot->host_found_counts, jobs * 4, NULL));
    return qn_queue_write(slot->queue, list->poses, 0, slot->host_found, jobs * places * 16, NULL);
}

/* Minimise the best poses of all rounds, until the steps of all of them have become smallest. */
static qn_status minimise(qn_screen_search *search, search_slot *slot)
{
    const size_t winners = (size_t)slot->jobs * (size_t)search->options.winners;
    qn_evolve_list list;
    QN_TRY(write_ligands(search, slot));
    QN_TRY(write_found(search, slot, &list));
    QN_TRY(choose_winners(search, slot, &list));
    for (int check = 0, moving = 1; moving && check < CHECKS_MAX && search->options.minimiser_steps > 0; check++) {
        QN_TRY(descend(search, slot));
        QN_TRY(qn_queue_read(slot->queue, slot->levels, 0, slot->host_levels, winners * 4, &slot->done));
        QN_TRY(wait_for_round(search, slot));
        moving = 0;
        for (size_t i = 0; i < winners; i++) moving += slot->host_levels[i] < course.levels;
    }
    QN_TRY(read_minima(search, slot));
    return wait_for_round(search, slot);
}

static qn_status finish_batch(qn_screen_search *search, search_slot *slot, qn_screen_pose *poses)
{
    const int winners = search->options.winners;
    qn_screen_pose minimised[QN_EVOLVE_PARENTS_MAX];
    QN_TRY(finish_rounds(search, slot));
    for (int i = 0; i < slot->batch_count; i++) slot->queued[i] = (queued_round){.job = i};
    slot->jobs = slot->batch_count;
    QN_TRY(minimise(search, slot));
    for (int i = 0; i < slot->jobs; i++) {
        qn_screen_poses_unpack(slot->host_result + 4 * i * winners, winners, minimised);
        qn_screen_rounds_list(&slot->rounds[i], minimised, winners, search->host_frame, slot->host_moments + 6 * i,
                              course.meet_angstrom, poses + (size_t)i * QN_SCREEN_MINIMA);
    }
    return QN_OK;
}

qn_status qn_screen_search_collect(qn_screen_search *search, int index, qn_screen_pose *poses, double *interactions)
{
    if (index < 0 || index >= QN_SCREEN_SLOTS || !search->slots[index].busy)
        return QN_FAIL(QN_INVALID_ARGUMENT, "slot %d holds no batch to collect", index);
    search_slot *slot = &search->slots[index];
    slot->busy = false;
    const qn_status status = finish_batch(search, slot, poses);
    if (status != QN_OK) return give_up(slot, status);
    if (interactions) *interactions = slot->interactions;
    return QN_OK;
}

bool qn_screen_search_is_unsettled(const qn_screen_search *search, int index, int job)
{
    return search->options.rounds >= course.agreeing &&
           qn_screen_rounds_agreeing(&search->slots[index].rounds[job]) < course.agreeing;
}
