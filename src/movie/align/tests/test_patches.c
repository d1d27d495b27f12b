/* Places of patches. */
#include "check.h"

#include <math.h>

#include "movie/align/patches.h"

static qn_movie_grid grid;
static qn_align_options options;
static qn_patch_layout layout;

static void make(int width, int height, double pixel_angstrom)
{
    const int padded[2] = {width, height};
    CHECK_OK(qn_movie_grid_make(width, height, padded, pixel_angstrom, &grid));
    options.pixel_angstrom = pixel_angstrom;
    CHECK_OK(qn_patch_layout_make(&grid, &options, &layout));
}

/* Patches begin and end with the frame, and neighbours overlap by a third at least. */
static void check_cover(double share)
{
    const int frame[2] = {grid.width, grid.height};
    for (int d = 0; d < 2; d++) {
        const int stride = d == 0 ? 1 : layout.count[0], count = layout.count[d];
        const double coarse_px = (double)grid.padded[d] / grid.coarse[d];
        const int side = (int)(frame[d] / coarse_px);
        CHECK(layout.size[d] % 2 == 0);
        CHECK(layout.corners[d] == 0);
        CHECK(layout.corners[2 * stride * (count - 1) + d] == side - layout.size[d]);
        for (int i = 0; i + 1 < count; i++) {
            const int step = layout.corners[2 * stride * (i + 1) + d] - layout.corners[2 * stride * i + d];
            CHECK(step > 0 && step <= (1 - share) * layout.size[d] + 1);
        }
        for (int i = 0; i < count; i++) {
            const double middle = layout.corners[2 * stride * i + d] + (layout.size[d] - 1) / 2.0;
            CHECK_NEAR(layout.place_px[2 * stride * i + d], middle * coarse_px, 1e-9);
        }
    }
}

static void patches_are_500_angstrom(void)
{
    make(2048, 2048, 1);
    CHECK(layout.count[0] == 9 && layout.count[1] == 9);
    CHECK(layout.size[0] * 4 >= 500 && layout.size[0] * 4 < 530);
    check_cover(0.5);
    qn_patch_layout_release(&layout);
}

/* 5760 pixels of 0.83 Å are 4781 Å: nine patches a side must be larger. */
static void large_frames_have_larger_patches(void)
{
    make(5760, 4092, 0.83);
    CHECK(layout.count[0] == 9 && layout.count[1] == 9);
    CHECK(layout.size[0] > layout.size[1]);
    check_cover(1.0 / 3);
    qn_patch_layout_release(&layout);
}

static void small_frames_have_three_patches(void)
{
    make(400, 560, 1);
    CHECK(layout.count[0] == 3 && layout.count[1] == 3);
    CHECK(layout.size[0] == 60 && layout.size[1] == 84); /* six tenths of the sides */
    check_cover(0.5);
    qn_patch_layout_release(&layout);
    make(64, 2000, 1);
    CHECK(layout.count[0] == 0 && layout.count[1] == 0 && !layout.corners);
    qn_patch_layout_release(&layout);
}

static void numbers_are_taken(void)
{
    options.patches[0] = 4;
    options.patches[1] = 12;
    make(3000, 2000, 1.3);
    CHECK(layout.count[0] == 4 && layout.count[1] == 12);
    check_cover(1.0 / 3);
    qn_patch_layout_release(&layout);
    options.patches[0] = options.patches[1] = 0;
    options.without_patches = true;
    make(3000, 2000, 1.3);
    CHECK(layout.count[0] == 0);
    qn_patch_layout_release(&layout);
}

static void grids_are_even_and_fit(void)
{
    const int padded[2] = {640, 315}, too_small[2] = {630, 320};
    CHECK_OK(qn_movie_grid_make(640, 300, padded, 10, &grid)); /* coarser than 4 Å already */
    CHECK(grid.coarse[0] == 640 && grid.coarse[1] == 314);
    CHECK_OK(qn_movie_grid_make(640, 300, padded, 1, &grid));
    CHECK(grid.coarse[0] == 160 && grid.coarse[1] == 80);
    CHECK_FAILS(qn_movie_grid_make(640, 300, too_small, 1, &grid), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_movie_grid_make(640, 300, padded, 0, &grid), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_movie_grid_make(640, 300, padded, NAN, &grid), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_movie_grid_make(10, 300, padded, 1, &grid), QN_INVALID_ARGUMENT);
}

int main(void)
{
    RUN(patches_are_500_angstrom);
    RUN(large_frames_have_larger_patches);
    RUN(small_frames_have_three_patches);
    RUN(numbers_are_taken);
    RUN(grids_are_even_and_fit);
    return check_finish();
}
