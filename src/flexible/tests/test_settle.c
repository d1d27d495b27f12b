/* Poses that settle with exact energies: they are minima, best first; kicks lower the best pose alone, and each round
 * of kicks has random numbers of its own. */
#include "check.h"

#include "flexible/energy.h"
#include "flexible/settle.h"
#include "flexible/tests/chains.h"

enum { MOLECULES = 4, MOST = 5, ENERGY = 7 };

static const int counts[MOLECULES] = {5, 1, 3, 4};

typedef struct scene {
    qn_queue *queue;
    qn_score_receptor receptor;
    qn_flexible_tree trees[MOLECULES];
    qn_flexible_frame frame;
    qn_flexible_batch batch;
    qn_flexible_near near;
    float states[MOLECULES][MOST][QN_FLEXIBLE_STATE]; /* drawn */
} scene;

static bool scene_open(qn_device *device, scene *s)
{
    static const double centre[3] = {0}, side[3] = {20, 20, 20};
    const qn_flexible_tree *list[MOLECULES];
    const uint32_t numbers[MOLECULES] = {3, 4, 5, 6};
    int map_of[QN_VINA_TYPES] = {0}; /* no map is used */
    uint64_t drawn = 0;
    *s = (scene){.frame = {.seed = 11}};
    if (!CHECK_OK(cloud_make(200, 24, &drawn, &s->receptor)) || !CHECK_OK(qn_queue_create(device, &s->queue)) ||
        !CHECK_OK(qn_flexible_grid_of(centre, side, &s->frame.grid)))
        return false;
    for (int m = 0; m < MOLECULES; m++) {
        qn_compound *compound = chain_make(1 + m, &drawn);
        CHECK_OK(qn_flexible_tree_create(compound, QN_FLEXIBLE_TYPES_FILE, -1, &s->trees[m]));
        qn_compound_destroy(&compound);
        list[m] = &s->trees[m];
        for (int i = 0; i < counts[m]; i++) {
            qn_flexible_pose pose;
            pose_draw(&s->trees[m], &drawn, &pose);
            for (int d = 0; d < 3; d++) pose.place[d] = 8 * (chain_draw(&drawn) - 0.5);
            qn_flexible_state_of(&s->trees[m], &pose, &s->frame.grid, s->states[m][i]);
        }
    }
    return CHECK_OK(qn_flexible_near_create(s->queue, &s->receptor, &s->frame.grid, &s->near)) &&
           CHECK_OK(qn_flexible_batch_create(s->queue, list, numbers, MOLECULES, 1, map_of, &s->frame.grid, &s->batch));
}

static void scene_close(scene *s)
{
    qn_flexible_near_clear(&s->near);
    qn_flexible_batch_clear(&s->batch);
    for (int m = 0; m < MOLECULES; m++) qn_flexible_tree_clear(&s->trees[m]);
    qn_score_receptor_clear(&s->receptor);
    qn_queue_destroy(&s->queue);
}

/* Settle the drawn poses; returns the number of evaluations. */
static double settle(const scene *s, int rounds, float states[MOLECULES][MOST][QN_FLEXIBLE_STATE])
{
    const qn_flexible_settling how = {&s->batch, &s->frame, &s->near, MOST, rounds};
    double evaluations = 0;
    memcpy(states, s->states, sizeof s->states);
    CHECK_OK(qn_flexible_settle_poses(s->queue, &how, states[0][0], counts, &evaluations));
    return evaluations;
}

static void check_minima(const scene *s, float states[MOLECULES][MOST][QN_FLEXIBLE_STATE])
{
    qn_flexible_receptor *sorted;
    if (!CHECK_OK(qn_flexible_receptor_create(&s->receptor, &sorted))) return;
    for (int m = 0; m < MOLECULES; m++)
        for (int i = 0; i < counts[m]; i++) {
            qn_flexible_pose pose;
            qn_flexible_energy energy;
            qn_flexible_state_pose(&s->trees[m], states[m][i], &s->frame.grid, &pose);
            qn_flexible_evaluate(&s->trees[m], sorted, &pose, QN_FLEXIBLE_HARD, &energy, NULL);
            CHECK_NEAR(states[m][i][ENERGY], energy.bent, 1e-3 * fmax(1, fabs(energy.bent)));
            CHECK(i == 0 || states[m][i][ENERGY] >= states[m][i - 1][ENERGY]);
        }
    qn_flexible_receptor_destroy(&sorted);
}

static qn_device *device;

static void kicks_lower_the_best_pose(void)
{
    static float without[MOLECULES][MOST][QN_FLEXIBLE_STATE], with[MOLECULES][MOST][QN_FLEXIBLE_STATE],
        longer[MOLECULES][MOST][QN_FLEXIBLE_STATE];
    scene s;
    int lower = 0, lower_still = 0;
    if (scene_open(device, &s)) {
        const double least = settle(&s, 0, without), more = settle(&s, 1, with), most = settle(&s, 12, longer);
        CHECK(least > 0 && more > least && most > more);
        check_minima(&s, without);
        check_minima(&s, longer);
        for (int m = 0; m < MOLECULES; m++) {
            CHECK(with[m][0][ENERGY] <= without[m][0][ENERGY] && longer[m][0][ENERGY] <= with[m][0][ENERGY]);
            lower += with[m][0][ENERGY] < without[m][0][ENERGY] - 0.001f;
            lower_still += longer[m][0][ENERGY] < with[m][0][ENERGY] - 0.001f;
            for (int i = 1; i < counts[m]; i++)
                CHECK(memcmp(with[m][i], without[m][i], sizeof with[m][i]) == 0); /* the others stay */
        }
        CHECK(lower >= 2 && lower_still >= 2);
    }
    scene_close(&s);
}

/* A round that begins where the one before began has other numbers: after rounds in vain a lower minimum is found. */
static void rounds_have_numbers_of_their_own(void)
{
    enum { ROUNDS = 16 };
    static float states[MOLECULES][MOST][QN_FLEXIBLE_STATE];
    float lowest[ROUNDS][MOLECULES];
    scene s;
    int after_a_pause = 0;
    if (scene_open(device, &s)) {
        for (int rounds = 0; rounds < ROUNDS; rounds++) {
            (void)settle(&s, rounds, states);
            for (int m = 0; m < MOLECULES; m++) lowest[rounds][m] = states[m][0][ENERGY];
        }
        for (int m = 0; m < MOLECULES; m++)
            for (int r = 2; r < ROUNDS; r++)
                after_a_pause += lowest[r - 1][m] == lowest[r - 2][m] && lowest[r][m] < lowest[r - 1][m];
        CHECK(after_a_pause >= 1);
    }
    scene_close(&s);
}

int main(void)
{
    qn_context *context;
    if (!CHECK_OK(
            qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context)) ||
        !CHECK_OK(qn_device_open(context, "host", &device)))
        return check_finish();
    RUN(kicks_lower_the_best_pose);
    RUN_LONG(rounds_have_numbers_of_their_own);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
