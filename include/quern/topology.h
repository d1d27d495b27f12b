/* The atoms of a simulation: names, masses, charges, residues, bonds, molecules; no positions.
 *
 * Life cycle: read, or create and append → use → destroy. Thread rule: a topology that no thread changes may be read by
 * all.
 *
 *     qn_topology *topology;
 *     if (qn_topology_read(NULL, "topol.tpr", &topology) != QN_OK) return 1;
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
#pragma GCC visibility push(default)

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
    char *name;          /* of the file, or the one given to qn_topology_create */
    float *positions_nm; /* atom_count × 3 where the file has them (GRO, PDB, mmCIF, TPR); NULL: none */
    double box_nm[9];    /* rows a, b, c; all 0 where the file has none */
} qn_topology;

/* Read by content: TPR, PSF, Amber parm7, GRO, PDB, mmCIF, or a table of atoms (.tsv: index, resid, resname, name,
 * type, mass, charge), gzipped or not. Masses that a file lacks are those of its elements; molecules are what bonds
 * connect, or the file's own; without bonds each residue is one. Errors name file, place, value and what was expected:
 * QN_NOT_FOUND, QN_BAD_FORMAT, QN_UNSUPPORTED (TNG, TPR versions outside 58 … 138), QN_IO_ERROR. Warnings go to the log
 * of `context` (may be NULL). */
QN_MUST_CHECK qn_status qn_topology_read(qn_context *context, const char *path, qn_topology **topology);

void qn_topology_destroy(qn_topology **topology);

/* ---- topologies made in memory ---- */

/* Begin a topology without atoms; `name` stands for the file in messages; of a path the last part is used.
 * Then append each residue followed by its atoms, append bonds in any order, and call qn_topology_finish last. */
QN_MUST_CHECK qn_status qn_topology_create(const char *name, qn_topology **topology);

/* Append a residue; its first_atom and atom_count are set here. */
QN_MUST_CHECK qn_status qn_topology_append_residue(qn_topology *topology, const qn_topology_residue *residue);

/* Append an atom to the last residue; its `residue` is set here. */
QN_MUST_CHECK qn_status qn_topology_append_atom(qn_topology *topology, const qn_topology_atom *atom);

/* Append a bond of two atoms, in any order; a bond may come twice. QN_BAD_FORMAT for an index that has no atom yet and
 * for a bond of an atom with itself. */
QN_MUST_CHECK qn_status qn_topology_append_bond(qn_topology *topology, size_t first, size_t second);

/* Append the position of the next atom that has none. In the end all atoms have a position, or none has. */
QN_MUST_CHECK qn_status qn_topology_append_position(qn_topology *topology, const double position_nm[3]);

/* Deduce the element of each atom whose `element` is "" from its name, its complete residue and its mass: "X" where
 * none fits. */
void qn_topology_complete_elements(qn_topology *topology);

typedef enum qn_topology_molecules {
    QN_MOLECULES_OF_BONDS, /* atoms connected by bonds; each residue if has_bonds is false */
    QN_MOLECULES_OF_FILE   /* `molecule` of each atom as appended, from 0, ascending without gaps */
} qn_topology_molecules;

/* Sort the bonds, number the molecules in the order of their first atoms, and take the masses of elements where
 * `masses` is QN_MASSES_ABSENT. Set has_bonds, has_charges, has_types and masses before. QN_BAD_FORMAT (no atoms, some
 * atoms without a position), QN_INVALID_ARGUMENT (molecules of the caller that are not in order). */
QN_MUST_CHECK qn_status qn_topology_finish(qn_topology *topology, qn_topology_molecules molecules);

/* Whether a topology that a caller filled in is sound: atoms are there, texts end within their arrays, residues cover
 * the atoms in order, molecules and bonds name atoms that exist, masses, charges and positions are finite. Programs
 * that are given a topology in memory call this. QN_INVALID_ARGUMENT, naming atom, residue or bond. */
QN_MUST_CHECK qn_status qn_topology_check(const qn_topology *topology);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
