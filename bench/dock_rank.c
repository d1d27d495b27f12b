/* quern_bench_dock_rank RECEPTOR LIGAND BOUND_RECEPTOR BOUND_LIGAND POSES OUT: measure the poses of a docking run, for
 * bench/dock-rank-fit.
 *
 * POSES is a poses.csv of quern dock, or any file with its columns of the matrix and the translation. Files OUT.* hold
 * one row for each pose, in its order, as arrays without a header:
 *
 *   OUT.truth     doubles: Fnat, i-RMSD, L-RMSD, DockQ (0, infinity, a rough L-RMSD, 0 for poses that are far off)
 *   OUT.moments   doubles: Σ 1, x, y, z, x², xy, xz, y², yz, z² over the ligand's Cα within 10 Å of the receptor, in
 *                 input coordinates minus the centre
 *   OUT.measures  doubles: the measures of dock/ranking/interface.h
 *   OUT.counts    uint16: pairs of amino acids (210), pairs of atom types (171), amino acids (20)
 *   OUT.pairs     uint32: number of residue pairs in contact, then 65536 · receptor residue + ligand residue each
 *   OUT.txt       names of the measures, centre of the ligand's Cα, number of Cα */
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
#include "dock/ranking/interface.h"
#include "math/rotation.h"
#include "math/superpose.h"
#include "model/atom.h"

enum { MOMENTS = 10, COUNTS = QN_AMINO_PAIRS + QN_TYPE_PAIRS + QN_AMINO_ACIDS, THREADS_MAX = 64 };

/* Poses whose rough L-RMSD is larger are not judged exactly: no pose that far off is acceptable. */
static const double far_angstrom = 30;

typedef struct placement {
    double matrix[9], translation[3];
} placement;

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
    qn_interface_scratch *scratch[THREADS_MAX];
    qn_interface interfaces[THREADS_MAX];
    placement *poses;
    size_t pose_count, pose_capacity;
    native_points *natives;
    size_t native_count;
    double *points, centre[3]; /* ligand Cα minus their centre */
    size_t point_count;
    qn_neighbour_grid *receptor_atoms;
    truth *truths;
    double *moments, *measures;
    uint16_t *counts;
    uint32_t **pairs; /* of each pose: number, then pairs */
    qn_pool *pool;
} bench;

/* ---- Reading ---- */

static qn_status read_columns(const char *path, const char *header, int columns[12])
{
    static const char *const names[12] = {"r11", "r12", "r13", "r21",         "r22",         "r23",
                                          "r31", "r32", "r33", "tx_angstrom", "ty_angstrom", "tz_angstrom"};
    for (int n = 0; n < 12; n++) {
        int column = 0;
        columns[n] = -1;
        for (const char *at = header; *at && *at != '\n'; at += strcspn(at, ",\n")) {
            if (*at == ',') at++;
            const size_t length = strcspn(at, ",\n\r");
            if (length == strlen(names[n]) && strncmp(at, names[n], length) == 0) columns[n] = column;
            column++;
        }
        if (columns[n] < 0)
            return QN_FAIL(QN_BAD_FORMAT, "%s: it has no column %s; expected poses of quern dock", path, names[n]);
    }
    return QN_OK;
}

static qn_status read_poses(bench *b, const char *path)
{
    char *data;
    size_t size;
    int columns[12];
    QN_TRY(qn_file_read(path, &data, &size));
    qn_status status = read_columns(path, data, columns);
    for (char *line = strchr(data, '\n'); status == QN_OK && line && line[1]; line = strchr(line + 1, '\n')) {
        void *memory = b->poses;
        status = qn_grow(&memory, &b->pose_capacity, b->pose_count + 1, sizeof *b->poses);
        b->poses = memory;
        if (status != QN_OK) break;
        double values[12];
        char *at = line + 1;
        for (int column = 0; *at && *at != '\n'; column++) {
            for (int n = 0; n < 12; n++)
                if (columns[n] == column) values[n] = strtod(at, NULL);
            at += strcspn(at, ",\n");
            if (*at == ',') at++;
        }
        memcpy(b->poses[b->pose_count].matrix, values, 9 * sizeof(double));
        memcpy(b->poses[b->pose_count++].translation, values + 9, 3 * sizeof(double));
    }
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

static double rough_rmsd(const bench *b, const placement *pose)
{
    double least = INFINITY;
    for (size_t n = 0; n < b->native_count; n++) {
        const native_points *native = &b->natives[n];
        double sum = 0;
        for (size_t i = 0; i < native->count; i++) {
            double place[3];
            qn_rotation_apply(pose->matrix, native->model + 3 * i, place);
            for (int axis = 0; axis < 3; axis++) {
                const double apart = place[axis] + pose->translation[axis] - native->native[3 * i + (size_t)axis];
                sum += apart * apart;
            }
        }
        least = fmin(least, sqrt(sum / (double)native->count));
    }
    return least;
}

/* ---- Measuring ---- */

static qn_status judge(const bench *b, const placement *pose, truth *into)
{
    const double rough = rough_rmsd(b, pose);
    *into = (truth){0, INFINITY, rough, 0};
    if (rough > far_angstrom) return QN_OK;
    qn_molecule *ligand;
    qn_complex_quality quality;
    QN_TRY(qn_molecule_copy(b->ligand.molecule, &ligand));
    qn_molecule_transform(ligand, pose->matrix, pose->translation);
    const qn_status status = qn_complex_quality_compute(b->reference, b->receptor.molecule, ligand, &quality);
    qn_molecule_destroy(&ligand);
    QN_TRY(status);
    *into = (truth){quality.fnat, quality.interface_rmsd_angstrom, quality.ligand_rmsd_angstrom, quality.dockq};
    return QN_OK;
}

static void add_moments(const bench *b, const placement *pose, double *moments)
{
    for (size_t i = 0; i < b->point_count; i++) {
        const double *x = b->points + 3 * i, input[3] = {x[0] + b->centre[0], x[1] + b->centre[1], x[2] + b->centre[2]};
        double place[3];
        qn_rotation_apply(pose->matrix, input, place);
        for (int axis = 0; axis < 3; axis++) place[axis] += pose->translation[axis];
        if (!qn_neighbour_grid_any(b->receptor_atoms, place)) continue;
        const double terms[MOMENTS] = {1,           x[0],        x[1],        x[2],        x[0] * x[0],
                                       x[0] * x[1], x[0] * x[2], x[1] * x[1], x[1] * x[2], x[2] * x[2]};
        for (int m = 0; m < MOMENTS; m++) moments[m] += terms[m];
    }
}

static qn_status measure(size_t index, int worker, void *user)
{
    bench *b = user;
    const placement *pose = &b->poses[index];
    qn_interface *interface = &b->interfaces[worker];
    void *memory;
    QN_TRY(qn_interface_measure_pose(&b->surfaces[0], &b->surfaces[1], pose->matrix, pose->translation,
                                     b->scratch[worker], interface));
    memcpy(b->measures + QN_INTERFACE_MEASURES * index, interface->measures, sizeof interface->measures);
    uint16_t *counts = b->counts + COUNTS * index;
    memcpy(counts, interface->amino_pairs, sizeof interface->amino_pairs);
    memcpy(counts + QN_AMINO_PAIRS, interface->type_pairs, sizeof interface->type_pairs);
    memcpy(counts + QN_AMINO_PAIRS + QN_TYPE_PAIRS, interface->amino_counts, sizeof interface->amino_counts);
    QN_TRY(qn_allocate(1 + interface->pair_count, sizeof(uint32_t), &memory));
    b->pairs[index] = memory;
    b->pairs[index][0] = (uint32_t)interface->pair_count;
    for (size_t i = 0; i < interface->pair_count; i++)
        b->pairs[index][i + 1] = 65536 * interface->pairs[i].receptor + interface->pairs[i].ligand;
    add_moments(b, pose, b->moments + MOMENTS * index);
    return judge(b, pose, &b->truths[index]);
}

static qn_status list_points(bench *b)
{
    const qn_molecule *ligand = b->ligand.molecule;
    void *memory;
    QN_TRY(qn_allocate(3 * ligand->residue_count, sizeof(double), &memory));
    b->points = memory;
    for (size_t r = 0; r < ligand->residue_count; r++) {
        const qn_atom *atom = qn_residue_c_alpha(ligand, &ligand->residues[r]);
        if (!atom || ligand->residues[r].atom_count == 1) continue;
        memcpy(b->points + 3 * b->point_count++, atom->position_angstrom, 3 * sizeof(double));
    }
    for (int axis = 0; axis < 3; axis++) {
        for (size_t i = 0; i < b->point_count; i++)
            b->centre[axis] += b->points[3 * i + (size_t)axis] / (double)b->point_count;
        for (size_t i = 0; i < b->point_count; i++) b->points[3 * i + (size_t)axis] -= b->centre[axis];
    }
    QN_TRY(qn_allocate(3 * b->surfaces[0].atom_count, sizeof(double), &memory));
    double *atoms = memory;
    for (size_t i = 0; i < b->surfaces[0].atom_count; i++)
        memcpy(atoms + 3 * i, b->surfaces[0].atoms[i].position_angstrom, 3 * sizeof(double));
    const qn_status status = qn_neighbour_grid_create(atoms, b->surfaces[0].atom_count, 10, &b->receptor_atoms);
    qn_release(&memory);
    return status;
}

static qn_status allocate_results(bench *b)
{
    void *memory;
    QN_TRY(qn_allocate(b->pose_count, sizeof *b->truths, &memory));
    b->truths = memory;
    QN_TRY(qn_allocate(MOMENTS * b->pose_count, sizeof(double), &memory));
    b->moments = memory;
    QN_TRY(qn_allocate(QN_INTERFACE_MEASURES * b->pose_count, sizeof(double), &memory));
    b->measures = memory;
    QN_TRY(qn_allocate(COUNTS * b->pose_count, sizeof(uint16_t), &memory));
    b->counts = memory;
    QN_TRY(qn_allocate(b->pose_count, sizeof *b->pairs, &memory));
    b->pairs = memory;
    for (int i = 0; i < qn_pool_threads(b->pool); i++)
        QN_TRY(qn_interface_scratch_create(&b->surfaces[0], &b->surfaces[1], &b->scratch[i]));
    return QN_OK;
}

/* ---- Writing ---- */

static qn_status write_array(const char *out, const char *ending, const void *data, size_t bytes)
{
    qn_text path = {0};
    QN_TRY(qn_text_append(&path, "%s.%s", out, ending));
    const qn_status status = qn_file_write(path.data, data, bytes);
    qn_text_clear(&path);
    return status;
}

static qn_status write_pairs(const bench *b, const char *out)
{
    qn_text all = {0};
    qn_status status = QN_OK;
    for (size_t i = 0; i < b->pose_count && status == QN_OK; i++)
        status = qn_text_append_bytes(&all, b->pairs[i], (1 + b->pairs[i][0]) * sizeof(uint32_t));
    if (status == QN_OK) status = write_array(out, "pairs", all.data, all.length);
    qn_text_clear(&all);
    return status;
}

static qn_status write_all(const bench *b, const char *out)
{
    qn_text text = {0};
    for (int i = 0; i < QN_INTERFACE_MEASURES; i++)
        QN_TRY(
            qn_text_append(&text, "%s%s", qn_interface_measure_names[i], i + 1 < QN_INTERFACE_MEASURES ? " " : "\n"));
    QN_TRY(qn_text_append(&text, "%.9g %.9g %.9g\n%zu\n%zu %zu\n", b->centre[0], b->centre[1], b->centre[2],
                          b->point_count, b->surfaces[0].residue_count, b->surfaces[1].residue_count));
    QN_TRY(qn_text_append(&text, "%d %d\n", b->surfaces[0].loop != NULL, b->surfaces[1].loop != NULL));
    QN_TRY(write_array(out, "truth", b->truths, b->pose_count * sizeof *b->truths));
    QN_TRY(write_array(out, "moments", b->moments, b->pose_count * MOMENTS * sizeof(double)));
    QN_TRY(write_array(out, "measures", b->measures, b->pose_count * QN_INTERFACE_MEASURES * sizeof(double)));
    QN_TRY(write_array(out, "counts", b->counts, b->pose_count * COUNTS * sizeof(uint16_t)));
    QN_TRY(write_pairs(b, out));
    return write_array(out, "txt", text.data, text.length);
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
    QN_TRY(qn_surface_create(&b->receptor, &b->surfaces[0]));
    QN_TRY(qn_surface_create(&b->ligand, &b->surfaces[1]));
    QN_TRY(list_points(b));
    QN_TRY(read_poses(b, argv[5]));
    QN_TRY(allocate_results(b));
    QN_TRY(qn_pool_run(b->pool, b->pose_count, measure, b));
    return write_all(b, argv[6]);
}

int main(int argc, char **argv)
{
    static bench b;
    if (argc != 7) {
        fprintf(stderr, "usage: quern_bench_dock_rank RECEPTOR LIGAND BOUND_RECEPTOR BOUND_LIGAND POSES OUT\n");
        return 2;
    }
    if (run(&b, argv) == QN_OK) return 0;
    fprintf(stderr, "quern_bench_dock_rank: %s\n", qn_error_message());
    return 1;
}
