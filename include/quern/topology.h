/* What the atoms of a simulation are: names, masses, charges, residues, bonds, molecules; no positions.
 *
 * Life cycle: read or create → use → destroy. Thread rule: a topology that no thread changes may be read by all.
 *
 *     qn_topology *topology;
 *     qn_topology_read(NULL, "topol.tpr", &topology);
 *     printf("%zu atoms in %zu molecules\n", topology->atom_count, topology->molecule_count);
 *     qn_topology_destroy(&topology);
 */
#ifndef QUERN_TOPOLOGY_H
#define QUERN_TOPOLOGY_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qn_context qn_context; /* <quern/device.h> */

typedef struct qn_topology_atom {
    char name[16];    /* "CA", "OW" */
    char type[16];    /* of the force field, "opls_116"; "" where the file has none */
    char element[4];  /* upper case: "C", "ZN"; "X" when unknown (virtual sites too) */
    uint32_t residue; /* index into residues */
    uint32_t molecule;
    double mass_u, charge_e;
} qn_topology_atom;

typedef struct qn_topology_residue {
    size_t first_atom, atom_count; /* atoms of a residue are consecutive */
    int number;                    /* as in the file */
    char insertion;                /* '\0' when none */
    char name[16];
    char chain[8];    /* "" when none */
    char segment[16]; /* "" when none */
} qn_topology_residue;

/* Where masses come from. */
typedef enum qn_mass_source { QN_MASSES_ABSENT, QN_MASSES_FROM_ELEMENTS, QN_MASSES_FROM_FILE } qn_mass_source;

typedef struct qn_topology {
    size_t atom_count, residue_count, molecule_count, bond_count;
    qn_topology_atom *atoms;
    qn_topology_residue *residues;
    uint32_t (*bonds)[2]; /* first < second, ascending; constraints and rigid waters count as bonds */
    qn_mass_source masses;
    bool has_charges, has_bonds, has_types;
    char *name;          /* file name it came from */
    float *positions_nm; /* atom_count × 3 where the file has them (GRO, PDB, mmCIF, TPR); NULL */
    double box_nm[9];    /* rows a, b, c; all 0 where the file has none */
} qn_topology;

/* Read by content: TPR, PSF, Amber parm7, GRO, PDB, mmCIF, or a table of atoms (.tsv: index, resid, resname, name,
 * type, mass, charge), gzipped or not. Masses that a file lacks are those of its elements; molecules are what bonds
 * connect, or the file's own; without bonds each residue is one. Errors name file, place, value and what was expected:
 * QN_NOT_FOUND, QN_BAD_FORMAT, QN_UNSUPPORTED (TNG, TPR versions outside 58 … 138), QN_IO_ERROR. The log of
 * `context` (may be NULL) hears warnings. */
QN_MUST_CHECK qn_status qn_topology_read(qn_context *context, const char *path, qn_topology **topology);

void qn_topology_destroy(qn_topology **topology);

#ifdef __cplusplus
}
#endif
#endif
