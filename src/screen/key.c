/* The key of a run: one line for each fact that results depend on. A journal with another key belongs to another run.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "model/molecule_input.h"
#include "screen/results.h"

static qn_status describe_search(const qn_screen_state *run)
{
    const qn_screen_search_options *search = &run->search;
    const double *centre = search->box_centre_angstrom, *side = search->box_side_angstrom;
    QN_TRY(qn_job_key(run->job, "box=%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", centre[0], centre[1], centre[2], side[0],
                      side[1], side[2]));
    QN_TRY(qn_job_key(run->job, "generations=%d\nposes=%d\nrounds=%d\n", search->generations, search->poses,
                      search->rounds));
    return qn_job_key(run->job, "winners=%d\nminimiser steps=%d\nseed=%llu\nexact=%d\n", search->winners,
                      search->minimiser_steps, (unsigned long long)search->seed, search->exact);
}

/* The parameters of flexible molecules. */
static qn_status describe_flexible(const qn_screen_state *run)
{
    const qn_screen_options *options = run->options;
    const double *centre = run->search.box_centre_angstrom, *side = run->search.box_side_angstrom;
    QN_TRY(qn_job_key(run->job, "flexible\ntypes=%d\nscore only=%d\nlocal only=%d\nseed=%llu\n", (int)options->types,
                      options->score_only, options->local_only, (unsigned long long)options->run.seed));
    for (size_t i = 0; i < options->flex_count; i++) QN_TRY(qn_job_key(run->job, "flex=%s\n", options->flex[i]));
    if (options->score_only || options->local_only) return QN_OK;
    QN_TRY(qn_job_key(run->job, "box=%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", centre[0], centre[1], centre[2], side[0],
                      side[1], side[2]));
    return qn_job_key(run->job, "walkers=%d\neffort=%.17g\nconfine atoms=%d\nreceptor energy=%d\n", options->walkers,
                      options->effort, options->confine_atoms, (int)options->receptor_energy);
}

static qn_status add_content(qn_job *job, const char *role, const qn_screen_content *content)
{
    qn_hash hash;
    char digest[65];
    qn_hash_start(&hash);
    qn_hash_add(&hash, content->bytes, content->size);
    qn_hash_finish(&hash, digest);
    return qn_job_input_add_memory(job, role, content->name, content->size, digest);
}

static qn_status add_receptor(qn_job *job, const qn_screen_options *options)
{
    uint64_t bytes;
    char digest[65];
    if (options->receptor) return qn_job_input_add(job, "receptor", options->receptor, QN_JOB_READ_ALL);
    qn_molecule_digest(options->receptor_molecule, &bytes, digest);
    return qn_job_input_add_memory(job, "receptor", qn_screen_receptor_name(options), bytes, digest);
}

qn_status qn_screen_make_key(qn_screen_state *run)
{
    const qn_screen_options *options = run->options;
    qn_job *job = run->job;
    QN_TRY(add_receptor(job, options));
    for (size_t i = 0; i < options->library_count; i++)
        QN_TRY(qn_job_input_add(job, "library", options->libraries[i], QN_JOB_KEY_ENDS));
    for (size_t i = 0; i < options->library_content_count; i++)
        QN_TRY(add_content(job, "library", &options->library_contents[i]));
    if (options->site) QN_TRY(qn_job_input_add(job, "site", options->site, QN_JOB_LIST_ONLY));
    if (options->site_content) QN_TRY(add_content(job, "site", options->site_content));
    if (options->actives && qn_file_exists(options->actives))
        QN_TRY(qn_job_input_add(job, "actives", options->actives, QN_JOB_LIST_ONLY));
    QN_TRY(qn_job_key(job, "score=%s\natoms=%zu, %016llx\n", options->score == QN_SCREEN_VINA ? "vina" : "bude",
                      run->receptor.atom_count, (unsigned long long)run->receptor.hash));
    QN_TRY(options->rigid ? describe_search(run) : describe_flexible(run));
    QN_TRY(qn_job_key(job, "conformers=%d\nkeep=%d\ndiversity=%.17g\npiece=%d\n", options->conformers, options->keep,
                      options->diversity_angstrom, QN_SCREEN_PIECE));
    job->device_advice = ", or exact arithmetic, in which every device gives the same bytes";
    if (run->search.exact || !options->rigid) return QN_OK; /* the same bits on every device */
    return qn_job_key_devices(job);
}
