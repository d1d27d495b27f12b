/* AutoGrid's grid parameter files.
 *
 * A file has one keyword a line, followed by its values; "#" begins a comment. Keywords may be in upper case.
 *
 * Life cycle: read → use → clear.
 */
#ifndef QN_POTENTIAL_GPF_H
#define QN_POTENTIAL_GPF_H

#include "base/text.h"
#include "potential/maps/model.h"

typedef struct qn_gpf_names {
    char *names[QN_POTENTIAL_PROBES_MAX];
    int count;
    size_t line; /* of the file; 0: not given */
} qn_gpf_names;

typedef struct qn_gpf {
    int npts[3]; /* 0: not given */
    bool centre_is_given, centre_is_auto;
    bool well_is_given;             /* by covalentmap */
    qn_potential_settings settings; /* its probes and overrides are of this struct; points are 0 */
    qn_gpf_names receptor_types, ligand_types, maps;
    char *parameter_file, *field, *receptor, *electrostatic_map, *desolvation_map, *distance_map; /* NULL: not given */
    qn_potential_override *overrides;
    size_t override_capacity;
    char (*probes)[QN_POTENTIAL_NAME_MAX];
    qn_text unknown; /* a sentence for each line that is left out; NULL: none */
} qn_gpf;

/* Read and check a file. Errors name file, line, value and what was expected: QN_NOT_FOUND, QN_IO_ERROR,
 * QN_BAD_FORMAT. `gpf` is zero-initialised, and must be cleared after a failure too. */
QN_MUST_CHECK qn_status qn_gpf_read(const char *path, qn_gpf *gpf);

/* The same for the content of a file. */
QN_MUST_CHECK qn_status qn_gpf_parse(const char *path, const char *text, size_t size, qn_gpf *gpf);
void qn_gpf_clear(qn_gpf *gpf);

/* Whether the list has the name. */
bool qn_gpf_names_have(const qn_gpf_names *names, const char *name);

#endif
