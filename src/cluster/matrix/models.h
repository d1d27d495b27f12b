/* The structures of a run, read from files or from memory: the positions of the selected atoms of every model or frame.
 *
 * Files of models are read by many threads, each with atoms of its own: names may differ from file to file, and only
 * the number of selected atoms must be the same. Of alternate locations of an atom the first is taken.
 *
 * Life cycle: read → use → destroy.
 */
#ifndef QN_CLUSTER_MATRIX_MODELS_H
#define QN_CLUSTER_MATRIX_MODELS_H

#include <quern/distance.h>

#include "chemistry/symmetry.h"
#include "cluster/measure/measure.h"
#include "job/job.h"

/* Where a structure comes from. */
typedef struct qn_model_origin {
    const char *path; /* of its file; of frames in memory their name */
    uint64_t number;  /* of a model in its file, from 1; of a frame through all files, from 0 */
    double time_ps;   /* NaN: not known */
    bool alone;       /* the only model of its file */
} qn_model_origin;

/* Kinds of structures of a run: models or frames with the same atoms; poses of a small molecule, whose heavy atoms
 * are taken in the order of the first; or models of different length, with sequences. */
typedef enum qn_models_kind { QN_MODELS_SAME, QN_MODELS_POSES, QN_MODELS_ALIGNED } qn_models_kind;

typedef struct qn_models {
    qn_structures structures;   /* first those of the input, then the references */
    size_t first_count;         /* structures of the input */
    qn_model_origin *origins;   /* one for each structure */
    bool are_frames;            /* the input is a trajectory */
    qn_topology *topology;      /* of the first structure: all its atoms */
    uint32_t *atoms;            /* the selected atoms of `topology` */
    struct qn_compound **poses; /* of a small molecule, one for each structure, instead of a topology; NULL: none */
    qn_symmetry symmetry;       /* of the first pose */
    char digest[65];            /* SHA-256 of counts and of the SHA-256 of pieces of the positions */

    /* private to models.c */
    float *positions_angstrom, *weights;
    qn_structure_sequences sequences;
    qn_structure_sequence *sequence_items;
    uint32_t *sequence_numbers;
    size_t sequence_room;
    char **paths; /* that were read from lists */
    size_t path_count, path_capacity;
} qn_models;

/* References of a run beside its input. */
typedef struct qn_model_references {
    const char *const *files;
    size_t file_count;
    const char *list; /* a text file that names one more file in each line; NULL: none */
} qn_model_references;

/* Read the structures that `input` names, then those of `references` (NULL: none). `kind` says which
 * structures the measure compares. Warnings go to the job; `most_bytes` limits
 * the memory of positions (0: no limit). Errors name file, model and counts: QN_NOT_FOUND, QN_BAD_FORMAT,
 * QN_INVALID_ARGUMENT, QN_UNSUPPORTED, QN_OUT_OF_MEMORY, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_models_read(qn_job *job, const qn_structure_input *input,
                                       const qn_model_references *references, qn_models_kind kind, uint64_t most_bytes,
                                       qn_models **models);
void qn_models_destroy(qn_models **models);

/* Name of a structure: "model.pdb", "models.pdb#3" or "frame 12". */
QN_MUST_CHECK qn_status qn_models_name(const qn_models *models, size_t index, qn_text *name);

/* Names of all structures, those of the input first. The caller releases each and the array; a failure leaves in it
 * those that were made. */
QN_MUST_CHECK qn_status qn_models_names(const qn_models *models, qn_pool *pool, char ***names);

/* Warn if structures look like mirror images of the first and the measure does not tell these apart. */
QN_MUST_CHECK qn_status qn_models_warn_of_mirrors(qn_job *job, const qn_models *models, const qn_measure *measure);

/* List the input's files in run.json, and put what the distances depend on into the key. */
QN_MUST_CHECK qn_status qn_models_key(qn_job *job, const qn_structure_input *input,
                                      const qn_model_references *references, const qn_models *models);

/* ---- one file, for models.c ---- */

/* Structures of one file, or of one trajectory. Zero-initialise; release with qn_model_set_clear. */
typedef struct qn_model_set {
    size_t count, atom_count; /* of the selected atoms */
    float *positions_angstrom;
    qn_model_origin *origins;
    size_t position_capacity, origin_capacity;
    qn_topology *own_topology;
    uint32_t *atoms;
    struct qn_compound **poses;       /* one for each structure; NULL: they are not poses */
    size_t pose_count, pose_capacity; /* pose_count: as read; `count` may be smaller later */
} qn_model_set;

/* Read the models of a file into `set`. `input` has selection, times and the like. Any thread may call. */
QN_MUST_CHECK qn_status qn_model_set_read_file(qn_job *job, const qn_structure_input *input, const char *path,
                                               qn_model_set *set);

/* Read a trajectory: files[0] is the topology. Without files, `input` has topology and frames in memory. */
QN_MUST_CHECK qn_status qn_model_set_read_trajectory(qn_job *job, const qn_structure_input *input,
                                                     const char *const *files, size_t file_count, qn_model_set *set);

/* Read the poses of a file, those with the title `molecule` (NULL: all): their origins and compounds. Positions come
 * from qn_poses_align. Any thread may call. */
QN_MUST_CHECK qn_status qn_model_set_read_poses(const char *molecule, const char *path, qn_model_set *set);

/* Return `status`, that of reading models of a file; after a failure for a file of small molecules, name the measure
 * for their poses instead. */
qn_status qn_poses_suggest(const char *path, qn_status status);

/* Find the order of heavy atoms of all poses, the sets of the input before those of references, and set their
 * positions. `path`: the first file, for messages.
 * QN_BAD_FORMAT naming the two molecules that differ. Release *symmetry with qn_symmetry_clear. */
QN_MUST_CHECK qn_status qn_poses_align(qn_job *job, const qn_structure_input *input, const char *path,
                                       qn_model_set *sets, size_t input_count, size_t count, qn_symmetry *symmetry);

/* Number the sequences of the sets, after their structures were joined. QN_INVALID_ARGUMENT for several selected atoms
 * of a residue. */
QN_MUST_CHECK qn_status qn_models_find_sequences(const qn_structure_input *input, const qn_model_set *sets,
                                                 size_t set_count, qn_models *models);
void qn_models_clear_sequences(qn_models *models);

/* Whether files are a topology and trajectories instead of models, as the formats of the first two tell. */
QN_MUST_CHECK qn_status qn_models_are_frames(const char *const *files, size_t count, bool *are_frames);
void qn_model_set_clear(qn_model_set *set);

#endif
