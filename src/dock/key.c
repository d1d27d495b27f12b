/* The key of a search: a line for each input and option that the hits depend on. A journal with a different key belongs
 * to a different run. */
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "dock/run.h"
#include "model/molecule_input.h"

/* Add a coefficient set to the key, with a hash of all that its energies depend on: weights, layers, ligand grids. */
static qn_status describe_set(const qn_dock_state *run, size_t set)
{
    const qn_dock_energy *energy = &run->energy;
    qn_hash hash;
    char digest[65];
    qn_hash_start(&hash);
    qn_hash_add(&hash, energy->sets[set].weight, sizeof energy->sets[set].weight);
    for (size_t i = 0; i < energy->layer_count; i++) {
        const qn_dock_layer *layer = &energy->layers[i];
        const double numbers[] = {(double)layer->kind,       (double)layer->term,    (double)layer->ligand_grid,
                                  layer->reach_angstrom,     layer->length_angstrom, layer->cap,
                                  energy->sets[set].scale[i]};
        if (energy->sets[set].scale[i] == 0) continue;
        qn_hash_add(&hash, numbers, sizeof numbers);
        qn_hash_add(&hash, layer->weights, run->receptor.site_count * sizeof(double));
    }
    qn_hash_add(&hash, energy->ligand_weights, (size_t)energy->grid_count * run->ligand.site_count * sizeof(double));
    qn_hash_finish(&hash, digest);
    return qn_job_key(run->job, "coefficients=%s %s\n", energy->sets[set].name, digest);
}

/* Names of the fused path; on the library path, the name is that of the FFT engine. */
static const char fused[] = "fused", fused_half[] = "fused-half";

const char *qn_dock_transforms_name(const qn_dock_transforms *transforms)
{
    if (transforms->path != QN_DOCK_PATH_FUSED) return qn_fft_engine_name(transforms->engine);
    return transforms->halves ? fused_half : fused;
}

bool qn_dock_read_transforms(const char *name, qn_dock_transforms *transforms)
{
    *transforms = (qn_dock_transforms){QN_DOCK_PATH_FUSED, QN_FFT_AUTO, strcmp(name, fused_half) == 0};
    if (transforms->halves || strcmp(name, fused) == 0) return true;
    for (int engine = QN_FFT_AUTO; engine <= QN_FFT_CUFFT; engine++) {
        if (strcmp(name, qn_fft_engine_name((qn_fft_engine)engine)) != 0) continue;
        transforms->engine = (qn_fft_engine)engine;
        transforms->path = engine == QN_FFT_AUTO ? QN_DOCK_PATH_AUTO : QN_DOCK_PATH_LIBRARY;
        return true;
    }
    return false;
}

qn_dock_transforms qn_dock_transforms_of(qn_dock_fft engine)
{
    static const qn_dock_transforms of[] = {
        [QN_DOCK_FFT_AUTO] = {QN_DOCK_PATH_AUTO, QN_FFT_AUTO, false},
        [QN_DOCK_FFT_FUSED] = {QN_DOCK_PATH_FUSED, QN_FFT_AUTO, false},
        [QN_DOCK_FFT_FUSED_HALF] = {QN_DOCK_PATH_FUSED, QN_FFT_AUTO, true},
        [QN_DOCK_FFT_OWN] = {QN_DOCK_PATH_LIBRARY, QN_FFT_OWN, false},
        [QN_DOCK_FFT_FFTW] = {QN_DOCK_PATH_LIBRARY, QN_FFT_FFTW, false},
        [QN_DOCK_FFT_VKFFT] = {QN_DOCK_PATH_LIBRARY, QN_FFT_VKFFT, false},
        [QN_DOCK_FFT_CUFFT] = {QN_DOCK_PATH_LIBRARY, QN_FFT_CUFFT, false},
    };
    return of[engine];
}

const char *qn_dock_score_name(qn_dock_score score)
{
    return score == QN_DOCK_RPSC ? "rpsc" : "piper";
}

/* Add a partner to the key: a file by its content, a molecule in memory by its atoms. */
static qn_status add_partner(qn_job *job, const char *role, const char *path, const qn_dock_partner *partner)
{
    uint64_t bytes;
    char digest[65];
    if (path) return qn_job_input_add(job, role, path, QN_JOB_READ_ALL);
    qn_molecule_digest(partner->molecule, &bytes, digest);
    return qn_job_input_add_memory(job, role, partner->molecule->name, bytes, digest);
}

qn_status qn_dock_make_key(qn_dock_state *run)
{
    const qn_dock_options *options = run->options;
    qn_hash hash;
    char rotations[65];
    qn_hash_start(&hash);
    qn_hash_add(&hash, run->rotations, (size_t)run->rotation_count * 9 * sizeof(int32_t));
    qn_hash_finish(&hash, rotations);
    QN_TRY(add_partner(run->job, "receptor", options->receptor, &run->receptor));
    QN_TRY(add_partner(run->job, "ligand", options->ligand, &run->ligand));
    if (options->rotations_file)
        QN_TRY(qn_job_input_add(run->job, "rotations", options->rotations_file, QN_JOB_LIST_ONLY));
    if (options->restraints_file)
        QN_TRY(qn_job_input_add(run->job, "restraints", options->restraints_file, QN_JOB_LIST_ONLY));
    QN_TRY(qn_job_key(run->job,
                      "atoms=%zu %zu\nmodel=%d\nscore=%s\nrotations=%d %s\nspacing=%.17g\ngrid=%d %d %d\n"
                      "per rotation=%d\n",
                      run->receptor.molecule->atom_count, run->ligand.molecule->atom_count, options->model,
                      qn_dock_score_name(options->score), run->rotation_count, rotations, run->grid.spacing_angstrom,
                      run->grid.cells[0], run->grid.cells[1], run->grid.cells[2], options->per_rotation));
    for (size_t s = 0; s < run->energy.set_count; s++) QN_TRY(describe_set(run, s));
    return qn_job_key_devices(run->job);
}
