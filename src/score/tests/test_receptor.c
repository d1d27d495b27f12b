/* Preparation of receptors: atoms that are kept, and types compared with those of other programs' files. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "score/receptor.h"
#include "score/tests/pdbqt_atoms.h"

static const qn_ligand_score vina = {.kind = QN_SCORE_VINA};

static qn_ligand_score bude(void)
{
    return (qn_ligand_score){QN_SCORE_BUDE, qn_bude_find("2016")};
}

static const char *written(const char *name, const char *text)
{
    static char path[1200];
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
    CHECK_OK(qn_file_write(path, text, strlen(text)));
    return path;
}

/* An alanine with two alternate positions of Cβ and one hydrogen, a zinc ion and a water. */
static const char small_pdb[] = "ATOM      1  N   ALA A   1      11.104   6.134  -6.504  1.00  0.00           N\n"
                                "ATOM      2  CA  ALA A   1      11.639   6.071  -5.147  1.00  0.00           C\n"
                                "ATOM      3  C   ALA A   1      13.159   6.180  -5.135  1.00  0.00           C\n"
                                "ATOM      4  O   ALA A   1      13.744   6.950  -5.894  1.00  0.00           O\n"
                                "ATOM      5  CB AALA A   1      11.023   7.181  -4.304  0.40  0.00           C\n"
                                "ATOM      6  CB BALA A   1      11.100   7.250  -4.350  0.60  0.00           C\n"
                                "ATOM      7  HA  ALA A   1      11.304   5.134  -4.704  1.00  0.00           H\n"
                                "HETATM    8 ZN    ZN A   2      20.000   6.000  -5.000  1.00  0.00          ZN\n"
                                "HETATM    9  O   HOH A   3      25.000   6.000  -5.000  1.00  0.00           O\n"
                                "END\n";

static void check_type(const qn_score_receptor *receptor, double x, const char *name)
{
    for (size_t i = 0; i < receptor->atom_count; i++)
        if (fabs(receptor->positions_angstrom[3 * i] - x) < 1e-6) {
            CHECK_TEXT(receptor->score.force_field->types[receptor->types[i]].name, name);
            return;
        }
    CHECK(!"an atom at this place");
}

static void waters_hydrogens_and_alternates_are_left_out(void)
{
    const qn_ligand_score score = bude();
    qn_score_receptor receptor;
    if (CHECK_OK(qn_score_receptor_read(written("small.pdb", small_pdb), &score, &receptor))) {
        CHECK(receptor.atom_count == 6);
        CHECK(receptor.molecule != NULL);
        check_type(&receptor, 20.0, "Zn");
        check_type(&receptor, 11.1, "C.3");
        check_type(&receptor, 11.104, "N.4");
    }
    const uint64_t hash = receptor.hash;
    qn_score_receptor_clear(&receptor);
    CHECK(receptor.types == NULL && receptor.molecule == NULL);
    if (CHECK_OK(qn_score_receptor_read(written("small.pdb", small_pdb), &vina, &receptor))) {
        CHECK(receptor.atom_count == 6);
        CHECK(receptor.hash != hash);
        CHECK(receptor.types[5] == pdbqt_row(1.2, false, true, false));
    }
    qn_score_receptor_clear(&receptor);
}

/* One nitrogen of a histidine has a hydrogen, which is not in this file; the other is an acceptor. */
static void a_histidine_has_one_donor_and_one_acceptor(void)
{
    static const char text[] = "ATOM      1  CG  HIS A   1       0.000   0.000   0.000  1.00  0.00           C\n"
                               "ATOM      2  ND1 HIS A   1       1.096   0.836   0.000  1.00  0.00           N\n"
                               "ATOM      3  CD2 HIS A   1       0.421  -1.292   0.000  1.00  0.00           C\n"
                               "ATOM      4  CE1 HIS A   1       2.163   0.057   0.000  1.00  0.00           C\n"
                               "ATOM      5  NE2 HIS A   1       1.794  -1.210   0.000  1.00  0.00           N\n";
    qn_score_receptor receptor;
    if (CHECK_OK(qn_score_receptor_read(written("his.pdb", text), &vina, &receptor)) &&
        CHECK(receptor.atom_count == 5)) {
        CHECK(receptor.types[1] == pdbqt_row(1.8, false, false, true));
        CHECK(receptor.types[4] == pdbqt_row(1.8, false, true, false));
    }
    qn_score_receptor_clear(&receptor);
}

static const char small_mol2[] = "@<TRIPOS>MOLECULE\nmade\n 6 4 0 0 0\nPROTEIN\nNO_CHARGES\n\n@<TRIPOS>ATOM\n"
                                 " 1 C1 0.000 0.000 0.000 C.3 1 A1\n"
                                 " 2 C2 1.500 0.000 0.000 C.2 1 A1\n"
                                 " 3 O1 2.100 1.100 0.000 O.co2 1 A1\n"
                                 " 4 O2 2.200 -1.100 0.000 O.co2 1 A1\n"
                                 " 5 H1 -0.600 0.900 0.100 H 1 A1\n"
                                 " 6 O 9.000 0.000 0.000 O.3 2 HOH2\n"
                                 "@<TRIPOS>BOND\n 1 1 2 1\n 2 2 3 ar\n 3 2 4 ar\n 4 1 5 1\n";

static void stated_types_of_mol2_are_used(void)
{
    const qn_ligand_score score = bude();
    qn_score_receptor receptor;
    if (CHECK_OK(qn_score_receptor_read(written("small.mol2", small_mol2), &score, &receptor))) {
        CHECK(receptor.atom_count == 4 && receptor.molecule == NULL);
        check_type(&receptor, 0.0, "C.3");
        check_type(&receptor, 1.5, "C.2");
        check_type(&receptor, 2.2, "O.co2");
    }
    qn_score_receptor_clear(&receptor);
}

static void invalid_receptors_are_refused(void)
{
    const qn_ligand_score score = bude();
    qn_score_receptor receptor;
    CHECK_FAILS(qn_score_receptor_read("/nowhere.pdb", &score, &receptor), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("nowhere.pdb");
    CHECK_FAILS(qn_score_receptor_read(written("water.pdb", strstr(small_pdb, "HETATM    9")), &score, &receptor),
                QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("water.pdb");
    CHECK(receptor.types == NULL && receptor.molecule == NULL);
    const char far[] = "@<TRIPOS>MOLECULE\nfar\n2\nPROTEIN\nNO_CHARGES\n@<TRIPOS>ATOM\n"
                       "1 C 0 0 0 C.3\n2 C 0 -10000.5 0 C.3\n";
    for (int kind = 0; kind < 2; kind++) {
        CHECK_FAILS(qn_score_receptor_read(written("far.mol2", far), kind ? &vina : &score, &receptor), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("far.mol2: heavy atom 2 is at y = -10000.5; expected coordinates within 10000 Å");
    }
    char heap[400 * 81] = "";
    for (int i = 0, length = 0; i < 400; i++)
        length +=
            snprintf(heap + length, sizeof heap - (size_t)length,
                     "ATOM  %5d  CA  ALA A%4d      11.%03d   6.071  -5.147  1.00  0.00           C\n", i + 1, i + 1, i);
    CHECK_FAILS(qn_score_receptor_read(written("heap.pdb", heap), &score, &receptor), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS(
        "heap.pdb: over a tenth of its 400 heavy atoms are less than 0.7 Å from another one, such as CA of "
        "ALA A 1 and CA of ALA A 2, 0.001 Å apart; expected each atom once, in one place");
    const char double_mol2[] = "@<TRIPOS>MOLECULE\nmade\n 4 2 0 0 0\nPROTEIN\nNO_CHARGES\n\n@<TRIPOS>ATOM\n"
                               "1 C1 0 0 0 C.3\n2 C2 1.5 0 0 C.3\n3 C1 0 0 0 C.3\n4 C2 1.5 0 0 C.3\n"
                               "@<TRIPOS>BOND\n1 1 2 1\n2 3 4 1\n";
    CHECK_FAILS(qn_score_receptor_read(written("double.mol2", double_mol2), &score, &receptor), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS(
        "double.mol2: over a tenth of its 4 heavy atoms are less than 0.7 Å from another one, such as heavy "
        "atom 1 and heavy atom 3, 0.000 Å apart");
    char twice[2 * sizeof small_mol2];
    snprintf(twice, sizeof twice, "%s%s", small_mol2, small_mol2);
    CHECK_FAILS(qn_score_receptor_read(written("twice.mol2", twice), &score, &receptor), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("2 molecules");
}

/* A hetero residue at the position of the known ligand is removed; a residue of the chain at the same position is
 * kept. */
static void a_bound_ligand_is_removed(void)
{
    const qn_ligand_score score = bude();
    const double beside_zinc[6] = {20.9, 6, -5, 11.104, 6.134, -6.504}, away[3] = {20, 7.1, -5};
    qn_score_receptor receptor;
    if (CHECK_OK(qn_score_receptor_read(written("small.pdb", small_pdb), &score, &receptor))) {
        const uint64_t hash = receptor.hash;
        CHECK_OK(qn_score_receptor_make_room(&receptor, away, 1));
        CHECK(receptor.atom_count == 6 && receptor.hash == hash);
        CHECK_OK(qn_score_receptor_make_room(&receptor, beside_zinc, 2));
        CHECK(receptor.atom_count == 5 && receptor.hash != hash);
        check_type(&receptor, 11.104, "N.4");
        for (size_t i = 0; i < receptor.atom_count; i++) CHECK(receptor.positions_angstrom[3 * i] < 20);
    }
    qn_score_receptor_clear(&receptor);
    if (CHECK_OK(qn_score_receptor_read(written("zinc.pdb", strstr(small_pdb, "HETATM    8")), &score, &receptor))) {
        CHECK_FAILS(qn_score_receptor_make_room(&receptor, beside_zinc, 2), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("nothing but the site's ligand");
    }
    qn_score_receptor_clear(&receptor);
    if (CHECK_OK(qn_score_receptor_read(written("small.mol2", small_mol2), &score, &receptor))) {
        CHECK_OK(qn_score_receptor_make_room(&receptor, away, 1)); /* no atom is there */
        CHECK_FAILS(qn_score_receptor_make_room(&receptor, receptor.positions_angstrom, 2), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("no residues that could be left out");
    }
    qn_score_receptor_clear(&receptor);
}

/* Index of the atom nearest to a place. */
static size_t nearest(const pdbqt_atoms *atoms, const double place[3], double *distance)
{
    size_t best = 0;
    *distance = INFINITY;
    for (size_t i = 0; i < atoms->heavy; i++) {
        const double *p = atoms->positions + 3 * i;
        double r = hypot(hypot(p[0] - place[0], p[1] - place[1]), p[2] - place[2]);
        if (r < *distance) *distance = r, best = i;
    }
    return best;
}

/* Every heavy atom has the type that follows from its AutoDock type in the file. */
static void compare_with_pdbqt(const char *path, const pdbqt_atoms *expected)
{
    qn_score_receptor receptor;
    size_t wrong = 0;
    if (!CHECK_OK(qn_score_receptor_read(path, &vina, &receptor))) return;
    CHECK(receptor.atom_count == expected->heavy);
    for (size_t i = 0; i < receptor.atom_count; i++) {
        double distance;
        size_t other = nearest(expected, receptor.positions_angstrom + 3 * i, &distance);
        if (distance < 0.01 && receptor.types[i] == expected->types[other]) continue;
        if (wrong++ < 8) printf("heavy atom %zu has type %d, not %d\n", i, receptor.types[i], expected->types[other]);
    }
    CHECK(wrong == 0);
    qn_score_receptor_clear(&receptor);
}

static void vinas_types_agree_with_the_published_receptor(void)
{
    static pdbqt_atoms expected;
    char *text = NULL;
    size_t size;
    if (!CHECK_OK(qn_file_read(check_reference_data("docking/ligand/1iep/1iep_receptor.pdbqt"), &text, &size))) return;
    pdbqt_read(text, &expected, NULL);
    compare_with_pdbqt(check_reference_data("docking/ligand/1iep/1iep_receptor.pdbqt"), &expected);
    compare_with_pdbqt(check_data("../../examples/1iep/1iep_receptor.pdb"), &expected);
    qn_release(&text);
}

int main(void)
{
    RUN(waters_hydrogens_and_alternates_are_left_out);
    RUN(a_histidine_has_one_donor_and_one_acceptor);
    RUN(stated_types_of_mol2_are_used);
    RUN(a_bound_ligand_is_removed);
    RUN(invalid_receptors_are_refused);
    if (check_reference_data("docking/ligand/1iep")) RUN(vinas_types_agree_with_the_published_receptor);
    return check_finish();
}
