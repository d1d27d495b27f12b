/* Regions of chains that the user names as an antibody's. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "dock/known/antibody_chains.h"

/* cAb-Lys3; the variable domain of the T-cell receptor A6's alpha chain, which only a user takes for an antibody;
 * lysozyme. */
static const char vhh[] =
    "DVQLQASGGGSVQAGGSLRLSCAASGYTIGPYCMGWFRQAPGKEREGVAAINMGGGITYYADSVKGRFTISQDNAKNTVYLLMNSLEPEDTAIYYCAADST"
    "IYASYYECGHGLSTGGYGYDSWGQGTQVTVSS";
static const char alpha[] =
    "KEVEQNSGPLSVPEGAIASLNCTYSDRGSQSFFWYRQYSGKSPELIMFIYSNGDKEDGRFTAQLNKASQYVSLLIRDSQPSDSATYLCAVTTDSWGKLQFGA"
    "GTQVVVTP";
static const char lysozyme[] =
    "KVFGRCELAAAMKRHGLDNYRGYSLGNWVCAAKFESNFNTQATNRNTDGSTDYGILQINSRWWCNDGRTPGSRNLCNIPCSALLSSDITASVNCAKKIVSDG";

static const char three_letters[][5] = {"AALA", "RARG", "NASN", "DASP", "CCYS", "QGLN", "EGLU", "GGLY", "HHIS", "IILE",
                                        "LLEU", "KLYS", "MMET", "FPHE", "PPRO", "SSER", "TTHR", "WTRP", "YTYR", "VVAL"};

static void add_chain(qn_molecule *molecule, const char *chain, const char *sequence)
{
    for (int i = 0; sequence[i]; i++) {
        qn_residue residue = {.number = 1 + i};
        strcpy(residue.chain, chain);
        for (size_t t = 0; t < sizeof three_letters / sizeof *three_letters; t++)
            if (three_letters[t][0] == sequence[i]) strcpy(residue.name, three_letters[t] + 1);
        CHECK_OK(qn_molecule_append_residue(molecule, &residue));
        CHECK_OK(qn_molecule_append_atom(molecule, &(qn_atom){{3.8 * i, 0, 0}, .name = "CA", .element = "C"}));
    }
}

static qn_molecule *receptor, *ligand;

static size_t count_in(const qn_molecule *molecule, const bool *marks, const char *chain)
{
    size_t count = 0;
    for (size_t r = 0; r < molecule->residue_count; r++)
        count += marks[r] && strcmp(molecule->residues[r].chain, chain) == 0;
    return count;
}

static void found_regions_are_those_of_certain_domains(void)
{
    qn_dock_regions regions;
    CHECK_OK(qn_dock_regions_find(receptor, &regions));
    if (CHECK(regions.residues && regions.domain_count == 1)) {
        CHECK(count_in(receptor, regions.residues, "H") == 10 + 17 + 24);
        CHECK(count_in(receptor, regions.residues, "tcr") == 0);
    }
    qn_release(&regions.residues);
    CHECK_OK(qn_dock_regions_find(ligand, &regions));
    CHECK(!regions.residues && regions.domain_count == 0);
}

static void named_chains_have_regions_and_others_none(void)
{
    qn_dock_regions regions[2];
    const char *one[] = {"receptor:tcr"}, *all[] = {"receptor:H,tcr", "ligand:V"};
    CHECK_OK(qn_dock_regions_align(one, 1, receptor, ligand, regions));
    if (CHECK(regions[0].residues && regions[0].domain_count == 1)) {
        CHECK(count_in(receptor, regions[0].residues, "H") == 0);
        CHECK(count_in(receptor, regions[0].residues, "tcr") == 11 + 7 + 11);
    }
    CHECK(!regions[1].residues && regions[1].domain_count == 0);
    qn_release(&regions[0].residues);
    CHECK_OK(qn_dock_regions_align(all, 2, receptor, ligand, regions));
    CHECK(regions[0].domain_count == 2 && regions[1].domain_count == 1);
    CHECK(count_in(receptor, regions[0].residues, "H") == 51 && count_in(receptor, regions[0].residues, "tcr") == 29);
    CHECK(count_in(ligand, regions[1].residues, "V") == 29 && count_in(ligand, regions[1].residues, "A") == 0);
    for (int side = 0; side < 2; side++) qn_release(&regions[side].residues);
}

static void wrong_chains_are_refused(void)
{
    static const struct {
        const char *text;
        qn_status status;
        const char *sentence;
    } bad[] = {
        {"H,L", QN_INVALID_ARGUMENT, "the antibody \"H,L\" is no list of chains; expected such as receptor:H,L"},
        {"receptor:H:30", QN_INVALID_ARGUMENT,
         "the antibody \"receptor:H:30\" is no list of chains; expected such as receptor:H,L"},
        {"receptor:H,Q", QN_NOT_FOUND,
         "selection \"receptor:Q\": the receptor has no chain \"Q\"; expected one of its chains: H, tcr"},
        {"target:H", QN_INVALID_ARGUMENT, "the partner \"target\" is unknown; expected receptor or ligand"},
        {"ligand:A", QN_INVALID_ARGUMENT,
         "no variable domain of an antibody can be aligned with the chain \"ligand:A\"; expected a chain with one"},
        {"receptor:Habcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
         QN_INVALID_ARGUMENT, "has too long a name; expected such as receptor:H,L"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *texts[] = {"receptor:H", bad[i].text};
        qn_dock_regions regions[2];
        CHECK_FAILS(qn_dock_regions_align(texts, 2, receptor, ligand, regions), bad[i].status);
        CHECK_MESSAGE_HAS(bad[i].sentence);
        CHECK(!regions[0].residues && !regions[1].residues);
    }
}

int main(void)
{
    CHECK_OK(qn_molecule_create("receptor.pdb", &receptor));
    CHECK_OK(qn_molecule_create("ligand.pdb", &ligand));
    add_chain(receptor, "H", vhh);
    add_chain(receptor, "tcr", alpha);
    add_chain(ligand, "A", lysozyme);
    add_chain(ligand, "V", alpha);
    RUN(found_regions_are_those_of_certain_domains);
    RUN(named_chains_have_regions_and_others_none);
    RUN(wrong_chains_are_refused);
    qn_molecule_destroy(&receptor);
    qn_molecule_destroy(&ligand);
    return check_finish();
}
