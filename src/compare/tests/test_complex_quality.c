/* Quality of artificial complexes: brute-force definitions, known motions, matching, thresholds, errors. */
#include <stdio.h>

#include "check.h"
#include "compare/complex_quality.h"
#include "compare/dockq.h"
#include "compare/residue_match.h"
#include "compare/tests/made_complex.h"
#include "math/superpose.h"

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static made_molecule receptor, ligand, model_receptor, model_ligand;
static qn_complex_reference *reference;

static void start(void)
{
    made_receptor(&receptor);
    made_ligand(&ligand);
    made_copy(&receptor, &model_receptor);
    made_copy(&ligand, &model_ligand);
    qn_complex_reference_destroy(&reference);
    CHECK_OK(qn_complex_reference_create(&receptor.molecule, &ligand.molecule, &reference));
}

static qn_complex_quality quality_of_model(void)
{
    qn_complex_quality quality = {0};
    CHECK_OK(qn_complex_quality_compute(reference, &model_receptor.molecule, &model_ligand.molecule, &quality));
    return quality;
}

static void check_perfect(void)
{
    qn_complex_quality quality = quality_of_model();
    CHECK(quality.fnat == 1 && quality.unmatched_contacts == 0 && quality.native_contacts > 10);
    CHECK_NEAR(quality.interface_rmsd_angstrom, 0, 1e-6);
    CHECK_NEAR(quality.ligand_rmsd_angstrom, 0, 1e-6);
    CHECK_NEAR(quality.dockq, 1, 1e-9);
    CHECK(quality.capri == QN_CAPRI_HIGH);
    CHECK(quality.matched_receptor_residues == receptor.molecule.residue_count);
    CHECK(quality.matched_ligand_residues == ligand.molecule.residue_count);
}

static void native_is_perfect(void)
{
    start();
    check_perfect();
}

/* Shortest distance between atoms of two residues, from all pairs. */
static double residue_distance(const made_molecule *a, size_t i, const made_molecule *b, size_t j)
{
    double shortest = 1e9;
    for (size_t k = 0; k < a->residues[i].atom_count; k++)
        for (size_t l = 0; l < b->residues[j].atom_count; l++) {
            const double *x = a->atoms[a->residues[i].first_atom + k].position_angstrom;
            const double *y = b->atoms[b->residues[j].first_atom + l].position_angstrom;
            shortest = fmin(shortest, sqrt(pow(x[0] - y[0], 2) + pow(x[1] - y[1], 2) + pow(x[2] - y[2], 2)));
        }
    return shortest;
}

static size_t brute_force_interface(const made_molecule *native, const made_molecule *partner,
                                    const made_molecule *model, double *native_points, double *model_points,
                                    size_t count)
{
    for (size_t i = 0; i < native->molecule.residue_count; i++) {
        double shortest = 1e9;
        for (size_t j = 0; j < partner->molecule.residue_count; j++)
            shortest = fmin(shortest, residue_distance(native, i, partner, j));
        if (shortest >= 10) continue;
        for (size_t k = 0; k < 4; k++) { /* residues of made complexes begin with N CA C O */
            size_t atom = native->residues[i].first_atom + k;
            memcpy(native_points + 3 * count, native->atoms[atom].position_angstrom, 3 * sizeof(double));
            memcpy(model_points + 3 * count++, model->atoms[atom].position_angstrom, 3 * sizeof(double));
        }
    }
    return count;
}

static void check_against_brute_force(void)
{
    static double native_points[3 * MADE_ATOMS], model_points[3 * MADE_ATOMS];
    size_t contacts = 0, kept = 0;
    for (size_t i = 0; i < receptor.molecule.residue_count; i++)
        for (size_t j = 0; j < ligand.molecule.residue_count; j++)
            if (residue_distance(&receptor, i, &ligand, j) < 5) {
                contacts++;
                kept += residue_distance(&model_receptor, i, &model_ligand, j) < 5;
            }
    size_t count = brute_force_interface(&receptor, &ligand, &model_receptor, native_points, model_points, 0);
    count = brute_force_interface(&ligand, &receptor, &model_ligand, native_points, model_points, count);
    double rotation[9], translation[3], rmsd = 0;
    CHECK_OK(qn_superpose(model_points, native_points, count, rotation, translation, &rmsd));
    qn_complex_quality quality = quality_of_model();
    CHECK(quality.native_contacts == contacts && quality.fnat == (double)kept / (double)contacts);
    CHECK_NEAR(quality.interface_rmsd_angstrom, rmsd, 1e-9);
    CHECK_NEAR(quality.dockq, qn_dockq(quality.fnat, rmsd, quality.ligand_rmsd_angstrom), 1e-9);
}

static void fnat_and_interface_rmsd_equal_brute_force(void)
{
    double r[9];
    for (int i = 0; i < 12; i++) {
        start();
        made_rotation(1, 0.3 * i, -0.5, 0.05 * i, r);
        made_move(&model_ligand, r, 0.3 * i - 1, 0.2 * i, -0.4 * i);
        check_against_brute_force();
    }
}

static void shifted_ligand_has_the_rmsd_of_the_shift(void)
{
    start();
    made_move(&model_ligand, identity, 3, -4, 12);
    qn_complex_quality quality = quality_of_model();
    CHECK_NEAR(quality.ligand_rmsd_angstrom, 13, 1e-9);
    start();
    made_move(&model_ligand, identity, 100, 0, 0);
    quality = quality_of_model();
    CHECK(quality.fnat == 0 && quality.capri == QN_CAPRI_INCORRECT && quality.dockq < 0.05);
}

/* A turn by θ about an axis moves an atom at distance ρ from the axis by 2 ρ sin(θ/2). */
static void rotated_ligand_has_the_rmsd_of_the_turn(void)
{
    start();
    double r[9], sum = 0, angle = 0.7;
    size_t count = 0;
    made_rotation(0, 0, 1, angle, r);
    for (size_t i = 0; i < ligand.molecule.atom_count; i++) {
        const double *x = ligand.atoms[i].position_angstrom;
        if (ligand.atoms[i].name[1] == 'B' || ligand.atoms[i].name[1] == 'G') continue;
        sum += x[0] * x[0] + x[1] * x[1];
        count++;
    }
    made_move(&model_ligand, r, 0, 0, 0);
    CHECK_NEAR(quality_of_model().ligand_rmsd_angstrom, 2 * sin(angle / 2) * sqrt(sum / (double)count), 1e-9);
}

static void rigid_motion_does_not_change_the_quality(void)
{
    double r[9];
    start();
    made_rotation(1, 1, 0, 0.1, r);
    made_move(&model_ligand, r, 0.5, 1, -1);
    qn_complex_quality before = quality_of_model();
    made_rotation(-1, 2, 0.4, 2.1, r);
    made_move(&model_receptor, r, 50, -80, 30);
    made_move(&model_ligand, r, 50, -80, 30);
    qn_complex_quality after = quality_of_model();
    CHECK(before.fnat > 0 && before.fnat < 1 && before.fnat == after.fnat);
    CHECK_NEAR(after.interface_rmsd_angstrom, before.interface_rmsd_angstrom, 1e-9);
    CHECK_NEAR(after.ligand_rmsd_angstrom, before.ligand_rmsd_angstrom, 1e-9);
    CHECK_NEAR(after.dockq, before.dockq, 1e-9);
}

static void rename_chain(made_molecule *made, const char *from, const char *to, int shift)
{
    for (size_t i = 0; i < made->molecule.residue_count; i++)
        if (strcmp(made->residues[i].chain, from) == 0) {
            strcpy(made->residues[i].chain, to);
            made->residues[i].number += shift;
        }
}

static void renamed_and_renumbered_chains_are_matched(void)
{
    start();
    rename_chain(&model_ligand, "C", "Z", 0); /* matched by number alone */
    check_perfect();
    start();
    rename_chain(&model_ligand, "C", "C", 3); /* numbers are wrong: matched by residue names */
    check_perfect();
    start();
    rename_chain(&model_receptor, "A", "LONG", 100);
    rename_chain(&model_receptor, "B", "A", -7); /* in the best pairing, chain names differ */
    rename_chain(&model_ligand, "C", "D", 1000);
    check_perfect();
    start();
    rename_chain(&model_receptor, "A", "R", 0); /* both chains are merged into one */
    rename_chain(&model_receptor, "B", "R", 500);
    check_perfect();
}

/* Insertion codes distinguish residues with the same number. */
static void insertion_codes_are_matched(void)
{
    start();
    for (int i = 0; i < 6; i++) {
        ligand.residues[i].number = model_ligand.residues[i].number = 5;
        ligand.residues[i].insertion = model_ligand.residues[i].insertion = i ? (char)('A' + i - 1) : '\0';
    }
    qn_complex_reference_destroy(&reference);
    CHECK_OK(qn_complex_reference_create(&receptor.molecule, &ligand.molecule, &reference));
    check_perfect();
}

/* Contacts of a residue that the model lacks count as missing. */
static void contacts_of_missing_residues_count_as_missing(void)
{
    start();
    size_t lost = 0, total = quality_of_model().native_contacts;
    for (size_t i = 0; i < receptor.molecule.residue_count; i++)
        lost += residue_distance(&receptor, i, &ligand, 10) < 5;
    CHECK(lost > 0);
    made_remove(&model_ligand, 10);
    for (int renumbered = 0; renumbered < 2; renumbered++) {
        qn_complex_quality quality = quality_of_model();
        CHECK(quality.unmatched_contacts == lost && quality.native_contacts == total);
        CHECK_NEAR(quality.fnat, (double)(total - lost) / (double)total, 1e-15);
        CHECK_NEAR(quality.ligand_rmsd_angstrom, 0, 1e-6);
        CHECK(quality.matched_ligand_residues == ligand.molecule.residue_count - 1);
        for (size_t i = 0; i < model_ligand.molecule.residue_count; i++) model_ligand.residues[i].number = 900 + (int)i;
    }
}

/* If one of two equal neighbours is missing, the alignment must choose the right one: the gap in the chain shows which
 * one is missing. */
static void missing_one_of_two_equal_neighbours_is_found(void)
{
    for (size_t gone = 12; gone <= 13; gone++) {
        start();
        strcpy(ligand.residues[12].name, "TRP");
        strcpy(ligand.residues[13].name, "TRP");
        qn_complex_reference_destroy(&reference);
        CHECK_OK(qn_complex_reference_create(&receptor.molecule, &ligand.molecule, &reference));
        made_copy(&ligand, &model_ligand);
        made_remove(&model_ligand, gone);
        for (size_t i = 0; i < model_ligand.molecule.residue_count; i++) model_ligand.residues[i].number = 900 + (int)i;
        CHECK_NEAR(quality_of_model().ligand_rmsd_angstrom, 0, 1e-6);
    }
}

/* A model may have more residues than the reference, such as a whole protein compared with one domain: only common
 * residues count. */
static void only_common_residues_count(void)
{
    for (int renamed = 0; renamed < 2; renamed++) {
        start();
        made_helix(&model_receptor, "A", 101, 60, 77, (const double[2]){0, -40});
        if (renamed) rename_chain(&model_receptor, "A", "Q", 10);
        if (renamed) rename_chain(&model_receptor, "B", "P", 10);
        check_perfect();
    }
}

/* Two copies of a chain are related by a half turn about z. A ligand at the other copy is equally right, unless chain
 * names distinguish the copies. */
static void equivalent_chains_are_interchangeable(void)
{
    double half_turn[9];
    made_rotation(0, 0, 1, 3.14159265358979323846, half_turn);
    made_start(&receptor);
    made_helix(&receptor, "A", 1, 40, 11, (const double[2]){5, 0});
    made_start(&model_receptor);
    made_helix(&model_receptor, "B", 1, 40, 11, (const double[2]){5, 0});
    made_move(&model_receptor, half_turn, 0, 0, 0);
    for (size_t i = 0; i < 40; i++) {
        made_residue(&receptor, "B", (int)i + 1, model_receptor.residues[i].name);
        for (size_t k = 0; k < 6; k++) {
            const qn_atom *atom = &model_receptor.atoms[6 * i + k];
            made_atom(&receptor, atom->name, atom->element, atom->position_angstrom[0], atom->position_angstrom[1],
                      atom->position_angstrom[2]);
        }
    }
    made_start(&ligand);
    made_helix(&ligand, "C", 5, 24, 13, (const double[2]){14.5, 0});
    qn_complex_reference_destroy(&reference);
    CHECK_OK(qn_complex_reference_create(&receptor.molecule, &ligand.molecule, &reference));
    made_copy(&receptor, &model_receptor);
    made_copy(&ligand, &model_ligand);
    made_move(&model_ligand, half_turn, 0, 0, 0);
    CHECK(quality_of_model().capri == QN_CAPRI_INCORRECT); /* chain names distinguish the copies */
    rename_chain(&model_receptor, "A", "X", 0);
    rename_chain(&model_receptor, "B", "Y", 0);
    check_perfect();
}

static void add_nucleotides(made_molecule *made, int count, double y)
{
    static const char *const old_names[] = {"P",   "O1P", "O2P", "O5*", "C5*", "C4*",
                                            "O4*", "C3*", "O3*", "C2*", "O2*", "C1*"};
    for (int i = 0; i < count; i++) {
        made_residue(made, "N", i + 1, i % 3 ? "G" : "DA");
        for (int k = 0; k < 12; k++)
            made_atom(made, old_names[k],
                      k == 0                   ? "P"
                      : old_names[k][0] == 'O' ? "O"
                                               : "C",
                      7 + 0.3 * (k % 4), y + 0.4 * k, 6 * i + 0.3 * k);
    }
}

/* The backbone of nucleic acids is sugar and phosphate; here, atom names are those of two formats. */
static void nucleic_acids_have_their_own_backbone(void)
{
    start();
    made_start(&ligand);
    add_nucleotides(&ligand, 8, 0);
    made_start(&model_ligand);
    add_nucleotides(&model_ligand, 8, 2.5);
    for (size_t i = 0; i < model_ligand.molecule.atom_count; i++) {
        char *name = model_ligand.atoms[i].name;
        if (strcmp(name, "O1P") == 0) strcpy(name, "OP1");
        if (strcmp(name, "O2P") == 0) strcpy(name, "OP2");
        if (name[2] == '*') name[2] = '\'';
    }
    qn_complex_reference_destroy(&reference);
    CHECK_OK(qn_complex_reference_create(&receptor.molecule, &ligand.molecule, &reference));
    qn_complex_quality quality = quality_of_model();
    CHECK_NEAR(quality.ligand_rmsd_angstrom, 2.5, 1e-9);
    CHECK(quality.matched_ligand_residues == 8);
}

static const char *const gtp_atoms[] = {"PA", "O5'", "C5'", "C4'", "O4'", "C3'", "O3'", "C2'", "O2'", "C1'", NULL};
/* The ribityl part of FAD and FMN has the names of a nucleotide, S-adenosylmethionine those of an amino acid. */
static const char *const fad_atoms[] = {"P",   "O1P", "O2P", "O5'", "C5'", "C4'", "O4'",
                                        "C3'", "O3'", "C2'", "O2'", "C1'", "N10", NULL};
static const char *const sam_atoms[] = {"N", "CA", "C", "O", "OXT", "CB", "CG", "SD", NULL};

/* Add a residue whose atoms lie along y, 1 Å apart, from (x, 0, z). */
static void add_cofactor(made_molecule *made, const char *name, bool hetero, const char *const *atoms, double x,
                         double z)
{
    made_residue(made, "C", 201 + (int)made->molecule.residue_count, name);
    made->residues[made->molecule.residue_count - 1].hetero = hetero;
    for (int i = 0; atoms[i]; i++)
        made_atom(made, atoms[i], atoms[i][0] == 'P' ? "P" : (char[]){atoms[i][0], '\0'}, x, i, z);
}

static void add_cofactors(made_molecule *made, bool hetero)
{
    add_cofactor(made, "FAD", hetero, fad_atoms, 5, 15);
    add_cofactor(made, "SAM", hetero, sam_atoms, 5, 25);
    add_cofactor(made, "AMP", hetero, fad_atoms, 5, 35); /* a free nucleotide with its atom P */
}

/* Move residue `index` to the end of the file, as HETATM records are in some files. */
static void made_to_end(made_molecule *made, size_t index)
{
    static qn_atom atoms[64];
    qn_residue moved = made->residues[index];
    memcpy(atoms, made->atoms + moved.first_atom, moved.atom_count * sizeof(qn_atom));
    made_remove(made, index);
    for (size_t i = 0; i < made->molecule.atom_count; i++) {
        int *residue = &made->atoms[i].residue;
        *residue -= *residue > (int)index;
    }
    moved.first_atom = made->molecule.atom_count;
    made->residues[made->molecule.residue_count++] = moved;
    for (size_t i = 0; i < moved.atom_count; i++) {
        atoms[i].residue = (int)made->molecule.residue_count - 1;
        made->atoms[made->molecule.atom_count++] = atoms[i];
    }
}

/* Hydrogens, calcium ions (whose atom is named CA) and free nucleotides do not count. */
static void hydrogens_ions_and_free_nucleotides_do_not_count(void)
{
    start();
    size_t contacts = quality_of_model().native_contacts;
    made_residue(&ligand, "C", 200, "CA");
    made_atom(&ligand, "CA", "CA", 2, 0, 30);
    add_cofactor(&ligand, "GTP", true, gtp_atoms, 2, 20);
    made_residue(&ligand, "C", 202, "ALA");
    made_atom(&ligand, "CA", "C", 200, 0, 0);
    made_atom(&ligand, "HA", "H", 2, 0, 10);
    qn_complex_reference_destroy(&reference);
    CHECK_OK(qn_complex_reference_create(&receptor.molecule, &ligand.molecule, &reference));
    qn_complex_quality quality = quality_of_model();
    CHECK(quality.native_contacts == contacts && quality.unmatched_contacts == 0);
    CHECK(quality.matched_ligand_residues == 24);
}

/* Cofactors with the backbone atoms of nucleotides or amino acids, in HETATM or ATOM records, lie in the interface of
 * the native complex, of the model or of both. The quality is the one without them. The model lacks some of the
 * contacts, so that contacts of cofactors would change its Fnat and class. */
static void cofactors_do_not_count(void)
{
    start();
    made_move(&model_ligand, identity, 0.8, 0.5, 1.2);
    const qn_complex_quality plain = quality_of_model();
    CHECK(plain.fnat > 0.1 && plain.fnat < 0.9);
    for (int where = 1; where <= 3; where++)
        for (int hetero = 0; hetero < 2; hetero++) {
            start();
            made_move(&model_ligand, identity, 0.8, 0.5, 1.2);
            if (where & 1) add_cofactors(&receptor, hetero);
            if (where & 2) add_cofactors(&model_receptor, hetero);
            qn_complex_reference_destroy(&reference);
            CHECK_OK(qn_complex_reference_create(&receptor.molecule, &ligand.molecule, &reference));
            const qn_complex_quality quality = quality_of_model();
            CHECK(quality.native_contacts == plain.native_contacts && quality.unmatched_contacts == 0);
            CHECK(quality.matched_receptor_residues == 80 && quality.fnat == plain.fnat);
            CHECK(quality.interface_rmsd_angstrom == plain.interface_rmsd_angstrom);
            CHECK(quality.dockq == plain.dockq && quality.capri == plain.capri);
        }
}

/* Modified residues in HETATM records are bonded to their neighbours and count, also at the end of the file, as do
 * residues of a Cα trace with names of no amino acid. */
static void modified_residues_count(void)
{
    start();
    const size_t contacts = quality_of_model().native_contacts;
    strcpy(receptor.residues[10].name, "XYZ");
    receptor.residues[10].hetero = true;
    strcpy(receptor.residues[11].name, "MSE");
    receptor.residues[11].hetero = true;
    strcpy(receptor.residues[39].name, "TPQ");
    receptor.residues[39].hetero = true;
    made_to_end(&receptor, 10);
    qn_complex_reference_destroy(&reference);
    CHECK_OK(qn_complex_reference_create(&receptor.molecule, &ligand.molecule, &reference));
    const qn_complex_quality quality = quality_of_model();
    CHECK(quality.native_contacts == contacts && quality.matched_receptor_residues == 80 && quality.fnat == 1);
    made_start(&model_receptor);
    for (int i = 0; i < 5; i++) {
        made_residue(&model_receptor, "A", i + 1, "UNK");
        made_atom(&model_receptor, "CA", "C", 3.8 * i, 0, 0);
    }
    qn_residue_kind kinds[5];
    qn_residue_kinds_find(&model_receptor.molecule, kinds);
    for (int i = 0; i < 5; i++) CHECK(kinds[i] == QN_RESIDUE_AMINO_ACID);
}

/* Standard residues count whatever atoms they lack; a residue without its Cα, whose side chain makes contacts, is
 * matched. Caps do not count. */
static void incomplete_residues_count_and_caps_do_not(void)
{
    start();
    const size_t contacts = quality_of_model().native_contacts;
    for (size_t i = 0; i < receptor.molecule.atom_count; i++) /* some other atom in place of every Cα */
        if (strcmp(receptor.atoms[i].name, "CA") == 0) strcpy(receptor.atoms[i].name, "CD1");
    made_residue(&receptor, "A", 41, "NME");
    made_atom(&receptor, "N", "N", 5, 0, 20);
    made_atom(&receptor, "C", "C", 5, 1.4, 20);
    made_residue(&receptor, "A", 0, "ACE");
    made_atom(&receptor, "C", "C", 5, 0, 30);
    made_atom(&receptor, "O", "O", 5, 1.2, 30);
    qn_complex_reference_destroy(&reference);
    CHECK_OK(qn_complex_reference_create(&receptor.molecule, &ligand.molecule, &reference));
    const qn_complex_quality quality = quality_of_model();
    CHECK(quality.native_contacts == contacts && quality.matched_receptor_residues == 80 && quality.fnat == 1);
    CHECK_NEAR(quality.interface_rmsd_angstrom, 0, 1e-9);
}

static qn_residue_match match_of(const made_molecule *from, const made_molecule *to)
{
    qn_partner a, b;
    qn_residue_match match;
    CHECK_OK(qn_partner_build(&from->molecule, &a));
    CHECK_OK(qn_partner_build(&to->molecule, &b));
    CHECK_OK(qn_residue_match_find(&a, &b, &match));
    qn_partner_clear(&a);
    qn_partner_clear(&b);
    return match;
}

/* Different names of a standard residue agree: MSE with MET, HIE with HIS, DA with A. */
static void derived_residues_are_the_same(void)
{
    static const char *const names[][2] = {{"MSE", "MET"}, {"HIE", "HIS"}, {"CYX", "CYS"}};
    made_receptor(&receptor);
    made_copy(&receptor, &model_receptor);
    for (int i = 0; i < 3; i++) {
        strcpy(receptor.residues[i].name, names[i][0]);
        strcpy(model_receptor.residues[i].name, names[i][1]);
    }
    receptor.residues[0].hetero = true;
    qn_residue_match match = match_of(&receptor, &model_receptor);
    CHECK(match.identical_count == 80 && match.alternative_count == 1);
    qn_residue_match_clear(&match);
    made_start(&ligand);
    add_nucleotides(&ligand, 8, 0);
    made_copy(&ligand, &model_ligand);
    for (int i = 0; i < 8; i += 3) strcpy(model_ligand.residues[i].name, "A");
    match = match_of(&ligand, &model_ligand);
    CHECK(match.identical_count == 8);
    qn_residue_match_clear(&match);
}

/* Gaps before and after a chain cost nothing: two residues are aligned with neighbours in the longer chain, not one of
 * them with its end. */
static void end_gaps_are_free(void)
{
    made_start(&model_receptor);
    made_helix(&model_receptor, "A", 1, 20, 11, (const double[2]){0, 0});
    for (int i = 0; i < 20; i++) strcpy(model_receptor.residues[i].name, i == 9 || i == 19 ? "TRP" : "ALA");
    strcpy(model_receptor.residues[8].name, "CYS");
    made_start(&receptor);
    made_helix(&receptor, "B", 101, 2, 11, (const double[2]){0, 0});
    strcpy(receptor.residues[0].name, "CYS");
    strcpy(receptor.residues[1].name, "TRP");
    qn_residue_match match = match_of(&receptor, &model_receptor);
    CHECK(match.identical_count == 2 && match.model_residue[0] == 8 && match.model_residue[1] == 9);
    qn_residue_match_clear(&match);
}

static void ligand_may_have_one_residue(void)
{
    start();
    made_remove(&ligand, 0); /* the third residue faces the receptor */
    made_remove(&ligand, 0);
    while (ligand.molecule.residue_count > 1) made_remove(&ligand, 1);
    made_copy(&ligand, &model_ligand);
    qn_complex_reference_destroy(&reference);
    CHECK_OK(qn_complex_reference_create(&receptor.molecule, &ligand.molecule, &reference));
    made_move(&model_ligand, identity, 0, 0.5, 0);
    CHECK_NEAR(quality_of_model().ligand_rmsd_angstrom, 0.5, 1e-9);
}

static void wrong_input_is_refused(void)
{
    start();
    qn_complex_quality quality;
    qn_complex_reference *none;
    made_start(&model_ligand);
    made_helix(&model_ligand, "C", 5, 24, 99, (const double[2]){9.5, 0});
    CHECK_FAILS(qn_complex_quality_compute(reference, &model_receptor.molecule, &model_ligand.molecule, &quality),
                QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("ligand is another molecule");
    made_start(&model_ligand);
    CHECK_FAILS(qn_complex_quality_compute(reference, &model_receptor.molecule, &model_ligand.molecule, &quality),
                QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("ligand has no amino acid");
    CHECK_FAILS(qn_complex_reference_create(&receptor.molecule, &model_ligand.molecule, &none), QN_BAD_FORMAT);
    CHECK(none == NULL);
    made_move(&ligand, identity, 60, 0, 0);
    CHECK_FAILS(qn_complex_reference_create(&receptor.molecule, &ligand.molecule, &none), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("not a complex");
}

/* The limits of the classes, each from both sides. A model with wrong RMSDs is incorrect, however large its Fnat. */
static void capri_classes_have_the_published_limits(void)
{
    static const struct {
        double fnat, interface, ligand;
        qn_capri_class expected;
    } table[] = {{0.5, 1, 9, QN_CAPRI_HIGH},
                 {0.5, 9, 1, QN_CAPRI_HIGH},
                 {0.5, 1.001, 1.001, QN_CAPRI_MEDIUM},
                 {0.499, 0.5, 0.5, QN_CAPRI_MEDIUM},
                 {0.3, 2, 20, QN_CAPRI_MEDIUM},
                 {0.3, 9, 5, QN_CAPRI_MEDIUM},
                 {0.3, 2.001, 5.001, QN_CAPRI_ACCEPTABLE},
                 {0.9, 4, 30, QN_CAPRI_ACCEPTABLE},
                 {0.9, 30, 10, QN_CAPRI_ACCEPTABLE},
                 {0.9, 4.001, 10.001, QN_CAPRI_INCORRECT},
                 {0.4, 5.8, 22.8, QN_CAPRI_INCORRECT},
                 {0.299, 0.5, 0.5, QN_CAPRI_ACCEPTABLE},
                 {0.1, 4, 20, QN_CAPRI_ACCEPTABLE},
                 {0.1, 9, 10, QN_CAPRI_ACCEPTABLE},
                 {0.1, 4.001, 10.001, QN_CAPRI_INCORRECT},
                 {0.299, 4.001, 10.001, QN_CAPRI_INCORRECT},
                 {0.0999, 0, 0, QN_CAPRI_INCORRECT},
                 {0, 0, 0, QN_CAPRI_INCORRECT}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        CHECK(qn_capri_classify(table[i].fnat, table[i].interface, table[i].ligand) == table[i].expected);
    CHECK_TEXT(qn_capri_class_name(QN_CAPRI_INCORRECT), "incorrect");
    CHECK_TEXT(qn_capri_class_name(QN_CAPRI_ACCEPTABLE), "acceptable");
    CHECK_TEXT(qn_capri_class_name(QN_CAPRI_MEDIUM), "medium");
    CHECK_TEXT(qn_capri_class_name(QN_CAPRI_HIGH), "high");
}

static void dockq_has_known_values(void)
{
    CHECK_NEAR(qn_dockq(1, 0, 0), 1, 1e-15);
    CHECK_NEAR(qn_dockq(0, 1.5, 8.5), 1.0 / 3, 1e-15);
    CHECK_NEAR(qn_dockq(0.6, 3, 17), (0.6 + 0.2 + 0.2) / 3, 1e-15);
    CHECK_NEAR(qn_dockq(0, 1.5, 1e9), 1.0 / 6, 1e-12);
}

int main(void)
{
    RUN(native_is_perfect);
    RUN(fnat_and_interface_rmsd_equal_brute_force);
    RUN(shifted_ligand_has_the_rmsd_of_the_shift);
    RUN(rotated_ligand_has_the_rmsd_of_the_turn);
    RUN(rigid_motion_does_not_change_the_quality);
    RUN(renamed_and_renumbered_chains_are_matched);
    RUN(insertion_codes_are_matched);
    RUN(contacts_of_missing_residues_count_as_missing);
    RUN(missing_one_of_two_equal_neighbours_is_found);
    RUN(only_common_residues_count);
    RUN(equivalent_chains_are_interchangeable);
    RUN(nucleic_acids_have_their_own_backbone);
    RUN(hydrogens_ions_and_free_nucleotides_do_not_count);
    RUN(cofactors_do_not_count);
    RUN(modified_residues_count);
    RUN(incomplete_residues_count_and_caps_do_not);
    RUN(derived_residues_are_the_same);
    RUN(end_gaps_are_free);
    RUN(ligand_may_have_one_residue);
    RUN(wrong_input_is_refused);
    RUN(capri_classes_have_the_published_limits);
    RUN(dockq_has_known_values);
    qn_complex_reference_destroy(&reference);
    return check_finish();
}
