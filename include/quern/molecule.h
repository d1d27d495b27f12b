/* Molecules: atoms with names, read from PDB, mmCIF and PDBQT files.
 *
 * Life cycle: read or build → use → destroy. Thread rule: a molecule that no thread changes may be read by all.
 *
 *     qn_molecule_options options = qn_molecule_default_options();
 *     qn_molecule *receptor;
 *     options.drop_water = true;
 *     if (qn_molecule_read(NULL, "receptor.pdb:A", &options, &receptor) != QN_OK) return 1;
 *     printf("%zu atoms in %zu residues\n", receptor->atom_count, receptor->residue_count);
 *     qn_molecule_destroy(&receptor);
 */
#ifndef QUERN_MOLECULE_H
#define QUERN_MOLECULE_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct qn_context qn_context; /* <quern/device.h> */

typedef struct qn_atom {
    double position_angstrom[3];
    float occupancy;
    float b_factor_angstrom2;
    int serial;
    int residue;          /* index into residues */
    char name[8];         /* trimmed: "CA", "OP1" */
    char element[4];      /* upper case: "C", "ZN"; "X" when unknown */
    char alternate;       /* '\0' when none */
    signed char charge_e; /* formal charge of the file */
} qn_atom;

typedef struct qn_residue {
    size_t first_atom, atom_count; /* atoms of a residue are consecutive */
    int number;                    /* author numbering */
    char insertion;                /* '\0' when none */
    bool hetero;                   /* HETATM */
    bool chain_break;              /* a TER record or chain end follows */
    char name[8];                  /* "ALA", "DG", "HOH" */
    char chain[8];                 /* author name */
} qn_residue;

typedef struct qn_molecule {
    size_t atom_count, residue_count;
    qn_atom *atoms;
    qn_residue *residues;
    char *name; /* file name it came from */
    size_t dropped_waters, dropped_alternates, dropped_hydrogens;
} qn_molecule;

typedef struct qn_molecule_options {
    size_t size;     /* of this struct in bytes */
    int model;       /* model number as written in the file; 0: the first */
    bool drop_water; /* HOH, WAT, DOD, H2O, SOL, TIP3 … are dropped and counted */
    bool drop_hydrogens;
    bool keep_alternates; /* default: of alternate locations the highest occupancy is kept, then the first letter */
} qn_molecule_options;

static inline qn_molecule_options qn_molecule_default_options(void)
{
    qn_molecule_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    return options;
}

/* Read "path" or "path:chains": PDB, mmCIF or PDBQT, recognised by content, gzipped or not. Chains are letters ("AB")
 * or, with a comma, names ("A,BB"; a leading comma, as in ":,BB", forces names). A path that exists as written takes
 * precedence over a selection. Errors name file, line, value and what was expected: QN_NOT_FOUND (file, chain with the
 * list of those present, model), QN_BAD_FORMAT (empty, junk or non-finite coordinates, missing columns, no atoms),
 * QN_IO_ERROR. Warnings go to the log of `context` (may be NULL). */
QN_MUST_CHECK qn_status qn_molecule_read(qn_context *context, const char *path, const qn_molecule_options *options,
                                         qn_molecule **molecule);

/* Make an empty molecule; then append residues and atoms in order. */
QN_MUST_CHECK qn_status qn_molecule_create(const char *name, qn_molecule **molecule);
QN_MUST_CHECK qn_status qn_molecule_append_residue(qn_molecule *molecule, const qn_residue *residue);
QN_MUST_CHECK qn_status qn_molecule_append_atom(qn_molecule *molecule, const qn_atom *atom); /* to the last residue */
QN_MUST_CHECK qn_status qn_molecule_copy(const qn_molecule *molecule, qn_molecule **copy);
void qn_molecule_destroy(qn_molecule **molecule);

/* position ← R·position + t for every atom; `rotation` row-major. */
void qn_molecule_transform(qn_molecule *molecule, const double rotation[9], const double translation_angstrom[3]);

typedef enum qn_structure_format { QN_STRUCTURE_PDB, QN_STRUCTURE_MMCIF } qn_structure_format;

/* Whether a PDB file can hold the molecule: < 100,000 atoms, one-letter chains, residue numbers −999 … 9999, names that
 * fit. */
bool qn_molecule_fits_pdb(const qn_molecule *molecule);

/* Write molecules one after the other into one file, complete or not at all. `remarks` (may be NULL) is text whose
 * lines become REMARK records or comment lines. */
QN_MUST_CHECK qn_status qn_molecule_write(const char *path, qn_structure_format format,
                                          const qn_molecule *const *molecules, size_t count, const char *remarks);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
