/* Side chains: gradients by central differences, what their atoms do, what is refused, and the terms that AutoDock Vina
 * 1.2.3 prints with --flex. */
#include "check.h"

#include "flexible/sides.h"
#include "flexible/stated.h"
#include "flexible/tests/chains.h"
#include "flexible/tests/residues.h"
#include "format/compound/compound_stream.h"

typedef struct scene {
    qn_compound *ligand;
    qn_score_receptor receptor;
    qn_flexible_receptor *sorted;
    qn_flexible_sides sides;
    qn_flexible_tree tree;
} scene;

static void scene_close(scene *s)
{
    qn_flexible_tree_clear(&s->tree);
    qn_flexible_receptor_destroy(&s->sorted);
    qn_flexible_sides_clear(&s->sides);
    qn_score_receptor_clear(&s->receptor);
    qn_compound_destroy(&s->ligand);
}

/* Read a receptor and take side chains out. */
static bool take(const char *path, const char *flex, scene *s)
{
    const char *texts[] = {flex};
    qn_autodock_atoms atoms = {0};
    const bool taken =
        CHECK_OK(qn_flexible_stated_receptor(path, &s->receptor)) &&
        CHECK_OK(qn_flexible_stated_residues(path, &s->receptor, &atoms)) &&
        CHECK_OK(qn_flexible_sides_take(&s->receptor, &atoms, texts, 1, "--flex", "receptor", &s->sides)) &&
        CHECK_OK(qn_flexible_receptor_create(&s->receptor, &s->sorted));
    qn_autodock_atoms_clear(&atoms);
    return taken;
}

/* A ligand of `torsions` beside eight residues, of which those that `flex` names turn ("": none). */
static bool scene_open(int torsions, const char *flex, uint64_t *drawn, scene *s)
{
    const char *texts[] = {flex};
    *s = (scene){.ligand = chain_make(torsions, drawn)};
    return s->ligand && CHECK_OK(residues_make(nine_residues, 9, &s->receptor)) &&
           CHECK_OK(
               qn_flexible_sides_take(&s->receptor, NULL, texts, *flex ? 1 : 0, "--flex", "made.pdb", &s->sides)) &&
           CHECK_OK(qn_flexible_receptor_create(&s->receptor, &s->sorted)) &&
           CHECK_OK(qn_flexible_tree_create(s->ligand, QN_FLEXIBLE_TYPES_FILE, -1, &s->tree)) &&
           CHECK_OK(qn_flexible_tree_add_sides(&s->tree, &s->sides, "chain"));
}

/* ---- Gradients ---- */

static void gradients_agree_with_differences(void)
{
    static const char *const flex[] = {"A:VAL6", "A:LYS9,A:ILE4", eight_sides};
    static const double bends[] = {QN_FLEXIBLE_STRAIGHT, QN_FLEXIBLE_SOFT, QN_FLEXIBLE_HARD};
    static const int torsions_of[] = {1, 6, 20}, sizes[] = {0, 1, 3, 9, 20, 28, 32};
    uint64_t drawn = 0;
    for (int size = 0; size < 7; size++)
        for (int f = 0; f < 3; f++) {
            const int torsions = sizes[size];
            double gradient[6 + QN_FLEXIBLE_TORSIONS_MAX], largest = 1;
            scene s;
            qn_flexible_pose pose;
            qn_flexible_energy energy;
            if (torsions + torsions_of[f] > QN_FLEXIBLE_TORSIONS_MAX) continue;
            if (scene_open(torsions, flex[f], &drawn, &s)) {
                const int freedoms = qn_flexible_freedoms(&s.tree);
                CHECK(freedoms == 6 + torsions + torsions_of[f]);
                pose_draw(&s.tree, &drawn, &pose);
                qn_flexible_evaluate(&s.tree, s.sorted, &pose, bends[f], &energy, gradient);
                for (int i = 0; i < freedoms; i++) largest = fmax(largest, fabs(gradient[i]));
                for (int i = 0; i < freedoms; i++)
                    CHECK_NEAR(gradient[i], derivative(&s.tree, s.sorted, &pose, bends[f], i), 1e-7 * largest);
            }
            scene_close(&s);
        }
}

/* ---- Atoms ---- */

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* In random poses bonds keep their lengths, Cα and Cβ their places, and behind each torsion something moves. */
static void side_chains_turn_at_their_bonds(void)
{
    uint64_t drawn = 40;
    scene s;
    qn_flexible_pose pose;
    double positions[96];
    if (!scene_open(5, eight_sides, &drawn, &s)) return;
    pose_draw(&s.tree, &drawn, &pose);
    for (int side = 0; side < s.sides.count; side++) {
        const qn_compound *compound = s.sides.sides[side].compound;
        const double *given = compound->positions_angstrom;
        qn_flexible_side_positions(&s.tree, &s.sides, side, &pose, positions);
        for (size_t i = 0; i < compound->bond_count; i++) {
            const size_t a = 3 * (size_t)compound->bonds[i].first, b = 3 * (size_t)compound->bonds[i].second;
            CHECK_NEAR(distance(positions + a, positions + b), distance(given + a, given + b), 1e-9);
        }
        CHECK(compound->bond_count > 1);
        for (size_t i = 0; i < compound->atom_count; i++) {
            const double moved = distance(positions + 3 * i, given + 3 * i);
            CHECK(i < 2 ? moved < 1e-12 : moved > 1e-3);
        }
    }
    qn_flexible_pose_given(&s.tree, &pose);
    qn_flexible_side_positions(&s.tree, &s.sides, 3, &pose, positions);
    for (size_t i = 0; i < 3 * s.sides.sides[3].compound->atom_count; i++)
        CHECK_NEAR(positions[i], s.sides.sides[3].compound->positions_angstrom[i], 1e-12);
    scene_close(&s);
}

/* Where the side chains have not turned, the ligand meets the atoms of the whole receptor. */
static void inter_is_that_of_the_whole_receptor(void)
{
    qn_flexible_energy energies[2];
    size_t atoms[2] = {0, 0};
    for (int turn = 0; turn < 2; turn++) {
        uint64_t drawn = 70;
        scene s;
        qn_flexible_pose pose;
        if (!scene_open(6, turn ? eight_sides : "", &drawn, &s)) return;
        CHECK(s.tree.ligand_count == 21);
        atoms[turn] = s.receptor.atom_count + (size_t)(s.tree.heavy_count - 21);
        qn_flexible_pose_given(&s.tree, &pose);
        qn_flexible_evaluate(&s.tree, s.sorted, &pose, QN_FLEXIBLE_STRAIGHT, &energies[turn], NULL);
        scene_close(&s);
    }
    CHECK(atoms[0] == atoms[1]);
    CHECK_NEAR(energies[1].inter.total, energies[0].inter.total, 1e-9);
    CHECK_NEAR(energies[1].inter.hydrogen_bond, energies[0].inter.hydrogen_bond, 1e-9);
    CHECK_NEAR(energies[1].parts.ligand, energies[0].parts.ligand, 1e-9);
    CHECK(fabs(energies[1].parts.ligand_sides) > 0.1 && energies[0].parts.ligand_sides == 0);
}

/* ---- Refusals ---- */

static void check_refused(const char *flex, qn_status status, const char *message)
{
    const char *texts[] = {flex};
    qn_score_receptor receptor;
    qn_flexible_sides sides;
    if (!CHECK_OK(residues_make(nine_residues, 9, &receptor))) return;
    receptor.molecule->residues[6].name[0] = 'H'; /* HLA, no amino acid */
    CHECK_FAILS(qn_flexible_sides_take(&receptor, NULL, texts, 1, "--flex", "made.pdb", &sides), status);
    CHECK_TEXT(qn_error_message(), message);
    CHECK(sides.count == 0);
    qn_score_receptor_clear(&receptor);
}

static void wrong_side_chains_are_refused(void)
{
    check_refused("A", QN_INVALID_ARGUMENT,
                  "--flex has \"A\"; expected a chain and a residue, such as A:TRP177 or A:177");
    check_refused("A:3:CZ2", QN_INVALID_ARGUMENT,
                  "--flex has \"A:3:CZ2\"; expected a chain and a residue, such as A:TRP177 or A:177");
    check_refused("A:TYR3", QN_INVALID_ARGUMENT, "--flex has \"A:TYR3\", but residue 3 of chain A of made.pdb is TRP");
    check_refused("A:44", QN_INVALID_ARGUMENT,
                  "--flex has \"A:44\", but chain A of made.pdb has no residue \"44\"; expected one by its number, or "
                  "by its name if no other has it");
    check_refused("B:3", QN_INVALID_ARGUMENT, "--flex has \"B:3\", but made.pdb has no chain \"B\"; expected one of A");
    check_refused("A:7", QN_INVALID_ARGUMENT,
                  "--flex has \"A:7\", but HLA is no amino acid; expected one with a side chain");
    check_refused("A:2,A:LEU2", QN_INVALID_ARGUMENT, "--flex names residue A:LEU2 twice");
}

static void broken_side_chains_are_refused(void)
{
    static const char *const ten[] = {"VAL", "VAL", "VAL", "VAL", "VAL", "VAL", "VAL", "VAL", "VAL", "GLY"};
    static const char *const nine[] = {"A:1,A:2,A:3,A:4,A:5,A:6,A:7,A:8,A:9"}, *const first[] = {"A:1"},
                             *const last[] = {"A:10"};
    qn_score_receptor receptor;
    qn_flexible_sides sides;
    if (!CHECK_OK(residues_make(ten, 10, &receptor))) return;
    CHECK_FAILS(qn_flexible_sides_take(&receptor, NULL, nine, 1, "--flex", "made.pdb", &sides), QN_INVALID_ARGUMENT);
    CHECK_TEXT(qn_error_message(), "--flex has \"A:9\" after 8 side chains; expected at most 8");
    CHECK_FAILS(qn_flexible_sides_take(&receptor, NULL, last, 1, "--flex", "made.pdb", &sides), QN_INVALID_ARGUMENT);
    CHECK_TEXT(qn_error_message(), "--flex has \"A:10\", but GLY has no side chain that turns, or its atoms are not "
                                   "known; expected another residue");
    strcpy(receptor.molecule->atoms[6].name, "CX");
    CHECK_FAILS(qn_flexible_sides_take(&receptor, NULL, first, 1, "--flex", "made.pdb", &sides), QN_BAD_FORMAT);
    CHECK_TEXT(qn_error_message(), "--flex has \"A:1\", but this residue of made.pdb has no atom CG2; expected a "
                                   "complete side chain");
    strcpy(receptor.molecule->atoms[6].name, "CG2");
    for (int d = 0; d < 3; d++) /* N of the second residue beside the side chain of the first */
        receptor.molecule->atoms[7].position_angstrom[d] =
            receptor.molecule->atoms[6].position_angstrom[d] + (d == 2 ? 1.5 : 0);
    CHECK_FAILS(qn_flexible_sides_take(&receptor, NULL, first, 1, "--flex", "made.pdb", &sides), QN_BAD_FORMAT);
    CHECK_TEXT(qn_error_message(), "--flex has \"A:1\", whose CG2 is bound to N of A:VAL2 in made.pdb; expected a side "
                                   "chain that turns freely");
    qn_score_receptor_clear(&receptor);
}

static void too_many_torsions_are_refused(void)
{
    uint64_t drawn = 90;
    scene s;
    if (!scene_open(28, eight_sides, &drawn, &s)) return;
    qn_flexible_tree_clear(&s.tree);
    qn_compound_destroy(&s.ligand);
    s.ligand = chain_make(29, &drawn);
    CHECK_OK(qn_flexible_tree_create(s.ligand, QN_FLEXIBLE_TYPES_FILE, -1, &s.tree));
    CHECK_FAILS(qn_flexible_tree_add_sides(&s.tree, &s.sides, "chain"), QN_BAD_FORMAT);
    CHECK_TEXT(qn_error_message(), "chain: 29 torsions, and 20 of side chains; expected at most 48 together");
    scene_close(&s);
}

/* ---- Terms ---- */

/* Output of `vina --score_only --autobox --flex`, with the receptor split as AutoDockTools does: Cα, as root, and the
 * side chain in the file of flexible residues, all other atoms in the rigid one. */
typedef struct flex_case {
    const char *receptor, *ligand, *flex;
    double ligand_receptor, ligand_sides, ligand_own, sides_receptor, sides;
} flex_case;

#define OF(name, receptor) "docking/ligand/" name "/" name receptor, "docking/ligand/" name "/" name "_ligand.pdbqt"

#define OF_42(name) "docking/flexible42/" name "/protein.pdbqt.gz", "docking/flexible42/" name "/flex-xray.pdbqt"

static const flex_case flex_terms[] = {
    {OF("1iep", "_receptor.pdbqt"), "A:THR315", -16.755, -0.674, -0.485, -0.517, 0.000},
    {OF("1iep", "_receptor.pdbqt"), "A:GLU286,A:315,A:PHE317", -15.587, -1.580, -0.485, -3.584, -0.043},
    {OF("1stp", "_protein.pdbqt"), "A:45,A:TRP79,A:TRP108", -6.728, -1.652, -0.186, -9.839, -0.258},
    {OF_42("1hnn"), "A:LYS36,A:GLU198,A:ARG23,A:MET237", -7.344, -0.740, -0.086, -8.357, -0.279},
    {OF_42("1lpz"), "A:ASP232,A:GLN235,A:TRP258,A:TYR271", -10.094, -2.131, -0.466, -8.700, 0.227},
    {OF_42("1t46"), "A:CYS109,A:THR106,A:ILE153,A:ASP174", -17.551, -0.901, -0.261, -2.845, -0.017},
    {OF_42("7cpa"), "1:ASN144,1:ARG71,1:ARG127,1:ARG145", -5.995, -1.500, -1.748, -6.715, -1.044},
    {OF_42("1yv3"), "A:SER447,A:LEU253,A:TYR252,A:CYS461", -9.939, -1.852, 0.013, -5.224, -0.142},
};

static void terms_agree_with_vina(void)
{
    for (size_t i = 0; i < sizeof flex_terms / sizeof *flex_terms; i++) {
        const flex_case *expected = &flex_terms[i];
        scene s = {0};
        qn_compound **compounds = NULL;
        size_t count = 0;
        qn_flexible_pose pose;
        qn_flexible_parts parts;
        const char *path = check_reference_data(expected->receptor);
        if (!path || !take(path, expected->flex, &s)) return;
        path = check_reference_data(expected->ligand);
        if (path && CHECK_OK(qn_compound_read_file(path, &compounds, &count)) &&
            CHECK_OK(qn_flexible_tree_create(compounds[0], QN_FLEXIBLE_TYPES_FILE, -1, &s.tree)) &&
            CHECK_OK(qn_flexible_tree_add_sides(&s.tree, &s.sides, "ligand"))) {
            qn_flexible_pose_given(&s.tree, &pose);
            qn_flexible_vina_report(&s.tree, s.sorted, &pose, &parts);
            CHECK_NEAR(parts.ligand_receptor, expected->ligand_receptor, 0.001);
            CHECK_NEAR(parts.ligand_sides, expected->ligand_sides, 0.001);
            CHECK_NEAR(parts.ligand, expected->ligand_own, 0.001);
            CHECK_NEAR(parts.sides_receptor, expected->sides_receptor, 0.001);
            CHECK_NEAR(parts.sides, expected->sides, 0.001);
        }
        for (size_t c = 0; c < count; c++) qn_compound_destroy(&compounds[c]);
        qn_release(&compounds);
        scene_close(&s);
    }
}

int main(void)
{
    RUN(gradients_agree_with_differences);
    RUN(side_chains_turn_at_their_bonds);
    RUN(inter_is_that_of_the_whole_receptor);
    RUN(wrong_side_chains_are_refused);
    RUN(broken_side_chains_are_refused);
    RUN(too_many_torsions_are_refused);
    RUN(terms_agree_with_vina);
    return check_finish();
}
