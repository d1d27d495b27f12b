/* The parts of a packed library's file besides the packed compounds: a header before the compounds and an index after
 * them.
 *
 *     offset  bytes  header
 *          0      8  "QUERNLIB"
 *          8      4  version
 *         12      4  checksum (CRC-32) of the index
 *         16      8  number of molecules N
 *         24      8  offset of the index
 *         32     28  zero
 *         60      4  checksum (CRC-32) of the header's bytes 0 … 59
 *
 * The index has N + 1 offsets of 8 bytes: where each molecule begins, and where the last one ends, which is where the
 * index begins. The file ends with it. Everything is little endian. */
#ifndef QN_FORMAT_COMPOUND_PACKED_LIBRARY_LAYOUT_H
#define QN_FORMAT_COMPOUND_PACKED_LIBRARY_LAYOUT_H

enum {
    QN_PACKED_VERSION = 1,
    QN_PACKED_HEADER_BYTES = 64,
    QN_PACKED_VERSION_AT = 8,
    QN_PACKED_INDEX_SUM_AT = 12,
    QN_PACKED_COUNT_AT = 16,
    QN_PACKED_INDEX_AT = 24,
    QN_PACKED_HEADER_SUM_AT = 60,
    QN_PACKED_MAGIC_BYTES = 8
};

#define QN_PACKED_MAGIC "QUERNLIB"

#endif
