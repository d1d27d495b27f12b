/* The layout of a DCD file's head. Fortran records have their length before and after their data. */
#ifndef QN_FORMAT_TRAJECTORY_DCD_LAYOUT_H
#define QN_FORMAT_TRAJECTORY_DCD_LAYOUT_H

/* The first record: "CORD" and twenty 32-bit numbers. Byte offsets in the record. */
enum {
    QN_DCD_HEAD_BYTES = 84,
    QN_DCD_FRAMES = 4,
    QN_DCD_FIRST_STEP = 8,
    QN_DCD_STEPS_A_FRAME = 12,
    QN_DCD_ALL_STEPS = 16,
    QN_DCD_FIXED_ATOMS = 36,
    QN_DCD_TIME_STEP = 40, /* float; double in version 0, which has neither of the next two fields */
    QN_DCD_HAS_CELL = 44,
    QN_DCD_HAS_FOURTH = 48, /* a fourth dimension */
    QN_DCD_VERSION = 80,    /* of CHARMM; 0: X-PLOR */

    QN_DCD_TITLE_BYTES = 80, /* of each title; the second record holds their count and the titles */
    QN_DCD_CELL_BYTES = 48   /* A, γ, B, β, α, C as doubles */
};

/* Times are in units of √(amu Å² / (kcal/mol)). */
#define QN_DCD_TIME_UNIT_PS 0.04888821

#endif
