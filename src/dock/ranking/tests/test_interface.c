/* Measures of interfaces, compared with sums over all pairs of atoms and with hand calculation. */
#include "dock/ranking/interface.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "math/random.h"
#include "math/rotation.h"
#include "score/pair_potential.h"

enum { POSES = 12 };

static qn_dock_partner receptor, ligand;
static qn_surface surfaces[2];

static void read_partners(void)
{
    CHECK_OK(qn_dock_partner_read(check_data("../../examples/1ppe/1PPE_r_b-matched.pdb"), 0, "receptor", &receptor));
    CHECK_OK(qn_dock_partner_read(check_data("../../examples/1ppe/1PPE_l_b-matched.pdb"), 0, "ligand", &ligand));
    CHECK_OK(qn_surface_create(&receptor, &surfaces[0]));
    CHECK_OK(qn_surface_create(&ligand, &surfaces[1]));
}

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* The native pose moved by a few Å. */
static void shift_of(uint64_t pose, double shift[3])
{
    for (uint64_t axis = 0; axis < 3; axis++) shift[axis] = 4 * (qn_random_uniform(9, pose, axis) - 0.5);
}

static double apart(const qn_surface_atom *a, const qn_surface_atom *b, const double shift[3])
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double difference = b->position_angstrom[axis] + shift[axis] - a->position_angstrom[axis];
        sum += difference * difference;
    }
    return sqrt(sum);
}

static bool is_one(qn_surface_kind kind)
{
    return kind == QN_SURFACE_POSITIVE || kind == QN_SURFACE_NEGATIVE;
}

static bool can_bond(const qn_surface_atom *a, const qn_surface_atom *b)
{
    return (a->donor && b->acceptor) || (b->donor && a->acceptor);
}

/* Add what one pair of atoms contributes. */
static void add_slow_pair(const qn_surface_atom *a, const qn_surface_atom *b, double distance, double *sums)
{
    const double sigma = a->radius_angstrom + b->radius_angstrom, ratio = sigma / distance;
    const double energy = pow(ratio, 12) - 2 * pow(ratio, 6);
    if (distance > 8) return;
    sums[QN_INTERFACE_NEAR_CONTACTS]++;
    sums[QN_INTERFACE_CONTACTS] += distance < 5;
    sums[QN_INTERFACE_DISPERSION] += distance < sigma ? -1 : energy;
    sums[QN_INTERFACE_REPULSION] += distance < sigma ? fmin(5, energy + 1) : 0;
    sums[QN_INTERFACE_OVERLAPS_SLIGHT] += sigma - distance > 0.5;
    sums[QN_INTERFACE_OVERLAPS_MODERATE] += sigma - distance > 1;
    sums[QN_INTERFACE_OVERLAPS_DEEP] += sigma - distance > 1.8;
    if (distance < 6.5) sums[QN_INTERFACE_PAIR] += qn_pair_energy(a->type, b->type, 18);
    if (distance < 5) sums[QN_INTERFACE_PAIR_NEAR] += qn_pair_energy(a->type, b->type, 18);
    if (can_bond(a, b) && distance < 3.6) sums[QN_INTERFACE_BONDS_BACKBONE + 2 - a->backbone - b->backbone]++;
    const bool both = is_one(a->kind) && is_one(b->kind),
               polar = (a->donor || a->acceptor) && (b->donor || b->acceptor);
    sums[QN_INTERFACE_BRIDGES] += both && polar && a->kind != b->kind && distance < 5;
    sums[QN_INTERFACE_BRIDGES_FAR] += both && polar && a->kind != b->kind && distance < 7.5;
    sums[QN_INTERFACE_LIKE_CHARGES] += both && polar && a->kind == b->kind && distance < 7.5;
}

/* Add the area and the missing bonds of one side's atoms. */
static void add_slow_burial(int side, const double shift[3], double *sums)
{
    const double back[3] = {-shift[0], -shift[1], -shift[2]};
    for (size_t i = 0; i < surfaces[side].atom_count; i++) {
        const qn_surface_atom *a = &surfaces[side].atoms[i];
        double share = 1;
        int near = 0;
        bool bonded = false;
        for (size_t j = 0; j < surfaces[!side].atom_count; j++) {
            const qn_surface_atom *b = &surfaces[!side].atoms[j];
            const double distance = apart(a, b, side ? back : shift), reach = a->radius_angstrom + 1.4;
            const double both = reach + b->radius_angstrom + 1.4;
            near += distance < 6;
            bonded = bonded || (can_bond(a, b) && distance < 4);
            if (distance < both)
                share *= fmax(0, 1 - 0.3516 * fmax(0, both - distance) *
                                         (1 + (b->radius_angstrom - a->radius_angstrom) / distance) / (4 * reach));
        }
        sums[QN_INTERFACE_AREA_APOLAR + (int)a->kind] += a->area_angstrom2 * (1 - share);
        if (near < 10 || bonded || !(a->donor || a->acceptor)) continue;
        sums[is_one(a->kind) ? QN_INTERFACE_UNSATISFIED_CHARGED : QN_INTERFACE_UNSATISFIED_POLAR]++;
    }
}

/* Count residues and their pairs. `touching` is [receptor][ligand]. */
static void add_slow_residues(const bool *touching, double *sums, int *amino_pairs)
{
    const size_t of_receptor = surfaces[0].residue_count, of_ligand = surfaces[1].residue_count;
    for (size_t r = 0; r < of_receptor; r++) {
        bool any = false;
        for (size_t l = 0; l < of_ligand; l++) {
            const bool touch = touching[r * of_ligand + l];
            any = any || touch;
            sums[QN_INTERFACE_RESIDUE_PAIRS] += touch;
            if (touch && surfaces[0].amino[r] >= 0 && surfaces[1].amino[l] >= 0)
                amino_pairs[qn_pair_index(surfaces[0].amino[r], surfaces[1].amino[l])]++;
        }
        sums[QN_INTERFACE_RESIDUES_RECEPTOR] += any;
    }
    for (size_t l = 0; l < of_ligand; l++) {
        bool any = false;
        for (size_t r = 0; r < of_receptor; r++) any = any || touching[r * of_ligand + l];
        sums[QN_INTERFACE_RESIDUES_LIGAND] += any;
    }
}

static void measure_slowly(const double shift[3], double *sums, int *amino_pairs, int *type_pairs)
{
    void *touching;
    const size_t of_ligand = surfaces[1].residue_count;
    CHECK_OK(qn_allocate(surfaces[0].residue_count * of_ligand, sizeof(bool), &touching));
    for (size_t i = 0; i < surfaces[0].atom_count; i++)
        for (size_t j = 0; j < surfaces[1].atom_count; j++) {
            const qn_surface_atom *a = &surfaces[0].atoms[i], *b = &surfaces[1].atoms[j];
            const double distance = apart(a, b, shift);
            add_slow_pair(a, b, fmax(distance, 0.5), sums);
            if (distance < 5) ((bool *)touching)[a->residue * of_ligand + b->residue] = true;
            if (distance < 6.5 && a->type >= 0 && b->type >= 0) type_pairs[qn_pair_index(a->type, b->type)]++;
        }
    add_slow_burial(0, shift, sums);
    add_slow_burial(1, shift, sums);
    add_slow_residues(touching, sums, amino_pairs);
    qn_release(&touching);
}

static void measures_are_those_of_all_pairs(void)
{
    qn_interface_scratch *scratch;
    qn_interface found = {0};
    CHECK_OK(qn_interface_scratch_create(&surfaces[0], &surfaces[1], &scratch));
    for (uint64_t pose = 0; pose < POSES; pose++) {
        double shift[3], sums[QN_INTERFACE_MEASURES] = {0};
        int amino_pairs[QN_AMINO_PAIRS] = {0}, type_pairs[QN_TYPE_PAIRS] = {0};
        shift_of(pose, shift);
        measure_slowly(shift, sums, amino_pairs, type_pairs);
        CHECK_OK(qn_interface_measure_pose(&surfaces[0], &surfaces[1], identity, shift, scratch, &found));
        for (int m = 0; m < QN_INTERFACE_MEASURES; m++) /* sums of a few thousand numbers in another order */
            CHECK_NEAR(found.measures[m], sums[m], 1e-9 * (1 + fabs(sums[m])));
        for (int p = 0; p < QN_AMINO_PAIRS; p++) CHECK(found.amino_pairs[p] == amino_pairs[p]);
        for (int p = 0; p < QN_TYPE_PAIRS; p++) CHECK(found.type_pairs[p] == type_pairs[p]);
    }
    qn_interface_clear(&found);
    qn_interface_scratch_destroy(&scratch);
}

/* The inhibitor of this complex binds trypsin as its substrates do: backbones form hydrogen bonds, nothing overlaps. */
static void the_native_interface_is_known(void)
{
    const double still[3] = {0};
    qn_interface_scratch *scratch;
    qn_interface found = {0};
    CHECK_OK(qn_interface_scratch_create(&surfaces[0], &surfaces[1], &scratch));
    CHECK_OK(qn_interface_measure_pose(&surfaces[0], &surfaces[1], identity, still, scratch, &found));
    CHECK(found.measures[QN_INTERFACE_OVERLAPS_DEEP] == 0);
    CHECK(found.measures[QN_INTERFACE_BONDS_BACKBONE] >= 3);
    qn_interface_clear(&found);
    qn_interface_scratch_destroy(&scratch);
}

static void pairs_have_one_index_each(void)
{
    bool seen[QN_AMINO_PAIRS] = {false};
    for (int a = 0; a < QN_AMINO_ACIDS; a++)
        for (int b = 0; b <= a; b++) {
            const int index = qn_pair_index(a, b);
            CHECK(index == qn_pair_index(b, a) && index < QN_AMINO_PAIRS && !seen[index]);
            seen[index] = true;
        }
}

int main(void)
{
    RUN(read_partners);
    RUN(pairs_have_one_index_each);
    RUN(measures_are_those_of_all_pairs);
    RUN(the_native_interface_is_known);
    for (int i = 0; i < 2; i++) qn_surface_clear(&surfaces[i]);
    qn_dock_partner_clear(&receptor);
    qn_dock_partner_clear(&ligand);
    return check_finish();
}
