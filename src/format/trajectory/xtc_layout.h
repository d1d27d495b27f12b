/* Where things lie in an XTC frame, in bytes. */
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
    QN_XTC_RAW = 56, /* positions as they are, of up to QN_XTC_MOST_RAW_ATOMS; else: */
    QN_XTC_PRECISION = 56,
    QN_XTC_LEAST = 60,
    QN_XTC_MOST = 72,
    QN_XTC_SMALL = 84,
    QN_XTC_STREAM_BYTES = 88,
    QN_XTC_STREAM = 92,
    QN_XTC_LARGE_STREAM = 96,

    QN_XTC_MOST_RAW_ATOMS = 9,
    QN_XTC_MOST_ATOM_BYTES = 13 /* three integers of 32 bits by themselves, and the six that say what follows */
};

#endif
