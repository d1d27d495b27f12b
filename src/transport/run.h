/* The state of a run of quern transport, shared by its stages.
 *
 * A piece of work is a passage: one ligand through one tunnel of one receptor. Passages are computed from the mouth
 * inwards, whatever the direction, so both directions have the same energies; files are in the order of travel.
 */
#ifndef QN_TRANSPORT_RUN_H
#define QN_TRANSPORT_RUN_H

#include <quern/transport.h>

#include "discs/discs.h"
#include "flexible/energy.h"
#include "format/compound/compound_stream.h"
#include "job/job.h"
#include "transport/bounds/poses.h"

/* A receptor, and the name that its files get; its atoms are read when they are needed (reader.c). */
typedef struct qn_snapshot {
    const char *path;
    char *name;
} qn_snapshot;

typedef struct qn_tunnel_input {
    char *path, *name;
    qn_discs discs; /* as in the file */
} qn_tunnel_input;

/* A ligand: a record of a file, which is read again when it is needed, so that memory hardly grows with them. */
typedef struct qn_ligand {
    const char *path;
    uint64_t record; /* number in its file, from 0 */
    char *name;
} qn_ligand;

typedef struct qn_ligand_rejection {
    const char *path;
    size_t line;
    char *reason;
} qn_ligand_rejection;

/* The facts of a passage that remain when its files are written; arrays of disc_count in the order of travel. Energies
 * as reported. */
typedef struct qn_passage_summary {
    uint64_t piece;
    bool has_way; /* there is an upper bound */
    size_t disc_count;
    double *distances, *radii, *lower, *upper_least, *upper_most; /* one block of memory; NULL: given up, since files
                                                                   * have them and there are very many passages */
    double bound, highest, surface, gap;
    size_t highest_disc;
    qn_vina_energy terms; /* of ligand and receptor at the highest place, not bent; total: their sum */
    double intra;         /* bent energy within the ligand there */
    char *resisting;      /* residues with the highest positive energies there, at most three: "PHE143:A LEU177:A" */
    char *folder;         /* of its files, with a slash at its end; "": the run's */
    char *profile_svg, *views_svg; /* of the first passages, for the report; else NULL */
} qn_passage_summary;

/* The receptor and the ligand of the passage that is worked on. The stream goes on from record to record. */
typedef struct qn_passage_reader {
    const qn_snapshot *snapshot; /* NULL: none is read, here and below */
    qn_score_receptor receptor;
    qn_flexible_receptor *sorted;
    const qn_ligand *ligand;
    qn_compound *compound;
    qn_flexible_tree tree;
    qn_compound_stream *stream;
    const char *stream_path;
    uint64_t stream_next; /* record that the stream reads next */
    qn_compound_record record;
} qn_passage_reader;

/* The highest energies of a ligand in a tunnel on each disc, over receptors. */
typedef struct qn_passage_band {
    size_t disc_count, count; /* of discs; of receptors that have as many */
    double *distances, *least, *most, *sum;
} qn_passage_band;

/* PROFILES: passages with a drawing; VIEWS: tunnels with three views; BANDS: of the first ligands and tunnels; KEPT:
 * passages of a run with an output whose profiles are kept, and those of bands. */
enum { QN_TRANSPORT_PROFILES = 12, QN_TRANSPORT_VIEWS = 4, QN_TRANSPORT_BANDS = 6, QN_TRANSPORT_KEPT = 1000 };

typedef struct qn_transport_state {
    const qn_transport_options *options;
    qn_job *job;
    bool inwards;
    qn_snapshot *snapshots;
    size_t snapshot_count, snapshot_capacity;
    qn_tunnel_input *tunnels;
    size_t tunnel_count, tunnel_capacity;
    qn_ligand *ligands;
    size_t ligand_count, ligand_capacity;
    int most_atoms, most_torsions; /* of a ligand */
    qn_ligand_rejection *rejections;
    size_t rejection_count, rejection_capacity;
    qn_passage_summary *passages; /* on rank 0: by piece */
    size_t passage_count, passage_capacity;
    qn_passage_band bands[QN_TRANSPORT_BANDS];
    qn_passage_reader reader;
    double search_s;
} qn_transport_state;

typedef struct qn_passage_inputs {
    const qn_snapshot *snapshot;
    const qn_tunnel_input *tunnel;
    const qn_ligand *ligand;
} qn_passage_inputs;

/* A passage as it is computed and recorded: poses from the mouth inwards. */
typedef struct qn_passage {
    int disc_count;      /* with those of --extend */
    qn_disc_pose *lower; /* best on each disc; NULL: not wanted */
    int way_count;       /* 0: no upper bound */
    qn_disc_pose *way;   /* poses of the upper bound, step by step */
} qn_passage;

static inline uint64_t qn_transport_pieces(const qn_transport_state *run)
{
    return (uint64_t)run->snapshot_count * run->tunnel_count * run->ligand_count;
}

/* The receptor, tunnel and ligand of a piece. */
static inline qn_passage_inputs qn_transport_piece(const qn_transport_state *run, uint64_t piece)
{
    return (qn_passage_inputs){&run->snapshots[piece / run->ligand_count / run->tunnel_count],
                               &run->tunnels[piece / run->ligand_count % run->tunnel_count],
                               &run->ligands[piece % run->ligand_count]};
}

/* Read the receptor and the ligand of a piece into run->reader, where they are not there yet. */
QN_MUST_CHECK qn_status qn_passage_reader_go(qn_transport_state *run, uint64_t piece);
void qn_passage_reader_clear(qn_passage_reader *reader);

/* Read a receptor; prepare the ligand of a record. */
QN_MUST_CHECK qn_status qn_transport_read_receptor(const qn_transport_state *run, const char *path,
                                                   qn_score_receptor *receptor);
QN_MUST_CHECK qn_status qn_transport_prepare_ligand(const qn_transport_state *run, const qn_compound_record *record,
                                                    qn_compound **compound, qn_flexible_tree *tree);

/* Read receptors, ligands and tunnels once, check them, and add them to the key. */
QN_MUST_CHECK qn_status qn_transport_read_inputs(qn_transport_state *run);
void qn_transport_clear_inputs(qn_transport_state *run);

/* Get the discs of a tunnel in a receptor: from the mouth inwards, extended beyond the mouth. QN_INVALID_ARGUMENT: the
 * tunnel lies outside of the receptor. `path`: of the receptor. */
QN_MUST_CHECK qn_status qn_transport_discs(const qn_transport_state *run, const char *path,
                                           const qn_score_receptor *receptor, const qn_tunnel_input *tunnel,
                                           qn_discs *discs);

/* Warn of tunnels that do not belong to a receptor: many discs lie in its atoms, or far from them. */
QN_MUST_CHECK qn_status qn_transport_check_placement(const qn_transport_state *run, const char *path,
                                                     const qn_score_receptor *receptor);

/* Discs that --extend adds. */
int qn_transport_extension(const qn_transport_options *options);

/* Estimate the memory of the run. QN_OUT_OF_MEMORY: it is more than --memory. */
QN_MUST_CHECK qn_status qn_transport_check_memory(qn_transport_state *run);

/* Threads that compute a passage each: all, or 1, where all compute one passage after the other, since few are left. */
int qn_transport_lanes(const qn_transport_state *run);

/* Compute the passages that are left, and record them. */
QN_MUST_CHECK qn_status qn_transport_search(qn_transport_state *run);
void qn_passage_clear(qn_passage *passage);

/* Records of journals, of the piece that the reader is at. */
QN_MUST_CHECK qn_status qn_passage_record(const qn_transport_state *run, uint64_t piece, const qn_passage *passage);
QN_MUST_CHECK qn_status qn_passage_read(const qn_transport_state *run, const void *data, size_t size,
                                        qn_passage *passage);

/* On the first rank: write the files of each recorded passage, and keep its summary. */
QN_MUST_CHECK qn_status qn_transport_gather(qn_transport_state *run);
void qn_transport_clear_passages(qn_transport_state *run);

/* A residue at the highest place of a passage: its pairs with the ligand (kcal/mol, not bent, undivided). */
typedef struct qn_bottleneck_residue {
    int residue;     /* of the receptor's molecule */
    double positive; /* sum of the pairs whose energies are positive */
    double energy;   /* sum of all its pairs */
    double nearest;  /* distance of heavy atoms (Å) */
} qn_bottleneck_residue;

/* List the residues with positive energies at a pose of the piece that the reader is at, the highest first. None where
 * the receptor has no residues. *residues is released with qn_release. */
QN_MUST_CHECK qn_status qn_transport_find_bottleneck(const qn_passage_reader *reader, const qn_disc_pose *pose,
                                                     qn_bottleneck_residue **residues, size_t *count);

/* Reported energy of a pose: (inter + intra − unbound) / (1 + 0.05846 N). `unbound`: intra of the passage's best. */
double qn_passage_energy(const qn_flexible_tree *tree, double unbound, const qn_disc_pose *pose);

/* Files of one passage: `discs` and poses are turned into the order of travel before. */
QN_MUST_CHECK qn_status qn_transport_write_profile(qn_transport_state *run, const qn_passage_summary *summary,
                                                   const qn_discs *discs);
QN_MUST_CHECK qn_status qn_transport_write_bottleneck(qn_transport_state *run, const qn_passage_summary *summary,
                                                      const qn_bottleneck_residue *residues, size_t count);
QN_MUST_CHECK qn_status qn_transport_write_poses(qn_transport_state *run, const qn_passage_summary *summary,
                                                 const char *stem, const qn_disc_pose *poses, int count,
                                                 double unbound);

/* Drawings of the piece that the reader is at; *svg is released with qn_release. */
QN_MUST_CHECK qn_status qn_transport_draw_profile(const qn_transport_state *run, const qn_passage_summary *summary,
                                                  const qn_discs *discs, char **svg);
QN_MUST_CHECK qn_status qn_transport_draw_views(const qn_transport_state *run, const qn_discs *discs,
                                                const qn_disc_pose *poses, int count, char **svg);

/* Files of the run. */
QN_MUST_CHECK qn_status qn_transport_write_results(qn_transport_state *run);
QN_MUST_CHECK qn_status qn_transport_write_report(qn_transport_state *run);

#endif
