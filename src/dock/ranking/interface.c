#include "dock/ranking/interface.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "score/pair_potential.h"

static const double contact_angstrom = 5, near_pair_angstrom = 5, bond_angstrom = 3.6, bridge_angstrom = 5,
                    bridge_far_angstrom = 7.5, bury_angstrom = 6, satisfy_angstrom = 4;

/* Shortest overlaps of the radii of two atoms that are counted. */
static const double overlap_slight = 0.5, overlap_moderate = 1.0, overlap_deep = 1.8;

/* Largest repulsion of two atoms in units of their attraction: neighbouring side chains would move. */
static const double repulsion_most = 5;

/* Number of the partner's heavy atoms within 6 Å from which on an atom is buried. */
enum { BURIED_LEAST = 10 };

const char *const qn_interface_measure_names[QN_INTERFACE_MEASURES] = {
    "contacts",      "near_contacts", "overlaps_slight", "overlaps_moderate", "overlaps_deep",       "dispersion",
    "repulsion",     "pair_full",     "pair_near",       "bonds_backbone",    "bonds_mixed",         "bonds_side",
    "bridges",       "bridges_far",   "like_charges",    "unsatisfied_polar", "unsatisfied_charged", "area_apolar",
    "area_aromatic", "area_polar",    "area_positive",   "area_negative",     "residues_receptor",   "residues_ligand",
    "residue_pairs", "loop_share"};

/* State of an atom in a pose. */
typedef struct burial {
    double share; /* of its area that stays accessible */
    int near;     /* the partner's atoms within 6 Å */
    bool satisfied;
} burial;

struct qn_interface_scratch {
    double energies[QN_ATOM_TYPES][QN_ATOM_TYPES]; /* of the pair potential, all terms */
    burial *receptor;                              /* of each atom */
    bool *touched;                                 /* whether an atom is in `list` */
    size_t *list, count;                           /* touched atoms of the receptor */
    size_t *partner;                               /* of each receptor residue: 1 + last ligand residue in contact */
    bool *inside[2];                               /* residues in the interface: receptor, ligand */
    size_t receptor_residues, ligand_residues;
};

static qn_status allocate_scratch(const qn_surface *receptor, const qn_surface *ligand, qn_interface_scratch *scratch)
{
    void *memory;
    QN_TRY(qn_allocate(receptor->atom_count, sizeof *scratch->receptor, &memory));
    scratch->receptor = memory;
    QN_TRY(qn_allocate(receptor->atom_count, sizeof *scratch->touched, &memory));
    scratch->touched = memory;
    QN_TRY(qn_allocate(receptor->atom_count, sizeof *scratch->list, &memory));
    scratch->list = memory;
    QN_TRY(qn_allocate(receptor->residue_count, sizeof *scratch->partner, &memory));
    scratch->partner = memory;
    QN_TRY(qn_allocate(receptor->residue_count, sizeof(bool), &memory));
    scratch->inside[0] = memory;
    QN_TRY(qn_allocate(ligand->residue_count, sizeof(bool), &memory));
    scratch->inside[1] = memory;
    scratch->receptor_residues = receptor->residue_count;
    scratch->ligand_residues = ligand->residue_count;
    return QN_OK;
}

qn_status qn_interface_scratch_create(const qn_surface *receptor, const qn_surface *ligand, qn_interface_scratch **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_interface_scratch), &memory));
    qn_interface_scratch *scratch = memory;
    for (int a = 0; a < QN_ATOM_TYPES; a++)
        for (int b = 0; b < QN_ATOM_TYPES; b++) scratch->energies[a][b] = qn_pair_energy(a, b, QN_ATOM_TYPES);
    const qn_status status = allocate_scratch(receptor, ligand, scratch);
    *out = scratch;
    if (status != QN_OK) qn_interface_scratch_destroy(out);
    return status;
}

void qn_interface_scratch_destroy(qn_interface_scratch **pointer)
{
    qn_interface_scratch *scratch = *pointer;
    if (!scratch) return;
    qn_release(&scratch->receptor);
    qn_release(&scratch->touched);
    qn_release(&scratch->list);
    qn_release(&scratch->partner);
    qn_release(&scratch->inside[0]);
    qn_release(&scratch->inside[1]);
    qn_release(pointer);
}

/* Work on one ligand atom. */
typedef struct visit {
    const qn_surface *receptor;
    const qn_surface_atom *atom;
    const double *place;
    burial *burial; /* of the ligand atom */
    qn_interface_scratch *scratch;
    qn_interface *interface;
    qn_status status;
} visit;

/* Soft contact energy of two atoms whose radii add up to σ, with its minimum of −1 at σ: the 12-6 form
 * (σ/d)¹² − 2 (σ/d)⁶, split at σ as in Weeks, Chandler and Andersen (1971). */
static void add_contact_energy(double distance, double sigma, double *measures)
{
    if (distance >= sigma) {
        const double third = sigma * sigma * sigma / (distance * distance * distance), sixth = third * third;
        measures[QN_INTERFACE_DISPERSION] += sixth * sixth - 2 * sixth;
        return;
    }
    const double close = fmax(distance, sigma / 2), third = sigma * sigma * sigma / (close * close * close);
    const double sixth = third * third;
    measures[QN_INTERFACE_DISPERSION] -= 1;
    measures[QN_INTERFACE_REPULSION] += fmin(repulsion_most, sixth * sixth - 2 * sixth + 1);
}

static void add_overlap(double overlap, double *measures)
{
    measures[QN_INTERFACE_OVERLAPS_SLIGHT] += overlap > overlap_slight;
    measures[QN_INTERFACE_OVERLAPS_MODERATE] += overlap > overlap_moderate;
    measures[QN_INTERFACE_OVERLAPS_DEEP] += overlap > overlap_deep;
}

static bool is_charged(const qn_surface_atom *atom)
{
    return atom->kind == QN_SURFACE_POSITIVE || atom->kind == QN_SURFACE_NEGATIVE;
}

static void add_polar(const qn_surface_atom *a, const qn_surface_atom *b, double distance, burial *of_a, burial *of_b,
                      double *measures)
{
    if (is_charged(a) && is_charged(b)) {
        if (a->kind != b->kind) {
            measures[QN_INTERFACE_BRIDGES] += distance < bridge_angstrom;
            measures[QN_INTERFACE_BRIDGES_FAR] += distance < bridge_far_angstrom;
        } else {
            measures[QN_INTERFACE_LIKE_CHARGES] += distance < bridge_far_angstrom;
        }
    }
    if (!((a->donor && b->acceptor) || (a->acceptor && b->donor))) return;
    if (distance < satisfy_angstrom) of_a->satisfied = of_b->satisfied = true;
    if (distance < bond_angstrom)
        measures[a->backbone && b->backbone   ? QN_INTERFACE_BONDS_BACKBONE
                 : a->backbone != b->backbone ? QN_INTERFACE_BONDS_MIXED
                                              : QN_INTERFACE_BONDS_SIDE]++;
}

static qn_status touch_residues(visit *at, size_t receptor_residue)
{
    const size_t ligand_residue = at->atom->residue;
    qn_interface *into = at->interface;
    if (at->scratch->partner[receptor_residue] == ligand_residue + 1) return QN_OK;
    at->scratch->partner[receptor_residue] = ligand_residue + 1;
    at->scratch->inside[0][receptor_residue] = at->scratch->inside[1][ligand_residue] = true;
    void *memory = into->pairs;
    const qn_status status = qn_grow(&memory, &into->pair_capacity, into->pair_count + 1, sizeof *into->pairs);
    into->pairs = memory;
    QN_TRY(status);
    into->pairs[into->pair_count++] = (qn_residue_pair){(uint32_t)receptor_residue, (uint32_t)ligand_residue};
    return QN_OK;
}

static void add_types(const visit *at, const qn_surface_atom *other, double distance)
{
    const int a = other->type, b = at->atom->type;
    if (a < 0 || b < 0 || distance >= QN_PAIR_RANGE_ANGSTROM) return;
    at->interface->type_pairs[qn_pair_index(a, b)]++;
    at->interface->measures[QN_INTERFACE_PAIR] += at->scratch->energies[a][b];
    if (distance < near_pair_angstrom) at->interface->measures[QN_INTERFACE_PAIR_NEAR] += at->scratch->energies[a][b];
}

static burial *burial_of(qn_interface_scratch *scratch, size_t index)
{
    if (!scratch->touched[index]) {
        scratch->touched[index] = true;
        scratch->list[scratch->count++] = index;
        scratch->receptor[index] = (burial){.share = 1};
    }
    return &scratch->receptor[index];
}

static void meet(size_t index, void *user)
{
    const double scale_apart = 0.3516;
    visit *at = user;
    const qn_surface_atom *other = &at->receptor->atoms[index];
    double *measures = at->interface->measures, squared = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double apart = at->place[axis] - other->position_angstrom[axis];
        squared += apart * apart;
    }
    const double distance = fmax(sqrt(squared), 0.5), sigma = at->atom->radius_angstrom + other->radius_angstrom;
    burial *of_other = burial_of(at->scratch, index);
    measures[QN_INTERFACE_NEAR_CONTACTS]++;
    add_contact_energy(distance, sigma, measures);
    add_types(at, other, distance);
    if ((at->atom->donor || at->atom->acceptor) && (other->donor || other->acceptor))
        add_polar(at->atom, other, distance, at->burial, of_other, measures);
    if (distance < bury_angstrom) {
        at->burial->near++;
        of_other->near++;
    }
    at->burial->share *= qn_surface_share_left(at->atom, other, distance, scale_apart);
    of_other->share *= qn_surface_share_left(other, at->atom, distance, scale_apart);
    if (distance >= contact_angstrom) return;
    measures[QN_INTERFACE_CONTACTS]++;
    add_overlap(sigma - distance, measures);
    if (at->status == QN_OK) at->status = touch_residues(at, other->residue);
}

static void add_burial(const qn_surface_atom *atom, const burial *of, double *measures)
{
    measures[QN_INTERFACE_AREA_APOLAR + (int)atom->kind] += atom->area_angstrom2 * (1 - of->share);
    if (of->satisfied || of->near < BURIED_LEAST || !(atom->donor || atom->acceptor)) return;
    measures[is_charged(atom) ? QN_INTERFACE_UNSATISFIED_CHARGED : QN_INTERFACE_UNSATISFIED_POLAR]++;
}

/* Count the residues in the interface, and forget them in the scratch. */
static void count_residues(const qn_surface *surface, bool *inside, qn_interface *interface, double *count,
                           double *in_loops)
{
    for (size_t r = 0; r < surface->residue_count; r++) {
        if (!inside[r]) continue;
        inside[r] = false;
        ++*count;
        if (surface->loop && surface->loop[r]) ++*in_loops;
        if (surface->amino[r] >= 0) interface->amino_counts[surface->amino[r]]++;
    }
}

static void finish(const qn_surface *receptor, const qn_surface *ligand, qn_interface_scratch *scratch,
                   qn_interface *interface)
{
    double *measures = interface->measures, loops[2] = {0};
    for (size_t i = 0; i < scratch->count; i++) {
        const size_t index = scratch->list[i];
        add_burial(&receptor->atoms[index], &scratch->receptor[index], measures);
        scratch->touched[index] = false;
    }
    scratch->count = 0;
    count_residues(receptor, scratch->inside[0], interface, &measures[QN_INTERFACE_RESIDUES_RECEPTOR], &loops[0]);
    count_residues(ligand, scratch->inside[1], interface, &measures[QN_INTERFACE_RESIDUES_LIGAND], &loops[1]);
    measures[QN_INTERFACE_RESIDUE_PAIRS] = (double)interface->pair_count;
    const double of_antibody = (receptor->loop ? measures[QN_INTERFACE_RESIDUES_RECEPTOR] : 0) +
                               (ligand->loop ? measures[QN_INTERFACE_RESIDUES_LIGAND] : 0);
    measures[QN_INTERFACE_LOOP_SHARE] = of_antibody > 0 ? (loops[0] + loops[1]) / of_antibody : 0;
    for (size_t i = 0; i < interface->pair_count; i++) {
        const int a = receptor->amino[interface->pairs[i].receptor], b = ligand->amino[interface->pairs[i].ligand];
        scratch->partner[interface->pairs[i].receptor] = 0;
        if (a >= 0 && b >= 0) interface->amino_pairs[qn_pair_index(a, b)]++;
    }
}

qn_status qn_interface_measure_pose(const qn_surface *receptor, const qn_surface *ligand, const double matrix[9],
                                    const double translation[3], qn_interface_scratch *scratch, qn_interface *interface)
{
    qn_residue_pair *pairs = interface->pairs;
    const size_t capacity = interface->pair_capacity;
    *interface = (qn_interface){.pairs = pairs, .pair_capacity = capacity};
    visit at = {.receptor = receptor, .scratch = scratch, .interface = interface};
    for (size_t i = 0; i < ligand->atom_count && at.status == QN_OK; i++) {
        double place[3];
        burial of = {.share = 1};
        qn_rotation_apply(matrix, ligand->atoms[i].position_angstrom, place);
        for (int axis = 0; axis < 3; axis++) place[axis] += translation[axis];
        at.atom = &ligand->atoms[i];
        at.place = place;
        at.burial = &of;
        qn_neighbour_grid_each(receptor->near, place, meet, &at);
        if (of.share < 1 || of.near > 0) add_burial(&ligand->atoms[i], &of, interface->measures);
    }
    QN_TRY(at.status);
    finish(receptor, ligand, scratch, interface);
    return QN_OK;
}

void qn_interface_clear(qn_interface *interface)
{
    qn_release(&interface->pairs);
}
