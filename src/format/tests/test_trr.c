#include "format/tests/onebody.h"
#include "format/tests/trajectories.h"

static void frames_agree_with_the_reference(void)
{
    check_against_onebody("trajectory/cobrotoxin/cobrotoxin.trr", "trajectory/cobrotoxin/ref/onebody.json", 1e-7);
}

/* XTC and TRR of the same frames differ by XTC's rounding to 0.001 nm and the rounding of floats up to 8 nm. */
static void xtc_and_trr_differ_by_rounding(void)
{
    made_frames *exact, *rounded;
    char path[1024];
    const char *reference = check_reference_data("trajectory/cobrotoxin/cobrotoxin.trr");
    if (!reference) {
        CHECK(1); /* check_reference_data has printed the reason */
        return;
    }
    snprintf(path, sizeof path, "%s", reference);
    CHECK_OK(read_made(path, 19385, &exact, NULL));
    CHECK_OK(read_made(check_reference_data("trajectory/cobrotoxin/cobrotoxin.xtc"), 19385, &rounded, NULL));
    check_same_frames(rounded, exact, 0.0005 + ldexp(8, -23));
    CHECK(exact->count == 3 && largest_difference(&rounded->frames[0], &exact->frames[0]) > 0.0004);
    free_frames(exact);
    free_frames(rounded);
}

int main(void)
{
    RUN(frames_agree_with_the_reference);
    RUN(xtc_and_trr_differ_by_rounding);
    return check_finish();
}
