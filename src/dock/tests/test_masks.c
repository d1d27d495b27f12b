/* Masks from options to energies: the energy that --block, --attract and antibody sets add is equal to a sum over pairs
 * of heavy atoms in contact. The ligand's atoms lie on voxels of the grid in all poses, so that distances from voxels
 * are distances from atoms. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "dock/masks.h"
#include "dock/pose.h"
#include "dock/search/ligand.h"

enum { MASK = 4, CELLS = 48, BOX_CENTRE = 8, LIGAND_RESIDUES = 4 };

static const double contact_angstrom = 3.6; /* beyond a receptor atom's radius */

/* cAb-Lys3, a single heavy domain, with its published complementarity-determining regions. */
static const char vhh[] =
    "DVQLQASGGGSVQAGGSLRLSCAASGYTIGPYCMGWFRQAPGKEREGVAAINMGGGITYYADSVKGRFTISQDNAKNTVYLLMNSLEPEDTAIYYCAADST"
    "IYASYYECGHGLSTGGYGYDSWGQGTQVTVSS";
static const char *const regions[] = {"GYTIGPYCMG", "AINMGGGITYYADSVKG", "DSTIYASYYECGHGLSTGGYGYDS"};
static const char three_letters[][5] = {"AALA", "RARG", "NASN", "DASP", "CCYS", "QGLN", "EGLU", "GGLY", "HHIS", "IILE",
                                        "LLEU", "KLYS", "MMET", "FPHE", "PPRO", "SSER", "TTHR", "WTRP", "YTYR", "VVAL"};

static qn_dock_partner receptor, ligand;

static qn_coefficients plain = {"plain", 0.4, -0.4, 250, 1, 4.8, 4, 125, INFINITY, false};
static qn_coefficients wants_cdrs = {"wants", 0.4, -0.4, 250, 1, 4.8, 4, 125, INFINITY, true};

static void add_atom(qn_molecule *molecule, const char *name, double x, double y, double z)
{
    qn_atom atom = {.position_angstrom = {x, y, z}, .element = "C", .occupancy = 1};
    strcpy(atom.name, name);
    CHECK_OK(qn_molecule_append_atom(molecule, &atom));
}

static void add_residue(qn_molecule *molecule, const char *chain, int number, char letter)
{
    qn_residue residue = {.number = number};
    strcpy(residue.chain, chain);
    strcpy(residue.name, "UNK");
    for (size_t i = 0; i < sizeof three_letters / sizeof *three_letters; i++)
        if (three_letters[i][0] == letter) strcpy(residue.name, three_letters[i] + 1);
    CHECK_OK(qn_molecule_append_residue(molecule, &residue));
}

/* Make one site per atom; radii differ, and every seventh site is not a heavy atom. */
static void make_sites(qn_dock_partner *partner)
{
    void *memory;
    const qn_molecule *molecule = partner->molecule;
    CHECK_OK(qn_allocate(molecule->atom_count, sizeof(qn_dock_site), &memory));
    partner->sites = memory;
    partner->site_count = molecule->atom_count;
    for (size_t i = 0; i < molecule->atom_count; i++) {
        qn_dock_site *site = &partner->sites[i];
        memcpy(site->position_angstrom, molecule->atoms[i].position_angstrom, sizeof site->position_angstrom);
        site->heavy = i % 7 != 3;
        site->radius_angstrom = site->heavy ? 1.5f + 0.25f * (float)(i % 3) : 0;
        site->type = (int)(i % 19) - 1;
        site->residue = molecule->atoms[i].residue;
    }
}

/* Make a receptor of Cα atoms 3.8 Å apart, in layers of rows that run to and fro, and a ligand of four residues with
 * atoms at integer coordinates. */
static void make_partners(const char *sequence)
{
    CHECK_OK(qn_molecule_create("antibody.pdb", &receptor.molecule));
    for (int i = 0; sequence[i]; i++) {
        int row = i / 5, x = row % 2 ? 4 - i % 5 : i % 5, layer = row / 5, y = layer % 2 ? 4 - row % 5 : row % 5;
        add_residue(receptor.molecule, "H", 1 + i, sequence[i]);
        add_atom(receptor.molecule, "CA", 3.8 * x, 3.8 * y, 3.8 * layer);
    }
    make_sites(&receptor);
    CHECK_OK(qn_molecule_create("ligand.pdb", &ligand.molecule));
    for (int r = 0; r < LIGAND_RESIDUES; r++) {
        add_residue(ligand.molecule, "L", 10 + r, 'G');
        for (int i = 0; i < 4; i++) add_atom(ligand.molecule, "C", 102 + r, -40 + i % 2 * 3, 7 - r % 2 * 2 + i / 2);
    }
    make_sites(&ligand);
}

static void clear_partners(void)
{
    qn_dock_partner_clear(&receptor);
    qn_dock_partner_clear(&ligand);
}

/* Cells of 1 Å: the ligand's atoms lie on voxels in all poses without rotation. */
static const qn_dock_grid grid = {.spacing_angstrom = 1,
                                  .origin_angstrom = {-16, -16, -16},
                                  .cells = {CELLS, CELLS, CELLS + 12},
                                  .box = 2 * BOX_CENTRE + 2,
                                  .box_centre = BOX_CENTRE,
                                  .centre_angstrom = {103, -39, 7},
                                  .first_shift = {-4, -4, -4},
                                  .last_shift = {CELLS - 6, CELLS - 6, CELLS + 6}};
static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* Expected energy of each contact, by residue. */
typedef struct expectation {
    double receptor[256], ligand[LIGAND_RESIDUES];
} expectation;

static bool in_core(const qn_dock_energy *energy, const double place[3])
{
    size_t cell = 0;
    for (int axis = 2; axis >= 0; axis--)
        cell = cell * (size_t)grid.cells[axis] + (size_t)lround(place[axis] - grid.origin_angstrom[axis]);
    return energy->layers[0].kind == QN_DOCK_CORE && energy->layers[0].values[cell] == 1;
}

static double sum_over_pairs(const qn_dock_energy *energy, const double shift[3], const expectation *expected,
                             size_t *contacts)
{
    double sum = 0;
    for (size_t j = 0; j < ligand.site_count; j++) {
        double place[3];
        for (int axis = 0; axis < 3; axis++) place[axis] = ligand.sites[j].position_angstrom[axis] + shift[axis];
        if (!ligand.sites[j].heavy || in_core(energy, place)) continue;
        for (size_t i = 0; i < receptor.site_count; i++) {
            const double *at = receptor.sites[i].position_angstrom;
            double r = sqrt(pow(at[0] - place[0], 2) + pow(at[1] - place[1], 2) + pow(at[2] - place[2], 2));
            if (!receptor.sites[i].heavy || r >= (double)receptor.sites[i].radius_angstrom + contact_angstrom) continue;
            sum += expected->receptor[receptor.sites[i].residue] + expected->ligand[ligand.sites[j].residue];
            ++*contacts;
        }
    }
    return sum;
}

/* Check the mask term of one set for poses around and inside the receptor. Weights and values are multiples of 2^-20
 * and small, so that sums are exact. */
static void check_term(const qn_dock_masks *masks, const qn_coefficients *sets, size_t count, size_t set,
                       const expectation *expected)
{
    qn_dock_energy energy;
    qn_dock_ligand integers;
    int32_t rotation[9];
    size_t contacts = 0, touching = 0;
    CHECK_OK(qn_dock_energy_piper(&receptor, &ligand, sets, count, 2, masks, &energy));
    CHECK_OK(qn_dock_energy_fill(&energy, &receptor, &grid, NULL));
    CHECK_OK(qn_dock_ligand_create(&ligand, &energy, &grid, &integers));
    qn_dock_rotation_to_integers(identity, rotation);
    for (int pose = 0; pose < 343; pose++) {
        int shift[3] = {pose % 7 * 5, pose / 7 % 7 * 5, pose / 49 * 6};
        long cell = shift[0] + (long)grid.cells[0] * (shift[1] + (long)grid.cells[1] * shift[2]);
        double translation[3], terms[QN_DOCK_TERMS_MAX];
        qn_dock_grid_translation(&grid, cell, identity, translation);
        double total = qn_dock_rescore(&grid, &energy, set, &integers, rotation, cell, terms), others = 0;
        const double weights[] = {sets[set].repulsion, sets[set].attraction, sets[set].electrostatic, sets[set].pair};
        size_t before = contacts;
        CHECK_NEAR(terms[MASK], sum_over_pairs(&energy, translation, expected, &contacts), 1e-9);
        for (int term = 0; term < MASK; term++) others += weights[term] * terms[term];
        CHECK_NEAR(total, others + terms[MASK], 1e-9 * (1 + fabs(total)));
        touching += contacts > before;
    }
    CHECK(touching > 30 && touching < 343); /* some poses have contacts, others have none */
    qn_dock_ligand_clear(&integers);
    qn_dock_energy_clear(&energy);
}

/* Check the energies of the masks that options ask for. */
static void check_options(const qn_dock_options *options, const qn_coefficients *set, const expectation *expected)
{
    qn_dock_masks masks;
    if (!CHECK_OK(qn_dock_masks_create(options, &receptor, &ligand, set, 1, &masks))) return;
    check_term(&masks, set, 1, 0, expected);
    qn_dock_masks_clear(&masks);
    CHECK(!masks.receptor && !masks.ligand && !masks.cdrs && !masks.ligand_cdrs);
}

static void blocked_residues_add_energy(void)
{
    const char *blocked[] = {"receptor:H:3-9", "receptor:H:7,40"}; /* residue 7 is named twice and counts once */
    qn_dock_options options = qn_dock_default_options();
    expectation expected = {0};
    options.blocked = blocked;
    options.blocked_count = 2;
    options.block_penalty = 1.5;
    for (int number = 3; number <= 9; number++) expected.receptor[number - 1] = 1.5;
    expected.receptor[39] = 1.5;
    make_partners(vhh);
    check_options(&options, &plain, &expected);
    clear_partners();
}

static void attracting_residues_subtract_energy(void)
{
    const char *attracted[] = {"ligand:L:11-12", "receptor:H:100-120"};
    qn_dock_options options = qn_dock_default_options();
    expectation expected = {.ligand = {0, -0.75, -0.75, 0}};
    options.attracted = attracted;
    options.attracted_count = 2;
    options.attract_bonus = 0.75;
    for (int number = 100; number <= 120; number++) expected.receptor[number - 1] = -0.75;
    make_partners(vhh);
    check_options(&options, &plain, &expected);
    clear_partners();
}

/* A whole chain is blocked; residues of it that attract get the sum of both energies. */
static void blocking_and_attraction_add_up(void)
{
    const char *blocked[] = {"receptor:H", "ligand:L:10"}, *attracted[] = {"receptor:H:50-60", "ligand:L:13"};
    qn_dock_options options = qn_dock_default_options();
    expectation expected = {.ligand = {2, 0, 0, -0.5}};
    options.blocked = blocked;
    options.attracted = attracted;
    options.blocked_count = options.attracted_count = 2;
    options.block_penalty = 2;
    options.attract_bonus = 0.5;
    for (size_t i = 0; i < strlen(vhh); i++) expected.receptor[i] = i >= 49 && i < 60 ? 1.5 : 2;
    make_partners(vhh);
    check_options(&options, &plain, &expected);
    clear_partners();
}

/* If no masks are asked for, or if they cancel, there are no layers and ligand grids of masks. */
static void masks_that_cancel_have_no_layers(void)
{
    const char *everything[] = {"receptor:H:20-30", "ligand:L"};
    qn_dock_options options = qn_dock_default_options();
    qn_dock_masks masks;
    qn_dock_energy with, without;
    make_partners(vhh);
    for (int pass = 0; pass < 3; pass++) {
        if (pass) options.blocked = options.attracted = everything;
        options.blocked_count = options.attracted_count = pass ? 2 : 0;
        options.block_penalty = options.attract_bonus = pass == 2 ? 0 : 3.25;
        if (!CHECK_OK(qn_dock_masks_create(&options, &receptor, &ligand, &plain, 1, &masks))) continue;
        CHECK(!masks.receptor && !masks.ligand && !masks.cdrs && !masks.ligand_cdrs);
        CHECK_OK(qn_dock_energy_piper(&receptor, &ligand, &plain, 1, 4, &masks, &with));
        CHECK_OK(qn_dock_energy_piper(&receptor, &ligand, &plain, 1, 4, NULL, &without));
        CHECK(with.layer_count == without.layer_count && with.grid_count == without.grid_count);
        qn_dock_energy_clear(&with);
        qn_dock_energy_clear(&without);
        qn_dock_masks_clear(&masks);
    }
    clear_partners();
}

/* In sets for CDRs only, all residues of an antibody outside its regions repel; in other sets they do not. */
static void antibody_sets_mask_residues_outside_cdrs(void)
{
    const qn_coefficients both[2] = {plain, wants_cdrs};
    qn_dock_options options = qn_dock_default_options();
    qn_dock_masks masks;
    expectation none = {0}, outside = {0};
    make_partners(vhh);
    for (size_t i = 0; i < strlen(vhh); i++) outside.receptor[i] = 1;
    for (size_t r = 0; r < 3; r++)
        for (size_t i = 0; i < strlen(regions[r]); i++)
            outside.receptor[(size_t)(strstr(vhh, regions[r]) - vhh) + i] = 0;
    if (CHECK_OK(qn_dock_masks_create(&options, &receptor, &ligand, both, 2, &masks))) {
        CHECK(masks.cdr_penalty == 1);
        check_term(&masks, both, 2, 0, &none);
        check_term(&masks, both, 2, 1, &outside);
        qn_dock_masks_clear(&masks);
    }
    /* In addition, residues are blocked in both sets. */
    const char *blocked[] = {"receptor:H:1-20"};
    options.blocked = blocked;
    options.blocked_count = 1;
    for (int i = 0; i < 20; i++) {
        none.receptor[i] += 1;
        outside.receptor[i] += 1;
    }
    if (CHECK_OK(qn_dock_masks_create(&options, &receptor, &ligand, both, 2, &masks))) {
        check_term(&masks, both, 2, 0, &none);
        check_term(&masks, both, 2, 1, &outside);
        qn_dock_masks_clear(&masks);
    }
    clear_partners();
}

/* An antibody can be the ligand, such as a nanobody; then the ligand's framework repels. */
static void antibody_ligands_are_masked(void)
{
    static const bool cdrs[LIGAND_RESIDUES] = {false, true, false, true};
    const qn_coefficients both[2] = {plain, wants_cdrs};
    const double of_ligand[LIGAND_RESIDUES] = {0, 0, 0.5, 0};
    const qn_dock_masks masks = {.ligand = of_ligand, .cdr_penalty = 1, .ligand_cdrs = cdrs};
    const expectation blocked = {.ligand = {0, 0, 0.5, 0}}, outside = {.ligand = {1, 0, 1.5, 0}};
    make_partners(vhh);
    check_term(&masks, both, 2, 0, &blocked);
    check_term(&masks, both, 2, 1, &outside);
    clear_partners();
}

/* Coefficients "auto" look for an antibody in both partners. */
static void either_partner_may_be_the_antibody(void)
{
    bool found = false;
    make_partners(vhh);
    CHECK_OK(qn_dock_masks_antibody(&receptor, &ligand, &found));
    CHECK(found);
    found = false;
    CHECK_OK(qn_dock_masks_antibody(&ligand, &receptor, &found));
    CHECK(found);
    CHECK_OK(qn_dock_masks_antibody(&ligand, &ligand, &found));
    CHECK(!found);
    clear_partners();
}

/* Active residues attract; blocked ones among them get the sum. */
static void active_residues_subtract_energy(void)
{
    const char *active[] = {"receptor:H:3-4", "ligand:L:11"}, *blocked[] = {"receptor:H:4"};
    qn_dock_options options = qn_dock_default_options();
    qn_dock_restraints restraints = {0};
    qn_dock_masks masks;
    expectation expected = {0};
    options.blocked = blocked;
    options.blocked_count = 1;
    make_partners(vhh);
    CHECK_OK(qn_dock_restraints_add_active(active, 2, NULL, 0, receptor.molecule, ligand.molecule, &restraints));
    restraints.strength = 1;
    qn_dock_restraints_attract(&restraints, receptor.molecule, ligand.molecule, expected.receptor, expected.ligand);
    restraints.strength = 0.5 / -expected.receptor[2]; /* sums are exact with energies of 1/2 */
    memset(&expected, 0, sizeof expected);
    qn_dock_restraints_attract(&restraints, receptor.molecule, ligand.molecule, expected.receptor, expected.ligand);
    CHECK(expected.receptor[2] < 0 && expected.receptor[1] == 0 && expected.ligand[1] < 0);
    expected.receptor[3] += 1;
    if (CHECK_OK(qn_dock_masks_create(&options, &receptor, &ligand, &plain, 1, &masks))) {
        CHECK_OK(qn_dock_masks_attract(&(qn_dock_restraints){0}, &receptor, &ligand, &masks)); /* no attraction */
        CHECK(masks.receptor && !masks.ligand);
        CHECK_OK(qn_dock_masks_attract(&restraints, &receptor, &ligand, &masks));
        check_term(&masks, &plain, 1, 0, &expected);
        qn_dock_masks_clear(&masks);
    }
    qn_dock_restraints_clear(&restraints);
    clear_partners();
}

/* The energy of restraints is a part of the mask term, whose weight is 1. The pose has atoms of the active residue at
 * those of the receptor. */
static void satisfied_restraints_lower_the_mask_term(void)
{
    const char *active[] = {"ligand:L:11"};
    qn_dock_restraints restraints = {.strength = 0.5};
    qn_dock_energy energy;
    make_partners(vhh);
    CHECK_OK(qn_dock_energy_piper(&receptor, &ligand, &plain, 1, 0, NULL, &energy));
    CHECK_OK(qn_dock_restraints_add_active(active, 1, NULL, 0, receptor.molecule, ligand.molecule, &restraints));
    qn_dock_pose pose = {.energy = -5, .terms = {1, 2, 3, 4, 5}, .matrix = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    qn_dock_pose_add_restraints(&energy, NULL, &pose);
    CHECK(pose.energy == -5 && pose.terms[MASK] == 5);
    qn_dock_pose_add_restraints(&energy, &restraints, &pose); /* far away */
    CHECK(pose.energy == -5 && pose.terms[MASK] == 5);
    for (int axis = 0; axis < 3; axis++)
        pose.translation_angstrom[axis] =
            receptor.sites[50].position_angstrom[axis] - ligand.molecule->atoms[4].position_angstrom[axis];
    qn_dock_pose_add_restraints(&energy, &restraints, &pose);
    CHECK_NEAR(pose.energy, -5 - 450, 1e-9);
    CHECK_NEAR(pose.terms[MASK], 5 - 450, 1e-9);
    CHECK(pose.terms[0] == 1 && pose.terms[MASK - 1] == 4);
    qn_dock_energy_clear(&energy);
    qn_dock_restraints_clear(&restraints);
    clear_partners();
}

/* Chains that the options name are the antibody, and no others. */
static void named_chains_are_masked(void)
{
    const char *chains[] = {"receptor:H"};
    qn_dock_options options = qn_dock_default_options();
    qn_dock_masks masks;
    options.antibodies = chains;
    options.antibody_count = 1;
    make_partners(vhh);
    if (CHECK_OK(qn_dock_masks_create(&options, &receptor, &ligand, &wants_cdrs, 1, &masks))) {
        CHECK(masks.cdrs && !masks.ligand_cdrs);
        qn_dock_masks_clear(&masks);
    }
    CHECK_FAILS(qn_dock_masks_create(&options, &receptor, &ligand, &plain, 1, &masks), QN_INVALID_ARGUMENT);
    CHECK_TEXT(qn_error_message(), "\"receptor:H\" is named as an antibody, but no coefficient set masks antibodies; "
                                   "expected the coefficients \"antibody\"");
    chains[0] = "ligand:L";
    CHECK_FAILS(qn_dock_masks_create(&options, &receptor, &ligand, &wants_cdrs, 1, &masks), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("no variable domain of an antibody can be aligned with the chain \"ligand:L\"");
    CHECK(!masks.cdrs && !masks.ligand_cdrs);
    clear_partners();
}

static void check_refused(const qn_dock_options *options, const qn_coefficients *set, qn_status status,
                          const char *says)
{
    qn_dock_masks masks = {.cdr_penalty = 7};
    CHECK_FAILS(qn_dock_masks_create(options, &receptor, &ligand, set, 1, &masks), status);
    CHECK_MESSAGE_HAS(says);
    CHECK(!masks.receptor && !masks.ligand && !masks.cdrs && !masks.ligand_cdrs); /* nothing to clear */
}

static void wrong_selections_are_refused(void)
{
    const char *good = "receptor:H:3", *lists[] = {good, NULL};
    qn_dock_options options = qn_dock_default_options();
    make_partners("GGGGGGGGGGGGAAAAAAAAAAAAVVVVVVVV");
    check_refused(&options, &wants_cdrs, QN_INVALID_ARGUMENT,
                  "antibody.pdb, ligand.pdb: no antibody variable domain was found; the coefficients");
    options.blocked = lists;
    options.blocked_count = 2;
    lists[1] = "receptor:H:9-3";
    check_refused(&options, &plain, QN_INVALID_ARGUMENT, "selection \"receptor:H:9-3\": the range 9-3 is reversed");
    lists[1] = "receptor:Q:3";
    check_refused(&options, &plain, QN_NOT_FOUND, "the receptor has no chain \"Q\"");
    options.blocked_count = 1;
    options.attracted = lists;
    options.attracted_count = 2;
    lists[1] = "ligand:L:99";
    check_refused(&options, &plain, QN_NOT_FOUND, "selection \"ligand:L:99\"");
    clear_partners();
}

int main(void)
{
    RUN(blocked_residues_add_energy);
    RUN(attracting_residues_subtract_energy);
    RUN(blocking_and_attraction_add_up);
    RUN(masks_that_cancel_have_no_layers);
    RUN(antibody_sets_mask_residues_outside_cdrs);
    RUN(antibody_ligands_are_masked);
    RUN(either_partner_may_be_the_antibody);
    RUN(active_residues_subtract_energy);
    RUN(satisfied_restraints_lower_the_mask_term);
    RUN(named_chains_are_masked);
    RUN(wrong_selections_are_refused);
    return check_finish();
}
