/* GRO, PDB, mmCIF, XYZ and LAMMPS dumps. tests/data/trajectory holds the same three frames of three waters, written by
 * GROMACS, MDAnalysis and a script from one TRR file, so that every reader is tested against other programs. */
#include <stdlib.h>

#include "format/tests/small_trajectory.h"

static const char *data(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "trajectory/%s", name);
    return check_data(path);
}

/* First and last atom of frames 0 and 2 in nm, as printed by `gmx dump` for the TRR file. */
static void check_waters(const char *name, const char *format, double tolerance_nm, double time_tolerance_ps)
{
    static const double expected[2][6] = {{0.260027, 0.495011, 0.051990, 3.01501, 0.337117, 0.589563},
                                          {0.236847, 0.544706, 0.0330848, 2.96994, 0.495636, 0.813995}};
    small_trajectory t;
    read_trajectory(data(name), 0, &t);
    CHECK(t.status == QN_OK && t.ending[0] == '\0');
    CHECK_TEXT(t.format, format);
    if (!CHECK(t.atom_count == 9 && t.frame_count == 3)) return;
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR((double)t.positions_nm[0][i < 3 ? i : 21 + i], expected[0][i], tolerance_nm);
        CHECK_NEAR((double)t.positions_nm[2][i < 3 ? i : 21 + i], expected[1][i], tolerance_nm);
    }
    for (size_t i = 0; i < 3; i++) {
        if (time_tolerance_ps > 0) CHECK_NEAR(t.frames[i].time_ps, 0.4 * (double)i, time_tolerance_ps);
        if (time_tolerance_ps > 0) CHECK(t.frames[i].step == 400 * (int64_t)i);
        CHECK(time_tolerance_ps > 0 || (isnan(t.frames[i].time_ps) && t.frames[i].step == -1));
    }
    read_trajectory(data(name), 10, &t); /* more atoms than the file has */
    CHECK(t.status == QN_BAD_FORMAT && t.frame_count == 0);
    CHECK_MESSAGE_HAS("frame 0");
    CHECK_MESSAGE_HAS("9 atoms; expected 10");
}

static void every_format_gives_the_same_frames(void)
{
    small_trajectory t;
    check_waters("waters.gro", "GRO", 0.00051, 1e-9);
    check_waters("waters_6_decimals.gro", "GRO", 0.000006, 1e-9); /* gmx prints six digits */
    check_waters("waters.pdb", "PDB", 0.000056, 1e-9);
    check_waters("waters.cif", "mmCIF", 0.000012, 0);
    check_waters("waters.xyz", "XYZ", 0.000006, 0);
    check_waters("waters_ids.lammpstrj", "LAMMPS dump", 0.000012, 1e-9);
    check_waters("waters_scaled.lammpstrj", "LAMMPS dump", 0.000006, 1e-9);
    static const char *const with_box[] = {"waters.gro", "waters.pdb", "waters.cif", "waters_ids.lammpstrj",
                                           "waters_scaled.lammpstrj"};
    for (size_t i = 0; i < sizeof with_box / sizeof *with_box; i++) {
        read_trajectory(data(with_box[i]), 9, &t);
        for (int k = 0; k < 9; k++) CHECK_NEAR(t.frames[2].box_nm[k], k % 4 ? 0 : 3.2, 1e-12);
    }
    read_trajectory(data("waters.xyz"), 9, &t);
    for (int k = 0; k < 9; k++) CHECK(t.frames[0].box_nm[k] == 0);
}

static void cut_files_end_before_the_cut_frame(void)
{
    cut_everywhere(data("waters.gro"), 9, 1);
    cut_everywhere(data("waters.xyz"), 9, 1);
    cut_everywhere(data("waters_ids.lammpstrj"), 9, 1);
    /* Text between ENDMDL and the next atom belongs to no frame. */
    cut_everywhere(data("waters.pdb"), 9, 240);
}

static void offsets_are_line_numbers(void)
{
    small_trajectory t;
    read_trajectory(data("waters.gro"), 9, &t);
    CHECK(t.offsets[0] == 1 && t.offsets[1] == 13 && t.offsets[2] == 25);
    read_trajectory(data("waters_scaled.lammpstrj"), 9, &t);
    CHECK(t.offsets[0] == 1 && t.offsets[1] == 23 && t.offsets[2] == 43);
}

#define GRO_ATOM(x) "    1ALA     CA    1" x "\n"

static void unusual_gro_files_are_read(void)
{
    small_trajectory t;
    /* Titles of an unusual form and blank titles, different column widths from frame to frame, velocities, a triclinic
     * box. */
    const char text[] = "nit= 3 next= 7 t= 1.5 by dt= 2 step= 12\n1\n" GRO_ATOM(
        "   1.000  -2.000   3.500  0.1000  0.2") "   2.0 3.0 4.0 0.0 0.0 0.5 0.0 -0.25 1.5\n"
                                                 "\n1\n" GRO_ATOM("   1.0   2.1 -99.5") " 1 1 1\n\n \n";
    read_text("a.gro", text, 0, &t);
    if (!CHECK(t.status == QN_OK && t.frame_count == 2)) return;
    CHECK(t.frames[0].time_ps == 1.5 && t.frames[0].step == 12 && isnan(t.frames[1].time_ps));
    static const double box[9] = {2, 0, 0, 0.5, 3, 0, -0.25, 1.5, 4};
    for (int k = 0; k < 9; k++) CHECK(t.frames[0].box_nm[k] == box[k]);
    CHECK(t.positions_nm[0][0] == 1 && t.positions_nm[0][1] == -2 && t.positions_nm[0][2] == 3.5F);
    CHECK_NEAR((double)t.positions_nm[1][1], 2.1, 1e-7);
    CHECK(t.positions_nm[1][2] == -99.5F && t.frames[1].step == -1);
    const char windows[] = "a\r\n1\r\n    1ALA     CA    1   1.000  -2.000   3.500\r\n 1 1 1\r\n";
    read_text("b.gro", windows, 0, &t);
    CHECK(t.status == QN_OK && t.frame_count == 1 && t.positions_nm[0][2] == 3.5F);

    const char head[] = "a\n1\n" GRO_ATOM("   1.000  -2.000   3.500") " 1 1 1\n";
    char rest[400];
    snprintf(rest, sizeof rest, "%sb\nx\n", head);
    refuse_text("c.gro", rest, "c.gro:6: frame 1 has \"x\"; expected a number of atoms");
    snprintf(rest, sizeof rest, "%sb\n2\n" GRO_ATOM("   1.000  -2.000   3.500"), head);
    refuse_text("d.gro", rest, "d.gro:6: frame 1 has 2 atoms; expected 1");
    snprintf(rest, sizeof rest, "%sb\n1\n" GRO_ATOM("   1.000  -2.0x0   3.500") " 1 1 1\n", head);
    refuse_text("e.gro", rest, "e.gro:7: frame 1: y coordinate \"  -2.0x0\" is not a number");
    snprintf(rest, sizeof rest, "%sb\n1\n" GRO_ATOM("    1.000  -2.000   3.500") " 1 1 1\n", head); /* shifted */
    refuse_text("f.gro", rest, "f.gro:7: frame 1: expected an atom whose coordinates");
    snprintf(rest, sizeof rest, "%sb\n1\n" GRO_ATOM("   1.000  -2.000     nan") " 1 1 1\n", head);
    refuse_text("g.gro", rest, "g.gro:7: frame 1: expected an atom whose coordinates");
    snprintf(rest, sizeof rest, "%sb\n1\n" GRO_ATOM("   1.000  -2.000   3.500") " 1 1\n", head);
    refuse_text("h.gro", rest, "h.gro:8: frame 1: the box has 2 numbers; expected three or nine");
    snprintf(rest, sizeof rest, "%sb\n1\n" GRO_ATOM("   1.000  -2.000   3.500") " 1 1 1 0 0 0 0 0 nan\n", head);
    refuse_text("i.gro", rest, "i.gro:8: frame 1: the box has \"nan\"; expected three or nine numbers");
}

static void unusual_xyz_files_are_read(void)
{
    small_trajectory t;
    const char text[] =
        "2\nLattice=\"10 0 0 2.5 20 0 0 0 30\" Properties=species:S:1:forces:R:3:pos:R:3:id:I:1 pbc=\"T T T\"\n"
        "C 9 9 9 1.0 2.0 3.0 1\n8 9 9 9 -1.0e1 +2d0 .5 2\n"
        "\n 2 \nAtoms. Timestep: 500 Lattice=\"1 0 0 0 1 0 0 0 1\" pbc=\"F F F\"\nC 1 2 3\n  O 4 5 6"; /* no end */
    read_text("a.xyz", text, 0, &t);
    if (!CHECK(t.status == QN_OK && t.frame_count == 2 && t.ending[0] == '\0')) return;
    static const double box[9] = {1, 0, 0, 0.25, 2, 0, 0, 0, 3};
    for (int k = 0; k < 9; k++) CHECK_NEAR(t.frames[0].box_nm[k], box[k], 1e-15);
    for (int k = 0; k < 9; k++) CHECK(t.frames[1].box_nm[k] == 0);
    CHECK(t.frames[0].step == -1 && t.frames[1].step == 500 && t.offsets[1] == 6);
    static const float expected[6] = {0.1F, 0.2F, 0.3F, -1, 0.2F, 0.05F};
    for (int k = 0; k < 6; k++) CHECK_NEAR((double)t.positions_nm[0][k], (double)expected[k], 1e-8);
    CHECK_NEAR((double)t.positions_nm[1][5], 0.6, 1e-7);
    refuse_text("b.xyz", "1\n\nC 1 2 3\nfoo\n\nC 1 2 3\n", "b.xyz:4: frame 1 has \"foo\"; expected a number of atoms");
    refuse_text("c.xyz", "1\n\nC 1 2 3\n2\n\nC 1 2 3\nC 1 2 3\n", "c.xyz:4: frame 1 has 2 atoms; expected 1");
    refuse_text("d.xyz", "1\n\nC 1 2 3\n1\n\nC 1 2\n", "d.xyz:6: frame 1: z coordinate \"\" is not a number");
    refuse_text("e.xyz", "1\n\nC 1 2 3\n1\n\nC 1 inf 3\n", "e.xyz:6: frame 1: y coordinate \"inf\" is not a number");
    refuse_text("f.xyz", "1\n\nC 1 2 3\n1\n\nC 1 2 1e9\n", "f.xyz:6: frame 1: z coordinate \"1e9\" is out of range");
    refuse_text("g.xyz", "1\nLattice=\"1 2 3\"\nC 1 2 3\n", "g.xyz:2: frame 0: Lattice has 3 numbers; expected nine");
    refuse_text("h.xyz", "1\nLattice=\"1 2 3 x\"\nC 1 2 3\n", "h.xyz:2: frame 0: Lattice has \"x\"; expected nine");
    refuse_text("i.xyz", "1\nProperties=species:S:1:vel:R:3\nC 1 2 3\n",
                "i.xyz:2: frame 0: \"species:S:1:vel:R:3\" has");
}

#define DUMP_HEAD(step) "ITEM: TIMESTEP\n" step "\nITEM: NUMBER OF ATOMS\n2\n"
#define DUMP_BOX "ITEM: BOX BOUNDS pp pp pp\n0 10\n0 10\n0 10\n"

static void unusual_lammps_dumps_are_read(void)
{
    small_trajectory t;
    /* Tilt xy = -2, xz = 1, yz = 3: the bounds are those of the bounding box of the cell with a = (10 0 0), b = (-2 10
     * 0), c = (1 3 10) and origin (1 2 3): x from 1 - 2 to 11 + 1, y from 2 to 12 + 3. */
    const char tilted[] = DUMP_HEAD(
        "7") "ITEM: BOX BOUNDS xy xz yz pp pp pp\n-1 12 -2\n2 15 1\n3 13 3\n"
             "ITEM: ATOMS xs ys zs id\n0.5 0 0 12\n0.5 0.25 1 3\n" DUMP_HEAD(
                 "8") "ITEM: BOX BOUNDS ff ss fm\n0 1\n0 1\n0 1\nITEM: ATOMS id xu yu zu\n3 1 2 3\n12 -4 5 6\n";
    read_text("a.dump", tilted, 0, &t);
    if (!CHECK(t.status == QN_OK && t.frame_count == 2)) return;
    static const double box[9] = {1, 0, 0, -0.2, 1, 0, 0.1, 0.3, 1};
    for (int k = 0; k < 9; k++) CHECK_NEAR(t.frames[0].box_nm[k], box[k], 1e-14);
    static const double first[6] = {0.1 + 0.5 - 0.05 + 0.1, 0.2 + 0.25 + 0.3, 0.3 + 1, 0.1 + 0.5, 0.2, 0.3};
    for (int k = 0; k < 6; k++) CHECK_NEAR((double)t.positions_nm[0][k], first[k], 1e-7);
    for (int k = 0; k < 9; k++) CHECK(t.frames[1].box_nm[k] == 0); /* no axis is periodic */
    CHECK_NEAR((double)t.positions_nm[1][3], -0.4, 1e-7);
    CHECK(t.frames[1].step == 8 && isnan(t.frames[1].time_ps));

    /* General triclinic; nm and ns; x y z before the unwrapped columns; without ids, so in file order. */
    const char general[] = "ITEM: UNITS\nnano\nITEM: TIME\n0.5\n" DUMP_HEAD(
        "1") "ITEM: BOX BOUNDS abc origin pp pp pp\n1 2 3 -1\n0 4 0 -2\n0 0 5 -3\nITEM: ATOMS xu yu zu x y z\n9 9 9 1 "
             "2 3\n9 9 9 4 5 6\n";
    read_text("b.dump", general, 2, &t);
    if (!CHECK(t.status == QN_OK && t.frame_count == 1)) return;
    CHECK(t.frames[0].box_nm[1] == 2 && t.frames[0].box_nm[4] == 4 && t.frames[0].time_ps == 500);
    CHECK(t.positions_nm[0][0] == 1 && t.positions_nm[0][5] == 6);

    refuse_text("c.dump", DUMP_HEAD("1") DUMP_BOX "ITEM: ATOMS id x y z\n1 1 1 1\n1 2 2 2\n",
                "c.dump:10: frame 0 has two atoms with id 1; expected one");
    refuse_text("c2.dump",
                "ITEM: TIMESTEP\n1\nITEM: NUMBER OF ATOMS\n4\n" DUMP_BOX
                "ITEM: ATOMS id x y z\n4 1 1 1\n2 2 2 2\n2 2 2 2\n1 3 3 3\n",
                "c2.dump:10: frame 0 has two atoms with id 2; expected one");
    refuse_text("d.dump", DUMP_HEAD("1") DUMP_BOX "ITEM: ATOMS id type mass\n1 1 1\n1 2 2\n",
                "d.dump:9: frame 0 has \"ITEM: ATOMS id type mass\"; expected columns x y z");
    refuse_text("e.dump", DUMP_HEAD("1") DUMP_BOX "ITEM: ATOMS id x y z\n1 1 1 1\n2 2 -nan 2\n",
                "e.dump:11: frame 0: y coordinate \"-nan\" is not a number");
    refuse_text("f.dump", DUMP_HEAD("1") "ITEM: ATOMS id xs ys zs\n1 1 1 1\n2 2 2 2\n",
                "f.dump:5: frame 0 has \"ITEM: ATOMS id xs ys zs\"; expected ITEM: BOX BOUNDS in front");
    refuse_text("g.dump", DUMP_HEAD("1.5"), "g.dump:2: frame 0 has \"1.5\"; expected the number of a step");
    refuse_text("h.dump", "ITEM: UNITS\nfurlong\n", "h.dump:2: frame 0 has \"furlong\"; expected units real, metal");
    refuse_text("i.dump", DUMP_HEAD("1") "ITEM: BOX BOUNDS pp pp pp\n0 10\n0 x\n0 10\n",
                "i.dump:7: frame 0 has \"0 x\"; expected two numbers");
    refuse_text("j.dump", "ITEM: TIMESTEP\n1\nITEM: NUMBER OF ATOMS\n0\n",
                "j.dump:4: frame 0 has \"0\"; expected a number");
    refuse_text("k.dump", "ITEM: TIMESTEP\n1\nITEM: ENTRIES c\n0\n",
                "k.dump:3: frame 0 has \"ITEM: ENTRIES c\"; expected");
    refuse_text("l.dump", DUMP_HEAD("1") DUMP_BOX "ITEM: ATOMS id x y z\n1 1 1 1\n2.5 2 2 2\n",
                "l.dump:11: frame 0: id \"2.5\" is not a whole number");
}

#define PDB_ATOM(x) "ATOM      1  CA  ALA A   1    " x "  1.00  0.00           C\n"

static void unusual_pdb_files_are_read(void)
{
    small_trajectory t;
    /* Frames ended by END, as VMD writes them; one cell for all, then another; other records between atoms. */
    const char text[] = "CRYST1   10.000   20.000   30.000  90.00  90.00  90.00 P 1           1\n" PDB_ATOM(
        "   1.000   2.000   3.000") "TER\n"
                                    "ANISOU    1  CA  ALA A   1     2406   1892   1614    198    519   -328\n"
                                    "HETATM    2  O   HOH A   2      -4.000   5.000   6.000\n"
                                    "END\n"
                                    "ATOM  100000  CA  ALA A  1       1.500   2.000   3.000\n" PDB_ATOM(
                                        "   1.000   2.000   3.000") "END\n"
                                                                    "CRYST1    1.000    1.000    1.000  90.00  90.00  "
                                                                    "90.00 P 1           1\n" PDB_ATOM(
                                                                        "   7.000   2.000   3.000")
                                                                        PDB_ATOM("   1.000   2.000   8.000");
    read_text("a.pdb", text, 0, &t);
    if (!CHECK(t.status == QN_OK && t.frame_count == 3 && t.atom_count == 2)) return;
    CHECK_NEAR(t.frames[1].box_nm[4], 2, 1e-12);
    CHECK(t.frames[2].box_nm[0] == 0); /* the cell that structures without a crystal state */
    CHECK_NEAR((double)t.positions_nm[0][3], -0.4, 1e-7);
    CHECK_NEAR((double)t.positions_nm[2][5], 0.8, 1e-7);
    CHECK(t.offsets[0] == 2 && t.offsets[1] == 7);
    /* Recognised by its first atom, whatever comes before it. */
    read_text("headless.pdb", "SEQRES   1 A    1  ALA\n\n" PDB_ATOM("   1.000   2.000   3.000"), 0, &t);
    CHECK(t.status == QN_OK && t.frame_count == 1 && strcmp(t.format, "PDB") == 0);
    refuse_text("gromos.g96", "TITLE\nwater\nEND\nPOSITIONRED\n    0.260000020    0.495000035    0.052000001\nEND\n",
                "gromos.g96: begins with \"TITLE?water");
    refuse_text("b.pdb",
                "MODEL        1\n" PDB_ATOM("   1.000   2.000   3.000") "ENDMDL\nMODEL        2\n" PDB_ATOM(
                    "   1.000   2.000   3.000") PDB_ATOM("   1.000   2.000   3.000") "ENDMDL\n",
                "b.pdb:7: frame 1 has 2 atoms; expected 1");
    refuse_text("c.pdb", "MODEL        1\n" PDB_ATOM("   1.000   2.0 0   3.000") "ENDMDL\n",
                "c.pdb:2: frame 0: y coordinate \"   2.0 0\" is not a number");
    refuse_text("d.pdb", "MODEL        1\nATOM      1  CA  ALA A   1       1.000   2.000\nENDMDL\n",
                "d.pdb:2: frame 0: z coordinate \"\" is not a number");
    refuse_text(
        "e.pdb",
        "CRYST1   10.000   20.000   30.000  90.00  90.00 190.00 P 1           1\n" PDB_ATOM("   1.000   2.000   3.000"),
        "e.pdb:1: frame 0");
}

static void unusual_mmcif_files_are_read(void)
{
    const char head[] = "data_a\nloop_\n_atom_site.id\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n"
                        "_atom_site.pdbx_PDB_model_num\n";
    char text[600];
    small_trajectory t;
    snprintf(text, sizeof text, "%s1 1 2 3 4\n2 4 5 6 4\n1 7 8 9 2\n2 1 1 1(2) 2\n", head);
    read_text("a.cif", text, 0, &t);
    CHECK(t.status == QN_OK && t.frame_count == 2 && t.atom_count == 2 && t.frames[0].box_nm[0] == 0);
    CHECK_NEAR((double)t.positions_nm[1][5], 0.1, 1e-8);
    snprintf(text, sizeof text, "%s1 1 2 3 1\n2 4 5 6 1\n1 7 8 9 2\n", head);
    refuse_text("b.cif", text, "b.cif: frame 1 (model 2) has 1 atom; expected 2");
    snprintf(text, sizeof text, "%s1 1 2 3 1\n2 4 ? 6 1\n", head);
    refuse_text("c.cif", text,
                "c.cif: frame 0: row 2 of _atom_site (loop at line 2): Cartn_y is \"?\"; expected a number");
    refuse_text("d.cif", "data_a\nloop_\n_atom_site.id\n_atom_site.Cartn_x\n1 2\n",
                "lacks the column _atom_site.Cartn_y");
    snprintf(text, sizeof text, "%s1 1 2 3 1\n2 4", head);
    refuse_text("e.cif", text, "e.cif");
}

static void frames_can_be_skipped(void)
{
    qn_trajectory_stream *stream;
    qn_frame_bytes bytes = {0};
    uint64_t skipped;
    bool end;
    static const char *const names[] = {"waters.gro", "waters.pdb", "waters.cif", "waters.xyz", "waters_ids.lammpstrj"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!CHECK_OK(qn_trajectory_stream_open(data(names[i]), 0, &stream))) return;
        CHECK_OK(qn_trajectory_stream_skip(stream, 2, &skipped));
        CHECK(skipped == 2);
        CHECK_OK(qn_trajectory_stream_read(stream, &bytes, &end));
        CHECK(!end && bytes.number == 2);
        CHECK_OK(qn_trajectory_stream_skip(stream, 2, &skipped));
        CHECK(skipped == 0);
        qn_trajectory_stream_close(&stream);
    }
    qn_frame_bytes_clear(&bytes);
}

int main(void)
{
    RUN(every_format_gives_the_same_frames);
    RUN(cut_files_end_before_the_cut_frame);
    RUN(offsets_are_line_numbers);
    RUN(unusual_gro_files_are_read);
    RUN(unusual_xyz_files_are_read);
    RUN(unusual_lammps_dumps_are_read);
    RUN(unusual_pdb_files_are_read);
    RUN(unusual_mmcif_files_are_read);
    RUN(frames_can_be_skipped);
    return check_finish();
}
