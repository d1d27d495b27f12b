#include "screen/poses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "chemistry/symmetry.h"
#include "flexible/alike.h"
#include "flexible/searcher.h"
#include "score/ligand_types.h"
#include "score/vina.h"

/* Automorphisms of a molecule that are tried, at most. With more, two equivalent poses may count as different. */
enum { MAPPINGS_MAX = 1000 };

int qn_screen_term_names(qn_ligand_score_kind kind, bool flexible, const char *const **names)
{
    static const char *const turning[] = {"inter", "intra", "torsional", "unbound"};
    static const char *const bude[] = {"steric", "charge", "desolvation"};
    static const char *const vina[] = {"gauss1", "gauss2", "repulsion", "hydrophobic", "hydrogen_bond"};
    *names = kind == QN_SCORE_VINA ? vina : bude;
    if (flexible) {
        *names = turning;
        return 4;
    }
    return kind == QN_SCORE_VINA ? 5 : 3;
}

const char *qn_screen_energy_unit(qn_ligand_score_kind kind)
{
    return kind == QN_SCORE_VINA ? "kcal/mol" : "kJ/mol";
}

void qn_screen_pose_positions(const qn_screen_state *run, const qn_screen_molecule *molecule, int conformer,
                              const uint16_t number[6], double *positions)
{
    qn_screen_pose pose = {0};
    double rotation[9], translation[3];
    const double *from = qn_compound_positions(molecule->compound, (size_t)conformer);
    const double *centroid = molecule->ligand.centroid_angstrom + 3 * (size_t)conformer;
    memcpy(pose.number, number, sizeof pose.number);
    qn_screen_pose_transform(&run->search, &pose, rotation, translation);
    for (size_t i = 0; i < molecule->compound->atom_count; i++) {
        const double x = from[3 * i] - centroid[0], y = from[3 * i + 1] - centroid[1],
                     z = from[3 * i + 2] - centroid[2];
        for (size_t row = 0; row < 3; row++)
            positions[3 * i + row] =
                rotation[3 * row] * x + rotation[3 * row + 1] * y + rotation[3 * row + 2] * z + translation[row];
    }
}

/* A pose that the search found, with its conformer. */
typedef struct candidate {
    qn_screen_pose pose;
    int conformer;
} candidate;

/* Compare by energy, then conformer, then numbers, so that the order does not depend on the order of the search. */
static int compare_candidates(const void *a, const void *b)
{
    const candidate *first = a, *second = b;
    if (first->pose.energy != second->pose.energy) return first->pose.energy < second->pose.energy ? -1 : 1;
    if (first->conformer != second->conformer) return first->conformer < second->conformer ? -1 : 1;
    for (int i = 0; i < 6; i++)
        if (first->pose.number[i] != second->pose.number[i])
            return first->pose.number[i] < second->pose.number[i] ? -1 : 1;
    return 0;
}

/* State of the choice: the poses chosen so far and the positions of their atoms. */
typedef struct pose_choice {
    const qn_screen_state *run;
    const qn_screen_molecule *molecule;
    qn_symmetry symmetry;
    candidate *candidates;
    size_t candidate_count;
    double *positions; /* [keep][atoms][3]: of the chosen poses, then of the pose that is compared with them */
    candidate chosen[QN_SCREEN_KEPT_MAX];
    int count;
} pose_choice;

static qn_status list_candidates(pose_choice *choice, const qn_screen_pose *poses)
{
    const size_t count = QN_SCREEN_MINIMA * (size_t)choice->molecule->ligand.conformer_count;
    void *memory;
    QN_TRY(qn_allocate(count, sizeof(candidate), &memory));
    choice->candidates = memory;
    for (size_t i = 0; i < count; i++)
        if (isfinite(poses[i].energy)) /* unused places have infinite energy */
            choice->candidates[choice->candidate_count++] = (candidate){poses[i], (int)(i / QN_SCREEN_MINIMA)};
    qsort(choice->candidates, choice->candidate_count, sizeof(candidate), compare_candidates);
    return QN_OK;
}

static void choose(pose_choice *choice)
{
    const qn_screen_options *options = choice->run->options;
    const size_t floats = choice->molecule->compound->atom_count * 3;
    for (size_t i = 0; i < choice->candidate_count && choice->count < options->keep; i++) {
        const candidate *next = &choice->candidates[i];
        double *here = choice->positions + (size_t)choice->count * floats;
        bool unlike = true;
        qn_screen_pose_positions(choice->run, choice->molecule, next->conformer, next->pose.number, here);
        for (int other = 0; other < choice->count && unlike; other++)
            unlike = qn_symmetry_rmsd_angstrom(&choice->symmetry, choice->positions + (size_t)other * floats, here) >
                     options->diversity_angstrom;
        if (unlike) choice->chosen[choice->count++] = *next;
    }
}

/* Compute energy and terms in double precision. `heavy`: positions of the ligand's heavy atoms in their order. */
static void find_energy(const qn_screen_state *run, const qn_score_ligand *ligand, const double *heavy,
                        qn_screen_kept *kept)
{
    const qn_score_receptor *receptor = &run->receptor;
    const size_t atoms = (size_t)ligand->atom_count;
    if (run->score.kind == QN_SCORE_VINA) {
        qn_vina_energy energy;
        qn_vina_energy_of(heavy, ligand->type, atoms, ligand->rotatable_bonds, receptor->positions_angstrom,
                          receptor->types, receptor->atom_count, &energy);
        /* divided as the total is, so that the terms add up to the energy */
        const double share = 1 / (1 + QN_VINA_TORSION * ligand->rotatable_bonds);
        const double terms[] = {energy.gauss1 * share, energy.gauss2 * share, energy.repulsion * share,
                                energy.hydrophobic * share, energy.hydrogen_bond * share};
        kept->energy = energy.total;
        memcpy(kept->terms, terms, sizeof terms);
        return;
    }
    qn_bude_energy energy;
    qn_bude_energy_of(run->score.force_field, heavy, ligand->type, atoms, receptor->positions_angstrom, receptor->types,
                      receptor->atom_count, &energy);
    const double terms[] = {energy.steric, energy.charge, energy.desolvation};
    kept->energy = energy.total;
    memcpy(kept->terms, terms, sizeof terms);
}

/* Heavy atoms with their types. */
typedef struct typed_atoms {
    const double *positions; /* count × 3 (Å) */
    const int *types;
    size_t count;
} typed_atoms;

/* Count clashes of the ligand with other atoms, and find the least distance from them if it is less than before. */
static void add_fit(const qn_ligand_score *score, const typed_atoms *ligand, const typed_atoms *others,
                    qn_screen_kept *kept)
{
    const double longest = 2 * QN_LIGAND_CLASH_SHARE * qn_ligand_largest_radius_angstrom(score);
    double least = INFINITY;
    for (size_t i = 0; i < ligand->count; i++) {
        const double *at = ligand->positions + 3 * i;
        for (size_t j = 0; j < others->count; j++) {
            const double *other = others->positions + 3 * j;
            const double dx = at[0] - other[0], dy = at[1] - other[1], dz = at[2] - other[2];
            const double square = dx * dx + dy * dy + dz * dz;
            least = square < least ? square : least;
            if (square > longest * longest) continue;
            const double reach = qn_ligand_clash_angstrom(score, ligand->types[i], others->types[j]);
            kept->clashes += square < reach * reach;
        }
    }
    kept->least_distance_angstrom = fmin(kept->least_distance_angstrom, sqrt(least));
}

/* Count clashes and find the least distance from the receptor. */
static void find_fit(const qn_screen_state *run, const typed_atoms *ligand, qn_screen_kept *kept)
{
    const qn_score_receptor *receptor = &run->receptor;
    const typed_atoms others = {receptor->positions_angstrom, receptor->types, receptor->atom_count};
    kept->least_distance_angstrom = INFINITY;
    add_fit(&run->score, ligand, &others, kept);
}

static void describe(const pose_choice *choice, int index, double *heavy, qn_screen_kept *kept)
{
    const qn_score_ligand *ligand = &choice->molecule->ligand;
    const candidate *chosen = &choice->chosen[index];
    const double *positions = choice->positions + (size_t)index * choice->molecule->compound->atom_count * 3;
    memset(kept, 0, sizeof *kept);
    kept->conformer = chosen->conformer;
    memcpy(kept->number, chosen->pose.number, sizeof kept->number);
    for (int i = 0; i < ligand->atom_count; i++)
        memcpy(heavy + 3 * (size_t)i, positions + 3 * (size_t)ligand->atom[i], 3 * sizeof *heavy);
    find_energy(choice->run, ligand, heavy, kept);
    find_fit(choice->run, &(typed_atoms){heavy, ligand->type, (size_t)ligand->atom_count}, kept);
}

/* Sort again, stably: nearly equal energies may have another order in double precision than on the device. */
static void sort_kept(qn_screen_kept *kept, int count)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && kept[j].energy < kept[j - 1].energy; j--) {
            qn_screen_kept lower = kept[j];
            kept[j] = kept[j - 1];
            kept[j - 1] = lower;
        }
}

static qn_status choose_and_describe(pose_choice *choice, const qn_screen_pose *poses, qn_screen_kept *kept)
{
    const qn_screen_molecule *molecule = choice->molecule;
    const int keep = choice->run->options->keep;
    void *memory;
    QN_TRY(list_candidates(choice, poses));
    if (choice->candidate_count == 0)
        return QN_FAIL(QN_INTERNAL, "molecule %llu (%s) has no pose of finite energy",
                       (unsigned long long)molecule->index, molecule->name);
    QN_TRY(qn_allocate((size_t)keep * molecule->compound->atom_count * 3, sizeof(double), &memory));
    choice->positions = memory;
    if (keep > 1) QN_TRY(qn_symmetry_find(molecule->compound, MAPPINGS_MAX, &choice->symmetry, NULL));
    choose(choice);
    QN_TRY(qn_allocate((size_t)molecule->ligand.atom_count * 3, sizeof(double), &memory));
    for (int i = 0; i < choice->count; i++) describe(choice, i, memory, &kept[i]);
    qn_release(&memory);
    sort_kept(kept, choice->count);
    return QN_OK;
}

qn_status qn_screen_poses_choose(const qn_screen_state *run, const qn_screen_molecule *molecule,
                                 const qn_screen_pose *poses, qn_screen_kept kept[QN_SCREEN_KEPT_MAX], int *count)
{
    pose_choice choice = {.run = run, .molecule = molecule};
    qn_status status = choose_and_describe(&choice, poses, kept);
    *count = choice.count;
    qn_symmetry_clear(&choice.symmetry);
    qn_release(&choice.candidates);
    qn_release(&choice.positions);
    return status;
}

/* ---- Flexible molecules ---- */

static void describe_flexible(const qn_screen_state *run, const qn_flexible_tree *tree,
                              const qn_flexible_result *result, qn_screen_kept *kept)
{
    double origins[3 * QN_FLEXIBLE_PIECES_MAX], rotations[9 * QN_FLEXIBLE_PIECES_MAX];
    double heavy[3 * QN_FLEXIBLE_ATOMS_MAX];
    const double terms[] = {result->inter, result->intra, result->torsional, result->unbound};
    memset(kept, 0, sizeof *kept);
    kept->energy = result->energy;
    memcpy(kept->terms, terms, sizeof terms);
    qn_flexible_frames(tree, &result->pose, origins, rotations);
    qn_flexible_positions(tree, origins, rotations, tree->heavy_count, heavy);
    const int own = tree->ligand_count, all = tree->heavy_count;
    const typed_atoms ligand = {heavy, tree->type, (size_t)own};
    const typed_atoms sides = {heavy + 3 * own, tree->type + own, (size_t)(all - own)};
    find_fit(run, &ligand, kept);
    add_fit(&run->score, &ligand, &sides, kept);
}

/* Refine the best poses of a search, and keep those that differ when equivalent atoms may change places. */
static qn_status refine(const qn_screen_state *run, const qn_screen_molecule *molecule, qn_flexible_pose *found,
                        double *found_energies, qn_flexible_result results[QN_SCREEN_KEPT_MAX], int *count)
{
    const qn_screen_options *options = run->options;
    const qn_flexible_tree *tree = &molecule->tree;
    qn_flexible_symmetry symmetry = {0};
    qn_status status = qn_flexible_symmetry_find(molecule->compound, tree, &symmetry);
    if (status == QN_OK)
        status = qn_flexible_refine(tree, &symmetry, run->sorted, found, found_energies, options->walkers,
                                    options->diversity_angstrom, options->keep, results, count);
    qn_flexible_symmetry_clear(&symmetry);
    return status;
}

qn_status qn_screen_poses_dock(const qn_screen_state *run, const qn_screen_molecule *molecule, qn_flexible_pose *found,
                               double *found_energies, qn_screen_kept kept[QN_SCREEN_KEPT_MAX],
                               qn_flexible_pose states[QN_SCREEN_KEPT_MAX], int *count)
{
    const qn_screen_options *options = run->options;
    qn_flexible_result results[QN_SCREEN_KEPT_MAX];
    *count = 1;
    if (found)
        QN_TRY(refine(run, molecule, found, found_energies, results, count));
    else if (options->score_only)
        qn_flexible_score_given(&molecule->tree, run->sorted, options->types == QN_SCREEN_TYPES_FILE, results);
    else
        qn_flexible_minimise_given(&molecule->tree, run->sorted, results);
    for (int i = 0; i < *count; i++) {
        describe_flexible(run, &molecule->tree, &results[i], &kept[i]);
        states[i] = results[i].pose;
    }
    return QN_OK;
}
