#include <quern/evaluate.h>

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/pipe.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "compare/complex_quality.h"
#include "compare/model_file.h"
#include "model/molecule_input.h"
#include "runtime/context.h"

/* A model to evaluate: its path or its molecule, and its name in the result. */
typedef struct entry {
    char *path, *name;
    const qn_molecule *molecule; /* NULL: the model is in a file */
} entry;

typedef struct entries {
    entry *items;
    size_t count, capacity;
} entries;

static void entries_clear(entries *list)
{
    for (size_t i = 0; i < list->count; i++) {
        qn_release(&list->items[i].path);
        qn_release(&list->items[i].name);
    }
    qn_release(&list->items);
    *list = (entries){0};
}

static qn_status add_entry(entries *list, const char *path, const char *name)
{
    QN_TRY(qn_grow((void **)&list->items, &list->capacity, list->count + 1, sizeof(entry)));
    entry *item = &list->items[list->count++];
    *item = (entry){0};
    QN_TRY(qn_text_copy(path, &item->path));
    return qn_text_copy(name, &item->name);
}

/* Number in a name "cluster_<digits>.pdb" or ".cif", gzipped or not; −1 for other names, such as
 * cluster_01_unrefined.pdb. */
static long cluster_number(const char *name)
{
    static const char prefix[] = "cluster_";
    static const char *const endings[] = {".pdb", ".cif", ".pdb.gz", ".cif.gz"};
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) return -1;
    name += sizeof prefix - 1;
    size_t digits = strspn(name, "0123456789");
    if (digits == 0 || digits > 9) return -1;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (strcmp(name + digits, endings[i]) == 0) return strtol(name, NULL, 10);
    return -1;
}

/* Compare by folder, then by number (cluster_100 follows cluster_99), then by name. */
static int compare_entries(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    const char *name_a = qn_path_name(a->path), *name_b = qn_path_name(b->path);
    size_t folder_a = (size_t)(name_a - a->path), folder_b = (size_t)(name_b - b->path);
    int order = strncmp(a->path, b->path, folder_a < folder_b ? folder_a : folder_b);
    if (order == 0) order = (folder_a > folder_b) - (folder_a < folder_b);
    long number_a = cluster_number(name_a), number_b = cluster_number(name_b);
    if (order == 0) order = (number_a > number_b) - (number_a < number_b);
    return order ? order : strcmp(name_a, name_b);
}

static bool is_folder(const char *path)
{
    struct stat information;
    return stat(path, &information) == 0 && S_ISDIR(information.st_mode);
}

static qn_status visit(const char *folder, const char *name_prefix, const char *name, bool deeper, entries *list);

/* List the cluster files of a folder, or, with `deeper`, those of the folders in it. */
static qn_status list_folder(const char *folder, const char *name_prefix, bool deeper, entries *list)
{
    DIR *stream = opendir(folder);
    if (!stream) return QN_FAIL(QN_IO_ERROR, "%s: cannot be listed: %s", folder, strerror(errno));
    qn_status status = QN_OK;
    const struct dirent *found;
    while (status == QN_OK && (found = readdir(stream)))
        status = visit(folder, name_prefix, found->d_name, deeper, list);
    closedir(stream);
    return status;
}

static qn_status visit(const char *folder, const char *name_prefix, const char *name, bool deeper, entries *list)
{
    if (name[0] == '.' || (!deeper && cluster_number(name) < 0)) return QN_OK;
    char *path = NULL;
    qn_text label = {0};
    qn_status status = qn_path_join(folder, name, &path);
    if (status == QN_OK) status = qn_text_append(&label, "%s%s%s", name_prefix, name, deeper ? "/" : "");
    if (status == QN_OK && deeper && is_folder(path))
        status = list_folder(path, label.data, false, list);
    else if (status == QN_OK && !deeper)
        status = add_entry(list, path, label.data);
    qn_release(&path);
    qn_text_clear(&label);
    return status;
}

/* Add the models of a folder. If the folder has no models itself, those of the folders in it are added, with names such
 * as "<folder>/cluster_01.pdb". `named` puts the folder's own path before the names, to distinguish several folders. */
static qn_status add_folder(const char *folder, bool named, entries *list)
{
    qn_text prefix = {0};
    size_t first = list->count, length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    qn_status status =
        named ? qn_text_append(&prefix, "%.*s/", (int)length, folder) : qn_text_append(&prefix, "%s", "");
    if (status == QN_OK) status = list_folder(folder, prefix.data, false, list);
    if (status == QN_OK && list->count == first) status = list_folder(folder, prefix.data, true, list);
    if (status == QN_OK && list->count == first)
        status =
            qn_error_set(QN_NOT_FOUND, __FILE__, __LINE__,
                         "%s: the folder has no models, expected files cluster_01.pdb or .cif as quern dock writes "
                         "them",
                         folder);
    if (status == QN_OK) qsort(list->items + first, list->count - first, sizeof(entry), compare_entries);
    qn_text_clear(&prefix);
    return status;
}

static qn_status add_molecule(const qn_molecule *molecule, entries *list)
{
    const char *name = molecule && molecule->name ? molecule->name : "molecule in memory";
    if (!molecule) return QN_FAIL(QN_INVALID_ARGUMENT, "model %zu in memory is NULL; expected a molecule", list->count);
    QN_TRY(qn_molecule_check(molecule, "model"));
    QN_TRY(add_entry(list, name, name));
    list->items[list->count - 1].molecule = molecule;
    return QN_OK;
}

static qn_status list_models(const qn_evaluate_options *options, entries *list)
{
    QN_TRY(qn_option_check(qn_evaluate_option_table(), options));
    if (!options->model_molecules && options->model_molecule_count > 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "model_molecules is NULL; expected %zu molecules",
                       options->model_molecule_count);
    for (size_t i = 0; i < options->model_molecule_count; i++) QN_TRY(add_molecule(options->model_molecules[i], list));
    for (size_t i = 0; i < options->model_count; i++) {
        const char *path = options->models[i];
        if (is_folder(path))
            QN_TRY(add_folder(path, options->model_count > 1, list));
        else if (qn_file_exists(path))
            QN_TRY(add_entry(list, path, path));
        else
            return QN_FAIL(QN_NOT_FOUND, "%s: no such file or folder", path);
    }
    return QN_OK;
}

/* The known complex, with which every model is compared. */
typedef struct yardstick {
    qn_molecule *receptor, *ligand;
    qn_chain_names receptor_chains, ligand_chains;
    qn_complex_reference *reference;
} yardstick;

/* Read a reference, or copy the caller's. */
static qn_status take_reference(const char *path, const qn_molecule *given, const char *role, qn_molecule **molecule)
{
    const qn_molecule_options plain = {.size = sizeof plain, .drop_water = true};
    if (!given) return qn_molecule_read(NULL, path, &plain, molecule);
    QN_TRY(qn_molecule_check(given, role));
    return qn_molecule_copy(given, molecule);
}

static qn_status read_references(const qn_evaluate_options *options, yardstick *against)
{
    QN_TRY(take_reference(options->receptor_reference, options->receptor_reference_molecule,
                          "reference of the receptor", &against->receptor));
    QN_TRY(take_reference(options->ligand_reference, options->ligand_reference_molecule, "reference of the ligand",
                          &against->ligand));
    QN_TRY(qn_chain_names_of(against->receptor, true, &against->receptor_chains));
    QN_TRY(qn_chain_names_of(against->ligand, true, &against->ligand_chains));
    return qn_complex_reference_create(against->receptor, against->ligand, &against->reference);
}

static void yardstick_clear(yardstick *against)
{
    qn_molecule_destroy(&against->receptor);
    qn_molecule_destroy(&against->ligand);
    qn_chain_names_clear(&against->receptor_chains);
    qn_chain_names_clear(&against->ligand_chains);
    qn_complex_reference_destroy(&against->reference);
}

typedef struct evaluation {
    const qn_evaluate_options *options;
    const yardstick *against;
    entries list;
    qn_complex_quality *qualities;
} evaluation;

static qn_status evaluate_model(size_t index, int worker, void *user)
{
    (void)worker;
    evaluation *run = user;
    const char *path = run->list.items[index].path;
    const qn_model_chains chains = {run->options->receptor_chains, run->options->ligand_chains,
                                    &run->against->receptor_chains, &run->against->ligand_chains};
    qn_molecule *receptor = NULL, *ligand = NULL;
    const qn_molecule *molecule = run->list.items[index].molecule;
    qn_status status = molecule ? qn_model_split(molecule, path, &chains, &receptor, &ligand)
                                : qn_model_file_read(path, &chains, &receptor, &ligand);
    if (status == QN_OK) {
        status = qn_complex_quality_compute(run->against->reference, receptor, ligand, &run->qualities[index]);
        if (status != QN_OK) status = qn_error_add_context(status, "%s", path);
    }
    qn_molecule_destroy(&receptor);
    qn_molecule_destroy(&ligand);
    return status;
}

/* Warn once and not for each model, because models of one run lack the same residues. */
static void warn_of_unmatched(const evaluation *run)
{
    size_t worst = 0, affected = 0;
    for (size_t i = 0; i < run->list.count; i++) {
        affected += run->qualities[i].unmatched_contacts > 0;
        if (run->qualities[i].unmatched_contacts > run->qualities[worst].unmatched_contacts) worst = i;
    }
    if (affected == 0) return;
    qn_log(QN_LOG_WARNING, "%s: %zu of %zu native %s with residues that the model lacks and count as missing%s",
           run->list.items[worst].name, run->qualities[worst].unmatched_contacts, run->qualities[worst].native_contacts,
           qn_plural(run->qualities[worst].native_contacts, "contact is", "contacts are"),
           affected > 1 ? "; other models lack some too" : "");
}

/* A result with the memory that it points into. */
typedef struct owned_result {
    qn_evaluate_result result; /* the caller has its address */
    qn_evaluate_model *models;
    char **names;
} owned_result;

static qn_status fill_result(evaluation *run, owned_result *owned)
{
    const size_t count = run->list.count;
    void *memory;
    QN_TRY(qn_allocate(count, sizeof *owned->models, &memory));
    owned->models = memory;
    QN_TRY(qn_allocate(count, sizeof *owned->names, &memory));
    owned->names = memory;
    for (size_t i = 0; i < count; i++) {
        const qn_complex_quality *quality = &run->qualities[i];
        owned->names[i] = run->list.items[i].name;
        run->list.items[i].name = NULL; /* moved */
        owned->models[i] = (qn_evaluate_model){.name = owned->names[i],
                                               .fnat = quality->fnat,
                                               .interface_rmsd_angstrom = quality->interface_rmsd_angstrom,
                                               .ligand_rmsd_angstrom = quality->ligand_rmsd_angstrom,
                                               .dockq = quality->dockq,
                                               .capri = quality->capri};
    }
    owned->result = (qn_evaluate_result){.models = owned->models, .model_count = count};
    return QN_OK;
}

static qn_status make_result(evaluation *run, qn_evaluate_result **result)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(owned_result), &memory));
    *result = memory;
    const qn_status status = fill_result(run, memory);
    if (status != QN_OK) qn_evaluate_result_destroy(result);
    return status;
}

static qn_status evaluate(qn_context *context, const qn_evaluate_options *options, qn_evaluate_result **result)
{
    yardstick against = {0};
    evaluation run = {.options = options, .against = &against};
    qn_status status = list_models(options, &run.list);
    if (status == QN_OK) status = read_references(options, &against);
    if (status == QN_OK) status = qn_allocate(run.list.count, sizeof(qn_complex_quality), (void **)&run.qualities);
    if (status == QN_OK) status = qn_pool_run(qn_context_pool(context), run.list.count, evaluate_model, &run);
    if (status == QN_OK) warn_of_unmatched(&run);
    if (status == QN_OK && result) status = make_result(&run, result);
    qn_release(&run.qualities);
    entries_clear(&run.list);
    yardstick_clear(&against);
    return status;
}

qn_status qn_evaluate_run(qn_context *context, const qn_evaluate_options *options, qn_evaluate_result **result)
{
    qn_evaluate_options own;
    if (result) *result = NULL;
    QN_TRY(qn_option_take(qn_evaluate_option_table(), options, &own));
    const qn_log_scope outer = qn_context_enter_log(context);
    qn_pipes_keep(); /* a model is read twice */
    const qn_status status = evaluate(context, &own, result);
    qn_pipes_release();
    qn_log_return(outer);
    return status;
}

void qn_evaluate_result_destroy(qn_evaluate_result **result)
{
    owned_result *owned = result ? (owned_result *)*result : NULL;
    if (!owned) return;
    for (size_t i = 0; owned->names && i < owned->result.model_count; i++) qn_release(&owned->names[i]);
    qn_release(&owned->names);
    qn_release(&owned->models);
    qn_release(&owned);
    *result = NULL;
}
