/* The interface of a topology format. Each format has its own files and one line in the table of topology.c.
 *
 * A reader gets the whole unpacked content and fills a new topology in file order: residues, atoms (element "" where
 * the file states none), bonds, positions, box, and sets has_charges, has_bonds, has_types and `masses`.
 * qn_topology_read derives elements, missing masses, and molecules from that. */
#ifndef QN_FORMAT_TOPOLOGY_TOPOLOGY_FORMAT_H
#define QN_FORMAT_TOPOLOGY_TOPOLOGY_FORMAT_H

#include "format/record_lines.h"
#include "model/topology.h"

typedef struct qn_topology_format {
    const char *name; /* "PSF" */
    bool (*recognise)(const char *data, size_t size);
    qn_status (*read)(const char *path, const char *data, size_t size, qn_topology *topology);
    qn_topology_molecules molecules;
} qn_topology_format;

extern const qn_topology_format qn_topology_tpr, qn_topology_psf, qn_topology_parm7, qn_topology_table, qn_topology_gro,
    qn_topology_structure;

/* `data` need not end in a zero byte; `path` goes into messages. */
QN_MUST_CHECK qn_status qn_topology_read_memory(const char *path, const char *data, size_t size,
                                                qn_topology **topology);

/* Return a reader of a text's lines, positioned before the first line. */
qn_record_lines qn_topology_lines(const char *path, const char *data, size_t size);

/* Deduce the element of an atom from its name, its complete residue and its mass (negative where not known): "X" for
 * virtual sites, coarse-grained beads and everything else that fits no element. */
void qn_topology_deduce_element(const qn_topology_atom *atom, const qn_topology_residue *residue, double mass_u,
                                char element[4]);

#endif
