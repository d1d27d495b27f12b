/* Files of configuration spaces (.qcs): the states of a grid, mapped into memory when they are read. Little-endian.
 *
 *     offset  bytes  content
 *          0      4  "QCS1"
 *          4      4  checksum (CRC-32) of the bytes from 8 to the end of the key
 *          8      8  length of the key in bytes
 *         16      8  number of states: all points of the grid, x fastest
 *         24      8  unknowns of a state (freedoms)
 *         32      8  step, m (IEEE double)
 *         40     24  least index of the grid along x, y, z, then the greatest (int32)
 *         64     64  SHA-256 of the mesh as it was solved, in hexadecimal digits
 *        128         the key: lines "name=value" of everything that states depend on
 *          A    160  facts of each state (qn_space_facts), from A, the next multiple of 64
 *          B         arrays of each state, from B, the next multiple of 64: x, then its change for x, y, z (float32),
 *                    each state's padded to a multiple of 64 */
#ifndef QN_DEFORM_SPACE_SPACE_FILE_H
#define QN_DEFORM_SPACE_SPACE_FILE_H

#include "deform/space/grid.h"

/* Facts of a state as they are in files and in journals. */
typedef struct qn_space_facts {
    int32_t index[3];
    uint32_t flags;
    double force[3], stiffness[9], energy, residual, least_volume, least_stretch;
    int32_t newton_steps, load_steps;
    uint32_t array_checksum; /* CRC-32 of the arrays */
    uint32_t checksum;       /* CRC-32 of the bytes before */
} qn_space_facts;

typedef struct qn_space_header {
    qn_grid grid;
    size_t freedom_count;
    char mesh_digest[65];
    const char *key;
} qn_space_header;

/* Bytes of a file with that header. */
uint64_t qn_space_file_bytes(const qn_space_header *header);

/* Writing: every state of the grid once, in any order. The file appears complete or not at all. Arrays of a state,
 * which are one block with x first, may be written before the state is added, by any thread, where their checksum is
 * known; adding then takes no time. */
typedef struct qn_space_writer qn_space_writer;
QN_MUST_CHECK qn_status qn_space_writer_open(const char *path, const qn_space_header *header, qn_space_writer **writer);
QN_MUST_CHECK qn_status qn_space_writer_add_arrays(qn_space_writer *writer, const qn_grid_state *state,
                                                   uint32_t array_checksum);
QN_MUST_CHECK qn_status qn_space_writer_add(qn_space_writer *writer, const qn_grid_state *state);
QN_MUST_CHECK qn_status qn_space_writer_finish(qn_space_writer *writer);
void qn_space_writer_destroy(qn_space_writer **writer);

/* Reading. Life cycle: open → use → close. Many threads may use an open file. */
typedef struct qn_space_file {
    qn_space_header header; /* the key lives in the file */
    size_t state_count;
    qn_grid_state *states; /* by number; arrays lie in the file and must not be written */
    char *name, *key;
    void *mapped;
    size_t mapped_bytes;
} qn_space_file;

/* QN_NOT_FOUND, QN_IO_ERROR, QN_BAD_FORMAT naming the file, the place, the value and what was expected. */
QN_MUST_CHECK qn_status qn_space_file_open(const char *path, qn_space_file **file);

/* Compare the arrays of a state with their checksum. QN_BAD_FORMAT. */
QN_MUST_CHECK qn_status qn_space_file_check(const qn_space_file *file, size_t number);
void qn_space_file_close(qn_space_file **file);

/* Facts of a state with their checksums; its arrays [4][freedom_count] are one block, x first. */
void qn_space_facts_make(const qn_grid_state *state, size_t freedom_count, qn_space_facts *facts);

/* The state that facts tell of, with arrays at x and change. false: a checksum is wrong. */
bool qn_space_facts_read(const qn_space_facts *facts, float *x, float *change, qn_grid_state *state);

#endif
