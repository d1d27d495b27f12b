/* Receptors of every format: PDBQT as it is; PDB and mmCIF with types, charges and hydrogens of src/score/autodock, and
 * a PDBQT of what was made of them, which AutoDock and AutoGrid can use. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "format/structure/autodock_types.h"
#include "model/crowding.h"
#include "potential/run.h"
#include "report/number.h"
#include "score/autodock/atoms.h"
#include "score/site.h"

/* Whether a file is PDBQT, by its name or its beginning. A path with chains is no PDBQT. Neither is a missing file: the
 * reader of structures reports it. */
static qn_status is_pdbqt(const char *path, bool *pdbqt)
{
    const size_t length = strlen(path);
    char *text = NULL;
    size_t size = 0;
    *pdbqt = length > 6 && strcmp(path + length - 6, ".pdbqt") == 0;
    if (*pdbqt || !qn_file_exists(path)) return QN_OK;
    QN_TRY(qn_file_read(path, &text, &size));
    *pdbqt = qn_pdbqt_recognise(text, size);
    qn_release(&text);
    return QN_OK;
}

/* Maps are computed from numbers of three decimals, as the PDBQT has them, so that AutoGrid finds the same maps. */
static double rounded(double value)
{
    return rint(value * 1000) / 1000;
}

/* Columns 13-16: a name begins in the second column unless its element has two letters or the name needs all four. */
static void name_columns(const qn_autodock_atom *atom, char name[5])
{
    const bool two_letters = atom->type[1] >= 'a' && atom->type[1] <= 'z';
    snprintf(name, 5, two_letters || strlen(atom->name) >= 4 ? "%-4.4s" : " %-3.3s", atom->name);
}

static qn_status append_line(const qn_molecule *molecule, const qn_autodock_atom *atom, size_t serial, const char *name,
                             qn_text *text)
{
    const qn_residue *residue = &molecule->residues[atom->residue];
    char x[QN_NUMBER_LENGTH], y[QN_NUMBER_LENGTH], z[QN_NUMBER_LENGTH], charge[QN_NUMBER_LENGTH];
    qn_number_format(rounded(atom->position_angstrom[0]), QN_NUMBER_FIXED, 3, x);
    qn_number_format(rounded(atom->position_angstrom[1]), QN_NUMBER_FIXED, 3, y);
    qn_number_format(rounded(atom->position_angstrom[2]), QN_NUMBER_FIXED, 3, z);
    qn_number_format(rounded(atom->charge_e), QN_NUMBER_FIXED, 3, charge);
    return qn_text_append(text, "%-6s%5zu %s %-3.3s %c%4d%c   %8s%8s%8s  1.00  0.00    %6s %-2s\n",
                          residue->hetero ? "HETATM" : "ATOM", serial % 100000, name, residue->name,
                          residue->chain[0] ? residue->chain[0] : ' ', residue->number % 10000,
                          residue->insertion ? residue->insertion : ' ', x, y, z, charge, atom->type);
}

static qn_status take_atoms(const qn_molecule *molecule, const qn_autodock_atoms *atoms, qn_potential_run_state *run)
{
    qn_potential_receptor *receptor = &run->receptor;
    QN_TRY(qn_grow((void **)&receptor->atoms, &receptor->capacity, atoms->count, sizeof *receptor->atoms));
    QN_TRY(qn_text_append(&run->prepared, "REMARK  made of %s by quern potential: Gasteiger-Marsili charges\n",
                          qn_path_name(run->receptor_path)));
    for (size_t i = 0; i < atoms->count; i++) {
        const qn_autodock_atom *from = &atoms->items[i];
        qn_potential_atom *to = &receptor->atoms[receptor->atom_count++];
        *to = (qn_potential_atom){.charge_e = rounded(from->charge_e), .line = i + 2};
        for (int k = 0; k < 3; k++) to->position_angstrom[k] = rounded(from->position_angstrom[k]);
        memcpy(to->type, from->type, sizeof from->type);
        name_columns(from, to->name);
        const qn_residue *residue = &molecule->residues[from->residue];
        snprintf(to->residue, sizeof to->residue, "%.3s %.1s %d", residue->name, residue->chain, residue->number);
        QN_TRY(append_line(molecule, from, i + 1, to->name, &run->prepared));
    }
    return QN_OK;
}

/* Remove the known ligand from a receptor that is the complex with it. */
static qn_status empty_site(const qn_potential_run_state *run, qn_molecule **molecule)
{
    qn_molecule *emptied;
    QN_TRY(qn_site_empty(*molecule, run->site_angstrom, run->site_atoms, &emptied));
    if (!emptied) return QN_OK;
    qn_molecule_destroy(molecule);
    *molecule = emptied;
    return QN_OK;
}

static qn_status prepare(qn_potential_run_state *run)
{
    const qn_molecule_options options = {.size = sizeof options, .drop_water = true};
    qn_molecule *molecule = NULL;
    qn_autodock_atoms atoms = {0};
    QN_TRY(qn_molecule_read(NULL, run->receptor_path, &options, &molecule));
    qn_status status = qn_molecule_check_crowding(molecule, run->receptor_path);
    if (status == QN_OK && molecule->dropped_waters > 0)
        qn_log(QN_LOG_NOTE, "%s: %zu atoms of waters are left out", run->receptor_path, molecule->dropped_waters);
    if (status == QN_OK && run->site_atoms > 0) status = empty_site(run, &molecule);
    if (status == QN_OK) status = qn_autodock_receptor_prepare(molecule, &atoms);
    if (status == QN_OK) status = take_atoms(molecule, &atoms, run);
    qn_autodock_atoms_clear(&atoms);
    qn_molecule_destroy(&molecule);
    return status;
}

qn_status qn_potential_receptor_load(qn_potential_run_state *run)
{
    bool pdbqt;
    QN_TRY(is_pdbqt(run->receptor_path, &pdbqt));
    if (pdbqt) return qn_potential_receptor_read(run->receptor_path, &run->receptor);
    if (run->options->gpf && !run->options->output && !run->options->in_memory)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "the receptor %s is not PDBQT, and a PDBQT of it would be written among your files; expected "
                       "--output with a folder",
                       run->receptor_path);
    return prepare(run);
}

qn_status qn_potential_write_receptor(qn_potential_run_state *run)
{
    char *path;
    QN_TRY(qn_job_path(run->job, run->names.prepared, &path));
    const qn_status status = qn_file_write(path, run->prepared.data, run->prepared.length);
    qn_release(&path);
    return status;
}
