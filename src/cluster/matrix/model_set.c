/* The structures of one file of models, or of one trajectory. */
#include <quern/molecule.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/matrix/model_frames.h"
#include "cluster/matrix/models.h"
#include "frames/source.h"
#include "frames/whole.h"
#include "selection/selection.h"

typedef struct reading {
    qn_job *job;
    const qn_structure_input *input;
    const qn_topology *topology;
    const char *topology_name;
    bool are_frames;
    qn_selections *selections;
    const uint32_t *selected;
    qn_whole_plan *whole;
    qn_source *source;
    qn_model_set *set;
} reading;

void qn_model_set_clear(qn_model_set *set)
{
    qn_release(&set->positions_angstrom);
    qn_release(&set->origins);
    qn_release(&set->atoms);
    qn_topology_destroy(&set->own_topology);
    for (size_t i = 0; i < set->pose_count; i++) qn_compound_destroy(&set->poses[i]);
    qn_release(&set->poses);
    *set = (qn_model_set){0};
}

/* ---- formats ---- */

static bool is_of_models(const char *format)
{
    return strcmp(format, "PDB") == 0 || strcmp(format, "mmCIF") == 0 || strcmp(format, "GRO") == 0;
}

/* A file of another kind than frames, such as a topology, is not of models. */
static qn_status has_models(const char *path, bool *models)
{
    qn_trajectory_stream *stream;
    const qn_status status = qn_trajectory_stream_open(path, 0, &stream);
    *models = false;
    if (status == QN_BAD_FORMAT || status == QN_UNSUPPORTED) qn_error_clear();
    if (status == QN_BAD_FORMAT || status == QN_UNSUPPORTED) return QN_OK;
    QN_TRY(status);
    *models = is_of_models(qn_trajectory_stream_format(stream));
    qn_trajectory_stream_close(&stream);
    return QN_OK;
}

qn_status qn_models_are_frames(const char *const *files, size_t count, bool *are_frames)
{
    bool models = true;
    *are_frames = false;
    if (count < 2) return QN_OK;
    QN_TRY(has_models(files[0], &models));
    if (models) QN_TRY(has_models(files[1], &models));
    *are_frames = !models;
    return QN_OK;
}

/* ---- atoms ---- */

/* Whether an earlier selected atom of the residue has the name of atom `place` of the selection. */
static bool is_repeated(const reading *self, size_t place)
{
    const qn_topology_atom *atoms = self->topology->atoms, *atom = &atoms[self->selected[place]];
    while (place-- > 0 && atoms[self->selected[place]].residue == atom->residue)
        if (strcmp(atoms[self->selected[place]].name, atom->name) == 0) return true;
    return false;
}

/* Take one location of each atom that a file gives with alternate locations. Only the structure itself says which atoms
 * these are: ligands have different atoms of one name. */
static qn_status drop_alternates(reading *self, const char *path)
{
    qn_model_set *set = self->set;
    qn_molecule_options options = qn_molecule_default_options();
    qn_molecule *molecule;
    size_t kept = 0, repeated = 0;
    for (size_t i = 0; i < set->atom_count; i++) repeated += is_repeated(self, i);
    if (repeated == 0) return QN_OK;
    options.keep_alternates = true;
    QN_TRY(qn_molecule_read(NULL, path, &options, &molecule));
    for (size_t i = 0; i < set->atom_count && molecule->atom_count == self->topology->atom_count; i++) {
        if (molecule->atoms[self->selected[i]].alternate != '\0' && is_repeated(self, i)) continue;
        set->atoms[kept++] = self->selected[i];
    }
    if (molecule->atom_count == self->topology->atom_count) set->atom_count = kept;
    qn_molecule_destroy(&molecule);
    return QN_OK;
}

static qn_status choose_atoms(reading *self)
{
    const qn_structure_input *input = self->input;
    qn_model_set *set = self->set;
    void *memory;
    int node;
    QN_TRY(qn_selections_create(self->topology, 0.1, true, &self->selections));
    if (input->index_file) QN_TRY(qn_selections_add_index_file(self->selections, input->index_file));
    QN_TRY(qn_selections_add(self->selections, input->select, &node));
    if (!qn_selections_is_fixed(self->selections, node))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "\"%s\" may select different atoms in each frame; expected a selection by names, numbers, "
                       "masses or charges",
                       input->select);
    qn_selections_fixed_atoms(self->selections, node, &self->selected, &set->atom_count);
    if (set->atom_count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "\"%s\" selects none of the %s of %s; --select names other atoms",
                       input->select, qn_count_of(self->topology->atom_count, "atom").text, self->topology_name);
    QN_TRY(qn_allocate(set->atom_count, sizeof *set->atoms, &memory));
    set->atoms = memory;
    memcpy(set->atoms, self->selected, set->atom_count * sizeof *set->atoms);
    return QN_OK;
}

static qn_status plan_whole(reading *self)
{
    const qn_structure_whole whole = self->input->whole;
    if (whole == QN_WHOLE_NO || (whole == QN_WHOLE_AUTO && !self->topology->has_bonds)) return QN_OK;
    return qn_whole_plan_create(self->topology, &self->whole);
}

/* ---- frames ---- */

static qn_status read_frames(const reading *self)
{
    const qn_model_frames frames = {self->job,        self->topology, self->topology_name,
                                    self->are_frames, self->whole,    self->source};
    return qn_model_frames_read(&frames, self->set);
}

static void clear(reading *self)
{
    qn_source_close(&self->source);
    qn_whole_plan_destroy(&self->whole);
    qn_selections_destroy(&self->selections);
}

static qn_source_options options_of(const reading *self)
{
    const qn_structure_input *input = self->input;
    qn_source_options options = {.begin_ps = input->begin_ps,
                                 .end_ps = input->end_ps,
                                 .last_frame = UINT64_MAX,
                                 .stride = 1,
                                 .keep_overlaps = true};
    if (!self->are_frames) return options;
    options.first_frame = input->first_frame;
    options.last_frame = input->last_frame;
    options.stride = input->stride;
    return options;
}

static qn_status read_file(reading *self, const char *path)
{
    qn_source_options options = options_of(self);
    QN_TRY(qn_topology_read(NULL, path, &self->set->own_topology));
    self->topology = self->set->own_topology;
    QN_TRY(choose_atoms(self));
    QN_TRY(drop_alternates(self, path));
    QN_TRY(plan_whole(self));
    options.trajectories = &path;
    options.trajectory_count = 1;
    QN_TRY(qn_source_open(NULL, &options, self->topology, &self->source));
    return read_frames(self);
}

qn_status qn_model_set_read_file(qn_job *job, const qn_structure_input *input, const char *path, qn_model_set *set)
{
    reading self = {.job = job, .input = input, .topology_name = path, .set = set};
    const qn_status status = read_file(&self, path);
    clear(&self);
    return status;
}

static qn_status read_trajectory(reading *self, const char *const *files, size_t file_count)
{
    qn_source_options options = options_of(self);
    if (file_count > 0) {
        QN_TRY(qn_topology_read(self->job->context, files[0], &self->set->own_topology));
        self->topology = self->set->own_topology;
        options.trajectories = files + 1;
        options.trajectory_count = file_count - 1;
    } else {
        self->topology = self->input->topology;
        QN_TRY(qn_topology_check(self->topology));
        options.frames = self->input->frames;
    }
    QN_TRY(choose_atoms(self));
    QN_TRY(plan_whole(self));
    QN_TRY(qn_source_open(self->job->context, &options, self->topology, &self->source));
    return read_frames(self);
}

qn_status qn_model_set_read_trajectory(qn_job *job, const qn_structure_input *input, const char *const *files,
                                       size_t file_count, qn_model_set *set)
{
    const char *name = file_count > 0 ? files[0] : input->frames->name ? input->frames->name : "the frames in memory";
    reading self = {.job = job, .input = input, .topology_name = name, .are_frames = true, .set = set};
    const qn_status status = read_trajectory(&self, files, file_count);
    clear(&self);
    return status;
}
