/* The double-precision energy: gradients by central differences, independence of the root, hand calculation, and the
 * terms that AutoDock Vina 1.2.3 prints. */
#include "check.h"

#include <stdio.h>

#include "flexible/stated.h"
#include "flexible/tests/chains.h"
#include "flexible/tests/vina_terms.h"
#include "format/compound/compound_stream.h"

typedef struct scene {
    qn_compound *compound;
    qn_score_receptor receptor;
    qn_flexible_receptor *sorted;
    qn_flexible_tree tree;
} scene;

static bool scene_open(int torsions, int root, uint64_t *drawn, scene *s)
{
    *s = (scene){.compound = chain_make(torsions, drawn)};
    return s->compound && CHECK_OK(cloud_make(400, 24, drawn, &s->receptor)) &&
           CHECK_OK(qn_flexible_receptor_create(&s->receptor, &s->sorted)) &&
           CHECK_OK(qn_flexible_tree_create(s->compound, QN_FLEXIBLE_TYPES_FILE, root, &s->tree));
}

static void scene_close(scene *s)
{
    qn_flexible_tree_clear(&s->tree);
    qn_flexible_receptor_destroy(&s->sorted);
    qn_score_receptor_clear(&s->receptor);
    qn_compound_destroy(&s->compound);
}

static void check_gradient(const scene *s, const qn_flexible_pose *pose, double bend)
{
    double gradient[6 + QN_FLEXIBLE_TORSIONS_MAX], largest = 1;
    qn_flexible_energy energy;
    qn_flexible_evaluate(&s->tree, s->sorted, pose, bend, &energy, gradient);
    for (int i = 0; i < qn_flexible_freedoms(&s->tree); i++) largest = fmax(largest, fabs(gradient[i]));
    for (int i = 0; i < qn_flexible_freedoms(&s->tree); i++)
        CHECK_NEAR(gradient[i], derivative(&s->tree, s->sorted, pose, bend, i), 1e-7 * largest);
}

static void gradients_agree_with_differences(void)
{
    static const double bends[] = {QN_FLEXIBLE_STRAIGHT, QN_FLEXIBLE_SOFT, QN_FLEXIBLE_HARD};
    uint64_t drawn = 0;
    for (int torsions = 0; torsions <= 32; torsions += torsions < 5 ? 1 : 9)
        for (int b = 0; b < 3; b++) {
            scene s;
            qn_flexible_pose pose;
            if (scene_open(torsions, b - 1, &drawn, &s)) {
                pose_draw(&s.tree, &drawn, &pose);
                check_gradient(&s, &pose, bends[b]);
            }
            scene_close(&s);
        }
}

/* Energies belong to positions, not to the choice of the root. */
static void the_root_changes_no_energy(void)
{
    uint64_t drawn = 500;
    qn_flexible_energy first = {0};
    for (int root = 0; root < 24; root += 4) {
        uint64_t same = drawn;
        scene s;
        qn_flexible_pose pose;
        qn_flexible_energy energy;
        if (scene_open(7, root, &same, &s)) {
            qn_flexible_pose_given(&s.tree, &pose);
            qn_flexible_evaluate(&s.tree, s.sorted, &pose, QN_FLEXIBLE_SOFT, &energy, NULL);
            if (root == 0) first = energy;
            CHECK_NEAR(energy.inter.total, first.inter.total, 1e-9);
            CHECK_NEAR(energy.intra.total, first.intra.total, 1e-9);
            CHECK_NEAR(energy.bent, first.bent, 1e-9);
            CHECK(s.tree.pair_count > 100);
        }
        scene_close(&s);
    }
}

/* inter is the energy of rigid molecules, which other tests check; bending changes positive sums only. */
static void inter_is_that_of_rigid_molecules(void)
{
    uint64_t drawn = 900;
    scene s;
    qn_flexible_pose pose;
    qn_flexible_energy straight, hard;
    qn_vina_energy rigid;
    double heavy[3 * QN_FLEXIBLE_ATOMS_MAX], origins[3 * QN_FLEXIBLE_PIECES_MAX], turns[9 * QN_FLEXIBLE_PIECES_MAX];
    if (scene_open(12, -1, &drawn, &s)) {
        pose_draw(&s.tree, &drawn, &pose);
        qn_flexible_evaluate(&s.tree, s.sorted, &pose, QN_FLEXIBLE_STRAIGHT, &straight, NULL);
        qn_flexible_evaluate(&s.tree, s.sorted, &pose, QN_FLEXIBLE_HARD, &hard, NULL);
        qn_flexible_frames(&s.tree, &pose, origins, turns);
        qn_flexible_positions(&s.tree, origins, turns, s.tree.heavy_count, heavy);
        qn_vina_energy_of(heavy, s.tree.type, (size_t)s.tree.heavy_count, 0, s.receptor.positions_angstrom,
                          s.receptor.types, s.receptor.atom_count, &rigid);
        CHECK_NEAR(straight.inter.total, rigid.total, 1e-9);
        CHECK_NEAR(straight.inter.repulsion, rigid.repulsion, 1e-9);
        CHECK_NEAR(straight.inter.hydrogen_bond, rigid.hydrogen_bond, 1e-9);
        CHECK_NEAR(straight.bent, straight.inter.total + straight.intra.total, 1e-9);
        CHECK(hard.bent < straight.bent && hard.inter.total == straight.inter.total);
    }
    scene_close(&s);
}

/* A minimum: no lower energy nearby, and a gradient that is nearly 0. */
static void minimising_ends_in_a_minimum(void)
{
    uint64_t drawn = 2000;
    for (int torsions = 0; torsions <= 8; torsions += 4) {
        scene s;
        qn_flexible_pose pose;
        qn_flexible_energy before, after, near;
        double gradient[6 + QN_FLEXIBLE_TORSIONS_MAX];
        if (scene_open(torsions, -1, &drawn, &s)) {
            pose_draw(&s.tree, &drawn, &pose);
            qn_flexible_evaluate(&s.tree, s.sorted, &pose, QN_FLEXIBLE_HARD, &before, NULL);
            qn_flexible_minimise(&s.tree, s.sorted, QN_FLEXIBLE_HARD, 400, &pose, &after);
            qn_flexible_evaluate(&s.tree, s.sorted, &pose, QN_FLEXIBLE_HARD, &near, gradient);
            CHECK(after.bent < before.bent && after.bent == near.bent);
            for (int trial = 0; trial < 50; trial++) {
                double step[6 + QN_FLEXIBLE_TORSIONS_MAX];
                qn_flexible_pose moved;
                for (int i = 0; i < qn_flexible_freedoms(&s.tree); i++) step[i] = chain_draw(&drawn) - 0.5;
                qn_flexible_pose_step(&s.tree, &pose, step, 1e-3, &moved);
                qn_flexible_evaluate(&s.tree, s.sorted, &moved, QN_FLEXIBLE_HARD, &near, NULL);
                CHECK(near.bent > after.bent - 1e-4);
            }
        }
        scene_close(&s);
    }
}

/* Compare one pose; *exact and *table get the largest differences so far. */
static void compare(const vina_case *expected, const qn_score_receptor *receptor, qn_compound *compound, double *exact,
                    double *table)
{
    qn_flexible_receptor *sorted = NULL;
    qn_flexible_tree tree;
    qn_flexible_pose pose;
    qn_flexible_energy energy;
    qn_flexible_parts parts;
    if (!CHECK_OK(qn_flexible_tree_create(compound, QN_FLEXIBLE_TYPES_FILE, -1, &tree))) return;
    if (CHECK_OK(qn_flexible_receptor_create(receptor, &sorted))) {
        qn_flexible_pose_given(&tree, &pose);
        qn_flexible_evaluate(&tree, sorted, &pose, QN_FLEXIBLE_HARD, &energy, NULL);
        qn_flexible_vina_report(&tree, sorted, &pose, &parts);
        const double inter = parts.ligand_receptor, intra = parts.ligand;
        const double divisor = 1 + QN_VINA_TORSION * tree.torsion_count;
        const double of_exact =
            fmax(fabs(energy.inter_bent - expected->inter), fabs(energy.bent - energy.inter_bent - expected->intra));
        const double of_table = fmax(fabs(inter - expected->inter), fabs(intra - expected->intra));
        if (!CHECK(of_exact < 0.04 || expected->inter > 0) || !CHECK(of_table < 0.001) ||
            !CHECK(fabs(inter / divisor - expected->affinity) < 0.001))
            printf("%s: inter %.4f, with bins %.4f, Vina %.3f; intra %.4f, %.4f, %.3f; divisor %.4f, %.4f\n",
                   expected->ligand, energy.inter_bent, inter, expected->inter, energy.bent - energy.inter_bent, intra,
                   expected->intra, divisor, expected->inter / expected->affinity);
        if (expected->inter < 0) *exact = fmax(*exact, of_exact);
        *table = fmax(*table, of_table);
    }
    qn_flexible_receptor_destroy(&sorted);
    qn_flexible_tree_clear(&tree);
}

/* Vina prints three digits. With the bins of its table all terms are Vina's; the formulas differ by up to 0.04
 * kcal/mol (1jyq, whose phosphate has eight short hydrogen bonds), and by more where atoms overlap (3drf, 1064
 * kcal/mol). */
static void terms_agree_with_vina(void)
{
    double exact = 0, table = 0;
    for (size_t i = 0; i < sizeof vina_terms / sizeof *vina_terms; i++) {
        const vina_case *expected = &vina_terms[i];
        qn_score_receptor receptor = {0};
        qn_compound **compounds = NULL;
        size_t count = 0;
        const char *path = check_reference_data(expected->receptor);
        if (!path || !CHECK_OK(qn_flexible_stated_receptor(path, &receptor))) return;
        path = check_reference_data(expected->ligand);
        if (path && CHECK_OK(qn_compound_read_file(path, &compounds, &count)))
            compare(expected, &receptor, compounds[0], &exact, &table);
        for (size_t c = 0; c < count; c++) qn_compound_destroy(&compounds[c]);
        qn_release(&compounds);
        qn_score_receptor_clear(&receptor);
    }
    printf("largest difference from Vina: %.4f kcal/mol, with its bins %.4f\n", exact, table);
}

int main(void)
{
    RUN(gradients_agree_with_differences);
    RUN(the_root_changes_no_energy);
    RUN(inter_is_that_of_rigid_molecules);
    RUN(minimising_ends_in_a_minimum);
    RUN(terms_agree_with_vina);
    return check_finish();
}
