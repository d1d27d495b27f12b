#include "cluster/whole_models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "frames/source.h"
#include "frames/whole.h"

static const double angstrom_per_nm = 10;

typedef struct wanted_model {
    size_t index;
    const char *path; /* of the file; the same for all frames of a trajectory */
    uint64_t number;  /* through the source, from 0 */
} wanted_model;

typedef struct reading {
    qn_job *job;
    const qn_structure_input *input;
    const qn_models *models;
    const char **files; /* of a trajectory, the topology first */
    size_t file_count;
    const qn_topology *topology;
    qn_topology *own_topology;
    qn_whole_plan *whole;
    qn_source *source;
    qn_source_item item;
    qn_trajectory_frame frame;
    qn_whole_model_use use;
    void *user;
} reading;

static int in_order(const void *a, const void *b)
{
    const wanted_model *one = a, *other = b;
    const int paths = one->path == other->path ? 0 : strcmp(one->path, other->path);
    if (paths != 0) return paths;
    return (one->number > other->number) - (one->number < other->number);
}

/* ---- molecules ---- */

static void move_atoms(const reading *self, qn_molecule *molecule)
{
    for (size_t i = 0; i < molecule->atom_count; i++)
        for (size_t axis = 0; axis < 3; axis++)
            molecule->atoms[i].position_angstrom[axis] =
                angstrom_per_nm * (double)self->frame.positions_nm[3 * i + axis];
}

/* Whether the molecule is the model that the frame has: the same atoms at the same places. */
static bool is_same(const reading *self, const qn_molecule *molecule)
{
    if (molecule->atom_count != self->topology->atom_count) return false;
    for (size_t i = 0; i < molecule->atom_count; i++)
        for (size_t axis = 0; axis < 3; axis++) {
            const double place = angstrom_per_nm * (double)self->frame.positions_nm[3 * i + axis];
            if (!(fabs(molecule->atoms[i].position_angstrom[axis] - place) < 0.01)) return false;
        }
    return true;
}

/* The model as its file has it; *molecule is NULL if the file is of another format, or numbers its models in another
 * way. */
static qn_status read_molecule(const reading *self, const wanted_model *wanted, qn_molecule **molecule)
{
    qn_molecule_options options = qn_molecule_default_options();
    *molecule = NULL;
    if (self->models->are_frames) return QN_OK;
    options.model = self->models->origins[wanted->index].alone ? 0 : (int)wanted->number + 1;
    options.keep_alternates = true;
    const qn_status status = qn_molecule_read(NULL, wanted->path, &options, molecule);
    if (status == QN_OK && !is_same(self, *molecule)) qn_molecule_destroy(molecule);
    if (status == QN_NOT_FOUND || status == QN_BAD_FORMAT || status == QN_UNSUPPORTED) {
        qn_error_clear();
        return QN_OK;
    }
    return status;
}

static qn_status append_residue(const qn_topology *topology, size_t number, qn_molecule *molecule)
{
    const qn_topology_residue *from = &topology->residues[number];
    qn_residue residue = {.number = from->number, .insertion = from->insertion};
    snprintf(residue.name, sizeof residue.name, "%.7s", from->name);
    snprintf(residue.chain, sizeof residue.chain, "%.7s", from->chain);
    QN_TRY(qn_molecule_append_residue(molecule, &residue));
    for (size_t i = from->first_atom; i < from->first_atom + from->atom_count; i++) {
        qn_atom atom = {.serial = (int)i + 1, .occupancy = 1};
        snprintf(atom.name, sizeof atom.name, "%.7s", topology->atoms[i].name);
        snprintf(atom.element, sizeof atom.element, "%.3s", topology->atoms[i].element);
        QN_TRY(qn_molecule_append_atom(molecule, &atom));
    }
    return QN_OK;
}

static qn_status make_molecule(const reading *self, qn_molecule **molecule)
{
    const qn_topology *topology = self->topology;
    QN_TRY(qn_molecule_create(topology->name, molecule));
    for (size_t r = 0; r < topology->residue_count; r++) QN_TRY(append_residue(topology, r, *molecule));
    move_atoms(self, *molecule);
    return QN_OK;
}

static qn_status use_model(reading *self, const wanted_model *wanted)
{
    qn_molecule *molecule;
    if (self->whole) QN_TRY(qn_whole_apply(self->whole, &self->frame));
    QN_TRY(read_molecule(self, wanted, &molecule));
    qn_status status = molecule ? QN_OK : make_molecule(self, &molecule);
    if (status == QN_OK) status = self->use(wanted->index, molecule, self->user);
    qn_molecule_destroy(&molecule);
    return status;
}

/* ---- one file, or one trajectory ---- */

static qn_status open_source(reading *self, const wanted_model *first)
{
    qn_source_options options = {.begin_ps = -INFINITY,
                                 .end_ps = INFINITY,
                                 .first_frame = first->number,
                                 .last_frame = UINT64_MAX,
                                 .stride = 1,
                                 .keep_overlaps = true};
    if (self->input->frames) {
        self->topology = self->input->topology;
        options.frames = self->input->frames;
    } else {
        const bool frames = self->models->are_frames;
        QN_TRY(qn_topology_read(NULL, frames ? self->files[0] : first->path, &self->own_topology));
        self->topology = self->own_topology;
        options.trajectories = frames ? self->files + 1 : &first->path;
        options.trajectory_count = frames ? self->file_count - 1 : 1;
    }
    const qn_structure_whole whole = self->input->whole;
    if (whole == QN_WHOLE_YES || (whole == QN_WHOLE_AUTO && self->topology->has_bonds))
        QN_TRY(qn_whole_plan_create(self->topology, &self->whole));
    return qn_source_open(NULL, &options, self->topology, &self->source);
}

static qn_status read_group(reading *self, const wanted_model *wanted, size_t count)
{
    void *memory;
    QN_TRY(open_source(self, wanted));
    QN_TRY(qn_allocate(3 * self->topology->atom_count, sizeof(float), &memory));
    self->frame = (qn_trajectory_frame){.atom_count = self->topology->atom_count, .positions_nm = memory};
    for (size_t done = 0; done < count;) {
        bool end = false;
        QN_TRY(qn_source_skip(self->source, wanted[done].number - wanted[0].number - qn_source_position(self->source)));
        QN_TRY(qn_source_next(self->source, &self->item, &self->frame, &end));
        if (end)
            return QN_FAIL(QN_BAD_FORMAT, "%s: has fewer structures than when it was read first", wanted[done].path);
        if (self->item.number == wanted[done].number) {
            QN_TRY(qn_source_decode(&self->item, &self->frame));
            QN_TRY(use_model(self, &wanted[done]));
            done++;
        }
        qn_source_let_go(self->source, &self->item);
    }
    return QN_OK;
}

static void end_group(reading *self)
{
    if (self->source) qn_source_let_go(self->source, &self->item);
    qn_source_item_clear(&self->item);
    self->item = (qn_source_item){0};
    qn_source_close(&self->source);
    qn_release(&self->frame.positions_nm);
    qn_whole_plan_destroy(&self->whole);
    qn_topology_destroy(&self->own_topology);
}

/* ---- all ---- */

/* The files of a trajectory as the run has read them: those given, then those of a list. */
static qn_status gather_files(reading *self)
{
    const qn_structure_input *input = self->input;
    void *memory;
    if (!self->models->are_frames || input->frames) return QN_OK;
    QN_TRY(qn_allocate(input->file_count + self->models->path_count, sizeof *self->files, &memory));
    self->files = memory;
    for (size_t i = 0; i < input->file_count; i++) self->files[self->file_count++] = input->files[i];
    for (size_t i = 0; i < self->models->path_count; i++) self->files[self->file_count++] = self->models->paths[i];
    return QN_OK;
}

static qn_status read_all(reading *self, wanted_model *wanted, size_t count)
{
    QN_TRY(gather_files(self));
    qsort(wanted, count, sizeof *wanted, in_order);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && strcmp(wanted[end].path, wanted[first].path) == 0;) end++;
        const qn_status status = read_group(self, wanted + first, end - first);
        end_group(self);
        QN_TRY(status);
    }
    return QN_OK;
}

qn_status qn_whole_models_read(qn_job *job, const qn_structure_input *input, const qn_models *models,
                               const size_t *indices, size_t count, qn_whole_model_use use, void *user)
{
    reading self = {.job = job, .input = input, .models = models, .use = use, .user = user};
    void *memory;
    if (count == 0) return QN_OK;
    QN_TRY(qn_allocate(count, sizeof(wanted_model), &memory));
    wanted_model *wanted = memory;
    for (size_t i = 0; i < count; i++) {
        const qn_model_origin *origin = &models->origins[indices[i]];
        wanted[i] = (wanted_model){indices[i], models->are_frames ? models->origins[0].path : origin->path,
                                   origin->number - !models->are_frames};
    }
    const qn_status status = read_all(&self, wanted, count);
    qn_release(&self.files);
    qn_release(&memory);
    return status;
}
