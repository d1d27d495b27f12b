/* The only way to gemmi (C++): reads coordinates and hands them to C, atom by atom, in file order.
 *
 * Every function catches everything that C++ may throw and returns a status.
 */
#ifndef QN_FORMAT_GEMMI_BRIDGE_H
#define QN_FORMAT_GEMMI_BRIDGE_H

#include <quern/molecule.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One atom as the file has it. Texts live during the call. */
typedef struct qn_file_atom {
    int model;            /* number as written */
    const char *chain;    /* author name */
    const char *residue;  /* "ALA" */
    int number;           /* author numbering */
    char insertion;       /* '\0' when none */
    bool hetero;
    size_t segment;       /* counts chains and the parts a TER record splits them into */
    const char *name, *element;
    char alternate;
    int serial;
    double position_angstrom[3];
    double occupancy, b_factor_angstrom2;
    int charge_e;
} qn_file_atom;

typedef qn_status (*qn_file_atom_visit)(const qn_file_atom *atom, void *user);

/* `name` goes into messages. A failure of `visit` ends the reading and is returned. */
#ifdef __cplusplus
#define QN_NOEXCEPT noexcept
#else
#define QN_NOEXCEPT
#endif
QN_MUST_CHECK qn_status qn_gemmi_read_pdb(const char *name, const char *data, size_t size, qn_file_atom_visit visit,
                                          void *user) QN_NOEXCEPT;
QN_MUST_CHECK qn_status qn_gemmi_read_mmcif(const char *name, const char *data, size_t size, qn_file_atom_visit visit,
                                            void *user) QN_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
