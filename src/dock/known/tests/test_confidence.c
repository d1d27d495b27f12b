/* Residues of low pLDDT lose their charges, types and shape; structures that are not predicted are refused. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "dock/known/confidence.h"

enum { RESIDUES = 4, ATOMS = 3 };

/* Residue i has the B-factor factors[i]; the last atom is a hydrogen with another B-factor. */
static void make_partner(const float *factors, qn_dock_partner *partner)
{
    void *memory;
    *partner = (qn_dock_partner){0};
    CHECK_OK(qn_molecule_create("model.pdb", &partner->molecule));
    for (int r = 0; r < RESIDUES; r++) {
        CHECK_OK(qn_molecule_append_residue(partner->molecule,
                                            &(qn_residue){.number = 10 + r, .chain = "A", .name = "ALA"}));
        for (int i = 0; i < ATOMS; i++) {
            const bool hydrogen = i == ATOMS - 1;
            qn_atom atom = {{r, i, 0}, .name = "C", .b_factor_angstrom2 = hydrogen ? 7 : factors[r]};
            strcpy(atom.element, hydrogen ? "H" : "C");
            CHECK_OK(qn_molecule_append_atom(partner->molecule, &atom));
        }
    }
    /* The atoms' sites, and a built hydrogen of the second residue. */
    CHECK_OK(qn_allocate(RESIDUES * ATOMS + 1, sizeof(qn_dock_site), &memory));
    partner->sites = memory;
    partner->site_count = RESIDUES * ATOMS + 1;
    for (size_t i = 0; i < partner->site_count; i++)
        partner->sites[i] = (qn_dock_site){.charge_e = 0.5, .type = 3, .heavy = true, .residue = i / ATOMS};
    partner->sites[RESIDUES * ATOMS].residue = 1;
}

static void check_masked(const char *const *limits, size_t count, const char *role, const bool masked[RESIDUES])
{
    static const float factors[RESIDUES] = {92.5f, 31.25f, 50, 49.99f};
    qn_dock_partner partner;
    make_partner(factors, &partner);
    CHECK_OK(qn_dock_confidence_mask(limits, count, role, NULL, &partner));
    for (size_t i = 0; i < partner.site_count; i++) {
        const qn_dock_site *site = &partner.sites[i];
        const bool gone = masked[site->residue];
        CHECK(site->heavy == !gone && site->charge_e == (gone ? 0 : 0.5) && site->type == (gone ? -1 : 3));
    }
    CHECK(partner.molecule->atom_count == RESIDUES * ATOMS);
    qn_dock_partner_clear(&partner);
}

static void residues_below_the_limit_are_masked(void)
{
    static const bool none[RESIDUES] = {false}, low[RESIDUES] = {false, true, false, true},
                      lowest[RESIDUES] = {false, true, false, false}, most[RESIDUES] = {false, true, true, true};
    check_masked(NULL, 0, "receptor", none);
    check_masked((const char *[]){"50"}, 1, "receptor", low);
    check_masked((const char *[]){"50"}, 1, "ligand", low);
    check_masked((const char *[]){"ligand:50"}, 1, "ligand", low);
    check_masked((const char *[]){"ligand:50"}, 1, "receptor", none);
    check_masked((const char *[]){"receptor:40.5", "70"}, 2, "receptor", lowest);
    check_masked((const char *[]){"receptor:40.5", "70"}, 2, "ligand", most);
}

static void check_refused(const float *factors, const char *limit, const char *sentence)
{
    qn_dock_partner partner;
    make_partner(factors, &partner);
    CHECK_FAILS(qn_dock_confidence_mask(&limit, 1, "receptor", NULL, &partner), QN_BAD_FORMAT);
    CHECK_TEXT(qn_error_message(), sentence);
    for (size_t i = 0; i < partner.site_count; i++) CHECK(partner.sites[i].heavy);
    qn_dock_partner_clear(&partner);
}

static void structures_without_plddt_are_refused(void)
{
    qn_dock_partner partner;
    check_refused((float[]){20, 30, 120.5f, 60}, "50",
                  "receptor: model.pdb: residue 12 of chain A has the B-factor 120.5; expected a pLDDT from 0 to 100");
    check_refused((float[]){20, -30, 20.5f, 60}, "50",
                  "receptor: model.pdb: residue 11 of chain A has the B-factor -30; expected a pLDDT from 0 to 100");
    check_refused(
        (float[]){0, 0, 0, 0}, "50",
        "receptor: model.pdb: the B-factors are from 0 to 0; expected the pLDDT of a predicted structure, from 0 "
        "to 100");
    check_refused(
        (float[]){0.5f, 0.75f, 0.25f, 0.5f}, "50",
        "receptor: model.pdb: the B-factors are from 0.25 to 0.75; expected the pLDDT of a predicted structure, "
        "from 0 to 100");
    check_refused(
        (float[]){20, 20, 20, 20}, "50",
        "receptor: model.pdb: the B-factors are from 20 to 20; expected the pLDDT of a predicted structure, from "
        "0 to 100");
    check_refused((float[]){20, 30, 40, 45}, "50",
                  "receptor: model.pdb: the highest pLDDT is 45, below the limit of 50; expected a lower limit");
    make_partner((float[]){60, 70, 80, 90}, &partner);
    partner.molecule->atoms[ATOMS].b_factor_angstrom2 = 72.25f;
    CHECK_FAILS(qn_dock_confidence_mask((const char *[]){"50"}, 1, "ligand", NULL, &partner), QN_BAD_FORMAT);
    CHECK_TEXT(qn_error_message(),
               "ligand: model.pdb: residue 11 of chain A has B-factors from 70 to 72.25; expected the "
               "same pLDDT for all its atoms");
    qn_dock_partner_clear(&partner);
}

static void wrong_limits_are_refused(void)
{
    static const char *const bad[] = {"0",        "100.5",     "-5",        "low", "5e1", "nan",
                                      "receptor", "target:50", "receptor:", ":50", "50 "};
    qn_dock_partner partner;
    make_partner((float[]){60, 70, 80, 90}, &partner);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char sentence[200];
        snprintf(sentence, sizeof sentence,
                 "the pLDDT \"%s\" is no limit; expected a number above 0 and up to 100, such as 50, or receptor:50 or "
                 "ligand:50 for one partner",
                 bad[i]);
        CHECK_FAILS(qn_dock_confidence_mask(&bad[i], 1, "ligand", NULL, &partner), QN_INVALID_ARGUMENT);
        CHECK_TEXT(qn_error_message(), sentence);
    }
    CHECK_FAILS(qn_dock_confidence_mask((const char *[]){"50", "60"}, 2, "ligand", NULL, &partner),
                QN_INVALID_ARGUMENT);
    CHECK_TEXT(qn_error_message(), "the pLDDT \"60\" is a second limit; expected one for a partner");
    qn_dock_partner_clear(&partner);
}

/* A predicted structure with other B-factors for each atom, as AlphaFold 3 writes them, and a table of pLDDT. Its names
 * of chains and numbers are not the authors'. */
static void values_of_a_category_have_precedence(void)
{
    static const char text[] =
        "data_model\nloop_\n_ma_qa_metric.id\n_ma_qa_metric.mode\n_ma_qa_metric.name\n_ma_qa_metric.type\n1 global pTM "
        "pTM\n2 local 'local score' "
        "pLDDT\nloop_\n_ma_qa_metric_local.label_asym_id\n_ma_qa_metric_local.label_comp_id\n"
        "_ma_qa_metric_local.label_seq_id\n_ma_qa_metric_local.metric_id\n_ma_qa_metric_local.metric_value\nX ALA 1 2 "
        "%s\nX GLY 2 1 99\nX GLY 2 2 30.5\nY GLY 1 2 70\nloop_\n_atom_site.group_PDB\n_atom_site.id\n"
        "_atom_site.type_symbol\n_atom_site.label_atom_id\n_atom_site.label_comp_id\n_atom_site.label_asym_id\n"
        "_atom_site.label_seq_id\n_atom_site.auth_asym_id\n_atom_site.auth_seq_id\n_atom_site.Cartn_x\n_atom_site."
        "Cartn_y\n"
        "_atom_site.Cartn_z\n_atom_site.B_iso_or_equiv\nATOM 1 N N ALA X 1 A 11 0 0 0 95\nATOM 2 C CA ALA X 1 A 11 1.5 "
        "0 0 "
        "20\nATOM 3 N N GLY X 2 A 12 4 0 0 95\nATOM 4 C CA GLY X 2 A 12 5.5 0 0 91\nATOM 5 N N GLY Y 1 B 1 9 0 0 "
        "10\nATOM 6 "
        "C CA GLY Y 1 B 1 10.5 0 0 12\nHETATM 7 ZN ZN ZN Z . A 99 20 0 0 5\n#\n";
    char whole[4096], path[4096];
    qn_dock_partner partner;
    for (int pass = 0; pass < 3; pass++) {
        snprintf(whole, sizeof whole, text, pass == 0 ? "80" : pass == 1 ? "high" : "180");
        snprintf(path, sizeof path, "%s/model.cif", check_scratch_folder());
        CHECK_OK(qn_file_write(path, whole, strlen(whole)));
        CHECK_OK(qn_dock_partner_read(path, 0, "receptor", &partner));
        const qn_status status = qn_dock_confidence_mask((const char *[]){"50"}, 1, "receptor", path, &partner);
        if (pass == 0) {
            CHECK_OK(status);
            for (size_t i = 0; i < partner.molecule->atom_count; i++) CHECK(partner.sites[i].heavy == (i < 2 || i > 3));
        } else {
            CHECK_FAILS(status, QN_BAD_FORMAT);
            CHECK_MESSAGE_HAS(
                pass == 1 ? "model.cif: row 1 of _ma_qa_metric_local (loop at line 9): metric_value is \"high\"; "
                            "expected a number"
                          : "model.cif: residue 11 of chain A has the pLDDT 180; expected one from 0 to 100");
        }
        qn_dock_partner_clear(&partner);
    }
    /* With the chain selected, the path's colon is no part of the file's name. */
    snprintf(whole, sizeof whole, text, "80");
    CHECK_OK(qn_file_write(path, whole, strlen(whole)));
    strcat(path, ":B");
    CHECK_OK(qn_dock_partner_read(path, 0, "receptor", &partner));
    CHECK_FAILS(qn_dock_confidence_mask((const char *[]){"75"}, 1, "receptor", path, &partner), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("are from 70 to 70");
    qn_dock_partner_clear(&partner);
}

int main(void)
{
    RUN(residues_below_the_limit_are_masked);
    RUN(structures_without_plddt_are_refused);
    RUN(wrong_limits_are_refused);
    RUN(values_of_a_category_have_precedence);
    return check_finish();
}
