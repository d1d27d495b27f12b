/* Half maps and masks in memory: curves are the same as from files, nothing is written without an output, and wrong
 * inputs are refused. */
#include "check.h"

#include <dirent.h>
#include <math.h>
#include <quern/fsc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/random.h"

enum { SIDE = 24, VOXELS = SIDE * SIDE * SIDE, FILES = 3 };

static qn_context *context;
static qn_volume *volumes[FILES]; /* half maps, mask */
static char paths[FILES][600];

/* Make half maps of a soft ball with different noise; the mask is a larger ball. */
static void make_volumes(void)
{
    static const char *const names[FILES] = {"half1.mrc", "half2.mrc", "mask.mrc"};
    for (int v = 0; v < FILES; v++) {
        if (!CHECK_OK(qn_volume_create((const int[]){SIDE, SIDE, SIDE}, 2, &volumes[v]))) exit(1);
        for (int i = 0; i < VOXELS; i++) {
            const int x = i % SIDE - SIDE / 2, y = i / SIDE % SIDE - SIDE / 2, z = i / SIDE / SIDE - SIDE / 2;
            const double away = sqrt(x * x + y * y + z * z), edge = v < 2 ? 6 - away : 9 - away;
            const double noise = qn_random_uniform(5, (uint64_t)v, (uint64_t)i) - 0.5;
            volumes[v]->values[i] = (float)(fmin(1, fmax(0, edge)) + (v < 2 ? 0.3 * noise : 0));
        }
        snprintf(paths[v], sizeof paths[v], "%s/%s", check_scratch_folder(), names[v]);
        CHECK_OK(qn_volume_write(volumes[v], NULL, paths[v]));
    }
}

static void same_curves(const qn_fsc *fsc, const qn_fsc *expected)
{
    const size_t bytes = (size_t)expected->shells * sizeof(double);
    if (!CHECK(fsc->shells == SIDE / 2 + 1 && fsc->shells == expected->shells)) return;
    CHECK(memcmp(fsc->unmasked, expected->unmasked, bytes) == 0);
    CHECK(memcmp(fsc->frequency_per_angstrom, expected->frequency_per_angstrom, bytes) == 0);
    if (CHECK(fsc->corrected && expected->corrected)) CHECK(memcmp(fsc->corrected, expected->corrected, bytes) == 0);
    CHECK(fsc->resolution_angstrom == expected->resolution_angstrom);
}

static int count_files(void)
{
    int count = 0;
    DIR *folder = opendir(check_scratch_folder());
    for (struct dirent *entry; folder && (entry = readdir(folder));) count += entry->d_name[0] != '.';
    if (folder) closedir(folder);
    return count;
}

static void compare(const char *mask, const qn_volume *mask_volume)
{
    qn_fsc_run_options by_file = qn_fsc_default_run_options(), by_memory = by_file;
    qn_fsc *expected = NULL, *fsc = NULL;
    by_file.half_1 = paths[0];
    by_file.half_2 = paths[1];
    by_file.mask = mask;
    by_memory.half_1_volume = volumes[0];
    by_memory.half_2_volume = volumes[1];
    by_memory.mask = mask_volume ? NULL : mask;
    by_memory.mask_volume = mask_volume;
    if (CHECK_OK(qn_fsc_run(context, &by_file, &expected)) && CHECK_OK(qn_fsc_run(context, &by_memory, &fsc)))
        same_curves(fsc, expected);
    qn_fsc_destroy(&expected);
    qn_fsc_destroy(&fsc);
}

static void curves_from_memory_equal_those_from_files(void)
{
    compare(paths[2], volumes[2]);
    compare("auto", NULL);
    CHECK(count_files() == FILES);
}

static void run_json_lists_the_volumes(void)
{
    char folder[600], text[20000] = "", path[700];
    qn_fsc_run_options options = qn_fsc_default_run_options();
    snprintf(folder, sizeof folder, "%s/out", check_scratch_folder());
    snprintf(path, sizeof path, "%s/run.json", folder);
    options.half_1_volume = volumes[0];
    options.half_2_volume = volumes[1];
    options.mask_volume = volumes[2];
    options.output = folder;
    CHECK_OK(qn_fsc_run(context, &options, NULL));
    FILE *file = fopen(path, "r");
    if (CHECK(file != NULL)) {
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
    }
    CHECK(strstr(text, "half map 2 in memory") != NULL);
    CHECK(strstr(text, "the mask in memory") != NULL);
}

static void refused(const qn_fsc_run_options *options, const char *message)
{
    qn_fsc *fsc = (qn_fsc *)volumes; /* not a qn_fsc: must become NULL */
    CHECK_FAILS(qn_fsc_run(context, options, &fsc), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS(message);
    CHECK(fsc == NULL);
}

static void inputs_given_twice_or_not_at_all_are_refused(void)
{
    const qn_fsc_run_options defaults = qn_fsc_default_run_options();
    qn_fsc_run_options options = defaults;
    qn_volume empty = *volumes[1];
    options.half_1_volume = volumes[0];
    refused(&options, "half map 2: not given; expected a file or an object in memory");
    options.half_2 = paths[1];
    options.half_1 = paths[0];
    refused(&options, "half map 1: given as the file");
    options = defaults;
    options.half_1_volume = volumes[0];
    options.half_2_volume = &empty;
    empty.values = NULL;
    refused(&options, "half map 2 in memory: has no values");
    options.half_2_volume = volumes[1];
    options.mask = "auto";
    options.mask_volume = volumes[2];
    refused(&options, "the mask: given as \"auto\" and in memory");
}

int main(void)
{
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context)))
        return check_finish();
    make_volumes();
    RUN(curves_from_memory_equal_those_from_files);
    RUN(run_json_lists_the_volumes);
    RUN(inputs_given_twice_or_not_at_all_are_refused);
    for (int v = 0; v < FILES; v++) qn_volume_destroy(&volumes[v]);
    qn_context_destroy(&context);
    return check_finish();
}
