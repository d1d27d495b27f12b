/* Reconstruction of a volume from projection images whose orientations are known (single-particle cryo-EM).
 *
 * qn_reconstruct_run reads particle metadata (RELION STAR, Xmipp .xmd) and image stacks, inserts every image's central
 * slice into a Fourier volume and writes a map, or two half maps with their Fourier shell correlation and the map of
 * both.
 *
 * Thread rule: one run per context at a time.
 *
 *     qn_reconstruct_options options = qn_reconstruct_default_options();
 *     options.particles = "particles.star"; options.output = "map.mrc";
 *     qn_reconstruct_summary summary;
 *     if (qn_reconstruct_run(context, &options, &summary) != QN_OK) …
 */
#ifndef QUERN_RECONSTRUCT_H
#define QUERN_RECONSTRUCT_H

#include <quern/device.h>
#include <quern/option.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How sums are divided by weights: plainly, or with gridding weights that are iterated until samples that lie unevenly
 * count alike; AUTO iterates where the view distribution asks for it. */
typedef enum qn_reconstruct_weights {
    QN_RECONSTRUCT_WEIGHTS_AUTO,
    QN_RECONSTRUCT_WEIGHTS_PLAIN,
    QN_RECONSTRUCT_WEIGHTS_ITERATED
} qn_reconstruct_weights;

typedef struct qn_reconstruct_options {
    const char *particles;          /* .star or .xmd */
    const char *output;             /* a map, "map.mrc", with its companions beside it; or a folder, "out/" */
    const char *symmetry;           /* "C1" (default), Cn, Dn, T, O, I1 … I4 */
    bool ctf;                       /* correct for the contrast transfer function */
    bool halves;                    /* two maps by rlnRandomSubset, or split here by the seed, and their correlation */
    int subset;                     /* 1 or 2: only its particles; 0: all (default) */
    const char *mask;               /* for the correlation: "auto", a map, or NULL */
    double max_resolution_angstrom; /* finer is left out; 0: Nyquist (default) */
    double padding;                 /* of the volume: 1, 1.5 or 2 (default) */
    qn_reconstruct_weights weights; /* default AUTO */
    bool fast;                      /* nearest samples instead of the blob: faster, less exact */
    bool deterministic;             /* the same bits in every run on the same devices, whatever the threads */
    bool write_weights;             /* the sums of weights as a volume */
    uint64_t first, last;           /* particles, from 1, inclusive; default 1 and UINT64_MAX */
    double checkpoint_s;            /* between saved sums, default 600; 0: none */
    qn_run_options run;             /* its seed is of the split, its memory of this process, its batch of images */
} qn_reconstruct_options;

qn_reconstruct_options qn_reconstruct_default_options(void);
const qn_option_table *qn_reconstruct_option_table(void); /* see <quern/option.h> */

typedef struct qn_reconstruct_summary {
    uint64_t images, skipped, resumed; /* inserted (with those resumed); left out for weights ≤ 0 */
    int image_side, padded_side, operators;
    double voxel_angstrom;
    double resolution_angstrom;   /* of the halves at FSC 0.143, masked where there is a mask; 0: no halves */
    double seconds, images_per_s; /* whole run; of the insertion */
    uint64_t memory_bytes;        /* estimated before the start, host */
    char map[512], report[512];
} qn_reconstruct_summary;

/* Errors: QN_NOT_FOUND, QN_BAD_FORMAT (naming the STAR row and the stack's slice), QN_UNSUPPORTED, QN_ALREADY_EXISTS
 * (files of these names, or a run without resume or overwrite), QN_INVALID_ARGUMENT (options; sums of another run on
 * resume), QN_OUT_OF_MEMORY, QN_NO_DEVICE, QN_DEVICE_LOST, QN_CANCELLED (resumable), QN_IO_ERROR. `summary` may be
 * NULL. */
QN_MUST_CHECK qn_status qn_reconstruct_run(qn_context *context, const qn_reconstruct_options *options,
                                           qn_reconstruct_summary *summary);

#ifdef __cplusplus
}
#endif
#endif
