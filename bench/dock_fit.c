/* quern_bench_dock_fit WEIGHTS DATA OUT: fit the coefficient sets of the PIPER energy to complexes of known structure.
 *
 * DATA has a folder for each complex. OUT has the runs that bench/dock-fit made of these complexes with the sets of
 * WEIGHTS. The sets that are compared form a grid over core, attraction and electrostatic (`cores`, `attractions`,
 * `electrostatics` below; pair 1 and repulsion 0.40 set the scale). For each set, the energies of a run's poses are
 * computed from their unweighted terms. The poses are ranked and clustered as quern dock does, and the centres of the
 * clusters are judged as quern evaluate does. Reach, D and cap stay those of WEIGHTS.
 *
 * The rule. The rank of a set on a complex is the rank of its first acceptable cluster, at most 60, and 60 where no
 * cluster is acceptable. The loss of a set on a complex is 1 when the rank is above 10 (users rarely look further),
 * plus a hundredth of the rank's log10, which breaks ties. The score of a set is the mean loss over the complexes,
 * smoothed over the grid: the mean over all sets of the grid with weights exp(−d²/2), d in steps of the grid, so that a
 * plateau wins over a spike. The first set must work alone on any complex: it has the lowest score without the mask of
 * antibodies. Each further set, up to three in all, works beside the others with that mask: it has the lowest score
 * when the rank on a complex is the best of its own rank and the ranks of the sets chosen before. The merged answer has
 * the mask in all sets.
 *
 * Leave-one-out applies the rule to all complexes but one and judges the sets on that one. It estimates the result for
 * a complex that the fit has not seen. */
#include <dirent.h>
#include <math.h>
#include <quern/molecule.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "compare/cluster.h"
#include "compare/complex_quality.h"
#include "dock/masks.h"
#include "dock/merge.h"
#include "dock/pose_energy.h"
#include "score/coefficients.h"

/* Core times repulsion: the energy of one ligand atom in the receptor's core. */
static const double cores[] = {35, 42, 50, 60, 70};
static const double attractions[] = {-0.20, -0.25, -0.30, -0.35, -0.40, -0.50};
static const double electrostatics[] = {75, 150, 225, 275, 325, 400, 550};
static const double repulsion = 0.40, pair = 1;
static const float radius_angstrom = 9;

enum {
    CORES = sizeof cores / sizeof *cores,
    ATTRACTIONS = sizeof attractions / sizeof *attractions,
    ELECTROSTATICS = sizeof electrostatics / sizeof *electrostatics,
    SETS = CORES * ATTRACTIONS * ELECTROSTATICS,
    KEPT = 1000,   /* poses of a set that are clustered */
    CLUSTERS = 60, /* and the rank where none is acceptable */
    CHOSEN = 3
};

/* Names of the chosen sets; alphabetical, because merging breaks ties by name. */
static const char *const names[CHOSEN] = {"first", "second", "third"};

/* Unweighted terms of a pose; CORE is a number of atoms. */
enum { CORE, ATTRACTION, ELECTROSTATIC, PAIR, MASK };

/* A set's clusters on a complex, best first. */
typedef struct ranking {
    size_t count, first; /* first: rank of the first acceptable one, from 1; 0: none */
    uint32_t centres[CLUSTERS], sizes[CLUSTERS];
} ranking;

typedef struct dock_case {
    char *name;
    qn_molecule *receptor, *ligand;
    qn_complex_reference *reference;
    qn_dock_pose *poses; /* by rotation, then translation; each once */
    size_t pose_count, pose_capacity;
    _Atomic unsigned char *qualities; /* 1 + qn_capri_class of a pose; 0: not known yet */
    bool antibody;
    ranking alone[SETS], rankings[SETS]; /* without and with the mask of antibodies */
} dock_case;

typedef struct fit {
    qn_coefficients *docked; /* the sets that the poses are from */
    size_t docked_count;
    dock_case *cases;
    size_t case_count, case_capacity;
    qn_pool *pool;
    double smoothing[SETS][SETS]; /* each row sums to 1 */
} fit;

static void set_place(size_t set, int place[3])
{
    place[0] = (int)(set / (ATTRACTIONS * ELECTROSTATICS));
    place[1] = (int)(set / ELECTROSTATICS % ATTRACTIONS);
    place[2] = (int)(set % ELECTROSTATICS);
}

/* ---- Reading the runs ---- */

/* Columns that are read from poses.csv, in the order of `headers`. */
enum { ROTATION, MATRIX, TRANSLATION = MATRIX + 9, SET = TRANSLATION + 3, TERMS, COLUMNS = TERMS + 5 };

static const char *const headers[COLUMNS] = {"rotation",    "r11",           "r12",         "r13",          "r21",
                                             "r22",         "r23",           "r31",         "r32",          "r33",
                                             "tx_angstrom", "ty_angstrom",   "tz_angstrom", "coefficients", "repulsion",
                                             "attraction",  "electrostatic", "pair",        "mask"};

enum { FIELDS_MAX = 64 };

/* Cut a line of simple fields (poses.csv quotes none) at its commas. */
static size_t cut(char *line, char *fields[FIELDS_MAX])
{
    size_t count = 0;
    for (char *at = line; at && count < FIELDS_MAX;) {
        fields[count++] = at;
        at = strchr(at, ',');
        if (at) *at++ = '\0';
    }
    return count;
}

static qn_status find_columns(const char *path, char *line, size_t columns[COLUMNS])
{
    char *fields[FIELDS_MAX];
    const size_t count = cut(line, fields);
    for (size_t c = 0; c < COLUMNS; c++) {
        size_t field = 0;
        while (field < count && strcmp(fields[field], headers[c]) != 0) field++;
        if (field == count)
            return QN_FAIL(QN_BAD_FORMAT, "%s: it has no column %s; expected a run of piper", path, headers[c]);
        columns[c] = field;
    }
    return QN_OK;
}

static qn_status read_pose(const fit *f, const char *path, size_t line, char *const fields[FIELDS_MAX],
                           const size_t columns[COLUMNS], qn_dock_pose *pose)
{
    double values[COLUMNS] = {0};
    const char *set = fields[columns[SET]];
    for (size_t c = 0; c < COLUMNS; c++) {
        char *end;
        if (c == SET) continue;
        values[c] = strtod(fields[columns[c]], &end);
        if (end == fields[columns[c]] || *end)
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %s is \"%s\"; expected a number", path, line, headers[c],
                           fields[columns[c]]);
    }
    size_t docked = 0;
    while (docked < f->docked_count && strcmp(set, f->docked[docked].name) != 0) docked++;
    if (docked == f->docked_count)
        return QN_FAIL(QN_NOT_FOUND, "%s:%zu: the set %s is not in the weights file; expected a run with that file",
                       path, line, set);
    *pose = (qn_dock_pose){.rotation = (int32_t)values[ROTATION], .set = docked};
    memcpy(pose->matrix, values + MATRIX, sizeof pose->matrix);
    memcpy(pose->translation_angstrom, values + TRANSLATION, sizeof pose->translation_angstrom);
    memcpy(pose->terms, values + TERMS, sizeof pose->terms);
    pose->terms[CORE] /= f->docked[docked].core;
    return QN_OK;
}

static qn_status read_lines(const fit *f, const char *path, char *data, dock_case *of)
{
    size_t columns[COLUMNS] = {0}, field_count = 0, number = 0;
    for (char *line = data, *next; *line; line = next) {
        char *fields[FIELDS_MAX], *newline = strchr(line, '\n');
        next = newline ? newline + 1 : line + strlen(line);
        if (newline) *newline = '\0';
        if (number++ == 0) {
            for (const char *at = line; at; at = strchr(at + 1, ',')) field_count++;
            QN_TRY(find_columns(path, line, columns));
            continue;
        }
        if (cut(line, fields) != field_count)
            return QN_FAIL(QN_BAD_FORMAT,
                           "%s:%zu: the line and the first line differ in the number of fields; expected %zu", path,
                           number, field_count);
        void *memory = of->poses;
        qn_status status = qn_grow(&memory, &of->pose_capacity, of->pose_count + 1, sizeof *of->poses);
        of->poses = memory;
        QN_TRY(status);
        QN_TRY(read_pose(f, path, number, fields, columns, &of->poses[of->pose_count++]));
    }
    if (of->pose_count == 0) return QN_FAIL(QN_BAD_FORMAT, "%s: it holds no pose", path);
    return QN_OK;
}

static int by_place(const void *left, const void *right)
{
    const qn_dock_pose *a = left, *b = right;
    if (a->rotation != b->rotation) return a->rotation < b->rotation ? -1 : 1;
    for (int axis = 0; axis < 3; axis++) {
        const double x = a->translation_angstrom[axis], y = b->translation_angstrom[axis];
        if (x != y) return x < y ? -1 : 1;
    }
    return (a->set > b->set) - (a->set < b->set);
}

static bool is_same_place(const qn_dock_pose *a, const qn_dock_pose *b)
{
    return a->rotation == b->rotation &&
           memcmp(a->translation_angstrom, b->translation_angstrom, sizeof a->translation_angstrom) == 0;
}

/* Read the poses of a run. The main poses.csv of a run with several sets holds the poses of all sets. */
static qn_status read_poses(const fit *f, const char *out, dock_case *of)
{
    qn_text path = {0};
    char *data = NULL;
    size_t size, unique = 0;
    void *memory;
    qn_status status = qn_text_append(&path, "%s/%s/poses.csv", out, of->name);
    if (status == QN_OK) status = qn_file_read(path.data, &data, &size);
    if (status == QN_OK) status = read_lines(f, path.data, data, of);
    qn_release(&data);
    qn_text_clear(&path);
    QN_TRY(status);
    qsort(of->poses, of->pose_count, sizeof *of->poses, by_place);
    for (size_t i = 0; i < of->pose_count; i++)
        if (i == 0 || !is_same_place(&of->poses[i], &of->poses[unique - 1])) of->poses[unique++] = of->poses[i];
    of->pose_count = unique;
    QN_TRY(qn_allocate(unique, 1, &memory));
    of->qualities = memory;
    return QN_OK;
}

static qn_status read_molecule(const char *data, const char *name, const char *ending, qn_molecule **molecule)
{
    qn_text path = {0};
    qn_status status = qn_text_append(&path, "%s/%s/%s_%s.pdb", data, name, name, ending);
    if (status == QN_OK)
        status = qn_molecule_read(
            NULL, path.data, &(qn_molecule_options){.size = sizeof(qn_molecule_options), .drop_water = true}, molecule);
    qn_text_clear(&path);
    return status;
}

static int same_size(int least, void *user)
{
    (void)user;
    return least;
}

/* Compute the mask term of every pose by interpolation on a grid with the search's default spacing. */
static qn_status mask_poses(const qn_dock_partner *receptor, const qn_dock_partner *ligand, const qn_dock_masks *masks,
                            const qn_coefficients *set, dock_case *of)
{
    const double spacing_angstrom = 1;
    double contact, reach, terms[QN_DOCK_TERMS_MAX];
    qn_dock_energy energy;
    qn_dock_grid grid;
    qn_dock_pose_energy at = {0};
    qn_dock_cells cells = {0};
    QN_TRY(qn_dock_energy_piper(receptor, ligand, set, 1, 0, masks, &energy));
    qn_dock_energy_reach(&energy, receptor, &contact, &reach);
    qn_status status = qn_dock_grid_plan(receptor, ligand, spacing_angstrom, contact, reach, 0, same_size, NULL, &grid);
    if (status == QN_OK) status = qn_dock_energy_fill(&energy, receptor, &grid, NULL);
    if (status == QN_OK) status = qn_dock_cells_create(&energy, &grid, NULL, &cells);
    if (status == QN_OK) status = qn_dock_pose_energy_create(ligand, &energy, &grid, &cells, 0, &at);
    for (size_t i = 0; i < of->pose_count && status == QN_OK; i++) {
        qn_dock_pose_energy_terms(&at, of->poses[i].matrix, of->poses[i].translation_angstrom, terms);
        of->poses[i].terms[MASK] = terms[MASK];
    }
    qn_dock_pose_energy_clear(&at);
    qn_dock_cells_clear(&cells);
    qn_dock_energy_clear(&energy);
    return status;
}

/* Compute the mask energy that --coefficients antibody would add to each pose. */
static qn_status mask_antibody(const char *data, dock_case *of)
{
    const qn_coefficients set = {"mask", 0, 0, 0, 0, 1, 4, 1, INFINITY, true};
    const qn_dock_options options = qn_dock_default_options();
    qn_dock_partner partners[2] = {{0}};
    qn_dock_masks masks = {0};
    qn_text path = {0};
    qn_status status = QN_OK;
    for (int i = 0; i < 2 && status == QN_OK; i++) {
        qn_text_clear(&path);
        status = qn_text_append(&path, "%s/%s/%s_%s.pdb", data, of->name, of->name, i ? "l_u_rnd" : "r_u");
        if (status == QN_OK) status = qn_dock_partner_read(path.data, 0, i ? "ligand" : "receptor", &partners[i]);
    }
    if (status == QN_OK) status = qn_dock_masks_antibody(&partners[0], &partners[1], &of->antibody);
    if (status == QN_OK && of->antibody) {
        status = qn_dock_masks_create(&options, &partners[0], &partners[1], &set, 1, &masks);
        if (status == QN_OK) status = mask_poses(&partners[0], &partners[1], &masks, &set, of);
        qn_dock_masks_clear(&masks);
    }
    for (int i = 0; i < 2; i++) qn_dock_partner_clear(&partners[i]);
    qn_text_clear(&path);
    return status;
}

static qn_status read_case(const fit *f, const char *data, const char *out, dock_case *of)
{
    qn_molecule *receptor = NULL, *ligand = NULL;
    QN_TRY(read_molecule(data, of->name, "r_u", &of->receptor));
    QN_TRY(read_molecule(data, of->name, "l_u_rnd", &of->ligand));
    qn_status status = read_molecule(data, of->name, "r_b-matched", &receptor);
    if (status == QN_OK) status = read_molecule(data, of->name, "l_b-matched", &ligand);
    if (status == QN_OK) status = qn_complex_reference_create(receptor, ligand, &of->reference);
    qn_molecule_destroy(&receptor);
    qn_molecule_destroy(&ligand);
    QN_TRY(status);
    QN_TRY(read_poses(f, out, of));
    return mask_antibody(data, of);
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const dock_case *)left)->name, ((const dock_case *)right)->name);
}

/* List the complexes: the folders of DATA in the order of their names. */
static qn_status list_cases(fit *f, const char *data)
{
    DIR *stream = opendir(data);
    if (!stream)
        return QN_FAIL(QN_IO_ERROR, "%s: the folder cannot be listed; expected it to hold one folder per complex",
                       data);
    qn_status status = QN_OK;
    for (const struct dirent *found; status == QN_OK && (found = readdir(stream));) {
        qn_text receptor = {0};
        status = qn_text_append(&receptor, "%s/%s/%s_r_u.pdb", data, found->d_name, found->d_name);
        if (status == QN_OK && found->d_name[0] != '.' && qn_file_exists(receptor.data)) {
            void *memory = f->cases;
            status = qn_grow(&memory, &f->case_capacity, f->case_count + 1, sizeof *f->cases);
            f->cases = memory;
            if (status == QN_OK) {
                f->cases[f->case_count] = (dock_case){0};
                status = qn_text_copy(found->d_name, &f->cases[f->case_count++].name);
            }
        }
        qn_text_clear(&receptor);
    }
    closedir(stream);
    QN_TRY(status);
    if (f->case_count == 0)
        return QN_FAIL(QN_NOT_FOUND, "%s: there is no complex; expected folders NAME with files NAME_r_u.pdb", data);
    qsort(f->cases, f->case_count, sizeof *f->cases, by_name);
    return QN_OK;
}

/* Read the docked sets. Their terms can be compared only when reach, D and cap are the same in all sets. */
static qn_status read_docked(const char *path, fit *f)
{
    QN_TRY(qn_coefficients_read(path, &f->docked, &f->docked_count));
    const qn_coefficients *first = f->docked;
    for (const qn_coefficients *set = first; set < first + f->docked_count; set++) {
        if (set->reach_angstrom != first->reach_angstrom || set->length_angstrom != first->length_angstrom ||
            set->cap != first->cap)
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "%s: %s and %s differ in reach, D or cap; expected the same in all sets", path, first->name,
                           set->name);
        if (!(set->core > 0))
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: core of %s is %g; expected more than 0", path, set->name,
                           set->core);
    }
    return QN_OK;
}

/* ---- Ranks of every set of the grid ---- */

typedef struct weighed_pose {
    double energy;
    size_t pose;
} weighed_pose;

static int by_energy(const void *left, const void *right)
{
    const weighed_pose *a = left, *b = right;
    if (a->energy != b->energy) return a->energy < b->energy ? -1 : 1;
    return (a->pose > b->pose) - (a->pose < b->pose);
}

/* The best pose of each rotation, lowest energy first; returns how many of them are to be clustered. */
static size_t weigh(const dock_case *of, size_t set, bool masked, weighed_pose *best)
{
    size_t count = 0;
    int place[3];
    set_place(set, place);
    for (size_t i = 0; i < of->pose_count; i++) {
        const qn_dock_pose *pose = &of->poses[i];
        const double energy = cores[place[0]] * pose->terms[CORE] + attractions[place[1]] * pose->terms[ATTRACTION] +
                              electrostatics[place[2]] * pose->terms[ELECTROSTATIC] + pair * pose->terms[PAIR] +
                              (masked ? pose->terms[MASK] : 0);
        if (count == 0 || pose->rotation != of->poses[best[count - 1].pose].rotation)
            best[count++] = (weighed_pose){energy, i};
        else if (energy < best[count - 1].energy)
            best[count - 1] = (weighed_pose){energy, i};
    }
    qsort(best, count, sizeof *best, by_energy);
    return count < KEPT ? count : KEPT;
}

static qn_status judge(dock_case *of, size_t pose, bool *acceptable)
{
    qn_molecule *ligand;
    qn_complex_quality quality;
    unsigned char known = atomic_load(&of->qualities[pose]);
    if (known == 0) { /* two threads may both compute this: they get the same class */
        QN_TRY(qn_molecule_copy(of->ligand, &ligand));
        qn_molecule_transform(ligand, of->poses[pose].matrix, of->poses[pose].translation_angstrom);
        qn_status status = qn_complex_quality_compute(of->reference, of->receptor, ligand, &quality);
        qn_molecule_destroy(&ligand);
        QN_TRY(status);
        known = (unsigned char)(1 + quality.capri);
        atomic_store(&of->qualities[pose], known);
    }
    *acceptable = known >= 1 + QN_CAPRI_ACCEPTABLE;
    return QN_OK;
}

static qn_status cluster(const dock_case *of, const weighed_pose *best, size_t count, ranking *into)
{
    qn_cluster clusters[CLUSTERS];
    size_t assignment[KEPT];
    float *distances;
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(qn_dock_pose), &memory));
    qn_dock_pose *poses = memory;
    for (size_t i = 0; i < count; i++) poses[i] = of->poses[best[i].pose];
    qn_status status = qn_dock_pose_distances(of->receptor, of->ligand, poses, count, NULL, &distances);
    qn_release(&memory);
    QN_TRY(status);
    status = qn_cluster_greedy(distances, count, radius_angstrom, CLUSTERS, clusters, &into->count, assignment);
    qn_release(&distances);
    QN_TRY(status);
    for (size_t i = 0; i < into->count; i++) {
        into->centres[i] = (uint32_t)best[clusters[i].centre].pose;
        into->sizes[i] = (uint32_t)clusters[i].size;
    }
    return QN_OK;
}

static qn_status rank_poses(dock_case *of, size_t set, bool masked, ranking *into)
{
    void *best;
    QN_TRY(qn_allocate(of->pose_count, sizeof(weighed_pose), &best));
    qn_status status = cluster(of, best, weigh(of, set, masked, best), into);
    qn_release(&best);
    for (size_t i = 0; i < into->count && status == QN_OK && into->first == 0; i++) {
        bool acceptable = false;
        status = judge(of, into->centres[i], &acceptable);
        if (acceptable) into->first = i + 1;
    }
    return status;
}

/* A task of the pool: one set on one complex. */
static qn_status rank_set(size_t index, int worker, void *user)
{
    const fit *f = user;
    dock_case *of = &f->cases[index / SETS];
    const size_t set = index % SETS;
    (void)worker;
    QN_TRY(rank_poses(of, set, false, &of->alone[set]));
    if (of->antibody) return rank_poses(of, set, true, &of->rankings[set]);
    of->rankings[set] = of->alone[set];
    return QN_OK;
}

/* ---- The rule ---- */

static void make_smoothing(fit *f)
{
    for (size_t a = 0; a < SETS; a++) {
        double sum = 0;
        int at[3], other[3];
        set_place(a, at);
        for (size_t b = 0; b < SETS; b++) {
            double squared = 0;
            set_place(b, other);
            for (int axis = 0; axis < 3; axis++) squared += (double)(at[axis] - other[axis]) * (at[axis] - other[axis]);
            sum += f->smoothing[a][b] = exp(-squared / 2);
        }
        for (size_t b = 0; b < SETS; b++) f->smoothing[a][b] /= sum;
    }
}

static double log_rank(size_t first)
{
    return log10(first ? (double)first : (double)CLUSTERS);
}

/* The first set chosen is judged without the mask of antibodies, the others with it. */
static size_t rank_of(const dock_case *of, size_t set, size_t order)
{
    return order == 0 ? of->alone[set].first : of->rankings[set].first;
}

/* Mean loss over the complexes except `left_out` when `set` joins the chosen sets. */
static double mean_loss(const fit *f, size_t set, const size_t *chosen, size_t chosen_count, size_t left_out)
{
    enum { LOOKED_AT = 10 };
    double sum = 0;
    size_t count = 0;
    for (size_t c = 0; c < f->case_count; c++) {
        const dock_case *of = &f->cases[c];
        if (c == left_out) continue;
        double best = log_rank(rank_of(of, set, chosen_count));
        for (size_t k = 0; k < chosen_count; k++) best = fmin(best, log_rank(rank_of(of, chosen[k], k)));
        sum += (best > log10(LOOKED_AT) + 1e-9) + 0.01 * best;
        count++;
    }
    return sum / (double)count;
}

/* Apply the rule to all complexes but `left_out` (SIZE_MAX: to all). */
static void choose(const fit *f, size_t left_out, size_t chosen[CHOSEN], double scores[CHOSEN])
{
    for (size_t k = 0; k < CHOSEN; k++) {
        double means[SETS];
        scores[k] = INFINITY;
        for (size_t set = 0; set < SETS; set++) means[set] = mean_loss(f, set, chosen, k, left_out);
        for (size_t set = 0; set < SETS; set++) {
            double score = 0;
            bool taken = false;
            for (size_t j = 0; j < k; j++) taken = taken || chosen[j] == set;
            for (size_t other = 0; other < SETS; other++) score += f->smoothing[set][other] * means[other];
            if (taken || !(score < scores[k])) continue;
            scores[k] = score;
            chosen[k] = set;
        }
    }
}

/* Rank of the first acceptable cluster of the first `count` sets merged, from 1; 0: none. */
static qn_status merged_rank(const fit *f, dock_case *of, const size_t *sets, size_t count, size_t *first)
{
    qn_dock_set_cluster clusters[CHOSEN * CLUSTERS];
    qn_dock_pose poses[CHOSEN * CLUSTERS];
    qn_cluster merged[CLUSTERS];
    size_t all = 0, merged_count, place[CHOSEN * CLUSTERS];
    float *distances;
    for (size_t k = 0; k < count; k++) {
        const ranking *from = &of->rankings[sets[k]];
        for (size_t i = 0; i < from->count; i++, all++) {
            clusters[all] = (qn_dock_set_cluster){names[k], i, from->sizes[i], from->centres[i]};
            poses[all] = of->poses[from->centres[i]];
        }
    }
    QN_TRY(qn_dock_pose_distances(of->receptor, of->ligand, poses, all, f->pool, &distances));
    qn_status status =
        qn_dock_merge_clusters(clusters, all, distances, radius_angstrom, CLUSTERS, merged, &merged_count, place);
    qn_release(&distances);
    *first = 0;
    for (size_t i = 0; status == QN_OK && i < merged_count && *first == 0; i++) {
        bool acceptable = false;
        status = judge(of, merged[i].centre, &acceptable);
        if (acceptable) *first = i + 1;
    }
    return status;
}

/* ---- Printing ---- */

enum { ANSWERS = CHOSEN + 2 }; /* each set as the rule judges it, the first two merged, all three merged */

static qn_status find_answers(const fit *f, size_t case_index, const size_t chosen[CHOSEN], size_t answers[ANSWERS])
{
    dock_case *of = &f->cases[case_index];
    for (size_t k = 0; k < CHOSEN; k++) answers[k] = rank_of(of, chosen[k], k);
    for (size_t k = CHOSEN; k < ANSWERS; k++)
        QN_TRY(merged_rank(f, of, chosen, CHOSEN - (ANSWERS - 1 - k), &answers[k]));
    return QN_OK;
}

static void print_sets(const fit *f, const size_t chosen[CHOSEN], const double scores[CHOSEN])
{
    printf(
        "The sets chosen, as lines of a weights file:\n\n    # name  w_rep  w_attr  w_elec  w_pair  reach  D    core   "
        "cap\n");
    for (size_t k = 0; k < CHOSEN; k++) {
        int place[3];
        char cap[32] = "none";
        set_place(chosen[k], place);
        if (isfinite(f->docked->cap)) snprintf(cap, sizeof cap, "%g", f->docked->cap);
        printf("    %-7s %-6.2f %-7.2f %-7g %-7.2f %-6g %-4g %-6g %-4s # score %.3f\n", names[k], repulsion,
               attractions[place[1]], electrostatics[place[2]], pair, f->docked->reach_angstrom,
               f->docked->length_angstrom, cores[place[0]] / repulsion, cap, scores[k]);
    }
}

static void print_header(bool with_sets)
{
    printf("| complex |%s", with_sets ? " sets (core · repulsion, −attraction, electrostatic) |" : "");
    for (size_t k = 0; k < CHOSEN; k++) printf(" %s |", names[k]);
    printf(" first two merged | all merged |\n|---|");
    for (size_t k = with_sets ? 0 : 1; k < ANSWERS + 1; k++) printf("---|");
    printf("\n");
}

static void print_counts(const fit *f, const char *what, size_t most, bool with_sets, const size_t (*answers)[ANSWERS])
{
    printf("| %s |%s", what, with_sets ? " |" : "");
    for (size_t k = 0; k < ANSWERS; k++) {
        size_t count = 0;
        for (size_t c = 0; c < f->case_count; c++) count += answers[c][k] > 0 && answers[c][k] <= most;
        printf(" %zu of %zu |", count, f->case_count);
    }
    printf("\n");
}

static void print_mean(const fit *f, bool with_sets, const size_t (*answers)[ANSWERS])
{
    printf("| mean log10 of the rank |%s", with_sets ? " |" : "");
    for (size_t k = 0; k < ANSWERS; k++) {
        double sum = 0;
        for (size_t c = 0; c < f->case_count; c++) sum += log_rank(answers[c][k]);
        printf(" %.3f |", sum / (double)f->case_count);
    }
    printf("\n");
}

/* Print a row for each complex: ranks with the sets that were chosen for this complex. */
static qn_status print_table(const fit *f, bool leave_one_out)
{
    void *memory;
    QN_TRY(qn_allocate(f->case_count, sizeof(size_t[ANSWERS]), &memory));
    size_t(*answers)[ANSWERS] = memory;
    qn_status status = QN_OK;
    print_header(leave_one_out);
    for (size_t c = 0; c < f->case_count && status == QN_OK; c++) {
        size_t chosen[CHOSEN];
        double scores[CHOSEN];
        choose(f, leave_one_out ? c : SIZE_MAX, chosen, scores);
        status = find_answers(f, c, chosen, answers[c]);
        printf("| %s |", f->cases[c].name);
        for (size_t k = 0; leave_one_out && k < CHOSEN; k++) {
            int place[3];
            set_place(chosen[k], place);
            printf("%s %g %.2f %g%s", k ? ";" : "", cores[place[0]], -attractions[place[1]], electrostatics[place[2]],
                   k + 1 == CHOSEN ? " |" : "");
        }
        for (size_t k = 0; k < ANSWERS; k++)
            if (answers[c][k])
                printf(" %zu |", answers[c][k]);
            else
                printf(" none |");
        printf("\n");
    }
    if (status == QN_OK) {
        print_counts(f, "in the top 10", 10, leave_one_out, (const size_t(*)[ANSWERS])answers);
        print_counts(f, "at rank 1", 1, leave_one_out, (const size_t(*)[ANSWERS])answers);
        print_mean(f, leave_one_out, (const size_t(*)[ANSWERS])answers);
    }
    qn_release(&memory);
    return status;
}

static qn_status report(const fit *f)
{
    size_t chosen[CHOSEN];
    double scores[CHOSEN];
    choose(f, SIZE_MAX, chosen, scores);
    print_sets(f, chosen, scores);
    printf("\nRank of the first acceptable cluster among the first %d:\n\n", CLUSTERS);
    QN_TRY(print_table(f, false));
    if (f->case_count < 2) return QN_OK;
    printf("\nLeave-one-out: the sets fitted to the other complexes.\n\n");
    return print_table(f, true);
}

/* ---- The program ---- */

static void clear(fit *f)
{
    for (size_t c = 0; c < f->case_count; c++) {
        dock_case *of = &f->cases[c];
        qn_release(&of->name);
        qn_molecule_destroy(&of->receptor);
        qn_molecule_destroy(&of->ligand);
        qn_complex_reference_destroy(&of->reference);
        qn_release(&of->poses);
        qn_release(&of->qualities);
    }
    qn_release(&f->cases);
    qn_release(&f->docked);
    qn_pool_destroy(&f->pool);
}

static qn_status run(fit *f, const char *weights, const char *data, const char *out)
{
    QN_TRY(read_docked(weights, f));
    QN_TRY(list_cases(f, data));
    QN_TRY(qn_pool_create(0, &f->pool));
    for (size_t c = 0; c < f->case_count; c++) QN_TRY(read_case(f, data, out, &f->cases[c]));
    make_smoothing(f);
    QN_TRY(qn_pool_run(f->pool, f->case_count * SETS, rank_set, f));
    return report(f);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: quern_bench_dock_fit WEIGHTS DATA OUT\n");
        return 2;
    }
    static fit f;
    qn_status status = run(&f, argv[1], argv[2], argv[3]);
    clear(&f);
    if (status == QN_OK) return 0;
    fprintf(stderr, "quern_bench_dock_fit: %s\n", qn_error_message());
    return 1;
}
