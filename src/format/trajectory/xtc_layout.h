/* Byte offsets in an XTC frame. */
#ifndef QN_FORMAT_TRAJECTORY_XTC_LAYOUT_H
#define QN_FORMAT_TRAJECTORY_XTC_LAYOUT_H

enum {
    QN_XTC_MAGIC = 1995,
    QN_XTC_LARGE_MAGIC = 2023, /* the size of the bit stream takes 64 bits */
    QN_XTC_ATOMS = 4,
    QN_XTC_STEP = 8,
    QN_XTC_TIME = 12,
    QN_XTC_BOX = 16,
    QN_XTC_ATOMS_AGAIN = 52,
    QN_XTC_RAW = 56, /* uncompressed positions, of up to QN_XTC_RAW_ATOMS_MAX atoms; otherwise: */
    QN_XTC_PRECISION = 56,
    QN_XTC_LEAST = 60,
    QN_XTC_MAX = 72,
    QN_XTC_SMALL = 84,
    QN_XTC_STREAM_BYTES = 88,
    QN_XTC_STREAM = 92,
    QN_XTC_LARGE_STREAM = 96,

    QN_XTC_RAW_ATOMS_MAX = 9,
    QN_XTC_ATOM_BYTES_MAX = 13 /* three separate integers of 32 bits, and six bits that describe the next group */
};

#endif
