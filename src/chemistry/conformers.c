/* Conformers by drawing torsion angles: the largest rigid part keeps its place, and the parts beyond each bond rotate.
 * Every arrangement is made from the first conformer by one rotation for each bond, so that errors do not
 * accumulate. */
#include "chemistry/conformers.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "chemistry/conformer_checks.h"
#include "chemistry/symmetry.h"
#include "chemistry/torsions.h"
#include "math/random.h"
#include "math/superpose.h"

enum {
    ATOMS_MAX = 4096,  /* its pairs fill 128 MiB */
    MAPPINGS_MAX = 72, /* symmetry mappings: enough for three rotating groups */
    REPAIRS = 24,      /* torsions redrawn, one at a time, before an arrangement that clashes is abandoned */
    EASING = 8, /* repairs in which the spread grows by its own width: crowded bonds lie far from the usual minima */
    DEFAULT_TRIES = 50,
};
static const double default_diversity_angstrom = 0.8, default_clash_share = 0.75;

typedef struct torsion_sampler {
    qn_compound *compound;
    qn_conformer_options options;
    qn_compound_neighbours near;
    qn_rings rings;
    qn_symmetry symmetry;
    qn_conformer_checks checks;
    qn_torsion *torsions; /* in the order of their rotation: outer ones first */
    size_t torsion_count;
    int *part;           /* rigid part of each atom; −1: of another molecule of the record */
    int *level;          /* number of bonds between an atom and the root */
    bool *turns;         /* per bond */
    bool *moved;         /* [torsion][atom] */
    double *angle;       /* per torsion: drawn (degrees) */
    double *first_angle; /* per torsion: of the first conformer, 0 where angles are relative */
    double *kept;        /* [options.count][atom][3] */
    double *kept_radii;  /* [options.count][heavy atom]: from the centroid of the heavy atoms */
    double *trial;       /* [atom][3] */
    double *matched;     /* 2 × [heavy atom][3]: pairs to superpose */
    size_t kept_count;
    uint64_t drawn; /* random numbers used so far */
    void *numbers, *marks, *positions, *list;
} torsion_sampler;

static void sampler_clear(torsion_sampler *sampler)
{
    qn_conformer_checks_clear(&sampler->checks);
    qn_symmetry_clear(&sampler->symmetry);
    qn_rings_clear(&sampler->rings);
    qn_compound_neighbours_clear(&sampler->near);
    qn_release(&sampler->torsions);
    qn_release(&sampler->numbers);
    qn_release(&sampler->marks);
    qn_release(&sampler->positions);
    qn_release(&sampler->list);
}

static double draw(torsion_sampler *sampler)
{
    return qn_random_uniform(sampler->options.seed, sampler->options.stream, sampler->drawn++);
}

/* Set `number` in `labels` for all atoms connected with `atom` without crossing a bond that `barred` marks (NULL:
 * none); returns their number. `queue` has room for all atoms. */
static int spread_label(const torsion_sampler *sampler, int atom, const bool *barred, int number, int *labels,
                        int *queue)
{
    int count = 1;
    queue[0] = atom;
    labels[atom] = number;
    for (int read = 0; read < count; read++)
        for (size_t k = sampler->near.start[queue[read]]; k < sampler->near.start[queue[read] + 1]; k++) {
            const int next = sampler->near.neighbour[k];
            if (labels[next] == number || (barred && barred[sampler->near.bond[k]])) continue;
            labels[next] = number;
            queue[count++] = next;
        }
    return count;
}

/* Find the rigid parts; returns an atom of the largest one, the root. */
static int find_parts(torsion_sampler *sampler, int *queue)
{
    const int atoms = (int)sampler->compound->atom_count;
    int root = 0, largest = 0, parts = 0;
    for (int i = 0; i < atoms; i++) sampler->part[i] = -1;
    for (int i = 0; i < atoms; i++) {
        if (sampler->part[i] >= 0) continue;
        const int size = spread_label(sampler, i, sampler->turns, parts++, sampler->part, queue);
        if (size <= largest) continue;
        largest = size;
        root = i;
    }
    return root;
}

/* Parts that no bond connects with the root's molecule lose their number, and torsions of other molecules are removed.
 * Levels are counted from the root, and torsions are ordered from the outermost inwards: the part that a bond rotates
 * then has its final shape.
 */
static void order_torsions(torsion_sampler *sampler, int root, int *queue)
{
    const size_t atoms = sampler->compound->atom_count;
    for (size_t i = 0; i < atoms; i++) sampler->level[i] = -1;
    sampler->level[root] = 0;
    int count = 0, deepest = 0;
    queue[count++] = root;
    for (int read = 0; read < count; read++)
        for (size_t k = sampler->near.start[queue[read]]; k < sampler->near.start[queue[read] + 1]; k++) {
            const int next = sampler->near.neighbour[k];
            if (sampler->level[next] >= 0) continue;
            sampler->level[next] = sampler->level[queue[read]] + 1;
            if (sampler->level[next] > deepest) deepest = sampler->level[next];
            queue[count++] = next;
        }
    for (size_t i = 0; i < atoms; i++)
        if (sampler->level[i] < 0) sampler->part[i] = -1;
    size_t placed = 0;
    for (int level = deepest; level > 0; level--)
        for (size_t t = placed; t < sampler->torsion_count; t++) {
            qn_torsion torsion = sampler->torsions[t];
            const int a = sampler->level[torsion.atom[1]], b = sampler->level[torsion.atom[2]];
            if (a < 0 || (a > b ? a : b) != level) continue;
            if (a > b)
                torsion.atom[0] = sampler->torsions[t].atom[3], torsion.atom[1] = sampler->torsions[t].atom[2],
                torsion.atom[2] = sampler->torsions[t].atom[1], torsion.atom[3] = sampler->torsions[t].atom[0];
            memmove(sampler->torsions + placed + 1, sampler->torsions + placed, (t - placed) * sizeof torsion);
            sampler->torsions[placed++] = torsion;
        }
    sampler->torsion_count = placed;
}

/* Find the atoms beyond each torsion, seen from the root: those reached from its far end without crossing its bond. */
static void find_moved(torsion_sampler *sampler, int *labels, int *queue)
{
    const size_t atoms = sampler->compound->atom_count, bonds = sampler->compound->bond_count;
    bool *barred =
        sampler->moved + sampler->torsion_count * atoms; /* the flags of the bonds follow those of the atoms */
    memset(barred, 0, bonds * sizeof *barred);
    for (size_t i = 0; i < atoms; i++) labels[i] = -1;
    for (size_t t = 0; t < sampler->torsion_count; t++) {
        barred[sampler->torsions[t].bond] = true;
        const int count = spread_label(sampler, sampler->torsions[t].atom[2], barred, (int)t, labels, queue);
        barred[sampler->torsions[t].bond] = false;
        for (int i = 0; i < count; i++) sampler->moved[t * atoms + (size_t)queue[i]] = true;
    }
}

static qn_status find_tree(torsion_sampler *sampler)
{
    const size_t atoms = sampler->compound->atom_count, bonds = sampler->compound->bond_count;
    void *memory;
    QN_TRY(qn_allocate(3 * atoms, sizeof(int), &sampler->numbers));
    QN_TRY(qn_allocate(sampler->torsion_count * atoms + 2 * bonds, sizeof(bool), &sampler->marks));
    sampler->part = sampler->numbers;
    sampler->level = sampler->part + atoms;
    sampler->turns = sampler->marks;
    sampler->moved = sampler->turns + bonds;
    for (size_t t = 0; t < sampler->torsion_count; t++) sampler->turns[sampler->torsions[t].bond] = true;
    QN_TRY(qn_allocate(atoms, sizeof(int), &memory));
    const int root = find_parts(sampler, memory);
    order_torsions(sampler, root, memory);
    find_moved(sampler, sampler->level + atoms, memory);
    qn_release(&memory);
    return QN_OK;
}

static qn_status make_room(torsion_sampler *sampler)
{
    const size_t coordinates = 3 * sampler->compound->atom_count, heavy = sampler->symmetry.atom_count;
    const size_t torsions = sampler->torsion_count, kept = sampler->options.count;
    QN_TRY(qn_allocate(kept, (coordinates + heavy) * sizeof(double), &sampler->positions));
    QN_TRY(qn_allocate(coordinates + 6 * heavy + 2 * torsions, sizeof(double), &sampler->list));
    sampler->kept = sampler->positions;
    sampler->kept_radii = sampler->kept + kept * coordinates;
    sampler->trial = sampler->list;
    sampler->matched = sampler->trial + coordinates;
    sampler->angle = sampler->matched + 6 * heavy;
    sampler->first_angle = sampler->angle + torsions;
    return QN_OK;
}

static qn_status sampler_create(qn_compound *compound, const qn_conformer_options *options, torsion_sampler *sampler)
{
    sampler->compound = compound;
    sampler->options = *options;
    if (!(options->diversity_angstrom > 0)) sampler->options.diversity_angstrom = default_diversity_angstrom;
    if (!(options->clash_share > 0)) sampler->options.clash_share = default_clash_share;
    if (options->tries <= 0) sampler->options.tries = DEFAULT_TRIES;
    QN_TRY(qn_compound_find_neighbours(compound, &sampler->near));
    QN_TRY(qn_rings_find(compound, &sampler->near, &sampler->rings));
    QN_TRY(qn_torsions_find(compound, &sampler->near, &sampler->rings, &sampler->torsions, &sampler->torsion_count));
    if (sampler->torsion_count == 0) return QN_OK;
    QN_TRY(find_tree(sampler));
    QN_TRY(qn_symmetry_find(compound, MAPPINGS_MAX, &sampler->symmetry, NULL));
    QN_TRY(make_room(sampler));
    return qn_conformer_checks_create(compound, &sampler->near, &sampler->rings, sampler->part, sampler->turns,
                                      sampler->options.clash_share, &sampler->checks);
}

/* Rodrigues' rotation of marked points about the axis from `tail` to `head`. */
static void turn(double *positions, const bool *moved, size_t atoms, int tail, int head, double degrees)
{
    const double radians = degrees * (3.14159265358979323846 / 180), cosine = cos(radians), sine = sin(radians);
    double k[3], origin[3], length = 0;
    for (int axis = 0; axis < 3; axis++) {
        origin[axis] = positions[3 * head + axis];
        k[axis] = origin[axis] - positions[3 * tail + axis];
        length += k[axis] * k[axis];
    }
    length = sqrt(length);
    if (!(length > 0)) return;
    for (int axis = 0; axis < 3; axis++) k[axis] /= length;
    for (size_t i = 0; i < atoms; i++) {
        if (!moved[i]) continue;
        double *x = positions + 3 * i, v[3];
        for (int axis = 0; axis < 3; axis++) v[axis] = x[axis] - origin[axis];
        const double along = (k[0] * v[0] + k[1] * v[1] + k[2] * v[2]) * (1 - cosine);
        for (int axis = 0; axis < 3; axis++) {
            const int y = (axis + 1) % 3, z = (axis + 2) % 3;
            x[axis] = origin[axis] + v[axis] * cosine + (k[y] * v[z] - k[z] * v[y]) * sine + k[axis] * along;
        }
    }
}

/* Draw the angle of a torsion. `leeway` widens the spread. */
static void draw_angle(torsion_sampler *sampler, size_t torsion, double leeway)
{
    const qn_torsion_kind *kind = sampler->torsions[torsion].kind;
    const int choice = (int)(draw(sampler) * kind->count);
    const double from_minimum = (draw(sampler) + draw(sampler) - 1) * kind->spread_degrees * leeway;
    sampler->angle[torsion] = kind->minima_degrees[choice] + from_minimum;
}

static void build(torsion_sampler *sampler)
{
    const size_t atoms = sampler->compound->atom_count;
    memcpy(sampler->trial, sampler->kept, 3 * atoms * sizeof(double));
    for (size_t t = 0; t < sampler->torsion_count; t++) {
        const qn_torsion *torsion = &sampler->torsions[t];
        turn(sampler->trial, sampler->moved + t * atoms, atoms, torsion->atom[1], torsion->atom[2],
             sampler->angle[t] - sampler->first_angle[t]);
    }
}

/* Redraw one of the torsions between two atoms; false when there is none. */
static bool redraw_between(torsion_sampler *sampler, const int atoms[2], double leeway)
{
    const size_t stride = sampler->compound->atom_count;
    size_t between = 0;
    for (size_t t = 0; t < sampler->torsion_count; t++)
        between += sampler->moved[t * stride + (size_t)atoms[0]] != sampler->moved[t * stride + (size_t)atoms[1]];
    if (between == 0) return false;
    size_t chosen = (size_t)(draw(sampler) * (double)between), t = 0;
    for (;; t++) {
        if (sampler->moved[t * stride + (size_t)atoms[0]] == sampler->moved[t * stride + (size_t)atoms[1]]) continue;
        if (chosen-- == 0) break;
    }
    draw_angle(sampler, t, leeway);
    return true;
}

/* Put an arrangement without clashes into `trial`; false when none was found. */
static bool arrange(torsion_sampler *sampler)
{
    int atoms[2];
    for (size_t t = 0; t < sampler->torsion_count; t++) draw_angle(sampler, t, 1);
    for (int repair = 0; repair <= REPAIRS; repair++) {
        build(sampler);
        if (!qn_conformer_checks_find(&sampler->checks, sampler->trial, atoms)) return true;
        if (!redraw_between(sampler, atoms, 1 + (double)repair / EASING)) return false;
    }
    return false;
}

/* Distances of the heavy atoms from their centroid. */
static void find_radii(const torsion_sampler *sampler, const double *positions, double *radii)
{
    const size_t heavy = sampler->symmetry.atom_count;
    double centre[3] = {0, 0, 0};
    for (size_t i = 0; i < heavy; i++)
        for (int axis = 0; axis < 3; axis++)
            centre[axis] += positions[3 * sampler->symmetry.atoms[i] + axis] / (double)heavy;
    for (size_t i = 0; i < heavy; i++) {
        const double *x = positions + 3 * sampler->symmetry.atoms[i];
        radii[i] = sqrt((x[0] - centre[0]) * (x[0] - centre[0]) + (x[1] - centre[1]) * (x[1] - centre[1]) +
                        (x[2] - centre[2]) * (x[2] - centre[2]));
    }
}

/* Find whether the superposed trial is nearer to conformer `other` than diversity_angstrom, under some mapping. The
 * centroids coincide after superposition, so the RMSD is at least that of the distances from the centroids. This bound
 * excludes most mappings. */
static qn_status is_near(torsion_sampler *sampler, size_t other, const double *radii, bool *near)
{
    const qn_symmetry *symmetry = &sampler->symmetry;
    const size_t heavy = symmetry->atom_count;
    const double *positions = sampler->kept + other * 3 * sampler->compound->atom_count;
    const double *other_radii = sampler->kept_radii + other * heavy;
    const double limit = sampler->options.diversity_angstrom;
    double *mobile = sampler->matched, *reference = mobile + 3 * heavy;
    *near = false;
    for (size_t m = 0; m < symmetry->count && !*near; m++) {
        const int *mapping = symmetry->mappings + m * heavy;
        double least = 0, rotation[9], translation[3], rmsd;
        for (size_t i = 0; i < heavy; i++)
            least += (radii[i] - other_radii[mapping[i]]) * (radii[i] - other_radii[mapping[i]]);
        if (least >= limit * limit * (double)heavy) continue;
        for (size_t i = 0; i < heavy; i++) {
            memcpy(mobile + 3 * i, sampler->trial + 3 * symmetry->atoms[i], 3 * sizeof(double));
            memcpy(reference + 3 * i, positions + 3 * symmetry->atoms[mapping[i]], 3 * sizeof(double));
        }
        QN_TRY(qn_superpose(mobile, reference, heavy, rotation, translation, &rmsd));
        *near = rmsd < limit;
    }
    return QN_OK;
}

static qn_status keep_if_new(torsion_sampler *sampler)
{
    const size_t coordinates = 3 * sampler->compound->atom_count, heavy = sampler->symmetry.atom_count;
    double *radii = sampler->kept_radii + sampler->kept_count * heavy;
    bool near = false;
    find_radii(sampler, sampler->trial, radii);
    for (size_t other = 0; other < sampler->kept_count && !near; other++) QN_TRY(is_near(sampler, other, radii, &near));
    if (near) return QN_OK;
    memcpy(sampler->kept + sampler->kept_count * coordinates, sampler->trial, coordinates * sizeof(double));
    sampler->kept_count++;
    return QN_OK;
}

static qn_status sample(torsion_sampler *sampler)
{
    const size_t coordinates = 3 * sampler->compound->atom_count;
    memcpy(sampler->kept, sampler->compound->positions_angstrom, coordinates * sizeof(double));
    find_radii(sampler, sampler->kept, sampler->kept_radii);
    sampler->kept_count = 1;
    for (size_t t = 0; t < sampler->torsion_count; t++)
        if (!sampler->torsions[t].kind->relative)
            sampler->first_angle[t] = qn_torsion_angle_degrees(sampler->torsions[t].atom, sampler->kept);
    const size_t tries = (sampler->options.count - 1) * (size_t)sampler->options.tries;
    for (size_t i = 0; i < tries && sampler->kept_count < sampler->options.count; i++)
        if (arrange(sampler)) QN_TRY(keep_if_new(sampler));
    return QN_OK;
}

static qn_status refuse_what_cannot_turn(const qn_compound *compound)
{
    if (compound->conformer_count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: conformers of a molecule without positions", compound->name);
    if (compound->flat)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: conformers of a flat drawing, positions in space are needed",
                       compound->name);
    if (compound->atom_count > ATOMS_MAX)
        return QN_FAIL(QN_UNSUPPORTED, "%s: conformers of %zu atoms, at most %d", compound->name, compound->atom_count,
                       ATOMS_MAX);
    for (size_t i = 0; i < 3 * compound->atom_count; i++)
        if (!isfinite(compound->positions_angstrom[i]))
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: the position of atom %zu is not finite", compound->name,
                           i / 3 + 1);
    return QN_OK;
}

qn_status qn_conformers_make(qn_compound *compound, const qn_conformer_options *options)
{
    QN_TRY(refuse_what_cannot_turn(compound));
    torsion_sampler sampler = {0};
    if (options->count < 2) return qn_compound_set_conformer_count(compound, 1);
    qn_status status = sampler_create(compound, options, &sampler);
    sampler.kept_count = 1;
    if (status == QN_OK && sampler.torsion_count > 0) status = sample(&sampler);
    if (status == QN_OK) status = qn_compound_set_conformer_count(compound, sampler.kept_count);
    if (status == QN_OK && sampler.kept_count > 1)
        memcpy(compound->positions_angstrom, sampler.kept,
               sampler.kept_count * 3 * compound->atom_count * sizeof(double));
    sampler_clear(&sampler);
    return status;
}
