/* The receptor of potential maps: positions, charges and AutoDock types of its atoms.
 *
 * Life cycle: read, or fill by hand → use → clear. Thread rule: any threads may read a receptor that no thread changes.
 */
#ifndef QN_POTENTIAL_MAPS_RECEPTOR_H
#define QN_POTENTIAL_MAPS_RECEPTOR_H

#include <quern/status.h>
#include <stddef.h>

#include "potential/maps/parameters.h"

typedef struct qn_potential_atom {
    double position_angstrom[3];
    double charge_e;
    char type[QN_POTENTIAL_NAME_MAX]; /* "OA" */
    char name[5];                     /* columns 13 to 16 of the file, blanks included */
    char residue[12];                 /* "ASP A 226", for messages */
    size_t line;                      /* of the file; 0: none */
} qn_potential_atom;

typedef struct qn_potential_receptor {
    qn_potential_atom *atoms;
    size_t atom_count, capacity;
} qn_potential_receptor;

/* Read ATOM and HETATM records of a PDBQT file. QN_NOT_FOUND, QN_IO_ERROR; QN_BAD_FORMAT: the message names file, line,
 * value and what was expected. `receptor` is zero-initialised, and must be cleared after a failure too. */
QN_MUST_CHECK qn_status qn_potential_receptor_read(const char *path, qn_potential_receptor *receptor);

/* The same for the content of a file. */
QN_MUST_CHECK qn_status qn_potential_receptor_parse(const char *path, const char *text, size_t size,
                                                    qn_potential_receptor *receptor);
void qn_potential_receptor_clear(qn_potential_receptor *receptor);

#endif
