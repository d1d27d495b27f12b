/* What the results of a screen depend on, line by line: a journal with another key belongs to another run. */
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "job/input.h"
#include "screen/results.h"

/* A library may be too large to be read for this. */
static qn_status describe_library(const char *path, qn_text *key)
{
    char digest[65];
    uint64_t bytes;
    QN_TRY(qn_input_sample(path, &bytes, digest));
    return qn_text_append(key, "library=%s, %llu bytes, %.16s\n", qn_path_name(path), (unsigned long long)bytes,
                          digest);
}

static qn_status describe_search(const qn_screen_state *run, qn_text *key)
{
    const qn_screen_search_options *search = &run->search;
    const double *centre = search->box_centre_angstrom, *side = search->box_side_angstrom;
    QN_TRY(qn_text_append(key, "box=%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", centre[0], centre[1], centre[2], side[0],
                          side[1], side[2]));
    QN_TRY(qn_text_append(key, "generations=%d\nposes=%d\n", search->generations, search->poses));
    return qn_text_append(key, "winners=%d\nminimiser steps=%d\nseed=%llu\nexact=%d\n", search->winners,
                          search->minimiser_steps, (unsigned long long)search->seed, search->exact);
}

qn_status qn_screen_results_key(const qn_screen_state *run, qn_text *key)
{
    const qn_screen_options *options = run->options;
    QN_TRY(qn_text_append(key, "version=%s\nscore=%s\nreceptor=%.16s, %zu heavy atoms, %016llx\n", QN_VERSION,
                          options->score, run->receptor_hash, run->receptor.atom_count,
                          (unsigned long long)run->receptor.hash));
    for (size_t i = 0; i < options->library_count; i++) QN_TRY(describe_library(options->libraries[i], key));
    QN_TRY(describe_search(run, key));
    QN_TRY(qn_text_append(key, "conformers=%d\nkeep=%d\ndiversity=%.17g\npiece=%d\n", options->conformers,
                          options->keep, options->diversity_angstrom, QN_SCREEN_PIECE));
    if (run->search.exact) return QN_OK; /* the same bits on every device */
    return qn_devices_describe(run->devices, run->device_count, key);
}

qn_status qn_screen_results_same_key(const qn_screen_state *run, const char *key)
{
    return qn_ranks_same_key(run->ranks, key, ", or exact arithmetic, in which every device gives the same bytes");
}
