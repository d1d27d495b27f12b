/* Making molecules whole: cut molecules are joined at their first atom, in a rectangular and in a triclinic cell; whole
 * molecules keep their bits. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "frames/whole.h"

static uint32_t state = 11;

static double uniform(void)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) / 16777216.0 * 2 - 1;
}

/* Make a topology of `count` atoms in one residue and one molecule. */
static qn_topology make_topology(qn_topology_atom *atoms, qn_topology_residue *residue, size_t count,
                                 uint32_t (*bonds)[2], size_t bond_count)
{
    memset(atoms, 0, count * sizeof *atoms);
    for (size_t i = 0; i < count; i++) atoms[i].mass_u = 12;
    *residue = (qn_topology_residue){.atom_count = count, .name = "MOL"};
    return (qn_topology){.atom_count = count,
                         .residue_count = 1,
                         .molecule_count = 1,
                         .bond_count = bond_count,
                         .atoms = atoms,
                         .residues = residue,
                         .bonds = bonds,
                         .has_bonds = true};
}

static void a_cut_water_is_made_whole(void)
{
    qn_topology_atom atoms[3];
    qn_topology_residue residue;
    uint32_t bonds[2][2] = {{0, 1}, {0, 2}};
    qn_topology topology = make_topology(atoms, &residue, 3, bonds, 2);
    float positions[9] = {0.05f, 1, 1, 2.95f, 1, 1, 0.1f, 1, 3.9f};
    qn_trajectory_frame frame = {.box_nm = {3, 0, 0, 0, 4, 0, 0, 0, 4}, .atom_count = 3, .positions_nm = positions};
    qn_whole_plan *plan;
    CHECK_OK(qn_whole_plan_create(&topology, &plan));
    CHECK_OK(qn_whole_apply(plan, &frame));
    const double expected[9] = {0.05, 1, 1, -0.05, 1, 1, 0.1, 1, -0.1};
    for (int k = 0; k < 9; k++) CHECK_NEAR(positions[k], expected[k], 3e-7);
    qn_whole_plan_destroy(&plan);
    CHECK(plan == NULL);
}

/* A chain of four atoms along x, 1 nm apart in a box of 4 nm: closed through the box it has no end. A ring of the same
 * atoms that the box cuts is whole again. */
static void molecules_without_an_end_are_found(void)
{
    qn_topology_atom atoms[4];
    qn_topology_residue residue;
    uint32_t bonds[4][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
    qn_topology topology = make_topology(atoms, &residue, 4, bonds, 4);
    float chain[12] = {0.5f, 1, 1, 1.5f, 1, 1, 2.5f, 1, 1, 3.5f, 1, 1};
    float ring[12] = {3.9f, 1, 1, 0.1f, 1, 1, 0.1f, 1.2f, 1, 3.9f, 1.2f, 1};
    qn_trajectory_frame frame = {.box_nm = {4, 0, 0, 0, 4, 0, 0, 0, 4}, .atom_count = 4};
    qn_whole_plan *plan;
    size_t bond = 9;
    for (int i = 0; i < 4; i++) snprintf(atoms[i].name, sizeof atoms[i].name, "C%d", i + 1);
    residue.number = 7;
    topology.name = (char *)"chain.psf";
    CHECK_OK(qn_whole_plan_create(&topology, &plan));
    frame.positions_nm = ring;
    CHECK_OK(qn_whole_apply(plan, &frame));
    CHECK(!qn_whole_find_endless(&topology, &frame, &bond) && bond == 9);
    frame.positions_nm = chain;
    CHECK_OK(qn_whole_apply(plan, &frame));
    CHECK(qn_whole_find_endless(&topology, &frame, &bond) && bond < 4);
    CHECK(NULL != strstr(qn_whole_describe_endless(&topology, bond).text,
                         "chain.psf: molecule 1 is bonded to its own image through the periodic box (atoms MOL C"));
    qn_whole_plan_destroy(&plan);
}

static void whole_molecules_and_frames_without_box_keep_their_bits(void)
{
    qn_topology_atom atoms[3];
    qn_topology_residue residue;
    uint32_t bonds[2][2] = {{0, 2}, {1, 2}};
    qn_topology topology = make_topology(atoms, &residue, 3, bonds, 2);
    float positions[9] = {0.1f, 0.7f, 1.3f, 1.1f, 1.9f, 2.7f, 0.123f, 0.9f, 2.1f}, kept[9];
    qn_trajectory_frame frame = {.box_nm = {30, 0, 0, 0, 4, 0, 0, 0, 4}, .atom_count = 3, .positions_nm = positions};
    qn_whole_plan *plan;
    memcpy(kept, positions, sizeof kept);
    CHECK_OK(qn_whole_plan_create(&topology, &plan));
    CHECK_OK(qn_whole_apply(plan, &frame));
    CHECK(memcmp(kept, positions, sizeof kept) == 0);
    positions[0] = kept[0] = 300;
    memset(frame.box_nm, 0, sizeof frame.box_nm);
    CHECK_OK(qn_whole_apply(plan, &frame));
    CHECK(memcmp(kept, positions, sizeof kept) == 0);
    qn_whole_plan_destroy(&plan);
}

/* A chain longer than the cell, whose atoms are in random images, gets its original positions back. */
static void a_long_chain_in_a_triclinic_cell_is_unwrapped(void)
{
    enum { COUNT = 200 };
    static qn_topology_atom atoms[COUNT];
    qn_topology_residue residue;
    static uint32_t bonds[COUNT - 1][2];
    static float positions[3 * COUNT];
    static double laid_out[3 * COUNT];
    const double box[9] = {2, 0, 0, 0.9, 1.8, 0, -0.7, 0.8, 1.9};
    for (uint32_t i = 0; i + 1 < COUNT; i++) {
        bonds[i][0] = i;
        bonds[i][1] = i + 1;
    }
    for (int i = 0; i < COUNT; i++)
        for (int axis = 0; axis < 3; axis++)
            laid_out[3 * i + axis] = i == 0 ? 0.5 : laid_out[3 * i - 3 + axis] + 0.25 * uniform();
    for (int i = 0; i < COUNT; i++) {
        int shifts[3] = {0};
        if (i)
            for (int k = 0; k < 3; k++) shifts[k] = (int)lrint(1.4 * uniform());
        for (int axis = 0; axis < 3; axis++)
            positions[3 * i + axis] = (float)(laid_out[3 * i + axis] + shifts[0] * box[axis] +
                                              shifts[1] * box[3 + axis] + shifts[2] * box[6 + axis]);
    }
    qn_topology topology = make_topology(atoms, &residue, COUNT, bonds, COUNT - 1);
    qn_trajectory_frame frame = {.atom_count = COUNT, .positions_nm = positions};
    memcpy(frame.box_nm, box, sizeof box);
    qn_whole_plan *plan;
    CHECK_OK(qn_whole_plan_create(&topology, &plan));
    CHECK_OK(qn_whole_apply(plan, &frame));
    for (int k = 0; k < 3 * COUNT; k++) CHECK_NEAR(positions[k], laid_out[k], 2e-6);
    qn_whole_plan_destroy(&plan);
}

static void unbound_virtual_sites_follow_their_residue(void)
{
    qn_topology_atom atoms[4];
    qn_topology_residue residue;
    uint32_t bonds[2][2] = {{0, 1}, {0, 2}};
    qn_topology topology = make_topology(atoms, &residue, 4, bonds, 2);
    atoms[3].mass_u = 0;
    float positions[12] = {0.05f, 1, 1, 0.1f, 1, 1, 0.1f, 1.05f, 1, 2.96f, 1, 1};
    qn_trajectory_frame frame = {.box_nm = {3, 0, 0, 0, 3, 0, 0, 0, 3}, .atom_count = 4, .positions_nm = positions};
    qn_whole_plan *plan;
    CHECK_OK(qn_whole_plan_create(&topology, &plan));
    CHECK_OK(qn_whole_apply(plan, &frame));
    CHECK_NEAR(positions[9], -0.04, 3e-7);
    /* an atom with mass and without bonds stays */
    atoms[3].mass_u = 23;
    positions[9] = 2.96f;
    qn_whole_plan_destroy(&plan);
    CHECK_OK(qn_whole_plan_create(&topology, &plan));
    CHECK_OK(qn_whole_apply(plan, &frame));
    CHECK(positions[9] == 2.96f);
    qn_whole_plan_destroy(&plan);
}

static void missing_bonds_and_invalid_frames_are_refused(void)
{
    qn_topology_atom atoms[2];
    qn_topology_residue residue;
    qn_topology topology = make_topology(atoms, &residue, 2, NULL, 0);
    qn_whole_plan *plan;
    topology.has_bonds = false;
    topology.name = (char *)"conf.gro";
    CHECK_FAILS(qn_whole_plan_create(&topology, &plan), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("conf.gro");
    CHECK_MESSAGE_HAS("TPR");
    topology.has_bonds = true;
    CHECK_OK(qn_whole_plan_create(&topology, &plan));
    float positions[9] = {0};
    qn_trajectory_frame frame = {.number = 7, .atom_count = 3, .positions_nm = positions};
    CHECK_FAILS(qn_whole_apply(plan, &frame), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("frame 7");
    frame.atom_count = 2;
    frame.box_nm[0] = NAN;
    CHECK_FAILS(qn_whole_apply(plan, &frame), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("frame 7");
    qn_whole_plan_destroy(&plan);
}

int main(void)
{
    RUN(a_cut_water_is_made_whole);
    RUN(molecules_without_an_end_are_found);
    RUN(whole_molecules_and_frames_without_box_keep_their_bits);
    RUN(a_long_chain_in_a_triclinic_cell_is_unwrapped);
    RUN(unbound_virtual_sites_follow_their_residue);
    RUN(missing_bonds_and_invalid_frames_are_refused);
    return check_finish();
}
