#include "tunnel/structure.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "job/input.h"
#include "model/atom.h"
#include "model/crowding.h"
#include "model/molecule_input.h"

/* ---- one location of each atom ---- */

static bool is_same_place(const qn_residue *one, const qn_residue *other)
{
    return one->number == other->number && one->insertion == other->insertion && strcmp(one->chain, other->chain) == 0;
}

/* The letter that a place keeps: A, or the first that it has. */
static char letter_of(const qn_molecule *molecule, size_t first_residue, size_t end_residue)
{
    char letter = '\0';
    for (size_t r = first_residue; r < end_residue; r++) {
        const qn_residue *residue = &molecule->residues[r];
        for (size_t i = residue->first_atom; i < residue->first_atom + residue->atom_count; i++) {
            const char here = molecule->atoms[i].alternate;
            if (here != '\0' && (letter == '\0' || here < letter)) letter = here;
        }
    }
    return letter;
}

/* Copy the atoms of a place that have no letter, or the one that is kept. */
static qn_status copy_place(const qn_molecule *all, size_t first_residue, size_t end_residue,
                            qn_tunnel_structure *structure)
{
    const char letter = letter_of(all, first_residue, end_residue);
    for (size_t r = first_residue; r < end_residue; r++) {
        const qn_residue *residue = &all->residues[r];
        bool begun = false;
        for (size_t i = residue->first_atom; i < residue->first_atom + residue->atom_count; i++) {
            qn_atom atom = all->atoms[i];
            if (atom.alternate != '\0' && atom.alternate != letter) continue;
            atom.alternate = '\0';
            if (!begun) QN_TRY(qn_molecule_append_residue(structure->molecule, residue));
            begun = true;
            structure->number[structure->molecule->atom_count] = (uint32_t)i;
            QN_TRY(qn_molecule_append_atom(structure->molecule, &atom));
        }
    }
    return QN_OK;
}

/* Keep the atoms without a letter of alternate locations, or with the letter A. */
static qn_status keep_one_location(qn_job *job, const qn_molecule *all, qn_tunnel_structure *structure)
{
    QN_TRY(qn_allocate(all->atom_count, sizeof *structure->number, (void **)&structure->number));
    QN_TRY(qn_molecule_create(structure->name, &structure->molecule));
    for (size_t first = 0, end; first < all->residue_count; first = end) {
        for (end = first + 1; end < all->residue_count; end++)
            if (!is_same_place(&all->residues[first], &all->residues[end])) break;
        QN_TRY(copy_place(all, first, end, structure));
    }
    const size_t left_out = all->atom_count - structure->molecule->atom_count;
    if (left_out == 0) return QN_OK;
    return qn_job_warn(job,
                       "%s: %s of alternate locations %s left out; location A is kept, or the first that a "
                       "residue has",
                       structure->name, qn_count_of(left_out, "atom").text, left_out == 1 ? "is" : "are");
}

/* ---- sources ---- */

static qn_status read_file(qn_job *job, const qn_tunnel_options *options, qn_tunnel_structure *structure)
{
    qn_molecule_options reading = qn_molecule_default_options();
    qn_molecule *all;
    reading.keep_alternates = true;
    QN_TRY(qn_molecule_read(job->context, options->structure, &reading, &all));
    const qn_status status = keep_one_location(job, all, structure);
    qn_molecule_destroy(&all);
    return status;
}

/* Make a molecule of a topology, for the names of its atoms and the places of the structure. */
static qn_status append_topology(const qn_topology *topology, qn_molecule *molecule)
{
    for (size_t r = 0; r < topology->residue_count; r++) {
        const qn_topology_residue *from = &topology->residues[r];
        qn_residue residue = {.number = from->number, .insertion = from->insertion};
        snprintf(residue.name, sizeof residue.name, "%.7s", from->name);
        snprintf(residue.chain, sizeof residue.chain, "%.7s", from->chain);
        QN_TRY(qn_molecule_append_residue(molecule, &residue));
        for (size_t i = from->first_atom; i < from->first_atom + from->atom_count; i++) {
            qn_atom atom = {.serial = (int)i + 1, .occupancy = 1};
            for (int k = 0; k < 3; k++)
                atom.position_angstrom[k] = 10 * (double)topology->positions_nm[3 * i + (size_t)k];
            snprintf(atom.name, sizeof atom.name, "%.7s", topology->atoms[i].name);
            snprintf(atom.element, sizeof atom.element, "%s", topology->atoms[i].element);
            QN_TRY(qn_molecule_append_atom(molecule, &atom));
        }
    }
    return QN_OK;
}

/* Read the structure of a run with frames, whose atoms are those of the frames. */
static qn_status read_topology(qn_job *job, const qn_tunnel_options *options, qn_tunnel_structure *structure)
{
    if (!qn_file_exists(options->structure) && strchr(options->structure, ':'))
        return QN_FAIL(QN_UNSUPPORTED,
                       "%s picks chains, but frames have the atoms of the whole file; expected the file, and --walls "
                       "to leave residues out",
                       options->structure);
    QN_TRY(qn_topology_read(job->context, options->structure, &structure->topology));
    const qn_topology *topology = structure->topology;
    if (!topology->positions_nm)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s has no positions, on which frames are superposed; expected PDB, mmCIF, GRO or TPR",
                       options->structure);
    QN_TRY(qn_allocate(topology->atom_count, sizeof *structure->number, (void **)&structure->number));
    for (size_t i = 0; i < topology->atom_count; i++) structure->number[i] = (uint32_t)i;
    QN_TRY(qn_molecule_create(structure->name, &structure->molecule));
    return append_topology(topology, structure->molecule);
}

/* Frames need a topology, also where the structure is in memory. */
static qn_status make_topology(qn_tunnel_structure *structure)
{
    const qn_molecule *molecule = structure->molecule;
    QN_TRY(qn_topology_create(structure->name, &structure->topology));
    for (size_t r = 0; r < molecule->residue_count; r++) {
        const qn_residue *from = &molecule->residues[r];
        qn_topology_residue residue = {.number = from->number, .insertion = from->insertion};
        memcpy(residue.name, from->name, sizeof from->name);
        memcpy(residue.chain, from->chain, sizeof from->chain);
        QN_TRY(qn_topology_append_residue(structure->topology, &residue));
        for (size_t i = from->first_atom; i < from->first_atom + from->atom_count; i++) {
            qn_topology_atom atom = {.charge_e = 0};
            memcpy(atom.name, molecule->atoms[i].name, sizeof molecule->atoms[i].name);
            memcpy(atom.element, molecule->atoms[i].element, sizeof atom.element);
            QN_TRY(qn_topology_append_atom(structure->topology, &atom));
        }
    }
    return qn_topology_finish(structure->topology, QN_MOLECULES_OF_BONDS);
}

static qn_status copy_molecule(qn_job *job, const qn_tunnel_options *options, qn_tunnel_structure *structure)
{
    QN_TRY(qn_molecule_check(options->molecule, "structure"));
    QN_TRY(keep_one_location(job, options->molecule, structure));
    if (!options->frame_array && options->frame_file_count == 0) return QN_OK;
    if (structure->molecule->atom_count != options->molecule->atom_count)
        return QN_FAIL(QN_UNSUPPORTED, "%s has alternate locations, but frames have one; expected a structure without",
                       structure->name);
    return make_topology(structure);
}

qn_status qn_tunnel_molecule_read(qn_job *job, const qn_tunnel_options *options, qn_tunnel_structure *structure)
{
    const bool has_frames = options->frame_file_count > 0 || options->frame_array;
    QN_TRY(qn_input_check_one("structure", options->structure, "molecule", options->molecule));
    structure->name = options->structure        ? options->structure
                      : options->molecule->name ? options->molecule->name
                                                : "the structure in memory";
    if (!options->structure) return copy_molecule(job, options, structure);
    return has_frames ? read_topology(job, options, structure) : read_file(job, options, structure);
}

/* ---- superposition ---- */

/* Frames are superposed by Cα atoms, or by all heavy walls where there are fewer than three. */
static qn_status choose_fitted(qn_tunnel_structure *structure)
{
    const qn_atom *atoms = structure->molecule->atoms;
    if (!structure->topology) return QN_OK;
    QN_TRY(qn_allocate(structure->wall_count, sizeof *structure->fitted, (void **)&structure->fitted));
    for (int pass = 0; pass < 2 && structure->fitted_count < 3; pass++) {
        structure->fitted_count = 0;
        for (size_t i = 0; i < structure->wall_count; i++) {
            const qn_atom *atom = &atoms[structure->walls[i]];
            if (pass == 0 ? qn_atom_is_c_alpha(atom) : !qn_atom_is_hydrogen(atom))
                structure->fitted[structure->fitted_count++] = structure->walls[i];
        }
    }
    if (structure->fitted_count < 3)
        return QN_FAIL(QN_BAD_FORMAT, "%s has %zu heavy atoms as walls; expected at least three, to superpose frames",
                       structure->name, structure->fitted_count);
    QN_TRY(qn_allocate(structure->fitted_count, sizeof *structure->fitted_places, (void **)&structure->fitted_places));
    for (size_t i = 0; i < structure->fitted_count; i++)
        memcpy(structure->fitted_places[i], atoms[structure->fitted[i]].position_angstrom,
               sizeof structure->fitted_places[i]);
    return QN_OK;
}

/* ---- the call ---- */

qn_status qn_tunnel_structure_read(qn_job *job, const qn_tunnel_options *options, qn_tunnel_structure *structure)
{
    bool *names_residue = NULL;
    QN_TRY(qn_tunnel_molecule_read(job, options, structure));
    QN_TRY(qn_molecule_check_crowding(structure->molecule, structure->name));
    qn_status status = qn_allocate(structure->molecule->residue_count, sizeof *names_residue, (void **)&names_residue);
    if (status == QN_OK) status = qn_tunnel_start_find(options, structure, names_residue);
    if (status == QN_OK) status = qn_tunnel_walls_choose(job, options, names_residue, structure);
    qn_release(&names_residue);
    QN_TRY(status);
    return choose_fitted(structure);
}

void qn_tunnel_structure_clear(qn_tunnel_structure *structure)
{
    qn_topology_destroy(&structure->topology);
    qn_molecule_destroy(&structure->molecule);
    qn_release(&structure->number);
    qn_release(&structure->walls);
    qn_release(&structure->wall_radii);
    qn_release(&structure->start_weights);
    qn_release(&structure->fitted);
    qn_release(&structure->fitted_places);
}
