/* quern_bench_dock_rank RECEPTOR LIGAND BOUND_RECEPTOR BOUND_LIGAND POSES SETS MODEL OUT: measure the candidates of a
 * docking run, for bench/dock-rank-fit.
 *
 * POSES is the poses.csv of a run with the coefficient sets SETS (names, families or a weights file). MODEL is the
 * ranking model whose counts and spread choose the candidates; its weights are not used. OUT gets a table with a row
 * for each candidate in the order of choice: the qualities fnat, i_rmsd, l_rmsd, dockq, and the features. Candidates
 * with a rough L-RMSD above 30 Å have this value as l_rmsd, no contacts and an infinite i_rmsd. OUT.distances gets the
 * distances of all pairs of candidates, as floats. */
#include <math.h>
#include <quern/molecule.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "compare/complex_quality.h"
#include "compare/residue_match.h"
#include "dock/ranking/ranking.h"
#include "math/rotation.h"
#include "math/superpose.h"
#include "report/csv.h"
#include "score/coefficients.h"

/* Poses whose rough L-RMSD is larger are not judged exactly: no pose that far off is acceptable. */
static const double far_angstrom = 30;

typedef struct truth {
    double fnat, interface_rmsd, ligand_rmsd, dockq;
} truth;

/* Matched Cα of the ligand: in the model's input coordinates, and in the native complex superposed on the receptor. */
typedef struct native_points {
    double *model, *native;
    size_t count;
} native_points;

typedef struct bench {
    qn_dock_partner receptor, ligand;
    qn_complex_reference *reference;
    qn_surface surfaces[2];
    native_points *natives;
    size_t native_count;
    qn_coefficients *sets;
    size_t set_count;
    qn_ranking_model model;
    qn_placement *placements; /* each pose once */
    double (*terms)[QN_RANKING_TERMS];
    size_t *ranks, pose_count, capacities[3];
    double (*values)[QN_POSE_FEATURES];
    size_t *candidates, candidate_count;
    truth *truths;
    qn_pool *pool;
} bench;

/* ---- Reading ---- */

/* Columns that are read from poses.csv, in the order of `headers`. */
enum { MATRIX, TRANSLATION = 9, SET = 12, TERMS, COLUMNS = TERMS + QN_RANKING_TERMS };

static const char *const headers[COLUMNS] = {"r11",           "r12",         "r13",          "r21",       "r22",
                                             "r23",           "r31",         "r32",          "r33",       "tx_angstrom",
                                             "ty_angstrom",   "tz_angstrom", "coefficients", "repulsion", "attraction",
                                             "electrostatic", "pair",        "mask"};

static qn_status read_columns(const char *path, const char *line, int columns[COLUMNS])
{
    for (int n = 0; n < COLUMNS; n++) {
        int column = 0;
        columns[n] = -1;
        for (const char *at = line; at; at = strpbrk(at, ",\n"), at = at && *at == ',' ? at + 1 : NULL, column++) {
            const size_t length = strcspn(at, ",\n");
            if (length == strlen(headers[n]) && strncmp(at, headers[n], length) == 0) columns[n] = column;
        }
        if (columns[n] < 0)
            return QN_FAIL(QN_BAD_FORMAT, "%s: it has no column %s; expected poses of the score piper", path,
                           headers[n]);
    }
    return QN_OK;
}

/* Find the set that a field names. Returns the number of sets if there is none. */
static size_t find_set(const bench *b, const char *field)
{
    size_t set = 0;
    const size_t length = strcspn(field, ",");
    while (set < b->set_count &&
           (strlen(b->sets[set].name) != length || strncmp(b->sets[set].name, field, length) != 0))
        set++;
    return set;
}

/* Find a pose with this placement, or make room for it. */
static qn_status place_of(bench *b, const double *numbers, size_t *place)
{
    for (*place = 0; *place < b->pose_count; ++*place)
        if (memcmp(b->placements[*place].matrix, numbers, 9 * sizeof(double)) == 0 &&
            memcmp(b->placements[*place].translation_angstrom, numbers + TRANSLATION, 3 * sizeof(double)) == 0)
            return QN_OK;
    QN_TRY(qn_grow((void **)&b->placements, &b->capacities[0], *place + 1, sizeof *b->placements));
    QN_TRY(qn_grow((void **)&b->terms, &b->capacities[1], *place + 1, sizeof *b->terms));
    QN_TRY(qn_grow((void **)&b->ranks, &b->capacities[2], (*place + 1) * b->set_count, sizeof *b->ranks));
    memcpy(b->placements[*place].matrix, numbers, 9 * sizeof(double));
    memcpy(b->placements[*place].translation_angstrom, numbers + TRANSLATION, 3 * sizeof(double));
    memcpy(b->terms[*place], numbers + TERMS, QN_RANKING_TERMS * sizeof(double));
    for (size_t s = 0; s < b->set_count; s++) b->ranks[*place * b->set_count + s] = SIZE_MAX;
    b->pose_count++;
    return QN_OK;
}

static qn_status read_pose(bench *b, const char *path, const char *line, const int columns[COLUMNS], size_t *seen)
{
    double numbers[COLUMNS] = {0};
    size_t set = b->set_count, place;
    int column = 0;
    for (const char *at = line; at; at = strpbrk(at, ",\n"), at = at && *at == ',' ? at + 1 : NULL, column++)
        for (int n = 0; n < COLUMNS; n++) {
            if (columns[n] != column) continue;
            if (n == SET)
                set = find_set(b, at);
            else
                numbers[n] = strtod(at, NULL);
        }
    if (set == b->set_count)
        return QN_FAIL(QN_NOT_FOUND, "%s: a pose is of none of the sets; expected the sets of the run", path);
    numbers[TERMS] /= b->sets[set].core;
    if (seen[set] >= (size_t)b->model.poses) return QN_OK;
    QN_TRY(place_of(b, numbers, &place));
    b->ranks[place * b->set_count + set] = seen[set]++;
    return QN_OK;
}

static qn_status read_poses(bench *b, const char *path)
{
    char *data;
    size_t size, seen[QN_COEFFICIENTS_MAX] = {0};
    int columns[COLUMNS];
    QN_TRY(qn_file_read(path, &data, &size));
    qn_status status = read_columns(path, data, columns);
    for (char *line = strchr(data, '\n'); status == QN_OK && line && line[1]; line = strchr(line + 1, '\n'))
        status = read_pose(b, path, line + 1, columns, seen);
    qn_release(&data);
    return status;
}

static qn_status read_molecule(const char *path, qn_molecule **molecule)
{
    return qn_molecule_read(NULL, path, &(qn_molecule_options){.size = sizeof(qn_molecule_options), .drop_water = true},
                            molecule);
}

/* ---- Rough L-RMSD ---- */

static bool c_alpha_of(const qn_partner *partner, size_t residue, double place[3])
{
    if (residue == SIZE_MAX || !(partner->residues[residue].backbone_mask & 2u)) return false;
    memcpy(place, partner->residues[residue].backbone[1], 3 * sizeof(double));
    return true;
}

/* List matched Cα of an alternative: `mobile` of the first partner, `fixed` of the second. */
static size_t list_matched(const qn_partner *reference, const qn_partner *model, const qn_residue_match *match,
                           size_t alternative, double *of_reference, double *of_model)
{
    size_t count = 0;
    for (size_t r = 0; r < reference->residue_count; r++) {
        const size_t other = match->model_residue[alternative * reference->residue_count + r];
        if (c_alpha_of(reference, r, of_reference + 3 * count) && c_alpha_of(model, other, of_model + 3 * count))
            count++;
    }
    return count;
}

static qn_status add_native(bench *b, const qn_partner partners[4], const qn_residue_match matches[2], size_t a,
                            size_t l)
{
    double rotation[9], translation[3];
    void *memory;
    const size_t most = partners[0].residue_count + partners[1].residue_count;
    native_points *native = &b->natives[b->native_count];
    QN_TRY(qn_allocate(6 * most, sizeof(double), &memory));
    native->model = memory;
    native->native = native->model + 3 * most;
    size_t count = list_matched(&partners[0], &partners[2], &matches[0], a, native->native, native->model);
    QN_TRY(qn_superpose(native->native, native->model, count, rotation, translation, NULL));
    native->count = list_matched(&partners[1], &partners[3], &matches[1], l, native->native, native->model);
    for (size_t i = 0; i < native->count; i++) {
        double place[3];
        qn_rotation_apply(rotation, native->native + 3 * i, place);
        for (int axis = 0; axis < 3; axis++) native->native[3 * i + (size_t)axis] = place[axis] + translation[axis];
    }
    b->native_count++;
    return QN_OK;
}

static qn_status prepare_natives(bench *b, const qn_molecule *bound_receptor, const qn_molecule *bound_ligand)
{
    qn_partner partners[4] = {{0}};
    qn_residue_match matches[2] = {{0}};
    const qn_molecule *const molecules[4] = {bound_receptor, bound_ligand, b->receptor.molecule, b->ligand.molecule};
    void *memory;
    qn_status status = QN_OK;
    for (int i = 0; i < 4 && status == QN_OK; i++) status = qn_partner_build(molecules[i], &partners[i]);
    for (int i = 0; i < 2 && status == QN_OK; i++)
        status = qn_residue_match_find(&partners[i], &partners[i + 2], &matches[i]);
    if (status == QN_OK)
        status = qn_allocate(matches[0].alternative_count * matches[1].alternative_count, sizeof *b->natives, &memory);
    if (status == QN_OK) b->natives = memory;
    for (size_t a = 0; status == QN_OK && a < matches[0].alternative_count; a++)
        for (size_t l = 0; status == QN_OK && l < matches[1].alternative_count; l++)
            status = add_native(b, partners, matches, a, l);
    for (int i = 0; i < 4; i++) qn_partner_clear(&partners[i]);
    for (int i = 0; i < 2; i++) qn_residue_match_clear(&matches[i]);
    return status;
}

static double rough_rmsd(const bench *b, const qn_placement *pose)
{
    double least = INFINITY;
    for (size_t n = 0; n < b->native_count; n++) {
        const native_points *native = &b->natives[n];
        double sum = 0;
        for (size_t i = 0; i < native->count; i++) {
            double place[3];
            qn_rotation_apply(pose->matrix, native->model + 3 * i, place);
            for (int axis = 0; axis < 3; axis++) {
                const double apart =
                    place[axis] + pose->translation_angstrom[axis] - native->native[3 * i + (size_t)axis];
                sum += apart * apart;
            }
        }
        least = fmin(least, sqrt(sum / (double)native->count));
    }
    return least;
}

/* ---- Measuring ---- */

static qn_status judge(const bench *b, const qn_placement *pose, truth *into)
{
    const double rough = rough_rmsd(b, pose);
    *into = (truth){0, INFINITY, rough, 0};
    if (rough > far_angstrom) return QN_OK;
    qn_molecule *ligand;
    qn_complex_quality quality;
    QN_TRY(qn_molecule_copy(b->ligand.molecule, &ligand));
    qn_molecule_transform(ligand, pose->matrix, pose->translation_angstrom);
    const qn_status status = qn_complex_quality_compute(b->reference, b->receptor.molecule, ligand, &quality);
    qn_molecule_destroy(&ligand);
    QN_TRY(status);
    *into = (truth){quality.fnat, quality.interface_rmsd_angstrom, quality.ligand_rmsd_angstrom, quality.dockq};
    return QN_OK;
}

static qn_status judge_candidate(size_t index, int worker, void *user)
{
    const bench *b = user;
    (void)worker;
    return judge(b, &b->placements[b->candidates[index]], &b->truths[index]);
}

static qn_status measure(bench *b)
{
    const qn_ranking_poses poses = {b->placements, (const double(*)[QN_RANKING_TERMS])b->terms,
                                    b->ranks,      b->pose_count,
                                    b->set_count,  (size_t)b->model.poses};
    qn_crowd crowd;
    void *memory;
    QN_TRY(qn_allocate(b->pose_count, sizeof *b->values, &memory));
    b->values = memory;
    QN_TRY(qn_allocate((size_t)b->model.candidates, sizeof *b->candidates, &memory));
    b->candidates = memory;
    QN_TRY(qn_allocate((size_t)b->model.candidates, sizeof *b->truths, &memory));
    b->truths = memory;
    QN_TRY(qn_pose_features_compute(&b->surfaces[0], &b->surfaces[1], &poses, b->pool, b->values));
    QN_TRY(qn_crowd_create(&b->surfaces[0], b->ligand.molecule, b->placements, b->pose_count, b->pool, &crowd));
    const qn_status status = qn_ranking_candidates_choose(
        &b->model, &crowd, (const double(*)[QN_POSE_FEATURES])b->values, b->candidates, &b->candidate_count);
    qn_crowd_clear(&crowd);
    QN_TRY(status);
    return qn_pool_run(b->pool, b->candidate_count, judge_candidate, b);
}

static qn_status write_table(const bench *b, const char *path)
{
    static const char *const first[] = {"fnat", "i_rmsd", "l_rmsd", "dockq"};
    qn_text csv = {0};
    for (int i = 0; i < 4; i++) QN_TRY(qn_csv_text(&csv, first[i]));
    QN_TRY(qn_csv_row(&csv, QN_POSE_FEATURES, qn_pose_feature_names));
    for (size_t i = 0; i < b->candidate_count; i++) {
        const truth *t = &b->truths[i];
        const double quality[] = {t->fnat, t->interface_rmsd, t->ligand_rmsd, t->dockq};
        for (int k = 0; k < 4; k++) QN_TRY(qn_csv_number(&csv, quality[k], 6));
        for (int k = 0; k < QN_POSE_FEATURES; k++) QN_TRY(qn_csv_number(&csv, b->values[b->candidates[i]][k], 8));
        QN_TRY(qn_csv_end_row(&csv));
    }
    const qn_status status = qn_csv_write(&csv, path);
    qn_text_clear(&csv);
    return status;
}

/* Write the distances of all pairs of candidates, row by row, as floats. */
static qn_status write_distances(const bench *b, const char *out)
{
    qn_text path = {0}, data = {0};
    qn_crowd crowd;
    void *memory;
    QN_TRY(qn_allocate(b->candidate_count, sizeof(qn_placement), &memory));
    for (size_t i = 0; i < b->candidate_count; i++) ((qn_placement *)memory)[i] = b->placements[b->candidates[i]];
    qn_status status =
        qn_crowd_create(&b->surfaces[0], b->ligand.molecule, memory, b->candidate_count, b->pool, &crowd);
    qn_release(&memory);
    QN_TRY(status);
    for (size_t i = 0; i < b->candidate_count && status == QN_OK; i++)
        for (size_t j = 0; j < b->candidate_count && status == QN_OK; j++) {
            const float distance = (float)qn_crowd_distance(&crowd, i, j);
            status = qn_text_append_bytes(&data, &distance, sizeof distance);
        }
    qn_crowd_clear(&crowd);
    if (status == QN_OK) status = qn_text_append(&path, "%s.distances", out);
    if (status == QN_OK) status = qn_file_write(path.data, data.data, data.length);
    qn_text_clear(&path);
    qn_text_clear(&data);
    return status;
}

static qn_status run(bench *b, char **argv)
{
    qn_molecule *bound[2] = {NULL};
    QN_TRY(qn_pool_create(0, &b->pool));
    QN_TRY(qn_dock_partner_read(argv[1], 0, "receptor", &b->receptor));
    QN_TRY(qn_dock_partner_read(argv[2], 0, "ligand", &b->ligand));
    QN_TRY(read_molecule(argv[3], &bound[0]));
    QN_TRY(read_molecule(argv[4], &bound[1]));
    QN_TRY(qn_complex_reference_create(bound[0], bound[1], &b->reference));
    QN_TRY(prepare_natives(b, bound[0], bound[1]));
    for (int i = 0; i < 2; i++) qn_molecule_destroy(&bound[i]);
    QN_TRY(qn_surface_create(&b->receptor, &b->surfaces[0]));
    QN_TRY(qn_surface_create(&b->ligand, &b->surfaces[1]));
    QN_TRY(qn_coefficients_find(argv[6], &b->sets, &b->set_count));
    QN_TRY(qn_ranking_model_read(argv[7], &b->model));
    QN_TRY(read_poses(b, argv[5]));
    QN_TRY(measure(b));
    QN_TRY(write_distances(b, argv[8]));
    return write_table(b, argv[8]);
}

int main(int argc, char **argv)
{
    static bench b;
    if (argc != 9) {
        fprintf(stderr,
                "usage: quern_bench_dock_rank RECEPTOR LIGAND BOUND_RECEPTOR BOUND_LIGAND POSES SETS MODEL OUT\n");
        return 2;
    }
    if (run(&b, argv) == QN_OK) return 0;
    fprintf(stderr, "quern_bench_dock_rank: %s\n", qn_error_message());
    return 1;
}
