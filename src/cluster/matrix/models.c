#include "cluster/matrix/models.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/finite.h"
#include "base/hash.h"
#include "base/memory.h"
#include "cluster/measure/mirror.h"
#include "model/topology.h"

enum { SAMPLED_FILES_MAX = 256 }; /* of more files only the sizes are listed, since it takes long to open each */

typedef struct path_list {
    const char **items;
    size_t count, capacity, first_count; /* first_count: of the input */
} path_list;

/* State of the reading of a run. */
typedef struct assembly {
    qn_job *job;
    const qn_structure_input *input;
    path_list paths;
    qn_model_set *sets; /* one for each file; of a trajectory one */
    size_t set_count;
    size_t first_sets; /* of the input */
    qn_models *models;
    qn_models_kind kind;
    uint64_t most_bytes;
} assembly;

/* ---- names of files ---- */

static qn_status append_path(path_list *paths, const char *path)
{
    void *memory = paths->items;
    qn_status status = qn_grow(&memory, &paths->capacity, paths->count + 1, sizeof *paths->items);
    paths->items = memory;
    QN_TRY(status);
    paths->items[paths->count++] = path;
    return QN_OK;
}

static qn_status append_own_path(qn_models *models, path_list *paths, const char *text, size_t length)
{
    void *memory = models->paths;
    qn_text copy = {0};
    qn_status status = qn_grow(&memory, &models->path_capacity, models->path_count + 1, sizeof *models->paths);
    models->paths = memory;
    QN_TRY(status);
    QN_TRY(qn_text_append_bytes(&copy, text, length));
    models->paths[models->path_count++] = copy.data;
    return append_path(paths, copy.data);
}

/* A list that is no list, such as a file of models, is told by its first line. */
static qn_status append_listed(qn_models *models, path_list *paths, const char *list, size_t number, const char *text,
                               size_t length)
{
    QN_TRY(append_own_path(models, paths, text, length));
    const char *path = models->paths[models->path_count - 1];
    if (strcmp(path, "-") == 0 || qn_file_exists(path)) return QN_OK;
    return QN_FAIL(QN_NOT_FOUND, "%s:%zu: there is no file \"%.200s\"; expected the name of a file of models", list,
                   number, path);
}

/* Append the files that a list names, one in each line; blank lines and lines that begin with # are left out. */
static qn_status append_list(qn_models *models, path_list *paths, const char *list)
{
    char *data;
    size_t size, number = 1;
    const size_t before = paths->count;
    if (!list) return QN_OK;
    QN_TRY(qn_file_read(list, &data, &size));
    qn_status status = QN_OK;
    for (const char *line = data; line < data + size && status == QN_OK; number++) {
        const char *end = memchr(line, '\n', (size_t)(data + size - line)), *next = end ? end + 1 : data + size;
        size_t length = (size_t)((end ? end : data + size) - line);
        while (length > 0 && (line[length - 1] == '\r' || line[length - 1] == ' ')) length--;
        if (length > 0 && line[0] != '#') status = append_listed(models, paths, list, number, line, length);
        line = next;
    }
    qn_release(&data);
    QN_TRY(status);
    if (paths->count == before)
        return QN_FAIL(QN_BAD_FORMAT, "%s: names no file; expected a file of models in each line", list);
    return QN_OK;
}

static qn_status gather_paths(assembly *self, const qn_model_references *references)
{
    path_list *paths = &self->paths;
    for (size_t i = 0; i < self->input->file_count; i++) QN_TRY(append_path(paths, self->input->files[i]));
    QN_TRY(append_list(self->models, paths, self->input->list));
    paths->first_count = paths->count;
    if (!references) return QN_OK;
    for (size_t i = 0; i < references->file_count; i++) QN_TRY(append_path(paths, references->files[i]));
    return append_list(self->models, paths, references->list);
}

/* ---- reading ---- */

static qn_status check_memory(const assembly *self, const qn_model_set *set)
{
    const uint64_t bytes = (uint64_t)set->count * set->atom_count * 3 * sizeof(float);
    if (self->most_bytes == 0 || bytes <= self->most_bytes) return QN_OK;
    return QN_FAIL(QN_OUT_OF_MEMORY,
                   "%zu structures of %s take %.1f MiB, more than --memory, %.1f MiB; expected fewer structures or "
                   "atoms, or more memory",
                   set->count, qn_count_of(set->atom_count, "atom").text, (double)bytes / 0x1p20,
                   (double)self->most_bytes / 0x1p20);
}

static qn_status read_set(size_t index, int worker, void *user)
{
    assembly *self = user;
    const size_t files = self->set_count - self->first_sets;
    const size_t path = index < self->first_sets ? index : self->paths.count - files + index - self->first_sets;
    (void)worker;
    const char *name = self->paths.items[path];
    qn_model_set *set = &self->sets[index];
    if (self->kind == QN_MODELS_POSES)
        return qn_model_set_read_poses(index < self->first_sets ? self->input->molecule : NULL, name, set);
    return qn_poses_suggest(name, qn_model_set_read_file(self->job, self->input, name, set));
}

static qn_status read_sets(assembly *self)
{
    qn_models *models = self->models;
    void *memory;
    if (self->input->frames)
        models->are_frames = true;
    else if (self->kind != QN_MODELS_POSES)
        QN_TRY(qn_models_are_frames(self->paths.items, self->paths.first_count, &models->are_frames));
    self->first_sets = models->are_frames ? 1 : self->paths.first_count;
    const size_t count = self->first_sets + self->paths.count - self->paths.first_count;
    QN_TRY(qn_allocate(count, sizeof *self->sets, &memory));
    self->sets = memory;
    self->set_count = count;
    if (!models->are_frames) return qn_pool_run(self->job->pool, count, read_set, self);
    const qn_status status = qn_model_set_read_trajectory(self->job, self->input, self->paths.items,
                                                          self->paths.first_count, &self->sets[0]);
    QN_TRY(self->input->frames ? status : qn_poses_suggest(self->paths.items[0], status));
    for (size_t i = 1; i < count; i++) QN_TRY(read_set(i, 0, self));
    return QN_OK;
}

/* ---- assembling ---- */

/* All structures have as many atoms as the first. */
static qn_status check_counts(const assembly *self)
{
    const qn_model_set *first = &self->sets[0];
    if (self->kind == QN_MODELS_ALIGNED) return QN_OK;
    for (size_t i = 1; i < self->set_count; i++) {
        const qn_model_set *set = &self->sets[i];
        if (set->count == 0 || first->count == 0 || set->atom_count == first->atom_count) continue;
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: \"%s\" selects %s, but %zu of %s; expected as many in all models, or --align "
                       "with a score",
                       set->origins[0].path, self->input->select, qn_count_of(set->atom_count, "atom").text,
                       first->atom_count, first->origins[0].path);
    }
    return QN_OK;
}

static void exchange(qn_compound **one, qn_compound **other)
{
    qn_compound *const kept = *one;
    *one = *other;
    *other = kept;
}

/* Leave out models by their number through all files. Frames of trajectories were chosen when they were read. */
static void choose_models(assembly *self)
{
    const qn_structure_input *input = self->input;
    uint64_t number = 0, chosen = 0;
    if (self->models->are_frames) return;
    for (size_t s = 0; s < self->first_sets; s++) {
        qn_model_set *set = &self->sets[s];
        const size_t floats = 3 * set->atom_count;
        size_t kept = 0;
        for (size_t i = 0; i < set->count; i++, number++) {
            if (number < input->first_frame || number > input->last_frame || chosen++ % input->stride != 0) continue;
            memmove(set->positions_angstrom + kept * floats, set->positions_angstrom + i * floats,
                    floats * sizeof(float));
            if (set->poses) exchange(&set->poses[kept], &set->poses[i]);
            set->origins[kept++] = set->origins[i];
        }
        set->count = kept;
    }
}

/* Move the poses of all sets into one array. */
static qn_status join_poses(assembly *self)
{
    void *memory;
    if (self->kind != QN_MODELS_POSES) return QN_OK;
    QN_TRY(qn_allocate(self->models->structures.count, sizeof *self->models->poses, &memory));
    self->models->poses = memory;
    for (size_t i = 0, place = 0; i < self->set_count; i++)
        for (size_t k = 0; k < self->sets[i].count; k++)
            exchange(&self->models->poses[place++], &self->sets[i].poses[k]);
    return QN_OK;
}

/* Join the sets. A single set is taken over as it is. */
static qn_status join(assembly *self)
{
    qn_models *models = self->models;
    size_t count = 0;
    void *memory;
    for (size_t i = 0; i < self->set_count; i++) {
        if (i == self->first_sets) models->first_count = count;
        count += self->sets[i].count;
    }
    if (self->set_count == self->first_sets) models->first_count = count;
    size_t atoms = 0;
    for (size_t i = 0; i < self->set_count; i++)
        if (i == 0 || (self->sets[i].count > 0 && self->sets[i].atom_count > atoms)) atoms = self->sets[i].atom_count;
    const size_t floats = 3 * atoms;
    models->structures = (qn_structures){.count = count, .atom_count = atoms};
    QN_TRY(check_memory(self, &(qn_model_set){.count = count, .atom_count = atoms}));
    if (self->set_count == 1) {
        models->positions_angstrom = self->sets[0].positions_angstrom;
        models->origins = self->sets[0].origins;
        self->sets[0].positions_angstrom = NULL;
        self->sets[0].origins = NULL;
    } else {
        QN_TRY(qn_allocate(count, floats * sizeof(float), &memory));
        models->positions_angstrom = memory;
        QN_TRY(qn_allocate(count, sizeof *models->origins, &memory));
        models->origins = memory;
        for (size_t i = 0, place = 0; i < self->set_count; place += self->sets[i++].count) {
            const qn_model_set *set = &self->sets[i];
            if (set->count == 0) continue;
            for (size_t row = 0; row < 3 * set->count; row++)
                memcpy(models->positions_angstrom + place * floats + row * atoms,
                       set->positions_angstrom + row * set->atom_count, set->atom_count * sizeof(float));
            memcpy(models->origins + place, set->origins, set->count * sizeof *set->origins);
        }
    }
    models->structures.positions_angstrom = models->positions_angstrom;
    return QN_OK;
}

/* The atoms of the first structure stand for those of all. */
static void take_atoms(assembly *self)
{
    qn_models *models = self->models;
    models->topology = self->sets[0].own_topology;
    models->atoms = self->sets[0].atoms;
    self->sets[0].own_topology = NULL;
    self->sets[0].atoms = NULL;
}

/* ---- checks and digest of positions, in pieces ---- */

/* The numbers of a piece follow from those of a structure alone, so that digests do not depend on threads. */
enum { PIECE_BYTES = 1 << 18 };

typedef struct piecewise {
    const qn_models *models;
    size_t rows;         /* structures of a piece */
    char (*digests)[65]; /* of each piece */
} piecewise;

static size_t rows_of_piece(const qn_models *models)
{
    const size_t bytes = 3 * models->structures.atom_count * sizeof(float);
    return bytes > 0 && bytes < PIECE_BYTES ? PIECE_BYTES / bytes : 1;
}

static qn_status refuse_position(const qn_models *models, size_t index, size_t place)
{
    const qn_structures *structures = &models->structures;
    qn_text name = {0};
    QN_TRY(qn_models_name(models, index, &name));
    const qn_status status =
        QN_FAIL(QN_BAD_FORMAT, "%s: selected atom %zu has a coordinate of %g; expected a number", name.data,
                place % structures->atom_count + 1,
                (double)structures->positions_angstrom[3 * structures->atom_count * index + place]);
    qn_text_clear(&name);
    return status;
}

static qn_status take_piece(size_t piece, int worker, void *user)
{
    const piecewise *work = user;
    const qn_structures *structures = &work->models->structures;
    const size_t floats = 3 * structures->atom_count, first = piece * work->rows, left = structures->count - first;
    const size_t rows = left < work->rows ? left : work->rows;
    const float *values = structures->positions_angstrom + first * floats;
    qn_hash hash;
    (void)worker;
    const size_t finite = qn_finite_count(values, rows * floats);
    if (finite < rows * floats) return refuse_position(work->models, first + finite / floats, finite % floats);
    qn_hash_start(&hash);
    qn_hash_add(&hash, values, rows * floats * sizeof *values);
    qn_hash_finish(&hash, work->digests[piece]);
    return QN_OK;
}

static void digest(const piecewise *work, size_t pieces, qn_models *models)
{
    const qn_structures *structures = &models->structures;
    const uint64_t counts[3] = {structures->count, models->first_count, structures->atom_count};
    qn_hash hash;
    qn_hash_start(&hash);
    qn_hash_add(&hash, counts, sizeof counts);
    for (size_t p = 0; p < pieces; p++) qn_hash_add(&hash, work->digests[p], 64);
    if (structures->sequences)
        qn_hash_add(&hash, models->sequence_numbers, structures->count * sizeof *models->sequence_numbers);
    for (size_t i = 0; i < models->sequences.count; i++)
        qn_hash_add(&hash, models->sequence_items[i].names, models->sequence_items[i].length * 8);
    qn_hash_finish(&hash, models->digest);
}

static qn_status check_and_digest(qn_pool *pool, qn_models *models)
{
    piecewise work = {.models = models, .rows = rows_of_piece(models)};
    const size_t pieces = (models->structures.count + work.rows - 1) / work.rows;
    void *memory;
    QN_TRY(qn_allocate(pieces, sizeof *work.digests, &memory));
    work.digests = memory;
    const qn_status status = qn_pool_run(pool, pieces, take_piece, &work);
    if (status == QN_OK) digest(&work, pieces, models);
    qn_release(&memory);
    return status;
}

static qn_status refuse_none(const assembly *self)
{
    const qn_structure_input *input = self->input;
    const char *kind = self->models->are_frames ? "frame" : "model";
    const char *name = self->paths.count > 0 ? self->paths.items[self->models->are_frames ? 1 : 0]
                       : input->frames->name ? input->frames->name
                                             : "the frames in memory";
    if (input->begin_ps > -INFINITY || input->end_ps < INFINITY || input->first_frame > 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: has no %s in the chosen range of times and numbers", name, kind);
    return QN_FAIL(QN_BAD_FORMAT, "%s: has no complete %s; expected at least one", name, kind);
}

static qn_status assemble(assembly *self, const qn_model_references *references)
{
    QN_TRY(gather_paths(self, references));
    QN_TRY(read_sets(self));
    if (self->kind == QN_MODELS_POSES)
        QN_TRY(qn_poses_align(self->job, self->input, self->paths.items[0], self->sets, self->first_sets,
                              self->set_count, &self->models->symmetry));
    QN_TRY(check_counts(self));
    choose_models(self);
    QN_TRY(join(self));
    QN_TRY(join_poses(self));
    if (self->kind == QN_MODELS_ALIGNED)
        QN_TRY(qn_models_find_sequences(self->input, self->sets, self->set_count, self->models));
    if (self->models->first_count == 0) return refuse_none(self);
    take_atoms(self);
    return check_and_digest(self->job->pool, self->models);
}

qn_status qn_models_read(qn_job *job, const qn_structure_input *input, const qn_model_references *references,
                         qn_models_kind kind, uint64_t most_bytes, qn_models **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    assembly self = {.job = job, .input = input, .models = memory, .kind = kind, .most_bytes = most_bytes};
    const qn_status status = assemble(&self, references);
    for (size_t i = 0; i < self.set_count; i++) qn_model_set_clear(&self.sets[i]);
    qn_release(&self.sets);
    qn_release(&self.paths.items);
    *out = self.models;
    if (status != QN_OK) qn_models_destroy(out);
    return status;
}

void qn_models_destroy(qn_models **pointer)
{
    qn_models *models = *pointer;
    if (!models) return;
    qn_release(&models->positions_angstrom);
    qn_release(&models->weights);
    qn_models_clear_sequences(models);
    qn_release(&models->origins);
    qn_release(&models->atoms);
    qn_topology_destroy(&models->topology);
    for (size_t i = 0; models->poses && i < models->structures.count; i++) qn_compound_destroy(&models->poses[i]);
    qn_release(&models->poses);
    qn_symmetry_clear(&models->symmetry);
    for (size_t i = 0; i < models->path_count; i++) qn_release(&models->paths[i]);
    qn_release(&models->paths);
    qn_release(pointer);
}

qn_status qn_models_name(const qn_models *models, size_t index, qn_text *name)
{
    const qn_model_origin *origin = &models->origins[index];
    if (models->are_frames && index < models->first_count)
        return qn_text_append(name, "frame %" PRIu64, origin->number);
    QN_TRY(qn_text_append(name, "%s", origin->path));
    return origin->alone ? QN_OK : qn_text_append(name, "#%" PRIu64, origin->number);
}

/* ---- names ---- */

enum { NAMED = 1024 /* structures of a task */ };

typedef struct naming {
    const qn_models *models;
    char **names;
} naming;

static qn_status name_some(size_t task, int worker, void *user)
{
    const naming *work = user;
    const size_t count = work->models->structures.count;
    qn_text name = {0};
    qn_status status = QN_OK;
    (void)worker;
    for (size_t i = task * NAMED; i < (task + 1) * NAMED && i < count && status == QN_OK; i++) {
        name.length = 0;
        status = qn_models_name(work->models, i, &name);
        if (status == QN_OK) status = qn_text_copy(name.data, &work->names[i]);
    }
    qn_text_clear(&name);
    return status;
}

qn_status qn_models_names(const qn_models *models, qn_pool *pool, char ***names)
{
    const size_t count = models->structures.count;
    void *memory;
    QN_TRY(qn_allocate(count, sizeof **names, &memory));
    *names = memory;
    naming work = {models, *names};
    return qn_pool_run(pool, (count + NAMED - 1) / NAMED, name_some, &work);
}

qn_status qn_models_warn_of_mirrors(qn_job *job, const qn_models *models, const qn_measure *measure)
{
    const qn_structures *structures = &models->structures;
    size_t count, example;
    qn_text names[2] = {{0}, {0}};
    if (!measure->is_blind) return QN_OK;
    QN_TRY(qn_structures_find_mirrored(structures, job->pool, &count, &example));
    if (count == 0) return QN_OK;
    qn_status status = qn_models_name(models, 0, &names[0]);
    if (status == QN_OK) status = qn_models_name(models, example, &names[1]);
    if (status == QN_OK)
        status = qn_job_warn(job,
                             "%zu of %zu structures %s like the mirror image of %s, such as %s; %s does not tell "
                             "mirror images apart, rmsd does",
                             count, structures->count, count == 1 ? "looks" : "look", names[0].data, names[1].data,
                             measure->name);
    qn_text_clear(&names[0]);
    qn_text_clear(&names[1]);
    return status;
}

/* ---- key ---- */

static qn_status add_file(qn_job *job, const char *role, const char *path, bool many)
{
    if (strcmp(path, "-") == 0) return QN_OK;
    return qn_job_input_add(job, role, path, many ? QN_JOB_LIST_SIZE : QN_JOB_LIST_ONLY);
}

/* A line of the key; line breaks in the text become spaces. */
static qn_status add_text(qn_job *job, const char *name, const char *text)
{
    char *line;
    QN_TRY(qn_text_copy(text, &line));
    for (char *place = line; *place; place++)
        if (*place == '\n') *place = ' ';
    const qn_status status = qn_job_key(job, "%s=%s\n", name, line);
    qn_release(&line);
    return status;
}

qn_status qn_models_key(qn_job *job, const qn_structure_input *input, const qn_model_references *references,
                        const qn_models *models)
{
    const size_t reference_files = references ? references->file_count : 0;
    const bool many = input->file_count + reference_files + models->path_count > SAMPLED_FILES_MAX;
    uint64_t bytes;
    char text[65];
    if (input->frames) {
        qn_topology_digest(input->topology, &bytes, text);
        QN_TRY(qn_job_input_add_memory(job, "topology", "the topology in memory", bytes, text));
        QN_TRY(qn_job_input_add_memory(job, "frames", models->origins[0].path,
                                       3 * models->structures.count * models->structures.atom_count * sizeof(float),
                                       models->digest));
    }
    for (size_t i = 0; i < input->file_count; i++)
        QN_TRY(add_file(job, models->are_frames && i == 0 ? "topology" : "models", input->files[i], many));
    for (size_t i = 0; i < reference_files; i++) QN_TRY(add_file(job, "reference", references->files[i], many));
    for (size_t i = 0; i < models->path_count; i++) QN_TRY(add_file(job, "listed", models->paths[i], many));
    if (input->list) QN_TRY(qn_job_input_add(job, "list", input->list, QN_JOB_LIST_ONLY));
    if (references && references->list)
        QN_TRY(qn_job_input_add(job, "list of references", references->list, QN_JOB_LIST_ONLY));
    if (input->index_file) QN_TRY(qn_job_input_add(job, "index file", input->index_file, QN_JOB_LIST_ONLY));
    QN_TRY(add_text(job, "select", input->select));
    return qn_job_key(job, "structures=%zu\nreferences=%zu\natoms=%zu\npositions=%s\n", models->first_count,
                      models->structures.count - models->first_count, models->structures.atom_count, models->digest);
}
