/* The cells of culling: no atom within reach of a place may be missing from its cell's blocks, however close to the
 * limit, and most of those out of reach must be. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "math/random.h"
#include "screen/deck.h"
#include "screen/kernels/score_poses_receptor.h"

#include "runtime/prelude/prelude_host.h"

#include "screen/kernels/score_poses.dev.h"

enum { ATOMS = 9001, PLACES = 20000 };

static const double reach = 9.5;
static qn_screen_deck_data deck;
static qn_score_poses_cells cells;
static uint32_t *masks;

/* The bits of a place's cell; NULL: it has none. */
static const uint32_t *mask_at(const float place[3])
{
    int cell[3];
    for (int axis = 0; axis < 3; axis++) {
        cell[axis] = cell_along(place[axis], cells.first[axis], cells.cells_per_angstrom, cells.count[axis]);
        if (cell[axis] < 0) return NULL;
    }
    return masks + (size_t)cells.words * (size_t)(cell[0] + cells.count[0] * (cell[1] + cells.count[1] * cell[2]));
}

static bool has_atom(const uint32_t *mask, int atom)
{
    const int block = atom / cells.block_atoms;
    return mask && mask[block / 32] >> block % 32 & 1;
}

static void draw_direction(uint64_t index, double direction[3])
{
    const double z = 2 * qn_random_uniform(3, 1, 2 * index) - 1, turn = 6.3 * qn_random_uniform(3, 1, 2 * index + 1);
    direction[0] = sqrt(1 - z * z) * cos(turn);
    direction[1] = sqrt(1 - z * z) * sin(turn);
    direction[2] = z;
}

static void atoms_just_in_reach_are_there(void)
{
    int missing = 0;
    for (int i = 0; i < PLACES; i++) {
        const int atom = i % ATOMS;
        double direction[3];
        float place[3];
        draw_direction((uint64_t)i, direction);
        for (int axis = 0; axis < 3; axis++)
            place[axis] = (float)(deck.receptor_positions[3 * atom + axis] + (reach - 1e-4) * direction[axis]);
        missing += !has_atom(mask_at(place), atom);
    }
    CHECK(missing == 0);
}

/* Blocks of 16 atoms and cells of 4 Å see some 10 Å farther at most. */
static void atoms_far_out_of_reach_are_not(void)
{
    double held = 0, all = 0;
    for (int i = 0; i < 200; i++) {
        double direction[3];
        float place[3];
        draw_direction((uint64_t)i, direction);
        for (int axis = 0; axis < 3; axis++) place[axis] = (float)(36 * direction[axis]);
        const uint32_t *mask = mask_at(place);
        for (int atom = 0; atom < ATOMS; atom++) held += has_atom(mask, atom);
        all += ATOMS;
    }
    CHECK(held > 0.01 * all && held < 0.25 * all);
}

static void places_beyond_all_cells_have_none(void)
{
    CHECK(mask_at((float[3]){500, 0, 0}) == NULL && mask_at((float[3]){0, -500, 0}) == NULL);
    CHECK(mask_at((float[3]){0, 0, NAN}) == NULL && mask_at((float[3]){0, 0, 0}) != NULL);
}

static void cells_stay_few(void)
{
    const double far_apart[6] = {-9000, -9000, -9000, 9000, 9000, 9000};
    qn_score_poses_cells wide;
    uint32_t *bits = NULL;
    CHECK_OK(qn_score_poses_cells_make(far_apart, 2, reach, &wide, &bits));
    CHECK((double)wide.count[0] * wide.count[1] * wide.count[2] <= QN_SCORE_POSES_MOST_CELLS);
    CHECK(wide.words == 1 && bits[0] == 1);
    qn_release(&bits);
}

int main(void)
{
    CHECK_OK(qn_screen_deck_draw(ATOMS, 1, 1, 5, &deck));
    CHECK_OK(qn_score_poses_cells_make(deck.receptor_positions, ATOMS, reach, &cells, &masks));
    CHECK(cells.block_atoms == 16);
    RUN(atoms_just_in_reach_are_there);
    RUN(atoms_far_out_of_reach_are_not);
    RUN(places_beyond_all_cells_have_none);
    RUN(cells_stay_few);
    qn_release(&masks);
    qn_screen_deck_clear(&deck);
    return check_finish();
}
